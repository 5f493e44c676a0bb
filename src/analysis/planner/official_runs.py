"""What a scenario offers plans: its comparable rows with the speed and the first token of each, its power submissions.

One supply is asked for many accelerators and speeds; which of its rows are behind a rate says methods.cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
import pandas as pd

from analysis._core.memo import cached_method
from analysis._core.parameters import RealWorldDerating
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import LIMITED
from analysis.comparability import selection
from analysis.comparability.selection import Comparison
from analysis.methods import benchmark_rules, cost, derating, prediction

SPEED = "tokens_per_second_per_user"
FIRST_TOKEN = "first_token_ms"  # see benchmark_rules.first_token_ms
RATE = ("per_accelerator_low", "per_accelerator_high")
ONE_SYSTEM = ["basis", "system_key"]


class Tables(selection.Tables, Protocol):
    """What a plan is made from: the catalog, or anything that holds the same frames."""

    @property
    def accelerators(self) -> pd.DataFrame:
        """The datasheets."""

    @property
    def prices(self) -> pd.DataFrame:
        """The rental prices."""

    @property
    def benchmark_limits(self) -> pd.DataFrame:
        """The limits of the scenarios."""


@dataclass(frozen=True)
class Supply:
    """What one scenario offers plans: comparable rows, and the power submissions of the benchmark.

    Both have SPEED, what each user saw (benchmark_rules.interactivity_bounds), and the former FIRST_TOKEN.
    `kept` is what systems kept of their Offline throughput under the limit (see derating.measured). `band` is how far
    predictions of left-out results of the scenario were off.
    """

    chosen: Comparison
    power: pd.DataFrame
    kept: pd.DataFrame
    band: prediction.Band = prediction.UNTOLD

    @cached_property
    def candidates(self) -> cost.Candidates:
        """Its comparable rows as arrays, to be asked about many speeds and accelerators."""
        return cost.Candidates(self.chosen.rows)

    @cached_property
    def runs(self) -> list[dict]:
        """What a plan reads of each comparable row: ONE_SYSTEM, SPEED, FIRST_TOKEN, RATE."""
        return as_dicts(self.chosen.rows[[*ONE_SYSTEM, SPEED, FIRST_TOKEN, *RATE]])

    @cached_property
    def speeds(self) -> np.ndarray:
        """What each user saw in its comparable rows, tokens/s; NaN where that is not known."""
        return self.chosen.rows[SPEED].to_numpy("float64", na_value=np.nan)

    def fast(self, speed: float) -> np.ndarray:
        """Which comparable rows gave each user `speed` or more, or do not say; those that `at` keeps."""
        return ~(self.speeds < speed)

    @cached_method
    def at(self, speed: float) -> Supply:
        """The supply without the runs that gave users less than `speed`; a row whose speed is not known stays.

        Plans on several accelerators ask for the same speed.
        """
        rows, power = self.chosen.rows[self.fast(speed)], self.power[~self.power[SPEED].lt(speed)]
        return replace(self, chosen=replace(self.chosen, rows=rows), power=power)

    def within(self, limit_ms: float) -> Supply:
        """The supply without the runs whose first token took longer than `limit_ms`; one that does not say stays."""
        rows = self.chosen.rows
        return replace(self, chosen=replace(self.chosen, rows=rows[~rows[FIRST_TOKEN].gt(limit_ms)]))

    @property
    def none(self) -> Supply:
        """The same without rows, for a plan that rests on none of them."""
        chosen = replace(self.chosen, rows=self.chosen.rows.head(0))
        return replace(self, chosen=chosen, power=self.power.head(0), kept=self.kept.head(0))


def _scenarios(tables: Tables, asked: RealWorldDerating) -> list[str]:
    """The scenario asked for and those with a tighter limit on the time per output token, the loosest first."""
    limit = benchmark_rules.limits_ms(tables.benchmark_limits, benchmark_rules.TPOT)
    limits = {name: limit(asked.benchmark, name, asked.rounds) for name in LIMITED}
    tighter = [name for name in LIMITED if limits[name] < limits[asked.scenario]]
    return [asked.scenario, *sorted(tighter, key=limits.__getitem__, reverse=True)]


def of_scenarios(tables: Tables, asked: RealWorldDerating) -> tuple[Supply, ...]:
    """The supply of the scenario asked for, and of those with a tighter limit per output token, the loosest first."""
    bands = prediction.bands(tables, asked.benchmark, _scenarios(tables, asked))
    offline = selection.select(tables, _whole(asked, "Offline")).rows
    return tuple(_supply(tables, asked, scenario, band, offline) for scenario, band in bands.items())


def _whole(asked: RealWorldDerating, scenario: str) -> selection.Question:
    """The question of all accelerators, for what systems of several nodes keep is the same whichever are shown."""
    return selection.ask(asked, scenario=scenario, accelerators=())


def _supply(
    tables: Tables, asked: RealWorldDerating, scenario: str, band: prediction.Band, offline: pd.DataFrame
) -> Supply:
    question = _whole(asked, scenario)
    metered = replace(question, power=True, rounds=(), origins=("official",))
    chosen, power = selection.select(tables, question), selection.select(tables, metered).rows
    limits = tables.benchmark_limits, asked.rounds
    rows, power = (
        runs.assign(**{SPEED: benchmark_rules.interactivity_bounds(runs, *limits)["speed"]})
        for runs in (chosen.rows, power)
    )
    rows = rows.assign(**{FIRST_TOKEN: benchmark_rules.first_token_ms(rows, *limits)})
    return Supply(replace(chosen, rows=rows), power, derating.measured(offline, rows), band)
