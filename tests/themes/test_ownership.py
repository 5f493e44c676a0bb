"""What an owned hour costs, part by part and by hand, and the price at which it costs as much as a rented one."""

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.core.interval import Interval
from analysis.themes import ownership
from analysis.themes.ownership import Terms

TERMS = Terms(4.0, 0.1, 0.08, 0.05, 1.0, Interval(1000.0, 1000.0), 1.3, 0.12)
CLOSE = {"rel": 1e-12}


def test_parts_of_an_owned_hour_by_hand() -> None:
    """40,000 dollars over four years of 8,760 hours, a tenth left; 8 % on the mean value; 5 % upkeep; 1 kW x 1.3."""
    found = ownership.hourly(Interval(40_000.0, 40_000.0), TERMS).set_index("part")["usd_low"]
    assert found.to_dict() == pytest.approx(
        {"depreciation": 36_000 / 35_040, "capital": 0.08 * 22_000 / 8760, "maintenance": 2000 / 8760,
         "electricity": 0.156, "total": 36_000 / 35_040 + 1760 / 8760 + 2000 / 8760 + 0.156}, **CLOSE,
    )  # fmt: skip


def test_parts_add_up_at_both_ends() -> None:
    found = ownership.hourly(Interval(20_000.0, 40_000.0), replace(TERMS, watts=Interval(700.0, 1000.0)))
    parts, total = found.iloc[:-1], found.iloc[-1]
    assert parts["part"].tolist() == list(ownership.PARTS)
    assert parts["usd_low"].sum() == pytest.approx(total["usd_low"], **CLOSE)
    assert parts["usd_high"].sum() == pytest.approx(total["usd_high"], **CLOSE)


def test_idle_hours_make_a_used_one_dearer_but_for_its_electricity() -> None:
    full, half = (
        ownership.hourly(Interval(4e4, 4e4), replace(TERMS, used_share=share)).set_index("part")["usd_low"]
        for share in (1.0, 0.5)
    )
    assert half["depreciation"] == pytest.approx(2 * full["depreciation"], **CLOSE)
    assert half["electricity"] == full["electricity"]


@settings(deadline=None)
@given(st.floats(0.5, 20), st.floats(1, 10), st.floats(0, 0.5), st.floats(0, 0.3), st.floats(0.1, 1))
def test_owning_at_the_break_even_price_costs_the_rent(
    rent: float, years: float, residual: float, capital: float, used: float
) -> None:
    terms = replace(TERMS, years=years, residual_share=residual, capital_share=capital, used_share=used)
    price = ownership.break_even(Interval(rent, rent), terms)
    total = ownership.hourly(price, terms).set_index("part").loc["total", "usd_low"]
    assert total == pytest.approx(rent, rel=1e-9)


@pytest.mark.parametrize(("name", "value"), [("years", 0.0), ("used_share", 0.0), ("used_share", 1.1)])
def test_impossible_terms_are_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} is {value}; expected"):
        replace(TERMS, **{name: value})


def test_rent_below_the_electricity_is_worth_no_purchase() -> None:
    assert ownership.break_even(Interval(0.1, 0.1), TERMS) == Interval(0.0, 0.0)


def test_break_even_pairs_the_lowest_rent_with_the_dearest_electricity() -> None:
    price = ownership.break_even(Interval(2.0, 4.0), replace(TERMS, watts=Interval(500.0, 1000.0)))
    share = sum(TERMS.hourly_shares().values())
    assert (price.low, price.high) == pytest.approx(((2 - 0.156) / share, (4 - 0.078) / share), **CLOSE)


def test_each_rent_has_its_own_price_to_buy_at_the_cheapest_first() -> None:
    """1 kW x 1.3 x 0.12 = 0.156 dollars of electricity an hour; a rent below it is worth no purchase."""
    offers = pd.DataFrame({"provider": ["A", "B", "C"], "price_low": [4.0, 0.1, 2.0], "price_high": [4.0, 0.1, 3.0]})
    found = ownership.beside_rents(offers, TERMS)
    share = sum(TERMS.hourly_shares().values())
    assert found["provider"].tolist() == ["B", "C", "A"]
    assert found["worth_buying_low"].tolist() == pytest.approx([0, 1.844 / share, 3.844 / share], **CLOSE)
    assert found["worth_buying_high"].tolist() == pytest.approx([0, 2.844 / share, 3.844 / share], **CLOSE)
    unknown = replace(TERMS, watts=Interval(float("nan"), float("nan")))
    assert ownership.beside_rents(offers, unknown)["worth_buying_low"].isna().all()
