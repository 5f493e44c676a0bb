"""Cost of an owned accelerator-hour, and the purchase price at which owning costs as much as renting.

Every assumption is an argument: costs of hardware, capital, rack space, and staff are not known here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis._core.interval import Interval
from analysis._core.number_words import as_interval

HOURS_PER_YEAR = 8760.0
NOTHING = Interval(0.0, 0.0)
WAYS = {True: "all hours rented", False: "only used hours rented"}  # ways to rent, by whether idle hours are paid


@dataclass(frozen=True)
class Terms:
    """Terms of ownership; shares are of the accelerator's purchase price, per year where so named.

    Host and network are bought with the accelerator (`host_share`, `network_share`). All three have a residual value of
    `residual_share` after `years` of straight-line depreciation; `capital_share` per year is paid on the mean value,
    `maintenance_share` per year on the price. `used_share` of all hours are in use. `watts` are at the wall, times
    `power_usage_effectiveness`. Rents decline by `rent_falls_share` per year. Raises ValueError for years of 0 or less,
    a share of use outside 0 to 1, and a decline of 1 or more or below 0.
    """

    years: float
    residual_share: float
    capital_share: float
    maintenance_share: float
    used_share: float
    host_share: Interval
    network_share: Interval
    place_usd_per_kilowatt_month: Interval
    staff_usd_per_year: Interval
    rent_falls_share: Interval
    watts: Interval
    power_usage_effectiveness: float
    usd_per_kilowatt_hour: float

    def __post_init__(self) -> None:
        if not self.years > 0:
            raise ValueError(f"years is {self.years!r}; expected a number above 0")
        if not 0 < self.used_share <= 1:
            raise ValueError(f"used_share is {self.used_share!r}; expected a share above 0, at most 1")
        if not 0 <= self.rent_falls_share.low <= self.rent_falls_share.high < 1:
            stated = self.rent_falls_share.text(None)
            raise ValueError(f"rent_falls_share is {stated}; expected shares of 0 or more, below 1, low then high")

    @property
    def hours(self) -> float:
        """Hours in use per year."""
        return HOURS_PER_YEAR * self.used_share

    def hardware_shares(self) -> dict[str, Interval]:
        """Share of the accelerator's purchase price per hour in use: accelerator, host, and network."""
        yearly = (1 - self.residual_share) / self.years + self.capital_share * (1 + self.residual_share) / 2
        hourly = (yearly + self.maintenance_share) / self.hours
        parts = {"accelerator": Interval(1.0, 1.0), "host": self.host_share, "network": self.network_share}
        return {name: part * hourly for name, part in parts.items()}

    def running(self) -> dict[str, Interval]:
        """US dollars per hour in use of place, staff, and electricity; idle hours draw no power."""
        kilowatts = self.watts / 1000
        return {
            "place": kilowatts * self.place_usd_per_kilowatt_month * (12 / self.hours),
            "staff": self.staff_usd_per_year / self.hours,
            "electricity": kilowatts * (self.power_usage_effectiveness * self.usd_per_kilowatt_hour),
        }

    def rent_of_work(self, rent: Interval, all_hours: bool) -> Interval:
        """US dollars of rent per hour in use; where `all_hours` are rented it includes the idle ones."""
        return rent * (1 / self.used_share) if all_hours else rent

    @property
    def mean_rent(self) -> Interval:
        """Mean rent over the years over today's: the mean of (1 - decline) ** t for t from 0 to `years`."""
        return Interval(self._mean(self.rent_falls_share.high), self._mean(self.rent_falls_share.low))

    def _mean(self, fall: float) -> float:
        exponent = self.years * math.log1p(-fall)
        return math.expm1(exponent) / exponent if exponent else 1.0


def hourly(purchase: Interval, terms: Terms) -> pd.DataFrame:
    """Return US dollars per accelerator-hour in use by part: part, usd_low, usd_high.

    Parts: accelerator, host, network, place, staff, electricity, then `total`. No rows where the purchase price or the
    watts are unknown.
    """
    if not (purchase.known and terms.watts.known):
        return pd.DataFrame(columns=["part", "usd_low", "usd_high"])
    parts = {name: purchase * share for name, share in terms.hardware_shares().items()} | terms.running()
    rows = [(name, usd.low, usd.high) for name, usd in [*parts.items(), ("total", sum(parts.values(), NOTHING))]]
    return pd.DataFrame(rows, columns=["part", "usd_low", "usd_high"])


def break_even(rent: Interval, terms: Terms) -> Interval:
    """Return the accelerator's purchase price in US dollars at which owning costs as much per hour as renting.

    (rent x mean_rent - running costs) / hardware_shares, `rent` being today's per hour in use (Terms.rent_of_work).
    The low end pairs the lowest rent with the highest of each assumption; 0 where running costs exceed the rent.
    """
    mean, runs, shares = (
        terms.mean_rent,
        sum(terms.running().values(), NOTHING),
        sum(terms.hardware_shares().values(), NOTHING),
    )
    low, high = rent.low * mean.low - runs.high, rent.high * mean.high - runs.low
    return Interval(np.maximum(low, 0.0) / shares.high, np.maximum(high, 0.0) / shares.low)


def by_use(rent: Interval, terms: Terms, used_shares: Sequence[float]) -> pd.DataFrame:
    """Return the purchase price that breaks even with `rent` per share of hours in use and way to rent, in this order.

    Columns: used_share, rented (a value of WAYS), break_even_low/high (US dollars, see `break_even`; NaN where the rent
    or the watts are unknown).
    """
    rows = []
    for share in used_shares:
        at_share = replace(terms, used_share=share)
        for all_hours, words in WAYS.items():
            price = break_even(at_share.rent_of_work(rent, all_hours), at_share)
            rows.append((share, words, price.low, price.high))
    return pd.DataFrame(rows, columns=["used_share", "rented", "break_even_low", "break_even_high"])


def table(terms: Terms, watts_basis: str) -> pd.DataFrame:
    """Return every assumption: assumption, value_low, value_high, unit; `watts_basis` says what the watts are."""
    price = "share of the accelerator's purchase price"
    rows = [
        ("years of use", terms.years, "years"),
        ("residual value", terms.residual_share, "share of the purchase price"),
        ("cost of capital", terms.capital_share, "share of the mean value, per year"),
        ("maintenance", terms.maintenance_share, "share of the purchase price, per year"),
        ("host", terms.host_share, price),
        ("network", terms.network_share, price),
        ("rack space", terms.place_usd_per_kilowatt_month, "US dollars per kilowatt-month"),
        ("staff", terms.staff_usd_per_year, "US dollars per accelerator-year"),
        ("decline of rents", terms.rent_falls_share, "share per year"),
        ("hours in use", terms.used_share, "share of all hours"),
        ("power", terms.watts, f"watts, {watts_basis}"),
        ("facility overhead", terms.power_usage_effectiveness, "ratio (PUE)"),
        ("electricity", terms.usd_per_kilowatt_hour, "US dollars per kilowatt-hour"),
    ]
    values = [as_interval(value).columns("value") for _, value, _ in rows]
    return pd.DataFrame(
        [{"assumption": row[0], **ends, "unit": row[2]} for row, ends in zip(rows, values, strict=True)]
    )
