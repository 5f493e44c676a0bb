"""A printed rate in one unit, for the whole system and for one accelerator.

Tokens and samples are converted with the run's own tokens per sample. A query of a Server result is one sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.core.interval import Interval
from analysis.core.vocabulary import TOKENS


def converted(rows: pd.DataFrame, identity: pd.Series | pd.DataFrame, unit: str | pd.Series) -> pd.DataFrame:
    """The rows with their rates in `unit`; `identity` is the benchmark's row of benchmarks.csv.

    Both may also be given for each of the rows.

    Added columns: `rate_low/high` of the system and `per_accelerator_low/high` in `unit`, `as_printed_low/high` per
    accelerator in the printed unit, `assumed` (the run's tokens per sample are not stated and the benchmark's range
    was taken). What cannot be converted is NaN, and so is what is per accelerator of a system that has several types of
    them, or states no number.
    """
    alike = rows["accelerator"].array != "mixed"
    count = np.where(alike, rows["accelerator_count"].to_numpy("float64", na_value=np.nan), np.nan)
    system = rows["per"].array == "system"
    other, own = differs(rows, unit), rows["tokens_per_sample"].to_numpy()
    factor = _factor(other, own, identity, unit)
    ends: dict[str, Any] = {}
    for end in ("low", "high"):
        printed = rows[end].to_numpy()
        rate = printed * getattr(factor, end)
        ends[f"as_printed_{end}"] = np.where(system, printed / count, printed)
        ends[f"rate_{end}"] = np.where(system, rate, rate * count)
        ends[f"per_accelerator_{end}"] = np.where(system, rate / count, rate)
    return pd.concat([rows, pd.DataFrame(ends | {"assumed": other & np.isnan(own)}, index=rows.index)], axis=1)


def stated(row: Mapping[str, Any], unit: str) -> Interval:
    """One row's `low` to `high` in `unit`, by the run's own tokens per sample only: NaN where it states none."""
    if (row["unit"] == TOKENS) == (unit == TOKENS):
        return Interval(row["low"], row["high"])
    factor = row["tokens_per_sample"] if unit == TOKENS else 1 / row["tokens_per_sample"]
    return Interval(row["low"] * factor, row["high"] * factor)


def differs(rows: pd.DataFrame, unit: str | pd.Series) -> np.ndarray:
    """Whether each rate is printed in samples or queries where `unit` is tokens, or the other way round."""
    return (rows["unit"].array == TOKENS) != _of_tokens(unit)


def _factor(other: np.ndarray, own: np.ndarray, identity: pd.Series | pd.DataFrame, unit: str | pd.Series) -> Interval:
    """What one printed unit is in `unit`: 1, or where it is an `other` one tokens per sample.

    These are the run's `own`, else the benchmark's range.
    """
    assumed = (identity[f"tokens_per_sample_{end}"] for end in ("low", "high"))
    low, high = (np.where(other, np.where(np.isnan(own), end, own), 1.0) for end in assumed)
    tokens = _of_tokens(unit)
    return Interval(np.where(tokens, low, 1 / high), np.where(tokens, high, 1 / low))


def _of_tokens(unit: str | pd.Series) -> bool | np.ndarray:
    return unit.array == TOKENS if isinstance(unit, pd.Series) else unit == TOKENS
