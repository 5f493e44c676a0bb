"""Files of each tool: what they say by hand, in other versions, and as which file of which tool one is refused."""

import json

import numpy as np
import pandas as pd
import pytest

from analysis.measure import read_runs
from analysis.measure.record import shipped_rows
from tests.measure.records import EXAMPLES, NAN, VLLM, text

BY_HAND = pd.read_csv(__file__.replace("test_formats.py", "examples.csv"), dtype={"load": str}).fillna({"load": ""})


def logged(**values):
    """A detail log of LoadGen with these values."""
    return "".join(f':::MLLOG {{"key": "{key}", "value": {json.dumps(value)}}}\n' for key, value in values.items())


@pytest.mark.parametrize("by_hand", BY_HAND.to_dict("records"), ids=BY_HAND["file"] + "-" + BY_HAND["run"].astype(str))
def test_an_example_by_hand(by_hand):
    run = read_runs(EXAMPLES / by_hand.pop("file")).iloc[by_hand.pop("run")]
    texts = {column: by_hand.pop(column) for column in ("tool", "load")}
    assert run[[*texts]].to_dict() == texts and run["example"]
    assert run[[*by_hand]].to_dict() == pytest.approx(by_hand, rel=1e-4, nan_ok=True)


def test_each_format_has_an_example_and_each_example_a_format():
    files = [path for path in EXAMPLES.iterdir() if path.name != "README.md"]
    formats = shipped_rows("formats")
    assert {tool for path in files for tool in read_runs(path)["tool"]} == {row["tool"] for row in formats}
    listed, docs = (EXAMPLES / "README.md").read_text(), (EXAMPLES.parents[1] / "docs" / "import.md").read_text()
    assert all(f"`{path.name}" in listed for path in files)
    assert all(f"| {row['tool']} | {row['files']} |" in docs for row in formats)


def test_several_runs_of_a_file_and_one_that_cannot_be_used(runs, tmp_path):
    first, second = (json.dumps(VLLM | {"duration": seconds}) for seconds in (50.0, 50.5))
    lines = "\n".join([first, json.dumps(VLLM | {"completed": 0, "failed": 160}), "", second])
    assert runs(lines).endswith("run.json, line 2: no request completed, 160 failed: nothing was measured")
    left_out = []
    assert read_runs(tmp_path / "run.json", left_out)["place"].tolist() == ["line 1", "line 4"]
    assert len(left_out) == 1 and "line 2" in left_out[0]
    again = tmp_path / ".." / tmp_path.name / "run.json"
    assert len(read_runs([tmp_path / "run.json", again], [])) == 2  # a file given twice is one


# ---- printed results


PRINTED = [  # text -> columns
    (  # logs of trtllm-bench 0.16: lines before begin with a bracket, values stand behind tabs: 100 x 200 / 10 s
        "[07/11/2025-08:17:39] [TRT-LLM] [I] Parsing stopped.\n= ENGINE DETAILS\nModel:\t\torg/a\nTP Size:\t\t8\n"
        "PP Size:\t\t1\n= PERFORMANCE OVERVIEW \nNumber of requests:\t\t100\nTotal Latency (ms):\t\t10000.0\n"
        "Average Output Length (tokens):\t200.0\nToken Throughput (tokens/sec):\t2000.0",
        {"tokens_per_second": 2000, "accelerator_count": 8, "model": "org/a"},
    ),
    (  # averages without the percentiles
        text("trtllm_printed.txt").partition("\n--")[0] + "Average time-per-output-token [TPOT] (ms):   60.0\n",
        {"ttft_mean_ms": 3630, "tpot_mean_ms": 60, "latency_mean_ms": 11_250, "ttft_p99_ms": NAN},
    ),
    (  # older EvalScope has no column of TPOT, and one that has no unit is seconds over tokens; a value may be nan
        text("evalscope.txt").replace("| TPOT (s) | Latency (s) ", "| Latency (s) | What ").replace("0.19 ", "nan  ")
        .replace("per output token (s)", "per output token    "),
        {"ttft_p50_ms": NAN, "ttft_p99_ms": 530, "tpot_mean_ms": NAN, "tpot_p99_ms": NAN, "latency_p99_ms": 31},
    ),
    (  # newer EvalScope has the requests, and the percentiles of a time, in one row: 1,000 tokens x 380 / 38 s
        "Benchmarking summary:\n│ Metric │ Value │\n│ Test Duration (s) │ 38.00 │\n│ Concurrency │ 200 │\n"
        "│ Request Rate (req/s) │ -1.00 │\n│ Total / Success / Failed  │ 400 / 380 / 20 │\n"
        "│ Req Throughput (req/s) │ 10.00 │\n│ TTFT (ms) │ 717.63 │\n│ Avg Output Tokens │ 1000.00 │\n"
        "│ Output Throughput (tok/s) │ 10000.00 │\nPercentile results:\n│ Metric │ 25% │ 50% │ 90% │ 99% │\n"
        "│ Latency (s) │ 17 │ 18.5 │ 19.5 │ 20.84 │\n│ TTFT (ms) │ 279.87 │ 333.79 │ 1812.13 │ 2319.52 │\n"
        "│ TPOT (ms) │ 17.31 │ 17.76 │ 18.18 │ 18.36 │",
        {"tokens_per_second": 10_000, "requests": 380, "failures": 20, "load": "concurrency 200",
         "ttft_mean_ms": 717.63, "ttft_p50_ms": 333.79, "ttft_p99_ms": 2319.52, "tpot_p90_ms": 18.18,
         "latency_p99_ms": 20_840},
    ),
    (text("guidellm.csv"), {"ttft_p90_ms": 300, "tpot_p90_ms": 42, "latency_p99_ms": 12_000}),
    (text("aiperf.csv").replace("\n", "\n   "), {"tokens_per_second": 1800, "ttft_mean_ms": 180}),  # indented
    (  # 1,000 samples were asked for, 25/s over 80 s are 2,000
        logged(requested_scenario="Offline", effective_samples_per_query=1000, result_query_count=1,
               result_validity="VALID", result_samples_per_second=25.0, result_max_latency_ns=80 * 10**9,
               result_inferred_tokens_per_second=1725.0) + logged(result_inferred_tokens_per_second=9.0),  # the first
        {"tokens_per_second": 1725, "requests": 2000, "duration_s": 80, "load": "all at once"},
    ),
    (
        "MLPerf Results Summary\nScenario : Offline\nMode     : PerformanceOnly\nSamples per second: 25\n"
        "Tokens per second (inferred): 1725\nResult is : VALID\nMax latency (ns)  : 80000000000\n",
        {"tokens_per_second": 1725, "requests": 2000, "duration_s": 80, "load": "all at once"},
    ),
    (  # 100 queries of 2 samples, sent at 10 queries/s
        logged(requested_scenario="Server", effective_samples_per_query=2, effective_target_qps=10.0,
               result_query_count=100, result_validity="VALID", result_tokens_per_second=1725.0).encode() + b"\xff",
        {"requests": 200, "load": "20 requests/s"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), PRINTED, ids=range(len(PRINTED)))
def test_printed_results_and_logs_of_other_versions(run, content, expected):
    assert run(content)[[*expected]].to_dict() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(("name", "rate"), [("mlperf_log_summary.txt", 17_400), ("result_summary.json", 801)])
def test_a_folder_is_read_by_the_log_in_it(runs, tmp_path, name, rate):
    runs(text(name), name)
    assert read_runs(tmp_path)["tokens_per_second"].tolist() == [rate]


def test_of_two_printed_results_each_has_the_line_before_it(runs):
    """`vllm bench serve`, `vllm bench throughput`, and the overview of trtllm-bench without its heading."""
    overview = text("trtllm_printed.txt").partition("Request Throughput")
    overview = overview[1] + overview[2].partition("\n--")[0] + "\n"
    serve = text("vllm_printed.txt").partition("\n")[2]
    for block in (serve, text("vllm_throughput.txt"), overview):
        found = runs(f'Text.\n#### "Before"\n```\n{block}```\n\n**After this PR:**\n```\n{block}```\n')
        assert found["label"].tolist() == ["Before", "After this PR"]
        assert found["place"].tolist() == ["result 1", "result 2"]


def test_results_of_several_tools_in_one_paste_are_all_read_behind_the_prefix_of_each(runs):
    """`grep -A` puts a colon on the line it found and a dash on those that follow."""
    names = "vllm_printed.txt", "sglang_offline.txt", "trtllm_printed.txt", "evalscope.txt", "vllm_throughput.txt"
    blocks = [text(name).splitlines() for name in names]
    blocks[1] = [f"job-824.out{'-' if at else ':'}{line}" for at, line in enumerate(blocks[1])]
    found = runs("\n".join("\n".join(lines) for lines in blocks))
    assert found["tokens_per_second"].tolist() == [1799.98, 1250, 5120, 600, 6000]


@pytest.mark.parametrize(
    ("new", "said"),
    [("1799,98", "output token throughput (tok/s) is '1799,98'"),  # 2,000 tokens/s for 200,0 is no number
     ("1799.98\nBenchmark duration (s): 9", "'benchmark duration (s)' is 88.89 and 9")],  # one side of a diff
)  # fmt: skip
def test_a_decimal_comma_and_two_values_of_one_label_are_named(runs, new, said):
    assert said in runs(text("vllm_printed.txt").replace("1799.98", new))


def test_settings_are_the_keys_that_no_column_has(run):
    found = run(VLLM | {"max_num_seqs": 128, "note": "a", "rtfx": 2, "list": [1], "seed": 3, "flag": True})
    assert found["setting"] == "flag=True, max_num_seqs=128, note=a"
    many = run(VLLM | {f"a{at}": "x" * 100 for at in range(30)})
    assert len(many["setting"]) == 1900 and np.isnan(many["accelerator_count"])
