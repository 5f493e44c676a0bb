"""Budgets by hand: whole nodes and racks, users, dollars left, and what could change the answer."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, budget, compare, cost, derating, evidence, interactivity
from analysis.planner import curve, models
from tests.frames import results

SIZES = {"B200": 8, "H200": 8, "GB200": 72}
SHARES = {"share": 0.5, "low": 0.4, "high": 0.6, "peak": 2.0, "unstated": 1.0, **dict.fromkeys(cost.FACTORS, np.nan)}
PRICES = pd.DataFrame({"accelerator": ["B200", "GB200", "H200"], "usd_per_hour": [2.0, 4.0, 0.1], "kilowatts": 1.5})


def curves(*points):
    """Return throughput of (accelerator, interactivity, throughput, evidence), each known without an error."""
    frame = pd.DataFrame(points, columns=["accelerator", "interactivity", "throughput", "evidence"])
    rate = frame["throughput"]
    return frame.assign(low=rate, high=rate, slower_id="", id="a", round="v6.1", model="M", stack="", gain=1.0)


@pytest.fixture
def offered(monkeypatch):
    """Three accelerators whose fleets deliver half; H200, the cheapest, is estimated, and alone at 50 tokens/s."""
    points = curves(
        ("B200", 25.0, 1000.0, "measured"), ("GB200", 25.0, 3000.0, "measured"), ("H200", 25.0, 900.0, "estimated"),
        ("H200", 50.0, 900.0, "estimated"), ("B200", 0.0, 4000.0, "measured"),
    )  # fmt: skip
    shares = pd.DataFrame([SHARES])
    monkeypatch.setattr(
        derating, "served_at", lambda rows, *_: shares.loc[np.zeros(len(rows), int)].set_axis(rows.index)
    )
    monkeypatch.setattr(curve, "throughput_at", lambda rows, speeds: points[points["interactivity"].isin(speeds)])
    monkeypatch.setattr(curve, "carried", lambda rows: rows)
    monkeypatch.setattr(interactivity, "runs", lambda benchmark: pd.DataFrame({"model": [benchmark]}))
    monkeypatch.setattr(budget, "unit_sizes", lambda rows: SIZES)
    return points


def costs(**columns):
    """Return costs of one accelerator that delivers half of 1,000 tokens/s at 25 tokens/s per user, for $2 an hour."""
    row = {"accelerator": "B200", "interactivity": 25.0, "throughput": 1000.0, "low": 900.0, "high": 1100.0}
    row |= {"usd_per_hour": 2.0, "kilowatts": 1.5, "served": 0.5, "served_low": 0.4, "served_high": 0.6, "peak": 2.0}
    return pd.DataFrame([row | columns])


def test_a_budget_buys_whole_units():
    """$1 million over a year at $2: a node of eight costs 8 x 2 x 8,760 = $140,160, so seven; a rack of 72 none."""
    row = budget.bought(costs(), SIZES, 1e6, 1).iloc[0]
    assert row[["unit", "units", "kw"]].tolist() == [8, 7, 84]
    assert row["usd_left"] == pytest.approx(1e6 - 7 * 140_160)
    assert row["usd_short"] == pytest.approx(8 * 140_160 - 1e6)
    assert row["users"] == 56 * 1000 * 0.5 / 25 == row["users_peak"] / 2
    low, high = np.hypot(np.log(0.9), np.log(0.8)), np.hypot(np.log(1.1), np.log(1.2))
    assert row["users_low"] == pytest.approx(row["users"] * np.exp(-low))
    assert row["users_high"] == pytest.approx(row["users"] * np.exp(high))
    assert np.isnan(row["users_part_rack"]) and row["divided"] == pytest.approx(1e6 / 140_160)
    rack = budget.bought(costs(accelerator="GB200"), SIZES, 1e6, 1).iloc[0]
    assert rack[["unit", "units", "users", "usd_left"]].tolist() == [72, 0, 0, 1e6]
    assert rack["usd_short"] == pytest.approx(72 * 2 * 8760 - 1e6)
    assert rack["users_part_rack"] == pytest.approx(1e6 / (2 * 8760) * 20)
    assert budget.bought(costs(), {"B200": 4}, 2e6, 2)["units"].tolist() == [14]
    assert budget.bought(costs(), {}, 8 * 140_160, 1)["units"].tolist() == [8]  # a node of eight, to the dollar


def test_power_may_end_before_the_money():
    """40 kW hold three nodes of eight at 1.5 kW each."""
    row = budget.bought(costs(), SIZES, 1e6, 1, 40).iloc[0]
    assert row[["units", "kw"]].tolist() == [3, 36] and row["divided"] == pytest.approx(40 / 12)
    assert row["usd_left"] == pytest.approx(1e6 - 3 * 140_160) and row["usd_short"] == 0  # the money reaches for more


def test_plans_are_by_price_basis_and_most_users(offered):
    """$10 million: 3 racks of $2.52 million serve 12,960 users, 71 nodes 11,360; at the other basis no rack."""
    bases = pd.concat([PRICES.assign(basis="new"), PRICES.assign(basis="a", usd_per_hour=[2.0, 40.0, 0.1])])
    plans = budget.plans(None, bases, [25.0, 50.0], 10e6, 1)
    assert plans[["basis", "interactivity", "accelerator", "most"]].to_numpy().tolist() == [
        ["new", 25, "GB200", "GB200"], ["new", 25, "B200", "GB200"], ["new", 50, "H200", "H200"],
        ["a", 25, "B200", "B200"], ["a", 25, "GB200", "B200"], ["a", 50, "H200", "H200"],
    ]  # fmt: skip
    assert plans.index.tolist() == [*range(6)]
    assert plans["users"].tolist()[:2] == [3 * 72 * 60, 71 * 160] and plans["users"].tolist()[4] == 0
    assert plans["chance"].tolist() == [1, 0, 1, 1, 0, 1] and plans["alike"].equals(plans["chance"].eq(1))
    assert plans["cut"].tolist() == pytest.approx([0, 1 / 3, 0, 0, 0.85, 0])  # B200: 2/3 of its price costs as little
    assert plans["estimated"].tolist() == [False, False, True] * 2


def test_what_the_budget_buys_no_unit_of_leads_nowhere(offered):
    """$1 million are no rack: GB200 costs least per token, and neither leads nor sets the price to match."""
    for usd, units in ((1e6, 7), (1.5e5, 1)):
        plans = budget.plans(None, PRICES.assign(basis="new"), [25.0], usd, 1).set_index("accelerator")
        assert plans["units"].to_dict() == {"B200": units, "GB200": 0} and plans["usd_per_million"].idxmin() == "GB200"
        assert plans["chance"].to_dict() == {"B200": 1, "GB200": 0} and plans["cut"].eq(0).all()
    for kilowatts, names in ((0, ["B200", "H200"]), (12, ["B200", "H200"]), (11.9, [])):
        assert budget.affordable(PRICES, None, 1e6, 1, kilowatts)["accelerator"].tolist() == names
    unknown = PRICES.assign(basis="new", kilowatts=[1.5, np.nan, 1.5])  # what takes no known power leads no more
    plans = budget.plans(None, unknown, [25.0], 10e6, 1, kilowatts=1000.0).set_index("accelerator")
    assert plans["chance"].to_dict() == {"B200": 1, "GB200": 0} and np.isnan(plans.at["GB200", "units"])
    with pytest.raises(NoData, match=r"\$100,000 over 1 years .* at new: 8 B200 cost \$140,160 and take 12 kW$"):
        budget.plans(None, PRICES[:2].assign(basis="new"), [25.0], 1e5, 1)
    later = pd.concat([PRICES[:0].assign(basis="new"), PRICES[2:].assign(basis="new"), PRICES[:2].assign(basis="a")])
    with pytest.raises(NoData, match="no accelerator has a price and a throughput at 25 tokens/s"):
        budget.plans(None, later, [25.0], 1e7, 1)


def test_the_inputs_of_a_tornado_move_by_hand(offered, monkeypatch):
    known = {"usd_per_million": 2.0, "usd_low": 1.5, "usd_high": 2.5, "unstated": 0.4, "serving stack": 0.8}
    first = costs(**known, basis="a", id="", slower_id="")
    others = [{"usd_per_million": 5.0}, {"accelerator": "H200", "usd_per_million": 9.0}, {"interactivity": 50.0}]
    every = pd.concat([first, *[first.assign(**{"usd_per_million": 1.0, **other}) for other in others]])
    factors = pd.DataFrame({"median": [0.5, 0.8], "p10": [0.4, 0.5], "p90": 1.6}, [derating.LOAD, "serving stack"])
    monkeypatch.setattr(
        derating, "factors_of", lambda *asked: {("chat", "TensorRT-LLM node", "hourly"): factors}[asked]
    )
    plan = budget.bought(first, SIZES, 1e6, 1)
    moves = budget.tornado(pd.concat([plan, plan.assign(accelerator="H200")]), every, "hourly")
    own = moves[moves["accelerator"].eq("B200")].set_index("input")
    assert own[["low", "high"]].T.to_dict("list") == {
        "stack not stated": [2, 5], "price basis": [2, 5], "serving stack": pytest.approx([1, 3.2]),
        "throughput": [1.5, 2.5], "fleet": [2, 2.5], "whole units": pytest.approx([2, 2 * 1e6 / (7 * 140_160)]),
        "electricity": pytest.approx([2 - 0.075, 2 + 0.075]), "PUE": pytest.approx([2 - 0.0225, 2 + 0.0225]),
    }  # fmt: skip
    spread = own["low"] / own["high"]
    assert spread.is_monotonic_increasing and set(moves["accelerator"]) == {"B200", "H200"} and moves.index.is_unique
    poor = budget.bought(first.assign(**{"serving stack": np.nan, "unstated": 1.0}), SIZES, 1e3, 1)
    left_out = {"serving stack", "stack not stated", "whole units"}
    assert set(own.index) - set(budget.tornado(poor, every, "hourly")["input"]) == left_out


def test_the_share_of_hours_below_which_on_demand_pays():
    found = budget.rent_or_own().set_index("accelerator")
    assert found.loc["B200", ["over_owned", "over_rented"]].tolist() == pytest.approx([2.07 / 6.84, 3.70 / 6.84])
    assert found.loc[["MI355X", "GB200"], "over_owned"].isna().all()
    assert budget.rent_or_own({"B200": 1.0}).set_index("accelerator").loc["B200"].eq(1).all()  # at every basis


def test_readings_differ_by_the_factors_that_a_result_includes(offered, monkeypatch):
    """Uniform takes each factor for a node on TensorRT-LLM, and for a rack all but that of several nodes."""
    asked = []
    monkeypatch.setattr(derating, "served", lambda rows, fleet: asked.append((rows, fleet)) or rows.assign(share=0.25))
    found = budget.readings(curve.throughput_at(None, [25.0]), PRICES, "hourly")
    assert found["reading"].tolist() == [name for name in ("uniform", *derating.READINGS) for _ in range(3)]
    uniform, own = found[:3], found.loc[3:5].reset_index(drop=True)
    assert set(uniform["served"]) == {0.25} and set(found[3:]["served"]) == {0.5}
    for column in cost.USD:
        assert uniform[column].tolist() == pytest.approx((2 * own[column]).tolist())
    ((rows, fleet),) = asked
    assert fleet == "hourly" and rows[["accelerator", "stack", "hypervisor"]].drop_duplicates().to_numpy().tolist() == [
        ["", "TensorRT-LLM", ""]
    ]
    assert rows["nodes"].tolist() == [2 if name == "GB200" else 1 for name in own["accelerator"]]


def test_the_map_names_the_cheapest_whole_units(offered, monkeypatch):
    """A node of $16 an hour serves 160 users, a rack of $288 4,320: 2,900 take 19 nodes for $304, or one rack."""
    monkeypatch.setattr(interactivity, "limits", lambda name: pd.DataFrame({"interactivity": [25.0]}))
    ends, speeds = (25, 50 * 1.001), [25.0, 50.0]
    monkeypatch.setattr(np, "geomspace", lambda *asked: {(*ends, 2): speeds, (*ends, 25): speeds}[asked])
    won = budget.winner_map(["M"], PRICES, users=[1, 2900], steps=2, speeds=[50.0])
    assert won[["interactivity", "users", "accelerator", "throughput"]].to_numpy().tolist() == [
        [25, 1, "B200", "results of all"], [25, 2900, "GB200", "results of all"],
        [50, 1, "H200", "estimates"], [50, 2900, "H200", "estimates"],
    ]  # fmt: skip
    assert won["chance"].eq(1).all() and won["cheapest"].equals(won["accelerator"]) and set(won["model"]) == {"M"}
    assert won.index.is_unique
    usual = budget.winner_map(["M"], PRICES, speeds=[50.0])["users"]
    assert (usual.min(), usual.max().round(), usual.nunique()) == (100, 300_000, 29)
    assert budget.winner_map(["M"], PRICES.assign(accelerator="X"), steps=2, speeds=[50.0]).empty
    offered.loc[3, ["accelerator", "evidence"]] = "B200", "measured"
    offered.loc[1, ["throughput", "low", "high"]] = 2000.0, 1800.0, 2200.0  # as cheap as B200 for many
    monkeypatch.setattr(cost, "SURE", 1.0)  # a chance that is enough is enough
    tie = budget.winner_map(["M"], PRICES, users=[1e6], steps=2, speeds=[50.0])
    assert tie["cheapest"].tolist() == [cost.TIE, "B200"] and tie["chance"].iloc[0] == pytest.approx(0.5, abs=0.05)
    assert tie["throughput"].tolist() == ["results of all", "results of some"]


def test_regret_is_over_the_cheapest_result(offered):
    found = budget.regret(["M", "N"], PRICES, 25.0)
    extra = found.set_index(["model", "accelerator"])["extra"]
    assert found.index.is_unique
    assert extra["M"].to_dict() == pytest.approx({"GB200": 0, "B200": 0.5, "H200": 0.1 / 900 / (4 / 3000) - 1})
    assert extra["N"].equals(extra["M"]) and budget.regret(["M"], PRICES, 50.0)["extra"].tolist() == [0]
    nothing = budget.regret(["M"], PRICES.assign(accelerator="X"), 25.0)
    assert nothing.empty and nothing.columns.tolist() == ["accelerator", "model", "estimated", "extra"]
    steady = budget.steadiest(pd.DataFrame({"accelerator": ["B200", "B200", "H100"], "extra": [0, 0.4, 0.3]}))
    assert (steady.name, steady["max"], steady["count"]) == ("H100", 0.3, 1)


def test_a_model_that_counts_no_tokens_is_left_out(offered, monkeypatch):
    def refuse(benchmark):
        if benchmark == "samples":
            raise NoData("counts samples")
        return pd.DataFrame({"model": [benchmark]})

    monkeypatch.setattr(interactivity, "runs", refuse)
    monkeypatch.setattr(interactivity, "limits", lambda name: pd.DataFrame({"interactivity": [25.0]}))
    assert set(budget.regret(["samples", "M"], PRICES, 25.0)["model"]) == {"M"}
    assert set(budget.winner_map(["samples", "M"], PRICES, steps=1, speeds=[25.0])["model"]) == {"M"}
    with pytest.raises(NoData, match="no accelerator has both a price and a throughput on any of the models"):
        budget.steadiest(budget.regret(["samples"], PRICES, 25.0))


def test_the_price_of_speed_multiplies_to_the_cheapest_at_that_speed():
    """MI355X is cheaper still at full load, but has no result at 66.7."""
    rows = [(0.0, "MI355X", 0.1, 1.0), (0.0, "B200", 1.0, 0.9), (0.0, "B300", 2.0, 0.9), (66.7, "B200", 6.0, 0.3),
            (66.7, "B300", 4.0, 0.3), (25.0, "B200", 0.5, 0.3)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["interactivity", "accelerator", "usd_per_million", "served"])
    usd = frame["usd_per_million"]
    frame = frame.assign(usd_low=usd, usd_high=usd, estimated=False)
    steps = budget.price_of_speed(frame, 66.7)
    assert steps["usd_per_million"].tolist() == [1, 3, 6, 4] and steps["factor"].tolist() == pytest.approx(
        [1, 3, 2, 2 / 3]
    )
    assert steps["kind"].tolist() == ["total", *["modeled"] * 3]
    assert steps["accelerator"].tolist() == ["B200", "B200", "B200", "B300"]
    assert budget.price_of_speed(frame[:3], 66.7).empty


def test_a_request_costs_gpu_seconds_in_proportion_to_its_tokens(monkeypatch):
    """1,024 in and out 2 s, 8,192 in 3.75 s: a token in is 1.75 / 7,168 s, one out seven times that; answers 10 s."""
    rows = [("A", "M", 1024, 1024, 512.0), ("A", "M", 8192, 1024, 1024 / 3.75), ("A", "M", 1024, 8192, 819.2),
            ("C", "M", 1024, 1024, 1024.0), ("C", "M", 8192, 1024, 512.0), ("B", "M", 1024, 1024, 9.0),
            ("A", "N", 1024, 1024, 9e9)]  # fmt: skip
    columns = ["accelerator", "model", "prompt_tokens", "answer_tokens", evidence.THROUGHPUT]
    runs = pd.DataFrame(rows, columns=columns).assign(**{evidence.SPEED: 50.0})
    monkeypatch.setattr(evidence, "inferencex_runs", lambda disaggregated: {False: runs}[disaggregated])
    found = budget.token_costs("M", 50.0).set_index("accelerator")
    assert found.index.tolist() == ["C", "A"]  # by the cost of an answer
    assert found.at["A", "prompt"] == pytest.approx(1.75 / 7168) and found.at["A", "ratio"] == pytest.approx(7)
    assert found.at["A", "error"] == pytest.approx((0.25 + 14) / 10 - 1) and np.isnan(found.at["C", "error"])
    assert budget.token_costs("M", 60.0).empty


def test_the_bridge_counts_what_inferencex_measured(monkeypatch):
    """A token in costs 1 ms, one out 3 ms, at $3.60 an hour: $1 a million per ms; prompts are twice their answers."""
    tokens = pd.DataFrame({"accelerator": ["X", "B200"], "prompt": [0.0, 0.001], "answer": [0.001, 0.003]})
    monkeypatch.setattr(budget, "token_costs", lambda name, speed: tokens)
    monkeypatch.setattr(models, "lengths", lambda requests: SimpleNamespace(prompt=200.0, answer=100.0))
    frame = pd.concat([costs(usd_per_hour=3.6), costs(usd_per_hour=9.0, interactivity=50.0)])
    steps = budget.bridge(frame, 25.0, "gpt-oss-120b")
    assert steps["usd_per_million"].tolist() == pytest.approx([2, 4, 5, 10])
    assert steps["factor"].tolist() == pytest.approx([1, 2, 1.25, 2]) and set(steps["accelerator"]) == {"B200"}
    assert budget.bridge(frame, 66.7, "gpt-oss-120b").empty


def test_waiting_compares_a_preview_with_its_own_vendor(monkeypatch):
    """NVIDIA: from 100 to 120 in a round, and a preview of 300. AMD: from 50 to 75, and none."""
    server, amd = {"scenario": "Server"}, {"vendor": "AMD", "accelerator": "MI355X"}
    preview = {"availability": "preview", "accelerator": "Vera Rubin"}
    rows = results(
        {"round": "v6.0", "rate": 100.0}, {"rate": 120.0}, preview | {"rate": 300.0}, preview | {"rate": 200.0},
        {"accelerator": "H200", "rate": 60.0}, amd | {"round": "v6.0", "rate": 50.0}, amd | {"rate": 75.0},
        {"round": "v5.1", "rate": 10.0}, amd | {"kind": "cpu", "accelerator": "EPYC", **preview, "rate": 9e9},
        server | {"round": "v6.0", "rate": 10.0}, server | {"rate": 30.0}, server | {"rate": 12.0, **amd},
        server | amd | preview | {"accelerator": "MI450", "rate": 13.0},
    )  # fmt: skip
    rows = pd.concat([rows, results(preview | {"scenario": "Interactive", "vendor": "Intel"})])  # nothing to compare
    monkeypatch.setattr(compare, "comparable", lambda available, **_: {False: rows}[available])
    wait = budget.waiting(["llama2-70b"])
    found = wait.set_index(["scenario", "vendor"])
    first = found.loc[("Offline", "NVIDIA")]
    assert first[["model", "accelerator", "over"]].tolist() == ["Llama 2 70B", "Vera Rubin", "B200"]
    assert (first["ratio"], first["price_cut"], first["gain"]) == pytest.approx((2.5, 0.6, 1.2))
    assert first["links"] == 1 and str(first["round"]) == "v6.1"
    assert found.loc[("Offline", "AMD"), "gain"] == 1.5 and found.loc[("Offline", "AMD"), "over"] == ""
    assert found.index.tolist() == [  # 2.5 and 13 over 12, then those without both
        ("Offline", "NVIDIA"), ("Server", "AMD"), ("Interactive", "Intel"), ("Offline", "AMD"), ("Server", "NVIDIA"),
    ]  # fmt: skip
    assert found["ratio"].isna().tolist() == [False] * 2 + [True] * 3 and wait.index.tolist() == [*range(5)]
    more = wait.iloc[[-1] * 3].assign(gain=[3.0, 4.0, 8.0])
    assert budget.gains_by_vendor(pd.concat([more, wait[:1]])).loc["NVIDIA"].tolist() == [4, 3]  # not Offline
