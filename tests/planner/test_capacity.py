"""What a plan rests on: throughput at the speed per user, of systems of one kind, and watts of one run."""

from dataclasses import replace

import pandas as pd
import pytest

from analysis._core.interval import Interval
from analysis._core.notes import note
from analysis._core.parameters import RealWorldDerating
from analysis.planner import capacity
from analysis.planner.basis import basis
from analysis.planner.curve import Throughput

ASKED = RealWorldDerating(
    benchmark="llama2-70b",
    baseline="H100 SXM",
    rounds=["v4.1", "v5.1"],
    draws=1000,
    tokens_per_second_per_user=5.0,
    users=1000,
    wall_over_limit=[1.2, 1.5],
    context_tokens=[500.0, 2000.0],
    whole_nodes=True,
)
SERVER = {"benchmark": "llama2-70b", "scenario": "Server", "low": 24_000.0}
METERED = SERVER | {"power_measured": True, "power_watts_low": 5_600.0, "power_watts_high": 5_600.0, "low": 16_000.0}
CAPPED = METERED | {"power_capped": True, "round": "v4.0"}
INTERACTIVE = SERVER | {"scenario": "Interactive", "low": 12_000.0, "round": "v5.1"}


@pytest.fixture
def plan(record):
    """The plan on a record of these rows; `changes` are of what is asked."""
    return lambda *rows, **changes: capacity.make(record(*rows), ASKED.model_copy(update=changes))


def throughput(planned):
    return planned.inputs.set_index("quantity").loc["throughput per accelerator", ["value_low", "value_high"]].tolist()


def test_a_limit_on_time_per_token_asks_for_its_speed(plan):
    """40 ms are 25 tokens/s, more than the 5 asked for."""
    planned = plan(SERVER, INTERACTIVE, tpot_ms=40.0)
    assert planned.demand.tokens_per_second_per_user == 25.0 and throughput(planned) == [1500.0] * 2
    assert note("limit_decides_speed", speed="5") in planned.notes


def test_a_limit_on_time_per_token_asks_nothing_of_what_has_no_tokens(plan):
    """At 40 ms per token 25 tokens/s would be five times the images that are asked for."""
    images = SERVER | {"benchmark": "resnet50", "unit": "samples/s"}
    planned = plan(images, benchmark="resnet50", tokens_per_second_per_user=5.0, tpot_ms=40.0)
    assert planned.demand.tokens_per_second_per_user == 5.0
    assert not any(own.code == "limit_decides_speed" for own in planned.notes)


@pytest.mark.parametrize(("context", "told"), [([10.0, 1249.0], True), ([10.0, 1250.0], False), ([], False)])
def test_requests_longer_than_the_contexts_in_memory_are_told(plan, lengths, context, told):
    planned = plan(SERVER, lengths=lengths("1000,500"), context_tokens=context)
    assert (note("short_context", mean="1,250", context="1,249") in planned.notes) == told


@pytest.mark.parametrize(("nodes", "group"), [(1, 4), (2, 4), (4, 2)])
def test_a_group_grows_within_its_node_until_it_reads_the_prompt_in_time(plan, lengths, nodes, group):
    """405 GB fit on two B300, which read 20,000 tokens in 3.6 s, four in 1.8: a node of two is none for 2 s."""
    row = SERVER | {"benchmark": "llama3.1-405b", "accelerator": "B300 SXM", "round": "v5.1", "nodes": nodes}
    asked = {"benchmark": "llama3.1-405b", "baseline": "B300 SXM", "lengths": lengths("20000,640")}
    planned = plan(row, **asked, ttft_ms=2000.0)
    read = planned.inputs.set_index("quantity").loc["prefill"]
    flops = 2 * 405e9 * 20_000 / (group * 4.5e15 * 0.5)
    assert (planned.box.group, read["value_low"]) == (group, pytest.approx(flops, rel=0.01))
    assert bool(planned.too_long) == planned.draws.empty == (group == 2)
    assert planned.draws.empty or (planned.draws["accelerators"] % group == 0).all()
    assert plan(row, **asked).box.group == 2  # where the 6 s of the scenario need no more, weights decide


@pytest.mark.parametrize(("benchmark", "told"), [("deepseek-r1", True), ("llama3.1-405b", False)])
def test_a_latent_cache_is_told_to_be_planned_once_for_a_group(plan, benchmark, told):
    """Both need several accelerators; heads of keys and values are shared out between them, a latent vector is not."""
    planned = plan(SERVER | {"benchmark": benchmark}, benchmark=benchmark, weight_precision="fp8")
    assert (note("latent_cache") in planned.notes) == told


def test_a_run_of_one_s_own_stands_in_place_of_the_record(record):
    asked = ASKED.model_copy(update={"tokens_per_second_per_user": 300.0})
    planned = capacity.make(record(SERVER), asked, Interval(1.0, 1.0), own=Throughput(Interval(500.0, 500.0), "a file"))
    assert throughput(planned) == [500.0] * 2 and planned.behind.empty
    assert planned.inputs["range_of"].iloc[0] == "a file" and len(planned.draws) == 1000


def test_nodes_are_those_of_the_systems_behind_the_throughput(plan):
    assert (plan(SERVER).node, plan(SERVER | {"accelerator_count": 4}).node) == (8, 4)


def test_plans_for_several_numbers_of_users(record):
    """A node costs the same for one user as for ten."""
    of = capacity.basis(record(SERVER), ASKED)
    found = capacity.by_users(of, ASKED, [1, 10, 100_000])
    assert found["users"].tolist() == [1, 10, 100_000] and found["accelerators_low"].tolist()[:2] == [8.0, 8.0]
    one, ten, many = found["usd_per_user_hour_low"]
    assert one == pytest.approx(10 * ten) and many < ten
    plan = capacity.over(of, ASKED.model_copy(update={"users": 100_000})).marks.set_index("output")
    for name in ("accelerators", "usd_per_user_hour"):
        told = [found[f"{name}_{end}"].iloc[-1] for end in ("low", "median", "high")]
        assert told == plan.loc[name, ["p10", "p50", "p90"]].tolist()
    too_fast = ASKED.model_copy(update={"tokens_per_second_per_user": 9999.0})
    assert capacity.by_users(of, too_fast, [1]).empty


def test_watts_are_those_of_a_metered_run_host_included(plan):
    """5,600 W of eight are 700 each, and all eight of the node draw them: x 1.3 of the building 7.28 kW."""
    planned = plan(SERVER, METERED | {"round": "v4.0"}, users=10)
    crossed = note("different_rounds", rounds="v4.1", other_rounds="v4.0")
    assert planned.power_notes == {replace(crossed, about=("throughput against kilowatts",))}
    assert planned.drawn.metered and planned.draws["nodes"].eq(1).all()
    assert planned.draws["kilowatts"].tolist() == pytest.approx([7.28] * 1000, rel=1e-12)
    told = planned.inputs.set_index("quantity").loc["power"]
    assert told[["value_low", "value_high"]].tolist() == [700.0] * 2
    assert told["range_of"] == "measured at the wall in one run of 1 system, official v4.0"
    assert planned.inputs.set_index("quantity")["range_of"]["throughput per accelerator"] == "1 of 1 systems (Server)"


def test_of_the_round_that_is_planned_with_nothing_is_crossed(plan):
    assert plan(SERVER, METERED, CAPPED).power_notes == frozenset()


@pytest.mark.parametrize(
    "other", [{"accelerator": "L40S"}, {"scenario": "Offline"}, {"benchmark": "gptj"}, {"power_capped": True}]
)
def test_without_a_comparable_meter_watts_are_those_of_a_stated_model(plan, other):
    """700 W x 1.2 to 1.5 for the host; capped watts never meet throughput without a cap."""
    planned = plan(SERVER, METERED | other, wall_over_limit=[1.2, 1.5], users=10)
    assert planned.power_notes == {note("no_meter", accelerator="H100 SXM", scenario="Server")}
    assert not planned.drawn.metered
    assert planned.draws["kilowatts"].between(8 * 0.84 * 1.3, 8 * 1.05 * 1.3).all()
    told = planned.inputs.set_index("quantity").loc["power"]
    assert told[["value_low", "value_high"]].tolist() == pytest.approx([840.0, 1050.0], rel=1e-12)
    assert told["range_of"] == "modeled: power limit of 700 W, times 1.2 to 1.5 for the host (given)"


def test_spare_nodes_are_rented_beside_those_needed(plan):
    """And the draws are the same ones."""
    none, one = plan(SERVER), plan(SERVER, spare_nodes=1)
    assert (one.draws["nodes"] == none.draws["nodes"] + 1).all()
    assert one.draws["for_queue"].equals(none.draws["for_queue"])


def test_several_nodes_keep_what_larger_systems_of_one_submitter_kept(plan):
    """16 accelerators on two nodes give 2,700 each where eight give 3,000: 0.9, whatever another submitter's give."""
    larger = {"accelerator_count": 16, "nodes": 2}
    rows = SERVER | {"nodes": 1}, SERVER | larger | {"low": 43_200.0}
    planned = plan(*rows, SERVER | larger | {"low": 16_000.0, "submitter": "Another"}, users=50_000)
    assert throughput(planned) == [3000.0] * 2 and planned.box.kept == Interval(0.9, 0.9)
    told = planned.inputs.set_index("quantity").loc["multi-node scaling"]
    assert told["range_of"] == "1 multi-node system, up to 16 accelerators"
    alone = plan(rows[0], users=50_000)
    assert alone.box.kept == Interval(1.0, 1.0)
    assert planned.draws["for_traffic"].tolist() == pytest.approx((alone.draws["for_traffic"] / 0.9).tolist())


@pytest.mark.parametrize("spare_nodes", [0, 2])
def test_the_staircase_is_that_of_the_plan(record, spare_nodes):
    """At each first user the plan has the step's nodes, and with one user less fewer."""
    asked = ASKED.model_copy(update={"spare_nodes": spare_nodes})
    of = capacity.basis(record(SERVER), asked)
    steps = capacity.staircase(of, asked, (1, 100_000), steps=9)
    counts = steps["accelerators"]
    assert counts.is_monotonic_increasing and counts.iloc[0] == 8 + 8 * spare_nodes and len(steps) > 5
    for mark in ("p10", "p50", "p90"):
        assert steps[f"users_from_{mark}"].is_monotonic_increasing
        for row in steps.iloc[1:].to_dict("records"):
            first = row[f"users_from_{mark}"]
            plans = (capacity.over(of, asked.model_copy(update={"users": users})) for users in (first - 1, first))
            found = [planned.marks.set_index("output").at["accelerators", mark] for planned in plans]
            assert found[0] < row["accelerators"] <= found[1], (mark, row)
    assert (steps["users_from_p90"] <= steps["users_from_p50"]).all()
    assert capacity.staircase(of, asked.model_copy(update={"tokens_per_second_per_user": 9999.0})).empty


def test_inputs_say_what_their_ranges_are_of(plan):
    planned = plan(SERVER)
    told = planned.inputs.set_index("quantity")["range_of"]
    assert {told[name] for name in ("derate", "peak over mean")} == {capacity.ASSUMED}
    assert told["context"] == "prompts of 222 and answers of 287 tokens in the mean"
    assert told["price"] == "InferenceX (neocloud total cost of ownership)"
    assert isinstance(planned.marks, pd.DataFrame) and planned.marks["p50"].notna().all()


def test_parts_of_nodes_are_rented_unless_whole_ones_are_asked_for(plan):
    """10 users of 5 tokens/s take one of 3,000 tokens/s; two hold the weights of 70 GB beside their caches."""
    for whole, count in ((True, 8), (False, 2)):
        planned = plan(SERVER, users=10, whole_nodes=whole, peak_over_mean=[1.0, 1.0])
        assert planned.draws["accelerators"].eq(count).all() and planned.draws["nodes"].eq(1).all()


def test_a_slot_is_held_for_the_mean_prompt_and_waited_for_by_the_long_one(plan, lengths):
    """200 and 1,000 tokens: 1,000 within the limit, 600 in service."""
    demand = plan(SERVER, lengths=lengths("200,500", "1000,500")).demand
    assert demand.service_s == pytest.approx(0.6 * demand.prompt_s + 500 / 5.0)
    assert demand.wait_limit_s == 2.0 - demand.prompt_s


def test_what_is_left_out_is_the_benchmark_s(plan, data):
    """The TTFT limit of the scenario, and the cache of its data set's requests, answers as long as the model's."""
    told = plan(SERVER, context_tokens=[]).inputs.set_index("quantity").loc["context", ["value_low", "value_high"]]
    rows = data.request_lengths.query("benchmark == 'llama2-70b'").astype({"answer_tokens": "float64"})
    answers = rows["answer_tokens"] * 287.25 / rows["answer_tokens"].mean()
    prompts = rows["prompt_tokens"] * 222.3 / rows["prompt_tokens"].mean()
    cached = ((prompts + answers / 2) * answers).sum() / answers.sum()
    assert told.tolist() == pytest.approx([cached, ((prompts + answers) * answers).sum() / answers.sum()])
    assert cached > 1.1 * (222.3 + 287.25 / 2)  # long answers are in service for longer
    assert plan(SERVER).demand.ttft_limit_s == 2.0 and plan(SERVER, scenario="Interactive").demand.ttft_limit_s == 0.45
    assert plan(SERVER, ttft_ms=900.0).demand.ttft_limit_s == 0.9


def test_what_a_buyer_asks_next_is_planned_too(record):
    """Prices move dollars alone; a slower user never takes more accelerators; half the utilization takes twice."""
    asked = ASKED.model_copy(update={"users": 50_000, "prices": ["2"], "peak_over_mean": [1.0, 1.5]})
    found = capacity.sensitivity(basis(record(SERVER, INTERACTIVE), asked), asked).set_index("change")
    assert list(found.index) == ["price -20%", "price +20%", "15 tokens/s per user", "25 tokens/s per user",
                                 "50 tokens/s per user", "utilization 100%", "utilization 50%"]  # fmt: skip
    low, high = (found.loc[f"price {sign}20%"] for sign in "-+")
    assert low["accelerators"] == high["accelerators"]
    assert high["usd_per_hour"] == pytest.approx(1.5 * low["usd_per_hour"])
    assert found["accelerators"].iloc[2:5].is_monotonic_increasing
    full, half = (found.at[f"utilization {share}%", "accelerators"] for share in (100, 50))
    assert half == pytest.approx(2 * full, rel=0.1)
    assert found["evidence"].tolist()[2:5] == ["interpolated", "measured", "estimate"]
