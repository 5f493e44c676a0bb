"""The numbers of the page on choosing an accelerator, counted again by plain pandas."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from tests.reports.plain import newest_prices, table, values
from tests.reports.test_recount_price_performance import delivered

USERS, SPEED = 10_000, 25.0
MEASURED = ["GB200", "B200", "MI355X", "B300", "GB300"]


@pytest.fixture(scope="module")
def plans():
    both = [table("accelerator_choice", name).set_index("accelerator") for name in ("plans", "behind")]
    return pd.concat(both, axis=1)


@pytest.mark.parametrize("accelerator", MEASURED)
def test_accelerators_are_users_over_delivered_throughput_in_whole_units(plans, accelerator):
    """P50 is the hand's number of nodes or racks, or one beside it; the used share is the median of the draws."""
    row, unit = plans.loc[accelerator], 72 if accelerator.startswith("GB") else 8
    share = delivered("chat", accelerator)
    assert row["delivered"] == pytest.approx(share, rel=1e-3)
    needed = USERS * SPEED / (row["throughput"] * share)
    assert row["accelerators_p50"] % unit == 0
    assert abs(row["accelerators_p50"] - math.ceil(needed / unit) * unit) <= unit
    assert row["used"] == pytest.approx(needed / row["accelerators_p50"], rel=0.15) and row["used"] <= 1


def test_dollars_and_kilowatts_are_those_of_what_is_rented(plans):
    rows = plans.loc[[*MEASURED, "H200"]]
    price, kilowatts = (
        newest_prices(each)[rows.index] for each in ("usd_per_accelerator_hour_low", "all_in_kilowatts")
    )
    expected = {
        "usd_per_hour_p50": rows["accelerators_p50"] * price,
        "usd_per_hour_p90": rows["accelerators_p90"] * price,
        "usd_per_million_tokens_p50": rows["accelerators_p50"] * price / (USERS * SPEED * 0.0036),
        "kilowatts_p50": rows["accelerators_p50"] * kilowatts,
        "usd_per_million_at_full_use": price / (rows["throughput"] * rows["delivered"] * 0.0036),
    }
    for column, numbers in expected.items():
        assert rows[column].to_dict() == pytest.approx(numbers.to_dict()), column


def test_headline_and_findings_are_those_of_the_table(plans):
    ranked = plans[plans["evidence"].ne("estimated") & plans["reason"].isna()].sort_values("usd_per_hour_p50")
    found = values("accelerator_choice")
    assert found["answer"] == ranked["usd_per_hour_p50"].iloc[0]
    assert found["per_million"] == pytest.approx(ranked["usd_per_million_at_full_use"].iloc[0])
    first, second = ranked["usd_per_hour_p50"].head(2)
    changes = table("accelerator_choice", "changes")
    assert changes["margin"].iloc[0] == pytest.approx(second / first - 1)
    assert found["stays_first"] == changes["accelerator"].iloc[1:].eq(ranked.index[0]).sum()


def test_break_even_prices_cost_what_the_cheapest_does(plans):
    least = plans.loc[plans["evidence"].ne("estimated"), "usd_per_hour_p50"].min()
    known = plans.dropna(subset="accelerators_p50")
    assert (known["break_even"] * known["accelerators_p50"]).to_numpy() == pytest.approx(least)


def test_pages_have_one_answer_to_one_question():
    """Throughput measured in the newest round on the pages of interactivity and cost; who is cheapest on two pages.

    Costs carry earlier results to the newest round's software, interactivity shows them as measured.
    """
    key = ["interactivity", "accelerator"]
    costs = table("price_performance", "costs").query("evidence == 'measured'").set_index(key)["throughput"]
    curve = table("interactivity", "throughput").set_index(key)["throughput"]
    both = costs.index.intersection(curve.index)
    assert len(both) >= 15 and curve[both].to_numpy() == pytest.approx(costs[both].to_numpy())
    winner = table("price_performance", "winners").set_index("at").loc["66.7 tokens/s per user"]
    here = table("accelerator_choice", "changes").set_index("change").loc["66.7 tokens/s per user"]
    assert (here["accelerator"], here["runner_up"]) == (winner["accelerator"], winner["runner_up"])
