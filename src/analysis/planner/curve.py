"""Throughput per accelerator over interactivity: measured points, lines between them, and estimates elsewhere.

A point is what systems of one kind gave in a scenario, at the interactivity of their runs. Between two points the
logarithm of throughput falls evenly with interactivity; below the slowest throughput stays; beyond the fastest it falls
as in the decoding model (methods/decoding.py), down to the speed at which memory bandwidth ends. Where nothing was
submitted under a scenario's limit, its point is an estimate from other accelerators (methods/prediction.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd

from analysis._core import notes
from analysis._core.citation import several
from analysis._core.file_contents import sha256_of
from analysis._core.interval import Interval
from analysis._core.memo import cached_method
from analysis._core.number_words import names
from analysis._core.parameters import RealWorldDerating
from analysis._core.paths import DATA
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import LIMITED, MS_PER_SECOND, TOKENS
from analysis.comparability import selection
from analysis.comparability.selection import Comparison
from analysis.methods import benchmark_rules, cost, decoding, memory, prediction, system_properties
from analysis.methods.decoding import Decoding, Requests
from analysis.methods.prediction import KNOWN, MODEL, NEW, NONE, OFFLINE, SLOWER, Band, Decoder
from analysis.planner.demand import requests

SPEED = "tokens_per_second_per_user"
LEAST_SPEED, IS_BOUND = "least_tokens_per_second_per_user", "is_bound"  # that a run proves, and whether by its limit
FIRST_TOKEN = "first_token_ms"  # see benchmark_rules.first_token_ms
MEASURED, INTERPOLATED, ESTIMATE = "measured", "interpolated", "estimate"
RATE = ("per_accelerator_low", "per_accelerator_high")
SAME_LENGTHS = 0.01  # share by which mean lengths may differ from the benchmark's and still be its own
FULL_ERROR = 2.0  # times the throughput, at which other lengths have all the error of another benchmark
LEAST_IN_FLIGHT = 1.5  # requests per accelerator: a system with fewer is no evidence of what it gives slower users
FEWEST_LOGGED = 3  # runs of an accelerator whose median speaks for its runs without a log
EXACT = Interval(1.0, 1.0)
READ = dict.fromkeys([*system_properties.READ, *system_properties.LIMITED, *cost.RAN, *RATE, SPEED, FIRST_TOKEN,
                      "nodes", "origin", "system_key", "source_id", "notes", "scenario", "basis",
                      "power_limit_watts"])  # what plans read from the rows behind them  # fmt: skip
STEPS, REACH = 40, 1.2  # of an estimate as it is drawn


class Tables(prediction.Tables, Protocol):
    """What a plan is made from: the catalog, or anything that holds the same frames."""

    @property
    def prices(self) -> pd.DataFrame:
        """The rental prices."""

    @property
    def used(self) -> dict[str, str]:
        """The files read, with their SHA-256: a page is built again when one changes."""


@dataclass(frozen=True)
class Throughput:
    """A rate per accelerator to draw from, its middle, what the range is one of in words, and its evidence.

    That is MEASURED where runs proved the speed, INTERPOLATED between runs, else ESTIMATE.
    """

    rate: Interval
    range_of: str
    evidence: str = MEASURED

    @property
    def middle(self) -> float:
        """The rate itself, of which the range is the error."""
        return float(self.rate.middle)


@dataclass(frozen=True)
class Point:
    """A throughput per accelerator at a speed (NaN: unknown), by the rows at `places`; `factors` are of its error.

    `least` is the speed that the rows prove. An estimate rests on Offline rows, or on none of the accelerator.
    """

    speed: float
    rate: Interval
    factors: Interval
    places: np.ndarray
    evidence: str
    words: str
    least: float = np.nan


@dataclass(frozen=True)
class Curve:
    """The points of an accelerator, the slowest first and none below a faster one; empty: nothing is known of it.

    `decode` is the decoding model of what is asked (None unknown); beyond the fastest point its error grows by the
    factors `beyond` for each time that the speed rises by the ratio `span`. `scaled` says that lengths or model are not
    those of the benchmark.
    """

    points: tuple[Point, ...]
    decode: Decoding | None = None
    beyond: Interval = EXACT
    span: float = np.e
    scaled: bool = False

    def used(self, speed: float) -> tuple[Point, ...]:
        """The points that the throughput at `speed` lies between; one at the ends."""
        slower = [point for point in self.points if not point.speed > speed]
        faster = [point for point in self.points if point.speed > speed]
        return (*slower[-1:], *faster[:1])

    def at(self, speed: float) -> Throughput | None:
        """What each accelerator gives users of `speed` tokens/s; None where nothing is known or nothing so fast."""
        used = self.used(speed)
        if not used or (self.decode and speed > self.decode.roof):
            return None
        slow, fast = used[0], used[-1]
        rate, is_beyond = slow.rate, slow is fast and speed > slow.speed
        words = ", ".join(dict.fromkeys(point.words for point in used))
        factors = Interval(min(each.factors.low for each in used), max(each.factors.high for each in used))
        if slow is not fast:
            share = (speed - slow.speed) / (fast.speed - slow.speed)
            rate = _power(slow.rate, 1 - share) * _power(fast.rate, share)
            words += f", between {slow.speed:.3g} and {fast.speed:.3g} tokens/s per user"
        elif is_beyond:
            if self.decode is None or not (least := self.decode.at(slow.speed)):
                return None
            rate = rate * (self.decode.at(speed) / least)
            factors *= _power(self.beyond, np.log(speed / slow.speed) / np.log(self.span))
            words += f", beyond {slow.speed:.3g} tokens/s per user by the decoding model"
        is_estimate = is_beyond or self.scaled or any(point.evidence == ESTIMATE for point in used)
        proven = INTERPOLATED if speed > slow.least else MEASURED
        return Throughput(rate * factors, words, ESTIMATE if is_estimate else proven)

    @property
    def roof(self) -> float:
        """The fastest that memory bandwidth allows, tokens/s per user; NaN unknown."""
        return self.decode.roof if self.decode else np.nan


@dataclass(frozen=True, eq=False)
class Behind:
    """The rows that a throughput rests on, and what plans read from them: looked up once, planned over many times.

    `read` has READ of the rows: all their columns, of which there are scores, are copied when somebody asks for them.
    """

    read: pd.DataFrame
    evidence: Evidence
    places: tuple[int, ...]

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The rows, all their columns."""
        return self.evidence.rows.take(self.places)

    @cached_property
    def node(self) -> int:
        """The accelerators of a node."""
        return system_properties.node(self.read)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The accelerators of each system, where known."""
        return tuple(self.read["accelerator_count"].dropna().astype(int))

    @cached_property
    def is_available(self) -> bool:
        """Whether a system can be had; an accelerator without a row of its own is taken for one that can."""
        kinds = {system_properties.AVAILABLE, system_properties.VIRTUAL}
        return self.read.empty or not kinds.isdisjoint(system_properties.kind(self.read))

    @cached_property
    def fastest(self) -> Mapping[str, Any]:
        """READ of the row of the highest throughput; empty without rows."""
        return self.read.loc[self.read[RATE[1]].idxmax()].to_dict() if len(self.read) else {}

    @cached_property
    def systems(self) -> int:
        """How many systems the rows are of."""
        return system_properties.counted(self.read)

    @cached_property
    def source_ids(self) -> tuple[str, ...]:
        """The sources of the rows, each once."""
        return several(self.read["source_id"])

    @cached_property
    def notes(self) -> notes.Notes:
        """The notes of the rows, each once."""
        return notes.union(self.read["notes"])

    @cached_property
    def speed(self) -> float:
        """The lowest SPEED of the rows; NaN unknown."""
        return float(self.read[SPEED].min())

    @cached_property
    def first_token_ms(self) -> Interval:
        """From the lowest to the highest FIRST_TOKEN of the rows."""
        return Interval(float(self.read[FIRST_TOKEN].min()), float(self.read[FIRST_TOKEN].max()))


@dataclass(frozen=True)
class Evidence:
    """What the tables say of a benchmark, whichever the accelerator: the parts that curves are made of.

    `chosen` are the comparable rows of the scenario asked for, `rows` those of all scenarios, with SPEED and
    FIRST_TOKEN; `power` its power submissions, and those of tighter scenarios. `typical` is the usual speed under each
    scenario's limit, empty where no speed is known; `estimates` and `bands` are those of prediction.py. `requests` are
    the user's own or those of the benchmark's data set; `identity` is the model.
    """

    chosen: Comparison
    rows: pd.DataFrame
    power: pd.DataFrame
    typical: Mapping[str, float]
    estimates: pd.DataFrame
    bands: pd.DataFrame
    decoder: Decoder
    requests: Requests
    identity: Mapping[str, Any]
    cache: memory.Model | None

    @cached_property
    def accelerators(self) -> list[str]:
        """Those with a row, then those with an estimate."""
        return list(dict.fromkeys([*self.rows["accelerator"], *self.estimates["accelerator"]]))

    def curve(self, accelerator: str) -> Curve:
        """The curve of an accelerator for the model and the lengths asked for."""
        if not self.typical:
            point = self.measured(accelerator, self.chosen.question.scenario)
            return Curve((point,) if point else ())
        points = [point for name in self.typical if (point := self._point(accelerator, name))]
        on_sale = [bool(self._candidates.on_sale[point.places].any()) for point in points]
        points = [point for point, sold in zip(points, on_sale, strict=True) if sold or not any(on_sale)]
        own, asked = self._decoders(accelerator)
        if self._is_scaled and own and asked:
            points = [
                self._scaled(each, asked.at(each.speed) / own.at(each.speed)) for each in points if own.at(each.speed)
            ]
        rising: list[Point] = []
        for point in sorted(points, key=lambda each: each.speed, reverse=True):
            is_below = rising and rising[-1].rate.middle > point.rate.middle
            rising.append(replace(point, rate=rising[-1].rate) if is_below else point)
        fastest, span = list(self.typical)[-1], max(self.typical.values()) / min(self.typical.values())
        beyond = self._factors(SLOWER, fastest)
        return Curve(tuple(rising[::-1]), asked, beyond, span if span > 1 else np.e, self._is_scaled)

    def _scaled(self, point: Point, ratio: float) -> Point:
        """The point for what is asked, `ratio` times the throughput by the decoding model.

        Its error is the spread of predicting one benchmark from another, whose bias is the other benchmark's: all of it
        for another model; for other lengths the more, the farther they take the throughput, up to FULL_ERROR times.
        """
        error = self._factors(MODEL, *self.typical)
        share = 1.0 if self._is_other_model else min(1.0, abs(np.log(ratio)) / np.log(FULL_ERROR)) if ratio > 0 else 1.0
        spread = (error.high / error.low) ** (share / 2)
        return replace(point, rate=point.rate * ratio, factors=point.factors * Interval(1 / spread, spread))

    def _point(self, accelerator: str, scenario: str) -> Point | None:
        """What systems of one kind gave in a scenario; where none ran it under load, the estimate."""
        point = self.measured(accelerator, scenario)
        if point and not point.rate.middle / point.speed < LEAST_IN_FLIGHT:
            return point
        estimate = self._estimate(accelerator, scenario)
        return estimate if estimate and not (point and point.rate.middle > estimate.rate.middle) else point

    def measured(self, accelerator: str, scenario: str) -> Point | None:
        """The median of official systems; documents' figures from the lowest to the highest."""
        places = self._behind(accelerator, scenario)
        if not len(places):
            return None
        low, high, speed, least = (self._columns[name][places] for name in (*RATE, SPEED, LEAST_SPEED))
        is_official = bool(self._candidates.official[places].all())
        rate = Interval(np.median(low), np.median(high)) if is_official else Interval(low.min(), high.max())
        factors = self._factors(NEW, scenario) if is_official else EXACT
        words = f"{self._candidates.scope(accelerator, places, self._scenarios[scenario])} ({scenario})"
        return Point(float(np.median(speed)), rate, factors, places, MEASURED, words, float(np.median(least)))

    def _estimate(self, accelerator: str, scenario: str) -> Point | None:
        """From the accelerator's Offline systems of one kind; where it has none, from other accelerators alone."""
        offline = self._behind(accelerator, OFFLINE)
        systems = {*self._columns["system_key"][offline]}
        found = self._estimated.get((accelerator, scenario), [])
        known = [each["rate"] for each in found if each["system_key"] in systems]
        question = KNOWN if known else NONE
        rates = known or [each["rate"] for each in found if each["question"] == NONE]
        if not rates:
            return None
        rate, places = float(np.median(rates)), offline if known else offline[:0]
        words = f"estimate ({scenario}) from {'its Offline results and ' * bool(known)}other accelerators"
        factors = self._factors(question, scenario)
        return Point(self.typical[scenario], Interval(rate, rate), factors, places, ESTIMATE, words)

    @cached_property
    def metered(self) -> dict[str, pd.DataFrame]:
        """The power submissions of each accelerator; none where it has none."""
        none = self.power.head(0)
        return defaultdict(lambda: none, iter(self.power.groupby("accelerator", sort=False)))

    @cached_method
    def behind(self, places: tuple[int, ...]) -> Behind:
        """The rows at `places`, which many plans rest on."""
        return Behind(self._read.take(places), self, places)

    @cached_property
    def _read(self) -> pd.DataFrame:
        return self.rows[[name for name in READ if name in self.rows]]

    def _behind(self, accelerator: str, scenario: str) -> np.ndarray:
        return np.flatnonzero(self._candidates.of_rate(accelerator, self._scenarios[scenario]))

    @cached_property
    def _candidates(self) -> cost.Candidates:
        return cost.Candidates(self.rows)

    @cached_property
    def _scenarios(self) -> dict[str, np.ndarray]:
        return {name: self.rows["scenario"].eq(name).to_numpy("bool") for name in (OFFLINE, *LIMITED)}

    @cached_property
    def _columns(self) -> dict[str, np.ndarray]:
        texts = {name: self.rows[name].to_numpy("object") for name in ("system_key", "precision")}
        numbers = (*RATE, SPEED, LEAST_SPEED)
        return texts | {name: self.rows[name].to_numpy("float64", na_value=np.nan) for name in numbers}

    @cached_property
    def _estimated(self) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """The rows of `estimates` by accelerator and scenario."""
        rows: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for row in as_dicts(self.estimates):
            rows[row["accelerator"], row["scenario"]].append(row)
        return rows

    @cached_property
    def _errors(self) -> dict[tuple[str, str], tuple[float, float]]:
        known = self.bands.dropna().itertuples(index=False)
        return {(row.question, row.scenario): (row.low, row.high) for row in known}

    def _factors(self, question: str, *scenarios: str) -> Interval:
        """The ends to draw from of the errors of like predictions in any of the scenarios; where unknown, none."""
        ends = [self._errors[question, name] for name in scenarios if (question, name) in self._errors]
        if not ends:
            return EXACT
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        return Band(Interval(low, high), 0).drawn

    @cached_property
    def _is_other_model(self) -> bool:
        own = self.decoder.identities[self.chosen.question.benchmark]
        sizes = ("parameters_billion", "active_parameters_billion")
        return not all(self.identity[name] == own[name] or pd.isna(self.identity[name]) for name in sizes)

    @cached_property
    def _is_scaled(self) -> bool:
        own = self.decoder.lengths(self.chosen.question.benchmark)
        is_same = np.allclose(astuple(self.requests.lengths), astuple(own), rtol=SAME_LENGTHS, equal_nan=True)
        return self._is_other_model or not is_same

    def _decoders(self, accelerator: str) -> tuple[Decoding | None, Decoding | None]:
        """The decoding model of the benchmark, and that of what is asked."""
        stated = max(self._columns["precision"][self._candidates.accelerator == accelerator], default="")
        own = self.decoder.at(accelerator, self.chosen.question.benchmark, stated)
        if not self._is_scaled:
            return own, own
        facts, most = self.decoder.facts[accelerator], decoding.group(accelerator)
        return own, decoding.decoding(facts, self.identity, self.cache, stated, self.requests.lengths, most)


def evidence(tables: Tables, asked: RealWorldDerating, models: pd.DataFrame) -> Evidence:
    """The parts of curves for what `asked` asks; `models` are the benchmarks, one with the size of the model asked."""
    question = selection.ask(asked, accelerators=())  # what several nodes keep is the same whichever are shown
    selected = {name: selection.select(tables, replace(question, scenario=name)) for name in (OFFLINE, *LIMITED)}
    chosen, limits = selected[asked.scenario], (tables.benchmark_limits, asked.rounds)
    rows = pd.concat([comparison.rows for comparison in selected.values()], ignore_index=True)
    metered = replace(question, power=True, rounds=(), origins=("official",))
    scenarios = LIMITED[LIMITED.index(asked.scenario) :] if chosen.unit == TOKENS else (asked.scenario,)
    power = pd.concat([selection.select(tables, replace(metered, scenario=name)).rows for name in scenarios])
    decoder = Decoder(tables)
    rows, typical = _with_speeds(rows, decoder, tables.benchmark_limits, asked)
    rows = rows.assign(**{FIRST_TOKEN: benchmark_rules.first_token_ms(rows, *limits)})
    typical = typical if chosen.unit == TOKENS else {}
    if asked.lengths:
        tables.used[asked.lengths] = sha256_of(DATA / asked.lengths)
    means = asked.prompt_tokens, asked.tokens_per_request
    rated = asked.benchmark if typical and "official" in asked.origins else ""
    return Evidence(
        chosen=replace(chosen, rows=rows[rows["scenario"].eq(asked.scenario)]),
        rows=rows,
        power=power.assign(**{SPEED: benchmark_rules.interactivity_bounds(power, *limits)["speed"]}),
        typical=typical,
        estimates=prediction.estimates(tables, rated, *asked.rounds),
        bands=prediction.bands(tables, asked.benchmark),
        decoder=decoder,
        requests=requests(asked.lengths) if asked.lengths else decoder.requests(asked.benchmark, *means),
        identity=models.set_index("benchmark", drop=False).loc[asked.benchmark].to_dict(),
        cache=memory.model(models, asked.benchmark, 1.0, 1.0) if typical else None,
    )


def drawn(
    tables: Tables, benchmark: str, rounds: Sequence[str], accelerators: Sequence[str], percentile: str = "median"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The curves of accelerators as a chart shows them: their measured points, Offline first, and the estimates.

    Points: accelerator, scenario, speed (tokens/s per user at the median or p99, without a log the scenario's limit,
    NaN in Offline), is_bound (without a log), rate_low/high, round, source_ids, notes. Estimates: accelerator, speed,
    rate_low/high from the last measured point on, from the first point where one is an estimate, at STEPS speeds up to
    REACH times the fastest point of all. No rows of a benchmark without tokens.
    """
    asked = RealWorldDerating(benchmark=benchmark, rounds=list(rounds), interactivity=percentile)
    known = evidence(tables, asked, tables.benchmarks)
    every = {name: known.curve(name) for name in (accelerators if known.typical else ())}
    points, estimates = [], []
    end = REACH * max((point.speed for each in every.values() for point in each.points), default=np.nan)
    for name, each in every.items():
        measured = [point for point in each.points if point.evidence == MEASURED]
        offline = known.measured(name, OFFLINE) if measured else None
        for point in ([offline] if offline else []) + measured:
            rows = known.rows.take(point.places)
            facts = {"scenario": rows["scenario"].iloc[0], "round": names(rows["round"].unique())}
            told = {"source_ids": several(rows["source_id"]), "notes": notes.union(rows["notes"])}
            ends = {"speed": point.least, "rate_low": point.rate.low, "rate_high": point.rate.high}
            ends |= {IS_BOUND: bool(rows[IS_BOUND].any())}
            points.append({"accelerator": name} | ends | facts | told)
        if each.points:
            start = each.points[-1 if len(measured) == len(each.points) else 0].speed
            found = {speed: each.at(speed) for speed in np.linspace(start, end, STEPS)}
            estimates += [(name, speed, one.rate.low, one.rate.high) for speed, one in found.items() if one]
    columns = ["accelerator", "speed", "rate_low", "rate_high"]
    frame = pd.DataFrame(points, columns=[*columns, IS_BOUND, "scenario", "round", "source_ids", "notes"])
    return frame, pd.DataFrame(estimates, columns=columns)


def _with_speeds(
    rows: pd.DataFrame, decoder: Decoder, limits: pd.DataFrame, asked: RealWorldDerating
) -> tuple[pd.DataFrame, dict[str, float]]:
    """The rows with SPEED, the interactivity of each run, LEAST_SPEED, and IS_BOUND; the usual speed by scenario.

    By the run's own log, at the percentile asked for; a run without one has the limit of its scenario, at the median
    times what logged runs were faster than their limit: those of its accelerator where these are FEWEST_LOGGED, else
    all. Offline runs have none.
    """
    bounds = benchmark_rules.interactivity_bounds(rows, limits, asked.rounds, asked.interactivity)
    bounds = bounds.where(rows["scenario"].isin(LIMITED))
    limit, typical = MS_PER_SECOND / bounds["tpot_limit_ms"].astype("float64"), {}
    least, is_bound = bounds["speed"].astype("float64"), bounds["proof"].eq(benchmark_rules.LIMIT)
    speeds = least.mask(is_bound)
    for name in LIMITED:
        own = rows["scenario"].eq(name)
        over, of_each = 1.0, 1.0
        if asked.interactivity == "median" and (faster := (speeds / limit)[own].dropna()).size:
            over = float(faster.median())
            of_own = faster.groupby(rows["accelerator"]).agg(["median", "size"])
            of_own = of_own.loc[of_own["size"].ge(FEWEST_LOGGED), "median"]
            of_each = rows["accelerator"].map(of_own).fillna(over)
        speeds = speeds.fillna((limit * of_each).where(own))
        guaranteed = MS_PER_SECOND / decoder.limit_ms(asked.benchmark, name, asked.rounds)
        typical |= {name: guaranteed * over} if guaranteed == guaranteed else {}
    return rows.assign(**{SPEED: speeds, LEAST_SPEED: least, IS_BOUND: is_bound}), typical


def _power(ends: Interval, exponent: float) -> Interval:
    return Interval(ends.low**exponent, ends.high**exponent)
