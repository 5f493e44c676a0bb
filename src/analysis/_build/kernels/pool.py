"""The kernels of one build: what they have in common, and that none outlives it."""

import contextlib
import fcntl
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from analysis._core import paths
from analysis._build.kernels.process import ForkServer
from analysis._build.runs.folders import Places

if TYPE_CHECKING:
    from analysis._build.kernels.kernel import ReportKernel

KINDS = ("warm", "ordinary")
PREFIX = "analysis-kernels-"


@dataclass(frozen=True)
class Workers:
    """What executes notebooks: `jobs` at a time, each cell within `timeout` seconds, in `kernels`, one of KINDS."""

    jobs: int = 3
    timeout: int = 300
    kernels: str = KINDS[0]


WORKERS = Workers()


class Kernels:
    """All kernels of one build: they share folder and environment, and none outlives the `with` block.

    Warm kernels are forked from a process that begins to load libraries here, while this one goes on with its own
    imports; what they put out is the same. Libraries that draw take long and are not among them where figures are kept
    from earlier builds, unless notebooks are `edited`. Where a process cannot be forked safely, as on macOS, all kernels
    are ordinary.
    """

    def __init__(self, places: Places, kind: str = KINDS[0], edited: bool = False) -> None:
        self._scratch, self._held = _scratch()
        environment = kernel_environment(places.source, self._scratch)
        # The folder is given to the process itself: papermill's `cwd` would change it for all threads.
        self._launch = {"env": environment, "cwd": str(places.notebooks)}
        self._live: set[ReportKernel] = set()
        self._lock, self._count, self._stopping = threading.Lock(), 0, threading.Event()
        kept = paths.cache("figures")
        drawing = edited or kept is None or not kept.exists()
        is_warm = kind == "warm" and sys.platform == "linux"
        self._server = ForkServer(**self._launch, drawing=drawing) if is_warm else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._server is not None:
            self._server.close()
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._held.close()

    @property
    def stopping(self) -> bool:
        """Whether the build was asked to stop: nothing may be published from then on."""
        return self._stopping.is_set()

    @contextlib.contextmanager
    def one(self) -> Iterator["ReportKernel"]:
        """A kernel that is not started yet; at the end of the block it has ended."""
        kernel = self._new()
        try:
            yield kernel
        finally:
            kernel.end()
            with self._lock:
                self._live.discard(kernel)
            _close_event_loop()

    def stop(self) -> None:
        """Kill every kernel, and let none start from now on; callable from any thread."""
        with self._lock:
            self._stopping.set()
            for kernel in self._live:
                kernel.kill()

    def _new(self) -> "ReportKernel":
        from analysis._build.kernels.kernel import ReportKernel  # Slow to import, while the fork server loads too.

        with self._lock:
            self._count += 1
            kernel = ReportKernel(self._launch, self._scratch / str(self._count), self._stopping, self._server)
            self._live.add(kernel)
        return kernel


def _close_event_loop() -> None:
    """Close what Jupyter's synchronous calls opened for this thread, and leave to the collector of garbage.

    A loop that runs is that of whoever called: a notebook, or what drives a browser.
    """
    from jupyter_core.utils import ensure_event_loop

    loop = ensure_event_loop()
    if not loop.is_running():
        loop.close()


def kernel_environment(source: Path, scratch: Path) -> dict[str, str]:
    """The environment variables of a kernel: its package is the one whose digests are recorded.

    An analyst's own IPython profile and matplotlib backend stay outside: they would change reports.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    python_path = os.pathsep.join(filter(None, [str(source), inherited.get("PYTHONPATH")]))
    return inherited | {"PYTHONPATH": python_path, "IPYTHONDIR": str(scratch / "ipython")}


def _scratch() -> tuple[Path, IO[str]]:
    """A new folder for the files of kernels, and a locked file in it, which the system lets go however we end.

    What killed builds left is removed.
    """
    for lock in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/lock"):
        with contextlib.suppress(OSError), lock.open() as file:  # Another user's, or removed at this moment.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent, ignore_errors=True)
    unready = Path(tempfile.mkdtemp(prefix=PREFIX), "unready")
    held = unready.open("w")
    fcntl.flock(held, fcntl.LOCK_EX)
    unready.rename(unready.with_name("lock"))  # Seen by others only once it is held.
    return unready.parent, held
