"""The numbers of the page on cost, counted again by plain pandas."""

from __future__ import annotations

import pytest

from tests.reports.plain import comparable, data, newest_prices, table, values

NODE = ["hypervisor", "networked nodes"]  # of a node on bare metal whose stack is no TensorRT-LLM or not stated
TENSORRT = ["B200", "B300", "RTX PRO 6000"]  # whose results of GPT-OSS ran on it


def delivered(use, accelerator):
    """Return the product of the factors of data/delivered.csv that a GPT-OSS result does not hold, of a fixed fleet."""
    rows = data("delivered", texts=True).query(
        "use in ['', @use] and system in ['', 'node'] and fleet in ['', 'fixed']"
    )
    steps = [] if accelerator.startswith("GB") else NODE + ["serving stack"] * (accelerator in TENSORRT)
    steps = [*steps, *([] if use == "batch" else ["bursts", "mean over P99 load", "spare node"])]
    rows = rows[rows["fleet"].isin(["", "fixed"])].drop_duplicates("step")
    return rows.set_index("step")["median"][steps].prod()


@pytest.mark.parametrize(("at", "use", "scenario"), [(0, "batch", "Offline"), (12.5, "chat", "Server")])
def test_dollars_are_price_over_delivered_tokens(at, use, scenario):
    page = table("price_performance", "costs").query("interactivity == @at").set_index("accelerator")
    rows = comparable("gpt-oss-120b", scenario)
    for accelerator in ["MI355X", "B300"]:
        each = rows.query("accelerator == @accelerator and accelerator_count == 8 and version == 6.1")["each"].max()
        price = newest_prices("usd_per_accelerator_hour_low")[accelerator]
        usd = price / (each * 3600 * delivered(use, accelerator)) * 1e6
        assert page.at[accelerator, "throughput"] == pytest.approx(each)
        assert page.at[accelerator, "usd_per_million"] == pytest.approx(usd, rel=1e-3)


def test_the_cheapest_of_each_row_is_the_lowest_of_the_table():
    costs, winners = table("price_performance", "costs"), table("price_performance", "winners")
    for row in winners.itertuples():
        at = 0.0 if row.at == "no limit" else float(row.at.split()[0])
        part = costs[costs["interactivity"].eq(at)].sort_values("usd_per_million")
        assert list(part["accelerator"].head(2)) == [row.accelerator, row.runner_up]
        assert row.margin == pytest.approx(part["usd_per_million"].iloc[1] / part["usd_per_million"].iloc[0] - 1)
    assert values("price_performance")["answer"] == winners["usd_per_million"].iloc[-1]


def test_break_even_prices_cost_the_same_per_token():
    costs = table("price_performance", "costs")
    base = costs.query("accelerator == 'B200'").set_index("interactivity")["usd_per_million"]
    at_break_even = costs["usd_per_million"] / costs["usd_per_hour"] * costs["break_even_usd"]
    assert at_break_even.tolist() == pytest.approx(costs["interactivity"].map(base).tolist())


def test_prices_are_the_newest():
    assert newest_prices("all_in_kilowatts")["B200"] == 1.71
    assert newest_prices("usd_per_accelerator_hour_low")["MI355X"] == 2.09


def test_a_purchase_breaks_even_with_a_rent_that_stays_fixed():
    """B200 at half of its hours: rent less power, place, and staff, over what a dollar of price costs a year.

    An accelerator brings 45% of its price in host and network along: (90% over 4 years + 8% on the mean value + 5%) x
    1.45 a year.
    """
    prices = data("prices").query("cost_model == 'rental' and accelerator == 'B200 SXM'").sort_values("quoted")
    rent, kilowatts = prices.iloc[-1][["usd_per_accelerator_hour_low", "all_in_kilowatts"]]
    assert (rent, kilowatts) == (3.70, 1.71)
    yearly = rent * 4380 - 0.5 * kilowatts * 876 - 12 * 150 * kilowatts - 400
    price = yearly / ((0.9 / 4 + 0.08 * 1.1 / 2 + 0.05) * 1.45)
    assert values("price_performance")["buy_or_rent"] == pytest.approx(price) == pytest.approx(25_898, abs=1)


def test_no_break_even_rests_on_a_virtualized_baseline():
    """The one H200 result on GPT-OSS ran under KVM; the baseline is B200, of which several submitters have results."""
    rows = comparable("gpt-oss-120b")
    assert "H200" not in set(rows["accelerator"])
    assert rows.query("accelerator == 'B200' and accelerator_count == 8")["submitter"].nunique() >= 2
    costs = table("price_performance", "costs").query("accelerator == 'B200'")
    assert (costs["break_even_usd"] == costs["usd_per_hour"]).all() and len(costs) == 3


def test_load_and_latency_multiply_to_the_whole():
    """Of the cheapest at the highest interactivity, which is not the cheapest without a limit."""
    winners = table("price_performance", "winners")["accelerator"]
    own = table("price_performance", "costs").query("accelerator == @winners.iloc[-1]").sort_values("interactivity")
    whole = own["usd_per_million"].iloc[-1] / own["usd_per_million"].iloc[0]
    load = own["served"].iloc[0] / own["served"].iloc[-1]
    assert winners.nunique() > 1
    assert values("price_performance")["load_and_latency"] * load == pytest.approx(whole)


def test_each_basis_has_its_own_price():
    """MI355X without a limit: August, April, and September rents over the same throughput and share."""
    found = table("price_performance", "bases")
    found = found.query("accelerator == 'MI355X' and at == 'no limit'").set_index("basis")["usd_per_million"]
    rent = {"rental 2026-04": 2.10, "rental 2026-08": 2.10, "rental 2026-09": 2.90, "hyperscaler 2026-09": 1.50}
    for basis, usd in rent.items():
        assert found[basis] / found["neocloud 2026-08"] == pytest.approx(usd / 2.09)
