"""`analysis import`: tells what each path is, brings summaries and folders together, writes rows and tells the rest."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from analysis.importers import archive, duplicates, evidence, power_rows, shape, streams, summary, tree, units, writer
from analysis.importers.entry import Entry, EntryError
from analysis.importers.shape import Row
from analysis.importers.spread import spread
from analysis.importers.tree import Problem, Run

Say = Callable[[str], None]
SUMMARIES = ("summary_results.json", "summary.json")
SHOWN = 20


class ImportFailed(ValueError):
    """Nothing was written; the text says why."""


class Task(NamedTuple):
    """One result: as published, as a run folder, or both."""

    place: str
    entry: Entry | None
    run: Run | None


@dataclass
class Outcome:
    """What became of an import.

    `unknown` counts rows by accelerator strings that have no alias, `uncompared` by benchmarks that data/benchmarks.csv
    does not have: no report asks for these.
    """

    rows: int = 0
    problems: list[Problem] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    uncompared: Counter[str] = field(default_factory=Counter)
    corrected: int = 0
    recomputed: int = 0
    differing: list[str] = field(default_factory=list)

    @property
    def status(self) -> int:
        """The exit status: 1 if anything was left out."""
        return 1 if self.problems else 0


def import_results(
    paths: Iterable[Path], out: Path, *, round: str = "", workers: int | None = None, scheduler: str = "",
    say: Say = print,
) -> Outcome:  # fmt: skip
    """Import summaries, trees and archives into `out` and tell what was left out.

    A summary and a tree of one round together give rows with what was published and what its logs say. Raises
    ImportFailed where nothing can be read, OutputError for a wrong `out`, SchedulerError; `out` is then untouched.
    """
    outcome, out = Outcome(), writer.checked(out)
    with tempfile.TemporaryDirectory(prefix="analysis-import-") as scratch:
        sources = _Sources(list(paths), round, Path(scratch), outcome)
        work = partial(_rows_of, parallel=sources.has_trees, workers=workers, scheduler=scheduler)
        rows = _counted(duplicates.marked(_sound(work(sources.tasks()), outcome)), outcome)
        first = next(rows, None)
        if first is None:
            raise ImportFailed(shape.legible("\n".join(["nothing to import:", *map(str, outcome.problems[:SHOWN])])))
        outcome.rows = writer.write(_chained(first, rows), out)
    _tell(outcome, out, lambda line: say(shape.legible(line)))
    return outcome


class _Sources:
    """The summaries and trees behind the given paths, and the tasks that they make together."""

    def __init__(self, paths: list[Path], round: str, scratch: Path, outcome: Outcome) -> None:
        self.round, self.outcome = round, outcome
        self.summaries: list[Path] = []
        self.trees: list[Path] = []
        for number, path in enumerate(paths):
            self.add(path, scratch / str(number) / path.name.partition(".tar")[0].removesuffix(".zip"))
        self.has_trees = bool(self.trees)

    def add(self, path: Path, unpacked: Path) -> None:
        if path.is_dir():
            self.trees.append(path)
            self.summaries += [path / name for name in SUMMARIES if (path / name).is_file()]
        elif not path.exists():
            self.problem(path, "there is no such file or folder")
        elif archive.is_archive(path):
            try:
                unpacked.mkdir(parents=True)
                self.outcome.problems += archive.unpack(path, unpacked)
                self.add(unpacked, unpacked)
            except archive.ArchiveError as error:
                self.problem(path, str(error))
        else:
            self.summaries.append(path)

    def tasks(self) -> Iterator[Task]:
        """One task per result. Where there is a summary the runs are indexed by their folder; else they stream."""
        if not self.summaries:
            yield from (Task(str(run.folder), None, run) for run in self.runs())
            return
        index = {(run.round, run.location.lower()): run for run in self.runs()}
        for path in self.summaries:
            yield from self.published(path, index)
        yield from (Task(str(run.folder), None, run) for run in index.values())

    def runs(self) -> Iterator[Run]:
        for start in self.trees:
            for found in tree.walk(start, self.round):
                if isinstance(found, Run):
                    yield found
                else:
                    self.outcome.problems.append(found)

    def published(self, path: Path, index: dict[tuple[str, str], Run]) -> Iterator[Task]:
        round = self.round or tree.round_of(path)
        try:
            for number, raw in power_rows.joined(streams.rows(path)):
                if isinstance(raw, streams.Skipped):
                    self.problem(path, f"row {number} {raw.reason}")
                    continue
                try:
                    entry = summary.entry(raw, round)
                except EntryError as error:
                    self.problem(path, f"row {number} {error}")
                    continue
                place = str(entry.location).lower()
                run = index.pop((entry.round, place), None) or index.pop(("", place), None)
                yield Task(f"{path}: row {number}", entry, run)
        except streams.StreamError as error:
            self.problem(path, str(error))

    def problem(self, path: Path, reason: str) -> None:
        self.outcome.problems.append(Problem(str(path), reason))


def work(task: Task) -> Row | Problem:
    """The row of one task, or why there is none: whatever is in a file costs that file's row only."""
    try:
        if task.run:
            return evidence.row(task.run, task.entry)
        return shape.row(task.entry)
    except evidence.FAULTS as error:
        return Problem(task.place, str(error))
    except (OSError, ValueError, ArithmeticError, RecursionError) as error:
        return Problem(task.place, f"{type(error).__name__}: {error}")


def _rows_of(tasks: Iterable[Task], *, parallel: bool, workers: int | None, scheduler: str) -> Iterator[Row | Problem]:
    # A published row alone takes less time to shape than to send to another process.
    return spread(work, tasks, workers=workers, scheduler=scheduler) if parallel or scheduler else map(work, tasks)


def _sound(found: Iterable[Row | Problem], outcome: Outcome) -> Iterator[Row]:
    """The rows that hold to the table's description, each key once; the others are told."""
    columns = [column for column in writer.fields() if "constraints" in column]
    seen: set[str] = set()
    for row in found:
        if isinstance(row, Problem):
            outcome.problems.append(row)
            continue
        if part := row.pop("left_out", ""):
            outcome.problems.append(Problem(shape.where(row), part))
        faults = writer.faults(row, columns)
        if row["id"] in seen:
            faults.append(f"the key {row['id']!r} stands twice")
        if faults:
            outcome.problems.append(Problem(shape.where(row), "; ".join(faults)))
            continue
        seen.add(row["id"])
        yield row


def _counted(rows: Iterable[Row], outcome: Outcome) -> Iterator[Row]:
    for row in rows:
        if "data/accelerator_aliases.csv" in row["note"]:
            outcome.unknown[row["accelerator_as_published"]] += 1
        if row["benchmark"] not in units.counted():
            outcome.uncompared[row["benchmark"]] += 1
        outcome.corrected += bool(row.get("corrected"))
        limits = {"recomputed_difference": evidence.AGREES, "recomputed_power_difference": evidence.POWER_AGREES}
        found = {name: abs(row[name]) for name in limits if row.get(name) is not None}
        outcome.recomputed += bool(found)
        if any(each > limits[name] for name, each in found.items()):
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
    for name, count in sorted(outcome.unknown.items()):
        say(f"unknown   accelerator {name!r} in {count} rows: kept as it is, data/accelerator_aliases.csv lacks it")
    for name, count in sorted(outcome.uncompared.items()):
        say(f"unknown   benchmark {name!r} in {count} rows: no report compares it, data/benchmarks.csv lacks it")
    parts = [f"{outcome.corrected} with a unit put right"] * bool(outcome.corrected)
    parts += [f"{outcome.recomputed} recomputed from logs, {len(outcome.differing)} differ"] * bool(outcome.recomputed)
    parts += [f"{len(outcome.problems)} left out"] * bool(outcome.problems)
    say("; ".join([f"{outcome.rows:,} rows in {out}", *parts]))
