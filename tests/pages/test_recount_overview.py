"""The numbers of the overview, counted again by plain pandas."""

from __future__ import annotations

import pytest

from tests.pages.plain import comparable, table, values

MODELS = {
    "llama2-70b": "Llama 2 70B", "gpt-oss-120b": "GPT-OSS 120B", "deepseek-r1": "DeepSeek-R1",
    "llama3.1-8b": "Llama 3.1 8B", "llama3.1-405b": "Llama 3.1 405B",
}  # fmt: skip
RACKS = ["GB200", "GB300"]


def rentable(benchmark, version=6.0):
    """Return the best rate per accelerator by accelerator, of systems that are rented as such, newest round first."""
    rows = comparable(benchmark)
    rows = rows[rows["version"].ge(version)]
    sizes = rows["accelerator_count"].eq(8) | (
        rows["accelerator"].isin(RACKS) & rows["accelerator_count"].isin([4, 72])
    )
    rows = rows.assign(sized=sizes).sort_values(["sized", "version", "each"])
    return rows.drop_duplicates("accelerator", keep="last").set_index("accelerator")


@pytest.mark.parametrize(("benchmark", "model"), MODELS.items())
def test_the_matrix_is_the_best_rentable_system_of_each_accelerator(benchmark, model):
    page = table("overview", "best_result_of_each_model_and_gpu").query("scenario == 'Offline'")
    page = page[page["model"].eq(model)].set_index("accelerator")
    best = rentable(benchmark)
    assert set(page.index) == set(best.index)
    assert page["rate_per_accelerator"].to_dict() == pytest.approx(best["each"].to_dict())
    assert page["share"].to_dict() == pytest.approx((best["each"] / best["each"].max()).to_dict())


def test_a_faster_tray_is_shown_as_such():
    page = table("overview", "best_result_of_each_model_and_gpu").query(
        "scenario == 'Offline' and model == 'GPT-OSS 120B'"
    )
    gb200 = page[page["accelerator"].eq("GB200")].iloc[0]
    assert (gb200["accelerator_count"], round(gb200["rate_per_accelerator"], -2)) == (4, 15300)


def test_the_headline_counts_the_models_that_gb300_leads():
    page = table("overview", "best_result_of_each_model_and_gpu").query("scenario == 'Offline' and share == 1")
    assert values("overview")["answer"] == page["accelerator"].value_counts().max()
