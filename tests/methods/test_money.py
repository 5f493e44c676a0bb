"""Tokens per dollar, break-even prices, and offers, by hand and by property."""

import numpy as np
import pandas as pd
import pytest

from analysis._core.interval import Interval
from analysis._core.notes import NONE, note
from analysis.methods import cost

CLOSE = {"rel": 1e-12}
CARE = frozenset({note("approximate")})
RATED = pd.DataFrame(
    [("H100 SXM", 1000.0, 1000.0, "official", ("v4.1",), ("s1",), NONE),
     ("H200 SXM", 1200.0, 1500.0, "official", ("v4.1", "v5.1"), ("s1",), NONE),
     ("L40S", 200.0, 200.0, "documents", (), ("s2",), CARE),
     ("MI300X", 1000.0, 1000.0, "official", ("v4.1",), ("s1",), NONE)],
    columns=["accelerator", "rate_low", "rate_high", "record", "rounds", "source_ids", "notes"],
).assign(best_of="2 of 3 systems", id=["r0", "r1", "r2", "r3"])  # fmt: skip
SPEEDUPS = pd.DataFrame(
    {"accelerator": ["H200 SXM", "L40S", "MI300X", "H100 SXM"], "speedup_low": [1.2, 0.2, 2.0, 1.0],
     "speedup_high": [1.5, 0.2, 2.0, 1.0]}
)  # fmt: skip
PRICES = pd.DataFrame(
    [("p0", "H100 SXM", "Cloud A", 2.0, 4.0, ""), ("p1", "H200 SXM", "Cloud A", 2.0, 2.0, ""),
     ("p2", "L40S", "Cloud B", 1.5, 1.5, ""), ("p3", "L40S", "Cloud B", 0.1, 0.1, "p2")],
    columns=["id", "accelerator", "provider", "usd_per_accelerator_hour_low", "usd_per_accelerator_hour_high",
             "duplicate_of"],
).assign(commitment="unstated", quoted="", source_id="doc", cost_model="rental", all_in_kilowatts=np.nan)  # fmt: skip


def test_tokens_per_dollar_and_dollars_per_million_by_hand():
    """155 tokens/s x 3,600 s / 3.29 dollars = 169,604.9 tokens; a million for 5.896 dollars."""
    rate, price = Interval(155.0, 155.0), Interval(3.29, 3.29)
    assert cost.tokens_per_dollar(rate, price).low == pytest.approx(169_604.863, rel=1e-8)
    assert cost.usd_per_million(rate, price).low == pytest.approx(1e6 / 169_604.863, rel=1e-8)
    assert cost.tokens_per_dollar(rate, price, Interval(0.5, 1.0)).low == pytest.approx(84_802.43, rel=1e-6)


def test_rates_take_official_rows_alone_where_there_are_any(comparable_rows):
    paper = {"origin": "published", "source_id": "doc", "notes": CARE}
    rows = comparable_rows({"low": 800.0}, paper | {"low": 8000.0}, paper | {"accelerator": "L40S", "low": 80.0})
    found = cost.rates(rows).set_index("accelerator")
    told = found[["rate_low", "rate_high", "record", "source_ids", "notes"]].T.to_dict("list")
    assert told == {
        "H100 SXM": [100.0, 100.0, "official", ("mlcommons-v4.1",), NONE],
        "L40S": [10.0, 10.0, "documents", ("doc",), CARE],
    }


def test_a_rate_is_that_of_the_fastest_system_of_its_kind_with_its_own_notes(comparable_rows):
    """120 tokens/s of one system, not 100 to 120 of two; the preview of 200 is another kind."""
    rows = comparable_rows({"notes": CARE}, {"low": 960.0, "notes": {note("inferred")}},
                           {"low": 1600.0, "availability": "preview"})  # fmt: skip
    (found,) = cost.rates(rows).to_dict("records")
    assert (found["rate_low"], found["rate_high"], found["best_of"]) == (120.0, 120.0, "2 of 3 systems")
    assert found["notes"] == {note("inferred")}


def test_offers_buy_most_first_and_each_once():
    found = cost.offers(RATED, PRICES, Interval(0.5, 1.0))
    assert found["accelerator"].tolist() == ["H200 SXM", "H100 SXM", "L40S"]
    first = found.iloc[0]
    assert (first["per_dollar_low"], first["per_dollar_high"]) == (1200 * 0.5 * 3600 / 2, 1500 * 3600 / 2)
    assert first["usd_per_million_low"] == pytest.approx(1e6 / (1500 * 1800), **CLOSE)
    assert found["quoted"].tolist() == [""] * 3


def test_break_even_is_the_ratio_of_rates_beside_the_ratio_of_prices():
    """H200 at 1.2 to 1.5 times H100 for 2 over 2 to 4 dollars, L40S at 0.2 times it for 1.5; MI300X has no price."""
    found = cost.break_even(SPEEDUPS, PRICES, "H100 SXM").set_index("accelerator")
    assert list(found.index) == ["MI300X", "H200 SXM", "L40S"]
    ends = ["break_even_low", "break_even_high", "price_ratio_low", "price_ratio_high"]
    assert found.loc["H200 SXM", ends].tolist() == pytest.approx([1.2, 1.5, 0.5, 1.0], **CLOSE)
    assert found.loc["L40S", ends].tolist() == pytest.approx([0.2, 0.2, 0.375, 0.75], **CLOSE)
    assert found["verdict"].to_dict() == {"MI300X": "", "H200 SXM": "lower cost", "L40S": "higher cost"}
    assert np.isnan(found.loc["MI300X", "price_ratio_low"])


def test_documents_that_contradict_each_other_make_a_rate_as_wide_as_both(comparable_rows):
    """400 to 440 in one and 1,100 to 1,200 in the other; two whose ranges meet are told by the faster."""
    rows = comparable_rows(
        {"origin": "published", "source_id": "a", "low": 3200.0, "high": 3520.0, "notes": CARE},
        {"origin": "published", "source_id": "b", "low": 8800.0, "high": 9600.0},
    )
    (found,) = cost.rates(rows).to_dict("records")
    differ = note("documents_differ", ["H100 SXM"], rates="400 to 440", other_rates="1,100 to 1,200")
    assert (found["rate_low"], found["rate_high"], found["source_ids"]) == (400.0, 1200.0, ("a", "b"))
    assert found["notes"] == CARE | {differ}
    (meeting,) = cost.rates(rows.assign(per_accelerator_low=[400.0, 430.0])).to_dict("records")
    assert (meeting["rate_low"], meeting["notes"]) == (430.0, NONE)


def test_a_baseline_without_a_price_still_has_break_even_prices():
    found = cost.break_even(SPEEDUPS, PRICES[PRICES["accelerator"].ne("H100 SXM")], "H100 SXM")
    assert found["break_even_low"].tolist() == [2.0, 1.2, 0.2]
    assert found["price_ratio_low"].isna().all() and set(found["verdict"]) == {""}
    assert cost.break_even(SPEEDUPS.head(0), PRICES, "H100 SXM").empty


@pytest.mark.parametrize(
    ("usd", "verdict"),
    [((2.2, 2.28), "lower cost"), ((2.3, 2.35), "similar"), ((6.1, 9.0), "similar"), ((6.3, 9.0), "higher cost")],
)
def test_costs_are_similar_where_two_digits_do_not_tell_the_ranges_apart(usd, verdict):
    """H200 is worth 1.2 to 1.5 times the H100 at 2 or 4 dollars: asked for 2.35 / 2 or 6.1 / 4 it meets that range."""
    ends = [f"usd_per_accelerator_hour_{end}" for end in ("low", "high")]
    prices = PRICES.copy()
    prices.loc[prices["accelerator"].eq("H200 SXM"), ends] = usd
    prices.loc[prices["accelerator"].eq("H100 SXM"), ends] = [2.0, 2.0] if usd[0] < 3 else [4.0, 4.0]
    found = cost.break_even(SPEEDUPS, prices, "H100 SXM").set_index("accelerator")
    assert found.loc["H200 SXM", "verdict"] == verdict


@pytest.mark.parametrize(
    ("price", "share", "said"),
    [(0.0, 1.0, "a price is not above 0"), (-2.0, 1.0, "a price is not above 0"), (2.0, 1.1, "share 1.1 to 1.1 of the"),
     (2.0, 0.0, "share 0.0 to 0.0")],
)  # fmt: skip
def test_impossible_prices_and_shares_are_refused_by_name(price, share, said):
    with pytest.raises(ValueError, match=said):
        cost.tokens_per_dollar(Interval(100.0, 100.0), Interval(price, price), share)


@pytest.mark.parametrize(("quotes", "words"), [
    ([], "three-year rental, 2026-03, 2026-04"),
    (["H100 SXM=2; reserved; 2026-01; a cloud"], "your own (H100), else three-year rental, 2026-04"),
    (["H100 SXM=2", "H200 SXM=3", "L40S=1"], "your own (H100, H200, and L40S)"),
])  # fmt: skip
def test_prices_are_said_to_be_whose_they_are(quotes, words):
    """Those that a price given replaces say nothing of the day of the others."""
    dated = PRICES.assign(quoted=["2026-03-01", "2026-04-01", "", ""])
    paid = cost.priced(dated, quotes, "H100 SXM", RATED, "rental")
    assert cost.in_words(paid, {"H100 SXM": "H100", "H200 SXM": "H200", "L40S": "L40S"}.get) == words
