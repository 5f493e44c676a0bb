"""Figures against the other figures of their document: right, and wrong once one of them is changed."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from analysis.audit import arithmetic, ratios, sizes
from analysis.audit.frames import Tables

Rows = Callable[..., pd.DataFrame]


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(799.5, 800.5, "confirmed"), (800.0, 801.0, "within_rounding"), (830.0, 831.0, "within_5_percent"),
     (900.0, 901.0, "contradicted")],
)  # fmt: skip
def test_a_repeat_must_say_the_same(rows: Rows, tables: Callable, low: float, high: float, verdict: str) -> None:
    frame = rows({"low": 799.5, "high": 800.5}, {"duplicate_of": "r0", "low": low, "high": high})
    (one,) = arithmetic.repeats(tables(results=frame))
    assert (one.figure["id"], one.verdict, one.reference) == ("r1", verdict, "r0")


@pytest.fixture
def dollars(rows: Rows, claims: Rows, prices: Rows, tables: Callable) -> Callable[..., Tables]:
    """A rate of 100 tokens/s at 3.60 dollars an hour, said to be so many tokens per dollar: 100,000 are right."""

    def make(stated: float, **rate: Any) -> Tables:
        own = {"quantity": "tokens_per_dollar", "low": stated, "result_row": "rate", "price_row": "r0"}
        return tables(claims=claims(own), results=rows({"id": "rate", "low": 100.0} | rate), prices=prices({}))

    return make


@pytest.mark.parametrize(
    ("stated", "verdict"), [(100_000.0, "confirmed"), (104_000.0, "within_5_percent"), (106_000.0, "contradicted")]
)
def test_tokens_per_dollar(dollars: Callable, verdicts: Callable, stated: float, verdict: str) -> None:
    assert verdicts(arithmetic.tokens_per_dollar(dollars(stated))) == [verdict]


def test_tokens_per_dollar_of_another_row_are_not_compared(dollars: Callable) -> None:
    assert list(arithmetic.tokens_per_dollar(dollars(1.0, id="another"))) == []


@pytest.mark.parametrize(
    ("precision", "stated", "verdict"),
    [("fp16", 100_000.0, "contradicted"), ("fp16", 50_000.0, "confirmed"), ("fp8", 100_000.0, "confirmed")],
)
def test_the_price_of_all_that_the_weights_need(
    dollars: Callable, verdicts: Callable, precision: str, stated: float, verdict: str
) -> None:
    assert verdicts(arithmetic.deployment_price(dollars(stated, precision=precision))) == [verdict]


@pytest.mark.parametrize(
    ("rate", "stated", "verdict"),
    [
        (60.0, 60_000.0, "physically_impossible"),
        (60.0, 24_000.0, "within_5_percent"),
        (60.0, 20_000.0, "within_rounding"),
    ],
)
def test_dollars_of_a_rate_that_the_hardware_cannot_reach(
    dollars: Callable, verdicts: Callable, rate: float, stated: float, verdict: str
) -> None:
    """Two H100 read 140 GB of weights at 3,350 GB/s each 47.9 times a second: 23,929 tokens for a dollar."""
    at_one = {"batch_size": 1, "precision": "fp16", "accelerator_count": None, "round": "", "scenario": ""}
    assert verdicts(arithmetic.dollars_at_ceiling(dollars(stated, low=rate, **at_one))) == [verdict]
    assert verdicts(arithmetic.dollars_at_ceiling(dollars(stated, low=40.0, **at_one))) == []
    of_four = at_one | {"accelerator_count": 4, "low": 2 * rate}
    assert verdicts(arithmetic.dollars_at_ceiling(dollars(stated, **of_four))) == [verdict]


@pytest.mark.parametrize(("watts", "verdict"), [(220.0, "within_rounding"), (300.0, "contradicted")])
def test_implied_watts(
    rows: Rows, official: Callable, tables: Callable, verdicts: Callable, watts: float, verdict: str
) -> None:
    run = {"power_measured": True}
    figure = run | {"low": 800.0, "per_watt_low": 3.5, "per_watt_high": 4.5}  # 178 to 229 watts
    measured = official(low=800.0, power_watts_low=watts, power_watts_high=watts) | run
    frame = rows(figure, measured).assign(per_watt_printed="4")
    assert verdicts(arithmetic.implied_watts(tables(results=frame))) == [verdict]


@pytest.mark.parametrize(
    ("stated", "verdict"),
    [(1.25, "confirmed"), (1.30, "within_5_percent"), (1.32, "contradicted"), (1.0, "contradicted")],
)
def test_a_ratio_of_the_documents_own_rates(
    rows: Rows, claims: Rows, prices: Rows, tables: Callable, verdicts: Callable, stated: float, verdict: str
) -> None:
    frame = rows({"low": 1000.0, "accelerator": "H200 SXM"}, {"low": 800.0}, {"low": 1.0, "source_id": "docB"})
    claim = {"subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM", "benchmark": "llm"}
    claim |= {"scenario": "Offline", "round": "v4.1", "low": stated}
    assert verdicts(ratios.stated(tables(claims=claims(claim), results=frame))) == [verdict]


def test_a_ratio_of_mlperf_figures_is_not_held_against_figures_at_batch_1(
    rows: Rows, claims: Rows, tables: Callable, verdicts: Callable
) -> None:
    batch = {"round": "", "scenario": "", "batch_size": 1}
    at_one = {"low": 155.0, "accelerator": "H200 SXM"} | batch, {"low": 110.0} | batch
    claim = {"subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM", "benchmark": "llm", "low": 1.41}
    filed = claims(claim | {"round": "v4.1"}, claim | {"round": "v4.1", "scenario": "Offline"})
    assert list(ratios.stated(tables(claims=filed, results=rows(*at_one)))) == []
    assert verdicts(ratios.stated(tables(claims=claims(claim), results=rows(*at_one)))) == ["within_5_percent"]


@pytest.mark.parametrize(("stated", "verdict"), [(2.0, "confirmed"), (2.2, "contradicted")])
def test_a_ratio_of_prices(
    rows: Rows, claims: Rows, prices: Rows, tables: Callable, verdicts: Callable, stated: float, verdict: str
) -> None:
    claim = {"quantity": "price_ratio", "subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM"}
    dear = {"accelerator": "H200 SXM", "usd_per_accelerator_hour_low": 7.2, "usd_per_accelerator_hour_high": 7.2}
    own = tables(claims=claims(claim | {"low": stated}), prices=prices({}, dear))
    assert verdicts(ratios.stated(own)) == [verdict]


def test_a_gain_between_systems_of_different_size_is_conditional(rows: Rows, ways: Rows, tables: Callable) -> None:
    faster = {"id": "f", "technique": "fp8", "result_row": "r1", "speedup_low": 1.75, "speedup_high": 1.85}
    base, two, one = {"result_row": "r0"}, {"accelerator_count": 2, "low": 85.0}, {"accelerator_count": 1, "low": 155.0}
    for way, second, verdict in (
        (faster, one, "conditional"),
        (faster, one | {"accelerator_count": 2}, "within_rounding"),
        (faster | {"speedup_low": 2.5, "speedup_high": 2.5}, one, "contradicted"),
    ):
        (gain,) = ratios.quantization(tables(quantization=ways(base, way), results=rows(two, second)))
        assert gain.verdict == verdict
        assert ("per accelerator it is 3.65" in gain.explanation) == (verdict == "conditional")


@pytest.mark.parametrize(("whole", "verdict"), [(1.5, "confirmed"), (1.55, "within_5_percent"), (1.7, "contradicted")])
def test_a_product_of_ratios(claims: Rows, tables: Callable, whole: float, verdict: str) -> None:
    steps = [("H200 SXM CTS", "H100 SXM", whole), ("H200 SXM CTS", "H200 SXM", 1.25), ("H200 SXM", "H100 SXM", 1.2)]
    frame = claims(*({"subject_accelerator": a, "baseline_accelerator": b, "low": low} for a, b, low in steps))
    (one,) = ratios.products(tables(claims=frame))
    assert (one.figure["id"], one.verdict) == ("r0", verdict)


@pytest.mark.parametrize(
    ("gain", "verdict"), [(1.818, "within_rounding"), (1.9, "within_5_percent"), (2.0, "contradicted")]
)
def test_a_gain_from_a_part_of_the_time(
    claims: Rows, ways: Rows, tables: Callable, verdicts: Callable, gain: float, verdict: str
) -> None:
    claim = {"benchmark": "llm", "technique": "deepcache"}
    frame = claims(
        claim | {"quantity": "share_of_time", "low": 0.9}, claim | {"quantity": "compute_ratio", "low": 0.5}
    )  # 1 / (0.1 + 0.45) = 1.8182
    way = {"technique": "deepcache", "speedup_low": gain - 0.001, "speedup_high": gain + 0.001}
    assert verdicts(ratios.accelerated_part(tables(claims=frame, quantization=ways(way)))) == [verdict]


@pytest.fixture
def example(claims: Rows) -> Callable[[float], pd.DataFrame]:
    """A hundred users of 30 tokens/s each, said to need so many H100."""
    asked = {"benchmark": "llm", "subject_accelerator": "H100 SXM", "range_basis": "exact"}

    def make(stated: float) -> pd.DataFrame:
        return claims(
            asked | {"quantity": "users", "low": 100.0, "unit": "users"},
            asked | {"quantity": "tokens_per_second_per_user", "low": 30.0, "unit": "tokens/s"},
            asked | {"quantity": "accelerators_needed", "low": stated, "unit": "accelerators"},
        )

    return make


@pytest.mark.parametrize(("stated", "verdict"), [(4.0, "confirmed"), (5.0, "contradicted")])
def test_a_sizing_example(
    rows: Rows, prices: Rows, tables: Callable, verdicts: Callable, example: Callable, stated: float, verdict: str
) -> None:
    frame = rows({"low": 750.0, "high": 820.0, "per": "accelerator", "accelerator_count": 1})  # 3.7 to 4, rounded up
    assert verdicts(sizes.sizing(tables(claims=example(stated), results=frame, prices=prices({})))) == [verdict]


@pytest.mark.parametrize(("low", "high", "verdict"), [(135.0, 145.0, "confirmed"), (146.0, 147.0, "within_5_percent"),
                                                      (150.0, 160.0, "contradicted")])  # fmt: skip
def test_memory_of_the_weights(
    ways: Rows, tables: Callable, verdicts: Callable, low: float, high: float, verdict: str
) -> None:
    way = {"weight_memory_gb_low": low, "weight_memory_gb_high": high}
    assert verdicts(sizes.weight_memory(tables(quantization=ways(way)))) == [verdict]


@pytest.mark.parametrize(("count", "verdict"), [(2, "confirmed"), (1, "physically_impossible"), (3, "within_rounding")])
def test_accelerators_that_the_weights_need(
    ways: Rows, tables: Callable, verdicts: Callable, count: int, verdict: str
) -> None:
    assert verdicts(sizes.accelerators_needed(tables(quantization=ways({"accelerators_needed": count})))) == [verdict]


@pytest.mark.parametrize(
    ("billions", "verdict"),
    [(39.0, "within_rounding"), (80.0, "conditional"), (160.0, "conditional"), (161.0, "physically_impossible")],
)
def test_the_largest_model_that_fits(
    claims: Rows, tables: Callable, verdicts: Callable, billions: float, verdict: str
) -> None:
    claim = {"quantity": "model_parameters", "bound": "at_most", "subject_accelerator": "H100 SXM", "low": billions}
    assert verdicts(sizes.model_limit(tables(claims=claims(claim)))) == [verdict]


@pytest.mark.parametrize(
    ("gigabytes", "verdict"), [(640.0, "confirmed"), (660.0, "within_5_percent"), (700.0, "contradicted")]
)
def test_memory_of_several_together(
    claims: Rows, tables: Callable, verdicts: Callable, gigabytes: float, verdict: str
) -> None:
    claim = {"quantity": "memory_capacity", "accelerator_count": 8, "subject_accelerator": "H100 SXM", "low": gigabytes}
    assert verdicts(sizes.together(tables(claims=claims(claim)))) == [verdict]


@pytest.mark.parametrize(("size", "verdict"), [(0.625, "conditional"), (0.5625, "conditional"), (0.5, "contradicted")])
def test_the_size_of_a_sparse_model(
    claims: Rows, ways: Rows, tables: Callable, verdicts: Callable, size: float, verdict: str
) -> None:
    way = ways({"technique": "sparsity-2:4", "size_ratio_low": size, "size_ratio_high": size})
    claim = claims({"technique": "sparsity-2:4", "quantity": "model_size_ratio", "low": size})
    assert verdicts(sizes.sparse_size(tables(quantization=way, claims=claim))) == [verdict, verdict]
