"""What a plan rests on: throughput at the speed per user, of systems of one kind, and watts of one run."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis.compare.gate import Data
from analysis.core.interval import Interval
from analysis.core.notes import note
from analysis.core.parameters import RealWorldDerating
from analysis.data.catalog import Catalog
from analysis.themes import capacity
from analysis.themes.capacity import Own, Planned

ASKED = RealWorldDerating(
    baseline="H100 SXM", rounds=["v4.1", "v5.1"], draws=1000, tokens_per_second_per_user=5.0, users=1000
)
SERVER = {"benchmark": "llama2-70b", "scenario": "Server", "low": 24_000.0}
METERED = SERVER | {"power_measured": True, "power_watts_low": 5_600.0, "power_watts_high": 5_600.0, "low": 16_000.0}
CAPPED = METERED | {"power_capped": True, "round": "v4.0"}
INTERACTIVE = SERVER | {"scenario": "Interactive", "low": 12_000.0, "round": "v5.1"}
Plan = Callable[..., Planned]


@pytest.fixture
def record(results: Callable, tables: Callable[..., Data], data: Catalog) -> Callable[..., SimpleNamespace]:
    """Tables whose record is these rows; `tpot_p99_ms` is what the logs say."""

    def make(*rows: dict) -> SimpleNamespace:
        logged = [row.get("tpot_p99_ms", float("nan")) for row in rows]
        frame = results(*({name: row[name] for name in row if name != "tpot_p99_ms"} for row in rows))
        own = tables(frame.assign(tpot_p99_ms=logged), of=data.benchmarks)
        facts = {name: getattr(data, name) for name in ("accelerators", "prices", "benchmark_limits")}
        return SimpleNamespace(results=own.results, doubts=own.doubts, benchmarks=data.benchmarks, **facts)

    return make


@pytest.fixture
def plan(record: Callable) -> Plan:
    """The plan on a record of these rows; `changes` are of what is asked."""
    return lambda *rows, **changes: capacity.make(record(*rows), ASKED.model_copy(update=changes))


def throughput(planned: Planned) -> list[float]:
    return planned.inputs.set_index("quantity").loc["throughput per accelerator", ["value_low", "value_high"]].tolist()


def test_the_throughput_is_that_of_a_scenario_whose_limit_covers_the_speed(plan: Plan) -> None:
    """Server guarantees 5 tokens/s and gives 3,000 each; Interactive guarantees 25 and gives 1,500."""
    rows = SERVER, INTERACTIVE
    slow, fast, too_fast = (plan(*rows, tokens_per_second_per_user=speed) for speed in (5.0, 25.0, 25.1))
    assert (throughput(slow), slow.chosen.question.scenario) == ([3000.0] * 2, "Server")
    assert (throughput(fast), fast.chosen.question.scenario) == ([1500.0] * 2, "Interactive")
    assert too_fast.draws.empty and too_fast.unproven and too_fast.fastest == (25.0, "Interactive")


def test_a_log_proves_more_than_the_limit(plan: Plan) -> None:
    """50 ms at p99 are 20 tokens/s: that run covers 12, the faster one without a log does not."""
    logged = SERVER | {"low": 8_000.0, "tpot_p99_ms": 50.0}
    planned = plan(SERVER, logged, INTERACTIVE, tokens_per_second_per_user=12.0)
    assert throughput(planned) == [1000.0] * 2
    assert throughput(plan(SERVER, logged, tokens_per_second_per_user=5.0)) == [1000.0, 3000.0]


def test_the_scenario_asked_for_is_the_loosest_that_is_taken(plan: Plan) -> None:
    planned = plan(SERVER, INTERACTIVE, scenario="Interactive")
    assert (throughput(planned), planned.chosen.question.scenario) == ([1500.0] * 2, "Interactive")


def test_an_accelerator_without_a_run_so_fast_has_no_plan_whatever_others_have(plan: Plan) -> None:
    other = INTERACTIVE | {"accelerator": "H200 SXM"}
    planned = plan(SERVER, other, tokens_per_second_per_user=25.0)
    assert planned.draws.empty and planned.unproven and planned.fastest == (5.0, "Server")
    assert planned.chosen.rows["accelerator"].tolist() == ["H200 SXM"]


def test_a_limit_on_time_per_token_asks_for_its_speed(plan: Plan) -> None:
    """40 ms are 25 tokens/s, more than the 5 asked for."""
    planned = plan(SERVER, INTERACTIVE, tpot_ms=40.0)
    assert planned.demand.tokens_per_second_per_user == 25.0 and throughput(planned) == [1500.0] * 2
    assert note("limit_decides_speed", speed="5") in planned.notes


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
    planned = capacity.make(record(SERVER), asked, Interval(1.0, 1.0), own=Own(Interval(500.0, 500.0), "a file"))
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
    unproven = ASKED.model_copy(update={"tokens_per_second_per_user": 99.0})
    assert capacity.by_users(of, unproven, [1]).empty


def test_watts_are_those_of_a_run_with_its_own_throughput(plan: Plan) -> None:
    """16,000 tokens/s at 5,600 W on eight are 2,000 at 700 W; the plan's own 3,000 tokens/s draw no watts."""
    planned = plan(SERVER, CAPPED)
    crossed = note("different_rounds", rounds="v4.1", other_rounds="v4.0")
    assert planned.power_notes == {note("metered_capped"), replace(crossed, about=("throughput against kilowatts",))}
    assert planned.metered and (planned.draws["metered"] > planned.draws["accelerators"]).any()
    kilowatts = (planned.draws["metered"] * 0.7 * 1.3).tolist()
    assert planned.draws["kilowatts"].tolist() == pytest.approx(kilowatts, rel=1e-12)
    inputs = planned.inputs.set_index("quantity")
    for name, value in (("power at that throughput", 700.0), ("throughput while power was metered", 2000.0)):
        assert inputs.loc[name, ["value_low", "value_high"]].tolist() == [value] * 2
    assert inputs["range_of"].to_dict()["throughput per accelerator"] == "1 of 1 systems"


def test_of_the_round_that_is_planned_with_nothing_is_crossed(plan: Plan) -> None:
    assert plan(SERVER, METERED, CAPPED).power_notes == frozenset()


@pytest.mark.parametrize("other", [{"accelerator": "L40S"}, {"scenario": "Offline"}, {"benchmark": "gptj"}])
def test_without_a_power_submission_watts_are_at_most_the_datasheet_s(plan: Plan, other: dict) -> None:
    planned = plan(SERVER, METERED | other)
    assert planned.power_notes == {note("no_meter", accelerator="H100 SXM")} and not planned.metered
    assert (planned.draws["kilowatts"] == planned.draws["accelerators"] * 700.0 * 1.3 / 1000).all()
    assert planned.inputs.set_index("quantity").loc["power", ["value_low", "value_high"]].tolist() == [700.0, 700.0]


def test_watts_at_another_speed_are_not_taken(plan: Plan) -> None:
    planned = plan(INTERACTIVE, METERED, tokens_per_second_per_user=25.0)
    assert not planned.metered and len(planned.draws) == 1000


def test_a_plan_rests_on_systems_of_one_kind(plan: Plan) -> None:
    """Two of eight; four accelerators give less each, and are another kind."""
    planned = plan(SERVER, SERVER | {"low": 20_000.0}, SERVER | {"low": 4_000.0, "accelerator_count": 4})
    assert throughput(planned) == [2500.0, 3000.0]
    assert planned.inputs["range_of"].iloc[0] == "2 of 3 systems"


def test_inputs_say_what_their_ranges_are_of(plan: Plan) -> None:
    planned = plan(SERVER)
    told = planned.inputs.set_index("quantity")["range_of"]
    assert {told[name] for name in ("derate", "peak over mean", "context")} == {capacity.ASSUMED}
    assert told["price"].endswith(" offers")
    assert isinstance(planned.marks, pd.DataFrame) and planned.marks["p50"].notna().all()
