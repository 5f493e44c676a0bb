"""What a run's own files say of its result: LoadGen log, power samples, summary of MLPerf Endpoints."""

import json
import math

import pytest

from analysis.recipes.official.logs import UNKNOWN, read_run_log

LATENCIES = {"early_stopping_latency_ss": 120438, "result_99.00_percentile_latency_ns": 5e6}


@pytest.fixture
def read(tree):
    """Read a run of a scenario with changes of its log, and its power samples."""

    def run(scenario="Offline", benchmark="llama2-70b", evidence="log", spl=None, **log):
        text = log.get("text") or tree.log_text(**{"effective_scenario": scenario} | log)
        folder = tree.root / tree.run(scenario=scenario, log=text, spl=spl)
        facts = {"scenario": scenario, "benchmark": benchmark, "evidence": evidence}
        return read_run_log({"folder": str(folder), "root": str(tree.root)} | facts)

    return run


def test_a_log_gives_figure_rates_percentiles_and_errors(read):
    found = read(num_errors=2, result_scheduled_samples_per_sec=81.0)
    assert {name: value for name, value in found.items() if value == value and value != ""} == {
        "recomputed": 24000.5, "recomputed_key": "result_tokens_per_second", "unit": "tokens/s", "validity": "VALID",
        "samples_per_second": 80.0, "tokens_per_second": 24000.5, "tokens_per_sample": 300.006, "ttft_p99_ms": 450.0,
        "tpot_p99_ms": 150.0, "scheduled_samples_per_second": 81.0, "errors": 2.0, "inferred": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("scenario", "benchmark", "log", "value", "unit"),
    [
        ("Server", "llama2-70b", {}, 21000.0, "tokens/s"),
        ("Interactive", "llama2-70b", {"effective_scenario": "Server"}, 21000.0, "tokens/s"),
        ("Server", "bert", {}, 70.0, "queries/s"),
        ("Offline", "bert", {}, 80.0, "samples/s"),
        ("Offline", "new", {"result_tokens_per_second": None}, 80.0, "samples/s"),
        ("Offline", "gptj", {"result_inferred_tokens_per_second": 5.5}, 5.5, "tokens/s"),
        ("SingleStream", "resnet50", LATENCIES, 0.120438, "ms"),
        ("MultiStream", "resnet50", LATENCIES, 5.0, "ms"),
    ],
)
def test_each_scenario_and_benchmark_has_its_own_key(read, scenario, benchmark, log, value, unit):
    found = read(scenario, benchmark, **log)
    assert (found["recomputed"], found["unit"], found["fault"]) == (value, unit, "")


def test_a_run_of_another_scenario_says_that_its_result_is_inferred(read, tree):
    single = {"effective_scenario": "SingleStream", "spl": tree.spl_text()}
    assert "inferred from the log of another scenario" in read("MultiStream", "resnet50", **single)["fault"]
    found = read("MultiStream", "resnet50", "summary", **single)
    assert found["inferred"] and found["fault"] == "" and math.isnan(found["recomputed"]) and math.isnan(found["power"])


@pytest.mark.parametrize(
    ("words", "log"),
    [
        ("effective_scenario is Server, which gives no Offline", {"effective_scenario": "Server"}),
        ("result_validity is missing", {"result_validity": None}),
        ("is INVALID, not VALID", {"result_validity": "INVALID"}),
        ("result_tokens_per_second is not logged", {"result_tokens_per_second": None}),
        ("is 0, expected a number above zero", {"result_tokens_per_second": 0}),
        ("is 1e-06, expected a number above zero", {"result_tokens_per_second": 1e-6}),
        ("result_tokens_per_second is 1e+18", {"result_tokens_per_second": 1e18}),
        (
            "is 'nonsense', neither a number nor text",
            {"text": b':::MLLOG {"key": "result_validity", "value": nonsense, '},
        ),
        ("contains no LoadGen log line", {"text": b"\xe9\xff\x00 version https://git-lfs"}),
    ],
)
def test_a_broken_log_is_named(read, words, log):
    fault = read(**log)["fault"]
    assert fault.startswith("mlperf_log_detail.txt: ") and words in fault


SECONDS = [(f"10:{at // 60:02}:{at % 60:02}.000", 400.0) for at in range(1, 100)]
MINUTE = {"power_end": "07-24-2025 10:01:40.000"}
QUERIES = {"early_stopping_latency_ss": 120438, "result_query_count": 8}
NEGATIVE = [("10:00:00.500", -2.0)]


@pytest.mark.parametrize(
    ("scenario", "samples", "log", "power", "remark"),
    [
        ("Offline", None, {}, 400.0, ""),  # of 300 and 500 W: those at the ends of the window do not count
        ("Offline", SECONDS, MINUTE, 400.0, ""),
        ("Offline", [*SECONDS[:-1], ("10:01:39.000", 499.0)], MINUTE, 401.0, ""),
        ("Offline", SECONDS[:90], MINUTE, 400.0, ""),  # ten seconds without a sample
        ("Offline", SECONDS + NEGATIVE, MINUTE, 400.0,
         "power without 1 samples of the load window without positive watts"),
        ("SingleStream", None, QUERIES, 400.0 * 3 * 1000 / 8, ""),
    ],
)  # fmt: skip
def test_power_is_the_mean_of_the_load_or_energy_per_query(read, tree, scenario, samples, log, power, remark):
    found = read(scenario, "resnet50", spl=tree.spl_text(samples) if samples else tree.spl_text(), **log)
    assert (found["power"], found["power_remark"], found["power_fault"]) == (power, remark, "")


@pytest.mark.parametrize(
    ("words", "samples", "log"),
    [
        ("no sample above zero watts between", "", {}),
        ("line 2: expected a sample", "\nTime,now,Watts,1\n", {}),
        ("line 1: expected a sample", "Time,13-45-2025 10:00:01.000,Watts,1.0\n", {}),
        ("line 1: expected a sample", "Time,07-24-2025 10:00:01.000,Watts,1e9\n", {}),
        ("1 of 2 samples of the load without positive watts", [("10:00:01.000", 300.0), *NEGATIVE], {}),
        ("51 of the 100 s of the load", SECONDS[:49], MINUTE),
        ("for 11 of the 100 s of the load", SECONDS[:89], MINUTE),
        ("no power_begin before a power_end", SECONDS, {"power_begin": None}),
        ("result_query_count is 0", SECONDS, MINUTE | QUERIES | {"result_query_count": 0}),
    ],
)
def test_power_that_cannot_be_trusted_costs_itself_alone(read, tree, words, samples, log):
    scenario = "SingleStream" if "result_query_count" in log else "Offline"
    found = read(scenario, "resnet50", spl=samples if isinstance(samples, str) else tree.spl_text(samples), **log)
    assert math.isnan(found["power"]) and found["recomputed"] > 0 and found["fault"] == ""
    assert found["power_fault"].startswith("spl.txt: ") and words in found["power_fault"]


def test_power_that_was_measured_and_is_not_there_is_missing(read, tree):
    read(spl="")
    (tree.root / "closed/Acme/results/acme/llama2-70b-99.9/Offline/performance/run_1/spl.txt").unlink()
    assert read()["power_fault"] == "spl.txt: is missing, though power was measured"
    assert read(evidence="summary")["power_fault"] == ""


ENDPOINTS = {
    "n_samples_completed": 801, "duration_ns": 205 * 10**9, "state": "complete", "complete": True, "qps": 4.0,
    "tps": 801.0, "ttft": {"percentiles": {"50.0": 2e8, "90.0": 4e8, "99.0": 9e8}}, "tpot": {}, "latency": {"avg": 1e9},
    "output_sequence_lengths": {"total": 160_200, "avg": 200.0}, "legacy_loadgen_window_duration_ns": 2 * 10**11,
}  # fmt: skip
OLD = {key: value for key, value in ENDPOINTS.items() if key not in ("qps", "tps")}


@pytest.mark.parametrize(
    ("benchmark", "scenario", "file", "summary", "cells"),
    [
        ("llama2-70b", "Server", "result_summary.json", ENDPOINTS,
         {"recomputed": 801.0, "recomputed_key": "tps", "unit": "tokens/s", "ttft_p99_ms": 900.0,
          "samples_per_second": 4.0, "tokens_per_sample": 200.0, "validity": ""}),
        ("bert", "Offline", "results_summary.json", ENDPOINTS, {"recomputed": 4.0, "unit": "samples/s"}),
        ("bert", "SingleStream", "results_summary.json", ENDPOINTS, {"recomputed": 1000.0, "unit": "ms"}),
        # The rates of an old harness, which states none, are over the whole run.
        ("llama2-70b", "Offline", "run_1/results_summary.json", OLD,
         {"recomputed": 160_200 / 205, "samples_per_second": pytest.approx(801 / 205)}),
    ],
)  # fmt: skip
def test_a_summary_of_endpoints_gives_the_figure_of_a_run_without_a_log(
    tree, benchmark, scenario, file, summary, cells
):
    tree.write(f"run/performance/{file}", json.dumps(summary))
    run = {"folder": str(tree.root / "run"), "root": str(tree.root), "evidence": "log"}
    found = read_run_log(run | {"benchmark": benchmark, "scenario": scenario})
    assert {name: found[name] for name in cells} == cells


@pytest.mark.parametrize(
    "changes", [{"qps": None, "tps": None}, {"tps": 0.0}, {"complete": False}, {"state": "interrupted"}]
)
def test_a_summary_of_endpoints_that_did_not_end_gives_none(tree, changes):
    tree.write("run/performance/result_summary.json", json.dumps(ENDPOINTS | changes))
    run = {"folder": str(tree.root / "run"), "root": str(tree.root), "benchmark": "llama2-70b", "scenario": "Server"}
    assert read_run_log(run | {"evidence": "log"})["fault"].startswith("result_summary.json: ")
    assert read_run_log(run | {"evidence": "summary"})["fault"] == ""


def test_where_there_is_no_run_nothing_is_known():
    assert str(read_run_log({"folder": ""})) == str(UNKNOWN)
