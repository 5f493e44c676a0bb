"""Charts of lines: over time, over the size of systems, over interactivity, and steps over users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core import notes as wording
from analysis._core.interval import Interval
from analysis._core.notes import NONE
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Column, Description
from analysis.charts.colors import GRID
from analysis.charts.style import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Lines = dict[str, tuple[np.ndarray, str]]  # places in the data and color by name
_AROUND = 1.25  # times that an axis reaches beyond what is drawn
_SIZES = tuple(2**power for power in range(10))
_REACH = 1.6  # times the last point that an axis may go on for a tick
_CLEAR = 0.12  # of the last point, that the words at 0 take of the axis
_CLEAR_NARROW = 0.15  # of a narrow drawing
_STEP = {"color": style.QUIET, "lw": 1.1, "ls": (0, (4, 2))}  # of the Pareto frontier
_ESTIMATE = {"lw": 1.2, "ls": (0, (4, 2))}
_BETWEEN = {"lw": 1.3, "ls": (0, (1, 2))}  # from one run to the next


@style.chart
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
) -> Drawing:
    """One line per value of the column `label`: the middles of interval `name` (logarithmic) by the day in `date`.

    `when` is a column of words for the days, which are below the axis; `color` one of accelerators (default: the
    label column). Each line has its name at its end; a point has its own marks, and is hollow in preview.
    """
    rows = frame.reset_index(drop=True)
    rows = rows.assign(x=(rows[date] - rows[date].min()).dt.days, y=interval.of(rows, name).middle)
    notes = parts.notes_of(rows, label)
    figure, ax = style.canvas(title, subtitle, 3.3)
    numbers = alt_text.ranges(rows, name, axis)
    drawn = _lines(ax, rows, label, color, [[text] for text in numbers.texts])
    for row in as_dicts(rows):
        if mark := wording.marks(row.get("notes", NONE), notes):
            ink = style.color(row[color or label])
            parts.text_at(ax, row["x"], row["y"], mark, -5, color=ink, size=8)
    shown = rows.drop_duplicates("x")
    ax.set_xticks(shown["x"], [style.wrapped(words, 4) for words in shown[when]], size=8)
    ax.set(yscale="log", ylim=(rows["y"].min() / _AROUND, rows["y"].max() * _AROUND))
    parts.log_ticks(ax.yaxis)
    parts.name_axes(ax, y=parts.log_scale(axis))
    ax.grid(axis="x", visible=False)
    parts.name_lines(ax, drawn)
    columns = [alt_text.words(rows, label), alt_text.words(rows, when), numbers, *alt_text.remarks(rows, "")]
    return style.finished(figure, title, notes, Description(f"Lines over time, {axis}:", columns, "{} ({}) {}".format))


@style.chart
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
) -> Drawing:
    """One line per value of the column `label`: the middles of interval `name` by the column `size`, both logarithmic.

    `series` is a column of the keys of `markers`, each of which has a marker (matplotlib's) in the legend; `color` one
    of accelerators (default: the label column). Each line has its name beside its last point, apart from the others.
    """
    rows = frame.sort_values(size, kind="stable").reset_index(drop=True)
    rows = rows.assign(x=rows[size].astype(float), y=interval.of(rows, name).middle)
    notes = parts.notes_of(rows, label)
    figure, ax = style.canvas(title, subtitle, 3.5)
    numbers = alt_text.ranges(rows, name, y_axis)
    sizes = alt_text.whole(rows, size, x_axis)
    tooltip = [[f"{count} accelerators", text] for count, text in zip(sizes.texts, numbers.texts, strict=True)]
    drawn = _lines(ax, rows, label, color, tooltip, rows[series].map(markers))
    low, high = rows[["x", "y"]].min() / 1.3, rows[["x", "y"]].max() * 1.3
    ax.set(xlim=(low["x"], high["x"]), ylim=(low["y"], high["y"]))
    parts.log_axes(ax, x_axis, y_axis)
    ax.set_xticks([count for count in _SIZES if low["x"] <= count <= high["x"]])
    parts.name_lines(ax, drawn)
    parts.legend(ax, [parts.sample(*entry) for entry in markers.items() if entry[0] in set(rows[series])])
    columns = [alt_text.words(rows, label), sizes, alt_text.words(rows, series), numbers, *alt_text.remarks(rows, "")]
    spoken = "{0} {1} ({2}) {3}".format
    return style.finished(figure, title, notes, Description(f"Lines over {x_axis}, {y_axis}:", columns, spoken))


@style.chart
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
    estimates: pd.DataFrame | None = None,
) -> Drawing:
    """A dotted line per `label` over its points of interval `y` at `x`, in the order of rows; a missing `x` is at 0.

    `color` is a column of accelerators (default: the label column), `series` one of words that tells the points of a
    curve apart, `bound` one of booleans: at such a point x is the least that holds, and its marker points on. Points of
    `others` are small, those of `front` make a dashed step behind all: what is given at an x or beyond. `lines` are
    vertical, named above; `ticks` are numbers that the axis has, and reaches where they are not far beyond the points.
    Points of what was in preview are hollow. Beyond the last point the ground is gray. `estimates` are rows of the same
    columns at many an x: a dashed line and a band per `label`, as far as measured points reach up.
    """
    rows, others, front = (
        each.assign(x=each[x].fillna(0), y=parts.mean(interval.of(each, y))).reset_index(drop=True)
        for each in (frame, others, front)
    )
    notes = parts.notes_of(rows, label)
    figure, ax = style.canvas(title, subtitle, 4.3 if style.is_narrow() else 3.9)
    points = pd.concat([rows, others, front], ignore_index=True)
    last = points["x"].max()
    clear = _CLEAR_NARROW if style.is_narrow() else _CLEAR
    ticks = [tick for tick in ticks if clear * last <= tick <= _REACH * last]
    right = max(_AROUND * last, 1.06 * max(ticks, default=0))
    ax.axvspan(last, right, color=GRID, alpha=0.6, lw=0, zorder=0)
    ax.plot(others["x"], others["y"], "o", ms=2.6, color=style.QUIET, alpha=0.45, zorder=1)
    steps = front.sort_values("x")  # what is given at an x is what the next point gives
    stairs = np.column_stack([[0, *np.repeat(steps["x"], 2)][: 2 * len(steps)], np.repeat(steps["y"], 2)])
    ax.plot(*stairs.T, **_STEP, zorder=1)
    speeds = ["no latency limit" if pd.isna(speed) else interval.number(speed) for speed in frame[x]]
    numbers = [Column(alt_text.capital(x_axis), speeds, numeric=True), alt_text.ranges(rows, y, y_axis)]
    texts = zip(
        rows[series], *([f"{column.header} {text}" for text in column.texts] for column in numbers), strict=True
    )
    drawn = _lines(ax, rows, label, color, list(texts), rows[bound].map({True: ">", False: "o"}), **_BETWEEN)
    top = interval.of(pd.concat([rows, others]), y).high.max()
    drawn |= _estimates(ax, estimates, label, color, x, y, top, drawn) if estimates is not None else {}
    ax.set(xlim=(0, right), ylim=(0, 1.08 * top))
    unlimited = "no\nlatency\nlimit" if style.is_narrow() else "no latency\nlimit"
    ax.set_xticks([0, *ticks], [unlimited, *map(interval.number, ticks)])
    ax.yaxis.set_major_formatter(parts.plain)
    parts.name_axes(ax, x_axis, y_axis)
    quiet = {"textcoords": "offset points", "size": 7, "color": style.QUIET}
    for words, place in lines.items():
        ax.axvline(place, color=style.QUIET, lw=0.8, ls=":", zorder=1)
        ax.annotate(words, (place, 1), (0, 2), xycoords=("data", "axes fraction"), ha="center", va="bottom", **quiet)
    is_high = points.loc[points["x"].eq(last), "y"].max() > top / 2
    edge, inward, side = (0, 4, "bottom") if is_high else (1, -4, "top")  # clear of the label of the fastest run
    ax.annotate("no faster\nrun", (1, edge), (-3, inward), xycoords="axes fraction", ha="right", va=side, **quiet)
    marks = {
        name: wording.marks(wording.union(points.get("notes", ())), notes)
        for name, points in rows.groupby(label, sort=False)
    }
    named = {f"{name} {marks.get(name, '')}".rstrip(): line for name, line in drawn.items()}
    parts.name_lines(ax, named, [stairs, *others[["x", "y"]].to_numpy()[:, None]])
    entries = [parts.sample("Pareto frontier", **_STEP), parts.sample("not measured (between runs)", **_BETWEEN)]
    entries += [parts.sample("other systems", "o", ms=2.6)]
    entries += [parts.sample("lower bound of interactivity", ">")] * bool(rows[bound].any())
    entries += [parts.band_sample("estimate (dashed), no MLPerf result")] * (estimates is not None)
    parts.legend(ax, entries)
    columns = [alt_text.words(rows, label), alt_text.words(rows, series), *numbers]
    spoken = "{} ({}) {}: {}".format
    return style.finished(figure, title, notes, Description(f"Curves, {y_axis} over {x_axis}:", columns, spoken))


@style.chart
def stairs(
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
) -> Drawing:
    """One staircase per value of the column `label`: a row is a step of height `y` that begins at `x` (logarithmic).

    `points` mark today's choice, a row per label: its place `x`, and at it the interval `<y>_low` to `<y>_high` with
    its marker at `<y>_median`. `others` maps further columns of `frame` where the same steps begin to their words in
    the legend: thin lines. `color` is a column of accelerators (default: the label column).
    """
    if frame.empty or points.empty:
        return style.nothing(title)
    notes = parts.notes_of(points, label)
    figure, ax = style.canvas(title, subtitle, 3.2)
    reach = _AROUND * max(float(frame[x].max()), float(points[x].max()))
    thin = {"lw": 0.9, "ls": ":"}
    entries = []
    for name, steps in frame.groupby(label, sort=False):
        ink = style.color(steps[color or label].iloc[0])
        for column, look in {**dict.fromkeys(others or (), thin), x: {"lw": 1.7}}.items():
            across, up = [*steps[column].astype(float), reach], [*steps[y], steps[y].iloc[-1]]
            ax.plot(across, up, drawstyle="steps-post", color=ink, zorder=2, **look)
        entries.append(parts.sample(name, color=ink, lw=1.7))
    entries += [parts.sample(words, **thin) for words in (others or {}).values()]
    texts = alt_text.ranges(points, y, y_axis).texts
    for row, text in zip(as_dicts(points), texts, strict=True):
        ink, at = style.color(row[color or label]), float(row[x])
        tooltip = parts.hover(row, label, f"{row[x]:,} {x_axis}", f"{text} {y_axis}")
        look = {"at": (at, row[f"{y}_median"]), "face": parts.face(row, ink), "ms": 6, "zorder": 4}
        parts.ranged(ax, Interval(at, at), interval.of(row, y), ink, tooltip, **look)
    for today in points[x].unique():
        ax.axvline(today, color=style.QUIET, lw=1, ls="--", zorder=1)
    ax.set_xlim(frame[x].min() / _AROUND, reach)
    parts.log_axes(ax, x_axis, y_axis)
    parts.legend(ax, entries)
    columns = [alt_text.words(frame, label)]
    columns += [alt_text.whole(frame, x, f"{x_axis} from"), alt_text.whole(frame, y, y_axis)]
    choices = zip(points[label], texts, points[x], strict=True)
    today = "; ".join(f"{name} {number} at {users:,} {x_axis}" for name, number, users in choices)
    description = Description(f"Staircases, {y_axis} over {x_axis}. {today}.", columns, lambda *_: "")
    return style.finished(figure, title, notes, description)


def _lines(
    ax: Axes,
    rows: pd.DataFrame,
    label: str,
    color: str,
    tooltip: Sequence[Sequence[str]],
    markers: pd.Series | None = None,
    **look: Any,
) -> Lines:
    """A line per `label` through its points at the columns `x` and `y`, which say what is `tooltip` of each row.

    Points of lines lie above single ones: a line would begin nowhere under the mark of another.
    """
    drawn: Lines = {}
    for name, points in rows.groupby(label, sort=False):
        ink = style.color(points[color or label].iloc[0])
        ax.plot(points["x"], points["y"], color=ink, zorder=2, **{"lw": 1.6} | look)
        above = 3.5 if len(points) > 1 else 3
        for place, row in zip(points.index, as_dicts(points), strict=True):
            marker = "o" if markers is None else markers[place]
            words, face = parts.hover(row, label, *tooltip[place]), parts.face(row, ink)
            parts.point(ax, row["x"], row["y"], ink, words, marker, face, zorder=above)
        drawn[name] = points[["x", "y"]].to_numpy(float), ink
    return drawn


def _estimates(
    ax: Axes, estimates: pd.DataFrame, label: str, color: str, x: str, y: str, top: float, measured: Lines
) -> Lines:
    """A dashed line and a band per `label` as far up as `top`; those lines that have no `measured` one are returned."""
    ends = interval.of(estimates, y)
    alone: Lines = {}
    for name, rows in estimates.assign(low=ends.low, high=ends.high, y=ends.middle).groupby(label, sort=False):
        shown, ink = rows[rows["y"].le(top)], style.color(rows[color or label].iloc[0])
        ax.plot(shown[x], shown["y"], color=ink, zorder=1.8, **_ESTIMATE)
        ax.fill_between(shown[x], shown["low"], shown["high"], color=ink, alpha=0.1, lw=0, zorder=0.5)
        if name not in measured and len(shown):
            alone[name] = shown[[x, "y"]].to_numpy(float), ink
    return alone
