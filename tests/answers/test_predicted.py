"""The words of predictions: how far they are off in half of the cases and in nine of ten, and of how many."""

import pandas as pd
import pytest

from analysis.answers import predicted as answer
from analysis.core.interval import Interval
from analysis.themes.prediction import ERRORS, KNOWN, NEW

NONE = float("nan")
WHOLE = {"scenario": "Server", "benchmark": "", "systems": 290, "of_systems": 290, "held": 0.8}
WHOLE |= {"predicted_median": 0.0227, "predicted_p90": 0.134, "nested_median": 0.0266, "nested_p90": 0.159}
WHOLE |= {"stranger_median": 0.025, "stranger_p90": 0.187, "naive_median": 0.046, "naive_p90": 0.304}
WHOLE |= {"factor_low": 0.918, "factor_high": 1.08}


def errors(*rows: dict[str, object]) -> pd.DataFrame:
    return pd.DataFrame([WHOLE | {"question": KNOWN} | row for row in rows], columns=ERRORS)


def test_a_finding_tells_half_of_the_cases_and_nine_of_ten_beside_the_rival() -> None:
    parts = {"benchmark": "llm"}, {"scenario": "Offline", "question": NEW}
    (finding,) = answer.findings(errors({}, *parts), ["mlcommons-v6.0"])
    words = (
        "Of 290 Server results left out, half are predicted within 2.3 % and nine of ten within 13 %, from their "
        "Offline rates and like systems."
    )
    more = "From other submitters alone it is 2.5 % and 19 %; the plain median ratio of all other systems is off by "
    assert (finding.headline, finding.more) == (words, f"{more}4.6 % and 30 %.")
    assert (finding.name, finding.value) == ("server_predicted_by_offline", Interval(0.0227, 0.134))
    assert finding.values["nested"][0] == Interval(0.0266, 0.159)
    assert finding.values["actual_over_predicted"] == (Interval(0.918, 1.08), "ratio, P10 to P90")


def test_what_could_not_be_predicted_is_counted() -> None:
    (finding,) = answer.findings(errors({"question": NEW, "systems": 267, "of_systems": 287}), [])
    assert (
        finding.headline.startswith("Of 267 Server results left out") and "other systems of their" in finding.headline
    )
    plain = "the plain median of all systems of the accelerator is off by 4.6 % and 30 %"
    assert finding.more.endswith(f"; {plain}; 20 more of 287 are the only systems of their accelerators.")
    assert "nested" not in finding.values and finding.name == "server_predicted_of_a_new_system"
    (few,) = answer.findings(errors({"predicted_p90": NONE, "scenario": "Interactive"}), [])
    assert few.value is None and few.headline.startswith("Too few Interactive results")


@pytest.mark.parametrize("question", [KNOWN, NEW])
def test_a_table_is_of_one_question_in_per_cent(question: str) -> None:
    rows = [{"question": name, "benchmark": benchmark} for name in (KNOWN, NEW) for benchmark in ("", "a", "b")]
    table = answer.table(errors(*rows), question, str.upper)
    assert table["label"].tolist() == ["2 language models", "A", "B"]
    assert (table["predicted"].iloc[0], table["held"].iloc[0]) == ("290 of 290", 80.0)
    assert table["predicted_p90"].iloc[0] == pytest.approx(13.4)
    shown = {name.removesuffix("_low") for name in table}
    assert set(answer.COLUMNS[question]) <= shown and set(answer.TITLES) == set(answer.COLUMNS)
    assert answer.findings(errors().head(0), []) == [] and answer.table(errors().head(0), question, str.upper).empty
