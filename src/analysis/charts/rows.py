"""Charts of labeled rows: bars for magnitudes, dots for ratios with a range, a waterfall for factors."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from analysis.charts import image, parts, theme
from analysis.charts.parts import Label, Reference
from analysis.names import choose

BETWEEN = 0.5  # gap between two labels, in units of bar thickness
THICK, THIN, LEAN = 0.30, 0.24, 0.21  # inches of a single bar, of one in a group, and of one in a waterfall
LINE = 0.12  # inches of height per line of a row label
BESIDE = 2.2  # inches of width that row labels may take
BELOW, ABOVE = 0.27, 0.17  # offsets within a row: the range is drawn below center and the value above
FRAME = 0.75  # inches of the axis below rows
FITTED = "_analysis_fitted"  # attribute of axes: limits before and after `_fit`
MOST = 0.8  # largest share of the axes that a label may take
KINDS = {  # form and color of each kind of factor
    "measured": ("solid", theme.PALETTE[0]),
    "published": ("solid", "#4c9f9a"),
    "simulated": ("hatched", "#b85c00"),
    "modeled": ("hatched", "#b85c00"),
    "assumed": ("dashed", theme.MUTED),
    "total": ("solid", "#74828f"),
}


@parts.chart
def bars(
    frame: pd.DataFrame, y: str, x: str, *, hue: str | None = None, low: str | None = None, high: str | None = None,
    hatched: str | None = None, label: Label = None, reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one horizontal bar per row, from zero, in the order of the frame from the top.

    Rows with the same `y` are grouped and distinguished by `hue`. `low` and `high` are columns of a range, a thin line
    below the value. `hatched` is a boolean column, such as "modeled": its name is the legend's word for hatched bars.
    `label` is the text at the end of a bar: a column, a format such as "{:.1f}x", a pair of either (the second in
    small print), "" for nothing; by default the number. `reference` is a value for a line, or a pair for a band.
    """
    rows = parts.drawn_rows(frame, y, x, hue, low, high, hatched)
    rows = _placed(rows.assign(**parts.labels(frame, rows["x"], label), start=0.0), rows["y"])
    rows["form"] = rows["flag"].map({True: "hatched", False: "solid"})
    ax = _axes(ax, rows, parts.words(x))
    parts.key(ax, rows, hatched, parts.bar_mark)
    rows["alpha"] **= rows["flag"].map({True: 0.6, False: 1.0})  # hatches are light already
    _draw_bars(ax, rows)
    parts.reference(ax, reference)
    parts.later(ax, partial(_fit, ax))
    return ax


@parts.chart
def dots(
    frame: pd.DataFrame, y: str, x: str, *, low: str | None = None, high: str | None = None, hue: str | None = None,
    hollow: str | None = None, label: Label = None, reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one dot per row with its range as a line, in the order of the frame from the top.

    Rows with the same `y` and `hue` share a line, as small dots with a bar at their median. The label formats the
    median (default: a number) and the note is their count; a label column is read from the first row. `hollow` is a
    boolean column whose name the legend shows next to a hollow dot. `label` and `reference` are as for `bars`.
    """
    rows = parts.drawn_rows(frame, y, x, hue, low, high, hollow)
    if rows["alpha"].ne(1).any():  # the row names the accelerator, so color is free for the comparison
        rows["color"], rows["alpha"] = parts.turns(rows["hue"], theme.PALETTE), 1.0
    line = [rows["y"], rows["hue"]]
    values = rows["x"].groupby(line)
    rows["count"], rows["median"] = values.transform("size"), values.transform("median")
    rows["far"] = rows[["x", "high"]].max(axis=1).groupby(line).transform("max")
    rows = rows.assign(**parts.labels(frame, rows["median"], label))
    several = rows["count"] > 1
    if several.any():
        rows["marker"] = "o"
        if label is None or "{" in label:
            rows["note"] = rows["count"].map("n = {:,}".format).where(several, "")
    firsts = rows.drop_duplicates(["y", "hue"])
    firsts = _placed(firsts, firsts["y"])
    rows = rows.merge(firsts[["y", "hue", "place"]], on=["y", "hue"])
    ax = _axes(ax, firsts, parts.words(x))
    wide = rows[~several & (rows["low"] < rows["high"])]
    look = {"lw": 2, "capstyle": "round", "clip_on": False}
    ax.hlines(wide["place"], wide["low"], wide["high"], list(wide["color"]), **look)
    parts.marks(ax, rows[~several], "x", "place")
    for color, part in rows[several].groupby("color"):
        aside = (part.index * 0.618034 % 1 - 0.5) * 0.55  # across the line, a direction that carries no data
        ax.plot(part["x"], part["place"] + aside, "o", ms=5.5, color=color, mec=theme.SURFACE, mew=0.7)
    middle = firsts[firsts["count"] > 1]
    ax.vlines(middle["median"], middle["place"] - 0.42, middle["place"] + 0.42, theme.INK, lw=2, zorder=4)
    for row in firsts.itertuples():
        parts.beside(ax, row.far, row.place, row.value, row.note, gap=9)
    parts.reference(ax, reference)
    parts.key(ax, rows, hollow, parts.dot_mark)
    parts.later(ax, partial(_fit, ax))
    return ax


@parts.chart
def waterfall(
    frame: pd.DataFrame, label: str, factor: str, *, low: str | None = None, high: str | None = None,
    kind: str | None = None, note: str | None = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the running product of factors, one bar per row from the top, followed by its value, range, and note.

    `kind` is a column of measured, published, simulated, modeled, assumed, or total. A total is a full bar at the
    running product; its factor is ignored except in the first row, and its `low` and `high` bound the product. A
    product that ends below 1 is drawn in percent from zero, others as multiples from 1x on a logarithmic scale.
    """
    frame = parts.require(frame, label, factor, low, high, kind, note)
    kinds = frame[kind] if kind else pd.Series("measured", frame.index)
    for each in kinds.unique():
        choose(each, KINDS, "kind of factor")
    total = kinds.eq("total")
    factors = frame[factor].astype(float).where(~total | (frame.index == 0), 1.0)
    share = factors.prod() <= 1
    # decimals enough that the product of the factors drawn gives the total drawn
    scale, zero, form, each = (100, 0, "{:.0f}%", "\u00d7{:.3f}") if share else (1, 1, "{:.3g}x", "\u00d7{:.4f}")
    product = scale * factors.cumprod()
    before = product.shift(fill_value=scale)
    lows, highs = (frame[column].astype(float) if column else factors for column in (low, high))
    wide = lows < highs
    span = (lows.map("{:.2f}\u2013".format) + highs.map("{:.2f}".format)).where(wide & ~total, "")
    more = frame[note].fillna("").astype(str) if note else pd.Series("", frame.index)
    rows = pd.DataFrame({
        "y": frame[label], "start": before.mask(total, zero), "x": product,
        "low": (scale * lows).where(wide & total), "high": (scale * highs).where(wide & total),
        "form": [KINDS[each][0] for each in kinds], "color": [KINDS[each][1] for each in kinds], "alpha": 1.0,
        "value": factors.map(each.format).mask(total, product.map(form.format)),
        "note": (span + "  " + more).str.strip(),
    })  # fmt: skip
    rows = _placed(rows, rows.index)
    ax = _axes(ax, rows, "", LEAN, max(theme.WIDTH, 1.05 * len(rows)))  # whole in the first screen of a page
    if share:
        marks = range(0, int(max(100, product.max())) + 1, 50)
        ax.set_xticks(marks, [f"{mark}%" for mark in marks])
    else:
        ax.set_xscale("log")
        parts.ticks(ax.xaxis, "{:g}x")
    _draw_bars(ax, rows, zero)
    ax.vlines(before[1:], rows["place"][1:] + 0.43, rows["place"][:-1] - 0.43, theme.MUTED, lw=1, zorder=1.5)
    shown = [each for each in KINDS if each in set(kinds) - {"total"}]
    parts.legend(ax.figure, {each: Patch(**parts.bar_look(*KINDS[each])) for each in shown})
    parts.later(ax, partial(_fit, ax))
    return ax


def _draw_bars(ax: Axes, rows: pd.DataFrame, zero: float = 0.0) -> None:
    """Draw a bar per row from `start` to `x`, with its range below its middle and its value and note at its end."""
    ends = rows[["start", "x", "low", "high"]]
    ax.set_xlim(min(ends.min(axis=None), zero), 1.02 * ends.max(axis=None) or 1)
    ax.axvline(zero, color=theme.MUTED, lw=0.8, zorder=2.2)
    wide = rows[rows["low"] < rows["high"]]
    parts.spans(ax, wide["place"] - BELOW, wide["low"], wide["high"])
    leftward = rows["x"] < 0
    tips = ends[["start", "x"]].max(axis=1).mask(leftward, rows["x"])
    far = ends.max(axis=1).mask(leftward, ends.min(axis=1))
    rows = rows.assign(tip=tips, at=rows["place"] + ABOVE * tips.ne(far), gap=np.where(leftward, -5, 5))
    for row in rows.itertuples():
        look = parts.bar_look(row.form, row.color, row.alpha)
        ax.add_patch(Rectangle((row.start, row.place - 0.43), row.x - row.start, 0.86, zorder=2, **look))
        parts.beside(ax, row.tip, row.at, row.value, row.note, row.gap, stack=wide["note"].eq("").all())


def _placed(rows: pd.DataFrame, names: pd.Series | pd.Index) -> pd.DataFrame:
    """Add `group` (rows with the same name) and `place` (downward from zero, with a gap between groups)."""
    group = pd.Series(pd.factorize(names)[0], rows.index)
    starts = np.cumsum(np.bincount(group) + BETWEEN) - np.bincount(group) - BETWEEN
    return rows.assign(group=group, place=-(starts[group] + group.groupby(group).cumcount()))


def _axes(
    ax: Axes | None, rows: pd.DataFrame, name: str, thick: float = THICK, width: float = theme.WIDTH
) -> Axes:  # fmt: skip
    """Return axes with named rows and the x axis `name`; a new figure is as high as they need."""
    groups = rows.groupby("group").agg(y=("y", "first"), place=("place", "mean"))
    bottom = rows["place"].min()
    labels = [image.wrap(each, BESIDE, 10.5) for each in groups["y"]]
    lines = 1 + max(label.count("\n") for label in labels)
    inches = (max(thick, LINE * lines) if rows["group"].is_unique else THIN) * (1 - bottom) + FRAME
    ax = ax or parts.plt.subplots(figsize=(width, max(inches, 1.6)))[1]
    ax.set_yticks(groups["place"], labels)
    ax.set_ylim(bottom - 0.75, 0.75)
    ax.grid(axis="y", visible=False)
    ax.spines["bottom"].set_visible(False)
    ax.set_xlabel(name)
    parts.ticks(ax.xaxis)
    return ax


def _fit(ax: Axes) -> None:
    """Widen the x axis until the labels of rows lie inside."""
    texts = [text for text in ax.texts if text.get_text()]
    if not texts:
        return
    own, fitted = getattr(ax, FITTED, (None, None))
    if ax.get_xlim() == fitted:  # nobody changed the limits since
        ax.set_xlim(own, auto=None)
    own = ax.get_xlim()
    pen = ax.figure._get_renderer()  # else texts keep the renderer of the last saved file, which has another dpi
    marks = [getattr(text.xycoords, "xy", text.xy) for text in texts]  # a note is placed by its value
    at = (ax.transData - ax.transAxes).transform(marks)[:, 0]
    boxes = [text.get_window_extent(pen).transformed(ax.transAxes.inverted()) for text in texts]
    before = np.clip(at - [box.x0 for box in boxes], 0, MOST)
    after = np.clip([box.x1 for box in boxes] - at, 0, MOST)
    low, high = 0.0, 1.0
    for _ in range(4):  # again, since widening one end moves marks toward the other
        high = max(high, np.nanmax(low + (at - low) / (1 - after)))
        low = min(low, np.nanmin(high - (high - at) / (1 - before)))
    left, right = (ax.transAxes - ax.transData).transform([(low, 0), (high, 0)])[:, 0]
    ax.set_xlim(left if low < 0 else None, right if high > 1 else None, auto=None)
    setattr(ax, FITTED, (own, ax.get_xlim()))
