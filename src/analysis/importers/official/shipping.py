"""`analysis record`: the official record as the project ships it, made again from summaries, trees and collections."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from analysis.core.contents import sha256_of, write_whole
from analysis.core.paths import DATA
from analysis.data import descriptor, dictionary
from analysis.data.descriptor import Part
from analysis.importers.official import writer
from analysis.importers.official.intake import import_results


def make(
    paths: Iterable[Path], *, folder: Path = DATA, check: bool = False, workers: int | None = None,
    say: Callable[[str], None] = print,
) -> int:  # fmt: skip
    """Import `paths` into the parts of the record that datapackage.json describes; returns the exit status.

    Each round that the paths hold becomes its file in data/official/, rows in order of id, the same bytes from the same
    inputs; the descriptor follows. With `check` nothing is written: the status is 1 where a file would be another.
    Says which input is not one of those that the descriptor names, and which rounds it describes no part for.
    Raises ImportFailed, DescriptorError, OutputError.
    """
    import pyarrow.parquet as pq

    paths = list(paths)
    parts = {part.round: part for part in descriptor.read_tables(folder)["results"].parts}
    for line in _unknown(paths, parts.values()):
        say(line)
    different = 0
    with tempfile.TemporaryDirectory(prefix="analysis-record-") as scratch:
        rows, made = Path(scratch, "rows.parquet"), Path(scratch, "rounds")
        import_results(paths, rows, workers=workers, say=say)
        for round in writer.parted(rows, made, "{round}.parquet"):
            if round not in parts:
                say(f"left out  {round}: {descriptor.FILE} describes no part of this round")
                continue
            content, place = (made / f"{round}.parquet").read_bytes(), folder / parts[round].path
            same = place.is_file() and place.read_bytes() == content
            different += not same
            if not (same or check):
                write_whole(place, content)
            word = "the same  " if same else "differs   " if check else "written   "
            say(f"{word}{parts[round].path}: {pq.read_metadata(made / f'{round}.parquet').num_rows:,} rows")
    if not check:
        dictionary.describe(folder)
    return int(check and different > 0)


def _unknown(paths: Iterable[Path], parts: Iterable[Part]) -> list[str]:
    """A line for each file that is none of those that the parts were made from; of a folder only its rows can tell."""
    known = {source["sha256"] for part in parts for source in part.sources}
    return [
        f"unknown   {path}: its SHA-256 is none of those that {descriptor.FILE} names"
        for path in paths
        if path.is_file() and sha256_of(path) not in known
    ]
