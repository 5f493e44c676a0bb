"""The leaderboard of available accelerators, by hand: fastest comparable systems; unknown stays unknown."""

import pandas as pd
import pytest

from analysis._core.notes import note
from analysis.methods import power, rankings, speedup, system_properties

B200 = {"accelerator": "B200 SXM", "round": "v6.0", "source_id": "mlcommons-v6.0", "source": "official v6.0"}
METERED = {"power_measured": True, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
EMPTY = ()


@pytest.fixture
def official(comparable_rows):
    """Comparable rows with the software that they ran."""
    return lambda *rows: comparable_rows(*rows).assign(framework="TensorRT")


def matrix(make, *rows, metered=EMPTY, baseline="H100 SXM"):
    """The matrix of these rows, by accelerator, with metered runs and speedups of the Offline rows."""
    results = make(*rows)
    offline = results[results["scenario"].eq("Offline")]
    speedups = speedup.over_baseline(system_properties.available(offline), baseline, offline)
    return rankings.leaderboard(results, power.efficiency(make(*metered)), speedups).set_index("accelerator")


def test_scenario_of_another_round_than_the_row_has_a_note(official):
    rows = [{"round": "v5.1"}, {"scenario": "Interactive", "low": 80.0}]
    row = matrix(official, *rows).loc["H100 SXM"]
    crossed = note("different_rounds", rounds="v4.1", other_rounds="v5.1")
    assert (row["interactive_high"], row["interactive_round"]) == (10.0, "v4.1")
    assert row["interactive_notes"] == {crossed} == row["notes"]
    assert row["offline_notes"] == frozenset()


def test_the_first_scenario_of_the_rows_ranks(official):
    rows = [
        {"scenario": "Server", "low": 800.0},
        B200 | {"scenario": "Server", "low": 400.0},
        {"low": 8.0},
        B200 | {"low": 8000.0},
    ]
    assert list(matrix(official, *rows).index) == ["H100 SXM", "B200 SXM"]


def test_joules_and_kilowatts_are_of_one_metered_run(official):
    """4,000 W over 800 tokens/s are 5 J and 4 kW; a worse run, a preview and a printed efficiency do not count."""
    capped = note("power_capped")
    metered = (
        METERED | {"power_capped": True, "notes": frozenset({capped})},
        METERED | {"low": 500.0, "system": "worse"},
        METERED | {"low": 9000.0, "availability": "preview", "system": "soon"},
        {"per_watt_low": 9.0, "per_watt_high": 9.0, "system": "printed"},
    )
    row = matrix(official, {}, metered=metered).loc["H100 SXM"]
    assert (row["joules_low"], row["joules_high"], row["kilowatts_high"]) == (5.0, 5.0, 4.0)
    assert row["joules_notes"] == {capped} == row["kilowatts_notes"]


def test_a_node_of_another_size_has_joules_and_no_kilowatts(official):
    row = matrix(official, {}, metered=(METERED | {"accelerator_count": 4},)).loc["H100 SXM"]
    assert row["joules_high"] == 5.0 and pd.isna(row["kilowatts_high"])


def test_cross_round_break_even_has_a_note(official):
    """H100 and H200 of v4.1 are 100 and 150; B200 of v6.0 has twice the H200 of its round: 3 H100."""
    h200 = {"accelerator": "H200 SXM", "submitter": "ACME"}
    rows = [{"low": 800.0}, h200 | {"low": 1200.0}, h200 | B200 | {"accelerator": "H200 SXM", "low": 1600.0}]
    row = matrix(official, *rows, B200 | {"low": 3200.0}).loc["B200 SXM"]
    assert (row["break_even_low"], row["break_even_high"]) == (3.0, 3.0)
    assert {each.code for each in row["break_even_notes"]} == {"bridged", "single", "single_base"}


@pytest.mark.parametrize(
    ("rounds", "names"), [([], ["r0", "r1", "r2"]), (["v4.1"], ["r0", "r1"]), (["v4.0", "v5.0"], ["r0", "r1"])]
)
def test_rows_until_the_newest_round_asked_for(official, rounds, names):
    rows = official({"round": "v2.0"}, {}, {"round": "v5.1"})
    assert rankings.up_to(rows, rounds)["id"].tolist() == names


def test_break_even_has_a_column_for_each_baseline_round(official):
    """B200 over the H100 of its own round, L40S over that of the round before, H200 over both, each with its rate."""
    cluster = B200 | {"accelerator": "H100 SXM", "accelerator_count": 32, "low": 4000.0}
    h200 = {"accelerator": "H200 SXM"}
    rows = [{"low": 800.0}, {"low": 80.0, "accelerator": "L40S"}, cluster, B200 | {"low": 2000.0}]
    rows += [h200 | {"low": 1048.0}, B200 | h200 | {"low": 1100.0, "accelerator_count": 8}]
    results = official(*rows)
    each = rankings.break_even(speedup.over_baseline(results, "H100 SXM"))
    assert each.groupby("baseline_round", sort=False)["baseline_rate_low"].unique().map(list).to_dict() == {
        "v6.0": [125.0],
        "v4.1": [100],
    }
    assert rankings.break_even(speedup.over_baseline(results.head(0), "H100 SXM")).empty
    table = rankings.with_break_even(matrix(official, *rows).reset_index(), each).set_index("accelerator")
    ratios = table[["break_even_v6.0_low", "break_even_v4.1_high"]]
    assert ratios.loc["H200 SXM"].tolist() == [1.1, 1.31]
    assert ratios.loc["B200 SXM", "break_even_v6.0_low"] == 2.0 and ratios.loc["L40S", "break_even_v4.1_high"] == 0.1
    assert ratios.isna().to_numpy().tolist().count([False, True]) == 1  # the B200; H100 and H200 have both
    codes = {name: {note.code for note in table.at[name, "break_even_v4.1_notes"]} for name in table.index}
    # The row of the H200 is of v6.0, and that of the H100 of the usual size is of v4.1.
    assert (
        codes["H200 SXM"]
        == {"single", "single_base", "different_rounds"}
        <= {n.code for n in table.at["H200 SXM", "notes"]}
    )
    assert codes["B200 SXM"] == codes["H100 SXM"] == set()
    of_cluster = {note.code for note in table.at["H100 SXM", "break_even_v6.0_notes"]}
    assert of_cluster == {"different_sizes", "different_rounds"}


def test_round_changes_compare_the_fastest_with_that_of_the_previous_round(official):
    rows = official(
        {"low": 9000.0, "round": "v4.0"},
        {"low": 800.0},
        {"low": 400.0, "accelerator": "L40S", "system": "slow"},
        B200 | {"low": 2000.0},
        B200 | {"benchmark": "scan", "low": 80.0},
        {"benchmark": "gone", "low": 80.0},
    )
    table = rankings.round_changes(rows)
    assert table["benchmark"].tolist() == ["llm", "scan"]
    first, fresh = (table.loc[place] for place in (0, 1))
    assert (first["accelerator"], first["before"], first["before_round"]) == ("B200 SXM", "H100 SXM", "v4.1")
    assert (first["gain_low"], first["gain_high"]) == (2.5, 2.5)
    assert first["source_ids"] == ("mlcommons-v4.1", "mlcommons-v6.0")
    assert not first["resubmitted"] and first["overtook"] and not fresh["overtook"]
    again = pd.concat(
        [rows, official(B200 | {"low": 90.0, "accelerator": "H100 SXM", "id": "again"})], ignore_index=True
    )
    assert rankings.round_changes(again)["resubmitted"].tolist() == [True, False]
    assert (fresh["before"], fresh["before_round"]) == ("", "") and pd.isna(fresh["gain_low"])
    assert rankings.round_changes(official()).empty


def test_a_slower_leader_overtook_nobody(official):
    """The H100 of v4.1, not submitted again, gave 100 tokens/s, the B200 of v6.0 gives 90."""
    (change,) = rankings.round_changes(official({"low": 800.0}, B200 | {"low": 720.0})).to_dict("records")
    assert (change["accelerator"], change["before"], change["gain_low"]) == ("B200 SXM", "H100 SXM", 0.9)
    assert not change["overtook"]


def test_a_change_of_assumed_tokens_is_taken_as_printed(official):
    rows = official({"assumed": True, "low": 800.0, "high": 880.0}, B200 | {"assumed": True, "low": 1600.0})
    rows[["as_printed_low", "as_printed_high"]] = [[3.0, 3.0], [6.0, 6.0]]
    (change,) = rankings.round_changes(rows).to_dict("records")
    assert (change["gain_low"], change["gain_high"]) == (2.0, 2.0)


def test_rounds_covered_are_in_order_with_their_day_of_publication(results):
    rows = results(
        {"round": "v10.0", "division": "open"}, {}, {"suite": "edge"}, {"origin": "published", "round": "v2.0"}
    )
    days = pd.DataFrame({"round": ["v4.1", "v2.0"], "published": ["2024-08-28", "2022-04-06"]})
    covered = rankings.rounds_covered(rows, days)
    assert covered.to_dict("list") == {"round": ["v4.1", "v10.0"], "published": ["2024-08-28", ""], "closed": [2, 0]}
    assert rankings.rounds_covered(results(), days).empty
