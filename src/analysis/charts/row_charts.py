"""Charts of one row per thing: ranges, ranges beside others, stacked counts.

Where the rows of a frame have a column `notes`, their marks are behind the numbers and a page explains them below the
figure. What a mark says when it is pointed at comes from the columns `accelerator`, `system`, `submitter`, `basis` or
`round`, and `software`, as far as a frame has them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Description
from analysis.charts.colors import LIGHT, QUIET
from analysis.charts.style import Drawing

_ROW = 0.26  # inches a row of a range chart takes
_HOLLOW = ("D", "v", "^", "o", "<", ">")


@style.chart
def ranges(
    frame: pd.DataFrame,
    *,
    label: str,
    series: str,
    name: str,
    axis: str,
    title: str,
    subtitle: str,
    color: str = "",
    hollow: str = "",
    note: str = "",
    reference: float | None = None,
    band: tuple[float, float] | None = None,
    band_label: str = "",
    log: bool = False,
    notes: Notes = NONE,
) -> Drawing:
    """One row per label and series: the interval `<name>_low` to `<name>_high` as a bar with its middle as a marker.

    Where the rows have a column `<name>_median`, the marker is there.
    `label` and `series` are columns of text; `color` one of accelerators (default: the label column); `hollow` one of
    booleans (derived or estimated points are unfilled), `note` one of words put behind the number. `reference` is a
    line, `band` a shaded range named `band_label`. `axis` names the quantity and its unit.
    """
    rows = frame.reset_index(drop=True)
    notes |= parts.notes_of(rows, label)
    numbers = alt_text.ranges(rows, name, axis)
    records = as_dicts(rows)
    words = [parts.words(*pair, note, notes) for pair in zip(numbers.texts, records, strict=True)]
    height = _ROW * (1.4 if any("\n" in text for text in words) else 1)
    figure, ax = style.canvas(title, subtitle, height * len(rows) + 0.95)
    markers, places = parts.markers(rows, series), parts.places(rows[label])
    for place, row, number in zip(places, records, numbers.texts, strict=True):
        ink = style.color(row[color or label])
        tooltip = parts.hover(row, label, number, row[note] if note else "")
        _bar(ax, row, name, place, ink, tooltip, marker=markers[row[series]], face=parts.face(row, ink, hollow))
    parts.rows_axis(ax, rows[label], places, axis, log)
    ends = interval.of(rows, name)
    parts.limits(ax, ends.low.min(), ends.high.max(), log, from_zero=reference is None)
    parts.guides(ax, reference, band)
    parts.right_room(ax, [parts.text_at(ax, *point) for point in zip(ends.high, places, words, strict=True)])
    entries = [parts.sample(*entry) for entry in markers.items()]
    parts.legend(ax, [*entries, parts.band_sample(band_label)] if band and band_label else entries)
    columns = [alt_text.words(rows, label), alt_text.words(rows, series), numbers, *alt_text.remarks(rows, note)]
    return style.finished(figure, title, notes, Description(f"Ranges, {axis}:", columns, "{} ({}) {}".format))


@style.chart
def beside(
    frame: pd.DataFrame,
    *,
    label: str,
    name: str,
    others: Mapping[str, str],
    legend: str,
    axis: str,
    title: str,
    subtitle: str,
    color: str = "",
    note: str = "",
    reference: float | None = None,
) -> Drawing:
    """One row per label: the interval `name` filled, below it hollow marks for the intervals `others` (logarithmic).

    `others` maps an interval's name to its words in the legend, `legend` names the filled one; a missing interval is
    not drawn. The numbers of `name` are in a column at the right, headed by `legend`, with `note`, a column of words,
    behind them.
    """
    rows = frame.reset_index(drop=True)
    below = 0.64 / (len(others) + 1)  # of a row; the rest keeps it apart from the next one
    notes = parts.notes_of(rows, label)
    figure, ax = style.canvas(title, subtitle, 0.12 * (1 + len(others)) * len(rows) + 0.95)
    names = {name: legend, **others}
    markers = dict(zip(names, ("s", *_HOLLOW), strict=False))
    numbers = {stem: alt_text.ranges(rows, stem, f"{words} ({axis})") for stem, words in names.items()}
    places = -np.arange(len(rows)) - below * len(others) / 2
    parts.rows_axis(ax, rows[label], places, axis, log=True)
    for place, row in enumerate(as_dicts(rows)):
        ink = style.color(row[color or label])
        for step, (stem, words) in enumerate(names.items()):
            tooltip = parts.hover(row, label, f"{words} {numbers[stem].texts[place]}")
            look = {"marker": markers[stem], "face": "white" if step else parts.face(row, ink)}
            _bar(ax, row, stem, -place - step * below, style.QUIET if step else ink, tooltip, **look)
        words = parts.words(numbers[name].texts[place], row, note, notes)
        parts.text_at(ax, 1, places[place], words, xycoords=("axes fraction", "data"))
    parts.text_at(ax, 1, 0.7, legend, xycoords=("axes fraction", "data"), color=QUIET)
    ends = rows[[f"{stem}_{end}" for stem in names for end in ("low", "high")]]
    parts.limits(ax, ends.min(axis=None), ends.max(axis=None), log=True)
    parts.guides(ax, reference)
    faces = {name: QUIET} | dict.fromkeys(others, "white")
    parts.legend(ax, [parts.sample(words, markers[stem], mfc=faces[stem]) for stem, words in names.items()])
    columns = [alt_text.words(rows, label), *numbers.values(), *alt_text.remarks(rows, note)]
    spoken = alt_text.listed("{} {}", names.values())
    return style.finished(figure, title, notes, Description(f"Ranges, {axis}:", columns, spoken))


@style.chart
def stacked(
    frame: pd.DataFrame,
    *,
    label: str,
    counts: Mapping[str, str],
    inks: Mapping[str, str],
    axis: str,
    title: str,
    subtitle: str,
) -> Drawing:
    """One bar per label from zero, of the columns `counts` stacked, with their sum at its end.

    `counts` maps columns to their words in the legend, `inks` to their colors; a white part is outlined, for what is
    missing. `axis` names what is counted.
    """
    rows = frame.reset_index(drop=True)
    figure, ax = style.canvas(title, subtitle, 0.28 * len(rows) + 0.95)
    places, starts, bars = -np.arange(len(rows)), 0, []
    for name, words in counts.items():
        look = {"fc": inks[name], "ec": QUIET if inks[name] == LIGHT else inks[name], "lw": 0.8}
        drawn = rows[name].where(rows[name].gt(0))  # a part of nothing has no outline
        bars.append(ax.barh(places, drawn, 0.62, starts, label=words, **look))
        starts = starts + rows[name]
    parts.rows_axis(ax, rows[label], places, axis)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter(parts.plain)
    parts.right_room(
        ax, [parts.text_at(ax, total, place, f"{total:,}") for total, place in zip(starts, places, strict=True)]
    )
    parts.legend(ax, bars)
    numbers = [alt_text.whole(rows, name, words) for name, words in counts.items()]
    spoken = alt_text.listed("{1} {0}", counts.values())
    columns = [alt_text.words(rows, label), *numbers]
    return style.finished(figure, title, NONE, Description(f"Stacked bars, {axis}:", columns, spoken))


def grouped(frame: pd.DataFrame, label: str) -> pd.DataFrame:
    """The rows with those of one label together, labels in the order of their first row."""
    order = {name: place for place, name in enumerate(dict.fromkeys(frame[label]))}
    return frame.sort_values(label, key=lambda names: names.map(order), kind="stable")


def _bar(ax: object, row: dict, name: str, place: float, ink: str, tooltip: str, **look: str) -> None:
    """The interval `name` of a row at a height, with its marker at the row's own median where it has one."""
    ends = interval.of(row, name)
    at = {"at": (row[f"{name}_median"], place)} if f"{name}_median" in row else {}
    parts.ranged(ax, ends, Interval(place, place), ink, tooltip, **look, **at)
