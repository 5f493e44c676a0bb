"""The loop of a preview: look for edits, build what they make stale in warm kernels, say what became of it."""

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from analysis._core.file_contents import file_version
from analysis._build.index import front
from analysis._build.kernels.pool import WORKERS, Kernels, Workers
from analysis._build.make import light_import
from analysis._build.make.made import Timed
from analysis._build.make.parallel import side_by_side, undisturbed
from analysis._build.page.templates import TEMPLATES
from analysis._build.reports import Outcome, Say, survey, timed
from analysis._build.runs import durations, runfiles
from analysis._build.runs.failures import Failure
from analysis._build.runs.folders import ENGINE, Places
from analysis._build.runs.freshness import Plan
from analysis._build.watch.preview import Preview

PORT = 8000
EACH, SETTLED = 0.1, 0.03  # seconds between two looks, and for which files stay as they are before they are read
State = dict[Path, tuple[int, ...]]


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
    workers: Workers = WORKERS,
    say: Say = print,
) -> None:
    """Keep the pages of the named reports, or of all, as their files say, and serve them, until interrupted.

    The arguments are those of `build_reports`; `port` is on this machine alone, another where it is taken. Raises
    UnknownReport before anything starts, Restart where the edited code is this process's own, and what interrupts it,
    once kernels, port and temporary files are given back.
    """
    places, names = places or Places(), list(names)
    runfiles.run_files(places, names)
    stack = ExitStack()
    try:
        pool = stack.enter_context(Kernels(places, workers.kernels, edited=True))
        preview = stack.enter_context(Preview(places, port))
        if port and preview.port != port:
            say(f"port {port} is taken")
        say(f"preview at {preview.address}index.html, Ctrl-C ends it")
        light_import.import_jupyter()
        loop = _Loop(names, places, preview, pool, workers, say)
        last: State = {}
        for state in _states(places):
            edited = {path for path in last.keys() | state.keys() if last.get(path) != state.get(path)}
            if last and edited & running():
                raise Restart(preview.port)
            loop.build(state)
            last = state
    finally:
        with undisturbed():
            stack.close()


def _states(places: Places) -> Iterator[State]:
    """The state of the watched files, now and each time that it has changed and is at rest."""
    last = None
    while True:
        if (now := file_versions(places)) != last:
            while (time.sleep(SETTLED), again := file_versions(places))[1] != now:
                now = again
            last = now
            yield now
        time.sleep(EACH)


def file_versions(places: Places) -> State:
    """Each watched file with what tells one version from another: inode, size, times of content and of name.

    Looked at again and again instead of being notified by the system: one look is 2 ms for this project, and is the same on
    each system and network drive. Whether an edit makes a report stale is decided by digests (`runs.freshness`).
    """
    folders = {places.notebooks, places.data, places.source, ENGINE.parent}
    files = {file for folder in folders for file in _files(folder)}
    return {file: state for file in [*files, places.lock] if (state := file_version(file))}


def running() -> set[Path]:
    """The files that this process has loaded: an edit of one of them takes a new process."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "analysis"]
    files = {Path(file) for module in modules if (file := getattr(module, "__file__", None))}
    return files | {path for path in TEMPLATES.rglob("*") if path.is_file()}


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder, without hidden ones, compiled ones and what editors keep beside them."""
    for above, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "__pycache__"))]
        yield from (Path(above, name) for name in names if not (name.startswith(".") or name.endswith("~")))


class _Loop:
    """What a preview holds and knows from one edit to the next."""

    def __init__(
        self, names: list[str], places: Places, preview: Preview, kernels: Kernels, workers: Workers, say: Say
    ) -> None:
        from analysis._build.make.build import Builder

        self.names, self.places, self.preview, self.kernels = names, places, preview, kernels
        self.jobs, self.say = workers.jobs, say
        self.builder = Builder(places, kernels, workers.timeout)
        self.failed: dict[str, State] = {}  # by report: the files of which it could not be built
        self.told: dict[str, str] = {}  # by report: the failure that the terminal shows

    def build(self, state: State) -> None:
        """Build what is stale of these files, those first whose pages somebody looks at; bring the index up to it.

        None is begun any more once a file is edited again.
        """
        outcome = Outcome()

        def build(plan: Plan) -> Timed | None:
            return timed(self.builder.build, plan) if file_versions(self.places) == state else None

        def tell(plan: Plan, result: Timed | None) -> None:
            if result is None:
                return
            failure, seconds = result
            if failure:
                self.failed[plan.run.report] = self._concerning(plan, state)
                return self._tell_failure(failure)
            for reports in (self.failed, self.told):
                reports.pop(plan.run.report, None)
            outcome.seconds[plan.run.report] = round(seconds, 3)
            self.say(f"built   {plan.run.report}  {seconds:.1f} s  ({plan.reason})")

        try:
            plans = survey(self.names, self.places, outcome)
            for failure in outcome.failed:
                self._tell_failure(failure)
            for report in outcome.fresh:
                if self.told.pop(report, ""):
                    self.say(f"fresh   {report}")
            plans = [plan for plan in plans if self.failed.get(plan.run.report) != self._concerning(plan, state)]
            shown = self.preview.open()
            plans.sort(key=lambda plan: plan.run.report not in shown)
            if plans:
                threading.Thread(target=self.builder.prepare, args=[plans]).start()
                side_by_side(build, plans, self.jobs, tell, self.kernels.stop)
            durations.remember(outcome.seconds, self.places)
            front.write(self.places)
        except (runfiles.UnknownReport, OSError) as error:  # A run file that is gone, a full disk.
            self.say(f"FAILED  {error}")

    def _concerning(self, plan: Plan, state: State) -> State:
        """The part of a state that can decide about one report: all but the other notebooks and run files."""
        own = (self.places.notebook(plan.run.notebook), self.places.path(plan.run.file))
        others = self.places.notebooks
        return {path: version for path, version in state.items() if path in own or not path.is_relative_to(others)}

    def _tell_failure(self, failure: Failure) -> None:
        if self.told.get(failure.report) != failure.text():
            self.told[failure.report] = failure.text()
            self.say(failure.text())
