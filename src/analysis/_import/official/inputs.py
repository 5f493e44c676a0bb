"""What the paths of an import are (summaries, trees, archives), and the results that they hold together."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from analysis._core import table_text
from analysis._core.file_contents import sha256_of
from analysis._import.official import UNPACKED_GB, archive, configuration_facts, results_table, summaries, tree
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
    facts: Facts | None = None


class Sources:
    """The summaries and trees behind the given paths, each once, and the tasks that they make together.

    A file of facts on configurations goes with whatever results of its submitters there are. What cannot be read is
    given to `leave_out`. Archives are unpacked below `scratch`; a place in one is named by it.
    """

    def __init__(
        self, paths: list[Path], round: str, scratch: Path, leave_out: Callable[[Problem], None], origin: str = "",
        unpacked_gb: float = UNPACKED_GB,
    ) -> None:  # fmt: skip
        self.round, self.origin, self.leave_out = round, origin, leave_out
        self.trees: list[Path] = []
        self._summaries: dict[str, Path] = {}  # by what tells the same file under two names
        self._unpacked: dict[str, Path] = {}  # folder -> the archive that it is from
        facts: list[configuration_facts.Fact] = []
        for number, path in enumerate({os.path.realpath(path): path for path in paths}.values()):
            try:
                if path.is_dir():
                    self._folder(tree.begin(path))
                elif not path.is_file():
                    raise EntryError("there is no such file or folder")
                elif archive.is_archive(path):
                    unpacked = scratch / str(number) / path.name.partition(".tar")[0].removesuffix(".zip")
                    self._unpacked[str(unpacked)] = path
                    archive.unpack(path, unpacked, unpacked_gb)
                    self._folder(unpacked)
                elif configuration_facts.is_meant(path) and not results_table.is_meant(path):
                    facts += configuration_facts.read(path)
                else:
                    self._summary(path)
            except EntryError as error:
                self._problem(path, str(error))
        self._facts = configuration_facts.by_submitter(facts)

    def tasks(self) -> Iterator[Task]:
        """One task per result: those of the summaries, each with its run, then the runs that no summary lists."""
        runs: dict[tuple[str, str], Run] = {}
        for run in self._runs():
            first = runs.setdefault((run.round, run.location.lower()), run)
            if os.path.realpath(first.folder) != os.path.realpath(run.folder):  # One path may be a part of another.
                self._problem(run.folder, f"the same run is already read as {self._named(first.folder)}")
        decided: set[str] = set()  # rounds whose summary was read whole: it lists all that counts
        for path in self._summaries.values():
            decided |= yield from self._published(path, runs)
        for run in runs.values():
            if run.round in decided:
                self._problem(run.folder, f"the summary of {run.round} does not list it")
            else:
                facts = self._facts.get((run.round, run.division, run.submitter))
                yield Task(self._named(run.folder), None, run, facts)

    def _folder(self, start: Path) -> None:
        """A tree with the summaries that lie in it; often it is a folder with the clones of several rounds."""
        self.trees.append(start)
        clones = [start, *(start / name for name in tree.listed(str(start)) if tree.is_clone(start / name))]
        for path in [*(clone / name for clone in clones for name in SUMMARIES), *tree.collected(start)]:
            reason = tree.refused(str(path.parent), path.name, str(start))
            if not reason:
                self._summary(path)
            elif reason != tree.MISSING:
                self._problem(path, reason)

    def _summary(self, path: Path) -> None:
        self._summaries.setdefault(sha256_of(path), path)

    def _runs(self) -> Iterator[Run]:
        """The runs of the trees with round and origin; a tree of no round is reported once, not for each run."""
        unplaced: dict[str, str] = {}
        for start in self.trees:
            found = list(tree.walk(start, self.round or tree.round_of(start)))
            if not found and not any(path.is_relative_to(start) for path in self._summaries.values()):
                self._problem(start, f"holds nothing to import: {EXPECTED}")
            for run in found:
                if isinstance(run, Problem):
                    self._problem(*run)
                elif self._summaries or not (reason := self._unplaced(run)):
                    yield run._replace(origin=self.origin or run.origin)
                else:
                    unplaced[run.root] = reason
        for root, reason in unplaced.items():
            self._problem(root, reason)

    def _unplaced(self, run: Run) -> str:
        """What keeps a run's tree from being that of a round; "" where nothing does."""
        if not self.origin and _TRIED.search(run.root):
            return "is no record of a round by its name; say what it is with --round and --origin"
        return "" if run.round else "its path names no round (inference_results_v4.1); say which with --round"

    def _published(self, path: Path, runs: dict[tuple[str, str], Run]) -> Iterator[Task]:
        """The tasks of one summary, whose runs are taken out of `runs`; returns the rounds that it lists whole."""
        is_table = results_table.is_meant(path)
        whole = not is_table and path.name != tree.COLLECTED  # Of these each is a part of its round.
        official, number, rounds, foreign = self._is_official(path), 0, set(), Counter()
        round = self.round or tree.round_of(path)
        try:
            for number, entry in results_table.entries(path) if is_table else summaries.entries(path, round):
                if isinstance(entry, EntryError):
                    self._problem(path, f"row {number} {entry}")
                    whole = False
                    continue
                if self.origin:
                    entry.origin = self.origin
                elif not (official or _RECORD.search(entry.repository)):
                    foreign[entry.repository] += 1
                    continue
                rounds.add(entry.round)
                location = str(entry.location)
                run = runs.pop((entry.round, location.lower()), None) or runs.pop(("", location.lower()), None)
                also = f", {self._named(run.folder)}" if run else ""
                facts = self._facts.get((entry.round, *location.split("/")[:2]))
                yield Task(f"{self._named(path)}: row {number}{also}", entry, run, facts)
            if not number:
                self._problem(path, "holds no result")
        except EntryError as error:
            self._problem(path, str(error))
            whole = False
        for repository, count in foreign.items():
            words = f"are of {repository}, which" if repository else "name no repository: that"
            reason = f"{count} rows {words} is no record of a round; say what they are with --round and --origin"
            self._problem(path, reason)
        return rounds if whole else set()

    def _is_official(self, path: Path) -> bool:
        """Whether the file is that of a round by its path, or by a hash: of data/rounds.csv, or of what is shipped."""
        if tree.round_of(path):
            return True
        sources = (source for part in descriptor.read_tables()["results"].parts for source in part.sources)
        shipped = {source.get("sha256") for source in sources}  # A clone has none.
        return sha256_of(path) in shipped | {*table_text.column("rounds", "summary_sha256")}

    def _named(self, path: Path | str) -> str:
        """A path as it is reported: from its archive, where it is of one."""
        text = str(path)
        for folder, archived in self._unpacked.items():
            if text.startswith(folder):
                return ": ".join(filter(None, [str(archived), text.removeprefix(folder).lstrip(os.sep)]))
        return text

    def _problem(self, path: Path | str, reason: str) -> None:
        self.leave_out(Problem(self._named(path), reason))
