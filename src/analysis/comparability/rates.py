"""A printed rate in one unit, for the whole system and for one accelerator.

Tokens and samples are converted with the run's own tokens per sample. A query of a Server result is one sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis._core.interval import Interval
from analysis._core.vocabulary import MIXED, TOKENS

COLUMNS = [f"{kind}_{end}" for end in ("low", "high") for kind in ("as_printed", "rate", "per_accelerator")]
COLUMNS += ["assumed"]


def in_unit(rows: Mapping[str, Any], identity: Mapping[str, Any], unit: Any) -> dict[str, np.ndarray]:
    """The rates of rows in `unit`, by COLUMNS; `identity` is the benchmark's row of benchmarks.csv.

    Rows are columns by name, of a frame or as arrays; `identity` and `unit` may also be given for each of the rows.

    `rate_low/high` are those of the system and `per_accelerator_low/high` in `unit`, `as_printed_low/high` per
    accelerator in the printed unit, `assumed` says that the run's tokens per sample are not stated and the benchmark's
    range was taken. What cannot be converted is NaN, and so is what is per accelerator of a system that has several
    types of them, or states no number.
    """
    one_type, system = (np.asarray(mask) for mask in (rows["accelerator"] != MIXED, rows["per"] == "system"))
    count = np.where(one_type, rows["accelerator_count"].to_numpy("float64", na_value=np.nan), np.nan)
    converted, tokens_per_sample = differs(rows, unit), rows["tokens_per_sample"].to_numpy()
    factor = _factor(converted, tokens_per_sample, identity, unit)
    rates: dict[str, np.ndarray] = {}
    for end in ("low", "high"):
        printed = rows[end].to_numpy()
        rate = printed * getattr(factor, end)
        rates[f"as_printed_{end}"] = np.where(system, printed / count, printed)
        rates[f"rate_{end}"] = np.where(system, rate, rate * count)
        rates[f"per_accelerator_{end}"] = np.where(system, rate / count, rate)
    return rates | {"assumed": converted & np.isnan(tokens_per_sample)}


def stated(row: Mapping[str, Any], unit: str) -> Interval:
    """One row's `low` to `high` in `unit`, by the run's own tokens per sample only: NaN where it states none."""
    if (row["unit"] == TOKENS) == (unit == TOKENS):
        return Interval(row["low"], row["high"])
    factor = row["tokens_per_sample"] if unit == TOKENS else 1 / row["tokens_per_sample"]
    return Interval(row["low"] * factor, row["high"] * factor)


def differs(rows: Mapping[str, Any], unit: Any) -> np.ndarray:
    """Whether each rate is printed in samples or queries where `unit` is tokens, or the other way round."""
    return np.asarray(rows["unit"] == TOKENS) != _of_tokens(unit)


def _factor(converted: np.ndarray, tokens_per_sample: np.ndarray, identity: Mapping[str, Any], unit: Any) -> Interval:
    """What one printed unit is in `unit`: 1, or tokens per sample where the rate is to be `converted`.

    These are the run's `tokens_per_sample`, else the benchmark's range.
    """
    assumed = (np.asarray(identity[f"tokens_per_sample_{end}"], "float64") for end in ("low", "high"))
    is_stated = ~np.isnan(tokens_per_sample)
    low, high = (np.where(converted, np.where(is_stated, tokens_per_sample, end), 1.0) for end in assumed)
    tokens = _of_tokens(unit)
    return Interval(np.where(tokens, low, 1 / high), np.where(tokens, high, 1 / low))


def _of_tokens(unit: Any) -> np.ndarray:
    return np.asarray(unit == TOKENS)
