"""The official files of v4.1 and v5.1 against what they say themselves, and against the reference list."""

import pytest


def test_folders_with_logs_recompute_what_was_published(shared, bring):
    """Throughput to the six digits of the log, power to 1e-9 relative."""
    outcome = bring(shared / "v4.1_summary_results.json", shared / "inference_results_v4.1")
    recomputed = [row for row in outcome.table if row["recomputed"]]
    power = [row for row in recomputed if row["recomputed_power"]]
    assert (outcome.rows, len(recomputed), len(power), outcome.status, outcome.differing) == (937, 13, 4, 0, [])
    assert all(float(f"{float(row['recomputed']):.6g}") == float(row["low"]) for row in recomputed)
    assert all(abs(float(row["recomputed_power_difference"])) < 1e-9 for row in power)
    assert {row["unit"] for row in power} == {"samples/s", "queries/s", "ms"}


@pytest.mark.parametrize(
    ("round", "precisions", "limits", "hypervisors", "serving"),
    [("v4.1", 914, 26, 0, 32), ("v5.1", 1402, 0, 23, 138), ("v6.0", 517, 19, 0, 87)],
)
def test_what_a_summary_says_with_the_facts_on_configurations(
    shared, bring, round, precisions, limits, hypervisors, serving
):
    facts = shared.parent / "facts" / "submitted_configurations.csv"
    rows = bring(shared / f"{round}_summary_results.json", facts).table
    columns = ("precision", "power_limit_watts", "hypervisor", "serving_software")
    assert tuple(sum(bool(row[name]) for row in rows) for name in columns) == (precisions, limits, hypervisors, serving)
    capped = [row for row in rows if "MaxQ" in row["system"]]
    assert all(row["power_limit_watts"] for row in capped) and len(capped) == (26 if round == "v4.1" else 0)
    by_hand = {("llama2-70b-99", "Offline"): "500.0", ("resnet50", "Offline"): "350.0", ("resnet50", "Server"): "400.0",
               ("bert-99", "Server"): "400.0", ("bert-99.9", "Server"): "450.0", ("gptj-99", "Server"): "350.0",
               ("3d-unet-99.9", "Offline"): "350.0", ("stable-diffusion-xl", "Server"): "450.0",
               ("mixtral-8x7b", "Server"): "500.0", ("dlrm-v2-99", "Offline"): "500.0"}  # fmt: skip
    found = {(row["model_run"], row["scenario"]): row["power_limit_watts"] for row in capped}
    assert {key: found[key] for key in by_hand if found} == (by_hand if capped else {})
