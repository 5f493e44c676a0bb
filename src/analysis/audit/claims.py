"""Check a user-supplied CSV of claims from an article against official results."""

from __future__ import annotations

import re
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import names, tables
from analysis.audit.judging import check_official
from analysis.audit.official import filtered
from analysis.compare import SCENARIOS, NoData, comparable
from analysis.present import current, over
from analysis.published import load_figures
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
NUMBER = r"\d+(?:\.\d+)?(?:e\d)?"
VALUE = re.compile(rf"(up to|at most|at least|about|~)? ?({NUMBER})(?: to ({NUMBER}))?")
BOUNDS = {"up to": "at_most", "at most": "at_most", "at least": "at_least"}
ABOUT = 0.05  # relative half-width of "about" and "~"
SYSTEM = re.compile(r"\s*(?:(\d+)x )?(.*)")


def read_claims(path: str | Path) -> pd.DataFrame:
    """Return the validated claims of a CSV file, with names as in the record.

    Parameters
    ----------
    path : str or Path
        A file with the columns text, accelerator, and value, and any of source, baseline, benchmark, scenario, round,
        unit, and note. An accelerator such as "8x B200" is a system; without a count the value is per accelerator.
        `value` is a number ("1,042,110", "60.2k", "1.04 million") or a range ("3 to 4"), also "up to 4", "at least 4",
        "about 4". `unit` is x (the default), % (a gain), rank, tokens/s, samples/s, or queries/s. `round` is one
        ("v6.1"), two ("v5.1 to v6.0": the baseline's and the accelerator's), or empty for the newest with results of
        both.

    Returns
    -------
    DataFrame
        One row per claim: `COLUMNS`, and the parsed claim in columns of data/figures.csv: `quantity`, `per`,
        `accelerator_count` (NaN per accelerator), `model`, `baseline_round`, `bound`, `range_basis`, and `low` and
        `high`, the range that the printed value represents.

    Raises
    ------
    ValueError
        For an invalid cell, naming the file, row, column, and valid values, and for a file without claims.
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
    if not found:
        raise ValueError(f"{path}: no claims; expected one row per claim")
    return pd.DataFrame(found)


def judge_claims(claims: pd.DataFrame, results: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the claims of `read_claims`, each with a verdict based on official results.

    Parameters
    ----------
    claims : DataFrame
        Claims of `read_claims`.
    results : DataFrame, optional
        Results of `load_results`.

    Returns
    -------
    DataFrame
        The claims in the same order, with `verdict` (of `analysis.published.VERDICTS`), `reason` in words, and the
        range of the official results (`expected_low` to `expected_high`, in the unit of the claim; ratios for %).
    """
    results = load_results() if results is None else results
    record = results[results["source_id"].ne("unofficial-submissions")]
    claims = claims.reset_index(drop=True)
    found = check_official(_figures(claims, record), record.astype({"round": "str"})).set_index("id")
    judged = claims.join(found[["verdict", "reason", "expected_low", "expected_high"]])
    without = judged["verdict"].isna()
    judged.loc[without, "verdict"] = "no official result"
    judged.loc[without, "reason"] = [_carried(claim, results) for claim in claims[without].itertuples()]
    return judged


def _carried(claim: Any, results: pd.DataFrame) -> str:
    """Return why a claim has no verdict, with the ratio of `current` where no round has both of its accelerators."""
    if claim.baseline and claim.benchmark and not claim.round:
        with suppress(NoData, KeyError):
            rows = comparable(results, benchmark=claim.benchmark, scenario=claim.scenario or "Offline")
            now = over(current(rows), claim.baseline).set_index("accelerator")
            low, high = now.loc[claim.accelerator, ["speedup_low", "speedup_high"]]
            return f"No round has both; carried to {rows['round'].max()}, the ratio is {low:.3g}x to {high:.3g}x."
    return "No official result covers this claim."


def _read(row: pd.Series) -> dict[str, Any]:
    """Return a claim's names as in the record and the range of its value. Raises ValueError naming the column."""
    unit = names.choose(row["unit"] or "x", UNITS, "unit")
    count, accelerator = SYSTEM.fullmatch(row["accelerator"]).groups()
    of_baseline, baseline = SYSTEM.fullmatch(row["baseline"]).groups()
    if of_baseline and of_baseline != count:
        raise ValueError(f"baseline is {row['baseline']!r}; expected the count of {row['accelerator']!r}, or none")
    is_ratio = unit in ("x", "%")
    if is_ratio and not baseline:
        raise ValueError(f"baseline is empty; a claim in {unit} needs a baseline accelerator")
    asked = row["round"].replace(" to ", " ").split()
    if len(asked) > 1 + is_ratio:
        raise ValueError(
            f"round is {row['round'][:40]!r}; expected one, or two for a ratio: the baseline's and the accelerator's"
        )
    rounds = [names.choose(each, tables.rounds["round"], "round") for each in asked] or [""]
    match = VALUE.fullmatch(row["value"].strip(" x%").replace(",", "").replace("k", "e3").replace(" million", "e6"))
    if not match:
        raise ValueError(f"value is {row['value'][:40]!r}; expected 4.1, 3 to 4, up to 4, at least 4, or about 4")
    word, first, last = match.groups()
    low, high = float(first), float(last or first)
    half = 0.5 * 10.0 ** Decimal(first).as_tuple().exponent * (unit != "rank")  # of the last digit that is printed
    if unit == "%":
        low, high, half = 1 + low / 100, 1 + high / 100, half / 100
    basis = "range" if last else "approximate" if word in ("about", "~") else "rounded"
    wider = {"range": 0.0, "approximate": ABOUT * low, "rounded": half}[basis]
    benchmark = row["benchmark"] and names.benchmark(row["benchmark"])
    return {
        "unit": unit,
        "quantity": UNITS[unit],
        "accelerator": names.accelerator(accelerator),
        "accelerator_count": float(count or "nan"),
        "per": "system" if count else "accelerator",
        "baseline": baseline and names.accelerator(baseline),
        "benchmark": benchmark,
        "model": names.label(benchmark),
        "scenario": row["scenario"] and names.choose(row["scenario"], SCENARIOS, "scenario"),
        "round": rounds[-1],
        "baseline_round": rounds[0],
        "bound": BOUNDS.get(word, ""),
        "range_basis": basis,
        "low": low - wider,
        "high": float("inf") if word == "at least" else high + wider,
    }


def _figures(claims: pd.DataFrame, record: pd.DataFrame) -> pd.DataFrame:
    """Return the claims as rows of data/figures.csv.

    A claim without a round gets the newest round with closed results of its accelerator and, if given, baseline.
    """
    figures = claims.reindex(columns=list(load_figures()), fill_value="").assign(
        id=claims.index,
        baseline_accelerator=claims["baseline"],
        power_measured=False,
    )
    for claim in claims.query("round == ''").itertuples():
        rows = filtered(record, division="closed", benchmark=claim.benchmark, scenario=claim.scenario)
        over, base = (filtered(rows, accelerator=name)["round"] for name in (claim.accelerator, claim.baseline))
        both = over[over.isin(base)]
        if len(both):
            figures.loc[claim.Index, ["round", "baseline_round"]] = both.max()
    return figures
