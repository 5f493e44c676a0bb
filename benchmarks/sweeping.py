"""A sweep, and the build that has nothing to do."""

import shutil
import sys

from workspace import Cost, Workspace


def nothing_to_do(space: Workspace) -> Cost:
    """`analysis reports` when all reports are fresh."""
    return space.time(space.ours("reports"))


def sweep(space: Workspace, name: str) -> Cost:
    """A whole sweep, from nothing: neither a page nor a figure of it is there."""
    space.forget()
    shutil.rmtree(space.root / "reports" / name, ignore_errors=True)
    return space.time(space.ours("sweep", name, "--jobs", str(space.jobs)))


def commands_once(space: Workspace, notebook: str) -> Cost:
    """The papermill and nbconvert commands for one report of a notebook."""
    made = space.fresh_out() / "one.ipynb"
    return space.time(
        [sys.executable, "-m", "papermill", "--no-progress-bar", "-k", "python3", f"{notebook}.ipynb", str(made)],
        [sys.executable, "-m", "nbconvert", "--to", "html", "--log-level", "ERROR", str(made)],
    )
