"""Plans by hand: six deployments, whole nodes and racks, memory, the queue, and what is refused."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, cost, derating, interactivity
from analysis.planner import capacity, curve, decoding, models, queueing
from analysis.planner.capacity import Demand, every_plan, plan

SHARE = 0.5  # of the throughput at the interactivity, delivered
# Six deployments that an engineer sizes by hand: tokens/s per GPU read from the record, users x tokens/s per user over
# half of it, in whole nodes of 8 or racks of 72.
HANDS = [
    # v6.1 Server at 12.5: AMD's MI355X 14,155. 10,000 x 12.5 / 7,078 = 17.7 GPUs: 3 nodes.
    ({"benchmark": "gpt-oss-120b", "users": 10_000, "tokens_per_user": 12.5}, "MI355X", 17.7, 24, "measured"),
    # v6.1 Interactive at 66.7: NVIDIA's GB200 NVL72 8,683. 10,000 x 66.7 / 4,342 = 153.6 GPUs: 3 racks.
    ({"benchmark": "gpt-oss-120b", "users": 10_000, "tokens_per_user": 66.7}, "GB200", 153.6, 216, "measured"),
    # DeepSeek-R1 at 66.7: Azure's GB300 NVL72 3,612. 1,500 x 66.7 / 1,806 = 55.4 GPUs: 1 rack.
    ({"benchmark": "deepseek-r1", "users": 1_500, "tokens_per_user": 66.7}, "GB300", 55.4, 72, "measured"),
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
def test_six_deployments_by_hand(asked, accelerator, hand, rented, evidence):
    """Traffic within 1% where it is measured or interpolated; what is rented as by hand, the queue included."""
    row = plan(Demand(delivered_share=SHARE, **asked), accelerator)
    assert row["evidence"] == evidence
    if evidence == "estimated":
        assert row["accelerators_p10"] <= rented <= row["accelerators_p90"]
        return
    assert row["traffic"] == pytest.approx(hand, rel=0.01)
    assert math.ceil(row["needed"] / row["unit"]) * row["unit"] == rented
    assert row["accelerators_p10"] <= rented <= row["accelerators_p90"]


@pytest.fixture(scope="module")
def chat():
    """A plan of the defaults: 10,000 users of GPT-OSS 120B at 25 tokens/s."""
    return every_plan(Demand(benchmark="gpt-oss-120b")).set_index("accelerator")


def test_racks_are_rented_as_racks_and_nodes_as_nodes(chat):
    assert chat.loc[["GB200", "GB300"], "unit"].tolist() == [72, 72]
    assert chat.loc[["B200", "MI355X"], "unit"].tolist() == [8, 8]
    for mark in (10, 50, 90):
        planned = chat.dropna(subset="accelerators_p50")
        assert (planned[f"accelerators_p{mark}"] % planned["unit"] == 0).all()
        assert (planned[f"units_p{mark}"] * planned["unit"] == planned[f"accelerators_p{mark}"]).all()


def test_dollars_tokens_and_kilowatts_follow_from_accelerators(chat):
    """$/hour over 10,000 x 25 tokens/s x 3,600 s; listed price and all-in kilowatts of a B200."""
    row, listed = chat.loc["B200"], cost.prices().set_index("accelerator").loc["B200"]
    assert row["usd_per_hour_p50"] == pytest.approx(row["accelerators_p50"] * listed["usd_per_hour"])
    assert row["usd_per_million_tokens_p50"] == pytest.approx(row["usd_per_hour_p50"] / (250_000 * 3600) * 1e6)
    assert row["kilowatts_p50"] == pytest.approx(row["accelerators_p50"] * listed["kilowatts"])
    assert chat["usd_per_hour_p10"].le(chat["usd_per_hour_p90"]).sum() > 5


def test_the_middle_of_the_draws_is_the_hand_s_number(chat):
    """What throughput and delivered share ask for in the middle, in whole units, is P50."""
    measured = chat[chat["evidence"].ne("estimated") & chat["reason"].eq("")]
    by_hand = 250_000 / (measured["throughput"] * measured["delivered"])
    assert measured["traffic"].to_numpy() == pytest.approx(by_hand.to_numpy())
    whole = np.ceil(by_hand / measured["unit"]) * measured["unit"]
    assert (measured["accelerators_p50"] == whole).all()


def test_no_more_is_used_than_is_rented(chat):
    """P50 is what the middle throughput and share ask for: traffic over it is used, and the rest is paid for."""
    planned = chat.dropna(subset="accelerators_p50")
    assert planned["used"].to_numpy() == pytest.approx((planned["traffic"] / planned["accelerators_p50"]).to_numpy())
    assert planned["used"].between(0, 1).all()
    full = planned["usd_per_million_tokens_p50"] * planned["used"]
    assert full.to_numpy() == pytest.approx(planned["usd_per_million_at_full_use"].to_numpy(), nan_ok=True)


def test_draws_have_the_marks_that_they_are_made_of():
    drawn = capacity._drawn(80.0, 100.0, 150.0, np.array([0.1, 0.5, 0.9]))
    assert drawn.tolist() == pytest.approx([80.0, 100.0, 150.0])


def test_the_delivered_share_is_of_what_the_result_does_not_hold(chat):
    """GB200 and B200 (TensorRT-LLM): the page's whole share over its latency limit; MI355X states no stack."""
    for accelerator, kind in (("GB200", "rack"), ("B200", "TensorRT-LLM node to vLLM")):
        factors = derating.chain().set_index(["kind", "step"])["median"][kind]
        whole = factors["delivered"] / factors["latency limit"]
        assert chat.loc[accelerator, "delivered"] == pytest.approx(whole, rel=1e-3)
    stated = chat.loc["B200", "delivered"] / factors["serving stack"]
    assert chat.loc["MI355X", "delivered"] == pytest.approx(stated, rel=1e-3)
    own = plan(Demand(benchmark="gpt-oss-120b", delivered_share=0.5), "B200")
    assert own["delivered"] == 0.5


def test_a_plan_on_the_submitted_stack_needs_fewer(chat):
    asked = Demand(benchmark="gpt-oss-120b", users=10_000, tokens_per_user=25.0, stack="as submitted")
    assert plan(asked, "B200")["traffic"] == pytest.approx(chat.loc["B200", "traffic"] * 0.879, rel=1e-3)
    with pytest.raises(ValueError, match="stack"):
        Demand(benchmark="gpt-oss-120b", stack="TGI")


def test_weights_follow_the_record():
    """Most closed GPT-OSS runs are FP4: 117 x 4.5 / 8 = 65.8 GB, which one GPU of 80 GB holds; H100 likewise."""
    for accelerator in ("B200", "H100"):
        row = plan(Demand(benchmark="gpt-oss-120b"), accelerator)
        assert (row["precision"], row["weights_gb"]) == ("fp4", 117 * 4.5 / 8)
    found = every_plan(
        Demand(benchmark="gpt-oss-120b")
    )  # MI355X ran so labeled as FP8, in which the model is not published
    assert {"MI355X", "MI300X"} < set(found["accelerator"]) and set(found["weights_gb"]) == {117 * 4.5 / 8}
    model, lengths = models.of_benchmark("gpt-oss-120b"), models.lengths(models.requests_of("gpt-oss-120b"))
    held, block = capacity.requests_held(model, "fp4", lengths, 72.0, 1)
    assert held > 0 and block == 1
    assert capacity.requests_held(model, "fp8", lengths, 72.0, 1)[1] == 2


def test_memory_by_hand():
    """A 10 GB model with 1 GB a request on GPUs of 20 GB, none kept free: 4 GPUs as 4 copies hold 40 requests, as one
    copy 70, so one copy."""
    model = models.Model("llama2-70b", "M", 10.0, 10.0, 1.0, 1e6)
    lengths = models.Lengths(500.0, 500.0, 750.0, 1000.0, 500.0)
    assert model.cache_gb(1000.0) == 1.0
    assert capacity.requests_held(model, "fp8", lengths, 20.0, 4) == (70.0, 4)
    assert capacity.requests_held(model, "fp8", lengths, 5.0, 2) == (10.0, 4)  # 2 hold the weights and no request
    assert capacity.requests_held(model, "fp8", lengths, 0.001, 1) == (0.0, 0)


def test_windows_cache_the_last_tokens_only():
    """GPT-OSS: 18 of 36 layers see 128 tokens. 18 x 1,024 x (10,000 + 128) numbers at a byte."""
    model = models.of_benchmark("gpt-oss-120b")
    assert model.cache_gb(10_000.0) == pytest.approx(18 * 2 * 8 * 64 * (10_000 + 128) / 1e9)


def test_few_users_wait_in_a_queue_many_do_not(chat):
    """Of one slot's worth of users the queue asks for more than traffic; of 10,000 it does not."""
    few = plan(Demand(benchmark="llama3.1-405b", users=3, tokens_per_user=5.0, delivered_share=1.0), "H200")
    assert few["decided_by"] == "queue"
    assert chat.loc["B200", "decided_by"] == "traffic"


def test_a_prompt_is_read_by_eight_accelerators_of_a_rack():
    """GB200 needs so many seconds with eight, a ninth of it with 72: half of the former is too short a limit."""
    asked = Demand(benchmark="gpt-oss-120b", prompt_tokens=50_000, tokens_per_user=5.0)
    operations = asked.workload.model.prompt_operations(asked.workload.lengths.long_prompt)
    seconds = operations / (8 * decoding.peak_tflops("GB200", "fp4") * 1e12 * decoding.COMPUTE_SHARE)
    with pytest.raises(NoData, match=f"takes {seconds:.2g} s on a node"):
        plan(replace(asked, ttft_ms=seconds * 500), "GB200")


def test_the_queue_is_sized_for_the_busiest_time():
    """Of 3 users on average so many more are served at P99 of traffic; a slot takes its tokens/s of the throughput."""
    asked = Demand(benchmark="llama3.1-405b", users=3, tokens_per_user=5.0)
    row = plan(asked, "H200")
    point = pd.DataFrame([row]).assign(interactivity=5.0).astype({"throughput": float})
    share = derating.served_at(point).iloc[0]
    operations = asked.workload.model.prompt_operations(asked.workload.lengths.long_prompt)
    prefill = operations / (8 * decoding.peak_tflops("H200", row["precision"]) * 1e12 * decoding.COMPUTE_SHARE)
    service = prefill + asked.workload.lengths.answer / 5
    slots = queueing.slots_needed(3 * share["peak"], service, asked.ttft_seconds - prefill)
    assert row["decided_by"] == "queue" and share["peak"] > 1.5
    assert row["needed"] == pytest.approx(slots * 5 / (row["throughput"] * share["busy"]))


def test_more_users_take_proportionally_more():
    few, many = (
        plan(Demand(benchmark="llama2-70b", users=users, tokens_per_user=25.0), "H200") for users in (1e4, 1e5)
    )
    assert many["needed"] == pytest.approx(10 * few["needed"], rel=1e-3)


def test_an_accelerator_without_a_datasheet_is_left_out_with_its_reason(monkeypatch):
    rows = interactivity.runs("gpt-oss-120b")
    new = rows[rows["accelerator"].eq("B200")].assign(accelerator="New part", id=lambda frame: "n" + frame["id"])
    monkeypatch.setattr(interactivity, "runs", lambda *args, **asked: pd.concat([rows, new], ignore_index=True))
    capacity._throughput.cache_clear()
    found = every_plan(Demand(benchmark="gpt-oss-120b")).set_index("accelerator")
    capacity._throughput.cache_clear()
    assert found.loc["New part", "reason"] == curve.NO_COMPUTE and found.loc["B200", "reason"] == ""
    assert found.loc["New part", "throughput"] == found.loc["B200", "throughput"]


def test_a_prompt_that_takes_too_long_and_a_model_too_large_say_so():
    long = Demand(benchmark="llama3.1-405b", prompt_tokens=100_000, tokens_per_user=5.0)
    with pytest.raises(NoData, match=r"prefill of [0-9,]+ tokens takes"):
        plan(long, "B200")
    large = Demand(parameters=50_000.0, tokens_per_user=5.0)
    with pytest.raises(NoData, match="holds the weights"):
        plan(large, "H100")
    fast = Demand(benchmark="llama2-70b", tokens_per_user=9_000.0)
    with pytest.raises(NoData, match="memory bandwidth"):
        plan(fast, "H100")


REFUSED = [
    ({"users": 0}, "users"), ({"users": float("nan")}, "users"), ({"users": True}, "users"), ({"users": "9"}, "users"),
    ({"tokens_per_user": 0}, "tokens_per_user"), ({"tokens_per_user": 1e308}, "tokens_per_user"),
    ({"prompt_tokens": 5e-324}, "prompt_tokens"), ({"answer_tokens": 0.5}, "answer_tokens"),
    ({"prompt_tokens": -1}, "prompt_tokens"), ({"ttft_ms": float("inf")}, "ttft_ms"),
    ({"delivered_share": 2.0}, "delivered_share"), ({"fleet": "big"}, "pooled"),
    ({"cost_model": "own"}, "neocloud"), ({"precision": "fp2"}, "fp8"), ({"active_parameters": 3.0}, "active"),
    ({"parameters": 10.0, "active_parameters": 20.0}, "active"), ({"parameters": 1e308}, "parameters"),
    ({"accelerators": ("B20",)}, "B200"), ({"benchmark": "mixtral"}, "Mixtral 8x7B"), ({"rounds": ("v9.9",)}, r"v6\.1"),
    ({"prices": {"B200": 1e308}}, "price"), ({"lengths": "/nowhere.csv"}, "nowhere"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "named"), REFUSED)
def test_what_cannot_be_asked_is_refused_by_name(asked, named):
    with pytest.raises(ValueError, match=named):
        every_plan(Demand(**{"benchmark": "gpt-oss-120b"} | asked))


def test_a_demand_needs_a_model():
    with pytest.raises(ValueError, match="benchmark, model, or parameters"):
        Demand()


def test_own_requests_come_from_a_file(tmp_path):
    file = tmp_path / "requests.csv"
    file.write_text("prompt_tokens,answer_tokens\n100,1\n300,1\n")
    asked = Demand(benchmark="llama2-70b", lengths=str(file), tokens_per_user=10.0)
    assert (asked.workload.lengths.prompt, asked.workload.lengths.answer) == (200.0, 1.0)
    assert plan(asked, "H200")["accelerators_p50"] > 0  # answers of one token plan as others do
    file.write_text("prompt_tokens,answer_tokens\n100,1\n300,0.5\n")
    with pytest.raises(ValueError, match="row 3, answer_tokens"):
        replace(asked).workload  # noqa: B018
    file.write_text("prompt_tokens\n100\n")
    with pytest.raises(ValueError, match="no column 'answer_tokens'"):
        replace(asked).workload  # noqa: B018


@pytest.mark.slow
def test_large_models_plan_or_say_why():
    """A few of a grid of 408: 100 to 2,000 billion parameters, shares of them active, few and many users."""
    sizes, shares = np.geomspace(100, 2000, 17).round(), (0.03, 0.1, 0.3, 0.5, 0.9, 1.0)
    traffic = ((29, 20.0), (1, 5.0), (100_000, 60.0), (500, 35.0))
    for parameters, share, (users, speed) in list(itertools.product(sizes, shares, traffic))[::29]:
        asked = Demand(parameters=parameters, active_parameters=parameters * share, users=users, tokens_per_user=speed,
                       accelerators=("H100", "MI355X", "GB300"), draws=100)  # fmt: skip
        found = every_plan(asked)
        assert found["reason"].ne("").eq(found["accelerators_p50"].isna()).all()
        assert np.isfinite(found["accelerators_p90"].dropna()).all()


def test_29_users_of_a_model_whose_tokens_read_nearly_all_weights_are_planned():
    found = every_plan(Demand(model="M", parameters=600, active_parameters=540, users=29, tokens_per_user=20))
    assert found.set_index("accelerator").loc[["B200", "MI355X", "GB300"], "accelerators_p50"].gt(0).all()


def test_extremes_of_lengths_plan_or_say_why():
    for prompt, answer in ((100_000, 1), (1, 1), (1, 130_000), (130_000, 1)):
        asked = Demand(benchmark="gpt-oss-120b", prompt_tokens=prompt, answer_tokens=answer, draws=100)
        found = every_plan(asked)
        assert found["reason"].ne("").eq(found["accelerators_p50"].isna()).all()


def test_attention_of_long_prompts_by_hand():
    """8B: 4 x 4,096 x 32 layers x half of 243,000 squared over 2 x 8e9 x 243,000 is 3.98; ten times as long 39.8.

    Of GPT-OSS 18 of 36 layers see 128 tokens: at 10,000 tokens 4 x 64 x 64 x (18 x 5e7 + 18 x 1.28e6).
    """
    small, windowed = models.of_benchmark("llama3.1-8b"), models.of_benchmark("gpt-oss-120b")
    for tokens, times in ((243_000, 3.98), (2_430_000, 39.8)):
        assert small.prompt_operations(tokens) / (16e9 * tokens) - 1 == pytest.approx(times, rel=1e-3)
    attention = windowed.prompt_operations(10_000.0) - 2 * 5.1e9 * 10_000
    assert attention == pytest.approx(4 * 4096 * 18 * (5e7 + 1.28e6))
    assert small.prompt_operations(100.0, 90_000.0) - 16e11 == pytest.approx(4 * 4096 * 32 * 45_000)


def test_prompts_beyond_the_context_are_refused():
    with pytest.raises(ValueError, match=r"127,000 tokens of prompt and 1,000 of answer exceed .* 4,096"):
        every_plan(Demand(benchmark="llama2-70b", prompt_tokens=127_000, answer_tokens=1_000))
    with pytest.raises(ValueError, match="exceed the context of 131,072"):
        every_plan(Demand(parameters=8.0, prompt_tokens=10_000_000))
    asked = Demand(benchmark="llama2-70b", prompt_tokens=127_000, answer_tokens=1_000, context_tokens=131_072)
    assert asked.workload.lengths.long_prompt <= 131_072 and asked.workload.lengths.prompt == 127_000


def test_a_mean_near_the_context_leaves_its_spread_no_room():
    """Prompts of 1 and 3 tokens at a mean of 3.5 of at most 4: 3 and 4. Of a mean of 2.2 none is capped: 1.1, 3.3."""
    requests = pd.DataFrame({"prompt_tokens": [1.0, 3.0], "answer_tokens": [1.0, 1.0]})
    assert models.lengths(requests, 3.5, 1.0, 5.0).long_prompt == pytest.approx(4.0)
    assert models.lengths(requests, 3.5, 1.0, 5.0).squared == pytest.approx((9 + 16) / 2)
    assert models.lengths(requests, 2.2, 1.0, 5.0).long_prompt == pytest.approx(3.3)


def test_what_a_capped_prompt_loses_goes_to_the_others_until_all_fit():
    """Prompts of 1, 3, and 4 at a mean of 3.5 of at most 4: the longest is capped, then the middle one: 2.5, 4, 4."""
    requests = pd.DataFrame({"prompt_tokens": [1.0, 3.0, 4.0], "answer_tokens": [1.0, 1.0, 1.0]})
    assert models.lengths(requests, 3.5, 1.0, 5.0).squared == pytest.approx((2.5**2 + 16 + 16) / 3)


def test_faster_than_a_batch_of_one_throughput_falls_evenly_to_nothing():
    """One H100, hardly any prompt and layers: alone at a bit less than 60% of the bandwidth, nothing at all of it."""
    model = models.Model("llama2-70b", "M", 8.0, 8.0, 1.0, 1.0)
    lengths = models.Lengths(1.0, 1000.0, 500.0, 1000.0, 1.0)
    end = 3350 / model.weight_gb("fp8")
    alone = 1 / (1 / (decoding.READ_SHARE * end) + decoding.LAYER_SECONDS)
    setup = pd.DataFrame({"accelerator": ["H100"] * 2, "weights": "fp8", "group": 1})
    found = decoding.rates(setup, model, lengths, [(alone + end) / 2, (alone + 3 * end) / 4])
    assert found.tolist() == pytest.approx([alone / 2, alone / 4], rel=0.02)
    assert decoding.roofs(setup, model, lengths)[0] == pytest.approx(end, rel=1e-6)


def test_the_kv_cache_of_five_users_with_full_windows():
    """127,500 tokens x 80 layers x 2 x 8 x 128 numbers of a byte: 20.9 GB a user, in 16 bit 41.8."""
    asked = Demand(benchmark="llama2-70b", users=5, tokens_per_user=20.0, prompt_tokens=127_000, answer_tokens=1_000,
                   context_tokens=131_072, ttft_ms=120_000.0)  # fmt: skip
    requests = pd.DataFrame({"prompt_tokens": [127_000.0], "answer_tokens": [1_000.0]})
    by_hand = 127_500 * 80 * 2 * 8 * 128 / 1e9
    assert asked.workload.model.cache_gb(models.lengths(requests).context) == pytest.approx(by_hand)
    row = plan(asked, "H100")
    assert row["cache_gb"] == pytest.approx(by_hand, rel=0.02)
    assert asked.workload.model.cache_gb(127_500.0, "fp16") == pytest.approx(41.8, abs=0.05)


def test_beyond_memory_bandwidth_a_plan_says_where_it_ends():
    with pytest.raises(NoData, match=r"faster than .*: one user has at most [0-9,]+ tokens/s"):
        plan(Demand(benchmark="gpt-oss-120b", tokens_per_user=5000.0), "B200")


def test_an_accelerator_of_40_gb_is_not_planned_as_one_of_80():
    asked = Demand(benchmark="llama2-70b", users=10, tokens_per_user=5.0, accelerators=("A100 40GB", "A100"))
    assert every_plan(asked)["accelerator"].tolist() == ["A100", "A100 SXM 40GB"]


def test_a_vendor_is_planned_on_what_is_planned_without_a_filter(chat):
    """A name is planned whatever it is; of Google nothing has a result or a price here."""
    vendors = every_plan(Demand(benchmark="gpt-oss-120b", accelerators=("amd", "NVIDIA", "Intel"))).set_index(
        "accelerator"
    )
    pd.testing.assert_frame_equal(vendors, chat.loc[vendors.index])
    assert set(vendors.index) == set(chat.index)
    amd = every_plan(Demand(benchmark="gpt-oss-120b", accelerators=("AMD", "TPU v6e")))["accelerator"]
    assert {"MI355X", "TPU v6e"} < set(amd) < {*chat.index, "TPU v6e"}
    with pytest.raises(NoData, match="no accelerator of Google has a result of GPT-OSS 120B or a price"):
        every_plan(Demand(benchmark="gpt-oss-120b", accelerators=("Google",)))
