"""Compute what each round added: software on the same accelerators, and precision and hardware by new ones."""

from __future__ import annotations

import pandas as pd

from analysis import names
from analysis.compare import NoData, fastest
from analysis.present import MAKER, matched

LEAST_PAIRS = 2  # needed to separate a software gain from hardware


def of_kind(results: pd.DataFrame, kind: str, benchmark: str) -> pd.DataFrame:
    """Return the results on one kind of accelerator ("gpu", "cpu", ...).

    Raises ValueError for an unknown kind, and NoData, listing the kind's benchmarks, if none of the kind ran this one.
    """
    rows = results[results["kind"].eq(names.choose(kind, sorted(set(results["kind"]) - {""}), "kind"))]
    there = rows["benchmark"].value_counts().index
    if (benchmark := names.benchmark(benchmark, there)) not in there:
        listed = names.listed(map(names.label, there))
        raise NoData(f"no result of kind {kind} on {names.label(benchmark)}; benchmarks with {kind} results: {listed}")
    return rows


def leaders_by_round(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the fastest available result per accelerator of each model and round.

    For each accelerator, use its fastest result with eight, or of any size if it has none with eight in that round, as
    in `current`. So a rack leads a round in which only slower accelerators have systems of eight.
    """
    return fastest(rows, ["model", "accelerator", "round"]).drop_duplicates(["model", "round"])


def software_by_round(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the software gain of each round over the one before, by vendor and kind of accelerator.

    A pair are the fastest results of one accelerator, size, and submitter in two successive rounds; precision and
    settings may differ. Columns: gain (median over accelerators of the median over their pairs), low, high (range of
    the pairs), pairs (how many). The index is vendor, kind, and round.
    """
    by = [*MAKER, "round"]
    pairs = matched(rows, ["submitter"])
    each = pairs.groupby([*by, "accelerator"])["gain"].median()
    spread = pairs.groupby(by)["gain"].agg(low="min", high="max", pairs="size")
    return spread.assign(gain=each.groupby(by).median())


def gains_by_round(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what each round added to the fastest result per accelerator, as factors that multiply to the total.

    Software is that of the leader's vendor (`software_by_round`); the rest of the leader's gain is modeled: precision
    and hardware. A round whose software rests on fewer than LEAST_PAIRS, or is more than the leader's gain, is one
    modeled factor that includes software; a round that is no faster than before has none. Columns: round, factor,
    value, low, high, pairs, kind, leader (accelerator), rate (of the leader, per accelerator); the first and the last
    row are the ends. Raises NoData without an available result.
    """
    best = leaders_by_round(rows).sort_values("round").set_index("round")
    leader, rates = best["accelerator"], best["rate_per_accelerator"]
    if rates.empty:
        raise NoData("no available result to compare rounds with")
    software = best[MAKER].join(software_by_round(rows), on=[*MAKER, "round"])
    first, top = rates.index[0], rates.iloc[0]
    steps = [(first, f"{first} {leader[first]}", 1.0, None, None, 0, "total", leader[first], top)]
    for name in rates.index[1:]:
        rest, step = rates[name] / top, software.loc[name]
        if rest <= 1:
            continue
        if step["pairs"] >= LEAST_PAIRS and step["gain"] <= rest:
            told = (step["gain"], step["low"], step["high"], int(step["pairs"]), "measured")
            steps.append((name, f"{name} software", *told, leader[name], rates[name]))
            rest /= step["gain"]
        steps.append((name, f"{name} {leader[name]}", rest, None, None, 0, "modeled", leader[name], rates[name]))
        top = rates[name]
    steps.append((rates.index[-1], "Total", top / rates[first], None, None, 0, "total", leader[rates.idxmax()], top))
    columns = ["round", "factor", "value", "low", "high", "pairs", "kind", "leader", "rate"]
    return pd.DataFrame(steps, columns=columns)
