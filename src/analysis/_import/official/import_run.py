"""`analysis import`: brings summaries and folders together, writes rows and tells what was excluded."""

from __future__ import annotations

import os
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from analysis._core.agreement import AGREES, POWER_AGREES
from analysis._core.refusal import Failed
from analysis._core.vocabulary import SCENARIOS
from analysis._import.official import UNPACKED_GB, accelerator_names, duplicates, evidence, shape, unknown_names, writer
from analysis._import.official.entry import EntryError
from analysis._import.official.inputs import Sources, Task
from analysis._import.official.shape import Row
from analysis._import.official.tree import Problem
from analysis._tables import rules

Say = Callable[[str], None]
BATCH = 32  # tasks that a process takes at a time: those of one submitter share descriptions and configurations
ALONE = 16  # runs below which starting processes costs more than it gives


class ImportFailed(Failed):
    """Nothing can be imported, and nothing was written; the text says why."""


@dataclass
class Outcome:
    """What became of an import.

    `repeated` counts rows that stood again, the same; `recomputed` those with a figure or power from logs, and
    `differing` tells which of these are not as published.
    """

    rows: int = 0
    repeated: int = 0
    problems: list[Problem] = field(default_factory=list)
    recomputed: int = 0
    differing: list[str] = field(default_factory=list)

    @property
    def status(self) -> int:
        """The exit status: 1 if anything was left out."""
        return 1 if self.problems else 0


def import_results(
    paths: Iterable[Path], out: Path, *, round: str = "", origin: str = "", workers: int | None = None,
    unpacked_gb: float = UNPACKED_GB, say: Say = print,
) -> Outcome:  # fmt: skip
    """Import summaries, trees and archives into `out` and tell what was excluded.

    A summary and a tree of one round together give rows with what was published and what its logs say.
    `origin` says what rows are whose summary links to no repository of the record; an archive may unpack to
    `unpacked_gb` gigabytes. Runs are read by `workers` processes (default: one for each processor). Raises ImportFailed
    where nothing can be read and OutputError for a wrong `out`, which is then untouched.
    """
    paths = list(paths)
    outcome, out = Outcome(), writer.checked(out, paths)
    with tempfile.TemporaryDirectory(prefix="analysis-import-") as scratch:
        sources = Sources(paths, round, Path(scratch), outcome.problems.append, origin, unpacked_gb)
        made = list(_worked(list(sources.tasks()), workers or os.cpu_count() or 1))
    rows = _sound(made, outcome)
    if not rows:
        raise ImportFailed(shape.legible("\n".join(["nothing to import:", *map(str, outcome.problems)])))
    duplicates.mark(rows)
    writer.write(rows, out)
    outcome.rows = len(rows)
    _compare(rows, outcome)
    unlisted = [each.row for each in made if isinstance(each, Made) and each.row["scenario"] not in SCENARIOS]
    for line in _lines(rows, [*rows, *unlisted], outcome, out):
        say(shape.legible(line))
    return outcome


class Made(NamedTuple):
    """A row, and the place that it is made from."""

    place: str
    row: Row


def work(tasks: list[Task]) -> list[Made | Problem]:
    """The row of each task, or why there is none: whatever is in a file costs that file's row only."""
    return [_row(task) for task in tasks]


def _row(task: Task) -> Made | Problem:
    try:
        return Made(task.place, evidence.row(task.run, task.entry, task.facts))
    except EntryError as error:
        return Problem(task.place, str(error))
    except (OSError, ValueError, ArithmeticError, RecursionError) as error:
        return Problem(task.place, f"{type(error).__name__}: {error}")


def _worked(tasks: list[Task], workers: int) -> Iterator[Made | Problem]:
    """`work` of all tasks, in their order, on processes, or where few have a run to read right here."""
    batches = [tasks[start : start + BATCH] for start in range(0, len(tasks), BATCH)]
    if workers == 1 or sum(task.run is not None for task in tasks) < ALONE:
        yield from work(tasks)
    else:
        # A handler of SIGTERM that raises would keep a process from being ended.
        with ProcessPoolExecutor(workers, initializer=signal.signal, initargs=(signal.SIGTERM, signal.SIG_DFL)) as pool:
            try:
                yield from chain.from_iterable(pool.map(work, batches))
            except BrokenExecutor:
                reason = "a worker process was killed, perhaps for want of memory; try again, with fewer --jobs"
                raise ImportFailed(reason) from None


def _sound(made: Iterable[Made | Problem], outcome: Outcome) -> list[Row]:
    """The rows that hold to the table's description, each key once; the others become problems of the outcome."""
    columns = rules.checks(writer.fields())
    kept: dict[str, Made] = {}
    for each in made:
        if isinstance(each, Problem):
            outcome.problems.append(each)
            continue
        place, row = each
        if reason := row.pop("excluded", ""):
            outcome.problems.append(Problem(place, reason))
        faults, first = rules.row_faults(row, columns), kept.get(row["id"])
        if first and first.row != row:
            faults.append(f"the key {row['id']!r} stands twice, first in {first.place}")
        if faults:
            result = f"result {row['result_id']}: " if row["result_id"] else ""
            outcome.problems.append(Problem(place, result + "; ".join(faults)))
        elif first:
            outcome.repeated += 1
        else:
            kept[row["id"]] = each
    return [row for _, row in kept.values()]


def _compare(rows: Iterable[Row], outcome: Outcome) -> None:
    """Count in the outcome what was recomputed, and name what differs from what is published."""
    limits = {"recomputed_difference": AGREES, "recomputed_power_difference": POWER_AGREES}
    for row in rows:
        differences = [abs(row[name]) / most for name, most in limits.items() if row.get(name) is not None]
        outcome.recomputed += bool(differences)
        if max(differences, default=0) > 1:
            outcome.differing.append(f"{row['id']}: {row['note']}")


def _lines(rows: Sequence[Row], met: Sequence[Row], outcome: Outcome, out: Path) -> Iterator[str]:
    """What is reported of an import, how many rows there are last; `met` are all rows whose names may be unknown."""
    yield from (f"left out  {problem}" for problem in outcome.problems)
    yield from (f"differs   {line}" for line in outcome.differing)
    names = Counter(row["accelerator_as_published"] for row in rows)
    for name in sorted(filter(accelerator_names.is_no_part, names)):
        yield f"unnamed   accelerator {name!r} in {names[name]} rows: kept as it is, the name of no part"
    yield from unknown_names.lines(met)
    corrected = sum(bool(row.get("corrected")) for row in rows)
    counts = {
        f"{corrected} with a unit corrected": corrected,
        f"{outcome.recomputed} recomputed from logs, {len(outcome.differing)} differ": outcome.recomputed,
        f"{outcome.repeated:,} that stood again, the same": outcome.repeated,
        f"{len(outcome.problems)} left out": outcome.problems,
    }
    yield "; ".join([f"{len(rows):,} rows in {out}", *(words for words, count in counts.items() if count)])
