"""The package installed elsewhere: it has its data, finds those of a project, or says where it looked."""

import os
import subprocess
import sys

import pytest

from analysis.paths import ROOT

CODE = "import analysis; from analysis import paths; print(analysis.__file__, paths.DATA, len(analysis.load_results()))"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package as pip installs it, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--target", str(folder), str(ROOT)], check=True, capture_output=True)
    return folder


def run(installed, where, **environment):
    command = [sys.executable, "-c", CODE]
    environment = os.environ | {"PYTHONPATH": str(installed), "ANALYSIS_RECORD": "shipped"} | environment
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)


def test_results_load_from_any_folder_of_an_installed_package(installed, tmp_path):
    done = run(installed, tmp_path)
    file, data, count = done.stdout.split()
    assert file.startswith(str(installed)) and data == str(installed / "analysis" / "shipped")
    here = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=True,
                          env=os.environ | {"ANALYSIS_RECORD": "shipped"})  # fmt: skip
    assert count == here.stdout.split()[2] and int(count) > 5000


def test_the_data_of_a_project_around_the_folder_come_before_those_of_the_package(installed):
    assert run(installed, ROOT / "notebooks").stdout.split()[1] == str(ROOT / "data")


def test_data_are_where_the_variable_says_or_the_error_says_so(installed, tmp_path):
    assert run(installed, tmp_path, ANALYSIS_DATA=str(ROOT / "data")).stdout.split()[1] == str(ROOT / "data")
    done = run(installed, tmp_path, ANALYSIS_DATA=str(tmp_path / "none"))
    last = done.stderr.splitlines()[-1]
    assert str(tmp_path / "none") in last and "set ANALYSIS_DATA" in last
