"""Several pieces of work in parallel threads, and an orderly end on Ctrl-C."""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(
    do: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int,
    tell: Callable[[Item, Result], None],
    stop: Callable[[], None],
) -> None:
    """Call `do` for each item, `jobs` at a time, and `tell` in this thread as each is done.

    When interrupted, `stop` is called once, so that the work under way ends soon; what waits is dropped.
    """
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        waiting = {pool.submit(do, item): item for item in items}
        try:
            for done in as_completed(waiting):
                tell(waiting[done], done.result())
        except BaseException:
            with undisturbed():
                stop()
                pool.shutdown(cancel_futures=True)
            raise


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let a second Ctrl-C wait while the work is being ended, which takes about a second."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
