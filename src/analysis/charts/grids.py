"""Charts of several panels or cells: a heat map, bars at stated points, histograms."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core import notes as wording
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis.charts import alt_text, parts, style
from analysis.charts.alt_text import Column, Description
from analysis.charts.colors import BAND, CELL_INK, INK, POINT
from analysis.charts.style import Drawing

PERCENTILES = (10, 50, 90)
_GIVEN, _MORE = 0.85, 0.28  # opacity of the measured lower bound, and of what a slower run reaches


@style.chart
def heatmap(
    cells: pd.DataFrame,
    *,
    label: str,
    column: str,
    name: str,
    title: str,
    subtitle: str,
    note: str = "",
) -> Drawing:
    """Ratios as colors around 1 (logarithmic) with their numbers, `label` down and `column` across; missing is blank.

    Each row of `cells` is one cell: the interval `name`, or its `<name>_median` where there is one, at its `label` and
    `column`, both in the order of their categories (a pandas Categorical), else sorted. `note` is a column of words
    shown where a cell is pointed at (see parts.hover).
    """
    import seaborn as sns  # It takes as long as all else that a figure needs, and few figures draw with it.
    from matplotlib.patches import Rectangle

    notes = parts.notes_of(cells, label)
    values, words = _values_and_words(cells, label, column, name, notes)
    tight = len(values.columns) > (3 if style.is_narrow() else 6)  # a range on one line would run into the next cell
    figure, ax = style.canvas(title, subtitle, (0.4 if tight else 0.36) * len(values) + 1.25)
    logs = np.log2(values.astype(float))
    reach = max(1.0, float(logs.abs().max(axis=None)))  # twice or half at least has the deepest color
    text = {"annot": _in_cells(words, tight).to_numpy(), "fmt": "", "annot_kws": {"size": 7, "color": CELL_INK}}
    around_one = sns.diverging_palette(30, 250, s=70, l=60, as_cmap=True)
    sns.heatmap(logs, ax=ax, cmap=around_one, vmin=-reach, vmax=reach, cbar=False, linewidths=1, **text)
    for row in as_dicts(cells):
        down, across = values.index.get_loc(row[label]), values.columns.get_loc(row[column])
        tooltip = parts.hover(row, label, str(row[column]), words.iat[down, across], row[note] if note else "")
        # What fills the square can be pointed at, but is not seen.
        look = {"facecolor": BAND, "alpha": 0.004, "linewidth": 0, "zorder": 4}
        ax.add_patch(Rectangle((across, down), 1, 1, gid=f"{style.HOVER}{tooltip}", **look))
    ax.set(xlabel="", ylabel="")
    ax.grid(False)
    ax.tick_params(length=0, labelrotation=0)
    ax.set_xticks(ax.get_xticks(), list(values), rotation=40, ha="right", rotation_mode="anchor")
    columns = [Column("Row", words.index), *(Column(str(name), texts, True) for name, texts in words.items())]

    def spoken(row: str, *texts: str) -> str:
        return "; ".join(f"{row}, {name} {text}" for name, text in zip(words, texts, strict=True) if text)

    return style.finished(figure, title, notes, Description(f"Heat map of {len(cells)} cells:", columns, spoken))


def _values_and_words(
    cells: pd.DataFrame, label: str, column: str, name: str, notes: Notes
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The numbers and the words of a heat map, with two digits and the marks of each cell's notes, of all `notes`."""
    ends = interval.of(cells, name)
    if f"{name}_median" in cells:
        ends = Interval(cells[f"{name}_median"], cells[f"{name}_median"])
    texts = [interval.text(*pair, 2, "\u2013") for pair in zip(ends.low, ends.high, strict=True)]
    marks = [wording.marks(own, notes) for own in cells["notes"]] if "notes" in cells else ""
    placed = cells[[label, column]].assign(value=ends.middle, words=pd.Series(texts, cells.index) + marks)
    wide = (placed.pivot(index=label, columns=column, values=each) for each in ("value", "words"))
    values, words = (each.set_axis(list(each.index)).set_axis(list(each), axis=1) for each in wide)
    return values, words.fillna("")


def _in_cells(words: pd.DataFrame, tight: bool) -> pd.DataFrame:
    """The words of cells, in narrow ones a range on two lines."""
    shown = words.replace("–", "–\n", regex=True) if tight else words
    # Two marks or more behind a number would run into the next cell too.
    return shown.replace(r"^([\d.,]+)([^\d.,\u2013]{2,})$", r"\1\n\2", regex=True) if style.is_narrow() else shown


@style.chart
def bars_at(
    frame: pd.DataFrame,
    *,
    label: str,
    at: str,
    name: str,
    axis: str,
    unit: str,
    missing: str,
    title: str,
    subtitle: str,
    color: str = "",
) -> Drawing:
    """A grid of bars: a row per `label`, a column per value of `at`, each bar as long as interval `name` is high.

    Dark up to its low end, whose number is above it, light up to its high one. All bars have one scale. Where the
    interval is NaN, `missing` is in its place. `color` is a column of accelerators (default: the label column).
    `axis` names the quantity with its unit, `unit` the columns.
    """
    if frame[f"{name}_low"].isna().all():
        return style.nothing(title)
    notes = parts.notes_of(frame, label)
    labels = list(dict.fromkeys(frame[label]))
    panels = {
        f"{interval.number(point)} {unit}": rows.set_index(label, drop=False).reindex(labels)
        for point, rows in frame.groupby(at)
    }
    shape = {"ncols": len(panels), "sharex": True, "sharey": True, "squeeze": False}
    figure, axes = style.canvas(title, subtitle, 0.36 * len(labels) + 0.75, **shape)
    columns = [Column(alt_text.heading(label), labels)]
    for ax, (head, rows) in zip(axes.flat, panels.items(), strict=True):
        ends = interval.of(rows, name)
        texts = [
            missing if low != low else interval.text(low, high) for low, high in zip(ends.low, ends.high, strict=True)
        ]
        columns.append(Column(head, texts, True, ends))
        for place, (row, text) in enumerate(zip(as_dicts(rows), texts, strict=True)):
            low, high = interval.of(row, name).low, interval.of(row, name).high
            if low != low:
                ax.annotate(missing, (0, place), size=7.5, color=style.QUIET, va="center")
                continue
            look = {"color": style.color(row[color or label]), "lw": 0}
            look["gid"] = f"{style.HOVER}{parts.hover(row, label, f'{text} at {head}')}"
            ax.barh(place + 0.2, high - low, 0.26, low, alpha=_MORE, **look)
            ax.barh(place + 0.2, low, 0.26, alpha=_GIVEN, **look)
            marks = wording.marks(row.get("notes", NONE), notes)
            ax.annotate(f"{interval.number(low)} {marks}".rstrip(), (0, place), size=7.5, va="bottom")
        ax.set_title(style.wrapped(head, 10), size=8, loc="left", color=style.QUIET)
        ax.set(xticks=[], ylim=(len(labels) - 0.45, -0.6))
        ax.set_yticks(range(len(labels)), [style.wrapped(words, 16) for words in labels])
        ax.grid(False)
        ax.spines[:].set_visible(False)
    spoken = alt_text.listed("{1} at {0}", panels)
    return style.finished(figure, title, notes, Description(f"Bars, {axis}:", columns, spoken))


@style.chart
def distributions(
    draws: pd.DataFrame,
    *,
    title: str,
    subtitle: str,
) -> Drawing:
    """One histogram per column of `draws`, each with its own axis named by the column, and its percentiles as lines.

    A draw without a number, which no bar shows, counts as more than any other.
    """
    import seaborn as sns  # as in `heatmap`
    from matplotlib.ticker import MaxNLocator

    figure, axes = style.canvas(title, subtitle, 1.25 * len(draws.columns), nrows=len(draws.columns), squeeze=False)
    method = "higher" if draws.isna().any(axis=None) else "linear"  # between a number and none lies nothing
    marks = np.percentile(draws.fillna(np.inf), PERCENTILES, axis=0, method=method)
    marks = pd.DataFrame(marks, [f"P{percentile:g}" for percentile in PERCENTILES], draws.columns)
    for ax, (name, values) in zip(axes[:, 0], draws.items(), strict=True):
        values = values.dropna()
        whole = bool((values % 1 == 0).all() and values.nunique() < 40)
        sns.histplot(x=values, ax=ax, bins="auto" if whole else 60, discrete=whole, color=POINT, edgecolor="none")
        # Each line is named once where several fall together; the names step down, so none overlap.
        for step, (mark, names) in enumerate(marks[name].groupby(marks[name], sort=False)):
            ax.axvline(mark, color=INK, lw=1)
            words = f"{', '.join(names.index)}: {interval.number(mark)}"
            parts.text_at(ax, mark, 0.98 - 0.2 * step, words, 4, xycoords=("data", "axes fraction"), va="top")
        if whole:
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set(xlabel=str(name), ylabel="", yticks=[])
        ax.grid(False)
    numbers = [
        Column(name, list(map(interval.number, row)), True) for name, row in zip(marks.index, marks.values, strict=True)
    ]
    spoken = alt_text.listed("{} {}", marks.index)
    columns = [Column("Quantity", list(draws)), *numbers]
    return style.finished(figure, title, NONE, Description(f"Histograms of {len(draws):,} draws.", columns, spoken))
