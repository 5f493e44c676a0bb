"""Sliders over the functions that the reports use, for JupyterLab."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets
import pandas as pd

from analysis._core import interval, mime
from analysis._core.interval import Interval
from analysis._core.parameters import RealWorldDerating
from analysis._display import tables
from analysis._display.tables import Table
from analysis.charts import lines, mpl, style
from analysis.charts.style import Drawing
from analysis.methods import power
from analysis.planner import capacity, summary
from analysis.planner.capacity import Planned
from analysis.planner.demand import Demand

PRICE = "usd_per_accelerator_hour"
WIDE = {"description_width": "19rem"}
USERS, STEPS, DRAWS = 1_000_000, 60, 2000  # of a staircase: it must follow a slider


@dataclass(frozen=True)
class Choice:
    """What the sliders move: users, tokens/s per user, derate, US dollars per accelerator-hour and per kWh."""

    users: int
    tokens_per_second_per_user: float
    derate: Interval
    usd_per_accelerator_hour: Interval
    usd_per_kilowatt_hour: float


@dataclass(frozen=True)
class Fixed:
    """What stays: the report's parameters, what the tables give (plans.basis), power.efficiency."""

    asked: RealWorldDerating
    basis: capacity.Basis
    efficiency: pd.DataFrame


def planned(choice: Choice, fixed: Fixed) -> Planned:
    """The plan that the derating report makes of the same choice."""
    moved = {"users": choice.users, "tokens_per_second_per_user": choice.tokens_per_second_per_user}
    basis = replace(fixed.basis, price=choice.usd_per_accelerator_hour)
    return capacity.over(basis, fixed.asked.model_copy(update=moved), choice.derate)


def need(plan_made: Planned) -> str:
    """What the users need in one sentence, or why there is no plan."""
    return summary.need(plan_made).headline if plan_made.serves else f"No plan: {summary.why_nothing(plan_made)}."


def table(choice: Choice, fixed: Fixed, plan_made: Planned) -> Table:
    """Return the plan under its sentence, as P10, P50 and P90; of electricity the lowest, middle, and highest.

    Energy is that of power submissions at their own load, for the tokens that the users ask for on average.
    """
    bill = electricity(plan_made.demand, choice.usd_per_kilowatt_hour, fixed)
    energy = {"what": "electricity ($/hour)", "p10": bill.low, "p50": bill.middle, "p90": bill.high}
    rows = pd.concat([summary.quantities(plan_made), pd.DataFrame([energy])], ignore_index=True)
    return tables.table(rows, need(plan_made), {"what": "Quantity", "p10": "P10", "p50": "P50", "p90": "P90"})


def electricity(demand: Demand, usd_per_kilowatt_hour: float, fixed: Fixed) -> Interval:
    """US dollars an hour for the energy of the tokens asked for; unknown without a power submission."""
    priced = power.energy(fixed.efficiency, usd_per_kilowatt_hour, fixed.asked.power_usage_effectiveness)
    if priced.empty:
        return interval.UNKNOWN
    million = interval.of(priced, "usd_per_million")
    per_hour = demand.million_tokens_per_hour
    return Interval(float(million.low.min()) * per_hour, float(million.high.max()) * per_hour)


def steps(choice: Choice, fixed: Fixed) -> pd.DataFrame:
    """The staircase from users to accelerators of the same choice, for any number of users (capacity.staircase)."""
    speed, derate = choice.tokens_per_second_per_user, [choice.derate.low, choice.derate.high]
    moved = {"tokens_per_second_per_user": speed, "derate": derate, "draws": min(DRAWS, fixed.asked.draws)}
    users = 1, 10 ** _reach(fixed.asked.users)
    return capacity.staircase(fixed.basis, fixed.asked.model_copy(update=moved), users, STEPS)


def _reach(users: int) -> int:
    """The power of ten up to which users are asked of: that of USERS, or the one that holds those of the start."""
    return len(str(max(USERS, users) - 1))


def staircase_drawing(
    plan_made: Planned, climbed: pd.DataFrame, draw: Callable[..., Drawing] = lines.stairs
) -> Drawing:
    """The figure of a staircase of `steps`, with the plan of today's choice marked on it; `draw` is a chart of it."""
    marks = plan_made.marks.set_index("output").loc["accelerators"]
    identity = {"name": plan_made.called, "accelerator": plan_made.accelerator}
    ends = {f"accelerators_{end}": marks[mark] for end, mark in (("low", "p10"), ("median", "p50"), ("high", "p90"))}
    point = pd.DataFrame([identity | ends | {"users_from_p50": plan_made.demand.users}]).dropna()
    return draw(
        climbed.assign(**identity),
        point,
        label="name",
        x="users_from_p50",
        y="accelerators",
        x_axis="users",
        y_axis="accelerators",
        title=_next_step(plan_made, climbed),
        subtitle="Median of the draws, P10 and P90 as thin lines; marked: the parameters.",
        color="accelerator",
        others={"users_from_p10": "P10", "users_from_p90": "P90"},
    )


def _next_step(plan_made: Planned, climbed: pd.DataFrame) -> str:
    """At how many users the median of the draws takes an accelerator more; why there is no plan."""
    begins = climbed.loc[climbed["users_from_p50"].gt(plan_made.demand.users), "users_from_p50"]
    if len(begins):
        return f"Next accelerators at {interval.number(begins.iloc[0], 2)} users."
    return need(plan_made)


def picture(plan_made: Planned, climbed: pd.DataFrame) -> str:
    """That figure as markup with its alt text, drawn once; a sentence where nothing is planned."""
    drawing = staircase_drawing(plan_made, climbed, lines.stairs.__wrapped__)
    if drawing.figure is None:
        return f"<p>{html.escape(drawing.alt)}</p>"
    drawn = style.svg(drawing.figure)
    mpl.close(drawing.figure)
    return f'<div role="img" aria-label="{html.escape(drawing.alt)}">{drawn[drawn.index("<svg") :]}</div>'


class Explorer(ipywidgets.VBox):
    """Sliders with the staircase from users to accelerators and the plan below, recomputed at each move.

    Where widgets do not run, the plan of `start` as a table; a notebook shows its staircase by itself.
    """

    def __init__(self, start: Choice, fixed: Fixed) -> None:
        self.start, self.fixed = start, fixed
        self.sliders = _sliders(start)
        self.unpriced = None if start.usd_per_accelerator_hour.known else self.sliders[PRICE].value
        self.answer, self.figure = ipywidgets.HTML(), ipywidgets.HTML()
        self._climbed: tuple[object, pd.DataFrame] = (None, pd.DataFrame())
        self._show(start)
        for slider in self.sliders.values():
            slider.observe(self._moved, names="value")
        super().__init__([*self.sliders.values(), self.figure, self.answer])

    @property
    def choice(self) -> Choice:
        """What the sliders are set to; a price that is not known stays so until its own slider is moved."""
        values = {name: slider.value for name, slider in self.sliders.items()}
        if values[PRICE] == self.unpriced:
            del values[PRICE]
        ranges = {name: Interval(*value) for name, value in values.items() if isinstance(value, tuple)}
        return replace(self.start, **values | ranges | {"users": round(values["users"])})

    def _moved(self, change: object) -> None:
        self._show(self.choice)

    def _show(self, choice: Choice) -> None:
        plan_made = planned(choice, self.fixed)
        self.answer.value = table(choice, self.fixed, plan_made).markup
        self.figure.value = picture(plan_made, self._steps(choice))

    def _steps(self, choice: Choice) -> pd.DataFrame:
        """The steps of the choice, recomputed only where it moved what they depend on."""
        inputs = choice.tokens_per_second_per_user, choice.derate
        if self._climbed[0] != inputs:
            self._climbed = (inputs, steps(choice, self.fixed))
        return self._climbed[1]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle = super()._repr_mimebundle_(**options) or {}
        still = table(self.start, self.fixed, planned(self.start, self.fixed))._repr_mimebundle_()
        return {mime.WIDGET: bundle[mime.WIDGET], **still} if mime.WIDGET in bundle else still


def _sliders(start: Choice) -> dict[str, Any]:
    """A slider per field of Choice, each reaching as far down and up as its start."""
    look = {"style": WIDE, "layout": ipywidgets.Layout(width="44rem", max_width="100%")}
    usd, derate = start.usd_per_accelerator_hour, start.derate
    unknown = "" if usd.known else ", not known"
    usd = usd if usd.known else Interval(1.0, 10.0)
    speed, energy = start.tokens_per_second_per_user, start.usd_per_kilowatt_hour
    return {
        "users": ipywidgets.FloatLogSlider(
            value=start.users, min=0, max=_reach(start.users), step=0.02, readout_format=",.0f",
            description="Concurrent users", **look,
        ),
        "tokens_per_second_per_user": ipywidgets.FloatSlider(
            value=speed, min=min(1, speed), max=max(200, speed), step=1,
            description="Interactivity (tokens/s per user)", **look,
        ),
        "derate": ipywidgets.FloatRangeSlider(
            value=(derate.low, derate.high), min=min(0.05, derate.low), max=1, step=0.01,
            description="Derate", **look,
        ),
        PRICE: ipywidgets.FloatRangeSlider(
            value=(usd.low, usd.high), min=min(0.05, usd.low), max=max(20, usd.high), step=0.01,
            description=f"US dollars per accelerator-hour{unknown}", **look,
        ),
        "usd_per_kilowatt_hour": ipywidgets.FloatSlider(
            value=energy, min=0, max=max(1, energy), step=0.01, description="US dollars per kilowatt-hour", **look
        ),
    }  # fmt: skip
