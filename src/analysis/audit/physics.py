"""Published results against hardware limits: memory bandwidth, memory for the weights, dense compute.

Unknowns are assumed in favor of the figure: the most favorable precision, as many accelerators as the weights need, and
no cost of cache and prompt beyond `cache_gb`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from analysis._core import interval
from analysis._core.findings import exactly
from analysis._core.interval import Interval
from analysis._core.vocabulary import BYTES_PER_WEIGHT
from analysis.audit import verdict
from analysis.audit.frames import Tables
from analysis.audit.verdict import Judgment, Row
from analysis.methods import roofline

DECODE, FIT, COMPUTE = "batch-1 bandwidth", "weights fit", "dense compute"
LIFTED = "unless speculative decoding, sparsity or a larger batch was used"


def decode(tables: Tables, cache_gb: float = 0.0) -> Iterator[Judgment]:
    """Decoders at batch 1: tokens/s <= accelerators x bandwidth / (weight bytes + `cache_gb` of KV cache)."""
    for figure, identity, facts in _about(tables):
        precision, stated = figure["precision"], figure["accelerator_count"]
        bandwidth = float(facts["memory_bandwidth_gb_per_s"])
        _, _, least = tables.holding(figure["benchmark"], precision, figure["accelerator"])
        if figure["batch_size"] != 1 or math.isnan(bandwidth) or math.isnan(least):
            continue
        gigabytes_read = roofline.weight_gb(roofline.active(identity), precision)
        count = at_least(stated, least)
        ceiling = roofline.decode(bandwidth, gigabytes_read, count, cache_gb)
        weights = precision or f"{roofline.SMALLEST} (precision not stated, the smallest assumed)"
        needs = "" if stated > 0 else " (as many as hold the weights)"
        words = (
            f"At batch 1 each token reads {interval.number(gigabytes_read)} GB of {weights} weights: {count}x "
            f"{figure['accelerator']}{needs} at {interval.number(bandwidth, 4)} GB/s"
        )
        reference = f"{count} x {bandwidth:g} GB/s / {gigabytes_read + cache_gb:g} GB"
        yield _under(figure, DECODE, ceiling, reference, words, "", LIFTED, facts)


def at_least(stated: float, least: float) -> int:
    """The accelerators of a decoder: as many as are stated, and no fewer than hold the weights."""
    return max(int(stated) if stated > 0 else 1, int(least))


def fit(tables: Tables) -> Iterator[Judgment]:
    """Check that the weights fit into the memory of a system of stated size and precision, also of repeats."""
    for figure, _, facts in _about(tables, repeats=True):
        count, precision, accelerator = figure["accelerator_count"], figure["precision"], figure["accelerator"]
        held, capacity, least = tables.holding(figure["benchmark"], precision, accelerator)
        if not count > 0 or figure["per"] != "system" or precision not in BYTES_PER_WEIGHT or math.isnan(least):
            continue
        fits = "fit" if count * capacity >= held else "do not fit"
        words = (
            f"{interval.number(held)} GB of {precision} weights {fits} into {count:.0f}x {accelerator} of "
            f"{interval.number(capacity)} GB: a group of {least:.0f} holds them (datasheet {facts['confidence']})."
        )
        yield enough(figure, count, (held, capacity, least), words)


def compute(tables: Tables) -> Iterator[Judgment]:
    """Language models: tokens/s <= accelerators x dense FLOP/s / (2 x active parameters)."""
    for figure, identity, facts in _about(tables):
        count = figure["accelerator_count"] if figure["per"] == "system" else 1
        tera, precision = roofline.fastest(facts, figure["precision"])
        if not count > 0 or math.isnan(tera):
            continue
        active = roofline.active(identity)
        rate_known = roofline.COMPUTE.get(figure["precision"]) == roofline.COMPUTE[precision]
        assumed = "" if rate_known else " (the most favorable rate assumed)"
        speed = f"{interval.number(tera, 4)} dense teraops/s of {precision}{assumed}"
        words = f"{count:.0f}x {figure['accelerator']} at {speed}"
        ceiling, reference = roofline.compute(tera, active, count), f"{count} x {tera:g}e12 / (2 x {active:g}e9)"
        yield _under(figure, COMPUTE, ceiling, reference, words, " of this model", "unless sparsity was used", facts)


def enough(figure: Row, stated: float, weights: tuple[float, float, float], words: str) -> Judgment:
    """The judgment on a number of accelerators, from `Tables.holding`: too few where the weights do not fit."""
    held, capacity, least = weights
    fits = stated * capacity >= held
    return Judgment(
        figure,
        FIT,
        exactly(least),
        f"{held:g} GB / {capacity:g} GB, up to a power of two",
        words,
        verdict=verdict.enough(max(stated, least) if fits else stated, least),
        printed=exactly(stated),
        unit="accelerators",
    )


def batch_one(rows: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """Return the results that the batch-1 check judges, with `precision` as assumed and `above` (the limit)."""
    verdicts = judged[judged["check"].eq(DECODE)].set_index("row_id")["verdict"]
    at_one = rows[rows["id"].isin(verdicts.index)]
    precision = at_one["precision"].where(at_one["precision"].ne(""), roofline.SMALLEST)
    return at_one.assign(
        precision=precision, above=at_one["id"].map(verdicts).eq(verdict.Verdict.PHYSICALLY_IMPOSSIBLE)
    )


def roofline_points(at_one: pd.DataFrame, roofs: pd.DataFrame, comparable: pd.DataFrame) -> pd.DataFrame:
    """Return the points of a roofline chart, per accelerator, from `batch_one`, roofline.roofs and comparable rows.

    Published rates are at one sequence, official ones at the fewest sequences that could reach them. Columns:
    accelerator, x_low/high (sequences), y_low/high (tokens/s per accelerator), above, what (precision or `official`).
    """
    held = at_one.merge(roofs[["accelerator", "precision", "needed"]], on=["accelerator", "precision"], how="left")
    count = held["needed"].astype("float64").clip(lower=held["accelerator_count"].astype("float64"))
    published = interval.put(held[["accelerator", "above"]], "x", Interval(1.0, 1.0))
    published = interval.put(published, "y", interval.of(held) / count).assign(what=held["precision"].str.upper())
    steep = roofs.groupby("accelerator")["at_batch_1"].max()
    rows = comparable[comparable["origin"].eq("official") & comparable["accelerator"].isin(steep.index)]
    rated = interval.hull(rows, ["accelerator"], "per_accelerator")
    rate = interval.of(rated, "per_accelerator")
    official = interval.put(rated[["accelerator"]].assign(above=False, what="official"), "y", rate)
    # The fewest sequences that could reach it, all at the speed of one.
    official = interval.put(official, "x", rate / rated["accelerator"].map(steep).astype("float64"))
    points = pd.concat([published, official], ignore_index=True)
    return points.assign(label=points["accelerator"] + " " + points["what"])


def _about(tables: Tables, repeats: bool = False) -> Iterator[tuple[Row, Row, Row]]:
    """The published rates in tokens/s of models of known size, each with its benchmark and accelerator.

    With `repeats` a repeat takes its precision from the figure that it repeats, where it says none itself.
    """
    by_id = {figure["id"]: figure for figure in tables.mentions("results")}
    for figure in tables.mentions("results") if repeats else tables.figures("results"):
        if figure["unit"] != "tokens/s" or figure["accelerator"] not in tables.parts:
            continue
        if not math.isnan(tables.parameters_billion(figure["benchmark"])):
            origin = by_id.get(figure["duplicate_of"], figure)
            stated = figure | {"precision": figure["precision"] or origin["precision"]}
            yield stated, tables.models[figure["benchmark"]], tables.parts[figure["accelerator"]]


def _under(
    figure: Row, check: str, ceiling: float, reference: str, words: str, scope: str, lifted: str, facts: Row
) -> Judgment:
    """The judgment on a rate that cannot be above `ceiling` unless `lifted`; `words` and `scope` are around it."""
    printed = interval.of(figure)
    times = f"; the figure is {interval.number(printed.low / ceiling)}x that, {lifted}"
    beside = ", which the figure does not exceed" if printed.low <= ceiling else times
    words += f" reach at most {interval.number(ceiling)} tokens/s{scope}{beside} (datasheet {facts['confidence']})."
    below = verdict.below(printed, ceiling)
    return Judgment(figure, check, Interval(0.0, ceiling), reference, words, verdict=below)
