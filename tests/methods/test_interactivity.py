"""Throughput over interactivity, from hand-made runs: bounds, Pareto frontier, curves, leaders."""

import numpy as np
import pandas as pd
import pytest

from analysis._core.notes import NONE
from analysis.comparability import systems
from analysis.methods import interactivity
from analysis.methods.benchmark_rules import LIMIT, LOGGED, NO_LIMIT

NAN = float("nan")
LIMITS = pd.DataFrame(
    {
        "benchmark": "llm",
        "scenario": ["Server", "Interactive", "Server"],
        "quantity": ["tpot_p99_limit", "tpot_p99_limit", "ttft_p99_limit"],
        "high": [200.0, 40.0, 2000.0],
        "rounds": ["v4.1;v5.1", "v5.1", "v4.1"],
        "confidence": "high",
    }
)
A, B = {"accelerator": "H100 SXM", "result_id": "a"}, {"accelerator": "B200 SXM", "result_id": "b"}
# Tokens/s per accelerator: 8 H100 with 100 Offline, 80 at 10 and 20 at 50 tokens/s per user;
# 8 B200 with 300 Offline and 240 at 12.5
FREE = A | {"low": 800.0}
SLOW = A | {"low": 640.0, "scenario": "Server", "tpot_p50_ms": 100.0}
FAST = A | {"low": 160.0, "scenario": "Interactive", "tpot_p50_ms": 20.0, "ttft_p99_ms": 300.0}
NEW_FREE = B | {"low": 2400.0}
NEW = B | {"low": 1920.0, "scenario": "Server", "tpot_p50_ms": 80.0}


@pytest.fixture
def runs(results):
    """Runs of dicts of what differs from an Offline run on eight H100."""

    def make(*rows, percentile="median"):
        known = [{name: row[name] for name in row if name not in interactivity.LATENCIES} for row in rows]
        frame = results(*known)
        more = {name: [row.get(name, NAN) for row in rows] for name in interactivity.LATENCIES}
        frame = frame.assign(
            **more, notes=[NONE] * len(rows), framework="TensorRT", serving_software="", evidence="log"
        )
        each = {
            f"per_accelerator_{end}": frame[end] / frame["accelerator_count"].astype(float) for end in ("low", "high")
        }
        rates = {f"rate_{end}": frame[end] for end in ("low", "high")}
        frame = frame.assign(**each, **rates, basis="official v4.1", system_key=systems.keys(frame))
        return interactivity.runs(frame, LIMITS, percentile)

    return make


def at(given, speed, accelerator):
    """The one row of an asked speed and an accelerator."""
    (place,) = given.index[given["target"].eq(speed) & given["accelerator"].eq(accelerator)]
    return given.loc[place]


def test_interactivity_is_1000_over_the_logged_tpot(runs):
    found = runs(FREE, SLOW, FAST)
    assert found["interactivity"].tolist()[1:] == [10.0, 50.0] and np.isnan(found["interactivity"][0])
    assert found["known_from"].tolist() == [NO_LIMIT, LOGGED, LOGGED]
    assert found["per_accelerator_low"].tolist() == [100.0, 80.0, 20.0]
    slowest = runs(SLOW | {"tpot_p99_ms": 125.0}, percentile="p99")
    assert slowest["interactivity"].tolist() == [8.0]


def test_without_a_logged_tpot_the_latency_limit_of_the_round_is_a_lower_bound(runs):
    """200 ms: 5 tokens/s at least. The rules of v4.1 have no Interactive, and those of v4.0 limit nothing here."""
    later = {"round": "v5.1", "result_id": "c"}
    bare = {"tpot_p50_ms": NAN}
    found = runs(
        SLOW | bare, FAST | bare, FAST | bare | later, SLOW | bare | {"round": "v4.0"}, SLOW | {"tpot_p50_ms": 0.0}
    )
    assert found["interactivity"].tolist() == pytest.approx([5.0, NAN, 25.0, NAN, 5.0], nan_ok=True)
    bound = [LIMIT, NO_LIMIT, LIMIT, NO_LIMIT, LIMIT]
    assert found["known_from"].tolist() == bound


def test_limits_of_the_scenarios_that_ran(runs):
    found = interactivity.limits_of(runs(FREE, SLOW), LIMITS)
    assert found.to_dict("records") == [{"scenario": "Server", "interactivity": 5.0, "ttft_ms": 2000.0}]


def test_throughput_per_kilowatt_is_of_the_whole_system(runs):
    """640 tokens/s at 3,200 W."""
    metered = runs(SLOW | {"power_watts_low": 3200.0, "power_watts_high": 3200.0}, FAST)
    assert metered["per_kilowatt_low"].tolist() == pytest.approx([200.0, NAN], nan_ok=True)
    found = interactivity.at_targets(metered, [10.0], interactivity.PER_KILOWATT)
    assert found["throughput_low"].tolist() == [200.0]


def test_pareto_frontier_has_available_runs_that_none_beats_in_both(runs):
    beaten = SLOW | {"low": 320.0, "result_id": "c"}  # 40 each at 10 tokens/s
    preview = FAST | {"low": 8000.0, "availability": "preview", "result_id": "d"}
    found = interactivity.pareto_frontier(runs(FREE, SLOW, FAST, NEW, beaten, preview))
    assert found["interactivity"].tolist() == [12.5, 50.0]
    assert found["per_accelerator_low"].tolist() == [240.0, 20.0]


def test_curve_is_of_one_system_available_with_most_scenarios_and_newest(runs):
    """A faster system that ran Server alone makes no curve, nor does one in preview."""
    other = SLOW | {"low": 900.0, "result_id": "c"}
    preview = [run | {"availability": "preview", "result_id": "d", "low": 4000.0} for run in (FREE, SLOW, FAST)]
    found = interactivity.curves(runs(NEW, NEW_FREE, other, SLOW, FAST, FREE, *preview))
    assert found["system_key"].tolist() == ["v4.1 a"] * 3 + ["v4.1 b"] * 2
    assert found["scenario"].tolist() == ["Offline", "Server", "Interactive", "Offline", "Server"]
    newer = [run | {"round": "v5.1", "low": run["low"] / 2} for run in (SLOW, FAST)]
    assert set(interactivity.curves(runs(SLOW, FAST, *newer))["round"]) == {"v5.1"}
    assert set(interactivity.curves(runs(*preview))["system_key"]) == {"v4.1 d"}


def test_of_slower_runs_at_one_interactivity_the_fastest_is_the_upper_bound_in_any_order(runs):
    """Asked 40 tokens/s: at 25 two systems of eight give 480 and 640, and the fast one gives 160."""
    one = SLOW | {"low": 480.0, "tpot_p50_ms": 40.0, "result_id": "c"}
    other = SLOW | {"low": 640.0, "tpot_p50_ms": 40.0, "result_id": "d"}
    for order in ((one, other, FAST), (other, one, FAST), (FAST, other, one)):
        row = at(interactivity.at_targets(runs(*order), [40.0]), 40.0, "H100 SXM")
        assert (row["throughput_low"], row["throughput_high"]) == (20.0, 80.0)


def test_preview_systems_never_lead_and_are_used_only_where_none_is_available(runs):
    soon = [run | {"availability": "preview"} for run in (NEW, NEW_FREE)]
    tempting = SLOW | {"low": 64000.0, "availability": "preview", "result_id": "d"}
    given = interactivity.at_targets(runs(SLOW, FREE, tempting, *soon), [10.0])
    assert given.set_index("accelerator")["is_available"].to_dict() == {"B200 SXM": False, "H100 SXM": True}
    assert at(given, 10.0, "H100 SXM")["throughput_low"] == 80.0
    assert interactivity.leaders(given)["accelerator"].tolist() == ["H100 SXM"]


def test_retained_is_the_fastest_run_over_the_slowest_of_each_available_system(runs):
    """20 of 80 from 10 to 50 tokens/s; a single run at a known interactivity has no share."""
    found = interactivity.retained(interactivity.curves(runs(FREE, SLOW, FAST, NEW, NEW_FREE)))
    assert found["accelerator"].tolist() == ["H100 SXM"]
    assert (found["retained_low"][0], found["retained_high"][0]) == pytest.approx((0.25, 0.25))


def test_each_benchmark_has_its_own_leader_and_fastest_run(runs):
    other = [run | {"benchmark": "chat", "tpot_p50_ms": 50.0, "result_id": "e"} for run in (NEW,)]
    found = interactivity.by_benchmark(runs(FREE, SLOW, FAST, NEW, *other), 15.0)
    assert found[["benchmark", "accelerator", "interactivity"]].to_numpy().tolist() == [
        ["llm", "H100 SXM", 50.0],
        ["chat", "B200 SXM", 20.0],
    ]
    assert interactivity.by_benchmark(runs(SLOW), 15.0)["accelerator"].tolist() == [""]
