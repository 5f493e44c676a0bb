"""Stated sizes, counts of accelerators and bills against what follows from them; rates are judged elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from analysis.audit import verdict
from analysis.audit.lookup import Record, Row, ids, plain, rate
from analysis.audit.verdict import AGREES, row
from analysis.core import interval
from analysis.core.interval import Interval
from analysis.themes import derating, roofline
from analysis.themes.quantization import BYTES_PER_WEIGHT

INDEX_BITS = 2  # 2:4 sparsity keeps, with each kept weight, its place among four
SIZING = "users x rate / throughput"


def sizing(claims: pd.DataFrame, results: pd.DataFrame, prices: pd.DataFrame) -> pd.DataFrame:
    """A document's example of users, accelerators and bill against its own throughput and price per accelerator."""
    rows = results[results["origin"].eq("published") & results["duplicate_of"].eq("")]
    return verdict.frame(each for about in _examples(claims) for each in _own_sizing(about, plain(rows), prices))


def official_sizing(
    claims: pd.DataFrame,
    results: pd.DataFrame,
    prices: pd.DataFrame,
    benchmarks: pd.DataFrame,
    accelerators: pd.DataFrame,
) -> pd.DataFrame:
    """The same example on the official Offline throughput per accelerator of the round that the document is about."""
    record = Record(results, benchmarks, accelerators)
    own = results[results["origin"].eq("published") & results["round"].ne("")]
    rounds = own.groupby("source_id")["round"].first()
    return verdict.frame(
        each for about in _examples(claims) for each in _official_sizing(about, rounds, record, prices)
    )


def weight_memory(table: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Printed gigabytes of weights against parameters x bytes per weight."""
    sizes, found = benchmarks.set_index("benchmark")["parameters_billion"], []
    for way in plain(table[table["weight_memory_gb_low"].notna()]):
        parameters = sizes.get(way["benchmark"], math.nan)
        if way["precision"] not in BYTES_PER_WEIGHT or math.isnan(parameters):
            continue
        held = roofline.weight_gb(parameters, way["precision"])
        printed, expected = Interval(way["weight_memory_gb_low"], way["weight_memory_gb_high"]), Interval(held, held)
        judged = verdict.compare(printed, expected)
        each = BYTES_PER_WEIGHT[way["precision"]]
        said = f"{parameters:g} billion weights of {each:g} bytes are {interval.number(held)} GB."
        formula = f"{parameters:g}e9 x {each:g} bytes"
        found.append(row(way, "quantization", "weight memory", judged, printed, expected, "GB", formula, said))
    return verdict.frame(found)


def accelerators_needed(table: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """Printed numbers of accelerators for a precision against what its weights alone need."""
    sizes = benchmarks.set_index("benchmark")["parameters_billion"]
    memories, found = accelerators.set_index("accelerator")["memory_gb"], []
    for way in plain(table[table["accelerators_needed"].notna()]):
        parameters, memory = sizes.get(way["benchmark"], math.nan), memories.get(way["accelerator"], math.nan)
        if way["precision"] not in BYTES_PER_WEIGHT or math.isnan(parameters) or math.isnan(memory):
            continue
        held, stated = roofline.weight_gb(parameters, way["precision"]), way["accelerators_needed"]
        least = float(roofline.needed(memory, held))
        judged = "exact" if stated == least else "within_rounding" if stated > least else "impossible"
        said = f"{interval.number(held)} GB of weights need {least:.0f}x {way['accelerator']} of {memory:g} GB."
        ends = (Interval(stated, stated), Interval(least, least), "accelerators")
        formula = f"{held:g} GB / {memory:g} GB, rounded up"
        found.append(row(way, "quantization", "weights fit", judged, *ends, formula, said))
    return verdict.frame(found)


def model_limit(claims: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """The largest model said to fit an accelerator: parameters <= memory / bytes per weight, at each precision.

    Fits at every precision: within rounding; at some only, or with nothing left for cache: conditional.
    """
    memories, found = accelerators.set_index("accelerator")["memory_gb"], []
    limits = claims["quantity"].eq("model_parameters") & claims["bound"].eq("at_most")
    for claim in plain(claims[limits & claims["duplicate_of"].eq("")]):
        memory = float(memories.get(claim["subject_accelerator"], math.nan))
        if not math.isnan(memory):
            found.append(_limit(claim, memory))
    return verdict.frame(found)


def together(claims: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """Memory said of several accelerators together against their number times the memory of one."""
    memories, found = accelerators.set_index("accelerator")["memory_gb"], []
    several = claims["quantity"].eq("memory_capacity") & claims["accelerator_count"].gt(1).fillna(False)
    for claim in plain(claims[several & claims["duplicate_of"].eq("")]):
        count, memory = claim["accelerator_count"], float(memories.get(claim["subject_accelerator"], math.nan))
        printed, expected = Interval(claim["low"], claim["high"]), Interval(count * memory, count * memory)
        judged = verdict.compare(printed, expected)
        part = claim["subject_accelerator"]
        said = f"{count:.0f}x {part} of {memory:g} GB hold {interval.number(count * memory, 4)} GB."
        about = ("claims", "system against accelerator", judged, printed, expected, "GB")
        found.append(row(claim, *about, f"{count:.0f} x {memory:g} GB", said))
    return verdict.frame(found)


def sparse_size(table: pd.DataFrame, claims: pd.DataFrame) -> pd.DataFrame:
    """The size of a 2:4 sparse model: half of the weights and, for each, two bits that say where it stood.

    (b + 2) / 2b of the original at b bits a weight: 0.625 at 8 bits, 0.5625 at 16. Conditional where only one agrees.
    """
    ways = plain(table[table["size_ratio_low"].notna() & table["technique"].str.startswith("sparsity-2:4")])
    said = claims[claims["quantity"].eq("model_size_ratio") & claims["subject"].str.contains("2:4", regex=False)]
    figures = [("quantization", way, Interval(way["size_ratio_low"], way["size_ratio_high"])) for way in ways]
    figures += [("claims", claim, Interval(claim["low"], claim["high"])) for claim in plain(said)]
    found = []
    for table_name, figure, printed in figures:
        sizes = {bits: (bits + INDEX_BITS) / (2 * bits) for bits in (16, 8, 4)}
        agreeing = [bits for bits, size in sizes.items() if verdict.compare(printed, Interval(size, size)) in AGREES]
        judged = "conditional" if agreeing else "contradicts"
        expected = Interval(sizes[agreeing[0]], sizes[agreeing[0]]) if agreeing else Interval(0.5, max(sizes.values()))
        each = ", ".join(f"{size:g} at {bits} bits" for bits, size in sizes.items())
        said = (
            f"Half of the weights alone would be half the size; with {INDEX_BITS} bits for the place of each kept one "
            f"it is {each}" + (f": holds for {agreeing[0]}-bit weights." if agreeing else ".")
        )
        formula = "(b + 2) / 2b at b bits a weight"
        about = (table_name, "size of what is kept", judged, printed, expected, "ratio")
        found.append(row(figure, *about, formula, said))
    return verdict.frame(found)


def _examples(claims: pd.DataFrame) -> Iterator[pd.DataFrame]:
    for _, about in claims.groupby("source_id", sort=False):
        if {"users", "tokens_per_second_per_user", "accelerators_needed"} <= set(about["quantity"]):
            yield about


def _own_sizing(about: pd.DataFrame, rows: list[Row], prices: pd.DataFrame) -> Iterator[Row]:
    said = _needed(about)
    same = [
        each for each in rows
        if each["source_id"] == said["source_id"] and each["accelerator"] == said["subject_accelerator"]
        and each["benchmark"] == said["benchmark"] and each["per"] == "accelerator"
    ]  # fmt: skip
    if same:
        best = max(same, key=lambda each: each["high"])
        each = Interval(best["low"], best["high"])
        yield from _sized(about, each, _price(prices, said), "sizing", best["id"], "the document's own")


def _official_sizing(about: pd.DataFrame, rounds: pd.Series, record: Record, prices: pd.DataFrame) -> Iterator[Row]:
    said = _needed(about)
    asked = {"metric": "throughput", "power_measured": False, "division": "closed", "scenario": "Offline"}
    asked |= {"precision": "", "accuracy_target": "", "benchmark": said["benchmark"]}
    near = record.beside(asked | {"round": rounds.get(said["source_id"], "")}, [said["subject_accelerator"]])
    each = verdict.hull(rate(one, "tokens/s", True) for one in near)
    if each.known:
        yield from _sized(about, each, _price(prices, said), "official sizing", ids(near), "the official")


def _sized(
    about: pd.DataFrame, each: Interval, price: Interval, check: str, reference: str, whose: str
) -> Iterator[Row]:
    rows = {row["quantity"]: row for row in reversed(plain(about[about["duplicate_of"].eq("")]))}
    for found in derating.example(about, each, price).to_dict("records"):
        claim = rows[found["quantity"]]
        printed = Interval(found["stated_low"], found["stated_high"])
        expected = Interval(found["computed_low"], found["computed_high"])
        if not expected.known:
            continue
        judged = verdict.compare(printed, expected, claim["range_basis"])
        unit = claim["unit"].removesuffix("s") if expected == Interval(1, 1) else claim["unit"]
        said = (
            f"With {whose} {interval.text(each.low, each.high, 4)} tokens/s per {claim['subject_accelerator']} "
            f"the example gives {interval.text(expected.low, expected.high)} {unit}."
        )
        yield row(claim, "claims", check, judged, printed, expected, claim["unit"], f"{SIZING}, {reference}", said)


def _needed(about: pd.DataFrame) -> Row:
    return plain(about[about["quantity"].eq("accelerators_needed")])[0]


def _price(prices: pd.DataFrame, said: Row) -> Interval:
    own = prices["source_id"].eq(said["source_id"]) & prices["accelerator"].eq(said["subject_accelerator"])
    return verdict.hull(
        Interval(each["usd_per_accelerator_hour_low"], each["usd_per_accelerator_hour_high"])
        for each in plain(prices[own & prices["duplicate_of"].eq("")])
    )


def _limit(claim: Row, memory: float) -> Row:
    largest = {name: memory / size for name, size in BYTES_PER_WEIGHT.items()}
    printed = Interval(claim["low"], claim["high"])
    room = [name for name, most in largest.items() if claim["high"] < most]
    brim = [name for name, most in largest.items() if claim["high"] == most]
    judged = "impossible" if not room + brim else "conditional" if len(room) < len(largest) else "within_rounding"
    each = ", ".join(f"{interval.number(most)} billion at {name}" for name, most in largest.items())
    full = f"; at {' and '.join(brim)} nothing is left for cache and activations" if brim else ""
    said = f"{memory:g} GB of one {claim['subject_accelerator']} hold the weights of at most {each}{full}."
    expected = Interval(min(largest.values()), max(largest.values()))
    return row(claim, "claims", "model fits", judged, printed, expected, claim["unit"], "memory / bytes a weight", said)
