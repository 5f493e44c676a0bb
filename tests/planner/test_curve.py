"""One curve: measured, interpolated, and estimated throughput by hand, and its error bands."""

import itertools
from copy import copy
from functools import cache

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, comparable, current, interactivity, tables
from analysis.current import carry_error
from analysis.planner import curve, decoding, prediction
from analysis.planner.curve import ESTIMATED, INTERPOLATED, MEASURED, throughput_at
from analysis.results import timed_benchmarks

OFFLINE, SERVER, INTERACTIVE = 12_000.0, 10_000.0, 2_500.0  # tokens/s per accelerator of the hand's runs


def runs(*changed, accelerator="B200"):
    """Offline, Server at its limit, and Interactive with a log of 80 tokens/s per user; `changed` are further runs."""
    rows = [("Offline", 0.0, OFFLINE), ("Server", 12.5, SERVER), ("Interactive", 80.0, INTERACTIVE), *changed]
    frame = pd.DataFrame(rows, columns=["scenario", "interactivity", "rate_per_accelerator"])
    facts = {"benchmark": "gpt-oss-120b", "accelerator": accelerator, "accelerator_count": 8.0, "hypervisor": ""}
    facts |= {"availability": "available", "round": "v6.1", "submitter": "s", "system": "box", "precision": "fp4"}
    facts |= {"framework": "TensorRT", "serving_software": "", "accuracy_percent": 100.0}
    return frame.assign(**facts, id=[f"r{place}" for place in range(len(frame))])


def at(rows, *speeds, **asked):
    found = throughput_at(rows, list(speeds), **asked).set_index("interactivity")
    return found.loc[list(speeds)]


def test_a_run_measures_from_its_scenario_s_limit_to_its_own_interactivity():
    found = at(runs(), 0, 12.5, 66.7, 80)
    assert found["throughput"].tolist() == [OFFLINE, SERVER, INTERACTIVE, INTERACTIVE]
    assert found["evidence"].eq(MEASURED).all()
    assert found["id"].tolist() == ["r0", "r1", "r2", "r2"] and found["slower_id"].eq("").all()


def test_a_precision_that_cannot_be_right_counts_as_that_of_most_runs():
    rows = runs(("Offline", 0.0, 11_000.0), ("Offline", 0.0, 10_000.0))
    rows.loc[rows["scenario"].eq("Interactive"), "precision"] = "fp8"  # GPT-OSS is published in MXFP4 alone
    assert at(rows, 80.0)["precision"].tolist() == ["fp4"]


def test_between_scenarios_the_logarithm_is_linear():
    """Half-way from 0 to 12.5 the geometric mean of Offline and Server; a quarter of the way to 66.67 likewise."""
    quarter = 12.5 + (1000 / 15 - 12.5) / 4
    found = at(runs(), 6.25, quarter)
    assert found["evidence"].eq(INTERPOLATED).all()
    assert found[["slower_id", "id"]].to_numpy().tolist() == [["r0", "r1"], ["r1", "r2"]]
    assert found["throughput"].iloc[0] == pytest.approx((OFFLINE * SERVER) ** 0.5)
    assert found["throughput"].iloc[1] == pytest.approx(SERVER**0.75 * INTERACTIVE**0.25)
    assert found["lower"].tolist() == [SERVER, INTERACTIVE] and found["upper"].tolist() == [OFFLINE, OFFLINE]


def test_a_run_above_the_line_bends_the_curve_and_one_below_does_not():
    """The line at 30 has 6,390. A Server run with 9,000 at 31 lies above it, one with 4,000 below."""
    above, below = runs(("Server", 31.0, 9_000.0)), runs(("Server", 31.0, 4_000.0))
    found = at(above, 31.0).iloc[0]
    assert (found["throughput"], found["evidence"], found["id"]) == (9_000.0, MEASURED, "r3")
    half = at(above, (12.5 + 31.0) / 2).iloc[0]
    assert half["throughput"] == pytest.approx((SERVER * 9_000.0) ** 0.5) and half["evidence"] == INTERPOLATED
    same = [at(rows, 31.0, 25.0)["throughput"].tolist() for rows in (below, runs())]
    assert same[0] == same[1]


def test_beyond_the_fastest_run_the_decoding_model_continues_until_the_roof():
    found = at(runs(), 100.0, 1e6)
    assert found["evidence"].tolist() == [ESTIMATED, ""] and found["throughput"].iloc[0] < INTERACTIVE
    assert found["reason"].iloc[1] == curve.TOO_FAST and np.isnan(found["throughput"].iloc[1])
    assert found["roof"].iloc[0] < 1e6


def test_where_no_run_is_so_fast_the_estimate_is_offline_times_the_share_of_others():
    rows = runs().iloc[:2]
    found = at(rows, 66.7, 30.0)
    expected = prediction.estimates("gpt-oss-120b", pd.DataFrame({
        "accelerator": ["B200"], "accelerator_count": [8.0], "round": ["v6.1"], "submitter": ["s"],
        "precision": ["fp4"],
        "software": ["tensorrt"], "offline": [OFFLINE]})).set_index("scenario")  # fmt: skip
    assert expected["question"].eq(prediction.KNOWN).all()
    assert found["throughput"].iloc[0] == pytest.approx(expected.at["Interactive", "throughput"])
    assert found["evidence"].eq(ESTIMATED).all() and SERVER > found["throughput"].iloc[1] > found["throughput"].iloc[0]


def test_bands_are_those_of_the_errors_on_the_record():
    measured, between = at(runs(), 12.5, 40.0).itertuples()
    low, high = prediction.error_of(prediction.OTHER_SYSTEM, "gpt-oss-120b", "Server")[["low", "high"]]
    assert (measured.low, measured.high) == pytest.approx((SERVER * low, SERVER * high))
    assert between.low < between.throughput < between.high <= between.upper
    asked = [
        (prediction.OTHER_SYSTEM, "Server"),
        (prediction.OTHER_SYSTEM, "Interactive"),
        (prediction.BETWEEN, "Server"),
    ]
    errors = np.log(
        [prediction.error_of(name, "gpt-oss-120b", scenario)[["low", "high"]].astype(float) for name, scenario in asked]
    )
    low, high = np.minimum(errors[:, 0], 0), np.maximum(errors[:, 1], 0)  # of curves between runs even P10 is above 1
    assert np.log(between.throughput / between.low) == pytest.approx(np.linalg.norm(low))
    assert np.log(between.high / between.throughput) == pytest.approx(np.linalg.norm(high))


def test_an_accelerator_without_a_datasheet_has_what_it_ran_and_a_reason_beyond():
    found = at(runs(accelerator="New part"), 12.5, 30.0, 200.0)
    assert found["evidence"].tolist() == [MEASURED, INTERPOLATED, ""]
    assert found["reason"].iloc[2] == curve.NO_DATASHEET
    named = throughput_at(runs(), 12.5, accelerators=["Newer part"]).set_index("accelerator").loc["Newer part"]
    assert np.isnan(named["throughput"]) and (named["evidence"], named["reason"]) == ("", curve.NO_DATASHEET)


def test_an_accelerator_without_a_run_is_estimated_from_others():
    found = throughput_at(runs(), [0, 12.5, 25.0], accelerators=["H100"])
    h100 = found[found["accelerator"].eq("H100")]
    assert h100["evidence"].eq(ESTIMATED).all() and h100["throughput"].is_monotonic_decreasing
    assert (h100["high"] / h100["low"]).min() > 1.5


def test_another_model_and_other_lengths_scale_the_curve_and_widen_its_band():
    rows = interactivity.runs("llama2-70b")
    own = at(rows[rows["accelerator"].eq("H200")], 12.5).iloc[0]
    half = curve.workload(parameters=35.0, name="Half")
    assert half.model.benchmark == "llama2-70b"
    found = at(rows[rows["accelerator"].eq("H200")], 12.5, workload=half).iloc[0]
    assert found["evidence"] == ESTIMATED and 1.5 < found["throughput"] / own["throughput"] < 3.5
    assert found["high"] / found["low"] > own["high"] / own["low"]
    same = at(rows[rows["accelerator"].eq("H200")], 12.5, workload=curve.workload("llama2-70b")).iloc[0]
    assert same["throughput"] == own["throughput"] and same["evidence"] == own["evidence"]
    long = curve.workload("llama2-70b", prompt_tokens=3500.0)
    assert at(rows[rows["accelerator"].eq("H200")], 12.5, workload=long).iloc[0]["throughput"] < own["throughput"]


def test_weights_of_another_precision_are_read_and_computed_in_it():
    """H100 computes FP16 at half the rate of FP8, so the throughput under a loose limit about halves."""
    rows = interactivity.runs("llama2-70b")
    rows = rows[rows["accelerator"].eq("H100")]
    own = at(rows, 5.0).iloc[0]
    wide, same = (
        at(rows, 5.0, workload=curve.workload("llama2-70b", precision=name)).iloc[0] for name in ("fp16", "fp8")
    )
    assert wide["evidence"] == ESTIMATED and 0.4 < wide["throughput"] / own["throughput"] < 0.6
    assert (same["throughput"], same["evidence"]) == (own["throughput"], MEASURED)


def test_another_model_never_has_more_throughput_for_faster_users():
    """H200 holds few requests beside the weights of DeepSeek-R1, so the ratio to a smaller model leaps at 25 to 35.

    Slower users are looked at in steps of a sixth, between which a curve may fall by a thousandth and rise again.
    """
    small = curve.workload(parameters=235.0, active_parameters=22.0)
    rows = interactivity.runs(small.grounds)
    found = throughput_at(rows, np.geomspace(2, 90, 15), accelerators=["H200"], workload=small)
    rates = found.dropna(subset="throughput").pivot(index="interactivity", columns="accelerator", values="throughput")
    assert {"H200", "B200", "GB300"} <= set(rates) and (rates.diff().fillna(0) <= 2e-3 * rates).all(axis=None)


NAMES = ["H100", "H200", "B200", "B300", "GB200", "GB300", "MI300X", "MI325X", "MI355X", "L4", "Arc Pro B50"]
SPEEDS = [5.0, 25.0, 66.7, 200.0, 300.0, 500.0]  # the last are faster than any benchmark's own model runs on L4


@cache
def of_benchmarks(grounds):
    """The curves of benchmarks: those of another model scale them, whatever its size and lengths."""
    return curve.Curves(interactivity.runs(grounds), NAMES, curve.workload(parameters=1.0))


def rates(parameters, active=0.0, **lengths):
    """Throughput of another model by accelerator (NAMES) and interactivity; 0 where it does not run."""
    asked = curve.workload(parameters=parameters, active_parameters=active, **lengths)
    curves = copy(of_benchmarks(asked.grounds))
    curves.workload = asked
    found = curves.at(SPEEDS)
    found = found[found["accelerator"].isin(NAMES)].set_index(["accelerator", "interactivity"])
    return found["throughput"].fillna(0.0).sort_index()


@pytest.fixture(scope="module")
def sizes():
    """Dense models and mixtures of experts by (parameters, active parameters) in billions."""
    grid = [(size, size) for size in (1, 3, 8, 23, 24, 32, 100, 405)]
    grid += [(size, active) for size in (30, 117, 671) for active in (3, 10, 22)]
    return {each: rates(*each) for each in grid}


def test_a_larger_model_never_has_more_throughput(sizes):
    for (size, active), (larger, more) in itertools.permutations(sizes, 2):
        if larger >= size and more >= active:
            assert (sizes[larger, more] <= sizes[size, active] * 1.001).all(), (size, active, larger, more)


def test_longer_prompts_and_faster_users_never_have_more_throughput(sizes):
    lengths = [rates(32.0, prompt_tokens=tokens) for tokens in (100, 300, 1_000, 3_000, 30_000)]
    for short, long in itertools.pairwise(lengths):
        assert (long <= short).all()
    for found in sizes.values():
        assert (found.unstack().diff(axis=1).iloc[:, 1:] <= 1e-6).all(axis=None)


def test_models_of_nearly_one_size_have_nearly_one_throughput(sizes):
    """23B and 24B: within 10% up to 66.7 tokens/s, by the 4% that they differ in work.

    Faster users come near the speed of a batch of one, where throughput falls to nothing; on small parts they do at 25.
    """
    smaller, larger = (sizes[size, size].unstack()[SPEEDS[:3]].drop(index=["L4", "Arc Pro B50"]) for size in (23, 24))
    ratio = (smaller / larger).stack()
    assert len(ratio) == 27 and ratio.between(1, 1.1).all()


ORDERED = [("H100", "H200"), ("H200", "B200"), ("B200", "B300"), ("GB200", "GB300"), ("MI300X", "MI325X"),
           ("MI325X", "MI355X")]  # fmt: skip


@pytest.mark.parametrize(("worse", "better"), ORDERED)
def test_estimates_follow_the_order_of_a_vendor_s_generations(sizes, worse, better):
    """Of other models all are estimates."""
    for found in sizes.values():
        assert (found[worse] <= found[better]).all()


def test_an_estimate_is_no_higher_than_a_better_accelerator_s_result():
    """H100 has no run here and would be estimated above this slow H200, of 100 tokens/s."""
    slow = runs(accelerator="H200").assign(rate_per_accelerator=100.0).iloc[:1]
    found = throughput_at(slow, 0.0, accelerators=["H100"]).set_index("accelerator")
    assert found.loc["H100", ["throughput", "evidence"]].tolist() == [100.0, ESTIMATED]
    small = slow.assign(accelerator_count=1.0)  # a single one is no node, so no ground for a rank
    assert throughput_at(small, 0.0, accelerators=["H100"]).set_index("accelerator").at["H100", "throughput"] > 1000


def test_an_unknown_figure_makes_no_accelerator_worse_than_another_family():
    """The FP4 rate of MI350P is unknown. Its results are 1.6 times those of MI300X, so its estimate is no less."""
    pairs = decoding.ordered()
    assert set(pairs.loc[pairs["worse"].eq("MI350P"), "better"]) == {"MI350X", "MI355X"}
    found = throughput_at(interactivity.runs("gpt-oss-120b"), [12.5, 66.7]).set_index(["interactivity", "accelerator"])
    ratio = found["throughput"].unstack()["MI350P"] / found["throughput"].unstack()["MI300X"]
    assert ratio.to_numpy() == pytest.approx([1.64, 1.50], abs=0.01)


def test_virtualized_runs_count_for_an_accelerator_that_has_no_others():
    machine = runs(accelerator="H100").assign(hypervisor="vSphere", id="virtual")
    both = pd.concat([runs(), machine])
    alone = throughput_at(both, 12.5).set_index("accelerator").loc["H100"]
    assert (alone["throughput"], alone["evidence"], alone["id"]) == (SERVER, MEASURED, "virtual")
    slow = runs(accelerator="H100").assign(rate_per_accelerator=100.0)
    bare = throughput_at(pd.concat([slow, machine]), 12.5).set_index("accelerator")
    assert bare.loc["H100", "throughput"] == 100.0


@pytest.mark.parametrize("benchmark", timed_benchmarks())
def test_a_curve_begins_with_offline_or_a_limited_run_of_more_and_never_rises(benchmark):
    rows = interactivity.runs(benchmark)
    found = throughput_at(rows, [0.0, 5.0, 10.0, 12.5, 20.0, 25.0, 40.0, 66.7, 100.0])
    offline = current(comparable(benchmark=benchmark)).set_index("accelerator")["last_rate"]
    limited = interactivity.usual(rows[rows["scenario"].ne("Offline")])
    most = limited.groupby("accelerator")["rate_per_accelerator"].max()
    first = found[found["interactivity"].eq(0)].set_index("accelerator")["throughput"].reindex(offline.index)
    expected = offline.clip(lower=most.reindex(offline.index).fillna(0))
    pd.testing.assert_series_equal(first.sort_index(), expected.sort_index(), check_names=False)
    slowest = interactivity.limits(benchmark)["interactivity"].min()
    under = found[found["interactivity"].ge(slowest) | found["interactivity"].eq(0)].dropna(subset="throughput")
    falls = under.sort_values("interactivity").groupby("accelerator")["throughput"].diff().dropna()
    assert (falls <= 1e-6).all()
    assert (under["throughput"] >= under["lower"].fillna(0) - 1e-6).all()
    known = found.dropna(subset="throughput")
    assert (known["low"] <= known["throughput"]).all() and (known["throughput"] <= known["high"]).all()


def test_a_benchmark_without_limits_has_offline_and_says_why_no_more():
    frame = runs().iloc[:1].assign(benchmark="resnet50")
    found = at(frame, 0, 10.0)
    assert found["throughput"].iloc[0] == OFFLINE and found["reason"].iloc[1] == curve.NO_LIMITS


def generations():
    """A B200 of the newest round, and an H100 with 1.2 times the Offline and 1.5 times the Server rate since v6.0.

    Those gains are of an H200 that both rounds have.
    """
    facts = {"vendor": "NVIDIA", "kind": "gpu", "model": "GPT-OSS 120B", "rate_unit": "tokens/s"}
    old = [runs(accelerator=name).assign(round="v6.0", id=f"old {name}") for name in ("H100", "H200")]
    new = runs(accelerator="H200").assign(id="new")
    new["rate_per_accelerator"] *= [1.2, 1.5, 1.5]
    rows = pd.concat([runs(), *old, new], ignore_index=True).assign(**facts)
    return rows.assign(round=pd.Categorical(rows["round"], ["v6.0", "v6.1"], ordered=True))


def test_an_accelerator_without_a_newest_result_is_carried_there():
    """H100 Offline x 1.2; Server would be x 1.5 = 15,000, above Offline's 14,400, so that; Interactive x 1.5."""
    at = throughput_at(curve.carried(generations()), [0, 12.5, 80.0]).set_index(["accelerator", "interactivity"])
    own = at.loc["H100"]
    assert own["throughput"].tolist() == pytest.approx([1.2 * OFFLINE, 1.2 * OFFLINE, 1.5 * INTERACTIVE])
    assert own["gain"].tolist() == pytest.approx([1.2, 1.44, 1.5]) and own["evidence"].eq(curve.CARRIED).all()
    alone = throughput_at(generations(), [0, 12.5, 80.0]).set_index(["accelerator", "interactivity"])
    newest = ["B200", "H200"]
    pd.testing.assert_frame_equal(at.loc[newest], alone.loc[newest])


def test_the_range_of_a_carried_rate_has_the_error_of_carrying():
    """P10 and P90: logarithms of the error between systems and of that of carrying, added in squares."""
    row = at(curve.carried(generations()).query("accelerator == 'H100'"), 80.0).iloc[0]
    errors = carry_error("gpt-oss-120b", "Interactive")
    between = prediction.error_of(prediction.OTHER_SYSTEM, "gpt-oss-120b", "Interactive")
    for side in ("low", "high"):
        by_hand = np.hypot(np.log(errors[side]), np.log(between[side]))
        assert abs(np.log(row[side] / row["throughput"])) == pytest.approx(by_hand)


@pytest.mark.parametrize("benchmark", timed_benchmarks())
def test_at_the_limits_accelerators_are_in_the_order_of_current(benchmark):
    """Of the newest round; a rack may be faster than the node of eight that `current` takes, by 2% at most."""
    rows = interactivity.runs(benchmark)
    for limit in interactivity.limits(benchmark).itertuples():
        now = current(rows[rows["scenario"].eq(limit.scenario)])
        now = now[now["measured"]].set_index("accelerator")["rate"]
        at = throughput_at(curve.carried(rows), limit.interactivity).set_index("accelerator").loc[now.index]
        assert at["evidence"].eq(MEASURED).all() and at["gain"].eq(1).all()
        assert at["throughput"].is_monotonic_decreasing and (at["throughput"] / now).between(1, 1.02).all()


@pytest.mark.parametrize("speed", [-1.0, float("nan"), float("inf")])
def test_what_is_no_interactivity_is_refused(speed):
    with pytest.raises(ValueError, match=rf"interactivity is {speed}; expected a number from 0.01 to 1,000,000$"):
        throughput_at(runs(), speed)


def test_models_come_by_benchmark_name_or_size():
    assert curve.workload(name="Llama 2 70B").model.benchmark == "llama2-70b"
    assert curve.workload(parameters=30.0).grounds == tuple(timed_benchmarks())
    assert curve.workload("Mixtral 8x7B", parameters=30.0).grounds == ("mixtral-8x7b",)
    assert curve.workload("llama 2 70b").model.benchmark == "llama2-70b"
    with pytest.raises(
        NoData, match=r"ResNet-50 has no limit on the time per token; benchmarks that have: Llama 2 70B"
    ):
        curve.workload("resnet50")
    with pytest.raises(ValueError, match="no benchmark 'resnet51': did you mean 'ResNet-50'"):
        curve.workload("resnet51")
    assert tables.benchmarks["benchmark"].isin(timed_benchmarks()).sum() == len(timed_benchmarks())
