"""Decide which results may be compared. All comparability rules are defined here, by name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.results import GROUP, TOKENS, load_results, with_codes

DIVISIONS = ("closed", "open", "network")
SUITES = ("datacenter", "edge")
SCENARIOS = ("Offline", "Server", "Interactive", "SingleStream", "MultiStream")
RATED = SCENARIOS[:3]  # throughput scenarios, from no latency limit to the tightest
USUAL_SIZE = 8  # accelerators of the usual system
RACK = 64  # minimum accelerators for a rack-scale system (most have 72)

RULES = {  # why a result is left out; the first rule that it breaks is reported, then those of INCOMPARABLE
    "not a throughput": lambda rows, asked: rows["metric"].ne("throughput"),
    "not the division asked for": lambda rows, asked: rows["division"].ne(asked["division"]),
    "not the suite asked for": lambda rows, asked: ~rows["suite"].str.contains(asked["suite"]),
    "not a round asked for": lambda rows, asked: ~rows["round"].isin(asked["rounds"]),
    "incompatible version of the benchmark": lambda rows, asked: rows["comparable_since"].ne(asked["version"]),
    "not available: preview or research": lambda rows, asked: rows["availability"].ne("available") & asked["available"],
    "power submission, often power-capped": lambda rows, asked: rows["power_measured"] & (not asked["power"]),
    "no power measurement": lambda rows, asked: ~rows["power_measured"] & asked["power"],
}
INCOMPARABLE = {  # rules that a result breaks in any comparison
    "power-capped at a limit that is not stated": lambda rows: (
        rows["power_capped"] & ~rows["power_measured"] & rows["power_limit_watts"].isna()
    ),
    "several accelerator types in one system": lambda rows: rows["accelerator"].eq("mixed"),
    "accelerator count not stated": lambda rows: ~rows["accelerator_count"].gt(0),
    "unit cannot be converted": lambda rows: rows["rate"].isna(),
}
OTHER_TARGET = "another accuracy target"
SAME_RUN = "same run submitted under another accuracy target"
SAME_KIND = [*GROUP, "round", "accelerator", "accelerator_count", "availability"]


@cache  # called for each comparison; cleared by tables.forget
def racks() -> dict[str, int]:
    """Return how many accelerators share the links of one rack, by accelerator: those of data/accelerators.csv."""
    return tables.accelerators.set_index("label")["rack_accelerators"].dropna().astype(int).to_dict()


class NoData(ValueError):
    """Raised if nothing is left to compare. The message names what was asked for and the valid choices."""

    def _render_traceback_(self) -> list[str]:
        """Show one line in Jupyter instead of a traceback, since this is not a notebook error."""
        return [f"No data: {self}"]


def comparable(
    results: pd.DataFrame | None = None, *, benchmark: str | Iterable[str], scenario: str | Iterable[str] = "Offline",
    rounds: str | Iterable[str] = (), accelerators: str | Iterable[str] = (), division: str = "closed",
    suite: str = "datacenter", available: bool = True, power: bool = False, accuracy_target: str = "",
) -> pd.DataFrame:  # fmt: skip
    """Return the results that may be compared with each other: those of one benchmark and scenario.

    For several benchmarks or scenarios, return the comparable results of each; compare only within them. A benchmark is
    given by its key or as printed ("Llama 3.1 405B"). `results` is `load_results()` (the default) or part of it. Empty
    `rounds` and `accelerators` mean all; `accelerators` are names or vendors. `available=False` also takes preview and
    research systems, `power=True` takes power submissions alone. `accuracy_target` is "99" or "99.9"; by default the
    most common, or, where one run may be submitted under both, the strictest of each system.

    Raises NoData where nothing is left, with the most common reason, and ValueError for an unknown name, with the valid
    ones.
    """
    results = load_results() if results is None else results
    benchmarks, scenarios, rounds = (
        [given] if isinstance(given, str) else list(given) for given in (benchmark, scenario, rounds)
    )
    known = results["benchmark"].unique()
    benchmarks = [names.benchmark(name, known) for name in benchmarks]
    rows = results[results["benchmark"].isin(benchmarks) & results["scenario"].isin(scenarios)]
    named = names.accelerators(accelerators, results) if accelerators else []
    if named:
        rows = rows[rows["accelerator"].isin(named)]
    every_round = list(results["round"].cat.categories)
    for name in scenarios:
        names.choose(name, SCENARIOS, "scenario")
    for name in rounds:
        names.choose(name, every_round, "round")
    names.choose(division, DIVISIONS, "division")
    names.choose(suite, SUITES, "suite")
    asked = {"division": division, "suite": suite, "available": available, "power": power}
    asked |= {"rounds": rounds or every_round}
    asked |= _versions_and_targets(results, rows, benchmarks, asked, accuracy_target)
    reason = _reasons(rows, asked)
    left = rows[reason.eq("")]
    if left.empty:
        benchmark, scenario = next(product(benchmarks, scenarios), ("", ""))
        scope = "; ".join(filter(None, [", ".join(rounds), ", ".join(named[:5]), f"{division} division"]))
        why = reason[rows["benchmark"].eq(benchmark) & rows["scenario"].eq(scenario)]
        there = _what_there_is(results, benchmark, scenario, why)
        raise NoData(f"no comparable result of {names.label(benchmark)} {scenario} ({scope}){there}")
    kept = left[_strictest(left, asked["either"][left.index])]
    target = pd.to_numeric(kept["accuracy_target"]).fillna(0)
    strictest = target.groupby([kept[name] for name in GROUP]).transform("max")
    submitters = kept.groupby([*GROUP, "round", "accelerator"])["submitter"].transform("nunique")
    holds = {"looser_target": target.lt(strictest), "single_submitter": submitters.eq(1)}
    return kept.assign(caveats=with_codes(kept["caveats"], holds))


def only(
    rows: pd.DataFrame, accelerators: Iterable[str] = (), scenario: str = "", *, what: str = "result"
) -> pd.DataFrame:
    """Return the rows of the given accelerators (names or vendors, as in `comparable`) and scenario; all by default.

    Raises ValueError for an unknown name, and NoData, naming `what` a row is and the choices, if nothing is left.
    """
    accelerators = [accelerators] if isinstance(accelerators, str) else [*accelerators]
    named = names.accelerators(accelerators, rows) if accelerators else []
    kept = rows[rows["accelerator"].isin(named)] if named else rows
    if scenario:
        kept = kept[kept["scenario"].eq(names.choose(scenario, SCENARIOS, "scenario"))]
    if kept.empty:
        asked = ", ".join(filter(None, [names.listed(accelerators), scenario]))
        found = rows[["scenario", "accelerator"]].value_counts().reset_index().groupby("scenario")
        there = "; ".join(f"{names.listed(part['accelerator'])} ({name})" for name, part in found)
        asked = f" ({asked})" if asked else ""
        raise NoData(f"no {what} left to compare{asked}; choices: {there or 'none'}")
    return kept


def without_results(asked: Iterable[str], found: pd.DataFrame, what: str = "a result") -> str:
    """Return a sentence that names the accelerators or vendors of `asked` without a row in `found`, or "".

    `what` names the missing item. The sentence begins with a space, so that it can follow another.
    """
    there, results = {*found["accelerator"]}, load_results()
    gone = [name for name in asked if there.isdisjoint(names.accelerators([name], results))]
    return f" Without {what}: {', '.join(gone)}." if gone else ""


def of_tokens(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows. Raises NoData, with model and unit, where a result counts something other than tokens."""
    if len(other := rows[rows["rate_unit"].ne(TOKENS)]):
        model, unit = other[["model", "rate_unit"]].iloc[0]
        raise NoData(f"{model} is measured in {unit}, not tokens: choose a benchmark measured in tokens")
    return rows


def since(rows: pd.DataFrame, round: str) -> pd.DataFrame:
    """Return the rows of a round and later ones. Raises ValueError for an unknown round."""
    return rows[rows["round"].ge(names.choose(round, rows["round"].cat.categories, "round"))]


def bare_metal(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the bare-metal results, or the virtualized ones of an accelerator that has no others.

    Each benchmark and scenario is handled separately. `caveats` marks virtualized results.
    """
    bare = rows["hypervisor"].eq("")
    return rows[bare | ~bare.groupby([rows[name] for name in [*GROUP, "accelerator"]]).transform("any")]


def in_racks(rows: pd.DataFrame) -> pd.Series:
    """Return a mask of the results from one or more whole rack-scale systems."""
    return rows["accelerator"].isin(list(racks())) & rows["accelerator_count"].ge(RACK)


def fastest(rows: pd.DataFrame, by: list[str] | str = "accelerator") -> pd.DataFrame:
    """Return the fastest available result with eight accelerators in each group, or of any size if it has none.

    The results are those of `bare_metal`. `by` names the columns of a group.
    """
    by = [by] if isinstance(by, str) else list(by)
    rows, order = rows.reset_index(drop=True), ["usual", "rate_per_accelerator", "id"]
    read = {*by, *GROUP, *order[1:], "accelerator", "accelerator_count", "hypervisor"}  # of 67 columns
    found = rows.loc[rows["availability"].eq("available"), list(read)].dropna(subset="rate_per_accelerator")
    found = bare_metal(found)
    found = found.assign(usual=found["accelerator_count"].eq(USUAL_SIZE)).sort_values(order)
    found = found.drop_duplicates(by, keep="last")
    return rows.loc[found.sort_values("rate_per_accelerator", ascending=False).index].reset_index(drop=True)


def _versions_and_targets(
    results: pd.DataFrame, rows: pd.DataFrame, benchmarks: list[str], asked: dict[str, Any], target: str
) -> dict[str, Any]:
    """Return the benchmark version and the accuracy target at which `rows` are compared.

    `either` marks the rows of benchmarks that allow one run to be submitted under both targets.
    """
    read = [*GROUP, "round", "division", "accuracy_target", "comparable_since"]  # of 67: filtering copies
    throughput = results.loc[results["benchmark"].isin(benchmarks) & results["metric"].eq("throughput"), read]
    if target:
        valid = sorted(set(throughput["accuracy_target"]) - {""})
        names.choose(target, valid, f"accuracy target of {', '.join(map(names.label, benchmarks))}")
    targets = throughput[throughput["division"].eq(asked["division"])].groupby("benchmark")["accuracy_target"]
    usual = targets.agg(lambda found: found.mode().max()).astype("str")  # of two equally common the stricter
    versions = throughput[throughput["round"].isin(asked["rounds"])].sort_values("round").groupby(GROUP)
    share_run = tables.benchmarks.query("targets_share_run")["benchmark"]
    return {
        "version": rows[GROUP].join(versions["comparable_since"].last(), on=GROUP)["comparable_since"].fillna(""),
        "target": target or rows["benchmark"].map(usual).astype("str").fillna(""),
        "either": rows["benchmark"].isin(share_run) & (not target),
    }


def _reasons(rows: pd.DataFrame, asked: dict[str, Any]) -> pd.Series:
    """Return the first rule that each row breaks, "" for none."""
    broken = {words: breaks(rows, asked) for words, breaks in RULES.items()}
    broken |= {words: breaks(rows) for words, breaks in INCOMPARABLE.items()}
    broken[OTHER_TARGET] = rows["accuracy_target"].ne(asked["target"]) & ~asked["either"]
    return pd.Series(np.select(list(broken.values()), list(broken), ""), rows.index, dtype="str")


def _strictest(rows: pd.DataFrame, either: pd.Series) -> pd.Series:
    """Return a mask of the rows to keep where one run, or one kind of system, has several accuracy targets.

    If a run is submitted under two targets, one row is kept. Where `either` target counts, an accelerator and size
    keeps only results at the strictest target.
    """
    target = pd.to_numeric(rows["accuracy_target"]).fillna(0)
    run = rows["duplicate_of"].mask(rows["duplicate_of"].eq(""), rows["id"])
    again = run[target.sort_values(ascending=False, kind="stable").index].duplicated()[rows.index]
    strictest = target.mask(again).groupby([rows[name] for name in SAME_KIND]).transform("max")
    return ~again & (target.eq(strictest) | ~either)


def _what_there_is(results: pd.DataFrame, benchmark: str, scenario: str, reasons: pd.Series) -> str:
    """Return why a benchmark and scenario have no result, from the `reasons` of their rows, and valid alternatives."""
    if len(reasons):
        return f": {len(reasons)} results are excluded, most often because: {reasons.mode().iloc[0]}"
    there = results[results["benchmark"].eq(benchmark) & results["metric"].eq("throughput")]
    if scenario not in (scenarios := there["scenario"].unique().tolist()):
        return f"; scenarios with results: {', '.join(scenarios) or 'none'}"
    there = there.loc[there["scenario"].eq(scenario), "accelerator"].value_counts()
    return f"; accelerators with results: {names.listed(there.index)}"
