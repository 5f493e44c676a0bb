"""Lines and points in two dimensions, named directly beside them."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

from analysis.charts import image, parts, theme
from analysis.charts.parts import Reference

DIRECT = 5  # series up to which each is named beside its line
STYLES = ("-", (0, (4, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
AROUND = (
    (9, 0),
    (-9, 0),
    (0, 11),
    (0, -11),
    (9, 10),
    (-9, 10),
    (9, -10),
    (-9, -10),
    (9, 20),
    (-9, 20),
    (9, -20),
    (-9, -20),
)


def lines(
    frame: pd.DataFrame, x: str, y: str, hue: str, *, low: str | None = None, high: str | None = None,
    style: str | None = None, log: str = "", reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one line per `hue` (and `style`), its points marked, in the order of x; of text or a category, of the frame.

    `low` and `high` are columns of a band; `style` tells dashes apart; `log` is "x", "y" or "xy". Up to five lines are
    named at their ends, more in the legend. `reference` guides lie across.
    """
    frame = parts.check(frame, x, y, hue, low, high, style)
    ax = parts.axes(ax, theme.WIDTH, 4.6)
    hues, _ = parts.colors(frame.assign(_="" if hue else ""), "_", hue)
    dashes = (
        {value: STYLES[place % len(STYLES)] for place, value in enumerate(dict.fromkeys(frame[style]))} if style else {}
    )
    numeric = pd.api.types.is_numeric_dtype(frame[x]) or pd.api.types.is_datetime64_any_dtype(frame[x])
    if numeric:
        frame = frame.sort_values(x, kind="stable")
    else:
        order = frame[x].cat.categories if isinstance(frame[x].dtype, pd.CategoricalDtype) else frame[x].unique()
        order = [each for each in order if each in set(frame[x])]
        ax.set_xticks(range(len(order)), [str(each) for each in order])
        frame[x] = frame[x].astype(object).map({each: place for place, each in enumerate(order)}).astype(float)
    ends: dict[str, tuple[float, float, str]] = {}
    for names, series in frame.dropna(subset=[x, y]).groupby(
        [hue, style] if style else [hue], sort=False, observed=True
    ):
        color = hues[series.index[0]]
        ax.plot(series[x], series[y], color=color, ls=dashes[names[1]] if style else "-", marker="o", ms=5, zorder=3)
        if low and high:
            ax.fill_between(series[x], series[low], series[high], color=color, alpha=0.15, lw=0, zorder=1)
        name = " ".join(str(part) for part in dict.fromkeys(names))
        ends[name] = (series[x].iloc[-1], series[y].iloc[-1], color)
    _frame(ax, x, y, log, numeric)
    parts.reference(ax, reference, across=True)
    if len(ends) <= DIRECT:
        _name_ends(ax, ends)
    else:
        entries = {str(frame[hue][i]): Line2D([], [], color=hues[i], lw=2.4) for i in frame.drop_duplicates(hue).index}
        styles = {str(each): Line2D([], [], color=theme.MUTED, lw=1.6, ls=dash) for each, dash in dashes.items()}
        parts.legend(ax, entries | styles)
    return ax


def scatter(
    frame: pd.DataFrame, x: str, y: str, *, hue: str | None = None, label: str | None = None, hollow: str | None = None,
    log: str = "", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one point per row; `label` is a column of names, written beside a point where there is room.

    `hollow` is a boolean column whose name is the legend's word for hollow points; `log` is "x", "y" or "xy".
    """
    frame = parts.check(frame, x, y, hue, label, hollow)
    ax = parts.axes(ax, theme.WIDTH, 4.8)
    hues, _ = parts.colors(frame.assign(_=""), "_" if hue else label or "_", hue)
    markers = parts.marker_of(frame[hue]) if hue else {}
    open_ = frame[hollow].fillna(False).astype(bool) if hollow else pd.Series(False, frame.index)
    for row, (across, up) in enumerate(zip(frame[x], frame[y], strict=True)):
        face, shape = theme.SURFACE if open_[row] else hues[row], markers[frame[hue][row]] if hue else "o"
        ax.plot(across, up, shape, ms=8, mew=1.6, color=hues[row], mfc=face, zorder=3, clip_on=False)
    _frame(ax, x, y, log, True)
    if label:
        _name_points(ax, frame[[x, y]].assign(name=frame[label].fillna("").astype(str)))
    entries = {}
    if hue and frame[hue].nunique() > 1:
        entries = {
            str(frame[hue][i]): parts.dot_mark(hues[i], markers[frame[hue][i]])
            for i in frame.drop_duplicates(hue).index
        }
    if hollow and open_.any():
        filled = {} if open_.all() else {"measured": parts.dot_mark()}
        entries |= parts.guessed({**filled, parts.words(hollow): parts.dot_mark(hollow=True)})
    parts.legend(ax, entries)
    return ax


def _frame(ax: Axes, x: str, y: str, log: str, numeric: bool) -> None:
    """Label the axes, on the scales that are asked for; a linear axis of positive values begins at zero."""
    if ax.get_autoscaley_on() and "y" not in log and ax.get_ylim()[0] >= -0.1 * ax.get_ylim()[1]:
        ax.set_ylim(bottom=0)
    for name, axis, words in (("x", ax.xaxis, x), ("y", ax.yaxis, y)):
        if name in log:
            ax.set(**{f"{name}scale": "log"})
        axis.set_label_text(parts.words(words) + (", log scale" if name in log else ""))
        if name == "y" or (numeric and axis.get_converter() is None):
            parts.ticks(axis, log=name in log)


def _name_ends(ax: Axes, ends: dict[str, tuple[float, float, str]]) -> None:
    """Write the name of each line right of the axes at the height of its end, no two above each other."""
    texts, leads = {}, {}
    for name, (_, up, color) in ends.items():
        look = {
            "xycoords": ax.get_yaxis_transform(),
            "textcoords": "offset points",
            "annotation_clip": False,
            "va": "center",
        }
        texts[name] = ax.annotate(name, (1, up), (18, 0), parse_math=False, **look)
        leads[name] = ax.plot([], [], color=color, lw=1, alpha=0.6, clip_on=False, zorder=1.5)[0]
        dot = ax.plot([], [], "o", color=color, ms=6, clip_on=False, transform=ax.transAxes)[0]
        texts[name]._analysis_dot = dot

    def place() -> None:
        points = ax.figure.dpi / 72
        wanted = [ax.transData.transform(end[:2])[1] for end in ends.values()]
        box = ax.bbox
        spots = parts.spread(wanted, 1.35 * points * theme.SETTINGS["font.size"], box.y0, box.y1)
        for (name, (across, up, _)), spot in zip(ends.items(), spots, strict=True):
            height = (spot - box.y0) / box.height
            texts[name].xy, texts[name].xycoords = (1, height), ax.transAxes
            edge = 12 * points / box.width
            texts[name]._analysis_dot.set_data([1 + edge], [height])
            begin = ax.transAxes.inverted().transform(ax.transData.transform((across, up)))
            leads[name].set_transform(ax.transAxes)
            leads[name].set_data([begin[0], 1 + edge], [begin[1], height])

    parts.later(ax, place)


def _name_points(ax: Axes, points: pd.DataFrame) -> None:
    """Write the name of each point where it covers least of points and names; the crowded ones first try further away."""
    texts = [
        ax.annotate(name, (across, up), (9, 0), textcoords="offset points", size=9, annotation_clip=False, zorder=4,
                    parse_math=False)
        for across, up, name in points.itertuples(index=False)
    ]  # fmt: skip

    def place() -> None:
        marks = ax.transData.transform(points.iloc[:, :2].to_numpy(float))
        scale = ax.figure.dpi / 72
        taken = [Bbox.from_extents(*(mark - 5 * scale), *(mark + 5 * scale)) for mark in marks]
        for text, _ in zip(texts, marks, strict=True):
            best = None
            for far, (right, up) in enumerate(AROUND):
                text.set(
                    position=(right, up), ha="left" if right > 0 else "right" if right < 0 else "center", va="center"
                )
                box = text.get_window_extent()
                covered = sum(_overlap(box, other) for other in taken) + 9 * _outside(box, ax.figure.bbox) + 0.01 * far
                if best is None or covered < best[0]:
                    best = covered, (right, up), text.get_ha(), box
                if covered < 0.5:
                    break
            text.set(position=best[1], ha=best[2])
            taken.append(best[3])

    parts.later(ax, place)


def _overlap(box: Bbox, other: Bbox) -> float:
    """Return the area that two boxes share."""
    shared = Bbox.intersection(box, other)
    return shared.width * shared.height if shared else 0.0


def _outside(box: Bbox, frame: Bbox) -> float:
    """Return the area of a box outside a frame."""
    return box.width * box.height - _overlap(box, frame)
