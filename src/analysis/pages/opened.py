"""Track the files that a notebook opens: with its cells, their content decides whether its page is up to date.

An audit hook (`sys.addaudithook`) reports each file that Python opens and each folder that it lists, in any library and
whether or not it exists. Not tracked: files opened by child processes or by C code itself, checks whether a file
exists, environment variables, the network, and the clock. Code, data, and installed packages are in the digest that all
pages share (`records.common_digest`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis import paths
from analysis.paths import state

EVENTS = ("open", "os.listdir", "os.scandir", "sqlite3.connect")
WRITES = os.O_WRONLY | os.O_RDWR
CHANGED = "changed while the notebook ran"  # in place of a digest, so that it equals none


class Opened:
    """The files and folders that this process opens in the project or next to it."""

    def __init__(self) -> None:
        self._seen: dict[str, Any] = {}
        self._written: set[str] = set()
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple) -> None:
        if event not in EVENTS or not isinstance(arguments[0], str | bytes | os.PathLike | None):
            return
        if event.startswith("os.") and sys._getframe(1).f_code.co_filename.startswith("<frozen importlib"):
            return  # imports search the folders of modules
        with contextlib.suppress(OSError, ValueError):  # or the notebook could not open it
            self._add(event, *arguments)

    def _add(self, event: str, named: Any, mode: Any = None, flags: Any = None, *_: Any) -> None:
        path = Path(os.path.abspath(os.fsdecode(named or ".")))  # noqa: PTH100 - links stay as they are named
        compiled = path.parent.name == "__pycache__"
        if compiled:  # read or written, it is the module that counts
            path = path.parent.parent / f"{path.name.partition('.')[0]}.py"
        name = os.path.relpath(path, paths.ROOT).replace(os.sep, "/")
        if not _is_own(name) or path.is_relative_to(sys.prefix):
            return
        if event == "open" and not compiled and ((flags or 0) & WRITES or {*"wax+"} & {*str(mode)}):
            self._written.add(name)
        self._seen.setdefault(name, state(path))

    def digests(self) -> dict[str, str]:
        """Return digests by path from the project, without the files that this process wrote."""
        return {
            name: content_digest(name) if state(paths.ROOT / name) == before else CHANGED
            for name, before in sorted(self._seen.items())
            if name not in self._written
        }


def changed(digests: Mapping[str, str]) -> bool:
    """Return whether any file was changed, removed, or created since it was opened."""
    return any(content_digest(name) != value for name, value in digests.items())


def content_digest(name: str | Path) -> str:
    """Return a digest of a file's content or of the names in a folder; "" where there is neither.

    A relative name counts from the project.
    """
    path = paths.ROOT / name
    try:
        if path.is_dir():
            names = sorted(each.name for each in path.iterdir() if _counts(each.name))
            return hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()
        if not path.is_file():  # a pipe would be read forever
            return ""
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:  # not a valid file name, or not readable
        return ""


def _is_own(name: str) -> bool:
    """Return whether a path is in the project or next to it, visible, and not in the digest of all pages."""
    first, *others = folders = name.split("/")[:-1] or [""]
    beside = first == ".." and others[:1] != [".."] and paths.ROOT.parent != Path(paths.ROOT.anchor)
    hidden = any(each.startswith(".") and each != ".." for each in folders)
    return (beside or first not in ("..", "src", "data")) and not hidden


def _counts(name: str) -> bool:
    return not name.startswith(".") and not name.endswith("~") and name != "__pycache__"
