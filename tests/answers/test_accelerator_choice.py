"""What the report on choosing an accelerator says: hand-made rankings, budgets that nothing keeps, and no ranking."""

from types import SimpleNamespace

import pandas as pd
import pytest

from analysis.answers import accelerator_choice as answer
from analysis.core.findings import MOST_WORDS, Finding
from analysis.core.parameters import AcceleratorChoice
from analysis.themes import choice, nearest
from analysis.themes.choice import ACCELERATORS, DOLLARS, KILOWATTS, Choice, Match
from analysis.themes.nearest import Shape

NAN = float("nan")
ASKED = AcceleratorChoice(users=1000, tokens_per_second_per_user=20.0)
KNOWN = {"llama2-70b": Shape(70.0, 70.0, 1024.0)}
LABELS = pd.DataFrame({"benchmark": ["llama2-70b"], "label": ["Llama 2 70B"]})
PLAN = SimpleNamespace(called="H200", chosen=SimpleNamespace(unit="tokens/s"))
ROW = {
    "accelerator": "B200 SXM", "called": "B200", "node": 8, "metered": False, "metering": "a model",
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
    """A row of a ranking; a quantity given as (low, high) has its median in the middle."""
    ends = {"nodes": (1, 1), "count": (8, 8), "usd_per_hour": (NAN, NAN), "kilowatts": (10, 12), "worth": (2, 3)}
    ends |= {"price_at_most": (NAN, NAN)} | {key: own for key, own in changes.items() if isinstance(own, tuple)}
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
    assert (
        one.headline == "1,000 users of Llama 2 70B at 20 tokens/s take 8 accelerators at least: B200, in nodes of 8."
    )
    assert (one.value.low, one.value.high, one.about) == (8, 8, "B200 SXM")
    assert {name: own[0].high for name, own in one.values.items()} == {"b200_sxm": 8, "h200_sxm": 24}
    level = best(made(B200, row("B300 SXM", "B300"), H200))
    assert level.headline.endswith("take 8 accelerators at least: B200 and B300.")


def test_dollars_and_kilowatts_are_told_where_they_are_what_counts() -> None:
    priced = row("B200 SXM", "B200", usd_per_hour=(28, 30))
    assert best(made(priced, by=DOLLARS)).headline.endswith("cost least on B200: $28 to $30 an hour.")
    assert best(made(B200, by=KILOWATTS)).headline.endswith("draw least on B200: 10 to 12 kW at the wall.")
    assert best(made(B200, by=DOLLARS)).headline == "No price is known of the 1 accelerator that can serve this."


def test_what_follows_is_the_worth_of_an_hour_from_one_up() -> None:
    assert answer.follows(made(B200, H200)).headline.startswith("An hour of B200 is worth 2 to 3 of H200: ")
    less = answer.follows(made(H200, row("L40S", "L40S", worth=(0.25, 0.5))))
    assert less.headline.startswith("An hour of H200 is worth 2 to 4 of L40S: ") and less.about == "L40S"
    assert answer.follows(made(H200)).value is None


def test_a_budget_says_what_keeps_it() -> None:
    rows = row("B200 SXM", "B200", within="yes"), row("H200 SXM", "H200", within="no")
    chosen = made(*rows, by=KILOWATTS, kilowatts_at_most=15.0)
    assert answer.follows(chosen).headline == "1 of 2 accelerators surely fits 15 kW: B200."


def test_a_budget_that_nothing_keeps_says_by_how_much() -> None:
    chosen = made(row("B200 SXM", "B200", within="no"), by=KILOWATTS, kilowatts_at_most=5.0)
    assert best(chosen).headline == (
        "None of 1 is known to fit 5 kW for 1,000 users of Llama 2 70B at 20 tokens/s: B200 takes 10 to 12 kW."
    )
    follows = answer.follows(chosen)
    assert follows.headline.startswith("That is 2 to 2.4 times the budget; fewer users") and follows.value.high == 2.4


def test_of_nothing_the_nearest_is_told() -> None:
    chosen = made()
    found = best(chosen)
    assert found.value is None
    assert found.headline == "No accelerator on sale gave Llama 2 70B users 20 tokens/s: L40S comes nearest, 12."
    assert best(made(left=())).headline == "No accelerator on sale can be planned for Llama 2 70B from these rounds."
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


def test_causes_are_counted_and_figures_have_ten_rows() -> None:
    many = [row(f"X{place}", f"X{place}", decided_by=choice.ONE_NODE) for place in range(12)]
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
    assert columns["worth"] == "Worth, hours of H200 (ratio)"
