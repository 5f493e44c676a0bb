"""A progress bar for the terminal."""

from collections.abc import Callable


class Bar:
    """A progress bar with rate and time left, in a terminal; lines go above it."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def __enter__(self) -> "Bar":
        self._bar = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, done: int, total: int) -> None:
        """Move the bar to `done` of `total`."""
        from tqdm import tqdm

        if self._bar is None:
            self._bar = tqdm(total=total, unit=" reports", disable=None, dynamic_ncols=True, smoothing=0.1)
        self._bar.update(done - self._bar.n)
        if done == total:
            self._bar.close()

    def say(self, line: str) -> None:
        """A line above the bar."""
        if self._bar is not None and not self._bar.disable:
            self._bar.clear()
        self._say(line)
