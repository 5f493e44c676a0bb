"""Latency of edge systems: the fastest available one of each accelerator, in the newest round of each benchmark."""

from __future__ import annotations

import pandas as pd

from analysis._core import round_order

SCENARIO = "SingleStream"  # its metric: the 90th percentile of the latency of one query after the other
COLUMNS = ["benchmark", "round", "accelerator", "latency_ms", "over_fastest", "accuracy_target", "submitter", "system"]
COLUMNS += ["accelerator_count", "result_id", "source_id"]


def lowest(results: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest latency of each accelerator of the edge suite, a row per benchmark and accelerator, as COLUMNS.

    Official closed-division results of available systems without power measurement, in the newest round of each
    benchmark, at the accuracy target that most of them have, of two the stricter. `latency_ms` is the 90th percentile
    of SCENARIO, `over_fastest` that over the lowest of the benchmark. The newest benchmarks with most accelerators
    first, in each the fastest first.
    """
    rows = results[results["scenario"].eq(SCENARIO) & results["metric"].eq("latency")]
    rows = rows[rows["origin"].eq("official") & rows["division"].eq("closed") & rows["availability"].eq("available")]
    rows = rows[rows["suite"].str.contains("edge") & rows["duplicate_of"].eq("") & ~rows["power_measured"].astype(bool)]
    age = round_order.of(rows["round"])
    rows = rows.assign(age=age)[age.eq(age.groupby(rows["benchmark"]).transform("max"))]
    usual = rows.groupby("benchmark")["accuracy_target"].agg(lambda targets: targets.mode().iloc[-1])
    rows = rows[rows["accuracy_target"].eq(rows["benchmark"].map(usual))].sort_values("low", kind="stable")
    best = rows.drop_duplicates(["benchmark", "accelerator"]).rename(columns={"low": "latency_ms"})
    groups = best.groupby("benchmark")["latency_ms"]
    best = best.assign(over_fastest=best["latency_ms"] / groups.transform("min"), accelerators=groups.transform("size"))
    order = ["age", "accelerators", "benchmark", "latency_ms"]
    best = best.sort_values(order, ascending=[False, False, True, True], kind="stable", ignore_index=True)
    return best[COLUMNS]
