"""Execute notebooks in place, so that what they store is what they show, the same on every machine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from analysis import paths
from analysis.build import records
from analysis.build.execute import FORKED, execute
from analysis.build.processes import Died, side_by_side
from analysis.build.reports import TIMEOUT, warm
from analysis.build.runs import Report
from analysis.names import choose

NOT_STORED = ("image/png", "image/jpeg", "application/vnd.jupyter.widget-view+json")  # beside another form
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},  # without a version, which would differ between machines
}
KEPT = ("tags", "slideshow")  # of a cell's metadata


def refresh(names: Iterable[str] = (), jobs: int = 3, engine: str = FORKED, timeout: float = TIMEOUT) -> int:
    """Execute the named notebooks in place, or all, write those whose outputs changed, and return 1 if any failed.

    One that fails, or finds no data, is left as it was. Raises ValueError for an unknown name.
    """
    files = {path.stem: path for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")) if not path.name.startswith(".")}
    wanted = [choose(Path(name).name.removesuffix(".ipynb"), files, "notebook") for name in names] or list(files)
    work = {name: (Report(name, files[name]), engine) for name in wanted}
    warm(work.values())
    failed = False
    for name, result in side_by_side(_refreshed, work, jobs, timeout):
        failed |= isinstance(result, Died) or result.startswith("FAILED")
        print(f"FAILED  {name}\n    {result.why}" if isinstance(result, Died) else result, flush=True)
    return int(failed)


def stored(notebook: dict[str, Any]) -> str:
    """Return a notebook's file as it is stored: without PNG beside SVG, times, versions, and what editors add.

    The notebook is changed in place.
    """
    own = {key: value for key, value in notebook["metadata"].items() if key == "analysis"}
    notebook["metadata"] = METADATA | own
    notebook["nbformat"], notebook["nbformat_minor"] = 4, 5
    ran = 0
    for cell in notebook["cells"]:
        cell["metadata"] = {key: value for key, value in cell["metadata"].items() if key in KEPT and value}
        if cell.get("execution_count"):
            cell["execution_count"] = ran = ran + 1
        for output in cell.get("outputs", []):
            if "execution_count" in output:
                output["execution_count"] = ran
            if "metadata" in output:
                output["metadata"] = {}
            data = output.get("data", {})
            for kind in NOT_STORED:
                if {"image/svg+xml", "text/html"} & data.keys():
                    data.pop(kind, None)
            for kind, value in data.items():
                if kind.endswith("json"):
                    data[kind] = _whole(value)
                elif isinstance(value, str):
                    data[kind] = value.splitlines(keepends=True)
        for holder in (cell, *cell.get("outputs", [])):
            for key in ("source", "text"):
                if isinstance(holder.get(key), str):
                    holder[key] = holder[key].splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def before_save(model: dict[str, Any], **_: Any) -> None:
    """Make JupyterLab save a notebook as `stored` has it (`make lab`): the hook of its contents manager."""
    if model["type"] == "notebook" and model["content"]:
        model["content"] = json.loads(stored(model["content"]))


def _refreshed(report: Report, engine: str) -> str:
    done = execute(report, engine)
    if done.failure:
        return "\n    ".join([f"FAILED  {report.name}", *done.failure.splitlines(), "the notebook is unchanged"])
    if done.no_data:
        return f"FAILED  {report.name}\n    no data: {done.no_data}\n    the notebook is unchanged"
    text = stored(done.notebook)
    if text == report.notebook.read_text(encoding="utf-8"):
        return f"same       {report.name}"
    records.write(report.notebook, text)
    return f"refreshed  {report.name}"


def _whole(value: Any) -> Any:
    """Return JSON in which 18.0 is 18, as a browser writes it."""
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
