"""The words of the derating report: shares under each limit, the band, the plan and what drives it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.answers import real_world_derating as answer
from analysis.compare.gate import Comparison, Question
from analysis.core.findings import Finding
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.show import notebook
from analysis.themes import cost
from analysis.themes.plans import sizing
from analysis.themes.plans.capacity import LongPrompt, Planned
from analysis.themes.plans.demand import Demand
from analysis.themes.plans.sizing import Box
from analysis.themes.plans.supply import SPEED
from analysis.themes.watts import Drawn

BAND = Interval(0.6, 0.8)
LABELS = {"llm": "LLM", "slow": "Slow LLM"}
PREVIEW = frozenset({note("preview", round="v4.1")})


def derates(*shares: float, scenario: str = "Server", **columns: object) -> pd.DataFrame:
    """Systems a, b, c ... of v4.1 that keep these shares, each on an accelerator of its own."""
    names = list("abcdefgh"[: len(shares)])
    frame = pd.DataFrame({"derate_low": shares, "derate_high": shares, "accelerator": names, "system_key": names})
    frame = frame.assign(benchmark="llm", scenario=scenario, round="v4.1", kind="available", basis="official v4.1")
    frame = frame.assign(
        accelerator_count=8, per_accelerator_high=1.0, framework="vLLM", source_ids=[("s",)] * len(names)
    )
    return frame.assign(notes=[NONE] * len(names), **columns)


def said(finding: Finding, low: float, high: float, headline: str) -> None:
    assert (finding.value, finding.headline) == (Interval(low, high), headline)


def test_the_limit_asked_for_leads_and_most_systems_are_told() -> None:
    server, tight = derates(0.9, 0.95, 0.7), derates(0.5, 0.6, scenario="Interactive")
    shares = [(answer.Limit("Server", 5.0), server), (answer.Limit("Interactive", 25.0), tight)]
    both = (
        "At 5 tokens/s per user, 2 of 3 v4.1 systems keep over 80 % of Offline throughput; at 25, half of 2 under 55 %."
    )
    finding = answer.derate(shares, BAND, "LLM Server")
    said(finding, 0.7, 0.95, both)
    assert finding.values["under_2"][0] == Interval(0.5, 0.6) and finding.sources == ["s"]
    turned = (
        "At 25 tokens/s per user, half of 2 v4.1 systems keep under 55 % of Offline throughput; at 5, 2 of 3 over 80 %."
    )
    said(answer.derate(shares[::-1], BAND, "LLM"), 0.5, 0.6, turned)
    assert max(len(text.split()) for text in (both, turned)) <= 25
    third = (answer.Limit("Agentic", None), derates(0.3, 0.4, scenario="Agentic"))
    of_three = answer.derate([*shares, third], BAND, "LLM")
    said(of_three, 0.7, 0.95, both)
    assert of_three.values["under_3"][0] == Interval(0.3, 0.4)


def test_one_system_and_the_middle_of_several_are_told_as_what_they_are() -> None:
    one = answer.derate([(answer.Limit("Server", None), derates(0.5))], BAND, "LLM")
    said(one, 0.5, 0.5, "In Server, the only v4.1 system keeps 50 % of Offline throughput.")
    three = answer.derate([(answer.Limit("", 5.0), derates(0.4, 0.5, 0.9))], BAND, "LLM")
    said(three, 0.4, 0.9, "At 5 tokens/s per user, the middle of 3 v4.1 systems keeps 50 % of Offline throughput.")


def test_what_is_not_on_sale_or_of_an_older_round_is_in_no_share() -> None:
    kinds = derates(0.9, 0.2, 0.85, kind=["available", "preview", "available"], round=["v5.1", "v5.1", "v4.1"])
    said(
        answer.derate([(answer.Limit("Server", 5.0), kinds)], BAND, "LLM"),
        0.9,
        0.9,
        "At 5 tokens/s per user, the only v5.1 system keeps 90 % of Offline throughput.",
    )
    faster = derates(0.5, 0.7, 0.6, round=["v5.1", "v5.1", "v6.0"])
    shares = [
        (answer.Limit("", 5.0), kinds),
        (answer.Limit("", 25.0), faster),
        (answer.Limit("Interactive", None), kinds.head(0)),
    ]
    over = answer.derate_over_rounds(shares, "LLM")
    kept = "85 % in v4.1 and 90 % in v5.1 at 5 tokens/s per user; 60 % in v5.1 and 60 % in v6.0 at 25"
    said(over, 0.85, 0.9, f"On LLM the middle system kept {kept}.")
    assert over.values["under_2"][0] == Interval(0.6, 0.6)


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ((0.9, 0.95, 0.7), "is too low for Server, where 2 of 3 results on 1 benchmark keep more."),
        ((0.3, 0.4, 0.7), "is too high for Server, where 2 of 3 results on 1 benchmark keep less."),
        ((0.3, 0.65, 0.9), "holds for 1 of 3 results on 1 benchmark in Server."),
    ],
)
def test_the_band_is_judged_by_most_results(shares: tuple, words: str) -> None:
    assert answer.band(derates(*shares), BAND, LABELS).headline == f"The often quoted 60 to 80 % {words}"


def test_the_band_is_judged_scenario_by_scenario() -> None:
    both = pd.concat([derates(0.9, 0.95), derates(0.65, scenario="Interactive")])
    words = "is too low for Server, where 2 of 2 results on 1 benchmark keep more, "
    words += "and holds for 1 of 1 results on 1 benchmark in Interactive."
    said(answer.band(both, BAND, LABELS), 1, 1, f"The often quoted 60 to 80 % {words}")


def test_a_benchmark_whose_middle_system_does_not_keep_more_is_named() -> None:
    both = pd.concat([derates(0.9, 0.95, 0.99), derates(0.7, benchmark="slow")])
    found = answer.band(both, BAND, LABELS)
    assert found.headline.endswith("is too low for Server, where 3 of 4 results on 2 benchmarks keep more.")
    assert found.more == "The middle system in Server does not on Slow LLM."


def test_rows_of_the_figure_name_their_limit_and_the_claim_its_ends() -> None:
    server, tight = derates(0.9, 0.95), derates(0.5, 0.6, scenario="Interactive")
    shares = [(answer.Limit("Server", 5.0), server), (answer.Limit("Interactive", 25.0), tight)]
    shown = answer.derate_rows(shares, str, most=1)
    assert shown[["accelerator", "limit", "software"]].to_numpy().tolist() == [
        ["a", "at 5 tokens/s per user", "vLLM"], ["a", "at 25 tokens/s per user", "vLLM"]]  # fmt: skip
    assert answer.derate_claim(shown) == "a keeps 50 % at 25 tokens/s per user"
    two = answer.derate_rows(shares, str, most=2)
    assert answer.derate_claim(two) == "At 25 tokens/s per user, b keeps 60 % and a 50 %"


def test_benchmarks_of_the_figure_begin_with_the_one_asked_about() -> None:
    both = pd.concat([derates(0.9), derates(0.8, benchmark="asked"), derates(0.5, scenario="Interactive")])
    rows = answer.benchmark_rows(both, "asked", {"llm": "LLM", "asked": "Asked"}, most=2)
    assert rows[["label", "scenario", "told"]].to_numpy().tolist() == [
        ["Asked", "Server", "1 system"], ["LLM", "Server", "1 system"], ["LLM", "Interactive", "1 system"]]  # fmt: skip
    assert answer.benchmark_rows(both, "asked", {"asked": "Asked"}, most=1)["label"].tolist() == ["Asked"]


BOX = Box(80.0, 0.1, Interval(900.0, 900.0))


SIZED = ("price", "peak over mean", "for_traffic")


def planned(rows: pd.DataFrame, users: int = 100, speed: float = 25.0, **columns: object) -> Planned:
    """A plan whose draws have these columns; without any nothing is drawn. Nodes have eight."""
    size = next((len(value) for value in columns.values() if isinstance(value, list)), 1) if columns else 0
    draws = pd.DataFrame(columns, index=range(size), dtype="float64")
    draws = draws.reindex(columns=[*draws, *(name for name in [*sizing.OUTPUTS, *SIZED] if name not in draws)])
    chosen = Comparison(rows.assign(**{SPEED: 26.0}), pd.DataFrame(), "tokens/s", Question("llm", "Interactive"), "LLM")
    demand = Demand(users, speed)
    inputs = pd.DataFrame()
    return Planned(
        draws,
        demand,
        "H100 SXM",
        {"H100 SXM": "H100"},
        chosen,
        cost.behind(chosen.rows, "H100 SXM"),
        (26.0, "Interactive"),
        BOX,
        inputs,
        Drawn(BOX.watts, "metered", rows),
        NONE,
        NONE,
    )


@pytest.fixture
def rows(comparable_rows) -> pd.DataFrame:
    """One official run of eight H100."""
    return comparable_rows({"notes": PREVIEW})


def test_the_need_is_told_in_whole_nodes_and_dollars(rows: pd.DataFrame) -> None:
    one = planned(rows, nodes=1.0, usd_per_hour=[25.2] * 5 + [36.9] * 5, usd_per_user_hour=0.25, price=4.0)
    finding = answer.need(one)
    said(finding, 8, 8, "100 users at 25 tokens/s each take one node of 8 H100, $25 to $37 an hour.")
    assert (finding.sources, finding.notes) == (["mlcommons-v4.1"], PREVIEW)
    assert finding.values["usd_per_hour"][0] == Interval(25.2, 36.9) and finding.values["nodes"][0] == Interval(1, 1)
    free = answer.need(planned(rows, users=1, nodes=[3.0] * 5 + [12.0] * 5))
    said(free, 24, 96, "1 user at 25 tokens/s takes 3 to 12 nodes of 8 H100, at a price that is not known.")
    alone = answer.need(replace(planned(rows, nodes=3.0), box=replace(BOX, node=1)))
    assert "take 3 H100, at" in alone.headline


def test_a_speed_that_no_run_had_is_refused_with_what_there_is(rows: pd.DataFrame) -> None:
    none = planned(rows.head(0), speed=30.0)
    assert answer.need(none).value is None
    words = "No official run of H100 gave each user 30 tokens/s, 26 at most (Interactive)"
    assert answer.need(none).headline == f"{words}."
    others = rows.assign(accelerator="A")
    assert (
        answer.why_nothing(replace(planned(others, speed=30.0), as_fast=("A", "B", "C")))
        == f"{words}; A, B and 1 more did."
    )


def test_why_nothing_is_planned_is_told_by_its_cause(rows: pd.DataFrame) -> None:
    nowhere = replace(planned(rows.assign(accelerator="B")), fastest=(float("nan"), ""), as_fast=("B",))
    assert answer.why_nothing(nowhere) == "The record has no comparable result of H100 on LLM Interactive. B has one."
    as_many = replace(nowhere, as_fast=("A", "B", "C", "D"))
    assert answer.why_nothing(as_many).endswith(" A, B and 2 more have one.")
    unheld = planned(rows, accelerators=[float("nan")] * 2)
    assert "not enough memory for LLM" in answer.why_nothing(unheld)
    mostly = planned(rows, nodes=[1.0, float("nan")], accelerators=[8.0, float("nan")])
    words = "In 50 % of the draws no number of H100 holds a request of LLM: none serves nine draws in ten."
    assert answer.need(mostly).headline == words and answer.need(mostly).value is None
    assert answer.panels(mostly).empty
    assert answer.why_nothing(planned(rows)).startswith("The throughput of each H100 on LLM Interactive is not known")
    long = replace(planned(rows), too_long=LongPrompt(1024.0, 8.0, 0.5, read_ms=48.9, limit_ms=40.0))
    assert answer.why_nothing(long, "--{}".format) == (
        "Reading a prompt of 1,024 tokens takes 48.9 ms on 8 H100 SXM, no less than the --ttft_ms of 40. That is at "
        "50 % of the dense compute, and more copies of the weights do not help: shorten --prompt_tokens, or give a "
        "longer --ttft_ms or a higher --prefill_share."
    )
    headline = "Reading a prompt of 1,024 tokens takes 48.9 ms on 8 H100 SXM, no less than the ttft_ms of 40."
    assert answer.need(replace(long, draws=long.draws.head(0))).sentence == headline
    assert len(headline.split()) <= notebook.MOST_WORDS
    assert answer.why_nothing(long) == answer.why_nothing(long, "--{}".format).replace("--", "")


def test_the_need_without_the_assumed_derate_is_told_as_what_changes(rows: pd.DataFrame) -> None:
    two, one = (
        planned(rows, nodes=nodes, usd_per_hour=26 * nodes, usd_per_user_hour=0.26 * nodes) for nodes in (2.0, 1.0)
    )
    changed = answer.need_without_derate(two, one, BAND)
    said(changed, 8, 8, "Without the assumed derate of 60 to 80 % it would be one node of 8 H100, $26 an hour.")
    assert changed.name == "accelerators_needed_if_measured"
    same = answer.need_without_derate(one, one, BAND).headline
    assert same == "Without the assumed derate of 60 to 80 % the number of nodes is the same."
    assert answer.need_without_derate(one, planned(rows.head(0)), BAND).value is None


def fleet(*users: int, usd: float = 26.0) -> pd.DataFrame:
    """Users on one node each."""
    frame = pd.DataFrame({"users": users})
    values = {"nodes": 1.0, "usd_per_user_hour": usd / frame["users"]}
    return frame.assign(**{f"{name}_{end}": values[name] for name in values for end in ("low", "median", "high")})


def test_the_draws_that_nothing_serves_are_told_beside_what_decides_the_others() -> None:
    shares = pd.DataFrame({"cause": sizing.CAUSES, "share": [0.5, 0.25, 0.0, 0.19]})
    assert answer.decisive(shares).headline.endswith("memory for requests in 19 %; in 6 % no number of them serves.")
    whole = answer.decisive(shares.assign(share=[0.5, 0.25, 0.0, 0.25]))
    assert whole.headline.endswith("and memory for requests in 25 %.")


def test_what_a_user_costs_is_told_among_few_and_many(rows: pd.DataFrame) -> None:
    priced = planned(rows, nodes=1.0, price=3.0)
    said(
        answer.fleet(fleet(10, 1000), priced), 0.026, 2.6, "A user costs $2.60 an hour among 10, 2.6 cents among 1,000."
    )
    unpriced = answer.fleet(fleet(1, 1000), planned(rows, nodes=1.0))
    said(unpriced, 1, 1, "1 user takes one node, 1,000 users one node.")
    assert answer.fleet(fleet(), priced).value is None
    drawn = answer.fleet_rows(fleet(1, 1000), priced)
    assert drawn["label"].tolist() == ["1 user", "1,000 users"] and drawn["value_low"].tolist() == [26.0, 0.026]
    assert drawn["value_median"].tolist() == [26.0, 0.026]
    assert answer.fleet_axis(priced) != answer.fleet_axis(planned(rows, nodes=1.0))


@pytest.mark.parametrize(
    ("users", "counts"),
    [(100, [10, 100, 1000, 10_000]), (1, [1, 10, 100]), (5, [5, 50, 500]), (10**10, [10**9, 10**10])],
)
def test_numbers_of_users_stand_around_that_asked_for(users: int, counts: list[int]) -> None:
    assert answer.user_counts(users) == counts


def varying(rows: pd.DataFrame, price: bool = True) -> Planned:
    """Draws whose bill follows the price; nodes follow the peak."""
    peak = [1.0, 2.0, 3.0, 4.0, 5.0]
    nodes = [1.0, 2.0, 3.0, 4.0, 5.0]
    own = {"price": [1.0, 2.0, 3.0, 4.0, 5.0]} if price else {}
    return planned(rows, nodes=nodes, usd_per_hour=[8.0 * n * n for n in nodes], context=[3.0, 1.0, 2.0, 5.0, 1.5],
                   **{"peak over mean": peak, "derate": [0.6, 0.8, 0.7, 0.6, 0.8]} | own)  # fmt: skip


def test_what_drives_the_bill_is_told_in_words(rows: pd.DataFrame) -> None:
    finding = answer.dominant(varying(rows))
    words = "Peak traffic and price drive the bill; the length of contexts hardly matters."
    assert finding.headline.startswith(words[:40]) and finding.value == Interval(1.0, 1.0)
    assert "number of nodes" in answer.dominant(varying(rows, price=False)).headline


def test_nothing_drives_a_number_that_is_all_but_the_same(rows: pd.DataFrame) -> None:
    """Nineteen draws of twenty take 2 nodes: tenth and ninetieth percentile agree, whatever is ranked first."""
    counts = [2.0] * 19 + [3.0]
    words = "Within these ranges the answer is {} 2 nodes{}."
    often, price = "in 95 % of the draws", ", so that price alone moves the bill"
    said(answer.dominant(planned(rows, nodes=counts, price=2.0)), 0.95, 0.95, words.format(often, ""))
    dearer = planned(rows, nodes=counts, price=[1.0] * 10 + [2.0] * 10)
    said(answer.dominant(dearer), 0.95, 0.95, words.format(often, price))
    said(answer.dominant(planned(rows, nodes=[2.0] * 20)), 1, 1, words.format("always", ""))


def test_causes_say_how_often_each_decides() -> None:
    shares = pd.DataFrame({"cause": list(sizing.CAUSES), "share": [0.186, 0.038, 0.0, 0.776]})
    finding = answer.decisive(shares)
    assert finding.value == Interval(0.776, 0.776)
    assert "in 19 % of the draws" in finding.headline and "memory for requests in 78 %" in finding.headline


def test_kilowatts_say_what_they_are_of(rows: pd.DataFrame) -> None:
    """Of the nodes, in the words of what draws them, with a note where that is a model."""
    plan = planned(rows, nodes=1.0, kilowatts=9.4)
    words = "One node of 8 H100 draws 9.4 kW with hosts and building"
    said(answer.kilowatts(plan), 9.4, 9.4, f"{words}, metered.")
    most = frozenset({note("no_meter", accelerator="H100 SXM", scenario="Server")})
    model = replace(plan, drawn=Drawn(BOX.watts, "modelled", rows.head(0)), power_notes=most)
    said(answer.kilowatts(model), 9.4, 9.4, f"{words}, modelled.")
    assert answer.kilowatts(model).notes == most
    several = planned(rows, nodes=[2.0] * 5 + [3.0] * 5, kilowatts=20.0)
    assert answer.kilowatts(several).headline.startswith("2 to 3 nodes of 8 H100 draw 20 kW")
    assert answer.kilowatts(replace(plan, draws=plan.draws.assign(kilowatts=np.nan))).value is None


def test_spare_nodes_are_told_among_the_nodes(rows: pd.DataFrame) -> None:
    plan = planned(rows, nodes=3.0)
    assert "nodes of 8" in answer.plan_rows(plan)["what"].tolist()
    spared = replace(plan, box=replace(BOX, spare_nodes=1))
    assert "nodes of 8, 1 of them spare" in answer.plan_rows(spared)["what"].tolist()


def test_what_a_million_tokens_costs_says_how_much_of_the_nodes_is_used(rows: pd.DataFrame) -> None:
    """Three accelerators at a peak of 1.5 are two of eight on average."""
    plan = planned(rows, nodes=1.0, for_traffic=3.0, **{"peak over mean": 1.5})
    words = "dollars per million tokens, of whole nodes that users fill 25 % on average"
    assert words in answer.plan_rows(plan)["what"].tolist()


def test_the_trust_line_names_the_runs_that_are_planned_with(rows: pd.DataFrame) -> None:
    assert answer.trust_parts(planned(rows), "LLM") == ["LLM", "plan on H100 in v4.1"]
    assert answer.trust_parts(planned(rows.head(0)), "LLM") == ["LLM"]


def test_nothing_to_say_is_said(rows: pd.DataFrame) -> None:
    none, empty = planned(rows.head(0)), derates()
    found = [
        answer.derate([(answer.Limit("Server", 5.0), empty)], BAND, "LLM"),
        answer.band(empty, BAND, LABELS),
        answer.derate_over_rounds([(answer.Limit("Server", 5.0), empty)], "LLM"),
        answer.need(none),
        answer.need_without_derate(none, none, BAND),
        answer.dominant(none),
        answer.decisive(sizing.decided(none.draws)),
        answer.kilowatts(none),
        answer.fleet(fleet(), none),
    ]
    assert {own.value for own in found} == {None} and len({own.name for own in found}) == len(found)
    assert answer.derate_rows([(answer.Limit("Server", 5.0), empty)], str, most=9).empty
    assert answer.derate_claim(empty.assign(limit="")) == "No system has both scenarios"
