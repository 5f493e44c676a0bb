"""The numbers of the page on interactivity, counted again by plain pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.interactivity import runs
from analysis.planner.curve import throughput_at
from tests.reports.plain import comparable, data, said, table, values

BENCHMARK = "gpt-oss-120b"
RACKS = ["GB200", "GB300"]
LIMITS = {"Server": 12.5, "Interactive": 1000 / 15}  # tokens/s per user that TPOT of 80 and 15 ms leave
SHOWN = ["GB300", "GB200", "MI355X", "B300", "B200", "MI350X"]


def under(scenario):
    """Runs under a limit of one node of eight or one rack of 72, at the speed of their log, else of their limit.

    None has more throughput than the newest round of its accelerator.
    """
    rows = comparable(BENCHMARK, scenario)
    one = rows["accelerator_count"].eq(8) | rows["accelerator_count"].eq(72) & rows["accelerator"].isin(RACKS)
    rows = rows[one].assign(speed=(1000 / rows["tpot_p99_ms"]).fillna(LIMITS[scenario]))
    newest = rows["version"].eq(rows.groupby("accelerator")["version"].transform("max"))
    return rows[rows["each"].le(rows["each"].where(newest).groupby(rows["accelerator"]).transform("max"))]


def offline():
    """The newest round's best node of eight by accelerator."""
    rows = comparable(BENCHMARK)
    rows = rows[rows["accelerator_count"].eq(8)].sort_values(["version", "each"])
    return rows.drop_duplicates("accelerator", keep="last").set_index("accelerator")["each"]


def at(speed):
    page = table("interactivity", "throughput")
    return page[page["interactivity"].eq(speed)].set_index("accelerator")


def test_offline_is_the_newest_node_of_eight():
    assert at(0.0)["throughput"][SHOWN].tolist() == pytest.approx(offline()[SHOWN].tolist())


def test_at_the_limit_of_server_each_has_its_highest_run():
    rows, best = at(12.5).loc[SHOWN], under("Server").groupby("accelerator")["each"].max()
    assert rows["throughput"].tolist() == pytest.approx(best[SHOWN].tolist())
    assert set(rows["evidence"]) == {"measured"}


def test_at_the_limit_of_interactive_those_that_ran_it_are_measured():
    best = under("Interactive").groupby("accelerator")["each"].max()
    page = at(66.7)
    measured = page[page["evidence"].eq("measured")]
    assert set(measured.index) == set(best.index)
    assert measured["throughput"].to_numpy() == pytest.approx(best.reindex(measured.index).to_numpy())
    assert (page.loc[~page.index.isin(best.index), "evidence"] == "estimated").all()


def test_bounds_are_of_all_faster_and_all_slower_runs():
    """At 66.7: the upper bound is the highest of Offline (of eight) and of every run that is slower."""
    server = under("Server").groupby("accelerator")["each"].max()
    rows = at(66.7).loc[["GB300", "MI355X", "B300", "B200"]]
    highest = np.maximum(offline(), server)[rows.index]
    assert rows["upper"].tolist() == pytest.approx(highest.tolist())
    assert rows["lower"].tolist() == pytest.approx(rows["throughput"].tolist())


def test_headline_and_findings():
    """B200's only run that fast has a median 2.15 times as fast as its p99."""
    best = under("Interactive").sort_values("each").drop_duplicates("accelerator", keep="last")
    found = values("interactivity")
    assert found["answer"] == pytest.approx(best["each"].max())
    far = (best["tpot_p99_ms"] / best["tpot_p50_ms"]).set_axis(best["accelerator"])
    assert far[far.gt(2)].round(2).to_dict() == {"B200": 2.15} and found["far"] == 1
    assert at(66.7)["p99_over_median"].dropna().to_dict() == pytest.approx(far.to_dict())
    logged = pd.concat([comparable(BENCHMARK, name, virtual=True) for name in LIMITS]).dropna(subset="tpot_p99_ms")
    assert len(logged) > 80
    assert found["median_over_p99"] == pytest.approx((logged["tpot_p99_ms"] / logged["tpot_p50_ms"]).median(), abs=0.01)


def test_submitters_behind_each_point():
    """At 12.5 those of either scenario, at 66.7 of Interactive; of one node of eight or one rack."""
    every = pd.concat(comparable(BENCHMARK, name) for name in LIMITS)
    every = every.query("accelerator_count == 8 or accelerator_count == 72 and accelerator in @RACKS")
    for speed, rows in ((12.5, every), (66.7, every.query("scenario == 'Interactive'"))):
        counted = rows.groupby("accelerator")["submitter"].nunique().reindex(SHOWN, fill_value=0)
        assert at(speed)["submitters"][SHOWN].to_dict() == counted.to_dict()


def test_bands_are_those_of_the_shipped_errors():
    """Of a measured run: P10 and P90 of what other systems reached, of the model where it has ten results."""
    rows = data("prediction_errors").query("question == 'another system' and scenario == 'Server'")
    error, row = rows.set_index("benchmark").loc[BENCHMARK], at(12.5).loc["B200"]
    for end in ("low", "high"):
        assert row[end] == pytest.approx(row["throughput"] * error[end])


def test_a_line_between_two_runs_is_linear_in_the_logarithm():
    """The plan at 40 tokens/s on the B200: from 11,276 at 24.5 (CoreWeave, v6.1) to 1,644 at 66.7 (Nebius, v6.0)."""
    server, fast = (under(name).query("accelerator == 'B200'") for name in ("Server", "Interactive"))
    slow = server.sort_values("each").iloc[-1]
    assert (slow["each"], slow["speed"]) == pytest.approx((11275.6, 24.4525), rel=1e-4)
    way = (40 - slow["speed"]) / (LIMITS["Interactive"] - slow["speed"])
    by_hand = np.exp((1 - way) * np.log(slow["each"]) + way * np.log(fast["each"].max()))
    found = throughput_at(runs(BENCHMARK), 40.0).set_index("accelerator")
    assert found.at["B200", "throughput"] == pytest.approx(by_hand)


def test_the_share_that_the_leader_keeps_is_of_its_own_offline_run():
    """GB300 at 66.7 tokens/s over no limit; the lowest that is measured stands beside it in the headline, named so."""
    fast = at(66.7).query("evidence == 'measured'")["throughput"]
    leader, last = fast.idxmax(), fast.idxmin()
    assert values("interactivity")["kept"] == pytest.approx(fast[leader] / at(0.0).at[leader, "throughput"])
    raw = under("Interactive").query("accelerator == @leader")["each"].max() / offline()[leader]
    assert values("interactivity")["kept"] == pytest.approx(raw)
    assert f"lowest {last}" in said("interactivity")["answer"]["text"]
