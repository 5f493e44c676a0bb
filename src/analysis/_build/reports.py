"""`analysis reports`: which reports are stale, building these in parallel, telling the outcome.

Nothing of Jupyter's, pandas or matplotlib is imported before a report is known to be stale.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from analysis._core.table_text import UnusableTable
from analysis._build.index import front
from analysis._build.kernels.pool import WORKERS, Kernels, Workers
from analysis._build.make.made import Tell, Timed
from analysis._build.make.parallel import side_by_side
from analysis._build.runs import freshness, durations, runfiles, output_files
from analysis._build.runs.failures import Failure
from analysis._build.runs.freshness import Plan
from analysis._build.runs.folders import Places

Say = Callable[[str], None]


@dataclass
class Outcome:
    """What became of each report of one build; `seconds` is what each built one took."""

    built: list[str] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The exit status: 1 if any report failed, else 0."""
        return 1 if self.failed else 0

    def add(self, plan: Plan, failure: Failure | None) -> None:
        """Count a report that was built, or its failure."""
        if failure:
            self.failed.append(failure)
        else:
            self.built.append(plan.run.report)


def build_reports(
    names: Iterable[str] = (),
    *,
    places: Places | None = None,
    force: bool = False,
    workers: Workers = WORKERS,
    say: Say = print,
) -> Outcome:
    """Build the named reports, or all: those that are stale, or every one with `force`.

    All parameters are validated before a notebook is begun. `say` gets each line of progress.
    Raises UnknownReport for a name without a run file; a report that fails is in the outcome.
    """
    started, places, outcome = time.monotonic(), places or Places(), Outcome()
    with ExitStack() as stack:
        pool = None
        if force or any(freshness.altered(report, places) for report in runfiles.run_files(places, names)):
            pool = stack.enter_context(Kernels(places, workers.kernels))  # Libraries load while this process looks further.
        stale = survey(names, places, outcome, force)
        for report in outcome.fresh:
            say(f"fresh   {report}")
        for failure in outcome.failed:
            say(f"FAILED  {failure.report}")
        try:
            if stale:
                pool = pool or stack.enter_context(Kernels(places, workers.kernels))
                build_plans(stale, places, partial(_tell, outcome, say, places), pool, workers)
        finally:
            durations.remember(outcome.seconds, places)
            front.write(places)
    summary(outcome, places, time.monotonic() - started, say)
    return outcome


def survey(names: Iterable[str], places: Places, outcome: Outcome, force: bool = False) -> list[Plan]:
    """The named reports (or all) that are to be built, the longest first (see sift). Raises UnknownReport."""
    plans = plan_reports(runfiles.run_files(places, names), places, outcome)
    return sift(plans, runfiles.run_files(places), places, outcome, force)


def sift(
    plans: list[Plan], reports: Collection[str], places: Places, outcome: Outcome, force: bool = False
) -> list[Plan]:
    """The plans that are to be built, the longest first; the others are fresh in the outcome.

    What is on disk is brought up to it: nothing stays of what is none of `reports`, nor of failures that are over.
    """
    output_files.tidy(places, reports)
    outcome.fresh += [plan.run.report for plan in plans if plan.reason is None and not force]
    for report in outcome.fresh:
        output_files.forget(report, places)
    for failure in outcome.failed:
        output_files.remember(failure, places)
    return durations.longest_first((plan for plan in plans if plan.reason is not None or force), places)


def plan_reports(files: Mapping[str, Any], places: Places, outcome: Outcome) -> list[Plan]:
    """A plan for each run file; those that are refused go to `outcome.failed`."""
    from analysis._core.parameters import validate

    plans = []
    for report, path in files.items():
        try:
            run = runfiles.read_run(path, places)
            parameters = validate(run.notebook, run.parameters, places.notebooks)
            plans.append(Plan(run, parameters, freshness.stale(run, parameters, places)))
        except UnusableTable as error:
            advice = f"Next: put the table right (make check names each fault), then: make reports/{report}.html"
            outcome.failed.append(Failure(report, str(error), next=advice))
        except (ValueError, OSError) as error:
            where = "" if isinstance(error, runfiles.RunFileError) else f"{places.key(path)}, key 'parameters'"
            advice = f"Next: put right what is named above, then: make reports/{report}.html"
            outcome.failed.append(Failure(report, str(error), where, next=advice))
    return plans


def build_plans(plans: list[Plan], places: Places, tell: Tell, kernels: Kernels, workers: Workers) -> None:
    """Build what is planned, and `tell` of each in this thread: the failure or None, and seconds."""
    from analysis._build.make import light_import

    light_import.import_jupyter()
    from analysis._build.make.build import Builder

    builder = Builder(places, kernels, workers.timeout)
    # While the kernels work there is time for it.
    threading.Thread(target=builder.prepare, args=[plans]).start()
    side_by_side(partial(timed, builder.build), plans, workers.jobs, tell, kernels.stop)


def timed(build: Callable[[Plan], Failure | None], plan: Plan) -> Timed:
    """What became of a plan, and the seconds that it took."""
    started = time.monotonic()
    return build(plan), time.monotonic() - started


def _tell(outcome: Outcome, say: Say, places: Places, plan: Plan, result: Timed) -> None:
    failure, seconds = result
    word = "FAILED" if failure else "built "
    say(f"{word}  {plan.run.report}  {seconds:.1f} s" + (f"  ({plan.reason})" if plan.reason else ""))
    outcome.add(plan, failure)
    if not failure:
        outcome.seconds[plan.run.report] = round(seconds, 3)
        for hint in (freshness.read_record(plan.run.report, places) or {}).get("hints", ()):
            say(f"hint    {plan.run.report}: {hint}")


def summary(outcome: Outcome, places: Places, seconds: float, say: Say) -> None:
    """Say what failed and why, how many reports there are of each kind, and where the index is."""
    for hint in runfiles.hints(places):
        say(f"hint    {hint}")
    for failure in outcome.failed:
        say(f"\n{failure.text()}")
    counts = {"built": outcome.built, "fresh": outcome.fresh, "failed": outcome.failed}
    numbers = ", ".join(f"{len(reports)} {word}" for word, reports in counts.items() if reports)
    if outcome.failed:
        say("")
    numbers = numbers or f"no run files in {places.key(places.runs)}"
    say(f"{numbers} in {seconds:.1f} s: {places.key(places.reports / 'index.html')}")
