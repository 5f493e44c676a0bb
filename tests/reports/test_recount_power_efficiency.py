"""The numbers of the page on power, counted again by plain pandas."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.reports.plain import DATA, comparable, newest_prices, outputs, record, table, values


@pytest.mark.parametrize(("benchmark", "model"), [("gpt-oss-120b", "GPT-OSS 120B"), ("llama2-70b", "Llama 2 70B")])
@pytest.mark.parametrize("scenario", ["Offline", "Interactive"])
def test_modeled_efficiency_is_the_newest_best_over_all_in_kilowatts(benchmark, model, scenario):
    rows = comparable(benchmark, scenario, virtual=True).query("version >= 5.0")
    rows = rows.assign(eight=rows["accelerator_count"].eq(8)).sort_values(["eight", "version", "each"])
    newest = rows.drop_duplicates("accelerator", keep="last").set_index("accelerator")["each"]
    expected = (newest / newest_prices("all_in_kilowatts").reindex(newest.index) / 1000).dropna()
    page = table("power_efficiency", "efficiency")
    page = page[page["model"].eq(model) & page["scenario"].eq(scenario) & page["modeled"]]
    page = page.set_index("accelerator")["efficiency"]
    assert set(page.index) == set(expected.index)
    assert page.to_dict() == pytest.approx(expected.to_dict())


def test_at_the_wall_is_throughput_over_measured_watts():
    rows = record().query("benchmark == 'llama2-70b' and scenario == 'Offline' and power_measured")
    rows = rows[rows["division"].eq("closed") & rows["duplicate_of"].eq("") & rows["power_watts_low"].notna()]
    best = (rows["rate"] / rows["power_watts_low"]).groupby(rows["accelerator"]).max()
    page = table("power_efficiency", "efficiency")
    page = page[~page["modeled"]].set_index("accelerator")["efficiency"]
    assert page.to_dict() == pytest.approx(best.to_dict(), rel=1e-6)


def test_the_cap_is_the_median_of_capped_over_uncapped_runs():
    rows = record()
    rows = rows[rows["division"].eq("closed") & rows["suite"].str.contains("datacenter") & rows["duplicate_of"].eq("")]
    rows = rows[rows["availability"].eq("available") & rows["hypervisor"].eq("") & rows["metric"].eq("throughput")]
    rows = rows[rows["scenario"].eq("Offline") & rows["accelerator"].ne("mixed")]
    name = rows["system"].str.replace(r",? ?\b(MaxQ|EE|PP)\b| ?\([^()]*Power Cap[^()]*\)", "", regex=True)
    rows = rows.assign(chassis=name.str.replace(r"[ ,]+", "", regex=True))
    capped = rows[rows["power_limit_watts"].lt(rows["rated"])]
    free = rows[~rows["power_measured"] & ~rows["power_limit_watts"].lt(rows["rated"])]
    free = free[~free["system"].str.contains(r"\b(?:MaxQ|EE|PP)\b|Power Cap")]
    keys = ["round", "submitter", "accelerator", "accelerator_count", "benchmark", "accuracy_target", "chassis"]
    pairs = capped.merge(free.groupby(keys)["low"].max().rename("uncapped").reset_index(), on=keys)
    assert len(pairs) == 77
    kept = pairs["low"] / pairs["uncapped"]
    h200 = pairs["accelerator"].eq("H200")
    assert values("power_efficiency")["power_cap"] == pytest.approx(kept[h200].median())
    said = next(part["text"] for part in outputs("power_efficiency") if part["name"] == "power_cap")
    cap = pairs["power_limit_watts"] / pairs["rated"]
    assert f"H200 at {cap[h200].median():.0%} of its rated limit keeps {kept[h200].median():.0%}" in said
    assert f"median of {h200.sum()} pairs" in said
    newest = pairs["version"].idxmax()
    assert pairs.at[newest, "accelerator"] == "MI355X" and pairs["version"].eq(pairs["version"].max()).sum() == 1
    assert f"MI355X at {cap[newest]:.0%} of its rated limit keeps {kept[newest]:.0%}" in said


def test_the_headline_spans_the_newest_accelerators():
    page = table("power_efficiency", "efficiency").query("model == 'GPT-OSS 120B' and modeled")
    newest = page[page["accelerator"].isin(["GB300", "B300", "GB200", "B200", "MI355X"])]
    ends = newest.groupby("scenario")["efficiency"].agg(["min", "max"])
    assert values("power_efficiency")["answer"] == pytest.approx(ends.at["Offline", "max"])
    text = next(part["text"] for part in outputs("power_efficiency") if part["kind"] == "headline")
    spans = ends.map("{:.2g}".format).agg(" to ".join, axis=1)
    assert f"{spans['Offline']} million tokens/s Offline, {spans['Interactive']} Interactive" in text


def test_a_megawatt_year():
    assert values("power_efficiency")["megawatt_year"] == pytest.approx(0.10 * 1000 * 24 * 365)


def test_two_servers_of_b200_differ_in_cooling_and_drew_less_than_provisioned():
    """Of language models Offline the one with air drew 10.4 kW, the one with liquid 9.4 to 9.9; neither is capped.

    Provisioned: two processors, eight GPUs of 1,000 W, and NVLink at 5 pJ/bit, times 1.5 with air or 1.3 with liquid.
    """
    rows = record().query("accelerator == 'B200' and accelerator_count == 8 and power_measured and round == 'v5.1'")
    assert rows["power_limit_watts"].isna().all() and not rows["system"].str.contains("MaxQ").any()
    offline = rows[rows["scenario"].eq("Offline") & rows["benchmark"].str.startswith("llama")]
    drew = offline.groupby("system")["power_watts_high"].agg(["min", "max"]) / 1000
    assert drew.to_numpy().ravel() == pytest.approx([10.40, 10.40, 9.44, 9.89], abs=0.01)
    highest = rows.groupby("system")["power_watts_high"].max() / 1000
    hardware = pd.read_csv(DATA / "system_hardware.csv").query("round == 'v5.1'").drop_duplicates("system")
    cooling = hardware.set_index("system")["cooling"].reindex(highest.index)
    assert cooling.tolist() == ["air", "liquid"]
    watts = pd.read_csv(DATA / "component_power.csv").set_index("component")["rated_watts"]
    processors = hardware.set_index("system")["processor"].map(watts).reindex(highest.index)
    provisioned = (2 * processors + 8 * 1000 + 8 * 14.4 * 5) * cooling.map({"air": 1.5, "liquid": 1.3}) / 1000
    assert (provisioned - highest).tolist() == pytest.approx([3.47, 2.17], abs=0.01)  # the 4.14 kW are of a capped H100
    title = next(part["title"] for part in outputs("power_efficiency") if part["name"] == "provisioned")
    assert title == f"2 uncapped servers drew at most {(highest / provisioned).max():.0%} of their provisioned power"
