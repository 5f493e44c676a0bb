"""What runs prove of an accelerator at a speed: a throughput as a range, from the rows behind it.

A throughput is that of runs at the speed that each user is to see, or lies between two measured speeds of one system.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._core.vocabulary import TOKENS
from analysis.planner.official_runs import ONE_SYSTEM, RATE, SPEED, Supply


@dataclass(frozen=True)
class Throughput:
    """A rate per accelerator, in words what the range is one of, and the share of Offline that is in it already.

    `kept` is Server (or what was run) over Offline of those systems themselves: of the `with_offline` of the `systems`
    that ran both; NaN without one.
    """

    rate: Interval
    range_of: str
    kept: Interval = interval.UNKNOWN
    with_offline: int = 0
    systems: int = 0


@dataclass(frozen=True)
class Line:
    """What a system gives at a speed, and whether the upper end lies `between` two of its speeds."""

    low: float
    high: float
    between: bool


@dataclass(frozen=True)
class Proof:
    """The rows of a `supply` at a speed that a throughput rests on, by their `places`, and the line of each's system.

    `standing` is whether it is of official rows, of available systems, and of runs within the limit on the first token.
    """

    supply: Supply
    speed: float
    places: np.ndarray
    lines: tuple[Line, ...]
    standing: tuple[bool, bool, bool]

    @property
    def predicted(self) -> bool:
        """Whether enough predictions give the prediction error of the throughput is; of documents none do."""
        return bool(self.lines) and self.supply.band.factors.known and self.standing[0]

    @property
    def at_speed(self) -> Supply:
        """The supply at the speed; of what counts no tokens the supply itself, for that has no speed."""
        return self.supply.at(self.speed) if self.supply.chosen.unit == TOKENS else self.supply

    @property
    def behind(self) -> pd.DataFrame:
        """The rows that the throughput rests on."""
        return self.supply.chosen.rows.iloc[self.places]

    @cached_property
    def rate(self) -> Interval:
        """What one accelerator gives; NaN without rows.

        The median system, times what left-out systems gave over such a median (see prediction.new and Band.drawn); of
        documents, or where too few tell, from the lowest system to the highest.
        """
        if not self.lines:
            return interval.UNKNOWN
        lows, highs = [line.low for line in self.lines], [line.high for line in self.lines]
        if self.predicted:
            return Interval(median(lows), median(highs)) * self.supply.band.drawn
        return Interval(min(lows), max(highs))


def system(run: dict) -> tuple:
    """The key of a run's system: runs with the same key are of one system in one round."""
    return tuple(run[name] for name in ONE_SYSTEM)


def on_the_line(behind: dict, runs: list[dict], speed: float) -> Line:
    """What one system gives at a `speed` by a run `behind` a rate, so fast or of unknown speed, and by all its `runs`.

    At least what a run so fast gave; where it was measured slower too and gave more, at most what lies on the line
    between the two: a step takes longer by the same time for each request in it, so that throughput falls evenly with
    speed.
    """
    fast = [behind, *(run for run in runs if run[SPEED] >= speed)]
    slower = sorted((run for run in runs if run[SPEED] < speed), key=lambda run: run[SPEED], reverse=True)
    low, high = (max(run[end] for run in fast) for end in RATE)
    most = high
    for run in fast:
        near = next((other for other in slower if other[RATE[1]] > run[RATE[1]]), None)
        if near:
            share = (run[SPEED] - speed) / (run[SPEED] - near[SPEED])
            most = max(most, run[RATE[1]] + share * (near[RATE[1]] - run[RATE[1]]))
    return Line(low, most, most > high)


def by_system(runs: Iterable[dict]) -> dict[tuple, list[dict]]:
    """The runs of each `system`, in their order."""
    of_system: dict[tuple, list[dict]] = {}
    for run in runs:
        of_system.setdefault(system(run), []).append(run)
    return of_system
