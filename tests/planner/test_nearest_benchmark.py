"""The nearest benchmark: distances as a hand computes them, names that need none, and models that cannot be."""

import math

import pandas as pd
import pytest

from analysis.planner import nearest_benchmark
from analysis.planner.nearest_benchmark import Shape

NAN = float("nan")
SMALL, LARGE, MIXED = Shape(8.0, 8.0, 2000.0), Shape(400.0, 400.0, 20000.0), Shape(50.0, 10.0, 2000.0)
KNOWN = {"small": SMALL, "large": LARGE, "mixed": MIXED}
LABELS = pd.DataFrame({"benchmark": list(KNOWN), "label": ["Small 8B", "Large 400B", "Mixed 50B"]})


def test_a_model_is_no_way_from_itself_and_as_far_from_another_as_that_from_it():
    assert nearest_benchmark.distance(SMALL, SMALL) == 0
    assert nearest_benchmark.distance(SMALL, LARGE) == pytest.approx(
        nearest_benchmark.distance(LARGE, SMALL), rel=1e-12
    )


def test_the_distance_is_that_of_the_formula():
    """Twice the parameters, both of them: sqrt(2) ln 2; four times the prompt alone: half of ln 4 = ln 2."""
    assert nearest_benchmark.distance(Shape(16.0, 16.0, 2000.0), SMALL) == pytest.approx(math.sqrt(2) * math.log(2))
    assert nearest_benchmark.distance(Shape(8.0, 8.0, 8000.0), SMALL) == pytest.approx(math.log(2))
    assert nearest_benchmark.distance(Shape(8.0, 8.0), SMALL) == 0


def test_another_kind_counts_as_a_factor_of_two():
    """Of 50 in all and 50 active against 10 active: ln 5 for the active ones and ln 2 for the kind."""
    dense = Shape(50.0, 50.0, 2000.0)
    assert nearest_benchmark.distance(dense, MIXED) == pytest.approx(math.hypot(math.log(5), math.log(2)))


def test_the_nearest_comes_first_with_how_many_times_it_the_model_is():
    found = nearest_benchmark.ranked(LABELS, KNOWN, Shape(40.0, 10.0, 4000.0))
    assert found["benchmark"].tolist() == ["mixed", "small", "large"]
    first = found.iloc[0]
    assert first[["parameters_times", "active_times", "prompt_times"]].tolist() == [0.8, 1.0, 2.0]
    assert found["same_kind"].tolist() == [True, False, False]
    assert nearest_benchmark.ranked(LABELS, KNOWN, MIXED, ["large", "small"])["label"].tolist() == [
        "Small 8B",
        "Large 400B",
    ]
    assert nearest_benchmark.ranked(LABELS, {}, MIXED).empty
    last = nearest_benchmark.ranked(LABELS, {"small": SMALL}, MIXED, unknown=["large"])
    assert last["label"].tolist() == ["Small 8B", "Large 400B"] and last["distance"].isna().tolist() == [False, True]


@pytest.mark.parametrize(("total", "active"), [(0.0, 0.0), (-1.0, -1.0), (8.0, 0.0), (8.0, 9.0), (NAN, NAN)])
def test_a_model_that_cannot_be_is_refused(total, active):
    with pytest.raises(ValueError, match="the active ones at most all"):
        Shape(total, active)


def test_shapes_are_those_of_text_under_a_limit(data):
    known = nearest_benchmark.shapes(data.benchmarks)
    assert {"llama2-70b", "llama3.1-405b", "gpt-oss-120b", "mixtral-8x7b", "llama3.1-8b"} <= set(known)
    assert not {"llama3.1-8b-edge", "whisper", "bert", "qwen3-vl-235b-a22b"} & set(known)
    assert known["deepseek-r1"] == Shape(671.0, 37.0, 803.8) and nearest_benchmark.unmeasured(data.benchmarks) == []
    assert known["gpt-oss-120b"] == Shape(117.0, 5.1, 5011.0) and known["llama2-70b"] == Shape(70.0, 70.0, 222.3)


@pytest.mark.parametrize(
    ("shape", "benchmark"),
    [
        (Shape(70.0, 70.0), "llama2-70b"),
        (Shape(32.0, 32.0), "llama2-70b"),
        (Shape(120.0, 5.1), "gpt-oss-120b"),
        (Shape(47.0, 13.0), "mixtral-8x7b"),
        (Shape(7.5, 7.5, 900.0), "llama3.1-8b"),
        (Shape(500.0, 500.0), "llama3.1-405b"),
        (Shape(671.0, 37.0), "deepseek-r1"),
        (Shape(1000.0, 32.0), "deepseek-r1"),
    ],
)
def test_models_that_people_serve_have_the_neighbors_that_one_expects(data, shape, benchmark):
    known = nearest_benchmark.shapes(data.benchmarks)
    assert nearest_benchmark.ranked(data.benchmarks, known, shape)["benchmark"].iloc[0] == benchmark
