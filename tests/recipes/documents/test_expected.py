"""Datasheets, other documents, arithmetic, and hardware limits, by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis.recipes.documents import expected
from tests.audit.frames import figures

NONE = float("nan")


def test_memory_bandwidth_and_their_ratios_come_from_the_datasheets():
    memory = {"quantity": "memory_capacity", "accelerator": "H100", "low": 80.0, "high": 80.0, "unit": "GB"}
    memory |= {"accelerator_count": NONE}
    ratio = {**memory, "quantity": "memory_bandwidth_ratio", "accelerator": "H200", "baseline_accelerator": "H100"}
    rows = figures(memory, {**ratio, "low": 1.4, "high": 1.4, "unit": "ratio"}, {**memory, "low": 90.0, "high": 90.0})
    found = expected.datasheets(rows).set_index("id").sort_index()
    assert found["verdict"].tolist() == ["confirmed", "within 5%", "contradicted"]
    assert found.at["f1", "expected_low"] == pytest.approx(4800 / 3350)


def test_the_memory_of_several_accelerators_together_is_not_that_of_one():
    rows = figures({"quantity": "memory_capacity", "accelerator": "H100", "low": 640.0, "accelerator_count": 8.0})
    assert expected.datasheets(rows).empty


def test_an_accelerator_without_a_datasheet_has_no_expectation():
    memory = {"quantity": "memory_capacity", "accelerator": "X900", "unit": "GB", "accelerator_count": NONE}
    rate = {"accelerator": "X900", "batch_size": 1.0}
    assert expected.datasheets(figures(memory)).empty
    assert expected.hardware_limits(figures(rate)).empty


def test_another_document_may_print_a_ratio_the_other_way_round():
    claim = {"quantity": "throughput_ratio", "accelerator": "H100", "baseline_accelerator": "A100", "unit": "ratio"}
    other = {**claim, "accelerator": "A100", "baseline_accelerator": "H100", "source_id": "doc002"}
    rows = figures({**claim, "low": 2.6, "high": 2.6}, {**other, "low": 0.5, "high": 0.5})
    found = expected.documents(rows).set_index("id")
    assert found.at["f0", "expected_low"] == 2.0
    assert found.at["f1", "expected_low"] == pytest.approx(1 / 2.6)
    assert found["verdict"].tolist() == ["contradicted", "contradicted"]


def test_two_figures_of_one_document_are_no_second_opinion():
    memory = {"quantity": "memory_capacity", "accelerator": "H100", "accelerator_count": NONE, "low": 80.0}
    assert expected.documents(figures(memory, {**memory, "low": 96.0})).empty


VALUES = pd.DataFrame({"low": [9.0, 2.0, 100.0], "high": [11.0, 2.0, 100.0]}, index=["rate", "price", "users"])


@pytest.mark.parametrize(
    ("formula", "ends"),
    [
        ("{rate} * 3600 / {price}", (16200, 19800)),
        ("{rate} / {rate}", (1, 1)),
        ("1 / (1 - 0.5 * (1 - {price} / 4))", (1 / 0.75, 1 / 0.75)),
        ("ceil({users} / {rate}) * {price}", (20, 24)),
        ("8 * 192", (1536, 1536)),
        ("ceil(70 * 2 / 80)", (2, 2)),
    ],
)
def test_a_formula_takes_the_ends_of_each_figure(formula, ends):
    assert expected.evaluate(formula, VALUES) == pytest.approx(ends)


def test_a_formula_with_an_unknown_figure_names_it():
    with pytest.raises(KeyError, match="nobody"):
        expected.evaluate("{nobody} / 2", VALUES)


def test_a_formula_runs_no_code():
    with pytest.raises(Exception, match="import"):
        expected.evaluate("__import__('os').getcwd()", VALUES)


def test_a_figure_is_compared_with_its_formula():
    rows = figures({"formula": "{f1} * 2", "low": 80.0, "high": 80.0}, {"low": 40.0, "high": 40.0, "printed": "40"})
    found = expected.formulas(rows).iloc[0]
    assert (found["verdict"], found["reason"]) == (
        "confirmed",
        "By the document's own numbers, 40 tokens/s * 2 = 80 tokens/s.",
    )


def limit(**figure):
    return expected.hardware_limits(figures({"accelerator": "H100", "accelerator_count": NONE, **figure}))


def test_batch_one_is_bound_by_bandwidth_over_the_bytes_of_the_weights():
    """Llama 2 70B at FP16: 140 GB need two H100 of 80 GB, 2 x 3,350 / 140 = 47.86 tokens/s."""
    found = limit(precision="fp16", batch_size=1.0, low=85.0, high=85.0).iloc[0]
    assert (found["check"], found["verdict"]) == ("bandwidth limit", "physically impossible")
    assert found["expected_high"] == pytest.approx(2 * 3350 / 140)
    assert limit(precision="fp16", batch_size=1.0, low=47.0, high=47.0).empty
    assert limit(precision="fp16", batch_size=8.0, low=85.0, high=85.0).empty


def test_what_is_not_stated_is_taken_in_favor_of_the_figure():
    """Unknown precision: four bits, 35 GB on one H100, 95.7 tokens/s."""
    found = limit(batch_size=1.0, low=120.0, high=120.0).iloc[0]
    assert found["expected_high"] == pytest.approx(3350 / 35)
    assert limit(batch_size=1.0, low=95.0, high=95.0).empty


def test_more_than_dense_compute_is_impossible_at_any_batch():
    """1,979 dense TFLOP/s at FP8 over 2 x 70 billion: 14,136 tokens/s per H100."""
    rate = {"accelerator_count": 1.0, "precision": "fp8"}
    found = limit(**rate, low=15000.0, high=15000.0).iloc[0]
    assert found["check"] == "compute limit"
    assert found["expected_high"] == pytest.approx(1979e12 / 140e9)
    assert limit(**rate, low=14000.0, high=14000.0).empty
