"""Run files: one YAML file per report, its notebook and its parameters."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from analysis._core import notebook_cells
from analysis._core.choices import not_among
from analysis._core.file_contents import NotUtf8, utf8
from analysis._core.notebook_cells import NotANotebook
from analysis._core.refusal import Refused
from analysis._build.runs.folders import Places

KEYS = {"notebook": str, "title": str, "section": str, "parameters": dict}
NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
NAMED = re.compile(r"^notebook:\s*['\"]?([\w-]+)", re.MULTILINE)  # the notebook of a run file
NO_REPORT = "no-report"  # tag of a cell of a notebook that is for interactive use alone


class RunFileError(Refused):
    """A run file that cannot be used; the text names the file, the key, what was expected."""


class UnknownReport(Refused):
    """A report was asked for that has no run file; the text names those that have."""


@dataclass(frozen=True)
class ReportRun:
    """One report as its run file states it: only the parameters that differ from the defaults.

    `section` is where the index lists it.
    """

    report: str
    notebook: str
    title: str | None = None
    section: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    again: str = ""  # the command that builds it once more
    file: str = ""  # the file that states it, by short name; empty for one outside the project


def run_files(places: Places, names: Iterable[str] = ()) -> dict[str, Path]:
    """Run files by report name, sorted; all of them, or the named ones.

    A notebook is a report of its own too, with its own defaults, unless a run file has its name: that states it then.
    Raises UnknownReport, naming the nearest reports there are, or saying why a notebook of the name is none.
    """
    files = {path.stem: path for path in places.runs.glob("*.y*ml")}
    alone = (path for path in places.notebooks.glob("*.ipynb") if path.stem not in files)
    files |= {path.stem: path for path in alone if why_not(path) is None}
    files = dict(sorted(files.items()))
    reports = list(dict.fromkeys(names))
    unknown = [name for name in reports if name not in files]
    if unknown:
        notebook = places.notebook(unknown[0])
        if notebook.is_file() and (why := why_not(notebook)):
            raise UnknownReport(f"no report {unknown[0]!r}: {notebook.name}: no page, {why}")
        raise UnknownReport(f"no report {not_among(unknown[0], files)}")
    return {name: files[name] for name in (reports or files)}


def read_run(path: Path, places: Places) -> ReportRun:
    """Read one run file, or take a notebook as it is. Raises RunFileError, naming the file and the key."""
    where = places.key(path)
    if path.suffix == ".ipynb":
        return ReportRun(path.stem, path.stem, again=f"make reports/{path.stem}.html")
    if path.suffix != ".yml" or not NAME.fullmatch(path.stem) or path.stem == "index":
        raise RunFileError(
            f"{where}: a run file is named <report>.yml with small letters, digits, '_' and '-', and not index.yml"
        )
    content = content_of(path, where, KEYS)
    again = f"make reports/{path.stem}.html"
    check_notebook(content["notebook"], where, places)
    parameters = content.get("parameters") or {}
    title, section = content.get("title"), content.get("section") or ""
    return ReportRun(path.stem, content["notebook"], title, section, parameters, again, where)


def hints(places: Places) -> list[str]:
    """A line for each notebook that makes no page though nothing says that it should not."""
    return [f"{path.name}: no page, {why}" for path in _without_run_file(places) if (why := why_not(path))]


def _without_run_file(places: Places) -> list[Path]:
    """The notebooks that no run file names."""
    texts = (path.read_text("utf-8", "replace") for path in places.runs.glob("*.y*ml"))
    named = {match[1] for text in texts if (match := NAMED.search(text))}
    return [path for path in sorted(places.notebooks.glob("*.ipynb")) if path.stem not in named]


def why_not(notebook: Path) -> str | None:
    """Why a notebook without a run file becomes no page; "" where it is to be none, None where it becomes one."""
    if notebook.stem.startswith("_"):
        return ""
    try:
        cells = notebook_cells.cells(notebook) or []
    except NotANotebook:
        return "it is not a notebook of format 4"
    if any(NO_REPORT in cell.tags for cell in cells):
        return ""
    if not NAME.fullmatch(notebook.stem) or notebook.stem == "index":
        return "rename it: small letters, digits, '_' and '-', and not index"
    if not any(cell.kind == "markdown" and cell.source.lstrip().startswith("# ") for cell in cells):
        return "add a Markdown cell with a title, such as `# Throughput by vendor`"
    return None if any(cell.kind == "code" for cell in cells) else "it has no code"


def check_notebook(notebook: str, where: str, places: Places) -> None:
    """Raise RunFileError where there is no such notebook; `where` is the file that names it."""
    notebooks = sorted(path.stem for path in places.notebooks.glob("*.ipynb"))
    if notebook not in notebooks:
        raise RunFileError(f"{where}: key 'notebook': no {not_among(notebook, notebooks)}")


def content_of(path: Path, where: str, keys: dict[str, type]) -> dict[str, Any]:
    """A YAML file of the given keys and their types, `notebook` among them. Raises RunFileError."""
    try:
        content = yaml.load(utf8(path.read_bytes()), Loader=_OnceLoader)
    except NotUtf8 as error:
        raise RunFileError(f"{where}, line {error.line}: {error}") from None
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: of a date or a number
        raise RunFileError(f"{where}: not readable as YAML: {_one_line(error)}") from error
    _check_keys(content, where, keys)
    return content


def _check_keys(content: Any, where: str, keys: dict[str, type]) -> None:
    if not isinstance(content, dict) or "notebook" not in content:
        raise RunFileError(f"{where}: key 'notebook' is missing: expected at least 'notebook: <name>'")
    for key, value in content.items():
        if key not in keys:
            raise RunFileError(f"{where}: unknown key {not_among(str(key), keys)}")
        if not isinstance(value, keys[key]) and not (value is None and key != "notebook"):
            raise RunFileError(
                f"{where}: key {key!r}: expected {_kind(keys[key])}, found {value!r} ({type(value).__name__})"
            )
    for key in (key for key, kind in keys.items() if kind is dict):
        for name in content.get(key) or {}:
            if not isinstance(name, str):
                raise RunFileError(f"{where}: key {key!r}: the name {name!r} is not text; put it in quotes")


def _kind(expected: type) -> str:
    return {str: "text", dict: "'name: value' lines"}[expected]


def _one_line(error: Exception) -> str:
    return " ".join(str(error).replace('in "<unicode string>", ', "at ").split())


class _OnceLoader(yaml.SafeLoader):
    """YAML where a key given twice is an error; plain YAML keeps the last one without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = [key for index, key in enumerate(keys) if key in keys[:index]]
        if twice:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {twice[0]!r} stands there twice", node.start_mark
            )
        return super().construct_mapping(node, deep)
