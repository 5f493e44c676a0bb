"""Which rounds may be compared: the table against the record, over all pairs of rounds."""

from itertools import combinations

import pandas as pd
import pytest

from analysis._core.vocabulary import round_age
from analysis._tables.compatibility import comparable_since

SPANS = pd.DataFrame(
    [
        {"benchmark": "", "scenario": "MultiStream", "since": "v0.5", "until": "v1.1"},
        {"benchmark": "", "scenario": "MultiStream", "since": "v2.0", "until": ""},
        {"benchmark": "seg", "scenario": "", "since": "v0.7", "until": "v1.1"},
        {"benchmark": "seg", "scenario": "", "since": "v2.0", "until": "v3.0"},
        {"benchmark": "cls", "scenario": "", "since": "v0.5", "until": ""},
    ]
)


@pytest.mark.parametrize(
    ("benchmark", "scenario", "round", "since"),
    [
        ("seg", "Offline", "v2.0", "v2.0"),
        ("seg", "Offline", "v3.1", ""),  # behind its last span
        ("cls", "MultiStream", "v1.1", "v0.5"),
        ("cls", "MultiStream", "v2.1", "v2.0"),
        ("seg", "MultiStream", "v1.0", "v0.7"),
        ("new", "MultiStream", "v9.9", "v2.0"),
        ("cls", "Offline", "v10.0", "v0.5"),
    ],
)
def test_a_result_may_be_compared_since_the_last_change(benchmark, scenario, round, since):
    rows = pd.DataFrame([{"benchmark": benchmark, "scenario": scenario, "round": round}], index=[7])
    assert comparable_since(rows, SPANS).to_dict() == {7: since}


CHANGED = {  # benchmark and scenario -> the rounds that are its last ones before a change
    ("3d-unet", "Offline"): "v1.1",
    ("3d-unet", "SingleStream"): "v1.1",
    ("resnet50", "MultiStream"): "v1.1",
    ("ssd-large", "MultiStream"): "v1.1",
    ("ssd-small", "MultiStream"): "v1.1",
}


@pytest.fixture(scope="module")
def official(data):
    rows = data.results[data.results["origin"].eq("official")]
    if not {"v1.1", "v2.0"} <= set(rows["round"]):
        pytest.skip("the record of the older rounds is not at hand")
    return rows.drop_duplicates(["benchmark", "scenario", "round"])


def test_any_two_rounds_of_a_benchmark_are_compared_but_for_those_across_a_change(official):
    for key, rows in official.groupby(["benchmark", "scenario"]):
        since = dict(zip(rows["round"], rows["comparable_since"], strict=True))
        for one, other in combinations(sorted(since, key=round_age), 2):
            last = CHANGED.get(key, "")
            across = bool(last) and round_age(one) <= round_age(last) < round_age(other)
            assert (since[one] != since[other]) == across, (*key, one, other)


def test_each_closed_result_lies_within_a_span_of_its_benchmark(official, data):
    """A benchmark that a later round brings may lack one; none that the table has is there outside its rounds."""
    spans = data.table("compatibility")
    rows = official[official["benchmark"].isin(set(spans["benchmark"])) & official["division"].eq("closed")]
    rows = rows[rows["round"].map(round_age) <= round_age("v6.0")]
    assert len(rows) > 100
    assert rows.loc[rows["comparable_since"].eq(""), ["benchmark", "round"]].values.tolist() == []
    for name, own in spans.groupby("benchmark"):
        for one, other in combinations(own.to_dict("records"), 2):
            assert round_age(one["until"]) < round_age(other["since"]), name
