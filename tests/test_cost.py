"""Cost by hand: prices, dollars per million tokens, break-even, and purchase."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from analysis import cost, derating, tables
from analysis.paths import ROOT

EVIDENCE = ROOT.parent / "shared" / "evidence"


def test_the_newest_quotation_of_a_cost_model_counts():
    assert set(cost.prices()["quoted"]) == {"2026-08-01"}
    rental = cost.prices("rental").set_index("accelerator")
    assert rental.loc["B200", ["usd_per_hour", "quoted"]].tolist() == [3.7, "2026-09-08"]
    assert cost.prices("rental", quoted="2026-08").set_index("accelerator").at["B200", "usd_per_hour"] == 2.6
    assert cost.prices(quoted="2026-04").set_index("accelerator").at["B200", "usd_per_hour"] == 2.34
    with pytest.raises(ValueError, match="neocloud"):
        cost.prices("neo")


def test_the_median_of_providers_is_the_index_and_the_price_of_its_segment():
    listed = tables.price_history.query("date == '2026-10-05'")
    providers = listed[listed["statistic"].eq("provider")].groupby(["segment", "accelerator"])
    medians = providers["usd_per_accelerator_hour"].median()
    index = listed[listed["statistic"].eq("index")].set_index(["segment", "accelerator"])["usd_per_accelerator_hour"]
    both = index.index.intersection(medians.index)
    assert len(both) == 20  # seven accelerators in three segments, one of them without a marketplace
    assert index[both].to_numpy() == pytest.approx(medians[both].to_numpy(), abs=0.0051)
    on_demand = tables.prices.query("cost_model == 'on_demand'").set_index("accelerator")
    assert on_demand["usd_per_accelerator_hour_low"].to_dict() == medians["neocloud"].round(2).to_dict()


@pytest.mark.skipif(not EVIDENCE.is_dir(), reason="no folder with the evidence beside the project")
def test_prices_of_months_are_medians_over_companies_and_changes_over_the_same_ones():
    """Each month of neoclouds, from the rows of the trackers: a company's listings for 1 and 8 GPUs are one price."""
    trackers = tables.sources.set_index("id").at["gpu-price-trackers", "note"]
    rows = pd.read_csv(EVIDENCE / "gpu_price_history.csv", keep_default_na=False)
    rows = rows[rows["source_path"].str.split(":").str[0].isin(re.findall(r"[\w.-]+/[\w.-]+", trackers))]
    rows = rows[rows["segment"].eq("neocloud") & ~rows["provider_or_index"].str.contains("index", case=False)]
    company = rows["provider_or_index"].str.casefold().str.replace(r" (\(.*\)|\d+x|secure|ai)$", "", regex=True)
    full = {"A100 80GB PCIe": "A100 PCIe 80GB", "RTX PRO 6000": "RTX PRO 6000 Blackwell SE", "B200": "B200 SXM"}
    full |= {"A100 40GB": "A100 SXM 40GB", "A100 80GB": "A100 SXM 80GB", "H200": "H200 SXM", "B300": "B300 SXM"}
    rows = rows.assign(company=company.str.replace(" ai", ""), accelerator=rows["accelerator"].replace(full))
    rows["date"] = rows["date"].str[:7] + "-01"
    assert not rows["company"].str.contains(r"\dx$").any()
    keys = ["date", "accelerator", "commitment"]
    price = rows.groupby([*keys, "company"])["usd_per_gpu_hour"].median()
    march = price.xs("2026-03-01").rename("march")
    price = price.reset_index().merge(march, how="left", on=["accelerator", "commitment", "company"])
    price["change"] = price["usd_per_gpu_hour"] / price["march"]
    months = price.groupby(keys).agg(
        usd_per_accelerator_hour=("usd_per_gpu_hour", "median"), providers=("company", "size"),
        change_since_march=("change", "median"), matched=("change", "count"),
    )  # fmt: skip
    shipped = tables.price_history.query("segment == 'neocloud' and statistic == 'month'").set_index(keys)
    assert len(shipped) == 82 and shipped["providers"].min() > 1
    months = months.loc[shipped.index]
    few = months["matched"] < 2
    months.loc[few, ["change_since_march", "matched"]] = np.nan
    for column in months:
        assert shipped[column].to_numpy(float, na_value=np.nan) == pytest.approx(
            months[column].to_numpy(float), abs=6e-5, nan_ok=True
        ), column


def test_lists_since_march_and_spot_over_three_years():
    """B200 of neoclouds in October, and H100 at Google Cloud, whose spot price passed that of three years in June."""
    past = cost.since_march(["B200", "H100"])
    past = past[past["month"].eq(pd.Timestamp("2026-10-01"))].set_index(["accelerator", "segment"])
    assert past.loc[("B200", "neocloud"), ["over_march", "providers"]].tolist() == [1.4284, 5]
    assert past.at[("H100", "hyperscaler"), "over_march"] == 1 and len(past) == 4
    spot = cost.spot_over_term().query("accelerator == 'H100'").set_index("month")
    assert spot[["spot", "term"]].iloc[-1].tolist() == [6.1747, 4.858]
    assert spot.index[spot["spot_over_three_years"].gt(1)].min() == pd.Timestamp("2026-06-01")


def test_a_basis_is_a_cost_model_at_a_date():
    every = cost.bases()
    assert every["basis"].drop_duplicates().tolist() == [
        "neocloud 2026-08", "hyperscaler 2026-09", "rental 2026-09", "rental 2026-08", "rental 2026-04",
        "on demand 2026-10", "capacity block 2026-07", "one year 2026-07", "three years 2026-07",
    ]  # fmt: skip
    usd = every.set_index(["basis", "accelerator"])["usd_per_hour"]
    assert usd[[("rental 2026-08", "B200"), ("rental 2026-09", "B200"), ("on demand 2026-10", "B200")]].tolist() == [
        2.6, 3.7, 6.84,
    ]  # fmt: skip
    assert every.query("basis == 'on demand 2026-10'").set_index("accelerator").at["B200", "kilowatts"] == 1.71
    few = cost.bases(["on_demand", "rental 2026-08"], own={"B200": 1.0})
    assert few["basis"].unique().tolist() == ["on demand 2026-10", "rental 2026-08"]
    assert few[few["accelerator"].eq("B200")]["usd_per_hour"].tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="no price basis 'rental 2027'"):
        cost.bases(["rental 2027"])


def test_own_prices_replace_those_listed_and_keep_the_kilowatts(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("\ufeffaccelerator,usd_per_hour\nNVIDIA H100-SXM-80GB,3\nXeon 8480+,0.5\n", encoding="utf-8")
    prices = cost.prices(own=file).set_index("accelerator")
    assert prices.loc["H100", ["usd_per_hour", "provider"]].tolist() == [3.0, "own"]
    assert prices.at["H100", "kilowatts"] == cost.prices().set_index("accelerator").at["H100", "kilowatts"]
    assert prices.at["Xeon 8480+", "usd_per_hour"] == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("accelerator,usd\nH100,2", "no column 'usd_per_hour'"),
        ("accelerator,usd_per_hour\nH100,1e308", "row 2, usd_per_hour: '1e308' is no number from 0.01 to 1,000$"),
        ("accelerator,usd_per_hour\nH100,2\nB200,free", "row 3, usd_per_hour: 'free'"),
        ("accelerator,usd_per_hour\nH10O,2", "row 2: no accelerator .*did you mean"),
        ("accelerator,usd_per_hour\n\nH100,2\n\nB200,free", "row 5, usd_per_hour: 'free'"),
        ("accelerator,usd_per_hour\nH100,2\nNVIDIA H100-SXM-80GB,3", "row 3: H100 has a price already"),
        ("accelerator,usd_per_hour\nH100,2,7", "more cells"),
        ("accelerator;usd_per_hour\nH100;2,7", "separate cells by commas, and decimals by a point"),
        ("accelerator;usd_per_hour\nH100;2.7", "separate cells by commas, and decimals by a point"),
        ("", "mine.csv: no CSV"),
    ],
)
def test_a_wrong_file_of_prices_is_refused_with_its_place(tmp_path, text, message):
    file = tmp_path / "mine.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        cost.prices(own=str(file))


def test_dollars_per_million_tokens():
    usd = cost.usd_per_million(pd.Series([15227.25]), pd.Series([1.90]), 0.5)
    assert usd.tolist() == pytest.approx([1e6 * 1.90 / (3600 * 15227.25 * 0.5)])


def test_what_is_no_file_of_prices_is_named(tmp_path):
    (tmp_path / "mine.csv").write_bytes("accelerator,usd_per_hour\nH100 \xe9,2".encode("latin-1"))
    for path in (tmp_path / "mine.csv", tmp_path, "/dev/null", tmp_path / "none.csv"):
        with pytest.raises(ValueError, match=str(path)):
            cost.own_prices(path)


def test_a_frame_of_prices_may_have_any_index():
    frame = pd.DataFrame({"accelerator": ["H100", "B200"], "usd_per_hour": [2.0, 3.0]}, index=["mine", "yours"])
    assert cost.own_prices(frame)["usd_per_hour"].tolist() == [2.0, 3.0]
    with pytest.raises(ValueError, match="row 3, usd_per_hour"):
        cost.own_prices(frame.assign(usd_per_hour=[2.0, -1.0]))


def costs():
    rows = [(0, "A", 1000.0, 2.0), (0, "B", 500.0, 0.9), (20, "A", 600.0, 2.0), (20, "B", 200.0, 0.9)]
    frame = pd.DataFrame(rows, columns=["interactivity", "accelerator", "throughput", "usd_per_hour"])
    usd = cost.usd_per_million(frame["throughput"], frame["usd_per_hour"])
    return frame.assign(
        usd_per_million=usd, usd_low=usd, usd_high=usd, evidence="measured", estimated=False, round="v6.1"
    )


def test_the_cheapest_and_its_margin():
    found = cost.cheapest(costs())
    assert found["accelerator"].tolist() == ["B", "A"]
    assert found["margin"].tolist() == pytest.approx([2 / 1000 / (0.9 / 500) - 1, (0.9 / 200) / (2 / 600) - 1])


def test_the_cheapest_has_a_result_where_one_has():
    rows = costs().assign(estimated=[False, True, True, True])
    found = cost.cheapest(rows)
    assert found["accelerator"].tolist() == ["A", "A"]  # B is cheaper at 0, by an estimate
    assert found["runner_up"].fillna("").tolist() == ["", "B"]
    three = pd.concat([rows, rows.iloc[[0]].assign(accelerator="C", usd_per_million=9.0)], ignore_index=True)
    assert cost.cheapest(three)["runner_up"].iloc[0] == "C"


def test_the_same_within_the_error_is_cheapest_in_fewer_than_four_fifths_of_draws():
    """Two costs with one error are each cheapest in half of the draws, and in all where their ranges lie apart."""
    usd = pd.Series([1.0, 1.0, 3.0, 1.0, 2.0], dtype=float)
    rows = pd.DataFrame({"accelerator": [*"ABCAB"], "interactivity": [10] * 3 + [20] * 2, "usd_per_million": usd})
    rows = rows.assign(usd_low=usd / 1.2, usd_high=usd * 1.2, estimated=False)
    found = cost.with_chances(rows)
    assert found["chance"].iloc[:2].tolist() == pytest.approx([0.5, 0.5], abs=0.03)
    assert found["chance"].iloc[2:].tolist() == [0, 1, 0]
    winners = cost.cheapest(
        pd.concat([rows, rows[rows["interactivity"].eq(20)].assign(interactivity=30)], ignore_index=True)
    )
    assert winners["sure"].tolist() == [cost.TIE, "A", "A"]
    assert cost.stretches(winners, "sure")["interactivity"].tolist() == [10, 20]
    assert found["alike"].tolist() == [True, True, False, True, False]
    cheap = cost.with_chances(rows.assign(estimated=[True, False, False, True, True]))
    assert cheap["chance"].tolist() == [0, 1, 0, 1, 0]
    near = rows.iloc[:2].assign(usd_per_million=[1.0, 1.08], usd_low=[1.0, 1.0], usd_high=[1.0, 1.2])
    assert cost.with_chances(near)["alike"].tolist() == [True, False]  # 1 is below P10 of B: in nine of ten draws


def test_draws_have_the_range_at_p10_and_p90_and_are_those_of_the_accelerator():
    rows = pd.DataFrame({"accelerator": ["A", "B"], "usd_low": [0.5, 1.0], "usd_per_million": [1.0, 2.0]})
    rows["usd_high"] = [4.0, 2.0]
    values = cost.draw_costs(rows)
    assert np.quantile(values[0], [0.1, 0.5, 0.9]) == pytest.approx([0.5, 1.0, 4.0], rel=0.1)
    assert values[1].max() == 2.0
    assert (cost.draw_costs(rows.iloc[1:]) == values[1]).all()


def test_break_even_prices_are_the_baselines_price_times_the_ratio_of_throughput():
    found = cost.break_even(costs(), "B").set_index(["interactivity", "accelerator"])["break_even_usd"]
    assert found[0, "A"] == pytest.approx(0.9 * 1000 / 500)
    assert found[20, "A"] == pytest.approx(0.9 * 600 / 200)
    older = costs().assign(round=lambda rows: rows["accelerator"].map({"A": "v6.0", "B": "v6.1"}))
    assert set(cost.break_even(older, "B")["base_round"]) == {"v6.1"}
    with pytest.raises(ValueError, match="no baseline"):
        cost.break_even(costs(), "C")


def test_dollars_at_an_interactivity_use_the_share_of_that_use():
    curve = pd.DataFrame(
        {"accelerator": ["B200", "GB300", "X"], "interactivity": [0.0, 12.5, 12.5], "throughput": 1000.0}
    )
    curve = curve.assign(low=900.0, high=1100.0, evidence="measured")
    found = cost.per_million_tokens(curve, cost.prices()).set_index("accelerator")
    assert set(found.index) == {"B200", "GB300"}
    assert found["use"].to_dict() == {"B200": "batch", "GB300": "chat"}
    listed = cost.prices().set_index("accelerator")["usd_per_hour"]
    rack = derating.chain().set_index(["kind", "step"])["median"]["rack"]
    share = rack["delivered"] / rack["latency limit"]  # which the throughput has
    assert found.at["GB300", "served"] == pytest.approx(share, rel=1e-3)
    assert found.at["GB300", "usd_per_million"] == pytest.approx(listed["GB300"] / (1000 * share * 0.0036), rel=1e-3)
    assert found.at["B200", "usd_low"] == pytest.approx(found.at["B200", "usd_per_million"] * 1000 / 1100)


def test_the_purchase_price_breaks_even_with_the_rent():
    terms = {"residual": 0.0, "capital": 0.0, "maintenance": 0.0, "extras": 0.0, "hosting": 0.0, "staff": 0.0}
    price = cost.purchase(2.0, 1.0, used=[0.5], usd_per_kilowatt_hour=0.1, **terms)["price"]
    hours = 8760 * 0.5
    assert price.tolist() == pytest.approx([4 * (2.0 * hours - 0.1 * hours)])
    assert cost.purchase(0.01, 2.0)["price"].tolist() == [0, 0]


def test_the_terms_of_a_purchase_are_in_the_frame():
    """By hand: (90% over 4 years + 8% on the mean value + 5%) x 1.45 a year."""
    row = cost.purchase(3.70, 1.71, used=[0.5]).iloc[0]
    assert row["yearly"] == pytest.approx((0.225 + 0.044 + 0.05) * 1.45)
    assert row[["rent", "electricity", "hosting", "staff"]].tolist() == pytest.approx([16206, 748.98, 3078, 400])
    assert row["price"] == pytest.approx((16206 - 748.98 - 3078 - 400) / 0.46255)


def test_basis_says_whose_prices():
    listed = cost.prices("rental")
    assert cost.basis(listed, "rental") == f"three-year rental of {listed['quoted'].max()}"
    mixed = cost.basis(cost.prices("rental", own={"MI355X": 1.0, "B200": 3.0}), "rental")
    assert mixed == f"own for B200, MI355X, else {cost.basis(listed, 'rental')}"


def test_relative_file_of_prices_counts_from_here_else_from_the_root(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("analysis.paths.ROOT", tmp_path / "project")
    (tmp_path / "project").mkdir()
    with pytest.raises(ValueError, match=r"prices\.csv: there is no such file in .*project"):
        cost.own_prices("prices.csv")
    (tmp_path / "project" / "prices.csv").write_text("accelerator,usd_per_hour\nH100,2\n")
    assert cost.own_prices("prices.csv")["usd_per_hour"].tolist() == [2.0]
    (tmp_path / "prices.csv").write_text("accelerator,usd_per_hour\nH100,3\n")
    with pytest.raises(
        ValueError, match=r"prices\.csv: is one file in .* and another in .*project: give the whole path"
    ):
        cost.own_prices("prices.csv")
    assert cost.own_prices(tmp_path / "prices.csv")["usd_per_hour"].tolist() == [3.0]
