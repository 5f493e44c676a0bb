"""One kernel of a build: how it is started, ended and noticed dead, and the client that waits until it answers."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
import time
from pathlib import Path
from queue import Empty
from typing import Any

import zmq.asyncio
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner
from nbclient.util import run_sync

from analysis._build.kernels.process import ForkedProcess, ForkServer

STEP = 1.0  # seconds after which a kernel that is silent is asked again, and looked at whether it lives
RECONNECT = 5  # milliseconds between two looks whether a new kernel listens; zmq's own are 100
# All kernels of a build would write their cells into one database, and each could read there what the others ran.
NO_HISTORY = "--HistoryManager.enabled=False"
LONGEST_SOCKET = 90  # characters that the path of a Unix socket may have on any system, less a port


class Provisioner(LocalProvisioner):
    """jupyter_client's, except that kernels of a manager with a fork server are forked from it."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Fork the kernel, or start it as an ordinary process where there is no process to fork it from."""
        manager, folder = self.parent, str(kwargs["cwd"])
        if manager.server is not None:
            with contextlib.suppress(OSError):
                arguments = cmd[cmd.index("-m") + 2 :]  # behind the interpreter and the name of its module
                self.process = await asyncio.to_thread(manager.server.fork, arguments, folder, manager.log_file)
                self.pid = self.pgid = self.process.pid
                return self.connection_info
        return await super().launch_kernel(cmd, **kwargs)

    async def shutdown_requested(self, restart: bool = False) -> None:
        """End a forked kernel by SIGTERM, which it takes for the orderly end that it is asked for."""
        if isinstance(self.process, ForkedProcess):
            self.process.terminate()


class Client(AsyncKernelClient):
    """jupyter_client's, without its fixed wait of 0.2 seconds for what a new kernel might still have to say.

    A kernel's manager knows from its process whether it lives, so no thread listens to its heartbeat.
    """

    def start_channels(self, *channels: bool, hb: bool = False, **kinds: bool) -> None:
        """Connect to the kernel, to its heartbeat only where asked to."""
        super().start_channels(*channels, hb=hb, **kinds)

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Wait until the kernel answers and its outputs are heard. Raises RuntimeError if it dies or stays silent."""
        deadline = time.monotonic() + (timeout or float("inf"))
        while True:
            self.kernel_info()
            with contextlib.suppress(Empty):
                # A kernel welcomes whoever subscribes to its outputs: from then on, none of them is missed.
                await self.get_iopub_msg(timeout=STEP)
                await self.get_shell_msg(timeout=STEP)
                return
            if not await self.is_alive():
                raise RuntimeError("Kernel died before replying to kernel_info")
            if time.monotonic() > deadline:
                raise RuntimeError(f"Kernel didn't respond in {timeout:.0f} seconds")


class ReportKernel(AsyncKernelManager):
    """One kernel of the running interpreter: given environment and folder (`launch`), its files under a path of its own.

    `files` is a prefix: `.log` is what the process says, `.json` how to connect to it. Without a `server` to be forked
    from it is an ordinary process.
    """

    def __init__(
        self, launch: dict[str, Any], files: Path, stopping: threading.Event, server: ForkServer | None
    ) -> None:
        # Unix sockets of its own, because two kernels that start could race for a port.
        short = sys.platform != "win32" and len(str(files)) <= LONGEST_SOCKET
        transport = {"transport": "ipc", "ip": str(files)} if short else {}
        super().__init__(
            connection_file=f"{files}.json", client_factory=Client, context=zmq.asyncio.Context(), **transport
        )
        self.context.setsockopt(zmq.RECONNECT_IVL, RECONNECT)
        self.shutdown_wait_time = 3.0
        self.server, self.log_file = server, files.with_suffix(".log")
        self._launch, self._stopping, self._asked, self._clients = launch, stopping, False, []
        # Whatever `python3` kernels the machine has registered.
        self.kernel_id, self._kernel_spec = files.name, KernelSpec(**get_kernel_dict([NO_HISTORY]))
        self.provisioner = Provisioner(kernel_id=self.kernel_id, kernel_spec=self._kernel_spec, parent=self)

    async def start_kernel(self, **kwargs: Any) -> None:  # type: ignore[override]
        with self.log_file.open("ab") as log:
            if not self._stopping.is_set():
                await super().start_kernel(**self._launch, stdout=log, stderr=log, **kwargs)
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
        for kill in (os.killpg, os.kill) if group and group != os.getpgrp() else ():  # It may have no group yet.
            with contextlib.suppress(ProcessLookupError):
                kill(group, signal.SIGKILL)

    def exit_status(self) -> int | None:
        """The exit status of a process that has ended, negative for a signal; None while it runs."""
        process = getattr(self.provisioner, "process", None)
        return process.poll() if process else None

    def last_words(self) -> str:
        """The last line that the kernel process wrote, or an empty text."""
        text = self.log_file.read_text(errors="replace") if self.log_file.exists() else ""
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
