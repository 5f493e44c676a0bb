"""Accelerators ranked: order, budgets, break-even prices, what changes the ranking, and the commands."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, cost, interactivity
from analysis.cli.main import main
from analysis.planner import capacity, choice, curve
from analysis.planner.capacity import Demand

ASKED = Demand(benchmark="gpt-oss-120b", draws=500)


@pytest.fixture(scope="module")
def chosen():
    return choice.choose(ASKED)


def test_results_come_before_estimates_and_cost_orders_both(chosen):
    ranked = chosen[chosen["rank"].notna()]
    estimated = ranked["evidence"].eq(curve.ESTIMATED)
    assert estimated.is_monotonic_increasing and 0 < estimated.sum() < len(ranked)
    for part in (ranked[~estimated], ranked[estimated]):
        assert part["usd_per_hour_p50"].dropna().is_monotonic_increasing
        assert part["usd_per_hour_p50"].isna().is_monotonic_increasing


def test_break_even_is_the_price_at_which_the_bill_is_the_cheapest_one(chosen):
    first = chosen.iloc[0]
    assert first["break_even"] == pytest.approx(first["usd_per_accelerator_hour"])
    b200 = chosen.set_index("accelerator").loc["B200"]
    assert b200["break_even"] * b200["accelerators_p50"] == pytest.approx(first["usd_per_hour_p50"])
    again = choice.choose(replace(ASKED, prices={"B200": b200["break_even"] * 0.99}))
    assert again["accelerator"].iloc[0] == "B200"


def test_a_budget_comes_before_cost(chosen):
    """Between the P90 of the cheapest and of another one: whoever meets it is first."""
    rows = chosen[chosen["evidence"].ne(curve.ESTIMATED)].set_index("accelerator")
    within = rows["usd_per_hour_p90"].dropna().min() * 1.001
    found = choice.choose(ASKED, usd_per_hour=within)
    assert found["accelerator"].iloc[0] == rows["usd_per_hour_p90"].idxmin()
    assert found.set_index("accelerator")["within"].loc[rows.index].eq("yes").sum() == 1
    assert found.loc[found["usd_per_accelerator_hour"].isna(), "within"].eq("").all()


def test_ranking_by_power_and_by_accelerators():
    power, count = (choice.choose(ASKED, by=by) for by in ("power", "accelerators"))
    for found, quantity in ((power, "kilowatts_p50"), (count, "accelerators_p50")):
        measured = found[found["evidence"].isin([curve.MEASURED, curve.INTERPOLATED])]
        assert measured[quantity].is_monotonic_increasing
    with pytest.raises(ValueError, match="accelerators"):
        choice.choose(ASKED, by="money")


def test_a_choice_has_the_plan_of_each_accelerator(chosen):
    row, alone = chosen.set_index("accelerator").loc["MI355X"], capacity.plan(ASKED, "MI355X")
    for name in ("throughput", "needed", "usd_per_hour_p50", "kilowatts_p90"):
        assert row[name] == pytest.approx(alone[name], rel=1e-12)


def test_sensitivity_names_who_leads_and_by_how_much(chosen):
    changes = choice.sensitivity(ASKED, chosen).set_index("change")
    first, second = choice.leaders(chosen)
    asked = changes.loc["as asked"]
    assert (asked["accelerator"], asked["runner_up"]) == (first["accelerator"], second["accelerator"])
    assert asked["margin"] == pytest.approx(second["usd_per_hour_p50"] / first["usd_per_hour_p50"] - 1)
    at_66 = choice.choose(replace(ASKED, tokens_per_user=66.7))
    assert changes.loc["66.7 tokens/s per user", "accelerator"] == at_66["accelerator"].iloc[0]
    assert {"12.5 tokens/s per user", "100,000 users", "pooled fleet"} <= set(changes.index)
    by_power = choice.sensitivity(ASKED, choice.choose(ASKED, by="power"), "power")["change"]
    assert not by_power.str.contains("price").any() and len(by_power) == len(changes) - 2


def test_sensitivity_replaces_a_price_of_ones_own_by_whatever_name():
    asked = replace(ASKED, prices={"NVIDIA B200-SXM-180GB": 0.5}, accelerators=("B200", "GB200"))
    changes = choice.sensitivity(asked, choice.choose(asked)).set_index("change")
    as_asked, dearer = (changes.at[words, "usd_per_million_tokens"] for words in ("as asked", "B200 price +20%"))
    assert dearer == pytest.approx(1.2 * as_asked)


def test_the_error_line_is_that_of_the_model_with_its_count():
    """GPT-OSS in Interactive has nine results, so the errors of all models are told too."""
    few = choice.error_line(ASKED)
    assert "GPT-OSS 120B" in few and "n = 9" in few and "all models" in few
    many = choice.error_line(Demand(benchmark="llama2-70b", tokens_per_user=25.0))
    assert "Llama 2 70B under Interactive" in many and "n = 66" in many and "all models" not in many
    assert "another model" in choice.error_line(Demand(parameters=100.0))
    assert "beyond" in choice.error_line(Demand(benchmark="mixtral-8x7b", tokens_per_user=50.0))


def test_the_error_line_of_a_plan_is_that_of_its_evidence(chosen):
    rows = chosen.set_index("accelerator")
    lines = {name: choice.error_line(ASKED, rows.loc[name]) for name in ("B200", "H200", "H100")}
    assert rows.loc[list(lines), "evidence"].tolist() == ["interpolated", "estimated", "estimated"]
    assert "between runs" in lines["B200"] and lines["H200"] == choice.error_line(ASKED)
    assert "without a GPT-OSS 120B result" in lines["H100"]
    at_limit = replace(ASKED, tokens_per_user=12.5, accelerators=("B200",))
    assert "Two systems" in choice.error_line(at_limit, capacity.plan(at_limit, "B200"))
    assert "other lengths" in choice.error_line(replace(ASKED, prompt_tokens=200.0))


def test_nothing_planned_says_why():
    with pytest.raises(NoData, match="memory bandwidth"):
        choice.leaders(choice.choose(Demand(benchmark="llama2-70b", tokens_per_user=9_000.0)))
    with pytest.raises(NoData, match="usd_per_hour unknown"):
        choice.leaders(choice.choose(Demand(benchmark="gpt-oss-120b", accelerators=("MI350X",))))


def test_the_same_within_the_error_is_the_rule_of_costs(chosen):
    """`cost.with_chances` of dollars per million at full use, of results where there are some."""
    priced = chosen.dropna(subset="usd_per_million_at_full_use")
    assert priced["chance"].sum() == pytest.approx(1) and priced.loc[priced["alike"], "chance"].sum() >= cost.SURE
    assert not chosen.loc[chosen["evidence"].eq(curve.ESTIMATED), "alike"].any()
    likely = priced.loc[priced["chance"].idxmax()]
    assert likely["usd_per_million_at_full_use"] == priced["usd_per_million_at_full_use"].min()


def test_a_price_near_the_highest_is_ranked(capsys):
    """A fifth above $900 is beyond what counts as a price, so that change stops there."""
    assert main(["choose", "--benchmark", "gpt-oss-120b", "--accelerator", "B200", "--price", "B200=900"]) == 0
    assert "B200 price +20%" in capsys.readouterr().out


def test_one_number_for_one_question(capsys, chosen):
    """The curve, a plan, a choice, both commands, and dollars per million tokens by hand have the same B200."""
    rows = interactivity.runs("gpt-oss-120b")
    on_curve = curve.throughput_at(rows, 25.0).set_index("accelerator").at["B200", "throughput"]
    asked = ["--benchmark", "gpt-oss-120b", "--format", "json"]
    assert main(["plan", "--accelerator", "B200", *asked]) == 0
    planned = json.loads(capsys.readouterr().out)["plan"]
    assert main(["choose", *asked]) == 0
    ranked = pd.DataFrame(json.loads(capsys.readouterr().out)["ranked"]).set_index("accelerator").loc["B200"]
    own = chosen.set_index("accelerator").loc["B200"]
    assert {on_curve, planned["throughput"], ranked["throughput"], own["throughput"]} == {on_curve}
    by_hand = own["usd_per_accelerator_hour"] / (on_curve * own["delivered"] * 3600) * 1e6
    for one in (planned, ranked, own):
        assert one["usd_per_million_at_full_use"] == pytest.approx(by_hand)
    assert planned["accelerators_p50"] == ranked["accelerators_p50"]


def test_commands_take_a_file_of_prices(capsys, tmp_path):
    (file := tmp_path / "mine.csv").write_text("accelerator,usd_per_hour\nB200,123\n")
    asked = ["plan", "--accelerator", "B200", "--benchmark", "gpt-oss-120b", "--format", "json"]
    plans = []
    for price in ("B200=123", str(file)):
        assert main([*asked, "--price", price]) == 0
        plans.append(json.loads(capsys.readouterr().out)["plan"])
    assert plans[0] == plans[1] and plans[0]["usd_per_accelerator_hour"] == 123


def test_commands_print_plans_and_name_what_is_wrong(capsys):
    assert main(["plan", "--accelerator", "H200 SXM", "--benchmark", "llama2-70b", "--users", "100"]) == 0
    told = capsys.readouterr().out
    assert "P10" in told and "P90" in told and "nodes" in told and "nan" not in told and "inf" not in told
    wrong = [
        (["plan", "--accelerator", "H100"], 2, "benchmark, model, or parameters"),
        (["plan", "--accelerator", "H10", "--benchmark", "llama2-70b"], 2, "H100"),
        (["choose", "--benchmark", "llama2-70b", "--price", "B200"], 2, "NAME=DOLLARS"),
        (["choose", "--benchmark", "llama2-70b", "--format", "xml"], 2, "json"),
        (["choose", "--benchmark", "llama2-70b", "--usd-per-hour", "nan"], 2, "usd_per_hour"),
        (["plan", "--accelerator", "H100", "--benchmark", "llama2-70b", "--tokens-per-user", "5000"], 1, "bandwidth"),
    ]
    for arguments, status, named in wrong:
        assert main(arguments) == status
        assert named in capsys.readouterr().err


def test_a_mixture_beyond_its_only_limit_is_planned_without_inf(capsys):
    assert main(["plan", "--benchmark", "mixtral-8x7b", "--accelerator", "H100", "--tokens-per-user", "50",
                 "--format", "json"]) == 0  # fmt: skip
    plan = json.loads(capsys.readouterr().out)["plan"]
    assert plan["evidence"] == "estimated" and np.isfinite(plan["accelerators_p90"])


def test_long_prompts_and_short_answers_say_why(capsys):
    arguments = [
        "plan",
        "--benchmark",
        "llama2-70b",
        "--accelerator",
        "H100",
        "--prompt-tokens",
        "100000",
        "--context-tokens",
        "131072",
    ]
    assert main([*arguments, "--tokens-per-request", "1"]) == 1
    assert curve.TOO_LONG in capsys.readouterr().err
