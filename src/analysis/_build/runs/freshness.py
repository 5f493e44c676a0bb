"""What a report was made from, as digests, and whether that is still so."""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from analysis._core import notebook_cells
from analysis._core.file_contents import sha256
from analysis._core.notebook_cells import NotANotebook
from analysis._core.paths import endpoint_files, official_files
from analysis._build.page.record import PYTHON
from analysis._build.page.templates import TEMPLATES
from analysis._build.runs import modules
from analysis._build.runs.files import canonical_json, file_sha256
from analysis._build.runs.folders import ENGINE, Places
from analysis._build.runs.runfiles import ReportRun

KEYS = {"report", "notebook", "title", "section", "parameters", "question", "answer", "caveats", "trust", "findings",
        "front", "hints", "live", "provenance", "picture", "python", "inputs", "commit", "digest", "html_sha256",
        "seal"}  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """One report to build: its run file with complete parameters, and why it is not fresh (None if it is)."""

    run: ReportRun
    parameters: dict[str, Any]
    reason: str | None = None


def static_inputs(run: ReportRun, places: Places) -> dict[str, str]:
    """Digests of all that is known before execution: notebook, modules, engine, lock; by short name.

    The tables are known only after execution, from the provenance that the notebook shows. They count as whole files,
    for a page lists their digests, and whether an edit adds a row that the notebook would choose only a run can tell.
    What was imported counts for every report, for the notebooks take up whatever is there.
    """
    notebook = places.notebook(run.notebook)
    code = notebook_cells.code(notebook)
    imported = [*official_files(places.data), *endpoint_files(places.data)]
    files = [*modules.reached(code, places.source), *_engine(), places.lock, *imported]
    digests = {places.key(path): file_sha256(path) for path in files}
    return {places.key(notebook): notebook_sha256(notebook)} | {k: d for k, d in digests.items() if d}


def notebook_sha256(notebook: Path) -> str | None:
    """The digest of what a notebook says (cells, tags, attachments), whatever its stored outputs are."""
    with suppress(NotANotebook):  # Half-saved.
        if (cells := notebook_cells.cells(notebook)) is not None:
            return sha256(canonical_json([cell[:4] for cell in cells]))
    return None


def digest(run: ReportRun, parameters: dict[str, Any], inputs: dict[str, str], python: str = PYTHON) -> str:
    """One SHA-256 over everything that decides what a report says."""
    return sha256(canonical_json([run.report, run.notebook, run.title, run.section, parameters, inputs, python]))


def seal(record: dict[str, Any]) -> str:
    """The digest by which a record that was edited by hand is noticed."""
    return sha256(canonical_json({key: value for key, value in record.items() if key != "seal"}))


def read_record(report: str, places: Places, parameters: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """A report's record (its JSON file), or None where it is missing, damaged, edited or of an older kind.

    With `parameters` None also where it is of others.
    """
    try:
        record = json.loads((places.reports / f"{report}.json").read_text(encoding="utf-8"))
        is_whole = isinstance(record, dict) and record.keys() == KEYS and record["seal"] == seal(record)
    except (OSError, ValueError, RecursionError):  # NaN and depths without end are none of ours either.
        return None
    if not is_whole:
        return None
    return record if parameters is None or record["parameters"] == parameters else None


def altered(report: str, places: Places) -> bool:
    """Whether a report must be built whatever its run file says, which takes longer to find out."""
    record = read_record(report, places)
    return record is None or record["python"] != PYTHON or _changed_file(record, places) is not None


def stale(run: ReportRun, parameters: dict[str, Any], places: Places) -> str | None:
    """Why a report must be built, in words, or None where it is fresh."""
    record = read_record(run.report, places)
    if record is None:
        return "not built yet" if not (places.reports / f"{run.report}.json").exists() else "its JSON changed"
    if record["python"] != PYTHON:
        return f"Python {record['python']} then, {PYTHON} now"
    if (record["notebook"], record["title"]) != (run.notebook, run.title):
        return "its run file changed"
    return _changed_parameter(record["parameters"], parameters) or _changed_file(record, places)


def _changed_parameter(then: dict[str, Any], now: dict[str, Any]) -> str | None:
    names = [name for name in {**then, **now} if _text(then, name) != _text(now, name)]
    return f"parameter {', '.join(names)} changed" if names else None


def _text(parameters: dict[str, Any], name: str) -> str | None:
    # As text, because 1, 1.0 and True are equal in Python and not in a report.
    return canonical_json(parameters[name]) if name in parameters else None


def current(inputs: Iterable[str], places: Places) -> dict[str, str | None]:
    """The digests that files have now, by short name; None where there is no such file."""
    paths = {key: places.path(key) for key in inputs}
    return {k: notebook_sha256(p) if p.suffix == ".ipynb" else file_sha256(p) for k, p in paths.items()}


def _changed_file(record: dict[str, Any], places: Places) -> str | None:
    for path in (*official_files(places.data), *endpoint_files(places.data)):
        if places.key(path) not in record["inputs"]:
            return f"{places.key(path)} is new"
    for key, now in current(record["inputs"], places).items():
        if now != record["inputs"][key]:
            return f"{key} {'changed' if now else 'is gone'}"
    for path, then in outputs(record, places).items():
        if file_sha256(path) != then:
            return f"{path.name} {'changed' if path.exists() else 'is gone'}"
    return None


def outputs(record: dict[str, Any], places: Places) -> dict[Path, str]:
    """The files that were written beside a record, with the digests that they had."""
    files = {places.reports / f"{record['report']}.html": record["html_sha256"]}
    if record["picture"]:
        files[places.pictures / f"{record['report']}.svg"] = record["picture"]["sha256"]
    return files


@cache
def _engine() -> tuple[Path, ...]:
    """The engine's own files that shape a page: the templates, and the modules behind `export`."""
    export = TEMPLATES.with_name("export.py")
    code = export.read_text(encoding="utf-8")
    shaping = [path for path in modules.reached([code], ENGINE.parents[1]) if path.is_relative_to(ENGINE)]
    template = (path for name in ("report", "shared") for path in (TEMPLATES / name).iterdir())
    return tuple(sorted({export, *shaping, *template}))
