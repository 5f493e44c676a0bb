"""Size a deployment: accelerators, nodes or racks, dollars, and kilowatts for a number of users.

The number of accelerators is the largest of three: traffic (users x tokens/s per user over the throughput at that
interactivity times its delivered share), queue (at peak load, requests start within the limit on the first token), and
memory (weights, and the KV cache of the requests in service). Whole nodes or racks are rented. Throughput and delivered
share are drawn from their errors; P10 and P90 come from the draws, P50 is of the median of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd

from analysis import cost, derating, interactivity, names, power, tables
from analysis.compare import USUAL_SIZE, NoData, racks
from analysis.cost import SECONDS_PER_HOUR
from analysis.planner import curve, decoding, queueing
from analysis.results import load_results

BOUNDS = {  # minimum and maximum of each parameter that is not left at its default
    "users": (1, 100_000_000), "tokens_per_user": (0.1, 10_000), "prompt_tokens": (1, 10_000_000),
    "answer_tokens": (1, 10_000_000), "context_tokens": (1, 100_000_000), "ttft_ms": (1, 10_000_000),
    "delivered_share": (0.01, 1.5), "prompt_reuse": (0, 1), "seed": (0, 2**32 - 1),
}  # fmt: skip
MARKS = (10, 50, 90)  # percentiles
DRAWS = 2000
COLUMNS = [  # of a plan before sizing
    "accelerator", "evidence", "gain", "throughput", "throughput_low", "throughput_high", "delivered", "unit",
    "unit_name", "precision", "weights_gb", "cache_gb", "usd_per_accelerator_hour", "watts", "slower_id",
    "id", "round", "submitter", "system", "roof", "reason", *cost.FACTORS,
]  # fmt: skip
LARGEST_GROUP = 1024  # accelerators that may share one copy of the weights
CAUSES = ("traffic", "queue", "memory")


@dataclass(frozen=True)
class Demand:
    """Describe what to plan for. Raises ValueError naming the parameter, its bounds, and the valid choices.

    The model is a `benchmark`, or a `model` of `parameters` billion parameters, estimated from benchmarks of its kind.
    `users` is the mean number of requests in service at a time, each at `tokens_per_user` tokens/s (p99). Lengths are
    those of the benchmark's data set, of the CSV file `lengths`, or have the means `prompt_tokens` and `answer_tokens`.
    `ttft_ms` is the p99 limit on the first token (0: of the scenario). `delivered_share` is the share of the throughput
    at that interactivity delivered on average (0: from the factors of real_world_derating for the `fleet` and the
    serving `stack`, one of derating.READINGS). `prices` replaces listed prices (see cost.prices). `precision` is that
    of the weights ("": that of the submitted run), `context_tokens` the maximum length of prompt and answer (0: the
    model's). `prompt_reuse` is the share of prompt tokens in a perfect prefix cache: an upper bound of throughput (the
    first token still waits for the whole prompt).
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
    stack: str = "vLLM"
    accelerators: tuple[str, ...] = ()
    rounds: tuple[str, ...] = ()
    cost_model: str = "neocloud"
    prices: str | Path | Mapping[str, float] | None = None
    precision: str = ""
    seed: int = 0
    context_tokens: float = 0.0
    prompt_reuse: float = 0.0

    def __post_init__(self) -> None:
        for name, bounds in BOUNDS.items():
            value = getattr(self, name)
            if value != getattr(Demand, name):
                names.bounded(value, name, *bounds)
        names.choose(self.fleet, derating.FLEETS, "fleet")
        names.choose(self.stack, derating.READINGS, "stack")
        names.choose(self.cost_model, cost.COST_MODELS, "cost model")
        names.choose(self.precision or "fp8", tables.WEIGHT_BYTES, "precision of weights")
        if not (self.benchmark or self.model or self.parameters):
            raise ValueError("benchmark, model, and parameters are empty: set one of them")
        if self.active_parameters and not self.parameters:
            raise ValueError("active_parameters: also requires parameters, both in billions")
        for name in ("accelerators", "rounds"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))

    @cached_property
    def workload(self) -> curve.Workload:
        """The model, the lengths of its requests, and the precision of its weights."""
        return curve.workload(
            self.benchmark, parameters=self.parameters, active_parameters=self.active_parameters, name=self.model,
            prompt_tokens=self.prompt_tokens, answer_tokens=self.answer_tokens, lengths=self.lengths,
            precision=self.precision, context_tokens=self.context_tokens, prompt_reuse=self.prompt_reuse,
        )  # fmt: skip

    @cached_property
    def limit(self) -> pd.Series:
        """The limits of the loosest scenario that guarantees the interactivity, or of the tightest if none does."""
        limits = interactivity.limits(self.workload.model.benchmark)
        fast = limits[limits["interactivity"].ge(self.tokens_per_user * (1 - interactivity.ROUNDING))]
        return fast.iloc[0] if len(fast) else limits.iloc[-1]

    @property
    def ttft_seconds(self) -> float:
        """The limit on the first token: as asked, else of the loosest scenario that guarantees the interactivity."""
        return float(self.ttft_ms or self.limit["ttft_ms"]) / 1000


def every_plan(demand: Demand) -> pd.DataFrame:
    """Return the plan of each accelerator, one row each, unordered; rows without a plan have a `reason`.

    Columns: accelerator, evidence, gain (since `round`, in the throughput; see `curve.carried`), throughput with
    throughput_low and throughput_high (tokens/s per accelerator at the interactivity), delivered (share of it), unit
    (accelerators rented together) and unit_name (node, rack), and of each of accelerators, units, usd_per_hour,
    usd_per_million_tokens, and kilowatts P10, P50, and P90, such as usd_per_hour_p50; traffic and needed (median
    accelerators before whole units: for mean traffic alone, and with queue and memory), used (share of the rented
    units' delivered throughput that mean traffic uses, P50), usd_per_million_at_full_use, decided_by (one of CAUSES),
    usd_per_accelerator_hour, watts, precision, weights_gb, cache_gb (KV cache of a request in service, in FP8),
    slower_id, id, round, submitter, system, roof, reason, cost.FACTORS (behind `delivered`). Rows are accelerators with
    a result of the benchmark or a price. A vendor name selects those of its accelerators that have either; an
    accelerator asked for by name always has a row.

    Raises NoData where the benchmark has no result or nothing asked for is planned, and ValueError for unknown names.
    """
    prices = cost.prices(demand.cost_model, own=demand.prices).set_index("accelerator")
    asked = demand.accelerators
    throughput, sizes, named = _throughput(demand.workload, demand.rounds, asked, tuple(prices.index))
    found = throughput.at(demand.tokens_per_user)
    found = found[found["accelerator"].isin(named)] if asked else found
    if found.empty:
        raise NoData(f"none of {names.listed(asked)} has a result of {demand.workload.model.name} or a price")
    accelerators = found["accelerator"]
    found = found.rename(columns={"low": "throughput_low", "high": "throughput_high"}).assign(
        unit=accelerators.map(sizes).fillna(USUAL_SIZE).astype(int),
        unit_name=np.where(accelerators.isin(list(racks())), "rack", "node"),
        watts=accelerators.map(all_in_watts()),
        usd_per_accelerator_hour=accelerators.map(prices["usd_per_hour"]),
    )
    found = _limited(demand, found.assign(**delivered(demand, found)))
    planned = found["reason"].eq("")
    found["evidence"] = found["evidence"].where(planned, "")
    return found[COLUMNS].join(_rented(demand, found[planned])).fillna({"decided_by": ""})


@lru_cache(maxsize=8)  # the changes of `choice.sensitivity` ask for the same throughput again and again
def _throughput(
    workload: curve.Workload, rounds: tuple[str, ...], asked: tuple[str, ...], priced: tuple[str, ...]
) -> tuple[curve.Curves, dict[str, int], list[str]]:
    """Return throughput over interactivity, the sizes of units, and the accelerators meant by those `asked` for."""
    rows = interactivity.runs(workload.grounds, rounds=rounds)
    known = {*priced, *rows["accelerator"]}
    named = names.accelerators(asked, load_results(), of_vendors=known) if asked else list(priced)
    return curve.Curves(curve.carried(rows), named, workload), unit_sizes(rows), named


def plan(demand: Demand, accelerator: str) -> pd.Series:
    """Return the row of `every_plan` of one accelerator. Raises NoData with the reason where nothing can be planned."""
    row = every_plan(replace(demand, accelerators=(accelerator,))).iloc[0]
    if row["reason"]:
        raise NoData(f"no plan on {row['accelerator']}: {row['reason']}")
    return row


def delivered(demand: Demand, points: pd.DataFrame) -> pd.DataFrame:
    """Return the share of the throughput of `points` at their interactivity that is delivered on average.

    delivered with P10 and P90 (delivered_low, delivered_high) multiplies the factors of real_world_derating that the
    result behind a point does not include yet (see `derating.served`). busy is the share delivered at full load, peak
    P99 over mean load. A share given by the user is both `delivered` and `busy`, since it includes peaks. A column for
    each of cost.FACTORS, NaN where it does not apply.
    """
    served = derating.served_at(points, demand.fleet, demand.stack)
    if own := demand.delivered_share:
        none = dict.fromkeys(cost.FACTORS, np.nan)
        served = served.assign(share=own, low=own, high=own, busy=own, peak=1.0, **none)
    return served.rename(columns={"share": "delivered", "low": "delivered_low", "high": "delivered_high"})


def unit_sizes(rows: pd.DataFrame) -> dict[str, int]:
    """Return how many of each accelerator are rented together: a rack, a node of eight, or as usually submitted.

    The last is the most frequent node of an accelerator without submissions in nodes of eight.
    """
    size = rows["accelerator_count"] / rows["nodes"]
    sizes = size[size.mod(1).eq(0)].groupby(rows["accelerator"])
    usual = sizes.agg(lambda counts: USUAL_SIZE if counts.eq(USUAL_SIZE).any() else int(counts.mode().iloc[-1]))
    return usual.to_dict() | racks()


@cache  # called for each plan; cleared by tables.forget
def all_in_watts() -> pd.Series:
    """Return provisioned watts per accelerator by short name, with its share of host and network cards (InferenceX).

    Accelerators that are not listed get their rated power times the median ratio of listed to rated power.
    """
    listed = 1000 * power.kilowatts()["kilowatts"]
    rated = tables.accelerators.set_index("label")["power_limit_w"]
    return listed.combine_first(rated * (listed / rated).median())


def requests_held(weights_gb: pd.Series, cache_gb: float, memory_gb: pd.Series, unit: pd.Series) -> pd.DataFrame:
    """Return how many requests' KV caches fit next to the weights in one `block` of accelerators (`held`, `block`).

    `cache_gb` is the KV cache of a request, `memory_gb` the memory of an accelerator that weights and KV cache may
    fill, `unit` the accelerators rented together. A block is a unit, or as many as the weights need. Within a unit
    copies of the weights take groups of 1, 2, 4 ... accelerators, whichever leave most room. 0 requests where even
    LARGEST_GROUP accelerators do not hold one, NaN where the memory is unknown.
    """
    weights, memory, rented = (each.to_numpy(float)[:, None] for each in (weights_gb, memory_gb, unit))

    def fit(size: np.ndarray) -> np.ndarray:  # requests in a group with one copy of the weights
        return np.floor((size * memory - weights) / cache_gb).clip(min=0)

    powers = 2 ** np.arange(LARGEST_GROUP.bit_length())
    groups, blocks = np.minimum(powers, rented), powers * rented
    held = np.where(blocks < 2 * LARGEST_GROUP, fit(blocks), 0)
    held[:, 0] = (rented // groups * fit(groups)).max(axis=1)
    first = (np.arange(len(held)), (held > 0).argmax(axis=1))
    return pd.DataFrame({"held": held[first], "block": blocks[first]}, unit.index)


def _limited(demand: Demand, points: pd.DataFrame) -> pd.DataFrame:
    """Return accelerators with what limits them, and the reason why no number of them serves the demand, "" if some do.

    Added or changed columns: precision and weights_gb of the weights, cache_gb, prefill (seconds), held (requests in a
    block of accelerators), block (its size), reason. Prefill is the time in which a node reads the P99 prompt: its
    operations over COMPUTE_SHARE of the node's dense compute; NaN without a datasheet.
    """
    model, lengths, limit = demand.workload.model, demand.workload.lengths, demand.ttft_seconds
    systems = decoding.setups(points["accelerator"], points["precision"], points["unit"])
    systems = systems.assign(weights=demand.precision or systems["weights"])
    node_tflops = decoding.peak_tflops(systems) * points["unit"].clip(upper=USUAL_SIZE) * decoding.COMPUTE_SHARE
    room = points["accelerator"].map(decoding.sheets()["memory_gb"]) * (1 - decoding.HEADROOM)
    weights = systems["weights"].map(model.weight_gb)
    found = points.join(requests_held(weights, model.cache_gb(lengths.whole), room, points["unit"])).assign(
        precision=systems["weights"], weights_gb=weights, cache_gb=model.cache_gb(lengths.context),
        prefill=model.prompt_operations(lengths.long_prompt) / (node_tflops * 1e12),
    )  # fmt: skip
    reason, roof, prefill = found["reason"], found["roof"], found["prefill"].map("{:.2g} s on a node".format)
    slow = f"prefill of {lengths.long_prompt:,.0f} tokens takes " + prefill + f", but the TTFT limit is {limit:g} s"
    others = f" (P99 prompt; the mean is {lengths.prompt:,.0f}; ttft_ms and lengths change them)"
    too_fast = reason + ": one user gets at most " + roof.map("{:,.0f} tokens/s".format)
    too_large = f"{LARGEST_GROUP:,} accelerators cannot hold the weights and one request"
    cases = [
        (reason.eq(curve.TOO_FAST) & roof.gt(0), too_fast),
        (reason.ne(""), reason),
        (found[["prefill", "held"]].isna().any(axis=1), curve.NO_COMPUTE),
        (found["prefill"].ge(limit), slow + others),
        (found["held"].eq(0), too_large),
    ]
    return found.assign(reason=np.select(*zip(*cases, strict=True), ""))


def _rented(demand: Demand, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of `every_plan` from traffic on, for accelerators that can serve the demand."""
    of = {name: rows[name].to_numpy() for name in rows}  # a value for each accelerator; rows of an array are draws
    tokens_per_second = demand.users * demand.tokens_per_user
    service = of["prefill"] + demand.workload.lengths.answer / demand.tokens_per_user
    waits = zip(demand.users * of["peak"], service, demand.ttft_seconds - of["prefill"], strict=True)
    slots = np.array([queueing.slots_needed(*each) for each in waits])

    def quantiles(seed: int | list[int]) -> np.ndarray:
        """Return one for each draw, and the median."""
        return np.append(np.random.default_rng(seed).random(DRAWS), 0.5)

    # All accelerators share the draws of the delivered share, so that a ranking depends on throughput and price alone.
    own = np.transpose([quantiles([demand.seed, crc32(name.encode())]) for name in rows["accelerator"]])
    shared = quantiles(demand.seed)[:, None]
    rates = cost.log_uniform(of["throughput_low"], of["throughput"], of["throughput_high"], own)
    shares = cost.log_uniform(of["delivered_low"], of["delivered"], of["delivered_high"], shared)
    traffic = tokens_per_second / (rates * shares)
    queue = slots * demand.tokens_per_user / (rates * of["busy"] * shares / of["delivered"])
    memory = slots / of["held"] * of["block"]
    needs = np.array(np.broadcast_arrays(traffic, queue, memory))
    rented = np.ceil(needs.max(axis=0) / of["block"] - 1e-9) * of["block"]
    # P10 and P90 are actual draws, so that units stay whole; P50 is that of the median throughput and share.
    marks = np.percentile(rented[:-1], MARKS, axis=0, method="higher")
    marks[1] = rented[-1]
    usd = marks * of["usd_per_accelerator_hour"]
    quantities = {
        "accelerators": marks, "units": marks / of["unit"], "usd_per_hour": usd,
        "usd_per_million_tokens": usd / (tokens_per_second * SECONDS_PER_HOUR) * 1e6,
        "kilowatts": marks * of["watts"] / 1000,
    }  # fmt: skip
    full = cost.usd_per_million(rows["throughput"], rows["usd_per_accelerator_hour"], rows["delivered"])
    columns = {f"{name}_p{mark}": each[place] for name, each in quantities.items() for place, mark in enumerate(MARKS)}
    return rows[[]].assign(
        traffic=traffic[-1], needed=needs[:, -1].max(axis=0), used=traffic[-1] / marks[1],
        usd_per_million_at_full_use=full, decided_by=np.array(CAUSES)[needs[:, -1].argmax(axis=0)], **columns,
    )  # fmt: skip
