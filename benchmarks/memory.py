"""Peak memory of a command and of the kernels that it starts, sampled."""

import subprocess
import time
from contextlib import suppress

import psutil
from workspace import Workspace

STEP = 0.1  # seconds between two looks


def peak(space: Workspace, kernels: str) -> dict[str, float]:
    """Megabytes at most: of all processes together, and of any one kernel, each page shared by n counted as 1/n."""
    command = space.ours("reports", "--force", "--kernels", kernels, "--jobs", str(space.jobs))
    process = subprocess.Popen(command, cwd=space.root, env=space.environment, stdout=subprocess.DEVNULL)
    together = largest = 0.0
    while process.poll() is None:
        sizes = _sizes(psutil.Process(process.pid))
        together = max(together, sum(sizes))
        largest = max([largest, *sizes[1:]])
        time.sleep(STEP)
    return {"all_megabytes": together, "largest_child_megabytes": largest}


def _sizes(process: psutil.Process) -> list[float]:
    """Of a process and each of its descendants."""
    sizes = []
    with suppress(psutil.Error):
        for member in [process, *process.children(recursive=True)]:
            with suppress(psutil.Error):
                sizes.append(member.memory_full_info().pss / 1e6)
    return sizes
