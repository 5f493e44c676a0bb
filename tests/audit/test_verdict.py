"""Two ranges and what is said of them: hand-computed cases on both sides of every border."""

import pandas as pd
import pytest

from analysis.audit import verdict
from analysis.core.interval import Interval

FIGURE = {"id": "r", "source_id": "docA", "locator": "text"}


@pytest.mark.parametrize(
    ("printed", "expected", "basis", "found"),
    [
        ((24524.5, 24525.5), (24525.0, 24525.0), "rounded", "exact"),
        ((24524.5, 24525.5), (24524.9, 24524.9), "rounded", "within_rounding"),
        ((24524.5, 24525.5), (24525.5, 24525.5), "rounded", "within_rounding"),
        ((24524.5, 24525.5), (24525.6, 24525.6), "rounded", "within_5_percent"),
        ((750.0, 820.0), (785.0, 785.0), "range", "within_rounding"),
        ((750.0, 820.0), (820.0, 900.0), "range", "within_rounding"),
        ((95.0, 100.0), (105.0, 110.0), "range", "within_5_percent"),
        ((95.0, 100.0), (105.1, 110.0), "range", "contradicts"),
        ((105.0, 110.0), (95.0, 100.0), "range", "within_5_percent"),
        ((105.1, 110.0), (95.0, 100.0), "range", "contradicts"),
        ((1.0, 1.0), (float("nan"), float("nan")), "exact", "unverifiable"),
        ((9.0, 9.0), (0.0, 0.0), "exact", "contradicts"),
    ],
)
def test_two_ranges(printed: tuple, expected: tuple, basis: str, found: str) -> None:
    assert verdict.compare(Interval(*printed), Interval(*expected), basis) == found


@pytest.mark.parametrize(
    ("low", "found"),
    [(99.0, "within_rounding"), (100.0, "within_rounding"), (105.0, "within_5_percent"), (105.1, "impossible")],
)
def test_a_figure_and_its_ceiling(low: float, found: str) -> None:
    assert verdict.below(Interval(low, low + 50), 100.0) == found


def test_the_worst_and_the_best_of_several() -> None:
    assert verdict.worst(["exact", "contradicts", "no_official_basis"]) == "contradicts"
    assert verdict.best(["contradicts", "within_5_percent"]) == "within_5_percent"
    assert verdict.worst([]) == ""


@pytest.mark.parametrize(
    ("printed", "words"),
    [(1.0, "not off"), (1.02, "2 % too high"), (0.5, "too low by a factor of 2"), (3.0, "3 times")],
)
def test_how_far_it_is_off(printed: float, words: str) -> None:
    assert verdict.off(Interval(printed, printed), Interval(1.0, 1.0)).startswith(words)


def test_a_verdict_that_does_not_exist_is_refused() -> None:
    one = Interval(1.0, 1.0)
    row = verdict.row(FIGURE, "results", "check", "perhaps", one, one, "W", "", "")
    with pytest.raises(ValueError, match=r"no verdict 'perhaps'. Valid: exact, within_rounding"):
        verdict.frame([row])


def test_no_rows_are_a_frame_all_the_same() -> None:
    assert list(verdict.frame([]).columns) == verdict.COLUMNS
    assert pd.api.types.is_numeric_dtype(verdict.frame([])["printed_low"])
