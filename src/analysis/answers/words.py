"""Small pieces of wording that several reports share: names of findings and ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from analysis.core import interval, views
from analysis.core.findings import MOST_WORDS
from analysis.core.interval import Interval
from analysis.core.lists import first_of
from analysis.core.notes import NONE, Notes
from analysis.core.trust import Trust
from analysis.core.vocabulary import round_age

PROSE = 2  # significant digits of a number in a sentence
RATE = 3  # of rates: with two, 8 % between two that stand side by side may read as 14 %
SMALL_GAIN = 1.2  # below this factor a gain is told in per cent


def finding_name(text: str) -> str:
    """`text` as a finding's name: lower case, everything but letters and digits as `_`."""
    return "".join(c if c.isalnum() else "_" for c in text.lower()).strip("_")


def ranged(rows: pd.DataFrame | pd.Series, name: str) -> str:
    """The span of interval `name` in words, with the two digits that prose has."""
    return prose(interval.span(rows, name))


def rate(rows: pd.DataFrame | pd.Series, name: str) -> str:
    """The same of a rate, with its three digits."""
    return interval.span(rows, name).text(RATE)


def prose(value: Interval) -> str:
    """A range as sentences say it: with two digits."""
    return value.text(PROSE)


def trust(rows: pd.DataFrame, *more: str, notes: Notes = NONE, band: str = "") -> Trust:
    """The trust line of an answer from the result rows behind it: rounds, division, availability, how many systems.

    `more` are further parts in words. Rows need the columns `origin`, `round`, `division`, `availability`, `submitter`
    and `system`; published figures among them are counted as such. The explorer shows the official ones (views.around).
    """
    official = rows[rows["origin"].eq("official")]
    parts = []
    if len(official):
        rounds = sorted(set(official["round"]), key=round_age)
        sold = official["availability"].eq("available")
        system = ["system_key"] if "system_key" in official else ["round", "submitter", "system"]
        systems, available = (len(results.drop_duplicates(system)) for results in (official, official[sold]))
        parts += [f"MLPerf {rounds[0]}" if len(rounds) == 1 else f"MLPerf {rounds[0]} to {rounds[-1]}"]
        parts += [listed(sorted(set(official["division"])))]
        parts += ["on sale"] if available == systems else [f"{available} of {systems} on sale"] if available else []
        parts += [counted(systems, "system")]
    others = len(rows) - len(official)
    parts += [counted(others, "published figure")] if others else []
    return Trust((*parts, *more) if parts or more else ("nothing to rest on",), notes, band, views.around(rows))


def bridged(through: Iterable[str]) -> list[str]:
    """What a trust line says of rounds that numbers go `through` and its rows are not of; "" stands for none."""
    rounds = sorted({name for name in through if name}, key=round_age)
    return [f"over a bridge through {listed(rounds)}"] if rounds else []


def more_than(value: Interval, reference: str) -> str:
    """A factor as sentences say it: 1.5 times FP8, but 6.1 % more than FP8 where two digits of it say too little."""
    return f"{gained(value)}{' more than' * _is_small(value)} {reference}"


def gained(value: Interval) -> str:
    """The same without what it is a factor of: 1.5 times, but 6.1 %."""
    return f"{prose((value + -1.0) * 100.0)} %" if _is_small(value) else f"{prose(value)} times"


def _is_small(gain: Interval) -> bool:
    return bool(gain.low >= 1 and gain.high < SMALL_GAIN)


def listed(names: Iterable[str], most: int = 4) -> str:
    """`a, b and c`, or the first few and how many more."""
    names = list(dict.fromkeys(names))
    if len(names) > most:
        return first_of(names, most)
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def either(names: Iterable[str], most: int = 4) -> str:
    """`a, b or c`, or the first few and how many more."""
    names = list(dict.fromkeys(names))
    if len(names) > most:
        return first_of(names, most)
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def counted(count: int, thing: str) -> str:
    """1 system, 15 systems."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {plural(thing)}"


def plural(work: str) -> str:
    """tokens, samples, queries."""
    return f"{work[:-1]}ies" if work.endswith("y") else f"{work}s"


def dollars(value: Interval, digits: int = PROSE) -> str:
    """US dollars as sentences say them: $28, $4.80, $19,000 to $21,000; in cents where all of it is below a dollar."""
    if not value.known:
        return "not known"
    if value.high < 1:
        words = (value * 100).text(digits)
        return f"{words} cent{'s' * (words != '1')}"
    return " to ".join(dict.fromkeys(_dollars(end, digits) for end in (value.low, value.high)))


def millions(value: Interval) -> str:
    """A count or a rate as sentences say it: 9.9 million, 480,000."""
    return f"{(value / 1e6).text(PROSE)} million" if value.high >= 1e6 else value.text(PROSE)


def called(accelerators: pd.DataFrame) -> Callable[[str], str]:
    """What people call an accelerator: its label of accelerators.csv; its own name where the table has none."""
    labels = dict(zip(accelerators["accelerator"], accelerators["label"], strict=True))
    return lambda name: labels.get(name) or name


def renamed(rows: pd.DataFrame, name: Callable[[str], str]) -> pd.DataFrame:
    """The rows with accelerators as people call them (`called`); `part` keeps the name that the tables have."""
    sides = {side: rows[side].map(name).astype("str") for side in ("accelerator", "accelerator_base") if side in rows}
    return rows.assign(part=rows["accelerator"], **sides)


def with_article(name: str) -> str:
    """An accelerator with its article, by how it is spoken: an H100 SXM, a B200 SXM, an Arc Pro B60, a Gaudi2."""
    spelled = len(name) > 1 and name[0].isupper() and not name[1].islower()
    return f"{'an' if name[:1] in ('AEFHILMNORSX' if spelled else 'AEIOaeio') else 'a'} {name}"


def opening(words: str) -> str:
    """The words with a capital, as at the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def many_of(name: str) -> str:
    """The plural of a product's name: H100s, MI300Xs; L40S as it is."""
    return name if name[-1:] in "sS" else f"{name}s"


def fitting(*sentences: str) -> str:
    """The first sentence that an answer has room for; the last where none of them fits."""
    return next((sentence for sentence in sentences if len(sentence.split()) <= MOST_WORDS), sentences[-1])


def _dollars(value: float, digits: int) -> str:
    """Below ten dollars with cents, where there are any: $4.80, $0.25, $3."""
    words = interval.number(value, digits)
    return f"${float(words):.2f}" if value < 10 and "." in words else f"${words}"
