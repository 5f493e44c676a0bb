"""Throughput over speed per user, from hand-made runs: speeds, bounds, fronts, curves, what is given at a speed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.compare import systems
from analysis.core.notes import NONE
from analysis.themes import user_speed
from analysis.themes.benchmark_rules import LIMIT, LOGGED, NO_PROMISE

Rows = Callable[..., pd.DataFrame]
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
# Eight H100: 100, 80 and 20 tokens/s each, at no speed, at 10 and 50 tokens/s; eight B200: 300 and 240, at 12.5
FREE = A | {"low": 800.0}
SLOW = A | {"low": 640.0, "scenario": "Server", "tpot_p99_ms": 100.0}
FAST = A | {"low": 160.0, "scenario": "Interactive", "tpot_p99_ms": 20.0, "ttft_p99_ms": 300.0}
NEW_FREE = B | {"low": 2400.0}
NEW = B | {"low": 1920.0, "scenario": "Server", "tpot_p99_ms": 80.0}


@pytest.fixture
def runs(results: Rows) -> Rows:
    """Runs of dicts of what differs from an Offline run on eight H100."""

    def make(*rows: dict[str, Any]) -> pd.DataFrame:
        known = [{name: row[name] for name in row if name not in user_speed.LATENCIES} for row in rows]
        frame = results(*known)
        more = {name: [row.get(name, NAN) for row in rows] for name in user_speed.LATENCIES}
        frame = frame.assign(**more, notes=[NONE] * len(rows), framework="TensorRT", serving_software="")
        each = {
            f"per_accelerator_{end}": frame[end] / frame["accelerator_count"].astype(float) for end in ("low", "high")
        }
        rates = {f"rate_{end}": frame[end] for end in ("low", "high")}
        frame = frame.assign(**each, **rates, basis="official v4.1", system_key=systems.keys(frame))
        return user_speed.runs(frame, LIMITS)

    return make


def at(given: pd.DataFrame, speed: float, accelerator: str) -> pd.Series:
    """The one row of an asked speed and an accelerator."""
    (place,) = given.index[given["asked"].eq(speed) & given["accelerator"].eq(accelerator)]
    return given.loc[place]


def test_speed_is_a_thousand_over_the_log_s_time_per_token(runs: Rows) -> None:
    found = runs(FREE, SLOW, FAST)
    assert found["speed"].tolist()[1:] == [10.0, 50.0] and np.isnan(found["speed"][0])
    assert found["proof"].tolist() == [NO_PROMISE, LOGGED, LOGGED]
    assert found["per_accelerator_low"].tolist() == [100.0, 80.0, 20.0]


def test_without_a_log_the_limit_of_the_run_s_own_round_is_a_bound(runs: Rows) -> None:
    """200 ms: 5 tokens/s at least. The rules of v4.1 have no Interactive, and those of v4.0 limit nothing here."""
    later = {"round": "v5.1", "result_id": "c"}
    bare = {"tpot_p99_ms": NAN}
    found = runs(
        SLOW | bare, FAST | bare, FAST | bare | later, SLOW | bare | {"round": "v4.0"}, SLOW | {"tpot_p99_ms": 0.0}
    )
    assert found["speed"].tolist() == pytest.approx([5.0, NAN, 25.0, NAN, 5.0], nan_ok=True)
    bound = [LIMIT, NO_PROMISE, LIMIT, NO_PROMISE, LIMIT]
    assert found["proof"].tolist() == bound


def test_limits_are_those_of_the_scenarios_that_ran(runs: Rows) -> None:
    found = user_speed.limits_of(runs(FREE, SLOW), LIMITS)
    assert found.to_dict("records") == [{"scenario": "Server", "speed": 5.0, "ttft_ms": 2000.0}]


def test_tokens_per_kilowatt_are_of_the_whole_system(runs: Rows) -> None:
    """640 tokens/s at 3,200 W."""
    metered = runs(SLOW | {"power_watts_low": 3200.0, "power_watts_high": 3200.0}, FAST)
    assert metered["per_kilowatt_low"].tolist() == pytest.approx([200.0, NAN], nan_ok=True)
    found = user_speed.given(metered, [10.0], user_speed.PER_KILOWATT)
    assert found["rate_low"].tolist() == [200.0]


def test_the_front_has_what_no_run_on_sale_beats_in_speed_and_rate(runs: Rows) -> None:
    beaten = SLOW | {"low": 320.0, "result_id": "c"}  # 40 each at 10 tokens/s
    preview = FAST | {"low": 8000.0, "availability": "preview", "result_id": "d"}
    found = user_speed.front(runs(FREE, SLOW, FAST, NEW, beaten, preview))
    assert found["speed"].tolist() == [12.5, 50.0]
    assert found["per_accelerator_low"].tolist() == [240.0, 20.0]


def test_a_curve_is_of_one_system_of_most_scenarios_on_sale_and_newest(runs: Rows) -> None:
    """A faster system that ran Server alone makes no curve, nor does one in preview."""
    other = SLOW | {"low": 900.0, "result_id": "c"}
    preview = [run | {"availability": "preview", "result_id": "d", "low": 4000.0} for run in (FREE, SLOW, FAST)]
    found = user_speed.curves(runs(NEW, NEW_FREE, other, SLOW, FAST, FREE, *preview))
    assert found["system_key"].tolist() == ["v4.1 a"] * 3 + ["v4.1 b"] * 2
    assert found["scenario"].tolist() == ["Offline", "Server", "Interactive", "Offline", "Server"]
    newer = [run | {"round": "v5.1", "low": run["low"] / 2} for run in (SLOW, FAST)]
    assert set(user_speed.curves(runs(SLOW, FAST, *newer))["round"]) == {"v5.1"}
    assert set(user_speed.curves(runs(*preview))["system_key"]) == {"v4.1 d"}


def test_a_run_proves_its_rate_at_its_speed_and_below_and_the_next_slower_one_bounds_it(runs: Rows) -> None:
    given = user_speed.given(runs(FREE, SLOW, FAST, NEW, NEW_FREE), [10.0, 12.5, 50.0, 51.0])
    ends = ["rate_low", "rate_high", "speed"]
    assert at(given, 10.0, "H100 SXM")[ends].tolist() == [80.0, 100.0, 10.0]
    assert at(given, 12.5, "H100 SXM")[ends].tolist() == [20.0, 80.0, 50.0]
    assert at(given, 50.0, "H100 SXM")["kept_low"] == pytest.approx(20 / 100)
    assert at(given, 12.5, "B200 SXM")[ends].tolist() == [240.0, 300.0, 12.5]
    assert at(given, 51.0, "H100 SXM")[ends].tolist() == pytest.approx([NAN, NAN, 50.0], nan_ok=True)
    assert given["accelerator"].tolist()[:2] == ["B200 SXM", "H100 SXM"]  # who gives most comes first


def test_of_two_slower_runs_the_nearer_one_bounds(runs: Rows) -> None:
    middle = SLOW | {"low": 480.0, "tpot_p99_ms": 40.0, "result_id": "c"}
    worse = SLOW | {"low": 80.0, "tpot_p99_ms": 30.0, "result_id": "d"}  # slower and less: it bounds nothing
    row = at(user_speed.given(runs(FREE, SLOW, FAST, middle, worse), [40.0]), 40.0, "H100 SXM")
    assert (row["rate_low"], row["rate_high"]) == (20.0, 60.0)


def test_of_slower_runs_of_one_speed_the_one_that_gives_most_bounds_in_any_order(runs: Rows) -> None:
    """Asked 40 tokens/s: at 25 two systems of eight give 480 and 640, and the fast one gives 160."""
    one = SLOW | {"low": 480.0, "tpot_p99_ms": 40.0, "result_id": "c"}
    other = SLOW | {"low": 640.0, "tpot_p99_ms": 40.0, "result_id": "d"}
    for order in ((one, other, FAST), (other, one, FAST), (FAST, other, one)):
        row = at(user_speed.given(runs(*order), [40.0]), 40.0, "H100 SXM")
        assert (row["rate_low"], row["rate_high"]) == (20.0, 80.0)


def test_preview_systems_lead_nothing_and_stand_in_only_where_nothing_is_on_sale(runs: Rows) -> None:
    soon = [run | {"availability": "preview"} for run in (NEW, NEW_FREE)]
    tempting = SLOW | {"low": 64000.0, "availability": "preview", "result_id": "d"}
    given = user_speed.given(runs(SLOW, FREE, tempting, *soon), [10.0])
    assert given.set_index("accelerator")["on_sale"].to_dict() == {"B200 SXM": False, "H100 SXM": True}
    assert at(given, 10.0, "H100 SXM")["rate_low"] == 80.0
    assert user_speed.most(given)["accelerator"].tolist() == ["H100 SXM"]


def test_a_lead_is_undecided_where_another_s_nearest_slower_run_gives_more(runs: Rows) -> None:
    """At 10 tokens/s B200 gives 240 and H100 at most 100; at 25 B200 gives 15 to 240, H100 20 to 80."""
    late = NEW | {"low": 120.0, "scenario": "Interactive", "tpot_p99_ms": 25.0}
    rows = runs(FREE, SLOW, FAST, NEW, NEW_FREE, late)
    given = user_speed.given(rows, [10.0, 25.0, 51.0])
    assert user_speed.most(given)["accelerator"].tolist() == ["B200 SXM", "H100 SXM"]
    assert user_speed.undecided(given) == [25.0]
    alone = user_speed.given(rows[rows["accelerator"].eq("H100 SXM")], [10.0, 25.0])
    assert user_speed.undecided(alone) == []
    soon = runs(FREE, SLOW, FAST, *(run | {"availability": "preview"} for run in (NEW, NEW_FREE, late)))
    assert user_speed.undecided(user_speed.given(soon, [10.0, 25.0])) == []


def test_the_record_ends_at_the_fastest_run_on_sale_of_each_accelerator(runs: Rows) -> None:
    soon = NEW | {"availability": "preview", "tpot_p99_ms": 1.0, "result_id": "d"}
    found = user_speed.fastest(runs(FREE, SLOW, FAST, NEW, soon))
    assert found[["accelerator", "speed"]].to_numpy().tolist() == [["H100 SXM", 50.0], ["B200 SXM", 12.5]]


def test_each_benchmark_has_its_own_leader_and_end(runs: Rows) -> None:
    other = [run | {"benchmark": "chat", "tpot_p99_ms": 50.0, "result_id": "e"} for run in (NEW,)]
    found = user_speed.by_benchmark(runs(FREE, SLOW, FAST, NEW, *other), 15.0)
    assert found[["benchmark", "accelerator", "ends", "ends_on"]].to_numpy().tolist() == [
        ["llm", "H100 SXM", 50.0, "H100 SXM"],
        ["chat", "B200 SXM", 20.0, "B200 SXM"],
    ]
    assert user_speed.by_benchmark(runs(SLOW), 15.0)["accelerator"].tolist() == [""]


def test_without_a_speed_there_is_nothing_to_tell(runs: Rows) -> None:
    for free in (runs(FREE), runs()):
        assert user_speed.curves(free).empty and user_speed.front(free).empty and user_speed.fastest(free).empty
        given = user_speed.given(free, [10.0])
        assert given.empty and user_speed.most(given).empty and user_speed.by_benchmark(free, 10.0).empty
