"""Compute throughput per megawatt, what a power cap keeps, and the kilowatts to provision for a node."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from analysis import compare, names, tables
from analysis.compare import USUAL_SIZE, NoData, comparable, latest
from analysis.results import CAPPED_NAME

HOURS_PER_YEAR = 8760
COOLING = {"air": 1.5, "liquid": 1.3}  # provisioned over rated watts, MLPerf Endpoints rules, appendix D
BYTES_TO_WATTS = 8 * 5  # watts of a network per TB/s: 5 pJ/bit, MLPerf Endpoints rules, appendix C
MODE = rf"{CAPPED_NAME}|, PP\b"  # in a system's name; PP: the peak performance of Qualcomm's, beside EE
SAME_MACHINE = [
    "round", "submitter", "accelerator", "accelerator_count", "benchmark", "accuracy_target", "scenario", "chassis",
]  # fmt: skip


def per_megawatt(
    results: pd.DataFrame, benchmark: str, prices: pd.DataFrame, since: str,
    scenarios: Iterable[str] = ("Offline", "Interactive"),
) -> pd.DataFrame:  # fmt: skip
    """Return million tokens/s per megawatt, which are tokens per joule, of each accelerator and scenario.

    Modeled: the best result since a round, eight accelerators and the newest round first, over the all-in kilowatts of
    `prices` (see `cost.prices`). Columns: those of the result, `efficiency`, `low` (the slowest submitter's of that
    round and size), `submitters`, `modeled`. Raises NoData where no accelerator has a price and a result, and for a
    benchmark that does not count tokens.
    """
    kilowatts = prices.set_index("accelerator")["kilowatts"].dropna()
    rows = compare.since(comparable(results, benchmark=benchmark, scenario=scenarios), since)
    rows = rows[rows["accelerator"].isin(kilowatts.index)]
    if rows.empty:
        raise NoData(
            f"no comparable result of {names.label(benchmark)} since {since} has an accelerator with all-in kilowatts"
        )
    rows = compare.of_tokens(rows)
    watts = 1000 * rows["accelerator"].map(kilowatts).astype(float)
    rows = rows.assign(efficiency=rows["rate_per_accelerator"] / watts)
    by = ["scenario", "round", "accelerator", "accelerator_count", "hypervisor"]
    spread = rows.groupby([*by, "submitter"], observed=True)["efficiency"].max()
    spread = spread.groupby(by, observed=True).agg(low="min", submitters="size").reset_index()
    found = latest(rows, ["scenario", "accelerator"]).merge(spread, on=by)
    return found.sort_values("efficiency", ascending=False).assign(modeled=True)


def at_the_wall(results: pd.DataFrame, benchmark: str = "") -> pd.DataFrame:
    """Return the measured efficiency of Offline power submissions: `efficiency` in tokens per joule at the wall.

    The best submission of each accelerator and benchmark; of all by default, then in the `rate_unit` of each. Raises
    NoData for a benchmark without one, with those that have some, and for one that does not count tokens.
    """
    measured = results["power_measured"] & results["power_watts"].gt(0)
    rows = submissions(results[measured & results["scenario"].eq("Offline")])
    if benchmark:
        benchmark = names.benchmark(benchmark, rows["benchmark"])
        there = names.listed(rows.sort_values("round", ascending=False)["benchmark"])
        rows = rows[rows["benchmark"].eq(benchmark)]
        if rows.empty:
            raise NoData(f"no power submission of {names.label(benchmark)} Offline; there are some of {there}")
        rows = compare.of_tokens(rows)
    rows = rows.assign(efficiency=rows["rate"] / rows["power_watts"], modeled=False)
    rows = rows.sort_values("efficiency").drop_duplicates(["benchmark", "accelerator"], keep="last")
    return rows.sort_values("efficiency", ascending=False, ignore_index=True)


def ranked(*parts: pd.DataFrame) -> pd.DataFrame:
    """Return rows of `per_megawatt` or `at_the_wall` in one frame: accelerators by their efficiency, Offline first.

    `note` says round, size, and cap of each result. Never draw modeled and measured rows together: all-in kilowatts
    are provisioned, not measured. In a table the modeled ones come first.
    """
    rows = pd.concat(parts, ignore_index=True)
    size = ", " + rows["accelerator_count"].map("{:.0f} GPUs".format)
    note = rows["round"].astype("str") + size.where(rows["accelerator_count"].ne(USUAL_SIZE), "")
    note = note.mask(~rows["modeled"] & rows["power_capped"], note + ", capped")
    best = rows.groupby(["benchmark", "accelerator", "modeled"])["efficiency"].transform("max")
    order = rows.assign(note=note, measured=~rows["modeled"], rank=-best, later=rows["scenario"].ne("Offline"))
    keys = ["measured", "benchmark", "rank", "later"]
    return order.sort_values(keys, kind="stable", ignore_index=True).drop(columns=["measured", "rank", "later"])


def in_words(modeled: pd.DataFrame, unit: str = "million tokens/s") -> str:
    """Return the range of efficiency in each scenario: "6.7 to 7.8 million tokens/s Offline, 1 to 4.6 Interactive".

    `unit` is that of the column `efficiency`.
    """
    ends = modeled.groupby("scenario")["efficiency"].agg(["min", "max"]).sort_values("max", ascending=False)
    texts = ends.map(lambda value: f"{float(f'{value:.2g}'):,g}")
    spans = [" to ".join(dict.fromkeys(span)) for span in texts.to_numpy()]
    spans[0] += f" {unit}"
    return ", ".join(f"{span} {name}" for name, span in zip(ends.index, spans, strict=True))


def racks_in_words(modeled: pd.DataFrame) -> str:
    """Return a title: the efficiency of the best rack over that of the best smaller system in Interactive."""
    fast = modeled[modeled["scenario"].eq("Interactive")]
    best = fast.groupby(compare.in_racks(fast))["efficiency"].max()
    if len(best) < 2:
        return "tokens per megawatt by accelerator"
    times = best[True] / best[False]
    return f"the best rack serves {times:.1f}x the Interactive tokens per megawatt of the best smaller system"


def submissions(results: pd.DataFrame) -> pd.DataFrame:
    """Return closed, available, bare-metal data center throughput, each run once, with its `chassis`.

    The chassis is the system's name without its power mode, so that a capped run and its performance run share it.
    """
    sold = results["division"].eq("closed") & results["suite"].str.contains("datacenter", regex=False)
    sold &= results["availability"].eq("available") & results["hypervisor"].eq("") & results["duplicate_of"].eq("")
    sold &= results["rate"].notna() & results["accelerator_count"].gt(0) & results["accelerator"].ne("mixed")
    rows = results[sold]
    chassis = {name: re.sub(rf"{MODE}|[ ,]+", "", name) for name in rows["system"].unique()}
    return rows.assign(chassis=rows["system"].map(chassis))


def cap_pairs(results: pd.DataFrame) -> pd.DataFrame:
    """Return runs under a stated power cap beside the uncapped run of the same machine, benchmark, and scenario.

    A power submission is paired with the performance run of its submitter, round, machine, accelerator, count, and
    accuracy target; so is a performance run that states a limit below the rated one. Oldest round first. Columns:
    those of SAME_MACHINE, `cap_watts` and `rated_watts` per accelerator, `cap` (share of the rated limit), `kept`
    (share of throughput), `power_watts` (of the system, NaN where not measured), `rate`, `rate_uncapped`.
    """
    rows = submissions(results)
    limited = rows["power_limit_watts"].lt(rows["rated_watts"])
    uncapped = rows[~rows["power_measured"] & ~rows["power_capped"]]
    uncapped = uncapped.groupby(SAME_MACHINE, observed=True)["rate"].max().reset_index(name="rate_uncapped")
    pairs = rows[limited].sort_values("round", kind="stable").merge(uncapped, on=SAME_MACHINE)
    pairs = pairs.rename(columns={"power_limit_watts": "cap_watts"})
    return pairs.assign(cap=pairs["cap_watts"] / pairs["rated_watts"], kept=pairs["rate"] / pairs["rate_uncapped"])


def cap_in_words(pairs: pd.DataFrame) -> str:
    """Return what the cap of an accelerator keeps, in the median of its `cap_pairs`, in words."""
    last, middle = pairs.iloc[-1], pairs[["cap", "kept"]].median()
    basis = f"median of {len(pairs)} pairs" if len(pairs) > 1 else f"one pair, {last['round']}"
    words = f"{last['accelerator']} at {middle['cap']:.0%} of its rated limit keeps {middle['kept']:.0%} of throughput"
    return f"{words} ({basis})"


def cap_effect(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the modeled gain of a cap in throughput per watt: accelerators draw their limit with and without it.

    The rest of the node draws measured power less the caps, in both. Only pairs with measured power count. Columns:
    those of `pairs`, `rest_watts`, `uncapped_watts`, `gain` (ratio of tokens per joule, capped over uncapped).
    """
    pairs = pairs[pairs["power_watts"].gt(0)]
    count = pairs["accelerator_count"]
    rest = pairs["power_watts"] - count * pairs["cap_watts"]
    uncapped = pairs["power_watts"] + count * (pairs["rated_watts"] - pairs["cap_watts"])
    return pairs.assign(rest_watts=rest, uncapped_watts=uncapped, gain=pairs["kept"] * uncapped / pairs["power_watts"])


def nodes(results: pd.DataFrame, accelerators_per_node: int = 8) -> pd.DataFrame:
    """Return the kilowatts to provision for each described system beside what its power submissions drew.

    Provisioned: rated watts of processors, accelerators, and scale-up network, times 1.5 with air or 1.3 with liquid
    cooling (MLPerf Endpoints rules, appendix D). Columns: round, submitter, system, accelerator, cooling,
    `provisioned_kw`, `lowest_kw`, `highest_kw` and `runs` (measured at the wall; NaN and 0 without), `capped`, `drew`
    (the highest over the provisioned).
    """
    parts = tables.component_power.set_index("component")
    watts = parts["rated_watts"].fillna(parts["terabytes_per_second"] * BYTES_TO_WATTS)
    systems = tables.system_hardware
    systems = systems[systems["accelerators"].eq(accelerators_per_node) & systems["cooling"].isin(COOLING)]
    rated = systems["processors"] * systems["processor"].map(watts)
    rated += systems["accelerators"] * systems["accelerator"].map(watts) + systems["network"].map(watts).fillna(0)
    systems = systems.assign(provisioned_kw=rated * systems["cooling"].map(COOLING) / 1000)
    drew = submissions(results[results["power_measured"] & results["power_watts"].gt(0)])
    drew = drew.groupby(["round", "submitter", "system"], observed=True).agg(
        lowest_kw=("power_watts", "min"), highest_kw=("power_watts", "max"), runs=("power_watts", "size"),
        capped=("power_capped", "any"),
    )  # fmt: skip
    drew[["lowest_kw", "highest_kw"]] /= 1000
    drew = drew.reset_index().astype({"round": "str"})
    found = systems.merge(drew, how="left", on=["round", "submitter", "system"])
    found = found.dropna(subset="provisioned_kw").assign(
        accelerator=names.short(found["accelerator"]), runs=found["runs"].fillna(0), capped=found["capped"].eq(True),
        drew=found["highest_kw"] / found["provisioned_kw"],
    )  # fmt: skip
    return found.sort_values("provisioned_kw", ascending=False, ignore_index=True)


def newest_nodes(nodes: pd.DataFrame, accelerators: Iterable[str]) -> pd.DataFrame:
    """Return one row of `nodes` per accelerator and cooling: that with most measured runs, then the newest."""
    nodes = nodes[nodes["accelerator"].isin(list(accelerators))].sort_values(["runs", "round"])
    return nodes.drop_duplicates(["accelerator", "cooling"], keep="last")


def provisioned_and_drawn(systems: pd.DataFrame) -> pd.DataFrame:
    """Return rows of `nodes` as two bars each for a chart: what to provision, and the highest that was measured."""
    name = systems["accelerator"] + " " + systems["cooling"] + ", " + systems["submitter"] + " " + systems["round"]
    systems = systems.assign(server=name).sort_values("provisioned_kw", ascending=False)
    capped = systems["capped"].map({True: "capped", False: "no cap"})
    drew = systems.assign(kw=systems["highest_kw"], provisioned=False, note=capped).dropna(subset="kw")
    rated = systems.assign(kw=systems["provisioned_kw"], lowest_kw=np.nan, provisioned=True, note="")
    return pd.concat([rated, drew], ignore_index=True)


def energy_in_words(best: pd.DataFrame) -> str:
    """Return how far energy per token falls from the lowest to the highest load of `energy_by_load`."""
    ends = best.sort_values("concurrency").iloc[[0, -1]]
    low, high = ends["concurrency"]
    before, after = ends["joules_per_output_token"]
    return f"Energy per token falls {before / after:.0f}-fold from {low:,.0f} to {high:,.0f} requests in flight"


def energy_by_load() -> pd.DataFrame:
    """Return joules per output token of InferenceX PowerX by concurrency, of the best layout each; no MLPerf results.

    Columns: those of data/energy_per_token.csv and `setting` (model, precision, accelerator, and lengths in words).
    """
    runs = tables.energy_per_token
    runs = runs[runs["source_id"].eq("inferencex-powerx")].sort_values("joules_per_output_token")
    best = runs.drop_duplicates("concurrency").sort_values("concurrency")
    lengths = best["prompt_tokens"].map(" {:,.0f} tokens in".format) + best["answer_tokens"].map(", {:,.0f} out".format)
    setting = best["model"] + " " + best["precision"].str.upper() + " on " + best["accelerator"] + "," + lengths
    return best.assign(setting=setting)


def usd_per_megawatt_year(usd_per_kilowatt_hour: float) -> float:
    """Return the dollars of a megawatt drawn for a year. Raises ValueError for an implausible price."""
    names.number(usd_per_kilowatt_hour, "usd_per_kilowatt_hour", 0.001, 10)
    return usd_per_kilowatt_hour * 1000 * HOURS_PER_YEAR


def power_share(prices: pd.DataFrame, usd_per_kilowatt_hour: float) -> pd.Series:
    """Return the share that electricity at all-in kilowatts has in each hourly price of `cost.prices`."""
    usd_per_megawatt_year(usd_per_kilowatt_hour)
    return (prices["kilowatts"] * usd_per_kilowatt_hour / prices["usd_per_hour"]).replace(np.inf, np.nan)
