"""Cost by hand: prices, dollars per million tokens, break-even, and purchase."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, cost, derating, tables

LISTED = {
    "accelerator": "B200 SXM", "cost_model": "neocloud", "commitment": "owned", "quoted": "2026-04-01", "provider": "P",
    "usd_per_accelerator_hour_low": 2.0, "usd_per_accelerator_hour_high": 4.0, "all_in_kilowatts": 1.5,
    "duplicate_of": "", "source_id": "s",
}  # fmt: skip


@pytest.fixture
def listed(monkeypatch):
    """Owners' prices of two dates, rents of two, and a list price; a duplicate and a document do not count."""
    later, rent = (
        {"quoted": "2026-08-01", "all_in_kilowatts": 1.7},
        {"cost_model": "rental", "commitment": "three years"},
    )
    five = {"usd_per_accelerator_hour_low": 5.0, "usd_per_accelerator_hour_high": 5.0}
    rows = [
        later | five, {}, {"accelerator": "H100 SXM"}, rent, rent | later | five,
        later | five | {"accelerator": "H200 SXM", "duplicate_of": "x"},
        later | {"cost_model": "on_demand", "commitment": "on demand"}, later | {"cost_model": "documents"},
    ]  # fmt: skip
    monkeypatch.setattr(tables, "prices", pd.DataFrame([LISTED | row for row in rows]), raising=False)


def test_the_newest_quotation_of_a_cost_model_counts(listed):
    columns = ["accelerator", "usd_per_hour", "kilowatts", "quoted", "provider", "source_id"]
    assert cost.prices()[columns].to_numpy().tolist() == [
        ["B200", 5, 1.7, "2026-08-01", "P", "s"], ["H100", 3, 1.5, "2026-04-01", "P", "s"],
    ]  # fmt: skip
    assert cost.prices(quoted="2026-04")["usd_per_hour"].to_dict() == {0: 3, 1: 3}
    assert cost.prices("rental", quoted="2026-04")["kilowatts"].tolist() == [1.7]  # of the newest list
    for wrong in ({"cost_model": "neo"}, {"quoted": "2027"}):
        with pytest.raises(ValueError, match=r"no (cost model|date of prices) "):
            cost.prices(**wrong)


def test_a_basis_is_a_cost_model_at_a_date(listed):
    every = cost.bases(own={"H100": 1.0})
    assert every["basis"].drop_duplicates().tolist() == [
        "neocloud 2026-08", "rental 2026-08", "rental 2026-04", "on demand 2026-08",
    ]  # fmt: skip
    assert every.columns.tolist() == [*cost.COLUMNS, "cost_model", "commitment", "basis"] and every.index.is_unique
    assert every["commitment"].drop_duplicates().tolist() == ["owned", "three years", "on demand"]
    usd = every.set_index(["accelerator", "basis"])["usd_per_hour"]
    assert usd["B200"].tolist() == [5, 5, 3, 3] and usd["H100"].tolist() == [1] * 4
    few = cost.bases(["on_demand", "rental 2026-04", "rental"])["basis"]
    assert few.unique().tolist() == ["on demand 2026-08", "rental 2026-04", "rental 2026-08"]
    with pytest.raises(ValueError, match="no price basis 'documents'"):
        cost.bases(["documents"])


def test_basis_says_whose_prices(listed):
    assert cost.basis(cost.prices(), "neocloud") == "neocloud total cost of ownership of 2026-08-01"
    mixed = cost.basis(cost.prices("rental", own={"MI355X": 1.0, "H100": 3.0}), "rental")
    assert mixed == "own for H100, MI355X, else three-year rental of 2026-08-01"
    assert cost.basis(cost.prices("capacity_block", own={"B200": 2.0}), "capacity_block") == "own for B200"


def test_the_median_of_providers_is_the_index_and_the_price_of_its_segment():
    listed = tables.price_history.query("date == '2026-10-05'")
    keys = ["segment", "accelerator"]
    medians = listed.query("statistic == 'provider'").groupby(keys)["usd_per_accelerator_hour"].median()
    index = listed.query("statistic == 'index'").set_index(keys)["usd_per_accelerator_hour"]
    both = index.index.intersection(medians.index)
    assert len(both) == 20  # seven accelerators in three segments, one of them without a marketplace
    assert index[both].to_numpy() == pytest.approx(medians[both].to_numpy(), abs=0.0051)
    on_demand = tables.prices.query("cost_model == 'on_demand'").set_index("accelerator")
    assert on_demand["usd_per_accelerator_hour_low"].to_dict() == medians["neocloud"].round(2).to_dict()


def test_lists_since_march_and_spot_over_three_years(monkeypatch):
    """B200 of neoclouds in October, and H100 at Google Cloud, whose spot price passed that of three years in June."""
    history = tables.price_history
    late = history.assign(date=history["date"].str[:8] + "20")  # whatever the day, prices are of the month
    monkeypatch.setattr(tables, "price_history", late, raising=False)
    past = cost.since_march()
    assert past.index.tolist() == [*range(len(past))]
    assert [*past] == ["accelerator", "segment", "month", "over_march", "providers"]
    past = past[past["month"].eq("2026-10-01")].set_index(["accelerator", "segment"])
    assert past.loc[("B200", "neocloud"), ["over_march", "providers"]].tolist() == [1.4284, 5]
    assert past.at[("H100", "hyperscaler"), "over_march"] == 1 and past["providers"].min() == 2
    assert set(past.index.get_level_values("segment")) == {"neocloud", "hyperscaler"}
    spot = cost.spot_over_term().query("accelerator == 'H100'").set_index("month")
    assert spot[["spot", "term"]].iloc[-1].tolist() == [6.1747, 4.858]
    assert spot.index[spot["spot_over_three_years"].gt(1)].min() == pd.Timestamp("2026-06-01")


HEAD = "accelerator,usd_per_hour\n"


def test_own_prices_replace_those_listed_and_keep_the_kilowatts(tmp_path, listed):
    file = tmp_path / "mine.csv"
    file.write_text(f"\ufeff{HEAD}NVIDIA H100-SXM-80GB,3.5\nXeon 8480+,0.5\n", encoding="utf-8")
    prices = cost.prices(own=file).set_index("accelerator")
    assert prices.loc["H100", ["usd_per_hour", "kilowatts", "provider"]].tolist() == [3.5, 1.5, "own"]
    assert prices["usd_per_hour"].to_dict() == {"B200": 5, "H100": 3.5, "Xeon 8480+": 0.5}
    frame = pd.DataFrame({"accelerator": ["H100", "B200"], "usd_per_hour": [2.0, 3.0]})
    frame = frame.set_index("accelerator", drop=False)
    assert cost.own_prices(frame)["usd_per_hour"].tolist() == [2.0, 3.0]
    with pytest.raises(ValueError, match="own prices, row 3, usd_per_hour"):
        cost.own_prices(frame.assign(usd_per_hour=[2.0, -1.0]))
    with pytest.raises(ValueError, match="no column of own prices 'usd_per_hour'"):
        cost.own_prices(frame[["accelerator"]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("accelerator,usd\nH100,2", "no column 'usd_per_hour'"),
        (HEAD + "H100,1e308", "row 2, usd_per_hour: '1e308' is not a number from 0.01 to 1,000$"),
        (HEAD + "H10O,2", "row 2: no accelerator .*did you mean"),
        (HEAD + "\nH100,2\n\nB200,free", "row 5, usd_per_hour: 'free'"),
        (HEAD + "H100,2\nNVIDIA H100-SXM-80GB,3", "row 3: H100 already has a price"),
        (HEAD + "H100,2,7", "more cells"),
        ("accelerator;usd_per_hour\nH100;2.7", "separate cells by commas, and decimals by a point"),
        ("", "not a CSV"),
        (HEAD + "H100 \xe9,2", "not a CSV"),
    ],
)
def test_a_wrong_file_of_prices_is_refused_with_its_place(tmp_path, text, message):
    file = tmp_path / "mine.csv"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=f"^{file}.*{message}"):
        cost.prices(own=str(file))


def test_what_is_no_file_of_prices_is_named(tmp_path):
    for path in (tmp_path, "/dev/null", tmp_path / "none.csv"):
        with pytest.raises(ValueError, match=str(path)):
            cost.own_prices(path)


@pytest.fixture
def costs():
    """A is faster and dearer than B: cheaper per token at 20 tokens/s, dearer at 0."""
    rows = [(0, "A", 1000.0, 2.0), (0, "B", 500.0, 0.9), (20, "A", 600.0, 2.0), (20, "B", 200.0, 0.9)]
    frame = pd.DataFrame(rows, columns=["interactivity", "accelerator", "throughput", "usd_per_hour"])
    usd = cost.usd_per_million(frame["throughput"], frame["usd_per_hour"], 0.5)
    frame = frame.assign(**dict.fromkeys(cost.USD, usd), estimated=False)
    return frame.assign(round=frame["accelerator"].map({"A": "v6.0", "B": "v6.1"}))


def test_the_cheapest_and_its_margin(costs):
    assert costs["usd_per_million"].iloc[0] == pytest.approx(1e6 * 2.0 / (3600 * 1000 * 0.5))
    found = cost.cheapest(costs)
    assert found[["accelerator", "runner_up"]].T.to_dict("list") == {0: ["B", "A"], 1: ["A", "B"]}
    margins = [2 / 1000 / (0.9 / 500) - 1, (0.9 / 200) / (2 / 600) - 1]
    assert found["margin"].tolist() == pytest.approx(margins)
    assert found["runner_up_usd"].tolist() == costs["usd_per_million"].iloc[[0, 3]].tolist()


def test_the_cheapest_has_a_result_where_one_has(costs):
    rows = costs.assign(estimated=[False, True, True, True])
    found = cost.cheapest(rows)
    assert found["accelerator"].tolist() == ["A", "A"]  # B is cheaper at 0, by an estimate
    assert found["runner_up"].fillna("").tolist() == ["", "B"]
    assert cost.results_first(rows).index.tolist() == [0, 2, 3]
    assert cost.with_chances(rows)["chance"].tolist() == [1, 0, 1, 0]


def test_the_same_within_the_error_is_cheapest_in_fewer_than_four_fifths_of_draws(monkeypatch):
    """Two costs with one error are each cheapest in half of the draws, and in all where their ranges lie apart."""
    usd = pd.Series([1.0, 1.0, 3.0, 0.8, 2.0, 1.0, 2.0])
    rows = pd.DataFrame({"accelerator": [*"ABCABAB"], "interactivity": [10] * 3 + [20] * 2 + [30] * 2})
    rows = rows.assign(usd_per_million=usd, usd_low=usd / 1.2, usd_high=usd * 1.2, estimated=False)
    found = cost.with_chances(rows)
    assert found["chance"].tolist() == pytest.approx([0.5, 0.5, 0, 1, 0, 1, 0], abs=0.03)
    assert found["alike"].tolist() == [True, True, False, True, False, True, False]
    winners = cost.cheapest(rows)
    assert winners["sure"].tolist() == [cost.TIE, "A", "A"]
    assert cost.stretches(winners, "sure")["interactivity"].tolist() == [10, 20]
    near = rows.iloc[:2].assign(usd_per_million=[1.0, 1.08], usd_low=[1.0, 1.0], usd_high=[1.0, 1.2])
    assert cost.with_chances(near)["alike"].tolist() == [True, False]  # 1 is below P10 of B: in nine of ten draws
    monkeypatch.setattr(cost, "DRAWS", 10)
    monkeypatch.setattr(cost, "draw_costs", lambda costs: np.array([[1] * 8 + [3] * 2, [2] * 10][: len(costs)]))
    assert cost.with_chances(near)["alike"].tolist() == [True, False]  # in exactly four fifths
    assert cost.cheapest(near)["sure"].tolist() == ["A"]
    apart = cost.with_chances(near.assign(basis=["x", "y"]), ["interactivity", "basis"])
    assert apart["chance"].tolist() == [1, 1] and apart["alike"].all()


def test_draws_have_the_range_at_p10_and_p90_and_are_those_of_the_accelerator():
    rows = pd.DataFrame({"accelerator": ["A", "B"], "usd_low": [0.5, 1.0], "usd_per_million": [1.0, 2.0]})
    values = cost.draw_costs(rows.assign(usd_high=[4.0, 2.0]))
    assert np.quantile(values[0], [0.1, 0.5, 0.9]) == pytest.approx([0.5, 1.0, 4.0], rel=0.1)
    drawn = cost.log_uniform(np.array(80.0), np.array(100.0), np.array(150.0), np.array([0.1, 0.3, 0.5, 0.9]))
    assert drawn.tolist() == pytest.approx([80.0, 8000**0.5, 100.0, 150.0])
    assert values.shape == (2, 4000) and values[1].max() == 2.0
    assert (cost.draw_costs(rows.iloc[1:].assign(usd_high=2.0)) == values[1]).all()


def test_break_even_prices_are_the_baselines_price_times_the_ratio_of_throughput(costs):
    found = cost.break_even(costs, "B")
    even = found.set_index(["interactivity", "accelerator"])["break_even_usd"]
    assert even.tolist() == pytest.approx([0.9 * 1000 / 500, 0.9, 0.9 * 600 / 200, 0.9])
    assert set(found["base_round"]) == {"v6.1"}
    named = costs.replace({"A": "MI355X", "B": "B200"})
    assert set(cost.break_even(named, "B200", ["AMD"])["accelerator"]) == {"MI355X"}
    with pytest.raises(ValueError, match=r"no baseline with a price and a throughput 'C'.* valid: A, B"):
        cost.break_even(costs, "C")
    with pytest.raises(NoData, match="for the baseline H100; choices: MI355X, B200"):
        cost.break_even(named, "H100")
    with pytest.raises(NoData, match=r"a price and a throughput among .*H100"):
        cost.break_even(named, "B200", ["H100"])


def test_dollars_at_an_interactivity_use_the_share_that_is_delivered(monkeypatch):
    """Half of 1,000 tokens/s at $1.80 an hour is $1 per million; X has no price, and H100 no throughput."""
    shares = {"share": 0.5, "low": 0.4, "high": 0.6, "peak": 2.0, "unstated": 0.9, **dict.fromkeys(cost.FACTORS, 0.8)}
    asked = []
    monkeypatch.setattr(derating, "served_at", lambda rows, *how: asked.append(how) or pd.DataFrame(shares, rows.index))
    rows = [("B200", 12.5, 1000.0, "estimated", "a", "b"), ("A100", 0.0, 100.0, "measured", "", "e"),
            ("GB300", 0.0, 500.0, "measured", "", "c"), ("X", 0.0, 1.0, "measured", "", "d"),
            ("H100", 0.0, np.nan, "", "", "")]  # fmt: skip
    curve = pd.DataFrame(rows, columns=["accelerator", "interactivity", "throughput", "evidence", *cost.RUNS])
    curve = curve.assign(low=curve["throughput"] / 2, high=curve["throughput"] * 4)
    prices = pd.DataFrame({"accelerator": ["H100", "B200", "GB300", "A100"], "usd_per_hour": 1.8})
    found = cost.per_million_tokens(curve, prices, "pooled", "as submitted")
    assert asked == [("pooled", "as submitted")]
    assert found["accelerator"].to_dict() == {0: "GB300", 1: "A100", 2: "B200"}
    assert found[cost.USD].to_numpy().tolist() == pytest.approx(np.array([[0.5, 2, 4], [2.5, 10, 20], [0.25, 1, 2]]))
    columns = ["served", "served_low", "served_high", "peak", "unstated", *cost.FACTORS]
    assert found[columns].to_numpy().tolist() == [[*shares.values()]] * 3
    assert found[["submissions", "estimated", "at"]].to_numpy().tolist() == [
        *[[1, False, "no limit"]] * 2, [2, True, "12.5 tokens/s per user"],
    ]  # fmt: skip
    with pytest.raises(NoData, match=r"a price and a throughput at 12.5 tokens/s per user, 0 tokens/s"):
        cost.per_million_tokens(curve, prices[:1])


def test_the_purchase_price_breaks_even_with_the_rent():
    """By hand: 8,760 hours a year; (90% over 4 years + 8% on the mean value + 5%) x 1.45 a year."""
    half, most = cost.purchase(3.70, 1.71).to_dict("records")
    assert (half["used"], most["used"]) == (0.5, 0.9)
    costs = {"rent": 16206, "electricity": 748.98, "hosting": 3078, "yearly": 0.46255}
    price = (16206 - 748.98 - 3078 - 400) / 0.46255
    assert half == pytest.approx({"used": 0.5, **costs, "price": price})
    terms = {"years": 2.0, "capital": 0.0, "maintenance": 0.0, "extras": 0.0, "hosting": 0.0}
    row = cost.purchase(2.0, 1.0, usd_per_kilowatt_hour=0.2, **terms).iloc[0]
    assert row["price"] == pytest.approx((4380 * 1.8 - 400) / 0.45)
    assert cost.purchase(0.01, 2.0)["price"].tolist() == [0, 0]
    for name, bounds in zip(
        ("years", "capital", "maintenance", "extras", "hosting"),
        ("0.5 to 50", "0 to 1", "0 to 1", "0 to 10", "0 to 10,000"), strict=True,
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"^{name} is -1; .* from {bounds}$"):
            cost.purchase(2.0, 1.0, **{name: -1})
