"""Read MLPerf Inference results: load them, select comparable ones, and write reports from notebooks.

    from analysis import comparable, load_results, report
"""

from importlib import import_module
from typing import Any

_HOME = {"load_results": "results", "comparable": "results", "report": "", "charts": "show.figures"}
__all__ = ["charts", "comparable", "load_results", "report"]


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that `import analysis` stays fast."""
    if name not in _HOME:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}; it has {', '.join(__all__)}")
    module = import_module(f"analysis.{_HOME[name]}" if _HOME[name] else f"analysis.{name}")
    return getattr(module, name) if hasattr(module, name) else module


def __dir__() -> list[str]:
    return sorted(__all__)
