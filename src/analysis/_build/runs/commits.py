"""Which commit a report's inputs are at, as git tells it.

Of one file it is the newest commit on the way back from HEAD by first parents that changed it, so that of several
files the newest of theirs has them all as they are now: a branch that was merged counts as its merge. It does not
change with edits elsewhere, as HEAD does, and so the same inputs give the same page.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MARK = "\x01"  # before a commit in what git prints; no file name begins so
# A hook sets these, and git would answer about its repository wherever it is asked.
_ELSEWHERE = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}


@dataclass(frozen=True)
class History:
    """What git says of the files below one folder, by their path from it.

    `last` has the commit of each committed file, those of the newest commits first; `changed` the files that are not
    as HEAD has them.
    """

    last: dict[str, str]
    changed: frozenset[str]

    def of(self, files: Iterable[str]) -> dict[str, Any]:
        """`id`: the commit that has all these files (None: none is committed); `not_committed`: the others, sorted."""
        files = sorted(set(files))
        newest = list(dict.fromkeys(self.last.values()))
        commits = [self.last[file] for file in files if file in self.last]
        apart = [file for file in files if file not in self.last or file in self.changed]
        return {"id": min(commits, key=newest.index, default=None), "not_committed": apart}


def history(root: Path) -> History | None:
    """What git says of the files below `root`; None without git, a working tree or a commit."""
    questions = (
        ["ls-files", "-z"],
        ["diff", "HEAD", "--name-only", "--relative", "--no-renames", "-z"],
        ["log", "--first-parent", "-m", "--name-only", "--relative", "--no-renames", f"--format={_MARK}%H"],
    )
    with ThreadPoolExecutor(len(questions)) as pool:  # Each is a process of its own, and most of it a wait.
        tracked, changed, walked = pool.map(lambda question: _git(root, *question), questions)
    if tracked is None or changed is None or walked is None:
        return None
    last, commit, tracked_paths = {}, "", set(tracked.split("\0"))
    for line in walked.split("\n"):
        if line.startswith(_MARK):
            commit = line.removeprefix(_MARK)
        elif line in tracked_paths:
            last.setdefault(line, commit)
    return History(last, frozenset(changed.split("\0")) - {""})


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints, or None where it refuses or is not installed."""
    environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    command = ["git", "-C", str(root), "-c", "core.quotePath=off", *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "surrogateescape")
