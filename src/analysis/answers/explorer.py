"""What the explorer says of itself: how much of the record it holds, and where to begin."""

from __future__ import annotations

import pandas as pd

from analysis.answers.words import counted, listed
from analysis.core import views
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.trust import Trust
from analysis.core.vocabulary import round_age
from analysis.themes import whole_record

HELD = "official results held by the explorer"


def holds(rows: pd.DataFrame) -> Finding:
    """How many results of how many rounds and submitters there are to filter, compare and cite."""
    if rows.empty:
        return nothing("explorer_rows", HELD, "No official result is chosen: there is nothing to explore.")
    rounds = counted(rows["round"].nunique(), "round")
    headline = f"{counted(len(rows), 'official result')} of {rounds} to filter, compare and cite, each with its source."
    return Finding("explorer_rows", exactly(len(rows)), HELD, headline, cited(rows))


def compared(rows: pd.DataFrame) -> Finding:
    """How many of them are of the closed division, whose systems ran one model by one set of rules."""
    closed = int(rows["division"].eq("closed").sum())
    headline = f"Compare the {counted(closed, 'closed result')}; a banner says what a choice mixes."
    return Finding("explorer_closed_rows", exactly(closed), "official results, closed division", headline, cited(rows))


def rests_on(rows: pd.DataFrame) -> Trust:
    """The rounds, how many submitters and accelerators, and what the whole of it is called."""
    rounds = sorted(rows["round"].unique(), key=round_age)
    if not rounds:
        return Trust(("no round of the record",))
    span = f"MLPerf {rounds[0]}" if len(rounds) == 1 else f"MLPerf {rounds[0]} to {rounds[-1]}"
    accelerators = whole_record.named(rows["accelerator"]).nunique()
    told = [counted(rows["submitter"].nunique(), "submitter"), counted(accelerators, "accelerator")]
    return Trust((span, listed(told)), view=views.link({}))


def first_view(rows: pd.DataFrame, benchmark: str, scenario: str) -> dict[str, list[str]]:
    """What is chosen at first: closed results of a benchmark and scenario in the newest round that has them."""
    chosen = {"benchmark": [benchmark], "scenario": [scenario], "division": ["closed"]}
    own = rows[rows["benchmark"].eq(benchmark) & rows["scenario"].eq(scenario) & rows["division"].eq("closed")]
    newest = max(own["round"], key=round_age, default="")
    return {"round": [newest], **chosen} if newest else chosen
