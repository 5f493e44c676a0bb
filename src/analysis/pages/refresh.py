"""Execute notebooks in place, so that stored outputs are current and the same on every machine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from analysis import paths
from analysis.names import choose
from analysis.pages.execute import execute
from analysis.pages.reports import failed, run
from analysis.pages.runs import Report

WIDGET = "application/vnd.jupyter.widget-view+json"  # a new number in each run
NOT_STORED = ("image/png", "image/jpeg", WIDGET)  # if the output also has another form
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},  # without a version, which would differ between machines
}
# Metadata of a notebook or cell that editors and runs add or change each time. All other metadata is the author's.
ADDED = {
    "ExecuteTime", "collapsed", "execution", "papermill", "scrolled", "signature", "trusted", "vscode", "widgets",
}  # fmt: skip


def refresh(names: Iterable[str], jobs: int, timeout: float) -> int:
    """Execute the named notebooks in place, or all, write those whose outputs changed, and return 1 if any failed.

    One that fails, or finds no data, is left as it was. Raises ValueError for an unknown name.
    """
    files = {path.stem: path for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")) if not path.name.startswith(".")}
    wanted = [choose(Path(name).name.removesuffix(".ipynb"), files, "notebook") for name in names] or list(files)
    return run(_refreshed, {name: (Report(name, files[name]),) for name in wanted}, jobs, timeout)


def stored(notebook: dict[str, Any], before: dict[str, Any] | None = None) -> str:
    """Return a notebook's file as stored: without PNG copies of SVG, widgets, times, versions, and what editors add.

    A cell whose text `before` has under an id that no cell has any more keeps that id.
    """
    from nbformat import v4

    notebook = v4.to_notebook(json.loads(json.dumps(notebook), parse_float=_whole))
    earlier = {cell["id"]: cell["source"] for cell in v4.to_notebook(before).cells if "id" in cell} if before else {}
    kept = {cell.get("id") for cell in notebook.cells}
    gone = {source: name for name, source in earlier.items() if name not in kept}
    own = {key: value for key, value in notebook.metadata.items() if key not in ADDED}
    if own.get("kernelspec", {}).get("name", "python3") == "python3":  # another kernel stays
        own |= METADATA
    notebook |= {"metadata": own, "nbformat": 4, "nbformat_minor": 5}
    ran = 0
    for cell in notebook.cells:
        if cell.get("id") not in earlier and cell.source in gone:
            cell["id"] = gone.pop(cell.source)
        cell.metadata = {key: value for key, value in cell.metadata.items() if key not in ADDED and value}
        if cell.get("execution_count"):
            cell.execution_count = ran = ran + 1
        for output in cell.get("outputs", []):
            if "execution_count" in output:
                output.execution_count = ran
            if "metadata" in output:
                output.metadata = {}
            data = output.get("data", {})
            if {"image/svg+xml", "text/html"} & data.keys():
                for kind in NOT_STORED:
                    data.pop(kind, None)
        if cell.get("outputs"):
            cell.outputs = [output for output in cell.outputs if WIDGET not in output.get("data", {})]
    return v4.writes(notebook) + "\n"


def before_save(model: dict[str, Any], **_: Any) -> None:
    """Make JupyterLab save a notebook as `stored` has it (`make lab`): the hook of its contents manager."""
    if model["type"] == "notebook" and model["content"]:
        model["content"] = json.loads(stored(model["content"]))


def _refreshed(report: Report) -> str:
    with paths.replacing(report.notebook) as beside:
        done = execute(report)
        why = done.failure or (f"no data: {done.no_data}" if done.no_data else "")
        if why:
            return failed(report.name, f"{why}\nthe notebook is unchanged")
        text = stored(done.notebook).encode()
        if text == report.notebook.read_bytes():
            return f"same       {report.name}"
        beside.write_bytes(text)
    return f"refreshed  {report.name}"


def _whole(text: str) -> float:
    """Parse a number of JSON, 18.0 as 18, as browsers write it."""
    number = float(text)
    return int(number) if number.is_integer() else number


if __name__ == "__main__":  # as git's clean filter: what an editor adds is not a change
    shown = subprocess.run(["git", "show", f":{sys.argv[-1]}"], capture_output=True, check=False)
    sys.stdout.write(stored(json.load(sys.stdin), json.loads(shown.stdout) if shown.returncode == 0 else None))
