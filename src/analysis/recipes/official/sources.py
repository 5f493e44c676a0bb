"""Find the results that paths hold, each with its run, and say which are of a round's own repository.

Only what comes from there is official. A link in the file is no proof, as templates copy links; proof is a summary with
the SHA-256 of data/datapackage.json, a folder named after the repository (inference_results_v5.1) or a clone whose git
remote it is, or MLCommons' exported results table whose links are of its round. Anything else is what the user says.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis import tables
from analysis.recipes.official import results_table, summary, tree
from analysis.recipes.official.rows import clean
from analysis.recipes.official.summary import FileError

SUMMARIES = ("summary_results.json", "summary.json")
LARGEST = 64 << 20  # bytes; summaries have 1 to 3 MB
CHECKER = "Organization,"  # how the CSV of MLCommons' submission checker begins
ARCHIVES = (".zip", ".gz", ".xz", ".tar", ".tgz", ".bz2", ".zst")
NAMED = re.compile(r"inference_results_v?(\d+\.\d+)(?:-[\w.]+)?")
TRIAL = re.compile(r"unofficial|(?:test|trial)[_-]?submission|submissions?[_-](?:inference|test)", re.IGNORECASE)
REMOTE = re.compile(rb"github\.com[:/]mlcommons/inference_results_v(\d+\.\d+)(?:\.git)?/?\s*$", re.MULTILINE)
LINK = r"^https://github\.com/mlcommons/(?:inference_results|submissions_inference)_v?(\d+\.\d+)(?:/|$)"
LARGEST_CONFIG = 1 << 20  # bytes of a git configuration that are read
AROUND = r"^(?:\./|.*/(?=(?:closed|open|network)/))|/performance/run_1/?$|/$"  # around a run's folder in the tree
SAY = "; if it is, say --origin official, else --origin measured"
NO_PROOF = "only its links say that it is an official result"
NO_HOME = "its folder is not that of a round (inference_results_v5.1)"
NOT_LISTED = "the summary of its round does not list it"
BLANK = dict.fromkeys(["fault", "origin", "doubt", "round", "place", "folder", "root"], "") | {
    "sure": False, "evidence": "log",
}  # fmt: skip


def read_results(paths: Sequence[Path], round: str, origin: str) -> pd.DataFrame:
    """Return a row for each result of the paths, and one for each thing in them that cannot be read.

    Fields of a summary, and `file`, `place` in it, `folder` and `root` of its run, `fault` ("" where sound), `origin`
    ("" where nobody says) with the `doubt`, and `sure` where the file is known by its digest.
    """
    published, runs, wrong = {}, [], []  # by digest: a summary may be given beside the tree that holds it
    for path in paths:
        files = [path]
        if path.is_dir():
            folders = [path, *(child for child in sorted(path.iterdir()) if not child.is_symlink())]
            files = [folder / name for folder in folders for name in SUMMARIES if (folder / name).is_file()]
            found, passed = tree.find_runs(path)
            runs.append(found.assign(file=str(path)))
            wrong += [{"file": str(path), "fault": line} for line in passed]
            if found.empty and not files:
                fault = f"holds no {' or '.join(SUMMARIES)} and no run {tree.RUN}"
                wrong.append({"file": str(path), "fault": fault})
        for file in files:
            try:
                content = _content(file)
                digest = hashlib.sha256(content).hexdigest()
                if digest not in published:
                    published[digest] = _published(file, content, digest, round, origin)
            except FileError as error:
                wrong.append({"file": str(file), "fault": str(error)})
    columns = pd.DataFrame(columns=[*{**summary.KEYS, **BLANK}, "file"])
    found = pd.concat([columns, *published.values()], ignore_index=True)
    if runs:
        found = _with_runs(found, pd.concat(runs, ignore_index=True), round, origin)
    return pd.concat([found, pd.DataFrame(wrong)], ignore_index=True).astype(object).fillna(BLANK)


def _content(file: Path) -> bytes:
    """Return the bytes of a file that may be read. Raises FileError."""
    if not file.is_file():
        raise FileError("there is no such file, or it is not a regular file")
    if file.suffix in ARCHIVES:
        raise FileError("archives are not read: unpack it and give the folder")
    if file.stat().st_size > LARGEST:
        raise FileError(f"is larger than {LARGEST >> 20} MiB")
    return file.read_bytes()


def _published(file: Path, content: bytes, digest: str, round: str, origin: str) -> pd.DataFrame:
    """Return the results of a summary or table with what proves them official. Raises FileError."""
    text = summary.decoded(content)
    is_table, is_checker = results_table.FIRST in text[: 1 << 16], text.startswith(CHECKER)
    found = results_table.read_table(text) if is_table else summary.read_summary(text, is_table=is_checker)
    parts = tables.descriptor()["results"]["parts"]
    sure = digest in {source.get("sha256") for part in parts for source in part["sources"]}
    home, is_trial = _home(file.parent), bool(TRIAL.search(str(file.absolute())))
    said = found["round"].map(clean).str.replace(r"^v?(?=\d)", "v", regex=True)
    found["round"] = said.where(said.ne(""), home or round)
    linked = "v" + found["link"].map(clean).str.extract(LINK)[0]
    other = linked.notna() & linked.ne(found["round"])  # v4.1's own summary links to a fork, so no link is no doubt
    proved = found["round"].eq(home) & ~other if home else linked.eq(found["round"]) & is_table & ~is_trial
    doubt = f"is of another round than its folder, {home}" if home else NO_PROOF
    doubt = "its folder is that of trial submissions" if is_trial else doubt
    return found.assign(
        file=str(file),
        sure=sure,
        doubt=("links to " + linked + ", but says " + found["round"]).where(other, doubt) + SAY,
        origin=(proved | sure).map({True: "official", False: origin}) if origin != "measured" else origin,
        location=found["location"].map(clean).str.replace(AROUND, "", regex=True),
    )


def _with_runs(published: pd.DataFrame, runs: pd.DataFrame, round: str, origin: str) -> pd.DataFrame:
    """Return the results joined with their runs by location, then the runs that no summary lists."""
    homes = {root: _home(Path(root)) for root in runs["root"].unique()}
    runs = runs.assign(home=runs["root"].map(homes).astype("str"))
    runs["round"], runs["key"] = runs["home"].mask(runs["home"].eq(""), round), runs["location"].str.lower()
    runs = runs.drop_duplicates(["round", "key"], ignore_index=True)
    told = [tree.described(run) for run in runs.itertuples()]
    runs = runs.join(pd.DataFrame(told, runs.index, columns=None if told else ["fault", "described"], dtype=object))
    published = published.assign(key=published["location"].str.lower())
    places = runs[["round", "key", "folder", "root"]].assign(words=runs["described"])
    joined = published.drop(columns=["folder", "root"]).merge(places, "left", on=["round", "key"])
    joined["described"] = joined["described"].map(clean) + "\n" + joined["words"].map(clean)
    alone = runs[~(runs["round"] + runs["key"]).isin(published["round"] + published["key"])]
    listed = alone["round"].isin(published.loc[published["evidence"].eq("summary"), "round"])
    alone = alone.assign(
        model=alone["model_run"],
        evidence="log",
        place=alone["location"],
        fault=alone["fault"].mask(listed, NOT_LISTED),
        origin=alone["home"].ne("").map({True: "official", False: origin}) if origin != "measured" else origin,
        doubt=NO_HOME + SAY,
    )
    return pd.concat([joined, alone], ignore_index=True)


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
