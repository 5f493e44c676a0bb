"""The numbers of the page on power, counted again by plain pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.reports.plain import DATA, comparable, outputs, record, table, values


def kilowatts():
    """Return the newest, lowest, and highest all-in kilowatts of accelerators by short name."""
    prices = (
        pd.read_csv(DATA / "prices.csv", keep_default_na=False).query("all_in_kilowatts != ''").sort_values("quoted")
    )
    parts = pd.read_csv(DATA / "accelerators.csv", keep_default_na=False).set_index("accelerator")["label"]
    watts = pd.to_numeric(prices["all_in_kilowatts"]).groupby(prices["accelerator"].map(parts))
    return watts.agg(["last", "min", "max"])


@pytest.mark.parametrize("model", ["GPT-OSS 120B", "Llama 2 70B"])
@pytest.mark.parametrize("scenario", ["Offline", "Server", "Interactive"])
def test_a_megawatt_is_the_newest_best_over_all_in_kilowatts(model, scenario):
    """What is measured in the newest round; a carried rate is recounted with the page on generations."""
    page = table("power_efficiency", "efficiency")
    page = page[page["model"].eq(model) & page["scenario"].eq(scenario)].set_index("accelerator")
    name = {"GPT-OSS 120B": "gpt-oss-120b", "Llama 2 70B": "llama2-70b"}[model]
    rows = comparable(name, scenario, virtual=True)
    rows = rows[rows["version"].eq(rows["version"].max())].assign(eight=rows["accelerator_count"].eq(8))
    best = (
        rows.sort_values(["eight", "each"]).drop_duplicates("accelerator", keep="last").set_index("accelerator")["each"]
    )
    shown = page.index.intersection(best.index)
    assert len(page) == 5 and len(shown) > 0 and set(page["round"][shown]) == {"v6.1"}
    watts, share = kilowatts().loc[shown], page["share"][shown].mask(page["use"][shown].eq("full load"), 1.0)
    expected = best[shown] / watts["last"] / 1000 * share
    assert page["value"][shown].to_dict() == pytest.approx(expected.to_dict())
    assert page["low"][shown].to_dict() == pytest.approx((expected * watts["last"] / watts["max"]).to_dict())
    assert page["high"][shown].to_dict() == pytest.approx((expected * watts["last"] / watts["min"]).to_dict())


def test_the_headline_spans_the_accelerators_shown():
    page = table("power_efficiency", "efficiency").query("model == 'GPT-OSS 120B'")
    server, offline = page.query("scenario == 'Server'"), page.query("scenario == 'Offline'")
    low, high = server["value"].min(), server["value"].max()
    text = next(part["text"] for part in outputs("power_efficiency") if part["kind"] == "headline")
    share = server.set_index("accelerator")["value"] / offline.set_index("accelerator")["value"]
    assert f"serves {low:.1f} to {high:.1f} million tokens/s, {share.min():.0%} to {share.max():.0%} of Offline" in text
    said = {part["name"]: part for part in outputs("power_efficiency")}
    assert f"Offline {offline['low'].min():.1f} to {offline['high'].max():.1f}" in said["range"]["text"]
    assert f"Server {server['low'].min():.1f} to {server['high'].max():.1f}" in said["range"]["text"]
    assert f"Offline {offline['value'].min():.1f} to {offline['value'].max():.1f}" in said["per_megawatt"]["title"]


def energy():
    """Return the rows of the shipped table with user speed, without those that cannot be right, judged once more."""
    rows = pd.read_csv(DATA / "inferencex_energy.csv", keep_default_na=False).assign(
        speed=lambda r: 1000 / r["tpot_ms"]
    )
    rated = rows["accelerator"].map({"H200": 700, "B200": 1000, "B300": 1100, "MI325X": 1000, "MI355X": 1400})
    wrong = rows["joules_per_output_token"] * rows["output_tokens_per_second_per_gpu"] > 1.05 * rated
    wrong |= rows["model"].eq("GPT-OSS 120B") & rows["accelerator"].eq("MI325X")
    wrong |= rows["concurrency"] * rows["speed"] > 2.5 * rows["output_tokens_per_second_per_gpu"] * rows["gpus"]
    wrong |= rows["model"].eq("Kimi K2.5") & rows["accelerator"].eq("B300") & rows["concurrency"].le(16)
    return rows[~wrong]


def test_joules_at_50_tokens_per_second_are_of_the_best_curve():
    """Curve by curve: its undominated points, log-linear between them."""
    rows = energy().query("speculative == '' and prompt_tokens == 8192")
    best = {}
    for key, curve in rows.groupby(["model", "accelerator", "engine", "precision", "locator"]):
        curve = curve.sort_values("speed", ascending=False)
        curve = curve[curve["joules_per_output_token"].eq(curve["joules_per_output_token"].cummin())][::-1]
        if curve["speed"].iloc[0] <= 50 <= curve["speed"].iloc[-1]:
            joules = np.exp(np.interp(50, curve["speed"], np.log(curve["joules_per_output_token"])))
            best[key[:2]] = min(joules, best.get(key[:2], joules))
    page = table("power_efficiency", "joules").set_index(["model", "accelerator"])["joules"]
    assert page.to_dict() == pytest.approx({key: best[key] for key in page.index})
    gpt = page["GPT-OSS 120B"].round(2)
    assert gpt.to_dict() == {"B200": 0.23, "MI355X": 0.36, "H200": 0.61}
    assert page["MiniMax M2.5", "B200"] / page["MiniMax M2.5", "B300"] < 1.14  # a tie


def test_left_out_rows_are_listed():
    page = table("power_efficiency", "left_out")
    assert len(page) == 37 and len(energy()) == 595 - 37
    assert page[page["model"].eq("GPT-OSS 120B")]["accelerator"].value_counts().to_dict() == {"MI325X": 18, "H200": 2}


def test_a_token_at_part_load():
    """InferenceX's curves once more, PowerX's are too few; ML.ENERGY's from the handed-over runs, where they are."""
    rows = energy().rename(columns={"output_tokens_per_second_per_gpu": "out", "joules_per_output_token": "joules"})
    power = pd.read_csv(DATA / "energy_per_token.csv").query("source_id == 'inferencex-powerx'")
    power = power[power["configuration"].str.contains("agg-") & ~power["configuration"].str.contains("disagg")]
    power = power.assign(joules=power["joules_per_output_token"])
    power["out"] = power["watts_per_gpu"] / power["joules"]
    keys = ["model", "accelerator", "engine", "precision", "speculative", "prompt_tokens", "locator"]
    median = at_tenth(rows, keys).median()
    assert len(at_tenth(power, ["configuration"])) == 2  # of which there is no median
    shipped = pd.read_csv(DATA / "part_load.csv").set_index("load")["median"][0.1]
    title = next(part["title"] for part in outputs("power_efficiency") if part["name"] == "part_load")
    assert f"At 10% load a token costs {median:.1f}x to {shipped:.1f}x" in title
    assert (round(median, 1), round(shipped, 1)) == (6.1, 7.8)
    file = DATA.parents[1] / "shared" / "evidence" / "mlenergy_v3_runs.csv"
    if not file.exists():
        pytest.skip(f"{file} is not there")
    runs = pd.read_csv(file).query("task in ['lm-arena-chat', 'gpqa']")
    runs = runs.rename(columns={"energy_per_token_joules": "joules", "output_throughput_tokens_per_sec": "out"})
    keys = ["task", "nickname", "gpu_model", "num_gpus", "weight_precision"]
    found = at_tenth(runs, [*keys, "tensor_parallel", "expert_parallel", "data_parallel"])
    assert (len(found), found.median()) == (36, pytest.approx(shipped, abs=0.001))


def at_tenth(rows, keys):
    """Return joules at a tenth of the highest throughput over those there, of each curve that reaches down to it."""
    found = []
    for _, curve in rows.groupby(keys):
        curve = curve.sort_values("out")
        if len(curve) > 3 and curve["out"].iloc[0] <= 0.1 * curve["out"].iloc[-1]:
            load = np.log(curve["out"] / curve["out"].iloc[-1])
            joules = np.log(curve["joules"])
            found.append(np.exp(np.interp(np.log(0.1), load, joules) - joules.iloc[-1]))
    return pd.Series(found)


def test_at_the_wall_is_throughput_over_measured_watts():
    rows = record().query("benchmark == 'llama2-70b' and scenario == 'Offline' and power_measured")
    rows = rows[rows["division"].eq("closed") & rows["duplicate_of"].eq("") & rows["power_watts_low"].notna()]
    best = (rows["rate"] / rows["power_watts_low"]).groupby(rows["accelerator"]).max()
    title = next(part["title"] for part in outputs("power_efficiency") if part["name"] == "at_the_wall")
    assert title.endswith(", ".join(best.sort_values(ascending=False).index[:3]))
    assert best["B200"] == pytest.approx(9.89, abs=0.005)


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
    assert values("power_efficiency")["power_cap"] == pytest.approx(kept[h200].min())
    said = next(part["text"] for part in outputs("power_efficiency") if part["name"] == "power_cap")
    cap, kept = (pairs["power_limit_watts"] / pairs["rated"])[h200], kept[h200]
    assert f"H200 at {cap.min():.0%} to {cap.max():.0%} of its rated limit keeps {kept.min():.0%} to " in said
    assert f"{kept.max():.0%} of throughput" in said  # caps differ, so medians of the two would not belong together
    unit = ["submitter", "accelerator", "chassis"]
    machines = pairs[h200].groupby(unit).ngroups
    assert (machines, h200.sum()) == (1, 11)  # benchmarks of one machine are not independent
    assert f"machines: {machines}, pairs: {h200.sum()}" in said
    title = next(part["title"] for part in outputs("power_efficiency") if part["name"] == "power_caps")
    assert title.endswith(f"machines: {pairs.groupby(unit).ngroups}")


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
    page = table("power_efficiency", "provisioned").query("accelerator == 'B200'").set_index("cooling")
    assert page["highest_kw"].tolist() == pytest.approx(highest.set_axis(cooling)[page.index].tolist(), abs=0.001)
    assert page["provisioned_kw"].tolist() == pytest.approx(provisioned.set_axis(cooling)[page.index].tolist())
