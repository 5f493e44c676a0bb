"""Declared precisions held against the accuracy of their runs: tokens per sample and scores.

Quantized weights of one vendor answer alike wherever they run, so that tokens per sample and scores of a run tell its
precision where the runs of two precisions differ in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from analysis._core.interval import UNKNOWN, Interval
from analysis._core.plain_values import Row, as_dicts, grouped

MATCHES = "matches"  # on the side of the declared precision in each metric that tells it from another one
CONTRADICTED = "contradicted"  # on the side of another precision in each such metric
INDISTINCT = "indistinct"  # within the range of another precision; nobody else submitted the declared one
UNTESTED = "untested"  # too few metrics or runs of others, or their ranges overlap
EVIDENT = ("configuration", "calibration document")  # bases of a precision that rest on files of the submission
FOUND = "accuracy"  # the basis of a precision that was corrected by this check
METRICS = 2  # that must tell two precisions apart: one score alone also differs by software
RUNS, SUBMITTERS = 3, 2  # by others, so that one wrong label makes no range
TOKENS = "TOKENS_PER_SAMPLE"
READ = ["id", "submitter", "benchmark", "accelerator", "precision", "precision_basis", "duplicate_of", "accuracy"]
READ += ["tokens_per_sample", "division", "origin"]
_COLUMNS = ["id", "verdict", "reads_as", "metric", "value", "own_low", "own_high", "other_low", "other_high"]
_SCORE = re.compile(r"([A-Za-z]\w*): (-?\d[\d.e+-]*)")

Metrics = dict[str, float]
Ranges = dict[str, Interval]


def judged(results: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """Return a verdict on the precision of each official closed-division result that states one and its accuracy.

    Columns: id, verdict (MATCHES, CONTRADICTED, INDISTINCT or UNTESTED), reads_as (the precision of the runs that it is
    like, "" where untested) and, of the first metric that decides ("" and NaN where none does), metric, value,
    own_low/high (of the runs of its own precision) and other_low/high (of those of the other one).

    A run is compared with the runs of other submitters on accelerators of the same vendor, of each precision with at
    least RUNS runs by SUBMITTERS submitters. A metric tells two precisions apart where their ranges do not overlap.
    """
    vendor = dict(zip(accelerators["accelerator"], accelerators["vendor"], strict=True))
    rows = results.reindex(columns=READ)
    stated = rows["origin"].eq("official") & rows["division"].eq("closed") & rows["precision"].ne("")
    runs = as_dicts(rows[stated & rows["accuracy"].fillna("").ne("")])
    runs = [row | {"vendor": vendor.get(row["accelerator"]), "metrics": _metrics(row)} for row in runs]
    groups = grouped((row for row in runs if row["vendor"]), ["benchmark", "vendor"]).values()
    found = [cells for group in groups for cells in _verdicts(group)]
    return pd.DataFrame(found, columns=_COLUMNS)


def evident(rows: pd.DataFrame, verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the rows whose precision has evidence: a file of the submission, or an accuracy that matches (judged).

    A file does not count where the accuracy is that of another precision.
    """
    verdict = rows["id"].map(verdicts.set_index("id")["verdict"]).fillna(UNTESTED)
    by_file = rows["precision_basis"].isin([*EVIDENT, FOUND]) & ~verdict.isin([CONTRADICTED, INDISTINCT])
    return rows[by_file | verdict.eq(MATCHES)]


def as_declared(results: pd.DataFrame, corrections: pd.DataFrame) -> pd.DataFrame:
    """Return the results with the precision that was declared where this check corrected it (basis FOUND)."""
    fixes = corrections[corrections["table"].eq("official") & corrections["column"].eq("precision")]
    declared = dict(zip(fixes["key"], fixes["printed"], strict=True))
    corrected = results["precision_basis"].eq(FOUND) & results["id"].isin(list(declared))
    precision = results["precision"].mask(corrected, results["id"].map(declared))
    return results.assign(precision=precision, precision_basis=results["precision_basis"].mask(corrected, "declared"))


def _metrics(row: Row) -> Metrics:
    metrics = {name: float(number) for name, number in _SCORE.findall(row["accuracy"])}
    tokens = row["tokens_per_sample"]
    return metrics if tokens is None or tokens != tokens else {TOKENS: float(tokens)} | metrics


def _verdicts(group: list[Row]) -> Iterable[tuple]:
    """The cells of each row of one benchmark and vendor, in the order of _COLUMNS."""
    runs = [row for row in group if not row["duplicate_of"]]
    alike = grouped((row | {"names": frozenset(row["metrics"])} for row in group), ["submitter", "names"])
    for (submitter, names), rows in alike.items():
        ranges = _ranges(runs, submitter, names) if len(names) >= METRICS else {}
        for row in rows:
            yield row["id"], *_verdict(row, ranges)


def _ranges(runs: list[Row], submitter: str, names: Iterable[str]) -> dict[str, Ranges]:
    """By precision and metric, the lowest and highest value of the runs of other submitters that state all metrics."""
    others = (run for run in runs if run["submitter"] != submitter and run["metrics"].keys() >= set(names))
    return {
        precision: {name: _range([run["metrics"][name] for run in part]) for name in names}
        for (precision,), part in grouped(others, ["precision"]).items()
        if len(part) >= RUNS and len({run["submitter"] for run in part}) >= SUBMITTERS
    }


def _verdict(row: Row, ranges: dict[str, Ranges]) -> tuple:
    metrics, own = row["metrics"], ranges.get(row["precision"])

    def cells(name: str, own: Interval, other: Interval) -> tuple:
        return name, metrics[name], own.low, own.high, other.low, other.high

    matched = (UNTESTED, "", "", np.nan, np.nan, np.nan, np.nan, np.nan)
    for precision, other in ranges.items():
        if own is None and all(ends.low <= metrics[name] <= ends.high for name, ends in other.items()):
            first = TOKENS if TOKENS in other else min(other)
            return INDISTINCT, precision, *cells(first, UNKNOWN, other[first])
        if own is None or precision == row["precision"]:
            continue
        apart = [name for name in sorted(other, key=lambda name: name != TOKENS) if not own[name].overlaps(other[name])]
        nearer = {_nearer(metrics[name], own[name], other[name]) for name in apart}
        if len(apart) >= METRICS and len(nearer) == 1:
            decisive = cells(apart[0], own[apart[0]], other[apart[0]])
            if not nearer.pop():
                return CONTRADICTED, precision, *decisive
            matched = (MATCHES, row["precision"], *decisive)
    return matched


def _range(values: list[float]) -> Interval:
    return Interval(min(values), max(values))


def _nearer(value: float, own: Interval, other: Interval) -> bool:
    """Whether a value lies on the own side of the middle of the gap between two ranges that do not overlap."""
    if own.high < other.low:
        return value < (own.high + other.low) / 2
    return value > (other.high + own.low) / 2
