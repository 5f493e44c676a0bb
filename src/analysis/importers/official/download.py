"""`make data`: the pinned official summaries into data/official/; how a summary is read does not belong here."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from analysis.core.paths import OFFICIAL
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


_AT = "https://raw.githubusercontent.com/mlcommons/inference_results_{}/{}/summary_results.json"
PINNED = (
    Pinned(
        "v4.1",
        _AT.format("v4.1", "8dbb0b41a252686dc14793abd612f18ac47cb445"),
        "8ec7a5b032f7d51c57de04bc04b7e9c94bdc8cd707ab4f4b84f921263e38f51a",
    ),
    Pinned("v5.1", _AT.format("v5.1", "main"), "68c19b46cf5a87f535beae81154d61c3d981fe850ae3d09af530c769b6e0cc68"),
)


def fetch(
    *,
    pinned: tuple[Pinned, ...] = PINNED,
    folder: Path = OFFICIAL,
    cache: Path | None = None,
    mirror: str = "",
    say: Callable[[str], None] = print,
    environment: Mapping[str, str] = os.environ,
) -> int:
    """Download the pinned files and import each into `folder` as <round>.parquet; returns the exit status.

    Files are kept in the user's cache and fetched again only where their hash is wrong. `mirror` (or ANALYSIS_MIRROR)
    is a folder address that holds files of the pinned names. All are downloaded and imported before the first is put
    in place. Raises DownloadFailed; `folder` is then as it was.
    """
    mirror = mirror or environment.get(VARIABLE, "")
    files = [_downloaded(each, mirror, cache, say) for each in pinned]
    folder.mkdir(parents=True, exist_ok=True)
    status = 0
    with tempfile.TemporaryDirectory(dir=folder, prefix=".import-") as aside:
        made = []
        for each, file in zip(pinned, files, strict=True):
            made.append(Path(aside) / f"{each.round}.parquet")
            status |= _imported(file, made[-1], each.round, say)
        for file in made:
            file.replace(folder / file.name)
    say(f"data/official/ holds {', '.join(each.round for each in pinned)}; make reports uses them from now on")
    return status


def _imported(file: Path, out: Path, round: str, say: Callable[[str], None]) -> int:
    try:
        return import_results([file], out, round=round, say=say).status
    except ImportFailed as error:
        raise DownloadFailed(f"{file.name} cannot be imported: {error}") from None


def _downloaded(each: Pinned, mirror: str, cache: Path | None, say: Callable[[str], None]) -> Path:
    """The file in the cache, downloaded if it is not there. Raises DownloadFailed."""
    import pooch

    url = f"{mirror.rstrip('/')}/{each.name}" if mirror else each.url
    folder = cache or Path(pooch.os_cache(CACHE))
    keeper = pooch.create(path=folder, base_url="", registry={each.name: f"sha256:{each.sha256}"},
                          urls={each.name: url}, retry_if_failed=RETRIES)  # fmt: skip
    pooch.get_logger().setLevel("ERROR")
    try:
        return Path(keeper.fetch(each.name, downloader=pooch.HTTPDownloader(timeout=30)))
    except (ValueError, OSError) as error:  # An error of the connection is an OSError, a wrong hash a ValueError.
        raise DownloadFailed(_advice(each, url, folder, error)) from None


def _advice(each: Pinned, url: str, folder: Path, error: Exception) -> str:
    wrong = "hash" in str(error).lower()
    what = "is not the file that is pinned (its SHA-256 is another)" if wrong else f"cannot be fetched: {_short(error)}"
    return (
        f"{url} {what}.\nNothing was changed. Next: try again with a connection; or name a mirror that has "
        f"{each.name}, with --mirror URL or {VARIABLE}; or put the file there yourself: {folder / each.name}"
    )


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
