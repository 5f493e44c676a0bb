"""Weights in memory and the price of accuracy, by hand."""

import pandas as pd
import pytest

from analysis._core.notes import note
from analysis.methods import quantization


def models(parameters):
    return pd.DataFrame({"benchmark": ["llm"], "parameters_billion": pd.Series([parameters], dtype="float64")})


def cards(*sizes):
    return pd.DataFrame({"accelerator": [f"x{size}" for size in sizes], "memory_gb": sizes})


def needed(parameters, memory, headroom):
    held = quantization.weights(models(parameters), "llm", cards(memory), headroom)
    return dict(zip(held["precision"], held["needed"], strict=True))


def test_weights_need_accelerators_by_precision():
    assert needed(70, 80, 0.0) == {"fp16": 2, "fp8": 1, "int8": 1, "int4": 1, "fp4": 1}
    assert needed(405, 80, 0.0) == {"fp16": 16, "fp8": 8, "int8": 8, "int4": 4, "fp4": 4}


def test_unknown_memory_or_size_holds_nothing():
    assert quantization.weights(models(70), "llm", cards(None, 80.0), 0.0)["accelerator"].unique().tolist() == ["x80.0"]
    assert quantization.weights(models(None), "llm", cards(80), 0.0).empty


STRICT = {"result_id": "4.1-0001", "accuracy_target": "99.9", "low": 700.0, "precision": "fp16"}
LOOSE = {"result_id": "4.1-0001", "accuracy_target": "99", "low": 1000.0, "precision": "int8"}


def test_accuracy_price_carries_the_notes_of_both_runs_but_for_the_size_and_cap_of_their_system(comparable_rows):
    size, preview, inferred = note("another_size", count=1, usual=8), note("preview"), note("inferred")
    of_both, second = {size, note("power_capped", watts=450)}, {"result_id": "4.1-0002"}
    strict = comparable_rows(STRICT | {"notes": {*of_both, preview}}, STRICT | second)
    loose = comparable_rows(LOOSE | {"notes": of_both}, LOOSE | second | {"notes": {inferred}})
    assert quantization.accuracy_cost(strict, loose)["notes"].tolist() == [{preview, inferred}]


@pytest.mark.parametrize(
    "other",
    [{"result_id": "4.1-0009"}, {"accelerator": "L40S"}, {"accelerator_count": 4}, {"scenario": "Server"},
     {"power_measured": True}, {"low": 700.0}, {"source_id": "mlcommons-v5.1"}],
)  # fmt: skip
def test_other_system_or_one_measurement_filed_twice_has_no_price(comparable_rows, other):
    assert quantization.accuracy_cost(comparable_rows(STRICT), comparable_rows(LOOSE | other)).empty


def test_a_preview_has_no_price_and_a_benchmark_has_one_over_its_accelerators(comparable_rows):
    """0.7 on H100, 0.9 on L40S, 0.1 in preview."""

    def rows(row, other, preview):
        ahead = {"result_id": "4.1-0009", "availability": "preview", "low": preview}
        return comparable_rows(row, row | {"accelerator": "L40S", "low": other}, row | ahead)

    both = rows(STRICT, 900.0, 100.0), rows(LOOSE, 1000.0, 1000.0)
    assert quantization.accuracy_cost(*both)["retained_low"].tolist() == [0.7, 0.9]
    (row,) = quantization.accuracy_cost(*both, by=()).to_dict("records")
    assert (row["benchmark"], row["retained_low"], row["retained_high"], row["systems"]) == ("llm", 0.7, 0.9, 2)
    assert row["retained_median"] == pytest.approx(0.8)
