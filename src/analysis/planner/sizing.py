"""From users to accelerators, nodes, dollars and kilowatts, as seeded Monte Carlo draws.

Throughput, derate, peak and price are drawn; each draw is sized by traffic, by the queue in front of it and by memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.interval import Interval
from analysis.methods import memory
from analysis.methods.memory import Model
from analysis.methods.system_properties import USUAL_SIZE
from analysis.planner import queueing
from analysis.planner.demand import Demand

# Each asks for more accelerators than those before it, or decides nothing; whole groups hold the weights.
CAUSES = ("traffic", "queue", "groups", "memory")
_CAUSE = pd.CategoricalDtype(CAUSES)
OUTPUTS = ("accelerators", "nodes", "usd_per_hour", "usd_per_user_hour", "usd_per_million_tokens", "kilowatts")
DRAWN = ("throughput per accelerator", "derate", "peak over mean", "price")
CONTEXT, KEPT = "context", "multi-node scaling"
INPUTS = (*DRAWN, CONTEXT, KEPT)  # what the bill depends on
MARKS = (0.1, 0.5, 0.9)


@dataclass(frozen=True)
class Box:
    """The accelerator that is planned on: memory (1e9 bytes), share of it kept free, wall watts, the building, nodes.

    A node has `node` accelerators. `unit` of them are rented together, and `spare_nodes` nodes more than are needed.
    `watts` are those of a node over its accelerators. The throughput was measured on `measured_on` accelerators
    together: where more are needed, each keeps the share `kept` of it. Groups that hold one copy of the weights are no
    smaller than `group`.
    """

    memory_gb: float
    headroom: float
    watts: Interval
    power_usage_effectiveness: float = 1.0
    node: int = USUAL_SIZE
    unit: int = 1
    spare_nodes: int = 0
    measured_on: int = USUAL_SIZE
    kept: Interval = Interval(1.0, 1.0)  # noqa: RUF009 (frozen, immutable)
    group: int = 1


def draw(
    per_accelerator: Interval,
    derate: Interval,
    peak_over_mean: Interval,
    price: Interval,
    draws: int,
    seed: int,
    above_one: bool = False,
    accelerator: str = "",
) -> pd.DataFrame:
    """Monte Carlo draws of DRAWN, each uniform in its range and independent, from seeded generators.

    Throughput is uniform in its logarithm, for its range is one of errors by a factor.

    Plans of one seed share their traffic and its derate draw by draw; throughput and price are drawn for each
    `accelerator` by itself, for what is off about one says nothing of another's. `draws` rows, the same for the
    same seed on any machine; none where an input is unknown. Raises ValueError for a
    price or derate of zero or below, and for a derate above one unless `above_one` says that this is meant.
    """
    ranges = (per_accelerator, derate, peak_over_mean, price)
    if not all(ends.known for ends in ranges):
        return pd.DataFrame(columns=list(DRAWN), dtype="float64")
    _usable(derate, price, above_one)
    derates, peaks = _shared(draws, 2, seed)
    rates, prices = _random(draws, 2, seed, 2, crc32(accelerator.encode()))
    throughput = per_accelerator.low * (per_accelerator.high / per_accelerator.low) ** rates
    drawn = throughput, *map(_between, ranges[1:], (derates, peaks, prices))
    return pd.DataFrame(dict(zip(DRAWN, drawn, strict=True)), copy=False)


def _random(draws: int, columns: int, *seed: int) -> np.ndarray:
    """Return `columns` of `draws` random numbers, 0 to 1, from a generator with this seed."""
    return np.random.Generator(np.random.PCG64(seed)).random((columns, draws))


_shared = lru_cache(maxsize=2)(_random)  # of the plans of several accelerators, one after the other


def _between(ends: Interval, shares: np.ndarray) -> np.ndarray:
    """Return the numbers so large a share (0 to 1) of the way between the ends."""
    return ends.low + (ends.high - ends.low) * shares


def size(
    drawn: pd.DataFrame, demand: Demand, model: Model | None, box: Box, context: Interval, seed: int
) -> pd.DataFrame:
    """The draws of `draw`, sized: a copy with CONTEXT (tokens in cache per request), KEPT and wall watts drawn too.

    Added: slots (requests in service at the same time that keep the wait within its limit), for_traffic and for_queue
    (accelerators, before rounding up), in_groups (those of the queue, in whole groups that hold the weights),
    decided_by (one of CAUSES; memory is what the cache of requests asks for beyond those groups, NaN is where nothing
    holds them), and OUTPUTS: accelerators that are rented (whole units and spare nodes), the nodes that hold them, US
    dollars per hour for the accelerators, the same per user-hour and per million tokens of mean traffic, kilowatts at
    full load with the overhead of the building. Without a `model` memory decides nothing. No draws where the prompt
    alone takes longer than the limit on the first token: more accelerators do not help.
    """
    if drawn.empty or demand.wait_limit_s <= 0:
        drawn = drawn.head(0)
        return drawn.reindex(columns=[*drawn.columns, "for_traffic", *(name for name in OUTPUTS if name not in drawn)])
    ranges = (context, box.kept, box.watts)  # what is not known stays so
    cached, kept, watts = map(_between, ranges, _shared(len(drawn), len(ranges), seed, 1))
    requests = demand.users * drawn["peak over mean"].to_numpy()
    slots = _slots(requests, demand)
    each_serves = _each(drawn, demand)
    needed = _needed(requests, slots, each_serves, cached, model, box)
    over_measured = needed["accelerators"] > box.measured_on
    if over_measured.any() and (kept < 1).any():
        fewer = _needed(
            *(values[over_measured] for values in (requests, slots, each_serves * kept, cached)), model, box
        )
        for name, values in fewer.items():
            needed[name][over_measured] = values
    rented = interval.whole(needed["accelerators"] / box.unit) * box.unit + box.spare_nodes * box.node
    bill = rented * drawn["price"].to_numpy()
    traffic, queue = (np.maximum(interval.whole(needed[name]), 1.0) for name in ("for_traffic", "for_queue"))
    groups, accelerators = needed["in_groups"], needed["accelerators"]
    cause = np.select(
        [np.isnan(accelerators), accelerators > groups, groups > queue, queue > traffic], [-1, 3, 2, 1], 0
    )
    billed = {
        "decided_by": pd.Categorical.from_codes(cause, dtype=_CAUSE),
        "accelerators": rented,
        "nodes": interval.whole(rented / box.node),
        "usd_per_hour": bill,
        "usd_per_user_hour": bill / demand.users,
        "usd_per_million_tokens": bill / demand.million_tokens_per_hour,
        "kilowatts": rented * watts * box.power_usage_effectiveness / 1000,
    }
    sized = {CONTEXT: cached, KEPT: kept, "slots": slots} | needed | billed
    return pd.DataFrame({name: drawn[name].array for name in drawn} | sized, drawn.index, copy=False)


def served(sized: pd.DataFrame, demand: Demand, model: Model | None, box: Box, count: int) -> np.ndarray:
    """The most users (not whole) that `count` accelerators serve in each draw: `size` turned round.

    0 in a draw that no number of them serves.
    """
    each_serves, cached = _each(sized, demand), sized[CONTEXT].to_numpy()
    kept = sized[KEPT].to_numpy()
    slots = _served(min(count, box.measured_on), each_serves, cached, model, box)
    if count > box.measured_on:
        slots = np.maximum(slots, _served(count, each_serves * kept, cached, model, box))
    if _queued(demand):
        slots = queueing.load_over(slots, demand.service_s, demand.wait_limit_s, demand.percentile, demand.variability)
    return slots / sized["peak over mean"].to_numpy()


def marks(draws: pd.Series | np.ndarray, unplanned: float = np.inf) -> list[float]:
    """What is at MARKS of the draws of one output; NaN without draws.

    Each is the value of a draw, so that nodes stay whole: the least that so large a share of the draws does not exceed.
    A draw without a number is one that nothing serves, and counts as worse than any: as `unplanned`, infinite, or
    -infinite where less is worse. A mark that is such a draw is NaN.
    """
    values = np.asarray(draws, "float64")
    if not len(values):
        return [np.nan] * len(MARKS)
    places = [int(np.ceil(mark * (len(values) - 1))) for mark in MARKS]
    found = np.partition(np.where(np.isnan(values), unplanned, values), places)[places]
    return np.where(found == unplanned, np.nan, found).tolist()


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
    """How often each cause decides the number of accelerators: cause, share (of the draws, 0 to 1).

    The shares leave to 1 that of the draws that no number of accelerators serves.
    """
    return pd.DataFrame({"cause": CAUSES, "share": decided_shares(sized)})


def decided_shares(sized: pd.DataFrame) -> np.ndarray:
    """The shares of `decided`."""
    places = sized["decided_by"].array.codes if len(sized) else np.array([], "int8")
    return np.bincount(places[places >= 0], minlength=len(CAUSES)) / max(len(sized), 1)


def held_nowhere(sized: pd.DataFrame) -> float:
    """The share of the draws (0 to 1) in which no number of accelerators holds the weights beside one request."""
    return float(sized["accelerators"].isna().mean()) if len(sized) else 0.0


def headroom(sized: pd.DataFrame) -> Interval:
    """P10 to P90 of the share (0 to 1) of what the rented accelerators give that peak traffic leaves."""
    used = 1 - sized["for_traffic"] / sized["accelerators"]
    low, _, high = marks(used, unplanned=-np.inf)
    return Interval(low, high)


def priced(sized: pd.DataFrame) -> bool:
    """Whether a price is known, so that the draws hold dollars."""
    return bool(sized["price"].notna().any())


def settled(sized: pd.DataFrame) -> float:
    """The number of accelerators where tenth and ninetieth percentile of the draws agree on one; NaN otherwise."""
    low, _, high = marks(sized["accelerators"])
    return low if low == high else float("nan")


def _queued(demand: Demand) -> bool:
    return not (np.isnan(demand.service_s) or np.isinf(demand.wait_limit_s))


def _slots(requests: np.ndarray, demand: Demand) -> np.ndarray:
    if not _queued(demand):
        return requests
    return queueing.slots_over(requests, demand.service_s, demand.wait_limit_s, demand.percentile, demand.variability)


def _each(drawn: pd.DataFrame, demand: Demand) -> np.ndarray:
    """The requests that one accelerator gives their speed to."""
    in_production = drawn["throughput per accelerator"].to_numpy() * drawn["derate"].to_numpy()
    return in_production / demand.tokens_per_second_per_user


def _needed(
    requests: np.ndarray, slots: np.ndarray, each_serves: np.ndarray, cached: np.ndarray, model: Model | None, box: Box
) -> dict[str, np.ndarray]:
    """The accelerators that traffic and its queue ask for, in whole groups, and with memory for the slots, if known."""
    queue = slots / each_serves
    needed = groups = np.maximum(interval.whole(queue), 1.0)
    if model is not None and not np.isnan(box.memory_gb):
        least = np.maximum(memory.holding(model.weight_bytes / 1e9, box.memory_gb, box.headroom), box.group)
        groups = least * interval.whole(needed / least)
        needed = memory.accelerators_for(
            slots, model, box.memory_gb, box.headroom, cached, at_least=needed, smallest=box.group
        )
    return {"for_traffic": requests / each_serves, "for_queue": queue, "in_groups": groups, "accelerators": needed}


def _served(count: int, each_serves: np.ndarray, cached: np.ndarray, model: Model | None, box: Box) -> np.ndarray:
    """The most requests in service on `count` accelerators in each draw."""
    if model is None or np.isnan(box.memory_gb):
        return count * each_serves
    return memory.requests_on(count, model, box.memory_gb, box.headroom, cached, each_serves, box.group)


def _usable(derate: Interval, price: Interval, above_one: bool = False) -> None:
    if derate.low <= 0 or derate.low > derate.high or (derate.high > 1 and not above_one):
        raise ValueError(f"derate {derate.low:g} to {derate.high:g} is not within 0 (not itself) to 1")
    if price.low <= 0 or price.low > price.high:
        raise ValueError(f"price {price.low:g} to {price.high:g} is not a range of US dollars above 0")


def _ranks(values: pd.Series) -> np.ndarray:
    """Twice the ranks around their mean: whole numbers, so that sums of them are exact in any order.

    What is NaN, a draw that nothing serves, ranks beyond any number.
    """
    return (2 * values.rank(na_option="bottom")).to_numpy().astype("int64") - (len(values) + 1)


def _correlation(ranks: np.ndarray, other_ranks: np.ndarray) -> float:
    """Spearman's correlation of two of `_ranks`, the same bits on any machine; NaN where one does not vary."""
    spread = float((ranks * ranks).sum()) * float((other_ranks * other_ranks).sum())
    return float((ranks * other_ranks).sum()) / spread**0.5 if spread else float("nan")
