"""What is looked up in the official record, and how little of it is taken apart for that."""

import pytest

from analysis.audit.lookup import Record


@pytest.fixture
def record(rows, benchmarks, parts):
    return lambda *given: Record(rows(*given), benchmarks, parts, {})


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
