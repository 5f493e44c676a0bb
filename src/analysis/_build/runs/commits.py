"""Which commit a report's inputs are at, as git tells it.

It is the newest commit on the way back from HEAD by first parents that changed one of them, so that it has them all as
they are now: a branch that was merged counts as its merge. It does not change with edits elsewhere, as HEAD does, and
so the same inputs give the same page.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# A hook sets these, and git would answer about its repository wherever it is asked.
_ELSEWHERE = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}


def commit_of(files: Iterable[str], root: Path) -> dict[str, Any] | None:
    """`id`: the commit that has all these files below `root` (None: none is committed); `not_committed`: the others.

    None without git, a working tree or a commit.
    """
    files = sorted(set(files))
    committed = _names(root, "ls-tree", "-r", "--name-only", "-z", "HEAD", "--", *files)
    if committed is None:
        return None
    changed = _names(root, "diff", "HEAD", "--name-only", "--relative", "--no-renames", "-z", "--", *files) or []
    log = ["log", "-1", "--first-parent", "-m", "--format=%H", "-z", "--", *committed]
    commit = next(iter(_names(root, *log) or []), None) if committed else None
    return {"id": commit, "not_committed": [file for file in files if file not in committed or file in changed]}


def _names(root: Path, *arguments: str) -> list[str] | None:
    """What git prints, parted by zero bytes; None where it refuses or is not installed."""
    environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    command = ["git", "-C", str(root), "--literal-pathspecs", *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    return [name for name in os.fsdecode(done.stdout).split("\0") if name]
