"""Sweeps on a Dask cluster: a real scheduler and real workers on loopback, one of them killed in the middle."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("distributed", reason="the extra [cluster] is not installed")

from analysis._build.runs.folders import Places
from analysis._core.cluster import ClusterError

if TYPE_CHECKING:
    from conftest import Orchard

PICK = "notebook: apples\nmatrix:\n  apples: [1, 2]\n  name: [Ann, Bo]\n"


class Cluster:
    """Processes of a scheduler and its workers; `worker` adds one."""

    def __init__(self, orchard: Orchard) -> None:
        self.orchard, self.processes = orchard, []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.start("from distributed.cli.dask_scheduler import main; main()", "--no-dashboard", "--no-show",
                   "--host", "127.0.0.1", "--port", self.address.rpartition(":")[2])  # fmt: skip
        wait_for(lambda: b"Scheduler at" in (self.orchard.places.root / "process-0.log").read_bytes())

    def start(self, program: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start one process of the cluster."""
        log = (self.orchard.places.root / f"process-{len(self.processes)}.log").open("wb")
        process = subprocess.Popen(
            [*self.orchard.program(f"exec({program!r})")[:3], *arguments],
            env=self.orchard.environment | environment, stdout=log, stderr=log,
        )  # fmt: skip
        self.processes.append(process)
        return process

    def worker(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start one worker, which is one process without a nanny."""
        return self.start("from distributed.cli.dask_worker import main; main()", self.address, "--no-nanny",
                          "--no-dashboard", "--nthreads", "2", "--host", "127.0.0.1", **environment)  # fmt: skip

    def end(self) -> None:
        """End all, the workers first: at once, for how Dask itself ends is not tested here."""
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(orchard: Orchard) -> Iterator[Cluster]:
    """A scheduler of its own for each test."""
    made = Cluster(orchard)
    yield made
    made.end()


@pytest.fixture(scope="module")
def standing() -> Iterator[list[Cluster]]:
    """At most one cluster, which stays from test to test."""
    made: list[Cluster] = []
    yield made
    for each in made:
        each.end()


@pytest.fixture
def lasting(orchard: Orchard, standing: list[Cluster]) -> Cluster:
    """A scheduler with a worker that no test ends; each test's project stands in the same place."""
    if not standing:
        standing.append(Cluster(orchard))
        standing[0].worker()
    return standing[0]


def test_reports_are_the_same_bytes_although_a_worker_is_killed(orchard, cluster):
    orchard.write(PICK)
    commit = committed(orchard.places.root)
    assert orchard.sweep().status == 0
    here = orchard.tree()
    assert orchard.record("1_ann")["commit"] == {"id": commit, "not_committed": []}
    for path in (orchard.places.reports / "pick").glob("*.*"):
        path.unlink()
    mark = orchard.places.root / "running.txt"
    lost = cluster.worker(SWEEP_TEST_MARK=str(mark), SWEEP_TEST_SECONDS="60")
    sweep = subprocess.Popen(
        orchard.program(f"main.main(['sweep', 'pick', '--kernels', 'ordinary', '--scheduler', {cluster.address!r}])"),
        env=orchard.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    wait_for(lambda: mark.exists() and len(mark.read_text().splitlines()) == 2, sweep)
    cluster.worker()
    lost.send_signal(signal.SIGKILL)
    said, _ = sweep.communicate(timeout=90)
    assert sweep.returncode == 0, said
    assert "4 built" in said
    assert orchard.tree() == here
    kernels = [int(line.split()[0]) for line in mark.read_text().splitlines()]
    wait_for(lambda: not any(alive(pid) for pid in kernels))


def test_a_failing_point_is_told(orchard, lasting):
    orchard.write(PICK.replace("Bo", "Eve"))
    outcome = orchard.sweep(scheduler=lasting.address)
    assert len(outcome.built) == 2 and len(outcome.failed) == 2
    assert "ValueError: no apples for Eve" in outcome.failed[0].text()


def test_a_report_made_from_other_files_is_refused(orchard, lasting):
    orchard.write(PICK)
    (orchard.places.root / "here.lock").write_text("# this machine's\n")
    far = orchard.places
    orchard.places = Elsewhere(**vars(far) | {"lock": far.root / "here.lock"})
    outcome = orchard.sweep(scheduler=lasting.address)
    assert not outcome.built
    assert "has another requirements.lock than this machine" in outcome.failed[0].text()


class Elsewhere(Places):
    """A checkout that differs from the worker's in its lock."""

    def path(self, key: str) -> Path:
        return self.lock if key == "requirements.lock" else super().path(key)


def test_without_a_scheduler_it_says_how_to_start_one(orchard, monkeypatch):
    monkeypatch.setattr("analysis._core.cluster.PATIENCE", 0.5)
    orchard.write(PICK)
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at .*Start one: dask scheduler"):
        orchard.sweep(scheduler="tcp://127.0.0.1:1")


def committed(root: Path) -> str:
    """Commit all that a project has so far, for its pages name the commit; returns its id."""
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for step in (
        ["init", "--quiet"],
        ["add", "notebooks", "requirements.lock"],
        [*who, "commit", "--quiet", "-m", "a"],
    ):
        subprocess.run(["git", "-C", str(root), *step], check=True)
    return subprocess.check_output(["git", "-C", str(root), "rev-parse", "HEAD"], text=True).strip()


def wait_for(condition: object, process: subprocess.Popen[str] | None = None) -> None:
    """Wait until something is so; fail with what a process said if that ends before."""
    deadline = time.monotonic() + 60
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Whether a process runs (one that waits to be fetched does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
