"""Stated gains of software beside the pairs of the record; pairs and parts of a step are recounted (tests/whole)."""

import pandas as pd
import pytest

from analysis.methods import progress

OLD, NEW = ({"round": name, "source_id": f"mlcommons-{name}"} for name in ("v4.0", "v4.1"))
OTHER = {"submitter": "Other"}
CLOSE = {"rel": 1e-12}
STATED = {
    "id": "c1", "source_id": "doc", "quantity": "throughput_ratio", "duplicate_of": "", "suite": "", "bound": "",
    "subject_accelerator": "H100 SXM", "baseline_accelerator": "H100 SXM", "round": "v4.1", "baseline_round": "v4.0",
    "benchmark": "llm", "scenario": "Offline", "submitter": "ACME", "low": 1.15, "high": 1.25,
}  # fmt: skip


def stated(*claims):
    return pd.DataFrame([STATED | claim for claim in claims])


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
