"""The roofline: roofs on two logarithmic axes, with points below and above them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis._core import interval
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Column, Description
from analysis.charts.style import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHES = ("-", "--", ":", "-.")


@style.drawn_twice
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
    columns = min(1 if style.is_narrow() else 3, len(names))
    rows = -(-len(names) // columns)
    shape = {"nrows": rows, "ncols": columns, "sharex": True, "sharey": True, "squeeze": False}
    figure, axes = style.canvas(title, subtitle, (1.9 if style.is_narrow() else 2.9) * rows + 0.5, **shape)
    reach = max(float(frame["ridge"].max()) * 2, float(points["x_high"].max()) * 2)
    dashes = dict(zip(dict.fromkeys(frame[line]), _DASHES * 3, strict=False))
    for ax, name in zip(axes.flat, names, strict=False):
        _roof_panel(ax, frame[frame[panel].eq(name)], points[points[panel].eq(name)], name, line, dashes, reach)
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    for ax in axes[-1]:
        ax.set_xlabel(x_axis, size=8)
    for ax in axes[:, 0]:
        ax.set_ylabel(style.wrapped(y_axis, 14), size=8)
    _roof_legend(figure, dashes)
    description = _roofs_in_words(frame.assign(label=frame[panel] + " " + frame[line]), points, x_axis, y_axis)
    return Drawing(figure, description.alt(title), description.table(title))


def _roof_panel(
    ax: Axes, roofs: pd.DataFrame, points: pd.DataFrame, name: str, line: str, dashes: dict[str, Any], reach: float
) -> None:
    for roof in as_dicts(roofs):
        corners, heights = [1.0, roof["ridge"], reach], [roof["at_batch_1"], roof["flat"], roof["flat"]]
        ax.plot(corners, heights, color=style.color(name), lw=1.3, ls=dashes[roof[line]])
    for row in as_dicts(points):
        _point(ax, row, style.color(name))
    ax.set_title(name, size=9, loc="left", y=1)
    _logarithmic(ax, "", "")


def _point(ax: Axes, row: dict, ink: str) -> None:
    across, up = (interval.of(row, name) for name in ("x", "y"))
    ax.plot([across.low, across.high], [up.middle] * 2, color=ink, lw=1.6, alpha=0.5, zorder=2)
    ax.plot([across.middle] * 2, [up.low, up.high], color=ink, lw=1.6, alpha=0.5, zorder=2)
    hover_text = f"{style.HOVER}{row['label']} \u00b7 {up.text()} at {across.text()}"
    face = ink if row["above"] else "white"
    ax.plot(across.middle, up.middle, "o", color=ink, mfc=face, ms=4.5, alpha=0.9, zorder=3, gid=hover_text)


def _logarithmic(ax: Axes, x_axis: str, y_axis: str) -> None:
    ax.set(xscale="log", yscale="log")
    for axis in (ax.xaxis, ax.yaxis):
        parts.log_ticks(axis)
    ax.tick_params(labelsize=8)
    ax.set_xlabel(parts.log_scale(x_axis), size=9)
    ax.set_ylabel(parts.log_scale(y_axis), size=9)


def _roof_legend(figure: object, dashes: Mapping[str, str]) -> None:
    entries = [parts.sample(color=style.QUIET, lw=1.3, ls=dash, label=name) for name, dash in dashes.items()]
    entries.append(parts.sample(ls="", marker="o", color=style.QUIET, ms=5, label="above the limit"))
    entries.append(parts.sample(ls="", marker="o", color=style.QUIET, mfc="white", ms=5, label="below the limit"))
    figure.legend(
        handles=entries, loc="outside lower left", ncols=1 if style.is_narrow() else 3, fontsize=8, handletextpad=0.4
    )


def _roofs_in_words(roofs: pd.DataFrame, points: pd.DataFrame, x_axis: str, y_axis: str) -> Description:
    """Each roof, named by its `label`, from x = 1 to where it turns flat, then each point and its side of its roof."""
    corners = (roofs[name].map(interval.number) for name in ("at_batch_1", "flat", "ridge"))
    listing = "; ".join(map("{}: {} at 1, flat at {} from {}".format, roofs["label"], *corners))
    ends = {"at_batch_1": "y_low", "flat": "y_high", "ridge": "x_high"}
    lines = roofs.rename(columns=ends).assign(x_low=1.0, label=roofs["label"] + " limit")
    shared = ["label", "x_low", "x_high", "y_low", "y_high"]
    rows = pd.concat([lines[shared], points[shared]], ignore_index=True)
    sides = [*[""] * len(roofs), *("above" if above else "below" for above in points["above"])]
    columns = [
        Column("What", rows["label"]),
        alt_text.ranges(rows, "x", x_axis),
        alt_text.ranges(rows, "y", y_axis),
        Column("Compared with the limit", sides),
    ]
    return Description(
        f"Limits: {listing}. Points:", columns, lambda label, _, up, side: f"{label} {up} ({side})" if side else ""
    )
