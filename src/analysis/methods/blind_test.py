"""A blind test: a round's results predicted before they entered the record, written down, and scored afterwards.

The file has one row for each closed data-center Server or Interactive result of a language model. Rates are those of
the whole system, in `unit`; each prediction has the columns `<prefix>_p10`, `_p50` and `_p90`, empty where there is
none.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis._core.vocabulary import TOKENS
from analysis.methods import prediction
from analysis.methods.prediction import FEWEST, KNOWN, LIKELY, NEW

CASE_KEY = ["benchmark", "scenario", "system_key"]
SYSTEM = ["submitter", "system", "accelerator", "accelerator_count", "software"]
PREFIXES = {NEW: "new_system", KNOWN: "offline_known"}
PERCENTILES = {"p10": "low", "p50": "predicted", "p90": "high"}
COLUMNS = [*CASE_KEY, *SYSTEM, "unit", *(f"{PREFIXES[NEW]}_{name}" for name in PERCENTILES), "offline"]
COLUMNS += [f"{PREFIXES[KNOWN]}_{name}" for name in PERCENTILES]
DIGITS = 6  # significant digits of a rate in the file
SCORES = ["question", "scenario", "benchmark", "results", "predicted", "median", "p90", "low", "ranged", "held"]
HEADINGS = ["Question", "Scenario", "Benchmark", "Results", "Predicted", "Median error", "P90 error", "Too low"]
HEADINGS += ["Within P10 to P90"]


def written_down(cases: pd.DataFrame, name: str) -> pd.DataFrame:
    """The predictions for round `name` from the rounds before it: the frame of the file. Columns: COLUMNS.

    `cases` are those of methods.prediction.record; `prediction.ahead` says what of the round is read.
    """
    ahead = prediction.ahead(cases, name)
    of_question = {question: rows.set_index(CASE_KEY) for question, rows in ahead.groupby("question")}
    systems = ahead.drop_duplicates(CASE_KEY).set_index(CASE_KEY)
    columns = {column: systems[column] for column in (*SYSTEM, "offline")} | {"unit": TOKENS}
    for question, prefix in PREFIXES.items():
        columns |= {f"{prefix}_{end}": of_question[question][column] for end, column in PERCENTILES.items()}
    frame = pd.DataFrame(columns, index=systems.index).reset_index()[COLUMNS].sort_values(CASE_KEY)
    rates = frame.columns[frame.dtypes.eq("float64")]
    return frame.assign(**{column: _rounded(frame[column]) for column in rates}).reset_index(drop=True)


def scored(predictions: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The file held against the rates of `cases`, by question, scenario and benchmark ("" is all). Columns: SCORES.

    `results` are those written down, `predicted` those of them with a prediction; `median` and `p90` are the absolute
    errors of these, as shares of the actual rate (p90 NaN of FEWEST or fewer), `low` the share of them that is below
    the actual rate; `held` is the share of the `ranged` whose actual rate lies within P10 to P90. Raises ValueError
    where a result of the file is not among the cases.
    """
    joined = predictions.merge(cases[[*CASE_KEY, "rate"]], on=CASE_KEY, how="left", validate="one_to_one")
    if joined["rate"].isna().any():
        missing = joined.loc[joined["rate"].isna(), CASE_KEY].iloc[0].tolist()
        raise ValueError(f"the record has no result {', '.join(missing)}, which the blind test predicted")
    rows = []
    for question, prefix in PREFIXES.items():
        for scenario, of_scenario in joined.groupby("scenario", sort=True):
            parts = {"": of_scenario} | dict(iter(of_scenario.groupby("benchmark", sort=True)))
            rows += [
                {"question": question, "scenario": scenario, "benchmark": benchmark} | _score(part, prefix)
                for benchmark, part in parts.items()
            ]
    return pd.DataFrame(rows, columns=SCORES)


def table(scores: pd.DataFrame) -> str:
    """The scores as a Markdown table, in percent; a dash where there is no figure."""
    lines = [f"| {' | '.join(HEADINGS)} |", "|---" * len(HEADINGS) + "|"]
    for row in scores.to_dict("records"):
        shares = (row[name] for name in ("median", "p90", "low", "held"))
        cells = [row["question"], row["scenario"], row["benchmark"] or "all", row["results"], row["predicted"]]
        cells += ["-" if np.isnan(share) else f"{100 * share:.0f}%" for share in shares]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _score(rows: pd.DataFrame, prefix: str) -> dict[str, float]:
    low, middle, high = (rows[f"{prefix}_{name}"] for name in PERCENTILES)
    off = np.abs(middle / rows["rate"] - 1).dropna()
    is_ranged = low.notna() & high.notna()
    return {
        "results": len(rows),
        "predicted": len(off),
        "median": float(off.median()),
        "p90": float(off.quantile(LIKELY[1])) if len(off) > FEWEST else np.nan,
        "low": float((middle < rows["rate"])[middle.notna()].mean()),
        "ranged": int(is_ranged.sum()),
        "held": float(rows["rate"].between(low, high)[is_ranged].mean()),
    }


def _rounded(rates: pd.Series) -> pd.Series:
    return rates.map(lambda rate: float(f"{rate:.{DIGITS}g}"))
