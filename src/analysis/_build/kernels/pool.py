"""The kernels of one build: what they have in common, and that none outlives it."""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Self

from analysis._build.kernels import warm
from analysis._build.kernels.scratch import Scratch
from analysis._build.runs.folders import Places

if TYPE_CHECKING:
    from analysis._build.kernels.manager import ReportKernel

KINDS = ("warm", "ordinary")


class Kernels:
    """All kernels of one build: they share folder and environment, and none outlives the `with` block.

    Warm kernels are forked from a process that begins to load libraries here, while this one goes on with its own
    imports; what they put out is the same.
    """

    def __init__(self, places: Places, kind: str = KINDS[0]) -> None:
        self._scratch = Scratch()
        environment = kernel_environment(places.source, self._scratch.path)
        # The folder is given to the process itself: papermill's `cwd` would change it for all threads.
        self._launch = {"env": environment, "cwd": str(places.notebooks)}
        self._live: set[ReportKernel] = set()
        self._lock, self._count, self._stopping = threading.Lock(), 0, threading.Event()
        self._warm = kind == "warm"
        if self._warm:
            warm.start(**self._launch)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        warm.close(self._launch["env"])
        self._scratch.close()

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
        from analysis._build.kernels.manager import ReportKernel  # Slow to import, while the fork server loads too.

        with self._lock:
            self._count += 1
            files = self._scratch.path / str(self._count)
            kernel = ReportKernel(self._launch, files, self._stopping, self._warm)
            self._live.add(kernel)
        return kernel


def _close_event_loop() -> None:
    """Close what Jupyter's synchronous calls opened for this thread, and leave to the collector of garbage."""
    from jupyter_core.utils import ensure_event_loop

    ensure_event_loop().close()


def kernel_environment(source: Path, scratch: Path) -> dict[str, str]:
    """The environment variables of a kernel: its package is the one whose digests are recorded.

    An analyst's own IPython profile and matplotlib backend stay outside: they would change reports.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    python_path_before = [inherited["PYTHONPATH"]] if inherited.get("PYTHONPATH") else []
    python_path = os.pathsep.join([str(source), *python_path_before])
    return inherited | {"PYTHONPATH": python_path, "IPYTHONDIR": str(scratch / "ipython")}
