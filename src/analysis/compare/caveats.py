"""What a comparison that is allowed must still say: the caveats of rows, and one line for a figure; no row is left out.

Which rows may be compared at all is decided in comparable.py. The round of a row is told by its basis; only a ratio
between two rounds has a caveat of them (see `apart`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

ASSUMED = "tokens per sample assumed"
OF_DOCUMENTS = ("division not stated", ASSUMED, "precision not stated")
READ = [
    "availability",
    "division",
    "assumed",
    "precision",
    "range_basis",
    "inferred",
    "system",
    "suite",
    "basis",
    "per",
]
READ += ["accelerator", "accelerator_count", "round", "corrected", "doubt"]
Row = Mapping[str, Any]
_PREVIEW = "preview system"
_SIZE = "another size than most systems"


def written(rows: pd.DataFrame, suite: str, division: str) -> pd.Series:
    """The caveats of each row, joined by `; `: of a comparison within a suite (empty: all) and a division."""
    each = rows.assign(doubt=doubt(rows))[READ].to_dict("records")  # Plain rows: of a handful, quicker than columns.
    size = _usual_size(each)
    rules: dict[str, Callable[[Row], bool]] = {
        f"{_PREVIEW}, not yet on sale in {{round}}": lambda row: _preview(row) and row["round"] != "",
        _PREVIEW: lambda row: _preview(row) and row["round"] == "",
        "division not stated": lambda row: row["division"] == "",
        ASSUMED: lambda row: row["assumed"],
        "precision not stated": lambda row: row["precision"] == "",
        "marked approximate": lambda row: row["range_basis"] == "approximate",
        "inferred from another scenario": lambda row: row["inferred"],
        "power-capped MaxQ system": lambda row: "maxq" in row["system"].lower(),
        "edge suite": lambda row: row["suite"] == "edge" and suite != "edge",
        f"{_SIZE}, {{accelerator_count}}x against {size}x": _of_another_size(each, size),
        "label corrected": lambda row: row["corrected"] != "",
        f"{division} division": lambda row: row["division"] != "" and division != "closed",
        "{doubt}": lambda row: row["doubt"] != "",
    }
    said = ["; ".join(words.format(**row) for words, holds in rules.items() if holds(row)) for row in each]
    return pd.Series(said, index=rows.index, dtype="str")


def joined(texts: Iterable[str]) -> str:
    """The caveats of several `; `-joined texts as one, each once, in order: what holds for rows taken together."""
    return "; ".join(dict.fromkeys(part for text in texts for part in text.split("; ") if part))


def beside(*columns: Iterable[str]) -> list[str]:
    """The caveats of pairs of runs on one system, from those of each run: in their ratio its size does not count."""
    both = (joined(each).split("; ") for each in zip(*columns, strict=True))
    return [joined(each for each in said if not of_size(each)) for said in both]


def carried(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """One row per group of `by`, with the column `caveat`: what rows that are spread into one still have to say."""
    return rows.groupby(by, sort=False, dropna=False)["caveat"].agg(joined).reset_index()


def apart(rounds: Iterable[str], other: Iterable[str]) -> list[str]:
    """The caveat of a ratio whose two sides are of these rounds; none where they are the same or one is not stated."""
    named = [sorted(set(side) - {""}) for side in (rounds, other)]
    if not all(named) or named[0] == named[1]:
        return []
    words = ["/".join(side) for side in named]
    return [f"different rounds, {words[0]} against {words[1]}: software and rules differ"]


def of_size(caveat: str) -> bool:
    """Whether a caveat of `written` is about the size of the system."""
    return caveat.startswith(_SIZE)


def of_one(caveat: str) -> bool:
    """Whether a row's caveats say something of this row alone, not only of its document as a whole."""
    return bool(set(caveat.split("; ")) - {"", *OF_DOCUMENTS})


def _preview(row: Row) -> bool:
    return row["availability"] == "preview"


def _usual_size(rows: Sequence[Row]) -> int:
    """The number of accelerators that most systems have, the larger where two are as frequent."""
    counts = Counter(row["accelerator_count"] for row in rows if row["per"] == "system")
    return max(counts, key=lambda size: (counts[size], size), default=0)


def _of_another_size(rows: Sequence[Row], usual: int) -> Callable[[Row], bool]:
    """Whether a row's accelerator has no system of the usual size on the row's basis.

    What one accelerator gives depends on how many work together, so a pair of two sizes is not like with like. A rate
    that is printed per accelerator is of no system.
    """
    like = {(row["basis"], row["accelerator"]) for row in rows if row["accelerator_count"] == usual}
    return lambda row: row["per"] == "system" and (row["basis"], row["accelerator"]) not in like


def doubt(rows: pd.DataFrame) -> pd.Series:
    """What the audit doubts about each row; "" where it was not audited."""
    return rows["doubt"] if "doubt" in rows else pd.Series("", index=rows.index)


def told(rows: pd.DataFrame, label: str = "accelerator") -> list[str]:
    """Every caveat of `rows` once, with what it is about in brackets, unless it holds for all of them.

    That is the row's `label`, a column of text, or its `basis` where the caveat is of documents as a whole or all rows
    have one label. Caveats that differ behind the comma only (sizes) are one. Rows without a column `caveat` have none.
    """
    if "caveat" not in rows:
        return []
    each = rows.assign(one=rows["caveat"].str.split("; ")).explode("one")
    each = each[each["one"].fillna("").ne("")]
    heads = each["one"].map(lambda caveat: caveat.partition(", ")[0])
    each = each.assign(one=each["one"].mask(each.groupby(heads)["one"].transform("nunique").gt(1), heads))
    about = each[label]
    if "basis" in each:
        alike = rows[label].nunique() == 1
        about = each["basis"] if alike else about.mask(each["one"].isin(OF_DOCUMENTS), each["basis"])
    groups = about.groupby(each["one"], sort=False)
    return [one if names.index.nunique() == len(rows) else f"{one} ({_few(names)})" for one, names in groups]


def line(rows: pd.DataFrame, label: str = "accelerator") -> str:
    """The caveats of `rows` as one line of a figure's subtitle (see `told`); "" where there are none."""
    said = told(rows, label)
    return f"Caveats: {'; '.join(said)}." if said else ""


def _few(names: pd.Series) -> str:
    first = list(dict.fromkeys(names))
    return ", ".join(first) if len(first) < 5 else f"{', '.join(first[:3])} and {len(first) - 3} more"
