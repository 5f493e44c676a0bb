"""Join the published figures with what is expected of them, as in data/verdicts.csv."""

from __future__ import annotations

import pandas as pd

from analysis import tables
from analysis.audit.judging import check_official
from analysis.audit.verdicts import FOUND, compare
from analysis.published import HOLDS, decisive, load_figures, range_text
from analysis.recipes.documents import counts, expected
from analysis.recipes.documents.expected import tell
from analysis.results import load_results

MEASURED = "unofficial-submissions"  # the source of results that a user measured
MISSING = {  # what the check of a quantity would need
    "latency_limit": "the rules of the table that it is about",
    "latency_ratio": "latencies of one model and accelerator with and without the change",
    "deployment_speedup_ratio": "rates of one model and accelerator with and without the change",
    "network_bandwidth": "facts about networks",
    "network_bandwidth_ratio": "facts about networks",
    "compute_ratio": "the operations of the model's parts",
    "share_of_time": "a profile of the run",
    "quality_loss": "the accuracy of both models on one test",
    "accuracy_fraction": "the accuracy of the changed model",
    "price": "the provider's offer of that day",
    "gain": "official results with and without the change",
    "result_cited": "result ids: the results of that round have none",
}


def judge(figures: pd.DataFrame, results: pd.DataFrame, by_hand: pd.DataFrame) -> pd.DataFrame:
    """Return every verdict on `figures`, one row per figure and check, in the columns of FOUND and `by_hand`.

    `by_hand` are verdicts that a person wrote; they replace a computed one of the same figure and check.
    """
    record = results[results["source_id"].ne(MEASURED)].astype({"round": "str"})
    first = figures[figures["duplicate_of"].eq("")]
    against = check_official(first, record)
    found = [against, counts.check_labels(against)]
    known = first[first["round"].isin(record["round"])]
    found += [check(known, record) for check in (counts.check_counts, counts.check_names)]
    checks = expected.datasheets, expected.documents, expected.formulas, expected.hardware_limits
    found += [check(figures) for check in checks]
    found = pd.concat(found, ignore_index=True).drop_duplicates(["id", "check", "reason"])
    replaced = pd.MultiIndex.from_frame(found[["id", "check"]]).isin(by_hand.set_index(["id", "check"]).index)
    found = pd.concat([by_hand.assign(by_hand=True), found[~replaced].assign(by_hand=False)], ignore_index=True)
    found = pd.concat([found, _repeats(figures, found)], ignore_index=True)
    found = pd.concat([found, _unchecked(figures, found)], ignore_index=True)
    found = figures[["id"]].merge(found, on="id")
    return found.assign(by_hand=found["by_hand"].eq(True))[[*FOUND, "by_hand"]]


def judged() -> pd.DataFrame:
    """Return every verdict on the published figures, as in data/verdicts.csv, whose rows written by hand stay."""
    return judge(load_figures(), load_results(), tables.load("verdicts").query("by_hand"))


def _repeats(figures: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts on figures that repeat another: that of the first mention, unless the numbers differ."""
    first = figures[["id", "low", "high", "locator"]].add_suffix("_first")
    rows = figures.merge(first, left_on="duplicate_of", right_on="id_first")
    rows = rows.rename(columns={"low_first": "expected_low", "high_first": "expected_high"})
    rows = rows.assign(printed_low=rows["low"], printed_high=rows["high"], range_basis="range", check="repeat")
    differs = ~compare(rows).isin(HOLDS)
    rows["record"] = range_text(rows["expected_low"], rows["expected_high"]) + " " + rows["unit"]
    other = rows.assign(verdict="contradicted", reason=tell(rows, "{locator_first} says {record}."))
    same = rows.loc[~differs, ["id", "duplicate_of", "locator_first"]]
    same = same.merge(decisive(found), left_on="duplicate_of", right_on="id", suffixes=("", "_first"))
    same = same.assign(check="repeat", reason=tell(same, "Repeats {locator_first}: {reason}"))
    return pd.concat([other.loc[differs, FOUND], same[FOUND]], ignore_index=True)


def _unchecked(figures: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Return the figures that no check covers as unverifiable, with what a check would need."""
    rows = figures[~figures["id"].isin(found["id"])]
    needed = rows["quantity"].map(MISSING).fillna("a source: it is an assumption of the document")
    rows = rows.assign(printed_low=rows["low"], printed_high=rows["high"], check="none", record="")
    return rows.assign(verdict="unverifiable", reason="The data lack " + needed + ".").reindex(columns=FOUND)
