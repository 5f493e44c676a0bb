"""The numbers of the page on power, counted again by plain pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.reports.plain import DATA, accelerators, comparable, data, energy, fastest, record, said, table, values

PAGE = "power_efficiency"


@pytest.mark.parametrize(("model", "name"), [("GPT-OSS 120B", "gpt-oss-120b"), ("Llama 2 70B", "llama2-70b")])
@pytest.mark.parametrize("scenario", ["Offline", "Server", "Interactive"])
def test_a_megawatt_is_the_newest_best_over_all_in_kilowatts(model, name, scenario):
    """What is measured in the newest round; a carried rate is recounted with the page on generations."""
    page = table(PAGE, "efficiency").query("model == @model and scenario == @scenario").set_index("accelerator")
    rows = comparable(name, scenario, virtual=True)
    best = fastest(rows[rows["version"].eq(rows["version"].max())])["each"]
    shown = page.loc[page.index.intersection(best.index)]
    assert len(page) == 5 and len(shown) > 0 and set(shown["round"]) == {"v6.1"}
    prices = data("prices", texts=True).query("all_in_kilowatts != ''").sort_values("quoted")
    watts = pd.to_numeric(prices["all_in_kilowatts"]).groupby(prices["accelerator"].map(accelerators()))
    watts = watts.agg(["last", "min", "max"]).loc[shown.index]
    delivered = best[shown.index] / 1000 * shown["share"].mask(shown["use"].eq("full load"), 1.0)
    for column, divisor in {"value": "last", "low": "max", "high": "min"}.items():
        assert shown[column].to_dict() == pytest.approx((delivered / watts[divisor]).to_dict())


def test_the_headline_spans_the_accelerators_shown():
    page = table(PAGE, "efficiency").query("model == 'GPT-OSS 120B'").set_index("accelerator")
    server, offline = page.query("scenario == 'Server'"), page.query("scenario == 'Offline'")
    (low, high), (least, most) = (each["value"].agg(["min", "max"]) for each in (server, offline))
    share, parts = server["value"] / offline["value"], said(PAGE)
    text = f"serves {low:.1f} to {high:.1f} million tokens/s, {share.min():.0%} to {share.max():.0%} of Offline"
    assert text in parts["answer"]["text"]
    assert f"Offline {least:.1f} to {most:.1f}" in parts["per_megawatt"]["title"]
    for name, part in (("Offline", offline), ("Server", server)):
        assert f"{name} {part['low'].min():.1f} to {part['high'].max():.1f}" in parts["range"]["text"]


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
    page = table(PAGE, "joules").set_index(["model", "accelerator"])["joules"]
    assert page.to_dict() == pytest.approx({key: best[key] for key in page.index})
    assert page["GPT-OSS 120B"].round(2).to_dict() == {"B200": 0.23, "MI355X": 0.36, "H200": 0.61}
    assert page["MiniMax M2.5", "B200"] / page["MiniMax M2.5", "B300"] < 1.14  # a tie


def test_left_out_rows_are_listed():
    """As many as are judged once more in `energy`."""
    page = table(PAGE, "left_out")
    assert len(page) == 37
    assert page.query("model == 'GPT-OSS 120B'")["accelerator"].value_counts().to_dict() == {"MI325X": 18, "H200": 2}


def test_a_token_at_part_load():
    """InferenceX's curves once more, PowerX's are too few; ML.ENERGY's from the handed-over runs, where they are."""
    rows = energy().rename(columns={"output_tokens_per_second_per_gpu": "out", "joules_per_output_token": "joules"})
    power = data("energy_per_token").query("source_id == 'inferencex-powerx'")
    power = power[power["configuration"].str.contains("(?<!dis)agg-")]
    power = power.assign(joules=power["joules_per_output_token"])
    power["out"] = power["watts_per_gpu"] / power["joules"]
    keys = ["model", "accelerator", "engine", "precision", "speculative", "prompt_tokens", "locator"]
    median = at_tenth(rows, keys).median()
    assert len(at_tenth(power, ["configuration"])) == 2  # of which there is no median
    shipped = data("part_load").set_index("load")["median"][0.1]
    assert f"At 10% load a token costs {median:.1f}x to {shipped:.1f}x" in said(PAGE)["part_load"]["title"]
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
        load, joules = curve["out"] / curve["out"].iloc[-1], np.log(curve["joules"])
        if len(curve) > 3 and load.iloc[0] <= 0.1:
            found.append(np.exp(np.interp(np.log(0.1), np.log(load), joules) - joules.iloc[-1]))
    return pd.Series(found)


def test_at_the_wall_is_throughput_over_measured_watts():
    rows = record().query("benchmark == 'llama2-70b' and scenario == 'Offline' and power_measured")
    rows = rows.query("division == 'closed' and duplicate_of == ''").dropna(subset="power_watts_low")
    best = (rows["rate"] / rows["power_watts_low"]).groupby(rows["accelerator"]).max()
    assert said(PAGE)["at_the_wall"]["title"].endswith(", ".join(best.nlargest(3).index))
    assert best["B200"] == pytest.approx(9.89, abs=0.005)


def test_the_cap_is_the_median_of_capped_over_uncapped_runs():
    rows = record().query(
        "division == 'closed' and availability == 'available' and metric == 'throughput' and scenario == 'Offline'"
        " and duplicate_of == '' and hypervisor == '' and accelerator != 'mixed'"
    )
    rows = rows[rows["suite"].str.contains("datacenter")]
    name = rows["system"].str.replace(r",? ?\b(MaxQ|EE|PP)\b| ?\([^()]*Power Cap[^()]*\)", "", regex=True)
    rows = rows.assign(chassis=name.str.replace(r"[ ,]+", "", regex=True))
    free = rows.query("not power_measured and not power_limit_watts < rated")
    free = free[~free["system"].str.contains(r"\b(?:MaxQ|EE|PP)\b|Power Cap")]
    keys = ["round", "submitter", "accelerator", "accelerator_count", "benchmark", "accuracy_target", "chassis"]
    uncapped = free.groupby(keys)["low"].max().rename("uncapped").reset_index()
    pairs = rows.query("power_limit_watts < rated").merge(uncapped, on=keys)
    own = pairs.query("accelerator == 'H200'")
    cap, kept = own["power_limit_watts"] / own["rated"], own["low"] / own["uncapped"]
    machines, every = (each.groupby(["submitter", "accelerator", "chassis"]).ngroups for each in (own, pairs))
    assert (len(pairs), len(own), machines) == (77, 11, 1)  # benchmarks of one machine are not independent
    text = said(PAGE)["power_cap"]["text"]
    assert values(PAGE)["power_cap"] == pytest.approx(kept.min())
    # Caps differ, so medians of the two would not belong together.
    assert f"H200 at {cap.min():.0%} to {cap.max():.0%} of its rated limit keeps {kept.min():.0%} to " in text
    assert f"{kept.max():.0%} of throughput" in text and f"machines: {machines}, pairs: {len(own)}" in text
    assert said(PAGE)["power_caps"]["title"].endswith(f"machines: {every}")


def test_a_megawatt_year():
    assert values(PAGE)["megawatt_year"] == pytest.approx(0.10 * 1000 * 24 * 365)


def test_two_servers_of_b200_differ_in_cooling_and_drew_less_than_provisioned():
    """Of language models Offline the one with air drew 10.4 kW, the one with liquid 9.4 to 9.9; neither is capped.

    Provisioned: two processors, eight GPUs of 1,000 W, and NVLink at 5 pJ/bit, times 1.5 with air or 1.3 with liquid.
    """
    rows = record().query("accelerator == 'B200' and accelerator_count == 8 and power_measured and round == 'v5.1'")
    assert rows["power_limit_watts"].isna().all() and not rows["system"].str.contains("MaxQ").any()
    offline = rows[rows["scenario"].eq("Offline") & rows["benchmark"].str.startswith("llama")]
    drew = offline.groupby("system")["power_watts_high"].agg(["min", "max"]) / 1000
    assert drew.to_numpy().ravel() == pytest.approx([10.40, 10.40, 9.44, 9.89], abs=0.01)
    found = (rows.groupby("system")["power_watts_high"].max() / 1000).rename("highest_kw").reset_index()
    hardware = data("system_hardware").query("round == 'v5.1'").drop_duplicates("system")
    found = found.merge(hardware, on="system").set_index("cooling")
    assert found.index.tolist() == ["air", "liquid"]
    processors = found["processor"].map(data("component_power").set_index("component")["rated_watts"])
    found["provisioned_kw"] = (2 * processors + 8 * 1000 + 8 * 14.4 * 5) * [1.5, 1.3] / 1000
    # The 4.14 kW are of a capped H100.
    assert (found["provisioned_kw"] - found["highest_kw"]).tolist() == pytest.approx([3.47, 2.17], abs=0.01)
    page = table(PAGE, "provisioned").query("accelerator == 'B200'").set_index("cooling")
    for column in ("highest_kw", "provisioned_kw"):
        assert page[column].to_dict() == pytest.approx(found[column].to_dict(), abs=0.001)
