"""Figures against what the hardware can do: each ceiling from both sides, each unknown in favor of the figure."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from analysis.audit import physics

Rows = Callable[..., pd.DataFrame]

BATCH_1 = {"batch_size": 1, "scenario": "", "round": "", "accelerator_count": 2, "precision": "fp16"}


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({"low": 84.5, "high": 85.5}, "physically_impossible"),  # 2 x 3350 / 140 = 47.86
        ({"low": 50.0, "high": 51.0}, "within_5_percent"),
        ({"low": 47.0, "high": 85.5}, "within_rounding"),
        ({"low": 100.0, "high": 101.0, "precision": "fp8"}, "within_5_percent"),  # 95.7
        ({"low": 101.0, "precision": "fp8"}, "physically_impossible"),
        ({"low": 47.0, "accelerator_count": None}, "within_rounding"),  # as many as hold 140 GB: two
        ({"low": 60.0, "accelerator_count": None}, "physically_impossible"),
        ({"low": 95.0, "accelerator_count": None, "precision": ""}, "within_rounding"),  # 4-bit weights on one
        ({"low": 40.0, "accelerator_count": 1}, "within_rounding"),  # one cannot hold them, two may read them
    ],
)
def test_decoding_at_batch_1(
    rows: Rows, tables: Callable, verdicts: Callable, given: dict[str, Any], verdict: str
) -> None:
    judgments = physics.decode(tables(results=rows(BATCH_1 | given)))
    assert verdicts(judgments) == [verdict]


def test_decoding_reads_the_cache_on_top(rows: Rows, tables: Callable, verdicts: Callable) -> None:
    frame = rows(BATCH_1 | {"low": 45.0})
    assert verdicts(physics.decode(tables(results=frame))) == ["within_rounding"]
    assert verdicts(physics.decode(tables(results=frame), cache_gb=27.5)) == ["physically_impossible"]  # 40


def test_a_larger_batch_has_no_such_ceiling(rows: Rows, tables: Callable, verdicts: Callable) -> None:
    frame = rows({"batch_size": 8}, {"batch_size": None}, BATCH_1 | {"benchmark": "images"})
    assert verdicts(physics.decode(tables(results=frame))) == []


def test_explanation_says_what_would_lift_the_ceiling(rows: Rows, tables: Callable, verdicts: Callable) -> None:
    (one,) = physics.decode(tables(results=rows(BATCH_1 | {"low": 2 * 2 * 3350 / 140})))
    assert one.reference == "2 x 3350 GB/s / 140 GB"
    assert one.expected.high == pytest.approx(47.857, rel=1e-4)
    assert "the figure is 2x that, unless speculative decoding" in one.explanation


@pytest.mark.parametrize(
    ("count", "precision", "verdict"),
    [
        (2, "fp16", "confirmed"),
        (1, "fp16", "physically_impossible"),
        (4, "fp16", "within_rounding"),
        (1, "fp8", "confirmed"),
    ],
)
def test_weights_must_fit(
    rows: Rows, tables: Callable, verdicts: Callable, count: int, precision: str, verdict: str
) -> None:
    frame = rows({"accelerator_count": count, "precision": precision})
    assert verdicts(physics.fit(tables(results=frame))) == [verdict]


def test_a_repeat_on_one_accelerator_takes_its_precision_from_the_first(
    rows: Rows, tables: Callable, by_row: Callable
) -> None:
    again = {"duplicate_of": "r0", "accelerator_count": 1, "precision": ""}
    judgments = physics.fit(tables(results=rows(BATCH_1, again)))
    assert by_row(judgments) == {"r0": "confirmed", "r1": "physically_impossible"}


def test_nothing_is_said_of_weights_where_precision_or_count_is_unknown(
    rows: Rows, tables: Callable, verdicts: Callable
) -> None:
    frame = rows({"precision": ""}, {"precision": "fp16", "accelerator_count": None})
    assert verdicts(physics.fit(tables(results=frame))) == []


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({"low": 14_135.0}, "within_rounding"),  # 1979e12 / 140e9 = 14,136
        ({"low": 14_800.0}, "within_5_percent"),
        ({"low": 14_900.0}, "physically_impossible"),
        ({"low": 7_500.0, "precision": "fp16"}, "physically_impossible"),  # 989e12 / 140e9 = 7,064
        ({"low": 14_900.0, "per": "accelerator", "accelerator_count": 8}, "physically_impossible"),
        ({"low": 76_000.0, "benchmark": "experts"}, "within_rounding"),  # 12.9 of 47 billion: 76,705
    ],
)
def test_dense_compute(rows: Rows, tables: Callable, verdicts: Callable, given: dict[str, Any], verdict: str) -> None:
    frame = rows({"accelerator_count": 1} | given)
    assert verdicts(physics.compute(tables(results=frame))) == [verdict]
