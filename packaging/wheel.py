"""Build the package with flit, its wheel with data/ in it: an installed `analysis` has results in any folder."""

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

from flit_core import buildapi
from flit_core.buildapi import *  # noqa: F403 - all but the wheel is as flit makes it

OWN = ("measured", ".*", "*.new")  # what a user adds to data/, and files by halves


def build_wheel(folder: str, *arguments: Any) -> str:
    """Build the wheel in `folder` from a copy of the project whose package has the data; return its name."""
    folder = str(Path(folder).resolve())
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree("src", f"{copy}/src", ignore=shutil.ignore_patterns("__pycache__", "shipped"))
        shutil.copytree("data", f"{copy}/src/analysis/shipped", ignore=shutil.ignore_patterns(*OWN))
        for name in ("pyproject.toml", "README.md"):
            shutil.copy(name, copy)
        shutil.copytree("packaging", f"{copy}/packaging", ignore=shutil.ignore_patterns("__pycache__"))
        with contextlib.chdir(copy):
            return buildapi.build_wheel(folder, *arguments)
