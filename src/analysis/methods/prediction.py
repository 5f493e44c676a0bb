"""Estimates of what nobody submitted, and how far such estimates of each official result are off.

Five questions, never mixed. KNOWN: the Offline rate of a system is known, and no result of its accelerator under a
latency limit. NONE: no result of the accelerator is known. NEW: other systems of the accelerator are known, and their
median represents this one, as in a plan. SLOWER: the Server rate of the system is known, and scaled by the decoding
model alone. MODEL: what the accelerator gives on the closest other benchmark is known, and scaled by that model. An
error is |predicted / actual - 1|, a factor is actual / predicted.

KNOWN and NONE scale the small model of decoding.py to the record: the share of Offline throughput left at a scenario's
limit, and the Offline throughput itself, are those of the model times the weighted median of what other accelerators'
results were over it (SHARED weighs them).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._core.memo import cached_method
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import LIMITED, MIXED, MS_PER_SECOND, round_age
from analysis._tables.catalog import kept_with
from analysis.comparability import selection
from analysis.methods import benchmark_rules, decoding, memory, system_properties
from analysis.methods.decoding import Decoding, Lengths, Requests

SINCE = "v4.1"  # the first round whose rates of language models are all printed in tokens per second
OFFLINE = "Offline"
KNOWN, NONE, NEW = "Offline known", "no result of the accelerator", "new system"
SLOWER, MODEL = "slower scenario of the system", "another benchmark on the accelerator"
QUESTIONS = (KNOWN, NONE, NEW, SLOWER, MODEL)
ALL, EARLIER, NESTED, NAIVE = "all", "earlier rounds only", "weights of other rounds", "median of the others"
MODELS = "mean over models"
LARGEST, OTHERS = "llama2-70b", "all but Llama 2 70B"  # the benchmark of most cases, and the errors without it
# What makes cases.
GATHERED_FROM = ("results", "benchmarks", "benchmark_limits", "request_lengths", "accelerators", "doubts")

# What two systems have in common, and how often it counts: each time multiplies the weight of one for the other by
# FACTOR. `rack` is whether more than a node shares the weights, `kind` that of the datasheet: GPU, processor, TPU.
SHARED: Mapping[str, int] = {"accelerator": 4, "software": 2, "round": 2, "accelerator_count": 2, "rack": 2, "kind": 3,
                             "submitter": 1, "family": 1, "precision": 1}  # fmt: skip
FACTOR, RIVALS = 2.0, (1.5, 2.0, 3.0, 4.0)  # and those of which NESTED takes the best in the other rounds

LIKELY = (0.1, 0.9)  # the percentiles that a range goes from and to
FEWEST = 9  # errors with which a tenth percentile can be stated: one case in ten lies below the lowest of nine others
OF_SYSTEM = ["round", "submitter", "system", "system_key", "accelerator", "accelerator_count", "software", "on_sale"]
CASE = ["benchmark", "scenario", *OF_SYSTEM, "precision", "rate", "per_accelerator", "offline"]
# Of the decoding model: Offline tokens/s per accelerator, and the share of it at the scenario's limit; NaN unknown.
DECODED = ["family", "kind", "rack", "ceiling", "model_share"]
ERRORS = ["question", "basis", "scenario", "benchmark", "systems", "of_systems", "median", "p90", "held"]
HEADS = {"words": "Predicted from", "benchmark": "Errors of", "Server": "Server", "Interactive": "Interactive"}


@dataclass(frozen=True)
class Band:
    """Factors of actual over predicted, from the LIKELY percentile to the other, of so many `cases`; NaN: too few."""

    factors: Interval
    cases: int

    @property
    def drawn(self) -> Interval:
        """The ends of the distribution, uniform in the logarithm, whose LIKELY percentiles are the factors."""
        low, high = self.factors.low, self.factors.high
        more = (high / low) ** (LIKELY[0] / (LIKELY[1] - LIKELY[0]))
        return Interval(low / more, high * more)


class Tables(selection.Tables, Protocol):
    """What cases are made from: the catalog, or anything that holds the same frames."""

    @property
    def accelerators(self) -> pd.DataFrame:
        """The datasheets."""

    @property
    def benchmark_limits(self) -> pd.DataFrame:
        """The limits of the scenarios."""

    @property
    def request_lengths(self) -> pd.DataFrame:
        """The requests of the data sets."""


class Decoder:
    """The decoding model of each accelerator for each benchmark of the tables, at the lengths of its data set."""

    def __init__(self, tables: Tables) -> None:
        self.facts = {row["accelerator"]: row for row in as_dicts(tables.accelerators)}
        self.identities = {row["benchmark"]: row for row in as_dicts(tables.benchmarks)}
        self._benchmarks = tables.benchmarks
        self._requests = tables.request_lengths
        self.limit_ms = benchmark_rules.limits_ms(tables.benchmark_limits, benchmark_rules.TPOT)
        self._known: dict[tuple, Decoding | None] = {}

    @cached_method
    def lengths(self, benchmark: str) -> Lengths:
        """The lengths of a benchmark in tokens; NaN unknown."""
        return self.requests(benchmark).lengths

    def requests(self, benchmark: str, prompt: float | None = None, answer: float | None = None) -> Requests:
        """The requests of a benchmark's data set, scaled to these means, by default its own; NaN unknown.

        The benchmark's mean answer is what models generate. A request without an answer does not count beside others
        that have one; where the data set or all of its answers are not known, each request has the means.
        """
        row, columns = self.identities[benchmark], ["prompt_tokens", "answer_tokens"]
        rows = self._requests.loc[self._requests["benchmark"].eq(benchmark), columns]
        answered = rows.dropna(subset="answer_tokens")
        known = (answered if len(answered) else rows.fillna(1)).to_numpy("float64") if len(rows) else np.ones((1, 2))
        means = row["prompt_tokens"], (row["tokens_per_sample_low"] + row["tokens_per_sample_high"]) / 2
        return Requests(*known.T).scaled(prompt or means[0], answer or means[1])

    @cached_method
    def cache(self, benchmark: str) -> memory.Model | None:
        """The benchmark's model in memory, at one byte per weight and number; None unknown."""
        return memory.model(self._benchmarks, benchmark, 1.0, 1.0)

    def at(self, accelerator: str, benchmark: str, precision: str, count: float = decoding.NODE) -> Decoding | None:
        """The decoding model of a system; None where a fact is not known."""
        most = decoding.group(accelerator, count) if count == count else decoding.NODE
        key = accelerator, benchmark, decoding.precision(self.facts[accelerator], precision), most
        if key not in self._known:
            facts, identity, cache = self.facts[accelerator], self.identities[benchmark], self.cache(benchmark)
            self._known[key] = decoding.decoding(facts, identity, cache, key[2], self.lengths(benchmark), most)
        return self._known[key]


def gathered(tables: Tables, names: Iterable[str], scenarios: Iterable[str] = (OFFLINE, *LIMITED)) -> pd.DataFrame:
    """The comparable rows that cases are made of: official, closed division, data center, of all rounds since SINCE.

    Raises ValueError for an unknown benchmark or scenario, with the valid choices.
    """
    names, filed = list(names), tables.results["round"].unique()
    rounds = tuple(name for name in filed if round_age(name) >= round_age(SINCE))
    asked = [selection.Question("", name, ("official",), rounds, mixed=True) for name in scenarios]
    return pd.concat([selection.select_all(tables, question, names) for question in asked], ignore_index=True)


@kept_with(*GATHERED_FROM)
def record(tables: Tables) -> pd.DataFrame:
    """The `cases` of all language models, with DECODED."""
    rows = gathered(tables, benchmark_rules.language_models(tables.benchmark_limits))
    return decoded(cases(rows), Decoder(tables))


@kept_with(*GATHERED_FROM)
def predictions_of_record(tables: Tables) -> pd.DataFrame:
    """The `predictions` of the `record`."""
    return predictions(record(tables))


@kept_with(*GATHERED_FROM)
def errors_of_record(tables: Tables) -> pd.DataFrame:
    """The `errors` of predicting each case of the `record` from the others."""
    return errors(predictions_of_record(tables))


def cases(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of `gathered`, one for each benchmark, scenario and system. Columns: CASE.

    `rate` is the whole system's in the benchmark's unit, in the geometric middle where it was submitted twice (for two
    accuracy targets); `per_accelerator` is NaN of a cluster of several types, `offline` (the same system's Offline
    rate) of a system without one. `software` is what served, else the framework, without its version, and `precision`
    of the weights; "" where not known. `on_sale`: available and not virtualized. Power submissions, often capped, are
    no cases.
    """
    rows = rows[rows["rate_low"].notna() & ~rows["power_measured"]]
    rows = rows.assign(software=_product(rows), on_sale=system_properties.kind(rows).eq(system_properties.AVAILABLE))
    keys = ["benchmark", "scenario", "system_key"]
    ends = {name: (name, "min" if name.endswith("low") else "max") for name in ("rate_low", "rate_high")}
    of_system = {name: (name, "first") for name in OF_SYSTEM if name != "system_key"} | {
        "precision": ("precision", "max")
    }
    systems = rows.groupby(keys, sort=False).agg(**of_system, **ends).reset_index()
    rate = interval.of(systems, "rate").middle
    count = systems["accelerator_count"].astype("float64").where(systems["accelerator"].ne(MIXED))
    systems = systems.assign(rate=rate, per_accelerator=rate / count)
    offline = systems[systems["scenario"].eq(OFFLINE)].set_index(["benchmark", "system_key"])["rate"].rename("offline")
    return systems.join(offline, on=["benchmark", "system_key"])[CASE]


def decoded(cases: pd.DataFrame, decoder: Decoder) -> pd.DataFrame:
    """The cases with DECODED: what the decoding model says of each, at the limit of its scenario in any round."""
    rows = []
    for case in as_dicts(cases[["accelerator", "benchmark", "scenario", "precision", "accelerator_count"]]):
        count, facts = float(case["accelerator_count"] or np.nan), decoder.facts[case["accelerator"]]
        model = decoder.at(case["accelerator"], case["benchmark"], case["precision"], count)
        speed = MS_PER_SECOND / decoder.limit_ms(case["benchmark"], case["scenario"], ())
        most = model.most if model else np.nan
        share = model.at(speed) / most or np.nan if model and speed == speed else most / most
        rows.append((facts["family"], facts["kind"], count > decoding.NODE, most, share))
    columns = pd.DataFrame(rows, columns=DECODED, index=cases.index)
    return cases.assign(**{name: columns[name] for name in DECODED})


@kept_with(*GATHERED_FROM)
def estimates(tables: Tables, benchmark: str, *rounds: str) -> pd.DataFrame:
    """What each accelerator gives under each latency limit of a benchmark, from others' results in these rounds (all).

    Columns: accelerator, scenario, system_key, question, rate (per accelerator). KNOWN of each system with an Offline
    rate, NONE of each accelerator with a datasheet: as a system of NODE accelerators in the newest round, of unknown
    submitter and software.
    """
    whole, decoder = record(tables), Decoder(tables)
    whole = whole[whole["benchmark"].eq(benchmark) & whole["round"].isin(rounds or whole["round"].unique())]
    limited = [name for name in LIMITED if decoder.limit_ms(benchmark, name, rounds) > 0]
    columns = ["accelerator", "scenario", "system_key", "question", "rate"]
    if whole.empty or not limited:
        return pd.DataFrame(columns=columns)
    offline = whole[whole["scenario"].eq(OFFLINE) & whole["accelerator"].ne(MIXED)].assign(question=KNOWN)
    newest = max(whole["round"], key=round_age)
    unknown = dict.fromkeys(CASE, "") | {"benchmark": benchmark, "round": newest, "on_sale": True, "rate": np.nan}
    unknown |= {"accelerator_count": decoding.NODE, "per_accelerator": np.nan, "offline": np.nan, "question": NONE}
    none = pd.DataFrame([unknown | {"accelerator": name} for name in decoder.facts if name != MIXED])
    asked = pd.concat([rows.assign(scenario=name) for name in limited for rows in (offline, none)], ignore_index=True)
    asked = decoded(asked[[*CASE, "question"]], decoder)
    asked = asked[asked["question"].eq(KNOWN) | asked["ceiling"].notna()].reset_index(drop=True)
    given = asked["per_accelerator"].where(asked["question"].eq(KNOWN), offline_rates(whole, asked))
    return asked.assign(rate=given * shares(whole, asked))[columns].dropna(subset="rate").reset_index(drop=True)


@kept_with(*GATHERED_FROM)
def bands(tables: Tables, benchmark: str) -> pd.DataFrame:
    """The `band` of each question for a benchmark.

    Columns: question, scenario, low, high (factors), cases.
    """
    found, rows = predictions_of_record(tables), []
    for question in QUESTIONS:
        for scenario in LIMITED:
            own = band(found, benchmark, scenario, question)
            rows.append((question, scenario, own.factors.low, own.factors.high, own.cases))
    return pd.DataFrame(rows, columns=["question", "scenario", "low", "high", "cases"])


def predictions(cases: pd.DataFrame) -> pd.DataFrame:
    """Each case under a latency limit predicted from the others, a row per question and basis.

    Added to CASE: question, basis (ALL, EARLIER, NAIVE, of KNOWN also NESTED), predicted and actual (whole system, of
    NEW per accelerator), factor (NaN where nothing predicts the case), low and high (the prediction by its range, see
    `ranges`), held. `cases` have DECODED. A case whose rate is NaN is predicted and predicts none.
    """
    found = pd.concat([_known(cases), _none(cases), _new(cases), _slower(cases), _model(cases)], ignore_index=True)
    found = found.assign(factor=found["actual"] / found["predicted"])
    band = ranges(found)
    return found.assign(low=found["predicted"] * band.low, high=found["predicted"] * band.high,
                        held=found["factor"].between(band.low, band.high))  # fmt: skip


def shares(cases: pd.DataFrame, targets: pd.DataFrame, factor: float = FACTOR) -> np.ndarray:
    """The share of Offline throughput of each target, from all `cases` of its benchmark and scenario but its own.

    No result of the target's accelerator counts. Both have CASE and DECODED, the targets those of their scenario.
    """
    rows = pd.concat([targets, cases[cases["rate"].notna() & cases["offline"].notna()]], ignore_index=True)
    is_case = np.arange(len(rows)) >= len(targets)
    base = _base(rows["model_share"])
    residual = np.log(rows["rate"] / rows["offline"]).to_numpy("float64") - base
    weights = _weights(rows, factor)[: len(targets)]
    weights *= is_case & _same(rows, "benchmark")[: len(targets)] & _same(rows, "scenario")[: len(targets)]
    weights *= ~_same(rows, "accelerator")[: len(targets)]
    return np.exp(_medians(residual, weights) + base[: len(targets)])


def offline_rates(cases: pd.DataFrame, targets: pd.DataFrame) -> np.ndarray:
    """The Offline rate per accelerator of each target, from Offline cases of other accelerators; NaN unknown.

    Each accelerator weighs as much as another of like systems, however many of it were submitted.
    """
    rows = pd.concat([targets, cases[cases["scenario"].eq(OFFLINE)]], ignore_index=True)
    residual = np.log(rows["per_accelerator"] / rows["ceiling"]).to_numpy("float64")
    is_case = (np.arange(len(rows)) >= len(targets)) & ~np.isnan(residual)
    weights = _weights(rows, FACTOR)[: len(targets)] * is_case * _same(rows, "benchmark")[: len(targets)]
    weights *= ~_same(rows, "accelerator")[: len(targets)]
    weights = weights / rows.groupby(["benchmark", "accelerator"])["accelerator"].transform("size").to_numpy()
    return np.exp(_medians(residual, weights)) * targets["ceiling"].to_numpy("float64")


def _known(cases: pd.DataFrame) -> pd.DataFrame:
    """KNOWN by its bases: Offline x the share of others, which is the weighted median of theirs over the model's."""
    rows = cases[cases["scenario"].isin(LIMITED) & cases["offline"].notna()].reset_index(drop=True)
    base, ages = _base(rows["model_share"]), _ages(rows["round"])
    residual = np.log(rows["rate"] / rows["offline"]).to_numpy("float64") - base
    found = {name: np.full(len(rows), np.nan) for name in (ALL, EARLIER, NAIVE)}
    rounds, tried = rows["round"].to_numpy("object"), {}
    for places in rows.groupby(["benchmark", "scenario"], sort=False).indices.values():
        part, values = rows.iloc[places], residual[places]
        other = ~_same(part, "accelerator") & ~np.isnan(values)
        weights = _weights(part, FACTOR)
        before = (ages[places] < ages[places][:, None]) & ~np.isnan(values)
        for name, counted in ((ALL, other), (EARLIER, before)):
            found[name][places] = _medians(values, weights * counted) + base[places]
        found[NAIVE][places] = _medians(values + base[places], other.astype("float64"))
        for rival in RIVALS:
            weights = _weights(part, rival) * other
            for excluded in (*np.unique(rounds), ""):  # the choice then judges the round that is left out
                into = tried.setdefault(excluded, {}).setdefault(rival, np.full(len(rows), np.nan))
                into[places] = _medians(values, weights * (rounds[places] != excluded)) + base[places]
    found[NESTED] = _nested(tried, residual + base, rounds)
    told = {name: rows["offline"] * np.exp(logs) for name, logs in found.items()}
    return _long(rows, KNOWN, rows["rate"], told)


def _none(cases: pd.DataFrame) -> pd.DataFrame:
    """NONE: the Offline rate and the share of it both from other accelerators; of earlier rounds too, as EARLIER."""
    rows = cases[cases["scenario"].isin(LIMITED) & cases["per_accelerator"].notna()].reset_index(drop=True)
    found = {ALL: _unknown(cases, rows), EARLIER: np.full(len(rows), np.nan)}
    age = cases["round"].map(round_age)
    for name, places in rows.groupby("round").indices.items():
        found[EARLIER][places] = _unknown(cases[age < round_age(name)], rows.iloc[places])
    count = rows["accelerator_count"].astype("float64")
    return _long(rows, NONE, rows["rate"], {name: rates * count for name, rates in found.items()})


def _unknown(cases: pd.DataFrame, rows: pd.DataFrame) -> np.ndarray:
    return offline_rates(cases, rows) * shares(cases, rows)


def _new(cases: pd.DataFrame) -> pd.DataFrame:
    """NEW: per accelerator, the median of the others of its round or before by the very rule of a plan.

    That is system_properties.alike: available and bare, of the usual number of accelerators, of the newest round, each
    rule where any system is left. NAIVE is from all its systems of any round. The whole system is left out, the same
    submitter's of that name in other rounds too, and a result with the same figure on as many accelerators.
    """
    is_rated = cases["accelerator"].ne(MIXED) & cases["accelerator_count"].notna() & cases["scenario"].isin(LIMITED)
    rows = cases[is_rated].reset_index(drop=True)
    rates, ages = rows["per_accelerator"].to_numpy("float64"), _ages(rows["round"])
    facts = (rows["on_sale"].to_numpy("bool"), rows["accelerator_count"].to_numpy("float64", na_value=np.nan),
             rows["round"].to_numpy("object"))  # fmt: skip
    found = {name: np.full(len(rows), np.nan) for name in (ALL, EARLIER, NAIVE)}
    for places in rows.groupby(["benchmark", "scenario", "accelerator"], sort=False).indices.values():
        part, values, age = rows.iloc[places], rates[places], ages[places]
        again = _same(part, "accelerator_count") & _same(part, "rate") | np.eye(len(part), dtype=bool)
        again |= _same(part, "submitter") & _same(part, "system")
        others = ~again & ~np.isnan(values)
        for name, among in ((ALL, others & (age <= age[:, None])), (EARLIER, others & (age < age[:, None]))):
            alike = [system_properties.of_one_range(*(fact[places] for fact in facts), each) for each in among]
            found[name][places] = _medians(values, np.array(alike, "float64"))
        found[NAIVE][places] = _medians(values, others.astype("float64"))
    return _long(rows, NEW, rows["per_accelerator"], found)


def _slower(cases: pd.DataFrame) -> pd.DataFrame:
    """SLOWER: each Interactive rate from the same system's in Server, times the decoding model at both limits."""
    server, fast = (cases[cases["scenario"].eq(name)].reset_index(drop=True) for name in ("Server", "Interactive"))
    scaled = dict(zip(_systems(server), server["rate"] / server["model_share"], strict=True))
    known = np.array([scaled.get(key, np.nan) for key in _systems(fast)], "float64")
    return _long(fast, SLOWER, fast["rate"], {ALL: known * fast["model_share"]})


def _systems(cases: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(cases["benchmark"], cases["system_key"], strict=True))


def _model(cases: pd.DataFrame) -> pd.DataFrame:
    """MODEL: each rate from the median of the accelerator's on the closest other benchmark, over the decoding model."""
    rows = cases[cases["scenario"].isin(LIMITED)].reset_index(drop=True)
    modeled = rows["ceiling"] * rows["model_share"]
    residual = (rows["per_accelerator"] / modeled).groupby([rows["accelerator"], rows["scenario"], rows["benchmark"]])
    known, work = residual.median().dropna(), rows.groupby("benchmark")["ceiling"].median()
    found = []
    for accelerator, scenario, benchmark in zip(rows["accelerator"], rows["scenario"], rows["benchmark"], strict=True):
        others = known.get((accelerator, scenario), pd.Series(dtype="float64")).drop(benchmark, errors="ignore")
        far = np.abs(np.log(work.reindex(others.index) / work[benchmark]))
        found.append(others[far.idxmin()] if far.notna().any() else np.nan)
    count = rows["accelerator_count"].astype("float64")
    return _long(rows, MODEL, rows["rate"], {ALL: modeled * count * found})


def ranges(predictions: pd.DataFrame) -> Interval:
    """The factors from the LIKELY percentile of the errors of like cases to the other: two arrays, by place.

    Like cases are the others of the same question and basis (see `pool`): no case is among those that make its own
    range. NaN where there are fewer than FEWEST.
    """
    ends = np.full((2, len(predictions)), np.nan)
    factors = predictions["factor"].to_numpy()
    groups = predictions.groupby(["question", "basis", "benchmark", "scenario"], sort=False).indices
    for (question, basis, benchmark, scenario), places in groups.items():
        like = np.flatnonzero(pool(predictions, benchmark, scenario, question, basis))
        places = places[~np.isnan(factors[places])]
        if len(like) > FEWEST and len(places):
            others = np.broadcast_to(factors[like], (len(places), len(like)))[like != places[:, None]]
            ends[:, places] = _likely(others.reshape(len(places), -1))
    return Interval(*ends)


def pool(predictions: pd.DataFrame, benchmark: str, scenario: str, question: str, basis: str = ALL) -> np.ndarray:
    """Which cases' errors represent those of one question about a benchmark and scenario.

    Those of both where they are more than FEWEST. Else all of the scenario, for the tighter a limit is, the farther off
    are predictions; but of MODEL, whose errors are the benchmark's own, all of the benchmark under any latency limit.
    Else the other of these two. Only cases that were predicted.
    """
    asked = predictions["question"].eq(question) & predictions["basis"].eq(basis) & predictions["factor"].notna()
    of_benchmark, at_scenario = predictions["benchmark"].eq(benchmark), predictions["scenario"].eq(scenario)
    near, far = (of_benchmark, at_scenario) if question == MODEL else (at_scenario, of_benchmark)
    parts = (asked & of_benchmark & at_scenario, asked & near)
    return next((part for part in parts if part.sum() > FEWEST), asked & far).to_numpy()


def band(predictions: pd.DataFrame, benchmark: str, scenario: str, question: str) -> Band:
    """What an actual rate may be over its prediction: from the errors of like cases (see `pool`)."""
    factors = predictions["factor"].to_numpy()[pool(predictions, benchmark, scenario, question)]
    return Band(Interval(*map(float, _likely(factors))) if len(factors) > FEWEST else interval.UNKNOWN, len(factors))


def errors(predictions: pd.DataFrame) -> pd.DataFrame:
    """How far predictions are off by question, basis, scenario and benchmark.

    Of benchmarks "" is all, MODELS the mean over each, and OTHERS all but LARGEST. Columns: ERRORS. `systems` of
    `of_systems` could be predicted, `median` and `p90` are of their errors (shares of the actual rate; the latter NaN
    of FEWEST cases or fewer), `held` is the share of cases within their range.
    """
    rows = []
    for (question, basis, scenario), part in predictions.groupby(["question", "basis", "scenario"], sort=False):
        parts = {"": part} | dict(iter(part.groupby("benchmark", sort=False)))
        found = {name: _errors_of(own) for name, own in parts.items()}
        means = pd.DataFrame([own for name, own in found.items() if name])[["median", "p90"]].mean().to_dict()
        found[MODELS] = found[""] | means
        found[OTHERS] = _errors_of(part[part["benchmark"].ne(LARGEST)])
        key = {"question": question, "basis": basis, "scenario": scenario}
        rows += [key | {"benchmark": name} | own for name, own in found.items()]
    return pd.DataFrame(rows, columns=ERRORS)


def table(errors: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """The errors as text, median and P90 of so many cases, "-" for none; columns: HEADS.

    First each question and basis over all language models, then the models of KNOWN; `labels` name benchmarks.
    """
    known = errors["question"].eq(KNOWN) & errors["basis"].eq(ALL)
    shown = errors[errors["benchmark"].eq("") | known & errors["systems"].gt(0)]
    shown = shown.sort_values("benchmark", key=lambda names: names.ne(""), kind="stable")
    words = shown["question"] + shown["basis"].map(lambda name: "" if name == ALL else f", {name}")
    cells = [f"{100 * row.median:.1f}% and {100 * row.p90:.0f}% of {row.systems}".replace("nan%", "-")
             for row in shown.itertuples(index=False)]  # fmt: skip
    shown = shown.assign(words=words, cell=cells, benchmark=shown["benchmark"].replace({**labels, "": "all models"}))
    wide = shown.pivot(index=["words", "benchmark"], columns="scenario", values="cell").reindex(columns=list(LIMITED))
    order = shown.drop_duplicates(["words", "benchmark"])[["words", "benchmark"]]
    return wide.loc[list(order.itertuples(index=False, name=None))].fillna("-").reset_index()[list(HEADS)]


def _errors_of(rows: pd.DataFrame) -> dict[str, float]:
    found = rows[rows["factor"].notna()]
    off = np.abs(1 / found["factor"].to_numpy() - 1)
    judged = found["held"].to_numpy()[found["low"].notna().to_numpy()]
    return {
        "systems": len(found),
        "of_systems": len(rows),
        "median": float(np.median(off)) if len(off) else np.nan,
        "p90": float(np.quantile(off, LIKELY[1])) if len(off) > FEWEST else np.nan,
        "held": float(judged.mean()) if len(judged) else np.nan,
    }


def _long(rows: pd.DataFrame, question: str, actual: pd.Series, found: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """A row of CASE for each case and basis."""
    own = rows[CASE].assign(question=question, actual=actual)
    return pd.concat([own.assign(basis=name, predicted=np.asarray(rates)) for name, rates in found.items()])


def _likely(factors: np.ndarray) -> np.ndarray:
    """The LIKELY percentiles of factors, of each row of a matrix: two ends, the first axis.

    They are those below which one more case of the same kind lies with just that chance (Weibull's, as in conformal
    prediction).
    """
    return np.quantile(factors, LIKELY, axis=-1, method="weibull")


def _product(rows: pd.DataFrame) -> pd.Series:
    """What served, else the framework, in small letters and up to its version: tensorrt, vllm; "" for neither."""
    return system_properties.software(rows).str.lower().str.extract(r"^\s*([a-z][a-z-]*)", expand=False).fillna("")


def _base(model_share: pd.Series) -> np.ndarray:
    """The logarithm of the model's share of Offline throughput; where that is not known, nothing."""
    return np.nan_to_num(np.log(model_share.to_numpy("float64"))).clip(-4.0, 0.0)


def _ages(rounds: pd.Series) -> np.ndarray:
    """The place of each round among them, oldest first."""
    order = {name: place for place, name in enumerate(sorted(set(rounds), key=round_age))}
    return np.array([order[name] for name in rounds], "int64")


def _same(rows: pd.DataFrame, name: str) -> np.ndarray:
    """Which pairs of rows have a column in common; "" and NaN are not known, so not in common."""
    codes, values = pd.factorize(rows[name])
    is_known = (codes >= 0) & ~np.isin(codes, np.flatnonzero(values == ""))
    return (codes[:, None] == codes) & is_known


def _weights(rows: pd.DataFrame, factor: float) -> np.ndarray:
    return factor ** sum(times * _same(rows, name) for name, times in SHARED.items())


def _medians(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The median of the values for each row of weights, the middle between two; NaN of a row without weight."""
    order = np.argsort(values, kind="stable")
    sums, ascending = np.cumsum(np.asarray(weights, "float64")[:, order], axis=1), values[order]
    if not len(values):
        return np.full(len(weights), np.nan)
    half = sums[:, -1] / 2
    low, high = (ascending[reached.argmax(axis=1)] for reached in (sums >= half[:, None], sums > half[:, None]))
    return np.where(half > 0, (low + high) / 2, np.nan)


def _nested(tried: Mapping[str, Mapping[float, np.ndarray]], actual: np.ndarray, rounds: np.ndarray) -> np.ndarray:
    """The prediction of each case by the weights with the least mean error in the other rounds, in logarithms.

    `tried` are the predictions by each of RIVALS, from all rounds ("") and from those without one.
    """
    found = np.full(len(actual), np.nan)
    for name in np.unique(rounds):
        others, here = rounds != name, rounds == name
        off = {rival: np.abs(logs[others] - actual[others]) for rival, logs in tried[name].items()}
        mean = {rival: np.nanmean(each) for rival, each in off.items() if not np.isnan(each).all()}
        if mean:
            found[here] = tried[""][min(mean, key=mean.__getitem__)][here]
    return found
