"""Accelerators ranked: order, budgets, break-even prices, what changes the ranking, and errors."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, cost
from analysis.paths import DATA
from analysis.planner import choice, prediction
from analysis.planner.capacity import Demand

ASKED = Demand(benchmark="gpt-oss-120b", users=1000)
PLANS = [  # accelerator, evidence, reason, price, P50 and P90 of accelerators, kilowatts of each
    ("B300", "measured", "", 2.0, 16, 24, 1.0),
    ("B200", "interpolated", "", 3.0, 8, 8, 2.5),
    ("H100", "estimated", "", 1.0, 8, 48, 0.5),
    ("MI355X", "carried", "", 4.0, 8, 8, 2.0),
    ("MI350X", "measured", "", np.nan, 8, 16, 2.5),
    ("L4", "", "too large", 1.0, np.nan, np.nan, 1.0),
]


def plans(demand):
    """Hand-made plans: prices of one's own count, ten times the users take 16 of B200, fast users are only guessed."""
    columns = ["accelerator", "evidence", "reason", "usd_per_accelerator_hour", "p50", "p90", "kilowatts"]
    rows = pd.DataFrame(PLANS, columns=columns)
    own = cost.own_prices(demand.prices or {}).set_index("accelerator")["usd_per_hour"]
    price = rows["accelerator"].map(own).fillna(rows["usd_per_accelerator_hour"])
    rows = rows.assign(usd_per_accelerator_hour=price, needed=rows["p50"] - price / 10)
    if demand.users > 5000:
        rows.loc[rows["accelerator"].eq("B200"), ["p50", "p90"]] = 16
    if demand.tokens_per_user > 50:
        rows = rows[rows["accelerator"].isin(["H100", "L4"])]
    if demand.fleet == "pooled":
        rows = rows[rows["accelerator"].eq("L4")]
    for name, each in (("accelerators", 1.0), ("usd_per_hour", price), ("kilowatts", rows["kilowatts"])):
        rows = rows.assign(**{f"{name}_{mark}": rows[mark] * each for mark in ("p50", "p90")})
    full = rows["usd_per_hour_p50"] / 10
    rates = {"throughput": 100.0, "throughput_low": 90.0, "throughput_high": 110.0}
    return rows.assign(usd_per_million_at_full_use=full, usd_per_million_tokens_p50=2 * full, id="r", **rates)


@pytest.fixture(autouse=True)
def by_hand(monkeypatch):
    monkeypatch.setattr(choice, "every_plan", plans)


def test_results_rank_before_estimates_then_by_cost_then_unplanned():
    """$24, 32 with P90 of 32, and of 48, unknown, the estimate's 8, and what has no plan."""
    found = choice.ranking(ASKED).set_index("accelerator")
    assert found.index.tolist() == ["B200", "MI355X", "B300", "MI350X", "H100", "L4"]
    assert found["rank"].tolist()[:5] == [1, 2, 3, 4, 5] and np.isnan(found["rank"].iloc[5])
    assert found["break_even"].tolist()[:5] == [24 / 8, 24 / 8, 24 / 16, 24 / 8, 24 / 8]
    assert found["within"].eq("").all()
    assert found["chance"].tolist() == [1, 0, 0, 0, 0, 0] and found["alike"].tolist() == [True, *[False] * 5]


def test_ranking_by_power_and_by_accelerators():
    power, count = (choice.ranking(ASKED, by=by)["accelerator"].tolist() for by in ("power", "accelerators"))
    assert power == ["MI355X", "B300", "B200", "MI350X", "H100", "L4"]  # 16 kW (P90 16, then 24), 20 (P90 20, then 40)
    assert count == ["MI355X", "B200", "MI350X", "B300", "H100", "L4"]  # of two in one node the one that needs less
    with pytest.raises(ValueError, match="accelerators"):
        choice.ranking(ASKED, by="money")


def test_plans_within_the_budgets_come_first():
    """At most $32 at P90: B200 and MI355X. With 16 kW only the latter; MI350X takes more, whatever it costs."""
    found = choice.ranking(ASKED, usd_per_hour=32.0).set_index("accelerator")["within"]
    assert found.to_dict() == {"B200": "yes", "MI355X": "yes", "B300": "no", "MI350X": "", "H100": "no", "L4": ""}
    both = choice.ranking(ASKED, usd_per_hour=32.0, kilowatts=16.0).set_index("accelerator")["within"]
    assert both.index.tolist() == ["MI355X", "B200", "B300", "MI350X", "H100", "L4"]
    assert both["MI355X"] == "yes" and both["MI350X"] == "no"
    assert choice.ranking(ASKED, usd_per_hour=1.0)["within"].tolist() == ["", "no", "no", "no", "no", ""]
    with pytest.raises(ValueError, match=r"^kilowatts is -1\.0; .* from 0 to 1e\+12$"):
        choice.ranking(ASKED, kilowatts=-1.0)


def test_the_same_within_the_error_is_of_cost_before_whole_units(monkeypatch):
    """The costs of B300 and B200 have the ranges of their throughput; 5% apart, each is cheapest in some draws."""
    near = plans(ASKED).assign(usd_per_million_at_full_use=[1.0, 1.05, 0.1, 9.0, np.nan, np.nan])
    monkeypatch.setattr(choice, "every_plan", lambda _: near)
    found = choice.ranking(ASKED).set_index("accelerator")
    costs = near.iloc[[0, 1, 3]].assign(usd_per_million=[1.0, 1.05, 9.0], every="", estimated=False)
    middle = costs["usd_per_million"]
    drawn = cost.with_chances(costs.assign(usd_low=middle / 1.1, usd_high=middle / 0.9), ["every"])
    assert found.loc[["B300", "B200", "MI355X"], "chance"].tolist() == drawn["chance"].tolist()
    assert found["alike"].sum() == 2 and 0.5 < found.loc["B300", "chance"] < 0.9


def test_the_next_has_the_evidence_of_the_first():
    ranked = choice.ranking(ASKED)
    assert choice.leaders(ranked)["accelerator"].tolist() == ["B200", "MI355X"]
    assert choice.leaders(ranked[ranked["evidence"].isin(["estimated"])])["accelerator"].tolist() == ["H100"]
    one = ranked[ranked["accelerator"].isin(["H100", "B200"])]
    assert choice.leaders(one)["accelerator"].tolist() == ["B200"]
    with pytest.raises(NoData, match=r"planned: MI350X: usd_per_hour unknown; L4: too large$"):
        choice.leaders(ranked[ranked["accelerator"].isin(["MI350X", "L4"])])


def test_sensitivity_names_who_leads_and_by_how_much():
    """B200's $24 before the $32 of MI355X; at -20% $19.20. Ten times the users: $32, of B300 too."""
    ranked = choice.ranking(ASKED)
    found = choice.sensitivity(ASKED, ranked).set_index("change")
    rows = {
        "as asked": ("B200", "MI355X", 32 / 24 - 1, 4.8, "interpolated"),
        "B200 price +20%": ("B200", "MI355X", 32 / 28.8 - 1, 5.76, "interpolated"),
        "B200 price -20%": ("B200", "MI355X", 32 / 19.2 - 1, 3.84, "interpolated"),
        "12.5 tokens/s per user": ("B200", "MI355X", 32 / 24 - 1, 4.8, "interpolated"),
        "66.7 tokens/s per user": ("H100", "no other", np.nan, 1.6, "estimated"),
        "50 tokens/s per user": ("B200", "MI355X", 32 / 24 - 1, 4.8, "interpolated"),
        "100 users": ("B200", "MI355X", 32 / 24 - 1, 4.8, "interpolated"),
        "10,000 users": ("MI355X", "B300", 0.0, 6.4, "carried"),
        "pooled fleet": ("none", "", np.nan, np.nan, ""),
    }
    assert found.index.tolist() == [*rows]
    for change, expected in rows.items():
        own = found.loc[change, ["accelerator", "runner_up", "margin", "usd_per_million_tokens", "evidence"]].tolist()
        assert [*own[:2], own[4]] == [*expected[:2], expected[4]]
        assert own[2:4] == pytest.approx(expected[2:4], nan_ok=True)
    power = choice.sensitivity(ASKED, choice.ranking(ASKED, by="power"), "power").set_index("change")
    assert len(power) == len(found) - 2 and power.loc["as asked", "margin"] == 0.0


def test_changes_stay_within_what_can_be_asked():
    """A price of one's own by any name is the one that changes, up to the highest; users are 1 to 100 million."""
    asked = replace(ASKED, users=9, prices={"NVIDIA B200-SXM-180GB": 0.5}, fleet="hourly", delivered_share=0.5)
    ranked = choice.ranking(asked)
    found = choice.sensitivity(asked, ranked).set_index("change")
    assert found.loc["B200 price +20%", "usd_per_million_tokens"] == pytest.approx(2 * 8 * 0.6 / 10)
    assert [change for change in found.index if "users" in change or "fleet" in change] == ["90 users"]
    for users, several in (
        (10, ["1 users", "100 users"]),
        (1e7, ["1,000,000 users", "100,000,000 users"]),
        (2e7, ["2,000,000 users"]),
    ):
        changes = choice.sensitivity(replace(ASKED, users=users), ranked)["change"]
        assert changes[changes.str.contains("users$")].tolist() == several
    fleets = choice.sensitivity(replace(ASKED, fleet="hourly"), ranked)["change"]
    assert fleets[fleets.str.contains("fleet")].tolist() == ["fixed fleet", "pooled fleet"]
    dear = replace(ASKED, prices=dict.fromkeys(("B300", "B200", "MI355X"), cost.PLAUSIBLE_USD[1]))
    assert "B200 price +20%" in set(choice.sensitivity(dear, choice.ranking(dear))["change"])


ERRORS = [  # GPT-OSS in Interactive has nine results, so the errors of all models count
    ({}, None, prediction.KNOWN, "", "Interactive"),
    ({"tokens_per_user": 12.5}, ("measured", "r"), prediction.OTHER_SYSTEM, "gpt-oss-120b", "Server"),
    ({"tokens_per_user": 12.5}, ("carried", "r"), prediction.OTHER_SYSTEM, "gpt-oss-120b", "Server"),
    ({}, ("interpolated", "r"), prediction.BETWEEN, "", "Server"),
    ({}, ("estimated", "r"), prediction.KNOWN, "", "Interactive"),
    ({}, ("estimated", ""), prediction.NONE, "", "Interactive"),
    ({"prompt_tokens": 200.0}, None, prediction.OTHER_MODEL, "", "Interactive"),
    ({"prompt_reuse": 0.5}, ("estimated", "r"), prediction.OTHER_MODEL, "", "Interactive"),
    ({"benchmark": "llama2-70b"}, None, prediction.KNOWN, "llama2-70b", "Interactive"),
    ({"benchmark": "", "parameters": 100.0}, None, prediction.OTHER_MODEL, "", "Interactive"),
    ({"tokens_per_user": 67.0}, ("estimated", "r"), prediction.KNOWN, "", "Interactive"),  # within the rounding
    ({"tokens_per_user": 67.1}, ("estimated", "r"), prediction.BEYOND, "", "Interactive"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "row", "question", "benchmark", "scenario"), ERRORS)
def test_the_error_is_that_of_what_a_plan_rests_on(asked, row, question, benchmark, scenario):
    row = pd.Series(row, ["evidence", "id"]) if row else None
    found = choice.error_behind(replace(ASKED, **asked), row)
    assert found[["question", "benchmark", "scenario"]].tolist() == [question, benchmark, scenario]
    assert found["results"] >= 10


def test_estimates_that_inferencex_contradicts():
    """MI300X was 106% too high on GPT-OSS; of another mixture all models count, and of a dense one none was checked."""
    rows = pd.read_csv(DATA / "blind_check.csv")
    guessed = {"MI300X": "estimated", "MI325X": "estimated", "B200": "measured", "L4": "estimated"}
    asked = pd.DataFrame(guessed.items(), columns=["accelerator", "evidence"])
    own = choice.blind_errors(ASKED, asked)
    assert own["accelerator"].tolist() == ["MI325X", "MI300X"] and own["low"].eq(own["high"]).all()
    assert own[["cases", "high"]].iloc[1].tolist() == [6, pytest.approx(1.06, abs=0.01)]
    other = choice.blind_errors(Demand(model="Any", parameters=300.0, active_parameters=20.0), asked)
    every = rows.groupby("accelerator").agg({"cases": "sum", "error": ["min", "max"]}).loc["MI300X"].tolist()
    assert other.set_index("accelerator").loc["MI300X"].tolist() == every
    assert choice.blind_errors(Demand(benchmark="llama2-70b"), asked).empty
