"""The verdicts, what each means, and the comparison of two ranges; which figures are compared is not decided here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.core import interval
from analysis.core.interval import Interval

# From the best to the worst: a figure with several verdicts is as good as its worst.
MEANING = {
    "exact": "the expected number is the printed one",
    "within_rounding": "the printed and the expected range share a value, or the figure lies below its ceiling",
    "within_5_percent": "the nearest ends of the two ranges are at most five per cent apart",
    "conditional": "holds only under a condition that the document does not state",
    "unverifiable": "the tables lack what it takes to check it",
    "no_official_basis": "no official result at hand stands behind it",
    "contradicts": "the two ranges are more than five per cent apart",
    "impossible": "more than five per cent above what the hardware can do",
}
VERDICTS = tuple(MEANING)
AGREES = ("exact", "within_rounding")
COLUMNS = ["table", "row_id", "source_id", "locator", "check", "verdict", "printed_low", "printed_high"]
COLUMNS += ["expected_low", "expected_high", "unit", "reference", "explanation"]
CLOSE = 1.05
NO_FACTOR = ("date", "rank", "benchmark named")  # checks of what is no quantity: twice a date means nothing
NOTHING = Interval(np.nan, np.nan)


def compare(printed: Interval, expected: Interval, basis: str = "rounded") -> str:
    """The verdict on a printed range against the expected one; `basis` says how the printed range came about.

    A rounded or exact figure whose number is the expected one is exact; ranges that share a value are within rounding;
    up to a factor of 1.05 between their nearest ends is within five per cent. A missing end: unverifiable.
    """
    if not (printed.known and expected.known):
        return "unverifiable"
    number = (printed.low + printed.high) / 2
    if basis in ("rounded", "exact") and np.allclose([expected.low, expected.high], number, rtol=1e-9, atol=0):
        return "exact"
    apart = factor(printed, expected)
    return "within_rounding" if apart == 1 else "within_5_percent" if apart <= CLOSE else "contradicts"


def below(printed: Interval, ceiling: float) -> str:
    """The verdict on a figure that cannot be higher than `ceiling`, both in one unit."""
    found = compare(printed, Interval(0.0, ceiling), "range")
    return "impossible" if found == "contradicts" else found


def factor(printed: Interval, expected: Interval) -> float:
    """By what factor the nearest ends of two ranges of positive numbers are apart: 1 where they share a value."""
    higher, lower = (printed, expected) if printed.low > expected.high else (expected, printed)
    with np.errstate(divide="ignore"):
        return max(1.0, float(np.divide(higher.low, lower.high)))


def worst(verdicts: Iterable[str]) -> str:
    """The worst of several verdicts; "" where there is none."""
    return max(verdicts, key=VERDICTS.index, default="")


def best(verdicts: Iterable[str]) -> str:
    """The best of several verdicts; "" where there is none."""
    return min(verdicts, key=VERDICTS.index, default="")


def row(
    figure: Mapping[str, Any],
    table: str,
    check: str,
    found: str,
    printed: Interval,
    expected: Interval,
    unit: str,
    reference: str,
    explanation: str,
) -> dict[str, Any]:
    """One verdict on one figure (a row of `table` with id, source_id, locator) as a row of COLUMNS."""
    own = {"table": table, "row_id": figure["id"], "source_id": figure["source_id"], "locator": figure["locator"]}
    own |= {"check": check, "verdict": found, "printed_low": printed.low, "printed_high": printed.high}
    own |= {"expected_low": expected.low, "expected_high": expected.high, "unit": unit}
    return own | {"reference": reference, "explanation": explanation}


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows of `row` as a frame of COLUMNS, also where there are none. Raises ValueError for an unknown verdict."""
    made = pd.DataFrame(list(rows), columns=COLUMNS)
    strange = set(made["verdict"]) - set(VERDICTS)
    if strange:
        raise ValueError(f"no verdict {', '.join(map(repr, sorted(strange)))}. Valid: {', '.join(VERDICTS)}")
    ends = [name for name in COLUMNS if name.endswith(("_low", "_high"))]
    return made.astype(dict.fromkeys(ends, "float64") | {n: "str" for n in COLUMNS if n not in ends})


def hull(ranges: Iterable[Interval]) -> Interval:
    """The lowest low and the highest high of several ranges; NOTHING where there is none."""
    ranges = [each for each in ranges if each.known]
    if not ranges:
        return NOTHING
    return Interval(min(each.low for each in ranges), max(each.high for each in ranges))


def off(printed: Interval, expected: Interval) -> str:
    """How far a figure is off, in words: in per cent up to a tenth, beyond that as a factor."""
    apart = factor(printed, expected)
    if apart == 1:
        return "not off"
    high = printed.low > expected.high
    if apart < 1.1:
        return f"{interval.number(100 * (apart - 1), 2)} % too {'high' if high else 'low'}"
    said = interval.number(apart)
    return f"{said} times too high" if high else f"too low by a factor of {said}"
