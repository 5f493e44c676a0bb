"""What a dollar buys, break-even prices and a document's table set right, by hand and by property."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.answers import price_performance as answer
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.data.catalog import Catalog
from analysis.themes import cost

Rows = Callable[..., pd.DataFrame]
CLOSE = {"rel": 1e-12}
CARE = frozenset({note("approximate")})
RATED = pd.DataFrame(
    [("H100 SXM", 1000.0, 1000.0, "official", ("v4.1",), ("s1",), NONE),
     ("H200 SXM", 1200.0, 1500.0, "official", ("v4.1", "v5.1"), ("s1",), NONE),
     ("L40S", 200.0, 200.0, "documents", (), ("s2",), CARE),
     ("MI300X", 1000.0, 1000.0, "official", ("v4.1",), ("s1",), NONE)],
    columns=["accelerator", "rate_low", "rate_high", "record", "rounds", "source_ids", "notes"],
).assign(best_of="2 of 3 systems")  # fmt: skip
PRICES = pd.DataFrame(
    [("p0", "H100 SXM", "Cloud A", 2.0, 4.0, ""), ("p1", "H200 SXM", "Cloud A", 2.0, 2.0, ""),
     ("p2", "L40S", "Cloud B", 1.5, 1.5, ""), ("p3", "L40S", "Cloud B", 0.1, 0.1, "p2")],
    columns=["id", "accelerator", "provider", "usd_per_accelerator_hour_low", "usd_per_accelerator_hour_high",
             "duplicate_of"],
).assign(commitment="unstated", quoted="", source_id="doc")  # fmt: skip


def test_tokens_per_dollar_and_dollars_per_million_by_hand() -> None:
    """155 tokens/s x 3,600 s / 3.29 dollars = 169,604.9 tokens; a million for 5.896 dollars."""
    rate, price = Interval(155.0, 155.0), Interval(3.29, 3.29)
    assert cost.tokens_per_dollar(rate, price).low == pytest.approx(169_604.863, rel=1e-8)
    assert cost.usd_per_million(rate, price).low == pytest.approx(1e6 / 169_604.863, rel=1e-8)
    assert cost.tokens_per_dollar(rate, price, Interval(0.5, 1.0)).low == pytest.approx(84_802.43, rel=1e-6)


@settings(deadline=None)
@given(st.floats(1, 1e5), st.floats(0.1, 50), st.floats(0, 50), st.floats(0.01, 1))
def test_a_dearer_hour_or_less_of_it_buys_never_more(rate: float, usd: float, more: float, share: float) -> None:
    of = Interval(rate, rate)
    cheap, dear = (cost.tokens_per_dollar(of, Interval(each, each)).low for each in (usd, usd + more))
    assert dear <= cheap
    assert cost.tokens_per_dollar(of, Interval(usd, usd), share).low <= cheap * (1 + 1e-12)
    assert cost.usd_per_million(of, Interval(usd, usd)).low * cheap == pytest.approx(1e6, rel=1e-9)


def test_rates_take_official_rows_alone_where_there_are_any(comparable_rows: Rows) -> None:
    paper = {"origin": "published", "source_id": "doc", "notes": CARE}
    rows = comparable_rows({"low": 800.0}, paper | {"low": 8000.0}, paper | {"accelerator": "L40S", "low": 80.0})
    found = cost.rates(rows).set_index("accelerator")
    told = found[["rate_low", "rate_high", "record", "source_ids", "notes"]].T.to_dict("list")
    assert told == {
        "H100 SXM": [100.0, 100.0, "official", ("mlcommons-v4.1",), NONE],
        "L40S": [10.0, 10.0, "documents", ("doc",), CARE],
    }


def test_a_rate_is_that_of_the_fastest_system_of_its_kind_with_its_own_notes(comparable_rows: Rows) -> None:
    """120 tokens/s of one system, not 100 to 120 of two; the preview of 200 is another kind."""
    rows = comparable_rows({"notes": CARE}, {"low": 960.0, "notes": {note("inferred")}},
                           {"low": 1600.0, "availability": "preview"})  # fmt: skip
    (found,) = cost.rates(rows).to_dict("records")
    assert (found["rate_low"], found["rate_high"], found["best_of"]) == (120.0, 120.0, "2 of 3 systems")
    assert found["notes"] == {note("inferred")}


def test_rates_are_of_the_newest_round_and_say_which(comparable_rows: Rows) -> None:
    rows = comparable_rows({"low": 900.0}, {"round": "v5.1"}, {"accelerator": "L40S", "round": ""})
    assert cost.rates(rows)["rounds"].tolist() == [("v5.1",), ()]
    assert cost.rates(rows)["rate_low"].tolist() == [100.0, 100.0]


def test_break_even_between_rounds_is_marked() -> None:
    noted = cost.break_even(RATED, PRICES, "H100 SXM").set_index("accelerator")["notes"].to_dict()
    marked = {note("different_rounds", rounds="v4.1/v5.1", other_rounds="v4.1")}
    assert noted == {"H200 SXM": marked, "L40S": CARE, "MI300X": NONE}


def test_break_even_carries_the_notes_of_the_baseline_too() -> None:
    own = RATED["accelerator"].eq("H100 SXM")
    preview = frozenset({note("preview")})
    rated = RATED.assign(notes=RATED["notes"].mask(own, pd.Series([preview] * len(RATED))))
    noted = cost.break_even(rated, PRICES, "H100 SXM").set_index("accelerator")["notes"]
    assert all(own >= preview for own in noted) and noted["L40S"] == CARE | preview


def test_offers_buy_most_first_and_each_once() -> None:
    found = cost.offers(RATED, PRICES, Interval(0.5, 1.0))
    assert found["accelerator"].tolist() == ["H200 SXM", "H100 SXM", "L40S"]
    first = found.iloc[0]
    assert (first["per_dollar_low"], first["per_dollar_high"]) == (1200 * 0.5 * 3600 / 2, 1500 * 3600 / 2)
    assert first["usd_per_million_low"] == pytest.approx(1e6 / (1500 * 1800), **CLOSE)
    assert found["quoted"].tolist() == ["not stated"] * 3


def test_break_even_by_hand() -> None:
    """H100 at 2 to 4 dollars and 1,000 tokens/s: H200 at 1,200 to 1,500 is as good at 2.4 to 6, L40S at 0.4 to 0.8."""
    found = cost.break_even(RATED, PRICES, "H100 SXM").set_index("accelerator")
    assert found.loc["H200 SXM", ["break_even_low", "break_even_high"]].tolist() == pytest.approx([2.4, 6.0], **CLOSE)
    assert found.loc["L40S", ["break_even_low", "break_even_high"]].tolist() == pytest.approx([0.4, 0.8], **CLOSE)
    assert found["verdict"].to_dict() == {"H200 SXM": "cheaper", "L40S": "dearer", "MI300X": ""}
    assert np.isnan(found.loc["MI300X", "offered_low"])


@pytest.mark.parametrize(
    ("usd", "verdict"), [((2.3, 2.39), "cheaper"), ((2.3, 2.4), "open"), ((6.0, 9.0), "open"), ((6.1, 9.0), "dearer")]
)
def test_order_stays_open_where_the_ranges_meet(usd: tuple[float, float], verdict: str) -> None:
    """H200 is as good at 2.4 to 6 dollars."""
    ends = [f"usd_per_accelerator_hour_{end}" for end in ("low", "high")]
    prices = PRICES.copy()
    prices.loc[prices["accelerator"].eq("H200 SXM"), ends] = usd
    found = cost.break_even(RATED, prices, "H100 SXM").set_index("accelerator")
    assert found.loc["H200 SXM", "verdict"] == verdict


def test_at_the_break_even_price_a_dollar_buys_the_same() -> None:
    given = cost.priced(PRICES, ["3"], "H100 SXM", RATED)
    found = cost.break_even(RATED, given, "H100 SXM").set_index("accelerator").loc["L40S"]
    own = cost.tokens_per_dollar(Interval(200.0, 200.0), Interval(found["break_even_low"], found["break_even_low"]))
    assert own.low == pytest.approx(cost.tokens_per_dollar(Interval(1000.0, 1000.0), Interval(3.0, 3.0)).low, **CLOSE)


@pytest.mark.parametrize("baseline", ["MI300X", "A100 SXM 80GB"])
def test_baseline_without_a_price_or_a_rate_has_no_break_even(baseline: str) -> None:
    assert cost.break_even(RATED, PRICES, baseline).empty


def test_worth_is_the_ratio_of_the_rates_both_ways_the_fastest_first() -> None:
    """H200 at 1,200 to 1,500, H100 at 1,000, L40S at 200: an hour of H200 is worth 6 to 7.5 hours of L40S."""
    square = cost.worth(RATED, ["L40S", "A100 SXM 80GB", "H100 SXM", "H200 SXM"])
    names = ["H200 SXM", "H100 SXM", "L40S"]
    assert list(square.low.index) == list(square.low.columns) == list(square.high.columns) == names
    assert square.low.to_numpy().tolist() == pytest.approx(
        np.array([[1, 1.2, 6], [1 / 1.5, 1, 5], [200 / 1500, 0.2, 1]]), **CLOSE
    )
    assert square.high.loc["H200 SXM"].tolist() == pytest.approx([1.0, 1.5, 7.5], **CLOSE)
    widest = answer.worth(square)
    assert widest.headline.startswith("One hour of H200 SXM is worth 6 to 7.5 hours of L40S")
    assert (widest.value.low, widest.value.high) == pytest.approx((6.0, 7.5), **CLOSE)
    alone = answer.worth(cost.worth(RATED, ["L40S"]))
    assert alone.value is None and alone.headline.startswith("Fewer than two")


def test_given_price_of_any_accelerator_settles_its_order() -> None:
    """MI300X is as good as the H100 at 2 to 4 dollars: without an offer nothing is told, at 1.5 it is cheaper."""
    given = cost.priced(PRICES, ["MI300X=1.5; reserved; 2026-01; a cloud"], "H100 SXM", RATED)
    even = cost.break_even(RATED, given, "H100 SXM").set_index("accelerator").loc["MI300X"]
    assert (even["offered_low"], even["offered_high"], even["verdict"]) == (1.5, 1.5, "cheaper")
    offer = cost.offers(RATED, given, Interval(1.0, 1.0)).set_index("accelerator").loc["MI300X"]
    assert offer[["provider", "commitment", "quoted"]].tolist() == ["a cloud", "reserved", "2026-01"]
    assert offer["per_dollar_low"] == pytest.approx(1000 * 3600 / 1.5, **CLOSE)


def test_ratio_of_prices_stands_beside_that_of_rates() -> None:
    """An hour of H100 at 2 to 4 dollars costs 1.33 to 2.67 hours of L40S at 1.5; MI300X has no price."""
    costs = cost.dearer(PRICES, ["H100 SXM", "L40S", "MI300X"])
    assert costs.low.loc["H100 SXM", "L40S"] == pytest.approx(2 / 1.5, **CLOSE)
    assert costs.high.loc["H100 SXM", "L40S"] == pytest.approx(4 / 1.5, **CLOSE)
    assert costs.low.loc["L40S", "H100 SXM"] == pytest.approx(1.5 / 4, **CLOSE)
    assert costs.low.loc["H100 SXM", "H100 SXM"] == costs.high.loc["H100 SXM", "H100 SXM"] == 1.0
    assert costs.low["MI300X"].isna().all() and costs.high.loc["MI300X"].isna().all()


def test_cells_say_what_an_hour_is_worth_and_costs() -> None:
    names = ["H100 SXM", "H200 SXM", "L40S", "MI300X"]
    square = cost.worth(RATED, names)
    said = answer.cells(square, cost.dearer(PRICES, list(square.low)))
    assert (said.loc["H200 SXM", "L40S"], said.loc["H100 SXM", "L40S"]) == ("6–7.5 (1.3)", "5 (1.3–2.7)")
    assert (said.loc["H100 SXM", "MI300X"], said.loc["H100 SXM", "H100 SXM"]) == ("1", "1")
    assert said.loc["L40S"].tolist() == ["", "", "", "1"]


def test_offers_stand_by_the_middle_of_what_a_dollar_buys() -> None:
    """1,000 tokens/s at 1 to 9 dollars buys 400,000 to 3,600,000, in the middle 1,200,000; 1,800,000 at 2 dollars."""
    ends = {f"usd_per_accelerator_hour_{end}": usd for end, usd in (("low", [1.0, 2.0]), ("high", [9.0, 2.0]))}
    prices = PRICES.iloc[[1, 2]].assign(accelerator="H100 SXM", provider=["wide", "narrow"], **ends)
    assert cost.offers(RATED, prices, Interval(1.0, 1.0))["provider"].tolist() == ["narrow", "wide"]


def test_a_price_without_a_source_is_a_parameter_and_only_undated_ones_are_doubted() -> None:
    given = cost.priced(PRICES, [f"{name}=2; reserved; 2026-01" for name in RATED["accelerator"]], "", RATED)
    offers = cost.offers(RATED, given, Interval(1.0, 1.0))
    assert answer.named(offers, {"doc": "a post"})["price_from"].tolist() == ["parameter"] * 4
    assert note("prices_undated") not in answer.best_offer(offers, "LLM", "token").notes
    documents = cost.offers(RATED, PRICES, Interval(1.0, 1.0))
    assert answer.named(documents, {"doc": "a post"})["price_from"].tolist() == ["a post"] * 3
    assert note("prices_undated") in answer.best_offer(documents, "LLM", "token").notes


@pytest.mark.parametrize(
    ("price", "share", "said"),
    [(0.0, 1.0, "a price is not above 0"), (-2.0, 1.0, "a price is not above 0"), (2.0, 1.1, "share 1.1 to 1.1 of the"),
     (2.0, 0.0, "share 0.0 to 0.0")],
)  # fmt: skip
def test_impossible_prices_and_shares_are_refused_by_name(price: float, share: float, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        cost.tokens_per_dollar(Interval(100.0, 100.0), Interval(price, price), share)


def test_watts_are_measured_or_the_limit_or_not_known(comparable_rows: Rows) -> None:
    facts = pd.DataFrame({"accelerator": ["H100 SXM", "L40S", "TPU v5e"], "power_limit_w": [700.0, 350.0, np.nan]})
    capped = {"result_id": "4.1-1", "power_capped": True, "power_watts_low": 6400.0, "power_watts_high": 6400.0}
    runs = comparable_rows(capped, capped | {"result_id": "4.1-2", "power_watts_high": 7200.0})
    words = "measured at the wall of 2 power-capped systems, official v4.1"
    assert cost.watts_range(runs, facts, "H100 SXM") == (Interval(800.0, 900.0), words)
    most = "at most, by the datasheet of the accelerator alone, as no power submission is comparable"
    assert cost.watts_range(runs.head(0), facts, "L40S") == (Interval(350.0, 350.0), most)
    assert cost.watts_range(runs.head(0), facts, "TPU v5e")[1] == "not known"


def test_table_of_the_document_follows_from_its_own_figures(data: Catalog) -> None:
    """Four rows of tokens per dollar: rate x 3,600 / price, as wide as the rate is rounded."""
    found = cost.printed(data.claims, data.results, data.prices)
    assert found["holds"].tolist() == [True] * 4
    assert {len(ids) for ids in found["source_ids"]} == {1}
    lambda_h100 = found[found["accelerator"].eq("H100 SXM") & found["provider"].eq("Lambda")].iloc[0]
    assert (lambda_h100["computed_low"], lambda_h100["computed_high"]) == pytest.approx(
        (104.5 * 3600 / 2.99, 115.5 * 3600 / 2.99), **CLOSE
    )


def test_table_set_right_step_by_step() -> None:
    table = pd.DataFrame({"accelerator": ["H100 SXM", "A100 SXM 80GB"], "price_low": 2.0, "price_high": 2.0,
                          "computed_low": 100.0, "computed_high": 120.0})  # fmt: skip
    found = cost.set_right(table, RATED, pd.Series({"H100 SXM": 2, "A100 SXM 80GB": 2}), Interval(0.25, 0.5))
    row = found.iloc[0]
    assert (row["weights_low"], row["weights_high"]) == (50.0, 60.0)
    assert (row["served_low"], row["served_high"]) == (1_800_000.0, 1_800_000.0)
    assert (row["delivered_low"], row["delivered_high"]) == (450_000.0, 900_000.0)
    assert np.isnan(found.iloc[1]["served_low"])
    assert found["notes"].tolist() == [NONE, NONE]
    of_doubted = cost.set_right(table.assign(accelerator="L40S"), RATED, pd.Series({"L40S": 2}), Interval(0.25, 0.5))
    assert of_doubted["notes"].tolist() == [CARE, CARE]
