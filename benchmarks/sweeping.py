"""A sweep here and on a Dask cluster of this machine, and the build that has nothing to do."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TextIO

import yaml
from workspace import Cost, Workspace

PRICE = "usd_per_kilowatt_hour"


def nothing_to_do(space: Workspace) -> Cost:
    """`analysis reports` when all reports are fresh."""
    return space.time(space.ours("reports"))


def sweep(space: Workspace, name: str, *options: str) -> Cost:
    """A whole sweep, from nothing: neither a page nor a figure of it is there."""
    space.forget()
    shutil.rmtree(space.root / "reports" / name, ignore_errors=True)
    return space.time(space.ours("sweep", name, "--jobs", str(space.jobs), *options))


def grown(space: Workspace, name: str, times: int) -> str:
    """The name of a sweep like `name` with so many times its points, by as many more prices of electricity."""
    sweeps = space.root / "notebooks" / "sweeps"
    content = yaml.safe_load((sweeps / f"{name}.yml").read_text("utf-8"))
    prices = content["matrix"][PRICE]
    content["matrix"][PRICE] = [round(price * (1 + step / 1000), 6) for price in prices for step in range(times)]
    (sweeps / f"{name}_grown.yml").write_text(yaml.safe_dump(content), "utf-8")
    return f"{name}_grown"


def commands_once(space: Workspace, notebook: str) -> Cost:
    """The papermill and nbconvert commands for one report of a notebook."""
    made = space.fresh_out() / "one.ipynb"
    return space.time(
        [sys.executable, "-m", "papermill", "--no-progress-bar", "-k", "python3", f"{notebook}.ipynb", str(made)],
        [sys.executable, "-m", "nbconvert", "--to", "html", "--log-level", "ERROR", str(made)],
    )


@contextmanager
def cluster(space: Workspace, processors: Sequence[int] = ()) -> Iterator[str]:
    """A scheduler and its workers, and the address; all are there before anything is timed.

    One worker with as many threads as jobs; or a worker for each of `processors`, which has that one alone.
    """
    options = ["--no-dashboard", "--no-show", "--host", "127.0.0.1", "--port", "0"]
    with ExitStack() as stack:
        log = stack.enter_context((space.root.parent / "dask.log").open("w+"))
        scheduler = [sys.executable, "-c", "from distributed.cli.dask_scheduler import main; main()", *options]
        stack.enter_context(_running(space, scheduler, log))
        address = _logged(log, r"Scheduler at:\s+(tcp://\S+)", 1)[0]
        worker = [sys.executable, "-c", "from distributed.cli.dask_worker import main; main()", address]
        worker += ["--no-nanny", "--no-dashboard", "--nthreads", "2" if processors else str(space.jobs)]
        for processor in processors or [None]:
            pinned = ["taskset", "-c", str(processor)] if processor is not None else []
            stack.enter_context(_running(space, [*pinned, *worker], log))
        _logged(log, r"Registered to:\s+(tcp://\S+)", len(processors) or 1)
        yield address


@contextmanager
def _running(space: Workspace, command: list[str], log: TextIO) -> Iterator[None]:
    process = subprocess.Popen(command, env=space.environment, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _logged(log: TextIO, pattern: str, times: int) -> list[str]:
    """What the pattern finds in the log, once it is there so many times. Raises RuntimeError after a minute."""
    for _ in range(600):
        log.seek(0)
        if len(matches := re.findall(pattern, log.read())) >= times:
            return matches
        time.sleep(0.1)
    raise RuntimeError(f"the cluster did not start; see {log.name}")
