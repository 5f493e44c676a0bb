"""Compute what each round added: software on the same accelerators, and precision and hardware by new ones."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from analysis import names
from analysis.compare import NoData, fastest

SAME = ["accelerator", "accelerator_count", "submitter"]
LEAST_PAIRS = 2  # behind a software gain that is told from hardware


def of_kind(results: pd.DataFrame, kind: str, benchmark: str) -> pd.DataFrame:
    """Return the results on one kind of accelerator ("gpu", "cpu", ...).

    Raises ValueError for an unknown kind, and NoData where none of the kind ran the benchmark, with those that did.
    """
    rows = results[results["kind"].eq(names.choose(kind, sorted(set(results["kind"]) - {""}), "kind"))]
    there = rows["benchmark"].value_counts().index
    if (benchmark := names.benchmark(benchmark, there)) not in there:
        listed = names.listed(map(names.label, there))
        raise NoData(f"no result of kind {kind} on {names.label(benchmark)}; benchmarks of {kind}: {listed}")
    return rows


def software_gains(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the gain of each accelerator, size, and submitter from one of its rounds to its next one.

    `rows` are comparable results of one benchmark and scenario. Columns: accelerator, accelerator_count, submitter,
    round, next_round, gain (ratio of the best throughputs per accelerator). Precision and settings may differ.
    """
    bare = rows[rows["hypervisor"].eq("")].groupby([*SAME, "round"], observed=True)
    best = bare["rate_per_accelerator"].max().reset_index()
    following = best.groupby(SAME)[["round", "rate_per_accelerator"]].shift(-1)
    gain = following["rate_per_accelerator"] / best["rate_per_accelerator"]
    gains = best.assign(next_round=following["round"], gain=gain)
    return gains.dropna(subset="gain").drop(columns="rate_per_accelerator").reset_index(drop=True)


def software_chain(rows: pd.DataFrame, accelerators: Iterable[str], first_round: str = "") -> pd.DataFrame:
    """Return the software gain as a chain of steps from round to round, each on one of `accelerators`.

    A step is the median over submitters and sizes (`gain`; `low`, `high`: its range; `pairs`: how many) from `round` to
    `next_round` on whichever accelerator is resubmitted soonest (first listed on ties). If none is resubmitted, the
    chain continues from the next round in which one is. The product of `gain` is the gain over these steps.
    """
    place = {accelerator: place for place, accelerator in enumerate(accelerators)}
    gains = software_gains(rows[rows["accelerator"].isin(place)])
    usual = gains.groupby(["accelerator", "round"], observed=True)["next_round"].transform(lambda all: all.mode()[0])
    steps = gains[gains["next_round"].eq(usual)].groupby(["round", "next_round", "accelerator"], observed=True)["gain"]
    steps = steps.agg(gain="median", low="min", high="max", pairs="size").reset_index()
    steps = steps.assign(place=steps["accelerator"].map(place)).sort_values(["round", "next_round", "place"])
    kept, at = [], rows["round"].cat.categories.get_loc(first_round) if first_round else 0
    for step, begins, ends in zip(steps.index, steps["round"].cat.codes, steps["next_round"].cat.codes, strict=True):
        if begins >= at:
            kept.append(step)
            at = ends
    columns = ["accelerator", "round", "next_round", "gain", "low", "high", "pairs"]
    return steps.loc[kept, columns].reset_index(drop=True)


def gains_by_round(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what each round added to the fastest result per accelerator, as factors that multiply to the total.

    Software is the step of the leaders' software chain that ends in the round; the rest of the leader's gain is
    modeled: precision and hardware. A round whose software rests on fewer than LEAST_PAIRS, or is more than the
    leader's gain, is one modeled factor, software in it; one that is no faster than before has none. Columns: round,
    factor, value, low, high, pairs, kind, leader (accelerator), rate (of the leader, per accelerator); the first and
    the last row are the ends. Raises NoData without an available result.
    """
    best = fastest(rows, "round").sort_values("round").set_index("round")
    leaders, rates = best["accelerator"], best["rate_per_accelerator"]
    if rates.empty:
        raise NoData("no available result to compare rounds by")
    first, top = rates.index[0], rates.iloc[0]
    chain = software_chain(rows, leaders.unique(), first).set_index("next_round")
    steps = [(first, f"{first} {leaders[first]}", 1.0, None, None, 0, "total", leaders[first], top)]
    for name in rates.index[1:]:
        rest = rates[name] / top
        if rest <= 1:
            continue
        step = chain.loc[name] if name in chain.index else None
        if step is not None and step["pairs"] >= LEAST_PAIRS and step["gain"] <= rest:
            more = (step["low"], step["high"], step["pairs"], "measured", step["accelerator"], rates[name])
            steps.append((name, f"{name} software", step["gain"], *more))
            rest /= step["gain"]
        steps.append((name, f"{name} {leaders[name]}", rest, None, None, 0, "modeled", leaders[name], rates[name]))
        top = rates[name]
    steps.append((rates.index[-1], "Total", top / rates[first], None, None, 0, "total", leaders[rates.idxmax()], top))
    columns = ["round", "factor", "value", "low", "high", "pairs", "kind", "leader", "rate"]
    return pd.DataFrame(steps, columns=columns)
