"""The `jupyter_client` provisioner of warm kernels; `JUPYTER_DEFAULT_PROVISIONER_NAME=analysis-warm` selects it."""

import asyncio
import os
import shutil
import sys
import tempfile
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

from analysis._build.kernels import warm
from analysis._build.kernels.process import ForkedProcess

NAME = "analysis-warm"
LAUNCHER = ["-m", "ipykernel_launcher"]


class WarmProvisioner(LocalProvisioner):
    """LocalProvisioner, except that ipykernels of this interpreter are forked from a process that has the libraries."""

    _sockets = ""  # the folder of a kernel that nobody chose a place for

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Have the kernel listen on Unix sockets of its own: two forks are ready at once, and could race for a port."""
        manager = self.parent
        if manager is not None and manager.transport == "tcp" and not manager.shell_port:
            self._sockets = tempfile.mkdtemp(prefix="analysis-sockets-")
            manager.transport, manager.ip = "ipc", str(Path(self._sockets, "k"))
        return await super().pre_launch(**kwargs)

    async def cleanup(self, restart: bool = False) -> None:
        """Remove the folder of the sockets, unless the kernel starts again."""
        await super().cleanup(restart)
        if self._sockets and not restart:
            shutil.rmtree(self._sockets, ignore_errors=True)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Fork the kernel, or start it as an ordinary process where it cannot be forked."""
        process = await asyncio.to_thread(_forked, cmd, kwargs)
        if process is None:
            return await super().launch_kernel(cmd, **kwargs)
        self.process, self.pid, self.pgid = process, process.pid, process.pid
        self.cwd = kwargs.get("cwd") or str(Path.cwd())
        return self.connection_info

    async def shutdown_requested(self, restart: bool = False) -> None:
        """End a forked kernel by SIGTERM, which it takes for the orderly end that it is asked for."""
        if isinstance(self.process, ForkedProcess):
            self.process.terminate()


def register() -> None:
    """Make the provisioner known by its name also where the package is on the path without being installed."""
    entry = EntryPoint(NAME, f"{__name__}:{WarmProvisioner.__name__}", KernelProvisionerFactory.GROUP_NAME)
    KernelProvisionerFactory.provisioners.setdefault(NAME, entry)


def _forked(cmd: list[str], kwargs: dict[str, Any]) -> ForkedProcess | None:
    streams = [_descriptor(kwargs.get(name), number) for name, number in (("stdout", 1), ("stderr", 2))]
    if cmd[0] != sys.executable or cmd[1:3] != LAUNCHER or None in streams:
        return None
    env = dict(kwargs.get("env") or os.environ) | {"JPY_PARENT_PID": str(os.getpid())}
    return warm.fork(cmd[3:], env, str(kwargs.get("cwd") or Path.cwd()), tuple(streams))


def _descriptor(stream: Any, inherited: int) -> int | None:
    """The file descriptor that a kernel writes to; None for a pipe, which only a real child can have."""
    if stream is None:
        return inherited
    number = stream if isinstance(stream, int) else stream.fileno()
    return number if number >= 0 else None
