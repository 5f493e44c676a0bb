"""`analysis plan`: nodes, cost, and facility power that users need on one accelerator, as text or JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd

from analysis._core import interval, parameters
from analysis._core import notes as wording
from analysis._core.findings import Finding, exactly
from analysis._core.notes import of_rows
from analysis._core.number_words import range_text
from analysis._core.parameters import MyDeployment, RealWorldDerating
from analysis._core.plain_values import as_json
from analysis._core.vocabulary import MS_PER_SECOND
from analysis._display import tables
from analysis._tables.catalog import Catalog
from analysis.audit import flags
from analysis.cli import option_values
from analysis.methods import provisioned_power
from analysis.planner import capacity, summary
from analysis.planner.capacity import Planned
from analysis.planner.curve import Throughput

MEASURED = "measured"
CHANGED = {"change": "Change", "accelerators": "Accelerators", "usd_per_hour": "$/hour",
           "usd_per_million_tokens": "$/million tokens", "evidence": "Evidence"}  # fmt: skip
DERATE_ALSO = ", or a measurement FILE that is there; more than 100 % with --above-one"


@option_values.in_options()
def run(arguments: argparse.Namespace) -> list[str]:
    """Return the lines of the plan: the answer, tables, caveats; or one line of JSON.

    Raises asking.Nothing without an answer, ValueError (also of parameters.py) for invalid options.
    """
    catalog = flags.catalog()
    asked = _asked(arguments, catalog)
    rested, basis = _rested(arguments, catalog, asked), capacity.basis(catalog, asked)
    planned = capacity.over(basis, asked, **rested)
    if not planned.serves:
        raise option_values.Nothing(summary.why_nothing(planned, option_values.option))
    findings = [summary.need(planned), summary.power(planned), _provisioned(planned, catalog)]
    findings += [summary.constraint(planned), summary.drivers(planned)]
    rows, changes = summary.quantities(planned), capacity.sensitivity(basis, asked).head(0 if "own" in rested else None)
    if arguments.format == "json":
        return [_json(asked, findings, rows, changes, planned)]
    marks = {"what": "Quantity", "p10": "P10", "p50": "P50", "p90": "P90"}
    drawn = {"quantity": "Input", "unit": "Unit", "value": "Value", "range_of": "Basis"}
    result = tables.table(rows, f"Plan on {asked.baseline}, {planned.chosen.topic}", marks)
    inputs = tables.table(planned.inputs, "Inputs", drawn)
    changed = tables.table(changes, "What changes it (median)", CHANGED)
    head, more = [found.headline for found in findings[:3]], [found.headline for found in findings[3:]]
    caveats = wording.texts(of_rows(planned.behind) | planned.notes | planned.power_notes)
    return [*head, "", *option_values.lines(result), *more, "", *option_values.lines(inputs), "",
            *option_values.lines(changed), *caveats]  # fmt: skip


def _provisioned(planned: Planned, catalog: Catalog) -> Finding:
    """Return the provisioned power of the nodes, which no meter reads and no model of wall power gives."""
    unit = "kilowatts of provisioned power by the rules of MLPerf Endpoints, P10 to P90"
    systems = provisioned_power.of_systems(catalog.system_hardware, catalog.component_power)
    newest = provisioned_power.per_accelerator(systems)
    if planned.accelerator not in newest.index:
        return Finding("provisioned_kilowatts", None, unit, f"Provisioned power: unknown for {planned.called}.")
    system = newest.loc[planned.accelerator]
    kilowatts = planned.likely("accelerators") * float(system["kw_each"])
    words = f"Provisioned power (MLPerf Endpoints rules): {range_text(kilowatts, 3)} kW "
    words += f"(rated parts of {system['system']}, {system['round']}, {system['cooling']}-cooled)."
    return Finding("provisioned_kilowatts", kilowatts, unit, words, about=planned.accelerator)


def _json(
    asked: RealWorldDerating, findings: list[Finding], marks: pd.DataFrame, changes: pd.DataFrame, planned: Planned
) -> str:
    """Return the plan as JSON: parameters, findings, throughput, quantities, inputs with their ranges, and changes."""
    throughput = planned.throughput
    plan = {
        "parameters": asked.model_dump(),
        "findings": [finding.record() for finding in findings],
        "throughput": {
            "evidence": planned.evidence,
            "per_accelerator": throughput.middle,
            "low": throughput.rate.low,
            "high": throughput.rate.high,
            "basis": throughput.range_of,
        },
        "quantities": as_json(marks[["output", "what", "p10", "p50", "p90"]]),
        "inputs": as_json(planned.inputs),
        "changes": as_json(changes),
    }
    return json.dumps(plan, indent=2, ensure_ascii=False, allow_nan=False)


def _asked(arguments: argparse.Namespace, catalog: Catalog) -> RealWorldDerating:
    values = option_values.asked(arguments, RealWorldDerating, catalog)
    if arguments.price:
        values["prices"] = [option_values.price("--price", arguments.price, values["baseline"])]
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
    if not option_values.measured(arguments.derate) and _there(arguments.derate):
        return whole | {"own": _of_file(arguments, catalog, asked)}
    if arguments.count:
        raise ValueError(f"--count {arguments.count} needs a FILE of a run as --derate")
    derate = option_values.derate(arguments.derate, DERATE_ALSO, arguments.above_one)
    if arguments.derate.strip() == MEASURED:
        return whole
    return {"derate": derate, "above_one": arguments.above_one}


def _of_file(arguments: argparse.Namespace, catalog: Catalog, asked: RealWorldDerating) -> Throughput:
    """Return the throughput of the best measured run at the interactivity asked for. Raises ValueError without one."""
    from analysis.cli import measure  # and the readers of logs with it, which no other plan needs

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
