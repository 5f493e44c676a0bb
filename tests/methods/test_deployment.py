"""A run beside the official record, its users and its costs, by hand; what is not said is asked for by name."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from analysis._core.interval import Interval
from analysis._import.measured.measurement import MeasuredRun, frame
from analysis.methods import deployment, plausibility, roofline, run_metrics
from analysis.methods.deployment import Unsaid
from analysis.methods.memory import Model

ALIASES = {"h100": "H100 SXM", "h100 sxm": "H100 SXM", "l40s": "L40S"}
BENCHMARKS = pd.DataFrame(
    {
        "benchmark": ["llm", "llm-2", "images"],
        "model": ["Great LLM", "Great LLM 2", "Images"],
        "aliases": ["Great LLM;great-llm", "Great LLM 2", "great"],
        "offline_unit": ["tokens/s", "tokens/s", "samples/s"],
        "tokens_per_sample_high": [300.0, 300.0, np.nan],
    }
)
CLOSE = {"rel": 1e-12}
ON_AMD = {"accelerator": "", "devices": ("AMD Instinct MI300X",) * 8}
ON_PCIE = {"accelerator": "", "devices": ("NVIDIA H100 PCIe",)}
SLOW = pd.DataFrame(
    {
        "accelerator": ["H100 SXM"],
        "memory_bandwidth_gb_per_s": [1000.0],
        **{column: [np.nan] for column in roofline.COMPUTE.values()},
    }
).assign(fp8_dense_tflops=100.0)


def runs(*changes):
    base = {"output_tokens_per_s": 400.0, "requests_completed": 100.0, "model": "org/great-llm-chat", "tool": "vllm"}
    base |= {"accelerator": "H100", "accelerator_count": 8, "output_tokens": 20_000.0, "input_tokens": 10_000.0}
    return frame([MeasuredRun(**{"file": "run.json", "place": "", **base, **change}) for change in changes or ({},)])


class Said(NamedTuple):
    """What of a report's parameters is read of the runs."""

    accelerator: str = ""
    accelerator_count: int = 0
    benchmark: str = ""
    precision: str = ""
    scenario: str = ""


def settled(*changes, said=None):
    return deployment.settle(runs(*changes), ALIASES, BENCHMARKS, said or Said())


@pytest.fixture
def official(comparable_rows):
    """Official rows as comparable ones, with the columns that name software and batch."""

    def make(*rows):
        return comparable_rows(*rows).assign(framework="TensorRT", batch_size=np.nan)

    return make


def test_a_method_of_quantization_settles_its_precision():
    assert settled({"precision": "awq"}, {"precision": "gptq"})["precision"].tolist() == ["int4", "gptq"]


def test_user_settles_what_the_file_does_not_say():
    silent = {"accelerator": "", "accelerator_count": 0, "model": ""}
    (run,) = settled(silent, said=Said("L40S", 4, "llm", "fp8")).to_dict("records")
    assert (run["accelerator"], run["accelerator_count"], run["precision"]) == ("L40S", 4, "fp8")
    assert run["per_accelerator_low"] == 100.0


def test_a_model_of_no_benchmark_is_set_beside_the_one_asked_for():
    (run,) = settled({"model": "org/other"}, said=Said(benchmark="llm-2")).to_dict("records")
    assert run["benchmark"] == "llm-2"


@pytest.mark.parametrize(
    ("change", "said", "message"),
    [
        ({"accelerator": ""}, Said(), r"does not say its accelerator: give accelerator; valid: H100 SXM, L40S"),
        ({"accelerator": "", "devices": ("A", "B", "A")}, Said(), r"its accelerator \(its telemetry lists 3 x A, B\)"),
        (
            ON_AMD,
            Said("H100 SXM", 8),
            "its telemetry lists 8 x AMD Instinct MI300X, but accelerator is given as H100 SXM",
        ),
        (ON_PCIE, Said("H100 SXM"), "its telemetry lists 1 x NVIDIA H100 PCIe, but accelerator is given as H100 SXM"),
        ({}, Said(benchmark="images"), "reports tokens, but benchmark images counts none; valid: llm, llm-2"),
        (
            {"scenario": "Offline"},
            Said(scenario="Server"),
            "is a log of Offline, but is compared with Server: give scenario Offline",
        ),
        ({"scenario": "server"}, Said(scenario="Offline"), "with Offline: give scenario Server or Interactive"),
        (
            {"scenario": "MultiStream"},
            Said(scenario="Server"),
            "give scenario of another run, for this one is compared",
        ),
        ({"accelerator_count": 0}, Said(), "does not say how many accelerators it ran on: give accelerator_count"),
        ({}, Said("H900"), "no accelerator 'H900'; valid: H100 SXM, L40S"),
        ({"accelerator": "H900"}, Said(), "its accelerator 'H900' is not known; valid: H100 SXM"),
        ({}, Said("L40S"), "says it ran on H100 SXM, but accelerator is given as L40S"),
        ({}, Said(accelerator_count=4), "ran on 8 accelerators, but accelerator_count is given as 4"),
        ({}, Said(benchmark="llm-2"), "is that of llm, but benchmark is given as llm-2"),
        ({"model": "org/other"}, Said(), "is that of no benchmark: give benchmark.* valid: llm, llm-2"),
        ({"model": ""}, Said(), r"its model '\(not said\)' is that of no benchmark"),
    ],
)
def test_what_nobody_says_is_asked_for_by_name(change, said, message):
    with pytest.raises(Unsaid, match=f"run.json: .*{message}"):
        settled(change, said=said)


TEN = pd.Series({"label": "LLM", "parameters_billion": 10.0, "active_parameters_billion": np.nan})


@pytest.mark.parametrize(
    ("device", "accelerator"),
    [("NVIDIA H200", "H200 SXM CTS"), ("GPU", "M1 Pro"),
     ("NVIDIA A100-SXM4-80GB", "A100 SXM 80GB")],
)  # fmt: skip
def test_telemetry_may_name_its_accelerators_less_exactly(device, accelerator):
    aliases = {"nvidia h200": "H200 SXM", "nvidia h100 80gb hbm3": "H100 SXM", accelerator.lower(): accelerator}
    told = accelerator != "M1 Pro"  # whose number the telemetry does not hold
    assert deployment._may_be(device, accelerator, aliases) is told


@pytest.mark.parametrize(
    ("change", "words"),
    [
        # 8 x 100e12 operations a second over 2 x 10e9 a token: 5,000 for each of the eight.
        ({"output_tokens_per_s": 40_001.0}, "5,000 that its arithmetic allows on LLM"),
        ({"output_tokens_per_s": 8 * 660.0}, "11 times the fastest official result"),
        # 10 GB over 8 x 1,000 GB/s: 1.25 ms for the first token, a tenth for others, which may be drafted.
        ({"ttft_p50_ms": 1.2}, r"1.2 ms to the first token \(ttft\), but 8 H100 SXM take 1.25 ms"),
        ({"ttft_p99_ms": 900.0, "ttft_mean_ms": 0.9}, "the times are in another unit than milliseconds"),
        ({"tpot_p50_ms": 0.12}, r"0.12 ms to each further token \(tpot\)"),
    ],
)
def test_what_cannot_be_is_refused_by_name(change, words):
    run = settled({"precision": "fp8", "place": "line 2"} | change).assign(official_high=60.0)
    with pytest.raises(plausibility.Implausible, match=rf"run\.json, line 2: .*{words}"):
        plausibility.check(run, TEN, SLOW)


@pytest.mark.parametrize(
    "change",
    [{"output_tokens_per_s": 8 * 599.0}, {"ttft_p50_ms": 1.26, "tpot_p50_ms": 0.13}, {"ttft_p50_ms": 0.0}, {}],
)
def test_what_is_fast_and_may_be_is_not_refused(change):
    plausibility.check(settled({"precision": "fp8"} | change).assign(official_high=60.0), TEN, SLOW)
    unknown = SLOW.assign(memory_bandwidth_gb_per_s=np.nan, fp8_dense_tflops=np.nan)
    plausibility.check(settled(change | {"ttft_p50_ms": 0.1}).assign(official_high=np.nan), TEN, unknown)


def test_a_log_of_server_may_be_of_interactive():
    assert len(settled({"scenario": "Server"}, said=Said(scenario="Interactive"))) == 1


def test_benchmark_is_that_of_the_longest_name():
    for benchmarks in (BENCHMARKS, BENCHMARKS.iloc[::-1]):
        named = deployment.settle(runs({"model": "org/Great_LLM-2-chat"}), ALIASES, benchmarks, Said())
        assert named["benchmark"].tolist() == ["llm-2"]


def test_share_of_the_official_range_by_hand(official):
    """50 each against 75 to 100 of eight; the nearest has 8 accelerators and 100; its Offline rate is 125."""
    limited = official(
        {"low": 800.0, "result_id": "a", "scenario": "Server"},
        {"low": 600.0, "result_id": "b"},
        {"low": 40.0, "accelerator_count": 4, "result_id": "c"},
        {"accelerator": "L40S", "low": 1.0},
    )  # fmt: skip
    offline = official({"low": 1000.0, "result_id": "a"})
    (run,) = deployment.against(settled(), limited, offline).to_dict("records")
    assert (run["official_low"], run["official_high"], run["nearest"]) == (75.0, 100.0, "a")
    assert (run["derate_low"], run["derate_high"]) == pytest.approx((0.5, 2 / 3), **CLOSE)
    assert (run["of_nearest_low"], run["latency_low"], run["of_offline_low"]) == pytest.approx((0.5, 0.8, 0.4), **CLOSE)
    assert (run["source_ids"], run["systems"]) == (("mlcommons-v4.1",), "2 of 3 systems")


def test_systems_without_result_ids_have_their_own_offline_rate(official):
    limited = official({"low": 800.0, "id": "o-6.1-a-server", "scenario": "Server"})
    offline = official({"low": 1000.0, "id": "o-6.1-a-offline"}, {"low": 9000.0, "id": "o-6.1-b-offline"})
    (run,) = deployment.against(settled(), limited, offline).to_dict("records")
    assert (run["nearest"], run["latency_low"], run["latency_high"]) == ("o-6.1-a-server", 0.8, 0.8)


def test_without_an_official_row_nothing_is_told(official):
    other = official({"accelerator": "L40S"})
    (run,) = deployment.against(settled(), other, other).to_dict("records")
    assert (run["nearest"], run["source_ids"]) == ("", ())
    assert np.isnan(run["derate_low"]) and np.isnan(run["of_offline_high"])


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        ([{"accelerator_count": 1}, {"accelerator_count": 4}], "r1"),
        ([{"precision": ""}, {"precision": "fp8"}], "r1"),
        ([{"framework": "TensorRT"}, {"framework": "vLLM 0.4"}], "r1"),
        ([{"result_id": "x"}, {"result_id": "paired"}], "r1"),
        ([{"round": "v4.1"}, {"round": "v5.1"}], "r1"),
        ([{"low": 900.0}, {"low": 800.0}], "r0"),
        ([{"accelerator_count": 8}, {"accelerator_count": 4, "precision": "fp8", "framework": "vLLM"}], "r0"),
    ],
)
def test_nearest_row_by_its_order_of_likeness(official, rows, name):
    frame = official(*({key: value for key, value in row.items() if key != "framework"} for row in rows))
    frame["framework"] = [row.get("framework", "TensorRT") for row in rows]
    run = settled({"precision": "fp8"}).iloc[0].to_dict()
    found = deployment.nearest(run, frame, official({"result_id": "paired"}))
    assert found["id"] == name


@pytest.mark.parametrize(
    ("tool", "software", "name"),
    [
        ("vllm bench serve", "sglang", "r0"),
        ("vllm bench serve", "openai-chat", "r1"),
        ("vllm bench serve", "tensorrt-llm", "r2"),
        ("SGLang bench_serving", "vllm 0.10", "r1"),
        ("", "", "r2"),
    ],
)
def test_nearest_row_by_software_is_that_of_the_server_before_the_client(official, tool, software, name):
    frame = official({"low": 800.0}, {"low": 800.0}, {"low": 900.0})
    frame["framework"] = ["SGLang 0.5", "vLLM 0.10", "TensorRT 10.2, TensorRT-LLM 1.2"]
    run = settled({"tool": tool, "software": software}).iloc[0].to_dict()
    assert deployment.nearest(run, frame, official().head(0))["id"] == name


def test_differences_name_only_what_differs(official):
    row = official({"accelerator_count": 4, "tokens_per_sample": 200.0, "scenario": "Server", "precision": ""}).iloc[0]
    run = settled({"precision": "fp8", "concurrency": 32.0, "request_rate": 5.0}).iloc[0].to_dict()
    found = deployment.differences(run, row, BENCHMARKS).set_index("what")
    assert found.loc["accelerators"].tolist() == ["8", "4"]
    assert found.loc["precision"].tolist() == ["fp8", "not declared"]
    assert found.loc["concurrency"].tolist() == ["32", "not known"]
    assert found.loc["arrival of requests"].tolist() == ["5 requests/s", "Server of LoadGen"]
    told = deployment.differences(run | {"requests_per_s": 4.9}, row, BENCHMARKS).set_index("what")
    assert told.loc["arrival of requests", "here"] == "5 requests/s, 4.9 answered"
    assert {"model", "output tokens per request"} & set(found.index) == set()
    assert deployment.differences(run, None, BENCHMARKS).empty


def test_factors_of_the_gap_multiply_to_the_useful_share():
    """The ceiling of 80 lies below the 100 of the nearest system: 0.8 of the half that is reached is few requests."""
    run = settled({"requests_failed": 25.0, "request_rate": np.inf}).iloc[0].to_dict()
    run |= {"latency_low": 0.8, "latency_high": 0.8, "of_nearest_low": 0.5, "of_nearest_high": 0.5, "good_share": 0.9}
    run |= {"nearest_low": 100.0, "nearest_high": 100.0}
    found = deployment.gap(run | {"ceiling": 80.0})
    assert found["share_low"].tolist() == pytest.approx([0.8, 0.8, 0.625, 0.9], **CLOSE)
    assert found["share_low"].prod() == pytest.approx(0.8 * 0.5 * 0.9, **CLOSE)
    assert found["lost_low"].tolist() == pytest.approx([0.2, 0.16, 0.24, 0.04], **CLOSE)
    assert found["lost_high"].sum() + found["share_high"].prod() == pytest.approx(1.0, **CLOSE)
    assert deployment.gap(run | {"ceiling": 900.0})["share_low"].tolist() == [0.8, 1.0, 0.5, 0.9]
    unknown = deployment.gap(run | {"ceiling": np.nan})["share_low"]
    assert np.isnan(unknown[1]) and unknown[2] == 0.5


LOADS = [
    ({"request_rate": 5.0, "requests_per_s": 4.5}, "light", "load or software"),
    ({"request_rate": 5.0, "requests_per_s": 4.9, "concurrency": 64.0}, "light", "load or software"),
    ({"request_rate": 5.0, "duration_s": 20.0}, "light", "load or software"),
    ({"request_rate": 5.0, "duration_s": 50.0}, "full", "software and setup"),
    ({"request_rate": 5.0, "requests_per_s": 4.4, "concurrency": 64.0}, "capped", "software and setup"),
    ({"request_rate": np.inf}, "full", "software and setup"),
    ({"concurrency": 64.0}, "capped", "software and setup"),
    ({"scenario": "Offline"}, "full", "software and setup"),
    ({"scenario": "Server"}, "", "load or software"),
    ({}, "", "load or software"),
]


@pytest.mark.parametrize(("said", "load", "blamed"), LOADS)
def test_software_is_blamed_for_what_a_full_load_shows_alone(said, load, blamed):
    """100 requests in 20 s are 5 a second, in 50 s 2: then answers fall behind the 5 that came."""
    run = settled(said).iloc[0].to_dict()
    known = {f"{name}_{end}": 0.5 for name in ("latency", "of_nearest") for end in ("low", "high")}
    run |= known | {"good_share": 1.0, "nearest_low": 100.0, "nearest_high": 100.0}
    assert run["load"] == load and deployment.gap(run | {"ceiling": 80.0})["step"][2] == blamed
    below_unknown = deployment.gap(run | {"ceiling": np.nan})["step"][2]
    assert below_unknown == ("software and setup" if load == "full" else "load or software")


@pytest.mark.parametrize(
    ("ttft", "tpot", "held"), [(300.0, 60.0, [True, True]), (299.0, 59.0, [False, False]), (np.nan, 60.0, [None, True])]
)
def test_limits_hold_up_to_their_value(ttft, tpot, held):
    found = run_metrics.served(runs({"ttft_p99_ms": 300.0, "tpot_p99_ms": 60.0}), ttft, tpot).iloc[0]
    assert [None if pd.isna(found[name]) else bool(found[name]) for name in ("ttft_held", "tpot_held")] == held


def test_answers_in_time_are_counted_or_stated_or_not_known():
    arrays = {"request_ttft_ms": np.array([100.0, 200.0, 300.0]), "request_tpot_ms": np.array([30.0, 70.0, np.nan])}
    stated = {"goodput_per_s": 1.5, "requests_per_s": 2.0}
    found = run_metrics.served(runs(arrays | stated, stated, {}), 250.0, 60.0)
    assert found["good_share"].tolist()[:2] == [pytest.approx(1 / 3), 0.75] and np.isnan(found["good_share"][2])
    assert found["good_basis"].tolist() == ["counted", "stated by the file", "not known"]


def test_energy_is_of_all_accelerators_or_of_none():
    found = run_metrics.energy(
        settled({"accelerator_watts": 4000.0, "metered": 8}, {"accelerator_watts": 500.0, "metered": 1})
    )
    assert found["joules"].tolist()[0] == 10.0 and np.isnan(found["joules"][1])


def beside(derate, **change):
    return settled(change).assign(derate_low=derate[0], derate_high=derate[1])


def test_money_by_hand():
    """8 accelerators at 2 to 3 dollars; 400 tokens/s are 1.44 million an hour, 2.16 with the prompts' 10,000."""
    (run,) = run_metrics.money(beside((0.5, 0.75)), Interval(2.0, 3.0)).to_dict("records")
    assert (run["usd_per_hour_low"], run["usd_per_hour_high"]) == (16.0, 24.0)
    assert (run["usd_per_million_low"], run["usd_per_million_high"]) == pytest.approx((16 / 1.44, 24 / 1.44), **CLOSE)
    assert run["usd_per_million_all_low"] == pytest.approx(16 / 2.16, **CLOSE)
    assert (run["saved_low"], run["saved_high"]) == (4.0, 12.0)
    assert (run["enough_low"], run["enough_high"]) == (4.0, 6.0)


def test_who_is_faster_than_the_record_saves_nothing():
    (run,) = run_metrics.money(beside((1.1, 1.2)), Interval(2.0, 3.0)).to_dict("records")
    assert (run["saved_low"], run["saved_high"], run["enough_low"]) == (0.0, 0.0, 8.0)


def test_front_leaves_out_what_another_run_beats():
    points = [(100.0, 20.0), (300.0, 40.0), (200.0, 50.0), (300.0, 45.0), (50.0, np.nan)]
    found = run_metrics.front(settled(*({"output_tokens_per_s": rate, "tpot_p50_ms": tpot, "tpot_p99_ms": 2 * tpot}
                                    for rate, tpot in points)))  # fmt: skip
    assert found["best"].tolist() == [True, True, False, False, False]
    assert (found["interactivity_low"][0], found["interactivity_high"][0]) == (25.0, 50.0)
    assert np.isnan(found["interactivity_low"][4])


RATES = {"fp8_dense_tflops": 1400.0, "fp16_dense_tflops": 700.0, "int8_dense_tops": np.nan, "fp4_dense_tflops": np.nan}
FACTS = pd.DataFrame([{"accelerator": "H100 SXM", "memory_bandwidth_gb_per_s": 2000.0} | RATES])
IDENTITY = pd.Series({"parameters_billion": 70.0, "active_parameters_billion": np.nan})
MODEL = Model(140e9, 1e6)


@pytest.mark.parametrize(("concurrency", "bound"), [(1.0, "memory"), (10_000.0, "compute")])
def test_ceiling_by_hand(concurrency, bound):
    """70 GB of weights, 1 MB of cache a token, 100 + 200/2 in cache: a step reads 70 GB + 0.2 GB per request."""
    found = run_metrics.ceiling(settled({"precision": "fp8", "concurrency": concurrency}), IDENTITY, MODEL, FACTS)
    memory = 2000e9 * concurrency / (70e9 + concurrency * 200 * 1e6)
    compute = 1400e12 / (2 * 70e9 * 1.5)
    assert found["bound"].tolist() == [bound]
    assert found["ceiling"][0] == pytest.approx(min(memory, compute), **CLOSE)
    assert found["of_ceiling"][0] == pytest.approx(50 / min(memory, compute), **CLOSE)


@pytest.mark.parametrize("change", [{}, {"precision": "gguf", "concurrency": 4.0}, {"precision": "fp8"}])
def test_ceiling_of_what_is_not_known_is_not_known(change):
    found = run_metrics.ceiling(settled(change), IDENTITY, MODEL, FACTS)
    assert (found["bound"].tolist(), found["ceiling"].isna().tolist()) == (["not known"], [True])
