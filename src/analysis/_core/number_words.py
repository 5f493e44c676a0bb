"""Numbers and lists in words, as sentences of reports and of the command line have them.

Values may be a number, a pair (low, high), or an `Interval`. Two significant digits unless `digits` says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from analysis._core import interval
from analysis._core.cell_lists import first_of
from analysis._core.interval import Interval
from analysis._core.refusal import unexpected

Value = Interval | float | tuple[float, float]
PROSE = 2  # significant digits of a number in a sentence


def x_times(value: Value, digits: int = PROSE) -> str:
    """A ratio in words: `3.3x`, `3.5x to 4.2x`."""
    return _ends(value, lambda end: f"{interval.number(end, digits)}x")


def percent(value: Value, digits: int = PROSE) -> str:
    """A share in words, 1 being all: `17%`, `17% to 35%`."""
    return _ends(value, lambda end: f"{interval.number(end * 100, digits)}%")


def change(value: Value, digits: int = PROSE) -> str:
    """A ratio as a change: `+6.1%` for 1.061, `-17%` for 0.83, `+2% to +6%` for a range."""
    return _ends(value, lambda end: f"{'+' if end >= 1 else '-'}{interval.number(abs(end - 1) * 100, digits)}%")


def range_text(value: Value, digits: int = PROSE) -> str:
    """A number or range in words: `13`, `13 to 16`, `15,700`. Throughput takes `digits=3`."""
    return as_interval(value).text(digits)


def usd(value: Value, digits: int = PROSE) -> str:
    """US dollars in words: `$28`, `$4.80`, `$0.45`, `$19,000 to $21,000`."""
    return _ends(value, lambda end: _dollars(end, digits))


def names(items: Iterable[str], most: int = 4, word: str = "and") -> str:
    """A list in words: `A`, `A and B`, `A, B, and C`; of more than `most` the first ones and how many more."""
    items = list(dict.fromkeys(items))
    if len(items) > most:
        return first_of(items, most)
    if len(items) < 3:
        return f" {word} ".join(items)
    return f"{', '.join(items[:-1])}, {word} {items[-1]}"


def count(number: int, thing: str) -> str:
    """A count with its noun: `1 system`, `15 systems`, `2 queries`."""
    plural = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{number:,} {thing if number == 1 else plural}"


def slug(text: str) -> str:
    """`text` as part of a finding's name: lower case, with `_` for all but letters and digits."""
    return "".join(c if c.isalnum() else "_" for c in text.lower()).strip("_")


def as_interval(value: Value) -> Interval:
    """`value` as an interval. Raises TypeError for what is no Value."""
    if isinstance(value, Interval):
        return value
    try:
        low, high = value if isinstance(value, tuple) else (value, value)
        return Interval(float(low), float(high))
    except (TypeError, ValueError):
        raise unexpected("value", "a number, a pair (low, high), or an Interval", value) from None


def _ends(value: Value, word: Any) -> str:
    """Both ends in words, once where they read the same; `not known` where one is missing."""
    ends = as_interval(value)
    return " to ".join(dict.fromkeys([word(ends.low), word(ends.high)])) if ends.known else "not known"


def _dollars(amount: float, digits: int) -> str:
    """With cents, where there are any: $4.80, $13.50, $0.25, $3; below ten cents with more digits."""
    text = interval.number(amount, digits)
    if "." in text and len(text.partition(".")[2]) < 2:
        text = f"{float(text):.2f}"
    return f"${text}"
