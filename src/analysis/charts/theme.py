"""The one look of all figures: seaborn's theme, the colors of accelerators, and what a dark page makes of them."""

from __future__ import annotations

import colorsys
from functools import lru_cache

import matplotlib as mpl
import seaborn as sns
from matplotlib.colors import to_hex, to_rgb

from analysis import tables

WIDTH = 9.0  # inches of a figure, shown on a slide at one and a half times its size
INK, MUTED, GRID, SURFACE, MISSING = "#1f2328", "#59636e", "#dde2e7", "#ffffff", "#eceff2"
OTHER = "#8a939c"  # of an accelerator without a color of its own
PALETTE = [*map(to_hex, sns.color_palette("colorblind"))]
VARIABLES = {INK: "ink", "#000000": "ink", MUTED: "muted", GRID: "grid", SURFACE: "surface", MISSING: "missing"}
DARK = {"ink": "#e6edf3", "muted": "#a3adb8", "grid": "#30363d", "surface": "#0d1117", "missing": "#21262d"}

SETTINGS = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelpad": 6,
    "axes.labelsize": 10.5,
    "axes.linewidth": 0.8,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "figure.constrained_layout.h_pad": 0.06,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.06,
    "figure.figsize": (WIDTH, 4.6),
    "figure.max_open_warning": 0,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.5,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "hatch.linewidth": 1.0,
    "legend.borderaxespad": 0,
    "legend.columnspacing": 1.6,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "legend.handletextpad": 0.5,
    "legend.title_fontsize": 10,
    "lines.linewidth": 2,
    "lines.markersize": 6,
    "svg.fonttype": "path",
    "svg.hashsalt": "analysis",
    "text.color": INK,
    "text.hinting": "no_hinting",  # words are measured as wide as their outlines in an SVG are
    "xtick.bottom": False,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 10,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 10.5,
    "ytick.left": False,
}


def apply() -> None:
    """Set the theme; what a user's own matplotlibrc or an earlier cell set is undone first, the backend excepted."""
    mpl.rcdefaults()
    sns.set_theme(style="white", palette="colorblind", rc=SETTINGS)


def color(accelerator: str) -> str:
    """Return the color of an accelerator, the same in all reports (data/accelerators.csv); gray without one."""
    return _colors().get(accelerator, OTHER)


@lru_cache(maxsize=1)
def _colors() -> dict[str, str]:
    parts = tables.accelerators
    return {
        label: hue for label, hue in zip(parts["label"], parts["color"], strict=True) if isinstance(hue, str) and hue
    }


def known(accelerator: str) -> bool:
    """Return whether the accelerator has a color of its own."""
    return accelerator in _colors()


def luminance(hue: str) -> float:
    """Return the relative luminance of a color, 0 to 1 (WCAG 2.2)."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(hue))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colors, 1 to 21 (WCAG 2.2)."""
    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


def on_dark(hue: str, least: float = 3.5) -> str:
    """Return the color as light as it needs to be for a contrast of `least` on a dark page."""
    shade, lightness, saturation = colorsys.rgb_to_hls(*to_rgb(hue))
    while contrast(hue, DARK["surface"]) < least and lightness < 1:
        lightness += 0.02
        hue = to_hex(colorsys.hls_to_rgb(shade, min(lightness, 1), saturation))
    return hue


apply()
