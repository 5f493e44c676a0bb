"""Joules by user speed and quality with its noise: small frames with answers by hand."""

import numpy as np
import pandas as pd
import pytest

from analysis import evidence, tables

CURVE = {
    "model": "A 70B", "accelerator": "B200", "engine": "vLLM", "precision": "fp4", "format": "NVFP4", "speculative": "",
    "prompt_tokens": 8192, "answer_tokens": 1024, "locator": "1", "gpus": 1, "expert_parallel": 1,
}  # fmt: skip


def runs(*rows):
    """Return runs of (concurrency, watts over the rated 1,000, requests over those implied), with joules of 1."""
    frame = pd.DataFrame([{**CURVE, **more, "concurrency": n} | {"w": w, "q": q} for n, w, q, *rest in rows
                          for more in [rest[0] if rest else {}]])  # fmt: skip
    frame["joules_per_output_token"] = 1.0
    frame["output_tokens_per_second_per_gpu"] = 1000.0 * frame["w"]
    speed = frame["output_tokens_per_second_per_gpu"] * frame["q"] / frame["concurrency"]
    return frame.assign(tpot_ms=1000 / speed)


@pytest.fixture
def shipped(monkeypatch):
    loaded = tables.load

    def use(frame):
        monkeypatch.setattr(tables, "load", lambda name: frame if name == "inferencex_energy" else loaded(name))

    return use


def test_rows_above_rated_watts_or_with_far_fewer_requests_are_left_out(shipped):
    shipped(runs((1, 0.5, 1), (2, 0.6, 1), (4, 1.06, 1), (8, 0.8, 1), (16, 0.8, 2.6), (32, 0.8, 2.4)))
    left_out = evidence.energy(left_out=True)
    assert left_out[["concurrency", "reason"]].values.tolist() == [
        [4, "implies more than rated watts"], [16, "throughput and time per token imply far fewer requests"],
    ]  # fmt: skip
    assert evidence.energy()["concurrency"].tolist() == [1, 2, 8, 32]


def test_a_curve_of_which_a_quarter_is_above_rated_watts_does_not_count(shipped):
    other = {"accelerator": "H200", "locator": "2"}  # 700 W: 0.5 of 1,000 W is 0.71 of rated
    shipped(runs((1, 0.9, 1), (2, 1.01, 1), (4, 1.02, 1), (1, 0.5, 1, other)))
    assert evidence.energy()["accelerator"].tolist() == ["H200"]


def test_what_stands_before_a_jump_of_watts_is_left_out(shipped):
    """Watts double from 2 to 4 requests; from 4 to 16 they rise by 1.5 a doubling, and fall: no jump up."""
    shipped(runs((1, 0.2, 1), (2, 0.2, 1), (4, 0.4, 1), (16, 0.9, 1), (32, 0.5, 1), (1, 0.2, 1, {"locator": "2"})))
    assert evidence.energy(left_out=True)["concurrency"].tolist() == [1, 2]


def test_joules_between_two_points_of_a_curve_and_of_a_faster_run():
    """At 50 between 40 (1 J) and 60 (4 J): 2 J. Another layout has 3 J at 70, B300 nothing but 5 J at 80: bounds."""
    rows = [("B200", "1", 40, 1.0), ("B200", "1", 60, 4.0), ("B200", "2", 70, 3.0), ("B300", "3", 80, 5.0)]
    rows += [("H200", "4", 10, 1.0), ("MI355X", "5", 20, 1.0), ("MI355X", "5", 70, 8.0)]  # slow; too far apart
    frame = pd.DataFrame(rows, columns=["accelerator", "locator", evidence.SPEED, evidence.JOULES])
    frame = frame.assign(**{name: value for name, value in CURVE.items() if name not in frame})
    found = evidence.joules_at(frame, 50, 900).set_index("accelerator")  # none is as fast as 900
    assert found["joules"].to_dict() == pytest.approx({"B200": 2.0, "B300": 5.0, "MI355X": 8.0})
    assert found["measured"].to_dict() == {"B200": True, "B300": False, "MI355X": False}
    assert found["n"].to_dict() == {"B200": 3, "B300": 1, "MI355X": 2} and set(found["speed"]) == {50}
    other = frame[frame["accelerator"].eq("B200")].assign(accelerator="B200X")
    other[evidence.JOULES] *= 2
    both = evidence.joules_at(pd.concat([frame, other]), 50).set_index("accelerator")
    assert both["over_best"].to_dict() == pytest.approx({"B200": 1, "B200X": 2, "B300": 2.5, "MI355X": 4})
    assert set(both["rivals"]) == {2}  # a bound is no rival


SCORE = {"source_id": "s", "model": "A", "parameters_billion": 70.0, "task": "AIME", "test": "t", "baseline": False,
         "runs": 1, "questions": 100, "spread_points": np.nan, "standard_error_points": np.nan}  # fmt: skip


@pytest.fixture
def scores(monkeypatch):
    empty = tables.gsm8k_accuracy.iloc[:0]

    def use(*rows, gsm8k=empty):
        monkeypatch.setattr(tables, "quality_scores", pd.DataFrame([{**SCORE, **row} for row in rows]), raising=False)
        monkeypatch.setattr(tables, "gsm8k_accuracy", gsm8k, raising=False)
        return evidence.recovery()

    return use


def test_recovery_has_the_noise_of_seeds_of_a_paired_test_or_of_questions(scores):
    base = {"baseline": True, "format": "BF16", "score_percent": 80.0, "standard_error_points": 0.0}
    rows = [
        {"format": "FP8", "score_percent": 60.0, "runs": 4, "spread_points": 3.0},  # 3 / 2
        {"format": "NVFP4", "score_percent": 40.0, "standard_error_points": 2.0},
        {"format": "MXFP4", "score_percent": 50.0, "questions": 25, "runs": 4},  # sqrt(0.25 / 100)
        {"format": "INT4", "score_percent": 100.0},  # never without noise: sqrt(0.001 / 100)
        {"format": "INT8", "score_percent": 50.0, "task": ""},
    ]
    found = scores(base, *rows).set_index("format")
    assert found["percent"].to_dict() == {"FP8": 75.0, "NVFP4": 50.0, "MXFP4": 62.5, "INT4": 125.0}
    error = {"FP8": 1.5, "NVFP4": 2.0, "MXFP4": 5.0, "INT4": 100 * np.sqrt(0.001 / 100)}
    assert found["error"].to_dict() == pytest.approx({name: 100 * value / 80 for name, value in error.items()})
    assert found.loc["NVFP4", "low"] == pytest.approx(50 - 1.96 * 2.5)


def test_recovery_is_of_one_source_and_test_and_the_median_of_recipes(scores):
    base = {"baseline": True, "format": "BF16", "score_percent": 50.0}
    rows = [{"format": "NVFP4", "score_percent": value} for value in (40.0, 45.0, 50.0)]
    alone = {"format": "NVFP4", "score_percent": 1.0, "test": "another"}
    others = [base | {"score_percent": 10.0} | other for other in ({"model": "B"}, {"source_id": "t"}, {"test": "u"})]
    found = scores(base, *rows, alone, *others)
    assert found[["models", "percent", "scores"]].values.tolist() == [["70B and more", 90.0, 3]]


def test_fp4_of_two_vendors_is_two_formats(scores):
    columns = ["model", "parameters_billion", "accelerator", "format", "accuracy_percent"]
    rows = [("A", 70.0, gpu, form, value) for gpu, form, of in (
        ("B200", "FP8", (95.0, 97.0)), ("B200", "NVFP4", (96.0, 96.0)), ("B300", "NVFP4", (96.0, 20.0)),
        ("MI355X", "FP8", (90.5, 91.5)), ("MI355X", "MXFP4", (95.0, 97.0)), ("H200", "INT4", (94.0, 96.0)),
    ) for value in of]  # fmt: skip
    found = scores(
        {"baseline": True, "format": "BF16", "score_percent": 1.0}, gsm8k=pd.DataFrame(rows, columns=columns)
    )
    found = found.set_index("format")
    assert found["percent"].to_dict() == pytest.approx({"NVFP4": 100.0, "MXFP4": 100 * 96 / 91})
    assert found.loc["NVFP4", "error"] == pytest.approx(100 * 1.0 / 96)  # of FP8: the mean of 95 and 97 has 1 point


def test_units_are_pooled_with_what_they_differ_by_beyond_their_noise():
    """Equal noise of 1: 99 and 97 differ by 2 = their spread allows 2 (tau 1): mean 98, 1.96 sqrt(2 / 2)."""
    units = pd.DataFrame({"percent": [99.0, 97.0], "error": [1.0, 1.0], "model": ["a", "b"]})
    units = units.assign(format="NVFP4", models="70B and more")
    one = evidence.pooled(units).iloc[0]
    assert (one["lost"], one["n"], one["distinct_models"]) == (2.0, 2, 2)
    assert one["high"] - one["lost"] == pytest.approx(1.96)  # between: (2 - 1) / (2 - 1) = 1, weights 1/2
    alike = evidence.pooled(units.assign(percent=[98.5, 97.5])).iloc[0]  # 0.5 is below 1: noise alone, weights 1
    assert alike["high"] - alike["lost"] == pytest.approx(1.96 / np.sqrt(2))
    apart = evidence.pooled(units.assign(percent=[100.0, 90.0], error=[1.0, 2.0])).iloc[0]  # Q 20, between 19 / 0.4
    weights = np.array([1 / (1 + 47.5), 1 / (4 + 47.5)])
    assert apart["lost"] == pytest.approx(100 - np.average([100, 90], weights=weights))
    assert apart["high"] - apart["lost"] == pytest.approx(1.96 / weights.sum() ** 0.5)
    single = evidence.pooled(units[:1]).iloc[0]
    assert (single["lost"], single["high"] - single["lost"]) == pytest.approx((1.0, 1.96))


def test_a_class_of_size_begins_at_its_lower_end():
    sizes = evidence.size_class(pd.Series([9.9, 10.0, 69.9, 70.0, np.nan]))
    assert sizes.tolist() == ["below 10B", "10B to 69B", "10B to 69B", "70B and more", "size unknown"]
    names = pd.Series(["DeepSeek-R1", "Mixtral 8x22B", "Qwen3.6-35B-A3B (MoE)", "GPT-J"])
    assert evidence.parameters(names).fillna(0).tolist() == [671, 176, 35, 0]


def test_part_load_is_over_the_joules_at_the_peak_of_a_curve(shipped):
    """From 1 J at the peak to 8 J at a tenth, along a line of logarithms. A curve from 0.15 on does not
    count, nor does one of one point.
    """
    other = {"locator": "2"}
    frame = runs((1, 0.1, 1), (2, 0.2, 1), (4, 0.5, 1), (8, 1.0, 1), (1, 0.15, 1, other), (2, 0.3, 1, other),
                 (4, 0.6, 1, other), (8, 1.0, 1, other), (1, 0.1, 1, {"locator": "3"}))  # fmt: skip
    rates = frame[evidence.THROUGHPUT] / 1000
    frame = frame.assign(**{evidence.JOULES: rates ** -np.log10(8), evidence.THROUGHPUT: 100 * rates})
    shipped(frame.assign(tpot_ms=1000 * frame["concurrency"] / frame[evidence.THROUGHPUT]))
    found = evidence.part_load().query("source == 'InferenceX July 2026'").set_index("load")
    assert found["median"].to_dict() == pytest.approx({load: load ** -np.log10(8) for load in found.index})
    assert found.loc[0.1, ["curves", "models"]].tolist() == [1, 1]
    power = evidence.part_load().query("source == 'InferenceX PowerX'")
    assert set(power["curves"]) == {2} and set(power["models"]) == {1}  # two aggregated layouts
