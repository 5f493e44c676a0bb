"""Compute the slots that keep the wait for the first token short, by Erlang's delay formula for random arrivals.

A slot serves one request at a time. The load is the mean number of requests in service.
"""

from __future__ import annotations

import math

STARTED = 0.99  # share of requests that start in time
LARGE = 2_000.0  # load from which the normal approximation is accurate to 0.1%


def delay_probability(slots: int, load: float) -> float:
    """Return the share of requests that wait (Erlang C): random arrivals, exponential service; 1 without spare slots.

    1/B(k) = 1 + k/load / B(k - 1), C = B / (1 - load/k (1 - B)). Large loads take the limit of Halfin and Whitt (1981):
    C = 1 / (1 + b N(b) / n(b)) with b = (slots - load) / sqrt(load), N and n the normal distribution and its density.
    """
    if slots <= load:
        return 1.0
    if load >= LARGE:
        spare = (slots - load) / math.sqrt(load)
        density = math.exp(-spare * spare / 2) / math.sqrt(2 * math.pi)
        return density / (density + spare * (1 + math.erf(spare / math.sqrt(2))) / 2)
    inverse = 1.0
    for slot in range(1, slots + 1):
        inverse = 1.0 + inverse * slot / load
    blocked = 1 / inverse
    return blocked / (1 - load / slots * (1 - blocked))


def wait(slots: int, load: float, service: float) -> float:
    """Return the wait that 99% of requests do not exceed, in the unit of `service`.

    P(wait > t) = C exp(-(slots - load) t / service), as of M/M/k; infinite without spare slots.
    """
    if slots <= load:
        return math.inf
    beyond = delay_probability(slots, load) / (1 - STARTED)
    return service * math.log(max(beyond, 1.0)) / (slots - load)


def slots_needed(load: float, service: float, limit: float) -> int:
    """Return the fewest slots with which 99% of requests wait at most `limit`, in the unit of `service`.

    Raises ValueError for a limit that is negative or not a number.
    """
    if not limit >= 0:
        raise ValueError(f"limit is {limit:g}; expected 0 or more, in the unit of service")
    low = math.floor(load)
    high = low + 10 + math.ceil(10 * math.sqrt(load))
    while high - low > 1:
        middle = (low + high) // 2
        if wait(middle, load, service) <= limit:
            high = middle
        else:
            low = middle
    return high
