"""What several charts share: checked columns, colors of rows, numbers as text, legends, guides, labels without overlap."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation

from analysis.charts import image, theme
from analysis.names import choose

Label = str | tuple[str, str] | None
Reference = float | tuple[float, float] | Mapping[str, float | tuple[float, float]] | None
HATCH, GAP = "////", 5  # points between a mark and its label
SIZE = {"value": 9.5, "note": 8.0}
BAND = to_hex(theme.PALETTE[1])
MARKERS = ("o", "D", "s", "^", "v", "P", "X")


def check(frame: pd.DataFrame, *columns: str | None) -> pd.DataFrame:
    """Return the frame with a plain index.

    Raises ValueError that names the columns there are where one is missing, and where the frame has no row.
    """
    for column in columns:
        if column is not None:
            choose(column, map(str, frame.columns), "column")
    if frame.empty:
        raise ValueError("a chart needs at least one row; the frame is empty")
    return frame.reset_index(drop=True)


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return `ax`, or axes of a new figure so many inches wide and high."""
    return ax if ax is not None else plt.subplots(figsize=(width, height))[1]


def panels(
    count: int,
    *,
    columns: int = 0,
    height: float = 3.4,
    width: float = 0,
    share: str = "",
    widths: Sequence[float] = (),
) -> tuple[Figure, np.ndarray]:
    """Return a figure of `count` axes in a flat array, each `height` inches high.

    `columns` are by default as many as `count` up to three; `share` is "x", "y", "xy" or ""; `widths` are relative.
    """
    columns = columns or min(count, 3)
    rows = math.ceil(count / columns)
    size = (width or (theme.WIDTH if columns < 3 else 1.2 * theme.WIDTH), height * rows)
    ratios = {"width_ratios": list(widths)} if len(widths) else None
    shared = {"sharex": "x" in share, "sharey": "y" in share}
    figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, gridspec_kw=ratios, **shared)
    for spare in grid.flat[count:]:
        spare.remove()
    return figure, grid.flatten()[:count]


def colors(frame: pd.DataFrame, y: str, hue: str | None) -> tuple[pd.Series, pd.Series]:
    """Return color and opacity of each row.

    An accelerator has its own color. Where `y` holds accelerators, `hue` is told by opacity; else it has the palette.
    """
    solid = pd.Series(1.0, frame.index)
    if hue is None or frame[hue].map(theme.known).any():
        names = frame[hue or y]
        if names.map(theme.known).any():
            return names.map(theme.color), solid
        return pd.Series(theme.PALETTE[0], frame.index), solid
    place = pd.Series(pd.factorize(frame[hue])[0], frame.index)
    if frame[y].map(theme.known).any():
        return frame[y].map(theme.color), place.map(lambda each: (1.0, 0.5, 0.28, 0.16)[min(each, 3)])
    return place.map(lambda each: theme.PALETTE[each % len(theme.PALETTE)]), solid


def numbers(values: pd.Series) -> pd.Series:
    """Return numbers as text of one precision, three digits of the largest: `4.07`, `0.53`; `15,900`."""
    largest = values.abs().max()
    digits = 2 - math.floor(math.log10(largest)) if largest > 0 else 0
    return values.map(lambda each: "" if pd.isna(each) else f"{round(each, digits):,.{max(digits, 0)}f}")


def labels(frame: pd.DataFrame, x: str, label: Label) -> pd.DataFrame:
    """Return the columns `value` and `note` that are written beside each mark.

    `label` is a column, a pair of columns (the second is a note in small print), a format of `x` such as "{:.1f}x", "" for
    none, or None for plain numbers. Of a pair, either may be a format.
    """
    value, note = (label, "") if label is None or isinstance(label, str) else label

    def text(part: str | None) -> pd.Series:
        if part is None:
            return numbers(frame[x])
        if "{" in part or not part:
            return frame[x].map(part.format)
        return check(frame, part)[part].fillna("").astype(str)

    return pd.DataFrame({"value": text(value), "note": text(note)})


def beside(ax: Axes, x: float, y: float, value: str, note: str = "", left: bool = False) -> list[Annotation]:
    """Write a value in bold and a note in small print beside a point; below the value where axes are narrow.

    The words count in the layout, so the axes make room for them.
    """
    sign, side = (-1, "right") if left else (1, "left")
    stacked = bool(note) and bool(value) and ax.get_subplotspec() and ax.get_subplotspec().get_gridspec().ncols > 2
    wide = 72 * image.measure(value, FontProperties(size=SIZE["value"], weight="bold")) + GAP if value else 0
    placed = []
    for words, kind, aside, up in ((value, "value", 0, 5), (note, "note", 0 if stacked else wide, -6)):
        if words:
            look = (
                {"size": SIZE[kind], "weight": "bold"}
                if kind == "value"
                else {"size": SIZE[kind], "color": theme.MUTED}
            )
            at = (sign * (GAP + aside), up if stacked else 0)
            placed.append(
                ax.annotate(
                    words, (x, y), at, textcoords="offset points", ha=side, va="center", annotation_clip=False, zorder=5,
                    parse_math=False, **look,
                )
            )  # fmt: skip
    return placed


def reference(ax: Axes, guides: Reference, across: bool = False) -> None:
    """Draw guides at values of the x axis, or of the y axis where `across`: a line, or a band between two values.

    A mapping names them; the names stand at the end of the guides.
    """
    line, band = (ax.axhline, ax.axhspan) if across else (ax.axvline, ax.axvspan)
    named = guides if isinstance(guides, Mapping) else {} if guides is None else {"": guides}
    for name, place in named.items():
        if isinstance(place, tuple):
            band(*place, color=BAND, alpha=0.18, lw=0, zorder=0.4)
        else:
            line(place, color=theme.INK, lw=1, ls=(0, (4, 2)), zorder=2.5)
        middle = sum(place) / 2 if isinstance(place, tuple) else place
        look = {"size": SIZE["note"], "color": theme.MUTED, "annotation_clip": False, "textcoords": "offset points"}
        if name and across:
            ax.annotate(name, (1, middle), (4, 0), xycoords=ax.get_yaxis_transform(), va="center", **look)
        elif name:
            ax.annotate(name, (middle, 1), (0, 3), xycoords=ax.get_xaxis_transform(), ha="center", va="bottom", **look)


def legend(where: Figure | Axes, entries: Mapping[str, Artist], replace: bool = False) -> None:
    """Add entries to the one legend of a figure, above its axes, in as many columns as fit."""
    figure = where if isinstance(where, Figure) else where.figure
    have = {} if replace else getattr(figure, "_analysis_legend", {})
    figure._analysis_legend = entries = {**have, **entries}
    for old in figure.legends[:]:
        old.remove()
    if entries:
        font = FontProperties(size=theme.SETTINGS["legend.fontsize"])
        widest = max(image.measure(words, font) for words in entries) + 0.62
        columns = max(1, min(len(entries), int(figure.get_figwidth() / widest)))
        figure.legend(entries.values(), entries, loc="outside upper left", ncols=columns)


def legend_note(
    where: Figure | Axes, *, solid: str = "", hatched: str = "", hollow: str = "", dashed: str = "", line: str = ""
) -> None:
    """Say in the legend what solid, hatched, hollow, and dashed marks and thin lines mean, in place of its guesses."""
    figure = where if isinstance(where, Figure) else where.figure
    marks = {solid: solid_patch(), hatched: hatched_patch(), hollow: dot_mark(hollow=True), dashed: dashed_patch()}
    marks[line] = Line2D([], [], color=theme.INK, lw=1.4)
    have = getattr(figure, "_analysis_legend", {})
    meant = {name: mark for name, mark in have.items() if not getattr(mark, "_analysis_guess", False)}
    legend(figure, {**meant, **{name: mark for name, mark in marks.items() if name}}, replace=True)


def guessed(entries: Mapping[str, Artist]) -> dict[str, Artist]:
    """Return legend entries that `legend_note` replaces."""
    for mark in entries.values():
        mark._analysis_guess = True
    return dict(entries)


def solid_patch(hue: str = theme.OTHER, alpha: float = 1.0) -> Patch:
    """Return the legend's mark of a solid bar."""
    return Patch(facecolor=hue, alpha=alpha, lw=0)


def hatched_patch(hue: str = theme.OTHER) -> Patch:
    """Return the legend's mark of a hatched bar."""
    return Patch(facecolor=theme.SURFACE, edgecolor=hue, hatch=HATCH, lw=1)


def dashed_patch(hue: str = theme.MUTED) -> Patch:
    """Return the legend's mark of a dashed bar."""
    return Patch(facecolor=theme.SURFACE, edgecolor=hue, ls=(0, (3, 2)), lw=1.4)


def dot_mark(hue: str = theme.OTHER, marker: str = "o", hollow: bool = False, alpha: float = 1.0) -> Line2D:
    """Return the legend's mark of a dot."""
    face = theme.SURFACE if hollow else hue
    return Line2D([], [], color=hue, marker=marker, ls="", mfc=face, mew=1.6, ms=7, alpha=alpha)


def words(column: str) -> str:
    """Return a column's name as a label: `rate_per_accelerator` is "rate per accelerator"."""
    return column.replace("_", " ")


def fold(label: object, letters: int) -> str:
    """Return a label on as many lines as it needs."""
    return "\n".join(line for part in str(label).split("\n") for line in textwrap.wrap(part, letters) or [""])


def ticks(axis: Axis, log: bool = False) -> None:
    """Label an axis in plain numbers with separators of thousands."""
    if log:
        low, high = axis.get_view_interval()
        decades = math.log10(high / low)
        subs = (1, 1.5, 2, 3, 4, 5, 6, 8) if decades < 1 else (1, 2, 5) if decades < 3 else (1,)
        axis.get_major_locator().set_params(subs=subs)
        axis.minorticks_off()
    axis.set_major_formatter(lambda value, _: f"{value:,.10g}")


def spread(places: Sequence[float], gap: float, low: float = -math.inf, high: float = math.inf) -> list[float]:
    """Return places at least `gap` apart, as near as possible to the given ones and between `low` and `high`.

    Neighbors that are too close move as a block around their mean.
    """
    order = sorted(range(len(places)), key=places.__getitem__)
    blocks: list[list[float]] = []  # of each: first place, number of members
    for index in order:
        blocks.append([places[index], 1])
        while True:
            first, count = blocks[-1]
            blocks[-1][0] = max(low, min(first, high - gap * (count - 1)))
            if len(blocks) < 2 or blocks[-2][0] + gap * blocks[-2][1] <= blocks[-1][0]:
                break
            first, count = blocks.pop()
            before, members = blocks[-1]
            middle = (before * members + (first - gap * members) * count) / (members + count)
            blocks[-1] = [middle, members + count]
    spots = [first + gap * step for first, count in blocks for step in range(int(count))]
    return [spot for _, spot in sorted(zip(order, spots, strict=True))]


def later(ax: Axes, place: Callable[[], None]) -> None:
    """Place labels now, and again when the figure is composed or written and its limits are final."""
    ax.figure.draw_without_rendering()
    place()
    image.settle(ax, place)


def marker_of(values: Iterable[object]) -> dict[object, str]:
    """Return a marker for each different value."""
    return {value: MARKERS[place % len(MARKERS)] for place, value in enumerate(dict.fromkeys(values))}
