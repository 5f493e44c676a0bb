"""Counts of the official record by hand: logs, power, units, reasons, submitters, the fastest on sale of each round."""

import re
from collections.abc import Callable

import pandas as pd
import pytest

from analysis._core.paths import ROOT
from analysis._core.vocabulary import DIVISIONS
from analysis.comparability import selection
from analysis.comparability.selection import Question
from analysis.methods import coverage
from analysis.methods.coverage import ALL

Rows = Callable[..., pd.DataFrame]
NUMBERS = ["recomputed", "recomputed_difference", "recomputed_power_difference", "energy_millijoules_per_query"]
NUMBERS += ["power_limit_watts"]
WORDS = ["printed_unit", "model_run", "location"]
METERED = {"power_measured": True, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
OLD = {"round": "v2.1", "source_id": "mlcommons-v2.1", "precision": "", "result_id": ""}


@pytest.fixture
def record(results: Rows) -> Rows:
    """Official rows from dicts of what differs from a run on eight H100 whose log says what was published."""

    def make(*rows: dict) -> pd.DataFrame:
        known = [{"recomputed": 800.0, "recomputed_difference": 0.0, "result_id": "4.1-0001"} | row for row in rows]
        more = [*NUMBERS, *WORDS]
        frame = results(*({name: value for name, value in row.items() if name not in more} for row in known))
        numbers = {name: [row.get(name, float("nan")) for row in known] for name in NUMBERS}
        return frame.assign(**numbers, **{name: [row.get(name, "") for row in known] for name in WORDS})

    return make


def without_log(**row: object) -> dict:
    return {"recomputed": float("nan"), "recomputed_difference": float("nan"), **row}


def test_official_rows_of_the_rounds_asked_for_are_taken(record):
    rows = record({}, OLD, {"origin": "published"}, {"round": "v5.1"})
    assert coverage.official(rows)["id"].tolist() == ["r0", "r1", "r3"]
    assert coverage.official(rows, ["v2.1", "v5.1"])["id"].tolist() == ["r1", "r3"]
    assert coverage.official(rows, ["v5.0"]).empty


def test_what_the_tables_have_no_column_for_is_missing(results):
    """Results without any import lack the columns of logs and limits: nothing was computed again."""
    counts = coverage.counts(coverage.official(results({"power_capped": True})))
    assert counts.loc["v4.1", ["recomputed", "compared", "power", "capped", "cap_unknown"]].tolist() == [0, 0, 0, 1, 1]


def test_what_rows_were_read_from_is_counted_by_round(record):
    read_from = ["log", "log", "summary", "", "table", "collection", "collection"]
    rounds = ["v10.0", "v9.1", "v10.0", "v10.0", "v5.0", "v2.1", "v2.1"]
    rows = record(*({"round": name} for name in rounds)).assign(evidence=read_from)
    counts = coverage.evidence_by_round(coverage.official(rows))
    assert counts.columns.tolist() == ["round", "results", "log", "summary", "table", "collection"]
    assert counts.to_numpy().tolist() == [
        ["v2.1", 2, 0, 0, 0, 2], ["v5.0", 1, 0, 0, 1, 0], ["v9.1", 1, 1, 0, 0, 0], ["v10.0", 3, 1, 1, 0, 0],
    ]  # fmt: skip
    assert coverage.evidence_by_round(rows[:0]).empty


def test_rows_with_logs_and_without_are_counted_by_round(record):
    rows = record(
        {"recomputed_difference": 1.1e-6, "division": "open"},
        {"recomputed_difference": -1.1e-6, "inferred": True},
        {"recomputed_difference": 0.9e-6},
        without_log(precision=""),
        {"recomputed_difference": float("nan")},
        without_log(**OLD, division="network", inferred=True),
    )
    counts = coverage.counts(coverage.official(rows))
    names = ["rows", *DIVISIONS, "inferred", "recomputed", "compared", "differing", "precision_unknown"]
    assert list(counts.index) == ["v2.1", "v4.1", ALL]
    assert counts.loc["v4.1", names].tolist() == [5, 4, 1, 0, 1, 4, 3, 2, 1]
    assert counts.loc["v2.1", names].tolist() == [1, 0, 0, 1, 0, 0, 0, 0, 1]
    assert counts.loc[ALL, names].tolist() == [6, 4, 1, 1, 1, 4, 3, 2, 2]
    assert counts["source_ids"].tolist() == [
        ("mlcommons-v2.1",), ("mlcommons-v4.1",), ("mlcommons-v2.1", "mlcommons-v4.1")
    ]  # fmt: skip


def test_rounds_stand_in_the_order_of_their_age(record):
    rows = coverage.official(record(*({"round": name} for name in ("v10.0", "v2.1", "v5.1"))))
    assert list(coverage.counts(rows).index) == ["v2.1", "v5.1", "v10.0", ALL]
    assert list(coverage.set_aside(rows).index) == ["v2.1", "v5.1", "v10.0", ALL]
    assert list(coverage.submitters(rows))[-3:] == ["v2.1", "v5.1", "v10.0"]


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


def test_a_narrower_tolerance_finds_more_that_differ(record):
    rows = coverage.official(record({"recomputed_difference": 1e-8}, METERED | {"recomputed_power_difference": 1e-10}))
    assert coverage.counts(rows).loc[ALL, ["differing", "power_differing"]].tolist() == [0, 0]
    assert coverage.counts(rows, 1e-9).loc[ALL, ["differing", "power_differing"]].tolist() == [1, 0]


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


def test_power_without_samples_is_an_exception_where_its_round_has_samples(record):
    lost = {"power_measured": True, "benchmark": "scan"}
    rows = record(METERED | {"recomputed_power_difference": 0.1}, METERED, METERED | {"round": "v5.1"}, lost)
    found = coverage.exceptions(coverage.official(rows))
    assert dict(zip(found["why"], found["benchmark"], strict=True)) == {
        "power_differs": "llm", "no_samples": "llm", "power_excluded": "scan"
    }  # fmt: skip
    assert found["rows"].tolist() == [1, 1, 1]


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


def test_a_row_may_have_several_reasons(record):
    aside = coverage.set_aside(coverage.official(record({"division": "open", "suite": "edge"})))
    assert aside.loc[ALL, ["another_division", "another_suite", "compared"]].tolist() == [1, 1, 0]


def test_each_closed_result_is_of_one_class(record):
    latency, edge = {"metric": "latency", "scenario": "SingleStream"}, {"suite": "edge"}
    rows = record(
        {}, {"suite": "datacenter,edge"}, latency | edge, latency | {"suite": "datacenter,edge"}, latency, edge,
        METERED, METERED | edge | latency, {"accelerator": "mixed"}, {"duplicate_of": "r0"}, {"division": "open"},
    )  # fmt: skip
    assert coverage.by_class(coverage.official(rows)) == {
        "data-center throughput": 2, "edge latency": 2, "edge throughput": 1, "power": 2, "other": 2,
    }  # fmt: skip
    assert set(coverage.by_class(coverage.official(rows, ["v5.0"])).values()) == {0}


def test_submitters_stand_by_their_rows(record):
    one, two = {"submitter": "One"}, {"submitter": "Two", "division": "open"}
    rows = record(one, two, two | OLD, two | OLD | {"division": "closed", "system": "other"})
    found = coverage.submitters(coverage.official(rows))
    assert found.to_dict("list") == {
        "submitter": ["Two", "One"],
        "rows": [3, 1],
        "closed": [1, 1],
        "systems": [2, 1],
        "accelerators": [1, 1],
        "v2.1": [2, 0],
        "v4.1": [1, 1],
    }


def test_the_best_on_sale_of_each_round_stands_over_the_first(comparable_rows):
    """100 an accelerator in v4.1 and 250 in v5.1, where the fastest of all is a preview: 2.5 times."""
    later = {"round": "v5.1", "source": "official v5.1"}
    rows = comparable_rows(
        later | {"low": 2000.0},
        {},
        {"low": 400.0},
        later | {"low": 1600.0},
        later | {"low": 8e4, "availability": "preview"},
    )
    found = coverage.best(rows)
    assert found["id"].tolist() == ["r1", "r0"]
    assert found["over_first_low"].tolist() == found["over_first_high"].tolist() == [1.0, 2.5]


def test_of_no_row_nothing_is_counted(record, comparable_rows):
    nothing = coverage.official(record({}), ["v5.0"])
    frames = [coverage.counts, coverage.exceptions, coverage.set_aside, coverage.submitters]
    assert [len(count(nothing)) for count in frames] == [0] * len(frames)
    assert coverage.best(comparable_rows({"availability": "preview"})).empty


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
