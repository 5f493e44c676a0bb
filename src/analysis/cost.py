"""Price throughput: dollars per accelerator-hour, per million tokens, and what they break even with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from analysis import names, tables

COST_MODELS = {
    "neocloud": "neocloud total cost of ownership",
    "hyperscaler": "hyperscaler total cost of ownership",
    "rental": "three-year rental",
}
PLAUSIBLE_USD = (0.01, 1000.0)  # dollars per accelerator-hour
SECONDS_PER_HOUR = 3600
COLUMNS = ["accelerator", "usd_per_hour", "kilowatts", "quoted", "provider", "source_id"]


def prices(
    cost_model: str = "neocloud",
    *,
    quoted: str = "",
    own: str | Path | Mapping[str, float] | pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the price of each accelerator, one row each: the newest quotation of `cost_model` in data/prices.csv.

    Columns: accelerator (short name), usd_per_hour (dollars per accelerator-hour), kilowatts (all-in, per accelerator),
    quoted (date), provider, source_id. `quoted` such as "2026-04" asks for another date. `own` prices replace those
    listed: a mapping, a frame, or a CSV file with the columns accelerator and usd_per_hour. Raises ValueError for an
    unknown cost model, date, or accelerator, and for a price that cannot be.
    """
    listed = tables.prices
    names.choose(cost_model, COST_MODELS, "cost model")
    listed = listed[listed["cost_model"].eq(cost_model) & listed["duplicate_of"].eq("")]
    if quoted:
        dates = sorted(listed["quoted"].unique())
        near = [date for date in dates if date.startswith(quoted)] or [names.choose(quoted, dates, "date of prices")]
        listed = listed[listed["quoted"].isin(near)]
    short = tables.accelerators.set_index("accelerator")["label"]
    listed = listed.assign(
        accelerator=listed["accelerator"].map(short).fillna(listed["accelerator"]),
        usd_per_hour=(listed["usd_per_accelerator_hour_low"] + listed["usd_per_accelerator_hour_high"]) / 2,
    ).rename(columns={"all_in_kilowatts": "kilowatts"})
    listed = listed.sort_values("quoted").drop_duplicates("accelerator", keep="last")[COLUMNS]
    if own is None:
        return listed.sort_values("accelerator", ignore_index=True)
    mine = own_prices(own).merge(listed[["accelerator", "kilowatts"]], how="left", on="accelerator")
    others = listed[~listed["accelerator"].isin(mine["accelerator"])]
    return pd.concat([others, mine], ignore_index=True).sort_values("accelerator", ignore_index=True)


def own_prices(own: str | Path | Mapping[str, float] | pd.DataFrame) -> pd.DataFrame:
    """Return a user's own prices with the columns of `prices`. Raises ValueError naming the file, row, and column."""
    where = "own prices"
    if isinstance(own, str | Path):
        where, own = str(own), pd.read_csv(own, encoding="utf-8-sig", keep_default_na=False)
    frame = own if isinstance(own, pd.DataFrame) else pd.DataFrame(own.items(), columns=["accelerator", "usd_per_hour"])
    for column in ("accelerator", "usd_per_hour"):
        if column not in frame:
            raise ValueError(f"{where}: no column {column!r}; expected accelerator and usd_per_hour")
    usd = pd.to_numeric(frame["usd_per_hour"], errors="coerce")
    wrong = ~usd.between(*PLAUSIBLE_USD)
    if wrong.any():
        row, cell = frame.index[wrong][0] + 2, frame.loc[wrong, "usd_per_hour"].iloc[0]
        low, high = PLAUSIBLE_USD
        raise ValueError(f"{where}, row {row}, usd_per_hour: {str(cell)[:40]!r} is no price from {low} to {high:.0f}")
    named = [names.accelerator(str(name)) for name in frame["accelerator"]]
    return pd.DataFrame(
        {"accelerator": named, "usd_per_hour": usd.to_numpy(), "quoted": "own", "provider": "own", "source_id": ""}
    )


def usd_per_million(rate_per_accelerator: pd.Series, usd_per_hour: pd.Series, share: float = 1.0) -> pd.Series:
    """Return dollars per million tokens (or samples) from a rate per second and a price per accelerator-hour.

    `share` is the share of that rate that is delivered, such as `derating.delivered_share()`.
    """
    return usd_per_hour / (rate_per_accelerator * share * SECONDS_PER_HOUR) * 1e6
