"""Verdicts on published figures, and the comparison of a printed with an expected range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Any

import pandas as pd

from analysis._core import interval
from analysis._core.interval import Interval

Row = dict[str, Any]


class Verdict(StrEnum):
    """The outcome of a check and its meaning, from best to worst; of several verdicts on a figure the worst counts."""

    meaning: str

    def __new__(cls, word: str, meaning: str) -> Verdict:
        """The word, with its meaning as an attribute."""
        verdict = str.__new__(cls, word)
        verdict._value_ = word
        verdict.meaning = meaning
        return verdict

    CONFIRMED = "confirmed", "the expected number is the printed one"
    WITHIN_ROUNDING = (
        "within_rounding",
        "the printed and expected ranges overlap, or the figure lies below its limit",
    )
    WITHIN_5_PERCENT = "within_5_percent", "the nearest ends of the two ranges differ by at most 5%"
    CONDITIONAL = "conditional", "true only under a condition that the document does not state"
    UNVERIFIABLE = "unverifiable", "the tables lack the data to check it"
    NO_OFFICIAL_RESULT = "no_official_result", "no official result in the data to compare with"
    CONTRADICTED = (
        "contradicted",
        "the two ranges differ by more than 5%, or the complete results of the round lack it",
    )
    PHYSICALLY_IMPOSSIBLE = "physically_impossible", "more than 5% above a hardware limit"


VERDICTS = tuple(verdict.value for verdict in Verdict)
AGREES = (Verdict.CONFIRMED, Verdict.WITHIN_ROUNDING)
HOLDS = (*AGREES, Verdict.WITHIN_5_PERCENT)
CLOSE = 1.05
NOTHING = interval.UNKNOWN


@dataclass(frozen=True, eq=False)
class Judgment:
    """The verdict of one check on one figure: on its `low` to `high` in its own unit, where nothing else is said.

    `figure` is the row that holds it, with the name of its `table`, its `id`, `source_id` and `locator`. `printed` and
    `expected` are in `unit`; `reference` says what the expected range is from: a row, a result or a formula. The two
    are compared where no `verdict` is given; `basis` says how the printed range came about, see `compare`: the figure's
    own one, or else "rounded". `result_ids` are those of the official results behind it, as far as they have ids.
    """

    figure: Mapping[str, Any]
    check: str
    expected: Interval
    reference: str
    explanation: str
    _: KW_ONLY
    verdict: Verdict | None = None
    printed: Interval | None = None
    unit: str = ""
    basis: str = ""
    result_ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        printed = interval.of(self.figure) if self.printed is None else self.printed
        basis = self.basis or self.figure.get("range_basis", "rounded")
        verdict = self.verdict or compare(printed, self.expected, basis)
        vars(self).update(printed=printed, verdict=verdict, unit=self.unit or self.figure["unit"])

    @property
    def record(self) -> tuple[Any, ...]:
        """The judgment as a row of COLUMNS."""
        where = [self.figure[name] for name in ("table", "id", "source_id", "locator")]
        ends = [self.printed.low, self.printed.high, self.expected.low, self.expected.high]
        return (*where, self.check, self.verdict.value, *ends, self.unit, self.reference, self.explanation)


ENDS = ["printed_low", "printed_high", "expected_low", "expected_high"]
COLUMNS = ["table", "row_id", "source_id", "locator", "check", "verdict", *ENDS, "unit", "reference", "explanation"]


def frame(judgments: Iterable[Judgment]) -> pd.DataFrame:
    """The judgments as a frame of COLUMNS, also where there are none."""
    rows = pd.DataFrame([judgment.record for judgment in judgments], columns=COLUMNS)
    return rows.astype({name: "float64" if name in ENDS else "str" for name in COLUMNS})


def compare(printed: Interval, expected: Interval, basis: str = "rounded") -> Verdict:
    """The verdict on a printed range against the expected one; `basis` says how the printed range came about.

    A rounded or exact figure whose number is the expected one is exact; ranges that share a value are within rounding;
    up to a factor of 1.05 between their nearest ends is within five per cent. A missing end: unverifiable.
    """
    if not (printed.known and expected.known):
        return Verdict.UNVERIFIABLE
    number = (printed.low + printed.high) / 2
    if basis in ("rounded", "exact") and _is(number, expected.low) and _is(number, expected.high):
        return Verdict.CONFIRMED
    apart = factor(printed, expected)
    if apart == 1:
        return Verdict.WITHIN_ROUNDING
    return Verdict.WITHIN_5_PERCENT if apart <= CLOSE else Verdict.CONTRADICTED


def below(printed: Interval, ceiling: float) -> Verdict:
    """The verdict on a figure that cannot be higher than `ceiling`, both in one unit."""
    verdict = compare(printed, Interval(0.0, ceiling), "range")
    return Verdict.PHYSICALLY_IMPOSSIBLE if verdict is Verdict.CONTRADICTED else verdict


def enough(stated: float, least: float) -> Verdict:
    """The verdict on a number of accelerators that must be at least `least`."""
    if stated < least:
        return Verdict.PHYSICALLY_IMPOSSIBLE
    return Verdict.CONFIRMED if stated == least else Verdict.WITHIN_ROUNDING


def factor(printed: Interval, expected: Interval) -> float:
    """By what factor the nearest ends of two ranges of positive numbers are apart: 1 where they share a value."""
    higher, lower = (printed, expected) if printed.low > expected.high else (expected, printed)
    if lower.high == 0:
        return 1.0 if higher.low == 0 else float("inf")
    return max(1.0, float(higher.low / lower.high))


def worst(verdicts: Iterable[str]) -> Verdict:
    """The worst of several verdicts; unverifiable where there is none."""
    return max(map(Verdict, verdicts), key=_RANK.__getitem__, default=Verdict.UNVERIFIABLE)


def best(verdicts: Iterable[str]) -> Verdict:
    """The best of several verdicts; unverifiable where there is none."""
    return min(map(Verdict, verdicts), key=_RANK.__getitem__, default=Verdict.UNVERIFIABLE)


def difference_in_words(printed: Interval, expected: Interval) -> str:
    """Return how far a figure is off: `2% too high`, from 10% on `too low by a factor of 1.49`."""
    apart = factor(printed, expected)
    if apart == 1:
        return "not off"
    side = "high" if printed.low > expected.high else "low"
    if apart < 1.1:
        return f"{interval.number(100 * (apart - 1), 2)}% too {side}"
    return f"too {side} by a factor of {interval.number(apart)}"


def _is(number: float, expected: float) -> bool:
    """Whether two numbers are the same but for noise of computing."""
    return bool(abs(number - expected) <= 1e-9 * abs(number))


_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}
