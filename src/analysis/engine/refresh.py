"""`analysis refresh`: notebooks executed in place, so that stored outputs match; makes no reports."""

import json
from collections.abc import Iterable
from pathlib import Path
from textwrap import indent
from typing import Any

from analysis.core.choices import not_among
from analysis.engine.kernels.pool import KINDS, Kernels
from analysis.engine.make.parallel import side_by_side
from analysis.engine.page.errors import ReportFailed
from analysis.engine.reports import TIMEOUT, Say
from analysis.engine.runs.failures import Failure
from analysis.engine.runs.files import file_sha256, sha256, write_whole
from analysis.engine.runs.places import Places

WIDGET = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    # Without the version: it would differ between two machines that agree in everything else.
    "language_info": {"name": "python"},
}


class UnknownNotebook(ValueError):
    """A notebook was named that is not there; the text names those that are."""


def refresh(
    names: Iterable[str] = (),
    *,
    places: Places | None = None,
    jobs: int = 3,
    timeout: int = TIMEOUT,
    kernels: str = KINDS[0],
    say: Say = print,
) -> int:
    """Execute the named notebooks (or all) and write back those whose outputs changed, `jobs` at a time.

    What changed is said as an nbdime diff. A notebook that fails is left as it was, and told in words. Returns 1 if
    any failed, else 0.
    Raises UnknownNotebook.
    """
    places = places or Places()
    paths, failed = find(places, names), []

    def tell(path: Path, result: str | Failure) -> None:
        failed.extend([result] if isinstance(result, Failure) else [])
        word, _, changes = ("FAILED   ", "", "") if isinstance(result, Failure) else result.partition("\n")
        say(f"{word}  {path.stem}" + (f"\n{indent(changes, '    ')}" if changes else ""))

    with Kernels(places, kernels) as made:
        from analysis.engine.make import lean

        lean.load()
        side_by_side(lambda path: _refreshed(path, made, places, timeout), paths, jobs, tell, made.stop)
    for failure in failed:
        say(f"\n{failure.text()}")
    return 1 if failed else 0


def find(places: Places, names: Iterable[str] = ()) -> list[Path]:
    """The files of the named notebooks, or of all. Raises UnknownNotebook."""
    found = {path.stem: path for path in sorted(places.notebooks.glob("*.ipynb"))}
    asked = [Path(name).name.removesuffix(".ipynb") for name in names]
    for name in asked:
        if name not in found:
            raise UnknownNotebook(f"no notebook {not_among(name, found)}")
    return [found[name] for name in dict.fromkeys(asked or found)]


def _refreshed(path: Path, kernels: Kernels, places: Places, timeout: int) -> str | Failure:
    import nbformat

    from analysis.engine import changes
    from analysis.engine.make.execute import Execution
    from analysis.engine.runs.failures import cell_words

    execution = Execution(path, {}, timeout)
    try:
        with kernels.one() as kernel:
            notebook = execution.run(kernel)
            kernel.ask_to_end()
    except ReportFailed as error:
        where = places.key(path)
        if execution.notebook is not None and error.cell is not None:
            where = f"{where}, {cell_words(execution.notebook.cells, error.cell)}"
        return Failure(path.stem, error.what, where, error.line, error.inside, "The notebook on disk is unchanged.")
    stored = nbformat.read(path, as_version=4)
    content = nbformat.writes(settled(notebook, path)) + "\n"
    if file_sha256(path) == sha256(content):
        return "the same "
    if not kernels.stopping:
        write_whole(path, content)
    return f"refreshed\n{changes.told(stored, notebook)}"


def settled(notebook: Any, path: Path) -> Any:
    """An executed notebook with all that is not the analyst's made equal everywhere: metadata, missing cell ids."""
    notebook.metadata = nbformat_node(METADATA)
    before = json.loads(path.read_text(encoding="utf-8"))["cells"]
    drop_widgets(notebook)
    for number, (cell, was) in enumerate(zip(notebook.cells, before, strict=True), start=1):
        cell["id"] = was.get("id", f"cell-{number}")
        if not cell.metadata.get("tags"):
            cell.metadata.pop("tags", None)
    return notebook


def drop_widgets(notebook: Any) -> None:
    """Remove running widgets from outputs that have a static form too: their ids are random, their kernel is gone."""
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        if len(output.get("data", {})) > 1:
            output.data.pop(WIDGET, None)


def nbformat_node(value: dict[str, Any]) -> Any:
    """A plain dictionary as nbformat's own kind."""
    from nbformat.notebooknode import from_dict

    return from_dict(value)
