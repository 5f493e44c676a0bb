"""Compute throughput per megawatt at full load and delivered, the effect of power caps, and kilowatts to provision."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

from analysis import derating, names, tables
from analysis.compare import USUAL_SIZE
from analysis.results import CAPPED_NAME, rule_limits

HOURS_PER_YEAR = 24 * 365  # as prices and power are quoted: 12 months of 730 hours
COOLING = {"air": 1.5, "liquid": 1.3}  # provisioned over rated watts, MLPerf Endpoints rules, appendix D
BYTES_TO_WATTS = 8 * 5  # watts of a network per TB/s: 5 pJ/bit, MLPerf Endpoints rules, appendix C
MODE = rf"{CAPPED_NAME}|, PP\b"  # in a system's name; PP: Qualcomm's peak performance mode, as opposed to EE
SAME_MACHINE = [
    "round", "submitter", "accelerator", "accelerator_count", "benchmark", "accuracy_target", "scenario", "chassis",
]  # fmt: skip


def kilowatts() -> pd.DataFrame:
    """Return the all-in kilowatts of accelerators: `kilowatts` of the newest list, `least` and `most` of all lists.

    All-in power is provisioned for an accelerator and its share of host and network cards. By accelerator.
    """
    listed = tables.prices.dropna(subset="all_in_kilowatts").sort_values("quoted")
    listed = listed.assign(accelerator=names.short(listed["accelerator"]))
    groups = listed.groupby("accelerator")["all_in_kilowatts"]
    return groups.agg(kilowatts="last", least="min", most="max")


def per_megawatt(rates: pd.DataFrame, results: pd.DataFrame, pue: float = 1.0) -> pd.DataFrame:
    """Return million tokens/s per megawatt of `current(results)`, `rates`, at full load and delivered; modeled.

    Throughput over all-in kilowatts times `pue`, the power of the facility over that of its servers. Each row has two:
    `use` "full load", and "delivered" by a fixed fleet at the interactivity of the scenario's limit
    (`derating.served`: what a result holds already counts once; Offline: batches, always full). Added columns: use,
    interactivity, share (delivered), value, and `low` and `high` over the dates of the price lists and the range of a
    carried rate. Rows without all-in kilowatts or a TPOT limit are dropped. Full load comes first, then the highest
    value.
    """
    names.bounded(pue, "pue", 1, 3)
    speed = 1000 / rates.join(rule_limits("tpot_p99_limit"), on=["benchmark", "scenario"])["tpot_p99_limit"]
    rows = rates.assign(interactivity=speed.mask(rates["scenario"].eq("Offline"), 0.0)).dropna(subset="interactivity")
    rows = rows.merge(kilowatts(), on="accelerator")
    share = derating.served(rows.merge(results[["id", *derating.HOLDS]], how="left", on="id"))["share"]
    ends = ["value", "low", "high"]
    rows[ends] = rows[["rate", "low", "high"]] / (1000 * pue * rows[["kilowatts", "most", "least"]].to_numpy())
    rows = rows.assign(use="full load", share=1.0, scenario=rows["scenario"].astype("str"))
    delivered = rows.assign(use="delivered", share=share, **rows[ends].mul(share, axis=0))
    return pd.concat([rows, delivered]).sort_values(["use", "value"], ascending=False, ignore_index=True)


def at_the_wall(results: pd.DataFrame, benchmark: str = "") -> pd.DataFrame:
    """Return the measured efficiency of Offline power submissions: `efficiency` in units of work per joule at the wall.

    Keep the best submission per accelerator and benchmark, highest first. `benchmark` defaults to all. The unit of work
    is that of `rate_unit`, such as tokens.
    """
    measured = results["power_measured"] & results["power_watts"].gt(0)
    rows = submissions(results[measured & results["scenario"].eq("Offline")])
    if benchmark:
        rows = rows[rows["benchmark"].eq(names.benchmark(benchmark, results["benchmark"].unique()))]
    rows = rows.assign(efficiency=rows["rate"] / rows["power_watts"]).sort_values("efficiency", ascending=False)
    return rows.drop_duplicates(["benchmark", "accelerator"]).reset_index(drop=True)


def submissions(results: pd.DataFrame) -> pd.DataFrame:
    """Return closed, available, bare-metal data center throughput, each run once, with its `chassis`.

    The chassis is the system's name without its power mode, so that a capped run and its performance run share it.
    """
    sold = results["division"].eq("closed") & results["suite"].str.contains("datacenter")
    sold &= results["availability"].eq("available") & results["hypervisor"].eq("") & results["duplicate_of"].eq("")
    sold &= results["rate"].notna() & results["accelerator_count"].gt(0) & results["accelerator"].ne("mixed")
    rows = results[sold]
    chassis = {name: re.sub(rf"{MODE}|[ ,]+", "", name) for name in rows["system"].unique()}
    return rows.assign(chassis=rows["system"].map(chassis))


def cap_pairs(results: pd.DataFrame) -> pd.DataFrame:
    """Return runs under a stated power cap paired with the uncapped run of the same machine, benchmark, and scenario.

    A power submission is paired with the performance run of its submitter, round, machine, accelerator, count, and
    accuracy target; so is a performance run that states a limit below the rated one. Oldest round first. Columns:
    those of `results`, `cap` (the limit of an accelerator as a share of the rated one), `kept`
    (share of throughput), `rate_uncapped`, `machine` (a number for each submitter, accelerator, and chassis: its
    benchmarks and rounds are not independent).
    """
    rows = submissions(results)
    limited = rows["power_limit_watts"].lt(rows["rated_watts"])
    uncapped = rows[~rows["power_measured"] & ~rows["power_capped"]]
    uncapped = uncapped.groupby(SAME_MACHINE)["rate"].max().reset_index(name="rate_uncapped")
    pairs = rows[limited].sort_values("round", kind="stable").merge(uncapped, on=SAME_MACHINE)
    machine = pairs.groupby(["submitter", "accelerator", "chassis"]).ngroup()
    cap, kept = pairs["power_limit_watts"] / pairs["rated_watts"], pairs["rate"] / pairs["rate_uncapped"]
    return pairs.assign(cap=cap, kept=kept, machine=machine)


def nodes(results: pd.DataFrame) -> pd.DataFrame:
    """Return the kilowatts to provision for each described node of eight, and what its power submissions drew.

    Provisioned: rated watts of processors, accelerators, and scale-up network, times 1.5 with air or 1.3 with liquid
    cooling (MLPerf Endpoints rules, appendix D). Columns: round, submitter, system, accelerator, cooling,
    `provisioned_kw`, `highest_kw` and `runs` (measured at the wall; NaN and 0 without), `capped`.
    """
    parts = tables.component_power.set_index("component")
    watts = parts["rated_watts"].fillna(parts["terabytes_per_second"] * BYTES_TO_WATTS)
    systems = tables.system_hardware
    systems = systems[systems["accelerators"].eq(USUAL_SIZE) & systems["cooling"].isin(COOLING)]
    rated = systems["processors"] * systems["processor"].map(watts)
    rated += systems["accelerators"] * systems["accelerator"].map(watts) + systems["network"].map(watts).fillna(0)
    systems = systems.assign(provisioned_kw=rated * systems["cooling"].map(COOLING) / 1000)
    drew = submissions(results[results["power_measured"] & results["power_watts"].gt(0)])
    drew = drew.groupby(["round", "submitter", "system"]).agg(
        highest_kw=("power_watts", "max"), runs=("power_watts", "size"), capped=("power_capped", "any")
    )
    drew = drew.assign(highest_kw=drew["highest_kw"] / 1000).reset_index().astype({"round": "str"})
    found = systems.merge(drew, how="left", on=["round", "submitter", "system"])
    found["round"] = pd.Categorical(found["round"], tables.rounds["round"], ordered=True)
    found = found.dropna(subset="provisioned_kw").assign(
        accelerator=names.short(found["accelerator"]), runs=found["runs"].fillna(0), capped=found["capped"].eq(True)
    )
    return found.sort_values("provisioned_kw", ascending=False, ignore_index=True)


def newest_nodes(nodes: pd.DataFrame, accelerators: Iterable[str]) -> pd.DataFrame:
    """Return one row of `nodes` per accelerator and cooling: that with most measured runs, then the newest."""
    nodes = nodes[nodes["accelerator"].isin(list(accelerators))].sort_values(["runs", "round"])
    return nodes.drop_duplicates(["accelerator", "cooling"], keep="last").sort_values("provisioned_kw", ascending=False)


def usd_per_megawatt_year(usd_per_kilowatt_hour: float) -> float:
    """Return the dollars of a megawatt drawn for a year. Raises ValueError for an implausible price."""
    names.bounded(usd_per_kilowatt_hour, "usd_per_kilowatt_hour", 0.001, 10)
    return usd_per_kilowatt_hour * 1000 * HOURS_PER_YEAR
