"""Charts of tidy frames in one style, and self-contained images for slides.

Functions return axes and set no title: `report.figure` and `compose` add title, subtitle, and source to the image of
any figure. matplotlib's own settings are unchanged; `with charts.look():` draws other plots in the
same look.
"""

from analysis.charts.curves import lines, scatter
from analysis.charts.grids import heatmap
from analysis.charts.image import compose, svg
from analysis.charts.parts import panels
from analysis.charts.rows import bars, dots, waterfall
from analysis.charts.theme import color, look

__all__ = ["bars", "color", "compose", "dots", "heatmap", "lines", "look"]
__all__ += ["panels", "scatter", "svg", "waterfall"]


def __dir__() -> list[str]:
    return __all__
