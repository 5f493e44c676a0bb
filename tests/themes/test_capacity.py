"""What a plan rests on: throughput of systems of one kind, and the watts of a run with that run's own throughput."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis.compare import gate
from analysis.compare.gate import Data
from analysis.core.interval import Interval
from analysis.core.notes import note
from analysis.core.parameters import RealWorldDerating
from analysis.data.catalog import Catalog
from analysis.themes import capacity
from analysis.themes.sizing import Run

ASKED = RealWorldDerating(baseline="H100 SXM", rounds=["v4.1"], draws=1000)
SERVER = {"benchmark": "llama2-70b", "scenario": "Server", "low": 24_000.0}
METERED = SERVER | {"power_measured": True, "power_watts_low": 5_600.0, "power_watts_high": 5_600.0, "low": 16_000.0}
CAPPED = METERED | {"power_capped": True, "round": "v4.0"}


@pytest.fixture
def planned(results: Callable, tables: Callable[..., Data], data: Catalog) -> Callable[..., capacity.Basis]:
    """What a plan rests on whose record is these rows, and the plan itself."""

    def make(*rows: dict) -> tuple[capacity.Basis, capacity.Planned]:
        own = tables(results(*rows), of=data.benchmarks)
        facts = {name: getattr(data, name) for name in ("accelerators", "prices", "benchmark_limits")}
        catalog = SimpleNamespace(results=own.results, doubts=own.doubts, benchmarks=data.benchmarks, **facts)
        chosen = gate.select(catalog, gate.ask(ASKED))
        return capacity.basis(catalog, ASKED, chosen), capacity.make(catalog, ASKED, chosen, Interval(0.6, 0.8))

    return make


def test_watts_are_those_of_a_run_with_its_own_throughput(planned: Callable) -> None:
    """16,000 tokens/s at 5,600 W on eight are 2,000 at 700 W; the plan's own 3,000 tokens/s draw no watts."""
    basis, plan = planned(SERVER, CAPPED)
    assert basis.throughput == Interval(3000.0, 3000.0)
    assert basis.box.runs == (Run(Interval(2000.0, 2000.0), Interval(700.0, 700.0)),)
    crossed = note("different_rounds", rounds="v4.1", other_rounds="v4.0")
    assert basis.power_notes == {note("metered_capped"), replace(crossed, about=("throughput against kilowatts",))}
    assert plan.metered and (plan.draws["metered"] > plan.draws["accelerators"]).any()
    assert plan.draws["kilowatts"].tolist() == pytest.approx((plan.draws["metered"] * 0.7 * 1.3).tolist(), rel=1e-12)
    inputs = plan.inputs.set_index("quantity")
    assert inputs.loc["power at that throughput", ["value_low", "value_high"]].tolist() == [700.0, 700.0]
    assert inputs["range_of"].to_dict()["throughput per accelerator"] == "1 of 1 systems"


def test_of_the_round_that_is_planned_with_nothing_is_crossed(planned: Callable) -> None:
    basis, _ = planned(SERVER, METERED, CAPPED)
    assert basis.power_notes == frozenset() and len(basis.box.runs) == 1


@pytest.mark.parametrize("other", [{"accelerator": "L40S"}, {"scenario": "Offline"}, {"benchmark": "gptj"}])
def test_without_a_power_submission_watts_are_at_most_the_datasheet_s(planned: Callable, other: dict) -> None:
    basis, plan = planned(SERVER, METERED | other)
    assert (basis.box.runs, basis.box.limit_watts) == ((), 700.0)
    assert basis.power_notes == {note("no_meter", accelerator="H100 SXM")}
    assert not plan.metered and (plan.draws["kilowatts"] == plan.draws["accelerators"] * 700.0 * 1.3 / 1000).all()
    assert plan.inputs.set_index("quantity").loc["power", ["value_low", "value_high"]].tolist() == [700.0, 700.0]


def test_a_plan_rests_on_systems_of_one_kind(planned: Callable) -> None:
    """Two of eight; four accelerators give less each, and are another kind."""
    basis, _ = planned(SERVER, SERVER | {"low": 20_000.0}, SERVER | {"low": 4_000.0, "accelerator_count": 4})
    assert (basis.throughput, basis.systems) == (Interval(2500.0, 3000.0), "2 of 3 systems")


def test_inputs_say_what_their_ranges_are_of(planned: Callable) -> None:
    _, plan = planned(SERVER)
    told = plan.inputs.set_index("quantity")["range_of"]
    assert {told[name] for name in ("derate", "peak over mean", "context")} == {capacity.ASSUMED}
    assert told["price"].endswith(" offers")
    assert isinstance(plan.marks, pd.DataFrame) and plan.marks["p50"].notna().all()
