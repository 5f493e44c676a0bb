"""Which source files a notebook's imports reach, read with `ast`."""

import ast
import json
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from analysis.core import syntax
from analysis.core.contents import of_file

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # of a statement: the lists of those inside it


def notebook_code(notebook: Path) -> list[str]:
    """The source of each code cell of a notebook file, without IPython's own lines."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [_python("".join(cell["source"])) for cell in cells if cell["cell_type"] == "code"]


def reached(code: Iterable[str], source: Path) -> list[Path]:
    """Files below `source` that the code imports, directly or through one another, sorted.

    An import of a module runs its packages' `__init__.py` too, so these are among them, and the scripts, styles and
    markup that lie beside those. Imports by a computed name (`importlib`) are not seen.
    """
    files: dict[Path, None] = {}
    waiting = {name for text in code for name in _imported(text, package="")}
    seen = set(waiting)
    while waiting:
        if found := _file(waiting.pop(), source):
            path, package = found
            files[path] = None
            new = set(_imported(of_file(path, _text) or "", package)) - seen
            waiting |= new
            seen |= new
            files |= dict.fromkeys(_parts(path) if path.name == "__init__.py" else ())
    return sorted(files)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _parts(init: Path) -> list[Path]:
    """The files of a package that its modules put into pages."""
    return [path for path in init.parent.iterdir() if path.suffix in (".js", ".css", ".html")]


def _python(cell: str) -> str:
    if cell.lstrip().startswith("%%"):
        return ""
    return "\n".join("pass" if line[:1] in "%!" else line for line in cell.splitlines())


@cache
def _imported(code: str, package: str) -> tuple[str, ...]:
    """The dotted names that code of a package imports, each with the packages above it.

    The same modules serve every report, so each is read once.
    """
    try:
        tree = syntax.tree(code)
    except SyntaxError:
        return ()  # Executing this fails too, so no report can come to depend on it.
    names = dict.fromkeys(name for node in _statements(tree.body) for name in _names(node, package))
    return tuple(dict.fromkeys(above for name in names for above in _path(name)))


def _statements(block: list[Any]) -> Iterator[ast.AST]:
    """The statements of a block and of all blocks in them: imports stand nowhere else, and walking them is quicker."""
    for statement in block:
        yield statement
        for name in BLOCKS:
            yield from _statements(getattr(statement, name, ()))


def _path(name: str) -> list[str]:
    """`a.b.c` as `a`, `a.b` and `a.b.c`."""
    return list(accumulate(name.split("."), lambda above, part: f"{above}.{part}"))


def _names(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _absolute(node, package)
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parents = package.split(".")
    kept = parents[: len(parents) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)


def _file(name: str, source: Path) -> tuple[Path, str] | None:
    """The file that importing `name` runs last, with the package that its relative imports start from."""
    return next((there for there in _places(name, source) if there[0].is_file()), None)


@cache
def _places(name: str, source: Path) -> tuple[tuple[Path, str], tuple[Path, str]]:
    """Where the file of a module may be: as a package, as a module."""
    stem = source.joinpath(*name.split("."))
    return (stem / "__init__.py", name), (stem.with_suffix(".py"), name.rpartition(".")[0])
