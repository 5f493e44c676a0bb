"""Addresses of the explorer: what they name, and which rows they are made around."""

from urllib.parse import parse_qs

import pytest

from analysis._core import explorer_links


def test_an_address_names_view_and_values_each_once_and_escaped():
    made = explorer_links.address({"accelerator": ["A & B", "C#"], "accelerator_count": [8]}, "table")
    assert made == "view=table&accelerator=A%20%26%20B&accelerator=C%23&accelerator_count=8"
    assert parse_qs(made)["accelerator"] == ["A & B", "C#"]


@pytest.mark.parametrize(("chosen", "view"), [({"color": ["red"]}, ""), ({}, "pie")])
def test_what_is_no_facet_or_view_is_refused_by_name(chosen, view):
    with pytest.raises(ValueError, match=r"color|pie"):
        explorer_links.address(chosen, view)


def test_the_rows_of_a_report_are_told_by_what_they_have(results):
    rows = results(
        {"benchmark": "llm", "round": "v6.0"},
        {"benchmark": "llm", "round": "v5.1", "accelerator": "H200 SXM", "power_measured": True},
        {"origin": "published", "benchmark": "scan", "round": "v4.0"},
    )
    page, _, hash = explorer_links.around(rows).partition("#")
    assert page == "explorer.html"
    assert parse_qs(hash) == {
        "round": ["v5.1", "v6.0"],
        "benchmark": ["llm"],
        "scenario": ["Offline"],
        "division": ["closed"],
        "accelerator": ["H100 SXM", "H200 SXM"],
        "power": ["with", "without"],
    }


def test_a_column_of_many_values_is_left_open(results):
    rows = results(*({"accelerator": f"A{number}"} for number in range(explorer_links.MOST + 1)))
    assert "accelerator" not in explorer_links.around(rows) and "benchmark=llm" in explorer_links.around(rows)


def test_without_an_official_row_there_is_no_address(results):
    assert explorer_links.around(results({"origin": "published"})) == ""
