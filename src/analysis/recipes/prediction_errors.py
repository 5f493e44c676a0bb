"""Measure the error of the planner's estimates against official results: data/prediction_errors.csv.

Each Server and Interactive result is left out and predicted from the others, one question at a time (see
`planner.prediction`). Errors are |predicted / actual - 1|, factors actual / predicted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.interactivity import limits, of_rented_size
from analysis.planner import models, prediction
from analysis.planner.prediction import BETWEEN, BEYOND, EARLIER, KNOWN, NONE, OTHER_MODEL, OTHER_SYSTEM
from analysis.results import timed_benchmarks

FEWEST = 10  # cases from which a P90 or a range can be stated
LIKELY = (0.1, 0.9)
ERRORS = ["question", "scenario", "benchmark", "results", "median", "p90", "low", "middle", "high"]


def predictions() -> pd.DataFrame:
    """Return each result predicted from the others, one row per question; NaN where nothing predicts it.

    Columns: question, benchmark, scenario, accelerator, predicted, actual (tokens/s per accelerator).
    """
    every = pd.concat([prediction.cases(name) for name in timed_benchmarks()], ignore_index=True)
    parts = [_of_benchmark(part) for _, part in every.groupby("benchmark", sort=False)]
    return pd.concat([*parts, _other_model(every)], ignore_index=True)


def prediction_errors(found: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the errors of `predictions` by question, scenario, and benchmark ("" for all): the columns ERRORS.

    `median` and `p90` of the errors (shares of the actual throughput); `low`, `middle`, and `high` are P10, P50, and
    P90 of actual over predicted. All but the median are NaN with fewer than FEWEST results.
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


def _of_benchmark(known: pd.DataFrame) -> pd.DataFrame:
    """Return the predictions of one benchmark from itself, question by question."""
    limited = known["scenario"].ne("Offline")
    share = np.where(limited, prediction.retained_share(known, known), np.nan)
    earlier = pd.Series(np.nan, known.index)
    for age, own in known.groupby("age"):
        earlier[own.index] = prediction.retained_share(known[known["age"].lt(age)], own)
    tightest = limits(known["benchmark"].iloc[0]).set_index("scenario")["interactivity"]
    server, fast = (prediction.of_same_system(known, scenario) for scenario in ("Server", "Interactive"))
    way = known["speed"] / tightest.get("Interactive", np.nan)
    line = known["offline"] * (fast["rate"] / known["offline"]) ** way
    interactive = known["scenario"].eq("Interactive")
    benchmark = known["benchmark"].iloc[0]
    at_own, at_server = (
        prediction.modeled_rates(benchmark, known, speed) for speed in (known["speed"], server["speed"])
    )
    predicted = {
        OTHER_SYSTEM: _other_system(known),
        BETWEEN: line.where(limited & ~interactive & way.lt(1)),
        KNOWN: known["offline"] * share,
        EARLIER: (known["offline"] * earlier).where(limited),
        BEYOND: (server["rate"] * at_own / at_server).where(interactive),
        NONE: prediction.offline_rates(known, known) * share,
    }
    told = known[["benchmark", "scenario", "accelerator"]].assign(actual=known["rate"])
    return told.assign(**predicted).melt(list(told), var_name="question", value_name="predicted")


def _other_system(known: pd.DataFrame) -> np.ndarray:
    """Return each system's rate predicted from others: the fastest bare one of its round or before.

    Of the usual size where there is one, and not of the same submitter and name.
    """
    age = known["age"].to_numpy()
    other = (
        prediction.same(known, known, "scenario")
        & prediction.same(known, known, "accelerator")
        & known["bare"].to_numpy()
    )
    other &= ~(prediction.same(known, known, "submitter") & prediction.same(known, known, "system")) & (
        age <= age[:, None]
    )
    sized = other & of_rented_size(known).to_numpy()
    other = np.where(sized.any(axis=1)[:, None], sized, other)
    best = np.where(other, known["rate"].to_numpy(), -np.inf).max(axis=1)
    return np.where(np.isfinite(best), best, np.nan)


def _other_model(every: pd.DataFrame) -> pd.DataFrame:
    """Return each result predicted from the accelerator's medians on other benchmarks, as `curve.blended` does.

    Use only the same scenario, and models of the same type where the accelerator has results for them.
    """
    rows = every[every["scenario"].ne("Offline")]
    mixture = rows["benchmark"].map(lambda name: models.of_benchmark(name).is_mixture)
    rows = rows.assign(
        modeled=np.log(rows["ceiling"] * rows["model_share"]), actual=np.log(rows["rate"]), mixture=mixture
    )
    rows = rows[np.isfinite(rows["modeled"])]
    by = ["accelerator", "scenario", "benchmark", "mixture"]
    medians = rows.groupby(by, as_index=False)[["modeled", "actual"]].median()
    keys = rows[[*by, "modeled"]].drop_duplicates()
    keys["predicted"] = [_from_others(row, medians) for row in keys.itertuples()]
    found = rows.merge(keys, on=[*by, "modeled"], how="left")
    found = found.assign(question=OTHER_MODEL, actual=found["rate"], predicted=np.exp(found["predicted"]))
    return found[["accelerator", "scenario", "benchmark", "question", "actual", "predicted"]]


def _from_others(row: Any, medians: pd.DataFrame) -> float:
    """Return the logarithm of throughput from medians on other benchmarks; NaN without any."""
    others = medians[medians["accelerator"].eq(row.accelerator) & medians["scenario"].eq(row.scenario)]
    others = others[others["benchmark"].ne(row.benchmark)]
    like = others["mixture"].eq(row.mixture)
    others = others[like] if like.any() else others
    if others.empty:
        return np.nan
    inside = np.clip(row.modeled, others["modeled"].min(), others["modeled"].max())
    return models.rising(inside, others["modeled"], others["actual"]) + row.modeled - inside
