"""Locate the project's folders, independent of the current folder.

Data is looked up in order: the folder in ANALYSIS_DATA, the project that contains this package, a project that contains
the current folder, and the data shipped in the installed package.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMED = "ANALYSIS_DATA"  # this variable names the folder of the data
PACKAGE = Path(__file__).resolve().parent
SHIPPED = PACKAGE / "shipped"  # data of an installed package, put there by packaging/wheel.py
DESCRIPTOR = "datapackage.json"


def _around(path: str) -> Iterator[Path]:
    """Return the current folder and those above it that hold `path`, the nearest first."""
    here = Path.cwd()
    return (folder for folder in (here, *here.parents) if (folder / path).exists())


def places() -> list[Path]:
    """Return the folders where data may be, the first ones first."""
    if named := os.environ.get(NAMED):
        return [Path(named).expanduser().resolve()]
    return [PACKAGE.parents[1] / "data", *(folder / "data" for folder in _around("notebooks")), SHIPPED]


def other_project() -> Path | None:
    """Return the project around the current folder, if it is not the copy that contains this package."""
    found = next(_around("src/analysis/paths.py"), None)
    return found if found and PACKAGE.parent.name == "src" and found != PACKAGE.parents[1] else None


DATA = next((folder for folder in places() if (folder / DESCRIPTOR).is_file()), places()[0])
ROOT = Path.cwd() if DATA == SHIPPED else DATA.parent
NOTEBOOKS = ROOT / "notebooks"
REPORTS = ROOT / "reports"
MOST_BYTES = 100_000_000  # of a user's own file
SHIPPED_ONLY = "ANALYSIS_RECORD"  # this variable is "shipped" where a user's own imports must not change outputs


def plain(path: Path) -> Path:
    """Return `path`. Raises ValueError where it exists and is not a regular file: a pipe would be read forever."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is not a regular file")
    return path


def state(path: Path) -> tuple[int, ...] | None:
    """Return a file's state, which changes when it is written; None if missing, () for a folder."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # not a valid file name
        return None
    return () if path.is_dir() else (found.st_mtime_ns, found.st_size, found.st_ino)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a path next to `path` to write to; it replaces `path` at the end, and is removed after an error.

    Enter before reading what is replaced. Where nothing was written, `path` stays. A link stays a link, and what it
    leads to keeps its permissions. Raises OSError if `path` is write-protected or was changed since.
    """
    path = path.resolve()
    beside, before = path.with_name(f".{path.name}.{os.getpid()}.new"), state(path)
    if before and not os.access(path, os.W_OK):
        raise PermissionError(f"{path}: is write-protected")
    try:
        yield beside
        if beside.exists():
            if state(path) != before:
                raise OSError(f"{path}: was changed in the meantime and was not replaced; run the command again")
            if before:
                shutil.copymode(path, beside)
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock `folder` against other writing processes for the duration of the block."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def read_file(path: str | Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the content of a file; a relative path counts from here, else from the project's root.

    Raises ValueError naming a file that is missing, irregular, too large, or different in the two places.
    """
    tried = [Path(path), ROOT / path]
    for place in tried:  # a page becomes stale when a missing file appears
        sys.audit("open", str(place), "r", os.O_RDONLY)
    file, *other = [place for place in tried if place.exists()] or [None]
    if file is None:
        raise ValueError(f"{path}: no such file in {' or '.join(sorted({str(Path.cwd()), str(ROOT)}))}")
    if other and not file.samefile(other[0]):
        raise ValueError(f"{path}: names different files in {Path.cwd()} and {ROOT}; give the full path of one")
    if plain(file).stat().st_size > most_bytes:
        raise ValueError(f"{path}: is larger than {most_bytes:,} bytes, the limit")
    return file.read_bytes()


def parse_json(content: str | bytes) -> Any:
    """Return the content of a JSON text. Raises ValueError if it is invalid or an object has a duplicate key."""
    return json.loads(content, object_pairs_hook=unique)


def unique(pairs: Sequence[tuple[Hashable, Any]]) -> dict[Any, Any]:
    """Return an object of keys and values. Raises ValueError for a duplicate key, which parsers resolve differently."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice!r:.60} is duplicated; expected once")
    return found
