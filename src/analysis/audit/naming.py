"""Figures in words: hardware and benchmark, ranges and dates, labels in place of ids."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from datetime import date

import pandas as pd

from analysis._core import interval
from analysis._tables.catalog import Catalog
from analysis.audit.labels import NAMED

_ID = re.compile(r"\w+(?:[-.]\w+)*")


def described(results: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Return what each published result is of, indexed by its id.

    Columns: accelerator, `part` (`8x H100 SXM`), `model` (the benchmark's label).
    """
    rows = results[results["origin"].eq("published")]
    model = rows["benchmark"].map(dict(zip(benchmarks["benchmark"], benchmarks["label"], strict=True)))
    count = rows["accelerator_count"].map(lambda size: f"{size}x ", na_action="ignore").fillna("")
    columns = {"accelerator": rows["accelerator"], "part": count + rows["accelerator"], "model": model}
    return pd.DataFrame(columns).set_axis(list(rows["id"]))


def ends(low: float, high: float, unit: str, digits: int | None = 3) -> str:
    """Return a range in words. Numbers of unit `date` (20240828) become a month where they span one, else days."""
    if unit != "date" or pd.isna(low) or pd.isna(high):
        return interval.text(low, high, digits)
    first_day, last_day = (date.fromisoformat(f"{end:.0f}") for end in (low, high))
    if first_day.day == 1 and last_day == first_day.replace(day=monthrange(first_day.year, first_day.month)[1]):
        return f"{first_day:%B %Y}"
    return " to ".join(dict.fromkeys(map(str, (first_day, last_day))))


def labels(data: Catalog) -> dict[str, str]:
    """Return the label of each source and benchmark by its id."""
    return data.labels | dict(zip(data.benchmarks["benchmark"], data.benchmarks["label"], strict=True))


def readable(texts: pd.Series, judged: pd.DataFrame, labels: Mapping[str, str]) -> pd.Series:
    """Return the texts with ids of sources and benchmarks replaced by labels, ids of rows by document and place.

    `judged` are rows of the audit, which name the place of each figure; `labels` are the labels by id.
    """
    rows = judged.drop_duplicates("row_id")
    places = rows["source_id"].map(labels) + ", " + rows["locator"]
    names = {**labels, **{key: f"\u201c{place}\u201d" for key, place in zip(rows["row_id"], places, strict=True)}}
    return texts.map(lambda text: _ID.sub(lambda id: names.get(id[0], id[0]), text)).astype("str")


def in_words(rows: pd.DataFrame, judged: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return rows of the audit with `document` (its label), `readable` texts, and the verdict in words."""
    texts = {name: readable(rows[name], judged, labels) for name in ("explanation", "reference") if name in rows}
    return rows.assign(**texts, document=rows["source_id"].map(labels), verdict=rows["verdict"].str.replace("_", " "))


def not_quantities(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of dates, ranks and names with `printed` and `expected` in words (`November 2024`, `is not`)."""
    is_named, flags = rows["check"].eq(NAMED), {0.0: "is not", 1.0: "is a benchmark"}
    sides = {}
    for side in ("printed", "expected"):
        words = [ends(*row) for row in rows[[f"{side}_low", f"{side}_high", "unit"]].itertuples(index=False)]
        sides[side] = pd.Series(words, rows.index, "str").mask(is_named, rows[f"{side}_low"].map(flags))
    return rows.assign(**sides)
