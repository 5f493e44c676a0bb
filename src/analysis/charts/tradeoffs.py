"""Kinds of figure of a trade-off: curves from much for all to fast for each, and what remains at stated points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core import notes as wording
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Column, Description
from analysis.charts.colors import GRID
from analysis.charts.style import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

_LETTERS = 16  # of a name beside a curve, on one line
_AROUND = ((7, 0), (7, -9), (7, 9), (-7, 0), (-7, -9), (-7, 9), (7, 18), (7, -18), (-7, 18), (-7, -18))  # points
_REACH = 1.6  # times the last point that an axis may go on for a tick
_GIVEN, _MORE = 0.85, 0.28  # opacity of the measured lower bound, and of what a slower run reaches
_CELL, _LONG = 1.0, 0.86  # widths of a cell and of its longest bar


@style.drawn_twice
def curves(
    frame: pd.DataFrame,
    others: pd.DataFrame,
    front: pd.DataFrame,
    *,
    label: str,
    x: str,
    y: str,
    series: str,
    bound: str,
    lines: Mapping[str, float],
    ticks: Sequence[float],
    x_axis: str,
    y_axis: str,
    title: str,
    subtitle: str,
    color: str = "",
    notes: Notes = NONE,
) -> Drawing:
    """A curve per `label` over its points of interval `y` at `x`, in the order of the rows; a missing `x` is at 0.

    `color` is a column of accelerators (default: the label column), `series` one of words that tells the points of a
    curve apart, `bound` one of booleans: at such a point x is the least that holds, and its marker points on. Points of
    `others` are small, those of `front` make a dashed step behind all: what is given at an x or beyond. `lines` are
    vertical, named above; `ticks` are numbers that the axis has, and reaches where they are not far beyond the points.
    Points of what was in preview are hollow. Beyond the last point the ground is gray.
    """
    if frame.empty:
        return style.nothing(title)
    rows = frame.reset_index(drop=True)
    notes |= parts.notes_of(rows, label)
    figure, ax = style.canvas(title, subtitle, 4.3 if style.is_narrow() else 3.9)
    columns = _Columns(label, x, y, series, bound)
    in_table = _table_columns(rows, columns, x_axis, y_axis)
    description = Description(f"Curves, {y_axis} over {x_axis}:", in_table, "{} ({}) {}: {}".format)
    last_x = pd.concat([rows[x], others[x], front[x]]).max()
    near = [tick for tick in ticks if tick <= _REACH * last_x]
    right = max(1.25 * last_x, 1.06 * max(near, default=0))
    ax.axvspan(last_x, right, color=GRID, alpha=0.6, lw=0, zorder=0)
    ax.plot(others[x], _middle(others, y), ls="", marker="o", ms=2.6, color=style.QUIET, alpha=0.45, zorder=1)
    stairs = _stairs(front, x, y)
    ax.plot(*stairs.T, color=style.QUIET, lw=1.1, ls=(0, (4, 2)), zorder=1)
    drawn = {}
    for name, points in rows.groupby(label, sort=False):
        ink = style.color(points[color or label].iloc[0])
        marks = wording.marks(wording.union(points.get("notes", ())), notes)
        drawn[f"{name} {marks}".rstrip()] = _curve(ax, points, columns, in_table, ink), ink
    _axes(ax, right, float(interval.of(pd.concat([rows, others]), y).high.max()), near, x_axis, y_axis)
    for words, place in lines.items():
        ax.axvline(place, color=style.QUIET, lw=0.8, ls=":", zorder=1)
        placing = {"xytext": (0, 2), "textcoords": "offset points", "size": 7, "color": style.QUIET}
        ax.annotate(words, (place, 1), xycoords=("data", "axes fraction"), ha="center", va="bottom", **placing)
    ax.annotate("no faster\nrun", (1, 1), (-3, -4), xycoords="axes fraction", textcoords="offset points", size=7,
                color=style.QUIET, ha="right", va="top")  # fmt: skip
    _names(ax, drawn, [stairs, *np.column_stack([others[x], _middle(others, y)])[:, None]])
    _key(figure, bool(rows[bound].any()))
    return Drawing(figure, description.alt(title), description.table(title), notes)


@dataclass(frozen=True)
class _Columns:
    """Where the rows of `curves` hold what: names of columns, of `y` that of an interval."""

    label: str
    x: str
    y: str
    series: str
    bound: str


def _table_columns(rows: pd.DataFrame, columns: _Columns, x_axis: str, y_axis: str) -> list[Column]:
    speeds = ["no latency limit" if pd.isna(speed) else interval.number(speed) for speed in rows[columns.x]]
    across, up = Column(alt_text.capital(x_axis), speeds, numeric=True), alt_text.ranges(rows, columns.y, y_axis)
    return [alt_text.words(rows, columns.label), alt_text.words(rows, columns.series), across, up]


def _middle(rows: pd.DataFrame, name: str) -> pd.Series:
    ends = interval.of(rows, name)
    return (ends.low + ends.high) / 2


def _curve(ax: Axes, points: pd.DataFrame, columns: _Columns, in_table: list[Column], ink: str) -> np.ndarray:
    """One curve with its points, and its places in the data."""
    across, up = points[columns.x].fillna(0), _middle(points, columns.y)
    ax.plot(across, up, color=ink, lw=1.7, zorder=2)
    for index, i, j in zip(points.index, across, up, strict=True):
        row = points.loc[index].to_dict()
        numbers = (f"{column.header} {column.texts[index]}" for column in in_table[2:])
        words = parts.hover(row, columns.label, row[columns.series], *numbers)
        marker, face = ">" if row[columns.bound] else "o", parts.face(row, ink, "")
        ax.plot(i, j, marker, color=ink, mfc=face, ms=5.5, zorder=3, gid=f"{style.HOVER}{words}", clip_on=False)
    return np.column_stack([across, up])


def _axes(ax: Axes, right: float, top: float, ticks: Sequence[float], x_axis: str, y_axis: str) -> None:
    ax.set_xlim(0, right)
    ax.set_ylim(0, top * 1.08)
    ax.set_xticks([0, *ticks], ["no latency\nlimit", *(interval.number(tick) for tick in ticks)])
    ax.yaxis.set_major_formatter(parts.plain)
    ax.tick_params(labelsize=8)
    ax.set_xlabel(style.wrapped(x_axis, 44), size=9)
    ax.set_ylabel(style.wrapped(y_axis, 40), size=9)


def _stairs(front: pd.DataFrame, x: str, y: str) -> np.ndarray:
    """The corners of a step down at each point, from x = 0: what is given at an x is what the next point gives."""
    ends = front.sort_values(x)
    across, up = [0, *np.repeat(ends[x], 2)][: 2 * len(ends)], np.repeat(_middle(ends, y), 2)
    return np.column_stack([across, up])


def _names(ax: Axes, drawn: Mapping[str, tuple[np.ndarray, str]], beside: Iterable[np.ndarray]) -> None:
    """The name of each curve beside its last point, where it covers no point, curve or other name if there is room."""
    figure = ax.figure
    figure.draw_without_rendering()  # Where points lie on paper is known only once all is laid out.
    renderer, inside = figure.canvas.get_renderer(), ax.get_window_extent()
    lines = [places for places, _ in drawn.values()] + [places for places in beside if len(places)]
    taken = np.concatenate([_along(ax.transData.transform(places)) for places in lines])
    boxes: list[Bbox] = []
    for name, (places, ink) in drawn.items():
        text = ax.annotate(style.wrapped(name, _LETTERS), tuple(places[-1]), (0, 0), color=ink, size=7.5,
                           textcoords="offset points", zorder=4, annotation_clip=False)  # fmt: skip
        text.set_in_layout(False)  # or a name would move the axes after its place was found
        free = {aside: _faults(_moved(text, aside, renderer), inside, taken, boxes) for aside in _AROUND}
        boxes.append(_moved(text, min(free, key=free.__getitem__), renderer))


def _moved(text: Annotation, aside: tuple[int, int], renderer: object) -> Bbox:
    """The place on paper of a name that is put so many points aside of its point."""
    text.set(ha="left" if aside[0] > 0 else "right", va="center")
    text.set_position(aside)
    return text.get_window_extent(renderer)


def _faults(box: Bbox, inside: Bbox, taken: np.ndarray, boxes: Iterable[Bbox]) -> float:
    """How much a name at this place covers, and how far it is out of the axes."""
    covered = ((taken > box.p0) & (taken < box.p1)).all(axis=1).sum()
    outside = max(inside.x0 - box.x0, 0) + max(box.x1 - inside.x1, 0) + max(inside.y0 - box.y0, 0)
    return float(covered + outside + 100 * sum(box.overlaps(named_box) for named_box in boxes))


def _along(corners: np.ndarray) -> np.ndarray:
    """Points on the lines between corners, close together."""
    steps = np.linspace(0, 1, 60)[:, None]
    lines = [start + steps * (end - start) for start, end in pairwise(corners)]
    return np.concatenate([corners, *lines])


def _key(figure: object, bounds: bool) -> None:
    gray = style.QUIET
    entries = [
        parts.sample(color=gray, lw=1.1, ls=(0, (4, 2)), label="Pareto frontier"),
        parts.sample(ls="", marker="o", color=gray, ms=2.6, alpha=0.6, label="other systems"),
    ]
    if bounds:
        entries.append(parts.sample(ls="", marker=">", color=gray, ms=5.5, label="lower bound of interactivity"))
    figure.legend(handles=entries, loc="outside lower left", ncols=2 if style.is_narrow() else 3, fontsize=8,
                  handletextpad=0.5)  # fmt: skip


@style.drawn_twice
def bars_at(
    frame: pd.DataFrame,
    *,
    label: str,
    at: str,
    name: str,
    axis: str,
    unit: str,
    missing: str,
    title: str,
    subtitle: str,
    color: str = "",
    notes: Notes = NONE,
) -> Drawing:
    """A grid of bars: a row per `label`, a column per value of `at`, each bar as long as interval `name` is high.

    Dark up to its low end, whose number is above it, light up to its high one. All bars have one scale. Where the
    interval is NaN, `missing` is in its place. `color` is a column of accelerators (default: the label column).
    `axis` names the quantity with its unit, `unit` the columns.
    """
    if frame.empty or frame[f"{name}_low"].isna().all():
        return style.nothing(title)
    notes |= parts.notes_of(frame, label)
    labels, points = list(dict.fromkeys(frame[label])), sorted(set(frame[at]))
    cells = {(row[label], row[at]): row for row in as_dicts(frame)}
    figure, ax = style.canvas(title, subtitle, 0.36 * len(labels) + 0.75)
    bars = _Bars(label, name, missing, _LONG / frame[f"{name}_high"].max(), notes)
    texts = {point: [bars.text(cells.get((who, point))) for who in labels] for point in points}
    heads = [f"{interval.number(point)} {unit}" for point in points]
    ends = [pd.DataFrame([cells.get((who, point), {}) for who in labels]) for point in points]
    columns = [Column(alt_text.heading(label), labels)]
    columns += [
        Column(head, texts[point], True, interval.of(rows, name))
        for head, point, rows in zip(heads, points, ends, strict=True)
    ]
    description = Description(
        f"Bars, {axis}:",
        columns,
        lambda who, *words: f"{who}: {', '.join(map('{} at {}'.format, words, heads))}",
    )
    for down, who in enumerate(labels):
        ink = style.color(frame.loc[frame[label].eq(who), color or label].iloc[0])
        for across, point in enumerate(points):
            bars.draw(ax, cells.get((who, point)), (across * _CELL, -down), ink, heads[across])
    ax.set_yticks(-np.arange(len(labels)), [style.wrapped(who, 16) for who in labels], size=8.5)
    ax.set_xticks(np.arange(len(points)) * _CELL, [style.wrapped(head, 10) for head in heads], size=8, ha="left")
    ax.xaxis.tick_top()
    ax.set(xlim=(-0.03, len(points) * _CELL), ylim=(-len(labels) + 0.45, 0.6))
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    return Drawing(figure, description.alt(title), description.table(title), notes)


@dataclass(frozen=True)
class _Bars:
    """The bars of `bars_at`: of the interval `name`, as long as `scale` times its high end, or `missing`."""

    label: str
    name: str
    missing: str
    scale: float
    of_all: Notes

    def text(self, row: Mapping | None) -> str:
        """The range of a cell in words."""
        return interval.text(*self._ends(row)) if self._has(row) else self.missing

    def draw(self, ax: Axes, row: Mapping | None, place: tuple[float, float], ink: str, head: str) -> None:
        """One bar with its number, its left end and its middle at `place`; `head` is that of its column."""
        left, middle = place
        if not self._has(row):
            ax.annotate(self.missing, place, size=7.5, color=style.QUIET, va="center")
            return
        low, high = (self.scale * end for end in self._ends(row))
        gid = f"{style.HOVER}{parts.hover(row, self.label, f'{self.text(row)} at {head}')}"
        shape = {"height": 0.26, "color": ink, "lw": 0, "align": "center"}
        ax.barh(middle - 0.2, high - low, left=left + low, alpha=_MORE, gid=gid, **shape)
        ax.barh(middle - 0.2, low, left=left, alpha=_GIVEN, gid=gid, **shape)
        marks = wording.marks(row.get("notes", NONE), self.of_all)
        number = interval.number(row[f"{self.name}_low"]) + (f" {marks}" if marks else "")
        ax.annotate(number, (left, middle + 0.02), size=7.5, va="bottom")

    def _ends(self, row: Mapping) -> tuple[float, float]:
        return row[f"{self.name}_low"], row[f"{self.name}_high"]

    def _has(self, row: Mapping | None) -> bool:
        return row is not None and not pd.isna(row[f"{self.name}_low"])
