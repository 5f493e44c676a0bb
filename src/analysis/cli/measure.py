"""`analysis measure`: measurement files set beside the official record, in lines of text."""

from __future__ import annotations

import argparse
from pathlib import Path

from analysis.answers import my_deployment as answer
from analysis.audit import doubts
from analysis.cli import asking
from analysis.core import notes as wording
from analysis.core import parameters, quote
from analysis.core.parameters import MyDeployment
from analysis.data.catalog import Catalog
from analysis.importers.measured import formats
from analysis.importers.measured.measurement import frame
from analysis.show import tables
from analysis.themes import assessment
from analysis.themes.assessment import Assessed

COLUMNS = {
    "label": "Run",
    "output_tokens_per_s": "Output tokens/s",
    "derate": "Share of official",
    "ttft_p99_ms": "TTFT p99 ms",
    "tpot_p99_ms": "TPOT p99 ms",
    "good_share": "In time",
    "requests_failed": "Failed",
    "joules": "J/token",
    "usd_per_million": "USD/M output tokens",
    "usd_per_million_all": "USD/M tokens, prompt too",
    "best": "On the front",
}


def run(arguments: argparse.Namespace) -> list[str]:
    """The lines of the assessment. Raises ValueError (Unsaid, MeasurementError) naming what is missing or wrong."""
    catalog = doubts.catalog()
    asked = _asked(arguments, catalog)
    assessed = assess(catalog, arguments.files, asked)
    _priced(asked, assessed)
    makers = (answer.share, answer.gap, answer.saving, answer.limits, answer.goodput, answer.energy, answer.roofline)
    differ = tables.show(
        assessed.differences,
        f"How the run differs from the nearest official row ({assessed.best['nearest'] or 'none'})",
        {"what": "What", "here": "Here", "there": "There"},
    )
    runs = tables.show(answer.table(assessed), f"Runs, {assessed.limited.topic}", answer.known(assessed, COLUMNS))
    warned = wording.worded(assessed.notes)
    said = [
        answer.sample(assessed),
        *(make(assessed).sentence for make in makers),
        f"Caveat: {warned}." if warned else "",
    ]
    return [*filter(None, said), "", *asking.lines(runs), *asking.lines(differ)]


def _priced(asked: MyDeployment, assessed: Assessed) -> None:
    named = {quote.parse_quote(text).accelerator for text in asked.prices} - {""}
    if named and assessed.best["accelerator"] not in named:
        raise ValueError(f"the prices are of {', '.join(named)}, but the runs are on {assessed.best['accelerator']}")


def assess(catalog: Catalog, files: list[str], asked: MyDeployment) -> Assessed:
    """The assessment of files anywhere on this machine."""
    runs = [run for file in files for run in formats.read_runs(Path(file), file)]
    return assessment.make(catalog, frame(runs), asked)


def _asked(arguments: argparse.Namespace, catalog: Catalog) -> MyDeployment:
    values = asking.given(arguments, "benchmark", "precision", "scenario", "rounds", "ttft_ms", "tpot_ms")
    values["accelerator_count"] = arguments.count
    if arguments.accelerator:
        values["accelerator"] = asking.accelerator_of(arguments.accelerator, catalog)
    if arguments.price:
        values["prices"] = [asking.price("--price", arguments.price, catalog, values.get("accelerator", ""))]
    return MyDeployment(**parameters.validate("my_deployment", values, asking.option))
