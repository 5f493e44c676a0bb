"""A sweep here and on a Dask cluster of this machine, and the build that has nothing to do."""

import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager

from workspace import Cost, Workspace


def nothing_to_do(space: Workspace) -> Cost:
    """`analysis reports` when all reports are fresh."""
    return space.time(space.ours("reports"))


def sweep(space: Workspace, name: str, *options: str) -> Cost:
    """A whole sweep, from nothing."""
    shutil.rmtree(space.root / "reports" / name, ignore_errors=True)
    return space.time(space.ours("sweep", name, "--jobs", str(space.jobs), *options))


def commands_once(space: Workspace, notebook: str) -> Cost:
    """The papermill and nbconvert commands for one report of a notebook."""
    made = space.fresh_out() / "one.ipynb"
    return space.time(
        [sys.executable, "-m", "papermill", "--no-progress-bar", "-k", "python3", f"{notebook}.ipynb", str(made)],
        [sys.executable, "-m", "nbconvert", "--to", "html", "--log-level", "ERROR", str(made)],
    )


@contextmanager
def cluster(space: Workspace):
    """A scheduler and one worker with as many threads as jobs, and the address; started before anything is timed."""
    log = (space.root.parent / "dask.log").open("w+")
    start = [sys.executable, "-c"]
    scheduler = subprocess.Popen(
        [*start, "from distributed.cli.dask_scheduler import main; main()", "--no-dashboard", "--no-show",
         "--host", "127.0.0.1", "--port", "0"],
        env=space.environment, stdout=log, stderr=log,
    )  # fmt: skip
    try:
        address = _said(log, r"Scheduler at:\s+(tcp://\S+)")
        worker = subprocess.Popen(
            [*start, "from distributed.cli.dask_worker import main; main()", address, "--no-nanny", "--no-dashboard",
             "--nthreads", str(space.jobs)],
            env=space.environment, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            _said(log, r"Registered to:\s+(tcp://\S+)")
            yield address
        finally:
            worker.kill()
            worker.wait()
    finally:
        scheduler.kill()
        scheduler.wait()


def _said(log, pattern: str) -> str:
    for _ in range(600):
        log.seek(0)
        if found := re.search(pattern, log.read()):
            return found[1]
        time.sleep(0.1)
    raise RuntimeError(f"the cluster did not start; see {log.name}")
