"""A rental price as a user writes it, `H100 SXM=2.5-3; reserved; 2026-01; a cloud`, taken apart."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_RANGE = re.compile(r"(\d+(?:\.\d+)?|\.\d+)(?:\s*-\s*(\d+(?:\.\d+)?|\.\d+))?")
_DATE = re.compile(r"(?:\d{4}(?:-\d\d){0,2})?")
EXPECTED = "ACCELERATOR=DOLLARS or ACCELERATOR=LOW-HIGH, then `; commitment; date; provider` where known"
EXPECTED_PLAIN = f"DOLLARS or LOW-HIGH, such as 3.50 or 2-4.76, or {EXPECTED}"  # where the accelerator is known


@dataclass(frozen=True)
class Quote:
    """US dollars per accelerator-hour, low to high; "" for what is not said.

    Without an `accelerator` it is of the one that the report is about.
    """

    accelerator: str
    low: float
    high: float
    commitment: str = ""
    quoted: str = ""
    provider: str = ""


def parse_quote(text: str, expected: str = EXPECTED) -> Quote:
    """The quote that `text` states. Raises ValueError saying what was `expected`."""
    price, *terms = (part.strip() for part in text.split(";"))
    accelerator, _, usd = price.rpartition("=")
    try:
        low, high = numbers(usd)
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}; expected {expected}") from None
    if low == 0 or len(terms) > 3:
        raise ValueError(f"{text!r}: {'a price is above zero' if low == 0 else 'too many parts'}; expected {expected}")
    offer = Quote(accelerator.strip(), low, high, *terms)
    wrong = {
        f"{offer.commitment!r} is no commitment in words": not _is_words(offer.commitment),
        f"{offer.quoted!r} is no date such as 2026-01": not _DATE.fullmatch(offer.quoted),
        f"{offer.provider!r} names no provider": not _is_words(offer.provider),
    }
    if fault := next((words for words, is_so in wrong.items() if is_so), ""):
        raise ValueError(f"{text!r}: {fault}; expected {expected}")
    return offer


def _is_words(text: str) -> bool:
    """Whether a text is empty or holds a letter: a number alone names nobody."""
    return not text or any(map(str.isalpha, text))


def numbers(text: str) -> tuple[float, float]:
    """`4.76` as (4.76, 4.76), `2-4.76` as (2.0, 4.76). Raises ValueError for anything else, a negative number too."""
    match = _RANGE.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{text!r} is not a number or a range such as 2-4.76, low before high, none negative")
    low, high = float(match[1]), float(match[2] or match[1])
    if math.isinf(high):
        raise ValueError(f"{text[:20]!r} and more digits: too large a number")
    if low > high:
        raise ValueError(f"{text!r}: the lower end comes first")
    return low, high
