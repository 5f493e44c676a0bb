"""Decide which results may be compared: the only place that does, one named rule each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import pandas as pd

from analysis import names, tables
from analysis.results import load_results, with_codes

DIVISIONS = ("closed", "open", "network")
SUITES = ("datacenter", "edge")
SCENARIOS = ("Offline", "Server", "Interactive", "SingleStream", "MultiStream")
USUAL_SIZE = 8  # accelerators of the usual system
RACKS = {"GB200": 72, "GB300": 72, "Vera Rubin": 72}  # accelerators in one rack-scale link domain

RULES = {  # why a result is excluded; the first rule that applies is reported
    "not a throughput": lambda rows, asked: rows["metric"].ne("throughput"),
    "not the division asked for": lambda rows, asked: rows["division"].ne(asked["division"]),
    "not the suite asked for": lambda rows, asked: ~rows["suite"].str.contains(asked["suite"], regex=False),
    "not a round asked for": lambda rows, asked: ~rows["round"].isin(asked["rounds"]),
    "incompatible version of the benchmark": lambda rows, asked: rows["comparable_since"].ne(asked["version"]),
    "not available: preview or research": lambda rows, asked: rows["availability"].ne("available") & asked["available"],
    "power submission, often power-capped": lambda rows, asked: rows["power_measured"] & (not asked["power"]),
    "no power measurement": lambda rows, asked: ~rows["power_measured"] & asked["power"],
    "power-capped at a limit that is not stated": lambda rows, asked: (
        rows["power_capped"] & ~rows["power_measured"] & rows["power_limit_watts"].isna()
    ),
    "several accelerator types in one system": lambda rows, asked: rows["accelerator"].eq("mixed"),
    "accelerator count not stated": lambda rows, asked: ~rows["accelerator_count"].gt(0),
    "unit cannot be converted": lambda rows, asked: rows["rate"].isna(),
    "another accuracy target": lambda rows, asked: rows["accuracy_target"].ne(asked["target"]) & (not asked["either"]),
}
SAME_RUN = "same run submitted under another accuracy target"
STRICTER = "another result of this accelerator and size meets a stricter accuracy target"
SAME_KIND = ["round", "scenario", "accelerator", "accelerator_count", "availability", "power_measured"]


class NoData(ValueError):
    """Nothing is left to compare. The message says what was asked for and what there is."""


def comparable(
    results: pd.DataFrame | None = None, *, benchmark: str, scenario: str = "Offline", rounds: Iterable[str] = (),
    accelerators: Iterable[str] = (), division: str = "closed", suite: str = "datacenter", available: bool = True,
    power: bool = False, accuracy_target: str = "", excluded: bool = False,
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Return the results of one benchmark and scenario that may be compared with each other.

    `results` is `load_results()` (the default) or part of it. Empty `rounds` and `accelerators` mean all there are;
    `accelerators` are names or vendors. `available=False` also takes preview and research systems, `power=True` takes
    power submissions alone. `accuracy_target` is "99" or "99.9"; by default the most common, or, where one run
    may be submitted under both, the strictest of each system. With `excluded` a second frame says why results
    were left out (reason, results, accelerators).

    Raises NoData where nothing is left, and ValueError for an unknown name, with the valid ones.
    """
    results = load_results() if results is None else results
    rounds = [rounds] if isinstance(rounds, str) else list(rounds)
    asked = _asked(results, benchmark, scenario, rounds, division, suite, accuracy_target)
    asked |= {"available": available, "power": power}
    named = names.accelerators(accelerators, results["accelerator"].unique(), _vendors(results)) if accelerators else []
    rows = results[results["benchmark"].eq(benchmark) & results["scenario"].eq(scenario)]
    if named:
        rows = rows[rows["accelerator"].isin(named)]
    rows = rows.assign(reason=_reasons(rows, asked))
    kept = rows[rows["reason"].eq("")].drop(columns="reason")
    if kept.empty:
        raise NoData(_what_there_is(results, rows, asked, benchmark, scenario, rounds, named))
    kept = kept.assign(caveats=with_codes(kept["caveats"], _caveats(kept)))
    if not excluded:
        return kept
    left_out = rows[rows["reason"].ne("")].groupby("reason")["accelerator"]
    listed = left_out.agg(lambda accelerators: names.listed(accelerators.value_counts().index))
    reasons = pd.DataFrame({"results": left_out.size(), "accelerators": listed})
    return kept, reasons.sort_values("results", ascending=False).reset_index()


def each(
    results: pd.DataFrame | None, benchmarks: Iterable[str], scenarios: Iterable[str], **asked: Any
) -> Iterator[pd.DataFrame]:
    """Yield the comparable results of each benchmark and scenario that has some; `asked` goes to `comparable`.

    Raises NoData, with what is wrong with the first, where none has.
    """
    reason, found = "no benchmark and scenario to compare", False
    for place, (benchmark, scenario) in enumerate(product(benchmarks, scenarios)):
        try:
            rows = comparable(results, benchmark=benchmark, scenario=scenario, **asked)
        except NoData as error:
            reason = reason if place else str(error)
        else:
            found = True
            yield rows
    if not found:
        raise NoData(reason)


def only(rows: pd.DataFrame, accelerators: Iterable[str] = (), scenario: str = "") -> pd.DataFrame:
    """Return the rows of accelerators, given by names or vendors as in `comparable`, and of a scenario; all by default.

    Raises ValueError for an unknown name, and NoData, with what there is, where nothing is left.
    """
    named = names.accelerators(accelerators, rows["accelerator"].unique(), _vendors(rows)) if accelerators else []
    kept = rows[rows["accelerator"].isin(named)] if named else rows
    if scenario:
        kept = kept[kept["scenario"].eq(names.choose(scenario, SCENARIOS, "scenario"))]
    if kept.empty:
        asked = ", ".join(filter(None, [names.listed(named), scenario]))
        there = names.listed((rows["accelerator"] + " " + rows["scenario"]).value_counts().index)
        raise NoData(f"no result left to compare ({asked}); there are: {there or 'none'}")
    return kept


def since(rows: pd.DataFrame, round: str) -> pd.DataFrame:
    """Return the rows of a round and later ones. Raises ValueError for an unknown round."""
    return rows[rows["round"].ge(names.choose(round, rows["round"].cat.categories, "round"))]


def fastest(rows: pd.DataFrame, by: list[str] | str = "accelerator", *, per_size: bool = False) -> pd.DataFrame:
    """Return the fastest available bare-metal result of each group, of eight accelerators where there is one.

    `by` names the columns of a group. With `per_size` each number of accelerators is a group of its own.
    """
    by = [by] if isinstance(by, str) else list(by)
    rows = rows[rows["availability"].eq("available") & rows["hypervisor"].eq("")]
    rows = rows.assign(usual=rows["accelerator_count"].eq(USUAL_SIZE))
    order = ["usual", "rate_per_accelerator", "id"]
    rows = rows.sort_values(order).drop_duplicates([*by, "accelerator_count"] if per_size else by, keep="last")
    return rows.drop(columns="usual").sort_values("rate_per_accelerator", ascending=False, ignore_index=True)


def latest(rows: pd.DataFrame, by: list[str] | str = "accelerator") -> pd.DataFrame:
    """Return the newest available bare-metal result of each group, the fastest of its round, highest first.

    A result with eight accelerators is preferred to a newer one of another size, so that accelerators are compared
    at the usual size.
    """
    by = [by] if isinstance(by, str) else list(by)
    best = fastest(rows, [*by, "round"])
    best = best.assign(usual=best["accelerator_count"].eq(USUAL_SIZE)).sort_values(["usual", "round"], kind="stable")
    best = best.drop_duplicates(by, keep="last").drop(columns="usual")
    return best.sort_values("rate_per_accelerator", ascending=False, ignore_index=True)


def _asked(
    results: pd.DataFrame, benchmark: str, scenario: str, rounds: list[str], division: str, suite: str, target: str
) -> dict[str, Any]:
    """Return what the rules compare with; names are checked here, whatever the data."""
    known = tables.benchmarks["benchmark"].tolist()
    names.choose(benchmark, dict.fromkeys([*known, *results["benchmark"].unique()]), "benchmark")
    names.choose(scenario, SCENARIOS, "scenario")
    names.choose(division, DIVISIONS, "division")
    names.choose(suite, SUITES, "suite")
    in_order = list(results["round"].cat.categories)
    rounds = [names.choose(name, in_order, "round") for name in rounds] or in_order
    read = results[["scenario", "round", "division", "accuracy_target", "comparable_since"]]  # of 67: filtering copies
    of_benchmark = read[results["benchmark"].eq(benchmark) & results["metric"].eq("throughput")]
    targets = of_benchmark.loc[of_benchmark["division"].eq(division), "accuracy_target"]
    if target:
        names.choose(target, sorted(set(of_benchmark["accuracy_target"]) - {""}), f"accuracy target of {benchmark}")
    in_rounds = of_benchmark[of_benchmark["scenario"].eq(scenario) & of_benchmark["round"].isin(rounds)]
    newest = in_rounds.sort_values("round")["comparable_since"]
    shares_run = tables.benchmarks.set_index("benchmark")["targets_share_run"].get(benchmark, False)
    return {
        "rounds": rounds,
        "division": division,
        "suite": suite,
        "version": newest.iloc[-1] if len(newest) else "",
        "target": target or next(iter(targets.mode().sort_values(ascending=False)), ""),
        "either": bool(shares_run) and not target,
    }


def _reasons(rows: pd.DataFrame, asked: dict[str, Any]) -> pd.Series:
    """Return the first rule that each row breaks, "" for none."""
    reason = pd.Series("", rows.index, dtype="str")
    for words, breaks in RULES.items():
        reason = reason.mask(reason.eq("") & breaks(rows, asked), words)
    # Of a run submitted under two targets one row stays, whichever of the two the other rules left.
    read = rows[["id", "duplicate_of", "accuracy_target", *SAME_KIND]]
    left = read[reason.eq("")]
    run = left["duplicate_of"].mask(left["duplicate_of"].eq(""), left["id"])
    strictness = pd.to_numeric(left["accuracy_target"].replace("", "0"))
    again = run[strictness.sort_values(ascending=False, kind="stable").index].duplicated()
    reason[again.index[again]] = SAME_RUN
    if asked["either"]:
        left = read[reason.eq("")]
        strictest = strictness.groupby([left[name] for name in SAME_KIND], observed=True).transform("max")
        reason[left.index[strictness[left.index].lt(strictest[left.index])]] = STRICTER
    return reason


def _caveats(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the caveats that hold in this comparison: a looser target, and an accelerator of one submitter."""
    target = pd.to_numeric(rows["accuracy_target"].replace("", "0"))
    submitters = rows.groupby(["round", "accelerator"], observed=True)["submitter"].transform("nunique")
    return {"looser_target": target.lt(target.max()), "single_submitter": submitters.eq(1)}


def _vendors(results: pd.DataFrame) -> dict[str, str]:
    """Return the vendor of each accelerator of data/accelerators.csv and of the results."""
    listed = tables.accelerators.rename(columns={"accelerator": "name", "label": "accelerator"})
    columns = ["accelerator", "vendor"]
    return pd.concat([listed[columns], results[columns].drop_duplicates()]).set_index("accelerator")["vendor"].to_dict()


def _what_there_is(
    results: pd.DataFrame, rows: pd.DataFrame, asked: dict[str, Any], benchmark: str, scenario: str, rounds: list[str],
    accelerators: list[str],
) -> str:  # fmt: skip
    """Return what was asked for in words, why it left nothing, and which rounds or scenarios would give something."""
    model = tables.benchmarks.set_index("benchmark")["label"].get(benchmark, benchmark)
    scope = [", ".join(rounds), ", ".join(accelerators[:5]), f"{asked['division']} division"]
    why = rows["reason"].mode()
    message = f"no comparable result of {model} {scenario} ({'; '.join(filter(None, scope))})"
    if len(why):
        return f"{message}: {len(rows)} results are left out, most because: {why.iloc[0]}"
    there = results[results["benchmark"].eq(benchmark) & results["metric"].eq("throughput")]
    scenarios = there["scenario"].unique().tolist()
    if scenario not in scenarios:
        return f"{message}; scenarios with results: {', '.join(scenarios) or 'none'}"
    there = there.loc[there["scenario"].eq(scenario), "accelerator"].value_counts()
    return f"{message}; accelerators with results: {names.listed(there.index)}"
