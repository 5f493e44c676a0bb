"""The words, figures and consequences of the source audit, from small frames."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from analysis.answers import source_audit as answer
from analysis.audit import checks, consequences, naming, verdict
from analysis.audit.verdict import Judgement, Verdict
from analysis.compare import gate
from analysis.compare.gate import Question
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.show.figures import colours, loglog

Rows = Callable[..., pd.DataFrame]
LABELS = {"docA": "A", "docB": "B"}
KNOWN = pd.DataFrame(
    {"accelerator": "H100 SXM", "part": "8x H100 SXM", "model": "Big LLM", "words": "H100 SXM, LLM"},
    index=["right", "wrong"],
)


def judgement(name: str, check: str, found: str, printed: float, expected: float, source: str = "docA") -> Judgement:
    """The verdict on a point."""
    return Judgement(
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
def judged() -> pd.DataFrame:
    return verdict.frame(
        [
            judgement("right", "official", "exact", 100.0, 100.0, "docB"),
            judgement("wrong", "official", "contradicts", 100.0, 300.0),
            judgement("fast", "batch-1 bandwidth", "impossible", 120.0, 40.0),
            judgement("alone", "official", "no_official_basis", 5.0, float("nan")),
        ]
    )


def test_the_answer_counts_what_holds_and_what_does_not(judged: pd.DataFrame) -> None:
    finding = answer.believable(judged, LABELS)
    assert (finding.value, finding.headline) == (
        Interval(1, 1),
        "Of 4 published figures 1 hold, 2 contradict or are impossible (2 of them in A), 0 hold only under a "
        "condition, and 1 cannot be checked; B has none that is wrong.",
    )
    assert answer.impossible(judged).value == Interval(3.0, 3.0)
    assert answer.contradicted(checks.worst_first(judged), LABELS, KNOWN).headline == (
        "1 figure contradicts the official record; furthest off of the rates, A prints 100 tokens/s for 8x H100 SXM on "
        "Big LLM where official results give 300."
    )
    assert answer.unfounded(judged).value == Interval(1, 1)


def test_a_rate_is_above_its_ceiling_by_the_nearest_end_as_the_table_says() -> None:
    """154.5 to 155.5 tokens/s over a ceiling of 50 is 3.09 times at least."""
    fast = judgement("fast", "batch-1 bandwidth", "impossible", 0.0, 50.0)
    rows = verdict.frame([replace(fast, printed=Interval(154.5, 155.5))])
    assert answer.impossible(rows).value == Interval(3.09, 3.09)
    assert checks.worst_first(rows)["apart"].tolist() == [3.09]


def test_a_contradiction_that_is_no_rate_has_no_factor(judged: pd.DataFrame) -> None:
    rank = judgement("first", "rank", "contradicts", 1.0, 9.0)
    rank = replace(rank, figure={**rank.figure, "table": "claims"}, unit="rank")
    rows = pd.concat([verdict.frame([rank]), judged])
    worst = checks.worst_first(rows)
    assert worst["row_id"].tolist()[-1] == "first"
    assert worst["apart"].isna().tolist() == [False, False, True]
    alone = answer.contradicted(checks.worst_first(verdict.frame([rank])), LABELS, KNOWN)
    assert (alone.value, "1 figure contradicts" in alone.sentence) == (None, True)


def test_tables_name_documents_and_tell_dates() -> None:
    said = "docB (line 1) gives 3, not docA-one x 3600; docA-two is unknown."
    when = judgement("docA-one", "date", "contradicts", 1.0, 20240828.0)
    when = replace(when, figure={**when.figure, "locator": "first line"}, unit="date", explanation=said)
    when = replace(when, printed=Interval(20241101.0, 20241130.0))
    named = judgement("docA-name", "benchmark named", "contradicts", 1.0, 0.0)
    judged = verdict.frame([when, named, judgement("docA-fast", "official", "contradicts", 100.0, 300.0)])
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
        assert finding.value is None
    assert answer.contradicted(checks.worst_first(none), LABELS, KNOWN).value is None
    for told in (answer.listed_wrong, answer.listed_named):
        assert told(checks.worst_first(none), none, LABELS).empty
    assert answer.consequences(pd.DataFrame(columns=consequences.COLUMNS)).value is None


def test_points_are_drawn_with_their_ceiling_and_the_worst_are_named(judged: pd.DataFrame) -> None:
    points = answer.plotted(judged, LABELS, KNOWN, most=1)
    assert points["expected_low"].tolist() == [100.0, 300.0, 40.0]
    assert points["group"].tolist() == ["agrees", "contradicts", "impossible"]
    assert points["words"].tolist() in (["", "H100 SXM, LLM", ""], ["", "", "fast"])


def test_a_claim_of_at_least_that_the_record_exceeds_is_not_drawn(judged: pd.DataFrame) -> None:
    rows = verdict.frame([judgement("more", "stated claim", "within_rounding", 1.0, 2.0)])
    near = verdict.frame([judgement("near", "stated claim", "within_rounding", 1.0, 1.04)])
    assert answer.plotted(pd.concat([rows, near, judged]), LABELS, KNOWN)["row_id"].tolist()[0] == "near"


def test_the_picture_tells_its_numbers(judged: pd.DataFrame) -> None:
    names = {"x": "expected", "y": "printed", "series": "document", "group": "group", "inks": colours.JUDGED}
    words = {"x_axis": "expected", "y_axis": "printed", "title": "Claim.", "subtitle": "What.", "label": "words"}
    drawn = loglog.against(answer.plotted(judged, LABELS, KNOWN), **names, **words)
    assert "3 points, " in drawn.alt and ": 1 agrees, 0 only under a condition, 1 contradicts" in drawn.alt
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


NO_GAINS = pd.DataFrame(columns=["notes", "statement"], dtype="object")


def test_a_conclusion_on_a_doubtful_figure_is_set_beside_the_official_one(
    rows: Rows, official: Callable, audited: Callable
) -> None:
    new = {"accelerator": "H200 SXM"}
    given = [{"low": 400.0, "division": "closed"}, {"low": 800.0, "division": "closed"} | new]
    given += [official(low=800.0), official(low=760.0, **new)]
    chosen = gate.select(audited(rows(*given)), Question("llm", "Offline"))
    found = consequences.conclusions(chosen.rows, "H100 SXM", NO_GAINS, verdict.frame([]))
    (only,) = found.to_dict("records")
    assert (only["printed_low"], only["official_low"]) == (2.0, 0.95)
    assert (only["notes"], only["source_ids"]) == ({note("contradicts_record")}, ("docA",))
    finding = answer.consequences(found)
    assert finding.value == Interval(1, 1)
    assert "turns H200 SXM over H100 SXM by A into its opposite" in finding.headline


def test_a_conclusion_on_sound_figures_is_left_alone(rows: Rows, official: Callable, audited: Callable) -> None:
    new = {"accelerator": "H200 SXM"}
    given = [{"low": 800.0}, {"low": 1000.0} | new, official(low=800.0), official(low=1000.0, **new)]
    chosen = gate.select(audited(rows(*given)), Question("llm", "Offline"))
    assert consequences.conclusions(chosen.rows, "H100 SXM", NO_GAINS, verdict.frame([])).empty


def test_conclusions_of_gains_sizings_and_watts_are_noted_with_what_is_wrong_and_name_their_source(
    rows: Rows, benchmarks: pd.DataFrame
) -> None:
    doubt = frozenset({note("above_hardware")})
    gains = pd.DataFrame({"technique": ["fp8", "int8", "fp4"], "source_id": "docA", "gain_low": 1.5, "gain_high": 2.0})
    gains = gains.assign(statement=["from the table", "from the table", "stated"], notes=[doubt, NONE, doubt])
    judged = verdict.frame(
        [judgement(name, name, "contradicts", 3.0, 4.0, "docB") for name in ("official sizing", "implied watts")]
    )
    none = gate.select(gate.record(rows(), benchmarks), Question("llm", "Offline")).rows
    found = consequences.conclusions(none, "H100 SXM", gains, judged)
    assert list(found) == consequences.COLUMNS
    assert found[["report", "notes", "source_ids"]].to_numpy().tolist() == [
        ["quantization_tradeoffs", doubt, ("docA",)],
        ["real_world_derating", {note("rate_contradicts_record")}, ("docB",)],
        ["power_efficiency", {note("contradicts_meter")}, ("docB",)],
    ]
    assert answer.consequences(found).sources == ["docA", "docB"]
