"""Describe what is served: a language model's weights and KV cache, and the lengths of its requests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.results import timed_benchmarks

MOST_TOKENS = 10_000_000  # of a prompt or an answer


@dataclass(frozen=True)
class Model:
    """A language model: billions of parameters, those active for a token, layers, and numbers cached for a token.

    Layers with a sliding window cache the last `window_tokens` only. `cached` counts the numbers of one layer and
    token: 2 x KV heads x head size, or the size of the latent vector. Raises ValueError for sizes that no model has.
    """

    benchmark: str
    name: str
    parameters: float
    active: float
    layers: float
    cached: float
    windowed_layers: float = 0.0
    window_tokens: float = 0.0

    def __post_init__(self) -> None:
        names.number(self.parameters, "parameters (billions)", 0.01, 100_000)
        names.number(self.active, "active parameters (billions)", 0.001, self.parameters)

    def weight_gb(self, precision: str) -> float:
        """Return the gigabytes (1e9 bytes) of the weights."""
        return self.parameters * tables.WEIGHT_BYTES[precision]

    def cache_gb(self, tokens: float) -> float:
        """Return the gigabytes (1e9 bytes) that a request with so many tokens has in the KV cache, in FP8."""
        whole = (self.layers - self.windowed_layers) * tokens
        windowed = self.windowed_layers * min(tokens, self.window_tokens)
        return (whole + windowed) * self.cached * tables.WEIGHT_BYTES["fp8"] / 1e9


@dataclass(frozen=True)
class Lengths:
    """Mean tokens of requests: `prompt` and `answer` of those that arrive, the others of those in service.

    Long answers are in service longer: `context` is what such a request has cached half-way through its answer, `whole`
    at its end. `long_prompt` is the prompt that 99 of 100 requests do not exceed.
    """

    prompt: float
    answer: float
    context: float
    whole: float
    long_prompt: float


def lengths(requests: pd.DataFrame, prompt: float = 0.0, answer: float = 0.0) -> Lengths:
    """Return the lengths of `requests` (prompt_tokens, answer_tokens), scaled to these means where they are given."""
    tokens = requests[["prompt_tokens", "answer_tokens"]].astype(float)
    mean = tokens.mean().mask([prompt > 0, answer > 0], [prompt, answer])
    tokens = tokens * (mean / tokens.mean())
    prompt_served, answer_served = np.average(tokens, axis=0, weights=tokens["answer_tokens"])
    long_prompt = np.quantile(tokens["prompt_tokens"], 0.99, method="higher")
    in_service = prompt_served + answer_served / 2, prompt_served + answer_served
    return Lengths(*map(float, (*mean, *in_service, long_prompt)))


@cache
def lengths_of(benchmark: str) -> Lengths:
    """Return the lengths of a benchmark's own requests."""
    return lengths(requests_of(benchmark))


@cache
def requests_of(benchmark: str) -> pd.DataFrame:
    """Return the requests of a benchmark's data set, answers scaled to the mean that models generate.

    Where the data set or its answers are unknown, requests have the benchmark's means.
    """
    row = tables.benchmarks.set_index("benchmark").loc[benchmark]
    rows = tables.request_lengths
    rows = rows.loc[rows["benchmark"].eq(benchmark), ["prompt_tokens", "answer_tokens"]].astype(float)
    rows = rows.dropna() if rows["answer_tokens"].notna().any() else rows.fillna(1.0)
    rows = rows if len(rows) else pd.DataFrame({"prompt_tokens": [1.0], "answer_tokens": [1.0]})
    mean = pd.Series(
        {
            "prompt_tokens": row["prompt_tokens"],
            "answer_tokens": (row["tokens_per_sample_low"] + row["tokens_per_sample_high"]) / 2,
        }
    )
    return rows * (mean / rows.mean())


def read_requests(path: str | Path) -> pd.DataFrame:
    """Return the requests of a CSV file with the columns prompt_tokens and answer_tokens, one row each.

    Raises ValueError with file, row, and column for what is not a number of tokens.
    """
    columns = ["prompt_tokens", "answer_tokens"]
    frame = tables.read_own(path, columns)
    if frame.empty:
        raise ValueError(f"{path}: no request; expected a row for each")
    return tables.numbers(frame, columns, 1, MOST_TOKENS, str(path))


@cache
def of_benchmark(benchmark: str) -> Model:
    """Return the model of a benchmark. Raises ValueError where its size or the shape of its KV cache is unknown."""
    known = _shapes()
    benchmark = benchmark if benchmark in known.index else names.benchmark(benchmark)
    names.choose(benchmark, known.index, "language model with limits on the time per token,")
    row = known.loc[benchmark]
    cached = row["latent_size"] if row["latent_size"] > 0 else 2 * row["kv_heads"] * row["head_size"]
    shape = row["layers"], cached, row["windowed_layers"], row["window_tokens"]
    return Model(
        benchmark, row["label"], row["parameters_billion"], row["active_parameters_billion"], *map(float, shape)
    )


def of_size(parameters: float, active: float = 0.0, name: str = "", benchmark: str = "") -> Model:
    """Return a model of this size (billions of parameters) with the layers and KV cache of a benchmark.

    By default of the nearest: benchmarks of the same kind (dense, mixture of experts) come first, then the least
    distance sqrt(ln(N/N')^2 + ln(A/A')^2) of all and active parameters. Raises ValueError for sizes that no model has.
    """
    known = _shapes()
    active = active or parameters
    sized = Model(benchmark, name or f"{parameters:g}B", parameters, active, 1.0, 1.0)
    total, at_work = known["parameters_billion"], known["active_parameters_billion"]
    apart = np.hypot(np.log(total / parameters), np.log(at_work / active))
    order = pd.DataFrame({"other_kind": (at_work < total).ne(active < parameters), "apart": apart})
    nearest = order.sort_values(["other_kind", "apart"], kind="stable").index[0]
    return replace(of_benchmark(benchmark or nearest), name=sized.name, parameters=parameters, active=active)


@lru_cache(maxsize=1)
def _shapes() -> pd.DataFrame:
    rows = tables.benchmarks[tables.benchmarks["benchmark"].isin(timed_benchmarks())].set_index("benchmark")
    active = rows["active_parameters_billion"].fillna(rows["parameters_billion"])
    columns = ["windowed_layers", "window_tokens", "latent_size"]
    return rows.assign(active_parameters_billion=active, **{name: rows[name].fillna(0.0) for name in columns})
