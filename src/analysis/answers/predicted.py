"""The words of predictions that were held against the record: how far they are off, as findings and as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from analysis.answers.words import PROSE, counted, finding_name
from analysis.core import interval
from analysis.core.findings import Finding, nothing
from analysis.core.interval import Interval
from analysis.core.plain import as_dicts
from analysis.core.vocabulary import LIMITED
from analysis.themes.prediction import ANSWERS, KNOWN, NEW

UNIT = "share of the actual rate, median to 90th percentile of the errors"
TITLES = {KNOWN: "Errors where a system's Offline result is known", NEW: "Errors of a system that nobody submitted"}
_FIRST = {"scenario": "Scenario", "label": "Benchmark", "predicted": "Predicted", "predicted_median": "Median (%)"}
_FIRST |= {"predicted_p90": "P90 (%)", "naive_p90": "Naive P90 (%)"}
_LAST = {"stranger_p90": "Other submitters, P90 (%)", "factor": "Actual over predicted (P10 to P90)"}
_LAST |= {"held": "In range (%)"}
COLUMNS = {KNOWN: _FIRST | {"nested_p90": "Other rounds' weights, P90 (%)"} | _LAST, NEW: _FIRST | _LAST}


def findings(errors: pd.DataFrame, sources: Sequence[str]) -> list[Finding]:
    """How far Server and Interactive results are predicted, over all benchmarks of themes.prediction.errors.

    One finding for each question and scenario; `sources` are the ids of what the cases stand in.
    """
    whole = errors[errors["benchmark"].eq("") & errors["scenario"].isin(LIMITED)]
    return [_finding(row, sources) for row in as_dicts(whole)]


def table(errors: pd.DataFrame, question: str, label: Callable[[str], str]) -> pd.DataFrame:
    """The errors of one question with their words, as a table shows COLUMNS; `label` names a benchmark in words."""
    of_question = errors[errors["question"].eq(question)]
    parts = of_question["benchmark"].ne("").groupby(of_question["scenario"]).transform("sum")
    pairs = zip(of_question["benchmark"], parts, strict=True)
    percent = [f"{name}_{end}" for name in ANSWERS for end in ("median", "p90")]
    return of_question.assign(
        label=[label(name) if name else counted(several, "language model") for name, several in pairs],
        predicted=[
            f"{count:,} of {total:,}"
            for count, total in zip(of_question["systems"], of_question["of_systems"], strict=True)
        ],
        **{name: 100 * of_question[name] for name in (*percent, "held")},
    )


def _finding(row: dict, sources: Sequence[str]) -> Finding:
    offline_known, scenario = row["question"] == KNOWN, row["scenario"]
    name = finding_name(f"{scenario} predicted {'by offline' if offline_known else 'of a new system'}")
    if pd.isna(row["predicted_p90"]):
        return nothing(name, UNIT, f"Too few {scenario} results could be left out and predicted.")
    percent = {key: _percent(row[key]) for key in row if key.endswith(("_median", "_p90"))}
    half, nine_of_ten = percent["predicted_median"], percent["predicted_p90"]
    within = f"half are predicted within {half} and nine of ten within {nine_of_ten}"
    how = "from their Offline rates and like systems" if offline_known else "from other systems of their accelerator"
    headline = f"Of {counted(row['systems'], f'{scenario} result')} left out, {within}, {how}."
    rival, strangers = ((percent[f"{kind}_median"], percent[f"{kind}_p90"]) for kind in ("naive", "stranger"))
    plain = "ratio of all other systems" if offline_known else "of all systems of the accelerator"
    details = f"From other submitters alone it is {' and '.join(strangers)}"
    details += f"; the plain median {plain} is off by {' and '.join(rival)}"
    if not offline_known and (alone := row["of_systems"] - row["systems"]):
        details += f"; {alone} more of {row['of_systems']} are the only systems of their accelerators"
    values = {
        kind: (Interval(row[f"{kind}_median"], row[f"{kind}_p90"]), UNIT)
        for kind in ANSWERS if (offline_known or kind != "nested") and row[f"{kind}_median"] <= row[f"{kind}_p90"]
    }  # fmt: skip
    values["actual_over_predicted"] = (interval.of(row, "factor"), "ratio, P10 to P90")
    ends = values.pop("predicted")[0]
    return Finding(name, ends, UNIT, headline, sources, more=f"{details}.", values=values)


def _percent(share: float) -> str:
    return f"{interval.number(100 * share, PROSE)} %"
