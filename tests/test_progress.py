"""Progress over rounds by hand."""

from __future__ import annotations

import pytest

from analysis import progress
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


@pytest.mark.parametrize(("again", "software"), [(120.0, [1.5]), (240.0, [2.25]), (136.0, [1.6])])
def test_software_of_two_pairs_is_told_from_hardware(again, software):
    """A gains 1.5x with one submitter and 1.5x, 3x, or 1.7x with the other; C or A leads."""
    rows = results(
        {"round": "v6.0", "rate": 80.0, "accelerator": "A"}, {"round": "v6.1", "rate": again, "accelerator": "A"},
        {"round": "v6.0", "rate": 80.0, "accelerator": "A", "submitter": "B"},
        {"round": "v6.1", "rate": 120.0, "accelerator": "A", "submitter": "B"},
        {"round": "v6.1", "rate": 160.0, "accelerator": "C"},
    )  # fmt: skip
    steps = progress.gains_by_round(rows)
    assert steps.loc[steps["kind"].eq("measured"), "value"].tolist() == software
    assert steps["value"].iloc[:-1].prod() == pytest.approx(steps["value"].iloc[-1])


def test_a_round_that_is_no_faster_adds_nothing():
    """As GH200 on RetinaNet, first of v3.1 and v4.1: 1,849 then, 1,923 now."""
    gh200 = {"accelerator": "GH200", "accelerator_count": 1.0}
    rows = results(
        {**gh200, "round": "v5.1", "rate": 1849.0}, {**gh200, "round": "v6.1", "rate": 1923.0},
        {"round": "v6.0", "rate": 1786.0, "accelerator": "H100", "accelerator_count": 1.0},
    )  # fmt: skip
    steps = progress.gains_by_round(rows)
    assert steps["round"].astype(str).tolist() == ["v5.1", "v6.1", "v6.1"]
    assert steps["value"].tolist() == pytest.approx([1, 1923 / 1849, 1923 / 1849])
