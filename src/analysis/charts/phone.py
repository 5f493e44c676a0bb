"""The narrow version of a figure, for a phone: panels below each other, names on more lines, words of the same size."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator

from analysis.charts import parts, theme

NARROW = 4.3  # inches, about a phone's width
LETTERS = 14  # of a line of a name beside a row
COLUMNS = 8  # of a heat map, above which names of columns stand upright


@theme.look()
def narrow(figure: Figure | Axes) -> Figure:
    """Lay a figure out anew at a phone's width and return it; a waterfall is drawn anew, from top to bottom."""
    figure = figure.figure
    panels, rows = figure.axes, max(ax.get_gridspec().nrows for ax in figure.axes)
    if again := getattr(panels[0], parts.AGAIN, None):
        parts.plt.close(figure)
        return again(NARROW).figure
    height = figure.get_figheight() / rows * len(panels)
    figure.set_layout_engine("constrained")
    grid = figure.add_gridspec(len(panels), 1)
    for place, ax in enumerate(panels):
        ax.set_subplotspec(grid[place])
        names = [each.get_text() for each in ax.get_yticklabels()]
        if isinstance(ax.yaxis.get_major_formatter(), FixedFormatter):
            folded = [parts.fold(name, LETTERS) for name in names]
            ax.set_yticks(ax.get_yticks(), folded)
            height *= 1 + 0.2 * max([name.count("\n") for name in folded], default=0) / len(panels)
        if ax.xaxis.get_ticks_position() == "top" or ax.xaxis.get_tick_params()["labeltop"]:  # a heat map
            _shrink(ax)
        elif ax.get_xscale() == "linear" and not isinstance(ax.xaxis.get_major_locator(), FixedLocator):
            ax.xaxis.set_major_locator(parts.plt.MaxNLocator(4))
        ax.tick_params(labelleft=True)
        for value, note in getattr(ax, parts.PAIRS, []):
            value.set_position((value.get_position()[0], 5))
            note.set_position((value.get_position()[0], -6))
    figure.set_size_inches(NARROW, height)
    parts.legend(figure, {}, {})
    return figure


def _shrink(ax: Axes) -> None:
    """Leave the values of a heat map's cells, in small print, and turn the names of many columns."""
    columns, two = len(ax.get_xticks()), any(text.get_gid() == parts.SECOND for text in ax.texts)
    for text in ax.texts:
        text.set(
            visible=text.get_gid() != parts.SECOND, size=min(7, 84 / columns), y=text.get_position()[1] - 0.17 * two
        )
    if columns > COLUMNS:
        ax.tick_params(axis="x", labelrotation=90, labelsize=8)
