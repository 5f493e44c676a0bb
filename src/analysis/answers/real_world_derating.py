"""The words of the derating report, from frames of derating.py and plans of capacity.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from analysis.answers.words import (
    counted,
    dollars,
    listed,
    plural,
    prose,
    renamed,
)
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval, span
from analysis.core.notes import of_rows
from analysis.core.parameters import MOST_USERS
from analysis.core.refused import Called
from analysis.core.vocabulary import round_age
from analysis.themes import derating
from analysis.themes.of_a_kind import software
from analysis.themes.plans import sizing
from analysis.themes.plans.capacity import LongPrompt, Planned

SHARE = "share of the Offline throughput"
NEED = "accelerators in whole nodes, tenth to ninetieth percentile of the draws"
SAID = 2  # limits that the headline of an answer has room for
ALIKE, HARDLY = 0.1, 0.2  # correlations so close below the largest drive as much; ones below this drive hardly
INPUTS = {
    "throughput per accelerator": "how well the record predicts a system",
    "derate": "the assumed derate",
    "peak over mean": "peak traffic",
    "price": "price",
    sizing.CONTEXT: "the length of contexts",
    sizing.KEPT: "what several nodes keep",
}
OUTPUTS = {
    "accelerators": "accelerators",
    "nodes": "nodes",
    "usd_per_hour": "dollars an hour, whole nodes",
    "usd_per_user_hour": "dollars a user-hour, whole nodes",
}


class Limit(NamedTuple):
    """The latency limit of a scenario, and the tokens/s that it leaves each user (None where it tells no speed)."""

    scenario: str
    speed: float | None

    @property
    def words(self) -> str:
        """What tells the limit to a reader: the speed that it leaves each user, else the name of the scenario."""
        return f"{self.short} tokens/s per user" if self.speed else self.short

    @property
    def short(self) -> str:
        """The same behind another limit that was told: a speed without its unit."""
        return f"at {interval.number(self.speed)}" if self.speed else f"in {self.scenario}"


Shares = Sequence[tuple[Limit, pd.DataFrame]]  # a limit, and rows of derating.measured under it


def derate(shares: Shares, assumed: Interval, topic: str) -> Finding:
    """What systems of the newest round keep of their Offline throughput under each limit, the one asked for first.

    Above the assumed band where most are, else the middle one of them. The headline names the first SAID limits.
    """
    newest_asked = derating.newest(shares[0][1])
    if newest_asked.empty:
        return nothing("measured_derate", SHARE, f"No system ran both {topic} and Offline: no share is measured.")
    by_limit = [(limit, derating.newest(rows)) for limit, rows in shares]
    by_limit = [(limit, rows) for limit, rows in by_limit if len(rows)]
    rounds = {name for _, rows in by_limit for name in rows["round"]}
    in_round = f"{rounds.pop()} " if len(rounds) == 1 else ""
    words = [_kept(by_limit[0][1], assumed, in_round), *(_kept_too(rows, assumed) for _, rows in by_limit[1:SAID])]
    limits = _shortened([limit for limit, _ in by_limit[:SAID]])
    sentence = "; ".join(f"{where}, {kept}" for where, kept in zip(limits, words, strict=True))
    rows = pd.concat([rows for _, rows in by_limit])
    shares_under = {
        f"under_{place}": (span(rows, "derate"), SHARE) for place, (_, rows) in enumerate(by_limit[1:], start=2)
    }
    headline = f"{sentence[:1].upper()}{sentence[1:]}."
    share, sources, notes = span(newest_asked, "derate"), cited(rows), of_rows(rows)
    return Finding("measured_derate", share, SHARE, headline, sources, notes, values=shares_under)


def _kept(rows: pd.DataFrame, assumed: Interval, in_round: str) -> str:
    """What most of the systems keep, as a sentence of its own.

    `in_round` is the name of their round with a blank behind it, or "" where they are of several.
    """
    count, middle = len(rows), _middle(rows)
    if count == 1:
        return f"the only {in_round}system keeps {middle} of Offline throughput"
    if most := _most(rows, assumed):
        return f"{most} {in_round}systems keep over {100 * assumed.high:g} % of Offline throughput"
    systems = f"{count} {in_round}systems"
    subject = f"the middle of {systems} keeps" if count % 2 else f"half of {systems} keep under"
    return f"{subject} {middle} of Offline throughput"


def _kept_too(rows: pd.DataFrame, assumed: Interval) -> str:
    """The same under a further limit, short behind such a sentence."""
    count, middle = len(rows), _middle(rows)
    if count == 1:
        return f"the only one {middle}"
    if most := _most(rows, assumed):
        return f"{most} over {100 * assumed.high:g} %"
    return f"the middle of {count} {middle}" if count % 2 else f"half of {count} under {middle}"


def _most(rows: pd.DataFrame, assumed: Interval) -> str:
    """How many of how many keep more than the assumed band, where these are most; else ""."""
    above, _, _ = derating.in_band(rows, assumed)
    return f"{above} of {len(rows)}" if 2 * above > len(rows) else ""


def _middle(rows: pd.DataFrame) -> str:
    return f"{interval.number(100 * interval.of(rows, 'derate').middle.median(), 2)} %"


def derate_over_rounds(shares: Shares, label: str) -> Finding:
    """What the middle system of each round keeps under each limit, the one asked for first."""
    by_limit = [(limit, derating.pooled(rows)) for limit, rows in shares]
    by_limit = [(limit, rows) for limit, rows in by_limit if len(rows)]
    if not by_limit:
        return nothing("derate_over_rounds", SHARE, f"No round has Offline and a limited scenario of {label}.")
    middles = [interval.of(rows, "derate").middle.groupby(rows["round"]).median() for _, rows in by_limit]
    words = []
    for where, middle in zip(_shortened([limit for limit, _ in by_limit]), middles, strict=True):
        kept = [f"{interval.number(100 * middle[name], 2)} % in {name}" for name in sorted(middle.index, key=round_age)]
        words.append(f"{listed(kept, most=len(kept))} {where}")
    asked_range, *other_ranges = (Interval(float(middle.min()), float(middle.max())) for middle in middles)
    values = {f"under_{place}": (kept, SHARE) for place, kept in enumerate(other_ranges, start=2)}
    rows = pd.concat([rows for _, rows in by_limit])
    sentence = f"On {label} the middle system kept {'; '.join(words)}."
    return Finding("derate_over_rounds", asked_range, SHARE, sentence, cited(rows), of_rows(rows), values=values)


def _shortened(limits: Sequence[Limit]) -> list[str]:
    """Limits in words, the first whole and those behind it shorter."""
    return [limits[0].words, *(limit.short for limit in limits[1:])]


def band(measured: pd.DataFrame, assumed: Interval, labels: Mapping[str, str]) -> Finding:
    """Whether the assumed band is what systems of the newest rounds keep, over benchmarks, scenario by scenario.

    Beside it the benchmarks, as `labels` call them, whose middle system does not keep more than the band.
    """
    unit = "systems that keep a share within the assumed band"
    scenarios = [(name, _newest(systems)) for name, systems in measured.groupby("scenario", sort=False)]
    scenarios = [(name, systems) for name, systems in scenarios if len(systems)]
    if not scenarios:
        return nothing("derates_in_band", unit, "No system has two scenarios to compare: no derate is measured.")
    clauses = [_in_band(systems, assumed, name) for name, systems in scenarios]
    rows = pd.concat([systems for _, systems in scenarios])
    _, inside, _ = derating.in_band(rows, assumed)
    quoted = f"{interval.text(100 * assumed.low, 100 * assumed.high, 2)} %"
    sentence = f"The often quoted {quoted} {', and '.join(clauses)}."
    exceptions = [_middle_not_above(systems, assumed, name, labels) for name, systems in scenarios]
    return Finding(
        "derates_in_band",
        exactly(inside),
        unit,
        sentence,
        cited(rows),
        of_rows(rows),
        " ".join(filter(None, exceptions)),
    )


def _newest(measured: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(
        [derating.newest(rows_of_benchmark) for _, rows_of_benchmark in measured.groupby("benchmark", sort=False)]
    )


def _in_band(rows: pd.DataFrame, assumed: Interval, scenario: str) -> str:
    above, inside, below = derating.in_band(rows, assumed)
    count, scope = above + inside + below, f"on {counted(rows['benchmark'].nunique(), 'benchmark')}"
    if 2 * above > count:
        return f"is too low for {scenario}, where {above} of {count} results {scope} keep more"
    if 2 * below > count:
        return f"is too high for {scenario}, where {below} of {count} results {scope} keep less"
    return f"holds for {inside} of {count} results {scope} in {scenario}"


def _middle_not_above(rows: pd.DataFrame, assumed: Interval, scenario: str, labels: Mapping[str, str]) -> str:
    """Where most results keep more than the band: the benchmarks of which the middle one does not; else nothing."""
    above, _, _ = derating.in_band(rows, assumed)
    middle = interval.of(rows, "derate").middle.groupby(rows["benchmark"], sort=False).median()
    names = [labels[name] for name in middle.index[middle.le(assumed.high)]]
    if 2 * above <= len(rows) or not names:
        return ""
    return f"The middle system in {scenario} does not on {listed(names, most=len(names))}."


def derate_rows(shares: Shares, name: Callable[[str], str], most: int) -> pd.DataFrame:
    """One system of each of the first accelerators with its share under each limit, as a range chart draws them.

    Accelerators are as `name` calls them; `part` is the name that the tables have.
    """
    rows = derating.paired(*(rows for _, rows in shares))
    named = {limit.scenario: limit.words for limit, _ in shares}
    rows = rows[rows["accelerator"].isin(rows["accelerator"].unique()[:most])]
    limits = [named[name] for name in rows["scenario"]]
    return renamed(rows.assign(limit=limits, software=software(rows)), name).reset_index(drop=True)


def derate_claim(shown: pd.DataFrame) -> str:
    """What the figure of `derate_rows` shows beyond the answer: who loses least and most under the tighter limit."""
    tight = shown[shown["scenario"].eq(shown["scenario"].iloc[-1] if len(shown) else "")]
    tight = tight if shown["scenario"].nunique() < 2 else _tighter(shown)
    if tight.empty:
        return "No system has both scenarios"
    most, least = (tight.loc[getattr(tight["derate_low"], pick)()] for pick in ("idxmax", "idxmin"))
    share = [f"{interval.number(100 * row['derate_low'], 2)} %" for row in (most, least)]
    where = tight["limit"].iloc[0]
    if len(tight) == 1:
        return f"{most['accelerator']} keeps {share[0]} {where}"
    where = f"{where[:1].upper()}{where[1:]}"
    return f"{where}, {most['accelerator']} keeps {share[0]} and {least['accelerator']} {share[1]}"


def _tighter(shown: pd.DataFrame) -> pd.DataFrame:
    """The rows of the scenario that leaves less on the whole."""
    middle = shown.groupby("scenario")["derate_low"].median()
    return shown[shown["scenario"].eq(middle.idxmin())]


def benchmark_rows(measured: pd.DataFrame, first_benchmark: str, labels: Mapping[str, str], most: int) -> pd.DataFrame:
    """The rows of derating.by_benchmark by labels: `first_benchmark`, then those under most limits, `most` in all."""
    rows = derating.by_benchmark(measured)
    ran = rows.groupby("benchmark")["scenario"].transform("size")
    order = rows.assign(_ran=ran, _most=rows.groupby("benchmark")["systems"].transform("sum"))
    order = order.assign(_first=order["benchmark"].eq(first_benchmark))
    order = order.sort_values(["_first", "_ran", "_most"], ascending=False, kind="stable")
    kept = order[order["benchmark"].isin(order["benchmark"].unique()[:most])]
    place = {name: rank for rank, name in enumerate(kept["benchmark"].unique())}
    kept = kept.sort_values("benchmark", key=lambda names: names.map(place), kind="stable", ignore_index=True)
    return kept.assign(
        label=kept["benchmark"].map(labels), told=[counted(count, "system") for count in kept["systems"]]
    )[["label", "told", *rows]]


def need(planned: Planned) -> Finding:
    """The nodes that users take and what they cost, tenth to ninetieth percentile; why nothing is planned."""
    count, bill, per_user_hour = (planned.likely(name) for name in ("nodes", "usd_per_hour", "usd_per_user_hour"))
    if not count.known:
        long, accelerator = planned.too_long, planned.accelerator
        why = _too_long(long, accelerator, str) if long else why_nothing(planned)
        return nothing("accelerators_needed", NEED, why)
    paid = f"{dollars(bill)} an hour" if bill.known else "at a price that is not known"
    take = "each take" if planned.demand.users > 1 else "takes"
    spare = planned.box.spare_nodes
    beside = f", {spare} of them spare" if spare else ""
    sentence = f"{_users(planned)} {take} {_nodes(planned, count)}{beside}, {paid}."
    values = {"nodes": (count, "nodes, tenth to ninetieth percentile of the draws")}
    if bill.known:
        values |= {
            "usd_per_hour": (bill, "US dollars an hour for whole nodes, tenth to ninetieth percentile of the draws"),
            "usd_per_user_hour": (per_user_hour, "US dollars a user-hour, tenth to ninetieth percentile of the draws"),
        }
    behind, whole = planned.behind, count * planned.node
    notes = of_rows(behind) | planned.notes
    return Finding("accelerators_needed", whole, NEED, sentence, cited(behind), notes, values=values)


def why_nothing(planned: Planned, called: Called = str) -> str:
    """Why a plan has no draws: no run so fast, no run at all, a prompt too long, weights too large, or no known rate.

    What there is instead is named: the fastest run of the accelerator, and the accelerators that are as fast.
    Parameters go by what they are `called`.
    """
    speed, scenario = planned.fastest
    label, wanted = planned.chosen.label, interval.number(planned.demand.tokens_per_second_per_user)
    others = sorted(planned.names.get(name, name) for name in planned.as_fast)
    if planned.too_long:
        why = _too_long(planned.too_long, planned.accelerator, called)
        return f"{why} {_what_helps(planned.too_long, called)}"
    if planned.unproven:
        fast = f"; {listed(others, most=2)} did" if others else ""
        most = f"{interval.number(speed, 2)} at most ({scenario})"
        return f"No official run of {planned.called} gave each user {wanted} tokens/s, {most}{fast}."
    if planned.behind.empty:
        words_on_others = f" {listed(others, most=2)} {'have' if len(others) > 1 else 'has'} one." if others else ""
        return f"The record has no comparable result of {planned.called} on {planned.chosen.topic}.{words_on_others}"
    if planned.held_nowhere == 1:
        return f"{planned.called} has not enough memory for {label}: nothing is planned."
    if planned.held_nowhere:
        often = f"{interval.number(100 * planned.held_nowhere, 2)} % of the draws"
        return f"In {often} no number of {planned.called} holds a request of {label}: none serves nine draws in ten."
    return f"The throughput of each {planned.called} on {planned.chosen.topic} is not known: nothing is planned."


def _too_long(prompt: LongPrompt, accelerator: str, called: Called) -> str:
    read, limit = interval.number(prompt.read_ms), interval.number(prompt.limit_ms)
    return (
        f"Reading a prompt of {prompt.tokens:,.0f} tokens takes {read} ms on {prompt.accelerators:g} {accelerator}, "
        f"no less than the {called('ttft_ms')} of {limit}."
    )


def _what_helps(prompt: LongPrompt, called: Called) -> str:
    return (
        f"That is at {100 * prompt.compute_share:g} % of the dense compute, and more copies of the weights do not "
        f"help: shorten {called('prompt_tokens')}, or give a longer {called('ttft_ms')} or a higher "
        f"{called('prefill_share')}."
    )


def need_without_derate(planned: Planned, without: Planned, assumed: Interval) -> Finding:
    """The need of the same users where the benchmark throughput is reached in full, beside that under the derate."""
    name, finding = "accelerators_needed_if_measured", need(without)
    if finding.value is None:
        return nothing(name, NEED, "Without the assumed derate nothing is planned either.")
    count, bill = without.likely("nodes"), without.likely("usd_per_hour")
    quoted = f"{interval.text(100 * assumed.low, 100 * assumed.high, 2)} %"
    same_nodes = count == planned.likely("nodes")
    paid = f", {dollars(bill)} an hour" if bill.known and not same_nodes else ""
    took = "the number of nodes is the same" if same_nodes else f"it would be {_nodes(without, count)}{paid}"
    headline = f"Without the assumed derate of {quoted} {took}."
    return replace(finding, name=name, headline=headline)


def _users(planned: Planned) -> str:
    users, speed = planned.demand.users, interval.number(planned.demand.tokens_per_second_per_user)
    return f"{users:,} user{'s' * (users > 1)} at {speed} {planned.chosen.unit}"


def _nodes(planned: Planned, count: Interval) -> str:
    """One node of 8 H200 SXM; 70 to 100 nodes of 8; accelerators where a node has one."""
    if planned.node == 1:
        return f"{prose(count)} {planned.called}"
    return f"{_whole_nodes(count)} of {planned.node} {planned.called}"


def _whole_nodes(count: Interval) -> str:
    return "one node" if count == exactly(1.0) else f"{prose(count)} nodes"


def user_counts(users: int) -> list[int]:
    """Numbers of users around those asked for: a tenth, as many, ten and a hundred times."""
    around = (users / 10, users, users * 10, users * 100)
    return [int(count) for count in around if count >= 1 and count == int(count) and count <= MOST_USERS]


def fleet_rows(by_users: pd.DataFrame, planned: Planned) -> pd.DataFrame:
    """The rows of capacity.by_users as a range chart draws them: dollars a user-hour; without a price nodes."""
    name = "usd_per_user_hour" if sizing.priced(planned.draws) else "nodes"
    rows = interval.put(by_users, "value", interval.of(by_users, name))
    label = [counted(count, "user") for count in rows["users"]]
    rows = rows.assign(value_median=by_users[f"{name}_median"], label=label)
    return rows.assign(series="tenth to ninetieth percentile", accelerator=planned.accelerator)


def fleet_axis(planned: Planned) -> str:
    """What the figure of `fleet_rows` counts."""
    return "dollars a user-hour, whole nodes" if sizing.priced(planned.draws) else f"nodes of {planned.node}"


def fleet(by_users: pd.DataFrame, planned: Planned) -> Finding:
    """What a user costs among few and among many; without a price how many nodes they take."""
    name, priced = "cost_of_a_user", sizing.priced(planned.draws)
    unit = "US dollars a user-hour" if priced else "nodes"
    if by_users.empty:
        return nothing(name, unit, "Nothing is planned: what a user costs is not known.")
    column = "usd_per_user_hour" if priced else "nodes"
    fewest, most = by_users.iloc[0], by_users.iloc[-1]
    ends = [span(row, column) for row in (fewest, most)]
    counts = [f"{row['users']:,.0f}" for row in (fewest, most)]
    if priced:
        among_few, among_many = map(dollars, ends)
        sentence = f"A user costs {among_few} an hour among {counts[0]}, {among_many} among {counts[1]}."
    else:
        take = "user takes" if fewest["users"] == 1 else "users take"
        sentence = f"{counts[0]} {take} {_whole_nodes(ends[0])}, {counts[1]} users {_whole_nodes(ends[1])}."
    hull = Interval(min(end.low for end in ends), max(end.high for end in ends))
    return Finding(name, hull, unit, sentence, cited(planned.behind), of_rows(planned.behind))


def kilowatts(planned: Planned) -> Finding:
    """What the nodes of a plan draw at the wall at full load, and what the watts are: metered, or of a stated model."""
    unit = "kilowatts with the overhead of the building, tenth to ninetieth percentile of the draws"
    count, power = planned.likely("nodes"), planned.likely("kilowatts")
    if not power.known:
        return nothing("kilowatts", unit, f"What {planned.called} draws is not known, or nothing is planned.")
    whose, verb = _nodes(planned, count), "draws" if count.high == 1 else "draw"
    predicate = f"{verb} {prose(power)} kW with hosts and building"
    sentence = f"{whose[:1].upper()}{whose[1:]} {predicate}, {planned.drawn.basis}."
    return Finding("kilowatts", power, unit, sentence, notes=planned.power_notes)


def quantities(work: str, planned: Planned) -> dict[str, str]:
    """What each output of a plan is, in words; `work` is what is counted (`token`, `sample`, `query`).

    What a million costs is that of nodes which the users fill in part: with it stands how much of them.
    """
    spare = planned.box.spare_nodes
    used = sizing.filled(planned.draws, planned.node) if planned.serves else interval.UNKNOWN
    filled = f", of whole nodes that users fill {prose(used * 100)} % on average" if used.known else ""
    details = {
        "nodes": f"nodes of {planned.node}" + (f", {spare} of them spare" if spare else ""),
        "usd_per_million_tokens": f"dollars per million {plural(work)}{filled}",
        "kilowatts": "kilowatts of those nodes at full load, with hosts and building",
    }
    return OUTPUTS | details


def plan_rows(planned: Planned) -> pd.DataFrame:
    """P10, P50 and P90 of each quantity of a plan, named in words by `what`."""
    marks = planned.marks
    return marks.assign(what=marks["output"].map(quantities(planned.chosen.work, planned))).dropna(subset="what")


def panels(planned: Planned) -> pd.DataFrame:
    """The draws that a figure shows, named in words: accelerators, and the bill where a price is known.

    None without a P90 of the plan.
    """
    shown = ["accelerators", *(["usd_per_hour"] if sizing.priced(planned.draws) else [])]
    draws = planned.draws if planned.serves else planned.draws.head(0)
    return draws[shown].rename(columns=OUTPUTS)


def decisive(shares: pd.DataFrame) -> Finding:
    """What asks for most accelerators: traffic alone, the queue before them, whole groups, or memory.

    In the other draws no number of accelerators serves.
    """
    unit = "share of the draws in which this cause asks for most accelerators"
    if not shares["share"].any():
        return nothing("decisive_cause", unit, "Nothing is planned: nothing decides the number of accelerators.")
    top = shares.loc[shares["share"].idxmax()]
    share = {row["cause"]: f"{interval.number(100 * row['share'], 2)} %" for _, row in shares.iterrows()}
    sentence = (
        f"Traffic alone decides the number of accelerators in {share['traffic']} of the draws, the queue in front of "
        f"them in {share['queue']}, whole groups that hold the weights in {share['groups']} and memory for requests in "
        f"{share['memory']}"
    )
    unserved = 1 - float(shares["share"].sum())
    sentence += f"; in {interval.number(100 * unserved, 2)} % no number of them serves." if unserved > 1e-9 else "."
    return Finding("decisive_cause", exactly(top["share"]), unit, sentence)


def dominant(planned: Planned) -> Finding:
    """What drives the bill, or without a price the number of nodes; that nothing does where it hardly changes."""
    draws = planned.draws
    target = "bill" if sizing.priced(draws) else "number of nodes"
    unit = f"rank correlation with the {target}, its size"
    settled = sizing.settled(draws)
    if settled == settled:
        return _settled(draws, settled)
    ranked = planned.ranked
    if ranked.empty:
        return nothing("dominant_input", unit, f"Nothing is drawn or no input varies: no input decides the {target}.")
    signed = ranked.set_index("input")["correlation"].sort_values(key=abs, ascending=False)
    sizes = signed.abs()
    leading = sizes[sizes >= (1 - ALIKE) * sizes.max()]
    drivers = listed([INPUTS[name] for name in leading.index], most=len(leading))
    hardly = [INPUTS[name] for name in sizes[sizes < HARDLY].index]
    clause_on_others = (
        f"; {listed(hardly, most=len(hardly))} hardly {'matter' if len(hardly) > 1 else 'matters'}" if hardly else ""
    )
    verb = "drive" if len(leading) > 1 else "drives"
    sentence = f"{drivers} {verb} the {target}{clause_on_others}."
    ends = Interval(float(leading.min()), float(leading.max()))
    return Finding("dominant_input", ends, unit, sentence[:1].upper() + sentence[1:], about=drivers)


def _settled(draws: pd.DataFrame, count: float) -> Finding:
    """That the number of nodes is all but the same, so that at most the price moves the bill."""
    share = float(draws["nodes"].eq(count).mean())
    nodes = f"{count:,.0f} node{'s' * (count != 1)}"
    then = ", so that price alone moves the bill" if draws["price"].nunique() > 1 else ""
    often = "always" if share == 1 else f"in {interval.number(100 * share, 2)} % of the draws"
    sentence = f"Within these ranges the answer is {often} {nodes}{then}."
    return Finding("dominant_input", exactly(share), "share of the draws with the same number of nodes", sentence)


def trust_parts(planned: Planned, label: str) -> list[str]:
    """What the trust line says beside the rows: the benchmark, and which runs are planned with."""
    rounds = listed(sorted(set(planned.behind["round"]) - {""}, key=round_age))
    if not rounds:
        return [label]
    return [label, f"plan on {planned.called} in {rounds}"]
