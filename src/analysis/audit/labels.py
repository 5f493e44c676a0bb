"""Labels: corrected units and headings, dates of rounds, which benchmarks exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from analysis._core.cell_lists import cell_values
from analysis._core.findings import exactly
from analysis._core.interval import Interval
from analysis._core.plain_values import as_dicts
from analysis.audit import against_record
from analysis.audit.frames import Tables
from analysis.audit.verdict import HOLDS, Judgment, Row, Verdict, best

DATE, NAMED = "date", "benchmark named"


def corrected(tables: Tables) -> Iterator[Judgment]:
    """Check results with a corrected label against official results, as printed and as corrected.

    Conditional where the figure agrees only under the corrected label; the label is wrong then, not the figure.
    """
    figures = {figure["id"]: figure for figure in tables.figures("results")}
    corrections = tables.corrections[tables.corrections["table"].eq("results")]
    fixes = [fix for fix in as_dicts(corrections) if fix["key"] in figures]
    for fix in fixes:
        figure = figures[fix["key"]]
        printed = {other["column"]: other["printed"] for other in fixes if other["key"] == fix["key"]}
        before, after = (_best(row, tables) for row in (figure | printed, figure))
        words, outcome = f"{after.explanation[0].lower()}{after.explanation[1:]}", after.verdict
        if before.verdict in HOLDS:
            words = f"As {fix['corrected']}: {words}"
        else:
            words = f"As {fix['printed']} official results do not confirm it; as {fix['corrected']}: {words}"
            outcome = Verdict.CONDITIONAL if outcome in HOLDS else outcome
        check = f"label of {fix['column']}"
        yield replace(after, check=check, verdict=outcome, explanation=words)


def dates(tables: Tables) -> Iterator[Judgment]:
    """Check stated dates of a round against the day on which its official results were published."""
    sources = tables.sources[tables.sources["kind"].eq("official") & tables.sources["published"].ne("")]
    days = {source["round"]: source for source in as_dicts(sources)}
    for claim in tables.stated("publication_date", "retrieval_date"):
        if claim["round"] in days:
            yield _date(claim, days[claim["round"]])


def benchmarks_named(tables: Tables) -> Iterator[Judgment]:
    """Check the benchmarks that a document cites against those with official results of the round."""
    names = {
        alias.lower(): row["benchmark"]
        for row in as_dicts(tables.benchmarks)
        for alias in (row["benchmark"], row["label"], *cell_values(row["aliases"]))
    }
    for claim in tables.mentions("claims"):
        if claim["quantity"] == "benchmark_named":
            yield _named(claim, claim["benchmark"] or names.get(claim["subject"].lower(), ""), tables)


def _named(claim: Row, benchmark: str, tables: Tables) -> Judgment:
    official = tables.official(claim["round"])["benchmark"]
    figures = [
        row for row in tables.mentions("results")
        if row["source_id"] == claim["source_id"] and row["benchmark"] == benchmark
    ]  # fmt: skip
    results = int(official.eq(benchmark).sum())
    words = f"{claim['subject']} has {results} official {claim['round']} results in the data"
    if not results:
        words = f"{claim['subject']} is not among the {official.nunique()} benchmarks of {claim['round']} in the data"
        words = words if len(official) else f"No official {claim['round']} results are in the data"
    words += f", and the document has {f'{len(figures)} figures' if figures else 'no figure'} for it."
    expected = exactly(results > 0)
    reference = f"official {claim['round']} results of {benchmark or claim['subject']}"
    lacking = Verdict.CONTRADICTED if len(official) else Verdict.UNVERIFIABLE
    outcome = Verdict.CONFIRMED if results else lacking
    return Judgment(claim, NAMED, expected, reference, words, verdict=outcome)


def _best(figure: Row, tables: Tables) -> Judgment:
    """Return the best verdict against official results, per accelerator where only other sizes are official."""
    judgments = list(against_record.compared(figure, tables))
    best_verdict = best(judgment.verdict for judgment in judgments)
    return next(judgment for judgment in judgments if judgment.verdict is best_verdict)


def _date(claim: Row, source: Row) -> Judgment:
    published = date.fromisoformat(source["published"])
    day = float(f"{published:%Y%m%d}")
    retrieved = claim["quantity"] == "retrieval_date"
    holds = claim["high"] >= day if retrieved else claim["low"] <= day <= claim["high"]
    first_day, last_day = (date.fromisoformat(f"{end:.0f}") for end in (claim["low"], claim["high"]))
    apart = max((first_day - published).days, (published - last_day).days)
    side = "before" if first_day > published else "after"
    off = "" if holds else f", {apart} days {side} the stated {claim['printed_unit']}"
    agrees = Verdict.CONFIRMED if claim["low"] == claim["high"] == day else Verdict.WITHIN_ROUNDING
    expected = Interval(day, max(day, claim["high"]) if retrieved else day)
    words = f"The official {claim['round']} results were published on {published}{off}."
    outcome = agrees if holds else Verdict.CONTRADICTED
    return Judgment(claim, DATE, expected, source["id"], words, verdict=outcome, unit="date")
