"""From users to accelerators, nodes, dollars and kilowatts, as seeded Monte Carlo draws.

Throughput, derate, peak and price are drawn; each draw is sized by traffic, by the queue in front of it and by memory.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    "nodes",
    "usd_per_hour",
    "usd_per_user_hour",
    "usd_per_million_tokens",
    "metered",
    "kilowatts",
)
DRAWN = ("throughput per accelerator", "derate", "peak over mean", "price")
INPUTS = (*DRAWN, "context")  # what the bill depends on


@dataclass(frozen=True)
class Run:
    """A power submission: its throughput (tokens/s) and its wall watts, of the same run, each per accelerator."""

    rate: Interval
    watts: Interval


@dataclass(frozen=True)
class Box:
    """The accelerator that is planned on: memory (1e9 bytes), share kept free, what it draws, the building, its node.

    It is rented in whole nodes of `node` accelerators. It draws what one of the power submissions `runs` drew at that
    run's own throughput; without one at most `limit_watts`, the accelerator alone.
    """

    memory_gb: float
    headroom: float
    limit_watts: float
    runs: tuple[Run, ...] = ()
    power_usage_effectiveness: float = 1.0
    node: int = SYSTEM


def draw(
    per_accelerator: Interval,
    derate: Interval,
    peak_over_mean: Interval,
    price: Interval,
    draws: int,
    seed: int,
    above_one: bool = False,
) -> pd.DataFrame:
    """Monte Carlo draws of DRAWN, each uniform in its range and independent, from a seeded generator.

    `draws` rows, the same for the same seed on any machine; none where an input is unknown. Raises ValueError for a
    price or derate of zero or below, and for a derate above one unless `above_one` says that this is meant.
    """
    ranges = (per_accelerator, derate, peak_over_mean, price)
    if not all(ends.known for ends in ranges):
        return pd.DataFrame(columns=list(DRAWN), dtype="float64")
    _usable(derate, price, above_one)
    random = np.random.Generator(np.random.PCG64(seed))
    return pd.DataFrame({name: random.uniform(r.low, r.high, draws) for name, r in zip(DRAWN, ranges, strict=True)})


def size(
    drawn: pd.DataFrame, demand: Demand, model: Model | None, box: Box, context: Interval, seed: int
) -> pd.DataFrame:
    """The draws of `draw`, sized: a copy with `context` (tokens in cache per request) drawn too.

    Added: slots (requests in service at the same time that keep the wait within its limit), for_traffic, for_queue and
    for_memory (accelerators, the first two before rounding up), decided_by (one of CAUSES), and OUTPUTS: accelerators
    and nodes rounded up, US dollars per hour for whole nodes, the same per user-hour and per million tokens of mean
    traffic, kilowatts with the overhead of the building, and the accelerators that draw them: `metered`, as many as are
    needed at the throughput that one power submission, drawn for each draw, had while its watts were measured. Without
    a `model` memory decides nothing. No draws where the prompt alone takes longer than the limit on the first token:
    more accelerators do not help.
    """
    if drawn.empty or demand.wait_limit_s <= 0:
        drawn = drawn.head(0)
        return drawn.reindex(columns=[*drawn.columns, *(name for name in OUTPUTS if name not in drawn)])
    random = np.random.Generator(np.random.PCG64([seed, 1]))
    out = drawn.assign(context=random.uniform(context.low, context.high, len(drawn)))
    requests = (demand.users * out["peak over mean"]).to_numpy()
    out = out.assign(slots=_slots(requests, demand))
    sized = _billed(_fitted(_loaded(out, requests, demand), model, box), demand, box.node)
    drawing, watts = sized, box.limit_watts
    if box.runs:
        rates, watts = _of_one_run(box.runs, len(out), random)
        drawing = _fitted(_loaded(out.assign(**{"throughput per accelerator": rates}), requests, demand), model, box)
    kilowatts = drawing["accelerators"] * watts * box.power_usage_effectiveness / 1000
    return sized.assign(metered=drawing["accelerators"], kilowatts=kilowatts)


def percentiles(draws: pd.DataFrame, outputs: list[str]) -> pd.DataFrame:
    """P10, P50 and P90 of the outputs, one row each: output, p10, p50, p90."""
    marks = draws[outputs].quantile([0.1, 0.5, 0.9])
    return marks.T.set_axis(["p10", "p50", "p90"], axis=1).rename_axis("output").reset_index()


def sensitivity(draws: pd.DataFrame, output: str = "usd_per_hour", inputs: Sequence[str] = INPUTS) -> pd.DataFrame:
    """What matters most: Spearman's rank correlation of each input with `output`, and its square's share.

    The output is that of whole accelerators, as it is paid: what rounding up takes away moves nothing. Inputs that do
    not vary, or whose output does not, are left out. Columns: input, correlation (-1 to 1), share (of the sum of
    squares, 0 to 1).
    """
    varying = [name for name in inputs if name in draws and draws[name].nunique() > 1]
    ranks = _ranks(draws[output])
    correlations = [{"input": name, "correlation": _correlation(_ranks(draws[name]), ranks)} for name in varying]
    frame = pd.DataFrame(correlations, columns=["input", "correlation"]).dropna()
    return frame.assign(share=frame["correlation"] ** 2 / (frame["correlation"] ** 2).sum())


def decided(sized: pd.DataFrame) -> pd.DataFrame:
    """How often each cause decides the number of accelerators: cause, share (of the draws, 0 to 1)."""
    shares = sized["decided_by"].value_counts(normalize=True) if "decided_by" in sized else pd.Series(dtype="float64")
    return pd.DataFrame({"cause": CAUSES, "share": [float(shares.get(cause, 0.0)) for cause in CAUSES]})


def priced(sized: pd.DataFrame) -> bool:
    """Whether a price is known, so that the draws hold dollars."""
    return bool(sized["price"].notna().any())


def settled(sized: pd.DataFrame) -> float:
    """The number of nodes where tenth and ninetieth percentile of the draws agree on one; NaN otherwise."""
    low, high = sized["nodes"].quantile([0.1, 0.9])
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


def _billed(out: pd.DataFrame, demand: Demand, node: int) -> pd.DataFrame:
    whole, nodes = out["accelerators"], interval.whole(out["accelerators"] / node)
    bill = nodes * node * out["price"]
    traffic, queue = (np.maximum(interval.whole(out[name]), 1.0) for name in ("for_traffic", "for_queue"))
    cause = np.select([whole.gt(queue), queue.gt(traffic)], ["memory", "queue"], "traffic")
    return out.assign(
        decided_by=cause,
        nodes=nodes,
        usd_per_hour=bill,
        usd_per_user_hour=bill / demand.users,
        usd_per_million_tokens=bill / demand.million_tokens_per_hour,
    )


def _usable(derate: Interval, price: Interval, above_one: bool = False) -> None:
    if derate.low <= 0 or derate.low > derate.high or (derate.high > 1 and not above_one):
        raise ValueError(f"derate {derate.low:g} to {derate.high:g} is not within 0 (not itself) to 1")
    if price.low <= 0 or price.low > price.high:
        raise ValueError(f"price {price.low:g} to {price.high:g} is not a range of US dollars above 0")


def _ranks(values: pd.Series) -> np.ndarray:
    """Twice the ranks around their mean: whole numbers, so that sums of them are exact in any order."""
    return (2 * values.rank()).to_numpy().astype("int64") - (len(values) + 1)


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's correlation of two of `_ranks`, the same bits on any machine; NaN where one does not vary."""
    spread = float((one * one).sum()) * float((other * other).sum())
    return float((one * other).sum()) / spread**0.5 if spread else float("nan")
