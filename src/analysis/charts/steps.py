"""Factors that multiply to a total, drawn as a waterfall."""

from __future__ import annotations

from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from analysis.charts import parts, theme
from analysis.names import choose

LOOKS = {  # of each kind of factor
    "measured": ("solid", theme.PALETTE[0]),
    "published": ("solid", "#4c9f9a"),
    "simulated": ("hatched", "#b85c00"),
    "modeled": ("hatched", "#b85c00"),
    "assumed": ("dashed", theme.MUTED),
    "total": ("solid", "#74828f"),
}
STEP = 1.0  # inches of a bar
ASIDE = 0.29  # share of a step from the middle of a total to the line of its range


@parts.chart
def waterfall(
    frame: pd.DataFrame, label: str, factor: str, *, low: str | None = None, high: str | None = None,
    kind: str | None = None, note: str | None = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the running product of factors, one bar per row from left to right, its value above, range and note below.

    `kind` is a column of measured, published, simulated, modeled, assumed, or total. A total is a full bar at the
    running product; its factor is ignored except in the first row, and its `low` and `high` bound the product. A
    product that ends below 1 is drawn in percent from zero, others as multiples from 1x on a logarithmic scale.
    """
    frame = parts.require(frame, label, factor, low, high, kind, note)
    rows = pd.DataFrame({"name": frame[label], "kind": frame[kind] if kind else "measured"})
    for each in rows["kind"].unique():
        choose(each, LOOKS, "kind of factor")
    total = rows["kind"].eq("total")
    factors = frame[factor].where(~total | (frame.index == 0), 1.0).astype(float)
    share = factors.prod() <= 1
    # decimals enough that the product of the factors drawn gives the total drawn
    scale, form, each = (100, "{:.0f}%", "\u00d7{:.3f}") if share else (1, "{:.3g}x", "\u00d7{:.4f}")
    rows["after"] = scale * factors.cumprod()
    rows["before"] = rows["after"].shift(fill_value=scale)
    ends = rows[["after", "before"]].assign(before=rows["before"].mask(total, 0 if share else 1))
    rows["bottom"], rows["top"] = ends.min(axis=1), ends.max(axis=1)
    rows["value"] = factors.map(each.format).mask(total, rows["after"].map(form.format))
    lows, highs = (frame[column].astype(float) if column else factors for column in (low, high))
    rows["span"] = (lows.map("{:.2f}\u2013".format) + highs.map("{:.2f}".format)).where(lows < highs, "")
    ax = ax or parts.plt.subplots(figsize=(max(theme.WIDTH, STEP * len(frame) + 0.8), 4.6))[1]
    _scale(ax, share, rows["after"])
    letters = int(ax.get_position().width * ax.figure.get_figwidth() * 72 / len(frame) / 5.4)
    rows["note"] = [parts.fold(text, letters) for text in frame[note].fillna("")] if note else ""
    rows["name"] = [parts.fold(text, letters) for text in rows["name"]]
    for row in rows.itertuples():
        ax.bar(row.Index, row.top - row.bottom, 0.7, row.bottom, zorder=2, **parts.bar_look(*LOOKS[row.kind]))
        if row.Index:
            ax.plot([row.Index - 0.65, row.Index - 0.35], [row.before] * 2, color=theme.MUTED, lw=1, zorder=1.5)
        if row.kind == "total":
            _write(ax, row.Index, row.top, row.value, 5, 14)
        else:
            _write(ax, row.Index, row.top, row.value, 4, 12)
            _write(ax, row.Index, row.bottom, f"{row.span}\n{row.note}".strip(), -4, 8.5)
    wide = total & (lows < highs)
    if wide.any():
        parts.spans(ax, rows.index[wide] + ASIDE, scale * lows[wide], scale * highs[wide], up=True)
    names = rows["name"].where(~total | rows["note"].eq(""), rows["name"] + "\n" + rows["note"])
    ax.set_xticks(rows.index, names, size=9.5)
    _legend(ax, rows)
    setattr(ax, parts.AGAIN, partial(_upright, rows, share))
    return ax


def _upright(rows: pd.DataFrame, share: bool, width: float) -> Axes:
    """Draw the factors from top to bottom, for a phone."""
    ax = parts.plt.subplots(figsize=(width, 0.42 * len(rows) + 1))[1]
    for row in rows.itertuples():
        ax.barh(row.Index, row.top - row.bottom, 0.7, row.bottom, zorder=2, **parts.bar_look(*LOOKS[row.kind]))
        parts.beside(ax, row.top, row.Index, row.value, row.span, 5)
    ax.set_yticks(rows.index, [parts.fold(name.replace("\n", " "), 16) for name in rows["name"]])
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    if not share:
        ax.set_xscale("log")
    parts.ticks(ax.xaxis, "{:.0f}%" if share else "{:g}x")
    _legend(ax, rows)
    parts.later(ax, partial(parts.fit, ax))
    return ax


def _legend(ax: Axes, rows: pd.DataFrame) -> None:
    shown = [each for each in LOOKS if each in set(rows["kind"]) - {"total"}]
    parts.legend(ax, {each: parts.bar_mark(*LOOKS[each]) for each in shown}, {})


def _write(ax: Axes, x: float, y: float, words: str, up: float, size: float) -> None:
    """Write a value in bold above a bar, or its note in small print below."""
    look = {"va": "bottom", "weight": "bold"} if up > 0 else {"va": "top", "color": theme.MUTED}
    look["bbox"] = {"facecolor": theme.SURFACE, "edgecolor": "none", "pad": 0.8, "alpha": 0.8}
    ax.annotate(words, (x, y), (0, up), ha="center", size=size, linespacing=1.25, zorder=5, **look, **parts.OUTSIDE)


def _scale(ax: Axes, share: bool, after: pd.Series) -> None:
    """Set limits and ticks of the running product: percent from zero, or multiples around the 1x line."""
    ax.set_xlim(-0.6, len(after) - 0.4)
    ax.grid(axis="x", visible=False)
    if share:
        ax.set(ylim=(0, 100), yticks=range(0, 101, 20))
        ax.yaxis.set_major_formatter("{x:.0f}%")
        return
    ax.set_yscale("log")
    ax.set_ylim(min(after.min(), 1), after.max())
    parts.ticks(ax.yaxis, "{:g}x")
    ax.axhline(1, color=theme.INK, lw=1, zorder=3)
    ax.spines["bottom"].set_visible(False)
