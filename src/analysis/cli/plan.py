"""`analysis plan`: from users to accelerators, dollars and kilowatts, in lines of text."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from analysis.answers import real_world_derating as answer
from analysis.audit import doubts
from analysis.cli import asking, measure
from analysis.compare import gate
from analysis.compare.gate import Comparison
from analysis.core import parameters
from analysis.core.interval import Interval
from analysis.core.parameters import MyDeployment, RealWorldDerating
from analysis.data.catalog import Catalog
from analysis.show import tables
from analysis.themes import capacity, cost, derating, sizing

EXAMPLE = "doc002"


def run(arguments: argparse.Namespace) -> list[str]:
    """The lines of the plan. Raises ValueError (also of parameters.py) for what cannot be asked, by name."""
    catalog = doubts.catalog()
    asked = _asked(arguments, catalog)
    server = gate.select(catalog, gate.ask(asked))
    chosen, derate, drawn_from = _derate(arguments, catalog, asked, server)
    planned = capacity.make(catalog, asked, chosen, derate, arguments.above_one)
    about = planned.marks, planned.demand, asked.baseline, chosen, planned.notes, planned.impossible
    findings = [
        answer.need(*about),
        answer.decisive(sizing.decided(planned.draws)),
        answer.dominant(planned.ranked, planned.draws),
        answer.interactivity(_guaranteed(catalog, asked), asked),
    ]
    marks = planned.marks.assign(what=planned.marks["output"].map(answer.quantities(chosen.work, planned.metering)))
    columns = {"what": "Quantity", "p10": "P10", "p50": "P50", "p90": "P90"}
    inputs = tables.show(planned.inputs, drawn_from, {"quantity": "Input", "unit": "Unit", "value": "Value"})
    result = tables.show(marks, f"Plan on {asked.baseline}, {chosen.topic}", columns)
    below = [*asking.lines(result), *asking.lines(inputs), *_example(catalog, asked)]
    return [*(finding.said for finding in findings), "", *below]


def _asked(arguments: argparse.Namespace, catalog: Catalog) -> RealWorldDerating:
    values = asking.given(
        arguments, "benchmark", "users", "scenario", "ttft_ms", "tpot_ms", "weight_precision", "cache_precision",
        "wait_percentile", "tokens_per_request", "prompt_tokens", "prefill_share", "rounds", "draws", "seed",
    )  # fmt: skip
    values["tokens_per_second_per_user"] = arguments.tokens_per_user
    values["baseline"] = asking.accelerator_of(arguments.accelerator, catalog)
    values["peak_over_mean"] = asking.numbers("--peak", arguments.peak)
    if arguments.price:
        values["prices"] = [asking.price("--price", arguments.price, catalog, values["baseline"])]
    if arguments.context:
        values["context_tokens"] = asking.numbers("--context", arguments.context)
    return RealWorldDerating(**parameters.validate("real_world_derating", values))


def _derate(
    arguments: argparse.Namespace, catalog: Catalog, asked: RealWorldDerating, server: Comparison
) -> tuple[Comparison, Interval, str]:
    """The rows whose throughput is planned with, the derate of it, and both in words."""
    if arguments.derate == "measured":
        return _measured(catalog, asked, server)
    if Path(arguments.derate).exists():
        return _of_file(arguments, catalog, asked, server)
    derate = asking.share("--derate", arguments.derate)
    if derate.high > 1 and not arguments.above_one:
        raise ValueError(
            f"--derate {arguments.derate} is above 100 %: a production system faster than the benchmark. "
            "Say --above-one if that is meant. Valid: measured, a band such as 60-80, or a measurement file"
        )
    return server, derate, f"Drawn from, on {server.topic} throughput"


def _measured(catalog: Catalog, asked: RealWorldDerating, server: Comparison) -> tuple[Comparison, Interval, str]:
    """Offline throughput and the derate of official pairs, of the accelerator or, without one, of all of them."""
    offline = gate.select(catalog, replace(server.question, scenario="Offline"))
    pairs = gate.official_first(derating.measured(offline.rows, server.rows))
    own = pairs[pairs["accelerator"].eq(asked.baseline)]
    whose = asked.baseline if len(own) else "all accelerators"
    derate = derating.overall(own if len(own) else pairs)
    return (
        offline,
        derate,
        f"Drawn from, on {offline.topic} throughput and the measured {asked.scenario} derate, {whose}",
    )


def _of_file(
    arguments: argparse.Namespace, catalog: Catalog, asked: RealWorldDerating, server: Comparison
) -> tuple[Comparison, Interval, str]:
    """The share of the official throughput that a measured run reached, its best one within the limits."""
    deployed = parameters.validate(
        "my_deployment",
        {"benchmark": asked.benchmark, "accelerator": asked.baseline, "accelerator_count": arguments.count,
         "scenario": asked.scenario, "rounds": list(asked.rounds), "ttft_ms": asked.ttft_ms, "tpot_ms": asked.tpot_ms},
    )  # fmt: skip
    assessed = measure.assess(catalog, [arguments.derate], MyDeployment(**deployed))
    derate = Interval(assessed.best["derate_low"], assessed.best["derate_high"])
    if not derate.known:
        raise ValueError(f"--derate {arguments.derate}: no official row of {asked.baseline} to take its share of")
    return server, derate, f"Drawn from, on {server.topic} throughput and the share of it in {arguments.derate}"


def _guaranteed(catalog: Catalog, asked: RealWorldDerating) -> float | None:
    return cost.guaranteed_speed(catalog.benchmark_limits, asked.benchmark, asked.scenario, asked.rounds)


def _example(catalog: Catalog, asked: RealWorldDerating) -> list[str]:
    """The document's sizing example under its own assumptions, and on official figures beside it."""
    question = gate.Question("llama2-70b", "Offline", rounds=("v4.1",))
    own, record = (
        gate.select(catalog, variant)
        for variant in (question, replace(question, scenario=asked.scenario, origins=("official",)))
    )
    claims, prices = (table[table["source_id"].eq(EXAMPLE)] for table in (catalog.claims, catalog.prices))
    document, paid = own.rows[own.rows["source_id"].eq(EXAMPLE)], cost.price_range(prices, "H100 SXM")
    printed, official = (
        derating.example(claims, cost.throughput(rows, "H100 SXM"), paid) for rows in (document, record.rows)
    )
    columns = {"what": "Quantity", "unit": "Unit", "stated": "Stated", "computed": "On its own figures",
               "official": f"On official {asked.scenario} figures"}  # fmt: skip
    title = "The sizing example of the document, under its own assumptions and on official figures"
    return list(asking.lines(tables.show(answer.both_examples(printed, official), title, columns, digits=None)))
