"""What a plan rests on: throughput at the speed per user, of systems of one kind, and watts of one run."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis._core.interval import Interval
from analysis._core.notes import note
from analysis._core.parameters import RealWorldDerating
from analysis._tables.catalog import Catalog
from analysis.comparability.selection import Data
from analysis.planner import capacity
from analysis.planner.basis import basis
from analysis.planner.capacity import Planned
from analysis.planner.lower_bounds import Throughput
from analysis.planner.official_runs import SPEED

ASKED = RealWorldDerating(
    benchmark="llama2-70b",
    baseline="H100 SXM",
    rounds=["v4.1", "v5.1"],
    draws=1000,
    tokens_per_second_per_user=5.0,
    users=1000,
    wall_over_limit=[1.2, 1.5],
)
SERVER = {"benchmark": "llama2-70b", "scenario": "Server", "low": 24_000.0}
METERED = SERVER | {"power_measured": True, "power_watts_low": 5_600.0, "power_watts_high": 5_600.0, "low": 16_000.0}
CAPPED = METERED | {"power_capped": True, "round": "v4.0"}
INTERACTIVE = SERVER | {"scenario": "Interactive", "low": 12_000.0, "round": "v5.1"}
ONE = {"result_id": "1"}  # rows with one result id are of one system
Plan = Callable[..., Planned]


@pytest.fixture
def record(results: Callable, tables: Callable[..., Data], data: Catalog) -> Callable[..., SimpleNamespace]:
    """Tables whose record is these rows; `tpot_p99_ms` is what the logs say, `nodes` what the description does."""

    def make(*rows: dict) -> SimpleNamespace:
        named = ("tpot_p99_ms", "ttft_p99_ms", "nodes")
        more = {name: [row.get(name, float("nan")) for row in rows] for name in named}
        frame = results(*({name: row[name] for name in row if name not in more} for row in rows))
        own = tables(frame.assign(**more), of=data.benchmarks)
        facts = {name: getattr(data, name) for name in ("accelerators", "prices", "benchmark_limits")}
        return SimpleNamespace(results=own.results, doubts=own.doubts, benchmarks=data.benchmarks, **facts)

    return make


@pytest.fixture
def plan(record: Callable) -> Plan:
    """The plan on a record of these rows; `changes` are of what is asked."""
    return lambda *rows, **changes: capacity.make(record(*rows), ASKED.model_copy(update=changes))


def throughput(planned: Planned) -> list[float]:
    return planned.inputs.set_index("quantity").loc["throughput per accelerator", ["value_low", "value_high"]].tolist()


def test_the_throughput_is_as_wide_as_predictions_of_left_out_systems_were_off(plan: Plan) -> None:
    """Twelve systems, each over the median of the eleven others: P10 to P90 of that, as ends of a uniform range."""
    rates = [3000.0 + 10 * place**2 for place in range(12)]
    rows = [SERVER | {"low": 8 * rate, "system": f"box {place}"} for place, rate in enumerate(rates)]
    over = [rate / np.median([*rates[:place], *rates[place + 1 :]]) for place, rate in enumerate(rates)]
    low, high = np.quantile(over, [0.1, 0.9], method="weibull")
    ends = np.median(rates) * np.array([low - (high - low) / 8, high + (high - low) / 8])
    planned = plan(*rows)
    assert throughput(planned) == pytest.approx(ends.tolist(), rel=1e-12)
    drawn = planned.draws["throughput per accelerator"]
    within = drawn.between(low * np.median(rates), high * np.median(rates)).mean()
    assert within == pytest.approx(0.8, abs=0.05)
    of = planned.inputs.set_index("quantity").loc["throughput per accelerator", "range_of"]
    assert of == "12 of 12 systems, widened by the error of 12 predictions"
    papers = [row | {"origin": "published", "source_id": "doc", "source": "Paper"} for row in rows]
    assert throughput(plan(*papers, origins=["published"])) == [min(rates), max(rates)]


def test_the_throughput_is_that_of_a_scenario_whose_limit_covers_the_speed(plan: Plan) -> None:
    """Server guarantees 5 tokens/s and gives 3,000 each; Interactive guarantees 25 and gives 1,500."""
    rows = SERVER, INTERACTIVE
    slow, fast, too_fast = (plan(*rows, tokens_per_second_per_user=speed) for speed in (5.0, 25.0, 25.1))
    assert (throughput(slow), slow.chosen.question.scenario) == ([3000.0] * 2, "Server")
    assert (throughput(fast), fast.chosen.question.scenario) == ([1500.0] * 2, "Interactive")
    assert too_fast.draws.empty and too_fast.unproven and too_fast.fastest == (25.0, "Interactive")


def test_a_log_proves_more_than_the_limit(plan: Plan) -> None:
    """50 ms at p99 are 20 tokens/s: that run of another system covers 12, the faster one without a log does not."""
    logged = SERVER | {"low": 8_000.0, "tpot_p99_ms": 50.0, "submitter": "Another"}
    planned = plan(SERVER, logged, INTERACTIVE | {"low": 4_000.0}, tokens_per_second_per_user=12.0)
    assert throughput(planned) == [1000.0] * 2
    assert throughput(plan(SERVER, logged, tokens_per_second_per_user=5.0)) == [1000.0, 3000.0]


@pytest.mark.parametrize(
    ("speed", "most"), [(20.0, 1000.0), (16.0, 1400.0), (10.0, 2000.0), (6.0, 2400.0)], ids=lambda value: f"{value:g}"
)
def test_between_two_speeds_of_a_system_lies_the_line_between_them(plan: Plan, speed: float, most: float) -> None:
    """1,000 at 20 tokens/s and 2,500 at 5, 100 less for each: at least the former, at most on the line."""
    fast = INTERACTIVE | ONE | {"low": 8_000.0, "tpot_p99_ms": 50.0}
    slow = SERVER | ONE | {"low": 20_000.0, "tpot_p99_ms": 200.0, "round": "v5.1"}
    planned = plan(slow, fast, tokens_per_second_per_user=speed)
    assert throughput(planned) == pytest.approx([1000.0, most], rel=1e-12)
    assert planned.inputs["range_of"].iloc[0].startswith("1 of 1 systems") and planned.behind["low"].tolist() == [8e3]
    assert ("interpolated" in planned.inputs["range_of"].iloc[0]) == (speed < 20)


def test_what_a_faster_run_gave_slower_users_get_too(plan: Plan) -> None:
    """At 20 tokens/s one system gave 1,500, and at 12 the newer ones 1,000: whoever is to see 10 gets the 1,500."""
    fast = INTERACTIVE | {"low": 12_000.0, "tpot_p99_ms": 50.0}
    slow = SERVER | {"low": 8_000.0, "tpot_p99_ms": 1000 / 12, "submitter": "Another"}
    planned = plan(slow, fast, tokens_per_second_per_user=10.0)
    assert throughput(planned) == [1500.0] * 2
    assert (planned.behind["low"].tolist(), planned.chosen.question.scenario) == ([12_000.0], "Interactive")
    preview = plan(slow, fast | {"availability": "preview"}, tokens_per_second_per_user=10.0)
    assert throughput(preview) == [1000.0] * 2  # what cannot be bought proves nothing of what can


def test_a_run_of_unknown_speed_stands_beside_a_slower_one_of_its_system(record: Callable) -> None:
    """Neither a log nor a limit says how fast it was: it stays, and gives what it gave."""
    slow = SERVER | ONE | {"low": 20_000.0, "tpot_p99_ms": 200.0}
    tables = record(slow, SERVER | ONE | {"low": 8_000.0})
    tables.benchmark_limits = tables.benchmark_limits.head(0)
    proven = basis(tables, ASKED).at(10.0)
    assert proven.behind["low"].tolist() == [8_000.0]
    assert (proven.throughput.rate.low, proven.throughput.rate.high) == (1000.0, 1000.0)


RUN = st.fixed_dictionaries(
    {
        "scenario": st.sampled_from(["Server", "Interactive"]),
        "low": st.floats(1_000.0, 50_000.0),
        "tpot_p99_ms": st.floats(10.0, 200.0),
        "submitter": st.sampled_from(["One", "Another"]),
        "accelerator_count": st.sampled_from([8, 16]),
        "round": st.just("v5.1"),
    }
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(RUN, min_size=1, max_size=6), at=st.lists(st.floats(5.0, 99.0), max_size=6))
def test_slower_users_never_take_more_of_an_accelerator(record: Callable, rows: list[dict], at: list[float]) -> None:
    named = [SERVER | row | {"result_id": f"{row['submitter']}"} for row in rows]
    of = basis(record(*named), ASKED)
    measured = [1000 / row["tpot_p99_ms"] for row in rows]
    speeds = sorted([*at, *measured, *(np.nextafter(speed, 0) for speed in measured)])
    rates = [of.at(speed).throughput.rate.middle for speed in speeds if speed <= max(measured)]
    assert all(faster <= slower * (1 + 1e-12) for slower, faster in pairwise(rates))


def test_on_the_shipped_record_slower_users_take_no_more(data: Catalog) -> None:
    """Of deepseek-r1 on GB200 and llama3.1-405b on B200, at each measured speed, just below it and just above."""
    for benchmark, accelerator in (("deepseek-r1", "GB200"), ("llama3.1-405b", "B200 SXM")):
        asked = ASKED.model_copy(update={"benchmark": benchmark, "baseline": accelerator, "rounds": ["v5.1", "v6.0"]})
        of = basis(data, asked)
        measured = sorted({run[SPEED] for run in of.runs})
        speeds = [speed + by for speed in measured for by in (-1e-6, 0.0, 1e-6)][:-1]
        rates = [of.at(speed).throughput.rate.middle for speed in speeds]
        assert len(measured) > 4 and all(faster <= slower * (1 + 1e-12) for slower, faster in pairwise(rates))


@pytest.mark.parametrize("other", [{"result_id": "2"}, {"round": "v4.1"}, {"low": 7_000.0}])
def test_no_line_is_drawn_to_another_system_or_to_one_that_gave_less(plan: Plan, other: dict) -> None:
    fast = INTERACTIVE | ONE | {"low": 8_000.0, "tpot_p99_ms": 50.0}
    slow = SERVER | ONE | {"low": 20_000.0, "tpot_p99_ms": 200.0, "round": "v5.1"} | other
    assert throughput(plan(slow, fast, tokens_per_second_per_user=10.0)) == [1000.0] * 2


def test_what_latency_takes_is_told_of_the_systems_that_are_planned_with(plan: Plan) -> None:
    """3,000 of 4,000 tokens/s Offline are 0.75, in the throughput already; no other system's share is."""
    offline = SERVER | ONE | {"scenario": "Offline", "low": 32_000.0}
    other = {"result_id": "2", "tpot_p99_ms": 500.0}
    planned = plan(SERVER | ONE, offline, SERVER | other, offline | other | {"low": 90_000.0})
    told = planned.inputs.set_index("quantity").loc["share of Offline under the latency limit"]
    assert told[["value_low", "value_high"]].tolist() == [0.75, 0.75]
    assert told["range_of"] == "1 of 1 systems, over their own Offline runs"
    assert "share of Offline under the latency limit" not in set(plan(SERVER).inputs["quantity"])


def test_the_scenario_asked_for_is_the_loosest_that_is_taken(plan: Plan) -> None:
    planned = plan(SERVER, INTERACTIVE, scenario="Interactive")
    assert (throughput(planned), planned.chosen.question.scenario) == ([1500.0] * 2, "Interactive")


def test_an_accelerator_without_a_run_so_fast_has_no_plan_whatever_others_have(plan: Plan) -> None:
    other = INTERACTIVE | {"accelerator": "H200 SXM"}
    planned = plan(SERVER, other, tokens_per_second_per_user=25.0)
    assert planned.draws.empty and planned.unproven and planned.fastest == (5.0, "Server")
    assert (planned.as_fast, planned.chosen.question.scenario) == (("H200 SXM",), "Server")


def test_a_limit_on_time_per_token_asks_for_its_speed(plan: Plan) -> None:
    """40 ms are 25 tokens/s, more than the 5 asked for."""
    planned = plan(SERVER, INTERACTIVE, tpot_ms=40.0)
    assert planned.demand.tokens_per_second_per_user == 25.0 and throughput(planned) == [1500.0] * 2
    assert note("limit_decides_speed", speed="5") in planned.notes


def test_a_limit_on_time_per_token_asks_nothing_of_what_has_no_tokens(plan: Plan) -> None:
    """At 40 ms per token 25 tokens/s would be five times the images that are asked for."""
    images = SERVER | {"benchmark": "resnet50", "unit": "samples/s"}
    planned = plan(images, benchmark="resnet50", tokens_per_second_per_user=5.0, tpot_ms=40.0)
    assert planned.demand.tokens_per_second_per_user == 5.0
    assert not any(own.code == "limit_decides_speed" for own in planned.notes)


@pytest.mark.parametrize(("context", "told"), [([10.0, 999.0], True), ([10.0, 1000.0], False)])
def test_a_prompt_longer_than_the_contexts_in_memory_is_told(plan: Plan, context: list[float], told: bool) -> None:
    planned = plan(SERVER, prompt_tokens=1000.0, context_tokens=context)
    assert (note("long_prompt", prompt="1,000", context="999") in planned.notes) == told


def test_runs_whose_first_token_took_longer_than_asked_are_taken_where_no_other_is(plan: Plan) -> None:
    """Of 1,200 ms and 1,900 at p99 the first keeps 1,500; under 1,000 there is the tighter scenario, then none."""
    quick, slow = (SERVER | {"result_id": f"{took}", "ttft_p99_ms": took, "round": "v5.1"} for took in (1200.0, 1900.0))
    both = quick | {"low": 16_000.0}, slow
    late = note("late_first_token", accelerator="H100 SXM", seconds="0.45", limit="0.3")
    for limit, each in ((2000.0, [2000.0, 3000.0]), (1500.0, [2000.0] * 2), (1000.0, [1500.0] * 2)):
        planned = plan(*both, INTERACTIVE, ttft_ms=limit)
        assert throughput(planned) == each and not any(own.code == late.code for own in planned.notes)
    assert late in plan(INTERACTIVE, ttft_ms=300.0, prompt_tokens=1.0).notes  # 450 ms is the limit of its rules


def test_under_a_limit_that_no_run_held_an_accelerator_gives_no_more_than_under_the_tightest_that_one_did(
    plan: Plan,
) -> None:
    """Of 1,200 ms at 2,000 tokens/s and 1,900 at 3,000 the first is what 1,000 ms are planned with."""
    quick, slow = (SERVER | {"result_id": f"{took}", "ttft_p99_ms": took, "round": "v5.1"} for took in (1200.0, 1900.0))
    both = quick | {"low": 16_000.0}, slow
    late = note("late_first_token", accelerator="H100 SXM", seconds="1.2", limit="1")
    held, not_held = (plan(*both, ttft_ms=limit, prompt_tokens=1.0) for limit in (1200.0, 1000.0))
    assert throughput(held) == throughput(not_held) == [2000.0] * 2
    assert late in not_held.notes and not any(own.code == late.code for own in held.notes)


@pytest.mark.parametrize(("nodes", "group"), [(1, 4), (2, 4), (4, 2)])
def test_a_group_grows_within_its_node_until_it_reads_the_prompt_in_time(plan: Plan, nodes: int, group: int) -> None:
    """405 GB fit on two B300, which read 20,000 tokens in 3.6 s, four in 1.8: a node of two is none for 2 s."""
    row = SERVER | {"benchmark": "llama3.1-405b", "accelerator": "B300 SXM", "round": "v5.1", "nodes": nodes}
    asked = {"benchmark": "llama3.1-405b", "baseline": "B300 SXM", "prompt_tokens": 20_000.0}
    planned = plan(row, **asked)
    read = planned.inputs.set_index("quantity").loc["prefill"]
    flops = 2 * 405e9 * 20_000 / (group * 4.5e15 * 0.5)
    assert (planned.box.group, read["value_low"]) == (group, pytest.approx(flops, rel=0.01))
    assert bool(planned.too_long) == planned.draws.empty == (group == 2)
    assert planned.draws.empty or (planned.draws["accelerators"] % group == 0).all()
    assert plan(row, **asked, ttft_ms=5000.0).box.group == 2  # where the limit needs no more, weights decide


@pytest.mark.parametrize(("benchmark", "told"), [("deepseek-r1", True), ("llama3.1-405b", False)])
def test_a_latent_cache_is_told_to_be_planned_once_for_a_group(plan: Plan, benchmark: str, told: bool) -> None:
    """Both need several accelerators; heads of keys and values are shared out between them, a latent vector is not."""
    planned = plan(SERVER | {"benchmark": benchmark}, benchmark=benchmark, weight_precision="fp8")
    assert (note("latent_cache") in planned.notes) == told


@pytest.mark.parametrize(
    ("benchmark", "noted"), [("gptj", True), ("resnet50", False)], ids=["no limit on tokens", "no tokens"]
)
def test_without_a_known_speed_all_runs_are_taken(plan: Plan, benchmark: str, noted: bool) -> None:
    planned = plan(SERVER | {"benchmark": benchmark, "unit": "samples/s" if not noted else "tokens/s"},
                   benchmark=benchmark, tokens_per_second_per_user=500.0)  # fmt: skip
    assert (note("speed_unknown") in planned.notes) == noted
    assert planned.behind["low"].tolist() == [24_000.0]


def test_a_run_of_one_s_own_stands_in_place_of_the_record(record: Callable) -> None:
    asked = ASKED.model_copy(update={"tokens_per_second_per_user": 300.0})
    planned = capacity.make(record(SERVER), asked, Interval(1.0, 1.0), own=Throughput(Interval(500.0, 500.0), "a file"))
    assert throughput(planned) == [500.0] * 2 and planned.behind.empty
    assert planned.inputs["range_of"].iloc[0] == "a file" and len(planned.draws) == 1000


def test_nodes_are_those_of_the_systems_behind_the_throughput(plan: Plan) -> None:
    assert (plan(SERVER).node, plan(SERVER | {"accelerator_count": 4}).node) == (8, 4)


def test_plans_for_several_numbers_of_users(record: Callable) -> None:
    """A node costs the same for one user as for ten."""
    of = capacity.basis(record(SERVER), ASKED)
    found = capacity.by_users(of, ASKED, [1, 10, 100_000])
    assert found["users"].tolist() == [1, 10, 100_000] and found["nodes_low"].tolist()[:2] == [1.0, 1.0]
    one, ten, many = found["usd_per_user_hour_low"]
    assert one == pytest.approx(10 * ten) and many < ten
    plan = capacity.over(of, ASKED.model_copy(update={"users": 100_000})).marks.set_index("output")
    for name in ("nodes", "usd_per_user_hour"):
        told = [found[f"{name}_{end}"].iloc[-1] for end in ("low", "median", "high")]
        assert told == plan.loc[name, ["p10", "p50", "p90"]].tolist()
    unproven = ASKED.model_copy(update={"tokens_per_second_per_user": 99.0})
    assert capacity.by_users(of, unproven, [1]).empty


def test_watts_are_those_of_a_metered_run_host_included(plan: Plan) -> None:
    """5,600 W of eight are 700 each, and all eight of the node draw them: x 1.3 of the building 7.28 kW."""
    planned = plan(SERVER, METERED | {"round": "v4.0"}, users=10)
    crossed = note("different_rounds", rounds="v4.1", other_rounds="v4.0")
    assert planned.power_notes == {replace(crossed, about=("throughput against kilowatts",))}
    assert planned.drawn.metered and planned.draws["nodes"].eq(1).all()
    assert planned.draws["kilowatts"].tolist() == pytest.approx([7.28] * 1000, rel=1e-12)
    told = planned.inputs.set_index("quantity").loc["power"]
    assert told[["value_low", "value_high"]].tolist() == [700.0] * 2
    assert told["range_of"] == "measured at the wall in one run of 1 system, official v4.0"
    assert planned.inputs.set_index("quantity")["range_of"]["throughput per accelerator"] == "1 of 1 systems"


def test_of_the_round_that_is_planned_with_nothing_is_crossed(plan: Plan) -> None:
    assert plan(SERVER, METERED, CAPPED).power_notes == frozenset()


@pytest.mark.parametrize(
    "other", [{"accelerator": "L40S"}, {"scenario": "Offline"}, {"benchmark": "gptj"}, {"power_capped": True}]
)
def test_without_a_comparable_meter_watts_are_those_of_a_stated_model(plan: Plan, other: dict) -> None:
    """700 W x 1.2 to 1.5 for the host; capped watts never meet throughput without a cap."""
    planned = plan(SERVER, METERED | other, wall_over_limit=[1.2, 1.5], users=10)
    assert planned.power_notes == {note("no_meter", accelerator="H100 SXM", scenario="Server")}
    assert not planned.drawn.metered
    assert planned.draws["kilowatts"].between(8 * 0.84 * 1.3, 8 * 1.05 * 1.3).all()
    told = planned.inputs.set_index("quantity").loc["power"]
    assert told[["value_low", "value_high"]].tolist() == pytest.approx([840.0, 1050.0], rel=1e-12)
    assert told["range_of"] == "modeled: power limit of 700 W, times 1.2 to 1.5 for the host (given)"


def test_spare_nodes_are_rented_beside_those_needed(plan: Plan) -> None:
    """And the draws are the same ones."""
    none, one = plan(SERVER), plan(SERVER, spare_nodes=1)
    assert (one.draws["nodes"] == none.draws["nodes"] + 1).all()
    assert one.draws["accelerators"].equals(none.draws["accelerators"])


def test_several_nodes_keep_what_larger_systems_of_one_submitter_kept(plan: Plan) -> None:
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
def test_the_staircase_is_that_of_the_plan(record: Callable, spare_nodes: int) -> None:
    """At each first user the plan has the step's nodes, and with one user less fewer."""
    asked = ASKED.model_copy(update={"spare_nodes": spare_nodes})
    of = capacity.basis(record(SERVER), asked)
    steps = capacity.staircase(of, asked, (1, 100_000), steps=9)
    assert steps["nodes"].is_monotonic_increasing and steps["nodes"].iloc[0] == 1 + spare_nodes and len(steps) > 5
    for mark in ("p10", "p50", "p90"):
        assert steps[f"users_from_{mark}"].is_monotonic_increasing
        for row in steps.iloc[1:].to_dict("records"):
            first = row[f"users_from_{mark}"]
            found = [
                capacity.over(of, asked.model_copy(update={"users": users})).marks.set_index("output").at["nodes", mark]
                for users in (first - 1, first)
            ]
            assert found[0] < row["nodes"] <= found[1], (mark, row)
    assert (steps["users_from_p90"] <= steps["users_from_p50"]).all()
    assert capacity.staircase(of, asked.model_copy(update={"tokens_per_second_per_user": 99.0})).empty


def test_watts_at_another_speed_are_not_taken(plan: Plan) -> None:
    planned = plan(INTERACTIVE, METERED, tokens_per_second_per_user=25.0)
    assert not planned.drawn.metered and len(planned.draws) == 1000


def test_a_plan_rests_on_systems_of_one_kind(plan: Plan) -> None:
    """Two of eight; four accelerators give less each, and are another kind."""
    planned = plan(SERVER, SERVER | {"low": 20_000.0}, SERVER | {"low": 4_000.0, "accelerator_count": 4})
    assert throughput(planned) == [2500.0, 3000.0]
    assert planned.inputs["range_of"].iloc[0] == "2 of 3 systems"


def test_inputs_say_what_their_ranges_are_of(plan: Plan) -> None:
    planned = plan(SERVER)
    told = planned.inputs.set_index("quantity")["range_of"]
    assert {told[name] for name in ("derate", "peak over mean", "context")} == {capacity.ASSUMED}
    assert told["price"] == "InferenceX (neocloud total cost of ownership)"
    assert isinstance(planned.marks, pd.DataFrame) and planned.marks["p50"].notna().all()
