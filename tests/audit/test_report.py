"""The words, figures and consequences of the source audit, from small frames."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis import comparable
from analysis.answers import source_audit as answer
from analysis.audit import consequences, doubts, run, verdict
from analysis.comparable import Question
from analysis.figures import loglog
from analysis.interval import Interval

Rows = Callable[..., pd.DataFrame]
LABELS = {"docA": "A", "docB": "B"}


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
        "Of 4 published figures 1 hold, and 2 contradict or are impossible, 2 of them in A; B has none that is wrong.",
    )
    assert answer.impossible(judged).low == 3.0
    assert "printed as 100 tokens/s where official results (4.1-1) give 300" in (
        answer.contradicted(run.worst_first(judged)).sentence
    )
    assert answer.unfounded(judged).low == 1


def test_nothing_judged_is_said(judged: pd.DataFrame) -> None:
    none = judged.head(0)
    for finding in (answer.believable(none, LABELS), answer.impossible(none), answer.unfounded(none)):
        assert finding.low is None
    assert answer.contradicted(run.worst_first(none)).low is None
    assert answer.consequences(pd.DataFrame(columns=consequences.COLUMNS)).low is None


def test_points_are_drawn_with_their_ceiling_and_the_worst_are_named(judged: pd.DataFrame) -> None:
    points = answer.plotted(judged, LABELS, most=1)
    assert points["expected_low"].tolist() == [100.0, 300.0, 40.0]
    assert points["group"].tolist() == ["agrees", "contradicts", "impossible"]
    assert points["words"].tolist() in (["", "wrong", ""], ["", "", "fast"])


def test_the_picture_tells_its_numbers(judged: pd.DataFrame) -> None:
    names = {"x": "expected", "y": "printed", "series": "document", "group": "group", "inks": answer.INKS}
    words = {"x_axis": "expected", "y_axis": "printed", "title": "Claim.", "subtitle": "What.", "label": "words"}
    drawn = loglog.against(answer.plotted(judged, LABELS), **names, **words)
    assert "3 points, printed against expected: 1 agrees, 0 only under a condition, 1 contradicts" in drawn.alt
    assert "fast: 120 against 40" in drawn.alt
    assert loglog.against(answer.plotted(judged.head(0), LABELS), **names, **words).figure is None


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
    chosen = comparable.select(results, benchmarks, Question("llm", "Offline"))
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
    chosen = comparable.select(results, benchmarks, Question("llm", "Offline"))
    gains = pd.DataFrame(columns=["caveat", "statement"], dtype="str")
    assert consequences.conclusions(chosen.rows, "H100 SXM", gains, verdict.frame([])).empty
