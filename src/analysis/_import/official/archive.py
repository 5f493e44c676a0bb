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
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from analysis._import.official import UNPACKED_GB, UNPACKED_TIMES
from analysis._import.official.tree import Problem

Open = Callable[[], IO[bytes]]
Member = tuple[str, Open | None]  # name, and how it is read; None for what is neither file nor folder
BLOCK = 1 << 20
ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
FREE = 1 << 28  # what is small may shrink to anything
_WANTED = re.compile(
    r"(?:^|/)(?:cm-result\.json|systems/[^/]+\.json|(?:measurements|configs)/.*\.(?:json|py)|(?:measurements|summary(?:_results)?)\.json"
    r"|performance/run_1/(?:mlperf_log_(?:detail|summary)|spl)\.txt|performance/power/[^/]+|accuracy/accuracy(?:\.txt|_results\.json)"
    r"|performance/(?:run_1/)?result_summary\.json|performance/run_1/results\.json)$"
)
_RUN = re.compile(r"(?:[^/]+/)*results/[^/]+/[^/]+/[^/]+(?=/)")
# TypeError is what tarfile raises of a stream that breaks off within the header of its compression.
_DAMAGES = (OSError, EOFError, ValueError, RuntimeError, TypeError,
            tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)  # fmt: skip


class ArchiveError(ValueError):
    """The archive cannot be read at all, or holds more than is unpacked."""


@dataclass
class Limit:
    """How many bytes the archives of one import may unpack to, how many times its size each, and how many they did."""

    most: int = UNPACKED_GB * 10**9
    times: int = UNPACKED_TIMES
    unpacked: int = 0

    def copy(self, file: IO[bytes], out: IO[bytes], most: int) -> int:
        """Copy a member and return its size. Raises ArchiveError where it or all together grow beyond what they may."""
        size = 0
        while block := file.read(BLOCK):
            size += len(block)
            self.unpacked += len(block)
            if self.unpacked > self.most:
                raise ArchiveError(f"unpacks to more than {self.most / 1e9:,.1f} GB; --unpacked-gb allows more")
            if size > most:
                raise ArchiveError(
                    f"unpacks to more than {self.times:,} times its size, as no tree of logs does; "
                    "--unpacked-times allows more"
                )
            out.write(block)
        return size


def is_archive(path: Path) -> bool:
    """Whether the name is that of an archive."""
    return path.name.lower().endswith(ENDINGS)


def unpack(path: Path, folder: Path, limit: Limit | None = None) -> list[Problem]:
    """Put the wanted files of an archive into `folder`, and name each that is left out with the reason.

    A member whose name leads out of the folder, or that is a link, is never unpacked. A damaged member of a .zip costs
    itself only; a .tar that breaks off gives what is whole before. Raises ArchiveError where nothing can be read, and
    where it unpacks to more than `limit` allows, beside FREE bytes that any may; nothing of it is then kept.
    """
    limit = limit or Limit()
    room = max(FREE, limit.times * path.stat().st_size)
    problems, member, zipped = [], "", path.name.lower().endswith(".zip")
    members, survived = (_zipped(path), _DAMAGES) if zipped else (_taped(path), (OSError, ValueError))
    try:
        for member, opened in members:
            try:
                reason = _refused(member, opened)
                if not reason and _WANTED.search(member):
                    room -= _put(opened, folder / PurePosixPath(member), limit, room)
            except ArchiveError:
                raise
            except survived as error:
                reason = f"cannot be unpacked: {str(error) or type(error).__name__}"
            if reason:
                problems.append(Problem(f"{path}: {member}", reason))
    except ArchiveError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    except _DAMAGES as error:
        reason = f"breaks off, or is no archive: {str(error) or type(error).__name__}"
        if run := None if _leads_out(member) else _RUN.match(member):  # Its meter's samples may lie behind the break.
            shutil.rmtree(folder / run[0], ignore_errors=True)
        if not any(file.is_file() for file in folder.rglob("*")):
            raise ArchiveError(reason) from None
        reason = f"{reason}; {run[0] if run else member} and what lies behind it are not read"
        problems.append(Problem(str(path), reason))
    return problems


def _zipped(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if not info.filename.endswith("/"):  # is_dir() of a member without a name raises
                link = (info.external_attr >> 16) & 0o170000 == 0o120000
                yield info.filename, None if link else partial(archive.open, info)


def _taped(path: Path) -> Iterator[Member]:
    with tarfile.open(path, "r|*", tarinfo=_Header) as archive:
        for member in archive:
            if not member.isdir():
                yield member.name, partial(archive.extractfile, member) if member.isfile() else None


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


def _refused(name: str, opened: Open | None) -> str:
    if _leads_out(name):
        return "its name leads out of the archive, not unpacked"
    return "is a link or no plain file, not unpacked" if opened is None and _WANTED.search(name) else ""


def _put(opened: Open, place: Path, limit: Limit, room: int) -> int:
    """The member as a file that is whole, or not there; returns its bytes, which are at most `room`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with opened() as file, place.open("wb") as out:
            return limit.copy(file, out, room)
    except BaseException:
        with suppress(OSError):
            place.unlink()
        raise
