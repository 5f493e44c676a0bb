"""Read published MLPerf Inference results, compare them, and write reports.

from analysis import comparable, fastest, load_results
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

HOME = {  # the module of each name, imported at first use: `analysis --help` needs none of them
    "NoData": "compare", "comparable": "compare", "current": "present", "fastest": "compare",
    "load_published": "published", "load_results": "results", "over": "present",
}  # fmt: skip
MODULES = ("charts", "report", "tables")
__all__ = [*HOME, *MODULES]


def __getattr__(name: str) -> Any:
    if name in HOME:
        return getattr(import_module(f"analysis.{HOME[name]}"), name)
    if name in MODULES:
        return import_module(f"analysis.{name}")
    raise AttributeError(f"module 'analysis' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
