"""Charts of ready frames, in house style: alt text, caveats, the same numbers as CSV, light and dark, desk and phone.

Each function takes a frame and names of its columns and returns a `Drawing`; `report.figure` shows it. Ranges are read
from the columns `<name>_low` and `<name>_high`, caveats from `notes`.
"""

from importlib import import_module
from typing import Any

LAZY = {
    "apply": "analysis.charts.theme",
    "bars_at": "analysis.charts.grids",
    "beside": "analysis.charts.row_charts",
    "by_size": "analysis.charts.lines",
    "curves": "analysis.charts.lines",
    "distributions": "analysis.charts.grids",
    "grouped": "analysis.charts.row_charts",
    "heatmap": "analysis.charts.grids",
    "over_time": "analysis.charts.lines",
    "ranges": "analysis.charts.row_charts",
    "roofs": "analysis.charts.points",
    "scatter": "analysis.charts.points",
    "stacked": "analysis.charts.row_charts",
    "stairs": "analysis.charts.lines",
    "steps": "analysis.charts.step_curves",
    "strips": "analysis.charts.points",
}
__all__ = [*LAZY]


def __getattr__(name: str) -> Any:
    """Import a chart at its first use: matplotlib loads in most of a second."""
    if name not in LAZY:
        raise AttributeError(f"module 'analysis.charts' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
