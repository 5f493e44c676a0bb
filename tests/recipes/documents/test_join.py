"""The join: repeats, verdicts by hand, what nothing checks, and data/verdicts.csv itself."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import tables
from analysis.audit.verdicts import FOUND
from analysis.published import VERDICTS, decisive, load_figures
from analysis.recipes.documents import join, judge
from tests.audit.frames import figures, official

NO_HAND = pd.DataFrame(columns=FOUND)


def judged(rows: pd.DataFrame, *results: dict, by_hand: pd.DataFrame = NO_HAND) -> pd.Series:
    found = judge(rows, official(*results), by_hand)
    return decisive(found).set_index("id")["verdict"].sort_index()


def test_a_repeat_has_the_verdict_of_the_first_mention():
    rows = figures({"low": 200.0, "high": 200.0}, {"duplicate_of": "f0", "low": 200.0, "high": 200.0})
    assert judged(rows, {"rate": 80.0}).tolist() == ["contradicted", "contradicted"]


def test_a_repeat_with_another_number_is_contradicted_by_the_first():
    rows = figures({}, {"duplicate_of": "f0", "low": 200.0, "high": 200.0})
    assert judged(rows, {"rate": 80.0}).tolist() == ["confirmed", "contradicted"]


def test_a_verdict_by_hand_replaces_the_computed_one_of_the_same_check():
    by_hand = pd.DataFrame([{"id": "f0", "check": "official", "verdict": "no official result", "reason": "so it is"}])
    assert judged(figures({}), {"rate": 80.0}, by_hand=by_hand.reindex(columns=FOUND)).tolist() == [
        "no official result"
    ]


def test_what_nothing_checks_is_unverifiable_with_its_reason():
    found = judge(figures({"quantity": "price", "round": ""}), official({}), NO_HAND)
    assert found[["verdict", "reason"]].to_numpy().tolist() == [
        ["unverifiable", "The data lack the provider's offer of that day."]
    ]


def test_impossible_and_contradicted_decide_then_the_worst_definite_verdict():
    order = list(VERDICTS)
    rows = pd.DataFrame({"id": "a", "verdict": order[::-1]})
    for worst in order:
        assert decisive(rows)["verdict"].tolist() == [worst]
        rows = rows[rows["verdict"].ne(worst)]


def test_an_accelerator_without_a_datasheet_stops_nothing():
    rows = figures({"accelerator": "X900"}, {"accelerator": "X900", "quantity": "memory_capacity", "unit": "GB"})
    found = judged(rows, {"accelerator": "X900", "rate": 80.0}, {"accelerator": "mixed"}, {"accelerator": ""})
    assert found.to_dict() == {"f0": "confirmed", "f1": "unverifiable"}


@pytest.fixture(scope="module")
def shipped() -> pd.DataFrame:
    return tables.load("verdicts")


def test_the_file_is_what_the_checks_give(shipped):
    anew, texts = join.judged(), ["id", "check", "verdict", "reason", "by_hand"]
    assert anew[texts].equals(shipped[texts]) and anew["by_hand"].sum() > 30
    ends = [name for name in FOUND if name.startswith(("printed", "expected"))]
    assert anew[ends].to_numpy(float) == pytest.approx(shipped[ends].to_numpy(float), rel=1e-8, nan_ok=True)


def test_each_figure_has_a_verdict_and_each_verdict_a_figure(shipped):
    assert set(shipped["id"]) == set(load_figures()["id"])
    assert set(shipped["verdict"]) <= set(VERDICTS)


# Whom the audit accuses, by hand from the documents and the record; repeats of these are left out.
CONTRADICTED = """
doc000-mlperf-b200 doc000-mlperf-tpu-v5e doc000-mlperf-a100 doc000-mlperf-h100-over-a100 doc000-publication-date
doc001-footnote-rnn-t doc002-llama2-70b-h100-fp8 doc002-llama2-70b-h100-pcie doc002-llama2-70b-mi300x doc002-gptj-l40s
doc002-llama2-70b-a100 doc002-pcie-over-sxm doc002-ratio-by-bandwidth doc002-mi300x-over-h100 doc002-l40s-over-a100
doc002-l40s-sdxl-rank doc002-a100-over-h100 doc002-workloads doc004-intel-first
"""
IMPOSSIBLE = """
doc000-batch1-h200-trtllm doc000-batch1-h200-vllm doc000-batch1-h100-trtllm doc000-batch1-h100-vllm
doc000-batch1-a100-vllm doc000-quant-result-fp16 doc000-quant-result-fp8 doc000-quant-result-int8
doc000-quant-result-int4-gptq doc000-quant-result-int4-awq doc000-dollar-h200-lambda doc000-dollar-h100-lambda
doc000-dollar-h100-aws doc000-dollar-a100-lambda
"""


def test_nobody_else_is_accused_and_nobody_is_spared(shipped):
    first = load_figures().query("duplicate_of == ''")["id"]
    outcome = decisive(shipped).set_index("id")["verdict"][first]
    assert sorted(outcome.index[outcome.eq("contradicted")]) == sorted(CONTRADICTED.split())
    assert sorted(outcome.index[outcome.eq("physically impossible")]) == sorted(IMPOSSIBLE.split())


def test_a_check_by_hand_judges_few_figures(shipped):
    """Checks that judge more than four figures are computed; what replaces a computed verdict may be of any check."""
    computed = set(shipped.loc[~shipped["by_hand"], "check"])
    alone = shipped[shipped["by_hand"] & ~shipped["check"].isin(computed)]
    assert alone["check"].value_counts().max() <= 4


def test_a_round_that_the_record_lacks_contradicts_no_name_and_no_count():
    named = {"quantity": "benchmark_named", "round": "v9.9", "subject": "Llama"}
    counted = {"quantity": "workloads", "round": "v9.9", "low": 3.0, "unit": "workloads"}
    assert judged(figures(named, counted), {"rate": 80.0}).tolist() == ["unverifiable", "unverifiable"]
