"""Traffic with long prompts: an engine whose times are known by hand, and the runs of the record."""

import numpy as np
import pandas as pd
import pytest

from analysis import long_prompts, tables

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
    rows = [run | {"prompt_tokens": p, "answer_tokens": a, long_prompts.RATE: 100 / seconds(p, a)} for p, a in shapes]
    worse = rows[0] | {long_prompts.RATE: 9.0}
    better = [rows[0] | {long_prompts.RATE: 900.0} | other for other in (
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


def test_workloads_by_hand():
    """Solved again from the runs: 34 groups of 7 models; medians of the three workloads with and without a cache."""
    runs = tables.load("inferencex_runs").query("not disaggregated and not unfinished and gpus <= 8")
    runs = runs[runs["speculative"].eq("")]
    keys = ["model", "accelerator", "engine", "precision"]
    best = runs.groupby([*keys, "prompt_tokens", "answer_tokens"])[long_prompts.RATE].max()
    times = []
    for _, own in best.groupby(keys):
        rate = own.droplevel(keys)
        if {(1024, 1024), (8192, 1024), (1024, 8192)} <= {*rate.dropna().index}:
            y = [1 / rate[1024, 1024], 1 / rate[8192, 1024], 1 / rate[1024, 8192]]
            d, c, p = np.linalg.lstsq([[1, 1.5, 1], [1, 8.5, 8], [1, 5, 0.125]], y, rcond=None)[0]
            times += [(d, max(c, 0), p)] * int(p > 0)
    times = np.array(times)
    assert len(times) == len(long_prompts.timings()) == 34

    def share(prompt, answer, reused):
        load = [1, (prompt + answer / 2) / 1024, prompt / answer * (1 - reused)]
        return np.median(times @ [1, 1.5, 1] / (times @ load))

    found = long_prompts.traffic([0.6]).set_index(["workload", "prompt_reuse"])
    for (_, reuse), row in found.iterrows():
        assert row["median"] == pytest.approx(share(row["prompt_tokens"], row["answer_tokens"], reuse))
    medians = found["median"].round(2)
    assert medians["Mooncake conversation"].tolist() == [0.20, 0.27, 0.35]
    assert medians["Mooncake synthetic"].tolist() == [0.08, 0.18, 0.19]
    assert medians["Azure code"].tolist() == [0.12, 0.25]


def test_predictions_of_longer_prompts_are_held_against_their_runs():
    errors = long_prompts.errors()
    assert (len(errors), errors.index.nunique()) == (41, 4)  # runs, and engines of a model on a GPU
    assert errors.quantile([0.1, 0.5, 0.9]).tolist() == pytest.approx([0.77, 1.04, 2.15], abs=0.005)
