"""The one look of all figures: its style sheet, the colors of accelerators, and their variants on a dark page."""

from __future__ import annotations

import colorsys
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

from matplotlib import rc_params_from_file, style
from matplotlib.colors import to_hex, to_rgb

from analysis import tables

WIDTH = 9.0  # width of a figure in inches; a slide shows it at 1.5 times that
INK, MUTED, GRID, SURFACE, MISSING = "#1f2328", "#59636e", "#dde2e7", "#ffffff", "#eceff2"
OTHER = "#8a939c"  # of an accelerator without a color of its own
VARIABLES = {INK: "ink", "#000000": "ink", MUTED: "muted", GRID: "grid", SURFACE: "surface", MISSING: "missing"}
DARK_PAGE, PALE = "#0d1117", 2.7  # and the contrast with it below which a color is made pale
STYLE = rc_params_from_file(Path(__file__).with_name("theme.mplstyle"), use_default_template=False)
PALETTE = STYLE["axes.prop_cycle"].by_key()["color"]
PRECISIONS = {
    "FP32": "#949494", "BF16": "#555555", "FP16": "#555555", "INT8": "#029e73", "FP8": "#0173b2", "FP4": "#d55e00",
    "NVFP4": "#d55e00", "MXFP4": "#a3195b", "INT4": "#8250a8",
}  # fmt: skip


def look() -> AbstractContextManager[None]:
    """Return a context manager that applies the look of all figures and restores matplotlib's settings."""
    return style.context(["default", STYLE])  # whatever a user's matplotlibrc and earlier cells say


@cache  # called for each mark; cleared by tables.forget
def colors() -> dict[str, str]:
    """Return the colors of accelerators by short name (data/accelerators.csv), and of precisions."""
    own = tables.accelerators[tables.accelerators["color"].ne("")]
    return PRECISIONS | dict(zip(own["label"], own["color"], strict=True))


def color(accelerator: str) -> str:
    """Return the color of an accelerator, the same in all reports; gray where it has none."""
    return colors().get(accelerator, OTHER)


def luminance(hue: str) -> float:
    """Return the relative luminance of a color, 0 to 1 (WCAG 2.2)."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(hue))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colors, 1 to 21 (WCAG 2.2)."""
    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


def on_dark(hue: str) -> str:
    """Return the color as light as it needs to be for a contrast of 4 on a dark page.

    The darkest become pale rather than vivid, so that dark and bright shades of one hue remain distinct.
    """
    shade, lightness, saturation = colorsys.rgb_to_hls(*to_rgb(hue))
    least = 4.0
    if contrast(hue, DARK_PAGE) < PALE:
        least, saturation = 6.0, 0.6 * saturation
    while contrast(hue, DARK_PAGE) < least:
        lightness += 0.02
        hue = to_hex(colorsys.hls_to_rgb(shade, lightness, saturation))
    return hue
