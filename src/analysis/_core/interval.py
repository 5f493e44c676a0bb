"""Arithmetic on quantities that are known as a range, low to high.

An interval's ends are scalars, numpy arrays or pandas Series alike; a missing end (NaN) stays missing.
Products and quotients are those of positive quantities: throughput, watts, dollars, seconds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from analysis._core.choices import not_among
from analysis._core.refusal import unexpected
from analysis._core.vocabulary import RANGE_BASES

APPROXIMATE = Decimal("0.05")  # the share of itself by which a figure marked ~ may be off, however many digits it has
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d*)?")


@dataclass(frozen=True)
class Interval:
    """A range of possible values, `low` <= `high`, both in the same unit."""

    low: Any
    high: Any

    def __add__(self, other: Interval | float) -> Interval:
        other = _interval(other)
        return Interval(self.low + other.low, self.high + other.high)

    def __mul__(self, other: Interval | float) -> Interval:
        other = _positive(_interval(other))
        _positive(self)
        return Interval(self.low * other.low, self.high * other.high)

    def __truediv__(self, other: Interval | float) -> Interval:
        other = _positive(_interval(other))
        _positive(self)
        with np.errstate(divide="ignore", invalid="ignore"):  # What may be zero may be divided by: without an end.
            return Interval(np.divide(self.low, other.high), np.divide(self.high, other.low))

    @property
    def inverse(self) -> Interval:
        """One over the range."""
        return Interval(1.0, 1.0) / self

    def columns(self, name: str) -> dict[str, Any]:
        """Both ends by the names of the columns that keep them, `<name>_low` and `<name>_high`."""
        return {f"{name}_low": self.low, f"{name}_high": self.high}

    def overlaps(self, other: Interval) -> Any:
        """Whether the two ranges share a value (True, False or a Series of them); False where an end is missing."""
        return (self.low <= other.high) & (other.low <= self.high)

    def text(self, digits: int | None = 3, to: str = " to ") -> str:
        """A scalar range in words, see the function `text`."""
        return text(self.low, self.high, digits, to)

    @property
    def known(self) -> bool:
        """Whether a scalar range has both its ends."""
        return not (pd.isna(self.low) or pd.isna(self.high))

    @property
    def middle(self) -> Any:
        """The geometric middle: ratios and rates are compared by factors, not by differences."""
        return np.sqrt(self.low * self.high)


UNKNOWN = Interval(float("nan"), float("nan"))  # what is not known, or was never looked at


def of(rows: pd.DataFrame | pd.Series | Mapping[str, Any], name: str = "", suffix: str = "") -> Interval:
    """The interval that a frame, or one row, keeps as `<name>_low` and `<name>_high`, or as `low` and `high`.

    `suffix` is what a merge put behind the columns of one side.
    """
    prefix = f"{name}_" if name else ""
    return Interval(rows[f"{prefix}low{suffix}"], rows[f"{prefix}high{suffix}"])


def put(frame: pd.DataFrame, name: str, interval: Interval) -> pd.DataFrame:
    """A copy of `frame` with the interval as the columns `<name>_low` and `<name>_high`."""
    return frame.assign(**interval.columns(name))


def where(condition: pd.Series, one: Interval, other: Interval) -> Interval:
    """Of each row the interval `one` where the condition holds, else the `other`."""
    return Interval(one.low.where(condition, other.low), one.high.where(condition, other.high))


def hull(frame: pd.DataFrame, by: list[str], name: str) -> pd.DataFrame:
    """One row per group of `by`: the lowest low and the highest high of interval `name`, and `count`."""
    grouped = frame.groupby(by, sort=False, dropna=False)
    ends = {f"{name}_low": grouped[f"{name}_low"].min(), f"{name}_high": grouped[f"{name}_high"].max()}
    return pd.DataFrame(ends | {"count": grouped.size()}).reset_index()


def span(rows: pd.DataFrame | pd.Series | Mapping[str, Any], name: str) -> Interval:
    """From the lowest low to the highest high of the interval `name` over all rows, or that of one row, as floats.

    UNKNOWN without rows. Raises KeyError for a range that `rows` does not have, with the nearest and all it has.
    """
    if not hasattr(rows, "keys"):
        raise unexpected("rows", "a frame or one row of it", rows)
    try:
        ends = of(rows, name)
    except KeyError:
        there = [column.removesuffix("_low") for column in map(str, rows.keys()) if column.endswith("_low")]
        raise KeyError(f"no range {not_among(name, [stem for stem in there if f'{stem}_high' in rows])}") from None
    if not isinstance(rows, pd.DataFrame):
        return Interval(float(ends.low), float(ends.high))
    return Interval(float(ends.low.min()), float(ends.high.max())) if len(rows) else UNKNOWN


def envelope(ranges: Iterable[Interval]) -> Interval:
    """From the lowest low to the highest high of those scalar ranges that are known; UNKNOWN where none is."""
    known = [ends for ends in ranges if ends.known]
    return Interval(min(ends.low for ends in known), max(ends.high for ends in known)) if known else UNKNOWN


def whole(value: Any) -> Any:
    """Rounded up to whole things; a hair above a whole number is rounding noise and does not buy another."""
    return np.ceil(np.round(value, 9))


def from_printed(text: str, basis: str) -> Interval:
    """The range that a printed number represents, in the printed unit.

    `rounded`: half a unit of the last printed digit either way. `approximate` (~85): as much, or five per cent of the
    number where that is more. `range` (750-820): its ends. `bound` (<1): zero to the number. `exact`: the number.
    Raises ValueError if `text` holds no number, or not two for a range, or `basis` is not one of RANGE_BASES.
    """
    numbers = _NUMBER.findall(text)
    if len(numbers) != (2 if basis == "range" else 1):
        raise ValueError(f"{text!r} does not hold {'two numbers' if basis == 'range' else 'one number'}")
    values = [Decimal(number.replace(",", "")) for number in numbers]
    if basis == "range":
        return Interval(float(values[0]), float(values[1]))
    if basis == "bound":
        return Interval(0.0, float(values[0]))
    half = _half_unit(numbers[0], values[0], basis)
    return Interval(float(values[0] - half), float(values[0] + half))


def text(low: float, high: float, digits: int | None = 3, to: str = " to ") -> str:
    """The range in words: one number where both ends agree to `digits` significant digits, else both with `to` between.

    With `digits` None as many as the range is narrow, three to six: 24,525 for 24,524.5 to 24,525.5.
    """
    if pd.isna(low) or pd.isna(high):
        return "not known"
    if digits is None:
        width = (high - low) / abs(high) if high else 0
        digits = int(np.clip(np.floor(-np.log10(width)) + 1, 3, 6)) if width else 6
        if width and high - low <= 10.0 ** (_magnitude(high, digits) - digits + 1) * (1 + 1e-9):
            return number((low + high) / 2, digits)
    first, last = number(low, digits), number(high, digits)
    return first if first == last else f"{first}{to}{last}"


def number(value: float, digits: int = 3) -> str:
    """`value` to `digits` significant digits, never in exponent form, with separators of thousands.

    Zeros behind the point appear only where rounding made them: 2 for 2.0, 1.40 for 1.399.
    """
    value = float(value)  # numpy's own rounding is not that of the decimal number: 1.745 would become 1.74
    if value == 0 or not np.isfinite(value):
        return "0" if value == 0 else str(value)
    places = digits - 1 - _magnitude(value, digits)
    printed = f"{round(value, places):,.{max(0, places)}f}"
    exact = math.isclose(round(value, places), value, rel_tol=1e-12)
    return printed.rstrip("0").rstrip(".") if "." in printed and exact else printed


def _magnitude(value: float, digits: int) -> int:
    """The power of ten of the first digit once `value` is rounded to `digits`: 1 for 9.996 to three digits."""
    return int(f"{value:.{digits - 1}e}".partition("e")[2])


def _half_unit(printed: str, value: Decimal, basis: str) -> Decimal:
    if basis == "exact":
        return Decimal(0)
    if basis not in ("rounded", "approximate"):
        raise ValueError(f"range basis {basis!r} is not one of {', '.join(RANGE_BASES)}")
    half = Decimal(5).scaleb(-len(printed.partition(".")[2]) - 1)
    return max(half, value * APPROXIMATE) if basis == "approximate" else half


def _interval(value: Interval | float) -> Interval:
    return value if isinstance(value, Interval) else Interval(value, value)


def _positive(value: Interval) -> Interval:
    low = value.low
    if low < 0 if isinstance(low, float) else np.any(np.asarray(low, dtype=float) < 0):  # mostly one number
        raise ValueError("a product or quotient of ranges needs quantities that are not negative")
    return value
