"""Build the throughput curve of a benchmark's own workload, per accelerator over interactivity.

Runs become points, points become segments, and segments give one row for each accelerator and interactivity asked for.
curve.py defines the curve.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from analysis import interactivity as runs_of
from analysis import tables
from analysis.compare import USUAL_SIZE
from analysis.interactivity import ROUNDING
from analysis.planner import decoding, models, prediction
from analysis.quantization import doubts

MEASURED, CARRIED, INTERPOLATED, ESTIMATED = "measured", "carried", "interpolated", "estimated"
GAIN = ["gain", "gain_low", "gain_high"]  # carried rate over the run's own, and P10 and P90 of true over carried rate
RUN = ["round", "submitter", "system", "accelerator_count", "precision"]
FACTS = ["scenario", *RUN]  # of the run behind a throughput
READ = [  # of runs
    "id", "benchmark", "accelerator", "interactivity", "rate_per_accelerator", "availability", "hypervisor",
    "framework", "serving_software", *FACTS,
]  # fmt: skip
NO_LIMITS = "no interactivity is known: the benchmark limits no time per token"
NO_DATASHEET = "no run reaches this interactivity, and there is no datasheet to estimate from"
TOO_FAST = "faster than memory bandwidth and layers allow"


class AsRun:
    """The curves of one benchmark's own workload."""

    def __init__(self, rows: pd.DataFrame, accelerators: Iterable[str] = ()) -> None:
        self.benchmark = rows["benchmark"].iloc[0]
        self.limits = runs_of.limits(self.benchmark)["interactivity"]
        self.own = () if self.limits.empty else (models.of_benchmark(self.benchmark), models.lengths_of(self.benchmark))
        self.is_mixture = bool(self.own) and self.own[0].is_mixture
        rows = rows.reindex(columns=[*READ, *GAIN], fill_value=1.0).assign(precision=_precisions(rows))
        self.frontier = runs_of.frontier(rows)
        self.segments = _segments(_points(rows, self.frontier, accelerators), self.benchmark)
        self.segments["roof"] = decoding.roofs(self.segments, *self.own) if self.own else np.nan

    def at(self, speeds: Iterable[float]) -> pd.DataFrame:
        """Return throughput of the benchmark's own workload with the run behind it, one row per accelerator and speed.

        `below` and `above` are the squared logarithms of P10 and P90 over the throughput; they add up over independent
        errors.
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
        interpolated = between & at["evidence"].ne(ESTIMATED)
        below, above = _squared(prediction.error_of(prediction.BETWEEN, self.benchmark, "Server"))
        at = at.assign(
            throughput=at["slower_throughput"] ** (1 - way) * at["throughput"] ** way,
            gain=at["slower_gain"] ** (1 - way) * at["gain"] ** way,
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

        The model's median bias and its error grow with the ratio of interactivities; on the record they are those of
        the Interactive limit over the Server limit.
        """
        speed, last = at["interactivity"], at["fastest"].clip(lower=decoding.SPEEDS[0])
        span = self.limits.max() / self.limits.min() if self.limits.nunique() > 1 else np.e
        power = np.log((speed / last).where(beyond, 1.0)) / np.log(span)
        error = prediction.error_of(prediction.BEYOND, self.benchmark, "Interactive")
        low, middle, high = np.log(error[["low", "middle", "high"]].astype(float))
        at_last = self._modeled(at, at["fastest"])
        no_rate = np.isnan(at_last) | (at_last == 0)
        reasons = {
            NO_LIMITS: beyond & self.limits.empty,
            NO_DATASHEET: beyond & no_rate,
            TOO_FAST: beyond & (speed.ge(at["roof"]) | at["modeled"].eq(0)),
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
        """Return the decoding model's throughput of the benchmark's own workload; NaN where it has none."""
        if self.limits.empty:
            return np.full(len(at), np.nan)
        return decoding.rates(at[decoding.SETUP], *self.own, speeds)


def _points(rows: pd.DataFrame, frontier: pd.DataFrame, accelerators: Iterable[str]) -> pd.DataFrame:
    """Return the runs of the frontier, and estimates at the limits of scenarios where no run is so fast.

    By accelerator, lowest interactivity first. Columns beside those of the run: throughput, start (the lowest
    interactivity at which it holds), question (key of its prediction error), evidence.
    """
    benchmark = rows["benchmark"].iloc[0]
    limits = runs_of.limits(benchmark).set_index("scenario")["interactivity"]
    measured = frontier.assign(
        round=frontier["round"].astype(str),
        throughput=frontier["rate_per_accelerator"],
        start=frontier["scenario"].map(limits).fillna(0.0).clip(upper=frontier["interactivity"]),
        question=prediction.OTHER_SYSTEM,
        evidence=np.where(frontier["gain_low"].lt(1), CARRIED, MEASURED),
    )
    # Lower interactivity never costs more: a run under a limit that beats Offline also holds without one.
    highest = measured.groupby("accelerator")["throughput"].transform("max")
    beaten = measured["scenario"].eq("Offline") & measured["throughput"].lt(highest)
    curves = [_on_curve(own) for _, own in measured[~beaten].groupby("accelerator")]
    on_curve = pd.concat(curves, ignore_index=True)
    if limits.empty:
        return on_curve
    offline = measured[measured["scenario"].eq("Offline")].set_index("accelerator")
    systems = offline[["id", *RUN, *GAIN]].assign(software=prediction.software(offline), offline=offline["throughput"])
    systems = systems.reindex(list(dict.fromkeys([*measured["accelerator"], *accelerators]))).reset_index()
    texts = dict.fromkeys(("id", "submitter", "system", "precision", "software"), "")
    systems = systems.fillna(texts | dict.fromkeys(GAIN, 1.0) | {"round": str(rows["round"].max())})
    stated = systems["precision"]
    systems["precision"] = stated.mask(stated.eq(""), _of_family(rows, systems["accelerator"]))
    estimated = prediction.estimates(benchmark, systems)
    fastest = estimated["accelerator"].map(measured.groupby("accelerator")["interactivity"].max())
    estimated = estimated[~estimated["interactivity"].le(fastest)]
    estimated = estimated.assign(start=estimated["interactivity"], evidence=ESTIMATED)
    found = pd.concat([on_curve, estimated], ignore_index=True)
    found = found.sort_values(["accelerator", "interactivity"], kind="stable", ignore_index=True)
    # Lower interactivity never costs more: an estimate is no higher than what slower runs reach.
    slower = found.groupby("accelerator")["throughput"].cummin()
    return found.assign(throughput=found["throughput"].where(found["evidence"].ne(ESTIMATED), slower))


def _precisions(rows: pd.DataFrame) -> pd.Series:
    """Return the precision that runs state, with doubtful labels replaced by the benchmark's most common one."""
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
    """Return the runs of an accelerator's frontier that its curve passes through, with their `start`, slowest first.

    The highest of each scenario, those that are faster than these, and those above the line between their neighbors,
    added farthest first.
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
    interactivity up to which it holds, infinite for the fastest), fastest (interactivity of the last point), reach
    (highest interactivity that counts as reached), and the columns SETUP of the decoding model.
    """
    asked = points[["question", "scenario"]].drop_duplicates()
    bands = [_squared(prediction.error_of(question, benchmark, scenario)) for question, scenario in asked.to_numpy()]
    asked[["below", "above"]] = bands
    points = points.merge(asked, how="left", on=["question", "scenario"])
    points["below"] += np.log(points["gain_low"]) ** 2
    points["above"] += np.log(points["gain_high"]) ** 2
    by = points.groupby("accelerator")
    read = ["interactivity", "throughput", "below", "above", "id", "gain"]
    slower = by[read].shift().fillna(points[read]).add_prefix("slower_")
    fastest = by["interactivity"].transform("max")
    reach = points["interactivity"] * (1 + ROUNDING)
    stated = points["precision"].replace("", np.nan).groupby(points["accelerator"]).transform("last").fillna("")
    setups = decoding.setups(points["accelerator"], stated, np.full(len(points), USUAL_SIZE))
    points = points.join(slower).assign(
        end=reach.where(points["accelerator"].duplicated(keep="last"), np.inf), fastest=fastest,
        reach=fastest * (1 + ROUNDING), weights=setups["weights"], group=setups["group"],
    )  # fmt: skip
    return points


def _squared(error: pd.Series) -> tuple[float, float]:
    """Return the squared logarithms of P10 and P90 of an error; 0 for a P10 above 1 or a P90 below 1."""
    return min(np.log(error["low"]), 0.0) ** 2, max(np.log(error["high"]), 0.0) ** 2
