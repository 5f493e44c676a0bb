"""Faults in the middle of a sweep: no half-written report, no process left over, and the next run completes it."""

import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from analysis._build.kernels.pool import KINDS
from analysis._core.file_contents import sha256

PICK = "notebook: apples\nmatrix:\n  apples: [1, 2]\n  name: [Ann, Bo]\n"
FEW = "notebook: apples\nmatrix:\n  apples: [1, 2, 3]\n"


ENDINGS = [*zip((signal.SIGKILL, signal.SIGINT), KINDS, strict=True)]


@pytest.mark.parametrize(("number", "kernels"), ENDINGS)
def test_an_ended_sweep_leaves_nothing_half_done_and_is_resumed(orchard, number, kernels):
    orchard.write(PICK)
    mark = orchard.places.root / "running.txt"
    process = subprocess.Popen(
        orchard.program(f"main.main(['sweep', 'pick', '--jobs', '2', '--kernels', {kernels!r}])"),
        env=orchard.environment | {"SWEEP_TEST_MARK": str(mark), "SWEEP_TEST_SECONDS": "0.7"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    while not (mark.exists() and len(mark.read_text().splitlines()) >= 3):  # One is done, others are under way.
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(number)
    said, _ = process.communicate(timeout=30)
    assert "Traceback" not in said
    if number != signal.SIGKILL:
        assert process.returncode == 130 and "the next run completes what is missing" in said
    pids = {int(pid) for line in mark.read_text().splitlines() for pid in line.split()} - {os.getpid(), 1}
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "a kernel outlived the sweep"
        time.sleep(0.05)
    done = whole(orchard)
    outcome = orchard.sweep()
    assert set(outcome.fresh) == done and len(outcome.built) == 4 - len(done)
    assert not [name for name in orchard.tree() if name.endswith(".tmp")]


def test_a_killed_kernel_fails_its_report_alone(orchard):
    orchard.write(FEW)
    mark = orchard.places.root / "running.txt"
    process = subprocess.Popen(
        orchard.program("main.main(['sweep', 'pick', '--jobs', '1'])"),
        env=orchard.environment | {"SWEEP_TEST_MARK": str(mark), "SWEEP_TEST_SECONDS": "0.5"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    while not (mark.exists() and mark.read_text().endswith("\n")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.kill(int(mark.read_text().split()[0]), signal.SIGKILL)
    said, _ = process.communicate(timeout=90)
    assert process.returncode == 1
    assert "was killed from outside (signal 9)" in said and "2 built, 1 failed" in said


def test_a_full_disk_is_told_and_what_is_there_is_whole(orchard):
    """A limit on the size of files stands for the disk: pages do not fit, records would."""
    orchard.write(FEW)
    limit = 4000  # bytes; a page has more
    process = subprocess.run(
        orchard.program("main.main(['sweep', 'pick', '--kernels', 'ordinary', '--jobs', '2'])"),
        env=orchard.environment, capture_output=True, text=True, timeout=120, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    assert process.returncode == 1 and "Traceback" not in process.stdout + process.stderr
    assert "File too large" in process.stdout + process.stderr
    assert whole(orchard) == set()
    assert not [name for name in orchard.tree() if name.endswith((".tmp", ".html"))]
    assert len(orchard.sweep().built) == 3


def whole(orchard):
    """The reports that have a record, each with exactly the page that it vouches for."""
    records = [path for path in (orchard.places.reports / "pick").glob("*.json")]
    for path in records:
        page = path.with_suffix(".html").read_text("utf-8")
        assert json.loads(path.read_text("utf-8"))["html_sha256"] == sha256(page)
    return {path.stem for path in records}


def alive(pid):
    """Whether a process runs (one that waits to be fetched does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
