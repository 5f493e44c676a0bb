"""A capacity plan in sentences and a table: need, power, constraints, cost drivers, or why there is no plan.

Shared by the command line, the report on derating, and the sliders.
"""

from __future__ import annotations

import pandas as pd

from analysis._core import interval
from analysis._core.cell_lists import first_of
from analysis._core.citation import cited
from analysis._core.findings import Finding, exactly
from analysis._core.notes import of_rows
from analysis._core.number_words import count, percent, range_text, usd
from analysis._core.refusal import Called
from analysis.methods import memory
from analysis.planner import sizing
from analysis.planner.capacity import Planned
from analysis.planner.choice import CAUSES

LIKELY = "P10 to P90"
QUANTITIES = {
    "accelerators": "accelerators",
    "nodes": "nodes of {node}",
    "usd_per_hour": "cost ($/hour)",
    "usd_per_user_hour": "cost ($/user-hour)",
    "usd_per_million_tokens": "cost ($/million {work}s)",
    "kilowatts": "facility power (kW)",
}


def need(planned: Planned) -> Finding:
    """Return the nodes and their cost."""
    nodes, bill, per_user = (planned.likely(name) for name in ("nodes", "usd_per_hour", "usd_per_user_hour"))
    users, speed = planned.demand.users, planned.demand.tokens_per_second_per_user
    spare = f" ({planned.box.spare_nodes} spare)" if planned.box.spare_nodes else ""
    number = count(1, "node") if nodes == exactly(1.0) else f"{range_text(nodes)} nodes"
    cost = f"{usd(bill)}/hour" if bill.known else "price unknown"
    demand = f"{count(users, 'concurrent user')} at {speed:g} {planned.chosen.unit}"
    words = f"Serving {demand} takes {number} of {planned.node} {planned.called}{spare}, {cost}."
    values = {"nodes": (nodes, f"nodes, {LIKELY}")}
    if bill.known:
        values |= {"usd_per_hour": (bill, f"US dollars an hour, {LIKELY}"),
                   "usd_per_user_hour": (per_user, f"US dollars a user-hour, {LIKELY}")}  # fmt: skip
    notes = of_rows(planned.behind) | planned.notes
    return Finding("accelerators_needed", nodes * planned.node, f"accelerators in whole nodes, {LIKELY}",
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
    """Return what drives the cost, without a price the number of nodes; or that the number of nodes is fixed."""
    draws, target = planned.draws, "cost" if sizing.priced(planned.draws) else "nodes"
    nodes = sizing.settled(draws)
    if nodes == nodes:
        share = float(draws["nodes"].eq(nodes).mean())
        words = f"Same number of nodes ({nodes:,.0f}) in {percent(share)} of draws."
        return Finding("dominant_input", exactly(share), "share of the draws with the same number of nodes", words)
    signed = planned.ranked.set_index("input")["correlation"]
    signed = signed.loc[signed.abs().sort_values(ascending=False).index]
    unit, parts = f"rank correlation with {target}", [f"{name} {value:+.2f}" for name, value in signed.items()]
    value = exactly(float(signed.abs().max())) if len(signed) else None
    words = f"Rank correlation with {target}: {', '.join(parts) or 'no input varies'}."
    return Finding("dominant_input", value, unit, words, about=next(iter(signed.index), ""))


def quantities(planned: Planned) -> pd.DataFrame:
    """Return P10, P50, and P90 of each quantity, named with its unit by `what`."""
    marks = planned.marks
    names = {name: text.format(node=planned.node, work=planned.chosen.work) for name, text in QUANTITIES.items()}
    return marks.assign(what=marks["output"].map(names)).dropna(subset="what")


def why_nothing(planned: Planned, called: Called = str) -> str:
    """Return why there is no plan, and what to change; parameters go by what they are `called`."""
    prompt, name, topic = planned.too_long, planned.called, planned.chosen.topic
    others = first_of(sorted(planned.names.get(own, own) for own in planned.as_fast), 2) or "none"
    if prompt:
        return (
            f"prefill of {prompt.tokens:,.0f} tokens takes {interval.number(prompt.read_ms)} ms on "
            f"{prompt.accelerators:g} {name} at {percent(prompt.compute_share)} of dense compute, "
            f"{called('ttft_ms')} is {interval.number(prompt.limit_ms)}: shorten {called('prompt_tokens')}, or raise "
            f"{called('ttft_ms')} or {called('prefill_share')}"
        )
    if planned.unproven:
        target, unit = planned.demand.tokens_per_second_per_user, planned.chosen.unit
        highest = f"{interval.number(planned.fastest[0], 2)}, {planned.fastest[1]}"
        return (
            f"no {name} result at {target:g} {unit} per user (highest: {highest}); accelerators with one: {others}. "
            f"Lower {called('tokens_per_second_per_user')} or choose another accelerator"
        )
    if planned.behind.empty:
        return f"no comparable result of {name} on {topic}; accelerators with one: {others}"
    if not planned.held_nowhere:
        return f"throughput per accelerator of {name} on {topic} is unknown"
    return (
        f"in {percent(planned.held_nowhere)} of draws {memory.GROUPS[-1]:,} {name} hold no request of "
        f"{planned.chosen.label} beside its weights. Lower {called('weight_precision')} or "
        f"{called('cache_precision')}, shorten {called('context_tokens')}, or choose another accelerator"
    )
