"""The official files of v4.1 and v5.1 against what they say themselves, and against the reference list."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROUNDS = {"v4.1": 937, "v5.1": 1448}
WRONG = {  # benchmark, scenario, printed label: rows
    "v4.1": {("llama2-70b", "Offline", "Samples/s"): 3, ("llama2-70b", "Server", "Queries/s"): 2},
    "v5.1": {("whisper", "Offline", "Samples/s"): 37, ("llama3.1-8b", "Interactive", "Queries/s"): 8},
}
TWICE = {"v4.1": {"llama2-70b": 72, "gptj": 50}}  # measurements filed under both targets; of BERT there is none


@pytest.fixture(scope="module", params=ROUNDS)
def imported(request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A round: its rows as printed in the file, its result rows, the outcome, and what the import said."""
    from analysis._import.official.import_run import import_results

    path, out = shared / f"{request.param}_summary_results.json", tmp_path_factory.mktemp("official") / "out.csv"
    said: list[str] = []
    outcome = import_results([path], out, say=said.append)
    with out.open(encoding="utf-8", newline="") as file:
        rows = {(row["result_id"], row["model_run"], row["scenario"]): row for row in csv.DictReader(file)}
    raw = {(each["ID"].lstrip("v"), each["UsedModel"], each["Scenario"]): each for each in json.loads(path.read_text())}
    return request.param, raw, rows, outcome, said


def test_every_row_is_imported_and_nothing_is_unknown(imported):
    round, raw, rows, outcome, said = imported
    assert outcome.rows == len(rows) == len(raw) == ROUNDS[round] and rows.keys() == raw.keys()
    assert outcome.status == 0 and outcome.problems == []
    assert said and not any(line.startswith("unknown") for line in said)


@pytest.mark.parametrize(("ours", "theirs"), [("suite", "Suite"), ("division", "Category"), ("scenario", "Scenario")])
def test_counts_equal_the_files(imported, ours, theirs):
    _, raw, rows, *_ = imported
    assert Counter(row[ours] for row in rows.values()) == Counter(each[theirs] for each in raw.values())


def test_figures_and_power_are_the_published_ones(imported):
    _, raw, rows, *_ = imported
    for key, each in raw.items():
        row = rows[key]
        assert float(row["low"]) == float(row["high"]) == each["Performance_Result"]
        column = "energy_millijoules_per_query" if each.get("Power_Units") == "millijoules" else "power_watts_low"
        assert (float(row[column]) if row[column] else None) == each.get("Power_Result")
        assert (row["power_measured"] == "true") == each["has_power"]


def test_exactly_the_known_wrong_units_are_put_right(imported):
    round, _, rows, *_ = imported
    corrected = [row for row in rows.values() if row["corrected"]]
    found = Counter((row["benchmark"], row["scenario"], row["printed_unit"]) for row in corrected)
    assert found == WRONG[round] and {row["unit"] for row in corrected} == {"tokens/s"}
    labels = {"Tokens/s": "tokens/s", "Samples/s": "samples/s", "Queries/s": "queries/s", "Latency (ms)": "ms"}
    assert all(row["unit"] == labels[row["printed_unit"]] for row in rows.values() if not row["corrected"])


def test_one_measurement_under_two_targets_is_marked_once(imported):
    round, _, rows, *_ = imported
    ids = {row["id"]: row for row in rows.values()}
    marked = [row for row in rows.values() if row["duplicate_of"]]
    assert all(ids[row["duplicate_of"]]["low"] == row["low"] for row in marked)
    assert {ids[row["duplicate_of"]]["accuracy_target"] for row in marked} == {"99.9"}
    counts = Counter(row["benchmark"] for row in marked)
    for benchmark, count in TWICE.get(round, {}).items():
        assert counts[benchmark] == count
    assert counts["bert"] == 0


def test_the_reference_list_is_reproduced(imported, shared):
    """326 official results in both rounds (one more is of v4.0): accelerators, figures, tokens per sample, power."""
    round, _, rows, *_ = imported
    by_place = {row["location"]: row for row in rows.values()}
    with (shared.parent / "facts" / "official_reference.csv").open(encoding="utf-8", newline="") as file:
        reference = [each for each in csv.DictReader(file) if each["round"] == round]
    assert len(reference) == {"v4.1": 256, "v5.1": 69}[round]
    for each in reference:
        row = by_place[each["location"]]
        assert (row["result_id"], row["submitter"], row["division"], row["availability"], row["suite"]) == (
            each["result_id"], each["submitter"], each["division"], each["availability"], each["suite"])  # fmt: skip
        assert row["accelerator_as_published"] == each["accelerator"] and row["scenario"] == each["scenario"]
        assert float(row["low"]) == float(each["value"]) and row["unit"] == {"latency (ms)": "ms"}.get(
            each["unit"].lower(), each["unit"].lower()
        )
        assert row["accelerator_count"] == each["accelerators_total"] or not each["accelerators_total"]
        power = row["energy_millijoules_per_query"] if each["power_unit"] == "millijoules" else row["power_watts_low"]
        assert (float(power) if power else None) == (float(each["power_value"]) if each["power_value"] else None)
        if each["raw_tokens_per_sample"] and row["tokens_per_sample"]:
            # The summary's figure is of the accuracy run, the list's of the performance run.
            assert float(row["tokens_per_sample"]) == pytest.approx(float(each["raw_tokens_per_sample"]), rel=0.03)


def test_folders_with_logs_recompute_what_was_published(shared, bring):
    """Throughput to the six digits of the log, power to 1e-9 relative."""
    outcome = bring(shared / "v4.1_summary_results.json", shared / "inference_results_v4.1")
    recomputed = [row for row in outcome.table if row["recomputed"]]
    power = [row for row in recomputed if row["recomputed_power"]]
    assert (outcome.rows, len(recomputed), len(power), outcome.status, outcome.differing) == (937, 13, 4, 0, [])
    assert all(float(f"{float(row['recomputed']):.6g}") == float(row["low"]) for row in recomputed)
    assert all(abs(float(row["recomputed_power_difference"])) < 1e-9 for row in power)
    assert {row["unit"] for row in power} == {"samples/s", "queries/s", "ms"}


def test_the_tree_alone_gives_the_published_figures(shared, bring):
    outcome = bring(shared / "inference_results_v4.1")
    published = {each["Location"]: each for each in json.loads((shared / "v4.1_summary_results.json").read_text())}
    assert outcome.rows == 13 and outcome.status == 0
    for row in outcome.table:
        each = published[row["location"]]
        assert float(row["low"]) == each["Performance_Result"]
        assert row["submitter"] == each["Submitter"] and row["system"] == each["System"]
        assert row["suite"] == each["Suite"] and row["availability"] == each["Availability"]
        assert row["accelerator_as_published"] == (each["Accelerator"] or each["Processor"])


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
