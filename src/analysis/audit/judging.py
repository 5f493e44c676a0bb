"""Judge printed rates, ratios, and ranks against the official values that they may refer to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis import tables
from analysis.audit.official import CONTEST, RATES, RATIOS, candidates, contests, field, filtered, meant
from analysis.audit.verdicts import FOUND, PRINTED, difference, ratio_text
from analysis.published import AGREES, HOLDS, factor, range_text, rank


def check_official(figures: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Return the verdict on each published rate, ratio of two accelerators, and rank, with the columns `FOUND`.

    A figure is conditional if it is correct only in some of its scenarios, only between systems of different sizes,
    only with open-division results, or only for a variant with another power limit. Open-division results are used if
    there are no closed ones, or, if they have a single value, if no closed one holds. A figure without a matching
    result is contradicted if the data contains all results of its rounds. A rank without a matching result gets no row.
    """
    rows = filtered(contests(official), round=[*figures["round"], *figures["baseline_round"]])
    closed, whole = rows.query("division == 'closed'"), complete(official)
    compared = figures.query(
        "quantity in @RATES or quantity in @RATIOS and baseline_round != ''"
        " and (accelerator != baseline_accelerator or round != baseline_round)"
    )
    found = [_ranked(claim, closed) for claim in figures.query("quantity == 'rank'").itertuples()]
    for claim in compared.itertuples():
        named, others = meant(claim.accelerator)
        values = opened = candidates(claim, named, closed)
        if not values["verdict"].isin(HOLDS).any():
            opened = candidates(claim, named, rows).assign(condition="with results of the open division")
            holding = opened.query("verdict in @HOLDS and (@values.empty or expected_low == expected_high)")
            values = values if holding.empty else holding
        if values.empty:
            found.append(_absent(claim, closed, whole if opened.empty else set()))
        else:
            found.append(_judged(claim, values, candidates(claim, others, closed)))
    return pd.DataFrame(filter(None, found), columns=FOUND)


def complete(official: pd.DataFrame) -> set[str]:
    """Return the rounds for which the data contains every closed result."""
    counts = official.query("division == 'closed'")["round"].value_counts()
    return set(tables.rounds.join(counts, on="round").query("closed_results <= count")["round"])


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
    elif near["verdict"].isin(HOLDS).all() and near["condition"].ne("").all():
        condition, instead = near[["condition", "instead"]].iloc[0]
    first = behind.iloc[0]
    outcome = "confirmed" if behind["verdict"].eq("confirmed").any() else first["verdict"]
    record = _record(claim, behind)
    off = difference(near).iloc[0] if claim.quantity in RATES else ""
    reason = f"Official: {record}{off}."
    if condition:
        how = "Holds" if outcome in AGREES else "Within 5%"
        outcome, reason = "conditional", f"{how} only {condition}: official {record}{instead}."
    ends = *first[PRINTED], behind["expected_low"].min(), behind["expected_high"].max()
    return claim.id, _check(claim) + first["per"], outcome, *ends, claim.unit + first["per"], record, reason


def _check(claim: Any) -> str:
    return "official ratio" if claim.quantity in RATIOS else "official"


def _nearest(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the candidates whose range is nearest to the printed one."""
    apart = factor(rows)
    return rows[apart.eq(apart.min())]


def _scenarios(rows: pd.DataFrame) -> str:
    return " and ".join(sorted(rows["scenario"].unique()))


def _value(claim: Any, rows: pd.DataFrame) -> str:
    """Return the combined range of the candidates as text, with its unit."""
    ends = rows["expected_low"].min(), rows["expected_high"].max()
    if claim.quantity in RATIOS:
        return ratio_text(*ends)
    return range_text(*map(pd.Series, ends), 5)[0] + f" {claim.unit}{rows['per'].iloc[0]}"


def _record(claim: Any, rows: pd.DataFrame) -> str:
    """Return the official value of the candidates, with their scope, as text."""
    return f"{_value(claim, rows)} ({', '.join(filter(None, [rows['scope'].iloc[0], _scenarios(rows)]))})"


def _absent(claim: Any, closed: pd.DataFrame, whole: set[str]) -> tuple:
    """Return the row of FOUND for a claim that lacks results on one or both sides; `whole` rounds contradict it."""
    sides = [(claim.accelerator, claim.round)]
    if claim.quantity in RATIOS:
        sides.append((claim.baseline_accelerator, claim.baseline_round))
    rows = filtered(closed, benchmark=claim.benchmark, scenario=claim.scenario)
    absent = [name for name, of in sides if filtered(rows, accelerator=meant(name)[0], round=of).empty]
    present = [name for name, _ in sides if name not in absent]
    contradicted = bool(absent) and whole.issuperset(of for _, of in sides)
    parts = " and ".join(dict.fromkeys(absent or present))
    record = f"no closed result of {claim.model} {claim.scenario}".strip() + f" on {parts}"
    if not absent:
        record += " as claimed"
    elif present:
        record += f" to compare {present[0]} with"
    reason = (
        f"The {'complete ' * contradicted}{claim.round} results have {record}."
        if claim.round
        else "Not an MLPerf result: it names no scenario and round."
    )
    if claim.quantity in RATES:
        record = "no such result" * contradicted
    return found_row(claim, _check(claim), "contradicted" if contradicted else "no official result", record, reason)


def _ranked(claim: Any, rows: pd.DataFrame) -> tuple | None:
    """Return the row of FOUND for a rank by the best rate per accelerator in each benchmark and scenario.

    A submitter is ranked among systems of one accelerator; else an accelerator, family, or vendor among all. A rank
    that holds in only some benchmark scenarios, or lacks a result in some, is conditional.
    """
    rows = field(
        claim,
        rows,
        round=claim.round,
        accelerator=claim.baseline_accelerator,
        accelerator_count=claim.accelerator_count,
    )
    rows = rows[~rows["accelerator"].isin(["mixed", *claim.excluded_accelerators])]
    kinds = ["submitter"] if claim.submitter else ["accelerator", "family", "vendor"]
    own = rows[kinds].eq(claim.submitter or claim.accelerator or claim.subject).any(axis=1)
    best = rows[own].groupby(CONTEST)["performance"].max()
    if best.empty:
        return None
    rivals = rows.pivot_table("performance", CONTEST, kinds[0], "max")
    met = rivals.loc[best.index]
    places = 1 + met.gt(best, axis=0).sum(axis=1)
    right = places.eq(claim.low).sum()
    outcome = "confirmed" if right == len(rivals) else "conditional" if right else "contradicted"
    record = f"rank {places.min():g} in {len(places)} benchmark scenarios"
    reason = f"By official throughput per accelerator: {record}"
    if places.groupby("benchmark").ngroups == 1:
        reason += f"; {claim.baseline_accelerator or met.max().idxmax()} leads"
    return found_row(claim, "rank", outcome, record, f"{reason}.", places.min(), places.max())
