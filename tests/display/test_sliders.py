"""The what-if sliders: the report's own functions, a hand-computed case, one plan a move, and no picture lost."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis import charts
from analysis._core import mime
from analysis._core.interval import Interval
from analysis._core.parameters import RealWorldDerating
from analysis._display import sliders
from analysis._display.sliders import Choice, Explorer, Fixed
from analysis.audit import flags
from analysis.comparability import selection
from analysis.comparability.selection import Question
from analysis.methods import memory, power
from analysis.planner import capacity, summary

START = Choice(100, 10.0, Interval(0.5, 0.5), Interval(2.0, 2.0), 0.36)


@pytest.fixture
def fixed(results, tables, data):
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
def real():
    """What the notebook plans on with the report's own parameters: queue, memory and prompts too."""
    return real_of("H200 SXM")


def real_of(baseline):
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


@pytest.fixture
def climbing(real):
    """Sliders over the real record, with the theme of a notebook."""
    charts.apply()
    return Explorer(real[2], real[1])


def marked(explorer):
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


def test_where_nothing_is_planned_a_sentence_stands_in_place_of_the_staircase(climbing):
    climbing.sliders["tokens_per_second_per_user"].max = 9999.0
    climbing.sliders["tokens_per_second_per_user"].value = 9000.0
    assert climbing.figure.value.startswith("<p>No plan: the memory bandwidth of H200 gives a user")
    climbing.sliders["tokens_per_second_per_user"].value = 25.0
    assert "<svg" in climbing.figure.value


def test_a_move_plans_once_and_looks_nothing_up(real, monkeypatch):
    """What a move costs beyond its draws would grow with the record."""
    explorer, plans, over = Explorer(real[2], real[1]), [], capacity.over

    def counted(*given, **named):
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
