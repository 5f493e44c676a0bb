"""Evidence beside MLPerf: the tables hold what their sources say, and the shared functions what a hand computes."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis import evidence, factors, tables
from analysis.cli import data
from analysis.recipes import inferencex

SHARED = Path(__file__).resolve().parents[2] / "shared" / "evidence"
RATE = "output_tokens_per_second_per_gpu"
LAYOUT = ["gpus", "tensor_parallel", "pipeline_parallel", "data_parallel", "moe_tensor_parallel", "expert_parallel"]
LENGTHS = ["prompt_tokens", "answer_tokens"]


def points(*pairs, **columns):
    frame = pd.DataFrame(pairs, columns=["tokens_per_second_per_user", RATE])
    return frame.assign(**columns)


def source(name):
    if not SHARED.exists():
        pytest.skip(f"{SHARED} is not here: the source files are not part of the repository")
    return pd.read_csv(SHARED / name)


@pytest.fixture(scope="module")
def small_runs():
    runs = evidence.inferencex_runs(disaggregated=False)
    return runs[runs["source_id"].eq("inferencex-points") & runs["gpus"].le(8)]


# --- shared functions


def test_envelope_keeps_points_that_none_beats_in_both():
    frame = points((10, 100), (20, 90), (20, 80), (30, 95), (40, np.nan), (50, 40))
    upper = evidence.envelope(frame.assign(model="a"), ["model"])
    assert upper["tokens_per_second_per_user"].tolist() == [10, 30, 50]
    assert upper[RATE].tolist() == [100, 95, 40]


def test_envelope_of_each_group():
    frame = pd.concat([points((10, 100), (20, 50), model="a"), points((10, 10), (20, 20), model="b")])
    upper = evidence.envelope(frame, ["model"])
    assert upper["model"].tolist() == ["a", "a", "b"]
    assert upper[RATE].tolist() == [100, 50, 20]


def test_value_at_is_log_linear_and_nothing_outside():
    frame = pd.concat([points((10, 100), (20, 1), model="a"), points((10, 7), (20, 7), model="b")])
    for speed, value in ((15, 10), (10, 100), (20, 1), (9, np.nan), (21, np.nan)):  # 10: the geometric mean, half-way
        expected = {"a": value, "b": 7 if speed == 20 else np.nan}
        assert evidence.value_at(frame, speed, ["model"]).to_dict() == pytest.approx(expected, nan_ok=True)


def test_value_at_leaves_wide_gaps_open():
    """Points at 10, 20, and 45: the second gap is 2.25x."""
    frame = points((10, 100), (20, 25), (45, 1), model="a")
    for speed, apart, value in ((15, 2, 50), (30, 2, np.nan), (45, 2, 1), (32.5, 3, 5), (15, 1.5, np.nan)):
        found = evidence.value_at(frame, speed, ["model"], most_apart=apart)
        assert found.to_dict() == pytest.approx({"a": value}, nan_ok=True)
    by = pd.concat([frame, points((28, 9), (32, 4), model="b")])
    assert evidence.value_at(by, 30, ["model"]).to_dict() == pytest.approx({"a": np.nan, "b": 6}, nan_ok=True)


def test_runs_that_are_far_faster_under_more_load():
    """Beside the best run at half the concurrency or less: under 0.7 of its TPOT and over 2.5 times its throughput."""
    layout = {name: 1.0 for name in inferencex.CONFIGURATION} | {"disaggregated": False}
    columns = ["concurrency", "tpot_ms", RATE]
    rows = [
        (4, 10.0, 100.0),
        (8, 11.0, 180.0),
        (16, 6.0, 460.0),
        (64, 4.3, 1200.0),
    ]  # 16: 0.55 and 2.56 times that at 8
    frame = pd.DataFrame(rows, columns=columns).assign(**layout)  # 64: 0.72 of the TPOT at 16
    assert inferencex.implausible(frame).index.tolist() == [2]
    assert inferencex.implausible(frame.assign(concurrency=[4, 9, 16, 64]))["concurrency"].tolist() == [16]  # beside 4
    assert inferencex.implausible(frame.assign(concurrency=[9, 9, 16, 64])).empty
    slow = pd.DataFrame([(16, 6.0, 680.0), (32, 16.0, 500.0), (64, 9.7, 1600.0)], columns=columns)
    assert inferencex.implausible(slow.assign(**layout)).empty  # the run at 32 is slow, that at 64 fits the one at 16
    assert inferencex.implausible(frame.assign(engine=["a", "a", "b", "b"])).empty
    assert inferencex.implausible(frame.assign(disaggregated=True)).empty


def test_no_run_is_far_faster_under_more_load(monkeypatch, capsys):
    runs = evidence.inferencex_runs()
    assert inferencex.implausible(runs).empty
    h100 = runs[runs["accelerator"].eq("H100") & runs["model"].eq("GPT-OSS 120B")]
    marked = h100[h100["concurrency"].eq(512) & h100["measured"].between("2025-12-05", "2025-12-08")]
    assert len(marked) == 9 and marked[RATE].isna().all()
    best = h100.query("prompt_tokens == 1024 and answer_tokens == 1024")[RATE].max()
    assert best < 4170.9  # in and out together, the highest that InferenceX publishes
    tokens = 512 * marked["answer_tokens"] / marked["gpus"]
    implied = 1000 * tokens / (marked["ttft_ms"] + (marked["answer_tokens"] - 1) * marked["tpot_ms"])
    monkeypatch.setattr(evidence, "inferencex_runs", lambda: runs.assign(**{RATE: runs[RATE].fillna(implied)}))
    assert data.check() == 1
    said = capsys.readouterr().out
    assert "H100 x 2, GPT-OSS 120B, vLLM, 1024 in and 1024 out, 512 in flight" in said and "6 faults in data/" in said


def test_matched_pairs_differ_in_one_column():
    frame = pd.DataFrame({
        "gpu": ["A", "A", "A", "A", "B", "C", "C"],
        "batch": [1, 1, 1, 8, 1, 1, 1],
        "version": [np.nan, np.nan, np.nan, 2, 2, 2, 3],
        "precision": ["fp8", "fp4", "fp4", "fp4", "fp8", "fp8", "fp4"],
        "rate": [10.0, 12.0, 16.0, 99.0, 99.0, 99.0, 99.0],
    })  # fmt: skip
    pairs = evidence.matched_pairs(frame, ["gpu", "batch", "version"], "precision", ("fp8", "fp4"), "rate")
    assert pairs[["gpu", "batch", "first", "second", "ratio"]].values.tolist() == [["A", 1, 10.0, 14.0, 1.4]]
    best = evidence.matched_pairs(
        frame, ["gpu", "batch", "version"], "precision", ("fp8", "fp4"), "rate", repeats="max"
    )
    assert best["ratio"].tolist() == [1.6]


def test_unknown_names_are_refused_with_the_valid_ones():
    with pytest.raises(ValueError, match="accelmark"):
        evidence.precision_effects("accelmrk")
    with pytest.raises(ValueError, match=r"0\.14\.0"):
        evidence.tensorrt_llm("0.15")


# --- values of the evidence, as its collector states them


@pytest.mark.parametrize(
    ("model", "accelerator", "precision", "expected"),
    [
        ("Llama 3.1 70B", "H100", "fp8", 829),
        ("Llama 3.1 70B", "H200", "fp8", 1716),
        ("Llama 3.1 70B", "B200", "fp8", 3514),
        ("Llama 3.1 70B", "B200", "fp4", 5296),
        ("DeepSeek-R1", "H200", "fp8", 223),
        ("DeepSeek-R1", "B200", "fp8", 737),
        ("DeepSeek-R1", "B200", "fp4", 1443),  # 1989 before the runs of 16 and 64 GPUs were corrected
        ("MiniMax M2.5", "B200", "fp8", 2083),  # 1932 before
        ("MiniMax M2.5", "B200", "fp4", 3578),
    ],
)
def test_inferencex_throughput_at_50_tokens_per_second(small_runs, model, accelerator, precision, expected):
    asked = {
        "model": model,
        "accelerator": accelerator,
        "precision": precision,
        "prompt_tokens": 1024,
        "answer_tokens": 1024,
    }
    runs = small_runs[small_runs[list(asked)].eq(pd.Series(asked)).all(axis=1)]
    assert round(evidence.value_at(runs, 50, ["model"]).loc[model]) == expected


def test_inferencex_engines():
    same = ["model", "accelerator", "precision", *LENGTHS, "concurrency", "gpus"]
    runs = evidence.inferencex_runs()
    runs = runs[runs["source_id"].eq("inferencex-points") & runs["gpus"].notna()]
    pairs = evidence.matched_pairs(runs, same, "engine", ("TensorRT-LLM", "vLLM"), RATE, repeats="max")
    assert len(pairs) == 306
    assert pairs["ratio"].quantile([0.1, 0.5, 0.9]).round(2).tolist() == [0.78, 0.90, 1.13]
    medians = pairs.groupby(["model", "accelerator"])["ratio"].median().round(2)
    assert medians["Llama 3.1 70B"].to_dict() == {"B200": 0.91, "H200": 0.83}
    assert medians["GPT-OSS 120B"].to_dict() == {"B200": 0.86, "H200": 1.14}


def test_inferencex_deepseek_r1_fp4_over_fp8():
    runs = evidence.inferencex_runs()
    runs = runs[runs["source_id"].eq("inferencex-deepseek-r1")]
    same = ["accelerator", "engine", "speculative", "disaggregated", *LENGTHS]
    same += ["concurrency", *LAYOUT]
    pairs = evidence.matched_pairs(
        runs.sort_values("measured"), same, "precision", ("fp8", "fp4"), RATE, repeats="last"
    )
    found = pairs.groupby("accelerator")["ratio"].agg(["size", "median", "min", "max"]).round(2)
    assert found.loc["B200"].tolist() == [17, 1.48, 1.14, 1.83]
    assert found.loc["MI355X"].tolist() == [39, 1.23, 0.86, 2.27]


def test_inferencex_rates_follow_from_concurrency_and_latency():
    runs = evidence.inferencex_runs(disaggregated=False).dropna(subset=[RATE])
    answer = runs["ttft_ms"] + (runs["answer_tokens"] - 1) * runs["tpot_ms"]
    implied = 1000 * runs["concurrency"] * runs["answer_tokens"] / answer / runs["gpus"]
    assert (implied / runs[RATE]).quantile([0.01, 0.99]).between(0.98, 1.35).all()


def test_inferencex_runs_are_listed_once_and_unfinished_ones_left_out():
    runs = evidence.inferencex_runs()
    assert not runs.duplicated(evidence.SAME_RUN).any() and not runs["unfinished"].any()
    assert 0 < len(tables.inferencex_runs.drop_duplicates(evidence.SAME_RUN)) - len(runs) < 200
    assert set(runs["accelerator"]) <= set(tables.accelerators["label"])


@pytest.mark.parametrize(
    ("service", "peak", "percentile"),
    [("m-large", 2.98, 2.08), ("m-mid", 1.84, 1.75), ("m-small", 3.24, 1.98), ("deepseek-r1", 2.66, 2.45)],
)
def test_traffic_of_ten_minutes(service, peak, percentile):
    rows = tables.traffic_rates
    rates = rows.loc[rows["service"].eq(service) & rows["active_clients"].gt(0), "requests_per_second"]
    assert round(rates.max() / rates.mean(), 2) == peak
    assert round(rates.quantile(0.99) / rates.mean(), 2) == percentile
    for quantile, expected in ((1, peak), (0.99, percentile)):
        assert round(1 / factors.load_factors(quantile=quantile).at[service, "fixed"], 2) == expected


@pytest.mark.parametrize(("service", "minute", "ten_seconds"), [("conversation", 1.52, 1.77), ("code", 4.18, 12.8)])
def test_traffic_within_an_hour(service, minute, ten_seconds):
    arrivals = tables.traffic_traces.query("service == @service")["arrival_seconds"]
    for window, expected in ((60, minute), (10, ten_seconds)):
        windows = range(int(arrivals.max() // window))  # whole ones
        requests = (arrivals // window).value_counts().reindex(windows, fill_value=0)
        assert requests.max() / requests.mean() == pytest.approx(expected, rel=0.004)


def test_reused_prompt_tokens_of_mooncake():
    trace = tables.traffic_traces.query("service == 'mooncake'")
    assert round(trace["reused_prompt_tokens"].sum() / trace["prompt_tokens"].sum(), 2) == 0.37


def test_prices_of_september_2026_raise_rentals_alone():
    prices = tables.prices[tables.prices["source_id"].isin(["inferencex-2026-08", "inferencex-2026-09"])]
    usd = prices.pivot(index="accelerator", columns=["cost_model", "quoted"], values="usd_per_accelerator_hour_low")
    assert usd["hyperscaler"]["2026-08-01"].equals(usd["hyperscaler"]["2026-09-08"])
    assert usd["rental"]["2026-09-08"].to_dict() == {
        "H100 SXM": 2, "H200 SXM": 2.9, "B200 SXM": 3.7, "B300 SXM": 4.25, "GB200": 4, "GB300": 5, "MI300X": 1.3,
        "MI325X": 1.6, "MI355X": 2.9, "RTX PRO 6000 Blackwell SE": 0.52,
    }  # fmt: skip
    assert usd["rental"]["2026-09-08"].ge(usd["rental"]["2026-08-01"]).all() and list(usd["neocloud"]) == ["2026-08-01"]
    assert prices.groupby("accelerator")["all_in_kilowatts"].nunique().eq(1).all()


def test_prices_of_august_2026_hold_no_placeholder():
    prices = tables.prices
    newest = prices[prices["source_id"].eq("inferencex-2026-08")]
    assert len(newest) == 30 and newest["usd_per_accelerator_hour_high"].lt(9).all()
    b200 = newest[newest["accelerator"].eq("B200 SXM")].set_index("cost_model")["usd_per_accelerator_hour_low"]
    assert b200.to_dict() == {"hyperscaler": 1.73, "neocloud": 2.07, "rental": 2.6}
    assert newest.loc[newest["accelerator"].eq("GB300"), "all_in_kilowatts"].eq(2.12).all()


def test_accuracy_targets_are_the_share_of_the_reference():
    targets = tables.accuracy_targets
    known = targets["target_percent"].notna()
    expected = targets["reference"] * targets["target_percent"] / 100
    assert (targets["minimum"] - expected)[known].abs().max() < 1e-3 * 1e-3 * targets["minimum"].max()
    llama = targets[targets["round"].eq("v6.0") & targets["model_run"].eq("llama2-70b-99.9")].set_index("metric")
    assert llama.loc["ROUGE1", "reference"] == pytest.approx(44.4312)


# --- thirty random rows of each set, as their sources have them


def test_rows_as_in_their_sources_inferencex_points():
    theirs = source("inferencex_points.csv")
    ours = tables.inferencex_runs.drop_duplicates(evidence.SAME_RUN)
    ours = ours[ours["source_id"].eq("inferencex-points")].sample(30, random_state=48)
    for row in ours.itertuples():
        near = theirs[
            np.isclose(theirs["ttft_ms"], row.ttft_ms, rtol=1e-6)
            & np.isclose(theirs["tpot_ms"], row.tpot_ms, rtol=1e-6)
        ]
        near = near[near["isl"].eq(row.prompt_tokens) & near["osl"].eq(row.answer_tokens)]
        near = near[
            near["accelerator"].str.startswith(row.accelerator.lower()) & near["precision"].fillna("").eq(row.precision)
        ]
        assert (len(near) and row.concurrency in near["concurrency"].tolist()) or np.isnan(row.concurrency)
        assert row.unfinished in near["wip"].tolist()


def test_rows_as_in_their_sources_gsm8k():
    theirs, ours = source("inferencex_gsm8k_evals.csv"), tables.gsm8k_accuracy
    assert np.allclose(theirs["em_strict"] * 100, ours["accuracy_percent"], atol=1e-4)
    assert np.allclose(theirs["em_strict_se"] * 100, ours["standard_error_points"], atol=1e-4)


# --- newer files of a user

RUN = {
    "hw": "cluster:b200-dgxc", "framework": "trt", "model": "deepseek-ai/DeepSeek-R1-0528", "precision": "fp4",
    "infmax_model_prefix": "dsr1", "isl": 1024, "osl": 1024, "conc": 64, "tp": 8, "ep": 8, "image": "trt:1.2",
    "tput_per_gpu": 1000.0, "output_tput_per_gpu": 500.0, "median_ttft": 0.5, "median_tpot": 0.015,
    "spec_decoding": "none",
}  # fmt: skip


def write(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_read_a_list_of_the_collector(tmp_path):
    apart = RUN | {"disagg": True, "num_prefill_gpu": 4, "num_decode_gpu": 12, "hw": "gb200", "spec_decoding": "mtp"}
    agentic = RUN | {"isl": None, "osl": None}
    runs = inferencex.read_inferencex(write(tmp_path / "agg.json", [RUN, apart, agentic]))
    assert list(runs) == list(tables.load("inferencex_runs"))
    assert runs["accelerator"].tolist() == ["B200", "GB200"] and set(runs["model"]) == {"DeepSeek-R1"}
    assert runs["gpus"].tolist() == [8, 16]
    assert runs[RATE].tolist() == [500, 375]  # 12 of 16 accelerators write
    assert (
        runs["ttft_ms"].tolist() == [500, 500] and runs["tokens_per_second_per_user"].round(2).tolist() == [66.67] * 2
    )
    assert runs["speculative"].tolist() == ["", "mtp"] and runs["engine"].unique().tolist() == ["TensorRT-LLM"]


def test_read_a_database_dump(tmp_path):
    config = {
        "id": 7, "hardware": "mi355x", "framework": "sglang", "model": "dsr1", "precision": "fp8",
        "spec_method": "none", "disagg": False, "decode_tp": 8, "decode_ep": 8, "decode_dp_attention": True,
        "num_prefill_gpu": 64, "num_decode_gpu": 64,
    }  # fmt: skip
    metrics = {"output_tput_per_gpu": 300.0, "median_ttft": 0.4, "median_tpot": 0.02}
    row = {"id": 1, "config_id": 7, "isl": 1024, "osl": 1024, "conc": 64, "date": "2026-10-01", "metrics": metrics}
    failed = row | {"id": 2, "error": "out of memory"}
    table = write(tmp_path / "benchmark_results.json", [row, failed])
    with pytest.raises(ValueError, match=r"configs\.json"):
        inferencex.read_inferencex(table)
    write(tmp_path / "configs.json", [config])
    runs = inferencex.read_inferencex(table)
    assert runs[["accelerator", "engine", "gpus", "data_parallel", "measured"]].values.tolist() == [
        ["MI355X", "SGLang", 8, 8, "2026-10-01"]
    ]
    flat = pd.DataFrame([config | row | {"metrics": json.dumps(metrics)}])
    flat.to_csv(tmp_path / "dump.csv", index=False)
    assert inferencex.read_inferencex(tmp_path / "dump.csv")[RATE].tolist() == [300]


def test_a_rate_far_below_what_latency_implies_is_of_an_unfinished_run(tmp_path):
    runs = inferencex.read_inferencex(write(tmp_path / "a.json", RUN | {"output_tput_per_gpu": 20.0}))
    assert runs["unfinished"].tolist() == [True]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"a": 1}, "no column hardware"),
        ([RUN, RUN | {"median_ttft": "fast"}], "run 2: median_ttft is 'fast'; expected a number"),
        (RUN | {"hw": "b201"}, "a.json: no accelerator 'b201'"),
    ],
)
def test_files_that_are_refused(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        inferencex.read_inferencex(write(tmp_path / "a.json", content))
    (tmp_path / "b.json").write_text("<html>", encoding="utf-8")
    with pytest.raises(ValueError, match=r"b\.json: no JSON or CSV"):
        inferencex.read_inferencex(tmp_path / "b.json")


def test_appended_runs_join_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "OWN", tmp_path / "inferencex")
    monkeypatch.delenv("ANALYSIS_RECORD", raising=False)
    before = len(evidence.inferencex_runs())
    assert inferencex.append_inferencex([write(tmp_path / "new.json", [RUN])]) == 1
    after = evidence.inferencex_runs()
    monkeypatch.setenv("ANALYSIS_RECORD", "shipped")
    assert len(after) == before + 1 and after["locator"].iloc[-1] == "new.json"
    assert len(evidence.inferencex_runs()) == before
    (other := tmp_path / "other").mkdir()
    with pytest.raises(ValueError, match=r"new\.parquet is of a file of the same name"):
        inferencex.append_inferencex([write(other / "new.json", [RUN, RUN])])
    with pytest.raises(ValueError, match="rename it"):
        inferencex.append_inferencex([write(path / "a.json", [RUN]) for path in (tmp_path, other)])
    assert len(list((tmp_path / "inferencex").iterdir())) == 1
    assert inferencex.append_inferencex([other / "new.json"], force=True) == 2
    shutil.rmtree(tmp_path / "inferencex")
