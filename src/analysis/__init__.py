"""Read published MLPerf Inference results, compare them, and write reports.

from analysis import comparable, fastest, load_results
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from analysis import tables
from analysis.compare import NoData, comparable, fastest, latest
from analysis.results import load_results

__all__ = ["NoData", "charts", "comparable", "fastest", "latest", "load_published", "load_results", "report", "tables"]


def __getattr__(name: str) -> Any:
    if name in ("charts", "report"):  # matplotlib takes half a second, which the command line need not pay
        return import_module(f"analysis.{name}")
    if name == "load_published":
        return import_module("analysis.published").load_published
    raise AttributeError(f"module 'analysis' has no attribute {name!r}")
