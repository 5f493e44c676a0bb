"""Own runs beside official results: what is settled, which result is closest, limits, goodput, and losses by hand."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

os.environ.setdefault("ANALYSIS_RECORD", "shipped")

from analysis import load_results, tables
from analysis.compare import NoData, comparable
from analysis.measure import deployment, read_runs
from analysis.measure.checks import RUN

EXAMPLES = Path(__file__).parents[2] / "data" / "examples"
CASES = Path(__file__).parents[3] / "shared" / "cases"
LLAMA, GPT = "meta-llama/Llama-2-70b-chat-hf", "openai/gpt-oss-120b"
NAN = float("nan")


def own(**fields):
    """One run as the readers give it, with these fields."""
    return RUN | {"file": "run.json", "model": LLAMA, "load": "concurrency 64", "tokens_per_second": 8000.0} | fields


def runs(*each):
    return pd.DataFrame([own(**fields) for fields in each])


def settled(*each, **options):
    return deployment.settle(runs(*each), **options)


# ---- what a file states, and what is given


def test_what_a_file_states_counts_and_the_rest_is_given():
    both = settled(
        {"accelerator": "NVIDIA-H100-80GB-HBM3", "accelerator_count": 4.0}, {"file": "b.json"}, accelerator="H100 SXM",
        count=4,
    )  # fmt: skip
    assert both["accelerator"].tolist() == ["H100", "H100"] and both["accelerator_count"].tolist() == [4, 4]
    assert both["rate_per_accelerator"].tolist() == [2000, 2000]
    assert both["benchmark"].tolist() == ["llama2-70b"] * 2
    assert settled({"model": "ours"}, accelerator="H100", count=8, benchmark="Llama 2 70B").equals(
        settled({"model": "ours"}, accelerator="H100", count=8, benchmark="llama2-70b")
    )
    assert settled({"devices": "NVIDIA H100 80GB HBM3"}, count=8)["accelerator"].tolist() == ["H100"]
    assert settled({"accelerator": "my-cluster"}, accelerator="H200", count=8)["accelerator"].tolist() == ["H200"]


@pytest.mark.parametrize(
    ("fields", "options", "said"),
    [
        ({}, {"count": 8}, "run.json: does not say its accelerator; give accelerator"),
        ({"accelerator": "H100"}, {}, "run.json: does not say how many accelerators"),
        ({"accelerator": "H100", "accelerator_count": 4.0}, {"count": 8}, "states 4 accelerators, but count is 8"),
        ({"accelerator": "H200"}, {"accelerator": "H100", "count": 8}, "is H100, but the files are of H200"),
        ({"devices": "NVIDIA H200"}, {"accelerator": "H100", "count": 8}, "is H100, but the files are of H200"),
        ({"accelerator": "H1000"}, {"count": 8}, "no accelerator 'H1000'"),
        ({"accelerator": "H100"}, {"count": 8, "benchmark": "gpt-oss-120b"}, "of Llama 2 70B, but benchmark is GPT"),
        ({"accelerator": "H100"}, {"count": 8, "benchmark": "resnet50"}, "in tokens/s 'resnet50': valid: Llama 2 70B,"),
        ({"accelerator": "H100"}, {"count": 8, "benchmark": "Llama 2 80B"}, "did you mean 'Llama 2 70B'"),
    ],
)  # fmt: skip
def test_what_neither_says_or_both_say_differently_is_named(fields, options, said):
    with pytest.raises(ValueError, match=r"run\.json|accelerator|benchmark") as caught:
        settled(fields, **options)
    assert said in str(caught.value)


def test_of_several_accelerators_one_is_picked_or_each_stays():
    files = [{"accelerator": "h200", "accelerator_count": 4.0}, {"accelerator": "b200", "accelerator_count": 4.0}]
    assert settled(*files)["name"].tolist() == ["H200: concurrency 64", "B200: concurrency 64"]
    assert settled(*files, accelerator="B200")["accelerator"].tolist() == ["B200"]


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
    assert settled(*each, accelerator="H100", count=8)["name"].tolist() == names


def test_repeated_runs_are_a_spread_and_the_median_one_counts():
    rates = [{"place": f"line {at}", "tokens_per_second": rate} for at, rate in enumerate((9000.0, 7000.0, 8000.0))]
    (row,) = deployment.assess(settled(*rates, accelerator="H100", count=8)).to_dict("records")
    assert (row["runs"], row["rate_low"], row["rate_per_accelerator"], row["rate_high"]) == (3, 875, 1000, 1125)
    assert row["place"] == "line 2"
    assert len(deployment.assess(settled(*rates[:2], {"file": "tuned.json"}, accelerator="H100", count=8))) == 2


def assessed(*each, **options):
    return deployment.assess(settled(*each, accelerator="H100", count=8, **options))


def test_before_and_after_are_two_rows_with_their_ratio():
    """8,000 and 9,000 tokens/s: 1.125x; alone a difference, with 7,900 to 9,100 before it within noise."""
    before, after = {"label": "Before"}, {"label": "After", "tokens_per_second": 9000.0}
    found = deployment.compared(assessed(before, after))
    assert found[["name", "baseline", "ratio", "verdict", "why"]].to_numpy().tolist() == [
        ["After", "Before", 1.125, "difference", ""]
    ]
    more = [before | {"tokens_per_second": rate} for rate in (7900.0, 9100.0)]
    (noisy,) = deployment.compared(assessed(before, *more, after)).to_dict("records")
    assert noisy["verdict"] == "within noise"
    assert (noisy["low"], noisy["high"]) == pytest.approx((9000 / 9100, 9000 / 7900))
    (same,) = deployment.compared(assessed(before, after | {"tokens_per_second": 8020.0})).to_dict("records")
    assert same["verdict"] == "same"


def test_settings_that_no_column_has_tell_runs_apart(tmp_path):
    line = json.loads((EXAMPLES / "vllm_concurrency.jsonl").read_text("utf-8").splitlines()[0])
    lines = [line | {"max_num_seqs": seqs, "run_number": number} for seqs in (32, 128) for number in (0, 1)]
    path = tmp_path / "summary.json"
    path.write_text(json.dumps(lines), "utf-8")
    rows = deployment.assess(deployment.settle(read_runs(path)))
    assert rows["name"].tolist() == ["max_num_seqs=32", "max_num_seqs=128"] and rows["runs"].tolist() == [2, 2]
    assert len(read_runs([path, path.parent / "." / ".." / path.parent.name / path.name])) == 4


@pytest.mark.parametrize(
    ("fields", "why"),
    [({"output_length": 500.0}, "output_length"), ({"load": "concurrency 128"}, "load"),
     ({"other_tokens_per_second": 5000.0}, "other_tokens_per_second")],
)  # fmt: skip
def test_runs_that_differ_otherwise_are_not_comparable(fields, why):
    base = {"label": "a", "output_length": 250.0}
    (found,) = deployment.compared(assessed(base, base | {"label": "b"} | fields)).to_dict("records")
    assert (found["verdict"], found["why"]) == ("not comparable", why)


def test_of_a_sweep_each_load_has_its_own_baseline():
    loads = [
        {"file": file, "load": load} for file in ("a.json", "b.json") for load in ("concurrency 1", "concurrency 8")
    ]
    found = deployment.compared(assessed(*loads))
    assert found["name"].tolist() == ["b: concurrency 1", "b: concurrency 8"]
    assert found["baseline"].tolist() == ["a: concurrency 1", "a: concurrency 8"]


def test_a_rate_that_another_contradicts_makes_no_headline():
    times = {"ttft_p99_ms": 100.0, "tpot_p99_ms": 20.0}
    (found,) = assessed(times | {"other_tokens_per_second": 4000.0}).to_dict("records")
    assert found["scenario"] == "Offline"  # TPOT divides by one of the counts
    assert (found["rate_low"], found["rate_high"]) == (500, 1000)
    assert np.isnan([found["share"], found["usd_per_million"]]).all() and "two rates" in found["said"][-1]


def test_requests_of_agents_are_compared_without_mlperf():
    rows = assessed(
        {"traffic": "agentic", "label": "a"}, {"traffic": "agentic", "label": "b", "tokens_per_second": 9e3}
    )
    assert rows["share"].isna().all() and deployment.compared(rows)["ratio"].tolist() == [1.125]


def test_a_paste_of_two_results_has_the_line_before_each_as_name(tmp_path):
    block = (EXAMPLES / "vllm_printed.txt").read_text("utf-8").split("\n", 2)[2]
    path = tmp_path / "paste.txt"
    path.write_text(f"Some text.\n\n**Before:**\n```\n{block}```\n\nAfter this PR:\n```\n{block}```\n", "utf-8")
    found = deployment.assess(deployment.settle(read_runs(path), accelerator="H100", count=8))
    assert found["name"].tolist() == ["Before", "After this PR"] and found["runs"].tolist() == [1, 1]
    path.write_text(block * 2, "utf-8")
    (row,) = deployment.assess(deployment.settle(read_runs(path), accelerator="H100", count=8)).to_dict("records")
    assert row["runs"] == 2 and any("taken for repetitions" in words for words in row["said"])


# ---- limits, scenario, goodput

RULES = deployment.limits_strictest_first("llama2-70b")


def test_limits_are_those_of_the_rules_the_strictest_first():
    assert RULES.index.tolist() == ["Interactive", "Server"]
    assert RULES.to_numpy().tolist() == [[450, 40], [2000, 200]]


@pytest.mark.parametrize(
    ("fields", "scenario", "why"),
    [
        ({"ttft_p99_ms": 430, "tpot_p99_ms": 39}, "Interactive", "strictest limits held"),
        ({"ttft_p99_ms": 460, "tpot_p99_ms": 39}, "Server", "strictest limits held"),
        ({"ttft_p99_ms": 100, "tpot_p99_ms": 150}, "Server", "strictest limits held"),
        ({"ttft_p99_ms": 2100, "tpot_p99_ms": 39}, "Offline", "misses all latency limits"),
        ({"ttft_p99_ms": 2100, "tpot_p99_ms": 39, "ttft_limit_ms": 450, "tpot_limit_ms": 40}, "Interactive", "its log"),
        ({"ttft_p99_ms": 100, "tpot_p99_ms": 30, "ttft_limit_ms": 2000, "tpot_limit_ms": 200}, "Server", "its log"),
        ({"ttft_p99_ms": 100}, "Offline", "no latency limit can be checked"),
        ({"ttft_p99_ms": 430, "tpot_p99_ms": 39, "of_tokens": True}, "Offline", "percentiles of TPOT are of tokens"),
        ({"ttft_p99_ms": 100, "tpot_p99_ms": 39, "requests": 20.0, "request_ttft_ms": np.full(20, 100.0),
          "request_tpot_ms": np.array([41.0] + [20.0] * 19)}, "Server", "strictest limits held"),
    ],
)  # fmt: skip
def test_the_scenario_follows_from_limits(fields, scenario, why):
    chosen, because = deployment.scenario_of(own(**fields), RULES)
    assert chosen == scenario and why in because and "nan" not in because


def test_within_counts_requests_within_both_limits():
    """Of 5 completed requests 4 were answered: one late at first, one slow, one of a single token, one in time."""
    run = own(
        requests=5.0, request_ttft_ms=np.array([100, 600, 100, 100.0]), request_tpot_ms=np.array([30, 30, 50, NAN])
    )
    assert deployment.within(run, 450, 40) == 2 / 5
    assert deployment.within(run, 1000, 40) == 3 / 5
    assert np.isnan(deployment.within(run, NAN, 40)) and np.isnan(deployment.within(own(), 450, 40))


def test_goodput_is_at_the_limits_asked_for_else_those_of_the_scenario():
    times = {"requests": 4.0, "request_ttft_ms": np.array([100, 300, 300, 300.0]), "request_tpot_ms": np.full(4, 20.0),
             "ttft_p99_ms": 300.0, "tpot_p99_ms": 20.0}  # fmt: skip
    rows = settled(times, accelerator="H100", count=8)
    (scenario,) = deployment.assess(rows, usd_per_hour=3.6).to_dict("records")
    assert (scenario["within"], scenario["goodput_per_accelerator"], scenario["limit_ttft_ms"]) == (1, 1000, 450)
    assert scenario["usd_per_million"] == pytest.approx(1.0)  # 8 x $3.60 for 28.8 million tokens an hour
    (asked,) = deployment.assess(rows, ttft_ms=200, tpot_ms=40).to_dict("records")
    assert (asked["within"], asked["goodput_per_accelerator"]) == (0.25, 250)


# ---- the closest official result


def test_the_closest_result_is_of_the_newest_round_that_has_one(monkeypatch):
    results = load_results()
    rows = comparable(results, benchmark="llama2-70b", scenario="Server", accelerators=["H100"])
    run = settled({}, accelerator="H100", count=8).iloc[0]
    near = deployment.closest(run, "Server")
    newest = rows[rows["round"].eq(rows["round"].max())]
    assert near["id"] in set(newest["id"]) and near["accelerator"] == "H100"
    (offline,) = {near["offline"]}
    same = results[
        results["system"].eq(near["system"]) & results["round"].eq(near["round"]) & results["scenario"].eq("Offline")
    ]
    assert offline in set(same.loc[same["benchmark"].eq("llama2-70b"), "rate_per_accelerator"])
    assert deployment.closest(run, "Server", "v4.1")["round"] == "v4.1"
    open_division = same[same["id"].eq(same.loc[same["rate_per_accelerator"].eq(offline), "id"].iloc[0])]
    faster = open_division.assign(id="faster", division="open", rate=9e9, rate_per_accelerator=9e9)
    other = open_division.assign(id="other", accelerator="B200", rate=9e9, rate_per_accelerator=9e9)
    more = pd.concat([results, faster, other], ignore_index=True)
    monkeypatch.setattr("analysis.compare.load_results", lambda: more)
    assert deployment.closest(run, "Server")["offline"] == offline


def test_a_round_without_the_model_names_those_that_have_it():
    run = settled({"model": GPT}, accelerator="B200", count=8).iloc[0]
    with pytest.raises(NoData, match=r"v4\.1 has no result of GPT-OSS 120B Server; rounds that have: v6\.0, v6\.1"):
        deployment.closest(run, "Server", "v4.1")
    (row,) = deployment.assess(settled({"model": GPT}, accelerator="B200", count=8), round="v4.1").to_dict("records")
    assert np.isnan(row["share"]) and any("rounds that have" in words for words in row["said"])


def test_the_nearest_accelerator_stands_in_and_is_named(monkeypatch):
    results = load_results()
    results = results[results["accelerator"].isin(["H100", "B200", "L40S"]) | results["benchmark"].ne("llama2-70b")]
    monkeypatch.setattr("analysis.compare.load_results", lambda: results)
    (row,) = deployment.assess(settled({}, accelerator="H200", count=8)).to_dict("records")
    assert row["official_accelerator"] == "H100"  # 3,350 GB/s against 4,800; B200 has 8,000
    assert "no result of H200: compared with the nearest, H100" in row["said"]


def test_size_then_precision_decide_among_results_of_a_round():
    rows = comparable(benchmark="llama2-70b", scenario="Offline", rounds=["v5.1"], accelerators=["B200"])
    for count in (8, 1, 72):
        near = deployment.closest(
            own(benchmark="llama2-70b", accelerator="B200", accelerator_count=count), "Offline", "v5.1"
        )
        apart = np.abs(np.log(rows["accelerator_count"] / count))
        assert np.isclose(np.abs(np.log(near["accelerator_count"] / count)), apart.min())


@pytest.mark.parametrize(
    ("fields", "said"),
    [({"tokens_per_second": 8e6}, "times the official one: another unit or count"),
     ({"tpot_p50_ms": 0.02, "tpot_p99_ms": 0.03}, "less than reading the weights takes")],
)  # fmt: skip
def test_a_run_faster_than_its_accelerators_can_be_is_refused(fields, said):
    with pytest.raises(ValueError, match=said):
        deployment.assess(settled(fields, accelerator="H100", count=8))


def test_a_rate_that_was_asked_for_is_no_capability():
    (row,) = deployment.assess(
        settled({"request_rate": 2.0, "requests_per_second": 1.98}, accelerator="H100", count=8)
    ).to_dict("records")
    assert any("the run shows its load" in words for words in row["said"])


def test_losses_multiply_to_the_share_of_the_official_offline_rate():
    row = own(
        benchmark="llama2-70b", accelerator="H100", accelerator_count=8.0, precision="bf16", concurrency=16.0,
        share=0.2, within=0.9, scenario="Server", official_offline=4000.0, official_rate=3000.0, official_weights="fp8",
    )  # fmt: skip
    bandwidth = tables.accelerators.set_index("label")["memory_bandwidth_gb_per_s"]["H100"]
    few = 16 * bandwidth / 140 / 3000  # 16 tokens at most per reading of 140 GB of weights, per accelerator
    factors = deployment.losses(row).set_index("label")["factor"]
    assert factors["Server limits"] == 0.75 and factors["low concurrency"] == pytest.approx(few)
    assert factors.prod() == pytest.approx(0.2 * 3000 / 4000 * 0.9)
    many = deployment.losses(row | {"concurrency": 4096.0}).set_index("label")["factor"]
    assert (many["low concurrency"], many["software and setup"]) == (1, 0.2)


# ---- files


@pytest.mark.parametrize(
    ("case", "options", "scenario"),
    [("08-default-round-without-model/vllm_gptoss.json", {"accelerator": "B200 SXM", "count": 8}, ["Server"]),
     ("11-loadgen-interactive-limits/mlperf_log_detail.txt",
      {"accelerator": "H100", "count": 8, "benchmark": "llama2-70b"}, ["Interactive"]),
     ("15-inferencex-list-of-two-accelerators/agg_gptoss_1k1k.json", {}, ["Server", "Interactive"]),
     ("15-inferencex-list-of-two-accelerators/agg_gptoss_1k1k.json", {"accelerator": "B200 SXM"}, ["Interactive"])],
)  # fmt: skip
def test_outside_cases_have_an_official_result_beside_them(case, options, scenario):
    if not (path := CASES / case).exists():
        pytest.skip(f"{path} is not here")
    found = deployment.assess(deployment.settle(read_runs(path), **options))
    assert found["scenario"].tolist() == scenario and found["share"].notna().all()


# ---- the command


def measure(capsys, *arguments):
    from analysis.cli.main import main

    status = main(["measure", *map(str, arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_measure_prints_runs_side_by_side_and_what_is_unknown(capsys):
    files = [EXAMPLES / "vllm_printed.txt", EXAMPLES / "sglang_printed.txt"]
    status, out, _ = measure(capsys, *files, "--accelerator", "H100", "--count", 8, "--benchmark", "llama2-70b")
    assert status == 0 and out.startswith("SAMPLE DATA") and "nan" not in out
    (sglang,) = (line for line in out.splitlines() if line.startswith("4 requests/s  "))
    assert "not known" in sglang and " 125 " in sglang


def test_measure_of_two_runs_says_once_how_they_compare(capsys, tmp_path):
    """Two runs of one load in a sentence above the table; two that are not comparable below it, with what differs."""
    line = json.loads((EXAMPLES / "vllm_concurrency.jsonl").read_text("utf-8").splitlines()[0])
    for file, tokens, said in (("a.json", 40_000, "1.00x"), ("b.json", 20_000, "not comparable, by output_length.")):
        files = tmp_path / "base.json", tmp_path / file
        halved = {key: None for key in ("output_throughput", "total_token_throughput")} | {
            "total_output_tokens": tokens
        }
        for path, record in zip(files, (line, line | halved), strict=True):
            path.write_text(json.dumps(record), "utf-8")
        status, out, _ = measure(capsys, *files)
        assert status == 0 and out.count(said) == 1 and out.count("not comparable") == (file == "b.json")


def test_measure_of_a_model_without_a_benchmark_compares_the_runs(capsys, tmp_path):
    text = (EXAMPLES / "vllm_printed.txt").read_text("utf-8").partition("\n")[2]
    (tmp_path / "run.txt").write_text(text, "utf-8")
    status, out, _ = measure(capsys, tmp_path / "run.txt", "--accelerator", "H100", "--count", 8)
    assert status == 0 and "No official result to compare with" in out and "give benchmark to compare with" in out
    assert "SAMPLE" not in out and " 225 " in out


def test_measure_as_json_has_no_unknown_numbers(capsys):
    status, out, _ = measure(capsys, EXAMPLES / "vllm_tuned.jsonl", "--price", 2.5, "--json")
    (run,) = json.loads(out)["runs"]
    assert status == 0 and run["runs"] == 3 and run["within"] is None and run["request_rate"] == "inf"
    assert run["usd_per_million"] == pytest.approx(2.5 * 8 / (79 * 250 * 0.0036), rel=1e-6)
    assert not run.keys() & {"request_ttft_ms", "request_tpot_ms", "configuration"}


@pytest.mark.parametrize(
    ("rates", "said"),
    [([8000], "1,000 "), ([8000, 9000], "1,000 to 1,125 (runs: 2) "),
     ([8000, 7000, 9000], "1,000, 875 to 1,125 (runs: 3) ")],
)  # fmt: skip
def test_a_rate_has_its_range_over_repeated_runs(rates, said):
    from analysis.cli.measure import _table

    found = deployment.assess(
        settled(*({"tokens_per_second": float(rate)} for rate in rates), accelerator="H100", count=8)
    )
    assert f"  {said}" in _table(found)[1]


def test_measure_names_what_is_wrong_in_a_line(capsys, tmp_path):
    status, out, err = measure(capsys, tmp_path / "none.json")
    assert status == 2 and not out and err.count("\n") == 1 and "none.json: is not there, or no regular file" in err
    status, _, err = measure(capsys, EXAMPLES / "vllm_tuned.jsonl", "--scenario", "Sever")
    assert status == 2 and "no scenario 'Sever'" in err and "Server" in err
