"""The comparison of a printed with an expected range, and numbers in words."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis.audit.verdicts import compare, difference
from analysis.published import factor, range_text, times_off
from analysis.recipes.documents.expected import tell


def one(printed: tuple, expected: tuple, basis: str = "rounded") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "printed_low": [printed[0]], "printed_high": [printed[1]], "expected_low": [expected[0]],
            "expected_high": [expected[1]], "range_basis": [basis],
        }
    )  # fmt: skip


VERDICTS = """
84.15 to 84.25 | 84.2 to 84.2   | rounded | confirmed
80 to 80       | 80 to 80       | exact   | confirmed
80 to 90       | 85 to 85       | range   | within rounding
84.15 to 84.25 | 84.24 to 84.3  | rounded | within rounding
84.15 to 84.25 | 84.0 to 84.4   | rounded | within rounding
100 to 100     | 105 to 200     | exact   | within 5%
100 to 100     | 105.1 to 200   | exact   | contradicted
105.1 to 105.1 | 50 to 100      | exact   | contradicted
1 to 1         | nan to 2       | exact   | unverifiable
"""


@pytest.mark.parametrize("line", VERDICTS.strip().splitlines())
def test_a_verdict_is_decided_by_the_nearest_ends(line):
    *ranges, basis, verdict = (part.strip() for part in line.split("|"))
    printed, expected = ([float(end) for end in each.split(" to ")] for each in ranges)
    assert compare(one(printed, expected, basis)).tolist() == [verdict]


def test_a_factor_is_one_where_ranges_overlap_and_never_below():
    assert factor(one((10, 20), (15, 30))).tolist() == [1]
    assert factor(one((10, 20), (40, 50))).tolist() == [2]
    assert factor(one((90, 100), (20, 30))).tolist() == [3]
    assert factor(one((0.3, 0.3), (0.2, 0.2))).tolist() == [1.5]  # 0.3 / 0.2 is 1.4999999999999998


def test_dates_ranks_and_what_nobody_submitted_are_off_by_no_factor():
    rows = pd.concat([one((20, 20), (10, 10))] * 4 + [one((20, 20), (float("nan"), float("nan")))])
    rows["unit"] = ["tokens/s", "date", "rank", "workloads", "tokens/s"]
    assert times_off(rows).fillna(0).tolist() == [2, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("printed", "expected", "words"),
    [
        ((10, 20), (15, 30), ""),
        ((102, 102), (90, 100), ", 2% too high"),
        ((11, 11), (10, 10), ", too high by 1.1x"),
        ((10, 20), (50, 60), ", too low by 2.5x"),
    ],
)
def test_a_difference_is_percent_below_a_tenth_and_a_factor_above(printed, expected, words):
    assert difference(one(printed, expected)).tolist() == [words]


def test_ranges_and_sentences_are_text():
    assert range_text(pd.Series([1234.4, 1.26649, 1e3]), pd.Series([1234.4, 1.338, 1e3])).tolist() == [
        "1,234", "1.266 to 1.338", "1,000",
    ]  # fmt: skip
    assert tell(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), "{b}: {a:g}x").tolist() == ["x: 1x", "y: 2x"]


def test_the_derating_verdict_has_the_shares_of_the_derating_page():
    from analysis import derating, load_published

    row = load_published().set_index("id").loc["doc002-derating"]
    rows = derating.chain().set_index("step")["median"]
    ends = rows["delivered"].min(), rows["busy"].max()
    assert (row["expected_low"], row["expected_high"]) == pytest.approx(ends, abs=5e-5)
