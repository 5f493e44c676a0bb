"""Quantities that two documents, or a document and a datasheet, state differently.

A figure confirmed by official results keeps that verdict where another document contradicts it: the other one is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

from analysis._core import interval
from analysis._core.findings import exactly
from analysis._core.plain_values import grouped
from analysis.audit import against_record, verdict
from analysis.audit.frames import Tables
from analysis.audit.lookup import row_dicts
from analysis.audit.verdict import AGREES, HOLDS, Judgment, Row, Verdict
from analysis.comparability import rates

CHECK, SHEET = "across documents", "datasheet"
FACTS = {
    "memory_capacity": "memory_gb",
    "memory_bandwidth": "memory_bandwidth_gb_per_s",
    "power_limit": "power_limit_w",
}
RATIOS = {"memory_capacity_ratio": "memory_gb", "memory_bandwidth_ratio": "memory_bandwidth_gb_per_s"}
SAME_RATE = ["benchmark", "scenario", "round", "accelerator", "power_measured"]
SAME_CLAIM = ["quantity", "parts", "benchmark", "scenario", "round"]


def throughputs(tables: Tables) -> Iterator[Judgment]:
    """Check each published throughput per accelerator against that of every other document, in the benchmark's unit.

    Tokens and samples are converted with the run's tokens per sample, or else the benchmark's range.
    """
    official = tables.judgments(against_record.results)
    borne_out = {judgment.figure["id"] for judgment in official if judgment.verdict in HOLDS}
    for figure, elsewhere in _pairs(_converted(tables), SAME_RATE):
        judgment = _rate(figure, elsewhere)
        if judgment.verdict is not Verdict.CONTRADICTED or figure["id"] not in borne_out:
            yield judgment


def claims(tables: Tables) -> Iterator[Judgment]:
    """Check each claim about an accelerator against the same claim of every other document.

    Which accelerator of a ratio is named first makes no other claim: twice as fast is half as fast the other way round.
    """
    rows = [claim for claim in tables.stated(*FACTS) if not claim["accelerator_count"] > 1]
    rows += [
        claim for claim in tables.stated(*RATIOS, "throughput_ratio") if not (claim["system"] or claim["nodes"] > 0)
    ]
    sides = [[claim[f"{side}_accelerator"] for side in ("subject", "baseline")] for claim in rows]
    rows = [
        claim | {"parts": frozenset(parts)} for claim, parts in zip(rows, sides, strict=True)
        if parts[0] not in ("", parts[1]) and interval.of(claim).known
    ]  # fmt: skip
    for claim, elsewhere in _pairs(rows, SAME_CLAIM):
        turned = elsewhere["subject_accelerator"] != claim["subject_accelerator"]
        stated = interval.of(elsewhere)
        expected = stated.inverse if turned else stated
        words = f"{elsewhere['source_id']} ({elsewhere['locator']}) says {stated.text()} {elsewhere['unit']}"
        words += f" of {elsewhere['subject_accelerator']} over {elsewhere['baseline_accelerator']}" if turned else ""
        yield Judgment(claim, CHECK, expected, elsewhere["id"], f"{words}.")


def prices(tables: Tables) -> Iterator[Judgment]:
    """Check prices of two documents for one accelerator, where both name the provider or one means most."""
    for price, elsewhere in _pairs(tables.figures("prices"), ["accelerator"]):
        if price["provider"] == elsewhere["provider"] or "several" in (price["providers"], elsewhere["providers"]):
            expected = interval.of(elsewhere)
            words = f"{elsewhere['source_id']} says {expected.text()} dollars ({elsewhere['provider']})."
            yield Judgment(price, CHECK, expected, elsewhere["id"], words, basis="range")


def datasheets(tables: Tables) -> Iterator[Judgment]:
    """Check stated memory, bandwidth, their ratios, power limits and model sizes against datasheets."""
    for claim in tables.figures("claims"):
        fact = None if claim["bound"] or claim["accelerator_count"] > 1 else _fact(claim, tables)
        if fact:
            value, whose, reference, trust = fact
            expected = exactly(value)
            words_on_fact = f"{expected.text(4)} {claim['unit']}" if expected.known else "no such fact in the tables"
            yield Judgment(claim, SHEET, expected, reference, f"{whose} {words_on_fact}{trust}.")


def _pairs(rows: Iterable[Row], by: list[str]) -> Iterator[tuple[Row, Row]]:
    """Every two figures of different documents that are alike in `by`, either way round."""
    for group in grouped(rows, by).values():
        yield from (pair for pair in permutations(group, 2) if pair[0]["source_id"] != pair[1]["source_id"])


def _converted(tables: Tables) -> Iterator[Row]:
    """The published throughputs of which several documents have one, per accelerator, with their `rate_unit`."""
    figures = [row for row in tables.figures("results") if row["round"] and row["metric"] == "throughput"]
    groups = grouped(figures, SAME_RATE).values()
    of_several = [group for group in groups if len({row["source_id"] for row in group}) > 1]
    shared = {row["id"] for group in of_several for row in group if not row["slower"]}
    rows = tables.results[tables.results["id"].isin(shared)]
    for name, group in rows.groupby("benchmark", sort=False):
        unit = tables.models[name]["offline_unit"]
        rated = group.assign(**rates.in_unit(group, tables.models[name], unit), rate_unit=unit)
        yield from row_dicts(rated[rated["per_accelerator_low"].notna()], "results")


def _rate(figure: Row, elsewhere: Row) -> Judgment:
    printed, expected = (interval.of(row, "per_accelerator") for row in (figure, elsewhere))
    outcome, unit = verdict.compare(printed, expected, "range"), f"{figure['rate_unit']} per accelerator"
    off = "" if outcome in AGREES else f": the figure is {verdict.difference_in_words(printed, expected)}"
    words = f"{elsewhere['source_id']} ({elsewhere['locator']}) gives {expected.text(4)} {unit}{off}."
    return Judgment(figure, CHECK, expected, elsewhere["id"], words, verdict=outcome, printed=printed, unit=unit)


def _fact(claim: Row, tables: Tables) -> tuple[float, str, str, str] | None:
    """The value of the tables that a claim is about, whose it is, where it is and how far it is to be trusted."""
    accelerator, baseline, benchmark = claim["subject_accelerator"], claim["baseline_accelerator"], claim["benchmark"]
    if claim["quantity"] == "model_parameters":
        value = tables.parameters_billion(benchmark)
        return value, f"The model of {benchmark} has", f"benchmarks.csv, {benchmark}", ""
    if claim["quantity"] in RATIOS and {accelerator, baseline} <= set(tables.parts):
        over, under = (tables.parts[name][RATIOS[claim["quantity"]]] for name in (accelerator, baseline))
        reference = f"accelerators.csv, {accelerator} / {baseline}"
        return float(over / under), f"{over:g} over {under:g} of the facts is", reference, ""
    if claim["quantity"] in FACTS and accelerator in tables.parts:
        facts = tables.parts[accelerator]
        value, trust = float(facts[FACTS[claim["quantity"]]]), f" (datasheet {facts['confidence']})"
        return value, f"The {accelerator} has", f"accelerators.csv, {accelerator}", trust
    return None
