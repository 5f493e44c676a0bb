"""Labels and counts: corrected units and headings, dates, how many workloads or results, which benchmarks exist."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pandas as pd

from analysis.audit import against_record
from analysis.audit.frames import Tables
from analysis.audit.verdict import BORNE_OUT, NOTHING, Judgement, Row, Verdict, best
from analysis.core.interval import Interval
from analysis.core.lists import cell_values

DATE, COUNT, NAMED = "date", "count", "benchmark named"
BOTH_SUITES = "datacenter,edge"  # a result may be filed under both
COUNTED = {
    "workloads": {"workload": ["benchmark"]},
    "scenarios": {"scenario": ["scenario"]},
    "results_submitted": {
        "result": ["result_id", "model_run", "scenario"],
        "system and model": ["result_id", "model_run"],
    },
    "systems_submitted": {"system": ["result_id"]},
}


def corrected(tables: Tables) -> Iterator[Judgement]:
    """Results whose label was put right: the official record against the figure as printed and as corrected.

    Conditional where the figure agrees only under the corrected label; the label is wrong then, not the figure.
    """
    figures = {figure["id"]: figure for figure in tables.figures("results")}
    corrections = tables.corrections[tables.corrections["table"].eq("results")]
    fixes = [fix for fix in corrections.to_dict("records") if fix["key"] in figures]
    printed: dict[str, Row] = defaultdict(dict)
    for fix in fixes:
        printed[fix["key"]][fix["column"]] = fix["printed"]
    for fix in fixes:
        figure = figures[fix["key"]]
        before, after = (_best(row, tables) for row in (figure | printed[fix["key"]], figure))
        words, outcome = f"{after.explanation[0].lower()}{after.explanation[1:]}", after.verdict
        if before.verdict in BORNE_OUT:
            words = f"As {fix['corrected']}: {words}"
        else:
            words = f"As {fix['printed']} the record does not bear it out; as {fix['corrected']}: {words}"
            outcome = Verdict.CONDITIONAL if outcome in BORNE_OUT else outcome
        check = f"label of {fix['column']}"
        yield replace(after, check=check, verdict=outcome, explanation=words)


def dates(tables: Tables) -> Iterator[Judgement]:
    """Stated dates of a round against the day on which its official results were published."""
    sources = tables.sources[tables.sources["kind"].eq("official") & tables.sources["published"].ne("")]
    days = {source["round"]: source for source in sources.to_dict("records")}
    for claim in tables.stated("publication_date", "retrieval_date"):
        if claim["round"] in days:
            yield _date(claim, days[claim["round"]])


def counts(tables: Tables) -> Iterator[Judgement]:
    """Stated numbers of workloads, scenarios, results or systems of a round against the official record at hand.

    The record at hand may be a part: more than it holds is unverifiable, fewer than it holds contradicts.
    """
    for claim in tables.stated(*COUNTED):
        rows = tables.official[tables.official["round"].eq(claim["round"])]
        rows = rows[rows["suite"].isin([claim["suite"], BOTH_SUITES])] if claim["suite"] else rows
        rows = rows[rows["submitter"].eq(claim["submitter"])] if claim["submitter"] else rows
        yield _count(claim, rows)


def benchmarks_named(tables: Tables) -> Iterator[Judgement]:
    """Benchmarks that a document says it cites against those of which the round has official results."""
    names = {
        alias.lower(): row["benchmark"]
        for row in tables.benchmarks.to_dict("records")
        for alias in (row["benchmark"], row["label"], *cell_values(row["aliases"]))
    }
    for claim in tables.mentions("claims"):
        if claim["quantity"] == "benchmark_named":
            yield _named(claim, claim["benchmark"] or names.get(claim["subject"].lower(), ""), tables)


def _named(claim: Row, benchmark: str, tables: Tables) -> Judgement:
    official = tables.official.loc[tables.official["round"].eq(claim["round"]), "benchmark"]
    own = tables.results["source_id"].eq(claim["source_id"]) & tables.results["benchmark"].eq(benchmark)
    results = int(official.eq(benchmark).sum())
    words = f"{claim['subject']} has {results} official {claim['round']} results at hand"
    if not results:
        words = f"{claim['subject']} is not among the {official.nunique()} benchmarks of {claim['round']} at hand"
    words += f", and the document has {f'{int(own.sum())} figures' if own.any() else 'no figure'} for it."
    expected = Interval(float(results > 0), float(results > 0))
    reference = f"official {claim['round']} results of {benchmark or claim['subject']}"
    outcome = Verdict.EXACT if results else Verdict.CONTRADICTS
    return Judgement.on(claim, NAMED, expected, reference, words, verdict=outcome)


def _best(figure: Row, tables: Tables) -> Judgement:
    """The best against the record: that per accelerator may stand in where the record has other sizes."""
    known = list(against_record.compared(figure, tables.record))
    wanted = best(judgement.verdict for judgement in known)
    return next(judgement for judgement in known if judgement.verdict is wanted)


def _date(claim: Row, source: Row) -> Judgement:
    published = date.fromisoformat(source["published"])
    real = float(f"{published:%Y%m%d}")
    retrieved = claim["quantity"] == "retrieval_date"
    holds = claim["high"] >= real if retrieved else claim["low"] <= real <= claim["high"]
    first, last = (date.fromisoformat(f"{end:.0f}") for end in (claim["low"], claim["high"]))
    apart = max((first - published).days, (published - last).days)
    side = "before" if first > published else "after"
    off = "" if holds else f", {apart} days {side} the stated {claim['printed_unit']}"
    agrees = Verdict.EXACT if claim["low"] == claim["high"] == real else Verdict.WITHIN_ROUNDING
    expected = Interval(real, max(real, claim["high"]) if retrieved else real)
    words = f"The official {claim['round']} results were published on {published}{off}."
    outcome = agrees if holds else Verdict.CONTRADICTS
    return Judgement.on(claim, DATE, expected, source["id"], words, verdict=outcome, unit="date")


def _count(claim: Row, rows: pd.DataFrame) -> Judgement:
    ways = {name: float(len(rows.drop_duplicates(columns))) for name, columns in COUNTED[claim["quantity"]].items()}
    numbers = list(ways.values())
    outcome = _counted(claim["low"], numbers)
    counted = " or ".join(f"{number:.0f} counted by {name}" for name, number in ways.items())
    by = f" by {claim['submitter']}" if claim["submitter"] else ""
    part = "; it may be a part of the record only" if outcome is Verdict.UNVERIFIABLE else ""
    expected = Interval(min(numbers), max(numbers)) if len(rows) else NOTHING
    words = f"The official {claim['round']} record at hand holds {counted}{by}{part}."
    return Judgement.on(claim, COUNT, expected, f"official {claim['round']} results{by}", words, verdict=outcome)


def _counted(stated: float, numbers: list[float]) -> Verdict:
    """The verdict on a stated number against the ways of counting, the usual one first."""
    if not max(numbers):
        return Verdict.UNVERIFIABLE
    if stated in numbers:
        return Verdict.EXACT if stated == numbers[0] else Verdict.CONDITIONAL
    return Verdict.CONTRADICTS if stated < min(numbers) else Verdict.UNVERIFIABLE
