"""`make data`: rounds that the project does not ship, from a summary, a clone or the network, into data/official/."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from analysis._core.file_contents import sha256_of
from analysis._core.paths import DATA, OFFICIAL
from analysis._core.refusal import Failed
from analysis._import.official import writer
from analysis._import.official.import_run import ImportFailed, import_results

IMPORTED = "{round}_imported.parquet"  # beside the record that is shipped, and ignored by git
CACHE = "mlperf-inference-analysis"  # folder within the user's cache folder
RETRIES = 3
VARIABLE = "ANALYSIS_MIRROR"


class DownloadFailed(Failed):
    """A file could not be had whole; the text says which, why, and what to do. Nothing was changed."""


@dataclass(frozen=True)
class Pinned:
    """One official file: where it is published, and the SHA-256 that it must have; "" where that is not known."""

    round: str
    url: str
    sha256: str

    @property
    def name(self) -> str:
        """The file's name in the cache and on a mirror."""
        return f"{self.round}_summary_results.json"


def pinned_files(folder: Path = DATA) -> tuple[Pinned, ...]:
    """The summary files that rounds.csv names of rounds that are not shipped, oldest first. Raises TableError."""
    from analysis._tables.catalog import Catalog

    catalog = Catalog(folder)
    shipped = {part.round for part in catalog.tables["results"].parts}
    rounds = catalog.rounds[~catalog.rounds["round"].isin(shipped)]
    rows = rounds.loc[rounds["summary_url"].ne(""), ["round", "summary_url", "summary_sha256"]]
    return tuple(Pinned(*row) for row in rows.itertuples(index=False))


def fetch(
    *,
    pinned: tuple[Pinned, ...] | None = None,
    folder: Path = OFFICIAL,
    cache: Path | None = None,
    mirror: str = "",
    say: Callable[[str], None] = print,
) -> int:
    """Download summaries and import them into `folder` as <round>_imported.parquet; returns the exit status.

    By default these are the files that rounds.csv names of rounds that are not shipped. They are kept in the user's
    cache and fetched again where their hash is wrong, or not known beforehand. `mirror` (or ANALYSIS_MIRROR) is a
    folder address that holds files of the pinned names. All are downloaded and imported before the first is put in
    place; one that is not pinned may be lacking, which is said. Raises DownloadFailed; `folder` is then as it was.
    """
    mirror = mirror or os.environ.get(VARIABLE, "")
    pinned = pinned_files() if pinned is None else pinned
    files, failed = [], []
    for pin in pinned:
        try:
            files.append(([_downloaded(pin, mirror, cache, say)], pin.round))
        except DownloadFailed as error:
            if pin.sha256 or len(failed) + 1 == len(pinned):  # A file that is not pinned may not be published yet.
                raise
            failed.append(str(error))
    try:
        status = _placed(files, folder, say)
    except ImportFailed as error:
        raise DownloadFailed(f"what was downloaded cannot be imported: {error}") from None
    for line in failed:
        say(line)
    return status or int(bool(failed))


def bring(paths: Iterable[Path], *, folder: Path = OFFICIAL, say: Callable[[str], None] = print) -> int:
    """Import summaries, clones and archives into `folder`, each round as <round>_imported.parquet; the exit status.

    Raises ImportFailed; `folder` is then as it was.
    """
    return _placed([(list(paths), "")], folder, say)


def _placed(imports: Iterable[tuple[list[Path], str]], folder: Path, say: Callable[[str], None]) -> int:
    """Import files, of a round where that is known, and put the rounds that they hold in place together."""
    folder.mkdir(parents=True, exist_ok=True)
    status, rounds = 0, []
    with tempfile.TemporaryDirectory(dir=folder, prefix=".import-") as aside:
        for number, (files, round) in enumerate(imports):
            rows = Path(aside, f"{number}.parquet")
            status |= import_results(files, rows, round=round, origin="official" if round else "", say=say).status
            rounds += writer.parted(rows, Path(aside, "rounds"), IMPORTED)
        for file in Path(aside).glob("rounds/*"):
            file.replace(folder / file.name)
    used = f"data/official/ has {', '.join(rounds)} beside what is shipped; make reports uses them from now on"
    say(used if rounds else "nothing to fetch: data/rounds.csv names no summary of a round that is not shipped")
    return status


def _downloaded(pin: Pinned, mirror: str, cache: Path | None, say: Callable[[str], None]) -> Path:
    """The file in the cache, downloaded if it is not there. Raises DownloadFailed."""
    import pooch

    url = f"{mirror.rstrip('/')}/{pin.name}" if mirror else pin.url
    folder = cache or Path(pooch.os_cache(CACHE))
    pinned_hash = f"sha256:{pin.sha256}" if pin.sha256 else None
    if not pinned_hash:  # Of what is not pinned the newest counts, and no copy from before.
        (folder / pin.name).unlink(missing_ok=True)
    keeper = pooch.create(path=folder, base_url="", registry={pin.name: pinned_hash},
                          urls={pin.name: url}, retry_if_failed=RETRIES)  # fmt: skip
    pooch.get_logger().setLevel("ERROR")
    try:
        file = Path(keeper.fetch(pin.name, downloader=pooch.HTTPDownloader(timeout=30)))
    except (ValueError, OSError) as error:  # An error of the connection is an OSError, a wrong hash a ValueError.
        raise DownloadFailed(_advice(pin, url, folder, error)) from None
    if not pinned_hash:
        say(f"not pinned {url}: SHA-256 {sha256_of(file)}")
    return file


def _advice(pin: Pinned, url: str, folder: Path, error: Exception) -> str:
    wrong = "hash" in str(error).lower()
    another = "is not the file that is pinned (its SHA-256 is another)"
    fault = another if wrong else f"cannot be fetched: {_short(error)}"
    return (
        f"{url} {fault}.\nNothing was changed. Next: try again with a connection; or name a mirror that has "
        f"{pin.name}, with --mirror URL or {VARIABLE}; or name a summary or a clone that you have: analysis data PATH"
    )


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
