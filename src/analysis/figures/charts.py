"""The kinds of figure that reports use: a ready frame becomes a Drawing; none loads or computes data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from analysis import interval
from analysis.figures import style
from analysis.figures.style import Drawing

_ROW = 0.26  # inches a row of a range chart takes
_HOLLOW = ("D", "v", "^", "o", "<", ">")
_SHAPES = ("D", "v", "P", "X", "<", ">", "*", "p", "h", "d")


def ranges(
    frame: pd.DataFrame,
    *,
    label: str,
    series: str,
    name: str,
    axis: str,
    title: str,
    subtitle: str,
    colour: str = "",
    hollow: str = "",
    note: str = "",
    reference: float | None = None,
    band: tuple[float, float] | None = None,
    band_label: str = "",
    log: bool = False,
) -> Drawing:
    """One row per label and series: the interval `<name>_low` to `<name>_high` as a bar with its middle as a marker.

    `label` and `series` are columns of text; `colour` a column of accelerators (default: the label column);
    `hollow` a column of booleans (derived or estimated points are drawn unfilled), `note` one of words put behind the
    number. `reference` is a line, `band` a
    shaded range named `band_label`. `axis` names the quantity and its unit.
    """
    if frame.empty:
        return style.nothing(title)
    rows = frame.reset_index(drop=True)
    figure, ax = style.canvas(title, subtitle, _ROW * len(rows) + 0.95)
    names = list(dict.fromkeys(rows[series]))
    markers = _markers(names)
    ends = interval.of(rows, name)
    places = _places(rows[label])
    for place, row in zip(places, rows.to_dict("records"), strict=True):
        ink = style.colour(row[colour or label])
        _bar(ax, row, name, place, ink, markers[row[series]], "white" if hollow and row[hollow] else ink)
        said = interval.text(row[f"{name}_low"], row[f"{name}_high"])
        _number(ax, row[f"{name}_high"], place, " · ".join(filter(None, [said, row[note] if note else ""])))
    _axis(ax, rows[label], places, axis, log)
    _right_room(ax, ends.low.min(), ends.high.max(), log, room=0.5 if note else 0.28)
    _guides(ax, reference, band)
    _legend(ax, markers, band_label if band else "")
    return Drawing(figure, _tell(rows, label, series, name, title, axis))


def grouped(frame: pd.DataFrame, label: str) -> pd.DataFrame:
    """The rows with those of one label together, labels in the order of their first row."""
    order = {name: place for place, name in enumerate(dict.fromkeys(frame[label]))}
    return frame.sort_values(label, key=lambda names: names.map(order), kind="stable")


def heatmap(values: pd.DataFrame, words: pd.DataFrame, *, title: str, subtitle: str) -> Drawing:
    """Ratios as colours around 1 (logarithmic), with `words` of the same shape in the cells; missing is blank."""
    if values.empty:
        return style.nothing(title)
    narrow = len(values.columns) > 8  # a range on one line would run into the next cell
    shown = words.apply(lambda column: column.str.replace("–", "–\n")) if narrow else words
    figure, ax = style.canvas(title, subtitle, (0.4 if narrow else 0.36) * len(values) + 1.25)
    logs = np.log2(values.astype(float))
    reach = max(1.0, float(np.nanmax(np.abs(logs.to_numpy()))) if logs.notna().any(axis=None) else 1.0)
    sns.heatmap(
        logs,
        ax=ax,
        annot=shown.where(values.notna(), "").to_numpy(),
        fmt="",
        annot_kws={"size": 7},
        cmap=sns.diverging_palette(30, 250, s=70, l=60, as_cmap=True),
        center=0,
        vmin=-reach,
        vmax=reach,
        cbar=False,
        linewidths=1,
    )
    ax.set(xlabel="", ylabel="")
    ax.grid(False)
    ax.tick_params(axis="x", labelrotation=40, length=0, labelsize=8.5)
    ax.tick_params(axis="y", labelrotation=0, length=0, labelsize=8.5)
    for tick in ax.get_xticklabels():
        tick.set_ha("right")
        tick.set_rotation_mode("anchor")
    told = [
        f"{row}, {column} {words.at[row, column]}" for row in values.index for column in values if words.at[row, column]
    ]
    return Drawing(figure, f"{title} Heat map of {len(told)} cells: {'; '.join(told)}.")


def strip(
    frame: pd.DataFrame,
    *,
    label: str,
    series: str,
    name: str,
    axis: str,
    title: str,
    subtitle: str,
    reference: float | None = None,
    band: tuple[float, float] | None = None,
    band_label: str = "",
) -> Drawing:
    """One line per label with a mark for each row: where many ranges lie. `series` is a column of accelerators.

    The numbers are in the alt text and belong in a table beside the figure. `reference` and `band` as in `ranges`.
    """
    if frame.empty:
        return style.nothing(title)
    rows = frame.sort_values([label, f"{name}_low"], kind="stable").reset_index(drop=True)
    labels = pd.Series(list(dict.fromkeys(rows[label])))
    figure, ax = style.canvas(title, subtitle, 0.36 * len(labels) + 1.3)
    shapes = dict(zip(dict.fromkeys(frame[series]), "osD^vP<>Xhpd*8HosD^vP<>Xhpd*8H", strict=False))
    lane = rows.groupby(label).cumcount() % 3 - 1
    for row, step in zip(rows.to_dict("records"), lane, strict=True):
        ink = style.colour(row[series])
        _bar(ax, row, name, -labels[labels.eq(row[label])].index[0] + 0.2 * step, ink, shapes[row[series]], ink)
    _axis(ax, labels, -np.arange(len(labels), dtype=float), axis, log=False)
    ends = interval.of(rows, name)
    _right_room(ax, ends.low.min(), ends.high.max(), log=False, room=0.06)
    _guides(ax, reference, band)
    grey = [Line2D([], [], lw=7, color="#d9d9d9", label=band_label)] if band else []
    entries = [Line2D([], [], ls="", marker=m, color=style.colour(n), ms=5.5, label=n) for n, m in shapes.items()]
    figure.legend(handles=entries + grey, loc="outside lower left", ncols=4, fontsize=7.5, handletextpad=0.3)
    return Drawing(figure, _tell(rows, label, series, name, title, axis))


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
    colour: str = "",
    note: str = "",
    reference: float | None = None,
) -> Drawing:
    """One row per label: the interval `name` filled, below it hollow marks for the intervals `others` (logarithmic).

    `others` maps an interval's name to its words in the legend, `legend` names the filled one; an interval that is
    missing is not drawn. `note` is a column of words put behind the number.
    """
    if frame.empty:
        return style.nothing(title)
    rows = frame.reset_index(drop=True)
    figure, ax = style.canvas(title, subtitle, 0.36 * len(rows) + 0.95)
    markers = {legend: "s", **dict(zip(others.values(), _HOLLOW, strict=False))}
    names = [name, *others]
    for place, row in enumerate(rows.to_dict("records")):
        ink = style.colour(row[colour or label])
        _bar(ax, row, name, -place, ink, markers[legend], ink)
        for other, words in others.items():
            _bar(ax, row, other, -place - 0.24, style.QUIET, markers[words], "white")
        far = max(row[f"{each}_high"] for each in names if row[f"{each}_high"] == row[f"{each}_high"])
        said = interval.text(row[f"{name}_low"], row[f"{name}_high"])
        _number(ax, far, -place - 0.1, " · ".join(filter(None, [said, row[note] if note else ""])))
    _axis(ax, rows[label], -np.arange(len(rows)) - 0.12, axis, log=True)
    ends = rows[[f"{each}_{end}" for each in names for end in ("low", "high")]]
    _right_room(ax, ends.min(axis=None), ends.max(axis=None), log=True, room=0.62 if note else 0.3)
    _guides(ax, reference, None)
    _legend(ax, markers, "", hollow=list(others.values()))
    told = [
        f"{row[label]}: {legend} {interval.text(row[f'{name}_low'], row[f'{name}_high'])}, "
        + ", ".join(f"{words} {interval.text(row[f'{o}_low'], row[f'{o}_high'])}" for o, words in others.items())
        for row in rows.to_dict("records")
    ]
    return Drawing(figure, _one_line(f"{title} Ranges, {axis}: {'; '.join(told)}."))


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
) -> Drawing:
    """Named points at the middles of two intervals, with both ranges as error bars.

    `front` is a column of booleans: those rows are filled and joined by a line, the others hollow.
    """
    if frame.empty:
        return style.nothing(title)
    figure, ax = style.canvas(title, subtitle, 3.4)
    across, up = interval.of(frame, x), interval.of(frame, y)
    middles = [(ends.low + ends.high) / 2 for ends in (across, up)]
    best = frame[front].astype(bool) if front else pd.Series(True, index=frame.index)
    reach = [[middle - ends.low, ends.high - middle] for middle, ends in zip(middles, (across, up), strict=True)]
    ax.errorbar(*middles, xerr=reach[0], yerr=reach[1], fmt="none", ecolor=style.RULE, elinewidth=2.4, zorder=2)
    faces = [style.POINT if filled else "white" for filled in best]
    ax.scatter(*middles, s=42, c=faces, edgecolors=style.POINT, zorder=3)
    for words, i, j, above in zip(frame[label], *middles, best, strict=True):
        place = {"xytext": (6, 7 if above else -7), "va": "bottom" if above else "top"}
        ax.annotate(words, (i, j), textcoords="offset points", size=8, ha="left", **place)
    if front:
        line = frame.assign(i=middles[0], j=middles[1])[best].sort_values("i")
        ax.plot(line["i"], line["j"], color=style.QUIET, lw=1, ls="--", zorder=1)
    ax.margins(0.2)
    ax.tick_params(labelsize=8.5)
    ax.set_xlabel(x_axis, size=9)
    ax.set_ylabel(y_axis, size=9)
    told = [
        f"{row[label]} {interval.text(row[f'{x}_low'], row[f'{x}_high'])} and "
        f"{interval.text(row[f'{y}_low'], row[f'{y}_high'])}"
        for row in frame.to_dict("records")
    ]
    return Drawing(figure, f"{title} Points, {x_axis} and {y_axis}: {'; '.join(told)}.")


def distributions(
    draws: pd.DataFrame, *, title: str, subtitle: str, percentiles: Sequence[float] = (10, 50, 90)
) -> Drawing:
    """One histogram per column of `draws`, each with its own axis named by the column, and its percentiles as lines."""
    if draws.empty:
        return style.nothing(title)
    figure, axes = style.canvas(title, subtitle, 1.25 * len(draws.columns), nrows=len(draws.columns), squeeze=False)
    told = []
    for ax, (name, values) in zip(axes[:, 0], draws.items(), strict=True):
        whole = bool((values % 1 == 0).all() and values.nunique() < 40)
        sns.histplot(x=values, ax=ax, bins="auto" if whole else 60, discrete=whole, color=style.POINT, edgecolor="none")
        marks = [float(mark) for mark in np.percentile(values, percentiles)]
        _percentiles(ax, percentiles, marks)
        if whole:
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set(ylabel="", yticks=[])
        ax.set_xlabel(str(name), size=9)
        ax.tick_params(axis="x", labelsize=8.5)
        ax.grid(False)
        said = ", ".join(f"P{each:g} {interval.number(mark)}" for each, mark in zip(percentiles, marks, strict=True))
        told.append(f"{name}: {said}")
    return Drawing(figure, f"{title} Histograms of {len(draws):,} draws. {'; '.join(told)}.")


def bars(frame: pd.DataFrame, *, label: str, value: str, axis: str, title: str, subtitle: str) -> Drawing:
    """Horizontal bars from zero, longest first, with the number at each end."""
    if frame.empty:
        return style.nothing(title)
    rows = frame.sort_values(value, key=np.abs, ascending=False, kind="stable")
    figure, ax = style.canvas(title, subtitle, 0.32 * len(rows) + 0.75)
    sns.barplot(rows, x=value, y=label, ax=ax, color=style.POINT, orient="h")
    for place, number in enumerate(rows[value]):
        side = 1 if number >= 0 else -1
        ax.annotate(f"{number:.2f}", (number, place), (5 * side, 0), textcoords="offset points", va="center",
                    ha="left" if side > 0 else "right", size=8)  # fmt: skip
    ax.set(ylabel="")
    ax.set_xlabel(axis, size=9)
    ax.tick_params(labelsize=8.5)
    ax.axvline(0, color=style.QUIET, lw=0.9)
    ax.margins(x=0.15)
    told = "; ".join(f"{row[label]} {row[value]:.2f}" for row in rows.to_dict("records"))
    return Drawing(figure, f"{title} Bars, {axis}: {told}.")


def _percentiles(ax: Axes, percentiles: Sequence[float], marks: Sequence[float]) -> None:
    """A line at each percentile, named once where several fall together; the names step down, so none overlap."""
    place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "size": 7.5, "va": "top"}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    for step, mark in enumerate(dict.fromkeys(marks)):
        names = ", ".join(f"P{each:g}" for each, other in zip(percentiles, marks, strict=True) if other == mark)
        ax.axvline(mark, color=style.INK, lw=1)
        ax.annotate(f"{names}: {interval.number(mark)}", (mark, 0.98 - 0.2 * step), (4, 0), bbox=box, **place)


def _bar(ax: Axes, row: dict, name: str, place: float, ink: str, marker: str, face: str) -> None:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if low != low:
        return
    middle = np.sqrt(low * high) if low > 0 else (low + high) / 2
    ax.plot([low, high], [place, place], color=ink, lw=3.2, alpha=0.45, solid_capstyle="butt", zorder=2)
    ax.plot(middle, place, marker, color=ink, mfc=face, ms=5.5, zorder=3)


def _number(ax: Axes, at: float, place: float, words: str) -> None:
    """A number behind its bar, on white so that a guide line does not strike it out."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
    ax.annotate(words, (at, place), (7, 0), textcoords="offset points", va="center", size=7.5, bbox=box, zorder=4)


def _places(labels: pd.Series) -> np.ndarray:
    """Rows from the top, with a little air where the label changes."""
    changes = labels.ne(labels.shift()).cumsum().to_numpy() - 1
    return -(np.arange(len(labels)) + 0.35 * changes)


def _axis(ax: Axes, labels: pd.Series, places: np.ndarray, axis: str, log: bool) -> None:
    run = labels.ne(labels.shift()).cumsum().to_numpy()
    at = pd.Series(places).groupby(run).mean()
    ax.set_yticks(list(at), list(labels.groupby(run).first()), size=8.5)
    ax.set_ylim(places.min() - 0.8, 0.8)
    ax.grid(axis="y", visible=False)
    if log:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        ax.xaxis.set_minor_locator(NullLocator())
    ax.tick_params(axis="x", labelsize=8.5)
    ax.set_xlabel(axis, size=9)


def _right_room(ax: Axes, low: float, high: float, log: bool, room: float = 0.28) -> None:
    """Room at the right for the numbers that stand behind the bars."""
    if log:
        reach = max(np.log10(high / low), 0.3)
        ax.set_xlim(low / 10 ** (0.06 * reach), high * 10 ** (room * reach))
    else:
        start = 0 if low < 0.4 * high else low
        reach = (high - start) or high
        ax.set_xlim(start - 0.06 * reach, high + room * reach)


def _guides(ax: Axes, reference: float | None, band: tuple[float, float] | None) -> None:
    left, right = ax.get_xlim()
    if reference is not None:
        ax.axvline(reference, color=style.QUIET, lw=1, ls="--", zorder=1)
        left, right = min(left, reference * 0.97), max(right, reference * 1.03)
    if band:
        ax.axvspan(*band, color="#d9d9d9", alpha=0.55, lw=0, zorder=0)
        left, right = min(left, band[0] * 0.97), max(right, band[1] * 1.03)
    ax.set_xlim(left, right)


def _markers(names: Sequence[str]) -> dict[str, str]:
    """A marker per series: official, published and measured keep theirs; further documents take other shapes."""
    spare = iter(_SHAPES)
    markers: dict[str, str] = {}
    for name in names:
        wanted = style.marker(name)
        markers[name] = wanted if wanted not in markers.values() else next(spare, "o")
    return markers


def _legend(ax: Axes, markers: dict[str, str], band_label: str, hollow: Sequence[str] = ()) -> None:
    grey = style.QUIET
    entries = [
        Line2D([], [], ls="", marker=m, color=grey, mfc="white" if name in hollow else grey, ms=5.5, label=name)
        for name, m in markers.items()
    ]
    if band_label:
        entries.append(Line2D([], [], lw=7, color="#d9d9d9", label=band_label))
    if len(entries) > 1:
        columns = 3 if max(len(entry.get_label()) for entry in entries) < 26 else 2
        place = {"loc": "outside lower left", "ncols": columns, "fontsize": 8, "handletextpad": 0.4}
        ax.figure.legend(handles=entries, **place)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _tell(rows: pd.DataFrame, label: str, series: str, name: str, title: str, axis: str) -> str:
    told = [
        f"{row[label]} ({row[series]}) {interval.text(row[f'{name}_low'], row[f'{name}_high'])}"
        for row in rows.to_dict("records")
    ]
    return _one_line(f"{title} Ranges, {axis}: {'; '.join(told)}.")
