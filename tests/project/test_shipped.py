"""What `make test` holds: the listed notebooks, run files and sweeps, and nothing of a user's own beside them."""

import re
import shutil
import subprocess
import sys

import pytest

from analysis._build import new_report
from analysis._build.runs.folders import Places
from analysis._core.paths import NOTEBOOKS, ROOT, RUNS

HELD = ["tests/core/test_parameters.py", "tests/build/sweep/test_sweep.py", "tests/project/test_notebooks.py"]
PRICE_2026 = re.search(r"# (notebooks/runs/\w+\.yml)\n(notebook: price_performance\n.*?)```",
                       (ROOT / "README.md").read_text("utf-8"), flags=re.DOTALL)  # fmt: skip


def test_what_is_listed_is_there(shipped):
    assert len(shipped) == len(set(shipped))
    assert [str(path) for path in shipped if not path.is_file()] == []


def test_the_readme_lists_the_reports_that_are_shipped(shipped):
    named = re.findall(r"^\| \[`\w+`\]\(notebooks/(\w+)\.ipynb\) \| .+\? \|$", (ROOT / "README.md").read_text("utf-8"),
                       flags=re.MULTILINE)  # fmt: skip
    notebooks = {path.stem for path in shipped if path.parent == NOTEBOOKS}
    assert sorted(named) == sorted(path.stem for path in shipped if path.parent == RUNS and path.stem in notebooks)


@pytest.fixture(scope="module")
def used(tmp_path_factory, shipped):
    """A copy of the project in which a user followed the README, and left a notebook and a sweep of their own."""
    root = tmp_path_factory.mktemp("used") / "project"
    for name in ("data", "src", "tests"):
        junk = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(ROOT / name, root / name, ignore=junk)
    for path in (*shipped, ROOT / "pyproject.toml", ROOT / "requirements.lock", ROOT / "README.md", ROOT / "Makefile",
                 ROOT / ".pre-commit-config.yaml", ROOT / "docs" / "glossary.md"):  # fmt: skip
        copy = root / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    (root / PRICE_2026[1]).write_text(PRICE_2026[2], "utf-8")
    new_report.start("untouched_of_mine", places=Places.under(root))
    (root / "notebooks" / "scratch_of_mine.ipynb").write_text("no notebook yet", "utf-8")
    (root / "notebooks" / "sweeps" / "sweep_of_mine.yml").write_text("nothing: yet\n", "utf-8")
    return root


def asked(root, *arguments):
    """What pytest says of the project below `root`, where it ends well."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    told = subprocess.run(command, cwd=root, env={"PYTHONPATH": str(root / "src")}, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout.splitlines()


def test_files_of_a_users_own_are_held_to_nothing(used):
    names = asked(used, "--collect-only", "--assert=plain", *HELD)  # no test is run
    assert any("real_world_derating" in name for name in names)
    assert [name for name in names if "of_mine" in name or "price_2026" in name] == []
    at_once = "every_notebook_has or project_that_is_built"
    assert asked(used, "tests/core/test_parameters.py", "tests/whole/test_reports.py", "-k", at_once)[-1][0] == "2"


def test_make_compares_the_stored_outputs_of_listed_notebooks(shipped):
    chosen = re.search(r"--nbval .*?\$\$\((.*?)\)", (ROOT / "Makefile").read_text("utf-8"), flags=re.DOTALL)[1]
    told = subprocess.run(chosen.replace("$$", "$"), shell=True, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [ROOT / line for line in told.stdout.split()] == [path for path in shipped if path.parent == NOTEBOOKS]
