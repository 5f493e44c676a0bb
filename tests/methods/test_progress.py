"""What rounds added, computed by hand: the best by round, pairs of one submitter, parts of a step, stated gains."""

import pandas as pd
import pytest

from analysis._core.notes import NONE
from analysis.methods import progress, system_properties

OLD, NEW, LATER = ({"round": name, "source_id": f"mlcommons-{name}"} for name in ("v4.0", "v4.1", "v5.1"))
B200, OTHER = {"accelerator": "B200 SXM"}, {"submitter": "Other"}
CLOSE = {"rel": 1e-12}
STATED = {
    "id": "c1", "source_id": "doc", "quantity": "throughput_ratio", "duplicate_of": "", "suite": "", "bound": "",
    "subject_accelerator": "H100 SXM", "baseline_accelerator": "H100 SXM", "round": "v4.1", "baseline_round": "v4.0",
    "benchmark": "llm", "scenario": "Offline", "submitter": "ACME", "low": 1.15, "high": 1.25,
}  # fmt: skip


def gained(pairs: pd.DataFrame) -> list[tuple]:
    """Rounds, submitter, count and gain of each pair."""
    return [
        (row["earlier"], row["later"], row["submitter"], row["accelerator_count"], round(row["gain_low"], 9))
        for row in pairs.to_dict("records")
    ]


def stated(*claims: dict) -> pd.DataFrame:
    return pd.DataFrame([STATED | claim for claim in claims])


def test_the_best_of_a_round_is_on_sale_and_of_the_usual_size(comparable_rows):
    """Of H100 the best of eight, 110 each, though one alone gave 200; B200 leads v4.1; its preview counts nowhere."""
    rows = comparable_rows(
        OLD | {"low": 800.0}, OLD | OTHER | {"low": 880.0}, OLD | {"low": 200.0, "accelerator_count": 1},
        OLD | B200 | {"low": 9000.0, "availability": "preview"}, NEW | {"low": 960.0}, NEW | B200 | {"low": 1600.0},
    )  # fmt: skip
    best = progress.best(rows)
    assert best[["round", "accelerator", "per_accelerator_low", "leads"]].values.tolist() == [
        ["v4.0", "H100 SXM", 110.0, True],
        ["v4.1", "B200 SXM", 200.0, True],
        ["v4.1", "H100 SXM", 120.0, False],
    ]


def test_pairs_are_of_one_submitter_accelerator_and_size_in_consecutive_rounds(comparable_rows):
    """ACME gained 1.25 with eight; with four, with B200, and Other's, who was not there in v4.1, are no pairs."""
    rows = comparable_rows(
        OLD | {"low": 800.0}, NEW | {"low": 1000.0}, NEW | {"low": 500.0, "accelerator_count": 4}, NEW | B200,
        OLD | OTHER, LATER | OTHER | {"low": 1600.0},
    )  # fmt: skip
    pairs = progress.pairs(rows)
    assert gained(pairs) == [("v4.0", "v4.1", "ACME", 8, 1.25)]
    assert pairs["source_ids"].tolist() == [("mlcommons-v4.0", "mlcommons-v4.1")]
    assert pairs["rounds"].tolist() == [("v4.0", "v4.1")]


def test_rounds_without_the_benchmark_are_passed_over(comparable_rows):
    """v5.1 follows v4.0 where v4.1 lacks the benchmark; another scenario has rounds of its own."""
    rows = comparable_rows(OLD, LATER | {"low": 1600.0}, NEW | {"scenario": "Server"}, NEW | {"benchmark": "images"})
    assert gained(progress.pairs(rows)) == [("v4.0", "v5.1", "ACME", 8, 2.0)]


def test_a_pair_takes_the_best_system_of_each_round_at_a_target_that_both_have(comparable_rows):
    """At 99.9: 900 over 750; the faster runs at 99 stand beside nothing."""
    high, low = {"accuracy_target": "99.9"}, {"accuracy_target": "99"}
    rows = comparable_rows(
        OLD | high | {"low": 700.0}, OLD | high | {"low": 750.0},
        NEW | high | {"low": 900.0}, NEW | low | {"low": 990.0},
    )  # fmt: skip
    assert gained(progress.pairs(rows)) == [("v4.0", "v4.1", "ACME", 8, 1.2)]
    assert progress.pairs(rows)["accuracy_target"].tolist() == ["99.9"]


def test_of_two_targets_that_both_have_the_higher_counts(comparable_rows):
    """1.5 at 99.9; at 99 the faster runs gained 1.1."""
    high, low = {"accuracy_target": "99.9"}, {"accuracy_target": "99"}
    rows = comparable_rows(
        OLD | high | {"low": 600.0}, NEW | high | {"low": 900.0},
        OLD | low | {"low": 1000.0}, NEW | low | {"low": 1100.0},
    )  # fmt: skip
    assert gained(progress.pairs(rows)) == [("v4.0", "v4.1", "ACME", 8, 1.5)]


def test_virtualized_systems_pair_with_virtualized_ones(comparable_rows):
    rows = comparable_rows(OLD, NEW | {"low": 1200.0}).assign(hypervisor=["", "KVM"])
    assert progress.pairs(rows).empty
    assert len(progress.pairs(rows.assign(hypervisor="KVM"))) == 1


def test_what_is_not_on_sale_makes_a_pair_only_where_it_is_asked_for(comparable_rows):
    rows = comparable_rows(OLD | {"availability": "preview"}, NEW)
    assert (len(progress.pairs(rows)), len(progress.pairs(system_properties.available(rows)))) == (1, 0)


def test_gains_are_told_by_their_median_and_ends(comparable_rows):
    """1.1, 1.2 and 1.5."""
    names = ["a", "b", "c"]
    old = [OLD | {"submitter": name} for name in names]
    new = [NEW | {"submitter": name, "low": low} for name, low in zip(names, (880.0, 960.0, 1200.0), strict=True)]
    (row,) = progress.gains(progress.pairs(comparable_rows(*old, *new)), ["earlier", "later"]).to_dict("records")
    assert [row["gain_low"], row["gain_median"], row["gain_high"]] == pytest.approx([1.1, 1.2, 1.5], **CLOSE)
    assert (row["pairs"], row["accelerators"]) == (3, 1)


def parts_of(rows: pd.DataFrame) -> pd.DataFrame:
    return progress.parts(progress.best(rows), progress.pairs(system_properties.available(rows)))


def test_a_new_accelerator_is_what_software_leaves(comparable_rows):
    """B200 gives 3 times the best of v4.0; H100 gained 1.25 by software, so the new accelerator gave 2.4."""
    rows = comparable_rows(OLD | {"low": 800.0}, NEW | {"low": 1000.0}, NEW | B200 | {"low": 2400.0})
    parts = parts_of(rows)
    assert parts["part"].tolist() == [progress.SOFTWARE, progress.HARDWARE]
    assert parts["factor_median"].tolist() == pytest.approx([1.25, 2.4], **CLOSE)
    assert parts["total"].tolist() == pytest.approx([3.0, 3.0], **CLOSE)
    assert progress.product(parts) == pytest.approx({"software": 1.25, "new accelerator": 2.4, "mixed": 1.0}, **CLOSE)


def test_what_neither_explains_is_mixed(comparable_rows):
    """H100 leads both rounds: ACME's software gave 1.25, another submitter leads v4.1 with 1.5 times."""
    rows = comparable_rows(OLD, NEW | {"low": 1000.0}, NEW | OTHER | {"low": 1200.0})
    parts = parts_of(rows)
    assert parts[["part", "pairs"]].values.tolist() == [["software", 1], ["mixed", 1]]
    assert parts["factor_median"].tolist() == pytest.approx([1.25, 1.2], **CLOSE)


def test_an_accelerator_that_was_on_sale_before_is_not_new(comparable_rows):
    rows = comparable_rows(OLD, OLD | B200 | {"low": 400.0}, NEW, NEW | B200 | {"low": 1600.0, "submitter": "New"})
    assert parts_of(rows)["part"].tolist() == [progress.SOFTWARE, progress.MIXED]


def test_a_step_without_pairs_is_mixed_as_a_whole(comparable_rows):
    rows = comparable_rows(OLD, NEW | B200 | OTHER | {"low": 1600.0})
    parts = parts_of(rows)
    assert parts[["part", "factor_median", "pairs"]].values.tolist() == [[progress.MIXED, 2.0, 0]]
    assert progress.product(parts) == {"software": 1.0, "new accelerator": 1.0, "mixed": 2.0}


def test_one_round_has_no_parts_and_no_pairs(comparable_rows):
    rows = comparable_rows(OLD, OLD | B200)
    assert parts_of(rows).empty
    assert progress.gains(progress.pairs(rows), progress.STEP).empty


def test_claims_of_software_are_of_one_accelerator_over_two_rounds():
    given = stated({}, {"subject_accelerator": "H200 SXM"}, {"baseline_round": "v4.1"}, {"duplicate_of": "c0"},
                   {"quantity": "memory_capacity"}, {"baseline_round": ""})  # fmt: skip
    assert progress.claims(given).index.tolist() == [0]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ({}, progress.HOLDS),
        ({"low": 1.3, "high": 1.4}, progress.NOT_REACHED),
        ({"low": 1.05, "high": 1.1}, progress.EXCEEDED),
        ({"low": 1.15, "high": 1.25, "submitter": "", "bound": "at_most"}, progress.EXCEEDED),
        ({"low": 1.45, "high": 1.55, "submitter": "", "bound": "at_most"}, progress.HOLDS),
        ({"benchmark": "", "scenario": ""}, progress.HOLDS),
    ],
)
def test_stated_gains_stand_beside_the_pairs_of_their_submitter(comparable_rows, claim, verdict):
    """ACME gained 1.2, Other 1.5; "up to" is judged by the highest."""
    rows = comparable_rows(OLD, NEW | {"low": 960.0}, OLD | OTHER, NEW | OTHER | {"low": 1200.0})
    (row,) = progress.claimed(stated(claim), progress.pairs(rows)).to_dict("records")
    assert row["verdict"] == verdict


def test_a_claim_names_the_sizes_that_bear_it_out(comparable_rows):
    one = {"accelerator_count": 1}
    rows = comparable_rows(OLD, NEW | {"low": 880.0}, OLD | one | {"low": 100.0}, NEW | one | {"low": 120.0})
    (row,) = progress.claimed(stated({}), progress.pairs(rows)).to_dict("records")
    assert (row["sizes"], row["other_sizes"], row["pairs"]) == ((1,), (8,), 2)
    assert [row["other_low"], row["other_high"]] == pytest.approx([1.1, 1.1], **CLOSE)


def test_claims_of_the_edge_or_without_a_pair_are_not_judged(comparable_rows):
    pairs = progress.pairs(comparable_rows(OLD, NEW))
    assert progress.claimed(stated({"suite": "edge"}, {"round": "v5.1"}), pairs).empty


def test_the_record_bears_out_what_the_post_says_of_one_accelerator(data):
    """GPT-J 6B, v3.1 to v4.0: 31.0737 over 13.0687 samples/s for one H100, 239.895 over 106.315 for eight."""
    rows = data.results[
        data.results["origin"].eq("official") & data.results["submitter"].eq("NVIDIA")
        & data.results["benchmark"].eq("gptj") & data.results["scenario"].eq("Offline")
        & data.results["accelerator"].eq("H100 SXM") & data.results["suite"].str.contains("datacenter")
        & data.results["division"].eq("closed") & ~data.results["power_measured"]
        & data.results["round"].isin(["v3.1", "v4.0"]) & data.results["duplicate_of"].eq("")
    ]  # fmt: skip
    ends = {f"{name}_{end}": rows[end] / rows["accelerator_count"].astype("float64")
            for name in ("per_accelerator", "as_printed") for end in ("low", "high")}  # fmt: skip
    rows = rows.assign(**ends, assumed=False, notes=[NONE] * len(rows))
    pairs = progress.pairs(rows).set_index("accelerator_count")["gain_low"]
    assert pairs.to_dict() == pytest.approx({1: 31.0737 / 13.0687, 8: 239.895 / 106.315}, rel=1e-9)
