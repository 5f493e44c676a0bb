"""Official results against the logs of their own runs: agreement by round, wrong units, wrong precisions."""

from __future__ import annotations

import pandas as pd

from analysis import names, tables
from analysis.results import TOKENS


def by_round(results: pd.DataFrame, tolerance: float = 1e-6) -> pd.DataFrame:
    """Return counts of results by round, oldest first.

    `results`, `recomputed` (from a log), `inferred` (of these, from the log of another scenario), `compared` (with a
    value published beside the log), and `mismatches` (relative difference above `tolerance`); `power_compared` and
    `power_mismatches` of power or energy with the samples of the meter; `unit_corrected`; `source_id`.
    """
    names.number(tolerance, "tolerance", 0, 1)
    logged = results["recomputed"].notna()
    difference, power = results["recomputed_difference"].abs(), results["recomputed_power_difference"].abs()
    flags = {
        "results": results["id"].notna(),
        "recomputed": logged,
        "inferred": logged & results["inferred"],
        "compared": difference.notna(),
        "mismatches": difference.gt(tolerance),
        "power_compared": power.notna(),
        "power_mismatches": power.gt(tolerance),
        "unit_corrected": mislabeled(results),
    }
    counts = pd.DataFrame(flags).groupby(results["round"], observed=True).sum()
    return counts.assign(source_id=results.groupby("round", observed=True)["source_id"].first())


def mislabeled(results: pd.DataFrame) -> pd.Series:
    """Return which results count tokens, but were published as samples or queries."""
    return results["unit"].eq(TOKENS) & ~results["printed_unit"].str.casefold().isin([TOKENS, ""])


def unit_errors(results: pd.DataFrame) -> pd.DataFrame:
    """Return the mislabeled results by round, model, and scenario: `results`, and the factor `low` to `high`.

    Read as labeled, a result is too high by its tokens per sample: those of the run, or where it states none, the range
    of its benchmark (data/benchmarks.csv).
    """
    rows = results[mislabeled(results)]
    ranges = tables.benchmarks[["benchmark", "tokens_per_sample_low", "tokens_per_sample_high"]]
    rows = rows.merge(ranges, on="benchmark", how="left")
    rows["low"] = rows["tokens_per_sample"].fillna(rows["tokens_per_sample_low"])
    rows["high"] = rows["tokens_per_sample"].fillna(rows["tokens_per_sample_high"])
    groups = rows.groupby(["round", "model", "scenario"], observed=True)
    return groups.agg(results=("low", "size"), low=("low", "min"), high=("high", "max")).reset_index()


def wrong_precisions(results: pd.DataFrame) -> pd.DataFrame:
    """Return the results whose declared precision the configuration or accuracy of their run contradicts.

    The columns of `results`, `declared`, and `reason`; `precision` is the one that ran.
    """
    fixes = tables.corrections[tables.corrections["column"].eq("precision") & tables.corrections["printed"].ne("")]
    fixes = fixes.rename(columns={"key": "id", "printed": "declared"})[["id", "declared", "reason"]]
    return results.merge(fixes, on="id")
