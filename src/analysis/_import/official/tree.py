"""The folders of a submission tree: which runs there are and where.

`<division>/<submitter>/results/<platform>/<model>/<scenario>/performance/run_1` is a run. Ranging runs, further runs
and compliance runs are never reported, so they are not looked at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from analysis._core.vocabulary import DIVISIONS

SKIPPED = {"compliance", "code", "src", "measurements", "systems", "documentation", "calibration", "configs", ".git"}
DEEPEST = 40
COLLECTED, COLLECTED_DEPTH = "cm-result.json", 5  # <clone>/experiment/<collection>/<date>/cm-result.json
RUN = "<division>/<submitter>/results/<platform>/<model>/<scenario>"
WITHIN_RUN = ("performance", "accuracy")
MISSING = "is missing"
_COMPLIANCE = re.compile(r"TEST\d+", re.IGNORECASE)  # beside the runs in the scenario folders from v6.0 on
_ROUND = re.compile(r"(?:inference[_-]results[_-])v?(\d+\.\d+)", re.IGNORECASE)


class Problem(NamedTuple):
    """What was left out, and why."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class Run(NamedTuple):
    """One run folder (that of the scenario) and what its path says; `root` is the folder that holds the divisions."""

    folder: str
    root: str
    round: str
    division: str
    submitter: str
    platform: str
    model: str
    scenario: str
    origin: str = "official"

    @property
    def location(self) -> str:
        """The folder as the official summary writes it."""
        return "/".join([self.division, self.submitter, "results", self.platform, self.model, self.scenario])


def walk(start: Path, round: str = "") -> Iterator[Run | Problem]:
    """Every run below `start`, in order of name, and every folder that is not entered though it may hold some.

    `start` may be any part of a tree: what lies above it is read from its path. No link is followed.
    """
    unreadable: list[OSError] = []
    for folder, inside, _ in os.walk(begin(start), onerror=unreadable.append):
        if not {*WITHIN_RUN}.isdisjoint(inside):
            inside.clear()
            yield _run(folder, round)
        elif "results" in inside:  # Code of any kind may lie beside them, with folders of the same names.
            inside[:] = ["results"]
        else:
            inside[:] = sorted(name for name in inside if name not in SKIPPED and not _COMPLIANCE.fullmatch(name))
        for path in (os.path.join(folder, name) for name in inside):
            if os.path.islink(path):
                yield Problem(path, "a symbolic link, not followed")
    yield from (Problem(error.filename, f"cannot be read: {error.strerror}") for error in unreadable)


def _run(folder: str, round: str) -> Run | Problem:
    parts = folder.split(os.sep)
    if len(parts) < 7 or parts[-4] != "results" or parts[-6] not in DIVISIONS:
        return Problem(folder, f"is no run of a submission tree: expected {RUN}")
    division, submitter, _, platform, model, scenario = parts[-6:]
    root = os.sep.join(parts[:-6]) or os.sep
    return Run(folder, root, _named(folder) or round, division, submitter, platform, model, scenario)


def round_of(path: Path) -> str:
    """The round that a path names (inference_results_v4.1), the innermost one; "" where none."""
    return _named(os.path.normpath(path.absolute()))


def _named(path: str) -> str:
    rounds = _ROUND.findall(path)
    return f"v{rounds[-1]}" if rounds else ""


def collected(start: Path) -> Iterator[Path]:
    """The files COLLECTED below `start`, in order of name, as the Collective Mind lists lie in their folders.

    Submission trees, which may be large, are not entered, and no link is followed.
    """
    for folder, inside, files in os.walk(start):
        folders = [name for name in inside if name not in SKIPPED and name not in DIVISIONS and name != "results"]
        inside[:] = sorted(folders) if len(Path(folder).relative_to(start).parts) < COLLECTED_DEPTH else []
        if COLLECTED in files:
            yield Path(folder, COLLECTED)


def begin(path: Path) -> Path:
    """`path` made absolute, where a walk begins: for what lies within a run's folder, that folder."""
    path = Path(os.path.normpath(path.absolute()))
    while path.name in (*WITHIN_RUN, "run_1"):
        path = path.parent
    return path


def is_clone(folder: Path) -> bool:
    """Whether a folder, and no link to one, is that of a round: by its name, or by the divisions in it."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    return bool(_ROUND.search(folder.name)) or any((folder / name).is_dir() for name in DIVISIONS)


def refused(folder: str, name: str, root: str) -> str:
    """Why the file `name` below `folder`, which is within the tree `root`, is not to be opened; "" where it may be.

    Only plain files are opened, and only those within the tree.
    """
    path = f"{folder}/{name}"
    if not os.path.isfile(path):
        return MISSING
    within = os.path.realpath(path).startswith(_real(root))
    return "" if within else "a symbolic link out of the tree, not followed"


@lru_cache
def _real(root: str) -> str:
    return os.path.join(os.path.realpath(root), "")


def head(path: str, most: int) -> bytes:
    """The first `most` bytes of a file. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(most)


def listed(folder: str, ending: str = "") -> list[str]:
    """The names in a folder that end so, in order; none where there is no folder, or it may not be read."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(ending))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []
