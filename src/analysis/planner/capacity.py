"""Size a deployment: accelerators, nodes or racks, dollars, and kilowatts for a number of users.

Needed accelerators are the largest of three: traffic (users x tokens/s per user over the throughput at that
interactivity times its delivered share), the queue (requests of the busiest time start within the limit on the first
token), and memory (weights, and the KV cache of the requests in service). Whole nodes or racks are rented. Throughput
and delivered share are drawn from their errors; P10, P50, and P90 are of the draws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from analysis import cost, derating, interactivity, names, tables
from analysis.compare import RACKS, USUAL_SIZE, NoData
from analysis.cost import SECONDS_PER_HOUR
from analysis.planner import curve, decoding, queueing
from analysis.planner.curve import Workload
from analysis.planner.decoding import COMPUTE_SHARE
from analysis.planner.models import Lengths, Model
from analysis.results import load_results

BOUNDS = {  # of what is asked: least and most; 0 stands for the default where it is one
    "users": (1, 100_000_000), "tokens_per_user": (0.1, 10_000), "prompt_tokens": (1, 10_000_000),
    "answer_tokens": (1, 10_000_000), "ttft_ms": (1, 10_000_000), "delivered_share": (0.01, 1.5),
    "headroom": (0.0, 0.9), "draws": (100, 100_000), "seed": (0, 2**32 - 1),
}  # fmt: skip
DEFAULTED = ("prompt_tokens", "answer_tokens", "ttft_ms", "delivered_share")
MARKS = (10, 50, 90)  # percentiles
QUANTITIES = ("accelerators", "units", "usd_per_hour", "usd_per_million_tokens", "kilowatts")
LARGEST_GROUP = 1024  # accelerators that may share one copy of the weights
CAUSES = ("traffic", "queue", "memory")


@dataclass(frozen=True)
class Demand:
    """What a plan is asked for. Raises ValueError naming the parameter, its bounds, and the valid choices.

    The model is a `benchmark`, or a `model` of so many billion `parameters`, planned with the nearest benchmark.
    `users` is the mean number of requests in service at a time, each at `tokens_per_user` tokens/s (p99). Lengths are
    those of the benchmark's data set, of the CSV file `lengths`, or have the means `prompt_tokens` and `answer_tokens`.
    `ttft_ms` is the p99 limit on the first token (0: of the scenario). `delivered_share` is the share of the throughput
    at that interactivity delivered on average (0: that of real_world_derating for the `fleet`). `prices` replaces
    listed prices (see cost.prices); `precision` is that of the weights ("": that of the submitted run).
    """

    benchmark: str = ""
    model: str = ""
    parameters: float = 0.0
    active_parameters: float = 0.0
    users: float = 10_000
    tokens_per_user: float = 25.0
    prompt_tokens: float = 0.0
    answer_tokens: float = 0.0
    lengths: str = ""
    ttft_ms: float = 0.0
    delivered_share: float = 0.0
    fleet: str = "fixed"
    accelerators: tuple[str, ...] = ()
    rounds: tuple[str, ...] = ()
    cost_model: str = "neocloud"
    prices: str | Path | Mapping[str, float] | None = None
    precision: str = ""
    headroom: float = decoding.HEADROOM
    draws: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if not (name in DEFAULTED and value == 0):
                names.number(value, name, low, high)
        names.choose(self.fleet, derating.FLEETS, "fleet")
        names.choose(self.cost_model, cost.COST_MODELS, "cost model")
        names.choose(self.precision or "fp8", tables.WEIGHT_BYTES, "precision of weights")
        if not (self.benchmark or self.model or self.parameters):
            raise ValueError("benchmark, model, or parameters: one of them says what is served")
        if self.active_parameters and not self.parameters:
            raise ValueError("active_parameters: expected beside parameters, both in billions")
        for name in ("accelerators", "rounds"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))

    @cached_property
    def workload(self) -> Workload:
        """The model, the lengths of its requests, and the precision of its weights."""
        return curve.workload(
            self.benchmark, parameters=self.parameters, active_parameters=self.active_parameters, name=self.model,
            prompt_tokens=self.prompt_tokens, answer_tokens=self.answer_tokens, lengths=self.lengths,
            precision=self.precision,
        )  # fmt: skip

    @property
    def tokens_per_second(self) -> float:
        """Output tokens/s of all users, on average."""
        return self.users * self.tokens_per_user

    @property
    def limit(self) -> pd.Series:
        """The limits of the loosest scenario that guarantees the interactivity, else of the tightest there is."""
        limits = interactivity.limits(self.workload.model.benchmark)
        fast = limits[limits["interactivity"].ge(self.tokens_per_user * (1 - interactivity.ROUNDING))]
        return fast.iloc[0] if len(fast) else limits.iloc[-1]

    @property
    def ttft_seconds(self) -> float:
        """The limit on the first token: as asked, else of the loosest scenario that guarantees the interactivity."""
        return float(self.ttft_ms or self.limit["ttft_ms"]) / 1000


def plans(demand: Demand) -> pd.DataFrame:
    """Return the plan of each accelerator, one row each, in no order; a `reason` where there is none.

    Columns: accelerator, evidence, throughput with throughput_low and throughput_high (tokens/s per accelerator at the
    interactivity), delivered (share of it), unit (accelerators rented together) and unit_name (node, rack), and of each
    of QUANTITIES P10, P50, and P90, such as usd_per_hour_p50; traffic and needed (accelerators in the middle, before
    whole units: for mean traffic, and with queue and memory), used (share of the rented accelerators' delivered
    throughput that mean traffic takes, the median of the draws), usd_per_million_at_full_use, decided_by (one of
    CAUSES), usd_per_accelerator_hour, quoted, watts, precision, weights_gb, ids, round, submitter, system, roof,
    reason. Only accelerators asked for, else those with results of the benchmark or a price.

    Raises NoData where the benchmark has no result, and ValueError for unknown names.
    """
    workload = demand.workload
    asked = names.accelerators(demand.accelerators, load_results()) if demand.accelerators else []
    prices = cost.prices(demand.cost_model, own=demand.prices).set_index("accelerator")
    others = asked or list(prices.index)
    found, sizes = _throughput(workload, demand.tokens_per_user, demand.rounds, tuple(others))
    found = pd.concat([found, _without_result(others, found)], ignore_index=True)
    found = found[found["accelerator"].isin(asked)] if asked else found
    known, over_rated = kilowatts()
    found["unit"] = found["accelerator"].map(sizes).fillna(USUAL_SIZE).astype(int)
    rated = [float(decoding.datasheet(name)["power_limit_w"]) * over_rated for name in found["accelerator"]]
    found["watts"] = (1000 * found["accelerator"].map(known)).fillna(pd.Series(rated, found.index))
    found = found.join(prices[["usd_per_hour", "quoted"]], on="accelerator").fillna({"quoted": ""})
    return pd.DataFrame([_plan(demand, row) for row in found.itertuples()])


@lru_cache(maxsize=8)  # the changes of `choice.sensitivity` ask for the same throughput again and again
def _throughput(
    workload: Workload, tokens_per_user: float, rounds: tuple[str, ...], accelerators: tuple[str, ...]
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return throughput at an interactivity, and the sizes of units."""
    rows = interactivity.runs(workload.model.benchmark, rounds=rounds)
    found = curve.throughput_at(rows, tokens_per_user, accelerators=accelerators, workload=workload)
    return found, unit_sizes(rows)


def plan(demand: Demand, accelerator: str) -> pd.Series:
    """Return the row of `plans` of one accelerator. Raises NoData with the reason where nothing can be planned."""
    row = plans(replace(demand, accelerators=(accelerator,))).iloc[0]
    if row["reason"]:
        raise NoData(f"no plan on {row['accelerator']}: {row['reason']}")
    return row


def delivered(tokens_per_user: float, accelerator: str = "", fleet: str = "fixed") -> derating.Share:
    """Return the share of the throughput at an interactivity that is delivered on average: median, P10, P90.

    The factors of real_world_derating but the latency limit, which the curve has: serving stack, hypervisor, networked
    nodes, bursts, mean over P99 load, spare nodes. Without a limit (0 tokens/s per user) a system is always full.
    """
    parts = derating.beside_limit(tokens_per_user, accelerator, fleet)
    median = parts["median"].prod()
    low, high = (np.hypot.reduce(np.log(parts[end] / parts["median"]).to_numpy()) for end in ("p10", "p90"))
    return derating.Share(float(median), float(median * np.exp(-low)), float(median * np.exp(high)))


def unit_sizes(rows: pd.DataFrame) -> dict[str, int]:
    """Return how many of each accelerator are rented together: a rack of RACKS, else a node as most often submitted."""
    nodes = rows["accelerator_count"] / rows["nodes"].where(rows["nodes"].gt(0))
    whole = nodes[nodes.ge(1) & nodes.mod(1).eq(0)]
    sizes = whole.groupby(rows["accelerator"]).agg(lambda counts: int(counts.mode().iloc[-1])).to_dict()
    return sizes | RACKS


def kilowatts() -> tuple[pd.Series, float]:
    """Return all-in kilowatts per accelerator by name, and their median over the rated power, for accelerators without.

    All-in: with a share of host and network cards, provisioned rather than measured (InferenceX).
    """
    known = cost.prices().set_index("accelerator")["kilowatts"].dropna()
    rated = tables.accelerators.set_index("label")["power_limit_w"].reindex(known.index) / 1000
    return known, float((known / rated).median())


def requests_held(
    model: Model, precision: str, lengths: Lengths, memory_gb: float, unit: int, headroom: float
) -> tuple[float, int]:
    """Return the requests whose KV cache fits beside the weights on one block of accelerators, and the block's size.

    The block is a unit, or as many as hold the weights together. Within it copies of the weights take groups of 1, 2, 4
    ... accelerators, whichever leave most room. No requests where even LARGEST_GROUP accelerators do not hold one, NaN
    where the memory is unknown.
    """
    if not memory_gb > 0:
        return math.nan, 0
    weights, cache = model.weight_gb(precision), model.cache_gb(lengths.whole)
    room = memory_gb * (1 - headroom)
    sizes = sorted({2**power for power in range(10) if 2**power < unit} | {unit})
    held = max(unit // size * max(math.floor((size * room - weights) / cache), 0) for size in sizes)
    block = unit
    while not held and block < LARGEST_GROUP:
        block *= 2
        held = max(math.floor((block * room - weights) / cache), 0)
    return (float(held), block) if held else (0.0, 0)


def _plan(demand: Demand, row: Any) -> dict[str, Any]:
    """Return one row of `plans`."""
    workload, facts = demand.workload, decoding.datasheet(row.accelerator)
    precision = demand.precision or decoding.weights_in(row.accelerator, row.precision)
    usd, unit = row.usd_per_hour, row.unit
    share, busy, peak = _traffic(demand, row.accelerator)
    found = {
        "accelerator": row.accelerator, "evidence": row.evidence, "throughput": row.throughput,
        "throughput_low": row.low, "throughput_high": row.high, "delivered": share.median, "unit": unit,
        "unit_name": "rack" if row.accelerator in RACKS else "node", "precision": precision,
        "weights_gb": workload.model.weight_gb(precision), "usd_per_accelerator_hour": usd,
        "quoted": row.quoted, "watts": row.watts, "ids": row.ids, "round": row.round,
        "submitter": row.submitter, "system": row.system, "roof": row.roof, "reason": row.reason,
        "traffic": np.nan, "needed": np.nan, "used": np.nan, "usd_per_million_at_full_use": np.nan, "decided_by": "",
    } | {f"{name}_p{mark}": np.nan for name in QUANTITIES for mark in MARKS}  # fmt: skip
    if row.reason:
        return found
    prefill = _prefill_seconds(workload, row.accelerator, precision, unit)
    memory_gb = float(facts["memory_gb"])
    held, block = requests_held(workload.model, precision, workload.lengths, memory_gb, unit, demand.headroom)
    if why := _impossible(demand, prefill, held):
        return found | {"evidence": "", "reason": why}
    service = prefill + workload.lengths.answer / demand.tokens_per_user
    slots = queueing.slots_needed(demand.users * peak, service, demand.ttft_seconds - prefill)
    # The delivered share is drawn with one seed for all accelerators, so that a ranking turns on throughput and price.
    own = np.random.default_rng([demand.seed, crc32(row.accelerator.encode())]).random(demand.draws)
    shared = np.random.default_rng(demand.seed).random(demand.draws)
    rates = np.append(_drawn(row.low, row.throughput, row.high, own), row.throughput)
    shares = np.append(_drawn(share.p10, share.median, share.p90, shared), share.median)
    traffic = demand.tokens_per_second / (rates * shares)
    queue = slots * demand.tokens_per_user / (rates * busy * shares / share.median)
    needs = np.array([traffic, queue, np.full_like(traffic, slots / held * block)])
    rented = np.ceil(needs.max(axis=0)[:-1] / block - 1e-9) * block
    drawn = {
        "accelerators": rented, "units": rented / unit, "usd_per_hour": rented * usd,
        "usd_per_million_tokens": rented * usd / (demand.tokens_per_second * SECONDS_PER_HOUR) * 1e6,
        "kilowatts": rented * row.watts / 1000,
    }  # fmt: skip
    for name, values in drawn.items():
        # Each mark is the value of a draw, so that units stay whole.
        found |= {f"{name}_p{mark}": float(np.percentile(values, mark, method="higher")) for mark in MARKS}
    return found | {
        "traffic": float(traffic[-1]),
        "needed": float(needs[:, -1].max()),
        "used": float(np.median(traffic[:-1] / rented)),
        "usd_per_million_at_full_use": float(cost.usd_per_million(row.throughput, usd, share.median)),
        "decided_by": CAUSES[int(needs[:, -1].argmax())],
    }


def _drawn(low: float, middle: float, high: float, quantiles: np.ndarray) -> np.ndarray:
    """Return values at `quantiles` of a distribution with these P10, P50, and P90: log-uniform on each side."""
    away = (100 * quantiles - MARKS[1]) / (MARKS[2] - MARKS[1])
    return middle * np.exp(np.where(away < 0, np.log(middle / low), np.log(high / middle)) * away)


def _traffic(demand: Demand, accelerator: str) -> tuple[derating.Share, float, float]:
    """Return the delivered share, the share that a busy system keeps, and P99 over mean load.

    A share given by the user holds on average and while busy: it includes peaks.
    """
    if own := demand.delivered_share:
        return derating.Share(own, own, own), own, 1.0
    parts = derating.beside_limit(demand.tokens_per_user, accelerator, demand.fleet).set_index("step")["median"]
    busy = float(parts[parts.index.isin(derating.BUSY)].prod())
    return delivered(demand.tokens_per_user, accelerator, demand.fleet), busy, 1 / float(parts[derating.LOAD])


def _prefill_seconds(workload: Workload, accelerator: str, precision: str, unit: int) -> float:
    """Return how long a node takes to read the prompt that 99 of 100 do not exceed; NaN without a datasheet.

    Prompt tokens x 2 x active parameters over the dense compute of the node, of which COMPUTE_SHARE is reached.
    """
    tflops = decoding.peak_tflops(accelerator, precision) * min(unit, USUAL_SIZE) * COMPUTE_SHARE
    return workload.lengths.long_prompt * 2e9 * workload.model.active / (tflops * 1e12)


def _impossible(demand: Demand, prefill: float, held: float) -> str:
    """Return why no number of accelerators serves the demand, "" where some does."""
    if not (prefill >= 0 and held >= 0):
        return curve.NO_COMPUTE
    if prefill >= demand.ttft_seconds:
        tokens, limit = demand.workload.lengths.long_prompt, demand.ttft_seconds
        return f"prefill of {tokens:,.0f} tokens takes {prefill:.2g} s on a node (p99), the TTFT limit is {limit:g} s"
    return "" if held else f"{LARGEST_GROUP:,} accelerators do not hold the weights and one request"


def _without_result(accelerators: list[str], found: pd.DataFrame) -> pd.DataFrame:
    """Return rows for accelerators that have neither result nor estimate, with the reason."""
    missing = [name for name in accelerators if name not in set(found["accelerator"])]
    frame = pd.DataFrame({"accelerator": missing}, columns=found.columns)
    texts = dict.fromkeys(("evidence", "scenario", "round", "submitter", "system", "precision"), "")
    return frame.assign(**texts, ids=[[] for _ in missing], reason=[curve.no_model(name) for name in missing])
