"""Work over processes and over a Dask cluster: what one process gives, and a named error where the workers are lost."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from analysis._core import cluster
from analysis._import.official import workers
from analysis.cli import main


def test_processes_give_what_one_gives(tree: Any, bring: Callable) -> None:
    for number in range(40):
        log = tree.log_text(
            result_samples_per_second=number + 1.0, result_validity="INVALID" if number == 7 else "VALID"
        )
        tree.run(f"model{number:02}", log=log)
    for number in range(40):
        tree.write(f"closed/Acme/results/acme/model{number:02}/Offline/accuracy/accuracy.txt", "accuracy=75.9%\n")
    alone, workers = bring(tree.root, workers=1), bring(tree.root, workers=2)
    assert alone.table == workers.table and alone.problems == workers.problems
    assert len(alone.table) + len(alone.problems) == 40


def test_a_dask_cluster_gives_what_one_process_gives(tree: Any, bring: Callable) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: the cluster is not tested")
    for number in range(30):
        tree.run(f"model{number:02}")
    tree.power(tree.run("llama2-70b-99.9"), b"")
    alone = bring(tree.root)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        outcome = bring(tree.root, scheduler=cluster.scheduler_address)
    assert outcome.table == alone.table and outcome.problems == alone.problems
    assert (outcome.rows, len(outcome.problems)) == (31, 1)


def test_a_scheduler_that_does_not_answer_is_named(
    tree: Any, bring: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: the cluster is not tested")
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    tree.run()
    with pytest.raises(cluster.ClusterError, match="no Dask scheduler answers at"):
        bring(tree.root, scheduler="tcp://127.0.0.1:9")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("address", "reason"),
    [("bogus", "missing port"), ("ftp://x:1", "unknown address scheme"), ("[", "invalid address")],
)
def test_an_address_that_is_none_is_refused_at_once(
    tree: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], address: str, reason: str
) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: the cluster is not tested")
    tree.run()
    start = time.monotonic()
    assert main.main(["import", str(tree.root), "--out", str(tmp_path / "out.csv"), "--scheduler", address]) == 1
    assert time.monotonic() - start < 5
    said = capsys.readouterr().err
    assert f"no Dask scheduler answers at {address}: {reason}" in said and "such as tcp://host:8786" in said


def killed(number: int) -> int:
    """Work that ends its process, as the system does where memory is short."""
    if number == 40:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_worker_that_is_killed_is_named_with_what_it_had() -> None:
    with pytest.raises(
        workers.WorkersLost, match=r"a worker process was killed, .*: \d+ results .* the first of them \d+"
    ):
        list(workers.spread(killed, range(200), workers=2))


def test_a_killed_worker_ends_the_others_where_sigterm_raises_in_them(tmp_path: Path) -> None:
    """As the command line has it: SIGTERM is Ctrl-C, which a task that is under way would hand back as its error."""
    program = """
import os, signal, time
from analysis._import.official import workers
def interrupt(*_):
    raise KeyboardInterrupt
def work(number):
    time.sleep(0.2)
    if number == 4:
        os.kill(os.getpid(), signal.SIGKILL)
signal.signal(signal.SIGTERM, interrupt)
try:
    list(workers.spread(work, range(60), workers=3))
except workers.WorkersLost:
    print("lost")
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=30,
                          cwd=tmp_path, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "lost\n")


class Lost:
    """A cluster whose scheduler is stopped: what was submitted is cancelled."""

    def submit(self, *_: Any) -> Future:
        future: Future = Future()
        future.cancel()
        return future


def test_a_cluster_that_is_lost_is_named_with_what_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: the cluster is not tested")
    monkeypatch.setattr(workers, "_pool", lambda scheduler, workers: nullcontext((Lost(), 1)))
    with pytest.raises(
        workers.WorkersLost, match=r"the Dask cluster at tcp://a:1 is lost .*: 9 results .* of them 0\. See"
    ):
        list(workers.spread(abs, range(9), scheduler="tcp://a:1"))


def test_few_tasks_are_spread_and_many_of_a_kind_go_together() -> None:
    few = [len(batch) for batch in workers._batches(range(40), type, 2)]
    many = [len(batch) for batch in workers._batches(range(4000), type, 2)]
    assert few == [workers.LEAST] * 5
    assert many[0] == workers.LEAST and max(many) == many[-2] == workers.MOST and sum(many) == 4000
    kinds = [batch[0] for batch in workers._batches(range(3000), lambda number: number // 30, 2)]
    assert [first for first in kinds if first >= 1500] == list(range(1500, 3000, 30))


def test_an_import_starts_without_the_libraries_of_frames(tree: Any, tmp_path: Path) -> None:
    tree.run()
    code = (
        "import sys; from analysis.cli import main; status = main.main(sys.argv[1:]);"
        "print(status, sorted({'pandas', 'matplotlib', 'distributed', 'asyncio'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, "import", str(tree.root), "--out", str(tmp_path / "out.parquet")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said.splitlines()[-1] == "0 []"
