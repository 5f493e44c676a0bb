"""What `make kills` takes for a fault: it finds each kind where it is, and none where there is none."""

import importlib.util
import random
import subprocess
import sys
import time
from types import ModuleType

import pytest

from analysis._core.paths import ROOT

WANTED = {"a.html": b"A</html>", "a.json": b"{}", "b.html": b"B</html>", "b.json": b"{}", "index.html": b"I</html>"}


@pytest.fixture(scope="module")
def kills() -> ModuleType:
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("kills", ROOT / "benchmarks" / "kills.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("there", "fresh", "found"),
    [
        (WANTED, {"a", "b"}, []),
        ({"a.html": b"A</html>"}, set(), []),  # its record is still to come
        ({"index.html": b"earlier</html>"}, set(), []),
        (WANTED | {"a.html": b"A</h"}, set(), ["a.html: not the one of an undisturbed build"]),
        (WANTED | {"c.html": b"C</html>"}, set(), ["c.html: of no report"]),
        (WANTED | {"index.html": b"I</"}, set(), ["index.html: half a page"]),
        ({"a.json": b"{}"}, {"a"}, ["a.html: a passes for fresh without it"]),
    ],
)
def test_faults(kills, there, fresh, found):
    assert kills.faults(there, WANTED, fresh) == found


@pytest.mark.parametrize(("group", "seconds", "left"), [(False, 0.0, ["lived on for 0 s"]), (True, 10.0, [])])
def test_what_lives_on_is_found_by_its_mark_and_ended(kills, tmp_path, monkeypatch, group, seconds, left):
    monkeypatch.setattr(kills, "COPIED", ())
    monkeypatch.setattr(kills, "ENDED", seconds)
    project = kills.Project(tmp_path, 1, [])
    child = "import subprocess, sys; print(subprocess.Popen(['sleep', '600']).pid, flush=True); input()"
    project.start = lambda: subprocess.Popen(
        [sys.executable, "-c", child], env=project.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        process_group=0,
    )  # fmt: skip
    assert [line.split(" ", 2)[2] for line in kills.kill(project, 1.0, group)] == left
    while project.alive():
        time.sleep(0.01)


def test_something_is_taken_away_each_time(kills, tmp_path, monkeypatch):
    monkeypatch.setattr(kills, "COPIED", ())
    project = kills.Project(tmp_path, 1, [])
    for seed in range(5):
        for name in ("reports/a.html", "reports/a.json", "reports/b.html", "reports/b.json", ".cache/tables/x"):
            (project.root / name).parent.mkdir(parents=True, exist_ok=True)
            (project.root / name).touch()
        cached = kills.take_away(project, random.Random(seed))
        assert len(list(project.reports.glob("*.json"))) < 2
        assert (project.root / ".cache").exists() != cached
