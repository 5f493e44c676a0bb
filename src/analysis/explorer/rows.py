"""The rows of the explorer: official results, derived columns, and why a result is not comparable."""

from __future__ import annotations

import pandas as pd

from analysis import compare, cost, derating, interactivity, tables
from analysis.results import load_results, rule_limits, timed_benchmarks

READABLE = {"wan-2.2-t2v-a14b": (3600, "videos/hour")}  # benchmarks whose rate per second is too small to read
# Of a framework: its name without the version.
PRODUCT = r"\s*([A-Za-z][^,;(:]*?)\s*(?=[,;(:=]|[-_]V?\d+\.|\bfeat/|\bv?\d|\bvmaster|$)"
SYSTEM = ["submitter", "round", "division", "machine", "accelerator_count", "power", "accuracy_target", "benchmark"]


def rows(results: pd.DataFrame | None = None, prices: pd.DataFrame | None = None, fleet: str = "fixed") -> pd.DataFrame:
    """Return all official results, newest round first, closed before open, the benchmark with most results first.

    Added to the columns of `load_results`: `excluded` (why a result is not comparable, "" where it is), rates in
    units that people read, `latency_ms`, `joules` per token, sample, or query, `per_kilowatt` (rate over the all-in
    kilowatts of `prices`, modeled), `usd_per_million` (delivered tokens of a language model, at the share that `fleet`
    delivers under the limits of the scenario), `priced`, `software`, `power` ("with", "without"), `target` (the
    accuracy target where it keeps results apart), `system_key`, and the limits `ttft_limit_ms` and `tpot_limit_ms`.
    `prices` are those of `cost.prices`.
    """
    results = load_results() if results is None else results
    prices = (cost.prices() if prices is None else prices).set_index("accelerator")
    prices["priced"] = prices["usd_per_hour"].map("${:.2f}/hour".format, na_action="ignore")
    frame = results.reset_index(drop=True).assign(excluded="")
    is_rate = frame["metric"].eq("throughput")
    for words, breaks in compare.INCOMPARABLE.items():
        excluded = breaks(frame) & (is_rate | frame["accelerator"].eq("mixed"))
        frame["excluded"] = frame["excluded"].mask(excluded & frame["excluded"].eq(""), words)
    # A run submitted under two separately compared targets appears in both comparisons.
    shared = tables.benchmarks.loc[tables.benchmarks["targets_share_run"], "benchmark"]
    frame.loc[frame["duplicate_of"].ne("") & frame["benchmark"].isin(shared), "excluded"] = compare.SAME_RUN
    frame.loc[frame["metric"].eq("streams"), "excluded"] = "published as a number of streams"
    able = frame["excluded"].eq("")
    frame["latency_ms"] = frame["value"].where(able & frame["metric"].eq("latency"))
    for column in ("rate", "rate_per_accelerator"):
        frame[column] = frame[column].where(able & is_rate)
    frame["joules"] = frame["power_watts"] / frame["rate"]
    frame["joules"] = frame["joules"].fillna(frame["energy_millijoules_per_query"].where(able & ~is_rate) / 1000)
    price = frame[["accelerator"]].join(prices[["usd_per_hour", "kilowatts", "priced"]], on="accelerator")
    limits = frame.join(rule_limits("tpot_p99_limit"), on=compare.GROUP)
    limits = limits.join(rule_limits("ttft_p99_limit"), on=compare.GROUP)
    frame["tpot_limit_ms"] = limits["tpot_p99_limit"]
    frame["ttft_limit_ms"] = limits["ttft_p99_limit"].where(frame["tpot_limit_ms"].notna())
    served = _served(frame, fleet)
    frame["usd_per_million"] = cost.usd_per_million(frame["rate_per_accelerator"], price["usd_per_hour"], served)
    frame["priced"] = price["priced"].fillna("no price")
    for benchmark, (factor, unit) in READABLE.items():
        its = frame["benchmark"].eq(benchmark) & is_rate
        frame.loc[its, ["rate", "rate_per_accelerator"]] *= factor
        frame.loc[its, "rate_unit"] = unit
    frame["per_kilowatt"] = frame["rate_per_accelerator"] / price["kilowatts"]
    frameworks = frame["framework"].astype("category").str.extract(PRODUCT, expand=False).fillna("")  # once for each
    frame["software"] = frame["serving_software"].mask(frame["serving_software"].eq(""), frameworks)
    frame["power"] = frame["power_measured"].map({True: "with", False: "without"})
    frame["target"] = frame["accuracy_target"].mask(frame["benchmark"].isin(shared), "")
    frame["system_key"] = frame.groupby(SYSTEM, observed=True, sort=False).ngroup()
    labels = tables.caveats.set_index("code")["words"].to_dict()
    frame["caveats"] = frame["caveats"].map(lambda codes: "; ".join(labels[code] for code in codes))
    return _ordered(frame)


def _served(frame: pd.DataFrame, fleet: str) -> pd.Series:
    """Return the share of each result's throughput that is delivered, NaN where the rules limit no time per token."""
    limit = (1000 / frame["tpot_limit_ms"]).mask(frame["scenario"].eq("Offline"), interactivity.NO_LIMIT)
    limit = limit.where(frame["benchmark"].isin(timed_benchmarks()))
    known = frame.assign(interactivity=limit)[limit.notna()]
    return derating.served(known, fleet)["share"].reindex(frame.index)


def _ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows by round, division, benchmark (most results first), scenario, and rate; best first."""
    newest = frame[frame["division"].eq("closed") & frame["suite"].ne("edge")].groupby(
        ["benchmark", "round"], observed=True
    )
    sizes = newest.size().reset_index(name="size").sort_values(["round", "size"], ascending=False)
    places = sizes["benchmark"].drop_duplicates()
    keys = {
        "age": -frame["round"].cat.codes,
        "division": pd.Categorical(frame["division"], compare.DIVISIONS),
        "benchmark": frame["benchmark"].map(pd.Series(range(len(places)), places)),
        "scenario": pd.Categorical(frame["scenario"], compare.SCENARIOS),
        "rate": -frame["rate_per_accelerator"],
        "latency": frame["latency_ms"],
    }
    return frame.loc[pd.DataFrame(keys).sort_values(list(keys), kind="stable").index].reset_index(drop=True)
