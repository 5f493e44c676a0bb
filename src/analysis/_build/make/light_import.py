"""The import of Jupyter's libraries at less than it costs; to be called before anything of them is imported."""

import gc
import logging

from analysis._build.kernels.preload import absent


def import_jupyter() -> None:
    """Import nbformat and papermill without what they would load for nothing, and quieten loggers.

    That is a grammar that jsonschema compiles to check web addresses (0.8 s) and more of the kind, which nbformat's
    schemas never ask for, and Arrow, by which papermill would read notebooks from a cluster's file system (0.1 s).
    """
    with absent("rfc3987_syntax"), absent("rfc3986_validator"), absent("isoduration"), absent("pyarrow"):
        import papermill.iorw  # noqa: F401 - imports nbformat
    gc.freeze()  # What is imported stays: nothing of it need be looked through for garbage again.
    for name in ("papermill", "papermill.utils", "traitlets", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
