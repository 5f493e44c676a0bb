"""The folders of a raw submission tree: which runs there are and where.

`<division>/<submitter>/results/<platform>/<model>/<scenario>/performance/run_1` is a run. Ranging runs, further runs
and compliance runs are never reported, so they are not looked at.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from analysis._core.vocabulary import DIVISIONS

SKIPPED = {"compliance", "code", "src", "measurements", "systems", "documentation", "calibration", "configs", ".git"}
DEEPEST = 40
COLLECTED, COLLECTED_DEPTH = "cm-result.json", 5  # <clone>/experiment/<collection>/<date>/cm-result.json
RUN = "<division>/<submitter>/results/<platform>/<model>/<scenario>"
MISSING = "is missing"
_COMPLIANCE = re.compile(r"TEST\d+", re.IGNORECASE)  # beside the runs in the scenario folders from v6.0 on
_ROUND = re.compile(r"(?:inference[_-]results[_-])v?(\d+\.\d+)", re.IGNORECASE)


class Problem(NamedTuple):
    """What was excluded, and why."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class Run(NamedTuple):
    """One run folder (that of the scenario) and what its path says; "" for what lies above the path that was given."""

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
    """Every run below `start`, in order of name, and every folder that cannot be entered; nothing is kept in memory.

    `start` may be any part of a tree; what a path does not say of the folders above it is read from `start` itself.
    A link within the tree is followed once; a further link to the same folder, one out of the tree, and one back to a
    folder that it is in are named.
    """
    start = begin(start)
    root = _root(start)
    yield from _Walk(root, round or round_of(start)).enter(str(start), os.path.realpath(start), (), False)


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
    for folder, inside, files in os.walk(begin(start)):
        folders = [name for name in inside if name not in SKIPPED and name not in DIVISIONS and name != "results"]
        inside[:] = sorted(folders) if len(Path(folder).relative_to(begin(start)).parts) < COLLECTED_DEPTH else []
        if COLLECTED in files:
            yield Path(folder, COLLECTED)


def begin(path: Path) -> Path:
    """`path` made absolute, where a walk begins: for what lies within a run's folder, that folder.

    A link that is asked for by name represents its target, unless it is the link that names the round.
    """
    path = Path(os.path.normpath(path.absolute()))
    if path.is_symlink() and not _ROUND.search(path.name):
        path = Path(os.path.realpath(path))
    results_at = _results(path.parts)
    within_run = path.parts[results_at + 4 :] in (("performance",), ("performance", "run_1"))
    return Path(*path.parts[: results_at + 4]) if results_at and within_run else path


def is_clone(folder: Path) -> bool:
    """Whether a folder, and no link to one, is that of a round: by its name, or by the divisions in it."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    return bool(_ROUND.search(folder.name)) or any((folder / name).is_dir() for name in DIVISIONS)


def _results(parts: tuple[str, ...]) -> int:
    """Where `results` is in a path as in <division>/<submitter>/results, 0 where nowhere.

    Any folder may be called so, also above the tree.
    """
    places = (place for place in range(len(parts) - 1, 2, -1) if parts[place] == "results")
    return next((place for place in places if parts[place - 2] in DIVISIONS), 0)


def _root(start: Path) -> Path:
    """The folder that holds the divisions, as far as the path of `start` tells, else `start`."""
    if results_at := _results(start.parts):
        return Path(*start.parts[: results_at - 2])
    for depth, folder in enumerate((start, *start.parents)):
        if folder.name in DIVISIONS and depth < 2:
            return folder.parent
    return start


class _Walk:
    """Folders are named by text here: a tree has ten times as many as runs."""

    def __init__(self, root: Path, round: str) -> None:
        self.root, self.real, self.round = os.path.join(root, ""), os.path.realpath(root), round
        self.linked: dict[str, str] = {}  # real path of a folder -> the link by which it was entered

    def enter(self, folder: str, real_path: str, above: tuple[str, ...], by_link: bool) -> Iterator[Run | Problem]:
        """What lies in `folder`, whose real path is `real_path`, below the real paths `above`."""
        if real_path in above or len(above) > DEEPEST:
            yield Problem(folder, "leads back to a folder that it is in" if real_path in above else "too deep")
            return
        try:
            with os.scandir(folder) as entries:
                inside = {entry.name: entry for entry in entries}
        except OSError as error:
            yield Problem(folder, f"cannot be read: {error.strerror}")
            return
        if "performance" in inside or "accuracy" in inside:
            yield self.run(folder)
            return
        submitter = "results" in inside  # Code of any kind may lie beside them, with folders of the same names.
        for name, entry in sorted(inside.items()):
            skipped = name in SKIPPED or _COMPLIANCE.fullmatch(name)
            if not skipped and (name == "results" or not submitter or entry.is_symlink()):
                yield from self.below(entry, (*above, real_path), by_link)

    def below(self, entry: os.DirEntry[str], above: tuple[str, ...], by_link: bool) -> Iterator[Run | Problem]:
        if entry.is_dir(follow_symlinks=False):
            yield from self.enter(entry.path, os.path.join(above[-1], entry.name), above, by_link)
        elif entry.is_symlink():
            yield from self.link(entry.path, above, by_link)

    def link(self, path: str, above: tuple[str, ...], by_link: bool) -> Iterator[Run | Problem]:
        target = os.path.realpath(path)
        if not within(target, self.real):
            yield Problem(path, "a symbolic link out of the tree, not followed")
        elif not os.path.exists(target):
            yield Problem(path, "a symbolic link to nothing")
        elif target in above:
            yield Problem(path, "a symbolic link back to a folder that it is in, not followed")
        elif not os.path.isdir(target):
            return
        elif by_link:
            yield Problem(path, "a symbolic link behind another one, not followed")
        elif target in self.linked:
            yield Problem(path, f"a symbolic link to a folder that is already read as {self.linked[target]}")
        else:
            self.linked[target] = path
            yield from self.enter(path, target, above, True)

    def run(self, folder: str) -> Run | Problem:
        parts = folder[len(self.root) :].split(os.sep)
        if len(parts) < 6 or parts[-4] != "results":
            return Problem(folder, f"is no run of a submission tree: expected {RUN}")
        root = folder[: -len(os.sep.join(["", *parts[-6:]]))] or os.sep
        division, submitter, _, platform, model, scenario = parts[-6:]
        return Run(folder, root, _named(folder) or self.round, division, submitter, platform, model, scenario)


def within(real: str, root: str) -> bool:
    """Whether a real path is a folder or lies below it."""
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def refused(folder: str, name: str, root: str) -> str:
    """Why the file `name` below `folder`, which is within the tree `root`, is not to be opened; "" where it may be.

    Only plain files are opened, and only those within the tree: neither a pipe, which might never end, nor what lies
    behind a link that leads out. Raises OSError where that cannot be seen.
    """
    path, linked, mode = folder, False, 0
    for part in name.split("/"):
        path = f"{path}/{part}"
        mode = _mode(path, follow=False)
        linked |= stat.S_ISLNK(mode)
    if linked:
        if not within(os.path.realpath(path), os.path.realpath(root)):
            return "a symbolic link out of the tree, not followed"
        mode = _mode(path, follow=True)
    if stat.S_ISREG(mode):
        return ""
    return "is no plain file, not opened" if mode else MISSING


def _mode(path: str, *, follow: bool) -> int:
    """The mode of what lies at a path, 0 where nothing does. Raises OSError where that cannot be seen."""
    try:
        return os.stat(path, follow_symlinks=follow).st_mode
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return 0
        raise


def head(path: str, most: int) -> bytes:
    """The first `most` bytes of a plain file. Raises OSError."""
    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size  # read() makes room for all that it is asked for, whatever is there.
        return file.read(min(most, size))


def listed(folder: str, ending: str = "") -> list[str]:
    """The names in a folder that end so, in order; none where there is no folder, or it may not be read."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(ending))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []
