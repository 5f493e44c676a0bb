"""The shipped rows against the files that they were made from, read here by a few lines that share no code with them.

Skipped where those files are not at hand.
"""

import json
import re
import tarfile

import pandas as pd
import pytest

from analysis._core.paths import DATA
from analysis._tables.catalog import Catalog

REPOSITORIES = ("v0.7", "v1.0", "v1.1", "v2.0", "v2.1", "v3.0")  # rounds that are whole, with their logs
COLLECTED = {"v2.0": 662, "v2.1": 944, "v3.0": 1333}  # closed results of the collections
SUMMARIES = {"v4.1": 937, "v5.1": 1448, "v6.0": 520}
MILLISECONDS = {"Latency (ms)": 1.0, "Latency (s)": 1000.0}  # of the published figure; rates stand as they are
NANOSECONDS = 1e-6  # milliseconds


@pytest.fixture(scope="module")
def record():
    """The official rows of the project, what was imported among them, by round, result id, run and scenario."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ANALYSIS_OFFICIAL", raising=False)
        rows = Catalog(DATA).results
    rows = rows[rows["origin"].eq("official") & rows["round"].isin(SUMMARIES)]
    return rows.set_index(["round", "result_id", "model_run", "scenario"])


def published(shared, round):
    """The rows of a summary file: value in the unit of our rows, watts or millijoules, by the same keys."""
    path = shared / "mlcommons" / f"{round}_summary_results.json"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    rows = [
        {
            "round": round,
            "result_id": row["ID"].removeprefix("v"),
            "model_run": row["UsedModel"],
            "scenario": row["Scenario"],
            "value": float(row["Performance_Result"]) * MILLISECONDS.get(row["Performance_Units"], 1.0),
            "latency": row["Performance_Units"] in MILLISECONDS,
            "tokens": row["Performance_Units"] == "Tokens/s",
            "power": float(row.get("Power_Result") or "nan"),
        }
        for row in json.loads(path.read_text("utf-8"))
    ]
    return pd.DataFrame(rows).set_index(["round", "result_id", "model_run", "scenario"])


@pytest.mark.parametrize("round", SUMMARIES)
def test_each_published_value_is_that_of_the_summary(record, shared, round):
    """Units may be put right, values never: a row that says tokens where the summary does not says why."""
    theirs = published(shared, round)
    ours = record[record.index.get_level_values("round") == round]
    assert theirs.index.is_unique and set(theirs.index) == set(ours.index) and len(ours) == SUMMARIES[round]
    ours = ours.reindex(theirs.index)
    assert ours["low"].tolist() == pytest.approx(theirs["value"].tolist(), rel=1e-12)
    assert (ours["low"] == ours["high"]).all()
    assert (ours["unit"].eq("ms") == theirs["latency"]).all()
    assert (ours["unit"].eq("tokens/s") == (theirs["tokens"] | ours["corrected"].ne(""))).all()
    assert not (theirs["tokens"] & ours["corrected"].ne("")).any()


@pytest.mark.parametrize("round", SUMMARIES)
def test_each_computed_value_is_that_of_the_summary_too(record, shared, round):
    theirs = published(shared, round)
    ours = record.reindex(theirs.index)
    again = ours["recomputed"].notna()
    assert again.sum() > 0.98 * len(ours)
    assert ours.loc[again, "recomputed"].tolist() == pytest.approx(theirs.loc[again, "value"].tolist(), rel=1e-6)
    assert (ours["recomputed_difference"].notna() == again).all()
    metered = ours["recomputed_power"].notna()
    powers = theirs.loc[metered, "power"].tolist()
    assert ours.loc[metered, "recomputed_power"].tolist() == pytest.approx(powers, rel=1e-9)


def test_each_computed_value_stands_in_its_own_log(record, shared):
    """Of the runs whose logs lie beside the project: the logged number under the key that the row names."""
    root = shared / "mlcommons" / "inference_results_v4.1"
    logs = sorted(root.glob("*/*/results/*/*/*/performance/run_1/mlperf_log_detail.txt"))
    if not logs:
        pytest.skip(f"{root} has no logs")
    rows = record.reset_index()
    places = rows["location"].str.lower().where(rows["round"].eq("v4.1"), "")
    for log in logs:
        folder = log.parents[2].relative_to(root).as_posix().lower()
        (row,) = rows[places.eq(folder)].to_dict("records")
        (value,) = {entry["value"] for entry in entries(log) if entry["key"] == row["recomputed_key"]}
        logged = value * NANOSECONDS if row["unit"] == "ms" else value
        assert row["recomputed"] == pytest.approx(logged, rel=1e-12), folder
        assert row["low"] == pytest.approx(logged, rel=1e-6), folder


FIGURES = {  # scenario of a log -> what stands before its figure in the summary log, until v1.1 and since; divisor
    "Offline": (r"Samples per second", r"Samples per second", 1.0),
    "Server": (r"Scheduled samples per second", r"Scheduled samples per second", 1.0),
    "SingleStream": (r"90th percentile latency \(ns\)", r".*[Ee]arly stopping 90th percentile estimate", 1e6),
    "MultiStream": (r"Samples per query", r".*[Ee]arly stopping 99th percentile estimate", 1e6),
}


@pytest.mark.parametrize("round", REPOSITORIES)
def test_each_value_is_that_of_the_summary_log_of_its_run(shared, round):
    """Of each run of a clone beside the project: the log in words, which rounds Server to two decimals."""
    root = shared / "mlcommons" / f"inference_results_{round}"
    rows = pd.read_parquet(DATA / "official" / f"{round}.parquet").query("not inferred")
    logs = [root / place / "performance/run_1/mlperf_log_summary.txt" for place in rows["location"]]
    if not all(log.is_file() for log in logs):
        pytest.skip(f"{root} is not there, or not whole")
    assert len(rows) > 900
    for row, log in zip(rows.to_dict("records"), logs, strict=True):
        text, is_new = log.read_text("latin-1"), round >= "v2.0"
        before, since, divisor = FIGURES[row["scenario"]]
        (first, *_) = re.findall(rf"^{since if is_new else before}\s*:\s*([\d.e+]+)", text, re.MULTILINE)
        stated = float(first) / (divisor if is_new or row["scenario"] == "SingleStream" else 1.0)
        near = {"rel": 6e-6, "abs": 0.00501 if row["scenario"] == "Server" else 0.0}  # the detail log has six digits
        assert row["low"] == row["high"] == pytest.approx(stated, **near), row["location"]
        assert re.search(r"^Result is : VALID", text, re.MULTILINE), row["location"]


@pytest.fixture(scope="module")
def collected(shared):
    """The closed results of the Collective Mind collections, from the archive itself: round -> keys -> row."""
    archive = shared / "mlcommons" / "trees" / "cm4mlperf-results_v2.0_to_v4.0.tar.xz"
    if not archive.is_file():
        pytest.skip(f"{archive} is not there")
    found = {round: {} for round in COLLECTED}
    with tarfile.open(archive) as files:
        for member in files:
            round = next((name for name in COLLECTED if f"--{name}--" in member.name), None)
            if round and member.name.endswith("cm-result.json"):
                rows = json.load(files.extractfile(member))
                closed = (row for row in rows if row["Location"].startswith("closed/"))
                found[round] |= {(row["Location"], row["Model"], row["Scenario"]): row for row in closed}
    return found


@pytest.mark.parametrize("round", COLLECTED)
def test_each_collected_result_stands_as_it_was_published(collected, round):
    """Its value, power and place."""
    published = collected[round]
    assert len(published) == COLLECTED[round]
    ours = pd.read_parquet(DATA / "official" / f"{round}.parquet").set_index(["location", "model_run", "scenario"])
    names = {name.lower(): name for name in ("Offline", "Server", "SingleStream", "MultiStream")}
    for (place, model, scenario), row in published.items():
        mine = ours.loc[(place, model, names[scenario.lower()])]
        assert mine["low"] == mine["high"] == pytest.approx(float(row["Result"]), rel=1e-12)
        power = mine["power_watts_low"] if scenario in ("Offline", "Server") else mine["energy_millijoules_per_query"]
        if row.get("Result_Power"):
            factor = 1000 if row["Result_Power_Units"] == "Joules" else 1
            assert power == pytest.approx(float(row["Result_Power"]) * factor, rel=1e-12)
        assert mine["recomputed"] == pytest.approx(mine["low"], rel=1e-6)


def entries(log):
    """The results that a log states."""
    lines = log.read_text("latin-1").splitlines()
    stated = (line.partition(":::MLLOG ")[2] for line in lines if '"key": "result_' in line or '"early_' in line)
    return [json.loads(line) for line in stated if line]
