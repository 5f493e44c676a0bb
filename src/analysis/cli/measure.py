"""The command `measure`: own benchmark runs side by side, and beside the closest official result of each."""

from __future__ import annotations

import json as json_format
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

SAMPLE = "SAMPLE DATA: written by hand, not measured."
OWN = "Own runs are not verified by MLCommons: compare them with MLPerf results for internal use only."
UNKNOWN = "not known"
COLUMNS = {  # column -> heading and format
    "name": ("Run", "{}"), "accelerator": ("On", "{}"), "rate": ("Tokens/s each", "{}"),
    "concurrency": ("In flight", "{:,.1f}"), "ttft_p99_ms": ("TTFT p99 ms", "{:,.0f}"),
    "tpot_p99_ms": ("TPOT p99 ms", "{:,.3g}"), "failures": ("Failed", "{:,.0f}"),
    "within": ("Within limits", "{:.0%}"), "goodput_per_accelerator": ("Goodput each", "{:,.0f}"),
    "scenario": ("Scenario", "{}"), "official_rate": ("MLPerf each", "{:,.0f}"), "share": ("Share", "{:.1%}"),
    "usd_per_million": ("$/M tokens", "{:,.2f}"),
}  # fmt: skip
ALWAYS = ("name", "rate", "failures", "share")
HIDDEN = ("request_ttft_ms", "request_tpot_ms", "configuration")


def measure(
    files: Annotated[list[str], typer.Argument(help="Files of benchmark runs; docs/import.md lists the tools.")],
    accelerator: Annotated[str, typer.Option(help="Accelerator, where files do not say it or have several.")] = "",
    count: Annotated[int, typer.Option(help="Accelerators of a run, where files do not state them.")] = 0,
    benchmark: Annotated[str, typer.Option(help="Benchmark to compare with, if the model has none.")] = "",
    scenario: Annotated[str, typer.Option(help="Scenario to compare with; by default by the limits held.")] = "",
    round: Annotated[str, typer.Option(help="Round to compare with; by default the newest with a result.")] = "",
    ttft_ms: Annotated[float, typer.Option(help="TTFT limit for goodput, in ms; 0: that of the scenario.")] = 0.0,
    tpot_ms: Annotated[float, typer.Option(help="TPOT limit for goodput, in ms; 0: that of the scenario.")] = 0.0,
    price: Annotated[float, typer.Option(help="Dollars per accelerator-hour.")] = 0.0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare own benchmark runs with each other and with the closest official result per accelerator."""
    from analysis import names
    from analysis.compare import SCENARIOS
    from analysis.measure import deployment, read_runs

    if scenario:
        names.choose(scenario, SCENARIOS, "scenario")
    if not all(value >= 0 for value in (count, ttft_ms, tpot_ms, price)):
        raise ValueError("count, ttft-ms, tpot-ms, and price are numbers from 0")
    ttft_ms, tpot_ms, price = (value or float("nan") for value in (ttft_ms, tpot_ms, price))
    left_out: list[str] = []
    runs = deployment.settle(read_runs(files, left_out), accelerator=accelerator, count=count, benchmark=benchmark)
    found = deployment.assess(
        runs, scenario=scenario, round=round, ttft_ms=ttft_ms, tpot_ms=tpot_ms, usd_per_hour=price
    )
    if json:
        pairs = [
            {name: _plain(value) for name, value in row.items()}
            for row in deployment.compared(found).to_dict("records")
        ]
        told = {"runs": _records(found), "compared": pairs, "left_out": left_out, "note": OWN}
        typer.echo(json_format.dumps(told, indent=1))
        return 0
    for line in (SAMPLE if found["example"].any() else "", _answer(found), "", *_table(found), ""):
        typer.echo(line)
    for pair in deployment.compared(found).to_dict("records") if len(found) > 2 else ():
        typer.echo(f"{_pair(pair)}.")
    for run in found.to_dict("records"):
        for words in run["said"]:
            typer.echo(f"{run['name']}: {words}")
    for words in (*(f"Left out: {error}" for error in left_out), "", OWN):
        typer.echo(words)
    return 0


def _answer(found: pd.DataFrame) -> str:
    """Return the best run in a sentence: the highest share of the closest official rate."""
    from analysis.measure import deployment

    pairs = deployment.compared(found)
    if len(found) == 2 and len(pairs) and pairs["verdict"].ne("not comparable").all():
        return _pair(pairs.iloc[0])
    if found["other_tokens_per_second"].notna().all():
        return "Two counts of tokens contradict each other, and nothing tells which holds; both rates of each run:"
    if found["share"].isna().all():
        return "No official result to compare with; the runs side by side:"
    best = deployment.best(found)
    official = f"{best['official_count']:.0f}x {best['official_accelerator']}, {best['official_round']}"
    system = f"{best['name']} ({best['accelerator_count']:.0f}x {best['accelerator']})"
    return f"{system}: {best['share']:.1%} of MLPerf {best['scenario']} throughput per accelerator ({official})"


def _pair(pair: Mapping[str, Any]) -> str:
    """Return how a run compares with its baseline in a sentence, with the verdict."""
    if pair["why"]:
        return f"{pair['name']} and {pair['baseline']}: {pair['verdict']}, by {pair['why']}"
    spread = f"{pair['low']:.2f}x to {pair['high']:.2f}x with repeated runs" if pair["low"] > 0 else "no repeated runs"
    words = f"{pair['name']}: {pair['ratio']:.2f}x {pair['baseline']} in throughput per accelerator"
    return f"{words} ({pair['verdict']}; {spread})"


def _table(found: pd.DataFrame) -> list[str]:
    """Return the lines of the table of runs; a column that no run has is left out."""
    several = found["runs"].gt(1) | found["other_tokens_per_second"].notna()
    rate = found["rate_per_accelerator"].map("{:,.0f}".format)
    spread = found["rate_low"].map("{:,.0f}".format) + " to " + found["rate_high"].map("{:,.0f}".format)
    runs = found["runs"].map(" (runs: {})".format).mask(found["runs"].eq(1), "")
    spread = spread.mask(found["runs"].gt(2), rate + ", " + spread) + runs
    spread = spread.mask(found["other_tokens_per_second"].notna(), spread + ", two counts")
    shown = found.assign(rate=rate.mask(several, spread))
    kept = {
        name: spec for name, spec in COLUMNS.items() if name in ALWAYS or shown[name].replace("", None).notna().any()
    }
    cells = [[heading for heading, _ in kept.values()]]
    cells += [[_cell(run[name], form) for name, (_, form) in kept.items()] for run in shown.to_dict("records")]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def _cell(value: Any, form: str) -> str:
    return UNKNOWN if value is None or value != value or value == "" else form.format(value)


def _records(found: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the runs for JSON: what is unknown is null, an infinite rate the text "inf"."""
    rows = found.drop(columns=list(HIDDEN), errors="ignore").to_dict("records")
    return [{name: _plain(value) for name, value in row.items()} for row in rows]


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None if value != value else "inf"
    return list(value) if isinstance(value, tuple) else value
