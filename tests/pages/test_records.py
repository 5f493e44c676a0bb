"""What makes a page out of date, and which records and pages are of this project."""

import json
import subprocess
import sys

import pytest

from analysis.pages import records, runs
from analysis.pages.opened import content_digest
from tests.pages.conftest import RECORD


@pytest.mark.parametrize(
    ("change", "is_other"),
    [
        ({"cell_type": "markdown"}, True), ({"source": "2"}, True), ({"metadata": {"tags": ["parameters"]}}, True),
        ({"metadata": {"collapsed": True}}, False), ({"execution_count": 7}, False), ({"id": "b"}, False),
        ({"outputs": [{"output_type": "stream", "name": "stdout", "text": "stored"}]}, False), ({}, False),
    ],
)  # fmt: skip
def test_a_page_follows_what_its_cells_say_and_no_stored_output(project, change, is_other):
    def digest(change, common="code", **metadata):
        project.add("one", "1", **metadata)
        path = project.notebooks / "one.ipynb"
        notebook = json.loads(path.read_text())
        notebook["cells"][0] |= change
        path.write_text(json.dumps(notebook))
        return records.digest(runs.Report("one", path, {"gpu": "H100"}), common)

    plain = digest({})
    assert (digest(change) != plain) == is_other
    assert plain == digest({}, kernelspec={"name": "python3"})
    assert len({plain, digest({}, "other code"), digest({}, analysis={"group": "answers"})}) == 3


def test_all_pages_follow_code_data_packages_and_python(project, monkeypatch):
    found = [records.common_digest()]
    for name in ("src/analysis/new.py", "data/own.csv", "data/deep/own.csv"):
        (project.root / name).parent.mkdir(exist_ok=True)
        (project.root / name).write_text("1")
        found.append(records.common_digest())
    for name in ("src/.hidden/a.py", "src/__pycache__/m.pyc", "src/m.py~", "data/.t.csv", "notebooks/a.py"):
        (project.root / name).parent.mkdir(exist_ok=True)
        (project.root / name).write_text("1")
        assert records.common_digest() == found[-1], name
    (project.root / "packages" / "pandas-9.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(project.root / "packages")
    found.append(records.common_digest())
    monkeypatch.setenv("ANALYSIS_RECORD", "all")
    found.append(records.common_digest())
    monkeypatch.setattr(sys, "version", "4.0")
    assert len({*found, records.common_digest()}) == 7


def test_a_page_is_up_to_date_as_long_as_nothing_that_it_was_made_from_changed(project):
    page, opened = project.reports / "one.html", project.root / "mine.csv"
    page.write_text("<p>")
    opened.write_text("1")
    made = {"name": "one", "digest": "d", "page": content_digest(page), "opened": {"mine.csv": content_digest(opened)}}
    (project.reports / "one.json").write_text(json.dumps(RECORD | made))
    assert records.up_to_date("one", "d") and not records.up_to_date("one", "e")
    for file in (page, opened):
        before = file.read_text()
        file.write_text(f"{before} edited")
        assert not records.up_to_date("one", "d"), file
        file.write_text(before)
    assert records.up_to_date("one", "d") and not records.up_to_date("two", "d")


def test_a_record_that_is_none_is_as_if_there_were_none(project):
    file, record = project.reports / "one.json", RECORD | {"name": "one"}
    assert records.read("one") == {}
    for said in ["{", "[" * 100_000, "{}", "null", "[]", *(json.dumps(record | {fact: 5}) for fact in records.FACTS),
                 json.dumps(record | {"name": "two"})]:  # fmt: skip
        file.write_text(said)
        assert records.read("one") == {}, said[:200]
    file.write_text(json.dumps(record))
    assert records.read("one") == record


def test_a_record_has_the_commit_and_says_whether_files_differ_from_it(project, monkeypatch):
    def git(*arguments):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=True).stdout

    assert records.commit() == ""
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    head = git("rev-parse", "HEAD")[:10]
    for name in ("mine.csv", "src/own.py", "data/own.csv", "notebooks/own.ipynb"):
        (project.root / name).write_text("1")
        assert records.commit() == head + " and edits" * (name != "mine.csv")
        (project.root / name).unlink()
    monkeypatch.setenv("PATH", "")
    assert records.commit() == ""  # without git
