"""Compare printed with expected ranges, and name the outcome."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.published import factor

CLOSE = 1.05  # largest factor between two ranges that still agree
PRINTED, EXPECTED = ["printed_low", "printed_high"], ["expected_low", "expected_high"]
FOUND = ["id", "check", "verdict", *PRINTED, *EXPECTED, "unit", "record", "reason"]


def compare(rows: pd.DataFrame) -> pd.Series:
    """Return the verdict on each printed range against its expected range (`PRINTED`, `EXPECTED`, and `range_basis`).

    A rounded or exact figure whose number is the expected one is confirmed. A missing end is unverifiable.
    """
    same = np.isclose(rows[PRINTED].mean(axis=1), rows[EXPECTED].T, rtol=1e-9).all(axis=0)
    apart = factor(rows)
    outcomes = {
        "unverifiable": rows[PRINTED + EXPECTED].isna().any(axis=1),
        "confirmed": same & rows["range_basis"].isin(["rounded", "exact"]),
        "within rounding": apart.eq(1),
        "within 5%": apart.le(CLOSE),
    }
    return pd.Series(np.select(list(outcomes.values()), list(outcomes), "contradicted"), rows.index, dtype="str")


def difference(rows: pd.DataFrame) -> pd.Series:
    """Return each figure's deviation as the end of a sentence: ", 2% too high", ", too low by 3.1x", or ""."""
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


def ratio_text(low: float, high: float) -> str:
    """Return a range of ratios with three significant digits: "1.91 to 1.98x"."""
    return " to ".join(dict.fromkeys(f"{end:#.3g}" for end in (low, high))) + "x"
