"""Predictions held against the record: each official result left out, and predicted from the others.

Two questions, never mixed. KNOWN: a system's Offline result is known, and its rate under a latency limit is predicted.
NEW: nobody submitted the system, and its rate is predicted from other systems of its accelerator, as a plan does it.
An error is |predicted / actual - 1|, a factor is actual / predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Protocol

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._core.vocabulary import LIMITED, MIXED, round_age
from analysis._tables.catalog import kept_with
from analysis.comparability import selection
from analysis.methods import benchmark_rules, system_properties

SINCE = "v4.1"  # the first round whose rates of language models are all printed in tokens per second
OFFLINE = "Offline"
GATHERED_FROM = ("results", "benchmarks", "benchmark_limits", "doubts")  # what decides which rows make cases
KNOWN, NEW = "Offline known", "new system"  # the two questions

# What two systems have in common, and how often it counts: each time multiplies the weight of one for the other by
# FACTOR. The accelerator counts twice, for its memory and speed decide what a latency limit costs; the submitter is
# for tuning, the software for batching, the round for versions and rules, the number for how a model is divided.
SHARED: Mapping[str, int] = {"accelerator": 2, "submitter": 1, "software": 1, "round": 1, "accelerator_count": 1}
FACTOR = 4
RIVALS = tuple(product((2, 4, 8, 16), (1, 2)))  # FACTOR and what the accelerator counts, of which `nested` chooses

LIKELY = (0.1, 0.9)  # the percentiles that a range goes from and to
FEWEST = 9  # errors with which a tenth percentile can be stated: one case in ten lies below the lowest of nine others
OF_SYSTEM = ["round", "submitter", "system", "system_key", "accelerator", "accelerator_count", "software", "on_sale"]
CASE = ["benchmark", "scenario", *OF_SYSTEM, "rate", "per_accelerator", "offline"]
ANSWERS = ["predicted", "nested", "stranger", "other_configuration", "other_accelerator", "earlier", "naive"]
ERRORS = ["question", "scenario", "benchmark", "systems", "of_systems"]
ERRORS += [f"{name}_{end}" for name in ANSWERS for end in ("median", "p90")]
ERRORS += ["factor_low", "factor_high", "held"]
BASES = {  # of `bases`: what the errors are of, in words
    "predicted": "all other results", "models": "mean over models", "without": "without {largest}",
    "stranger": "other submitters only", "other_configuration": "other configurations only",
    "earlier": "earlier rounds only", "other_accelerator": "other accelerators only", "naive": "median of all others",
}  # fmt: skip
ERROR_HEADS = {  # of the columns of `error_table`
    "scenario": "Scenario", "label": "Benchmark", "predicted": "Predicted", "predicted_median": "Median (%)",
    "predicted_p90": "P90 (%)", "naive_p90": "Naive P90 (%)", "nested_p90": "Other rounds' weights, P90 (%)",
    "stranger_p90": "Other submitters, P90 (%)", "factor": "Actual over predicted (P10 to P90)", "held": "In range (%)",
}  # fmt: skip


@dataclass(frozen=True)
class Band:
    """Factors of actual over predicted, from the LIKELY percentile to the other, of the errors of so many `cases`.

    NaN where the cases are too few to tell.
    """

    factors: Interval
    cases: int

    @property
    def drawn(self) -> Interval:
        """The ends of the uniform distribution whose tenth and ninetieth percentile are the factors.

        At least half the lower factor, so that what is drawn stays above zero.
        """
        low, high = self.factors.low, self.factors.high
        more = (high - low) * LIKELY[0] / (LIKELY[1] - LIKELY[0])
        return Interval(max(low - more, low / 2), high + more)


UNTOLD = Band(interval.UNKNOWN, 0)  # of no case at all


class Tables(selection.Tables, Protocol):
    """What cases are made from: the catalog, or anything that holds the same frames."""

    @property
    def benchmark_limits(self) -> pd.DataFrame:
        """The limits of the scenarios."""


def gathered(tables: Tables, names: Iterable[str], scenarios: Iterable[str] = (OFFLINE, *LIMITED)) -> pd.DataFrame:
    """The comparable rows that cases are made of: official, closed division, data center, of all rounds since SINCE.

    Raises ValueError for an unknown benchmark or scenario, with the valid choices.
    """
    names, filed = list(names), tables.results["round"].unique()
    rounds = tuple(name for name in filed if round_age(name) >= round_age(SINCE))
    asked = selection.Question("", OFFLINE, ("official",), rounds, mixed=True)
    chosen = [selection.select_all(tables, replace(asked, scenario=name), names) for name in scenarios]
    return pd.concat(chosen, ignore_index=True)


@kept_with(*GATHERED_FROM)
def record(tables: Tables) -> pd.DataFrame:
    """The rows of `gathered` of all language models, without their notes."""
    return gathered(tables, benchmark_rules.language_models(tables.benchmark_limits)).drop(columns="notes")


@kept_with(*GATHERED_FROM)
def errors_of_record(tables: Tables) -> pd.DataFrame:
    """The `errors` of predicting each row of the `record` from the others."""
    return errors(predictions(cases(record(tables))))


@kept_with(*GATHERED_FROM)
def bases_of_record(tables: Tables) -> pd.DataFrame:
    """The `bases` of predicting each row of the `record`."""
    labels = dict(zip(tables.benchmarks["benchmark"], tables.benchmarks["label"], strict=True))
    return bases(predictions(cases(record(tables))), labels)


def cases(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of `gathered`, one for each benchmark, scenario and system. Columns: CASE.

    `rate` is the whole system's in the benchmark's unit, in the geometric middle where it was submitted twice (for two
    accuracy targets); `per_accelerator` is NaN of a cluster of several types, `offline` (the same system's Offline
    rate) of a system without one. `software` is what served, else the framework, without its version; "" where neither
    is known. `on_sale`: available and not virtualized. Power submissions, often capped, are no cases.
    """
    rows = rows[rows["rate_low"].notna() & ~rows["power_measured"]]
    rows = rows.assign(software=_product(rows), on_sale=system_properties.kind(rows).eq(system_properties.AVAILABLE))
    keys = ["benchmark", "scenario", "system_key"]
    ends = {name: (name, "min" if name.endswith("low") else "max") for name in ("rate_low", "rate_high")}
    of_system = {name: (name, "first") for name in OF_SYSTEM if name != "system_key"}
    systems = rows.groupby(keys, sort=False).agg(**of_system, **ends).reset_index()
    rate = interval.of(systems, "rate").middle
    count = systems["accelerator_count"].astype("float64").where(systems["accelerator"].ne(MIXED))
    systems = systems.assign(rate=rate, per_accelerator=rate / count)
    offline = systems[systems["scenario"].eq(OFFLINE)].set_index(["benchmark", "system_key"])["rate"].rename("offline")
    return systems.join(offline, on=["benchmark", "system_key"])[CASE]


def predictions(cases: pd.DataFrame, questions: Iterable[str] = (KNOWN, NEW)) -> pd.DataFrame:
    """Each of `cases` predicted from the others: the rows of `known`, of `new`, or one below the other.

    Added: question; factor (NaN where nothing predicts the case), low and high (the prediction by its range, see
    `ranges`; NaN where too few cases make one), held (whether the actual rate lies between them).
    """
    by_question = {KNOWN: known, NEW: new}
    predicted = pd.concat([by_question[name](cases).assign(question=name) for name in questions], ignore_index=True)
    predicted = predicted.assign(factor=predicted["actual"] / predicted["predicted"])
    band = ranges(predicted)
    in_range = predicted["factor"].between(band.low, band.high)
    low, high = predicted["predicted"] * band.low, predicted["predicted"] * band.high
    return predicted.assign(low=low, high=high, held=in_range)


def ahead(cases: pd.DataFrame, name: str) -> pd.DataFrame:
    """The cases of round `name` under a latency limit, predicted from the rounds before it as if it were not known.

    Of the round itself only its systems are read (SHARED, number of accelerators) and, for KNOWN, each one's own
    Offline rate. One row for each case and question, a case without an Offline rate under NEW alone; `predicted`, `low`
    and `high` are the whole system's, in the benchmark's unit, and NaN where nothing predicts the case.
    """
    before = cases[cases["round"].map(round_age) < round_age(name)]
    asked = cases[cases["round"].eq(name) & cases["scenario"].isin(LIMITED)]
    asked = asked.assign(rate=np.nan, per_accelerator=np.nan)
    predicted = predictions(pd.concat([before, asked], ignore_index=True))
    rows = predicted[predicted["round"].eq(name)]
    size = rows["accelerator_count"].astype("float64").where(rows["question"].eq(NEW), 1.0)
    middle = rows["predicted"] * size
    ends = [
        _likely(factors) if len(factors) > FEWEST else (np.nan, np.nan)
        for factors in (
            predicted["factor"].to_numpy()[pool(predicted, *asked_of)]
            for asked_of in zip(rows["question"], rows["benchmark"], rows["scenario"], strict=True)
        )
    ]
    low, high = np.array(ends).reshape(-1, 2).T
    columns = ["question", *(column for column in CASE if column not in ("rate", "per_accelerator"))]
    return rows[columns].assign(predicted=middle, low=middle * low, high=middle * high).reset_index(drop=True)


def known(cases: pd.DataFrame) -> pd.DataFrame:
    """The cases under a latency limit that have an Offline rate, predicted by it: rates of the whole system.

    Added: actual; predicted (Offline x the weighted median, over the other systems of the benchmark, of their ratios to
    Offline: SHARED and FACTOR weigh them); nested (the same with the weights of RIVALS that do best on the other
    rounds, which shows what choosing them gained); stranger (from other submitters alone); other_configuration (from
    what is not the same accelerator with the same software, as a vendor's partners submit it); other_accelerator;
    earlier (from rounds before its own); naive (the median ratio of all other systems). A result with the same figure,
    on as many of the same accelerators, does not predict another; a case whose rate is NaN is predicted and predicts
    none.
    """
    rows = cases[cases["scenario"].isin(LIMITED) & cases["offline"].notna()].reset_index(drop=True)
    codes, ratios = _codes(rows), (rows["rate"] / rows["offline"]).to_numpy()
    rounds, shares = rows["round"].to_numpy(), {name: np.full(len(rows), np.nan) for name in ANSWERS}
    without = {name: np.full((len(RIVALS), len(rows)), np.nan) for name in (*np.unique(rounds), "")}
    for places in _groups(rows, "benchmark", "scenario"):
        values, shared = ratios[places], _shared(codes, places)
        is_rated = ~np.isnan(values)
        once = ~_one_result(shared, codes["rate"][places]) & is_rated
        weights = _weights(shared, FACTOR, SHARED["accelerator"]) * once
        shares["predicted"][places] = _medians(values, weights)
        age = _ages(rounds[places])
        for name, counts in {
            "stranger": ~shared["submitter"],
            "other_configuration": ~(shared["accelerator"] & shared["software"]),
            "other_accelerator": ~shared["accelerator"],
            "earlier": age < age[:, None],
        }.items():
            shares[name][places] = _medians(values, weights * counts)
        shares["naive"][places] = _medians(values, ~np.eye(len(places), dtype=bool) & is_rated)
        for rival, weighting in enumerate(RIVALS):
            weights = _weights(shared, *weighting) * once
            for excluded, medians in without.items():  # the choice then judges the round that is left out
                medians[rival, places] = _medians(values, weights * (rounds[places] != excluded))
    shares["nested"] = _nested(without, ratios, rounds)
    return rows.assign(actual=rows["rate"], **{name: rows["offline"] * shares[name] for name in ANSWERS})


def new(cases: pd.DataFrame) -> pd.DataFrame:
    """The cases of one type of accelerator, predicted from the other systems of it: rates per accelerator.

    Added: actual; predicted, the median of the others of its round or before by the very rule of a plan
    (system_properties.alike): available and bare, of the usual number of accelerators, of the newest round, each rule
    where any system is left; stranger, other_configuration, and earlier (as in `known`); naive (from all its systems
    of any round); nested is predicted, for nothing was chosen; other_accelerator is NaN, for none predicts a rate. NaN
    of the first system of an accelerator. The whole system is left out, and
    the same submitter's of that name in other rounds. A case whose rate is NaN is predicted and predicts none.
    """
    is_of_one_type = cases["accelerator"].ne(MIXED) & cases["accelerator_count"].notna()
    rows = cases[is_of_one_type].reset_index(drop=True)
    codes, rates = _codes(rows), rows["per_accelerator"].to_numpy()
    is_sold, age = rows["on_sale"].to_numpy(), _ages(rows["round"].to_numpy("object"))
    counts, rounds = rows["accelerator_count"].to_numpy("float64", na_value=np.nan), rows["round"].to_numpy("object")
    medians = {name: np.full(len(rows), np.nan) for name in ANSWERS if name != "nested"}
    for places in _groups(rows, "benchmark", "scenario", "accelerator"):
        values, shared = rates[places], _shared(codes, places)
        system = codes["system"][places]
        same_system = shared["submitter"] & (system[:, None] == system)
        others = ~(_one_result(shared, codes["rate"][places]) | same_system) & ~np.isnan(values)
        filed_by_then = others & (age[places] <= age[places][:, None])
        for name, predicts in {
            "predicted": filed_by_then,
            "stranger": filed_by_then & ~shared["submitter"],
            "other_configuration": filed_by_then & ~shared["software"],
            "earlier": others & (age[places] < age[places][:, None]),
        }.items():
            facts = is_sold[places], counts[places], rounds[places]
            alike = [system_properties.of_one_range(*facts, among) for among in predicts]
            medians[name][places] = _medians(values, np.array(alike))
        medians["naive"][places] = _medians(values, others)
    return rows.assign(actual=rates, **medians, nested=medians["predicted"])


def ranges(predictions: pd.DataFrame) -> Interval:
    """The factors from the LIKELY percentile of the errors of like cases to the other: two arrays, by place.

    Like cases are the others of the same question (see `pool`): no case is among those that make its own range. NaN
    where there are fewer than FEWEST.
    """
    ends = np.full((2, len(predictions)), np.nan)
    factors, is_predicted = predictions["factor"].to_numpy(), predictions["factor"].notna().to_numpy()
    for places in _groups(predictions, "question", "benchmark", "scenario"):
        question, benchmark, scenario = (
            predictions[name].iloc[places[0]] for name in ("question", "benchmark", "scenario")
        )
        like = np.flatnonzero(pool(predictions, question, benchmark, scenario))
        places = places[is_predicted[places]]
        if len(like) > FEWEST and len(places):
            others = np.broadcast_to(factors[like], (len(places), len(like)))[like != places[:, None]]
            ends[:, places] = _likely(others.reshape(len(places), -1))
    return Interval(*ends)


def pool(predictions: pd.DataFrame, question: str, benchmark: str, scenario: str) -> np.ndarray:
    """Which cases' errors represent those of one question about a benchmark and scenario.

    Those of both where they are more than FEWEST; else those of the benchmark under any latency limit; else all of the
    scenario. Only cases that were predicted.
    """
    asked = predictions["question"].eq(question).to_numpy() & predictions["factor"].notna().to_numpy()
    of_benchmark = asked & predictions["benchmark"].eq(benchmark).to_numpy()
    at_scenario, limited = predictions["scenario"].eq(scenario).to_numpy(), predictions["scenario"].isin(LIMITED)
    parts = of_benchmark & at_scenario, of_benchmark & limited.to_numpy() & (scenario in LIMITED)
    return next((part for part in parts if part.sum() > FEWEST), asked & at_scenario)


def band(predictions: pd.DataFrame, benchmark: str, scenario: str) -> Band:
    """What the rate of a system that nobody submitted may be, over its prediction: from the errors of like cases.

    `predictions` are as `predictions` gives them, of which those about NEW count (see `pool`).
    """
    factors = predictions["factor"].to_numpy()[pool(predictions, NEW, benchmark, scenario)]
    if len(factors) <= FEWEST:
        return Band(interval.UNKNOWN, len(factors))
    return Band(Interval(*map(float, _likely(factors))), len(factors))


def bands(tables: Tables, benchmark: str, scenarios: Iterable[str]) -> dict[str, Band]:
    """The band of each of the scenarios for plans on a benchmark.

    From the errors of its own results; where those of any of the scenarios are too few, from those of all language
    models (see `pool`). Raises ValueError as `gathered` does.
    """
    kept = _bands(tables, benchmark, *scenarios)
    return {name: Band(Interval(low, high), cases) for name, low, high, cases in kept.itertuples(index=False)}


@kept_with(*GATHERED_FROM)
def _bands(tables: Tables, benchmark: str, *scenarios: str) -> pd.DataFrame:
    by_scenario: dict[str, Band] = {}
    for names in ([benchmark], dict.fromkeys([benchmark, *benchmark_rules.language_models(tables.benchmark_limits)])):
        predicted = predictions(cases(gathered(tables, names, dict.fromkeys([*scenarios, *LIMITED]))), [NEW])
        by_scenario = {name: band(predicted, benchmark, name) for name in scenarios}
        if all(one_band.factors.known for one_band in by_scenario.values()):
            break
    rows = [(name, found.factors.low, found.factors.high, found.cases) for name, found in by_scenario.items()]
    return pd.DataFrame(rows, columns=["scenario", "low", "high", "cases"])


def errors(predictions: pd.DataFrame) -> pd.DataFrame:
    """How far predictions are off, by question, scenario and benchmark; first over all benchmarks (benchmark "").

    Columns: ERRORS. `systems` are the cases that could be predicted, `<name>_median` and `<name>_p90` the errors of
    each of ANSWERS (shares of the actual rate; the latter NaN of FEWEST cases or fewer), factor_low/high the LIKELY
    percentiles (NaN likewise), `held` the share of cases within their range.
    """
    rows = []
    for (question, scenario), of_question in predictions.groupby(["question", "scenario"], sort=False):
        parts = {"": of_question} | dict(iter(of_question.groupby("benchmark", sort=False)))
        rows += [
            {"question": question, "scenario": scenario, "benchmark": benchmark} | _errors_of(part)
            for benchmark, part in parts.items()
        ]
    return pd.DataFrame(rows, columns=ERRORS)


def bases(predictions: pd.DataFrame, labels: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return the errors under a latency limit by what they are of, a row per question, scenario, and basis.

    Columns: question, scenario, basis (an entry of BASES, or a benchmark: of its cases alone), words, systems
    (predicted), median and p90 (shares of the actual rate; the latter NaN of FEWEST cases or fewer). The mean over
    models is of each model's own median and P90; the largest model is the one with most cases, named by `labels`. A
    basis that predicts nothing has no row.
    """
    rows = []
    for (question, scenario), part in predictions.groupby(["question", "scenario"], sort=False):
        if scenario not in LIMITED:
            continue
        largest = predictions["benchmark"].mode().iloc[0]
        models = {name: _errors_of(own) for name, own in part.groupby("benchmark")}
        by_model = pd.DataFrame(models.values())
        whole, smaller = _errors_of(part), _errors_of(part[part["benchmark"].ne(largest)])
        own = {name: (whole[f"{name}_systems"], whole[f"{name}_median"], whole[f"{name}_p90"]) for name in ANSWERS}
        own["models"] = whole["systems"], by_model["predicted_median"].mean(), by_model["predicted_p90"].mean()
        own["without"] = smaller["systems"], smaller["predicted_median"], smaller["predicted_p90"]
        called = {name: (labels or {}).get(name, name) for name in [largest, *models]}
        rows += [(question, scenario, name, BASES[name].format(largest=called[largest]), *own[name]) for name in BASES]
        columns = [f"predicted_{name}" for name in ("systems", "median", "p90")]
        rows += [
            (question, scenario, name, called[name], *(off[each] for each in columns)) for name, off in models.items()
        ]
    frame = pd.DataFrame(rows, columns=["question", "scenario", "basis", "words", "systems", "median", "p90"])
    return frame[frame["systems"].gt(0)].reset_index(drop=True)


def basis_table(bases: pd.DataFrame) -> pd.DataFrame:
    """Return `bases` as text, a row per basis and a column per question and scenario: median and P90, "-" for none."""
    cells = [
        f"{100 * row.median:.1f}% and {100 * row.p90:.0f}% of {row.systems}".replace("nan%", "-")
        for row in bases.itertuples(index=False)
    ]
    columns = bases["scenario"] + ", " + bases["question"]
    wide = bases.assign(cell=cells, column=columns).pivot(index="basis", columns="column", values="cell")
    wide = wide.reindex(index=bases["basis"].unique(), columns=columns.unique()).fillna("-")
    words = bases.drop_duplicates("basis").set_index("basis")["words"]
    return wide.assign(words=words)[["words", *wide.columns]].reset_index(drop=True)


def overall(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `errors` over all benchmarks under a latency limit: one per question and scenario."""
    return errors[errors["benchmark"].eq("") & errors["scenario"].isin(LIMITED)].reset_index(drop=True)


def error_table(errors: pd.DataFrame, question: str, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the errors of one question in percent, with the columns of ERROR_HEADS; `labels` name the benchmarks."""
    rows = errors[errors["question"].eq(question)]
    models = rows["benchmark"].ne("").groupby(rows["scenario"]).transform("sum")
    percent = ["held", *(f"{name}_{end}" for name in ANSWERS for end in ("median", "p90"))]
    return rows.assign(
        label=rows["benchmark"].map(labels).where(rows["benchmark"].ne(""), models.astype(str) + " language models"),
        predicted=rows["systems"].astype(str) + " of " + rows["of_systems"].astype(str),
        **{name: 100 * rows[name] for name in percent},
    )


def _errors_of(rows: pd.DataFrame) -> dict[str, float]:
    predicted = rows[rows["factor"].notna()]
    enough, cells = len(predicted) > FEWEST, {"systems": len(predicted), "of_systems": len(rows)}
    for name in ANSWERS:
        off = np.abs(predicted[name].to_numpy() / predicted["actual"].to_numpy() - 1)
        off = off[~np.isnan(off)]  # a stranger may be lacking where a prediction is not
        cells[f"{name}_systems"] = len(off)
        cells[f"{name}_median"] = float(np.median(off)) if len(off) else np.nan
        cells[f"{name}_p90"] = float(np.quantile(off, LIKELY[1])) if len(off) > FEWEST else np.nan
    ends = _likely(predicted["factor"].to_numpy()) if enough else (np.nan, np.nan)
    judged = predicted["held"].to_numpy()[predicted["low"].notna().to_numpy()]
    in_range = float(judged.mean()) if len(judged) else np.nan
    return cells | {"factor_low": float(ends[0]), "factor_high": float(ends[1]), "held": in_range}


def _likely(factors: np.ndarray) -> np.ndarray:
    """The LIKELY percentiles of factors, of each row of a matrix: two ends, the first axis.

    They are those below which one more case of the same kind lies with just that chance (Weibull's, as in conformal
    prediction).
    """
    return np.quantile(factors, LIKELY, axis=-1, method="weibull")


def _product(rows: pd.DataFrame) -> pd.Series:
    """What served, else the framework, in small letters and up to its version: tensorrt, vllm; "" for neither."""
    return system_properties.software(rows).str.lower().str.extract(r"^\s*([a-z][a-z-]*)", expand=False).fillna("")


def _ages(rounds: np.ndarray) -> np.ndarray:
    """The place of each round among them, oldest first."""
    order = {name: place for place, name in enumerate(sorted(set(rounds.tolist()), key=round_age))}
    return np.array([order[name] for name in rounds.tolist()])


def _groups(rows: pd.DataFrame, *by: str) -> Iterable[np.ndarray]:
    """The places of the rows of each group."""
    return rows.groupby(list(by), sort=False).indices.values()


def _codes(rows: pd.DataFrame) -> dict[str, np.ndarray]:
    """What rows may have in common as numbers, -1 for what is not known ("")."""
    columns = {name: rows[name] for name in (*SHARED, "system", "rate")}
    return {name: pd.factorize(values.mask(values.eq("")) if values.dtype == "str" else values)[0]
            for name, values in columns.items()}  # fmt: skip


def _shared(codes: Mapping[str, np.ndarray], places: np.ndarray) -> dict[str, np.ndarray]:
    """For each of SHARED which rows at these places have it in common."""
    codes_here = {name: codes[name][places] for name in SHARED}
    return {name: (code[:, None] == code) & (code >= 0) for name, code in codes_here.items()}


def _one_result(shared: Mapping[str, np.ndarray], rates: np.ndarray) -> np.ndarray:
    """Which rows are one result: each itself, and one with its figure, on as many of the same accelerators."""
    same_figure = shared["accelerator"] & shared["accelerator_count"] & (rates[:, None] == rates)
    return same_figure | np.eye(len(rates), dtype=bool)


def _weights(shared: Mapping[str, np.ndarray], factor: int, accelerator: int) -> np.ndarray:
    counts = {**SHARED, "accelerator": accelerator}
    return float(factor) ** sum(times * shared[name] for name, times in counts.items())


def _medians(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The median of the values for each row of weights, the middle between two; NaN of a row without weight."""
    order = np.argsort(values, kind="stable")
    sums, ascending = np.cumsum(weights[:, order], axis=1, dtype="float64"), values[order]
    half = sums[:, -1] / 2
    low, high = (ascending[reached.argmax(axis=1)] for reached in (sums >= half[:, None], sums > half[:, None]))
    return np.where(half > 0, (low + high) / 2, np.nan)


def _nested(tried: Mapping[str, np.ndarray], actual: np.ndarray, rounds: np.ndarray) -> np.ndarray:
    """The prediction of each case by the weights that have the least mean error in the other rounds.

    `tried` are the predictions, one row for each choice of weights: from all rounds (""), and from those without one.
    NaN where there are no other rounds.
    """
    predicted = np.full(len(actual), np.nan)
    for name in np.unique(rounds):
        off = np.abs(np.log(tried[name][:, rounds != name] / actual[rounds != name]))
        off = off[:, ~np.isnan(off).any(axis=0)]
        if off.size:
            predicted[rounds == name] = tried[""][off.mean(axis=1).argmin(), rounds == name]
    return predicted
