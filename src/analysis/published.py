"""Load the figures that documents print, each with its verdict."""

from __future__ import annotations

import pandas as pd

from analysis import tables
from analysis.names import short

VERDICTS = {  # in order of precedence, highest first
    "physically impossible": "more than 5% above a hardware limit",
    "contradicted": "more than 5% from what is expected, or absent from the complete results of its round",
    "conditional": "true only under a condition that the document does not state",
    "within 5%": "the printed and the expected range are at most 5% apart",
    "within rounding": "the printed and the expected range overlap, or the figure lies below its limit",
    "confirmed": "the expected number is the printed one",
    "no official result": "no official result to compare with",
    "unverifiable": "nothing in the data to check it with",
}
AGREES = ("confirmed", "within rounding")
HOLDS = (*AGREES, "within 5%")
WRONG = ("physically impossible", "contradicted")
NO_QUANTITY = ("date", "rank", "workloads")  # units for which a ratio is meaningless
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
    """Return each figure of the five documents with its claim, its verdict, and the value in the record.

    One row each: `source` (the document's label), `claim`, `printed`, `record`, and `reason` in words; `verdict` of
    `VERDICTS`; `topic` (generations, quantization, power, derating, price, datasheet, or other); `low`
    to `high` in `unit`. `printed_low` to `expected_high` are the ranges as the deciding check compares them. Verdicts
    are read from data/verdicts.csv; nothing is judged here.
    """
    deciding = decisive(tables.load("verdicts")).drop(columns="unit")
    rows = load_figures().merge(deciding, on="id", how="left")
    precision = (", " + rows["precision"].str.upper()).where(rows["precision"].ne(""), "")
    rows = rows.assign(
        words=rows["quantity"].str.replace("_", " "),
        run=(rows["model"] + " " + rows["scenario"]).str.strip(),
        size=rows["accelerator_count"].map("{:g}x ".format).where(rows["accelerator_count"].notna(), ""),
        at=rows["batch_size"].eq(1).map({True: " at batch 1", False: ""}) + precision,
    )
    templates = rows["quantity"].map(CLAIMS).fillna("{subject}: {words}")
    named = rows[["subject", "baseline", "model", "round", "words", "run", "size", "at"]].to_dict("records")
    claims = [" ".join(template.format_map(row).split()) for template, row in zip(templates, named, strict=True)]
    source = rows["source_id"].map(tables.sources.set_index("id")["label"])
    return rows.assign(claim=claims, source=source, printed=_printed(rows))[COLUMNS]


def load_figures() -> pd.DataFrame:
    """Return data/figures.csv, corrected, with the short names of accelerators and `model`, the benchmark's label."""
    figures = tables.load("figures")
    figures = figures.assign(**{side: short(figures[side]) for side in ("accelerator", "baseline_accelerator")})
    excluded = short(figures["excluded_accelerators"].str.split(";").explode()).groupby(level=0).agg(list)
    models = figures["benchmark"].map(tables.benchmarks.set_index("benchmark")["label"]).fillna("")
    return figures.assign(excluded_accelerators=excluded, model=models)


def decisive(found: pd.DataFrame) -> pd.DataFrame:
    """Return the decisive row of each figure: its worst definite verdict, or that it has none."""
    return found.sort_values("verdict", key=rank, kind="stable").drop_duplicates("id")


def rank(verdicts: pd.Series) -> pd.Series:
    """Return the place of each verdict in VERDICTS: the lowest decides."""
    return verdicts.map({name: place for place, name in enumerate(VERDICTS)})


def _number(value: float, digits: int) -> str:
    """Return a number with `digits` significant digits and separators: 24,520; from 1,000 on whole."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"


def range_text(low: pd.Series, high: pd.Series, digits: int = 4) -> pd.Series:
    """Return ranges as text: "1.27 to 1.34", or one number where both ends print alike; "" where unknown."""
    ends = [(_number(a, digits), _number(b, digits)) for a, b in zip(low, high, strict=True)]
    texts = ["" if "nan" in pair else " to ".join(dict.fromkeys(pair)) for pair in ends]
    return pd.Series(texts, low.index, dtype="str")


def factor(rows: pd.DataFrame) -> pd.Series:
    """Return the factor between the nearest ends of the printed and the expected range, 1 where they overlap."""
    over, under = rows["printed_low"] / rows["expected_high"], rows["expected_low"] / rows["printed_high"]
    return pd.concat([over, under], axis=1).max(axis=1).clip(lower=1).round(9)  # 3.325, not 3.3249999999999997


def times_off(rows: pd.DataFrame) -> pd.Series:
    """Return `factor` of quantities; NaN for dates, ranks, and workloads, and where no end is expected."""
    quantity = rows["expected_high"].notna() & ~rows["unit"].isin(NO_QUANTITY)
    return factor(rows).where(quantity)


def _printed(rows: pd.DataFrame) -> pd.Series:
    """Return each number with its unit as printed; where the document uses words, the number that they mean."""
    said = (rows["printed"] + " " + rows["printed_unit"]).str.strip()
    said = said.str.replace(r"^(.*) \$/", r"$\1/", regex=True).str.replace(" %", "%")
    said = said.mask(rows["printed_unit"].isin(WORDS), rows["printed_unit"])
    meant = range_text(rows["low"], rows["high"]) + " " + rows["unit"]
    meant = meant.mask(rows["quantity"].isin(["result_cited", "benchmark_named"]), "yes")
    return said.mask(said.eq(""), meant).mask(rows["quantity"].eq("rank"), "rank " + rows["low"].map("{:g}".format))
