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
from analysis.core.notes import note
from analysis.show.figures import colours, loglog

Rows = Callable[..., pd.DataFrame]
LABELS = {"docA": "A", "docB": "B"}
KNOWN = pd.DataFrame(
    {"accelerator": "H100 SXM", "part": "8x H100 SXM", "model": "Big LLM"},
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


def test_the_answer_names_whom_to_believe_and_whom_to_check(judged: pd.DataFrame) -> None:
    finding = answer.believable(judged, LABELS)
    assert (finding.value, finding.headline) == (
        Interval(1, 1),
        "Believe the B; check the A: 2 of its 3 figures are wrong.",
    )
    told = {name: value.low for name, (value, _) in finding.values.items()}
    assert told == {"figures": 4, "wrong": 2, "wrong_and_distinct": 2, "conditional": 0}
    assert answer.impossible(judged).headline == "1 rate at batch 1 is 3 times what memory bandwidth allows."
    told = answer.contradicted(checks.worst_first(judged), LABELS, KNOWN)
    assert told.headline == "1 figure contradicts the official record."
    assert told.more == (
        "Furthest off of the rates, the A prints 100 tokens/s for 8x H100 SXM on Big LLM; official results give 300."
    )
    assert answer.unfounded(judged).headline == "1 of 4 figures has no official result behind it: unproven, not wrong."
    assert answer.unfounded(judged.head(1)).headline == "None of 1 figure lacks its official result."


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (["right"], "Believe the B: none of 1 figure is wrong."),
        (["wrong"], "Check the A: 1 of its 1 figures is wrong."),
        (["wrong", "fast", "alone"], "Check the A: 2 of its 3 figures are wrong."),
        (["alone"], "None of 1 figure can be checked."),
        (["right", "alone"], "Believe the B: none of 1 figure is wrong."),
    ],
)
def test_the_answer_is_grammar_for_any_documents(judged: pd.DataFrame, kept: list[str], said: str) -> None:
    assert answer.believable(judged[judged["row_id"].isin(kept)], LABELS).headline == said


def test_a_figure_that_is_printed_again_is_told_apart(judged: pd.DataFrame) -> None:
    results = pd.DataFrame({"id": ["wrong", "fast"], "duplicate_of": ["", "wrong"]})
    claims = pd.DataFrame({"id": ["right", "odd"], "duplicate_of": ["", "right"]})
    repeats = answer.repeated(results, claims)
    assert repeats == {"fast", "odd"}
    found = answer.believable(judged, LABELS, repeats)
    assert found.headline == "Believe the B; check the A: 2 of its 3 figures are wrong (1 without repeats)."
    assert {name: value.low for name, (value, _) in found.values.items()}["wrong_and_distinct"] == 1


def test_what_follows_counts_what_no_hardware_reaches(judged: pd.DataFrame) -> None:
    found = answer.to_do(judged, LABELS)
    assert found.value == Interval(1, 1)
    assert found.headline == (
        "1 of the 2 is above what the hardware allows at batch 1 with plain decoding, or computed from such a rate: "
        "plan with none of them."
    )
    alone = answer.to_do(judged[judged["row_id"].eq("fast")], LABELS)
    assert alone.headline == (
        "It is above what the hardware allows at batch 1 with plain decoding, or computed from such a rate: "
        "do not plan with it."
    )
    none = answer.to_do(judged[judged["row_id"].eq("wrong")], LABELS)
    assert (none.value, none.headline) == (None, "Of results, quote the official record and not the A.")
    assert answer.to_do(judged[judged["row_id"].eq("right")], LABELS).value is None


def test_the_trust_line_names_the_rounds_that_the_record_has(judged: pd.DataFrame) -> None:
    results = pd.DataFrame({"id": ["right", "wrong", "o"], "round": ["v4.1", "", "v4.1"]})
    results = results.assign(origin=["published", "published", "official"])
    stated = pd.DataFrame({"id": ["fast"], "round": ["v4.1"], "baseline_round": ["v3.1"]})
    assert answer.rests_on(judged, results, stated).text == "2 documents, 4 figures, held against MLPerf v4.1"
    alone = answer.rests_on(judged.head(1), results[results["origin"].eq("published")], stated)
    assert alone.text == "1 document, 1 figure, no official round to hold them against"


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
    assert found["model"].tolist() == ["LLM", "LLM"]


def test_a_repeated_date_is_no_quantity(judged: pd.DataFrame) -> None:
    """20241130 over 20240828 is no factor, of the first mention or of its repeat."""
    again = judgement("again", "repeat", "contradicts", 20241130.0, 20240828.0)
    rows = pd.concat([verdict.frame([replace(again, unit="date")]), judged])
    worst = checks.worst_first(rows)
    assert worst.loc[worst["apart"].isna(), "row_id"].tolist() == ["again"]
    assert "again" not in set(answer.dots(rows, LABELS)["row_id"])


def test_every_verdict_of_the_picture_has_a_colour() -> None:
    assert list(answer.GROUPS) == list(colours.JUDGED)


def test_nothing_judged_is_said(judged: pd.DataFrame) -> None:
    none = judged.head(0)
    for make in (answer.believable, answer.to_do):
        assert make(none, LABELS).value is None
    for finding in (answer.impossible(none), answer.unfounded(none)):
        assert finding.value is None
    assert answer.contradicted(checks.worst_first(none), LABELS, KNOWN).value is None
    for told in (answer.listed_wrong, answer.listed_named):
        assert told(checks.worst_first(none), none, LABELS).empty
    assert answer.dots(none, LABELS).empty
    assert answer.dots_title(answer.dots(none, LABELS)) == "No figure drawn here is wrong."
    assert answer.step_by_step(none, answer.PER_DOLLAR, LABELS).empty
    assert answer.consequences(pd.DataFrame(columns=consequences.COLUMNS), "H100 SXM", []).value is None


def test_each_figure_is_one_dot_under_the_check_that_decides(judged: pd.DataFrame) -> None:
    """100 printed where 300 is expected is off by a third, 120 above a ceiling of 40 by three; what agrees is at 1."""
    more = [judgement("fast", "official", "within_rounding", 120.0, 120.0)]
    more += [judgement("wrong", "across documents", "contradicts", 100.0, 200.0)]
    more += [judgement("low", "dense compute", "within_rounding", 5.0, 5000.0)]
    more += [judgement("more", "stated claim", "within_rounding", 1.0, 2.0, "docB")]
    drawn = answer.dots(pd.concat([judged, verdict.frame(more)]), LABELS)
    assert drawn[["row_id", "group", "off"]].to_numpy().tolist() == [
        ["wrong", "contradicts", 1 / 3],
        ["fast", "impossible", 3.0],
        ["right", "agrees", 1.0],
        ["more", "agrees", 1.0],
    ]
    assert drawn["strip"].tolist() == ["A\n2 of 4 wrong"] * 2 + ["B\n0 of 2 wrong"] * 2
    assert drawn.loc[1, "told"] == "fast · printed 120 tokens/s · expected at most 40 · impossible"
    assert answer.dots_title(drawn) == "Of the wrong figures 2 are quantities: off by 3 times, 1 too high."
    assert answer.dots_title(drawn.head(1)) == "The wrong figure is off by 3 times, too low."


def test_checks_of_one_figure_stand_side_by_side(judged: pd.DataFrame) -> None:
    steps = {"official": "own", "across documents": "other"}
    rows = pd.concat([judged, verdict.frame([judgement("wrong", "across documents", "exact", 100.0, 90.0)])])
    beside = answer.step_by_step(rows, steps, LABELS).set_index("locator")
    assert beside.loc["wrong", ["printed_low", "own_low", "other_high", "verdict"]].tolist() == [
        100.0, 300.0, 90.0, "contradicts"
    ]  # fmt: skip
    assert beside["other_low"].isna().tolist() == [True, False, True]
    assert answer.by_check(rows, ["across documents"], LABELS)["document"].tolist() == ["A"]
    assert answer.by_check(rows, ["official"], LABELS, "claims").empty


def test_the_short_scorecard_adds_up(judged: pd.DataFrame) -> None:
    short = answer.card_rows(checks.scorecard(judged, LABELS)).set_index("source")
    assert short.loc["A"].to_dict() == {"figures": 3, "conditional": 0, "unchecked": 1, "agree": 0, "wrong": 2}
    assert short.loc["B"].to_dict() == {"figures": 1, "conditional": 0, "unchecked": 0, "agree": 1, "wrong": 0}


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (1, 1, "No: with 10 GB more of cache read for each token, the rate would be impossible: the weights decide."),
        (0, 0, "No: with 10 GB more of cache read for each token, no rate would be impossible either."),
        (0, 1, "Yes: with 10 GB more of cache read for each token, 1 rate instead of 0 would be impossible."),
    ],
)
def test_a_cache_changes_the_answer_or_not(judged: pd.DataFrame, before: int, after: int, said: str) -> None:
    fast = judged[judged["row_id"].eq("fast")]
    ways = [fast.assign(verdict="impossible" if number else "exact") for number in (before, after)]
    assert answer.above_ceiling_with_cache(*ways).headline == said


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
    rows: Rows, official: Callable, audited: Callable
) -> None:
    new = {"accelerator": "H200 SXM"}
    given = [{"low": 400.0, "division": "closed"}, {"low": 800.0, "division": "closed"} | new]
    given += [official(low=800.0), official(low=760.0, **new)]
    chosen = gate.select(audited(rows(*given)), Question("llm", "Offline"))
    found = consequences.conclusions(chosen.rows, "H100 SXM", verdict.frame([]), LABELS)
    (only,) = found.to_dict("records")
    assert (only["printed_low"], only["official_low"]) == (2.0, 0.95)
    assert (only["notes"], only["source_ids"]) == ({note("contradicts_record")}, ("docA",))
    finding = answer.consequences(found, "H100 SXM", ["v4.0", "v4.1"])
    assert finding.value == Interval(1, 1)
    assert finding.headline == (
        "Read off the A, one H100 SXM would do the work of 0.5 H200 SXM; official results of v4.0 and v4.1 say 1.1."
    )


def test_a_conclusion_on_sound_figures_is_left_alone(rows: Rows, official: Callable, audited: Callable) -> None:
    new = {"accelerator": "H200 SXM"}
    given = [{"low": 800.0}, {"low": 1000.0} | new, official(low=800.0), official(low=1000.0, **new)]
    chosen = gate.select(audited(rows(*given)), Question("llm", "Offline"))
    assert consequences.conclusions(chosen.rows, "H100 SXM", verdict.frame([]), LABELS).empty


def test_conclusions_of_sizings_and_watts_are_noted_with_what_is_wrong_and_name_their_source(
    rows: Rows, benchmarks: pd.DataFrame
) -> None:
    judged = verdict.frame(
        [judgement(name, name, "contradicts", 3.0, 4.0, "docB") for name in ("official sizing", "implied watts")]
    )
    none = gate.select(gate.record(rows(), benchmarks), Question("llm", "Offline")).rows
    found = consequences.conclusions(none, "H100 SXM", judged, LABELS)
    assert list(found) == consequences.COLUMNS
    assert found[["about", "basis", "notes", "source_ids"]].to_numpy().tolist() == [
        ["sizing", "B", {note("rate_contradicts_record")}, ("docB",)],
        ["power", "B", {note("contradicts_meter")}, ("docB",)],
    ]
    finding = answer.consequences(found, "H100 SXM", ["v4.0", "v4.1"])
    assert (finding.sources, finding.headline) == (["docB"], "2 conclusions read off them rest on doubtful figures.")
