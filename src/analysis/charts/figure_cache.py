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


class _Unknown(TypeError):
    """A value of a type that has no digest: what depends on it is not kept."""


def key(chart: Callable[..., Any], frames: tuple[Any, ...], options: Mapping[str, Any], look: Mapping[str, Any]) -> str:
    """What names the figure that a chart of this package draws, as 64 digits; "" where it is not to be kept.

    `look` is what it depends on beside its code, its frames and how it is asked for.
    """
    if paths.cache("figures") is None or not chart.__module__.startswith("analysis.") or code_digest() != _LOADED:
        return ""
    try:
        request = _as_json([f"{chart.__module__}.{chart.__qualname__}", frames, options, look])
    except _Unknown:
        return ""
    return sha256(json.dumps([_LOADED, _VERSIONS, request]))


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
    """A value as JSON, the same for the same value in any process. Raises _Unknown."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return _as_json(value.item())
    if isinstance(value, Mapping):
        return {"map": [[_as_json(name), _as_json(item)] for name, item in value.items()]}
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, frozenset | set):
        return {"set": sorted(json.dumps(_as_json(item)) for item in value)}
    if isinstance(value, date) or value is pd.NA or value is pd.NaT:
        return {"is": repr(value)}
    if isinstance(value, pd.DataFrame):
        columns = [_cells(item) for _, item in value.items()]
        return {"frame": columns, "labels": [_cells(item) for item in value.axes], "attrs": _as_json(value.attrs)}
    if isinstance(value, pd.Series):
        return {"series": _cells(value), "labels": _cells(value.index), "attrs": _as_json(value.attrs)}
    if isinstance(value, pd.Index | np.ndarray):
        return _cells(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _as_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {type(value).__qualname__: fields}
    raise _Unknown(type(value).__name__)


def _cells(column: pd.Series | pd.Index | np.ndarray) -> Any:
    """The values of a column, a row of labels or an array, in their type, with the names that they go by."""
    names = list(column.names) if isinstance(column, pd.Index) else [getattr(column, "name", None)]
    return {"names": _as_json(names), **_typed(column)}


def _typed(column: pd.Series | pd.Index | np.ndarray) -> dict[str, Any]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        dtype = column.dtype
        return {
            "ordered": dtype.ordered,
            "categories": _cells(dtype.categories),
            "cells": _as_json(column.tolist()),
        }
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        content = np.ascontiguousarray(column).tobytes()
        return {"column": str(column.dtype), "shape": list(column.shape), "sha256": sha256(content)}
    return {"column": str(column.dtype), "cells": _as_json(column.tolist())}
