"""The numbers of the page on budgets, counted again by plain pandas."""

from __future__ import annotations

import math

import pytest

from tests.reports.plain import comparable, data, newest_prices, record, said, table, values

HOURS = 4 * 24 * 365


def test_plans_are_whole_units_of_the_budget():
    plans = table("budget", "plans").set_index("accelerator")
    usd, kilowatts = newest_prices("usd_per_accelerator_hour_low"), newest_prices("all_in_kilowatts")
    for name, row in plans.iterrows():
        unit = 72 if name in ("GB200", "GB300") else 8
        price = unit * usd[name] * HOURS
        assert row["units"] == math.floor(20e6 / price), name
        assert row["usd_left"] == pytest.approx(20e6 - row["units"] * price)
        assert row["usd_short"] == pytest.approx((row["units"] + 1) * price - 20e6)
        assert row["kw"] == pytest.approx(row["units"] * unit * kilowatts[name])
    assert values("budget")["answer"] == plans["users"].iloc[0] == plans["users"].max()


def test_users_are_delivered_tokens_over_their_speed():
    """Users x 25 tokens/s x hours x dollars per token are what was spent."""
    plans = table("budget", "plans")
    spent = plans["users"] * 25 * 3600 * HOURS * plans["usd_per_million"] / 1e6
    assert spent.to_numpy() == pytest.approx((20e6 - plans["usd_left"]).to_numpy())
    load = data("delivered").query("step == 'mean over P99 load' and fleet == 'fixed' and use == 'chat'")
    assert (plans["users"] / plans["users_peak"]).to_numpy() == pytest.approx(load["median"].iloc[0], abs=1e-4)


def test_a_price_falls_to_that_of_the_cheapest_token():
    plans = table("budget", "plans")
    assert (plans["usd_per_million"] * (1 - plans["cut"])).to_numpy() == pytest.approx(plans["usd_per_million"].min())


def test_the_throughput_behind_the_plans_lies_between_server_and_interactive():
    plans = table("budget", "plans").set_index("accelerator")
    usd = newest_prices("usd_per_accelerator_hour_low")
    delivered = usd[plans.index] / plans["usd_per_million"] / 3600 * 1e6
    for name in ("MI355X", "B300", "GB200"):
        slow, fast = (comparable("gpt-oss-120b", scenario) for scenario in ("Server", "Interactive"))
        most, least = (rows[rows["accelerator"].eq(name)]["each"].max() for rows in (slow, fast))
        assert 0.3 * least < delivered[name] < 0.45 * most


def test_on_demand_pays_below_the_ratio_of_the_prices():
    rent = table("budget", "rent_or_own").set_index("accelerator")
    listed = data("prices").query("cost_model == 'on_demand' and accelerator == 'B200 SXM'")
    on_demand = listed["usd_per_accelerator_hour_low"].iloc[0]
    shares = rent.loc["B200", ["over_owned", "over_rented"]].tolist()
    assert shares == pytest.approx([2.07 / on_demand, 3.70 / on_demand])


def test_the_preview_is_over_the_fastest_available_result():
    wait = table("budget", "waiting").set_index(["model", "scenario", "vendor"])
    preview = record().query(
        "round == 'v6.1' and benchmark == 'deepseek-r1' and scenario == 'Interactive' and availability == 'preview'"
    )
    sold = comparable("deepseek-r1", "Interactive").query("version == 6.1 and accelerator_count in [8, 72]")
    ratio = (preview["high"] / preview["accelerator_count"]).max() / sold["each"].max()
    assert wait.at[("DeepSeek-R1", "Interactive", "NVIDIA"), "ratio"] == pytest.approx(ratio, rel=0.01)


def test_the_headline_fits_and_has_its_range():
    answer = said("budget")["answer"]
    assert len(answer["text"].split()) <= 18
    assert answer["low"] < answer["value"] < answer["high"]
