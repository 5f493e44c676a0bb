"""The numbers of the overview, counted again by plain pandas."""

from __future__ import annotations

import pytest

from analysis import comparable as comparable_results
from analysis import load_results, progress
from tests.reports.plain import comparable, fastest, record, said, table, values

MODELS = {
    "llama2-70b": "Llama 2 70B", "gpt-oss-120b": "GPT-OSS 120B", "deepseek-r1": "DeepSeek-R1",
    "llama3.1-8b": "Llama 3.1 8B", "llama3.1-405b": "Llama 3.1 405B", "whisper": "Whisper",
}  # fmt: skip


@pytest.mark.parametrize(("benchmark", "model"), MODELS.items())
def test_measured_rates_are_those_of_the_newest_round(benchmark, model):
    page = table("overview", "rates").query("model == @model").set_index("accelerator")
    rows = comparable(benchmark, virtual=True)
    best = fastest(rows[rows["version"].eq(rows["version"].max())])
    own = page.loc[best.index]
    assert own["rate"].to_dict() == own["last_rate"].to_dict() == pytest.approx(best["each"].to_dict())
    assert own["share"].to_dict() == pytest.approx((best["each"] / best["each"].max()).to_dict())


def test_a_faster_system_of_four_is_said():
    rows = comparable("gpt-oss-120b").query("accelerator == 'GB200' and version == 6.1")
    best = rows.groupby("accelerator_count")["each"].max()
    assert best[4] / best[8] - 1 == pytest.approx(0.207, abs=0.001)
    assert "GB200 on GPT-OSS 120B (4x, v6.1, +21%)" in said("overview")["other_sizes"]["text"]


def test_two_l40s_of_a_later_round_are_said_to_be_faster_than_eight():
    rows = comparable("whisper").query("accelerator == 'L40S'").set_index(["version", "accelerator_count"])["each"]
    assert rows[6.0, 2] / rows[5.1, 8] - 1 == pytest.approx(0.332, abs=0.001)
    assert "L40S on Whisper (2x, v6.0, +33%)" in said("overview")["other_sizes"]["text"]


def test_the_headline_counts_the_models_that_gb300_leads():
    page = table("overview", "rates")
    first = page.sort_values("rate").drop_duplicates("model", keep="last")
    assert values("overview")["answer"] == first["accelerator"].value_counts().max() == 5


def test_in_answers_a_b300_passes_mi355x_on_gpt_oss():
    """Answers of 1,241 tokens of HPE's B300, 1,365 of AMD's MI355X."""
    best = fastest(comparable("gpt-oss-120b").query("version == 6.1 and accelerator_count == 8"))
    answers = best["each"] / (best["tokens_per_second"] / best["samples_per_second"])
    assert best.at["MI355X", "each"] > best.at["B300", "each"] and answers["B300"] > answers["MI355X"]
    page = table("overview", "rates").query("model == 'GPT-OSS 120B'").set_index("accelerator")
    own = page["rate"] / page["tokens_per_answer"]
    assert own[["B300", "MI355X"]].to_dict() == pytest.approx(answers[["B300", "MI355X"]].to_dict(), rel=1e-3)


def changes(scenario):
    """Return the newest over the round before of each model: its fastest GPU, each by eight, or any size without."""
    found = {}
    for benchmark in record()["benchmark"].unique():
        rows = comparable(benchmark, scenario, vendors=("NVIDIA", "AMD", "Intel"), virtual=True).query("kind == 'gpu'")
        best = fastest(rows, "version")["each"].groupby("version").max()
        if {6.0, 6.1} <= {*best.index}:
            found[benchmark] = best[6.1] / best[6.0]
    return found


def test_the_fastest_result_rose_on_seven_of_eight_models_whisper_among_them():
    """B300 on Whisper has 6,658 tokens/s over 6,320; a rack of GB200 had 1.12 times less than MI355X on DLRM v3."""
    change = changes("Offline")
    assert change["whisper"] == pytest.approx(53267.2 / 50562.2, rel=1e-4)
    assert change["dlrm-v3"] == pytest.approx(1.121, abs=0.001)
    up = [benchmark for benchmark, gain in change.items() if gain > 1.005]
    assert (values("overview")["models_up"], len(up), len(change)) == (7, 7, 8)
    assert set(change) - set(up) == {"deepseek-r1"}
    parts = said("overview")
    assert parts["models_up"]["unit"] == "of 8 models"
    assert parts["models_up"]["text"].endswith("highest: Qwen3-VL 235B 1.19x, DLRM v3 1.12x, GPT-OSS 120B 1.08x.")
    assert parts["change"]["title"].endswith("rose from v6.0 to v6.1: 7, not: 1")


@pytest.mark.parametrize(
    ("scenario", "own"), [("Offline", {}), ("Server", {}), ("Interactive", {"deepseek-r1": 1.038, "llama2-70b": 0.822})]
)
def test_a_change_of_a_round_compares_no_rack_with_a_node(scenario, own):
    """DeepSeek-R1 Interactive has racks of GB300 in both rounds, and nodes of eight in v6.0 alone, 5.9 times slower."""
    gpus = load_results().query("kind == 'gpu'")
    rows = comparable_results(gpus, benchmark=gpus["benchmark"].unique(), scenario=scenario)
    rates = progress.leaders_by_round(rows).set_index(["benchmark", "round"])["rate_per_accelerator"].unstack()
    change = (rates["v6.1"] / rates["v6.0"]).dropna().to_dict()
    assert change == pytest.approx(changes(scenario))
    assert {benchmark: change[benchmark] for benchmark in own} == pytest.approx(own, abs=0.001)


def test_new_gpus_are_those_of_the_suite_that_is_named():
    """Five accelerators are new in the data center suite, two of them GPUs; with the edge there are more."""
    closed = record().query("division == 'closed' and kind == 'gpu'")
    first = closed[closed["suite"].str.contains("datacenter")].groupby("accelerator")["version"].min()
    new = first.index[first.eq(6.1)]
    part = said("overview")["new_accelerators"]
    assert part["value"] == len(new) == 2 and "data center suite of v6.1 (all vendors)" in part["text"]
    assert all(name in part["text"] for name in new) and "Xeon" not in part["text"]
