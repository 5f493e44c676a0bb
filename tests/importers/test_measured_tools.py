"""The formats of GuideLLM, genai-perf, InferenceX, SGLang and AIPerf's aggregates, from short files of our own."""

import json
from contextlib import suppress

import numpy as np
import pytest

from analysis._core.paths import DATA
from analysis._import.measured import formats
from analysis._import.measured.measurement import MeasurementError

EXAMPLES = DATA / "examples"
LLAMA = "meta-llama/Llama-2-70b-chat-hf"


def read(tmp_path, name, change=lambda held: None):
    """The runs of an example (of its first line), changed before it is read."""
    text = (EXAMPLES / name).read_text("utf-8")
    held = json.loads(text.splitlines()[0]) if name.endswith("l") else json.loads(text)
    change(held)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(held), "utf-8")
    return formats.read_runs(path)


def put(*keys, value):
    """Set what stands at the keys; a value of None takes it away."""

    def change(held):
        for key in keys[:-1]:
            held = held[key]
        if value is None:
            del held[keys[-1]]
        else:
            held[keys[-1]] = value

    return change


def times(run):
    return tuple(getattr(run, f"{name}_{of}_ms") for name in ("ttft", "tpot") for of in ("mean", "p50", "p99"))


def test_guidellm_gives_a_run_for_each_load(tmp_path):
    few, steady, all_at_once = read(tmp_path, "guidellm.json")
    assert {(run.tool, run.model, run.accelerator, run.accelerator_count, run.precision) for run in (few, steady)} == {
        ("GuideLLM", LLAMA, "H100 SXM", 8, "fp8")
    }
    assert (few.place, few.output_tokens_per_s, few.duration_s) == ("benchmark 1", 750.0, 200.0)
    assert (few.requests_completed, few.requests_failed) == (600, 2)  # 20 that the end cut off did not fail
    assert (few.input_tokens, few.output_tokens) == (120_000, 150_000)
    assert times(few) == (180.0, 170.0, 450.0, 38.0, 37.0, 46.0)  # not the 39 ms that count the first token too
    assert (few.concurrency, steady.request_rate, steady.place) == (32, 5.0, "benchmark 2")
    assert np.isnan([few.request_rate, steady.concurrency]).all()
    assert (all_at_once.concurrency, all_at_once.request_rate) == (512, float("inf"))
    assert few.request_ttft_ms is None and few.example and few.software == "GuideLLM 0.7.3"


def test_guidellm_before_0_4_holds_its_requests_and_its_model_elsewhere(tmp_path):
    (run,) = read(tmp_path, "guidellm_old.json")
    assert (run.model, run.concurrency, run.duration_s, run.output_tokens_per_s) == (LLAMA, 1, 6.0, 34.0)
    assert run.request_ttft_ms == pytest.approx([100.0, 140.0]) and run.request_tpot_ms == pytest.approx([26.0, 30.0])
    assert (run.accelerator, run.accelerator_count) == ("", 0)
    none = put("benchmarks", 0, "requests", "successful", value=[])
    assert read(tmp_path, "guidellm_old.json", none)[0].request_ttft_ms is None  # a sample is not all of them


def test_guidellm_between_says_its_model_in_its_arguments(tmp_path):
    def as_in_0_5(held):
        del held["config"], held["benchmarks"][1:], held["benchmarks"][0]["config"]["backend"]
        held["args"] = {"model": "org/model"}

    (run,) = read(tmp_path, "guidellm.json", as_in_0_5)
    assert (run.model, run.concurrency, run.accelerator_count) == ("org/model", 32, 0)


def test_inferencex_without_times_of_tokens_has_none(tmp_path):
    def zeros(held):
        held[0] |= {f"{statistic}_tpot": 0.0 for statistic in ("mean", "median", "p99")}
        for statistic in ("mean", "median", "p99"):
            held[0].pop(f"{statistic}_intvty", None)

    run = read(tmp_path, "inferencex.json", zeros)[0]
    assert np.isnan(times(run)[3:]).all() and not np.isnan(times(run)[:3]).any()


def test_genai_perf_by_hand(tmp_path):
    (run,) = read(tmp_path, "genai_perf.json")
    assert (run.tool, run.model, run.software, run.concurrency) == ("genai-perf", LLAMA, "vllm", 64)
    assert (run.output_tokens_per_s, run.requests_completed, run.duration_s) == (1000.0, 1000, 250.0)
    assert (run.input_tokens, run.output_tokens, run.goodput_per_s, run.requests_per_s) == (200_000, 250_000, 3.8, 4.0)
    assert times(run) == (250.0, 220.0, 600.0, 40.0, 39.0, 48.0)
    assert (run.accelerator_watts, run.metered) == (4028.0, 8)  # 500 to 507 W
    assert (run.accelerator, run.accelerator_count) == ("", 0)


def test_genai_perf_of_older_versions_has_a_flat_configuration_and_counts_nothing(tmp_path):
    def older(held):
        held["input_config"] = {"model": ["org/model"], "formatted_model_name": "", "concurrency": 64}
        del held["request_count"], held["telemetry_stats"]

    (run,) = read(tmp_path, "genai_perf.json", older)
    assert (run.model, run.concurrency, run.software, run.metered) == ("org/model", 64, "", 0)
    assert np.isnan([run.requests_completed, run.duration_s, run.output_tokens]).all()


def test_inferencex_in_seconds_and_per_accelerator(tmp_path):
    many, few = read(tmp_path, "inferencex.json")
    assert (many.tool, many.place, few.place, many.model) == ("InferenceX", "entry 1", "entry 2", LLAMA)
    assert (many.output_tokens_per_s, many.accelerator_count, many.accelerator) == (1600.0, 8, "h200")
    assert times(many) == pytest.approx((250.0, 200.0, 500.0, 32.0, 32.0, 40.0))
    assert (many.concurrency, few.concurrency, many.precision) == (64, 4, "fp8")
    assert many.software == "vllm vllm/vllm-openai:v0.11.0"
    assert (many.accelerator_watts, many.metered, few.metered) == (4800.0, 8, 0)
    assert np.isnan([many.requests_completed, many.duration_s]).all()


@pytest.mark.parametrize(
    ("pool", "accelerator"),
    [("b200-trt", "b200"), ("cluster:b300-nv", "B300 SXM"),
     ("rtx6000pro-lat", "RTX PRO 6000 Blackwell SE")],
)  # fmt: skip
def test_inferencex_names_pools_after_accelerators(tmp_path, pool, accelerator):
    assert read(tmp_path, "inferencex.json", put(0, "hw", value=pool))[0].accelerator == accelerator


def apart(held):
    """A result of 4 accelerators that read prompts and 12 that write answers, each of these at 200 tokens/s."""
    held[0] |= {"is_multinode": True, "disagg": True, "num_prefill_gpu": 4, "num_decode_gpu": 12}
    held[0] |= {"input_tput_per_gpu": 600.0, "tput_per_gpu": 300.0, "conc": 256, "hw": "gb200-nv"}


def test_inferencex_of_two_kinds_of_servers_is_set_over_all_accelerators(tmp_path):
    """12 x 200 tokens/s out and 4 x 600 in are 4,800 over 16: 300 each; out alone 2,400 over 16."""
    run = read(tmp_path, "inferencex.json", apart)[0]
    assert (run.output_tokens_per_s, run.accelerator_count, run.accelerator) == (2400.0, 16, "gb200")


def test_sglang_by_hand(tmp_path):
    (run,) = read(tmp_path, "sglang.jsonl")
    assert (run.tool, run.model, run.precision, run.software) == (
        "SGLang bench_serving", LLAMA, "fp8", "sglang 0.5.3")  # fmt: skip
    assert run.accelerator_count == 8  # 4 a copy of the model, two copies
    assert (run.output_tokens_per_s, run.duration_s, run.requests_completed) == (1000.0, 250.0, 1000)
    assert (run.concurrency, run.request_rate) == (64, float("inf"))
    assert times(run) == (250.0, 220.0, 600.0, 40.0, 39.0, 48.0)
    assert [run.place for run in formats.read_runs(EXAMPLES / "sglang.jsonl")] == ["line 1", "line 2"]


@pytest.mark.parametrize(
    ("server", "count", "model"),
    [({"tp_size": 8, "dp_size": 8, "enable_dp_attention": True, "model_path": "a"}, 8, "a"),
     ({"tp_size": 4, "pp_size": 2}, 8, ""), ({"prefill": [{}], "decode": [{"tp_size": 8}]}, 0, ""), ({}, 0, "")],
)  # fmt: skip
def test_what_sglang_s_server_says_of_itself(tmp_path, server, count, model):
    (run,) = read(tmp_path, "sglang.jsonl", put("server_info", value=server))
    assert (run.accelerator_count, run.model) == (count, model)


def test_sglang_s_details_count_what_failed(tmp_path):
    """Two requests of 3 tokens and one of none; a replayed trace has no rate."""

    def detailed(held):
        held |= {"ttfts": [0.25, 0.25, 0.0], "itls": [[0.03, 0.05], [0.04, 0.04], []], "output_lens": [3, 3, 0]}
        held["request_rate"] = "trace"

    (run,) = read(tmp_path, "sglang.jsonl", detailed)
    assert run.requests_failed == 1 and run.request_tpot_ms == pytest.approx([40.0, 40.0])
    assert np.isnan(run.request_rate)


def test_aiperf_aggregate_is_the_means_of_its_runs(tmp_path):
    (run,) = read(tmp_path, "aiperf_aggregate.json")
    assert (run.tool, run.output_tokens_per_s, run.requests_completed) == ("AIPerf", 1000.0, 1000)
    assert (run.duration_s, run.goodput_per_s, run.model) == (250.5, 3.9, "")
    assert times(run) == (250.0, 220.0, 600.0, 40.0, 39.0, 48.0)


METRICS = ("benchmarks", 0, "metrics")
BAD = [
    ("guidellm.json", put("benchmarks", value=[]), "holds no benchmark: nothing was measured"),
    ("guidellm.json", put(*METRICS, value=None), "benchmark 1: metrics is missing"),
    ("guidellm.json", put(*METRICS, "request_totals", "successful", value=0), "no request was completed, 2 failed"),
    ("guidellm.json", put("config", "metadata", "labels", "accelerator_count", value="all"),
     "labels: accelerator_count is 'all'; expected a whole number from 1"),
    ("genai_perf.json", put("experiments", value=[]), "is the raw export of genai-perf, texts and time stamps"),
    ("inferencex.json", put(0, "output_tput_per_gpu", value=None), "entry 1: output_tput_per_gpu is missing"),
    ("inferencex.json", put(0, "tput_per_gpu", value=4000.0), "tput_per_gpu is 4000, but input and output make 400"),
    ("inferencex.json", put(0, "median_tpot", value=32.0), "median_tpot is 32, median_intvty 31.25; expected seconds"),
    ("inferencex.json", put(0, "tp", value=None), "tp is missing; expected the accelerators"),
    ("inferencex.json", put(1, "scenario_type", value="agentic-coding"), "entry 2: is a run of agentic-coding"),
    ("inferencex.json", lambda held: held[0].update(prefill_hw="b200", decode_hw="h200"),
     "prefill_hw is b200, decode_hw is h200; expected one accelerator"),
    ("aiperf_aggregate.json", put("metadata", "num_successful_runs", value=0), "num_successful_runs is 0"),
    ("aiperf_aggregate.json", put("metrics", "output_token_throughput_avg", "unit", value="ms"), "unit is 'ms'"),
    ("aiperf_aggregate.json", put("per_combination_metrics", value=[]), "is AIPerf's table of a sweep"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "said"), BAD, ids=[f"{at}-{each[0]}" for at, each in enumerate(BAD)])
def test_what_cannot_be_is_refused_by_name(tmp_path, name, change, said):
    with pytest.raises(MeasurementError, match=r"^run\.json") as caught:
        read(tmp_path, name, change)
    assert said in str(caught.value)


def test_a_file_of_no_known_tool_is_told_which_there_are(tmp_path):
    path = tmp_path / "run.json"
    path.write_text('{"results": []}', "utf-8")
    with pytest.raises(MeasurementError) as caught:
        formats.read_runs(path)
    for tool in ("vllm bench serve", "SGLang", "genai-perf", "AIPerf", "GuideLLM", "InferenceX", "LoadGen"):
        assert tool in str(caught.value)


OTHER_KINDS = ("x", [1], -1)


def parts(held, path=()):
    """The places of all parts of a record, of lists those of their first entries."""
    if path:
        yield path
    named = held.items() if isinstance(held, dict) else enumerate(held[:1]) if isinstance(held, list) else ()
    for key, own in named:
        yield from parts(own, (*path, key))


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.json*")))
def test_a_part_of_another_kind_is_read_or_refused_by_name(tmp_path, name):
    """Each part of each example in turn; nothing but a named refusal leaves the reader."""
    held = []
    read(tmp_path, name, held.append)
    places = list(parts(held[0]))
    assert len(places) > 20
    for *above, last in places:
        for value in OTHER_KINDS:
            with suppress(MeasurementError):
                assert read(tmp_path, name, put(*above, last, value=value))
