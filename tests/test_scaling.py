"""Scaling by hand."""

from __future__ import annotations

import pytest

from analysis.compare import NoData
from analysis.scaling import pairs, submitters, systems
from tests.frames import results


def of(count, per_accelerator, **more):
    return {"accelerator_count": float(count), "rate": per_accelerator * count, "nodes": max(count // 8, 1), **more}


def test_each_submitter_is_compared_with_its_own_next_smaller_system():
    rows = results(
        of(8, 10),
        of(16, 9),
        of(72, 8),
        of(8, 12, submitter="B"),
        of(72, 11.4, submitter="B"),
        of(72, 5, precision="fp4"),
    )
    found = pairs(systems(rows, "v6.0"))
    assert found[["submitter", "smaller", "size"]].values.tolist() == [["A", 16, 72], ["A", 8, 16], ["B", 8, 72]]
    assert found["efficiency"].tolist() == pytest.approx([8 / 9, 0.9, 0.95])


def test_layouts_tell_racks_from_clusters():
    rows = results(of(8, 1), of(72, 1, accelerator="GB300"), of(288, 1, accelerator="GB300"), of(16, 1))
    layouts = systems(rows, "v6.0").set_index("id")["layout"]
    assert layouts.to_dict() == {
        "r0": "one node",
        "r1": "one rack",
        "r2": "several nodes or racks",
        "r3": "several nodes or racks",
    }


def test_submitters_are_compared_with_their_median():
    rows = results(*[of(8, rate, submitter=name) for name, rate in zip("ABCDD", [10, 11, 12, 5, 6], strict=True)])
    found = submitters(systems(rows, "v6.0")).set_index("submitter")["ratio"]
    assert found.to_dict() == pytest.approx({"A": 10 / 10.5, "B": 11 / 10.5, "C": 12 / 10.5, "D": 6 / 10.5})


def test_submitters_of_one_setting_are_a_group_and_the_largest_groups_count():
    """Four of eight B200; two each of another round, accelerator, size, benchmark, and scenario."""
    four = [of(8, 10, submitter=name) for name in "ABCD"]
    apart = [{"round": "v6.0"}, {"accelerator": "H200"}, {"benchmark": "bert"}, {"scenario": "Server"}]
    two = [of(8, rate, submitter=name, **other) for other in apart for name, rate in (("A", 20), ("B", 40))]
    two += [of(16, 20, submitter="A"), of(16, 40, submitter="B")]
    found = submitters(results(*four, *two))
    assert found[["submitters", "ratio"]].values.tolist() == [[4, 1]] * 4
    assert submitters(results(*two))["ratio"].tolist() == pytest.approx([2 / 3] * 5 + [4 / 3] * 5)


def test_no_result_is_no_data():
    for rows, since in ((results(of(8, 1)).iloc[:0], "v6.0"), (results(of(8, 1, round="v5.0")), "v6.0")):
        with pytest.raises(NoData):
            systems(rows, since)
