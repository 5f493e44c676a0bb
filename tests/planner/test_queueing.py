"""Erlang's delay formula by tables and by hand, waits by hand and by simulation, and slots that turn them round."""

import heapq

import numpy as np
import pytest

from analysis.planner import queueing

CLOSE = {"rel": 1e-9}


@pytest.mark.parametrize(
    ("slots", "load", "share"),
    [(1, 0.5, 0.5), (1, 0.9, 0.9), (2, 1.0, 1 / 3), (2, 1.5, 9 / 14), (10, 8.0, 0.409180), (3, 3.0, 1.0), (2, 5, 1.0)],
)  # fmt: skip
def test_delay_probability_is_that_of_the_tables(slots, load, share):
    assert queueing.delay_probability(slots, load) == pytest.approx(share, rel=1e-5)


def blocked(slots, load):
    """Erlang B of the same slots and load."""
    share, busy = float(queueing.delay_probability(slots, load)), load / slots
    return share * (1 - busy) / (1 - busy * share)


@pytest.mark.parametrize(("slots", "load"), [(1, 0.02), (7, 5.0), (100, 1.0), (2000, 1900.0), (20_000, 19_800.0)])
def test_delay_probability_is_that_of_slots_added_one_by_one(slots, load):
    share = 1.0
    for slot in range(1, slots + 1):
        share = load * share / (slot + load * share)
    assert blocked(slots, load) == pytest.approx(share, rel=1e-12)


def test_wait_at_one_slot_by_hand():
    """M/M/1 at half load: P(W > t) = 0.5 exp(-0.5 t / s), so 1 % beyond t = 2 s ln 50."""
    assert queueing.wait(1, 0.5, 3.0, 0.99) == pytest.approx(6 * np.log(50), **CLOSE)
    assert queueing.wait(1, 0.5, 3.0, 0.99, variability=0.5) == pytest.approx(3 * np.log(50), **CLOSE)


def test_wait_is_zero_where_few_wait_and_endless_without_spare_slots():
    assert queueing.wait(100, 1.0, 10.0, 0.99) == 0
    assert np.isinf(queueing.wait([3, 2], 3.0, 10.0, 0.99)).all()


def test_wait_is_that_of_a_simulated_queue():
    """First come, first served: each request takes the slot that is free first."""
    random, slots, load, service = np.random.default_rng(7), 6, 4.8, 2.0
    arrivals = np.cumsum(random.exponential(service / load, 200_000))
    lengths, free, waits = random.exponential(service, 200_000), [0.0] * slots, []
    for arrival, length in zip(arrivals, lengths, strict=True):
        start = max(arrival, heapq.heappop(free))
        heapq.heappush(free, start + length)
        waits.append(start - arrival)
    assert queueing.wait(slots, load, service, 0.9) == pytest.approx(np.quantile(waits, 0.9), rel=0.07)


@pytest.mark.parametrize("load", [0.3, 5.0, 130.0, 1.5e7])
def test_slots_needed_turn_the_wait_round(load):
    (slots,) = queueing.slots_needed(load, 10.0, 2.0, 0.99)
    assert slots > load
    assert queueing.wait(slots, load, 10.0, 0.99) <= 2.0
    assert queueing.wait(slots - 1e-3, load, 10.0, 0.99) > 2.0


@pytest.mark.parametrize(("limit", "percentile"), [(-1.0, 0.99), (1.0, 1.0), (1.0, 0.0)])
def test_impossible_limits_are_refused(limit, percentile):
    with pytest.raises(ValueError, match="the limit must be 0 or more"):
        queueing.slots_needed(1.0, 1.0, limit, percentile)
