"""Comparison of a user's own runs with official results, from measurement files, tables and parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from analysis._core import interval, notes
from analysis._core.interval import Interval
from analysis._core.notes import Notes
from analysis._core.parameters import MyDeployment
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import BYTES_PER_WEIGHT
from analysis._tables.catalog import Catalog
from analysis.comparability import selection
from analysis.comparability.selection import Comparison
from analysis.methods import benchmark_rules, cost, deployment, memory, plausibility, run_metrics


@dataclass(frozen=True)
class Assessed:
    """All runs with what is known of them, and the `best`: the fastest within the latency limits, else the fastest.

    `runs` are those of deployment.against and hardware.serving with a `label` each; `best` is one of them as a dict,
    `called` the short name of its accelerator. `differences` and `gap` are those of deployment for the best run;
    `limited` and `offline` are the official rows of the scenario and of Offline that it is compared with.
    """

    runs: pd.DataFrame
    best: dict
    called: str
    differences: pd.DataFrame
    gap: pd.DataFrame
    limited: Comparison
    offline: Comparison
    price: Interval
    ttft_ms: float
    tpot_ms: float
    notes: Notes

    @property
    def is_sample(self) -> bool:
        """Whether a file is one of data/examples/, whose numbers were written by hand."""
        return bool(self.runs["example"].any())

    @property
    def share(self) -> Interval:
        """Throughput per accelerator of the best run over that of official systems; UNKNOWN without one."""
        return interval.of(self.best, "derate")

    @property
    def saved(self) -> Interval:
        """US dollars an hour for the accelerators that are spare at official throughput.

        UNKNOWN without a price or an official system, and where the load may have been light: such a run does not show
        what the accelerators can do.
        """
        is_known = self.price.known and self.best["load"] not in ("light", "")
        return interval.of(self.best, "saved") if is_known else interval.UNKNOWN

    @property
    def within_limits(self) -> tuple[int, int]:
        """How many runs hold both latency limits at the 99th percentile, and of how many that is known."""
        known = self.runs[self.runs["ttft_held"].notna() & self.runs["tpot_held"].notna()]
        return int((known["ttft_held"] & known["tpot_held"]).sum()), len(known)

    @property
    def known_steps(self) -> pd.DataFrame:
        """The steps of `gap` with a known share, the largest loss first; none without an official system."""
        known = self.gap.dropna(subset="share_low") if pd.notna(self.best["of_nearest_low"]) else self.gap.head(0)
        return known.sort_values("lost_high", ascending=False, kind="stable")


def make(catalog: Catalog, runs: pd.DataFrame, asked: MyDeployment) -> Assessed:
    """Return the comparison of the runs (of _import.measured) with official results, as `asked`.

    Raises deployment.Unsaid for what neither files nor parameters say, and for files of several models, benchmarks or
    accelerators; plausible.Implausible for a run that cannot be.
    """
    settled = _settled(catalog, runs, asked)
    benchmark = settled["benchmark"].iloc[0]
    limited, offline = _official(catalog, benchmark, asked)
    assessed = deployment.against(settled, limited.rows, offline.rows)
    identity = catalog.benchmarks.set_index("benchmark").loc[benchmark]
    plausibility.check(assessed, identity, catalog.accelerators)
    ttft, tpot = (
        getattr(asked, f"{name}_ms")
        or benchmark_rules.limit_ms(
            catalog.benchmark_limits, benchmark, asked.scenario, f"{name}_p99_limit", asked.rounds
        )
        for name in ("ttft", "tpot")
    )
    # Weights in 16 bits, as the precision of each run scales them.
    weight, cache = BYTES_PER_WEIGHT["fp16"], BYTES_PER_WEIGHT[asked.cache_precision]
    model = memory.model(catalog.benchmarks, benchmark, weight, cache)
    accelerator = settled["accelerator"].iloc[0]
    prices = cost.priced(catalog.prices, asked.prices, accelerator, catalog.accelerators, asked.cost_model)
    price = cost.price_range(prices, accelerator)
    assessed = run_metrics.energy(run_metrics.served(assessed, ttft, tpot))
    assessed = run_metrics.front(run_metrics.money(assessed, price))
    assessed = run_metrics.ceiling(assessed, identity, model, catalog.accelerators)
    assessed = assessed.assign(label=[_label(run) for run in as_dicts(assessed)])
    best = _best(assessed)
    same_accelerator = limited.rows[limited.rows["accelerator"].eq(best["accelerator"])]
    near = deployment.nearest(best, same_accelerator, offline.rows)
    differ = deployment.differences(best, near, catalog.benchmarks)
    gap = deployment.gap(best)
    called = catalog.accelerators.set_index("accelerator").at[accelerator, "label"]
    return Assessed(assessed, best, called, differ, gap, limited, offline, price, ttft, tpot, _notes(assessed, best))


def _settled(catalog: Catalog, runs: pd.DataFrame, asked: MyDeployment) -> pd.DataFrame:
    models = {deployment.model_name(run): run["model"] for run in as_dicts(runs) if run["model"]}
    if len(models) > 1:
        raise deployment.Unsaid(f"the files have several models, {', '.join(models.values())}: one report takes one")
    settled = deployment.settle(runs, catalog.accelerator_names, catalog.benchmarks, asked)
    for column in ("benchmark", "accelerator"):
        values = sorted(set(settled[column]))
        if len(values) > 1:
            raise deployment.Unsaid(f"the files have several {column}s, {', '.join(values)}: one report takes one")
    return settled


def _official(catalog: Catalog, benchmark: str, asked: MyDeployment) -> tuple[Comparison, Comparison]:
    question = selection.Question(benchmark, asked.scenario, ("official",), tuple(asked.rounds))
    return selection.select(catalog, question), selection.select(catalog, replace(question, scenario="Offline"))


def _best(runs: pd.DataFrame) -> dict:
    within = runs[runs["ttft_held"].fillna(False) & runs["tpot_held"].fillna(False)]
    pool = within if len(within) else runs
    return pool.loc[pool["per_accelerator_low"].idxmax()].to_dict()


def _label(run: dict) -> str:
    """The load that tells a run from the others, else its place in the file."""
    if pd.notna(run["concurrency"]):
        return f"concurrency {run['concurrency']:,.0f}"
    rate = run["request_rate"]
    return f"{interval.number(rate)} requests/s" if 0 < rate < float("inf") else run["place"] or run["file"]


def _notes(runs: pd.DataFrame, best: dict) -> Notes:
    return notes.some(
        requests_failed=runs["requests_failed"].gt(0).any(),
        few_requests=runs["requests_completed"].lt(100).any(),
        load_light=best["load"] == "light",
        load_unsaid=best["load"] == "",
    )
