"""The kinds of figure that reports use: a ready frame becomes a Drawing.

Where the rows of a frame have a column `notes`, their marks are behind the numbers and a page explains them below the
figure; `notes` are explained beside them. What a mark says when it is pointed at comes from the columns `accelerator`,
`system`, `submitter`, `basis` or `round`, and `software`, as far as a frame has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core import notes as wording
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Column, Description
from analysis.charts.colors import CELL_INK, LIGHT, POINT, QUIET, RULE, around_one
from analysis.charts.style import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.26  # inches a row of a range chart takes
_HOLLOW = ("D", "v", "^", "o", "<", ">")


@style.drawn_twice
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
    if frame.empty:
        return style.nothing(title)
    rows = frame.reset_index(drop=True)
    notes |= parts.notes_of(rows, label)
    numbers = alt_text.ranges(rows, name, axis)
    behind = [parts.words(*pair, note, notes) for pair in zip(numbers.texts, as_dicts(rows), strict=True)]
    row_height = _ROW * (1.4 if any("\n" in words for words in behind) else 1)
    figure, ax = style.canvas(title, subtitle, row_height * len(rows) + 0.95)
    columns = [alt_text.words(rows, label), alt_text.words(rows, series), numbers, *alt_text.remarks(rows, note)]
    description = Description(f"Ranges, {axis}:", columns, "{} ({}) {}".format)
    markers, places = parts.markers(rows, series), parts.places(rows[label])
    for place, row, number, words in zip(places, as_dicts(rows), numbers.texts, behind, strict=True):
        ink = style.color(row[color or label])
        hover_text = parts.hover(row, label, number, row[note] if note else "")
        parts.bar(ax, row, name, place, ink, markers[row[series]], parts.face(row, ink, hollow), hover_text)
        parts.number(ax, row[f"{name}_high"], place, words)
    parts.axis(ax, rows[label], places, axis, log)
    ends = interval.of(rows, name)
    parts.limits(ax, ends.low.min(), ends.high.max(), log)
    parts.guides(ax, reference, band)
    parts.right_room(ax)
    parts.legend(ax, markers, band_label if band else "")
    return Drawing(figure, description.alt(title), description.table(title), notes)


def grouped(frame: pd.DataFrame, label: str) -> pd.DataFrame:
    """The rows with those of one label together, labels in the order of their first row."""
    order = {name: place for place, name in enumerate(dict.fromkeys(frame[label]))}
    return frame.sort_values(label, key=lambda names: names.map(order), kind="stable")


@style.drawn_twice
def heatmap(
    cells: pd.DataFrame,
    *,
    label: str,
    column: str,
    name: str,
    title: str,
    subtitle: str,
    note: str = "",
    notes: Notes = NONE,
) -> Drawing:
    """Ratios as colors around 1 (logarithmic) with their numbers, `label` down and `column` across; missing is blank.

    Each row of `cells` is one cell: the interval `name`, or its `<name>_median` where there is one, at its `label` and
    `column`, both in the order of their categories (a pandas Categorical), else sorted. `note` is a column of words
    shown where a cell is pointed at (see parts.hover).
    """
    if cells.empty:
        return style.nothing(title)
    notes |= parts.notes_of(cells, label)
    values, words = _cells(cells, label, column, name)
    description = Description(
        f"Heat map of {len(cells)} cells:",
        [Column("Row", words.index), *(Column(str(name), texts, numeric=True) for name, texts in words.items())],
        lambda row, *texts: "; ".join(f"{row}, {name} {text}" for name, text in zip(words, texts, strict=True) if text),
    )
    narrow = len(values.columns) > (3 if style.is_narrow() else 6)  # a range on one line would run into the next cell
    figure, ax = style.canvas(title, subtitle, (0.4 if narrow else 0.36) * len(values) + 1.25)
    _tiles(ax, values, _in_cells(words, narrow))
    for row in as_dicts(cells):
        down, across = values.index.get_loc(row[label]), values.columns.get_loc(row[column])
        hover_text = parts.hover(row, label, str(row[column]), words.iat[down, across], row[note] if note else "")
        parts.pointed_at(ax, (across, down), hover_text)
    ax.set(xlabel="", ylabel="")
    ax.grid(False)
    ax.tick_params(axis="x", labelrotation=40, length=0, labelsize=8.5)
    ax.tick_params(axis="y", labelrotation=0, length=0, labelsize=8.5)
    for tick in ax.get_xticklabels():
        tick.set(ha="right", rotation_mode="anchor")
    return Drawing(figure, description.alt(title), description.table(title), notes)


def _cells(cells: pd.DataFrame, label: str, column: str, name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The numbers and the words of a heat map, with two digits and the marks of each cell's notes."""
    ends = interval.of(cells, name)
    if f"{name}_median" in cells:
        ends = Interval(cells[f"{name}_median"], cells[f"{name}_median"])
    texts = [interval.text(*pair, 2, "\u2013") for pair in zip(ends.low, ends.high, strict=True)]
    marks = cells["notes"].map(wording.marks) if "notes" in cells else ""
    placed = cells[[label, column]].assign(value=ends.middle, words=pd.Series(texts, cells.index) + marks)
    wide = (placed.pivot(index=label, columns=column, values=each) for each in ("value", "words"))
    values, words = (each.set_axis(list(each.index)).set_axis(list(each), axis=1) for each in wide)
    return values, words.fillna("")


def _in_cells(words: pd.DataFrame, narrow: bool) -> pd.DataFrame:
    """The words of cells, in narrow ones a range on two lines."""
    shown = words.apply(lambda column: column.str.replace("–", "–\n")) if narrow else words
    if style.is_narrow():  # two marks or more behind a number would run into the next cell too
        shown = shown.apply(lambda column: column.str.replace(r"^([\d.,]+)([^\d.,\u2013]{2,})$", r"\1\n\2", regex=True))
    return shown


def _tiles(ax: Axes, ratios: pd.DataFrame, words: pd.DataFrame) -> None:
    """A tile for each ratio in a color around that of 1, twice or half at least the deepest, with its words on it."""
    import seaborn as sns  # It takes as long as all else that a figure needs, and few figures draw with it.

    logs = np.log2(ratios.astype(float))
    reach = max(1.0, float(np.nanmax(np.abs(logs.to_numpy()))) if logs.notna().any(axis=None) else 1.0)
    sns.heatmap(
        logs,
        ax=ax,
        annot=words.where(ratios.notna(), "").to_numpy(),
        fmt="",
        annot_kws={"size": 7, "color": CELL_INK},
        cmap=around_one(),
        vmin=-reach,
        vmax=reach,
        cbar=False,
        linewidths=1,
    )


@style.drawn_twice
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
    notes: Notes = NONE,
) -> Drawing:
    """One row per label: the interval `name` filled, below it hollow marks for the intervals `others` (logarithmic).

    `others` maps an interval's name to its words in the legend, `legend` names the filled one; a missing interval is
    not drawn. The numbers of `name` are in a column at the right, with `note`, a column of words, behind them.
    """
    if frame.empty:
        return style.nothing(title)
    rows = frame.reset_index(drop=True)
    below = 0.64 / (len(others) + 1)  # of a row; the rest keeps it apart from the next one
    height = 0.12 * (1 + len(others)) * len(rows) + 0.95
    notes |= parts.notes_of(rows, label)
    figure, ax = style.canvas(title, subtitle, height)
    markers = {legend: "s", **dict(zip(others.values(), _HOLLOW, strict=False))}
    names = {name: legend, **others}
    numbers = [alt_text.ranges(rows, stem, f"{words} ({axis})") for stem, words in names.items()]
    description = Description(
        f"Ranges, {axis}:",
        [alt_text.words(rows, label), *numbers, *alt_text.remarks(rows, note)],
        lambda row, *texts: f"{row}: {', '.join(map('{} {}'.format, names.values(), texts))}",
    )
    records = as_dicts(rows)
    for place, row in enumerate(records):
        ink = style.color(row[color or label])
        texts = [f"{words} {column.texts[place]}" for words, column in zip(names.values(), numbers, strict=True)]
        parts.bar(
            ax, row, name, -place, ink, markers[legend], parts.face(row, ink, ""), parts.hover(row, label, texts[0])
        )
        for step, (stem, words) in enumerate(others.items(), 1):
            hover_text = parts.hover(row, label, texts[step])
            parts.bar(ax, row, stem, -place - step * below, style.QUIET, markers[words], "white", hover_text)
    places = -np.arange(len(rows)) - below * len(others) / 2
    parts.axis(ax, rows[label], places, axis, log=True)
    numbers_and_rows = zip(numbers[0].texts, records, strict=True)
    parts.column(ax, places, [parts.words(number, row, note, notes) for number, row in numbers_and_rows])
    ends = rows[[f"{stem}_{end}" for stem in names for end in ("low", "high")]]
    parts.limits(ax, ends.min(axis=None), ends.max(axis=None), log=True)
    parts.guides(ax, reference, None)
    parts.legend(ax, markers, "", hollow=list(others.values()))
    return Drawing(figure, description.alt(title), description.table(title), notes)


@style.drawn_twice
def scatter(
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    label: str,
    x_axis: str,
    y_axis: str,
    title: str,
    subtitle: str,
    front: str = "",
    notes: Notes = NONE,
) -> Drawing:
    """Named points at the middles of two intervals, with both ranges as error bars.

    `front` is a column of booleans: those rows are filled and joined by a line, the others hollow.
    """
    if frame.empty:
        return style.nothing(title)
    notes |= parts.notes_of(frame, label)
    figure, ax = style.canvas(title, subtitle, 3.4)
    across, up = interval.of(frame, x), interval.of(frame, y)
    middles = [(ends.low + ends.high) / 2 for ends in (across, up)]
    best = frame[front].astype(bool) if front else pd.Series(True, index=frame.index)
    columns = [alt_text.words(frame, label), alt_text.ranges(frame, x, x_axis), alt_text.ranges(frame, y, y_axis)]
    if front:
        columns.append(Column(alt_text.heading(front), ["yes" if filled else "no" for filled in best]))
    description = Description(f"Points, {x_axis} and {y_axis}:", columns, "{} {} and {}".format)
    reach = [[middle - ends.low, ends.high - middle] for middle, ends in zip(middles, (across, up), strict=True)]
    ax.errorbar(*middles, xerr=reach[0], yerr=reach[1], fmt="none", ecolor=RULE, elinewidth=2.4, zorder=2)
    texts = zip(as_dicts(frame), columns[1].texts, columns[2].texts, *middles, best, strict=True)
    for row, x_text, y_text, i, j, filled in texts:
        gid = f"{style.HOVER}{parts.hover(row, label, f'{x_axis} {x_text}', f'{y_axis} {y_text}')}"
        ax.plot(i, j, "o", ms=6.5, color=POINT, mfc=POINT if filled else "white", zorder=3, gid=gid)
    for words, i, j, above in zip(frame[label], *middles, best, strict=True):
        place = {"xytext": (6, 7 if above else -7), "va": "bottom" if above else "top"}
        ax.annotate(words, (i, j), textcoords="offset points", size=8, ha="left", bbox=parts.BOX, **place)
    if front:
        line = frame.assign(i=middles[0], j=middles[1])[best].sort_values("i")
        ax.plot(line["i"], line["j"], color=style.QUIET, lw=1, ls="--", zorder=1)
    ax.margins(0.2)
    if across.low.min() >= 0:
        ax.set_xlim(left=max(ax.get_xlim()[0], -0.03 * ax.get_xlim()[1]))  # No tick for what cannot be.
    ax.tick_params(labelsize=8.5)
    ax.set_xlabel(style.wrapped(x_axis, 42), size=9)
    ax.set_ylabel(style.wrapped(y_axis, 32), size=9)
    return Drawing(figure, description.alt(title), description.table(title), notes)


@style.drawn_twice
def distributions(
    draws: pd.DataFrame,
    *,
    title: str,
    subtitle: str,
    percentiles: Sequence[float] = (10, 50, 90),
    notes: Notes = NONE,
) -> Drawing:
    """One histogram per column of `draws`, each with its own axis named by the column, and its percentiles as lines.

    A draw without a number, which no bar shows, counts as more than any other.
    """
    import seaborn as sns  # as in `heatmap`
    from matplotlib.ticker import MaxNLocator

    if draws.empty:
        return style.nothing(title)
    figure, axes = style.canvas(title, subtitle, 1.25 * len(draws.columns), nrows=len(draws.columns), squeeze=False)
    method = "higher" if draws.isna().any(axis=None) else "linear"  # between a number and none lies nothing
    marks = np.percentile(draws.fillna(np.inf), percentiles, axis=0, method=method)  # a row each, a column per quantity
    names = [f"P{percentile:g}" for percentile in percentiles]
    numbers = [Column(name, list(map(interval.number, row)), True) for name, row in zip(names, marks, strict=True)]
    description = Description(
        f"Histograms of {len(draws):,} draws.",
        [Column("Quantity", list(draws)), *numbers],
        lambda quantity, *texts: f"{quantity}: {', '.join(map('{} {}'.format, names, texts))}",
    )
    for place, (ax, (name, values)) in enumerate(zip(axes[:, 0], draws.items(), strict=True)):
        values = values.dropna()
        whole = bool((values % 1 == 0).all() and values.nunique() < 40)
        sns.histplot(x=values, ax=ax, bins="auto" if whole else 60, discrete=whole, color=POINT, edgecolor="none")
        parts.percentiles(ax, marks[:, place], names, [column.texts[place] for column in numbers])
        if whole:
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set(ylabel="", yticks=[])
        ax.set_xlabel(str(name), size=9)
        ax.tick_params(axis="x", labelsize=8.5)
        ax.grid(False)
    return Drawing(figure, description.alt(title), description.table(title), notes)


@style.drawn_twice
def bars(
    frame: pd.DataFrame, *, label: str, value: str, axis: str, title: str, subtitle: str, notes: Notes = NONE
) -> Drawing:
    """Horizontal bars from zero, longest first, with the number at each end."""
    if frame.empty:
        return style.nothing(title)
    rows = frame.sort_values(value, key=np.abs, ascending=False, kind="stable")
    figure, ax = style.canvas(title, subtitle, 0.32 * len(rows) + 0.75)
    numbers = Column(alt_text.capital(axis), [f"{number:.2f}" for number in rows[value]], numeric=True)
    description = Description(f"Bars, {axis}:", [alt_text.words(rows, label), numbers], "{} {}".format)
    ax.barh(range(len(rows)), rows[value], color=POINT, tick_label=rows[label])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    for place, (number, text) in enumerate(zip(rows[value], numbers.texts, strict=True)):
        side = 1 if number >= 0 else -1
        ax.annotate(text, (number, place), (5 * side, 0), textcoords="offset points", va="center",
                    ha="left" if side > 0 else "right", size=8)  # fmt: skip
    ax.set_xlabel(style.wrapped(axis, 42), size=9)
    ax.tick_params(labelsize=8.5)
    ax.axvline(0, color=style.QUIET, lw=0.9)
    ax.margins(x=0.15)
    return Drawing(figure, description.alt(title), description.table(title), notes)


@style.drawn_twice
def stacked(
    frame: pd.DataFrame,
    *,
    label: str,
    counts: Mapping[str, str],
    inks: Mapping[str, str],
    axis: str,
    title: str,
    subtitle: str,
    notes: Notes = NONE,
) -> Drawing:
    """One bar per label from zero, of the columns `counts` stacked, with their sum at its end.

    `counts` maps columns to their words in the legend, `inks` to their colors; a white part is outlined, for what is
    missing. `axis` names what is counted.
    """
    from matplotlib.patches import Patch  # Loaded where something is drawn, as in `style`.

    if frame.empty:
        return style.nothing(title)
    rows = frame.reset_index(drop=True)
    figure, ax = style.canvas(title, subtitle, 0.28 * len(rows) + 0.95)
    texts = {words: [f"{count:,}" for count in rows[name]] for name, words in counts.items()}
    numbers = [Column(alt_text.capital(words), counted, numeric=True) for words, counted in texts.items()]
    description = Description(
        f"Stacked bars, {axis}:",
        [alt_text.words(rows, label), *numbers],
        lambda row, *counted: f"{row}: {', '.join(map('{} {}'.format, counted, texts))}",
    )
    ends = rows[list(counts)].cumsum(axis=1)
    looks = {name: {"fc": ink, "ec": QUIET if ink == LIGHT else ink, "lw": 0.8} for name, ink in inks.items()}
    for name in counts:
        drawn = rows.index[rows[name].gt(0)]
        ax.barh(drawn, rows.loc[drawn, name], 0.62, (ends[name] - rows[name])[drawn], **looks[name])
    for place, total in enumerate(rows[list(counts)].sum(axis=1)):
        parts.number(ax, total, place, f"{total:,}")
    ax.set_yticks(rows.index, rows[label], size=8.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter(parts.plain)
    ax.tick_params(axis="x", labelsize=8.5)
    ax.set_xlabel(style.wrapped(axis, 42), size=9)
    parts.right_room(ax)
    entries = [Patch(**looks[name], label=words) for name, words in counts.items()]
    place = {"loc": "outside lower left", "ncols": 1 if style.is_narrow() else 4, "fontsize": 8}
    figure.legend(handles=entries, handletextpad=0.5, handlelength=1.4, **place)
    return Drawing(figure, description.alt(title), description.table(title), notes)
