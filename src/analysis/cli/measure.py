"""`analysis measure`: measurement files set beside the official record, in lines of text."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from analysis.answers import my_deployment as answer
from analysis.audit import doubts
from analysis.cli import asking
from analysis.core import notes as wording
from analysis.core import parameters, quote
from analysis.core.parameters import MyDeployment
from analysis.core.plain import as_dicts
from analysis.data.catalog import Catalog
from analysis.importers.measured import formats
from analysis.importers.measured.measurement import frame
from analysis.show import tables
from analysis.themes import assessment, deployment
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


@asking.in_options()
def run(arguments: argparse.Namespace) -> list[str]:
    """The lines of the assessments, one of each model in the files.

    Raises ValueError (Unsaid, MeasurementError) naming what is missing or wrong.
    """
    catalog = doubts.catalog()
    asked = _asked(arguments, catalog)
    assessed = [assessment.make(catalog, runs, asked) for runs in _by_model(_read(arguments.files))]
    for each in assessed:
        _priced(asked, each)
    lines = [line for each in assessed for line in ["", *_told(each)]]
    return lines[1:]


def _told(assessed: Assessed) -> list[str]:
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
    """The assessment of files of one model, anywhere on this machine."""
    return assessment.make(catalog, _read(files), asked)


def _read(files: list[str]) -> pd.DataFrame:
    return frame([run for file in files for run in formats.read_runs(Path(file), file)])


def _by_model(runs: pd.DataFrame) -> list[pd.DataFrame]:
    """The runs of each model that the files name, in the order of the files; one that none names is by itself."""
    models = pd.Series([deployment.model_name(run) for run in as_dicts(runs)], index=runs.index, dtype="str")
    if models[models.ne("")].nunique() < 2:
        return [runs]
    return [runs[models.eq(model)] for model in models.unique()]


def _asked(arguments: argparse.Namespace, catalog: Catalog) -> MyDeployment:
    values = asking.given(arguments, "benchmark", "precision", "scenario", "rounds", "ttft_ms", "tpot_ms")
    asking.with_results(arguments.rounds, catalog)
    values["accelerator_count"] = arguments.count
    if arguments.accelerator:
        values["accelerator"] = asking.accelerator_of("--accelerator", arguments.accelerator, catalog)
    if arguments.price:
        values["prices"] = [asking.price("--price", arguments.price, catalog, values.get("accelerator", ""))]
    return MyDeployment(**parameters.validate("my_deployment", values))
