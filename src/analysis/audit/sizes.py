"""Stated sizes, counts of accelerators and bills against what follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import NamedTuple

from analysis._core import interval
from analysis._core.cell_lists import first_of
from analysis._core.findings import exactly
from analysis._core.interval import Interval
from analysis._core.parameters import RealWorldDerating
from analysis._core.plain_values import grouped
from analysis._core.vocabulary import BYTES_PER_WEIGHT
from analysis.audit import physics, verdict
from analysis.audit.frames import Tables
from analysis.audit.verdict import AGREES, NOTHING, Judgment, Row, Verdict
from analysis.comparability import selection
from analysis.planner import capacity
from analysis.planner.curve import ESTIMATE

OWN_SIZING, OFFICIAL_SIZING = "sizing", "official sizing"
WEIGHTS, LARGEST, TOGETHER = "weight memory", "model fits", "system against accelerator"
KEPT = "size of what is kept"
SPARSITY = "sparsity-2:4"
INDEX_BITS = 2  # 2:4 sparsity keeps, with each kept weight, its place among four
SIZING = "users x rate / throughput"
QUESTION = {"users", "tokens_per_second_per_user", "accelerators_needed"}  # what an example states at least
SINGULAR = {"accelerators": "accelerator"}


class Example(NamedTuple):
    """An example of sizing: its claims by quantity, that of the accelerators needed, its question, price and rate."""

    claims: dict[str, Row]
    needed: Row
    users: int
    speed: float  # tokens/s of a user
    price: Interval
    rate: Row | None  # the highest per accelerator that its document prints for what it is about

    def beside(self, answers: dict[str, Interval]) -> Iterator[tuple[Row, Interval]]:
        """Yield the figures of the example that are answers, each beside what it should be."""
        yield from ((self.claims[quantity], ends) for quantity, ends in answers.items() if quantity in self.claims)

    def computed(self, throughput: Interval) -> Iterator[tuple[Row, Interval, str]]:
        """Yield what its arithmetic gives with a rate per accelerator, in words too: whole accelerators."""
        exact = exactly(self.users * self.speed) / throughput
        whole = Interval(*map(interval.whole, (exact.low, exact.high)))
        bill = whole * self.price
        answers = {"accelerators_needed": whole, "bill_per_hour": bill, "bill_per_user_hour": bill * (1 / self.users)}
        for stated, expected in self.beside(answers):
            if expected.known:
                unit = SINGULAR.get(stated["unit"], stated["unit"]) if expected == exactly(1) else stated["unit"]
                yield stated, expected, f"{expected.text()} {unit}"


def sizing(tables: Tables) -> Iterator[Judgment]:
    """Check a sizing example (users, accelerators, bill) against its document's throughput and price."""
    for example in _examples(tables):
        if rate := example.rate:
            own = f"{interval.of(rate).text(4)} tokens/s per {rate['accelerator']}"
            for stated, expected, amount in example.computed(interval.of(rate)):
                words = f"With the document's own {own} the example gives {amount}."
                yield Judgment(stated, OWN_SIZING, expected, f"{SIZING}, {rate['id']}", words)


def official_sizing(tables: Tables) -> Iterator[Judgment]:
    """The same question asked of the capacity plan, as the derating report and the command line ask it.

    The price is the document's. Without an official run at the speed of the example no official result confirms or
    contradicts it: Offline throughput has no speed for a user.
    """
    record = selection.record(tables.results, tables.benchmarks)
    facts = {name: getattr(tables, name) for name in ("accelerators", "prices", "benchmark_limits", "request_lengths")}
    data = SimpleNamespace(**record._asdict(), **facts)
    for example in _examples(tables):
        price, accelerator = example.price, example.needed["subject_accelerator"]
        asked = RealWorldDerating(
            users=example.users,
            tokens_per_second_per_user=example.speed,
            benchmark=example.needed["benchmark"],
            baseline=accelerator,
            prices=[f"{price.low}-{price.high}"] if price.known else [],
            cost_model="documents",
        )
        planned = capacity.make(data, asked)
        rented = planned.likely("nodes") * planned.node
        bill, per_user_hour = (planned.likely(name) for name in ("usd_per_hour", "usd_per_user_hour"))
        answers = {"accelerators_needed": rented, "bill_per_hour": bill, "bill_per_user_hour": per_user_hour}
        speed = f"{example.speed:g} tokens/s"
        lacking = f"No official run of {accelerator} has {speed} per user; Offline has no interactivity."
        submitted = planned.evidence != ESTIMATE  # An estimate is no official result.
        for stated, claimed in example.beside(answers):
            words = f"At official rates with {speed} for each user it takes {claimed.text()} {stated['unit']}."
            known, ids = claimed.known and submitted, sorted(set(planned.behind["result_id"]))
            outcome = (claimed, first_of(ids, 3), words) if known else (NOTHING, "", lacking)
            no_basis = None if known else Verdict.NO_OFFICIAL_RESULT
            yield Judgment(stated, OFFICIAL_SIZING, *outcome, verdict=no_basis)


def weight_memory(tables: Tables) -> Iterator[Judgment]:
    """Check printed gigabytes of weights against parameters x bytes per weight."""
    for quantized, parameters in _weighed(tables):
        printed = interval.of(quantized, "weight_memory_gb")
        if printed.known:
            bytes_each = BYTES_PER_WEIGHT[quantized["precision"]]
            held = parameters * bytes_each
            words = f"{parameters:g} billion weights of {bytes_each:g} bytes are {interval.number(held)} GB."
            reference = f"{parameters:g}e9 x {bytes_each:g} bytes"
            yield Judgment(quantized, WEIGHTS, exactly(held), reference, words, printed=printed, unit="GB")


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
            expected = exactly(count * capacity)
            words = f"{count:.0f}x {accelerator} of {capacity:g} GB hold {interval.number(expected.low, 4)} GB."
            yield Judgment(claim, TOGETHER, expected, f"{count:.0f} x {capacity:g} GB", words)


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
            agrees = [bits for bits, size in sizes.items() if verdict.compare(printed, exactly(size)) in AGREES]
            ends = (sizes[agrees[0]],) * 2 if agrees else (0.5, max(sizes.values()))
            yield Judgment(
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


def _examples(tables: Tables) -> Iterator[Example]:
    """Yield the example of sizing of each document that has one."""
    for (source,), stated in grouped(tables.figures("claims"), ["source_id"]).items():
        claims = {claim["quantity"]: claim for claim in reversed(stated)}  # the first of each quantity
        if claims.keys() >= QUESTION:
            needed, speed = claims["accelerators_needed"], claims["tokens_per_second_per_user"]
            printed, prices = (
                [row for row in tables.figures(table)
                 if row["source_id"] == source and row["accelerator"] == needed["subject_accelerator"]]
                for table in ("results", "prices")
            )  # fmt: skip
            rates = [row for row in printed if row["benchmark"] == needed["benchmark"] and row["per"] == "accelerator"]
            yield Example(
                claims=claims,
                needed=needed,
                users=int(claims["users"]["low"]),
                speed=(speed["low"] + speed["high"]) / 2,  # the number that was printed and rounded
                price=interval.envelope(map(interval.of, prices)),
                rate=max(rates, key=lambda figure: figure["high"], default=None),
            )


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
    return Judgment(claim, LARGEST, expected, "memory / bytes a weight", words, verdict=outcome)
