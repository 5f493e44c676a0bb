"""Kinds of files that once gave a wrong number without a word: two instances of each, of different tools."""

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

from analysis.measure import MeasurementError, read_runs

EXAMPLES = Path(__file__).parents[2] / "data" / "examples"
CASES = Path(__file__).parents[3] / "shared" / "cases"
NAN = float("nan")
VLLM = {
    "date": "20260114-090000", "backend": "vllm", "model_id": "org/Llama-2-70b-chat-hf", "num_prompts": 100,
    "request_rate": "inf", "max_concurrency": 32, "duration": 50.0, "completed": 100, "failed": 0,
    "total_input_tokens": 20_000, "total_output_tokens": 10_000, "request_throughput": 2.0,
    "output_throughput": 200.0, "total_token_throughput": 600.0, "mean_ttft_ms": 120.0, "median_ttft_ms": 100.0,
    "p99_ttft_ms": 300.0, "mean_tpot_ms": 30.0, "median_tpot_ms": 28.0, "p99_tpot_ms": 60.0,
}  # fmt: skip
SGLANG = VLLM | {"total_output_tokens_retokenized": 9_950, "mean_e2e_latency_ms": 3100.0, "failed": None,
                 "num_prompts": None, "accept_length": None}  # fmt: skip


def example(name):
    text = (EXAMPLES / name).read_text("utf-8")
    return json.loads(text.splitlines()[0] if name.endswith("jsonl") else text)


def put(record, path, value):
    """The record with a value at a path of steps joined by slashes."""
    *above, last = path.split("/")
    holder = record
    for step in above:
        holder = holder[int(step) if step.isdecimal() else step]
    holder[int(last) if last.isdecimal() else last] = value
    return record


@pytest.fixture
def run(tmp_path):
    """The one run of a record, or the error that refuses it."""

    def read(record):
        path = tmp_path / "run.json"
        path.write_text(json.dumps(record), "utf-8")
        try:
            return read_runs(path).iloc[0]
        except MeasurementError as error:
            return str(error)

    return read


def case(number, name):
    path = CASES / number / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return read_runs(path)


# ---- one quantity stated twice

PIECES = {"ttfts": [0.12] * 100, "itls": [[0.03] * 9] * 100, "output_lens": [10] * 100}
DRAFTED = {"spec_decode_num_drafts": 4000, "spec_decode_accepted_tokens": 6000, "spec_decode_draft_tokens": 12_000}
ITERATIONS = {"successful": {"count": 150_000, "mean": 2.0, "total_sum": 300_000.0}}
TWICE = [  # record -> the rate taken, the other one, and what is said of them
    (VLLM | {"duration": 60.0}, 200, 10_000 / 60, "tokens_per_second is 200, but output_tokens over duration_s give"),
    (VLLM | {"request_throughput": 1.5}, 200, 150, "requests_per_second is 1.5, but requests over duration_s give 2"),
    (VLLM | {"total_token_throughput": 300.0}, 200, 100, "total_tokens_per_second over tokens_per_output give 100"),
    (VLLM | {"output_throughput": 190.0, "total_token_throughput": None}, 190, 200, "output_tokens over duration_s"),
    (put(example("trtllm_bench.json"), "performance/output_throughput_per_gpu_tok_s", 5120.0), 5120, 4 * 5120,
     "tokens_per_second_per_accelerator is 5,120, but tokens_per_second over accelerator_count give 1,280"),
    (put(example("inferencex.json"), "0/tput_per_gpu", 4000.0), 1600, 16_000, "but input and output make 400"),
    (put(example("inference_perf_stage.json"), "benchmark_time_seconds", 50.0), 1000, 2000, "over duration_s give 8"),
    (put(example("llmperf_summary.json"), "results_number_output_tokens_mean", 302.0), 226.5, 453, "output_length"),
    (put(example("aiperf.json"), "output_sequence_length/avg", 500.0), 1800, 3600, "output_length is 500, but"),
    (VLLM | PIECES, 200, 20, "output_lens 1,000 (20/s): nothing tells which holds"),
    (VLLM | DRAFTED | {"spec_decode_num_drafts": 6000, "spec_decode_accepted_tokens": 9000}, 200, 296, "steps 14,800"),
    (put(example("guidellm.json"), "benchmarks/0/metrics/output_tokens_per_iteration", ITERATIONS), 750, 1500, "steps"),
    (put(example("llama_bench.json"), "1/samples_ns", [2e9, 2e9]), 32, 64, "samples_ns 256"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "rate", "other", "said"), TWICE, ids=map(str, range(len(TWICE))))
def test_where_nothing_tells_which_of_two_statements_holds_both_rates_are_shown(run, record, rate, other, said):
    """Parts against totals, rates against seconds, and the sum over drafts, iterations, or repetitions of a tool."""
    found = run(record)
    assert [*found[["tokens_per_second", "other_tokens_per_second"]]] == pytest.approx([rate, other])
    assert said in "; ".join(found["said"])


def test_steps_that_fit_the_count_are_no_contradiction(run):
    """4,000 drafts and 6,000 accepted tokens are 10,000, of which a last step may be cut off."""
    assert run(VLLM | DRAFTED)["said"] == ()
    one = {"total_output_tokens": 100, "output_throughput": 2.0, "total_token_throughput": None}
    found = run(VLLM | one | PIECES | {"output_lens": [1] * 100, "itls": [[0.03] * 101] * 100})
    assert found["tokens_per_second"] == 200 and "the other is about one per request" in found["said"][0]


REFUSED = [
    (put(example("inferencex.json"), "0/median_tpot", 32.0), "median_tpot times median_intvty is 1000; expected 1"),
    (VLLM | PIECES | {"ttfts": [120.0] * 100}, "ttfts average 120000 ms, but mean_ttft_ms is 120"),
    (
        {"completed": 1, "duration": 1e-3, "total_output_tokens": 2_000_000, "output_throughput": 200.0},
        "other_tokens_per_second is 2e+09; expected 0.01 to 1e+09; tokens_per_second is",
    ),
]


@pytest.mark.parametrize(("record", "said"), REFUSED, ids=["tpot", "ttft", "seconds"])
def test_times_in_another_unit_are_refused(run, record, said):
    assert said in run(record)


COUNTS = [  # the server's tokens and the recount of 100 requests in 50 s, what else the file says -> tokens/s, reason
    (100, 9_950, {}, 199, "the other is about one per request"),  # split servers
    (480_000, 9_950, {"mean_itl_ms": 30.0}, 199, "it fits the latency"),  # stuck at the most: 1 + 2,980 / 30 = 100
    (480_000, 9_950, {"random_output_len": 100, "random_range_ratio": 1.0}, 199, "the length that was asked for"),
    (
        20_000,
        100,
        {"mean_e2e_latency_ms": 6090.0},
        400,
        "the other is about one per request",
    ),  # tool calls have no text
    (20_000, 0, {"mean_e2e_latency_ms": 6090.0}, 400, "the other is about one per request"),
    (13_000, 4_010, {}, 260, "it is a whole multiple of the requests"),  # end of text ignored
]


@pytest.mark.parametrize(("server", "recount", "more", "rate", "why"), COUNTS)
def test_of_two_counts_of_tokens_the_one_with_a_reason_holds(run, server, recount, more, rate, why):
    stated = {"total_output_tokens": server, "output_throughput": server / 50, "total_token_throughput": None}
    found = run(SGLANG | stated | {"total_output_tokens_retokenized": recount} | more)
    assert found["tokens_per_second"] == rate and np.isnan(found["other_tokens_per_second"])
    assert f"server has {server:,} output tokens ({server / 50:,.4g}/s), recount {recount:,}" in found["said"][0]
    assert why in found["said"][0] and np.isnan(found["tpot_p99_ms"]) == (rate * 50 != server)


def test_two_counts_without_a_reason_are_both_shown(run):
    """12,345 tokens by the server, 9,950 by recount: 246.9 or 199 tokens/s, and no headline."""
    stated = {"total_output_tokens": 12_345, "output_throughput": 246.9, "total_token_throughput": None}
    found = run(SGLANG | stated)
    assert (found["tokens_per_second"], found["other_tokens_per_second"]) == (246.9, 199)
    assert "nothing tells which holds" in found["said"][0]
    assert run(SGLANG)["tokens_per_second"] == 200 and run(SGLANG)["said"] == ()
    assert run(SGLANG | {"total_output_tokens_retokenized": 9_750})["said"] == ()  # 2.5%


def test_two_counts_without_seconds_are_told_by_the_stated_rate(run):
    stated = {"total_output_tokens": 12_345, "output_throughput": 246.9, "total_token_throughput": None}
    found = run(SGLANG | stated | {"duration": None, "request_throughput": None})
    assert (found["tokens_per_second"], found["other_tokens_per_second"]) == pytest.approx((246.9, 199))


def test_counts_of_inference_perf_and_aiperf(run):
    """400 requests of 250 tokens by recount in 100 s; of 125 by the server, as latency 4,168 = 200 + 32 x 124 says."""
    stage = put(example("inference_perf_stage.json"), "successes/output_tokens", {"total": 50_000})
    stage = put(stage, "successes/latency/request_latency", {"mean": 4.168})
    found = run(stage)
    assert found["tokens_per_second"] == 500 and "server counts, as it fits" in found["said"][0]
    unknown = run(put(stage, "successes/output_tokens", None))  # an older version: the times alone contradict the count
    assert (unknown["tokens_per_second"], unknown["other_tokens_per_second"]) == (1000, pytest.approx(500))
    alarm = put(example("aiperf.json"), "usage_discrepancy_count", {"unit": "requests", "avg": 12.0})
    assert any("AIPerf's alarm: in 12 requests" in words for words in run(alarm)["said"])
    client = example("aiperf.json")["output_sequence_length"]["avg"] * 720
    alarm["total_usage_completion_tokens"] = {"unit": "tokens", "avg": 1.5 * client + 1}
    assert run(alarm)["other_tokens_per_second"] == pytest.approx(1.5 * client / 100, rel=1e-3)


def test_rates_over_a_window_take_the_lower_and_say_so(run):
    """GuideLLM cuts requests at both ends of its window: 600 x 250 tokens in 200 s are 750, not 900."""
    found = run(put(example("guidellm.json"), "benchmarks/0/metrics/output_tokens_per_second/successful/mean", 900.0))
    assert found["tokens_per_second"] == 750 and "the lower counts" in found["said"][1]


# ---- load


@pytest.mark.parametrize(
    ("record", "load", "in_flight"),
    [
        (VLLM | {"request_rate": 2.0, "max_concurrency": 512}, "2 requests/s", 2 * (0.12 + 0.03 * 99)),
        (VLLM, "concurrency 32", 2 * (0.12 + 0.03 * 99)),
        (put(example("guidellm.json"), "benchmarks/1/config/strategy/max_concurrency", 512) and None, "", 0),
        (SGLANG | {"request_rate": 1.9, "concurrency": 6.4}, "1.9 requests/s", 6.4),
        (put(example("inference_perf_stage.json"), "load_summary/concurrency", 64), "4 requests/s", 32),
    ],
)
def test_a_limit_of_concurrency_is_not_the_load_of_a_run_with_a_rate(run, record, load, in_flight):
    if record is not None:
        found = run(record)
        assert (found["load"], found["concurrency"]) == (load, pytest.approx(in_flight))


@pytest.mark.parametrize(
    "record", [SGLANG, example("genai_perf.json"), example("trtllm_bench.json")], ids=["s", "g", "t"]
)
def test_unknown_failures_are_unknown(run, record):
    assert np.isnan(run(record)["failures"])


def test_failures_that_follow_from_what_was_sent(run):
    assert run(VLLM | {"failed": None, "num_prompts": 103})["failures"] == 3
    assert run(put(example("aiperf.json"), "error_summary", [{"count": 2}, {"count": 1}]))["failures"] == 3
    lost = run(VLLM | {"num_prompts": 120})
    assert lost["failures"] == 0 and "20 of 120 requests are neither completed nor failed" in lost["said"][0]


# ---- times

DETAILED = {
    "ttfts": [0.0] * 20 + [0.15] * 80,
    "itls": [[]] * 20 + [[0.03] * 124] * 80,
    "output_lens": [0] * 20 + [125] * 80,
}


@pytest.mark.parametrize("mean", [120.0, 150.0], ids=["zeros in the mean", "zeros left out"])
@pytest.mark.parametrize("base", [VLLM | {"failed": None}, SGLANG], ids=["vLLM", "SGLang"])
def test_answers_without_tokens_are_neither_failures_nor_answers(run, base, mean):
    found = run(base | DETAILED | {"mean_ttft_ms": mean})
    assert (found["failures"], found["without_tokens"], found["tokens_per_second"]) == (0, 20, 200)
    assert [found[f"ttft_{name}_ms"] for name in ("mean", "p50", "p99")] == pytest.approx([150] * 3)
    assert (
        len(found["request_ttft_ms"]) == 80 and "20 of 100 requests were answered without a token" in found["said"][0]
    )


@pytest.mark.parametrize(
    "record",
    [
        VLLM | {"ttfts": [0.12] * 100, "itls": [[]] * 100, "output_lens": [100] * 100},
        VLLM | {f"{name}_{time}_ms": 9000.0 for name in ("mean", "median", "p99") for time in ("ttft", "e2el")},
        put(example("genai_perf.json"), "input_config/streaming", False),
        put(example("aiperf.json"), "time_to_first_token", {"unit": "ms", "avg": 9000.0, "p50": 8800.0, "p99": 14e3}),
        put(example("trtllm_bench.json"), "streaming_metrics", None),
    ],
    ids=["no gaps", "equal to the latency", "stated", "equal blocks", "no metrics"],
)  # fmt: skip
def test_without_streaming_there_is_no_ttft(run, record):
    found = run(record)
    assert np.isnan([found["ttft_mean_ms"], found["ttft_p99_ms"], found["tpot_p99_ms"]]).all()
    assert "answers were not streamed" in found["said"][0]


def test_one_token_answers_have_a_ttft_that_is_their_latency(run):
    short = {"total_output_tokens": 100, "output_throughput": 2.0, "total_token_throughput": 402.0, "mean_tpot_ms": 0.0,
             "median_tpot_ms": 0.0, "p99_tpot_ms": 0.0, "mean_e2el_ms": 120.0, "max_concurrency": None}  # fmt: skip
    assert run(VLLM | short)["ttft_mean_ms"] == 120 and np.isnan(run(VLLM | short)["tpot_mean_ms"])


# ---- reasons

REASONS = [
    (VLLM | {"completed": 0, "failed": 12, "output_throughput": 0.0, "total_output_tokens": 0, "duration": 0.02},
     "no request was completed, 12 failed"),
    (VLLM | {"completed": None, "failed": 12, "output_throughput": 0.0, "total_output_tokens": None},
     "no request was completed, 12 failed"),
    (SGLANG | {"completed": 0, "output_throughput": 0.0, "total_output_tokens": 0}, "completed, nothing says"),
    (put(example("inference_perf_stage.json"), "successes/count", 0), "no request was completed, 4 failed"),
    ({"backend": "openai-embeddings", "duration": 15.0, "completed": 300, "total_input_tokens": 150_000,
      "request_throughput": 20.0, "mean_e2el_ms": 7000.0}, "puts out no tokens (an embedding or pooling model?)"),
    ({"request_throughput": {"unit": "requests/sec", "avg": 9.0}, "request_count": {"avg": 900.0},
      "request_latency": {"unit": "ms", "avg": 90.0}}, "puts out no tokens (an embedding or pooling model?)"),
    (put(example("aiperf.json"), "was_cancelled", True), "of an unfinished run"),
    (VLLM | {"duration": None, "output_throughput": None, "request_throughput": None, "total_token_throughput": None,
             "total_output_tokens_retokenized": 9_990}, "states neither seconds nor a rate"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "said"), REASONS, ids=[said[:30] for _, said in REASONS])
def test_the_known_reason_comes_first(run, record, said):
    assert said in run(record)


IMPOSSIBLE = [
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
    (VLLM | {"ttfts": ["a"] * 100, "itls": [[]] * 100, "output_lens": [1] * 100}, "a list of numbers from 0"),
    (VLLM | {"ttfts": [0.1] * 100, "itls": [[True]] * 100, "output_lens": [2] * 100}, "a list of numbers from 0"),
    (VLLM | {"ttfts": [0.1], "itls": [], "output_lens": [2]}, "different lengths"),
    (VLLM | {key: VLLM[key] / 1e3 for key in VLLM if key.endswith("_ms")}, "one is in another unit"),
    (VLLM | {"max_concurrency": 10, "mean_e2el_ms": 70e3}, "make 140 requests in flight where 10 are the most"),
    (VLLM | {"accelerator_count": "eight"}, "is 'eight'; expected a whole number from 1"),
    (put(example("sglang.jsonl"), "server_info", [1]), "expected an object"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "said"), IMPOSSIBLE, ids=[str(number) for number in range(len(IMPOSSIBLE))])
def test_numbers_that_cannot_be_are_refused(run, record, said):
    assert said in run(record)


# ---- bytes


def written(tmp_path, content):
    path = tmp_path / "run.json"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "name", ["vllm_old.json", "sglang.jsonl", "aiperf.csv", "llm_d_report.yaml", "mlperf_log_summary.txt"]
)
@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_passed_over_in_each_reader(tmp_path, name, coding):
    text = (
        (EXAMPLES / name)
        .read_text("utf-8")
        .removeprefix("# EXAMPLE: numbers written by hand to show the format; not a measurement\n")
    )
    plain, marked = read_runs(EXAMPLES / name), read_runs(written(tmp_path, text.encode(coding)))
    assert marked["tokens_per_second"].tolist() == plain["tokens_per_second"].tolist()


HOSTILE = [
    (b"", "holds no result of a known tool"), (b"\xff\xfe\xfa", "can't decode byte 0xfa"),
    (b"[" * 100_000 + b"]" * 100_000, "maximum recursion"),
    (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "maximum recursion"), (b"{\"a\": \x80}", "can't decode byte 0x80"),
    (b"version: '0.2'\nscenario: " + b"{a: " * 900 + b"1" + b"}" * 900, ""),
    (b"version: '0.2'\nscenario: " + b"[" * 100_000, "nested too deep"),
    (b"version: '0.2'\nscenario:\n" + b"- " * 100_000, "nested too deep"),
    (b"version: 1\nscenario: &a {x: 1}\nb: {<<: [*a, *a]}\n", "merges keys"),
    (b"version: 1\nscenario: &a {x: 1}\nb: {!!merge y: [*a, *a]}\n", "merges keys"),
    (b"version: 1\nscenario:\n" + b" " * 2000 + b"- " * 90, "nested too deep"),
    (b"version: 1\nscenario:\n" + b" a: 1\n" * 6_000_000, "is larger than 32 MB"),
    (b"version: &a [x, x]\nscenario: &b [*a, *a]\nmetrics: [*b, *b, *b]\n", ""),
    (b"metric,avg\n" + b"x" * 200_000, "field larger than field limit"),
    (b"not a result at all\n" * 1000, "holds no result of a known tool"),
    (json.dumps(VLLM).encode() + b'\n{"y"', "line 2"),
    (json.dumps(VLLM)[:-1].encode() + b', "completed": 90}', "the key 'completed' is given twice; expected once"),
    (json.dumps(VLLM).encode() + b'\n{"y": {"z": 1, "z": 2}}', "line 2: the key 'z' is given twice"),
    (b"version: '0.2'\nscenario: {a: 1, a: 2}\nmetrics: {}\n", "the key 'a' is given twice; expected once"),
    (json.dumps(VLLM | {"model_id": "x" * 32_768, "precision": "\x1b[2J" * 9000}).encode(), None),
]  # fmt: skip


@pytest.mark.parametrize(("content", "said"), HOSTILE, ids=[str(number) for number in range(len(HOSTILE))])
def test_hostile_bytes_are_refused_by_name_or_read(tmp_path, content, said):
    path = written(tmp_path, content)
    if said is None:
        found = read_runs(path).iloc[0]
        assert len(found["model"]) == 200 and found["precision"].isprintable()
    else:
        with pytest.raises(MeasurementError) as caught:
            read_runs(path)
        assert said in str(caught.value) and str(caught.value).startswith(str(path)[:50])


def test_a_file_of_many_single_requests_is_given_up_soon(tmp_path):
    path = written(tmp_path, b'{"error_msg": "", "ttft_s": 0.2}\n' * 100_000)
    start = time.process_time()
    with pytest.raises(MeasurementError, match="LLMPerf's"):
        read_runs(path, [])
    assert time.process_time() - start < 5


def test_only_plain_files_are_opened(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero", tmp_path, tmp_path / "none.json", "a\0b"):
        with pytest.raises(MeasurementError, match="is not there, or no regular file, or a folder without mlperf"):
            read_runs(path)


def test_a_file_is_read_up_to_a_size(tmp_path, monkeypatch):
    path = written(tmp_path, json.dumps(VLLM).encode())
    monkeypatch.setattr("analysis.measure.files.MOST", len(path.read_bytes()) - 1)
    with pytest.raises(MeasurementError, match="the most that is read"):
        read_runs(path)


# ---- the cases that came from outside


CASES_OF_NUMBERS = [  # case, its file -> what the README calls right, of the last run
    ("02-sglang-two-token-counts", "too_few.jsonl", {"tokens_per_second": 1199}),
    ("02-sglang-two-token-counts", "too_many.jsonl", {"tokens_per_second": 1199}),
    ("03-cap-taken-for-load", "guidellm_sweep.json", {"load": "1.6 requests/s", "concurrency": 5.7}),
    ("03-cap-taken-for-load", "vllm_rate_with_cap.json", {"load": "0.8 requests/s", "concurrency": 2.71}),
    ("04-empty-answers", "a_third_empty.json", {"without_tokens": 40}),
    ("04-empty-answers", "a_few_empty.json", {"without_tokens": 8}),
    ("09-aiperf-rate-of-phase", "profile_export_aiperf.json", {"load": "2 requests/s"}),
    ("10-genai-perf-not-streamed", "profile_export_genai_perf.json", {"ttft_p99_ms": NAN}),
    ("11-loadgen-interactive-limits", "mlperf_log_detail.txt", {"ttft_limit_ms": 450, "tpot_limit_ms": 40}),
    ("15-inferencex-list-of-two-accelerators", "agg_gptoss_1k1k.json", {"accelerator": "b200"}),
    ("17-printed-summaries", "mlperf_log_summary.txt", {"tpot_p99_ms": 39}),
    ("17-printed-summaries", "vllm_console.txt", {"tokens_per_second": 1500, "ttft_p99_ms": 800}),
    ("18-unknown-failures-shown-as-none", "sglang_without_details.jsonl", {"failures": NAN}),
    ("20-byte-order-mark", "vllm_with_bom.json", {"tokens_per_second": 1500}),
    ("32-sglang-tool-calls", "sglang_tool_calls.txt", {"tokens_per_second": 223.46}),
    ("33-loadgen-in-flight", "mlperf_log_detail.txt", {"concurrency": 14_644, "tokens_per_second": 100_282}),
    ("34-inference-perf-server-tokens", "stage_0_lifecycle_metrics.json", {"tokens_per_second": 2497}),
    ("35-guidellm-p99", "benchmarks.json", {"tpot_p99_ms": 165.8, "tokens_per_second": 475.3}),
    ("36-sglang-ignore-eos", "sglang_random_ignore_eos.txt", {"tokens_per_second": 296.4}),
    ("37-trtllm-printed", "trtllm_bench.txt",
     {"tokens_per_second": 6957, "requests_per_second": 248.5, "concurrency": 13_299, "output_length": 28}),
    ("41-sglang-offline-printed", "offline.txt", {"tokens_per_second": 2383.4}),
    ("41-sglang-offline-printed", "offline.jsonl", {"tokens_per_second": 2383.4}),
    ("42-unread-formats", "o_evalscope.txt", {"tokens_per_second": 537.7, "requests": 587, "tpot_mean_ms": NAN}),
    ("42-unread-formats", "p_llamabench.json", {"tokens_per_second": 160, "concurrency_limit": 1}),
    ("44-mlperf-endpoints", "result_summary.json",
     {"tokens_per_second": 10_000, "requests_per_second": 10, "ttft_p99_ms": 1400, "tpot_p99_ms": 71.9, "failures": 0,
      "concurrency": 695.5}),
]  # fmt: skip


@pytest.mark.parametrize(("number", "name", "right"), CASES_OF_NUMBERS, ids=[name for _, name, _ in CASES_OF_NUMBERS])
def test_numbers_of_an_outside_case(number, name, right):
    found = case(number, name).iloc[-1]
    for column, value in right.items():
        assert found[column] == (value if type(value) is str else pytest.approx(value, rel=2e-3, nan_ok=True))
    assert np.isnan(found["other_tokens_per_second"])


@pytest.mark.parametrize(
    ("name", "said"),
    [("../13-all-requests-failed/vllm_all_failed.json", "no request was completed, 12 failed"),
     ("../16-embeddings/vllm_embeddings.json", "puts out no tokens"),
     ("inference_benchmark.txt", "AI-Hypercomputer"),
     ("u_onebatch.jsonl", "of one batch; expected that of bench_serv"),
     ("vllm_0_1_serving.txt", "counts no output tokens"), ("vllm_sweep_summary.csv", "the JSON of each run beside it")],
)  # fmt: skip
def test_a_file_that_is_not_read_names_the_one_that_is(name, said):
    with pytest.raises(MeasurementError, match=said):
        case("42-unread-formats", name)


# ---- unknown stays unknown


def test_a_mean_that_is_missing_is_no_zero(run):
    """Without a mean TPOT or latency nothing is known of the requests in flight of a run with a rate."""
    found = run(VLLM | {"request_rate": 2.0, "max_concurrency": None, "mean_tpot_ms": None})
    assert np.isnan(found["concurrency"]) and found["ttft_mean_ms"] == 120
    stage = put(example("inference_perf_stage.json"), "successes/latency/time_per_output_token", None)
    assert np.isnan(run(put(stage, "successes/latency/request_latency", None))["concurrency"])


@pytest.mark.parametrize(
    "record",
    [VLLM | {"mean_ttft_ms": 0.0, "median_ttft_ms": 0.0, "p99_ttft_ms": 0.0},
     put(example("llmperf_summary.json"), "results_ttft_s_mean", 0.0)],
    ids=["vLLM", "LLMPerf"],
)  # fmt: skip
def test_a_ttft_of_zero_was_not_measured_and_tpot_neither(run, record):
    found = run(record)
    assert np.isnan([found["ttft_mean_ms"], found["tpot_mean_ms"], found["tpot_p99_ms"]]).all()
    assert any("TTFT is 0" in words for words in found["said"])


def test_a_tpot_per_streamed_piece_is_none(run):
    """inference-perf of 2025: two pieces a token, the second at once, so TPOT is half of what it should be."""
    pieces = {"mean": 0.016, "median": 0.00004}
    stage = put(example("inference_perf_stage.json"), "successes/latency/inter_token_latency", pieces)
    stage = put(stage, "successes/latency/time_per_output_token/mean", 0.016)
    found = run(stage)
    assert np.isnan([found["tpot_mean_ms"], found["tpot_p99_ms"], found["other_tokens_per_second"]]).all()
    assert found["tokens_per_second"] == 1000 and "per streamed piece" in found["said"][0]


def test_a_mean_of_ratios_far_from_its_median_is_no_contradiction(run):
    """A few slow short answers raise the mean TPOT; by the medians the count holds."""
    slow = {"mean_e2e_latency_ms": 1690.0, "median_e2e_latency_ms": 1585.0, "median_tpot_ms": 15.0}
    assert np.isnan(run(SGLANG | slow)["other_tokens_per_second"])
    assert run(SGLANG | slow | {"median_tpot_ms": 30.0})["other_tokens_per_second"] == pytest.approx(106.67, abs=0.01)


def test_percentiles_of_tokens_hold_no_limit(run):
    """GuideLLM without its requests, and llm-d's report of it."""
    assert run(example("guidellm.json"))["of_tokens"]
    times = {"time_per_output_token": {"units": "s/token", "mean": 0.02, "p99": 0.03}}
    counts = {"total": 10, "output_length": {"mean": 100.0}}
    metrics = {"requests": counts, "latency": times, "throughput": {"output_tokens_per_sec": 100.0}}
    report = {"version": "0.1", "metrics": metrics}
    for tool, weighted in (("guidellm", True), ("inference-perf", False)):
        found = run(report | {"scenario": {"load": {"standardized": {"tool": tool}}}})
        assert bool(found["of_tokens"]) is weighted and found["tpot_p99_ms"] == 30


# ---- what is around a result


@pytest.mark.parametrize(
    "prefix", ["[pod/bench-7f9/main] ", "bench-1  | ", "2026-01-14T09:00:0{}Z INFO client: ", "(APIServer pid=8{}) "]
)
@pytest.mark.parametrize("name", ["vllm_printed.txt", "trtllm_printed.txt", "evalscope.txt", "mlperf_log_summary.txt"])
def test_a_prefix_before_each_line_is_cut_off(tmp_path, prefix, name):
    lines = (EXAMPLES / name).read_text("utf-8").splitlines()[1:]
    path = written(tmp_path, "\n".join(prefix.format(at % 10) + line for at, line in enumerate(lines)).encode())
    plain, cut = read_runs(EXAMPLES / name).iloc[0], read_runs(path).iloc[0]
    assert cut[["tokens_per_second", "ttft_p99_ms", "requests"]].equals(
        plain[["tokens_per_second", "ttft_p99_ms", "requests"]]
    )


def test_an_unfinished_run_of_endpoints_is_refused_and_an_old_one_has_its_rate(run):
    whole = example("result_summary.json")
    assert "complete is False" in run(whole | {"complete": False})
    assert "state 'interrupted'" in run(whole | {"state": "interrupted"})
    old = {key: value for key, value in whole.items() if key not in ("qps", "tps", "legacy_loadgen_window_duration_ns")}
    assert run(old)["tokens_per_second"] == pytest.approx(160_200 / 205)


def test_requests_of_agents_are_read_and_have_no_official_result(tmp_path, run):
    agents = put(example("inferencex.json"), "0/scenario_type", "agentic-coding")[:1]
    assert run(agents)["traffic"] == "agentic-coding" and run(agents)["tokens_per_second"] == 1600
