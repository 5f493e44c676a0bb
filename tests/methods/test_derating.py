"""Measured derates: which runs pair, which systems are pooled, and what stands for an accelerator or a benchmark."""

import numpy as np
import pandas as pd
import pytest

from analysis._core.interval import Interval
from analysis._core.notes import NONE, note
from analysis.methods import derating

CLOSE = {"rel": 1e-12}
OFFLINE = {"result_id": "4.1-0001", "low": 1000.0}
SERVER = {"result_id": "4.1-0001", "low": 800.0, "scenario": "Server"}


def test_derate_carries_the_notes_of_both_runs_but_for_the_size_of_their_system(comparable_rows):
    size, preview, inferred = note("another_size", count=1, usual=8), note("preview"), note("inferred")
    offline = comparable_rows(OFFLINE | {"notes": {size, inferred}})
    limited = comparable_rows(SERVER | {"notes": {size, preview}})
    assert derating.measured(offline, limited)["notes"].tolist() == [{preview, inferred}]


@pytest.mark.parametrize(
    "other",
    [{"result_id": "4.1-0009"}, {"accelerator_count": 4}, {"accelerator": "L40S"}, {"benchmark": "images"},
     {"round": "v5.1"}],
)  # fmt: skip
def test_a_system_without_an_offline_run_is_there_without_a_derate(comparable_rows, other):
    (row,) = derating.measured(comparable_rows(OFFLINE), comparable_rows(SERVER | other)).to_dict("records")
    assert np.isnan(row["derate_low"]) and row["notes"] == NONE
    assert derating.pooled(pd.DataFrame([row])).empty and derating.newest(pd.DataFrame([row])).empty


@pytest.mark.parametrize("origin", ["published", "measured"])
def test_what_does_not_name_its_system_has_no_derate(comparable_rows, origin):
    paper = {"origin": origin, "source": "Paper", "source_id": "doc000", "result_id": ""}
    assert derating.measured(comparable_rows(OFFLINE | paper), comparable_rows(SERVER | paper)).empty


def systems(comparable_rows, *changes):
    """Systems that keep 0.9, 0.8, 0.7 ... of 1,000, each with its own changes."""
    both = [{"result_id": f"4.1-{place}"} | change for place, change in enumerate(changes)]
    offline = comparable_rows(*(OFFLINE | row for row in both))
    limited = comparable_rows(*(SERVER | row | {"low": 900.0 - 100 * place} for place, row in enumerate(both)))
    names = [change.get("hypervisor", "") for change in changes]
    return derating.measured(offline, limited.assign(hypervisor=pd.Series(names, index=limited.index, dtype="str")))


def test_preview_virtualized_and_two_precisions_are_marked_and_not_pooled(comparable_rows):
    changes = {}, {"availability": "preview"}, {"hypervisor": "VMware vSphere"}
    found = systems(comparable_rows, *changes)
    assert found["kind"].tolist() == ["available", "preview", "virtualized"]
    assert derating.pooled(found)["derate_low"].tolist() == [0.9]
    assert derating.pooled(found.tail(2))["derate_low"].tolist() == [0.8, 0.7]
    half = comparable_rows(OFFLINE | {"precision": "fp16"}), comparable_rows(OFFLINE | {"precision": ""})
    assert derating.measured(half[0], comparable_rows(SERVER))["kind"].tolist() == [derating.TWO_PRECISIONS]
    assert derating.measured(half[1], comparable_rows(SERVER))["kind"].tolist() == ["available"]


def test_one_system_of_each_accelerator_stands_for_it_under_each_limit(comparable_rows):
    """Of three H100 the second ran both; of two L40S the one of eight counts, not the faster pair."""
    own = [{"result_id": f"6.0-{place}"} | change for place, change in enumerate(
        ({}, {}, {}, {"accelerator": "L40S"}, {"accelerator": "L40S", "accelerator_count": 2}))]  # fmt: skip
    offline = comparable_rows(*(OFFLINE | row for row in own))
    kept = (900.0, 800.0, 700.0, 600.0, 950.0)
    server = comparable_rows(*(SERVER | row | {"low": low} for row, low in zip(own, kept, strict=True)))
    tight = comparable_rows(SERVER | own[1] | {"low": 500.0, "scenario": "Interactive"})
    found = derating.paired(*(derating.measured(offline, rows) for rows in (server, tight)))
    assert found[["accelerator", "scenario", "derate_low"]].to_numpy().tolist() == [
        ["H100 SXM", "Server", 0.8], ["H100 SXM", "Interactive", 0.5], ["L40S", "Server", 0.6]]  # fmt: skip


def test_benchmarks_are_told_by_range_median_and_systems(comparable_rows):
    (row,) = derating.by_benchmark(systems(comparable_rows, {}, {}, {})).to_dict("records")
    assert (row["benchmark"], row["scenario"], row["round"], row["systems"]) == ("llm", "Server", "v4.1", 3)
    assert (row["derate_low"], row["derate_high"]) == (0.7, 0.9)
    assert row["derate_median"] == pytest.approx(0.8, **CLOSE)


def test_systems_are_counted_above_within_and_below_a_band():
    """0.55 to 0.7 reaches into the band from below and counts as within it; 0.8 itself is no more than 0.8."""
    rows = pd.DataFrame({"derate_low": [0.55, 0.8, 0.81, 0.2], "derate_high": [0.7, 0.9, 0.9, 0.3]})
    assert derating.in_band(rows, Interval(0.6, 0.8)) == (1, 2, 1)


def test_layer_is_held_against_the_same_system_without_it(comparable_rows):
    rows = comparable_rows(
        {"low": 1000.0}, {"serving_software": "Triton", "low": 950.0}, {"serving_software": "vLLM", "low": 10.0},
        {"serving_software": "Triton", "machine": "other", "low": 1.0},
    )  # fmt: skip
    (row,) = derating.layered(rows, "Triton").to_dict("records")
    assert (row["share_low"], row["share_high"], row["accelerator"]) == (0.95, 0.95, "H100 SXM")
    assert row["source_ids"] == ("mlcommons-v4.1",)


def test_four_causes_two_of_them_measured():
    latency = pd.DataFrame({"derate_low": [0.7, 0.8, 0.9], "derate_high": [0.75, 1.05, 1.0], "scenario": "Interactive"})
    latency = latency.assign(system_key=["a", "b", "b"], benchmark=["llm", "llm", "images"])
    layer = pd.DataFrame({"share_low": [0.9, 0.95], "share_high": [0.97, 0.99], "system_key": "a", "benchmark": "llm"})
    found = derating.causes(latency, layer, "Triton")
    assert found["share_low"].dropna().tolist() == [0.7, 0.9]
    assert found["share_high"].dropna().tolist() == [1.05, 0.99]
    assert found["share_low"].isna().tolist() == [False, True, False, True]
    assert found[["systems", "benchmarks"]].to_numpy().tolist() == [[2, 2], [0, 0], [1, 1], [0, 0]]
    assert list(found["measured_by"][:2]) == [
        "Interactive over Offline, same system",
        "nothing: MLPerf Inference Interactive arrivals are random but steady",
    ]


def test_a_language_model_s_share_is_told_of_language_models_alone():
    """One whose rules limit each answer as a whole counts with other work: none of its users is promised a speed."""
    timed = pd.DataFrame({"benchmark": ["llm", "short", "answers"], "scenario": "Server", "confidence": "high",
                          "quantity": ["tpot_p99_limit", "tpot_p99_limit", "latency_p99_limit"]})  # fmt: skip
    measured = pd.DataFrame({"benchmark": ["llm", "images", "answers", "short"]})
    assert derating.like(measured, timed, "llm")["benchmark"].tolist() == ["llm", "short"]
    for other in ("images", "answers"):
        assert derating.like(measured, timed, other)["benchmark"].tolist() == measured["benchmark"].tolist()
