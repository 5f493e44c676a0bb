"""Counts of the official record by hand: logs, power, units, reasons, submitters, the fastest on sale of each round."""

import re

import pandas as pd
import pytest

from analysis._core.paths import ROOT
from analysis.comparability import selection
from analysis.comparability.selection import Question
from analysis.methods import coverage
from analysis.methods.coverage import ALL

NUMBERS = ["recomputed", "recomputed_difference", "recomputed_power_difference", "energy_millijoules_per_query"]
NUMBERS += ["power_limit_watts"]
WORDS = ["printed_unit", "model_run", "location"]
METERED = {"power_measured": True, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
OLD = {"round": "v2.1", "source_id": "mlcommons-v2.1", "precision": "", "result_id": ""}


@pytest.fixture
def record(results):
    """Official rows from dicts of what differs from a run on eight H100 whose log says what was published."""

    def make(*rows):
        known = [{"recomputed": 800.0, "recomputed_difference": 0.0, "result_id": "4.1-0001"} | row for row in rows]
        more = [*NUMBERS, *WORDS]
        frame = results(*({name: value for name, value in row.items() if name not in more} for row in known))
        numbers = {name: [row.get(name, float("nan")) for row in known] for name in NUMBERS}
        return frame.assign(**numbers, **{name: [row.get(name, "") for row in known] for name in WORDS})

    return make


def without_log(**row):
    return {"recomputed": float("nan"), "recomputed_difference": float("nan"), **row}


def test_power_figures_units_and_caps_are_counted(record):
    rows = record(
        METERED | {"recomputed_power_difference": 1.1e-9, "power_capped": True, "power_limit_watts": 500.0},
        METERED | {"recomputed_power_difference": -0.9e-9, "power_capped": True},
        {"power_measured": True, "energy_millijoules_per_query": 29.2, "power_limit_watts": 700.0},
        {"power_measured": True, "corrected": "labeled Samples/s"},
    )
    counted = coverage.counts(coverage.official(rows)).loc["v4.1"]
    names = ["power", "power_compared", "power_differing", "power_excluded", "unit_corrected", "capped", "cap_unknown"]
    assert counted[names].tolist() == [3, 2, 1, 1, 1, 2, 1]


def test_different_submitters_systems_and_accelerators_are_counted_once(record):
    """A system is known by its submitter and name, in whatever division; a cluster of several types is no part."""
    again, mixed = {"division": "open", "result_id": "4.1-0002"}, {"accelerator": "mixed"}
    rows = record(
        {"submitter": "A"}, {"submitter": "A"} | again, {"submitter": "B"} | OLD, {"system": "two"} | OLD | mixed
    )
    counts = coverage.counts(coverage.official(rows))
    names = ["submitters", "systems", "accelerators"]
    assert counts[names].to_numpy().tolist() == [[2, 2, 1], [1, 1, 1], [3, 3, 1]]


def test_single_logs_are_no_logs_of_a_round(record):
    """One of 50 rows is single, one of 49 is not; a row that has a log is no exception either way."""
    rows = record({}, *(without_log(result_id=f"4.1-{number:04}") for number in range(2, 51)))
    found = coverage.exceptions(coverage.official(rows)).set_index("why")
    assert found["rows"].to_dict() == {"no_round_logs": 49}
    fewer = coverage.exceptions(coverage.official(rows.head(49))).set_index("why")
    assert fewer["rows"].to_dict() == {"no_log": 48}


def test_exceptions_are_counted_by_reason_and_benchmark_with_their_ids(record):
    wrong = {"corrected": "why", "printed_unit": "Samples/s"}
    rows = record(
        without_log(result_id="4.1-0003"),
        without_log(result_id="4.1-0002"),
        without_log(result_id="4.1-0002"),
        {"recomputed_difference": 0.5, "benchmark": "scan"},
        wrong,
        wrong | {"round": "v5.1", "result_id": "5.1-0001", "source_id": "mlcommons-v5.1"},
        without_log(**OLD),
    )
    found = coverage.exceptions(coverage.official(rows)).set_index("why")
    assert found["rows"].to_dict() == {"no_log": 3, "unit": 2, "differs": 1, "no_round_logs": 1}
    assert found["benchmark"].to_dict() == {"no_log": "llm", "unit": "llm", "differs": "scan", "no_round_logs": ""}
    assert found.at["no_log", "result_ids"] == ("4.1-0002", "4.1-0003")
    assert found.loc["unit", ["printed_unit", "unit", "rounds"]].tolist() == [
        "Samples/s", "tokens/s", ("v4.1", "v5.1")
    ]  # fmt: skip
    assert found.at["unit", "source_ids"] == ("mlcommons-v4.1", "mlcommons-v5.1")
    assert (found.at["no_round_logs", "rounds"], found.at["no_round_logs", "result_ids"]) == (("v2.1",), ())


BROKEN = {
    "another_division": {"division": "open"},
    "another_suite": {"suite": "edge"},
    "latency": {"metric": "latency", "unit": "ms", "scenario": "SingleStream"},
    "power_submission": METERED,
    "capped_unmetered": {"power_capped": True},
    "duplicate": {"duplicate_of": "r0"},
    "several_types": {"accelerator": "mixed"},
    "count_unstated": {"accelerator_count": None},
}


def test_what_is_set_aside_is_what_the_gate_leaves_out(record, benchmarks):
    """One row for each reason, each counted once, and none of them passes the gate of its benchmark and scenario."""
    given = record({}, {"suite": "datacenter,edge"}, *BROKEN.values())
    aside = coverage.set_aside(coverage.official(given))
    assert aside.loc["v4.1"].to_dict() == dict.fromkeys(BROKEN, 1) | {"compared": 2}
    assert aside.loc[ALL].equals(aside.loc["v4.1"])
    questions = [Question("llm", scenario, ("official",)) for scenario in ("Offline", "Server")]
    kept = [selection.select(selection.record(given, benchmarks), question).rows["id"] for question in questions]
    assert pd.concat(kept).tolist() == ["r0", "r1"]


def test_docs_state_what_is_complete(data):
    """Each number of the table, and those of the text around it."""
    text = (ROOT / "docs" / "data.md").read_text("utf-8")
    rows = coverage.official(data.results)
    counts = coverage.counts(rows)
    shown = counts.assign(other=counts["open"] + counts["network"])[["rows", "closed", "other", "power", "recomputed"]]
    expected = [
        [name, *(f"{count:,}" for count in row)] for name, row in zip(shown.index, shown.to_numpy(), strict=True)
    ]
    table = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line[:3] in ("| v", "| a")
    ]
    assert table == expected
    record = counts.loc[ALL]
    first, after = text.partition("\n\n| round")[0], text.partition("A result is recomputed")[2].partition("\n\n")[0]
    numbers = [int(number.replace(",", "")) for number in re.findall(r"(?<![v.\d])\d[\d,]*(?![\d.])", first + after)]
    assert numbers == [
        int(record[name]) for name in ("rows", "inferred", "compared", "differing", "power_differing", "power_compared")
    ]
    lacking = rows[rows["evidence"].ne("log")].groupby("round").size()
    assert lacking[["v2.0", "v3.0", "v5.1", "v6.0"]].tolist() == [1, 1, 12, 6]
    assert counts.loc[["v5.1", ALL], "power_excluded"].tolist() == [9, 9]


def test_the_readme_states_what_results_were_read_from(data):
    rows = coverage.official(data.results)
    evidence = coverage.evidence_by_round(rows).set_index("round")
    said = (ROOT / "README.md").read_text("utf-8").partition("\nOf ")[2].partition("\n\n")[0]
    numbers = [int(number.replace(",", "")) for number in re.findall(r"(?<![v.\d])\d[\d,]*\d(?![.\d])", said)]
    total = evidence.sum()
    assert numbers == [*total[["results", "log", "collection", "table", "summary"]], evidence.at["v6.1", "summary"]]
    assert evidence.loc[evidence["collection"].eq(1)].index.tolist() == ["v2.0", "v3.0"]
    measured = rows.groupby("round")["power_measured"].any()
    assert measured.index[~measured].tolist() == ["v0.7", "v5.0", "v6.0", "v6.1"]
