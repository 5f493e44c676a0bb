"""Labels and counts: corrected units and headings, dates, how many workloads or results, which benchmarks exist."""

from __future__ import annotations

from datetime import datetime

import pandas as pd

from analysis.audit import against_record, verdict
from analysis.audit.lookup import Row, plain
from analysis.audit.verdict import AGREES, NOTHING, row
from analysis.core.interval import Interval

COUNTED = {
    "workloads": {"workload": ["benchmark"]},
    "scenarios": {"scenario": ["scenario"]},
    "results_submitted": {
        "result": ["result_id", "model_run", "scenario"],
        "system and model": ["result_id", "model_run"],
    },
    "systems_submitted": {"system": ["result_id"]},
}


def corrected(
    results: pd.DataFrame, corrections: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame
) -> pd.DataFrame:
    """Results whose label was put right: the official record against the figure as printed and as corrected.

    Conditional where the figure agrees only under the corrected label; the label is wrong then, not the figure.
    """
    fixes = corrections[corrections["table"].eq("results") & corrections["key"].isin(results["id"])]
    fixes = fixes[fixes["key"].isin(results.loc[results["origin"].eq("published"), "id"])]
    rows = results[results["origin"].eq("official") | results["id"].isin(fixes["key"])]
    printed = rows.copy()
    for fix in fixes.to_dict("records"):
        printed.loc[printed["id"].eq(fix["key"]), fix["column"]] = fix["printed"]
    sides = [against_record.results(each, benchmarks, accelerators).set_index("row_id") for each in (printed, rows)]
    figures = {figure["id"]: figure for figure in plain(rows)}
    return verdict.frame(_label(figures[fix["key"]], fix, *sides) for fix in fixes.to_dict("records"))


def dates(claims: pd.DataFrame, sources: pd.DataFrame) -> pd.DataFrame:
    """Stated dates of a round against the day on which its official results were published."""
    published = sources[sources["kind"].eq("official") & sources["published"].ne("")]
    days = {name.rpartition("-")[2]: (name, day) for name, day in published[["id", "published"]].to_numpy()}
    found = []
    for claim in plain(claims[claims["quantity"].isin(["publication_date", "retrieval_date"])]):
        if claim["round"] in days and not claim["duplicate_of"]:
            found.append(_date(claim, *days[claim["round"]]))
    return verdict.frame(found)


def counts(claims: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Stated numbers of workloads, scenarios, results or systems of a round against the official record at hand.

    The record at hand may be a part: more than it holds is unverifiable, fewer than it holds contradicts.
    """
    rows = results[results["origin"].eq("official")]
    found = []
    for claim in plain(claims[claims["quantity"].isin(list(COUNTED)) & claims["duplicate_of"].eq("")]):
        whose = claim["condition"].removeprefix("submitter ") if "submitter" in claim["condition"] else ""
        about = rows[rows["round"].eq(claim["round"]) & rows["suite"].str.contains("datacenter" if not whose else "")]
        about = about[about["submitter"].str.startswith(whose)]
        found.append(_count(claim, about, whose))
    return verdict.frame(found)


def benchmarks_named(claims: pd.DataFrame, results: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Benchmarks that a document says it cites against those of which the round has official results."""
    names = {
        alias.lower(): each["benchmark"]
        for each in benchmarks.to_dict("records")
        for alias in (each["benchmark"], each["label"], *each["aliases"].split(";"))
    }
    official_rows = results[results["origin"].eq("official")]
    found = []
    for claim in plain(claims[claims["quantity"].eq("benchmark_named")]):
        held = official_rows.loc[official_rows["round"].eq(claim["round"]), "benchmark"]
        meant = claim["benchmark"] or names.get(claim["subject"].lower(), "")
        own = results["source_id"].eq(claim["source_id"]) & results["benchmark"].eq(meant)
        there = float(meant in set(held))
        judged = "exact" if there else "contradicts"
        figures = f"{int(own.sum())} figures" if own.any() else "no figure"
        said = f"{claim['subject']} has {int(held.eq(meant).sum())} official {claim['round']} results at hand"
        if not there:
            said = f"{claim['subject']} is not among the {held.nunique()} benchmarks of {claim['round']} at hand"
        said += f", and the document has {figures} for it."
        ends = (Interval(claim["low"], claim["high"]), Interval(there, there))
        reference = f"official {claim['round']} results of {meant or claim['subject']}"
        found.append(row(claim, "claims", "benchmark named", judged, *ends, claim["unit"], reference, said))
    return verdict.frame(found)


def _label(figure: Row, fix: Row, printed: pd.DataFrame, right: pd.DataFrame) -> Row:
    before, after = (_one(side, figure["id"]) for side in (printed, right))
    held, holds = (side["verdict"] in (*AGREES, "within_5_percent") for side in (before, after))
    judged = "conditional" if holds and not held else after["verdict"]
    labels = [fix["printed"], fix["corrected"]]
    said = f"As {labels[1]}: {_lower(after['explanation'])}"
    if not held:
        said = f"As {labels[0]} the record does not bear it out. {said}"
        said = said.replace(". As", "; as")
    ends = [Interval(after[f"{name}_low"], after[f"{name}_high"]) for name in ("printed", "expected")]
    return row(figure, "results", f"label of {fix['column']}", judged, *ends, after["unit"], after["reference"], said)


def _one(side: pd.DataFrame, key: str) -> Row:
    """The best verdict on one figure: that per accelerator may stand in where the record has other sizes."""
    rows = side.loc[[key]].to_dict("records")
    return min(rows, key=lambda each: verdict.VERDICTS.index(each["verdict"]))


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _date(claim: Row, source: str, day: str) -> Row:
    real = float(day.replace("-", ""))
    retrieved = claim["quantity"] == "retrieval_date"
    expected = Interval(real, max(real, claim["high"]) if retrieved else real)
    holds = claim["high"] >= real if retrieved else claim["low"] <= real <= claim["high"]
    first, last = (datetime.strptime(f"{end:.0f}", "%Y%m%d") for end in (claim["low"], claim["high"]))
    published = datetime.strptime(day, "%Y-%m-%d")
    apart = max((first - published).days, (published - last).days)
    off = (
        ""
        if holds
        else f", {apart} days {'before' if first > published else 'after'} the stated {claim['printed_unit']}"
    )
    said = f"The official {claim['round']} results were published on {day}{off}."
    judged = ("exact" if claim["low"] == claim["high"] == real else "within_rounding") if holds else "contradicts"
    printed = Interval(claim["low"], claim["high"])
    return row(claim, "claims", "date", judged, printed, expected, "date", source, said)


def _count(claim: Row, about: pd.DataFrame, whose: str) -> Row:
    ways = {name: float(len(about.drop_duplicates(columns))) for name, columns in COUNTED[claim["quantity"]].items()}
    stated, numbers = claim["low"], list(ways.values())
    judged = _counted(stated, numbers)
    each = " or ".join(f"{number:.0f} counted by {name}" for name, number in ways.items())
    whom = f" by {whose}" if whose else ""
    said = f"The official {claim['round']} record at hand holds {each}{whom}"
    missing = "; it may be a part of the record only" if judged == "unverifiable" else ""
    expected = Interval(min(numbers), max(numbers)) if len(about) else NOTHING
    unit, printed = claim["unit"], Interval(claim["low"], claim["high"])
    reference = f"official {claim['round']} results{whom}"
    return row(claim, "claims", "count", judged, printed, expected, unit, reference, f"{said}{missing}.")


def _counted(stated: float, numbers: list[float]) -> str:
    if not max(numbers):
        return "unverifiable"
    if stated in numbers:
        return "exact" if stated == numbers[0] else "conditional"
    return "contradicts" if stated < min(numbers) else "unverifiable"
