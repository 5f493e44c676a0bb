"""Power by hand: efficiency, caps, provisioned kilowatts, and dollars."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import power
from analysis.compare import NoData
from tests.frames import results

PRICES = pd.DataFrame({"accelerator": ["B200"], "kilowatts": [2.0], "usd_per_hour": [2.5]})
NAN = float("nan")


def test_modeled_efficiency_is_the_newest_best_over_all_in_kilowatts():
    rows = results(
        {"round": "v6.0", "rate": 80000.0}, {"rate": 64000.0}, {"rate": 32000.0, "submitter": "B"},
        {"accelerator": "MI355X", "rate": 90000.0},
    )  # fmt: skip
    found = power.per_megawatt(rows, "llama2-70b", PRICES, "v6.0", ["Offline", "Server"])
    assert found["accelerator"].tolist() == ["B200"]  # MI355X has no kilowatts here
    assert found["efficiency"].tolist() == [64000 / 8 / 2 / 1000]
    assert (found["low"].iloc[0], found["submitters"].iloc[0]) == (2.0, 2)


def test_no_accelerator_with_kilowatts_is_no_data():
    with pytest.raises(NoData, match="Llama 2 70B Server"):
        power.per_megawatt(results({"accelerator": "X"}), "llama2-70b", PRICES, "v6.0", ["Server"])
    with pytest.raises(NoData, match="kilowatts"):
        power.per_megawatt(results({"accelerator": "X"}), "llama2-70b", PRICES, "v6.0", ["Offline"])
    with pytest.raises(ValueError, match=r"no round .v7\.0."):
        power.per_megawatt(results({}), "llama2-70b", PRICES, "v7.0", ["Offline"])


def test_at_the_wall_the_best_submission_counts():
    rows = results(
        {"power_measured": True, "power_watts": 10.0},
        {"power_measured": True, "power_watts": 8.0, "submitter": "B"},
        {},
    )
    assert power.at_the_wall(rows)["efficiency"].tolist() == [10.0]
    with pytest.raises(NoData, match="no power submission of BERT Offline; there are some of llama2-70b"):
        power.at_the_wall(rows, "bert")


def test_a_benchmark_that_counts_samples_has_no_tokens_per_joule():
    watts = {"power_measured": True, "power_watts": 8.0, "rate_unit": "queries/s", "model": "ResNet-50"}
    rows = results({"rate_unit": "queries/s", "model": "ResNet-50"}, watts)
    with pytest.raises(NoData, match="ResNet-50 counts queries/s, not tokens"):
        power.per_megawatt(rows, "llama2-70b", PRICES, "v6.0", ["Offline"])
    with pytest.raises(NoData, match="ResNet-50 counts queries/s, not tokens"):
        power.at_the_wall(rows, "llama2-70b")


def test_a_capped_run_is_paired_with_the_free_run_of_its_machine():
    capped = {
        "power_measured": True,
        "power_limit_watts": 500.0,
        "power_watts": 6000.0,
        "rate": 80.0,
        "system": "DGX, MaxQ",
    }
    rows = results({"rate": 100.0, "system": "DGX"}, capped, {**capped, "submitter": "B"}).assign(rated_watts=700.0)
    pairs = power.cap_pairs(rows)
    assert len(pairs) == 1  # submitter B has no free run
    assert (pairs["kept"].iloc[0], pairs["cap"].iloc[0]) == pytest.approx((0.8, 500 / 700))
    gain = power.cap_effect(pairs).iloc[0]
    assert gain["rest_watts"] == 2000.0
    assert gain["gain"] == pytest.approx(0.8 * (6000 + 8 * 200) / 6000)


def test_a_cap_in_the_name_of_a_system_is_not_part_of_the_machine():
    capped = {
        "power_limit_watts": 1000.0,
        "rate": 84.0,
        "system": "XE9785 (MI355X Power Cap 1000W)",
        "power_watts": NAN,
    }
    rows = results({"rate": 100.0, "system": "XE9785"}, capped).assign(rated_watts=1400.0)
    pairs = power.cap_pairs(rows)
    assert pairs["kept"].tolist() == [0.84]
    words = f"{pairs['accelerator'].iloc[0]} at 71% of its rated limit keeps 84% of throughput"
    assert power.cap_in_words(pairs) == f"{words} (one pair, {pairs['round'].iloc[0]})"
    assert power.cap_in_words(pd.concat([pairs, pairs])) == f"{words} (median of 2 pairs)"


def test_provisioned_power_of_an_air_cooled_b200_server():
    """Two processors of up to 64 cores, eight B200, and NVLink 5, times 1.5; the network at 5 pJ/bit."""
    nodes = power.nodes(results({}).assign(power_watts=NAN))
    b200 = nodes[nodes["accelerator"].eq("B200") & nodes["cooling"].eq("air") & nodes["round"].eq("v5.1")].iloc[0]
    processors = {"x86, up to 64 cores": 350, "x86, more than 64 cores": 500}[b200["processor"]]
    assert b200["provisioned_kw"] == pytest.approx((2 * processors + 8 * 1000 + 14.4 * 8 * 5) * 1.5 / 1000)


def test_servers_of_one_accelerator_stay_apart_by_cooling():
    """Of two with air that with more runs; 10.4 kW with air and 9.9 with liquid are two bars, not a range."""
    columns = ["accelerator", "cooling", "round", "runs", "highest_kw", "lowest_kw", "provisioned_kw", "capped"]
    rows = [
        ("B200", "air", "v5.1", 5, 10.4, 7.6, 13.9, False),
        ("B200", "air", "v6.0", 0, NAN, NAN, 13.9, False),
        ("B200", "liquid", "v5.1", 7, 9.9, 7.5, 12.1, False),
    ]
    found = power.newest_nodes(pd.DataFrame(rows, columns=columns).assign(submitter="S"), ["B200"])
    bars = power.provisioned_and_drawn(found)
    drew = bars[~bars["provisioned"]].set_index("server")["kw"]
    assert drew.to_dict() == {"B200 air, S v5.1": 10.4, "B200 liquid, S v5.1": 9.9}


def test_dollars_of_a_megawatt_year_and_their_share():
    assert power.usd_per_megawatt_year(0.10) == pytest.approx(876_000)
    assert power.power_share(PRICES, 0.10).tolist() == pytest.approx([0.08])
    with pytest.raises(ValueError, match="usd_per_kilowatt_hour"):
        power.usd_per_megawatt_year(1e308)


def test_a_headline_of_another_unit_has_no_exponents():
    modeled = pd.DataFrame({"scenario": ["Offline", "Offline", "Interactive"], "efficiency": [6690.0, 7800.0, 960.0]})
    assert power.in_words(modeled, "thousand tokens/s") == "6,700 to 7,800 thousand tokens/s Offline, 960 Interactive"


def test_the_title_compares_racks_with_smaller_systems_in_interactive():
    """5 of GB200 over 2 of a GB300 of four, which is no rack; Offline does not count."""
    rows = [
        ("GB300", 72, "Interactive", 4.0), ("GB200", 72, "Interactive", 5.0), ("GB300", 72, "Offline", 90.0),
        ("B200", 8, "Interactive", 1.0), ("GB300", 4, "Interactive", 2.0),
    ]  # fmt: skip
    modeled = pd.DataFrame(rows, columns=["accelerator", "accelerator_count", "scenario", "efficiency"])
    assert power.racks_in_words(modeled).startswith("the best rack serves 2.5x the Interactive tokens")
    assert power.racks_in_words(modeled[:3]) == "tokens per megawatt by accelerator"


def test_efficiency_in_words_has_a_range_per_scenario():
    rows = pd.DataFrame({"scenario": ["Interactive", "Offline", "Offline"], "efficiency": [1.04, 7.8, 6.66]})
    assert power.in_words(rows) == "6.7 to 7.8 million tokens/s Offline, 1 Interactive"


def test_energy_in_words_is_over_the_ends_of_the_load():
    best = pd.DataFrame({"concurrency": [1, 1024, 64], "joules_per_output_token": [30.0, 1.5, 3.0]})
    assert power.energy_in_words(best) == "Energy per token falls 20-fold from 1 to 1,024 requests in flight"
