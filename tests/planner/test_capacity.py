"""Plans by hand: deployments, whole nodes and racks, memory, the queue, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis import cost, derating, interactivity, power, tables
from analysis.planner import capacity, curve, queueing
from analysis.planner.capacity import Demand, every_plan, plan

# Deployments that an engineer sizes by hand: tokens/s per GPU read from the record, users x tokens/s per user over half
# of it, in whole nodes of 8 or racks of 72.
HANDS = [
    # v6.1 Interactive at 66.7: NVIDIA's GB200 NVL72 8,683. 10,000 x 66.7 / 4,342 = 153.6 GPUs: 3 racks.
    ({"benchmark": "gpt-oss-120b", "users": 10_000, "tokens_per_user": 66.7}, "GB200", 153.6, 216, "measured"),
    # Llama 2 70B at 25: v5.0 Interactive, H100 1,752. To v6.1 x 1.026: 1,797.
    # 500 x 25 / 898.5 = 13.9 GPUs: 2 nodes.
    ({"benchmark": "llama2-70b", "users": 500, "tokens_per_user": 25.0}, "H100", 13.9, 16, "carried"),
    # GPT-OSS at 40 on B200: 11,276 at 24.5 (v6.1 Server), 1,644 x 0.994 at 66.7 (v6.0 Interactive). 15.5 of 42.2 of the
    # way: 11,276^0.632 x 1,634^0.368 = 5,537. 1,400 x 40 / 2,769 = 20.2 GPUs: 3 nodes.
    ({"benchmark": "gpt-oss-120b", "users": 1_400, "tokens_per_user": 40.0}, "B200", 20.2, 24, "interpolated"),
    # A model of 35B: twice Llama 2 70B's 1,752 on H100, as half the weights are read. 2,000 x 25 / 1,752 = 28.5: 4.
    ({"parameters": 35.0, "users": 2_000, "tokens_per_user": 25.0}, "H100", 28.5, 32, "estimated"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "accelerator", "hand", "rented", "evidence"), HANDS)
def test_deployments_by_hand(asked, accelerator, hand, rented, evidence):
    """Traffic within 1% where it is measured or interpolated; what is rented as by hand, the queue included."""
    row = plan(Demand(delivered_share=0.5, **asked), accelerator)
    assert row["evidence"] == evidence and row["delivered"] == 0.5 and row[cost.FACTORS].isna().all()
    assert row["accelerators_p10"] <= rented <= row["accelerators_p90"]
    if evidence != "estimated":
        assert row["traffic"] == pytest.approx(hand, rel=0.01)
        assert math.ceil(row["needed"] / row["unit"]) * row["unit"] == rented


def test_a_plan_of_the_record_by_hand(chosen):
    """250,000 tokens/s over throughput x delivered share, in whole nodes; the listed price and kilowatts of each."""
    row, listed = chosen.loc["B200"], cost.prices().set_index("accelerator").loc["B200"]
    assert row["traffic"] == pytest.approx(250_000 / (row["throughput"] * row["delivered"]))
    count = math.ceil(row["traffic"] / 8) * 8
    assert (row["accelerators_p50"], row["units_p50"], row["decided_by"]) == (count, count / 8, "traffic")
    assert row["usd_per_hour_p50"] == pytest.approx(count * listed["usd_per_hour"])
    assert row["kilowatts_p50"] == pytest.approx(count * listed["kilowatts"])
    assert row["delivered"] == pytest.approx(row[cost.FACTORS].astype(float).prod())
    stated = row[["evidence", "unit_name", "precision", "round", "submitter", "reason"]].tolist()
    assert stated == ["interpolated", "node", "fp4", "v6.0", "Nebius", ""]  # up to Interactive, from CoreWeave's Server
    assert "coreweave" in row["slower_id"] and row["id"].endswith("interactive") and "B200" in row["system"]
    assert row["throughput_low"] < row["throughput"] < row["throughput_high"] and row["gain"] < 1 and row["roof"] > 25
    assert row["cache_gb"] == pytest.approx(18 * 1024 * (5011 + 1343 / 2 + 128) / 1e9, rel=1e-3)
    assert chosen.loc[["GB200", "GB300"], ["unit", "unit_name"]].to_numpy().tolist() == [[72, "rack"]] * 2


def points(**columns):
    """Accelerators that can serve a demand: 100 tokens/s each, half of it delivered, in nodes of 8, for $3 an hour."""
    row = {"throughput": 100.0, "delivered": 0.5, "busy": 1.0, "peak": 1.0, "prefill": 0.0, "held": 100.0, "block": 8,
           "unit": 8, "watts": 1500.0, "usd_per_accelerator_hour": 3.0}  # fmt: skip
    frame = pd.DataFrame(columns).assign(**{name: row[name] for name in row.keys() - columns})
    ends = {f"{name}_{end}": frame[name] for name in ("throughput", "delivered") for end in ("low", "high")}
    return frame.assign(**ends)


ASKED = Demand(benchmark="llama2-70b", users=100, tokens_per_user=10.0, answer_tokens=100.0, ttft_ms=2000.0)


def test_the_largest_of_traffic_queue_and_memory_decides():
    """1,000 tokens/s over 50: 20 accelerators. Slots for 100 requests of 10 s (or 150 of 11 s, one of prefill).

    A slot takes 10 of 100 tokens/s (of 20 where a fifth is delivered when busy), and a tenth of a block of 8.
    """
    columns = {"accelerator": ["traffic", "queue", "peak", "memory"], "held": [100.0, 100.0, 100.0, 10.0],
               "busy": [1.0, 0.2, 0.2, 1.0], "peak": [1.0, 1.0, 1.5, 1.0], "prefill": [0, 0, 1, 0]}  # fmt: skip
    rows = points(**columns)
    found = capacity._rented(ASKED, rows)
    slots, more = queueing.slots_needed(100, 10, 2), queueing.slots_needed(150, 11, 1)
    assert found["decided_by"].tolist() == ["traffic", "queue", "queue", "memory"]
    needed = [20, slots * 10 / 20, more * 10 / 20, slots * 8 / 10]
    assert found["needed"].tolist() == pytest.approx(needed) and found["traffic"].tolist() == pytest.approx([20] * 4)
    rented = np.ceil(np.array(needed) / 8) * 8
    for mark in (10, 50, 90):
        assert found[f"accelerators_p{mark}"].tolist() == rented.tolist()
    assert found["usd_per_hour_p50"].tolist() == (3 * rented).tolist() and found["used"].iloc[0] == 20 / 24
    assert found["kilowatts_p90"].tolist() == (1.5 * rented).tolist()
    assert found["usd_per_million_tokens_p10"].iloc[0] == pytest.approx(72 / 3.6)
    assert found["usd_per_million_at_full_use"].tolist() == pytest.approx([3 / (50 * 3600) * 1e6] * 4)
    whole = points(accelerator=["A", "A"], throughput=[125.0, 1000 / 12])  # 16, and 24 but for rounding: no node more
    assert capacity._rented(ASKED, whole)["units_p50"].tolist() == [2, 3]


def test_p10_and_p90_are_of_the_errors_of_throughput_and_share():
    """20 accelerators; of twice the throughput 10, in nodes 16; of 0.52 times it 38.5: 40."""
    marks = ["accelerators_p10", "accelerators_p50", "accelerators_p90"]
    wide = points(accelerator=["A", "A", "B"]).assign(throughput_low=52.0, throughput_high=200.0)
    assert capacity._rented(ASKED, wide)[marks].to_numpy().tolist() == [[16, 24, 40]] * 3
    shared = points(accelerator=["A", "B"]).assign(delivered_low=0.26, delivered_high=1.0)
    assert capacity._rented(ASKED, shared)[marks].to_numpy().tolist() == [[16, 24, 40]] * 2
    memory = {"block": 1, "held": queueing.slots_needed(100, 10, 2) / 19_999}  # decides where a draw is faster
    single = wide.assign(**memory, **{name: wide[name] / 1000 for name in wide if name.startswith("throughput")})
    found, again = (capacity._rented(replace(ASKED, seed=seed), single) for seed in (0, 1))
    one, same, other = found["accelerators_p90"]
    assert one == same != other and one != again["accelerators_p90"].iloc[0]  # draws of a name and a seed
    assert {*found["decided_by"], *again["decided_by"]} == {"traffic"}
    assert found[["accelerators_p50", "traffic", "needed"]].to_numpy() == pytest.approx(20_000)
    assert found["used"].tolist() == pytest.approx([1] * 3)


def test_memory_by_hand():
    """A 10 GB model with 1 GB a request. 4 GPUs of 20 GB as 4 copies hold 40 requests, as one copy 70, so one copy.

    4 of 11 GB hold 4 as 4 copies, 34 as one. 2 of 5 GB hold the weights and no request, so 4; 12.5 GB hold 2 requests.
    """
    memory = pd.Series([20.0, 11.0, 5.0, 12.5, 0.0107, 0.0109, np.nan])
    unit = pd.Series([4, 4, 2, 1, 8, 8, 8])
    found = capacity.requests_held(pd.Series(10.0, memory.index), 1.0, memory, unit)
    assert found["held"].tolist()[:-1] == [70, 34, 10, 2, 0, 1] and np.isnan(found["held"].iloc[-1])
    assert found["block"].tolist()[:4] == [4, 4, 4, 1] and found["block"].iloc[5] == 1024
    rack = capacity.requests_held(pd.Series([30.0]), 1.0, pd.Series([20.0]), pd.Series([72]))
    assert rack["held"].iloc[0] == 72 * 20 - 30  # two copies in groups of 64 would leave 8 idle


def test_limits_of_an_accelerator_have_a_reason():
    """A prompt of 1,000 tokens is read by 8 at 40% of the dense rate, also in a rack; one of L4 takes too long.

    speedAI Slim states no memory. 90% of memory holds weights and the caches of whole requests.
    """
    asked = Demand(benchmark="llama2-70b", prompt_tokens=1000.0, answer_tokens=100.0, ttft_ms=1000.0)
    rows = [("H100", "fp8", 8, "", np.nan), ("GB200", "", 72, "", np.nan), ("L4", "", 1, "", np.nan),
            ("New part", "", 8, "", np.nan), ("H100", "fp16", 8, curve.TOO_FAST, 1.0), ("H100", "", 8, "why", 9.0),
            ("H100", "", 8, curve.TOO_FAST, 0.0), ("speedAI Slim", "fp8", 8, "", np.nan)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["accelerator", "precision", "unit", "reason", "roof"])
    found = capacity._limited(asked, frame)
    long = asked.workload.lengths.long_prompt
    operations = 2 * 70e9 * long + 4 * 8192 * 80 * long**2 / 2
    rates = {"H100": 8 * 1979e12, "GB200": 8 * 10000e12, "L4": 242e12}
    seconds = [operations / (0.4 * rate) for rate in rates.values()]
    assert found["prefill"].iloc[:3].tolist() == pytest.approx(seconds, rel=0.01) and seconds[2] > 1 > seconds[0]
    slow = f"prefill of {long:,.0f} tokens takes {seconds[2]:.2g} s on a node, but the TTFT limit is 1 s "
    slow += "(P99 prompt; the mean is 1,000; ttft_ms and lengths change them)"
    end = f"{curve.TOO_FAST}: one user gets at most 1 tokens/s"
    assert found["reason"].tolist() == ["", "", slow, curve.NO_COMPUTE, end, "why", curve.TOO_FAST,
                                        curve.NO_COMPUTE]  # fmt: skip
    assert found["precision"].tolist()[:4] == ["fp8", "fp4", "fp8", "fp16"]
    assert found["weights_gb"].iloc[1] == 70 * 4.5 / 8
    assert found["cache_gb"].iloc[0] == pytest.approx(asked.workload.lengths.context * 80 * 2048 / 1e9)
    just = capacity._limited(replace(asked, ttft_ms=1000 * found["prefill"].iloc[0]), frame.iloc[:1])
    assert just["reason"].str.startswith("prefill").all()  # no time is left to wait
    assert found["held"].iloc[0] == (8 * 80 * 0.9 - 70) // (asked.workload.lengths.whole * 80 * 2048 / 1e9)
    size = frame.iloc[:2].assign(accelerator=["H100", "GB300"])  # which states no dense rate in 16 bits
    large = capacity._limited(Demand(parameters=50_000.0, precision="fp16", ttft_ms=1e6), size)
    assert large["reason"].tolist() == ["1,024 accelerators cannot hold the weights and one request", curve.NO_COMPUTE]
    assert large["precision"].tolist() == ["fp16"] * 2 and large["weights_gb"].tolist() == [100_000.0] * 2


def test_the_delivered_share_is_of_what_the_result_does_not_hold(chosen):
    """GB200 and B200 (TensorRT-LLM): the page's whole share over its latency limit; MI355X states no stack."""
    for accelerator, kind in (("GB200", "rack"), ("B200", "TensorRT-LLM node to vLLM")):
        factors = derating.chain().set_index(["kind", "step"])["median"][kind]
        whole = factors["delivered"] / factors["latency limit"]
        assert chosen.loc[accelerator, "delivered"] == pytest.approx(whole, rel=1e-3)
    stated = chosen.loc["B200", "delivered"] / factors["serving stack"]
    assert chosen.loc["MI355X", "delivered"] == pytest.approx(stated, rel=1e-3)
    submitted = capacity.delivered(Demand("gpt-oss-120b", stack="as submitted"), at(chosen, "B200"))
    assert submitted["delivered"].iloc[0] == pytest.approx(stated, rel=1e-3)
    given = capacity.delivered(Demand("gpt-oss-120b", delivered_share=0.3), at(chosen, "B200"))
    assert given[["delivered_low", "delivered", "delivered_high", "busy", "peak"]].iloc[0].tolist() == [0.3] * 4 + [1]


def at(plans, accelerator):
    """The point of the curve behind a plan."""
    return plans.loc[[accelerator]].assign(interactivity=25.0)


def test_the_limit_is_of_the_loosest_scenario_that_is_fast_enough():
    """GPT-OSS: 12.5 tokens/s in Server, 66.7 in Interactive; a printed limit may be off by half a percent."""
    limits = interactivity.limits("gpt-oss-120b").set_index("scenario")["ttft_ms"] / 1000
    found = {speed: Demand("gpt-oss-120b", tokens_per_user=speed) for speed in (1.0, 12.5 / 0.995, 12.6, 66.7, 500.0)}
    assert [each.limit["scenario"] for each in found.values()] == ["Server"] * 2 + ["Interactive"] * 3
    assert found[1.0].ttft_seconds == limits["Server"] and found[500.0].ttft_seconds == limits["Interactive"]
    assert Demand("gpt-oss-120b", ttft_ms=700.0).ttft_seconds == 0.7


def test_units_are_nodes_of_eight_or_as_usually_submitted():
    """B: mostly 4 in a node. C: 2 and 4 once each; 12 in 5 nodes is no size. D: 1. GB200: always racks."""
    rows = [("A", 16, 2), ("A", 4, 1), ("A", 4, 1), ("B", 4, 1), ("B", 8, 2), ("B", 2, 1), ("C", 2, 1), ("C", 4, 1),
            ("C", 12, 5), ("D", 1, 1), ("GB200", 4, 1)]  # fmt: skip
    found = capacity.unit_sizes(pd.DataFrame(rows, columns=["accelerator", "accelerator_count", "nodes"]))
    assert {name: found[name] for name in ("A", "B", "C", "D", "GB200", "GB300")} == {
        "A": 8, "B": 4, "C": 4, "D": 1, "GB200": 72, "GB300": 72}  # fmt: skip


def test_watts_that_are_not_listed_follow_the_rated_power():
    watts, listed = capacity.all_in_watts(), power.kilowatts()["kilowatts"]
    rated = tables.accelerators.set_index("label")["power_limit_w"]
    assert watts["B200"] == 1000 * listed["B200"] and "L4" not in listed
    assert watts["L4"] == pytest.approx(rated["L4"] * np.nanmedian(1000 * listed / rated.reindex(listed.index)))


def test_an_accelerator_without_a_datasheet_is_left_out_with_its_reason(monkeypatch):
    rows = interactivity.runs("gpt-oss-120b")
    new = rows[rows["accelerator"].eq("B200")].assign(accelerator="New part", id=lambda frame: "n" + frame["id"])
    monkeypatch.setattr(interactivity, "runs", lambda *args, **asked: pd.concat([rows, new], ignore_index=True))
    capacity._throughput.cache_clear()
    found = every_plan(Demand(benchmark="gpt-oss-120b")).set_index("accelerator")
    capacity._throughput.cache_clear()
    assert found.loc["New part", "reason"] == curve.NO_COMPUTE and found.loc["B200", "reason"] == ""
    assert found.loc["New part", ["evidence", "decided_by"]].tolist() == ["", ""]
    assert found.loc["New part", "throughput"] == found.loc["B200", "throughput"]
    weights = set(found.loc[found["reason"].eq(""), "weights_gb"])  # MI355X is labeled FP8, which is not published
    assert {"MI355X", "MI300X"} < set(found.index) and weights == {117 * 4.5 / 8}


BOUNDS = """
users 0 1 100,000,000
tokens_per_user 1e308 0.1 10,000
prompt_tokens 5e-324 1 10,000,000
answer_tokens -1 1 10,000,000
context_tokens 1e9 1 100,000,000
ttft_ms 0.5 1 10,000,000
delivered_share 2 0.01 1.5
prompt_reuse 1.5 0 1
seed -1 0 4,294,967,295
"""
BOUNDED = [({name: float(value)}, f"^{name} is .* from {least} to {most}$")
           for name, value, least, most in map(str.split, BOUNDS.strip().splitlines())]  # fmt: skip
REFUSED = [
    *BOUNDED, ({"users": float("nan")}, "users"), ({"users": True}, "users"), ({"users": "9"}, "users"),
    ({"fleet": "big"}, "pooled"), ({"stack": "TGI"}, "stack"),
    ({"cost_model": "own"}, "neocloud"), ({"precision": "fp2"}, "fp8"), ({"active_parameters": 3.0}, "active"),
    ({"parameters": 10.0, "active_parameters": 20.0}, "active"), ({"accelerators": ("B20",)}, "B200"),
    ({"benchmark": "mixtral"}, "Mixtral 8x7B"), ({"rounds": "v9.9"}, r"'v9\.9': .* v6\.1"),
    ({"prices": {"B200": 1e308}}, "price"), ({"lengths": "/nowhere.csv"}, "nowhere"),
    ({"benchmark": ""}, "benchmark, model, and parameters"),
    ({"accelerators": "Google"}, "none of Google has a result of GPT-OSS 120B or a price"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "named"), REFUSED)
def test_what_cannot_be_asked_is_refused_by_name(asked, named):
    with pytest.raises(ValueError, match=named):
        every_plan(Demand(**{"benchmark": "gpt-oss-120b"} | asked))


@pytest.mark.parametrize(
    "asked",
    [
        {"parameters": 600, "active_parameters": 540, "users": 29, "tokens_per_user": 20},  # reads nearly all weights
        {"benchmark": "gpt-oss-120b", "prompt_tokens": 100_000, "answer_tokens": 1},
        {"benchmark": "gpt-oss-120b", "prompt_tokens": 1, "answer_tokens": 130_000},
    ],
)
def test_extremes_plan_or_say_why(asked):
    found = every_plan(Demand(**asked)).set_index("accelerator")
    assert found["reason"].ne("").eq(found["accelerators_p50"].isna()).all()
    assert np.isfinite(found["accelerators_p90"].dropna()).all()
    if "parameters" in asked:
        assert found.loc[["B200", "MI355X", "GB300"], "accelerators_p50"].gt(0).all()


def test_a_vendor_is_planned_on_what_is_planned_without_a_filter(chosen):
    """A name is planned whatever it is."""
    found = every_plan(Demand(benchmark="gpt-oss-120b", accelerators=("amd", "TPU v6e"))).set_index("accelerator")
    vendors = tables.accelerators.set_index("label")["vendor"].reindex(chosen.index)
    assert {*found.index} == {*vendors.index[vendors.eq("AMD")], "TPU v6e"}
    both = found.index.drop("TPU v6e")
    pd.testing.assert_frame_equal(found.loc[both], chosen.loc[both, found.columns], check_names=False)
