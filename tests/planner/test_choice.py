"""Accelerators ranked: order, budgets, break-even prices, what changes the ranking, and the commands."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, comparable, cost, current, interactivity, long_prompts
from analysis.cli.main import main
from analysis.paths import DATA
from analysis.planner import capacity, choice, curve, prediction
from analysis.planner.capacity import Demand

ASKED = Demand(benchmark="gpt-oss-120b", draws=500)


@pytest.fixture(scope="module")
def chosen():
    return choice.ranking(ASKED)


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
    again = choice.ranking(replace(ASKED, prices={"B200": b200["break_even"] * 0.99}))
    assert again["accelerator"].iloc[0] == "B200"


def test_break_even_is_over_results_whatever_an_estimate_costs(chosen):
    estimated = chosen.loc[chosen["evidence"].eq(curve.ESTIMATED) & chosen["rank"].notna(), "accelerator"].iloc[0]
    found = choice.ranking(replace(ASKED, prices={estimated: cost.PLAUSIBLE_USD[0]})).set_index("accelerator")
    result = found["usd_per_hour_p50"].iloc[0]
    assert found.at[estimated, "usd_per_hour_p50"] < result
    assert found.at[estimated, "break_even"] * found.at[estimated, "accelerators_p50"] == pytest.approx(result)


def test_a_budget_comes_before_cost(chosen):
    """Between the P90 of the cheapest and of another one: whoever meets it is first."""
    rows = chosen[chosen["evidence"].ne(curve.ESTIMATED)].set_index("accelerator")
    within = rows["usd_per_hour_p90"].dropna().min() * 1.001
    found = choice.ranking(ASKED, usd_per_hour=within)
    assert found["accelerator"].iloc[0] == rows["usd_per_hour_p90"].idxmin()
    assert found.set_index("accelerator")["within"].loc[rows.index].eq("yes").sum() == 1
    assert found.loc[found["usd_per_accelerator_hour"].isna(), "within"].eq("").all()


def test_ranking_by_power_and_by_accelerators():
    power, count = (choice.ranking(ASKED, by=by) for by in ("power", "accelerators"))
    for found, quantity in ((power, "kilowatts_p50"), (count, "accelerators_p50")):
        measured = found[found["evidence"].isin([curve.MEASURED, curve.INTERPOLATED])]
        assert measured[quantity].is_monotonic_increasing
    with pytest.raises(ValueError, match="accelerators"):
        choice.ranking(ASKED, by="money")


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
    at_66 = choice.ranking(replace(ASKED, tokens_per_user=66.7))
    assert changes.loc["66.7 tokens/s per user", "accelerator"] == at_66["accelerator"].iloc[0]
    assert {"12.5 tokens/s per user", "100,000 users", "pooled fleet"} <= set(changes.index)
    by_power = choice.sensitivity(ASKED, choice.ranking(ASKED, by="power"), "power")["change"]
    assert not by_power.str.contains("price").any() and len(by_power) == len(changes) - 2


def test_sensitivity_replaces_a_price_of_ones_own_by_whatever_name():
    asked = replace(ASKED, prices={"NVIDIA B200-SXM-180GB": 0.5}, accelerators=("B200", "GB200"))
    changes = choice.sensitivity(asked, choice.ranking(asked)).set_index("change")
    as_asked, dearer = (changes.at[words, "usd_per_million_tokens"] for words in ("as asked", "B200 price +20%"))
    assert dearer == pytest.approx(1.2 * as_asked)


ERRORS = [  # GPT-OSS in Interactive has nine results, so the errors of all models count
    ({}, None, prediction.KNOWN, "", "Interactive"),
    ({"tokens_per_user": 12.5}, "B200", prediction.OTHER_SYSTEM, "gpt-oss-120b", "Server"),
    ({"tokens_per_user": 12.5}, "H200", prediction.OTHER_SYSTEM, "gpt-oss-120b", "Server"),
    ({}, "B200", prediction.BETWEEN, "", "Server"), ({}, "H200", prediction.KNOWN, "", "Interactive"),
    ({}, "H100", prediction.NONE, "", "Interactive"),
    ({"prompt_tokens": 200.0}, None, prediction.OTHER_MODEL, "", "Interactive"),
    ({"prompt_reuse": 0.5}, None, prediction.OTHER_MODEL, "", "Interactive"),
    ({"benchmark": "llama2-70b"}, None, prediction.KNOWN, "llama2-70b", "Interactive"),
    ({"benchmark": "", "parameters": 100.0}, None, prediction.OTHER_MODEL, "", "Interactive"),
    ({"benchmark": "mixtral-8x7b", "tokens_per_user": 50.0}, None, prediction.BEYOND, "", "Interactive"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "accelerator", "question", "benchmark", "scenario"), ERRORS)
def test_the_error_is_that_of_what_a_plan_rests_on(asked, accelerator, question, benchmark, scenario):
    demand = replace(ASKED, **asked)
    row = capacity.plan(demand, accelerator) if accelerator else None
    found = choice.error_behind(demand, row)
    assert found[["question", "benchmark", "scenario"]].tolist() == [question, benchmark, scenario]
    assert found["results"] >= 10


def test_the_same_demand_costs_no_more_with_a_prompt_cache(capsys):
    """Of prompts of 4,096 tokens, by the ratios of `long_prompts.kept`; all are estimates."""
    long = {"benchmark": "gpt-oss-120b", "prompt_tokens": 4096.0, "draws": 100}
    found = [capacity.every_plan(Demand(**long, prompt_reuse=share)) for share in (0.0, 0.3, 0.6, 1.0)]
    found = [plans.set_index("accelerator").dropna(subset="throughput") for plans in found]
    for less, more in itertools.pairwise(found):
        assert set(less.index) == set(more.index)
        for column, sign in (("throughput", 1), ("needed", -1), ("usd_per_hour_p50", -1)):
            change = sign * (more[column] - less[column]).dropna()
            assert change.ge(-1e-9).all() and len(change) > 5
        assert more["evidence"].eq(curve.ESTIMATED).all()
    lengths = Demand(**long).workload.lengths
    gain = long_prompts.kept(lengths.prompt, lengths.answer, 0.6) / long_prompts.kept(lengths.prompt, lengths.answer)
    ratio = found[2]["throughput"] / found[0]["throughput"]
    assert ratio.to_numpy() == pytest.approx(gain.median()) and gain.median() > 1.1
    own = Demand(benchmark="gpt-oss-120b", prompt_reuse=0.6)
    cached, whole = (capacity.plan(each, "B200")["throughput"] for each in (own, replace(own, prompt_reuse=0.0)))
    assert cached > whole
    with pytest.raises(ValueError, match=r"prompt_reuse is 1\.5"):
        Demand(benchmark="gpt-oss-120b", prompt_reuse=1.5)
    assert main(["plan", "--benchmark", "gpt-oss-120b", "--accelerator", "B200", "--prompt-reuse", "0.6"]) == 0
    assert "estimated" in capsys.readouterr().out


def test_help_names_each_basis_of_prices(capsys):
    assert main(["plan", "--help"]) == 0
    words = capsys.readouterr().out.replace(",", " ").replace(".", " ").split()
    assert set(cost.COST_MODELS) <= set(words)


def test_a_plan_says_what_it_took(capsys):
    """H200 ran GPT-OSS in v6.0 alone: its rate is that of `current`, its gain in words."""
    now = current(comparable(benchmark="gpt-oss-120b", scenario="Server")).set_index("accelerator").loc["H200"]
    assert main(["plan", "--accelerator", "H200", "--benchmark", "gpt-oss-120b", "--tokens-per-user", "12.5"]) == 0
    told = capsys.readouterr().out
    assert f"{now['rate']:,.0f} tokens/s per accelerator (carried" in told
    assert f"gain since {now['round']}: x{now['gain']:.3f}" in told


def test_estimates_that_inferencex_contradicts_say_by_how_much(capsys, chosen):
    """MI325X and MI300X are estimated on GPT-OSS, a mixture of experts, and were 223% and 106% too high."""
    rows = pd.read_csv(DATA / "blind_check.csv").query("model == 'GPT-OSS 120B'").set_index("accelerator")["error"]
    off = choice.blind_errors(ASKED, chosen).set_index("accelerator")
    assert off["high"].to_dict() == rows[["MI325X", "MI300X", "H100", "H200"]].to_dict()
    assert main(["choose", "--benchmark", "gpt-oss-120b"]) == 0
    told = capsys.readouterr().out
    assert "measured, median of a model): MI325X +223%, MI300X +106%, H100 +80%, H200 +53%" in told
    for accelerator, said in (("MI300X", "MI300X +106%"), ("B200", "")):
        assert main(["plan", "--benchmark", "gpt-oss-120b", "--accelerator", accelerator]) == 0
        told = capsys.readouterr().out
        assert ("checked against InferenceX" in told) == bool(said) and said in told
    other = choice.blind_errors(Demand(model="Any", parameters=300.0, active_parameters=20.0), chosen)
    every = pd.read_csv(DATA / "blind_check.csv").groupby("accelerator")["error"].agg(["min", "max"])
    assert other.set_index("accelerator").loc["MI300X", ["low", "high"]].tolist() == every.loc["MI300X"].tolist()
    assert choice.blind_errors(Demand(benchmark="llama2-70b"), chosen).empty


def test_nothing_planned_says_why():
    with pytest.raises(NoData, match="memory bandwidth"):
        choice.leaders(choice.ranking(Demand(benchmark="llama2-70b", tokens_per_user=9_000.0)))
    with pytest.raises(NoData, match="usd_per_hour unknown"):
        choice.leaders(choice.ranking(Demand(benchmark="gpt-oss-120b", accelerators=("MI350X",))))


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
    on_curve = curve.throughput_at(curve.carried(rows), 25.0).set_index("accelerator").at["B200", "throughput"]
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
