"""Power by hand: efficiency, caps, provisioned kilowatts, and dollars."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import derating, power, tables
from tests.frames import results

NAN = float("nan")


@pytest.fixture
def lists(monkeypatch):
    """All-in kilowatts of B200 on three dates, not in their order: 4, then 1, then 2; fleets deliver by the stack."""
    frame = pd.DataFrame({"accelerator": "B200 SXM", "all_in_kilowatts": [2.0, 4.0, 1.0, NAN],
                          "quoted": ["2026-09", "2026-04", "2026-08", "2026-10"]})  # fmt: skip
    monkeypatch.setattr(tables, "prices", frame, raising=False)
    share = {"vLLM": 0.5, "TensorRT-LLM": 0.25}
    monkeypatch.setattr(
        derating, "served", lambda rows: rows.assign(share=rows["stack"].map(share) / (1 + rows["interactivity"]))
    )


@pytest.mark.parametrize("pue", [(), (2.0,)])
def test_a_megawatt_at_full_load_and_delivered(lists, pue):
    """8,000 over 2 kW are 4 million per MW, from 2 to 8 over the lists; Offline delivers half. Full load is first."""
    columns = ["id", "benchmark", "scenario", "accelerator", "rate", "low", "high"]
    rows = [
        ("b", "gpt-oss-120b", "Server", "B200", 2000.0, 1000.0, 6000.0),  # a limit of 12.5 tokens/s; carried
        ("a", "gpt-oss-120b", "Offline", "B200", 8000.0, 8000.0, 8000.0),
        ("c", "gpt-oss-120b", "Offline", "X", 8000.0, 8000.0, 8000.0),  # no kilowatts
        ("d", "resnet50", "Server", "B200", 8000.0, 8000.0, 8000.0),  # no limit on TPOT
    ]
    stacks = {"b": "TensorRT-LLM", "a": "vLLM", "c": "", "d": ""}
    results = pd.DataFrame({"id": [*stacks], "stack": [*stacks.values()], "hypervisor": "", "nodes": 1})
    found = power.per_megawatt(pd.DataFrame(rows, columns=columns), results, *pue)
    assert found[["use", "scenario"]].reset_index().values.tolist() == [
        [0, "full load", "Offline"], [1, "full load", "Server"],
        [2, "delivered", "Offline"], [3, "delivered", "Server"],
    ]  # fmt: skip
    share = [1, 1, 0.5, 0.25 / 13.5]
    assert found["share"].tolist() == pytest.approx(share)
    ends = [[4, 2, 8], [1, 0.25, 6], [2, 1, 4], [1 * share[3], 0.25 * share[3], 6 * share[3]]]
    values = found[["value", "low", "high"]] * sum(pue or [1])
    assert values.to_numpy().tolist() == [pytest.approx(each) for each in ends]


def test_at_the_wall_the_best_submission_counts_in_its_own_unit():
    rows = results(
        {"power_measured": True, "power_watts": 10.0}, {"power_measured": True, "power_watts": 8.0, "submitter": "B"},
        {"power_measured": True, "power_watts": 1.0, "scenario": "Server"}, {"power_watts": 1.0},
        {"power_measured": True, "power_watts": 4.0, "benchmark": "bert", "rate_unit": "samples/s"},
        {"power_measured": True, "power_watts": 1.0, "accelerator": "H200"},
        {"power_measured": True, "power_watts": 0.0},
    )  # fmt: skip
    assert power.at_the_wall(rows, "Llama 2 70B")["efficiency"].tolist() == [80.0, 10.0]
    assert power.at_the_wall(rows, "bert")[["efficiency", "rate_unit"]].values.tolist() == [[20.0, "samples/s"]]
    assert len(power.at_the_wall(rows)) == 3 and power.at_the_wall(rows, "mixtral-8x7b").empty


def test_of_submissions_only_bare_machines_that_one_can_buy_count_each_run_once():
    left_out = [
        {"division": "open"}, {"suite": "edge"}, {"availability": "preview"}, {"hypervisor": "KVM"},
        {"duplicate_of": "r0"}, {"rate": NAN}, {"accelerator_count": 0.0}, {"accelerator": "mixed"},
    ]  # fmt: skip
    rows = results({"system": "DGX, MaxQ"}, {"accelerator_count": 1.0, "suite": "datacenter,edge"}, *left_out)
    assert power.submissions(rows)[["id", "chassis"]].values.tolist() == [["r0", "DGX"], ["r1", "node"]]


def test_a_capped_run_is_paired_with_the_free_run_of_its_machine():
    """A machine counts once over benchmarks and rounds. Of two free runs the faster counts. Each pair has a rate of its
    own, so that none is paired with the free run of another.
    """
    free = {"rate": 100.0, "system": "DGX"}
    capped = {"rate": 80.0, "system": "DGX, MaxQ", "power_measured": True, "power_limit_watts": 500.0}
    runs = [{}, {"benchmark": "bert"}, {"round": "v5.1"}, {"submitter": "B"}, {"accelerator": "H100"},
            {"scenario": "Server"}, {"accuracy_target": "99"}, {"accelerator_count": 4.0}]  # fmt: skip
    pairs = [side | run | {"rate": side["rate"] * n} for n, run in enumerate(runs, 1) for side in (free, capped)]
    rows = results(
        *pairs, free | {"rate": 90.0},
        free | {"system": "XE"}, capped | {"system": "XE (Power Cap 500W)", "power_measured": False},
        capped | {"submitter": "C"}, free | {"submitter": "D", "power_capped": True}, capped | {"submitter": "D"},
        free | {"submitter": "E", "power_measured": True}, capped | {"submitter": "E"},
        free | {"submitter": "F"}, capped | {"submitter": "F", "power_limit_watts": 700.0},
    ).assign(rated_watts=700.0)  # fmt: skip
    pairs = power.cap_pairs(rows)
    assert len(pairs) == 9 and str(pairs["round"].iloc[0]) == "v5.1"  # C to F have no free run, or no cap
    assert pairs["kept"].eq(0.8).all() and pairs["cap"].tolist() == pytest.approx([500 / 700] * 9)
    machines = pairs.groupby("machine")[["submitter", "accelerator"]].agg(["first", "size"])
    assert machines["submitter"]["size"].tolist() == [6, 1, 1, 1]


@pytest.mark.parametrize(("cooling", "factor"), [("air", 1.5), ("liquid", 1.3)])
def test_provisioned_power_of_a_b200_server(cooling, factor):
    """Two processors, eight B200, and NVLink 5 at 5 pJ/bit, times 1.5 with air; its submissions drew up to 10 kW."""
    facts = tables.system_hardware.query("accelerators == 8 and cooling == @cooling and accelerator == 'B200 SXM'")
    facts = facts[facts["processors"].eq(2) & facts["network"].ne("")].iloc[-1]
    named = {name: facts[name] for name in ("round", "submitter", "system")} | {"power_measured": True}
    drew = [{"power_watts": 1.0, "power_capped": True}, {"power_watts": 10e3}, {"power_watts": 0.0}]
    found = power.nodes(results(*drew).assign(**named)).set_index(["round", "submitter", "system"])
    row = found.loc[tuple(facts[["round", "submitter", "system"]])]
    processors = {"x86, up to 64 cores": 350, "x86, more than 64 cores": 500}[facts["processor"]]
    watts = (2 * processors + 8 * 1000 + 14.4 * 8 * 5) * factor
    assert row["provisioned_kw"] == pytest.approx(watts / 1000)
    assert row[["accelerator", "highest_kw", "runs", "capped"]].tolist() == ["B200", 10, 2, True]
    l40s = found.loc[("v4.0", "Fujitsu", "PRIMERGY CDI (8x L40S, MaxQ, TensorRT)")]  # without links of its own
    assert l40s["provisioned_kw"] == pytest.approx((2 * 350 + 8 * 350) * 1.5 / 1000)
    assert found["runs"].sum() == 2 and found["provisioned_kw"].is_monotonic_decreasing
    assert found.reset_index()["round"].cat.ordered  # as versions: v10.0 is after v9.0


def test_servers_of_one_accelerator_stay_apart_by_cooling():
    """Of two with air that with more runs, of two with as many the newer: v10.0 is after v9.0."""
    columns = ["accelerator", "cooling", "round", "runs", "provisioned_kw"]
    rows = [("B200", "air", "v9.0", 5, 13.9), ("B200", "air", "v10.0", 0, 13.9), ("B200", "liquid", "v10.0", 0, 12.0),
            ("B200", "liquid", "v9.0", 0, 12.1), ("H200", "air", "v9.0", 9, 20.0)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=columns)
    frame["round"] = pd.Categorical(frame["round"], ["v9.0", "v10.0"], ordered=True)
    found = power.newest_nodes(frame, ["B200"])
    assert found[["cooling", "round", "runs"]].values.tolist() == [["air", "v9.0", 5], ["liquid", "v10.0", 0]]


def test_dollars_of_a_megawatt_year():
    assert power.usd_per_megawatt_year(0.10) == pytest.approx(876_000)
    assert [power.usd_per_megawatt_year(price) for price in (0.001, 10)] == pytest.approx([8760, 87_600_000])
    for wrong in (0.0009, 10.1):
        with pytest.raises(ValueError, match="usd_per_kilowatt_hour"):
            power.usd_per_megawatt_year(wrong)
    for wrong in (0.9, 3.1):
        with pytest.raises(ValueError, match="pue"):
            power.per_megawatt(pd.DataFrame(), pd.DataFrame(), wrong)
