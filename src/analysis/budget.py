"""Convert a budget into whole nodes or racks and the users they serve, and test which inputs change the leader.

All results are modeled: prices and kilowatts come from data/prices.csv, throughput from `planner.curve`, and the share
that a fleet delivers from `derating`. Functions take the costs of `cost.per_million_tokens` and return frames
of numbers. One rule, `cost.with_chances`, decides which accelerator leads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import compare, cost, derating, evidence, interactivity, names
from analysis.compare import USUAL_SIZE, NoData, racks
from analysis.cost import SECONDS_PER_HOUR
from analysis.long_prompts import SHAPES
from analysis.planner import curve, models
from analysis.planner.capacity import unit_sizes
from analysis.power import HOURS_PER_YEAR
from analysis.present import current, gains

GRID = np.geomspace(100, 300_000, 29)  # users of `winner_map`
USD_PER_KILOWATT_HOUR = 0.10  # assumed: owners' hourly prices do not state it, so only changes to it are shown
MAPPED = {"results of all": "X", "results of some": "s", "estimates": "d"}  # behind a cell of `winner_map`: its mark
CHANGES = {"electricity": 0.05, "PUE": 0.15}  # to the dollars per kWh, and as a share of the kilowatts


def affordable(
    prices: pd.DataFrame, rows: pd.DataFrame, usd: float, years: float, kilowatts: float
) -> pd.DataFrame:  # fmt: skip
    """Return the `prices` of accelerators of which the budget buys a unit, as in `plans` of the same `rows`."""
    return prices[_units(prices, unit_sizes(rows), usd, years, kilowatts)["units"].gt(0)]


def _units(prices: pd.DataFrame, sizes: Mapping[str, int], usd: float, years: float, kilowatts: float) -> pd.DataFrame:
    """Return what the budget buys at each price: `unit` (accelerators bought together), usd_per_unit, and `units`.

    `divided` counts units as if a part of one could be bought.
    """
    unit = prices["accelerator"].map(sizes).fillna(USUAL_SIZE).astype(int)
    price = prices["usd_per_hour"] * unit * years * HOURS_PER_YEAR
    divided = np.minimum(usd / price, kilowatts / (unit * prices["kilowatts"]) if kilowatts else np.inf)
    return pd.DataFrame({"unit": unit, "usd_per_unit": price, "divided": divided, "units": np.floor(divided + 1e-9)})


def plans(
    rows: pd.DataFrame, bases: pd.DataFrame, speeds: Iterable[float], usd: float, years: float, *, fleet: str = "fixed",
    stack: str = "vLLM", kilowatts: float = 0.0,
) -> pd.DataFrame:  # fmt: skip
    """Return what the budget buys at each price basis and speed, in their order, most users first.

    `rows` as `planner.curve.carried` returns them, `bases` as `cost.bases` does. Estimates are used only where no
    accelerator has a result. Columns: those of `bought` and `cost.with_chances`, by basis and interactivity, `most`
    (the accelerator that serves the most users there), and `cut` (fraction by which its price must fall to match the
    lowest cost per token). An accelerator of which the budget buys no unit never leads. Raises ValueError for a speed
    of 0, which serves no users, and NoData where the budget buys nothing at the first basis and speed.
    """
    speeds = [names.bounded(speed, "tokens_per_user", 0.1, 10_000) for speed in speeds]
    costs = cost.per_million_tokens(curve.throughput_at(rows, speeds), bases, fleet, stack)
    every = bought(cost.results_first(costs), unit_sizes(rows), usd, years, kilowatts)
    order = bases["basis"].unique()
    found = pd.concat([every[every["basis"].eq(basis)] for basis in order], ignore_index=True)
    first = found[found["basis"].eq(order[0]) & found["interactivity"].eq(speeds[0])]
    if not first["units"].any():
        why = f"no accelerator has a price and a throughput at {speeds[0]:g} tokens/s"
        for row in first.nsmallest(1, "usd_per_unit").itertuples():
            power = row.unit * row.kilowatts
            why = f"{row.unit} {row.accelerator} cost ${row.usd_per_unit:,.0f} and take {power:,.0f} kW"
        raise NoData(f"${usd:,.0f} over {years:g} years buys no node or rack at {order[0]}: {why}")
    by = ["basis", "interactivity"]
    # Accelerators that cannot be bought never lead, as estimates do not where there is a result.
    likely = cost.with_chances(found.assign(estimated=~found["units"].gt(0)), by)[["chance", "alike"]]
    groups = found.assign(paid=found["usd_per_million"].where(found["units"].gt(0))).groupby(by)
    cut = 1 - groups["paid"].transform("min") / found["usd_per_million"]
    return found.join(likely).assign(most=groups["accelerator"].transform("first"), cut=cut.clip(lower=0))


def bought(
    costs: pd.DataFrame, sizes: Mapping[str, int], usd: float, years: float, kilowatts: float = 0.0
) -> pd.DataFrame:  # fmt: skip
    """Return the whole nodes or racks that `usd` pays for over `years`, one row per row of `costs`, most users first.

    `sizes` as `planner.capacity.unit_sizes` returns them; `kilowatts` is the available power (0: no limit). Added
    columns: unit (accelerators bought together), usd_per_unit (over the years), units, divided (units if a part of one
    could be bought), users (mean in service) with users_low and users_high (P10 and P90 of throughput and delivered
    share), users_peak (at P99 of traffic), users_part_rack (of `divided` units for racks, NaN for nodes), kw (all-in),
    usd_left (dollars left over), usd_short (dollars short of one more unit). Raises ValueError for an implausible
    budget.
    """
    names.bounded(usd, "usd", 1, 1e13)
    names.bounded(years, "years", 0.01, 50)
    names.bounded(kilowatts, "kilowatts_available", 0, 1e9)
    found = costs.join(_units(costs, sizes, usd, years, kilowatts))
    each = found["unit"] * found["throughput"] * found["served"] / found["interactivity"]  # users of a unit
    users, price = found["units"] * each, found["usd_per_unit"]
    low, high = (
        np.exp(np.hypot(np.log(found[end] / found["throughput"]), np.log(found[f"served_{end}"] / found["served"])))
        for end in ("low", "high")
    )
    found = found.assign(
        users=users, users_low=users / low, users_high=users * high, users_peak=users * found["peak"],
        users_part_rack=(found["divided"] * each).where(found["unit"].gt(USUAL_SIZE)),
        kw=found["units"] * found["unit"] * found["kilowatts"], usd_left=usd - found["units"] * price,
        usd_short=((found["units"] + 1) * price - usd).clip(lower=0),
    )  # fmt: skip
    return found.sort_values(["interactivity", "users"], ascending=[True, False])


def readings(throughput: pd.DataFrame, prices: pd.DataFrame, fleet: str = "fixed") -> pd.DataFrame:
    """Return costs under each `reading` of the delivered share: "uniform", then those of `derating`.

    "uniform" applies every factor, even one that a result already includes, but that of several nodes not to racks.
    Columns: those of `cost.per_million_tokens`, reading.
    """
    own = [cost.per_million_tokens(throughput, prices, fleet, each).assign(reading=each) for each in derating.READINGS]
    first, *_ = own
    nodes = first["accelerator"].isin(list(racks())) + 1
    bare = first.assign(accelerator="", stack="TensorRT-LLM", hypervisor="", nodes=nodes)
    share = derating.served(bare, fleet)["share"]
    usd = first[cost.USD].mul(first["served"] / share, axis="index")
    return pd.concat([first.assign(reading="uniform", served=share, **usd), *own], ignore_index=True)


def tornado(plans: pd.DataFrame, every: pd.DataFrame, fleet: str = "fixed", stack: str = "vLLM") -> pd.DataFrame:
    """Return dollars per million tokens of each accelerator of `plans` as one `input` varies, the widest range first.

    `plans` are rows of `bought`, of one price basis and interactivity. Columns: accelerator, input, low, high,
    usd_per_million (at no change).

    The price basis ranges over those of `every` (costs of the same throughput), the fleet from pooled to P10 of mean
    load over P99 load, throughput and serving stack from P90 to P10, purchase from fractional to whole units,
    electricity and PUE by CHANGES, applied to all-in kilowatts. An input that does not apply is left out.
    """
    return pd.concat([_moves(plan, every, fleet, stack) for _, plan in plans.iterrows()], ignore_index=True)


def _moves(plan: pd.Series, every: pd.DataFrame, fleet: str, stack: str) -> pd.DataFrame:
    """Return the rows of `tornado` for one plan."""
    same = every[every["accelerator"].eq(plan["accelerator"]) & every["interactivity"].eq(plan["interactivity"])]
    factors = derating.factors_of(derating.use_at(plan["interactivity"]), "TensorRT-LLM node", fleet)
    load, stacks = factors.loc[derating.LOAD], factors.loc["serving stack"]
    pooled, *_ = derating.served_at(same, "pooled", stack)["share"]
    usd, power = plan["usd_per_million"], plan["kilowatts"] / plan["usd_per_hour"]
    moved = {
        "throughput": (plan["usd_low"], plan["usd_high"]),
        "price basis": (same["usd_per_million"].min(), same["usd_per_million"].max()),
        "fleet": (usd * plan["served"] / pooled, usd * load["median"] / load["p10"]),
        "stack not stated": (usd, usd / plan["unstated"]),
    }
    if pd.notna(plan["serving stack"]):
        moved["serving stack"] = usd * stacks["median"] / stacks["p90"], usd * stacks["median"] / stacks["p10"]
    if plan["units"]:
        moved["whole units"] = usd, usd * plan["divided"] / plan["units"]
    for name, dollars in (("electricity", 1.0), ("PUE", USD_PER_KILOWATT_HOUR)):
        change = CHANGES[name] * dollars * power
        moved[name] = usd * (1 - change), usd * (1 + change)
    found = pd.DataFrame.from_dict(moved, "index", columns=["low", "high"]).rename_axis("input").reset_index()
    found = found[found["high"].gt(found["low"])].assign(accelerator=plan["accelerator"], usd_per_million=usd)
    return found.iloc[(found["low"] / found["high"]).argsort(kind="stable")]


def rent_or_own(own: str | Path | Mapping[str, float] | pd.DataFrame | None = None) -> pd.DataFrame:
    """Return owned, rented, and on-demand prices, and the utilization below which on demand costs less.

    By accelerator: a column of dollars per hour for each price basis (`cost.bases`, `own` as there), `over_owned` and
    `over_rented` (the share of hours in use below which on demand costs less than owning, and than the newest rent).
    """
    bases = cost.bases(["neocloud", "rental", "on_demand"], own=own)
    wide = bases.pivot(index="accelerator", columns="basis", values="usd_per_hour")[bases["basis"].unique()]
    owned, rented, *_, paid = wide
    return wide.assign(over_owned=wide[owned] / wide[paid], over_rented=wide[rented] / wide[paid]).reset_index()


def winner_map(
    benchmarks: Iterable[str], prices: pd.DataFrame, fleet: str = "fixed", stack: str = "vLLM",
    users: Sequence[float] = GRID, steps: int = 25, speeds: Sequence[float] = (),
) -> pd.DataFrame:  # fmt: skip
    """Return the accelerator that costs least in whole units for each number of `users` and speed, over random draws.

    Speeds span each benchmark's limits and `speeds`. Results come before estimates. Columns:
    model, users, interactivity, accelerator (cheapest in most draws), chance, cheapest (the same, or cost.TIE where the
    chance is below cost.SURE), throughput (a key of MAPPED: from results of all accelerators that have any, of some of
    them, or, where none is that fast, from estimates).

    Unlike `cost.with_chances`, each draw is rounded up to whole units: with few users a partly used rack decides the
    ranking, whatever the error.
    """
    asked, found = np.asarray(users, float)[:, None, None], []
    for benchmark in benchmarks:
        ends = [*interactivity.limits(benchmark)["interactivity"], *speeds]
        grid = np.geomspace(min(ends), max(ends) * 1.001, steps)
        try:
            rows = curve.carried(interactivity.runs(benchmark))
            costs = cost.per_million_tokens(curve.throughput_at(rows, grid), prices, fleet, stack)
        except NoData:
            continue
        ran = costs.loc[~costs["estimated"], "accelerator"].nunique()
        costs = costs.assign(unit=costs["accelerator"].map(unit_sizes(rows)).fillna(USUAL_SIZE))
        for speed, part in cost.results_first(costs).groupby("interactivity"):
            price, unit = (part[[column]].to_numpy() for column in ("usd_per_hour", "unit"))
            rate = price / cost.draw_costs(part) / SECONDS_PER_HOUR * 1e6
            first = (np.ceil(asked * speed / (rate * unit)) * unit * price).argmin(axis=1)
            chance = np.stack([(first == place).mean(axis=1) for place in range(len(part))])
            best = part["accelerator"].to_numpy()[chance.argmax(axis=0)]
            cells = pd.DataFrame({"users": users, "accelerator": best, "chance": chance.max(axis=0)})
            every, some, none = MAPPED
            behind = none if part["estimated"].iloc[0] else some if len(part) < ran else every
            found.append(cells.assign(model=rows["model"].iloc[0], interactivity=speed, throughput=behind))
    columns = ["model", "users", "interactivity", "accelerator", "chance", "throughput"]
    table = pd.concat(found, ignore_index=True)[columns] if found else pd.DataFrame(columns=columns)
    return table.assign(cheapest=table["accelerator"].where(table["chance"].ge(cost.SURE), cost.TIE))


def regret(
    benchmarks: Iterable[str], prices: pd.DataFrame, speed: float, fleet: str = "fixed", stack: str = "vLLM"
) -> pd.DataFrame:
    """Return how much more each accelerator costs than the cheapest result of each benchmark, at one interactivity.

    Where no accelerator has a result, the reference is the cheapest estimate. Columns: those of
    `cost.per_million_tokens`, model, extra (0: the cheapest).
    """
    found = []
    for benchmark in benchmarks:
        with suppress(NoData):
            rows = curve.carried(interactivity.runs(benchmark))
            costs = cost.per_million_tokens(curve.throughput_at(rows, [speed]), prices, fleet, stack)
            best = cost.results_first(costs)["usd_per_million"].min()
            found.append(costs.assign(model=rows["model"].iloc[0], extra=costs["usd_per_million"] / best - 1))
    columns = ["accelerator", "model", "estimated", "extra"]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=columns)


def steadiest(extra: pd.DataFrame) -> pd.Series:
    """Return the accelerator with the lowest maximum of `extra` in `regret`, as max and count (of models it serves).

    Raises NoData where `regret` has no row.
    """
    if extra.empty:
        raise NoData("no accelerator has both a price and a throughput on any of the models")
    return extra.groupby("accelerator")["extra"].agg(["max", "count"]).sort_values("max").iloc[0]


def price_of_speed(costs: pd.DataFrame, fast: float) -> pd.DataFrame:
    """Return the factors from the cheapest cost at full load without a limit to the cheapest at `fast`.

    In this order: load of a fleet, latency on the first accelerator, change to the last accelerator. `costs` has both
    interactivities, 0 and `fast`; empty if no accelerator has both. Columns: step, usd_per_million (after it), factor,
    kind, accelerator.
    """
    slow, quick = (costs[costs["interactivity"].eq(at)] for at in (0, fast))
    slow = slow[slow["accelerator"].isin(quick["accelerator"])]
    if slow.empty:
        return _steps({}, "")
    first, last = (cost.cheapest(each).iloc[0] for each in (slow, quick))
    same = quick.set_index("accelerator").loc[first["accelerator"]]
    full = first["usd_per_million"]
    usd = {"always full, no limit": full, "load": full * first["served"] / same["served"]}
    usd |= {"latency": same["usd_per_million"], "change": last["usd_per_million"]}
    return _steps(usd, [*[first["accelerator"]] * 3, last["accelerator"]])


def _steps(usd: Mapping[str, float], accelerator: str | list[str]) -> pd.DataFrame:
    """Return the ratio of each cost (dollars per million) to the one before it; the first row is the total."""
    steps = pd.DataFrame(usd.items(), columns=["step", "usd_per_million"])
    ratio = steps["usd_per_million"] / steps["usd_per_million"].shift()
    kind = np.where(ratio.isna(), "total", "modeled")
    return steps.assign(factor=ratio.fillna(1.0), kind=kind, accelerator=accelerator)


def token_costs(model: str, speed: float) -> pd.DataFrame:
    """Return the GPU-seconds per prompt token and per answer token in InferenceX, by accelerator.

    They are taken at the throughput that the runs reach with the median user at `speed` tokens/s, and modeled as linear
    in both lengths, through requests of 1,024 and 8,192 tokens in and 1,024 out. Columns: accelerator, prompt,
    answer, ratio (answer over prompt), error (modeled over measured GPU-seconds of a request of 1,024 in and 8,192 out,
    minus 1). Lowest first; empty without such runs.
    """
    runs = evidence.inferencex_runs(disaggregated=False)
    lengths = ["prompt_tokens", "answer_tokens"]
    rates = evidence.value_at(runs[runs["model"].eq(model)], speed, ["accelerator", *lengths]).unstack(lengths)
    short, long, answers = (rates.get(each, pd.Series(np.nan, rates.index)) for each in SHAPES)
    (few, out), (many, _), (tokens_in, tokens_out) = SHAPES
    prompt = (out / long - out / short) / (many - few)
    answer = 1 / short - prompt * few / out
    error = (prompt * tokens_in / tokens_out + answer) * answers - 1
    found = pd.DataFrame({"prompt": prompt, "answer": answer, "ratio": answer / prompt, "error": error})
    return found.dropna(subset="ratio").sort_values("answer").reset_index()


def bridge(costs: pd.DataFrame, speed: float, benchmark: str) -> pd.DataFrame:
    """Return InferenceX's dollars per million, converted step by step to this project's definition.

    No MLPerf result is used. The accelerator is the one of `costs` with the lowest `token_costs` at this speed.
    Columns: those of `price_of_speed`. Empty without such runs.
    """
    costs = costs[costs["interactivity"].eq(speed)]
    model = models.of_benchmark(benchmark)
    both = token_costs(model.name, speed).merge(costs[["accelerator", "usd_per_hour", "served"]], on="accelerator")
    if both.empty:
        return _steps({}, "")
    requests, best = models.lengths(models.requests_of(model.benchmark)), both.iloc[0]
    second = best["usd_per_hour"] / SECONDS_PER_HOUR * 1e6  # dollars per million tokens of one GPU-second each
    alone = second * (best["prompt"] + best["answer"])
    here = second * (best["answer"] + best["prompt"] * requests.prompt / requests.answer)
    usd = {"all tokens, always full": alone / 2, "output alone": alone, "prompts as here": here}
    return _steps(usd | {"load": here / best["served"]}, best["accelerator"])


def waiting(benchmarks: Iterable[str]) -> pd.DataFrame:
    """Return what waiting may bring by vendor: previews over its fastest available GPU, and recent software gains.

    One row for each benchmark, scenario, and vendor that has a preview in the newest round, or the same GPU in it and
    in the round before. Columns: model, scenario, vendor, round, accelerator (the fastest preview, "" for none), over
    (the fastest available GPU), ratio of throughput per accelerator (NaN without one of the two), price_cut (fraction
    by which the hourly price of `over` must fall to match the preview's cost per token at today's price), gain over the
    round before and links (see `current.gains`). The highest ratio first.
    """
    rows = compare.comparable(benchmark=benchmarks, scenario=compare.RATED, available=False)
    rows = rows[rows["kind"].eq("gpu")]
    newest = rows[rows["round"].eq(rows.groupby(compare.GROUP)["round"].transform("max"))]
    facts = newest[[*compare.GROUP, "model", "round"]].drop_duplicates(compare.GROUP)
    sold, each = rows[rows["availability"].eq("available")], [*compare.GROUP, "vendor"]
    steps = gains(sold).query("not borrowed").merge(facts, on=[*compare.GROUP, "round"])[[*each, "gain", "links"]]
    new = newest[newest["availability"].eq("preview")].sort_values("rate_per_accelerator", ascending=False)
    new = new.drop_duplicates(each)[[*each, "accelerator", "rate_per_accelerator"]]
    best = current(sold).drop_duplicates(each)[[*each, "accelerator", "rate"]].rename(columns={"accelerator": "over"})
    table = new.merge(best, how="left", on=each).merge(steps, how="outer", on=each).merge(facts, on=compare.GROUP)
    ratio = table["rate_per_accelerator"] / table["rate"]
    table = table.fillna({"accelerator": "", "over": ""}).assign(ratio=ratio, price_cut=1 - 1 / ratio)
    columns = ["model", "scenario", "vendor", "round", "accelerator", "over", "ratio", "price_cut", "gain", "links"]
    return table[columns].sort_values("ratio", ascending=False, kind="stable", ignore_index=True)


def gains_by_vendor(wait: pd.DataFrame) -> pd.DataFrame:
    """Return the median `gain` of `waiting` and its count by vendor, of the scenarios that limit latency."""
    return wait[wait["scenario"].ne("Offline")].groupby("vendor")["gain"].agg(["median", "count"])
