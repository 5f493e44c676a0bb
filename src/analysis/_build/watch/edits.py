"""What is watched: the state of each file that a report may be made from, and of the code that this process runs.

Looked at again and again instead of being notified by the system: one look is 2 ms for this project, it needs no library,
is the same on each system and network drive, and an editor that writes aside and renames is no special case. What a
look finds changed is only where to begin: whether a report is stale is decided by digests (`runs.freshness`).
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from analysis._core.file_contents import file_version
from analysis._build.page.templates import TEMPLATES
from analysis._build.runs.folders import ENGINE, Places

State = dict[Path, tuple[int, ...]]


def file_versions(places: Places) -> State:
    """Each watched file with what tells one version from another: inode, size, times of content and of name."""
    folders = {places.notebooks, places.data, places.source, ENGINE.parent}
    files = {file for folder in folders for file in _files(folder)}
    return {file: state for file in [*files, places.lock] if (state := file_version(file))}


def changed(before: State, after: State) -> set[Path]:
    """The files that are new, gone or another version."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def running() -> set[Path]:
    """The files that this process has loaded: an edit of one of them takes a new process."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "analysis"]
    files = {Path(file) for module in modules if (file := getattr(module, "__file__", None))}
    return files | {path for path in TEMPLATES.rglob("*") if path.is_file()}


def concerning(state: State, notebook: Path, run_file: Path, places: Places) -> State:
    """The part of a state that can decide about one report: all but the other notebooks and run files."""
    return {
        path: version
        for path, version in state.items()
        if path in (notebook, run_file) or not path.is_relative_to(places.notebooks)
    }


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder, without hidden ones, compiled ones and what editors keep beside them."""
    try:
        entries = list(os.scandir(folder))
    except OSError:  # It is gone, or was at this moment.
        return
    for entry in entries:
        if entry.name.startswith((".", "__pycache__")) or entry.name.endswith("~"):
            continue
        if entry.is_dir():
            yield from _files(Path(entry.path))
        else:
            yield Path(entry.path)
