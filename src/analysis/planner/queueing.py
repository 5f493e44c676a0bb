"""How many slots keep the wait short: Erlang's delay formula and its correction for bursts.

A slot serves one request at a time, at the speed that the user is to see. The load is the mean number of requests in
service: arrivals per second x seconds of service. Slots and loads may be fractions: rounding up to whole accelerators
comes later. Waits are in the unit of the service time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

KNOTS = 16  # loads that are solved exactly while the load doubles; the needs between two of them are interpolated
CHORDS = 12  # drawn to the slots needed: from the eighth on they meet what the formula's own rounding leaves
NODES = 64  # of the integral behind a delay: it is exact to 13 digits up to a load of 1e5
ROUNDING = 3e-11  # of the formula, relative: found slots are more by that, so that the limit holds


def delay_probability(slots: Any, load: Any) -> Any:
    """The share of requests that must wait (Erlang C) when they arrive at random and take exponential times.

    1/C is load times the integral over v, from 0 on, of exp(slots v - load (exp(v) - 1)) (exp(v) - 1), which serves
    fractions of a slot too (Jagers and van Doorn, 1991): one hill, summed by the rule of Gauss and Legendre from where
    it begins to where it ends. 1 without spare slots.
    """
    slots, load = np.broadcast_arrays(np.asarray(slots, float), np.maximum(load, 1e-300))
    enough = slots > load
    slots = np.where(enough, slots, load + 1.0)
    top, wide = np.log(slots / load), 9 / np.sqrt(slots) + 40 / slots  # beyond it falls below the last digit
    begin = np.maximum(top - wide, 0.0)
    length = top + np.log1p(wide) - begin
    places, weights = _rule()
    points = begin + np.multiply.outer(places, length)
    rise = np.expm1(points)
    height = slots * top - (slots - load)  # of the exponent at the top: taken out, so that nothing overflows
    under = np.einsum("i,i...", weights, np.exp(slots * points - load * rise - height) * rise)
    return np.where(enough, np.exp(-height) / (load * length * under), 1.0)


@cache
def _rule() -> tuple[np.ndarray, np.ndarray]:
    """The places from 0 to 1 and the weights of Gauss and Legendre's rule."""
    places, weights = np.polynomial.legendre.leggauss(NODES)
    return (1 + places) / 2, weights / 2


def wait(slots: Any, load: Any, service: Any, percentile: float, variability: float = 1.0) -> Any:
    """The wait that a share `percentile` of requests does not exceed; infinite without spare slots.

    The tail of M/M/k: P(W > t) = C exp(-(slots - load) t / service), its mean stretched by `variability`, half the sum
    of the squared coefficients of variation of the times between arrivals and of service (Allen and Cunneen for G/G/k,
    Kingman for one slot). Exact at 1: random arrivals and exponential lengths.
    """
    share = delay_probability(slots, load)
    spare = np.asarray(slots, float) - load
    beyond = np.log(np.maximum(share / (1 - percentile), 1.0))
    return np.where(spare > 0, service * variability * beyond / np.where(spare > 0, spare, 1.0), np.inf)


def slots_needed(load: Any, service: float, limit: float, percentile: float, variability: float = 1.0) -> np.ndarray:
    """The fewest slots (a fraction) whose wait at `percentile` is at most `limit`, for each load, to ten digits.

    By regula falsi, where what may wait beyond the limit is set against what slots spare: one falls and the other rises
    so evenly that a chord nearly meets the place, and the end that stays twice counts half (Illinois). Raises
    ValueError for a limit below zero or a percentile that is not between 0 and 1.
    """
    if limit < 0 or not 0 < percentile < 1:
        raise ValueError(f"a wait of {limit:g} at percentile {percentile:g}: the limit must be 0 or more, the percentile between 0 and 1")  # fmt: skip  # noqa: E501
    load = np.atleast_1d(np.asarray(load, float))

    def excess(slots: np.ndarray) -> np.ndarray:
        beyond = np.log(delay_probability(slots, load) / (1 - percentile))
        return service * variability * beyond - limit * (slots - load)

    low, high = load, load + 10 + 10 * np.sqrt(load)
    over, under, stayed = excess(low), excess(high), np.zeros(len(load))
    for _ in range(CHORDS):
        middle = np.clip(high + (high - low) * under / (over - under), low, high)
        off = excess(middle)
        fits = off <= 0
        over = np.where(fits, np.where(stayed > 0, over / 2, over), off)
        under = np.where(fits, off, np.where(stayed < 0, under / 2, under))
        low, high, stayed = np.where(fits, low, middle), np.where(fits, middle, high), np.where(fits, 1, -1)
    return middle * (1 + ROUNDING)


def slots_over(loads: np.ndarray, service: float, limit: float, percentile: float, variability: float) -> np.ndarray:
    """`slots_needed` for many loads at once: solved at knots and interpolated between them."""
    knots, needed = _solved(float(loads.min()), float(loads.max()), service, limit, percentile, variability)
    return loads + np.interp(loads, knots, needed - knots)


def load_over(slots: np.ndarray, service: float, limit: float, percentile: float, variability: float) -> np.ndarray:
    """The most load that `slots` take within the limit, `slots_over` turned round; 0 below a load of 1."""
    knots, needed = _solved(1.0, max(float(slots.max()), 1.0), service, limit, percentile, variability)
    return np.interp(slots, needed, knots, left=0.0)


def _solved(low: float, high: float, *terms: float) -> tuple[np.ndarray, np.ndarray]:
    """Loads around `low` to `high`, at the same places whatever these are, and the slots that each needs."""
    octaves, by_octave = range(math.floor(math.log2(low)), math.floor(math.log2(high)) + 2), _slots_by_octave(*terms)
    if missing := [octave for octave in octaves if octave not in by_octave]:
        by_octave.update(zip(missing, slots_needed(_loads(missing), *terms).reshape(-1, KNOTS), strict=True))
    return _loads(octaves), np.concatenate([by_octave[octave] for octave in octaves])


def _loads(octaves: Sequence[int]) -> np.ndarray:
    """KNOTS loads from each power of two up to the next one."""
    return np.exp2(np.add.outer(octaves, np.arange(KNOTS) / KNOTS)).ravel()


@lru_cache(maxsize=64)
def _slots_by_octave(*terms: float) -> dict[int, np.ndarray]:
    """The slots that were found for the loads of each octave, one dictionary for each queue that `terms` describe."""
    return {}
