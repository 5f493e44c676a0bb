"""Find the results that paths hold, each with its run, and say which are of a round's own repository.

What is official comes from there, and more than a link in the file must say so, as templates copy links: a summary with
the SHA-256 of data/datapackage.json, a folder named after the repository (inference_results_v5.1) or a clone whose git
remote it is, or MLCommons' exported results table whose links are of its round. Anything else is what the user says.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import tables
from analysis.ingest.official import results_table, summary, tree
from analysis.ingest.official.rows import clean, place
from analysis.ingest.official.summary import FileError

SUMMARIES = ("summary_results.json", "summary.json")
ARCHIVES = (".zip", ".gz", ".xz", ".tar", ".tgz", ".bz2", ".zst")
NAMED = re.compile(r"inference_results_v?(\d+\.\d+)(?:-[\w.]+)?")
TRIAL = re.compile(r"unofficial|(?:test|trial)[_-]?submission|submissions?[_-](?:inference|test)", re.IGNORECASE)
REMOTE = re.compile(r"github\.com[:/]mlcommons/inference_results_v(\d+\.\d+)(?:\.git)?/?\s*$", re.MULTILINE)
LINK = r"^https://github\.com/mlcommons/(?:inference_results|submissions_inference)_v?(\d+\.\d+)(?:/|$)"
LARGEST_CONFIG = 1 << 20  # bytes of a git configuration that is read
SAY = "; if it is, say --origin official, else --origin measured"
NOT_SAID = {"sure": False, "evidence": "log"}
NO_PROOF = "nothing but its links says that it is of a round's own repository"
NOT_LISTED = "the summary of its round does not list it"


def read(paths: Sequence[Path], round: str, origin: str) -> pd.DataFrame:
    """Return a row for each result of the paths, and one for each thing in them that cannot be read.

    Fields of a summary, and `file`, `place` in it, `folder` and `root` of its run, `fault` ("" where sound), `origin`
    ("" where nobody says) with the `doubt`, and `sure` where the file is known by its digest.
    """
    known: set[str] = set()  # a summary may be given beside the tree that holds it
    frames, runs, wrong = [pd.DataFrame(columns=["round", "location", "evidence", "described"], dtype=object)], [], []
    for path in paths:
        files = [path]
        if path.is_dir():
            folders = [path, *(child for child in sorted(path.iterdir()) if child.is_dir() and not child.is_symlink())]
            files = [folder / name for folder in folders for name in SUMMARIES if (folder / name).is_file()]
            found, passed = tree.find_runs(path)
            runs.append(found.assign(file=str(path)))
            wrong += [(path, line) for line in passed]
            if found.empty and not files:
                wrong.append((path, f"holds no {' or '.join(SUMMARIES)} and no run {tree.RUN}"))
        for file in files:
            try:
                digest = _digest(file)
                if digest not in known:
                    frames.append(_published(file, digest, round, origin))
                known.add(digest)
            except FileError as error:
                wrong.append((file, str(error)))
    published = pd.concat(frames, ignore_index=True)
    found = _with_runs(published, pd.concat(runs, ignore_index=True), round, origin) if runs else published
    lost = pd.DataFrame(wrong, columns=["file", "fault"], dtype=object).astype({"file": str})
    empty = dict.fromkeys(["fault", "origin", "doubt", "round", "place", "folder", "root"], "") | NOT_SAID
    found = pd.concat([found.astype(object), lost], ignore_index=True).astype(object)
    return found.reindex(columns=[*dict.fromkeys([*summary.KEYS, *found, *empty])]).astype(object).fillna(empty)


def _digest(file: Path) -> str:
    """Return the SHA-256 of a file that may be read. Raises FileError."""
    if not file.is_file():
        raise FileError("there is no such file, or it is no plain file")
    if file.suffix in ARCHIVES:
        raise FileError("archives are not read: unpack it and give the folder")
    if file.stat().st_size > summary.LARGEST:
        raise FileError(f"is larger than {summary.LARGEST >> 20} MiB")
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _published(file: Path, digest: str, round: str, origin: str) -> pd.DataFrame:
    """Return the results of a summary or table with what proves them official. Raises FileError."""
    is_table = results_table.is_table(file)
    found = results_table.read_table(file) if is_table else summary.read_summary(file)
    parts = tables.descriptor()["results"]["parts"]
    sure = digest in {source.get("sha256") for part in parts for source in part["sources"]}
    home, trial = _home(file.parent), bool(TRIAL.search(str(file.absolute())))
    said = found["round"].map(clean).str.replace(r"^v?(?=\d)", "v", regex=True)
    found["round"] = said.where(said.ne(""), home or round)
    linked = "v" + found["link"].map(clean).str.extract(LINK)[0]
    other = linked.notna() & linked.ne(found["round"])  # v4.1's own summary links to a fork, so no link is no doubt
    proved = found["round"].eq(home) & ~other if home else linked.eq(found["round"]) & is_table & ~trial
    doubt = f"is of another round than its folder, {home}" if home else NO_PROOF
    doubt = "its folder is that of trial submissions" if trial else doubt
    doubts = ("links to " + linked + ", but says " + found["round"]).where(other, doubt) + SAY
    return found.assign(
        file=str(file), sure=sure, doubt=doubts, origin=(proved | sure).map({True: "official", False: origin})
    )


def _with_runs(published: pd.DataFrame, runs: pd.DataFrame, round: str, origin: str) -> pd.DataFrame:
    """Return the results joined with their runs by location, then the runs that no summary lists."""
    homes = runs["root"].map({root: _home(Path(root)) for root in runs["root"].unique()}).astype("str")
    runs = runs.assign(round=homes.where(homes.ne(""), round), home=homes, key=runs["location"].str.lower())
    runs = runs.drop_duplicates(["round", "key"], ignore_index=True)
    told = pd.DataFrame([_described(run) for run in runs.itertuples()], runs.index, dtype=object)
    runs = runs.join(told) if len(runs) else runs.assign(described="", fault="")
    published = published.assign(key=place(published["location"].map(clean)).str.lower())
    words = runs[["round", "key", "folder", "root", "described"]].rename(columns={"described": "words"})
    joined = published.merge(words, "left", on=["round", "key"])
    joined["described"] = joined["described"].map(clean) + "\n" + joined["words"].map(clean)
    alone = runs[~(runs["round"] + runs["key"]).isin(published["round"] + published["key"])]
    listed = alone["round"].isin(published.loc[published["evidence"].eq("summary"), "round"])
    alone = alone.assign(model=alone["model_run"], evidence="log", place=alone["location"])
    alone["fault"] = alone["fault"].mask(listed, NOT_LISTED)
    alone["origin"] = alone["home"].ne("").map({True: "official", False: origin})
    alone["doubt"] = "its folder is not that of a round (inference_results_v5.1)" + SAY
    return pd.concat([joined, alone], ignore_index=True)


def _described(run: Any) -> dict[str, Any]:
    try:
        return tree.described(run) | {"fault": ""}
    except FileError as error:
        return {"fault": str(error), "described": ""}


def _home(folder: Path) -> str:
    """Return the round whose repository a folder lies in, by its git remote or its name; "" for a trial or none."""
    folder = folder.absolute()
    if TRIAL.search(str(folder)):
        return ""
    for parent in (folder, *folder.parents):
        config = parent / ".git" / "config"
        is_small = config.is_file() and config.stat().st_size <= LARGEST_CONFIG
        remote = REMOTE.search(config.read_text("utf-8", "replace")) if is_small else None
        if found := remote or NAMED.fullmatch(parent.name):
            return f"v{found[1]}"
    return ""
