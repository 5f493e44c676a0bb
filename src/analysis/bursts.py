"""Simulate a slot-based service on a request trace, to find how much capacity bursty arrivals leave usable.

A request takes one slot of the service for its prefill and its output tokens, first come, first served. Utilization is
the mean number of busy slots over the fewest slots with which 99% of requests start in time. Engines slow down rather
than queue, so slots model admission control at the largest batch that meets the latency limit.
"""

from __future__ import annotations

import heapq
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import names, tables

WINDOW = 600.0  # seconds: slower swings of traffic are left to the fleet's size
LATE = 100  # one request of so many may start late
PREFILL = 20_000.0  # prompt tokens/s of one request: assumed
COPIES = 16  # a service this many times the public traces holds about 1,700 slots, as many as an 8-GPU node
CHANCE = (10.0, 30.0)  # seconds over which the rate of an enlarged service may change
SEEDS = 2
REQUESTS = 100  # fewest of a trace
MOST = 1e15  # largest number in a trace; seconds since 1970 are allowed
SPAN = 10.0, 3.2e8  # seconds that a trace may cover: up to ten years
MOST_SLOTS = 10_000_000  # requests in service at a time
SHAPES = {"": "enlarged", "pooled": "pooled"}  # by fleet of data/burst_factors.csv, what is simulated


def enough(arrivals: np.ndarray, work: np.ndarray, slots: int, wait: float) -> bool:
    """Return whether all but one of LATE requests wait at most `wait` seconds for one of `slots` slots.

    `arrivals` are seconds in order, `work` the seconds for which each request holds its slot.
    """
    free = [0.0] * slots  # when each slot is free next, a heap
    may_be_late = len(arrivals) // LATE
    for arrival, seconds in zip(arrivals.tolist(), work.tolist(), strict=True):
        start = max(arrival, free[0])
        may_be_late -= start - arrival > wait
        if may_be_late < 0:
            return False
        heapq.heapreplace(free, start + seconds)
    return True


def utilization(arrivals: np.ndarray, work: np.ndarray, wait: float) -> float:
    """Return the mean number of busy slots over the fewest slots that are `enough`, within 0.4% of their number."""
    load = work.sum() / (arrivals[-1] - arrivals[0])
    names.bounded(float(load), "requests in service at a time", 0, MOST_SLOTS)
    few, many = 0, int(load) + 1
    while not enough(arrivals, work, many, wait):
        few, many = many, int(1.25 * many) + 1
    while many - few > max(1, 0.004 * many):
        middle = (few + many) // 2
        few, many = (few, middle) if enough(arrivals, work, middle, wait) else (middle, many)
    return load / many


def level(arrivals: np.ndarray, work: np.ndarray) -> np.ndarray:
    """Return arrivals with time warped so that each WINDOW brings equal work; only short bursts remain."""
    edges = np.linspace(0, arrivals[-1] + 1, max(1, round(arrivals[-1] / WINDOW)) + 1)
    done = np.append(0, np.cumsum(np.histogram(arrivals, edges, weights=work)[0])) / work.sum()
    return np.interp(arrivals, edges, done * edges[-1])


def enlarge(
    arrivals: np.ndarray, work: np.ndarray, window: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return arrivals and work of one service COPIES times as large, whose rate varies as that of the trace.

    The rate follows the work per window of `window` seconds, less the variance that chance alone explains: for Poisson
    arrivals, the sum of squared work in a window.
    """
    end = arrivals[-1] + 1
    edges = np.linspace(0, end, max(1, round(end / window)) + 1)
    in_window, chance = (np.histogram(arrivals, edges, weights=weights)[0] for weights in (work, work**2))
    steady = np.sqrt(max(0.0, 1 - chance.mean() / in_window.var())) if in_window.var() else 0.0
    rate = np.clip(1 + steady * (in_window / in_window.mean() - 1), 0, None)
    passed = np.append(0, np.cumsum(rate)) / rate.sum()
    moments = np.sort(rng.uniform(0, 1, COPIES * len(arrivals)))
    return np.interp(moments, passed, edges), rng.permutation(np.tile(work, COPIES))


def pool(arrivals: np.ndarray, work: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return arrivals and work of COPIES independent services on one fleet: copies of the trace, shifted in time."""
    end = arrivals[-1] + 1
    shifted = (np.tile(arrivals, COPIES) + np.repeat(rng.uniform(0, end, COPIES), len(arrivals))) % end
    order = np.argsort(shifted)
    return shifted[order], np.tile(work, COPIES)[order]


def poisson(
    arrivals: np.ndarray, work: np.ndarray, rng: np.random.Generator, copies: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return `copies` times the requests of a trace at random (Poisson) times, as MLPerf Server sends."""
    moments = np.sort(rng.uniform(0, arrivals[-1] + 1, copies * len(arrivals)))
    return moments, rng.permutation(np.tile(work, copies))


def over_poisson(requests: pd.DataFrame, tpot_ms: float, ttft_ms: float, shape: str) -> np.ndarray:
    """Return utilization over that of Poisson arrivals, one value per seed (and per window of CHANCE if enlarged).

    `requests` have arrival_seconds in order, prompt_tokens, answer_tokens, and reused_prompt_tokens if the prompt cache
    saves them. `shape` is "enlarged" (a service of COPIES times the trace), "pooled" (COPIES such services on one
    fleet), or "recorded" (the trace as it is). 99% of requests wait at most `ttft_ms` for their slot.
    """
    arrivals, work = requests["arrival_seconds"].to_numpy(), slot_seconds(requests, tpot_ms)
    arrivals, values, wait = level(arrivals - arrivals[0], work), [], ttft_ms / 1000
    for rng in map(np.random.default_rng, range(SEEDS)):
        even = utilization(*poisson(arrivals, work, rng, 1 if shape == "recorded" else COPIES), wait)
        if shape == "enlarged":
            services = [enlarge(arrivals, work, window, rng) for window in CHANCE]
        else:
            services = [pool(arrivals, work, rng) if shape == "pooled" else (arrivals, work)]
        values += [utilization(*service, wait) / even for service in services]
    return np.array(values)


def simulated(tpot_ms: float, ttft_ms: float) -> pd.DataFrame:
    """Return `over_poisson` on the public chat traces under limits in milliseconds, one row per simulation.

    Columns: tpot_ms, ttft_ms, fleet ("", or "pooled" for 16 services on one fleet), service, factor.
    """
    requests, limits = tables.load("traffic_traces"), {"tpot_ms": tpot_ms, "ttft_ms": ttft_ms}
    services = requests[requests["service"].ne("code")].groupby("service")
    found = [
        pd.DataFrame(
            {**limits, "fleet": fleet, "service": service, "factor": over_poisson(rows, **limits, shape=shape)}
        )
        for fleet, shape in SHAPES.items()
        for service, rows in services
    ]
    return pd.concat(found, ignore_index=True)


def slot_seconds(requests: pd.DataFrame, tpot_ms: float) -> np.ndarray:
    """Return the seconds for which each request holds a slot: prefill at PREFILL, then its tokens at `tpot_ms`."""
    prompt = requests["prompt_tokens"].astype(float)
    if "reused_prompt_tokens" in requests:
        prompt = (prompt - requests["reused_prompt_tokens"].fillna(0)).clip(lower=0)
    return (prompt / PREFILL + requests["answer_tokens"] * tpot_ms / 1000).to_numpy()


def read_trace(path: str | Path) -> pd.DataFrame:
    """Return a trace of requests in order of arrival: arrival_seconds, answer_tokens, and prompt_tokens (0 if absent).

    The CSV has these columns, one request per row. Raises ValueError with file, row, and column for a missing,
    non-numeric, or negative value, for a trace of fewer than 100 requests, and for one that covers a time outside SPAN.
    """
    trace = tables.read_own(path, ("arrival_seconds", "answer_tokens"))
    trace = trace if "prompt_tokens" in trace else trace.assign(prompt_tokens="0")
    values = tables.numbers(trace, ["arrival_seconds", "prompt_tokens", "answer_tokens"], 0, MOST, str(path))
    if len(values) < REQUESTS or not values["answer_tokens"].any():
        raise ValueError(f"{path}: {len(values)} requests; expected {REQUESTS} or more, with answer tokens")
    names.bounded(float(np.ptp(values["arrival_seconds"])), f"{path}: seconds from first to last request", *SPAN)
    return values.sort_values("arrival_seconds", kind="stable", ignore_index=True)


def windows(requests: pd.DataFrame) -> pd.DataFrame:
    """Return the answer tokens of a trace per WINDOW, in columns of data/traffic_rates.csv.

    Only proportions matter: requests_per_second holds tokens. Empty windows have 0.
    """
    window = (requests["arrival_seconds"] // WINDOW).astype(int)
    places = np.arange(window.iloc[0], window.iloc[-1] + 1)
    tokens = requests["answer_tokens"].groupby(window).sum().reindex(places, fill_value=0).to_numpy()
    return pd.DataFrame({"service": "trace", "seconds": places * WINDOW, "requests_per_second": tokens})
