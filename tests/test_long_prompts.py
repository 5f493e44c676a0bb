"""Traffic with long prompts: an engine whose times are known by hand, and the runs of the record."""

import numpy as np
import pandas as pd
import pytest

from analysis import long_prompts, tables
from analysis.evidence import THROUGHPUT

DECODE, CONTEXT, PREFILL = 0.8, 0.08, 0.08  # seconds of a token at 1k/1k: 0.8 + 0.08 x 1.5 + 0.08 = 1


def seconds(prompt, answer, reused=0.0):
    return DECODE + CONTEXT * (prompt + answer / 2) / 1024 + PREFILL * prompt / answer * (1 - reused)


@pytest.fixture
def engine(monkeypatch):
    """One engine, with runs at three shapes and a worse one; better ones do not count."""
    run = {
        "model": "m", "accelerator": "B200", "engine": "vLLM", "precision": "fp8", "gpus": 8, "disaggregated": False,
        "unfinished": False, "speculative": "", "engine_version": "1",
    }  # fmt: skip
    shapes = [(1024, 1024), (8192, 1024), (1024, 8192)]
    rows = [run | {"prompt_tokens": p, "answer_tokens": a, THROUGHPUT: 100 / seconds(p, a)} for p, a in shapes]
    worse = rows[0] | {THROUGHPUT: 9.0}
    better = [rows[0] | {THROUGHPUT: 900.0} | other for other in (
        {"gpus": 16}, {"disaggregated": True}, {"unfinished": True}, {"speculative": "MTP"})]  # fmt: skip
    monkeypatch.setattr(tables, "load", lambda name: pd.DataFrame([*rows, worse, *better]))
    long_prompts.timings.cache_clear()
    yield
    long_prompts.timings.cache_clear()


def test_three_shapes_give_the_parts_of_a_token(engine):
    assert long_prompts.timings()[["decode", "context", "prefill"]].to_numpy() == pytest.approx(
        np.array([[DECODE, CONTEXT, PREFILL]])
    )
    assert long_prompts.kept(1024, 1024).tolist() == pytest.approx([1])
    assert long_prompts.kept(8192, 1024).tolist() == pytest.approx([1 / seconds(8192, 1024)])
    assert long_prompts.kept(10_240, 256, 0.75).tolist() == pytest.approx([1 / seconds(10_240, 256, 0.75)])


def test_more_reuse_never_keeps_less_and_never_more_than_no_prompt():
    shares = pd.DataFrame({reuse: long_prompts.kept(12_035, 343, reuse) for reuse in np.linspace(0, 1, 11)})
    assert (shares.diff(axis=1).iloc[:, 1:] > 0).all(axis=None)
    with pytest.raises(ValueError, match="prompt_reuse"):
        long_prompts.kept(1000, 100, 1.2)


def test_a_workload_has_no_cache_its_own_reuse_and_the_share_asked_for(engine, monkeypatch):
    rows = [("chat", 1024.0, 1024.0, 0.5), ("agents", 8192.0, 256.0, np.nan), ("unknown", np.nan, np.nan, 0.1)]
    columns = ["workload", "prompt_tokens", "answer_tokens", "reused_low"]
    monkeypatch.setattr(tables, "prefix_reuse", pd.DataFrame(rows, columns=columns), raising=False)
    runs, code = tables.load("inferencex_runs"), {"service": ["code"] * 3 + ["chat"]}
    code = pd.DataFrame(code | {"prompt_tokens": [1000, 1000, 4000, 9], "answer_tokens": [100, 100, 400, 9]})
    long_prompts.timings()
    monkeypatch.setattr(tables, "load", {"traffic_traces": code, "inferencex_runs": runs}.get)
    found = long_prompts.traffic(0.6, pd.DataFrame({"prompt_tokens": [64.0], "answer_tokens": [64.0]}))
    assert found[["workload", "prompt_tokens", "prompt_reuse"]].to_numpy().tolist() == [
        ["chat", 1024, 0], ["chat", 1024, 0.5], ["chat", 1024, 0.6], ["agents", 8192, 0], ["agents", 8192, 0.6],
        ["Azure code", 2000, 0], ["Azure code", 2000, 0.6], ["your trace", 64, 0], ["your trace", 64, 0.6],
    ]  # fmt: skip
    expected = [1 / seconds(row.prompt_tokens, row.answer_tokens, row.prompt_reuse) for row in found.itertuples()]
    assert found["median"].tolist() == pytest.approx(expected) and found["p10"].equals(found["p90"])
    assert set(found["n"]) == {1}
    monkeypatch.setattr(long_prompts, "kept", lambda *_: pd.Series(range(11)))
    found = long_prompts.traffic()
    assert found["prompt_reuse"].tolist() == [0, 0.5, 0, 0]
    assert found.loc[0, ["median", "p10", "p90", "n"]].tolist() == [5, 1, 9, 11]


def test_workloads_of_the_record():
    """Medians over 34 groups of 7 models, with and without a cache, as solved by least squares."""
    assert len(long_prompts.timings()) == 34 and long_prompts.timings()["context"].min() == 0
    medians = long_prompts.traffic(0.6).set_index("workload")[["median", "p10", "p90"]].round(2)
    assert medians["median"]["Mooncake conversation"].tolist() == [0.20, 0.27, 0.35]
    assert medians["median"]["Azure code"].tolist() == [0.12, 0.25]


def test_predictions_are_by_the_shorter_prompts_of_an_engine(engine, monkeypatch):
    """Long prompts ran half as fast as predicted; prompts of 1,024 and 8,192 tokens are of the fit above."""
    run = tables.load("inferencex_runs").iloc[0]
    lengths = [(2048, 1024), (4096, 1024), (512, 512), (16_384, 2048), (16_384, 1024)]
    rows = [(prompt, answer, 1 / seconds(prompt, answer)) for prompt, answer in lengths]
    rows[4] = (16_384, 1024, 0.5 / seconds(16_384, 1024))
    rows += [(1024, 64, 9.0), (8192, 1024, 9.0), (1024, 1024, 9.0)]
    frame = pd.DataFrame(rows, columns=["prompt_tokens", "answer_tokens", THROUGHPUT])
    frame = frame.assign(**run.drop(list(frame)))
    few = [frame[1:].assign(model="fewer than four"), frame[1:].assign(model="two versions"),
           frame[:1].assign(model="two versions", engine_version="2"), frame[1:].assign(model="two sizes"),
           frame[:1].assign(model="two sizes", gpus=4)]  # fmt: skip
    monkeypatch.setattr(tables, "load", lambda name: pd.concat([frame, *few]))
    errors = long_prompts.errors()
    assert errors.tolist() == pytest.approx([2.0]) and errors.index[0] == ("m", "B200", "vLLM", "fp8")


def test_predictions_of_longer_prompts_are_held_against_their_runs():
    errors = long_prompts.errors()
    assert (len(errors), errors.index.nunique()) == (41, 4)  # runs, and engines of a model on a GPU
    assert errors.quantile([0.1, 0.5, 0.9]).tolist() == pytest.approx([0.77, 1.04, 2.15], abs=0.005)
