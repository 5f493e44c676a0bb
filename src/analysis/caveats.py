"""What a comparison that is allowed must still say: the caveats of rows, and one line for a figure; no row is left out.

Which rows may be compared at all is decided in comparable.py.
"""

from __future__ import annotations

import pandas as pd

OF_DOCUMENTS = ("division not stated", "tokens per sample assumed")


def written(rows: pd.DataFrame, suite: str, division: str) -> pd.Series:
    """The caveats of each row, joined by `; `: of a comparison within a suite (empty: all) and a division."""
    each = {
        "preview system, cannot be bought": rows["availability"].eq("preview"),
        "division not stated": rows["division"].eq(""),
        "tokens per sample assumed": rows["assumed"],
        "marked approximate": rows["range_basis"].eq("approximate"),
        "inferred from another scenario": rows["inferred"],
        "edge suite": rows["suite"].eq("edge") & (suite != "edge"),
        **{f"from {name}, another round": rows["round"].eq(name) for name in _other_rounds(rows)},
        "label put right": rows["corrected"].ne(""),
        f"{division} division": rows["division"].ne("") & (division != "closed"),
    }
    text = pd.Series("", index=rows.index)
    for caveat, holds in each.items():
        text = text.mask(holds, text.where(text.eq(""), text + "; ") + caveat)
    doubted = doubt(rows)
    return text.mask(doubted.ne(""), text.where(text.eq(""), text + "; ") + doubted)


def _other_rounds(rows: pd.DataFrame) -> list[str]:
    """The rounds beside the one that most rows are of: software and rules differ between rounds."""
    named = rows.loc[rows["round"].ne(""), "round"]
    return sorted(set(named) - {named.mode().iloc[0]}) if len(named) else []


def doubt(rows: pd.DataFrame) -> pd.Series:
    """What the audit doubts about each row; "" where it was not audited."""
    return rows["doubt"] if "doubt" in rows else pd.Series("", index=rows.index)


def line(rows: pd.DataFrame) -> str:
    """The caveats of `rows` in one line, each with what it is about: documents as a whole, else accelerators."""
    each = rows[rows["caveat"].ne("")].assign(one=lambda frame: frame["caveat"].str.split("; ")).explode("one")
    about = each["basis"].where(each["one"].isin(OF_DOCUMENTS), each["accelerator"])
    said = [f"{caveat} ({_few(names)})" for caveat, names in about.groupby(each["one"], sort=False)]
    return f"Caveats: {'; '.join(said)}." if said else ""


def _few(names: pd.Series) -> str:
    first = list(dict.fromkeys(names))
    return ", ".join(first) if len(first) < 5 else f"{', '.join(first[:3])} and {len(first) - 3} more"
