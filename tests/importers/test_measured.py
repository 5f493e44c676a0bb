"""Measurement files of each tool: what they say by hand, and every way in which one can be no measurement."""

import json

import numpy as np
import pytest

from analysis._core.paths import DATA
from analysis._import.measured import formats, measurement
from analysis._import.measured.measurement import MeasurementError
from analysis.methods import deployment

EXAMPLES = DATA / "examples"
VLLM = {
    "date": "20250101-000000", "backend": "vllm", "model_id": "org/Llama-2-70b-chat-hf", "num_prompts": 100,
    "request_rate": "inf", "max_concurrency": 32, "duration": 50.0, "completed": 100, "failed": 0,
    "total_input_tokens": 20_000, "total_output_tokens": 10_000, "request_throughput": 2.0, "request_goodput": 1.5,
    "output_throughput": 200.0, "mean_ttft_ms": 120.0, "median_ttft_ms": 100.0, "p99_ttft_ms": 300.0,
    "mean_tpot_ms": 30.0, "median_tpot_ms": 28.0, "p99_tpot_ms": 60.0,
}  # fmt: skip
AIPERF = {
    "schema_version": "1.5", "aiperf_version": "0.13.0", "was_cancelled": False, "error_summary": [],
    "input_config": {"models": {"items": [{"name": "org/model"}]}, "phases": [
        {"name": "warmup", "exclude_from_results": True, "concurrency": 4}, {"name": "profiling", "concurrency": 16}]},
    "request_count": {"unit": "requests", "avg": 100.0}, "request_throughput": {"unit": "requests/sec", "avg": 2.0},
    "output_token_throughput": {"unit": "tokens/sec", "avg": 200.0}, "goodput": {"unit": "requests/sec", "avg": 1.5},
    "time_to_first_token": {"unit": "ms", "avg": 120.0, "p50": 100.0, "p99": 300.0},
    "inter_token_latency": {"unit": "ms", "avg": 30.0, "p50": 28.0, "p99": 60.0},
    "benchmark_duration": {"unit": "sec", "avg": 50.0}, "total_osl": {"unit": "tokens", "avg": 10_000.0},
    "total_isl": {"unit": "tokens", "avg": 20_000.0},
}  # fmt: skip
BLOCKS = ("time_to_first_token", "inter_token_latency")
LOG = {
    "effective_scenario": "Server", "result_validity": "VALID", "result_query_count": 1000,
    "result_completed_samples_per_sec": 10.0, "result_completed_tokens_per_second": 2900.0,
    "result_first_token_99.00_percentile_latency_ns": 1_500_000_000,
    "result_time_per_output_token_99.00_percentile_ns": 150_000_000,
}  # fmt: skip


@pytest.fixture
def write(tmp_path):
    """A file of one or more records, one per line."""

    def make(*records, name="run.json"):
        path = tmp_path / name
        path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in records), "utf-8")
        return path

    return make


@pytest.fixture
def log(write):
    """A log of LoadGen; a change to None takes the line away."""

    def make(**changes):
        kept = {key: value for key, value in (LOG | changes).items() if value is not None}
        lines = [f":::MLLOG {json.dumps({'key': key, 'value': value})}" for key, value in kept.items()]
        return write(*lines, name="mlperf_log_detail.txt")

    return make


def one(path):
    (run,) = formats.read_runs(path)
    return run


def test_texts_of_a_frame_stand_in_a_page_whatever_the_file_says(write):
    power = {"gpu_0": {"gpu_name": "H100\x1b", "metrics": {}}}
    telemetry = {"endpoints": {"node": {"gpus": power}}}
    (run,) = formats.read_runs(write(AIPERF | {"telemetry_data": telemetry, "aiperf_version": "1\x07\n\u202e"}))
    row = measurement.frame([run]).iloc[0]
    assert row["software"] == "AIPerf 1\\x07\\n\\u202e" and row["devices"] == ("H100\\x1b",)


def test_a_fault_of_a_reader_is_not_put_on_the_file(write, monkeypatch):
    def broken(*_):
        raise TypeError("unexpected keyword")

    monkeypatch.setattr(formats.vllm, "runs", broken)
    with pytest.raises(TypeError, match="unexpected keyword"):
        one(write(VLLM))


def power(*watts, name="nvidia_power_usage", unit="W"):
    gpus = {
        f"gpu_{n}": {"gpu_name": "NVIDIA H100", "metrics": {name: {"unit": unit, "avg": watt}}}
        for n, watt in enumerate(watts)
    }
    return {"telemetry_data": {"endpoints": {"host:9400": {"gpus": gpus}}}}


def test_vllm_by_hand(write):
    run = one(write(VLLM))
    assert (run.tool, run.model, run.output_tokens_per_s, run.duration_s) == (
        "vllm bench serve", "org/Llama-2-70b-chat-hf", 200.0, 50.0)  # fmt: skip
    assert (run.concurrency, run.request_rate, run.requests_completed, run.requests_failed) == (
        32,
        float("inf"),
        100,
        0,
    )
    assert (run.ttft_mean_ms, run.ttft_p50_ms, run.ttft_p99_ms) == (120.0, 100.0, 300.0)
    assert (run.tpot_mean_ms, run.tpot_p50_ms, run.tpot_p99_ms) == (30.0, 28.0, 60.0)
    assert (run.accelerator, run.accelerator_count, run.goodput_per_s, run.example) == ("", 0, 1.5, False)


def test_aiperf_by_hand(write):
    run = one(write(AIPERF | power(600.0, 700.0)))
    assert (run.tool, run.model, run.output_tokens_per_s, run.duration_s) == ("AIPerf", "org/model", 200.0, 50.0)
    assert (run.concurrency, run.input_tokens, run.output_tokens, run.goodput_per_s) == (16, 20_000, 10_000, 1.5)
    assert (run.ttft_p99_ms, run.tpot_p50_ms, run.requests_failed) == (300.0, 28.0, 0)
    assert (run.accelerator_watts, run.metered, run.devices) == (1300.0, 2, ("NVIDIA H100", "NVIDIA H100"))
    assert (run.accelerator, run.accelerator_count) == ("", 0)  # what was metered need not be what ran


def test_loadgen_by_hand(log):
    path = log()
    run = one(path.parent)
    assert (one(path).output_tokens_per_s, run.output_tokens_per_s) == (2900.0, 2900.0)
    assert (run.tool, run.scenario, run.ttft_p99_ms, run.tpot_p99_ms) == ("LoadGen", "Server", 1500.0, 150.0)
    assert (run.model, run.accelerator, run.accelerator_count) == ("", "", 0)


@pytest.mark.parametrize(
    ("said", "rate", "load"),
    [
        ({"effective_target_qps": 10.2}, 10.2, "light"),
        ({"effective_target_qps": 20, "effective_samples_per_query": 1}, 20.0, "full"),
        ({}, float("nan"), ""),
        ({"effective_scenario": "Offline", "effective_target_qps": 10.0}, float("nan"), "full"),
    ],
)
def test_a_server_log_tells_its_load(log, said, rate, load):
    """10 of 10.2 queries a second were answered as they came, 10 of 20 were not; Offline has them all at once."""
    run = one(log(**said))
    assert run.request_rate == pytest.approx(rate, nan_ok=True) and deployment.load(vars(run)) == load


def test_a_server_log_whose_target_is_no_rate_is_refused(log):
    with pytest.raises(MeasurementError, match="effective_target_qps is 0; expected a number above 0"):
        one(log(effective_target_qps=0))


def test_offline_log_counts_samples_not_its_one_query(log):
    path = log(effective_scenario="Offline", result_query_count=1, effective_samples_per_query=24_576)
    assert one(path).requests_completed == 24_576


@pytest.mark.parametrize("spelling", ["request_goodput", "request_goodput:"])
def test_both_spellings_of_goodput(write, spelling):
    record = {key: value for key, value in VLLM.items() if key != "request_goodput"}
    assert np.isnan(one(write(record)).goodput_per_s)
    assert np.isnan(one(write(record | {spelling: None})).goodput_per_s)
    assert one(write(record | {spelling: 1.25})).goodput_per_s == 1.25


def test_appended_results_are_runs_with_their_lines(write):
    runs = formats.read_runs(write(VLLM, "", VLLM | {"max_concurrency": 64}))
    assert [(run.place, run.concurrency) for run in runs] == [("line 1", 32), ("line 3", 64)]


def test_metadata_says_accelerator_and_count(write):
    run = one(write(VLLM | {"accelerator": "H100 SXM", "accelerator_count": "8", "precision": "fp8"}))
    assert (run.accelerator, run.accelerator_count, run.precision) == ("H100 SXM", 8, "fp8")


MANY = {"ttfts": [0.1, 0.14], "output_lens": [290, 290], "itls": [[0.03] * 289] * 2}


@pytest.mark.parametrize(
    "change",
    [
        {"itls": [[], []]},
        {"itls": [[0.0] * 289] * 2},
        {"ttfts": [0.0, 0.12]},
    ],
    ids=["no times", "zeros", "a first token of none"],
)
def test_answers_that_were_not_streamed_have_no_times_of_their_own(write, change):
    assert one(write(VLLM | MANY)).request_tpot_ms == pytest.approx([30.0, 30.0])
    run = one(write(without(VLLM, "request_goodput") | MANY | change))
    assert (run.request_ttft_ms, run.request_tpot_ms) == (None, None)
    with pytest.raises(MeasurementError, match=r"1\.5 requests/s were answered in time, but no answer was streamed"):
        formats.read_runs(write(VLLM | MANY | change))


def test_a_streamed_answer_that_came_in_one_piece_has_no_time_between_tokens(write):
    """The second came with its first token: two tokens, and no time after it."""
    run = one(write(VLLM | MANY | {"itls": [[0.03] * 289, []], "output_lens": [290, 2]}))
    assert run.request_ttft_ms == pytest.approx([100.0, 140.0])
    assert run.request_tpot_ms == pytest.approx([30.0, np.nan], nan_ok=True)


def test_a_zero_is_no_time(write):
    zeros = {f"{statistic}_{name}_ms": 0.0 for statistic in ("mean", "median", "p99") for name in ("ttft", "tpot")}
    blocks = {name: {"unit": "ms", "avg": 0.0, "p50": 0.0, "p99": 0.0} for name in BLOCKS}
    for record, goodput in ((VLLM | zeros, "request_goodput"), (AIPERF | blocks, "goodput")):
        with pytest.raises(MeasurementError, match="no answer was streamed, so none had a time to its first token"):
            formats.read_runs(write(record))
        run = one(write(without(record, goodput)))
        times = [getattr(run, f"{name}_{of}_ms") for name in ("ttft", "tpot") for of in ("mean", "p50", "p99")]
        assert np.isnan(times).all()


def test_failures_that_a_version_does_not_count(write):
    record = {key: value for key, value in VLLM.items() if key != "failed"} | {"num_prompts": 103}
    assert one(write(record)).requests_failed == 3
    assert one(write(VLLM | {"failed": 1})).requests_failed == 1
    assert one(write(AIPERF | {"error_summary": [{"count": 2}, {"count": 1}]})).requests_failed == 3
    assert one(write(AIPERF | {"error_request_count": {"unit": "requests", "avg": 4.0}})).requests_failed == 4


@pytest.mark.parametrize(
    ("config", "model", "concurrency"),
    [({"models": ["org/a"], "phases": {"warmup": {"concurrency": 1}, "profiling": {"concurrency": 8}}}, "org/a", 8),
     ({"models": [{"name": "org/b"}], "loadgen": {"concurrency": 4}}, "org/b", 4),
     ({"endpoint": {"model_names": ["org/c", "org/d"]}}, "org/c", np.nan),
     ({"models": {"items": []}, "phases": [{"concurrency": 2}, {"concurrency": 3}]}, "", np.nan)],
)  # fmt: skip
def test_configurations_of_all_versions(write, config, model, concurrency):
    run = one(write(AIPERF | {"input_config": config}))
    assert run.model == model and run.concurrency == pytest.approx(concurrency, nan_ok=True)


def test_accelerator_that_two_endpoints_report_counts_once(write):
    gpu = {"gpu_name": "GPU", "metrics": {"nvidia_power_usage": {"unit": "W", "avg": 500.0}}}
    seen = {f"host:{port}": {"gpus": {"gpu_0": gpu | {"gpu_uuid": "GPU-1"}}} for port in (9400, 9401)}
    apart = {f"host:{port}": {"gpus": {"gpu_0": gpu | {"gpu_uuid": f"GPU-{port}"}}} for port in (9400, 9401)}
    for endpoints, watts in ((seen, 500.0), (apart, 1000.0)):
        assert one(write(AIPERF | {"telemetry_data": {"endpoints": endpoints}})).accelerator_watts == watts


def test_old_aiperf_without_schema_duration_and_totals(write):
    dropped = ("schema_version", "aiperf_version", "benchmark_duration", "total_osl", "total_isl")
    old = {key: value for key, value in AIPERF.items() if key not in dropped}
    lengths = {
        f"{kind}_sequence_length": {"unit": "tokens", "avg": avg} for kind, avg in (("input", 200.0), ("output", 100.0))
    }
    config = {"input_config": {"endpoint": {"model_names": ["org/old"]}, "loadgen": {"concurrency": 8}}}
    run = one(write(old | lengths | config | power(500.0, name="gpu_power_usage")))
    assert (run.model, run.concurrency, run.duration_s, run.accelerator_watts) == ("org/old", 8, 50.0, 500.0)
    assert (run.input_tokens, run.output_tokens) == (20_000, 10_000)


def test_units_of_aiperf_decide_what_a_number_means(write):
    seconds = {"time_to_first_token": {"unit": "sec", "avg": 0.12, "p99": 0.3}}
    run = one(write(AIPERF | seconds | power(600_000.0, unit="mW")))
    assert (run.ttft_mean_ms, run.ttft_p99_ms, run.accelerator_watts) == pytest.approx((120.0, 300.0, 600.0))


def without(record, key):
    return {name: value for name, value in record.items() if name != key}


BAD = [
    ("missing key", without(VLLM, "duration"), "duration is missing; expected a number"),
    ("NaN", VLLM | {"mean_ttft_ms": float("nan")}, "mean_ttft_ms is nan; expected a finite number"),
    ("too large", VLLM | {"completed": 10**400}, "completed is beyond any measurement; expected a number up to 1e+24"),
    ("many tokens at once", VLLM | {"completed": 10**6, "max_concurrency": 1, "mean_ttft_ms": None,
     "request_throughput": None},
     "200 tokens/s with 30 ms between tokens are 6 answers at once, but at most 1 were"),
    ("text", VLLM | {"completed": "100"}, "completed is '100'; expected a number"),
    ("negative", VLLM | {"failed": -1}, "failed is -1; expected a number from 0"),
    ("a time below 0", VLLM | {"ttfts": [-0.1], "itls": [[0.1]], "output_lens": [2]}, "that is not finite, below 0"),
    ("a duration below 0", VLLM | {"duration": -1}, "duration is -1; expected a number above 0"),
    ("nothing completed", VLLM | {"completed": 0, "failed": 100}, "no request was completed, 100 failed"),
    ("another unit", VLLM | {"duration": 50_000.0}, "but 10000 tokens in 50000 s are 0.2: one of the three"),
    # 3.09 s a request at 2 a second are 6.18 in flight, of 32 that may be: a thousand times as many are not.
    ("microseconds", VLLM | {"mean_ttft_ms": 120e3, "mean_tpot_ms": 30e3},
     "so 6.18e+03 would be in flight at once, but at most 32"),
    ("more in time than at all", VLLM | {"request_goodput": 2.1},
     "2.1 requests/s were answered in time, but 2 in all; expected some of them, or all"),
    ("requests of another run", VLLM | {"request_throughput": 1.5},
     "1.5 requests/s, but 100 requests in 50 s are 2: one of the three is in another unit or of another run"),
    ("percentiles", VLLM | {"p99_ttft_ms": 99.0}, "ttft is 100 ms at the median and 99 ms at the 99th percentile"),
    ("another kind of part", AIPERF | {"input_config": {"endpoint": "v1/chat"}},
     "run.json, input_config: endpoint is 'v1/chat'; expected an object"),
    ("arrays in ms", VLLM | {"ttfts": [120.0], "itls": [[0.03]], "output_lens": [2]}, "expected seconds in the array"),
    ("uneven arrays", VLLM | {"ttfts": [0.1], "itls": [], "output_lens": [2]}, "ttfts 1, itls 0, output_lens 1"),
    ("arrays of text", VLLM | {"ttfts": ["a"], "itls": [[]], "output_lens": [2]}, "something else than numbers"),
    ("count", VLLM | {"accelerator_count": "eight"}, "accelerator_count is 'eight'; expected a whole number from 1"),
    ("throughput tool", {"elapsed_time": 1.0, "num_requests": 5}, "vllm bench throughput"),
    ("AIPerf missing", without(AIPERF, "output_token_throughput"), "output_token_throughput.avg is missing"),
    ("AIPerf nothing", AIPERF | {"output_token_throughput": {"unit": "tokens/sec", "avg": 0.0}},
     "0 output tokens/s: nothing was put out"),
    ("AIPerf unit", AIPERF | {"time_to_first_token": {"unit": "mi", "avg": 1.0}}, "is 'mi'; expected one of ms"),
    ("AIPerf cancelled", AIPERF | {"was_cancelled": True}, "was_cancelled is true"),
    ("AIPerf schema", AIPERF | {"schema_version": "2.0"}, "schema_version is 2.0; expected 1.x or none"),
    ("another tool", {"results": [1], "config": {}}, "a file of another tool (it holds results, config)"),
    ("no JSON", "hello", "is no JSON"),
    ("cut", json.dumps(VLLM, indent=1)[:60], "is no JSON (Unterminated string starting at: line "),
    ("cut lines", json.dumps(VLLM) + "\n" + json.dumps(VLLM)[:60], ", line 2: is no JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "said"), [each[1:] for each in BAD], ids=[each[0] for each in BAD])
def test_what_is_no_measurement_is_refused_by_name(write, record, said):
    with pytest.raises(MeasurementError, match=r"run\.json") as caught:
        formats.read_runs(write(record))
    assert said in str(caught.value)


def test_a_folder_without_a_log_is_told_as_such(tmp_path):
    with pytest.raises(MeasurementError, match=r"runs: is a folder without .*, the log of a LoadGen run"):
        formats.read_runs(tmp_path, "runs")


def test_the_line_of_a_bad_record_is_named(write):
    with pytest.raises(MeasurementError, match=r"run.json, line 2: duration is 0"):
        formats.read_runs(write(VLLM, VLLM | {"duration": 0}))


@pytest.mark.parametrize(
    ("change", "said"),
    [({"result_validity": "INVALID"}, "not VALID"), ({"result_validity": None}, "did not end"),
     ({"result_completed_tokens_per_second": None}, "logs no tokens per second"),
     ({"result_query_count": 0}, "no request was completed"),
     ({"result_query_count": "x"}, "result_query_count is 'x'; expected a number")],
)  # fmt: skip
def test_a_log_that_cannot_count_is_refused(log, change, said):
    with pytest.raises(MeasurementError, match=said):
        formats.read_runs(log(**change))


@pytest.mark.parametrize("path", [*sorted(EXAMPLES.glob("*.json*")), EXAMPLES / "loadgen"], ids=lambda path: path.name)
def test_every_shipped_example_is_read_and_says_that_it_is_one(path):
    runs = formats.read_runs(path)
    assert runs
    assert all(run.example and run.output_tokens_per_s > 0 for run in runs)


def test_files_below_the_data_folder_are_remembered_with_their_hashes():
    from analysis._core.file_contents import sha256_of
    from analysis._tables.catalog import Catalog

    catalog = Catalog()
    frame = formats.load(catalog, ["examples/vllm_old.json", "examples/loadgen"])
    assert frame["tool"].tolist() == ["vllm bench serve", "LoadGen"]
    log = "examples/loadgen/mlperf_log_detail.txt"
    assert catalog.used == {name: sha256_of(DATA / name) for name in ("examples/vllm_old.json", log)}
