"""What the paths of an import are (summaries, trees, archives), and the results that they hold together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from analysis.importers.official import archive, power_rows, streams, summaries, tree
from analysis.importers.official.entry import Entry, EntryError
from analysis.importers.official.tree import Problem, Run

SUMMARIES = ("summary_results.json", "summary.json")
EXPECTED = f"expected {tree.RUN}/performance/run_1, or a clone's {' or '.join(SUMMARIES)}"


class Task(NamedTuple):
    """One result: as published, as a run folder, or both; `place` is where that is, in words."""

    place: str
    entry: Entry | None
    run: Run | None

    def __str__(self) -> str:
        return self.place


class Sources:
    """The summaries and trees behind the given paths, each once, and the tasks that they make together.

    What cannot be read is given to `leave_out`. Archives are unpacked below `scratch`; a place in one is named by it.
    """

    def __init__(self, paths: list[Path], round: str, scratch: Path, leave_out: Callable[[Problem], None]) -> None:
        self.round, self.leave_out = round, leave_out
        self.summaries: list[Path] = []
        self.trees: list[Path] = []
        self._known: set[str] = set()
        self._unpacked: dict[Path, Path] = {}  # folder -> the archive that it is from
        for number, path in enumerate(paths):
            if path.is_dir():
                self._folder(tree.begin(path))
            elif self._first(path):
                self._file(path, scratch / str(number) / path.name.partition(".tar")[0].removesuffix(".zip"))

    def tasks(self) -> Iterator[Task]:
        """One task per result. Where there is a summary the runs are indexed by their folder; else they stream."""
        if not self.summaries:
            yield from (Task(self._named(run.folder), None, run) for run in self._runs())
            return
        index: dict[tuple[str, str], Run] = {}
        for run in self._runs():
            first = index.setdefault((run.round, run.location.lower()), run)
            if first is not run:
                self._problem(run.folder, f"the same run is already read as {self._named(first.folder)}")
        for path in self.summaries:
            yield from self._published(path, index)
        yield from (Task(self._named(run.folder), None, run) for run in index.values())

    def _first(self, path: Path) -> bool:
        """Whether a path has not been met, by whatever name."""
        real = os.path.realpath(path)
        new = real not in self._known
        self._known.add(real)
        return new

    def _file(self, path: Path, unpacked: Path) -> None:
        if not path.exists():
            self._problem(path, "there is no such file or folder")
        elif not archive.is_archive(path):
            self.summaries.append(path)
        else:
            self._unpacked[tree.begin(unpacked)] = path
            try:
                unpacked.mkdir(parents=True)
                for problem in archive.unpack(path, unpacked):
                    self.leave_out(problem)
                self._folder(tree.begin(unpacked))
            except archive.ArchiveError as error:
                self._problem(path, str(error))

    def _folder(self, start: Path) -> None:
        """A tree with the summaries that lie in it; often it is a folder with the clones of several rounds."""
        if not self._first(start):
            return
        self.trees.append(start)
        inside = []
        with suppress(OSError):  # The walk names it.
            inside = sorted(child for child in start.iterdir() if tree.is_clone(child))
        for folder in (start, *inside):
            for name in SUMMARIES:
                reason = tree.refused(folder, name, start)
                if reason not in ("", tree.MISSING):
                    self._problem(folder / name, reason)
                elif not reason and self._first(folder / name):
                    self.summaries.append(folder / name)

    def _runs(self) -> Iterator[Run]:
        met: set[str] = set()
        for start in self.trees:
            empty, real = True, os.path.realpath(start)
            for run in tree.walk(start, self.round):
                empty = False
                if isinstance(run, Problem):
                    self.leave_out(Problem(self._named(Path(run.place)), run.reason))
                elif len(self.trees) == 1:
                    yield run
                elif (place := real + str(run.folder)[len(str(start)) :]) not in met:
                    met.add(place)  # One of the paths may be a part of another one.
                    yield run
            if empty and not any(path.is_relative_to(start) for path in self.summaries):
                self._problem(start, f"holds nothing to import: {EXPECTED}")

    def _published(self, path: Path, index: dict[tuple[str, str], Run]) -> Iterator[Task]:
        round, number = self.round or tree.round_of(path), 0
        try:
            for number, raw in power_rows.joined(streams.rows(path)):
                if isinstance(raw, streams.Skipped):
                    self._problem(path, f"row {number} {raw.reason}")
                    continue
                try:
                    entry = summaries.entry(raw, round)
                except EntryError as error:
                    self._problem(path, f"row {number} {error}")
                    continue
                place = str(entry.location).lower()
                run = index.pop((entry.round, place), None) or index.pop(("", place), None)
                also = f", {self._named(run.folder)}" if run else ""
                yield Task(f"{self._named(path)}: row {number}{also}", entry, run)
            if not number:
                self._problem(path, "holds no result")
        except streams.StreamError as error:
            self._problem(path, str(error))

    def _named(self, path: Path) -> str:
        for folder, archived in self._unpacked.items():
            if path.is_relative_to(folder):
                return f"{archived}: {path.relative_to(folder)}" if path != folder else str(archived)
        return str(path)

    def _problem(self, path: Path, reason: str) -> None:
        self.leave_out(Problem(self._named(path), reason))
