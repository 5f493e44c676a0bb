"""The real project in a temporary folder: its own reports and reports under other parameters, all built once."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from filelock import FileLock

from analysis._build.reports import build_reports
from analysis._build.runs.folders import Places
from analysis._core import paths

HERE = Path(__file__).parent
ENDPOINTS = {"NVIDIA": ("NVIDIA B300-SXM-270GB", 1.3), "AMD": ("AMD Instinct MI355X 288GB HBM3e", 1.1),
          "Acme": ("NVIDIA H200-SXM-141GB", 2.0)}  # fmt: skip
PREVIEW = {"system_availability_status": "Preview", "target_availability_date": "2027-03-01"}
# Come and go while another worker has the project open.
PASSING = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
OTHERS = yaml.safe_load((HERE / "others.yml").read_text("utf-8"))


# What one worker makes for all: tests that need it come first, so that the other has all else to do meanwhile.
MADE_ONCE = ("swept", "readings", "built")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Begin with the tests of this folder, in the order of what they wait for."""

    def place(item):
        if not item.path.is_relative_to(HERE):
            return len(MADE_ONCE) + 1
        needed = (name in item.fixturenames for name in MADE_ONCE)
        return next((place for place, need in enumerate(needed) if need), len(MADE_ONCE))

    items.sort(key=place)


@pytest.fixture(scope="session")
def others():
    """Run files of reports under parameters that no shipped run file has, by report."""
    return OTHERS


@pytest.fixture(scope="session")
def workspace(tmp_path_factory, worker_id):
    """The folder that the workers of one run of the tests share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "whole"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def copy_of_shipped(shipped):
    """Copies the project, without what is a user's own in notebooks/."""

    def copy(root):
        for name in ("data", "src"):
            shutil.copytree(paths.ROOT / name, root / name, ignore=PASSING)
        for path in (*shipped, paths.LOCK):
            there = root / path.relative_to(paths.ROOT)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, there)
        return Places.under(root)

    return copy


@pytest.fixture(scope="session")
def copy_of_project(copy_of_shipped):
    """The same with a run file for each of OTHERS."""

    def copy(root):
        places = copy_of_shipped(root)
        for report, run in OTHERS.items():
            (places.runs / f"{report}.yml").write_text(yaml.safe_dump(run), "utf-8")
        return places

    return copy


@pytest.fixture(scope="session")
def project(workspace, copy_of_project):
    """The copy that all tests share, and none changes."""
    root = workspace / "project"
    with FileLock(workspace / "project.lock"):
        if not root.exists():
            shutil.rmtree(workspace / "unfinished", ignore_errors=True)
            copy_of_project(workspace / "unfinished")
            # What follows from the same tables and code is made once, by this build or by a test.
            kept = paths.CACHE / "tables"
            kept.mkdir(parents=True, exist_ok=True)
            (workspace / "unfinished" / ".cache").mkdir()
            (workspace / "unfinished" / ".cache" / "tables").symlink_to(kept)
            (workspace / "unfinished").rename(root)
    return Places.under(root)


@pytest.fixture(scope="session")
def built(project, workspace):
    """The project with all its reports built, the outcome, and the lines that were said; by one worker for all."""
    said = workspace / "built.pickle"
    with FileLock(workspace / "built.lock"):
        if not said.exists():
            lines = []
            outcome = build_reports(places=project, say=lines.append)
            said.write_bytes(pickle.dumps((outcome, lines)))
    return project, *pickle.loads(said.read_bytes())


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Where the copy of each test stands, one after the other: all their kernels have one process to fork from."""
    return tmp_path_factory.mktemp("one") / "project"


@pytest.fixture
def copied(built, place, one_fork_server):
    """The built project again, for a test that changes it."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(built[0].root, place, ignore=PASSING)
    return Places.under(place)


@pytest.fixture(scope="session")
def endpoints_pages(workspace, copy_of_shipped, made):
    """reports/ of a project that imported MLPerf Endpoints results of ENDPOINTS; before.json: without them."""
    root, clone = workspace / "endpoints", workspace / "endpoints_results_v1.0"
    with FileLock(workspace / "endpoints.lock"):
        if not (root / "reports" / "endpoints.html").exists():
            places = copy_of_shipped(root)
            _command(places, "reports", "endpoints")
            shutil.move(places.reports / "endpoints.json", places.reports / "before.json")
            (places.reports / "endpoints.html").unlink()
            for submitter, (accelerator, times) in ENDPOINTS.items():
                described = PREVIEW if submitter == "Acme" else {}
                rated = made.power("air" if submitter == "AMD" else "liquid")
                made.submission(clone, submitter, accelerator, times, described=described, rated=rated)
            assert "12 points of 3 MLPerf Endpoints results" in _command(places, "data", str(clone))
            _command(places, "reports", "endpoints")
    return root / "reports"


def _command(places, *arguments):
    """What a command says that ends well in a copy of the project."""
    path = os.pathsep.join([str(places.root / "src"), *sys.path])
    environment = os.environ | {"PYTHONPATH": path, "ANALYSIS_ROOT": str(places.root), "ANALYSIS_OFFICIAL": "all"}
    program = [sys.executable, "-m", "analysis.cli.main", *arguments]
    done = subprocess.run(program, cwd=places.root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
