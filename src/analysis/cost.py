"""Price throughput: dollars per accelerator-hour and per million tokens, and break-even prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd

from analysis import derating, names, power, tables
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
SURE = 0.8  # share of draws in which an accelerator must be cheapest to lead
TIE = "within the error"  # in place of a leader whose share is lower
DRAWS = 4000
USD = ["usd_low", "usd_per_million", "usd_high"]
FACTORS = derating.STEPS[1:]  # of the delivered share
COLUMNS = ["accelerator", "usd_per_hour", "kilowatts", "quoted", "provider", "source_id"]
RUNS = ["slower_id", "id"]  # of the curve: the results behind a throughput, "" for none
USED = [0.5, 0.9]  # shares of hours in use, of `purchase`
RESIDUAL = 0.1  # share of its price that an accelerator is sold for
STAFF = 400.0  # dollars per accelerator and year


def prices(
    cost_model: str = "neocloud",
    *,
    quoted: str = "",
    own: str | Path | Mapping[str, float] | pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the price of each accelerator, one row each: the newest quotation of `cost_model` in data/prices.csv.

    Columns: accelerator (short name), usd_per_hour (dollars per accelerator-hour), kilowatts (all-in, per accelerator,
    of the newest list), quoted (date), provider, source_id. `quoted` such as "2026-04" asks for another date. `own`
    prices replace those listed: a mapping, a frame, or a CSV file with the columns accelerator and usd_per_hour. Raises
    ValueError for an unknown cost model, date, or accelerator, and an implausible price.
    """
    names.choose(cost_model, COST_MODELS, "cost model")
    listed = tables.prices
    listed = listed[listed["cost_model"].eq(cost_model) & listed["duplicate_of"].eq("")].sort_values("quoted")
    if quoted:
        asked = listed["quoted"].str.startswith(quoted)
        if not asked.any():
            names.choose(quoted, listed["quoted"].unique(), "date of prices")
        listed = listed[asked]
    usd = (listed["usd_per_accelerator_hour_low"] + listed["usd_per_accelerator_hour_high"]) / 2
    listed = listed.assign(accelerator=names.short(listed["accelerator"]), usd_per_hour=usd)
    found = pd.concat([listed, None if own is None else own_prices(own)]).drop_duplicates("accelerator", keep="last")
    found = found.assign(kilowatts=found["accelerator"].map(power.kilowatts()["kilowatts"]))
    return found[COLUMNS].sort_values("accelerator", ignore_index=True)


def bases(
    chosen: Iterable[str] = (), *, own: str | Path | Mapping[str, float] | pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the `prices` of every price basis: a cost model at a date, such as "rental 2026-08".

    Ownership costs have only their newest date, rents and list prices each of theirs, the newest first. `chosen`
    selects bases or cost models, in its order; all by default. Added columns: cost_model, commitment, basis. Raises
    ValueError for an unknown basis.
    """
    listed = tables.prices[tables.prices["cost_model"].isin(COST_MODELS)]
    listed = listed.sort_values("quoted", ascending=False, kind="stable")
    keys = listed[["cost_model", "quoted", "commitment"]].drop_duplicates()
    keys = keys[keys["commitment"].ne("owned") | ~keys.duplicated("cost_model")]
    keys["basis"] = keys["cost_model"].str.replace("_", " ") + " " + keys["quoted"].str[:7]
    chosen = list(chosen) or [*COST_MODELS]
    for name in chosen:
        names.choose(name, [*keys["basis"], *COST_MODELS], "price basis")
    keys = pd.concat([keys[keys["basis"].eq(name) | keys["cost_model"].eq(name)] for name in chosen])
    keys = keys.drop_duplicates("basis").itertuples(index=False)
    found = [prices(key.cost_model, quoted=key.quoted, own=own).assign(**key._asdict()) for key in keys]
    return pd.concat(found, ignore_index=True)


def since_march() -> pd.DataFrame:
    """Return on-demand list prices relative to March 2026, at neoclouds and hyperscalers.

    The median over providers that list an accelerator in both months, where there are two or more. Columns:
    accelerator, segment, month, over_march, providers.
    """
    rows = _listed("commitment == 'on demand' and matched > 1 and segment != 'marketplace'")
    rows = rows.assign(over_march=rows["change_since_march"], providers=rows["matched"])
    return rows[["accelerator", "segment", "month", "over_march", "providers"]].reset_index(drop=True)


def spot_over_term() -> pd.DataFrame:
    """Return spot and three-year prices of the same provider and month, oldest first.

    Columns: month, accelerator, provider, spot and term (dollars per accelerator-hour), and spot_over_three_years.
    """
    rows, keys = _listed("statistic == 'provider'"), ["month", "accelerator", "provider"]
    usd = rows.pivot_table(index=keys, columns="commitment", values="usd_per_accelerator_hour")
    found = usd[["spot", "3 years"]].dropna().set_axis(["spot", "term"], axis=1).reset_index()
    return found.assign(spot_over_three_years=found["spot"] / found["term"])


def _listed(asked: str) -> pd.DataFrame:
    """Return the rows of data/price_history.csv that match a query, by month, with short names."""
    rows = tables.price_history.query(asked).sort_values("date")
    return rows.assign(accelerator=names.short(rows["accelerator"]), month=pd.to_datetime(rows["date"].str[:7]))


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
            found = names.accelerator(name)
        except ValueError as error:
            raise ValueError(f"{where}, row {line + 2}: {error}") from None
        if found in named:
            raise ValueError(f"{where}, row {line + 2}: {found} already has a price")
        named.append(found)
    return pd.DataFrame(
        {"accelerator": named, "usd_per_hour": usd.to_numpy(), "quoted": "own", "provider": "own", "source_id": ""}
    )


def basis(prices: pd.DataFrame, cost_model: str) -> str:
    """Return a label of the price source and date: "own for B200, else three-year rental of 2026-08-01"."""
    own = prices["quoted"].eq("own")
    of_own = f"own for {names.listed(prices.loc[own, 'accelerator'])}"
    if own.all():
        return of_own
    listed = f"{COST_MODELS[cost_model]} of {prices.loc[~own, 'quoted'].max()}"
    return f"{of_own}, else {listed}" if own.any() else listed


def usd_per_million(rate_per_accelerator: pd.Series, usd_per_hour: pd.Series, share: float | pd.Series) -> pd.Series:
    """Return dollars per million tokens (or samples) from a rate per second and a price per accelerator-hour.

    `share` is the share of that rate that is delivered, such as that of `derating.served`.
    """
    return usd_per_hour / (rate_per_accelerator * share * SECONDS_PER_HOUR) * 1e6


def per_million_tokens(
    throughput: pd.DataFrame, prices: pd.DataFrame, fleet: str = "fixed", stack: str = "vLLM"
) -> pd.DataFrame:
    """Return dollars per million delivered output tokens of each accelerator at each interactivity, cheapest first.

    `throughput` as `planner.curve.throughput_at` returns it, `prices` as `prices` does; accelerators without a price
    are left out. Added columns: usd_per_hour, kilowatts, quoted, `served` (the share of such throughput that a fleet
    delivers, see `derating.served_at`) with served_low, served_high, `peak`, `unstated`, and its FACTORS (NaN where the
    result already includes one), `usd_per_million` with `usd_low` and `usd_high` from the error of the throughput,
    `estimated`, `submissions` (results behind the throughput), `at` (the interactivity as text). Raises NoData if no
    accelerator is left.
    """
    rows = throughput.merge(prices, on="accelerator").dropna(subset="throughput")
    at = rows["interactivity"].map("{:g} tokens/s per user".format)
    if rows.empty:
        asked = names.listed(throughput["interactivity"].map("{:g} tokens/s per user".format))
        raise NoData(f"no accelerator has both a price and a throughput at {asked or 'the requested interactivity'}")
    shares = {"share": "served", "low": "served_low", "high": "served_high"}
    factors = derating.served_at(rows, fleet, stack).rename(columns=shares)
    rows = rows.join(factors[[*shares.values(), "peak", "unstated", *FACTORS]])
    for name, rate in zip(USD, ("high", "throughput", "low"), strict=True):
        rows[name] = usd_per_million(rows[rate], rows["usd_per_hour"], rows["served"])
    rows = rows.assign(
        estimated=rows["evidence"].eq("estimated"), submissions=rows[RUNS].ne("").sum(axis=1),
        at=at.mask(rows["interactivity"].eq(0), "no limit"),
    )  # fmt: skip
    return rows.sort_values(["interactivity", "usd_per_million"], ignore_index=True)


def results_first(costs: pd.DataFrame, by: Sequence[str] = ("interactivity",)) -> pd.DataFrame:
    """Return the rows based on results, and estimates only for groups that have no result."""
    return costs[~costs["estimated"] | costs.groupby([*by])["estimated"].transform("all")]


def draw_costs(costs: pd.DataFrame) -> np.ndarray:
    """Return dollars per million in DRAWS draws of the throughput error, one row for each of `costs`.

    `usd_low` and `usd_high` are P10 and P90. Draws depend only on the accelerator, not on the comparison.
    """
    own = [np.random.default_rng(crc32(name.encode())).random(DRAWS) for name in costs["accelerator"]]
    return log_uniform(*(costs[[name]].to_numpy(float) for name in USD), np.reshape(own, (len(costs), DRAWS)))


def log_uniform(low: np.ndarray, middle: np.ndarray, high: np.ndarray, quantiles: np.ndarray) -> np.ndarray:
    """Return values at `quantiles` of a distribution with these P10, P50, and P90: log-uniform on each side."""
    away = (quantiles - 0.5) / 0.4
    return middle * (high / middle) ** np.maximum(away, 0) * (middle / low) ** np.minimum(away, 0)


def with_chances(costs: pd.DataFrame, by: Sequence[str] = ("interactivity",)) -> pd.DataFrame:
    """Return `costs` with `chance`, the share of draws in which a row is cheapest of its group, and `alike`.

    This is the single rule for "the same within the error": `alike` marks the fewest rows that together are cheapest in
    SURE of the draws, so an accelerator leads if it is the only one marked. Drawn before whole units. An estimate is
    never cheapest where another accelerator of the group has a result.
    """
    chance = pd.Series(0.0, costs.index)
    for _, part in results_first(costs, by).groupby([*by]):
        chance[part.index] = np.bincount(draw_costs(part).argmin(axis=0), minlength=len(part)) / DRAWS
    costs = costs.assign(chance=chance)
    likely = costs.sort_values("chance", ascending=False, kind="stable")
    before = likely.groupby([*by])["chance"].cumsum() - likely["chance"]
    return costs.assign(alike=before.lt(SURE))


def cheapest(costs: pd.DataFrame) -> pd.DataFrame:
    """Return the cheapest accelerator and the runner-up at each interactivity.

    Results come before estimates: an estimate is used only if no accelerator has a measured or interpolated throughput,
    and the runner-up is chosen from the same type of evidence. Columns: those of `costs`, runner_up, runner_up_usd,
    margin (share by which the runner-up costs more), `chance` (see `with_chances`), and `sure` (the accelerator, or TIE
    where its chance is below SURE).
    """
    costs = results_first(with_chances(costs)).sort_values(["interactivity", "usd_per_million"])
    following = costs.groupby("interactivity")[["accelerator", "usd_per_million"]].shift(-1)
    costs = costs.assign(
        runner_up=following["accelerator"], runner_up_usd=following["usd_per_million"],
        margin=following["usd_per_million"] / costs["usd_per_million"] - 1,
        sure=costs["accelerator"].where(costs["chance"].ge(SURE), TIE),
    )  # fmt: skip
    return costs.drop_duplicates("interactivity", ignore_index=True)


def stretches(winners: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the first of each run of consecutive `cheapest` rows that have the same value in `column`."""
    return winners[winners[column].ne(winners[column].shift())]


def break_even(costs: pd.DataFrame, baseline: str, shown: Iterable[str] = ()) -> pd.DataFrame:
    """Return the hourly price at which each accelerator costs as much per token as `baseline`, by interactivity.

    `shown` limits the rows to these accelerators or vendors; all by default. Columns: those of `costs`,
    `break_even_usd` (dollars per accelerator-hour), `base_round` (that of the baseline's result). Raises ValueError for
    an unknown baseline, and NoData where it or all of `shown` have no price or throughput.
    """
    named = names.accelerators(shown, load_results())
    base = costs[costs["accelerator"].eq(baseline)].set_index("interactivity")
    if base.empty:
        priced = costs["accelerator"].unique()
        if baseline in set(load_results()["accelerator"]):
            raise NoData(f"no price or throughput for the baseline {baseline}; choices: {names.listed(priced)}")
        names.choose(baseline, priced, "baseline with a price and a throughput")
    ratio = costs["interactivity"].map(base["usd_per_million"]) / costs["usd_per_million"]
    costs = costs.assign(
        break_even_usd=costs["usd_per_hour"] * ratio, base_round=costs["interactivity"].map(base["round"])
    )  # fmt: skip
    costs = costs[costs["accelerator"].isin(named)] if named else costs
    if costs.empty:
        raise NoData(f"no accelerator has both a price and a throughput among {names.listed(named)}")
    return costs


def purchase(
    usd_per_hour: float, kilowatts: float, *, years: float = 4.0, capital: float = 0.08, maintenance: float = 0.05,
    extras: float = 0.45, usd_per_kilowatt_hour: float = 0.10, hosting: float = 150.0,
) -> pd.DataFrame:  # fmt: skip
    """Return the purchase price of an accelerator at which owning costs as much as renting, one row for each of USED.

    Rent is paid for the `used` share of hours. Owning costs straight-line depreciation over `years` to a RESIDUAL
    share, `capital` a year on the mean value, and `maintenance` a year, each on accelerator, host, and network
    (`extras`, a share of the accelerator's price); electricity of the used hours at all-in kilowatts, `hosting`
    (dollars per kW and month), and STAFF. Columns: used; in dollars a year, rent, electricity, hosting;
    `yearly`, what a dollar of price costs a year; `price`, the rest of the rent over it. Raises ValueError
    for an implausible share, term, or price.
    """
    names.bounded(years, "years", 0.5, 50)
    names.bounded(capital, "capital", 0, 1)
    names.bounded(maintenance, "maintenance", 0, 1)
    names.bounded(extras, "extras", 0, 10)
    names.bounded(hosting, "hosting", 0, 10_000)
    found = pd.DataFrame({"used": USED})
    rent = usd_per_hour * HOURS_PER_YEAR * found["used"]
    electricity = found["used"] * kilowatts * usd_per_megawatt_year(usd_per_kilowatt_hour) / 1000
    rate = 12 * hosting * kilowatts
    yearly = ((1 - RESIDUAL) / years + capital * (1 + RESIDUAL) / 2 + maintenance) * (1 + extras)
    return found.assign(
        rent=rent, electricity=electricity, hosting=rate, yearly=yearly,
        price=(rent - electricity - rate - STAFF).clip(lower=0) / yearly,
    )  # fmt: skip
