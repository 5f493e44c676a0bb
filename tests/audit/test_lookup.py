"""What is looked up in the official record, and how little of it is taken apart for that."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.audit import lookup
from analysis.audit.lookup import Record

Rows = Callable[..., pd.DataFrame]


@pytest.fixture
def record(rows: Rows, benchmarks: pd.DataFrame, parts: pd.DataFrame) -> Callable[..., Record]:
    return lambda *given: Record(rows(*given), benchmarks, parts, {})


def test_only_the_rounds_and_divisions_that_are_asked_for_are_taken_apart(record, official, monkeypatch):
    taken = []
    plain = lookup.row_dicts
    others = [official(low=1.0, round="v3.1") for _ in range(9)] + [official(low=1.0, division="open")]
    own = record(official(low=800.0), *others)
    monkeypatch.setattr(lookup, "row_dicts", lambda frame, table: taken.append(len(frame)) or plain(frame, table))
    assert taken == []
    assert [row["low"] for row in own.of_round("v4.1")] == [800.0]
    assert [row["low"] for row in own.of_round("v4.1", ["H100 SXM"])] == [800.0]
    assert taken == [1]


def test_of_a_round_are_the_official_results_on_some_accelerators_each_once(record, official):
    again = official(low=800.0, duplicate_of="o1")
    own = record({"low": 1.0}, official(low=800.0), again, official(low=900.0, accelerator="H200 SXM"))
    assert [row["low"] for row in own.of_round("v4.1")] == [800.0, 900.0]
    assert [row["low"] for row in own.of_round("v4.1", ["H200 SXM"])] == [900.0]
    assert list(own.of_round("v4.0")) == []


def test_a_row_is_a_dict_of_plain_numbers_with_its_table(rows):
    (row,) = lookup.row_dicts(rows({"low": 5.0, "accelerator_count": None}), "results")
    assert (row["table"], row["low"]) == ("results", 5.0)
    assert row["accelerator_count"] != row["accelerator_count"]
    assert lookup.row_dicts(pd.DataFrame(), "claims") == []


def test_rounds_at_hand(record, official):
    own = record(official(low=1.0), official(low=1.0, round="v3.1", benchmark="images", accelerator="H200 SXM"))
    assert own.rounds("") == ["v3.1", "v4.1"]
    assert own.rounds("llm") == ["v4.1"]
    assert own.rounds("", ["H200 SXM"]) == ["v3.1"]
    assert own.rounds("llm", ["H200 SXM"]) == []


def test_parts_alike_but_for_the_power_limit_variants_and_names_of_many(record):
    own = record()
    assert own.siblings("H200 SXM") == ["H200 SXM CTS"]
    assert own.siblings("card 1") == []
    assert own.cards("card 1") == ["card 1", "card 1 Slim"]
    assert own.called("Hopper") == ["H100 SXM", "H200 SXM", "H200 SXM CTS"]
    assert own.called("Other") == ["card 1 Slim", "card 1"]
    assert own.called("H100 SXM") == []


@pytest.mark.parametrize(("closed", "whole"), [(2, {"v4.1"}), (3, set()), (None, set())])
def test_a_round_is_whole_where_all_of_its_closed_results_are_at_hand(rows, official, tables, rounds, closed, whole):
    others = official(low=1.0, division="open"), {"division": "closed"}
    frame = rows(official(low=1.0), official(low=1.0, duplicate_of="o1"), *others)
    assert tables(results=frame, rounds=rounds(**{"v4.1": closed})).record.whole == whole
