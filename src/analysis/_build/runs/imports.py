"""The names that Python code imports, read with `ast` and kept on disk under the digest of the code.

To read the modules behind all reports takes a third of a second. What is kept is a function of the code and of this
file alone, in a sealed file: one that is torn, damaged or another's is noticed, and the code is read again.
"""

import ast
import json
import platform
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from analysis._core import paths, syntax
from analysis._core.file_contents import of_file, read_sealed, sha256, sha256_of, write_sealed

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # of a statement: the lists of those inside it
MOST = 2000  # pieces of code whose names stay on disk, those last read
Names = tuple[str, ...]
_writing = threading.Lock()
_new: dict[str, Names] = {}  # names of code that this process had to read, by digest, which are not on disk yet


@cache
def imported(code: str, package: str) -> Names:
    """The dotted names that code of a package imports, each with the packages above it; none where it is no Python.

    The same modules serve every report, so each is read once.
    """
    digest = sha256(f"{package}\n{code}")
    if (remembered := _kept().get(digest)) is not None:
        return tuple(remembered)
    try:
        tree = syntax.tree(code)
    except SyntaxError:
        return ()  # Executing this fails too, so no report can come to depend on it.
    names = dict.fromkeys(name for node in _statements(tree.body) for name in _names(node, package))
    _new[digest] = with_packages = tuple(dict.fromkeys(above for name in names for above in _path(name)))
    return with_packages


def keep() -> None:
    """Keep what was read since the last time, where something can be written at all."""
    if not _new or (path := _file()) is None:
        return
    with _writing, suppress(OSError):  # A full disk, or a checkout that only others may write.
        new = dict(_new)  # Other threads may read on meanwhile.
        write_sealed(path, _told(), json.dumps(dict(islice((new | _kept()).items(), MOST))).encode())
        _kept().update(new)
        for digest in new:
            del _new[digest]


@cache
def _kept() -> dict[str, Any]:
    """What was kept by an earlier process, by digest."""
    path = _file()
    content = read_sealed(path, _told()) if path else None
    return {} if content is None else json.loads(bytes(content))


def _file() -> Path | None:
    folder = paths.cache("imports")
    return folder and folder / "names.json"


def _told() -> str:
    """What names rest on beside the code: how it is read."""
    return f"imports {of_file(Path(__file__), sha256_of)} {platform.python_version()}"


def _statements(block: list[Any]) -> Iterator[ast.AST]:
    """The statements of a block and of all blocks in them: imports are nowhere else, and walking them is quicker."""
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
    packages = parents[: len(parents) - node.level + 1]
    return ".".join([*packages, node.module] if node.module else packages)
