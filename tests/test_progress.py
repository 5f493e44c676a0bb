"""Progress over rounds by hand."""

from __future__ import annotations

import pytest

from analysis import progress
from tests.frames import results


def test_a_leader_that_returns_is_not_new_hardware():
    """A leads with 10 and 20, B between them with 15: the step to 20 is A's own from 10 on, so software 2x.

    B's 1.5x in the second round is hardware, so the third gives 20 / 15 / 2 of it back.
    """
    rows = results(
        {"round": "v5.1", "rate": 80.0, "accelerator": "A"}, {"round": "v6.0", "rate": 120.0, "accelerator": "B"},
        {"round": "v6.1", "rate": 160.0, "accelerator": "A"}, {"round": "v6.1", "rate": 120.0, "accelerator": "B"},
    )  # fmt: skip
    steps = progress.by_round(rows)
    assert steps["factor"].tolist() == ["v5.1 A", "v6.0 B", "v6.1 software", "v6.1 A", "Total"]
    assert steps["value"].tolist() == pytest.approx([1.0, 1.5, 2.0, 20 / 15 / 2, 2.0])
    assert steps["kind"].tolist() == ["total", "modeled", "measured", "modeled", "total"]


def test_an_accelerator_that_led_before_gains_by_software_from_round_to_round():
    """As GH200 on RetinaNet, first of v3.1 and v4.1: 1,849 then, 1,923 now."""
    gh200 = {"accelerator": "GH200", "accelerator_count": 1.0}
    rows = results(
        {**gh200, "round": "v5.1", "rate": 1849.0}, {**gh200, "round": "v6.1", "rate": 1923.0},
        {"round": "v6.0", "rate": 1786.0, "accelerator": "H100", "accelerator_count": 1.0},
    )  # fmt: skip
    steps = progress.by_round(rows)
    assert steps.loc[steps["kind"].eq("measured"), "value"].tolist() == pytest.approx([1923 / 1849])
    assert steps.loc[steps["kind"].eq("modeled"), "value"].prod() == pytest.approx(1.0)
