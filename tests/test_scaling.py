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
        of(8, 10), of(8, 7), of(16, 9), of(72, 8), of(8, 12, submitter="B"), of(72, 11.4, submitter="B"),
        of(80, 5, precision="fp4"), of(144, 5, round="v6.0"), of(144, 5, scenario="Server"),
        of(80, 5, accelerator="H200"), of(144, 5, vendor="AMD"), of(144, 5, model="BERT"), of(144, 5, benchmark="bert"),
    )  # fmt: skip
    found = pairs(rows)
    assert found[["submitter", "smaller", "size"]].values.tolist() == [["A", 16, 72], ["A", 8, 16], ["B", 8, 72]]
    assert dict(found["efficiency"]) == pytest.approx({0: 8 / 9, 1: 0.9, 2: 0.95})
    assert pairs(rows, 16)["size"].tolist() == [72, 72]


def test_systems_are_bare_metal_with_layouts_that_tell_racks_from_clusters():
    rows = results(
        of(8, 1), of(72, 1, accelerator="GB300"), of(288, 1, accelerator="GB300"), of(16, 1),
        of(8, 1, hypervisor="KVM"), of(8, 1, round="v5.1"),
    )  # fmt: skip
    far = "several nodes or racks"
    layouts = systems(rows, "v6.0").set_index("id")["layout"].to_dict()
    assert layouts == {"r0": "one node", "r1": "one rack", "r2": far, "r3": far}
    for none, since in ((rows.iloc[:0], "v6.0"), (rows[-1:], "v6.0")):
        with pytest.raises(NoData):
            systems(none, since)


def test_submitters_of_one_setting_are_compared_with_their_median_and_the_largest_groups_count():
    """Four of eight B200, one of them twice; two each of another round, accelerator, size, benchmark, and scenario."""
    rates = zip("ABCDD", [10, 11, 12, 5, 6], strict=True)
    four = [of(8, rate, submitter=name) for name, rate in rates]
    apart = [
        {"round": "v6.0"},
        {"accelerator": "H200"},
        {"benchmark": "bert"},
        {"model": "BERT"},
        {"scenario": "Server"},
    ]
    two = [of(8, rate, submitter=name, **other) for other in apart for name, rate in (("A", 20), ("B", 40))]
    two += [of(16, 20, submitter="A"), of(16, 40, submitter="B")]
    found = submitters(results(*four, *two))
    assert found["submitter"].tolist() == ["D", "A", "B", "C"] and set(found["submitters"]) == {4}
    assert dict(found["ratio"]) == pytest.approx({0: 6 / 10.5, 1: 10 / 10.5, 2: 11 / 10.5, 3: 12 / 10.5})
    assert submitters(results(*two))["ratio"].tolist() == pytest.approx([2 / 3] * 6 + [4 / 3] * 6)
    five = [of(16, 10, submitter=name) for name in "ABCDE"]
    assert set(submitters(results(*four, *five, *two))["submitters"]) == {4, 5}
