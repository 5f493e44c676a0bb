"""Small pieces of wording that several reports share: names of findings and ranges."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from analysis.core import interval
from analysis.core.interval import Interval
from analysis.core.lists import first_of


def finding_name(text: str) -> str:
    """`text` as a finding's name: lower case, everything but letters and digits as `_`."""
    return "".join(c if c.isalnum() else "_" for c in text.lower()).strip("_")


def span(rows: pd.DataFrame | pd.Series, name: str) -> Interval:
    """The lowest low and highest high of interval `name` over the rows."""
    ends = interval.of(rows, name)
    if isinstance(rows, pd.Series):
        return Interval(float(ends.low), float(ends.high))
    return Interval(float(ends.low.min()), float(ends.high.max()))


def ranged(rows: pd.DataFrame | pd.Series, name: str) -> str:
    """The span of interval `name` in words."""
    return span(rows, name).text()


def listed(names: Iterable[str], most: int = 4) -> str:
    """`a, b and c`, or the first few and how many more."""
    names = list(dict.fromkeys(names))
    if len(names) > most:
        return first_of(names, most)
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def counted(count: int, thing: str) -> str:
    """1 system, 15 systems."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {plural(thing)}"


def plural(work: str) -> str:
    """tokens, samples, queries."""
    return f"{work[:-1]}ies" if work.endswith("y") else f"{work}s"
