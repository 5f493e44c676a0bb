"""What `make dev` sets up for people who edit: style checks before a commit, notebook diffs and merges."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from jupyterlab.labapp import LabApp
from jupyterlab_server.settings_utils import get_settings
from traitlets.config import Config

from analysis._build import stored_outputs
from analysis._core import mime
from analysis._core.paths import NOTEBOOKS, ROOT

HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0]["hooks"]
TOOLS = Path(sys.executable).parent
NOTEBOOK = "price_performance.ipynb"


def test_every_hook_runs_from_the_environment_and_over_notebooks():
    assert [hook["id"] for hook in HOOKS] == ["ruff-check", "ruff-format"]
    assert all(hook["entry"].startswith(".venv/bin/") and hook["language"] == "system" for hook in HOOKS)
    assert all("jupyter" in hook.get("types_or", hook.get("types")) for hook in HOOKS)


def test_hooks_are_what_pre_commit_accepts():
    command = [TOOLS / "pre-commit", "validate-config", ROOT / ".pre-commit-config.yaml"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A repository with the project's settings and one of its notebooks, where `make dev` was run."""
    if not (shutil.which("make") and shutil.which("git")):
        pytest.skip("make or git is not installed")
    root = tmp_path_factory.mktemp("a clone")
    (root / ".venv").mkdir()
    (root / ".venv" / "bin").symlink_to(TOOLS)
    subprocess.run(["git", "init", "-q", root], check=True)
    for name in ("Makefile", ".gitattributes", ".pre-commit-config.yaml", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, root)
    ready = ["-o", ".venv/.locked", "-o", ".venv/.ready"]
    subprocess.run(["make", *ready, "dev"], cwd=root, check=True, capture_output=True)
    (root / NOTEBOOK).write_bytes(stored_outputs.as_stored((NOTEBOOKS / NOTEBOOK).read_bytes()))
    git(root, "add", NOTEBOOK)
    git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--no-verify", "-m", "a notebook")
    return root


def git(root, *arguments):
    """What git prints, its filters running this checkout's code."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_make_dev_sets_up_git(clone):
    said = git(clone, "config", "--get-regexp", "jupyternotebook")
    assert "diff.jupyternotebook.textconv .venv/bin/analysis notebook words\n" in said
    assert "filter.jupyternotebook.clean .venv/bin/analysis notebook stored\n" in said
    assert "merge.jupyternotebook.driver .venv/bin/git-nbmergedriver merge %O %A %B %L %P\n" in said
    assert "diff.jupyternotebook.command" not in said  # it would come before the words
    assert (clone / ".git" / "hooks" / "pre-commit").exists()
    assert (clone / ".gitattributes").read_bytes() == (ROOT / ".gitattributes").read_bytes()


def test_what_an_editor_writes_of_itself_does_not_reach_a_commit(clone):
    before = (clone / NOTEBOOK).read_bytes()
    notebook = json.loads(before)
    notebook["metadata"]["kernelspec"]["display_name"] = "Python 3 (ipykernel)"
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.12.1", "file_extension": ".py"}
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"] |= {"jupyter": {"source_hidden": True}, "editable": True, "scrolled": True}
        if cell["cell_type"] == "code":
            cell["execution_count"] = 40 + number
        for output in cell.get("outputs", []):
            output.get("data", {})[mime.WIDGET] = {"model_id": "5d2a", "version_major": 2}
            if output["output_type"] == "execute_result":
                output["execution_count"] = 40 + number
    written = json.dumps(notebook, indent=1) + "\n"
    (clone / NOTEBOOK).write_text(written)
    assert git(clone, "diff") == ""
    git(clone, "add", NOTEBOOK)
    assert git(clone, "status", "--porcelain", NOTEBOOK) == "" and (clone / NOTEBOOK).read_text() == written
    (clone / NOTEBOOK).write_bytes(before)


@pytest.mark.parametrize(("kernel", "is_ours"), [("python3", True), ("ir", False)])
def test_what_jupyterlab_writes_of_itself_is_not_saved(tmp_path, kernel, is_ours):
    """By the hook that `make lab` sets, as the server of JupyterLab saves a notebook that was opened."""
    (option,) = re.findall(r"--ContentsManager\.pre_save_hook=(\S+)", (ROOT / "Makefile").read_text("utf-8"))
    before = Path(shutil.copy(NOTEBOOKS / NOTEBOOK, tmp_path)).read_bytes()
    config = Config({"ContentsManager": {"pre_save_hook": option}})
    manager = LargeFileManager(root_dir=str(tmp_path), config=config)
    model = json.loads(json.dumps(manager.get(NOTEBOOK), default=str))
    model["content"]["metadata"] |= {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": kernel},
        "language_info": {"name": "python", "version": "3.12.1", "file_extension": ".py"},
    }
    for number, cell in enumerate(model["content"]["cells"]):
        if cell["cell_type"] == "code":
            cell["execution_count"] = 40 + number
        for output in cell.get("outputs", []):
            output.get("metadata", {}).update({mime.NARROW: "<svg/>", mime.CSV: "a,b"} if "data" in output else {})
    manager.save(model, NOTEBOOK)
    assert ((tmp_path / NOTEBOOK).read_bytes() == before) is is_ours
    manager.save({"type": "file", "format": "text", "content": "a"}, "a.txt")
    assert (tmp_path / "a.txt").read_text() == "a"


def test_jupyterlab_asks_for_no_news(clone):
    """As its server composes the settings that a new browser has."""
    folder = Path(LabApp().app_settings_dir).relative_to(sys.prefix)
    target = Path(".venv") / folder / "overrides.json"
    subprocess.run(["make", "-o", ".venv/.locked", target.as_posix()], cwd=clone, check=True, capture_output=True)
    name = "@jupyterlab/apputils-extension:notification"
    folders = [str(clone / target.parent), str(Path(sys.prefix) / "share/jupyter/lab/schemas"), str(clone / "none")]
    (settings, _) = get_settings(*folders, schema_name=name)
    assert settings["schema"]["properties"]["fetchNews"]["default"] == "false"


def test_what_is_stored_is_the_same_when_a_browser_wrote_it():
    """A browser has one kind of number: 18.0 is written as 18, 5.594e-05 as 0.00005594."""
    data = {"x/y": [18.0, 5.594e-05, 1e16, -0.5, {"a": -0.0}], "text/plain": "18.0"}
    cell = {"cell_type": "code", "id": "a", "source": "", "metadata": {}, "execution_count": 7}
    output = {"output_type": "execute_result", "metadata": {}, "execution_count": 7}
    ours = {"cells": [cell | {"outputs": [output | {"data": data}]}], "metadata": {}, "nbformat": 4}
    other = json.dumps(ours).replace("18.0,", "18,").replace("5.594e-05", "0.00005594")
    other = other.replace("1e+16", "10000000000000000").replace("-0.0", "0")
    assert "0.00005594" in other
    first, second = stored_outputs.as_stored(json.dumps(ours).encode()), stored_outputs.as_stored(other.encode())
    assert first == second and json.loads(first)["cells"][0]["outputs"][0]["execution_count"] == 1


def test_every_room_of_tests_is_collected(pytestconfig):
    rooms = {path.name for path in (ROOT / "tests").rglob("*") if path.is_dir() and any(path.glob("test_*.py"))}
    assert "build" in rooms and not rooms & set(pytestconfig.getini("norecursedirs"))
