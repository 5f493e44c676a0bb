"""Agreement of results with their logs, by hand."""

from __future__ import annotations

import pandas as pd

from analysis import load_results, official_record, tables

NONE = float("nan")


def test_results_are_counted_by_round():
    rows = pd.DataFrame(
        {
            "id": ["a", "b", "c", "d"],
            "round": pd.Categorical(["v5.1", "v5.1", "v5.1", "v6.1"], ["v5.0", "v5.1", "v6.1"], ordered=True),
            "source_id": "s",
            "recomputed": [1.0, 2.0, NONE, 3.0],
            "inferred": [True, False, True, False],
            "recomputed_difference": [0.0, 2e-6, NONE, NONE],
            "recomputed_power_difference": [NONE, -1e-5, NONE, NONE],
            "unit": ["tokens/s", "samples/s", "tokens/s", "tokens/s"],
            "printed_unit": ["Samples/s", "Samples/s", "", "Tokens/s"],
        }
    )
    counts = official_record.by_round(rows)
    assert counts.index.tolist() == ["v5.1", "v6.1"]
    assert counts.loc["v5.1"].drop("source_id").tolist() == [3, 2, 1, 2, 1, 1, 1, 1]
    assert counts.loc["v6.1"].drop("source_id").tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
    assert official_record.by_round(rows, 1e-4)["mismatches"].tolist() == [0, 0]


def test_a_wrong_unit_is_off_by_the_tokens_of_the_run_or_of_its_benchmark(monkeypatch):
    known = pd.DataFrame(
        {"benchmark": ["a", "b"], "tokens_per_sample_low": [60.0, 600.0], "tokens_per_sample_high": [80.0, 650.0]}
    )
    monkeypatch.setattr(tables, "__getattr__", lambda name: known)
    rows = pd.DataFrame(
        {
            "round": ["v5.1", "v5.1", "v5.1", "v5.0", "v5.0"],
            "benchmark": ["a", "a", "a", "b", "b"],
            "model": ["A", "A", "A", "B", "B"],
            "scenario": "Offline",
            "tokens_per_sample": [70.0, 90.0, 1.0, NONE, NONE],
            "unit": "tokens/s",
            "printed_unit": ["Samples/s", "Queries/s", "Tokens/s", "Samples/s", "Samples/s"],
        }
    )
    errors = official_record.unit_errors(rows).set_index("model")
    assert errors.loc["A", ["results", "low", "high"]].tolist() == [2, 70, 90]
    assert errors.loc["B", ["results", "low", "high"]].tolist() == [2, 600, 650]


def test_a_wrong_precision_names_what_was_declared_and_what_ran():
    wrong = official_record.wrong_precisions(load_results())
    assert (wrong["declared"] != wrong["precision"]).all()
    assert wrong["declared"].ne("").all()
