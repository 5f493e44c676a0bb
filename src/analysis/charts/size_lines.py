"""A kind of figure over the size of systems: one line per thing, a marker per layout."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Description
from analysis.charts.style import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE, _LETTER, _GAP = 9.5, 4.3, 6  # points that a name and a letter of it take up, and between it and its point
_POINT = 4  # half of what a marker takes up
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@style.drawn_twice
def by_size(
    frame: pd.DataFrame,
    *,
    label: str,
    name: str,
    size: str,
    series: str,
    markers: Mapping[str, str],
    x_axis: str,
    y_axis: str,
    title: str,
    subtitle: str,
    color: str = "",
    notes: Notes = NONE,
) -> Drawing:
    """One line per value of the column `label`: the middles of interval `name` by the column `size`, both logarithmic.

    `series` is a column of the keys of `markers`, each of which has a marker (matplotlib's) in the legend; `color` one
    of accelerators (default: the label column). Each line has its name beside its last point, apart from the others.
    """
    if frame.empty:
        return style.nothing(title)
    rows = frame.sort_values(size, kind="stable").reset_index(drop=True)
    rows = rows.assign(middle=interval.of(rows, name).middle, across=rows[size].astype(float))
    notes |= parts.notes_of(rows, label)
    figure, ax = style.canvas(title, subtitle, 3.5)
    numbers = alt_text.ranges(rows, name, y_axis)
    sizes = alt_text.Column(alt_text.capital(x_axis), [f"{count:,}" for count in rows[size]], numeric=True)
    columns = [alt_text.words(rows, label), sizes, alt_text.words(rows, series), numbers, *alt_text.remarks(rows, "")]
    description = Description(
        f"Lines over {x_axis}, {y_axis}:",
        columns,
        lambda name_of_line, count, layout, rate, *_: f"{name_of_line} {count} ({layout}) {rate}",
    )
    inks = {}
    for line, points in rows.groupby(label, sort=False):
        ink = inks[line] = style.color(points.iloc[0][color or label])
        ax.plot(points["across"], points["middle"], color=ink, lw=1.4, zorder=2)
        # A line would begin nowhere under the mark of another; that has its name.
        above = 3.5 if len(points) > 1 else 3
        for place, row in points.iterrows():
            hover_text = parts.hover(dict(row), label, f"{row[size]:,} accelerators", numbers.texts[place])
            face = parts.face(row, ink, "")
            ax.plot(
                row["across"], row["middle"], markers[row[series]], ms=5.5, color=ink, mfc=face, zorder=above,
                gid=f"{style.HOVER}{hover_text}",
            )  # fmt: skip
    _scales(ax, rows, x_axis, y_axis)
    _names(ax, rows, label, inks)
    _legend(ax, {words: marker for words, marker in markers.items() if words in set(rows[series])})
    return Drawing(figure, description.alt(title), description.table(title), notes)


def _scales(ax: Axes, rows: pd.DataFrame, x_axis: str, y_axis: str) -> None:
    ax.set(xscale="log", yscale="log")
    shown = [count for count in _SIZES if count <= 1.4 * rows["across"].max()]
    ax.set_xlim(rows["across"].min() / 1.3, rows["across"].max() * 1.3)
    ax.set_ylim(rows["middle"].min() / 1.3, rows["middle"].max() * 1.3)
    for axis in (ax.yaxis, ax.xaxis):
        parts.log_ticks(axis)
    ax.set_xticks([count for count in shown if count * 1.4 >= rows["across"].min()])
    for axis, words in ((ax.xaxis, x_axis), (ax.yaxis, y_axis)):
        axis.set_label_text(textwrap.fill(parts.log_scale(words), 36), size=9)
    ax.tick_params(labelsize=8.5)


def _names(ax: Axes, rows: pd.DataFrame, label: str, inks: Mapping[str, str]) -> None:
    """The name of each line at the right of its last point, lower where a point or another name is in its way."""
    last_points = rows.drop_duplicates(label, keep="last").sort_values("middle", ascending=False, kind="stable")
    scale = 72 / ax.figure.dpi
    width = ax.figure.bbox.width * scale * 0.82  # about what the axes have of the figure
    onto = np.log10
    left, right = (float(onto(end)) for end in ax.get_xlim())
    for across, words in zip(last_points["across"], last_points[label], strict=True):
        needed = (len(words) * _LETTER + 2 * _GAP) / width
        right = max(right, left + (float(onto(across)) - left) / max(1 - needed, 0.35))
    ax.set_xlim(right=10**right)
    ax.figure.draw_without_rendering()  # Where points lie on paper is known only once all is laid out.
    points = ax.transData.transform(rows[["across", "middle"]].to_numpy()) * scale
    occupied = [(x - _POINT, x + _POINT, y) for x, y in points]
    for row in as_dicts(last_points):
        x, y = ax.transData.transform((row["across"], row["middle"])) * scale
        begin, end, height = x + _GAP, x + _GAP + len(row[label]) * _LETTER, y
        while clash := [y for start, stop, y in occupied if start < end and begin < stop and abs(y - height) < _LINE]:
            height = min(clash) - _LINE
        occupied.append((begin, end, height))
        ax.annotate(
            row[label], (row["across"], row["middle"]), (_GAP, height - y), textcoords="offset points", va="center",
            size=8, color=inks[row[label]], bbox=parts.BOX, zorder=4,
        )  # fmt: skip


def _legend(ax: Axes, markers: Mapping[str, str]) -> None:
    if len(markers) > 1:
        gray = style.QUIET
        entries = [parts.sample(ls="", marker=m, color=gray, ms=5.5, label=words) for words, m in markers.items()]
        place = {"loc": "outside lower left", "ncols": 3, "fontsize": 8, "handletextpad": 0.4}
        ax.figure.legend(handles=entries, **place)
