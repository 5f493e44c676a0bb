"""`analysis record`: the official record as the project ships it, made again from summaries, trees and collections."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from analysis._core.file_contents import sha256_of, write_whole
from analysis._core.paths import DATA
from analysis._import.official import writer
from analysis._import.official.import_run import import_results
from analysis._tables import descriptor, dictionary
from analysis._tables.descriptor import Part

FOUND = {  # columns that every row has, or that logs and configurations fill, and rows that have them in words
    "id": "than are shipped",
    "recomputed": "computed from logs",
    "tpot_p99_ms": "with token latencies",
    "precision": "with a precision",
    "power_limit_watts": "with a power limit",
}


def make(
    paths: Iterable[Path], *, folder: Path = DATA, check: bool = False, fewer: bool = False,
    workers: int | None = None, say: Callable[[str], None] = print,
) -> int:  # fmt: skip
    """Import `paths` into the parts of the record that datapackage.json describes; returns the exit status.

    Each round that the paths hold becomes its file in data/official/, rows in order of id, the same bytes from the same
    inputs; the descriptor follows. Where a round has fewer rows than are shipped, or fewer of them have one of FOUND,
    nothing of any round is written and the status is 1, unless `fewer` says that it may: a part of the inputs, or a run
    that was left out, must not cost what is shipped. With `check` nothing is written: the status is 1 where a
    file would be another. Says which input is not one of those that the descriptor names, and which rounds it describes
    no part for. Raises ImportFailed, DescriptorError, OutputError.
    """
    paths = list(paths)
    parts = {part.round: part for part in descriptor.read_tables(folder)["results"].parts}
    for line in _unknown(paths, parts.values()):
        say(line)
    made: list[tuple[Part, dict[str, int], bytes]] = []
    with tempfile.TemporaryDirectory(prefix="analysis-record-") as scratch:
        rows, rounds = Path(scratch, "rows.parquet"), Path(scratch, "rounds")
        import_results(paths, rows, workers=workers, say=say)
        for round in writer.parted(rows, rounds, "{round}.parquet"):
            if round not in parts:
                say(f"left out  {round}: {descriptor.FILE} describes no part of this round")
                continue
            file = rounds / f"{round}.parquet"
            made.append((parts[round], _counts(file), file.read_bytes()))
    lost = [_lost(_shipped(folder, part), counts) for part, counts, _ in made]
    refused = any(lost) and not (check or fewer)
    different = 0
    for (part, counts, content), less in zip(made, lost, strict=True):
        place = folder / part.path
        unchanged = place.is_file() and place.read_bytes() == content
        different += not unchanged
        if not (unchanged or check or refused):
            write_whole(place, content)
        word = "the same  " if unchanged else "differs   " if check or refused else "written   "
        say(f"{word}{part.path}: {counts['id']:,} rows{less}")
    if refused:
        say("nothing is written: give all files that data/README.md names of a round, or --fewer to ship less")
        return 1
    if not check:
        dictionary.describe(folder)
    return int(check and different > 0)


def _counts(file: Path) -> dict[str, int]:
    """How many rows of a part have each of FOUND."""
    import pyarrow.parquet as pq

    rows = pq.read_table(file, columns=list(FOUND)).to_pandas()
    return (rows.notna() & rows.ne("")).sum().to_dict()


def _shipped(folder: Path, part: Part) -> dict[str, int]:
    """The counts of a part that is there as it is described; of another the rows that are described."""
    place = folder / part.path
    return _counts(place) if place.is_file() and sha256_of(place) == part.hash else {"id": part.rows}


def _lost(shipped: dict[str, int], made: dict[str, int]) -> str:
    """In words how much less is made than is shipped; "" where nothing is lost."""
    less = {FOUND[name]: count - made[name] for name, count in shipped.items()}
    return "".join(f", {count:,} fewer {words}" for words, count in less.items() if count > 0)


def _unknown(paths: Iterable[Path], parts: Iterable[Part]) -> list[str]:
    """A line for each file that is none of those that the parts were made from; of a folder only its rows can tell."""
    named_hashes = {source.get("sha256") for part in parts for source in part.sources}
    return [
        f"unknown   {path}: its SHA-256 is none of those that {descriptor.FILE} names"
        for path in paths
        if path.is_file() and sha256_of(path) not in named_hashes
    ]
