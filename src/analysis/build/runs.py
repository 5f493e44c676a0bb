"""Which reports there are: a page per notebook, and one more per run file, or per value of a list in it."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from analysis import paths
from analysis.names import choose

LARGEST_RUN_FILE = 64 * 1024  # bytes
LARGEST_NOTEBOOK = 64 * 2**20
MOST_PAGES = 200  # of one run file
KEYS = ("notebook", "title", "parameters")
NAME = re.compile(r"[^\W_][\w -]{0,79}")
RESERVED = re.compile(r"index|con|nul|prn|aux|com\d|lpt\d", re.IGNORECASE)  # the last are devices on Windows


class RunError(ValueError):
    """No page can be made from a notebook or run file; the text says what is wrong and what is valid."""


@dataclass(frozen=True)
class Report:
    """One page: its name, its notebook, and the parameters that differ from the notebook's own."""

    name: str
    notebook: Path
    parameters: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    sweep: str = ""  # the page that lists this one beside others of the same run file

    def declared(self) -> list[Parameter]:
        """Return the parameters that the notebook declares."""
        return declared_parameters(read_notebook(self.notebook))


@dataclass(frozen=True)
class Parameter:
    """A parameter as a notebook's cell of parameters declares it; `value` is None where it is no literal."""

    name: str
    value: Any
    source: str
    comment: str = ""


def find(names: Iterable[str] = ()) -> tuple[dict[str, Report], dict[str, str]]:
    """Return the named reports, or all, and by name why the others cannot be made.

    A name of a sweep stands for its pages. Raises RunError for an unknown name.
    """
    reports: dict[str, Report] = {}
    wrong: dict[str, str] = {}
    notebooks = sorted(path for path in paths.NOTEBOOKS.glob("*.ipynb") if not path.name.startswith(("_", ".")))
    runs = sorted((paths.NOTEBOOKS / "runs").glob("*.y*ml"))
    for path in notebooks + runs:
        try:
            _check_name(path.stem)
            found = [Report(path.stem, path)] if path.suffix == ".ipynb" else read_run(path)
            for report in found:
                other = reports.get(report.name)
                if other and (other.notebook != report.notebook or other.parameters or other.sweep):
                    raise RunError(f"{other.notebook.name} makes the page {report.name!r} already: rename one of them")
            reports |= {report.name: report for report in found}
        except (RunError, OSError) as error:
            wrong[path.stem] = f"{_short(path)}: {error}"
            reports.pop(path.stem, None)
    names = [Path(name).name.removesuffix(".html").removesuffix(".ipynb") for name in names]
    known = {*reports, *wrong, *(report.sweep for report in reports.values() if report.sweep)}
    for name in names:
        try:
            choose(name, sorted(known), "report")
        except ValueError as error:
            raise RunError(str(error)) from None
    wanted = set(names) or known
    reports = {name: each for name, each in reports.items() if {name, each.sweep} & wanted}
    return reports, {name: why for name, why in wrong.items() if name in wanted}


def read_run(path: Path) -> list[Report]:
    """Return the pages of a run file: one, or one per combination where a list is given for a single value.

    Raises RunError.
    """
    content = _yaml(path)
    if not isinstance(content, dict) or not isinstance(content.get("notebook"), str):
        raise RunError("expected a line 'notebook: NAME' and, below 'parameters:', lines 'name: value'")
    for key in content:
        _choose(key, KEYS, "key")
    stems = sorted(each.stem for each in paths.NOTEBOOKS.glob("*.ipynb"))
    notebook = paths.NOTEBOOKS / f"{_choose(content['notebook'], stems, 'notebook')}.ipynb"
    given = content.get("parameters") or {}
    if not isinstance(given, dict):
        raise RunError("key 'parameters': expected lines 'name: value'")
    declared = {each.name: each for each in declared_parameters(read_notebook(notebook))}
    swept = {}
    for name, value in given.items():
        own = declared[_choose(name, list(declared), f"parameter of {notebook.name}")]
        if isinstance(value, list) and own.value is not None and not isinstance(own.value, list | dict):
            swept[name] = value
        for each in swept.get(name, [value]):
            _check_type(own, each)
    title = str(content.get("title") or "")
    if not swept:
        return [Report(path.stem, notebook, given, title)]
    count = math.prod(map(len, swept.values()))
    if not 0 < count <= MOST_PAGES:
        lists = ", ".join(f"{name}: {len(values)} values" for name, values in swept.items())
        raise RunError(f"{count:,} pages ({lists}); one run file makes 1 to {MOST_PAGES}")
    reports = []
    for values in product(*swept.values()):
        chosen = dict(zip(swept, values, strict=True))
        slugs = (re.sub(r"[^\w.]+", "_", str(value))[:40] or "none" for value in values)
        name = "-".join([path.stem, *slugs]).lower()
        label = ", ".join(f"{each.replace('_', ' ')} {value}" for each, value in chosen.items())
        reports.append(Report(name, notebook, given | chosen, label, sweep=path.stem))
    if len({report.name for report in reports}) < count:
        raise RunError("two values give one page name: leave one of them out")
    return reports


def read_notebook(path: Path) -> dict[str, Any]:
    """Return the notebook as JSON has it. Raises RunError for what is no notebook of format 4."""
    try:
        content = json.loads(_bytes(path, LARGEST_NOTEBOOK))
        cells = [
            (cell["cell_type"], "".join(cell["source"]), cell["metadata"].get("tags")) for cell in content["cells"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RunError(f"not readable as a notebook: {_cut(error)}") from None
    if content.get("nbformat") != 4 or not cells:
        raise RunError("expected a notebook of format 4 with cells")
    return content


def declared_parameters(notebook: dict[str, Any]) -> list[Parameter]:
    """Return the parameters of a notebook: the names that its cell tagged `parameters` assigns. Raises RunError."""
    cells = (cell for cell in notebook["cells"] if "parameters" in (cell["metadata"].get("tags") or []))
    source = "".join(next(cells, {"source": ""})["source"])
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise RunError(f"the cell of parameters is not Python: {_cut(error)}") from None
    lines, parameters = source.splitlines(), []
    for each in statements:
        target = (
            each.target
            if isinstance(each, ast.AnnAssign)
            else each.targets[0]
            if isinstance(each, ast.Assign)
            else None
        )
        if isinstance(target, ast.Name) and each.value is not None:
            try:
                value = ast.literal_eval(each.value)
            except ValueError:
                value = None
            comment = lines[each.end_lineno - 1][each.end_col_offset :].strip().lstrip("# ")
            text = ast.get_source_segment(source, each.value)
            parameters.append(Parameter(target.id, list(value) if isinstance(value, tuple) else value, text, comment))
    return parameters


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name) or RESERVED.fullmatch(name):
        raise RunError("rename it: letters, digits, '_', '-', and spaces, at most 80, and no name such as index or con")


def _check_type(own: Parameter, value: Any) -> None:
    kinds = {bool: bool, int: int | float, float: int | float, str: str, list: list, dict: dict}
    expected = kinds.get(type(own.value))
    fits = expected is None or (isinstance(value, expected) and isinstance(value, bool) == (expected is bool))
    if not fits or (isinstance(value, float) and not math.isfinite(value)):
        wanted = {bool: "true or false", str: "text", list: "a list", dict: "'name: value' lines"}
        raise RunError(
            f"parameter {own.name!r}: expected {wanted.get(type(own.value), 'a number')} such as {_cut(own.source)}, "
            f"found {_cut(repr(value))}"
        )


def _choose(name: Any, valid: Iterable[str], what: str) -> str:
    try:
        return choose(name if isinstance(name, str) else _cut(repr(name)), valid, what)
    except ValueError as error:
        raise RunError(str(error)) from None


def _yaml(path: Path) -> Any:
    """Return what a YAML file says; a key twice, an anchor, or an alias is an error."""
    try:
        text = _bytes(path, LARGEST_RUN_FILE).decode("utf-8-sig")
        for event in yaml.parse(text):
            if getattr(event, "anchor", None):
                raise RunError(f"line {event.start_mark.line + 1}: anchors and aliases ('&', '*') are not read")
        return yaml.load(text, Loader=_OnceLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, TypeError) as error:
        raise RunError(f"not readable as YAML: {_cut(error)}") from None


class _OnceLoader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = [key.value for key, _ in node.value]
        for key in {each for each in keys if isinstance(each, str) and keys.count(each) > 1}:
            raise RunError(f"the key {_cut(key)!r} is there twice")
        return super().construct_mapping(node, deep)


def _bytes(path: Path, largest: int) -> bytes:
    if not path.is_file():
        raise RunError("not a plain file")
    if (size := path.stat().st_size) > largest:
        raise RunError(f"{size:,} bytes; at most {largest:,} are read")
    return path.read_bytes()


def _cut(text: object, most: int = 120) -> str:
    words = " ".join(str(text).split())
    return words if len(words) <= most else f"{words[:most]} ..."


def _short(path: Path) -> str:
    return path.relative_to(paths.ROOT).as_posix() if path.is_relative_to(paths.ROOT) else str(path)
