"""Weights and key-value cache by hand, and groups of accelerators that hold them."""

import numpy as np
import pandas as pd
import pytest

from analysis.themes import memory
from analysis.themes.memory import Model

BENCHMARKS = pd.DataFrame(
    {
        "benchmark": ["llm", "images"],
        "parameters_billion": [70.0, np.nan],
        "layers": pd.array([80, None], dtype="Int64"),
        "kv_heads": pd.array([8, None], dtype="Int64"),
        "head_size": pd.array([128, None], dtype="Int64"),
    }
)
MODEL = Model(70e9, 327_680.0)


def test_cache_is_a_key_and_a_value_for_each_layer_and_head() -> None:
    """2 x 80 layers x 8 heads x 128 numbers x 2 bytes = 327,680 bytes a token; 70 billion weights of one byte."""
    assert memory.model(BENCHMARKS, "llm", 1.0, 2.0) == MODEL


def test_model_of_unknown_shape_is_none() -> None:
    assert memory.model(BENCHMARKS, "images", 1.0, 2.0) is None


def test_requests_held_by_hand() -> None:
    """Two of 80 GB, a tenth free: 144 - 70 = 74 GB over 0.32768 GB for 1,000 tokens is 225.8 requests."""
    assert memory.requests_held(MODEL, 2, 80.0, 0.1, 1000.0) == 225
    assert memory.requests_held(MODEL, 1, 80.0, 0.1, 1000.0) == 6
    assert memory.requests_held(MODEL, 1, 48.0, 0.1, 1000.0) == 0


@pytest.mark.parametrize(
    ("memory_gb", "headroom", "count"),
    [(80.0, 0.1, 1), (77.0, 0.1, 2), (48.0, 0.1, 2), (24.0, 0.0, 4), (0.01, 0, None)],
)
def test_fewest_that_hold_one_copy_are_a_power_of_two(memory_gb: float, headroom: float, count: int | None) -> None:
    """70 GB of weights: 72 GB of one are enough, 69.3 are not, and three of 24 GB go as four."""
    assert memory.copy_on(MODEL, memory_gb, headroom) == count


@pytest.mark.parametrize(
    ("requests", "at_least", "count"),
    [(1, 1, 1), (6, 1, 1), (7, 1, 2), (100, 1, 2), (225, 1, 2), (226, 1, 4), (100, 3, 4), (5, 3, 3), (100, 5, 6)],
)
def test_fewest_accelerators_over_all_groups(requests: int, at_least: int, count: int) -> None:
    assert memory.accelerators_for(np.array([requests]), MODEL, 80.0, 0.1, 1000.0, at_least).tolist() == [count]


def test_what_no_group_holds_is_not_known() -> None:
    assert np.isnan(memory.accelerators_for(np.array([1.0]), MODEL, 0.01, 0.1, 1000.0)).all()


def test_more_requests_or_longer_ones_never_need_fewer() -> None:
    requests = np.arange(1.0, 3000.0)
    need = memory.accelerators_for(requests, MODEL, 80.0, 0.1, 1000.0)
    assert (np.diff(need) >= 0).all()
    assert (memory.accelerators_for(requests, MODEL, 80.0, 0.1, 2000.0) >= need).all()
