"""What the explorer says of itself: how much of the record it holds, and where to begin."""

from __future__ import annotations

import pandas as pd

from analysis.answers.words import counted, listed
from analysis.core import ages, views
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.trust import Trust
from analysis.core.vocabulary import round_age
from analysis.themes import holdings

HELD = "official results held by the explorer"
FEW = 3  # submitters that filed most, named


def compared(rows: pd.DataFrame) -> Finding:
    """How many results may stand in a comparison, of the closed ones: one model, one set of rules, each once."""
    name, unit = "explorer_rows_that_may_be_compared", "closed data-center rates, filed once, without power"
    if rows.empty:
        return nothing(name, unit, "No official result is chosen: there is nothing to explore.")
    closed = int(rows["division"].eq("closed").sum())
    comparable = int(holdings.set_aside(rows).at[holdings.ALL, "compared"])
    headline = f"{comparable:,} of {counted(closed, 'closed result')} may be compared: data-center rates, filed once, "
    return Finding(name, exactly(comparable), unit, f"{headline}without power.", cited(rows))


def holds(rows: pd.DataFrame) -> Finding:
    """How many results there are to look up, how many of them are open, and how few submitters filed most."""
    count = counted(len(rows), "official result")
    headline = f"{count} can be filtered and cited, each with its source"
    if opened := int(rows["division"].eq("open").sum()):
        headline += f", {opened:,} of the open division"
    top_filers = rows["submitter"].value_counts().head(FEW)
    if rows["submitter"].nunique() > FEW:
        headline += f"; {listed(top_filers.index)} filed {100 * top_filers.sum() / len(rows):.0f} %"
    return Finding("explorer_rows", exactly(len(rows)), HELD, f"{headline}.", cited(rows))


def rests_on(rows: pd.DataFrame) -> Trust:
    """The rounds, how many submitters and accelerators, and what the whole of it is called."""
    rounds = sorted(rows["round"].unique(), key=round_age)
    if not rounds:
        return Trust(("no round of the record",))
    span = f"MLPerf {rounds[0]}" if len(rounds) == 1 else f"MLPerf {rounds[0]} to {rounds[-1]}"
    totals = holdings.distinct(rows)
    counts = [counted(totals["submitters"], "submitter"), counted(totals["accelerators"], "accelerator")]
    return Trust((span, listed(counts)), view=views.link({}))


def first_view(rows: pd.DataFrame, benchmark: str, scenario: str) -> dict[str, list[str]]:
    """What is chosen at first: closed results of a benchmark and scenario in the newest round that has them."""
    chosen = {"benchmark": [benchmark], "scenario": [scenario], "division": ["closed"]}
    is_chosen = rows["benchmark"].eq(benchmark) & rows["scenario"].eq(scenario) & rows["division"].eq("closed")
    newest = ages.newest(rows.loc[is_chosen, "round"])
    return {"round": [newest], **chosen} if newest else chosen
