"""make: in folders of any name, with bytecode kept, and a project that was copied runs its own package."""

import os
import shutil
import subprocess

import pytest

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


def test_a_copied_project_installs_its_own_package_first(folder):
    moved = folder.with_name("elsewhere")
    folder.rename(moved)
    said = make(moved, "check")
    assert said.index("pip") < said.index("analysis.cli.main") and "-e" in said


def test_python_keeps_its_bytecode():
    asked = ["make", "-s", "--eval", 'asked: ; @echo "[$$PYTHONDONTWRITEBYTECODE]"', "asked"]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(asked, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_failed_tests_name_the_command_that_stores_outputs(folder):
    (folder / ".venv" / "bin" / "python").write_text(f"{TOOL}\nexit 1\n")
    done = subprocess.run(["make", "-s", "test"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode and "run 'make refresh'" in done.stderr
