"""`analysis sweep`: every point of a sweep that is not fresh is built, then its index and table."""

import time
from collections.abc import Callable
from pathlib import Path

from analysis._build.index import front, sweep_index, sweep_table
from analysis._build.kernels.pool import WORKERS, Kernels, Workers
from analysis._build.make.made import Timed
from analysis._build.reports import Outcome, Say, build_plans, sift, summary
from analysis._build.runs import freshness, sweepfiles
from analysis._build.runs.freshness import Plan
from analysis._build.runs.folders import Places

Progress = Callable[[int, int], None]


def build_sweep(
    given: str | Path,
    *,
    places: Places | None = None,
    force: bool = False,
    workers: Workers = WORKERS,
    say: Say = print,
    progress: Progress = lambda done, total: None,
) -> Outcome:
    """Build the reports of a sweep file (a path, or a name in notebooks/sweeps) that are not fresh.

    `progress` gets how many of the reports to build are done. Raises RunFileError before anything starts if any point
    cannot be.
    """
    started, home, outcome = time.monotonic(), places or Places(), Outcome()
    sweep = sweepfiles.read_sweep(sweepfiles.sweep_file(home, str(given)), home)
    places = sweep.places(home)
    plans = [
        Plan(point.run, point.parameters, freshness.stale(point.run, point.parameters, places))
        for point in sweep.points
    ]
    stale = sift(plans, [plan.run.report for plan in plans], places, outcome, force)

    def tell(plan: Plan, result: Timed) -> None:
        outcome.add(plan, result[0])
        if result[0]:
            say(f"FAILED  {plan.run.report}")
        progress(len(outcome.built) + len(outcome.failed), len(stale))

    try:
        if stale:
            progress(0, len(stale))
            with Kernels(places, workers.kernels) as made:
                build_plans(stale, places, tell, made, workers)
    finally:
        sweep_index.write(sweep, places)
        sweep_table.write(sweep, places)
        front.write(home)
    summary(outcome, places, time.monotonic() - started, say)
    return outcome
