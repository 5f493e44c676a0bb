"""The import of nbformat at less than it costs; to be called before anything of Jupyter's is imported."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def import_nbformat() -> None:
    """Import nbformat without the grammar that jsonschema would compile for it (0.8 s), and quieten loggers.

    That grammar checks web addresses, which nbformat's schemas never ask for.
    """
    with _absent("rfc3987_syntax"):
        import nbformat  # noqa: F401
    for name in ("papermill", "papermill.utils", "traitlets", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


@contextmanager
def _absent(name: str) -> Iterator[None]:
    """Let a module look as if it weren't installed."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
