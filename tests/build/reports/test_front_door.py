"""The Makefile and the CI script: what they offer, and what they say on a machine that cannot run them."""

import os
import shutil
import subprocess

import pytest

from analysis._core.paths import ROOT

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")


def make(*arguments, folder=ROOT):
    """The outcome of a make command."""
    return subprocess.run(["make", *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_make_alone_prints_every_target():
    phony = next(line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith(".PHONY: help"))
    shown = [line.split()[1] for line in make().stdout.splitlines() if line.startswith("  make ")]
    assert sorted(shown) == sorted([*phony.split()[1:-1], "reports/%.html"])


def test_an_old_or_missing_python_is_said_in_one_line(tmp_path):
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    old = tmp_path / "oldpython"
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && echo Python 3.9.2 && exit 0\nexit 1\n')
    old.chmod(0o755)
    for python, said in ((str(old), "is Python 3.9.2"), ("/nowhere/python", "No /nowhere/python here")):
        outcome = make("reports", f"PYTHON={python}", folder=tmp_path)
        assert outcome.returncode != 0
        first, *rest = outcome.stderr.splitlines()
        assert said in first and "Python 3.11 or newer is needed" in first
        assert len(rest) == 1  # make's own line
        assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize(("user", "is_allowed"), [(0, True), (1000, False)])
def test_lab_starts_for_root_too(tmp_path, monkeypatch, user, is_allowed):
    (tmp_path / "id").write_text(f"#!/bin/sh\necho {user}\n")
    (tmp_path / "id").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    shown = make("--dry-run", "lab").stdout
    assert "jupyter-lab" in shown and ("--allow-root" in shown) is is_allowed


def test_the_ci_script_is_valid_bash():
    subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=True)
