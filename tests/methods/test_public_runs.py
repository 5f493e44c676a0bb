"""Accelerators ranked from public runs, by hand."""

import math

import pandas as pd
import pytest

from analysis.methods import public_runs

CONFIGURATION = {"accelerator": "H200 SXM", "accelerator_count": 8, "precision": "fp8", "software": "vllm"}
CONFIGURATION |= {"setup": "tp=8", "date": "2026-04-01", "tpot_p99_ms": 100.0}


def run(tpot, tokens, **changes):
    return CONFIGURATION | {"tpot_p50_ms": tpot, "tokens_per_second": tokens} | changes


RUNS = pd.DataFrame([
    run(50.0, 8000.0), run(20.0, 800.0),  # 20 and 50 tokens/s per user: 1,000 and 100 each
    run(50.0, 4000.0, setup="tp=4", accelerator_count=4, date="2026-04-02"), run(12.5, 40.0, setup="tp=4"),
    run(100.0, 100.0, accelerator="B200 SXM", accelerator_count=1), run(math.nan, 1.0, accelerator="B200 SXM"),
])  # fmt: skip
PRICES = pd.DataFrame([{"accelerator": "H200 SXM", "duplicate_of": "", "usd_per_accelerator_hour_low": 3.6,
                        "usd_per_accelerator_hour_high": 7.2}])  # fmt: skip


def test_throughput_is_log_linear_between_runs_of_one_configuration_and_unknown_beyond():
    runs = public_runs.speeds(RUNS, "p50")
    assert len(runs) == 5 and runs["speed"].tolist()[:2] == [20.0, 50.0]
    rates = public_runs.curves(runs, 35.0).set_index(["accelerator", "setup"])["rate"]
    assert rates["H200 SXM", "tp=8"] == pytest.approx(math.sqrt(1000.0 * 100.0))
    assert math.isnan(rates["B200 SXM", "tp=8"])  # 10 tokens/s, one run
    assert public_runs.curves(runs, 19.9)["rate"].isna().all()
    assert public_runs.curves(runs, 20.0)["rate"].dropna().tolist() == pytest.approx([1000.0, 1000.0])


def test_the_best_configuration_is_priced_and_counted_in_whole_replicas():
    """100 users at 35 are 3,500 tokens/s, 11.07 accelerators at 316.2, so 16 in replicas of 8."""
    best, left = public_runs.ranked(public_runs.speeds(RUNS, "p50"), PRICES, 35.0, 100)
    (row,) = best.to_dict("records")
    assert (row["setup"], row["count"], row["usd_per_hour_low"], row["usd_per_hour_high"]) == (
        "tp=8", 16, pytest.approx(57.6), pytest.approx(115.2))  # fmt: skip
    assert row["usd_per_million_tokens_low"] == pytest.approx(3.6e6 / 3600 / math.sqrt(1e5))
    assert left.to_dict("records") == [{"accelerator": "B200 SXM", "fastest": pytest.approx(10.0)}]


def test_an_accelerator_without_a_price_is_ranked_last():
    best, _ = public_runs.ranked(public_runs.speeds(RUNS, "p99"), PRICES, 10, 1)
    assert best["accelerator"].tolist() == ["H200 SXM", "B200 SXM"]
    assert math.isnan(best["usd_per_hour_low"].iloc[1]) and best["rate"].iloc[1] == pytest.approx(100.0)
    only, _ = public_runs.ranked(public_runs.speeds(RUNS, "p99"), PRICES, 10, 1, ["B200 SXM"])
    assert only["accelerator"].tolist() == ["B200 SXM"]
