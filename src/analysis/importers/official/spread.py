"""Work spread over processes: local ones, or a Dask cluster's; what the work is does not belong here."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

Task = TypeVar("Task")
Done = TypeVar("Done")
BATCH = 8  # tasks that a worker takes at a time
AHEAD = 4  # batches a worker may have before the first result is taken
PATIENCE = 10.0  # seconds for a scheduler to answer
ALONE = 16  # tasks below which starting processes costs more than it gives


class SpreadError(RuntimeError):
    """The work cannot be done by others; the text says why and what to do."""


class SchedulerError(SpreadError):
    """A Dask scheduler cannot be used."""


class WorkersLost(SpreadError):
    """Those who worked are gone before the work was done; the text names what they had in hand."""


def spread(
    work: Callable[[Task], Done], tasks: Iterable[Task], *, workers: int | None = None, scheduler: str = ""
) -> Iterator[Done]:
    """`work` of each task, in the order of the tasks; only as many are under way as keep the workers busy.

    `work` and tasks must be picklable. With `scheduler` (tcp://host:port) on that Dask cluster, else on `workers` local
    processes (default: one for each processor); few tasks stay in this process. Raises SchedulerError and WorkersLost,
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
        yield from _ordered(pool, work, tasks, width * AHEAD, scheduler)


def _ordered(
    pool: Executor, work: Callable[[Task], Done], tasks: Iterable[Task], most: int, scheduler: str
) -> Iterator[Done]:
    under_way: deque = deque()

    def taken(*, down_to: int) -> Iterator[Done]:
        while len(under_way) > down_to:
            with _watched(under_way, scheduler):
                done = under_way[0][0].result()
            under_way.popleft()
            yield from done

    try:
        while batch := list(itertools.islice(tasks, BATCH)):
            under_way.append((None, batch))
            with _watched(under_way, scheduler):
                under_way[-1] = pool.submit(_each, work, batch), batch
            yield from taken(down_to=most - 1)
        yield from taken(down_to=0)
    finally:
        for future, _ in under_way:
            if future:
                future.cancel()


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
            said = f"the Dask cluster at {scheduler} is lost ({type(error).__name__}): {had}"
            raise WorkersLost(f"{said}. See that its scheduler and workers run, and try again") from None
        said = f"a worker process was killed, perhaps for want of memory: {had}"
        raise WorkersLost(f"{said}. Try again, with fewer --jobs") from None


def _lost(scheduler: str) -> tuple[type[Exception], ...]:
    if not scheduler:
        return (BrokenExecutor,)
    from distributed.comm import CommClosedError
    from distributed.scheduler import KilledWorker

    return CancelledError, CommClosedError, KilledWorker


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
    for name in ("distributed", "distributed.client"):  # What they would log of a lost scheduler is told here.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        asyncio.run(_asked(scheduler))  # A Client that finds no scheduler does not let go of the process for long.
        return Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:  # A TimeoutError is an OSError.
        said = f"no Dask scheduler answers at {scheduler}: {str(error) or f'not within {PATIENCE:g} s'}"
        raise SchedulerError(f"{said}; expected an address such as tcp://host:8786") from None


async def _asked(scheduler: str) -> None:
    """Raises OSError or ValueError unless a scheduler answers at the address."""
    from distributed import Security, rpc

    async with rpc(scheduler, connection_args=Security().get_connection_args("client")) as remote:
        found = await asyncio.wait_for(remote.identity(), PATIENCE)
    if found.get("type") != "Scheduler":
        raise ValueError(f"there is a {found.get('type')}")
