"""The what-if sliders: the report's own functions, a hand-computed case, quick answers, and no picture lost."""

import time
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from analysis import comparable, explore, power
from analysis.comparable import Question
from analysis.derating import Demand
from analysis.explore import Choice, Explorer, Fixed
from analysis.interval import Interval

START = Choice(100, 10.0, Interval(0.5, 0.5), Interval(2.0, 2.0), 0.36)


@pytest.fixture
def fixed(results: Callable[..., pd.DataFrame], benchmarks: pd.DataFrame) -> Fixed:
    """One system of eight: 100 tokens/s and 40 W per accelerator, so 0.4 J a token."""
    watts = {"power_watts_low": 320.0, "power_watts_high": 320.0, "power_measured": True}
    rows = results({"scenario": "Server"}, {"scenario": "Server", **watts})
    asked = Question("llm", "Server", rounds=("v4.1",))
    chosen, metered = (comparable.select(rows, benchmarks, replace(asked, power=flag)) for flag in (False, True))
    efficiency = power.efficiency(metered.rows)
    return Fixed(chosen, "H100 SXM", Interval(100.0, 100.0), Interval(1.0, 1.0), 1, efficiency, 1.25, 20_000, 0)


def test_plan_is_what_a_hand_computes(fixed: Fixed) -> None:
    """100 users x 10 tokens/s over 100 tokens/s x 0.5 are 20 accelerators at 2 dollars each an hour."""
    found, rows = explore.plan(START, fixed)
    assert rows.set_index("quantity")[["p10", "p90"]].to_numpy()[:3].tolist() == [[20, 20], [40, 40], [0.4, 0.4]]
    assert found.sentence.startswith("100 users at 10 tokens/s each need 20 H100 SXM")


def test_electricity_is_energy_times_price_times_overhead(fixed: Fixed) -> None:
    """1,000 tokens/s x 3,600 s x 0.4 J = 1.44 MJ = 0.4 kWh; x 0.36 dollars x 1.25 = 0.18 dollars an hour."""
    bill = explore.electricity(Demand(100, 10.0), 0.36, fixed)
    assert (bill.low, bill.high) == pytest.approx((0.18, 0.18), rel=1e-12)
    assert not explore.electricity(Demand(100, 10.0), 0.36, replace(fixed, efficiency=fixed.efficiency.head(0))).known


def test_each_slider_moves_the_answer(fixed: Fixed) -> None:
    explorer = Explorer(START, fixed)
    assert explorer.choice == START
    moves = {"users": 250.0, "tokens_per_second_per_user": 7.0, "derate": (0.2, 0.4),
             "usd_per_accelerator_hour": (3.0, 4.0), "usd_per_kilowatt_hour": 0.9}  # fmt: skip
    assert list(moves) == list(explorer.sliders)
    for name, value in moves.items():
        before = explorer.answer.value
        explorer.sliders[name].value = value
        assert explorer.answer.value != before, name
    assert explorer.choice == Choice(250, 7.0, Interval(0.2, 0.4), Interval(3.0, 4.0), 0.9)
    assert "250 users at 7 tokens/s each need" in explorer.answer.value


def test_a_move_is_answered_within_a_tenth_of_a_second(fixed: Fixed) -> None:
    explorer, taken = Explorer(START, fixed), []
    for users in range(200, 220):
        began = time.process_time()
        explorer.sliders["users"].value = float(users)
        taken.append(time.process_time() - began)
    assert sorted(taken)[len(taken) // 2] < 0.1


def test_where_widgets_do_not_run_the_table_of_the_start_is_shown(fixed: Fixed) -> None:
    explorer = Explorer(START, fixed)
    explorer.sliders["users"].value = 900.0
    bundle = explorer._repr_mimebundle_()
    assert set(bundle) == {explore.WIDGET, "text/html", "text/plain"}
    assert bundle["text/plain"].startswith("100 users at 10 tokens/s each need")
    assert bundle["text/html"].startswith('<div id="t')


def test_unknown_price_says_so_and_sliders_stand(fixed: Fixed) -> None:
    unknown = replace(START, usd_per_accelerator_hour=Interval(float("nan"), float("nan")))
    explorer = Explorer(unknown, fixed)
    assert explore.plan(unknown, fixed)[0].sentence.endswith("at a price that is not known.")
    explorer.sliders["usd_per_accelerator_hour"].value = (2.0, 2.0)
    assert "need 20 H100 SXM" in explorer.answer.value
