"""Model decoding on an accelerator: output tokens/s per accelerator over interactivity, from its datasheet.

A decoding step reads the weights and the KV cache of its batch and computes one token for each request and the share of
a prompt, attention included, that comes with it; the slower of reading and computing sets the time of the step, and
each layer adds a fixed time that grows with the accelerators that share it. The absolute level rests on assumed shares
of the datasheet's rates, so only ratios are used: prediction.py and curve.py scale them to the record.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from analysis import tables
from analysis.compare import USUAL_SIZE
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


@tables.cached  # asked for each curve
def sheets() -> pd.DataFrame:
    """Return data/accelerators.csv by the short name of the accelerator, with what the model reads of it.

    Added columns: weights (the smallest precision that it computes in), group (the most accelerators that share one
    copy of the weights: a node or a rack), and, by the precision of weights, the dense tera-operations/s at which they
    are computed.
    """
    rows = tables.accelerators.set_index("label")
    computed = rows[[*COMPUTE.values()]].set_axis([*COMPUTE], axis=1)
    peaks = {precision: computed[formats].bfill(axis=1).iloc[:, 0] for precision, formats in COMPUTED_IN.items()}
    small = computed[["fp4", "fp8", "int8"]].notna().assign(fp16=True)
    return rows.assign(**peaks, weights=small.idxmax(axis=1), group=rows["rack_accelerators"].fillna(USUAL_SIZE))


def setups(accelerators: pd.Series, stated: pd.Series, counts: pd.Series | float) -> pd.DataFrame:
    """Return the columns SETUP of systems: accelerator, weights (their precision), and group (who shares a copy).

    `stated` is the precision that a run states; weights have it below 16 bits, else the smallest that the accelerator
    computes in. `counts` are the accelerators of each system (NaN: those of a node or rack).
    """
    known = sheets().reindex(accelerators).set_axis(accelerators.index)
    weights = stated.where(stated.map(WEIGHT_BYTES).lt(2), known["weights"].fillna("fp16"))
    group = np.fmin(counts, known["group"].fillna(USUAL_SIZE)).astype(int)
    return pd.DataFrame({"accelerator": accelerators, "weights": weights, "group": group})


def rates(systems: pd.DataFrame, model: Model, lengths: Lengths, speeds: pd.Series | float) -> np.ndarray:
    """Return the modeled tokens/s per accelerator of each system at its own speed (tokens/s per user; 0: no limit).

    0 beyond the roof, NaN where a fact is unknown or no group holds the weights and one request.
    """
    asked = np.log(np.maximum(np.broadcast_to(speeds, len(systems)), SPEEDS[0]))
    found = np.full(len(systems), np.nan)
    for setup, places in systems.groupby(SETUP).indices.items():
        known, _ = _curve(*setup, model, lengths)
        found[places] = np.interp(asked[places], LOG_SPEEDS, known)
    return found


def roofs(systems: pd.DataFrame, model: Model, lengths: Lengths) -> np.ndarray:
    """Return the highest tokens/s per user at which each system is estimated; NaN where it is unknown.

    What memory bandwidth allows one user, and at most BEYOND_ONE times what a batch of one reaches between prompts.
    """
    found = np.full(len(systems), np.nan)
    for setup, places in systems.groupby(SETUP).indices.items():
        found[places] = _curve(*setup, model, lengths)[1]
    return found


def peak_tflops(systems: pd.DataFrame) -> np.ndarray:
    """Return the dense tera-operations/s at which each system computes its weights; NaN where unknown."""
    peaks = sheets()[[*COMPUTED_IN]].stack()
    return peaks.reindex(pd.MultiIndex.from_frame(systems[["accelerator", "weights"]])).to_numpy()


@tables.cached  # asked for each curve
def ordered() -> pd.DataFrame:
    """Return pairs of a vendor's accelerators in which no figure of the datasheet of `better` is below that of `worse`.

    The figures are memory, memory bandwidth, and dense compute with weights in FP16, FP8, and FP4. Unknown figures are
    not compared, but FP8 must be known. Where a family computes in FP4 and the figure of `worse` is unknown, only its
    own family is better, for that figure may be above another's. Both are in racks, or both in nodes.
    """
    figures = ["memory_gb", "memory_bandwidth_gb_per_s", "fp16", "fp8", "fp4"]
    rows = sheets().reset_index()
    in_fp4 = rows["fp4_dense_tflops"].notna()
    rows = rows[["label", "vendor", "kind", "family", *figures]].assign(
        rack=rows["rack_accelerators"].notna(),
        unknown=~in_fp4 & rows["family"].isin(rows.loc[in_fp4, "family"]),
    )
    rows = rows.dropna(subset=["memory_gb", "memory_bandwidth_gb_per_s", "fp8"])
    pairs = rows.merge(rows, on=["vendor", "kind", "rack"], suffixes=("", "_better"))
    pairs = pairs[~pairs["unknown"] | pairs["family"].eq(pairs["family_better"])]
    worse, better = pairs[figures].to_numpy(), pairs[[f"{name}_better" for name in figures]].to_numpy()
    nowhere = ~(worse > better).any(axis=1) & (worse < better).any(axis=1)
    return pairs.loc[nowhere, ["label", "label_better"]].set_axis(["worse", "better"], axis=1)


@lru_cache(maxsize=8192)  # 26 bisections; systems share setups; tables.forget clears it
def _curve(
    accelerator: str, weights: str, most: int, model: Model, lengths: Lengths
) -> tuple[np.ndarray, float]:  # fmt: skip
    """Return throughput per accelerator at SPEEDS, and the roof, over groups of 1, 2, 4 ... `most` accelerators.

    The highest of SPEEDS is beyond the roof of any model. NaN where a fact is unknown or no group holds the weights and
    one request.
    """
    facts = sheets().reindex([accelerator]).iloc[0]
    bandwidth, memory = facts["memory_bandwidth_gb_per_s"] * 1e9, facts["memory_gb"] * 1e9
    operations = facts[weights] * 1e12 * COMPUTE_SHARE
    held, cache = model.weight_gb(weights) * 1e9, model.cache_gb(lengths.context) * 1e9
    size = np.unique(np.minimum(2 ** np.arange(11), most))  # no rack has 1,024
    room = size * memory * (1 - HEADROOM) - held
    size, largest = size[room >= cache, None], room[room >= cache, None] / cache
    if not len(size):
        return np.full(len(SPEEDS), np.nan), np.nan
    overhead = LAYER_SECONDS * model.layers * (1 + np.log2(size))
    prompt = model.prompt_operations(lengths.prompt, lengths.squared) / lengths.answer

    def read(batch: np.ndarray) -> np.ndarray:  # of a mixture only the weights that some token needs
        return held * (1 - (1 - model.active / model.parameters) ** batch) + batch * cache

    def step(batch: np.ndarray) -> np.ndarray:
        computed = batch * (2e9 * model.active) / (size * operations)
        prefill = batch * prompt / (size * operations)
        return np.maximum(read(batch) / (size * bandwidth * READ_SHARE), computed) + overhead + prefill

    # The logarithm of the largest batch that keeps the pace: the largest that fits, or by bisection.
    allowed = 1 / SPEEDS
    high = np.broadcast_to(np.log(largest), (len(size), len(SPEEDS)))
    low = np.where(step(largest) <= allowed, high, 0.0)
    for _ in range(26):
        middle = (low + high) / 2
        fits = step(np.exp(middle)) <= allowed
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    batch = np.exp(low)
    one = np.ones_like(size, float)
    alone = 1 / step(one)  # the speed of a batch of one; beyond it throughput falls linearly to zero at its end
    by_bandwidth = size * bandwidth / read(one)
    end = np.minimum(by_bandwidth, BEYOND_ONE * alone)
    left = ((end - SPEEDS) / (end - alone)).clip(0.0)
    rates = np.where(alone < SPEEDS, alone * left, batch / step(batch)) / size
    without_prompts = 1 / (1 / alone - one * prompt / (size * operations))
    return rates.max(axis=0), float(np.minimum(by_bandwidth, BEYOND_ONE * without_prompts).max())
