"""The records of reports, which decide whether a page is up to date, and files that are written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from analysis import paths
from analysis.pages import opened, runs
from analysis.pages.runs import Report

Record = dict[str, Any]  # the content of reports/NAME.json
MADE = '<meta name="generator" content="mlperf-inference-analysis">'  # in every page made here

FACTS = {
    "title": str, "subtitle": str, "notebook": str, "sweep": str, "group": dict, "parameters": dict, "figures": list,
    "headline": dict | None, "no_data": str, "live": bool, "opened": dict,
}  # fmt: skip


def digest(report: Report, common: str) -> str:
    """Return a digest of a page's inputs, except the files that its notebook opens (`opened`)."""
    notebook = runs.read_notebook(report.notebook)
    cells = [(each["cell_type"], each["source"], each["metadata"]["tags"]) for each in notebook["cells"]]
    return _sha256([common, report, cells, notebook["metadata"].get("analysis")])


def common_digest() -> str:
    """Return a digest of what all reports depend on: code, data, and the packages that are installed."""
    installed = sorted({each.name for folder in sys.path for each in Path(folder).glob("*.dist-info")})
    files = {str(file): opened.content_digest(file) for file in [*_files(paths.ROOT / "src"), *_files(paths.DATA)]}
    return _sha256([sys.version, os.environ.get(paths.SHIPPED_ONLY), installed, files])


def _files(folder: Path) -> list[Path]:
    """Return the files in a folder and below, but not what is hidden, compiled, or an editor's copy."""
    files = sorted(folder.rglob("*"))
    hidden = re.compile(r"/(\.|__pycache__)|~$")
    return [each for each in files if each.is_file() and not hidden.search(f"/{each.relative_to(folder).as_posix()}")]


def _sha256(content: object) -> str:
    return hashlib.sha256(repr(content).encode(errors="surrogateescape")).hexdigest()


def read(name: str) -> Record:
    """Return reports/NAME.json, or {} where there is none of this project."""
    try:
        record = json.loads((paths.REPORTS / f"{name}.json").read_text(encoding="utf-8"))
        sound = record["name"] == name and all(isinstance(record[fact], kind) for fact, kind in FACTS.items())
        return record if sound else {}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}


def up_to_date(name: str, own_digest: str) -> bool:
    """Return whether a page exists, is unmodified, and was made from the current inputs."""
    record, page = read(name), opened.content_digest(paths.REPORTS / f"{name}.html")
    return (record.get("digest"), record.get("page")) == (own_digest, page) and not opened.changed(record["opened"])


def in_the_way(name: str) -> str:
    """Return why a build must not replace reports/NAME.html, which a user made; "" where it may.

    If there is no page, or an empty one, check reports/NAME.json instead.
    """
    page, record = (paths.REPORTS / f"{name}.{kind}" for kind in ("html", "json"))
    file, mark = (page, MADE) if page.is_file() and page.stat().st_size else (record, '"digest":')
    if not file.is_file() or mark.encode() in file.read_bytes():
        return ""
    return f"reports/{file.name} was not made here and was kept; --force replaces it (make reports ARGS=--force)"


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all. A link is kept and its target replaced."""
    with paths.replacing(path) as beside:
        beside.write_text(text, encoding="utf-8", errors="replace", newline="\n")


def commit() -> str:
    """Return the commit of the working tree in short, with "and edits" where files differ from it; "" without git."""
    command = ["git", "status", "--porcelain=v2", "--branch", "src", "data", "notebooks"]
    try:
        said = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.split()[2][:10] + (" and edits" if re.search("^[^#]", said, re.MULTILINE) else "")
