"""No rate, ratio, or rank crosses from MLPerf to another benchmark: a column follows the rates of its origin alone."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import budget, derating, evidence, factors, interactivity, power, quantization, results, speedup, tables
from analysis.compare import comparable
from analysis.present import current, over

TIMES = 3.0  # by which all throughput of one benchmark is multiplied
BENCHMARK, MODEL = "gpt-oss-120b", "DeepSeek-R1"


def columns() -> dict[tuple[str, str, str], pd.Series]:
    """Return columns of the pages by origin, what they are, and name, in the order of their frames."""
    now = current(comparable(benchmark=BENCHMARK)).set_index("accelerator")
    offers = power.per_megawatt(now.reset_index(), results.load_results()).set_index("accelerator")
    runs, tokens = interactivity.inferencex_envelopes(MODEL), budget.token_costs(MODEL, 50)
    speedups = speedup.inferencex_speedups(MODEL, "H100", 1024, 1024).set_index(["accelerator", "interactivity"])
    return {
        ("MLPerf", "rate", "present"): now["rate"],
        ("MLPerf", "ratio", "speedup"): over(now.reset_index(), "H200").set_index("accelerator")["speedup"],
        ("MLPerf", "rate", "curve"): interactivity.runs(BENCHMARK).set_index("id")["rate_per_accelerator"],
        ("MLPerf", "rate", "per megawatt"): offers["value"],
        ("MLPerf", "ratio", "latency"): factors.retained(BENCHMARK)["share"],
        ("MLPerf", "ratio", "derating"): derating.chain("chat", "fixed", (BENCHMARK,))["median"],
        ("InferenceX", "rate", "envelope"): runs[evidence.THROUGHPUT],
        ("InferenceX", "rate", "tokens per GPU-second"): 1 / tokens.set_index("accelerator")["answer"],
        ("InferenceX", "ratio", "answer over prompt"): tokens.set_index("accelerator")["ratio"],
        ("InferenceX", "ratio", "speedup"): speedups["speedup"],
        ("InferenceX", "ratio", "FP4 over FP8"): quantization.at_equal_speed(50)["ratio"],
        ("InferenceX", "ratio", "engines"): factors.serving_stack()["share"],
    }


def tripled(monkeypatch: pytest.MonkeyPatch, origin: str) -> None:
    """Multiply all throughput of a benchmark by TIMES, where it is loaded."""
    if origin == "MLPerf":
        rows = results.load_results()
        rates = [name for name in rows if name.startswith("rate") and rows[name].dtype.kind == "f"]
        rows = rows.assign(**{name: rows[name] * TIMES for name in rates})
        monkeypatch.setattr(results, "_loaded", lambda: rows)
    else:
        runs = tables.load("inferencex_runs")
        runs = runs.assign(**{evidence.THROUGHPUT: runs[evidence.THROUGHPUT] * TIMES})
        at, _ = tables.LOADED["inferencex_runs"]
        monkeypatch.setitem(tables.LOADED, "inferencex_runs", (at, runs))


@pytest.mark.parametrize("origin", ["MLPerf", "InferenceX"])
def test_a_column_follows_the_rates_of_its_own_benchmark_alone(monkeypatch, origin):
    before = columns()
    tripled(monkeypatch, origin)
    after = columns()
    for key, values in before.items():
        assert len(values), key
        expected = values * TIMES if key[:2] == (origin, "rate") else values
        pd.testing.assert_series_equal(after[key], expected, check_dtype=False, obj=" ".join(key))


@pytest.mark.parametrize("origin", ["MLPerf", "InferenceX"])
def test_a_ratio_across_benchmarks_would_be_noticed(monkeypatch, origin):
    def crossed() -> float:
        runs, now = interactivity.inferencex_envelopes(MODEL), current(comparable(benchmark=BENCHMARK))
        return now["rate"].max() / runs[evidence.THROUGHPUT].max()

    before = crossed()
    tripled(monkeypatch, origin)
    assert crossed() == pytest.approx(before * (TIMES if origin == "MLPerf" else 1 / TIMES))
