"""Own runs beside official results: what is settled, which result is closest, limits, goodput, and losses by hand."""

import json
import os

import numpy as np
import pandas as pd
import pytest

os.environ.setdefault("ANALYSIS_RECORD", "shipped")

from analysis import tables
from analysis.cli import measure as command
from analysis.cli.main import main
from analysis.compare import NoData
from analysis.measure import deployment, read_runs
from analysis.measure.run import UNKNOWN, Run
from tests.frames import results
from tests.measure.records import EXAMPLES, LLAMA, NAN, case, example, text

GPT = "openai/gpt-oss-120b"
H100 = {"accelerator": "H100", "round": "v6.0"}
OFFLINE, SERVER = H100 | {"rate": 32e3}, H100 | {"scenario": "Server", "rate": 24e3}  # 4,000 and 3,000 each
INTERACTIVE = H100 | {"scenario": "Interactive", "rate": 16e3}


@pytest.fixture(autouse=True)
def official(monkeypatch):
    """Replace the official results by a few; by default those of one system of 8 H100."""

    def replace(*rows):
        monkeypatch.setattr("analysis.compare.load_results", lambda: results(*rows))
        monkeypatch.setattr(deployment, "load_results", lambda: results(*rows))

    replace(OFFLINE, SERVER, INTERACTIVE)
    return replace


def own(**fields):
    """One run as the readers give it: 8,000 tokens/s of Llama 2 70B."""
    known = {"file": "run.json", "model": LLAMA, "load": "concurrency 64", "tokens_per_second": 8000.0}
    return Run(UNKNOWN | known | fields)


def settled(*each, **options):
    return deployment.settle(pd.DataFrame([own(**fields) for fields in each]), **options)


def assessed(*each, **options):
    """Runs of 8 H100 beside official results."""
    return deployment.assess(settled(*each, accelerator="H100", count=8), **options)


# ---- what a file states, and what is given


@pytest.mark.parametrize(
    ("fields", "options", "expected"),
    [
        ({"accelerator": "NVIDIA-H100-80GB-HBM3", "accelerator_count": 4.0}, {"accelerator": "H100 SXM", "count": 4},
         ["H100", 4, 2000, "llama2-70b"]),
        ({"accelerator": "NVIDIA H100 80GB HBM3"}, {"count": 8}, ["H100", 8, 1000, "llama2-70b"]),
        ({"accelerator": "my-cluster"}, {"accelerator": "H200", "count": 8}, ["H200", 8, 1000, "llama2-70b"]),
        ({"model": "ours"}, {"accelerator": "H100", "count": 8, "benchmark": "Llama 2 70B"},
         ["H100", 8, 1000, "llama2-70b"]),
        ({}, {"accelerator": "H100", "count": 1_000_000}, ["H100", 1_000_000, 0.008, "llama2-70b"]),
    ],
)  # fmt: skip
def test_what_a_file_states_counts_and_the_rest_is_given(fields, options, expected):
    columns = ["accelerator", "accelerator_count", "rate_per_accelerator", "benchmark"]
    assert settled(fields, **options)[columns].to_numpy().tolist() == [expected]


@pytest.mark.parametrize(
    ("fields", "options", "said"),
    [
        ({}, {"count": 8}, "run.json: does not state its accelerator; set accelerator"),
        ({"accelerator": "H100"}, {}, "run.json: does not state how many accelerators"),
        ({"accelerator": "H100", "accelerator_count": 4.0}, {"count": 8}, "states 4 accelerators, but count is 8"),
        ({"accelerator": "H200"}, {"accelerator": "H100", "count": 8}, "is H100, but the files state H200"),
        ({"accelerator": "H1000"}, {"count": 8}, "no accelerator 'H1000'"),
        ({"accelerator": "H100"}, {"count": 8, "benchmark": "gpt-oss-120b"}, "to Llama 2 70B, but benchmark is GPT"),
        ({"accelerator": "H100"}, {"count": 8, "benchmark": "resnet50"}, "in tokens/s 'resnet50': valid: Llama 2 70B,"),
        ({"accelerator": "H100"}, {"count": 8, "benchmark": "Llama 2 80B"}, "did you mean 'Llama 2 70B'"),
        ({"accelerator": "H100"}, {"count": 1_000_001}, "count is 1000001; expected a number from 1 to 1,000,000"),
    ],
)  # fmt: skip
def test_what_neither_says_or_both_say_differently_is_named(fields, options, said):
    with pytest.raises(ValueError, match=r"run\.json|accelerator|benchmark|count") as caught:
        settled(fields, **options)
    assert said in str(caught.value)


def test_no_file_is_no_data():
    with pytest.raises(NoData, match="no result file"):
        deployment.settle(read_runs([]))


def test_of_several_accelerators_one_is_picked_or_each_stays():
    files = [{"accelerator": "h200", "accelerator_count": 4.0}, {"accelerator": "b200", "accelerator_count": 4.0}]
    assert settled(*files)["name"].tolist() == ["H200: concurrency 64", "B200: concurrency 64"]
    picked = settled(*files, accelerator="B200")
    assert picked["accelerator"].tolist() == ["B200"] and picked.index.tolist() == [0]


@pytest.mark.parametrize(
    ("model", "benchmark"),
    [("meta-llama/Llama-3.1-8B-Instruct", "llama3.1-8b"), ("meta-llama/Llama-3.1-405B", "llama3.1-405b"),
     (GPT, "gpt-oss-120b"), ("deepseek-ai/DeepSeek-R1-0528", "deepseek-r1"),
     ("openai/gpt-oss-20b", ""), ("EleutherAI/gpt-j-6b", "gptj"),
     ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", ""), ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", ""),
     ("Qwen/Qwen3-4B", "")],
)  # fmt: skip
def test_the_benchmark_of_a_model_by_its_name(model, benchmark):
    assert settled({"model": model}, accelerator="H100", count=8)["benchmark"].tolist() == [benchmark]


# ---- names, and repeated runs


@pytest.mark.parametrize(
    ("each", "names"),
    [
        ([{"load": "1 requests/s"}, {"load": "2 requests/s"}], ["1 requests/s", "2 requests/s"]),
        ([{"label": "a"}, {"label": "b"}], ["a", "b"]),
        ([{"label": "a"}, {"label": "a", "load": "all at once"}, {"label": "b"}],
         ["a: concurrency 64", "a: all at once", "b: concurrency 64"]),
        ([{"setting": "a=1, b=2"}, {"setting": "a=1, b=3"}], ["b=2", "b=3"]),
        ([{"software": "vllm"}, {"software": "sglang"}], ["vllm: concurrency 64", "sglang: concurrency 64"]),
        ([{"file": "fp8.json"}, {"file": "fp4.json"}], ["fp8: concurrency 64", "fp4: concurrency 64"]),
        ([{"file": "a/x.json"}, {"file": "b/x.json"}], ["a/x.json: concurrency 64", "b/x.json: concurrency 64"]),
        ([{"load": "", "place": f"result {at}", "output_length": 10.0 * at} for at in (1, 2)],
         ["run: result 1", "run: result 2"]),
        ([{"file": "x-run1.json"}, {"file": "x-run2.json"}], ["concurrency 64", "concurrency 64"]),
        ([{"file": "a/run=0.json"}, {"file": "a/run=1.json"}], ["concurrency 64", "concurrency 64"]),
        ([{"place": "line 1"}, {"place": "line 2"}], ["concurrency 64", "concurrency 64"]),
    ],
)  # fmt: skip
def test_a_name_tells_configurations_apart(each, names):
    found = settled(*each, accelerator="H100", count=8)
    assert found["name"].tolist() == names and found["configuration"].nunique() == len(set(names))


@pytest.mark.parametrize(
    "column", ["model", "precision", "software", "load", "setting", "label", "file", "input_length", "output_length"]
)
def test_runs_that_differ_in_a_column_are_no_repetitions(column):
    values = (100.0, 110.0) if column.endswith("length") else ("a", "b")
    found = settled(*({column: value} for value in values), accelerator="H100", count=8)
    assert found["configuration"].nunique() == 2


def test_repeated_runs_are_a_spread_and_the_median_one_counts():
    rates = [{"place": f"line {at}", "tokens_per_second": rate} for at, rate in enumerate((9e3, 7e3, 8e3, 6e3))]
    for several, expected in ((rates[:3], [3, 875, 1000, 1125, "line 2"]), (rates, [4, 750, 875, 1125, "line 1"])):
        found = assessed(*several)[["runs", "rate_low", "rate_per_accelerator", "rate_high", "place"]]
        assert found.to_numpy().tolist() == [expected]
    assert "3 runs with the same settings: treated as repeated runs" in assessed(*rates[:3])["said"][0]


def pairs(*each):
    """Runs of a model without a benchmark against each other."""
    return deployment.compared(assessed(*({"model": "ours"} | fields for fields in each)))


def test_before_and_after_are_two_rows_with_their_ratio():
    """8,000 and 9,000 tokens/s: 1.125x; alone a difference, with 7,900 to 9,100 before it within noise."""
    before, after = {"label": "Before", "ttft_p99_ms": 200.0}, {"label": "After", "ttft_p99_ms": 300.0}
    after |= {"tokens_per_second": 9000.0}
    (found,) = pairs(before, after).to_dict("records")
    expected = {"name": "After", "baseline": "Before", "ratio": 1.125, "ttft_ratio": 1.5, "why": ""}
    assert expected.items() <= found.items() and found["verdict"] == "difference" and np.isnan(found["low"])
    more = [before | {"tokens_per_second": rate} for rate in (7900.0, 9100.0)]
    (noisy,) = pairs(before, *more, after).to_dict("records")
    assert (noisy["low"], noisy["high"]) == pytest.approx((9000 / 9100, 9000 / 7900))
    assert noisy["verdict"] == "within noise"
    again = [after | {"tokens_per_second": rate} for rate in (8800.0, 9200.0)]
    (clear,) = pairs(before, *again, after).to_dict("records")
    assert (clear["low"], clear["high"], clear["verdict"]) == (1.1, 1.15, "difference")
    for rate, verdict in ((8039.0, "same"), (8060.0, "difference")):
        assert pairs(before, after | {"tokens_per_second": rate})["verdict"].tolist() == [verdict]


BASE = {"label": "a", "output_length": 250.0, "input_length": 100.0, "request_rate": 2.0, "requests_per_second": 1.0}


@pytest.mark.parametrize(
    ("fields", "why"),
    [({"output_length": 500.0}, "output_length"), ({"load": "concurrency 128"}, "load"),
     ({"input_length": 94.0}, "input_length"), ({"input_length": 96.0}, ""), ({"traffic": "agentic"}, "traffic"),
     ({"other_tokens_per_second": 5000.0}, "other_tokens_per_second"), ({"requests_per_second": 2.0}, ""),
     ({"model": "other", "output_length": 500.0}, "model, output_length")],
)  # fmt: skip
def test_runs_that_differ_otherwise_are_not_comparable(fields, why):
    (found,) = pairs(BASE, BASE | {"label": "b"} | fields).to_dict("records")
    assert found["why"] == why and (found["verdict"] == "not comparable") == bool(why) == np.isnan(found["ratio"])


def test_two_rates_that_were_asked_for_are_not_comparable():
    rated = BASE | {"requests_per_second": 1.8}
    assert pairs(rated, rated | {"label": "b"})["why"].tolist() == ["request_rate"]


def test_of_a_sweep_each_load_has_its_own_baseline():
    loads = [{"file": file, "load": f"concurrency {at}"} for file in ("a.json", "b.json") for at in (1, 8)]
    found = pairs(*loads, {"file": "a.json", "load": "all at once"})
    assert found["name"].tolist() == ["b: concurrency 1", "b: concurrency 8"]
    assert found["baseline"].tolist() == ["a: concurrency 1", "a: concurrency 8"]


def test_a_rate_that_another_contradicts_makes_no_headline():
    times = {"ttft_p99_ms": 100.0, "tpot_p99_ms": 20.0}
    rows = assessed(times | {"other_tokens_per_second": 4000.0, "file": "b.json"}, {"tokens_per_second": 80.0})
    found = rows.iloc[0]
    assert found["scenario"] == "Offline"  # TPOT divides by one of the counts
    assert (found["rate_low"], found["rate_high"]) == (500, 1000)
    assert np.isnan([found["share"], found["usd_per_million"]]).all() and "two rates" in found["said"][-1]
    assert deployment.best(rows)["rate_per_accelerator"] == 10
    assert deployment.best(rows.assign(share=NAN))["rate_per_accelerator"] == 10


def test_requests_of_agents_are_compared_without_mlperf():
    agents = {"traffic": "agentic", "label": "a"}
    rows = assessed(agents, agents | {"label": "b", "tokens_per_second": 9e3})
    assert rows["share"].isna().all() and deployment.compared(rows)["ratio"].tolist() == [1.125]
    assert deployment.best(rows)["name"] == "b" and deployment.losses(rows.iloc[0]).empty


# ---- limits, scenario, goodput

RULES = deployment.limits_strictest_first("llama2-70b")


def test_limits_are_those_of_the_rules_the_strictest_first():
    assert RULES.reset_index().to_numpy().tolist() == [["Interactive", 450, 40], ["Server", 2000, 200]]


@pytest.mark.parametrize(
    ("fields", "scenario", "why"),
    [
        ({"ttft_p99_ms": 450, "tpot_p99_ms": 40}, "Interactive", "strictest limits held"),
        ({"ttft_p99_ms": 460, "tpot_p99_ms": 39}, "Server", "strictest limits held"),
        ({"ttft_p99_ms": 100, "tpot_p99_ms": 150}, "Server", "strictest limits held"),
        ({"ttft_p99_ms": 2100, "tpot_p99_ms": 39}, "Offline", "misses all latency limits"),
        ({"ttft_p99_ms": 2100, "tpot_p99_ms": 39, "ttft_limit_ms": 450, "tpot_limit_ms": 40}, "Interactive", "its log"),
        ({"ttft_p99_ms": 100, "tpot_p99_ms": 30, "ttft_limit_ms": 450, "tpot_limit_ms": 200}, "Interactive", "held"),
        ({"ttft_p99_ms": 100}, "Offline", "no latency limit can be checked"),
        ({"ttft_p99_ms": 430, "tpot_p99_ms": 39, "of_tokens": True}, "Offline", "TPOT percentiles are over tokens"),
        ({"ttft_p99_ms": 430, "tpot_p99_ms": 39, "other_tokens_per_second": 1.0}, "Offline", "two token counts"),
        ({"ttft_p99_ms": 100, "tpot_p99_ms": 39, "requests": 100.0, "request_ttft_ms": np.full(100, 100.0),
          "request_tpot_ms": np.array([41.0] * 2 + [20.0] * 98)}, "Server", "strictest limits held"),
        ({"ttft_p99_ms": 100, "tpot_p99_ms": 39, "requests": 100.0, "request_ttft_ms": np.full(100, 100.0),
          "request_tpot_ms": np.array([41.0] + [20.0] * 99)}, "Interactive", "strictest limits held"),
    ],
)  # fmt: skip
def test_the_scenario_follows_from_limits(fields, scenario, why):
    chosen, because = deployment.scenario_of(own(**fields), RULES)
    assert chosen == scenario and why in because and "nan" not in because


def test_within_counts_requests_within_both_limits():
    """Of 5 completed requests 4 were answered: one late at first, one slow, one of a single token, one in time."""
    times = {"request_ttft_ms": np.array([100, 600, 100, 100.0]), "request_tpot_ms": np.array([30, 30, 50, NAN])}
    run = own(requests=5.0, **times)
    assert deployment.within(run, 450, 40) == 2 / 5 and deployment.within(run, 600, 50) == 4 / 5
    assert deployment.within(run, 1000, 40) == 3 / 5 and deployment.within(run, 450, 1000) == 3 / 5
    assert np.isnan([deployment.within(run, NAN, 40), deployment.within(own(), 450, 40)]).all()


def test_goodput_is_at_the_limits_asked_for_else_those_of_the_scenario():
    times = {"requests": 4.0, "request_ttft_ms": np.array([100, 300, 300, 300.0]), "request_tpot_ms": np.full(4, 20.0),
             "ttft_p99_ms": 300.0, "tpot_p99_ms": 20.0}  # fmt: skip
    columns = ["within", "goodput_per_accelerator", "limit_ttft_ms", "limit_tpot_ms", "share"]
    found = assessed(times, usd_per_hour=3.6)
    assert found[columns].to_numpy().tolist() == [[1, 1000, 450, 40, 0.5]] and found["scenario"][0] == "Interactive"
    assert found["usd_per_million"].tolist() == pytest.approx([1.0])  # 8 x $3.60 for 28.8 million tokens an hour
    asked = assessed(times, ttft_ms=200, tpot_ms=30, scenario="Offline")
    assert asked[columns].to_numpy().tolist() == [[0.25, 250, 200, 30, 0.25]] and asked["usd_per_million"].isna().all()
    assert "Offline: as asked" in asked["said"][0]


# ---- the closest official result


B200 = {"accelerator": "B200", "precision": "fp4"}


@pytest.mark.parametrize(
    ("rows", "run", "right"),
    [
        ([B200, H100], {"accelerator": "H100"}, 1),  # the accelerator, then
        ([B200 | {"round": "v5.1"}, B200 | {"precision": "fp8"}], B200, 1),  # the newest round
        ([B200 | {"accelerator_count": 72.0}, B200 | {"accelerator_count": 9.0, "rate": 9.0}], B200, 1),  # the size
        ([B200, B200 | {"accelerator_count": 5.0}, B200 | {"accelerator_count": 12.0}], {"accelerator": "B200"}, 0),
        ([B200 | {"rate": 90.0}, B200 | {"precision": "fp8"}], B200 | {"precision": "FP8"}, 1),  # the precision
        ([B200, B200 | {"rate": 90.0}], B200, 1),  # the rate
        ([{"accelerator": "L40S"}, B200, H100], {"accelerator": "H200"}, 2),  # 864, 8,000, and 3,350 GB/s for 4,800
        ([{"accelerator": "ours"}, {"accelerator": "L40S"}], {"accelerator": "H200"}, 1),  # without a known bandwidth
    ],
)  # fmt: skip
def test_the_closest_result_is_the_first_by_each_key_in_turn(official, rows, run, right):
    official(*rows)
    near = deployment.closest(own(benchmark="llama2-70b", accelerator_count=8.0, **run), "Offline")
    assert near["id"] == f"r{right}"


def test_its_offline_result_is_that_of_the_same_system(official):
    others = {"round": "v6.1", "submitter": "B", "system": "other", "accelerator": "B200", "accelerator_count": 4.0}
    others = [OFFLINE | {name: value, "rate": 9e9} for name, value in others.items()]
    run = own(benchmark="llama2-70b", accelerator="H100", accelerator_count=8.0)
    official(SERVER, OFFLINE, *others, OFFLINE | {"division": "open", "rate": 9e9})
    assert deployment.closest(run, "Server")["offline"] == 4000
    official(SERVER, *others)
    assert np.isnan(deployment.closest(run, "Server")["offline"])


def test_a_round_without_the_model_names_those_that_have_it(official):
    model = {"benchmark": "gpt-oss-120b", "model": "GPT-OSS 120B"}
    official(*(model | {"round": round, "rate": 16e3} for round in ("v6.0", "v6.1")), OFFLINE)
    options = {"accelerator": "B200", "count": 8}
    (row,) = deployment.assess(settled({"model": GPT}, **options), round="v4.1").to_dict("records")
    words = "v4.1 has no result of GPT-OSS 120B Offline; rounds with results: v6.0, v6.1"
    assert np.isnan(row["share"]) and row["said"][-1] == words
    (row,) = deployment.assess(settled({"model": GPT}, **options), round="v6.0").to_dict("records")
    assert (row["official_round"], row["share"]) == ("v6.0", 0.5)


def test_the_nearest_accelerator_stands_in_and_is_named():
    (row,) = deployment.assess(settled({}, accelerator="H200", count=8)).to_dict("records")
    assert (row["official_accelerator"], row["share"]) == ("H100", 0.25)
    assert row["said"][-1] == "no result on H200: compared with the nearest accelerator, H100"


@pytest.mark.parametrize(
    ("fields", "said"),
    [({"tokens_per_second": 330e3}, "the rate is 10 times the official one: check unit and count"),
     ({"tpot_p50_ms": 0.12, "tpot_p99_ms": 0.3}, "TPOT is 0.12 ms, less than the time to read the weights"),
     ({"tpot_mean_ms": 0.12, "tpot_p50_ms": 20.0}, "less than the time to read the weights")],
)  # fmt: skip
def test_a_run_faster_than_its_accelerators_can_be_is_refused(fields, said):
    """35 GB of 4-bit weights over 8 x 3,350 GB/s take 1.3 ms, a tenth of it with drafts."""
    with pytest.raises(ValueError, match=said):
        assessed(fields)
    assert assessed({"tokens_per_second": 310e3, "tpot_p50_ms": 0.14})["share"].notna().all()


def test_a_rate_that_was_asked_for_is_no_capability():
    (row,) = assessed({"request_rate": 2.0, "requests_per_second": 1.8}).to_dict("records")
    assert any("the run shows its load" in words for words in row["said"])
    (row,) = assessed({"request_rate": 2.0, "requests_per_second": 1.7}).to_dict("records")
    assert not any("the run shows its load" in words for words in row["said"])


def test_losses_multiply_to_the_share_of_the_official_offline_rate():
    row = own(
        benchmark="llama2-70b", accelerator="H100", accelerator_count=8.0, precision="bf16", concurrency=16.0,
        share=0.2, within=0.9, scenario="Server", official_offline=4000.0, official_rate=3000.0,
    )  # fmt: skip
    bandwidth = tables.accelerators.set_index("label")["memory_bandwidth_gb_per_s"]["H100"]
    few = 16 * bandwidth / 140 / 3000  # 16 tokens at most per reading of 140 GB of weights, per accelerator
    factors = deployment.losses(row).set_index("label")["factor"]
    assert factors["Server limits"] == 0.75 and factors["low concurrency"] == pytest.approx(few)
    assert factors.prod() == pytest.approx(0.2 * 3000 / 4000 * 0.9)
    many = deployment.losses(own(**row | {"concurrency": 4096.0, "precision": "FP8"})).set_index("label")["factor"]
    assert (many["low concurrency"], many["software and setup"]) == (1, 0.2)
    halved = deployment.losses(own(**row | {"precision": "FP8"})).set_index("label")["factor"]
    assert halved["low concurrency"] == pytest.approx(2 * few)


# ---- files


@pytest.mark.parametrize(
    ("name", "options", "scenario"),
    [("08-default-round-without-model/vllm_gptoss.json", {"accelerator": "B200 SXM", "count": 8}, ["Server"]),
     ("11-loadgen-interactive-limits/mlperf_log_detail.txt",
      {"accelerator": "H100", "count": 8, "benchmark": "llama2-70b"}, ["Interactive"]),
     ("15-inferencex-list-of-two-accelerators/agg_gptoss_1k1k.json", {}, ["Server", "Interactive"]),
     ("15-inferencex-list-of-two-accelerators/agg_gptoss_1k1k.json", {"accelerator": "B200 SXM"}, ["Interactive"])],
)  # fmt: skip
def test_outside_cases_have_an_official_result_beside_them(monkeypatch, name, options, scenario):
    monkeypatch.undo()
    found = deployment.assess(deployment.settle(read_runs(case(name)), **options))
    assert found["scenario"].tolist() == scenario and found["share"].notna().all()


def test_settings_that_no_column_has_tell_runs_apart(runs):
    record = example("vllm_concurrency.jsonl")
    lines = [record | {"max_num_seqs": seqs, "run_number": number} for seqs in (32, 128) for number in (0, 1)]
    rows = deployment.assess(deployment.settle(runs(lines)))
    assert rows["name"].tolist() == ["max_num_seqs=32", "max_num_seqs=128"] and rows["runs"].tolist() == [2, 2]


# ---- the command


@pytest.fixture
def measure(capsys):
    """Run the command: its exit status, standard output, and standard error."""

    def run(*arguments):
        return main(["measure", *map(str, arguments)]), *capsys.readouterr()

    return run


def test_measure_prints_runs_side_by_side_and_what_is_unknown(measure):
    files = [EXAMPLES / "vllm_printed.txt", EXAMPLES / "sglang_printed.txt"]
    status, out, _ = measure(*files, "--accelerator", "H100", "--count", 8, "--benchmark", "llama2-70b")
    lines = out.splitlines()
    assert status == 0 and lines[0].startswith("SAMPLE DATA") and "nan" not in out
    assert lines[1] == "concurrency 64 (8x H100): 7.5% of MLPerf Server throughput per accelerator (8x H100, v6.0)"
    (sglang,) = (line for line in lines if line.startswith("4 requests/s  "))
    assert "not known" in sglang and " 125 " in sglang
    assert "$/M tokens" not in out and lines[-1].startswith("Own runs are not verified by MLCommons")


def test_measure_of_two_runs_says_once_how_they_compare(measure, runs, tmp_path):
    """Two runs of one load in a sentence above the table; two that are not comparable below it, with what differs."""
    record = example("vllm_concurrency.jsonl") | {"output_throughput": None, "total_token_throughput": None}
    runs(record, "base.json")
    for file, tokens, said in (("a.json", 40_000, "1.00x"), ("b.json", 20_000, "not comparable, by output_length.")):
        runs(record | {"total_output_tokens": tokens}, file)
        status, out, _ = measure(tmp_path / "base.json", tmp_path / file)
        assert status == 0 and out.count(said) == 1 and out.count("not comparable") == (file == "b.json")


def test_measure_of_a_model_without_a_benchmark_compares_the_runs(measure, runs, tmp_path):
    runs(text("vllm_printed.txt"), "run.txt")
    status, out, _ = measure(tmp_path / "run.txt", "--accelerator", "H100", "--count", 8)
    assert status == 0 and "No official result to compare with" in out and "set benchmark to compare with" in out
    assert "SAMPLE" not in out and " 225 " in out


def test_measure_as_json_has_no_unknown_numbers(measure):
    status, out, _ = measure(EXAMPLES / "vllm_tuned.jsonl", "--price", 2.5, "--json")
    (run,) = json.loads(out)["runs"]
    assert status == 0 and run["runs"] == 3 and run["within"] is None and run["request_rate"] == "inf"
    assert run["usd_per_million"] == pytest.approx(2.5 * 8 / (79 * 250 * 0.0036), rel=1e-6)
    assert not run.keys() & {"request_ttft_ms", "request_tpot_ms", "configuration"}


@pytest.mark.parametrize(
    ("rates", "more", "said"),
    [([8000], {}, "1,000 "), ([8000, 9000], {}, "1,000 to 1,125 (runs: 2) "),
     ([8000, 7000, 9000], {}, "1,000, 875 to 1,125 (runs: 3) "),
     ([8000], {"other_tokens_per_second": 16e3}, "1,000 to 2,000, two counts ")],
)  # fmt: skip
def test_a_rate_has_its_range_over_repeated_runs_or_counts(rates, more, said):
    found = assessed(*({"tokens_per_second": float(rate)} | more for rate in rates))
    assert f"  {said}" in command._table(found)[1]
    answer = command._answer(found, deployment.compared(found))
    assert answer.startswith("Two token counts" if more else "concurrency 64 (8x H100): 25.0% of MLPerf Offline")


def test_a_pair_has_its_range_over_repeated_runs():
    pair = {"name": "b", "baseline": "a", "why": "", "ratio": 1.125, "low": NAN, "high": NAN, "verdict": "difference"}
    words = "b: 1.12x a in throughput per accelerator"
    assert command._pair(pair) == f"{words} (difference; no repeated runs)"
    repeated = command._pair(pair | {"low": 1.1, "high": 1.15})
    assert repeated == f"{words} (difference; 1.10x to 1.15x with repeated runs)"


def test_measure_names_what_is_wrong_in_a_line(measure, tmp_path):
    status, out, err = measure(tmp_path / "none.json")
    assert (
        status == 2 and not out and err.count("\n") == 1 and "none.json: does not exist, is not a regular file" in err
    )
    status, _, err = measure(EXAMPLES / "vllm_tuned.jsonl", "--scenario", "Sever")
    assert status == 2 and "no scenario 'Sever'" in err and "Server" in err
