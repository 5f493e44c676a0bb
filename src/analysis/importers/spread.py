"""Work spread over processes: local ones, or a Dask cluster's; what the work is does not belong here."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

Task = TypeVar("Task")
Done = TypeVar("Done")
BATCH = 8  # tasks that a worker takes at a time
AHEAD = 4  # batches a worker may have before the first result is taken
PATIENCE = "10s"  # for a scheduler to answer
ALONE = 16  # tasks below which starting processes costs more than it gives


class SchedulerError(RuntimeError):
    """A Dask scheduler cannot be used; the text says why and what to do."""


def spread(
    work: Callable[[Task], Done], tasks: Iterable[Task], *, workers: int | None = None, scheduler: str = ""
) -> Iterator[Done]:
    """`work` of each task, in the order of the tasks; only as many are under way as keep the workers busy.

    `work` and tasks must be picklable. With `scheduler` (tcp://host:port) on that Dask cluster, else on `workers` local
    processes (default: one for each processor); few tasks stay in this process. Raises SchedulerError.
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
        yield from _ordered(pool, work, tasks, width * AHEAD)


def _ordered(pool: Executor, work: Callable[[Task], Done], tasks: Iterable[Task], most: int) -> Iterator[Done]:
    under_way: deque = deque()
    try:
        while batch := list(itertools.islice(tasks, BATCH)):
            under_way.append(pool.submit(_each, work, batch))
            if len(under_way) >= most:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()
    finally:
        for future in under_way:
            future.cancel()


def _each(work: Callable[[Task], Done], batch: list[Task]) -> list[Done]:
    return [work(task) for task in batch]


@contextmanager
def _pool(scheduler: str, workers: int) -> Iterator[tuple[Executor, int]]:
    """Something to submit to, and how many work at a time."""
    if not scheduler:
        with ProcessPoolExecutor(workers) as pool:
            yield pool, workers
        return
    with _client(scheduler) as client:
        width = sum(client.nthreads().values())
        if not width:
            raise SchedulerError(f"no worker at {scheduler}; start one: dask worker {scheduler}")
        yield client, width


def _client(scheduler: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise SchedulerError("--scheduler needs Dask: pip install 'mlperf-inference-analysis[cluster]'") from None
    try:
        return Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SchedulerError(f"no Dask scheduler answers at {scheduler}: {error}") from None
