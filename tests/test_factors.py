"""Factors of the derating: each on a few results, runs, or windows with answers by hand."""

import numpy as np
import pandas as pd
import pytest

from analysis import factors, tables

RESULT = {
    "id": "", "round": "v6.1", "benchmark": "gpt-oss-120b", "model": "GPT-OSS 120B", "scenario": "Server", "vendor": "",
    "submitter": "A", "system": "s", "accelerator": "B200", "kind": "gpu", "accelerator_count": 8.0, "nodes": 1,
    "precision": "fp4", "hypervisor": "", "power_capped": False, "rate": 80.0, "caveats": [],
}  # fmt: skip


@pytest.fixture
def record(monkeypatch):
    """Let the factors compare the given results instead of the record's."""

    def put(*rows):
        frame = pd.DataFrame([RESULT | row for row in rows])
        frame["id"] = [f"r{place}" for place in range(len(frame))]
        frame["rate_per_accelerator"] = frame["rate"] / frame["accelerator_count"]

        def comparable(*, benchmark, scenario):
            benchmarks, scenarios = ([each] if isinstance(each, str) else each for each in (benchmark, scenario))
            return frame[frame["benchmark"].isin(benchmarks) & frame["scenario"].isin(scenarios)]

        monkeypatch.setattr(factors, "comparable", comparable)

    return put


def offline(**row):
    return {"scenario": "Offline", "rate": 100.0} | row


def test_a_system_keeps_its_best_limited_over_its_best_offline_rate(record):
    record({"rate": 80.0}, {"rate": 70.0}, offline(rate=90.0), offline())
    assert factors.retained("gpt-oss-120b")["share"].tolist() == [0.8]


def test_several_benchmarks_and_scenarios_pair_with_their_own_offline(record):
    other = {"benchmark": "deepseek-r1"}
    fast = {"scenario": "Interactive", "rate": 20.0}
    record({}, fast, offline(), other | {"rate": 10.0}, offline(**other, rate=40.0))
    found = factors.retained(["gpt-oss-120b", "deepseek-r1"], ["Server", "Interactive"])
    assert found.set_index(["benchmark", "scenario"])["share"].to_dict() == {
        ("gpt-oss-120b", "Server"): 0.8, ("gpt-oss-120b", "Interactive"): 0.2, ("deepseek-r1", "Server"): 0.25,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("row", "pairs"),
    [
        ({"precision": "fp8"}, 0),  # another precision
        ({"precision": ""}, 1),  # not stated: may be the same
        ({"submitter": "B"}, 0),
        ({"round": "v6.0"}, 0),
        ({"benchmark": "deepseek-r1"}, 0),
        ({"system": "t"}, 0),
        ({"accelerator": "B300"}, 0),
        ({"accelerator_count": 4.0}, 0),
        ({"nodes": 2}, 0),
        ({"hypervisor": "KVM"}, 0),
        ({"caveats": ["tokens_assumed"]}, 0),
    ],
)
def test_only_runs_of_one_bare_metal_system_pair(record, row, pairs):
    record({}, offline(**row))
    found = factors.retained(["gpt-oss-120b", "deepseek-r1"])
    assert len(found) == pairs and "id_reference" not in found


def test_a_node_has_eight_gpus_and_a_rack_64_or_more(record):
    sizes = [
        ("B200", 8, 1, "gpu"), ("B200", 4, 1, "gpu"), ("B200", 16, 2, "gpu"), ("GB300", 72, 18, "gpu"),
        ("GB300", 64, 16, "gpu"), ("GB300", 4, 1, "gpu"), ("MI355X", 512, 64, "gpu"), ("Xeon", 8, 1, "cpu"),
    ]  # fmt: skip
    rows = [
        {"accelerator": name, "accelerator_count": float(count), "nodes": nodes, "kind": kind}
        for name, count, nodes, kind in sizes
    ]
    record(*rows, *[offline(**row) for row in rows])
    pairs, other = factors.retained("gpt-oss-120b"), "other"
    assert pairs["size"].tolist() == ["node", other, other, "rack", "rack", other, other, other]
    kept = factors.by_accelerator(pairs)  # those that no figure or factor has come last
    assert kept["size"].tolist() == ["node", "rack", *[other] * (len(kept) - 2)]


def test_an_accelerator_has_the_median_of_its_newest_round_and_the_range_of_all():
    rounds = ["v5.1", "v6.1", "v6.1", "v6.1", "v6.0", "v6.1", "v6.1"]
    pairs = pd.DataFrame(
        {
            "benchmark": "deepseek-r1", "model": "DeepSeek-R1", "scenario": ["Server"] * 6 + ["Interactive"],
            "vendor": ["NVIDIA"] * 5 + ["AMD"] * 2, "size": "node",
            "accelerator": ["B200"] * 4 + ["H200"] + ["MI355X"] * 2,
            "round": pd.Categorical(rounds, ["v5.1", "v6.0", "v6.1"], ordered=True),
            "share": [0.46, 0.9, 0.97, 0.98, 0.8, 0.7, 0.6],
        }
    )  # fmt: skip
    kept = factors.by_accelerator(pairs)
    assert kept.index.tolist() == [0, 1, 2, 3]
    kept = kept.set_index("accelerator")  # NVIDIA's first, oldest first as in data/accelerators.csv, the slowest first
    assert kept.index.tolist() == ["H200", "B200", "MI355X", "MI355X"]
    columns = ["model", "share", "low", "high", "systems", "round"]
    assert kept.loc["B200", columns].tolist() == ["DeepSeek-R1", 0.97, 0.46, 0.98, 4, "v6.1"]
    assert kept.loc["H200", "share"] == 0.8
    assert kept["limit"].tolist() == pytest.approx([12.5, 12.5, 12.5, 1000 / 15])  # 1,000 over 80 or 15 ms


def test_a_virtualized_result_is_compared_with_the_median_on_bare_metal(record):
    record(
        {"hypervisor": "KVM", "rate": 76.0}, {"rate": 70.0}, {"rate": 80.0}, {"rate": 99.0},
        {"rate": 10.0, "precision": "fp8"}, {"rate": 10.0, "round": "v6.0"}, {"rate": 10.0, "accelerator_count": 4.0},
        {"hypervisor": "KVM", "rate": 1.0, "kind": "cpu"}, {"hypervisor": "KVM", "rate": 1.0, "accelerator": "H200"},
        {"hypervisor": "KVM", "rate": 1.0, "power_capped": True}, {"rate": 10.0, "benchmark": "deepseek-r1"},
        {"rate": 10.0, "nodes": 2}, offline(hypervisor="KVM", rate=30.0), offline(rate=40.0),
    )  # fmt: skip
    assert factors.hypervisor()["share"].tolist() == [76 / 80, 30 / 40]


def test_networked_nodes_are_compared_with_one_node_of_eight(record):
    two = {"accelerator_count": 16.0, "nodes": 2}
    record(
        two | {"rate": 152.0}, {"rate": 80.0}, {"accelerator_count": 4.0, "rate": 10.0},
        two | {"accelerator": "GB300"}, {"accelerator": "GB300"}, two | {"hypervisor": "KVM"},
        {"rate": 8.0, "power_capped": True}, {"rate": 8.0, "round": "v6.0"}, {"rate": 8.0, "benchmark": "deepseek-r1"},
        {"rate": 8.0, "hypervisor": "KVM"}, {"accelerator_count": 16.0, "rate": 16.0},
        {"rate": 8.0, "precision": "fp8"}, {"rate": 8.0, "accelerator": "H200"},
    )  # fmt: skip
    assert factors.networked("Server")["share"].tolist() == [(152 / 16) / (80 / 8)]


def test_serving_stacks_are_compared_at_equal_settings_and_dates_and_each_curve_counts_once(monkeypatch):
    run = {
        "source_id": "inferencex-points", "model": "M", "checkpoint": "o/m", "accelerator": "B200", "precision": "fp8",
        "gpus": 8, "prompt_tokens": 1024, "answer_tokens": 1024, "concurrency": 64, "engine": "vLLM",
        "disaggregated": False, "unfinished": False, "measured": "2025-10-29", "tpot_ms": 9.0,
        "output_tokens_per_second_per_gpu": 90.0,
    }  # fmt: skip
    tensorrt = {"engine": "TensorRT-LLM", "output_tokens_per_second_per_gpu": 100.0}
    half, low, high, better = ({"output_tokens_per_second_per_gpu": rate} for rate in (50.0, 70.0, 120.0, 500.0))
    rows = [
        {}, {"output_tokens_per_second_per_gpu": 60.0}, tensorrt, better | {"unfinished": True},
        better | {"disaggregated": True}, better | {"source_id": "other"}, {"concurrency": 32},
        tensorrt | {"concurrency": 16}, better | {"measured": "2026-03-01"},
        *[each | {"measured": ""} for each in (better, tensorrt)],
        *[each | {"concurrency": 4} for each in (low, tensorrt)],
        *[each | {"concurrency": 8} for each in (high, tensorrt)],
        *[each | {"gpus": 4} for each in (half, tensorrt)],
        better | {"model": "N"}, better | {"checkpoint": "o/n"}, better | {"accelerator": "B300"},
        better | {"precision": "fp4"}, better | {"prompt_tokens": 8192}, better | {"answer_tokens": 8192},
    ]  # fmt: skip
    monkeypatch.setattr(
        tables, "load", lambda name: pd.DataFrame([run | row for row in rows]).assign(ttft_ms=range(len(rows)))
    )
    found = factors.serving_stack().set_index("gpus")
    assert found["share"].to_dict() == pytest.approx({4: 0.5, 8: 0.9})  # of eight: the median of 0.7, 0.9, and 1.2


def test_load_of_a_day_in_three_hours():
    # Hours of 1, 2, and 4 requests/s, each with one window half as high again; the first has a gap.
    rate = np.array([0, 1, 1, 1, 1, 1.5, 2, 2, 2, 2, 2, 3, 4, 4, 4, 4, 4, 6], float)
    rates = pd.DataFrame({"service": "s", "seconds": np.arange(18) * 600, "requests_per_second": rate})
    seen = rate[1:]
    peaks = factors.load_factors(rates).loc["s"]
    assert peaks["fixed"] == pytest.approx(seen.mean() / np.quantile(seen, 0.99))
    # The hour with a gap plans no other: only the third hour is planned, by the second's mean of 13/6.
    third = np.array([4, 4, 4, 4, 4, 6])
    assert peaks["hourly"] == pytest.approx(third.mean() / np.quantile(third, 0.99))
    # Over the means of their hours, 5.5/5, 13/6, and 26/6: the peaks are 1.3636, 1.3846, 1.3846.
    within = np.concatenate([rate[1:6] / 1.1, rate[6:12] / (13 / 6), rate[12:] / (26 / 6)])
    assert peaks["foreseen"] == pytest.approx(1 / np.quantile(within, 0.99))
    highest = factors.load_factors(rates, quantile=1).loc["s"]
    assert highest.tolist() == pytest.approx([seen.mean() / 6, (26 / 6) / 6, (13 / 6) / 3])
    whole = factors.load_factors(rates, gaps=False).loc["s"]
    assert whole["fixed"] == pytest.approx(rate.mean() / np.quantile(rate, 0.99))
    ratios = np.concatenate([rate[6:12] / (5.5 / 6), rate[12:] / (13 / 6)])  # both hours are planned
    planned = rate[6:].mean() / (np.quantile(ratios, 0.99) * (5.5 / 6 + 13 / 6) / 2)
    assert whole["hourly"] == pytest.approx(planned)


def test_an_hour_without_requests_plans_no_other():
    """Of hours at 0, 4, and 3 requests/s only the third is planned, by the second's 4: the margin is 3/4."""
    rates = pd.DataFrame(
        {"service": "s", "seconds": np.arange(18) * 600, "requests_per_second": [0.0] * 6 + [4.0] * 6 + [3.0] * 6}
    )
    other = pd.DataFrame(  # hours at 2, 2, 8, and 8: a margin of 4 over a mean of 4, for a mean of 6
        {"service": "t", "seconds": np.arange(24) * 600, "requests_per_second": np.repeat([2.0, 2.0, 8.0, 8.0], 6)}
    )
    found = factors.load_factors(pd.concat([rates, other]), gaps=False)
    assert found["hourly"].to_dict() == pytest.approx({"s": 1, "t": 6 / (4 * 4)})
    assert found["foreseen"].tolist() == pytest.approx([1, 1])  # no window is above the mean of its own hour
    assert np.isnan(factors.load_factors(rates[:12], gaps=False).at["s", "hourly"])


def test_spares_follow_from_failures(monkeypatch):
    """One failure in 1,000 accelerators and 10 days: of 10 nodes of eight, each down for a day, 0.008 are down.

    P(none down) = exp(-0.008) = 0.992; with one spare of 11, P(at most one) = exp(-0.0088) x 1.0088 = 0.99996.
    """
    columns = ["events", "accelerators", "days", "out_of_service"]
    failures = pd.DataFrame([(1.0, 1000.0, 10.0, True), (99.0, 1000.0, 10.0, False)], columns=columns)
    monkeypatch.setattr(tables, "load", lambda name: failures)
    assert [factors.spares(*asked) for asked in ((1, 1), (2, 1), (10, 1), (5, 10), (10, 10), (50, 10))] == [
        0,
        1,
        1,
        2,
        2,
        3,
    ]


@pytest.mark.parametrize(
    ("service", "peak", "percentile"),
    [("m-large", 2.98, 2.08), ("m-mid", 1.84, 1.75), ("m-small", 3.24, 1.98), ("deepseek-r1", 2.66, 2.45)],
)
def test_public_services_peak_as_their_collector_states(service, peak, percentile):
    for quantile, expected in ((1, peak), (0.99, percentile)):
        found = factors.load_factors(tables.load("traffic_rates"), quantile=quantile)
        assert round(1 / found.at[service, "fixed"], 2) == expected
