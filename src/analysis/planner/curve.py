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

import numpy as np
import pandas as pd

from analysis import interactivity as runs_of
from analysis import names, tables
from analysis.compare import USUAL_SIZE
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
NO_RUN = ["scenario", "round", "submitter", "system", "precision"]  # facts that are "" without one
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
        self.benchmark = rows["benchmark"].iloc[0]
        self.limits = runs_of.limits(self.benchmark)["interactivity"]
        self.own = () if self.limits.empty else (models.of_benchmark(self.benchmark), models.lengths_of(self.benchmark))
        self.workload = None if workload and workload.is_as_run else workload
        rows = rows[READ].assign(precision=_precisions(rows))
        self.frontier = runs_of.frontier(rows)
        self.segments = _segments(_points(rows, self.frontier, accelerators), self.benchmark)
        self.segments["roof"] = decoding.roofs(self.segments, *self.own) if self.own else np.nan
        self.without = [name for name in accelerators if not self.segments["accelerator"].eq(name).any()]

    def at(self, interactivity: float | Iterable[float]) -> pd.DataFrame:
        """Return the frame of `throughput_at`."""
        asked = [interactivity] if np.isscalar(interactivity) else list(interactivity)
        if not asked:
            raise ValueError("interactivity: none is given; expected tokens/s per user, 0 for no limit")
        speeds = [float(speed if speed == 0 else names.number(speed, "interactivity", *SPEEDS)) for speed in asked]
        found = self._of_workload(speeds) if self.workload else self._as_run(speeds)
        known, ids = found["reason"].eq(""), zip(found["slower_id"], found["id"], strict=True)
        found = found.assign(
            throughput=found["throughput"].where(known), evidence=found["evidence"].where(known, ""),
            low=found["throughput"].where(known) * np.exp(-np.sqrt(found["below"])),
            high=found["throughput"].where(known) * np.exp(np.sqrt(found["above"])),
            ids=[[each for each in pair if each] if fine else [] for pair, fine in zip(ids, known, strict=True)],
        )  # fmt: skip
        no_sheet = found["reason"].eq(NO_DATASHEET)
        found["reason"] = found["reason"].mask(no_sheet, found["accelerator"].map(no_model))
        missing = pd.MultiIndex.from_product([self.without, speeds], names=["accelerator", "interactivity"])
        missing = missing.to_frame(index=False).assign(evidence="", **dict.fromkeys(NO_RUN, ""))
        missing = missing.assign(reason=missing["accelerator"].map(no_model), ids=[[] for _ in missing.index])
        frame = pd.concat([found[COLUMNS], missing]) if len(missing) else found[COLUMNS]
        frame = frame.merge(runs_of.bounds(self.frontier, speeds), how="left", on=["interactivity", "accelerator"])
        most = frame[["throughput", "upper"]].max(axis=1).where(frame["evidence"].eq(INTERPOLATED), np.inf)
        frame["high"] = frame["high"].clip(upper=most)
        by = ["interactivity", "throughput"]
        return frame.sort_values(by, ascending=[True, False], kind="stable", ignore_index=True)

    def _as_run(self, speeds: Iterable[float]) -> pd.DataFrame:
        """Return throughput of the benchmark's own workload with the run behind it, one row per accelerator and speed.

        `below` and `above` are the squared logarithms of P10 and P90 over the throughput, which add up over errors.
        """
        curves = self.segments[["accelerator"]].drop_duplicates()
        asked = pd.DataFrame({"interactivity": np.unique(list(speeds))}).merge(curves, how="cross")
        at = pd.merge_asof(
            asked, self.segments.drop(columns="interactivity").sort_values("end"), by="accelerator",
            left_on="interactivity", right_on="end", direction="forward",
        )  # fmt: skip
        speed = at["interactivity"]
        between = speed.lt(at["start"] * (1 - ROUNDING)) & at["slower_interactivity"].lt(at["start"])
        way = ((speed - at["slower_interactivity"]) / (at["start"] - at["slower_interactivity"])).where(between, 1.0)
        interpolated = between & at["evidence"].eq(MEASURED)
        below, above = _squared(prediction.band(prediction.BETWEEN, self.benchmark, "Server"))
        at = at.assign(
            throughput=at["slower_throughput"] ** (1 - way) * at["throughput"] ** way,
            evidence=at["evidence"].mask(interpolated, INTERPOLATED),
            slower_id=at["slower_id"].where(between, ""),
            below=at["below"] + at["slower_below"].where(between, 0.0) + below * interpolated,
            above=at["above"] + at["slower_above"].where(between, 0.0) + above * interpolated,
            modeled=self._modeled(at, speed), reason="",
        )  # fmt: skip
        beyond = speed.gt(at["reach"])
        return self._beyond(at, beyond) if beyond.any() else at

    def _beyond(self, at: pd.DataFrame, beyond: pd.Series) -> pd.DataFrame:
        """Continue curves beyond their fastest point by the decoding model.

        What the model misses in the middle and its error grow with the ratio of interactivities; on the record they are
        those of the Interactive limit over the Server limit.
        """
        speed, last = at["interactivity"], at["fastest"].clip(lower=decoding.SPEEDS[0])
        span = self.limits.max() / self.limits.min() if self.limits.nunique() > 1 else np.e
        power = np.log((speed / last).where(beyond, 1.0)) / np.log(span)
        low, middle, high = np.log(prediction.band(prediction.BEYOND, self.benchmark, "Interactive"))
        at_last = self._modeled(at, at["fastest"])
        no_rate = np.isnan(at_last) | (at_last == 0)
        reasons = {
            NO_LIMITS: beyond & self.limits.empty,
            NO_DATASHEET: beyond & no_rate,
            TOO_FAST: beyond & speed.ge(at["roof"]),
        }
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(beyond, at["modeled"] / at_last, 1.0) * np.exp(middle * power)
        return at.assign(
            throughput=at["throughput"] * ratio,
            evidence=at["evidence"].mask(beyond, ESTIMATED),
            below=at["below"] + np.minimum((low - middle) * power, 0.0) ** 2,
            above=at["above"] + np.maximum((high - middle) * power, 0.0) ** 2,
            reason=np.select(list(reasons.values()), list(reasons), ""),
        )

    def _modeled(self, at: pd.DataFrame, speeds: pd.Series) -> np.ndarray:
        """Return what the decoding model says of the benchmark's own workload; NaN where it says nothing."""
        if self.limits.empty:
            return np.full(len(at), np.nan)
        return decoding.rates(at[decoding.SETUP], *self.own, speeds)

    def _of_workload(self, speeds: list[float]) -> pd.DataFrame:
        """Return `_as_run` scaled to the workload: the decoding model's ratio to the benchmark's own."""
        workload = self.workload
        slower = decoding.SPEEDS[max(speeds) > decoding.SPEEDS][::4]
        at = self._as_run([*slower, *speeds])
        setups = at[decoding.SETUP]
        setups = setups.assign(weights=workload.precision) if workload.precision else setups
        asked = decoding.rates(setups, workload.model, workload.lengths, at["interactivity"])
        roof = decoding.roofs(setups, workload.model, workload.lengths)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = asked / at["modeled"]
            change = np.abs(np.log(ratio))
        other = (change > SAME_LENGTHS) | (not workload.is_benchmark)
        # A slower user never costs more, though the benchmark's own model may fall before the asked one does.
        least = (at["throughput"] * ratio).groupby(at["accelerator"]).cummin()
        part = np.minimum(change / ALL_OF_THE_ERROR, 1.0) if workload.is_benchmark else 1.0
        low, high = (
            at["scenario"].map(
                {
                    name: np.log(prediction.band(prediction.OTHER_MODEL, self.benchmark, name))[mark]
                    for name in at["scenario"].unique()
                }
            )
            for mark in (0, 2)
        )
        spread = ((high - low) * part / 2) ** 2  # around 1: where its middle lies is the other benchmark's matter
        nothing = asked * at["modeled"].to_numpy()
        reasons = {
            NO_DATASHEET: at["reason"].eq("") & np.isnan(nothing),
            TOO_FAST: at["reason"].eq("") & (nothing == 0) & at["interactivity"].ge(roof),
            TOO_LONG: at["reason"].eq("") & (nothing == 0),
        }
        at = at.assign(
            throughput=at["throughput"].mask(other, least), evidence=at["evidence"].mask(other, ESTIMATED), roof=roof,
            below=at["below"] + spread.where(other, 0.0), above=at["above"] + spread.where(other, 0.0),
            reason=np.select(list(reasons.values()), list(reasons), at["reason"]),
        )  # fmt: skip
        return at[at["interactivity"].isin(speeds)]


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
    curves = [_on_curve(own) for _, own in measured.groupby("accelerator")]
    on_curve = pd.concat(curves, ignore_index=True)
    if limits.empty:
        return on_curve
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
    found = pd.concat([on_curve, estimated], ignore_index=True)
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


def _on_curve(runs: pd.DataFrame) -> pd.DataFrame:
    """Return those of an accelerator's frontier, slowest first, that its curve goes through, with their `start`.

    The highest of each scenario, those that are faster than these, and those above the line between their neighbors,
    the farthest above first.
    """
    kept = ~runs["scenario"].duplicated().to_numpy()  # on a frontier the slowest has the most throughput
    speed, rate = runs["interactivity"].to_numpy(), np.log(runs["throughput"].to_numpy())
    start = np.where(kept, runs["start"], speed)
    while True:
        ends = np.column_stack([start[kept], speed[kept]]).ravel()
        above = np.where(kept, -np.inf, rate - np.interp(speed, ends, np.repeat(rate[kept], 2), right=-np.inf))
        if not (above > 0).any():
            return runs.assign(start=start)[kept]
        kept[np.flatnonzero(above == above.max())[-1]] = True


def _segments(points: pd.DataFrame, benchmark: str) -> pd.DataFrame:
    """Return the points of each curve, slowest first, each with the slower one before it (itself for the first).

    Added columns: below and above (squared logarithms of P10 and P90), `slower_...` of the point before, end (the
    interactivity up to which it holds, infinite for the fastest), fastest (that of the last point) and reach (up to
    which it counts as reached), and the columns SETUP of the decoding model.
    """
    asked = points[["question", "scenario"]].drop_duplicates()
    bands = [_squared(prediction.band(question, benchmark, scenario)) for question, scenario in asked.to_numpy()]
    asked = asked.assign(below=[below for below, _ in bands], above=[above for _, above in bands])
    points = points.merge(asked, how="left", on=["question", "scenario"])
    by = points.groupby("accelerator")
    read = ["interactivity", "throughput", "below", "above", "id"]
    slower = by[read].shift().fillna(points[read]).add_prefix("slower_")
    fastest = by["interactivity"].transform("max")
    reach = points["interactivity"] * (1 + ROUNDING)
    stated = points["precision"].replace("", np.nan).groupby(points["accelerator"]).transform("last").fillna("")
    setups = decoding.systems(points["accelerator"], stated, np.full(len(points), USUAL_SIZE))
    points = points.join(slower).assign(
        end=reach.where(points["accelerator"].duplicated(keep="last"), np.inf), fastest=fastest,
        reach=fastest * (1 + ROUNDING), weights=setups["weights"], group=setups["group"],
    )  # fmt: skip
    return points


def _squared(band: tuple[float, float, float]) -> tuple[float, float]:
    """Return the squared logarithms of P10 and P90 of a band; 0 for a side that lies beyond 1."""
    return min(np.log(band[0]), 0.0) ** 2, max(np.log(band[2]), 0.0) ** 2


def no_model(accelerator: str) -> str:
    """Return why the decoding model skips an accelerator."""
    facts = decoding.datasheet(accelerator)
    known = facts["memory_gb"] > 0 and facts["memory_bandwidth_gb_per_s"] > 0
    return TOO_SMALL if known else NO_DATASHEET


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
