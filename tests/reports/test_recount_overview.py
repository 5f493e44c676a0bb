"""The numbers of the overview, counted again by plain pandas."""

from __future__ import annotations

import pytest

from tests.reports.plain import comparable, outputs, record, table, values

MODELS = {
    "llama2-70b": "Llama 2 70B", "gpt-oss-120b": "GPT-OSS 120B", "deepseek-r1": "DeepSeek-R1",
    "llama3.1-8b": "Llama 3.1 8B", "llama3.1-405b": "Llama 3.1 405B", "whisper": "Whisper",
}  # fmt: skip


def latest(benchmark, version=6.0):
    """Return the newest rate per accelerator by accelerator, systems of eight first."""
    rows = comparable(benchmark, virtual=True)
    rows = rows[rows["version"].ge(version)]
    rows = rows.assign(eight=rows["accelerator_count"].eq(8)).sort_values(["eight", "version", "each"])
    return rows.drop_duplicates("accelerator", keep="last").set_index("accelerator")


@pytest.mark.parametrize(("benchmark", "model"), MODELS.items())
def test_measured_rates_are_those_of_the_newest_round(benchmark, model):
    page = table("overview", "rates").query("model == @model").set_index("accelerator")
    best = latest(benchmark)
    best = best[best["version"].eq(best["version"].max())]
    own = page.loc[best.index]
    assert own["rate"].to_dict() == own["last_rate"].to_dict() == pytest.approx(best["each"].to_dict())
    assert own["share"].to_dict() == pytest.approx((best["each"] / best["each"].max()).to_dict())


def test_a_faster_system_of_four_is_said():
    rows = comparable("gpt-oss-120b").query("accelerator == 'GB200' and version == 6.1")
    best = rows.groupby("accelerator_count")["each"].max()
    assert best[4] / best[8] - 1 == pytest.approx(0.207, abs=0.001)
    said = next(part["text"] for part in outputs("overview") if part["name"] == "other_sizes")
    assert "GB200 on GPT-OSS 120B (4x, v6.1, +21%)" in said


def test_two_l40s_of_a_later_round_are_said_to_be_faster_than_eight():
    rows = comparable("whisper").query("accelerator == 'L40S'").set_index(["version", "accelerator_count"])["each"]
    assert rows[6.0, 2] / rows[5.1, 8] - 1 == pytest.approx(0.332, abs=0.001)
    said = next(part["text"] for part in outputs("overview") if part["name"] == "other_sizes")
    assert "L40S on Whisper (2x, v6.0, +33%)" in said


def test_the_headline_counts_the_models_that_gb300_leads():
    page = table("overview", "rates")
    first = page.sort_values("rate").drop_duplicates("model", keep="last")
    assert values("overview")["answer"] == first["accelerator"].value_counts().max() == 5


def test_in_answers_a_b300_passes_mi355x_on_gpt_oss():
    """Answers of 1,241 tokens of HPE's B300, 1,365 of AMD's MI355X."""
    rows = comparable("gpt-oss-120b").query("version == 6.1 and accelerator_count == 8")
    best = rows.sort_values("each").drop_duplicates("accelerator", keep="last").set_index("accelerator")
    answers = best["each"] / (best["tokens_per_second"] / best["samples_per_second"])
    assert best.at["MI355X", "each"] > best.at["B300", "each"] and answers["B300"] > answers["MI355X"]
    page = table("overview", "rates").query("model == 'GPT-OSS 120B'").set_index("accelerator")
    own = page["rate"] / page["tokens_per_answer"]
    assert own[["B300", "MI355X"]].to_dict() == pytest.approx(answers[["B300", "MI355X"]].to_dict(), rel=1e-3)


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
    """Five are new in the data center suite, of three vendors; eight in the closed division with the edge."""
    closed = record().query("division == 'closed'")
    new = {}
    for suite, rows in (("data center", closed[closed["suite"].str.contains("datacenter")]), ("both", closed)):
        first = rows.groupby("accelerator")["version"].min()
        new[suite] = first.index[first.eq(6.1)]
    assert (len(new["data center"]), len(new["both"])) == (5, 8)
    said = next(part for part in outputs("overview") if part["name"] == "new_accelerators")
    assert said["value"] == 5 and "data center suite of v6.1 (all)" in said["text"]
    assert all(name in said["text"] for name in new["data center"])
