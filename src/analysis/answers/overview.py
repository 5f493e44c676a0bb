"""The words of the overview: which accelerator gives most, what each is worth, what the newest round changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pandas as pd

from analysis.answers.words import RATE, counted, listed, prose, ranged, rate
from analysis.core import interval, notes
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval, span
from analysis.core.notes import of_rows
from analysis.core.plain import as_dicts
from analysis.themes import standing
from analysis.themes.of_a_kind import USUAL_SIZE

Label = Callable[[str], str]
DRAWN = 10  # accelerators in a figure
TWICE = 2.0  # of the baseline's price: who is worth more than that is counted
NODE = f"in nodes of {USUAL_SIZE}"
BLANK = ("\u2013", "no such result in the record")


def most(matrix: pd.DataFrame, scenario: str, topic: str, unit: str) -> Finding:
    """The accelerator on sale that gives most in a scenario, and the one that does in nodes of the usual size."""
    measured = f"{unit} per accelerator"
    ranked = _ranked(matrix, scenario)
    if ranked.empty:
        return nothing("gives_most", measured, f"No accelerator on sale has a comparable result of {topic}.")
    name, leaders = standing.RATES[scenario], _leaders(ranked)
    leader = leaders[0]
    headline = f"{leader['accelerator']} gives most on {topic}, {rate(leader, name)} {unit} each"
    headline += "".join(f"; {NODE}, {row['accelerator']} leads with {rate(row, name)}" for row in leaders[1:])
    rows = pd.DataFrame(leaders)
    caveats = notes.union(rows[f"{name}_notes"])
    return Finding(
        "gives_most", span(leader, name), measured, f"{headline}.", cited(rows), caveats, about=leader["accelerator"]
    )


def worth(matrix: pd.DataFrame, scenario: str, baseline: str) -> Finding:
    """At which multiple of the baseline's price those that `most` names break even; else the next that is known to."""
    unit = f"times the price of one {baseline} at which one accelerator gives as much for a dollar"
    others = _ranked(matrix, scenario)
    named = [row for row in _leaders(others) if row["accelerator"] != baseline]
    others = others[others["accelerator"].ne(baseline)]
    valued = [row for row in named if row["worth_low"] == row["worth_low"]]
    unknown = [row["accelerator"] for row in named if row["worth_low"] != row["worth_low"]]
    valued = valued or [row for _, row in others.dropna(subset="worth_low").head(1).iterrows()]
    if not valued:
        why = f"No accelerator on sale can be set beside {baseline}: nobody can say what it is worth."
        return nothing("worth_of_the_fastest", unit, why)
    first_valued, *further = valued
    headline = (
        f"{first_valued['accelerator']} breaks even at {ranged(first_valued, 'worth')} times the price of {baseline}"
    )
    headline += "".join(f", {row['accelerator']} at {ranged(row, 'worth')}" for row in further)
    headline += f"; of {listed(unknown)} it is not known" if unknown else ""
    caveats = notes.union(row["worth_notes"] for row in valued)
    return Finding(
        "worth_of_the_fastest", span(first_valued, "worth"), unit, f"{headline}.", cited(pd.DataFrame(valued)), caveats,
        about=first_valued["accelerator"],
    )  # fmt: skip


def elsewhere(matrix: pd.DataFrame, scenario: str, unit: str) -> Finding:
    """Who gives most in the other scenarios."""
    measured = f"accelerators that give most in one scenario or another ({unit} per accelerator)"
    ahead = {name: _ranked(matrix, name) for name in standing.RATES}
    ahead = {name: ranked.iloc[0] for name, ranked in ahead.items() if len(ranked)}
    leader, others = ahead.get(scenario), {name: row for name, row in ahead.items() if name != scenario}
    if leader is None or not others:
        return nothing("gives_most_elsewhere", measured, "The record has no other scenario of it to choose.")
    clauses = [
        f"{row['accelerator']}{' leads' * (not place)} on {name} with {rate(row, standing.RATES[name])}"
        + f" {unit}" * (not place)
        for place, (name, row) in enumerate(others.items())
    ]
    leaders = {row["accelerator"] for row in ahead.values()}
    verdict = "No" if leaders == {leader["accelerator"]} else "Yes"
    rows = pd.DataFrame(list(ahead.values()))
    caveats = notes.union(row[f"{standing.RATES[name]}_notes"] for name, row in ahead.items())
    headline = f"{verdict}: {', '.join(clauses)}."
    return Finding("gives_most_elsewhere", exactly(len(leaders)), measured, headline, cited(rows), caveats)


def gap(matrix: pd.DataFrame, scenario: str) -> str:
    """The widest step between two neighbours of the ranking, as a figure's claim."""
    name, ranked = standing.RATES[scenario], _ranked(matrix, scenario)
    if len(ranked) < 2:
        return "Fewer than two accelerators to rank"
    middles = interval.of(ranked, name).middle
    steps = (middles / middles.shift(-1)).iloc[: DRAWN - 1]
    place = int(steps.to_numpy()[: len(ranked) - 1].argmax()) + 1
    above, below = ranked.iloc[place - 1], ranked.iloc[place]
    factor = interval.of(above, name) / interval.of(below, name)
    return f"The first {place} of {len(ranked)} give {prose(_scalar(factor))} times what the next gives, or more"


def worth_more(matrix: pd.DataFrame, baseline: str) -> str:
    """How many are worth more than TWICE the baseline's price, as a figure's claim."""
    valued = matrix.dropna(subset="worth_low")
    valued = valued[valued["accelerator"].ne(baseline)]
    if valued.empty:
        return f"No accelerator can be priced against {baseline}"
    count = int(valued["worth_low"].gt(TWICE).sum())
    return f"{count} of {len(valued)} are worth more than twice the price of {baseline}"


def record(rounds_held: pd.DataFrame) -> Finding:
    """The rounds of the record, its closed results, and when the newest was published; of standing.held."""
    unit = "rounds in the record"
    if rounds_held.empty:
        return nothing("rounds_of_the_record", unit, "No official record is there.")
    oldest, newest = rounds_held.iloc[0], rounds_held.iloc[-1]
    when = f" of {_day(newest['published'])}" if newest["published"] else ""
    named = (
        f"{oldest['round']} to {newest['round']}, {counted(len(rounds_held), 'round')}"
        if len(rounds_held) > 1
        else newest["round"]
    )
    headline = f"The record: MLPerf Inference {named}, {counted(int(rounds_held['closed'].sum()), 'closed result')}"
    headline += f"; the newest{when}." if when else "."
    return Finding("rounds_of_the_record", exactly(len(rounds_held)), unit, headline)


def known(matrix: pd.DataFrame, label: str) -> Finding:
    """Of how many accelerators on sale the record has what of a benchmark, and what the rows of the matrix are."""
    unit = "accelerators on sale with a metered run"
    if matrix.empty:
        return nothing("known_of_those_on_sale", unit, "No accelerator on sale has a comparable result.")
    metered = int(matrix["joules_low"].notna().sum())
    ran = [f"{matrix[f'{name}_low'].notna().sum()} ran {scenario}" for scenario, name in standing.RATES.items()]
    headline = f"{label}, of {counted(len(matrix), 'accelerator')} the best system of the usual size, "
    headline += f"of the newest round with one: {', '.join(ran)}"
    headline += f"; power is metered for {metered}."
    return Finding("known_of_those_on_sale", exactly(metered), unit, headline, cited(matrix))


def newest(changes: pd.DataFrame) -> str:
    """The newest round, whose changes these are."""
    return str(changes["round"].iloc[0]) if len(changes) else "the newest round"


def newcomers(names: tuple[str, ...], matrix: pd.DataFrame, newest: str) -> Finding:
    """The accelerators that are on sale in the newest round for the first time, the fastest named first."""
    unit = "accelerators on sale in the newest round and in none before"
    if not names:
        return nothing("new_on_sale", unit, f"No accelerator is new on sale in {newest}.")
    fastest = [name for name in matrix["accelerator"] if name in names]
    order = [*fastest, *(name for name in names if name not in fastest)]
    return Finding("new_on_sale", exactly(len(names)), unit, f"{len(names)} new on sale in {newest}: {listed(order)}.")


def new_benchmarks(changes: pd.DataFrame, newest: str, label: Label) -> Finding:
    """The data-center benchmarks of the newest round that no round before it has."""
    unit = "data-center benchmarks in the newest round and in none before"
    fresh = changes[changes["before"].eq("")]
    if fresh.empty:
        return nothing("new_benchmarks", unit, f"No data-center benchmark is new in {newest}.")
    headline = f"{counted(len(fresh), 'new data-center benchmark')}: {listed(map(label, fresh['benchmark']))}."
    return Finding("new_benchmarks", exactly(len(fresh)), unit, headline, cited(fresh))


def faster(changes: pd.DataFrame, newest: str) -> Finding:
    """On how many benchmarks the best result on sale rose, by how much, and what of it is one accelerator's.

    That another accelerator leads is no change of speed, least where the one that led was not filed again.
    """
    unit = "benchmarks of which the best result on sale rose"
    run_before = changes[changes["before"].ne("")]
    if run_before.empty:
        return nothing("faster_than_before", unit, f"No benchmark of {newest} was run in a round before.")
    ahead, same_leader = run_before[run_before["gain_low"].gt(1)], run_before["accelerator"].eq(run_before["before"])
    headline = f"The best result on sale rose on {len(ahead)} of {counted(len(run_before), 'benchmark')} run before"
    if len(ahead):
        headline += f", {prose(span(ahead, 'gain'))} times"
    if len(run_before) > same_leader.sum():
        not_filed_again = int((~run_before["filed_again"] & ~same_leader).sum())
        headline += f"; on {int((~same_leader).sum())} another accelerator leads"
        headline += f", on {not_filed_again} of these the one before was not filed again" * bool(not_filed_again)
    return Finding(
        "faster_than_before", exactly(len(ahead)), unit, f"{headline}.", cited(run_before), of_rows(run_before)
    )


def gained_most(changes: pd.DataFrame, label: Label) -> str:
    """The benchmark that gained most and that of those which one accelerator led in both rounds, as a figure's claim.

    A gain of another accelerator is no change of speed.
    """
    if changes["gain_low"].isna().all():
        return "No benchmark was run in a round before"
    same_leader = changes[changes["accelerator"].eq(changes["before"])]
    if same_leader.empty:
        return "Another accelerator leads each benchmark: no gain is of one accelerator"
    most_gained, most_of_one = changes.iloc[0], same_leader.iloc[0]
    gained, gained_of_one = (f"{prose(_scalar(interval.of(row, 'gain')))} times" for row in (most_gained, most_of_one))
    if most_gained["benchmark"] == most_of_one["benchmark"]:
        return f"{label(most_gained['benchmark'])} gained most, {gained}, with one leader in both rounds"
    return (
        f"{label(most_gained['benchmark'])} gained most, {gained}, by another accelerator; "
        f"with one leader in both rounds {label(most_of_one['benchmark'])}, {gained_of_one}"
    )


def drawn(matrix: pd.DataFrame, scenario: str) -> pd.DataFrame:
    """The first DRAWN by the rate of a scenario, as a figure draws them: with their software and that rate's notes."""
    ranked = _ranked(matrix, scenario).head(DRAWN)
    return ranked.assign(notes=ranked[f"{standing.RATES[scenario]}_notes"]).rename(columns={"framework": "software"})


def drawn_worth(matrix: pd.DataFrame, each: pd.DataFrame, scenario: str, baseline: str) -> pd.DataFrame:
    """The first DRAWN by a scenario's rate whose worth is known, without the baseline, base by base (standing.worths).

    `over` names the base; an accelerator has a row for each that stands beside it.
    """
    ranked = _ranked(matrix, scenario)
    names = list(
        ranked.loc[ranked["worth_low"].notna() & ranked["accelerator"].ne(baseline), "accelerator"].head(DRAWN)
    )
    rows = each[each["accelerator"].isin(names)]
    bases = list(rows["base"].unique())
    keys = list(zip(rows["base"], rows["accelerator"], strict=True))
    order = sorted(range(len(rows)), key=lambda row: (bases.index(keys[row][0]), names.index(keys[row][1])))
    return rows.iloc[order].assign(over=lambda drawn: f"over {baseline} of " + drawn["base"])


def drawn_changes(changes: pd.DataFrame, label: Label) -> pd.DataFrame:
    """The benchmarks with a gain, as a figure draws them: `what` in words, and `then`, what led before."""
    run_before = changes[changes["before"].ne("")].rename(columns={"framework": "software"})
    words = [
        f"{row['accelerator']} after {row['before']}" + ", not filed again" * (not row["filed_again"])
        for row in as_dicts(run_before)
    ]
    return run_before.assign(
        what=pd.Series([label(name) for name in run_before["benchmark"]], index=run_before.index, dtype="str"),
        then=pd.Series(words, index=run_before.index, dtype="str"),
    )


def headers(matrix: pd.DataFrame, each: pd.DataFrame, unit: str, work: str, baseline: str) -> dict[str, str]:
    """The columns of the matrix beside its bases (standing.beside_bases) that have anything to show, with headers.

    A worth has one column for each base of standing.worths, whose rate the header says: columns do not compare.
    """
    measures = {name: f"{scenario} ({unit} each)" for scenario, name in standing.RATES.items()}
    measures |= {"joules": f"Joules per {work}", "kilowatts": f"kW, node of {USUAL_SIZE}"}
    shown_measures = {name: head for name, head in measures.items() if matrix[f"{name}_low"].notna().any()}
    for base, of_base in each.groupby("base", sort=False):
        shown_measures[f"worth_{base}"] = (
            f"Worth, times {baseline} of {base} ({span(of_base, 'over').text(RATE)} {unit})"
        )
    return {"accelerator": "Accelerator", **shown_measures, "accelerator_count": "In one system", "round": "Round"}


def _ranked(matrix: pd.DataFrame, scenario: str) -> pd.DataFrame:
    name = standing.RATES[scenario]
    ranked = matrix.dropna(subset=f"{name}_low")
    return ranked.sort_values(f"{name}_high", ascending=False, kind="stable")


def _leaders(ranked: pd.DataFrame) -> list[pd.Series]:
    """The first of a ranking and, where its system is of another size, the first in a node of the usual size."""
    sized = ranked[ranked["accelerator_count"].eq(USUAL_SIZE)]
    leader = ranked.head(1)
    leaders = leader if leader["accelerator_count"].eq(USUAL_SIZE).all() else pd.concat([leader, sized.head(1)])
    return [row for _, row in leaders.iterrows()]


def _scalar(value: Interval) -> Interval:
    return Interval(float(value.low), float(value.high))


def _day(published: str) -> str:
    day = date.fromisoformat(published)
    return f"{day.day} {day:%B %Y}"
