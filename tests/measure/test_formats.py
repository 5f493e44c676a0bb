"""Files of each tool: what they say by hand, in other versions, and as which file of which tool one is refused."""

import json
from pathlib import Path

import pytest

from analysis.measure import MeasurementError, read_runs
from analysis.measure.record import shipped_rows

EXAMPLES = Path(__file__).parents[2] / "data" / "examples"
LLAMA = "meta-llama/Llama-2-70b-chat-hf"
# file, run -> tool, load, output tokens/s, requests, failures, seconds, TTFT mean, P50, P99, TPOT mean, P50, P99 in ms
NAN, LOG = float("nan"), "MLPerf LoadGen"
BY_HAND = [
    ("vllm_concurrency.jsonl", 1, "vLLM", "concurrency 64", 1800, 640, 0, 88.889, 160, 150, 420, 33, 32, 45),
    ("vllm_old.json", 0, "vLLM", "5 requests/s", 1250, 500, 2, 100, 300, 280, 900, 40, 39, 70),
    ("vllm_detailed.json", 0, "vLLM", "concurrency 4", 7.5, 3, 1, 4, 200, 200, 298, 101.852, 35.556, 245.689),
    ("vllm_printed.txt", 0, "vLLM", "concurrency 64", 1799.98, 640, 0, 88.89, 160, 150, 420, 33, 32, 45),
    ("vllm_throughput.txt", 0, "vLLM", "all at once", 6000, 1000, NAN, 50, *[NAN] * 6),
    ("sglang.jsonl", 0, "SGLang", "concurrency 64", 1000, 1000, NAN, 250, 250, 220, 600, 40, 39, 48),
    ("sglang_printed.txt", 0, "SGLang", "4 requests/s", 1000, 1000, NAN, 250, 250, 220, 600, 40, 39, 48),
    ("aiperf.json", 0, "AIPerf", "concurrency 64", 1800, 720, 0, 100, 180, 170, 450, 35, 34, 48),
    ("aiperf_old.json", 0, "AIPerf", "concurrency 64", 1800, 720, 0, 100, 180, 170, 450, 35, 34, 48),
    ("aiperf.csv", 0, "AIPerf", "", 1800, 720, NAN, 100, 180, 170, 450, 35, 34, 48),
    ("aiperf_aggregate.json", 0, "AIPerf", "", 1000, 1000, NAN, 250.5, 250, 220, 600, 40, 39, 48),
    ("genai_perf.json", 0, "genai-perf", "concurrency 64", 1000, 1000, NAN, 250, 250, 220, 600, 40, 39, 48),
    ("guidellm.json", 1, "GuideLLM", "5 requests/s", 1250, 1000, 0, 200, 260, 240, 800, 42, 41, 60),
    ("guidellm.json", 2, "GuideLLM", "all at once", 3000, 1200, 0, 100, 3000, 2800, 6000, 120, 118, 160),
    ("guidellm_old.json", 0, "GuideLLM", "concurrency 1", 34, 2, 0, 6, 120, 120, 139.6, 28, 28, 29.96),
    ("guidellm.csv", 0, "GuideLLM", "", 750, 600, 2, 200, 180, 170, 450, 38, 37, 46),
    ("inferencex.json", 0, "InferenceX", "concurrency 64", 1600, NAN, NAN, NAN, 250, 200, 500, 32, 32, 40),
    ("inference_perf_stage.json", 0, "inference-perf", "4 requests/s", 1000, 400, 4, 100, 200, 180, 500, 32, 31, 41),
    ("llm_d_report.yaml", 0, "llm-d", "4 requests/s", 1000, 400, 4, 100, 200, 180, 500, 32, 31, 41),
    ("llmperf_summary.json", 0, "LLMPerf", "concurrency 5", 226.5, 150, 2, 100, 250, 210, 470, 14.333, NAN, NAN),
    ("trtllm_bench.json", 0, "TensorRT-LLM", "", 5120, 2000, NAN, 100, 4700, 4500, 8000, 60, 59, 75),
    ("trtllm_printed.txt", 0, "TensorRT-LLM", "", 5120, 2000, NAN, 50, 3630, 3500, 8000, 60, 59, 75),
    ("sglang_offline.txt", 0, "SGLang", "all at once", 1250, 400, NAN, 80, *[NAN] * 6),
    ("evalscope.txt", 0, "EvalScope", "concurrency 16", 600, 400, 1, 100, 200, 190, 530, 25, 24, 31),
    ("llama_bench.json", 0, "llama-bench", "concurrency 1", 32, 1, NAN, 4, NAN, NAN, NAN, 31.25, NAN, NAN),
    ("result_summary.json", 0, "MLPerf Endpoints", "4.2 requests/s", 801, 801, 0, 200, 300, 250, 900, 50, 48, 90),
    ("mlperf_log_summary.txt", 0, LOG, "60.3 requests/s", 17400, NAN, NAN, NAN, 400, 300, 1400, 125, 120, 170),
    ("loadgen", 0, LOG, "60.3 requests/s", 17400, 24576, NAN, 409.6, NAN, 300, 1400, NAN, 120, 170),
]  # fmt: skip
COLUMNS = ["tokens_per_second", "requests", "failures", "duration_s", "ttft_mean_ms", "ttft_p50_ms", "ttft_p99_ms",
           "tpot_mean_ms", "tpot_p50_ms", "tpot_p99_ms"]  # fmt: skip


def read(tmp_path, name, change=lambda record: None):
    """The runs of an example after a change to its first record."""
    text = (EXAMPLES / name).read_text("utf-8")
    record = json.loads(text.splitlines()[0] if name.endswith("jsonl") else text)
    change(record)
    path = tmp_path / f"run{Path(name).suffix}"
    path.write_text(json.dumps(record), "utf-8")
    return read_runs(path)


def logged(tmp_path, values):
    """A detail log of LoadGen with these values."""
    lines = [f':::MLLOG {{"key": "{key}", "value": {json.dumps(value)}}}\n' for key, value in values.items()]
    path = tmp_path / "mlperf_log_detail.txt"
    path.write_text("".join(lines))
    return path


def refused(path):
    with pytest.raises(MeasurementError) as caught:
        read_runs(path)
    return str(caught.value)


@pytest.mark.parametrize("by_hand", BY_HAND, ids=[f"{name}-{place}" for name, place, *_ in BY_HAND])
def test_an_example_by_hand(by_hand):
    name, place, tool, load, *expected = by_hand
    run = read_runs(EXAMPLES / name).iloc[place]
    assert (run["tool"], run["load"], bool(run["example"])) == (tool, load, True)
    assert run[COLUMNS].tolist() == pytest.approx(expected, rel=1e-4, nan_ok=True)


def test_each_format_has_an_example_and_each_example_a_format():
    files = [path for path in EXAMPLES.iterdir() if path.name != "README.md"]
    tools = {tool for path in files for tool in read_runs(path)["tool"]}
    assert tools == {row["tool"] for row in shipped_rows("formats")}
    listed = (EXAMPLES / "README.md").read_text("utf-8")
    assert all(f"`{path.name}" in listed for path in files)


def test_model_accelerator_count_and_precision_where_a_file_has_them():
    stated = ["model", "accelerator", "accelerator_count", "precision"]
    expected = {
        "vllm_concurrency.jsonl": [LLAMA, "H100 SXM", 8, "fp8"], "sglang.jsonl": [LLAMA, "", 8, "fp8"],
        "guidellm.json": [LLAMA, "H100 SXM", 8, "fp8"], "inferencex.json": [LLAMA, "h200", 8, "fp8"],
        "llm_d_report.yaml": [LLAMA, "NVIDIA-H100-80GB-HBM3", 8, ""], "trtllm_bench.json": [LLAMA, "", 4, "FP8"],
        "trtllm_printed.txt": [LLAMA, "", 4, "FP8"],
    }  # fmt: skip
    for name, values in expected.items():
        assert read_runs(EXAMPLES / name).iloc[0][stated].tolist() == values


@pytest.mark.parametrize(
    ("change", "tokens", "count"),
    [({"num_prefill_gpu": 4, "num_decode_gpu": 12, "input_tput_per_gpu": 600.0, "tput_per_gpu": 300.0}, 2400, 16),
     ({"disagg": False, "num_prefill_gpu": 8, "num_decode_gpu": 8, "input_tput_per_gpu": None, "tput_per_gpu": 200.0},
      1600, 8), ({"tp": 4, "pp": 2, "pcp_size": 2, "input_tput_per_gpu": None, "tput_per_gpu": 200.0}, 3200, 16)],
    ids=["two kinds of servers: 12 x 200 tokens/s out, 4 x 600 in", "one kind, each counts once", "a world"],
)  # fmt: skip
def test_accelerators_of_inferencex(tmp_path, change, tokens, count):
    run = read(tmp_path, "inferencex.json", lambda held: held[0].update(change)).iloc[0]
    assert (run["tokens_per_second"], run["accelerator_count"]) == (tokens, count)


@pytest.mark.parametrize(
    ("server", "count"),
    [({"tp_size": 8, "dp_size": 8, "enable_dp_attention": True}, 8), ({"tp_size": 4, "pp_size": 2}, 8),
     ({"prefill": [{}], "decode": [{"tp_size": 8}]}, NAN), ({}, NAN)],
)  # fmt: skip
def test_accelerators_of_sglang_s_server(tmp_path, server, count):
    run = read(tmp_path, "sglang.jsonl", lambda held: held.update(server_info=server)).iloc[0]
    assert run["accelerator_count"] == pytest.approx(count, nan_ok=True)


@pytest.mark.parametrize(
    ("config", "load"),
    [({"phases": {"warmup": {"concurrency": 1}, "profiling": {"concurrency": 32}}}, "concurrency 32"),
     ({"loadgen": {"concurrency": 48}}, "concurrency 48"), ({"loadgen": {"request_rate": 2.5}}, "2.5 requests/s"),
     ({"phases": [{"name": "warmup", "rate": 9.0}, {"name": "profiling", "type": "poisson", "rate": 7.25}]},
      "7.25 requests/s"), ({}, "")],
)  # fmt: skip
def test_the_load_of_aiperf_wherever_a_version_keeps_it(tmp_path, config, load):
    def configured(held):
        held["input_config"] = {"models": ["org/a"], **config}

    run = read(tmp_path, "aiperf.json", configured).iloc[0]
    assert (run["load"], run["model"]) == (load, "org/a")


def test_the_unit_beside_a_number_decides_and_an_unknown_one_is_named(tmp_path):
    def seconds(held):
        held["time_to_first_token"] = {"unit": "sec", "avg": 0.18, "p50": 0.17, "p99": 0.45}

    assert read(tmp_path, "aiperf.json", seconds).iloc[0]["ttft_p99_ms"] == 450
    path = tmp_path / "run.json"
    record = json.loads((EXAMPLES / "aiperf.json").read_text("utf-8"))
    path.write_text(json.dumps(record | {"benchmark_duration": {"unit": "parsec", "avg": 100.0}}), "utf-8")
    assert "the unit of benchmark_duration.avg is 'parsec'; expected one of ms" in refused(path)
    path.write_text(json.dumps(record | {"time_to_first_token": {"avg": 0.18, "p50": 0.17, "p99": 0.45}}), "utf-8")
    assert "the unit of time_to_first_token.avg is 'not stated'; expected one of ms" in refused(path)


def test_several_runs_of_a_file_and_one_that_cannot_be_used(tmp_path):
    lines = (EXAMPLES / "vllm_concurrency.jsonl").read_text("utf-8").splitlines()
    broken = json.dumps(json.loads(lines[0]) | {"completed": 0, "failed": 160})
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join([lines[0], broken, "", lines[1]]), "utf-8")
    assert refused(path) == f"{path}, line 2: no request was completed, 160 failed: nothing was measured"
    left_out = []
    assert read_runs(path, left_out)["place"].tolist() == ["line 1", "line 4"]
    assert len(left_out) == 1 and "line 2" in left_out[0]


def test_logs_of_trtllm_bench_0_16_have_their_own_words(tmp_path):
    """Lines before begin with a bracket, values stand behind tabs: 100 x 200 / 10 s."""
    path = tmp_path / "run.log"
    rows = [
        "[07/11/2025-08:17:39] [TRT-LLM] [I] Parsing stopped.", "= ENGINE DETAILS", "Model:\t\torg/a",
        "TP Size:\t\t8", "PP Size:\t\t1", "= PERFORMANCE OVERVIEW ", "Number of requests:\t\t100",
        "Total Latency (ms):\t\t10000.0", "Average Output Length (tokens):\t200.0",
        "Token Throughput (tokens/sec):\t2000.0",
    ]  # fmt: skip
    path.write_text("\n".join(rows), "utf-8")
    run = read_runs(path).iloc[0]
    assert run[["tokens_per_second", "accelerator_count", "model"]].tolist() == [2000, 8, "org/a"]


def test_percentiles_of_evalscope_are_read_by_their_heading(tmp_path):
    """Older versions have no column of TPOT, and one that has no unit is seconds over tokens; a value may be nan."""
    text = (EXAMPLES / "evalscope.txt").read_text("utf-8").replace("| TPOT (s) | Latency (s) ", "| Latency (s) | What ")
    path = tmp_path / "run.txt"
    path.write_text(text.replace("0.19 ", "nan  ").replace("per output token (s)", "per output token    "), "utf-8")
    run = read_runs(path).iloc[0]
    columns = ["ttft_p50_ms", "ttft_p99_ms", "tpot_mean_ms", "tpot_p99_ms", "latency_p99_ms"]
    assert run[columns].tolist() == pytest.approx([NAN, 530, NAN, NAN, 31], nan_ok=True)  # the third column now


def test_newer_evalscope_has_requests_and_percentiles_of_a_time_in_one_row(tmp_path):
    """1,000 tokens x 380 / 38 s; 20 of 400 failed."""
    rows = [
        "Benchmarking summary:", "│ Metric │ Value │", "│ Test Duration (s) │ 38.00 │", "│ Concurrency │ 200 │",
        "│ Request Rate (req/s) │ -1.00 │", "│ Total / Success / Failed  │ 400 / 380 / 20 │",
        "│ Req Throughput (req/s) │ 10.00 │", "│ TTFT (ms) │ 717.63 │", "│ Avg Output Tokens │ 1000.00 │",
        "│ Output Throughput (tok/s) │ 10000.00 │", "Percentile results:",
        "│ Metric │ 25% │ 50% │ 90% │ 99% │", "│ Latency (s) │ 17 │ 18.5 │ 19.5 │ 20.84 │",
        "│ TTFT (ms) │ 279.87 │ 333.79 │ 1812.13 │ 2319.52 │", "│ TPOT (ms) │ 17.31 │ 17.76 │ 18.18 │ 18.36 │",
    ]  # fmt: skip
    path = tmp_path / "run.txt"
    path.write_text("\n".join(rows), "utf-8")
    columns = ["tokens_per_second", "requests", "failures", "load", "ttft_mean_ms"]
    columns += ["ttft_p50_ms", "ttft_p99_ms", "tpot_p90_ms", "latency_p99_ms"]
    expected = [10_000, 380, 20, "concurrency 200", 717.63, 333.79, 2319.52, 18.18, 20_840]
    assert read_runs(path).iloc[0][columns].tolist() == expected


def test_two_printed_throughputs_are_two_runs_with_the_line_before_each(tmp_path):
    """`vllm bench throughput` twice, and the overview of trtllm-bench without its heading."""
    throughput = (EXAMPLES / "vllm_throughput.txt").read_text("utf-8").split("\n", 1)[1]
    overview = (EXAMPLES / "trtllm_printed.txt").read_text("utf-8").split("OVERVIEW", 1)[1].partition("\n--")[0]
    overview = overview.partition("\n")[2].partition("\n")[2]
    for block, rate, halved in ((throughput, 6000, ("300000", "150000")), (overview, 5120, ("0000.0000", "0000.0000"))):
        slower = block.replace(f"{rate}", f"{rate // 2}").replace(*halved).replace("20.00 req", "10.00 req")
        path = tmp_path / "paste.md"
        path.write_text(f'#### "Before"\n```\n{slower}```\n#### "After"\n```\n{block}```\n', "utf-8")
        runs = read_runs(path)
        assert runs[["label", "tokens_per_second"]].to_numpy().tolist() == [["Before", rate / 2], ["After", rate]]


def test_results_of_several_tools_in_one_paste_are_all_read_behind_the_prefix_of_each(tmp_path):
    """`grep -A` puts a colon on the line it found and a dash on those that follow."""
    names = "vllm_printed.txt", "sglang_offline.txt", "trtllm_printed.txt", "evalscope.txt", "vllm_throughput.txt"
    lines = [(EXAMPLES / name).read_text("utf-8").splitlines()[1:] for name in names]
    lines[1] = [f"job-824.out{'-' if at else ':'}{line}" for at, line in enumerate(lines[1])]
    path = tmp_path / "paste.txt"
    path.write_text("\n".join("\n".join(each) for each in lines), "utf-8")
    assert read_runs(path)["tokens_per_second"].tolist() == [1799.98, 1250, 5120, 600, 6000]


def test_an_indented_csv_is_read(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text((EXAMPLES / "aiperf.csv").read_text("utf-8").split("\n", 1)[1].replace("\n", "\n   "), "utf-8")
    assert read_runs(path)[["tokens_per_second", "ttft_mean_ms"]].to_numpy().tolist() == [[1800, 180]]


def test_an_offline_log_lasts_as_long_as_its_slowest_sample_and_counts_those_that_were_added(tmp_path):
    """1,000 samples were asked for, 25/s over 80 s are 2,000; a summary says tokens "(inferred)"."""
    detail = {
        "requested_scenario": "Offline", "effective_samples_per_query": 1000, "result_query_count": 1,
        "result_validity": "VALID", "result_samples_per_second": 25.0, "result_max_latency_ns": 80 * 10**9,
        "result_inferred_tokens_per_second": 1725.0,
    }  # fmt: skip
    path = logged(tmp_path, detail)
    summary = tmp_path / "mlperf_log_summary.txt"
    summary.write_text(
        "MLPerf Results Summary\nScenario : Offline\nMode     : PerformanceOnly\nSamples per second: 25\n"
        "Tokens per second (inferred): 1725\nResult is : VALID\nMax latency (ns)  : 80000000000\n"
    )
    columns = ["tokens_per_second", "requests", "duration_s", "load"]
    assert read_runs([path, summary])[columns].to_numpy().tolist() == [[1725, 2000, 80, "all at once"]] * 2


def test_a_query_of_several_samples_is_as_many_requests(tmp_path):
    """100 queries of 2 samples, sent at 10 queries/s."""
    detail = {
        "requested_scenario": "Server", "effective_samples_per_query": 2, "effective_target_qps": 10.0,
        "result_query_count": 100, "result_validity": "VALID", "result_tokens_per_second": 1725.0,
    }  # fmt: skip
    path = logged(tmp_path, detail)
    assert read_runs(path)[["requests", "load"]].to_numpy().tolist() == [[200, "20 requests/s"]]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("1799.98", "1799,98", "output_throughput is '1799,98'"),
     ("1799.98", "1799.98\nBenchmark duration (s): 9", "88.89 and 9")],
)  # fmt: skip
def test_a_decimal_comma_and_two_values_of_one_label_are_named(tmp_path, old, new, said):
    """2,000 tokens/s for 200,0 is no number, and of a diff the first side alone is no result."""
    path = tmp_path / "run.txt"
    path.write_text((EXAMPLES / "vllm_printed.txt").read_text("utf-8").replace(old, new), "utf-8")
    assert said in refused(path)


OTHER_FILES = [
    ({"avg_latency": 1.0, "latencies": [1.0]}, "vllm bench latency"),
    ({"error_code": None, "error_msg": "", "ttft_s": 0.2}, "LLMPerf's *_individual_responses.json"),
    ([{"seq_id": 0, "qsl_idx": 1, "data": "00"}], "mlperf_log_accuracy.json"),
    ({"successes": {"queue_len": {"mean": 1}, "count": 3}, "load_summary": {}, "failures": {}}, "server metrics"),
    ({"elapsed_time": 10.0, "num_requests": 5, "total_num_tokens": 100, "requests_per_second": 0.5,
      "tokens_per_second": 10.0}, "counts input and output tokens together"),
    ({"what": 1, "else": 2}, "is of no known tool (it holds what, else)"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "said"), OTHER_FILES, ids=[said[:25] for _, said in OTHER_FILES])
def test_a_known_tool_s_other_file_is_named(tmp_path, record, said):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(record), "utf-8")
    assert said in refused(path)


def test_docs_list_the_formats_that_are_read():
    docs = (EXAMPLES.parents[1] / "docs" / "import.md").read_text("utf-8")
    assert all(f"| {row['tool']} | {row['files']} |" in docs for row in shipped_rows("formats"))
