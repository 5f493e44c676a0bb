"""Throughput per accelerator at an interactivity: the one curve that reports, commands, and the explorer read.

A curve goes through the highest run of each scenario, which holds its throughput from the scenario's limit up to its
own interactivity at p99 (measured), and through every run above the line between these. Between runs the logarithm of
throughput is linear in interactivity, from Offline at 0 on (interpolated). Beyond the fastest run are estimates at the
limits of tighter scenarios (prediction.py), then the decoding model (estimated). Low and high are P10 and P90 of the
errors of such values on the record (data/prediction_errors.csv).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from analysis import interactivity as runs_of
from analysis import names, tables
from analysis.interactivity import ROUNDING
from analysis.planner import decoding, models, prediction
from analysis.quantization import doubts
from analysis.results import timed_benchmarks

MEASURED, INTERPOLATED, ESTIMATED = "measured", "interpolated", "estimated"
SPEEDS = 0.01, 1e6  # tokens/s per user that may be asked for
SAME_LENGTHS = 0.01  # change of throughput below which a model and its lengths count as the benchmark's own
ALL_OF_THE_ERROR = np.log(2)  # change of throughput (log) by other lengths at which the error is that of another model
RUN = ["round", "submitter", "system", "accelerator_count", "precision"]
FACTS = ["scenario", *RUN]  # of the run behind a throughput
NO_RUN = "", "", "", "", np.nan, ""
_facts = attrgetter(*FACTS)
READ = [  # of runs
    "id", "benchmark", "accelerator", "interactivity", "rate_per_accelerator", "availability", "hypervisor",
    "framework", "serving_software", *FACTS,
]  # fmt: skip
COLUMNS = ["interactivity", "accelerator", "throughput", "low", "high", "evidence", "roof", *FACTS, "ids", "reason"]
NO_LIMITS = "no interactivity is known: the benchmark limits no time per token"
NO_DATASHEET = "no run so fast, and no datasheet to estimate from"
NO_COMPUTE = "no datasheet that says its memory and compute"
TOO_SMALL = "neither a node nor a rack holds the weights and one request"
TOO_FAST = "faster than memory bandwidth allows"
TOO_LONG = "prompts of this length leave no time for answers this fast"
Band = tuple[float, float, float]
AsRun = tuple[float, list[Any], str, list[Band]]


@dataclass(frozen=True)
class Workload:
    """What is served: a model planned with a benchmark's runs, lengths of requests, precision of weights ("": any)."""

    model: models.Model
    lengths: models.Lengths
    precision: str = ""

    @property
    def is_benchmark(self) -> bool:
        """Whether the model is the benchmark's own."""
        return self.model == models.of_benchmark(self.model.benchmark)

    @property
    def is_as_run(self) -> bool:
        """Whether model, lengths, and precision are those of the benchmark's runs."""
        return self == workload(self.model.benchmark)


def throughput_at(
    rows: pd.DataFrame,
    interactivity: float | Iterable[float],
    *,
    accelerators: Iterable[str] = (),
    workload: Workload | None = None,
) -> pd.DataFrame:
    """Return the output tokens/s per accelerator at each interactivity (tokens/s per user; 0: no limit), highest first.

    `rows` as `interactivity.runs` returns them. `accelerators` names others, which are estimated without any run, or
    have a reason. `workload` replaces the benchmark's model, lengths, and precision; it scales the curve by the
    decoding model.

    Columns: interactivity, accelerator, throughput with low and high (P10, P90), evidence (MEASURED, INTERPOLATED,
    ESTIMATED, "" where unknown), roof (tokens/s per user that memory bandwidth allows), the scenario, round, submitter,
    system, accelerator_count, and precision of the run that it rests on, ids of all such runs, reason (why a throughput
    is unknown), lower and upper (what faster and slower runs prove, see `interactivity.bounds`; of the benchmark's own
    workload).
    """
    return Curves(rows, accelerators, workload).at(interactivity)


class Curves:
    """The curves of all accelerators that ran a benchmark, and of others by estimates: what `throughput_at` reads."""

    def __init__(self, rows: pd.DataFrame, accelerators: Iterable[str] = (), workload: Workload | None = None) -> None:
        benchmark = rows["benchmark"].iloc[0]
        workload = None if workload and workload.is_as_run else workload
        rows = rows[READ].assign(precision=_precisions(rows))
        self._frontier = runs_of.frontier(rows)
        points = _points(rows, self._frontier, accelerators).itertuples(index=False)
        by_accelerator = groupby(points, attrgetter("accelerator"))
        self._curves = {name: _Curve(benchmark, name, list(own), workload) for name, own in by_accelerator}
        self._without = [name for name in accelerators if name not in self._curves]

    def at(self, interactivity: float | Iterable[float]) -> pd.DataFrame:
        """Return the frame of `throughput_at`."""
        asked = [interactivity] if np.isscalar(interactivity) else list(interactivity)
        if not asked:
            raise ValueError("interactivity: none is given; expected tokens/s per user, 0 for no limit")
        speeds = [float(speed if speed == 0 else names.number(speed, "interactivity", *SPEEDS)) for speed in asked]
        found = [(speed, name, *curve.at(speed)) for name, curve in self._curves.items() for speed in speeds]
        found += [(speed, name, *_unknown(no_model(name))) for name in self._without for speed in speeds]
        frame = pd.DataFrame(found, columns=COLUMNS)
        frame = frame.merge(runs_of.bounds(self._frontier, speeds), how="left", on=["interactivity", "accelerator"])
        most = frame[["throughput", "upper"]].max(axis=1).where(frame["evidence"].eq(INTERPOLATED), np.inf)
        frame["high"] = frame["high"].clip(upper=most)
        by = ["interactivity", "throughput"]
        return frame.sort_values(by, ascending=[True, False], kind="stable", ignore_index=True)


def _points(rows: pd.DataFrame, frontier: pd.DataFrame, accelerators: Iterable[str]) -> pd.DataFrame:
    """Return the runs of the frontier, and estimates at the limits of scenarios where no run is so fast.

    By accelerator, slowest first. Columns beside those of the run: throughput, start (the interactivity from which the
    run holds it), question (that of its error), evidence.
    """
    benchmark = rows["benchmark"].iloc[0]
    limits = runs_of.limits(benchmark).set_index("scenario")["interactivity"]
    measured = frontier.assign(
        round=frontier["round"].astype(str),
        throughput=frontier["rate_per_accelerator"],
        start=frontier["scenario"].map(limits).fillna(0.0).clip(upper=frontier["interactivity"]),
        question=prediction.OTHER_SYSTEM,
        evidence=MEASURED,
    )
    if limits.empty:
        return measured
    offline = measured[measured["scenario"].eq("Offline")].set_index("accelerator")
    systems = offline[["id", *RUN]].assign(software=prediction.software(offline), offline=offline["throughput"])
    systems = systems.reindex(list(dict.fromkeys([*measured["accelerator"], *accelerators]))).reset_index()
    texts = dict.fromkeys(("id", "submitter", "system", "precision", "software"), "")
    systems = systems.fillna(texts | {"round": str(rows["round"].max())})
    stated = systems["precision"]
    systems["precision"] = stated.mask(stated.eq(""), _of_family(rows, systems["accelerator"]))
    estimated = prediction.estimates(benchmark, systems)
    fastest = estimated["accelerator"].map(measured.groupby("accelerator")["interactivity"].max())
    estimated = estimated[~estimated["interactivity"].le(fastest)]
    estimated = estimated.assign(start=estimated["interactivity"], evidence=ESTIMATED)
    found = pd.concat([measured, estimated], ignore_index=True)
    found = found.sort_values(["accelerator", "interactivity"], kind="stable", ignore_index=True)
    # A slower user never costs more: an estimate is no higher than what slower runs reach.
    slower = found.groupby("accelerator")["throughput"].cummin()
    return found.assign(throughput=found["throughput"].where(found["evidence"].eq(MEASURED), slower))


def _precisions(rows: pd.DataFrame) -> pd.Series:
    """Return the precision that runs state, of labels that cannot be right that of most other runs of the benchmark."""
    doubted = doubts(rows).ne("")
    most = rows.loc[~doubted & rows["precision"].ne(""), "precision"].mode()
    return rows["precision"].mask(doubted, next(iter(most), ""))


def _of_family(rows: pd.DataFrame, accelerators: pd.Series) -> np.ndarray:
    """Return the precision that most runs on accelerators of the same family state, "" for none."""
    families = tables.accelerators.set_index("label")["family"]
    stated = rows[rows["precision"].ne("")]
    most = stated["precision"].groupby(stated["accelerator"].map(families)).agg(lambda each: each.mode().iloc[0])
    return most.reindex(families.reindex(accelerators)).fillna("").to_numpy()


def _through(runs: list[Any]) -> list[Any]:
    """Return those of an accelerator's frontier, slowest first, that its curve goes through.

    The highest of each scenario, those that are faster than these, and those above the line between their neighbors,
    the farthest above first.
    """
    highest = {run.scenario: run for run in reversed(runs)}  # on a frontier the slowest has the most throughput
    kept = [run for run in runs if run is highest[run.scenario]]
    others = [run._replace(start=run.interactivity) for run in runs if run is not highest[run.scenario]]
    while others:
        ends = [end for run in kept for end in (run.start, run.interactivity)]
        rates = np.repeat([run.throughput for run in kept], 2)
        line = np.interp([run.interactivity for run in others], ends, np.log(rates), right=-np.inf)
        above = dict(zip(others, np.log([run.throughput for run in others]) - line, strict=True))
        others = sorted((run for run in others if above[run] > 0), key=lambda run: (above[run], run.interactivity))
        kept = sorted([*kept, *others[-1:]], key=attrgetter("interactivity"))
        others = others[:-1]
    return kept


class _Curve:
    """The curve of one accelerator through its points, slowest first."""

    def __init__(self, benchmark: str, accelerator: str, points: list[Any], workload: Workload | None) -> None:
        self.benchmark, self.accelerator, self.workload = benchmark, accelerator, workload
        measured = [point for point in points if point.evidence == MEASURED]
        self.points = _through(measured) + points[len(measured) :]
        self.reach = np.array([point.interactivity for point in self.points]) * (1 + ROUNDING)
        self.limits = runs_of.limits(benchmark)["interactivity"].tolist()
        stated = next((point.precision for point in self.points[::-1] if point.precision), "")
        most = decoding.group(accelerator)
        self.own = self.asked = decoding.of_benchmark(accelerator, benchmark, stated, most) if self.limits else None
        if workload:
            precision = workload.precision or decoding.weights_in(accelerator, stated)
            self.asked = decoding.decoding(accelerator, workload.model, workload.lengths, precision, most)
        self.roof = self.asked.roof if self.asked else np.nan

    def at(self, speed: float) -> tuple:
        """Return the columns from throughput to reason."""
        if reason := self._unknown_because(speed):
            return _unknown(reason, self.roof, _facts(self.points[-1]))
        rate, used, evidence, bands = self._as_run(speed)
        if self.workload:
            ratio = self.asked.at(speed) / self.own.at(speed)
            if abs(np.log(ratio)) > SAME_LENGTHS or not self.workload.is_benchmark:
                # A slower user never costs more, though the benchmark's own model may fall before the asked one does.
                slower = decoding.SPEEDS[: np.searchsorted(decoding.SPEEDS, speed) : 4]
                rate = min(self._as_run(each)[0] * self.asked.at(each) / self.own.at(each) for each in (*slower, speed))
                bands.append(self._of_workload(ratio, used[-1].scenario))
                evidence = ESTIMATED
        low, high = _combined(bands)
        ids = [point.id for point in used if point.id]
        return rate, rate * low, rate * high, evidence, self.roof, *_facts(used[-1]), ids, ""

    def _unknown_because(self, speed: float) -> str:
        """Return why the throughput at an interactivity is unknown, "" where it is known."""
        if speed > self.reach[-1]:
            if not self.limits:
                return NO_LIMITS
            if self.own is None or not self.own.at(self.points[-1].interactivity):
                return no_model(self.accelerator)
            if speed >= self.own.roof:
                return TOO_FAST
        if self.workload:
            if self.own is None or self.asked is None:
                return no_model(self.accelerator)
            if not self.own.at(speed) or not self.asked.at(speed):
                return TOO_FAST if speed >= self.roof else TOO_LONG
        return ""

    def _as_run(self, speed: float) -> AsRun:
        """Return the throughput of the benchmark's own workload, the points behind it, its evidence, and bands."""
        place = np.searchsorted(self.reach, speed)
        if place == len(self.points):
            return self._beyond(speed)
        faster, slower = self.points[place], self.points[max(place - 1, 0)]
        start = max(faster.start, slower.interactivity)
        if slower is faster or speed >= start * (1 - ROUNDING):
            return faster.throughput, [faster], faster.evidence, [self._band(faster)]
        way = (speed - slower.interactivity) / (start - slower.interactivity)
        rate = slower.throughput ** (1 - way) * faster.throughput**way
        bands = [self._band(slower), self._band(faster)]
        if faster.evidence == ESTIMATED:
            return rate, [slower, faster], ESTIMATED, bands
        bands.append(prediction.band(prediction.BETWEEN, self.benchmark, "Server"))
        return rate, [slower, faster], INTERPOLATED, bands

    def _beyond(self, speed: float) -> AsRun:
        """Return the throughput beyond the fastest point by the decoding model, as `_as_run` does.

        What the model misses in the middle and its error grow with the ratio of interactivities; on the record they are
        those of the Interactive limit over the Server limit.
        """
        last = self.points[-1]
        span = max(self.limits) / min(self.limits) if len(set(self.limits)) > 1 else np.e
        power = np.log(speed / max(last.interactivity, decoding.SPEEDS[0])) / np.log(span)
        low, middle, high = prediction.band(prediction.BEYOND, self.benchmark, "Interactive")
        ratio = self.own.at(speed) / self.own.at(last.interactivity) * middle**power
        bands = [self._band(last), ((low / middle) ** power, 1.0, (high / middle) ** power)]
        return last.throughput * ratio, [last], ESTIMATED, bands

    def _band(self, point: Any) -> Band:
        """Return P10, P50, and P90 of actual over predicted for a point."""
        return prediction.band(point.question, self.benchmark, point.scenario)

    def _of_workload(self, ratio: float, scenario: str) -> Band:
        """Return the error of another model, or for other lengths the part of it by how much they change."""
        part = min(1.0, abs(np.log(ratio)) / ALL_OF_THE_ERROR) if self.workload.is_benchmark else 1.0
        low, _, high = prediction.band(prediction.OTHER_MODEL, self.benchmark, scenario)
        spread = (high / low) ** (part / 2)  # around 1: where its middle lies is the other benchmark's matter
        return 1 / spread, 1.0, spread


def no_model(accelerator: str) -> str:
    """Return why the decoding model skips an accelerator."""
    facts = decoding.datasheet(accelerator)
    known = facts["memory_gb"] > 0 and facts["memory_bandwidth_gb_per_s"] > 0
    return TOO_SMALL if known else NO_DATASHEET


def _unknown(reason: str, roof: float = np.nan, facts: tuple = NO_RUN) -> tuple:
    """Return the columns from throughput to reason where no throughput is known."""
    return np.nan, np.nan, np.nan, "", roof, *facts, [], reason


def _combined(bands: list[Band]) -> tuple[float, float]:
    """Return the band of independent errors: each side is the root of the sum of squares of the logarithms."""
    low, _, high = np.log(bands).T
    return np.exp(-np.hypot.reduce(np.minimum(low, 0.0))), np.exp(np.hypot.reduce(np.maximum(high, 0.0)))


def workload(
    benchmark: str = "", *, parameters: float = 0.0, active_parameters: float = 0.0, name: str = "",
    prompt_tokens: float = 0.0, answer_tokens: float = 0.0, lengths: str = "", precision: str = "",
) -> Workload:  # fmt: skip
    """Return what is served: a benchmark's model, or one of `parameters` billion planned with the nearest benchmark.

    Lengths are those of the benchmark's data set, or of the CSV file `lengths`, scaled to the means that are given.
    """
    if parameters:
        model = models.of_size(parameters, active_parameters, name, benchmark)
    else:
        known = timed_benchmarks()
        labels = tables.benchmarks.set_index("benchmark")["label"].reindex(known)
        by_label = {label.casefold(): key for key, label in labels.items()}
        benchmark = benchmark or by_label.get(name.casefold(), "")
        try:
            names.choose(benchmark or name, [*known, *labels], "language model")
        except ValueError as error:
            raise ValueError(f"{error}; another model needs its size in billions, --parameters") from None
        model = models.of_benchmark(benchmark)
    requests = models.read_requests(lengths) if lengths else models.requests_of(model.benchmark)
    return Workload(model, models.lengths(requests, prompt_tokens, answer_tokens), precision)
