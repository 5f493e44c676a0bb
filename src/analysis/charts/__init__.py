"""Charts of tidy frames in one look, and images that stand alone on a slide.

Importing this package sets the theme, for seaborn and matplotlib too. Functions return axes and set no title:
`report.figure` or `compose` bake title, subtitle, and source into the image of any figure.
"""

from analysis.charts.curves import lines, scatter
from analysis.charts.grids import heatmap
from analysis.charts.image import compose, svg
from analysis.charts.parts import legend_note, panels
from analysis.charts.rows import bars, dots
from analysis.charts.steps import waterfall
from analysis.charts.theme import color

__all__ = ["bars", "color", "compose", "dots", "heatmap", "legend_note", "lines"]
__all__ += ["panels", "scatter", "svg", "waterfall"]
