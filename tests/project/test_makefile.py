"""make: in folders of any name, with bytecode kept, and a project that was copied runs its own package."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from analysis.pages.refresh import METADATA
from analysis.paths import ROOT

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
TOOL = '#!/bin/sh\n[ "$1" = -c ] && { echo 1; exit; }\nprintf "%s\\n" "$@" "$IPYTHONDIR"\n'


@pytest.fixture(params=["a folder", "a 'quoted\" one"])
def folder(tmp_path, request):
    """A folder with the Makefile and an environment whose Python prints what it is asked."""
    root = tmp_path / request.param
    packages = root / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (root / ".venv" / "bin").mkdir()
    shutil.copy(ROOT / "Makefile", root)
    (packages / "analysis.pth").write_text(f"{root.resolve()}/src")
    tool = root / ".venv" / "bin" / "python"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    for name in ("requirements.lock", "pyproject.toml", ".venv/.locked", ".venv/.ready"):
        (root / name).write_text("")
    return root


def make(root, *targets):
    done = subprocess.run(["make", "-s", *targets], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_commands_run_in_a_folder_of_any_name(folder):
    said = make(folder, "reports", "check", "bench", "lab")
    assert {"analysis.cli.main", "reports", "check", "benchmarks/bench.py", f"--ServerApp.root_dir={folder}"} < {*said}
    assert f"{folder}/.venv/ipython-lab" in said and "pip" not in said


def test_the_kernel_of_the_lab_says_of_itself_what_notebooks_store(folder):
    """Or JupyterLab takes a notebook that was only opened for changed."""
    make(folder, "lab")
    config, spec = (
        next((folder / ".venv").rglob(name)).read_text() for name in ("ipython_kernel_config.py", "kernel.json")
    )
    run = "from unittest.mock import Mock; c = Mock()\n" + config + "print(IPythonKernel.language_info)"
    said = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True).stdout
    assert said == f"{METADATA['language_info']}\n"
    assert json.loads(spec).items() >= {"display_name": "Python 3", "language": "python"}.items()
    assert METADATA["kernelspec"] == {"display_name": "Python 3", "language": "python", "name": "python3"}


def test_a_copied_project_installs_its_own_package_first(folder):
    moved = folder.with_name("elsewhere")
    folder.rename(moved)
    said = make(moved, "check")
    assert said.index("pip") < said.index("analysis.cli.main") and "-e" in said
    (moved / "link").symlink_to(moved / ".venv" / "bin" / "analysis")
    for command in (moved / ".venv" / "bin" / "analysis", moved / "link"):
        done = subprocess.run([command, "plan", "a b"], cwd="/", capture_output=True, text=True, check=True)
        assert done.stdout.split("\n")[:5] == ["-P", "-m", "analysis.cli.main", "plan", "a b"]


def test_clean_removes_what_was_made_here_and_nothing_of_a_user(folder):
    """Not a renamed copy of a page, of a record, or of what failed either."""
    page = '<meta name="generator" content="mlperf-inference-analysis">'
    record = '{\n "name": "one two",\n "sweep": "several",\n "figures": [\n  {\n   "name": "copy",\n "digest": "0"}'
    failed = '{\n "metadata": {\n  "report": "a"\n }\n}'
    made = {
        "reports/one two.html": page, "reports/several.html": page, "reports/index.html": page,
        "reports/one two.json": record, "reports/a.failed.ipynb": failed, "reports/.one two.html.123.new": "",
        "src/a b/__pycache__/m.pyc": "",
    }  # fmt: skip
    own = {
        "reports/own.html": "own", "reports/copy.html": page, "reports/copy.json": record, "reports/own.json": "{}",
        "reports/b.failed.ipynb": failed, "reports/.notes.new": "", "reports/sub/one.html": page,
        "notebooks/runs/a.yml": "", "notebooks/runs old/__pycache__ b/a.yml": "", "tests/t": "", "benchmarks/b": "",
        "notebooks/runs old/.ipynb_checkpoints/a.ipynb": "",
    }  # fmt: skip
    for name, text in (made | own).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "mine.html").write_text(page)
    (folder / "reports/a link.html").symlink_to(folder / "mine.html")
    (folder / "reports/a link.json").write_text(record.replace("one two", "a link"))
    make(folder, "clean")
    assert [name for name in made | own if (folder / name).exists()] == [*own]
    assert (folder / "reports/a link.html").is_symlink()


def test_a_set_up_that_fails_leaves_the_environment_that_was_there(folder):
    (folder / ".venv" / "mine").touch()
    locked = folder / ".venv" / ".locked"
    locked.write_text("an older lock")
    (folder / "python").write_text('#!/bin/sh\n[ "$2" != venv ] || { mkdir -p .venv/bin; false; }\n')
    (folder / "python").chmod(0o755)
    (folder / "requirements.lock").write_text("a newer lock")
    os.utime(locked, (1, 1))
    done = subprocess.run(["make", "-s", "PYTHON=./python", "check"], cwd=folder, capture_output=True, check=False)
    assert done.returncode and (folder / ".venv" / "mine").exists() and not (folder / ".venv.old").exists()
    locked.write_text("a newer lock")  # which was only touched since: nothing is set up
    os.utime(locked, (1, 1))
    assert "analysis.cli.main" in make(folder, "PYTHON=./python", "check") and (folder / ".venv" / "mine").exists()


def test_python_keeps_its_bytecode():
    asked = ["make", "-s", "--eval", 'asked: ; @echo "[$$PYTHONDONTWRITEBYTECODE]"', "asked"]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(asked, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_failed_tests_name_the_command_that_stores_outputs(folder):
    (folder / ".venv" / "bin" / "python").write_text(f"{TOOL}\nexit 1\n")
    done = subprocess.run(["make", "-s", "test"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode and "run 'make refresh'" in done.stderr
