"""The client of one kernel: how it finds out that the kernel answers."""

import contextlib
import time
from queue import Empty

from jupyter_client.asynchronous import AsyncKernelClient

STEP = 1.0  # seconds after which a kernel that is silent is asked again, and looked at whether it lives


class ReportClient(AsyncKernelClient):
    """jupyter_client's, without its fixed wait of 0.2 seconds for what a new kernel might still have to say."""

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
