"""Compare published ratios and ranks with official results of the rounds that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis import tables
from analysis.audit.official import complete, name_variants
from analysis.audit.verdicts import EXPECTED, FOUND, compare
from analysis.published import AGREES, HOLDS, factor, rank

OF_SUITE = {"datacenter": ["Offline", "Server"], "edge": ["Offline", "SingleStream", "MultiStream"]}
RATIOS = ["throughput_ratio", "break_even_throughput_ratio"]
CONTEST = ["benchmark", "scenario", "target"]  # within which results are compared
OWN = ["own_low", "own_high"]  # ratios of one submitter and size


def contests(official: pd.DataFrame, divisions: Sequence[str] = ("closed",)) -> pd.DataFrame:
    """Return the results of divisions without power, each run once, with `target`, `performance`, and `samples`.

    Targets under which one run may be submitted twice are one contest. Performance is per accelerator, that of a
    latency its inverse; `samples` is the same in samples/s, the unit that runs have in common where tokens per sample
    are unknown.
    """
    share_run = tables.benchmarks.set_index("benchmark")["targets_share_run"]
    rows = official.query(
        "division in @divisions and not power_measured and duplicate_of == '' and accelerator != 'mixed'"
    )
    rows = rows[rows["benchmark"].isin(share_run.index)]
    inverse = (1 / rows["value"]).where(rows["metric"].eq("latency"))
    return rows.assign(
        target=rows["accuracy_target"].mask(rows["benchmark"].map(share_run).astype(bool), ""),
        performance=inverse.fillna(rows["rate_per_accelerator"]),
        samples=inverse.fillna(rows["samples_per_second"] / rows["accelerator_count"]),
        family=rows["accelerator"].map(tables.accelerators.set_index("label")["family"]),
    )


def check_ratios(figures: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Return the official ratio of the two sides of each published one, per accelerator, by benchmark and scenario.

    A ratio that is "up to" is that of the fastest results; any other goes from the slowest over the fastest to the
    fastest over the slowest of equal size. One that holds in a part of its scenarios, between systems of different
    size, with results of the open division, or only for the accelerator of another power limit is conditional.
    """
    claims = figures[figures["quantity"].isin(RATIOS)].query("baseline_round != ''")
    claims = claims.query("accelerator != baseline_accelerator or round != baseline_round")
    rows, with_open, whole = contests(official), contests(official, ["closed", "open"]), complete(official)
    variants = name_variants().query("other_part").groupby("accelerator")["submitted"].agg(list)
    found = []
    for claim in claims.itertuples():
        named = _ratios(claim, [claim.accelerator], rows)
        if len(named):
            found.append(_judged(claim, named, _ratios(claim, variants.get(claim.accelerator, []), rows)))
            continue
        in_open = _ratios(claim, [claim.accelerator], with_open)
        holds = in_open[in_open["verdict"].isin(HOLDS)]
        shown = in_open if holds.empty else holds
        absent = in_open.empty and {claim.round, claim.baseline_round} <= whole
        outcome = "conditional" if len(holds) else "contradicted" if absent else "no official result"
        words = _no_ratio(claim, rows)
        words += f": {_ends(shown)}x with results of the open division" if len(shown) else ""
        low, high = shown["expected_low"].min(), shown["expected_high"].max()
        reason = f"The {claim.round} results have {words}."
        found.append(found_row(claim, "official ratio", outcome, words, reason, low, high))
    return pd.DataFrame(found, columns=FOUND)


def check_ranks(figures: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Return the place of each subject by its best rate per accelerator, in each benchmark and scenario of a round.

    A submitter is ranked among systems of one accelerator; else an accelerator, family, or vendor among all. Leading
    only part of them, or lacking a result, is conditional.
    """
    rows = contests(official)
    rows = rows[rows["suite"].str.contains("datacenter") & rows["scenario"].isin(OF_SUITE["datacenter"])]
    found = []
    for claim in figures.query("quantity == 'rank'").itertuples():
        wanted = {"accelerator": claim.baseline_accelerator, "accelerator_count": claim.accelerator_count}
        field = filtered(rows, round=claim.round, benchmark=claim.benchmark, scenario=claim.scenario, **wanted)
        field = field[~field["accelerator"].isin(claim.excluded_accelerators)]
        own = field[["accelerator", "family", "vendor"]].eq(claim.accelerator or claim.subject).any(axis=1)
        own, rival = (
            (own, "accelerator") if not claim.submitter else (field["submitter"].eq(claim.submitter), "submitter")
        )
        contest = [field[name] for name in CONTEST]
        best = field["performance"].where(own).groupby(contest).transform("max")
        ahead = field[rival].where(field["performance"].gt(best))
        places = 1 + ahead[best.notna()].groupby(contest).nunique()
        if places.empty:
            continue
        holds = places.eq(claim.low).sum()
        whole = holds == field.groupby(CONTEST).ngroups
        outcome = "confirmed" if whole else "conditional" if holds else "contradicted"
        leads = field[best.notna()].sort_values("performance")["accelerator"].iloc[-1]
        record = f"rank {places.min():g} in {len(places)} benchmark scenarios"
        reason = f"By official throughput per accelerator: {record}"
        reason += f"; {leads} leads." if places.index.unique("benchmark").size == 1 else "."
        found.append(found_row(claim, "rank", outcome, record, reason, places.min(), places.max()))
    return pd.DataFrame(found, columns=FOUND)


def found_row(
    claim: Any, check: str, outcome: str, record: str, reason: str, low: float = np.nan, high: float = np.nan
) -> tuple:
    """Return a row of FOUND."""
    return (claim.id, check, outcome, claim.low, claim.high, low, high, claim.unit, record, reason)


def filtered(rows: pd.DataFrame, **wanted: object) -> pd.DataFrame:
    """Return the rows with the `wanted` values; what is empty or missing is not asked for."""
    for name, value in wanted.items():
        if value and value == value:
            rows = rows[rows[name].eq(value)]
    return rows


def _ratios(claim: Any, accelerators: list[str], rows: pd.DataFrame) -> pd.DataFrame:
    """Return the ratios that a claim may be about (accelerator, scenario, EXPECTED, same_size), each with a verdict.

    Of a claim "up to" on speed the highest alone counts.
    """
    suite, found, up_to = claim.suite or "datacenter", [], claim.bound == "at_most"
    rows = rows[rows["scenario"].isin([claim.scenario] if claim.scenario else OF_SUITE[suite])]
    rows = filtered(rows[rows["suite"].str.contains(suite)], benchmark=claim.benchmark, submitter=claim.submitter)
    over = filtered(rows[rows["accelerator"].isin(accelerators)], round=claim.round)
    under = filtered(rows, accelerator=claim.baseline_accelerator, round=claim.baseline_round)
    named = {True: (over, claim.system), False: (under, claim.baseline_system)}
    both = [side[side["system"].str.contains(name, regex=False)].assign(over=of) for of, (side, name) in named.items()]
    for (_, scenario, _), part in pd.concat(both).groupby(CONTEST):
        if part["over"].nunique() < 2:
            continue
        measure = "performance" if part["unit"].isin(["tokens/s", "ms"]).all() else "samples"
        sizes = set.intersection(*part.groupby("over")["accelerator_count"].agg(set))
        sizes = sizes & {claim.accelerator_count} or sizes
        part = part[part["accelerator_count"].isin(sizes)] if sizes else part
        by_size = ["accelerator_count"] if sizes and not up_to else []
        least, most = (
            part.groupby(["scenario", *by_size, "over"])[measure].agg(end).unstack() for end in ("min", "max")
        )
        low, high = (least[True] / most[False]).min(), (most[True] / least[False]).max()
        if up_to:
            low = high = (most[True] / most[False]).max()
        best = part.groupby(["submitter", "accelerator_count", "over"])[measure].max().unstack()
        own = (best[True] / best[False]).dropna()  # what one submitter gained with systems of one size
        agrees = own.empty or (own.le(claim.high).any() and own.ge(claim.low).any())
        same = agrees or claim.accelerator != claim.baseline_accelerator
        top = part.loc[part["over"], "accelerator"].iloc[0]
        found.append((top, scenario, low, high, bool(sizes), same, own.min(), own.max()))
    ratios = pd.DataFrame(found, columns=["accelerator", "scenario", *EXPECTED, "same_size", "same_submitter", *OWN])
    ratios = ratios.astype(dict.fromkeys(EXPECTED, float))
    if up_to and claim.quantity == "throughput_ratio":
        ratios = ratios.nlargest(1, "expected_high")
    ratios = ratios.assign(printed_low=claim.low, printed_high=claim.high, range_basis=claim.range_basis)
    return ratios.assign(verdict=compare(ratios))


def _no_ratio(claim: Any, rows: pd.DataFrame) -> str:
    """Return which results a claim lacks on one side or both."""
    rows = filtered(rows, benchmark=claim.benchmark, scenario=claim.scenario)
    sides = {claim.accelerator: claim.round, claim.baseline_accelerator: claim.baseline_round}
    absent = [name for name, of in sides.items() if filtered(rows, accelerator=name, round=of).empty]
    words = f"no closed result of {claim.model} {claim.scenario}".strip()
    if len(absent) != 1:
        return f"{words} on {' and '.join(sides)}"
    (present,) = sides.keys() - absent
    return f"{words} on {absent[0]} to compare {present} with"


def _judged(claim: Any, named: pd.DataFrame, other: pd.DataFrame) -> tuple:
    """Return the row of FOUND for one claim, from its ratios and those of the accelerator of another power limit."""
    agrees, holds = named[named["verdict"].isin(AGREES)], named[named["verdict"].isin(HOLDS)]
    behind = nearest = named[factor(named).eq(factor(named).min())] if agrees.empty else agrees
    others, how, condition, claimed = other[other["verdict"].isin(AGREES)], "Holds", "", ""
    if others.empty and holds.empty:
        others, how = other[other["verdict"].isin(HOLDS)], "Within 5%"
    if agrees.empty and len(others):
        behind, condition = others, f"for {others['accelerator'].iloc[0]}"
        claimed = f"; {claim.accelerator} as claimed: {_ends(nearest)}x"
    elif 0 < len(agrees) < len(named):
        condition = f"in {' and '.join(sorted(agrees['scenario'].unique()))}"
        claimed = f"; elsewhere: {_ends(named.drop(agrees.index))}x"
    elif len(agrees) and not agrees["same_size"].any():
        condition = "between systems of different size"
    elif len(agrees) and not agrees["same_submitter"].any():
        condition, claimed = "across submitters", f"; of one submitter: {_ends(agrees, OWN)}x"
    outcome = "conditional" if condition else behind["verdict"].iloc[rank(behind["verdict"]).argmax()]
    since = "" if claim.baseline_round == claim.round else f" of {claim.baseline_round}"
    sides = f"{claim.round} {behind['accelerator'].iloc[0]} over {claim.baseline_accelerator}{since}"
    record = f"{_ends(behind)}x ({sides}, {' and '.join(sorted(set(behind['scenario'])))})"
    reason = f"{how} only {condition}: official {record}{claimed}." if condition else f"Official: {record}."
    low, high = behind["expected_low"].min(), behind["expected_high"].max()
    return found_row(claim, "official ratio", outcome, record, reason, low, high)


def _ends(ratios: pd.DataFrame, ends: Sequence[str] = EXPECTED) -> str:
    """Return the range of ratios with three significant digits."""
    low, high = ratios[ends[0]].min(), ratios[ends[1]].max()
    return " to ".join(dict.fromkeys(f"{end:#.3g}" for end in (low, high)))
