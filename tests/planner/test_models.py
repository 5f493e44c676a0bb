"""What is served: KV caches, attention, and lengths of requests by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, tables
from analysis.planner import curve, models
from analysis.planner.capacity import Demand
from analysis.results import timed_benchmarks


def requests(prompts, answers):
    return pd.DataFrame({"prompt_tokens": prompts, "answer_tokens": answers}, dtype=float)


def test_windows_cache_and_attend_to_the_last_tokens_only():
    """GPT-OSS: 18 of 36 layers see 128 tokens. 18 x 1,024 x (10,000 + 128) numbers of a byte, two in 16 bits.

    Attention: 4 x 64 x 64 x (18 x 5e7 + 18 x 1.28e6) beside 2 x 5.1e9 x 10,000.
    """
    model = models.of_benchmark("gpt-oss-120b")
    assert model.cache_gb(10_000.0) == pytest.approx(18 * 1024 * 10_128 / 1e9)
    assert model.cache_gb(100.0) == pytest.approx(36 * 1024 * 100 / 1e9)
    assert model.prompt_operations(10_000.0) - 1.02e14 == pytest.approx(4 * 4096 * 18 * (5e7 + 1.28e6))
    assert model.weight_gb("fp4") == 117 * 4.5 / 8 and model.is_mixture


def test_attention_of_long_prompts_by_hand():
    """8B: 4 x 4,096 x 32 layers x half of 243,000 squared over 2 x 8e9 x 243,000 is 3.98."""
    model = models.of_benchmark("llama3.1-8b")
    assert model.prompt_operations(243_000) / (16e9 * 243_000) - 1 == pytest.approx(3.98, rel=1e-3)
    assert model.prompt_operations(100.0, 90_000.0) - 16e11 == pytest.approx(4 * 4096 * 32 * 45_000)
    assert not model.is_mixture


def test_lengths_in_service_weigh_long_answers_more():
    """Answers of 100 and 300 tokens: in service a quarter and three quarters, of prompts of 10 and 50."""
    assert models.lengths(requests([10, 10, 40], [1, 1, 4])).prompt == 20
    found = models.lengths(requests([10, 50], [100, 300]))
    assert (found.prompt, found.answer, found.long_prompt, found.squared) == (30, 200, 50, 1300)
    assert (found.context, found.whole) == (40 + 250 / 2, 40 + 250)
    scaled = models.lengths(requests([10, 50], [100, 300]), 60.0, 20.0)
    assert (scaled.prompt, scaled.answer, scaled.long_prompt, scaled.whole) == (60, 20, 100, 80 + 25)
    assert models.lengths(requests([10, 50], [100, 300]), 1.0, 1.0).whole == pytest.approx(40 / 30 + 250 / 200)


@pytest.mark.parametrize(
    ("prompts", "mean", "capped"),
    [
        ([1, 3], 3.5, [3, 4]),  # at most 4 beside an answer of 1
        ([1, 3], 2.2, [1.1, 3.3]),  # none is capped
        ([1, 3, 4], 3.5, [2.5, 4, 4]),  # the longest is capped, then the middle one
        ([1, 3], 4.0, [4, 4]),  # no room for a spread
        ([1, 3, 8], 2.0, [0.5, 1.5, 4]),  # the longest just fits
        ([1, 3, 8], 1.0, [0.25, 0.75, 2]),  # scaled by their mean of 4
    ],
)
def test_what_a_capped_prompt_loses_goes_to_the_others_until_all_fit(prompts, mean, capped):
    found = models.lengths(requests(prompts, 1.0), mean, 1.0, 5.0)
    assert found.long_prompt == pytest.approx(max(capped))
    assert found.squared == pytest.approx(np.mean(np.square(capped)))


def test_prompts_beyond_the_context_are_refused():
    with pytest.raises(ValueError, match=r"127,000 prompt and 1,000 answer tokens exceed .* 4,096"):
        curve.workload("llama2-70b", prompt_tokens=127_000, answer_tokens=1_000)
    with pytest.raises(ValueError, match="exceed the context of 131,072"):
        curve.workload(parameters=8.0, prompt_tokens=10_000_000)
    asked = curve.workload("llama2-70b", prompt_tokens=127_000, answer_tokens=1_000, context_tokens=131_072)
    assert asked.lengths.long_prompt <= 131_072 and asked.lengths.prompt == 127_000


def test_own_requests_come_from_a_file(tmp_path):
    file = tmp_path / "requests.csv"
    wrong = {
        "100,1\n300,0.5\n": "row 3, answer_tokens: '0.5' is not a number from 1 to 1e.07", "": "no request",
        "100,1\n5000,1\n": "5,001 tokens exceeds", "100\n": "column 'answer_tokens'|row 2",
    }  # fmt: skip
    for rows, words in wrong.items():
        file.write_text("prompt_tokens,answer_tokens\n" + rows)
        with pytest.raises(ValueError, match=words):
            Demand(benchmark="llama2-70b", lengths=str(file)).workload  # noqa: B018
    file.write_text("prompt_tokens,answer_tokens\n100,1\n300,1\n")
    found = curve.workload("llama2-70b", lengths=str(file)).lengths
    assert (found.prompt, found.answer) == (200.0, 1.0)


def test_requests_of_a_benchmark_have_its_means(monkeypatch):
    """Llama 2 70B: 222.3 tokens in, (274 + 300.5) / 2 out; of GPT-OSS all answers are unknown, so all are the mean."""
    llama, oss = models.requests_of("llama2-70b"), models.requests_of("gpt-oss-120b")
    assert llama.mean().tolist() == pytest.approx([222.3, 287.25]) and llama["answer_tokens"].nunique() > 100
    assert oss.mean().tolist() == pytest.approx([5011, (1306.9 + 1379) / 2]) and oss["answer_tokens"].nunique() == 1
    assert models.lengths_of("llama2-70b").long_prompt <= 4096
    monkeypatch.setattr(tables, "request_lengths", tables.request_lengths.iloc[:0])
    assert models.requests_of.__wrapped__("llama2-70b").to_numpy().tolist() == [[222.3, 287.25]]


def test_a_size_lies_between_the_benchmarks_next_to_it():
    """Layers by active parameters: 70B has 80, 405B 126; half-way in the logarithm the geometric mean.

    The width of attention falls after DeepSeek-R1 (37B active, 20,480) to 8,192 and 16,384: half-way to each.
    """
    between = models.of_size(math.sqrt(70 * 405))
    assert between.layers == pytest.approx(math.sqrt(80 * 126))
    assert between.attended == pytest.approx((20480**2 * 8192 * 16384) ** 0.25)
    assert (between.cached, between.context, between.benchmark) == (2048, 131_072, "llama2-70b")
    assert between.cache_gb(1000) == pytest.approx(between.layers * 2048 * 1000 / 1e9)  # without windows
    assert models.of_size(2000).layers == 126 and models.of_size(1000, 40, "K").name == "K"
    own = models.of_size(30.0, benchmark="mixtral-8x7b")
    assert (own.layers, own.parameters, own.active, own.name) == (32, 30, 30, "30B")


@pytest.mark.parametrize(
    ("parameters", "active", "words"),
    [
        (0.009, 0.0, "^parameters .* from 0.01 to 100,000$"),
        (1.0, 0.0009, "^active parameters .* from 0.001 to 1$"),
    ],
)
def test_sizes_that_no_model_has_are_refused(parameters, active, words):
    with pytest.raises(ValueError, match=words):
        models.of_size(parameters, active)


def test_a_rising_line_goes_half_way_where_its_points_fall():
    line = models.rising(np.array([0.0, 1.0, 1.5, 3.0, 9.0]), [3.0, 1.0, 2.0], [4.0, 3.0, 1.0])
    assert line.tolist() == [2.0, 2.0, 2.0, 4.0, 4.0]


def test_models_come_by_benchmark_name_or_size():
    assert curve.workload(name="Llama 2 70B").model.benchmark == "llama2-70b"
    assert curve.workload(parameters=30.0).grounds == tuple(timed_benchmarks())
    assert curve.workload("Mixtral 8x7B", parameters=30.0).grounds == ("mixtral-8x7b",)
    with pytest.raises(NoData, match=r"ResNet-50 has no limit on the time per token; .*: Llama 2 70B"):
        curve.workload("resnet50")
    with pytest.raises(ValueError, match="no benchmark 'resnet51': did you mean 'ResNet-50'"):
        curve.workload("resnet51")
    with pytest.raises(ValueError, match="language model with limits"):
        models.of_benchmark("resnet50")
