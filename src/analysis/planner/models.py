"""Describe what is served: a language model's weights and KV cache, and the lengths of its requests."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.results import timed_benchmarks

MOST_TOKENS = 10_000_000  # of a prompt or an answer
CHAT = "llama2-70b"  # the benchmark whose requests and limits are used for a model without a benchmark
TOKENS = ["prompt_tokens", "answer_tokens"]  # of a request


@dataclass(frozen=True)
class Model:
    """A language model: billions of parameters, those active for a token, layers, and numbers cached for a token.

    Layers with a sliding window cache and attend to the last `window_tokens` only. `cached` counts the numbers of one
    layer and token: 2 x KV heads x head size, or the size of the latent vector. `attended` is query heads x head size,
    `context` the most tokens of a prompt and its answer. Raises ValueError for sizes that no model has.
    """

    benchmark: str
    name: str
    parameters: float
    active: float
    layers: float
    cached: float
    windowed_layers: float
    window_tokens: float
    attended: float
    context: float = field(default=math.inf, compare=False)  # limits requests only: the same model runs as fast

    def __post_init__(self) -> None:
        names.bounded(self.parameters, "parameters (billions)", 0.01, 100_000)
        names.bounded(self.active, "active parameters (billions)", 0.001, self.parameters)

    @property
    def is_mixture(self) -> bool:
        """Whether some of its parameters are active for a token, as in a mixture of experts."""
        return self.active < self.parameters

    def weight_gb(self, precision: str) -> float:
        """Return the gigabytes (1e9 bytes) of the weights."""
        return self.parameters * tables.WEIGHT_BYTES[precision]

    def cache_gb(self, tokens: float) -> float:
        """Return the gigabytes (1e9 bytes) that a request with so many tokens has in the KV cache, in FP8."""
        whole = (self.layers - self.windowed_layers) * tokens
        windowed = self.windowed_layers * min(tokens, self.window_tokens)
        return (whole + windowed) * self.cached / 1e9  # a byte for each number

    def prompt_operations(self, tokens: float, squared: float = 0.0) -> float:
        """Return the operations that reading a prompt takes: 2 x active parameters x tokens, and attention.

        Attention multiplies each token with those before it (half of tokens squared), or those of its window: 4 x query
        heads x head size for each pair and layer. For a mean over prompts `squared` is the mean of tokens squared.
        """
        pairs = (squared or tokens**2) / 2
        windowed = min(tokens * self.window_tokens, pairs)
        attention = (self.layers - self.windowed_layers) * pairs + self.windowed_layers * windowed
        return 2e9 * self.active * tokens + 4 * self.attended * attention


@dataclass(frozen=True)
class Lengths:
    """Mean tokens of requests: `prompt` and `answer` of those that arrive, the others of those in service.

    Long answers weigh more in service: `context` is what such a request has cached half-way through its answer, `whole`
    at its end. `long_prompt` is the P99 prompt, `squared` the mean square of prompts.
    """

    prompt: float
    answer: float
    context: float
    whole: float
    long_prompt: float
    squared: float


def lengths(requests: pd.DataFrame, prompt: float = 0.0, answer: float = 0.0, most: float = math.inf) -> Lengths:
    """Return the lengths of `requests` (prompt_tokens, answer_tokens), scaled to these means where they are given.

    Prompts are capped so that the mean answer still fits in a context of `most` tokens, and answers so that the mean
    prompt does. Raises ValueError for means beyond the context.
    """
    tokens = requests[TOKENS].astype(float)
    mean = tokens.mean().mask([prompt > 0, answer > 0], [prompt, answer])
    if mean.sum() > most:
        both = f"{mean['prompt_tokens']:,.0f} prompt and {mean['answer_tokens']:,.0f} answer tokens"
        raise ValueError(f"prompt_tokens, answer_tokens: {both} exceed the context of {most:,.0f} tokens; "
                         "set context_tokens to change it")  # fmt: skip
    tokens = tokens * (mean / tokens.mean())
    longest = most - mean[::-1].set_axis(TOKENS)  # of a prompt with the mean answer, and the reverse
    while tokens.gt(longest).any(axis=None):  # the others are scaled up until the mean is met
        below = tokens.mask(tokens.ge(longest))
        left = mean * len(tokens) - longest * below.isna().sum()
        tokens = (below * (left / below.sum())).fillna(longest)
    prompt_served, answer_served = np.average(tokens, axis=0, weights=tokens["answer_tokens"])
    long_prompt = np.quantile(tokens["prompt_tokens"], 0.99, method="higher")
    in_service = prompt_served + answer_served / 2, prompt_served + answer_served
    squared = tokens["prompt_tokens"].pow(2).mean()
    return Lengths(*map(float, (*mean, *in_service, long_prompt, squared)))


@cache  # a data set of thousands of requests; cleared by tables.forget
def lengths_of(benchmark: str) -> Lengths:
    """Return the lengths of a benchmark's own requests."""
    return lengths(requests_of(benchmark), most=of_benchmark(benchmark).context)


@tables.cached  # a data set of thousands of requests
def requests_of(benchmark: str) -> pd.DataFrame:
    """Return the requests of a benchmark's data set, answers scaled to the mean that models generate.

    Where the data set or its answers are unknown, requests have the benchmark's means.
    """
    facts = tables.benchmarks.set_index("benchmark").loc[benchmark]
    answer = (facts["tokens_per_sample_low"] + facts["tokens_per_sample_high"]) / 2
    rows = tables.request_lengths
    rows = rows.loc[rows["benchmark"].eq(benchmark), TOKENS].astype(float)
    rows = rows.dropna(axis=1, how="all").dropna()
    shares = rows / rows.mean() if len(rows) else pd.DataFrame(index=["mean"])
    return shares.reindex(columns=TOKENS, fill_value=1.0) * [facts["prompt_tokens"], answer]


def read_requests(path: str | Path) -> pd.DataFrame:
    """Return the requests of a CSV file with the columns prompt_tokens and answer_tokens, one row each.

    Raises ValueError with file, row, and column for what is not a number of tokens.
    """
    frame = tables.read_own(path, TOKENS)
    if frame.empty:
        raise ValueError(f"{path}: no requests; expected one row per request")
    return tables.numbers(frame, TOKENS, 1, MOST_TOKENS, str(path))


@cache  # called for each plan; cleared by tables.forget
def of_benchmark(benchmark: str) -> Model:
    """Return the model of a benchmark. Raises ValueError where its size or the shape of its KV cache is unknown."""
    known = _shapes()
    benchmark = benchmark if benchmark in known.index else names.benchmark(benchmark)
    names.choose(benchmark, known.index, "language model with limits on the time per token,")
    label, *shape = known.loc[benchmark]
    return Model(benchmark, label, *map(float, shape))


def of_size(parameters: float, active: float = 0.0, name: str = "", benchmark: str = "") -> Model:
    """Return a model of this size (billions of parameters), with layers and KV cache of a benchmark if one is given.

    Otherwise its requests and limits are those of CHAT. Layers and width of attention are interpolated between the
    benchmarks next smaller and next larger in active parameters and never decrease; KV cache, windows, and context are
    the most common. Raises ValueError for sizes that no model has.
    """
    active = active or parameters
    sized = {"name": name or f"{parameters:g}B", "parameters": parameters, "active": active}
    if benchmark:
        return replace(of_benchmark(benchmark), **sized)
    known = _shapes()
    work = np.log(known["active"])
    shape = {each: float(np.exp(rising(np.log(active), work, np.log(known[each])))) for each in ("layers", "attended")}
    usual = known[["cached", "windowed_layers", "window_tokens", "context"]].mode().iloc[0].to_dict()
    return Model(CHAT, **sized, **shape, **usual)


def rising(at: np.ndarray | float, x: pd.Series | np.ndarray, y: pd.Series | np.ndarray) -> np.ndarray:
    """Return a line through points (x, y) that never falls, evaluated at `at`; constant beyond the first and last.

    Where y falls, the line goes half-way between the highest before and the lowest after.
    """
    points = pd.DataFrame({"x": np.asarray(x), "y": np.asarray(y)}).sort_values("x", kind="stable")
    level = (points["y"].cummax() + points["y"][::-1].cummin()[::-1]) / 2
    return np.interp(at, points["x"], level)


@cache  # called for each model; cleared by tables.forget
def _shapes() -> pd.DataFrame:
    """Return the models of benchmarks with limits on the time per token: the fields of Model from its name on."""
    rows = tables.benchmarks[tables.benchmarks["benchmark"].isin(timed_benchmarks())].set_index("benchmark")
    windows = rows[["windowed_layers", "window_tokens"]].fillna(0.0)
    return pd.DataFrame({
        "label": rows["label"],
        "parameters": rows["parameters_billion"],
        "active": rows["active_parameters_billion"].fillna(rows["parameters_billion"]),
        "layers": rows["layers"],
        "cached": rows["latent_size"].fillna(2 * rows["kv_heads"] * rows["head_size"]),
        **windows,
        "attended": rows["attention_width"],
        "context": rows["max_context_tokens"].fillna(math.inf),
    })  # fmt: skip
