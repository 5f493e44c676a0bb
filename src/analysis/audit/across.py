"""The same quantity as two documents, or a document and a datasheet, state it; the official record is not asked here.

A figure that the record bears out is not accused by a document that contradicts it: the other one carries the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

import pandas as pd

from analysis.audit import verdict
from analysis.audit.lookup import Row, alike, plain
from analysis.audit.verdict import AGREES, row
from analysis.compare import gate, rates
from analysis.core import interval
from analysis.core.interval import Interval

CHECK, SHEET = "across documents", "datasheet"
FACTS = {
    "memory_capacity": "memory_gb",
    "memory_bandwidth": "memory_bandwidth_gb_per_s",
    "power_limit": "power_limit_w",
}
RATIOS = {"memory_capacity_ratio": "memory_gb", "memory_bandwidth_ratio": "memory_bandwidth_gb_per_s"}
SAME_RATE = ["benchmark", "scenario", "round", "accelerator", "power_measured"]
SAME_CLAIM = ["quantity", "subject_accelerator", "baseline_accelerator", "benchmark", "scenario", "round"]
COMPARED = [*FACTS, "memory_capacity_ratio", "memory_bandwidth_ratio", "throughput_ratio"]
BORNE_OUT = (*AGREES, "within_5_percent")


def throughputs(results: pd.DataFrame, benchmarks: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Each published throughput per accelerator against that of every other document, in the benchmark's unit.

    Tokens and samples are converted with the run's tokens per sample, or else the benchmark's range. `official` holds
    the verdicts of official.results.
    """
    best = official.groupby("row_id")["verdict"].agg(verdict.best)
    rows = _converted(results, benchmarks)
    pairs = [pair for group in alike(rows, SAME_RATE) for pair in permutations(group, 2)]
    found = [_pair(*pair) for pair in pairs if pair[0]["source_id"] != pair[1]["source_id"]]
    judged = verdict.frame(found)
    borne_out = judged["row_id"].map(best).isin(BORNE_OUT)
    return judged[~(borne_out & judged["verdict"].eq("contradicts"))].reset_index(drop=True)


def claims(table: pd.DataFrame) -> pd.DataFrame:
    """Each claim about an accelerator against the same claim of every other document."""
    rows = table[table["quantity"].isin(COMPARED) & table["duplicate_of"].eq("") & table["low"].notna()]
    rows = rows[rows["subject_accelerator"].ne("") & ~rows["accelerator_count"].gt(1).fillna(False)]
    rows = rows[rows["subject_accelerator"].ne(rows["baseline_accelerator"])]
    found = []
    for group in alike(rows, SAME_CLAIM):
        for one, other in permutations(group, 2):
            if one["source_id"] != other["source_id"]:
                found.append(_claim(one, other))
    return verdict.frame(found)


def prices(table: pd.DataFrame) -> pd.DataFrame:
    """Each price against another document's of the same accelerator, where both name the provider or one means most."""
    rows = plain(table[table["duplicate_of"].eq("")])
    found = []
    for one, other in permutations(rows, 2):
        same = one["provider"] == other["provider"] or "several" in one["provider"] + other["provider"]
        if same and one["source_id"] != other["source_id"] and one["accelerator"] == other["accelerator"]:
            ends = [
                Interval(p["usd_per_accelerator_hour_low"], p["usd_per_accelerator_hour_high"]) for p in (one, other)
            ]
            judged = verdict.compare(*ends, "range")
            said = (
                f"{other['source_id']} says {interval.text(ends[1].low, ends[1].high)} dollars ({other['provider']})."
            )
            found.append(row(one, "prices", CHECK, judged, *ends, "USD/hour", other["id"], said))
    return verdict.frame(found)


def datasheets(table: pd.DataFrame, accelerators: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Stated memory, bandwidth, their ratios, power limits and model sizes against the tables of facts."""
    facts, sizes = accelerators.set_index("accelerator"), benchmarks.set_index("benchmark")["parameters_billion"]
    rows = table[table["duplicate_of"].eq("") & table["bound"].eq("") & ~table["accelerator_count"].gt(1).fillna(False)]
    return verdict.frame(_facts(plain(rows), facts, sizes))


def _converted(results: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    rows = results.assign(slower=gate.slower_precision(results))
    rows = rows[rows["origin"].eq("published") & rows["duplicate_of"].eq("") & rows["round"].ne("") & ~rows["slower"]]
    rows = rows[rows["metric"].eq("throughput")]
    identities = benchmarks.set_index("benchmark")
    each = []
    for name, group in rows.groupby("benchmark", sort=False):
        unit = identities.at[name, "offline_unit"]
        each.append(rates.converted(group, identities.loc[name], unit).assign(rate_unit=unit))
    found = pd.concat(each) if each else rows.assign(per_accelerator_low=0.0, per_accelerator_high=0.0, rate_unit="")
    return found[found["per_accelerator_low"].notna()]


def _pair(one: Row, other: Row) -> Row:
    ends = [Interval(each["per_accelerator_low"], each["per_accelerator_high"]) for each in (one, other)]
    judged = verdict.compare(*ends, "range")
    unit = f"{one['rate_unit']} per accelerator"
    off = "" if judged in AGREES else f": the figure is {verdict.off(*ends)}"
    said = f"{other['source_id']} ({other['locator']}) gives {interval.text(ends[1].low, ends[1].high, 4)} {unit}{off}."
    return row(one, "results", CHECK, judged, *ends, unit, other["id"], said)


def _claim(one: Row, other: Row) -> Row:
    ends = [Interval(each["low"], each["high"]) for each in (one, other)]
    judged = verdict.compare(*ends, one["range_basis"])
    said = f"{other['source_id']} ({other['locator']}) says {interval.text(ends[1].low, ends[1].high)} {other['unit']}."
    return row(one, "claims", CHECK, judged, *ends, one["unit"], other["id"], said)


def _facts(rows: Iterable[Row], facts: pd.DataFrame, sizes: pd.Series) -> Iterator[Row]:
    for claim in rows:
        part, column = claim["subject_accelerator"], FACTS.get(claim["quantity"])
        if claim["quantity"] == "model_parameters":
            value, whose = float(sizes.get(claim["benchmark"], float("nan"))), f"The model of {claim['benchmark']} has"
        elif claim["quantity"] in RATIOS and {part, claim["baseline_accelerator"]} <= set(facts.index):
            ends = facts.loc[[part, claim["baseline_accelerator"]], RATIOS[claim["quantity"]]]
            value, whose = float(ends.iloc[0] / ends.iloc[1]), f"{ends.iloc[0]:g} over {ends.iloc[1]:g} of the facts is"
        elif column and part in facts.index:
            value, whose = float(facts.at[part, column]), f"The {part} has"
        else:
            continue
        trust = f" (datasheet {facts.at[part, 'confidence']})" if column else ""
        printed, expected = Interval(claim["low"], claim["high"]), Interval(value, value)
        judged = verdict.compare(printed, expected, claim["range_basis"])
        known = f"{interval.number(value, 4)} {claim['unit']}" if value == value else "no such fact in the tables"
        reference = f"accelerators.csv, {part}" if column else f"benchmarks.csv, {claim['benchmark']}"
        said = f"{whose} {known}{trust}."
        yield row(claim, "claims", SHEET, judged, printed, expected, claim["unit"], reference, said)
