"""docs/api.md: the functions that notebooks use and the columns of comparable results, made from their docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from analysis._core.file_contents import write_changed
from analysis._core.paths import ROOT

PAGE = ROOT / "docs" / "api.md"
NAMESPACES = {"analysis": "Results", "analysis.report": "Report", "analysis.charts": "Charts"}  # by their `__all__`
PACKAGES = {"analysis.methods": "Methods", "analysis.planner": "Planner"}
INTRODUCTION = """# What notebooks import

Made from the docstrings by `analysis describe`; `help(name)` in a notebook shows the rest: parameters, columns, units, and
errors. Every table and column of `load_results()` and of `report.catalog()` is described in
[data/README.md](../data/README.md). Ranges stand in two columns, `<name>_low` and `<name>_high`.

```python
from analysis import charts, comparable, load_results, report
from analysis.methods import speedup
```
"""


def write() -> bool:
    """Bring docs/api.md up to the docstrings; returns whether it changed."""
    return write_changed(PAGE, page())


def page() -> str:
    """Return the page as Markdown: a table of public names for each namespace and module."""
    sections = [_section(f"## {title}", name, _exported(import_module(name))) for name, title in NAMESPACES.items()]
    for package, title in PACKAGES.items():
        names = sorted(f"{package}.{module.name}" for module in iter_modules(import_module(package).__path__))
        sections += [f"## {title}\n", *(_section(f"### {name}", name, _defined(import_module(name))) for name in names)]
    return "\n".join([INTRODUCTION, *filter(None, sections)])


def _section(head: str, name: str, members: Iterator[tuple[str, Any]]) -> str:
    rows = [f"| `{member}` | {_first_line(value)} |" for member, value in members]
    about = f"{_first_line(import_module(name))}\n\n" if head.startswith("###") else ""
    return f"{head}\n\n{about}| name | result |\n|---|---|\n" + "\n".join(rows) + "\n" if rows else ""


def _exported(module: ModuleType) -> Iterator[tuple[str, Any]]:
    members = ((name, getattr(module, name)) for name in module.__all__)
    return ((name, value) for name, value in members if inspect.isroutine(value) or inspect.isclass(value))


def _defined(module: ModuleType) -> Iterator[tuple[str, Any]]:
    return (
        (name, value)
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    )


def _first_line(value: Any) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0].replace("|", "\\|")
