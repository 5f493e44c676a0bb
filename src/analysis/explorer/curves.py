"""Throughput and cost at a ladder of interactivities, from the one curve that reports and commands read."""

from __future__ import annotations

import pandas as pd

from analysis import cost, interactivity
from analysis.planner import curve
from analysis.results import timed_benchmarks

LADDER = (interactivity.NO_LIMIT, 5.0, 10.0, 12.5, 20.0, 25.0, 33.3, 50.0, 66.7, 80.0, 100.0)  # tokens/s per user
QUESTION = ["benchmark", "accelerator", "interactivity"]
COSTS = ["served", "usd_per_million", "usd_low", "usd_high"]
COLUMNS = ["throughput", "low", "high", "evidence", *COSTS, "id"]


def curves(
    results: pd.DataFrame | None = None, prices: pd.DataFrame | None = None, fleet: str = "fixed"
) -> pd.DataFrame:
    """Return what each accelerator reaches and costs with each language model, at LADDER and the benchmark's limits.

    Columns: benchmark, accelerator, interactivity (tokens/s per user at p99, 0: no limit), the columns of
    `planner.curve.throughput_at` (as measured) and the `id` of the underlying run; those of `cost.per_million_tokens`
    (NaN without a price), which compares accelerators by `planner.curve.carried`. Accelerators are in the order of
    `throughput_at`.
    """
    runs = interactivity.runs(timed_benchmarks(), results=results)
    prices, found = cost.prices() if prices is None else prices, []
    for benchmark in [name for name in timed_benchmarks() if runs["benchmark"].eq(name).any()]:
        speeds = sorted({*LADDER, *interactivity.speeds(benchmark)})
        own = runs[runs["benchmark"].eq(benchmark)]
        at = curve.throughput_at(own, speeds).dropna(subset="throughput")
        costs = cost.per_million_tokens(curve.throughput_at(curve.carried(own), speeds), prices, fleet)
        at = at.merge(costs[[*QUESTION[1:], *COSTS]], how="left")
        found.append(at.assign(benchmark=benchmark)[[*QUESTION, *COLUMNS]])
    return pd.concat(found, ignore_index=True)
