"""The words of the derating report, from frames of derating.py."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis.answers.words import counted, listed, plural, span
from analysis.compare.gate import Comparison
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval
from analysis.core.notes import NONE, Notes, of_rows
from analysis.core.parameters import RealWorldDerating
from analysis.core.vocabulary import round_age
from analysis.themes import cost, derating, sizing
from analysis.themes.capacity import Planned
from analysis.themes.demand import Demand
from analysis.themes.of_a_kind import AVAILABLE

OUTPUTS = {
    "accelerators": "accelerators",
    "usd_per_hour": "US dollars an hour",
    "usd_per_user_hour": "US dollars a user-hour",
}
ALIKE = 0.1  # inputs whose correlations lie so close below the largest move the bill about equally
EXAMPLE = {
    "accelerators_needed": ("accelerators needed", "accelerators"),
    "bill_per_hour": ("bill", "US dollars an hour"),
    "bill_per_user_hour": ("bill per user", "US dollars a user-hour"),
}
SHARE = "share of the Offline throughput"
NEED = "accelerators, tenth to ninetieth percentile of the draws"


def derate(measured: pd.DataFrame, topic: str) -> Finding:
    """What official systems of the newest round keep of their Offline throughput, of one kind; others are counted.

    `measured` are the rows of derating.measured of one benchmark and scenario.
    """
    every = derating.pooled(measured)
    if every.empty:
        return nothing("measured_derate", SHARE, f"No system has both scenarios of {topic}: no derate is measured.")
    name = max(every["round"], key=round_age)
    ran, rows = measured[measured["round"].eq(name)], every[every["round"].eq(name)]
    kept, least = span(rows, "derate"), rows.loc[rows["derate_low"].idxmin()]
    middle = interval.number(interval.of(rows, "derate").middle.median(), 2)
    scope = f"{len(rows)} of {counted(len(ran), 'system')}{_apart(rows, ran)}"
    sentence = (
        f"On {topic}, systems of {name} keep {kept.text(2)} of their own Offline throughput, half of them {middle} or "
        f"more ({scope}), {least['accelerator']} least"
    )
    return Finding("measured_derate", kept, SHARE, f"{sentence}{_faster(kept)}.", cited(rows), of_rows(rows))


def derate_over_rounds(measured: pd.DataFrame, topic: str) -> Finding:
    """The same of every round asked for."""
    rows = derating.pooled(measured)
    if rows.empty:
        return nothing("derate_over_rounds", SHARE, f"No round has both scenarios of {topic}.")
    kept, rounds = span(rows, "derate"), sorted(rows["round"].unique(), key=round_age)
    when = f"Over {len(rounds)} rounds, {rounds[0]} to {rounds[-1]}," if len(rounds) > 1 else f"In {rounds[0]}"
    scope = f"{len(rows)} of {counted(len(measured), 'system')}{_apart(rows, measured)}"
    sentence = f"{when} systems keep {kept.text(2)} ({scope}){_faster(kept)}."
    return Finding("derate_over_rounds", kept, SHARE, sentence, cited(rows), of_rows(rows))


def _faster(kept: Interval) -> str:
    """What a derate above 1 means, where its digits show one."""
    above = float(interval.number(kept.high, 2)) > 1
    return "; above 1 the run under the latency limit was the faster one" if above else ""


def band(measured: pd.DataFrame, assumed: Interval) -> Finding:
    """How many measured derates lie within the assumed band, below or above it, or reach over an end of it."""
    unit = "measured derates wholly within the assumed band"
    rows = derating.pooled(measured)
    if rows.empty:
        return nothing("derates_in_band", unit, "No pair of scenarios is comparable: no derate is measured.")
    ends = interval.of(rows, "derate")
    inside = int(((ends.low >= assumed.low) & (ends.high <= assumed.high)).sum())
    above, below = int((ends.low > assumed.high).sum()), int((ends.high < assumed.low).sum())
    partly = len(rows) - inside - above - below
    across = f" and {partly} across an end of it" if partly else ""
    scope = [counted(rows[name].nunique(), thing) for name, thing in (("system_key", "system"), ("benchmark",) * 2)]
    sentence = (
        f"Of {len(rows):,} derates measured, of {scope[0]} on {scope[1]}, {inside} lie within the assumed band of "
        f"{assumed.text()}, {above:,} above it{',' if partly else ' and'} {below} below{across}."
    )
    return Finding("derates_in_band", exactly(inside), unit, sentence, cited(rows), of_rows(rows))


def _apart(rows: pd.DataFrame, measured: pd.DataFrame) -> str:
    """The systems that are in no range, by what they are; "" where there are none."""
    others = measured.drop(rows.index)
    alone = int(others["derate_low"].isna().sum())
    kinds = others.loc[others["derate_low"].notna(), "kind"].value_counts()
    told = [f"{count} {name}" for name, count in kinds.items()] + [f"{alone} without an Offline run"] * bool(alone)
    return f"; {listed(told)} apart" if told else ""


def derate_rows(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """The first rows of derating.by_accelerator, each named by its `part` and `told`: its median and its systems."""
    shown = rows.head(most)
    kinds = shown["kind"].where(shown["kind"].ne(AVAILABLE), "")
    part = [f"{name}, {kind}" if kind else name for name, kind in zip(shown["accelerator"], kinds, strict=True)]
    told = [
        counted(count, "system") + f", median {interval.number(middle)}" * (count > 1)
        for middle, count in zip(shown["derate_median"], shown["systems"], strict=True)
    ]
    own = pd.DataFrame({"part": part, "told": told}, index=shown.index, dtype="str")
    return shown.assign(**own)


def need(
    marks: pd.DataFrame,
    demand: Demand,
    accelerator: str,
    chosen: Comparison,
    warned: Notes = NONE,
    impossible: str = "",
) -> Finding:
    """Accelerators from tenth to ninetieth percentile, and what they cost; `warned` are notes of the plan itself.

    `impossible` is why nothing could be planned, where the plan itself says so.
    """
    count, bill, per_user_hour = (marks.set_index("output").loc[name] for name in OUTPUTS)
    if pd.isna(count["p50"]):
        why = f"No comparable throughput of {accelerator} on {chosen.topic}, or not enough memory: nothing is planned."
        return nothing("accelerators_needed", NEED, impossible or why)
    needed = _likely(count)
    dollars = f"at {_likely(bill).text()} US dollars an hour, {_likely(per_user_hour).text()} per user-hour"
    sentence = (
        f"{_users(demand)} {chosen.unit} {'each need' if demand.users > 1 else 'needs'} "
        f"{needed.text()} {accelerator} (P10 to P90; throughput of {cost.scope(chosen.rows, accelerator)}), "
        f"{dollars if pd.notna(bill['p50']) else 'at a price that is not known'}."
    )
    own = cost.behind(chosen.rows, accelerator)
    money = {name: (_likely(marks), f"{OUTPUTS[name]}, tenth to ninetieth percentile of the draws")
             for name, marks in (("usd_per_hour", bill), ("usd_per_user_hour", per_user_hour))}  # fmt: skip
    known = money if pd.notna(bill["p50"]) else {}
    return Finding("accelerators_needed", needed, NEED, sentence, cited(own), of_rows(own) | warned, values=known)


def _users(demand: Demand) -> str:
    users = f"{demand.users:,} user{'s' * (demand.users > 1)}"
    return f"{users} at {interval.number(demand.tokens_per_second_per_user)}"


def _likely(marks: pd.Series) -> Interval:
    """From the tenth to the ninetieth percentile of one output."""
    return Interval(marks["p10"], marks["p90"])


def kilowatts(planned: Planned) -> Finding:
    """What a plan draws: its watts and the throughput that they were measured at are of one power submission."""
    unit = "kilowatts with the overhead of the building, tenth to ninetieth percentile of the draws"
    count, drawn = (_likely(planned.marks.set_index("output").loc[name]) for name in ("metered", "kilowatts"))
    if not drawn.known:
        return nothing("kilowatts", unit, f"What {planned.accelerator} draws is not known, or nothing is planned.")
    whose = f"{count.text()} {planned.accelerator}"
    if planned.metered:
        told = f"{whose} at the throughput that they had while power was metered draw {drawn.text()} kW"
        sentence = f"For the same users, {told} with the overhead of the building, {planned.metering}."
    else:
        sentence = f"{whose} draw at most {drawn.text()} kW with the overhead of the building."
    return Finding("kilowatts", drawn, unit, sentence, notes=planned.power_notes)


def quantities(work: str, planned: Planned) -> dict[str, str]:
    """What each output of a plan is, in words; `work` is what is counted (`token`, `sample`, `query`)."""
    more = {"usd_per_million_tokens": f"US dollars per million {plural(work)}", "systems": "systems of eight"}
    more["usd_per_hour_whole_systems"] = "US dollars an hour, rented in whole systems"
    if planned.metered:
        more["metered"] = "accelerators at the throughput that they had while power was metered"
        more["kilowatts"] = "kilowatts of those, with the overhead of the building"
    else:
        more["kilowatts"] = "kilowatts at most, of the accelerators alone, with the overhead of the building"
    return OUTPUTS | more


def plan_rows(planned: Planned, work: str) -> pd.DataFrame:
    """P10, P50 and P90 of each quantity of a plan, named in words by `what`."""
    marks = planned.marks
    return marks.assign(what=marks["output"].map(quantities(work, planned))).dropna(subset="what")


def outcome(draws: pd.DataFrame) -> str:
    """What an input can decide: the bill, or without a price the number of accelerators."""
    return "bill" if sizing.priced(draws) else "number of accelerators"


def panels(draws: pd.DataFrame) -> pd.DataFrame:
    """The draws that a figure shows, named in words: accelerators, and the bill where it is more than a multiple."""
    shown = ["accelerators", *(["usd_per_hour"] if draws["price"].nunique() > 1 else [])]
    return draws[shown].rename(columns=OUTPUTS)


def decisive(shares: pd.DataFrame) -> Finding:
    """What asks for most accelerators: traffic alone, the queue in front of them, or memory."""
    unit = "share of the draws in which this cause asks for most accelerators"
    if not shares["share"].any():
        return nothing("decisive_cause", unit, "Nothing is planned: nothing decides the number of accelerators.")
    top = shares.loc[shares["share"].idxmax()]
    share = {row["cause"]: f"{interval.number(100 * row['share'])} %" for _, row in shares.iterrows()}
    sentence = (
        f"Traffic alone asks for as many accelerators as are planned in {share['traffic']} of the draws; the queue in "
        f"front of them asks for more in {share['queue']} and memory in {share['memory']}."
    )
    return Finding("decisive_cause", exactly(top["share"]), unit, sentence)


def dominant(ranked: pd.DataFrame, draws: pd.DataFrame) -> Finding:
    """Which inputs move the bill, or the number where no price is known; that none does where it hardly changes."""
    what = outcome(draws)
    unit = f"rank correlation with the {what}, its size"
    settled = sizing.settled(draws)
    if settled == settled:
        return _settled(draws, settled)
    if ranked.empty:
        return nothing("dominant_input", unit, f"Nothing is drawn or no input varies: no input decides the {what}.")
    leading = _leading(ranked)
    ends = Interval(leading.abs().min(), leading.abs().max())
    if len(leading) == 1:
        (name,), (number,) = leading.index, leading
        sentence = f"What moves the {what} most is the {name}, with a rank correlation of {interval.number(number, 2)}."
        return Finding("dominant_input", ends, unit, sentence, about=str(name))
    together = listed(leading.index, most=len(leading))
    ways = "" if leading.gt(0).all() or leading.lt(0).all() else " in size"
    alike = f"rank correlations of {ends.text(2)}{ways}"
    sentence = f"{together} move the {what} about equally: {alike}."
    return Finding("dominant_input", ends, unit, sentence[:1].upper() + sentence[1:], about=together)


def _settled(draws: pd.DataFrame, count: float) -> Finding:
    """That the number of accelerators is all but the same, so that at most the price moves the bill."""
    share = float(draws["accelerators"].eq(count).mean())
    often = f"{count:,.0f} in {interval.number(100 * share)} % of the draws"
    then = ", so that the price alone moves the bill" if draws["price"].nunique() > 1 else ""
    change = "hardly anything changes" if share < 1 else "nothing changes"
    sentence = f"Within these ranges {change} the number of accelerators: {often}{then}."
    return Finding(
        "dominant_input", exactly(share), "share of the draws with the same number of accelerators", sentence
    )


def _leading(ranked: pd.DataFrame) -> pd.Series:
    """The correlations, by input, of those that move most: the largest in size and all close to it, largest first."""
    signed = ranked.set_index("input")["correlation"].sort_values(key=abs, ascending=False)
    return signed[signed.abs() >= (1 - ALIKE) * signed.abs().max()]


def example(cases: pd.DataFrame) -> Finding:
    """Whether the document's own sizing example follows from its own figures."""
    unit = "figures of the document's example that follow from its own inputs"
    if cases.empty:
        return nothing("document_example", unit, "The document's sizing example is not among the claims.")
    holds = int(cases["holds"].sum())
    computed = [span(row, "computed").text(None) for _, row in cases.iterrows()]
    words = [f"{number} {EXAMPLE[quantity][1]}" for number, quantity in zip(computed, cases["quantity"], strict=True)]
    sentence = f"The document's example follows from its own figures in {holds} of {len(cases)} cases: {listed(words)}."
    return Finding("document_example", exactly(holds), unit, sentence, cited(cases))


def interactivity(guaranteed: float | None, asked: RealWorldDerating) -> Finding:
    """Whether the scenario's latency limit stands for the speed that users are to see."""
    unit = "tokens per second per user that the scenario's limit on time per output token guarantees"
    if guaranteed is None:
        return nothing("guaranteed_speed", unit, f"No limit on time per output token is known for {asked.scenario}.")
    wanted = asked.tokens_per_second_per_user
    verdict = "no less than" if guaranteed >= wanted else "less than"
    sentence = (
        f"The {asked.scenario} throughput was reached while users saw {interval.number(guaranteed)} tokens/s or more "
        f"at the 99th percentile, {verdict} the {interval.number(wanted)} asked for here."
    )
    return Finding("guaranteed_speed", exactly(guaranteed), unit, sentence)


def need_if_measured(needed: Finding, measured: pd.DataFrame) -> Finding:
    """The need under the derate of some rows of derating.measured in place of the assumed band."""
    name = "accelerators_needed_if_measured"
    if needed.value is None:
        return replace(needed, name=name)
    kept = derating.overall(measured).text(2)
    headline = f"With the measured derate of {kept} ({derate_of(measured)}) in its place: {needed.headline}"
    return replace(needed, name=name, headline=headline)


def derate_of(measured: pd.DataFrame) -> str:
    """What the derate of some rows of derating.measured is a range of."""
    names, rounds = measured["accelerator"].unique(), measured["round"].unique()
    return f"{counted(len(measured), 'system')}, {listed(names)}, {listed(rounds)}"


def both_examples(own: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """The example on the document's own figures and on official ones, a row per quantity, named in words."""
    ends = {"computed_low": "official_low", "computed_high": "official_high"}
    both = own.merge(official.rename(columns=ends)[["quantity", *ends.values()]], on="quantity", how="left")
    words = pd.DataFrame([EXAMPLE[name] for name in both["quantity"]], columns=["quantity", "unit"], dtype="str")
    return both.assign(what=words["quantity"], unit=words["unit"])
