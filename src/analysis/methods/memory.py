"""What must fit in memory: weights and the key-value cache of the requests in service.

Gigabytes are 1e9 bytes, as datasheets count them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis._core import interval

# Accelerators that may share one copy of the weights: powers of two, as they divide heads of attention and nodes.
GROUPS = tuple(2**power for power in range(11))
SHAPE = ["parameters_billion", "layers", "kv_heads", "head_size", "latent_size", "windowed_layers", "window_tokens"]


@dataclass(frozen=True)
class Model:
    """A model in memory: bytes of its weights, and of the cache for each token of a request.

    Layers that see a window only keep no more than its last `window_tokens`: `windowed_bytes_per_token` are theirs,
    `cache_bytes_per_token` those of the other layers. `latent` says that a token's cache is one vector, which no two
    accelerators can share out between them as they do heads.
    """

    weight_bytes: float
    cache_bytes_per_token: float
    windowed_bytes_per_token: float = 0.0
    window_tokens: float = 0.0
    latent: bool = False

    def cache_bytes(self, tokens: Any) -> Any:
        """Bytes in the cache of one request of so many tokens, prompt and answer together; a number or an array."""
        windowed = self.windowed_bytes_per_token * np.minimum(tokens, self.window_tokens)
        return self.cache_bytes_per_token * tokens + windowed


def model(benchmarks: pd.DataFrame, benchmark: str, weight_bytes: float, cache_bytes: float) -> Model | None:
    """The benchmark's model with `weight_bytes` per weight and `cache_bytes` per number of the cache.

    Numbers per token and layer: 2 (key and value) x heads that keep them x head size, or those of one latent vector
    (multi-head latent attention, DeepSeek-V2, 2024). None where the parameters or the shape are not in benchmarks.csv.
    """
    row = benchmarks.set_index("benchmark").loc[benchmark]
    shape = {name: float(value) for name, value in row[SHAPE].items() if pd.notna(value)}
    numbers = shape.get("latent_size") or 2 * shape.get("kv_heads", 0.0) * shape.get("head_size", 0.0)
    if not numbers or not {"parameters_billion", "layers"} <= shape.keys():
        return None
    bytes_per_layer, windowed = numbers * cache_bytes, shape.get("windowed_layers", 0.0)
    whole = (shape["layers"] - windowed) * bytes_per_layer
    window = shape.get("window_tokens", 0.0)
    latent = "latent_size" in shape
    return Model(shape["parameters_billion"] * 1e9 * weight_bytes, whole, windowed * bytes_per_layer, window, latent)


def holding(weight_gb: Any, memory_gb: Any, headroom: float = 0.0) -> Any:
    """The smallest group of GROUPS that holds `weight_gb` of weights, as floats.

    NaN where a size is not known, or where the largest group does not hold them. Both are in gigabytes, numbers or
    arrays of one shape; `headroom` is the share of memory kept free.
    """
    fewest = np.maximum(interval.whole(weight_gb / (memory_gb * (1 - headroom))), 1.0)
    group = np.exp2(np.ceil(np.log2(fewest)))
    return np.where(group <= GROUPS[-1], group, np.nan)[()]


def requests_held(model: Model, accelerators: int, memory_gb: float, headroom: float, context_tokens: Any) -> Any:
    """Whole requests whose cache fits beside one copy of the weights on `accelerators`; 0 where the weights do not.

    `headroom` is the share of memory kept free, `context_tokens` the tokens in the cache of one request. The cache of a
    request is there once: its heads shared out, or whole on one accelerator (data-parallel attention). Tensor
    parallelism over more accelerators than heads keeps copies, and of a latent vector one on each: fewer requests fit.
    """
    return _held(model, accelerators, memory_gb, headroom, model.cache_bytes(np.asarray(context_tokens, float)))


def _held(model: Model, accelerators: int, memory_gb: float, headroom: float, cache_bytes: Any) -> Any:
    """`requests_held` by the bytes in the cache of one request, which are the same on any number of accelerators."""
    room = accelerators * memory_gb * 1e9 * (1 - headroom) - model.weight_bytes
    return np.maximum(np.floor(room / cache_bytes), 0.0)


def accelerators_for(
    requests: Any,
    model: Model,
    memory_gb: float,
    headroom: float,
    context_tokens: Any,
    at_least: Any = 1.0,
    smallest: float = 1,
) -> Any:
    """The fewest accelerators that hold `requests` at the same time, and are no fewer than `at_least`.

    A group of accelerators holds one copy of the weights; only whole groups serve. Larger groups keep fewer copies and
    have more room for the cache, so every size of GROUPS from `smallest` is tried. NaN where even the largest holds no
    request.
    """
    best = np.full(np.broadcast(requests, context_tokens).shape, np.inf)
    cache_bytes = model.cache_bytes(np.asarray(context_tokens, float))
    for group in (group for group in GROUPS if group >= smallest):
        if best.size and group > best.max():
            break  # a larger group alone is more than what is enough
        fitting = _held(model, group, memory_gb, headroom, cache_bytes)
        groups = interval.whole(np.maximum(requests / np.where(fitting > 0, fitting, 1.0), np.divide(at_least, group)))
        best = np.minimum(best, np.where(fitting > 0, group * groups, np.inf))
    return np.where(np.isinf(best), np.nan, best)


def requests_on(
    accelerators: float,
    model: Model,
    memory_gb: float,
    headroom: float,
    context_tokens: Any,
    each_serves: Any,
    smallest: float = 1,
) -> Any:
    """The most requests that `accelerators` serve at the same time: `accelerators_for` turned round.

    `each_serves` is how many one accelerator gives its speed to. 0 where no whole group of GROUPS, from the
    `smallest`, fits or holds a request.
    """
    most = np.zeros(np.broadcast(context_tokens, each_serves).shape)
    for group in (group for group in GROUPS if group >= smallest):
        copies = accelerators // group
        fitting = requests_held(model, group, memory_gb, headroom, context_tokens)
        most = np.maximum(most, np.where(fitting > 0, copies * np.minimum(fitting, group * each_serves), 0.0))
    return most
