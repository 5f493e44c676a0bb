"""Measure factors of the derating: by pairs of MLPerf results, pairs of InferenceX runs, and load over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from math import exp, lgamma, log

import numpy as np
import pandas as pd

from analysis import evidence, tables
from analysis.compare import USUAL_SIZE, comparable, in_racks, racks
from analysis.results import rule_limits, timed_benchmarks

SYSTEMS = ("node", "rack")  # one node of eight accelerators; a rack-scale system of 64 or more
ENOUGH = 0.999  # share of the time that a fleet has all needed nodes: assumed
SYSTEM = ["benchmark", "round", "submitter", "system", "accelerator", "accelerator_count", "nodes"]


def retained(benchmark: str | Sequence[str], scenarios: Iterable[str] = ("Server",)) -> pd.DataFrame:
    """Return the share of Offline throughput that each system retains in each of `scenarios`.

    One row per bare-metal system of a submitter and round with both results at one precision: the columns of
    `comparable` for the scenario, `share`, and `size`, "node", "rack", or "other".
    """
    rows = comparable(benchmark=benchmark, scenario=[*scenarios, "Offline"])
    rows = rows[rows["hypervisor"].eq("") & ~rows["caveats"].map(lambda codes: "tokens_assumed" in codes)]
    best = rows.sort_values(["rate", "id"]).drop_duplicates([*SYSTEM, "scenario"], keep="last")
    offline = best["scenario"].eq("Offline")
    other = best.loc[offline, [*SYSTEM, "rate", "precision"]]
    pairs = _at_one_precision(best[~offline].merge(other, on=SYSTEM, suffixes=("", "_reference")))
    node = pairs["nodes"].eq(1) & pairs["accelerator_count"].eq(USUAL_SIZE) & pairs["kind"].eq("gpu")
    size = pd.Categorical(np.select([node, in_racks(pairs)], SYSTEMS, "other"), [*SYSTEMS, "other"])
    return pairs.assign(share=pairs["rate"] / pairs["rate_reference"], size=size)


def by_accelerator(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row per benchmark, scenario, accelerator, and size of `retained` rows: nodes, racks, then others.

    `share` is the median of the newest round (`round`), because many submitters run the same vendor's software; `low`
    and `high` are the minimum and maximum over all `systems` and rounds. `limit` is the scenario's limit in tokens/s
    per user.
    """
    keys = ["benchmark", "model", "scenario", "size", "vendor", "accelerator"]
    groups = pairs.groupby(keys)
    newest = pairs[pairs["round"].eq(groups["round"].transform("max"))].groupby(keys)
    spread = groups["share"].agg(low="min", high="max", systems="size")
    kept = newest.agg(share=("share", "median"), round=("round", "first")).join(spread).reset_index()
    places = {label: place for place, label in enumerate(tables.accelerators["label"])}
    limit = kept.join(rule_limits("tpot_p99_limit"), on=["benchmark", "scenario"])["tpot_p99_limit"]
    kept = kept.assign(limit=1000 / limit, place=kept["accelerator"].map(places))
    order = ["size", "vendor", "place", "limit"]
    return kept.sort_values(order, ascending=[True, False, True, True], ignore_index=True).drop(columns="place")


def serving_stack() -> pd.DataFrame:
    """Return throughput per GPU of vLLM over TensorRT-LLM, one row per curve of InferenceX runs: the median of pairs.

    A pair is two finished runs of one date at one concurrency; of several the fastest counts. A curve has one model,
    accelerator, precision, lengths, and number of GPUs.
    """
    runs = evidence.inferencex_runs(disaggregated=False)
    runs = runs[runs["source_id"].eq("inferencex-points") & runs["measured"].ne("")]
    curve = ["model", "checkpoint", "accelerator", "precision", "prompt_tokens", "answer_tokens", "gpus"]
    best = runs.groupby([*curve, "concurrency", "measured", "engine"])[evidence.THROUGHPUT].max()
    best = best.unstack()
    share = (best["vLLM"] / best["TensorRT-LLM"]).dropna()
    return share.groupby(curve).median().reset_index(name="share")


def hypervisor() -> pd.DataFrame:
    """Return throughput under a hypervisor over the median on bare metal, one row per virtualized GPU result of an LLM.

    Both ran the same round, benchmark, scenario, accelerator, and number of accelerators at one precision.
    """
    rows = _llm_results(["Offline", "Server"])
    virtual, bare = rows[rows["hypervisor"].ne("")], rows[rows["hypervisor"].eq("")]
    return _over(virtual, bare, ["round", "benchmark", "scenario", "accelerator", "accelerator_count", "nodes"])


def networked(scenario: str) -> pd.DataFrame:
    """Return throughput per accelerator of several networked nodes over the median node of eight, one row per result.

    Both ran the same round and benchmark on the same accelerator. Systems whose nodes share NVLink are left out.
    """
    rows = _llm_results([scenario])
    rows = rows[rows["hypervisor"].eq("") & ~rows["accelerator"].isin(list(racks()))]
    one = rows[rows["nodes"].eq(1) & rows["accelerator_count"].eq(USUAL_SIZE)]
    return _over(rows[rows["nodes"].gt(1)], one, ["round", "benchmark", "accelerator"])


def spares(units: int, days: float) -> int:
    """Return the spare nodes that keep `units` running a share ENOUGH of the time.

    Nodes down are Poisson, each for `days`. A node fails as often as in data/fleet_failures.csv, by causes that take it
    out of service.
    """
    failures = tables.load("fleet_failures")
    counted = failures[failures["out_of_service"]]
    rate = (counted["events"] / (counted["accelerators"] * counted["days"])).sum() * USUAL_SIZE * days
    for spare in count():
        mean = rate * (units + spare)
        if sum(exp(down * log(mean) - mean - lgamma(down + 1)) for down in range(spare + 1)) >= ENOUGH:
            return spare


def load_factors(rates: pd.DataFrame, gaps: bool = True, quantile: float = 0.99) -> pd.DataFrame:
    """Return mean load over the capacity that is enough for a `quantile` of ten-minute windows (1: all), by service.

    `rates` has service, seconds, and requests_per_second. Capacity is constant (`fixed`), the previous hour's mean
    times the margin that this takes (`hourly`), or the current hour's mean, as if foreseen, times its margin
    (`foreseen`). With `gaps` an empty window is a gap in the recording: it is left out, and its hour is not used to
    plan the next. Neither is an hour without requests; `hourly` is NaN where no hour is left to plan by.
    """
    rates = rates.assign(hour=rates["seconds"] // 3600, rate=rates["requests_per_second"])
    hours = rates.groupby(["service", "hour"])["rate"].agg(["mean", "min"])
    last = hours["mean"].where(hours["min" if gaps else "mean"].gt(0)).reset_index(name="last")
    seen = rates[rates["rate"].gt(0) | (not gaps)].merge(
        last.assign(hour=last["hour"] + 1), on=["service", "hour"], how="left"
    )
    now = seen.groupby(["service", "hour"])["rate"].transform("mean")
    seen = seen.assign(after=seen["rate"] / seen["last"], within=seen["rate"] / now)
    services, planned = (rows.groupby("service") for rows in (seen, seen.dropna(subset="last")))
    margin = planned["after"].quantile(quantile)
    return pd.DataFrame(
        {
            "fixed": services["rate"].mean() / services["rate"].quantile(quantile),
            "hourly": planned["rate"].mean() / (margin * planned["last"].mean()),
            "foreseen": 1 / services["within"].quantile(quantile),
        }
    )


def _llm_results(scenarios: Sequence[str]) -> pd.DataFrame:
    """Return the comparable GPU results, at full power, of the benchmarks with a limit on TPOT."""
    rows = comparable(benchmark=timed_benchmarks(), scenario=scenarios)
    return rows[rows["kind"].eq("gpu") & ~rows["power_capped"]]


def _over(rows: pd.DataFrame, reference: pd.DataFrame, alike: list[str]) -> pd.DataFrame:
    """Return rows with `share`: throughput per accelerator over the median of matching reference results."""
    columns = [*alike, "rate_per_accelerator", "precision"]
    pairs = _at_one_precision(rows.merge(reference[columns], on=alike, suffixes=("", "_reference")))
    median = pairs.groupby("id")["rate_per_accelerator_reference"].median().rename("reference")
    rows = rows.merge(median, left_on="id", right_index=True)
    return rows.assign(share=rows["rate_per_accelerator"] / rows["reference"])


def _at_one_precision(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs that state the same precision, or where one side states none."""
    own, other = pairs["precision"], pairs["precision_reference"]
    return pairs[own.eq(other) | own.eq("") | other.eq("")]
