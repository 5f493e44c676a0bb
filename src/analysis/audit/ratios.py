"""Published ratios and ranks against official results of the rounds that they are about."""

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
CONTEST = ["benchmark", "scenario", "target"]
OWN = ["own_low", "own_high"]  # ratios of one submitter and size, for an accelerator over itself in an earlier round


def contests(official: pd.DataFrame, divisions: Sequence[str] = ("closed",)) -> pd.DataFrame:
    """Return the results of divisions without power, each run once, with `target`, `performance`, and `samples`.

    Targets that are one run submitted twice are one contest. Performance is per accelerator, that of a latency its
    inverse; `samples` is the same in samples/s, the unit that runs have in common where tokens per sample are unknown.
    """
    share_run = tables.benchmarks.set_index("benchmark")["targets_share_run"]
    rows = official[
        official["division"].isin(divisions) & ~official["power_measured"] & official["duplicate_of"].eq("")
    ]
    rows = rows[rows["benchmark"].isin(share_run.index) & rows["accelerator"].ne("mixed")]
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
    size, or only for the accelerator of another power limit is conditional.
    """
    claims = figures[figures["quantity"].isin(RATIOS) & figures["baseline_round"].ne("")]
    one_side = claims["accelerator"].eq(claims["baseline_accelerator"]) & claims["round"].eq(claims["baseline_round"])
    rows, whole = contests(official), complete(official)
    with_open = contests(official, ["closed", "open"])
    other = name_variants().query("other_part").groupby("accelerator")["submitted"].agg(list)
    found = []
    for claim in claims[~one_side].itertuples():
        named = _ratios(claim, [claim.accelerator], rows)
        in_open = _ratios(claim, [claim.accelerator], with_open) if named.empty else named
        if named.empty and len(in_open):
            holds = in_open[in_open["verdict"].isin(HOLDS)]
            low, high = (in_open if holds.empty else holds)[EXPECTED].agg({EXPECTED[0]: "min", EXPECTED[1]: "max"})
            outcome = "no official result" if holds.empty else "conditional"
            record = f"{_ends(in_open if holds.empty else holds)}x with results of the open division"
            reason = f"The {claim.round} results have {_no_ratio(claim, rows)}: {record}."
            found.append(found_row(claim, "official ratio", outcome, record, reason, low, high))
        elif named.empty:
            words = _no_ratio(claim, rows)
            outcome = "contradicted" if {claim.round, claim.baseline_round} <= whole else "no official result"
            found.append(found_row(claim, "official ratio", outcome, words, f"The {claim.round} results have {words}."))
        else:
            found.append(_judged(claim, named, _ratios(claim, other.get(claim.accelerator, []), rows)))
    return pd.DataFrame(found, columns=FOUND)


def check_ranks(figures: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Return the place of each subject by its best rate per accelerator, in each benchmark and scenario of a round.

    A submitter is ranked among systems of one accelerator; else an accelerator, family, or vendor among all. Leading
    only part of them, or lacking a result, is conditional.
    """
    rows = contests(official)
    rows = rows[rows["suite"].str.contains("datacenter") & rows["scenario"].isin(OF_SUITE["datacenter"])]
    found = []
    for claim in figures[figures["quantity"].eq("rank")].itertuples():
        wanted = {"accelerator": claim.baseline_accelerator, "accelerator_count": claim.accelerator_count}
        field = filtered(rows, round=claim.round, benchmark=claim.benchmark, scenario=claim.scenario, **wanted)
        field = field[~field["accelerator"].isin(claim.excluded_accelerators)]
        own = field[["accelerator", "family", "vendor"]].eq(claim.accelerator or claim.subject).any(axis=1)
        own = field["submitter"].eq(claim.submitter) if claim.submitter else own
        contested = len(field.drop_duplicates(CONTEST))
        best = field["performance"].where(own).groupby([field[name] for name in CONTEST]).transform("max")
        field = field.assign(ahead=field["performance"].gt(best))[best.notna()]
        ahead = field.drop_duplicates([*CONTEST, "ahead", "accelerator", *(["submitter"] if claim.submitter else [])])
        places = 1 + ahead.groupby(CONTEST)["ahead"].sum()
        if places.empty:
            continue
        holds = places.eq(claim.low).sum()
        outcome = "confirmed" if holds == contested else "conditional" if holds else "contradicted"
        leader = field.sort_values("performance")["accelerator"].iloc[-1] if field["benchmark"].nunique() == 1 else ""
        record = f"rank {places.min():g} in {len(places)} benchmark scenarios"
        reason = f"By official throughput per accelerator: {record}" + (f"; {leader} leads." if leader else ".")
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
    suite, found = claim.suite or "datacenter", []
    rows = rows[rows["scenario"].isin([claim.scenario] if claim.scenario else OF_SUITE[suite])]
    rows = filtered(rows[rows["suite"].str.contains(suite)], benchmark=claim.benchmark, submitter=claim.submitter)
    over = rows[rows["accelerator"].isin(accelerators) & rows["round"].eq(claim.round)]
    over = over[over["system"].str.contains(claim.system, regex=False)]
    under = filtered(rows, accelerator=claim.baseline_accelerator, round=claim.baseline_round)
    under = dict(list(under[under["system"].str.contains(claim.baseline_system, regex=False)].groupby(CONTEST)))
    for contest, tops in over.groupby(CONTEST):
        if contest not in under:
            continue
        both = pd.concat([tops.assign(over=True), under[contest].assign(over=False)])
        in_tokens = both["unit"].isin(["tokens/s", "ms"]).all()
        sizes = set(tops["accelerator_count"]) & set(under[contest]["accelerator_count"])
        sizes = sizes & {claim.accelerator_count} or sizes
        both = both[both["accelerator_count"].isin(sizes)] if sizes else both
        apart = both["accelerator_count"] if sizes and claim.bound != "at_most" else pd.Series(0, both.index)
        measure = "performance" if in_tokens else "samples"
        ends = both[measure].groupby([both["over"], apart]).agg(["min", "max"])
        top, bottom = ends.loc[True], ends.loc[False]
        low, high = (top["min"] / bottom["max"]).min(), (top["max"] / bottom["min"]).max()
        if claim.bound == "at_most":
            low = high = (top["max"] / bottom["max"]).max()
        best = both.groupby(["over", "submitter", "accelerator_count"])[measure].max()
        own = (best[True] / best[False]).dropna()  # what one submitter gained with systems of one size
        agrees = own.le(claim.high).any() and own.ge(claim.low).any()
        same = claim.accelerator != claim.baseline_accelerator or own.empty or agrees
        found.append((tops["accelerator"].iloc[0], contest[1], low, high, bool(sizes), same, own.min(), own.max()))
    ratios = pd.DataFrame(
        found, columns=["accelerator", "scenario", *EXPECTED, "same_size", "same_submitter", *OWN]
    )  # fmt: skip
    ratios = ratios.astype(dict.fromkeys(EXPECTED, float) | {"same_size": bool, "same_submitter": bool})
    if claim.bound == "at_most" and claim.quantity == "throughput_ratio":
        ratios = ratios.nlargest(1, "expected_high")
    ratios = ratios.assign(printed_low=claim.low, printed_high=claim.high, range_basis=claim.range_basis)
    return ratios.assign(verdict=compare(ratios))


def _no_ratio(claim: Any, rows: pd.DataFrame) -> str:
    """Return which results a claim lacks on one side or both."""
    run = {"benchmark": claim.benchmark, "scenario": claim.scenario}
    over = filtered(rows, accelerator=claim.accelerator, round=claim.round, **run)
    under = filtered(rows, accelerator=claim.baseline_accelerator, round=claim.baseline_round, **run)
    words = f"no closed result of {claim.model} {claim.scenario}".strip()
    if over.empty == under.empty:
        return f"{words} on {claim.accelerator} and {claim.baseline_accelerator}"
    sides = [claim.accelerator, claim.baseline_accelerator]
    absent, present = sides if over.empty else reversed(sides)
    return f"{words} on {absent} to compare {present} with"


def _judged(claim: Any, named: pd.DataFrame, other: pd.DataFrame) -> tuple:
    """Return the row of FOUND for one claim, from its ratios and those of the accelerator of another power limit."""
    agrees, holds = (named[named["verdict"].isin(of)] for of in (AGREES, HOLDS))
    behind = named[factor(named).eq(factor(named).min())] if agrees.empty else agrees
    nearest, condition, how = behind, "", "Holds"
    others = other[other["verdict"].isin(AGREES)]
    if others.empty and holds.empty:
        others, how = other[other["verdict"].isin(HOLDS)], "Within 5%"
    if agrees.empty and len(others):
        behind, condition = others, f"for {others['accelerator'].iloc[0]}"
    elif len(agrees) and len(agrees) < len(named):
        condition = "in " + " and ".join(sorted(agrees["scenario"].unique()))
    elif len(agrees) and not agrees["same_size"].any():
        condition = "between systems of different size"
    elif len(agrees) and not agrees["same_submitter"].any():
        condition = "across submitters"
    outcome = "conditional" if condition else behind["verdict"].iloc[rank(behind["verdict"]).argmax()]
    low, high = behind["expected_low"].min(), behind["expected_high"].max()
    since = "" if claim.baseline_round == claim.round else f" of {claim.baseline_round}"
    sides = f"{claim.round} {behind['accelerator'].iloc[0]} over {claim.baseline_accelerator}{since}"
    record = f"{_ends(behind)}x ({sides}, {' and '.join(sorted(set(behind['scenario'])))})"
    claimed = f"; {claim.accelerator} as claimed: {_ends(nearest)}x" if condition.startswith("for ") else ""
    if condition == "across submitters":
        claimed = f"; of one submitter: {_ends(agrees, OWN)}x"
    reason = f"{how} only {condition}: official {record}{claimed}." if condition else f"Official: {record}."
    return found_row(claim, "official ratio", outcome, record, reason, low, high)


def _ends(ratios: pd.DataFrame, ends: Sequence[str] = EXPECTED) -> str:
    """Return the range of ratios with three significant digits."""
    low, high = ratios[ends[0]].min(), ratios[ends[1]].max()
    return " to ".join(dict.fromkeys(f"{end:#.3g}" for end in (low, high)))
