"""Two documents on one quantity, and documents against the tables of facts."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.audit import cross_document

Rows = Callable[..., pd.DataFrame]


@pytest.fixture
def judged(rows: Rows, tables: Callable, by_row: Callable) -> Callable:
    return lambda *given: by_row(cross_document.throughputs(tables(results=rows(*given))))


def test_tokens_and_samples_are_the_same_quantity(judged: Callable) -> None:
    samples = {"low": 3.0, "unit": "samples/s", "source_id": "docB"}  # 750 to 900 tokens/s at 250 to 300 a sample
    assert judged({"low": 800.0}, samples) == {"r0": "within_rounding", "r1": "within_rounding"}
    assert judged({"low": 1000.0}, samples) == {"r0": "contradicted", "r1": "contradicted"}


def test_systems_are_compared_per_accelerator(judged: Callable) -> None:
    one = {"low": 100.0, "accelerator_count": 1, "source_id": "docB"}
    assert judged({"low": 800.0}, one) == {"r0": "within_rounding", "r1": "within_rounding"}


def test_what_the_record_bears_out_is_not_accused_by_another_document(judged: Callable, official: Callable) -> None:
    wrong = {"low": 400.0, "source_id": "docB"}
    assert judged({"low": 800.0}, wrong, official(low=800.0)) == {"r1": "contradicted"}


def test_other_rounds_scenarios_and_parts_are_another_quantity(judged: Callable) -> None:
    for other in ({"round": "v4.0"}, {"scenario": "Server"}, {"accelerator": "H200 SXM"}, {"source_id": "docA"}):
        assert judged({"low": 800.0}, {"low": 400.0, "source_id": "docB"} | other) == {}


@pytest.mark.parametrize(
    ("other", "verdict"), [(80.0, "confirmed"), (83.0, "within_5_percent"), (94.0, "contradicted")]
)
def test_claims_about_one_part(claims: Rows, tables: Callable, verdicts: Callable, other: float, verdict: str) -> None:
    capacity = {"quantity": "memory_capacity", "subject_accelerator": "H100 SXM", "unit": "GB"}
    both = claims(capacity | {"low": 80.0}, capacity | {"low": other, "source_id": "docB"})
    assert verdicts(cross_document.claims(tables(claims=both))) == [verdict, verdict]


@pytest.mark.parametrize(
    ("named", "judgments"),
    [({}, 2), ({"provider": "Another"}, 0), ({"provider": "most of them", "providers": "several"}, 2),
     ({"provider": "not named", "providers": "unnamed"}, 0)],
)  # fmt: skip
def test_prices_of_one_provider_or_of_several(
    prices: Rows, tables: Callable, verdicts: Callable, named: dict, judgments: int
) -> None:
    other = {"source_id": "docB", "usd_per_accelerator_hour_low": 4.0, "usd_per_accelerator_hour_high": 4.0}
    assert verdicts(cross_document.prices(tables(prices=prices({}, other | named)))) == ["contradicted"] * judgments


@pytest.mark.parametrize(
    ("quantity", "value", "verdict"),
    [("memory_capacity", 80.0, "confirmed"), ("memory_capacity", 94.0, "contradicted"),
     ("power_limit", 700.0, "confirmed"), ("memory_bandwidth", 3450.0, "within_5_percent")],
)  # fmt: skip
def test_facts(claims: Rows, tables: Callable, verdicts: Callable, quantity: str, value: float, verdict: str) -> None:
    claim = claims({"quantity": quantity, "subject_accelerator": "H100 SXM", "low": value})
    assert verdicts(cross_document.datasheets(tables(claims=claim))) == [verdict]


@pytest.mark.parametrize(("stated", "verdict"), [(1.7625, "confirmed"), (1.9, "contradicted")])
def test_ratios_of_facts(claims: Rows, tables: Callable, stated: float, verdict: str) -> None:
    parts = {"subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM"}
    claim = claims(parts | {"quantity": "memory_capacity_ratio", "low": stated})
    (one,) = cross_document.datasheets(tables(claims=claim))
    assert (one.verdict, one.reference) == (verdict, "accelerators.csv, H200 SXM / H100 SXM")


@pytest.mark.parametrize(("other", "verdict"), [(0.4, "confirmed"), (0.5, "contradicted")])
def test_ratios_of_two_documents_exclude_each_other_whichever_part_is_named_first(
    claims: Rows, tables: Callable, verdicts: Callable, other: float, verdict: str
) -> None:
    ratio = {"subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM", "round": "v4.1", "low": 2.5}
    turned = {"subject_accelerator": "H100 SXM", "baseline_accelerator": "H200 SXM", "low": other, "source_id": "docB"}
    judgments = list(cross_document.claims(tables(claims=claims(ratio | {"accelerator_count": 8}, ratio | turned))))
    assert verdicts(judgments) == [verdict, verdict]
    assert judgments[0].expected.low == pytest.approx(1 / other)
    assert "of H100 SXM over H200 SXM" in judgments[0].explanation
