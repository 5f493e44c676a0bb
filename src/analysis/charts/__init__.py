"""Charts of ready frames, in house style: alt text, caveats, the same numbers as CSV, light and dark, desk and phone.

Each function takes a frame and names of its columns and returns a `Drawing`; `report.figure` shows it. Ranges are read
from the columns `<name>_low` and `<name>_high`, caveats from `notes`.
"""

from importlib import import_module
from typing import Any

LAZY = {
    "apply": "analysis.charts.theme",
    "bars": "analysis.charts.row_charts",
    "bars_at": "analysis.charts.tradeoffs",
    "beside": "analysis.charts.row_charts",
    "by_size": "analysis.charts.size_lines",
    "curves": "analysis.charts.tradeoffs",
    "distributions": "analysis.charts.row_charts",
    "grouped": "analysis.charts.row_charts",
    "heatmap": "analysis.charts.row_charts",
    "over_time": "analysis.charts.timeline",
    "ranges": "analysis.charts.row_charts",
    "roofs": "analysis.charts.roofline_chart",
    "scatter": "analysis.charts.row_charts",
    "stacked": "analysis.charts.row_charts",
    "stairs": "analysis.charts.staircase",
    "steps": "analysis.charts.step_curves",
    "strips": "analysis.charts.strip_chart",
}
__all__ = [*LAZY]


def __getattr__(name: str) -> Any:
    """Import a chart at its first use: matplotlib loads in most of a second."""
    if name not in LAZY:
        raise AttributeError(f"module 'analysis.charts' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
