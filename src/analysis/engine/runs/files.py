"""Reading digests and writing files whole or not at all; knows nothing of reports."""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")
_known: dict[tuple[Path, Callable[[Path], Any]], tuple[Any, Any]] = {}


def sha256(content: bytes | str) -> str:
    """The SHA-256 of some content, as 64 hexadecimal digits; text counts as UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def file_sha256(path: Path) -> str | None:
    """The SHA-256 of a file's bytes, or None where there is no such file."""
    return of_file(path, _sha256_of)


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


def _sha256_of(path: Path) -> str:
    return sha256(path.read_bytes())


def canonical(value: Any) -> str:
    """JSON text that is equal for equal values: sorted keys, no spaces. Raises ValueError for NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def pretty(value: Any) -> str:
    """JSON text for people and for `git diff`: indented, keys in their given order."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file aside and rename it into place, so that no reader ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        aside.write_bytes(content.encode() if isinstance(content, str) else content)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> None:
    """Remove what writers that were killed (kill -9, power cut) left aside in a folder."""
    for leftover in folder.glob(".*.tmp"):
        pid = leftover.name.split(".")[-2]
        if pid.isdigit() and not _alive(int(pid)):
            leftover.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        with contextlib.suppress(PermissionError):
            os.kill(pid, 0)
        return True
    return False
