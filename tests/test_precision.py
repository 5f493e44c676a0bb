"""Quality by number format with its noise, classes of size, and checkpoints: small frames with answers by hand."""

import numpy as np
import pandas as pd
import pytest

from analysis import evidence, tables

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
        {"format": "FP8", "score_percent": 60.0, "runs": 2, "spread_points": 3.0},
        {"format": "NVFP4", "score_percent": 40.0, "standard_error_points": 2.0},
        {"format": "MXFP4", "score_percent": 50.0, "questions": 25, "runs": 4},  # sqrt(0.25 / 100)
        {"format": "INT4", "score_percent": 100.0, "spread_points": 9.0},  # never without noise: sqrt(0.001 / 100)
        {"format": "INT8", "score_percent": 50.0, "task": ""},
    ]
    found = scores(base, *rows).set_index("format")
    assert found["percent"].to_dict() == {"FP8": 75.0, "NVFP4": 50.0, "MXFP4": 62.5, "INT4": 125.0}
    error = {"FP8": 3 / np.sqrt(2), "NVFP4": 2.0, "MXFP4": 5.0, "INT4": 100 * np.sqrt(0.001 / 100)}
    assert found["error"].to_dict() == pytest.approx({name: 100 * value / 80 for name, value in error.items()})
    assert found.loc["NVFP4", ["low", "high"]].tolist() == pytest.approx([50 - 1.96 * 2.5, 50 + 1.96 * 2.5])


def test_recovery_is_of_one_source_and_test_and_the_median_of_recipes(scores):
    base = {"baseline": True, "format": "BF16", "score_percent": 50.0}
    rows = [{"format": "NVFP4", "score_percent": value} for value in (40.0, 45.0, 60.0)]
    rows.append({"format": "NVFP4", "score_percent": 10.0, "model": "B"})
    alone = {"format": "NVFP4", "score_percent": 1.0, "test": "another"}
    others = [base | {"score_percent": 10.0} | other for other in ({"model": "B"}, {"source_id": "t"}, {"test": "u"})]
    found = scores(base, *rows, alone, *others)
    assert found[["models", "percent"]].values.tolist() == [["70B and more", 90.0], ["70B and more", 100.0]]


def test_fp4_of_two_vendors_is_two_formats(scores):
    columns = ["model", "parameters_billion", "accelerator", "format", "accuracy_percent"]
    cells = [("A", "B200", "FP8", (95.0, 97.0)), ("A", "B200", "NVFP4", (96.0, 96.0)),
             ("A", "B300", "NVFP4", (96.0, 90.0)), ("A", "MI355X", "FP8", (90.5, 91.5)),
             ("A", "MI355X", "MXFP4", (95.0, 97.0)), ("A", "H200", "INT4", (94.0, 96.0)),
             ("B", "B200", "NVFP4", (99.0, 99.0)), ("C", "B200", "INT4", (92.0, 92.0)),
             ("C", "B200", "FP4", (95.0, 97.0)), ("D", "B200", "FP8", (95.0, 97.0)),
             ("D", "B200", "BF16", (100.0, 100.0))]  # fmt: skip
    rows = [(model, 70.0, gpu, form, value) for model, gpu, form, of in cells for value in of]
    found = scores(
        {"baseline": True, "format": "BF16", "score_percent": 1.0}, gsm8k=pd.DataFrame(rows, columns=columns)
    )
    found = found.set_index("format")
    assert found["percent"].to_dict() == pytest.approx(
        {"NVFP4": 100.0, "MXFP4": 100 * 96 / 91, "FP4": 100 * 96 / 92, "FP8": 96.0}
    )
    assert found.loc["MXFP4", "error"] == pytest.approx(100 * np.hypot(1, 0.5 * 96 / 91) / 91)  # noise of both
    assert found.loc["NVFP4", "error"] == pytest.approx(100 * 1.0 / 96)  # of FP8: the mean of 95 and 97 has 1 point


def test_units_are_pooled_with_what_they_differ_by_beyond_their_noise():
    """Equal noise of 1: 99 and 97 differ by 2 = their spread allows 2 (tau 1): mean 98, 1.96 sqrt(2 / 2)."""
    units = pd.DataFrame({"percent": [99.0, 97.0], "error": [1.0, 1.0], "model": ["a", "b"]})
    units = units.assign(format="NVFP4", models="70B and more")
    one = evidence.pooled(units).iloc[0]
    assert one[["format", "models", "lost", "n", "distinct_models"]].tolist() == ["NVFP4", "70B and more", 2.0, 2, 2]
    assert [one["low"], one["high"]] == pytest.approx(
        [2 - 1.96, 2 + 1.96]
    )  # between: (2 - 1) / (2 - 1) = 1, weights 1/2
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


def test_checkpoints_are_over_bf16(monkeypatch):
    rows = [("A", "bf16", "", 16.0), *(("A", "fp4", "NVFP4", size) for size in (4.0, 6.0, 20.0)),
            ("A", "fp4", "mxfp4", 1.0), ("A", "int4", "", 4.0), ("A", "fp8", "", 8.0), ("B", "int4", "", 4.0),
            ("A", "fp16", "", 1.0)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", "precision", "format", "value"]).assign(metric="checkpoint size")
    other = frame[:1].assign(metric="speedup", value=99.0)
    monkeypatch.setattr(tables, "precision_effects", pd.concat([frame, other]), raising=False)
    found = evidence.checkpoint_sizes()
    found = found[["model", "format", "median"]].to_numpy().tolist()
    assert found == [["A", "NVFP4", 6 / 16], ["A", "FP8", 0.5], ["A", "INT4", 0.25]]
