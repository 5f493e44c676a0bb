"""Make small wrong changes in the code that pages run, one at a time, and count those that no test notices.

`python -m tests.mutants --count 100 --seed 1` prints each change that survives. Tests of stored outputs are left out:
they notice any change of a number, right or wrong. A change is noticed when a test fails that passes without it.
Nothing on disk is edited: each change is imported in a forked process, which runs the test files that reach its
function, those named after its module first.

Not drawn is what changes no answer. Of a figure these are fractions in `charts/`, which are lengths and opacities
(those of `theme.py` are of contrast, and drawn), and arguments that are a size or a layer (STYLE). Elsewhere these are
arguments that wait, save time, or guard against a fault of the code itself (ASIDE), and where a long text is cut.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "analysis"
ONCE = ("recipes", "measure", "explorer", "cli")  # packages that no page needs
LEFT_OUT = ("reports", "project", "recipes", "measure")  # tests of stored outputs, and those that reach nothing here
OPTIONS = ["-q", "-x", "-p", "no:cacheprovider"]
SWAPS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
METHODS = {
    "min": "max", "max": "min", "first": "last", "last": "first", "lt": "le", "le": "lt", "gt": "ge", "ge": "gt",
    "eq": "ne", "ne": "eq", "head": "tail", "tail": "head", "median": "mean", "mean": "median", "any": "all",
    "all": "any", "idxmin": "idxmax", "idxmax": "idxmin", "ffill": "bfill",
}  # fmt: skip
STYLE = {"alpha", "figsize", "length", "linespacing", "lw", "mew", "ms", "pad", "rotation", "size", "zorder"}
ASIDE = {"debounce", "deep", "flush", "frozen", "maxsize", "rust_timeout", "step", "strict", "timeout"}
WORDS = {"min": "max", "max": "min", "first": "last", "last": "first", "left": "inner", "median": "mean"}


class Mutant(NamedTuple):
    """A changed text of a file, the first line of the function that holds the change (0: the module), and words."""

    path: Path
    text: str
    function: int
    words: str


def changes(path: Path, tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield each node of a file that can be changed with what the change is; `change` makes it."""
    quiet = {id(node) for each in ast.walk(tree) for node in [*_unread(each), *_unseen(each, path)]}
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


def _unseen(node: ast.AST, path: Path) -> list[ast.AST]:
    """Return what changes no answer: looks, waits, guards, and the length of a text that is cut."""
    found: list[ast.AST] = []
    draws = path.parent.name == "charts"
    if isinstance(node, ast.keyword) and (node.arg in ASIDE or (draws and node.arg in STYLE)):
        found = [node.value]
    elif isinstance(node, ast.Dict) and draws:
        pairs = zip(node.keys, node.values, strict=True)
        found = [value for key, value in pairs if getattr(key, "value", "") in STYLE]
    elif isinstance(node, ast.Slice) and isinstance(node.upper, ast.Constant) and node.upper.value >= 40:
        found = [node.upper]
    elif isinstance(node, ast.Constant) and isinstance(node.value, float) and draws and path.stem != "theme":
        found = [node] if node.value % 1 else []
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


def mutants(count: int, seed: int) -> Iterator[Mutant]:
    """Yield `count` changes of the read path, drawn at random."""
    draw = random.Random(seed)
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] not in ONCE]
    sites = [
        (path, place) for path in files for place in range(len([*changes(path, ast.parse(path.read_text("utf-8")))]))
    ]
    for path, place in draw.sample(sites, min(count, len(sites))):
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        node, kind = [*changes(path, tree)][place]
        before, line, start, end = ast.unparse(node), node.lineno, node.col_offset, node.end_col_offset
        change(node, kind, draw)
        after = ast.unparse(node)
        lines = text.splitlines(keepends=True)
        if node.lineno == node.end_lineno and before != after:
            raw = lines[line - 1].encode()
            replaced = f"({after})" if kind in ("comparison", "operator") else after
            lines[line - 1] = (raw[:start] + replaced.encode() + raw[end:]).decode()
            changed = "".join(lines)
        else:
            changed = ast.unparse(tree)
        words = f"{path.relative_to(ROOT)}:{line} {kind}: {before[:70]} -> {after[:70]}"
        yield Mutant(path, changed, _function(tree, line), words)


def _function(tree: ast.Module, line: int) -> int:
    """Return the first line of the function or method around a line, 0 outside."""
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    functions = [node for body in bodies for node in body if isinstance(node, ast.FunctionDef)]
    return next((_first(node) for node in functions if _first(node) <= line <= node.end_lineno), 0)


def _first(function: ast.FunctionDef) -> int:
    """Return the first line of a function, decorators included."""
    return min([function.lineno, *(each.lineno for each in function.decorator_list)])


def forked(work: Callable[[], Any], timeout: int) -> Any:
    """Return what `work` returns in a forked process without output, None where it dies or takes too long.

    `timeout` is in seconds of the processor, so that a busy machine changes nothing; one that waits has ten times that.
    """
    with tempfile.TemporaryFile() as answer:
        if child := os.fork():
            _, status = os.waitpid(child, 0)
            answer.seek(0)
            return None if status else pickle.load(answer)
        with contextlib.suppress(BaseException):
            resource.setrlimit(resource.RLIMIT_CPU, (timeout, timeout))
            signal.alarm(10 * timeout)
            resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))
            for stream in (0, 1, 2):
                os.dup2(os.open(os.devnull, os.O_RDWR), stream)
            pickle.dump(work(), answer)
            answer.flush()
            os._exit(0)
        os._exit(1)


def passes(tests: list[str], mutant: Mutant | None = None) -> bool:
    """Return whether test files pass, in this process."""
    import pytest

    if mutant:
        sys.meta_path.insert(0, _Changed(mutant))
    return pytest.main([*OPTIONS, *tests]) in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


class _Changed(SourceFileLoader):
    """Finder and loader of the module that has another text."""

    def __init__(self, mutant: Mutant) -> None:
        parts = mutant.path.relative_to(PACKAGE.parent).with_suffix("").parts
        self.text = mutant.text
        super().__init__(".".join(parts).removesuffix(".__init__"), str(mutant.path))

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, fullname: str) -> Any:
        return compile(self.text, self.path, "exec")


class _Noting(SourceFileLoader):
    """Loader of a module whose functions say that they were called: a trace takes twice the time of the tests."""

    @staticmethod
    def find_spec(name: str, path: Any, target: Any = None) -> Any:
        spec = PathFinder.find_spec(name, path) if name.split(".")[0] == PACKAGE.name else None
        if spec and spec.origin:
            spec.loader = _Noting(name, spec.origin)
        return spec

    def get_code(self, fullname: str) -> Any:
        tree = ast.parse(self.get_data(self.path))
        builtins._called((self.path, 0))
        for node in [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]:
            place = 1 if ast.get_docstring(node) else 0
            node.body.insert(place, ast.parse(f"_called(({self.path!r}, {_first(node)}))").body[0])
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


def reached(test: str) -> tuple[bool, float, set[tuple[str, int]]]:
    """Run a test file; return whether it passes, its seconds, and the file and first line of each function it calls."""
    found: set[tuple[str, int]] = set()
    builtins._called = found.add
    sys.meta_path.insert(0, _Noting)
    start = time.perf_counter()
    passed = passes([test])
    return passed, time.perf_counter() - start, found


def main() -> int:
    """Run the changes asked for and return how many survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="one or more, each a draw of its own")
    parser.add_argument("--jobs", type=int, default=2, help="changes tried at a time")
    parser.add_argument("--timeout", type=int, default=400, help="seconds of the processor; longer counts as noticed")
    asked = parser.parse_args()
    os.environ |= {"ANALYSIS_RECORD": "shipped", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    os.chdir(ROOT)
    _preload()
    files = [path for path in (ROOT / "tests").rglob("test_*.py") if path.parent.name not in LEFT_OUT]
    files = sorted(str(path) for path in files if not {*path.relative_to(ROOT / "tests").parts} & {*LEFT_OUT})
    with ProcessPoolExecutor(asked.jobs, get_context("fork")) as pool:
        calls = dict(zip(files, pool.map(partial(_reach, asked.timeout), files), strict=True))
        for test in [test for test, call in calls.items() if not (call and call[0])]:
            print(f"left out, because it fails without a change: {test}", flush=True)
            del calls[test]
        survived = 0
        for seed in asked.seed:
            drawn = [*mutants(asked.count, seed)]
            seen = pool.map(partial(_noticed, asked.timeout), [(mutant, _tests(mutant, calls)) for mutant in drawn])
            found = []
            for mutant, noticed in zip(drawn, seen, strict=True):
                found.append(noticed)
                print(f"{len(found):4} {'noticed ' if noticed else 'SURVIVED'} {mutant.words}", flush=True)
            print(f"{sum(found)} of {len(found)} noticed, seed {seed}", flush=True)
            survived += len(found) - sum(found)
    return survived


def _reach(timeout: int, test: str) -> Any:
    return forked(lambda: reached(test), timeout)


def _noticed(timeout: int, task: tuple[Mutant, list[str]]) -> bool:
    mutant, tests = task
    return bool(tests) and not forked(lambda: passes(tests, mutant), timeout)


def _tests(mutant: Mutant, calls: dict[str, tuple]) -> list[str]:
    """Return the test files that reach a mutant, those named after its module first, then the fastest."""
    name = f"test_{mutant.path.stem}.py"
    own = {test: Path(test).name == name and mutant.path.parent.name in ("analysis", Path(test).parent.name)
           for test in calls}  # fmt: skip
    tests = [test for test, call in calls.items() if own[test] or (str(mutant.path), mutant.function) in call[2]]
    return sorted(tests, key=lambda test: (not own[test], calls[test][1]))


def _preload() -> None:
    """Import what tests share and no change touches, once for all forked processes."""
    for name in ("pandera", "pyarrow.parquet", "pytest", "seaborn"):
        import_module(name)
    import hypothesis

    hypothesis.settings.register_profile("mutants", database=None, derandomize=True)
    hypothesis.settings.load_profile("mutants")


if __name__ == "__main__":
    sys.exit(main() > 0)
