"""Weights and key-value cache by hand, and groups of accelerators that hold them."""

import numpy as np
import pandas as pd
import pytest

from analysis.methods import memory
from analysis.methods.memory import Model

BENCHMARKS = pd.DataFrame(
    {
        "benchmark": ["llm", "images", "windowed", "latent", "shapeless"],
        "parameters_billion": [70.0, np.nan, 117.0, 671.0, 8.0],
        "layers": pd.array([80, None, 36, 61, None], dtype="Int64"),
        "kv_heads": pd.array([8, None, 8, None, None], dtype="Int64"),
        "head_size": pd.array([128, None, 64, None, None], dtype="Int64"),
        "latent_size": pd.array([None, None, None, 576, None], dtype="Int64"),
        "windowed_layers": pd.array([None, None, 18, None, None], dtype="Int64"),
        "window_tokens": pd.array([None, None, 128, None, None], dtype="Int64"),
    }
)
MODEL = Model(70e9, 327_680.0)


def test_cache_is_a_key_and_a_value_for_each_layer_and_head():
    """2 x 80 layers x 8 heads x 128 numbers x 2 bytes = 327,680 bytes a token; 70 billion weights of one byte."""
    assert memory.model(BENCHMARKS, "llm", 1.0, 2.0) == MODEL


@pytest.mark.parametrize("benchmark", ["images", "shapeless"])
def test_model_of_unknown_shape_is_none(benchmark):
    assert memory.model(BENCHMARKS, benchmark, 1.0, 2.0) is None


def test_layers_that_see_a_window_keep_no_more_than_it():
    """2 x 8 heads x 64 numbers x 2 bytes = 2,048 bytes a layer and token; of 36 layers 18 keep 128 tokens at most."""
    model = memory.model(BENCHMARKS, "windowed", 1.0, 2.0)
    assert model is not None
    assert model.cache_bytes(100) == 36 * 2048 * 100
    assert model.cache_bytes(np.array([128, 10_000])).tolist() == [36 * 2048 * 128, 18 * 2048 * (10_000 + 128)]
    assert memory.requests_held(model, 2, 80.0, 0.1, 10_000.0) == 27e9 // (18 * 2048 * 10_128)


def test_one_latent_vector_stands_for_keys_and_values_of_all_heads():
    """61 layers x (512 + 64) numbers x 2 bytes = 70,272 bytes a token, whatever the heads."""
    model = memory.model(BENCHMARKS, "latent", 1.0, 2.0)
    assert model == Model(671e9, 70_272.0, latent=True)
    assert model.cache_bytes(200_192) == 14_067_892_224


@pytest.mark.parametrize(
    ("weight_gb", "headroom", "count"),
    [(80.0, 0.0, 1), (80.1, 0.0, 2), (160.0, 0.0, 2), (160.1, 0.0, 4), (1.0, 0.0, 1), (72.0, 0.1, 1), (72.1, 0.1, 2),
     (405.0, 0.0, 8), (80.0 * 1024, 0.0, 1024), (80.0 * 1025, 0.0, np.nan)],
)  # fmt: skip
def test_smallest_group_that_holds_the_weights(weight_gb, headroom, count):
    """Of 80 GB each, one at a time and as arrays; 72 GB are what a tenth kept free leaves, rounding noise or not."""
    assert memory.holding(weight_gb, 80.0, headroom) == pytest.approx(count, nan_ok=True)
    found = memory.holding(np.array([weight_gb, np.nan]), 80.0, headroom)
    assert found.tolist() == pytest.approx([count, np.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("requests", "at_least", "count"),
    [(1, 1, 1), (6, 1, 1), (7, 1, 2), (100, 1, 2), (225, 1, 2), (226, 1, 4), (100, 3, 4), (5, 3, 3), (100, 5, 6)],
)
def test_fewest_accelerators_over_all_groups(requests, at_least, count):
    assert memory.accelerators_for(np.array([requests]), MODEL, 80.0, 0.1, 1000.0, at_least).tolist() == [count]


@pytest.mark.parametrize(
    ("count", "each", "requests"),
    [(1, 100.0, 6.0), (1, 5.0, 5.0), (2, 100.0, 200.0), (2, 200.0, 225.0), (3, 200.0, 225.0), (4, 200.0, 665.0)],
)
def test_most_requests_by_hand(count, each, requests):
    """One of 80 GB holds 6 beside its weights, two 225, four 665; three are a pair and one that is no pair.

    Each gives so many requests their speed: two of 100 give 200, fewer than they hold.
    """
    found = memory.requests_on(count, MODEL, 80.0, 0.1, np.array([1000.0]), np.array([each]))
    assert found.tolist() == [requests]
