"""The numbers of the page source_audit, recounted by plain pandas from data/ and from the logs' Parquet files."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from tests.reports.plain import DATA, data, said, table

WRONG = ["physically impossible", "contradicted"]


def off(rows: pd.DataFrame) -> pd.Series:
    """Return by what factor each quantity is off; NaN for dates, ranks, counts, and what nobody submitted."""
    over, under = rows["printed_low"] / rows["expected_high"], rows["expected_low"] / rows["printed_high"]
    times = pd.concat([over, under], axis=1).max(axis=1)
    return times.mask(rows["unit"].isin(["date", "rank", "workloads"]))


@pytest.fixture(scope="module")
def page() -> dict[str, dict]:
    return said("source_audit")


@pytest.fixture(scope="module")
def figures() -> pd.DataFrame:
    rows = data("figures", texts=True).query("duplicate_of == ''")
    return rows.assign(batch_size=pd.to_numeric(rows["batch_size"]))


@pytest.fixture(scope="module")
def wrong(figures) -> pd.DataFrame:
    """One row per wrong figure: impossible before contradicted, the first row of each."""
    verdicts = data("verdicts").query("verdict in @WRONG")
    verdicts = verdicts.sort_values("verdict", key=lambda names: names.map(WRONG.index), kind="stable")
    return verdicts.drop_duplicates("id").merge(figures, on="id", suffixes=("", "_figure"))


@pytest.fixture(scope="module")
def v41() -> pd.DataFrame:
    rows = pd.read_parquet(DATA / "official" / "v4.1.parquet")
    return rows.query("division == 'closed' and not power_measured")


def test_wrong_figures_and_the_document_with_most_of_them(page, figures, wrong):
    most = wrong["source_id"].value_counts()
    assert page["answer"]["value"] == len(wrong) == 33
    assert page["answer"]["text"].startswith(f"{len(wrong)} of {len(figures)} published figures")
    assert page["answer"]["text"].endswith(f"most in one document: {most.iloc[0]}")
    counted = {int(number) for number in re.findall(r" (\d+)", page["by_document"]["alt"])}
    assert counted == set(most)


def test_rates_above_the_memory_bandwidth(page, figures, wrong):
    """Two bytes a weight of 70 billion at FP16, one at 8 bits, a half at 4; two accelerators of 80 GB hold 140 GB."""
    bandwidth = {"H200 SXM": 4800, "H100 SXM": 3350, "A100 SXM 80GB": 2039}
    width = {"fp16": 2, "fp8": 1, "int8": 1, "int4": 0.5}
    rates = figures[figures["batch_size"].eq(1)]
    gigabytes = rates["precision"].map(width) * 70
    held = (gigabytes.gt(80) & ~rates["accelerator"].eq("H200 SXM")).map({True: 2, False: 1})
    limit = held * rates["accelerator"].map(bandwidth) / gigabytes
    times = rates["low"] / limit
    above = times[times.gt(1.05)]
    assert page["above_bandwidth"]["value"] == len(above) == 10
    assert page["above_bandwidth"]["text"].endswith(f"by {above.min():.1f}x to {above.max():.1f}x.")
    found = wrong[wrong["check"].eq("bandwidth limit") & wrong["quantity"].eq("throughput")].set_index("id")
    assert found["expected_high"].to_dict() == pytest.approx(
        dict(zip(rates["id"], limit, strict=True)), rel=1e-6
    )  # fmt: skip


def test_how_far_wrong_figures_are_off(wrong):
    """The worst is 154.5 tokens/s where 4,800 GB/s over 140 GB allow 34.3; the PCIe ratio is off by 2.0."""
    shown = table("source_audit", "worst_figures")["times"]
    times = off(wrong).dropna().sort_values(ascending=False)
    assert shown.dropna().tolist() == pytest.approx(times.tolist(), rel=1e-6)
    assert shown.iloc[0] == pytest.approx(154.5 / (4800 / 140))
    assert shown.isna().sum() == 11  # 4 dates, ranks, and counts; 6 without a result; a benchmark of another round


def test_the_figure_shows_what_is_above_the_bandwidth_limit_and_nothing_else(page, wrong):
    """Tokens per dollar are rates times 3,600 over the price per hour, of as many GPUs as hold the weights."""
    above = wrong[wrong["check"].eq("bandwidth limit")]
    assert above["quantity"].value_counts().to_dict() == {"throughput": 10, "tokens_per_dollar": 4}
    assert above["source_id"].eq("doc000").all()
    assert above["unit"].isin(["tokens/s", "tokens/USD"]).all()
    assert (above["printed_low"] > above["expected_high"]).all()
    assert page["above_limit"]["title"].startswith("AI infra index: batch-1 rates")
    assert page["above_limit"]["sources"] == ["doc000"]


def test_figures_without_a_submission(page, figures, v41):
    """A100 and TPU v5e have no closed Llama 2 70B result in v4.1, the A100 no GPT-J result either."""
    language = v41[v41["benchmark"].isin(["llama2-70b", "gptj"])]
    assert not language["accelerator"].str.startswith("A100").any()
    assert not v41[v41["benchmark"].eq("llama2-70b")]["accelerator"].eq("TPU v5e").any()
    about = figures[figures["benchmark"].isin(["llama2-70b", "gptj"]) & figures["round"].eq("v4.1")]
    sides = about["accelerator"] + " " + about["baseline_accelerator"]
    lost = about[sides.str.contains("A100|TPU v5e")]
    assert page["never_submitted"]["value"] == len(lost) == 6


def test_contradicted_rates_against_the_record(v41, wrong):
    rates = v41[v41["scenario"].eq("Offline") & v41["benchmark"].eq("llama2-70b") & v41["duplicate_of"].eq("")]
    each = rates["tokens_per_second"] / rates["accelerator_count"]
    found = wrong.set_index("id")
    for id, name in {"h100-fp8": "H100 SXM", "h100-pcie": "H100 PCIe", "mi300x": "MI300X"}.items():
        of = each[rates["accelerator"].eq(name)]
        row = found.loc[f"doc002-llama2-70b-{id}"]
        assert (row["expected_low"], row["expected_high"]) == pytest.approx((of.min(), of.max()), rel=1e-6)
        assert row["printed_high"] * 1.05 < of.min()
    b200 = rates[rates["accelerator"].eq("B200 SXM")]
    assert found.at["doc000-mlperf-b200", "expected_high"] == pytest.approx(b200["samples_per_second"].item(), rel=1e-6)


def test_a_wider_tolerance(page, wrong):
    """One ratio is 8% off; dates, ranks, and counts are wrong or right, not near."""
    assert page["wider_tolerance"]["value"] == (~off(wrong).le(1.1)).sum() == 32


def test_a_reason_has_the_factor_of_its_row():
    """Also where the third digit is a five: 114 over 34.2857 is 3.325, printed 3.33x in both."""
    rows = table("source_audit", "worst_figures")
    stated = rows["reason"].str.extract(r"(?:figure is|too \w+ by) ([\d.]+)x")[0].dropna()
    assert len(stated) == 16
    assert [f"{times:.2f}" for times in rows["times"][stated.index]] == stated.tolist()
