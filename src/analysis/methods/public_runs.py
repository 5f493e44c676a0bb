"""Accelerators ranked from continuous public runs (InferenceX) alone: never beside MLPerf results.

One curve for each configuration of an accelerator: its concurrencies, at one pair of prompt and answer lengths. Between
two measured points the logarithm of throughput falls evenly with interactivity; beyond them nothing is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.vocabulary import MS_PER_SECOND
from analysis.methods import cost

LENGTHS = ["prompt_tokens", "answer_tokens"]
CONFIGURATION = ["accelerator", "accelerator_count", "precision", "software", "setup"]
RANKED = [*CONFIGURATION, "rate", "count", "usd_per_hour_low", "usd_per_hour_high", "usd_per_million_tokens_low",
          "usd_per_million_tokens_high", "measured_low", "measured_high", "date"]  # fmt: skip
UNRANKED = ["accelerator", "fastest"]


def speeds(runs: pd.DataFrame, statistic: str) -> pd.DataFrame:
    """The runs with `speed` (tokens/s per user, of the `statistic` p50 or p99 of TPOT) and `rate` per accelerator.

    Runs without a TPOT are excluded.
    """
    runs = runs[runs[f"tpot_{statistic}_ms"].gt(0)]
    return runs.assign(speed=MS_PER_SECOND / runs[f"tpot_{statistic}_ms"],
                       rate=runs["tokens_per_second"] / runs["accelerator_count"])  # fmt: skip


def curves(runs: pd.DataFrame, target: float) -> pd.DataFrame:
    """The rate of each configuration at a speed, of runs of `speeds`; NaN outside of what was measured of it.

    Columns: CONFIGURATION, rate, measured_low/high (speeds), date (of its newest run).
    """
    rows = []
    for key, points in runs.groupby(CONFIGURATION, sort=False):
        points = points.groupby("speed")["rate"].max()  # sorted by speed; of equally fast runs the better one
        rate = math.exp(np.interp(target, points.index, np.log(points), np.nan, np.nan))
        rows.append((*key, rate, points.index[0], points.index[-1]))
    found = pd.DataFrame(rows, columns=[*CONFIGURATION, "rate", "measured_low", "measured_high"])
    return found.merge(runs.groupby(CONFIGURATION, as_index=False)["date"].max(), on=CONFIGURATION)


def ranked(
    runs: pd.DataFrame, prices: pd.DataFrame, target: float, users: int, accelerators: Iterable[str] = ()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The best configuration of each accelerator (all, or those named) at a speed, and the accelerators without one.

    The first has RANKED, the least dollars per million output tokens first and accelerators without a price last;
    `count` is of whole replicas that serve the users at that throughput. The second has UNRANKED: `fastest` is the
    highest speed measured. `runs` are of `speeds`, of one model and pair of lengths.
    """
    among = list(accelerators)
    found = curves(runs[runs["accelerator"].isin(among)] if among else runs, target)
    best = found.dropna(subset="rate").sort_values("rate", ascending=False).drop_duplicates("accelerator")
    each = best["accelerator_count"]
    count = np.ceil(users * target / (best["rate"] * each) - 1e-9) * each
    offers = [cost.price_range(prices, name) for name in best["accelerator"]]
    price = interval.Interval(*(np.array([getattr(offer, end) for offer in offers], float) for end in ("low", "high")))
    best = interval.put(best.assign(count=count.astype(int)), "usd_per_hour", price * count.to_numpy("float64"))
    rate = best["rate"].to_numpy("float64")
    best = interval.put(best, "usd_per_million_tokens", cost.usd_per_million(interval.Interval(rate, rate), price))
    order = ["usd_per_million_tokens_low", "count"]
    left = found[~found["accelerator"].isin(best["accelerator"])].groupby("accelerator", as_index=False)
    left = left.agg(fastest=("measured_high", "max"))
    return best.sort_values(order, kind="stable")[RANKED].reset_index(drop=True), left[UNRANKED]
