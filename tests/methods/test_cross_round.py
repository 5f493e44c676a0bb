"""Cross-round estimates computed by hand: A / X x X' / base, which links count, and their notes."""

import pytest

from analysis._core.notes import note, without
from analysis.methods import speedup

LONE = ("single", "single_submitter", "single_base")  # who filed the two sides, tried in test_alike

BASE, B200, MI300, NEW = ({"accelerator": name} for name in ("H100 SXM", "B200 SXM", "MI300X", "B300 SXM"))
OLD, LATER = ({"round": name, "source_id": f"mlcommons-{name}"} for name in ("v5.1", "v6.0"))
OTHER = {"submitter": "Other"}
CLOSE = {"rel": 1e-12}


def over(rows, **asked):
    """The cross-round speedups over H100; of the round `asked`, else of all."""
    chosen = rows[rows["round"].eq(asked["round"])] if asked else rows
    found = speedup.over_baseline(chosen, "H100 SXM", rows)
    return found[found["through"].ne("")].set_index("accelerator")


def ends(found, name, what="speedup"):
    return found.at[name, f"{what}_low"], found.at[name, f"{what}_high"]


def test_each_ratio_is_within_its_own_round(comparable_rows):
    """1600 / 800 x 900 / 300: what became of B200 between the rounds stands in neither ratio."""
    rows = comparable_rows(
        OLD | BASE | {"low": 300.0}, OLD | B200 | {"low": 900.0},
        LATER | B200 | {"low": 800.0}, LATER | NEW | {"low": 1600.0},
    )  # fmt: skip
    found = over(rows)
    assert (found.index.tolist(), ends(found, "B300 SXM")) == (["B300 SXM"], (6.0, 6.0))
    row = found.loc["B300 SXM"]
    assert (row["basis"], row["rounds"], row["through"]) == ("official v6.0 via v5.1", ("v5.1", "v6.0"), "v5.1")
    assert (row["links"], row["pairs"], row["origin"]) == (("B200 SXM",), 0, "official")
    assert row["source_ids"] == ("mlcommons-v5.1", "mlcommons-v6.0")
    assert without(row["notes"], *LONE) == {
        note("bridged", bridge="B200 SXM", rounds="v6.0 and v5.1", submitter="ACME")
    }


def test_without_the_record_no_bridge_is_taken(comparable_rows):
    rows = comparable_rows(OLD | BASE, OLD | B200, LATER | B200, LATER | NEW)
    assert "B300 SXM" not in set(speedup.over_baseline(rows, "H100 SXM")["accelerator"])


def test_a_round_asked_for_alone_is_crossed_by_the_record(comparable_rows):
    """B200 is its own link: 800 / 800 x 900 / 300."""
    rows = comparable_rows(OLD | BASE | {"low": 300.0}, OLD | B200 | {"low": 900.0}, LATER | B200)
    assert ends(over(rows, round="v6.0"), "B200 SXM") == (3.0, 3.0)


def test_what_the_record_does_not_compare_has_no_bridge(comparable_rows):
    """A round, or an accelerator of it, that the record has in another accuracy target alone."""
    record = comparable_rows(OLD | BASE, OLD | B200, LATER | B200)
    for round, accelerator in (({"round": "v2.1"}, BASE), (LATER, NEW)):
        rows = comparable_rows(round | {"source_id": ""} | accelerator)
        assert speedup.over_baseline(rows, "MI300X", record).empty
        assert speedup.over_baseline(rows, "H100 SXM", record)["through"].eq("").all()


def test_one_submitter_s_bridge_comes_first(comparable_rows):
    rows = comparable_rows(
        OLD | BASE | {"low": 300.0}, OLD | B200 | {"low": 900.0}, OLD | B200 | OTHER | {"low": 1200.0},
        LATER | B200 | {"low": 800.0}, LATER | B200 | {"low": 1000.0, "submitter": "Third"},
        LATER | NEW | {"low": 1600.0},
    )  # fmt: skip
    assert ends(over(rows), "B300 SXM") == (6.0, 6.0)


def test_any_two_systems_are_the_bridge_where_no_submitter_has_both(comparable_rows):
    """1600 / 1000 x 600 / 300 to 1600 / 800 x 900 / 300."""
    rows = comparable_rows(
        OLD | BASE | {"low": 300.0}, OLD | B200 | {"low": 900.0}, OLD | B200 | {"low": 600.0},
        LATER | B200 | OTHER | {"low": 800.0}, LATER | B200 | OTHER | {"low": 1000.0},
        LATER | NEW | {"low": 1600.0},
    )  # fmt: skip
    found = over(rows)
    assert ends(found, "B300 SXM") == pytest.approx((3.2, 6.0), **CLOSE)
    assert without(found.at["B300 SXM", "notes"], *LONE) == {
        note("bridged", bridge="B200 SXM", rounds="v6.0 and v5.1", submitter="any submitter")
    }


def link(name, older, later, size=8):
    own = {"accelerator": name, "submitter": name}
    return [OLD | own | {"low": older}, LATER | own | {"low": later * size / 8, "accelerator_count": size}]


def test_links_of_another_size_count_where_fewer_than_two_are_of_one_size(comparable_rows):
    """Over X 6, over Y 4.4, over Z of 16 accelerators 1600 / 200 x 300 / 300 = 8."""
    ends_of = {"X": link("X", 900.0, 800.0), "Y": link("Y", 330.0, 400.0), "Z": link("Z", 300.0, 200.0, 16)}
    frame = [OLD | BASE | {"low": 300.0}, LATER | NEW | {"low": 1600.0}]
    found = over(comparable_rows(*frame, *(row for name in "XYZ" for row in ends_of[name])))
    assert ends(found, "B300 SXM") == pytest.approx((4.4, 6.0), **CLOSE)
    found = over(comparable_rows(*frame, *ends_of["X"], *ends_of["Z"]))
    assert (ends(found, "B300 SXM"), found.at["B300 SXM", "links"]) == ((6.0, 8.0), ("X", "Z"))
    about = {"bridge": "X, Z", "rounds": "v6.0 and v5.1", "submitter": "one submitter each"}
    assert note("bridged", **about) in found.at["B300 SXM", "notes"]


def test_many_links_are_counted(comparable_rows):
    rows = [row for name in "WXYZ" for row in link(name, 900.0, 800.0)]
    found = over(comparable_rows(OLD | BASE | {"low": 300.0}, LATER | NEW | {"low": 1600.0}, *rows))
    about = {"bridge": "4 accelerators", "rounds": "v6.0 and v5.1", "submitter": "one submitter each"}
    assert without(found.at["B300 SXM", "notes"], *LONE) == {note("bridged", **about)}


def test_the_newest_round_with_baseline_and_bridge_is_crossed(comparable_rows):
    older, between = {"round": "v4.1"}, {"round": "v5.0"}
    rows = comparable_rows(
        older | BASE | {"low": 100.0}, older | B200 | {"low": 900.0}, between | BASE, between | MI300,
        OLD | BASE | {"low": 300.0}, OLD | B200 | {"low": 900.0}, LATER | B200 | {"low": 800.0},
        LATER | NEW | {"low": 1600.0},
    )  # fmt: skip
    found = over(rows)
    assert (ends(found, "B300 SXM"), found.at["B300 SXM", "through"]) == ((6.0, 6.0), "v5.1")


def test_an_accelerator_is_bridged_in_its_newest_round(comparable_rows):
    early = {"round": "v5.0"}
    rows = comparable_rows(
        OLD | BASE, OLD | B200, early | B200, early | NEW | {"low": 3200.0}, LATER | B200, LATER | NEW | {"low": 1600.0}
    )
    found = over(rows)
    assert (found.index.tolist(), ends(found, "B300 SXM")) == (["B300 SXM"], (2.0, 2.0))


def test_another_benchmark_or_scenario_is_no_bridge(comparable_rows):
    for elsewhere in ({"benchmark": "images"}, {"scenario": "Server"}):
        rows = comparable_rows(OLD | BASE | elsewhere, OLD | B200 | elsewhere, LATER | B200, LATER | NEW)
        assert over(rows).empty


def test_spread_and_scope_are_of_the_like_systems(comparable_rows):
    """The slower system by the lower way: 6 x 1200 / 1600."""
    rows = comparable_rows(
        OLD | BASE | {"low": 300.0}, OLD | B200 | {"low": 900.0}, LATER | B200 | {"low": 800.0},
        LATER | NEW | {"low": 1600.0}, LATER | NEW | {"low": 1200.0}, LATER | NEW | {"accelerator_count": 16},
    )  # fmt: skip
    found = over(rows)
    assert ends(found, "B300 SXM", "spread") == (4.5, 6.0)
    assert found.loc["B300 SXM", ["systems", "of_systems"]].tolist() == [2, 3]


def test_different_sizes_of_accelerator_and_baseline_are_told(comparable_rows):
    large = {"accelerator_count": 32, "low": 1200.0}
    rows = comparable_rows(OLD | BASE | large, OLD | B200, LATER | B200, LATER | NEW)
    assert note("different_sizes", sizes="8x", other_sizes="32x") in over(rows).at["B300 SXM", "notes"]


def test_a_virtualized_system_is_told_over_a_bridge_too(comparable_rows):
    rows = comparable_rows(OLD | BASE, OLD | B200, LATER | B200, LATER | NEW).assign(hypervisor=["", "", "", "KVM"])
    assert note("virtualized", accelerator="B300 SXM", hypervisor="KVM") in over(rows).at["B300 SXM", "notes"]
