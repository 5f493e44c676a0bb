"""Find the results that paths hold, each with its run, and determine which are from a round's own repository.

Only what comes from there is official. A link in the file is not proof, since templates copy links; proof is a summary
with the SHA-256 of data/datapackage.json, a folder named after the repository (inference_results_v5.1) or a clone whose
git remote it is, or MLCommons' exported results table whose links are of its round. For anything else the user states
the origin.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis import tables
from analysis.recipes.official import results_table, summary, tree
from analysis.recipes.official.summary import FileError, clean

SUMMARIES = ("summary_results.json", "summary.json")
LARGEST = 64 << 20  # bytes; summaries have 1 to 3 MB
CHECKER = "Organization,"  # how the CSV of MLCommons' submission checker begins
ARCHIVES = (".zip", ".gz", ".xz", ".tar", ".tgz", ".bz2", ".zst")
NAMED = re.compile(r"inference_results_v?(\d+\.\d+)(?:-[\w.]+)?")
TRIAL = re.compile(r"unofficial|(?:test|trial)[_-]?submission|submissions?[_-](?:inference|test)", re.IGNORECASE)
REMOTE = re.compile(rb"github\.com[:/]mlcommons/inference_results_v(\d+\.\d+)(?:\.git)?/?\s*$", re.MULTILINE)
LINK = re.compile(r"https://github\.com/mlcommons/(?:inference_results|submissions_inference)_v?(\d+\.\d+)(?:/|$)")
LARGEST_CONFIG = 1 << 20  # bytes of a git configuration that are read
AROUND = re.compile(
    r"^(?:\./|.*/(?=(?:closed|open|network)/))|/performance/run_1/?$|/$"
)  # around a run's folder in the tree
SAY = "; if it is, use --origin official, else --origin measured"
NO_PROOF = "only its links say that it is an official result"
NO_HOME = "its folder is not that of a round (inference_results_v5.1)"
NOT_LISTED = "the summary of its round does not list it"
BLANK = dict.fromkeys(["fault", "origin", "doubt", "round", "place", "folder", "root"], "") | {"evidence": "log"}

Result = dict[str, Any]


def read_results(paths: Sequence[Path], round: str, origin: str) -> list[Result]:
    """Return each result of the paths, and an entry for each thing in them that cannot be read.

    Fields of a summary, and `file`, `place` in it, `folder` and `root` of its run, `fault` ("" where sound), and
    `origin` ("" if not stated) with the `doubt`.
    """
    published, runs, wrong = {}, [], []  # by digest: a summary may be given beside the tree that holds it
    for path in paths:
        files = [path]
        if path.is_dir():
            folders = [path, *(child for child in sorted(path.iterdir()) if not child.is_symlink())]
            files = [folder / name for folder in folders for name in SUMMARIES if (folder / name).is_file()]
            found, passed = tree.find_runs(path)
            runs += [run | {"file": str(path)} for run in found]
            if not found and not files:
                passed.append(f"contains no {' or '.join(SUMMARIES)} and no run {tree.RUN}")
            wrong += [{"file": str(path), "fault": line} for line in passed]
        for file in files:
            try:
                content = _content(file)
                digest = hashlib.sha256(content).hexdigest()
                if digest not in published:
                    published[digest] = _published(file, content, digest, round, origin)
            except FileError as error:
                wrong.append({"file": str(file), "fault": str(error)})
    results = [result for found in published.values() for result in found]
    return [BLANK | result for result in [*_with_runs(results, runs, round, origin), *wrong]]


def _content(file: Path) -> bytes:
    """Return the bytes of a file that may be read. Raises FileError."""
    if not file.is_file():
        raise FileError("does not exist or is not a regular file")
    if file.suffix in ARCHIVES:
        raise FileError("is an archive, which is not supported: unpack it and give the folder")
    if file.stat().st_size > LARGEST:
        raise FileError(f"is larger than {LARGEST >> 20} MiB")
    return file.read_bytes()


def _published(file: Path, content: bytes, digest: str, round: str, origin: str) -> list[Result]:
    """Return the results of a summary or table, each with its origin or why that is in doubt. Raises FileError."""
    text = summary.decoded(content)
    is_table, is_checker = results_table.FIRST in text[: 1 << 16], text.startswith(CHECKER)
    found = results_table.read_table(text) if is_table else summary.read_summary(text, is_table=is_checker)
    parts = tables.descriptor()["results"]["parts"]
    is_known = digest in {source.get("sha256") for part in parts for source in part["sources"]}
    home, is_trial = _home(file.parent), bool(TRIAL.search(str(file.absolute())))
    for result in found:
        said = re.sub(r"^v?(?=\d)", "v", clean(result["round"])) or home or round
        link = LINK.match(clean(result["link"]))
        linked = f"v{link[1]}" if link else said  # v4.1's own summary links to a fork, so no link is no doubt
        if home:
            is_official, doubt = said == linked == home, f"is from a different round than its folder, {home}"
        else:
            is_official, doubt = bool(link) and linked == said and is_table and not is_trial, NO_PROOF
        doubt = "its folder is that of trial submissions" if is_trial else doubt
        doubt = doubt if linked == said else f"links to {linked}, but says {said}"
        result |= {
            "file": str(file),
            "round": said,
            "doubt": doubt + SAY,
            "origin": _origin(is_official or is_known, origin),
            "location": AROUND.sub("", clean(result["location"])),
        }
    return found


def _with_runs(published: list[Result], found: list[Result], round: str, origin: str) -> list[Result]:
    """Return the results with the folders of their runs, by location, then the runs that no summary lists."""
    homes = {root: _home(Path(root)) for root in {run["root"] for run in found}}
    runs: dict[tuple[str, str], Result] = {}
    for run in found:
        key = homes[run["root"]] or round, run["location"].lower()
        if key not in runs:
            runs[key] = run | tree.described(run) | {"round": key[0]}
    for result in published:
        if run := runs.get((result["round"], result["location"].lower())):
            words = f"{clean(result.get('described'))}\n{clean(run['described'])}"
            result |= {"folder": run["folder"], "root": run["root"], "described": words}
    listed = {(result["round"], result["location"].lower()) for result in published}
    whole = {result["round"] for result in published if result["evidence"] == "summary"}
    alone = [run for key, run in runs.items() if key not in listed]
    for run in alone:
        run |= {
            "model": run["model_run"],
            "place": run["location"],
            "fault": NOT_LISTED if run["round"] in whole else run["fault"],
            "origin": _origin(bool(homes[run["root"]]), origin),
            "doubt": NO_HOME + SAY,
        }
    return [*published, *alone]


def _origin(is_official: bool, said: str) -> str:
    """Return the origin: as stated where it is measured or not proven official."""
    return "official" if is_official and said != "measured" else said


def _home(folder: Path) -> str:
    """Return the round whose repository a folder lies in, by its git remote or its name; "" for a trial or none."""
    folder = folder.absolute()
    if TRIAL.search(str(folder)):
        return ""
    for parent in (folder, *folder.parents):
        config, remote = parent / ".git" / "config", None
        if config.is_file():
            with config.open("rb") as file:
                remote = REMOTE.search(file.read(LARGEST_CONFIG))
        if remote:
            return f"v{remote[1].decode()}"
        if named := NAMED.fullmatch(parent.name):
            return f"v{named[1]}"
    return ""
