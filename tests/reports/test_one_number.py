"""Two pages that are asked the same question print one number."""

from __future__ import annotations

import base64
import gzip
import json

import pandas as pd
import pytest

from analysis import budget, comparable, cost, current, explorer, interactivity, load_results
from analysis.explorer import page as explorer_page
from analysis.planner import capacity, choice
from analysis.planner.curve import carried
from tests.reports.plain import table, values

NEWEST = ["GB300", "B300", "GB200", "B200", "MI355X"]


def chosen():
    """What the page on choice says of each plan, in two tables."""
    both = [table("accelerator_choice", name).set_index("accelerator") for name in ("plans", "behind")]
    return pd.concat(both, axis=1)


@pytest.fixture(scope="module")
def explored():
    """What the explorer's page carries of GPT-OSS 120B, by interactivity and accelerator."""
    held = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explorer_page, "display", lambda data, metadata, raw: held.update(metadata["analysis"]["data"]))
        results = load_results().query("benchmark == 'gpt-oss-120b'")
        explorer.show(explorer.rows(results), explorer.curves(results), current(comparable(benchmark="gpt-oss-120b")))
    columns = json.loads(gzip.decompress(base64.b64decode(held["record-curves"])))
    texts = [name for name, cells in columns.items() if isinstance(cells, dict)]
    columns |= {name: [columns[name]["values"][place] for place in columns[name]["places"]] for name in texts}
    frame = pd.DataFrame(columns).query("benchmark == 'gpt-oss-120b'")
    return frame.set_index(["interactivity", "accelerator"]).astype({"usd_per_million": float})


@pytest.mark.parametrize(("page", "name"), [("interactivity", "throughput"), ("price_performance", "costs")])
def test_the_explorer_draws_the_curve_of_the_pages(explored, page, name):
    asked = table(page, name).set_index(["interactivity", "accelerator"])
    own = explored.loc[asked.index]
    assert set(asked.index.get_level_values(0)) == {0, 12.5, 66.7}
    same = {"costs": ["usd_per_million", "usd_low", "usd_high", "served"], "throughput": ["throughput", "low", "high"]}
    for column in same[name]:
        assert own[column].to_numpy() == pytest.approx(asked[column].to_numpy(), rel=1e-3), column
    carried = asked["evidence"].isin(["carried"]) & (name == "costs")  # throughput is as measured, cost compares
    assert own.loc[~carried, "evidence"].tolist() == asked.loc[~carried, "evidence"].tolist()


def test_the_explorer_and_choose_give_one_throughput_and_one_price_per_token(explored):
    plans = chosen().dropna(subset="usd_per_million_at_full_use")
    own = explored.loc[25.0]
    both = plans.index.intersection(own.index)
    assert set(NEWEST) <= set(both)
    gain = plans.loc[both, "gain"]  # from the explorer's throughput, as measured, to that of the newest round
    asked = {"throughput": plans["throughput"] / gain, "usd_per_million": plans["usd_per_million_at_full_use"],
             "served": plans["delivered"]}  # fmt: skip
    for column, expected in asked.items():
        assert own.loc[both, column].to_numpy() == pytest.approx(expected[both].to_numpy(), rel=1e-3), column
    assert gain[NEWEST].to_numpy() == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("scenario", "at"), [("Offline", 0.0), ("Interactive", 66.7)])
def test_throughput_per_gpu_on_gpt_oss(scenario, at):
    """Of `current`, whose Offline rates the overview shows, on the pages of interactivity, price, and power."""
    now = current(comparable(benchmark="gpt-oss-120b", scenario=scenario)).set_index("accelerator").loc[NEWEST]
    for page, name, expected in (("interactivity", "throughput", "last_rate"), ("price_performance", "costs", "rate")):
        shown = table(page, name).query("interactivity == @at").set_index("accelerator")["throughput"]
        assert shown[NEWEST].tolist() == pytest.approx(now[expected].tolist())
    power = table("power_efficiency", "efficiency").query("model == 'GPT-OSS 120B' and scenario == @scenario")
    power = power.query("round == 'v6.1'").set_index("accelerator")["rate"]  # others are carried
    assert len(power) and power.tolist() == pytest.approx(now["last_rate"][power.index].tolist())
    overview = table("overview", "rates").query("model == 'GPT-OSS 120B'").set_index("accelerator")["last_rate"]
    assert scenario != "Offline" or overview[NEWEST].tolist() == pytest.approx(now["last_rate"].tolist())


def test_speedups_and_the_matrix_are_of_one_result():
    ladder = table("generational_speedup", "speedups").set_index("accelerator")["speedup"]
    rates = table("overview", "rates").query("model == 'Llama 2 70B'").set_index("accelerator")["rate"]
    both = ladder.index.intersection(rates.index)
    ratios, shares = (each[both] / each["GB300"] for each in (ladder, rates))
    assert len(both) > 5 and shares.to_dict() == pytest.approx(ratios.to_dict())


def test_the_share_that_is_delivered():
    """B200 ran TensorRT-LLM: the page's node to vLLM after its latency limit, on the pages on price and on choice."""
    factors = table("real_world_derating", "factors").query("Step == 'latency limit' and Use == 'chat'")
    share = values("real_world_derating")["answer"] / factors.set_index("System")["Median"]["TensorRT-LLM node"]
    costs = table("price_performance", "costs").query("interactivity == 12.5").set_index("accelerator")
    assert [costs.at["B200", "served"], chosen().at["B200", "delivered"]] == pytest.approx([share] * 2, rel=1e-3)


def test_dollars_of_a_full_node_at_one_interactivity():
    curve = table("price_performance", "costs").query("interactivity == 66.7").set_index("accelerator")
    changes = table("accelerator_choice", "changes")
    asked = changes[changes["change"].str.startswith("66.7")].iloc[0]
    assert asked["accelerator"] == curve["usd_per_million"].idxmin()


@pytest.fixture(scope="module")
def asked():
    """What $20 million buy of GPT-OSS 120B at 25 and 66.7 tokens/s, owned, as on the page; by interactivity."""
    rows = carried(interactivity.runs("gpt-oss-120b"))
    found = budget.plans(rows, cost.bases(["neocloud"]), [25.0, 66.7], 20e6, 4)
    return found.set_index(["interactivity", "accelerator"])


@pytest.mark.parametrize("accelerator", NEWEST)
def test_eight_questions_have_one_answer(asked, explored, accelerator):
    """Throughput, share, dollars, and kilowatts of budget, price, choose, plan, interactivity, and explorer."""
    plans = chosen().loc[accelerator]
    bought = table("budget", "plans").set_index("accelerator").loc[accelerator]
    price = table("price_performance", "costs").set_index(["interactivity", "accelerator"]).loc[(66.7, accelerator)]
    shown = table("interactivity", "throughput").set_index(["interactivity", "accelerator"]).loc[(66.7, accelerator)]
    slow, fast = (asked.loc[(at, accelerator)] for at in (25.0, 66.7))
    explored_slow, explored_fast = (explored.loc[(at, accelerator)] for at in (25.0, 66.7))
    users = slow["units"] * slow["unit"] * slow["throughput"] * slow["served"] / 25
    plan = capacity.plan(capacity.Demand("gpt-oss-120b", users=users, tokens_per_user=25.0), accelerator)
    answers = {
        "throughput at 25": [each["throughput"] for each in (slow, plans, plan)],
        "throughput at 66.7": [fast["throughput"], price["throughput"], shown["throughput"] * fast["gain"]],
        "as measured": [shown["throughput"], explored_fast["throughput"]],
        "share at 25": [slow["served"], explored_slow["served"], plans["delivered"], plan["delivered"]],
        "share at 66.7": [fast["served"], explored_fast["served"], price["served"]],
        "$ at 25": [
            slow["usd_per_million"], bought["usd_per_million"], explored_slow["usd_per_million"],
            plans["usd_per_million_at_full_use"], plan["usd_per_million_at_full_use"],
        ],
        "$ at 66.7": [fast["usd_per_million"], explored_fast["usd_per_million"], price["usd_per_million"]],
        "kilowatts": [slow["kw"], bought["kw"], plan["kilowatts_p50"]],
        "last unit": [slow["units"], bought["units"], plan["units_p50"]],
    }  # fmt: skip
    for question, numbers in answers.items():
        assert numbers == pytest.approx([numbers[0]] * len(numbers), rel=1e-3), question


def test_the_same_within_the_error_is_one_set(asked):
    plans = choice.ranking(choice.Demand("gpt-oss-120b", users=10_000, tokens_per_user=25.0))
    alike = asked.loc[25.0].query("alike").index
    assert set(plans.loc[plans["alike"], "accelerator"]) == set(alike)
