"""Rates per watt, implied watts, joules and dollars by hand; power runs against performance runs; power limits."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.core.notes import note
from analysis.themes import power

Rows = Callable[..., pd.DataFrame]
MEASURED = {"power_measured": True, "low": 16_000.0, "power_watts_low": 4_000.0, "power_watts_high": 4_000.0}
PRINTED = {"origin": "published", "source": "Page", "source_id": "doc001", "power_measured": True}
PRINTED |= {"low": 25_261.5, "high": 25_262.5, "per_watt_low": 3.5, "per_watt_high": 4.5}
CLOSE = {"rel": 1e-12}


def row(frame: pd.DataFrame) -> dict:
    (only,) = frame.to_dict("records")
    return only


def span(frame: pd.DataFrame, name: str) -> tuple[float, float]:
    return row(frame)[f"{name}_low"], row(frame)[f"{name}_high"]


def test_efficiency_is_rate_over_measured_watts(comparable_rows: Rows) -> None:
    found = power.efficiency(comparable_rows(MEASURED | {"power_watts_high": 5_000.0}))
    assert span(found, "efficiency") == (3.2, 4.0)
    assert row(found)["efficiency_basis"] == "measured watts"


def test_efficiency_without_watts_is_that_printed(comparable_rows: Rows) -> None:
    found = power.efficiency(comparable_rows(PRINTED))
    assert span(found, "efficiency") == (3.5, 4.5)
    assert row(found)["efficiency_basis"] == "printed per watt"


def test_printed_efficiency_is_converted_as_the_rate_was(comparable_rows: Rows) -> None:
    rows = comparable_rows(PRINTED | {"low": 100.0, "high": 100.0}).assign(rate_low=6_900.0, rate_high=6_900.0)
    assert span(power.efficiency(rows), "efficiency") == pytest.approx((241.5, 310.5), **CLOSE)


def test_row_with_neither_watts_nor_printed_efficiency_is_left_out(comparable_rows: Rows) -> None:
    assert power.efficiency(comparable_rows({}, MEASURED))["id"].tolist() == ["r1"]


def test_implied_watts_are_as_wide_as_the_rounding(comparable_rows: Rows) -> None:
    found = power.implied_watts(comparable_rows(PRINTED))
    assert span(found, "implied_watts") == pytest.approx((25_261.5 / 4.5, 25_262.5 / 3.5), **CLOSE)
    assert pd.isna(row(found)["holds"])


@pytest.mark.parametrize(("watts", "holds"), [(5_700.0, True), (5_600.0, False), (7_300.0, False)])
def test_implied_watts_are_held_against_measured_ones(comparable_rows: Rows, watts: float, holds: bool) -> None:
    rows = comparable_rows(PRINTED, MEASURED | {"power_watts_low": watts, "power_watts_high": watts})
    found = power.implied_watts(rows)
    assert bool(row(found)["holds"]) is holds
    assert span(found, "measured_watts") == (watts, watts)


@pytest.mark.parametrize("other", [{"accelerator_count": 4}, {"benchmark": "twice"}, {"round": "v5.1"}])
def test_watts_of_another_system_are_not_held_against_it(comparable_rows: Rows, other: dict) -> None:
    assert pd.isna(row(power.implied_watts(comparable_rows(PRINTED, MEASURED | other)))["holds"])


@pytest.mark.parametrize("other", [{"origin": "published"}, {"power_watts_low": None, "power_watts_high": None}])
def test_only_watts_of_the_official_record_are_measured_ones(comparable_rows: Rows, other: dict) -> None:
    found = power.implied_watts(comparable_rows(PRINTED, MEASURED | other))
    assert pd.isna(row(found)["holds"])
    assert pd.isna(row(found)["measured_watts_low"])


def test_energy_is_the_inverse_and_its_price_by_hand(comparable_rows: Rows) -> None:
    found = power.energy(power.efficiency(comparable_rows(MEASURED)), 0.12, 1.3)
    assert span(found, "joules") == (0.25, 0.25)
    by_hand = 0.25 * 1e6 / 3.6e6 * 0.12 * 1.3
    assert span(found, "usd_per_million") == pytest.approx((by_hand, by_hand), **CLOSE)
    assert by_hand == pytest.approx(0.010833333333333334, **CLOSE)


def test_best_efficiency_is_least_energy(comparable_rows: Rows) -> None:
    found = power.energy(power.efficiency(comparable_rows(PRINTED)), 0.36, 1.0)
    assert span(found, "joules") == pytest.approx((1 / 4.5, 1 / 3.5), **CLOSE)
    assert span(found, "usd_per_million") == pytest.approx((0.1 / 4.5, 0.1 / 3.5), **CLOSE)


def test_capped_run_keeps_a_share_and_mixing_flatters(comparable_rows: Rows) -> None:
    free = comparable_rows({"low": 20_000.0}, {"low": 25_000.0, "source_id": "doc001"})
    found = power.capped(comparable_rows(MEASURED), free)
    assert span(found, "share") == (0.64, 0.8)
    assert span(found, "watts") == (4_000.0, 4_000.0)
    assert span(found, "honest") == (4.0, 4.0)
    assert span(found, "mixed") == (5.0, 6.25)
    assert span(found, "overstated") == (1.25, 1.5625)
    assert row(found)["source_ids"] == ("doc001", "mlcommons-v4.1")


def test_capped_run_carries_the_notes_of_both_runs_but_for_the_size_of_their_system(comparable_rows: Rows) -> None:
    size, cap, preview, inferred = (
        note("another_size", count=8, usual=4), note("power_capped"), note("preview"), note("inferred")
    )  # fmt: skip
    free = comparable_rows({"notes": {size, preview}}, {"notes": {inferred}})
    found = power.capped(comparable_rows(MEASURED | {"notes": {size, cap}}), free)
    assert row(found)["notes"] == {cap, preview, inferred}


@pytest.mark.parametrize(
    "other",
    [{"round": "v5.1"}, {"accelerator_count": 4}, {"accelerator": "L40S"}, {"scenario": "Server"}, {"benchmark": "x"}],
)
def test_capped_run_is_set_beside_the_same_system_only(comparable_rows: Rows, other: dict) -> None:
    assert power.capped(comparable_rows(MEASURED), comparable_rows(other)).empty


def test_power_run_without_watts_is_not_set_beside_another(comparable_rows: Rows) -> None:
    assert power.capped(comparable_rows(PRINTED), comparable_rows({})).empty


def limits() -> pd.DataFrame:
    return pd.DataFrame({"accelerator": ["H100 SXM", "unknown"], "power_limit_w": [700.0, None]})


def test_wall_power_stands_over_the_summed_limits(comparable_rows: Rows) -> None:
    found = power.beside_limits(comparable_rows(MEASURED | {"power_watts_high": 7_000.0}), limits())
    assert row(found)["limits_w"] == 5_600.0
    assert span(found, "of_limits") == pytest.approx((4_000 / 5_600, 1.25), **CLOSE)


@pytest.mark.parametrize(
    "other", [{"accelerator": "unknown"}, {"accelerator": "not listed"}, {"power_watts_low": None}]
)
def test_unknown_limit_or_watts_are_left_out(comparable_rows: Rows, other: dict) -> None:
    assert power.beside_limits(comparable_rows(MEASURED | other), limits()).empty


def test_empty_rows_give_empty_frames(comparable_rows: Rows) -> None:
    nothing = comparable_rows()
    efficient = power.efficiency(nothing)
    frames = [efficient, power.energy(efficient, 0.1, 1.0), power.implied_watts(nothing)]
    frames += [power.capped(nothing, nothing), power.beside_limits(nothing, limits())]
    assert [len(frame) for frame in frames] == [0] * len(frames)


def test_every_power_submission_is_listed_with_the_energy_of_its_unit_of_work(results: Rows) -> None:
    """4,000 W over 16,000 a second are 0.25 joules; a stream's 29.2 millijoules per query stand as published."""
    metered = {"power_measured": True, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
    stream = {"power_measured": True, "metric": "latency", "unit": "ms", "scenario": "SingleStream", "suite": "edge"}
    rows = results(
        {"low": 16000.0, "high": 16000.0, "unit": "tokens/s", **metered},
        {"low": 0.12, "high": 0.12, **stream},
        {"low": 16000.0, "high": 16000.0, "duplicate_of": "r0", **metered},
        {"low": 16000.0, "high": 16000.0, "round": "v5.1", **metered},
        {"low": 16000.0, "high": 16000.0},
    ).assign(energy_millijoules_per_query=[float("nan"), 29.2, *[float("nan")] * 3])
    found = power.submissions(rows, ["official"], [rows["round"].iloc[0]])
    assert found["id"].tolist() == ["r0", "r1"] and found["work"].tolist() == ["token", "query"]
    assert found["joules_low"].tolist() == pytest.approx([0.25, 0.0292], rel=1e-12)
    assert len(power.submissions(rows, ["official"], [])) == 3 and power.submissions(rows, ["measured"], []).empty
