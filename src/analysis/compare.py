"""Decide which results may be compared. All comparability rules are defined here, by name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.results import TOKENS, load_results, with_codes

DIVISIONS = ("closed", "open", "network")
SUITES = ("datacenter", "edge")
SCENARIOS = ("Offline", "Server", "Interactive", "SingleStream", "MultiStream")
RATED = SCENARIOS[:3]  # throughput scenarios, from no latency limit to the tightest
USUAL_SIZE = 8  # accelerators of the usual system
RACK = 64  # minimum accelerators for a rack-scale system (most have 72)

INCOMPARABLE = {  # rules that a result breaks whatever it is compared with
    "power-capped at a limit that is not stated": lambda rows: (
        rows["power_capped"] & ~rows["power_measured"] & rows["power_limit_watts"].isna()
    ),
    "several accelerator types in one system": lambda rows: rows["accelerator"].eq("mixed"),
    "accelerator count not stated": lambda rows: ~rows["accelerator_count"].gt(0),
    "unit cannot be converted": lambda rows: rows["rate"].isna(),
}
RULES = {  # why a result is excluded; the first rule that applies is reported
    "not a throughput": lambda rows, asked: rows["metric"].ne("throughput"),
    "not the division asked for": lambda rows, asked: rows["division"].ne(asked["division"]),
    "not the suite asked for": lambda rows, asked: ~rows["suite"].str.contains(asked["suite"], regex=False),
    "not a round asked for": lambda rows, asked: ~rows["round"].isin(asked["rounds"]),
    "incompatible version of the benchmark": lambda rows, asked: rows["comparable_since"].ne(asked["version"]),
    "not available: preview or research": lambda rows, asked: rows["availability"].ne("available") & asked["available"],
    "power submission, often power-capped": lambda rows, asked: rows["power_measured"] & (not asked["power"]),
    "no power measurement": lambda rows, asked: ~rows["power_measured"] & asked["power"],
    **{words: lambda rows, _, breaks=breaks: breaks(rows) for words, breaks in INCOMPARABLE.items()},
    "another accuracy target": lambda rows, asked: rows["accuracy_target"].ne(asked["target"]) & ~asked["either"],
}
SAME_RUN = "same run submitted under another accuracy target"
STRICTER = "another result of this accelerator and size meets a stricter accuracy target"
GROUP = ["benchmark", "scenario"]  # within which results are compared
SAME_KIND = [*GROUP, "round", "accelerator", "accelerator_count", "availability", "power_measured"]


@cache  # asked for each comparison; tables.forget clears it
def racks() -> dict[str, int]:
    """Return how many accelerators share the links of one rack, by accelerator: those of data/accelerators.csv."""
    return tables.accelerators.set_index("label")["rack_accelerators"].dropna().astype(int).to_dict()


class NoData(ValueError):
    """Nothing is left to compare. The message says what was asked for and what there is."""

    def _render_traceback_(self) -> list[str]:
        """Show one line in Jupyter instead of a traceback, since this is not a notebook error."""
        return [f"No data: {self}"]


def comparable(
    results: pd.DataFrame | None = None, *, benchmark: str | Iterable[str], scenario: str | Iterable[str] = "Offline",
    rounds: str | Iterable[str] = (), accelerators: str | Iterable[str] = (), division: str = "closed",
    suite: str = "datacenter", available: bool = True, power: bool = False, accuracy_target: str = "",
    excluded: bool = False,
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Return the results that may be compared with each other: those of one benchmark and scenario.

    Several benchmarks or scenarios give the comparable results of each; compare within them. A benchmark is given by
    its key or as printed ("Llama 3.1 405B"). `results` is `load_results()` (the default) or part of it. Empty `rounds`
    and `accelerators` mean all there are; `accelerators` are names or vendors. `available=False` also takes preview and
    research systems, `power=True` takes power submissions alone. `accuracy_target` is "99" or "99.9"; by default the
    most common, or, where one run may be submitted under both, the strictest of each system. With `excluded` a second
    frame says why results were left out (reason, results, accelerators).

    Raises NoData where nothing is left, and ValueError for an unknown name, with the valid ones.
    """
    results = load_results() if results is None else results
    benchmarks, scenarios, rounds = (
        [given] if isinstance(given, str) else list(given) for given in (benchmark, scenario, rounds)
    )
    there = results["benchmark"].unique()
    benchmarks = [names.benchmark(name, there) for name in benchmarks]
    rows = results[results["benchmark"].isin(benchmarks) & results["scenario"].isin(scenarios)]
    named = names.accelerators(accelerators, results) if accelerators else []
    if named:
        rows = rows[rows["accelerator"].isin(named)]
    asked = _asked(results, rows, benchmarks, scenarios, rounds, division, suite, accuracy_target)
    asked |= {"available": available, "power": power}
    reason = _reasons(rows, asked)
    kept = rows[reason.eq("")]
    if kept.empty:
        first = next(product(benchmarks, scenarios), ("", ""))
        raise NoData(_what_there_is(results, rows.assign(reason=reason), asked, first, rounds, named))
    target = pd.to_numeric(kept["accuracy_target"]).fillna(0)
    of_one_submitter = (
        kept.groupby([*GROUP, "round", "accelerator"], observed=True)["submitter"].transform("nunique").eq(1)
    )
    strictest = target.groupby([kept[name] for name in GROUP]).transform("max")
    holds = {"looser_target": target.lt(strictest), "single_submitter": of_one_submitter}
    kept = kept.assign(caveats=with_codes(kept["caveats"], holds))
    if not excluded:
        return kept
    left_out = rows.loc[reason.ne(""), "accelerator"].groupby(reason)
    listed = left_out.agg(lambda accelerators: ", ".join(accelerators.value_counts().index))
    reasons = pd.DataFrame({"results": left_out.size(), "accelerators": listed})
    return kept, reasons.sort_values("results", ascending=False).reset_index()


def only(
    rows: pd.DataFrame, accelerators: Iterable[str] = (), scenario: str = "", *, what: str = "result"
) -> pd.DataFrame:
    """Return the rows of accelerators, given by names or vendors as in `comparable`, and of a scenario; all by default.

    Raises ValueError for an unknown name, and NoData where nothing is left; it says `what` a row is and what there is.
    """
    accelerators = [accelerators] if isinstance(accelerators, str) else [*accelerators]
    named = names.accelerators(accelerators, rows) if accelerators else []
    kept = rows[rows["accelerator"].isin(named)] if named else rows
    if scenario:
        kept = kept[kept["scenario"].eq(names.choose(scenario, SCENARIOS, "scenario"))]
    if kept.empty:
        asked = ", ".join(filter(None, [names.listed(accelerators), scenario]))
        found = rows[["scenario", "accelerator"]].value_counts().reset_index().groupby("scenario", observed=True)
        there = "; ".join(f"{names.listed(part['accelerator'])} ({name})" for name, part in found)
        asked = f" ({asked})" if asked else ""
        raise NoData(f"no {what} left to compare{asked}; there are: {there or 'none'}")
    return kept


def without_results(asked: Iterable[str], found: pd.DataFrame, what: str = "a result") -> str:
    """Return a sentence that names the accelerators or vendors of `asked` without a row in `found`, or "".

    `what` names what they lack. The sentence begins with a space, so that it can follow another.
    """
    there, results = {*found["accelerator"]}, load_results()
    gone = [name for name in asked if there.isdisjoint(names.accelerators([name], results))]
    return f" Without {what}: {', '.join(gone)}." if gone else ""


def of_tokens(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows. Raises NoData, with model and unit, where a result counts something other than tokens."""
    if len(other := rows[rows["rate_unit"].ne(TOKENS)]):
        model, unit = other[["model", "rate_unit"]].iloc[0]
        raise NoData(f"{model} counts {unit}, not tokens: choose a benchmark that counts tokens")
    return rows


def since(rows: pd.DataFrame, round: str) -> pd.DataFrame:
    """Return the rows of a round and later ones. Raises ValueError for an unknown round."""
    return rows[rows["round"].ge(names.choose(round, rows["round"].cat.categories, "round"))]


def bare_metal(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the bare-metal results; of an accelerator that has only virtualized ones, these.

    Each benchmark and scenario counts by itself. `caveats` says which results are virtualized.
    """
    bare = rows["hypervisor"].eq("")
    return rows[bare | ~bare.groupby([rows[name] for name in [*GROUP, "accelerator"]]).transform("any")]


def in_racks(rows: pd.DataFrame) -> pd.Series:
    """Return which results are of one rack-scale system or more, not of a part of one."""
    return rows["accelerator"].isin(list(racks())) & rows["accelerator_count"].ge(RACK)


def fastest(rows: pd.DataFrame, by: list[str] | str = "accelerator", *, per_size: bool = False) -> pd.DataFrame:
    """Return the fastest available result with eight accelerators in each group, or of any size if it has none.

    The results are those of `bare_metal`. `by` names the columns of a group. With `per_size` each number of
    accelerators is a group of its own.
    """
    by = [by] if isinstance(by, str) else list(by)
    rows, order = rows.reset_index(drop=True), ["usual", "rate_per_accelerator", "id"]
    read = {*by, *GROUP, *order[1:], "accelerator", "accelerator_count", "hypervisor"}  # of 67 columns
    found = bare_metal(rows.loc[rows["availability"].eq("available"), list(read)])
    found = found.assign(usual=found["accelerator_count"].eq(USUAL_SIZE)).sort_values(order)
    found = found.drop_duplicates([*by, "accelerator_count"] if per_size else by, keep="last")
    return rows.loc[found.sort_values("rate_per_accelerator", ascending=False).index].reset_index(drop=True)


def _asked(
    results: pd.DataFrame, rows: pd.DataFrame, benchmarks: list[str], scenarios: list[str], rounds: list[str],
    division: str, suite: str, target: str,
) -> dict[str, Any]:  # fmt: skip
    """Return what the rules compare `rows` with; names are checked here, whatever the data."""
    facts = tables.benchmarks.set_index("benchmark")
    for name in scenarios:
        names.choose(name, SCENARIOS, "scenario")
    names.choose(division, DIVISIONS, "division")
    names.choose(suite, SUITES, "suite")
    in_order = list(results["round"].cat.categories)
    rounds = [names.choose(name, in_order, "round") for name in rounds] or in_order
    read = [*GROUP, "round", "division", "accuracy_target", "comparable_since"]  # of 67: filtering copies
    throughput = results.loc[results["benchmark"].isin(benchmarks) & results["metric"].eq("throughput"), read]
    if target:
        valid = sorted(set(throughput["accuracy_target"]) - {""})
        names.choose(target, valid, f"accuracy target of {', '.join(map(names.label, benchmarks))}")
    targets = throughput[throughput["division"].eq(division)].groupby(GROUP[0])["accuracy_target"]
    usual = targets.agg(lambda found: found.mode().max())  # of two equally common the stricter
    newest = throughput[throughput["round"].isin(rounds)].sort_values("round").groupby(GROUP)["comparable_since"].last()
    version = newest.reindex(pd.MultiIndex.from_frame(rows[GROUP])).set_axis(rows.index)
    either = rows["benchmark"].isin(facts.index[facts["targets_share_run"]])
    return {
        "rounds": rounds,
        "division": division,
        "suite": suite,
        "version": version.fillna(""),
        "target": target or rows["benchmark"].map(usual).fillna(""),
        "either": either & (not target),
    }


def _reasons(rows: pd.DataFrame, asked: dict[str, Any]) -> pd.Series:
    """Return the first rule that each row breaks, "" for none."""
    broken = [breaks(rows, asked) for breaks in RULES.values()]
    reason = pd.Series(np.select(broken, list(RULES), ""), rows.index, dtype="str", name="reason")
    # Of a run submitted under two targets one row stays, whichever of the two the other rules left.
    read = rows[["id", "duplicate_of", "accuracy_target", *SAME_KIND]]
    left = read[reason.eq("")]
    run = left["duplicate_of"].mask(left["duplicate_of"].eq(""), left["id"])
    strictness = pd.to_numeric(left["accuracy_target"]).fillna(0)
    again = run[strictness.sort_values(ascending=False, kind="stable").index].duplicated()
    reason[again.index[again]] = SAME_RUN
    left = read[reason.eq("") & asked["either"]]
    strictness = strictness[left.index]
    strictest = strictness.groupby([left[name] for name in SAME_KIND], observed=True).transform("max")
    reason[left.index[strictness.lt(strictest)]] = STRICTER
    return reason


def _what_there_is(
    results: pd.DataFrame, rows: pd.DataFrame, asked: dict[str, Any], first: tuple[str, str], rounds: list[str],
    accelerators: list[str],
) -> str:  # fmt: skip
    """Return why the first benchmark and scenario asked for have no result, and what would give some."""
    benchmark, scenario = first
    rows = rows[rows["benchmark"].eq(benchmark) & rows["scenario"].eq(scenario)]
    scope = [", ".join(rounds), ", ".join(accelerators[:5]), f"{asked['division']} division"]
    why = rows["reason"].mode()
    message = f"no comparable result of {names.label(benchmark)} {scenario} ({'; '.join(filter(None, scope))})"
    if len(why):
        return f"{message}: {len(rows)} results are left out, most because: {why.iloc[0]}"
    there = results[results["benchmark"].eq(benchmark) & results["metric"].eq("throughput")]
    scenarios = there["scenario"].unique().tolist()
    if scenario not in scenarios:
        return f"{message}; scenarios with results: {', '.join(scenarios) or 'none'}"
    there = there.loc[there["scenario"].eq(scenario), "accelerator"].value_counts()
    return f"{message}; accelerators with results: {names.listed(there.index)}"
