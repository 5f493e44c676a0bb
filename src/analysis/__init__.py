"""Read MLPerf Inference results: load them, select comparable ones, and write reports from notebooks.

A notebook starts with `from analysis import charts, comparable, load_results, report`.
"""

from importlib import import_module
from typing import Any

LAZY = {  # each public name and the module that it is or is in, which a build reads too to follow a notebook's imports
    "charts": "analysis.charts",
    "comparable": "analysis.results",
    "explorer": "analysis._display.explorer.live",
    "interval": "analysis._core.interval",
    "load_results": "analysis.results",
    "measurements": "analysis._import.measured.formats",
    "notes": "analysis._core.notes",
    "report": "analysis.report",
    "round_order": "analysis._core.round_order",
    "selection": "analysis.comparability.selection",
    "sliders": "analysis._display.sliders",
}
__all__ = [*LAZY]


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that `import analysis` stays fast."""
    if name not in LAZY:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}; it has {', '.join(__all__)}")
    module = import_module(LAZY[name])
    return getattr(module, name, module)


def __dir__() -> list[str]:
    return sorted(__all__)
