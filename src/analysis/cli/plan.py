"""`analysis plan`: from users to accelerators, dollars and kilowatts, in lines of text."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.answers import real_world_derating as answer
from analysis.audit import doubts
from analysis.cli import asking, measure
from analysis.core import interval, parameters
from analysis.core.findings import Finding, exactly
from analysis.core.parameters import MyDeployment, RealWorldDerating
from analysis.core.plain import as_json
from analysis.core.vocabulary import MS_PER_SECOND
from analysis.data.catalog import Catalog
from analysis.show import tables
from analysis.themes.hardware import memory, roofline
from analysis.themes.plans import capacity, sizing
from analysis.themes.plans.capacity import Planned
from analysis.themes.plans.proof import Throughput

MEASURED = "measured"
DERATE_ALSO = ", or a measurement FILE that is there; more than 100 % with --above-one"


@asking.in_options()
def run(arguments: argparse.Namespace) -> list[str]:
    """The lines of the plan, or one of JSON.

    Raises asking.Nothing, and ValueError (also of parameters.py) for what cannot be asked, by name.
    """
    catalog = doubts.catalog()
    asked = _asked(arguments, catalog)
    planned = capacity.make(catalog, asked, **_rested(arguments, catalog, asked))
    if not planned.serves:
        raise asking.Nothing(f"nothing is planned. {_why_nothing(catalog, asked, planned)}")
    findings = [
        answer.need(planned),
        answer.decisive(sizing.decided(planned.draws)),
        answer.dominant(planned),
        answer.kilowatts(planned),
    ]
    if arguments.format == "json":
        return [_json(asked, findings, answer.plan_rows(planned), planned)]
    columns = {"what": "Quantity", "p10": "P10", "p50": "P50", "p90": "P90"}
    drawn = {"quantity": "Input", "unit": "Unit", "value": "Value", "range_of": "Range of"}
    topic = planned.chosen.topic
    inputs = tables.show(planned.inputs, f"Drawn from, on {topic} throughput", drawn)
    result = tables.show(answer.plan_rows(planned), f"Plan on {asked.baseline}, {topic}", columns)
    return [*(finding.said for finding in findings), "", *asking.lines(result), *asking.lines(inputs)]


def _json(asked: RealWorldDerating, findings: list[Finding], marks: pd.DataFrame, planned: Planned) -> str:
    """The plan as data: what was asked, findings as reports record them, quantities and inputs with their ranges."""
    plan = {
        "parameters": asked.model_dump(),
        "findings": [finding.record() for finding in findings],
        "quantities": as_json(marks[["output", "what", "p10", "p50", "p90"]]),
        "inputs": as_json(planned.inputs),
    }
    return json.dumps(plan, indent=2, ensure_ascii=False, allow_nan=False)


def _why_nothing(catalog: Catalog, asked: RealWorldDerating, planned: Planned) -> str:
    """Why there are no draws, and where the weights do not fit, what would help."""
    if not planned.held_nowhere:
        return answer.why_nothing(planned, asking.option)
    facts = catalog.accelerators.set_index("accelerator").loc[asked.baseline]
    identity = catalog.benchmarks.set_index("benchmark").loc[asked.benchmark]
    weights = roofline.weight_gb(float(identity["parameters_billion"]), asked.weight_precision)
    part = f"{interval.number(100 * planned.held_nowhere, 2)} % of the draws"
    often = "" if planned.held_nowhere == 1 else f"in {part}, more than one in ten, "
    return (
        f"{planned.chosen.label} at {asked.weight_precision} takes {weights:g} GB for its weights alone: {often}"
        f"{memory.GROUPS[-1]:,} {asked.baseline} of {facts['memory_gb']:g} GB, {100 * asked.memory_headroom:g} % kept "
        f"free, hold no request of {asked.context_tokens[1]:,.0f} tokens beside them. A lower --precision or "
        "--cache-precision, a shorter --context or another --accelerator needs less."
    )


def _asked(arguments: argparse.Namespace, catalog: Catalog) -> RealWorldDerating:
    values = asking.given(
        arguments, "benchmark", "users", "scenario", "ttft_ms", "tpot_ms", "weight_precision", "cache_precision",
        "wait_percentile", "tokens_per_request", "prompt_tokens", "prefill_share", "spare_nodes", "rounds", "draws",
        "seed",
    )  # fmt: skip
    asking.with_results(arguments.rounds, catalog)
    values["tokens_per_second_per_user"] = arguments.tokens_per_user
    values["baseline"] = asking.accelerator_of("--accelerator", arguments.accelerator, catalog)
    values["peak_over_mean"] = asking.numbers("--peak", arguments.peak)
    if arguments.price:
        values["prices"] = [asking.price("--price", arguments.price, catalog, values["baseline"])]
    if arguments.wall_over_limit:
        values["wall_over_limit"] = asking.numbers("--wall-over-limit", arguments.wall_over_limit)
    if arguments.context:
        values["context_tokens"] = asking.numbers("--context", arguments.context)
    return RealWorldDerating(**parameters.validate("real_world_derating", values))


def _there(name: str) -> bool:
    """Whether there is a file of this name, which may be none that a file can have."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def _rested(arguments: argparse.Namespace, catalog: Catalog, asked: RealWorldDerating) -> dict[str, Any]:
    """What the plan rests on beside what is asked: what production leaves of official throughput, or one's own run.

    What a limit on latency takes is in the throughput already, for it was measured under the limit: `measured` takes no
    more, `measured x 60-80` is the band 60-80.
    """
    whole = {"derate": exactly(1.0), "derate_of": capacity.MEASURED}
    if not asking.measured(arguments.derate) and _there(arguments.derate):
        return whole | {"own": _of_file(arguments, catalog, asked)}
    if arguments.count:
        raise ValueError(f"--count {arguments.count} is of the run in a FILE of --derate, and none is given")
    derate = asking.derate(arguments.derate, DERATE_ALSO, arguments.above_one)
    if arguments.derate.strip() == MEASURED:
        return whole
    return {"derate": derate, "above_one": arguments.above_one}


def _of_file(arguments: argparse.Namespace, catalog: Catalog, asked: RealWorldDerating) -> Throughput:
    """What the best of the measured runs reached of those that gave each user the speed asked for."""
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
