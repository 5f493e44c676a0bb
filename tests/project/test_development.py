"""What `make dev` sets up for people who edit: style checks before a commit, notebook diffs and merges."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from analysis.core.paths import ROOT

HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0]["hooks"]
TOOLS = Path(sys.executable).parent


def test_every_hook_runs_from_the_environment_and_over_notebooks() -> None:
    assert [hook["id"] for hook in HOOKS] == ["ruff-check", "ruff-format"]
    assert all(hook["entry"].startswith(".venv/bin/") and hook["language"] == "system" for hook in HOOKS)
    assert all("jupyter" in hook.get("types_or", hook.get("types")) for hook in HOOKS)


def test_hooks_are_what_pre_commit_accepts() -> None:
    command = [TOOLS / "pre-commit", "validate-config", ROOT / ".pre-commit-config.yaml"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_make_dev_sets_up_git(tmp_path: Path) -> None:
    if not (shutil.which("make") and shutil.which("git")):
        pytest.skip("make or git is not installed")
    for name in ("Makefile", ".gitattributes", ".pre-commit-config.yaml", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    ready = ["-o", ".venv/.locked", "-o", ".venv/.ready"]
    subprocess.run(["make", *ready, "dev", f"BIN={TOOLS}"], cwd=tmp_path, check=True, capture_output=True)
    asked = ["git", "-C", tmp_path, "config", "--get-regexp", "jupyternotebook"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert f"diff.jupyternotebook.command {TOOLS}/git-nbdiffdriver diff\n" in said
    assert f"merge.jupyternotebook.driver {TOOLS}/git-nbmergedriver merge %O %A %B %L %P\n" in said
    assert (tmp_path / ".git" / "hooks" / "pre-commit").exists()
    kept = (ROOT / ".gitattributes").read_bytes()
    assert (tmp_path / ".gitattributes").read_bytes() == kept
