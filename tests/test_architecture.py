"""Imports point one way, modules say what they are for, and both modules and functions stay small."""

import ast
import inspect
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from analysis.paths import ROOT

SOURCE = ROOT / "src"
THEMES = {"speedup", "power", "quantization", "derating", "cost", "queueing", "memory", "plan", "ownership",
          "deployment", "serving"}  # fmt: skip
DATA = {"descriptor", "validate", "loading", "official", "catalog", "check", "dictionary", "importers"}
COMPUTING = {"interval", "rates", "caveats", "systems", "comparable", "roofline", "audit"}
DRAWING = {"matplotlib", "seaborn", "IPython"}
SHOWING = {"figures", "tables", "cells", "findings", "provenance"}
PARSING = {"handle_starttag", "handle_startendtag", "handle_endtag", "handle_data"}  # as html.parser describes them
MODULE_LINES, FUNCTION_LINES = 260, 40

# What a module or package may import of this package, beside itself; a missing line may import nothing of it.
MAY_IMPORT = {
    "paths": set(),
    "interval": set(),
    "choices": set(),
    "sources": set(),
    "findings": set(),
    "descriptor": {"paths"},
    "validate": {"descriptor", "interval"},
    "official": {"paths", "descriptor", "validate"},
    "loading": {"descriptor", "validate"},
    "catalog": {"paths", "descriptor", "loading", "official", "audit"},
    "check": {"paths", "descriptor", "validate", "loading", "catalog", "official", "audit"},
    "dictionary": {"paths", "descriptor", "loading"},
    "declared": set(),
    "quote": set(),
    "kinds": {"paths", "choices", "quote"},
    "parameters": {"paths", "choices", "declared", "kinds"},
    "arguments": set(),
    "progress": set(),
    "rates": {"interval"},
    "caveats": set(),
    "systems": set(),
    "comparable": {"choices", "rates", "caveats", "systems"},
    "roofline": {"interval", "quantization"},
    "audit": {
        "interval",
        "choices",
        "rates",
        "caveats",
        "comparable",
        "roofline",
        "speedup",
        "power",
        "quantization",
        "derating",
    },
    **{theme: {"interval", "sources", "caveats"} for theme in THEMES},
    "cost": {"interval", "choices", "sources", "caveats", "quote"},
    "serving": {"interval", "roofline"},
    "plan": {"interval", "memory", "queueing"},
    "planning": {"catalog", "comparable", "interval", "parameters", "roofline", *THEMES},
    "assessment": {"catalog", "comparable", "interval", "parameters", *THEMES},
    "cells": set(),
    "figures": {"interval", "cells", "caveats"},
    "tables": {"interval", "choices", "comparable", "cells"},
    "explore": {"interval", "comparable", "findings", "parameters", "planning", "answers", "tables", *THEMES},
    "provenance": {"catalog", "sources"},
    "answers": {
        "interval",
        "sources",
        "findings",
        "caveats",
        "comparable",
        "parameters",
        "assessment",
        "roofline",
        "audit",
        *THEMES,
    },
    "kernels": set(),
    "reports": {"paths", "choices", "parameters", "kernels"},
    "importers": {"paths", "descriptor", "interval", "loading", "catalog"},
    "commands": {
        "choices",
        "answers",
        "assessment",
        "catalog",
        "comparable",
        "findings",
        "importers",
        "interval",
        "parameters",
        "planning",
        "quote",
        "tables",
        *THEMES,
    },
    "cli": {
        "arguments",
        "progress",
        "paths",
        "descriptor",
        "reports",
        "check",
        "dictionary",
        "commands",
        "loading",
        "catalog",
        "audit",
        "importers",
    },
}


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    names = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


MODULES = modules()


def imports(name: str) -> set[str]:
    """Every module that a module imports, wherever in it the import stands."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports by relative path"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {each if each in MODULES else str(node.module) for each in inner}
    return found


def own(name: str) -> set[str]:
    """The modules of this package that a module imports."""
    return {each for each in imports(name) if each.split(".")[0] == "analysis"}


def part(name: str) -> str:
    """The module's place in MAY_IMPORT: the first name below the package."""
    return name.split(".")[1] if "." in name else ""


@pytest.mark.parametrize("name", [name for name in MODULES if name != "analysis"])
def test_imports_point_one_way(name: str) -> None:
    allowed = MAY_IMPORT.get(part(name), set()) | {part(name)}
    assert {each for each in own(name) if part(each) not in allowed} == set()


def test_package_itself_imports_nothing() -> None:
    assert imports("analysis") == set()


def test_no_imports_go_in_a_circle() -> None:
    graph = {name: own(name) - {name} for name in MODULES}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"imports go in a circle: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("name", [name for name in MODULES if part(name) in THEMES | DATA | COMPUTING])
def test_what_computes_neither_draws_nor_shows(name: str) -> None:
    roots = {each.split(".")[0] for each in imports(name)}
    assert roots & DRAWING == set()
    assert {part(each) for each in own(name)} & SHOWING == set()


@pytest.mark.parametrize("name", [name for name in MODULES if part(name) == "answers"])
def test_answers_neither_load_nor_draw(name: str) -> None:
    assert {each.split(".")[0] for each in imports(name)} & DRAWING == set()
    assert {part(each) for each in own(name)} & (DATA | {"figures", "tables"}) == set()


def test_style_knows_no_chart_and_charts_load_nothing() -> None:
    drawn = {"analysis.figures.charts", "analysis.figures.parts", "analysis.figures.told"}
    assert own("analysis.figures.style") & drawn == set()
    assert own("analysis.figures.colours") == set()
    for name in drawn:
        assert {part(each) for each in own(name)} <= {"figures", "interval", "cells", "caveats"}


@pytest.mark.parametrize("name", [name for name in MODULES if part(name) == "reports"])
def test_reports_drive_notebooks_and_import_no_theme(name: str) -> None:
    assert {part(each) for each in own(name)} & (THEMES | SHOWING | {"answers", "comparable", "catalog"}) == set()


def test_nothing_imports_a_notebook_or_test() -> None:
    assert {each for name in MODULES for each in imports(name) if each.split(".")[0] in ("notebooks", "tests")} == set()


@pytest.mark.parametrize("name", MODULES)
def test_module_says_what_it_is_for(name: str) -> None:
    told = ast.get_docstring(ast.parse(MODULES[name].read_text("utf-8")))
    assert told
    assert len(told.splitlines()[0]) > 20


@pytest.mark.parametrize("name", MODULES)
def test_what_is_public_says_what_it_is_and_what_it_takes(name: str) -> None:
    """Hover help and completion: types throughout, a docstring on all that is public, inherited ones included."""
    tree = ast.parse(MODULES[name].read_text("utf-8"))
    untyped, silent = [], []
    classes = [each for each in tree.body if isinstance(each, ast.ClassDef) and not each.name.startswith("_")]
    for prefix, node in [("", tree), *((each.name, each) for each in classes)]:
        for each in node.body:
            public = isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if not public or each.name.startswith("_"):
                continue
            known = getattr(import_module(name), prefix or each.name)
            silent += [each.name] * (not inspect.getdoc(getattr(known, each.name) if prefix else known))
            if not isinstance(each, ast.ClassDef):
                given = [*each.args.posonlyargs, *each.args.args, *each.args.kwonlyargs]
                own = [arg for arg in given if arg.arg not in ("self", "cls")]
                untyped += [each.name] * (each.returns is None or any(arg.annotation is None for arg in own))
    assert (untyped, sorted(set(silent) - PARSING)) == ([], [])


def functions(path: Path) -> Iterator[tuple[int, str]]:
    """Every function with the number of its lines, decorators and docstring included."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield node.end_lineno - first + 1, f"{path.name}:{node.lineno} {node.name}"


def test_modules_are_small() -> None:
    sizes = [(len(path.read_text("utf-8").splitlines()), name) for name, path in MODULES.items()]
    large = sorted((each for each in sizes if each[0] > MODULE_LINES), reverse=True)
    assert not large, f"over {MODULE_LINES} lines: {large}"


def test_functions_are_small() -> None:
    sizes = [each for path in MODULES.values() for each in functions(path)]
    large = sorted((each for each in sizes if each[0] > FUNCTION_LINES), reverse=True)
    assert not large, f"over {FUNCTION_LINES} lines: {large}"
