"""The records of reports: what decides whether a page is up to date, and files that are written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from analysis import paths
from analysis.build import runs
from analysis.build.runs import Report


def digest(report: Report, common: str) -> str:
    """Return what decides whether a page is up to date: a digest of all that it is made from."""
    notebook = runs.read_notebook(report.notebook)
    cells = [(each["cell_type"], "".join(each["source"]), each["metadata"].get("tags")) for each in notebook["cells"]]
    made_from = [common, report.name, report.title, report.sweep, report.parameters, cells]
    own = {each.name: each.value for each in runs.declared_parameters(notebook)} | report.parameters
    for value in own.values():  # a parameter may name a file of one's own
        if isinstance(value, str) and 0 < len(value) < 4096 and "\0" not in value:
            files = [file for folder in (paths.NOTEBOOKS, paths.ROOT) if (file := folder / value).is_file()]
            made_from += [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    made_from.append(notebook["metadata"].get("analysis"))
    return hashlib.sha256(json.dumps(made_from, default=str, ensure_ascii=True).encode()).hexdigest()


def common_digest() -> str:
    """Return a digest of what all reports depend on: code, data, locked versions, and files beside the notebooks."""
    folders = {paths.ROOT / "src": "", paths.DATA: "", paths.NOTEBOOKS: (".ipynb", ".yml", ".yaml")}
    total = hashlib.sha256(f"{sys.version} {os.environ.get(paths.SHIPPED_ONLY)}".encode())
    files = [paths.ROOT / "requirements.lock"]
    for folder, without in folders.items():
        for above, below, names in os.walk(folder):
            below[:] = sorted(each for each in below if not each.startswith((".", "__pycache__")))
            files += [
                Path(above, name)
                for name in sorted(names)
                if not name.startswith(".") and not name.endswith(without or "~")
            ]
    for file in files:
        if file.is_file():
            total.update(f"{file.relative_to(paths.ROOT)}\0".encode(errors="surrogateescape"))
            total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def read(name: str) -> dict[str, Any]:
    """Return reports/NAME.json, or {} where there is none of this project."""
    try:
        record = json.loads((paths.REPORTS / f"{name}.json").read_text(encoding="utf-8"))
        return record if isinstance(record, dict) and record.get("name") == name else {}
    except (OSError, ValueError):
        return {}


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all: beside it first, then renamed. A link stays; what it leads to is replaced."""
    path = path.resolve()
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        beside.write_text(text, encoding="utf-8", errors="replace", newline="\n")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def commit() -> str:
    """Return the commit of the working tree in short, with "and edits" where files differ from it; "" without git."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    said = []
    for command in (["rev-parse", "--short=10", "HEAD"], ["status", "--porcelain", "--", "src", "data", "notebooks"]):
        try:
            done = subprocess.run(
                ["git", *command],
                cwd=paths.ROOT,
                env=environment,
                capture_output=True,
                text=True,
                timeout=20,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        said.append(done.stdout.strip())
    return said[0] + (" and edits" if said[1] else "")
