"""Work over processes and over a Dask cluster: what one process gives, and a named error where the workers are lost."""

import pytest

from analysis._core import cluster


def test_processes_give_what_one_gives(tree, bring):
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


def test_a_dask_cluster_gives_what_one_process_gives(tree, bring):
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


def test_a_scheduler_that_does_not_answer_is_named(tree, bring, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="Dask is not installed: the cluster is not tested")
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    tree.run()
    with pytest.raises(cluster.ClusterError, match="no Dask scheduler answers at"):
        bring(tree.root, scheduler="tcp://127.0.0.1:9")
    assert not (tmp_path / "out.csv").exists()
