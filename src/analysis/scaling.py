"""Compute the scaling efficiency of larger systems, and how submitters of one system differ."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis import compare
from analysis.compare import RATED, USUAL_SIZE, comparable, racks

ONE_SETTING = ["benchmark", "model", "scenario", "round", "accelerator", "vendor", "precision", "submitter"]
LEAST = 4  # submitters of a group


def systems(results: pd.DataFrame, since: str) -> pd.DataFrame:
    """Return the comparable available bare-metal results of each benchmark since a round, with their `layout`.

    The layout is "one node", "one rack", or "several nodes or racks". Raises NoData where no result is left.
    """
    results = compare.since(results, since)
    rows = comparable(results, benchmark=results["benchmark"].unique(), scenario=RATED)
    rows = rows[rows["hypervisor"].eq("")]
    in_rack = rows["accelerator_count"].le(rows["accelerator"].map(racks()))
    layout = np.select([rows["nodes"].le(1), in_rack], ["one node", "one rack"], "several nodes or racks")
    return rows.assign(layout=layout)


def pairs(rows: pd.DataFrame, beyond: int = USUAL_SIZE) -> pd.DataFrame:
    """Return the scaling efficiency of larger systems, each over the next smaller one of its submitter, lowest first.

    Systems of more than `beyond` accelerators count. Both are of one round, accelerator, and precision; the fastest of
    each size counts. Added columns: size, smaller (accelerators of both), efficiency (ratio of throughput per
    accelerator).
    """
    best = rows.sort_values("rate_per_accelerator").drop_duplicates([*ONE_SETTING, "accelerator_count"], keep="last")
    best = best.sort_values([*ONE_SETTING, "accelerator_count"])
    smaller = best.groupby(ONE_SETTING)[["accelerator_count", "rate_per_accelerator"]].shift()
    found = best.assign(
        size=best["accelerator_count"], smaller=smaller["accelerator_count"],
        efficiency=best["rate_per_accelerator"] / smaller["rate_per_accelerator"],
    )  # fmt: skip
    return found[found["size"].gt(beyond)].dropna(subset="efficiency").sort_values("efficiency", ignore_index=True)


def submitters(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how results of one accelerator, size, and round differ over submitters, each with its best result.

    Columns: benchmark, model, scenario, round, accelerator, accelerator_count, submitter, ratio (over the median of the
    group), submitters (how many). Only groups with at least LEAST submitters are returned, or the largest group if none
    has that many.
    """
    by = ["benchmark", "model", "scenario", "round", "accelerator", "accelerator_count"]
    best = rows.sort_values("rate_per_accelerator").drop_duplicates([*by, "submitter"], keep="last")
    group = best.groupby(by)["rate_per_accelerator"]
    best = best.assign(
        ratio=best["rate_per_accelerator"] / group.transform("median"), submitters=group.transform("size")
    )
    return best[best["submitters"].ge(min(LEAST, best["submitters"].max()))].sort_values("ratio", ignore_index=True)
