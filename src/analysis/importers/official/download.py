"""`make data`: the pinned official summaries into data/official/."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from analysis.core.paths import DATA, OFFICIAL
from analysis.data.catalog import Catalog
from analysis.importers.official.intake import ImportFailed, import_results

CACHE = "mlperf-inference-analysis"  # folder within the user's cache folder
RETRIES = 3
VARIABLE = "ANALYSIS_MIRROR"


class DownloadFailed(RuntimeError):
    """A file could not be had whole; the text says which, why, and what to do. Nothing was changed."""


@dataclass(frozen=True)
class Pinned:
    """One official file: where it is published, and the SHA-256 that it must have."""

    round: str
    url: str
    sha256: str

    @property
    def name(self) -> str:
        """The file's name in the cache and on a mirror."""
        return f"{self.round}_summary_results.json"


def pinned_files(folder: Path = DATA) -> tuple[Pinned, ...]:
    """The summary files that rounds.csv pins, oldest round first. Raises TableError."""
    rounds = Catalog(folder).rounds
    rows = rounds.loc[rounds["summary_sha256"].ne(""), ["round", "summary_url", "summary_sha256"]]
    return tuple(Pinned(*row) for row in rows.itertuples(index=False))


def fetch(
    *,
    pinned: tuple[Pinned, ...] | None = None,
    folder: Path = OFFICIAL,
    cache: Path | None = None,
    mirror: str = "",
    say: Callable[[str], None] = print,
    environment: Mapping[str, str] = os.environ,
) -> int:
    """Download the pinned files and import each into `folder` as <round>.parquet; returns the exit status.

    By default these are the files of rounds.csv. They are kept in the user's cache and fetched again only where their
    hash is wrong. `mirror` (or ANALYSIS_MIRROR) is a folder address that holds files of the pinned names. All are
    downloaded and imported before the first is put in place. Raises DownloadFailed; `folder` is then as it was.
    """
    mirror = mirror or environment.get(VARIABLE, "")
    pinned = pinned_files() if pinned is None else pinned
    files = [_downloaded(pin, mirror, cache, say) for pin in pinned]
    folder.mkdir(parents=True, exist_ok=True)
    status = 0
    with tempfile.TemporaryDirectory(dir=folder, prefix=".import-") as aside:
        made = []
        for pin, file in zip(pinned, files, strict=True):
            made.append(Path(aside) / f"{pin.round}.parquet")
            status |= _imported(file, made[-1], pin.round, say)
        for file in made:
            file.replace(folder / file.name)
    say(f"data/official/ holds {', '.join(pin.round for pin in pinned)}; make reports uses them from now on")
    return status


def _imported(file: Path, out: Path, round: str, say: Callable[[str], None]) -> int:
    try:
        return import_results([file], out, round=round, origin="official", say=say).status
    except ImportFailed as error:
        raise DownloadFailed(f"{file.name} cannot be imported: {error}") from None


def _downloaded(pin: Pinned, mirror: str, cache: Path | None, say: Callable[[str], None]) -> Path:
    """The file in the cache, downloaded if it is not there. Raises DownloadFailed."""
    import pooch

    url = f"{mirror.rstrip('/')}/{pin.name}" if mirror else pin.url
    folder = cache or Path(pooch.os_cache(CACHE))
    keeper = pooch.create(path=folder, base_url="", registry={pin.name: f"sha256:{pin.sha256}"},
                          urls={pin.name: url}, retry_if_failed=RETRIES)  # fmt: skip
    pooch.get_logger().setLevel("ERROR")
    try:
        return Path(keeper.fetch(pin.name, downloader=pooch.HTTPDownloader(timeout=30)))
    except (ValueError, OSError) as error:  # An error of the connection is an OSError, a wrong hash a ValueError.
        raise DownloadFailed(_advice(pin, url, folder, error)) from None


def _advice(pin: Pinned, url: str, folder: Path, error: Exception) -> str:
    wrong = "hash" in str(error).lower()
    what = "is not the file that is pinned (its SHA-256 is another)" if wrong else f"cannot be fetched: {_short(error)}"
    return (
        f"{url} {what}.\nNothing was changed. Next: try again with a connection; or name a mirror that has "
        f"{pin.name}, with --mirror URL or {VARIABLE}; or put the file there yourself: {folder / pin.name}"
    )


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
