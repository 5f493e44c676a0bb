"""The helpers of a notebook's text: numbers in words, findings shown and recorded, the scope line."""

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from analysis import report
from analysis._core import mime
from analysis._core.interval import UNKNOWN, Interval
from analysis._core.notes import NONE, note

RESULT = {"origin": "official", "round": "v5.1", "division": "closed", "availability": "available", "submitter": "ACME",
          "system": "8xA", "accelerator": "A", "source_id": "mlcommons-v5.1", "result_id": "5.1-0001",
          "benchmark": "llm", "scenario": "Offline", "suite": "datacenter"}  # fmt: skip


@pytest.fixture
def shown():
    """What calls display, as data by MIME type."""
    InteractiveShell.instance()

    def outputs(call, *given, **named):
        with capture_output() as captured:
            call(*given, **named)
        return [output.data for output in captured.outputs]

    return outputs


@pytest.mark.parametrize(
    ("word", "value", "text"),
    [
        (report.x_times, 3.3401, "3.3x"),
        (report.x_times, (3.5, 4.2), "3.5x to 4.2x"),
        (report.x_times, Interval(1.0, 1.0), "1x"),
        (report.percent, 0.17, "17%"),
        (report.percent, (0.17, 0.349), "17% to 35%"),
        (report.change, 1.061, "+6.1%"),
        (report.change, 0.83, "-17%"),
        (report.change, (0.98, 1.02), "-2% to +2%"),
        (report.range_text, 15_712.3, "16,000"),
        (report.range_text, (12.6, 16.2), "13 to 16"),
        (report.usd, 2.6, "$2.60"),
        (report.usd, 3.0, "$3"),
        (report.usd, (19_000.0, 21_000.0), "$19,000 to $21,000"),
        (report.usd, 0.45, "$0.45"),
        (report.usd, 0.0123, "$0.012"),
        (report.usd, UNKNOWN, "not known"),
    ],
)
def test_numbers_in_words(word, value, text):
    assert word(value) == text


def test_throughput_has_three_digits_where_asked():
    assert report.range_text(15_712.3, digits=3) == "15,700"


def test_names_and_counts_in_words():
    assert [report.names("ABC"[:size]) for size in range(4)] == ["", "A", "A and B", "A, B, and C"]
    assert report.names("ABCDEF", most=2) == "A, B and 4 more"
    assert report.names(["A", "B", "A"], word="or") == "A or B"
    assert [report.count(1, "system"), report.count(1_200, "query")] == ["1 system", "1,200 queries"]
    assert report.slug("Llama 2 70B, Offline") == "llama_2_70b__offline"


def test_finding_is_shown_and_recorded_with_what_its_rows_cite(shown):
    rows = pd.DataFrame([RESULT]).assign(notes=[frozenset({note("preview")})])
    named = {"name": "best", "unit": "tokens per second", "value": (1.0, 2.0), "rows": rows}
    (data,) = shown(report.finding, "A leads.", **named, values={"nodes": (3, "nodes")}, about="A")
    record = data[mime.FINDING]
    assert (record["name"], record["low"], record["high"], record["about"]) == ("best", 1.0, 2.0, "A")
    assert record["sources"] == ["mlcommons-v5.1"]
    assert record["caveats"] == ["preview system"]
    assert record["values"] == [{"name": "nodes", "low": 3.0, "high": 3.0, "unit": "nodes"}]
    assert "A leads." in data["text/html"] and "preview" in data["text/html"]


def test_finding_names_the_systems_of_its_rows_once_each_and_how_many_more(shown):
    sizes = [8.0, 8.0, None, None, 16.0, 24.0, 32.0]
    named = {"submitter": ["ACME"] * 6 + [""], "baseline_submitter": "Base", "baseline_system": "8xB"}
    of_baseline = {"baseline_round": "v5.0", "baseline_count": 8, "baseline_result_id": "5.0-0001"}
    rows = pd.DataFrame([RESULT] * 7).assign(accelerator_count=sizes, **named, **of_baseline)
    (data,) = shown(report.finding, "A leads.", name="best", unit="ratio", value=1, rows=rows)
    sized = [f"ACME: 8xA ({size}v5.1, 5.1-0001)" for size in ("8x, ", "", "16x, ", "24x, ")]
    assert data[mime.FINDING]["systems"] == [*sized, "and 1 more"]
    (data,) = shown(report.finding, "A leads.", name="best", unit="ratio", value=1, rows=rows[:1])
    assert data[mime.FINDING]["systems"] == [sized[0], "baseline Base: 8xB (8x, v5.0, 5.0-0001)"]


def test_notes_and_sources_that_are_given_win_over_those_of_the_rows(shown):
    row = pd.Series(RESULT | {"notes": frozenset({note("preview")})})
    (data,) = shown(
        report.so_what, "One node.", name="nodes", unit="nodes", value=1, rows=row, notes=NONE, sources=["d"]
    )
    assert (data[mime.FINDING]["caveats"], data[mime.FINDING]["sources"]) == ([], ["d"])


def test_headline_of_more_than_25_words_is_refused():
    with pytest.raises(ValueError, match="the headline 'best' has 26 words, at most 25 fit"):
        report.headline("word " * 26, name="best", unit="ratio", value=1)


def test_scope_line_says_rounds_division_availability_and_systems(shown):
    rows = pd.DataFrame([
        RESULT,
        RESULT | {"round": "v4.1", "system": "8xB"},
        RESULT | {"availability": "preview", "system": "8xC"},
        RESULT | {"origin": "published"},
    ])  # fmt: skip
    (data,) = shown(report.scope, rows, "FP8 vs FP4")
    expected = (
        "MLPerf® Inference v4.1 to v5.1, closed division, 3 systems, 2 available, 1 figure from documents, FP8 vs FP4"
    )
    assert data["text/plain"] == expected
    assert data[mime.TRUST]["view"].startswith("explorer.html")
    assert shown(report.scope, rows.iloc[:1])[0]["text/plain"] == (
        "MLPerf® Inference v5.1, closed division, 1 system, available"
    )
    assert shown(report.scope, rows.head(0))[0]["text/plain"] == "no results"


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        (["99", "99.9", "99"], ", accuracy target 99.9%, else 99%"),
        (["99"], ", accuracy target 99%"),
        ([""], ""),
    ],
)
def test_scope_line_names_the_accuracy_targets_of_one_benchmark(shown, targets, said):
    rows = pd.DataFrame([RESULT | {"accuracy_target": target} for target in targets])
    assert shown(report.scope, rows)[0]["text/plain"] == (
        f"MLPerf® Inference v5.1, closed division{said}, 1 system, available"
    )
    several = pd.concat([rows, rows.assign(benchmark="other")])
    assert "accuracy target" not in shown(report.scope, several)[0]["text/plain"]


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        (["log", "summary", "table", "collection"], "25%"),
        (["log"], "all"),
        (["summary", "table"], "none"),
        (["log"] * 999 + ["table"], "99%"),
    ],
)
def test_scope_line_says_what_was_recomputed_from_logs(shown, evidence, said):
    """Of the official results, each once: not of figures from documents."""
    rows = pd.DataFrame([RESULT | {"id": str(place), "evidence": each} for place, each in enumerate(evidence)])
    paper = pd.DataFrame([RESULT | {"id": "paper", "evidence": "", "origin": "published"}])
    line = shown(report.scope, pd.concat([rows, rows.head(1), paper]))[0]["text/plain"]
    before = "MLPerf® Inference v5.1, closed division, 1 system, available"
    assert line == f"{before}, recomputed from logs: {said}, 1 figure from documents"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda rows: report.figure(1, "x"), "drawing: expected a chart of analysis.charts, or .*; got 1"),
        (lambda rows: report.span("B300", "x"), "rows: expected a frame or one row of it; got 'B300'"),
        (lambda rows: _found(rows="B300"), "rows: expected a frame of results or one row of it; got 'B300'"),
        (lambda rows: _found(value=rows["size"]), "value: expected a number, a pair .*; got an object of type Series"),
        (lambda rows: _found(value=(1, 2, 3)), "value: expected a number, a pair .*; got an object of type tuple"),
        (lambda rows: report.table(rows, "t", ["size"]), "columns: expected a dict, .*; got an object of type list"),
        (lambda rows: report.table(rows["size"], "t", {"size": "Size"}), "frame: expected a frame; .* type Series"),
    ],
)
def test_an_argument_of_another_kind_is_refused_with_what_is_expected(call, said):
    with pytest.raises(TypeError, match=f"^{said}$"):
        call(pd.DataFrame({"size": [1.0, 2.0]}))


def _found(**more):
    report.finding("A leads.", **{"name": "best", "unit": "ratio", "value": 1.0, **more})


def test_an_unknown_range_is_refused_with_those_there_are():
    rows = pd.DataFrame({"rate_low": [1.0], "rate_high": [2.0], "power_low": [1.0]})
    for frame in (rows, rows.iloc[0]):
        with pytest.raises(KeyError, match=r"no range 'rat': did you mean 'rate'\? valid: rate\""):
            report.span(frame, "rat")
