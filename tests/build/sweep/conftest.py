"""A copy of the project with one small notebook, for sweeps that take a second."""

import json
import os
import shutil
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from analysis._build.runs.folders import Places
from analysis._build.sweep import build_sweep

PARAMETERS = "apples: int = 3  # how many there are\nname: str = 'Ann'  # who has them"
ANSWER = """import os, time
from IPython.display import display
if (mark := os.environ.get("SWEEP_TEST_MARK")):
    open(mark, "a").write(f"{os.getpid()} {os.getppid()}\\n")
    time.sleep(float(os.environ.get("SWEEP_TEST_SECONDS", "0")))
if name == "Eve":
    raise ValueError(f"no apples for {name}")
finding = {"name": "apples", "low": 2.0 * apples, "high": 2.0 * apples + 1, "unit": "apples",
           "sentence": f"{name} has {2 * apples} apples.", "sources": ["s1"], "caveats": [], "about": "Boskoop",
           "values": [{"name": "apples_price", "low": 1.0 * apples, "high": 1.0 * apples, "unit": "US dollars"}]}
display({"application/vnd.analysis.finding+json": finding, "text/html": f"<p>{finding['sentence']}</p>"}, raw=True)"""
PROVENANCE = """display({"application/vnd.analysis.provenance+json": {"tables": {}, "sources": [], "result_ids": []}},
         raw=True)"""


class Orchard:
    """The temporary project."""

    def __init__(self, root):
        self.places, self.lines, self.shown = Places.under(root), [], []
        self.places.notebooks.mkdir(parents=True)
        (self.places.source / "toy").mkdir(parents=True)
        self.places.lock.write_text("# lock\n")
        cells = [
            new_markdown_cell("# How many apples?\n\nApples."),
            new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
            new_markdown_cell("## The answer"),
            new_code_cell(ANSWER, metadata={"tags": ["answer"]}),
            new_code_cell(PROVENANCE),
        ]
        for number, cell in enumerate(cells):
            cell["id"] = f"c{number}"
        kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
        nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernelspec}), self.places.notebook("apples"))

    def write(self, text, name="pick"):
        """A sweep file."""
        self.places.sweeps.mkdir(exist_ok=True)
        path = self.places.sweeps / f"{name}.yml"
        path.write_text(text)
        return path

    def sweep(self, name="pick", **options):
        """Build a sweep, and keep what was said in `lines`, and how far it was in `shown`."""
        self.lines, self.shown = [], []
        given = {"places": self.places, "say": self.lines.append}
        return build_sweep(name, progress=lambda *both: self.shown.append(both), **given | options)

    def tree(self, name="pick"):
        """Every file of a sweep, by name."""
        folder = self.places.reports / name
        return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}

    def record(self, report, name="pick"):
        """A point's record."""
        return json.loads((self.places.reports / name / f"{report}.json").read_text())

    def program(self, call):
        """A command line that makes a call, in a process of its own: in this project where that has its environment."""
        # Whoever started the tests in the background made SIGINT ignored, and programs inherit that.
        return [sys.executable, "-c", f"""
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from analysis.cli import main
sys.exit({call})
"""]  # fmt: skip

    @property
    def environment(self):
        """The environment of such a process."""
        return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "ANALYSIS_ROOT": str(self.places.root)}


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """Where the project of each test stands, one after the other: all their kernels have one process to fork from."""
    return tmp_path_factory.mktemp("one") / "orchard"


@pytest.fixture
def orchard(place, without_libraries, one_fork_server):
    """A project of its own for each test."""
    shutil.rmtree(place, ignore_errors=True)
    orchard = Orchard(place)
    without_libraries(orchard.places.source)
    return orchard
