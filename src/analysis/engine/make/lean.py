"""The import of Jupyter's libraries at less than it costs; to be called before anything of them is imported."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def import_jupyter() -> None:
    """Import nbformat and papermill without what they would load for nothing, and quieten loggers.

    That is a grammar that jsonschema compiles to check web addresses (0.8 s), which nbformat's schemas never ask for,
    and Arrow, by which papermill would read notebooks from a cluster's file system (0.1 s).
    """
    with _absent("rfc3987_syntax"), _absent("pyarrow"):
        import papermill.iorw  # noqa: F401 - imports nbformat
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
