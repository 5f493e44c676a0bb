"""What plans are made with: throughput, price and speed per user as ranges from tables; draws do not belong here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.interval import Interval

UNKNOWN = Interval(np.nan, np.nan)


def throughput(rows: pd.DataFrame, accelerator: str) -> Interval:
    """Rate per accelerator over comparable rows, official rows alone where there are any; unknown without rows."""
    own = rows[rows["accelerator"].eq(accelerator)]
    official = own[own["origin"].eq("official")]
    return _spread(official if len(official) else own, "per_accelerator")


def price_range(prices: pd.DataFrame, accelerator: str, given: Sequence[float] = ()) -> Interval:
    """US dollars per accelerator-hour: `given` low and high, else over all offers in `prices`; unknown without one."""
    if given:
        return Interval(float(given[0]), float(given[-1]))
    offers = prices[prices["accelerator"].eq(accelerator) & prices["duplicate_of"].eq("")]
    return _spread(offers, "usd_per_accelerator_hour")


def guaranteed_speed(limits: pd.DataFrame, benchmark: str, scenario: str) -> float | None:
    """Tokens per second to a user that a scenario's p99 limit on time per output token leaves: 1000 / limit in ms."""
    rows = limits[limits["quantity"].eq("tpot_p99_limit") & limits["benchmark"].eq(benchmark)]
    rows = rows[rows["scenario"].eq(scenario)]
    return 1000.0 / float(rows["high"].min()) if len(rows) else None


def _spread(rows: pd.DataFrame, name: str) -> Interval:
    return Interval(float(rows[f"{name}_low"].min()), float(rows[f"{name}_high"].max())) if len(rows) else UNKNOWN
