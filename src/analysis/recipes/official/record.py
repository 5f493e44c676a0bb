"""Identify each imported row, and compare it with the shipped record.

Record figures never change. An imported row replaces a shipped one only if submitter, system, run, and figure match and
its evidence is stronger. A row that contradicts the record is skipped, and the message names both.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from analysis import tables
from analysis.paths import DATA

STRICTER = {"95": "99", "99": "99.9"}  # the stricter target under which the same measurement may also be submitted
STRENGTH = {"table": 0, "collection": 0, "summary": 1, "log": 2}  # of evidence
AGREES = 1e-3  # relative tolerance between figures of one run, since one may be rounded or recomputed
UNOFFICIAL = "unofficial-submissions"  # source_id of rows that are not part of an official round
RUN = ["round", "benchmark", "accuracy_target", "scenario"]
KEYS = (  # keys that match a result across files, most reliable first
    ["id"],
    ["result_id", *RUN],
    ["location", "round", "scenario"],
    ["submitter", "system", "division", *RUN],
)
CONTRADICTION = (
    "{submitter}, {system}, {low:,.6g} {unit}, but the record's {record_id} is "
    "{record_submitter}, {record_system}, {record_low:,.6g} {record_unit}"
)
ADVICE = "; only this row is left out: correct its file, or import it with --origin measured"
KEPT = ["id", "result_id", "locator", "duplicate_of"]  # columns in which a row takes on those of the record


def identified(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with `id`, `locator`, and `source_id`, and with `duplicate_of` the row of a stricter target.

    An id names the result, else division, submitter, and system, then its model run and scenario. Official ones begin
    with o, others with m.
    """
    official, by_id = found["origin"].eq("official"), found["result_id"].ne("")
    system = found["platform"].mask(found["platform"].eq(""), found["system"])
    place = found["location"].mask(found["location"].eq(""), system)
    number = found["round"].str.removeprefix("v")
    filed = number.str.cat([found["division"], found["submitter"], system], "-").mask(by_id, found["result_id"])
    names = official.map({True: "o", False: "m"}).str.cat([filed, found["model_run"], found["scenario"]], "-")
    places = ("folder " + place).mask(by_id, "result " + found["result_id"])
    found = found.assign(
        id=names.str.lower().str.replace(r"[^a-z0-9.]+", "-", regex=True).str.strip("-."),
        locator=places.str.cat([found["model_run"], found["scenario"]], ", "),
        source_id=("mlcommons-" + found["round"]).where(official, UNOFFICIAL),
    )
    system = found["location"].str.replace(r"/[^/]+/[^/]+$", "", regex=True)
    measured = found[["id", "low", "power_watts_low", "energy_millijoules_per_query", "division", *RUN]].fillna(0)
    measured["system"] = system.mask(system.eq(""), found["result_id"])
    # In the open division each run has its own id, so match on the run name without its target.
    targets = zip(found["model_run"], found["accuracy_target"], strict=True)
    measured["run"] = [run.removesuffix(target) for run, target in targets]
    keys = [name for name in measured if name != "id"]
    strict = measured.drop_duplicates(keys).rename(columns={"id": "duplicate_of"})
    loose = measured.assign(accuracy_target=measured["accuracy_target"].map(STRICTER).fillna("none"))
    found["duplicate_of"] = loose.merge(strict, "left", on=keys)["duplicate_of"].fillna("").to_numpy()
    notes = (found["note"] + "; same measurement filed under both accuracy targets").str.removeprefix("; ")
    found["note"] = found["note"].where(found["duplicate_of"].eq(""), notes)
    return found


def fail(found: pd.DataFrame, wrong: pd.Series, words: str | pd.Series) -> None:
    """Note why rows cannot be used; the first reason counts."""
    found["fault"] = found["fault"].mask(wrong & found["fault"].eq(""), words)


def shipped(rounds: Iterable[str]) -> pd.DataFrame:
    """Return the shipped rows of these rounds; an empty frame where there are none."""
    parts = tables.descriptor()["results"]["parts"]
    frames = [pd.read_parquet(DATA / part["path"]) for part in parts if part["round"] in {*rounds}]
    return pd.concat(frames, ignore_index=True) if frames else pd.read_parquet(DATA / parts[0]["path"]).head(0)


def held_against(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows joined with the same result of the record (`record_...`, at index `match`), under its id.

    Only a row that contradicts its match or an earlier row is at fault; other rows of its file are judged separately.
    """
    there = shipped(found["round"].unique())
    official = found["origin"].eq("official") & found["fault"].eq("")
    found["match"] = _matched(found, there).where(official)
    found = found.join(there.add_prefix("record_"), on="match")
    matched = found["match"].notna()
    same = _folded(found["submitter"]).eq(_folded(found["record_submitter"]))
    same &= _folded(found["system"]).eq(_folded(found["record_system"]))
    near = found["low"].le(found["record_high"] * (1 + AGREES)) & found["high"].ge(found["record_low"] * (1 - AGREES))
    differs = found[matched & ~(same & near)]
    words = [(CONTRADICTION + ADVICE).format_map(row) for row in differs.to_dict("records")]
    found.loc[differs.index, "fault"] = words
    for name in KEPT:
        found[name] = found[name].mask(matched & found["fault"].eq(""), found[f"record_{name}"])
    fail(found, found.duplicated(["id", "low", "fault"]), "is a duplicate")
    fail(found, found.duplicated(["id", "fault"]), "is a duplicate with a different figure")
    return found


def completed(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that add to the record: new ones, and those with stronger evidence, completed from it."""
    stronger = found[found["evidence"].map(STRENGTH).gt(found["record_evidence"].map(STRENGTH))]
    theirs = stronger.filter(regex="^record_").rename(columns=lambda name: name.removeprefix("record_"))
    filled = stronger.astype(object).replace({"": None, "unknown": None}).fillna(theirs)
    return pd.concat([found[found["match"].isna()], filled])


def _matched(ours: pd.DataFrame, theirs: pd.DataFrame) -> pd.Series:
    """Return the index of the same result in `theirs`, NaN for none; keys that two of its rows share are ignored."""
    found = pd.Series(np.nan, ours.index)
    ours, theirs = (
        frame.assign(
            location=frame["location"].str.lower(),
            submitter=_folded(frame["submitter"]),
            system=_folded(frame["system"]),
        )
        for frame in (ours, theirs)
    )
    for first, *more in KEYS:
        here, there = (frame[first].str.cat([frame[name] for name in more], "\n") for frame in (ours, theirs))
        there = there[theirs[first].ne("") & ~there.duplicated(keep=False)]
        found = found.fillna(here.where(ours[first].ne("")).map(pd.Series(there.index, there)))
    theirs_id = theirs["result_id"].reindex(found).fillna("").set_axis(found.index)
    return found.where(theirs_id.eq(ours["result_id"]) | theirs_id.eq("") | ours["result_id"].eq(""))


def _folded(names: pd.Series) -> pd.Series:
    """Return names in lowercase without spaces or punctuation."""
    return names.astype("str").str.casefold().str.replace(r"[\W_]+", "", regex=True)
