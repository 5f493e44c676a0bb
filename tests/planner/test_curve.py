"""One curve: measured, interpolated, and estimated throughput by hand, and its error bands."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, current, interactivity, long_prompts
from analysis.planner import as_run, curve, decoding, models, prediction
from analysis.planner.curve import CARRIED, ESTIMATED, INTERPOLATED, MEASURED, throughput_at
from analysis.present import carry_error
from analysis.results import timed_benchmarks

OFFLINE, SERVER, INTERACTIVE = 12_000.0, 10_000.0, 2_500.0  # tokens/s per accelerator of the hand's runs
LIMIT = 1000 / 15  # tokens/s per user in Interactive


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


def logs(question, scenario, *columns):
    """Logarithms of an error of GPT-OSS on the record."""
    error = prediction.error_of(question, "gpt-oss-120b", scenario)
    return np.log(error[["low", "high", *columns]].astype(float)).tolist()


def test_the_curve_by_hand():
    """A run holds from its scenario's limit to its own speed; between, the logarithm is linear: half-way from 0 to 12.5
    and a quarter of the way from there. The upper bound is of slower runs, the lower of as fast ones."""
    quarter = 12.5 + (LIMIT - 12.5) / 4
    found = at(runs(), 0, 6.25, 12.4375, 12.56, quarter, 66.4, 80)
    rates = [OFFLINE, (OFFLINE * SERVER) ** 0.5, SERVER, SERVER, SERVER**0.75 * INTERACTIVE**0.25, INTERACTIVE]
    assert found["throughput"].tolist() == pytest.approx([*rates, INTERACTIVE])
    assert found["evidence"].tolist() == [MEASURED, INTERPOLATED, MEASURED, MEASURED, INTERPOLATED, MEASURED, MEASURED]
    assert found["id"].tolist() == ["r0", "r1", "r1", "r1", "r2", "r2", "r2"]
    assert found["slower_id"].tolist() == ["", "r0", "", "", "r1", "", ""] and found["gain"].eq(1).all()
    assert found["lower"].tolist() == [OFFLINE, *[SERVER] * 3, *[INTERACTIVE] * 3]
    assert np.isnan(found["upper"].iloc[0]) and found["upper"].iloc[1:].eq(OFFLINE).all()
    run = ["scenario", "round", "submitter", "system", "accelerator_count", "precision", "reason"]
    assert found[run].iloc[-1].tolist() == ["Interactive", "v6.1", "s", "box", 8, "fp4", ""]
    assert at(runs(), 12.57)["evidence"].tolist() == [INTERPOLATED]


def test_a_run_above_the_line_bends_the_curve_and_one_below_does_not():
    """From 10,000 at 12.5 to 2,500 at the limit the line has 6,390 at 30: 9,000 at 31 and 8,500 at 40 lie above it.

    The farther one, 8,500, comes first; 9,200 at 22 is below the line to 9,000, which has 9,473 there.
    """
    bent = runs(("Server", 31.0, 9_000.0), ("Server", 40.0, 8_500.0), ("Server", 22.0, 9_200.0))
    found = at(bent, 22.0, 31.0, 40.0)
    assert found["throughput"].tolist() == pytest.approx([9_473.0, 9_000.0, 8_500.0], rel=1e-4)
    assert found["evidence"].tolist() == [INTERPOLATED, MEASURED, MEASURED] and found["id"].iloc[1] == "r3"
    assert found["slower_id"].tolist() == ["r1", "", ""]


def test_a_limited_run_that_beats_offline_holds_without_a_limit():
    found = at(runs().assign(rate_per_accelerator=[9_000.0, SERVER, INTERACTIVE]), 0, 5.0)
    assert found["throughput"].tolist() == [SERVER] * 2 and found["id"].tolist() == ["r1"] * 2


def test_beyond_the_fastest_run_the_decoding_model_continues_until_the_roof():
    """Its bias and error grow with the logarithm of the ratio of speeds; on the record it is that of the limits."""
    found = at(runs(), 80.0, 100.0, 1e6)
    setup = pd.DataFrame({"accelerator": ["B200"], "weights": "fp4", "group": 8})
    own = models.of_benchmark("gpt-oss-120b"), models.lengths_of("gpt-oss-120b")
    slow, fast = (decoding.rates(setup, *own, speed)[0] for speed in (80.0, 100.0))
    power = np.log(100 / 80) / np.log(LIMIT / 12.5)
    low, high, middle = logs(prediction.BEYOND, "Interactive", "middle")
    rate, row = INTERACTIVE * fast / slow * np.exp(middle * power), found.loc[100.0]
    assert row["throughput"] == pytest.approx(rate) and found["evidence"].tolist() == [MEASURED, ESTIMATED, ""]
    before = np.log(found.loc[80.0, ["low", "high"]].astype(float) / INTERACTIVE)
    assert np.log(rate / row["low"]) == pytest.approx(np.hypot(before["low"], (middle - low) * power))
    assert np.log(row["high"] / rate) == pytest.approx(np.hypot(before["high"], (high - middle) * power))
    assert row["roof"] == pytest.approx(decoding.roofs(setup, *own)[0])
    last = found.loc[1e6]
    assert np.isnan(last["throughput"]) and [*last[["reason", "id", "slower_id"]]] == [curve.TOO_FAST, "", ""]
    # Prompts leave no time for 96 tokens/s, below the roof; nor does the model continue a run beyond it.
    large = at(runs().assign(benchmark="llama3.1-405b", precision="fp8"), 96.0).iloc[0]
    assert large["reason"] == curve.TOO_FAST and large["roof"] == pytest.approx(96.66, abs=0.01)
    assert at(runs().assign(interactivity=[0.0, 12.5, 1e4]), 2e4)["reason"].tolist() == [curve.TOO_FAST]


def test_beyond_a_benchmark_s_only_limit_bias_grows_with_the_logarithm_and_the_model_reads_the_last_precision():
    """Of Mixtral, which has no Interactive scenario; the Server run is in FP8."""
    rows = runs().iloc[:2].assign(benchmark="mixtral-8x7b", precision=["fp4", "fp8"])
    setup = pd.DataFrame({"accelerator": ["B200"], "weights": "fp8", "group": 8})
    own = models.of_benchmark("mixtral-8x7b"), models.lengths_of("mixtral-8x7b")
    slow, fast = (decoding.rates(setup, *own, speed)[0] for speed in (12.5, 50.0))
    bias = prediction.error_of(prediction.BEYOND, "mixtral-8x7b", "Interactive")["middle"]
    assert at(rows, 50.0)["throughput"].tolist() == pytest.approx([SERVER * fast / slow * bias ** np.log(4)])
    is_mixture = [as_run.AsRun(rows.assign(benchmark=name)).is_mixture for name in ("mixtral-8x7b", "llama2-70b")]
    assert is_mixture == [True, False]


def test_an_accelerator_without_runs_has_the_newest_round_and_its_family_s_most_common_precision():
    rows = runs(*[("Offline", 0.0, 1.0)] * 5, accelerator="H100").assign(benchmark="llama2-70b")
    rows = rows.assign(precision=["", "", "", "", "int8", "fp16", "fp16", "fp8"], round=["v6.1", *["v6.0"] * 7])
    found = throughput_at(rows, 0, accelerators=["H200"]).set_index("accelerator").loc["H200"]
    assert found[["round", "precision", "gain", "submitter"]].tolist() == ["v6.1", "fp16", 1.0, ""]


def test_where_no_run_is_so_fast_the_estimate_is_offline_times_the_share_of_others():
    """As long as that is no more than slower users get; between it and a run the line is an estimate too."""
    found = at(runs().iloc[:2], 66.7, 30.0)
    system = {"accelerator": "B200", "accelerator_count": 8.0, "round": "v6.1", "submitter": "s", "precision": "fp4"}
    system = pd.DataFrame([system | {"software": "tensorrt", "offline": OFFLINE}])
    expected = prediction.estimates("gpt-oss-120b", system).set_index("scenario").at["Interactive", "throughput"]
    way = (30 - 12.5) / (LIMIT - 12.5)
    assert found["throughput"].tolist() == pytest.approx([expected, SERVER ** (1 - way) * expected**way])
    assert found["evidence"].eq(ESTIMATED).all()
    slow = runs().iloc[:2].assign(rate_per_accelerator=[OFFLINE, 1.0])
    assert at(slow, 66.7)["throughput"].tolist() == [1.0]


def test_bands_are_those_of_the_errors_on_the_record():
    """Between two runs both errors and that of the line, as far as P10 is below and P90 above the value."""
    measured, between = at(runs(), 12.5, 40.0).itertuples()
    errors = [logs(prediction.OTHER_SYSTEM, "Server"), logs(prediction.OTHER_SYSTEM, "Interactive")]
    assert np.log([measured.low / SERVER, measured.high / SERVER]).tolist() == pytest.approx(errors[0])
    low, high = np.transpose([*errors, logs(prediction.BETWEEN, "Server")])
    assert low[2] > 0 and between.high < between.upper
    assert np.log(between.throughput / between.low) == pytest.approx(np.linalg.norm(low[:2]))
    assert np.log(between.high / between.throughput) == pytest.approx(np.linalg.norm(high))
    assert at(runs(), 2.0)["high"].tolist() == [OFFLINE]  # no more than slower runs


def test_without_a_datasheet_there_is_what_ran_and_a_reason_beyond():
    found = at(runs(accelerator="New part"), 12.5, 30.0, 200.0)
    assert found["evidence"].tolist() == [MEASURED, INTERPOLATED, ""]
    assert found["reason"].tolist() == ["", "", curve.NO_DATASHEET]
    unknown = ["Newer part", "A100 PCIe", "Xeon 8592+", "Vera Rubin"]  # memory and its bandwidth, one, other, compute
    others = throughput_at(runs(), [0, 25.0], accelerators=[*unknown, "H100"])
    others = others.set_index("accelerator")
    assert others.loc[unknown, ["evidence", "reason"]].to_numpy().tolist() == [["", curve.NO_DATASHEET]] * 8
    assert curve.workload("gpt-oss-120b", context_tokens=20_000).is_as_run  # no request is so long
    longer = curve.workload("gpt-oss-120b", prompt_tokens=9_000)
    longer = throughput_at(runs(), 25.0, accelerators=unknown, workload=longer).set_index("accelerator")
    assert longer.loc[unknown, "reason"].eq(curve.NO_DATASHEET).all() and longer.at["B200", "reason"] == ""
    large = throughput_at(runs().assign(benchmark="deepseek-r1"), 0, accelerators=["H100"]).set_index("accelerator")
    assert large.loc["H100", "reason"] == curve.TOO_SMALL  # 671 GB, of which a node has 576
    h100 = others.loc["H100"]
    assert h100["evidence"].eq(ESTIMATED).all() and (h100["high"] / h100["low"]).min() > 1.5
    assert h100[["id", "slower_id"]].eq("").all(axis=None)


def test_a_precision_that_cannot_be_right_counts_as_that_of_most_runs():
    rows = runs(("Offline", 0.0, 11_000.0), ("Offline", 0.0, 10_000.0))
    rows.loc[rows["scenario"].eq("Interactive"), "precision"] = "fp8"  # GPT-OSS is published in MXFP4 alone
    assert at(rows, 80.0)["precision"].tolist() == ["fp4"]


def test_a_benchmark_without_limits_has_offline_and_says_why_no_more():
    found = at(runs().iloc[:1].assign(benchmark="resnet50"), 0, 10.0)
    assert found["throughput"].iloc[0] == OFFLINE and found["reason"].iloc[1] == as_run.NO_LIMITS


@pytest.mark.parametrize("speed", [-1.0, float("nan"), float("inf")])
def test_what_is_no_interactivity_is_refused(speed):
    with pytest.raises(ValueError, match=rf"interactivity is {speed}; expected a number from 0.01 to 1,000,000$"):
        throughput_at(runs(), speed)
    with pytest.raises(NoData, match="interactivity is empty"):
        throughput_at(runs(), [])


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
    """H100 Offline x 1.2; Server would be x 1.5 = 15,000, above Offline's 14,400, so that; Interactive x 1.5.

    P10 and P90: logarithms of the error between systems and of that of carrying, added in squares.
    """
    speeds = [0, 12.5, 80.0]
    found = throughput_at(curve.carried(generations()), speeds).set_index(["accelerator", "interactivity"])
    own = found.loc["H100"]
    assert own["throughput"].tolist() == pytest.approx([1.2 * OFFLINE, 1.2 * OFFLINE, 1.5 * INTERACTIVE])
    assert own["gain"].tolist() == pytest.approx([1.2, 1.44, 1.5]) and own["evidence"].eq(CARRIED).all()
    assert own["scenario"].tolist() == ["Offline", "Server", "Interactive"]
    assert [*found.index[[2, -1]]] == [("B200", 0.0), ("B200", 80.0)]  # by interactivity, the highest first
    both = pd.concat([generations(), generations().assign(benchmark="llama2-70b", rate_per_accelerator=1.0)])
    pd.testing.assert_frame_equal(curve.carried(both)[:12], curve.carried(generations()))
    alone = throughput_at(generations(), speeds).set_index(["accelerator", "interactivity"])
    pd.testing.assert_frame_equal(found.loc[["B200", "H200"]], alone.loc[["B200", "H200"]])
    errors, row = carry_error("gpt-oss-120b", "Interactive"), own.loc[80.0]
    for side, between in zip(("low", "high"), logs(prediction.OTHER_SYSTEM, "Interactive"), strict=True):
        by_hand = np.hypot(np.log(errors[side]), between)
        assert abs(np.log(row[side] / row["throughput"])) == pytest.approx(by_hand)
    half = throughput_at(curve.carried(generations()), 40.0).set_index("accelerator").loc["H100"]
    way = (40 - 12.5) / (LIMIT - 12.5)
    assert half["gain"] == pytest.approx(1.44 ** (1 - way) * 1.5**way)


class Benchmark:
    """A benchmark's curve: one throughput of H100, that of the decoding model, and the fastest users it serves."""

    def __init__(self, name, rate, modeled, *, is_mixture=False, fastest=1e9, reason=""):
        self.name, self.rate, self.modeled, self.is_mixture = name, rate, modeled, is_mixture
        self.fastest, self.reason = fastest, reason

    def at(self, speeds):
        rows = pd.DataFrame({"interactivity": np.unique(speeds), "accelerator": "H100", "weights": "int4", "group": 8})
        served = rows["interactivity"].le(self.fastest)
        modeled = self.modeled(rows["interactivity"]) if callable(self.modeled) else self.modeled
        return rows.assign(
            throughput=self.rate, modeled=np.where(served, modeled, 0.0), below=0.01, above=0.04, id=self.name,
            slower_id="", system=self.name,
            evidence=MEASURED, scenario="Server", reason=np.where(served, self.reason, curve.TOO_FAST),
        )  # fmt: skip


LIGHT, HEAVY = Benchmark("light", 1000.0, 400.0), Benchmark("heavy", 300.0, 100.0)
OTHER = curve.workload(parameters=35.0)


@pytest.fixture
def modeled(monkeypatch):
    """Set what the decoding model says of the workload, by speed or by parameters of the model; its roof is 300."""

    def ask(rate):
        found = rate if callable(rate) else lambda model, speed: rate
        monkeypatch.setattr(decoding, "rates", lambda _, model, __, speeds: np.array([found(model, v) for v in speeds]))
        monkeypatch.setattr(decoding, "roofs", lambda setups, *_: np.full(len(setups), 300.0))

    return ask


@pytest.mark.parametrize(
    ("asked", "rate", "slower", "faster", "nearest"),
    [
        (200.0, 300_000**0.5, "light", "heavy", "heavy"),  # half-way in the logarithm of 400 and 100
        (400 / 2**0.5, 1000**0.75 * 300**0.25, "light", "heavy", "light"),  # a quarter of the way
        (400.0, 1000.0, "", "light", "light"),  # as much work
        (800.0, 1000**0.75 * 9000**0.25, "far", "light", "light"),
        (12800.0, 18_000.0, "", "far", "far"),  # half the work of the lightest
        (50.0, 150.0, "", "heavy", "heavy"),
    ],
)
def test_another_model_lies_between_the_next_lighter_and_the_next_heavier(
    modeled, asked, rate, slower, faster, nearest
):
    modeled(asked)
    row = curve.blended([HEAVY, LIGHT, Benchmark("far", 9000.0, 6400.0)], OTHER, [5.0]).iloc[0]
    assert row["throughput"] == pytest.approx(rate)
    assert (row["slower_id"], row["id"], row["system"]) == (slower, faster, nearest)
    error = prediction.error_of(prediction.OTHER_MODEL, "", "Server")
    spread = (np.log(error["high"] / error["low"]) / 2) ** 2
    assert [row["below"], row["above"]] == pytest.approx([0.01 + spread, 0.04 + spread])
    assert (row["evidence"], row["reason"]) == (ESTIMATED, "")


def test_more_work_and_faster_users_never_get_more(modeled):
    modeled(200.0)
    slow, fast = Benchmark("slow", 300.0, 400.0), Benchmark("fast", 1000.0, 100.0)
    assert curve.blended([slow, fast], OTHER, [5.0])["throughput"].iloc[0] == pytest.approx(300_000**0.5)
    modeled(lambda model, speed: 200.0 if speed < 10 else 400.0)
    found = curve.blended([LIGHT, HEAVY], OTHER, [5.0, 20.0])
    assert found["throughput"].tolist() == pytest.approx([300_000**0.5] * 2)
    assert curve.blended([LIGHT, HEAVY], OTHER, [20.0])["throughput"].tolist() == pytest.approx([300_000**0.5])
    modeled(200.0)
    curves = [Benchmark("light", 1000.0, lambda speed: 200 * np.exp(1 / speed)),
              Benchmark("heavy", 300.0, lambda speed: 200 * np.exp(-1 / speed**2))]  # fmt: skip
    found = curve.blended(curves, OTHER, [4.0, 9.0])  # both come closer, the heavy one faster
    assert found["throughput"].tolist() == pytest.approx([1000**0.2 * 300**0.8, 1000**0.1 * 300**0.9])


def test_weights_are_those_of_the_only_benchmark_else_of_the_accelerator_if_none_are_asked_for(monkeypatch, modeled):
    modeled(200.0)
    seen = []
    monkeypatch.setattr(
        decoding, "rates", lambda setups, *_: seen.append(setups["weights"].iloc[0]) or np.full(len(setups), 200.0)
    )
    for curves, workload in (([LIGHT], OTHER), ([LIGHT, HEAVY], OTHER), ([LIGHT], replace(OTHER, precision="fp16"))):
        curve.blended(curves, workload, [5.0])
    assert seen == ["int4", "fp8", "fp16"]


def test_users_faster_than_a_benchmark_serves_count_as_its_fastest(modeled):
    modeled(200.0)
    light = Benchmark("light", 1000.0, 400.0, fastest=20.0)
    assert curve.blended([light, HEAVY], OTHER, [30.0])["throughput"].iloc[0] == pytest.approx(300_000**0.5)
    nothing = curve.blended([Benchmark("no", 1.0, 400.0, fastest=0.1)], OTHER, [30.0]).iloc[0]
    assert nothing["reason"] == curve.NO_GROUND


@pytest.mark.parametrize(
    ("rate", "speed", "reason"),
    [
        (0.0, 300.0, curve.TOO_FAST),
        (0.0, 299.0, curve.TOO_LONG),
        (np.nan, 5.0, curve.NO_DATASHEET),
        (200.0, 5.0, ""),
        (0.5, 5.0, ""),
    ],
)
def test_what_is_not_served_has_a_reason(modeled, rate, speed, reason):
    modeled(rate)
    assert curve.blended([LIGHT], OTHER, [speed])["reason"].tolist() == [reason]
    unknown = Benchmark("unknown", np.nan, 400.0, reason=curve.NO_DATASHEET)
    assert curve.blended([unknown], OTHER, [speed])["reason"].tolist() == [reason or curve.NO_GROUND]


@pytest.mark.parametrize(("times", "part"), [(1.5, np.log2(1.5)), (1.005, 0.0), (0.2, 1.0), (0.985, -np.log2(0.985))])
def test_other_lengths_have_the_part_of_the_error_by_which_they_change_throughput(modeled, times, part):
    modeled(400.0 * times)
    row = curve.blended([LIGHT], curve.workload("llama2-70b", prompt_tokens=250.0), [5.0]).iloc[0]
    error = prediction.error_of(prediction.OTHER_MODEL, "", "Server")
    spread = (np.log(error["high"] / error["low"]) / 2 * part) ** 2
    assert [row["below"], row["above"]] == pytest.approx([0.01 + spread, 0.04 + spread])
    assert row["evidence"] == (ESTIMATED if part else MEASURED)


@pytest.mark.parametrize(
    ("all_parameters", "active", "rate"), [(20.0, 500.0, 1000.0), (300.0, 500.0, 1500.0), (20.0, 160.0, 800.0)]
)
def test_a_mixture_lies_between_dense_models_of_its_sizes(modeled, all_parameters, active, rate):
    """1,000 by a mixture; dense models get 5 times what the model says: no less than of 100B, no more than of 10B."""
    asked = {100.0: all_parameters, 10.0: active}
    modeled(lambda model, speed: 400.0 if model.is_mixture else asked[model.parameters])
    curves = curve.Curves.__new__(curve.Curves)
    curves.curves = [Benchmark("mixture", 1000.0, 400.0, is_mixture=True), Benchmark("dense", 500.0, 100.0)]
    workload = curve.workload(parameters=100.0, active_parameters=10.0)
    assert curves._of_workload(workload, [5.0])["throughput"].tolist() == pytest.approx([rate])
    curves.curves = curves.curves[1:]  # without a mixture the dense ones alone
    assert curves._of_workload(workload, [5.0])["throughput"].tolist() == pytest.approx([500 * 4.0])


def test_an_estimate_is_no_higher_than_a_better_accelerator_s_result():
    """H200 caps H100's estimates at each speed, if it ran at a rented size or has no run; results stay."""
    rows = [("H200", 0.0, 100.0, MEASURED, "r"), ("H200", 9.0, 50.0, MEASURED, "r"),
            ("H100", 0.0, 300.0, ESTIMATED, ""), ("H100", 9.0, 40.0, ESTIMATED, ""),
            ("MI300X", 0.0, 500.0, ESTIMATED, "")]  # fmt: skip
    found = pd.DataFrame(rows, columns=["accelerator", "interactivity", "throughput", "evidence", "id"])
    assert curve.in_order(found, ["H200"]).tolist() == [100, 50, 100, 40, 500]
    assert curve.in_order(found, []).tolist() == [100, 50, 300, 40, 500]
    assert curve.in_order(found.assign(id=""), []).tolist() == [100, 50, 100, 40, 500]
    assert curve.in_order(found.assign(evidence=MEASURED), ["H200"]).tolist() == [100, 50, 300, 40, 500]


def test_a_prompt_cache_gives_the_gain_of_inferencex():
    """Times the median of what engines keep at these lengths, with their P10 and P90; an estimate."""
    whole, cached = (at(runs(), 12.5, workload=curve.workload("gpt-oss-120b", prompt_reuse=each)).iloc[0]
                     for each in (0.0, 0.6))  # fmt: skip
    pd.testing.assert_series_equal(whole, at(runs(), 12.5).iloc[0])
    lengths = models.lengths_of("gpt-oss-120b")
    gain = long_prompts.kept(lengths.prompt, lengths.answer, 0.6) / long_prompts.kept(lengths.prompt, lengths.answer)
    low, middle, high = gain.quantile([0.1, 0.5, 0.9])
    assert cached["throughput"] == pytest.approx(whole["throughput"] * middle) and middle > 1.1
    assert (whole["evidence"], cached["evidence"]) == (MEASURED, ESTIMATED)
    for side, gained in (("low", low), ("high", high)):
        spread = np.log([whole[side] / whole["throughput"], gained / middle])
        assert abs(np.log(cached[side] / cached["throughput"])) == pytest.approx(np.hypot(*spread))


def test_runs_of_one_benchmark_are_not_the_curve_of_another():
    """Llama 3.1 405B does a hundred times the work of GPT-OSS; the bounds are of the benchmark's own workload."""
    other = at(runs(), 12.5, workload=curve.workload("llama3.1-405b")).iloc[0]
    assert other["evidence"] == ESTIMATED and 0 < other["throughput"] < SERVER / 10
    cached = at(runs(), 12.5, workload=curve.workload("gpt-oss-120b", prompt_reuse=0.5)).iloc[0]
    for row in (other, cached):
        assert row[["lower", "upper"]].isna().all()


def test_weights_of_another_precision_are_read_and_computed_in_it():
    """H100 computes FP16 at half the rate of FP8, so the throughput under a loose limit about halves."""
    rows = interactivity.runs("llama2-70b").query("accelerator == 'H100'")
    own, wide = (at(rows, 5.0, workload=curve.workload("llama2-70b", precision=each)).iloc[0] for each in ("", "fp16"))
    assert (own["evidence"], wide["evidence"]) == (MEASURED, ESTIMATED)
    assert 0.4 < wide["throughput"] / own["throughput"] < 0.6


NAMES = ["H100", "H200", "B200", "B300", "GB200", "GB300", "MI300X", "MI325X", "MI355X", "L4", "Arc Pro B50"]
SPEEDS = [5.0, 25.0, 66.7, 300.0]  # the last is faster than any benchmark's own model runs on L4
ORDERED = [("H100", "H200"), ("H200", "B200"), ("B200", "B300"), ("GB200", "GB300"), ("MI300X", "MI325X"),
           ("MI325X", "MI355X")]  # fmt: skip


def test_a_harder_demand_never_gets_more_on_the_record():
    """Larger models, more active parameters, longer prompts, and faster users; a vendor's generations are in order."""
    curves = curve.Curves(interactivity.runs(timed_benchmarks()), NAMES)

    def rates(parameters, active=0.0, **lengths):
        curves.workload = curve.workload(parameters=parameters, active_parameters=active, **lengths)
        found = curves.at(SPEEDS).set_index(["accelerator", "interactivity"])["throughput"].fillna(0.0).unstack()
        assert (found.diff(axis=1).iloc[:, 1:] <= 1e-6).all(axis=None)
        for worse, better in ORDERED:
            assert (found.loc[worse] <= found.loc[better]).all()
        return found.loc[NAMES]

    easy, harder = rates(23), [rates(24), rates(24, prompt_tokens=3_000), rates(117, 23)]
    for before, after in ((easy, harder[0]), harder[:2], (easy, harder[2]), (rates(117, 10), harder[2])):
        assert (after <= before * 1.001).all(axis=None)
    ratio = (easy / harder[0]).drop(index=["L4", "Arc Pro B50"])[SPEEDS[:3]].stack()
    assert ratio.between(1, 1.1).all() and len(ratio) == 27  # 4% more of work change little


@pytest.mark.parametrize("benchmark", timed_benchmarks())
def test_curves_of_the_record_never_rise_and_have_the_order_of_current(benchmark):
    """At each limit the newest round's accelerators are in its order; a rack may be 2% above its node."""
    rows, limits = interactivity.runs(benchmark), interactivity.limits(benchmark)
    found = throughput_at(curve.carried(rows), [0.0, *limits["interactivity"], 40.0, 100.0])
    known = found.dropna(subset="throughput")
    assert (known.groupby("accelerator")["throughput"].diff().dropna() <= 1e-6).all()
    assert (known["throughput"] >= known["lower"].fillna(0) - 1e-6).all()
    assert (known["low"] <= known["throughput"]).all() and (known["throughput"] <= known["high"]).all()
    found = found.set_index(["interactivity", "accelerator"])
    for limit in limits.itertuples():
        now = current(rows[rows["scenario"].eq(limit.scenario)]).query("measured").set_index("accelerator")["rate"]
        own = found.loc[limit.interactivity].loc[now.index]
        assert own["evidence"].eq(MEASURED).all() and own["gain"].eq(1).all()
        assert own["throughput"].is_monotonic_decreasing and (own["throughput"] / now).between(1, 1.02).all()
