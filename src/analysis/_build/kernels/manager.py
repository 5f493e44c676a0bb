"""The Jupyter manager of one kernel: how it is started, ended and noticed dead.

Which kind of process it is decides the provisioner that `spec` names: an ordinary child, or a warm fork.
"""

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import zmq.asyncio
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.util import run_sync

from analysis._build.kernels import provisioner
from analysis._build.kernels.client import ReportClient

RECONNECT = 5  # milliseconds between two looks whether a new kernel listens; zmq's own are 100
# All kernels of a build would write their cells into one database, and each could read there what the others ran.
NO_HISTORY = "--HistoryManager.enabled=False"
LONGEST_SOCKET = 90  # characters that the path of a Unix socket may have on any system, less a port


def spec(warm: bool = False) -> KernelSpec:
    """A kernel of the running interpreter, whatever `python3` kernels the machine has registered."""
    provisioner.register()
    kind = {"provisioner_name": provisioner.NAME if warm else "local-provisioner"}
    described = get_kernel_dict([NO_HISTORY])
    return KernelSpec(**described | {"metadata": described["metadata"] | {"kernel_provisioner": kind}})


def transport(sockets: Path) -> dict[str, Any]:
    """Where a kernel listens: Unix sockets of its own, or TCP where their path (a prefix) cannot be used."""
    if sys.platform != "win32" and len(str(sockets)) <= LONGEST_SOCKET:
        return {"transport": "ipc", "ip": str(sockets)}
    # Without encryption, ipykernel warns on stderr in every kernel that it listens on TCP.
    return {"transport_encryption": "auto" if zmq.has("curve") else "disabled"}


class ReportKernel(AsyncKernelManager):
    """One kernel: fixed interpreter, given environment and folder (`launch`), its files under a path of its own.

    `files` is a prefix: `.log` is what the process says on stderr, `.json` how to connect to it.
    """

    def __init__(self, launch: dict[str, Any], files: Path, stopping: threading.Event, warm: bool = False) -> None:
        super().__init__(
            connection_file=f"{files}.json", client_factory=ReportClient, context=zmq.asyncio.Context(),
            **transport(files),
        )  # fmt: skip
        self.context.setsockopt(zmq.RECONNECT_IVL, RECONNECT)
        self.shutdown_wait_time = 3.0
        self._launch, self._errors, self._stopping = launch, files.with_suffix(".log"), stopping
        self._asked, self._clients, self._spec = False, [], spec(warm)

    @property
    def kernel_spec(self) -> KernelSpec:
        """The specification that the kernel is started by."""
        return self._spec

    async def start_kernel(self, **kwargs: Any) -> None:  # type: ignore[override]
        with self._errors.open("wb") as errors:
            if not self._stopping.is_set():
                await super().start_kernel(**self._launch, stdout=errors, stderr=errors, **kwargs)
        # `Kernels.stop` may have come while the process was being made, before it could be killed there.
        if self._stopping.is_set():
            self.kill()
            raise InterruptedError("the build was stopped")

    def client(self, **kwargs: Any) -> Any:
        client = super().client(**kwargs)
        self._clients.append(client)
        return client

    def ask_to_end(self) -> None:
        """Ask the kernel to end, without waiting, so that other work can be done meanwhile."""
        self._asked = True
        run_sync(self.request_shutdown)()

    def end(self) -> None:
        """Wait until the kernel has ended: as asked, or else by force. Gives its sockets back."""
        run_sync(self._end)()

    def kill(self) -> None:
        """Kill the kernel's process group at once; callable from any thread."""
        group = getattr(self.provisioner, "pgid", None)
        if group and group != os.getpgrp():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)

    def exit_status(self) -> int | None:
        """The exit status of a process that has ended, negative for a signal; None while it runs."""
        process = getattr(self.provisioner, "process", None)
        return process.poll() if process else None

    def last_words(self) -> str:
        """The last line that the kernel process wrote to stderr, or an empty text."""
        text = self._errors.read_text(errors="replace") if self._errors.exists() else ""
        return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")

    async def _end(self) -> None:
        if self.has_kernel and self._asked:
            await self.finish_shutdown(pollinterval=0.02)
        elif self.has_kernel:
            await self.shutdown_kernel(now=True)
        for client in self._clients:
            client.stop_channels()
        await self.cleanup_resources()
        self.context.destroy(linger=0)  # Given above, so that it isn't the manager's to end.
