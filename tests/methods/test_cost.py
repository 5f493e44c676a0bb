"""What plans are made with: throughput and price as ranges."""

import pandas as pd
import pytest

from analysis._core import interval, parameters
from analysis._core.interval import Interval
from analysis._core.vocabulary import COST_MODELS
from analysis.comparability import selection
from analysis.methods import cost, official_results


def test_a_rate_is_taken_from_systems_of_one_kind_and_says_of_how_many(comparable_rows):
    """Two of eight on sale; a single one, a preview and the round before are other kinds."""
    kinds = [{"low": 300.0, "accelerator_count": 1}, {"low": 2400.0, "availability": "preview"}, {"low": 80.0}]
    kinds[2]["round"] = "v4.0"
    rows = comparable_rows({"low": 800.0}, {"low": 880.0}, *kinds, {"origin": "published", "low": 1.0})
    assert cost.rate_rows(rows, "H100 SXM")["id"].tolist() == ["r0", "r1"]
    assert cost.scope(rows, "H100 SXM", cost.rate_rows(rows, "H100 SXM")) == "2 of 5 systems"
    paper = rows[rows["origin"].eq("published")]
    assert cost.scope(paper, "H100 SXM", cost.rate_rows(paper, "H100 SXM")) == "1 of 1 figures of documents"


PRICES = pd.DataFrame(
    {
        "accelerator": ["H100 SXM", "H100 SXM", "H100 SXM", "L40S"],
        "duplicate_of": ["", "", "p0", ""],
        "cost_model": ["rental"] * 4,
        "usd_per_accelerator_hour_low": [2.99, 4.76, 0.01, 1.5],
        "usd_per_accelerator_hour_high": [2.99, 4.76, 99.0, 1.5],
    }
)
FACTS = pd.DataFrame({"accelerator": ["H100 SXM", "L40S", "MI300X"]})


def test_given_prices_take_the_place_of_the_table_s():
    found = cost.priced(
        PRICES, ["1-2", "MI300X=3; reserved; 2026-01; a cloud", "MI300X=4"], "H100 SXM", FACTS, "rental"
    )
    ranges = {name: cost.price_range(found, name) for name in ("H100 SXM", "L40S", "MI300X")}
    assert ranges == {"H100 SXM": Interval(1, 2), "L40S": Interval(1.5, 1.5), "MI300X": Interval(3, 4)}
    assert cost.priced(PRICES, [], "H100 SXM", FACTS, "rental").equals(PRICES)


def test_prices_are_of_one_cost_model(data):
    """An H100 costs a neocloud $1.69, a hyperscaler $1.30; documents quote 2.99 to 4.76, and alone an L40S."""
    of = {model: cost.priced(data.prices, [], "", data.accelerators, model) for model in COST_MODELS}
    h100 = {model: cost.price_range(prices, "H100 SXM") for model, prices in of.items()}
    assert h100["neocloud"] == Interval(1.69, 1.69) and h100["hyperscaler"] == h100["rental"] == Interval(1.3, 1.3)
    assert h100["documents"] == Interval(2.99, 4.76)
    assert [model for model, prices in of.items() if cost.price_range(prices, "L40S").known] == ["documents"]


def test_given_price_carries_what_it_says_and_nothing_else(data):
    found = cost.priced(
        data.prices, ["MI300X=3; reserved; 2026-01; a cloud", "L40S=1"], "H100 SXM", data.accelerators, "neocloud"
    )
    said = ["commitment", "quoted", "provider", "source_id", "duplicate_of"]
    assert found.iloc[-2][said].tolist() == ["reserved", "2026-01", "a cloud", "", ""]
    assert found.iloc[-1][said].tolist() == ["unstated", "", "a given price", "", ""]
    assert found.dtypes.to_dict() == data.prices.dtypes.to_dict()


def test_a_given_price_may_be_of_a_short_name():
    found = cost.priced(PRICES, ["H100=2"], "L40S", FACTS, "rental")
    assert cost.price_range(found, "H100 SXM") == Interval(2, 2)


def test_given_price_that_is_none_is_refused():
    with pytest.raises(ValueError, match="'H100 SXM=cheap': 'cheap' is not a number"):
        cost.priced(PRICES, ["H100 SXM=cheap"], "H100 SXM", FACTS, "rental")
    with pytest.raises(ValueError, match="a price is given for 'H900': did you mean 'H200 SXM'"):
        cost.priced(PRICES, ["H900=2"], "H100 SXM", FACTS, "rental")


def test_each_result_has_its_cost_or_why_it_has_none(data):
    """Dollars an hour over the tokens of an hour at half the throughput; none of samples, and none without a price."""
    rows = official_results.of(data, data.benchmark_limits, ["v6.0"])
    prices = data.prices[data.prices["cost_model"].eq("neocloud")]
    found = cost.of_results(rows, prices, Interval(0.5, 0.5))
    known = found[found["usd_per_million"].notna()]
    hourly = known["accelerator"].map(prices.set_index("accelerator")["usd_per_accelerator_hour_low"])
    by_hand = hourly / (known["per_accelerator"] * 0.5 * 3600 / 1e6)
    assert len(known) > 100 and known["usd_per_million"].tolist() == pytest.approx(by_hand.tolist(), rel=1e-5)
    assert known.loc[known["accelerator"].eq("B200 SXM"), "priced"].unique().tolist() == ["$2.34/hour (InferenceX)"]
    reasons = found.loc[found["usd_per_million"].isna()].groupby("priced")
    assert set(reasons.groups) == {"", "no price", "not counted in tokens"}
    assert reasons.get_group("")["per_accelerator"].isna().all()
    assert not reasons.get_group("no price")["accelerator"].isin(prices["accelerator"]).any()


def test_a_result_costs_what_the_page_of_costs_says(data):
    """The fastest result of each accelerator at the defaults of both notebooks, which are the same."""
    asked = {name: parameters.validate(name, {}) for name in ("explorer", "price_performance")}
    same = ("cost_model", "derate", "utilization")
    assert [asked["explorer"][name] for name in same] == [asked["price_performance"][name] for name in same]
    retained = Interval(*asked["explorer"]["derate"]) * Interval(*asked["explorer"]["utilization"])
    paid = cost.priced(data.prices, [], "", data.accelerators, asked["explorer"]["cost_model"])
    question = selection.Question("gpt-oss-120b", "Offline", ("official",), ("v6.1",))
    offers = cost.offers(cost.rates(selection.select(data, question).rows), paid, retained)
    rows = cost.of_results(official_results.of(data, data.benchmark_limits), paid, retained).set_index("id")
    middle = interval.of(offers, "usd_per_million").middle
    assert len(offers) > 3
    assert rows.loc[offers["id"], "usd_per_million"].tolist() == pytest.approx(middle.tolist(), rel=1e-5)
