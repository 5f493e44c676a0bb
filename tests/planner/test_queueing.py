"""Erlang's formula against textbook values, and the slots that it asks for."""

import math
from statistics import NormalDist

import pytest

from analysis.planner import queueing


def test_delay_probability_is_erlang_c():
    """One slot waits with the load's own probability; 2 slots at load 1: 1/3; 10 at 8: 0.409 (tables of Erlang C)."""
    assert queueing.delay_probability(1, 0.5) == pytest.approx(0.5)
    assert queueing.delay_probability(2, 1.0) == pytest.approx(1 / 3)
    assert queueing.delay_probability(10, 8.0) == pytest.approx(0.409, abs=5e-4)
    assert queueing.delay_probability(8, 8.0) == 1.0


def test_the_limit_for_large_loads_meets_the_formula(monkeypatch):
    """From 2,000 on 1 / (1 + b N(b) / n(b)) with b = 100 / sqrt(2,000)."""
    by_limit, spare, normal = queueing.delay_probability(2100, 2000.0), 100 / math.sqrt(2000), NormalDist()
    assert by_limit == pytest.approx(1 / (1 + spare * normal.cdf(spare) / normal.pdf(spare)), rel=1e-9)
    monkeypatch.setattr(queueing, "LARGE", math.inf)
    assert by_limit == pytest.approx(queueing.delay_probability(2100, 2000.0), abs=0.003)


def test_the_wait_of_one_slot_is_that_of_m_m_1():
    """Of M/M/1 at load 0.9 and service 2: P99 = 2 / 0.1 x ln(0.9 / 0.01)."""
    assert queueing.wait(1, 0.9, 2.0) == pytest.approx(20 * math.log(90))
    assert queueing.wait(3, 3.0, 1.0) == math.inf


def test_fewest_slots():
    for load, limit in ((0.3, 0.1), (7.5, 0.5), (120.0, 2.0), (5000.0, 0.0)):
        slots = queueing.slots_needed(load, 10.0, limit)
        assert queueing.wait(slots, load, 10.0) <= limit < queueing.wait(slots - 1, load, 10.0)
    with pytest.raises(ValueError, match="limit"):
        queueing.slots_needed(1.0, 1.0, math.nan)


def test_up_to_2000_requests_the_formula_is_exact():
    """Erlang C summed term by term, where the limit for large loads is off by percents."""
    load, slots = 50.0, 55
    terms = [load**k / math.factorial(k) for k in range(slots + 1)]
    waiting = terms[-1] * slots / (slots - load)
    assert queueing.delay_probability(slots, load) == pytest.approx(waiting / (sum(terms[:-1]) + waiting), rel=1e-9)
