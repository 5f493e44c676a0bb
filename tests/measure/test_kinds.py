"""Kinds of files that once gave a wrong number without a word: two instances of each, of different tools."""

import json
import os
import time

import numpy as np
import pandas as pd
import pytest

from analysis.measure import MeasurementError, files, read_runs
from tests.measure.records import EXAMPLES, NAN, SGLANG, VLLM, case, example, text


def held(found, expected):
    """Whether a run has these values: texts and truths as they are, numbers within a millionth."""
    return all(
        found[column] == (value if isinstance(value, str | bool) else pytest.approx(value, nan_ok=True))
        for column, value in expected.items()
    )


# ---- one quantity stated twice

PIECES = {"ttfts": [0.12] * 100, "itls": [[0.03] * 9] * 100, "output_lens": [10] * 100}
DRAFTED = {"spec_decode_num_drafts": 4000, "spec_decode_accepted_tokens": 6000, "spec_decode_draft_tokens": 12_000}
STAGE, AIPERF = "inference_perf_stage.json", "aiperf.json"


def server(tokens, **more):
    """100 requests of SGLang in 50 s with this count of tokens by the server."""
    rates = {"output_throughput": tokens / 50, "total_token_throughput": None}
    return SGLANG | {"total_output_tokens": tokens} | rates | more


TWICE = [  # record -> the rate taken, the other one, and what is said of them
    (VLLM | {"duration": 60.0}, 200, 10_000 / 60, "tokens_per_second is 200, but output_tokens over duration_s give"),
    (VLLM | {"request_throughput": 1.5}, 200, 150, "requests_per_second is 1.5, but requests over duration_s give 2"),
    (VLLM | {"total_token_throughput": 300.0}, 200, 100, "total_tokens_per_second over tokens_per_output give 100"),
    (VLLM | {"output_throughput": 190.0, "total_token_throughput": None}, 190, 200, "output_tokens over duration_s"),
    (example("trtllm_bench.json", performance__output_throughput_per_gpu_tok_s=5120.0), 5120, 4 * 5120,
     "tokens_per_second_per_accelerator is 5,120, but tokens_per_second over accelerator_count give 1,280"),
    (example("inferencex.json", **{"0__tput_per_gpu": 4000.0}), 1600, 16_000, "but input and output make 400"),
    (example(STAGE, benchmark_time_seconds=50.0), 1000, 2000, "over duration_s give 8"),
    (example("llmperf_summary.json", results_number_output_tokens_mean=302.0), 226.5, 453, "output_length"),
    (example(AIPERF, output_sequence_length__avg=500.0), 1800, 3600, "output_length is 500, but"),
    (VLLM | PIECES, 200, 20, "output_lens 1,000 (20/s): nothing tells which holds"),
    (VLLM | DRAFTED | {"spec_decode_num_drafts": 6000, "spec_decode_accepted_tokens": 9000}, 200, 296, "steps 14,800"),
    (example("guidellm.json", benchmarks__0__metrics__output_tokens_per_iteration={"successful": {"total_sum": 3e5}}),
     750, 1500, "steps"),
    (example("llama_bench.json", **{"1__samples_ns": [2e9, 2e9]}), 32, 64, "samples_ns 256"),
    (server(12_345), 246.9, 199, "server has 12,345 output tokens (246.9/s), recount 9,950 (199/s): nothing tells"),
    (server(12_345, duration=None, request_throughput=None), 246.9, 199, "nothing tells which holds"),
    # 250 tokens by recount, but 1 + (4,168 - 200) / 32 = 125 by the times:
    (example(STAGE, successes__output_tokens=None, successes__latency__request_latency={"mean": 4168e-3}), 1000, 500,
     "250 tokens a request by count, but 125 by latency"),
    (example(AIPERF, total_usage_completion_tokens={"unit": "tokens", "avg": 270_000}), 1800, 2700, "server 270,000"),
    # a few slow short answers raise a mean TPOT, and by the medians the count holds; here the medians double it too
    (SGLANG | {"mean_e2e_latency_ms": 1690.0, "median_e2e_latency_ms": 1585.0, "median_tpot_ms": 30.0}, 200, 106.666667,
     "100 tokens a request by count, but 53 by latency"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "rate", "other", "said"), TWICE)
def test_where_nothing_tells_which_of_two_statements_holds_both_rates_are_shown(run, record, rate, other, said):
    """Parts against totals, rates against seconds, and the sum over drafts, iterations, or repetitions of a tool."""
    found = run(record)
    assert held(found, {"tokens_per_second": rate, "other_tokens_per_second": other})
    assert said in "; ".join(found["said"])


ONE_TOKEN = {"total_output_tokens": 100, "output_throughput": 2.0, "total_token_throughput": None}
LENGTHS = {"random_output_len": 100, "random_range_ratio": 1.0}
WINDOW = {"benchmarks__0__metrics__output_tokens_per_second__successful__mean": 900.0}
SETTLED = [  # record -> the rate taken, and why
    (server(100), 199, "server has 100 output tokens (2/s), recount 9,950 (199/s): recount counts, as"),
    (server(480_000, mean_itl_ms=30.0), 199, "it fits the latency"),  # stuck at the most: 1 + 2,980 / 30 = 100
    (server(480_000, **LENGTHS), 199, "the length that was asked for"),
    (server(20_000, total_output_tokens_retokenized=100, mean_e2e_latency_ms=6090.0), 400, "about one per request"),
    (server(20_000, total_output_tokens_retokenized=0, mean_e2e_latency_ms=6090.0), 400, "about one per request"),
    (server(13_000, total_output_tokens_retokenized=4_010), 260, "a whole multiple of the requests"),
    (VLLM | ONE_TOKEN | PIECES | {"output_lens": [1] * 100, "itls": [[0.03] * 101] * 100}, 200, "one per request"),
    (example(STAGE, successes__output_tokens={"total": 50_000}, successes__latency__request_latency={"mean": 4.168}),
     500, "server counts, as it fits"),
    (example("guidellm.json", **WINDOW), 750, "the lower counts, as rates are over a window"),  # 600 x 250 in 200 s
]  # fmt: skip


@pytest.mark.parametrize(("record", "rate", "why"), SETTLED)
def test_of_two_counts_of_tokens_the_one_with_a_reason_holds(run, record, rate, why):
    """Split servers, tool calls without text, an ignored end of text; TPOT divides by the server's count."""
    found = run(record)
    assert held(found, {"tokens_per_second": rate, "other_tokens_per_second": NAN})
    assert why in "; ".join(found["said"])
    if "recount counts" in found["said"][0]:
        assert np.isnan(found["tpot_p99_ms"])


@pytest.mark.parametrize(
    "record",
    [SGLANG, SGLANG | {"total_output_tokens_retokenized": 9_750},  # 2.5%
     VLLM | DRAFTED,  # 4,000 drafts and 6,000 accepted tokens are 10,000, of which a last step may be cut off
     SGLANG | {"mean_e2e_latency_ms": 1690.0, "median_e2e_latency_ms": 1585.0, "median_tpot_ms": 15.0}],
)  # fmt: skip
def test_what_agrees_is_not_said(run, record):
    found = run(record)
    assert found["said"] == () and held(found, {"tokens_per_second": 200, "other_tokens_per_second": NAN})


# ---- loads, failures, and times

SLOW = {"unit": "ms", "avg": 9000.0, "p50": 8800.0, "p99": 14e3}
UNSTREAMED = {"ttft_mean_ms": NAN, "ttft_p99_ms": NAN, "tpot_p99_ms": NAN}
ZERO = {"ttft_mean_ms": NAN, "tpot_mean_ms": NAN, "tpot_p99_ms": NAN}
EMPTY = {
    "ttfts": [0.0] * 20 + [0.15] * 80,
    "itls": [[]] * 20 + [[0.03] * 124] * 80,
    "output_lens": [0] * 20 + [125] * 80,
}
ANSWERED = {"failures": 0, "without_tokens": 20, "tokens_per_second": 200, "ttft_mean_ms": 150, "ttft_p99_ms": 150}
NO_TOKEN = "20 of 100 requests were answered without a token"
SHORT = ONE_TOKEN | {
    "max_concurrency": None,
    "mean_tpot_ms": 0.0,
    "median_tpot_ms": 0.0,
    "p99_tpot_ms": 0.0,
    "mean_e2el_ms": 120.0,
}
OLD = {"qps": None, "tps": None, "legacy_loadgen_window_duration_ns": None}
GUIDELLM_TIMES = {"time_per_output_token": {"units": "s/token", "mean": 0.02, "p99": 0.03}}
REPORT = {
    "version": "0.1", "scenario": {"load": {"standardized": {"tool": "guidellm"}}},
    "metrics": {"requests": {"total": 10, "output_length": {"mean": 100.0}}, "latency": GUIDELLM_TIMES,
                "throughput": {"output_tokens_per_sec": 100.0}},
}  # fmt: skip
READ = [  # record -> columns, and what is said
    (VLLM | {"request_rate": 2.0, "max_concurrency": 512}, {"load": "2 requests/s", "concurrency": 6.18}, ""),
    (VLLM, {"load": "concurrency 32", "concurrency": 2 * (0.12 + 0.03 * 99)}, ""),
    (SGLANG | {"request_rate": 1.9, "concurrency": 6.4}, {"load": "1.9 requests/s", "concurrency": 6.4}, ""),
    (example(STAGE, load_summary__concurrency=64), {"load": "4 requests/s", "concurrency": 32}, ""),
    (VLLM | {"request_rate": 2.0, "max_concurrency": None, "mean_tpot_ms": None},  # unknown, not zero
     {"concurrency": NAN, "ttft_mean_ms": 120}, ""),
    (example(STAGE, successes__latency__time_per_output_token=None, successes__latency__request_latency=None),
     {"concurrency": NAN}, ""),
    (SGLANG, {"failures": NAN}, ""), (example("genai_perf.json"), {"failures": NAN}, ""),
    (example("trtllm_bench.json"), {"failures": NAN}, ""),
    (VLLM | {"failed": None, "num_prompts": 103}, {"failures": 3}, ""),
    (example(AIPERF, error_summary=[{"count": 2}, {"count": 1}]), {"failures": 3}, ""),
    (VLLM | {"num_prompts": 120}, {"failures": 0}, "20 of 120 requests are neither completed nor failed"),
    (example(AIPERF, usage_discrepancy_count={"unit": "requests", "avg": 12.0}), {}, "AIPerf's alarm: in 12 requests"),
    # answers without tokens are neither failures nor answers, whether the client's mean has them or not
    (VLLM | EMPTY | {"failed": None, "mean_ttft_ms": 120.0}, ANSWERED, NO_TOKEN),
    (VLLM | EMPTY | {"failed": None, "mean_ttft_ms": 150.0}, ANSWERED, NO_TOKEN),
    (SGLANG | EMPTY | {"mean_ttft_ms": 120.0}, ANSWERED, NO_TOKEN),
    (VLLM | {"ttfts": [0.12] * 100, "itls": [[]] * 100, "output_lens": [100] * 100}, UNSTREAMED, "(the file"),
    (VLLM | {f"{name}_{time}_ms": 9000.0 for name in ("mean", "median", "p99") for time in ("ttft", "e2el")},
     UNSTREAMED, "(TTFT is the latency"),
    (example("genai_perf.json", input_config__streaming=False), UNSTREAMED, "not streamed (streaming is false"),
    (example(AIPERF, time_to_first_token=SLOW, request_latency=SLOW), UNSTREAMED, "(TTFT is the latency"),
    (example("trtllm_bench.json", streaming_metrics=None), UNSTREAMED, "not streamed (the report has no"),
    (VLLM | SHORT, {"ttft_mean_ms": 120, "tpot_mean_ms": NAN}, ""),  # one token: TTFT is the latency
    (VLLM | {"mean_ttft_ms": 0.0, "median_ttft_ms": 0.0, "p99_ttft_ms": 0.0}, ZERO, "TTFT is 0"),
    (example("llmperf_summary.json", results_ttft_s_mean=0.0), ZERO, "TTFT is 0"),
    # inference-perf of 2025: two pieces a token, the second at once, so TPOT is half of what it should be
    (example(STAGE, successes__latency__inter_token_latency={"mean": 0.016, "median": 0.00004},
             successes__latency__time_per_output_token__mean=0.016),
     {"tpot_mean_ms": NAN, "tpot_p99_ms": NAN, "other_tokens_per_second": NAN, "tokens_per_second": 1000},
     "per streamed piece"),
    # percentiles of tokens hold no limit: of GuideLLM without its requests, and of llm-d's report of it
    (example("guidellm.json"), {"of_tokens": True}, "percentiles of TPOT are of tokens"),
    (REPORT, {"of_tokens": True, "tpot_p99_ms": 30}, "percentiles of TPOT are of tokens"),
    (REPORT | {"scenario": {"load": {"standardized": {"tool": "inference-perf"}}}}, {"of_tokens": False}, ""),
    (example("result_summary.json", **OLD), {"tokens_per_second": 160_200 / 205}, ""),
    ([example("inferencex.json", **{"0__scenario_type": "agentic-coding"})[0]],
     {"traffic": "agentic-coding", "tokens_per_second": 1600}, ""),
    (VLLM | {"model_id": "x" * 32_768, "precision": "\x1b[2J"}, {"model": "x" * 200, "precision": "\\x1b[2J"}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("record", "expected", "said"), READ)
def test_what_a_record_says_is_read_and_the_rest_is_unknown(run, record, expected, said):
    found = run(record)
    words = "; ".join(found["said"])
    assert held(found, expected) and (said in words if said else not words)


def test_times_of_single_requests_are_of_the_answered_ones(run):
    found = run(VLLM | EMPTY | {"mean_ttft_ms": 150.0})
    assert len(found["request_ttft_ms"]) == len(found["request_tpot_ms"]) == 80


# ---- reasons

EMBEDDING = {"backend": "openai-embeddings", "duration": 15.0, "completed": 300, "total_input_tokens": 150_000}
BLOCKS = {"request_throughput": {"unit": "requests/sec", "avg": 9.0}, "request_count": {"avg": 900.0},
          "request_latency": {"unit": "ms", "avg": 90.0}}  # fmt: skip
NO_SECONDS = {"duration": None, "output_throughput": None, "request_throughput": None, "total_token_throughput": None}
NONE = {"completed": 0, "output_throughput": 0.0, "total_output_tokens": 0}
REFUSED = [
    (VLLM | NONE | {"failed": 12, "duration": 0.02}, "no request was completed, 12 failed"),
    (VLLM | NONE | {"completed": None, "failed": 12, "total_output_tokens": None}, "completed, 12 failed"),
    (SGLANG | NONE, "no request was completed, nothing says how many failed"),
    (server(480_000, completed=0, duration=None), "no request was completed"),
    (example(STAGE, successes__count=0), "no request was completed, 4 failed"),
    (EMBEDDING | {"request_throughput": 20.0, "mean_e2el_ms": 7000.0}, "puts out no tokens (an embedding or pooling"),
    (BLOCKS, "puts out no tokens (an embedding or pooling"),
    (example(AIPERF, was_cancelled=True), "of an unfinished run"),
    (VLLM | NO_SECONDS | {"total_output_tokens_retokenized": 9_990}, "states neither seconds nor a rate"),
    (example("result_summary.json", complete=False), "complete is False"),
    (example("result_summary.json", state="interrupted"), "state 'interrupted'"),
    # times in another unit
    (example("inferencex.json", **{"0__median_tpot": 32.0}), "median_tpot times median_intvty is 1000; expected 1"),
    (VLLM | PIECES | {"ttfts": [120.0] * 100}, "ttfts average 120000 ms, but mean_ttft_ms is 120"),
    ({"completed": 1, "duration": 1e-3, "total_output_tokens": 2_000_000, "output_throughput": 200.0},
     "other_tokens_per_second is 2e+09; expected 0.01 to 1e+09; tokens_per_second is"),
    (VLLM | {key: VLLM[key] / 1e3 for key in VLLM if key.endswith("_ms")}, "one is in another unit"),
    (VLLM | {"max_concurrency": 10, "mean_e2el_ms": 70e3}, "make 140 requests in flight where 10 are the most"),
    # numbers that cannot be
    (VLLM | {"p99_ttft_ms": 1e23}, "expected 0.001 to 1e+08"),
    (VLLM | {"p99_ttft_ms": 80_000.0}, "in a run of 50 s"),
    (VLLM | {"mean_tpot_ms": 30e3, "median_tpot_ms": 70e3, "p99_tpot_ms": 60e3}, "expected rising times"),
    (VLLM | {"median_ttft_ms": 400.0, "p99_ttft_ms": 300.0}, "expected rising times"),
    (VLLM | {"failed": 10**24}, "failures is 1e+24; expected 0 to 1e+09"),
    (VLLM | {"failed": 640, "num_prompts": 100}, "more requests ended (740) than were sent (100)"),
    (VLLM | {"request_throughput": 1e-300}, "requests_per_second is 1e-300"),
    (VLLM | {"completed": True}, "completed is True; expected a number from 0"),
    (VLLM | {"duration": -50}, "duration is -50; expected a number from 0"),
    (VLLM | {"request_goodput": 2.5}, "goodput is 2.5 requests/s, but all are 2"),
    (VLLM | {"accelerator_count": "eight"}, "is 'eight'; expected a whole number from 1"),
    (VLLM | PIECES | {"ttfts": ["a"] * 100}, "'a', ...]; expected a list of numbers from 0"),
    (VLLM | PIECES | {"itls": [[True]] * 100}, "itls is [True]; expected a list of numbers from 0"),
    (VLLM | PIECES | {"itls": 5}, "itls is 5; expected a list"),
    (VLLM | PIECES | {"ttfts": [0.1]}, "different lengths"),
    (example("sglang.jsonl", server_info=[1]), "server_info is [1]; expected an object"),
    # other files of known tools
    ({"avg_latency": 1.0, "latencies": [1.0]}, "vllm bench latency"),
    ({"error_code": None, "error_msg": "", "ttft_s": 0.2}, "LLMPerf's *_individual_responses.json"),
    ([{"seq_id": 0, "qsl_idx": 1, "data": "00"}], "mlperf_log_accuracy.json"),
    ({"successes": {"queue_len": {"mean": 1}, "count": 3}, "load_summary": {}, "failures": {}}, "server metrics"),
    ({"elapsed_time": 10.0, "num_requests": 5, "total_num_tokens": 100, "requests_per_second": 0.5,
      "tokens_per_second": 10.0}, "counts input and output tokens together"),
    ({"what": 1, "else": 2}, "is of no known tool (it holds what, else)"),
    ([[5]], "is list, no object; expected a result of SGLang"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "said"), REFUSED)
def test_what_cannot_be_is_refused_with_the_known_reason_first(runs, record, said):
    assert said in runs(record)


# ---- bytes


@pytest.mark.parametrize(
    "name", ["vllm_old.json", "sglang.jsonl", "aiperf.csv", "llm_d_report.yaml", "vllm_printed.txt"]
)
@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_passed_over_in_each_reader(runs, name, coding):
    plain, marked = runs(text(name)), runs(text(name).encode(coding))
    assert marked["tokens_per_second"].tolist() == plain["tokens_per_second"].tolist()


HOSTILE = [
    (b"", "holds no result of a known tool"), (b"\xff\xfe\xfa", "can't decode byte 0xfa"),
    (b"[" * 100_000 + b"]" * 100_000, "maximum recursion"), (b"{\"a\": \x80}", "can't decode byte 0x80"),
    (b"version: '0.2'\nscenario: " + b"{a: " * 900 + b"1" + b"}" * 900, "is of no known tool"),
    (b"version: '0.2'\nscenario: " + b"[" * 100_000, "nested too deep"),
    (b"version: '0.2'\nscenario:\n" + b"- " * 100_000, "nested too deep"),
    (b"version: 1\nscenario: &a {x: 1}\nb: {<<: [*a, *a]}\n", "merges keys"),
    (b"version: 1\nscenario: &a {x: 1}\nb: {!!merge y: [*a, *a]}\n", "merges keys"),
    (b"version: 1\nscenario:\n" + b" " * 2000 + b"- " * 90, "nested too deep"),
    (b"version: &a [x, x]\nscenario: &b [*a, *a]\nmetrics: [*b, *b, *b]\n", "puts out no tokens"),
    (b"metric,avg\n" + b"x" * 200_000, "field larger than field limit"),
    (b"not a result at all\n" * 1000, "holds no result of a known tool"),
    (json.dumps(VLLM).encode() + b'\n{"y"', "line 2"),
    (json.dumps(VLLM)[:-1].encode() + b', "completed": 90}', "the key 'completed' is given twice; expected once"),
    (json.dumps(VLLM).encode() + b'\n{"y": {"z": 1, "z": 2}}', "line 2: the key 'z' is given twice"),
    (b"version: '0.2'\nscenario: {a: 1, a: 2}\nmetrics: {}\n", "the key 'a' is given twice; expected once"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "said"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_bytes_are_refused_by_name(runs, content, said):
    assert said in runs(content)


def test_a_yaml_is_read_up_to_a_size():
    with pytest.raises(ValueError, match="larger than 32 MB, the most that is read of YAML"):
        files._yaml("x" * ((32 << 20) + 1))


def test_a_file_of_many_single_requests_is_given_up_soon(tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(b'{"error_msg": "", "ttft_s": 0.2}\n' * 100_000)
    start = time.process_time()
    with pytest.raises(MeasurementError, match="LLMPerf's"):
        read_runs(path, [])
    assert time.process_time() - start < 5


def test_only_plain_files_are_opened_up_to_a_size(tmp_path, runs, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path, tmp_path / "none.json", "a\0b"):
        with pytest.raises(MeasurementError, match="is not there, or no regular file, or a folder without mlperf"):
            read_runs(path)
    monkeypatch.setattr(files, "MOST", len(json.dumps(VLLM)) - 1)
    assert "the most that is read" in runs(VLLM)


# ---- what is around a result


@pytest.mark.parametrize(
    "prefix", ["[pod/bench-7f9/main] ", "bench-1  | ", "2026-01-14T09:00:0{}Z INFO client: ", "(APIServer pid=8{}) "]
)
@pytest.mark.parametrize("name", ["vllm_printed.txt", "trtllm_printed.txt", "evalscope.txt", "mlperf_log_summary.txt"])
def test_a_prefix_before_each_line_is_cut_off(run, prefix, name):
    lines = [prefix.format(at % 10) + line for at, line in enumerate(text(name).splitlines())]
    columns = ["tokens_per_second", "ttft_p99_ms", "requests"]
    assert run("\n".join(lines))[columns].equals(read_runs(EXAMPLES / name).iloc[0][columns])


# ---- the cases that came from outside

CASES = pd.read_csv(__file__.replace("test_kinds.py", "cases.csv"), dtype=str, keep_default_na=False)


@pytest.mark.parametrize("name", (CASES["case"] + "/" + CASES["file"]).unique())
def test_numbers_of_an_outside_case(name):
    """Within 0.2% of what the README of the case calls right, in its last run."""
    found = read_runs(case(name)).iloc[-1]
    for column, value in CASES[(CASES["case"] + "/" + CASES["file"]).eq(name)][["column", "value"]].to_numpy():
        is_text = isinstance(found[column], str)
        assert found[column] == (value if is_text else pytest.approx(float(value or NAN), rel=2e-3, nan_ok=True))
    assert np.isnan(found["other_tokens_per_second"])


@pytest.mark.parametrize(
    ("name", "said"),
    [("inference_benchmark.txt", "AI-Hypercomputer"), ("u_onebatch.jsonl", "of one batch; expected that of bench_serv"),
     ("vllm_0_1_serving.txt", "counts no output tokens"), ("vllm_sweep_summary.csv", "the JSON of each run beside it")],
)  # fmt: skip
def test_a_file_that_is_not_read_names_the_one_that_is(name, said):
    with pytest.raises(MeasurementError, match=said):
        read_runs(case(f"42-unread-formats/{name}"))
