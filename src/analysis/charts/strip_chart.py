"""Figures of many values about one: a dot for each, in one strip for each name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Column, Description
from analysis.charts.colors import RULE
from analysis.charts.style import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STRIP, _FILLED = 0.82, 0.8  # inches that a strip is high, and the part of them that its dots may take
_DOT = 3.4  # points that a dot takes up
_EVEN = 1.0  # the value of what is as it is said to be: a line


@style.drawn_twice
def strips(
    frame: pd.DataFrame,
    *,
    strip: str,
    value: str,
    group: str,
    inks: Mapping[str, str],
    told: str,
    axis: str,
    title: str,
    subtitle: str,
) -> Drawing:
    """One strip per value of column `strip`, in their order, with a dot for each row at its `value` (logarithmic).

    Dots of one place are stacked. `group` is a column of the keys of `inks` (one color each, drawn in
    that order), `told` one of what is known of a dot that is pointed at. A line is at 1; rows whose value is not
    above zero are left out.
    """
    rows = frame[frame[value].gt(0)].reset_index(drop=True)
    if rows.empty:
        return style.nothing(title)
    names = list(dict.fromkeys(rows[strip]))
    figure, ax = style.canvas(title, subtitle, _STRIP * len(names) + 0.8)
    parts.axis(ax, pd.Series(names), -np.arange(len(names)), axis, log=True)
    parts.limits(ax, min(rows[value].min(), _EVEN), max(rows[value].max(), _EVEN), log=True)
    parts.guides(ax, _EVEN, None)
    ax.set_ylim(0.5 - len(names), 0.5)
    ax.hlines(-np.arange(len(names) - 1) - 0.5, 0, 1, transform=ax.get_yaxis_transform(), color=RULE, lw=0.6)
    groups = [name for name in inks if name in set(rows[group])]
    entries = [parts.sample(ls="", marker="o", color=inks[name], ms=5, label=name) for name in groups]
    figure.legend(handles=entries, loc="outside lower left", ncols=2, fontsize=8, handletextpad=0.4)
    figure.draw_without_rendering()  # How many dots fit into a strip is known only once all is laid out.
    order = {name: place for place, name in enumerate(inks)}
    for place, name in enumerate(names):
        dots = rows[rows[strip].eq(name)].sort_values(group, key=lambda keys: keys.map(order), kind="stable")
        for row, (across, up) in zip(as_dicts(dots), _piled(ax, dots[value]), strict=True):
            ax.plot(
                across,
                up - place,
                "o",
                color=inks[row[group]],
                ms=_DOT - 0.6,
                mew=0,
                zorder=3,
                gid=style.HOVER + row[told],
            )
    description = _in_words(rows, names, groups, strip, value, group, axis)
    return Drawing(figure, description.alt(title), description.table(title))


def _piled(ax: Axes, values: pd.Series) -> Iterator[tuple[float, float]]:
    """Where the dot of each value goes: its place on the axis, and how far above the middle of its strip, in strips.

    Dots are in columns a dot wide, one of them on the line; what a column has no room for goes to the next.
    """
    onto, back = ax.transData.transform, ax.transData.inverted().transform
    dot = _DOT * ax.figure.dpi / 72
    start, high = onto((_EVEN, 0))[0], onto((_EVEN, 1))[1] - onto((_EVEN, 0))[1]
    room = max(1, int(_FILLED * high / dot))
    piles: Counter[int] = Counter()
    for value in values:
        nearest = round((onto((value, 0))[0] - start) / dot)
        steps = (sign * step for step in count() for sign in (1, -1))
        column = next(nearest + step for step in steps if piles[nearest + step] < room)
        number, piles[column] = piles[column], piles[column] + 1
        side = (number + 1) // 2 * (1 if number % 2 else -1)
        yield back((start + column * dot, 0))[0], side * dot / high


def _in_words(
    rows: pd.DataFrame, names: Sequence[str], groups: Sequence[str], strip: str, value: str, group: str, axis: str
) -> Description:
    """Each strip and group: how many dots, from where to where."""
    counted = rows.groupby([strip, group], sort=False)[value].agg(["size", "min", "max"])
    keys = [(name, group_name) for name in names for group_name in groups if (name, group_name) in counted.index]
    dots = counted.loc[keys]
    columns = [
        Column(alt_text.heading(strip), [", ".join(name.splitlines()) for name, _ in keys]),
        Column(alt_text.heading(group), [group_name for _, group_name in keys]),
        Column("Dots", [f"{size:,}" for size in dots["size"]], numeric=True),
        Column(alt_text.capital(axis), list(map(interval.text, dots["min"], dots["max"])), numeric=True),
    ]
    return Description(f"{len(rows)} dots, {axis}:", columns, "{}: {}, {} at {}".format)
