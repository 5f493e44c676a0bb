"""What a figure is made on and written with: matplotlib, which takes as long to load as all else that a kernel needs.

So `style` asks for this module where something is drawn, and a report whose figures are all kept goes without.
"""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path


def framed(width: float, height: float, **subplots: Any) -> tuple[Figure, Any]:
    """A figure of so many inches with its axes, whose spines are no matter of the layout: they are where these end.

    To find what a spine takes up, ticks would be placed anew each time.
    """
    figure, axes = plt.subplots(figsize=(width, height), **subplots)
    for ax in figure.axes:
        for spine in ax.spines.values():
            spine.set_in_layout(False)
    return figure, axes


def close(*figures: Figure | None) -> None:
    """Forget figures, which pyplot would hold until the process ends."""
    for figure in filter(None, figures):
        plt.close(figure)


def written(figure: Figure) -> str:
    """The figure as SVG text, the same bytes for the same data."""
    buffer = io.StringIO()
    _Canvas(figure).write(buffer)
    return buffer.getvalue()


class _Canvas(FigureCanvasSVG):
    """matplotlib's, which `savefig` lays out and draws twice, with one renderer for the layout and for the drawing.

    So a text is measured once, whichever drawing it is in: `print_svg` would make a second renderer for the layout
    alone, and each has a cache of sizes of its own.
    """

    def write(self, buffer: io.StringIO) -> None:
        """Write the drawing, as `print_svg` does."""
        dpi, self.figure.dpi = self.figure.dpi, self.fixed_dpi
        width, height = self.figure.get_size_inches()
        points = width * self.fixed_dpi, height * self.fixed_dpi
        drawn = _Renderer(*points, buffer, image_dpi=dpi, metadata={"Date": None, "Creator": None})
        self._renderer = MixedModeRenderer(self.figure, width, height, dpi, drawn)
        self.figure.draw(self._renderer)
        self._renderer.finalize()

    def get_renderer(self) -> MixedModeRenderer:
        """What a figure asks its canvas for when it is laid out."""
        return self._renderer


class _Renderer(RendererSVG):
    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> tuple[float, float, float]:
        return _extent(s, prop.copy(), ismath)


@lru_cache(maxsize=4096)
def _extent(text: str, font: FontProperties, ismath: Any) -> tuple[float, float, float]:
    """Width, height and descent of a text in points."""
    return text_to_path.get_text_width_height_descent(text, font, ismath)
