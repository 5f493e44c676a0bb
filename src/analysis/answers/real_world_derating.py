"""The words of the derating report, from frames of derating.py; making numbers does not belong here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from analysis import cost, interval
from analysis.answers.words import listed, plural, ranged, span
from analysis.caveats import told
from analysis.comparable import Comparison
from analysis.derating import Demand
from analysis.findings import Finding, nothing
from analysis.interval import Interval
from analysis.parameters import RealWorldDerating
from analysis.sources import cited

OUTPUTS = {
    "accelerators": "accelerators",
    "usd_per_hour": "US dollars an hour",
    "usd_per_user_hour": "US dollars a user-hour",
}
EXAMPLE = {
    "accelerators_needed": ("accelerators needed", "accelerators"),
    "bill_per_hour": ("bill", "US dollars an hour"),
    "bill_per_user_hour": ("bill per user", "US dollars a user-hour"),
}
SHARE = "share of the Offline throughput"
NEED = "accelerators, tenth to ninetieth percentile of the draws"


def derate(measured: pd.DataFrame, topic: str) -> Finding:
    """The measured derate of the chosen benchmark over all accelerators."""
    if measured.empty:
        return nothing("measured_derate", SHARE, f"No system has both scenarios of {topic}: no derate is measured.")
    low, high = span(measured, "derate")
    least = measured.loc[measured["derate_low"].idxmin(), "accelerator"]
    sentence = f"On {topic}, systems keep {interval.text(low, high)} of their Offline throughput, {least} least."
    return Finding("measured_derate", low, high, SHARE, sentence, cited(measured), told(measured))


def band(measured: pd.DataFrame, assumed: Interval) -> Finding:
    """How many measured derates lie within the assumed band, below or above it."""
    unit = "measured derates wholly within the assumed band"
    if measured.empty:
        return nothing("derates_in_band", unit, "No pair of scenarios is comparable: no derate is measured.")
    ends = interval.of(measured, "derate")
    inside = int(((ends.low >= assumed.low) & (ends.high <= assumed.high)).sum())
    above, below = int((ends.low > assumed.high).sum()), int((ends.high < assumed.low).sum())
    sentence = (
        f"Of {len(measured)} derates measured over all benchmarks, {inside} lie within the assumed band of "
        f"{interval.text(assumed.low, assumed.high)}, {above} wholly above it and {below} wholly below."
    )
    return Finding("derates_in_band", inside, inside, unit, sentence, cited(measured), told(measured))


def need(
    marks: pd.DataFrame,
    demand: Demand,
    accelerator: str,
    chosen: Comparison,
    warned: Sequence[str] = (),
    impossible: str = "",
) -> Finding:
    """Accelerators from tenth to ninetieth percentile, and what they cost; `warned` are caveats of the plan itself.

    `impossible` is why nothing could be planned, where the plan itself says so.
    """
    count, bill, each = (marks.set_index("output").loc[name] for name in OUTPUTS)
    if pd.isna(count["p50"]):
        why = f"No comparable throughput of {accelerator} on {chosen.topic}, or not enough memory: nothing is planned."
        return nothing("accelerators_needed", NEED, impossible or why)
    dollars = (
        f"at {interval.text(bill['p10'], bill['p90'])} US dollars an hour, "
        f"{interval.text(each['p10'], each['p90'])} per user-hour"
    )
    sentence = (
        f"{demand.users:,} users at {interval.number(demand.tokens_per_second_per_user)} {chosen.unit} each need "
        f"{interval.text(count['p10'], count['p90'])} {accelerator} (P10 to P90), "
        f"{dollars if pd.notna(bill['p50']) else 'at a price that is not known'}."
    )
    own = cost.behind(chosen.rows, accelerator)
    warned = [*told(own), *warned]
    return Finding("accelerators_needed", count["p10"], count["p90"], NEED, sentence, cited(own), warned)


def quantities(work: str) -> dict[str, str]:
    """What each output of a plan is, in words; `work` is what is counted (`token`, `sample`, `query`)."""
    more = {"usd_per_million_tokens": f"US dollars per million {plural(work)}", "systems": "systems of eight"}
    more["usd_per_hour_whole_systems"] = "US dollars an hour, rented in whole systems"
    return OUTPUTS | more | {"kilowatts": "kilowatts, with the overhead of the building"}


def outcome(priced: bool) -> str:
    """What an input can decide: the bill, or without a price the number of accelerators."""
    return "bill" if priced else "number of accelerators"


def decisive(shares: pd.DataFrame) -> Finding:
    """What asks for most accelerators: traffic alone, the queue in front of them, or memory."""
    unit = "share of the draws in which this cause asks for most accelerators"
    if not shares["share"].any():
        return nothing("decisive_cause", unit, "Nothing is planned: nothing decides the number of accelerators.")
    top = shares.loc[shares["share"].idxmax()]
    words = [f"{row['cause']} in {interval.number(100 * row['share'], 2)} %" for _, row in shares.iterrows()]
    sentence = f"What decides the number of accelerators is {top['cause']}: {listed(words)} of the draws."
    return Finding("decisive_cause", top["share"], top["share"], unit, sentence)


def dominant(ranked: pd.DataFrame, what: str = "bill") -> Finding:
    """Which input decides `what`."""
    unit = "share of the sum of squared rank correlations"
    if ranked.empty:
        return nothing("dominant_input", unit, f"Nothing is drawn or no input varies: no input decides the {what}.")
    top = ranked.loc[ranked["share"].idxmax()]
    share = interval.number(100 * top["share"], 2)
    sentence = f"What moves the {what} most is the {top['input']}, with {share} % of what all inputs move together."
    return Finding("dominant_input", top["share"], top["share"], unit, sentence)


def example(said: pd.DataFrame) -> Finding:
    """Whether the document's own sizing example follows from its own figures."""
    unit = "figures of the document's example that follow from its own inputs"
    if said.empty:
        return nothing("document_example", unit, "The document's sizing example is not among the claims.")
    holds = int(said["holds"].sum())
    words = [f"{EXAMPLE[row['quantity']][0]} {ranged(row, 'computed')}" for _, row in said.iterrows()]
    sentence = f"The document's example follows from its own figures in {holds} of {len(said)} cases: {listed(words)}."
    return Finding("document_example", holds, holds, unit, sentence, cited(said))


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
    return Finding("guaranteed_speed", guaranteed, guaranteed, unit, sentence)


def other_choice(found: Finding, derate: Interval) -> Finding:
    """The need under the measured derate in place of the assumed band."""
    name = "accelerators_needed_if_measured"
    if found.low is None:
        return replace(found, name=name)
    said = f"With the measured derate of {interval.text(derate.low, derate.high)} in its place: {found.sentence}"
    return replace(found, name=name, sentence=said)


def both_examples(own: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """The example on the document's own figures and on official ones, a row per quantity, named in words."""
    ends = {"computed_low": "official_low", "computed_high": "official_high"}
    both = own.merge(official.rename(columns=ends)[["quantity", *ends.values()]], on="quantity", how="left")
    words = pd.DataFrame([EXAMPLE[name] for name in both["quantity"]], columns=["quantity", "unit"], dtype="str")
    return both.assign(what=words["quantity"], unit=words["unit"])
