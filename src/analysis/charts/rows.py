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
    frame = parts.check(frame, y, x, hue, low, high, hatched)
    places = _places(frame[y])
    ax = _axes(ax, frame[y], places, x)
    (hues, alphas), texts = parts.colors(frame, y, hue), parts.labels(frame, x, label)
    hatch, flags = parts.told(frame, hatched)
    spans = frame[[each or x for each in (low, high)]].to_numpy(float)
    for row, (place, value) in enumerate(zip(places, frame[x], strict=True)):
        form = parts.look("hatched" if hatch[row] else "solid", hues[row], alphas[row])
        ax.barh(place, value, height=0.86, zorder=2, **form)
        ax.plot(spans[row], [place, place], color=theme.INK, lw=1.4, zorder=2.6)
        end = np.nanmin([value, *spans[row]]) if value < 0 else np.nanmax([value, *spans[row], 0])
        parts.beside(ax, end, place, *texts.loc[row], gap=-5 if value < 0 else 5)
    ends = np.concatenate([spans.ravel(), frame[x], [0]])
    ax.set_xlim(1.02 * np.nanmin(ends), 1.02 * np.nanmax(ends) or 1)
    ax.axvline(0, color=theme.MUTED, lw=0.8, zorder=2.2)
    parts.reference(ax, reference)
    first = [] if hue is None or frame[hue].nunique() < 2 else frame.drop_duplicates(hue).index
    shown = hues.mask(pd.Series(alphas.ne(1).any(), hues.index), theme.OTHER)
    series = {str(frame[hue][i]): parts.bar_mark("solid", shown[i], alphas[i]) for i in first}
    parts.legend(ax, series, {name: parts.bar_mark("hatched" if flag else "solid") for name, flag in flags.items()})
    return ax


def dots(
    frame: pd.DataFrame, y: str, x: str, *, low: str | None = None, high: str | None = None, hue: str | None = None,
    hollow: str | None = None, label: Label = None, reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one dot per row with its range as a line, in the order of the frame from the top.

    Rows of one `y` and `hue` share a line: where these are several, small dots show each and a bar their median, and
    the label is that of the first, by default median and number. `hollow` is a boolean column whose name is the
    legend's word for hollow dots. `label` and `reference` are as for `bars`.
    """
    frame = parts.check(frame, y, x, hue, low, high, hollow)
    keys = [y, hue] if hue else [y]
    line = frame.groupby(keys, sort=False, observed=True)[x]
    count, median = line.transform("size"), line.transform("median")
    firsts = frame.drop_duplicates(keys)
    places = firsts[keys].assign(place=_places(firsts[y]))
    places = frame[keys].merge(places, on=keys, how="left")["place"]
    ax = _axes(ax, firsts[y], places[firsts.index].to_numpy(), x)
    hues, alphas = parts.colors(frame, y, hue)
    if alphas.ne(1).any():  # the row says which accelerator it is, the color what is compared
        hues = parts.turns(frame[hue], theme.PALETTE)
    shapes = parts.turns(frame[hue], parts.MARKERS) if hue and count.max() == 1 else count.map(lambda _: "o")
    open_, flags = parts.told(frame, hollow)
    texts = parts.labels(frame.assign(**{x: median}), x, label)
    if label is None:
        texts["note"] = count.map("n = {:,}".format).where(count > 1, "")
    spans = frame[[each or x for each in (low, high)]].to_numpy(float)
    for row, (place, value) in enumerate(zip(places, frame[x], strict=True)):
        if count[row] > 1:
            aside = (row * 0.618034 % 1 - 0.5) * 0.55  # apart across the line, where nothing is measured
            ax.plot(value, place + aside, "o", ms=4.5, color=hues[row], alpha=0.45, mew=0)
            continue
        ax.plot(spans[row], [place, place], color=hues[row], lw=3.5, alpha=0.4, solid_capstyle="round", clip_on=False)
        face = theme.SURFACE if open_[row] else hues[row]
        ax.plot(value, place, shapes[row], ms=8, mew=1.8, color=hues[row], mfc=face, zorder=3, clip_on=False)
    for row in firsts.index:
        together = places.eq(places[row]).to_numpy()
        if count[row] > 1:
            ax.plot([median[row]] * 2, places[row] + np.array([-0.42, 0.42]), color=hues[row], lw=3, zorder=4)
        end = np.nanmax([*spans[together].ravel(), *frame[x][together]])
        parts.beside(ax, end, places[row], *texts.loc[row], gap=9)
    parts.reference(ax, reference)
    first = [] if hue is None or frame[hue].nunique() < 2 else frame.drop_duplicates(hue).index
    series = {str(frame[hue][i]): parts.dot_mark(hues[i], shapes[i]) for i in first}
    parts.legend(ax, series, {name: parts.dot_mark(hollow=flag) for name, flag in flags.items()})
    return ax


def _places(names: pd.Series) -> np.ndarray:
    """Return the place of each row, downward from zero: rows of one name together, with air between two names."""
    group = pd.Series(pd.factorize(names)[0])
    starts = np.concatenate([[0], np.cumsum(np.bincount(group) + BETWEEN)[:-1]])
    return -(starts[group] + group.groupby(group).cumcount().to_numpy())


def _axes(ax: Axes | None, names: pd.Series, places: np.ndarray, x: str) -> Axes:
    """Return axes whose rows are named, a new figure as high as they need."""
    inches = (THICK if names.is_unique else THIN) * (1 - np.min(places)) + FRAME
    ax = ax or parts.plt.subplots(figsize=(theme.WIDTH, max(inches, 1.6)))[1]
    middles = pd.Series(places).groupby(names.to_numpy(), sort=False).mean()
    ax.set_yticks(list(middles), [parts.fold(name, 26) for name in middles.index])
    ax.set_ylim(np.min(places) - 0.75, 0.75)
    ax.grid(axis="y", visible=False)
    ax.spines["bottom"].set_visible(False)
    ax.set_xlabel(parts.words(x))
    parts.ticks(ax.xaxis)
    return ax
