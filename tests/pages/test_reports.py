"""Which reports are built, what stays when one fails, and what a record says."""

import json
import subprocess
from hashlib import sha256
from pathlib import Path
from unittest.mock import Mock

import pytest
from nbformat import v4

from analysis import paths
from analysis.pages import records, reports, runs
from analysis.pages.execute import Executed
from analysis.pages.runs import Report
from tests.pages.conftest import RECORD

PARAMETERS = (
    "#: parameters\nname: str = 'H100'  # an accelerator\nrounds: list = []  # rounds\nprices: str = ''  # a file"
)


def test_a_broken_notebook_stops_no_other_and_its_earlier_page_stays(project, capsys):
    project.add("fine", "# Fine", "1")
    project.add("broken", "# Broken", "'before'")
    assert project.build() == 0
    before = project.page("broken")
    project.add("broken", "# Broken", "'shown'", "## Rates", "def ratio(a):\n    return a / 0\n\n\nratio(1)")
    project.add("fine", "# Finer", "1")
    assert project.build() == 1
    said = capsys.readouterr().out
    assert 'cell 4 of 4, under "Rates", line 5: ratio(1)' in said and "ZeroDivisionError: division by zero" in said
    assert "the page of the previous build was kept" in said and "broken" in project.page("index")
    assert project.record("fine")["title"] == "Finer" and project.page("broken") == before
    kept = json.loads((project.reports / "broken.failed.ipynb").read_text("utf-8"))
    assert [cell["outputs"][0]["output_type"] for cell in kept["cells"][1::2]] == ["execute_result", "error"]
    (project.reports / "broken.html").unlink()
    assert project.build() == 1 and "previous build" not in capsys.readouterr().out
    project.add("broken", "# Broken", "'mended'")
    assert project.build() == 0
    assert sorted(path.name for path in project.reports.iterdir()) == [
        "broken.html", "broken.json", "fine.html", "fine.json", "index.html"
    ]  # fmt: skip


def built(project, capsys):
    capsys.readouterr()
    assert project.build() == 0
    return sorted(line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("built"))


def test_a_page_is_made_again_when_its_inputs_changed_and_only_then(project, capsys):
    project.add("one", "# One", "open('../mine.csv').read()")
    project.add("two", "# Two", "1")
    for name, made in {"mine.csv": ["one", "two"], "data/t.csv": ["one", "two"]}.items():
        (project.root / name).write_text("1")
        assert built(project, capsys) == made
        (project.root / name).touch()
        assert built(project, capsys) == []
    (project.root / "mine.csv").write_text("2")
    assert built(project, capsys) == ["one"]


def test_a_user_s_own_page_is_replaced_only_where_it_is_told_to(project, capsys):
    project.add("one", "# One", PARAMETERS)
    for name in ("two", "three"):
        project.add(name, "# Two", "1")
    project.run("both", "notebook: one\nparameters:\n  name: [a, b]\n")
    own = [project.reports / name for name in ("one.html", "two.json", "both.html", "index.html")]
    for file in own:
        file.write_text("mine")
    for _ in range(2):
        assert project.build() == 1
        said = capsys.readouterr().out
        assert all(f"reports/{file.name} was not made here and was kept" in said for file in own)
        assert {file.read_text() for file in own} == {"mine"} and project.exists("three")
    assert project.build(force=True) == 0 and "mine" not in {file.read_text() for file in own}
    assert project.build() == 0 and "up to date: 5" in capsys.readouterr().out


def test_a_run_file_changes_its_page_alone_and_parameters_are_kept_as_written(project, capsys):
    project.add("one", "# One", PARAMETERS, "name = name.upper() * 2\nrounds = ['x'] * 80")
    project.run("other", "notebook: one\ntitle: Another\nparameters:\n  name: b200\n  rounds: [v5.1]\n")
    assert built(project, capsys) == ["one", "other"]
    assert project.record("other")["parameters"] == {"name": "b200", "rounds": ["v5.1"], "prices": ""}
    assert project.record("one")["parameters"] == {"name": "H100", "rounds": [], "prices": ""}
    assert "<td><code>b200</code> (changed)</td><td>an accelerator</td>" in project.page("other")
    project.run("other", "notebook: one\ntitle: Another\nparameters:\n  name: b300\n")
    assert built(project, capsys) == ["other"]
    project.run("one", "notebook: one\nparameters:\n  name: a\n")
    assert built(project, capsys) == ["one"]
    assert project.record("one")["parameters"]["name"] == "a"


def test_what_failed_and_is_put_back_as_it_was_has_not_failed(project):
    project.add("one", "# One", PARAMETERS)
    project.run("other", "notebook: one\nparameters:\n  name: b200\n")
    assert project.build() == 0
    project.add("one", "# One", PARAMETERS, "1 / 0")
    assert project.build() == 1 and (project.reports / "one.failed.ipynb").exists()
    project.add("one", "# One", PARAMETERS)
    assert project.build() == 0 and list(project.reports.glob("*.failed.ipynb")) == []


def test_the_largest_page_and_what_its_record_says(project, monkeypatch):
    notebook = v4.new_notebook(metadata={"papermill": {"duration": 1.2345}})
    report, largest, said = Report("one", project.notebooks / "one.ipynb"), 24 * 1024 * 1024, []
    for size in (largest, largest + 1):
        monkeypatch.setattr("analysis.pages.page.page", lambda *made: ("x" * size, {"title": "ü"} | made[2]))  # noqa: B023
        said.append(reports.make(report, {"commit": "c"}, Executed(notebook, {"a.csv": "d"}, no_data="none")))
    assert said[0] == "built   one  1.2 s  no data: none"
    assert said[1].startswith("FAILED  one\n    the page has 25,165,825 characters; the limit is 25,165,824\n")
    record = (project.reports / "one.json").read_text("utf-8")
    facts = '\n "title": "ü",\n "commit": "c",\n "seconds": 1.23,\n "opened": {\n  "a.csv": "d"\n },\n "page": "'
    assert record == f'{{{facts}{sha256(b"x" * largest).hexdigest()}"\n}}\n'


def test_what_took_longest_is_built_first_and_what_is_new_last(project, monkeypatch):
    order = []
    monkeypatch.setattr(reports, "run", lambda work, tasks, *_, **__: order.extend(tasks))
    for name, seconds in {"a": None, "b": 0.5, "c": 0.75}.items():
        project.add(name, "# One", "1")
        if seconds:
            record = RECORD | {"name": name, "seconds": seconds, "digest": ""}
            (project.reports / f"{name}.json").write_text(json.dumps(record))
    assert project.build() == 0 and order == ["c", "b", "a"]


def test_named_reports_alone_are_built(project):
    for name in ("one", "two"):
        project.add(name, "# One", "1")
    assert project.build(["two"]) == 0
    assert (project.exists("one"), project.exists("two")) == (False, True)


def test_a_disk_that_is_full_hides_no_failure(project, capsys, monkeypatch):
    project.add("broken", "# Broken", "1 / 0")
    project.add("fine", "# Fine", "1")
    write = records.write

    def full(path, text):
        if path.name != "index.html":
            raise OSError(28, "No space left on device")
        write(path, text)

    monkeypatch.setattr(records, "write", full)
    assert project.build() == 1
    said = capsys.readouterr().out
    assert "ZeroDivisionError: division by zero" in said and said.count("No space left on device") == 2
    assert list(project.reports.iterdir()) == [project.reports / "index.html"]
    monkeypatch.setattr(runs, "read_notebook", Mock(side_effect=OSError(5, "Input/output error")))
    assert project.build(["fine"]) == 1 and "FAILED  fine\n    [Errno 5] Input/output" in capsys.readouterr().out
    monkeypatch.setattr(paths, "REPORTS", project.reports / "index.html")
    with pytest.raises(OSError, match="index"):
        project.build()


def test_a_notebook_that_takes_longer_than_the_limit_fails(project, capsys):
    project.add("slow", "# Slow", "import time", "time.sleep(60)")
    assert project.build(timeout=1) == 1
    assert "stopped after 1 s, the time limit of a report" in capsys.readouterr().out


def test_texts_of_a_megabyte_are_not_printed_whole(project, capsys):
    project.add("title", "# " + "T" * 1_000_000, "1 / 0")
    project.add("words", "# One", "raise ValueError('x' * 1_000_000)")
    project.add("kind", "# One", "raise type('N' * 1_000_000, (Exception,), {})")
    assert project.build() == 1
    assert len(capsys.readouterr().out) < 10_000
    sizes = [(project.reports / f"{name}.failed.ipynb").stat().st_size for name in ("title", "words", "kind")]
    assert min(sizes) > 1_000_000  # where it is whole


def test_clean_removes_all_that_a_build_made(project):
    """tests/project/test_makefile.py has what it leaves."""
    project.add("one", "# One", "#: parameters\nx: int = 1")
    project.add("two", "# Two", "raise ValueError()")
    project.run("several", "notebook: one\nparameters:\n  x: [1, 2]")
    assert project.build() == 1
    made = {each.name for each in project.reports.iterdir()}
    assert {"one.html", "one.json", "several.html", "several-1.html", "two.failed.ipynb", "index.html"} < made
    subprocess.run(["make", "-sf", Path(__file__).parents[2] / "Makefile", "clean"], cwd=project.root, check=True)
    assert list(project.reports.iterdir()) == []
