"""Step curves: measured points, each of which holds to its left until the point before; nothing between is drawn in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.notes import NONE
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Column, Description
from analysis.charts.style import Drawing

MARKERS = ("o", "s", "D", "^", "v", "P", "X", "<", ">")


@style.chart
def steps(
    frame: pd.DataFrame, *, label: str, x: str, y: str, ticks: Sequence[float], x_axis: str, y_axis: str, title: str,
    subtitle: str, color: str = "",
) -> Drawing:  # fmt: skip
    """One step function per value of the column `label`: a row is a point of `y` at `x`, held down to the one before.

    Rows without `x` are ceilings, a triangle at the left edge. `color` is a column of accelerators (default: the label
    column); curves of one accelerator differ in marker. The vertical axis is logarithmic; `ticks` are values of `x`
    that the axis has, where it reaches them.
    """
    if frame.empty:
        return style.nothing(title)
    rows = frame.sort_values([label, x], kind="stable").reset_index(drop=True)
    figure, ax = style.canvas(title, subtitle, 3.6)
    numbers = [interval.number(value) for value in rows[y]]
    speeds = ["Offline" if pd.isna(value) else interval.number(value) for value in rows[x]]
    entries = []
    for place, (name, points) in enumerate(rows.groupby(label, sort=False)):
        ink, marker = style.color(points.iloc[0][color or label]), MARKERS[place % len(MARKERS)]
        paced = points.dropna(subset=x)
        across, up = np.r_[0, np.repeat(paced[x], 2)][:-1], np.repeat(paced[y].to_numpy(), 2)
        ax.plot(across, up[: len(across)], color=ink, lw=1.4, zorder=2)
        for row in as_dicts(points.assign(place=points.index)):
            words = parts.hover(row, label, f"{speeds[row['place']]} {x_axis}", f"{numbers[row['place']]} {y_axis}")
            shape, at = ("<", 0) if pd.isna(row[x]) else (marker, row[x])
            face = "white" if pd.isna(row[x]) else ink
            ax.plot(at, row[y], shape, color=ink, mfc=face, ms=5, zorder=3, clip_on=False, gid=f"{style.HOVER}{words}")
        entries.append(parts.sample(color=ink, marker=marker, ms=5, lw=1.4, label=name))
    if rows[x].isna().any():
        entries.append(parts.sample(ls="", marker="<", color=style.QUIET, mfc="white", ms=5, label="Offline run"))
    fastest = float(rows[x].max()) if rows[x].notna().any() else 1.0
    ax.set(yscale="log", xlim=(0, 1.06 * fastest))
    ax.set_xticks([0, *(tick for tick in ticks if tick <= 1.06 * fastest), fastest])
    ax.xaxis.set_major_formatter(lambda value, _: interval.number(value))
    parts.log_ticks(ax.yaxis)
    ax.tick_params(labelsize=8.5)
    ax.set_xlabel(style.wrapped(x_axis, 44), size=9)
    ax.set_ylabel(style.wrapped(parts.log_scale(y_axis), 30), size=9)
    place = {"loc": "outside lower left", "ncols": 1 if style.is_narrow() else 2, "fontsize": 8}
    figure.legend(handles=entries, handlelength=1.8, **place)
    columns = [alt_text.words(rows, label), Column(alt_text.capital(x_axis), speeds, numeric=True)]
    columns.append(Column(alt_text.capital(y_axis), numbers, numeric=True))
    description = Description(f"Step functions, {y_axis} over {x_axis}:", columns, "{} at {}: {}".format)
    return style.finished(figure, title, NONE, description)
