"""What an hour of an owned accelerator costs, and the purchase price at which owning equals renting.

Every assumption is an argument: nothing is taken for granted about what hardware, money or electricity cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.core import interval
from analysis.core.interval import Interval

HOURS_PER_YEAR = 8760.0
PARTS = ("depreciation", "capital", "maintenance", "electricity")


@dataclass(frozen=True)
class Terms:
    """On what terms an accelerator is owned; shares are of the purchase price, per year where so named.

    `residual_share` is left after `years`, straight-line; `capital_share` a year on the mean value; `used_share` of all
    hours are worked, and those alone are compared with rented hours. `watts` at the wall, with the building's
    `power_usage_effectiveness`. Raises ValueError for no years, no hours used or more than all.
    """

    years: float
    residual_share: float
    capital_share: float
    maintenance_share: float
    used_share: float
    watts: Interval
    power_usage_effectiveness: float
    usd_per_kilowatt_hour: float

    def __post_init__(self) -> None:
        if not self.years > 0:
            raise ValueError(f"years is {self.years!r}; expected a number above 0")
        if not 0 < self.used_share <= 1:
            raise ValueError(f"used_share is {self.used_share!r}; expected a share above 0, at most 1")

    def hourly_shares(self) -> dict[str, float]:
        """The share of the purchase price that each part takes for an hour that is used."""
        worked = HOURS_PER_YEAR * self.used_share
        return {
            "depreciation": (1 - self.residual_share) / self.years / worked,
            "capital": self.capital_share * (1 + self.residual_share) / 2 / worked,
            "maintenance": self.maintenance_share / worked,
        }

    @property
    def electricity(self) -> Interval:
        """US dollars for an hour that is used: kilowatts x PUE x price; idle hours are taken to draw nothing."""
        return self.watts * (self.power_usage_effectiveness * self.usd_per_kilowatt_hour / 1000)


def hourly(purchase: Interval, terms: Terms) -> pd.DataFrame:
    """US dollars per used accelerator-hour by part: part (PARTS, then `total`), usd_low, usd_high; parts add up.

    No rows where the purchase price or the watts are not known.
    """
    if not (purchase.known and terms.watts.known):
        return pd.DataFrame(columns=["part", "usd_low", "usd_high"])
    parts = {name: purchase * share for name, share in terms.hourly_shares().items()} | {
        "electricity": terms.electricity
    }
    total = parts["electricity"]
    for name in PARTS[:-1]:
        total = total + parts[name]
    rows = [(name, usd.low, usd.high) for name, usd in [*parts.items(), ("total", total)]]
    return pd.DataFrame(rows, columns=["part", "usd_low", "usd_high"])


def break_even(rent: Interval, terms: Terms) -> Interval:
    """The purchase price in US dollars at which owning costs as much an hour as renting at `rent`.

    (rent - electricity) / the sum of the hourly shares: dearer than this, renting is cheaper. `rent` may hold Series.
    The lowest end pairs the lowest rent with the dearest electricity; zero where electricity alone costs more than
    the rent.
    """
    share = sum(terms.hourly_shares().values())
    power = terms.electricity
    return Interval(np.maximum(rent.low - power.high, 0.0) / share, np.maximum(rent.high - power.low, 0.0) / share)


def beside_rents(offers: pd.DataFrame, terms: Terms) -> pd.DataFrame:
    """The offers with worth_buying_low/high: the purchase price in US dollars at which owning costs their rent.

    `offers` have price_low/high, US dollars per accelerator-hour; NaN where the watts are not known. Cheapest first.
    """
    known = interval.put(offers, "worth_buying", break_even(interval.of(offers, "price"), terms))
    return known.sort_values(["price_low", "price_high"], kind="stable", ignore_index=True)


def table(terms: Terms, watts_basis: str) -> pd.DataFrame:
    """Every assumption: assumption, value_low, value_high, unit; `watts_basis` says what the watts are."""
    rows = [
        ("years of depreciation", terms.years, terms.years, "years"),
        ("value left after them", terms.residual_share, terms.residual_share, "share of the purchase price"),
        ("cost of capital", terms.capital_share, terms.capital_share, "share of the mean value, a year"),
        ("upkeep", terms.maintenance_share, terms.maintenance_share, "share of the purchase price, a year"),
        ("hours worked", terms.used_share, terms.used_share, "share of all hours"),
        ("power", terms.watts.low, terms.watts.high, f"watts, {watts_basis}"),
        ("overhead of the building", *[terms.power_usage_effectiveness] * 2, "ratio (PUE)"),
        ("electricity", *[terms.usd_per_kilowatt_hour] * 2, "US dollars per kilowatt-hour"),
    ]
    return pd.DataFrame(rows, columns=["assumption", "value_low", "value_high", "unit"])
