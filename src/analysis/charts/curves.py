"""Line and scatter charts with direct labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from analysis.charts import parts, theme
from analysis.charts.parts import Reference

DIRECT = 5  # largest number of series labeled next to their lines
STYLES = ("-", (0, (4, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
AROUND = [(right, up) for up in (0, 10, -10, 20, -20) for right in (9, -9, 0) if right or up]  # points to a name


@parts.chart
def lines(
    frame: pd.DataFrame, x: str, y: str, hue: str, *, style: str | None = None, log: str = "",
    reference: Reference = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw one line with marked points per `hue`, and per `style`, distinguished by dashes.

    `x` is a number or date, else a category in its order or that of the frame; `log` is "x", "y" or "xy". Up to five
    lines are named at their ends, more in the legend. `reference` is a horizontal line or band.
    """
    frame = parts.require(frame, x, y, hue, style)
    rows = parts.drawn_rows(frame, hue, y, hue).assign(at=frame[x], style=frame[style].astype(str) if style else "")
    ax = ax or parts.plt.subplots()[1]
    ordered = isinstance(frame[x].dtype, pd.CategoricalDtype)
    if ordered or pd.api.types.is_string_dtype(frame[x]):
        places, names = pd.factorize(frame[x], sort=ordered)
        rows["at"] = np.where(places < 0, np.nan, places)  # a missing category has no place
        ax.set_xticks(range(len(names)), names)
    rows["dash"] = parts.turns(rows["style"], STYLES)
    points = rows.dropna(subset=["at", "x"]).sort_values("at", kind="stable")
    for _, line in points.groupby(["hue", "style"], sort=False):
        dash, color = line[["dash", "color"]].iloc[0]
        ax.plot(line["at"], line["x"], ls=dash, marker="o", ms=5, zorder=3, color=color)
    _frame(ax, x, y, log)
    parts.reference(ax, reference, across=True)
    ends = points.loc[points.groupby("hue", sort=False)["at"].idxmax()]
    entries = {}
    if len(ends) <= DIRECT:
        _name_ends(ax, ends)
    else:
        entries = {end.hue: Line2D([], [], color=end.color, lw=2.4) for end in ends.itertuples()}
    for row in rows[rows["style"].ne("")].drop_duplicates("style").itertuples():
        entries[row.style] = Line2D([], [], color=theme.MUTED, ls=row.dash)
    parts.legend(ax.figure, entries)
    return ax


@parts.chart
def scatter(
    frame: pd.DataFrame, x: str, y: str, *, hue: str | None = None, label: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw one point per row; `label` is a column of names, written next to a point where there is room."""
    frame = parts.require(frame, x, y, hue, label)
    rows = parts.drawn_rows(frame, hue or label or x, y, hue)
    ax = ax or parts.plt.subplots()[1]
    parts.marks(ax, rows.assign(at=frame[x]), "at", "x")
    _frame(ax, x, y)
    if label:
        ax.margins(0.12, 0.1)
        _name_points(ax, frame[[x, y]].to_numpy(float), frame[label])
    parts.key(ax, rows, None, parts.dot_mark)
    return ax


def _frame(ax: Axes, x: str, y: str, log: str = "") -> None:
    """Label the axes and set the requested scales; a linear y axis of positive values begins at zero."""
    if "y" not in log and ax.get_ylim()[0] >= -0.1 * ax.get_ylim()[1]:
        ax.set_ylim(bottom=0)
    for name, axis, column in (("x", ax.xaxis, x), ("y", ax.yaxis, y)):
        if name in log:
            ax.set(**{f"{name}scale": "log"})
        axis.set_label_text(parts.words(column) + (", log scale" if name in log else ""))
        if axis.get_converter() is None and not isinstance(axis.get_major_locator(), parts.plt.FixedLocator):
            parts.ticks(axis)


def _name_ends(ax: Axes, ends: pd.DataFrame) -> None:
    """Write the name of each line right of the axes at the height of its end, without overlap."""
    look = {"clip_on": False, "transform": ax.transAxes}
    texts, leads = [], []
    for end in ends.itertuples():
        texts.append(ax.annotate(end.hue, (1, 0), (18, 0), xycoords=ax.transAxes, va="center", **parts.OUTSIDE))
        style = {"color": (end.color, 0.6), "lw": 1, "marker": "o", "mfc": end.color, "mec": end.color}
        leads += ax.plot([], [], markevery=[1], zorder=1.5, **style, **look)
    at = np.column_stack([ax.convert_xunits(ends["at"]), ends["x"]])  # dates as numbers

    def place() -> None:
        begins = (ax.transData - ax.transAxes).transform(at)
        point = ax.figure.dpi / 72
        heights = parts.spread(begins[:, 1], 14 * point / ax.bbox.height, 0, 1)
        edge = 1 + 12 * point / ax.bbox.width
        for text, lead, begin, height in zip(texts, leads, begins, heights, strict=True):
            text.xy = 1, height
            lead.set_data([begin[0], edge], [begin[1], height])

    parts.later(ax, place)


def _name_points(ax: Axes, points: object, names: pd.Series) -> None:
    """Write the name of each point at the place around it that overlaps points and earlier names least."""
    look = {"size": 9, "va": "center", **parts.OUTSIDE}
    texts = [ax.annotate(name, at, (0, 0), **look) for at, name in zip(points, names, strict=True)]

    def place() -> None:
        pen, room = ax.figure._get_renderer(), ax.bbox
        taken = [Bbox([mark, mark]).padded(5 * ax.figure.dpi / 72) for mark in ax.transData.transform(points)]

        def moved(text: Annotation, spot: tuple[int, int]) -> Bbox:
            text.set(position=spot, ha="left" if spot[0] > 0 else "right" if spot[0] else "center")
            return text.get_window_extent(pen)

        def crossed(box: Bbox) -> int:
            inside = room.contains(*box.min) and room.contains(*box.max)
            return box.count_overlaps(taken) + len(taken) * (not inside)

        for text in texts:
            best = min(AROUND, key=lambda spot: crossed(moved(text, spot)))
            taken.append(moved(text, best))

    parts.later(ax, place)
