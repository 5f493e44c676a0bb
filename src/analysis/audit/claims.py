"""Check a user-supplied CSV of claims from an article against official results."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.audit.judging import check_official
from analysis.audit.official import filtered
from analysis.compare import SCENARIOS, NoData, comparable
from analysis.current import current, over
from analysis.published import decisive, load_figures
from analysis.results import load_results

NEEDED = ["text", "accelerator", "value"]
COLUMNS = [
    "text", "source", "accelerator", "baseline", "benchmark", "scenario", "round", "value", "unit", "note",
]  # fmt: skip
READ = ["accelerator_count", "baseline_round", "bound", "range_basis", "low", "high"]
UNITS = {  # unit of a claim -> quantity of data/figures.csv
    "x": "throughput_ratio",
    "%": "throughput_ratio",
    "rank": "rank",
    **dict.fromkeys(("tokens/s", "samples/s", "queries/s"), "throughput"),
}
NUMBER = r"\d[\d,]*(?:\.\d+)?"
VALUE = re.compile(rf"(up to|at most|at least|about|~)? ?({NUMBER})(?: to ({NUMBER}))?")
BOUNDS = {"up to": "at_most", "at most": "at_most", "at least": "at_least"}
ABOUT = 0.05  # relative half-width of "about" and "~"
SYSTEM = re.compile(r"(?:(\d+)x )?(.*)")


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
    rows = tables.read_own(path, NEEDED)
    for name in rows:
        names.choose(name, COLUMNS, f"column of claims ({path})")
    found = []
    for line, row in rows.reindex(columns=COLUMNS, fill_value="").iterrows():
        try:
            found.append({**row, **_read(row)})
        except ValueError as error:
            raise ValueError(f"{path}, row {line + 2}: {error}") from None
    return pd.DataFrame(found, columns=[*COLUMNS, *READ])


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
    record = results[results["source_id"].ne("unofficial-submissions")]
    figures = _figures(claims, record)
    record = record.astype({"round": "str"})
    found = decisive(check_official(figures, record))
    judged = figures[["id"]].merge(found, how="left")[["verdict", "reason", "expected_low", "expected_high"]]
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


def _read(row: pd.Series) -> dict[str, Any]:
    """Return a claim's names as in the record and the range of its value. Raises ValueError naming the column."""
    unit = names.choose(row["unit"] or "x", UNITS, "unit")
    count, accelerator = SYSTEM.fullmatch(row["accelerator"].strip()).groups()
    of_baseline, baseline = SYSTEM.fullmatch(row["baseline"].strip()).groups()
    if of_baseline and of_baseline != count:
        raise ValueError(
            f"baseline is {row['baseline']!r}; ratios are between equal numbers of accelerators, or of one"
        )
    if unit in ("x", "%") and not baseline:
        raise ValueError(f"baseline is empty; a claim in {unit} needs the accelerator that it is over")
    rounds = [names.choose(each, tables.rounds["round"], "round") for each in row["round"].split(" to ") if each]
    match = VALUE.fullmatch(row["value"].strip(" x%"))
    if not match:
        raise ValueError(f"value is {row['value'][:40]!r}; expected such as 4.1, 3 to 4, up to 4, at least 4, about 4")
    word, first, last = match.groups()
    low, high = (float(end.replace(",", "")) for end in (first, last or first))
    half = 0.5 * 10.0 ** -len(first.partition(".")[2]) * (unit != "rank")  # of the last digit that is printed
    if unit == "%":
        low, high, half = 1 + low / 100, 1 + high / 100, half / 100
    basis = "range" if last else "approximate" if word in ("about", "~") else "rounded"
    wider = {"range": 0.0, "approximate": ABOUT * low, "rounded": half}[basis]
    return {
        "unit": unit,
        "accelerator": names.accelerator(accelerator),
        "accelerator_count": float(count or "nan"),
        "baseline": baseline and names.accelerator(baseline),
        "benchmark": row["benchmark"] and names.benchmark(row["benchmark"]),
        "scenario": row["scenario"] and names.choose(row["scenario"], SCENARIOS, "scenario"),
        "round": rounds[-1] if rounds else "",
        "baseline_round": rounds[0] if rounds else "",
        "bound": BOUNDS.get(word, ""),
        "range_basis": basis,
        "low": low - wider,
        "high": high + wider,
    }


def _figures(claims: pd.DataFrame, record: pd.DataFrame) -> pd.DataFrame:
    """Return the claims as rows of data/figures.csv; a claim without a round gets the newest that it can be about."""
    rows = claims.reset_index(drop=True).rename(columns={"baseline": "baseline_accelerator"})
    newest, count = [_newest(row, record) for row in rows.itertuples()], rows["accelerator_count"]
    quantity = rows["unit"].map(UNITS)
    rows = rows.reindex(columns=list(load_figures()), fill_value="").assign(
        id=rows.index.astype("str"),
        quantity=quantity,
        subject=rows["accelerator"],
        model=rows["benchmark"].map(names.label),
        unit=rows["unit"].replace({"x": "ratio", "%": "ratio"}),
        per=np.where(count.isna(), "accelerator", "system"),
        accelerator_count=count.mask(count.isna() & quantity.eq("throughput"), 1),
        power_measured=False,
        excluded_accelerators=[[]] * len(rows),
    )
    for name in ("round", "baseline_round"):
        rows[name] = rows[name].mask(rows[name].eq(""), newest)
    return rows


def _newest(claim: Any, record: pd.DataFrame) -> str:
    """Return the newest round with closed results of the accelerator and, where there is one, of its baseline."""
    rows = filtered(record, division="closed", benchmark=claim.benchmark, scenario=claim.scenario)
    sides = [filtered(rows, accelerator=name)["round"] for name in (claim.accelerator, claim.baseline_accelerator)]
    return max(set.intersection(*map(set, sides)), default="")
