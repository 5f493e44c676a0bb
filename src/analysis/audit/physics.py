"""Published results against what the hardware can do at most (roofline.py); no other document is looked at here.

Every doubt is settled in favour of the figure: an unknown precision is the most favourable, an unknown number of
accelerators is what the weights need, cache and prompt cost nothing unless `cache_gb` says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from analysis.audit import verdict
from analysis.audit.lookup import Row, plain
from analysis.core import interval
from analysis.core.interval import Interval
from analysis.themes import roofline
from analysis.themes.quantization import BYTES_PER_WEIGHT

DECODE, FIT, COMPUTE = "batch-1 bandwidth", "weights fit", "dense compute"
LIFTED = "unless speculative decoding, sparsity or a larger batch was used"


def decode(
    rows: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame, cache_gb: float = 0.0
) -> pd.DataFrame:
    """Decoders at batch 1: tokens/s <= accelerators x bandwidth / (weight bytes + `cache_gb` of KV cache)."""
    found = (_decode(*each, cache_gb) for each in _about(rows, benchmarks, accelerators))
    return verdict.frame(one for one in found if one)


def fit(rows: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """Systems of a stated size and precision: the weights must fit into their memory. Repeats are judged too."""
    found = (_fit(*each) for each in _about(rows, benchmarks, accelerators, repeats=True))
    return verdict.frame(one for one in found if one)


def compute(rows: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """Language models: tokens/s <= accelerators x dense FLOP/s / (2 x active parameters)."""
    found = (_compute(*each) for each in _about(rows, benchmarks, accelerators))
    return verdict.frame(one for one in found if one)


def _about(
    rows: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame, repeats: bool = False
) -> Iterator[tuple[Row, pd.Series, pd.Series]]:
    """The published rates in tokens/s of models of known size, each with its benchmark and accelerator.

    A repeat takes precision and batch size from the figure that it repeats, where it says none itself.
    """
    published = rows[rows["origin"].eq("published")]
    first = published.set_index("id")
    identities = dict(benchmarks.set_index("benchmark").iterrows())
    facts = dict(accelerators.set_index("accelerator").iterrows())
    for figure in plain(published[published["unit"].eq("tokens/s")]):
        again = figure["duplicate_of"]
        if again and repeats and again in first.index:
            figure["precision"] = figure["precision"] or first.at[again, "precision"]
        known = figure["benchmark"] in identities and figure["accelerator"] in facts
        if known and (repeats or not again):
            identity = identities[figure["benchmark"]]
            if not math.isnan(identity["parameters_billion"]):
                yield figure, identity, facts[figure["accelerator"]]


def _decode(figure: Row, identity: pd.Series, facts: pd.Series, cache_gb: float) -> Row | None:
    bandwidth, memory = float(facts["memory_bandwidth_gb_per_s"]), float(facts["memory_gb"])
    if figure["batch_size"] != 1 or math.isnan(bandwidth) or math.isnan(memory):
        return None
    precision, stated = figure["precision"], figure["accelerator_count"]
    held = roofline.weight_gb(float(identity["parameters_billion"]), precision)
    read = roofline.weight_gb(roofline.active(identity), precision)
    count = max(int(stated) if stated > 0 else 1, roofline.needed(memory, held))
    ceiling = roofline.decode(bandwidth, read, count, cache_gb)
    printed = Interval(figure["low"], figure["high"])
    found = verdict.below(printed, ceiling)
    words = precision or f"{roofline.SMALLEST} (precision not stated, the smallest assumed)"
    needs = "" if stated > 0 else " (as many as hold the weights)"
    said = (
        f"At batch 1 each token reads {interval.number(read)} GB of {words} weights: {count}x {figure['accelerator']}"
        f"{needs} at {interval.number(bandwidth, 4)} GB/s reach at most {interval.number(ceiling)} tokens/s"
        f"{_verdict(printed, ceiling, LIFTED)} (datasheet {facts['confidence']})."
    )
    formula = f"{count} x {bandwidth:g} GB/s / {read + cache_gb:g} GB"
    return _row(figure, DECODE, found, printed, Interval(0.0, ceiling), "tokens/s", formula, said)


def _fit(figure: Row, identity: pd.Series, facts: pd.Series) -> Row | None:
    count, memory, precision = figure["accelerator_count"], float(facts["memory_gb"]), figure["precision"]
    if not count > 0 or figure["per"] != "system" or precision not in BYTES_PER_WEIGHT or math.isnan(memory):
        return None
    held = roofline.weight_gb(float(identity["parameters_billion"]), precision)
    least = roofline.needed(memory, held)
    found = "exact" if count == least else "within_rounding" if count > least else "impossible"
    fits = "fit" if count >= least else "do not fit"
    said = (
        f"{interval.number(held)} GB of {precision} weights {fits} into {count:.0f}x {figure['accelerator']} of "
        f"{interval.number(memory)} GB: {least} needed at least (datasheet {facts['confidence']})."
    )
    formula = f"{held:g} GB / {memory:g} GB, rounded up"
    return _row(figure, FIT, found, Interval(count, count), Interval(least, least), "accelerators", formula, said)


def _compute(figure: Row, identity: pd.Series, facts: pd.Series) -> Row | None:
    count = figure["accelerator_count"] if figure["per"] == "system" else 1
    tera, column = roofline.fastest(facts, figure["precision"])
    if not count > 0 or math.isnan(tera):
        return None
    ceiling = roofline.compute(tera, roofline.active(identity), count)
    printed = Interval(figure["low"], figure["high"])
    assumed = "" if roofline.COMPUTE.get(figure["precision"]) == column else " (the most favourable rate assumed)"
    said = (
        f"{count:.0f}x {figure['accelerator']} at {interval.number(tera, 4)} dense teraops/s of "
        f"{column.partition('_')[0]}{assumed} reach at most {interval.number(ceiling)} tokens/s of this model"
        f"{_verdict(printed, ceiling, 'unless sparsity was used')} (datasheet {facts['confidence']})."
    )
    formula = f"{count} x {tera:g}e12 / (2 x {roofline.active(identity):g}e9)"
    found = verdict.below(printed, ceiling)
    return _row(figure, COMPUTE, found, printed, Interval(0.0, ceiling), figure["unit"], formula, said)


def _verdict(printed: Interval, ceiling: float, lifted: str) -> str:
    if printed.low <= ceiling:
        return ", which the figure keeps below"
    return f"; the figure is {interval.number(printed.low / ceiling)} times that, {lifted}"


def _row(
    figure: Row, check: str, found: str, printed: Interval, expected: Interval, unit: str, formula: str, said: str
) -> Row:
    return verdict.row(figure, "results", check, found, printed, expected, unit, formula, said)
