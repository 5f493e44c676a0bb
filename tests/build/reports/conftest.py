"""A small project of its own in a temporary folder: notebooks made here, one built once and copied for each test."""

import json
import shutil

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from analysis._build.kernels.pool import Workers
from analysis._build.reports import Outcome, build_reports, plan_reports
from analysis._build.runs import runfiles
from analysis._build.runs.folders import Places

HOSTILE = "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"

QUESTION = "# How many apples?\n\nApples in *two* baskets."
PARAMETERS = "apples: int = 3  # how many there are\nname: str = 'Ann'  # who has them"
IMPORTS = """import html
from pathlib import Path
from toy.sums import double
from IPython.display import HTML, display"""
ANSWER = """low = double(apples)
finding = {"name": "apples", "low": low, "high": low + 1, "unit": "apples", "sentence": f"{name} has {low} apples.",
           "sources": ["s1"], "caveats": []}
display({"application/vnd.analysis.finding+json": finding, "text/html": f"<p>{finding['sentence']}</p>",
         "text/plain": "not for the page"}, raw=True)"""
FIGURE = """svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 72 36"><rect width="9" height="9"/></svg>'
display({"image/svg+xml": svg}, metadata={"image/svg+xml": {"alt": "6 apples", "caption": "Source: s1."}}, raw=True)"""
PROVENANCE = """import hashlib, toy
table = Path(toy.__file__).parents[2] / "data" / "apples.csv"
display({"application/vnd.analysis.provenance+json": {
    "tables": {"apples.csv": hashlib.sha256(table.read_bytes()).hexdigest()},
    "sources": [{"id": "s1", "title": "Apple <b>census</b>", "publisher": "Us", "url": "https://example.org/a",
                 "published": "2024-08-28", "license": "CC-BY-4.0"}],
    "result_ids": ["v4.1-0001"]}}, raw=True)"""


def code(source, *tags):
    """A code cell with tags."""
    return new_code_cell(source, metadata={"tags": list(tags)} if tags else {})


def cells(*extra):
    """The cells of a good notebook, with `extra` before its last heading."""
    return [
        new_markdown_cell(QUESTION),
        code(PARAMETERS, "parameters"),
        code(IMPORTS, "hide-input"),
        new_markdown_cell("## The answer"),
        code(ANSWER, "answer", "hide-input"),
        new_markdown_cell("## What is compared\n\n| a | b |\n|---|--:|\n| x | 1 |"),
        code(FIGURE, "hide-input"),
        *extra,
        new_markdown_cell("## Sources"),
        code(PROVENANCE, "hide-input"),
    ]


class Project:
    """The temporary project, and how a test changes and builds it."""

    # Test modules cannot import this one (pytest's importlib mode), so the helpers come with the fixture.
    cells, code, hostile = staticmethod(cells), staticmethod(code), HOSTILE

    def __init__(self, root):
        self.places, self.lines, self.unused = Places.under(root), [], ()

    def notebook(self, name, all_cells):
        """Write a notebook."""
        for number, cell in enumerate(all_cells):
            cell["id"] = f"c{number}"
        self.places.notebooks.mkdir(parents=True, exist_ok=True)
        kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
        notebook = new_notebook(cells=all_cells, metadata={"kernelspec": kernelspec})
        nbformat.write(notebook, self.places.notebook(name))

    def run_file(self, report, notebook, **parameters):
        """Write a run file."""
        self.places.runs.mkdir(parents=True, exist_ok=True)
        content = {"notebook": notebook} | ({"parameters": parameters} if parameters else {})
        (self.places.runs / f"{report}.yml").write_text(yaml.safe_dump(content))

    def report(self, name, all_cells):
        """Write a notebook and its run file."""
        self.notebook(name, all_cells)
        self.run_file(name, name)

    def made(self, name, all_cells):
        """The page of one more report, built."""
        self.report(name, all_cells)
        assert self.build(name).status == 0, self.said
        return self.page(name)

    def build(self, *names, force=False, **workers):
        """Build, and keep what was said in `lines`."""
        self.lines = []
        how = Workers(**workers)
        return build_reports(names, places=self.places, force=force, workers=how, say=self.lines.append)

    def copy(self, root):
        """A copy to be changed at will."""
        shutil.copytree(self.places.root, root)
        made = Project(root)
        made.unused = self.unused
        return made

    def fresh(self):
        """Whether a build would have nothing to do."""
        files, outcome = runfiles.run_files(self.places), Outcome()
        plans = plan_reports(files, self.places, outcome)
        return len(plans) == len(files) and all(plan.reason is None for plan in plans)

    @property
    def said(self):
        """All that the last build said."""
        return "\n".join(self.lines)

    def page(self, report):
        """A report's HTML."""
        return (self.places.reports / f"{report}.html").read_text(encoding="utf-8")

    def record(self, report):
        """A report's record."""
        return json.loads((self.places.reports / f"{report}.json").read_text(encoding="utf-8"))

    def tree(self):
        """Every file below reports/, by name, but for how long each report took."""
        files = (path for path in sorted(self.places.reports.rglob("*")) if path.is_file() and path != self.places.pace)
        return {path.relative_to(self.places.reports).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="session")
def built(tmp_path_factory, without_libraries):
    """A project with two good reports, built; for reading only."""
    project = Project(tmp_path_factory.mktemp("built"))
    places = project.places
    project.unused = without_libraries(places.source)
    (places.source / "toy").mkdir()
    (places.source / "toy" / "__init__.py").write_text('"""Toy."""\n')
    (places.source / "toy" / "sums.py").write_text("def double(x):\n    return 2 * x\n")
    places.data.mkdir()
    (places.data / "apples.csv").write_text("basket,apples\n1,3\n")
    places.lock.write_text("# lock\n")
    table = code(f"display(HTML('<table><tr><td>' + html.escape({HOSTILE!r}) + '</td></tr></table>'))")
    hostile = [table, code(f"{HOSTILE!r}")]
    project.notebook("apples", cells(*hostile))
    project.run_file("apples", "apples")
    project.run_file("apples_five", "apples", apples=5)
    project.outcome = project.build(kernels="ordinary")
    assert project.outcome.status == 0, project.said
    return project


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """Where the project of each test stands, one after the other: all their kernels have one process to fork from."""
    return tmp_path_factory.mktemp("one") / "project"


@pytest.fixture
def project(built, place, one_fork_server):
    """A copy of the built project, to be changed at will."""
    shutil.rmtree(place, ignore_errors=True)
    return built.copy(place)
