"""What the hardware can do at most: decoding bound by memory bandwidth, memory that holds the weights, dense compute.

Each ceiling is the one most favorable to the hardware.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis._core.vocabulary import BYTES_PER_WEIGHT, PRECISIONS
from analysis.methods import memory

COMPUTE = {
    "fp16": "fp16_dense_tflops",
    "bf16": "fp16_dense_tflops",
    "fp8": "fp8_dense_tflops",
    "int8": "int8_dense_tops",
    "fp4": "fp4_dense_tflops",
}
_SIXTEEN = (COMPUTE["fp16"],)
WIDER = {
    "fp8": _SIXTEEN,
    "int8": _SIXTEEN,
    "fp4": (COMPUTE["fp8"], *_SIXTEEN),
    "int4": (COMPUTE["int8"], COMPUTE["fp8"], *_SIXTEEN),
}
_FORMAT = {column: name for name, column in reversed(COMPUTE.items())}  # bf16 is computed as fast as fp16
Facts = Mapping[str, Any] | pd.Series  # one row of the accelerators or of the benchmarks
FLOP_PER_WEIGHT = 2  # one multiplication and one addition
SMALLEST = min(BYTES_PER_WEIGHT, key=BYTES_PER_WEIGHT.__getitem__)


def weight_gb(parameters_billion: float, precision: str) -> float:
    """Gigabytes (1e9 bytes) of weights; an unknown precision counts as the smallest, which favors the hardware."""
    otherwise = BYTES_PER_WEIGHT["fp16" if precision in PRECISIONS else SMALLEST]  # of bf16, and at least of fp32
    return parameters_billion * BYTES_PER_WEIGHT.get(precision, otherwise)


def read_gb(parameters_billion: float, active_billion: float, precision: str, batch: float = 1) -> float:
    """Gigabytes of weights that one decoding step reads for a batch: all of a dense model's, whatever the batch.

    A mixture of experts reads the weights that some token of the batch works with. Where a token works with a share a
    of them and the router balances, that is 1 - (1 - a)^batch of all: the active ones at batch 1, soon all.
    """
    unread = (1 - active_billion / parameters_billion) ** batch
    return weight_gb(parameters_billion, precision) * (1 - unread)


def decode(
    bandwidth_gb_per_s: float, read_gb: float, count: float = 1, cache_gb: float = 0.0, batch: float = 1
) -> float:
    """The most tokens per second that `count` accelerators decode: batch x count x bandwidth / bytes read.

    Each step gives one token to each sequence and reads the weights once, whatever the kernel does; `cache_gb` is the
    KV cache of the whole batch, read on top.
    """
    return batch * count * bandwidth_gb_per_s / (read_gb + cache_gb)


def fastest(facts: Facts, precision: str = "") -> tuple[float, str]:
    """Dense tera-operations per second at `precision` and the number format that computes them.

    Weights of a precision without a rate of its own are computed in the first format of WIDER that the part has: 8-bit
    ones in 16 bits, 4-bit ones in 8 bits, else in 16. The fastest rate of the part where the precision is not known;
    NaN and "" where the datasheet has none.
    """
    rates = {column: facts[column] for column in sorted(_FORMAT) if pd.notna(facts[column])}
    usable = [column for column in (COMPUTE.get(precision), *WIDER.get(precision, ())) if column in rates]
    if precision not in {*COMPUTE, *WIDER}:
        usable = [max(rates, key=rates.__getitem__)] if rates else []
    return (float(rates[usable[0]]), _FORMAT[usable[0]]) if usable else (math.nan, "")


def compute(tera_per_s: float, active_billion: float, count: float = 1, prompt_per_token: float = 0.0) -> float:
    """The most tokens per second that `count` accelerators compute: count x FLOP/s / (2 x active parameters).

    `prompt_per_token` are tokens of prompt for each that is put out, computed too. Attention comes on top, so a real
    system stays well below.
    """
    return count * tera_per_s * 1e12 / (FLOP_PER_WEIGHT * active_billion * 1e9 * (1 + prompt_per_token))


def prefill_s(prompt_tokens: float, tera_per_s: float, active_billion: float, count: float, share: float) -> float:
    """Seconds in which `count` accelerators together read one prompt at a `share` of their dense compute.

    Prompt tokens x 2 x active parameters / (count x FLOP/s x share). Attention comes on top: for a prompt of a thousand
    tokens about a hundredth.
    """
    return prompt_tokens / (share * compute(tera_per_s, active_billion, count))


def serving(
    facts: Facts, identity: Facts, precision: str, batch: float, prompt: float, answer: float, cache_gb: float
) -> tuple[float, float]:
    """Output tokens per second for each accelerator that memory traffic and arithmetic allow while serving.

    `batch` requests are in service on one copy of the weights over all accelerators, which is the most favorable; each
    has a `prompt`, an `answer` of so many tokens, and on average `cache_gb` of cache. NaN where the precision or a fact
    is not known.
    """
    if precision not in COMPUTE and precision not in BYTES_PER_WEIGHT:
        return math.nan, math.nan
    weights = read_gb(float(identity["parameters_billion"]), active(identity), precision, batch)
    traffic = decode(float(facts["memory_bandwidth_gb_per_s"]), weights, cache_gb=batch * cache_gb, batch=batch)
    return traffic, compute(fastest(facts, precision)[0], active(identity), prompt_per_token=prompt / answer)


def active(identity: Facts) -> float:
    """Parameters in 1e9 that work on one token: fewer than all in a mixture of experts."""
    at_work = identity.get("active_parameters_billion", math.nan)
    return float(at_work if not math.isnan(at_work) else identity["parameters_billion"])


def roofs(accelerators: pd.DataFrame, identity: pd.Series, wanted: pd.DataFrame, cache_gb: float = 0.0) -> pd.DataFrame:
    """The roof of each accelerator and precision in `wanted` for one benchmark, per accelerator.

    Columns: accelerator, precision, weight_gb, needed (the group that holds the weights), at_batch_1 (tokens/s, bound
    by bandwidth, rising with the batch), flat (tokens/s, bound by compute), ridge (the batch where both meet).
    """
    facts, rows = accelerators.set_index("accelerator"), []
    for name, precision in wanted.drop_duplicates().itertuples(index=False):
        datasheet = facts.loc[name]
        whole_gb = weight_gb(float(identity["parameters_billion"]), precision)
        active_gb = weight_gb(active(identity), precision)
        slope = decode(float(datasheet["memory_bandwidth_gb_per_s"]), active_gb, cache_gb=cache_gb)
        flat = compute(fastest(datasheet, precision)[0], active(identity))
        needed = float(memory.holding(whole_gb, float(datasheet["memory_gb"])))
        rows.append((name, precision, whole_gb, needed, slope, flat, flat / slope))
    columns = ["accelerator", "precision", "weight_gb", "needed", "at_batch_1", "flat", "ridge"]
    return pd.DataFrame(rows, columns=columns).dropna().astype({"needed": "int64"}).reset_index(drop=True)
