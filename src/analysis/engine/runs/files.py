"""Digests of files that are asked for again and again, and JSON in one form."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from analysis.core.contents import sha256_of

Value = TypeVar("Value")
_known: dict[tuple[Path, Callable[[Path], Any]], tuple[Any, Any]] = {}


def file_sha256(path: Path) -> str | None:
    """The SHA-256 of a file's bytes, or None where there is no such file."""
    return of_file(path, sha256_of)


def of_file(path: Path, compute: Callable[[Path], Value]) -> Value | None:
    """What `compute` says of a file, or None where there is no such file; computed again when the file has changed.

    Within one process only, where a file's state says whether it was touched: a build of a thousand reports reads
    the same notebook, modules and tables for each.
    """
    try:
        state = path.stat()
        seen = (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        if _known.get((path, compute), (None,))[0] != seen:
            _known[path, compute] = (seen, compute(path))
        return _known[path, compute][1]
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None


def canonical_json(value: Any) -> str:
    """JSON text that is equal for equal values: sorted keys, no spaces. Raises ValueError for NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def pretty(value: Any) -> str:
    """JSON text for people and for `git diff`: indented, keys in their given order."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
