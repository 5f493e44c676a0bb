"""A staircase: how many whole things each number of users takes, and where today's choice is on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Column, Description
from analysis.charts.style import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AROUND = 1.25  # times that an axis reaches beyond what is drawn


def drawn_once(
    frame: pd.DataFrame,
    points: pd.DataFrame,
    *,
    label: str,
    x: str,
    y: str,
    x_axis: str,
    y_axis: str,
    title: str,
    subtitle: str,
    color: str = "",
    others: Mapping[str, str] | None = None,
    notes: Notes = NONE,
) -> Drawing:
    """One staircase per value of the column `label`: a row is a step of height `y` that begins at `x` (logarithmic).

    `points` mark today's choice, a row per label: its place `x`, and at it the interval `<y>_low` to `<y>_high` with
    its marker at `<y>_median`. `others` maps further columns of `frame` where the same steps begin to their words in
    the legend: thin lines. `color` is a column of accelerators (default: the label column).
    """
    if frame.empty or points.empty:
        return style.nothing(title)
    notes |= parts.notes_of(points, label)
    figure, ax = style.canvas(title, subtitle, 3.2)
    reach = _AROUND * max(float(frame[x].max()), float(points[x].max()))
    entries = []
    for name, steps in frame.groupby(label, sort=False):
        ink = style.color(steps.iloc[0][color or label])
        for column in others or {}:
            _line(ax, steps[column], steps[y], reach, color=ink, lw=0.9, ls=":")
        _line(ax, steps[x], steps[y], reach, color=ink, lw=1.7)
        entries.append(parts.sample(color=ink, lw=1.7, label=name))
    entries += [parts.sample(color=style.QUIET, lw=0.9, ls=":", label=words) for words in (others or {}).values()]
    texts = alt_text.ranges(points, y, y_axis).texts
    for row, number in zip(as_dicts(points), texts, strict=True):
        ink = style.color(row[color or label])
        gid = f"{style.HOVER}{parts.hover(row, label, f'{row[x]:,} {x_axis}', f'{number} {y_axis}')}"
        ends = [row[f"{y}_low"], row[f"{y}_high"]]
        ax.plot([row[x]] * 2, ends, color=ink, lw=3.2, alpha=0.45, solid_capstyle="butt", zorder=3, gid=gid)
        ax.plot(row[x], row[f"{y}_median"], "o", color=ink, mfc=parts.face(row, ink, ""), ms=6, zorder=4, gid=gid)
    for today in points[x].unique():
        ax.axvline(today, color=style.QUIET, lw=1, ls="--", zorder=1)
    _scales(ax, frame[x].min(), reach, x_axis, y_axis)
    if len(entries) > 1:
        place = {"loc": "outside lower left", "ncols": 2 if style.is_narrow() else 4, "fontsize": 8}
        figure.legend(handles=entries, handlelength=1.6, **place)
    columns = [
        alt_text.words(frame, label),
        Column(alt_text.capital(f"{x_axis} from"), [f"{users:,.0f}" for users in frame[x]], numeric=True),
        Column(alt_text.capital(y_axis), [f"{height:,.0f}" for height in frame[y]], numeric=True),
    ]
    choices = zip(points[label], texts, points[x], strict=True)
    words_on_choices = "; ".join(f"{name} {number} at {users:,} {x_axis}" for name, number, users in choices)
    description = Description(f"Staircases, {y_axis} over {x_axis}. {words_on_choices}", columns, lambda *_: "")
    return Drawing(figure, f"{description.alt(title).strip()}.", description.table(title), notes)


stairs = style.drawn_twice(drawn_once)  # for a page; a slider redraws what it moves for one width alone


def _line(ax: Axes, begins: pd.Series, heights: pd.Series, reach: float, **look: object) -> None:
    """The steps from where each begins to where the next one does, the last one to the end of the axis."""
    across, up = [*begins.astype(float), reach], [*heights, heights.iloc[-1]]
    ax.plot(across, up, drawstyle="steps-post", zorder=2, **look)


def _scales(ax: Axes, least: float, reach: float, x_axis: str, y_axis: str) -> None:
    ax.set(xscale="log", yscale="log", xlim=(least / _AROUND, reach))
    for axis, words in ((ax.xaxis, x_axis), (ax.yaxis, y_axis)):
        parts.log_ticks(axis)
        axis.set_label_text(style.wrapped(parts.log_scale(words), 26), size=9)
    ax.tick_params(labelsize=8.5)
