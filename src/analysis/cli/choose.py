"""`analysis choose`: accelerators on sale ranked for a model, users and a budget, in lines of text or as JSON."""

from __future__ import annotations

import argparse
import json

import pandas as pd

from analysis.answers import accelerator_choice as answer
from analysis.answers import words
from analysis.audit import doubts
from analysis.cli import asking
from analysis.core import notes as wording
from analysis.core import parameters, quote
from analysis.core.findings import Finding
from analysis.core.parameters import AcceleratorChoice
from analysis.core.plain import as_json
from analysis.data.catalog import Catalog
from analysis.show import tables
from analysis.themes.plans import choice
from analysis.themes.plans.choice import Choice

OPTIONS = {
    "active_parameters_billion": "--active-parameters",
    "baseline": "--baseline",
    "kilowatts_at_most": "--kilowatts",
    "parameters_billion": "--parameters",
    "spare_nodes": "--spare-nodes",
    "usd_per_hour_at_most": "--usd-per-hour",
}
COLUMNS = (
    "called",
    "nodes",
    "node",
    "count",
    *choice.EQUAL.values(),
    "usd_per_hour",
    "worth",
    choice.AT_SCALE,
    "kilowatts",
    "metered_runs",
    "decides",
    "budget",
    "round",
)
UNRANKED = ("called", "reason", "label", "speed", "of_asked", "when", "systems")
FEW = 8  # rows of what is not ranked: those that come nearest


def option(parameter: str) -> str:
    """The option that a parameter of the report is given by."""
    return OPTIONS.get(parameter) or asking.option(parameter)


@asking.in_options(option)
def run(arguments: argparse.Namespace) -> list[str]:
    """The lines of the ranking, or one of JSON.

    Raises asking.Nothing, and ValueError (also of parameters.py) for what cannot be asked, by name.
    """
    catalog = doubts.catalog()
    asked = _asked(arguments, catalog)
    chosen = choice.make(catalog, asked)
    name, label = words.called(catalog.accelerators), catalog.label(chosen.match.benchmark)
    best = answer.best(chosen, label, name)
    if chosen.ranked.empty:
        raise asking.Nothing(f"nothing is ranked. {best.headline}")
    near, same = answer.near(chosen, label), not answer.is_apart(chosen)
    findings = [best, answer.follows(chosen), answer.decides(chosen), answer.unanswered(chosen, name)]
    if arguments.format == "json":
        return [_json(chosen, [*findings, near])]
    findings += [
        own
        for own in (answer.untried(chosen), answer.smaller_nodes(chosen), None if same else near)
        if own and own.value
    ]
    return [*(found.said for found in findings), "", *_tables(chosen, label, catalog)]


def _tables(chosen: Choice, label: str, catalog: Catalog) -> list[str]:
    columns = answer.ranked_columns(chosen)
    shown = {name: columns[name] for name in COLUMNS if name in columns}
    ranked = tables.show(answer.table_rows(chosen), f"Accelerators on sale for {label}, best first", shown)
    rows = answer.unranked_rows(chosen, catalog.label, words.called(catalog.accelerators))
    left = tables.show(
        rows, "Not ranked, the nearest first", {name: answer.UNRANKED_TABLE[name] for name in UNRANKED}, most=FEW
    )
    return [*asking.lines(ranked), *asking.lines(left)]


def _json(chosen: Choice, findings: list[Finding]) -> str:
    """The ranking as data: what was asked, findings as reports record them, the frames of the choice row by row."""
    data = {
        "parameters": chosen.asked.model_dump(),
        "ranked_by": chosen.by,
        "findings": [found.record() for found in findings],
        "ranked": _records(chosen.ranked),
        "not_ranked": _records(chosen.unranked),
        "benchmarks": _records(chosen.match.near),
    }
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)


def _records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """The rows of a frame as JSON holds them, notes in words."""
    told = {name: frame[name].map(wording.texts) for name in ("notes", "power_notes") if name in frame}
    return as_json(frame.assign(**told))


def _asked(arguments: argparse.Namespace, catalog: Catalog) -> AcceleratorChoice:
    values = asking.given(
        arguments, "benchmark", "model", "parameters_billion", "active_parameters_billion", "users", "scenario",
        "usd_per_hour_at_most", "kilowatts_at_most", "spare_nodes", "ttft_ms", "tpot_ms", "prompt_tokens",
        "tokens_per_request", "weight_precision", "cache_precision", "rounds", "draws", "seed",
    )  # fmt: skip
    if arguments.model or arguments.parameters_billion:
        values.setdefault("benchmark", "")
    asking.with_results(arguments.rounds, catalog)
    values["tokens_per_second_per_user"] = arguments.tokens_per_user
    if arguments.baseline:
        values["baseline"] = asking.accelerator_of("--baseline", arguments.baseline, catalog)
    named = arguments.accelerators or ()
    values["accelerators"] = [asking.accelerator_of("--accelerators", name, catalog) for name in named]
    values["prices"] = [_price(text, catalog) for text in arguments.price or ()]
    if arguments.derate:
        kept = asking.derate(arguments.derate)
        values["derate"] = [kept.low, kept.high]
    if arguments.peak:
        values["peak_over_mean"] = asking.numbers(option("peak_over_mean"), arguments.peak)
    return AcceleratorChoice(**parameters.validate("accelerator_choice", values))


def _price(text: str, catalog: Catalog) -> str:
    """A quote that names its accelerator: among several there is none that a bare price could be of."""
    if "=" not in text:
        raise ValueError(f"--price {text!r} names no accelerator; expected NAME=USD, such as 'H200 SXM=2.5-3'")
    return asking.price("--price", text, catalog, expected=quote.EXPECTED)
