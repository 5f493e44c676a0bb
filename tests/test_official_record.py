"""Agreement of results with their logs, by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import load_results, official_record, tables

NONE = float("nan")


def test_results_are_counted_by_round():
    rows = pd.DataFrame(
        {
            "id": ["a", "b", "c", "d"],
            "round": pd.Categorical(["v5.1", "v5.1", "v5.1", "v6.1"], ["v5.0", "v5.1", "v6.1"], ordered=True),
            "source_id": ["s", "later", "later", "s"],
            "recomputed": [1.0, 2.0, NONE, 3.0],
            "inferred": [True, False, True, False],
            "recomputed_difference": [1e-6, 2e-6, NONE, NONE],
            "recomputed_power_difference": [NONE, -1e-5, NONE, NONE],
            "unit": ["tokens/s", "samples/s", "tokens/s", "tokens/s"],
            "printed_unit": ["Samples/s", "Samples/s", "", "Tokens/s"],
        }
    )
    counts = official_record.recomputed_by_round(rows)
    assert counts.index.tolist() == ["v5.1", "v6.1"]
    assert counts.loc["v5.1"].drop("source_id").tolist() == [3, 2, 2, 2, 1, 1, 1, 1]  # inferred without a log too
    assert counts.loc["v6.1"].tolist() == [1, 1, 0, 0, 0, 0, 0, 0, "s"] and counts.loc["v5.1", "source_id"] == "s"
    assert official_record.recomputed_by_round(rows, 1e-4)["mismatches"].tolist() == [0, 0]
    assert official_record.recomputed_by_round(rows, 0)["mismatches"].tolist() == [2, 0]
    with pytest.raises(ValueError, match="tolerance is"):
        official_record.recomputed_by_round(rows, 1.1)


def test_bulk_submitters_are_those_above_the_limit():
    rows = pd.DataFrame({"id": list("abcd"), "submitter": ["x", "y", "y", "y"]})
    assert official_record.without_bulk(rows, 3)["id"].tolist() == list("abcd")
    assert official_record.without_bulk(rows, 2)["id"].tolist() == ["a"]


def test_what_results_are_read_from_tells_inferred_ones_apart():
    rows = {"evidence": ["log", "log", "table", "summary"], "inferred": [False, True, False, True]}
    counts = official_record.read_from(pd.DataFrame(rows).assign(round="v3.0"))
    assert counts.loc["v3.0"].to_dict() == {"log": 1, "inferred": 2, "summary": 0, "table": 1, "collection": 0}


def test_odd_runs_are_slow_or_with_errors_or_far_from_their_median():
    """In order: 0.94 of the schedule, an error at 0.95, a p99 of 2.1 medians; 0.95 and 2.0 alone are not odd."""
    rows = pd.DataFrame(
        {
            "id": ["fine", "error", "slow", "far", "farther", "unknown"],
            "samples_per_second": [95.0, 95.0, 94.0, NONE, NONE, 90.0],
            "scheduled_samples_per_second": [100.0, 100.0, 100.0, NONE, NONE, NONE],
            "errors": [0.0, 1.0, 0.0, NONE, NONE, NONE],
            "tpot_p50_ms": [10.0, 10.0, 10.0, 10.0, 10.0, NONE],
            "tpot_p99_ms": [20.0, 11.0, 11.0, 21.0, 22.0, NONE],
        }
    )
    odd = official_record.odd_runs(rows)
    assert odd["id"].tolist() == ["slow", "error", "farther", "far"]
    assert odd["p99_over_median"].tolist() == pytest.approx([1.1, 1.1, 2.2, 2.1])


def test_answers_stand_beside_the_rule_of_their_round(monkeypatch):
    """A rule of v6.0 and v6.1, 90 to 110 of 100; a run of v5.1 has none, one without a log neither."""
    rule = {"benchmark": "a", "quantity": official_record.LENGTHS, "source_id": "mlcommons-rules", "printed": "100"}
    limits = pd.DataFrame([rule | {"low": 90.0, "high": 110.0, "rounds": "v6.0;v6.1"}])
    monkeypatch.setattr(tables, "__getattr__", lambda name: limits)
    rows = pd.DataFrame(
        {
            "benchmark": "a",
            "model": ["B", "A", "A", "A", "B", "B"],
            "round": pd.Categorical(["v6.1", "v6.0", "v5.1", "v6.1", "v6.1", "v6.1"]),
            "tokens_per_answer": [95.0, 222.0, 100.0, NONE, 110.0, 89.0],
        }
    )
    found = official_record.answer_lengths(rows)
    assert found["of_reference"].to_dict() == {0: 222.0, 1: 89.0, 2: 110.0, 3: 95.0}
    assert found["outside"].tolist() == [True, True, False, False]


def test_a_wrong_unit_is_off_by_the_tokens_of_the_run_or_of_its_benchmark(monkeypatch):
    known = pd.DataFrame(
        {"benchmark": ["a", "b"], "tokens_per_sample_low": [60.0, 600.0], "tokens_per_sample_high": [80.0, 650.0]}
    )
    monkeypatch.setattr(tables, "__getattr__", lambda name: known)
    rows = pd.DataFrame(
        {
            "round": ["v5.1", "v5.1", "v5.1", "v5.0", "v5.0"],
            "benchmark": ["a", "a", "a", "b", "c"],
            "model": ["A", "A", "A", "B", "C"],
            "scenario": "Offline",
            "tokens_per_sample": [70.0, 90.0, 1.0, NONE, NONE],
            "unit": "tokens/s",
            "printed_unit": ["Samples/s", "Queries/s", "Tokens/s", "Samples/s", "Samples/s"],
        }
    )
    errors = official_record.unit_errors(rows).set_index("model")
    assert errors.loc["A"].tolist() == ["v5.1", "Offline", 2, 70, 90]
    assert errors.loc["B", ["results", "low", "high"]].tolist() == [1, 600, 650]
    assert errors.loc["C", "results"] == 1  # also of a benchmark without a range


def test_a_wrong_precision_names_what_was_declared_and_what_ran():
    wrong = official_record.wrong_precisions(load_results())
    assert set(wrong["declared"]) == {"bf16", "fp32", "fp8"} and set(wrong["precision"]) == {"fp4"}
    assert wrong["reason"].ne("").all()
