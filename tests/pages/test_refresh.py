"""Notebooks executed in place: what is stored of them, and what leaves them as they were."""

import json
import shutil
import subprocess
import sys

import pytest

from analysis.pages.refresh import before_save, refresh, stored
from tests.reports.plain import ROOT

REPORT = "application/vnd.mlperf.report+json"
BUNDLE = {"image/svg+xml": "<svg/>", "image/png": "AAAA", "text/plain": "x", REPORT: {"value": 18.0, "low": [0.5, 2.0]}}
SHOW = f"display({BUNDLE!r}, raw=True, metadata={{'analysis': {{'data': 1}}}})"


def read(project, name):
    return json.loads((project.notebooks / f"{name}.ipynb").read_text("utf-8"))


def test_outputs_are_stored_without_what_differs_between_machines(project, capsys):
    project.add(
        "one", "# One", "print('a\\nb')\n1 + 1", SHOW,
        kernelspec={"name": "python3", "display_name": ".venv"}, papermill={}, analysis={"order": 1},
    )  # fmt: skip
    assert refresh() == 0
    notebook = read(project, "one")
    assert notebook["metadata"]["kernelspec"]["display_name"] == "Python 3"
    assert {*notebook["metadata"]} == {"kernelspec", "language_info", "analysis"}
    assert [cell["metadata"] for cell in notebook["cells"]] == [{}, {}, {}]
    assert [cell["execution_count"] for cell in notebook["cells"][1:]] == [1, 2]
    stream, result = notebook["cells"][1]["outputs"]
    assert (
        stream["text"] == ["a\n", "b\n"] and result["data"] == {"text/plain": ["2"]} and result["execution_count"] == 1
    )
    shown = notebook["cells"][2]["outputs"][0]
    assert shown["data"] == {
        "image/svg+xml": ["<svg/>"], "text/plain": ["x"], REPORT: {"value": 18, "low": [0.5, 2]}
    }  # fmt: skip
    assert shown["metadata"] == {}
    before = (project.notebooks / "one.ipynb").read_bytes()
    assert refresh(["one.ipynb"]) == 0
    assert (project.notebooks / "one.ipynb").read_bytes() == before
    assert capsys.readouterr().out.split() == ["refreshed", "one", "same", "one"]


def test_a_picture_alone_is_stored(project):
    project.add("one", "# One", "display({'image/png': 'AAAA', 'text/plain': 'x'}, raw=True)")
    assert refresh() == 0
    assert "image/png" in read(project, "one")["cells"][1]["outputs"][0]["data"]


@pytest.mark.parametrize(
    "cell", ["1 / 0", "class NoData(Exception): ...\nraise NoData('none')", "import os\nos._exit(3)"]
)
def test_a_notebook_that_fails_is_left_as_it_was(project, capsys, cell):
    project.add("one", "# One", cell)
    before = (project.notebooks / "one.ipynb").read_bytes()
    assert refresh() == 1
    assert (project.notebooks / "one.ipynb").read_bytes() == before and "FAILED  one" in capsys.readouterr().out


def test_an_edit_that_is_saved_while_a_notebook_runs_is_kept(project, capsys):
    project.add("one", "# One", "path = 'one.ipynb'\ntext = open(path).read()\nopen(path, 'w').write(text + ' ')")
    before = (project.notebooks / "one.ipynb").read_text()
    assert refresh() == 1
    assert (project.notebooks / "one.ipynb").read_text() == before + " "
    assert "was saved meanwhile; that is kept" in capsys.readouterr().out


def test_what_an_author_or_another_kernel_says_of_a_notebook_is_kept(project):
    own = {"kernelspec": {"name": "ir", "language": "R"}, "language_info": {"name": "R", "version": "4.4"}}
    own |= {"jupytext": {"formats": "ipynb,py"}, "authors": [{"name": "A"}]}
    project.add("one", "# One", "1", **own, widgets={"state": {}})
    content = read(project, "one")
    content["cells"][1]["metadata"] = {"jupyter": {"source_hidden": True}, "execution": {"iopub.status.busy": "now"}}
    saved = json.loads(stored(content))
    assert saved["metadata"] == own
    assert saved["cells"][1]["metadata"] == {"jupyter": {"source_hidden": True}}


def test_jupyterlab_saves_what_is_stored(project):
    project.add("one", "# One", "1 + 1")
    refresh()
    content = read(project, "one")
    content["cells"][1]["metadata"] = {"collapsed": True, "tags": ["parameters"]}
    content["metadata"]["language_info"]["version"] = "3.99"
    model = {"type": "notebook", "content": content}
    before_save(model)
    assert model["content"]["cells"][1]["metadata"] == {"tags": ["parameters"]}
    assert model["content"]["metadata"]["language_info"] == {"name": "python"}
    before_save({"type": "file", "content": "text"})


def test_git_sees_no_change_in_what_an_editor_adds():
    """The filter that `make dev` sets, on a notebook as VS Code saves it."""
    text = (ROOT / "notebooks/scaling.ipynb").read_text("utf-8")
    notebook = json.loads(text)
    notebook["metadata"]["kernelspec"]["display_name"] = ".venv (3.12)"
    notebook["metadata"]["language_info"] |= {"version": "3.12.1", "codemirror_mode": {"name": "ipython"}}
    notebook["cells"][1]["metadata"]["vscode"] = {"languageId": "python"}
    asked = [sys.executable, "-m", "analysis.pages.refresh", "notebooks/scaling.ipynb"]
    done = subprocess.run(asked, input=json.dumps(notebook), capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == text


def test_a_cell_that_an_editor_names_anew_keeps_its_name():
    text = (ROOT / "notebooks/scaling.ipynb").read_text("utf-8")
    before, notebook = json.loads(text), json.loads(text)
    notebook["cells"][2]["id"] = "a1b2c3d4"
    del notebook["cells"][3]["id"]
    assert stored(notebook, before) == text
    notebook["cells"][2]["source"] = "another = 1"
    assert json.loads(stored(notebook, before))["cells"][2]["id"] == "a1b2c3d4"


def test_unknown_names_are_refused(project):
    project.add("one", "# One", "1")
    with pytest.raises(ValueError, match="no notebook 'onee'"):
        refresh(["onee"])


def test_a_widget_alone_is_not_stored(project, capsys):
    project.add("one", "# One", "import ipywidgets\ndisplay(ipywidgets.IntSlider())\nprint('a')")
    assert refresh() == refresh() == 0
    assert [output["output_type"] for output in read(project, "one")["cells"][1]["outputs"]] == ["stream"]
    assert capsys.readouterr().out.split() == ["refreshed", "one", "same", "one"]


@pytest.mark.parametrize("name", ["_explore", "_template"])
def test_notebooks_that_are_no_pages_are_stored_as_they_run(name, tmp_path, monkeypatch, capsys):
    """nbval leaves them out, for a real kernel puts what `interact` shows into its widget."""
    monkeypatch.setattr("analysis.paths.NOTEBOOKS", tmp_path)
    shutil.copy(ROOT / "notebooks" / f"{name}.ipynb", tmp_path)
    assert refresh([name]) == 0
    assert capsys.readouterr().out == f"same       {name}\n", "run make refresh"
