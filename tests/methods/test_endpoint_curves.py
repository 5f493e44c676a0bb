"""Step functions of MLPerf Endpoints: each point holds down to the one before, and nothing lies between."""

import pandas as pd
import pytest

from analysis.methods import endpoint_curves

SAME = {"model": "llm", "dataset": "MMLU", "interactivity_basis": "1000 / TPOT P90", "submitter": "Acme",
        "system": "node", "accelerator": "B300 SXM", "accelerator_count": 8, "availability": "Available",
        "available_from": "", "division": "Standardized", "point_power_kw": 10.0}  # fmt: skip


def points(*pairs, curve="a", **changes):
    """Points of one curve: interactivity and tokens/s."""
    made = [{"curve": curve, "interactivity": at, "tokens_per_second": rate} for at, rate in pairs]
    return pd.DataFrame([SAME | changes | row for row in made]).astype({"interactivity": "float64"})


CURVE = points((10, 8000), (40, 4000), (120, 400), (None, 9000))


def test_each_step_holds_from_the_one_before_and_offline_is_none():
    steps = endpoint_curves.steps(CURVE)
    assert steps[["holds_from", "interactivity", "tokens_per_second"]].to_numpy().tolist() == [
        [0, 10, 8000], [10, 40, 4000], [40, 120, 400],
    ]  # fmt: skip
    assert steps["per_accelerator"].tolist() == [1000, 500, 50] and steps["per_kilowatt"].tolist() == [800, 400, 40]


def test_a_point_that_a_faster_one_exceeds_is_no_step():
    steps = endpoint_curves.steps(points((10, 3000), (40, 4000), (120, 400), (130, 400)))
    assert steps[["holds_from", "interactivity"]].to_numpy().tolist() == [[0, 40], [40, 130]]


def test_at_a_target_the_step_is_that_of_a_point_as_fast_or_faster():
    reached = endpoint_curves.at_targets(CURVE, [10, 15, 40, 120, 121]).set_index("target")
    assert reached["tokens_per_second"].dropna().to_dict() == {10: 8000, 15: 4000, 40: 4000, 120: 400}
    assert reached.loc[121, "system"] == "node" and pd.isna(reached.loc[121, "tokens_per_second"])


def test_leaders_are_available_standardized_and_of_one_definition():
    others = [
        points((50, 5000), curve="b", submitter="Bolt"),
        points((50, 9000), curve="c", availability="Preview"),
        points((50, 9000), curve="d", division="Serviced"),
        points((50, 100), curve="e", interactivity_basis="system rate / concurrency"),
    ]
    reached = endpoint_curves.at_targets(pd.concat([CURVE, *others]), [15, 100])
    leaders = endpoint_curves.leaders(reached, "per_accelerator")
    assert leaders[["target", "curve"]].to_numpy().tolist() == [[15, "b"], [100, "a"], [15, "e"]]
    powerless = endpoint_curves.at_targets(CURVE.assign(point_power_kw=float("nan")), [15])
    assert endpoint_curves.leaders(powerless, "per_kilowatt").empty


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "B300 8x, Acme"),
        ({"accelerator_count": pd.NA}, "B300, Acme"),
        ({"availability": "Preview", "available_from": "2027-03-01"}, "B300 8x, Acme, Preview, available 2027-03-01"),
        ({"availability": "Preview"}, "B300 8x, Acme, Preview"),
        ({"availability": "RDI", "division": "RDI"}, "B300 8x, Acme, RDI"),
        ({"division": "Serviced"}, "B300 8x, Acme, Serviced"),
    ],
)
def test_a_name_says_what_a_result_is_not(changes, name):
    rows = points((10, 1), **changes).astype({"accelerator_count": "Int64"})
    assert endpoint_curves.named(rows, {"B300 SXM": "B300"}.get)["name"].tolist() == [name]
