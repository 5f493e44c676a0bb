"""Compare printed with expected ranges, and name the outcome."""

from __future__ import annotations

import numpy as np
import pandas as pd

VERDICTS = {  # from the one that outranks all others to the one that outranks none
    "physically impossible": "more than 5% above a hardware limit",
    "contradicted": "more than 5% from what is expected, or absent from the complete results of its round",
    "conditional": "true only under a condition that the document does not state",
    "within 5%": "the printed and the expected range are at most 5% apart",
    "within rounding": "the printed and the expected range overlap, or the figure lies below its limit",
    "confirmed": "the expected number is the printed one",
    "no official result": "no official result to compare with",
    "unverifiable": "nothing in the data to check it with",
}
AGREES = ("confirmed", "within rounding")
HOLDS = (*AGREES, "within 5%")
WRONG = ("physically impossible", "contradicted")
NO_QUANTITY = ("date", "rank", "workloads")  # units of which a ratio says nothing
CLOSE = 1.05  # how far apart two ranges may be that still hold
PRINTED, EXPECTED = ["printed_low", "printed_high"], ["expected_low", "expected_high"]
FOUND = ["id", "check", "verdict", *PRINTED, *EXPECTED, "unit", "record", "reason"]


def compare(rows: pd.DataFrame) -> pd.Series:
    """Return the verdict on each printed against its expected range (`PRINTED`, `EXPECTED`, and `range_basis`).

    A rounded or exact figure whose number is the expected one is confirmed. A missing end is unverifiable.
    """
    number = rows[PRINTED].mean(axis=1)
    same = np.isclose(number, rows["expected_low"], rtol=1e-9) & np.isclose(number, rows["expected_high"], rtol=1e-9)
    apart = factor(rows)
    outcomes = {
        "unverifiable": rows[PRINTED + EXPECTED].isna().any(axis=1),
        "confirmed": same & rows["range_basis"].isin(["rounded", "exact"]),
        "within rounding": apart.eq(1),
        "within 5%": apart.le(CLOSE),
    }
    return pd.Series(np.select(list(outcomes.values()), list(outcomes), "contradicted"), rows.index, dtype="str")


def factor(rows: pd.DataFrame) -> pd.Series:
    """Return the factor between the nearest ends of the printed and the expected range, 1 where they overlap."""
    over, under = rows["printed_low"] / rows["expected_high"], rows["expected_low"] / rows["printed_high"]
    return pd.concat([over, under], axis=1).max(axis=1).clip(lower=1)


def times_off(rows: pd.DataFrame) -> pd.Series:
    """Return `factor` of quantities; NaN for dates, ranks, and workloads, and where no end is expected."""
    quantity = rows["expected_high"].notna() & ~rows["unit"].isin(NO_QUANTITY)
    return factor(rows).where(quantity)


def rank(verdicts: pd.Series) -> pd.Series:
    """Return the place of each verdict in VERDICTS: the lowest decides."""
    return verdicts.map({name: place for place, name in enumerate(VERDICTS)})


def tell(rows: pd.DataFrame, template: str) -> pd.Series:
    """Return one sentence per row: the template with the row's columns in place of their names in braces."""
    texts = [template.format_map(row) for row in rows.to_dict("records")]
    return pd.Series(texts, rows.index, dtype="str")


def number(value: float, digits: int = 4) -> str:
    """Return a number with `digits` significant digits and separators: 24,520; from 1,000 on whole."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"


def span(low: pd.Series, high: pd.Series, digits: int = 4) -> pd.Series:
    """Return ranges as text: "1.27 to 1.34", or one number where both ends print alike; "" where unknown."""
    ends = [(number(a, digits), number(b, digits)) for a, b in zip(low, high, strict=True)]
    texts = ["" if "nan" in pair else " to ".join(dict.fromkeys(pair)) for pair in ends]
    return pd.Series(texts, low.index, dtype="str")


def difference(rows: pd.DataFrame) -> pd.Series:
    """Return how far each figure is off as the end of a sentence: ", 2% too high", ", too low by 3.1x", or ""."""
    side = rows["printed_low"].gt(rows["expected_high"]).map({True: "high", False: "low"})
    texts = [
        ""
        if not apart > 1
        else f", {100 * (apart - 1):.2g}% too {way}"
        if apart < 1.1
        else f", too {way} by {apart:.3g}x"
        for apart, way in zip(factor(rows), side, strict=True)
    ]
    return pd.Series(texts, rows.index, dtype="str")
