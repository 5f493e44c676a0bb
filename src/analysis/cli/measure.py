"""`analysis measure`: measurement files compared with official results, in lines of text."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from analysis._core import interval, parameters, price_quote
from analysis._core import notes as wording
from analysis._core.number_words import percent, range_text, usd
from analysis._core.parameters import MyDeployment
from analysis._core.plain_values import as_dicts
from analysis._display import tables
from analysis._import.measured import formats
from analysis._import.measured.measurement import frame
from analysis._tables.catalog import Catalog
from analysis.audit import flags
from analysis.cli import option_values
from analysis.methods import assessment, deployment
from analysis.methods.assessment import Assessed

SAMPLE = "SAMPLE DATA: written by hand, not measured."
OWN = "Your own run is unverified: not reviewed by MLCommons; compare it with official results for internal use only."
COLUMNS = {
    "label": "Run",
    "output_tokens_per_s": "Output (tokens/s)",
    "derate": "Share of MLPerf Inference (ratio)",
    "ttft_p99_ms": "TTFT p99 (ms)",
    "tpot_p99_ms": "TPOT p99 (ms)",
    "good_share": "Within limits (ratio)",
    "requests_failed": "Failed",
    "joules": "Energy (J/token)",
    "usd_per_million": "Cost (USD/M output tokens)",
    "usd_per_million_all": "Cost (USD/M tokens, prompt included)",
    "best": "Pareto-optimal",
}
GAP = {"step": "Cause", "lost": "Lost (ratio)", "known_from": "Known from"}


@option_values.in_options()
def run(arguments: argparse.Namespace) -> list[str]:
    """Return the lines of the assessments, one of each model in the files.

    Raises ValueError (Unsaid, MeasurementError) naming what is missing or wrong.
    """
    catalog = flags.catalog()
    asked = _asked(arguments, catalog)
    assessed = [assessment.make(catalog, runs, asked) for runs in _by_model(_read(arguments.files))]
    for each in assessed:
        _priced(asked, each)
    lines = [line for each in assessed for line in ["", *_told(each)]]
    return lines[1:]


def _told(assessed: Assessed) -> list[str]:
    """The answer, then the runs, the comparison of the best one with MLPerf, and caveats."""
    best, topic = assessed.best, assessed.limited.topic
    system = f"{best['accelerator_count']}x {assessed.called}"
    answer = f"No data: no official result of {assessed.called} ({topic})"
    if assessed.share.known:
        answer = f"{system}: {percent(assessed.share)} of MLPerf Inference throughput per accelerator ({topic})"
    costs, bill = (interval.of(best, name) for name in ("usd_per_million", "usd_per_hour"))
    cost = f"Cost: {usd(costs)} per million output tokens"
    if assessed.saved.known:
        enough = range_text(interval.of(best, "enough"))
        cost += f"; at MLPerf Inference throughput {enough} of {best['accelerator_count']} accelerators suffice, "
        cost += f"saving {usd(assessed.saved)} of {usd(bill)}/hour"
    runs = {name: header for name, header in COLUMNS.items() if _is_stated(assessed.runs, name)}
    warned = wording.worded(assessed.notes)
    tables_shown = [
        tables.table(assessed.runs, f"Runs, {topic}", runs),
        tables.table(_compared(assessed), f"Best run: {best['label']}", {"what": "What", "value": "Value"}),
        tables.table(assessed.gap, "Throughput lost, from the nearest system's Offline result", GAP),
        tables.table(
            assessed.differences,
            f"Differences from the nearest official row ({best['nearest'] or 'none'})",
            {"what": "What", "here": "Here", "there": "There"},
        ),
    ]
    said = [SAMPLE * assessed.is_sample, answer, f"{cost}.", f"Caveat: {warned}." if warned else "", OWN]
    return [*filter(None, said), "", *(line for table in tables_shown for line in option_values.lines(table))]


def _compared(assessed: Assessed) -> pd.DataFrame:
    """What is known of the best run and its limits, in words."""
    best, (within, judged) = assessed.best, assessed.within_limits
    limits = f"TTFT {interval.number(assessed.ttft_ms)} ms, TPOT {interval.number(assessed.tpot_ms)} ms"
    words = {
        f"Runs within the p99 latency limits ({limits})": f"{within} of {judged}" if judged else "not known",
        f"Responses within the limits ({best['good_basis']})": percent(best["good_share"]),
        "Failed requests": f"{best['requests_failed']:,.0f}",
        "Energy per output token, accelerators only (J)": range_text(best["joules"], 3),
        f"Share of the roofline, {best['bound']}-bound": percent(best["of_ceiling"]),
        "Share of the nearest system's Offline throughput": percent(interval.of(best, "of_offline")),
    }
    return pd.DataFrame({"what": list(words), "value": list(words.values())})


def _is_stated(runs: pd.DataFrame, name: str) -> bool:
    return bool(runs[name if name in runs else f"{name}_low"].notna().any())


def _priced(asked: MyDeployment, assessed: Assessed) -> None:
    named = {price_quote.parse_quote(text).accelerator for text in asked.prices} - {""}
    if named and assessed.best["accelerator"] not in named:
        raise ValueError(f"the prices are of {', '.join(named)}, but the runs are on {assessed.best['accelerator']}")


def assess(catalog: Catalog, files: list[str], asked: MyDeployment) -> Assessed:
    """Return the assessment of files of one model, anywhere on this machine."""
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
    values = option_values.asked(arguments, MyDeployment, catalog)
    if arguments.price:
        values["prices"] = [option_values.price("--price", arguments.price, values.get("accelerator", ""))]
    return MyDeployment(**parameters.validate("my_deployment", values))
