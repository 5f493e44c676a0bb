"""The contents of files: written whole or not at all, and distinguished by their digests."""

from __future__ import annotations

import codecs
import hashlib
import mmap
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")
_DIGITS = 64  # of a SHA-256
_known: dict[tuple[Path, Callable[[Path], Any]], tuple[Any, Any]] = {}

MARKS = {
    codecs.BOM_UTF8: "begins with a byte order mark; save it as UTF-8 without one (no BOM)",
    codecs.BOM_UTF32_LE: "is UTF-32 text; save it as UTF-8",
    codecs.BOM_UTF16_LE: "is UTF-16 text; save it as UTF-8",
    codecs.BOM_UTF16_BE: "is UTF-16 text; save it as UTF-8",
}


class NotUtf8(ValueError):
    """Bytes are no plain UTF-8 text: the text says what they are, and what to do, to follow a file's name."""

    def __init__(self, what: str, line: int = 1) -> None:
        super().__init__(what)
        self.line = line


def foreign(start: bytes) -> str:
    """What a file is that begins as UTF-16 or UTF-32 text, and what to do, to follow its name; else ""."""
    return next((what for mark, what in MARKS.items() if start.startswith(mark) and mark != codecs.BOM_UTF8), "")


def file_version(path: Path) -> tuple[int, ...]:
    """What tells one version of a file from another, without reading it; empty where there is no file."""
    try:
        state = path.stat()
    except OSError:
        return ()
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def of_file(path: Path, compute: Callable[[Path], Value]) -> Value | None:
    """What `compute` says of a file, or None where there is no such file; recomputed when the file has changed.

    Within one process, and those forked from it, where a file's state says whether it was touched: a build of a
    thousand reports reads the same notebook, modules and tables for each.
    """
    if not (version := file_version(path)):
        return None
    if _known.get((path, compute), (None,))[0] != version:
        try:
            _known[path, compute] = (version, compute(path))
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
    return _known[path, compute][1]


def utf8(content: bytes) -> str:
    """The text of a file. Raises NotUtf8 with its line for another encoding, or a byte order mark in front."""
    for mark, what in MARKS.items():
        if content.startswith(mark):
            raise NotUtf8(what)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise NotUtf8("is not UTF-8 text; save it as UTF-8", content[: error.start].count(b"\n") + 1) from None


def sha256(content: bytes | str) -> str:
    """The SHA-256 of some content, as 64 hexadecimal digits; text counts as UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, however many they are. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_code(package: Path, rooms: Iterable[str]) -> str:
    """The SHA-256 over every module of some folders of a package, by their paths and as their files are now."""
    files = sorted(path for room in rooms for path in (package / room).rglob("*.py"))
    return sha256("\n".join(f"{path.relative_to(package)} {of_file(path, sha256_of)}" for path in files))


def write_sealed(path: Path, identity: str, content: bytes) -> None:
    """Write content (anything that has a buffer) whole, behind a SHA-256 over its identity, a text, and over itself.

    Beside it, what killed writers left is removed. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with aside(path) as place, place.open("wb") as file:
        file.write(_seal(identity, content))
        file.write(content)
    remove_leftovers(path.parent)


def read_sealed(path: Path, identity: str) -> memoryview | None:
    """The content that `write_sealed` wrote, mapped into memory: processes that read the same file share its pages.

    None where there is no file, or one that is torn, damaged, or of another identity.
    """
    try:
        with path.open("rb") as file:
            sealed = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):  # An empty file cannot be mapped: a ValueError.
        return None
    content = sealed[_DIGITS:]
    return content if sealed[:_DIGITS] == _seal(identity, content) else None


def _seal(identity: str, content: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(identity.encode())
    digest.update(content)
    return digest.hexdigest().encode()


@contextmanager
def aside(path: Path) -> Iterator[Path]:
    """A file beside `path` to be written, renamed into place at the end of the block; gone where the block raises.

    Its name holds the process id, so that what a killed writer leaves is not taken for what one is writing, and the
    thread's: of several that write the same file, the last one has written all of it.
    """
    place = path.with_name(f".{path.name}.{threading.get_ident()}.{os.getpid()}.tmp")
    try:
        yield place
        place.replace(path)
    finally:
        with suppress(OSError):
            place.unlink()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, and the folders above it, so that no reader ever sees half of it. Text becomes UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with aside(path) as place:
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def write_changed(path: Path, content: str) -> bool:
    """Write a text whole where the file has another or is not there; returns whether it did."""
    if of_file(path, sha256_of) == sha256(content):
        return False
    write_whole(path, content)
    return True


def remove_leftovers(folder: Path) -> None:
    """Remove what writers that were killed (kill -9, power cut) left aside in a folder."""
    for leftover in folder.glob(".*.tmp"):
        pid = leftover.name.split(".")[-2]
        if pid.isdigit() and not _alive(int(pid)):
            leftover.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        with suppress(PermissionError):
            os.kill(pid, 0)
        return True
    return False
