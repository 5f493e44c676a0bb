"""Estimate results that were not submitted, and measure the error of such estimates of official results.

A result under a latency limit is estimated as the accelerator's Offline throughput times the share of it that other
accelerators retain (KNOWN), or, if the accelerator has no result, both come from other accelerators (NONE). The
estimate scales the decoding model by the weighted median, over other accelerators, of results over the model, where
each property that two systems share multiplies the weight. Errors are |predicted / actual - 1|, factors actual /
predicted.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from analysis import tables
from analysis.compare import RATED, USUAL_SIZE, comparable, racks
from analysis.interactivity import limits
from analysis.planner import decoding, models
from analysis.results import timed_benchmarks

SINCE = "v4.1"  # the first round whose language models are all published in tokens per second
KNOWN, NONE = "Offline known", "no result of the accelerator"
EARLIER = "Offline known, earlier rounds only"
OTHER_SYSTEM, BETWEEN, BEYOND = "another system", "between runs", "beyond runs"
OTHER_MODEL = "another model"
SHARED = {"software": 2, "round": 2, "accelerator_count": 2, "rack": 2, "kind": 3, "submitter": 1, "family": 1,
          "precision": 1}  # a shared property doubles the weight of a system this many times  # fmt: skip
SYSTEM = ["benchmark", "round", "submitter", "system", "accelerator", "accelerator_count"]


@cache  # each benchmark's cases are a part; cleared by tables.forget
def _results() -> pd.DataFrame:
    """Return the comparable results of all language models since SINCE, previews too."""
    rounds = tables.rounds["round"].tolist()
    since = rounds[rounds.index(SINCE) :]
    return comparable(benchmark=timed_benchmarks(), scenario=RATED, available=False, rounds=since)


@tables.cached  # asked for each estimate
def cases(benchmark: str) -> pd.DataFrame:
    """Return the results of a language model since SINCE that predict each other, one row per system and scenario.

    Columns: SYSTEM, scenario, age (place of the round), software (product that serves), precision, bare (available, no
    hypervisor), speed (tokens/s per user), rate (tokens/s per accelerator), offline (that of the same system Offline),
    family, kind, rack, ceiling and model_share (of the decoding model: its Offline throughput, and the share at the
    scenario's limit).
    """
    rows = _results()
    rows = rows[rows["benchmark"].eq(benchmark)]
    rows = rows.assign(
        age=rows["round"].cat.codes,
        round=rows["round"].astype(str),
        software=software(rows),
        bare=rows["availability"].eq("available") & rows["hypervisor"].eq(""),
        speed=rows["tokens_per_second_per_user"],
        rate=np.log(rows["rate_per_accelerator"]),
    )
    how = dict.fromkeys(("age", "software", "bare", "speed"), "first") | {"precision": "max", "rate": "mean"}
    systems = rows.groupby([*SYSTEM, "scenario"], sort=False).agg(how).reset_index()
    systems["rate"] = np.exp(systems["rate"])
    return modeled(benchmark, systems.assign(offline=of_same_system(systems, "Offline")["rate"]))


def software(rows: pd.DataFrame) -> pd.Series:
    """Return the name of the serving software in lowercase, without its version: "vllm"; "" where it is not stated."""
    product = rows["serving_software"].mask(rows["serving_software"].eq(""), rows["framework"]).str.lower()
    return product.str.extract(r"^\s*([a-z][a-z-]*)", expand=False).fillna("")


def of_same_system(known: pd.DataFrame, scenario: str) -> pd.DataFrame:
    """Return rate and speed of each row's own system in a scenario; NaN where it has no result there."""
    rows = known[known["scenario"].eq(scenario)]
    return known[SYSTEM].merge(rows[[*SYSTEM, "rate", "speed"]], how="left", on=SYSTEM).set_axis(known.index)


def modeled(benchmark: str, systems: pd.DataFrame) -> pd.DataFrame:
    """Return systems with their family, kind, rack, ceiling, and model_share; NaN where a fact is unknown."""
    limit = systems["scenario"].map(limits(benchmark).set_index("scenario")["interactivity"])
    ceiling = modeled_rates(benchmark, systems, 0.0)
    kinds = tables.accelerators.set_index("label")[["family", "kind"]]
    return systems.join(kinds, on="accelerator").assign(
        rack=systems["accelerator_count"].gt(USUAL_SIZE),
        ceiling=ceiling,
        model_share=modeled_rates(benchmark, systems, limit) / ceiling,
    )


def modeled_rates(benchmark: str, systems: pd.DataFrame, speeds: float | pd.Series) -> np.ndarray:
    """Return the decoding model's throughput of systems (accelerator, accelerator_count, precision), each at its speed.

    In tokens/s per accelerator for the benchmark's model and requests; NaN where it or the speed is unknown.
    """
    setups = decoding.setups(systems["accelerator"], systems["precision"], systems["accelerator_count"])
    return decoding.rates(setups, models.of_benchmark(benchmark), models.lengths_of(benchmark), speeds)


def retained_share(known: pd.DataFrame, targets: pd.DataFrame) -> np.ndarray:
    """Return the share of its Offline throughput that each target retains at its scenario's limit; NaN unknown.

    From `known` cases of the same scenario on other accelerators: the modeled share times the weighted median of their
    share over their modeled share.
    """
    known = known[known["offline"].notna() & known["scenario"].ne("Offline")]
    ratio = np.log(known["rate"] / known["offline"]).to_numpy() - _log_share(known)
    of_scenario = same(targets, known, "scenario")
    return np.exp(_weighted(ratio, _weights(targets, known) * of_scenario) + _log_share(targets))


def offline_rates(known: pd.DataFrame, targets: pd.DataFrame) -> np.ndarray:
    """Return the Offline throughput per accelerator of each target from other accelerators, each of equal weight."""
    known = known[known["scenario"].eq("Offline") & known["ceiling"].notna()]
    ratio = np.log(known["rate"] / known["ceiling"]).to_numpy()
    of_accelerator = known.groupby("accelerator")["accelerator"].transform("size").to_numpy()
    return np.exp(_weighted(ratio, _weights(targets, known) / of_accelerator)) * targets["ceiling"].to_numpy()


def estimates(benchmark: str, systems: pd.DataFrame) -> pd.DataFrame:
    """Return the estimated throughput per accelerator of `systems` at each limit of a benchmark.

    `systems` have accelerator, round, and, where known (else NaN and ""), offline (tokens/s per accelerator),
    accelerator_count, software, submitter, precision. Added columns: scenario, interactivity, question (KNOWN, NONE),
    throughput. Offline is estimated too where it is unknown. Accelerators without the values of a datasheet that this
    takes have no rows.
    """
    known = cases(benchmark)
    asked = systems.merge(limits(benchmark)[["scenario", "interactivity"]], how="cross")
    count = asked["accelerator_count"].fillna(asked["accelerator"].map(racks())).fillna(USUAL_SIZE)
    targets = modeled(benchmark, asked.assign(accelerator_count=count))
    asked["question"] = np.where(asked["offline"].notna(), KNOWN, NONE)
    asked["offline"] = asked["offline"].fillna(pd.Series(offline_rates(known, targets)))
    asked["throughput"] = asked["offline"] * retained_share(known, targets)
    none = asked[asked["question"].eq(NONE)].drop_duplicates("accelerator")
    none = none.assign(scenario="Offline", interactivity=0.0, throughput=none["offline"])
    return pd.concat([none, asked], ignore_index=True).dropna(subset="throughput")


@cache  # called for each plan; cleared by tables.forget
def error_of(question: str, benchmark: str, scenario: str) -> pd.Series:
    """Return the row of data/prediction_errors.csv that applies to an estimate.

    `low`, `middle`, and `high` are P10, P50, and P90 of actual over predicted throughput. The row is the
    benchmark's if it has enough results, else that of all in the scenario. Only OTHER_SYSTEM has errors of Offline; for
    other questions those of Server apply.
    """
    rows = tables.prediction_errors
    scenario = "Server" if scenario == "Offline" and question != OTHER_SYSTEM else scenario
    rows = rows[rows["question"].eq(question) & rows["scenario"].eq(scenario) & rows["low"].notna()]
    return rows[rows["benchmark"].isin([benchmark, ""])].sort_values("benchmark").iloc[-1]


def _log_share(rows: pd.DataFrame) -> np.ndarray:
    """Return the logarithm of the model's share of Offline throughput; 0 where it is unknown."""
    with np.errstate(divide="ignore"):
        return np.nan_to_num(np.log(rows["model_share"].to_numpy(float))).clip(-4.0)


def same(rows: pd.DataFrame, others: pd.DataFrame, name: str) -> np.ndarray:
    """Return a mask of which `rows` and `others` agree in the column `name`; "" is unknown and never the same."""
    own, other = rows[name].to_numpy(object)[:, None], others[name].to_numpy(object)
    return (own == other) & (other != "")


def _weights(rows: pd.DataFrame, others: pd.DataFrame) -> np.ndarray:
    """Return the weight of each other system for each row; 0 for one of the same accelerator."""
    shared = sum(times * same(rows, others, name) for name, times in SHARED.items())
    return 2.0**shared * ~same(rows, others, "accelerator")


def _weighted(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted median of the values for each row of weights; NaN without weight."""
    order = np.argsort(values, kind="stable")
    if not len(order):
        return np.full(len(weights), np.nan)
    sums, ascending = np.cumsum(weights[:, order], axis=1), values[order]
    half = sums[:, -1] / 2
    low, high = (ascending[reached.argmax(axis=1)] for reached in (sums >= half[:, None], sums > half[:, None]))
    return np.where(half > 0, (low + high) / 2, np.nan)
