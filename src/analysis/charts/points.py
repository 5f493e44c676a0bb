"""Charts of points: scatter, roofline, and strips of many values about one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Column, Description
from analysis.charts.colors import POINT, RULE
from analysis.charts.style import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHES = ("-", "--", ":", "-.")
_STRIP, _FILLED = 0.82, 0.8  # inches that a strip is high, and the part of them that its dots may take
_DOT = 3.4  # points that a dot takes up
_EVEN = 1.0  # the value of what is as it is said to be: a line


@style.chart
def scatter(
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    label: str,
    x_axis: str,
    y_axis: str,
    title: str,
    subtitle: str,
    front: str = "",
    notes: Notes = NONE,
) -> Drawing:
    """Named points at the middles of two intervals, with both ranges as lines.

    `front` is a column of booleans: those rows are filled and joined by a line, the others hollow.
    """
    rows = frame.assign(filled=frame[front].astype(bool) if front else True)
    notes |= parts.notes_of(rows, label)
    figure, ax = style.canvas(title, subtitle, 3.4)
    numbers = [alt_text.ranges(rows, x, x_axis), alt_text.ranges(rows, y, y_axis)]
    middles = [parts.mean(column.ends) for column in numbers]
    for row, *texts, i, j in zip(as_dicts(rows), *(column.texts for column in numbers), *middles, strict=True):
        tooltip = parts.hover(row, label, f"{x_axis} {texts[0]}", f"{y_axis} {texts[1]}")
        look = {"at": (i, j), "ms": 6.5, "face": POINT if row["filled"] else "white", "width": 2.4}
        parts.ranged(ax, interval.of(row, x), interval.of(row, y), POINT, tooltip, **look)
        aside, va = (7, "bottom") if row["filled"] else (-7, "top")
        ax.annotate(row[label], (i, j), (6, aside), textcoords="offset points", size=8, va=va, bbox=parts.BOX)
    if front:
        line = rows.assign(i=middles[0], j=middles[1])[rows["filled"]].sort_values("i")
        ax.plot(line["i"], line["j"], color=style.QUIET, lw=1, ls="--", zorder=1)
    ax.margins(0.2)
    if rows[f"{x}_low"].min() >= 0:
        ax.set_xlim(left=max(ax.get_xlim()[0], -0.03 * ax.get_xlim()[1]))  # No tick for what cannot be.
    parts.name_axes(ax, x_axis, y_axis)
    columns = [alt_text.words(rows, label), *numbers]
    if front:
        columns.append(Column(alt_text.heading(front), list(rows["filled"].map({True: "yes", False: "no"}))))
    spoken = "{} {} and {}".format
    return style.finished(figure, title, notes, Description(f"Points, {x_axis} and {y_axis}:", columns, spoken))


@style.chart
def roofs(
    frame: pd.DataFrame,
    points: pd.DataFrame,
    *,
    panel: str,
    line: str,
    x_axis: str,
    y_axis: str,
    title: str,
    subtitle: str,
) -> Drawing:
    """One panel per value of column `panel`: each row of `frame` is a roof that rises with x up to its ridge.

    Roof: `at_batch_1` at x = 1, `ridge` (the x where it turns flat), `flat`; column `line` names it. `points` have
    columns panel, `x_low/high`, `y_low/high`, `above` (over its roof: filled, else hollow), `label`.
    """
    if points.empty:
        return style.nothing(title)
    panels = {name: rows for name, rows in frame.groupby(panel, sort=False)}
    across = min(1 if style.is_narrow() else 3, len(panels))
    down = -(-len(panels) // across)
    shape = {"nrows": down, "ncols": across, "sharex": True, "sharey": True, "squeeze": False}
    figure, axes = style.canvas(title, subtitle, (1.9 if style.is_narrow() else 2.9) * down + 0.5, **shape)
    reach = 2 * max(frame["ridge"].max(), points["x_high"].max())
    dashes = dict(zip(dict.fromkeys(frame[line]), _DASHES * 3, strict=False))
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    for ax, (name, rows) in zip(axes.flat, panels.items(), strict=False):
        ink = style.color(name)
        for roof in as_dicts(rows):
            corners, heights = [1.0, roof["ridge"], reach], [roof["at_batch_1"], roof["flat"], roof["flat"]]
            ax.plot(corners, heights, color=ink, lw=1.3, ls=dashes[roof[line]])
        for row in as_dicts(points[points[panel].eq(name)]):
            x, y = interval.of(row, "x"), interval.of(row, "y")
            tooltip, face = f"{row['label']} \u00b7 {y.text()} at {x.text()}", ink if row["above"] else "white"
            parts.ranged(ax, x, y, ink, tooltip, width=1.6, face=face, ms=4.5)
        ax.set_title(name, loc="left", y=1)
        parts.log_axes(ax, "", "")
    for ax in axes.flat:
        ax.set(xlabel=x_axis if ax in axes[-1] else "", ylabel=style.wrapped(y_axis, 14) if ax in axes[:, 0] else "")
    entries = [parts.sample(name, ls=dash, lw=1.3) for name, dash in dashes.items()]
    entries += [parts.sample("above the limit", "o"), parts.sample("below the limit", "o", mfc="white")]
    parts.legend(axes.flat[0], entries)
    return style.finished(figure, title, NONE, _roofs_in_words(frame, panel, line, points, x_axis, y_axis))


def _roofs_in_words(
    roofs: pd.DataFrame, panel: str, line: str, points: pd.DataFrame, x_axis: str, y_axis: str
) -> Description:
    """Each roof from x = 1 to where it turns flat, then each point and its side of its roof."""
    names = roofs[panel] + " " + roofs[line]
    corners = (roofs[name].map(interval.number) for name in ("at_batch_1", "flat", "ridge"))
    listing = "; ".join(map("{}: {} at 1, flat at {} from {}".format, names, *corners))
    lines = roofs.rename(columns={"at_batch_1": "y_low", "flat": "y_high", "ridge": "x_high"})
    lines = lines.assign(x_low=1.0, label=names + " limit", side="")
    rows = pd.concat([lines, points.assign(side=points["above"].map({True: "above", False: "below"}))])
    columns = [
        Column("What", rows["label"]),
        alt_text.ranges(rows, "x", x_axis),
        alt_text.ranges(rows, "y", y_axis),
        Column("Compared with the limit", rows["side"]),
    ]

    def spoken(label: str, _: str, up: str, side: str) -> str:
        return f"{label} {up} ({side})" if side else ""

    return Description(f"Limits: {listing}. Points:", columns, spoken)


@style.chart
def strips(
    frame: pd.DataFrame,
    *,
    strip: str,
    value: str,
    group: str,
    inks: Mapping[str, str],
    tooltip: str,
    axis: str,
    title: str,
    subtitle: str,
) -> Drawing:
    """One strip per value of column `strip`, in their order, with a dot for each row at its `value` (logarithmic).

    Dots of one place are stacked. `group` is a column of the keys of `inks` (one color each, drawn in
    that order), `tooltip` one of what is known of a dot that is pointed at. A line is at 1; rows whose value is not
    above zero are left out.
    """
    rows = frame[frame[value].gt(0)].reset_index(drop=True)
    if rows.empty:
        return style.nothing(title)
    names = list(dict.fromkeys(rows[strip]))
    rows = rows.assign(**{group: pd.Categorical(rows[group], list(inks)), strip: pd.Categorical(rows[strip], names)})
    rows = rows.sort_values([strip, group], kind="stable")
    figure, ax = style.canvas(title, subtitle, _STRIP * len(names) + 0.8)
    parts.rows_axis(ax, pd.Series(names), -np.arange(len(names)), axis, log=True)
    parts.limits(ax, min(rows[value].min(), _EVEN), max(rows[value].max(), _EVEN), log=True)
    parts.guides(ax, _EVEN)
    ax.set_ylim(0.5 - len(names), 0.5)
    ax.hlines(-np.arange(len(names) - 1) - 0.5, 0, 1, transform=ax.get_yaxis_transform(), color=RULE, lw=0.6)
    shown = rows[group].cat.remove_unused_categories().cat.categories
    parts.legend(ax, [parts.sample(name, "o", color=inks[name]) for name in shown], least=1)
    figure.draw_without_rendering()  # How many dots fit into a strip is known only once all is laid out.
    for place, name in enumerate(names):
        dots = rows[rows[strip].eq(name)]
        for row, (across, up) in zip(as_dicts(dots), _piled(ax, dots[value]), strict=True):
            parts.point(ax, across, up - place, inks[row[group]], row[tooltip], ms=_DOT - 0.6, mew=0)
    counted = rows.groupby([strip, group], observed=True)[value].agg(["size", "min", "max"]).reset_index()
    columns = [
        Column(alt_text.heading(strip), [", ".join(name.splitlines()) for name in counted[strip]]),
        Column(alt_text.heading(group), list(counted[group])),
        Column("Dots", [f"{size:,}" for size in counted["size"]], numeric=True),
        Column(alt_text.capital(axis), list(map(interval.text, counted["min"], counted["max"])), numeric=True),
    ]
    return style.finished(
        figure, title, NONE, Description(f"{len(rows)} dots, {axis}:", columns, "{}: {}, {} at {}".format)
    )


def _piled(ax: Axes, values: pd.Series) -> Iterator[tuple[float, float]]:
    """Where the dot of each value goes: its place on the axis, and how far above the middle of its strip, in strips.

    Dots are in columns a dot wide, one of them on the line; what a column has no room for goes to the next.
    """
    onto, back = ax.transData.transform, ax.transData.inverted().transform
    dot = _DOT * ax.figure.dpi / 72
    start, high = onto((_EVEN, 0))[0], onto((_EVEN, 1))[1] - onto((_EVEN, 0))[1]
    room = max(1, int(_FILLED * high / dot))
    piles: Counter[int] = Counter()
    for value in values:
        nearest = round((onto((value, 0))[0] - start) / dot)
        steps = (sign * step for step in count() for sign in (1, -1))
        column = next(nearest + step for step in steps if piles[nearest + step] < room)
        number, piles[column] = piles[column], piles[column] + 1
        side = (number + 1) // 2 * (1 if number % 2 else -1)
        yield back((start + column * dot, 0))[0], side * dot / high
