"""Figures against the other figures of their document: right, and wrong once one of them is changed."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from analysis.audit import arithmetic, ratios, sizes

Rows = Callable[..., pd.DataFrame]
SEVENTY = {"benchmark": "llm", "source_id": "docA", "locator": "text", "result_row": "", "duplicate_of": ""}
WAY = SEVENTY | {
    "id": "w", "precision": "fp16", "technique": "fp16", "accelerator": "H100 SXM", "weight_memory_gb_low": 135.0,
    "weight_memory_gb_high": 145.0, "accelerators_needed": 2, "size_ratio_low": None, "size_ratio_high": None,
    "speedup_low": None, "speedup_high": None, "speedup_bound": "", "speedup_baseline": "fp16", "division": "",
}  # fmt: skip


def ways(*given: dict[str, Any]) -> pd.DataFrame:
    """Ways of making a model cheaper, from dicts of what differs from the FP16 baseline."""
    frame = pd.DataFrame([WAY | row for row in given], columns=list(WAY))
    numbers = [name for name in WAY if name.endswith(("_low", "_high", "_needed"))]
    return frame.astype(dict.fromkeys(numbers, "float64"))


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [(799.5, 800.5, "exact"), (800.0, 801.0, "within_rounding"), (830.0, 831.0, "within_5_percent"),
     (900.0, 901.0, "contradicts")],
)  # fmt: skip
def test_a_repeat_must_say_the_same(
    rows: Rows, claims: Rows, prices: Rows, low: float, high: float, found: str
) -> None:
    first = {"low": 799.5, "high": 800.5}
    frame = rows(first, {"duplicate_of": "r0", "low": low, "high": high})
    tables = {"results": frame, "claims": claims(), "prices": prices(), "quantization": ways()}
    judged = arithmetic.repeats(tables)
    assert judged[["row_id", "verdict", "reference"]].to_numpy().tolist() == [["r1", found, "r0"]]


@pytest.fixture
def dollars(rows: Rows, claims: Rows, prices: Rows) -> Callable[..., tuple[pd.DataFrame, ...]]:
    """A rate of 100 tokens/s at 3.60 dollars an hour, said to be so many tokens per dollar: 100,000 are right."""

    def make(stated: float, **rate: Any) -> tuple[pd.DataFrame, ...]:
        own = {"locator": "table, row 1, tokens per dollar", "quantity": "tokens_per_dollar", "low": stated}
        return claims(own), rows({"locator": "table, row 1, rate", "low": 100.0} | rate), prices({})

    return make


@pytest.mark.parametrize(
    ("stated", "found"), [(100_000.0, "exact"), (104_000.0, "within_5_percent"), (106_000.0, "contradicts")]
)
def test_tokens_per_dollar(dollars: Callable, stated: float, found: str) -> None:
    assert arithmetic.tokens_per_dollar(*dollars(stated))["verdict"].tolist() == [found]


def test_tokens_per_dollar_of_another_row_are_not_compared(dollars: Callable) -> None:
    assert arithmetic.tokens_per_dollar(*dollars(1.0, locator="table, row 2, rate")).empty


@pytest.mark.parametrize(
    ("precision", "stated", "found"),
    [("fp16", 100_000.0, "contradicts"), ("fp16", 50_000.0, "exact"), ("fp8", 100_000.0, "exact")],
)
def test_the_price_of_all_that_the_weights_need(
    dollars: Callable, benchmarks: pd.DataFrame, parts: pd.DataFrame, precision: str, stated: float, found: str
) -> None:
    judged = arithmetic.deployment_price(*dollars(stated, precision=precision), benchmarks, parts)
    assert judged["verdict"].tolist() == [found]


@pytest.mark.parametrize(("watts", "found"), [(220.0, "within_rounding"), (300.0, "contradicts")])
def test_implied_watts(rows: Rows, official: Callable, watts: float, found: str) -> None:
    run = {"power_measured": True}
    figure = run | {"low": 800.0, "per_watt_low": 3.5, "per_watt_high": 4.5}  # 178 to 229 watts
    measured = official(low=800.0, power_watts_low=watts, power_watts_high=watts) | run
    frame = rows(figure, measured).assign(per_watt_printed="4")
    assert arithmetic.implied_watts(frame)["verdict"].tolist() == [found]


@pytest.mark.parametrize(
    ("stated", "found"), [(1.25, "exact"), (1.30, "within_5_percent"), (1.32, "contradicts"), (1.0, "contradicts")]
)
def test_a_ratio_of_the_documents_own_rates(rows: Rows, claims: Rows, prices: Rows, stated: float, found: str) -> None:
    frame = rows({"low": 1000.0, "accelerator": "H200 SXM"}, {"low": 800.0}, {"low": 1.0, "source_id": "docB"})
    said = {"subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM", "benchmark": "llm"}
    said |= {"scenario": "Offline", "round": "v4.1", "low": stated}
    assert ratios.stated(claims(said), frame, prices())["verdict"].tolist() == [found]


@pytest.mark.parametrize(("stated", "found"), [(2.0, "exact"), (2.2, "contradicts")])
def test_a_ratio_of_prices(rows: Rows, claims: Rows, prices: Rows, stated: float, found: str) -> None:
    said = {"quantity": "price_ratio", "subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM"}
    dear = {"accelerator": "H200 SXM", "usd_per_accelerator_hour_low": 7.2, "usd_per_accelerator_hour_high": 7.2}
    assert ratios.stated(claims(said | {"low": stated}), rows(), prices({}, dear))["verdict"].tolist() == [found]


def test_a_gain_between_systems_of_different_size_is_conditional(rows: Rows) -> None:
    frame = rows({"accelerator_count": 2, "low": 85.0}, {"accelerator_count": 1, "low": 155.0})
    faster = {"id": "f", "technique": "fp8", "result_row": "r1", "speedup_low": 1.75, "speedup_high": 1.85}
    judged = ratios.quantization(ways({"result_row": "r0"}, faster), frame)
    assert judged["verdict"].tolist() == ["conditional"]
    assert "per accelerator it is 3.65" in judged["explanation"].iloc[0]
    same = ratios.quantization(ways({"result_row": "r0"}, faster), frame.assign(accelerator_count=2))
    assert same["verdict"].tolist() == ["within_rounding"]
    wrong = ratios.quantization(ways({"result_row": "r0"}, faster | {"speedup_low": 2.5, "speedup_high": 2.5}), frame)
    assert wrong["verdict"].tolist() == ["contradicts"]


@pytest.mark.parametrize(("whole", "found"), [(1.5, "within_rounding"), (1.7, "contradicts")])
def test_a_product_of_ratios(claims: Rows, whole: float, found: str) -> None:
    steps = [("H200 SXM CTS", "H100 SXM", whole), ("H200 SXM CTS", "H200 SXM", 1.25), ("H200 SXM", "H100 SXM", 1.2)]
    frame = claims(*({"subject_accelerator": a, "baseline_accelerator": b, "low": low} for a, b, low in steps))
    judged = ratios.products(frame)
    assert judged["row_id"].tolist() == ["r0"]
    assert judged["verdict"].iloc[0] in (found, "exact" if found == "within_rounding" else found)


@pytest.mark.parametrize(
    ("gain", "found"), [(1.818, "within_rounding"), (1.9, "within_5_percent"), (2.0, "contradicts")]
)
def test_a_gain_from_a_part_of_the_time(claims: Rows, gain: float, found: str) -> None:
    said = {"benchmark": "llm", "subject": "DeepCache variant"}
    frame = claims(
        said | {"quantity": "share_of_time", "low": 0.9}, said | {"quantity": "compute_ratio", "low": 0.5}
    )  # 1 / (0.1 + 0.45) = 1.8182
    way = {"technique": "deepcache", "speedup_low": gain - 0.001, "speedup_high": gain + 0.001}
    assert ratios.accelerated_part(frame, ways(way))["verdict"].tolist() == [found]


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


@pytest.mark.parametrize(("stated", "found"), [(4.0, "exact"), (5.0, "contradicts")])
def test_a_sizing_example(rows: Rows, prices: Rows, example: Callable, stated: float, found: str) -> None:
    frame = rows({"low": 750.0, "high": 820.0, "per": "accelerator", "accelerator_count": 1})  # 3.7 to 4, rounded up
    assert sizes.sizing(example(stated), frame, prices({}))["verdict"].tolist() == [found]


def test_the_same_example_on_official_figures(
    rows: Rows, official: Callable, prices: Rows, benchmarks: pd.DataFrame, parts: pd.DataFrame, example: Callable
) -> None:
    frame = rows({"low": 750.0, "high": 820.0, "per": "accelerator", "accelerator_count": 1}, official(low=24_525.0))
    judged = sizes.official_sizing(example(4.0), frame, prices({}), benchmarks, parts)
    assert judged[["verdict", "expected_low"]].to_numpy().tolist() == [["contradicts", 1.0]]
    right = sizes.official_sizing(example(1.0), frame, prices({}), benchmarks, parts)
    assert right["verdict"].tolist() == ["exact"]


@pytest.mark.parametrize(("low", "high", "found"), [(135.0, 145.0, "exact"), (146.0, 147.0, "within_5_percent"),
                                                    (150.0, 160.0, "contradicts")])  # fmt: skip
def test_memory_of_the_weights(benchmarks: pd.DataFrame, low: float, high: float, found: str) -> None:
    way = {"weight_memory_gb_low": low, "weight_memory_gb_high": high}
    assert sizes.weight_memory(ways(way), benchmarks)["verdict"].tolist() == [found]


@pytest.mark.parametrize(("count", "found"), [(2, "exact"), (1, "impossible"), (3, "within_rounding")])
def test_accelerators_that_the_weights_need(
    benchmarks: pd.DataFrame, parts: pd.DataFrame, count: int, found: str
) -> None:
    judged = sizes.accelerators_needed(ways({"accelerators_needed": count}), benchmarks, parts)
    assert judged["verdict"].tolist() == [found]


@pytest.mark.parametrize(
    ("billions", "found"),
    [(39.0, "within_rounding"), (80.0, "conditional"), (160.0, "conditional"), (161.0, "impossible")],
)
def test_the_largest_model_that_fits(claims: Rows, parts: pd.DataFrame, billions: float, found: str) -> None:
    said = {"quantity": "model_parameters", "bound": "at_most", "subject_accelerator": "H100 SXM", "low": billions}
    assert sizes.model_limit(claims(said), parts)["verdict"].tolist() == [found]


@pytest.mark.parametrize(
    ("terabytes", "found"), [(640.0, "exact"), (660.0, "within_5_percent"), (700.0, "contradicts")]
)
def test_memory_of_several_together(claims: Rows, parts: pd.DataFrame, terabytes: float, found: str) -> None:
    said = {"quantity": "memory_capacity", "accelerator_count": 8, "subject_accelerator": "H100 SXM", "low": terabytes}
    assert sizes.together(claims(said), parts)["verdict"].tolist() == [found]


@pytest.mark.parametrize(("size", "found"), [(0.625, "conditional"), (0.5625, "conditional"), (0.5, "contradicts")])
def test_the_size_of_a_sparse_model(claims: Rows, size: float, found: str) -> None:
    way = ways({"technique": "sparsity-2:4", "size_ratio_low": size, "size_ratio_high": size})
    assert sizes.sparse_size(way, claims())["verdict"].tolist() == [found]
