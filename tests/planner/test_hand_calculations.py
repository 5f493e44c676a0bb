"""Six deployments that an expert sizes by hand: rates read from the record, traffic over rate, a derate of 0.7.

Each hand's number is users x tokens/s x 1.25 (mean peak) / 0.7 over a rate per accelerator that the comment names.
"""

import pytest

from analysis._core.parameters import AcceleratorChoice, RealWorldDerating
from analysis.planner import capacity, choice

HANDS = [
    # 1,700 tokens/s at 25 to 30 (v5.0 Interactive: 1,750): 15,000 x 1.79 / 1,700 = 16
    ("llama2-70b", "H100 SXM", 500, 30.0, {}, 16, "estimate"),
    # 6,500 tokens/s a little above Server's 17: 40,000 x 1.79 / 6,500 = 11, in groups of four that hold 671 GB: 12
    ("deepseek-r1", "B300 SXM", 2000, 20.0, {}, 12, "interpolated"),
    # 7,000 tokens/s between 11,200 at 18 and 1,640 at 147: 50,000 x 1.79 / 7,000 = 13
    ("gpt-oss-120b", "B200 SXM", 1000, 50.0, {}, 13, "interpolated"),
    # 5,100 tokens/s in Server at 42: 20,000 x 1.79 / 5,100 = 7
    ("llama3.1-8b", "H100 SXM", 1000, 20.0, {}, 7, "measured"),
    # chat of 405B: 140 tokens/s at 20,000-token prompts, four to five times that at 1,000: 4 hold the weights
    ("llama3.1-405b", "B200 SXM", 100, 10.0, {"prompt_tokens": 1000.0, "tokens_per_request": 500.0}, 4, "estimate"),
]


@pytest.mark.parametrize(("benchmark", "name", "users", "speed", "more", "hand", "evidence"), HANDS)
def test_a_plan_is_what_a_hand_computes(data, benchmark, name, users, speed, more, hand, evidence):
    """The hand's number lies in P10 to P90, or within a third of the median; nothing is refused."""
    asked = RealWorldDerating(
        benchmark=benchmark, baseline=name, users=users, tokens_per_second_per_user=speed, draws=5000, **more
    )
    planned = capacity.make(data, asked)
    assert planned.serves and planned.evidence == evidence
    low, median, high = planned.marks.set_index("output").loc["accelerators"]
    assert low <= hand <= high or hand == pytest.approx(median, rel=1 / 3)


def test_a_model_without_a_benchmark_is_ranked_for_every_accelerator_with_a_price(data):
    """A 32B model at 25 tokens/s: half of Llama 2 70B's accelerators, H100 among them.

    By hand 1,000 x 25 x 1.79 / (1,700 x 70 / 32) = 12 H100, and of B200, at 7,500 x 2.2, 3.
    """
    asked = AcceleratorChoice(benchmark="", model="Qwen3 32B", parameters_billion=32.0, draws=5000)
    ranked = choice.make(data, asked).ranked.set_index("accelerator")
    assert {"H100 SXM", "H200 SXM", "B200 SXM", "B300 SXM", "MI300X", "MI325X", "MI355X"} <= set(ranked.index)
    assert ranked["evidence"].eq("estimate").all()
    for name, hand in (("H100 SXM", 12), ("B200 SXM", 3)):
        assert ranked.at[name, "count_low"] <= hand <= ranked.at[name, "count_high"]
