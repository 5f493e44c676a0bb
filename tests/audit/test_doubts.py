"""The doubt on each result, and what the gate and the parameter `trust` make of it."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from analysis.audit import doubts
from analysis.compare import caveats, gate
from analysis.compare.gate import Question
from analysis.core import parameters
from analysis.data.catalog import Catalog
from analysis.themes import quantization

Rows = Callable[..., pd.DataFrame]
Official = Callable[..., dict[str, Any]]
OURS = {"low": 799.5, "high": 800.5, "division": "closed"}


@pytest.fixture
def marked(rows: Rows, official: Official, benchmarks: pd.DataFrame, parts: pd.DataFrame) -> Callable:
    def mark(*given: dict[str, Any]) -> pd.DataFrame:
        return doubts.marked(rows(*given), benchmarks, parts).set_index("id")

    return mark


def test_what_the_record_bears_out_is_not_doubted(marked: Callable, official: Official) -> None:
    found = marked(OURS, official(low=800.0))
    assert found["doubt"].tolist() == ["", ""]
    assert found["checked"].tolist() == [True, True]


@pytest.mark.parametrize(
    ("given", "value", "doubt", "checked"),
    [
        ({}, 900.0, "contradicts the official record", False),
        ({"round": "v4.0"}, 800.0, "no official result of it at hand", False),
        ({"system": "Other"}, 900.0, "the official result of its system is not at hand", False),
        ({"low": 120_000.0}, 120_000.0, "above what its hardware can do", False),
        ({"accelerator_count": 4, "low": 400.0}, 800.0, "", True),
    ],
)
def test_what_is_doubted(
    marked: Callable, official: Official, given: dict[str, Any], value: float, doubt: str, checked: bool
) -> None:
    row = marked(OURS | {"high": None} | given, official(low=value)).loc["r0"]
    assert (row["doubt"], bool(row["checked"])) == (doubt, checked)


def test_a_repeat_is_as_doubtful_as_the_first(marked: Callable, official: Official) -> None:
    found = marked(OURS, OURS | {"duplicate_of": "r0", "accelerator_count": None}, official(low=900.0))
    assert found.loc["r1", "doubt"] == found.loc["r0", "doubt"] == "contradicts the official record"


def test_the_gate_marks_a_doubtful_figure_and_leaves_it_out_where_only_checked_ones_are_wanted(
    rows: Rows, official: Official, benchmarks: pd.DataFrame, parts: pd.DataFrame
) -> None:
    results = doubts.marked(rows(OURS, official(low=900.0)), benchmarks, parts)
    everything = gate.select(results, benchmarks, Question("llm", "Offline"))
    assert everything.rows.set_index("id").at["r0", "caveat"].endswith("; contradicts the official record")
    assert "contradicts the official record (A)" in caveats.line(everything.rows)
    checked = gate.select(results, benchmarks, Question("llm", "Offline", trust="checked"))
    assert checked.rows["origin"].tolist() == ["official"]
    assert checked.left_out["reason"].tolist() == ["not checked: contradicts the official record"]


def test_trust_is_one_of_two(rows: Rows, benchmarks: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"no trust 'check': did you mean 'checked'\? valid: all, checked"):
        gate.select(rows(), benchmarks, Question("llm", "Offline", trust="check"))
    with pytest.raises(ValueError, match="no trust"):
        gate.trusted(rows(), "some")


def test_rows_that_were_not_audited_are_trusted(rows: Rows) -> None:
    assert len(gate.trusted(rows(OURS), "checked")) == 1


@pytest.mark.parametrize("model", [each for each in parameters.MODELS.values() if issubclass(each, parameters.Common)])
def test_every_report_may_be_asked_for_checked_figures(model: type) -> None:
    assert gate.ask(model(trust="checked")).trust == "checked"
    assert gate.ask(model()).trust == "all"


def test_impossible_rates_leave_the_quantization_report_when_only_checked_ones_are_wanted(data: Catalog) -> None:
    tables = (data.quantization, data.results, "llama2-70b", "fp16")
    everything = quantization.tradeoffs(*tables)
    assert set(everything["caveat"]) == {"above what its hardware can do"}
    checked = quantization.tradeoffs(tables[0], gate.trusted(data.results, "checked"), *tables[2:])
    assert len(everything) == 5
    assert checked.empty
