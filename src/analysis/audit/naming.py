"""What readers call a figure: its part and benchmark, its range in words, names in place of ids."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from datetime import date

import pandas as pd

from analysis.core import interval
from analysis.data.catalog import Catalog

_ID = re.compile(r"\w+(?:[-.]\w+)*")


def described(results: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """What each published result is of, by its id.

    Columns: accelerator, part (`8x H100 SXM`), model (the benchmark's label).
    """
    rows = results[results["origin"].eq("published")]
    model = rows["benchmark"].map(dict(zip(benchmarks["benchmark"], benchmarks["label"], strict=True)))
    count = rows["accelerator_count"].map(lambda size: f"{size}x ", na_action="ignore").fillna("")
    columns = {"accelerator": rows["accelerator"], "part": count + rows["accelerator"], "model": model}
    return pd.DataFrame(columns).set_axis(list(rows["id"]))


def ends(low: float, high: float, unit: str, digits: int | None = 3) -> str:
    """A range in words. Numbers of unit `date` (20240828) become a month where they span one, else days."""
    if unit != "date" or pd.isna(low) or pd.isna(high):
        return interval.text(low, high, digits)
    first_day, last_day = (date.fromisoformat(f"{end:.0f}") for end in (low, high))
    if first_day.day == 1 and last_day == first_day.replace(day=monthrange(first_day.year, first_day.month)[1]):
        return f"{first_day:%B %Y}"
    return " to ".join(dict.fromkeys(map(str, (first_day, last_day))))


def labels(data: Catalog) -> dict[str, str]:
    """What a reader calls each source and each benchmark, by its id."""
    return data.labels | dict(zip(data.benchmarks["benchmark"], data.benchmarks["label"], strict=True))


def readable(texts: pd.Series, judged: pd.DataFrame, labels: Mapping[str, str]) -> pd.Series:
    """The texts with every id of a source or benchmark as its label, every id of a row as its document and place there.

    `judged` are rows of the audit, which know where a figure stands; `labels` are the labels by id.
    """
    rows = judged.drop_duplicates("row_id")
    places = rows["source_id"].map(labels) + ", " + rows["locator"]
    names = {**labels, **{key: f"\u201c{place}\u201d" for key, place in zip(rows["row_id"], places, strict=True)}}
    return texts.map(lambda text: _ID.sub(lambda id: names.get(id[0], id[0]), text)).astype("str")
