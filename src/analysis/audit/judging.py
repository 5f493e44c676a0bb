"""Judge printed rates, ratios, and ranks by the official values that they may be about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis import tables
from analysis.audit.official import CONTEST, OF_SUITE, RATES, RATIOS, candidates, contests, filtered, meant
from analysis.audit.verdicts import FOUND, difference, ratio_text
from analysis.published import AGREES, HOLDS, factor, range_text, rank


def check_official(figures: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Return the verdict by official results on each published rate, ratio of two accelerators, and rank, as `FOUND`.

    A figure is conditional if it is correct only in some of its scenarios, only between systems of different sizes,
    only with open-division results, or only for a variant with another power limit. A figure without a matching result
    is contradicted if the data contains all results of its rounds. A rank without a matching result gets no row.
    """
    rows = filtered(contests(official), round=[*figures["round"], *figures["baseline_round"]])
    closed = rows[rows["division"].eq("closed")]
    of_two = figures.eval("baseline_round != '' and (accelerator != baseline_accelerator or round != baseline_round)")
    compared = figures[figures["quantity"].isin(RATES) | (figures["quantity"].isin(RATIOS) & of_two)]
    found = []
    for claim in compared.itertuples():
        named, others = meant(claim.accelerator)
        values = candidates(claim, named, closed)
        if values.empty:
            in_open = candidates(claim, named, rows)
            values = in_open[in_open["verdict"].isin(HOLDS)].assign(condition="with results of the open division")
        if values.empty:
            found.append(_absent(claim, closed, complete(official) if in_open.empty else set()))
        else:
            found.append(_judged(claim, values, candidates(claim, others, closed)))
    found += [_ranked(claim, closed) for claim in figures.query("quantity == 'rank'").itertuples()]
    return pd.DataFrame(filter(None, found), columns=FOUND)


def complete(official: pd.DataFrame) -> set[str]:
    """Return the rounds for which the data contains every closed result."""
    counts = official.loc[official["division"].eq("closed"), "round"].value_counts()
    published = tables.rounds.set_index("round")["closed_results"]
    return set(published.index[published.le(counts.reindex(published.index))])


def found_row(
    claim: Any, check: str, outcome: str, record: str, reason: str, low: float = np.nan, high: float = np.nan
) -> tuple:
    """Return a row of FOUND."""
    return (claim.id, check, outcome, claim.low, claim.high, low, high, claim.unit, record, reason)


def _judged(claim: Any, named: pd.DataFrame, other: pd.DataFrame) -> tuple:
    """Return the row of FOUND for a claim, from its candidates and those of the accelerator of another power limit."""
    near, other = _nearest(named), _nearest(other)
    behind, condition, instead = near, "", ""
    agrees = near["verdict"].isin(AGREES).all()
    if not agrees and rank(other["verdict"]).max() > rank(near["verdict"]).max():
        behind, condition = other, f"for {other['accelerator'].iloc[0]}"
        instead = f"; the accelerator named: {_record(claim, near)}"
    elif agrees and len(near) < len(named):
        condition, instead = f"in {_scenarios(near)}", f"; elsewhere: {_value(claim, named.drop(near.index))}"
    elif near["verdict"].isin(HOLDS).all():
        condition, instead = near[["condition", "instead"]].min()  # empty where one candidate needs no condition
    outcome = behind["verdict"].min()  # ties: prefer confirmed over within rounding
    how, record = "Holds" if outcome in AGREES else "Within 5%", _record(claim, behind)
    off = difference(near).iloc[0] if claim.quantity in RATES else ""
    reason = f"Official: {record}{off}."
    if condition:
        outcome, reason = "conditional", f"{how} only {condition}: official {record}{instead}."
    low, high = behind["expected_low"].min(), behind["expected_high"].max()
    first = behind.iloc[0]
    compared = claim._replace(low=first["printed_low"], high=first["printed_high"], unit=claim.unit + first["per"])
    return found_row(compared, _check(claim) + first["per"], outcome, record, reason, low, high)


def _check(claim: Any) -> str:
    return "official ratio" if claim.quantity in RATIOS else "official"


def _nearest(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the candidates whose range is nearest to the printed one."""
    apart = factor(rows).round(9)
    return rows[apart.eq(apart.min())]


def _scenarios(rows: pd.DataFrame) -> str:
    return " and ".join(sorted(rows["scenario"].unique()))


def _value(claim: Any, rows: pd.DataFrame) -> str:
    """Return the range that candidates have together, with its unit."""
    low, high = rows["expected_low"].min(), rows["expected_high"].max()
    if claim.quantity in RATIOS:
        return ratio_text(low, high)
    return range_text(pd.Series(low), pd.Series(high), 5)[0] + f" {claim.unit}{rows['per'].iloc[0]}"


def _record(claim: Any, rows: pd.DataFrame) -> str:
    """Return the official value of the candidates, with their scope, as text."""
    return f"{_value(claim, rows)} ({', '.join(filter(None, [rows['scope'].iloc[0], _scenarios(rows)]))})"


def _absent(claim: Any, closed: pd.DataFrame, whole: set[str]) -> tuple:
    """Return the row of FOUND for a claim without results on one side or both: contradicted by `whole` rounds."""
    sides = {claim.accelerator: claim.round}
    if claim.quantity in RATIOS:
        sides[claim.baseline_accelerator] = claim.baseline_round
    rows = filtered(closed, benchmark=claim.benchmark, scenario=claim.scenario)
    absent = [name for name, of in sides.items() if filtered(rows, accelerator=meant(name)[0], round=of).empty]
    present = sides.keys() - absent
    contradicted = len(absent) > 0 and set(sides.values()) <= whole
    record = f"no closed result of {claim.model} {claim.scenario}".strip() + f" on {' and '.join(absent or sides)}"
    if not absent:
        record += " as claimed"
    elif present:
        record += f" to compare {present.pop()} with"
    reason = f"The {'complete ' * contradicted}{claim.round} results have {record}."
    if not claim.round:
        reason = "Not an MLPerf result: it names no scenario and round."
    if claim.quantity in RATES:
        record = "no such result" * contradicted
    return found_row(claim, _check(claim), "contradicted" if contradicted else "no official result", record, reason)


def _ranked(claim: Any, rows: pd.DataFrame) -> tuple | None:
    """Return the row of FOUND for a rank: the place by the best rate per accelerator, in each benchmark and scenario.

    A submitter is ranked among systems of one accelerator; else an accelerator, family, or vendor among all. A rank
    that holds in only some benchmark scenarios, or lacks a result in some, is conditional.
    """
    wanted = {name: getattr(claim, name) for name in ("round", "benchmark", "accelerator_count")}
    scenario = claim.scenario or OF_SUITE["datacenter"]
    field = filtered(rows, scenario=scenario, accelerator=claim.baseline_accelerator, power_measured=False, **wanted)
    excluded = ["mixed", *claim.excluded_accelerators]
    field = field[field["suite"].str.contains("datacenter") & ~field["accelerator"].isin(excluded)]
    kinds = ["submitter"] if claim.submitter else ["accelerator", "family", "vendor"]
    own = field[kinds].eq(claim.submitter or claim.accelerator or claim.subject).any(axis=1)
    contest = [field[name] for name in CONTEST]
    best = field["performance"].where(own).groupby(contest).transform("max")
    ahead = field[kinds[0]].where(field["performance"].gt(best))
    places = 1 + ahead[best.notna()].groupby(contest).nunique()
    if places.empty:
        return None
    holds = places.eq(claim.low).sum()
    whole = holds == field.groupby(CONTEST).ngroups
    outcome = "confirmed" if whole else "conditional" if holds else "contradicted"
    leads = field[best.notna()].sort_values("performance")["accelerator"].iloc[-1]
    record = f"rank {places.min():g} in {len(places)} benchmark scenarios"
    reason = f"By official throughput per accelerator: {record}"
    reason += f"; {leads} leads." if places.index.unique("benchmark").size == 1 else "."
    return found_row(claim, "rank", outcome, record, reason, places.min(), places.max())
