"""The rooms hold their contract (pyproject.toml), modules say what they are for, public names are typed and told."""

import ast
import inspect
import subprocess
import sys
from importlib import import_module

import pytest

from analysis._core import mime
from analysis._core.paths import ROOT

SOURCE = ROOT / "src"
PARSING = {"handle_starttag", "handle_startendtag", "handle_endtag", "handle_data"}  # as html.parser describes them


def modules():
    """Every module of the package by its dotted name."""
    names = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


MODULES = modules()


def contracts(root, pyproject):
    """What import-linter says of the package below `root`."""
    code = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--config", str(pyproject), "--no-cache"]
    return subprocess.run(command, cwd=root, env={"PYTHONPATH": str(root)}, capture_output=True, text=True)


def test_rooms_import_downwards_only():
    told = contracts(SOURCE, ROOT / "pyproject.toml")
    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("analysis/_tables/catalog.py", "import analysis.audit.verdict"),
        ("analysis/methods/speedup.py", "import matplotlib"),
    ],
)
def test_an_import_that_climbs_is_found(module, line, tmp_path):
    for path in SOURCE.rglob("*.py"):
        copy = tmp_path / path.relative_to(SOURCE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    with (tmp_path / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    told = contracts(tmp_path, ROOT / "pyproject.toml")
    assert told.returncode == 1 and "BROKEN" in told.stdout


def test_no_two_modules_share_a_name():
    """A name in a traceback or an editor's tab says which room it is in; a report's answer has the report's name."""
    names = [path.stem for path in MODULES.values() if path.stem not in ("__init__", "__main__")]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


@pytest.mark.parametrize("name", MODULES)
def test_module_says_what_it_is_for(name):
    told = ast.get_docstring(ast.parse(MODULES[name].read_text("utf-8")))
    assert told
    assert len(told.splitlines()[0]) > 20


@pytest.mark.parametrize("name", MODULES)
def test_what_is_public_says_what_it_is_and_what_it_takes(name):
    """Hover help and completion: types throughout, a docstring on all that is public, inherited ones included."""
    tree = ast.parse(MODULES[name].read_text("utf-8"))
    untyped, silent = [], []
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    for prefix, parent in [("", tree), *((node.name, node) for node in classes)]:
        for node in parent.body:
            public = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if not public or node.name.startswith("_"):
                continue
            known = getattr(import_module(name), prefix or node.name)
            silent += [node.name] * (not inspect.getdoc(getattr(known, node.name) if prefix else known))
            if not isinstance(node, ast.ClassDef):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                own = [argument for argument in given if argument.arg not in ("self", "cls")]
                untyped += [node.name] * (node.returns is None or any(each.annotation is None for each in own))
    assert (untyped, sorted(set(silent) - PARSING)) == ([], [])


def test_names_of_outputs_have_one_home():
    """Who shows and who makes pages name outputs by core.mime and type none of these names."""
    own = {value for name, value in vars(mime).items() if name.isupper()}
    assert {"text/html", "analysis/narrow"} < own
    typed = {
        f"{name}: {node.value}"
        for name, path in MODULES.items()
        if name != "analysis._core.mime"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in own
    }
    assert typed == set()
