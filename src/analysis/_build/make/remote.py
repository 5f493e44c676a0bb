"""Reports made on the workers of a Dask scheduler and published here.

A worker needs the same checkout and environment; it starts warm kernels of its own. What it made comes back through
the scheduler, and is refused where a file that it was made from differs from the one here.
"""

from __future__ import annotations

import atexit
import time
from functools import cache
from typing import Any

from analysis._core import cluster
from analysis._build.kernels.pool import Kernels, Workers
from analysis._build.make.made import Made, Tell, publish
from analysis._build.runs import freshness
from analysis._build.runs.failures import Failure
from analysis._build.runs.freshness import Plan
from analysis._build.runs.folders import Places


def build_plans(plans: list[Plan], places: Places, tell: Tell, scheduler: str, workers: Workers) -> None:
    """Build what is planned on the scheduler's workers, and `tell` of each: the failure or None, and seconds.

    Workers may come and go meanwhile: what a lost one had is made by another. Raises ClusterError.
    """
    folder = places.reports.relative_to(places.root).as_posix()
    with cluster.connect(scheduler) as client:
        from distributed import as_completed

        waiting = {client.submit(_make, plan, folder, workers, pure=False): plan for plan in plans}
        try:
            for future in as_completed(waiting, loop=client.loop):
                plan = waiting.pop(future)
                made, seconds = _result(future, plan)
                future.release()  # Thousands of pages are not kept in the cluster's memory.
                tell(plan, (publish(_checked(made, plan, places), places, lambda: False), seconds))
        finally:
            client.cancel(list(waiting))


def _result(future: Any, plan: Plan) -> tuple[Made, float]:
    """What a worker made. An error here is the cluster's, as when workers are lost again and again."""
    try:
        return future.result()
    except Exception as error:
        words = f"The cluster gave it up: {type(error).__name__}: {error}"
        return Made(plan.run.report, failure=Failure(plan.run.report, words, next=f"Next: {plan.run.again}")), 0.0


def _checked(made: Made, plan: Plan, places: Places) -> Made:
    """What was made, or a failure where the worker's files are not the ones here."""
    if made.failure is not None:
        return made
    now = freshness.current(made.stated["inputs"], places)
    differing = [key for key, digest in made.stated["inputs"].items() if now[key] != digest]
    if not differing:
        return made
    words = f"The worker that made it has another {', '.join(differing)} than this machine"
    advice = f"Next: bring all workers to this checkout, then: {plan.run.again}"
    return Made(plan.run.report, failure=Failure(plan.run.report, words, next=advice))


def _make(plan: Plan, folder: str, workers: Workers) -> tuple[Made, float]:
    """On a worker: one report, and the seconds that it took."""
    started = time.monotonic()
    return _builder(folder, workers).make(plan), time.monotonic() - started


@cache
def _builder(folder: str, workers: Workers) -> Any:
    """On a worker: the builder that its tasks share, with kernels that end when the worker does."""
    from analysis._build.make import light_import

    light_import.import_jupyter()
    from analysis._build.make.build import Builder

    home = Places()
    made = Kernels(home, workers.kernels)
    atexit.register(made.__exit__)
    return Builder(home.at(home.root / folder), made, workers.timeout)
