"""Load the figures that documents print, each with its verdict."""

from __future__ import annotations

import pandas as pd

from analysis import tables
from analysis.audit import decisive, load_figures
from analysis.audit.verdicts import number, span

CLAIMS = {  # what a figure claims, by its quantity; others: "{subject}: {words}"
    "throughput": "{size}{subject}: {run} throughput{at}",
    "latency": "{size}{subject}: {run} latency",
    "power": "{size}{subject}: {run} power",
    "throughput_per_watt": "{size}{subject}: {run} throughput per watt",
    "throughput_ratio": "{subject} vs {baseline}: {run} throughput",
    "share_of_best": "{subject} vs {baseline}: {run} throughput",
    "scaling_ratio": "{subject} vs {baseline}: {run} throughput",
    "gain": "{subject} vs {baseline}: {run} throughput",
    "tokens_per_dollar_ratio": "{subject} vs {baseline}: tokens per dollar",
    "memory_capacity_ratio": "{subject} vs {baseline}: memory capacity",
    "memory_bandwidth_ratio": "{subject} vs {baseline}: memory bandwidth",
    "price_ratio": "{subject} vs {baseline}: price",
    "break_even_throughput_ratio": "{subject} vs {baseline}: {run} break-even throughput",
    "tokens_per_second_per_user": "{subject}: tokens/s per user",
    "rank": "{subject}: {run} rank",
    "price": "{subject}: price per accelerator-hour",
    "accelerators_for_weights": "{model} in {subject}: accelerators needed",
    "weight_memory": "{model} in {subject}: memory of the weights",
    "quality_loss": "{model} in {subject}: loss of quality",
    "system_accelerators": "{subject}: accelerators per system",
    "result_cited": "Result {subject} exists",
    "benchmark_named": "{subject} is a benchmark of {round}",
    "fraction_of_benchmark": "Production retains a share of MLPerf throughput",
}
WORDS = ("half", "halved", "double", "doubles", "tripled")  # that documents print in place of a number
COLUMNS = [
    "id", "source", "source_id", "locator", "claim", "printed", "record", "verdict", "reason", "check", "topic",
    "quantity", "benchmark", "scenario", "round", "accelerator", "baseline_accelerator", "precision", "low", "high",
    "unit", "printed_low", "printed_high", "expected_low", "expected_high", "duplicate_of",
]  # fmt: skip


def load_published() -> pd.DataFrame:
    """Return every figure of the five documents with what it claims, its verdict, and what the record has.

    One row each: `source` (the document's label), `claim`, `printed`, `record`, and `reason` in words; `verdict` of
    `analysis.audit.VERDICTS`; `topic` (generations, quantization, power, derating, price, datasheet, or other); `low`
    to `high` in `unit`. `printed_low` to `expected_high` are the ranges as the deciding check compares them. Verdicts
    are read from data/verdicts.csv; nothing is judged here.
    """
    deciding = decisive(tables.load("verdicts")).drop(columns=["unit", "by_hand"])
    rows = load_figures().merge(deciding, on="id", how="left")
    words = rows["quantity"].str.replace("_", " ")
    run = (rows["model"] + " " + rows["scenario"]).str.strip()
    size = rows["accelerator_count"].map("{:g}x ".format).where(rows["accelerator_count"].gt(0), "")
    size = size.where(rows["quantity"].isin(["throughput", "latency", "power", "throughput_per_watt"]), "")
    at = rows["precision"].str.upper().radd(", ").where(rows["precision"].ne(""), "")
    at = at.radd(" at batch 1").where(rows["batch_size"].eq(1), at)
    rows = rows.assign(words=words, run=run, size=size, at=at)
    templates = rows["quantity"].map(CLAIMS).fillna("{subject}: {words}")
    named = rows[["subject", "baseline", "model", "round", "words", "run", "size", "at"]].to_dict("records")
    claims = [" ".join(template.format_map(row).split()) for template, row in zip(templates, named, strict=True)]
    source = rows["source_id"].map(tables.sources.set_index("id")["label"])
    return rows.assign(claim=claims, source=source, printed=_printed(rows))[COLUMNS]


def _printed(rows: pd.DataFrame) -> pd.Series:
    """Return each number with its unit as printed; where the document uses words, the number that they mean."""
    said = (rows["printed"] + " " + rows["printed_unit"]).str.strip()
    said = said.str.replace(r"^(.*) \$/", r"$\1/", regex=True).str.replace(" %", "%")
    said = said.mask(rows["printed_unit"].isin(WORDS), rows["printed_unit"])
    meant = span(rows["low"], rows["high"]) + " " + rows["unit"]
    meant = meant.mask(rows["quantity"].isin(["result_cited", "benchmark_named"]), "yes")
    return said.mask(said.eq(""), meant).mask(rows["quantity"].eq("rank"), "rank " + rows["low"].map(number))
