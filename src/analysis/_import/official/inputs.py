"""What the paths of an import are (summaries, trees, archives), and the results that they hold together."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from analysis._core import table_text
from analysis._core.file_contents import sha256_of
from analysis._import.official import (
    archive,
    configuration_facts,
    json_stream,
    power_rows,
    results_table,
    round_of_logs,
    summaries,
    tree,
)
from analysis._import.official.configuration_facts import Facts
from analysis._import.official.entry import Entry, EntryError
from analysis._import.official.tree import Problem, Run
from analysis._tables import descriptor

SUMMARIES = ("summary_results.json", "summary.json")
EXPECTED = f"expected {tree.RUN}/performance/run_1, a clone's {' or '.join(SUMMARIES)}, or {tree.COLLECTED} files"

_TRIED = re.compile(r"(?:unofficial|test)[_-]submissions", re.IGNORECASE)  # of the submitters' own trials
_RECORD = re.compile(r"/(?:inference_results|submissions_inference)_v?\d+\.\d+$")  # repositories of the record


class Task(NamedTuple):
    """One result: as published, as a run folder, or both; `place` is where that is, in words.

    `facts` are what is known of its submitter's configuration, None where nothing is.
    """

    place: str
    entry: Entry | None
    run: Run | None
    table_text: Facts | None = None

    def __str__(self) -> str:
        return self.place


def submitted(task: Task) -> tuple[str, ...]:
    """Whose result a task is of: those of one submitter share modules of configuration and descriptions."""
    return (task.run.root, task.run.division, task.run.submitter) if task.run else (str(task.entry.submitter),)


class Sources:
    """The summaries and trees behind the given paths, each once, and the tasks that they make together.

    A file of facts on configurations goes with whatever results of its submitters there are. What cannot be read is
    given to `leave_out`. Archives are unpacked below `scratch`; a place in one is named by it.
    """

    def __init__(
        self, paths: list[Path], round: str, scratch: Path, leave_out: Callable[[Problem], None], origin: str = "",
        limit: archive.Limit | None = None,
    ) -> None:  # fmt: skip
        self.round, self.origin, self.leave_out = round, origin, leave_out
        self._limit = limit or archive.Limit()
        self.repeated = 0  # rows that a collection files again, the same in every key
        self.summaries: list[Path] = []
        self._filed: set[int] = set()
        self._digests: dict[str, Path] = {}
        self._rounds: dict[str, str] = {}  # root of a tree whose path names no round -> its round, "" if not known
        self._decided: set[str] = set()  # rounds whose summary was read whole: it lists all that counts
        self.trees: list[Path] = []
        self._known: set[str] = set()
        self._facts: list[configuration_facts.Fact] = []
        self._unpacked: dict[str, Path] = {}  # folder -> the archive that it is from
        for number, path in enumerate(paths):
            if path.is_dir():
                self._folder(tree.begin(path))
            elif self._first(path):
                self._file(path, scratch / str(number) / path.name.partition(".tar")[0].removesuffix(".zip"))
        self._facts_by_submitter = configuration_facts.by_submitter(self._facts)

    def tasks(self) -> Iterator[Task]:
        """One task per result. Where there is a summary the runs are indexed by their folder; else they stream."""
        if not self.summaries:
            yield from map(self._of_run, self._placed(self._runs()))
            return
        index: dict[tuple[str, str], Run] = {}
        for run in self._runs():
            first = index.setdefault((run.round, run.location.lower()), run)
            if first is not run:
                self._problem(run.folder, f"the same run is already read as {self._named(first.folder)}")
        for path in self.summaries:
            yield from self._published(path, index)
        for run in self._placed(index.values()):
            if run.round in self._decided:
                self._problem(run.folder, f"the summary of {run.round} does not list it")
            else:
                yield self._of_run(run)

    def _of_run(self, run: Run) -> Task:
        submitter_facts = self._facts_by_submitter.get((run.round, run.division, run.submitter))
        return Task(self._named(run.folder), None, run, submitter_facts)

    def _first(self, path: Path) -> bool:
        """Whether a path has not been met, by whatever name."""
        real = os.path.realpath(path)
        new = real not in self._known
        self._known.add(real)
        return new

    def _file(self, path: Path, unpacked: Path) -> None:
        if not path.exists():
            self._problem(path, "there is no such file or folder")
        elif results_table.is_meant(path):
            self._summary(path)
        elif configuration_facts.is_meant(path):
            try:
                self._facts += configuration_facts.read(path)
            except configuration_facts.FactsError as error:
                self._problem(path, str(error))
        elif not archive.is_archive(path):
            self._summary(path)
        else:
            self._unpacked[str(tree.begin(unpacked))] = path
            try:
                unpacked.mkdir(parents=True)
                for problem in archive.unpack(path, unpacked, self._limit):
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
                reason = tree.refused(str(folder), name, str(start))
                if reason not in ("", tree.MISSING):
                    self._problem(folder / name, reason)
                elif not reason and self._first(folder / name):
                    self._summary(folder / name)
        for path in tree.collected(start):
            if not (reason := tree.refused(str(path.parent), path.name, str(start))) and self._first(path):
                self._summary(path)
            elif reason:
                self._problem(path, reason)

    def _summary(self, path: Path) -> None:
        """A summary to be read, unless another file says the same byte for byte."""
        digest = sha256_of(path) if path.is_file() else str(path)  # A pipe can be read only once.
        if self._digests.setdefault(digest, path) is path:
            self.summaries.append(path)

    def _runs(self) -> Iterator[Run]:
        places_met: set[str] = set()
        for start in self.trees:
            empty, real = True, os.path.realpath(start)
            for run in tree.walk(start, self.round):
                empty = False
                if isinstance(run, Problem):
                    self._problem(run.place, run.reason)
                elif len(self.trees) == 1:
                    yield run
                elif (place := real + run.folder[len(str(start)) :]) not in places_met:
                    places_met.add(place)  # One of the paths may be a part of another one.
                    yield run
            if empty and not any(path.is_relative_to(start) for path in self.summaries):
                self._problem(start, f"holds nothing to import: {EXPECTED}")

    def _placed(self, runs: Iterable[Run]) -> Iterator[Run]:
        """The runs with round and origin: where the path names no round, by the logs of the tree.

        What keeps a tree from being placed is reported once, not for each of its runs.
        """
        for run in runs:
            if run.root not in self._rounds:
                self._rounds[run.root] = self._round_of(run)
            if round := self._rounds[run.root]:
                yield run._replace(round=round, origin=self.origin or run.origin)

    def _round_of(self, run: Run) -> str:
        """The round of the tree that a run is of, "" where it has none here, which is then reported."""
        reason = ""
        if not self.origin and _TRIED.search(run.root):
            round, reason = "", "is no record of a round by its name; say what it is with --round and --origin"
        elif not (round := run.round):
            round, reason = round_of_logs.of_tree(run.root)
            reason = reason and f"its path names no round, and {reason}; say which with --round"
        if reason:
            self._problem(run.root, reason)
        return round

    def _published(self, path: Path, index: dict[tuple[str, str], Run]) -> Iterator[Task]:
        round, number, rounds, refused = self.round or tree.round_of(path), 0, set(), 0
        foreign: Counter[str] = Counter()
        pinned, is_table = self._pinned(path), results_table.is_meant(path)
        try:
            for number, raw in results_table.entries(path) if is_table else power_rows.joined(json_stream.rows(path)):
                if isinstance(raw, json_stream.Skipped):
                    self._problem(path, f"row {number} {raw.reason}")
                    refused += 1
                    continue
                if path.name == tree.COLLECTED and self._again(raw):
                    continue
                try:
                    entry = raw if is_table else summaries.entry(raw, round)
                except EntryError as error:
                    self._problem(path, f"row {number} {error}")
                    refused += 1
                    continue
                if self.origin:
                    entry.origin = self.origin
                elif not (pinned or _RECORD.search(entry.repository)):
                    foreign[entry.repository] += 1
                    continue
                rounds.add(entry.round)
                place = str(entry.location).lower()
                run = index.pop((entry.round, place), None) or index.pop(("", place), None)
                also = f", {self._named(run.folder)}" if run else ""
                submitter_facts = self._facts_by_submitter.get((entry.round, *str(entry.location).split("/")[:2]))
                yield Task(f"{self._named(path)}: row {number}{also}", entry, run, submitter_facts)
            if not number:
                self._problem(path, "holds no result")
            # A collection is a part of its round, and so is a table: of one suite and division.
            if not (refused or is_table or path.name == tree.COLLECTED):
                self._decided |= rounds
        except json_stream.StreamError as error:
            self._problem(path, str(error))
        for repository, count in foreign.items():
            words = f"are of {repository}, which" if repository else "name no repository: that"
            reason = f"{count} rows {words} is no record of a round; say what they are with --round and --origin"
            self._problem(path, reason)

    def _again(self, raw: Any) -> bool:
        """Whether there was such a row before: results with power are submitted as such and among all."""
        digest = hash(repr(raw))
        again = digest in self._filed
        self._filed.add(digest)
        self.repeated += again
        return again

    def _pinned(self, path: Path) -> bool:
        """Whether the file is that of a round by its path, or by a hash: of data/rounds.csv, or of what is shipped."""
        if tree.round_of(path) or not path.is_file():
            return bool(tree.round_of(path))
        sources = (source for part in descriptor.read_tables()["results"].parts for source in part.sources)
        shipped = {source.get("sha256") for source in sources}  # A clone has none.
        return sha256_of(path) in shipped | {*table_text.column("rounds", "summary_sha256")}

    def _named(self, path: Path | str) -> str:
        """A path as it is reported: from its archive, where it is of one. Text, for there is one for each run."""
        text = str(path)
        for folder, archived in self._unpacked.items():
            if text == folder:
                return str(archived)
            if text.startswith(f"{folder}{os.sep}"):
                return f"{archived}: {text[len(folder) + 1 :]}"
        return text

    def _problem(self, path: Path | str, reason: str) -> None:
        self.leave_out(Problem(self._named(path), reason))
