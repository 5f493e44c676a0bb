"""What several charts share: rows ready to be drawn, numbers as text, legends, guides, labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator

from analysis.charts import image, theme
from analysis.names import choose

Label = str | tuple[str, str] | None
Reference = float | tuple[float, float] | None
FAR = 100  # most times that a value may be above or below an end of its range
VALUE, NOTE = 9.5, 8.0  # font sizes of the labels next to a mark, in points
APART = 0.14  # inches between panels, so that labels of one are not read as part of the next
OPACITY = [1.0, 0.6, 0.4, 0.25]  # for the first, second, ... bar of an accelerator
MARKERS = "oDs^vPX"
UPRIGHT = "_analysis_upright"  # attribute of axes: draws their heat map with its columns as rows, for a phone
SECOND = "second line"  # id of the text below a value in a cell
MOVABLE = "beside"  # id of a note that may move below its value
LEGEND = "_analysis_legend"  # attribute of a figure: the marks of its legend by their words
SUBS = (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)  # ticks per decade of a logarithmic axis, densest first
OUTSIDE = {"textcoords": "offset points", "annotation_clip": False}  # words that may leave the axes
SOLID = {"estimated": "from results", "another round": "same round"}  # the legend's words where a flag is false
FORMS = {  # of bars
    "solid": {"lw": 0},
    "hatched": {"facecolor": theme.SURFACE, "lw": 1.2, "hatch": "////"},
    "dashed": {"facecolor": theme.SURFACE, "lw": 1.2, "ls": (0, (3, 2))},
}


class NothingToDraw(Exception):
    """Raised for a frame without rows."""


def chart(draw: Callable[..., Axes]) -> Callable[..., Axes]:
    """Make a function draw in the look of all charts, and write "nothing to show" for a frame without rows."""

    @wraps(draw)
    def drawn(*arguments: Any, ax: Axes | None = None, **options: Any) -> Axes:
        with theme.look():
            try:
                return draw(*arguments, ax=ax, **options)
            except NothingToDraw:
                ax = ax or plt.subplots(figsize=(theme.WIDTH, 1.6))[1]
                ax.set_axis_off()
                ax.text(0, 0.5, "nothing to show", color=theme.MUTED, transform=ax.transAxes)
                return ax

    return drawn


def require(frame: pd.DataFrame, *columns: str | None) -> pd.DataFrame:
    """Return the frame with a plain index.

    Raises ValueError that lists the valid columns if one is missing, and NothingToDraw for an empty frame.
    """
    for column in filter(None, columns):
        choose(column, map(str, frame.columns), "column")
    if frame.empty:
        raise NothingToDraw
    return frame.reset_index(drop=True)


def drawn_rows(
    frame: pd.DataFrame, y: str, x: str, hue: str | None, low: str | None = None, high: str | None = None,
    flag: str | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Return one row for each mark: y, x, low, high, hue, flag, color, alpha, and marker.

    Accelerators have their own colors. If `y` holds accelerators, opacity distinguishes `hue`, else the palette does.
    Raises ValueError for a value outside its range, or more than FAR times from its ends.
    """
    frame = require(frame, y, x, hue, low, high, flag)
    rows = pd.DataFrame({"y": frame[y], "x": frame[x], "low": frame[low or x], "high": frame[high or x]})
    slack = 1e-9 * rows["x"].abs().max()
    out = rows["x"].lt(rows["low"] - slack) | rows["x"].gt(rows["high"] + slack)
    far = rows["low"].gt(0) & rows["x"].gt(FAR * rows["low"]) | rows["x"].gt(0) & rows["high"].gt(FAR * rows["x"])
    if (out | far).any():
        name, value, least, most = rows.loc[(out | far).idxmax()]
        raise ValueError(
            f"{x} of {name} is {value:g}, but its range is {least:g} to {most:g}: are they in the same unit?"
        )
    rows["hue"] = frame[hue].astype(str) if hue else ""
    rows["flag"] = frame[flag].fillna(False).astype(bool) if flag else False
    rows["color"], rows["alpha"] = turns(rows["hue"], theme.PALETTE), 1.0
    for named in ("y", "hue"):
        if rows[named].isin(theme.colors()).any():
            rows["color"] = rows[named].map(theme.color)
            rows["alpha"] = turns(rows["hue"], OPACITY) if named == "y" else 1.0
    rows["marker"] = turns(rows["hue"], MARKERS)
    if rows["hue"].isin(theme.PRECISIONS).any():  # each has one mark, whichever others a panel shows
        rows["marker"] = rows["hue"].map(dict(zip(theme.PRECISIONS, cycle(MARKERS)))).fillna(MARKERS[0])
    return rows


def labels(frame: pd.DataFrame, values: pd.Series, label: Label) -> dict[str, pd.Series]:
    """Return the texts `value` and `note` of each mark.

    `label` is a column, a format of `values` such as "{:.1f}x", a pair of either (the second is a note in small print),
    "" for nothing, or None for plain numbers.
    """
    texts = {}
    for kind, part in zip(("value", "note"), label if isinstance(label, tuple) else (label, ""), strict=True):
        if part is None:
            texts[kind] = number_labels(values)
        elif "{" in part or not part:
            texts[kind] = values.map(part.format)
        else:
            texts[kind] = require(frame, part)[part].fillna("").astype(str)
    return texts


def turns(values: pd.Series, of: Sequence[Any]) -> pd.Series:
    """Return an element of `of` for each distinct value, in order of appearance and cyclically."""
    return pd.Series([of[place % len(of)] for place in pd.factorize(values)[0]], values.index)


def number_labels(values: pd.Series) -> pd.Series:
    """Return numbers as text: three digits of the largest (four if all are close to it), at least two of each."""
    largest, apart = values.abs().max(), values.max() - values.min()
    digits = 2 - math.floor(math.log10(largest)) if largest > 0 else 0
    digits += bool(0 < apart < largest / 50)

    def text(each: float) -> str:
        places = max(digits, 1 - math.floor(math.log10(abs(each)))) if each else digits
        return f"{round(each, places):,.{max(places, 0)}f}"

    return values.map(text, na_action="ignore").fillna("")


def marks(ax: Axes, rows: pd.DataFrame, x: str, y: str) -> None:
    """Draw a dot for each row, hollow where `flag` is true; dots of one style are drawn in one call."""
    for (color, marker, flag), part in rows.groupby(["color", "marker", "flag"], sort=False):
        look = {"color": color, "mfc": theme.SURFACE if flag else color, "clip_on": False}
        ax.plot(part[x], part[y], marker, ms=8, mew=1.8, zorder=3, **look)


def spans(ax: Axes, at: Sequence[float], low: Sequence[float], high: Sequence[float]) -> None:
    """Draw thin horizontal lines from low to high, with a rim that separates them from marks they cross."""
    for color, width in ((theme.SURFACE, 3.6), (theme.INK, 1.4)):
        ax.hlines(at, low, high, color, lw=width, zorder=2.6, clip_on=False)


def beside(ax: Axes, x: float, y: float, value: str, note: str, gap: float, stack: bool = True) -> None:
    """Write a value in bold and a note in small print `gap` points right of a point (left where negative).

    The note goes below the value on phones and where there are three or more columns of axes, unless `stack` is false.
    """
    look = {"ha": "left" if gap > 0 else "right", "va": "center", "zorder": 5, "in_layout": False, **OUTSIDE}
    look["bbox"] = {"facecolor": theme.SURFACE, "edgecolor": "none", "pad": 1.8}
    bold = ax.annotate(value, (x, y), (gap, 0), size=VALUE, weight="bold", **look)
    if note:
        spot = (gap > 0, 0.5), (math.copysign(5 * bool(value), gap), 0)
        small = ax.annotate(note, *spot, xycoords=bold, size=NOTE, color=theme.MUTED, **look)
        small.set_gid(MOVABLE if stack and value else None)
        if ax.get_gridspec() is not None and ax.get_gridspec().ncols > 2:
            stacked(ax)


def stacked(ax: Axes) -> None:
    """Move notes from next to their values to the line below."""
    for note in ax.texts:
        if note.get_gid() == MOVABLE:
            note.xycoords.set_va("bottom")
            note.set(va="top", position=(0, 0))
            note.xy = float(note.get_ha() == "right"), 0


def reference(ax: Axes, place: Reference, across: bool = False) -> None:
    """Draw a dashed line at a value of the x axis, or of the y axis where `across`, or a band between two values."""
    if isinstance(place, tuple):
        (ax.axhspan if across else ax.axvspan)(*place, color=theme.PALETTE[1], alpha=0.18, lw=0, zorder=0.4)
    elif place is not None:
        (ax.axhline if across else ax.axvline)(place, color=theme.INK, lw=1, ls=(0, (4, 2)), zorder=2.5)


def bar_look(form: str, hue: str, alpha: float = 1.0) -> dict[str, Any]:
    """Return the style of a bar; a pale bar has an edge in its full color, to stay visible on a dark page."""
    if form == "solid" and alpha < 1:
        return {"facecolor": (hue, alpha), "edgecolor": hue, "lw": 0.9}
    return {"facecolor": hue, "edgecolor": hue, "alpha": alpha} | FORMS[form]


def bar_mark(color: str = theme.OTHER, alpha: float = 1.0, marker: str = "", flag: bool = False) -> Patch:
    """Return the legend's mark of a bar, hatched where `flag` is true; a bar has no marker."""
    return Patch(**bar_look("hatched" if flag else "solid", color, alpha))


def dot_mark(color: str = theme.OTHER, alpha: float = 1.0, marker: str = "o", flag: bool = False) -> Line2D:
    """Return the legend's mark of a dot, hollow where `flag` is true."""
    face = theme.SURFACE if flag else color
    return Line2D([], [], color=color, alpha=alpha, marker=marker, ls="", mfc=face, mew=1.6, ms=7)


def key(ax: Axes, rows: pd.DataFrame, flag: str | None, mark: Callable[..., Artist]) -> None:
    """Add the hues of rows, if several, and the meaning of the boolean column `flag` to the legend."""
    entries = {}
    if rows["hue"].nunique() > 1:
        gray = rows["alpha"].ne(1).any()  # opacity distinguishes hues, whatever the color
        for row in rows.drop_duplicates("hue").itertuples():
            entries[row.hue] = mark(theme.OTHER if gray else row.color, row.alpha, row.marker)
    if flag and rows["flag"].any():
        if not rows["flag"].all():
            entries[SOLID.get(flag, "measured")] = mark()
        entries[words(flag)] = mark(flag=True)
    legend(ax.figure, entries)


def legend(figure: Figure, entries: Mapping[str, Artist]) -> None:
    """Add entries to the one legend of a figure, above its axes, in as many columns as fit."""
    entries = figure.__dict__.setdefault(LEGEND, {}) | dict(entries)
    setattr(figure, LEGEND, entries)
    for old in figure.legends[:]:
        old.remove()
    if entries:
        fit = int(figure.get_figwidth() / (0.7 + max(image.text_width(name, 10) for name in entries)))
        columns = min(max(fit, 1), len(entries))
        names = sorted(entries, key=lambda name: [*entries].index(name) % columns)  # in rows, not in columns
        corner = {"loc": "lower left", "bbox_to_anchor": (0, 1), "bbox_transform": figure.transFigure}
        figure.legend([entries[name] for name in names], names, ncols=columns, borderpad=0.6, **corner)


def words(column: str) -> str:
    """Return a column's name as words: `rate_per_accelerator` is "rate per accelerator"."""
    return column.replace("_", " ")


class RoundTicks(LogLocator):
    """Ticks of a logarithmic axis at round numbers, as many as there is room for; evenly spaced where it is short."""

    def tick_values(self, vmin: float, vmax: float) -> np.ndarray:
        """Return ticks between two values, from the densest steps that leave room for their labels."""
        room = self.axis.get_tick_space()
        for subs in SUBS:
            self.set_params(subs=subs, numticks=max(room, 2))
            ticks = super().tick_values(vmin, vmax)
            shown = np.log10(ticks[(ticks >= vmin) & (ticks <= vmax)])
            if len(shown) > 1 and np.diff(shown).min() * room >= math.log10(vmax / vmin):
                return ticks
        if len(shown) and vmax > 2 * vmin:
            return ticks
        return plt.MaxNLocator(max(2, min(room, 4)), steps=[1, 2, 5, 10]).tick_values(vmin, vmax)


def ticks(axis: Axis, form: str = "{:,.10g}") -> None:
    """Label an axis in plain numbers with thousands separators, a logarithmic one at round numbers alone."""
    if axis.get_scale() == "log":
        axis.set_major_locator(RoundTicks())
        axis.set_minor_locator(plt.NullLocator())
    elif axis.axes.get_gridspec() is not None and axis.axes.get_gridspec().ncols > 2:
        axis.set_major_locator(plt.MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(lambda value, _: form.format(value))


def spread(places: Sequence[float], gap: float, low: float, high: float) -> np.ndarray:
    """Return positions between `low` and `high` at least `gap` apart, each as near as possible to the given one."""
    order = np.argsort(places, kind="stable")
    spots = np.asarray(places, float)[order]
    for _ in range(200):
        close = np.maximum(gap - np.diff(spots), 0) / 2
        spots[:-1] -= close
        spots[1:] += close
        spots = np.clip(spots, low, high)
    return spots[np.argsort(order)]


@theme.look()
def panels(
    count: int, *, columns: int = 0, height: float = 3.4, width: float = 0, **options: Any
) -> tuple[Figure, np.ndarray]:
    """Return a figure of `count` axes in a flat array, each `height` inches high.

    `columns` are by default as many as `count`, up to three; `width` is that of the figure in inches; further options
    are those of `matplotlib.pyplot.subplots`, such as `sharey` and `width_ratios`.
    """
    columns = columns or min(count, 3)
    rows = math.ceil(count / columns)
    size = width or theme.WIDTH * (1.2 if columns > 2 else 1), height * rows
    figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, **options)
    if columns > 1:
        figure.get_layout_engine().set(w_pad=APART)
    for spare in grid.flat[count:]:
        spare.remove()
    return figure, grid.flatten()[:count]


def later(ax: Axes, place: Callable[[], None]) -> None:
    """Place labels now, and again when the figure is composed or written and its limits are final."""
    ax.get_xlim()  # brings limits up to date
    place()
    ax.figure.__dict__.setdefault(image.SETTLE, []).append(place)
