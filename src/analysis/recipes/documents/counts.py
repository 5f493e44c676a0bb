"""Compare published counts, names, and units with official results of the rounds that they refer to."""

from __future__ import annotations

import pandas as pd

from analysis import tables
from analysis.audit.judging import found_row
from analysis.audit.official import filtered
from analysis.audit.verdicts import FOUND
from analysis.published import HOLDS
from analysis.recipes.documents.expected import tell

NAMED = ["benchmark_named", "result_cited", "system_accelerators"]
COUNTED = {  # what a number counts, by the columns that identify one; the usual way first
    "workloads": {"benchmark": ["benchmark"]},
    "scenarios": {"scenario": ["scenario"]},
    "results_submitted": {"result": ["result_id", "model_run", "scenario"], "model": ["result_id", "model_run"]},
    "systems_submitted": {"system": ["result_id"], "server": ["server"]},
    "submitters": {"submitter": ["submitter"]},
}


def check_counts(figures: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Return how many workloads, scenarios, results, systems, or submitters a round has, counted in the usual ways.

    A number that only another way of counting gives is conditional.
    """
    rows = official.assign(server=official["system"].str.partition(" (")[0].str.strip())
    found = []
    for claim in figures[figures["quantity"].isin(COUNTED)].itertuples():
        wanted = {name: getattr(claim, name) for name in ("submitter", "benchmark", "accelerator", "accelerator_count")}
        counted = filtered(rows, round=claim.round, **wanted)
        counted = counted[counted["suite"].str.contains(claim.suite)]
        ways = {way: len(counted.drop_duplicates(columns)) for way, columns in COUNTED[claim.quantity].items()}
        usual, *_ = ways.values()
        record = ", ".join(f"{number} counted by {way}" for way, number in ways.items())
        reason = f"The {claim.round} results have {record}."
        outcome = "confirmed" if claim.low == usual else "conditional" if claim.low in ways.values() else "contradicted"
        found.append(found_row(claim, "count", outcome, record, reason, min(ways.values()), max(ways.values())))
    return pd.DataFrame(found, columns=FOUND)


def check_names(figures: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Return whether a round has the benchmarks and result ids that documents name, and systems of the stated size."""
    found = []
    for claim in figures[figures["quantity"].isin(NAMED)].itertuples():
        rows = filtered(official, round=claim.round)
        if claim.quantity == "benchmark_named":
            there, record = rows["benchmark"].eq(claim.benchmark).any(), f"results of {claim.subject}"
        elif claim.quantity == "result_cited":
            there, record = rows["result_id"].eq(claim.subject).any(), f"result {claim.subject}"
            if rows["result_id"].eq("").all():
                continue
        else:
            rows = filtered(rows, submitter=claim.submitter, accelerator=claim.accelerator)
            sizes = rows.loc[rows["system"].str.contains(claim.system, regex=False), "accelerator_count"]
            who = claim.submitter.replace("_", " ")
            there, record = sizes.eq(claim.low).any(), f"{claim.low:g}x {claim.accelerator} of {who}"
        record = f"{claim.round} has {'' if there else 'no '}{record}"
        found.append(found_row(claim, "named", "confirmed" if there else "contradicted", record, f"{record}."))
    return pd.DataFrame(found, columns=FOUND)


def check_labels(found: pd.DataFrame) -> pd.DataFrame:
    """Return a condition for each figure that official results confirm only under another unit or benchmark.

    Samples and queries are treated as the same unit: a sample of Offline is a query of Server.
    """
    fixes = tables.corrections[tables.corrections["table"].eq("figures")]
    fixes = fixes[fixes["corrected"].ne("queries/s")]
    rows = found[found["verdict"].isin(HOLDS)].merge(fixes.drop(columns="reason"), left_on="id", right_on="key")
    words = tell(rows, "Printed as {printed}; holds as {corrected}: {record}.")
    return rows.assign(check="label", verdict="conditional", reason=words)[FOUND]
