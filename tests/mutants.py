"""Make small wrong changes in the code that pages run, one at a time, and count those that no test notices.

`python -m tests.mutants --count 100 --seed 1` prints each change that survives. Tests of stored outputs are left out:
they notice any change of a number, right or wrong. A change is noticed when a test fails that passes without it.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from analysis.paths import ROOT

ONCE = ("recipes", "measure", "explorer", "cli")  # packages that no page needs
STORED = ("tests/reports", "tests/pages", "tests/project", "tests/recipes", "tests/measure", "tests/test_cli.py")
SWAPS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
METHODS = {
    "min": "max", "max": "min", "first": "last", "last": "first", "lt": "le", "le": "lt", "gt": "ge", "ge": "gt",
    "eq": "ne", "ne": "eq", "head": "tail", "tail": "head", "median": "mean", "mean": "median", "any": "all",
    "all": "any", "idxmin": "idxmax", "idxmax": "idxmin", "ffill": "bfill",
}  # fmt: skip
WORDS = {"min": "max", "max": "min", "first": "last", "last": "first", "left": "inner", "median": "mean"}


def changes(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield each node that can be changed with what the change is; `change` makes it."""
    quiet = {id(node) for each in ast.walk(tree) for node in _unread(each)}
    for node in ast.walk(tree):
        if id(node) in quiet:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
            yield node, "constant"
        elif isinstance(node, ast.Constant) and node.value in WORDS:
            yield node, "word"
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            yield node, "comparison"
        elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPS:
            yield node, "operator"
        elif isinstance(node, ast.Attribute) and node.attr in METHODS:
            yield node, "method"
        elif isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1 and isinstance(node.ctx, ast.Load):
            yield node, "key"


def _unread(node: ast.AST) -> list[ast.AST]:
    """Return what lies in annotations, texts of errors, and docstrings: no test should notice it."""
    found: list[ast.AST] = []
    if isinstance(node, ast.FunctionDef):
        found = [
            each for each in (node.returns, *(a.annotation for a in node.args.args + node.args.kwonlyargs)) if each
        ]
    elif isinstance(node, ast.AnnAssign):
        found = [node.annotation]
    elif isinstance(node, ast.Raise | ast.JoinedStr):
        found = [node]
    return [inner for each in found for inner in ast.walk(each)]


def change(node: ast.AST, kind: str, draw: random.Random) -> None:
    """Change a node in place."""
    if kind == "constant":
        node.value = not node.value if isinstance(node.value, bool) else node.value * 2 if node.value else 1
    elif kind == "word":
        node.value = WORDS[node.value]
    elif kind == "comparison":
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif kind == "operator":
        node.op = SWAPS[type(node.op)]()
    elif kind == "method":
        node.attr = METHODS[node.attr]
    else:
        del node.elts[draw.randrange(len(node.elts))]


def mutants(count: int, seed: int) -> list[tuple[Path, str, str]]:
    """Return a file of the read path, its changed text, and the change in words, `count` times."""
    draw = random.Random(seed)
    package = ROOT / "src" / "analysis"
    files = [path for path in sorted(package.rglob("*.py")) if path.relative_to(package).parts[0] not in ONCE]
    sites = [(path, place) for path in files for place in range(len([*changes(ast.parse(path.read_text("utf-8")))]))]
    found = []
    for path, place in draw.sample(sites, min(count, len(sites))):
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        node, kind = [*changes(tree)][place]
        before, line, start, end = ast.unparse(node), node.lineno, node.col_offset, node.end_col_offset
        change(node, kind, draw)
        after = ast.unparse(node)
        lines = text.splitlines(keepends=True)
        if node.lineno == node.end_lineno and before != after:
            raw = lines[line - 1].encode()
            after = f"({after})" if kind in ("comparison", "operator") else after
            lines[line - 1] = (raw[:start] + after.encode() + raw[end:]).decode()
            changed = "".join(lines)
        else:
            changed = ast.unparse(tree)
        found.append((path, changed, f"{path.relative_to(ROOT)}:{line} {kind}: {before[:70]} -> {after[:70]}"))
    return found


def noticed(copy: Path, path: Path, text: str, timeout: float) -> bool:
    """Return whether a test fails on a copy of the project in which a file has another text."""
    file = copy / path.relative_to(ROOT)
    before = file.read_text("utf-8")
    file.write_text(text, encoding="utf-8")
    own = [each for each in (f"tests/test_{path.stem}.py", f"tests/{path.parent.name}/test_{path.stem}.py")
           if (copy / each).exists()]  # fmt: skip
    rest = [f"--ignore={each}" for each in (*STORED, *own)]
    options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]
    environment = os.environ | {
        "PYTHONPATH": str(copy / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "ANALYSIS_RECORD": "shipped",
    }
    try:
        for which in ([own] if own else []) + [[*rest, "tests"]]:
            done = subprocess.run([sys.executable, "-m", "pytest", *options, *which], cwd=copy, env=environment,
                                  capture_output=True, timeout=timeout, check=False)  # fmt: skip
            if done.returncode not in (0, 5):
                return True
        return False
    except subprocess.TimeoutExpired:
        return True
    finally:
        file.write_text(before, encoding="utf-8")


def main() -> int:
    """Run the changes asked for and return how many survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=400)
    asked = parser.parse_args()
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "project")
        skipped = shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.html")
        shutil.copytree(ROOT, copy, ignore=skipped)
        first = next(iter(mutants(1, asked.seed)))[0]
        if noticed(copy, first, first.read_text("utf-8"), asked.timeout):
            sys.exit("the tests fail without a change: make them pass first")
        for number, (path, text, words) in enumerate(mutants(asked.count, asked.seed), 1):
            seen = noticed(copy, path, text, asked.timeout)
            survived += not seen
            print(f"{number:4} {'noticed ' if seen else 'SURVIVED'} {words}", flush=True)
    print(f"{asked.count - survived} of {asked.count} noticed, seed {asked.seed}")
    return survived


if __name__ == "__main__":
    sys.exit(main() > 0)
