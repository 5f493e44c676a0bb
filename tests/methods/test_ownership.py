"""What an owned hour costs, part by part and by hand, and the price at which it costs as much as a rented one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis._core.findings import exactly
from analysis._core.interval import Interval
from analysis.methods import ownership
from analysis.methods.ownership import Terms

TERMS = Terms(
    years=4.0,
    residual_share=0.1,
    capital_share=0.08,
    maintenance_share=0.05,
    used_share=1.0,
    host_share=exactly(0.25),
    network_share=exactly(0.1),
    place_usd_per_kilowatt_month=exactly(73.0),
    staff_usd_per_year=exactly(876.0),
    rent_falls_share=exactly(0.0),
    watts=Interval(1000.0, 1000.0),
    power_usage_effectiveness=1.3,
    usd_per_kilowatt_hour=0.12,
)
CLOSE = {"rel": 1e-12}
SHARES = st.floats(0.1, 0.95)
PARTS = ["accelerator", "host", "network", "place", "staff", "electricity"]
YEARLY = 0.9 / 4 + 0.08 * 1.1 / 2 + 0.05  # of the price of hardware
RUNNING = 73 * 12 / 8760 + 0.1 + 0.156  # dollars for each of all hours: place of 1 kW, staff, electricity


def dollars(usd):
    return Interval(usd, usd)


def test_parts_of_an_owned_hour_by_hand():
    """40,000 dollars over four years of 8,760 hours, a tenth left; 8 % on the mean value; 5 % upkeep; 1 kW x 1.3."""
    found = ownership.hourly(dollars(40_000.0), TERMS).set_index("part")["usd_low"]
    own = 40_000 * YEARLY / 8760
    parts = {"accelerator": own, "host": own / 4, "network": own / 10, "place": 0.1, "staff": 0.1, "electricity": 0.156}
    assert found.to_dict() == pytest.approx(parts | {"total": own * 1.35 + RUNNING}, **CLOSE)


@settings(deadline=None)
@given(st.floats(1e3, 1e5), st.floats(0, 1e5), st.floats(100, 1000), st.floats(0, 1000), SHARES, st.floats(0, 2))
def test_parts_add_up_at_both_ends(price, more, watts, wider, used, host):
    terms = replace(TERMS, watts=Interval(watts, watts + wider), used_share=used, host_share=Interval(host, host + 0.1))
    found = ownership.hourly(Interval(price, price + more), terms)
    parts, total = found.iloc[:-1], found.iloc[-1]
    assert (parts["part"].tolist(), total["part"]) == (PARTS, "total")
    for end in ("usd_low", "usd_high"):
        assert parts[end].sum() == pytest.approx(total[end], rel=1e-9)


def test_the_mean_rent_by_hand():
    """Of 1 today and 0.8 in a year the mean on the way is 0.2 / ln(1.25) = 0.896; over two years 0.8067."""
    falling = replace(TERMS, rent_falls_share=exactly(0.2), years=1.0)
    assert falling.mean_rent.low == falling.mean_rent.high == pytest.approx(0.2 / np.log(1.25), **CLOSE)
    steps = np.linspace(0, 2, 200_001)
    assert replace(falling, years=2.0).mean_rent.low == pytest.approx(float(np.mean(0.8**steps)), rel=1e-6)
    assert TERMS.mean_rent == exactly(1.0)


@pytest.mark.parametrize(
    ("name", "value"), [("years", 0.0), ("used_share", 0.0), ("used_share", 1.1), ("rent_falls_share", 1.0)],
)  # fmt: skip
def test_impossible_terms_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"{name} is {value:g}.*; expected"):
        replace(TERMS, **{name: exactly(value) if name == "rent_falls_share" else value})


def test_ranges_of_assumptions_are_told_as_ranges_by_hand():
    """Rent 3 dollars; a mean rent of 0.8 to 1; 1 kW at 73 to 146 a month, 876 to 1,752 of staff; host and network."""
    fall = 1 - np.exp(-0.45) ** (1 / TERMS.years)
    ranged = replace(
        TERMS,
        host_share=Interval(0.25, 0.5),
        network_share=Interval(0.1, 0.2),
        place_usd_per_kilowatt_month=Interval(73.0, 146.0),
        staff_usd_per_year=Interval(876.0, 1752.0),
        rent_falls_share=Interval(0.0, float(fall)),
    )
    assert ranged.mean_rent.high == 1.0
    assert ranged.mean_rent.low == pytest.approx((1 - np.exp(-0.45)) / 0.45, **CLOSE)
    found, share = ownership.break_even(dollars(3.0), ranged), YEARLY / 8760
    low = (3 * ranged.mean_rent.low - 0.556) / (1.7 * share)
    assert (found.low, found.high) == pytest.approx((low, (3 - 0.356) / (1.35 * share)), **CLOSE)
    owned = ownership.hourly(dollars(4e4), ranged).set_index("part").loc["total"]
    ends = 4e4 * 1.35 * share + 0.356, 4e4 * 1.7 * share + 0.556
    assert (owned["usd_low"], owned["usd_high"]) == pytest.approx(ends, **CLOSE)


def test_rent_below_running_costs_justifies_no_purchase():
    assert ownership.break_even(dollars(0.3), TERMS) == Interval(0.0, 0.0)


def test_break_even_by_share_of_use_and_way_to_rent():
    """At 2 dollars and half use, idle hours paid, an hour in use is rented for 4; what runs takes 0.556."""
    found = ownership.by_use(dollars(2.0), TERMS, [0.5, 1.0])
    half, full = 4380 / (1.35 * YEARLY), 8760 / (1.35 * YEARLY)
    assert found["used_share"].tolist() == [0.5, 0.5, 1.0, 1.0]
    assert found["rented"].tolist() == ["all hours rented", "only used hours rented"] * 2
    expected = [3.444 * half, 1.444 * half, 1.644 * full, 1.644 * full]
    assert found["break_even_low"].tolist() == pytest.approx(expected, **CLOSE)
    assert ownership.by_use(Interval(float("nan"), float("nan")), TERMS, [0.5])["break_even_low"].isna().all()


def test_every_assumption_is_in_the_table():
    found = ownership.table(TERMS, "measured").set_index("assumption")["value_low"]
    told = {"host": 0.25, "network": 0.1, "rack space": 73.0, "staff": 876.0, "decline of rents": 0.0}
    assert found[list(told)].to_dict() == told
    assert len(found) == len(TERMS.__dataclass_fields__)
