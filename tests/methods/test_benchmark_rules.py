"""What rules limit, what speed that promises, and how fast users are known to have been served."""

import numpy as np
import pandas as pd
import pytest

from analysis._core.vocabulary import LIMITED
from analysis.methods import benchmark_rules

BY_ROUND = pd.DataFrame(
    [("llm", "Server", 200.0, "v4.1;v5.1"), ("llm", "Server", 100.0, "v6.0"), ("llm", "Interactive", 40.0, "v5.1")],
    columns=["benchmark", "scenario", "high", "rounds"],
).assign(quantity="tpot_p99_limit", confidence="high")


def test_a_row_without_a_round_has_the_limit_of_the_rounds_asked_for(results):
    rows = results({"benchmark": "llm", "scenario": "Server", "round": ""})
    assert benchmark_rules.interactivity_bounds(rows, BY_ROUND, ["v6.0"])["speed"].tolist() == [10.0]


LIMITS = pd.DataFrame(
    [("tpot_p99_limit", "llm", "Server", 200.0, "v4.1;v5.0", "high"),
     ("tpot_p99_limit", "llm", "Server", 250.0, "v4.1", "high"),
     ("tpot_p99_limit", "llm", "Server", 100.0, "v6.0", "medium"),
     ("tpot_p99_limit", "llm", "Server", 10.0, "v4.1", "low"),
     ("ttft_p99_limit", "llm", "Server", 20.0, "", "high"),
     ("tpot_p99_limit", "llm", "Interactive", 40.0, "v5.0;v5.1", "high")],
    columns=["quantity", "benchmark", "scenario", "high", "rounds", "confidence"],
)  # fmt: skip


@pytest.mark.parametrize(
    ("scenario", "rounds", "speed"),
    [
        ("Server", (), 10.0),
        ("Server", ("v4.1",), 5.0),
        ("Server", ["v6.0"], 10.0),
        ("Server", ("v5.0", "v6.0"), 10.0),
        ("Server", ("v3.1",), None),
        ("Interactive", (), 25.0),
        ("Interactive", ("v4.1",), None),  # the scenario is younger
    ],
)
def test_guaranteed_speed_is_the_inverse_of_the_tightest_limit_of_the_rounds(scenario, rounds, speed):
    assert benchmark_rules.guaranteed_speed(LIMITS, "llm", scenario, rounds) == speed


def test_a_limit_of_no_round_holds_in_all():
    assert benchmark_rules.limit_ms(LIMITS, "llm", "Server", "ttft_p99_limit", ("v2.0",)) == 20.0


@pytest.mark.parametrize(
    ("benchmark", "scenario", "rounds", "ttft", "tpot"),
    [
        ("llama2-70b", "Server", ("v4.1",), 2000.0, 200.0),
        ("llama2-70b", "Interactive", ("v5.1",), 450.0, 40.0),
        ("llama3.1-405b", "Interactive", ("v5.1",), 4500.0, 80.0),
        ("deepseek-r1", "Server", ("v6.0",), 2000.0, 80.0),
        ("gpt-oss-120b", "Interactive", ("v6.0",), 2000.0, 15.0),
    ],
)
def test_the_limits_of_the_rules(data, benchmark, scenario, rounds, ttft, tpot):
    limits = [benchmark_rules.limit_ms(data.benchmark_limits, benchmark, scenario, f"{name}_p99_limit", rounds)
              for name in ("ttft", "tpot")]  # fmt: skip
    assert limits == [ttft, tpot]


def test_language_models_are_those_with_a_limit_on_each_token(data):
    found = benchmark_rules.language_models(data.benchmark_limits)
    expected = {"llama2-70b", "mixtral-8x7b", "llama3.1-405b", "llama3.1-8b", "deepseek-r1", "gpt-oss-120b"}
    assert set(found) == expected and len(found) == len(expected)
    assert benchmark_rules.language_models(LIMITS) == ["llm"]


def test_the_longest_prompt_is_that_of_the_rounds(data):
    longest, newer = (benchmark_rules.longest_prompts(data.benchmark_limits, rounds) for rounds in ((), ["v6.0"]))
    assert (longest["gptj"], longest["llama3.1-405b"]) == (2048.0, 20_000.0)
    assert "resnet50" not in longest and "gptj" not in newer


def test_the_limits_of_the_record_agree_with_one_another(data):
    """A first token waits for a whole prompt, Interactive is the tighter scenario, and a prompt fits into the model."""
    limits, contexts = data.benchmark_limits, data.benchmarks.set_index("benchmark")["max_context_tokens"]
    limit = {name: benchmark_rules.limits_ms(limits, name) for name in (benchmark_rules.TTFT, benchmark_rules.TPOT)}
    compared, longest = 0, benchmark_rules.longest_prompts(limits)
    for name in benchmark_rules.language_models(limits):
        assert longest[name] < contexts[name]
        for round in data.rounds["round"]:
            first, each = ([of(name, scenario, [round]) for scenario in LIMITED] for of in limit.values())
            assert all(ttft > tpot for ttft, tpot in zip(first, each, strict=True) if ttft == ttft)
            assert np.isnan(first).tolist() == np.isnan(each).tolist()
            if not np.isnan(first + each).any():
                compared += 1
                assert first[1] < first[0] and each[1] < each[0]
    assert compared > 10
