"""A folder for the length of one build; the next build removes what a killed one left behind."""

import contextlib
import fcntl
import shutil
import tempfile
from pathlib import Path

PREFIX = "analysis-kernels-"


class Scratch:
    """An empty folder below the temporary folder, at `path` until `close`.

    Its owner holds a lock on a file in it, which the system releases however the process ends.
    """

    def __init__(self) -> None:
        _remove_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        unready = self.path / "unready"
        self._held = unready.open("w")
        fcntl.flock(self._held, fcntl.LOCK_EX)
        unready.rename(self.path / "lock")  # Seen by others only once it is held.

    def close(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._held.close()


def _remove_abandoned() -> None:
    for lock in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/lock"):
        with contextlib.suppress(OSError), lock.open() as file:  # Another user's, or removed at this moment.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent, ignore_errors=True)
