"""Results as a page cites them: by round, and those that follow each other as a range."""

import pytest

from analysis._core.result_ids import Results, by_round


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([], []),
        (["4.1-0003", "4.1-0001", "4.1-0002", "4.1-0005", "4.1-0005"],
         [Results("v4.1", 4, "4.1-0001 to 4.1-0003, 4.1-0005")]),
        (["10.0-0001", "6.0-0099", "6.0-0100", "6.0-0101"],
         [Results("v6.0", 3, "6.0-0099 to 6.0-0101"), Results("v10.0", 1, "10.0-0001")]),
    ],
)  # fmt: skip
def test_results_are_cited_by_round_and_in_ranges(ids, said):
    assert by_round(ids) == said
