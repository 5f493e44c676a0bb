"""A small model of serving a language model: output tokens/s per accelerator at each interactivity.

A decoding step reads the weights and the KV cache of its batch, computes one token for each request and, between steps,
the share of a prompt that each token brings with it; the slower of reading and computing decides, and each layer costs
a fixed time that grows with the accelerators that share it (tensor parallelism). Its level is that of an assumed share
of the datasheet's rates: what it says of an accelerator is scaled to the record (see prediction.py), so that only
ratios of it count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis._core.vocabulary import BYTES_PER_WEIGHT
from analysis.methods import roofline
from analysis.methods.memory import Model
from analysis.methods.roofline import Facts

READ_SHARE, COMPUTE_SHARE = 0.6, 0.4  # of the datasheet's bandwidth and dense compute that a step reaches
LAYER_S = 20e-6  # seconds that a step loses in a layer, and again each time that twice as many accelerators share it
HEADROOM = 0.1  # of the memory that weights and cache leave free
NODE = 8  # accelerators whose links join them in one group
RACKS = {"GB200": 72, "GB300": 72, "Vera Rubin": 72}  # the same of racks
SPEEDS = np.geomspace(0.5, 4000.0, 240)  # tokens/s per user at which a curve is known
_BATCHES = 48


@dataclass(frozen=True)
class Lengths:
    """The mean tokens of a prompt and of its answer, and of requests in service, of which long answers are more.

    Those have `context` tokens in the cache halfway through the answer, and the `whole` prompt and answer at its end.
    """

    prompt: float
    answer: float
    context: float
    whole: float


@dataclass(frozen=True, eq=False)
class Requests:
    """The tokens of the prompt and of the answer of each request of a user or of a data set, arrays of one length."""

    prompts: np.ndarray
    answers: np.ndarray

    @cached_property
    def lengths(self) -> Lengths:
        """The means; a request is in service for as long as its answer takes."""
        in_service = [float(np.average(each, weights=self.answers)) for each in (self.prompts, self.answers)]
        means = float(self.prompts.mean()), float(self.answers.mean())
        return Lengths(*means, in_service[0] + in_service[1] / 2, sum(in_service))

    def prompt(self, share: float) -> float:
        """The prompt that so large a share (0 to 1) of the prompts does not exceed."""
        return float(np.quantile(self.prompts, share, method="higher"))

    def scaled(self, prompt: float, answer: float) -> Requests:
        """As many requests, spread as these, with these means."""
        return Requests(self.prompts * (prompt / self.prompts.mean()), self.answers * (answer / self.answers.mean()))


@dataclass(frozen=True)
class Decoding:
    """The throughput per accelerator (tokens/s) at SPEEDS, 0 where no group is so fast; `roof`: the fastest of all.

    The roof, in tokens/s per user, is what the datasheet's bandwidth allows the largest group with one request.
    """

    rates: np.ndarray
    roof: float

    @cached_property
    def most(self) -> float:
        """The throughput where no interactivity is asked for."""
        return float(self.rates[0])

    def at(self, speed: float) -> float:
        """The throughput at `speed` tokens/s per user."""
        return float(np.interp(np.log(speed), np.log(SPEEDS), self.rates))


def precision(facts: Facts, stated: str = "") -> str:
    """The stated precision of weights; unknown or of 16 bits, the smallest that the accelerator computes in."""
    if BYTES_PER_WEIGHT.get(stated, 2.0) < 2:
        return stated
    return next((name for name in ("fp4", "fp8", "int8") if facts[roofline.COMPUTE[name]] > 0), "fp16")


def group(accelerator: str, count: float = NODE) -> int:
    """The most accelerators that one copy of the weights is spread over: a node's, a rack's, or all of the system."""
    return int(min(count, RACKS.get(accelerator, NODE)))


def decoding(
    facts: Facts, identity: Facts, model: Model | None, stated: str, lengths: Lengths, most: int = NODE
) -> Decoding | None:
    """The curve of an accelerator for a model, over groups of 1, 2, 4 ... `most` accelerators that hold the weights.

    `facts` and `identity` are rows of the accelerators and benchmarks, `model` its cache at one byte per number, and
    `stated` the precision of its weights. None where a fact is not known or no group holds the weights.
    """
    name = precision(facts, stated)
    bandwidth, memory_b = float(facts["memory_bandwidth_gb_per_s"]) * 1e9, float(facts["memory_gb"]) * 1e9
    operations = roofline.fastest(facts, name)[0] * 1e12
    if model is None or not np.isfinite([bandwidth, memory_b, operations, lengths.prompt, lengths.answer]).all():
        return None
    total, active = float(identity["parameters_billion"]), roofline.active(identity)
    weights = roofline.weight_gb(total, name) * 1e9
    cache, token_flop = float(model.cache_bytes(lengths.context)), roofline.FLOP_PER_WEIGHT * active * 1e9
    sizes = sorted({size for size in (2**power for power in range(8)) if size < most} | {most})
    rates, roof = np.zeros(len(SPEEDS)), 0.0
    for size in sizes:
        room = size * memory_b * (1 - HEADROOM) - weights
        if room < cache:
            continue
        batch = np.geomspace(1.0, room / cache, _BATCHES)
        read_b = weights * (1 - (1 - active / total) ** batch if active < total else 1.0) + batch * cache
        reading = read_b / (size * bandwidth * READ_SHARE)
        computing = batch * token_flop / (size * operations * COMPUTE_SHARE)
        overhead = LAYER_S * float(identity["layers"]) * (1 + np.log2(size))
        step = np.maximum(reading, computing) + overhead + computing * lengths.prompt / lengths.answer
        speeds, of_batch = 1 / step, np.maximum.accumulate(batch / step) / size
        rates = np.maximum(rates, np.interp(SPEEDS, speeds[::-1], of_batch[::-1], right=0.0))
        roof = max(roof, size * bandwidth / read_b[0])
    if not roof:
        return None
    last = int(np.flatnonzero(rates)[-1])  # beyond what a batch of one is taken to reach, evenly down to the roof
    left = (roof - SPEEDS) / (roof - SPEEDS[last])
    return Decoding(np.where(SPEEDS[last] < SPEEDS, rates[last] * left.clip(0.0), rates), roof)
