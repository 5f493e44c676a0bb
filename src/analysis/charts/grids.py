"""Heat maps with text in their cells."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, LinearSegmentedColormap, LogNorm, Normalize, to_hex
from matplotlib.patches import Rectangle

from analysis.charts import image, parts, theme

ROW, COLUMN = 0.40, 0.74  # inches of a cell
APART = 0.35  # cells between two groups of rows or columns
WIDE = 12  # columns from which a grid is turned on a phone
BESIDE, LOW, NARROW = 1.4, 0.32, 0.29  # inches that names take there, of a row, and of a column
ON_LIGHT, ON_DARK = "#1f2329", "#fefefe"  # words on a cell
TURNED = {ON_LIGHT: "#1f232a", ON_DARK: "#fefefd"}  # the same where a dark page needs the other color
LOWER, HIGHER, MIDDLE = "#c05a1c", "#0b5394", "#f4f5f6"
SEQUENTIAL = LinearSegmentedColormap.from_list("sequential", ["#edf3f9", "#7fb0d8", HIGHER])
# On a dark page high values are bright, to stand out from the page.
BRIGHT, DIM = "#a8d1f7", "#f0a566"
SEQUENTIAL_DARK = LinearSegmentedColormap.from_list("sequential dark", ["#17293d", "#2f6ea8", BRIGHT])
DIVERGING_DARK = LinearSegmentedColormap.from_list("diverging dark", [DIM, "#8a5a35", "#262c33", "#2f6ea8", BRIGHT])
DIVERGING = LinearSegmentedColormap.from_list("diverging", [LOWER, "#efb98c", MIDDLE, "#8fbbdf", HIGHER])


@parts.chart
def heatmap(values: pd.DataFrame, text: pd.DataFrame, *, center: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw a grid of values: rows and columns as in the frame, cells without a value gray.

    `text` has the same shape: the text of each cell, its first line in bold. With `center`, such as 1 for ratios, lower
    values are orange and higher ones blue, positive ones by their logarithm. An index or columns of two levels are
    drawn in groups separated by a gap, with the names of groups above the columns.
    """
    parts.require(values)
    if text.shape != values.shape:
        raise ValueError(
            f"text has {text.shape[0]} x {text.shape[1]} cells, but values has {values.shape[0]} x {values.shape[1]}"
        )
    across, up = _places(values.columns), -_places(values.index)
    inches = (COLUMN * (across[-1] + 1) + 1.4, ROW * (1 - up[-1]) + 0.9)
    if not ax:
        ax = parts.plt.subplots(figsize=(max(inches[0], 4.0), inches[1]))[1]
        if len(across) > max(WIDE, len(up)):
            setattr(ax, parts.UPRIGHT, partial(_upright, values.T, text.T, center))
    colors, on_dark = _scale(values, center)
    dark = ax.figure.__dict__.setdefault(image.ON_DARK, {})  # the color of each color on a dark page
    grid = values.to_numpy(float)
    for row, column in np.ndindex(*values.shape):
        known = np.isfinite(grid[row, column])
        fill = to_hex(colors.to_rgba(grid[row, column])) if known else theme.MISSING
        ax.add_patch(Rectangle((across[column] - 0.48, up[row] - 0.46), 0.96, 0.92, facecolor=fill, lw=0))
        if known:
            dark[fill] = to_hex(on_dark(colors.norm(grid[row, column])))
            ink, other = (max(TURNED, key=partial(theme.contrast, ground)) for ground in (fill, dark[fill]))
            if ink != other:
                ink = TURNED[ink]
                dark[ink] = other
            first, *rest = str(text.iloc[row, column]).split("\n")
            look = {"ha": "center", "va": "center", "color": ink, "in_layout": False}
            ax.text(across[column], up[row] + (0.17 if rest else 0), first, size=9, weight="bold", **look)
            if rest:
                ax.text(across[column], up[row] - 0.19, "\n".join(rest), size=7, gid=parts.SECOND, **look)
    ax.set(xlim=(-0.5, across[-1] + 0.5), ylim=(up[-1] - 0.5, 0.5))
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.tick_params(labeltop=True, labelbottom=False, length=0)
    ax.set_xticks(across, [image.wrap(_name(each), COLUMN - 0.08, 9) for each in values.columns], size=9)
    ax.set_yticks(up, [_name(each) for each in values.index])
    if values.columns.nlevels > 1:
        _name_groups(ax, values.columns, across)
    return ax


def _upright(values: pd.DataFrame, text: pd.DataFrame, center: float | None, width: float) -> Axes:
    """Draw a wide grid with its columns as rows, in smaller print, for a phone."""
    ax = heatmap(values, text, center=center)
    ax.figure.set_size_inches(max(width, BESIDE + NARROW * values.shape[1]), LOW * len(values) + BESIDE)
    for words in ax.texts:
        words.set_size(5.5 if words.get_gid() == parts.SECOND else 6.6)
    ax.set_xticks(ax.get_xticks(), [_name(each) for each in values.columns], size=8.5, rotation=90)
    return ax


def _places(names: pd.Index) -> np.ndarray:
    """Return the place of each name, with a gap where the first of two levels changes."""
    group = pd.Series(names.get_level_values(0) if names.nlevels > 1 else [""] * len(names))
    return np.arange(len(names)) + APART * (group.ne(group.shift()).cumsum().to_numpy() - 1)


def _name(each: object) -> str:
    return str(each[-1] if isinstance(each, tuple) else each)


def _scale(values: pd.DataFrame, center: float | None) -> tuple[ScalarMappable, Colormap]:
    """Return the colors of values, from light to dark or in two hues around a center, and those on a dark page."""
    known = values.to_numpy(float)
    known = known[np.isfinite(known)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    if center is None:
        return ScalarMappable(Normalize(min(low, 0), high or 1), SEQUENTIAL), SEQUENTIAL_DARK
    if low > 0 and center > 0:
        reach = min(max(high / center, center / low, 1.5), 4)
        return ScalarMappable(LogNorm(center / reach, center * reach), DIVERGING), DIVERGING_DARK
    reach = max(high - center, center - low) or 1
    return ScalarMappable(Normalize(center - reach, center + reach), DIVERGING), DIVERGING_DARK


def _name_groups(ax: Axes, names: pd.MultiIndex, across: np.ndarray) -> None:
    """Write the first level of columns above their names."""
    lines = max(label.get_text().count("\n") for label in ax.get_xticklabels()) + 1
    begins = pd.Series(across - 0.48).groupby(names.get_level_values(0), sort=False).first()
    top = ax.secondary_xaxis("top")
    top.set_xticks(begins, begins.index, ha="left", weight="bold")
    top.tick_params(length=0, pad=6 + 12 * lines)
    top.spines[:].set_visible(False)
