"""What a notebook is in git: the form that is stored whoever wrote the file, and the words that a diff shows.

Git calls both through the filter and the text conversion that `make dev` sets up, for a file at a time: so nothing of
Jupyter's is imported here.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from analysis._core import mime

# A drawing for phones, numbers as CSV, what makes a page live: a page's, not a notebook's.
REMADE = (mime.NARROW, mime.CSV, mime.LIVE)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    # Without the version: it would differ between two machines that agree in everything else.
    "language_info": {"name": "python"},
}


def settled(notebook: dict[str, Any]) -> dict[str, Any]:
    """A notebook, changed in place to what is stored: equal everywhere in all that is not the analyst's.

    Of what editors write (interpreter, folded or scrolled cells, times and counts of execution) nothing stays, nor what
    stored outputs are not compared by: the digests of whole files, which builds record, and running widgets that have a
    static form too, for their ids are random and their kernel is gone. Cells that ran are counted from one in their
    order, and 18.0 is 18, which is all that a browser knows of it.
    """
    notebook["metadata"] = METADATA
    for cell in notebook["cells"]:
        tags = cell["metadata"].get("tags")
        cell["metadata"] = {"tags": tags} if tags else {}
    _settle_outputs(notebook)
    return notebook


def before_save(model: dict[str, Any], **_: Any) -> None:
    """Before JupyterLab saves a Python notebook (`make lab`): outputs and interpreter as `settled` has them.

    Else each notebook that is opened, or run without an edit, would differ from the one in git. What JupyterLab shows
    stays, for this is of the file alone; and so do cells that an analyst folded.
    """
    if model["type"] == "notebook" and model["content"]:
        metadata = model["content"]["metadata"]
        if metadata.get("kernelspec", {}).get("name") == METADATA["kernelspec"]["name"]:
            metadata.update(METADATA)
            _settle_outputs(model["content"])


def _settle_outputs(notebook: dict[str, Any]) -> None:
    ran = 0
    for cell in notebook["cells"]:
        if cell.get("execution_count"):
            cell["execution_count"] = ran = ran + 1
        for output in cell.get("outputs", []):
            _settle(output, cell.get("execution_count"))


def _settle(output: dict[str, Any], count: int | None) -> None:
    for key in (mime.PROVENANCE, *REMADE):
        output.get("metadata", {}).pop(key, None)
    data = output.get("data", {})
    if len(data) > 1:
        data.pop(mime.WIDGET, None)
    for kind in data:
        data[kind] = _plain(data[kind])
    if "execution_count" in output:
        output["execution_count"] = count


def _plain(value: Any) -> Any:
    """JSON whose whole numbers have no fraction: a browser reads 18.0 and writes 18."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def words(notebook: dict[str, Any]) -> str:
    """What people read of a notebook: each cell's source under its id, and behind it the findings that it shows."""
    return "".join(f"{line}\n" for cell in notebook["cells"] for line in _of_cell(cell))


def _of_cell(cell: dict[str, Any]) -> Iterator[str]:
    yield f"# %% {cell.get('id', cell['cell_type'])}"
    yield from _text(cell["source"]).splitlines()
    for output in cell.get("outputs", []):
        if mime.FINDING in output.get("data", {}):
            yield from (f"#> {line}" for line in _text(output["data"].get(mime.PLAIN, "")).splitlines())
    yield ""


def _text(of_file: str | list[str]) -> str:
    """Text, which a notebook's file may hold as a list of lines."""
    return of_file if isinstance(of_file, str) else "".join(of_file)


def as_stored(content: bytes) -> bytes:
    """`settled` of a notebook's file; what is no notebook, as in the middle of a merge, stays as it is."""
    return _of(content, lambda notebook: written(settled(notebook)))


def as_words(content: bytes) -> bytes:
    """`words` of a notebook's file; what is no notebook, as in the middle of a merge, stays as it is."""
    return _of(content, words)


def written(notebook: dict[str, Any]) -> str:
    """A notebook, its texts split into lines, as nbformat writes it."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True, separators=(",", ": ")) + "\n"


def _of(content: bytes, form: Callable[[dict[str, Any]], str]) -> bytes:
    try:
        return form(json.loads(content)).encode()
    except (ValueError, KeyError, TypeError, AttributeError):
        return content
