"""Run files and notebooks: what is refused, in which words, and the pages that a list of values makes."""

import json
import os
from unittest.mock import Mock

import pytest

from analysis.pages import runs

CELL = "#: parameters\nname: str = 'H100'  # a GPU\nscale: float = 2.0\ncount = 3\nrounds: list = []\n"
CELL += "flag = True\nfree = None"


@pytest.fixture
def asked(project):
    """The reports of a run file of the notebook `one`, or why there is none."""
    project.add("one", "# One", CELL)

    def ask(text):
        project.run("mine", text)
        reports, wrong = runs.find(["mine"])
        return wrong.get("mine") or list(reports.values())

    return ask


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("notebook: one\nparameters:\n  naem: B200\n", "no parameter of one.ipynb 'naem': did you mean 'name'"),
        ("notebook: onee\n", "no notebook 'onee': did you mean 'one'"),
        ("notebook: one\nparameter: {}\n", "no key 'parameter': did you mean 'parameters'"),
        ("parameters: {}\n", "expected a line 'notebook: NAME'"),
        ("- 1\n", "expected a line 'notebook: NAME'"),
        ("notebook: one\n? [a]\n: 1\n", "cannot be read as YAML"),
        ("notebook: one\nparameters: [1]\n", "key 'parameters': expected lines 'name: value'"),
        ("notebook: one\nparameters:\n  name: 5.1\n", "parameter 'name': expected text such as 'H100', found 5.1"),
        (
            "notebook: one\nparameters:\n  scale: fast\n",
            "parameter 'scale': expected a number such as 2.0, found 'fast'",
        ),
        ("notebook: one\nparameters:\n  scale: .nan\n", "parameter 'scale': expected a number"),
        ("notebook: one\nparameters:\n  count: true\n", "parameter 'count': expected a number"),
        ("notebook: one\nparameters:\n  flag: 1\n", "parameter 'flag': expected true or false"),
        ("notebook: one\nparameters:\n  rounds: v5.1\n", "parameter 'rounds': expected a list"),
        ("notebook: one\nnotebook: one\n", "the key 'notebook' is duplicated"),
        ("notebook: &a one\nparameters: {name: *a}\n", "line 1: anchors and aliases"),
        ("notebook: one\nparameters: {name: !!python/name:os.system ''}\n", "cannot be read as YAML"),
        ("notebook: [\n", "cannot be read as YAML"),
        ("notebook: one\nparameters: " + "[" * 60_000, "lists and mappings nested more than 20 deep"),
        ("notebook: one\nparameters: {<<: {<<: {name: a}}}\n", "no parameter of one.ipynb '<<'"),
        ("notebook: one\nparameters: {name: 2026-13-45}\n", "cannot be read as YAML: month must be"),
        ("notebook: one\nparameters: {name: !!timestamp x}\n", "cannot be read as YAML"),
        ("notebook: one\nparameters: {flag: !!bool x}\n", "cannot be read as YAML"),
        ("notebook: one\nparameters: {count: " + "9" * 5000 + "}\n", "cannot be read as YAML"),
        ("notebook: one\n" + "# x\n" * 20_000, "is larger than 65,536 bytes"),
        ("notebook: one\nparameters: {name: [], scale: [1]}\n", "0 pages"),
        ("notebook: one\nparameters: {name: [a, A]}\n", "two values give the same page name"),
        ("notebook: one\nparameters: {name: [a, b], scale: [1, x]}\n", "parameter 'scale': expected a number"),
        (
            "notebook: one\nparameters: {count: [" + "1, " * 300 + "1]}\n",
            "301 pages (count: 301 values); expected 1 to",
        ),
        (f"notebook: one\nparameters: {{scale: {'x' * 118}}}\n", f"found '{'x' * 118}'"),
        (f"notebook: one\nparameters: {{scale: {'x' * 119}}}\n", f"found '{'x' * 119} ..."),
    ],
)
def test_what_a_run_file_may_not_say_is_named_with_what_is_valid(asked, text, words):
    assert words in asked(text)
    assert asked(text).startswith("notebooks/runs/mine.yml: ") and len(asked(text)) < 400


def test_a_number_is_what_it_looks_like_and_a_parameter_without_a_literal_takes_any_value(asked):
    [report] = asked(
        "notebook: one\nparameters: {rounds: [010, 1:30, 0x1F, 1e3, -2, .5, 1_000, 1:30.5], free: [1, a]}\n"
    )
    numbers = [10, "1:30", "0x1F", 1000.0, -2, 0.5, "1_000", "1:30.5"]
    assert report.parameters == {"rounds": numbers, "free": [1, "a"]}
    [report] = asked("notebook: one\nparameters: {flag: false, free: true}\n")
    assert report.parameters == {"flag": False, "free": True}


def test_lists_and_mappings_are_read_twenty_deep(asked):
    """The mapping of the file and that of its parameters count, and so does the value inside."""
    for lists, is_read in ((17, True), (18, False)):
        found = asked(f"notebook: one\nparameters: {{free: {'[' * lists}1{']' * lists}}}\n")
        assert isinstance(found, list) == is_read


def test_a_file_that_the_system_does_not_give_is_named(asked, monkeypatch):
    monkeypatch.setattr(runs.paths, "read_file", Mock(side_effect=OSError(5, "Input/output error")))
    assert asked("notebook: one\n") == "notebooks/runs/mine.yml: [Errno 5] Input/output error"


def test_a_list_for_a_single_value_makes_a_page_per_value(asked):
    reports = asked("notebook: one\nparameters: {name: [B200, H 100], scale: [1.5, 2], rounds: [v5.1]}\n")
    assert [report.name for report in reports] == ["mine-b200-1.5", "mine-b200-2", "mine-h_100-1.5", "mine-h_100-2"]
    assert reports[2].parameters == {"name": "H 100", "scale": 1.5, "rounds": ["v5.1"]}
    assert (reports[2].sweep, reports[2].title) == ("mine", "name H 100; scale 1.5")
    assert len(asked(f"notebook: one\nparameters: {{count: {[*range(200)]}}}\n")) == 200
    [report] = asked("notebook: one\nparameters: {name: ['']}\n")
    assert (report.name, report.sweep, report.parameters) == ("mine-none", "mine", {"name": ""})


def test_a_page_of_a_run_file_says_in_its_title_what_was_asked(asked):
    text = "notebook: one\nparameters:\n  rounds: [v6.0, v6.1]\n  count: 4\n"
    assert [report.title for report in asked(text)] == ["rounds v6.0, v6.1; count 4"]
    assert [report.title for report in asked("title: Two rounds\n" + text)] == ["Two rounds"]
    assert [report.title for report in asked("notebook: one\nparameters: {}\n")] == [""]


def test_names_in_any_language_are_pages_but_not_those_that_no_system_has(project):
    bad, good = ["con", "NUL", "index", "com1", "a.b", "-a", "x" * 81, "a\nb"], ["größe", "二", "My 2", "x" * 80]
    for name in [*bad, *good, "_template"]:
        project.add(name, "# One", "1")
    reports, wrong = runs.find()
    assert [*reports] == sorted(good) and [*wrong] == sorted(bad)
    assert all("rename it" in why for why in wrong.values())
    assert [*runs.find(["reports/größe.html", "二.ipynb"])[0]] == ["größe", "二"]
    with pytest.raises(ValueError, match="no report 'größ': did you mean 'größe'"):
        runs.find(["größ"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "cannot be read as a notebook"),
        ("[]", "cannot be read as a notebook"),
        ("{}", "cannot be read as a notebook"),
        ('{"cells": [{"source": "1", "metadata": []}]}', "cannot be read as a notebook"),
        ('{"cells": [], "metadata": {}, "nbformat": 4}', "format 4 with cells"),
        ('{"cells": [{"cell_type": "code", "source": "1", "metadata": {}}], "nbformat": 3}', "format 4 with cells"),
        ("[" * 100_000, "cannot be read as a notebook"),
        (" " * (64 * 2**20 + 1), "is larger than 67,108,864 bytes"),
    ],
)
def test_a_file_that_is_no_notebook_is_named(tmp_path, content, words):
    (tmp_path / "bad.ipynb").write_text(content)
    with pytest.raises(ValueError, match=words):
        runs.read_notebook(tmp_path / "bad.ipynb")


def test_pipes_folders_and_odd_values_stop_no_other_report(project, capsys):
    project.add("fine", "# Fine", "1")
    project.add(
        "keys", "# Keys", "#: parameters\nfree = {[]: 1}\npairs = {('a', 'b'): {1, 2}}\nlong = '" + "a" * 300 + "'"
    )
    project.run("mine", "notebook: keys\nparameters: {free: {2026-01-01: 3}}\n")
    project.add("broken", "# One", "#: parameters\nname = (")
    project.run("ours", "notebook: broken\nparameters: {name: 1}\n")
    os.mkfifo(project.notebooks / "pipe.ipynb")
    (project.notebooks / "folder.ipynb").mkdir()
    os.mkfifo(project.notebooks / "runs" / "pipe2.yml")
    assert project.build() == 1
    said = capsys.readouterr().out
    assert said.count("is not a regular file") == 3 and said.count("the parameters cell is not valid Python") == 1
    assert project.exists("fine") and said.count("TypeError: ") == 2


def test_a_notebook_of_lines_reads_as_one_of_text(project):
    project.add("one", "# One", CELL)
    path = project.notebooks / "one.ipynb"
    before = runs.read_notebook(path)
    lines = json.loads(path.read_text())
    for cell in lines["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)
    lines["cells"][1] |= {"outputs": [{"output_type": "stream", "name": "stdout", "text": "stored"}]}
    path.write_text(json.dumps(lines))
    assert runs.read_notebook(path) == before
    name, *others = runs.declared_parameters(before)
    assert name == runs.Parameter("name", "H100", "'H100'", "a GPU")
    assert {each.name: each.value for each in others} == {
        "scale": 2.0, "count": 3, "rounds": [], "flag": True, "free": None
    }  # fmt: skip


@pytest.mark.parametrize("source", ["name = (", "name = 1\0", f"name = {'-' * 50_000}1", f"name = {'1+' * 50_000}1"])
def test_a_cell_of_parameters_that_is_not_python_is_named(source):
    cell = {"source": source, "metadata": {"tags": ["parameters"]}}
    with pytest.raises(ValueError, match="the parameters cell is not valid Python"):
        runs.declared_parameters({"cells": [cell]})


def test_two_files_for_one_page_are_refused(asked, project):
    project.add("two", "# Two", CELL)
    project.run("two", "notebook: one\n")
    project.run("each", "notebook: one\nparameters: {name: [a]}\n")
    project.run("each-a", "notebook: one\nparameters: {name: b}\n")
    project.run("one", "notebook: one\nparameters: {name: [b]}\n")
    reports, wrong = runs.find()
    assert "one.ipynb already makes the page 'one'" in wrong["one"]
    assert "two.ipynb already makes the page 'two'" in wrong["two"] and "one.ipynb already makes" in wrong["each"]
    assert [*reports] == ["each-a"]


def test_a_page_with_the_name_of_the_page_of_a_sweep_is_refused(asked, project):
    project.run("a-1", "notebook: one\nparameters: {name: [x, y]}\n")
    project.run("a", "notebook: one\nparameters: {count: [1, 2]}\n")
    reports, wrong = runs.find()
    assert "one.ipynb already makes the page 'a-1'" in wrong["a"]
    assert [*reports] == ["one", "a-1-x", "a-1-y"]


def test_hidden_run_files_are_skipped_as_hidden_notebooks_are(asked, project):
    for name in (".#mine", "_draft"):
        project.run(name, "notebook: one\n")
    assert runs.find() == (runs.find(["one"])[0], {})
