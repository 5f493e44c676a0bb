"""A capacity plan in sentences and a table: need, power, constraints, cost drivers, or why there is no plan.

Shared by the command line, the report on derating, and the sliders.
"""

from __future__ import annotations

import pandas as pd

from analysis._core import interval
from analysis._core.citation import cited
from analysis._core.findings import Finding, exactly
from analysis._core.notes import of_rows
from analysis._core.number_words import count, percent, range_text, usd
from analysis._core.refusal import Called
from analysis._core.vocabulary import TOKENS
from analysis.methods import memory
from analysis.planner import sizing
from analysis.planner.capacity import Planned
from analysis.planner.choice import CAUSES

LIKELY = "P10 to P90"
QUANTITIES = {
    "accelerators": "accelerators",
    "nodes": "nodes of up to {node}",
    "usd_per_hour": "cost ($/hour)",
    "usd_per_user_hour": "cost ($/user-hour)",
    "usd_per_million_tokens": "cost ($/million {work}s)",
    "kilowatts": "facility power (kW)",
    "headroom": "headroom over peak traffic (%)",
}


def need(planned: Planned) -> Finding:
    """Return the accelerators, their nodes, and their cost."""
    count_of, nodes, bill, per_user, million = (
        planned.likely(name)
        for name in ("accelerators", "nodes", "usd_per_hour", "usd_per_user_hour", "usd_per_million_tokens")
    )
    users, speed = planned.demand.users, planned.demand.tokens_per_second_per_user
    number = count(1, "node") if nodes == exactly(1.0) else f"{range_text(nodes)} nodes"
    if count_of.high < planned.box.node:
        number = "part of a node"
    if planned.box.spare_nodes:
        number = f"{count(planned.box.spare_nodes, 'spare node')}"
    per_million = [f"{usd(million)} per million tokens"] * (planned.chosen.unit == TOKENS)
    cost = ", ".join([f"{usd(bill, 3)}/hour", *per_million]) if bill.known else "price unknown"
    words = f"Serving {count(users, 'user')} at {speed:g} {planned.chosen.unit} takes {range_text(count_of)} "
    words += f"{planned.called} ({number}, {planned.evidence}), {cost}."
    values = {"nodes": (nodes, f"nodes, {LIKELY}")}
    if bill.known:
        values |= {"usd_per_hour": (bill, f"US dollars an hour, {LIKELY}"),
                   "usd_per_user_hour": (per_user, f"US dollars a user-hour, {LIKELY}"),
                   "usd_per_million": (million, f"US dollars per million tokens, {LIKELY}")}  # fmt: skip
    notes = of_rows(planned.behind) | planned.notes
    return Finding("accelerators_needed", count_of, f"accelerators, {LIKELY}",
                   words, cited(planned.behind), notes, values=values)  # fmt: skip


def power(planned: Planned) -> Finding:
    """Return the facility power of the nodes at full load."""
    kilowatts, unit = planned.likely("kilowatts"), f"kilowatts of facility power, {LIKELY}"
    if not kilowatts.known:
        return Finding("kilowatts", None, unit, "Facility power: unknown.")
    words = f"Facility power at full load: {range_text(kilowatts)} kW ({planned.drawn.basis})."
    return Finding("kilowatts", kilowatts, unit, words, notes=planned.power_notes)


def constraint(planned: Planned) -> Finding:
    """Return how often each constraint decides the number of accelerators."""
    shares = sizing.decided(planned.draws).set_index("cause")["share"]
    parts = [f"{CAUSES[cause]} {percent(share)}" for cause, share in shares.items()]
    unserved = 1 - float(shares.sum())
    parts += [f"none serves {percent(unserved)}"] * (unserved > 1e-9)
    words = f"Binding constraint (share of draws): {', '.join(parts)}."
    unit = "share of the draws in which this constraint decides the number of accelerators"
    return Finding("decisive_cause", exactly(float(shares.max())), unit, words, about=CAUSES[shares.idxmax()])


def drivers(planned: Planned) -> Finding:
    """Return what drives the cost, without a price the number of accelerators; or that this number is fixed."""
    draws, target = planned.draws, "cost" if sizing.priced(planned.draws) else "accelerators"
    settled = sizing.settled(draws)
    if settled == settled:
        share = float(draws["accelerators"].eq(settled).mean())
        words = f"Same number of accelerators ({settled:,.0f}) in {percent(share)} of draws."
        return Finding("dominant_input", exactly(share), "share of the draws with the same number", words)
    signed = planned.ranked.set_index("input")["correlation"]
    signed = signed.loc[signed.abs().sort_values(ascending=False).index]
    unit, parts = f"rank correlation with {target}", [f"{name} {value:+.2f}" for name, value in signed.items()]
    value = exactly(float(signed.abs().max())) if len(signed) else None
    words = f"Rank correlation with {target}: {', '.join(parts) or 'no input varies'}."
    return Finding("dominant_input", value, unit, words, about=next(iter(signed.index), ""))


def quantities(planned: Planned) -> pd.DataFrame:
    """Return P10, P50, and P90 of each quantity, named with its unit by `what`."""
    left = sizing.headroom(planned.draws)
    middle = float((1 - planned.draws["for_traffic"] / planned.draws["accelerators"]).median())
    spare = pd.DataFrame([("headroom", 100 * left.low, 100 * middle, 100 * left.high)], columns=planned.marks.columns)
    marks = pd.concat([planned.marks, spare], ignore_index=True)
    names = {name: text.format(node=planned.node, work=planned.chosen.work) for name, text in QUANTITIES.items()}
    return marks.assign(what=marks["output"].map(names)).dropna(subset="what")


def why_nothing(planned: Planned, called: Called = str) -> str:
    """Return why there is no plan, and what to change; parameters go by what they are `called`."""
    prompt, name, topic = planned.too_long, planned.called, planned.chosen.topic
    if prompt:
        return (
            f"prefill of {prompt.tokens:,.0f} tokens takes {interval.number(prompt.read_ms)} ms on "
            f"{prompt.accelerators:g} {name} at {percent(prompt.compute_share)} of dense compute, "
            f"{called('ttft_ms')} is {interval.number(prompt.limit_ms)}: shorten {called('prompt_tokens')}, or raise "
            f"{called('ttft_ms')} or {called('prefill_share')}"
        )
    if planned.too_fast:
        target, unit = planned.demand.tokens_per_second_per_user, planned.chosen.unit
        return (
            f"the memory bandwidth of {name} gives a user {interval.number(planned.roof, 2)} {unit} of "
            f"{planned.chosen.label} at most, {target:g} are asked for. "
            f"Lower {called('tokens_per_second_per_user')} or choose another accelerator"
        )
    if not planned.held_nowhere:
        return (
            f"throughput per accelerator of {name} on {topic} is unknown: no comparable result, and no datasheet "
            "from which to estimate it; choose another accelerator or benchmark"
        )
    return (
        f"in {percent(planned.held_nowhere)} of draws {memory.GROUPS[-1]:,} {name} hold no request of "
        f"{planned.chosen.label} beside its weights. Lower {called('weight_precision')} or "
        f"{called('cache_precision')}, shorten {called('context_tokens')}, or choose another accelerator"
    )
