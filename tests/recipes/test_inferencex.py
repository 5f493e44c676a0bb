"""Newer files of InferenceX that a user appends, and runs that cannot be right."""

import json

import pandas as pd
import pytest

from analysis import evidence, tables
from analysis.cli import data
from analysis.evidence import THROUGHPUT as RATE
from analysis.recipes import inferencex


def test_runs_that_are_far_faster_under_more_load():
    """Beside the best run at half the concurrency or less: under 0.7 of its TPOT and over 2.5 times its throughput."""
    layout = {name: 1.0 for name in inferencex.CONFIGURATION} | {"disaggregated": False}
    columns = ["concurrency", "tpot_ms", RATE]
    # The run at 16 has 0.55 and 2.56 times that at 8, the run at 64 has 0.72 of the TPOT at 16.
    rows = [(4, 10.0, 100.0), (8, 11.0, 180.0), (16, 6.0, 460.0), (64, 4.3, 1200.0)]
    frame = pd.DataFrame(rows, columns=columns).assign(**layout)
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
    monkeypatch.setattr("analysis.recipes.check.faults", list)
    assert data.check() == 1
    said = capsys.readouterr().out
    assert "H100 x 2, GPT-OSS 120B, vLLM, 1024 in and 1024 out, 512 in flight" in said and "6 faults in data/" in said


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
    with pytest.raises(ValueError, match=r"b\.json: not a JSON or CSV"):
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
    with pytest.raises(ValueError, match=r"new\.parquet holds runs from a file of the same name"):
        inferencex.append_inferencex([write(other / "new.json", [RUN, RUN])])
    with pytest.raises(ValueError, match="rename it"):
        inferencex.append_inferencex([write(path / "a.json", [RUN]) for path in (tmp_path, other)])
    assert len(list((tmp_path / "inferencex").iterdir())) == 1
    assert inferencex.append_inferencex([other / "new.json"], force=True) == 2
