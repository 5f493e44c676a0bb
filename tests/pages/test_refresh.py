"""Notebooks executed in place: what is stored of them, and what leaves them as they were."""

import json
import runpy
import shutil
import subprocess
import sys
from io import StringIO

import pytest

from analysis.pages import refresh as module
from analysis.pages.refresh import WIDGET, before_save, stored
from tests.reports.plain import ROOT

REPORT = "application/vnd.mlperf.report+json"
BUNDLE = {"image/svg+xml": "<svg/>", "image/png": "AAAA", "image/jpeg": "AAAA", WIDGET: {"model_id": "a"}}
BUNDLE |= {"text/plain": "x", REPORT: {"value": 18.0, "low": [0.5, 2.0]}}
SHOW = f"display({BUNDLE!r}, raw=True, metadata={{'analysis': {{'data': 1}}}})"


def refresh(names=()):
    return module.refresh(names, jobs=2, timeout=300)


def read(project, name):
    return json.loads((project.notebooks / f"{name}.ipynb").read_text("utf-8"))


def test_outputs_are_stored_without_what_differs_between_machines(project, capsys):
    picture = "display({'image/png': 'AAAA', 'text/plain': 'x'}, raw=True)"
    widget = "import ipywidgets\ndisplay(ipywidgets.IntSlider())\nprint('a')"
    project.add("one", "# One", "print('a\\nb')\n1 + 1", SHOW, picture, widget, papermill={}, analysis={"order": 1})
    assert refresh() == 0
    notebook = read(project, "one")
    assert {*notebook["metadata"]} == {"kernelspec", "language_info", "analysis"}
    assert [cell["metadata"] for cell in notebook["cells"]] == 5 * [{}]
    assert [cell["execution_count"] for cell in notebook["cells"][1:]] == [1, 2, 3, 4]
    (stream, result), (shown,), (alone,), (printed,) = (cell["outputs"] for cell in notebook["cells"][1:])
    assert stream["text"] == ["a\n", "b\n"] and printed["text"] == ["a\n"]
    assert (result["data"], result["execution_count"]) == ({"text/plain": ["2"]}, 1)
    assert shown["data"] == {
        "image/svg+xml": ["<svg/>"], "text/plain": ["x"], REPORT: {"value": 18, "low": [0.5, 2]}
    }  # fmt: skip
    assert shown["metadata"] == {} and "image/png" in alone["data"]
    before = (project.notebooks / "one.ipynb").read_bytes()
    assert refresh(["one.ipynb"]) == 0
    assert (project.notebooks / "one.ipynb").read_bytes() == before
    assert capsys.readouterr().out.split() == ["refreshed", "one", "same", "one"]
    with pytest.raises(ValueError, match="no notebook 'onee'"):
        refresh(["onee"])


def test_a_notebook_that_fails_is_left_as_it_was(project, capsys):
    none = "class NoData(Exception): ...\nraise NoData('none')"
    for name, cell in {"fails": "1 / 0", "lacks": none, "dies": "import os\nos._exit(3)"}.items():
        project.add(name, "# One", cell)
    before = {path: path.read_bytes() for path in project.notebooks.glob("*.ipynb")}
    assert refresh() == 1
    assert {path: path.read_bytes() for path in before} == before
    said = capsys.readouterr().out
    assert all(f"FAILED  {name}" in said for name in ("fails", "lacks", "dies")) and "no data: none" in said


def test_an_edit_that_is_saved_while_a_notebook_runs_is_kept(project, capsys):
    project.add("one", "# One", "path = 'one.ipynb'\ntext = open(path).read()\nopen(path, 'w').write(text + ' ')")
    before = (project.notebooks / "one.ipynb").read_text()
    assert refresh() == 1
    assert (project.notebooks / "one.ipynb").read_text() == before + " "
    assert "was changed in the meantime and was not replaced" in capsys.readouterr().out


def test_what_an_author_or_another_kernel_says_of_a_notebook_is_kept():
    own = {"kernelspec": {"name": "ir", "language": "R"}, "language_info": {"name": "R", "version": "4.4"}}
    own |= {"jupytext": {"formats": "ipynb,py"}, "authors": [{"name": "A"}]}
    metadata = {"jupyter": {"source_hidden": True}, "tags": ["parameters"]}
    cell = {"cell_type": "code", "id": "a", "source": "1", "outputs": [], "execution_count": None}
    cell["metadata"] = metadata | {"execution": {"iopub.status.busy": "now"}, "collapsed": True}
    content = {"cells": [cell], "metadata": own | {"widgets": {"state": {}}}, "nbformat": 4, "nbformat_minor": 5}
    saved = json.loads(stored(content))
    assert saved["metadata"] == own and saved["cells"][0]["metadata"] == metadata


def test_jupyterlab_sees_no_change_in_what_an_editor_adds():
    """The hook that `make lab` sets, on a notebook as VS Code saves it."""
    text = (ROOT / "notebooks/scaling.ipynb").read_text("utf-8")
    notebook = json.loads(text)
    notebook["metadata"]["kernelspec"]["display_name"] = ".venv (3.12)"
    notebook["metadata"]["language_info"] |= {"version": "3.12.1", "codemirror_mode": {"name": "ipython"}}
    notebook["cells"][1]["metadata"]["vscode"] = {"languageId": "python"}
    model = {"type": "notebook", "content": notebook}
    before_save(model)
    assert model["content"] == json.loads(text)
    before_save({"type": "file", "content": "text"})
    before_save({"type": "notebook", "content": None})


@pytest.mark.filterwarnings("ignore:.*found in sys.modules after import of package")
def test_git_sees_no_change_in_a_notebook_that_an_editor_named_anew(project, monkeypatch, capsys):
    """The filter that `make dev` sets: what is staged keeps the names of its cells, what is new has its own."""
    project.add("one", "# One", "1")
    for command in (["init", "-q"], ["add", "notebooks/one.ipynb"]):
        subprocess.run(["git", *command], check=True)
    before = json.dumps(read(project, "one"))
    for name, named in (("notebooks/one.ipynb", "c1"), ("notebooks/new.ipynb", "anew")):
        monkeypatch.setattr(sys, "stdin", StringIO(before.replace('"c1"', '"anew"')))
        monkeypatch.setattr(sys, "argv", ["refresh", name])
        runpy.run_module("analysis.pages.refresh", run_name="__main__")
        assert [cell["id"] for cell in json.loads(capsys.readouterr().out)["cells"]] == ["c0", named]


def test_a_cell_that_an_editor_names_anew_keeps_its_name():
    text = (ROOT / "notebooks/scaling.ipynb").read_text("utf-8")
    before, notebook = json.loads(text), json.loads(text)

    def stored_ids():
        return [cell["id"] for cell in json.loads(stored(notebook, before))["cells"]]

    notebook["cells"].append(notebook["cells"][2] | {"id": "pasted"})
    assert stored_ids() == [cell["id"] for cell in notebook["cells"]]
    notebook["cells"].pop()
    notebook["cells"][2]["id"] = "a1b2c3d4"
    del notebook["cells"][3]["id"]
    assert stored(notebook, before) == text
    notebook["cells"].insert(3, notebook["cells"][2] | {"id": "pasted"})
    assert stored_ids()[2:4] == [before["cells"][2]["id"], "pasted"]
    notebook["cells"][2]["source"] = "another = 1"
    assert stored_ids()[2] == "a1b2c3d4"


def test_notebooks_that_are_no_pages_are_stored_as_they_run(tmp_path, monkeypatch, capsys):
    """nbval leaves them out, for a real kernel puts what `interact` shows into its widget."""
    monkeypatch.setattr("analysis.paths.NOTEBOOKS", tmp_path)
    for name in ("_explore", "_template"):
        shutil.copy(ROOT / "notebooks" / f"{name}.ipynb", tmp_path)
    assert refresh() == 0
    assert sorted(capsys.readouterr().out.split()) == ["_explore", "_template", "same", "same"], "run make refresh"
