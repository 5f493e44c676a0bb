"""The words, figures and consequences of the source audit, from small frames."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.answers import source_audit as answer
from analysis.audit import checks, consequences, doubts, naming, verdict
from analysis.compare import gate
from analysis.compare.gate import Question
from analysis.core.interval import Interval
from analysis.show.figures import colours, loglog

Rows = Callable[..., pd.DataFrame]
LABELS = {"docA": "A", "docB": "B"}
KNOWN = pd.DataFrame(
    {"accelerator": "H100 SXM", "part": "8x H100 SXM", "model": "Big LLM", "words": "H100 SXM, LLM"},
    index=["right", "wrong"],
)


def row(name: str, check: str, found: str, printed: float, expected: float, **more: str) -> dict:
    """A row of verdicts on a point."""
    figure = {"id": name, "source_id": more.get("source_id", "docA"), "locator": name}
    ends = (Interval(printed, printed), Interval(0.0 if "bandwidth" in check else expected, expected))
    return verdict.row(figure, "results", check, found, *ends, "tokens/s", "4.1-1", "So it is.")


@pytest.fixture
def judged() -> pd.DataFrame:
    return verdict.frame(
        [
            row("right", "official", "exact", 100.0, 100.0, source_id="docB"),
            row("wrong", "official", "contradicts", 100.0, 300.0),
            row("fast", "batch-1 bandwidth", "impossible", 120.0, 40.0),
            row("alone", "official", "no_official_basis", 5.0, float("nan")),
        ]
    )


def test_the_answer_counts_what_holds_and_what_does_not(judged: pd.DataFrame) -> None:
    said = answer.believable(judged, LABELS)
    assert (said.low, said.sentence) == (
        1,
        "Of 4 published figures 1 hold, 2 contradict or are impossible (2 of them in A), 0 hold only under a "
        "condition, and 1 cannot be checked; B has none that is wrong.",
    )
    assert answer.impossible(judged).low == 3.0
    assert answer.contradicted(checks.worst_first(judged), LABELS, KNOWN).sentence == (
        "1 figure contradicts the official record; furthest off of the rates, A prints 100 tokens/s for 8x H100 SXM on "
        "Big LLM where official results give 300."
    )
    assert answer.unfounded(judged).low == 1


def test_a_rate_is_above_its_ceiling_by_the_nearest_end_as_the_table_says() -> None:
    """154.5 to 155.5 tokens/s over a ceiling of 50 is 3.09 times at least."""
    figure = {"id": "fast", "source_id": "docA", "locator": "here"}
    ends = (Interval(154.5, 155.5), Interval(0.0, 50.0))
    rows = verdict.frame(
        [verdict.row(figure, "results", "batch-1 bandwidth", "impossible", *ends, "tokens/s", "r", "So.")]
    )
    assert answer.impossible(rows).low == answer.impossible(rows).high == 3.09
    assert checks.worst_first(rows)["apart"].tolist() == [3.09]


def test_a_contradiction_that_is_no_rate_has_no_factor(judged: pd.DataFrame) -> None:
    rank = row("first", "rank", "contradicts", 1.0, 9.0) | {"table": "claims", "unit": "rank"}
    rows = pd.concat([verdict.frame([rank]), judged])
    worst = checks.worst_first(rows)
    assert worst["row_id"].tolist()[-1] == "first"
    assert worst["apart"].isna().tolist() == [False, False, True]
    alone = answer.contradicted(checks.worst_first(verdict.frame([rank])), LABELS, KNOWN)
    assert (alone.low, "1 figure contradicts" in alone.sentence) == (None, True)


def test_tables_name_documents_and_tell_dates() -> None:
    said = "docB (line 1) gives 3, not docA-one x 3600; docA-two is unknown."
    when = row("docA-one", "date", "contradicts", 1.0, 1.0) | {"unit": "date", "explanation": said}
    when |= {"printed_low": 20241101.0, "printed_high": 20241130.0, "expected_low": 20240828.0}
    when |= {"expected_high": 20240828.0, "locator": "first line"}
    named = row("docA-name", "benchmark named", "contradicts", 1.0, 0.0)
    judged = verdict.frame([when, named, row("docA-fast", "official", "contradicts", 100.0, 300.0)])
    worst = checks.worst_first(judged)
    told = answer.listed_named(worst, judged, LABELS).set_index("row_id")
    assert told.loc["docA-one", ["document", "printed", "expected"]].tolist() == ["A", "November 2024", "2024-08-28"]
    assert told.loc["docA-one", "explanation"] == (
        "B (line 1) gives 3, not \u201cA, first line\u201d x 3600; docA-two is unknown."
    )
    assert told.loc["docA-name", ["printed", "expected"]].tolist() == ["is a benchmark", "is not"]
    assert answer.listed_wrong(worst, judged, LABELS)["row_id"].tolist() == ["docA-fast"]


@pytest.mark.parametrize(
    ("low", "high", "unit", "said"),
    [
        (20240201.0, 20240229.0, "date", "February 2024"),
        (20240201.0, 20240228.0, "date", "2024-02-01 to 2024-02-28"),
        (20240828.0, 20240828.0, "date", "2024-08-28"),
        (float("nan"), float("nan"), "date", "not known"),
        (2.0, 3.0, "ratio", "2 to 3"),
    ],
)
def test_a_range_in_words(low: float, high: float, unit: str, said: str) -> None:
    assert naming.ends(low, high, unit) == said


def test_a_result_is_named_by_its_part_and_what_it_is(rows: Rows, benchmarks: pd.DataFrame) -> None:
    one = {"batch_size": 1, "framework": "vLLM", "accelerator_count": None}
    found = naming.described(rows({}, one, {"origin": "official"}), benchmarks)
    assert found.index.tolist() == ["r0", "r1"]
    assert found["part"].tolist() == ["8x H100 SXM", "H100 SXM"]
    assert found["words"].tolist() == ["H100 SXM, LLM", "H100 SXM, vLLM, batch 1"]


def test_every_verdict_of_the_picture_has_a_colour() -> None:
    assert list(answer.GROUPS) == list(colours.JUDGED)


def test_nothing_judged_is_said(judged: pd.DataFrame) -> None:
    none = judged.head(0)
    for finding in (answer.believable(none, LABELS), answer.impossible(none), answer.unfounded(none)):
        assert finding.low is None
    assert answer.contradicted(checks.worst_first(none), LABELS, KNOWN).low is None
    for told in (answer.listed_wrong, answer.listed_named):
        assert told(checks.worst_first(none), none, LABELS).empty
    assert answer.consequences(pd.DataFrame(columns=consequences.COLUMNS)).low is None


def test_points_are_drawn_with_their_ceiling_and_the_worst_are_named(judged: pd.DataFrame) -> None:
    points = answer.plotted(judged, LABELS, KNOWN, most=1)
    assert points["expected_low"].tolist() == [100.0, 300.0, 40.0]
    assert points["group"].tolist() == ["agrees", "contradicts", "impossible"]
    assert points["words"].tolist() in (["", "H100 SXM, LLM", ""], ["", "", "fast"])


def test_the_picture_tells_its_numbers(judged: pd.DataFrame) -> None:
    names = {"x": "expected", "y": "printed", "series": "document", "group": "group", "inks": colours.JUDGED}
    words = {"x_axis": "expected", "y_axis": "printed", "title": "Claim.", "subtitle": "What.", "label": "words"}
    drawn = loglog.against(answer.plotted(judged, LABELS, KNOWN), **names, **words)
    assert "3 points, printed against expected: 1 agrees, 0 only under a condition, 1 contradicts" in drawn.alt
    assert "fast: 120 against 40" in drawn.alt
    assert loglog.against(answer.plotted(judged.head(0), LABELS, KNOWN), **names, **words).figure is None


def test_the_roofs_tell_their_numbers() -> None:
    roofs = pd.DataFrame({"accelerator": ["H100 SXM"], "precision": ["fp16"], "at_batch_1": [24.0], "flat": [7200.0]})
    roofs = roofs.assign(ridge=300.0)
    points = pd.DataFrame({"accelerator": ["H100 SXM"], "x_low": [1.0], "x_high": [1.0], "y_low": [42.0]})
    points = points.assign(y_high=43.0, above=True, label="a figure")
    words = {"panel": "accelerator", "line": "precision", "x_axis": "x", "y_axis": "y", "title": "T.", "subtitle": "S."}
    told = loglog.roofs(roofs, points, **words).alt
    assert "H100 SXM fp16: 24 at 1, flat at 7,200 from 300" in told
    assert "a figure 42 to 43 (above)" in told
    assert loglog.roofs(roofs.head(0), points, **words).figure is None


def test_a_conclusion_on_a_doubtful_figure_is_set_beside_the_official_one(
    rows: Rows, official: Callable, benchmarks: pd.DataFrame, parts: pd.DataFrame
) -> None:
    new = {"accelerator": "H200 SXM"}
    given = [{"low": 400.0, "division": "closed"}, {"low": 800.0, "division": "closed"} | new]
    given += [official(low=800.0), official(low=760.0, **new)]
    results = doubts.marked(rows(*given), benchmarks, parts)
    chosen = gate.select(results, benchmarks, Question("llm", "Offline"))
    gains = pd.DataFrame(columns=["caveat", "statement"], dtype="str")
    found = consequences.conclusions(chosen.rows, "H100 SXM", gains, verdict.frame([]))
    (each,) = found.to_dict("records")
    assert (each["printed_low"], each["official_low"], each["doubt"]) == (2.0, 0.95, "contradicts the official record")
    said = answer.consequences(found)
    assert "turns H200 SXM over H100 SXM by A into its opposite" in said.sentence


def test_a_conclusion_on_sound_figures_is_left_alone(
    rows: Rows, official: Callable, benchmarks: pd.DataFrame, parts: pd.DataFrame
) -> None:
    new = {"accelerator": "H200 SXM"}
    given = [{"low": 800.0}, {"low": 1000.0} | new, official(low=800.0), official(low=1000.0, **new)]
    results = doubts.marked(rows(*given), benchmarks, parts)
    chosen = gate.select(results, benchmarks, Question("llm", "Offline"))
    gains = pd.DataFrame(columns=["caveat", "statement"], dtype="str")
    assert consequences.conclusions(chosen.rows, "H100 SXM", gains, verdict.frame([])).empty
