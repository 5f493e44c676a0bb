"""The numbers of the overview, counted again by plain pandas."""

from __future__ import annotations

import pytest

from tests.reports.plain import comparable, outputs, record, table, values

MODELS = {
    "llama2-70b": "Llama 2 70B", "gpt-oss-120b": "GPT-OSS 120B", "deepseek-r1": "DeepSeek-R1",
    "llama3.1-8b": "Llama 3.1 8B", "llama3.1-405b": "Llama 3.1 405B",
}  # fmt: skip


def latest(benchmark, version=6.0):
    """Return the newest rate per accelerator by accelerator, systems of eight first."""
    rows = comparable(benchmark, virtual=True)
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
    assert "GB200 on GPT-OSS 120B (4x, +21%, RedHat_Supermicro vLLM 0.24.0)" in said


def test_the_headline_counts_the_models_that_gb300_leads():
    page = table("overview", "best_result_of_each_model_and_gpu").query("scenario == 'Offline' and share == 1")
    assert values("overview")["answer"] == page["accelerator"].value_counts().max()


def test_the_fastest_result_rose_on_seven_of_eight_models_whisper_among_them():
    """Of GPUs that both rounds have, systems of eight first: B300 on Whisper has 6,658 tokens/s over 6,320."""
    change = {}
    for benchmark in record()["benchmark"].unique():
        rows = comparable(benchmark, virtual=True)
        rows = rows[rows["kind"].eq("gpu")]
        rows = rows.assign(eight=rows["accelerator_count"].eq(8)).sort_values(["eight", "each"])
        best = rows.drop_duplicates(["version", "accelerator"], keep="last").groupby("version")["each"].max()
        if {6.0, 6.1} <= {*best.index}:
            change[benchmark] = best[6.1] / best[6.0]
    assert change["whisper"] == pytest.approx(53267.2 / 50562.2, rel=1e-4)
    up = [benchmark for benchmark, gain in change.items() if gain > 1.005]
    assert (values("overview")["models_up"], len(up), len(change)) == (7, 7, 8)
    assert set(change) - set(up) == {"deepseek-r1"}
    said = next(part for part in outputs("overview") if part["name"] == "models_up")
    assert said["unit"] == "of 8 models"


def test_new_accelerators_are_those_of_the_suite_that_is_named():
    """Five are new in the data center suite, two of NVIDIA and AMD; eight in the closed division with the edge."""
    closed = record().query("division == 'closed'")
    new = {}
    for suite, rows in (("data center", closed[closed["suite"].str.contains("datacenter")]), ("both", closed)):
        first = rows.groupby("accelerator")["version"].min()
        new[suite] = first.index[first.eq(6.1)]
    assert (len(new["data center"]), len(new["both"])) == (5, 8)
    named = new["data center"].intersection(closed.query("vendor in ['NVIDIA', 'AMD']")["accelerator"])
    said = next(part for part in outputs("overview") if part["name"] == "new_accelerators")
    assert said["value"] == len(named) == 2 and "data center suite of v6.1 (NVIDIA, AMD)" in said["text"]
    assert all(name in said["text"] for name in named)
