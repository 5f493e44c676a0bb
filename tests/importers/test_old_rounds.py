"""Rounds before v2.0: logs in words, streams in place of a latency, energy without a count of queries."""

import json

import pytest

from analysis._import.official.import_run import ImportFailed

WORDS = """
================================================
MLPerf Results Summary
================================================
SUT name : A server
Scenario : {scenario}
Mode     : Performance
{figure}
Result is : {validity}
  Min duration satisfied : Yes

================================================
Additional Stats
================================================
{more}
99.00 percentile latency (ns)   : 8019673

================================================
Test Parameters Used
================================================
samples_per_query : 4
target_qps : 40000
"""


@pytest.fixture
def old(tree, tmp_path):
    """The tree of a test as one of an older round."""

    def renamed(round):
        tree.root = tree.root.rename(tmp_path / f"inference_results_{round}")
        return tree

    return renamed


def in_words(tree, scenario, figure, more="", validity="VALID"):
    """A run of v0.7: its detail log is text without a figure, its summary log has it."""
    folder = tree.run("resnet50", scenario.replace(" ", "").lower(), "pid 1 : LoadgenVersionInfo:\n")
    text = WORDS.format(scenario=scenario, figure=figure, more=more, validity=validity)
    tree.write(f"{folder}/performance/run_1/mlperf_log_summary.txt", text)


@pytest.mark.parametrize(
    ("scenario", "figure", "value", "unit", "metric"),
    [
        ("Offline", "Samples per second: 1.21434e+06", 1214340.0, "samples/s", "throughput"),
        ("Server", "Scheduled samples per second : 39997.81", 39997.81, "queries/s", "throughput"),
        ("Single Stream", "90th percentile latency (ns) : 760125", 0.760125, "ms", "latency"),
        ("Multi Stream", "Samples per query : 50", 50.0, "streams", "streams"),
    ],
)
def test_a_log_in_words_gives_the_figure_of_its_summary(old, bring, scenario, figure, value, unit, metric):
    tree = old("v0.7")
    in_words(tree, scenario, figure, "Completed samples per second    : 39340.27" if scenario == "Server" else "")
    row = bring(tree.root).table[0]
    assert (float(row["low"]), row["unit"], row["metric"], row["round"]) == (value, unit, metric, "v0.7")
    assert float(row["recomputed"]) == value and row["validity"] == "VALID"
    samples = {"Offline": "1214340.0", "Server": "39340.27"}.get(scenario, "")
    assert (row["samples_per_second"], row["tokens_per_second"]) == (samples, "")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"validity": "INVALID"}, r"mlperf_log_summary\.txt: result_validity is INVALID"),
        ({"figure": ""}, "none of result_samples_per_second is logged"),
        ({"figure": "Samples per second: nan"}, "result_samples_per_second is 'nan', not a number"),
        ({"scenario": "Server"}, "effective_scenario is 'Server', from which no Offline"),
    ],
)
def test_a_log_in_words_that_says_no_figure_is_named(old, bring, words, reason):
    tree = old("v0.7")
    folder = tree.run("resnet50", "offline", "text")
    known = {"scenario": "Offline", "figure": "Samples per second: 5", "validity": "VALID", "more": ""}
    tree.write(f"{folder}/performance/run_1/mlperf_log_summary.txt", WORDS.format(**known | words))
    with pytest.raises(ImportFailed, match=reason):
        bring(tree.root)


def test_a_run_in_words_without_its_summary_log_is_named(old, bring):
    tree = old("v0.7")
    tree.run("resnet50", "offline", "text")
    with pytest.raises(ImportFailed, match=r"mlperf_log_summary\.txt: is missing"):
        bring(tree.root)


@pytest.mark.parametrize(
    ("round", "value", "unit"), [("v1.0", 50.0, "streams"), ("v1.1", 50.0, "streams"), ("v2.0", 4.5, "ms")]
)
def test_multistream_counts_streams_until_v1_1(old, bring, round, value, unit):
    tree = old(round)
    logged = {"effective_samples_per_query": 50, "early_stopping_latency_ms": 4500000}
    logged |= dict.fromkeys(("result_samples_per_second", "result_completed_samples_per_sec"))
    tree.run("resnet50", "MultiStream", tree.log_text(effective_scenario="MultiStream", **logged))
    row = bring(tree.root).table[0]
    assert (float(row["low"]), row["unit"]) == (value, unit)
    assert row["samples_per_second"] == ""


def test_streams_are_not_inferred_from_another_scenario(old, bring):
    tree = old("v1.0")
    tree.run("resnet50", "MultiStream", tree.log_text(effective_scenario="SingleStream"))
    with pytest.raises(ImportFailed, match=r"v1\.0 counts the streams of MultiStream"):
        bring(tree.root)


def test_a_latency_is_no_published_count_of_streams(tree, bring):
    row = {"Model": "resnet", "UsedModel": "resnet50", "Scenario": "MultiStream", "version": "v1.0"}
    with pytest.raises(ImportFailed, match="labeled 'Latency \\(ms\\)': streams expected"):
        bring(tree.summary(row | {"Performance_Units": "Latency (ms)"}))
    read = bring(tree.summary(row | {"Performance_Units": "Streams", "Performance_Result": 12.0})).table[0]
    assert (read["low"], read["unit"], read["metric"]) == ("12.0", "streams", "streams")


@pytest.mark.parametrize(
    ("logged", "expected"),
    [
        ({"result_query_count": 8}, 400.0 * 3 * 1000 / 8),
        # Watts times seconds over queries, these being the rate times the seconds: 400 W / 20 queries/s.
        ({"result_query_count": None, "result_qps_with_loadgen_overhead": 20.0}, 400.0 * 1000 / 20),
        ({"result_query_count": None}, None),
    ],
)
def test_energy_of_a_query_where_the_log_does_not_count_them(old, bring, logged, expected):
    tree = old("v1.0")
    log = tree.log_text(effective_scenario="SingleStream", **{"result_90.00_percentile_latency_ns": 907755, **logged})
    tree.power(tree.run("resnet50", "singlestream", log))
    outcome = bring(tree.root)
    (row,) = outcome.table
    assert float(row["low"]) == 0.907755 and row["recomputed_key"] == "result_90.00_percentile_latency_ns"
    energy = row["energy_millijoules_per_query"]
    assert (float(energy) if energy else None) == (expected and pytest.approx(expected, rel=1e-12))
    assert bool(outcome.problems) == (expected is None)


def test_a_failed_reading_of_the_meter_is_not_counted_and_said(tree, bring):
    """The meter writes -2 W where a reading failed: one of thirty."""
    location = tree.run(log=tree.log_text(power_end="07-24-2024 10:00:31.000"))
    samples = [(f"10:00:{second:02}.000", -2.0 if second == 7 else 400.0) for second in range(1, 31)]
    tree.power(location, tree.spl_text(samples))
    (row,) = bring(tree.root).table
    assert row["power_watts_low"] == "400.0"
    assert "power without 1 samples of the load window without positive watts" in row["note"]


@pytest.mark.parametrize(
    ("model", "benchmark"),
    [
        ("ssd-resnet34", "ssd-large"),
        ("ssd-mobilenet", "ssd-small"),
        ("mobilenet-v1-0.25-128-quantized", "resnet50"),
        ("another", "another"),
    ],
)
def test_a_run_is_of_the_benchmark_that_its_model_was_filed_under(old, bring, model, benchmark):
    tree = old("v1.0")
    tree.run(model, "Offline")
    (row,) = bring(tree.root).table
    assert (row["benchmark"], row["model_run"]) == (benchmark, model)


def test_research_systems_of_v0_7_are_rdi(old, bring):
    tree = old("v0.7")
    description = tree.root / "closed/Acme/systems/acme.json"
    system = json.loads(description.read_text())
    description.write_text(json.dumps(system | {"status": "Research, Development, or Internal"}))
    in_words(tree, "Offline", "Samples per second: 5")
    assert bring(tree.root).table[0]["availability"] == "rdi"
