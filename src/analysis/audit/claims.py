"""Judge the claims of an article that a user brings: ten columns in, verdicts by official results out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.audit.official import check_results
from analysis.audit.ratios import check_ranks, check_ratios
from analysis.compare import SCENARIOS, NoData, comparable
from analysis.current import current, over
from analysis.published import decisive, load_figures
from analysis.results import load_results

NEEDED = ["text", "accelerator", "value"]
COLUMNS = [
    "text", "source", "accelerator", "baseline", "benchmark", "scenario", "round", "value", "unit", "note",
]  # fmt: skip
UNITS = {  # unit of a claim -> quantity of data/figures.csv
    "x": "throughput_ratio",
    "%": "throughput_ratio",
    "rank": "rank",
    **dict.fromkeys(("tokens/s", "samples/s", "queries/s"), "throughput"),
}
NUMBER = r"\d[\d,]*(?:\.\d+)?"
VALUE = re.compile(rf"(up to|at most|at least|about|~)? ?({NUMBER})(?: to ({NUMBER}))?")
ABOUT = 0.05  # relative half-width of "about" and "~"
SYSTEM = re.compile(r"(?:(\d+)x )?(.+)")
VERDICT = ["verdict", "reason", "expected_low", "expected_high"]


def read_claims(path: str | Path) -> pd.DataFrame:
    """Return the claims of a CSV file, checked, with the names of the record.

    Parameters
    ----------
    path : str or Path
        A file with the columns text, accelerator, and value, and any of source, baseline, benchmark, scenario, round,
        unit, and note. An accelerator such as "8x B200" is a system; without a count the value is per accelerator.
        `value` is a number or a range ("3 to 4"), also "up to 4", "at least 4", "about 4". `unit` is x (the default),
        % (a gain), rank, tokens/s, samples/s, or queries/s. `round` is one ("v6.1"), two ("v5.1 to v6.0": the
        baseline's and the accelerator's), or empty for the newest with results of both.

    Returns
    -------
    DataFrame
        One row for each claim: `COLUMNS`, `accelerator_count` (NaN per accelerator), `baseline_round`, `bound`,
        `range_basis`, and `low` and `high`, the range that the printed value stands for.

    Raises
    ------
    ValueError
        Names the file, row, column, and valid values of a cell that cannot be read.
    """
    rows = tables.read_own(path, NEEDED).reindex(columns=COLUMNS, fill_value="")
    if unknown := sorted(set(tables.read_own(path, NEEDED)) - set(COLUMNS)):
        names.choose(unknown[0], COLUMNS, f"column of claims ({path})")
    rows["unit"] = rows["unit"].replace("", "x")
    found = []
    for line, row in rows.iterrows():
        try:
            found.append(_checked(row))
        except ValueError as error:
            raise ValueError(f"{path}, row {line + 2}: {error}") from None
    return pd.DataFrame(found, columns=[*COLUMNS, *(name for name in _empty() if name not in COLUMNS)])


def judge_claims(claims: pd.DataFrame, results: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the claims of `read_claims`, each with its verdict by official results.

    Parameters
    ----------
    claims : DataFrame
        Claims of `read_claims`.
    results : DataFrame, optional
        Results of `load_results`.

    Returns
    -------
    DataFrame
        The claims in their order with `verdict` of `analysis.published.VERDICTS`, `reason` in words, and the range that
        official results have (`expected_low` to `expected_high`, in the unit of the claim; ratios for %).
    """
    results = load_results() if results is None else results
    record = results[results["source_id"].ne("unofficial-submissions")].astype({"round": "str"})
    figures = _figures(claims, record)
    checks = check_results(figures, record), check_ratios(figures, record), check_ranks(figures, record)
    found = decisive(pd.concat([each for each in checks if len(each)] or [checks[0]], ignore_index=True))
    judged = figures[["id"]].merge(found, on="id", how="left")[VERDICT]
    judged["verdict"] = judged["verdict"].fillna("no official result")
    missing = judged["reason"].isna()
    judged.loc[missing, "reason"] = [_carried(claim, results) for claim in claims[missing.to_numpy()].itertuples()]
    return pd.concat([claims.reset_index(drop=True), judged], axis=1)


def _carried(claim: Any, results: pd.DataFrame) -> str:
    """Return why a claim has no verdict, with the ratio of `current` where no round has both of its accelerators."""
    nothing = "No official result has what it is about."
    if not (claim.baseline and claim.benchmark) or claim.round:
        return nothing
    try:
        rows = comparable(results, benchmark=claim.benchmark, scenario=claim.scenario or "Offline")
        now = over(current(rows), claim.baseline).set_index("accelerator")
        low, high = now.loc[claim.accelerator, ["speedup_low", "speedup_high"]]
    except (NoData, KeyError):
        return nothing
    return f"No round has both; carried to {rows['round'].max()}, the ratio is {low:.3g}x to {high:.3g}x."


def _empty() -> dict[str, float | str]:
    return {"accelerator_count": np.nan, "baseline_round": "", "bound": "", "range_basis": "", "low": 0.0, "high": 0.0}


def _checked(row: pd.Series) -> dict:
    """Return a claim with the names of the record and the range of its value. Raises ValueError naming the column."""
    found = {**row, **_empty()}
    names.choose(row["unit"], UNITS, "unit")
    count, accelerator = SYSTEM.fullmatch(row["accelerator"].strip() or "-").groups()
    found["accelerator"], found["accelerator_count"] = names.accelerator(accelerator), float(count or "nan")
    _, baseline = SYSTEM.fullmatch(row["baseline"].strip() or "-").groups()
    found["baseline"] = names.accelerator(baseline) if baseline != "-" else ""
    if row["unit"] in ("x", "%") and not found["baseline"]:
        raise ValueError(f"baseline is empty; a claim in {row['unit']} needs the accelerator that it is over")
    if row["benchmark"]:
        labels = tables.benchmarks.set_index("label")["benchmark"]
        benchmark = labels.get(row["benchmark"], row["benchmark"])
        found["benchmark"] = names.choose(benchmark, tables.benchmarks["benchmark"], "benchmark")
    if row["scenario"]:
        found["scenario"] = names.choose(row["scenario"], SCENARIOS, "scenario")
    rounds = [
        names.choose(each.strip(), tables.rounds["round"], "round") for each in row["round"].split(" to ") if each
    ]
    found["round"], found["baseline_round"] = (rounds[-1], rounds[0]) if rounds else ("", "")
    match = VALUE.fullmatch(row["value"].strip().rstrip("x%").strip())
    if not match:
        raise ValueError(f"value is {row['value'][:40]!r}; expected such as 4.1, 3 to 4, up to 4, at least 4, about 4")
    word, low, high = match.groups()
    ends = [float(each.replace(",", "")) for each in (low, high or low)]
    half = _half_a_digit(low)
    if row["unit"] == "%":
        ends, half = [1 + end / 100 for end in ends], half / 100
    found["range_basis"] = "range" if high else "approximate" if word in ("about", "~") else "rounded"
    found["bound"] = {"up to": "at_most", "at most": "at_most", "at least": "at_least"}.get(word or "", "")
    wider = ABOUT * ends[0] if found["range_basis"] == "approximate" else 0.0 if high or row["unit"] == "rank" else half
    return found | {"low": ends[0] - wider, "high": ends[1] + wider}


def _half_a_digit(number: str) -> float:
    """Return half a unit of the last digit that is printed: 0.05 for "4.1", 0.5 for "4"."""
    return 0.5 * 10.0 ** -len(number.partition(".")[2])


def _figures(claims: pd.DataFrame, record: pd.DataFrame) -> pd.DataFrame:
    """Return the claims as rows of data/figures.csv; a claim without a round gets the newest that it can be about."""
    shape = load_figures().iloc[:0]
    rows = pd.DataFrame(
        {
            "id": [f"claim {number}" for number in range(1, len(claims) + 1)],
            "quantity": claims["unit"].map(UNITS),
            "subject": claims["accelerator"],
            "baseline_accelerator": claims["baseline"],
            "per": np.where(claims["accelerator_count"].isna(), "accelerator", "system"),
            "model": claims["benchmark"].map(tables.benchmarks.set_index("benchmark")["label"]).fillna(""),
            "unit": claims["unit"].replace({"x": "ratio", "%": "ratio"}),
            **{name: claims[name] for name in
               ("accelerator", "accelerator_count", "benchmark", "scenario", "round", "baseline_round", "bound",
                "range_basis", "low", "high")},
        }
    )  # fmt: skip
    rows = rows.reset_index(drop=True)
    absent = [name for name in shape if name not in rows]
    rows = rows.assign(**dict.fromkeys(absent, "")).assign(batch_size=np.nan, power_measured=False)
    rows["excluded_accelerators"] = [[] for _ in range(len(rows))]
    rows["accelerator_count"] = rows["accelerator_count"].fillna(
        rows["quantity"].eq("throughput").map({True: 1.0, False: np.nan})
    )
    newest = [_newest(row, record) for row in rows.itertuples()]
    rows["round"] = rows["round"].where(rows["round"].ne(""), newest)
    rows["baseline_round"] = rows["baseline_round"].where(rows["baseline_round"].ne(""), rows["round"])
    return rows


def _newest(claim: Any, record: pd.DataFrame) -> str:
    """Return the newest round with closed results of the accelerator and, where there is one, of its baseline."""
    rows = record[record["division"].eq("closed")]
    for name in ("benchmark", "scenario"):
        rows = rows[rows[name].eq(getattr(claim, name))] if getattr(claim, name) else rows
    rounds = set(rows.loc[rows["accelerator"].eq(claim.accelerator), "round"])
    if claim.baseline_accelerator:
        rounds &= set(rows.loc[rows["accelerator"].eq(claim.baseline_accelerator), "round"])
    order = {name: place for place, name in enumerate(tables.rounds["round"])}
    return max(rounds, key=order.get, default="")
