"""Official results against the logs of their own runs: agreement by round, odd runs, wrong units, wrong precisions."""

from __future__ import annotations

import pandas as pd

from analysis import names, tables
from analysis.results import TOKENS

LENGTHS = "tokens_per_sample_range"  # of data/benchmark_limits.csv


def recomputed_by_round(results: pd.DataFrame, tolerance: float = 1e-6) -> pd.DataFrame:
    """Return counts of results by round, oldest first.

    `results`, `recomputed` (from a log), `inferred` (from the log of another scenario), `compared` (with a value
    published with the log), and `mismatches` (relative difference above `tolerance`); `power_compared` and
    `power_mismatches` of power or energy with the samples of the meter; `unit_corrected`; `source_id`.
    """
    names.bounded(tolerance, "tolerance", 0, 1)
    difference, power = results["recomputed_difference"].abs(), results["recomputed_power_difference"].abs()
    flags = {
        "results": results["id"].notna(),
        "recomputed": results["recomputed"].notna(),
        "inferred": results["inferred"],
        "compared": difference.notna(),
        "mismatches": difference.gt(tolerance),
        "power_compared": power.notna(),
        "power_mismatches": power.gt(tolerance),
        "unit_corrected": mislabeled(results),
    }
    counts = pd.DataFrame(flags).groupby(results["round"]).sum()
    return counts.assign(source_id=results.groupby("round")["source_id"].first())


def without_bulk(results: pd.DataFrame, largest: int) -> pd.DataFrame:
    """Return the results of submitters that have at most `largest` in the record."""
    return results[results.groupby("submitter")["id"].transform("size").le(largest)]


def read_from(results: pd.DataFrame) -> pd.DataFrame:
    """Return counts by round (rows) and by what results are read from: the values of `evidence`, and inferred."""
    kinds = ["log", "inferred", "summary", "table", "collection"]
    kind = results["evidence"].mask(results["inferred"], "inferred")
    return pd.crosstab(results["round"], kind).reindex(columns=kinds, fill_value=0)


def odd_runs(results: pd.DataFrame, completed: float = 0.95, apart: float = 2.0) -> pd.DataFrame:
    """Return the logged runs that are valid and odd, the lowest share of completed queries first.

    Added columns: `completed_share` of the scheduled rate (odd below `completed`), and `p99_over_median` of the time
    per output token (odd above `apart`); `errors` of the log are odd where there is one.
    """
    rows = results.assign(
        completed_share=results["samples_per_second"] / results["scheduled_samples_per_second"],
        p99_over_median=results["tpot_p99_ms"] / results["tpot_p50_ms"],
    )
    odd = rows["errors"].gt(0) | rows["completed_share"].lt(completed) | rows["p99_over_median"].gt(apart)
    return rows[odd].sort_values(["completed_share", "p99_over_median"], ascending=[True, False])


def answer_lengths(results: pd.DataFrame) -> pd.DataFrame:
    """Return the results whose log states the length of answers and whose benchmark has a rule for it.

    Added columns, in tokens per answer: `rule_low`, `rule_high`, and `reference` of the submission checker; and
    `of_reference`, the run's answers in percent of it; `outside`. Those first, then longest first within a model.
    """
    rules = tables.benchmark_limits.query("quantity == @LENGTHS and source_id == 'mlcommons-rules'")
    rules = rules.assign(round=rules["rounds"].str.split(";"), reference=pd.to_numeric(rules["printed"]))
    rules = rules.explode("round").rename(columns={"low": "rule_low", "high": "rule_high"})
    rows = results.dropna(subset="tokens_per_answer").astype({"round": "str"})
    rows = rows.merge(rules[["benchmark", "round", "rule_low", "rule_high", "reference"]], on=["benchmark", "round"])
    rows["of_reference"] = 100 * rows["tokens_per_answer"] / rows["reference"]
    rows["outside"] = ~rows["tokens_per_answer"].between(rows["rule_low"], rows["rule_high"])
    return rows.sort_values(["outside", "model", "of_reference"], ascending=[False, True, False], ignore_index=True)


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
    groups = rows.groupby(["round", "model", "scenario"])
    return groups.agg(results=("low", "size"), low=("low", "min"), high=("high", "max")).reset_index()


def wrong_precisions(results: pd.DataFrame) -> pd.DataFrame:
    """Return the results whose declared precision the configuration or accuracy of their run contradicts.

    The columns of `results`, `declared`, and `reason`; `precision` is the one that ran.
    """
    fixes = tables.corrections[tables.corrections["column"].eq("precision") & tables.corrections["printed"].ne("")]
    fixes = fixes.rename(columns={"key": "id", "printed": "declared"})[["id", "declared", "reason"]]
    return results.merge(fixes, on="id")
