"""Sized draws by hand, what they conserve, and what more users, dearer hours and shorter waits may never do."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis._core.interval import Interval
from analysis.methods.memory import Model
from analysis.planner import sizing
from analysis.planner.demand import Demand
from analysis.planner.sizing import CONTEXT as CACHED
from analysis.planner.sizing import Box

CLOSE = {"rel": 1e-12}
MODEL = Model(70e9, 327_680.0)
BOX = Box(80.0, 0.1, Interval(900.0, 900.0), 1.3)
CONTEXT = Interval(1000.0, 1000.0)


def exact(*values):
    return [Interval(value, value) for value in values]


def drawn(usd=4.76, draws=500, seed=0, fixed=False):
    rate, derate, price, peak = exact(1000.0, 0.5, usd, 1.0)
    if not fixed:
        rate, derate, price, peak = Interval(800.0, 1200.0), Interval(0.6, 0.8), Interval(usd, 2 * usd), Interval(1, 2)
    return sizing.draw(rate, derate, peak, price, draws, seed)


def by_hand(demand, model=None, box=BOX, context=CONTEXT):
    """One draw of 1,000 tokens/s of each accelerator, half of them kept, at 4.76 dollars and without a peak."""
    (row,) = sizing.size(drawn(fixed=True, draws=1), demand, model, box, context, 0).to_dict("records")
    return row


EVEN = Interval(1.0, 1.0)  # traffic without a peak: the draws have their own


def sized(users=100, demand=None, model=MODEL, **changes):
    return sizing.size(
        drawn(**changes), demand or Demand(users, 30.0, EVEN, 300.0, 2.0), model, BOX, Interval(500, 2000), 0
    )


def test_plan_by_hand():
    """100 users x 30 tokens/s over 1,000 x 0.5 are 6, in whole nodes 8: of 4.76 dollars and 0.9 x 1.3 kW each."""
    halves = replace(BOX, node=4, unit=4)
    for box, rented, nodes in ((BOX, 6.0, 1.0), (replace(BOX, unit=8), 8.0, 1.0), (halves, 8.0, 2.0)):
        row = by_hand(Demand(100, 30.0), box=box)
        told = [row[name] for name in ("accelerators", "nodes", "decided_by", "for_traffic")]
        assert told == [rented, nodes, "traffic", 6.0]
        assert row["usd_per_hour"] == pytest.approx(rented * 4.76, **CLOSE)
        assert row["usd_per_user_hour"] == pytest.approx(rented * 0.0476, **CLOSE)
        assert row["usd_per_million_tokens"] == pytest.approx(rented * 4.76 / (100 * 30 * 3600 / 1e6), **CLOSE)
        assert row["kilowatts"] == pytest.approx(rented * 1.17, **CLOSE)


def test_watts_of_a_node_are_drawn_in_their_range():
    """A node of eight at 700 to 1,000 W each, with the building 7.28 to 10.4 kW."""
    box = replace(BOX, unit=8, watts=Interval(700.0, 1000.0))
    drawn_kw = sizing.size(drawn(fixed=True), Demand(100, 30.0), None, box, CONTEXT, 0)["kilowatts"]
    assert drawn_kw.between(7.28, 10.4).all() and drawn_kw.max() - drawn_kw.min() > 3.0


def test_spare_nodes_are_rented_and_draw_and_serve_nobody():
    """Six accelerators, and two nodes of eight more: 22 at 4.76 dollars and 0.9 x 1.3 kW."""
    box = replace(BOX, spare_nodes=2)
    row = by_hand(Demand(100, 30.0), box=box)
    assert (row["accelerators"], row["nodes"], row["for_traffic"]) == (22.0, 3.0, 6.0)
    assert row["usd_per_hour"] == pytest.approx(22 * 4.76, **CLOSE)
    assert row["kilowatts"] == pytest.approx(22 * 0.9 * 1.3, **CLOSE)


@pytest.mark.parametrize(("users", "accelerators"), [(133, 8.0), (134, 11.0), (1000, 75.0)])
def test_beyond_the_size_that_was_measured_each_keeps_its_share(users, accelerators):
    """500 tokens/s each: 133 users of 30 are 7.98. One user more is beyond eight, and of 400 each 10.05 are needed."""
    box = replace(BOX, kept=Interval(0.8, 0.8))
    row = by_hand(Demand(users, 30.0), box=box)
    assert (row["accelerators"], row["nodes"]) == (accelerators, np.ceil(accelerators / 8))


@pytest.mark.parametrize(("count", "users"), [(8, 133.33), (16, 213.33), (80, 1066.67)])
def test_users_that_accelerators_serve_by_hand(count, users):
    """8 x 500 / 30 tokens/s; beyond one node 400 of the 500 each."""
    box, demand = replace(BOX, kept=Interval(0.8, 0.8)), Demand(1, 30.0)
    frame = sizing.size(drawn(fixed=True, draws=1), demand, None, box, CONTEXT, 0)
    assert sizing.served(frame, demand, None, box, count).tolist() == [pytest.approx(users, rel=1e-4)]


def test_queue_takes_its_slots_by_hand():
    """A slot gives 30 of 500 tokens/s; the wait of the slots taken is the limit, and one accelerator less breaks it."""
    from analysis.planner import queueing

    load = Demand(100, 30.0, EVEN, 300.0, 2.0)
    row = by_hand(load)
    assert row["decided_by"] == "queue"
    assert row["for_queue"] == pytest.approx(row["slots"] * 30 / 500, **CLOSE)
    assert queueing.wait(row["accelerators"] * 500 / 30, 100.0, 10.0, 0.99) <= 2.0
    assert queueing.wait((row["accelerators"] - 1) * 500 / 30, 100.0, 10.0, 0.99) > 2.0


def test_memory_takes_whole_groups():
    """100 requests of 1,000 tokens: one pair holds 225, so six for the traffic hold them; 400 need four pairs."""
    row = by_hand(Demand(100, 30.0), MODEL)
    assert (row["accelerators"], row["decided_by"]) == (6.0, "traffic")
    slow = drawn(fixed=True, draws=1).assign(derate=1.0, **{"throughput per accelerator": 4000.0})
    (row,) = sizing.size(slow, Demand(100, 30.0), MODEL, BOX, Interval(6000.0, 6000.0), 0).to_dict("records")
    assert (row["for_traffic"], row["accelerators"], row["decided_by"]) == (0.75, 4.0, "memory")


@pytest.mark.parametrize(
    ("tokens", "count", "cause"), [(1.0, 4.0, "groups"), (2.0, 4.0, "groups"), (9e4, 8.0, "memory")]
)
def test_rounding_up_to_whole_groups_is_no_want_of_memory(tokens, count, cause):
    """Three for the traffic; two hold the weights, so four serve, however short their contexts; long ones take more."""
    large = replace(MODEL, weight_bytes=100e9)
    row = by_hand(Demand(50, 30.0), large, context=Interval(tokens, tokens))
    assert (row["in_groups"], row["accelerators"] >= count, row["decided_by"]) == (4.0, True, cause)


def test_what_nothing_holds_is_decided_by_nothing():
    frame = sizing.size(drawn(draws=3), Demand(50, 30.0), MODEL, BOX, Interval(1e12, 1e12), 0)
    assert frame["accelerators"].isna().all() and not sizing.decided(frame)["share"].any()


def test_costs_add_up_in_every_draw():
    frame = sized()
    assert np.allclose(frame["accelerators"] * frame["price"], frame["usd_per_hour"], rtol=1e-12)
    assert np.allclose(frame["usd_per_user_hour"] * 100, frame["usd_per_hour"], rtol=1e-12)
    assert np.allclose(frame["usd_per_million_tokens"] * 10.8, frame["usd_per_hour"], rtol=1e-12)
    assert np.allclose(frame["accelerators"] * 0.9 * 1.3, frame["kilowatts"], rtol=1e-12)
    assert (frame["accelerators"] % 1 == 0).all() and (frame["nodes"] == np.ceil(frame["accelerators"] / 8)).all()
    needs = frame[["for_traffic", "for_queue"]].max(axis=1)
    assert (frame["accelerators"] >= needs - 1e-6).all()
    assert sizing.decided(frame)["share"].sum() == pytest.approx(1.0, **CLOSE)


def test_prompt_takes_its_time_from_the_wait_and_adds_it_to_the_service():
    """Of 2 s for the first token 0.5 s go into the prompt: 1.5 s may be waited, and a slot is held 10.5 s."""
    from analysis.planner import queueing

    load = Demand(100, 30.0, EVEN, 300.0, 2.0, prompt_s=0.5)
    assert (load.wait_limit_s, load.service_s) == (1.5, 10.5)
    row = by_hand(load)
    assert queueing.wait(row["slots"], 100.0, 10.5, 0.99) == pytest.approx(1.5, rel=1e-3)


@pytest.mark.parametrize("prompt_s", [2.0, 2.1])
def test_prompt_that_takes_the_whole_limit_plans_nothing(prompt_s):
    frame = sized(demand=Demand(100, 30.0, EVEN, 300.0, 2.0, prompt_s=prompt_s))
    assert frame.empty and set(sizing.OUTPUTS) <= set(frame.columns)


@pytest.mark.parametrize(
    ("change", "said"), [((0, 30.0), "users is 0"), ((-1, 30.0), "users is -1"), ((10, 0.0), "second_per_user is 0.0")]
)
def test_impossible_loads_are_refused_by_name(change, said):
    with pytest.raises(ValueError, match=said):
        Demand(*change)


@pytest.mark.parametrize(
    ("derate", "usd", "said"),
    [
        ((0.5, 1.1), 2.0, "derate 0.5 to 1.1 is not within"),
        ((0.0, 0.5), 2.0, "derate 0 to 0.5"),
        ((0.5, 0.6), -2.0, "price -2"),
    ],
)
def test_impossible_derates_and_prices_are_refused_by_name(derate, usd, said):
    with pytest.raises(ValueError, match=said):
        sizing.draw(Interval(1000.0, 1000.0), Interval(*derate), EVEN, Interval(usd, usd), 10, 0)


def test_accelerator_of_unknown_watts_is_sized_without_kilowatts():
    box = Box(80.0, 0.1, Interval(float("nan"), float("nan")))
    frame = sizing.size(drawn(), Demand(100, 30.0), MODEL, box, CONTEXT, 0)
    assert frame["kilowatts"].isna().all() and frame["accelerators"].notna().all()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 100_000), st.integers(0, 100_000), st.floats(0.01, 50), st.floats(0, 50))
def test_more_users_or_a_higher_price_never_cost_less(users, more, usd, dearer):
    few, many = (sized(each, draws=50) for each in (users, users + more))
    for name in ("accelerators", "nodes", "usd_per_hour", "kilowatts"):
        assert (many[name] >= few[name]).all()
    cheap, dear = (sized(usd=each, draws=50) for each in (usd, usd + dearer))
    assert (dear["usd_per_hour"] >= cheap["usd_per_hour"]).all()


def test_a_shorter_wait_and_longer_requests_never_need_fewer():
    lengths = [(300.0, 20.0), (300.0, 2.0), (900.0, 2.0)]
    loads = [Demand(100, 30.0), *(Demand(100, 30.0, EVEN, *length) for length in lengths)]
    counts = [sized(demand=load)["accelerators"] for load in loads]
    assert all((after >= before).all() for before, after in pairwise(counts))
    assert counts[-1].sum() > counts[0].sum()


@settings(max_examples=20, deadline=None)
@given(st.floats(0, 1.9), st.floats(0, 1))
def test_longer_prompts_never_need_fewer(prompt_s, more):
    longer = min(prompt_s + more, 1.95)
    short, long = (
        sized(demand=Demand(100, 30.0, EVEN, 300.0, 2.0, prompt_s=each), draws=50)
        for each in (prompt_s, max(prompt_s, longer))
    )
    assert (long["accelerators"] >= short["accelerators"]).all()


def test_same_seed_gives_the_same_numbers_on_any_machine():
    pd.testing.assert_frame_equal(sized(), sized())
    first = np.random.Generator(np.random.PCG64([0, 1])).uniform(500, 2000)
    assert sized()["context"].iloc[0] == first == pytest.approx(500 + 1500 * 0.889738791278134, rel=1e-9)


def test_nothing_drawn_is_nothing_sized():
    empty = sizing.size(drawn().head(0), Demand(100, 30.0), MODEL, BOX, CONTEXT, 0)
    assert empty.empty and set(sizing.OUTPUTS) <= set(empty.columns)
    assert np.isnan([sizing.marks(empty[name]) for name in sizing.OUTPUTS]).all()
    assert not sizing.decided(empty)["share"].any()


def test_ranks_are_correlated_exactly_whatever_their_order():
    """1, 2, 3 against 1, 3, 2: 1 - 6 x 2 / (3 x 8) = 0.5; the order of the draws changes no bit."""
    frame = pd.DataFrame({"derate": [1.0, 2.0, 3.0], "usd_per_hour": [1.0, 3.0, 2.0]})
    assert sizing.sensitivity(frame, inputs=["derate"])["correlation"].tolist() == [0.5]
    drawn = sized(1000)
    assert sizing.sensitivity(drawn, inputs=sizing.INPUTS)["share"].sum() == pytest.approx(1.0, **CLOSE)
    shuffled = sizing.sensitivity(drawn.sample(frac=1.0, random_state=1), inputs=sizing.INPUTS)
    pd.testing.assert_frame_equal(sizing.sensitivity(drawn, inputs=sizing.INPUTS), shuffled, check_exact=True)
    ranks = drawn[["derate", "usd_per_hour"]].corr("spearman")
    found = sizing.sensitivity(drawn, inputs=["derate"])["correlation"].iloc[0]
    assert found == pytest.approx(ranks.loc["derate", "usd_per_hour"], rel=1e-9)


def test_what_is_ranked_is_the_bill_of_whole_nodes():
    """12 and 14 accelerators are both 2 nodes: the peak moves the need and not the bill, the price moves it alone."""
    frame = pd.DataFrame({"accelerators": [12.0, 14.0, 12.0], "nodes": [2.0] * 3, "price": [1.0, 2.0, 3.0]})
    frame = frame.assign(usd_per_hour=16 * frame["price"], context=[5.0, 6.0, 5.0])
    found = sizing.sensitivity(frame, inputs=sizing.INPUTS)
    assert found.set_index("input")["correlation"].to_dict() == {"price": 1.0, "context": 0.0}
    assert sizing.sensitivity(frame, "nodes", sizing.INPUTS).empty


def test_number_is_settled_where_the_percentiles_agree():
    frame = pd.DataFrame({"accelerators": [2.0] * 19 + [3.0]})
    assert sizing.settled(frame) == 2.0
    assert np.isnan(sizing.settled(pd.DataFrame({"accelerators": [2.0] * 8 + [3.0] * 2})))
    assert np.isnan(sizing.settled(frame.head(0)))


RANGES = {
    "per_accelerator": Interval(2500.0, 3000.0),
    "derate": Interval(0.6, 0.8),
    "peak_over_mean": Interval(1.0, 1.5),
    "price": Interval(2.0, 4.0),
}


def test_drawn_inputs_lie_in_their_ranges_fill_them_and_are_independent():
    frame = sizing.draw(**RANGES, draws=2000, seed=0)
    for name, each in zip(sizing.DRAWN, RANGES.values(), strict=True):
        assert frame[name].between(each.low, each.high).all()
        assert frame[name].max() - frame[name].min() > 0.98 * (each.high - each.low)
    assert abs(frame.corr().to_numpy() - np.eye(4)).max() < 0.1
    low, high = RANGES["derate"].low, RANGES["derate"].high
    assert frame["derate"].iloc[0] == pytest.approx(low + (high - low) * 0.6369616873214543, **CLOSE)
    assert not frame["price"].equals(sizing.draw(**RANGES, draws=2000, seed=1)["price"])


def test_plans_of_one_seed_share_traffic_and_derate_and_nothing_else():
    one, other = (sizing.draw(**RANGES, draws=2000, seed=0, accelerator=name) for name in ("H100", "B200"))
    for name in ("derate", "peak over mean"):
        assert one[name].equals(other[name])
    for name in ("throughput per accelerator", "price"):
        assert abs(one[name].corr(other[name])) < 0.1


@pytest.mark.parametrize("name", RANGES)
def test_an_unknown_input_gives_no_draws(name):
    frame = sizing.draw(**RANGES | {name: Interval(float("nan"), float("nan"))}, draws=10, seed=0)
    assert frame.empty and list(frame) == list(sizing.DRAWN)
    assert sizing.sensitivity(frame.assign(usd_per_hour=[])).empty


def test_a_derate_above_one_is_drawn_where_it_is_meant():
    frame = sizing.draw(**RANGES | {"derate": Interval(1.1, 1.2)}, draws=10, seed=0, above_one=True)
    assert frame["derate"].between(1.1, 1.2).all()


def test_percentiles_of_nodes_are_whole():
    """Between the second and the third of four draws no node lies: half of them do not exceed the third."""
    assert sizing.marks(np.array([1.0, 1.0, 2.0, 2.0])) == [1.0, 2.0, 2.0]


def test_headroom_is_what_peak_traffic_leaves_by_hand():
    """100 users x 30 tokens/s of 8 x 500, at a peak of 1; with a spare node of 16 x 500. A million costs more."""
    for spare, left in ((0, 0.25), (1, 0.625)):
        box = replace(BOX, unit=8, spare_nodes=spare)
        frame = sizing.size(drawn(fixed=True), Demand(100, 30.0), None, box, CONTEXT, 0)
        assert sizing.headroom(frame) == Interval(left, left)
        full = 4.76 / (500 * 3600 / 1e6)
        assert frame["usd_per_million_tokens"].iloc[0] == pytest.approx(full / (1 - left), **CLOSE)
    assert not sizing.headroom(frame.assign(accelerators=np.nan)).known


def unheld(tokens):
    """100 users of a cache of 5 GB a token on 80 GB each, with contexts of up to so many tokens: 14,714 are held."""
    demand, model = Demand(100, 10.0, EVEN, 300.0, 2.0), Model(1.4e11, 5e9)
    return sizing.size(drawn(draws=2000), demand, model, BOX, Interval(1000.0, tokens), 0)


def test_a_draw_that_nothing_serves_is_worse_than_any_number():
    """Contexts of 1,000 to 30,000 tokens are held in 47 % of the draws, those of up to 15,500 in 95 %."""
    frame = unheld(30_000.0)
    share = sizing.held_nowhere(frame)
    assert 0.5 < share < 0.56 and frame["nodes"].isna().mean() == share
    tenth, *others = sizing.marks(frame["nodes"])
    assert (frame["nodes"] <= tenth).mean() >= 0.1, "a tenth of all draws, not of those that are served"
    assert np.isnan([*others, sizing.settled(frame)]).all()
    few = unheld(15_500.0)
    most = sizing.marks(few["nodes"])[-1]
    assert 0.03 < sizing.held_nowhere(few) < 0.1 and (few["nodes"] <= most).mean() >= 0.9
    assert (few["nodes"] < most).mean() < 0.9


def test_what_decides_what_is_served_and_what_is_planned_agree_on_a_draw_that_nothing_serves():
    frame, demand, model = unheld(30_000.0), Demand(100, 10.0, EVEN, 300.0, 2.0), Model(1.4e11, 5e9)
    nothing = frame["nodes"].isna().to_numpy()
    assert 1 - sizing.decided(frame)["share"].sum() == pytest.approx(sizing.held_nowhere(frame))
    assert (sizing.served(frame, demand, model, BOX, 10**9)[nothing] == 0).all()
    by_input = sizing.sensitivity(frame, "nodes").set_index("input")["correlation"]
    assert by_input.abs().idxmax() == CACHED and by_input[CACHED] > 0.9, "long contexts are those that nothing serves"


def test_where_less_is_worse_such_a_draw_counts_as_less_than_any_number():
    worth = np.array([np.nan, *np.arange(1.0, 10.0), 10.0])
    assert sizing.marks(worth, unplanned=-np.inf) == [1.0, 5.0, 9.0]
    assert sizing.marks(worth[:5], unplanned=-np.inf)[1] == 2.0 and np.isnan(sizing.marks(worth[:1])).all()
