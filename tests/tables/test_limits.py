"""The limits and accuracies that documents print against the rules of the same round."""

import pandas as pd
import pytest

from analysis._core import interval
from analysis._core.cell_lists import cell_values
from analysis._core.vocabulary import LIMITED
from analysis.methods import benchmark_rules

RULES = "mlcommons-rules"
KEY = ["benchmark", "scenario", "quantity", "metric"]


def beside_rules(limits):
    """Each printed limit beside each rule on the same quantity of a round that both name."""
    limits = limits.assign(metric=limits["metric"].str.replace("the FP32 reference", "the reference", regex=False))
    printed, rules = (limits[limits["source_id"].eq(RULES) == own] for own in (False, True))
    both = printed.merge(rules, on=KEY, suffixes=("", "_rule"))
    rounds = [both[name].map(cell_values).map(set) for name in ("rounds", "rounds_rule")]
    return both[[bool(one & other) for one, other in zip(*rounds, strict=True)]]


def holds(row):
    """Whether a rule lies within what the printed number stands for; a range is printed in full."""
    ends = row["low_rule"], row["high_rule"]
    if row["quantity"] == "accuracy_range":
        return ends == (row["low"], row["high"])
    scale = row["high"] / interval.from_printed(row["printed"], "exact").high
    rounded = interval.from_printed(row["printed"], "rounded") * scale
    return rounded.low <= ends[0] and ends[1] <= rounded.high


def test_each_printed_limit_is_a_rule_of_its_round_but_one_target(data):
    """A printed number may round one of several rules: 0.863 of 3D-UNET is 0.8633 of the text, not 0.8617.

    Mixtral has one target, of 99 %: the 99.9 % that a document prints beside it stands in no round, and says so.
    """
    both = beside_rules(data.benchmark_limits)
    sizes = both[both["quantity"].ne("input_side")]
    fits = pd.Series([holds(row) for row in sizes.to_dict("records")], index=sizes.index)
    borne_out = fits.groupby(sizes["id"]).any()
    assert len(borne_out) > 30
    assert borne_out[~borne_out].index.tolist() == ["doc001-mixtral-8x7b-target-99.9"]
    assert set(both.loc[both["id"].isin(borne_out[~borne_out].index), "confidence"]) == {"low"}


@pytest.mark.parametrize(("printed", "rule", "fits"), [("2000", 2000.0, True), ("2000", 2001.0, False)])
def test_a_limit_that_is_no_rule_is_found(printed, rule, fits):
    row = {"quantity": "ttft_p99_limit", "printed": printed, "low": 2000.0, "high": 2000.0}
    assert holds(row | {"low_rule": rule, "high_rule": rule}) is fits


# Milliseconds to the first token and for each further one, or for the whole answer, as logs of v6.1 state them
# (ttft_latency, tpot_latency, target_latency of mlperf_log_summary.txt); of Qwen3-VL as the rules do.
V61 = {
    ("llama2-70b", "Server"): (2000, 200), ("llama2-70b", "Interactive"): (450, 40),
    ("llama3.1-8b", "Server"): (2000, 100), ("llama3.1-8b", "Interactive"): (500, 30),
    ("deepseek-r1", "Server"): (2000, 80), ("deepseek-r1", "Interactive"): (1500, 15),
    ("gpt-oss-120b", "Server"): (3000, 80), ("gpt-oss-120b", "Interactive"): (2000, 15),
    ("qwen3-vl-235b-a22b", "Server"): (12000,), ("qwen3-vl-235b-a22b", "Interactive"): (1500,),
    ("dlrm-v3", "Server"): (80,),
}  # fmt: skip


def test_the_latency_limits_of_each_v6_1_benchmark_that_was_run(data):
    limits, rows = data.benchmark_limits, data.results
    ran = rows[rows["round"].eq("v6.1") & rows["scenario"].isin(LIMITED)]
    assert set(zip(ran["benchmark"], ran["scenario"], strict=True)) == set(V61)
    for (benchmark, scenario), expected in V61.items():
        quantities = ["ttft_p99_limit", "tpot_p99_limit"] if len(expected) == 2 else ["latency_p99_limit"]
        found = [benchmark_rules.limit_ms(limits, benchmark, scenario, name, ["v6.1"]) for name in quantities]
        assert tuple(found) == expected, (benchmark, scenario)
