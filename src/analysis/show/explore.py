"""What-if sliders over the functions that the reports use, for JupyterLab."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ipywidgets
import numpy as np
import pandas as pd

from analysis.answers import real_world_derating as words
from analysis.core import interval
from analysis.core.findings import Finding
from analysis.core.interval import Interval
from analysis.core.parameters import RealWorldDerating
from analysis.show import tables
from analysis.show.tables import Table
from analysis.themes import capacity, power
from analysis.themes.capacity import Planned
from analysis.themes.demand import Demand

WIDGET = "application/vnd.jupyter.widget-view+json"
SECONDS_PER_HOUR = 3600
PRICE = "usd_per_accelerator_hour"
WIDE = {"description_width": "19rem"}


@dataclass(frozen=True)
class Choice:
    """What the sliders move: users, tokens/s each, share of throughput left, dollars per accelerator-hour and kWh."""

    users: int
    tokens_per_second_per_user: float
    derate: Interval
    usd_per_accelerator_hour: Interval
    usd_per_kilowatt_hour: float


@dataclass(frozen=True)
class Fixed:
    """What stays: the report's parameters, what the tables give (capacity.basis), power.efficiency."""

    asked: RealWorldDerating
    basis: capacity.Basis
    efficiency: pd.DataFrame


def planned(choice: Choice, fixed: Fixed) -> Planned:
    """The plan that the derating report makes of the same choice."""
    moved = {"users": choice.users, "tokens_per_second_per_user": choice.tokens_per_second_per_user}
    basis = replace(fixed.basis, price=choice.usd_per_accelerator_hour)
    return capacity.over(basis, fixed.asked.model_copy(update=moved), choice.derate)


def need(of: Planned) -> Finding:
    """The need in words, as the derating report says it."""
    return words.need(of)


def plan(choice: Choice, fixed: Fixed) -> tuple[Finding, pd.DataFrame]:
    """The need in words, and a frame of quantity, p10, p50, p90; of electricity the least, middle and most.

    Energy is that of power submissions at their own load, for the tokens that the users ask for on average.
    """
    of = planned(choice, fixed)
    bill = electricity(of.demand, choice.usd_per_kilowatt_hour, fixed)
    energy = {"quantity": "US dollars an hour, electricity", "p10": bill.low, "p50": bill.middle, "p90": bill.high}
    marks = of.marks
    marks = marks[marks["output"].isin(list(words.OUTPUTS))]
    rows = marks.assign(quantity=marks["output"].map(words.OUTPUTS))
    return need(of), pd.concat([rows, pd.DataFrame([energy])], ignore_index=True)


def electricity(demand: Demand, usd_per_kilowatt_hour: float, fixed: Fixed) -> Interval:
    """US dollars an hour for the energy of the tokens asked for; unknown without a power submission."""
    priced = power.energy(fixed.efficiency, usd_per_kilowatt_hour, fixed.asked.power_usage_effectiveness)
    if priced.empty:
        return Interval(np.nan, np.nan)
    million = interval.of(priced, "usd_per_million")
    per_hour = demand.tokens_per_second * SECONDS_PER_HOUR / 1e6
    return Interval(float(million.low.min()) * per_hour, float(million.high.max()) * per_hour)


def shown(choice: Choice, fixed: Fixed) -> Table:
    """The plan as a table under its sentence."""
    finding, rows = plan(choice, fixed)
    columns = {"quantity": "Quantity", "p10": "Low (P10)", "p50": "Middle (P50)", "p90": "High (P90)"}
    return tables.show(rows, finding.said, columns)


class Explorer(ipywidgets.VBox):
    """Sliders with the plan below, computed again at each move; where widgets do not run, the plan of `start`."""

    def __init__(self, start: Choice, fixed: Fixed) -> None:
        self.start, self.fixed = start, fixed
        self.sliders = _sliders(start)
        self.unpriced = None if start.usd_per_accelerator_hour.known else self.sliders[PRICE].value
        self.answer = ipywidgets.HTML(shown(start, fixed).markup)
        for slider in self.sliders.values():
            slider.observe(self._moved, names="value")
        super().__init__([*self.sliders.values(), self.answer])

    @property
    def choice(self) -> Choice:
        """What the sliders stand at; a price that is not known stays so until its own slider is moved."""
        at = {name: slider.value for name, slider in self.sliders.items()}
        if at[PRICE] == self.unpriced:
            del at[PRICE]
        ranges = {name: Interval(*value) for name, value in at.items() if isinstance(value, tuple)}
        return replace(self.start, **at | ranges | {"users": round(at["users"])})

    def _moved(self, change: object) -> None:
        self.answer.value = shown(self.choice, self.fixed).markup

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle = super()._repr_mimebundle_(**options) or {}
        table = shown(self.start, self.fixed)._repr_mimebundle_()
        return {WIDGET: bundle[WIDGET], **table} if WIDGET in bundle else table


def _sliders(start: Choice) -> dict[str, Any]:
    """A slider per field of Choice, each reaching as far as its start."""
    look = {"style": WIDE, "layout": ipywidgets.Layout(width="44rem", max_width="100%")}
    usd, derate = start.usd_per_accelerator_hour, start.derate
    unknown = "" if usd.known else ", not known"
    usd = usd if usd.known else Interval(1.0, 10.0)
    speed, energy = start.tokens_per_second_per_user, start.usd_per_kilowatt_hour
    return {
        "users": ipywidgets.FloatLogSlider(
            value=start.users, min=0, max=6, step=0.02, readout_format=",.0f",
            description="Users at the same time", **look,
        ),
        "tokens_per_second_per_user": ipywidgets.FloatSlider(
            value=speed, min=1, max=max(200, speed), step=1, description="Tokens per second per user", **look
        ),
        "derate": ipywidgets.FloatRangeSlider(
            value=(derate.low, derate.high), min=0.05, max=1, step=0.01,
            description="Share of the throughput left", **look,
        ),
        PRICE: ipywidgets.FloatRangeSlider(
            value=(usd.low, usd.high), min=0.05, max=max(20, usd.high), step=0.01,
            description=f"US dollars per accelerator-hour{unknown}", **look,
        ),
        "usd_per_kilowatt_hour": ipywidgets.FloatSlider(
            value=energy, min=0, max=max(1, energy), step=0.01, description="US dollars per kilowatt-hour", **look
        ),
    }  # fmt: skip
