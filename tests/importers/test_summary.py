"""Summary rows of each round's shape to result rows: counts, units, precision, duplicates; and any JSON in."""

import json

import pytest

from analysis._import.official import accelerator_names, precision, shape, summaries, writer
from analysis._tables import rules

V61 = {
    "Organization": "Acme", "compliance": "closed", "Availability": "available", "SystemType": "datacenter",
    "SystemName": "Acme", "Platform": "acme", "MlperfModel": "resnet", "Model": "resnet50", "Scenario": "singlestream",
    "Result": 0.002, "Units": "Latency (s)", "accelerator_model_name": "NVIDIA L4", "accelerators_per_node": 2,
    "total_accelerators": 6, "number_of_nodes": 3, "host_processor_model_name": "X", "framework": "f", "notes": None,
    "weight_data_types": "int8", "Location": "closed/Acme/results/acme/resnet50/SingleStream",
}  # fmt: skip

NEW = {"Model": "new-model", "UsedModel": "new-model"}


def one(raw, round=""):
    return shape.row(summaries.entry(raw, round))


def test_a_row_of_v4_1_has_the_shape(tree):
    row = one(tree.row)
    told = {"round": "v4.1", "result_id": "4.1-0007", "benchmark": "llama2-70b", "accuracy_target": "99.9",
            "accelerator": "H100 SXM", "accelerator_as_published": "NVIDIA H100-SXM-80GB", "accelerator_count": 8,
            "nodes": 2, "low": 24000.5, "high": 24000.5, "unit": "tokens/s", "printed_unit": "Tokens/s",
            "tokens_per_sample": 300.0, "tokens_per_second": 24000.5, "samples_per_second": 24000.5 / 300,
            "precision": "", "precision_basis": "unknown", "power_measured": False, "inferred": False,
            "source_id": "mlcommons-v4.1", "id": "o-4.1-0007-llama2-70b-99.9-offline"}  # fmt: skip
    assert {name: row[name] for name in told} == told
    assert rules.row_faults(row, rules.checks(writer.fields())) == [] and "corrected" not in row


def test_a_row_of_v6_1_is_known_by_its_names():
    row = one(V61, "v6.1")
    told = {"round": "v6.1", "result_id": "", "submitter": "Acme", "division": "closed", "scenario": "SingleStream",
            "benchmark": "resnet50", "low": 2.0, "unit": "ms", "accelerator_count": 6, "nodes": 3,
            "note": ""}  # fmt: skip
    assert {name: row[name] for name in told} == told
    assert row["id"] == "o-6.1-closed-acme-acme-resnet50-singlestream"


def test_a_v6_1_file_is_an_object_of_numbered_rows(tmp_path, bring):
    path = tmp_path / "summary.json"
    second = V61 | {"Platform": "b", "Result": 7.5, "Units": "Latency (ms)", "Location": "closed/Acme/results/b/r/s"}
    path.write_text(json.dumps({"0": V61, "1": second}))
    outcome = bring(path, round="v6.1", origin="official")
    assert [row["low"] for row in outcome.table] == ["2.0", "7.5"] and outcome.status == 0


def test_the_place_of_a_v6_1_row_is_that_of_its_run_in_the_tree(tree, bring):
    location = tree.run()
    place = f"./{location}/performance/run_1"
    row = bring(tree.summary({"Location": place}), tree.root).table[0]
    assert (row["location"], row["recomputed"], row["recomputed_difference"]) == (location, "24000.5", "0.0")


@pytest.mark.parametrize(
    "power",
    [
        {"Result": None, "Result_Power": 4597.2, "Result_Units": "Watts", "Units": "Watts"},  # Collective Mind
        {"Result": 4597.2, "Units": "Watts"},  # v6.1
    ],
)
def test_power_in_a_row_of_its_own_joins_its_result(tmp_path, bring, power):
    rate = V61 | {"Scenario": "Offline", "Result": 100.0, "Units": "Samples/s", "version": "v4.0", "has_power": True}
    watts, path = rate | power, tmp_path / "cm-result.json"
    path.write_text(json.dumps([rate, watts, rate | {"Location": "elsewhere", "Platform": "b", "has_power": False}]))
    outcome = bring(path, origin="official")
    assert [row["power_watts_low"] for row in outcome.table] == ["4597.2", ""]
    assert [row["power_measured"] for row in outcome.table] == ["true", "false"]
    assert outcome.rows == 2 and outcome.problems == []


def test_power_beside_the_result_is_taken_as_it_is(tmp_path, bring):
    """So the Collective Mind lists have v3.1 and older rounds; `compliance` is no division there."""
    row = V61 | {"Division": "closed", "compliance": 1, "Result": 3.4, "Units": "Latency (ms)", "version": "v2.1",
                 "Result_Units": "Latency (ms)", "Result_Power": 894.4, "Result_Power_Units": "millijoules",
                 "SystemType": "datacenter,edge", "Accuracy": 76.072, "has_power": True}  # fmt: skip
    path = tmp_path / "cm-result.json"
    path.write_text(json.dumps([row]))
    found = bring(path, origin="official").table[0]
    told = {"energy_millijoules_per_query": "894.4", "low": "3.4", "division": "closed", "suite": "datacenter,edge",
            "accuracy": "76.072", "round": "v2.1"}  # fmt: skip
    assert {name: found[name] for name in told} == told


def test_power_of_another_system_does_not_join_and_is_no_result(tmp_path, bring):
    rate = V61 | {"Scenario": "Offline", "Result": 100.0, "Units": "Samples/s"}
    alone = rate | {"Location": "elsewhere", "Platform": "b", "Result": 4597.2, "Units": "Watts"}
    path = tmp_path / "summary.json"
    path.write_text(json.dumps([rate, alone]))
    outcome = bring(path, round="v6.1", origin="official")
    assert [row["low"] for row in outcome.table] == ["100.0"] and outcome.status == 1
    assert "power without the result" in str(outcome.problems[0])


@pytest.mark.parametrize(
    ("changes", "unit", "corrected"),
    [
        ({"Performance_Units": "Samples/s"}, "tokens/s", "labeled Samples/s, but llama2-70b counts tokens"),
        ({"Performance_Units": "Queries/s"}, "tokens/s", "labeled Queries/s, but llama2-70b counts tokens"),
        ({"Performance_Units": "Tokens/s"}, "tokens/s", None),
        ({"Model": "resnet", "UsedModel": "resnet50", "Performance_Units": "Samples/s"}, "samples/s", None),
        ({"Model": "gptj-99", "version": "v4.0", "Performance_Units": "Samples/s", "Accuracy": ""}, "samples/s", None),
        ({**NEW, "Performance_Units": "Samples/s"}, "tokens/s", "labeled Samples/s"),
        ({**NEW, "Performance_Units": "Samples/s", "Accuracy": "acc: 1"}, "samples/s", None),
    ],
)  # fmt: skip
def test_a_wrong_label_is_put_right_and_says_so(tree, changes, unit, corrected):
    row = one(tree.row | changes)
    assert row["unit"] == unit and row["printed_unit"] == changes["Performance_Units"]
    assert (row.get("corrected") or "").startswith(corrected or "") and bool(row.get("corrected")) == bool(corrected)


@pytest.mark.parametrize(
    ("declared", "benchmark", "round", "found"),
    [
        ("fp16", "llama2-70b", "v4.1", ("", "unknown")),
        ("fp16", "llama2-70b", "v5.1", ("fp16", "declared")),
        ("fp8", "llama2-70b", "v4.1", ("fp8", "declared")),
        ("mxfp4", "llama2-70b", "v5.1", ("fp4", "declared")),
        ("UNSET", "resnet50", "v5.1", ("", "unknown")),
        ("{'clip1': 'fp16', 'unet': 'fp8'}", "stable-diffusion-xl", "v5.1", ("", "mixed")),
        ("fp8 (static per-tensor PTQ, by a tool)", "llama2-70b", "v6.1", ("fp8", "declared")),
        ("fp8 (weights), fp16", "llama2-70b", "v6.1", ("", "mixed")),
        ("fp8,fp4", "llama2-70b", "v6.1", ("", "mixed")),
        ("NVFP4, FP8 (KV cache)", "llama2-70b", "v6.1", ("fp4", "declared")),
        ("NVFP4 weights with FP8 KV cache", "llama2-70b", "v6.1", ("fp4", "declared")),
        ("nvfp4 (E2M1 4-bit + FP8 block scales), GDN included", "qwen3.6-27b", "v6.1", ("fp4", "declared")),
        ("fp8 KV cache", "llama2-70b", "v6.1", ("", "unknown")),
        ("nvfp4, U8", "llama2-70b", "v6.1", ("", "unknown")),
    ],
)
def test_precision_is_what_ran_or_unknown(declared, benchmark, round, found):
    assert precision.declared(declared, benchmark, round)[:2] == found


@pytest.mark.parametrize(
    ("name", "canonical", "known"),
    [
        ("nvidia  h100-sxm-80gb", "H100 SXM", True),
        ("NVIDIA H200-SXM-141GB-CTS", "H200 SXM CTS", True),
        ("NVIDIA H200-SXM-141GB", "H200 SXM", True),
        ("MI300X (x8), MI325X (x16)", "mixed", True),
        ("NVIDIA L4, NVIDIA L40S", "mixed", True),
        ("NVIDIA L4 (x8)", "L4", True),
        ("NVIDIA B300-SXM-270GB", "B300 SXM", True),
        ("AMD Instinct MI355X 288GB HBM3e (Power Cap 1000 W)", "MI355X", True),
        ("NVIDIA A100-SXM-80GB (1x1g.10gb MIG)", "A100 SXM 80GB 1x1g.10gb MIG", True),
        ("NVIDIA A100-PCIe-40GB", "A100 PCIe 40GB", True),
        ("tensorflow-metal PluggableDevice", "tensorflow-metal PluggableDevice", False),
        ("Acme X1", "Acme X1", False),
    ],
)
def test_names_of_accelerators(name, canonical, known):
    assert accelerator_names.canonical(name) == (canonical, known)


def test_a_system_without_accelerators_counts_sockets(tree):
    row = one(tree.row | {"Accelerator": "", "a#": "", "Processor": "INTEL(R) XEON(R) PLATINUM 8592+"})
    assert (row["accelerator"], row["accelerator_count"]) == ("Xeon Platinum 8592+", 4)


@pytest.mark.parametrize(("value", "duplicate"), [(24000.5, "o-4.1-0007-llama2-70b-99.9-offline"), (23999.0, "")])
@pytest.mark.parametrize("first", [True, False])
def test_one_measurement_filed_under_both_targets_counts_once(tree, bring, value, duplicate, first):
    loose = {"UsedModel": "llama2-70b-99", "Model": "llama2-70b-99", "Performance_Result": value,
             "Location": "closed/Acme/results/acme/llama2-70b-99/Offline"}  # fmt: skip
    outcome = bring(tree.summary(*([loose, {}] if first else [{}, loose])))
    found = {row["accuracy_target"]: row["duplicate_of"] for row in outcome.table}
    assert found == {"99": duplicate, "99.9": ""}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"Performance_Result": -1}, "the result is -1"),
        ({"Performance_Result": "fast"}, "the result is 'fast'"),
        ({"Performance_Units": "Apples"}, None),
        ({"Performance_Units": "Latency (ms)"}, "expected"),
        ({"Power_Result": 0.0, "Power_Units": "Watts"}, "the power is 0.0"),
        ({"Nodes": 1.5}, "Nodes is 1.5"),
        ({"Category": "ajar"}, "division 'ajar' is not one of closed, open, network"),
        ({"version": ""}, "names no round"),
        ({"Nodes": 0}, "Nodes is 0, not a whole number above 0"),
        ({"Nodes": True}, "Nodes is True, not a whole number"),
        ({"a#": "1_0"}, "accelerators per node is '1_0', not a whole number"),
        ({"Accelerator": ""}, "names no accelerator, though it counts 4"),
        ({"total_accelerators": 3}, "total_accelerators is 3, but 2 nodes of 4 are 8"),
        ({"Performance_Result": 1e300}, "the result is 1e+300, not a number above 0 and below 1e+18"),
        (
            {
                "Model": "resnet",
                "UsedModel": "resnet50",
                "Scenario": "SingleStream",
                "Performance_Result": 1e17,
                "Performance_Units": "Latency (s)",
            },
            "the result in ms is 1e+20",
        ),
        ({"Power_Result": 0.5, "Power_Units": "kW"}, "its power is labeled 'kW', not one of watts, millijoules"),
        ({"inferred": "perhaps"}, "has inferred 'perhaps', neither true nor false"),
        ({"has_power": 2}, "has has_power 2, neither true nor false"),
        ({"Scenario": "Sideways"}, "scenario 'Sideways' is not one of"),
    ],
)
def test_a_row_that_cannot_be_trusted_is_left_out_alone(tree, bring, changes, reason):
    good = {"ID": "v4.1-0008", "Platform": "b", "Location": "closed/Acme/results/b/llama2-70b-99.9/Offline"}
    outcome = bring(tree.summary(changes, good))
    assert "4.1-0008" in [row["result_id"] for row in outcome.table]
    if reason:
        assert outcome.rows == 1 and outcome.status == 1
        assert reason in str(outcome.problems[0])


@pytest.mark.parametrize(("said", "meant"), [("false", False), ("true", True), (0, False), (None, False)])
def test_flags_are_read_as_said(tree, said, meant):
    row = one(tree.row | {"inferred": said, "has_power": said})
    assert (row["inferred"], row["power_measured"]) == (meant, meant)


@pytest.mark.parametrize(
    ("label", "scenario", "column", "value"),
    [
        ("Watts", "Offline", "power_watts_low", 2.0),
        (None, "Offline", "power_watts_low", 2.0),
        ("Joules", "Offline", "energy_millijoules_per_query", 2000.0),
        (None, "SingleStream", "energy_millijoules_per_query", 2.0),
        ("millijoules", "SingleStream", "energy_millijoules_per_query", 2.0),
    ],
)
def test_power_is_what_its_label_says(tree, label, scenario, column, value):
    stream = {"Performance_Units": "Latency (ms)"} if scenario == "SingleStream" else {}
    changes = {"Model": "resnet", "UsedModel": "resnet50", "Performance_Units": "Samples/s", "Scenario": scenario}
    row = one(tree.row | changes | stream | {"Power_Result": 2.0, "Power_Units": label})
    power = {name: row[name] for name in ("power_watts_low", "energy_millijoules_per_query") if name in row}
    assert power == {column: value}


def test_a_count_that_is_empty_is_unknown(tree):
    """So v5.1 has three rows of an integrated part."""
    row = one(tree.row | {"a#": ""})
    assert (row["accelerator"], row["accelerator_count"], row["nodes"]) == ("H100 SXM", None, 2)


def test_a_mixed_cluster_counts_its_total():
    mixed = {"accelerator_model_name": "MI300X (x8), MI325X (x16)", "total_accelerators": 24}
    assert one(V61 | mixed | {"accelerators_per_node": 8, "number_of_nodes": 2}, "v6.1")["accelerator_count"] == 24


@pytest.mark.parametrize("missing", ["Submitter", "a#"])  # fmt: skip
def test_a_missing_key_is_named_with_its_row(tree, bring, missing):
    path = tree.summary({}, {"ID": "v4.1-0008", "Platform": "b"})
    rows = json.loads(path.read_text())
    del rows[1][missing]
    path.write_text(json.dumps(rows))
    outcome = bring(path)
    assert outcome.rows == 1 and outcome.status == 1
    assert "row 2" in str(outcome.problems[0]) and missing in str(outcome.problems[0])


def test_latin_1_bytes_cost_nothing(tree, bring):
    path = tree.summary({"System": "Acme @"})
    path.write_bytes(path.read_bytes().replace(b"Acme @", b"Acm\xe9"))
    assert bring(path).table[0]["system"] == "Acmé"


def test_a_text_that_a_spreadsheet_would_run_is_made_harmless(tree, bring):
    assert bring(tree.summary({"System": "=1+1"})).table[0]["system"] == "'=1+1"


@pytest.mark.parametrize("content", ["", "[", "7", '{"a" 1}', '{"rows": [1]}', "[1, 2]", "[" * 5000])
def test_what_is_no_summary_is_refused_by_name_and_nothing_is_written(tmp_path, bring, content):
    from analysis._import.official.import_run import ImportFailed

    path, out = tmp_path / "x.json", tmp_path / "out.csv"
    path.write_text(content)
    out.write_text("as it was")
    with pytest.raises(ImportFailed, match=r"x\.json"):
        bring(path, out=out)
    assert out.read_text() == "as it was" and sorted(p.name for p in tmp_path.iterdir()) == ["out.csv", "x.json"]


def test_a_byte_order_mark_is_passed_over(tree, bring):
    path = tree.summary()
    path.write_text(path.read_text("utf-8"), "utf-8-sig")
    assert bring(path).rows == 1


def test_the_same_result_twice_counts_once_and_another_with_its_key_is_left_out(tree, bring):
    outcome = bring(tree.summary({}, {}, {"Performance_Result": 7.0}))
    assert (outcome.rows, outcome.repeated, len(outcome.problems)) == (1, 1, 1)
    assert "stands twice, first in" in outcome.problems[0].reason
