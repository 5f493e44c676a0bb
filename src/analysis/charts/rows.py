"""Charts of labeled rows: bars for magnitudes, dots for ratios with a range."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.charts import parts, theme
from analysis.charts.parts import Label, Reference

BETWEEN = 0.5  # bars' thickness between two labels
THICK, THIN = 0.30, 0.24  # inches of a bar that stands alone, and of one in a group
FRAME = 0.75  # inches for the axis below rows


def bars(
    frame: pd.DataFrame, y: str, x: str, *, hue: str | None = None, low: str | None = None, high: str | None = None,
    hatched: str | None = None, label: Label = None, reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one horizontal bar per row, from zero, in the order of the frame from the top.

    Rows of one `y` stand together; `hue` tells them apart. `low` and `high` are columns of a range, drawn as a thin line.
    `hatched` is a boolean column, such as "modeled": its name is the legend's word for hatched bars. `label` is what
    stands at the end of a bar: a column, a pair (value, note in small print), a format such as "{:.1f}x", "" for nothing;
    by default the number. `reference` is a value, a pair for a band, or a mapping of names to either.
    """
    frame = parts.check(frame, y, x, hue, low, high, hatched)
    places = _places(frame[y])
    ax = _axes(ax, frame[y], places, x)
    hues, alphas = parts.colors(frame, y, hue)
    hatch = frame[hatched].fillna(False).astype(bool) if hatched else pd.Series(False, frame.index)
    texts = parts.labels(frame, x, label)
    for row, (place, value) in enumerate(zip(places, frame[x], strict=True)):
        if pd.notna(value):
            look = {"facecolor": hues[row], "lw": 0, "alpha": alphas[row]}
            if hatch[row]:
                look = {"facecolor": theme.SURFACE, "edgecolor": hues[row], "hatch": parts.HATCH, "lw": 1}
                look["alpha"] = max(alphas[row], 0.5)
            ax.barh(place, value, height=0.86, zorder=2, **look)
        ends = [value, *_range(ax, frame, row, place, low, high, theme.INK, 1.4)]
        end = np.nanmin(ends) if value < 0 else np.nanmax([*ends, 0])
        parts.beside(ax, end, place, texts["value"][row], texts["note"][row], left=value < 0)
    extreme = frame[[column for column in (x, low, high) if column]]
    ax.set_xlim(min(extreme.min().min(), 0) * 1.02, max(extreme.max().max(), 0) * 1.02 or 1)
    parts.reference(ax, reference)
    entries = {}
    if hue:
        gray = bool(alphas.ne(1).any())
        first = frame.drop_duplicates(hue).index
        entries = {str(frame[hue][i]): parts.solid_patch(theme.OTHER if gray else hues[i], alphas[i]) for i in first}
        entries = entries if len(entries) > 1 or not gray else {}
    if hatched and hatch.any():
        solid = {} if hatch.all() else {"measured": parts.solid_patch()}
        entries |= parts.guessed({**solid, parts.words(hatched): parts.hatched_patch()})
    parts.legend(ax, entries)
    return ax


def dots(
    frame: pd.DataFrame, y: str, x: str, *, low: str | None = None, high: str | None = None, hue: str | None = None,
    hollow: str | None = None, label: Label = None, reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one dot per row with its range as a line, in the order of the frame from the top.

    Rows of one `y` and `hue` share a line: where these are several, small dots show each and a bar their median. `hollow`
    is a boolean column whose name is the legend's word for hollow dots. `label` and `reference` are as for `bars`; the
    default label of several dots is their median and number.
    """
    frame = parts.check(frame, y, x, hue, low, high, hollow)
    keys = [y, hue] if hue else [y]
    groups = frame.groupby(keys, sort=False, observed=True)[x].agg(["median", "size"]).reset_index()
    groups["place"] = _places(groups[y])
    line = frame[keys].merge(groups, on=keys, how="left")
    ax = _axes(ax, groups[y], groups["place"], x)
    hues, alphas = parts.colors(frame, y, hue)
    if hue and alphas.ne(1).any():  # the place of a row says which accelerator it is
        alphas[:] = 1.0
        hues = pd.Series(pd.factorize(frame[hue])[0], frame.index).map(lambda place: theme.PALETTE[place % 10])
    markers = parts.marker_of(frame[hue]) if hue else {}
    open_ = frame[hollow].fillna(False).astype(bool) if hollow else pd.Series(False, frame.index)
    texts = parts.labels(frame, x, label)
    for row, (place, value) in enumerate(zip(line["place"], frame[x], strict=True)):
        shape = markers[frame[hue][row]] if hue else "o"
        if line["size"][row] > 1:
            aside = (row * 0.618034 % 1 - 0.5) * 0.55
            ax.plot(value, place + aside, "o", ms=4.5, color=hues[row], alpha=0.45, mew=0, zorder=2)
            continue
        ends = [value, *_range(ax, frame, row, place, low, high, hues[row], 3.5, alpha=0.4)]
        face = theme.SURFACE if open_[row] else hues[row]
        ax.plot(value, place, shape, ms=8, mew=1.8, color=hues[row], mfc=face, zorder=3, clip_on=False)
        parts.beside(ax, np.nanmax(ends), place, texts["value"][row], texts["note"][row])
    firsts = (
        line.assign(row=line.index, most=frame[x]).groupby("place", sort=False).agg({"row": "first", "most": "max"})
    )
    for place, row, most in zip(firsts.index, firsts["row"], firsts["most"], strict=True):
        count, median = line["size"][row], line["median"][row]
        if count > 1:
            ax.plot(
                [median, median], [place - 0.42, place + 0.42], color=hues[row], lw=3, zorder=4, solid_capstyle="butt"
            )
            value, note = (parts.numbers(line["median"])[row], f"n = {count:,}") if label is None else texts.loc[row]
            parts.beside(ax, most, place, value, note)
    parts.reference(ax, reference)
    entries = {}
    if hue and frame[hue].nunique() > 1:
        first = frame.drop_duplicates(hue).index
        entries = {str(frame[hue][i]): parts.dot_mark(hues[i], markers[frame[hue][i]]) for i in first}
    if hollow and open_.any():
        filled = {} if open_.all() else {"measured": parts.dot_mark()}
        entries |= parts.guessed({**filled, parts.words(hollow): parts.dot_mark(hollow=True)})
    parts.legend(ax, entries)
    return ax


def _places(names: pd.Series) -> np.ndarray:
    """Return the place of each row, downward from zero: rows of one name together, with air between two names."""
    group = pd.factorize(names)[0]
    within = pd.Series(group).groupby(group).cumcount().to_numpy()
    starts = np.concatenate([[0], np.cumsum(np.bincount(group) + BETWEEN)[:-1]])
    return -(starts[group] + within).astype(float)


def _axes(ax: Axes | None, names: pd.Series, places: np.ndarray, x: str) -> Axes:
    """Return axes whose rows are named, a new figure as high as they need."""
    inches = (THICK if names.is_unique else THIN) * (1 - np.min(places)) + FRAME
    ax = parts.axes(ax, theme.WIDTH, max(inches, 1.6))
    middles = pd.Series(np.asarray(places)).groupby(names.to_numpy(), sort=False).mean()
    ax.set_yticks(list(middles), [parts.fold(name, 26) for name in middles.index])
    ax.set_ylim(np.min(places) - 0.75, 0.75)
    ax.grid(axis="y", visible=False)

    ax.spines["bottom"].set_visible(False)
    ax.set_xlabel(parts.words(x))
    parts.ticks(ax.xaxis)
    return ax


def _range(
    ax: Axes, frame: pd.DataFrame, row: int, place: float, low: str | None, high: str | None, hue: str, width: float,
    alpha: float = 1.0,
) -> list[float]:  # fmt: skip
    """Draw the range of a row and return its ends, none where it has no range."""
    if not (low and high):
        return []
    ends = [float(frame[low][row]), float(frame[high][row])]
    if np.isfinite(ends).all() and ends[0] != ends[1]:
        ax.plot(
            ends, [place, place], color=hue, lw=width, alpha=alpha, zorder=2.6, solid_capstyle="round", clip_on=False
        )
    return ends
