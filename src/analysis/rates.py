"""A printed rate in one unit, for the whole system and for one accelerator; choosing rows is not done here.

Tokens and samples are converted with the run's own tokens per sample. A query of a Server result is one sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis import interval
from analysis.interval import Interval


def converted(rows: pd.DataFrame, identity: pd.Series, unit: str) -> pd.DataFrame:
    """The rows with their rates in `unit`; `identity` is the benchmark's row of benchmarks.csv.

    Added columns: `rate_low/high` of the system and `per_accelerator_low/high` in `unit`, `as_printed_low/high` per
    accelerator in the printed unit, `assumed` (the run's tokens per sample are not stated and the benchmark's range
    was taken). What cannot be converted, or has no number of accelerators, is NaN.
    """
    each = _per_accelerator(rows, interval.of(rows, ""))
    assumed = differs(rows, unit) & rows["tokens_per_sample"].isna()
    out = interval.put(rows, "as_printed", each).assign(assumed=assumed)
    factor = _factor(rows, identity, unit)
    printed = Interval(rows["low"] * factor.low, rows["high"] * factor.high)
    count, system = _count(rows), rows["per"].eq("system")
    rate = Interval(printed.low.where(system, printed.low * count), printed.high.where(system, printed.high * count))
    return interval.put(interval.put(out, "rate", rate), "per_accelerator", _per_accelerator(rows, printed))


def stated(row: Mapping[str, Any], unit: str) -> Interval:
    """One row's `low` to `high` in `unit`, by the run's own tokens per sample only: NaN where it states none."""
    if (row["unit"] == "tokens/s") == (unit == "tokens/s"):
        return Interval(row["low"], row["high"])
    factor = row["tokens_per_sample"] if unit == "tokens/s" else 1 / row["tokens_per_sample"]
    return Interval(row["low"] * factor, row["high"] * factor)


def differs(rows: pd.DataFrame, unit: str) -> pd.Series:
    """Whether a rate is printed in samples or queries where `unit` is tokens, or the other way round."""
    return rows["unit"].eq("tokens/s") != (unit == "tokens/s")


def _factor(rows: pd.DataFrame, identity: pd.Series, unit: str) -> Interval:
    """What one printed unit is in `unit`: 1, or tokens per sample (the run's own, else the benchmark's range)."""
    same, own = ~differs(rows, unit), rows["tokens_per_sample"]
    tokens = Interval(own.fillna(identity["tokens_per_sample_low"]), own.fillna(identity["tokens_per_sample_high"]))
    if unit != "tokens/s":
        tokens = Interval(1 / tokens.high, 1 / tokens.low)
    return Interval(tokens.low.mask(same, 1.0), tokens.high.mask(same, 1.0))


def _per_accelerator(rows: pd.DataFrame, rate: Interval) -> Interval:
    count, system = _count(rows), rows["per"].eq("system")
    return Interval(rate.low.where(~system, rate.low / count), rate.high.where(~system, rate.high / count))


def _count(rows: pd.DataFrame) -> pd.Series:
    return rows["accelerator_count"].astype("float64")
