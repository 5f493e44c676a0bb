"""Stated sizes, counts of accelerators and bills against what follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from analysis.audit import physics, verdict
from analysis.audit.frames import Tables
from analysis.audit.lookup import PRICE, ids, plain, rate
from analysis.audit.verdict import AGREES, Judgement, Row, Verdict
from analysis.core import interval
from analysis.core.interval import Interval
from analysis.core.vocabulary import BYTES_PER_WEIGHT
from analysis.themes import derating

OWN_SIZING, OFFICIAL_SIZING = "sizing", "official sizing"
WEIGHTS, LARGEST, TOGETHER = "weight memory", "model fits", "system against accelerator"
KEPT = "size of what is kept"
SPARSITY = "sparsity-2:4"
INDEX_BITS = 2  # 2:4 sparsity keeps, with each kept weight, its place among four
SIZING = "users x rate / throughput"
SINGULAR = {"accelerators": "accelerator"}
ASKED = {"metric": "throughput", "power_measured": False, "division": "closed", "precision": "", "accuracy_target": ""}


def sizing(tables: Tables) -> Iterator[Judgement]:
    """A document's example of users, accelerators and bill against its own throughput and price per accelerator."""
    for example, claim in _examples(tables):
        same = [
            figure for figure in tables.figures("results")
            if figure["source_id"] == claim["source_id"] and figure["accelerator"] == claim["subject_accelerator"]
            and figure["benchmark"] == claim["benchmark"] and figure["per"] == "accelerator"
        ]  # fmt: skip
        if same:
            best = max(same, key=lambda figure: figure["high"])
            price = _price(tables, claim)
            yield from _sized(example, interval.of(best), price, OWN_SIZING, best["id"], "the document's own")


def official_sizing(tables: Tables) -> Iterator[Judgement]:
    """The same example on the official Offline throughput per accelerator of the round that the document is about."""
    for example, claim in _examples(tables):
        asked = ASKED | {"scenario": "Offline", "benchmark": claim["benchmark"]}
        asked |= {"round": tables.rounds_of.get(claim["source_id"], "")}
        near = tables.record.beside(asked, [claim["subject_accelerator"]])
        throughput = verdict.hull(rate(row, "tokens/s", True) for row in near)
        if throughput.known:
            price = _price(tables, claim)
            yield from _sized(example, throughput, price, OFFICIAL_SIZING, ids(near), "the official")


def weight_memory(tables: Tables) -> Iterator[Judgement]:
    """Printed gigabytes of weights against parameters x bytes per weight."""
    for way, parameters in _weighed(tables):
        printed = interval.of(way, "weight_memory_gb")
        if printed.known:
            one = BYTES_PER_WEIGHT[way["precision"]]
            held = parameters * one
            words = f"{parameters:g} billion weights of {one:g} bytes are {interval.number(held)} GB."
            reference = f"{parameters:g}e9 x {one:g} bytes"
            yield Judgement.on(way, WEIGHTS, Interval(held, held), reference, words, printed=printed, unit="GB")


def accelerators_needed(tables: Tables) -> Iterator[Judgement]:
    """Printed numbers of accelerators for a precision against what its weights alone need."""
    for way, _ in _weighed(tables):
        stated, part = way["accelerators_needed"], way["accelerator"]
        held, capacity, least = tables.holding(way["benchmark"], way["precision"], part)
        if not (math.isnan(least) or math.isnan(stated)):
            words = f"{interval.number(held)} GB of weights need {least:.0f}x {part} of {capacity:g} GB."
            yield physics.enough(way, stated, (held, capacity, least), words)


def model_limit(tables: Tables) -> Iterator[Judgement]:
    """The largest model said to fit an accelerator: parameters <= memory / bytes per weight, at each precision.

    Fits at every precision: within rounding; at some only, or with nothing left for cache: conditional.
    """
    for claim in tables.stated("model_parameters"):
        capacity = tables.memory_gb(claim["subject_accelerator"])
        if claim["bound"] == "at_most" and not math.isnan(capacity):
            yield _limit(claim, capacity)


def together(tables: Tables) -> Iterator[Judgement]:
    """Memory said of several accelerators together against their number times the memory of one."""
    for claim in tables.stated("memory_capacity"):
        count, part = claim["accelerator_count"], claim["subject_accelerator"]
        if count > 1:
            capacity = tables.memory_gb(part)
            expected = Interval(count * capacity, count * capacity)
            words = f"{count:.0f}x {part} of {capacity:g} GB hold {interval.number(expected.low, 4)} GB."
            yield Judgement.on(claim, TOGETHER, expected, f"{count:.0f} x {capacity:g} GB", words)


def sparse_size(tables: Tables) -> Iterator[Judgement]:
    """The size of a 2:4 sparse model: half of the weights and, for each, two bits that say where it stood.

    (b + 2) / 2b of the original at b bits a weight: 0.625 at 8 bits, 0.5625 at 16. Conditional where only one agrees.
    """
    figures = [(way, interval.of(way, "size_ratio")) for way in tables.mentions("quantization")]
    claims = [claim for claim in tables.mentions("claims") if claim["quantity"] == "model_size_ratio"]
    figures = [(way, printed) for way, printed in figures if printed.known]
    figures += [(claim, interval.of(claim)) for claim in claims]
    sizes = {bits: (bits + INDEX_BITS) / (2 * bits) for bits in (16, 8, 4)}
    at_widths = ", ".join(f"{size:g} at {bits} bits" for bits, size in sizes.items())
    alone = (
        f"Half of the weights alone would be half the size; with {INDEX_BITS} bits for the place of each kept one it"
    )
    for figure, printed in figures:
        if figure["technique"] == SPARSITY:
            agrees = [bits for bits, size in sizes.items() if verdict.compare(printed, Interval(size, size)) in AGREES]
            ends = (sizes[agrees[0]],) * 2 if agrees else (0.5, max(sizes.values()))
            yield Judgement.on(
                figure,
                KEPT,
                Interval(*ends),
                "(b + 2) / 2b at b bits a weight",
                f"{alone} is {at_widths}{f': holds for {agrees[0]}-bit weights' if agrees else ''}.",
                verdict=Verdict.CONDITIONAL if agrees else Verdict.CONTRADICTS,
                printed=printed,
                unit="ratio",
            )


def _weighed(tables: Tables) -> Iterator[tuple[Row, float]]:
    """The rows of quantization whose weights can be weighed, with the parameters of the model in 1e9."""
    for way in tables.mentions("quantization"):
        parameters = tables.parameters_billion(way["benchmark"])
        if way["precision"] in BYTES_PER_WEIGHT and not math.isnan(parameters):
            yield way, parameters


def _examples(tables: Tables) -> Iterator[tuple[pd.DataFrame, Row]]:
    """The claims of each document that has an example of sizing, and that of the accelerators needed among them."""
    for _, claims in tables.claims.groupby("source_id", sort=False):
        if {"users", "tokens_per_second_per_user", "accelerators_needed"} <= set(claims["quantity"]):
            yield claims, plain(claims[claims["quantity"].eq("accelerators_needed")], "claims")[0]


def _sized(
    example: pd.DataFrame, throughput: Interval, price: Interval, check: str, reference: str, whose: str
) -> Iterator[Judgement]:
    claims = {row["quantity"]: row for row in reversed(plain(example[example["duplicate_of"].eq("")], "claims"))}
    for computed in derating.example(example, throughput, price).to_dict("records"):
        claim, expected = claims[computed["quantity"]], interval.of(computed, "computed")
        if not expected.known:
            continue
        unit = SINGULAR.get(claim["unit"], claim["unit"]) if expected == Interval(1, 1) else claim["unit"]
        words = (
            f"With {whose} {throughput.text(4)} tokens/s per {claim['subject_accelerator']} the example gives "
            f"{expected.text()} {unit}."
        )
        printed = interval.of(computed, "stated")
        yield Judgement.on(claim, check, expected, f"{SIZING}, {reference}", words, printed=printed)


def _price(tables: Tables, claim: Row) -> Interval:
    """The range over the document's prices of the accelerator that a claim is about."""
    own = [price for price in tables.figures("prices") if price["source_id"] == claim["source_id"]]
    return verdict.hull(interval.of(row, PRICE) for row in own if row["accelerator"] == claim["subject_accelerator"])


def _limit(claim: Row, capacity: float) -> Judgement:
    largest = {name: capacity / size for name, size in BYTES_PER_WEIGHT.items()}
    room = [name for name, most in largest.items() if claim["high"] < most]
    brim = [name for name, most in largest.items() if claim["high"] == most]
    some = Verdict.CONDITIONAL if len(room) < len(largest) else Verdict.WITHIN_ROUNDING
    outcome = some if room or brim else Verdict.IMPOSSIBLE
    at_precisions = ", ".join(f"{interval.number(most)} billion at {name}" for name, most in largest.items())
    full = f"; at {' and '.join(brim)} nothing is left for cache and activations" if brim else ""
    subject, expected = claim["subject_accelerator"], Interval(min(largest.values()), max(largest.values()))
    words = f"{capacity:g} GB of one {subject} hold the weights of at most {at_precisions}{full}."
    return Judgement.on(claim, LARGEST, expected, "memory / bytes a weight", words, verdict=outcome)
