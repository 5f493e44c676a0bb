"""Factors from Offline to delivered: each on a few results or windows with answers by hand, and the shipped table."""

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, bursts, derating, factors, interactivity, tables
from analysis.planner import curve
from analysis.results import timed_benchmarks

RESULT = {
    "id": "", "round": "v6.1", "benchmark": "gpt-oss-120b", "model": "GPT-OSS 120B", "scenario": "Server", "vendor": "",
    "submitter": "A", "system": "s", "accelerator": "B200", "kind": "gpu", "accelerator_count": 8.0, "nodes": 1,
    "precision": "fp4", "hypervisor": "", "power_capped": False, "rate": 80.0, "caveats": [],
}  # fmt: skip


@pytest.fixture
def record(monkeypatch):
    """Let derating compare the given results instead of the record's."""

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
    record({"rate": 70.0}, {"rate": 80.0}, offline(rate=90.0), offline())
    assert factors.retained("gpt-oss-120b")["share"].tolist() == [0.8]


def test_several_benchmarks_and_scenarios_pair_with_their_own_offline(record):
    other = {"benchmark": "deepseek-r1"}
    record(
        {}, {"scenario": "Interactive", "rate": 20.0}, offline(), other | {"rate": 10.0}, offline(**other, rate=40.0)
    )
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
        ({"accelerator_count": 4.0}, 0),
        ({"hypervisor": "KVM"}, 0),
        ({"caveats": ["tokens_assumed"]}, 0),
    ],
)
def test_only_runs_of_one_bare_metal_system_pair(record, row, pairs):
    record({}, offline(**row))
    assert len(factors.retained("gpt-oss-120b")) == pairs


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
    pairs = pd.DataFrame(
        {
            "benchmark": "deepseek-r1", "model": "DeepSeek-R1", "scenario": "Server", "vendor": "NVIDIA",
            "size": "node", "accelerator": ["B200"] * 4 + ["H200"],
            "round": pd.Categorical(["v5.1", "v6.1", "v6.1", "v6.1", "v6.0"], ["v5.1", "v6.0", "v6.1"], ordered=True),
            "share": [0.46, 0.9, 0.97, 0.98, 0.8],
        }
    )  # fmt: skip
    kept = factors.by_accelerator(pairs).set_index("accelerator")
    assert kept.index.tolist() == ["H200", "B200"]  # oldest first, as in data/accelerators.csv
    assert kept.loc["B200", ["share", "low", "high", "systems", "round"]].tolist() == [0.97, 0.46, 0.98, 4, "v6.1"]
    assert kept.loc["H200", "share"] == 0.8
    assert kept["limit"].tolist() == [12.5, 12.5]  # 1,000 over the limit of 80 ms


def test_a_virtualized_result_is_compared_with_the_median_on_bare_metal(record):
    record(
        {"hypervisor": "KVM", "rate": 76.0}, {"rate": 70.0}, {"rate": 80.0}, {"rate": 90.0},
        {"rate": 10.0, "precision": "fp8"}, {"rate": 10.0, "round": "v6.0"}, {"rate": 10.0, "accelerator_count": 4.0},
        {"hypervisor": "KVM", "rate": 1.0, "kind": "cpu"}, {"hypervisor": "KVM", "rate": 1.0, "accelerator": "H200"},
    )  # fmt: skip
    assert factors.hypervisor()["share"].tolist() == [76 / 80]


def test_networked_nodes_are_compared_with_one_node_of_eight(record):
    two = {"accelerator_count": 16.0, "nodes": 2}
    record(
        two | {"rate": 152.0}, {"rate": 80.0}, {"accelerator_count": 4.0, "rate": 10.0},
        two | {"accelerator": "GB300"}, {"accelerator": "GB300"}, two | {"hypervisor": "KVM"},
        {"rate": 8.0, "power_capped": True},
    )  # fmt: skip
    assert factors.networked()["share"].tolist() == [(152 / 16) / (80 / 8)]


def test_serving_stacks_are_compared_at_equal_settings_and_dates_and_each_curve_counts_once(monkeypatch):
    run = {
        "source_id": "inferencex-points", "model": "M", "checkpoint": "o/m", "accelerator": "B200", "precision": "fp8",
        "gpus": 8, "prompt_tokens": 1024, "answer_tokens": 1024, "concurrency": 64, "engine": "vLLM",
        "disaggregated": False, "unfinished": False, "measured": "2025-10-29", "output_tokens_per_second_per_gpu": 90.0,
    }  # fmt: skip
    tensorrt = {"engine": "TensorRT-LLM", "output_tokens_per_second_per_gpu": 100.0}
    better = {"output_tokens_per_second_per_gpu": 500.0}
    rows = [
        {}, {"output_tokens_per_second_per_gpu": 60.0}, tensorrt, better | {"unfinished": True},
        better | {"disaggregated": True}, better | {"source_id": "other"}, {"concurrency": 32},
        tensorrt | {"concurrency": 16}, better | {"measured": "2026-03-01"}, better | {"measured": ""},
        *[each | {"concurrency": 8, "output_tokens_per_second_per_gpu": 70.0} for each in ({}, tensorrt)],
        *[each | {"gpus": 4} for each in ({}, tensorrt)],
    ]  # fmt: skip
    monkeypatch.setattr(tables, "load", lambda name: pd.DataFrame([run | row for row in rows]))
    found = factors.serving_stack().set_index("gpus")
    assert found["share"].to_dict() == pytest.approx({4: 0.9, 8: 0.95})  # of eight: the median of 0.9 and 1
    assert found["pairs"].to_dict() == {4: 1, 8: 2}


FACTORS = {"serving stack": 0.8, "hypervisor": 0.9, "networked nodes": 0.5, "bursts": 0.7, derating.LOAD: 0.5,
           "spare node": 0.6}  # fmt: skip


@pytest.fixture
def halves(monkeypatch):
    """Let each step have the factor of FACTORS, from half to twice as much."""
    rows = pd.DataFrame({"step": [*FACTORS], "median": [*FACTORS.values()]})
    rows = rows.assign(p10=rows["median"] / 2, p90=rows["median"] * 2, use="chat", system="", fleet="")
    rows.loc[:2, ["use", "system"]] = ["", "node"]
    other = rows[rows["step"].isin(["bursts", derating.LOAD])].assign(median=9.0, fleet="pooled")
    limit = rows.tail(1).assign(step="latency limit", median=9.0, system="TensorRT-LLM node")
    delivered, loaded = pd.concat([rows, other, limit], ignore_index=True), tables.load
    monkeypatch.setattr(tables, "load", lambda name: delivered if name == "delivered" else loaded(name))


NODE = {"accelerator": "B200", "interactivity": 25.0, "stack": "TensorRT-LLM", "hypervisor": "", "nodes": 1}
CHAT = 0.7 * 0.5 * 0.6  # bursts, load, spare node


@pytest.mark.parametrize(
    ("result", "stack", "share", "unstated"),
    [
        ({}, "vLLM", 0.8 * 0.9 * 0.5 * CHAT, 1),
        ({}, "as submitted", 0.9 * 0.5 * CHAT, 1),
        ({"stack": "vLLM"}, "vLLM", 0.9 * 0.5 * CHAT, 1),
        ({"stack": "SGLang"}, "vLLM, unstated moved", 0.9 * 0.5 * CHAT, 1),
        ({"stack": ""}, "vLLM", 0.9 * 0.5 * CHAT, 0.8),  # a range, no guess
        ({"stack": ""}, "as submitted", 0.9 * 0.5 * CHAT, 1),
        ({"stack": ""}, "vLLM, unstated moved", 0.8 * 0.9 * 0.5 * CHAT, 1),
        ({"hypervisor": "KVM"}, "vLLM", 0.8 * 0.5 * CHAT, 1),
        ({"nodes": 2}, "vLLM", 0.8 * 0.9 * CHAT, 1),
        ({"interactivity": 0.0}, "vLLM", 0.8 * 0.9 * 0.5, 1),
        ({"accelerator": "GB300"}, "vLLM", CHAT, 1),
        ({"accelerator": "GB300", "stack": ""}, "vLLM", CHAT, 1),
        ({"accelerator": "GB300", "stack": "", "interactivity": 0.0}, "vLLM, unstated moved", 1, 1),
    ],
)
def test_a_factor_applies_only_to_a_result_that_does_not_hold_it(halves, result, stack, share, unstated):
    row = derating.served(pd.DataFrame([NODE | {"stack": "vLLM"}, NODE | result]), stack=stack).loc[1]
    applied = row[[*FACTORS]].dropna()
    assert (row["share"], row["unstated"]) == pytest.approx((share, unstated))
    assert applied.prod() == pytest.approx(share)
    # Each factor is uncertain by a factor of two, and so is that of a stack that is not stated.
    n = len(applied)
    assert row["high"] == pytest.approx(share * 2 ** np.sqrt(n))
    assert row["low"] == pytest.approx(share * unstated / 2 ** np.sqrt(n + (unstated < 1)))
    assert row["busy"] * (CHAT if "bursts" in applied else 1) == pytest.approx(share)
    assert row["peak"] == pytest.approx(2 if "bursts" in applied else 1)


def test_between_two_results_the_share_moves_as_the_throughput_does(halves, monkeypatch):
    results = pd.DataFrame([NODE, NODE | {"stack": "vLLM"}]).assign(id=["a", "b"], rate_per_accelerator=[100.0, 1.0])
    monkeypatch.setattr(derating, "load_results", lambda: results)
    points = pd.DataFrame({"accelerator": "B200", "interactivity": 25.0, "throughput": [100.0, 10.0, 1.0, 0.5, 5.0]})
    points = points.assign(slower_id=["", "a", "a", "a", ""], id=["a", "b", "b", "b", ""])
    found = derating.served_at(points)
    stacks = found["share"] / (0.9 * 0.5 * CHAT)
    assert stacks.tolist() == pytest.approx([0.8, 0.8**0.5, 1, 1, 1])
    assert found["unstated"].tolist() == [1, 1, 1, 1, 0.8]  # what rests on no result states no stack
    assert found["hypervisor"].tolist() == pytest.approx([0.9] * 5)
    assert derating.served_at(points.drop(columns=["slower_id", "id"]))["unstated"].eq(0.8).all()


def test_the_factors_of_four_results_of_the_record():
    """GPT-OSS Server and Interactive of v6.x: MI355X states no stack, H200 ran llm-d under KVM, B200 TensorRT-LLM."""
    rows = interactivity.runs("gpt-oss-120b")
    at = curve.throughput_at(rows, [12.5, 25.0]).set_index(["accelerator", "interactivity"], drop=False)
    names = ["bursts", derating.LOAD, "spare node", "networked nodes", "hypervisor", "serving stack"]
    table = tables.load("delivered").query("use in ['chat', ''] and fleet in ['fixed', ''] and system in ['node', '']")
    each = table.drop_duplicates("step").set_index("step")["median"][names]
    one = {  # multiplied by hand from data/delivered.csv
        ("MI355X", 25.0): each[:5].prod(), ("B200", 25.0): each.prod(), ("GB300", 25.0): each[:3].prod(),
        ("H200", 12.5): each[:4].prod(),
    }  # fmt: skip
    found = derating.served_at(at)
    assert found.loc[[*one], "share"].tolist() == pytest.approx([*one.values()])
    assert one["MI355X", 25.0] == pytest.approx(0.367, abs=5e-4) and one["B200", 25.0] == pytest.approx(0.322, abs=5e-4)
    assert found.loc[("MI355X", 25.0), "unstated"] == each["serving stack"] == pytest.approx(0.879, abs=5e-4)
    moved = derating.served_at(at, stack="vLLM, unstated moved").loc[("MI355X", 25.0), "share"]
    assert moved == pytest.approx(one["B200", 25.0])


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
    assert factors.load_factors(rates, gaps=False).loc["s", "fixed"] == pytest.approx(
        rate.mean() / np.quantile(rate, 0.99)
    )


def test_a_chain_ends_at_the_product_of_the_factors_that_apply():
    for use, fleet in [("batch", "fixed"), ("chat", "fixed"), ("interactive", "pooled")]:
        for kind, rows in derating.chain(use, fleet).groupby("kind", sort=False):
            named = rows.set_index("step")["median"]
            busy = [step for step in derating.BUSY if named[step] > 0]
            assert named["busy"] == pytest.approx(named[busy].prod())
            assert named["delivered"] == pytest.approx(named[derating.STEPS].prod())
            rack, batch = kind == "rack", use == "batch"
            assert named[["hypervisor", "networked nodes"]].isna().tolist() == [rack, rack]
            assert named[["latency limit", "bursts", derating.LOAD, "spare node"]].isna().tolist() == [batch] * 4
            assert (named["serving stack"] > 0) == (kind in ("TensorRT-LLM node to vLLM", "unstated node"))
    pooled, alone = (
        derating.chain(fleet=name).set_index("step")["median"]["bursts"].max() for name in ("pooled", "fixed")
    )
    assert pooled > alone


def test_a_node_that_states_no_stack_has_a_range():
    rows = derating.chain().set_index(["kind", "step"])
    factor = rows.loc[("TensorRT-LLM node to vLLM", "serving stack"), "median"]
    own = rows.loc["unstated node"]
    assert own.loc["serving stack", ["median", "p10", "p90"]].tolist() == [1, factor, 1]
    assert own.loc["delivered", "p10"] < factor * own.loc["delivered", "median"] < own.loc["delivered", "median"]


def test_shares_fall_with_the_limit_and_rise_with_foresight():
    rows = derating.outcomes().set_index(["kind", "use", "fleet"])["median"]
    assert rows.index.is_unique
    for kind, share in rows.groupby(level="kind"):
        share = share.droplevel("kind")
        for use in {"chat", "interactive"} & {*share.index.get_level_values("use")}:
            fleets = [share[use, fleet] for fleet in ("fixed", "hourly", "foreseen", "pooled", "busy")]
            assert fleets == sorted(fleets) and fleets[-1] < share["batch", "busy"] <= 1
        assert kind == "vLLM node" or share["interactive", "fixed"] < share["chat", "fixed"]


def test_spares_follow_from_failures(monkeypatch):
    """One failure in 1,000 accelerators and 10 days: of 8 nodes of 10, each down for 2 days, 0.016 are down."""
    failures = pd.DataFrame(
        {"events": [1.0, 99.0], "accelerators": 1000.0, "days": 10.0, "out_of_service": [True, False]}
    )
    monkeypatch.setattr(tables, "load", lambda name: failures)
    # P(none down) = exp(-0.016) = 0.984; with one spare of 9, P(at most one) = exp(-0.018) x 1.018 = 0.99984.
    assert [factors.spares(8, 2, 10, enough) for enough in (0.98, 0.99, 0.9999)] == [0, 1, 2]
    monkeypatch.undo()
    shares = {n: [factors.spares(n, days) / n for days in derating.REPAIR] for n in (8, 128)}
    assert shares == {8: [0.125, 0.25, 0.375], 128: [3 / 128, 6 / 128, 10 / 128]}
    spare = derating.chain(fleet_nodes=128).set_index("step").loc["spare node"].iloc[0]
    assert spare["median"] == pytest.approx(128 / 134) and spare["counted"] == "times to repair"
    assert derating.chain().set_index("step").loc["spare node", "median"].iloc[0] == pytest.approx(8 / 9, abs=1e-4)


def test_unknown_names_and_what_nobody_ran_are_told(monkeypatch):
    with pytest.raises(ValueError, match="no use 'chats': did you mean 'chat'"):
        derating.chain("chats")
    with pytest.raises(ValueError, match="no fleet 'elastic'"):
        derating.chain(fleet="elastic")
    with pytest.raises(ValueError, match="no benchmark 'nope'"):
        derating.chain(benchmarks=["nope"])
    monkeypatch.setattr(bursts, "over_poisson", lambda *asked: np.array([0.9]))
    with pytest.raises(NoData, match="ResNet-50: factors are of models"):
        derating.chain("batch", benchmarks=["resnet50"])
    with pytest.raises(NoData, match="in Interactive of Mixtral 8x7B"):
        derating.chain("interactive", benchmarks=["mixtral-8x7b"])
    mixtral = derating.chain(benchmarks="Mixtral 8x7B")
    assert "rack" not in set(mixtral["kind"]) and mixtral["median"].max() <= 1.0


def write(path, arrivals, tokens):
    pd.DataFrame({"arrival_seconds": arrivals, "answer_tokens": tokens}).to_csv(path, index=False)
    return path


def test_an_own_trace_of_a_day_brings_its_bursts_and_its_peak(tmp_path, monkeypatch):
    monkeypatch.setattr(bursts, "over_poisson", lambda *asked: np.array([0.9]))
    hour = np.arange(0, 3600, 10.0)
    day = np.concatenate([hour + 3600 * turn for turn in range(24) for _ in range(1 if turn < 18 else 3)])
    own = derating.chain(trace=write(tmp_path / "day.csv", day, 100))
    rows = own[own["kind"].eq("rack")].set_index("step")
    # 18 hours at one rate, 6 at three times as much: a mean of 1.5 over a peak of 3.
    assert rows.loc[derating.LOAD, ["median", "source", "n"]].tolist() == [0.5, "day.csv", 1]
    assert rows.loc["bursts", ["median", "source"]].tolist() == [0.9, "day.csv"]
    assert rows.loc["delivered", "median"] == pytest.approx(rows.loc["busy", "median"] * 0.9 * 0.5 * 8 / 9, rel=1e-3)
    highest = derating.loads(tmp_path / "day.csv", quantile=1)["fixed"].median()
    assert highest == pytest.approx(0.5)  # its busiest ten minutes are as busy as the next
    short = derating.chain(trace=write(tmp_path / "hour.csv", hour, 100)).set_index("step")
    assert set(short.loc[derating.LOAD, "source"]) == {"ServeGen"}
    recorded, seen = (derating.loads(quantile=quantile)["fixed"].median() for quantile in (1, 0.99))
    assert recorded < 0.9 * seen


def test_a_night_without_requests_counts_in_an_own_trace(tmp_path, monkeypatch):
    monkeypatch.setattr(bursts, "over_poisson", lambda *asked: np.array([1.0]))
    busy = np.append(np.arange(0, 43_200, 10.0), 86_399)
    assert derating.loads(write(tmp_path / "half.csv", busy, 100))["fixed"].tolist() == pytest.approx([0.5], abs=0.01)


def test_the_shipped_table_is_what_the_code_computes():
    computed = derating.computed.__wrapped__()
    pd.testing.assert_frame_equal(computed, tables.load("delivered"), atol=6e-5, check_dtype=False)


@pytest.mark.slow
def test_shipped_bursts_are_what_the_simulation_gives_for_each_pair_of_limits():
    shipped = tables.load("burst_factors")
    own = shipped[shipped["tpot_ms"].eq(15) & shipped["ttft_ms"].eq(1500)].reset_index(drop=True)
    pd.testing.assert_frame_equal(bursts.simulated(15.0, 1500.0), own, atol=1e-6, check_dtype=False)
    for benchmark in timed_benchmarks():
        for use in ("chat", "interactive"):
            limits = [derating._limit([benchmark], use, name) for name in ("tpot_p99_limit", "ttft_p99_limit")]
            there = shipped["tpot_ms"].eq(limits[0]) & shipped["ttft_ms"].eq(limits[1])
            assert there.any() or np.isnan(limits).any()


def test_an_edited_trace_is_read_again(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(derating, "_values", lambda benchmarks, trace: read.append(trace) or [
        ("", "", "", "serving stack", np.array([0.5]), 1, "pairs of runs")])  # fmt: skip
    file = tmp_path / "mine.csv"
    for text in ("one", "one", "another"):
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
        derating.shares(trace=file)
    assert len(read) == 2


def test_the_models_with_the_tightest_limit_count_by_default(monkeypatch):
    """Of limits of 15, 40, and 15 ms in Interactive both of 15 count; a limit of 10 in Server does not."""
    assert derating.limited_models(["GPT-OSS 120B", "gpt-oss-120b"]) == ("gpt-oss-120b",)
    both = [("new", "Interactive"), ("llama2-70b", "Interactive"), ("deepseek-r1", "Interactive"), ("gptj", "Server")]
    index = pd.MultiIndex.from_tuples(both, names=["benchmark", "scenario"])
    monkeypatch.setattr(derating, "rule_limits", lambda name: pd.Series([15.0, 40.0, 15.0, 10.0], index))
    assert derating.limited_models() == ("deepseek-r1", "new")
