"""A submission tree within an archive: the files that an import reads, unpacked into a folder."""

from __future__ import annotations

import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from analysis._import.official.entry import EntryError

Member = TypeVar("Member", tarfile.TarInfo, zipfile.ZipInfo)
ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
_WANTED = re.compile(
    r"(?:^|/)(?:cm-result\.json|systems/[^/]+\.json|(?:measurements|configs)/.*\.(?:json|py)|(?:measurements|summary(?:_results)?)\.json"
    r"|performance/run_1/(?:mlperf_log_(?:detail|summary)|spl)\.txt|performance/power/[^/]+|accuracy/accuracy(?:\.txt|_results\.json)"
    r"|performance/(?:run_1/)?result_summary\.json|performance/run_1/results\.json)$"
)
# TypeError is what tarfile raises of a stream that breaks off within the header of its compression.
_DAMAGES = (OSError, EOFError, ValueError, RuntimeError, TypeError,
            tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)  # fmt: skip


def is_archive(path: Path) -> bool:
    """Whether the name is that of an archive."""
    return path.name.lower().endswith(ENDINGS)


def unpack(path: Path, folder: Path, most_gb: float) -> None:
    """Put the wanted files of an archive into `folder`.

    Links are not unpacked. Raises EntryError for a damaged archive, for one with a file that would lie outside of the
    folder, and where they are more than `most_gb` gigabytes together.
    """
    try:
        if path.name.lower().endswith(".zip"):
            with zipfile.ZipFile(path) as zipped:
                files = ((info.filename, info.file_size, info) for info in zipped.infolist())
                zipped.extractall(folder, _wanted(files, most_gb))
        else:
            with tarfile.open(path, "r|*", tarinfo=_Header) as taped:
                files = ((info.name, info.size, info) for info in taped if info.isfile())
                taped.extractall(folder, _wanted(files, most_gb), filter="data")
    except EntryError:
        raise
    except _DAMAGES as error:
        raise EntryError(f"is damaged, or no archive: {str(error) or type(error).__name__}") from None


def _wanted(files: Iterable[tuple[str, int, Member]], most_gb: float) -> Iterator[Member]:
    """The members that an import reads, of all by name and size."""
    room = most_gb * 1e9
    for name, size, member in files:
        if _WANTED.search(name):
            room -= size
            if room < 0:
                raise EntryError(f"unpacks to more than {most_gb:g} GB; --unpacked-gb allows more")
            yield member


class _Header(tarfile.TarInfo):
    """The header of a member: tarfile takes one that is cut off for the end of the archive."""

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> tarfile.TarInfo:
        try:
            return super().fromtarfile(tar)
        except tarfile.EOFHeaderError:
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None
