"""The numbers of the page on interactivity, counted again by plain pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.reports.plain import DATA, comparable, table, values

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


@pytest.mark.parametrize("accelerator", SHOWN)
def test_offline_is_the_newest_node_of_eight(accelerator):
    assert at(0.0).at[accelerator, "throughput"] == pytest.approx(offline()[accelerator])


@pytest.mark.parametrize("accelerator", SHOWN)
def test_at_the_limit_of_server_each_has_its_highest_run(accelerator):
    rows = under("Server")
    best = rows[rows["accelerator"].eq(accelerator)]["each"].max()
    row = at(12.5).loc[accelerator]
    assert row["throughput"] == pytest.approx(best) and row["evidence"] == "measured"


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
    for accelerator in ["GB300", "MI355X", "B300", "B200"]:
        row = at(66.7).loc[accelerator]
        assert row["upper"] == pytest.approx(max(offline()[accelerator], server[accelerator]))
        assert row["lower"] == pytest.approx(row["throughput"])


def test_headline_and_findings():
    best = under("Interactive").groupby("accelerator")["each"].max()
    found = values("interactivity")
    assert found["answer"] == pytest.approx(best.max())
    assert found["apart"] == pytest.approx(best.max() / best.min())
    logged = comparable(BENCHMARK, "Interactive").dropna(subset="tpot_p99_ms")
    assert found["median_over_p99"] == pytest.approx((logged["tpot_p99_ms"] / logged["tpot_p50_ms"]).median())


def test_bands_are_those_of_the_shipped_errors():
    """Of a measured run: P10 and P90 of what other systems reached, of the model where it has ten results."""
    errors = pd.read_csv(DATA / "prediction_errors.csv", keep_default_na=False)
    rows = errors[errors["question"].eq("another system") & errors["scenario"].eq("Server")].set_index("benchmark")
    low, high = (float(rows.at[BENCHMARK, name]) for name in ("low", "high"))
    row = at(12.5).loc["B200"]
    assert (row["low"], row["high"]) == pytest.approx((row["throughput"] * low, row["throughput"] * high))


def test_a_line_between_two_runs_is_linear_in_the_logarithm():
    """The plan at 25 tokens/s on the B200: from 10,931 at 22.3 to 1,644 at 66.7."""
    server, fast = (under(name).query("accelerator == 'B200'") for name in ("Server", "Interactive"))
    slow = server[server["speed"].between(20, 23)].sort_values("each").iloc[-1]
    way = (25 - slow["speed"]) / (LIMITS["Interactive"] - slow["speed"])
    by_hand = np.exp((1 - way) * np.log(slow["each"]) + way * np.log(fast["each"].max()))
    plans = table("accelerator_choice", "plans").set_index("accelerator")
    assert plans.at["B200", "throughput"] == pytest.approx(by_hand)
