"""Build the throughput curve of a benchmark's own workload, per accelerator over interactivity.

Runs become points, each point is joined with the slower one before it, and each interactivity asked for takes the point
that holds there. curve.py defines the curve.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

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
RUN = ["id", "round", "submitter", "system", "accelerator_count", "precision"]
NO_LIMITS = "no interactivity is known: the benchmark limits no time per token"
NO_DATASHEET = "no run reaches this interactivity, and there is no datasheet to estimate from"
TOO_FAST = "faster than memory bandwidth and layers allow"


class AsRun:
    """The curves of one benchmark's own workload, and estimated ones of other `accelerators`."""

    def __init__(self, rows: pd.DataFrame, accelerators: Iterable[str] = ()) -> None:
        self.benchmark = rows["benchmark"].iloc[0]
        self.limits = runs_of.limits(self.benchmark).set_index("scenario")["interactivity"]
        self.own = () if self.limits.empty else (models.of_benchmark(self.benchmark), models.lengths_of(self.benchmark))
        self.is_mixture = bool(self.own) and self.own[0].is_mixture
        rows = rows.assign(precision=_precisions(rows), software=prediction.software(rows))
        self.frontier = runs_of.frontier(rows.assign(**dict.fromkeys(set(GAIN).difference(rows), 1.0)))
        points = self._points(rows, accelerators)
        self.accelerators = [*dict.fromkeys([*points["accelerator"], *accelerators])]
        self.curves = self._joined(points)
        self.curves["roof"] = decoding.roofs(self.curves, *self.own) if self.own else np.nan

    def at(self, speeds: Iterable[float]) -> pd.DataFrame:
        """Return throughput of the benchmark's own workload with the run behind it, one row per accelerator and speed.

        `below` and `above` are the squared logarithms of P10 and P90 over the throughput; they add up over independent
        errors. Beyond the fastest point the decoding model continues the curve. Its median bias and its error grow with
        the ratio of interactivities; on the record they are those of the Interactive limit over the Server limit.
        """
        pairs = product(np.unique(list(speeds)), self.accelerators)
        asked = pd.DataFrame(pairs, columns=["interactivity", "accelerator"])
        at = pd.merge_asof(
            asked, self.curves.drop(columns="interactivity"), by="accelerator", left_on="interactivity",
            right_on="end", direction="forward",
        )  # fmt: skip
        speed = at["interactivity"]
        between = speed.lt(at["start"] * (1 - ROUNDING)) & at["slower_interactivity"].lt(at["start"])
        way = ((speed - at["slower_interactivity"]) / (at["start"] - at["slower_interactivity"])).where(between, 1.0)
        interpolated, beyond = between & at["evidence"].ne(ESTIMATED), speed.gt(at["reach"])
        below, above = _squared(prediction.error_of(prediction.BETWEEN, self.benchmark, "Server"))

        error = prediction.error_of(prediction.BEYOND, self.benchmark, "Interactive")
        low, middle, high = np.log(error[["low", "middle", "high"]].astype(float))
        span = self.limits.max() / self.limits.min() if self.limits.nunique() > 1 else np.e
        last = at["fastest"].clip(lower=decoding.SPEEDS[0])
        power = np.log((speed / last).where(beyond, 1.0)) / np.log(span)
        modeled, at_last = self._modeled(at, speed), self._modeled(at, at["fastest"])
        reasons = {
            NO_LIMITS: beyond & self.limits.empty,
            NO_DATASHEET: at["throughput"].isna() | beyond & np.isnan(at_last),
            TOO_FAST: beyond & (speed.ge(at["roof"]) | (modeled == 0)),
        }
        with np.errstate(divide="ignore", invalid="ignore"):
            continued = np.where(beyond, modeled / at_last * np.exp(middle * power), 1.0)
        return at.assign(
            throughput=at["slower_throughput"] ** (1 - way) * at["throughput"] ** way * continued,
            gain=at["slower_gain"] ** (1 - way) * at["gain"] ** way,
            evidence=at["evidence"].mask(interpolated, INTERPOLATED).mask(beyond, ESTIMATED),
            slower_id=at["slower_id"].where(between, ""),
            below=at["below"] + at["slower_below"].where(between, 0.0) + below * interpolated
            + ((low - middle) * power) ** 2,
            above=at["above"] + at["slower_above"].where(between, 0.0) + above * interpolated
            + ((high - middle) * power) ** 2,
            modeled=modeled, reason=np.select([*reasons.values()], [*reasons], ""),
        )  # fmt: skip

    def _modeled(self, at: pd.DataFrame, speeds: pd.Series) -> np.ndarray:
        """Return the decoding model's throughput of the benchmark's own workload; NaN where it has none."""
        return decoding.rates(at, *self.own, speeds) if self.own else np.full(len(at), np.nan)

    def _points(self, rows: pd.DataFrame, accelerators: Iterable[str]) -> pd.DataFrame:
        """Return the runs that curves pass through, and estimates at the limits of scenarios where no run is so fast.

        By accelerator, lowest interactivity first. Added columns: throughput, start (the lowest interactivity at which
        it holds), question (key of its prediction error), evidence.
        """
        frontier = self.frontier
        runs = frontier[["accelerator", "scenario", "interactivity", "software", *RUN, *GAIN]].assign(
            round=frontier["round"].astype(str),
            throughput=frontier["rate_per_accelerator"],
            start=np.fmin(frontier["scenario"].map(self.limits), frontier["interactivity"]),
            question=prediction.OTHER_SYSTEM,
            evidence=np.where(frontier["gain_low"].lt(1), CARRIED, MEASURED),
        )
        offline = runs["scenario"].eq("Offline")
        # Lower interactivity never costs more: a run under a limit that beats Offline also holds without one.
        beaten = offline & runs["throughput"].lt(runs.groupby("accelerator")["throughput"].transform("max"))
        on_curve = pd.concat([_on_curve(own) for _, own in runs[~beaten].groupby("accelerator")])
        if self.limits.empty:
            return on_curve
        named = dict.fromkeys([*runs["accelerator"], *accelerators])
        systems = runs[offline].set_index("accelerator").rename(columns={"throughput": "offline"})
        systems = systems[["software", *RUN, *GAIN, "offline"]].reindex([*named]).reset_index()
        systems = systems.fillna(dict.fromkeys(GAIN, 1.0) | {"round": str(rows["round"].max())})
        of_family = _of_family(rows, systems["accelerator"])
        systems["precision"] = systems["precision"].replace("", np.nan).fillna(of_family).fillna("")
        estimated = prediction.estimates(self.benchmark, systems)
        fastest = estimated["accelerator"].map(runs.groupby("accelerator")["interactivity"].max())
        estimated = estimated[~estimated["interactivity"].le(fastest)]
        estimated = estimated.assign(start=estimated["interactivity"], evidence=ESTIMATED)
        found = pd.concat([on_curve, estimated], ignore_index=True)
        found = found.sort_values(["accelerator", "interactivity"], kind="stable")
        # Lower interactivity never costs more: an estimate is no higher than what slower runs reach.
        slower = found.groupby("accelerator")["throughput"].cummin()
        return found.assign(throughput=found["throughput"].where(found["evidence"].ne(ESTIMATED), slower))

    def _joined(self, points: pd.DataFrame) -> pd.DataFrame:
        """Return the points by where they end, each with the slower one of its curve (itself for the first).

        Added columns: below and above (squared logarithms of P10 and P90), `slower_...` of the point before, end (the
        interactivity up to which it holds, infinite for the fastest), fastest (interactivity of the last point), reach
        (highest interactivity that counts as reached), and the columns SETUP of the decoding model.
        """
        errors = points[["question", "scenario"]].drop_duplicates()
        errors[["below", "above"]] = [
            _squared(prediction.error_of(question, self.benchmark, scenario))
            for question, scenario in errors.itertuples(index=False)
        ]
        points = points.merge(errors, on=["question", "scenario"])
        points["below"] += np.log(points["gain_low"]) ** 2
        points["above"] += np.log(points["gain_high"]) ** 2
        by = points.groupby("accelerator")
        read = ["interactivity", "throughput", "below", "above", "id", "gain"]
        slower = by[read].shift().fillna(points[read]).add_prefix("slower_")
        stated = points["precision"].replace("", np.nan).groupby(points["accelerator"]).transform("last").fillna("")
        setups = decoding.setups(points["accelerator"], stated, USUAL_SIZE)
        fastest, reach = by["interactivity"].transform("max"), points["interactivity"] * (1 + ROUNDING)
        end = reach.where(points["accelerator"].duplicated(keep="last"), np.inf)
        points = points.join(slower).join(setups[["weights", "group"]])
        return points.assign(end=end, fastest=fastest, reach=fastest * (1 + ROUNDING)).sort_values("end")


def _precisions(rows: pd.DataFrame) -> pd.Series:
    """Return the precision that runs state, with doubtful labels replaced by the benchmark's most common one."""
    doubted = doubts(rows).ne("")
    most = rows.loc[~doubted & rows["precision"].ne(""), "precision"].mode()
    return rows["precision"].mask(doubted, next(iter(most), ""))


def _of_family(rows: pd.DataFrame, accelerators: pd.Series) -> pd.Series:
    """Return the precision that most runs on accelerators of the same family state, NaN for none."""
    families = tables.accelerators.set_index("label")["family"]
    stated = rows[rows["precision"].ne("")]
    most = stated["precision"].groupby(stated["accelerator"].map(families)).agg(lambda each: each.mode().iloc[0])
    return accelerators.map(families).map(most)


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


def _squared(error: pd.Series) -> tuple[float, float]:
    """Return the squared logarithms of P10 and P90 of an error; 0 for a P10 above 1 or a P90 below 1."""
    return min(np.log(error["low"]), 0.0) ** 2, max(np.log(error["high"]), 0.0) ** 2
