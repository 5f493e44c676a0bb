"""The command `measure`: compare your own benchmark runs with each other and with the closest official results."""

from __future__ import annotations

import json as json_format
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

SAMPLE = "SAMPLE DATA: written by hand, not measured."
OWN = "Own runs are not verified by MLCommons: compare them with MLPerf results for internal use only."
COLUMNS = {  # column -> heading and format
    "name": ("Run", "{}"), "accelerator": ("On", "{}"), "rate": ("Tokens/s each", "{}"),
    "concurrency": ("In flight", "{:,.1f}"), "ttft_p99_ms": ("TTFT p99 ms", "{:,.0f}"),
    "tpot_p99_ms": ("TPOT p99 ms", "{:,.3g}"), "failures": ("Failed", "{:,.0f}"),
    "within": ("Within limits", "{:.0%}"), "goodput_per_accelerator": ("Goodput each", "{:,.0f}"),
    "scenario": ("Scenario", "{}"), "official_rate": ("MLPerf each", "{:,.0f}"), "share": ("Share", "{:.1%}"),
    "usd_per_million": ("$/M tokens", "{:,.2f}"),
}  # fmt: skip
ALWAYS = ("name", "rate", "failures", "share")


def measure(
    files: Annotated[list[str], typer.Argument(help="Benchmark result files; docs/import.md lists the tools.")],
    accelerator: Annotated[str, typer.Option(help="Accelerator, if files state none or several.")] = "",
    count: Annotated[int, typer.Option(help="Accelerators per run, if files do not state them.")] = 0,
    benchmark: Annotated[str, typer.Option(help="Benchmark to compare with, if the model matches none.")] = "",
    scenario: Annotated[str, typer.Option(help="Scenario to compare with (default: by the limits met).")] = "",
    round: Annotated[str, typer.Option(help="Round to compare with (default: newest with a result).")] = "",
    ttft_ms: Annotated[float, typer.Option(help="TTFT limit for goodput in ms (0: the scenario's).")] = 0.0,
    tpot_ms: Annotated[float, typer.Option(help="TPOT limit for goodput in ms (0: the scenario's).")] = 0.0,
    price: Annotated[float, typer.Option(help="Dollars per accelerator-hour.")] = 0.0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare your own benchmark runs with each other and, per accelerator, with the closest official result."""
    from analysis.measure import deployment, read_runs

    left_out: list[str] = []
    runs = deployment.settle(read_runs(files, left_out), accelerator=accelerator, count=count, benchmark=benchmark)
    found = deployment.assess(
        runs, scenario=scenario, round=round, ttft_ms=ttft_ms, tpot_ms=tpot_ms, usd_per_hour=price
    )
    pairs = deployment.compared(found)
    if json:
        runs = found.drop(columns=["request_ttft_ms", "request_tpot_ms", "configuration"])
        told = {"runs": _records(runs), "compared": _records(pairs), "left_out": left_out, "note": OWN}
        typer.echo(json_format.dumps(told, indent=1))
        return 0
    answer, others = _answer(found, pairs), map(_pair, pairs.to_dict("records"))
    lines = [SAMPLE if found["example"].any() else "", answer, "", *_table(found), ""]
    lines += [f"{words}." for words in others if words != answer]
    lines += [f"{name}: {words}" for name, said in zip(found["name"], found["said"], strict=True) for words in said]
    typer.echo("\n".join([*lines, *(f"Left out: {error}" for error in left_out), "", OWN]))
    return 0


def _answer(found: pd.DataFrame, pairs: pd.DataFrame) -> str:
    """Return the best run in a sentence: the highest share of the closest official rate."""
    from analysis.measure import deployment

    if len(found) == 2 and len(pairs) and pairs["verdict"].ne("not comparable").all():
        return _pair(pairs.iloc[0])
    if found["other_tokens_per_second"].notna().all():
        return "Two token counts contradict each other, and it is unknown which is correct; both rates of each run:"
    if found["share"].isna().all():
        return "No official result to compare with; the runs side by side:"
    best = deployment.best(found)
    official = f"{best['official_count']:.0f}x {best['official_accelerator']}, {best['official_round']}"
    system = f"{best['name']} ({best['accelerator_count']:.0f}x {best['accelerator']})"
    return f"{system}: {best['share']:.1%} of MLPerf {best['scenario']} throughput per accelerator ({official})"


def _pair(pair: Mapping[str, Any]) -> str:
    """Return a sentence that compares a run with its baseline, with the verdict."""
    if pair["why"]:
        return f"{pair['name']} and {pair['baseline']}: {pair['verdict']}, by {pair['why']}"
    spread = f"{pair['low']:.2f}x to {pair['high']:.2f}x with repeated runs" if pair["low"] > 0 else "no repeated runs"
    words = f"{pair['name']}: {pair['ratio']:.2f}x {pair['baseline']} in throughput per accelerator"
    return f"{words} ({pair['verdict']}; {spread})"


def _table(found: pd.DataFrame) -> list[str]:
    """Return the lines of the table of runs; a column that no run has is left out."""
    shown = found.assign(rate=[_rate(run) for run in found.itertuples()])[[*COLUMNS]].replace({"": None})
    columns = []
    for name, (heading, form) in COLUMNS.items():
        if name in ALWAYS or shown[name].notna().any():
            cells = [heading, *shown[name].map(form.format).where(shown[name].notna(), "not known")]
            columns.append([cell.ljust(max(map(len, cells))) for cell in cells])
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def _rate(run: Any) -> str:
    """Return the rate per accelerator as text: both values of two runs or counts, median and range of more runs."""
    low, rate, high = map("{:,.0f}".format, (run.rate_low, run.rate_per_accelerator, run.rate_high))
    doubted, repeated = run.other_tokens_per_second > 0, run.runs > 1
    words = f"{low} to {high}" if repeated or doubted else rate
    words = f"{rate}, {words}" if run.runs > 2 else words
    words += f" (runs: {run.runs})" if repeated else ""
    return f"{words}, two counts" if doubted else words


def _records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows for JSON: what is unknown is null, an infinite rate the text "inf"."""
    rows = rows.replace(float("inf"), "inf")
    return json_format.loads(rows.to_json(orient="records", double_precision=15))
