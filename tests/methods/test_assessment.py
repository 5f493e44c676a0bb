"""What an assessment makes of its best run, by hand."""

import numpy as np
import pandas as pd
import pytest

from analysis._core.interval import UNKNOWN, Interval
from analysis.methods.assessment import Assessed

BEST = {"derate_low": 0.3, "derate_high": 0.4, "saved_low": 15.0, "saved_high": 24.0, "load": "full"}
BEST |= {"of_nearest_low": 0.4}
PRICE = Interval(3.0, 4.7)


def assessed(price=PRICE, gap=None, **best):
    """An assessment of three runs, of which one holds both limits and one has no known latency."""
    held = pd.array([True, True, pd.NA], dtype="boolean"), pd.array([True, False, True], dtype="boolean")
    runs = pd.DataFrame({"ttft_held": held[0], "tpot_held": held[1], "example": [False, True, False]})
    fields = dict.fromkeys(["differences", "limited", "offline", "notes"])
    return Assessed(
        runs=runs, best=BEST | best, called="H100", gap=gap, price=price, ttft_ms=1.0, tpot_ms=1.0, **fields
    )


def test_the_share_and_the_limits_are_those_of_the_runs():
    found = assessed()
    assert (found.share, found.within_limits, found.is_sample) == (Interval(0.3, 0.4), (1, 2), True)


@pytest.mark.parametrize(
    ("load", "price", "saved"),
    [("full", PRICE, Interval(15.0, 24.0)), ("capped", PRICE, Interval(15.0, 24.0)),
     ("light", PRICE, UNKNOWN), ("", PRICE, UNKNOWN), ("full", UNKNOWN, UNKNOWN)],
)  # fmt: skip
def test_nothing_is_saved_without_a_price_or_under_a_load_that_may_be_light(load, price, saved):
    found = assessed(price=price, load=load).saved
    assert (found.low, found.high) == pytest.approx((saved.low, saved.high), nan_ok=True)


def test_the_largest_loss_comes_first_and_none_is_known_without_an_official_system():
    gap = pd.DataFrame({"step": ["latency limits", "low concurrency", "software and setup"]})
    gap = gap.assign(share_low=[0.9, np.nan, 0.4], lost_high=[0.1, np.nan, 0.54])
    assert assessed(gap=gap).known_steps["step"].tolist() == ["software and setup", "latency limits"]
    assert assessed(gap=gap, of_nearest_low=np.nan).known_steps.empty
