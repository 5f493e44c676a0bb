"""Stated ratios against the figures of the same document that they describe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from analysis._core import interval
from analysis._core.findings import exactly
from analysis._core.interval import Interval
from analysis.audit.frames import Tables
from analysis.audit.verdict import AGREES, HOLDS, Judgment, Row, Verdict, compare

CHECK, PRODUCT, OF_PART = "ratio of its own figures", "product of its own ratios", "gain from its part"
OF_CLAIMS = {
    "tokens_per_dollar_ratio": "tokens_per_dollar",
    "memory_capacity_ratio": "memory_capacity",
    "memory_bandwidth_ratio": "memory_bandwidth",
}
EXPLAINED = {"throughput_ratio_by_bandwidth": "memory_bandwidth"}  # a ratio, and what the document explains it by
OF_PRICES = ("price_ratio", "break_even_throughput_ratio")


def stated(tables: Tables) -> Iterator[Judgment]:
    """Ratios of throughput, tokens per dollar, memory, bandwidth and price against the document's own two figures.

    A range that two ranges allow, but not when both are taken at the same end, is conditional.
    """
    for claim in tables.figures("claims"):
        over, under = (_side(claim, side, tables) for side in ("subject", "baseline"))
        if claim["quantity"] not in EXPLAINED and over and under:
            yield _ratio(claim, claim["range_basis"], over, under)


def explained(tables: Tables) -> Iterator[Judgment]:
    """Ratios against those of the document's own figures that it explains them by."""
    for quantity in EXPLAINED:
        for claim in tables.stated(quantity):
            over, under = (_side(claim, side, tables) for side in ("subject", "baseline"))
            if over and under:
                yield _ratio(claim, claim["range_basis"], over, under)


def quantization(tables: Tables) -> Iterator[Judgment]:
    """Stated gains of a precision against the rates of the document's own table; the open division has none.

    A gain that holds between systems of different size is conditional: per accelerator it is another.
    """
    rates = {figure["id"]: figure for figure in tables.mentions("results")}
    by_id = {row["id"]: row for row in tables.mentions("quantization")}
    bases = {(row["source_id"], row["technique"]): row for row in reversed(by_id.values())}
    for quantized in by_id.values():
        original = by_id.get(quantized["duplicate_of"], quantized)
        base = bases.get((quantized["source_id"], quantized["speedup_baseline"]))
        over, under = rates.get(original["result_row"]), rates.get(base["result_row"]) if base else None
        if not (over and under and quantized["speedup_low"] > 0):
            continue
        judgment = _ratio(quantized, "approximate", [over], [under])
        count_over, count_under = (figure["accelerator_count"] for figure in (over, under))
        if count_over != count_under and judgment.verdict in AGREES:
            per_accelerator = judgment.expected * (count_under / count_over)
            words = f"but between {count_over:.0f}x and {count_under:.0f}x"
            words += f": per accelerator it is {per_accelerator.text()}."
            explanation = f"{judgment.explanation[:-1]}, {words}"
            judgment = replace(judgment, verdict=Verdict.CONDITIONAL, explanation=explanation)
        yield judgment


def products(tables: Tables) -> Iterator[Judgment]:
    """A over C against A over B times B over C, where one document states all three of the same round and benchmark."""
    rows = [claim for claim in tables.stated("throughput_ratio") if interval.of(claim).known]
    rows = [claim for claim in rows if claim["subject_accelerator"] not in ("", claim["baseline_accelerator"])]
    for claim in rows:
        for first_claim in _about(rows, claim, subject_accelerator=claim["subject_accelerator"]):
            step = {"subject_accelerator": first_claim["baseline_accelerator"]}
            for second_claim in _about(rows, claim, **step, baseline_accelerator=claim["baseline_accelerator"]):
                left, right = interval.of(first_claim), interval.of(second_claim)
                words = f"The document's {left.text()} times its {right.text()} is {(left * right).text()}."
                yield Judgment(claim, PRODUCT, left * right, f"{first_claim['id']} x {second_claim['id']}", words)


def accelerated_part(tables: Tables) -> Iterator[Judgment]:
    """A gain from making a part of the time cheaper against 1 / (1 - share + share x its remaining compute)."""
    parts = {
        (claim["source_id"], claim["benchmark"], claim["technique"], claim["quantity"]): claim
        for claim in tables.mentions("claims")
    }
    for quantized in tables.mentions("quantization"):
        key = quantized["source_id"], quantized["benchmark"], quantized["technique"]
        share, compute_left = parts.get((*key, "share_of_time")), parts.get((*key, "compute_ratio"))
        if share and compute_left and interval.of(quantized).known:
            yield _part(quantized, share, compute_left)


def _side(claim: Row, side: str, tables: Tables) -> list[Row]:
    """The document's figures above (`subject`) or below the line (`baseline`); none for a claim that is no ratio."""
    quantity = claim["quantity"]
    if quantity == "throughput_ratio":
        return _rates(claim, side, tables)
    of_claims = OF_CLAIMS | EXPLAINED
    if quantity in of_claims:  # of the subject as it is called (of dollars), or else of its accelerator
        by_name = quantity == "tokens_per_dollar_ratio"
        key, wanted = ("subject", claim[side]) if by_name else ("subject_accelerator", claim[f"{side}_accelerator"])
        rows = [stated for stated in tables.stated(of_claims[quantity]) if wanted and stated[key] == wanted]
    elif quantity in OF_PRICES and not claim["benchmark"]:
        rows = tables.figures("prices")
        rows = [price for price in rows if price["accelerator"] == claim[f"{side}_accelerator"]]
    else:
        return []
    return [row for row in rows if row["source_id"] == claim["source_id"]]


def _rates(claim: Row, side: str, tables: Tables) -> list[Row]:
    """The document's rates of one side."""
    software = claim["subject_accelerator"] == claim["baseline_accelerator"]
    framework = claim[side] if software else claim["framework"]
    return [
        figure
        for figure in tables.figures("results")
        if figure["source_id"] == claim["source_id"]
        and figure["accelerator"] == claim[f"{side}_accelerator"]
        and figure["benchmark"] == claim["benchmark"]
        and figure["scenario"] == claim["scenario"]
        and figure["round"] == (claim["round"] if side == "subject" else claim["baseline_round"] or claim["round"])
        and figure["metric"] == "throughput"
        and not figure["slower"]
        and (not (framework or software) or figure["framework"] == framework)
    ]


def _value(figure: Row, quantity: str) -> Interval:
    """What a figure puts into a ratio: a rate is taken per accelerator where the number is known and differs."""
    if quantity == "throughput_ratio":
        system = figure["per"] == "system" and figure["accelerator_count"] > 0
        return interval.of(figure) / (figure["accelerator_count"] if system else 1.0)
    return interval.of(figure)


def _ratio(figure: Row, basis: str, over: list[Row], under: list[Row]) -> Judgment:
    top, bottom = (interval.envelope(_value(row, figure.get("quantity", "")) for row in side) for side in (over, under))
    expected = Interval(1.0, 1.0) if over == under else top / bottom
    words = f"The document's own {top.text(4)} over {bottom.text(4)} is {expected.text()}."
    reference = f"{over[0]['id']} / {under[0]['id']}"
    judgment = Judgment(figure, CHECK, expected, reference, words, basis=basis)
    if judgment.verdict not in AGREES or {basis, *(row.get("range_basis") for row in (*over, *under))} != {"range"}:
        return judgment
    ends = [top.low / bottom.low, top.high / bottom.high]
    pairs = zip((judgment.printed.low, judgment.printed.high), sorted(ends), strict=True)
    if all(compare(exactly(printed), exactly(end)) in HOLDS for printed, end in pairs):
        return judgment
    words = f"{words[:-1]}, but low over low and high over high it is {Interval(*sorted(ends)).text()}."
    return replace(judgment, verdict=Verdict.CONDITIONAL, explanation=words)


def _about(rows: Iterable[Row], claim: Row, **wanted: str) -> list[Row]:
    """Other claims of the same document, benchmark and round, of the same scenario or of none, with what is wanted."""
    required = {name: claim[name] for name in ("source_id", "benchmark", "round", "baseline_round")} | wanted
    return [
        candidate
        for candidate in rows
        if candidate["id"] != claim["id"]
        and all(candidate[name] == value for name, value in required.items())
        and candidate["scenario"] in (claim["scenario"], "")
    ]


def _part(quantized: Row, share: Row, compute_left: Row) -> Judgment:
    spared = Interval(share["low"] * (1 - compute_left["high"]), share["high"] * (1 - compute_left["low"]))
    expected = Interval(1 / (1 - spared.low), 1 / (1 - spared.high))
    words = (
        f"With {interval.of(share).text()} of the time at {interval.of(compute_left).text()} of its compute the whole "
        f"is {expected.text()} times as fast."
    )
    reference = f"1 / (1 - {share['id']} x (1 - {compute_left['id']}))"
    return Judgment(quantized, OF_PART, expected, reference, words)
