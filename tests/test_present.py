"""Rates carried to the newest round by hand, their ratios, the examples of docstrings, and tests on hidden results."""

from __future__ import annotations

import doctest
import math

import pandas as pd
import pytest

from analysis import comparable, current, over, present, tables
from analysis.paths import DATA
from analysis.present import carry_error, datasheet, gains, language_models, matched
from analysis.recipes import carrying
from tests.frames import results

OF = {  # what differs from NVIDIA's GPUs
    "MI300X": {"vendor": "AMD"}, "MI355X": {"vendor": "AMD"}, "Xeon": {"kind": "cpu"},
}  # fmt: skip


def rated(text, **more):
    """Return a result for each part of a text: accelerator, round, rate per accelerator, and count (8 by default)."""
    rows = []
    for part in text.split(", "):
        name, round, rate, count = (part + " 8").split()[:4]
        row = {"accelerator": name, "round": round, "rate": float(rate) * int(count), "accelerator_count": float(count)}
        rows.append(row | OF.get(name, {}) | more)
    return rows


def by_accelerator(text):
    return current(results(*rated(text))).set_index("accelerator")


def test_the_examples_of_the_module_run():
    found = doctest.testmod(present, extraglobs={"comparable": comparable}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert (found.failed, found.attempted) == (0, 10)


def test_an_old_rate_is_carried_by_the_median_gain_of_its_vendor_and_kind():
    """NVIDIA: B200 x1.2 and GB200 x1.4 at one size, so H100 x1.3; GB300 at two sizes, AMD's x3, the CPU's x5 do not."""
    now = by_accelerator(
        "H100 v6.0 10, B200 v6.0 20, B200 v6.1 24, GB200 v6.0 10 72, GB200 v6.1 14 72, GB300 v6.0 1, GB300 v6.1 9 72, "
        "MI355X v6.0 10, MI355X v6.1 30, Xeon v6.0 1, Xeon v6.1 5"
    )
    assert now.at["H100", "rate"] == pytest.approx(13)
    assert now.loc["H100", ["last_rate", "links", "measured"]].tolist() == [10, 2, False]
    assert now.loc["B200", ["rate", "low", "high", "links", "measured"]].tolist() == [24, 24, 24, 0, True]
    low, high = carry_error("llama2-70b", "Offline")[["low", "high"]]
    assert now.loc["H100", ["low", "high"]].tolist() == pytest.approx([13 * low, 13 * high])


def test_steps_multiply_and_the_thinnest_one_counts():
    """v5.1 to v6.0 x2 by B200 alone, v6.0 to v6.1 x1.5 by B200 and GB200."""
    now = by_accelerator("H100 v5.1 10, B200 v5.1 10, B200 v6.0 20, B200 v6.1 30, GB200 v6.0 10 72, GB200 v6.1 15 72")
    assert now.loc["H100", ["gain", "rate", "links"]].tolist() == pytest.approx([3, 30, 1])


def test_a_vendor_without_pairs_takes_those_of_all_and_says_so():
    """AMD has no pair: B200's x1.1 and the CPU's x1.5 have the median 1.3; without any pair the gain is 1."""
    text = "MI300X v6.0 10, B200 v6.0 10, B200 v6.1 11, Xeon v6.0 2, Xeon v6.1 3"
    steps = gains(results(*rated(text))).set_index(["vendor", "kind"])[["gain", "links", "borrowed"]]
    assert steps.index.tolist() == [("AMD", "gpu"), ("NVIDIA", "cpu"), ("NVIDIA", "gpu")]
    assert steps.loc[("AMD", "gpu")].tolist() == pytest.approx([1.3, 2, True])
    assert steps.loc[("NVIDIA", "gpu")].tolist() == pytest.approx([1.1, 1, False])
    assert by_accelerator(text).loc["MI300X", ["gain", "links"]].tolist() == pytest.approx([1.3, 2])
    alone = by_accelerator("MI300X v6.0 10, B200 v6.1 11")
    assert alone.loc["MI300X", ["gain", "links"]].tolist() == [1, 0]


def test_sizes_of_an_accelerator_count_once_by_their_median_and_rounds_step_by_step():
    """H100: x1.2, x1.4, and x2 at three sizes; B200's rounds are not successive, so they are no pair."""
    sizes = "H100 v6.0 10 1, H100 v6.1 12 1, H100 v6.0 10 4, H100 v6.1 14 4, H100 v6.0 10, H100 v6.1 20"
    rows = results(*rated(f"{sizes}, B200 v5.1 10, B200 v6.1 90"))
    assert gains(rows)[["round", "gain", "links"]].values.tolist() == [["v6.0", 1, 0], ["v6.1", 1.4, 1]]
    pairs = matched(rows)[["accelerator_count", "round_before", "rate_before", "rate"]].values.tolist()
    assert pairs == [[1, "v6.0", 10, 12], [4, "v6.0", 10, 14], [8, "v6.0", 10, 20]]


def test_an_unstated_precision_is_the_usual_one_of_the_accelerator():
    """Of two equally common ones the first by name; that of another accelerator or scenario is none."""
    other = {"rate": 8.0, "precision": "int4"}
    rows = results({"precision": "", "rate": 800.0}, {"precision": "fp8"}, {"precision": "fp4"},
                   {**other, "accelerator": "H100"}, {**other, "scenario": "Server"}, {**other, "scenario": "Server"},
                   {"precision": "fp8", "submitter": "B", "round": "v6.0"})  # fmt: skip
    assert current(rows)["precision"].tolist() == ["fp8", "int4", "int4"]
    assert current(rows[:3])["precision"].tolist() == ["fp4"] and current(rows[:1])["precision"].tolist() == [""]


def test_eight_come_before_a_newer_result_of_another_size_unless_it_is_measured():
    now = by_accelerator("H100 v5.1 10, H100 v6.0 12 16, B200 v5.1 20, B200 v6.1 30 72")
    assert now.loc[["H100", "B200"], ["round", "last_rate"]].values.tolist() == [["v5.1", 10], ["v6.1", 30]]


def test_each_benchmark_and_scenario_is_computed_by_itself():
    server = rated("B200 v6.0 30, H100 v6.0 8, B200 v6.1 60", scenario="Server")
    rows = results(*server, *rated("B200 v5.0 10, H100 v5.0 5, B200 v6.1 11"), *rated("B200 v6.1 1", benchmark="bert"))
    assert gains(rows)[["scenario", "gain"]].values.tolist() == [["Offline", 1.1], ["Server", 2.0]]
    now = current(rows)
    assert now["benchmark"].tolist() == ["bert"] + ["llama2-70b"] * 4 and now.index.tolist() == [*range(5)]
    assert now["scenario"].tolist() == ["Offline"] * 3 + ["Server"] * 2
    assert now[["model", "rate_unit"]].drop_duplicates().values.tolist() == [["Llama 2 70B", "tokens/s"]]
    assert now["rate"].tolist() == pytest.approx([1, 11, 5.5, 60, 16])


def test_previews_and_their_round_do_not_count():
    rows = results(*rated("H100 v6.0 10"), *rated("B200 v6.1 20", availability="preview"))
    assert current(rows)[["accelerator", "measured"]].values.tolist() == [["H100", True]]


def test_ratios_are_of_one_table_and_a_carried_baseline_widens_them():
    table = current(results(*rated("H100 v6.0 10, B200 v6.0 20, B200 v6.1 22, A100 v6.0 5")))
    low, high = carry_error("llama2-70b", "Offline")[["low", "high"]]
    ratios = over(table, {"llama2-70b": "H100"}).set_index("accelerator")[["speedup", "speedup_low", "speedup_high"]]
    assert ratios.loc["B200"].tolist() == pytest.approx([2, 2 / high, 2 / low])
    assert ratios.loc["H100"].tolist() == [1, 1, 1]
    apart = [math.exp(-math.hypot(math.log(low), math.log(high))), math.exp(math.hypot(math.log(low), math.log(high)))]
    assert ratios.loc["A100"].tolist() == pytest.approx([0.5, 0.5 * apart[0], 0.5 * apart[1]])
    assert [str(each) for each in over(table, "H100")["base_round"]] == ["v6.0"] * 3
    added = ["base", "base_round", "fewest", "speedup", "speedup_low", "speedup_high"]
    assert over(table, "T4").empty and [*over(table, "T4")] == [*table, *added]


def test_a_ratio_has_the_submitters_of_the_side_that_has_fewer():
    systems = [rated(name, submitter=f"other {n}") for n, name in enumerate(["B200 v6.0 20", "B200 v6.0 21"])]
    systems += [rated(f"H100 v6.0 {10 + n}", submitter=f"other {n}") for n in range(3)]
    table = current(results(*[row for rows in systems for row in rows], *rated("B200 v5.1 9", submitter="old")))
    assert over(table, "H100").set_index("accelerator")["fewest"].to_dict() == {"B200": 2, "H100": 3}
    assert over(table, "B200")["fewest"].tolist() == [2, 2]


def test_no_rows_give_a_table_of_no_rows():
    rows = results({}).iloc[:0]
    assert over(current(rows), "H100").empty
    assert matched(rows).empty and gains(rows).empty


def test_the_peak_is_that_of_the_precision_or_the_highest():
    table = pd.DataFrame({"accelerator": ["H100", "A100", "B200", "own"], "precision": ["fp8", "", "bf16", "fp8"]})
    facts = tables.accelerators.set_index("label")
    expected = [facts.at["H100", "fp8_dense_tflops"], facts.at["A100", "int8_dense_tops"],
                facts.at["B200", "fp16_dense_tflops"], 0]  # fmt: skip
    sheets = datasheet(table).fillna(0)
    assert sheets["peak"].tolist() == expected and sheets["bandwidth"].tolist() == [3350, 2039, 8000, 0]


def test_a_hidden_result_is_compared_with_the_one_carried():
    """H100 of v5.1 carried to v6.0 by B200's x1.5 is 15, and was 12."""
    rows = results(*rated("H100 v5.1 10, H100 v6.0 12, B200 v5.1 20, B200 v6.0 30"))
    tests = carrying.carry_tests(rows).set_index("accelerator")
    assert tests.loc["H100", ["carried", "actual"]].tolist() == pytest.approx([15, 12])
    assert tests.loc["B200", ["carried", "actual"]].tolist() == pytest.approx([24, 30])


@pytest.fixture
def no_cache():
    carry_error.cache_clear()
    yield
    carry_error.cache_clear()


def test_the_error_of_carrying_is_that_of_the_benchmark_or_of_its_class(monkeypatch, no_cache):
    columns = ["benchmark", "latency_limit", "language_model", "low"]
    rows = [("", False, False, 1), ("", True, False, 2), ("", False, True, 3), ("", True, True, 4),
            ("llama2-70b", False, True, 5), ("llama2-70b", True, True, 6)]  # fmt: skip
    monkeypatch.setattr(tables, "carry_errors", pd.DataFrame(rows, columns=columns), raising=False)
    asked = [(name, scenario) for name in ("llama2-70b", "mixtral-8x7b", "bert") for scenario in ("Offline", "Server")]
    assert [carry_error(*each)["low"] for each in asked] == [5, 6, 3, 4, 1, 2]


def test_errors_count_both_ways_and_a_benchmark_widens_its_range():
    """Half and double are both 100% off; five tests of one benchmark at 0.5 widen its own range alone."""
    wide = pd.DataFrame({"benchmark": "llama2-70b", "accelerator": [*"abcde"], "actual": 0.5})
    other = pd.DataFrame({"benchmark": "mixtral-8x7b", "accelerator": [f"{n}" for n in range(52)], "actual": 2.0})
    tests = pd.concat([wide, other], ignore_index=True)
    errors = carrying.carry_errors(tests.assign(scenario="Offline", carried=1.0)).set_index("benchmark")
    assert errors["median"].tolist() == [1, 1, 1]
    assert errors["low"].to_dict() == {"": 2, "llama2-70b": 0.5, "mixtral-8x7b": 2}
    assert errors.loc[["llama2-70b", "mixtral-8x7b"], "held"].tolist() == [0, 1]  # four of five would not widen it
    assert errors.at["", "tests"] == len(tests)


@pytest.mark.slow
def test_the_shipped_errors_are_those_of_the_record():
    """data/carry_errors.csv again; `make data` makes it anew. Language models: median at most 6%, P90 at most 25%."""
    tests = carrying.all_carry_tests()
    shipped = pd.read_csv(DATA / "carry_errors.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(shipped, carrying.carry_errors(tests), check_dtype=False, rtol=1e-4)
    factor = tests["actual"] / tests["carried"]
    errors, models = factor.where(factor > 1, 1 / factor) - 1, tests["benchmark"].isin(language_models())
    error, other = errors[models], errors[~models]
    text = " ".join((DATA.parent / "docs" / "method.md").read_text("utf-8").split())
    assert f"the error is {error.median():.1%} in the median and {error.quantile(0.9):.1%} at P90" in text
    assert f"in {len(other):,} tests on other benchmarks {other.median():.1%} and {other.quantile(0.9):.1%}" in text
    assert len(error) == 262 and error.median() < 0.06 and error.quantile(0.9) < 0.25
