"""The words of the power efficiency report, from frames of power.py."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from analysis.answers.words import (
    counted,
    dollars,
    fitting,
    listed,
    millions,
    plural,
    prose,
    ranged,
)
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import MOST_WORDS, Finding, exactly, nothing
from analysis.core.interval import Interval, span
from analysis.core.notes import apart, carried, note, of_rows
from analysis.core.plain import as_dicts
from analysis.core.vocabulary import round_age
from analysis.themes import power
from analysis.themes.of_a_kind import SERVED, software

CAPPED = {True: "power-capped", False: "without a cap"}
MOST = 10  # rows that a figure draws
# What is told of a row where its mark is pointed at, and its source. Figures take no column that they do not show, so
# that one is drawn once, whatever the price of electricity is.
NAMED = ["part", "system", "submitter", "basis", "source_id"]
_LIMIT = {power.CAP: "caps", power.DATASHEET: "limits"}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def lead(best: pd.DataFrame, ratios: pd.DataFrame, baseline: str, topic: str, work: str) -> Finding:
    """How much more work per joule the leading node does than the baseline's, and what it draws.

    `best` are the rows of power.nodes, `ratios` those of power.ratios. Where the baseline itself leads, the next node
    stands beside it. Caps, and the other side's round where it is another, are part of the sentence. `about` names both
    sides.
    """
    unit = "times the work per joule of the other, as many accelerators of both"
    if best.empty:
        return nothing("work_per_joule", unit, f"Nobody metered {topic}: no power submission is comparable.")
    leader, pair = power.leader(best), _pair(best, ratios, baseline)
    if pair is None:
        words_alone = f"{_some(leader)} {_makes(leader)} {ranged(leader, 'efficiency')} {plural(work)} per joule"
        words_alone += _draws(leader) if _kilowatts(leader).known else ""
        alone = f"; nothing like it was metered of {baseline}" * (leader["accelerator"] != baseline)
        caveats = leader["notes"]
        return Finding("work_per_joule", None, unit, f"{words_alone}{alone}.", cited(best.loc[[leader.name]]), caveats)
    (better, worse), times = _sides(pair), _times(pair)
    comparison = f"{prose(times)} times the {plural(work)} per joule of"
    if prose(times) in ("1", "1.0"):
        comparison = f"about as many {plural(work)} per joule as"
    whose = f"{CAPPED[True]} " * bool(worse["power_capped"]) + worse["accelerator"]
    sentence = f"{_some(better)} {_makes(better)} {comparison} {whose}{_when(better['round'], worse['round'])}"
    if better["accelerator"] == leader["accelerator"] and len(f"{sentence}{_draws(leader)}".split()) <= MOST_WORDS:
        sentence += _draws(leader)
    about = f"{better['accelerator']} over {worse['accelerator']}"
    return Finding("work_per_joule", times, unit, f"{sentence}.", cited(pair), pair["notes"], about=about)


def behind(best: pd.DataFrame, ratios: pd.DataFrame, baseline: str) -> list[str]:
    """The ids of the result rows that the answer rests on: the leading node, and both sides of its ratio."""
    if best.empty:
        return []
    pair = _pair(best, ratios, baseline)
    return [power.leader(best)["id"], *(pair["ids"] if pair is not None else [])]


def basis(rows: pd.DataFrame) -> list[str]:
    """What the trust line says of the answer's rows beside their rounds: how large they are, that they were metered."""
    if rows.empty:
        return []
    sizes = sorted(set(rows["accelerator_count"]))
    return ["power submissions", *([f"{sizes[0]} accelerators each"] if len(sizes) == 1 and sizes[0] > 1 else [])]


def energy(best: pd.DataFrame, topic: str, work: str) -> Finding:
    """What follows: what a megawatt of the leading node does, and the price of its electricity.

    `best` are the rows of power.nodes with the columns of power.energy.
    """
    amounts = plural(work)
    unit = f"US dollars per million {amounts}, with the overhead of the building"
    if best.empty:
        return nothing("energy_price", unit, f"What a megawatt does on {topic}, and its price, are not known.")
    leader = power.leader(best)
    price, servers, building = (
        span(leader, name) for name in ("usd_per_million", "per_megawatt", "per_building_megawatt")
    )
    sentence = (
        f"A megawatt of such servers makes {millions(servers)} {amounts}/s, {millions(building)} with the building's "
        f"overhead; a million {amounts} take {dollars(price)} of electricity."
    )
    values = {
        "per_megawatt": (servers, f"{amounts}/s per megawatt of servers"),
        "per_building_megawatt": (building, f"{amounts}/s per megawatt of the building"),
    }
    caveats = leader["notes"]
    return Finding("energy_price", price, unit, sentence, cited(best.loc[[leader.name]]), caveats, values=values)


def drawn(best: pd.DataFrame) -> Finding:
    """What the nodes of the first figure draw: metered ones, of as many accelerators as the leading one has."""
    unit = "kilowatts at the wall of a node"
    metered = best[best["power_watts_low"].notna()]
    if metered.empty:
        return nothing("node_kilowatts", unit, "No meter stands behind a figure: what a node draws is not known.")
    size = power.leader(metered)["accelerator_count"]
    nodes_as_large = metered[metered["accelerator_count"].eq(size)]
    ends, most_efficient = span(nodes_as_large, "power_watts") / 1000, nodes_as_large.iloc[0]
    most_power = nodes_as_large.loc[nodes_as_large["power_watts_high"].idxmax()]
    if len(nodes_as_large) == 1:
        sentence = f"A node of {_few(most_efficient)} draws {ends.text()} kW."
    elif most_power["accelerator"] == most_efficient["accelerator"]:
        kilowatts = _kilowatts(most_power).text()  # three digits: breakers are sized by it
        node = f"{kilowatts} kW with {most_efficient['accelerator']}"
        sentence = f"The node that draws most, {node}, also does most work per joule."
    else:
        best_node = f"{most_efficient['accelerator']} does most work per joule"
        sentence = f"Nodes of {_number(size)} draw {ends.text()} kW, and {best_node}."
    return Finding("node_kilowatts", ends, unit, sentence, cited(nodes_as_large), of_rows(nodes_as_large))


def in_other_scenario(answer: Finding, answer_there: Finding, scenario: str) -> Finding:
    """Whether the other scenario gives the same answer; both are findings of `lead`."""
    opening = "O"
    if answer.value is not None and answer_there.value is not None:
        opening = "No: o" if answer.about == answer_there.about else "Yes: o"
    sentence = f"{opening}n {scenario}, {answer_there.headline[:1].lower()}{answer_there.headline[1:]}"
    return replace(answer_there, name="work_per_joule_in_the_other_scenario", headline=sentence)


def record(rounds: pd.DataFrame) -> Finding:
    """The newest round with power submissions, and the newer ones that have none; `rounds` are of power.by_round."""
    unit = "closed data-center power submissions in the newest round that has any"
    with_results = rounds[rounds["results"].gt(0)]
    if with_results.empty:
        return nothing("newest_power", unit, "The record holds no closed power submission of a data center.")
    newest = with_results.iloc[0]
    newer = [name for name in rounds["round"] if round_age(name) > round_age(newest["round"])]
    start = f"{listed(newer)} {'has' if len(newer) == 1 else 'have'} none; the" if newer else "The"
    sentence = (
        f"{start} newest closed data-center power figures are the {newest['results']:,} of {newest['round']}, and "
        f"{len(with_results)} of {counted(len(rounds), 'round')} have some."
    )
    return Finding("newest_power", exactly(int(newest["results"])), unit, sentence)


def over_rounds(rows: pd.DataFrame, topic: str, work: str) -> Finding:
    """The least energy of each round, from the oldest to the newest; `rows` are those of power.history."""
    unit = f"joules per {work} at the wall, in the newest round"
    runs = rows[rows["power_capped"].astype(bool)]
    runs = runs if len(runs) else rows
    if runs.empty:
        return nothing("energy_over_rounds", unit, f"No round has a power submission of {topic} of a full system.")
    oldest, newest, least_energy = runs.iloc[-1], runs.iloc[0], runs.loc[interval.of(runs, "joules").middle.idxmin()]
    sentence = f"On {topic} the best {CAPPED[bool(newest['power_capped'])]} system takes {_at(newest, work)}"
    sentence += f", {_at(oldest)}" * (len(runs) > 1)
    sentence += f" and least, {_at(least_energy)}" * (least_energy["round"] not in (oldest["round"], newest["round"]))
    rows_named = pd.DataFrame([oldest, newest, least_energy]).drop_duplicates("round")
    caveats = of_rows(rows_named) | apart([newest["round"]], [oldest["round"]])
    return Finding("energy_over_rounds", span(newest, "joules"), unit, f"{sentence}.", cited(rows_named), caveats)


def capped(rows: pd.DataFrame) -> Finding:
    """What power-capped runs of the newest round give up of the throughput of their submitter's own performance runs.

    `rows` are those of power.capped; where none of them was capped, what power runs keep. The value is what they keep.
    """
    unit = "throughput of power runs over that of performance runs of the same submitter and size"
    paired = rows.dropna(subset=["share_low"])
    if paired.empty:
        why = "No submitter has both a power and a performance run of one size here: what a cap costs is not known."
        return nothing("capped_share", unit, why)
    is_capped = paired["power_capped"].astype(bool)
    newest_runs = power.of_newest_round(paired[is_capped] if is_capped.any() else paired)
    share, names = span(newest_runs, "share"), listed(newest_runs["accelerator"], most=2)
    if is_capped.any():
        sentence = f"Power-capped {names} runs give up {prose(_given_up(share))} % of their throughput."
    else:
        sentence = f"Metered {names} runs reach {prose(share * 100)} % of the throughput of unmetered ones."
    return Finding("capped_share", share, unit, sentence, cited(newest_runs), of_rows(newest_runs))


def limits(rows: pd.DataFrame, with_limits: pd.DataFrame, language: Collection[str]) -> Finding:
    """What whole systems of the newest round draw, and that over the limits of their accelerators where they are known.

    `rows` are metered rows, `with_limits` those of power.beside_limits. Of the benchmarks `language` (language models,
    see benchmark_rules), where any is there: they load a system most. Of the accelerator with most systems, of one
    size.
    """
    unit = "kilowatts at the wall of a whole system"
    metered = rows[rows["power_watts_low"].notna()]
    if metered.empty:
        return nothing("system_kilowatts", unit, "No measured watts are comparable: what a system draws is not known.")
    leading_systems = _leading(metered, language)
    kilowatts = span(leading_systems, "power_watts") / 1000
    scenarios = leading_systems["scenario"].unique()
    where = f" {scenarios[0]}" * (len(scenarios) == 1)
    subject = f"On language models{where}, a" if leading_systems["benchmark"].isin(language).all() else "A"
    leading_with_limits = with_limits[with_limits["id"].isin(leading_systems["id"])]
    clause_on_limits = brief_clause = ""
    if len(leading_with_limits):
        whose = listed(_LIMIT[basis] for basis in leading_with_limits["limit_basis"])
        times = f", up to {interval.number(leading_with_limits['of_limits_high'].max(), 2)} times"
        clause_on_limits, brief_clause = (
            f"{times} {possessor} {whose} (no official metric)" for possessor in ("its accelerators'", "their")
        )
    draws = f"{subject} server of {_few(leading_systems.iloc[0])} draws {kilowatts.text()} kW"
    sentence = fitting(f"{draws}{clause_on_limits}.", f"{draws}{brief_clause}.")
    caveats = of_rows(leading_systems) | ({note("unofficial_ratio")} if clause_on_limits else set())
    return Finding("system_kilowatts", kilowatts, unit, sentence, cited(leading_systems), caveats)


def node_rows(best: pd.DataFrame) -> pd.DataFrame:
    """The nodes of the newest rounds that a figure draws, most work per joule first, with `told`: kilowatts and round.

    `capping` says whether a cap was in force, `from_print` that no meter stands behind a row, `software` what served.
    """
    kept_columns = ["accelerator", "origin", "round", *NAMED, "efficiency_low", "efficiency_high", "notes"]
    kept_columns = [name for name in kept_columns if name in best]
    needed = ["power_watts_low", "power_watts_high", "power_capped", "efficiency_basis", "joules_low", "joules_high"]
    needed += [name for name in SERVED if name in best]
    drawn = power.newest_first(best[[*kept_columns, *needed]]).head(MOST)
    labels = [
        (f"{_kilowatts(row).text()} kW, " if row["power_watts_low"] > 0 else "") + row["round"]
        for row in _records(drawn)
    ]
    capping = [CAPPED[bool(capped)] for capped in drawn["power_capped"]]
    words = pd.DataFrame({"told": labels, "capping": capping}, index=drawn.index, dtype="str")
    columns = [*kept_columns, *words, "software", "from_print"]
    return by_energy(drawn.assign(**words, software=software(drawn)))[columns]


def by_energy(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `from_print` and `cap` (in words), those of a meter first, the least energy first by its middle."""
    marked = rows.assign(
        from_print=rows["efficiency_basis"].ne(power.MEASURED),
        middle=interval.of(rows, "joules").middle,
        cap=["power-capped" if capped else "" for capped in rows["power_capped"]],
    )
    return marked.sort_values(["from_print", "middle"], kind="stable").drop(columns="middle")


def capped_rows(rows: pd.DataFrame, label: Callable[[str], str]) -> pd.DataFrame:
    """The runs of the newest round, named by the benchmark's `label`, the greatest loss first.

    Capped runs alone, where there are any. Added: given_up_low/high (per cent of the throughput), `told` (the round).
    """
    paired = rows.dropna(subset=["share_low"])
    runs = paired[paired["power_capped"].astype(bool)]
    runs = power.of_newest_round(runs if len(runs) else paired).sort_values("share_low", kind="stable").head(MOST)
    runs = interval.put(runs, "given_up", _given_up(interval.of(runs, "share")))
    return runs.assign(benchmark=runs["benchmark"].map(label).astype("str"), told=runs["round"])


def limit_rows(
    rows: pd.DataFrame, with_limits: pd.DataFrame, language: Collection[str], label: Callable[[str], str]
) -> pd.DataFrame:
    """What systems draw by benchmark, accelerator and round: the newest round first, the most kilowatts first.

    `rows` are metered rows of the record, `with_limits` those of power.beside_limits, both of words.renamed; of systems
    of as many accelerators as the newest round of `language` (as in `limits`) has most. Added: kilowatts_low/high,
    `told` (the round, and the watts over the summed limits).
    """
    metered = rows[rows["power_watts_low"].notna()]
    if metered.empty:
        return metered.assign(kilowatts_low=[], kilowatts_high=[], told=[])
    by = ["benchmark", "accelerator", "round"]
    columns = [*by, *NAMED, "id", "power_watts_low", "power_watts_high", "notes"]
    columns += [name for name in SERVED if name in metered]
    size = _leading(metered, language)["accelerator_count"].iloc[0]
    systems = metered.loc[metered["accelerator_count"].eq(size), columns]
    systems = interval.put(systems, "kilowatts", interval.of(systems, "power_watts") / 1000)
    systems = systems.assign(software=software(systems))
    spread = interval.hull(systems, by, "kilowatts").merge(carried(systems, by), on=by)
    first_of_group = systems.drop_duplicates(by)[[*by, "software", *NAMED]]
    spread = spread.merge(first_of_group, on=by)
    over_limits = with_limits[with_limits["id"].isin(systems["id"])].groupby(by)["of_limits_high"].max().to_dict()
    groups = [tuple(row[name] for name in by) for row in _records(spread)]
    ratios = [f", {interval.number(over_limits[key], 2)} x limits" if key in over_limits else "" for key in groups]
    labels = (spread["round"] + pd.Series(ratios, dtype="str")).astype("str")
    spread = spread.assign(told=labels, benchmark=spread["benchmark"].map(label).astype("str"))
    return power.newest_first(spread.sort_values("kilowatts_high", ascending=False, kind="stable")).head(MOST)


def history_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of power.history with `cap`, and `told`: the accelerator and of how many systems it is the best."""
    best_of = [
        f"{row['accelerator']}, best of {row['systems']}" + f" ({row['others']} of another size)" * (row["others"] > 0)
        for row in as_dicts(rows)
    ]
    cap = [CAPPED[bool(capped)] for capped in rows["power_capped"]]
    return rows.assign(**pd.DataFrame({"cap": cap, "told": best_of}, index=rows.index, dtype="str"))


def _pair(best: pd.DataFrame, ratios: pd.DataFrame, baseline: str) -> pd.Series | None:
    """The ratio of the leading node over the baseline; where that leads itself, of the next best of the newest round.

    None where no ratio is there.
    """
    leading = power.leader(best)["accelerator"]
    if leading != baseline:
        ratios_of_leader = ratios[ratios["accelerator"].eq(leading)]
        return ratios_of_leader.iloc[0] if len(ratios_of_leader) else None
    newest_ratios = power.of_newest_round(ratios)
    return newest_ratios.loc[interval.of(newest_ratios, "ratio").middle.idxmax()] if len(newest_ratios) else None


def _sides(pair: pd.Series) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two sides of a ratio as of a row of nodes, that which does more work first."""
    names = ("accelerator", "round", "power_capped")
    size = {"accelerator_count": pair["accelerator_count"]}
    sides = [{name: pair[f"{name}{end}"] for name in names} | size for end in ("", "_base")]
    return tuple(sides if _over(pair).middle >= 1 else sides[::-1])


def _over(pair: pd.Series) -> Interval:
    return span(pair, "ratio")


def _times(pair: pd.Series) -> Interval:
    """The ratio of a pair, turned round where it is below one."""
    times = _over(pair)
    return times if times.middle >= 1 else Interval(1.0, 1.0) / times


def _when(round: str, other_round: str) -> str:
    """The other side's round, where it is not the first one's: ` of v4.1`."""
    return f" of {other_round}" if other_round != round else ""


def _few(row: Mapping[str, Any]) -> str:
    """How many of which accelerator a node has: eight power-capped H200 SXM."""
    capped = f"{CAPPED[True]} " if row["power_capped"] else ""
    return f"{_number(row['accelerator_count'])} {capped}{row['accelerator']}"


def _some(row: Mapping[str, Any]) -> str:
    """`_few` at the beginning of a sentence."""
    words = _few(row)
    return f"{words[:1].upper()}{words[1:]}"


def _makes(row: Mapping[str, Any]) -> str:
    return "makes" if row["accelerator_count"] == 1 else "make"


def _draws(row: Mapping[str, Any]) -> str:
    return f", and {'draws' if row['accelerator_count'] == 1 else 'draw'} {_kilowatts(row).text()} kW"


def _number(count: int) -> str:
    return _NUMBERS[int(count)] if count < len(_NUMBERS) else str(int(count))


def _kilowatts(row: Mapping[str, Any]) -> Interval:
    return span(row, "power_watts") / 1000


def _given_up(share: Interval) -> Interval:
    """The per cent of the throughput that a share leaves out."""
    return Interval(100 * (1 - share.high), 100 * (1 - share.low))


def _records(rows: pd.DataFrame) -> Iterable[Mapping[str, Any]]:
    return as_dicts(rows)


def _leading(metered: pd.DataFrame, language: Collection[str]) -> pd.DataFrame:
    """The rows of language models, of the newest basis, of the accelerator and size with most of them."""
    facts = metered[["round", "accelerator", "accelerator_count"]].reset_index(drop=True)
    spoken = metered["benchmark"].isin(language).to_numpy()
    newest = power.of_newest_round(facts[spoken] if spoken.any() else facts)
    kinds = list(zip(newest["accelerator"], newest["accelerator_count"], strict=True))
    commonest = max(kinds, key=kinds.count)
    return metered.iloc[newest.index[[kind == commonest for kind in kinds]]]


def _at(row: pd.Series, work: str = "") -> str:
    unit = f" joules per {work}" if work else ""
    return f"{ranged(row, 'joules')}{unit} in {row['round']} ({row['accelerator']}, best of {row['systems']})"
