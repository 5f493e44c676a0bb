"""What an hour of an owned accelerator costs, and the purchase price at which owning equals renting.

Every assumption is an argument: nothing is taken for granted about what hardware, money, a place or staff cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd

from analysis.core import interval
from analysis.core.interval import Interval

HOURS_PER_YEAR = 8760.0
HARDWARE, RUNNING = ("accelerator", "host", "network"), ("place", "staff", "electricity")
PARTS = (*HARDWARE, *RUNNING)
RENT = "rent"  # of today, beside the fields of Terms
WORTHS = ("worth", "worth_all_hours")  # purchase prices that break even: if worked hours alone are rented, if all are


@dataclass(frozen=True)
class Terms:
    """On what terms an accelerator is owned; shares are of the accelerator's purchase price, per year where so named.

    Its host and its network are bought with it (`host_share`, `network_share`). Of all three `residual_share` is left
    after `years`, straight-line; `capital_share` a year is paid on the mean value, `maintenance_share` a year for
    upkeep. `used_share` of all hours are worked: a rent is paid for these alone, or for all (rent_of_work). `watts` at
    the wall, with the building's `power_usage_effectiveness`. A place is paid by the kilowatt of machines and the
    month, staff by the accelerator and the year. A rented hour costs a share of `rent_falls_share` less each year. What
    is a range is assumed as one. Raises ValueError for no years, no hours used or more than all, and a rent that falls
    by all of it or rises.
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
        """The hours of a year that are worked."""
        return HOURS_PER_YEAR * self.used_share

    def hardware_shares(self) -> dict[str, Interval]:
        """The share of the accelerator's purchase price that each part of HARDWARE takes for an hour that is used."""
        yearly = (1 - self.residual_share) / self.years + self.capital_share * (1 + self.residual_share) / 2
        hourly = (yearly + self.maintenance_share) / self.hours
        parts = {"accelerator": Interval(1.0, 1.0), "host": self.host_share, "network": self.network_share}
        return {name: part * hourly for name, part in parts.items()}

    def running(self) -> dict[str, Interval]:
        """US dollars of each part of RUNNING for an hour that is used; idle hours are taken to draw nothing."""
        kilowatts = self.watts / 1000
        return {
            "place": kilowatts * self.place_usd_per_kilowatt_month * (12 / self.hours),
            "staff": self.staff_usd_per_year / self.hours,
            "electricity": kilowatts * (self.power_usage_effectiveness * self.usd_per_kilowatt_hour),
        }

    def rent_of_work(self, rent: Interval, all_hours: bool) -> Interval:
        """US dollars of rent for an hour that is worked: the idle ones are paid too where `all_hours` are rented."""
        return rent * (1 / self.used_share) if all_hours else rent

    @property
    def mean_rent(self) -> Interval:
        """The mean of the rent over the years, over that of today: of (1 - fall) ** t for t from 0 to `years`."""
        return Interval(self._mean(self.rent_falls_share.high), self._mean(self.rent_falls_share.low))

    def _mean(self, fall: float) -> float:
        exponent = self.years * math.log1p(-fall)
        return math.expm1(exponent) / exponent if exponent else 1.0

    @property
    def purchase_per_rent(self) -> Interval:
        """US dollars of purchase price that each further dollar of today's hourly rent is worth."""
        return self.mean_rent / _total(self.hardware_shares().values())

    @property
    def least_rent(self) -> Interval:
        """Today's hourly rent in US dollars that pays what runs and nothing else: below it no purchase is worth it."""
        return _total(self.running().values()) / self.mean_rent


def hourly(purchase: Interval, terms: Terms) -> pd.DataFrame:
    """US dollars per used accelerator-hour by part: part (PARTS, then `total`), usd_low, usd_high; parts add up.

    No rows where the purchase price or the watts are not known.
    """
    if not (purchase.known and terms.watts.known):
        return pd.DataFrame(columns=["part", "usd_low", "usd_high"])
    parts = {name: purchase * share for name, share in terms.hardware_shares().items()} | terms.running()
    rows = [(name, usd.low, usd.high) for name, usd in [*parts.items(), ("total", _total(parts.values()))]]
    return pd.DataFrame(rows, columns=["part", "usd_low", "usd_high"])


def break_even(rent: Interval, terms: Terms) -> Interval:
    """The accelerator's purchase price in US dollars at which owning costs as much an hour as renting, over the years.

    (rent x mean_rent - what runs) / hardware_shares, `rent` being that of today for an hour that is worked
    (Terms.rent_of_work): dearer than this, renting is cheaper. `rent` may hold Series. The lowest end pairs the lowest
    rent with the dearest of each assumption; zero where what runs alone costs more.
    """
    mean, runs, shares = terms.mean_rent, _total(terms.running().values()), _total(terms.hardware_shares().values())
    low, high = rent.low * mean.low - runs.high, rent.high * mean.high - runs.low
    return Interval(np.maximum(low, 0.0) / shares.high, np.maximum(high, 0.0) / shares.low)


def widened_by(rent: Interval, terms: Terms) -> tuple[str, ...]:
    """What widens `break_even` most: RENT, or the field of `terms` that is a range, the most first.

    Each by itself is put in its middle: named are those that then narrow the range at least half as much as the first.
    """
    values = {field.name: getattr(terms, field.name) for field in fields(terms)}
    fixed = {RENT: (_middle(rent), terms)} | {
        name: (rent, replace(terms, **{name: _middle(value)}))
        for name, value in values.items()
        if isinstance(value, Interval)
    }
    width = _width(break_even(rent, terms))
    less = {name: width - _width(break_even(*at_middle)) for name, at_middle in fixed.items()}
    most = max(less.values())
    return tuple(sorted((name for name in less if less[name] >= most / 2 > 0), key=lambda name: -less[name]))


def by_use(rent: Interval, terms: Terms, used_shares: Sequence[float]) -> pd.DataFrame:
    """One row per share of hours that is used, each with its ends: used_share, purchase_per_rent, least_rent, WORTHS.

    `worth` is the purchase price of `break_even` if worked hours alone are rented, `worth_all_hours` if all are;
    `widened_by` says what makes `worth` so wide. NaN and () where the rent or the watts are not known.
    """
    rows = []
    for share in used_shares:
        at_share = replace(terms, used_share=share)
        ranges = at_share.purchase_per_rent, at_share.least_rent, *_worths(rent, at_share)
        rows.append((share, widened_by(rent, at_share), *(end for range_ in ranges for end in _ends(range_))))
    names = [f"{name}_{end}" for name in ("purchase_per_rent", "least_rent", *WORTHS) for end in ("low", "high")]
    return pd.DataFrame(rows, columns=["used_share", "widened_by", *names])


def beside_rents(offers: pd.DataFrame, terms: Terms) -> pd.DataFrame:
    """The offers with WORTHS: the purchase price in US dollars at which owning costs their rent, as in `by_use`.

    `offers` have price_low/high, US dollars per accelerator-hour; NaN where the watts are not known. Cheapest first.
    """
    worth = offers
    for name, price in zip(WORTHS, _worths(interval.of(offers, "price"), terms), strict=True):
        worth = interval.put(worth, name, price)
    return worth.sort_values(["price_low", "price_high"], kind="stable", ignore_index=True)


def table(terms: Terms, watts_basis: str) -> pd.DataFrame:
    """Every assumption: assumption, value_low, value_high, unit; `watts_basis` says what the watts are."""
    rows = [
        ("years of use", terms.years, terms.years, "years"),
        ("value left after them", terms.residual_share, terms.residual_share, "share of the purchase price"),
        ("cost of capital", terms.capital_share, terms.capital_share, "share of the mean value, a year"),
        ("upkeep", terms.maintenance_share, terms.maintenance_share, "share of the purchase price, a year"),
        ("host", *_ends(terms.host_share), "share of the accelerator's purchase price"),
        ("network", *_ends(terms.network_share), "share of the accelerator's purchase price"),
        ("place", *_ends(terms.place_usd_per_kilowatt_month), "US dollars per kilowatt and month"),
        ("staff", *_ends(terms.staff_usd_per_year), "US dollars per accelerator and year"),
        ("fall of the rent", *_ends(terms.rent_falls_share), "share, a year"),
        ("hours worked", terms.used_share, terms.used_share, "share of all hours"),
        ("power", terms.watts.low, terms.watts.high, f"watts, {watts_basis}"),
        ("overhead of the building", *[terms.power_usage_effectiveness] * 2, "ratio (PUE)"),
        ("electricity", *[terms.usd_per_kilowatt_hour] * 2, "US dollars per kilowatt-hour"),
    ]
    return pd.DataFrame(rows, columns=["assumption", "value_low", "value_high", "unit"])


def _worths(rent: Interval, terms: Terms) -> list[Interval]:
    """The break-even prices of WORTHS: if worked hours alone are rented, and if all are."""
    return [break_even(terms.rent_of_work(rent, all_hours), terms) for all_hours in (False, True)]


def _middle(range_: Interval) -> Interval:
    half = (range_.low + range_.high) / 2  # Some are shares that begin at nothing, and have no middle by factors.
    return Interval(half, half)


def _width(range_: Interval) -> float:
    return float(range_.high - range_.low)


def _ends(range_: Interval) -> tuple[float, float]:
    return range_.low, range_.high


def _total(parts: Iterable[Interval]) -> Interval:
    total = Interval(0.0, 0.0)
    for part in parts:
        total = total + part
    return total
