"""Model decoding on an accelerator: output tokens/s per accelerator over interactivity, from its datasheet.

A decoding step reads the weights and the KV cache of its batch and computes one token for each request and the share of
a prompt, attention included, that comes with it; the slower of reading and computing sets the time of the step, and
each layer adds a fixed time that grows with the accelerators that share it. The absolute level rests on assumed shares
of the datasheet's rates, so only ratios are used: prediction.py and curve.py scale them to the record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd

from analysis import tables
from analysis.compare import USUAL_SIZE, racks
from analysis.planner.models import Lengths, Model
from analysis.tables import COMPUTE, WEIGHT_BYTES

READ_SHARE, COMPUTE_SHARE = 0.6, 0.4  # of the datasheet's bandwidth and dense compute that a step reaches
LAYER_SECONDS = 20e-6  # that a step loses in a layer, and again each time that twice as many accelerators share it
HEADROOM = 0.1  # share of memory that weights and KV cache leave free
BEYOND_ONE = 2.0  # cap on an estimate, times the speed of a batch of one; InferenceX reaches 1.4 (DeepSeek-R1, B200)
SPEEDS = np.geomspace(0.5, 10_000.0, 260)  # tokens/s per user at which a curve is known
LOG_SPEEDS = np.log(SPEEDS)
SETUP = ["accelerator", "weights", "group"]
COMPUTED_IN = {  # number formats that compute weights of a precision, the fastest first
    "fp16": ["fp16"], "fp8": ["fp8", "fp16"], "int8": ["int8", "fp16"],
    "fp4": ["fp4", "fp8", "fp16"], "int4": ["int8", "fp8", "fp16"],
}  # fmt: skip


def setups(accelerators: Iterable[str], stated: Iterable[str], counts: Iterable[float]) -> pd.DataFrame:
    """Return the model's inputs of each system: accelerator, weights (their precision), group (see `group`).

    `stated` are the precisions that runs state ("": unknown), `counts` the accelerators of each (NaN: a node or rack).
    """
    names = [*accelerators]
    weights, most = [*map(weights_in, names, stated)], [*map(group, names, counts)]
    return pd.DataFrame({"accelerator": names, "weights": weights, "group": most})


def rates(systems: pd.DataFrame, model: Model, lengths: Lengths, speeds: Iterable[float]) -> np.ndarray:
    """Return the modeled tokens/s per accelerator of each system at its own speed (tokens/s per user; 0: no limit).

    0 beyond the roof, NaN where a fact is unknown or no group holds the weights and one request.
    """
    speeds = np.broadcast_to(np.asarray(speeds, float), len(systems))
    found = np.full(len(systems), np.nan)
    for setup, places in systems.groupby(SETUP, sort=False).indices.items():
        known, _ = _curve(*setup, model, lengths)
        if known is not None:
            asked = np.log(np.maximum(speeds[places], SPEEDS[0]))
            found[places] = np.where(np.isnan(asked), np.nan, np.interp(asked, LOG_SPEEDS, known, right=0.0))
    return found


def roofs(systems: pd.DataFrame, model: Model, lengths: Lengths) -> np.ndarray:
    """Return the highest tokens/s per user at which each system is estimated; NaN where it is unknown.

    What memory bandwidth allows one user, and at most BEYOND_ONE times what a batch of one reaches between prompts.
    """
    return np.array([_curve(*setup, model, lengths)[1] for setup in systems[SETUP].itertuples(index=False)], float)


@cache  # asked for each system; tables.forget clears it
def sheets() -> defaultdict[str, dict[str, Any]]:
    """Return the rows of data/accelerators.csv by the short name of the accelerator; NaN for one that it lacks."""
    rows = tables.accelerators
    unknown = dict.fromkeys(rows, np.nan)
    return defaultdict(lambda: unknown, rows.set_index("label", drop=False).to_dict("index"))


def group(accelerator: str, count: float = USUAL_SIZE) -> int:
    """Return the most accelerators that share one copy of the weights: of a node, a rack, or a whole small system."""
    most = racks().get(accelerator, USUAL_SIZE)
    return int(min(count, most)) if count >= 1 else most


def weights_in(accelerator: str, stated: str = "") -> str:
    """Return the precision of weights: `stated` below 16 bits, else the smallest that the accelerator computes in."""
    if WEIGHT_BYTES.get(stated, 2.0) < 2:
        return stated
    facts = sheets()[accelerator]
    return next((name for name in ("fp4", "fp8", "int8") if facts[COMPUTE[name]] > 0), "fp16")


def peak_tflops(accelerator: str, precision: str) -> float:
    """Return the dense tera-operations/s at which weights of a precision are computed; NaN where unknown."""
    facts = sheets()[accelerator]
    return next((facts[COMPUTE[name]] for name in COMPUTED_IN[precision] if facts[COMPUTE[name]] > 0), np.nan)


@cache  # asked for each curve; tables.forget clears it
def ordered() -> pd.DataFrame:
    """Return pairs of a vendor's accelerators in which no figure of the datasheet of `better` is below that of `worse`.

    The figures are memory, memory bandwidth, and dense compute with weights in FP16, FP8, and FP4. Unknown figures are
    not compared, but FP8 must be known. Where a family computes in FP4 and the figure of `worse` is unknown, only its
    own family is better, for that figure may be above another's. Both are in racks, or both in nodes.
    """
    sheets = tables.accelerators
    rows = sheets[["label", "vendor", "kind", "family", "memory_gb", "memory_bandwidth_gb_per_s"]]
    compute = {name: [peak_tflops(label, name) for label in rows["label"]] for name in ("fp16", "fp8", "fp4")}
    in_fp4 = sheets.groupby("family")["fp4_dense_tflops"].transform("max").gt(0)
    rows = rows.assign(
        rack=rows["label"].isin(list(racks())), unknown=in_fp4 & sheets["fp4_dense_tflops"].isna(), **compute
    ).dropna(subset=["memory_gb", "memory_bandwidth_gb_per_s", "fp8"])
    pairs = rows.merge(rows, on=["vendor", "kind", "rack"], suffixes=("", "_better"))
    pairs = pairs[~pairs["unknown"] | pairs["family"].eq(pairs["family_better"])]
    figures = ["memory_gb", "memory_bandwidth_gb_per_s", *compute]
    worse, better = pairs[figures].to_numpy(), pairs[[f"{name}_better" for name in figures]].to_numpy()
    nowhere = ~(worse > better).any(axis=1) & (worse < better).any(axis=1)
    return pairs.loc[nowhere, ["label", "label_better"]].set_axis(["worse", "better"], axis=1)


@lru_cache(maxsize=8192)  # 26 bisections; systems share setups; tables.forget clears it
def _curve(
    accelerator: str, weights: str, most: int, model: Model, lengths: Lengths
) -> tuple[np.ndarray | None, float]:
    """Return throughput per accelerator at SPEEDS, and the roof, over groups of 1, 2, 4 ... `most` accelerators.

    None and NaN where a fact is unknown or no group holds the weights and one request.
    """
    facts = sheets()[accelerator]
    bandwidth, memory = facts["memory_bandwidth_gb_per_s"] * 1e9, facts["memory_gb"] * 1e9
    operations = peak_tflops(accelerator, weights) * 1e12 * COMPUTE_SHARE
    held, cache = model.weight_gb(weights) * 1e9, model.cache_gb(lengths.context) * 1e9
    if not np.isfinite([bandwidth, memory, operations, cache, lengths.prompt]).all():
        return None, np.nan
    size = np.array(sorted({2**power for power in range(8) if 2**power < most} | {most}))
    room = size * memory * (1 - HEADROOM) - held
    size, largest = size[room >= cache, None], room[room >= cache, None] / cache
    if not len(size):
        return None, np.nan
    overhead = LAYER_SECONDS * model.layers * (1 + np.log2(size))
    prompt = model.prompt_operations(lengths.prompt, lengths.squared) / lengths.answer

    def read(batch: np.ndarray) -> np.ndarray:  # of a mixture only the weights that some token needs
        return held * (1 - (1 - model.active / model.parameters) ** batch) + batch * cache

    def step(batch: np.ndarray) -> np.ndarray:
        computing = batch * 2e9 * model.active / (size * operations)
        prefill = batch * prompt / (size * operations)
        return np.maximum(read(batch) / (size * bandwidth * READ_SHARE), computing) + overhead + prefill

    allowed = 1 / SPEEDS[None, :]
    low, high = np.zeros((len(size), len(SPEEDS))), np.broadcast_to(np.log(largest), (len(size), len(SPEEDS)))
    batch = high
    if (late := step(np.exp(high)) > allowed).any():  # the largest batch that keeps the pace, by bisection
        for _ in range(26):
            middle = (low + high) / 2
            fits = step(np.exp(middle)) <= allowed
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        batch = np.where(late, low, batch)
    batch = np.exp(batch)
    one = np.ones_like(size, float)
    alone = 1 / step(one)  # the speed of a batch of one; beyond it throughput falls linearly to zero at its end
    by_bandwidth = size * bandwidth / read(one)
    end = np.minimum(by_bandwidth, BEYOND_ONE * alone)
    left = ((end - SPEEDS) / (end - alone)).clip(0.0, 1.0)
    rates = np.where(alone < SPEEDS, alone * left, batch / step(batch)) / size
    without_prompts = 1 / (1 / alone - one * prompt / (size * operations))
    return rates.max(axis=0), float(np.minimum(by_bandwidth, BEYOND_ONE * without_prompts).max())
