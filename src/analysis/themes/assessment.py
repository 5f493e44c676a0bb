"""A deployment set beside the official record: files, tables and parameters brought together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from analysis.compare import gate
from analysis.compare.gate import Comparison
from analysis.core import notes
from analysis.core.interval import Interval
from analysis.core.notes import Notes
from analysis.core.parameters import MyDeployment
from analysis.core.plain import as_dicts
from analysis.core.vocabulary import BYTES_PER_WEIGHT
from analysis.data.catalog import Catalog
from analysis.themes import benchmark_rules, cost, deployment
from analysis.themes.hardware import memory, plausible, serving


@dataclass(frozen=True)
class Assessed:
    """All runs with everything that is known of them, and the `best`: the fastest within the limits, else the fastest.

    `called` is what people call its accelerator. `differences` and `gap` are of the best run; `limited` and
    `offline` are the official rows it was set beside.
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


def make(catalog: Catalog, runs: pd.DataFrame, asked: MyDeployment) -> Assessed:
    """The runs of importers.measured assessed as `asked`.

    Raises deployment.Unsaid for what neither files nor parameters say, and for files of several models, benchmarks or
    accelerators; plausible.Implausible for a run that cannot be.
    """
    settled = _settled(catalog, runs, asked)
    benchmark = settled["benchmark"].iloc[0]
    limited, offline = _official(catalog, benchmark, asked)
    assessed = deployment.against(settled, limited.rows, offline.rows)
    identity = catalog.benchmarks.set_index("benchmark").loc[benchmark]
    plausible.check(assessed, identity, catalog.accelerators)
    ttft, tpot = (_limit(catalog, benchmark, asked, name) for name in ("ttft", "tpot"))
    accelerator = settled["accelerator"].iloc[0]
    prices = cost.priced(catalog.prices, asked.prices, accelerator, catalog.accelerators)
    price = cost.price_range(prices, accelerator)
    assessed = serving.energy(serving.served(assessed, ttft, tpot))
    assessed = serving.front(serving.money(assessed, price))
    assessed = serving.ceiling(assessed, identity, _model(catalog, benchmark, asked), catalog.accelerators)
    best = _best(assessed)
    same_accelerator = limited.rows[limited.rows["accelerator"].eq(best["accelerator"])]
    near = deployment.nearest(best, same_accelerator, offline.rows)
    differ = deployment.differences(best, near, catalog.benchmarks)
    gap = deployment.gap(best)
    called = catalog.accelerators.set_index("accelerator").at[accelerator, "label"]
    return Assessed(assessed, best, called, differ, gap, limited, offline, price, ttft, tpot, _notes(assessed, best))


def _settled(catalog: Catalog, runs: pd.DataFrame, asked: MyDeployment) -> pd.DataFrame:
    by_user = deployment.Said(
        asked.accelerator, asked.accelerator_count, asked.benchmark, asked.precision, asked.scenario
    )
    models = {deployment.model_name(run): run["model"] for run in as_dicts(runs) if run["model"]}
    if len(models) > 1:
        raise deployment.Unsaid(f"the files are of several models, {', '.join(models.values())}: one report takes one")
    settled = deployment.settle(runs, catalog.accelerator_names, catalog.benchmarks, by_user)
    for column in ("benchmark", "accelerator"):
        values = sorted(set(settled[column]))
        if len(values) > 1:
            raise deployment.Unsaid(f"the files are of several {column}s, {', '.join(values)}: one report takes one")
    return settled


def _official(catalog: Catalog, benchmark: str, asked: MyDeployment) -> tuple[Comparison, Comparison]:
    question = gate.Question(benchmark, asked.scenario, ("official",), tuple(asked.rounds))
    return gate.select(catalog, question), gate.select(catalog, replace(question, scenario="Offline"))


def _limit(catalog: Catalog, benchmark: str, asked: MyDeployment, name: str) -> float:
    asked_ms = getattr(asked, f"{name}_ms")
    return asked_ms or benchmark_rules.limit_ms(
        catalog.benchmark_limits, benchmark, asked.scenario, f"{name}_p99_limit", asked.rounds
    )


def _model(catalog: Catalog, benchmark: str, asked: MyDeployment) -> memory.Model | None:
    """The model and its cache; its weights are in 16 bits, as the precision of each run counts them."""
    weight, cache = BYTES_PER_WEIGHT["fp16"], BYTES_PER_WEIGHT[asked.cache_precision]
    return memory.model(catalog.benchmarks, benchmark, weight, cache)


def _best(runs: pd.DataFrame) -> dict:
    within = runs[runs["ttft_held"].fillna(False) & runs["tpot_held"].fillna(False)]
    pool = within if len(within) else runs
    return pool.loc[pool["per_accelerator_low"].idxmax()].to_dict()


def _notes(runs: pd.DataFrame, best: dict) -> Notes:
    return notes.some(
        requests_failed=runs["requests_failed"].gt(0).any(),
        few_requests=runs["requests_completed"].lt(100).any(),
        load_light=best["load"] == "light",
        load_unsaid=best["load"] == "",
    )
