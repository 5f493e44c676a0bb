"""Charts of labeled rows: bars for magnitudes, dots for ratios with a range."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.charts import parts, theme
from analysis.charts.parts import Label, Reference

BETWEEN = 0.5  # bars' thickness between two labels
THICK, THIN = 0.30, 0.24  # inches of a bar that stands alone, and of one in a group
FRAME = 0.75  # inches of the axis below rows


def bars(
    frame: pd.DataFrame, y: str, x: str, *, hue: str | None = None, low: str | None = None, high: str | None = None,
    hatched: str | None = None, label: Label = None, reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one horizontal bar per row, from zero, in the order of the frame from the top.

    Rows of one `y` stand together; `hue` tells them apart. `low` and `high` are columns of a range, a thin line.
    `hatched` is a boolean column, such as "modeled": its name is the legend's word for hatched bars. `label` is what
    stands at the end of a bar: a column, a format such as "{:.1f}x", a pair of either (the second in small print), ""
    for nothing; by default the number. `reference` is a value, a pair for a band, or a mapping of names to either.
    """
    rows = parts.drawn(frame, y, x, hue, low, high, hatched, label)
    rows["place"] = _places(rows["y"])
    ax = _axes(ax, rows, x)
    for row in rows.itertuples():
        form = {"facecolor": row.color, "edgecolor": row.color, "alpha": row.alpha}
        form |= parts.FORMS["hatched" if row.flag else "solid"]
        ax.barh(row.place, row.x, height=0.86, zorder=2, **form)
        if row.low < row.high:
            ax.plot([row.low, row.high], [row.place, row.place], color=theme.INK, lw=1.4, zorder=2.6)
        ends, left = [row.x, row.low, row.high, 0], row.x < 0
        far = np.nanmin(ends) if left else np.nanmax(ends)
        parts.beside(ax, far, row.place, row.value, row.note, gap=-5 if left else 5)
    ends = [0, *rows[["x", "low", "high"]].to_numpy(float).ravel()]
    ax.set_xlim(1.02 * np.nanmin(ends), 1.02 * np.nanmax(ends) or 1)
    ax.axvline(0, color=theme.MUTED, lw=0.8, zorder=2.2)
    parts.reference(ax, reference)
    parts.key(ax, rows, hatched, dots=False)
    return ax


def dots(
    frame: pd.DataFrame, y: str, x: str, *, low: str | None = None, high: str | None = None, hue: str | None = None,
    hollow: str | None = None, label: Label = None, reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one dot per row with its range as a line, in the order of the frame from the top.

    Rows of one `y` and `hue` share a line: several are small dots with a bar at their median. The label formats the
    median (default: median and count); a label column is read from the first. `hollow` is a boolean column
    whose name is the legend's word for hollow dots. `label` and `reference` are as for `bars`.
    """
    rows = parts.drawn(frame, y, x, hue, low, high, hollow, label)
    if rows["alpha"].ne(1).any():  # the row says which accelerator it is, the color what is compared
        rows["color"], rows["alpha"] = parts.turns(rows["hue"], theme.PALETTE), 1.0
    firsts = rows.drop_duplicates(["y", "hue"]).index
    rows.loc[firsts, "place"] = _places(rows["y"][firsts])
    rows["far"] = rows[["x", "low", "high"]].max(axis=1)
    line = rows.groupby(["y", "hue"], sort=False, observed=True)
    for name, column, what in (("count", "x", "size"), ("median", "x", "median"), ("far", "far", "max")):
        rows[name] = line[column].transform(what)
    rows["place"] = line["place"].transform("first")
    if rows["count"].max() > 1:
        rows["marker"] = "o"
        rows = rows.assign(**parts.labels(frame, rows["median"], label))
        if label is None:
            rows["note"] = rows["count"].map("n = {:,}".format).where(rows["count"] > 1, "")
    ax = _axes(ax, rows.loc[firsts], x)
    for row in rows.itertuples():
        if row.count > 1:
            aside = (row.Index * 0.618034 % 1 - 0.5) * 0.55  # across the line, where nothing is measured
            ax.plot(row.x, row.place + aside, "o", ms=4.5, color=row.color, alpha=0.45, mew=0)
            continue
        line = {"color": row.color, "lw": 3.5, "alpha": 0.4, "solid_capstyle": "round", "clip_on": False}
        ax.plot([row.low, row.high], [row.place, row.place], **line)
        look = {"color": row.color, "mfc": theme.SURFACE if row.flag else row.color, "clip_on": False}
        ax.plot(row.x, row.place, row.marker, ms=8, mew=1.8, zorder=3, **look)
    for row in rows.loc[firsts].itertuples():
        if row.count > 1:
            ax.plot([row.median, row.median], [row.place - 0.42, row.place + 0.42], color=row.color, lw=3, zorder=4)
        parts.beside(ax, row.far, row.place, row.value, row.note, gap=9)
    parts.reference(ax, reference)
    parts.key(ax, rows, hollow, dots=True)
    return ax


def _places(names: pd.Series) -> np.ndarray:
    """Return the place of each row, downward from zero: rows of one name together, with air between two names."""
    group = pd.Series(pd.factorize(names)[0])
    starts = np.concatenate([[0], np.cumsum(np.bincount(group) + BETWEEN)[:-1]])
    return -(starts[group] + group.groupby(group).cumcount().to_numpy())


def _axes(ax: Axes | None, rows: pd.DataFrame, x: str) -> Axes:
    """Return axes whose rows are named, a new figure as high as they need."""
    bottom = rows["place"].min()
    inches = (THICK if rows["y"].is_unique else THIN) * (1 - bottom) + FRAME
    ax = ax or parts.plt.subplots(figsize=(theme.WIDTH, max(inches, 1.6)))[1]
    middles = rows.groupby("y", sort=False, observed=True)["place"].mean()
    ax.set_yticks(list(middles), [parts.fold(name, 26) for name in middles.index])
    ax.set_ylim(bottom - 0.75, 0.75)
    ax.grid(axis="y", visible=False)
    ax.spines["bottom"].set_visible(False)
    ax.set_xlabel(parts.words(x))
    parts.ticks(ax.xaxis)
    return ax
