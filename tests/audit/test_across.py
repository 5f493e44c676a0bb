"""Two documents on one quantity, and documents against the tables of facts."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.audit import across, against_record

Rows = Callable[..., pd.DataFrame]


@pytest.fixture
def judged(rows: Rows, benchmarks: pd.DataFrame, parts: pd.DataFrame, verdicts: Callable) -> Callable:
    def judge(*given: dict) -> dict[str, str]:
        frame = rows(*given)
        found = across.throughputs(frame, benchmarks, against_record.results(frame, benchmarks, parts))
        return {row: verdict for (row, _), verdict in verdicts(found).items()}

    return judge


def test_tokens_and_samples_are_the_same_quantity(judged: Callable) -> None:
    samples = {"low": 3.0, "unit": "samples/s", "source_id": "docB"}  # 750 to 900 tokens/s at 250 to 300 a sample
    assert judged({"low": 800.0}, samples) == {"r0": "within_rounding", "r1": "within_rounding"}
    assert judged({"low": 1000.0}, samples) == {"r0": "contradicts", "r1": "contradicts"}


def test_systems_are_compared_per_accelerator(judged: Callable) -> None:
    one = {"low": 100.0, "accelerator_count": 1, "source_id": "docB"}
    assert judged({"low": 800.0}, one) == {"r0": "within_rounding", "r1": "within_rounding"}


def test_what_the_record_bears_out_is_not_accused_by_another_document(judged: Callable, official: Callable) -> None:
    wrong = {"low": 400.0, "source_id": "docB"}
    assert judged({"low": 800.0}, wrong, official(low=800.0)) == {"r1": "contradicts"}


def test_other_rounds_scenarios_and_parts_are_another_quantity(judged: Callable) -> None:
    for other in ({"round": "v4.0"}, {"scenario": "Server"}, {"accelerator": "H200 SXM"}, {"source_id": "docA"}):
        assert judged({"low": 800.0}, {"low": 400.0, "source_id": "docB"} | other) == {}


@pytest.mark.parametrize(("other", "found"), [(80.0, "exact"), (83.0, "within_5_percent"), (94.0, "contradicts")])
def test_claims_about_one_part(claims: Rows, other: float, found: str) -> None:
    said = {"quantity": "memory_capacity", "subject_accelerator": "H100 SXM", "unit": "GB"}
    judged = across.claims(claims(said | {"low": 80.0}, said | {"low": other, "source_id": "docB"}))
    assert judged["verdict"].tolist() == [found, found]


def test_prices_of_one_provider_only(prices: Rows) -> None:
    other = {"source_id": "docB", "usd_per_accelerator_hour_low": 4.0, "usd_per_accelerator_hour_high": 4.0}
    assert across.prices(prices({}, other))["verdict"].tolist() == ["contradicts", "contradicts"]
    assert across.prices(prices({}, other | {"provider": "Another"})).empty


@pytest.mark.parametrize(
    ("quantity", "value", "found"),
    [("memory_capacity", 80.0, "exact"), ("memory_capacity", 94.0, "contradicts"), ("power_limit", 700.0, "exact"),
     ("memory_bandwidth", 3450.0, "within_5_percent")],
)  # fmt: skip
def test_facts(
    claims: Rows, parts: pd.DataFrame, benchmarks: pd.DataFrame, quantity: str, value: float, found: str
) -> None:
    said = {"quantity": quantity, "subject_accelerator": "H100 SXM", "low": value}
    assert across.datasheets(claims(said), parts, benchmarks)["verdict"].tolist() == [found]


@pytest.mark.parametrize(("stated", "found"), [(1.7625, "exact"), (1.9, "contradicts")])
def test_ratios_of_facts(
    claims: Rows, parts: pd.DataFrame, benchmarks: pd.DataFrame, stated: float, found: str
) -> None:
    said = {"quantity": "memory_capacity_ratio", "subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM"}
    assert across.datasheets(claims(said | {"low": stated}), parts, benchmarks)["verdict"].tolist() == [found]
