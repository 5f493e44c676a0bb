"""The records of reports: what decides whether a page is up to date, and files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from analysis import paths
from analysis.pages import runs
from analysis.pages.runs import Report

Record = dict[str, Any]  # what reports/NAME.json says of a page

FACTS = {"title", "subtitle", "notebook", "sweep", "group", "parameters", "headline", "figures", "no_data", "live"}


def digest(report: Report, common: str) -> str:
    """Return what decides whether a page is up to date: a digest of all that it is made from.

    Of the files beside the notebooks those count whose ending the notebook mentions, and those that a parameter names.
    """
    notebook = runs.read_notebook(report.notebook)
    cells = [(each["cell_type"], each["source"], each["metadata"]["tags"]) for each in notebook["cells"]]
    text = repr([common, report, cells, notebook["metadata"].get("analysis")])
    beside = [file for file in _files(paths.NOTEBOOKS) if file.suffix not in (".ipynb", ".yml", ".yaml")]
    modules = [file for file in beside if file.suffix == ".py"]  # may read whatever is there
    files = beside if modules else [file for file in beside if file.suffix in text]
    own = {each.name: each.value for each in runs.declared_parameters(notebook)} | report.parameters
    for value in own.values():
        if isinstance(value, str):
            files += [folder / value for folder in (paths.NOTEBOOKS, paths.ROOT)]
    return _digest(text, files)


def common_digest() -> str:
    """Return a digest of what all reports depend on: code, data, and locked versions."""
    files = [paths.ROOT / "requirements.lock", *_files(paths.ROOT / "src"), *_files(paths.DATA)]
    return _digest(f"{sys.version} {os.environ.get(paths.SHIPPED_ONLY)}", files)


def _files(folder: Path) -> list[Path]:
    """Return the files in a folder and below, but not what is hidden, compiled, or an editor's copy."""
    files = sorted(folder.rglob("*"))
    return [file for file in files if not re.search(r"/(\.|__pycache__)|~$", f"/{file.relative_to(folder).as_posix()}")]


def _digest(text: str, files: Iterable[Path]) -> str:
    """Return a digest of a text, and of the names and contents of those of the files that are there."""
    total = hashlib.sha256(text.encode())
    for file in files:
        with contextlib.suppress(OSError, ValueError):  # a text that is no name of a file
            if file.is_file():
                with file.open("rb") as stream:
                    content = hashlib.file_digest(stream, "sha256").hexdigest()
                total.update(f"\0{file}\0{content}".encode(errors="surrogateescape"))
    return total.hexdigest()


def read(name: str) -> Record:
    """Return reports/NAME.json, or {} where there is none of this project."""
    try:
        record = json.loads((paths.REPORTS / f"{name}.json").read_text(encoding="utf-8"))
        return record if isinstance(record, dict) and record.get("name") == name and record.keys() >= FACTS else {}
    except (OSError, ValueError):
        return {}


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all. A link stays; what it leads to is replaced."""
    with paths.replacing(path.resolve()) as beside:
        beside.write_text(text, encoding="utf-8", errors="replace", newline="\n")


def commit() -> str:
    """Return the commit of the working tree in short, with "and edits" where files differ from it; "" without git."""
    command = ["git", "status", "--porcelain=v2", "--branch", "--", "src", "data", "notebooks"]
    try:
        said = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.split()[2][:10] + (" and edits" if re.search("^[^#]", said, re.MULTILINE) else "")
