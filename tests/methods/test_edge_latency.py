"""Lowest latencies of edge accelerators by hand: which rows count, at which target, in which order."""

import pytest

from analysis.methods import edge_latency

EDGE = {"suite": "edge", "scenario": "SingleStream", "metric": "latency", "unit": "ms"}


def test_it_is_of_the_usual_target_of_two_the_stricter(results):
    loose, strict = ({"accuracy_target": target} for target in ("99", "99.9"))
    rows = [EDGE | loose | {"low": 2.0}, EDGE | strict | {"low": 5.0}]
    assert edge_latency.lowest(results(*rows))["latency_ms"].tolist() == [5.0]
    assert edge_latency.lowest(results(*rows, rows[0] | {"low": 3.0}))["latency_ms"].tolist() == [2.0]


@pytest.mark.parametrize(
    "other",
    [
        {"availability": "preview"}, {"duplicate_of": "r0"},
        {"power_measured": True}, {"scenario": "MultiStream"},
        {"origin": "published"},
    ],
)  # fmt: skip
def test_other_results_are_no_latency_of_an_edge_system_on_sale(results, other):
    found = edge_latency.lowest(results(EDGE | {"low": 4.0}, EDGE | {"low": 1.0} | other))
    assert found["latency_ms"].tolist() == [4.0]
    assert edge_latency.lowest(results(EDGE | other)).empty
