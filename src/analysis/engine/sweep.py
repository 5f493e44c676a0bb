"""`analysis sweep`: every point of a sweep that is not fresh is built, then its index and table; lays out no page."""

import time
from collections.abc import Callable
from pathlib import Path

from analysis.engine.index import front, sweep_index, sweep_table
from analysis.engine.kernels.pool import KINDS
from analysis.engine.reports import TIMEOUT, Outcome, Say, Validate, build_plans, own_validate, summary
from analysis.engine.runs import freshness, shelf, sweepfiles
from analysis.engine.runs.failures import Failure
from analysis.engine.runs.freshness import Plan
from analysis.engine.runs.places import Places
from analysis.engine.runs.sweepfiles import Sweep

Progress = Callable[[int, int], None]


def build_sweep(
    given: str | Path,
    *,
    places: Places | None = None,
    jobs: int = 3,
    force: bool = False,
    timeout: int = TIMEOUT,
    kernels: str = KINDS[0],
    scheduler: str | None = None,
    validate: Validate | None = None,
    say: Say = print,
    progress: Progress = lambda done, total: None,
) -> Outcome:
    """Build the reports of a sweep file (a path, or a name in notebooks/sweeps) that are not fresh.

    `jobs` at a time here, or on the workers of the Dask `scheduler` (an address) where one is given. `progress` gets
    how many of the reports to build are done. Raises RunFileError before anything starts if any point cannot be.
    """
    started, home, outcome = time.monotonic(), places or Places(), Outcome()
    sweep = sweepfiles.read(sweepfiles.find(home, str(given)), home, validate or own_validate())
    places = sweep.places(home)
    stale = _plan(sweep, places, force, outcome)
    how = {"timeout": timeout, "kernels": kernels}
    try:
        if stale:
            tell = _teller(outcome, len(stale), say, progress)
            _build(freshness.traced(stale, places), places, tell, scheduler, jobs, how)
    finally:
        sweep_index.write(sweep, places)
        front.write(home)
    if outcome.built or outcome.failed or not sweep_table.exists(places):
        sweep_table.write(sweep, places)
    summary(outcome, places, time.monotonic() - started, say)
    return outcome


def _plan(sweep: Sweep, places: Places, force: bool, outcome: Outcome) -> list[Plan]:
    """The plans of the points that are to be built; the others are counted as fresh."""
    shelf.tidy(places, [point.run.report for point in sweep.points])
    stale = []
    for point in sweep.points:
        plan = Plan(point.run, point.parameters, freshness.stale(point.run, point.parameters, places))
        if plan.reason is None and not force:
            outcome.fresh.append(point.run.report)
            shelf.forget(point.run.report, places)
        else:
            stale.append(plan)
    return stale


def _teller(
    outcome: Outcome, total: int, say: Say, progress: Progress
) -> Callable[[Plan, tuple[Failure | None, float]], None]:
    def tell(plan: Plan, result: tuple[Failure | None, float]) -> None:
        outcome.add(plan, result[0])
        if result[0]:
            say(f"FAILED  {plan.run.report}")
        progress(len(outcome.built) + len(outcome.failed), total)

    progress(0, total)
    return tell


def _build(
    stale: list[Plan],
    places: Places,
    tell: Callable[[Plan, tuple[Failure | None, float]], None],
    scheduler: str | None,
    jobs: int,
    how: dict[str, object],
) -> None:
    if scheduler is None:
        return build_plans(stale, places, tell, jobs=jobs, **how)
    from analysis.engine.make import cluster

    return cluster.build_plans(stale, places, tell, scheduler=scheduler, **how)
