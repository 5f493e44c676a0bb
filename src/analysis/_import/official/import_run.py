"""`analysis import`: tells what each path is, brings summaries and folders together, writes rows and tells the rest."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from analysis._core.agreement import AGREES, POWER_AGREES
from analysis._core.vocabulary import SCENARIOS
from analysis._import.official import (
    UNPACKED_GB,
    UNPACKED_TIMES,
    accelerator_names,
    archive,
    duplicates,
    evidence,
    inputs,
    shape,
    writer,
)
from analysis._import.official.inputs import Sources, Task
from analysis._import.official.shape import Row
from analysis._import.official.tree import Problem
from analysis._import.official.unknown_names import Unknown
from analysis._import.official.workers import spread
from analysis._tables import rules

Say = Callable[[str], None]


class ImportFailed(ValueError):
    """Nothing was written; the text says why."""


@dataclass
class Outcome:
    """What became of an import.

    `repeated` counts rows that their source files twice; `unknown` counts rows by names that no table has, `unnamed` by
    accelerator strings that are known to name no part. `unprintable` counts rows whose texts held characters that are
    no text.
    """

    rows: int = 0
    repeated: int = 0
    problems: list[Problem] = field(default_factory=list)
    unknown: Unknown = field(default_factory=Unknown)
    unnamed: Counter[str] = field(default_factory=Counter)
    unprintable: int = 0
    corrected: int = 0
    recomputed: int = 0
    differing: list[str] = field(default_factory=list)

    @property
    def status(self) -> int:
        """The exit status: 1 if anything was left out."""
        return 1 if self.problems else 0


def import_results(
    paths: Iterable[Path], out: Path, *, round: str = "", origin: str = "", workers: int | None = None,
    scheduler: str = "", unpacked_gb: int = UNPACKED_GB, unpacked_times: int = UNPACKED_TIMES, say: Say = print,
) -> Outcome:  # fmt: skip
    """Import summaries, trees and archives into `out` and tell what was excluded.

    A summary and a tree of one round together give rows with what was published and what its logs say.
    `origin` says what rows are whose summary links to no repository of the record; archives may unpack to `unpacked_gb`
    gigabytes together, each to `unpacked_times` its size. Raises ImportFailed where nothing can be read, OutputError
    for a wrong `out`, ClusterError; `out` is then untouched.
    """
    paths = list(paths)
    outcome, out, limit = Outcome(), writer.checked(out, paths), archive.Limit(unpacked_gb * 10**9, unpacked_times)
    with tempfile.TemporaryDirectory(prefix="analysis-import-") as scratch:
        sources = Sources(paths, round, Path(scratch), outcome.problems.append, origin, limit)
        work = partial(_rows_of, parallel=bool(sources.trees), workers=workers, scheduler=scheduler)
        rows = _counted(duplicates.marked(_sound(work(sources.tasks()), outcome)), outcome)
        first = next(rows, None)
        if first is None:
            raise ImportFailed(shape.legible("\n".join(["nothing to import:", *map(str, outcome.problems)])))
        outcome.rows, outcome.repeated = writer.write(_chained(first, rows), out), sources.repeated
    _tell(outcome, out, lambda line: say(shape.legible(line)))
    return outcome


class Made(NamedTuple):
    """A row, and the place that it is made from."""

    place: str
    row: Row


def work(task: Task) -> Made | Problem:
    """The row of one task, or why there is none: whatever is in a file costs that file's row only."""
    try:
        return Made(task.place, evidence.row(task.run, task.entry, task.facts))
    except evidence.FAULTS as error:
        return Problem(task.place, str(error))
    except (OSError, ValueError, ArithmeticError, RecursionError) as error:
        return Problem(task.place, f"{type(error).__name__}: {error}")


def _rows_of(tasks: Iterable[Task], *, parallel: bool, workers: int | None, scheduler: str) -> Iterator[Made | Problem]:
    # A published row alone takes less time to shape than to send to another process.
    if not parallel and not scheduler:
        return map(work, tasks)
    return spread(work, tasks, workers=workers, scheduler=scheduler, kind=inputs.submitted)


def _sound(shaped: Iterable[Made | Problem], outcome: Outcome) -> Iterator[Row]:
    """The rows that hold to the table's description, each key once; the others are reported."""
    columns = rules.checks(writer.fields())
    places: dict[str, str] = {}
    for made in shaped:
        if isinstance(made, Problem):
            outcome.problems.append(made)
            continue
        place, row = made
        outcome.unprintable += row.pop("unprintable", 0) > 0
        if reason := row.pop("left_out", ""):
            outcome.problems.append(Problem(place, reason))
        faults = rules.row_faults(row, columns)
        if row["scenario"] not in SCENARIOS:  # left out, and one import is to name all that is to be added
            outcome.unknown.note(row)
        if row["id"] in places:
            faults.append(f"the key {row['id']!r} stands twice, first in {places[row['id']]}")
        if faults:
            result = f"result {row['result_id']}: " if row["result_id"] else ""
            outcome.problems.append(Problem(place, result + "; ".join(faults)))
            continue
        places[row["id"]] = place
        yield row


def _counted(rows: Iterable[Row], outcome: Outcome) -> Iterator[Row]:
    for row in rows:
        outcome.unknown.note(row)
        if accelerator_names.is_no_part(name := row["accelerator_as_published"]):
            outcome.unnamed[name] += 1
        outcome.corrected += bool(row.get("corrected"))
        limits = {"recomputed_difference": AGREES, "recomputed_power_difference": POWER_AGREES}
        differences = {name: abs(row[name]) for name in limits if row.get(name) is not None}
        outcome.recomputed += bool(differences)
        if any(difference > limits[name] for name, difference in differences.items()):
            outcome.differing.append(f"{row['id']}: {row['note']}")
        yield row


def _chained(first: Row, rows: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rows


def _tell(outcome: Outcome, out: Path, say: Say) -> None:
    for problem in outcome.problems:
        say(f"left out  {problem}")
    for line in outcome.differing:
        say(f"differs   {line}")
    for name, count in sorted(outcome.unnamed.items()):
        say(f"unnamed   accelerator {name!r} in {count} rows: kept as it is, the name of no part")
    if outcome.unprintable:
        say(f"cleaned   texts of {outcome.unprintable} rows: control characters and the like are left out of them")
    parts = [f"{outcome.corrected} with a unit put right"] * bool(outcome.corrected)
    parts += [f"{outcome.recomputed} recomputed from logs, {len(outcome.differing)} differ"] * bool(outcome.recomputed)
    parts += [f"{outcome.repeated:,} that stood again, the same"] * bool(outcome.repeated)
    parts += [f"{len(outcome.problems)} left out"] * bool(outcome.problems)
    for line in outcome.unknown.lines():
        say(line)
    say("; ".join([f"{outcome.rows:,} rows in {out}", *parts]))
