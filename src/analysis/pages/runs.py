"""Find the reports: one per notebook, and one per run file or per value of a list in it."""

from __future__ import annotations

import ast
import contextlib
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
DEEPEST = 20  # lists and mappings in each other
MOST_PAGES = 200  # of one run file
KEYS = ("notebook", "title", "parameters")
NAME = re.compile(r"(?!(index|con|nul|prn|aux|com\d|lpt\d)\Z)[^\W_][\w -]{0,79}", re.IGNORECASE)  # devices on Windows
TYPES = {bool: "true or false", int | float: "a number", str: "text", list: "a list", dict: "'name: value' lines"}


@dataclass(frozen=True)
class Report:
    """One page: its name, its notebook, and the parameters that differ from the notebook's own."""

    name: str
    notebook: Path
    parameters: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    sweep: str = ""  # the page that lists this one and others of the same run file


@dataclass(frozen=True)
class Parameter:
    """A parameter as a notebook's cell of parameters declares it; `value` is None if it is not a literal."""

    name: str
    value: Any
    source: str
    comment: str


def find(names: Iterable[str] = ()) -> tuple[dict[str, Report], dict[str, str]]:
    """Return the named reports, or all, and by name why others cannot be made.

    The name of a sweep means all of its pages. Raises ValueError for an unknown name.
    """
    reports: dict[str, Report] = {}
    wrong: dict[str, str] = {}
    runs = (paths.NOTEBOOKS / "runs").glob("[!_.]*.y*ml")
    for path in [*sorted(paths.NOTEBOOKS.glob("[!_.]*.ipynb")), *sorted(runs)]:
        try:
            if not NAME.fullmatch(path.stem):
                raise ValueError(
                    "rename it: at most 80 letters, digits, '_', '-', and spaces, and not index, con, or a similar name"
                )
            found = [Report(path.stem, path)] if path.suffix == ".ipynb" else read_run(path)
            pages = {each.sweep: each for each in reports.values() if each.sweep} | reports
            for report in found:
                page = report.name if report.name in pages else report.sweep
                other = pages.get(page)
                if other and (other.notebook, other.parameters, report.sweep) != (report.notebook, {}, ""):
                    raise ValueError(f"{other.notebook.name} already makes the page {page!r}: rename one")
            reports |= {report.name: report for report in found}
        except (ValueError, OSError) as error:
            wrong[path.stem] = f"{path.relative_to(paths.ROOT).as_posix()}: {error}"
            reports.pop(path.stem, None)
    known = sorted({*reports, *wrong, *(report.sweep for report in reports.values())} - {""})
    wanted = [Path(name).name.removesuffix(".html").removesuffix(".ipynb") for name in names]
    wanted = {choose(name, known, "report") for name in wanted} or {*known}
    reports = {name: each for name, each in reports.items() if {name, each.sweep} & wanted}
    return reports, {name: why for name, why in wrong.items() if name in wanted}


def read_run(path: Path) -> list[Report]:
    """Return the pages of a run file: one, or one per combination where a list is given for a single value.

    Raises ValueError with the fault and the valid choices.
    """
    content = _yaml(path)
    if not isinstance(content, dict) or not isinstance(content.get("notebook"), str):
        raise ValueError("expected a line 'notebook: NAME' and, below 'parameters:', lines 'name: value'")
    for key in content:
        choose(key, KEYS, "key")
    stems = sorted(each.stem for each in paths.NOTEBOOKS.glob("*.ipynb"))
    notebook = paths.NOTEBOOKS / f"{choose(content['notebook'], stems, 'notebook')}.ipynb"
    given = content.get("parameters") or {}
    if not isinstance(given, dict):
        raise ValueError("key 'parameters': expected lines 'name: value'")
    declared = {each.name: each for each in declared_parameters(read_notebook(notebook))}
    swept = {}
    for name, value in given.items():
        own = declared[choose(name, declared, f"parameter of {notebook.name}")]
        if isinstance(value, list) and not isinstance(own.value, list | dict | None):
            swept[name] = value
        for each in swept.get(name, [value]):
            _check_type(own, each)
    if not swept:
        return [Report(path.stem, notebook, given, str(content.get("title") or _label(given)))]
    count = math.prod(map(len, swept.values()))
    if not 0 < count <= MOST_PAGES:
        lists = ", ".join(f"{name}: {len(values)} values" for name, values in swept.items())
        raise ValueError(f"{count:,} pages ({lists}); expected 1 to {MOST_PAGES} per run file")
    reports = {}
    for values in product(*swept.values()):
        chosen = dict(zip(swept, values, strict=True))
        slugs = (re.sub(r"[^\w.]+", "_", str(value))[:40] or "none" for value in values)
        name = "-".join([path.stem, *slugs]).lower()
        reports[name] = Report(name, notebook, given | chosen, _label(chosen), sweep=path.stem)
    if len(reports) < count:
        raise ValueError("two values give the same page name: remove one")
    return list(reports.values())


def _label(parameters: dict[str, Any]) -> str:
    """Return parameters as the title of a page: "accelerators GB300, MI355X"."""
    values = {name: ", ".join(map(str, each)) if isinstance(each, list) else each for name, each in parameters.items()}
    return "; ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())[:200]


def read_notebook(path: Path) -> dict[str, Any]:
    """Return a notebook as parsed JSON, with joined texts and cell tags and without outputs.

    Raises ValueError unless it is a notebook in format 4.
    """
    text = paths.read_file(path, LARGEST_NOTEBOOK)
    try:
        content = paths.parse_json(text)
        for cell in content["cells"]:
            cell["source"] = "".join(cell["source"])
            cell["metadata"]["tags"] = list(cell["metadata"].get("tags") or [])
            if cell["cell_type"] == "code":
                cell["outputs"] = []
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"cannot be read as a notebook: {_cut(error)}") from None
    if content.get("nbformat") != 4 or not content["cells"]:
        raise ValueError("expected a notebook in format 4 with cells")
    return content


def declared_parameters(notebook: dict[str, Any]) -> list[Parameter]:
    """Return what the cell tagged `parameters` assigns. Raises ValueError where it is not Python."""
    source = next((cell["source"] for cell in notebook["cells"] if "parameters" in cell["metadata"]["tags"]), "")
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"the parameters cell is not valid Python: {_cut(error) or 'nested too deep'}") from None
    parameters = []
    for each in statements:
        match each:
            case ast.AnnAssign(target=ast.Name(name), value=ast.expr()) | ast.Assign(targets=[ast.Name(name)]):
                value = None
                with contextlib.suppress(ValueError, TypeError):
                    value = ast.literal_eval(each.value)
                comment = source.encode().splitlines()[each.end_lineno - 1][each.end_col_offset :].decode()
                text = ast.get_source_segment(source, each.value)
                value = list(value) if isinstance(value, tuple) else value
                parameters.append(Parameter(name, value, text, comment.strip().lstrip("# ")))
    return parameters


def _check_type(own: Parameter, value: Any) -> None:
    kind, words = next(((kind, words) for kind, words in TYPES.items() if isinstance(own.value, kind)), (object, ""))
    is_other = isinstance(value, bool) and kind not in (bool, object)  # True is an int
    if not isinstance(value, kind) or is_other or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(
            f"parameter {own.name!r}: expected {words} such as {_cut(own.source)}, found {_cut(repr(value))}"
        )


def _yaml(path: Path) -> Any:
    """Return the content of a YAML file. Raises ValueError for a repeated key, an anchor, or an alias."""
    content = paths.read_file(path, LARGEST_RUN_FILE)
    try:
        return yaml.load(content.decode("utf-8-sig"), Loader=_Loader)
    except (yaml.YAMLError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:  # as of dates
        raise ValueError(f"cannot be read as YAML: {_cut(error)}") from None


class _Loader(yaml.SafeLoader):
    """YAML without aliases or deep nesting, whose numbers are read as they look: `010` is ten."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if event.anchor:
            raise ValueError(f"line {event.start_mark.line + 1}: anchors and aliases ('&', '*') are not supported")
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError(f"line {event.start_mark.line + 1}: lists and mappings nested more than {DEEPEST} deep")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        paths.unique([(key.value, value) for key, value in node.value])
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [each for each in several if not each[0].endswith((":int", ":float", ":merge"))]
    for first, several in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_constructor("tag:yaml.org,2002:int", lambda _, node: int(node.value))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"[-+]?\d+\Z"), [*"-+0123456789"])
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(?:(?:\d+\.\d*|\.?\d+)(?:[eE][-+]?\d+)?|\.(?:inf|nan))\Z", re.IGNORECASE),
    [*"-+.0123456789"],
)


def _cut(text: object) -> str:
    words = " ".join(str(text).split())
    return words if len(words) <= 120 else f"{words[:120]} ..."
