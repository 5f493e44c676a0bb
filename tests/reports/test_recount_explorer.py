"""What the explorer has of edge latency, and of runs under two accuracy targets, counted again by plain pandas."""

from __future__ import annotations

import pytest

from analysis import comparable, explorer, load_results
from tests.reports.grid import code
from tests.reports.plain import record


@pytest.fixture(scope="module")
def rows():
    return explorer.rows()


def test_the_lowest_edge_latency_of_yolo_is_that_of_a_run_under_both_targets(rows):
    """Dell's GB10 ran once for 95% and 99%: 13.8655 ms, before 14.14 ms at 95% of an RTX PRO 4500 SE."""
    asked = "round == 'v6.1' and benchmark == 'yolo' and scenario == 'SingleStream' and division == 'closed'"
    raw = record().query(asked).sort_values("low")
    assert raw["low"].iloc[0] == raw["low"].iloc[1] == pytest.approx(13.8655, abs=1e-4)
    best = rows.query(asked).sort_values("latency_ms").iloc[0]
    assert (best["accelerator"], best["target"]) == ("GB10", "") and best["latency_ms"] == raw["low"].iloc[0]


def test_a_mean_latency_says_so_in_its_remark(rows):
    """Logs of MLPerf Endpoints have a mean where LoadGen has a percentile: 6 results of Qwen3.6 27B, 9 of Wan 2.2."""
    mean = rows["latency_ms"].notna() & rows["note"].str.contains("mean latency, where LoadGen gives a percentile")
    assert rows.loc[mean, "benchmark"].value_counts().to_dict() == {"wan-2.2-t2v-a14b": 9, "qwen3.6-27b": 6}
    assert mean.sum() == (rows["latency_ms"].notna() & rows["note"].str.contains("Endpoints logs")).sum()
    assert not (rows["latency_ms"].notna() & rows["benchmark"].eq("qwen3.6-27b") & ~mean).any()


def test_a_run_under_two_targets_is_in_each_comparison_of_them(rows):
    """Where targets share a comparison it is there once, else at both; 18, 53, and 7 runs of three benchmarks."""
    second = record().query("duplicate_of != ''").set_index("id")
    assert second["benchmark"].value_counts()[["yolo", "dlrm-v2", "bert"]].tolist() == [18, 53, 7]
    able = rows[rows["excluded"].eq("")].set_index("id")["target"]
    for benchmark, apart in (("yolo", False), ("dlrm-v2", True), ("bert", True), ("llama2-70b", False)):
        pairs = second[second["benchmark"].eq(benchmark)]
        pairs = pairs[pairs["duplicate_of"].isin(able.index)]
        assert len(pairs) and (pairs.index.isin(able.index) == apart).all(), benchmark
        if apart:
            assert (able[pairs.index].to_numpy() != able[pairs["duplicate_of"]].to_numpy()).all()


@pytest.mark.parametrize(
    ("benchmark", "suite"), [("llama2-70b", "datacenter"), ("dlrm-v2", "datacenter"), ("yolo", "edge")]
)
def test_at_the_looser_target_runs_under_both_survive(benchmark, suite):
    loose = {"yolo": "95"}.get(benchmark, "99")
    results = load_results()
    kept = comparable(results, benchmark=benchmark, suite=suite, accuracy_target=loose)
    raw = record().query(
        "benchmark == @benchmark and accuracy_target == @loose and duplicate_of != '' and division == 'closed'"
        " and availability == 'available' and not power_measured and accelerator != 'mixed'"
    )
    raw = raw[raw["suite"].str.contains(suite) & raw["id"].isin(results.query("scenario == 'Offline'")["id"])]
    assert len(raw) > 5 and raw["id"].isin(kept["id"]).mean() > 0.9


@pytest.mark.parametrize(
    ("benchmark", "round", "expected"),
    [("gpt-oss-120b", "v6.1", 52), ("deepseek-r1", "v6.0", 18), ("whisper", "v6.0", 34), ("dlrm-v3", "v6.1", 3)],
)
def test_the_explorer_compares_the_results_that_comparable_returns(rows, benchmark, round, expected):
    """Without systems of several accelerator types, which both leave out."""
    its = rows[rows["suite"].str.contains("datacenter")].query(
        "benchmark == @benchmark and round == @round and scenario == 'Offline' and division == 'closed'"
        " and availability == 'available' and power == 'without' and excluded == ''"
    )
    assert set(its["id"]) == set(comparable(benchmark=benchmark, rounds=[round])["id"]) and len(its) == expected


def test_the_first_view_takes_the_printed_name_of_a_benchmark(rows, monkeypatch):
    links: list = []
    monkeypatch.setattr(explorer, "show", lambda rows, curves, now, start: links.append(start))
    parameters, *cells = [cell["source"] for cell in code("explorer")]
    cells = [cell for cell in cells if "explorer.rows" not in cell and "current(" not in cell]
    exec("\n".join([parameters, "benchmark = 'Llama 3.1 405B'", "rows = curves = now = None", *cells]), {})
    assert "benchmark=llama3.1-405b&" in links[0]
