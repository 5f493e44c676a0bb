"""From draws of throughput, derate, peak and price to accelerators, systems, dollars and kilowatts.

The draws come from derating.draw; here each is sized by traffic, by the queue in front of it and by memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.core import interval
from analysis.core.interval import Interval
from analysis.themes import memory, queueing
from analysis.themes.demand import Demand
from analysis.themes.memory import Model
from analysis.themes.of_a_kind import SYSTEM

CAUSES = ("traffic", "queue", "memory")  # each asks for more accelerators than those before it, or decides nothing
OUTPUTS = (
    "accelerators",
    "systems",
    "usd_per_hour",
    "usd_per_hour_whole_systems",
    "usd_per_user_hour",
    "usd_per_million_tokens",
    "metered",
    "kilowatts",
)
INPUTS = ("throughput per accelerator", "derate", "peak over mean", "price", "context")  # what the bill depends on


@dataclass(frozen=True)
class Run:
    """A power submission: its throughput (tokens/s) and its wall watts, of the same run, each per accelerator."""

    rate: Interval
    watts: Interval


@dataclass(frozen=True)
class Box:
    """The accelerator that is planned on: memory (1e9 bytes), share kept free, what it draws, the building.

    It draws what one of the power submissions `runs` drew at that run's own throughput; without one at most
    `limit_watts`, the accelerator alone.
    """

    memory_gb: float
    headroom: float
    limit_watts: float
    runs: tuple[Run, ...] = ()
    power_usage_effectiveness: float = 1.0


def size(
    drawn: pd.DataFrame, demand: Demand, model: Model | None, box: Box, context: Interval, seed: int
) -> pd.DataFrame:
    """The draws of derating.draw, sized: a copy with `context` (tokens in cache per request) drawn too.

    Changed: exact (accelerators before rounding up, now of queue and memory too). Added: slots (requests in service at
    the same time that keep the wait within its limit), for_traffic, for_queue and for_memory (accelerators, the first
    two before rounding up), decided_by (one of CAUSES), and OUTPUTS: accelerators and systems of 8 rounded up, US
    dollars per hour for the accelerators and for whole systems, for the accelerators also per user-hour and per million
    tokens of mean traffic, kilowatts with the overhead of the building, and the accelerators that draw them: `metered`,
    as many as are needed at the throughput that one power submission, drawn for each draw, had while its watts were
    measured. Without a `model` memory decides nothing. No draws where the prompt alone takes longer than the limit on
    the first token: more accelerators do not help.
    """
    if drawn.empty or demand.wait_limit_s <= 0:
        drawn = drawn.head(0)
        return drawn.reindex(columns=[*drawn.columns, *(name for name in OUTPUTS if name not in drawn)])
    random = np.random.Generator(np.random.PCG64([seed, 1]))
    out = drawn.assign(context=random.uniform(context.low, context.high, len(drawn)))
    requests = (demand.users * out["peak over mean"]).to_numpy()
    out = out.assign(slots=_slots(requests, demand))
    sized = _billed(_fitted(_loaded(out, requests, demand), model, box), demand)
    drawing, watts = sized, box.limit_watts
    if box.runs:
        rates, watts = _of_one_run(box.runs, len(out), random)
        drawing = _fitted(_loaded(out.assign(**{"throughput per accelerator": rates}), requests, demand), model, box)
    kilowatts = drawing["accelerators"] * watts * box.power_usage_effectiveness / 1000
    return sized.assign(metered=drawing["accelerators"], kilowatts=kilowatts)


def decided(sized: pd.DataFrame) -> pd.DataFrame:
    """How often each cause decides the number of accelerators: cause, share (of the draws, 0 to 1)."""
    shares = sized["decided_by"].value_counts(normalize=True) if "decided_by" in sized else pd.Series(dtype="float64")
    return pd.DataFrame({"cause": CAUSES, "share": [float(shares.get(cause, 0.0)) for cause in CAUSES]})


def priced(sized: pd.DataFrame) -> bool:
    """Whether a price is known, so that the draws hold dollars."""
    return bool(sized["price"].notna().any())


def settled(sized: pd.DataFrame) -> float:
    """The number of accelerators where tenth and ninetieth percentile of the draws agree on one; NaN otherwise."""
    low, high = sized["accelerators"].quantile([0.1, 0.9])
    return float(low) if low == high else float("nan")


def _slots(requests: np.ndarray, demand: Demand) -> np.ndarray:
    if np.isnan(demand.service_s) or np.isinf(demand.wait_limit_s):
        return requests
    return queueing.slots_over(requests, demand.service_s, demand.wait_limit_s, demand.percentile, demand.variability)


def _of_one_run(runs: tuple[Run, ...], draws: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rates and watts per accelerator, those of one draw always of one run; within what is open of it, uniform."""
    chosen = random.integers(len(runs), size=draws)
    return tuple(
        random.uniform(*(np.array([getattr(ends, end) for ends in own])[chosen] for end in ("low", "high")))
        for own in ([run.rate for run in runs], [run.watts for run in runs])
    )


def _loaded(out: pd.DataFrame, requests: np.ndarray, demand: Demand) -> pd.DataFrame:
    """With the accelerators that traffic alone and the slots in front of it ask for, before rounding up."""
    per_accelerator = out["throughput per accelerator"] * out["derate"] / demand.tokens_per_second_per_user
    return out.assign(for_traffic=requests / per_accelerator, for_queue=out["slots"] / per_accelerator)


def _fitted(out: pd.DataFrame, model: Model | None, box: Box) -> pd.DataFrame:
    """With for_memory and accelerators; memory decides nothing where the model or the accelerator's is not known."""
    busy = np.maximum(interval.whole(out["for_queue"].to_numpy()), 1.0)
    if model is None or np.isnan(box.memory_gb):
        return out.assign(for_memory=1.0, accelerators=busy)
    held = out["slots"].to_numpy(), model, box.memory_gb, box.headroom, out["context"].to_numpy()
    return out.assign(
        for_memory=memory.accelerators_for(*held), accelerators=memory.accelerators_for(*held, at_least=busy)
    )


def _billed(out: pd.DataFrame, demand: Demand) -> pd.DataFrame:
    whole, bill = out["accelerators"], out["accelerators"] * out["price"]
    traffic, queue = (np.maximum(interval.whole(out[name]), 1.0) for name in ("for_traffic", "for_queue"))
    cause = np.select([whole.gt(queue), queue.gt(traffic)], ["memory", "queue"], "traffic")
    return out.assign(
        decided_by=cause,
        exact=np.maximum(out["for_queue"], out["for_memory"]),
        systems=interval.whole(whole / SYSTEM),
        usd_per_hour=bill,
        usd_per_hour_whole_systems=interval.whole(whole / SYSTEM) * SYSTEM * out["price"],
        usd_per_user_hour=bill / demand.users,
        usd_per_million_tokens=bill / demand.million_tokens_per_hour,
    )
