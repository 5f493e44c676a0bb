"""Estimate what nobody submitted, and measure how far such estimates of official results are off.

A result under a latency limit is estimated as the accelerator's Offline throughput times the share of it that other
accelerators retain (KNOWN), or, without any result of the accelerator, both from other accelerators (NONE). What is
averaged is the ratio of results to the decoding model: its weighted median over other accelerators, where each property
that two systems share multiplies the weight. Errors are |predicted / actual - 1|, factors actual / predicted.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

from analysis import tables
from analysis.compare import RACKS, USUAL_SIZE, comparable
from analysis.interactivity import SCENARIOS, limits, of_rented_size
from analysis.paths import DATA, replacing
from analysis.planner import decoding
from analysis.results import timed_benchmarks

SINCE = "v4.1"  # the first round whose language models are all published in tokens per second
KNOWN, NONE = "Offline known", "no result of the accelerator"
EARLIER = "Offline known, earlier rounds only"
OTHER_SYSTEM, BETWEEN, BEYOND = "another system", "between runs", "beyond runs"
OTHER_MODEL = "another model"
SHARED = {"software": 2, "round": 2, "accelerator_count": 2, "rack": 2, "kind": 3, "submitter": 1, "family": 1,
          "precision": 1}  # how often a shared property doubles the weight of one system for another  # fmt: skip
FEWEST = 10  # cases from which a P90 or a range can be stated
LIKELY = (0.1, 0.9)
SYSTEM = ["benchmark", "round", "submitter", "system", "accelerator", "accelerator_count"]
ERRORS = ["question", "scenario", "benchmark", "results", "median", "p90", "low", "middle", "high"]


@cache
def _results() -> pd.DataFrame:
    """Return the comparable results of all language models since SINCE, previews too."""
    rounds = tables.rounds["round"].tolist()
    since = rounds[rounds.index(SINCE) :]
    return comparable(benchmark=timed_benchmarks(), scenario=SCENARIOS, available=False, rounds=since)


@cache
def cases(benchmark: str) -> pd.DataFrame:
    """Return the results of a language model since SINCE that predict each other, one row per system and scenario.

    Columns: SYSTEM, scenario, age (place of the round), software (product that serves), precision, bare (available, no
    hypervisor), speed (tokens/s per user), rate (tokens/s per accelerator), offline (that of the same system Offline),
    family, kind, rack, curve (of the decoding model), ceiling and model_share (its Offline throughput, and the share at
    the scenario's limit).
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
    return modeled(benchmark, systems.assign(offline=_of_same_system(systems, "Offline")["rate"]))


def software(rows: pd.DataFrame) -> pd.Series:
    """Return the product that serves, without its version, in small letters: "vllm"; "" where it is not stated."""
    product = rows["serving_software"].mask(rows["serving_software"].eq(""), rows["framework"]).str.lower()
    return product.str.extract(r"^\s*([a-z][a-z-]*)", expand=False).fillna("")


def modeled(benchmark: str, systems: pd.DataFrame) -> pd.DataFrame:
    """Return systems with their family, kind, rack, curve, ceiling, and model_share; NaN where a fact is unknown."""
    read = systems[["accelerator", "accelerator_count", "precision"]].itertuples(index=False)
    curves = [
        decoding.of_benchmark(name, benchmark, stated, decoding.group(name, count)) for name, count, stated in read
    ]
    limit = systems["scenario"].map(limits(benchmark).set_index("scenario")["interactivity"])
    ceiling = _modeled_rates(curves, np.zeros(len(curves)))
    kinds = tables.accelerators.set_index("label")[["family", "kind"]]
    return systems.join(kinds, on="accelerator").assign(
        rack=systems["accelerator_count"].gt(USUAL_SIZE),
        curve=curves,
        ceiling=ceiling,
        model_share=_modeled_rates(curves, limit) / ceiling,
    )


def _modeled_rates(curves: Iterable[decoding.Decoding | None], speeds: Iterable[float]) -> np.ndarray:
    """Return the decoding model's throughput at each system's own speed; NaN where curve or speed is unknown."""
    return np.array([curve.at(speed) if curve else np.nan for curve, speed in zip(curves, speeds, strict=True)])


def retained(known: pd.DataFrame, targets: pd.DataFrame) -> np.ndarray:
    """Return the share of its Offline throughput that each target retains at its scenario's limit; NaN unknown.

    From the `cases` known of the same scenario on other accelerators: model share times the weighted median of theirs
    over the model's.
    """
    known = known[known["offline"].notna() & known["scenario"].ne("Offline")]
    ratio = np.log(known["rate"] / known["offline"]).to_numpy() - _log_share(known)
    same = _same(targets, known, "scenario")
    return np.exp(_weighted(ratio, _weights(targets, known) * same) + _log_share(targets))


def offline(known: pd.DataFrame, targets: pd.DataFrame) -> np.ndarray:
    """Return the Offline throughput per accelerator of each target from other accelerators, each of equal weight."""
    known = known[known["scenario"].eq("Offline") & known["ceiling"].notna()]
    ratio = np.log(known["rate"] / known["ceiling"]).to_numpy()
    of_accelerator = known.groupby("accelerator")["accelerator"].transform("size").to_numpy()
    return np.exp(_weighted(ratio, _weights(targets, known) / of_accelerator)) * targets["ceiling"].to_numpy()


def estimates(benchmark: str, systems: pd.DataFrame) -> pd.DataFrame:
    """Return the estimated throughput per accelerator of `systems` at each limit of a benchmark.

    `systems` have accelerator, round, and, where known (else NaN and ""), offline (tokens/s per accelerator),
    accelerator_count, software, submitter, precision. Added columns: scenario, interactivity, question (KNOWN, NONE),
    throughput. Offline is estimated too where it is unknown. Accelerators without the datasheet that this takes have no
    rows.
    """
    known = cases(benchmark)
    asked = systems.merge(limits(benchmark)[["scenario", "interactivity"]], how="cross")
    count = asked["accelerator_count"].fillna(asked["accelerator"].map(RACKS)).fillna(USUAL_SIZE)
    targets = modeled(benchmark, asked.assign(accelerator_count=count))
    asked["question"] = np.where(asked["offline"].notna(), KNOWN, NONE)
    asked["offline"] = asked["offline"].fillna(pd.Series(offline(known, targets)))
    asked["throughput"] = asked["offline"] * retained(known, targets)
    none = asked[asked["question"].eq(NONE)].drop_duplicates("accelerator")
    none = none.assign(scenario="Offline", interactivity=0.0, throughput=none["offline"])
    return pd.concat([none, asked], ignore_index=True).dropna(subset="throughput")


def predictions() -> pd.DataFrame:
    """Return each result predicted from the others, one row per question; NaN where nothing predicts it.

    Columns: question, benchmark, scenario, accelerator, predicted, actual (tokens/s per accelerator).
    """
    every = pd.concat([cases(name) for name in timed_benchmarks()], ignore_index=True)
    parts = [_of_benchmark(part) for _, part in every.groupby("benchmark", sort=False)]
    return pd.concat([*parts, _other_model(every)], ignore_index=True)


def prediction_errors(found: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the errors of `predictions` by question, scenario, and benchmark ("" for all): the columns ERRORS.

    `median` and `p90` of the errors (shares of the actual throughput); `low`, `middle`, and `high` are P10, P50, and
    P90 of actual over predicted. NaN of fewer than FEWEST results, but for the median.
    """
    found = (predictions() if found is None else found).dropna(subset=["predicted", "actual"])
    rows = []
    for (question, scenario), part in found.groupby(["question", "scenario"], sort=False):
        for benchmark, own in [("", part), *part.groupby("benchmark", sort=False)]:
            factor = own["actual"] / own["predicted"]
            off = np.abs(1 / factor - 1)
            marks = [np.nan] * 4
            if len(own) >= FEWEST:
                low, high = np.quantile(factor, LIKELY, method="weibull")
                marks = [np.quantile(off, LIKELY[1]), low, factor.median(), high]
            rows.append((question, scenario, benchmark, len(own), off.median(), *marks))
    return pd.DataFrame(rows, columns=ERRORS).round(6)


def write_errors() -> None:
    """Write data/prediction_errors.csv anew, in whole or not at all."""
    found = prediction_errors()
    with replacing(DATA / "prediction_errors.csv") as beside:
        found.to_csv(beside, index=False, lineterminator="\n")


def errors() -> pd.DataFrame:
    """Return data/prediction_errors.csv: `prediction_errors` of the record as shipped."""
    return tables.load("prediction_errors")


@cache
def band(question: str, benchmark: str, scenario: str) -> tuple[float, float, float]:
    """Return P10, P50, and P90 of actual over predicted throughput.

    Those of the benchmark where it has FEWEST, else of all in the scenario. Offline has errors of its own between
    systems (OTHER_SYSTEM), else those of Server count.
    """
    rows = errors()
    scenario = "Server" if scenario == "Offline" and question != OTHER_SYSTEM else scenario
    rows = rows[rows["question"].eq(question) & rows["scenario"].eq(scenario) & rows["low"].notna()]
    rows = rows[rows["benchmark"].isin([benchmark, ""])].sort_values("benchmark")
    return tuple(rows[["low", "middle", "high"]].iloc[-1])


def _of_benchmark(known: pd.DataFrame) -> pd.DataFrame:
    """Return the predictions of one benchmark from itself, question by question."""
    limited = known["scenario"].ne("Offline")
    share = np.where(limited, retained(known, known), np.nan)
    earlier = pd.Series(np.nan, known.index)
    for age, own in known.groupby("age"):
        earlier[own.index] = retained(known[known["age"].lt(age)], own)
    tightest = limits(known["benchmark"].iloc[0]).set_index("scenario")["interactivity"]
    server, fast = (_of_same_system(known, scenario) for scenario in ("Server", "Interactive"))
    way = known["speed"] / tightest.get("Interactive", np.nan)
    line = known["offline"] * (fast["rate"] / known["offline"]) ** way
    interactive = known["scenario"].eq("Interactive")
    beyond = _modeled_rates(known["curve"], known["speed"]) / _modeled_rates(known["curve"], server["speed"])
    predicted = {
        OTHER_SYSTEM: _other_system(known),
        BETWEEN: line.where(limited & ~interactive & way.lt(1)),
        KNOWN: known["offline"] * share,
        EARLIER: (known["offline"] * earlier).where(limited),
        BEYOND: (server["rate"] * beyond).where(interactive),
        NONE: offline(known, known) * share,
    }
    told = known[["benchmark", "scenario", "accelerator"]].assign(actual=known["rate"])
    return told.assign(**predicted).melt(list(told), var_name="question", value_name="predicted")


def _of_same_system(known: pd.DataFrame, scenario: str) -> pd.DataFrame:
    """Return rate and speed of each row's own system in a scenario; NaN where it has no result there."""
    rows = known[known["scenario"].eq(scenario)]
    return known[SYSTEM].merge(rows[[*SYSTEM, "rate", "speed"]], how="left", on=SYSTEM).set_axis(known.index)


def _other_system(known: pd.DataFrame) -> np.ndarray:
    """Return each system's rate predicted from others: the fastest bare one of its round or before.

    Of the usual size where there is one, and not of the same submitter and name.
    """
    age = known["age"].to_numpy()
    other = _same(known, known, "scenario") & _same(known, known, "accelerator") & known["bare"].to_numpy()
    other &= ~(_same(known, known, "submitter") & _same(known, known, "system")) & (age <= age[:, None])
    sized = other & of_rented_size(known).to_numpy()
    other = np.where(sized.any(axis=1)[:, None], sized, other)
    best = np.where(other, known["rate"].to_numpy(), -np.inf).max(axis=1)
    return np.where(np.isfinite(best), best, np.nan)


def _other_model(every: pd.DataFrame) -> pd.DataFrame:
    """Return each result predicted from the accelerator's median on the benchmark nearest in work, over the model."""
    rows = every[every["scenario"].ne("Offline")]
    expected = rows["ceiling"] * rows["model_share"]
    by = ["accelerator", "scenario", "benchmark"]
    ratio = (rows["rate"] / expected).groupby([rows[name] for name in by]).median().unstack()
    work = np.log(rows.groupby("benchmark")["ceiling"].median())
    nearest = {}
    for benchmark in ratio:
        apart = (work - work[benchmark]).abs().drop(benchmark).sort_values()
        nearest[benchmark] = ratio[apart.index].bfill(axis=1).iloc[:, 0]  # of those that the accelerator ran
    factor = rows[by].join(pd.DataFrame(nearest).stack().rename("factor"), on=by)["factor"]
    return rows[by].assign(question=OTHER_MODEL, actual=rows["rate"], predicted=expected * factor)


def _log_share(rows: pd.DataFrame) -> np.ndarray:
    """Return the logarithm of the model's share of Offline throughput; 0 where it is unknown."""
    with np.errstate(divide="ignore"):
        return np.nan_to_num(np.log(rows["model_share"].to_numpy(float))).clip(-4.0, 0.0)


def _same(rows: pd.DataFrame, others: pd.DataFrame, name: str) -> np.ndarray:
    """Return which rows and others agree in a column; "" is unknown, so never the same."""
    own, other = rows[name].to_numpy(object)[:, None], others[name].to_numpy(object)
    return (own == other) & (other != "")


def _weights(rows: pd.DataFrame, others: pd.DataFrame) -> np.ndarray:
    """Return the weight of each other system for each row; 0 for one of the same accelerator."""
    shared = sum(times * _same(rows, others, name) for name, times in SHARED.items())
    return 2.0**shared * ~_same(rows, others, "accelerator")


def _weighted(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted median of the values for each row of weights; NaN without weight."""
    order = np.argsort(values, kind="stable")
    if not len(order):
        return np.full(len(weights), np.nan)
    sums, ascending = np.cumsum(weights[:, order], axis=1), values[order]
    half = sums[:, -1] / 2
    low, high = (ascending[reached.argmax(axis=1)] for reached in (sums >= half[:, None], sums > half[:, None]))
    return np.where(half > 0, (low + high) / 2, np.nan)
