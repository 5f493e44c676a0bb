"""Charts of labeled rows: bars for magnitudes, dots for ratios with a range."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from analysis.charts import parts, theme
from analysis.charts.parts import Label, Reference

BETWEEN = 0.5  # gap between two labels, in units of bar thickness
THICK, THIN = 0.30, 0.24  # inches of a bar that stands alone, and of one in a group
LINE = 0.12  # inches of height per line of a row label
BELOW, ABOVE = 0.27, 0.17  # offsets within a row: the range is drawn below center and the value above
FRAME = 0.75  # inches of the axis below rows


@parts.chart
def bars(
    frame: pd.DataFrame, y: str, x: str, *, hue: str | None = None, low: str | None = None, high: str | None = None,
    hatched: str | None = None, label: Label = None, reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one horizontal bar per row, from zero, in the order of the frame from the top.

    Rows with the same `y` are grouped and distinguished by `hue`. `low` and `high` are columns of a range, a thin line
    that passes below the value.
    `hatched` is a boolean column, such as "modeled": its name is the legend's word for hatched bars. `label` is what
    stands at the end of a bar: a column, a format such as "{:.1f}x", a pair of either (the second in small print), ""
    for nothing; by default the number. `reference` is a value for a line, or a pair for a band.
    """
    rows = parts.drawn_rows(frame, y, x, hue, low, high, hatched)
    rows = rows.assign(**parts.labels(frame, rows["x"], label))
    rows["place"] = _places(rows["y"])
    ax = _axes(ax, rows, x)
    wide = rows[rows["low"] < rows["high"]]
    parts.spans(ax, wide["place"] - BELOW, wide["low"], wide["high"])
    ends = rows[["x", "low", "high"]].assign(zero=0)
    rows["far"] = ends.max(axis=1).mask(rows["x"] < 0, ends.min(axis=1))
    ax.set_xlim(1.02 * ends.min(axis=None), 1.02 * ends.max(axis=None) or 1)
    for row in rows.itertuples():
        alpha = row.alpha ** (0.6 if row.flag else 1)  # hatches are light already
        look = parts.bar_look("hatched" if row.flag else "solid", row.color, alpha)
        ax.add_patch(Rectangle((0, row.place - 0.43), row.x, 0.86, zorder=2, **look))
        tip = row.x if row.x * row.far > 0 else row.far
        above = row.place + ABOVE * (tip != row.far)
        parts.beside(ax, tip, above, row.value, row.note, -5 if row.x < 0 else 5, stack=wide.empty)
    ax.axvline(0, color=theme.MUTED, lw=0.8, zorder=2.2)
    parts.reference(ax, reference)
    parts.key(ax, rows, hatched, dots=False)
    return ax


@parts.chart
def dots(
    frame: pd.DataFrame, y: str, x: str, *, low: str | None = None, high: str | None = None, hue: str | None = None,
    hollow: str | None = None, label: Label = None, reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one dot per row with its range as a line, in the order of the frame from the top.

    Rows with the same `y` and `hue` share a line, as small dots with a bar at their median. The label formats the
    median (default: a number) and the note is their count; a label column is read from the first row. `hollow` is a
    boolean column whose name the legend shows beside a hollow dot. `label` and `reference` are as for `bars`.
    """
    rows = parts.drawn_rows(frame, y, x, hue, low, high, hollow)
    if rows["alpha"].ne(1).any():  # the row names the accelerator, so color is free for the comparison
        rows["color"], rows["alpha"] = parts.turns(rows["hue"], theme.PALETTE), 1.0
    firsts = rows.drop_duplicates(["y", "hue"]).index
    rows.loc[firsts, "place"] = _places(rows["y"][firsts])
    rows["far"] = rows[["x", "low", "high"]].max(axis=1)
    line = rows.groupby(["y", "hue"], sort=False, observed=True)
    rows["count"], rows["median"] = line["x"].transform("size"), line["x"].transform("median")
    rows["far"], rows["place"] = line["far"].transform("max"), line["place"].transform("first")
    rows = rows.assign(**parts.labels(frame, rows["median"], label))
    if rows["count"].max() > 1:
        rows["marker"] = "o"
        if label is None or "{" in label:
            rows["note"] = rows["count"].map("n = {:,}".format).where(rows["count"] > 1, "")
    ax = _axes(ax, rows.loc[firsts], x)
    several = rows["count"] > 1
    wide = rows[~several & (rows["low"] < rows["high"])]
    look = {"lw": 2, "capstyle": "round", "clip_on": False}
    ax.hlines(wide["place"], wide["low"], wide["high"], list(wide["color"]), **look)
    parts.marks(ax, rows[~several], "x", "place")
    for color, part in rows[several].groupby("color"):
        aside = (part.index * 0.618034 % 1 - 0.5) * 0.55  # across the line, a direction that carries no data
        ax.plot(part["x"], part["place"] + aside, "o", ms=5.5, color=color, mec=theme.SURFACE, mew=0.7)
    bar = rows[several].drop_duplicates(["y", "hue"])
    ax.vlines(bar["median"], bar["place"] - 0.42, bar["place"] + 0.42, theme.INK, lw=2, zorder=4)
    for row in rows.loc[firsts].itertuples():
        parts.beside(ax, row.far, row.place, row.value, row.note, gap=9)
    parts.reference(ax, reference)
    parts.key(ax, rows, hollow, dots=True)
    return ax


def _places(names: pd.Series) -> np.ndarray:
    """Return the place of each row, downward from zero: rows of one name together, with a gap between names."""
    group = pd.Series(pd.factorize(names)[0])
    starts = np.concatenate([[0], np.cumsum(np.bincount(group) + BETWEEN)[:-1]])
    return -(starts[group] + group.groupby(group).cumcount().to_numpy())


def _axes(ax: Axes | None, rows: pd.DataFrame, x: str) -> Axes:
    """Return axes with named rows; a new figure is as high as they need."""
    bottom = rows["place"].min()
    middles = rows.groupby("y", sort=False, observed=True)["place"].mean()
    labels = [parts.fold(name, 26) for name in middles.index]
    lines = 1 + max(label.count("\n") for label in labels)
    inches = (max(THICK, LINE * lines) if rows["y"].is_unique else THIN) * (1 - bottom) + FRAME
    ax = ax or parts.plt.subplots(figsize=(theme.WIDTH, max(inches, 1.6)))[1]
    ax.set_yticks(list(middles), labels)
    ax.set_ylim(bottom - 0.75, 0.75)
    ax.grid(axis="y", visible=False)
    ax.spines["bottom"].set_visible(False)
    ax.set_xlabel(parts.words(x))
    parts.ticks(ax.xaxis)
    return ax
