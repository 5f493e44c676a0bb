"""A submission tree within an archive: the files that an import reads, unpacked into a folder."""

from __future__ import annotations

import lzma
import re
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from analysis.importers.official.tree import Problem

Open = Callable[[], IO[bytes]]
Member = tuple[str, int, Open | None]  # name, bytes, and how it is read; None for what is neither file nor folder
ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
LARGEST = 1 << 33  # bytes that one member may unpack to
_WANTED = re.compile(
    r"(?:^|/)(?:cm-result\.json|systems/[^/]+\.json|(?:measurements|configs)/.*\.(?:json|py)|(?:measurements|summary(?:_results)?)\.json"
    r"|performance/run_1/(?:mlperf_log_detail|spl)\.txt|performance/power/[^/]+|accuracy/accuracy(?:\.txt|_results\.json)"
    r"|performance/(?:run_1/)?result_summary\.json|performance/run_1/results\.json)$"
)
_RUN = re.compile(r"(?:[^/]+/)*results/[^/]+/[^/]+/[^/]+(?=/)")
_DAMAGES = (OSError, EOFError, ValueError, RuntimeError,
            tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)  # fmt: skip


class ArchiveError(ValueError):
    """The archive cannot be read at all."""


def is_archive(path: Path) -> bool:
    """Whether the name is that of an archive."""
    return path.name.lower().endswith(ENDINGS)


def unpack(path: Path, folder: Path) -> list[Problem]:
    """Put the wanted files of an archive into `folder`, and name each that is left out with the reason.

    A member whose name leads out of the folder, or that is a link, is never unpacked. A damaged member of a .zip costs
    itself only; a .tar that breaks off gives what is whole before. Raises ArchiveError where nothing can be read.
    """
    problems, at, zipped = [], "", path.name.lower().endswith(".zip")
    members, survived = (_zipped(path), _DAMAGES) if zipped else (_taped(path), (OSError, ValueError))
    try:
        for at, size, opened in members:
            try:
                reason = _refused(at, size, opened)
                if not reason and _WANTED.search(at):
                    _put(opened, folder / PurePosixPath(at))
            except survived as error:
                reason = f"cannot be unpacked: {str(error) or type(error).__name__}"
            if reason:
                problems.append(Problem(f"{path}: {at}", reason))
    except _DAMAGES as error:
        reason = f"breaks off, or is no archive: {str(error) or type(error).__name__}"
        if run := None if _leads_out(at) else _RUN.match(at):  # Its meter's samples may lie behind the break.
            shutil.rmtree(folder / run[0], ignore_errors=True)
        if not any(file.is_file() for file in folder.rglob("*")):
            raise ArchiveError(reason) from None
        problems.append(Problem(str(path), f"{reason}; {run[0] if run else at} and what lies behind it are not read"))
    return problems


def _zipped(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                link = (info.external_attr >> 16) & 0o170000 == 0o120000
                yield info.filename, info.file_size, None if link else partial(archive.open, info)


def _taped(path: Path) -> Iterator[Member]:
    with tarfile.open(path, "r|*", tarinfo=_Header) as archive:
        for member in archive:
            if not member.isdir():
                yield member.name, member.size, partial(archive.extractfile, member) if member.isfile() else None


class _Header(tarfile.TarInfo):
    """The header of a member, where an archive that ends without its end mark breaks off."""

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> tarfile.TarInfo:
        try:
            return super().fromtarfile(tar)
        except tarfile.EOFHeaderError:
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None


def _leads_out(name: str) -> bool:
    place = PurePosixPath(name.replace("\\", "/"))
    return place.is_absolute() or ".." in place.parts or bool(re.match(r"[A-Za-z]:", name))


def _refused(name: str, size: int, opened: Open | None) -> str:
    if _leads_out(name):
        return "its name leads out of the archive, not unpacked"
    if opened is None:
        return "is a link or no plain file, not unpacked" if _WANTED.search(name) else ""
    return f"is larger than {LARGEST:,} bytes, not unpacked" if size > LARGEST else ""


def _put(opened: Open, place: Path) -> None:
    """The member as a file that is whole, or not there."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with opened() as file, place.open("wb") as out:
            shutil.copyfileobj(file, out, 1 << 20)
    except BaseException:
        with suppress(OSError):
            place.unlink()
        raise
