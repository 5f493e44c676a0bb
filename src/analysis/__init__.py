"""Read MLPerf Inference results: load them, select comparable ones, and write reports from notebooks.

from analysis import comparable, load_results, report
"""

from importlib import import_module
from typing import Any

LAZY = {  # the public names and the modules that have them, which a build reads too to follow a notebook's imports
    "charts": "analysis.charts.row_charts",
    "comparable": "analysis.results",
    "load_results": "analysis.results",
    "report": "analysis.report",
}
__all__ = ["charts", "comparable", "load_results", "report"]


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that `import analysis` stays fast."""
    if name not in LAZY:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}; it has {', '.join(__all__)}")
    module = import_module(LAZY[name])
    return module if module.__name__.endswith(name) else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
