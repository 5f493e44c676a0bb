"""The loop of a preview: look for edits, build what they make stale in warm kernels, say what became of it."""

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from analysis._build.index import front
from analysis._build.kernels.pool import KINDS, Kernels
from analysis._build.make.made import Timed
from analysis._build.make.parallel import side_by_side, undisturbed
from analysis._build.reports import TIMEOUT, Outcome, Say, Validate, own_validate, survey, timed
from analysis._build.runs import freshness, durations, runfiles
from analysis._build.runs.failures import Failure
from analysis._build.runs.freshness import Plan
from analysis._build.runs.folders import ENGINE, Places
from analysis._build.watch import edits
from analysis._build.watch.edits import State
from analysis._build.watch.server import Preview

if TYPE_CHECKING:
    from analysis._build.watch.text_edits import RewordingBuilder

PORT = 8000
EACH, SETTLED = 0.1, 0.03  # seconds between two looks, and for which files stay as they are before they are read
# What a preview has loaded once it builds.
LOADED = "import analysis.cli.main, analysis._build.watch.loop, analysis._build.watch.text_edits"


class Restart(Exception):
    """The code of the preview itself was edited: a new process is to take its place, on the same port."""

    def __init__(self, port: int) -> None:
        super().__init__(f"port {port}")
        self.port = port


def watch(
    names: Iterable[str] = (),
    *,
    places: Places | None = None,
    port: int = PORT,
    jobs: int = 3,
    timeout: int = TIMEOUT,
    kernels: str = KINDS[0],
    validate: Validate | None = None,
    say: Say = print,
) -> None:
    """Keep the pages of the named reports, or of all, as their files say, and serve them, until interrupted.

    The arguments are those of `build_reports`; `port` is on this machine alone, another where it is taken. Raises
    UnknownReport before anything starts, Restart where the edited code is this process's own, and what interrupts it,
    once kernels, port and temporary files are given back.
    """
    places, names = places or Places(), list(names)
    runfiles.run_files(places, names)
    last, stack = edits.file_versions(places), ExitStack()
    try:
        pool = stack.enter_context(Kernels(places, kernels))
        preview = stack.enter_context(Preview(places, port))
        if port and preview.port != port:
            say(f"port {port} is taken")
        say(f"preview at {preview.address}index.html, Ctrl-C ends it")
        builder = _builder(places, pool, timeout)
        loop = _Loop(names, places, preview, pool, builder, jobs, validate or own_validate(), say)
        loop.build(last)
        for state in _changes(last, places):
            if loop.runs_as_written(edits.changed(last, state)):
                loop.build(state)
                last = state
    finally:
        with undisturbed():
            stack.close()


def _builder(places: Places, kernels: Kernels, timeout: int) -> "RewordingBuilder":
    from analysis._build.make import light_import

    light_import.import_jupyter()
    from analysis._build.watch.text_edits import RewordingBuilder

    return RewordingBuilder(places, kernels, timeout)


def _changes(last: State, places: Places) -> Iterator[State]:
    """The state of the watched files each time that it has changed and is at rest."""
    while True:
        time.sleep(EACH)
        if (now := edits.file_versions(places)) == last:
            continue
        while (again := _after(SETTLED, places)) != now:
            now = again
        last = now
        yield now


def _after(seconds: float, places: Places) -> State:
    time.sleep(seconds)
    return edits.file_versions(places)


@dataclass
class _Loop:
    """What a preview holds and knows from one edit to the next."""

    names: list[str]
    places: Places
    preview: Preview
    kernels: Kernels
    builder: "RewordingBuilder"
    jobs: int
    validate: Validate
    say: Say
    failed: dict[str, State] = field(default_factory=dict)  # by report: the files of which it could not be built
    shown_failures: dict[str, str] = field(default_factory=dict)  # by report: the text in the terminal

    def runs_as_written(self, edited: set[os.PathLike[str]]) -> bool:
        """Whether this process still runs the code on disk; Restart where it cannot and a new one can.

        Where a new one cannot either, the reason is on each page until the next edit, and nothing is built: a page
        would be vouched for by code that did not make it.
        """
        if not edited & edits.running():
            self._trouble("")
            return True
        path = {"PYTHONPATH": os.pathsep.join(filter(None, [str(ENGINE.parents[1]), os.environ.get("PYTHONPATH")]))}
        tried = subprocess.run(
            [sys.executable, "-c", LOADED], env=os.environ | path, capture_output=True, text=True, check=False
        )
        if tried.returncode == 0:
            raise Restart(self.preview.port)
        self._trouble(f"FAILED  the preview's own code\n{tried.stderr.strip()}\nNext: put it right; nothing is built")
        return False

    def build(self, state: State) -> None:
        """Build what is stale of these files, and bring failures, terminal and index up to it."""
        outcome = Outcome()
        try:
            stale = survey(self.names, self.places, outcome, self.validate)
            for failure in outcome.failed:
                self._tell_failure(failure)
            for report in outcome.fresh:
                if self.shown_failures.pop(report, ""):
                    self.say(f"fresh   {report}")
            stale = [plan for plan in stale if self.failed.get(plan.run.report) != self._concerning(plan, state)]
            if stale:
                self._build(freshness.traced(stale, self.places), state, outcome)
            durations.remember(outcome.seconds, self.places)
            front.write(self.places)
        except (runfiles.UnknownReport, OSError) as error:  # A run file that is gone, a full disk.
            self._trouble(f"FAILED  {error}")

    def _build(self, plans: list[Plan], state: State, outcome: Outcome) -> None:
        """Build the plans, those first whose pages somebody looks at; none any more once a file is edited again."""
        shown = self.preview.open()
        plans = sorted(plans, key=lambda plan: plan.run.report not in shown)

        def build(plan: Plan) -> Timed | None:
            return timed(self.builder.build, plan) if edits.file_versions(self.places) == state else None

        def tell(plan: Plan, result: Timed | None) -> None:
            if result is None:
                return
            failure, seconds = result
            outcome.add(plan, failure)
            if failure:
                self.failed[plan.run.report] = self._concerning(plan, state)
                self._tell_failure(failure)
                return
            for reports in (self.failed, self.shown_failures):
                reports.pop(plan.run.report, None)
            outcome.seconds[plan.run.report] = round(seconds, 3)
            self.say(f"built   {plan.run.report}  {seconds:.1f} s  ({plan.reason})")

        side_by_side(build, plans, self.jobs, tell, self.kernels.stop)

    def _concerning(self, plan: Plan, state: State) -> State:
        run = plan.run
        return edits.concerning(state, self.places.notebook(run.notebook), self.places.path(run.file), self.places)

    def _tell_failure(self, failure: Failure) -> None:
        if self.shown_failures.get(failure.report) != failure.text():
            self.shown_failures[failure.report] = failure.text()
            self.say(failure.text())

    def _trouble(self, words: str) -> None:
        if words and words != self.preview.trouble:
            self.say(words)
        self.preview.trouble = words
