"""The record of v6.1 and v0.5 against their logs as typed in the shared evidence, by plain pandas."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from analysis import comparable, load_results
from analysis.paths import DATA

SHARED = Path(__file__).resolve().parents[2] / "shared/evidence"


def evidence(name):
    file = SHARED / name
    if not file.is_file():
        pytest.skip(f"{file} is not there")
    return pd.read_csv(file)


@pytest.fixture(scope="module")
def v61():
    return pd.read_parquet(DATA / "official/v6.1.parquet").set_index("id")


def test_each_rate_that_equals_its_log_is_recomputed(v61):
    logs = evidence("mlperf_v61_logs.csv").set_index("id")
    rows = v61.loc[logs.index]
    rate = logs["tokens_per_second"].where(rows["unit"].eq("tokens/s"), logs["samples_per_second"])
    stated = rate.notna()
    assert ((rate / rows["low"] - 1).abs()[stated] < 1e-4).all()
    assert logs["log"][stated].value_counts().to_dict() == {"summary": 380, "result_summary.json": 55, "detail": 1}
    assert (rows["evidence"].eq("log") == stated).all()
    assert rows["recomputed"][stated].tolist() == rate[stated].tolist()
    assert v61["evidence"].value_counts().to_dict() == {"log": 459, "summary": 33}
    without = v61[v61["recomputed"].isna() & v61["suite"].str.contains("datacenter")]
    # Lambda's file states no rate; of the others the tree has no log.
    assert without["submitter"].value_counts().to_dict() == {"VibeHPC": 14, "Lambda": 2, "Google": 1}


@pytest.mark.parametrize("time", ["ttft", "tpot"])
@pytest.mark.parametrize("percent", [50, 90, 99])
def test_percentiles_rates_and_errors_are_those_of_the_log(v61, time, percent):
    logs = evidence("mlperf_v61_logs.csv").set_index("id")
    rows, logged = v61.loc[logs.index], logs[f"{time}_p{percent}_ns"] / 1e6
    assert rows[f"{time}_p{percent}_ms"].to_list() == pytest.approx(logged.to_list(), abs=1e-6, nan_ok=True)
    scheduled = rows["scheduled_samples_per_second"]
    assert scheduled.to_list() == pytest.approx(logs["scheduled_samples_per_second"].to_list(), nan_ok=True)
    named = logs["errors"].dropna()
    assert rows["errors"][rows["errors"].gt(0)].to_dict() == named.str.split().str[0].astype(int).to_dict()


def test_samples_times_tokens_per_answer_are_the_tokens_of_each_logged_run():
    logs = evidence("mlperf_v61_logs.csv").set_index("id").dropna(subset=["samples_per_second", "tokens_per_second"])
    mine = load_results().set_index("id").loc[logs.index]
    product = logs["samples_per_second"] * mine["tokens_per_answer"]
    assert product.to_list() == pytest.approx(logs["tokens_per_second"].to_list(), rel=2e-5)
    gpt = mine[mine["benchmark"].eq("gpt-oss-120b") & mine["scenario"].eq("Offline")]
    answers = gpt.groupby(["accelerator", "submitter"])["tokens_per_answer"].median().round()
    # Length belongs to the run: two submissions on one accelerator differ.
    assert (answers["GB300", "NVIDIA"], answers["GB300", "Oracle"], answers["MI355X", "AMD"]) == (1231, 1308, 1365)


def test_samples_of_a_language_model_are_logged_or_empty():
    rows = load_results()
    tokens = rows[rows["unit"].eq("tokens/s") & rows["evidence"].ne("log")]
    assert len(tokens) > 500
    assert tokens[["samples_per_second", "tokens_per_answer"]].isna().all(axis=None)
    other = rows[rows["unit"].eq("samples/s") & rows["metric"].eq("throughput")]
    assert other["samples_per_second"].notna().all()


def test_v0_5_has_each_figure_of_its_logs_in_the_units_of_then():
    """A latency of 3,018,698 ns is 3.018698 ms; a Server result counts queries, and streams are streams."""
    logs = evidence("mlperf_v0_5_results.csv")
    logs["location"] = logs["source_path"].str.replace(r"/performance(/run_\d+)?/[^/]+$", "", regex=True)
    rows = pd.read_parquet(DATA / "official/v0.5.parquet").set_index("location").loc[logs["location"]].reset_index()
    assert len(rows) == len(logs) == rows["id"].nunique() == 593
    assert rows["division"].value_counts().to_dict() == {"open": 429, "closed": 164}
    ns = logs["unit"].str.startswith("ns")
    for end in ("low", "high"):
        expected = logs[end].mask(ns, logs[end] / 1e6)
        assert rows[end].to_list() == pytest.approx(expected.to_list(), rel=1e-9)
    units = {"Offline": "samples/s", "Server": "queries/s", "MultiStream": "streams", "SingleStream": "ms"}
    assert (rows["unit"] == rows["scenario"].map(units)).all()
    per_node = pd.to_numeric(logs["accelerators_per_node"]).where(lambda count: count > 0)
    counts = per_node * pd.to_numeric(logs["nodes"])
    assert rows["accelerator_count"][counts.notna()].tolist() == counts.dropna().tolist()


def test_nothing_of_v0_5_is_compared_with_later_rounds():
    """It had no suites, so neither data center nor edge results of ResNet-50, which the table allows, take it in."""
    for suite in ("datacenter", "edge"):
        rows = comparable(benchmark="resnet50", scenario="Offline", suite=suite, accelerators=["T4"])
        assert "v0.5" not in set(rows["round"])
    assert load_results().query("round == 'v0.5'")["suite"].eq("").all()
