"""The findings of the reports: computed from their frames, and a headline also where there is nothing to say."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.answers import words
from analysis.compare import gate
from analysis.compare.gate import Question
from analysis.core import interval
from analysis.core.citation import cited, several
from analysis.core.findings import Finding
from analysis.core.interval import Interval
from analysis.core.notes import NONE, Notes, note
from analysis.data.catalog import Catalog

Rows = Callable[..., pd.DataFrame]
PREVIEW = frozenset({note("preview", round="v4.1")})
NEW = {"accelerator": "B200 SXM"}


@pytest.fixture
def nothing(results: Rows, tables: Callable[..., gate.Data]) -> gate.Comparison:
    """A comparison that no row answers."""
    return gate.select(tables(results()), Question("llm", "Server"))


def states(finding: Finding, low: float, high: float, *parts: str) -> None:
    """The finding has this range, and its sentence these parts."""
    assert finding.value == Interval(low, high)
    assert [part for part in parts if part not in finding.sentence] == [], finding.sentence


def lacks(finding: Finding, *parts: str) -> None:
    """The finding has no value, and its sentence these parts."""
    assert finding.value is None
    assert [part for part in parts if part not in finding.sentence] == [], finding.sentence


def codes(notes: Notes) -> list[str]:
    """The codes of notes, sorted."""
    return sorted(own.code for own in notes)


def noted(rows: pd.DataFrame, notes: Notes = NONE) -> pd.DataFrame:
    """The rows, each with these notes."""
    return rows.assign(notes=pd.Series([notes] * len(rows), index=rows.index, dtype="object"))


@pytest.mark.parametrize(
    ("text", "name"),
    [("H100 SXM", "h100_sxm"), ("Xeon Platinum 8592+", "xeon_platinum_8592"), ("sparsity-2:4", "sparsity_2_4")],
)
def test_slug_is_a_finding_s_name(text: str, name: str) -> None:
    assert words.finding_name(text) == name


def test_no_two_accelerators_share_a_slug(data: Catalog) -> None:
    names = data.accelerators["accelerator"]
    assert len({words.finding_name(name) for name in names}) == len(names)


def test_names_are_listed_and_the_rest_counted() -> None:
    assert [words.listed(names) for names in ("", "a", "ab", "abc", "abcda")] == [
        "",
        "a",
        "a and b",
        "a, b and c",
        "a, b, c and d",
    ]
    assert words.listed("abcdef") == "a, b, c, d and 2 more"


def test_sources_come_once_and_sorted_from_rows_of_either_column() -> None:
    several_of_each = pd.DataFrame({"source_ids": [("s2", "s1"), ("s2",), ()]})
    assert cited(several_of_each, pd.DataFrame({"source_id": ["s0", ""]})) == ["s0", "s1", "s2"]
    assert cited(pd.Series({"source_id": "s1"})) == ["s1"]
    assert cited(several_of_each.iloc[0], pd.Series({"source_ids": ("s3",)})) == ["s1", "s2", "s3"]
    assert cited() == cited(pd.DataFrame()) == []


def test_sources_of_rows_that_become_one_are_sorted_and_come_once() -> None:
    assert several(["s2", "", "s1", "s2"]) == ("s1", "s2")
    assert several([]) == several([""]) == ()


def test_the_span_of_rows_or_of_a_row_is_an_interval_of_plain_numbers() -> None:
    rows = pd.DataFrame({"x_low": [2, 1], "x_high": [3, 4]})
    assert (interval.span(rows, "x"), interval.span(rows.iloc[0], "x")) == (Interval(1.0, 4.0), Interval(2.0, 3.0))
    assert {type(end) for end in (interval.span(rows, "x").low, interval.span(rows.iloc[0], "x").high)} == {float}
    assert (words.ranged(rows, "x"), words.ranged(rows.iloc[0], "x")) == ("1 to 4", "2 to 3")


@pytest.mark.parametrize(("work", "many"), [("token", "tokens"), ("query", "queries")])
def test_plural(work: str, many: str) -> None:
    assert words.plural(work) == many
