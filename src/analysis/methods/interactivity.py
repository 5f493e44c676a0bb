"""Throughput per accelerator over interactivity, from official results with the latencies of their own logs.

Interactivity is in tokens/s per user: 1000 / TPOT in ms, at the median or p99 of a run's requests. A run shows that its
throughput is reached at its own interactivity and at any lower one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis._core import interval, round_order
from analysis._core.interval import Interval
from analysis._core.notes import NONE, union
from analysis._core.plain_values import Row, as_dicts, frame_of, grouped
from analysis._core.vocabulary import MS_PER_SECOND
from analysis.methods import benchmark_rules
from analysis.methods.benchmark_rules import LIMIT, TPOT, TTFT, of_rows
from analysis.methods.system_properties import software

SCENARIOS = ("Offline", "Server", "Interactive")  # from no latency limit to the tightest
PER_ACCELERATOR, PER_KILOWATT = "per_accelerator", "per_kilowatt"
RUN = [
    "id", "round", "basis", "origin", "source_id", "result_id", "division", "availability", "submitter", "system",
    "system_key", "software", "benchmark", "scenario", "accelerator", "accelerator_count", "is_available", "evidence",
    "notes",
]  # fmt: skip
LATENCIES = [f"{name}_{percentile}_ms" for name in ("ttft", "tpot") for percentile in ("p50", "p90", "p99")]
ENDS = ["throughput_low", "throughput_high", "retained_low", "retained_high"]
TARGETS = [
    "target", "accelerator", "is_available", "throughput_low", "throughput_high", "retained_low", "retained_high",
    "interactivity", "is_bound", "id", "system", "submitter", "software", "round", "basis", "origin", "source_id",
    "accelerator_count", "notes",
]  # fmt: skip


def runs(rows: pd.DataFrame, limits: pd.DataFrame, percentile: str = "median") -> pd.DataFrame:
    """Return comparable rows of SCENARIOS (see comparability.selection) with their interactivity, in the same order.

    `limits` is the table benchmark_limits, `percentile` "median" or "p99". Columns: RUN, LATENCIES, `interactivity`
    (tokens/s per user; NaN where unknown), `known_from` (the run's log, or LIMIT: the latency limit at p99, which makes
    it a lower bound, `is_bound`), per_accelerator_low/high and per_kilowatt_low/high (the benchmark's unit; the latter
    NaN without measured power).
    """
    per_kilowatt = Interval(1000 * rows["rate_low"], 1000 * rows["rate_high"]) / interval.of(rows, "power_watts")
    known = benchmark_rules.interactivity_bounds(rows, limits, percentile=percentile)
    rows = interval.put(rows, PER_KILOWATT, per_kilowatt).assign(
        interactivity=known["speed"],
        known_from=known["proof"],
        is_bound=known["proof"].eq(LIMIT),
        is_available=rows["availability"].eq("available"),
        software=software(rows),
    )
    rates = [f"{name}_{end}" for name in (PER_ACCELERATOR, PER_KILOWATT) for end in ("low", "high")]
    return rows[[*RUN, *LATENCIES, "interactivity", "known_from", "is_bound", *rates]].reset_index(drop=True)


def limits_of(runs: pd.DataFrame, limits: pd.DataFrame) -> pd.DataFrame:
    """Return the latency limits of the runs' scenarios: scenario, interactivity (tokens/s per user), ttft_ms.

    The loosest of several rounds, which every run had to meet; NaN for no limit.
    """
    with_limits = runs.assign(tpot=of_rows(runs, limits, TPOT), ttft_ms=of_rows(runs, limits, TTFT))
    loosest = with_limits.groupby("scenario", sort=False)[["tpot", "ttft_ms"]].max().dropna(how="all").reset_index()
    return loosest.assign(interactivity=MS_PER_SECOND / loosest["tpot"])[["scenario", "interactivity", "ttft_ms"]]


def pareto_frontier(runs: pd.DataFrame, name: str = PER_ACCELERATOR) -> pd.DataFrame:
    """Return the available runs that none beats in both interactivity and throughput `name`, slowest first."""
    known = runs[runs["is_available"].astype(bool) & runs["interactivity"].notna() & runs[f"{name}_low"].notna()]
    order = known.sort_values(["interactivity", f"{name}_low"], ascending=False, kind="stable")
    best_before = order[f"{name}_low"].cummax().shift(fill_value=-np.inf)
    return order[order[f"{name}_low"] > best_before].iloc[::-1].reset_index(drop=True)


def curves(runs: pd.DataFrame, name: str = PER_ACCELERATOR) -> pd.DataFrame:
    """Return the runs of one system per accelerator, from Offline to the tightest scenario.

    The system is available where one is, has most scenarios with a known interactivity, is of the newest round and has
    the highest throughput `name`, in this order; accelerators come in the order of their systems. Of several runs of a
    scenario, the fastest.
    """
    rated = runs[runs[f"{name}_low"].notna()]
    if rated.empty or rated["interactivity"].isna().all():
        return rated.head(0)
    known = rated[rated["interactivity"].notna()]
    system = ["accelerator", "system_key"]
    ranks = known.assign(age=round_order.of(known["round"])).groupby(system, sort=False).agg(
        is_available=("is_available", "any"), scenarios=("scenario", "nunique"), age=("age", "max"),
        rate=(f"{name}_low", "max"),
    )  # fmt: skip
    chosen = ranks.sort_values(list(ranks), ascending=False, kind="stable").reset_index().drop_duplicates("accelerator")
    chosen = chosen[system].assign(place=range(len(chosen)))
    placed = rated.merge(chosen, on=system).assign(step=lambda runs: runs["scenario"].map(SCENARIOS.index))
    drawn = placed.sort_values(["place", "step", f"{name}_low"], ascending=[True, True, False])
    return drawn.drop_duplicates(["place", "step"]).drop(columns=["place", "step"]).reset_index(drop=True)


def retained(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the share of throughput that systems retain from their slowest to their fastest run, highest first.

    `curves` as returned by `curves`. Available systems with runs at two known interactivities or more: the rows of
    their fastest runs with retained_low/high, and both runs' notes.
    """
    known = curves[curves["is_available"].astype(bool) & curves["interactivity"].notna()]
    order = known.sort_values("interactivity", kind="stable")
    slowest, fastest = (order.drop_duplicates("accelerator", keep=end).set_index("accelerator")
                        for end in ("first", "last"))  # fmt: skip
    fastest = fastest[fastest["interactivity"] > slowest["interactivity"].reindex(fastest.index)]
    slowest = slowest.reindex(fastest.index)
    share = interval.of(fastest, PER_ACCELERATOR) / interval.of(slowest, PER_ACCELERATOR)
    pairs = zip(fastest["notes"], slowest["notes"], strict=True)
    rows = interval.put(fastest, "retained", share).assign(notes=[union(both) for both in pairs])
    return rows.sort_values("retained_high", ascending=False, kind="stable").reset_index()


def at_targets(runs: pd.DataFrame, targets: Sequence[float], name: str = PER_ACCELERATOR) -> pd.DataFrame:
    """Return bounds of each accelerator's throughput `name` at each target interactivity, highest lower bound first.

    throughput_low: the highest of any run at the target or faster. throughput_high: the highest of the runs at the
    nearest slower interactivity among those with a higher throughput, else of the Offline runs, or throughput_low.
    retained_low/high: that run's throughput over the Offline throughput of its own system (NaN without one).
    interactivity, is_bound, id ... are those of the run of the lower bound. Available systems only, or those of an
    accelerator that has no other. Where no run is so fast, the numbers are NaN and interactivity is the highest known.
    Columns: TARGETS.
    """
    by_accelerator = grouped(as_dicts(runs[runs[f"{name}_low"].notna()]), ["accelerator"])
    rows = []
    for target in map(float, targets):
        at_target = []
        for of_accelerator in by_accelerator.values():
            available = [run for run in of_accelerator if run["is_available"]]
            shown = available if _any_known(available) else of_accelerator
            if _any_known(shown):
                at_target.append(_at(shown, target, name))
        rows += sorted(at_target, key=_order)
    return frame_of(rows, TARGETS).astype({"is_available": "bool"})


def _at(runs: list[Row], target: float, name: str) -> dict:
    """Return the row of `at_targets` for one target and the runs of one accelerator, some with an interactivity."""
    low, high = f"{name}_low", f"{name}_high"
    fast = [run for run in runs if run["interactivity"] >= target]
    if not fast:
        known = (run for run in runs if run["interactivity"] == run["interactivity"])
        quickest = max(known, key=lambda run: (run["interactivity"], run[low], run["id"]))
        return quickest | dict.fromkeys(ENDS, np.nan) | {"target": target, "notes": NONE}
    best = max(fast, key=lambda run: (run[low], run[high], run["interactivity"], run["id"]))
    higher = [run for run in runs if run["interactivity"] < target and run[low] > best[low]]
    nearest = max((run["interactivity"] for run in higher), default=np.nan)
    slower = [run for run in higher if run["interactivity"] == nearest]
    offline = [run for run in runs if run["scenario"] == SCENARIOS[0]]
    bound = np.nanmax([best[high], _highest(slower or offline, high)])
    of_system = [run for run in offline if run["system_key"] == best["system_key"]]
    share = interval.of(best, name) / Interval(_highest(of_system, low), _highest(of_system, high))
    return best | dict(zip(ENDS, (best[low], bound, share.low, share.high), strict=True)) | {"target": target}


def _any_known(runs: list[Row]) -> bool:
    return any(run["interactivity"] == run["interactivity"] for run in runs)


def _highest(runs: list[Row], name: str) -> float:
    return max((run[name] for run in runs), default=np.nan)


def _order(run: Row) -> tuple[float, float]:
    """The highest throughput first, then the fastest; what is not known last."""
    known = run["throughput_low"] == run["throughput_low"]
    return -run["throughput_low"] if known else np.inf, -run["interactivity"]


def compared_at(at_targets: pd.DataFrame) -> float:
    """Return the highest target that two available accelerators reach, else one does; NaN for none."""
    reached = at_targets[at_targets["is_available"] & at_targets["throughput_low"].notna()]
    systems = reached.groupby("target").size()
    return systems.index[systems.ge(min(2, systems.max()))].max() if len(systems) else np.nan


def leaders(at_targets: pd.DataFrame) -> pd.DataFrame:
    """Return the row of the available accelerator with the highest lower bound at each target that a run reaches."""
    reached = at_targets[at_targets["is_available"] & at_targets["throughput_low"].notna()]
    return reached.drop_duplicates("target").reset_index(drop=True)


def fastest(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the available run of the highest interactivity of each accelerator and benchmark, fastest first."""
    known = runs[runs["is_available"].astype(bool) & runs["interactivity"].notna()]
    order = known.sort_values("interactivity", ascending=False, kind="stable")
    return order.drop_duplicates(["benchmark", "accelerator"]).reset_index(drop=True)


def by_benchmark(runs: pd.DataFrame, target: float) -> pd.DataFrame:
    """Return the leader at `target` (tokens/s per user) of each benchmark, that with the fastest run first.

    Columns: benchmark, accelerator and throughput_low/high of the leader ("" and NaN for none), interactivity (of the
    fastest run), source_ids. Benchmarks without a known interactivity are left out.
    """
    columns = ["benchmark", "accelerator", "throughput_low", "throughput_high", "interactivity", "source_ids"]
    rows = []
    for benchmark, of_benchmark in runs.groupby("benchmark", sort=False):
        reach, lead = fastest(of_benchmark), leaders(at_targets(of_benchmark, [target]))
        if reach.empty:
            continue
        first = lead.iloc[0] if len(lead) else {"accelerator": "", "throughput_low": np.nan, "throughput_high": np.nan}
        known = (reach["interactivity"].iloc[0], tuple(sorted(set(of_benchmark["source_id"]))))
        rows.append((benchmark, *(first[name] for name in columns[1:4]), *known))
    frame = pd.DataFrame(rows, columns=columns)
    return frame.sort_values("interactivity", ascending=False, kind="stable", ignore_index=True)
