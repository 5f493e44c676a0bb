"""Published results against the official record: agreement, other sizes, another part, another system, no record."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from analysis.audit import against_record

Rows = Callable[..., pd.DataFrame]
Official = Callable[..., dict[str, Any]]
ROUNDED = {"low": 799.5, "high": 800.5}


@pytest.fixture
def judged(rows: Rows, tables: Callable) -> Callable:
    """The verdicts on the first row, by check, with the other rows beside it, and other tables."""

    def judge(*given: dict[str, Any], **others: Any) -> dict[str, str]:
        judgments = list(against_record.results(tables(results=rows(*given), **others)))
        assert len(judgments) == len({(one.figure["id"], one.check) for one in judgments})
        return {one.check: one.verdict for one in judgments if one.figure["id"] == "r0"}

    return judge


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(800.0, "confirmed"), (800.4, "within_rounding"), (830.0, "within_5_percent"), (900.0, "contradicted"),
     (700.0, "contradicted")],
)  # fmt: skip
def test_the_same_size(judged: Callable, official: Official, value: float, verdict: str) -> None:
    assert judged(ROUNDED, official(low=value)) == {"official": verdict}


def test_without_the_official_row_it_has_no_official_basis(judged: Callable, official: Official) -> None:
    assert judged(ROUNDED) == {"official": "no_official_result"}
    assert judged(ROUNDED, official(low=800.0, round="v4.0")) == {"official": "no_official_result"}
    assert judged(ROUNDED, official(low=800.0, accelerator="H200 SXM")) == {"official": "no_official_result"}
    assert judged(ROUNDED, official(low=800.0, power_measured=True)) == {"official": "no_official_result"}
    assert judged(ROUNDED, official(low=800.0, division="open")) == {"official": "no_official_result"}


def test_the_nearest_of_several_counts_and_else_all_of_them(judged: Callable, official: Official) -> None:
    near, far = official(low=800.0), official(low=900.0, result_id="4.1-0002")
    assert judged(ROUNDED, far, near)["official"] == "confirmed"
    assert judged(ROUNDED | {"low": 839.5, "high": 860.0}, far, near)["official"] == "within_rounding"


def test_samples_are_converted_with_the_tokens_of_the_official_run(judged: Callable, official: Official) -> None:
    samples = {"low": 2.75, "high": 2.76, "unit": "samples/s"}
    assert judged(samples, official(low=800.0)) == {"official": "within_rounding"}  # 800 / 290 = 2.7586
    assert judged(samples, official(low=800.0, tokens_per_sample=200.0)) == {"official": "contradicted"}
    assert judged(samples, official(low=800.0, tokens_per_sample=None)) == {"official": "unverifiable"}


def test_another_size_is_no_basis_but_is_compared_per_accelerator(judged: Callable, official: Official) -> None:
    one = official(low=100.0, accelerator_count=1)
    assert judged(ROUNDED, one) == {"official": "no_official_result", "official per accelerator": "confirmed"}
    less = ROUNDED | {"low": 400.0, "high": 410.0}
    assert judged(less, one) == {"official per accelerator": "contradicted"}


def test_a_figure_per_accelerator_is_compared_with_every_size(judged: Callable, official: Official) -> None:
    each = {"low": 750.0, "high": 820.0, "per": "accelerator", "accelerator_count": 1, "range_basis": "range"}
    assert judged(each, official(low=24_524.9)) == {"official per accelerator": "contradicted"}  # 3,065.6 each
    assert judged(each, official(low=6400.0)) == {"official per accelerator": "within_rounding"}


def test_only_the_part_of_another_power_limit_agrees(judged: Callable, official: Official) -> None:
    own, capped = official(low=700.0, accelerator="H200 SXM"), official(low=800.0, accelerator="H200 SXM CTS")
    assert judged(ROUNDED | {"accelerator": "H200 SXM"}, own, capped) == {"official": "conditional"}
    assert judged(ROUNDED | {"accelerator": "H200 SXM"}, own) == {"official": "contradicted"}
    assert judged(ROUNDED, official(low=700.0), capped) == {"official": "contradicted"}


def test_others_do_not_contradict_a_named_system_that_is_not_at_hand(judged: Callable, official: Official) -> None:
    assert judged(ROUNDED | {"system": "Other box"}, official(low=700.0)) == {"official": "unverifiable"}
    assert judged(ROUNDED | {"system": "ACME box"}, official(low=700.0)) == {"official": "contradicted"}
    assert judged(ROUNDED | {"submitter": "Other"}, official(low=700.0)) == {"official": "unverifiable"}


def test_what_is_no_mlperf_result_has_no_official_basis(judged: Callable, official: Official) -> None:
    batch = ROUNDED | {"round": "", "scenario": "", "batch_size": 1}
    assert judged(batch, official(low=800.0)) == {"official": "no_official_result"}


def test_a_slower_precision_is_not_held_against_the_record(judged: Callable, official: Official) -> None:
    slow, fast = ROUNDED | {"precision": "fp16"}, {"low": 1600.0, "precision": "fp8"}
    assert judged(slow, fast, official(low=1600.0)) == {"official": "no_official_result"}
    assert judged(slow, official(low=1600.0)) == {"official": "contradicted"}


def test_a_card_without_a_name_may_be_any_of_its_kind(judged: Callable, official: Official) -> None:
    assert judged(ROUNDED | {"accelerator": "card 1"}, official(low=800.0, accelerator="card 1 Slim")) == {
        "official": "confirmed"
    }


def test_watts_and_throughput_per_watt(rows: Rows, official: Official, tables: Callable, verdicts: Callable) -> None:
    run = {"power_measured": True, "power_watts_low": 400.0, "power_watts_high": 400.0}
    printed = {"power_watts_low": 399.5, "power_watts_high": 400.5, "per_watt_low": 1.5, "per_watt_high": 2.4}
    right = list(against_record.power(tables(results=rows(ROUNDED | run | printed, official(low=800.0) | run))))
    assert verdicts(right) == ["confirmed", "within_rounding"]
    assert [one.expected.low for one in right] == [400.0, 2.0]
    wrong = printed | {"per_watt_low": 2.5, "per_watt_high": 3.5}
    wrong = against_record.power(tables(results=rows(ROUNDED | run | wrong, official(low=800.0) | run)))
    assert verdicts(wrong) == ["confirmed", "contradicted"]


def test_explanation_names_the_official_result(rows: Rows, official: Official, tables: Callable) -> None:
    (one,) = against_record.results(tables(results=rows(ROUNDED, official(low=900.0))))
    assert one.reference == "4.1-0001"
    assert one.explanation == (
        "Official result 4.1-0001 (8x H100 SXM, Offline) gives 900 tokens/s: the figure is too low by a factor of 1.12."
    )


@pytest.mark.parametrize(("closed", "verdict"), [(1, "contradicted"), (2, "no_official_result")])
def test_what_the_whole_round_lacks_contradicts_it(
    judged: Callable, official: Official, rounds: Callable, closed: int, verdict: str
) -> None:
    other = official(low=800.0, accelerator="H200 SXM")
    assert judged(ROUNDED, other, rounds=rounds(**{"v4.1": closed})) == {"official": verdict}
    stated = ROUNDED | {"round": "v4.0"}
    assert judged(stated, other, rounds=rounds(**{"v4.1": 1})) == {"official": "no_official_result"}


def test_a_document_that_names_no_division_may_mean_another_one(
    judged: Callable, official: Official, rounds: Callable
) -> None:
    given = official(low=800.0, division="open"), official(low=1.0, accelerator="H200 SXM")
    whole = rounds(**{"v4.1": 1})
    assert judged(ROUNDED, *given, rounds=whole) == {"official": "no_official_result"}
    assert judged(ROUNDED | {"division": "closed"}, *given, rounds=whole) == {"official": "contradicted"}


def test_in_a_whole_round_a_named_system_that_is_not_there_is_contradicted_by_the_others(
    judged: Callable, official: Official, rounds: Callable
) -> None:
    stated = ROUNDED | {"system": "Other box"}
    assert judged(stated, official(low=700.0), rounds=rounds(**{"v4.1": 1})) == {"official": "contradicted"}
    assert judged(stated, official(low=700.0)) == {"official": "unverifiable"}


def test_what_contradicts_the_record_is_not_called_without_a_basis_too(judged: Callable, official: Official) -> None:
    """Eight of them are not official, and one of them is another rate."""
    one = official(low=50.0, accelerator_count=1)
    assert judged(ROUNDED, one) == {"official per accelerator": "contradicted"}


@pytest.mark.parametrize(
    "named", [{"submitter": "ACME"}, {"system": "ACME box"}, {"submitter": "ACME", "system": "ACME box"}]
)
def test_a_named_submitter_or_system_is_held_against_its_own_results(
    judged: Callable, official: Official, named: dict[str, str]
) -> None:
    other = official(low=800.0, submitter="Other", system="Other box")
    assert judged(ROUNDED | named, official(low=900.0), other) == {"official": "contradicted"}
    assert judged(ROUNDED, official(low=900.0), other) == {"official": "confirmed"}


def test_of_several_results_that_agree_it_is_the_one_that_the_document_cites(
    rows: Rows, official: Official, tables: Callable, claims: Rows
) -> None:
    cited = claims({"quantity": "result_cited", "subject": "4.1-0002", "round": "v4.1"})
    frame = rows(ROUNDED, official(low=800.1), official(low=800.2, result_id="4.1-0002"), official(low=900.0))
    for own, reference in ((cited, "4.1-0002"), (cited.assign(source_id="docB"), "4.1-0001, 4.1-0002")):
        (one,) = against_record.results(tables(results=frame, claims=own))
        assert (one.verdict, one.reference) == ("within_rounding", reference)


def test_a_citation_alone_accuses_no_figure(judged: Callable, official: Official, claims: Rows) -> None:
    """What is doubted of results does not read what documents claim."""
    cited = claims({"quantity": "result_cited", "subject": "4.1-0002", "round": "v4.1"})
    given = official(low=800.0), official(low=900.0, result_id="4.1-0002")
    assert judged(ROUNDED, *given, claims=cited) == judged(ROUNDED, *given) == {"official": "confirmed"}
