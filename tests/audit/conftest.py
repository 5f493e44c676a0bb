"""Small tables of the audit's tests: a benchmark of 70 billion parameters, two parts and their 1000 W sibling."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from analysis.data.catalog import Catalog

RESULT = {
    "id": "", "origin": "published", "source_id": "docA", "source": "A", "locator": "table, row 1", "round": "v4.1",
    "result_id": "", "submitter": "", "division": "", "availability": "", "suite": "datacenter", "system": "",
    "accelerator": "H100 SXM", "accelerator_count": 8, "nodes": None, "benchmark": "llm", "accuracy_target": "",
    "scenario": "Offline", "batch_size": None, "metric": "throughput", "printed": "", "printed_unit": "tokens/s",
    "low": 800.0, "high": None, "unit": "tokens/s", "range_basis": "rounded", "per": "system",
    "tokens_per_sample": None, "precision": "", "framework": "", "power_watts_low": None, "power_watts_high": None,
    "per_watt_low": None, "per_watt_high": None, "power_measured": False, "inferred": False, "duplicate_of": "",
    "corrected": "", "note": "",
}  # fmt: skip
OFFICIAL = {
    "origin": "official", "source_id": "mlcommons-v4.1", "source": "official v4.1", "result_id": "4.1-0001",
    "submitter": "ACME", "division": "closed", "system": "ACME box (8x)", "range_basis": "exact",
    "tokens_per_sample": 290.0, "availability": "available",
}  # fmt: skip
CLAIM = {
    "id": "", "source_id": "docA", "locator": "text", "subject": "", "subject_accelerator": "", "baseline": "",
    "baseline_accelerator": "", "benchmark": "", "scenario": "", "round": "", "baseline_round": "", "precision": "",
    "framework": "", "accelerator_count": None, "quantity": "throughput_ratio", "printed": "", "printed_unit": "",
    "low": 1.0, "high": None, "unit": "ratio", "range_basis": "rounded", "bound": "", "condition": "",
    "duplicate_of": "", "note": "",
}  # fmt: skip
PRICE = {
    "id": "", "source_id": "docA", "locator": "table, row 1, rate", "provider": "Cloud", "accelerator": "H100 SXM",
    "printed": "", "usd_per_accelerator_hour_low": 3.6, "usd_per_accelerator_hour_high": 3.6, "duplicate_of": "",
}  # fmt: skip
ACCELERATORS = [
    ("H100 SXM", "ACME", "Hopper", 80.0, 3350.0, 700.0, 989.0, 1979.0, 1979.0, None, "verified"),
    ("H200 SXM", "ACME", "Hopper", 141.0, 4800.0, 700.0, 989.0, 1979.0, 1979.0, None, "verified"),
    ("H200 SXM CTS", "ACME", "Hopper", 141.0, 4800.0, 1000.0, 989.0, 1979.0, 1979.0, None, "verified"),
    ("card 1 Slim", "Other", "card", None, None, None, None, None, None, None, "partly verified"),
    ("card 1", "Other", "card", None, None, None, None, None, None, None, "not looked up"),
]
FACTS = ["accelerator", "vendor", "family", "memory_gb", "memory_bandwidth_gb_per_s", "power_limit_w"]
FACTS += ["fp16_dense_tflops", "fp8_dense_tflops", "int8_dense_tops", "fp4_dense_tflops", "confidence"]
BENCHMARKS = [
    ("llm", "LLM", 70.0, None, "tokens/s", "tokens/s", 250.0, 300.0, False, "Big LLM;LLM 70B"),
    ("images", "Images", None, None, "samples/s", "queries/s", None, None, False, "Pictures"),
    ("experts", "Experts", 47.0, 12.9, "tokens/s", "tokens/s", 146.0, 146.0, False, ""),
]
IDENTITY = ["benchmark", "label", "parameters_billion", "active_parameters_billion", "offline_unit", "server_unit"]
IDENTITY += ["tokens_per_sample_low", "tokens_per_sample_high", "targets_share_run", "aliases"]

Rows = Callable[..., pd.DataFrame]


def _frame(default: dict[str, Any], rows: tuple[dict[str, Any], ...], numbers: list[str]) -> pd.DataFrame:
    full = [default | {"id": f"r{place}"} | row for place, row in enumerate(rows)]
    full = [row | ({"high": row["low"]} if "high" in row and row["high"] is None else {}) for row in full]
    frame = pd.DataFrame(full, columns=list(default))
    text = [name for name, value in default.items() if isinstance(value, str)]
    whole = [name for name in ("accelerator_count", "nodes", "batch_size") if name in default]
    return frame.astype(dict.fromkeys(text, "str") | dict.fromkeys(numbers, "float64") | dict.fromkeys(whole, "Int64"))


@pytest.fixture(scope="session")
def rows() -> Rows:
    """Result rows from dicts of what differs from a published 800 tokens/s of eight H100; `high` defaults to `low`."""
    numbers = [name for name in RESULT if name.endswith(("low", "high"))] + ["tokens_per_sample"]
    return lambda *given: _frame(RESULT, given, numbers)


@pytest.fixture(scope="session")
def official() -> Callable[..., dict[str, Any]]:
    """What makes a row official, with what differs."""
    return lambda **given: OFFICIAL | {"id": f"o-{given.get('result_id', '4.1-0001')}"} | given


@pytest.fixture(scope="session")
def claims() -> Rows:
    """Claim rows from dicts of what differs from a throughput ratio of one; `high` defaults to `low`."""
    return lambda *given: _frame(CLAIM, given, ["low", "high"])


@pytest.fixture(scope="session")
def prices() -> Rows:
    """Price rows from dicts of what differs from 3.60 dollars an hour."""
    return lambda *given: _frame(PRICE, given, [name for name in PRICE if name.startswith("usd")])


@pytest.fixture(scope="session")
def benchmarks() -> pd.DataFrame:
    """Three benchmarks: a language model, images, a mixture of experts."""
    return pd.DataFrame(BENCHMARKS, columns=IDENTITY)


@pytest.fixture(scope="session")
def parts() -> pd.DataFrame:
    """The accelerators."""
    return pd.DataFrame(ACCELERATORS, columns=FACTS)


@pytest.fixture(scope="session")
def data() -> Catalog:
    """The project's own tables; what somebody has imported is off in tests."""
    return Catalog()


@pytest.fixture(scope="session")
def verdicts() -> Callable[[pd.DataFrame], dict[tuple[str, str], str]]:
    """The verdicts of a frame by row and check."""
    return lambda frame: {(row["row_id"], row["check"]): row["verdict"] for row in frame.to_dict("records")}
