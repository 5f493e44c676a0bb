"""Two pages that are asked the same question print one number."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.pages.plain import DATA, newest_prices, outputs, table, values

NEWEST = ["GB300", "B300", "GB200", "B200", "MI355X"]
OVERVIEW = "best_result_of_each_model_and_gpu"


def overview(scenario, model="GPT-OSS 120B"):
    page = table("overview", OVERVIEW)
    return page[page["scenario"].eq(scenario) & page["model"].eq(model)].set_index("accelerator")[
        "rate_per_accelerator"
    ]


@pytest.mark.parametrize("accelerator", NEWEST)
@pytest.mark.parametrize(("scenario", "at"), [("Offline", 0.0), ("Interactive", 66.7)])
def test_throughput_per_gpu_on_gpt_oss(accelerator, scenario, at):
    expected = overview(scenario)[accelerator]
    curve = table("interactivity", "throughput").query("interactivity == @at").set_index("accelerator")
    cost = table("price_performance", "costs").query("interactivity == @at").set_index("accelerator")
    power = table("power_efficiency", "efficiency").query("model == 'GPT-OSS 120B' and modeled")
    power = power[power["scenario"].eq(scenario)].set_index("accelerator")["efficiency"]
    assert curve.at[accelerator, "throughput"] == pytest.approx(expected)
    assert cost.at[accelerator, "throughput"] == pytest.approx(expected)
    assert power[accelerator] * newest_prices("all_in_kilowatts")[accelerator] * 1000 == pytest.approx(expected)


def test_speedups_and_the_matrix_are_of_one_result():
    ladder = table("generational_speedup", "speedups").query("base == 'H100'").set_index("accelerator")
    rates = overview("Offline", "Llama 2 70B")
    for accelerator in NEWEST:
        ratio = ladder.at[accelerator, "plain"] / ladder.at["GB300", "plain"]
        assert rates[accelerator] / rates["GB300"] == pytest.approx(ratio)


def test_software_from_the_first_round_on():
    software = next(part["title"] for part in outputs("generational_speedup") if part["name"] == "why")
    assert "1.5x" in software
    answer = next(part["text"] for part in outputs("progress") if part["kind"] == "headline")
    assert "software gave 1.5x" in answer


def test_the_share_that_is_delivered():
    delivered = pd.read_csv(DATA / "delivered.csv", keep_default_na=False)
    chat = delivered[delivered["use"].eq("chat") & delivered["system"].eq("node")].set_index("step")["median"]
    whole = delivered[delivered["step"].eq("delivered") & delivered["use"].eq("chat") & delivered["fleet"].eq("fixed")]
    whole = whole.set_index("system")["median"]["node"]
    assert values("real_world_derating")["answer"] == pytest.approx(whole, abs=1e-4)
    cost = table("price_performance", "costs").query("interactivity == 12.5").set_index("accelerator")
    plans = table("accelerator_choice", "plans").set_index("accelerator")
    assert cost.at["B200", "served"] == pytest.approx(whole / chat["latency limit"], rel=1e-3)
    assert plans.at["B200", "delivered"] == pytest.approx(cost.at["B200", "served"], rel=1e-3)


def test_dollars_of_a_full_node_at_one_interactivity():
    curve = table("price_performance", "costs").query("interactivity == 66.7").set_index("accelerator")
    changes = table("accelerator_choice", "changes")
    asked = changes[changes["change"].str.startswith("66.7")].iloc[0]
    assert asked["accelerator"] == curve["usd_per_million"].idxmin()
