"""Which source files a notebook's imports reach."""

import ast
import re
from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from pathlib import Path

from analysis._core.file_contents import of_file
from analysis._core.notebook_cells import assigned

COMMENT = re.compile(r"#[^\n]*")
IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import\b[ \t]*(\([^)]*\)|[^\n;]*)|import[ \t]+([^\n;]*))",
    re.MULTILINE,
)


def reached(code: Iterable[str], source: Path) -> list[Path]:
    """Files below `source` that the code imports, directly or through one another, sorted.

    An import of a module runs its packages' `__init__.py` too, so these are among them, and the scripts, styles and
    markup that lie beside those. Of a package below the top one, all that it imports when asked (LAZY) counts. Other
    imports by a computed name (`importlib`) are not seen.
    """
    files: dict[Path, None] = {}
    waiting_names = {name for text in code for name in imported(text, package="")}
    known_names = set(waiting_names)
    while waiting_names:
        name = waiting_names.pop()
        if module_file := _file(name, source):
            path, package = module_file
            files[path] = None
            new_names = set(imported(of_file(path, _text) or "", package)) - known_names
            if path.name == "__init__.py" and "." in name:  # `charts.ranges` after `from analysis import charts`
                new_names |= set((of_file(path, _lazy) or {}).values()) - known_names
            waiting_names |= new_names
            known_names |= new_names
            files |= dict.fromkeys(_parts(path) if path.name == "__init__.py" else ())
    return sorted(files)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _parts(init: Path) -> list[Path]:
    """The files of a package that its modules put into pages."""
    return [path for path in init.parent.iterdir() if path.suffix in (".js", ".css", ".html")]


@cache
def imported(code: str, package: str) -> frozenset[str]:
    """The dotted names that code of a package imports, each with the packages above it.

    Found by their words, in a twentieth of the time that a parser takes: an import that a text quotes counts too.
    """
    names = set()
    for dots, base, members, modules in IMPORT.findall(COMMENT.sub("", code)):
        above = package.split(".")[: len(package.split(".")) - len(dots) + 1] if dots else []
        base = ".".join(filter(None, [*above, base]))
        names |= {base, *(f"{base}.{name}" for name in _first_words(members.strip("() ")))} if base else set()
        names |= set(_first_words(modules))
    return frozenset(above for name in names for above in accumulate(name.split("."), "{}.{}".format))


def _first_words(listed: str) -> list[str]:
    """`a, b as c` as a and b."""
    return [words[0] for part in listed.split(",") if (words := part.split())]


def _file(name: str, source: Path) -> tuple[Path, str] | None:
    """The file that importing `name` runs last, with the package that its relative imports start from.

    Of a name that its package imports when it is asked for (LAZY of its `__init__.py`), that of the module behind it.
    """
    if found := next((place for place in _places(name, source) if place[0].is_file()), None):
        return found
    package, _, leaf = name.rpartition(".")
    init = source.joinpath(*package.split("."), "__init__.py")
    home = (of_file(init, _lazy) or {}).get(leaf) if package and init.is_file() else None
    return _file(home, source) if home else None


def _lazy(init: Path) -> dict[str, str]:
    """The names of LAZY in a package's `__init__.py`, with the modules that have them."""
    return next((ast.literal_eval(node.value) for name, node in assigned(_text(init)) if name == "LAZY"), {})


@cache
def _places(name: str, source: Path) -> tuple[tuple[Path, str], tuple[Path, str]]:
    """Where the file of a module may be: as a package, as a module."""
    stem = source.joinpath(*name.split("."))
    return (stem / "__init__.py", name), (stem.with_suffix(".py"), name.rpartition(".")[0])
