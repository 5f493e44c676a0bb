"""The numbers of the page on scaling, counted again by plain pandas."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.reports.plain import comparable, record, said, table, values


def efficiency(benchmark, scenario, accelerator, submitter, version, smaller, larger):
    rows = comparable(benchmark, scenario)
    rows = rows.query("accelerator == @accelerator and submitter == @submitter and version == @version")
    best = rows.groupby("accelerator_count")["each"].max()
    return best[larger] / best[smaller]


@pytest.mark.parametrize(
    ("benchmark", "model", "submitter", "smaller", "expected"),
    [
        ("deepseek-r1", "DeepSeek-R1", "Oracle", 8, 0.962),  # two submitters at one size stay apart
        ("deepseek-r1", "DeepSeek-R1", "NVIDIA", 8, 0.995),
        ("gpt-oss-120b", "GPT-OSS 120B", "NVIDIA", 8, 0.949),
        ("gpt-oss-120b", "GPT-OSS 120B", "Nebius", 8, 0.997),
        ("qwen3-vl-235b-a22b", "Qwen3-VL 235B", "CoreWeave", 4, 0.869),
        ("qwen3-vl-235b-a22b", "Qwen3-VL 235B", "Oracle", 4, 0.990),
    ],
)
def test_each_submitter_has_a_pair_of_its_own(benchmark, model, submitter, smaller, expected):
    page = table("scaling", "pairs").query(
        "scenario == 'Offline' and round == 'v6.1' and accelerator == 'GB300' and size == 72"
    )
    row = page[page["model"].eq(model) & page["submitter"].eq(submitter)]
    assert len(row) == 1
    again = efficiency(benchmark, "Offline", "GB300", submitter.casefold(), 6.1, smaller, 72)
    assert row["efficiency"].iloc[0] == pytest.approx(again)
    assert again == pytest.approx(expected, abs=0.001)


def test_deepseek_has_seven_pairs_offline():
    page = table("scaling", "pairs").query("model == 'DeepSeek-R1' and scenario == 'Offline'")
    assert len(page) == 7


@pytest.mark.parametrize(("scenario", "expected"), [("Offline", 23), ("Server", 21)])
def test_each_larger_system_of_a_submitter_makes_a_pair(scenario, expected):
    """Of v6.0 and v6.1, with more than eight accelerators and a smaller system of the same submitter and part."""
    rows = pd.concat(comparable(name, scenario) for name in record()["benchmark"].unique())
    rows = rows[rows["version"].ge(6.0)]
    sizes = rows.groupby(["benchmark", "version", "accelerator", "precision", "submitter"])["accelerator_count"]
    pairs = sum((sizes > 8).sum() - (sizes.min() > 8) for sizes in sizes.unique().map(pd.Series))
    page = table("scaling", "pairs").query("round in ['v6.0', 'v6.1'] and scenario == @scenario")
    assert len(page) == pairs == expected


def test_the_headline_is_the_median_over_server_pairs_of_several_nodes():
    page = table("scaling", "pairs").query("scenario == 'Server' and layout == 'several nodes or racks'")
    assert values("scaling")["answer"] == pytest.approx(page["efficiency"].median())
    answer = said("scaling")["answer"]
    assert [answer["low"], answer["high"]] == pytest.approx([page["efficiency"].min(), page["efficiency"].max()])
    lowest = table("scaling", "pairs").query("scenario == 'Server'")["efficiency"].min()
    again = efficiency("deepseek-r1", "Server", "B300", "cisco", 6.1, 8, 16)
    assert lowest == values("scaling")["lowest"] == pytest.approx(again)


def test_one_untuned_small_system_is_no_scaling():
    """161% of Oracle's four GB300 on Wan 2.2 is in the table alone: neither in the headline nor in a finding."""
    page = table("scaling", "pairs")
    assert page["efficiency"].gt(1.2).sum() == 2 and page["efficiency"].gt(1.605).sum() == 2
    headline = page.query("scenario == 'Server'").groupby("layout")["efficiency"]
    assert headline.max().max() < 1.05
    assert max(value for value in values("scaling").values() if value is not None) < 1.2
