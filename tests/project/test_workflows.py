"""Workflows: a linter finds nothing in them, and the reports are published as one site."""

import subprocess
import sys
from pathlib import Path

import yaml

from analysis._core.paths import ROOT

WORKFLOWS = ROOT / ".github" / "workflows"


def test_the_linter_finds_nothing():
    command = [Path(sys.executable).with_name("zizmor"), "--offline", "--no-progress", WORKFLOWS]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


def test_a_push_to_main_publishes_the_reports():
    workflow = yaml.load((WORKFLOWS / "pages.yml").read_text("utf-8"), Loader=yaml.BaseLoader)
    assert workflow["on"]["push"] == {"branches": ["main"]}
    steps = workflow["jobs"]["build"]["steps"]
    made = [place for place, step in enumerate(steps) if step.get("run") == "make reports"]
    sent = [place for place, step in enumerate(steps) if step.get("with", {}).get("path") == "reports"]
    assert len(made) == len(sent) == 1 and made < sent
    assert workflow["jobs"]["publish"]["needs"] == "build"
