"""Kinds of figure on two logarithmic axes: printed against expected, and roofs with points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.core import interval
from analysis.show.figures import in_words, style
from analysis.show.figures.in_words import Column, Description
from analysis.show.figures.style import Drawing

_SHAPES = ("o", "s", "D", "^", "v", "P", "X")
_DASHES = ("-", "--", ":", "-.")
_LINE, _WORDS = 9, 120  # points that a line of words takes up, and that a label may be long


def against(
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    series: str,
    group: str,
    inks: Mapping[str, str],
    x_axis: str,
    y_axis: str,
    title: str,
    subtitle: str,
    label: str = "",
) -> Drawing:
    """Interval `y` against interval `x` with both ranges, and the line where they are equal.

    `series` is a column of text (one marker each), `group` a column of the keys of `inks` (one colour each, drawn in
    that order, so the last lies on top). `label` is a column of words put beside a point where it is not empty. Rows
    with an end that is not above zero are left out; the alt text counts each group and tells the labelled points.
    """
    drawn = frame[(frame[[f"{name}_low" for name in (x, y)]] > 0).all(axis=1)]
    if drawn.empty:
        return style.nothing(title)
    figure, ax = style.canvas(title, subtitle, 4.4)
    shapes = dict(zip(dict.fromkeys(frame[series]), _SHAPES * 3, strict=False))
    for name, ink in inks.items():
        for row in drawn[drawn[group].eq(name)].to_dict("records"):
            _point(ax, row, x, y, ink, shapes[row[series]])
    ends = drawn[[f"{name}_{end}" for name in (x, y) for end in ("low", "high")]]
    reach = (ends.min(axis=None) / 2, ends.max(axis=None) * 2)
    ax.plot(reach, reach, color=style.QUIET, lw=0.9, ls="--", zorder=1)
    _logarithmic(ax, x_axis, y_axis)
    _labels(ax, drawn, x, y, label)
    _legend(figure, shapes, {name: ink for name, ink in inks.items() if name in set(drawn[group])})
    counts = ", ".join(f"{int(drawn[group].eq(name).sum())} {name}" for name in inks)
    description = Description(
        f"{len(drawn)} points, {y_axis} against {x_axis}: {counts}.",
        [
            *(in_words.words(drawn, name) for name in (series, group)),
            *(in_words.ranges(drawn, name, quantity) for name, quantity in ((y, y_axis), (x, x_axis))),
            *([in_words.words(drawn, label)] if label else []),
        ],
        lambda _series, _group, up, across, words="": words and f"{words}: {up} against {across}",
    )
    return Drawing(figure, description.alt(title), description.table(title))


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
    names = list(dict.fromkeys(frame[panel]))
    if not names or points.empty:
        return style.nothing(title)
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    shape = {"nrows": rows, "ncols": columns, "sharex": True, "sharey": True, "squeeze": False}
    figure, axes = style.canvas(title, subtitle, 2.9 * rows + 0.5, **shape)
    reach = max(float(frame["ridge"].max()) * 2, float(points["x_high"].max()) * 2)
    dashes = dict(zip(dict.fromkeys(frame[line]), _DASHES * 3, strict=False))
    for ax, name in zip(axes.flat, names, strict=False):
        _roof_panel(ax, frame[frame[panel].eq(name)], points[points[panel].eq(name)], name, line, dashes, reach)
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    for ax in axes[-1]:
        ax.set_xlabel(x_axis, size=8)
    for ax in axes[:, 0]:
        ax.set_ylabel(y_axis, size=8)
    _roof_legend(figure, dashes)
    description = _roofs_in_words(frame.assign(label=frame[panel] + " " + frame[line]), points, x_axis, y_axis)
    return Drawing(figure, description.alt(title), description.table(title))


def _roof_panel(
    ax: Axes, roofs: pd.DataFrame, points: pd.DataFrame, name: str, line: str, dashes: dict[str, Any], reach: float
) -> None:
    for roof in roofs.to_dict("records"):
        at, heights = [1.0, roof["ridge"], reach], [roof["at_batch_1"], roof["flat"], roof["flat"]]
        ax.plot(at, heights, color=style.colour(name), lw=1.3, ls=dashes[roof[line]])
    for row in points.to_dict("records"):
        _point(ax, row, "x", "y", style.colour(name), "o", hollow=not row["above"])
    ax.set_title(name, size=9, loc="left")
    _logarithmic(ax, "", "")


def _point(ax: Axes, row: dict, x: str, y: str, ink: str, marker: str, hollow: bool = False) -> None:
    across, up = ((row[f"{name}_low"], row[f"{name}_high"]) for name in (x, y))
    middle = (np.sqrt(across[0] * across[1]), np.sqrt(up[0] * up[1]))
    ax.plot(across, [middle[1]] * 2, color=ink, lw=1.6, alpha=0.5, zorder=2)
    ax.plot([middle[0]] * 2, up, color=ink, lw=1.6, alpha=0.5, zorder=2)
    ax.plot(*middle, marker, color=ink, mfc="white" if hollow else ink, ms=4.5, alpha=0.9, zorder=3)


def _logarithmic(ax: Axes, x_axis: str, y_axis: str) -> None:
    ax.set(xscale="log", yscale="log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    ax.tick_params(labelsize=8)
    ax.set_xlabel(x_axis, size=9)
    ax.set_ylabel(y_axis, size=9)


def _labels(ax: Axes, rows: pd.DataFrame, x: str, y: str, label: str) -> None:
    """Words away from the line of equals, each a line further out where another stands already."""
    named = rows[rows[label].ne("")].to_dict("records") if label else []
    if not named:
        return
    ax.figure.draw_without_rendering()  # Where points lie on paper is known only once all is laid out.
    spots = [[float(np.sqrt(row[f"{name}_low"] * row[f"{name}_high"])) for name in (x, y)] for row in named]
    taken: list[tuple[bool, float, float]] = []
    for at, row in sorted(zip(spots, named, strict=True), key=lambda pair: pair[0][1]):
        above = at[1] > at[0]
        across, up = ax.transData.transform(at) * 72 / ax.figure.dpi
        step = _LINE if above else -_LINE
        while any(side == above and abs(i - across) < _WORDS and abs(j - up) < _LINE for side, i, j in taken):
            up += step
        taken.append((above, across, up))
        lift = up - ax.transData.transform(at)[1] * 72 / ax.figure.dpi
        place = {"xytext": (-6, 4 + lift) if above else (6, lift - 4), "ha": "right" if above else "left"}
        ax.annotate(row[label], at, textcoords="offset points", size=7, va="bottom" if above else "top", **place)


def _legend(figure: Figure, shapes: Mapping[str, str], inks: Mapping[str, str]) -> None:
    entries = [Line2D([], [], ls="", marker=m, color=style.QUIET, ms=5, label=name) for name, m in shapes.items()]
    entries += [Line2D([], [], lw=5, color=ink, label=name, solid_capstyle="butt") for name, ink in inks.items()]
    figure.legend(handles=entries, loc="outside lower left", ncols=3, fontsize=8, handletextpad=0.4)


def _roof_legend(figure: object, dashes: Mapping[str, str]) -> None:
    entries = [Line2D([], [], color=style.QUIET, lw=1.3, ls=dash, label=name) for name, dash in dashes.items()]
    entries.append(Line2D([], [], ls="", marker="o", color=style.QUIET, ms=5, label="above its roof"))
    entries.append(Line2D([], [], ls="", marker="o", color=style.QUIET, mfc="white", ms=5, label="below its roof"))
    figure.legend(handles=entries, loc="outside lower left", ncols=3, fontsize=8, handletextpad=0.4)


def _roofs_in_words(roofs: pd.DataFrame, points: pd.DataFrame, x_axis: str, y_axis: str) -> Description:
    """Each roof, named by its `label`, from x = 1 to where it turns flat, then each point and its side of its roof."""
    corners = (roofs[name].map(interval.number) for name in ("at_batch_1", "flat", "ridge"))
    listing = "; ".join(map("{}: {} at 1, flat at {} from {}".format, roofs["label"], *corners))
    ends = {"at_batch_1": "y_low", "flat": "y_high", "ridge": "x_high"}
    lines = roofs.rename(columns=ends).assign(x_low=1.0, label=roofs["label"] + " roof")
    shared = ["label", "x_low", "x_high", "y_low", "y_high"]
    rows = pd.concat([lines[shared], points[shared]], ignore_index=True)
    sides = [*[""] * len(roofs), *("above" if above else "below" for above in points["above"])]
    columns = [
        Column("What", rows["label"]),
        in_words.ranges(rows, "x", x_axis),
        in_words.ranges(rows, "y", y_axis),
        Column("Beside its roof", sides),
    ]
    return Description(
        f"Roofs: {listing}. Points:", columns, lambda what, _, up, side: f"{what} {up} ({side})" if side else ""
    )
