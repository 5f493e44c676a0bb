"""The client of one kernel, which waits until the kernel answers."""

import contextlib
import time
from queue import Empty
from typing import Any

from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.channels import AsyncZMQSocketChannel
from traitlets import Type

STEP = 1.0  # seconds after which a kernel that is silent is asked again, and looked at whether it lives


class Outputs(AsyncZMQSocketChannel):
    """jupyter_client's, but that it doesn't look whether there is a message before it waits for one."""

    async def get_msg(self, timeout: float | None = None) -> dict[str, Any]:
        """The next message. Raises queue.Empty after `timeout` seconds without one."""
        return await (self._recv() if timeout is None else super().get_msg(timeout))


class ReportClient(AsyncKernelClient):
    """jupyter_client's, without its fixed wait of 0.2 seconds for what a new kernel might still have to say.

    A kernel's manager knows from its process whether it lives, so no thread listens to its heartbeat.
    """

    iopub_channel_class = Type(Outputs)

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
