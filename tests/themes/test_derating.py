"""Measured derates, needs by interval arithmetic, seeded draws and what matters most, by hand and by property."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.themes import derating
from analysis.themes.demand import Demand

Rows = Callable[..., pd.DataFrame]
ONE = Interval(1.0, 1.0)
OFFLINE = {"result_id": "4.1-0001", "low": 1000.0}
SERVER = {"result_id": "4.1-0001", "low": 800.0, "scenario": "Server"}
CLOSE = {"rel": 1e-12}


def test_derate_is_that_of_one_system(comparable_rows: Rows) -> None:
    second = {"result_id": "4.1-0002", "submitter": "Else"}
    offline = comparable_rows(OFFLINE, OFFLINE | second | {"low": 2000.0})
    limited = comparable_rows(SERVER, SERVER | second | {"low": 1000.0})
    first, other = derating.measured(offline, limited).to_dict("records")
    assert (first["derate_low"], first["derate_high"], other["derate_low"]) == (0.8, 0.8, 0.5)
    assert (first["submitter"], other["submitter"], first["kind"]) == ("ACME", "Else", "available")
    assert (first["scenario"], first["notes"], first["source_ids"]) == ("Server", NONE, ("mlcommons-v4.1",))
    assert (first["origin"], first["rounds"], first["round"]) == ("official", ("v4.1",), "v4.1")


def test_derate_carries_the_notes_of_both_runs_but_for_the_size_of_their_system(comparable_rows: Rows) -> None:
    size, preview, inferred = note("another_size", count=1, usual=8), note("preview"), note("inferred")
    offline = comparable_rows(OFFLINE | {"notes": {size, inferred}})
    limited = comparable_rows(SERVER | {"notes": {size, preview}})
    assert derating.measured(offline, limited)["notes"].tolist() == [{preview, inferred}]


@pytest.mark.parametrize(
    "other",
    [{"result_id": "4.1-0009"}, {"accelerator_count": 4}, {"accelerator": "L40S"}, {"benchmark": "images"},
     {"round": "v5.1"}],
)  # fmt: skip
def test_a_system_without_an_offline_run_is_there_without_a_derate(comparable_rows: Rows, other: dict) -> None:
    (row,) = derating.measured(comparable_rows(OFFLINE), comparable_rows(SERVER | other)).to_dict("records")
    assert np.isnan(row["derate_low"]) and row["notes"] == NONE
    assert derating.pooled(pd.DataFrame([row])).empty and derating.by_accelerator(pd.DataFrame([row])).empty


def test_systems_without_result_ids_are_not_paired_with_one_another(comparable_rows: Rows) -> None:
    """Three submitters with the same accelerators: each keeps exactly 0.9, whatever the others reach."""
    rows = [{"id": f"o-6.1-closed-{name}-p", "low": low} for name, low in (("a", 1e5), ("b", 4e5), ("c", 2e5))]
    limited = [row | {"id": f"{row['id']}-server", "low": row["low"] * 0.9, "scenario": "Server"} for row in rows]
    offline = [row | {"id": f"{row['id']}-offline"} for row in rows]
    found = derating.measured(comparable_rows(*offline), comparable_rows(*limited))
    assert (found["derate_low"].tolist(), found["derate_high"].tolist()) == ([0.9] * 3, [0.9] * 3)


@pytest.mark.parametrize("origin", ["published", "measured"])
def test_what_does_not_name_its_system_has_no_derate(comparable_rows: Rows, origin: str) -> None:
    paper = {"origin": origin, "source": "Paper", "source_id": "doc000", "result_id": ""}
    assert derating.measured(comparable_rows(OFFLINE | paper), comparable_rows(SERVER | paper)).empty


def systems(comparable_rows: Rows, *changes: dict) -> pd.DataFrame:
    """Systems that keep 0.9, 0.8, 0.7 ... of 1,000, each with its own changes."""
    both = [{"result_id": f"4.1-{place}"} | change for place, change in enumerate(changes)]
    offline = comparable_rows(*(OFFLINE | row for row in both))
    limited = comparable_rows(*(SERVER | row | {"low": 900.0 - 100 * place} for place, row in enumerate(both)))
    names = [change.get("hypervisor", "") for change in changes]
    return derating.measured(offline, limited.assign(hypervisor=pd.Series(names, index=limited.index, dtype="str")))


def test_preview_virtualised_and_two_precisions_are_marked_and_not_pooled(comparable_rows: Rows) -> None:
    changes = {}, {"availability": "preview"}, {"hypervisor": "VMware vSphere"}
    found = systems(comparable_rows, *changes)
    assert found["kind"].tolist() == ["available", "preview", "virtualised"]
    assert derating.pooled(found)["derate_low"].tolist() == [0.9]
    assert derating.pooled(found.tail(2))["derate_low"].tolist() == [0.8, 0.7]
    half = comparable_rows(OFFLINE | {"precision": "fp16"}), comparable_rows(OFFLINE | {"precision": ""})
    assert derating.measured(half[0], comparable_rows(SERVER))["kind"].tolist() == [derating.TWO_PRECISIONS]
    assert derating.measured(half[1], comparable_rows(SERVER))["kind"].tolist() == ["available"]


def test_derates_of_an_accelerator_have_range_median_and_systems_newest_round_first(comparable_rows: Rows) -> None:
    """0.9, 0.8, 0.7 of H100, whose median is 0.8; a preview apart; L40S of the round after first."""
    later = {"round": "v5.1", "accelerator": "L40S", "source_id": "mlcommons-v5.1"}
    found = derating.by_accelerator(systems(comparable_rows, {}, {}, {}, {"availability": "preview"}, later))
    told = found[["round", "accelerator", "kind", "derate_low", "derate_high", "systems"]].to_numpy().tolist()
    assert told == [["v5.1", "L40S", "available", 0.5, 0.5, 1], ["v4.1", "H100 SXM", "available", 0.7, 0.9, 3],
                    ["v4.1", "H100 SXM", "preview", 0.6, 0.6, 1]]  # fmt: skip
    assert found["derate_median"].tolist() == pytest.approx([0.5, 0.8, 0.6], **CLOSE)
    assert found["source_ids"].tolist()[0] == ("mlcommons-v5.1",)


def test_an_accelerator_is_told_by_its_own_systems_of_one_size_and_round(comparable_rows: Rows) -> None:
    later = {"round": "v5.1", "accelerator_count": 16}
    found = systems(comparable_rows, {}, {"accelerator_count": 4}, later, {"accelerator": "L40S"})
    assert derating.of_accelerator(found, "H100 SXM")["derate_low"].tolist() == [0.9]
    assert derating.of_accelerator(found, "MI300X")["derate_low"].tolist() == [0.9, 0.8, 0.7, 0.6]


def test_overall_derate_is_at_most_one() -> None:
    frame = pd.DataFrame({"derate_low": [0.7, 0.9, np.nan], "derate_high": [0.8, 1.1, np.nan]})
    assert derating.overall(frame) == Interval(0.7, 1.0)
    assert derating.overall(frame.head(1)) == Interval(0.7, 0.8)
    assert derating.overall(frame + 1) == Interval(1.0, 1.0)
    assert not derating.overall(frame.tail(1)).known and not derating.overall(frame.head(0)).known


def test_a_system_that_ran_for_both_targets_is_paired_within_each(comparable_rows: Rows) -> None:
    runs = [
        {"result_id": "4.1-0001", "accuracy_target": target, "low": low}
        for target, low in (("99", 1000.0), ("99.9", 800.0))
    ]
    limited = [run | {"scenario": "Server", "low": run["low"] / 2} for run in runs]
    (row,) = derating.measured(comparable_rows(*runs), comparable_rows(*limited)).to_dict("records")
    assert (row["derate_low"], row["derate_high"]) == (0.5, 0.5)
    (row,) = derating.measured(comparable_rows(runs[1]), comparable_rows(*limited)).to_dict("records")
    assert (row["derate_low"], row["derate_high"]) == (0.5, 0.625)


def test_layer_is_held_against_the_same_system_without_it(comparable_rows: Rows) -> None:
    rows = comparable_rows(
        {"system": "box (8x, TensorRT)", "low": 1000.0}, {"system": "box (8x, TensorRT, Triton)", "low": 950.0},
        {"system": "other (8x, Triton)", "low": 1.0},
    )  # fmt: skip
    (row,) = derating.layered(rows, "Triton").to_dict("records")
    assert (row["share_low"], row["share_high"], row["accelerator"]) == (0.95, 0.95, "H100 SXM")
    assert row["source_ids"] == ("mlcommons-v4.1",)


@pytest.mark.parametrize(
    "other",
    [{"submitter": "else"}, {"scenario": "Server"}, {"accelerator_count": 4}, {"accuracy_target": "99"}],
)
def test_layer_on_another_system_is_not_held_against_it(comparable_rows: Rows, other: dict) -> None:
    rows = comparable_rows({"system": "box (8x)"}, {"system": "box (8x, Triton)"} | other)
    assert derating.layered(rows, "Triton").empty


def test_four_causes_two_of_them_measured() -> None:
    latency = pd.DataFrame({"derate_low": [0.7, 0.8, 0.9], "derate_high": [0.75, 1.05, 1.0], "scenario": "Interactive"})
    latency = latency.assign(system_key=["a", "b", "b"], benchmark=["llm", "llm", "images"])
    layer = pd.DataFrame({"share_low": [0.9, 0.95], "share_high": [0.97, 0.99], "system_key": "a", "benchmark": "llm"})
    found = derating.causes(latency, layer, "Triton")
    assert found["share_low"].dropna().tolist() == [0.7, 0.9]
    assert found["share_high"].dropna().tolist() == [1.05, 0.99]
    assert found["share_low"].isna().tolist() == [False, True, False, True]
    assert found[["systems", "benchmarks"]].to_numpy().tolist() == [[2, 2], [0, 0], [1, 1], [0, 0]]
    assert list(found["measured_by"][:2]) == [
        "Interactive over Offline, same system",
        "nothing: MLPerf Interactive arrivals are random but steady",
    ]


def test_causes_of_nothing_are_all_unknown() -> None:
    names = ["scenario", "system_key", "benchmark"]
    latency, layer = (
        pd.DataFrame({name: [] for name in ["derate_low", "derate_high", *names]}),
        pd.DataFrame({name: [] for name in ["share_low", "share_high", *names]}),
    )
    assert derating.causes(latency, layer, "Triton")["share_low"].isna().all()


CLAIMS = pd.DataFrame(
    [("users", 100.0, 100.0, "users"), ("tokens_per_second_per_user", 30.0, 30.0, "tokens/s"),
     ("accelerators_needed", 4.0, 4.0, "accelerators"), ("bill_per_hour", 19.04, 19.04, "USD/hour"),
     ("bill_per_user_hour", 0.185, 0.195, "USD/hour")],
    columns=["quantity", "low", "high", "unit"],
).assign(source_id="doc002", duplicate_of="")  # fmt: skip


def test_example_of_the_document_follows_from_its_figures() -> None:
    found = derating.example(CLAIMS, Interval(750.0, 820.0), Interval(4.76, 4.76)).set_index("quantity")
    assert found["computed_low"].to_dict() == pytest.approx(
        {"accelerators_needed": 4, "bill_per_hour": 19.04, "bill_per_user_hour": 0.1904}, **CLOSE
    )
    assert found["computed_high"].tolist() == found["computed_low"].tolist()
    assert found["holds"].tolist() == [True, True, True]
    assert found.loc["bill_per_user_hour", ["stated_low", "stated_high"]].tolist() == [0.185, 0.195]


def test_example_on_other_figures_does_not_hold() -> None:
    found = derating.example(CLAIMS, Interval(2900.0, 3100.0), Interval(4.76, 4.76)).set_index("quantity")
    assert found.loc["accelerators_needed", ["computed_low", "computed_high"]].tolist() == [1, 2]
    assert found["holds"].tolist() == [False, False, False]


def test_example_on_an_unknown_throughput_is_unknown_and_does_not_hold() -> None:
    nan = float("nan")
    found = derating.example(CLAIMS, Interval(nan, nan), Interval(4.76, 4.76))
    assert found["computed_low"].isna().all()
    assert not found["holds"].any()


def test_example_without_users_or_speed_is_empty() -> None:
    assert derating.example(CLAIMS.iloc[1:], Interval(750.0, 820.0), ONE).empty
    assert derating.example(CLAIMS.head(0), Interval(750.0, 820.0), ONE).empty


def test_example_leaves_out_what_the_document_does_not_state() -> None:
    found = derating.example(CLAIMS.head(3), Interval(750.0, 820.0), Interval(4.76, 4.76))
    assert found["quantity"].tolist() == ["accelerators_needed"]
    assert found["source_ids"].tolist() == [("doc002",)]


def test_need_is_rounded_up_to_whole_accelerators() -> None:
    needed = derating.need(Demand(100, 30.0), Interval(750.0, 820.0), Interval(0.6, 0.8), Interval(2.0, 3.0))
    assert needed["accelerators"] == Interval(5.0, 7.0)
    assert needed["usd_per_hour"] == Interval(10.0, 21.0)
    assert needed["usd_per_user_hour"].low == pytest.approx(0.1, **CLOSE)
    assert needed["usd_per_user_hour"].high == pytest.approx(0.21, **CLOSE)


@pytest.mark.parametrize(
    ("users", "rate", "derate", "count"),
    [(100, 750.0, 1.0, 4), (100, 1000.0, 0.6, 5), (10, 100.0, 0.3, 10), (7, 100.0, 0.7, 3), (101, 750.0, 1.0, 5)],
)
def test_exact_whole_number_buys_no_other(users: int, rate: float, derate: float, count: int) -> None:
    needed = derating.need(Demand(users, 30.0), Interval(rate, rate), Interval(derate, derate), ONE)
    assert needed["accelerators"] == Interval(count, count)


def test_peak_traffic_and_weights_raise_the_need() -> None:
    assert derating.need(Demand(100, 30.0, Interval(1.0, 2.0)), Interval(1000.0, 1000.0), ONE, ONE)["accelerators"] == (
        Interval(3.0, 6.0)
    )
    assert derating.need(Demand(1, 1.0), Interval(1000.0, 1000.0), ONE, ONE, at_least=2)["accelerators"] == (
        Interval(2.0, 2.0)
    )


PLAN = {
    "demand": Demand(100, 30.0, Interval(1.0, 1.5)),
    "per_accelerator": Interval(2500.0, 3000.0),
    "derate": Interval(0.6, 0.8),
    "price": Interval(2.0, 4.0),
    "draws": 2000,
    "seed": 0,
}


def drawn(**changes: object) -> pd.DataFrame:
    return derating.draw(**PLAN | changes)


def test_same_seed_gives_the_same_draws_and_another_others() -> None:
    pd.testing.assert_frame_equal(drawn(), drawn())
    assert not drawn()["price"].equals(drawn(seed=1)["price"])


def test_first_draw_of_seed_zero_is_the_same_on_any_machine() -> None:
    assert drawn()["throughput per accelerator"].iloc[0] == pytest.approx(2500 + 500 * 0.6369616873214543, **CLOSE)


def test_inputs_lie_in_their_ranges_and_fill_them() -> None:
    frame = drawn()
    ranges = (PLAN["per_accelerator"], PLAN["derate"], PLAN["demand"].peak_over_mean, PLAN["price"])
    for name, each in zip(derating.INPUTS, ranges, strict=True):
        assert frame[name].between(each.low, each.high).all()
        assert frame[name].max() - frame[name].min() > 0.98 * (each.high - each.low)
    assert abs(frame[list(derating.INPUTS)].corr().to_numpy() - np.eye(4)).max() < 0.1


def test_each_draw_is_its_own_arithmetic() -> None:
    for row in drawn(draws=20).to_dict("records"):
        exact = 3000 * row["peak over mean"] / (row["throughput per accelerator"] * row["derate"])
        assert row["exact"] == pytest.approx(exact, **CLOSE)
        assert row["accelerators"] == int(exact) + 1
        assert row["usd_per_hour"] == pytest.approx(row["accelerators"] * row["price"], **CLOSE)
        assert row["usd_per_user_hour"] == pytest.approx(row["usd_per_hour"] / 100, **CLOSE)


def test_draws_lie_within_the_need_by_intervals() -> None:
    needed = derating.need(*(PLAN[name] for name in ("demand", "per_accelerator", "derate", "price")))
    frame = drawn()
    for name in ("accelerators", "usd_per_hour", "usd_per_user_hour"):
        assert frame[name].between(needed[name].low, needed[name].high).all()


def test_draws_without_width_are_the_example() -> None:
    frame = drawn(
        demand=Demand(100, 30.0), per_accelerator=Interval(750.0, 750.0), derate=ONE, price=Interval(4.76, 4.76)
    )
    assert frame[["accelerators", "usd_per_hour"]].drop_duplicates().to_numpy().tolist() == [[4.0, 4 * 4.76]]


def test_draws_hold_the_weights() -> None:
    assert drawn(at_least=7)["accelerators"].min() == 7


@given(st.integers(1, 10_000), st.integers(0, 10_000), st.floats(0.01, 100), st.floats(0, 100))
def test_more_users_or_a_higher_price_never_cost_less(users: int, more: int, usd: float, dearer: float) -> None:
    few, many = (drawn(demand=Demand(n, 30.0, Interval(1.0, 1.5)), draws=50) for n in (users, users + more))
    assert (many["accelerators"] >= few["accelerators"]).all()
    cheap, dear = (drawn(price=Interval(low, low), draws=50) for low in (usd, usd + dearer))
    assert (dear["usd_per_hour"] >= cheap["usd_per_hour"]).all()


@pytest.mark.parametrize("derate", [(0.0, 0.5), (0.5, 1.01), (-0.1, 0.5), (0.8, 0.6)])
def test_derate_out_of_its_range_is_refused(derate: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="derate"):
        drawn(derate=Interval(*derate))


@pytest.mark.parametrize("name", ["per_accelerator", "derate", "price"])
def test_unknown_input_gives_no_draws(name: str) -> None:
    frame = drawn(**{name: Interval(float("nan"), float("nan"))})
    assert frame.empty
    assert list(frame.columns) == [*derating.INPUTS, *derating.OUTPUTS]
    assert derating.sensitivity(frame).empty
    assert derating.percentiles(frame, ["accelerators"])["p50"].isna().all()


def test_sensitivity_has_the_sign_of_the_cause_and_shares_add_up() -> None:
    found = derating.sensitivity(drawn()).set_index("input")
    signs = {"throughput per accelerator": -1, "derate": -1, "peak over mean": 1, "price": 1}
    assert np.sign(found["correlation"]).to_dict() == signs
    assert found["share"].sum() == pytest.approx(1.0, **CLOSE)
    assert found["share"].idxmax() == "price"


def test_price_matters_to_the_bill_and_not_to_the_count() -> None:
    count = derating.sensitivity(drawn(), "accelerators").set_index("input")["correlation"]
    assert abs(count["price"]) < 0.1
    assert count["derate"] < -0.3


def test_only_cause_explains_everything() -> None:
    frame = drawn(demand=Demand(100, 30.0), per_accelerator=Interval(750.0, 750.0), derate=ONE)
    assert derating.sensitivity(frame).to_dict("records") == [
        {"input": "price", "correlation": pytest.approx(1.0), "share": 1.0}
    ]


def test_percentiles_are_ordered_and_by_hand() -> None:
    frame = pd.DataFrame({"accelerators": np.arange(101.0), "usd_per_hour": np.arange(101.0) * 2})
    (count, bill) = derating.percentiles(frame, ["accelerators", "usd_per_hour"]).to_dict("records")
    assert count == {"output": "accelerators", "p10": 10.0, "p50": 50.0, "p90": 90.0}
    assert bill == {"output": "usd_per_hour", "p10": 20.0, "p50": 100.0, "p90": 180.0}
    marks = derating.percentiles(drawn(), list(derating.OUTPUTS))
    assert ((marks["p10"] <= marks["p50"]) & (marks["p50"] <= marks["p90"])).all()


def test_empty_rows_give_empty_frames(comparable_rows: Rows) -> None:
    nothing = comparable_rows()
    measured = derating.measured(nothing, nothing)
    assert measured.empty and derating.pooled(measured).empty and derating.by_accelerator(measured).empty
    assert derating.of_accelerator(measured, "H100 SXM").empty and not derating.overall(measured).known
    assert derating.layered(nothing, "Triton").empty
