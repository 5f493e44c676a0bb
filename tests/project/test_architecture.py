"""The rooms hold their contract and the code its style: docstrings, types, imports (pyproject.toml)."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from analysis._core import mime
from analysis._core.paths import ROOT

SOURCE = ROOT / "src"
RUFF = Path(sys.executable).with_name("ruff")


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


def test_code_and_shipped_notebooks_are_in_style(shipped):
    notebooks = [path for path in shipped if path.suffix == ".ipynb"]
    for command in (["check"], ["format", "--check"]):
        given = [RUFF, *command, *(ROOT / name for name in ("src", "tests", "benchmarks")), *notebooks]
        told = subprocess.run(given, cwd=ROOT, capture_output=True, text=True)
        assert told.returncode == 0, told.stdout


def test_no_two_modules_share_a_name():
    """A name in a traceback or an editor's tab says which room it is in; a report's answer has the report's name."""
    names = [path.stem for path in MODULES.values() if path.stem not in ("__init__", "__main__")]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


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
