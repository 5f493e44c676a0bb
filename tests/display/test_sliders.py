"""The what-if sliders: the report's own functions, a hand-computed case, one plan a move, and no picture lost."""

import re
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis._core import mime
from analysis._core.interval import Interval
from analysis._core.parameters import RealWorldDerating
from analysis._display import sliders
from analysis._display.sliders import Choice, Explorer, Fixed
from analysis._tables.catalog import Catalog
from analysis.audit import flags
from analysis.charts import style
from analysis.comparability import selection
from analysis.comparability.selection import Question
from analysis.methods import memory, power
from analysis.planner import capacity, summary
from analysis.planner.demand import Demand

START = Choice(100, 10.0, Interval(0.5, 0.5), Interval(2.0, 2.0), 0.36)


@pytest.fixture
def fixed(results: Callable[..., pd.DataFrame], tables: Callable[..., selection.Data], data: Catalog) -> Fixed:
    """One system of eight of a benchmark without tokens per user: 100 tokens/s and 40 W per accelerator, 0.4 J each."""
    meter = {"power_watts_low": 320.0, "power_watts_high": 320.0, "power_measured": True}
    rows = results({"scenario": "Server", "benchmark": "gptj"}, {"scenario": "Server", "benchmark": "gptj", **meter})
    own = tables(rows, of=data.benchmarks)
    names = ("accelerators", "prices", "benchmark_limits", "request_lengths", "benchmarks")
    facts = {name: getattr(data, name) for name in names}
    named = SimpleNamespace(results=own.results, doubts=own.doubts, **facts)
    asked = {"benchmark": "gptj", "rounds": ["v4.1"], "baseline": "H100 SXM", "prices": ["2"], "whole_nodes": True}
    asked |= {"peak_over_mean": [1.0, 1.0], "power_usage_effectiveness": 1.25, "wall_over_limit": [1.0, 1.5]}
    params = RealWorldDerating(**asked).model_copy(update={"ttft_ms": float("inf"), "weight_precision": "fp4"})
    metered = selection.select(own, Question("gptj", "Server", rounds=("v4.1",), power=True))
    return Fixed(params, capacity.basis(named, params), power.efficiency(metered.rows))


@pytest.fixture(scope="module")
def real() -> tuple[RealWorldDerating, Fixed, Choice]:
    """What the notebook plans on with the report's own parameters: queue, memory and prompts too."""
    return real_of("H200 SXM")


def real_of(baseline: str) -> tuple[RealWorldDerating, Fixed, Choice]:
    data, asked = flags.catalog(), RealWorldDerating(benchmark="llama2-70b", baseline=baseline)
    chosen = selection.select(data, selection.ask(asked))
    basis = capacity.basis(data, asked)
    fixed = Fixed(asked, basis, power.efficiency(chosen.rows))
    start = Choice(asked.users, asked.tokens_per_second_per_user, Interval(*asked.derate), basis.price, 0.1)
    return asked, fixed, start


def test_sliders_and_report_give_one_answer(real, data):
    """The numbers and notes of capacity.make for the same question, at the start and after a move."""
    asked, fixed, start = real
    for users, speed in ((100, 5.0), (700, 25.0)):
        moved = asked.model_copy(update={"users": users, "tokens_per_second_per_user": speed})
        report = capacity.make(data, moved)
        choice = replace(start, users=users, tokens_per_second_per_user=speed)
        moving = sliders.planned(choice, fixed)
        pd.testing.assert_frame_equal(moving.draws, report.draws)
        assert moving.notes == report.notes
        assert sliders.need(moving) == summary.need(report).headline
    assert isinstance(fixed.basis.model, memory.Model) and fixed.basis.prompt.known


def test_only_the_price_is_missing_where_only_the_price_is():
    _, fixed, start = real_of("MI350X")
    explorer = Explorer(start, fixed)
    assert "MI350X (part of a node, measured), price unknown." in explorer.answer.value
    explorer.sliders["users"].value = 1000.0
    assert "price unknown" in explorer.answer.value
    explorer.sliders["usd_per_accelerator_hour"].value = (2.0, 3.0)
    assert "/hour, " in explorer.answer.value and explorer.answer.value.count("not known") == 3  # electricity


def test_plan_is_what_a_hand_computes(fixed):
    """100 users x 10 tokens/s over 100 tokens/s x 0.5 are 20 accelerators: 3 nodes of 8 at 2 dollars each."""
    table = sliders.table(START, fixed, sliders.planned(START, fixed))
    assert table.cells[["P10", "P90"]].to_numpy()[:4].tolist() == [["24"] * 2, ["3"] * 2, ["48"] * 2, ["0.48"] * 2]
    assert (
        table.title
        == "Serving 100 users at 10 tokens/s takes 24 H100 (3 nodes, measured), $48/hour, $13 per million tokens."
    )


def test_electricity_is_energy_times_price_times_overhead(fixed):
    """1,000 tokens/s x 3,600 s x 0.4 J = 1.44 MJ = 0.4 kWh; x 0.36 dollars x 1.25 = 0.18 dollars an hour."""
    bill = sliders.electricity(Demand(100, 10.0), 0.36, fixed)
    assert (bill.low, bill.high) == pytest.approx((0.18, 0.18), rel=1e-12)
    assert not sliders.electricity(Demand(100, 10.0), 0.36, replace(fixed, efficiency=fixed.efficiency.head(0))).known


def test_each_slider_moves_the_answer(fixed):
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
    assert "Serving 250 users at 7 tokens/s takes" in explorer.answer.value


LEAST = {"users": 1, "tokens_per_second_per_user": 0.5, "derate": Interval(0.01, 0.02),
         "usd_per_accelerator_hour": Interval(0.01, 0.02)}  # fmt: skip
MOST = {"users": 10_000_000_000, "tokens_per_second_per_user": 900.0, "derate": Interval(1.0, 1.0),
        "usd_per_accelerator_hour": Interval(30.0, 40.0), "usd_per_kilowatt_hour": 3.0}  # fmt: skip


@pytest.mark.parametrize("change", [LEAST, MOST, {"users": 2_000_000}], ids=["least", "most", "many users"])
def test_sliders_stand_where_they_start(fixed, change):
    start = replace(START, **change)
    assert Explorer(start, fixed).choice == start


def test_the_staircase_reaches_as_many_users_as_the_report_asks_for(real):
    asked, fixed, start = real
    assert 0.5e6 < sliders.steps(start, fixed)["users_from_p50"].max() <= 1e6
    many = replace(fixed, asked=asked.model_copy(update={"users": 2_000_000}))
    assert 2e6 < sliders.steps(start, many)["users_from_p50"].max() <= 1e7


@pytest.fixture
def climbing(real: tuple[RealWorldDerating, Fixed, Choice]) -> Explorer:
    """Sliders over the real record, with the theme of a notebook."""
    style.apply()
    return Explorer(real[2], real[1])


def marked(explorer: Explorer) -> str:
    """What the alt text of the figure says of today's choice: the nodes and the users."""
    return re.search(r"H200 ([\d,]+(?: to [\d,]+)? at [\d,]+ users)", explorer.figure.value).group(1)


def test_the_staircase_moves_with_the_sliders_and_marks_the_choice(climbing):
    assert climbing.figure.value.startswith('<div role="img" aria-label="Next accelerators at ')
    assert "<svg" in climbing.figure.value and marked(climbing).endswith(" at 100 users")
    moves = {"users": 5000.0, "tokens_per_second_per_user": 20.0, "derate": (0.2, 0.4)}
    seen = [marked(climbing)]
    for name, value in moves.items():
        climbing.sliders[name].value = value
        seen.append(marked(climbing))
        lines = climbing.answer.value
        low = re.search(r">accelerators</td><td[^>]*>([\d,]+)<", lines).group(1)
        assert seen[-1].startswith(low) and seen[-1].endswith(" at 5,000 users"), name
    assert len(set(seen)) == len(seen)


def test_the_staircase_is_that_of_the_plan_whose_users_it_tells(real):
    """P50 of a plan of as many draws is a step's accelerators from its first users on."""
    _, fixed, start = real
    few = replace(fixed, asked=fixed.asked.model_copy(update={"draws": sliders.DRAWS}))
    steps = sliders.steps(start, few)
    for step in steps.iloc[[1, 3]].itertuples():
        at = sliders.planned(replace(start, users=int(step.users_from_p50)), few)
        before = sliders.planned(replace(start, users=int(step.users_from_p50) - 1), few)
        counts = [own.marks.set_index("output").at["accelerators", "p50"] for own in (before, at)]
        assert counts[1] == step.accelerators > counts[0]


def test_the_steps_are_computed_again_only_where_they_move(climbing, monkeypatch):
    computed, steps = [], sliders.steps
    monkeypatch.setattr(sliders, "steps", lambda *given: computed.append(given) or steps(*given))
    for users in (200.0, 300.0, 400.0):
        climbing.sliders["users"].value = users
    climbing.sliders["usd_per_kilowatt_hour"].value = 0.5
    assert not computed
    climbing.sliders["tokens_per_second_per_user"].value = 20.0
    assert len(computed) == 1


def test_where_nothing_is_planned_a_sentence_stands_in_place_of_the_staircase(climbing):
    climbing.sliders["tokens_per_second_per_user"].max = 9999.0
    climbing.sliders["tokens_per_second_per_user"].value = 9000.0
    assert climbing.figure.value.startswith("<p>No plan: the memory bandwidth of H200 gives a user")
    climbing.sliders["tokens_per_second_per_user"].value = 25.0
    assert "<svg" in climbing.figure.value


def test_a_move_plans_once_and_looks_nothing_up(real, monkeypatch):
    """What a move costs beyond its draws would grow with the record."""
    explorer, plans, over = Explorer(real[2], real[1]), [], capacity.over

    def counted(*given: object, **named: object) -> capacity.Planned:
        plans.append(given)
        return over(*given, **named)

    monkeypatch.setattr(capacity, "over", counted)
    monkeypatch.setattr(selection, "select", lambda *_, **__: pytest.fail("a move asked the gate"))
    for users in range(200, 205):
        explorer.sliders["users"].value = float(users)
    assert len(plans) == 5


def test_where_widgets_do_not_run_the_table_of_the_start_is_shown(fixed):
    explorer = Explorer(START, fixed)
    explorer.sliders["users"].value = 900.0
    bundle = explorer._repr_mimebundle_()
    assert set(bundle) == {mime.WIDGET, "text/html", "text/plain"}
    assert bundle["text/plain"].startswith("Serving 100 users at 10 tokens/s takes")
    assert '<table class="cells" id="t' in bundle["text/html"]


def test_unknown_price_says_so_and_sliders_stand(fixed):
    unknown = replace(START, usd_per_accelerator_hour=Interval(float("nan"), float("nan")))
    explorer = Explorer(unknown, fixed)
    assert sliders.need(sliders.planned(unknown, fixed)).endswith("price unknown.")
    explorer.sliders["usd_per_accelerator_hour"].value = (2.0, 2.0)
    assert "takes 24 H100 (3 nodes, measured)" in explorer.answer.value
