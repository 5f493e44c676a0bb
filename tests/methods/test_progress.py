"""What rounds added, computed by hand: the best by round, pairs of one submitter, parts of a step, stated gains."""

import pandas as pd
import pytest

from analysis.methods import progress, system_properties

OLD, NEW, LATER = ({"round": name, "source_id": f"mlcommons-{name}"} for name in ("v4.0", "v4.1", "v5.1"))
B200, OTHER = {"accelerator": "B200 SXM"}, {"submitter": "Other"}
CLOSE = {"rel": 1e-12}
STATED = {
    "id": "c1", "source_id": "doc", "quantity": "throughput_ratio", "duplicate_of": "", "suite": "", "bound": "",
    "subject_accelerator": "H100 SXM", "baseline_accelerator": "H100 SXM", "round": "v4.1", "baseline_round": "v4.0",
    "benchmark": "llm", "scenario": "Offline", "submitter": "ACME", "low": 1.15, "high": 1.25,
}  # fmt: skip


def gained(pairs):
    """Rounds, submitter, count and gain of each pair."""
    return [
        (row["earlier"], row["later"], row["submitter"], row["accelerator_count"], round(row["gain_low"], 9))
        for row in pairs.to_dict("records")
    ]


def stated(*claims):
    return pd.DataFrame([STATED | claim for claim in claims])


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


def parts_of(rows):
    return progress.parts(progress.best(rows), progress.pairs(system_properties.available(rows)))


def test_a_new_accelerator_is_what_software_leaves(comparable_rows):
    """B200 gives 3 times the best of v4.0; H100 gained 1.25 by software, so the new accelerator gave 2.4."""
    rows = comparable_rows(OLD | {"low": 800.0}, NEW | {"low": 1000.0}, NEW | B200 | {"low": 2400.0})
    parts = parts_of(rows)
    assert parts["part"].tolist() == [progress.SOFTWARE, progress.HARDWARE]
    assert parts["factor_median"].tolist() == pytest.approx([1.25, 2.4], **CLOSE)
    assert parts["total"].tolist() == pytest.approx([3.0, 3.0], **CLOSE)
    assert progress.product(parts) == pytest.approx({"software": 1.25, "new accelerator": 2.4, "mixed": 1.0}, **CLOSE)


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
