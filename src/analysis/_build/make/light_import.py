"""The import of Jupyter's libraries at less than it costs; to be called before anything of them is imported."""

import gc
import logging

from analysis._build.kernels.preload import absent


def import_jupyter() -> None:
    """Import nbformat without what it would load for nothing, and quieten loggers.

    That is a grammar that jsonschema compiles to check web addresses (0.8 s) and more of the kind, which nbformat's
    schemas never ask for.
    """
    with absent("rfc3987_syntax"), absent("rfc3986_validator"), absent("isoduration"):
        import nbformat  # noqa: F401
    gc.freeze()  # What is imported stays: nothing of it need be looked through for garbage again.
    for name in ("traitlets", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
