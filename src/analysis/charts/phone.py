"""The narrow version of a figure, for a phone: panels stacked vertically, text of the same size."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from analysis.charts import parts, theme
from analysis.charts.image import text_width

NARROW = 4.3  # inches, about a phone's width
BESIDE = 1.4  # inches of it for the names next to the axes
COLUMN = 0.17  # inches of a column of a heat map with an upright name; more columns make the image wider
SMALL = 8.5  # points of upright names
TWO_LINES = 0.26  # inches of a value and the small print below it
FRAME = 1.1  # inches of a panel in addition to its rows: axis, title, and legend


@theme.look()
def narrow(figure: Figure | Axes) -> Figure:
    """Lay a figure out again at a phone's width and return it; a heat map of many columns is redrawn upright."""
    figure = figure.figure
    panels = [ax for ax in figure.axes if ax.get_gridspec()] or figure.axes  # a colorbar may have no grid
    rows = max((ax.get_gridspec().nrows for ax in panels if ax.get_gridspec()), default=1)
    if upright := getattr(panels[0], parts.UPRIGHT, None):
        parts.plt.close(figure)
        return upright(NARROW).figure
    width, height = NARROW, figure.get_figheight() / rows * len(panels)
    figure.set_layout_engine("constrained")
    grid = figure.add_gridspec(len(panels), 1)
    for place, ax in enumerate(panels):
        ax.set_subplotspec(grid[place])
        if ax.xaxis.get_ticks_position() == "top" or ax.xaxis.get_tick_params()["labeltop"]:  # a heat map
            _shrink(ax)
            width = max(width, BESIDE + COLUMN * len(ax.get_xticks()))
        elif isinstance(ax.xaxis.get_major_locator(), FixedLocator):
            height += _turn(ax)
        elif ax.get_xscale() == "linear":
            ax.xaxis.set_major_locator(parts.plt.MaxNLocator(4))
        ax.tick_params(labelleft=True)
        parts.stacked(ax)
    figure.set_size_inches(width, max([height, *(len(panels) * _room(ax) for ax in panels)]))
    parts.legend(figure, {})
    return figure


def _room(ax: Axes) -> float:
    """Return the height of a panel, in inches, at which small print below a value clears the next row."""
    rows = np.unique([note.xycoords.xy[1] for note in ax.texts if note.get_gid() == parts.MOVABLE and note.get_text()])
    return FRAME + TWO_LINES * np.ptp(ax.get_ylim()) / np.diff(rows).min() if len(rows) > 1 else 0


def _turn(ax: Axes) -> float:
    """Turn column names that do not fit side by side, and return the height that they take, in inches."""
    names = [label.get_text() for label in ax.get_xticklabels()]
    wide = [max(text_width(line, 10) for line in name.split("\n")) for name in names]
    if sum(wide) < NARROW - BESIDE:
        return 0
    names = [name.replace("\n", " ") for name in names]
    ax.set_xticks(ax.get_xticks(), names, rotation=90, size=SMALL)
    return max(text_width(name, SMALL) for name in names)


def _shrink(ax: Axes) -> None:
    """Keep only the values in the cells of a heat map, in small print, and turn the names of many columns."""
    columns, middles = len(ax.get_xticks()), ax.get_yticks()
    for text in ax.texts:
        middle = middles[abs(middles - text.get_position()[1]).argmin()]
        text.set(visible=text.get_gid() != parts.SECOND, size=min(7, 84 / columns), y=middle)
    _turn(ax)
