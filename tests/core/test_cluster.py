"""Which versions a Dask cluster may differ in, and how it is refused where it may not."""

import socket
import threading
from typing import Any

import pytest

from analysis._core import cluster

HERE = {
    "python": "3.11.4.final.0",
    "dask": "2026.8.0",
    "distributed": "2026.8.0",
    "cloudpickle": "3.1",
    "pandas": "3.0",
}


def versions(scheduler: dict[str, str | None], worker: dict[str, str | None]) -> dict[str, Any]:
    """What a client says of a cluster whose scheduler and only worker differ from it in some packages."""
    packages = {"client": HERE, "scheduler": HERE | scheduler}
    return {who: {"packages": installed} for who, installed in packages.items()} | {
        "workers": {"tcp://a:1": {"packages": HERE | worker}}
    }


def test_the_same_environment_is_accepted():
    assert cluster.mismatches(versions({}, {})) == []


def test_what_changes_no_result_may_differ():
    patched, bare = {"python": "3.11.9.final.0", "lz4": "4.0"}, {"pandas": None, "toolz": "1.0"}
    assert cluster.mismatches(versions(bare | patched, patched)) == []


@pytest.mark.parametrize(
    ("scheduler", "worker", "said"),
    [
        ({}, {"pandas": "2.0"}, "pandas 2.0 on the worker tcp://a:1, 3.0 here"),
        ({"distributed": "2025.1"}, {}, "distributed 2025.1 on the scheduler, 2026.8.0 here"),
        ({"cloudpickle": None}, {}, "cloudpickle missing on the scheduler, 3.1 here"),
    ],
)
def test_what_tasks_travel_or_compute_with_may_not(scheduler, worker, said):
    assert cluster.mismatches(versions(scheduler, worker)) == [said]


def test_a_cluster_of_other_versions_is_refused_by_name(monkeypatch):
    distributed = pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
    monkeypatch.setattr(cluster, "mismatches", lambda found: ["pandas 2.0 on the worker tcp://a:1, 3.0 here"])
    with (
        distributed.LocalCluster(n_workers=0, host="127.0.0.1", processes=True, dashboard_address=None) as local,
        pytest.raises(cluster.ClusterError, match="runs other versions than this process: pandas"),
    ):
        cluster.connect(local.scheduler_address)


def test_a_web_server_is_no_scheduler():
    """As the port of Dask's own dashboard: what it answers reads as a message of some exabytes."""
    pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer, args=(server,), daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(cluster.ClusterError, match=f"no Dask scheduler answers at {address}: what listens there"):
            cluster.connect(address)


def answer(server: socket.socket) -> None:
    """Say to whoever calls that this is HTTP."""
    caller, _ = server.accept()
    with caller:
        caller.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n" * 100)
        caller.recv(1)
