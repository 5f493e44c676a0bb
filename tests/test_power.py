"""Power by hand: efficiency, caps, provisioned kilowatts, and dollars."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import derating, power, tables
from tests.frames import results

NAN = float("nan")


RATES = {"benchmark": "gpt-oss-120b", "accelerator": "B200", "rate": 8000.0, "low": 8000.0, "high": 8000.0}


@pytest.fixture
def lists(monkeypatch):
    """All-in kilowatts of B200 on three dates, not in their order: 4, then 1, then 2."""
    frame = pd.DataFrame({"accelerator": "B200 SXM", "all_in_kilowatts": [2.0, 4.0, 1.0, NAN],
                          "quoted": ["2026-09", "2026-04", "2026-08", "2026-10"]})  # fmt: skip
    monkeypatch.setattr(tables, "prices", frame, raising=False)
    share = {"vLLM": 0.5, "TensorRT-LLM": 0.25}
    monkeypatch.setattr(
        derating, "served", lambda rows: rows.assign(share=rows["stack"].map(share) / (1 + rows["interactivity"]))
    )


def test_a_megawatt_at_full_load_and_delivered(lists):
    """8,000 over 2 kW are 4 million per MW, from 2 to 8 over the lists; Offline delivers half. Full load is first."""
    server = {**RATES, "scenario": "Server", "rate": 2000.0, "low": 1000.0}
    offline = {**RATES, "scenario": "Offline"}
    rows = pd.DataFrame([server, offline, offline | {"accelerator": "X"}])
    rows = rows.assign(id=["b", "a", "c"])
    results = pd.DataFrame({"id": ["b", "a", "c"], "stack": ["TensorRT-LLM", "vLLM", ""], "hypervisor": "", "nodes": 1})
    found = power.per_megawatt(rows, results).set_index(["use", "scenario"])
    assert found["value"].tolist()[:3] == [4, 1, 2] and found.index.get_level_values("use")[2] == "delivered"
    assert found.loc[("full load", "Offline"), ["value", "low", "high"]].tolist() == [4, 2, 8]
    assert found.loc[("delivered", "Offline"), ["value", "low", "high"]].tolist() == [2, 1, 4]
    assert found.loc[("full load", "Server"), "low"] == 0.25  # the range of a carried rate counts too
    assert found.loc[("delivered", "Server"), "value"] == pytest.approx(0.25 / 13.5)  # the limit is 12.5
    facility = power.per_megawatt(rows, results, pue=2.0).set_index(["use", "scenario"])
    marks = ["value", "low", "high"]
    assert (facility[marks] * 2).equals(found[marks])


def test_at_the_wall_the_best_submission_counts_in_its_own_unit():
    rows = results(
        {"power_measured": True, "power_watts": 10.0}, {"power_measured": True, "power_watts": 8.0, "submitter": "B"},
        {"power_measured": True, "power_watts": 1.0, "scenario": "Server"}, {"power_watts": 1.0},
        {"power_measured": True, "power_watts": 4.0, "benchmark": "bert", "rate_unit": "samples/s"},
        {"power_measured": True, "power_watts": 2.0, "accelerator": "H200"},
    )  # fmt: skip
    assert power.at_the_wall(rows, "Llama 2 70B")["efficiency"].tolist() == [40.0, 10.0]
    assert power.at_the_wall(rows, "bert")[["efficiency", "rate_unit"]].values.tolist() == [[20.0, "samples/s"]]
    assert len(power.at_the_wall(rows)) == 3 and power.at_the_wall(rows, "mixtral-8x7b").empty


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


def test_a_machine_counts_once_over_benchmarks_and_rounds():
    free = {"rate": 100.0, "system": "DGX"}
    capped = {"rate": 80.0, "system": "DGX, MaxQ", "power_measured": True, "power_limit_watts": 500.0}
    runs = [{}, {"benchmark": "bert"}, {"round": "v5.1"}, {"submitter": "B"}, {"accelerator": "H100"}]
    rows = results(*[side | run for run in runs for side in (free, capped)]).assign(rated_watts=700.0)
    other = results(free | {"system": "XE"}, capped | {"system": "XE, MaxQ"}).assign(rated_watts=700.0)
    pairs = power.cap_pairs(pd.concat([rows, other]))
    assert (len(pairs), pairs["machine"].nunique()) == (6, 4)


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


@pytest.mark.parametrize(("cooling", "factor"), [("air", 1.5), ("liquid", 1.3)])
def test_provisioned_power_of_a_b200_server(cooling, factor):
    """Two processors, eight B200, and NVLink 5 at 5 pJ/bit, times 1.5 with air; its submissions drew 9 and 10 kW."""
    facts = tables.system_hardware.query("accelerators == 8 and cooling == @cooling and accelerator == 'B200 SXM'")
    facts = facts[facts["processors"].eq(2) & facts["network"].ne("")].iloc[-1]
    named = {name: facts[name] for name in ("round", "submitter", "system")} | {"power_measured": True}
    drew = results({"power_watts": 9e3, "power_capped": True}, {"power_watts": 10e3, "power_capped": False})
    found = power.nodes(drew.assign(**named)).set_index(["round", "submitter", "system"])
    row = found.loc[tuple(facts[["round", "submitter", "system"]])]
    processors = {"x86, up to 64 cores": 350, "x86, more than 64 cores": 500}[facts["processor"]]
    watts = (2 * processors + 8 * 1000 + 14.4 * 8 * 5) * factor
    assert row["provisioned_kw"] == pytest.approx(watts / 1000) and row["drew"] == pytest.approx(10e3 / watts)
    assert row[["accelerator", "lowest_kw", "highest_kw", "runs", "capped"]].tolist() == ["B200", 9, 10, 2, True]
    assert found["runs"].sum() == 2 and found["provisioned_kw"].is_monotonic_decreasing


def test_servers_of_one_accelerator_stay_apart_by_cooling():
    """Of two with air that with more runs, of two with as many the newer: v10.0 is after v9.0."""
    columns = ["accelerator", "cooling", "round", "runs", "provisioned_kw"]
    rows = [("B200", "air", "v9.0", 5, 13.9), ("B200", "air", "v10.0", 0, 13.9), ("B200", "liquid", "v10.0", 0, 12.0),
            ("B200", "liquid", "v9.0", 0, 12.1), ("H200", "air", "v9.0", 9, 20.0)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=columns)
    frame["round"] = pd.Categorical(frame["round"], ["v9.0", "v10.0"], ordered=True)
    found = power.newest_nodes(frame, ["B200"])
    assert found[["cooling", "round", "runs"]].values.tolist() == [["air", "v9.0", 5], ["liquid", "v10.0", 0]]


def test_rounds_of_servers_are_in_the_order_of_versions():
    assert power.nodes(results({}).assign(power_watts=NAN))["round"].cat.ordered


def test_dollars_of_a_megawatt_year():
    assert power.usd_per_megawatt_year(0.10) == pytest.approx(876_000)
