"""A submission tree within an archive: the files that an import reads, unpacked into a folder; nothing is read here."""

from __future__ import annotations

import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from analysis.importers.tree import Problem

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
LARGEST = 1 << 33  # bytes that one member may unpack to
_WANTED = re.compile(
    r"(?:^|/)(?:systems/[^/]+\.json|(?:measurements|configs)/.*\.(?:json|py)|(?:measurements|summary(?:_results)?)\.json"
    r"|performance/run_1/(?:mlperf_log_detail|spl)\.txt|performance/power/[^/]+|accuracy/accuracy\.txt)$"
)


class ArchiveError(ValueError):
    """The archive cannot be read at all."""


def is_archive(path: Path) -> bool:
    """Whether the name is that of an archive."""
    return path.name.lower().endswith(ENDINGS)


def unpack(path: Path, folder: Path) -> list[Problem]:
    """Put the wanted files of an archive into `folder`, and name each that is left out with the reason.

    A member whose name leads out of the folder, or that is a link, is never unpacked. Raises ArchiveError.
    """
    problems = []
    try:
        for name, size, file in _members(path):
            reason = _refused(name, size, file)
            if reason:
                problems.append(Problem(f"{path}: {name}", reason))
            elif _WANTED.search(name):
                _put(file, folder / PurePosixPath(name))
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, RuntimeError, ValueError, zlib_error()) as error:
        raise ArchiveError(f"breaks off, or is no archive: {error}") from None
    return problems


def zlib_error() -> type[Exception]:
    """The error of a damaged compressed stream."""
    import zlib

    return zlib.error


def _members(path: Path) -> Iterator[tuple[str, int, IO[bytes] | None]]:
    """Name, size and content of each file; content is None for what is neither file nor folder."""
    if path.name.lower().endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    link = (info.external_attr >> 16) & 0o170000 == 0o120000
                    yield info.filename, info.file_size, None if link else archive.open(info)
        return
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            if not member.isdir():
                yield member.name, member.size, archive.extractfile(member) if member.isfile() else None


def _refused(name: str, size: int, file: IO[bytes] | None) -> str:
    parts = PurePosixPath(name.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or re.match(r"[A-Za-z]:", name):
        return "its name leads out of the archive, not unpacked"
    if file is None:
        return "is a link or no plain file, not unpacked" if _WANTED.search(name) else ""
    return f"is larger than {LARGEST:,} bytes, not unpacked" if size > LARGEST else ""


def _put(file: IO[bytes], place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as out:
        shutil.copyfileobj(file, out, 1 << 20)
