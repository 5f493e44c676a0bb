"""What the price report says: multiples of the baseline's price, what quotes buy, owning against renting."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from analysis.answers import price_performance as prices
from analysis.core.findings import exactly
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.themes import cost, ownership
from analysis.themes.ownership import Terms

Rows = Callable[..., pd.DataFrame]
States = Callable[..., None]
PREVIEW = frozenset({note("preview")})
SIZES = frozenset({note("different_sizes", sizes="8x", other_sizes="32x")})
ASSUMED = [Interval(value, value) for value in (0.0, 0.0, 0.0, 876.0, 0.2)]
TERMS = Terms(4.0, 0.0, 0.0, 0.0, 0.5, *ASSUMED, Interval(0.0, 0.0), 1.0, 0.1)


@pytest.fixture
def worth() -> pd.DataFrame:
    """B200 on sale at 3.3 times the baseline, H200 at 1.1 with a quote, a preview at 5, L40S at 0.15 for too much."""
    rows = pd.DataFrame(
        [("R200", 5.0, "v5.1", PREVIEW, ""), ("B200 SXM", 3.29, "v5.1", SIZES, ""),
         ("H200 SXM", 1.1, "v5.1", NONE, "open"), ("L40S", 0.15, "v4.1", NONE, "dearer")],
        columns=["accelerator", "worth_low", "round", "notes", "verdict"],
    )  # fmt: skip
    rows = rows.assign(worth_high=rows["worth_low"], rounds=[(name,) for name in rows["round"]], origin="official")
    rows = rows.assign(through="", accelerator_count=8, baseline_count=32, precision="fp4", baseline_precision="fp8")
    rates = rows["round"].map({"v5.1": 3900.0, "v4.1": 3066.0})
    rows = rows.assign(base=rows["round"], baseline_rate_low=rates, baseline_rate_high=rates)
    return rows.assign(source_ids=[("a",), ("b",), ("c",), ("d",)])


def test_the_order_of_price_is_told_in_multiples_of_the_baseline_s(worth: pd.DataFrame, states: States) -> None:
    finding = prices.order(worth, "H100 SXM")
    states(finding, (3.29, 3.29), "Pay up to 3.3 times the H100 SXM's price for a B200 SXM, 1.1 times for an H200 SXM.")
    assert (finding.about, finding.notes, list(finding.sources)) == ("B200 SXM", SIZES, ["b", "c"])
    assert finding.values["second"][0] == Interval(1.1, 1.1)


def test_a_multiple_is_as_wide_as_the_rounds_that_have_both_sides(worth: pd.DataFrame, states: States) -> None:
    """H200 was at 1.31 in an earlier round; a preview and a bridge are no such round."""
    speedups = pd.DataFrame(
        [("H200 SXM", 1.31, NONE, ""), ("H200 SXM", 1.1, NONE, ""), ("H200 SXM", 1.5, PREVIEW, ""),
         ("H200 SXM", 1.7, NONE, "v5.1"), ("B200 SXM", 3.29, NONE, "")],
        columns=["accelerator", "speedup_low", "notes", "through"],
    ).assign(origin="official")  # fmt: skip
    speedups = speedups.assign(speedup_high=speedups["speedup_low"])
    finding = prices.order(worth, "H100 SXM", speedups)
    told = "Pay up to 3.3 times the H100 SXM's price for a B200 SXM, 1.1 to 1.3 times for an H200 SXM."
    states(finding, (3.29, 3.29), told)
    assert finding.values["second"][0] == Interval(1.1, 1.31)


def test_below_one_a_multiple_is_a_share_of_the_price(worth: pd.DataFrame, states: States) -> None:
    told = "Pay up to 15 % of the B200 SXM's price for an L40S."
    states(prices.order(worth.tail(1), "B200 SXM"), (0.15, 0.15), told)
    states(prices.order(worth.head(0), "A10"), None, "Nothing stands beside an A10: no throughput")


def test_long_names_leave_the_second_out(worth: pd.DataFrame) -> None:
    long = worth.assign(accelerator=["R", "RTX PRO 6000 Blackwell SE", "Arc Pro B60 Dual", "L"], worth_high=9.0)
    headline = prices.order(long, "RTX PRO 6000 Blackwell SE").headline
    assert headline.endswith("for an RTX PRO 6000 Blackwell SE.") and len(headline.split()) <= 25


def test_the_trust_line_rests_on_both_sides_and_on_what_follows(worth: pd.DataFrame, comparable_rows: Rows) -> None:
    later = {"round": "v5.1"}
    rows = comparable_rows(
        later | {"accelerator": "B200 SXM"}, later | {"accelerator_count": 32}, later, {"accelerator": "H200 SXM"},
        later | {"accelerator": "H200 SXM"}, {"accelerator": "L40S"},
    )  # fmt: skip
    pair = pd.Series({"ids": ("r3", "r5")})
    assert prices.behind(worth, pair, rows, "H100 SXM")["id"].tolist() == ["r0", "r1", "r3", "r4", "r5"]
    assert prices.behind(worth, None, rows, "H100 SXM")["id"].tolist() == ["r0", "r1", "r4"]
    quoted = pd.DataFrame({"provider": ["a", "b"]})
    assert prices.basis(worth, quoted) == ["B200 SXM FP4 against FP8", "2 quotes"]
    assert prices.basis(worth.assign(precision="fp8"), quoted) == ["both FP8", "2 quotes"]
    assert prices.basis(worth.assign(precision=""), quoted.head(1)) == ["1 quote"]
    over = worth.assign(precision="", through="v5.1")
    assert prices.basis(over, quoted) == ["over a bridge through v5.1", "2 quotes"]


def test_the_other_scenario_changes_the_answer_where_another_leads(worth: pd.DataFrame, states: States) -> None:
    here, there = prices.order(worth, "H100 SXM"), prices.order(worth.iloc[2:], "H100 SXM")
    states(prices.in_other_scenario(here, here, "Server"), (3.29, 3.29), "No: on Server, pay up to 3.3 times")
    states(prices.in_other_scenario(here, there, "Server"), (1.1, 1.1), "Yes: on Server, pay up to 1.1 times")
    nothing = prices.order(worth.head(0), "H100 SXM")
    states(prices.in_other_scenario(here, nothing, "Server"), None, "On Server, nothing stands beside")


def test_the_rounds_are_told_of_the_one_that_more_of_them_have(worth: pd.DataFrame, states: States) -> None:
    """H200 in two rounds, once more as a preview and once over a bridge, which are no rounds of both on sale."""
    speedups = pd.DataFrame(
        [("H200 SXM", "official v4.1", 1.31, NONE, ""), ("H200 SXM", "official v5.1", 1.1, NONE, ""),
         ("H200 SXM", "official v4.0", 1.5, PREVIEW, ""), ("H200 SXM", "official v6.0", 1.7, NONE, "v5.1"),
         ("B200 SXM", "official v5.1", 3.29, NONE, "")],
        columns=["accelerator", "basis", "speedup_low", "notes", "through"],
    ).assign(origin="official", source_ids=[("a",)] * 5)  # fmt: skip
    speedups = speedups.assign(speedup_high=speedups["speedup_low"])
    told = "The round matters: an H200 SXM was worth 1.1 to 1.3 times an H100 SXM's price in 2 rounds."
    states(prices.over_rounds(speedups, worth, "H100 SXM"), (1.1, 1.31), told)
    states(prices.over_rounds(speedups.tail(4), worth, "H100 SXM"), None, "No second round")


OFFERS = pd.DataFrame(
    {"accelerator": ["H200 SXM", "H100 SXM", "L40S"], "provider": ["Cloud", "Cloud", "Else"], "source_id": "p",
     "rate_low": [4000.0, 3000.0, 500.0], "rate_high": [4000.0, 3000.0, 500.0], "price_low": [3.29, 2.0, 0.5],
     "price_high": [3.29, 2.0, 0.5], "usd_per_million_low": [0.5, 0.6, 2.0], "usd_per_million_high": [0.5, 0.6, 2.0],
     "commitment": "unstated", "quoted": "", "id": ["i", "j", "k"], "providers": "one"}
).assign(source_ids=[("s",), ("s",), ("t",)], notes=[NONE, NONE, PREVIEW], rounds=[("v4.1",)] * 3)  # fmt: skip


def test_what_one_replaces_follows_with_its_rent(states: States) -> None:
    """4,000 over 500 tokens/s are 8, at 3.29 over 0.5 dollars."""
    finding = prices.replaced(cost.replaced(OFFERS))
    states(finding, (8.0, 8.0), "One H200 SXM replaces 8 L40S (v4.1), at 6.6 times the rent (Cloud against Else).")
    both = prices.replaced(cost.replaced(OFFERS.assign(provider="Cloud")))
    states(both, (8.0, 8.0), "One H200 SXM replaces 8 L40S (v4.1), at 6.6 times the rent (both at Cloud).")
    given = prices.replaced(cost.replaced(OFFERS.assign(provider="a given price", providers="unnamed")))
    states(given, (8.0, 8.0), "One H200 SXM replaces 8 L40S (v4.1), at 6.6 times the rent.")
    assert (finding.notes, list(finding.sources)) == (PREVIEW | {note("prices_undated")}, ["p", "s", "t"])
    states(prices.replaced(None), None, "Fewer than two accelerators")


def test_the_cheapest_quote_is_told_with_the_dearest_as_a_multiple(states: States) -> None:
    finding = prices.best_offer(OFFERS, "LLM", "token")
    told = (
        "A million tokens cost 50 cents on an H200 SXM at Cloud's $3.29 (v4.1), 4 times as much on an L40S at Else's "
    )
    told += "50 cents."
    states(finding, (0.5, 0.5), told)
    assert finding.notes == PREVIEW | {note("prices_undated")}
    dated = prices.best_offer(OFFERS.head(1).assign(quoted="2026-01"), "LLM", "token")
    assert (
        dated.headline == "A million tokens cost 50 cents on an H200 SXM at Cloud's $3.29 (v4.1)."
        and dated.notes == NONE
    )
    older = prices.best_offer(OFFERS.assign(rounds=[("v4.1",), ("v4.1",), ("v4.0",)]), "LLM", "token").headline
    assert older.endswith("an L40S at 50 cents (v4.0).") and len(older.split()) <= 25
    states(prices.best_offer(OFFERS.head(0), "LLM", "token"), None, "No accelerator has both a quote and")


def test_the_range_of_what_is_assumed_is_told_once(states: States) -> None:
    """At 30 to 80 % of the throughput half a dollar at the whole of it becomes 0.625 to 1.67 dollars."""
    finding = prices.assumed(OFFERS, OFFERS, Interval(0.3, 0.8), "token")
    states(
        finding,
        (0.5 / 0.8, 0.5 / 0.3),
        "leave 30 to 80 % of v4.1's throughput",
        "cost $0.62 to $1.70 on an H200 SXM at Cloud's $3.29.",
    )
    states(prices.assumed(OFFERS.head(0), OFFERS, Interval(0.3, 0.8), "token"), None, "No quote")


def test_the_figure_of_multiples_has_those_with_a_quote_first_and_no_preview(worth: pd.DataFrame) -> None:
    shown = prices.multiple_rows(worth)
    assert shown["accelerator"].tolist() == ["B200 SXM", "H200 SXM", "L40S"]
    assert shown["told"].tolist() == ["over v5.1's", "over v5.1's", "over v4.1's"]
    assert prices.bases(shown, "H100") == "over an H100 of v5.1 and v4.1"
    printed = worth.head(1).assign(origin="published")
    assert prices.bases(printed, "H100") == prices.multiple_rows(printed)["told"].iloc[0] == ""
    many = pd.concat([worth.iloc[[1]]] * 12 + [worth.tail(1)], ignore_index=True)
    assert len(prices.multiple_rows(many)) == prices.MOST
    assert prices.multiple_rows(many)["accelerator"].iloc[-1] == "L40S"
    assert prices.multiple_rows(worth.head(1))["accelerator"].tolist() == ["R200"]


def test_the_claim_of_that_figure_is_what_quotes_ask_beside_the_worth(worth: pd.DataFrame) -> None:
    told = "Beside an H100 SXM, quotes ask about its worth for an H200 SXM and more than its worth for an L40S."
    assert prices.claim(worth, "H100 SXM") == told
    assert prices.claim(worth.assign(verdict=""), "H100 SXM") == "3 of 4 accelerators are worth more than an H100 SXM."
    assert prices.claim(worth.head(0), "A10") == "Nothing stands beside an A10."


def test_a_worth_that_the_rounds_differ_in_is_told_of_each(worth: pd.DataFrame) -> None:
    """One quote is a bargain by the older round and none by the newer; an accelerator is counted once, by its least."""
    older = worth.iloc[[2]].assign(worth_low=1.31, worth_high=1.31, verdict="cheaper", base="v4.1")
    in_rounds = pd.concat([worth, older], ignore_index=True)
    assert prices.claim(in_rounds, "H100") == (
        "Beside an H100, quotes ask more than its worth for an L40S and about its worth (v5.1) or less (v4.1) for an "
        "H200 SXM."
    )
    less = in_rounds.assign(verdict="", worth_low=in_rounds["worth_low"].where(in_rounds["base"].eq("v4.1"), 0.9))
    assert prices.claim(less, "H100") == "0 of 4 accelerators are worth more than an H100."


def test_quotes_are_named_by_accelerator_and_provider_with_what_they_say() -> None:
    dated = OFFERS.head(1).assign(commitment="reserved", quoted="2026-01", source_id="")
    drawn = OFFERS.assign(part=OFFERS["accelerator"])
    named = prices.named(pd.concat([dated, OFFERS.tail(1)]), {"p": "a post"})
    told = named[["offer", "asked", "terms", "price_from"]].to_numpy().tolist()
    assert told == [["H200 SXM\nCloud", "$3.29", "reserved, 2026-01", "parameter"],
                    ["L40S\nElse", "50 cents", "not stated", "a post"]]  # fmt: skip
    told = prices.quotes(drawn, OFFERS, exactly(0.5), str)
    assert told == "3 of 3 quotes (of documents, undated); 50 % of the throughput is delivered."
    told = prices.quotes(drawn, dated, exactly(1.0), str)
    assert told == "3 of 1 quote (1 given); 100 % of the throughput is delivered."
    few = prices.quotes(drawn.head(2), OFFERS, exactly(1.0), str.lower)
    left_out = "; no throughput of a l40s."
    assert few == f"2 of 3 quotes (of documents, undated); 100 % of the throughput is delivered{left_out}"


def test_a_figure_of_multiples_says_whose_quotes_it_has(worth: pd.DataFrame) -> None:
    """One provider of both accelerators, or whose price stands against whose."""
    of = [("A",)] * 3 + [("B",)]
    shown = prices.asked_of(worth.assign(providers=of, baseline_providers=[("A",)] * 3 + [("A", "C")]))
    assert shown["asked_by"].tolist() == ["", "", "both at A", "B against A and C"]
    assert prices.asked_by(shown) == " Asked for H200 SXM (both at A) and L40S (B against A and C)."
    assert prices.asked_by(shown.head(2)) == ""


def test_owning_is_told_at_the_middle_use_for_each_dollar_of_rent(states: States) -> None:
    """Half of 8,760 hours a year over four years, the rent falling to a mean of 0.6614; staff takes 0.2 an hour."""
    uses = ownership.by_use(Interval(2.0, 3.0), TERMS, [0.1, 0.5, 1.0])
    worth = 4 * 4380 * TERMS.mean_rent.low
    finding = prices.owning(uses, "H100 SXM")
    told = "At 50 % use, renting all hours, buy an H100 SXM below $43,000, above $66,000 rent; "
    states(finding, (worth, worth), f"{told}worked hours alone, below $20,000 and above $31,000.")
    assert finding.more == "Between, rents decide."
    falls = ownership.by_use(Interval(2.0, 3.0), replace(TERMS, rent_falls_share=Interval(0.1, 0.25)), [0.5])
    assert falls["widened_by"].item() == ("rent", "rent_falls_share")
    assert prices.owning(falls, "H100 SXM").more == "Between, rents and their fall decide."
    least = 0.2 / TERMS.mean_rent.low
    assert finding.values["least_rent"][0].low == pytest.approx(least)
    assert finding.values["break_even_purchase"][0].low == pytest.approx((2 - least) * worth)
    assert finding.values["break_even_purchase_all_hours"][0].low == pytest.approx((4 - least) * worth)
    unrented = ownership.by_use(Interval(float("nan"), float("nan")), TERMS, [0.5])
    told = "At 50 % use, each dollar of hourly rent above 30 cents justifies $12,000 of an H100 SXM's purchase price."
    states(prices.owning(unrented, "H100 SXM"), (worth, worth), told)
    assert list(prices.owning(unrented, "H100 SXM").values) == ["least_rent"]
    one = prices.owning(ownership.by_use(Interval(2.0, 2.0), TERMS, [0.5]), "H100 SXM")
    states(
        one,
        (worth, worth),
        "At 50 % use, renting all hours, buy an H100 SXM below $43,000, else rent; worked hours alone, below $20,000.",
    )
    assert prices.use_rows(unrented).empty
    shown = prices.use_rows(uses)
    assert shown["use"].tolist() == [name for name in ("10 % used", "50 % used", "100 % used") for _ in range(2)]
    assert shown["rented"].tolist() == ["all hours rented", "worked hours rented"] * 3
    both = [(4 - least) * worth / 1000, (2 - least) * worth / 1000]
    assert shown["thousand_low"].iloc[2:4].tolist() == pytest.approx(both)
    assert shown["thousand_low"].iloc[4] == shown["thousand_low"].iloc[5]  # all hours are worked
    by_two = prices.owned_on(Interval(2.0, 3.5), TERMS, ["A", "B"])
    assert by_two == "Rented at $2 to $3.50 an hour (A and B), falling 20 % a year, over 4 years."
    assert (
        prices.owned_on(Interval(2.0, 3.5), TERMS)
        == "Rented at $2 to $3.50 an hour, falling 20 % a year, over 4 years."
    )


def test_without_watts_nothing_is_said_of_owning(states: States) -> None:
    missing = float("nan")
    terms = Terms(4.0, 0.0, 0.0, 0.0, 0.5, *ASSUMED, Interval(missing, missing), 1.0, 0.1)
    states(prices.owning(ownership.by_use(Interval(2.0, 3.0), terms, [0.5]), "TPU v5e"), None, "No power of a TPU v5e")


@pytest.mark.parametrize(
    ("rent", "verdict"), [(9.0, ", cheaper than either rent as it falls."),
                          (1.0, ", dearer than either rent as it falls."),
                          (2.0, ", cheaper than rent of all hours as it falls, dearer than that of worked ones."),
                          (float("nan"), "costs $2.")],
)  # fmt: skip
def test_an_owned_hour_is_held_against_the_mean_rent(rent: float, verdict: str, states: States) -> None:
    """31,536 dollars over 17,520 hours are 1.80 an hour, staff 0.2."""
    hourly = ownership.hourly(Interval(31_536.0, 31_536.0), TERMS)
    finding = prices.bought(hourly, Interval(rent, rent), "H100 SXM", TERMS)
    states(finding, (2.0, 2.0), "At 50 % use, an owned hour costs $2", verdict)
    meeting = prices.bought(hourly, Interval(1.0, 9.0), "H100 SXM", TERMS)
    assert "about as dear as either rent" in meeting.headline
    states(prices.bought(hourly.head(0), Interval(1.0, 9.0), "H100 SXM", TERMS), None, "no purchase price".capitalize())
