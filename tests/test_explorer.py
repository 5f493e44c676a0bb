"""The explorer's rows and the text that its page carries, by small frames and by the record."""

import base64
import gzip
import json

import numpy as np
import pandas as pd
import pytest

from analysis import comparable, cost, current, derating, explorer, load_results
from analysis.charts import theme
from analysis.explorer import page

TWO = ["gpt-oss-120b", "llama2-70b"]


def of_two():
    """The results of two models: curves of each model take most of a second."""
    results = load_results()
    return results[results["benchmark"].isin(TWO)]


@pytest.fixture(scope="module")
def rows():
    return explorer.rows()


@pytest.fixture
def shown(monkeypatch):
    """What `show` displays of rows: its bundle and its data."""
    got = {}
    monkeypatch.setattr(page, "display", lambda data, metadata, raw: got.update(bundle=data, **metadata["analysis"]))

    def show(rows, *start):
        now = current(comparable(benchmark=TWO))
        explorer.show(rows, explorer.curves(of_two()), now, *start)
        return got, now

    return show


def unpacked(text):
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_each_result_is_a_row_once(rows):
    assert sorted(rows["id"]) == sorted(load_results()["id"])
    assert rows["round"].is_monotonic_decreasing
    assert rows.loc[0, ["division", "scenario"]].tolist() == ["closed", "Offline"]


def test_software_is_a_product_without_its_version(rows):
    found = rows.drop_duplicates("framework").set_index("framework")["software"]
    assert not found.str.contains(r"feat/|==|=$|[.]$").any()
    assert found[found.index.str.startswith("TensorRT-LLM feat/")].isin(["TensorRT-LLM", "NVIDIA Dynamo"]).all()


def test_a_second_filing_of_a_run_and_mixed_accelerators_are_comparable_with_none(rows):
    assert rows.loc[rows["duplicate_of"].ne("") & rows["target"].eq(""), "excluded"].str.startswith("same run").all()
    assert rows.loc[rows["accelerator"].eq("mixed"), "excluded"].ne("").all()
    out = rows[rows["excluded"].ne("")]
    assert out[["rate", "rate_per_accelerator", "latency_ms", "usd_per_million", "per_kilowatt"]].isna().all(axis=None)
    able = rows[rows["excluded"].eq("")]
    assert (able["rate_per_accelerator"].notna() ^ able["latency_ms"].notna()).all()


def test_cost_and_kilowatts_are_those_of_the_newest_prices():
    results = load_results()
    row = explorer.rows(results, cost.prices()).query("accelerator == 'B200' and benchmark == 'llama2-70b'").iloc[0]
    price = cost.prices().set_index("accelerator").loc["B200"]
    assert row["per_kilowatt"] == pytest.approx(row["rate_per_accelerator"] / price["kilowatts"])
    served = derating.served(pd.DataFrame([row.to_dict() | {"interactivity": 0.0}]))["share"].iloc[0]
    per_hour = row["rate_per_accelerator"] * 3600 * served
    assert row["scenario"] == "Offline"
    assert row["usd_per_million"] == pytest.approx(price["usd_per_hour"] / per_hour * 1e6)


def test_a_result_costs_what_its_scenario_s_limit_leaves(rows):
    fast = rows.query("benchmark == 'gpt-oss-120b' and accelerator == 'GB300' and scenario == 'Interactive'").iloc[0]
    factors = derating.chain("interactive").set_index(["kind", "step"])["median"]["rack"]
    served = factors["delivered"] / factors["latency limit"]
    usd = cost.prices().set_index("accelerator").at["GB300", "usd_per_hour"]
    assert fast["usd_per_million"] == pytest.approx(usd / (fast["rate_per_accelerator"] * served * 0.0036), rel=1e-3)
    assert rows.loc[rows["benchmark"].eq("resnet50"), "usd_per_million"].isna().all()


def test_curves_are_of_the_whole_ladder_and_rest_on_a_result(rows):
    curves = explorer.curves(of_two(), fleet="pooled")
    b200 = curves.query("benchmark == 'gpt-oss-120b' and accelerator == 'B200'").set_index("interactivity")
    assert {0, 12.5, 25, 50, 66.7} <= set(b200.index)
    assert b200.loc[[0, 25, 100], "evidence"].tolist() == ["measured", "interpolated", "estimated"]
    assert (b200["throughput"].diff().dropna() <= 0).all()
    assert (b200["low"] <= b200["throughput"]).all() and (b200["throughput"] <= b200["high"]).all()
    usd = cost.prices().set_index("accelerator").at["B200", "usd_per_hour"]
    own = b200.loc[66.7]
    factors = derating.chain("interactive", "pooled").set_index(["kind", "step"])["median"]["TensorRT-LLM node to vLLM"]
    served = factors["delivered"] / factors["latency limit"]  # on TensorRT-LLM, one node, bare metal
    present = current(comparable(benchmark="gpt-oss-120b", scenario="Interactive")).set_index("accelerator")
    compared = present.at["B200", "rate"]  # carried from v6.0; the throughput beside the cost is as measured
    assert own["throughput"] == pytest.approx(present.at["B200", "last_rate"])
    assert own["usd_per_million"] == pytest.approx(usd / (compared * served * 0.0036), rel=1e-3)
    assert own["usd_low"] < own["usd_per_million"] < own["usd_high"]
    behind = rows.set_index("id").loc[curves["id"]]
    assert behind["benchmark"].tolist() == curves["benchmark"].tolist()
    assert behind["accelerator"].tolist() == curves["accelerator"].tolist()


def test_energy_is_power_over_rate_and_of_streams_that_of_a_query(rows):
    metered = rows[rows["power_watts"].notna() & rows["rate"].notna() & rows["benchmark"].eq("llama2-70b")].iloc[0]
    assert metered["joules"] == pytest.approx(metered["power_watts"] / metered["rate"])
    stream = rows[rows["latency_ms"].notna() & rows["energy_millijoules_per_query"].notna()].iloc[0]
    assert stream["joules"] == pytest.approx(stream["energy_millijoules_per_query"] / 1000)


def test_videos_are_counted_by_the_hour_but_their_energy_by_the_video(rows):
    videos = rows[rows["benchmark"].eq("wan-2.2-t2v-a14b") & rows["rate"].notna()]
    published = load_results().set_index("id").loc[videos["id"]]
    assert videos["rate"].to_numpy() == pytest.approx(3600 * published["rate"].to_numpy())
    assert set(videos["rate_unit"]) == {"videos/hour"}
    metered = videos[videos["joules"].notna()]
    assert metered["joules"].to_numpy() == pytest.approx((metered["power_watts"] / metered["rate"] * 3600).to_numpy())


def test_packed_columns_are_the_frame(rows):
    some = rows.iloc[::97][["round", "benchmark", "rate", "power_capped", "system"]]
    held = unpacked(page.packed(some, short=True))
    for name in ("round", "benchmark", "system"):
        assert [held[name]["values"][place] for place in held[name]["places"]] == some[name].astype(str).tolist()
    assert held["round"]["values"] == [r for r in rows["round"].cat.categories if r in set(some["round"])]
    assert held["benchmark"]["values"] == sorted(held["benchmark"]["values"], key=str.casefold)
    rates = pd.Series(held["rate"], index=some.index, dtype="float64")
    assert rates.isna().equals(some["rate"].isna())
    assert rates.dropna().to_numpy() == pytest.approx(some["rate"].dropna().to_numpy(), rel=1e-8)
    exact = unpacked(page.packed(some[["rate"]], short=False))["rate"]
    assert [each for each in exact if each is not None] == some["rate"].dropna().tolist()
    assert page.packed(some, short=True) == page.packed(some, short=True)


def test_a_link_names_the_view_and_what_is_chosen():
    assert explorer.link("table", benchmark="bert", round=["v5.0", "v5.1"]) == (
        "explorer.html#view=table&benchmark=bert&round=v5.0&round=v5.1"
    )
    with pytest.raises(ValueError, match="did you mean 'ranked'"):
        explorer.link("rank")
    with pytest.raises(ValueError, match="no filter 'model'"):
        explorer.link(model="bert")


def test_an_output_carries_the_data_for_a_page_and_says_what_it_is(rows, shown):
    some = rows[rows["benchmark"].isin(TWO)]
    got, now = shown(some, explorer.link("matrix", scenario="Offline"))
    assert got["bundle"][page.MIME]["kind"] == "explorer"
    about = json.loads(got["data"]["record-about"])
    assert about["start"] == "view=matrix&scenario=Offline"
    assert about["inks"]["GB300"].startswith(f"--light:{theme.color('GB300')};")
    assert set(some["source_id"]) == set(about["sources"])
    assert about["published"]["v6.1"] == "2026-09-16"
    held = unpacked(got["data"]["record-first"]) | unpacked(got["data"]["record-rest"])
    assert set(held) == {column["name"] for column in page.layout()["columns"]}
    present = unpacked(got["data"]["record-present"])
    last = some.iloc[present["row"]]
    assert last["id"].tolist() == now["id"].tolist()
    for name in ("rate", "low", "high"):
        factor = 1 if name == "rate" else np.array(present[name])
        rates = last["rate_per_accelerator"] * present["gain"] * factor
        assert rates.to_numpy() == pytest.approx(now[name].to_numpy())


def test_text_of_the_record_cannot_end_the_element_that_holds_it():
    held = page.document({"record-about": "</script><script>alert(1)</script>"})
    assert "<script>alert" not in held
