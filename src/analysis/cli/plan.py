"""`analysis plan`: nodes, cost, and facility power that users need on one accelerator, as text or JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.audit import doubts
from analysis.cli import asking, measure
from analysis.core import interval, parameters
from analysis.core import notes as wording
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly
from analysis.core.lists import first_of
from analysis.core.notes import of_rows
from analysis.core.parameters import MyDeployment, RealWorldDerating
from analysis.core.plain import as_json
from analysis.core.vocabulary import MS_PER_SECOND
from analysis.data.catalog import Catalog
from analysis.report import count, percent, range_text, usd
from analysis.show import tables
from analysis.themes.hardware import memory, roofline
from analysis.themes.plans import capacity, sizing
from analysis.themes.plans.capacity import Planned
from analysis.themes.plans.choice import CAUSES
from analysis.themes.plans.proof import Throughput

MEASURED = "measured"
DERATE_ALSO = ", or a measurement FILE that is there; more than 100 % with --above-one"
LIKELY = "P10 to P90"
QUANTITIES = {
    "accelerators": "accelerators",
    "nodes": "nodes of {node}",
    "usd_per_hour": "cost ($/hour)",
    "usd_per_user_hour": "cost ($/user-hour)",
    "usd_per_million_tokens": "cost ($/million {work}s)",
    "kilowatts": "facility power (kW)",
}


@asking.in_options()
def run(arguments: argparse.Namespace) -> list[str]:
    """Return the lines of the plan: the answer, tables, caveats; or one line of JSON.

    Raises asking.Nothing without an answer, ValueError (also of parameters.py) for invalid options.
    """
    catalog = doubts.catalog()
    asked = _asked(arguments, catalog)
    planned = capacity.make(catalog, asked, **_rested(arguments, catalog, asked))
    if not planned.serves:
        raise asking.Nothing(_why_nothing(catalog, asked, planned))
    findings, rows = [_need(planned), _power(planned), _constraint(planned), _drivers(planned)], _quantities(planned)
    if arguments.format == "json":
        return [_json(asked, findings, rows, planned)]
    marks = {"what": "Quantity", "p10": "P10", "p50": "P50", "p90": "P90"}
    drawn = {"quantity": "Input", "unit": "Unit", "value": "Value", "range_of": "Basis"}
    result = tables.show(rows, f"Plan on {asked.baseline}, {planned.chosen.topic}", marks)
    inputs = tables.show(planned.inputs, "Inputs", drawn)
    need, power, *more = (found.headline for found in findings)
    caveats = wording.texts(of_rows(planned.behind) | planned.notes | planned.power_notes)
    return [need, power, "", *asking.lines(result), *more, "", *asking.lines(inputs), *caveats]


def _need(planned: Planned) -> Finding:
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


def _power(planned: Planned) -> Finding:
    """Return the facility power of the nodes at full load."""
    power, unit = planned.likely("kilowatts"), f"kilowatts of facility power, {LIKELY}"
    if not power.known:
        return Finding("kilowatts", None, unit, "Facility power: unknown.")
    words = f"Facility power at full load: {range_text(power)} kW ({planned.drawn.basis})."
    return Finding("kilowatts", power, unit, words, notes=planned.power_notes)


def _constraint(planned: Planned) -> Finding:
    """Return how often each constraint decides the number of accelerators."""
    shares = sizing.decided(planned.draws).set_index("cause")["share"]
    parts = [f"{CAUSES[cause]} {percent(share)}" for cause, share in shares.items()]
    unserved = 1 - float(shares.sum())
    parts += [f"none serves {percent(unserved)}"] * (unserved > 1e-9)
    words = f"Binding constraint (share of draws): {', '.join(parts)}."
    unit = "share of the draws in which this constraint decides the number of accelerators"
    return Finding("decisive_cause", exactly(float(shares.max())), unit, words, about=CAUSES[shares.idxmax()])


def _drivers(planned: Planned) -> Finding:
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


def _quantities(planned: Planned) -> pd.DataFrame:
    """Return P10, P50, and P90 of each quantity, named with its unit by `what`."""
    marks = planned.marks
    names = {name: text.format(node=planned.node, work=planned.chosen.work) for name, text in QUANTITIES.items()}
    return marks.assign(what=marks["output"].map(names)).dropna(subset="what")


def _json(asked: RealWorldDerating, findings: list[Finding], marks: pd.DataFrame, planned: Planned) -> str:
    """Return the plan as JSON: parameters, findings, quantities, and inputs with their ranges."""
    plan = {
        "parameters": asked.model_dump(),
        "findings": [finding.record() for finding in findings],
        "quantities": as_json(marks[["output", "what", "p10", "p50", "p90"]]),
        "inputs": as_json(planned.inputs),
    }
    return json.dumps(plan, indent=2, ensure_ascii=False, allow_nan=False)


def _why_nothing(catalog: Catalog, asked: RealWorldDerating, planned: Planned) -> str:
    """Return why there is no plan, and what to change."""
    prompt, name, topic = planned.too_long, planned.called, planned.chosen.topic
    others = first_of(sorted(planned.names.get(own, own) for own in planned.as_fast), 2) or "none"
    if prompt:
        return (
            f"prefill of {prompt.tokens:,.0f} tokens takes {interval.number(prompt.read_ms)} ms on "
            f"{prompt.accelerators:g} {planned.accelerator} at {percent(prompt.compute_share)} of dense compute, "
            f"--ttft-ms is {interval.number(prompt.limit_ms)}: shorten --prompt-tokens, or raise --ttft-ms or "
            "--prefill-share"
        )
    if planned.unproven:
        target, unit = planned.demand.tokens_per_second_per_user, planned.chosen.unit
        highest = f"{interval.number(planned.fastest[0], 2)}, {planned.fastest[1]}"
        return (
            f"no {name} result at {target:g} {unit} per user (highest: {highest}); accelerators with one: {others}. "
            "Lower --tokens-per-user or choose another --accelerator"
        )
    if planned.behind.empty:
        return f"no comparable result of {name} on {topic}; accelerators with one: {others}"
    if not planned.held_nowhere:
        return f"throughput per accelerator of {name} on {topic} is unknown"
    facts = catalog.accelerators.set_index("accelerator").loc[asked.baseline]
    identity = catalog.benchmarks.set_index("benchmark").loc[asked.benchmark]
    weights = roofline.weight_gb(float(identity["parameters_billion"]), asked.weight_precision)
    return (
        f"weights of {planned.chosen.label} at {asked.weight_precision} take {weights:g} GB; in "
        f"{percent(planned.held_nowhere)} of draws {memory.GROUPS[-1]:,} {asked.baseline} of "
        f"{facts['memory_gb']:g} GB ({100 * asked.memory_headroom:g}% free) hold no request of "
        f"{asked.context_tokens[1]:,.0f} tokens beside them. Lower --precision or --cache-precision, shorten "
        "--context, or choose another --accelerator"
    )


def _asked(arguments: argparse.Namespace, catalog: Catalog) -> RealWorldDerating:
    values = asking.given(
        arguments, "benchmark", "users", "scenario", "cost_model", "ttft_ms", "tpot_ms", "weight_precision",
        "cache_precision", "wait_percentile", "tokens_per_request", "prompt_tokens", "prefill_share", "spare_nodes",
        "rounds", "draws", "seed",
    )  # fmt: skip
    asking.with_results(arguments.rounds, catalog)
    values["tokens_per_second_per_user"] = arguments.tokens_per_user
    values["baseline"] = asking.accelerator_of("--accelerator", arguments.accelerator, catalog)
    if arguments.peak:
        values["peak_over_mean"] = asking.numbers("--peak", arguments.peak)
    if arguments.price:
        values["prices"] = [asking.price("--price", arguments.price, catalog, values["baseline"])]
    if arguments.wall_over_limit:
        values["wall_over_limit"] = asking.numbers("--wall-over-limit", arguments.wall_over_limit)
    if arguments.context:
        values["context_tokens"] = asking.numbers("--context", arguments.context)
    return RealWorldDerating(**parameters.validate("real_world_derating", values))


def _there(name: str) -> bool:
    """Return whether there is a file of this name."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def _rested(arguments: argparse.Namespace, catalog: Catalog, asked: RealWorldDerating) -> dict[str, Any]:
    """Return the derate of official throughput, or the throughput of a run of one's own.

    Throughput is measured under the latency limit: `measured` takes nothing off, `measured x 60-80` is 60-80.
    """
    whole = {"derate": exactly(1.0), "derate_of": capacity.MEASURED}
    if not asking.measured(arguments.derate) and _there(arguments.derate):
        return whole | {"own": _of_file(arguments, catalog, asked)}
    if arguments.count:
        raise ValueError(f"--count {arguments.count} needs a FILE of a run as --derate")
    derate = asking.derate(arguments.derate, DERATE_ALSO, arguments.above_one)
    if arguments.derate.strip() == MEASURED:
        return whole
    return {"derate": derate, "above_one": arguments.above_one}


def _of_file(arguments: argparse.Namespace, catalog: Catalog, asked: RealWorldDerating) -> Throughput:
    """Return the throughput of the best measured run at the interactivity asked for. Raises ValueError without one."""
    tpot = min(asked.tpot_ms, MS_PER_SECOND / asked.tokens_per_second_per_user)
    deployed = parameters.validate(
        "my_deployment",
        {"benchmark": asked.benchmark, "accelerator": asked.baseline, "accelerator_count": arguments.count,
         "scenario": asked.scenario, "rounds": list(asked.rounds), "ttft_ms": asked.ttft_ms, "tpot_ms": tpot},
    )  # fmt: skip
    best = measure.assess(catalog, [arguments.derate], MyDeployment(**deployed)).best
    if not best["tpot_p99_ms"] <= tpot:
        raise ValueError(
            f"--tokens-per-user {asked.tokens_per_second_per_user:g}: {arguments.derate} holds no run within "
            f"--ttft-ms whose time per output token is at most {interval.number(tpot)} ms at the 99th percentile"
        )
    rate = interval.of(best, "per_accelerator")
    return Throughput(rate, f"the run in {arguments.derate}")
