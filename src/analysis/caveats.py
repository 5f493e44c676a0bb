"""What a comparison that is allowed must still say: the caveats of rows, and one line for a figure; no row is left out.

Which rows may be compared at all is decided in comparable.py.
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

ASSUMED = "tokens per sample assumed"
OF_DOCUMENTS = ("division not stated", ASSUMED, "precision not stated")
_SIZE = "another size than most systems"


def written(rows: pd.DataFrame, suite: str, division: str) -> pd.Series:
    """The caveats of each row, joined by `; `: of a comparison within a suite (empty: all) and a division."""
    each = {
        "preview system, cannot be bought": rows["availability"].eq("preview"),
        "division not stated": rows["division"].eq(""),
        ASSUMED: rows["assumed"],
        "precision not stated": rows["precision"].eq(""),
        "marked approximate": rows["range_basis"].eq("approximate"),
        "inferred from another scenario": rows["inferred"],
        "power-capped MaxQ system": rows["system"].str.contains("MaxQ", case=False, regex=False),
        "edge suite": rows["suite"].eq("edge") & (suite != "edge"),
        **_other_sizes(rows),
        **{f"from {name}, another round": rows["round"].eq(name) for name in _other_rounds(rows)},
        "label put right": rows["corrected"].ne(""),
        f"{division} division": rows["division"].ne("") & (division != "closed"),
    }
    # Plain lists: a column of text costs pandas more for each caveat than these few rows do altogether.
    names, flags = list(each), zip(*(holds.tolist() for holds in each.values()), strict=True)
    said = ([name for name, holds in zip(names, row, strict=True) if holds] for row in flags)
    text = ["; ".join([*own, doubted] if doubted else own) for own, doubted in zip(said, doubt(rows), strict=True)]
    return pd.Series(text, index=rows.index, dtype="str")


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


def of_size(caveat: str) -> bool:
    """Whether a caveat of `written` is about the size of the system."""
    return caveat.startswith(_SIZE)


def of_one(caveat: str) -> bool:
    """Whether a row's caveats say something of this row alone, not only of its document as a whole."""
    return bool(set(caveat.split("; ")) - {"", *OF_DOCUMENTS})


def _other_sizes(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """The rows of accelerators that have no system of the size that most rows have, by the size that they do have.

    What one accelerator gives depends on how many work together, so a pair of two sizes is not like with like. A rate
    that is printed per accelerator is of no system.
    """
    counts = rows["accelerator_count"].astype("float64").where(rows["per"].eq("system"))
    if not counts.notna().any():
        return {}
    usual = counts.mode().iloc[-1]
    like = counts.eq(usual).groupby([rows["basis"], rows["accelerator"]]).transform("any").astype("bool")
    other = sorted(set(counts[~like].dropna()))
    return {f"{_SIZE}, {size:.0f}x against {usual:.0f}x": ~like & counts.eq(size) for size in other}


def _other_rounds(rows: pd.DataFrame) -> list[str]:
    """The rounds beside the one that most rows are of: software and rules differ between rounds."""
    named = rows.loc[rows["round"].ne(""), "round"]
    return sorted(set(named) - {named.mode().iloc[0]}) if len(named) else []


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
