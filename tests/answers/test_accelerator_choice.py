"""What the report on choosing an accelerator says: hand-made rankings, budgets that nothing keeps, and no ranking."""

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis.answers import accelerator_choice as answer
from analysis.core.findings import MOST_WORDS, Finding
from analysis.core.parameters import AcceleratorChoice
from analysis.themes.plans import choice, nearest
from analysis.themes.plans.choice import ACCELERATORS, DOLLARS, KILOWATTS, Choice, Match
from analysis.themes.plans.nearest import Shape

NAN = float("nan")
ASKED = AcceleratorChoice(users=1000, tokens_per_second_per_user=20.0, spare_nodes=0)
KNOWN = {"llama2-70b": Shape(70.0, 70.0, 1024.0)}
LABELS = pd.DataFrame({"benchmark": ["llama2-70b"], "label": ["Llama 2 70B"]})
PLAN = SimpleNamespace(called="H200", chosen=SimpleNamespace(unit="tokens/s"))
ROW = {
    "accelerator": "B200 SXM", "called": "B200", "node": 8, "metered": False, "metered_runs": 0, "metering": "a model",
    "decided_by": "traffic", "decided_share": 0.9, "within": "",
    "measured_on": 8, "smaller": False, "speed": 25.0, "rate_low": 1.0, "rate_high": 1.0,
    "scenario": "Interactive", "round": "v6.0", "basis": "official v6.0", "origin": "official",
    "systems": 1, "system": "box", "submitter": "ACME", "framework": "", "serving_software": "",
    "source_ids": ("mlcommons-v6.0",), "notes": frozenset(),
    "power_notes": frozenset(),
}  # fmt: skip
LEFT = {
    "accelerator": "L40S", "why": choice.TOO_SLOW, "benchmark": "llama2-70b", "distance": 0.0, "scenario": "Server",
    "speed": 12.0, "of_asked": 0.6, "rounds": ("v4.1", "v6.0"), "systems": 3, "source_ids": ("mlcommons-v4.1",),
}  # fmt: skip


def row(name: str, called: str, **changes: object) -> dict:
    """A row of a ranking; a quantity given as (low, high) has its median in the middle, in equal nodes the same."""
    ends = {"nodes": (1, 1), "count": (8, 8), "usd_per_hour": (NAN, NAN), "kilowatts": (10, 12), "worth": (2, 3)}
    ends |= {"worth_at_scale": (3, 4)}
    ends |= {"price_at_most": (NAN, NAN)} | {key: own for key, own in changes.items() if isinstance(own, tuple)}
    ends = {equal: ends[key] for key, equal in choice.EQUAL.items()} | ends
    spread = {f"{key}_{end}": float(at) for key, (low, high) in ends.items()
              for end, at in (("low", low), ("median", (low + high) / 2), ("high", high))}  # fmt: skip
    rest = {key: own for key, own in changes.items() if not isinstance(own, tuple)}
    return ROW | spread | {"accelerator": name, "called": called} | rest


B200, H200 = row("B200 SXM", "B200"), row("H200 SXM", "H200", nodes=(2, 3), count=(16, 24), worth=(1, 1))


def made(
    *rows: dict, by: str = ACCELERATORS, left: tuple = (LEFT,), model: Shape | None = None, **asked: object
) -> Choice:
    near = nearest.ranked(LABELS, KNOWN, model or KNOWN["llama2-70b"])
    return Choice(
        asked=ASKED.model_copy(update=asked),
        match=Match("llama2-70b", model is not None, model, near),
        plans={"H200 SXM": PLAN},
        bases={},
        ranked=pd.DataFrame(list(rows), columns=choice.RANKED),
        unranked=pd.DataFrame(list(left), columns=choice.UNRANKED),
        by=by,
    )


def called(name: str) -> str:
    return name.removesuffix(" SXM")


def best(chosen: Choice) -> Finding:
    found = answer.best(chosen, "Llama 2 70B", called)
    assert len(found.headline.split()) <= MOST_WORDS
    return found


def test_the_answer_names_the_least_and_all_that_are_level() -> None:
    one = best(made(B200, H200))
    assert one.headline == "1,000 users of Llama 2 70B at 20 tokens/s take 8 B200 in nodes of 8."
    assert (one.value.low, one.value.high, one.about) == (8, 8, "B200 SXM")
    assert {name: own[0].high for name, own in one.values.items()} == {"b200_sxm": 8, "h200_sxm": 24}
    level = best(made(B200, row("B300 SXM", "B300"), H200))
    assert level.headline.endswith("take 8 B200 or B300.")


def test_of_the_least_the_answer_says_how_many_are_spare() -> None:
    """One node of two; where nodes differ in size it is told in nodes."""
    two, other = row("B200 SXM", "B200", count=(16, 16)), row("L40S", "L40S", node=4, count=(16, 16))
    assert best(made(two, H200, spare_nodes=1)).headline.endswith("take 16 B200 in nodes of 8 (8 spare).")
    assert best(made(two, other, spare_nodes=1)).headline.endswith("take 16 B200 or L40S (1 spare node).")


SINGLE = row(
    "H100 SXM", "H100", node=1, count=(1, 2), nodes=(1, 2), kilowatts=(1, 2), usd_per_hour=(3, 8), measured_on=1,
    count_in_equal_nodes=(8, 8), kilowatts_in_equal_nodes=(11, 13), usd_per_hour_in_equal_nodes=(25, 37),
)  # fmt: skip


def test_what_takes_less_in_smaller_nodes_is_told_with_their_size() -> None:
    """One or two H100 that came in nodes of one: in nodes of eight, as B200, they would be eight."""
    chosen = made(B200, H200, SINGLE)
    assert best(chosen).headline.endswith("take 8 B200 in nodes of 8; 1 to 2 H100 in nodes of 1.")
    found = answer.smaller_nodes(chosen)
    assert found.headline == ("H100 takes 1 to 2 accelerators in nodes of 1, 8 accelerators in nodes of 8.")
    assert answer.power(chosen).headline == (
        "B200 draws least, 10 to 12 kW by a model; H100 1 to 2 kW in nodes of 1."
    ), "in nodes of one size"
    assert answer.ranked_rows(chosen)["told"].tolist() == ["1 node", "2 to 3 nodes", "1 to 2 nodes of 1"]
    assert answer.power_rows(chosen)["told"].tolist() == ["", "", "1 to 2 nodes of 1"]
    assert answer.subtitle(chosen, "Llama 2 70B").endswith("median starred; ranked as in nodes of 8.")
    assert answer.ranked_columns(chosen)["count_in_equal_nodes"] == "Accelerators in nodes of 8, ranked by"


@pytest.mark.parametrize(("runs", "words"), [(1, "one run"), (3, "3 runs")])
def test_metered_kilowatts_say_how_many_runs_they_are_of(runs: int, words: str) -> None:
    metered = row("B200 SXM", "B200", metered=True, metered_runs=runs, kilowatts=(9.6, 9.6))
    chosen = made(metered, H200)
    assert answer.power(chosen).headline == f"B200 draws least, 9.6 kW at the wall in {words}."
    drawn = answer.power_rows(chosen)[["series", "modelled", "told"]].to_numpy().tolist()
    assert drawn == [["metered", False, words], ["modelled", True, ""]]


def test_as_many_is_no_ratio() -> None:
    assert answer.spread(made(B200, row("B300 SXM", "B300"))).headline == "B300 takes as many accelerators as B200."
    steps = pd.DataFrame({"accelerator": ["B200 SXM"], "count": [8]})
    grown = answer.grows(made(B200), steps).headline
    assert grown == "10 times the users need only as many B200: they fill whole nodes better."


def test_an_answer_without_room_says_in_which_nodes_it_is_the_least() -> None:
    priced = row("B200 SXM", "B200", usd_per_hour=(30, 30))
    assert best(made(priced, SINGLE, by=DOLLARS)).headline.endswith("$30 an hour; H100 $3 to $8 in nodes of 1.")
    long = made(row("RTX PRO 6000", "RTX PRO 6000"), row("H200 NVL", "H200 NVL"), SINGLE, by=KILOWATTS)
    assert best(long).headline.endswith("need least: 10 to 12 kW for 1,000 users in nodes of 8.")


def test_what_leads_in_small_nodes_says_so_and_the_spread_compares_nodes_of_one_size() -> None:
    chosen = made(SINGLE, H200)
    assert best(chosen).headline.endswith("take 1 to 2 H100 in nodes of 1.") and not answer.smaller_nodes(chosen).value
    assert answer.spread(chosen).headline == ("H200 takes 2.5 times as many accelerators as H100, both in nodes of 8.")


def test_nodes_of_one_size_are_not_told_apart() -> None:
    chosen = made(B200, H200)
    assert not {*choice.EQUAL.values()} & {*answer.ranked_columns(chosen)}
    assert answer.subtitle(chosen, "Llama 2 70B").endswith("median starred.")
    assert set(answer.power_rows(chosen)["told"]) == {""}


RACK = row("GB300", "GB300", node=4, count=(4, 4), kilowatts=(5, 6), usd_per_hour=(9, 10), smaller=True, measured_on=72)


def test_what_takes_less_in_a_size_that_nobody_measured_is_told_behind_the_answer() -> None:
    """Four GB300 of a rack of 72 are fewer than the eight that lead, and draw less."""
    chosen = made(B200, H200, RACK)
    assert best(chosen).headline.endswith("take 8 B200 in nodes of 8, or 4 of a rack of 72 GB300.")
    found = answer.untried(chosen)
    assert found.headline == "GB300 would take 4 accelerators, but was measured only in systems of 72."
    both = answer.untried(
        made(B200, RACK | {"called": "Powered GB300"}, RACK | {"accelerator": "GB200", "called": "GB200"})
    )
    assert both.headline.endswith("but were measured only in systems of 72.")
    alone = answer.untried(made(B200, RACK | {"called": "Towered GB300"}))
    assert alone.headline == "Towered GB300 would take 4 accelerators, but was measured only in systems of 72."
    assert found.name in [own.name for own in answer.shown(chosen, chosen.ranked, 9, "Llama 2 70B", called)]
    assert answer.power(chosen).headline == (
        "Of measured sizes B200 draws least, 10 to 12 kW by a model; 4 of a rack of 72 GB300 at 5 to 6 kW."
    )
    larger = RACK | {"accelerator": "MI355X", "called": "MI355X", "measured_on": 64}
    assert best(made(B200, larger)).headline.endswith(", or 4 of a system of 64 MI355X.")
    both = answer.power(made(B200, RACK, larger)).headline
    assert both.endswith("; 4 of systems of 64 to 72 GB300 or MI355X at 5 to 6 kW.")


def test_what_takes_more_in_such_a_size_is_not_told() -> None:
    chosen = made(B200, RACK | {"count_median": 12.0, "kilowatts_median": 20.0})
    assert best(chosen).headline.endswith("take 8 B200 in nodes of 8.") and answer.untried(chosen).value is None
    assert answer.power(chosen).headline == "B200 draws least, 10 to 12 kW by a model."
    assert len(answer.shown(chosen, chosen.ranked, 9, "Llama 2 70B", called)) == 2


def test_what_leads_in_such_a_size_says_of_what_it_was_a_part() -> None:
    alone = made(RACK | {"within": "yes"}, by=KILOWATTS, kilowatts_at_most=9.0)
    assert best(alone).headline.endswith("draw least on GB300 of a rack of 72: 5 to 6 kW at the wall.")
    assert answer.power(alone).headline == "GB300 of a rack of 72 draws least, 5 to 6 kW by a model."


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"model": "DeepSeek-V3"}, "DeepSeek-V3, planned as Llama 2 70B,"),
        ({"model": "llama 2-70B"}, "Llama 2 70B"),
        ({}, "Llama 2 70B"),
    ],
)
def test_the_answer_names_the_model_and_what_it_is_planned_as(asked: dict, words: str) -> None:
    chosen = replace(made(B200), asked=ASKED.model_copy(update=asked))
    assert best(chosen).headline.startswith(f"1,000 users of {words} at 20 tokens/s take ")


def test_a_model_without_a_name_is_yours() -> None:
    chosen = made(B200, model=Shape(91.0, 91.0), parameters_billion=91.0)
    assert best(chosen).headline.startswith("1,000 users of your model, planned as Llama 2 70B, at 20 tokens/s")
    assert best(chosen).notes == frozenset()
    far = made(B200, model=Shape(400.0, 400.0), parameters_billion=400.0)
    assert {own.code for own in best(far).notes} == {"far_benchmark"}


def test_dollars_and_kilowatts_are_told_where_they_are_what_counts() -> None:
    priced = row("B200 SXM", "B200", usd_per_hour=(28, 30))
    assert best(made(priced, by=DOLLARS)).headline.endswith("cost least on B200: $28 to $30 an hour.")
    assert best(made(B200, by=KILOWATTS)).headline.endswith("draw least on B200: 10 to 12 kW at the wall.")
    assert best(made(B200, by=DOLLARS)).headline == "No price is known of the 1 accelerator that can serve this."


def test_what_follows_is_the_worth_of_an_hour_from_one_up() -> None:
    found = answer.follows(made(B200, H200))
    assert found.headline == "An hour of B200 is worth 2 to 3 of H200 in these whole nodes, 3 to 4 at scale."
    assert {name: own[0].high for name, own in found.values.items()} == {"b200_sxm": 4, "b200_sxm_in_whole_nodes": 3}
    less = answer.follows(made(H200, row("L40S", "L40S", worth=(0.25, 0.5), worth_at_scale=(0.2, 0.25))))
    assert less.headline == "An hour of H200 is worth 2 to 4 of L40S in these whole nodes, 4 to 5 at scale."
    assert less.about == "L40S"
    alike = answer.follows(made(H200, row("L40S", "L40S", worth=(0.5, 0.5), worth_at_scale=(0.8, 1.1))))
    assert alike.headline == "An hour of L40S is worth 0.5 of H200 in these whole nodes, 0.8 to 1.1 at scale."
    apart = answer.follows(made(row("B200 SXM", "B200", worth=(NAN, NAN)), H200))
    assert apart.headline == "An hour of B200 is worth 3 to 4 of H200 at scale."
    only = answer.follows(made(H200))
    assert only.value is None and only.headline == "There is nothing to compare H200 with: no other is ranked."
    without = answer.follows(made(row("B200 SXM", "B200", worth=(NAN, NAN), worth_at_scale=(NAN, NAN)))).headline
    assert without == "No break-even price is known: H200, the baseline, cannot be planned here."


def test_a_budget_says_what_keeps_it() -> None:
    rows = row("B200 SXM", "B200", within="yes"), row("H200 SXM", "H200", within="no")
    chosen = made(*rows, by=KILOWATTS, kilowatts_at_most=15.0)
    assert answer.follows(chosen).headline == "1 of 2 accelerators surely fits 15 kW: B200; 1 surely does not."


def test_what_has_no_price_is_counted_and_no_least_is_told_where_one_alone_has() -> None:
    priced = row("H200 SXM", "H200", usd_per_hour=(53, 79), within="perhaps")
    breaks, blind = row("B200 SXM", "B200", within="no"), row("B300 SXM", "B300", within="unknown")
    budgets = {"usd_per_hour_at_most": 60.0, "kilowatts_at_most": 20.0}
    alone = made(priced, blind, breaks, by=DOLLARS, **budgets)
    assert best(alone).headline == (
        "1,000 users of Llama 2 70B at 20 tokens/s cost $53 to $79 an hour on H200, the only one of 3 with a price."
    )
    assert answer.follows(alone).headline == (
        "0 of 3 accelerators surely fit $60 an hour and 20 kW; 1 may, 1 surely does not, "
        "of the other 1 no price is known."
    )
    dearer = row("B200 SXM", "B200", usd_per_hour=(90, 95), within="no")
    two = made(priced, blind, dearer, by=DOLLARS, usd_per_hour_at_most=60.0)
    assert best(two).headline.endswith("cost least on H200 of 2 with a price: $53 to $79 an hour.")
    short, brief = (
        best(replace(own, asked=own.asked.model_copy(update={"model": "A model of a name of many words"}))).headline
        for own in (alone, two)
    )
    assert short == "H200, the only one of 3 with a price, needs $53 to $79 an hour for 1,000 users."
    assert brief.startswith("Planned as Llama 2 70B, 1,000 users at 20 tokens/s cost least on H200 of 2 with a price:")


def test_what_must_be_known_before_the_answer_stands_first() -> None:
    """No benchmark is near; that which was asked for is not; what is counted is no token."""
    far = made(B200, by=KILOWATTS, model=Shape(400.0, 400.0), parameters_billion=400.0)
    assert best(far).headline == (
        "No benchmark is near: 1,000 users of your model, planned as Llama 2 70B, at 20 tokens/s draw least on B200: "
        "10 to 12 kW."
    )
    none = made(row("B200 SXM", "B200", within="no"), by=KILOWATTS, model=Shape(4e2, 4e2), kilowatts_at_most=5.0)
    assert best(none).headline.startswith("No benchmark is near: none of 1 is known to fit 5 kW")
    closer = far.match.near.assign(benchmark="closer", label="Closer", distance=0.1)
    asked = replace(far, match=replace(far.match, near=pd.concat([closer, far.match.near])))
    assert best(asked).headline.startswith("Llama 2 70B is not near: planned as it, 1,000 users at 20")
    images = SimpleNamespace(called="H200", chosen=SimpleNamespace(unit="queries/s"))
    assert best(replace(made(B200), plans={"H200 SXM": images})).headline == (
        "Llama 2 70B counts queries, no tokens: 1,000 users of Llama 2 70B at 20 queries/s take 8 B200 in nodes of 8."
    )


def test_a_budget_that_nothing_keeps_says_by_how_much() -> None:
    chosen = made(row("B200 SXM", "B200", within="no"), by=KILOWATTS, kilowatts_at_most=5.0)
    assert best(chosen).headline == (
        "None of 1 is known to fit 5 kW for 1,000 users of Llama 2 70B at 20 tokens/s: B200 takes 10 to 12 kW."
    )
    follows = answer.follows(chosen)
    assert follows.headline == "That is 2 to 2.4 times the budget; fewer users or a slower speed would need less."
    assert follows.value.high == 2.4
    spare = made(row("B200 SXM", "B200", within="no"), by=KILOWATTS, kilowatts_at_most=5.0, spare_nodes=1)
    assert "fewer users, a slower speed or no spare node" in answer.follows(spare).headline


def test_of_two_budgets_the_one_is_told_that_is_broken_most() -> None:
    broken = row("B200 SXM", "B200", within="no", usd_per_hour=(30, 40))
    budgets = {"usd_per_hour_at_most": 60.0, "kilowatts_at_most": 5.0}
    assert answer.follows(made(broken, by=DOLLARS, **budgets)).headline.startswith(
        "That is 2 to 2.4 times the budget in kilowatts;"
    )
    budgets["usd_per_hour_at_most"] = 10.0
    assert answer.follows(made(broken, by=DOLLARS, **budgets)).headline.startswith(
        "That is 3 to 4 times the budget in dollars;"
    )
    unmetered = row("H200 SXM", "H200", within="unknown", usd_per_hour=(6, 8), kilowatts=(NAN, NAN))
    assert answer.follows(made(unmetered, broken, by=DOLLARS, **budgets)).headline == (
        "Of 1 of 2 accelerators no watts are known."
    )


def test_of_nothing_the_nearest_is_told() -> None:
    chosen = made()
    found = best(chosen)
    assert found.value is None
    assert found.headline == "No accelerator on sale gave Llama 2 70B users 20 tokens/s: L40S comes nearest, 12."
    assert best(made(left=())).headline == "No accelerator on sale can be planned for Llama 2 70B from these rounds."
    limited = ("Llama 2 70B", "BERT")
    assert best(replace(made(left=()), limited=limited)).headline.endswith("for Llama 2 70B from these rounds.")
    unlimited = answer.best(replace(made(left=()), limited=limited), "Whisper", called).headline
    assert unlimited == "Whisper never ran under a limit on latency in these rounds; Llama 2 70B and BERT did."
    many = ("Llama 2 70B", "Mixtral 8x7B", "Llama 3.1 405B", "Llama 3.1 8B", "GPT-OSS 120B")
    longest = answer.best(replace(made(left=()), limited=many), "Stable Diffusion XL", called)
    assert longest.headline.endswith("; Llama 2 70B, Mixtral 8x7B and 3 more did.")
    assert len(longest.headline.split()) <= MOST_WORDS
    asked = {"accelerators": ["L40S", "A100 SXM"]}
    assert best(made(**asked)).headline.startswith("No L40S or A100 on sale gave Llama 2 70B users 20 tokens/s: ")
    none = pd.DataFrame(columns=["accelerator", "count", "users_from_p50"])
    makers = (answer.follows, answer.spread, answer.power, answer.decides)
    found = [*(make(chosen) for make in makers), answer.grows(chosen, none), answer.elsewhere(chosen, chosen.ranked, 9)]
    assert {each.value for each in found} == {None}


def test_how_near_the_benchmark_is_stands_in_factors() -> None:
    chosen = made(B200, model=Shape(91.0, 91.0), parameters_billion=91.0)
    assert answer.near(chosen, "Llama 2 70B").headline == (
        "Your model has 1.3 times the parameters of Llama 2 70B: throughput is the benchmark's, unscaled."
    )
    mixed = answer.near(made(B200, model=Shape(140.0, 35.0, 2048.0)), "Llama 2 70B").headline
    assert mixed.startswith(
        "Your model has 2 times the parameters, 50 % of the active parameters and 2 times the longest"
    )
    assert "one of both a mixture of experts" in mixed
    assert answer.near(made(B200), "Llama 2 70B").headline == "Your model is Llama 2 70B."
    blind = nearest.ranked(LABELS, {}, Shape(91.0, 91.0), unknown=["llama2-70b"])
    found = answer.near(replace(chosen, match=replace(chosen.match, near=pd.concat([chosen.match.near, blind]))), "x")
    assert found.sentence.endswith("unscaled. No distance to Llama 2 70B is known.")
    assert answer.basis(chosen, "Llama 2 70B") == ["Llama 2 70B at distance 0.37"]
    assert answer.basis(made(B200), "Llama 2 70B") == ["Llama 2 70B"]


def test_what_is_shown_says_the_distance_only_where_there_is_one() -> None:
    far, same = made(B200, model=Shape(91.0, 91.0)), made(B200)
    names = [[own.name for own in answer.shown(each, each.ranked, 9, "Llama 2 70B", called)] for each in (far, same)]
    assert [("nearest_benchmark" in each) for each in names] == [True, False]
    assert [len(answer.folded(each, "Llama 2 70B")) for each in (far, same)] == [0, 1]


def test_what_is_not_ranked_says_how_near_it_comes() -> None:
    assert answer.unanswered(made(B200), called).headline == (
        "1 accelerator of the record is not ranked; nearest comes L40S with 12 tokens/s per user, 60 % of the speed."
    )
    fast = LEFT | {"why": choice.OTHER_ROUND, "of_asked": 1.5, "speed": 30.0}
    assert answer.unanswered(made(B200, left=(fast,)), called).headline.endswith(
        "L40S is so fast, but run only in other rounds."
    )
    assert answer.unranked_rows(made(B200), lambda _: "Llama 2 70B", called)["when"].tolist() == ["v4.1 to v6.0"]


def test_other_users_change_the_answer_or_do_not() -> None:
    chosen, more = made(B200, H200), made(H200, B200)
    assert (
        answer.elsewhere(chosen, chosen.ranked, 9000).headline
        == "With 9,000 users B200 leads too, with 8 accelerators."
    )
    assert "H200 leads instead of B200" in answer.elsewhere(chosen, more.ranked, 9000).headline
    twin = B200 | {"accelerator": "B300 SXM", "called": "B300"}
    both = made(B200, twin, H200)
    told = "With 9,000 users B200 and B300 lead{}, with 8 accelerators each."
    assert answer.elsewhere(both, both.ranked, 9000).headline == told.format(" too")
    assert answer.elsewhere(made(H200, B200), both.ranked, 9000).headline == told.format(" instead of H200")
    alone = "With 9,000 users B200 leads too, with 8 accelerators."
    assert answer.elsewhere(both, chosen.ranked, 9000).headline == alone


def test_causes_are_counted_and_figures_have_so_many_rows() -> None:
    many = [row(f"X{place}", f"X{place}", decided_by=choice.ONE_NODE) for place in range(answer.ROWS)]
    chosen = made(*many, H200)
    assert (
        answer.decides(chosen).headline == "What decides is a whole node for 12 of 13 accelerators and traffic for 1."
    )
    assert len(answer.ranked_rows(chosen)) == len(answer.power_rows(chosen)) == answer.ROWS
    assert answer.ranked_rows(made(H200))["told"].tolist() == ["2 to 3 nodes"]


@pytest.mark.parametrize(("asked", "there"), [({}, False), ({"usd_per_hour_at_most": 9.0}, True)])
def test_columns_of_a_budget_stand_only_where_there_is_one(asked: dict, there: bool) -> None:
    columns = answer.ranked_columns(made(B200, **asked))
    assert ("budget" in columns, "price_at_most" in columns) == (there, there)
    assert columns["worth"] == "Worth in whole nodes, hours of H200 (ratio)"
    assert columns["worth_at_scale"] == "Worth at scale, hours of H200 (ratio)"
