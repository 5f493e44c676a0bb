"""Stated sizes, counts of accelerators and bills against what follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from analysis._core import interval
from analysis._core.cell_lists import first_of
from analysis._core.interval import Interval
from analysis._core.parameters import RealWorldDerating
from analysis._core.vocabulary import BYTES_PER_WEIGHT
from analysis.audit import against_record, physics, verdict
from analysis.audit.frames import Tables
from analysis.audit.lookup import PRICE, row_dicts
from analysis.audit.verdict import AGREES, NOTHING, Judgment, Row, Verdict
from analysis.comparability import selection
from analysis.planner import capacity

OWN_SIZING, OFFICIAL_SIZING, AT_OFFICIAL_RATE = "sizing", "official sizing", "sizing at the official rate"
WEIGHTS, LARGEST, TOGETHER = "weight memory", "model fits", "system against accelerator"
KEPT = "size of what is kept"
SPARSITY = "sparsity-2:4"
INDEX_BITS = 2  # 2:4 sparsity keeps, with each kept weight, its place among four
SIZING = "users x rate / throughput"
SINGULAR = {"accelerators": "accelerator"}


def sizing(tables: Tables) -> Iterator[Judgment]:
    """Check a sizing example (users, accelerators, bill) against its document's throughput and price."""
    for example, claim in _examples(tables):
        if rate := _rate(tables, claim):
            throughput, price = interval.of(rate), _price(tables, claim)
            premise = (
                f"With the document's own {throughput.text(4)} tokens/s per {claim['subject_accelerator']} the example"
            )
            for stated, expected in _sized(example, throughput, price):
                words = f"{premise} gives {_amount(stated, expected)}."
                yield Judgment.on(stated, OWN_SIZING, expected, f"{SIZING}, {rate['id']}", words)


def official_sizing(tables: Tables) -> Iterator[Judgment]:
    """The same question asked of the capacity plan, as the derating report and the command line ask it.

    The price is the document's. Without an official run at the speed of the example no official result confirms it.
    """
    for example, claim in _examples(tables):
        asked = _asked(tables, example, claim)
        planned = capacity.make(_Record.of(tables), asked)
        rented = planned.likely("nodes") * planned.node
        bill, per_user_hour = (planned.likely(name) for name in ("usd_per_hour", "usd_per_user_hour"))
        answers = {"accelerators_needed": rented, "bill_per_hour": bill, "bill_per_user_hour": per_user_hour}
        accelerator, speed = asked.baseline, f"{asked.tokens_per_second_per_user:g} tokens/s"
        lacking = f"No official run of {accelerator} gave each user {speed}."
        for stated, claimed in _stated(example, answers):
            words = f"At official rates with {speed} for each user it takes {claimed.text()} {stated['unit']}."
            known, ids = claimed.known, sorted(set(planned.behind["result_id"]))
            outcome = (claimed, first_of(ids, 3), words) if known else (NOTHING, "", lacking)
            no_basis = None if known else Verdict.NO_OFFICIAL_RESULT
            yield Judgment.on(stated, OFFICIAL_SIZING, *outcome, verdict=no_basis)


def sizing_at_official_rate(tables: Tables) -> Iterator[Judgment]:
    """Check a sizing example whose rate official results contradict: its own arithmetic with the official rate."""
    rates = {judgment.figure["id"]: judgment for judgment in tables.judgments(against_record.results)}
    for example, claim in _examples(tables):
        printed_rate = _rate(tables, claim)
        official = printed_rate and rates.get(printed_rate["id"])
        if official and official.verdict is Verdict.CONTRADICTED:
            rate = f"{official.expected.text(4)} tokens/s per {claim['subject_accelerator']}"
            for stated, expected in _sized(example, official.expected, _price(tables, claim)):
                amount = _amount(stated, expected)
                words = (
                    f"Its rate contradicts official results: with the official {rate} its arithmetic gives {amount}."
                )
                yield Judgment.on(stated, AT_OFFICIAL_RATE, expected, f"{SIZING}, {official.reference}", words)


def weight_memory(tables: Tables) -> Iterator[Judgment]:
    """Check printed gigabytes of weights against parameters x bytes per weight."""
    for quantized, parameters in _weighed(tables):
        printed = interval.of(quantized, "weight_memory_gb")
        if printed.known:
            bytes_each = BYTES_PER_WEIGHT[quantized["precision"]]
            held = parameters * bytes_each
            words = f"{parameters:g} billion weights of {bytes_each:g} bytes are {interval.number(held)} GB."
            reference = f"{parameters:g}e9 x {bytes_each:g} bytes"
            yield Judgment.on(quantized, WEIGHTS, Interval(held, held), reference, words, printed=printed, unit="GB")


def accelerators_needed(tables: Tables) -> Iterator[Judgment]:
    """Check printed numbers of accelerators for a precision against what its weights alone need."""
    for quantized, _ in _weighed(tables):
        stated, accelerator = quantized["accelerators_needed"], quantized["accelerator"]
        held, capacity, least = tables.holding(quantized["benchmark"], quantized["precision"], accelerator)
        if not (math.isnan(least) or math.isnan(stated)):
            words = f"{interval.number(held)} GB of weights need {least:.0f}x {accelerator} of {capacity:g} GB."
            yield physics.enough(quantized, stated, (held, capacity, least), words)


def model_limit(tables: Tables) -> Iterator[Judgment]:
    """The largest model said to fit an accelerator: parameters <= memory / bytes per weight, at each precision.

    Fits at every precision: within rounding; at some only, or with nothing left for cache: conditional.
    """
    for claim in tables.stated("model_parameters"):
        capacity = tables.memory_gb(claim["subject_accelerator"])
        if claim["bound"] == "at_most" and not math.isnan(capacity):
            yield _limit(claim, capacity)


def together(tables: Tables) -> Iterator[Judgment]:
    """Memory stated for several accelerators together against their number times the memory of one."""
    for claim in tables.stated("memory_capacity"):
        count, accelerator = claim["accelerator_count"], claim["subject_accelerator"]
        if count > 1:
            capacity = tables.memory_gb(accelerator)
            expected = Interval(count * capacity, count * capacity)
            words = f"{count:.0f}x {accelerator} of {capacity:g} GB hold {interval.number(expected.low, 4)} GB."
            yield Judgment.on(claim, TOGETHER, expected, f"{count:.0f} x {capacity:g} GB", words)


def sparse_size(tables: Tables) -> Iterator[Judgment]:
    """The size of a 2:4 sparse model: half of the weights and, for each, two bits that say where it stood.

    (b + 2) / 2b of the original at b bits a weight: 0.625 at 8 bits, 0.5625 at 16. Conditional where only one agrees.
    """
    figures = [(quantized, interval.of(quantized, "size_ratio")) for quantized in tables.mentions("quantization")]
    claims = [claim for claim in tables.mentions("claims") if claim["quantity"] == "model_size_ratio"]
    figures = [(quantized, printed) for quantized, printed in figures if printed.known]
    figures += [(claim, interval.of(claim)) for claim in claims]
    sizes = {bits: (bits + INDEX_BITS) / (2 * bits) for bits in (16, 8, 4)}
    at_widths = ", ".join(f"{size:g} at {bits} bits" for bits, size in sizes.items())
    premise = (
        f"Half of the weights alone would be half the size; with {INDEX_BITS} bits for the place of each kept one it"
    )
    for figure, printed in figures:
        if figure["technique"] == SPARSITY:
            agrees = [bits for bits, size in sizes.items() if verdict.compare(printed, Interval(size, size)) in AGREES]
            ends = (sizes[agrees[0]],) * 2 if agrees else (0.5, max(sizes.values()))
            yield Judgment.on(
                figure,
                KEPT,
                Interval(*ends),
                "(b + 2) / 2b at b bits a weight",
                f"{premise} is {at_widths}{f': holds for {agrees[0]}-bit weights' if agrees else ''}.",
                verdict=Verdict.CONDITIONAL if agrees else Verdict.CONTRADICTED,
                printed=printed,
                unit="ratio",
            )


def _weighed(tables: Tables) -> Iterator[tuple[Row, float]]:
    """The rows of quantization whose weights can be weighed, with the parameters of the model in 1e9."""
    for quantized in tables.mentions("quantization"):
        parameters = tables.parameters_billion(quantized["benchmark"])
        if quantized["precision"] in BYTES_PER_WEIGHT and not math.isnan(parameters):
            yield quantized, parameters


def _examples(tables: Tables) -> Iterator[tuple[pd.DataFrame, Row]]:
    """The claims of each document that has an example of sizing, and that of the accelerators needed among them."""
    for _, claims in tables.claims.groupby("source_id", sort=False):
        if {"users", "tokens_per_second_per_user", "accelerators_needed"} <= set(claims["quantity"]):
            yield claims, row_dicts(claims[claims["quantity"].eq("accelerators_needed")], "claims")[0]


def _rate(tables: Tables, claim: Row) -> Row | None:
    """The highest rate per accelerator that the document of an example prints for what the example is about."""
    figures = [
        figure for figure in tables.figures("results")
        if figure["source_id"] == claim["source_id"] and figure["accelerator"] == claim["subject_accelerator"]
        and figure["benchmark"] == claim["benchmark"] and figure["per"] == "accelerator"
    ]  # fmt: skip
    return max(figures, key=lambda figure: figure["high"], default=None)


def _amount(stated: Row, expected: Interval) -> str:
    unit = SINGULAR.get(stated["unit"], stated["unit"]) if expected == Interval(1, 1) else stated["unit"]
    return f"{expected.text()} {unit}"


def _sized(example: pd.DataFrame, throughput: Interval, price: Interval) -> Iterator[tuple[Row, Interval]]:
    """What the example's arithmetic gives with a rate per accelerator: whole accelerators, whatever their speed."""
    users, speed = _question(example)
    exact = Interval(users * speed, users * speed) / throughput
    whole = Interval(*map(interval.whole, (exact.low, exact.high)))
    bill = whole * price
    answers = {"accelerators_needed": whole, "bill_per_hour": bill, "bill_per_user_hour": bill * (1 / users)}
    yield from ((stated, expected) for stated, expected in _stated(example, answers) if expected.known)


def _stated(example: pd.DataFrame, answers: dict[str, Interval]) -> Iterator[tuple[Row, Interval]]:
    """The figures of an example that are answers, each once and beside what it should be."""
    claims = {row["quantity"]: row for row in reversed(row_dicts(example[example["duplicate_of"].eq("")], "claims"))}
    yield from ((claims[quantity], expected) for quantity, expected in answers.items() if quantity in claims)


def _question(example: pd.DataFrame) -> tuple[int, float]:
    """How many users of how many tokens/s each an example asks about."""
    once = example.drop_duplicates("quantity").set_index("quantity")
    low, high = once.loc["tokens_per_second_per_user", ["low", "high"]]
    return int(once.at["users", "low"]), float(low + high) / 2  # the number that was printed and rounded


def _asked(tables: Tables, example: pd.DataFrame, claim: Row) -> RealWorldDerating:
    """The question of an example to the capacity plan, at the document's own price where it states one."""
    (users, speed), price = _question(example), _price(tables, claim)
    quotes = [f"{price.low}-{price.high}"] if price.known else []
    choices = {"benchmark": claim["benchmark"], "baseline": claim["subject_accelerator"], "prices": quotes}
    choices["cost_model"] = "documents"
    return RealWorldDerating(users=users, tokens_per_second_per_user=speed, **choices)


class _Record(NamedTuple):
    """The official results with what a plan asks for beside them."""

    results: pd.DataFrame
    benchmarks: pd.DataFrame
    doubts: pd.DataFrame
    accelerators: pd.DataFrame
    prices: pd.DataFrame
    benchmark_limits: pd.DataFrame

    @classmethod
    def of(cls, tables: Tables) -> _Record:
        record = selection.record(tables.results, tables.benchmarks)
        return cls(*record, tables.accelerators, tables.prices, tables.benchmark_limits)


def _price(tables: Tables, claim: Row) -> Interval:
    """The range over the document's prices of the accelerator that a claim is about."""
    prices = [price for price in tables.figures("prices") if price["source_id"] == claim["source_id"]]
    return verdict.hull(interval.of(row, PRICE) for row in prices if row["accelerator"] == claim["subject_accelerator"])


def _limit(claim: Row, capacity: float) -> Judgment:
    largest = {name: capacity / size for name, size in BYTES_PER_WEIGHT.items()}
    room = [name for name, billions in largest.items() if claim["high"] < billions]
    brim = [name for name, billions in largest.items() if claim["high"] == billions]
    if_it_fits = Verdict.CONDITIONAL if len(room) < len(largest) else Verdict.WITHIN_ROUNDING
    outcome = if_it_fits if room or brim else Verdict.PHYSICALLY_IMPOSSIBLE
    at_precisions = ", ".join(f"{interval.number(billions)} billion at {name}" for name, billions in largest.items())
    full = f"; at {' and '.join(brim)} nothing is left for cache and activations" if brim else ""
    subject, expected = claim["subject_accelerator"], Interval(min(largest.values()), max(largest.values()))
    words = f"{capacity:g} GB of one {subject} hold the weights of at most {at_precisions}{full}."
    return Judgment.on(claim, LARGEST, expected, "memory / bytes a weight", words, verdict=outcome)
