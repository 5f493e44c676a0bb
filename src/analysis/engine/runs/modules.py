"""Which source files a notebook's imports reach, read with `ast`."""

import ast
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from analysis.core import syntax


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
        for path, package in _files(waiting.pop(), source):
            if path not in files:
                files[path] = None
                new = set(_imported(path.read_text(encoding="utf-8"), package)) - seen
                waiting |= new
                seen |= new
                files |= dict.fromkeys(_parts(path) if path.name == "__init__.py" else ())
    return sorted(files)


def _parts(init: Path) -> list[Path]:
    """The files of a package that its modules put into pages."""
    return [path for path in init.parent.iterdir() if path.suffix in (".js", ".css", ".html")]


def _python(cell: str) -> str:
    if cell.lstrip().startswith("%%"):
        return ""
    return "\n".join("pass" if line[:1] in "%!" else line for line in cell.splitlines())


@cache
def _imported(code: str, package: str) -> tuple[str, ...]:
    """The dotted names that code of a package imports; the same modules serve every report, so each is read once."""
    try:
        tree = syntax.tree(code)
    except SyntaxError:
        return ()  # Executing this fails too, so no report can come to depend on it.
    return tuple(name for node in ast.walk(tree) for name in _names(node, package))


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


def _files(name: str, source: Path) -> Iterator[tuple[Path, str]]:
    """Each file that importing `name` runs, with the package that its relative imports start from."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        stem = source.joinpath(*parts[:count])
        if (init := stem / "__init__.py").is_file():
            yield init, ".".join(parts[:count])
        elif (module := stem.with_suffix(".py")).is_file():
            yield module, ".".join(parts[: count - 1])
