"""Import official files into a file of rows, or into data/official/ next to the shipped record."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis import tables
from analysis.names import choose
from analysis.paths import DATA, locked, replacing
from analysis.recipes.check import cell_faults
from analysis.recipes.official import record, rows, sources
from analysis.recipes.official.new_rows import add_rows

ORIGINS = ("official", "measured")
SHOWN = 20  # lines of one kind that are printed

Say = Callable[[str], None]


class ImportFailed(RuntimeError):
    """Raised when no row can be imported; nothing was written."""


def import_results(paths: Sequence[Path], *, out: Path, round: str = "", origin: str = "", say: Say = print) -> int:
    """Write the results that the paths hold to `out` (.parquet or .csv); return 1 if any was left out, else 0.

    `round` applies to results that name none, `origin` to results without proof of origin (sources.read_results).
    Raises ValueError for wrong options and ImportFailed where nothing is left.
    """
    choose(out.suffix, (".parquet", ".csv"), "file extension of --out")
    if not out.parent.is_dir() or out.is_dir() or out.resolve() in [path.resolve() for path in paths]:
        raise ValueError(f"--out {out}: expected a file in an existing folder that is not an input file")
    if out.is_file() and out.resolve().is_relative_to(DATA.resolve()):
        raise ValueError(f"--out {out}: is part of the project's data; choose a file outside {DATA}")
    with replacing(out) as beside:  # entered early, so that a concurrent save to the file is detected and not lost
        found = _imported(paths, round, origin)
        kept = _sound(found, say)
        _write(kept, out, beside)
    say(f"{len(kept):,} rows in {out}")
    return int(len(found) > len(kept))


def add_to_record(
    paths: Sequence[Path], *, round: str = "", origin: str = "", new_rows: bool = False, say: Say = print
) -> int:
    """Add the official results that the paths hold to data/official/<round>-own.parquet; return the exit status.

    With `new_rows`, rounds and accelerators that no table has get a row in data/ first.

    A result already in the shipped record is added only if its evidence is stronger; missing fields come from the
    record. Rows from earlier imports are kept unless the same result is imported again. Raises as `import_results`.
    """
    if origin == "measured":
        raise ValueError("--origin measured: data/official/ holds official results; use `analysis import --out FILE`")
    found = _imported(paths, round, origin)
    if new_rows and (added := add_rows(found)):
        for line in added:
            say(line)
        found = _imported(paths, round, origin)
    shipped = record.shipped(found["round"].unique())
    whole = {*shipped["round"][shipped["evidence"].ne("table")]}
    foreign = found["match"].isna() & found["round"].isin(whole) & (origin != "official")
    record.fail(
        found,
        foreign,
        "the shipped record of its round is complete and lacks it; if it is official, use --origin official",
    )
    sound = _sound(found, say)
    kept = record.completed(sound)
    if len(sound) > len(kept):
        say(f"{len(sound) - len(kept):,} results are already in the shipped record")
    for name, part in kept.groupby("round"):
        file = DATA / "official" / f"{name}-own.parquet"
        with locked(file.parent), replacing(file) as beside:  # another import may add to the round at the same time
            before = rows.columns(pd.read_parquet(file)) if file.is_file() else rows.columns(part.head(0))
            part = pd.concat([before[~before["id"].isin(part["id"])], rows.columns(part)], ignore_index=True)
            _write(part, file, beside)
        say(f"data/official/{file.name}: {len(part):,} rows supplement the shipped record; `make reports` uses them")
    return int(len(found) > len(sound))


def _imported(paths: Sequence[Path], round: str, origin: str) -> pd.DataFrame:
    """Return every result of the paths in the columns of the record, with `fault`, `file`, `place`, and `match`."""
    if origin:
        choose(origin, ORIGINS, "--origin")
    if round and not re.fullmatch(r"v\d{1,3}\.\d", round):
        raise ValueError(f"--round {round[:60]!r}: expected a round such as v5.1")
    found = pd.DataFrame([rows.shaped(result) for result in sources.read_results(paths, round, origin)])
    found = found.assign(**rows.columns(found))  # every column of the record, also where no result can be used
    lost, sound = found[found["fault"].ne("")], record.identified(found[found["fault"].eq("")])
    unfit = cell_faults(sound, tables.descriptor()["results"])
    sound["fault"] = unfit.reindex(sound.index).fillna("")
    return pd.concat([record.held_against(sound), lost]).sort_index()


def _sound(found: pd.DataFrame, say: Say) -> pd.DataFrame:
    """Return the rows without a fault, and report those with one, unlike their log, or with names unknown to data/.

    Raises ImportFailed where none is left.
    """
    lost, kept = found[found["fault"].ne("")], found[found["fault"].eq("")]
    left_out = []
    for (file, fault), places in lost.groupby(["file", "fault"], sort=False)["place"]:
        more = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
        place = f"{places.iloc[0]}{more}: " if places.iloc[0] else ""
        left_out.append(f"{file}: {place}{fault}")
    differences = kept[["recomputed_difference", "recomputed_power_difference"]].abs()
    off = differences.gt([rows.AGREES, rows.POWER_AGREES]).any(axis=1)
    notes = kept["id"] + ": " + kept["note"]
    for kind, lines in {"left out": left_out, "differs": notes[off], "doubtful": notes[kept["doubted"]]}.items():
        for line in lines[:SHOWN]:
            say(f"{kind}  {line}")
        if len(lines) > SHOWN:
            say(f"{kind}  {len(lines) - SHOWN:,} more")
    unknown = {
        "accelerators.csv and data/accelerator_aliases.csv": kept["accelerator_as_published"][~kept["is_known"]],
        "benchmarks.csv": kept["benchmark"][~kept["benchmark"].isin(tables.benchmarks["benchmark"])],
        "rounds.csv": kept["round"][~kept["round"].isin(tables.rounds["round"])],
    }
    for table, names in unknown.items():
        for name, times in names.value_counts().items():
            how = "" if table == "benchmarks.csv" else ", by hand or with --new-rows"
            say(f"unknown  {name!r} in {times:,} rows: add it to data/{table}{how} (docs/new_round.md)")
    if kept.empty:
        raise ImportFailed("nothing to import")
    return kept


def _write(found: pd.DataFrame, out: Path, beside: Path) -> None:
    """Write the rows in order of id to `beside`, in the format of the extension of `out`."""
    frame = rows.columns(found).sort_values("id")
    if out.suffix == ".csv":
        return frame.to_csv(beside, index=False)
    # Without pandas' metadata, integers are read as in the shipped files: int64, or float64 with NaN.
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    pq.write_table(table, beside, compression="zstd")
