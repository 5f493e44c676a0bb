"""Progress over rounds by hand."""

from __future__ import annotations

import pytest

from analysis import NoData, progress
from analysis.present import matched
from tests.frames import results


def test_a_round_whose_software_rests_on_one_pair_is_one_factor():
    """A leads with 10 and 20, B between them with 15: the step to 20 is by one pair 2x, more than the 20 / 15."""
    rows = results(
        {"round": "v5.1", "rate": 80.0, "accelerator": "A"}, {"round": "v6.0", "rate": 120.0, "accelerator": "B"},
        {"round": "v6.1", "rate": 160.0, "accelerator": "A"}, {"round": "v6.1", "rate": 120.0, "accelerator": "B"},
    )  # fmt: skip
    steps = progress.gains_by_round(rows)
    assert steps["factor"].tolist() == ["v5.1 A", "v6.0 B", "v6.1 A", "Total"]
    assert steps["value"].tolist() == pytest.approx([1.0, 1.5, 20 / 15, 2.0])
    assert steps["kind"].tolist() == ["total", "modeled", "modeled", "total"]
    assert steps["leader"].tolist() == ["A", "B", "A", "A"] and steps["rate"].tolist() == [10, 15, 20, 20]
    with pytest.raises(NoData):
        progress.gains_by_round(rows.assign(availability="preview"))


@pytest.mark.parametrize(
    ("after", "before_of_b", "after_of_b", "leader", "software"),
    [
        (120, 80, 120, 160, [1.5, 1.5, 1.5, 2]),
        (240, 80, 120, 160, [2.25, 1.5, 3, 2]),
        (160, 80, 160, 160, [2, 2, 2, 2]),  # all of the leader's gain
        (96, 40, 92, 112, []),  # 1.75x is more than the leader's 1.4x
    ],
)
def test_software_of_two_pairs_is_told_from_hardware(after, before_of_b, after_of_b, leader, software):
    """Two submitters have A in both rounds, at first with 80 and so much; C or A leads the second."""
    rows = results(
        {"round": "v6.0", "accelerator": "A"}, {"rate": after, "accelerator": "A"},
        {"round": "v6.0", "rate": before_of_b, "accelerator": "A", "submitter": "B"},
        {"rate": after_of_b, "accelerator": "A", "submitter": "B"}, {"rate": leader, "accelerator": "C"},
    )  # fmt: skip
    steps = progress.gains_by_round(rows)
    told = steps[steps["kind"].eq("measured")]
    assert told[["value", "low", "high", "pairs"]].to_numpy().ravel().tolist() == software
    assert told["factor"].tolist() == ["v6.1 software"] * (len(software) > 0)
    assert steps["pairs"].sum() == told["pairs"].sum()
    assert set(told["leader"]) <= set(steps["leader"][-1:]) and set(told["rate"]) <= set(steps["rate"][-1:])
    assert steps["value"].iloc[:-1].prod() == pytest.approx(steps["value"].iloc[-1])


def test_a_round_that_is_no_faster_adds_nothing():
    """As GH200 on RetinaNet, first of v3.1 and v4.1: 1,849 then and in the next round, 1,923 now."""
    gh200 = {"accelerator": "GH200", "accelerator_count": 1.0}
    rows = results(
        *({**gh200, "round": name, "rate": 1849.0} for name in ("v5.0", "v5.1")),
        {**gh200, "round": "v6.1", "rate": 1923.0},
        {"round": "v6.0", "rate": 1786.0, "accelerator": "H100", "accelerator_count": 1.0},
    )  # fmt: skip
    steps = progress.gains_by_round(rows)
    assert steps["round"].astype(str).tolist() == ["v5.0", "v6.1", "v6.1"]
    assert steps["value"].tolist() == pytest.approx([1, 1923 / 1849, 1923 / 1849])


def test_software_is_of_the_leader_s_vendor_the_median_over_its_accelerators():
    """A gains 1.5x, 1.7x, and 2.3x, B 1.2x, E 1.9x: 1.7x of their vendor; another vendor's C gains 3x and leads not."""
    before, after = ({"round": round, "rate": 80.0, "accelerator": "A"} for round in ("v6.0", "v6.1"))
    rows = results(
        before, after | {"rate": 120.0}, before | {"submitter": "B"}, after | {"submitter": "B", "rate": 136.0},
        before | {"submitter": "C", "rate": 40.0}, after | {"submitter": "C", "rate": 92.0},
        before | {"accelerator": "B", "rate": 100.0}, after | {"accelerator": "B", "rate": 120.0},
        before | {"accelerator": "E", "rate": 50.0}, after | {"accelerator": "E", "rate": 95.0},
        before | {"accelerator": "C", "vendor": "AMD", "rate": 40.0},
        after | {"accelerator": "C", "vendor": "AMD", "rate": 120.0}, after | {"accelerator": "D", "rate": 200.0},
    )  # fmt: skip
    steps = progress.gains_by_round(rows).set_index("factor")
    assert steps.loc["v6.1 software", ["value", "low", "high", "pairs"]].tolist() == pytest.approx([1.7, 1.2, 2.3, 5])
    assert steps.at["Total", "value"] == pytest.approx(2)


def test_a_rack_leads_over_slower_accelerators_that_have_eight():
    """Per accelerator A has 10 of eight, and 11 alone, which does not count; B has 12, of a rack alone."""
    rows = results(
        {"accelerator": "A"}, {"accelerator": "A", "rate": 11.0, "accelerator_count": 1.0},
        {"accelerator": "B", "rate": 864.0, "accelerator_count": 72.0}, {"accelerator": "A", "rate": 8.0, "model": "M"},
    )  # fmt: skip
    assert progress.leaders_by_round(rows)["id"].tolist() == ["r2", "r3"]
    assert progress.leaders_by_round(rows[rows["accelerator"].eq("A")])["id"].tolist() == ["r0", "r3"]


def test_a_pair_is_one_accelerator_size_and_submitter_in_two_successive_rounds():
    """A has a pair in v6.0; of v6.1 are another submitter, another size, and B, which v6.0 lacks."""
    rows = results(
        {"round": "v5.1", "accelerator": "A"}, {"round": "v6.0", "accelerator": "A", "rate": 100.0},
        {"round": "v5.1", "accelerator": "B"}, {"round": "v6.1", "accelerator": "B", "rate": 160.0},
        {"round": "v6.1", "accelerator": "A", "submitter": "B", "rate": 160.0},
        {"round": "v6.1", "accelerator": "A", "accelerator_count": 4.0}, {"round": "v6.0", "accelerator": "A"},
    )  # fmt: skip
    found = matched(rows, ["submitter"])
    assert found[["accelerator", "round_before", "round", "gain"]].values.tolist() == [["A", "v5.1", "v6.0", 1.25]]


def test_a_kind_has_results_of_the_benchmark_or_says_of_which():
    rows = results({"kind": "cpu", "benchmark": "bert"}, {"kind": "gpu"}, {"kind": "gpu"})
    assert progress.of_kind(rows, "gpu", "Llama 2 70B")["id"].tolist() == ["r1", "r2"]
    with pytest.raises(NoData, match="kind cpu on Llama 2 70B; benchmarks with cpu results: BERT"):
        progress.of_kind(rows, "cpu", "llama2-70b")
    with pytest.raises(ValueError, match="did you mean 'gpu'"):
        progress.of_kind(rows, "gpus", "llama2-70b")
