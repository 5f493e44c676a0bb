"""Accelerators ranked for a model, users, and a budget: nodes, prices, power, and reasons, computed by hand."""

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis._core.notes import note
from analysis._core.parameters import AcceleratorChoice
from analysis.planner import capacity, choice
from analysis.planner.choice import ACCELERATORS, DOLLARS, KILOWATTS

ASKED = AcceleratorChoice(
    benchmark="llama2-70b",
    baseline="H100 SXM",
    rounds=["v4.1", "v5.1"],
    users=1000,
    tokens_per_second_per_user=20.0,
    derate=[1.0, 1.0],
    peak_over_mean=[1.0, 1.0],
    spare_nodes=0,
    draws=1000,
    context_tokens=[1.0, 1.0],
    wall_over_limit=[1.5, 1.5],
    whole_nodes=True,
).model_copy(update={"ttft_ms": float("inf")})  # no queue: what traffic takes can be divided by hand
RUN = {"benchmark": "llama2-70b", "scenario": "Interactive", "round": "v5.1", "system": "box"}
H100 = RUN | {"accelerator": "H100 SXM", "low": 8_000.0}  # 1,000 tokens/s each: 20 for 1,000 users x 20 tokens/s
H200 = RUN | {"accelerator": "H200 SXM", "low": 16_000.0}  # 2,000 each: 10
B200 = RUN | {"accelerator": "B200 SXM", "low": 80_000.0}  # 10,000 each: 2


@pytest.fixture
def record(record):
    """The same without prices: those are what a test gives."""

    def make(*rows):
        made = record(*rows)
        return SimpleNamespace(**vars(made) | {"prices": made.prices.head(0)})

    return make


@pytest.fixture
def made(record):
    """The choice on a record of these rows; `changes` are of what is asked."""
    return lambda *rows, **changes: choice.make(record(*rows), ASKED.model_copy(update=changes))


def counts(chosen):
    rows = chosen.ranked.set_index("accelerator")[["count_low", "count_high"]]
    return {name: list(row) for name, row in zip(rows.index, rows.to_numpy().tolist(), strict=True)}


def test_the_fewest_accelerators_in_whole_nodes_come_first(made):
    """20, 10 and 2 accelerators are 3, 2 and 1 nodes of eight."""
    chosen = made(H100, H200, B200)
    assert chosen.by == ACCELERATORS
    assert counts(chosen) == {"B200 SXM": [8, 8], "H200 SXM": [16, 16], "H100 SXM": [24, 24]}
    assert set(chosen.ranked["decided_by"]) == {"throughput"} and set(chosen.ranked["evidence"]) == {"measured"}
    parts = made(H100, H200, B200, whole_nodes=False)
    assert counts(parts) == {"B200 SXM": [2, 2], "H200 SXM": [10, 10], "H100 SXM": [20, 20]}


def test_measured_plans_come_before_estimates_and_a_part_of_a_rack_is_one(made):
    """A rack of 72 in nodes of 4, 10,000 tokens/s each: one node for 1,000 users, a rack and more for 40,000."""
    rack = RUN | {"accelerator": "GB300", "accelerator_count": 72, "nodes": 18, "low": 720_000.0}
    few, many = made(H100, H200, rack), made(H100, H200, rack, users=40_000)
    assert few.ranked["accelerator"].tolist() == ["H200 SXM", "H100 SXM", "GB300"]
    assert few.ranked["evidence"].tolist() == ["measured", "measured", "estimate"] and counts(few)["GB300"] == [4, 4]
    assert (few.plans["GB300"].evidence, many.plans["GB300"].evidence) == ("estimate", "measured")
    assert many.ranked["accelerator"].tolist() == ["GB300", "H200 SXM", "H100 SXM"]
    assert counts(many)["GB300"] == [80, 80] and set(many.ranked["evidence"]) == {"measured"}
    beyond = made(H200, RUN | {"accelerator": "B200 SXM", "low": 80_000.0, "scenario": "Server"}).ranked
    assert beyond["evidence"].tolist() == ["measured", "estimate"] and beyond["count_high"].tolist() == [16, 8]


def test_kilowatts_count_the_metered_runs_that_they_rest_on(made):
    """6,400 W of eight H200, once; the H100 by a model."""
    meter = H200 | {"result_id": "2", "power_measured": True, "power_watts_low": 6_400.0, "power_watts_high": 6_400.0}
    rows = made(H100, H200, meter).ranked.set_index("accelerator")
    assert rows["metered_runs"].to_dict() == {"H200 SXM": 1, "H100 SXM": 0}
    assert rows.at["H200 SXM", "power_basis"] == "measured at the wall in one run of 1 system, official v5.1"


def test_break_even_is_the_ratio_of_throughputs_whatever_whole_and_spare_nodes_take(made):
    """10,000 and 2,000 tokens/s each against 1,000; shared inputs cancel."""
    shared = {"spare_nodes": 1, "derate": [0.5, 1.0], "peak_over_mean": [1.0, 3.0]}
    rows = made(H100, H200, B200, **shared).ranked.set_index("accelerator")
    for end in ("low", "median", "high"):
        told = rows[f"break_even_{end}"].to_dict()
        assert told == pytest.approx({"B200 SXM": 10.0, "H200 SXM": 2.0, "H100 SXM": 1.0})
    alone = made(H200, B200).ranked
    assert alone["break_even_low"].isna().all() and len(alone) == 2, "nothing is known of the baseline"


def test_quotes_rank_by_dollars_and_what_has_none_comes_last(made):
    """8 B200 at 10 are 80 dollars, 16 H200 at 4 are 64; no price is known of MI300X."""
    other = RUN | {"accelerator": "MI300X", "low": 80_000.0}
    chosen = made(H200, B200, other, prices=["B200 SXM=10", "H200 SXM=4"])
    assert chosen.by == DOLLARS
    assert chosen.ranked["accelerator"].tolist() == ["H200 SXM", "B200 SXM", "MI300X"]
    assert chosen.ranked["usd_per_hour_high"].tolist()[:2] == [64.0, 80.0]


def test_dollar_budget_and_the_price_that_meets_it(made):
    """70 dollars an hour: 64 keep it, 80 do not; 8 MI300X would at 8.75 each."""
    other = RUN | {"accelerator": "MI300X", "low": 80_000.0}
    chosen = made(H200, B200, other, prices=["B200 SXM=10", "H200 SXM=4"], usd_per_hour_at_most=70.0)
    rows = chosen.ranked.set_index("accelerator")
    assert rows["within"].to_dict() == {"H200 SXM": "yes", "MI300X": "unknown", "B200 SXM": "no"}
    assert rows.at["MI300X", "price_at_most_low"] == 8.75


def test_power_budget_ranks_by_kilowatts_and_may_be_met_by_chance(made):
    watts = {"wall_over_limit": [1.0, 2.0], "power_usage_effectiveness": 1.0, "rank_by": "power"}
    free = made(B200, H200, kilowatts_at_most=1e6, **watts)
    assert free.by == KILOWATTS and set(free.ranked["within"]) == {"yes"}
    ends = free.ranked.set_index("accelerator").loc["B200 SXM", ["kilowatts_low", "kilowatts_high"]]
    tight = made(B200, H200, kilowatts_at_most=float(ends.mean()), **watts).ranked.set_index("accelerator")
    assert tight.at["B200 SXM", "within"] == "possibly" and tight.at["H200 SXM", "within"] == "no"
    none = made(B200, H200, kilowatts_at_most=0.001, **watts).ranked
    assert set(none["within"]) == {"no"} and none["kilowatts_median"].is_monotonic_increasing


def test_over_budget_comes_after_unknown(made):
    """Of two budgets that of watts is surely broken by H100 and H200; what MI300X and B200 cost is not known."""
    mi300x = RUN | {"accelerator": "MI300X", "low": 16_000.0}
    asked = {"prices": ["H200 SXM=2", "H100 SXM=2"], "usd_per_hour_at_most": 90.0}
    watts = made(H100, H200, B200, mi300x, **asked).ranked.set_index("accelerator")["kilowatts_high"]
    tight = made(H100, H200, B200, mi300x, **asked, kilowatts_at_most=watts["MI300X"] + 0.1).ranked
    assert tight["within"].tolist() == ["yes", "unknown", "unknown", "no"]
    assert tight["accelerator"].tolist() == ["H200 SXM", "B200 SXM", "MI300X", "H100 SXM"]


def test_one_plan_is_that_of_capacity_for_the_same_question(record):
    tables = record(H100, H200, B200)
    chosen = choice.make(tables, ASKED)
    for name in ("H100 SXM", "B200 SXM"):
        alone = capacity.make(tables, ASKED.model_copy(update={"baseline": name}))
        pd.testing.assert_frame_equal(chosen.plans[name].draws, alone.draws)


def test_another_round_is_a_note_of_its_row(made):
    old = H200 | {"round": "v4.1", "scenario": "Server", "tpot_p99_ms": 40.0}
    rows = made(old, B200).ranked.set_index("accelerator")
    told = {name: [note.code for note in notes] for name, notes in rows["notes"].items()}
    assert "different_rounds" in told["H200 SXM"] and "different_rounds" not in told["B200 SXM"]


def test_a_prompt_that_takes_too_long_and_weights_that_fit_nowhere_are_told_apart(made):
    assert made(H200, ttft_ms=1.0, baseline="H200 SXM").unranked["why"].tolist() == [choice.PROMPT]
    assert made(H200, context_tokens=[1e9, 1e9], baseline="H200 SXM").unranked["why"].tolist() == [choice.MEMORY]


def test_a_model_is_planned_with_the_nearest_benchmark_and_its_own_weights(made):
    chosen = made(H100, B200, benchmark="", parameters_billion=100.0)
    assert (chosen.match.benchmark, chosen.match.found, chosen.asked.benchmark) == ("llama2-70b", True, "llama2-70b")
    assert chosen.match.own["parameters_times"] == pytest.approx(100 / 70)
    assert chosen.bases["B200 SXM"].model.weight_bytes == 100e9
    assert set(chosen.ranked["evidence"]) == {"estimate"}
    rates = [each.ranked.set_index("accelerator")["rate_median"] for each in (made(H100, B200), chosen)]
    assert (rates[1] < 0.8 * rates[0]).all(), "scaled down to the larger model"


def test_a_benchmark_of_the_model_s_kind_comes_first_and_one_of_another_says_so(made):
    """30 dense billions lie a little nearer to Mixtral, 47 with 13 active, than to Llama 2 70B, which reads all too."""
    mixed = RUN | {"accelerator": "B200 SXM", "benchmark": "mixtral-8x7b", "scenario": "Server"}
    chosen = made(B200, mixed, benchmark="", parameters_billion=30.0)
    assert chosen.match.benchmark == "llama2-70b"
    assert chosen.match.near["distance"].iloc[1] < chosen.match.near["distance"].iloc[0]
    assert "other_kind" not in {own.code for own in chosen.match.notes}
    other = made(mixed, benchmark="", parameters_billion=30.0)
    told = {"benchmark": "Mixtral 8x7B", "kind": "a mixture of experts", "model": "dense"}
    assert other.match.benchmark == "mixtral-8x7b" and note("other_kind", **told) in other.match.notes


def test_a_benchmark_of_unknown_size_is_told_without_a_distance(record):
    """It ran, but nobody knows how near it is: it is never the nearest, and where there is no other, none is."""
    tables = record(B200, RUN | {"accelerator": "B200 SXM", "benchmark": "mixtral-8x7b", "scenario": "Server"})
    sizes = tables.benchmarks["parameters_billion"]
    tables.benchmarks = tables.benchmarks.assign(
        parameters_billion=sizes.mask(tables.benchmarks["benchmark"].eq("mixtral-8x7b"))
    )
    asked = ASKED.model_copy(update={"benchmark": "", "parameters_billion": 46.7})
    found = choice.match(tables, asked)
    assert found.benchmark == "llama2-70b"
    assert found.near["label"].tolist() == ["Llama 2 70B", "Mixtral 8x7B"]
    assert found.near["distance"].isna().tolist() == [False, True]
    tables.benchmarks = tables.benchmarks.assign(parameters_billion=float("nan"))
    with pytest.raises(ValueError, match="no benchmark of known size has results under a latency limit"):
        choice.match(tables, asked)


def test_a_name_of_a_benchmark_has_no_distance(made):
    chosen = made(B200, benchmark="", model="Llama 2 70B")
    assert (chosen.match.benchmark, chosen.match.found, chosen.match.own["distance"]) == ("llama2-70b", False, 0)


FIRST = {"count_median": 8.0, "count_high": 8.0, "accelerator": "B200 SXM", "within": "", "evidence": "measured"}
LESS = {"accelerator": "H100 SXM", "count_median": 4.0, "count_high": 4.0}
ROWS = pd.DataFrame([FIRST, FIRST | {"accelerator": "B300 SXM"}, FIRST | LESS, FIRST | {"evidence": "estimate"}])


def test_ties_have_the_median_and_p90_of_the_first():
    assert choice.ties(ROWS, ACCELERATORS)["accelerator"].tolist() == ["B200 SXM", "B300 SXM"]
    assert choice.ties(ROWS.head(0), ACCELERATORS).empty


def test_budget_used_is_the_larger_share_of_two_budgets(made):
    """8 B200 at 10 dollars are 80 of 40 dollars, 2 times; of half their kilowatts 2 times too, of a quarter 4."""
    free = made(H200, B200, prices=["B200 SXM=10"])
    row = free.ranked.set_index("accelerator").loc["B200 SXM"]
    budgets = {"usd_per_hour_at_most": 40.0, "kilowatts_at_most": row["kilowatts_low"] / 4}
    both, dollars = (
        replace(free, asked=free.asked.model_copy(update=own))
        for own in (budgets, {**budgets, "kilowatts_at_most": 0.0})
    )
    assert choice.budget_used(both, row).low == pytest.approx(4.0)
    assert choice.budget_used(dollars, row).high == 2.0
    assert not choice.budget_used(free, row).known


def test_each_reason_why_an_accelerator_is_not_ranked(made):
    """A preview; a speed beyond memory bandwidth; nothing known of the baseline."""
    preview = made(B200, H200 | {"availability": "preview"}, baseline="B200 SXM").unranked
    assert preview[["accelerator", "why"]].to_numpy().tolist() == [["H200 SXM", choice.PREVIEW]]
    fast = made(B200, baseline="B200 SXM", tokens_per_second_per_user=1e5)
    assert fast.unranked["why"].tolist() == [choice.TOO_FAST] and 500 < fast.unranked["roof"].item() < 1e5
    assert fast.ranked.empty and fast.behind.empty and choice.sensitivity(fast).empty
    assert made(B200).unranked["why"].tolist() == [choice.NO_RATE]


def test_what_changes_the_ranking_is_asked_of_the_same_plans(made):
    """8 B200 at 10 are 80 dollars, 16 H200 at 6 are 96; a B200 at 12 costs as much, and is first by its order."""
    chosen = made(H200, B200, prices=["B200 SXM=10", "H200 SXM=6"])
    found = choice.sensitivity(chosen).set_index("change")
    assert found.loc["B200 price -20%", ["name", "usd_per_hour_median"]].tolist() == ["B200", 64.0]
    assert found.at["utilization 50%", "count_median"] == 8 and "utilization 100%" not in found.index
    assert set(choice.CHANGES) == {"change", *found}


def test_the_benchmark_planned_with_is_told_in_a_line(made):
    asked = {"benchmark": "", "model": "Qwen3 32B", "parameters_billion": 32.0}
    told = "Qwen3 32B: no benchmark of 32B; Llama 2 70B (closest), scaled by parameters and lengths: estimate."
    assert made(B200, **asked).match.mapping == told
    assert made(B200).match.mapping == "llama2-70b: benchmark of its own."
