"""The progress of a sweep: a bar in a terminal, and lines where it is written to a file."""

import sys
from collections.abc import Callable

LINES = 20  # at most, of a progress that is written to a file


class Bar:
    """A progress bar with rate and time left, lines above it; where no terminal is, a line for each twentieth."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._told = say, 0

    def __enter__(self) -> "Bar":
        self._bar = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, done: int, total: int) -> None:
        """Move the bar to `done` of `total`."""
        if not sys.stderr.isatty():
            self._tell(done, total)
            return
        from tqdm import tqdm

        if self._bar is None:
            self._bar = tqdm(total=total, unit=" reports", dynamic_ncols=True, smoothing=0.1)
        self._bar.update(done - self._bar.n)
        if done == total:
            self._bar.close()

    def _tell(self, done: int, total: int) -> None:
        part = LINES * done // total
        if part > self._told:
            self._told = part
            self._say(f"{done} of {total} reports")

    def say(self, line: str) -> None:
        """A line above the bar."""
        if self._bar is not None and not self._bar.disable:
            self._bar.clear()
        self._say(line)
