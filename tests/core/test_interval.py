"""Arithmetic on ranges, the ranges that printed numbers stand for, and ranges in words."""

import math

import numpy as np
import pandas as pd
import pytest

from analysis._core import interval
from analysis._core.interval import Interval


def test_sum_adds_low_to_low_and_high_to_high():
    assert Interval(1, 2) + Interval(10, 20) == Interval(11, 22)
    assert Interval(1, 2) + 5 == Interval(6, 7)


def test_product_multiplies_ends():
    assert Interval(2, 3) * Interval(5, 7) == Interval(10, 21)
    assert Interval(2, 3) * 4 == Interval(8, 12)


def test_quotient_divides_low_by_high_and_high_by_low():
    assert Interval(6, 12) / Interval(2, 3) == Interval(2, 6)
    assert Interval(6, 12) / 3 == Interval(2, 4)


@pytest.mark.parametrize("wrong", [(Interval(-1, 1), Interval(1, 2)), (Interval(1, 2), Interval(-1, 1))])
def test_negative_quantities_have_no_product_or_quotient(wrong):
    for operation in (Interval.__mul__, Interval.__truediv__):
        with pytest.raises(ValueError, match="not negative"):
            operation(*wrong)


def test_zero_is_a_quantity():
    assert Interval(0, 1) * Interval(1, 2) == Interval(0, 2)
    assert Interval(0, 1) / Interval(1, 2) == Interval(0, 1)
    assert Interval(1.0, 1.0) / Interval(0.0, 2.0) == Interval(0.5, math.inf)


def test_missing_end_stays_missing():
    ratio = Interval(pd.Series([1.0, math.nan]), pd.Series([2.0, 4.0])) / Interval(2.0, 4.0)
    assert ratio.low.tolist()[0] == 0.25
    assert math.isnan(ratio.low[1])
    assert ratio.high.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(("other", "met"), [((2, 3), True), ((2.1, 3), False), ((1.4, 1.5), True)])
def test_overlap_counts_a_shared_end(other, met):
    assert bool(Interval(1, 2).overlaps(Interval(*other))) is met


PRINTED = [
    ("24,525", "rounded", 24_524.5, 24_525.5),
    ("3.", "rounded", 2.5, 3.5),
    ("0.002", "rounded", 0.0015, 0.0025),
    ("20", "rounded", 19.5, 20.5),
    ("~155", "approximate", 147.25, 162.75),
    ("~1.50", "approximate", 1.425, 1.575),
    ("750–820", "range", 750.0, 820.0),
    ("<1", "bound", 0.0, 1.0),
    ("3.29", "exact", 3.29, 3.29),
]


@pytest.mark.parametrize(("text", "basis", "low", "high"), PRINTED)
def test_printed_number_stands_for_its_range(text, basis, low, high):
    assert interval.from_printed(text, basis) == Interval(low, high)


@pytest.mark.parametrize(
    ("text", "basis", "said"),
    [
        ("many", "rounded", "one number"),
        ("750–820", "rounded", "one number"),
        ("1-2-3", "range", "two numbers"),
        ("5", "guessed", "guessed"),
    ],
)
def test_printed_text_without_such_a_range_is_refused(text, basis, said):
    with pytest.raises(ValueError, match=said):
        interval.from_printed(text, basis)


@pytest.mark.parametrize(
    ("value", "digits", "said"),
    [
        (24_525.0, 3, "24,500"),
        (1.399, 3, "1.40"),
        (0.0019531, 3, "0.00195"),
        (0.00000012345, 3, "0.000000123"),
        (0.0, 3, "0"),
        (999.96, 3, "1,000"),
    ],
)
def test_number_has_its_significant_digits_and_no_exponent(value, digits, said):
    assert interval.number(value, digits) == said


@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize(
    ("value", "digits", "words"),
    [(2.675, 3, "2.67"), (0.0125, 2, "0.013"), (-1.745, 3, "-1.75")],
)
def test_number_rounds_as_its_decimal_number_does_whatever_its_type(kind, value, digits, words):
    """In binary 1.745 lies a hair above what is written, 2.675 a hair below; numpy itself rounds to 1.74 and 2.68."""
    assert interval.number(kind(value), digits) == words
    assert interval.text(kind(value), kind(value), digits) == words


@pytest.mark.parametrize(("value", "count"), [(3.0000000001, 3), (3.00000001, 4), (0.0, 0)])
def test_whole_rounds_up_but_not_for_noise(value, count):
    assert interval.whole(value) == count


@pytest.mark.parametrize(
    ("low", "high", "digits", "said"),
    [
        (1.2345, 1.2349, 3, "1.23"),
        (24_524.5, 24_525.5, 3, "24,500"),
        (24_524.5, 24_525.5, None, "24,525"),
        (95_104.5, 95_104.5, None, "95,104.5"),
        (3.5, 4.5, None, "3.5 to 4.5"),
        (math.nan, 1.0, 3, "not known"),
        (0.0, 1.0, 3, "0 to 1"),
    ],
)
def test_range_in_words(low, high, digits, said):
    assert interval.text(low, high, digits) == said


def test_of_and_put_are_inverse():
    frame = pd.DataFrame({"rate_low": [1.0], "rate_high": [2.0]})
    pd.testing.assert_frame_equal(interval.put(frame, "rate", interval.of(frame, "rate")), frame)
    assert interval.of(frame.rename(columns=lambda name: name.removeprefix("rate_")), "").high[0] == 2.0


def test_hull_takes_the_outermost_ends_of_each_group():
    frame = pd.DataFrame({"who": ["b", "a", "b"], "x_low": [2.0, 5.0, 1.0], "x_high": [3.0, 6.0, 9.0]})
    found = interval.hull(frame, ["who"], "x")
    assert found.to_dict("list") == {"who": ["b", "a"], "x_low": [1.0, 5.0], "x_high": [9.0, 6.0], "count": [2, 1]}


def test_the_span_of_rows_is_from_the_lowest_to_the_highest_and_unknown_without_rows():
    rows = pd.DataFrame({"rate_low": [2.0, 1.0], "rate_high": [3.0, 2.5]})
    assert interval.span(rows, "rate") == Interval(1.0, 3.0)
    nothing = interval.span(rows.head(0), "rate")
    assert np.isnan(nothing.low) and np.isnan(nothing.high)
