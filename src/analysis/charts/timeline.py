"""A kind of figure over time: one line per thing, named where it ends."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core import notes as wording
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Description
from analysis.charts.style import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE, _GAP = 10.0, 6  # points that a name takes up, and between it and its line
_LETTER = 4.6  # points that a letter of a name is wide


@style.drawn_twice
def over_time(
    frame: pd.DataFrame,
    *,
    label: str,
    name: str,
    date: str,
    when: str,
    axis: str,
    title: str,
    subtitle: str,
    color: str = "",
    notes: Notes = NONE,
) -> Drawing:
    """One line per value of the column `label`: the middles of interval `name` (logarithmic) by the day in `date`.

    `when` is a column of words for the days, which are below the axis; `color` one of accelerators (default: the
    label column). Each line has its name at its end; a point has its own marks, and is hollow in preview.
    """
    if frame.empty:
        return style.nothing(title)
    rows = frame.reset_index(drop=True)
    rows = rows.assign(middle=interval.of(rows, name).middle)
    notes |= parts.notes_of(rows, label)
    figure, ax = style.canvas(title, subtitle, 3.3)
    numbers = alt_text.ranges(rows, name, axis)
    columns = [alt_text.words(rows, label), alt_text.words(rows, when), numbers, *alt_text.remarks(rows, "")]
    description = Description(f"Lines over time, {axis}:", columns, "{} ({}) {}".format)
    inks = {}
    for line, points in rows.groupby(label, sort=False):
        ink = inks[line] = style.color(points.iloc[0][color or label])
        ax.plot(points[date], points["middle"], color=ink, lw=1.6, zorder=2)
        for place, row in points.iterrows():
            hover_text = f"{style.HOVER}{parts.hover(dict(row), label, numbers.texts[place])}"
            face = parts.face(row, ink, "")
            ax.plot(row[date], row["middle"], "o", ms=5.5, color=ink, mfc=face, zorder=3, gid=hover_text)
            if mark := wording.marks(row.get("notes", NONE), notes):
                beside = {"textcoords": "offset points", "xytext": (-5, 0), "ha": "right", "va": "center", "size": 8}
                ax.annotate(mark, (row[date], row["middle"]), color=ink, bbox=parts.BOX, **beside)
    days = rows.drop_duplicates(date).sort_values(date)
    ax.set_xticks(days[date], [style.wrapped(words, 4) for words in days[when]], size=8)
    _scale(ax, rows["middle"], axis)
    _names(ax, rows, label, date, inks)
    return Drawing(figure, description.alt(title), description.table(title), notes)


def _scale(ax: Axes, middles: pd.Series, axis: str) -> None:
    ax.set_yscale("log")
    ax.set_ylim(middles.min() / 1.25, middles.max() * 1.25)
    parts.log_ticks(ax.yaxis)
    ax.tick_params(axis="y", labelsize=8.5)
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(textwrap.fill(parts.log_scale(axis), 36), size=9)


def _names(ax: Axes, rows: pd.DataFrame, label: str, date: str, inks: dict[str, str]) -> None:
    """The name of each line beside its end, apart from the others; of one that ends early above where it begins."""
    rows = rows.sort_values(date, kind="stable")
    last_points, first_points = (rows.drop_duplicates(label, keep=keep) for keep in ("last", "first"))
    early = last_points.loc[last_points[date].lt(rows[date].max()), label]
    ends, starts = last_points[~last_points[label].isin(early)], first_points[first_points[label].isin(early)]
    widest = max(map(len, ends[label])) * _LETTER + _GAP
    left, right = ax.get_xlim()
    across = ax.figure.bbox.width * 72 / ax.figure.dpi * 0.8  # of which names must find room at the right
    ax.set_xlim(left, right + (right - left) * widest / max(across - widest, across / 3))
    ax.figure.draw_without_rendering()  # Where lines end on paper is known only once all is laid out.
    place = {"textcoords": "offset points", "size": 8, "bbox": parts.BOX}
    lowest = np.inf
    for row in as_dicts(ends.sort_values("middle", ascending=False)):
        height = _height(ax, row, date)
        lowest = min(height, lowest - _LINE)
        aside = place | {"xytext": (_GAP, lowest - height), "va": "center"}
        ax.annotate(row[label], (row[date], row["middle"]), color=inks[row[label]], **aside)
    for _, beginning_together in starts.groupby(date):
        above = np.inf
        for row in as_dicts(beginning_together.sort_values("middle", ascending=False)):
            height = _height(ax, row, date)
            side = 1 if above - height > 2 * _LINE else -1
            aside = place | {"xytext": (0, side * _GAP), "va": "bottom" if side > 0 else "top", "ha": "center"}
            ax.annotate(row[label], (row[date], row["middle"]), color=inks[row[label]], **aside)
            above = height


def _height(ax: Axes, row: dict, date: str) -> float:
    """Where a point lies on paper, in points from below."""
    return ax.transData.transform((ax.convert_xunits(row[date]), row["middle"]))[1] * 72 / ax.figure.dpi
