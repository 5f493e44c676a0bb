"""Convert a budget into whole nodes or racks and the users they serve, and test which inputs change the leader.

All of it is modeled: prices and kilowatts are constants of data/prices.csv, throughput is that of `planner.curve`, the
share that a fleet delivers that of `derating`. Functions take the costs of `cost.per_million_tokens` and return frames
of numbers. One rule, `cost.with_chances`, decides which accelerator leads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from analysis import compare, cost, derating, evidence, interactivity, names
from analysis.compare import USUAL_SIZE, NoData, racks
from analysis.cost import SECONDS_PER_HOUR
from analysis.current import current, gains
from analysis.planner import curve, models
from analysis.planner.capacity import unit_sizes
from analysis.power import HOURS_PER_YEAR

GRID = np.geomspace(100, 300_000, 29)  # users of `winner_map`
USD_PER_KILOWATT_HOUR = 0.10  # assumed: owners' hourly prices do not state it, so only changes to it are shown
SHAPES = (1024, 1024), (8192, 1024), (1024, 8192)  # tokens in and out of runs of InferenceX
MAPPED = {"results of all": "X", "results of some": "s", "estimates": "d"}  # behind a cell of `winner_map`: its mark
RUNS = ["slower_id", "id"]  # of the curve: the results behind a throughput, "" for none
CHANGES = {"electricity": 0.05, "PUE": 0.15}  # to the dollars per kWh, and as a share of the kilowatts


def purchase_units(accelerators: pd.Series, sizes: Mapping[str, int] = MappingProxyType({})) -> pd.Series:
    """Return how many of each accelerator are bought together: a rack, else the node of `sizes`, else eight."""
    return accelerators.map({**sizes, **racks()}).fillna(USUAL_SIZE).astype(int)


def affordable(
    prices: pd.DataFrame, rows: pd.DataFrame, usd: float, years: float, kilowatts: float = 0.0
) -> pd.DataFrame:  # fmt: skip
    """Return the `prices` of accelerators of which the budget buys a unit, as `plans` of the same `rows` does."""
    unit = purchase_units(prices["accelerator"], unit_sizes(rows))
    within = (prices["usd_per_hour"] * unit * years * HOURS_PER_YEAR).le(usd)
    return prices[within & ((unit * prices["kilowatts"]).le(kilowatts) if kilowatts else True)]


def plans(
    rows: pd.DataFrame, bases: pd.DataFrame, speeds: Iterable[float], usd: float, years: float, *, fleet: str = "fixed",
    stack: str = "vLLM", kilowatts: float = 0.0,
) -> pd.DataFrame:  # fmt: skip
    """Return what the budget buys at each price basis and speed, in their order, most users first.

    `rows` as `planner.curve.carried` returns them, `bases` as `cost.bases` does. Estimates are used only where no
    accelerator has a result. Columns: those of `bought` and `cost.with_chances`, by basis and interactivity, `most`
    (the accelerator that serves the most users there), and `cut` (fraction by which its price must fall to match the
    lowest cost per token). Of what the budget buys no unit of, none leads. Raises ValueError for a speed of 0, at which
    nobody is served, and NoData where the budget buys nothing at the first basis and speed.
    """
    speeds = [names.bounded(speed, "tokens_per_user", 0.1, 10_000) for speed in speeds]
    costs = cost.per_million_tokens(curve.throughput_at(rows, speeds), bases, fleet, stack)
    found = bought(costs, usd, years, kilowatts=kilowatts, sizes=unit_sizes(rows))
    found = found[~found["estimated"] | found.groupby("interactivity")["estimated"].transform("all")]
    order = {basis: place for place, basis in enumerate(bases["basis"].unique())}
    found = found.sort_values("basis", key=lambda names: names.map(order), kind="stable", ignore_index=True)
    groups = found.groupby(["basis", "interactivity"])
    basis = bases["basis"].iloc[0]
    first = found[found["basis"].eq(basis) & found["interactivity"].eq(speeds[0])]
    if not first["units"].any():
        unit = [
            f"{row.unit} {row.accelerator} cost ${row.usd_per_unit:,.0f} and take {row.unit * row.kilowatts:,.0f} kW"
            for row in first.nsmallest(1, "usd_per_unit").itertuples()
        ]
        why = "".join(unit) or f"no accelerator has a price and a throughput at {speeds[0]:g} tokens/s"
        raise NoData(f"${usd:,.0f} for {years:g} years buy no node or rack at {basis}: {why}")
    # What cannot be bought leads as little as an estimate beside a result; no such estimates are left.
    apart = found.assign(estimated=found["units"].eq(0))
    found = found.assign(**cost.with_chances(apart, ["basis", "interactivity"])[["chance", "alike"]])
    lowest = found["usd_per_million"].where(found["units"].gt(0)).groupby([found["basis"], found["interactivity"]])
    cut = (1 - lowest.transform("min") / found["usd_per_million"]).clip(lower=0)
    return found.assign(most=groups["accelerator"].transform("first"), cut=cut)


def bought(
    costs: pd.DataFrame, usd: float, years: float, *, kilowatts: float = 0.0,
    sizes: Mapping[str, int] = MappingProxyType({}),
) -> pd.DataFrame:  # fmt: skip
    """Return the whole nodes or racks that `usd` pays for over `years`, a row for each of `costs`, most users first.

    `kilowatts` is the available power (0: no limit). Added columns: unit (accelerators bought together), usd_per_unit
    (over the years), units, accelerators, users (mean in service) with users_low and users_high (P10 and P90 of
    throughput and delivered share), users_peak (at P99 of traffic), users_undivided (mean users if fractional units
    could be bought), users_part_rack (the same for racks, NaN for nodes), kw (all-in), usd_left (dollars left over),
    usd_short (dollars short of one more unit), submissions (results behind the throughput). Raises ValueError for an
    implausible budget.
    """
    names.bounded(usd, "usd", 1, 1e13)
    names.bounded(years, "years", 0.01, 50)
    names.bounded(kilowatts, "kilowatts_available", 0, 1e9)
    costs = costs[costs["interactivity"].gt(0)].reset_index(drop=True)
    unit = purchase_units(costs["accelerator"], sizes)
    price = costs["usd_per_hour"] * unit * years * HOURS_PER_YEAR
    most = np.minimum(usd / price, kilowatts / (unit * costs["kilowatts"]) if kilowatts else np.inf)
    count = np.floor(most + 1e-9)
    each = unit * costs["throughput"] * costs["served"] / costs["interactivity"]  # users of a unit
    low, high = (
        np.exp(np.hypot(np.log(costs[end] / costs["throughput"]), np.log(costs[f"served_{end}"] / costs["served"])))
        for end in ("low", "high")
    )
    found = costs.assign(
        unit=unit, usd_per_unit=price, units=count, accelerators=count * unit, users=count * each,
        users_low=count * each / low, users_high=count * each * high, users_peak=count * each * costs["peak"],
        users_undivided=most * each, users_part_rack=(most * each).where(unit.gt(USUAL_SIZE)),
        kw=count * unit * costs["kilowatts"], usd_left=usd - count * price,
        usd_short=((count + 1) * price - usd).clip(lower=0), submissions=costs[RUNS].ne("").sum(axis=1),
    )  # fmt: skip
    return found.sort_values(["interactivity", "users"], ascending=[True, False], ignore_index=True)


def readings(throughput: pd.DataFrame, prices: pd.DataFrame, fleet: str = "fixed") -> pd.DataFrame:
    """Return costs under each `reading` of the delivered share: "uniform", then those of `derating`.

    "uniform" applies every factor, even one that a result already includes, but that of several nodes not to racks.
    Columns: those of `cost.per_million_tokens`, reading, submissions.
    """
    own = [cost.per_million_tokens(throughput, prices, fleet, each).assign(reading=each) for each in derating.READINGS]
    nodes = own[0]["accelerator"].isin(list(racks())) + 1
    plain = own[0].assign(accelerator="", stack="TensorRT-LLM", hypervisor="", nodes=nodes)
    share = derating.served(plain, fleet)["share"]
    usd = own[0][["usd_low", *cost.USD]].mul(own[0]["served"] / share, axis=0)
    found = pd.concat([own[0].assign(reading="uniform", served=share, **usd), *own], ignore_index=True)
    return found.assign(submissions=found[RUNS].ne("").sum(axis=1))


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
    same = every["accelerator"].eq(plan["accelerator"]) & every["interactivity"].eq(plan["interactivity"])
    parts = derating.chain(derating.use_at(plan["interactivity"]), fleet)
    parts = parts[parts["kind"].eq("TensorRT-LLM node to vLLM")].set_index("step")
    pooled = derating.served_at(every[same].head(1), "pooled", stack)["share"].iloc[0]
    usd, moved = plan["usd_per_million"], {"throughput": (plan["usd_low"], plan["usd_high"])}
    moved["price basis"] = tuple(every.loc[same, "usd_per_million"].agg(["min", "max"]))
    load = parts.loc[derating.LOAD]
    moved["fleet"] = usd * plan["served"] / pooled, usd * load["median"] / load["p10"]
    if plan["serving stack"] > 0:
        stacks = parts.loc["serving stack"]
        moved["serving stack"] = usd * stacks["median"] / stacks["p90"], usd * stacks["median"] / stacks["p10"]
    moved["stack not stated"] = usd, usd / plan["unstated"]
    if plan["units"]:
        moved["whole units"] = usd, usd * plan["users_undivided"] / plan["users"]
    power = plan["kilowatts"] / plan["usd_per_hour"]
    for name, dollars in (("electricity", 1.0), ("PUE", USD_PER_KILOWATT_HOUR)):
        moved[name] = usd * (1 - CHANGES[name] * dollars * power), usd * (1 + CHANGES[name] * dollars * power)
    found = pd.DataFrame(moved, index=["low", "high"]).T.rename_axis("input").reset_index()
    found = found[found["high"].gt(found["low"])].assign(accelerator=plan["accelerator"], usd_per_million=usd)
    return found.iloc[(found["low"] / found["high"]).argsort(kind="stable")].reset_index(drop=True)


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
    users: Sequence[float] = GRID, steps: int = 25, speeds: Iterable[float] = (),
) -> pd.DataFrame:  # fmt: skip
    """Return which accelerator costs least in whole units for each number of `users` and speed, by draws.

    From the lowest to the highest of each benchmark's limits and `speeds`. Results come before estimates. Columns:
    model, users, interactivity, accelerator (cheapest in most draws), chance, cheapest (the same, or cost.TIE where the
    chance is below cost.SURE), missing (priced accelerators that have results, but none at this speed), throughput (of
    MAPPED: from results of all that have some, of some, or, where none is so fast, from estimates).

    Unlike `cost.with_chances`, each draw is rounded up to whole units: with few users a partly used rack decides the
    ranking, whatever the error.
    """
    asked, found = np.asarray(users, float)[:, None, None], []
    for benchmark in benchmarks:
        rows, limits = curve.carried(interactivity.runs(benchmark)), interactivity.limits(benchmark)["interactivity"]
        ends = [*limits, *speeds]
        costs = _costs(rows, np.geomspace(min(ends), max(ends) * 1.001, steps), prices, fleet, stack)
        estimated = costs["estimated"].astype(bool)
        ran = costs.loc[~estimated, "accelerator"].nunique()
        costs = costs[~estimated | estimated.groupby(costs["interactivity"]).transform("all")]
        sizes = purchase_units(costs["accelerator"], unit_sizes(rows))
        for speed, part in costs.groupby("interactivity"):
            price, unit = (each[part.index].to_numpy()[:, None] for each in (costs["usd_per_hour"], sizes))
            rate = price / cost.draw_costs(part) / SECONDS_PER_HOUR * 1e6
            first = (np.ceil(asked * speed / (rate * unit)) * unit * price).argmin(axis=1)
            chance = np.stack([(first == place).mean(axis=1) for place in range(len(part))])
            cells = {"model": rows["model"].iloc[0], "users": users, "interactivity": speed}
            cells |= {
                "accelerator": part["accelerator"].to_numpy()[chance.argmax(axis=0)],
                "chance": chance.max(axis=0),
            }
            missing = ran - int((~part["estimated"]).sum())
            known = [*MAPPED][2 if part["estimated"].any() else min(missing, 1)]
            found.append(pd.DataFrame(cells).assign(missing=missing, throughput=known))
    columns = ["model", "users", "interactivity", "accelerator", "chance", "missing", "throughput"]
    table = pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=columns)
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
        rows = curve.carried(interactivity.runs(benchmark))
        costs = _costs(rows, [speed], prices, fleet, stack)
        results = costs[~costs["estimated"].astype(bool) | costs["estimated"].all()]
        best = results["usd_per_million"].min()
        found.append(costs.assign(model=rows["model"].iloc[0], extra=costs["usd_per_million"] / best - 1))
    return pd.concat(found, ignore_index=True)


def steadiest(extra: pd.DataFrame) -> pd.Series:
    """Return the accelerator with the lowest maximum of `extra` in `regret`, as max and count (of models it serves)."""
    return extra.groupby("accelerator")["extra"].agg(["max", "count"]).sort_values("max").iloc[0]


def _costs(rows: pd.DataFrame, speeds: Iterable[float], prices: pd.DataFrame, fleet: str, stack: str) -> pd.DataFrame:
    """Return `cost.per_million_tokens` of runs; empty if no accelerator with a price reaches these speeds."""
    throughput = curve.throughput_at(rows, speeds)
    known = throughput.dropna(subset="throughput")
    if not known["accelerator"].isin(prices["accelerator"]).any():
        return known.iloc[:0].assign(estimated=False, usd_per_million=0.0, usd_low=0.0, usd_high=0.0, usd_per_hour=0.0)
    return cost.per_million_tokens(throughput, prices, fleet, stack)


def price_of_speed(costs: pd.DataFrame, fast: float) -> pd.DataFrame:
    """Return the factors from the cheapest cost at full load without a limit to the cheapest at `fast`.

    In this order: load of a fleet, latency on the first accelerator, change to the last accelerator. `costs` has both
    interactivities, 0 and `fast`; empty if no accelerator has both. Columns: step, usd_per_million (after it), factor,
    kind, accelerator.
    """
    slow, quick = (costs[costs["interactivity"].eq(at)] for at in (0, fast))
    slow = slow[slow["accelerator"].isin(quick["accelerator"])]
    if slow.empty:
        return _steps({}).assign(accelerator="")
    first, last = (cost.cheapest(each).iloc[0] for each in (slow, quick))
    same = quick[quick["accelerator"].eq(first["accelerator"])].iloc[0]
    load, end = first["served"] / same["served"], first["usd_per_million"]
    return _steps(
        {"always full, no limit": end, "load": end * load, "latency": same["usd_per_million"],
         "change": last["usd_per_million"]}
    ).assign(accelerator=[*[first["accelerator"]] * 3, last["accelerator"]])  # fmt: skip


def _steps(usd: Mapping[str, float]) -> pd.DataFrame:
    """Return the ratio of each cost (dollars per million) to the one before it; the first row is the total."""
    steps = pd.DataFrame(usd.items(), columns=["step", "usd_per_million"])
    factor = steps["usd_per_million"].div(steps["usd_per_million"].shift()).fillna(1.0)
    return steps.assign(factor=factor, kind=["total", *["modeled"] * (len(steps) - 1)][: len(steps)])


def token_costs(model: str, speed: float) -> pd.DataFrame:
    """Return the GPU-seconds per prompt token and per answer token in InferenceX, by accelerator.

    At the throughput that the runs reach with the median user at `speed` tokens/s. Those of a request are modeled as
    linear in both lengths, through requests of 1,024 and 8,192 tokens in and 1,024 out. Columns: accelerator, prompt,
    answer, ratio (answer over prompt), error (modeled over measured GPU-seconds of a request of 1,024 in and 8,192 out,
    minus 1). Lowest first; empty without such runs.
    """
    runs = evidence.inferencex_runs(disaggregated=False)
    lengths = ["prompt_tokens", "answer_tokens"]
    rates = evidence.value_at(runs[runs["model"].eq(model)], speed, ["accelerator", *lengths]).unstack(lengths)
    short, long, answers = (rates.get(each, pd.Series(np.nan, rates.index)) for each in SHAPES)
    prompt = (1024 / long - 1024 / short) / 7168
    found = pd.DataFrame({"prompt": prompt, "answer": 1 / short - prompt}).assign(ratio=1 / short / prompt - 1)
    found["error"] = (found["prompt"] / 8 + found["answer"]) * answers - 1
    return found.dropna(subset="ratio").sort_values("answer").reset_index()


def bridge(costs: pd.DataFrame, speed: float, benchmark: str) -> pd.DataFrame:
    """Return InferenceX's dollars per million, converted step by step to this project's definition.

    No MLPerf result enters. Of the accelerator of `costs` with the least `token_costs` at this speed. Columns: those of
    `price_of_speed`; mlperf, for reference only: what the accelerator costs by its MLPerf results, another test. Empty
    without such runs.
    """
    costs = costs[costs["interactivity"].eq(speed)].set_index("accelerator")
    model = models.of_benchmark(benchmark)
    tokens = token_costs(model.name, speed)
    tokens = tokens[tokens["accelerator"].isin(costs.index)]
    if tokens.empty:
        return _steps({}).assign(accelerator="", mlperf=np.nan)
    requests, best = models.lengths(models.requests_of(model.benchmark)), tokens.iloc[0]
    own = costs.loc[best["accelerator"]]
    usd = own["usd_per_hour"] / SECONDS_PER_HOUR * 1e6  # dollars per million tokens if each token takes one GPU-second
    both = usd * (best["prompt"] + best["answer"])
    answer = usd * (best["answer"] + best["prompt"] * requests.prompt / requests.answer)
    usd = {"all tokens, always full": both / 2, "output alone": both, "prompts as here": answer}
    usd["load"] = answer / own["served"]
    return _steps(usd).assign(accelerator=best["accelerator"], mlperf=own["usd_per_million"])


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
    newest = rows[rows["round"].eq(rows.groupby(compare.GROUP, observed=True)["round"].transform("max"))]
    facts = newest.groupby(compare.GROUP, observed=True)[["model", "round"]].first()
    sold, each = rows[rows["availability"].eq("available")], [*compare.GROUP, "vendor"]
    steps = gains(sold).join(facts["round"].rename("newest"), on=compare.GROUP)
    steps = steps.loc[steps["round"].eq(steps["newest"]) & ~steps["borrowed"], [*each, "gain", "links"]]
    new = newest[newest["availability"].eq("preview")].sort_values("rate_per_accelerator", ascending=False)
    new = new.drop_duplicates(each)[[*each, "accelerator", "rate_per_accelerator"]]
    best = current(sold).drop_duplicates(each).rename(columns={"accelerator": "over"})
    table = new.merge(best[[*each, "over", "rate"]], how="left", on=each).merge(steps, how="outer", on=each)
    table = table.join(facts, on=compare.GROUP).fillna({"accelerator": "", "over": ""})
    table["ratio"] = table["rate_per_accelerator"] / table["rate"]
    table["price_cut"] = 1 - 1 / table["ratio"]
    columns = ["model", "scenario", "vendor", "round", "accelerator", "over", "ratio", "price_cut", "gain", "links"]
    return table[columns].sort_values("ratio", ascending=False, kind="stable", ignore_index=True)


def gains_by_vendor(wait: pd.DataFrame) -> pd.DataFrame:
    """Return the median `gain` of `waiting` and its count by vendor, of the scenarios that limit latency."""
    return wait[wait["scenario"].ne("Offline")].groupby("vendor")["gain"].agg(["median", "count"])
