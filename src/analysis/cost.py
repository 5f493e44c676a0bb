"""Price throughput: dollars per accelerator-hour and per million tokens, and break-even prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from analysis import derating, names, tables
from analysis.compare import NoData
from analysis.power import HOURS_PER_YEAR, usd_per_megawatt_year
from analysis.results import load_results

COST_MODELS = {
    "neocloud": "neocloud total cost of ownership",
    "hyperscaler": "hyperscaler total cost of ownership",
    "rental": "three-year rental",
    "on_demand": "neocloud on-demand list price",
    "capacity_block": "AWS capacity block",
    "one_year": "hyperscaler list price for one year",
    "three_years": "hyperscaler list price for three years",
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
    unknown cost model, date, or accelerator, and an implausible price.
    """
    listed = tables.prices
    names.choose(cost_model, COST_MODELS, "cost model")
    listed = listed[listed["cost_model"].eq(cost_model) & listed["duplicate_of"].eq("")]
    if quoted:
        dates = sorted(listed["quoted"].unique())
        near = [date for date in dates if date.startswith(quoted)] or [names.choose(quoted, dates, "date of prices")]
        listed = listed[listed["quoted"].isin(near)]
    listed = listed.assign(
        accelerator=names.short(listed["accelerator"]),
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
    where, columns = "own prices", ["accelerator", "usd_per_hour"]
    if isinstance(own, str | Path):
        where, frame = str(own), tables.read_own(own, columns)
    else:
        frame = own if isinstance(own, pd.DataFrame) else pd.DataFrame(own.items(), columns=columns)
        for column in columns:
            names.choose(column, frame.columns, "column of own prices")
        frame = frame.reset_index(drop=True)
    usd = tables.numbers(frame, ["usd_per_hour"], *PLAUSIBLE_USD, where)["usd_per_hour"]
    named: list[str] = []
    for line, name in frame["accelerator"].astype("str").items():
        try:
            named.append(names.accelerator(name))
        except ValueError as error:
            raise ValueError(f"{where}, row {line + 2}: {error}") from None
        if named[-1] in named[:-1]:
            raise ValueError(f"{where}, row {line + 2}: {named[-1]} has a price already")
    return pd.DataFrame(
        {"accelerator": named, "usd_per_hour": usd.to_numpy(), "quoted": "own", "provider": "own", "source_id": ""}
    )


def basis(prices: pd.DataFrame, cost_model: str) -> str:
    """Return whose prices, and of when, such as "own for B200, else three-year rental of 2026-08-01"."""
    own = prices["quoted"].eq("own")
    listed = f"{COST_MODELS[cost_model]} of {prices.loc[~own, 'quoted'].max()}"
    return f"own for {names.listed(prices.loc[own, 'accelerator'])}, else {listed}" if own.any() else listed


def usd_per_million(
    rate_per_accelerator: pd.Series, usd_per_hour: pd.Series, share: float | pd.Series = 1.0
) -> pd.Series:
    """Return dollars per million tokens (or samples) from a rate per second and a price per accelerator-hour.

    `share` is the share of that rate that is delivered, such as `derating.delivered_share()`.
    """
    return usd_per_hour / (rate_per_accelerator * share * SECONDS_PER_HOUR) * 1e6


def per_million_tokens(throughput: pd.DataFrame, prices: pd.DataFrame, fleet: str = "fixed") -> pd.DataFrame:
    """Return dollars per million delivered output tokens of each accelerator at each interactivity, cheapest first.

    `throughput` as `planner.curve.throughput_at` returns it, `prices` as `prices` does; accelerators without a price
    are left out. Added columns: usd_per_hour, kilowatts, quoted, `use` (see `derating.use_at`), `served` (the share of
    such throughput that a fleet delivers, see `derating.beside_limit`), `usd_per_million` with `usd_low` and
    `usd_high` from the error of the throughput, `estimated`, `at` (the interactivity in words).
    Raises NoData where none is left.
    """
    rows = throughput.merge(prices, on="accelerator").dropna(subset="throughput")
    if rows.empty:
        asked = names.listed(throughput["interactivity"].map("{:g} tokens/s per user".format))
        raise NoData(f"no accelerator with a price has a throughput at {asked or 'the interactivity asked for'}")
    use = rows["interactivity"].map(derating.use_at)
    keys = zip(rows["interactivity"], rows["accelerator"], strict=True)
    served = pd.Series([derating.beside_limit(*key, fleet)["median"].prod() for key in keys], rows.index)
    usd = {
        name: usd_per_million(rows[column], rows["usd_per_hour"], served)
        for name, column in (("usd_per_million", "throughput"), ("usd_low", "high"), ("usd_high", "low"))
    }
    rows = rows.assign(use=use, served=served, **usd, estimated=rows["evidence"].eq("estimated"))
    at = rows["interactivity"].map("{:g} tokens/s per user".format).mask(rows["interactivity"].eq(0), "no limit")
    return rows.assign(at=at).sort_values(["interactivity", "usd_per_million"], ignore_index=True)


def cheapest(costs: pd.DataFrame) -> pd.DataFrame:
    """Return the cheapest accelerator and the runner-up at each interactivity.

    Results come before estimates, as in `planner.choice`: an estimated throughput counts only where no accelerator has
    a measured or interpolated one, and the runner-up has the same evidence. Columns: interactivity, at (in words), use,
    accelerator, usd_per_million, evidence, runner_up, runner_up_usd, margin (share by which the runner-up costs more),
    served, round, submitter.
    """
    costs = costs.assign(estimated=costs["evidence"].eq("estimated"))
    costs = costs.sort_values(["interactivity", "estimated", "usd_per_million"])
    first = costs.drop_duplicates("interactivity")
    costs = costs[costs["estimated"].eq(costs.groupby("interactivity")["estimated"].transform("first"))]
    second = costs[costs.duplicated("interactivity")].drop_duplicates("interactivity").set_index("interactivity")
    second = second.reindex(first["interactivity"]).set_axis(first.index)
    found = first.assign(runner_up=second["accelerator"], runner_up_usd=second["usd_per_million"])
    found["margin"] = found["runner_up_usd"] / found["usd_per_million"] - 1
    columns = ["interactivity", "at", "use", "accelerator", "usd_per_million", "evidence", "runner_up", "runner_up_usd"]
    return found[[*columns, "margin", "served", "round", "submitter"]].reset_index(drop=True)


def cheapest_in_words(winners: pd.DataFrame, among: str = "") -> str:
    """Return who is cheapest at the first interactivity of `cheapest`, and at the last if that is another one.

    `among` says of which accelerators, such as " of those shown"; "" stands for all.
    """
    ends = winners.iloc[[0, -1]].drop_duplicates("accelerator")
    where = ("at " + ends["at"]).replace("at no limit", "without a latency limit")
    if ends["interactivity"].iloc[0]:  # its unit is said once
        where.iloc[1:] = where.iloc[1:].str.removesuffix(" tokens/s per user")
    usd = ends["usd_per_million"].map("${:.3f}".format)
    rests = ends["evidence"].map({"estimated": ", estimated"}).fillna("") + ")"
    words = f"{ends['accelerator'].iloc[0]} is cheapest{among} {where.iloc[0]} ({usd.iloc[0]}/million tokens"
    words += rests.iloc[0]
    other = ends["accelerator"] + " " + where + " (" + usd + rests
    return ", ".join([words, *other.iloc[1:]])


def break_even(costs: pd.DataFrame, baseline: str, shown: Iterable[str] = ()) -> pd.DataFrame:
    """Return the hourly price at which each accelerator costs as much per token as `baseline`, by interactivity.

    Of the accelerators `shown` (names or vendors), all by default. Columns: those of `costs`, `break_even_usd` (dollars
    per accelerator-hour), `headroom` (over its own price), `base_round` (that of the baseline's result). Raises
    ValueError where the baseline has no price or throughput, and NoData where none of `shown` has.
    """
    named = names.accelerators(shown, load_results())
    base = costs[costs["accelerator"].eq(baseline)].set_index("interactivity")
    if base.empty:
        names.choose(baseline, costs["accelerator"].unique(), "baseline with a price and a throughput")
    ratio = costs["interactivity"].map(base["usd_per_million"]) / costs["usd_per_million"]
    costs = costs.assign(
        break_even_usd=costs["usd_per_hour"] * ratio, headroom=ratio - 1,
        base_round=costs["interactivity"].map(base["round"]),
    )  # fmt: skip
    costs = costs[costs["accelerator"].isin(named)] if named else costs
    if costs.empty:
        raise NoData(f"no accelerator with a price has a throughput among {names.listed(named)}")
    return costs


def purchase_break_even(
    usd_per_hour: float, kilowatts: float, *, used: float = 0.7, years: float = 4.0, residual: float = 0.1,
    capital: float = 0.08, maintenance: float = 0.05, extras: float = 0.45, usd_per_kilowatt_hour: float = 0.10,
    place: float = 150.0, staff: float = 400.0,
) -> float:  # fmt: skip
    """Return the purchase price (dollars per accelerator) at which owning costs as much as renting at a fixed price.

    Rent is paid for the `used` share of hours. Owning costs straight-line depreciation over `years` to a `residual`
    share, `capital` a year on the mean value, `maintenance` a year, each on accelerator, host, and network (`extras`,
    a share of the accelerator's price), electricity of the used hours at all-in kilowatts, `place` (dollars per kW and
    month), and `staff` (dollars per accelerator and year). Raises ValueError for an implausible share,
    term, or price.
    """
    for name, value, least, most in (
        ("used", used, 0.01, 1), ("years", years, 0.5, 50), ("residual", residual, 0, 0.9), ("capital", capital, 0, 1),
        ("maintenance", maintenance, 0, 1), ("extras", extras, 0, 10), ("place", place, 0, 10_000),
        ("staff", staff, 0, 1_000_000),
    ):  # fmt: skip
        names.number(value, name, least, most)
    hours = HOURS_PER_YEAR * used
    electricity = used * kilowatts * usd_per_megawatt_year(usd_per_kilowatt_hour) / 1000
    running = electricity + 12 * place * kilowatts + staff
    yearly = (1 - residual) / years + capital * (1 + residual) / 2 + maintenance
    return max(usd_per_hour * hours - running, 0.0) / (yearly * (1 + extras))
