"""Interactivity of runs: what `runs` collects, frontier and bounds by hand, and limits of the rules."""

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, evidence, interactivity, long_prompts
from analysis.planner import decoding, models, prediction
from analysis.planner.curve import throughput_at


def frame(*runs):
    """Runs of (accelerator, scenario, tokens/s per user, tokens/s per accelerator), of eight on bare metal."""
    columns = ["accelerator", "scenario", "interactivity", "rate_per_accelerator"]
    rows = pd.DataFrame([run[:4] for run in runs], columns=columns)
    changes = pd.DataFrame([run[4] if len(run) > 4 else {} for run in runs], index=rows.index)
    filled = {"benchmark": "gpt-oss-120b", "accelerator_count": 8.0, "hypervisor": "", "availability": "available"}
    filled |= {"round": "v6.1", "submitter": "s", "system": "box", "precision": "fp4", "framework": "TensorRT"}
    filled |= {"serving_software": ""}
    rows = rows.assign(**filled, id=[f"r{place}" for place in range(len(rows))])
    return rows.assign(**{name: changes[name].fillna(rows[name]) for name in changes})


def bounds(rows, speed):
    found = interactivity.bounds(interactivity.frontier(rows), [speed, 1.0]).set_index("accelerator")
    found = found[found["interactivity"].eq(speed)]
    return found.loc["A", ["lower", "upper"]].tolist()


def test_the_frontier_keeps_what_no_run_beats_in_both():
    """900 at 14 is beaten by 900 at 15; 300 at 70 is the fastest; Offline stays whatever Server reaches."""
    rows = frame(("A", "Server", 15.0, 900.0), ("A", "Server", 12.5, 1000.0), ("A", "Offline", 0.0, 950.0),
                 ("A", "Server", 14.0, 900.0), ("A", "Interactive", 70.0, 300.0),
                 ("B", "Server", 12.5, 9.0))  # fmt: skip
    found = interactivity.frontier(rows)
    assert found["id"].tolist() == ["r2", "r1", "r0", "r4", "r5"] and found.index.tolist() == [*range(5)]
    as_fast = frame(("A", "Server", 12.5, 800.0), ("A", "Server", 12.5, 1000.0))
    assert interactivity.frontier(as_fast)["id"].tolist() == ["r1"]


def test_bounds_come_from_all_faster_and_all_slower_runs():
    """At 20: 300 and 350 are faster, of which 350 is the most; of the slower ones 1,000 is."""
    rows = frame(("A", "Offline", 0.0, 1000.0), ("A", "Server", 12.5, 900.0), ("A", "Server", 15.0, 700.0),
                 ("A", "Interactive", 70.0, 300.0), ("A", "Interactive", 68.0, 350.0))  # fmt: skip
    assert bounds(rows, 20.0) == [350.0, 1000.0]
    assert bounds(rows, 12.5) == [900.0, 1000.0]
    lower, upper = bounds(rows, 80.0)
    assert np.isnan(lower) and upper == 1000.0
    assert bounds(rows, 0.0)[0] == 1000.0


def test_a_limit_of_66_67_is_as_fast_as_66_7():
    rows = frame(("A", "Interactive", 1000 / 15, 300.0))
    assert bounds(rows, 66.7)[0] == 300.0 and np.isnan(bounds(rows, 67.1)[0])


def test_runs_of_one_node_or_one_rack_come_before_other_sizes_and_bare_metal_before_virtual_machines():
    rows = frame(
        ("GB300", "Server", 12.5, 900.0, {"accelerator_count": 72.0}),
        ("GB300", "Server", 13.0, 990.0, {"accelerator_count": 4.0}),
        ("GB300", "Interactive", 70.0, 500.0, {"accelerator_count": 4.0}),
        ("GB300", "Server", 12.5, 800.0, {"accelerator_count": 72.0, "hypervisor": "KVM"}),
        ("B200", "Server", 12.5, 800.0, {"hypervisor": "KVM"}),
        ("Arc Pro B50", "Server", 12.5, 0.5),
        ("Arc Pro B60", "Server", 12.5, 0.0),
        ("B300", "Server", 12.5, 700.0, {"accelerator_count": 4.0}),
    )
    assert interactivity.usual(rows)["id"].tolist() == ["r0", "r2", "r4", "r5", "r7"]


def test_an_older_run_counts_up_to_the_throughput_of_the_newest_round():
    old = {"round": "v6.0"}
    rows = frame(("A", "Server", 12.5, 900.0), ("A", "Server", 15.0, 950.0, old), ("A", "Server", 20.0, 900.0, old),
                 ("A", "Interactive", 70.0, 990.0, old), ("B", "Server", 12.5, 990.0, old))  # fmt: skip
    assert interactivity.usual(rows)["id"].tolist() == ["r0", "r2", "r3", "r4"]


def test_limits_are_those_of_the_rules():
    found = interactivity.limits("gpt-oss-120b").set_index("scenario")
    assert found["interactivity"].to_dict() == pytest.approx({"Server": 12.5, "Interactive": 1000 / 15})
    assert found["tpot_ms"].to_dict() == {"Server": 80.0, "Interactive": 15.0}
    assert found["ttft_ms"].to_dict() == {"Server": 3000.0, "Interactive": 2000.0}
    assert interactivity.limits("mixtral-8x7b")["scenario"].tolist() == ["Server"]
    assert interactivity.limits("resnet50").empty
    assert interactivity.speeds("gpt-oss-120b") == [0.0, 12.5, 66.7]
    assert interactivity.speeds("resnet50") == [0.0]


@pytest.mark.parametrize(
    ("function", "asked"),
    [
        (interactivity.limits, ["gpt-oss-120b"]), (decoding.sheets, []), (decoding.ordered, []),
        (prediction.cases, ["gpt-oss-120b"]), (models.requests_of, ["gpt-oss-120b"]), (long_prompts.timings, []),
    ],
)  # fmt: skip
def test_what_a_caller_changes_stays_with_it(function, asked):
    before = function(*asked).copy()
    found = function(*asked)
    found["new"] = 1
    assert function(*asked).equals(before)


def test_runs_are_the_comparable_results_of_three_scenarios_at_p99():
    rows = interactivity.runs("gpt-oss-120b", rounds=["v6.0"])
    assert set(rows["scenario"]) == {"Offline", "Server", "Interactive"}
    assert rows.loc[rows["scenario"].eq("Offline"), "interactivity"].eq(0).all()
    logged = rows[rows["interactivity_basis"].eq("log")]
    assert len(logged) > 20
    assert logged["interactivity"].to_numpy() == pytest.approx(1000 / logged["tpot_p99_ms"].to_numpy())


def test_a_benchmark_that_counts_samples_has_no_tokens_to_price():
    with pytest.raises(NoData, match="Qwen3-VL 235B is measured in samples/s, not tokens"):
        interactivity.runs("qwen3-vl-235b-a22b")


def test_a_benchmark_without_a_result_says_what_there_is():
    with pytest.raises(NoData, match=r"v6\.1"):
        interactivity.runs("mixtral-8x7b", rounds=["v6.1"])


def test_the_fastest_at_the_lowest_interactivity_comes_first():
    at = pd.DataFrame({
        "interactivity": [0.0, 0.0, 66.7, 66.7], "accelerator": ["A", "B", "A", "B"],
        "throughput": [1000.0, 500.0, 400.0, np.nan], "evidence": ["measured", "measured", "estimated", ""],
    })  # fmt: skip
    found = interactivity.ranked(at[::-1])
    assert found["accelerator"].tolist() == ["A", "A", "B"] and found["order"].tolist() == [1, 1, 2]
    assert found.index.tolist() == [0, 1, 2] and found["estimated"].tolist() == [False, True, False]
    with pytest.raises(NoData, match="too fast"):
        interactivity.ranked(at.assign(throughput=np.nan, reason="too fast"))


def test_support_counts_submitters_as_fast_or_faster_and_the_farthest_p99():
    """Three submitters at 0, two at 12.5, one at 66.7; a system of four where there are eight does not count."""
    rows = frame(("A", "Server", 15.0, 900.0, {"submitter": "x"}), ("A", "Interactive", 66.5, 300.0),
                 ("A", "Server", 80.0, 990.0, {"accelerator_count": 4.0, "submitter": "y"}),
                 ("A", "Offline", 0.0, 999.0, {"submitter": "z"}))  # fmt: skip
    rows = rows.assign(tpot_p50_ms=[20.0, 7.0, 1.0, np.nan], tpot_p99_ms=[66.0, 15.4, 2.0, np.nan])
    at = pd.DataFrame({"accelerator": "A", "interactivity": [12.5, 66.7, 90.0, 0.0]})
    at = at.assign(slower_id=["", "r0", "", ""], id=["r0", "r1", "", "r3"])
    found = interactivity.supported(at, rows)
    assert found["submitters"].tolist() == [2, 1, 0, 3]
    assert found["p99_over_median"].tolist() == pytest.approx([3.3, 3.3, np.nan, np.nan], nan_ok=True)


def test_a_curve_begins_no_lower_than_a_run_under_a_limit():
    """GB200 on Llama 2 70B has 12,648 in Server and 12,417 Offline: without a limit the run of Server holds too."""
    rows = interactivity.runs("llama2-70b")
    at = throughput_at(rows, [0.0, 5.0]).query("accelerator == 'GB200'")
    assert at["throughput"].round().tolist() == [12648, 12648]
    assert (at["throughput"] >= at["lower"]).all() and (at["upper"].dropna() >= at["lower"].max()).all()


def test_first_tokens_are_those_of_logs_under_one_limit_else_the_limit():
    """A's faster run; its 300 at 70 has a log, its 400 none. B has none, so it has the limit of GPT-OSS: 2 s."""
    rows = frame(("A", "Interactive", 70.0, 300.0), ("A", "Interactive", 75.0, 200.0),
                 ("A", "Interactive", 66.7, 400.0),
                 ("B", "Interactive", 68.0, 90.0), ("B", "Server", 12.5, 900.0))  # fmt: skip
    nan = np.nan
    rows = rows.assign(ttft_p50_ms=[100.0, 50.0, nan, nan, 9.0], ttft_p99_ms=[500.0, 60.0, nan, nan, 10.0])
    found = interactivity.first_tokens(rows)
    shown = found[["accelerator", "seconds_p50", "seconds_p99", "no log"]].to_numpy().tolist()
    assert shown == [["A", 0.1, 0.5, False], ["B", 2.0, 2.0, True]] and found.index.tolist() == [0, 1]
    assert interactivity.first_tokens(rows[rows["scenario"].eq("Server")])["seconds_p99"].tolist() == [0.01]
    older = rows.assign(round=["v6.0", "v6.0", "v6.1", "v6.1", "v6.1"])
    older = older.assign(rate_per_accelerator=[500.0, 200.0, 400.0, 90.0, 900.0])
    logged = interactivity.first_tokens(older)["seconds_p99"].tolist()
    assert logged[0] == 0.5  # a log counts, though the newest round has less throughput
    nothing = interactivity.first_tokens(frame(("A", "Offline", 0.0, 1.0)).assign(ttft_p99_ms=nan, ttft_p50_ms=nan))
    assert nothing.empty and "seconds_p99" in nothing


def inferencex(*runs):
    """Runs of (accelerator, precision, interactivity, throughput) with 1,024 tokens in and out, or so many in."""
    rows = [(*run, 1024)[:5] for run in runs]
    columns = ["accelerator", "precision", evidence.SPEED, evidence.THROUGHPUT, "prompt_tokens"]
    return pd.DataFrame(rows, columns=columns).assign(model="R1", answer_tokens=1024)


def test_inferencex_curves_are_upper_envelopes_at_one_length_of_the_pairs_with_most_runs(monkeypatch):
    """B200 in FP4 has two runs that none beats; of seven pairs the two with a single run are left out."""
    runs = [("B200", "fp4", 10, 9.0), ("B200", "fp4", 20, 5.0), ("B200", "fp4", 15, 4.0), ("B300", "fp4", 10, 9.0),
            ("H100", "fp4", 15, 9.0)]  # fmt: skip
    runs += [(name, "fp8", speed, 1.0) for name in ("H100", "H200", "MI300X", "MI355X") for speed in (10, 20)]
    runs = inferencex(*runs, ("B200", "fp4", 30, 9.0, 8192), ("B200", "bf16", 30, 9.0))
    monkeypatch.setattr(evidence, "inferencex_runs", lambda disaggregated: runs if not disaggregated else None)
    found = interactivity.inferencex_envelopes("R1")
    assert found[found["accelerator"].eq("B200")][["precision", evidence.SPEED]].values.tolist() == [
        ["FP4", 10],
        ["FP4", 20],
    ]
    shown = {"B200 FP4", "H100 FP8", "H200 FP8", "MI300X FP8", "MI355X FP8"}
    assert set(found["accelerator"] + " " + found["precision"]) == shown
    assert set(interactivity.inferencex_envelopes("R1", ["b300", "AMD"])["accelerator"]) == {"B300", "MI300X", "MI355X"}
    assert interactivity.inferencex_envelopes("R1", ["A100"]).empty and interactivity.inferencex_envelopes("R2").empty


def test_inferencex_by_lengths_is_interpolated_above_no_limit(monkeypatch):
    """Between 400 at 10 and 100 at 20 tokens/s are 200 at 15."""
    runs = inferencex(("B200", "fp4", 10, 400.0), ("B200", "fp4", 20, 100.0), ("B200", "fp4", 15, 50.0, 8192))
    monkeypatch.setattr(evidence, "inferencex_runs", lambda disaggregated: runs if not disaggregated else None)
    found = interactivity.inferencex_at("R1", [0.0, 15.0, 99.0])
    assert found["throughput"].tolist() == pytest.approx([200, 50]) and found.index.tolist() == [0, 1]
    assert found.drop(columns="throughput").values.tolist() == [
        ["B200", "FP4", tokens, 1024, 15] for tokens in (1024, 8192)
    ]
    for model, speeds, accelerators in (("R2", [15.0], ()), ("R1", [0.0], ()), ("R1", [15.0], ["TPU v6e"])):
        nothing = interactivity.inferencex_at(model, speeds, accelerators)
        assert nothing.empty and nothing.columns.equals(found.columns)
