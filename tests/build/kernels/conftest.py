"""Kernels for tests, warm and ordinary, through jupyter_client alone, as nbval would start them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

from analysis._build.kernels import provisioner, warm


class Kernel:
    """A running kernel: `run` executes code and returns what it printed, or the name of the error that it raised."""

    def __init__(self, name: str, folder: Path, **launch: Any) -> None:
        spec = get_kernel_dict()
        spec["metadata"] |= {"kernel_provisioner": {"provisioner_name": name}}
        self.manager = KernelManager(transport="ipc", ip=str(folder / "k"))
        self.manager._kernel_spec = KernelSpec(**spec)
        self.manager.start_kernel(**launch)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.pid = self.manager.provisioner.pid

    def run(self, code: str, timeout: float = 60) -> str:
        """What the code prints, or the name of its error."""
        said: list[str] = []
        hook = lambda message: said.append(message["content"].get("text") or message["content"].get("ename") or "")  # noqa: E731
        self.client.execute_interactive(code, timeout=timeout, output_hook=hook, allow_stdin=False)
        return "".join(said).strip()

    def end(self, now: bool = False) -> None:
        """Shut the kernel down: as asked, or at once."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=now)


@pytest.fixture
def kernel_class() -> type[Kernel]:
    """The class above: test modules cannot import this one (pytest's importlib mode)."""
    return Kernel


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Any]:
    """A function that starts a kernel; all are ended afterwards."""
    provisioner.register()
    started: list[Kernel] = []

    def start(warm: bool = True, **launch: Any) -> Kernel:
        folder = tmp_path / str(len(started))
        folder.mkdir()
        with (folder / "log").open("wb") as log:
            streams = {"stdout": log, "stderr": log}
            kernel = Kernel(provisioner.NAME if warm else "local-provisioner", folder, **streams | launch)
        started.append(kernel)
        return kernel

    yield start
    for kernel in started:
        with contextlib.suppress(RuntimeError):
            kernel.end(now=True)


@pytest.fixture(scope="module", autouse=True)
def _one_warm_parent() -> Iterator[None]:
    """One fork server for all tests of a module, and none of another room's."""
    warm.close()
    warm.start(dict(os.environ), str(Path.cwd()))
    yield
    warm.close()
