"""A finding has a name, a unit, a range in order and a sentence; its record is rounded, its markup shown, not run."""

import math

import pytest

from analysis.core import findings
from analysis.core.findings import MIME, Finding

EVIL = '<script>alert("1")</script><img src=x onerror=alert(1)>'


def finding(**changes: object) -> Finding:
    """One to two apples, with changes."""
    return Finding(**{"name": "apples", "low": 1.0, "high": 2.0, "unit": "apples", "sentence": "Some."} | changes)


@pytest.mark.parametrize("name", ["", "Apples", "two apples", "2_apples", "apples-red", "äpfel", "_apples", "apples\n"])
def test_name_that_is_not_snake_case_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="snake_case"):
        finding(name=name)


@pytest.mark.parametrize("lacking", ["unit", "sentence"])
def test_unit_and_sentence_are_needed(lacking: str) -> None:
    with pytest.raises(ValueError, match="'apples' needs a unit in words and a sentence"):
        finding(**{lacking: ""})


@pytest.mark.parametrize(("low", "high"), [(2, 1), (None, 1), (1, None), (math.nan, 1), (1, math.nan)])
def test_range_out_of_order_or_with_one_end_is_refused(low: float | None, high: float | None) -> None:
    with pytest.raises(ValueError, match="no range, low to high"):
        finding(low=low, high=high)


def test_one_value_and_no_value_are_ranges() -> None:
    assert finding(low=1, high=1).low == 1
    assert finding(low=None, high=None).low is None


def test_record_has_nine_digits_and_each_source_once_sorted() -> None:
    record = finding(low=1 / 3, high=123456.7891234, sources=["b", "a", "b"], caveats=["y", "x", "y"]).record()
    assert record == {
        "name": "apples",
        "low": 0.333333333,
        "high": 123456.789,
        "unit": "apples",
        "sentence": "Some. Caveat: y; x.",
        "sources": ["a", "b"],
        "caveats": ["y", "x"],
    }


def test_record_of_what_cannot_be_written_as_json_is_empty() -> None:
    assert finding(low=1, high=math.inf).record()["high"] is None
    assert finding(low=None, high=None).record()["low"] is None


def test_sentence_without_caveats_stands_alone() -> None:
    assert finding().said == "Some."


def test_markup_in_a_sentence_or_caveat_is_shown_not_run() -> None:
    shown = finding(sentence=EVIL, caveats=[EVIL])._repr_mimebundle_()
    assert "<script" not in shown["text/html"]
    assert "<img" not in shown["text/html"]
    assert shown["text/html"].count("&lt;script&gt;") == 2
    assert EVIL in shown["text/plain"]
    assert EVIL in shown[MIME]["sentence"]


def test_nothing_has_its_reason_as_sentence() -> None:
    record = findings.nothing("apples", "apples", "No apple is ripe.").record()
    assert (record["low"], record["high"], record["sentence"]) == (None, None, "No apple is ripe.")


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    """What was displayed, in order."""
    shown: list[Finding] = []
    monkeypatch.setattr(findings, "display", shown.append)
    return shown


def test_findings_are_shown_in_order(displayed: list[Finding]) -> None:
    findings.show(finding(), finding(name="pears"))
    assert [each.name for each in displayed] == ["apples", "pears"]


def test_findings_that_share_a_name_are_refused_before_any_is_shown(displayed: list[Finding]) -> None:
    with pytest.raises(ValueError, match="share a name: apples, pears, apples"):
        findings.show(finding(), finding(name="pears"), finding())
    assert displayed == []


def test_caveats_stand_behind_the_sentence_with_a_sign_that_is_not_read_out() -> None:
    markup = finding(caveats=["preview"])._repr_mimebundle_()["text/html"]
    assert markup.endswith(
        'Some. <span class="caveat"><span aria-hidden="true">&#9888;&#65038;</span> Caveat: preview.</span></p>'
    )
