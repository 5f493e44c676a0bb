"""Work spread over processes: local ones, or a Dask cluster's."""

from __future__ import annotations

import itertools
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

Task = TypeVar("Task")
Done = TypeVar("Done")
LEAST, MOST = 8, 64  # tasks that a worker takes at a time: few at first, more where there are many
AHEAD = 4  # batches a worker may have before the first result is taken
ALONE = 16  # tasks below which starting processes costs more than it gives


class WorkersLost(RuntimeError):
    """Those who worked are gone before the work was done; the text names what they had in hand."""


def spread(
    work: Callable[[Task], Done], tasks: Iterable[Task], *, workers: int | None = None, scheduler: str = "",
    kind: Callable[[Task], Any] = type,
) -> Iterator[Done]:  # fmt: skip
    """`work` of each task, in the order of the tasks; only as many are under way as keep the workers busy.

    Tasks of one `kind` that follow each other go to one worker where they are not too many, for what they share.
    `work` and tasks must be picklable. With `scheduler` (tcp://host:port) on that Dask cluster, else on `workers` local
    processes (default: one for each processor); few tasks stay in this process. Raises ClusterError, and WorkersLost,
    which names tasks by their text.
    """
    tasks = iter(tasks)
    workers = workers or os.cpu_count() or 1
    if not scheduler:
        first = list(itertools.islice(tasks, ALONE))
        if len(first) < ALONE or workers == 1:
            yield from map(work, itertools.chain(first, tasks))
            return
        tasks = itertools.chain(first, tasks)
    with _pool(scheduler, workers) as (pool, width):
        yield from _ordered(pool, work, _batches(tasks, kind, width), width * AHEAD, scheduler)


def _ordered(
    pool: Executor, work: Callable[[Task], Done], batches: Iterable[list[Task]], most: int, scheduler: str
) -> Iterator[Done]:
    under_way: deque = deque()

    def taken(*, down_to: int) -> Iterator[Done]:
        while len(under_way) > down_to:
            with _watched(under_way, scheduler):
                done = under_way[0][0].result()
            under_way.popleft()
            yield from done

    try:
        for batch in batches:
            under_way.append((None, batch))
            with _watched(under_way, scheduler):
                under_way[-1] = pool.submit(_of_all, work, batch), batch
            yield from taken(down_to=most - 1)
        yield from taken(down_to=0)
    finally:
        for future, _ in under_way:
            if future:
                future.cancel()


def _batches(tasks: Iterable[Task], kind: Callable[[Task], Any], workers: int) -> Iterator[list[Task]]:
    """The tasks in batches, each at most half of what every worker had before it, so that few tasks are spread too."""
    batch: list[Task] = []
    handed_out, most = 0, LEAST
    for task in tasks:
        if len(batch) >= most or (len(batch) >= LEAST and kind(task) != kind(batch[-1])):
            yield batch
            handed_out += len(batch)
            batch, most = [], min(max(LEAST, handed_out // (2 * workers)), MOST)
        batch.append(task)
    if batch:
        yield batch


@contextmanager
def _watched(under_way: deque, scheduler: str) -> Iterator[None]:
    """Raises WorkersLost for the errors of a pool or a cluster that is gone."""
    try:
        yield
    except _lost(scheduler) as error:
        first, count = under_way[0][1][0], sum(len(batch) for _, batch in under_way)
        had = f"{count} results were under way, the first of them {first}"
        under_way.clear()
        if scheduler:
            reason = f"the Dask cluster at {scheduler} is lost ({type(error).__name__}): {had}"
            raise WorkersLost(f"{reason}. See that its scheduler and workers run, and try again") from None
        reason = f"a worker process was killed, perhaps for want of memory: {had}"
        raise WorkersLost(f"{reason}. Try again, with fewer --jobs") from None


def _lost(scheduler: str) -> tuple[type[Exception], ...]:
    if not scheduler:
        return (BrokenExecutor,)
    from distributed.comm import CommClosedError
    from distributed.scheduler import KilledWorker

    return CancelledError, CommClosedError, KilledWorker


def _of_all(work: Callable[[Task], Done], batch: list[Task]) -> list[Done]:
    return [work(task) for task in batch]


@contextmanager
def _pool(scheduler: str, workers: int) -> Iterator[tuple[Executor, int]]:
    """Something to submit to, and how many work at a time."""
    if not scheduler:
        with ProcessPoolExecutor(workers, initializer=_ended_by_sigterm) as pool:
            yield pool, workers
        return
    from analysis._core import cluster

    with cluster.connect(scheduler) as client:
        width = sum(client.nthreads().values())
        if not width:
            raise cluster.ClusterError(f"no worker at {scheduler}; start one: dask worker {scheduler}")
        yield client, width


def _ended_by_sigterm() -> None:
    """Let SIGTERM end this process whatever it does, as who has to end the others of a broken pool expects.

    A handler that raises, which it has from who started it, would be taken for a failure of the task at hand.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
