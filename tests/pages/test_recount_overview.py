"""The numbers of the overview, counted again by plain pandas."""

from __future__ import annotations

import pytest

from tests.pages.plain import comparable, outputs, table, values

MODELS = {
    "llama2-70b": "Llama 2 70B", "gpt-oss-120b": "GPT-OSS 120B", "deepseek-r1": "DeepSeek-R1",
    "llama3.1-8b": "Llama 3.1 8B", "llama3.1-405b": "Llama 3.1 405B",
}  # fmt: skip


def latest(benchmark, version=6.0):
    """Return the newest rate per accelerator by accelerator, systems of eight first."""
    rows = comparable(benchmark)
    rows = rows[rows["version"].ge(version)]
    rows = rows.assign(eight=rows["accelerator_count"].eq(8)).sort_values(["eight", "version", "each"])
    return rows.drop_duplicates("accelerator", keep="last").set_index("accelerator")


@pytest.mark.parametrize(("benchmark", "model"), MODELS.items())
def test_the_matrix_is_the_latest_result_of_each_accelerator(benchmark, model):
    page = table("overview", "best_result_of_each_model_and_gpu").query("scenario == 'Offline'")
    page = page[page["model"].eq(model)].set_index("accelerator")
    best = latest(benchmark)
    assert set(page.index) == set(best.index)
    assert page["rate_per_accelerator"].to_dict() == pytest.approx(best["each"].to_dict())
    assert page["share"].to_dict() == pytest.approx((best["each"] / best["each"].max()).to_dict())


def test_a_faster_system_of_four_is_said():
    rows = comparable("gpt-oss-120b").query("accelerator == 'GB200' and version == 6.1")
    best = rows.groupby("accelerator_count")["each"].max()
    assert best[4] / best[8] - 1 == pytest.approx(0.207, abs=0.001)
    said = next(part["text"] for part in outputs("overview") if part["name"] == "other_sizes")
    assert "GB200 on GPT-OSS 120B (4x, +21%)" in said


def test_the_headline_counts_the_models_that_gb300_leads():
    page = table("overview", "best_result_of_each_model_and_gpu").query("scenario == 'Offline' and share == 1")
    assert values("overview")["answer"] == page["accelerator"].value_counts().max()
