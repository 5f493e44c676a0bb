"""Numbers that a user gives have bounds, which the error of a wrong one names."""

import re

import numpy as np
import pandas as pd
import pytest

from analysis import budget, bursts, cost, long_prompts, official_record, power, quantization
from analysis.planner import capacity, choice, curve, models

FRAME = pd.DataFrame()


def of_purchase(name):
    return lambda wrong: cost.purchase(2.0, 1.0, **{name: wrong})


def of_demand(name):
    return lambda wrong: capacity.Demand("gpt-oss-120b", **{name: wrong})


def of_ranking(name):
    return lambda wrong: choice.ranking(capacity.Demand("gpt-oss-120b"), **{name: wrong})


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (of_purchase("years"), "years 0.5 to 50"),
        (of_purchase("capital"), "capital 0 to 1"),
        (of_purchase("maintenance"), "maintenance 0 to 1"),
        (of_purchase("extras"), "extras 0 to 10"),
        (of_purchase("hosting"), "hosting 0 to 10,000"),
        (of_purchase("usd_per_kilowatt_hour"), "usd_per_kilowatt_hour 0.001 to 10"),
        (lambda wrong: budget.plans(FRAME, FRAME, [wrong], 1e6, 4), "tokens_per_user 0.1 to 10,000"),
        (lambda wrong: budget.bought(FRAME, {}, wrong, 4), "usd 1 to 1e+13"),
        (lambda wrong: budget.bought(FRAME, {}, 1e6, wrong), "years 0.01 to 50"),
        (lambda wrong: budget.bought(FRAME, {}, 1e6, 4, wrong), "kilowatts_available 0 to 1,000,000,000"),
        (lambda wrong: power.per_megawatt(FRAME, FRAME, wrong), "pue 1 to 3"),
        (lambda wrong: long_prompts.kept(1024, 1024, wrong), "prompt_reuse 0 to 1"),
        (lambda wrong: quantization.at_equal_speed(wrong), "interactivity 0.1 to 100,000"),
        (lambda wrong: quantization.memory("llama2-70b", [80, wrong]), "memory in GB 1 to 100,000"),
        (lambda wrong: quantization.memory("llama2-70b", [80], used=wrong), "memory used 0.01 to 1"),
        (lambda wrong: official_record.recomputed_by_round(FRAME, wrong), "tolerance 0 to 1"),
        (lambda wrong: models.of_size(wrong), "parameters (billions) 0.01 to 100,000"),
        (lambda wrong: models.of_size(70, wrong), "active parameters (billions) 0.001 to 70"),
        (lambda wrong: curve.workload("gpt-oss-120b", prompt_reuse=wrong), "prompt_reuse 0 to 1"),
        (lambda wrong: bursts.utilization(np.array([0.0, 1.0]), np.array([wrong]), 1.0),
         "requests in service at a time 0 to 10,000,000"),
        (of_ranking("usd_per_hour"), "usd_per_hour 0 to 1e+12"),
        (of_ranking("kilowatts"), "kilowatts 0 to 1e+12"),
        (of_demand("users"), "users 1 to 100,000,000"),
        (of_demand("tokens_per_user"), "tokens_per_user 0.1 to 10,000"),
        (of_demand("prompt_tokens"), "prompt_tokens 1 to 10,000,000"),
        (of_demand("answer_tokens"), "answer_tokens 1 to 10,000,000"),
        (of_demand("context_tokens"), "context_tokens 1 to 100,000,000"),
        (of_demand("ttft_ms"), "ttft_ms 1 to 10,000,000"),
        (of_demand("delivered_share"), "delivered_share 0.01 to 1.5"),
        (of_demand("prompt_reuse"), "prompt_reuse 0 to 1"),
        (of_demand("seed"), "seed 0 to 4,294,967,295"),
    ],
)  # fmt: skip
def test_a_number_that_cannot_be_is_refused_with_its_bounds(asked, words):
    name, least, most = re.fullmatch(r"(.+) (\S+) to (\S+)", words).groups()
    with pytest.raises(ValueError, match=re.escape(f"{name} is nan; expected a number from {least} to {most}") + "$"):
        asked(float("nan"))
