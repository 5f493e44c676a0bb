"""Summaries, words and consequences of the audit, from small frames."""

from dataclasses import replace

import pandas as pd
import pytest

from analysis._core.interval import Interval
from analysis._core.notes import note
from analysis.audit import checks, consequences, naming, verdict
from analysis.audit.verdict import Judgment, Verdict
from analysis.charts import colors
from analysis.comparability import selection
from analysis.comparability.selection import Question

LABELS = {"docA": "A", "docB": "B"}


def judgment(name, check, found, printed, expected, source="docA"):
    """The verdict on a point."""
    return Judgment(
        figure={"table": "results", "id": name, "source_id": source, "locator": name},
        check=check,
        verdict=Verdict(found),
        printed=Interval(printed, printed),
        expected=Interval(0.0 if "bandwidth" in check else expected, expected),
        unit="tokens/s",
        reference="4.1-1",
        explanation="So it is.",
    )


@pytest.fixture
def judged():
    return verdict.frame(
        [
            judgment("right", "official", "confirmed", 100.0, 100.0, "docB"),
            judgment("wrong", "official", "contradicted", 100.0, 300.0),
            judgment("fast", "batch-1 bandwidth", "physically_impossible", 120.0, 40.0),
            judgment("alone", "official", "no_official_result", 5.0, float("nan")),
        ]
    )


def test_each_quantity_has_one_row_under_the_check_that_decides(judged):
    """100 printed where 300 is expected is off by a third, 120 above a limit of 40 by three; what agrees is at 1."""
    more = [judgment("fast", "official", "within_rounding", 120.0, 120.0)]
    more += [judgment("wrong", "across documents", "contradicted", 100.0, 200.0)]
    more += [judgment("low", "dense compute", "within_rounding", 5.0, 5000.0)]
    more += [judgment("more", "stated claim", "within_rounding", 1.0, 2.0, "docB")]
    found = checks.printed_over_expected(pd.concat([judged, verdict.frame(more)]))
    assert found[["row_id", "group", "off"]].to_numpy().tolist() == [
        ["wrong", "contradicted", 1 / 3],
        ["fast", "physically impossible", 3.0],
        ["right", "confirmed", 1.0],
        ["more", "confirmed", 1.0],
    ]
    assert checks.printed_over_expected(judged.head(0)).empty


def test_what_checks_expect_of_one_figure_stands_in_one_row(judged):
    steps = {"official": "own", "across documents": "other"}
    rows = pd.concat([judged, verdict.frame([judgment("wrong", "across documents", "confirmed", 100.0, 90.0)])])
    found = checks.expected_by_check(rows, steps).set_index("locator")
    assert found.loc["wrong", ["printed_low", "own_low", "other_high", "verdict"]].tolist() == [
        100.0, 300.0, 90.0, "contradicted"
    ]  # fmt: skip
    assert found["other_low"].isna().tolist() == [True, False, True]
    assert checks.expected_by_check(judged.head(0), steps).empty


def test_the_scorecard_counts_by_document_most_wrong_first(judged):
    card = checks.scorecard(judged, LABELS)
    columns = ["source", "figures", "holds", "conditional", "wrong", "unchecked", "without_official_result"]
    assert card[columns].to_numpy().tolist() == [["A", 3, 0, 0, 2, 1, 1], ["B", 1, 1, 0, 0, 0, 0]]
    assert checks.scorecard(judged.head(0), LABELS).empty


def test_a_rank_has_no_factor_and_comes_last(judged):
    rank = judgment("first", "rank", "contradicted", 1.0, 9.0)
    rank = replace(rank, figure={**rank.figure, "table": "claims"}, unit="rank")
    worst = checks.worst_first(pd.concat([verdict.frame([rank]), judged]))
    assert worst["row_id"].tolist() == ["fast", "wrong", "first"]
    assert worst["apart"].isna().tolist() == [False, False, True]


def test_tables_name_documents_and_dates():
    said = "docB (line 1) gives 3, not docA-one x 3600; docA-two is unknown."
    when = judgment("docA-one", "date", "contradicted", 1.0, 20240828.0)
    when = replace(when, figure={**when.figure, "locator": "first line"}, unit="date", explanation=said)
    when = replace(when, printed=Interval(20241101.0, 20241130.0))
    named = judgment("docA-name", "benchmark named", "contradicted", 1.0, 0.0)
    judged = verdict.frame([when, named])
    rows = naming.not_quantities(naming.in_words(judged, judged, LABELS)).set_index("row_id")
    assert rows.loc["docA-one", ["document", "printed", "expected"]].tolist() == ["A", "November 2024", "2024-08-28"]
    assert rows.loc["docA-one", "explanation"] == (
        "B (line 1) gives 3, not \u201cA, first line\u201d x 3600; docA-two is unknown."
    )
    assert rows.loc["docA-name", ["printed", "expected", "verdict"]].tolist() == [
        "is a benchmark", "is not", "contradicted"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "unit", "said"),
    [
        (20240201.0, 20240229.0, "date", "February 2024"),
        (20240828.0, 20240828.0, "date", "2024-08-28"),
        (2.0, 3.0, "ratio", "2 to 3"),
    ],
)
def test_a_range_in_words(low, high, unit, said):
    assert naming.ends(low, high, unit) == said


def test_every_verdict_of_the_picture_has_a_color():
    assert list(checks.GROUPS) == list(colors.JUDGED)


def test_a_conclusion_on_a_doubtful_figure_is_set_beside_the_official_one(rows, official, audited):
    new = {"accelerator": "H200 SXM"}
    given = [{"low": 400.0, "division": "closed"}, {"low": 800.0, "division": "closed"} | new]
    given += [official(low=800.0), official(low=760.0, **new)]
    chosen = selection.select(audited(rows(*given)), Question("llm", "Offline"))
    found = consequences.conclusions(chosen.rows, "H100 SXM", verdict.frame([]), LABELS)
    (only,) = found.to_dict("records")
    assert (only["printed_low"], only["official_low"]) == (2.0, 0.95)
    assert (only["notes"], only["source_ids"]) == ({note("contradicts_record")}, ("docA",))


def test_a_conclusion_on_sound_figures_is_left_alone(rows, official, audited):
    new = {"accelerator": "H200 SXM"}
    given = [{"low": 800.0}, {"low": 1000.0} | new, official(low=800.0), official(low=1000.0, **new)]
    chosen = selection.select(audited(rows(*given)), Question("llm", "Offline"))
    assert consequences.conclusions(chosen.rows, "H100 SXM", verdict.frame([]), LABELS).empty


def test_conclusions_of_sizings_and_watts_are_noted_with_what_is_wrong_and_name_their_source(rows, benchmarks):
    judged = verdict.frame(
        [judgment(name, name, "contradicted", 3.0, 4.0, "docB") for name in ("official sizing", "implied watts")]
    )
    none = selection.select(selection.record(rows(), benchmarks), Question("llm", "Offline")).rows
    found = consequences.conclusions(none, "H100 SXM", judged, LABELS)
    assert list(found) == consequences.COLUMNS
    assert found[["about", "basis", "notes", "source_ids"]].to_numpy().tolist() == [
        ["sizing", "B", {note("rate_contradicts_record")}, ("docB",)],
        ["power", "B", {note("contradicts_meter")}, ("docB",)],
    ]
