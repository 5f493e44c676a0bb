"""How much an accelerator gives at the speed that each user gets: official runs with the latencies of their own logs.

The speed is that which 99 of 100 requests reach: 1000 / time per output token in ms at the 99th percentile. A run
proves its rate at its own speed and at any slower one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.core import ages, interval
from analysis.core.interval import Interval
from analysis.core.notes import NONE
from analysis.core.plain import Row, as_dicts
from analysis.core.vocabulary import MS_PER_SECOND
from analysis.themes import benchmark_rules
from analysis.themes.benchmark_rules import TPOT, TTFT, of_rows

SCENARIOS = ("Offline", "Server", "Interactive")  # from no limit on latency to the tightest
PER_ACCELERATOR, PER_KILOWATT = "per_accelerator", "per_kilowatt"
RUN = ["id", "round", "basis", "origin", "source_id", "result_id", "division", "availability", "submitter", "system"]
RUN += [
    "system_key",
    "framework",
    "serving_software",
    "benchmark",
    "scenario",
    "accelerator",
    "accelerator_count",
    "on_sale",
    "notes",
]
LATENCIES = [f"{name}_{percentile}_ms" for name in ("ttft", "tpot") for percentile in ("p50", "p90", "p99")]
GIVEN = ["asked", "accelerator", "on_sale", "rate_low", "rate_high", "kept_low", "kept_high", "speed", "id"]
GIVEN += [
    "system",
    "submitter",
    "framework",
    "serving_software",
    "round",
    "basis",
    "origin",
    "source_id",
    "accelerator_count",
    "notes",
]


def runs(rows: pd.DataFrame, limits: pd.DataFrame) -> pd.DataFrame:
    """Comparable rows (see compare.gate) of SCENARIOS with the speed that each proves; the order is kept.

    `limits` is the table benchmark_limits. Columns: RUN, LATENCIES, `speed` and `proof` (see
    benchmark_rules.proven), per_accelerator_low/high and per_kilowatt_low/high (the benchmark's unit, the latter NaN
    without a meter).
    """
    watts = interval.of(rows, "power_watts")
    per_kilowatt = Interval(1000 * rows["rate_low"], 1000 * rows["rate_high"]) / watts
    added = benchmark_rules.proven(rows, limits).assign(on_sale=rows["availability"].eq("available"))
    with_speed = interval.put(rows.assign(**added), PER_KILOWATT, per_kilowatt)
    rates = [f"{name}_{end}" for name in (PER_ACCELERATOR, PER_KILOWATT) for end in ("low", "high")]
    return with_speed[[*RUN, *LATENCIES, "speed", "proof", *rates]].reset_index(drop=True)


def limits_of(runs: pd.DataFrame, limits: pd.DataFrame) -> pd.DataFrame:
    """The limits of the scenarios that the runs have: scenario, speed (tokens/s per user), ttft_ms; NaN for no limit.

    Of several rounds the loosest counts, for it is the one that each run was held to at least.
    """
    with_limits = runs.assign(tpot=of_rows(runs, limits, TPOT), ttft_ms=of_rows(runs, limits, TTFT))
    loosest = with_limits.groupby("scenario", sort=False)[["tpot", "ttft_ms"]].max().dropna(how="all").reset_index()
    return loosest.assign(speed=MS_PER_SECOND / loosest["tpot"])[["scenario", "speed", "ttft_ms"]]


def front(runs: pd.DataFrame, name: str = PER_ACCELERATOR) -> pd.DataFrame:
    """The runs that no other one on sale beats in both speed and rate, the slowest first. Only runs with a speed."""
    with_rate = runs[runs["on_sale"].astype(bool) & runs["speed"].notna() & runs[f"{name}_low"].notna()]
    order = with_rate.sort_values(["speed", f"{name}_low"], ascending=False, kind="stable")
    best_before = order[f"{name}_low"].cummax().shift(fill_value=-np.inf)
    return order[order[f"{name}_low"] > best_before].iloc[::-1].reset_index(drop=True)


def curves(runs: pd.DataFrame, name: str = PER_ACCELERATOR) -> pd.DataFrame:
    """The runs of one system for each accelerator, from no promise to the fastest.

    Those that ran most scenarios come first, of them those that give most. The system is on sale where there is one,
    has most scenarios with a speed, is of the newest round and has the highest rate, in this order. Of runs of one
    scenario it is the one that gives most.
    """
    rated = runs[runs[f"{name}_low"].notna()]
    if rated.empty or rated["speed"].isna().all():
        return rated.head(0)
    with_speed = rated[rated["speed"].notna()]
    groups = with_speed.assign(age=ages.of(with_speed["round"])).groupby(["accelerator", "system_key"], sort=False)
    ranks = {"on_sale": groups["on_sale"].any(), "scenarios": groups["scenario"].nunique()}
    ranks |= {"age": groups["age"].max(), "rate": groups[f"{name}_low"].max()}
    ranked = pd.DataFrame(ranks).reset_index().sort_values(list(ranks), ascending=False, kind="stable")
    chosen = ranked.drop_duplicates("accelerator")
    place = {key: rank for rank, key in enumerate(zip(chosen["accelerator"], chosen["system_key"], strict=True))}
    places = [place.get(key, -1) for key in zip(rated["accelerator"], rated["system_key"], strict=True)]
    placed = rated.assign(place=places, step=rated["scenario"].map(SCENARIOS.index))
    drawn = placed[placed["place"].ge(0)].sort_values(["place", "step", f"{name}_low"], ascending=[True, True, False])
    return drawn.drop_duplicates(["place", "step"]).drop(columns=["place", "step"]).reset_index(drop=True)


def given(runs: pd.DataFrame, speeds: Sequence[float], name: str = PER_ACCELERATOR) -> pd.DataFrame:
    """What each accelerator is proven to give at each asked speed: a row per asked speed and accelerator, most first.

    rate_low: the most of any run at that speed or a faster one. rate_high: the most that runs at the nearest slower
    speed give of those that give more, else Offline runs, or rate_low where neither do; a run at exactly that speed
    would give something between.
    kept: the run's rate over the Offline rate of its own system (NaN without one).
    speed, id, system ... are those of the run that proves the rate. Systems on sale, or those of an accelerator that
    has no other. Where no run is so fast, the numbers are NaN and `speed` is the fastest there is. Columns: GIVEN.
    """
    rows, by_accelerator = [], defaultdict(list)
    for run in as_dicts(runs[runs[f"{name}_low"].notna()]):
        by_accelerator[run["accelerator"]].append(run)
    for accelerator, of_accelerator in by_accelerator.items():
        sold = [run for run in of_accelerator if run["on_sale"]]
        shown = sold if _have_speeds(sold) else of_accelerator
        if _have_speeds(shown):
            rows += [_at(shown, float(speed), name) | {"accelerator": accelerator} for speed in speeds]
    frame = pd.DataFrame(rows, columns=GIVEN).astype({"on_sale": "bool"})
    order = {float(speed): place for place, speed in enumerate(speeds)}
    ranked = frame.assign(turn=frame["asked"].map(order)).sort_values(
        ["turn", "rate_low", "speed"], ascending=[True, False, False], kind="stable", na_position="last"
    )
    return ranked.drop(columns="turn").reset_index(drop=True)


def _at(runs: list[Row], asked: float, name: str) -> dict:
    """The row of `given` for the runs of one accelerator, of which some have a speed, and one speed asked for."""
    low, high = f"{name}_low", f"{name}_high"
    fast = [run for run in runs if run["speed"] >= asked]
    if not fast:
        with_speed = (run for run in runs if run["speed"] == run["speed"])
        quickest = max(with_speed, key=lambda run: (run["speed"], run[low], run["id"]))
        unknown = dict.fromkeys(["rate_low", "rate_high", "kept_low", "kept_high"], np.nan)
        return {**_facts(quickest), **unknown, "asked": asked, "notes": NONE}
    proof = max(fast, key=lambda run: (run[low], run[high], run["speed"], run["id"]))
    giving_more = [run for run in runs if run["speed"] < asked and run[low] > proof[low]]
    next_speed = max((run["speed"] for run in giving_more), default=np.nan)
    slower = [run for run in giving_more if run["speed"] == next_speed]
    offline = [run for run in runs if run["scenario"] == SCENARIOS[0]]
    above = _most(slower or offline, high)
    of_system = [run for run in offline if run["system_key"] == proof["system_key"]]
    kept = interval.of(proof, name) / Interval(_most(of_system, low), _most(of_system, high))
    ends = {"rate_low": proof[low], "rate_high": np.nanmax([proof[high], above])}
    return {**_facts(proof), **ends, "kept_low": kept.low, "kept_high": kept.high, "asked": asked}


def _have_speeds(runs: list[Row]) -> bool:
    return any(run["speed"] == run["speed"] for run in runs)


def _most(runs: list[Row], name: str) -> float:
    return max((run[name] for run in runs), default=np.nan)


def _facts(run: Row) -> dict:
    return {name: run[name] for name in GIVEN if name in run}


def most(given: pd.DataFrame) -> pd.DataFrame:
    """The accelerator on sale that is proven to give most at each asked speed; no row for a speed that none proves."""
    proven = given[given["on_sale"] & given["rate_low"].notna()]
    return proven.drop_duplicates("asked").reset_index(drop=True)


def undecided(given: pd.DataFrame) -> list[float]:
    """The asked speeds at which another accelerator on sale may give more than the one that is proven to give most.

    It may where its run at that speed or a faster one gives less, but its nearest slower run gives more (`rate_high`).
    """
    proven = given[given["on_sale"] & given["rate_low"].notna()]
    lead = proven.groupby("asked")["rate_low"].transform("max")
    others = proven[proven.duplicated("asked") & proven["rate_high"].gt(lead)]
    return list(dict.fromkeys(others["asked"].astype(float)))


def fastest(runs: pd.DataFrame) -> pd.DataFrame:
    """Where the record ends: the fastest run on sale of each accelerator and benchmark, the fastest first."""
    with_speed = runs[runs["on_sale"].astype(bool) & runs["speed"].notna()]
    order = with_speed.sort_values("speed", ascending=False, kind="stable")
    return order.drop_duplicates(["benchmark", "accelerator"]).reset_index(drop=True)


def by_benchmark(runs: pd.DataFrame, speed: float) -> pd.DataFrame:
    """Per benchmark: who gives most at `speed` (accelerator, rate_low/high; "" and NaN for none), and where it ends.

    Columns: benchmark, accelerator, rate_low, rate_high, ends (the fastest speed), ends_on (whose), source_ids. The
    benchmark that ends fastest first.
    """
    columns = ["benchmark", "accelerator", "rate_low", "rate_high", "ends", "ends_on", "source_ids"]
    rows = []
    for benchmark, of_benchmark in runs.groupby("benchmark", sort=False):
        reach, leaders = fastest(of_benchmark), most(given(of_benchmark, [speed]))
        if reach.empty:
            continue
        lead = leaders.iloc[0] if len(leaders) else {"accelerator": "", "rate_low": np.nan, "rate_high": np.nan}
        ends = (reach["speed"].iloc[0], reach["accelerator"].iloc[0], tuple(sorted(set(of_benchmark["source_id"]))))
        rows.append((benchmark, lead["accelerator"], lead["rate_low"], lead["rate_high"], *ends))
    return pd.DataFrame(rows, columns=columns).sort_values("ends", ascending=False, kind="stable", ignore_index=True)
