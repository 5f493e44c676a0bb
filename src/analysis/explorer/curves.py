"""Throughput and cost at a ladder of interactivities, from the one curve that reports and commands read."""

from __future__ import annotations

import pandas as pd

from analysis import cost, interactivity
from analysis.planner import curve
from analysis.results import timed_benchmarks

LADDER = (interactivity.NO_LIMIT, 5.0, 10.0, 12.5, 20.0, 25.0, 33.3, 50.0, 66.7, 80.0, 100.0)  # tokens/s per user
QUESTION = ["benchmark", "accelerator", "interactivity"]
COLUMNS = ["throughput", "low", "high", "evidence", "served", "usd_per_million", "usd_low", "usd_high", "id"]


def curves(
    results: pd.DataFrame | None = None, prices: pd.DataFrame | None = None, fleet: str = "fixed"
) -> pd.DataFrame:
    """Return what each accelerator reaches and costs with each language model, at LADDER and the benchmark's limits.

    Columns: benchmark, accelerator, interactivity (tokens/s per user at p99, 0: no limit), those of
    `planner.curve.throughput_at` and `cost.per_million_tokens` (NaN without a price) that are in COLUMNS, and `id` of
    the run that the throughput rests on. Accelerators are in the order of `throughput_at`.
    """
    runs = interactivity.runs(timed_benchmarks(), results=results)
    found = []
    for benchmark in [name for name in timed_benchmarks() if runs["benchmark"].eq(name).any()]:
        speeds = sorted({*LADDER, *interactivity.speeds(benchmark)})
        own = runs[runs["benchmark"].eq(benchmark)]
        found.append(curve.throughput_at(own, speeds).assign(benchmark=benchmark))
    at = pd.concat(found, ignore_index=True).dropna(subset="throughput")
    costs = cost.per_million_tokens(at, cost.prices() if prices is None else prices, fleet)
    at = at.merge(costs[[*QUESTION, *(name for name in COLUMNS if name not in at and name != "id")]], how="left")
    return at.assign(id=at["ids"].str[-1])[[*QUESTION, *COLUMNS]]
