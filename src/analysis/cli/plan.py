"""`analysis plan`: from users to accelerators, dollars and kilowatts, in lines of text."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis.answers import real_world_derating as answer
from analysis.audit import doubts
from analysis.cli import asking, measure
from analysis.compare import gate
from analysis.compare.gate import Comparison
from analysis.core import interval, parameters
from analysis.core.findings import Finding
from analysis.core.interval import Interval
from analysis.core.parameters import MyDeployment, RealWorldDerating
from analysis.data.catalog import Catalog
from analysis.show import tables
from analysis.themes import capacity, cost, derating, memory, roofline, serving, sizing
from analysis.themes.capacity import Planned

EXAMPLE = "doc002"


class NothingPlanned(Exception):
    """There is no plan; the text says why, and what there is."""


def run(arguments: argparse.Namespace) -> list[str]:
    """The lines of the plan, or one of JSON.

    Raises NothingPlanned, and ValueError (also of parameters.py) for what cannot be asked, by name.
    """
    catalog = doubts.catalog()
    asked = _asked(arguments, catalog)
    server = gate.select(catalog, gate.ask(asked))
    chosen, derate, derate_of = _derate(arguments, catalog, asked, server)
    planned = capacity.make(catalog, asked, chosen, derate, arguments.above_one, derate_of)
    if pd.isna(planned.marks.set_index("output").at["accelerators", "p50"]):
        raise NothingPlanned(f"nothing is planned. {_why_nothing(catalog, asked, chosen, planned)}")
    about = planned.marks, planned.demand, asked.baseline, chosen, planned.notes, planned.impossible
    findings = [
        answer.need(*about),
        answer.decisive(sizing.decided(planned.draws)),
        answer.dominant(planned.ranked, planned.draws),
        answer.interactivity(_guaranteed(catalog, asked), asked),
        answer.kilowatts(planned),
    ]
    if arguments.format == "json":
        return [_json(asked, findings, answer.plan_rows(planned, chosen.work), planned)]
    columns = {"what": "Quantity", "p10": "P10", "p50": "P50", "p90": "P90"}
    drawn = {"quantity": "Input", "unit": "Unit", "value": "Value", "range_of": "Range of"}
    inputs = tables.show(planned.inputs, f"Drawn from, on {chosen.topic} throughput", drawn)
    result = tables.show(answer.plan_rows(planned, chosen.work), f"Plan on {asked.baseline}, {chosen.topic}", columns)
    below = [*asking.lines(result), *asking.lines(inputs), *_example(catalog, asked)]
    return [*(finding.said for finding in findings), "", *below]


def _json(asked: RealWorldDerating, findings: list[Finding], marks: pd.DataFrame, planned: Planned) -> str:
    """The plan as data: what was asked, findings as reports record them, quantities and inputs with their ranges."""
    plan = {
        "parameters": asked.model_dump(),
        "findings": [finding.record() for finding in findings],
        "quantities": _records(marks[["output", "what", "p10", "p50", "p90"]]),
        "inputs": _records(planned.inputs),
    }
    return json.dumps(plan, indent=2, ensure_ascii=False, allow_nan=False)


def _records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """The rows of a frame, null where a number is not known."""
    return frame.astype("object").where(frame.notna(), None).to_dict("records")


def _why_nothing(catalog: Catalog, asked: RealWorldDerating, chosen: Comparison, planned: Planned) -> str:
    """Why there are no draws: the prompt, no throughput, or weights that do not fit; and what there is."""
    if planned.impossible:
        return planned.impossible
    label = catalog.label(asked.benchmark)
    if not cost.throughput(chosen.rows, asked.baseline).known:
        return _no_throughput(catalog, asked, chosen)
    facts = catalog.accelerators.set_index("accelerator").loc[asked.baseline]
    identity = catalog.benchmarks.set_index("benchmark").loc[asked.benchmark]
    weights = roofline.weight_gb(float(identity["parameters_billion"]), asked.weight_precision)
    return (
        f"{label} at {asked.weight_precision} takes {weights:g} GB for its weights alone: {memory.GROUPS[-1]:,} "
        f"{asked.baseline} of {facts['memory_gb']:g} GB, {100 * asked.memory_headroom:g} % kept free, hold no request "
        f"of {asked.context_tokens[1]:,.0f} tokens beside them. A lower --precision or --cache-precision, a shorter "
        "--context or another --accelerator needs less."
    )


def _no_throughput(catalog: Catalog, asked: RealWorldDerating, chosen: Comparison) -> str:
    """That the accelerator has no comparable throughput, which others have one, and what there is of this one."""
    others = ", ".join(sorted(set(chosen.rows["accelerator"]))) or "none"
    own = catalog.results
    own = own[own["benchmark"].eq(asked.benchmark) & own["accelerator"].eq(asked.baseline)]
    there = sorted(set(own["scenario"] + " " + own["round"].mask(own["round"].eq(""), own["source"])))
    return (
        f"No comparable throughput of {asked.baseline} on {chosen.topic} in {', '.join(asked.rounds) or 'any round'}. "
        f"Accelerators that have one: {others}. Rows of {asked.baseline} on {catalog.label(asked.benchmark)}: "
        f"{', '.join(there) or 'none'}."
    )


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
    asked = RealWorldDerating(**parameters.validate("real_world_derating", values, asking.option))
    _check_speed(arguments, catalog, asked)
    return asked


def _check_speed(arguments: argparse.Namespace, catalog: Catalog, asked: RealWorldDerating) -> None:
    """Raise ValueError for a speed that no official run gave its users; a run of the user's own may be faster."""
    fastest = serving.fastest(catalog.results, asked.benchmark)
    if asked.tokens_per_second_per_user > fastest and not Path(arguments.derate).exists():
        raise ValueError(
            f"--tokens-per-user {asked.tokens_per_second_per_user:g}: no official run of "
            f"{catalog.label(asked.benchmark)} gave its median user more than {interval.number(fastest)} tokens/s. "
            "Valid: at most that, or a measured run that is faster as --derate FILE"
        )


def _derate(
    arguments: argparse.Namespace, catalog: Catalog, asked: RealWorldDerating, server: Comparison
) -> tuple[Comparison, Interval, str]:
    """The rows whose throughput is planned with, the derate of it, and what that is a range of."""
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
    return server, derate, capacity.ASSUMED


def _measured(catalog: Catalog, asked: RealWorldDerating, server: Comparison) -> tuple[Comparison, Interval, str]:
    """Offline throughput and the derate of official systems, of the accelerator or, without one, of all of them."""
    offline = gate.select(catalog, replace(server.question, scenario="Offline"))
    own = derating.of_accelerator(derating.measured(offline.rows, server.rows), asked.baseline)
    return offline, derating.overall(own), answer.derate_of(own)


def _of_file(
    arguments: argparse.Namespace, catalog: Catalog, asked: RealWorldDerating, server: Comparison
) -> tuple[Comparison, Interval, str]:
    """The share of the official throughput that a measured run reached, its best one within the limits."""
    deployed = parameters.validate(
        "my_deployment",
        {"benchmark": asked.benchmark, "accelerator": asked.baseline, "accelerator_count": arguments.count,
         "scenario": asked.scenario, "rounds": list(asked.rounds), "ttft_ms": asked.ttft_ms, "tpot_ms": asked.tpot_ms},
        asking.option,
    )  # fmt: skip
    assessed = measure.assess(catalog, [arguments.derate], MyDeployment(**deployed))
    derate = Interval(assessed.best["derate_low"], assessed.best["derate_high"])
    if not derate.known:
        raise ValueError(f"--derate {arguments.derate}: no official row of {asked.baseline} to take its share of")
    return server, derate, f"the share of it in {arguments.derate}"


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
