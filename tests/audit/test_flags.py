"""The doubt on each result, and what the gate and the parameter `trust` make of it."""

import pytest

from analysis._core import parameters
from analysis._core.notes import KINDS
from analysis.audit import flags
from analysis.comparability import selection

OURS = {"low": 799.5, "high": 800.5, "division": "closed"}


@pytest.fixture
def doubted(rows, audited):
    """What is doubted about rows, from dicts of what differs from a published figure."""
    return lambda *given: audited(rows(*given)).doubts


def test_what_the_record_bears_out_is_not_doubted(doubted, official):
    found = doubted(OURS, official(low=800.0, id="o"))
    assert found.index.tolist() == ["r0", "o"]
    assert found["doubt"].tolist() == ["", ""]
    assert found["checked"].tolist() == [True, True]


DOUBTED = [
    ({}, 900.0, "contradicts_record", False),
    ({"round": "v4.0"}, 800.0, "no_official_result", False),
    ({"system": "Other"}, 900.0, "system_not_at_hand", False),
    ({"low": 120_000.0}, 120_000.0, "above_hardware", False),
    ({"accelerator_count": 4, "low": 400.0}, 800.0, "", True),
]


@pytest.mark.parametrize(("given", "value", "doubt", "checked"), DOUBTED)
def test_what_is_doubted(doubted, official, given, value, doubt, checked):
    row = doubted(OURS | {"high": None} | given, official(low=value)).loc["r0"]
    assert (row["doubt"], bool(row["checked"])) == (doubt, checked)


def test_figures_for_the_part_of_another_power_limit_only_are_doubted_and_checked(doubted, official):
    own, sibling = official(low=700.0, accelerator="H200 SXM"), official(low=800.0, accelerator="H200 SXM CTS")
    row = doubted(OURS | {"accelerator": "H200 SXM"}, own, sibling).loc["r0"]
    assert (row["doubt"], bool(row["checked"])) == ("other_power_limit", True)


def test_every_doubt_is_a_kind_of_note_and_what_leaves_a_figure_unchecked_is_a_doubt():
    assert set(flags.NOTES.values()) <= set(KINDS)
    assert set(flags.UNCHECKED) < set(flags.NOTES)
    assert {doubt for _, _, doubt, _ in DOUBTED} | {"other_power_limit"} == {"", *flags.NOTES.values()}


def test_a_repeat_is_as_doubtful_as_the_first(doubted, official):
    found = doubted(OURS, OURS | {"duplicate_of": "r0", "accelerator_count": None}, official(low=900.0))
    assert found.loc["r1", "doubt"] == found.loc["r0", "doubt"] == "contradicts_record"


def test_a_judged_catalog_doubts_each_of_its_results_once(data):
    assert data.doubts.index.tolist() == data.results["id"].tolist()
    assert set(data.doubts["doubt"]) <= {"", *flags.NOTES.values()}
    assert data.doubts is data.doubts


@pytest.mark.parametrize("notebook", ["generational_speedup", "power_efficiency", "price_performance"])
def test_a_report_may_be_asked_for_checked_figures(notebook):
    assert selection.ask(parameters.model_for(notebook)(trust="checked")).trust == "checked"
