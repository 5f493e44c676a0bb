"""What differs from round to round in the public record: units, classes, targets, flags, collections, compliance."""

import io
import json
import tarfile

import pytest

from analysis._import.official import endpoints, loadgen, shape, summaries, units
from analysis._import.official.import_run import ImportFailed

V61 = {
    "Organization": "Acme", "compliance": "closed", "Availability": "available", "SystemType": "edge",
    "SystemName": "Acme", "Platform": "acme", "MlperfModel": "resnet", "Model": "resnet50", "Scenario": "Offline",
    "Result": 50.0, "Units": "Samples/s", "accelerator_model_name": "NVIDIA L4", "accelerators_per_node": 2,
    "total_accelerators": 6, "number_of_nodes": 3, "host_processor_model_name": "X", "framework": "f", "notes": None,
    "weight_data_types": "int8", "Location": "closed/Acme/results/acme/resnet50/Offline", "inferred": 1,
}  # fmt: skip
TOKENS = {"Accuracy": 70, "MlperfModel": "llama3.1-8b", "Units": "Tokens/s"}
STREAM = {"Scenario": "SingleStream", "Units": "Latency (ms)"}
COLLECTED = V61 | {
    "Division": "closed", "compliance": 1, "version": "v3.1", "git_url": "https://github.com/mlcommons/inference_results_v3.1",
    "uid": "1", "inferred": 0,
}  # fmt: skip


def one(raw, round=""):
    return shape.row(summaries.entry(raw, round))


def test_a_server_row_of_v4_0_keeps_its_label_and_an_offline_row_is_put_right(tree):
    v40 = {"version": "v4.0", "Accuracy": "ROUGE1: 44.5"}
    server = one(tree.row | v40 | {"Scenario": "Server", "Performance_Result": 70.4, "Performance_Units": "Queries/s"})
    offline = one(tree.row | v40 | {"Performance_Units": "Samples/s"})
    assert (server["unit"], server.get("corrected"), offline["unit"]) == ("queries/s", None, "tokens/s")


def test_a_class_of_models_in_v6_1_is_not_the_benchmark():
    row = one(V61 | {"MlperfModel": "a class of models", "Model": "llama3.1-8b-edge", "Units": "Tokens/s"}, "v6.1")
    assert (row["benchmark"], row["model_run"], row["unit"]) == ("llama3.1-8b-edge", "llama3.1-8b-edge", "tokens/s")
    own = one(V61 | {"Model": "a model of the open division"}, "v6.1")
    assert own["benchmark"] == "resnet50"


@pytest.mark.parametrize(
    ("named", "benchmark"),
    [
        ("VLM", "qwen3-vl-235b-a22b"),
        ("agentic edge", "qwen3.6-27b"),
        ("yolo-95", "yolo"),
        ("dlrm-99.9", "dlrm"),
    ],
)
def test_a_benchmark_is_known_by_every_name_of_the_record(named, benchmark):
    assert units.benchmark(named, "a model of the open division")[0] == benchmark
    assert benchmark in units.counted()


def test_what_names_no_part_stays_as_it_is_and_is_told_apart(tree, bring):
    names = ["undefined", "tensorflow-metal PluggableDevice", "Acme X1"]
    rows = [
        {"Accelerator": name, "ID": f"v4.1-000{at}", "Location": "", "Platform": name} for at, name in enumerate(names)
    ]
    outcome = bring(tree.summary(*rows))
    said = "what is printed in the accelerator's place names no part"
    assert [(row["accelerator"], said in row["note"]) for row in outcome.table] == list(
        zip(names, (1, 1, 0), strict=True)
    )
    told = [line.split("'")[1] for line in outcome.lines if line.startswith("unnamed   accelerator")]
    assert told == sorted(names[:2]) and any("unknown   accelerator 'Acme X1'" in line for line in outcome.lines)


@pytest.mark.parametrize(("printed", "accuracy"), [("None", ""), (None, ""), (76.1, "76.1")])
def test_an_accuracy_that_is_not_said_is_empty(printed, accuracy):
    assert one(COLLECTED | {"Accuracy": printed})["accuracy"] == accuracy


@pytest.mark.parametrize(("round", "inferred"), [("v5.1", True), ("v6.0", False), ("v6.1", False)])
def test_the_flag_inferred_says_nothing_from_v6_0_on(tree, round, inferred):
    assert one(tree.row | {"version": round, "inferred": 1})["inferred"] == inferred


@pytest.mark.parametrize(
    ("round", "changes", "words"),
    [
        ("v6.1", {"Accuracy": 0.787} | STREAM, "mean latency, where LoadGen gives a percentile"),
        ("v6.1", TOKENS | {"Scenario": "Server"}, "tokens over the window of LoadGen, not over the whole run"),
        ("v6.1", TOKENS, "logs"),  # Offline has no window of its own
        ("v6.1", {"Accuracy": 70, "Model": "llama3.1-8b-edge", "MlperfModel": "llama3.1-8b-edge"} | STREAM, "logs"),
        ("v6.1", {"Accuracy": "acc: 76"}, ""),
        ("v3.1", {"Accuracy": 76.1}, ""),
    ],
)
def test_a_figure_of_endpoints_logs_says_so(round, changes, words):
    said = one(V61 | changes, round).get("note", "")
    assert (said.startswith(endpoints.FIGURES) and said.endswith(words)) if words else endpoints.FIGURES not in said


@pytest.mark.parametrize(
    ("name", "nodes", "count", "said"),
    [
        ("NVIDIA L4 (x87)", 11, 87, "87 accelerators by its name"),
        ("NVIDIA L4 (x88)", 11, 88, ""),
        ("NVIDIA L4 (x8)", 11, 88, ""),  # those of a node
    ],
)
def test_a_cluster_whose_last_node_is_not_full_counts_what_its_name_says(name, nodes, count, said):
    size = {"number_of_nodes": nodes, "accelerators_per_node": 8, "total_accelerators": 8 * nodes}
    row = one(V61 | {"accelerator_model_name": name} | size, "v6.1")
    assert (row["accelerator"], row["accelerator_count"]) == ("L4", count) and said in row.get("note", "")


def test_nodes_of_several_kinds_are_counted_by_their_name():
    name = "2 Nodes: NVIDIA A100-SXM-80GBx8, 4 Nodes: NVIDIA A30x4"
    size = {"accelerators_per_node": "(8,4)", "number_of_nodes": 6}
    row = one(COLLECTED | {"accelerator_model_name": name} | size)
    assert (row["accelerator"], row["accelerator_count"]) == ("mixed", 32)


def test_a_processor_without_a_name_is_that_of_its_system():
    bare = {"accelerator_model_name": "N/A", "accelerators_per_node": 0, "host_processor_model_name": "",
            "total_accelerators": 0, "host_processors_per_node": 1, "number_of_nodes": 1}  # fmt: skip
    row = one(COLLECTED | bare)
    assert (row["accelerator"], row["accelerator_count"]) == ("Acme", 1) and "is not named" in row["note"]


def collection(root):
    """A clone of collections: a result whose power is a row of its own, and another that is filed three times."""
    power = COLLECTED | {"Result": None, "Result_Power": 90.0, "Units": "Watts", "Result_Units": "Watts"}
    other = COLLECTED | {"Platform": "b", "Location": "closed/Acme/results/b/resnet50/Offline", "uid": "2"}
    for name, rows in {"all": [COLLECTED, power, other, other], "power": [other]}.items():
        path = root / "experiment" / name / "2024" / "cm-result.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(rows))
    return root


@pytest.mark.parametrize("given", ["clone", "folder above", "one collection", "archive"])
def test_a_collection_is_known_by_its_files(tmp_path, bring, given):
    clone = collection(tmp_path / "clones" / "collections")
    if given == "archive":
        (tmp_path / "x.tar").write_bytes(_tar(clone))
    path = {"clone": clone, "folder above": clone.parent, "one collection": clone / "experiment" / "all",
            "archive": tmp_path / "x.tar"}[given]  # fmt: skip
    outcome = bring(path)
    assert {row["system"] + row["location"]: row["power_watts_low"] for row in outcome.table} == {
        "Acmeclosed/Acme/results/acme/resnet50/Offline": "90.0",
        "Acmeclosed/Acme/results/b/resnet50/Offline": "",
    }
    assert (outcome.rows, outcome.status, outcome.repeated) == (2, 0, 1 if given == "one collection" else 2)
    assert {row["round"] for row in outcome.table} == {"v3.1"} and "stood again" in outcome.lines[-1]


def _tar(folder):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as out:
        out.add(folder, folder.name)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["TEST01", "TEST06", "test09"])
def test_compliance_runs_within_a_scenario_are_no_results(tree, bring, name):
    tree.run("llama2-70b-99")
    log = tree.log_text(result_tokens_per_second=1.0)
    tree.write(f"closed/Acme/results/acme/llama2-70b-99.9/Offline/{name}/performance/run_1/mlperf_log_detail.txt", log)
    outcome = bring(tree.root)
    assert [row["model_run"] for row in outcome.table] == ["llama2-70b-99"] and outcome.problems == []


def test_a_run_that_the_summary_does_not_list_is_left_out(tree, bring):
    tree.run()
    added = tree.run("resnet50")
    outcome = bring(tree.summary(), tree.root)
    assert [row["result_id"] for row in outcome.table] == ["4.1-0007"] and outcome.status == 1
    assert [(added in each.place, each.reason) for each in outcome.problems] == [
        (True, "the summary of v4.1 does not list it")
    ]


def test_a_summary_that_was_not_read_whole_decides_nothing(tree, bring):
    tree.run()
    added = tree.run("resnet50")
    outcome = bring(tree.summary({}, {"Submitter": None}), tree.root)
    assert {row["location"] for row in outcome.table} >= {added} and outcome.rows == 2


OF = "https://github.com/{}/tree/main/closed/Acme"


@pytest.mark.parametrize(
    ("link", "known"),
    [
        (OF.format("mlcommons/inference_results_v5.0"), True),
        (OF.format("mlcommons/submissions_inference_v6.0"), True),
        (OF.format("mlcommons/mlperf_inference_test_submissions_v5.0"), False),
        (None, False),
    ],
)
def test_rows_of_no_known_repository_are_not_official(tree, bring, link, known):
    path = tree.summary({"Details": link}, {"Details": link, "ID": "v4.1-0008", "Platform": "b"})
    if known:
        assert {row["origin"] for row in bring(path).table} == {"official"}
        return
    with pytest.raises(ImportFailed) as failed:
        bring(path)
    assert str(failed.value).count("2 rows") == 1 and "--round and --origin" in str(failed.value)
    row = bring(path, round="v5.0", origin="measured").table[0]
    assert (row["origin"], row["source_id"]) == ("measured", "unofficial-submissions")
    assert bring(path, round="v4.1", origin="official").table[0]["source_id"] == "mlcommons-v4.1"


def test_a_file_in_the_clone_of_a_round_is_official_without_links(tree, bring):
    path = tree.write("summary.json", json.dumps([tree.row | {"Details": None}]))
    assert bring(path).table[0]["origin"] == "official"


def test_a_tree_of_trial_submissions_needs_an_origin(tree, bring):
    tree.run()
    moved = tree.root.rename(tree.root.with_name("mlperf_inference_test_submissions_v5.0"))
    with pytest.raises(ImportFailed, match="is no record of a round by its name"):
        bring(moved, round="v5.0")
    assert bring(moved, round="v5.0", origin="measured").table[0]["origin"] == "measured"


def test_the_figure_of_a_v4_0_log_is_its_completed_queries(tree):
    log = loadgen.read_log(tree.write("log.txt", tree.log_text(
        effective_scenario="Server", result_scheduled_samples_per_sec=75.0
    )))  # fmt: skip
    found = loadgen.performance(log, "llama2-70b", "Server", "v4.0")
    assert found == (70.0, "queries/s", "result_completed_samples_per_sec")
