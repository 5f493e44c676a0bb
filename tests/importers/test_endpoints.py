"""Logs of MLPerf Endpoints: figures by scenario, published beside logged, and files that cannot be trusted."""

import json

import pytest

from analysis._core import table_text
from analysis._import.official import endpoints
from analysis._import.official.import_run import ImportFailed

PERCENTILES = {"99.9": 9e9, "99.0": 4e9, "90.0": 3e9, "50.0": 2e9, "1.0": 1e9}
SERIES = {"avg": 2.5e9, "percentiles": PERCENTILES, "early_stopping_percentiles": {"99.0": 5e9, "90.0": 3.5e9}}
SUMMARY = {  # 100 samples and 30,000 tokens in 50 s, of which LoadGen's window is 40 s
    "version": "0.1.0", "n_samples_issued": 100, "n_samples_completed": 100, "n_samples_failed": 0,
    "duration_ns": 50_000_000_000, "state": "complete", "complete": True, "ttft": SERIES,
    "tpot": {"percentiles": {"50.0": 1e7, "90.0": 2e7, "99.0": 4e7}}, "latency": SERIES,
    "output_sequence_lengths": {"total": 30_000, "avg": 300.0}, "legacy_loadgen_window_duration_ns": 40_000_000_000,
    "qps": 2.475, "tps": 750.0, "run_config": {"load_pattern": {"type": "poisson"}},
}  # fmt: skip
WHOLE = {"legacy_loadgen_window_duration_ns": None, "qps": 2.0, "tps": 600.0}
OFFLINE = WHOLE | {"run_config": {"load_pattern": {"type": "max_throughput"}}, "ttft": {}, "tpot": {}}
ALONE = WHOLE | {"run_config": {"load_pattern": {"type": "concurrency", "target_concurrency": 1}}}
OLDER = {"config": {"mode": "both"}, "results": {"total": 100, "successful": 100, "failed": 0, "elapsed_time": 40.0,
         "qps": 2.5}, "responses": {"1": "x" * 5_000_000}}  # fmt: skip
OTHER = {"TestScenario.Server": {"count": 9, "qps": 2.5, "took": 600.0}, "args": {"total": 1}, "time": 1}
SUMMARY_FILE, OLDER_FILE = "performance/result_summary.json", "performance/run_1/results.json"


def write(tree, model, scenario, content=SUMMARY, name=SUMMARY_FILE):
    """A run with a log of Endpoints, in a tree of v6.1; returns its location."""
    if tree.root.name != "inference_results_v6.1":
        tree.root = tree.root.rename(tree.root.with_name("inference_results_v6.1"))
    location = f"closed/Acme/results/acme/{model}/{scenario}"
    tree.write(f"{location}/{name}", content if isinstance(content, bytes) else json.dumps(content))
    return location


def published(tree, *locations, **changes):
    """A summary beside the tree with a row for each of its runs."""
    usual = {"version": "v6.1", "Accuracy": 81.4, "Performance_Units": "Tokens/s"}
    rows = [
        usual
        | {"ID": f"v6.1-{number:04}", "Model": model, "UsedModel": model, "Scenario": scenario, "Location": location}
        for number, location in enumerate(locations, 7)
        for model, scenario in [location.split("/")[-2:]]
    ]
    return tree.summary(*(row | changes for row in rows))


def test_a_tree_with_endpoints_logs_alone_gives_rows(tree, bring):
    location = write(tree, "deepseek-r1", "Server")
    tree.write(f"{location}/accuracy/accuracy_results.json", '{"average_accuracy": 81.42661804922516}')
    tree.write(f"{location}/measurements.json", '{"weight_data_types": "fp4"}')
    outcome = bring(tree.root)
    assert (outcome.rows, outcome.status, outcome.recomputed) == (1, 0, 0)
    wanted = {"low": "750.0", "unit": "tokens/s", "recomputed": "750.0", "recomputed_key": "tps", "validity": "",
              "samples_per_second": "2.475", "tokens_per_second": "750.0", "tokens_per_sample": "300.0",
              "ttft_p50_ms": "2000.0", "ttft_p90_ms": "3000.0", "ttft_p99_ms": "4000.0", "tpot_p50_ms": "10.0",
              "tpot_p90_ms": "20.0", "tpot_p99_ms": "40.0", "inferred": "false", "accuracy": "81.42661804922516",
              "precision": "fp4", "location": location, "printed_unit": "", "recomputed_difference": ""}  # fmt: skip
    row = outcome.table[0]
    assert {name: row[name] for name in wanted} == wanted
    assert row["note"] == f"{endpoints.FIGURES}; {endpoints.WINDOW}"


@pytest.mark.parametrize(
    ("model", "scenario", "changes", "value", "unit", "key"),
    [
        ("deepseek-r1", "Interactive", {}, 750.0, "tokens/s", "tps"),
        ("deepseek-r1", "Offline", OFFLINE, 600.0, "tokens/s", "tps"),
        ("qwen3-vl-235b-a22b", "Server", {}, 2.475, "queries/s", "qps"),
        ("qwen3-vl-235b-a22b", "Offline", OFFLINE | {"tps": None}, 2.0, "samples/s", "qps"),
        ("a-new-model", "Server", {"tps": None}, 2.475, "queries/s", "qps"),
        ("qwen3.6-27b", "SingleStream", ALONE, 2500.0, "ms", "latency.avg"),
        ("llama3.1-8b-edge", "SingleStream", ALONE, 3500.0, "ms", "latency.early_stopping_percentiles.90.0"),
    ],
)
@pytest.mark.parametrize("name", endpoints.SUMMARIES)
def test_the_figure_by_scenario(tree, bring, model, scenario, changes, value, unit, key, name):
    write(tree, model, scenario, SUMMARY | changes, name)
    row = bring(tree.root).table[0]
    assert (float(row["low"]), row["unit"], row["recomputed_key"]) == (value, unit, key)
    assert (endpoints.MEAN in row["note"]) == (key == "latency.avg")
    assert (endpoints.WINDOW in row["note"]) == (key == "tps" and not changes)
    assert bool(row["ttft_p99_ms"]) == (scenario != "Offline")


def test_a_published_row_is_recomputed(tree, bring):
    outcome = bring(published(tree, write(tree, "deepseek-r1", "Server"), Performance_Result=750.0), tree.root)
    row = outcome.table[0]
    assert (row["result_id"], row["recomputed"], row["recomputed_difference"]) == ("6.1-0007", "750.0", "0.0")
    assert (outcome.recomputed, outcome.differing) == (1, []) and row["ttft_p99_ms"] == "4000.0"


@pytest.mark.parametrize("number", range(len(table_text.rows("endpoints_runs"))))
def test_a_run_that_was_read_by_itself_is_as_the_importer_reads_its_file(tree, bring, number):
    row = table_text.rows("endpoints_runs")[number]
    model, scenario = row["location"].split("/")[-2:]
    log = endpoints.stated(row["location"].upper(), model, scenario, row["round"])
    write(tree, model, scenario, endpoints._summary(row))
    imported = bring(tree.root).table[0]
    assert log and (float(imported["recomputed"]), imported["recomputed_key"]) == (log.value, log.key)
    assert {name: imported[name] for name in log.columns if name != "inferred"} == {
        name: repr(value) for name, value in log.columns.items() if name != "inferred"
    }


def test_a_published_row_is_recomputed_from_a_run_that_was_read_by_itself(tree, bring):
    """Its log gives 652,750.1447708113 tokens/s; the summary here prints one more."""
    location = "closed/NVIDIA/results/VR-NVL72_VR-288GB_aarch64x72_TRT/deepseek-r1/Interactive"
    row = bring(published(tree, location, Performance_Result=652751.1447708113)).table[0]
    assert float(row["recomputed"]) == 652750.1447708113 and row["recomputed_key"] == "tps"
    assert float(row["recomputed_difference"]) == pytest.approx(-1 / 652751.1447708113)
    assert float(row["ttft_p99_ms"]) == 475.31573 and float(row["tpot_p99_ms"]) == pytest.approx(12.549085614739364)
    other = bring(published(tree, location.replace("deepseek-r1", "llama3.1-8b"))).table[0]
    assert (other["recomputed"], other["ttft_p99_ms"]) == ("", "")


def test_a_published_latency_is_a_mean_in_whatever_unit(tree, bring):
    location = write(tree, "wan-2.2-t2v-a14b", "SingleStream", SUMMARY | ALONE)
    row = bring(published(tree, location, Performance_Result=2.5, Performance_Units="Latency (s)"), tree.root).table[0]
    assert (row["low"], row["recomputed_difference"]) == ("2500.0", "0.0")
    assert row["note"] == f"{endpoints.FIGURES}; {endpoints.MEAN}"


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (2.475, "queries/s", "published 2.475, log 750 tokens/s; it is qps"),
        (700.0, "tokens/s", "published 700, log 750"),
    ],
)
def test_a_figure_that_is_another_one_of_the_log_has_its_unit(tree, bring, value, unit, said):
    location = write(tree, "deepseek-r1", "Server")
    outcome = bring(published(tree, location, Performance_Result=value), tree.root)
    assert outcome.table[0]["unit"] == unit and said in outcome.table[0]["note"] and len(outcome.differing) == 1


def test_the_file_of_an_older_version_states_samples_alone(tree, bring):
    write(tree, "qwen3-vl-235b-a22b", "Server", OLDER, OLDER_FILE)
    row = bring(tree.root).table[0]
    assert (row["low"], row["unit"], row["tokens_per_sample"], row["ttft_p99_ms"]) == ("2.5", "queries/s", "", "")


def test_a_file_of_another_tool_is_no_log(tree, bring):
    location = write(tree, "qwen3-vl-235b-a22b", "Server", OTHER, OLDER_FILE)
    path = published(tree, location, Performance_Result=2.5, Performance_Units="Queries/s")
    row = bring(path, tree.root).table[0]
    assert row["recomputed"] == "" and "not recomputed: its log is not in the tree" in row["note"]
    with pytest.raises(ImportFailed, match=r"mlperf_log_detail\.txt: is missing"):
        bring(tree.root)


def test_the_log_of_loadgen_counts_where_both_are(tree, bring):
    write(tree, "llama2-70b-99", "Offline", SUMMARY | OFFLINE)
    tree.run("llama2-70b-99")
    row = bring(tree.root).table[0]
    assert (row["low"], row["validity"], endpoints.FIGURES in row["note"]) == ("24000.5", "VALID", False)


def test_of_two_files_the_summary_counts(tree, bring):
    location = write(tree, "qwen3-vl-235b-a22b", "Server")
    tree.write(f"{location}/{OLDER_FILE}", json.dumps(OLDER))
    assert bring(tree.root).table[0]["low"] == "2.475"


CUT = json.dumps(SUMMARY)[:400].encode()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (CUT, "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"[1]", "is list, expected an object"),
        ({}, "None of None samples completed"),
        (SUMMARY | {"complete": False}, "the run is not complete"),
        (SUMMARY | {"n_samples_failed": 3}, "100 of 100 samples completed and 3 failed"),
        (SUMMARY | {"n_samples_completed": 99}, "99 of 100 samples completed"),
        (SUMMARY | {"qps": None}, "its qps is None, not a number above 0"),
        (SUMMARY | {"qps": 1e-320}, "its qps is 1e-320, not a number above 0"),
        (SUMMARY | {"duration_ns": 10**400} | {"legacy_loadgen_window_duration_ns": None}, "its duration is 1000"),
        (SUMMARY | {"legacy_loadgen_window_duration_ns": "40"}, "its duration is '40'"),
        (SUMMARY | {"qps": 2.0}, "qps is 2, but 100 samples took 40 s"),
        (SUMMARY | {"qps": 2.5, "tps": 600.0}, "tps is 600.0, but 30000 tokens took 40 s"),
        (SUMMARY | {"output_sequence_lengths": {}}, "tps is 750.0, but None tokens took 40 s"),
        (SUMMARY | {"tps": None}, "has no tps, the tokens per second that deepseek-r1 counts"),
        (SUMMARY | {"ttft": {"percentiles": {"50.0": 2e9, "99.0": 1e9}}}, "the percentiles of ttft do not rise"),
        (SUMMARY | OFFLINE, "its load pattern is max_throughput, from which no Server result follows"),
        (SUMMARY | {"run_config": [1], "latency": 4, "ttft": None}, ""),  # what the figure does not need
    ],
)
@pytest.mark.parametrize("beside", [False, True])
def test_a_log_that_cannot_be_trusted_is_named_and_costs_its_row_alone(tree, bring, content, reason, beside):
    location = write(tree, "deepseek-r1", "Server", content)
    sound = write(tree, "deepseek-r1", "Offline", SUMMARY | OFFLINE)
    paths = [published(tree, location, sound, Performance_Result=750.0)] if beside else []
    outcome = bring(*paths, tree.root)
    assert {row["location"] for row in outcome.table} == ({sound} if reason else {sound, location})
    assert [location in problem.place for problem in outcome.problems] == [True] * bool(reason)
    assert all(problem.reason.startswith(f"result_summary.json: {reason}") for problem in outcome.problems)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"average_accuracy": 81.5, "accuracy_scores": []}, "81.5"),
        ({"accuracy_scores": [{"score": 0.7}]}, "0.7"),
        ({"accuracy_scores": [{"score": 0.7}, {"score": 0.8}]}, ""),
        ({"accuracy_scores": [{"score": "=1+1"}]}, ""),
        (b"{", ""),
    ],
)
def test_one_accuracy_or_none(tmp_path, content, found):
    path = tmp_path / "accuracy_results.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    assert endpoints.accuracy(path) == found
