"""Frames that follow from the tables of data/ and from the code alone, kept on disk under the digest of both.

A frame is an Arrow file that is mapped into memory: processes that read the same one share its pages, it is there in
hundredths of a second, and unlike a pickle it can run nothing, whoever wrote it. Before its table are the 64 digits
of a SHA-256 over what it is, what it was made from and all that follows, so that a file that is torn, damaged or
another's is noticed and made again. Where nothing can be written, nothing is kept, and nothing else changes.
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from analysis._core.file_contents import (
    of_file,
    read_sealed,
    sha256,
    sha256_of,
    sha256_of_code,
    write_sealed,
)
from analysis._core.paths import official_files, official_scope
from analysis._tables.descriptor import FILE, Part, Table

# Packages whose code decides what a cached frame holds.
ROOMS = ("_core", "_tables", "comparability", "methods", "planner", "audit")
STATES = 4  # of data and code whose frames stay on disk
_PACKAGE = Path(__file__).resolve().parents[1]


def code_digest() -> str:
    """The SHA-256 over every module of ROOMS, as its file is now."""
    return sha256_of_code(_PACKAGE, ROOMS)


# Of the code that this process runs: one that has been edited since is not what made the frames.
_LOADED = code_digest()
_held: dict[Path, pd.DataFrame] | None = None  # frames in memory, by the file that each was read from


def hold_in_memory() -> None:
    """Hold in memory too what is read from here on: processes that are forked from this one need not read it again.

    A frame is handed out as a copy that shares the memory until somebody writes to it.
    """
    global _held
    _held = {} if _held is None else _held


class Kept:
    """The frames of one state of a data folder. `files` has the SHA-256 of each of its files, by path from there.

    `place` is the folder of all states, None to keep nothing; frames of the STATES newest are left in it.
    """

    def __init__(self, folder: Path, tables: Iterable[Table | Part], place: Path | None) -> None:
        self._folder, self._paths = folder, [table.path for table in tables]
        self.files = self._digests()
        self._state = sha256("\n".join(f"{name} {digest}" for name, digest in (self.files | _versions()).items()))
        self._place = place / self._state if place is not None and code_digest() == _LOADED else None

    def frame(self, name: str, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """The frame that `make` makes of this state of the folder and nothing else: as it was kept, or else made.

        It is kept where it comes back as it was, and where neither a file of the folder was changed meanwhile nor the
        code: a module that is imported late, or reloaded, is then not that of the digest.
        """
        if self._place is None:
            return make()
        path, identity = self._place / f"{name}.arrow", f"{self._state} {name}"
        if _held is not None and path in _held:
            return _held[path].copy(deep=False)
        if (frame := _read(path, identity)) is not None:
            if _held is not None:
                _held[path] = frame.copy(deep=False)
            return frame
        made = make()
        if self._digests() == self.files and code_digest() == _LOADED:
            # A full disk, a checkout that only others may write, or values that Arrow has no type for.
            with suppress(OSError, pa.ArrowException):
                self._keep(path, identity, made)
        return made

    def _keep(self, path: Path, identity: str, frame: pd.DataFrame) -> None:
        table = pa.Table.from_pandas(frame).combine_chunks()  # Rows are taken from one chunk a hundred times as fast.
        if not _same(_frame(table), frame):
            return
        write_sealed(path, identity, _content(table))
        _tidy(path.parent)

    def _digests(self) -> dict[str, str]:
        """The SHA-256 of the descriptor, of each table's file and of the official rows; "" for one that is not there.

        In the order of their names, behind which official rows are read at all.
        """
        official = (path.relative_to(self._folder).as_posix() for path in official_files(self._folder))
        return {name: _digest(self._folder / name) for name in sorted({FILE, *self._paths, *official})}


def _versions() -> dict[str, str]:
    """What a frame depends on beside the files of its folder."""
    libraries = {module.__name__: module.__version__ for module in (np, pd, pa)}
    return {"official": official_scope(), "code": _LOADED, "python": platform.python_version(), **libraries}


def _digest(path: Path) -> str:
    try:
        return of_file(path, sha256_of) or ""
    except OSError:
        return ""  # Whoever reads the table reports it.


def _read(path: Path, identity: str) -> pd.DataFrame | None:
    """The frame in a file, or None where there is none that is whole and has this identity."""
    content = read_sealed(path, identity)
    return None if content is None else _frame(pa.ipc.open_file(pa.py_buffer(content)).read_all())


def _content(table: pa.Table) -> pa.Buffer:
    written = pa.BufferOutputStream()
    with pa.ipc.new_file(written, table.schema) as file:
        file.write_table(table)
    return written.getvalue()


def _frame(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas(use_threads=False)  # A kernel is a fork: no threads for what takes a few milliseconds.


def _same(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Whether two frames are the same in values, types and labels."""
    return (
        one.equals(other)
        and one.dtypes.equals(other.dtypes)
        and type(one.index) is type(other.index)
        and one.index.dtype == other.index.dtype
        and one.index.names == other.index.names
        and one.columns.dtype == other.columns.dtype
    )


def _tidy(state: Path) -> None:
    """Remove older states."""
    states = sorted((path for path in state.parent.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for old in states[:-STATES]:
        if old != state:
            shutil.rmtree(old, ignore_errors=True)
