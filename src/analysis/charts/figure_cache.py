"""Figures as cells put them out, kept on disk under the digest of all that they were drawn from.

A figure follows from its frames, from how it is asked for and from the code that draws it: a report that is built
again, because its prose or one of its other figures was edited, draws it no second time. A file holds compressed JSON
behind the 64 digits of a SHA-256 over its name and what follows, so that one that is torn, damaged or another's is
noticed and drawn again. Where nothing can be written, nothing is kept, and nothing else changes.
"""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis._core import paths
from analysis._core.file_contents import read_sealed, sha256, sha256_of_code, write_sealed

ROOMS = ("_core", "charts")  # whose code draws
LIBRARIES = ("matplotlib", "numpy", "pandas", "seaborn")
MOST = 1000  # figures that stay on disk, those last used
_PACKAGE = Path(__file__).resolve().parents[1]


def code_digest() -> str:
    """The SHA-256 over every module of ROOMS, as its file is now."""
    return sha256_of_code(_PACKAGE, ROOMS)


# Of the code that this process runs: one that has been edited since is not what draws. Both are found once, for all
# kernels that are forked from this process.
_LOADED = code_digest()
_VERSIONS = {name: metadata.version(name) for name in LIBRARIES} | {"python": platform.python_version()}


def key(chart: Callable[..., Any], frames: tuple[Any, ...], options: Mapping[str, Any], look: Mapping[str, Any]) -> str:
    """What names the figure that a chart of this package draws, as 64 digits; "" where it is not to be kept.

    `look` is what it depends on beside its code, its frames and how it is asked for.
    """
    if paths.cache("figures") is None or not chart.__module__.startswith("analysis.") or code_digest() != _LOADED:
        return ""
    asked = [_LOADED, _VERSIONS, f"{chart.__module__}.{chart.__qualname__}", frames, options, look]
    try:
        return sha256(json.dumps(asked, default=_as_json))
    except TypeError:  # A value of a type that has no digest: what depends on it is not kept.
        return ""


def read(key: str) -> dict[str, Any] | None:
    """What is kept under a key, or None where there is nothing that is whole."""
    path = _path(key)
    if (content := read_sealed(path, key)) is None:
        return None
    with suppress(OSError):
        os.utime(path)  # So that what is used stays.
    return json.loads(zlib.decompress(content))


def keep(key: str, shown: dict[str, Any]) -> None:
    """Keep what a figure was shown as, where something can be written at all."""
    path, content = _path(key), zlib.compress(json.dumps(shown).encode(), 1)
    with suppress(OSError):  # A full disk, or a checkout that only others may write.
        write_sealed(path, key, content)
        _tidy(path.parent)


def _path(key: str) -> Path:
    return paths.CACHE / "figures" / f"{key}.json.z"


def _tidy(folder: Path) -> None:
    """Where there are more files than MOST, remove all but three quarters of MOST."""
    files = list(folder.glob("*.json.z"))
    if len(files) > MOST:
        for path in sorted(files, key=lambda path: path.stat().st_mtime)[: len(files) - MOST * 3 // 4]:
            path.unlink(missing_ok=True)


def _as_json(value: Any) -> Any:
    """What `json` has no form for, as lists of what it has: the same for the same value in any process.

    Of a frame its values, names, types, and the order of its categories. Raises TypeError for a value of an unknown
    type.
    """
    if isinstance(value, pd.DataFrame):
        rows = value.reset_index()
        kinds = [list(kind.categories) if isinstance(kind, pd.CategoricalDtype) else str(kind) for kind in rows.dtypes]
        cells = [column.tolist() for _, column in rows.items()]
        return [value.attrs, list(value.columns.names), list(rows), kinds, cells]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, frozenset | set):
        return sorted(json.dumps(item, default=_as_json) for item in value)
    if isinstance(value, date) or value is pd.NA or value is pd.NaT:
        return repr(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [type(value).__qualname__, vars(value)]
    raise TypeError(f"no digest of {type(value).__name__}")
