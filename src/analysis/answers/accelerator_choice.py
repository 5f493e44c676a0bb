"""The words of the report on which accelerator to choose, from frames of choice.py."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from analysis.answers import ranking
from analysis.answers.words import (
    PROSE,
    counted,
    dollars,
    either,
    finding_name,
    fitting,
    listed,
    opening,
    prose,
)
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval
from analysis.core.notes import NONE, Notes, of_rows, without
from analysis.core.vocabulary import TOKENS, WORKS
from analysis.themes.of_a_kind import software
from analysis.themes.plans import capacity, choice
from analysis.themes.plans.choice import ACCELERATORS, AT_SCALE, DOLLARS, EQUAL, KILOWATTS, ONE_NODE, Choice, likely

ROWS, LINES = 12, 3  # rows that are read at a glance, and staircases beside the baseline's
NEED = "{}, tenth to ninetieth percentile of the draws"
UNITS = {
    ACCELERATORS: "accelerators in whole nodes, spare ones included",
    DOLLARS: "US dollars an hour for whole nodes",
    KILOWATTS: "kilowatts at the wall with the overhead of the building",
}
AXES = {
    ACCELERATORS: "accelerators in whole nodes",
    DOLLARS: "dollars an hour for whole nodes",
    KILOWATTS: "kilowatts at the wall",
}
WORTH = "times the baseline's price of an accelerator-hour at which the bill is the same, P10 to P90 of the draws"
SCALE = f"{WORTH}, for so many users that whole and spare nodes do not count"
BUDGETS = {DOLLARS: "price", KILOWATTS: "watts"}  # what must be known of each accelerator
METERED, MODELLED = "metered", "modelled"
WHY = {
    choice.TOO_SLOW: "no run so fast",
    choice.OTHER_ROUND: "run only in other rounds",
    choice.NO_RUN: "never ran this benchmark",
    choice.PREVIEW: "not on sale",
    choice.PROMPT: "reads the prompt too slowly",
    choice.MEMORY: "memory too small",
    choice.NO_RATE: "throughput not known",
}
WITHIN = {"yes": "yes", "perhaps": "not surely", "no": "no", "unknown": "not known", "": "no budget"}
CAUSES = {
    "traffic": "traffic",
    "queue": "the queue",
    "groups": "whole groups",
    "memory": "memory",
    ONE_NODE: "a whole node",
}
RANKED_TABLE = {
    "called": "Accelerator",
    "nodes": "Nodes",
    "node": "Accelerators a node",
    "count": "Accelerators",
    EQUAL[ACCELERATORS]: "Accelerators in nodes of {}, ranked by",
    EQUAL[DOLLARS]: "Dollars an hour in nodes of {}, ranked by",
    EQUAL[KILOWATTS]: "kW in nodes of {}, ranked by",
    "usd_per_hour": "Dollars an hour",
    "worth": "Worth of the baseline's price (ratio)",
    AT_SCALE: "Its worth at scale (ratio)",
    "price_at_most": "Dollars per accelerator-hour that keep the budget",
    "kilowatts": "kW at the wall",
    "metered_runs": "Metered runs (0: a model)",
    "metering": "Watts are",
    "decides": "What decides",
    "budget": "Within the budget",
    "measured_on": "Smallest system measured (accelerators)",
    "speed": "Proven tokens/s per user",
    "rate": "Tokens/s per accelerator",
    "round": "Round",
    "systems": "Systems",
    "submitter": "Fastest of",
    "notes": "Notes",
}
UNRANKED_TABLE = {
    "called": "Accelerator",
    "reason": "Why it is not ranked",
    "label": "Nearest evidence",
    "distance": "Distance of that benchmark",
    "scenario": "Scenario",
    "speed": "Fastest tokens/s per user",
    "of_asked": "Of the speed asked for (ratio)",
    "when": "Rounds",
    "systems": "Systems",
}
NEAR_TABLE = {
    "label": "Benchmark",
    "distance": "Distance",
    "parameters_times": "Your parameters over its (ratio)",
    "active_times": "Active parameters (ratio)",
    "prompt_times": "Longest prompt (ratio)",
    "same_kind": "Same kind",
}
Names = Callable[[str], str]


def best(chosen: Choice, label: str, name: Names) -> Finding:
    """The answer: what the users take at least, and on which accelerators; why there is none.

    Of sizes that were measured. What takes less, but is smaller than any system measured, is told behind it where an
    answer has room for it, and by `untried`.
    """
    ranked, unit = chosen.ranked, NEED.format(UNITS[chosen.by])
    if ranked.empty:
        return nothing("best_accelerator", unit, _why_nothing(chosen, label, name))
    if (rows_known := ranking.known(chosen)).empty:
        fact = "price is known" if chosen.by == DOLLARS else "watts are known"
        words = f"No {fact} of the {counted(len(ranked), 'accelerator')} that can serve this."
        return nothing("best_accelerator", unit, words)
    first_ranked, level = rows_known.iloc[0], ranking.level(rows_known, chosen.by)
    value, notes = likely(first_ranked, chosen.by), of_rows(level) | chosen.match.notes
    caution, users = _caution(chosen, label), _users(chosen, label)
    within = ranked["within"].isin(["yes", "perhaps"])
    if (chosen.asked.usd_per_hour_at_most or chosen.asked.kilowatts_at_most) and not within.any():
        none_fits = f"{caution}none of {len(ranked)} is known to fit {_budget(chosen)}"
        takes = ranking.taken(chosen, first_ranked)
        words = fitting(*(opening(f"{none_fits}{of_users}: {takes}.") for of_users in (f" for {users}", "")))
        return Finding("best_accelerator", value, unit, words, cited(ranked), notes, about=first_ranked["accelerator"])
    where = f" {ranking.part_of(level)}" if first_ranked["smaller"] else ""
    names, any_of = (f"{join(level['called'], most=3)}{where}" for join in (listed, either))
    amount, among = ranking.much(chosen, value), ranking.among_known(chosen)
    if alone := len(rows_known) == 1 < len(ranked):  # of several of which nothing is known none takes least
        claim = f"{'cost' if chosen.by == DOLLARS else 'draw'} {amount} on {names}, {among}"
    else:
        claim = {
            ACCELERATORS: f"take {prose(value)} {any_of}{ranking.with_spare(chosen, level)}",
            DOLLARS: f"cost least on {names}{among}: {amount}",
            KILOWATTS: f"draw least on {names}{among}: {amount}",
        }[chosen.by]
    unmeasured, smaller = ranking.below(rows_known, chosen.by), ranking.in_smaller(rows_known, chosen.by)
    joined = ", or" if chosen.by == ACCELERATORS else ";"
    on_unmeasured = f"{joined} {ranking.in_larger(unmeasured, chosen.by)}" if len(unmeasured) else ""
    on_smaller = f"; {ranking.of_smaller(smaller, chosen.by)}" if len(smaller) else ""
    clauses = f"{on_unmeasured}{on_smaller}" or " at the wall" * (chosen.by == KILOWATTS and not alone)
    values = {
        finding_name(row["accelerator"]): (likely(row, chosen.by), unit)
        for _, row in ranked.iterrows()
        if likely(row, chosen.by).known
    }
    least = f"{names}, {among}, needs" if alone else f"{names}{among} need least:"
    short = f"{least} {amount} for {counted(chosen.asked.users, 'user')}"
    # Of what size of node it is the least, where a smaller one takes less.
    size = ranking.nodes_of(rows_known.head(1)) if len(smaller) else ""
    full, brief = f"{users} {claim}", f"{_planned_briefly(chosen, label)} {claim}"
    sized = (f"{text} {size}".rstrip() if size not in text else text for text in (full, brief, short))
    texts = (f"{full}{clauses}", f"{full}{on_smaller or on_unmeasured}", *sized)
    words = fitting(*(opening(f"{caution}{text}.") for text in texts))
    return Finding(
        "best_accelerator", value, unit, words, cited(level), notes, about=first_ranked["accelerator"], values=values
    )


def untried(chosen: Choice) -> Finding:
    """What would take less than the first ranked, but on fewer accelerators than any system that was measured."""
    unit, rows = NEED.format(UNITS[chosen.by]), ranking.below(ranking.known(chosen), chosen.by)
    if rows.empty:
        return nothing("least_untried", unit, "Nothing would take less in a size that was not measured.")
    value, sizes = ranking.spanned(rows, chosen.by), Interval(*rows["measured_on"].agg(["min", "max"]).astype(float))
    verb = "was" if len(rows) == 1 else "were"
    names, amount = listed(rows["called"], most=3), ranking.much(chosen, value)
    words = f"{names} would take {amount}, but {verb} measured only in systems of {prose(sizes)}."
    return Finding("least_untried", value, unit, words, cited(rows), of_rows(rows), about=rows["accelerator"].iloc[0])


def smaller_nodes(chosen: Choice) -> Finding:
    """What takes less than the first ranked, but in smaller nodes, and what it would take in nodes as large."""
    unit, rows = NEED.format(UNITS[chosen.by]), ranking.in_smaller(ranking.known(chosen), chosen.by)
    if rows.empty:
        return nothing("least_in_smaller_nodes", unit, "Nothing takes less in smaller nodes.")
    value, equal = ranking.spanned(rows, chosen.by), ranking.spanned(rows, EQUAL[chosen.by])
    verb, names = "takes" if len(rows) == 1 else "take", listed(rows["called"], most=3)
    words = f"{names} {verb} {ranking.much(chosen, value)} {ranking.nodes_of(rows)}"
    words += f", {ranking.much(chosen, equal)} in nodes of {ranking.equal_node(chosen)}."
    return Finding(
        "least_in_smaller_nodes", value, unit, words, cited(rows), of_rows(rows), about=rows["accelerator"].iloc[0]
    )


def follows(chosen: Choice) -> Finding:
    """What follows: what fits the budget, where there is one; else what the first may cost beside the baseline."""
    ranked, unit = chosen.ranked, "accelerators that keep the budget, P90 of the draws"
    if ranked.empty:
        return nothing("follows", unit, "Ask for a slower speed per user, for more rounds, or for another benchmark.")
    if not (chosen.asked.usd_per_hour_at_most or chosen.asked.kilowatts_at_most):
        return worth(chosen)
    if not ranked["within"].isin(["yes", "perhaps"]).any():
        return _beyond(chosen)
    fit = ranked[ranked["within"].eq("yes")]
    may, breaks, unknown = (int(ranked["within"].eq(name).sum()) for name in ("perhaps", "no", "unknown"))
    verb = "surely fits" if len(fit) == 1 else "surely fit"
    words = f"{len(fit)} of {counted(len(ranked), 'accelerator')} {verb} {_budget(chosen)}"
    words += f": {listed(fit['called'], most=3)}" if len(fit) else ""
    others = [f"{may} may"] * bool(may) + [f"{breaks} surely {'does' if breaks == 1 else 'do'} not"] * bool(breaks)
    others += [f"of the other {unknown} {_unknown(chosen)}"] * bool(unknown)
    words += f"; {', '.join(others)}" if others else ""
    return Finding("follows", exactly(len(fit)), unit, f"{words}.", cited(ranked))


def _beyond(chosen: Choice) -> Finding:
    """How many times a budget the first ranked takes, the one that it breaks most; or of how many that is not known."""
    rows, unit = ranking.known(chosen), "times the budget that the first ranked takes"
    unknown = int(chosen.ranked["within"].eq("unknown").sum())
    blind = f"of {unknown} of {counted(len(chosen.ranked), 'accelerator')} {_unknown(chosen)}"
    if rows.empty or rows["within"].iloc[0] != "no":
        return nothing("follows", unit, f"{opening(blind)}.")
    first_ranked, budgets = rows.iloc[0], _budgets(chosen)
    shares = {name: likely(first_ranked, name) / budget for name, budget in budgets.items()}
    most = max((name for name in shares if shares[name].known), key=lambda name: shares[name].low)
    which = f" in {'dollars' if most == DOLLARS else 'kilowatts'}" if len(budgets) > 1 else ""
    less = either(["fewer users", "a slower speed", *["no spare node"] * bool(chosen.asked.spare_nodes)])
    words = f"That is {prose(shares[most])} times the budget{which}; {blind if unknown else f'{less} would need less'}."
    return Finding("follows", shares[most], unit, words, cited(rows.head(1)), about=first_ranked["accelerator"])


def _unknown(chosen: Choice) -> str:
    """What is not known of those of which it is not known whether they fit the budget."""
    rows = chosen.ranked[chosen.ranked["within"].eq("unknown")]
    facts = [BUDGETS[name] for name in _budgets(chosen) if rows[f"{name}_low"].isna().any()]
    return f"no {' or no '.join(facts)} {'is' if facts == [BUDGETS[DOLLARS]] else 'are'} known"


def _budgets(chosen: Choice) -> dict[str, float]:
    """The budgets asked for, by what they limit."""
    asked = {DOLLARS: chosen.asked.usd_per_hour_at_most, KILOWATTS: chosen.asked.kilowatts_at_most}
    return {name: budget for name, budget in asked.items() if budget}


def worth(chosen: Choice) -> Finding:
    """What an hour of the first ranked is worth in hours of the baseline, in the whole nodes asked for and at scale.

    Of the second where the baseline is the first.
    """
    others = chosen.ranked[chosen.ranked["accelerator"].ne(chosen.asked.baseline)]
    base = chosen.plans[chosen.asked.baseline].called
    if len(chosen.ranked) and others.empty:
        return nothing("worth_of_baseline", SCALE, f"There is nothing to compare {base} with: no other is ranked.")
    others = others[others[f"{AT_SCALE}_low"].notna()]
    if others.empty:
        words = f"No break-even price is known: {base}, the baseline, cannot be planned here."
        return nothing("worth_of_baseline", SCALE, words)
    row = others.iloc[0]
    at_scale, in_whole_nodes, called = likely(row, AT_SCALE), likely(row, "worth"), row["called"]
    dearer, cheaper = called, base
    times_at_scale, times_in_whole_nodes = at_scale, in_whole_nodes
    if at_scale.high < 1:
        dearer, cheaper = base, called
        times_at_scale = Interval(1 / at_scale.high, 1 / at_scale.low)
        times_in_whole_nodes = Interval(1 / in_whole_nodes.high, 1 / in_whole_nodes.low)
    words = f"An hour of {dearer} is worth {prose(times_at_scale)} of {cheaper} at scale."
    if times_in_whole_nodes.known:
        words = f"An hour of {dearer} is worth {prose(times_in_whole_nodes)} of {cheaper} in these whole nodes"
        words += f", {prose(times_at_scale)} at scale."
    values = {
        finding_name(compared["accelerator"]): (likely(compared, AT_SCALE), SCALE) for _, compared in others.iterrows()
    }
    values |= {f"{finding_name(compared['accelerator'])}_in_whole_nodes": (likely(compared, "worth"), WORTH)
               for _, compared in others.iterrows() if likely(compared, "worth").known}  # fmt: skip
    return Finding("worth_of_baseline", at_scale, SCALE, words, cited(others), of_rows(others),
                   about=row["accelerator"], values=values)  # fmt: skip


def spread(chosen: Choice) -> Finding:
    """How many times as much the last of the figure takes as the first, in nodes as large."""
    rows, unit = ranking.known(chosen), "ratio of the medians of the last and of the first ranked"
    if len(rows) < 2:
        ranked = counted(len(rows), "accelerator") if len(rows) else "Nothing"
        return nothing("spread_of_ranking", unit, f"{ranked} can be ranked here.")
    median = f"{EQUAL[chosen.by]}_median"
    first_ranked, last_drawn = rows.iloc[0], rows.head(ROWS).sort_values(median, kind="stable").iloc[-1]
    times = float(last_drawn[median] / first_ranked[median])
    verb = {ACCELERATORS: "as many accelerators as", DOLLARS: "as many dollars as", KILOWATTS: "as many watts as"}
    words = f"{last_drawn['called']} takes {ranking.times_as(times)}{verb[chosen.by]} {first_ranked['called']}"
    words += f", both in nodes of {ranking.equal_node(chosen)}." if first_ranked["node"] != last_drawn["node"] else "."
    return Finding("spread_of_ranking", exactly(times), unit, words, cited(rows), about=last_drawn["accelerator"])


def power(chosen: Choice) -> Finding:
    """What draws least at the wall nine times in ten of the plans of a measured size, and whether a meter says so.

    Of nodes as large. What would draw less, but is smaller than any system measured or has smaller nodes, is told too.
    """
    unit, rows = NEED.format(UNITS[KILOWATTS]), chosen.ranked[chosen.ranked["kilowatts_low"].notna()]
    if rows.empty:
        return nothing("kilowatts_of_best", unit, "What these accelerators draw is not known.")
    rows = ranking.by_watts(rows)
    row, unmeasured, smaller = rows.iloc[0], ranking.below(rows, KILOWATTS), ranking.in_smaller(rows, KILOWATTS)
    value, how = likely(row, KILOWATTS), f"at the wall in {ranking.runs(row)}" if row["metered"] else "by a model"
    where = f" {ranking.part_of(rows.head(1))}" if row["smaller"] else ""
    claim = f"of measured sizes {row['called']} draws" if len(unmeasured) else f"{row['called']}{where} draws"
    words = f"{opening(claim)} least, {prose(value)} kW {how}"
    words += f"; {ranking.in_larger(unmeasured, KILOWATTS)}" if len(unmeasured) else ""
    words += f"; {ranking.of_smaller(smaller, KILOWATTS)}." if len(smaller) else "."
    return Finding("kilowatts_of_best", value, unit, words, cited(rows), notes=of_rows(_powered(rows)),
                   about=row["accelerator"])  # fmt: skip


def decides(chosen: Choice) -> Finding:
    """What decides the number of accelerators: for how many of those ranked each cause."""
    unit = "accelerators for which the cause decides their number"
    causes = chosen.ranked["decided_by"].value_counts(sort=False).sort_values(ascending=False, kind="stable")
    if causes.empty:
        return nothing("decides_number", unit, "Nothing is ranked: nothing decides a number.")
    main_cause, *other_causes = (f"{CAUSES[cause]} for {count}" for cause, count in causes.items())
    words = [f"{main_cause} of {counted(len(chosen.ranked), 'accelerator')}", *other_causes]
    sentence = f"What decides is {listed(words)}."
    return Finding("decides_number", exactly(int(causes.iloc[0])), unit, sentence, cited(chosen.ranked),
                   about=str(causes.index[0]))  # fmt: skip


def grows(chosen: Choice, stairs: pd.DataFrame) -> Finding:
    """How many times the accelerators the first ranked takes at the end of its staircase, and for how many users."""
    unit = "ratio of the medians of accelerators in whole nodes"
    first_ranked = chosen.ranked["accelerator"].iloc[0] if len(chosen.ranked) else ""
    staircase = stairs[stairs["accelerator"].eq(first_ranked)]
    if staircase.empty:
        return nothing("growth_with_users", unit, "Nothing can be ranked: no number of users has nodes.")
    row = chosen.ranked.iloc[0]
    times = float(staircase["count"].iloc[-1] / row["count_median"])
    times_users = interval.number(choice.users_at_most(chosen.asked) / chosen.asked.users)
    only = "only " if times < choice.users_at_most(chosen.asked) / chosen.asked.users else ""
    words = f"{times_users} times the users need {only}{ranking.times_as(times)}as many {row['called']}"
    spare = " and share the spare ones" if chosen.asked.spare_nodes else ""
    words += f": they fill whole nodes better{spare}." if only else "."
    return Finding("growth_with_users", exactly(times), unit, words, cited(chosen.ranked.head(1)), about=first_ranked)


def near(chosen: Choice, label: str) -> Finding:
    """How near the benchmark that is planned with is to the model: its distance and by how many times they differ."""
    unit, nearest, model = "distance between model and benchmark, 0 for the same", chosen.match.own, _model(chosen)
    unknown = chosen.match.near.loc[chosen.match.near["distance"].isna(), "label"]
    blind = f" No distance to {listed(unknown)} is known." if len(unknown) else ""
    if nearest is None:
        return nothing("nearest_benchmark", unit, f"How large {label} is is not known: no distance to another model.")
    if nearest["distance"] == 0:
        words = f"{model} is {'as large as ' if chosen.asked.parameters_billion else ''}{label}."
        return Finding("nearest_benchmark", exactly(0.0), unit, words, more=blind.strip())
    times = {"parameters": nearest["parameters_times"], "active parameters": nearest["active_times"],
             "longest prompt": nearest["prompt_times"]}  # fmt: skip
    dense = abs(times["parameters"] - times["active parameters"]) < 1e-9
    ratios = [
        ranking.times(value, quantity)
        for quantity, value in times.items()
        if value == value and value != 1 and not (dense and quantity == "active parameters")
    ]
    kind = "" if nearest["same_kind"] else ", one of both a mixture of experts"
    size = f"{listed(ratios)} of {label}" if ratios else f"the size of {label}"
    words = f"{model} has {size}{kind}: throughput is the benchmark's, unscaled."
    return Finding("nearest_benchmark", exactly(float(nearest["distance"])), unit, words, more=blind.strip())


def unanswered(chosen: Choice, name: Names) -> Finding:
    """How many accelerators of the record are not ranked, and how near the nearest comes to the speed asked for."""
    rows, unit = chosen.unranked, "share of the speed asked for that the nearest accelerator reached"
    if rows.empty:
        return nothing("not_ranked", unit, "Each accelerator that ran text under a limit is ranked.")
    rows_with_speed = rows[rows["benchmark"].eq(chosen.match.benchmark) & rows["speed"].notna()]
    not_ranked = f"{counted(len(rows), 'accelerator')} of the record {'is' if len(rows) == 1 else 'are'} not ranked"
    if rows_with_speed.empty:
        return Finding(
            "not_ranked", exactly(len(rows)), "accelerators that are not ranked", f"{not_ranked}.", cited(rows)
        )
    best = rows_with_speed.loc[rows_with_speed["speed"].idxmax()]
    share, fastest = (interval.number(value, PROSE) for value in (100 * best["of_asked"], best["speed"]))
    words = f"{not_ranked}; nearest comes {name(best['accelerator'])} with {fastest} tokens/s per user"
    words += f", {share} % of the speed."
    if best["of_asked"] >= 1:
        words = f"{not_ranked}; {name(best['accelerator'])} is so fast, but {WHY[best['why']]}."
    return Finding("not_ranked", exactly(float(best["of_asked"])), unit, words, cited(rows), about=best["accelerator"])


def elsewhere(chosen: Choice, for_more_users: pd.DataFrame, users: int) -> Finding:
    """Whether the same accelerator leads for other users (`for_more_users`: choice.with_users)."""
    unit = NEED.format(UNITS[chosen.by])
    for_more_users = for_more_users[for_more_users[f"{chosen.by}_low"].notna()]
    for_these_users = ranking.known(chosen)
    if for_these_users.empty or for_more_users.empty:
        return nothing("best_for_more_users", unit, "Nothing can be ranked for more users either.")
    leaders, leaders_for_more = (ranking.level(rows, chosen.by) for rows in (for_these_users, for_more_users))
    same_leaders = leaders_for_more["accelerator"].isin(leaders["accelerator"]).all()
    value = likely(leaders_for_more.iloc[0], chosen.by)
    lead = f"lead{'s' * (len(leaders_for_more) == 1)}"
    lead += " too" if same_leaders else f" instead of {either(leaders['called'], most=3)}"
    subject = f"With {users:,} users {listed(leaders_for_more['called'], most=3)}"
    words = f"{subject} {lead}, with {ranking.much(chosen, value)}{' each' * (len(leaders_for_more) > 1)}."
    leader = leaders_for_more["accelerator"].iloc[0]
    return Finding("best_for_more_users", value, unit, words, cited(leaders_for_more), about=leader)


def shown(chosen: Choice, for_more_users: pd.DataFrame, users: int, label: str, name: Names) -> list[Finding]:
    """What a reader should know of other choices: for more users, how near the benchmark is, what is not answered."""
    nearness = [near(chosen, label)] if is_apart(chosen) else []
    smaller = [unmeasured] if (unmeasured := untried(chosen)).value else []
    return [*smaller, elsewhere(chosen, for_more_users, users), *nearness, unanswered(chosen, name)]


def folded(chosen: Choice, label: str) -> list[Finding]:
    """How near the benchmark is where it is the model itself, or where that is not known: `shown` does not say it."""
    return [] if is_apart(chosen) else [near(chosen, label)]


def is_apart(chosen: Choice) -> bool:
    """Whether the benchmark is known to be another model than the one asked about."""
    nearest = chosen.match.own
    return nearest is not None and bool(nearest["distance"] > 0)


def basis(chosen: Choice, label: str) -> list[str]:
    """What the trust line says beside its rows: the benchmark, and how near it is where it is not the model itself."""
    if not is_apart(chosen):
        return [label]
    return [f"{label} at distance {interval.number(float(chosen.match.own['distance']), PROSE)}"]


def notes(*findings: Finding) -> Notes:
    """The notes of several findings as one set."""
    return frozenset().union(*(finding.notes for finding in findings)) or NONE


def ranked_rows(chosen: Choice) -> pd.DataFrame:
    """The rows of the first figure, ROWS at most, with what stands behind the numbers: nodes, and what decides."""
    rows = ranking.known(chosen).head(ROWS)
    nodes = [ranking.nodes(row, ranking.equal_node(chosen)) for _, row in rows.iterrows()]
    return _worded(rows).assign(told=nodes, series="P10 to P90", software=software(rows)).reset_index(drop=True)


def subtitle(chosen: Choice, label: str) -> str:
    """What the first figure draws."""
    spare = chosen.asked.spare_nodes
    spares = counted(spare, "spare node") if spare else "no spare node"
    order = f"; ranked as in nodes of {ranking.equal_node(chosen)}" if ranking.sized_apart(chosen) else ""
    return f"{opening(_users(chosen, label))}, {spares}; P10 to P90, median starred{order}."


def power_rows(chosen: Choice) -> pd.DataFrame:
    """The rows of the figure of kilowatts, ROWS at most: of a measured size and least P90 first; hollow by a model."""
    rows = ranking.by_watts(_powered(chosen.ranked[chosen.ranked["kilowatts_low"].notna()])).head(ROWS)
    kind = rows["metered"].map({True: METERED, False: MODELLED})
    equal = ranking.equal_node(chosen)
    details = [
        ", ".join([ranking.nodes(row, equal)] * (row["node"] != equal) + [ranking.runs(row)] * bool(row["metered"]))
        for _, row in rows.iterrows()
    ]
    hollow = ~rows["metered"].astype(bool)
    return rows.assign(series=kind, modelled=hollow, told=details, software=software(rows)).reset_index(drop=True)


def points(chosen: Choice, stairs: pd.DataFrame) -> pd.DataFrame:
    """Where today's choice stands on the staircases: the ranked rows of those drawn, with `users_from_p50`."""
    drawn = chosen.ranked[chosen.ranked["accelerator"].isin(stairs["accelerator"])]
    return drawn.assign(users_from_p50=chosen.asked.users, software=software(drawn)).reset_index(drop=True)


def table_rows(chosen: Choice) -> pd.DataFrame:
    """The whole ranking as a table shows it."""
    return _worded(chosen.ranked)


def unranked_rows(chosen: Choice, labels: Names, name: Names) -> pd.DataFrame:
    """What is not ranked as a table shows it."""
    rows = chosen.unranked
    return rows.assign(
        called=[name(accelerator) for accelerator in rows["accelerator"]],
        reason=rows["why"].map(WHY),
        label=[labels(benchmark) for benchmark in rows["benchmark"]],
        when=[" to ".join(dict.fromkeys([rounds[0], rounds[-1]])) for rounds in rows["rounds"]],
    )


def ranked_columns(chosen: Choice) -> dict[str, str]:
    """The columns of that table: those of a budget and of dollars where something is known of them."""
    base = chosen.plans[chosen.asked.baseline].called
    left_out = {"budget", "price_at_most"} if not chosen.asked.usd_per_hour_at_most else set()
    left_out -= {"budget"} if chosen.asked.kilowatts_at_most else set()
    left_out |= {*EQUAL.values()} - ({EQUAL[chosen.by]} if ranking.sized_apart(chosen) else set())
    columns = {
        name: words.format(ranking.equal_node(chosen)) for name, words in RANKED_TABLE.items() if name not in left_out
    }
    return columns | {
        "worth": f"Worth in whole nodes, hours of {base} (ratio)",
        AT_SCALE: f"Worth at scale, hours of {base} (ratio)",
    }


def _worded(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(decides=rows["decided_by"].map(CAUSES), budget=rows["within"].map(WITHIN))


def _powered(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the notes of their watts; that no meter told them is said by their marks."""
    pairs = zip(rows["notes"], rows["power_notes"], strict=True)
    return rows.assign(notes=[of_row | without(of_watts, "no_meter") for of_row, of_watts in pairs])


def _users(chosen: Choice, label: str) -> str:
    plan = next(iter(chosen.plans.values()))
    speed, unit = interval.number(capacity.speed_asked(plan.chosen.unit, chosen.asked)), plan.chosen.unit
    count = chosen.asked.users
    return f"{count:,} user{'s' * (count > 1)} of {_planned_as(chosen, label)} at {speed} {unit}"


def _planned_briefly(chosen: Choice, label: str) -> str:
    """The users without the name of their model, where they are planned as another."""
    users = _users(chosen, label)
    model = _planned_as(chosen, label)
    if model == label:
        return users
    benchmark = "it" if _caution(chosen, label).startswith(label) else label
    return f"planned as {benchmark}, {users.replace(f' of {model}', '', 1)}"


def _caution(chosen: Choice, label: str) -> str:
    """What must be known before the answer: the benchmark counts no tokens, or is not near the model; else nothing."""
    unit = next(iter(chosen.plans.values())).chosen.unit
    if unit != TOKENS:
        return f"{label} counts {WORKS[unit]}, no tokens: "
    if not chosen.match.far:
        return ""
    return "no benchmark is near: " if chosen.match.none_near else f"{label} is not near: "


def _planned_as(chosen: Choice, label: str) -> str:
    """The model asked about, and the benchmark that it is planned with where that is another."""
    asked = chosen.asked
    is_benchmark_itself = asked.benchmark_named == chosen.match.benchmark if asked.model else not is_apart(chosen)
    return label if is_benchmark_itself else f"{asked.model or 'your model'}, planned as {label},"


def _budget(chosen: Choice) -> str:
    usd, kilowatts = chosen.asked.usd_per_hour_at_most, chosen.asked.kilowatts_at_most
    parts = [f"{dollars(exactly(usd), 3)} an hour"] * bool(usd) + [f"{interval.number(kilowatts)} kW"] * bool(kilowatts)
    return " and ".join(parts)


def _model(chosen: Choice) -> str:
    return chosen.asked.model or "Your model"


def _why_nothing(chosen: Choice, label: str, name: Names) -> str:
    rows = chosen.unranked
    rows_with_speed = rows[rows["benchmark"].eq(chosen.match.benchmark) & rows["speed"].notna()]
    asked = interval.number(capacity.speed_asked(TOKENS, chosen.asked))
    wanted = f"No {either(map(name, chosen.asked.accelerators), most=2) or 'accelerator'} on sale"
    if rows_with_speed.empty:
        if chosen.limited and label not in chosen.limited:
            others = listed(chosen.limited, most=2)
            return f"{label} never ran under a limit on latency in these rounds; {others} did."
        return f"{wanted} can be planned for {label} from these rounds."
    best = rows_with_speed.loc[rows_with_speed["speed"].idxmax()]
    fastest = interval.number(best["speed"], PROSE)
    if best["of_asked"] >= 1:
        return (
            f"{label} at {asked} tokens/s per user cannot be planned: {name(best['accelerator'])} {WHY[best['why']]}."
        )
    nearest = f"{name(best['accelerator'])} comes nearest, {fastest}"
    return f"{wanted} gave {label} users {asked} tokens/s: {nearest}."
