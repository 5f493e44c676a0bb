"""Measure the error of rates carried to a later round: hide known results, carry earlier ones forward, and compare.

A test hides all results of one accelerator after one of its rounds, carries it to a later round that has it, and
divides its true rate there by the carried one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from analysis.compare import RATED, NoData, comparable
from analysis.present import READ, current, language_models
from analysis.results import load_results

FEWEST = 5  # minimum tests for a benchmark to widen the range of its class
KEYS = ["language_model", "benchmark", "latency_limit"]
ERRORS = [*KEYS, "tests", "median", "p90", "low", "high", "held"]


def carry_tests(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each test on comparable results of one benchmark and scenario.

    Columns: benchmark, scenario, accelerator, last (round of the last result that is not hidden), round, carried and
    actual (rate per accelerator in `round`).
    """
    found = [test for newest in rows["round"].drop_duplicates().sort_values()[1:] for test in _tests(rows, newest)]
    return pd.DataFrame(found, columns=["benchmark", "scenario", "accelerator", "last", "round", "carried", "actual"])


def all_carry_tests() -> pd.DataFrame:
    """Return `carry_tests` of all data center benchmarks and scenarios (takes minutes)."""
    results, parts = load_results(), []
    for benchmark in results["benchmark"].unique():
        for scenario in RATED:
            try:
                rows = comparable(results, benchmark=benchmark, scenario=scenario)
            except NoData:
                continue
            parts.append(carry_tests(rows.loc[rows["availability"].eq("available"), READ]))
    return pd.concat(parts, ignore_index=True)


def carry_errors(found: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of tests by class of benchmarks ("" as benchmark) and benchmark, with and without a limit.

    `median` and `p90` are of max(actual / carried, carried / actual) - 1. `low` and `high` are P10 and P90 of actual
    over carried in the class; a benchmark with FEWEST tests widens them to its own. `held`: the share of tests inside
    the range that the tests of other accelerators of the benchmark, and of other benchmarks, give.
    """
    found = found.assign(
        language_model=found["benchmark"].isin(language_models()),
        latency_limit=found["scenario"].ne("Offline"),
        factor=found["actual"] / found["carried"],
    )
    rows = []
    for (model, limit), tests in found.groupby(["language_model", "latency_limit"]):
        held = pd.Series(False, tests.index)
        for (benchmark, _), hidden in tests.groupby(["benchmark", "accelerator"]):
            low, high = _range(tests.drop(hidden.index), benchmark)
            held[hidden.index] = hidden["factor"].between(low, high)
        for benchmark, own in [("", tests), *tests.groupby("benchmark")]:
            error = np.maximum(own["factor"], 1 / own["factor"]) - 1
            middle, most = error.quantile([0.5, 0.9])
            spread = _range(tests, benchmark)
            rows.append((model, benchmark, limit, len(own), middle, most, *spread, held[own.index].mean()))
    return pd.DataFrame(rows, columns=ERRORS).round(6)


def _range(tests: pd.DataFrame, benchmark: str) -> tuple[float, float]:
    """Return P10 and P90 of the factors, widened to those of the benchmark where it has FEWEST."""
    own = tests.loc[tests["benchmark"].eq(benchmark), "factor"]
    pools = [tests["factor"], *([own] if len(own) >= FEWEST else [])]
    return min(pool.quantile(0.1) for pool in pools), max(pool.quantile(0.9) for pool in pools)


def _tests(rows: pd.DataFrame, newest: str) -> Iterator[tuple]:
    """Yield the tests into one round: each accelerator it has, hidden after each of its earlier rounds."""
    known = rows[rows["round"].le(newest)]
    actual = current(known).query("measured").set_index("accelerator")["rate"]
    for accelerator, rate in actual.items():
        own = known["accelerator"].eq(accelerator)
        for last in known.loc[own & known["round"].lt(newest), "round"].unique():
            hidden = known[~own | known["round"].le(last)]
            if hidden["round"].max() == newest:
                carried = current(hidden).set_index("accelerator").at[accelerator, "rate"]
                yield *known.iloc[0][["benchmark", "scenario"]], accelerator, last, newest, carried, rate
