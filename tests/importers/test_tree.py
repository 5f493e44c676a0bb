"""A submission tree to rows: what its logs give, what is published beside them, and every kind of broken file."""

import io
import json
import os
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis._import.official import archive as archives
from analysis._import.official import loadgen
from analysis._import.official import tree as trees
from analysis._import.official.import_run import ImportFailed
from analysis._import.official.writer import OutputError
from analysis.cli import main


def test_a_run_gives_its_row_from_the_log_alone(tree: Any, bring: Callable) -> None:
    tree.power(tree.run())
    row = bring(tree.root).table[0]
    told = {"round": "v4.1", "low": "24000.5", "unit": "tokens/s", "accelerator": "H100 SXM", "accelerator_count": "8",
            "nodes": "2", "power_watts_low": "400.0", "power_measured": "true", "validity": "VALID",
            "samples_per_second": "80.0", "tokens_per_sample": "300.006", "ttft_p99_ms": "450.0",
            "recomputed": "24000.5", "recomputed_key": "result_tokens_per_second", "recomputed_difference": "",
            "precision_basis": "unknown", "location": "closed/Acme/results/acme/llama2-70b-99.9/Offline"}  # fmt: skip
    assert {name: row[name] for name in told} == told


@pytest.mark.parametrize(
    "part",
    ["closed", "closed/Acme", "closed/Acme/results", "closed/Acme/results/acme"],
)
def test_any_part_of_a_tree_gives_the_same_row(tree: Any, bring: Callable, part: str) -> None:
    location = tree.run()
    assert bring(tree.root / part).table == bring(tree.root).table == bring(tree.root / location).table


def test_published_and_recomputed_stand_side_by_side(tree: Any, bring: Callable) -> None:
    tree.power(tree.run())
    published = tree.summary({"Power_Result": 400.0, "Power_Units": "Watts", "has_power": True})
    outcome = bring(published, tree.root)
    row = outcome.table[0]
    assert (outcome.rows, row["result_id"], row["recomputed_difference"]) == (1, "4.1-0007", "0.0")
    assert (row["recomputed_power"], row["recomputed_power_difference"]) == ("400.0", "0.0")
    assert outcome.recomputed == 1 and outcome.differing == []


def test_a_difference_is_said(tree: Any, bring: Callable) -> None:
    tree.run()
    outcome = bring(tree.summary({"Performance_Result": 25000.0}), tree.root)
    assert float(outcome.table[0]["recomputed_difference"]) == pytest.approx(24000.5 / 25000 - 1, abs=1e-12)
    assert any(line.startswith("differs") and "published 25000, log 24000.5" in line for line in outcome.lines)


def test_a_figure_of_another_key_has_that_keys_unit(tree: Any, bring: Callable) -> None:
    """80 is the log's samples per second, whatever its label says."""
    tree.run()
    row = bring(tree.summary({"Performance_Result": 80.0, "Performance_Units": "Tokens/s"}), tree.root).table[0]
    assert (row["unit"], row["corrected"]) == ("samples/s", "the figure is result_samples_per_second of its log")


def test_the_key_of_the_log_stands_above_a_label_that_no_table_knows(tree: Any, bring: Callable) -> None:
    """The figure agrees, its label does not: tokens, so fp16 is also no more than the type of the starting weights."""
    location = tree.run("new-llm")
    label = {"UsedModel": "new-llm", "Model": "new-llm", "Performance_Units": "Samples/s", "Accuracy": "acc: 70"}
    row = bring(tree.summary(label | {"Location": location}), tree.root).table[0]
    told = {"low": "24000.5", "unit": "tokens/s", "corrected": "the figure is result_tokens_per_second of its log",
            "samples_per_second": "80.0", "tokens_per_second": "24000.5", "precision": "", "precision_basis": "unknown",
            "recomputed_difference": "0.0"}  # fmt: skip
    assert {name: row[name] for name in told} == told and "starting weights" in row["note"]


def test_a_label_that_the_log_bears_out_is_left(tree: Any, bring: Callable) -> None:
    log = tree.log_text(effective_scenario="Server", result_completed_tokens_per_second=None)
    row = {"UsedModel": "new-net", "Model": "new-net", "Scenario": "Server", "Performance_Units": "Samples/s",
           "Accuracy": "acc: 70", "Performance_Result": 70.0}  # fmt: skip
    found = bring(tree.summary(row | {"Location": tree.run("new-net", "Server", log)}), tree.root).table[0]
    assert (found["unit"], found["corrected"], found["precision"]) == ("samples/s", "", "fp16")


def test_tokens_of_a_gpt_j_sample_are_those_of_the_rule(tree: Any, bring: Callable) -> None:
    inferred = {"result_inferred_completed_tokens_per_second": 4829.993}
    log = tree.log_text(effective_scenario="Server", result_completed_tokens_per_second=None, **inferred)
    tree.run("gptj-99", "Server", log)
    assert [row["tokens_per_sample"] for row in bring(tree.root).table] == ["69.0"]


def test_a_published_row_whose_log_is_absent_is_kept(tree: Any, bring: Callable) -> None:
    tree.write("closed/Acme/results/acme/llama2-70b-99.9/Offline/accuracy/accuracy.txt", "")
    outcome = bring(tree.summary(), tree.root)
    assert outcome.status == 0 and "its log is not in the tree" in outcome.table[0]["note"]


def test_a_line_of_accuracy_that_was_written_over_another_counts(tree: Any, bring: Callable) -> None:
    tree.write(f"{tree.run()}/accuracy/accuracy.txt", "9 %\r50 %\raccuracy=76.1%, good=38\r\n")
    assert bring(tree.root).table[0]["accuracy"] == "acc: 76.1"


@pytest.mark.parametrize(("most", "read"), [(0, b""), (3, b"abc"), (6, b"abcdef"), (1 << 40, b"abcdef")])
def test_of_a_file_as_much_is_read_as_is_asked_for_and_is_there(tmp_path: Path, most: int, read: bytes) -> None:
    (tmp_path / "x").write_bytes(b"abcdef")
    assert trees.head(str(tmp_path / "x"), most) == read


def test_ranging_further_and_compliance_runs_are_not_reported(tree: Any, bring: Callable) -> None:
    location = tree.run()
    other = tree.log_text(result_tokens_per_second=1.0)
    tree.write(f"{location}/performance/ranging/mlperf_log_detail.txt", other)
    tree.write(f"{location}/performance/run_2/mlperf_log_detail.txt", other)
    tree.write(
        "closed/Acme/compliance/acme/llama2-70b-99.9/Offline/TEST06/performance/run_1/mlperf_log_detail.txt", other
    )
    assert [row["low"] for row in bring(tree.root).table] == ["24000.5"]


def test_code_beside_the_results_is_not_looked_at(tree: Any, bring: Callable) -> None:
    tree.run()
    for name in ("src/evaluation/accuracy/a.py", "tools/performance/run_1/mlperf_log_detail.txt"):
        tree.write(f"closed/Acme/{name}", "x")
    outcome = bring(tree.root)
    assert outcome.rows == 1 and outcome.problems == []


@pytest.mark.parametrize(
    ("published", "said"),
    [(401.0, "published power 401, its samples 400 W"), (400 * (1 + 1e-8), "published power 400.000004"), (400.0, "")],
)
def test_power_that_the_samples_do_not_give_is_said_with_both_numbers(
    tree: Any, bring: Callable, published: float, said: str
) -> None:
    tree.power(tree.run())
    outcome = bring(tree.summary({"Power_Result": published, "Power_Units": "Watts", "has_power": True}), tree.root)
    assert said in outcome.table[0]["note"] and bool(outcome.table[0]["note"].count("power")) == bool(said)
    assert any(line.startswith("differs") and said in line for line in outcome.lines) == bool(said)


@pytest.mark.parametrize("watts", [0.0, -1.0])
def test_samples_without_positive_watts_cost_the_power_alone(tree: Any, bring: Callable, watts: float) -> None:
    location = tree.run()
    samples = [("10:00:01.000", 300.0), ("10:00:01.500", watts), ("10:00:02.000", 500.0), ("10:00:09.000", watts)]
    tree.power(location, tree.spl_text(samples))
    published = {"Power_Result": 400.0, "Power_Units": "Watts", "has_power": True}
    for paths, also in (([tree.root], ""), ([tree.summary(published), tree.root], "; published 400 W")):
        outcome = bring(*paths)
        row = outcome.table[0]
        assert (row["low"], row["power_watts_low"], row["recomputed_power"]) == ("24000.5", "", "")
        assert (row["power_measured"], outcome.status) == ("true", 1)
        reason = "performance/run_1/spl.txt: 1 samples of the load window without positive watts"
        assert [each.reason for each in outcome.problems] == [f"power alone: {reason}"]
        assert f"its power is left out: {reason}{also}" in row["note"] and location in outcome.problems[0].place


@pytest.mark.parametrize(
    ("seconds", "status"),
    [
        (range(1, 100), 0),
        (range(1, 100, 9), 0),
        (range(1, 50), 1),
        (range(50, 100), 1),
        ([*range(40), *range(60, 99)], 1),
    ],
)
def test_power_whose_samples_do_not_cover_the_load_is_refused(
    tree: Any, bring: Callable, seconds: Any, status: int
) -> None:
    tree.run("bert-99", log=tree.log_text(result_samples_per_second=5.5))
    location = tree.run(log=tree.log_text(power_end="07-24-2024 10:01:40.000"))
    times = [f"10:{at // 60:02}:{at % 60:02}.000" for at in seconds]
    tree.power(location, tree.spl_text([(at, 400.0) for at in times]))
    outcome = bring(tree.root)
    assert (outcome.rows, outcome.status, len(outcome.problems)) == (2, status, status)
    assert all("s of the load" in each.reason and "100 s" in each.reason for each in outcome.problems)
    power = next(row["power_watts_low"] for row in outcome.table if row["benchmark"] == "llama2-70b")
    assert power == ("" if status else "400.0")


def test_published_power_without_samples_in_the_tree_is_said(tree: Any, bring: Callable) -> None:
    tree.run()
    outcome = bring(tree.summary({"Power_Result": 400.0, "Power_Units": "Watts", "has_power": True}), tree.root)
    assert outcome.status == 0 and "power not recomputed: performance/run_1/spl.txt" in outcome.table[0]["note"]


def test_stream_scenarios_give_milliseconds_and_millijoules(tree: Any, bring: Callable) -> None:
    streams = {"effective_scenario": "SingleStream", "early_stopping_latency_ms": 128968, "result_query_count": 8}
    log = tree.log_text(early_stopping_latency_ss=120438, **streams)
    tree.power(tree.run("resnet50", "singlestream", log))
    row = bring(tree.root).table[0]
    assert (row["low"], row["unit"], row["metric"]) == ("0.120438", "ms", "latency")
    assert row["energy_millijoules_per_query"] == str(400.0 * 3 * 1000 / 8) and row["power_watts_low"] == ""
    tree.power(tree.run("resnet50", "multistream", log))
    row = next(row for row in bring(tree.root).table if row["scenario"] == "MultiStream")
    assert (float(row["low"]), row["unit"], row["inferred"]) == (8 * 0.128968, "ms", "true")
    assert row["energy_millijoules_per_query"] == str(400.0 * 3 * 1000)  # eight samples are one query


BROKEN = {
    "effective_scenario is 'Server', from which no Offline": {"log": {"effective_scenario": "Server"}},
    "no result_validity": {"log": {"result_validity": None}},
    "is INVALID, not VALID": {"log": {"result_validity": "INVALID"}},
    "none of result_tokens_per_second is logged": {"log": {"result_tokens_per_second": None}},
    "is 0, not a number above zero": {"log": {"result_tokens_per_second": 0}},
    "holds no line of a LoadGen log": {"text": b"\xe9\xff\x00 version https://git-lfs"},
    "spl.txt: no sample above zero watts": {"spl": b""},
    "spl.txt, line 1: not a sample": {"spl": b"Time,now,Watts,1\n"},
    "spl.txt, line 1: longer than": {"spl": b"x" * 100_000},
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_file_costs_its_own_row_only_and_is_named(tree: Any, bring: Callable, reason: str) -> None:
    tree.run("gptj-99", log=tree.log_text(result_inferred_tokens_per_second=5.5))
    case = BROKEN[reason]
    location = tree.run(log=case.get("text") or tree.log_text(**case.get("log", {})))
    if "spl" in case:
        tree.power(location, case["spl"])
    outcome = bring(tree.root)
    kept = {"gptj"} | ({"llama2-70b"} if "spl" in case else set())  # a meter's file costs the power alone
    assert {row["benchmark"] for row in outcome.table} == kept and outcome.status == 1
    assert {row["power_watts_low"] for row in outcome.table} == {""}
    assert len(outcome.problems) == 1 and reason in outcome.problems[0].reason
    assert outcome.problems[0].place.endswith(location)


def test_power_without_samples_is_named(tree: Any, bring: Callable) -> None:
    location = tree.run()
    tree.write(f"{location}/performance/power/client.json", "{}")
    outcome = bring(tree.root)
    assert (outcome.rows, outcome.table[0]["power_measured"], outcome.table[0]["power_watts_low"]) == (1, "true", "")
    assert "spl.txt: is missing, though power was measured" in outcome.problems[0].reason


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "cannot be read"), ("{", "is no JSON"), ("[]", "is no description")]
)
def test_a_system_that_is_not_described_is_named(tree: Any, bring: Callable, content: str | None, reason: str) -> None:
    tree.run()
    description = tree.root / "closed/Acme/systems/acme.json"
    description.unlink() if content is None else description.write_text(content)
    with pytest.raises(ImportFailed, match=f"systems/acme.json: {reason}"):
        bring(tree.root)


@pytest.mark.parametrize("name", ["status", "accelerator_model_name", "accelerators_per_node", "number_of_nodes"])
def test_a_system_whose_description_lacks_a_name_is_named(tree: Any, bring: Callable, name: str) -> None:
    tree.run()
    description = tree.root / "closed/Acme/systems/acme.json"
    description.write_text(json.dumps({k: v for k, v in json.loads(description.read_text()).items() if k != name}))
    with pytest.raises(ImportFailed, match=f"systems/acme.json: has no {name}"):
        bring(tree.root)


def test_a_folder_that_is_no_run_of_a_tree_is_named(tmp_path: Path, bring: Callable) -> None:
    (tmp_path / "x" / "performance").mkdir(parents=True)
    with pytest.raises(ImportFailed, match="is no run of a submission tree"):
        bring(tmp_path / "x")


def test_links_out_of_the_tree_and_back_are_named_not_followed(tree: Any, bring: Callable, tmp_path: Path) -> None:
    location = tree.run()
    (tmp_path / "secret").mkdir()
    (tree.root / "closed" / "out").symlink_to(tmp_path / "secret")
    (tree.root / "closed" / "Acme" / "loop").symlink_to(tree.root)
    (tree.root / "closed" / "gone").symlink_to(tree.root / "nothing")
    (tree.root / "closed/Acme/results/elsewhere").symlink_to(tmp_path / "secret")
    outcome = bring(tree.root)
    assert [row["location"] for row in outcome.table] == [location]
    reasons = {Path(problem.place).name: problem.reason for problem in outcome.problems}
    assert "out of the tree" in reasons["out"] and "out of the tree" in reasons["elsewhere"]
    assert "back to a folder" in reasons["loop"] and "to nothing" in reasons["gone"]


def test_a_second_link_to_a_folder_and_one_behind_a_link_are_named(tree: Any, bring: Callable) -> None:
    tree.run("llama2-70b-99.9")
    results = tree.root / "closed/Acme/results"
    (results / "acme" / "gptj-99").symlink_to("llama2-70b-99.9")
    (results / "acme" / "gptj-99.9").symlink_to("llama2-70b-99.9")
    (results / "other").symlink_to("acme")
    outcome = bring(tree.root)
    reasons = {"/".join(Path(problem.place).parts[-2:]): problem.reason for problem in outcome.problems}
    assert reasons["acme/gptj-99.9"].endswith("already read as " + str(results / "acme" / "gptj-99"))
    assert "behind another one" in reasons["other/gptj-99"] and outcome.status == 1


PLATFORM = "H100-SXM-80GBx8_TRT"
OPENED = {
    "log": f"closed/Acme/results/{PLATFORM}/llama2-70b-99.9/Offline/performance/run_1/mlperf_log_detail.txt",
    "power": f"closed/Acme/results/{PLATFORM}/llama2-70b-99.9/Offline/performance/run_1/spl.txt",
    "accuracy": f"closed/Acme/results/{PLATFORM}/llama2-70b-99.9/Offline/accuracy/accuracy.txt",
    "system": f"closed/Acme/systems/{PLATFORM}.json",
    "declaration": f"closed/Acme/measurements/{PLATFORM}/llama2-70b-99.9/Offline/x.json",
    "configuration": "closed/Acme/configs/llama2-70b/Offline/__init__.py",
}


def every_file(tree: Any) -> None:
    """A run with each kind of file that an import opens, and a run of another submitter."""
    system = (tree.root / "closed/Acme/systems/acme.json").read_bytes()
    contents = {"log": tree.log_text(), "power": tree.spl_text(), "accuracy": "", "system": system,
                "declaration": '{"weight_data_types": "fp16"}', "configuration": "class A:\n    pass\n"}  # fmt: skip
    for kind, content in contents.items():
        tree.write(OPENED[kind], content)
    tree.write("closed/Other/systems/other.json", system)
    tree.write("closed/Other/results/other/resnet50/Offline/performance/run_1/mlperf_log_detail.txt", tree.log_text())


@pytest.mark.parametrize("kind", OPENED)
@pytest.mark.parametrize("folder", [False, True])
def test_no_file_behind_a_link_out_of_the_tree_is_opened(
    tree: Any, bring: Callable, tmp_path: Path, kind: str, folder: bool
) -> None:
    every_file(tree)
    linked = (tree.root / OPENED[kind]).parent if folder else tree.root / OPENED[kind]
    linked.rename(tmp_path / "elsewhere")
    linked.symlink_to(tmp_path / "elsewhere")
    outcome = bring(tree.root)
    assert any("a symbolic link out of the tree, not followed" in problem.reason for problem in outcome.problems)
    assert PLATFORM not in {row["location"].split("/")[3] for row in outcome.table} and outcome.status == 1


@pytest.mark.parametrize("kind", OPENED)
def test_a_file_behind_a_link_within_the_tree_is_opened(tree: Any, bring: Callable, kind: str) -> None:
    every_file(tree)
    before = bring(tree.root).table
    linked = tree.root / OPENED[kind]
    linked.rename(tree.root / "closed/Acme/moved")
    linked.symlink_to(tree.root / "closed/Acme/moved")
    assert bring(tree.root).table == before and len(before) == 2


@pytest.mark.parametrize("kind", OPENED)
def test_a_pipe_is_never_opened(tree: Any, bring: Callable, kind: str) -> None:
    every_file(tree)
    (tree.root / OPENED[kind]).unlink()
    os.mkfifo(tree.root / OPENED[kind])
    outcome = bring(tree.root)
    assert (outcome.rows, outcome.status) == (1, 1)
    assert ["is no plain file, not opened" in problem.reason for problem in outcome.problems] == [True]


def test_a_folder_called_results_above_the_tree_makes_no_tree(bring: Callable, tmp_path: Path, tree: Any) -> None:
    location = tree.run()
    (tmp_path / "a" / "results").mkdir(parents=True)
    moved = tree.root.rename(tmp_path / "a" / "results" / tree.root.name)
    (tmp_path / "secret").mkdir()
    (moved / "closed/Acme/results/elsewhere").symlink_to(tmp_path / "secret")
    outcome = bring(moved)
    assert [row["location"] for row in outcome.table] == [location]
    assert ["out of the tree" in problem.reason for problem in outcome.problems] == [True]


def test_a_link_within_the_tree_is_a_run_of_its_own(tree: Any, bring: Callable) -> None:
    tree.run("llama2-70b-99.9")
    folder = tree.root / "closed/Acme/results/acme"
    (folder / "llama2-70b-99").symlink_to(folder / "llama2-70b-99.9")
    outcome = bring(tree.root)
    assert {row["accuracy_target"]: bool(row["duplicate_of"]) for row in outcome.table} == {"99": True, "99.9": False}


def test_a_folder_whose_name_is_no_utf_8_is_what_latin_1_says(tree: Any, bring: Callable, tmp_path: Path) -> None:
    tree.run()
    (tree.root / "closed/Acme").rename(tree.root / "closed" / os.fsdecode(b"Acm\xe9"))
    outcome = bring(tree.root, out=tmp_path / "out.parquet")
    assert (outcome.rows, outcome.status) == (1, 0)
    assert bring(tree.root).table[0]["submitter"] == "Acmé"


def test_a_folder_whose_name_is_no_utf_8_can_be_named(tree: Any, tmp_path: Path, capsysbinary: Any) -> None:
    broken = tree.root / tree.run(log=b"")
    broken.rename(broken.with_name(os.fsdecode(b"Offline\xe9")))
    tree.run("llama2-70b-99")
    assert main.main(["import", str(tree.root), "--out", str(tmp_path / "out.csv")]) == 1
    assert "Offlineé: ".encode() in capsysbinary.readouterr().out


def test_a_long_line_costs_no_memory(tree: Any) -> None:
    """A sparse file with one line of 512 MB between the log and its result."""
    text = tree.log_text()
    at = text.index(':::MLLOG {"key": "result_validity"')
    path = tree.write("log.txt", text[:at])
    with path.open("r+b") as file:
        file.seek(512 << 20)
        file.write(text[at:].encode())
    tracemalloc.start()
    log = loadgen.read_log(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert log["result_validity"] == "VALID" and peak < 8 << 20


def archive(tree: Any, kind: str, names: dict[str, bytes]) -> Path:
    """An archive of the tree with further members."""
    files = {
        str(path.relative_to(tree.root.parent)): path.read_bytes() for path in tree.root.rglob("*") if path.is_file()
    }
    path = tree.root.parent / f"tree.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as out:
            for name, content in (files | names).items():
                out.writestr(name, content)
    else:
        with tarfile.open(path, "w:gz") as out:
            for name, content in (files | names).items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                out.addfile(info, io.BytesIO(content))
    return path


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_is_a_tree_and_names_that_lead_out_of_it_are_not_unpacked(
    tree: Any, bring: Callable, kind: str, tmp_path: Path
) -> None:
    tree.run()
    hostile = {"../escaped/systems/x.json": b"{}", "/absolute/systems/x.json": b"{}"}
    outcome = bring(archive(tree, kind, hostile))
    assert outcome.rows == 1 and outcome.status == 1
    assert {problem.reason for problem in outcome.problems} == {"its name leads out of the archive, not unpacked"}
    assert sorted(problem.place.rpartition(": ")[2] for problem in outcome.problems) == sorted(hostile)
    assert not list(tmp_path.rglob("escaped")) and not Path("/absolute").exists()


def test_an_archive_has_what_v6_rounds_declare_beside_the_results(tree: Any, bring: Callable) -> None:
    location = tree.run()
    tree.write(f"{location}/measurements.json", '{"weight_data_types": "fp8"}')
    row = bring(archive(tree, "zip", {})).table[0]
    assert (row["precision"], row["precision_basis"]) == ("fp8", "declared")


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_that_breaks_off_is_named(tree: Any, bring: Callable, kind: str) -> None:
    tree.run(log=os.urandom(5000))
    path = archive(tree, kind, {})
    path.write_bytes(path.read_bytes()[:900])
    with pytest.raises(ImportFailed, match="breaks off, or is no archive"):
        bring(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_of_a_zip_costs_itself_only(tree: Any, bring: Callable, method: int) -> None:
    broken, sound = tree.run("gptj-99"), tree.run()
    path = tree.root.parent / "tree.zip"
    with zipfile.ZipFile(path, "w", method) as out:
        for file in sorted(tree.root.rglob("*.*")):
            if file.is_file():
                out.write(file, file.relative_to(tree.root.parent))
        at = out.getinfo(f"{tree.root.name}/{broken}/performance/run_1/mlperf_log_detail.txt")
    content = bytearray(path.read_bytes())
    start = at.header_offset + 30 + len(at.filename) + at.compress_size // 2
    content[start : start + 40] = b"\xff" * 40
    path.write_bytes(content)
    outcome = bring(path)
    assert [row["location"] for row in outcome.table] == [sound] and outcome.status == 1
    assert any(broken in problem.place and "cannot be unpacked" in problem.reason for problem in outcome.problems)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
def test_a_tar_that_breaks_off_gives_what_is_whole(tree: Any, bring: Callable, mode: str) -> None:
    sound, broken = tree.run(), tree.run("zoo")
    tree.write(f"{broken}/performance/run_1/spl.txt", os.urandom(3_000_000))
    path = tree.root.parent / f"tree.tar{mode[1:].replace(':', '.')}"
    with tarfile.open(path, mode) as out:
        for name in ("closed/Acme/systems", sound, broken):
            out.add(tree.root / name, f"{tree.root.name}/{name}")
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    outcome = bring(path)
    assert [row["location"] for row in outcome.table] == [sound] and outcome.status == 1
    assert ["breaks off" in problem.reason for problem in outcome.problems] == [True]
    assert f"{tree.root.name}/{broken} and what lies behind it are not read" in outcome.problems[0].reason


@pytest.mark.parametrize("blocks", [0, 3])
def test_a_tar_that_ends_between_two_members_breaks_off_too(tree: Any, bring: Callable, blocks: int) -> None:
    path = tree.root.parent / "tree.tar"
    with tarfile.open(path, "w") as out:
        for name in ("closed/Acme/systems", tree.run(), tree.run("zoo")):
            out.add(tree.root / name, f"{tree.root.name}/{name}")
        end = out.offset
    path.write_bytes(path.read_bytes()[:end] + b"not a header".ljust(512) * blocks)
    outcome = bring(path)
    assert (outcome.rows, outcome.status) == (1, 1) and "breaks off" in outcome.problems[0].reason


def test_nothing_outside_is_removed_where_a_tar_breaks_off(tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "results" / "a" / "b" / "c"
    kept.mkdir(parents=True)
    path, folder = tmp_path / "x.tar", tmp_path / "unpacked"
    with tarfile.open(path, "w") as out:
        out.addfile(tarfile.TarInfo("../kept/results/a/b/c/d"))
        out.addfile(tarfile.TarInfo("results/../../kept/d"))
        end = out.offset
    path.write_bytes(path.read_bytes()[:end])
    with pytest.raises(archives.ArchiveError, match="breaks off"):
        archives.unpack(path, folder)
    assert kept.is_dir()


def test_a_member_without_a_name_costs_itself_alone(tmp_path: Path) -> None:
    path, wanted = tmp_path / "x.zip", "closed/Acme/systems/a.json"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("nobody", b"{}")
        out.writestr(wanted, b"{}")
    content = bytearray(path.read_bytes())
    at = content.index(b"PK\x01\x02")  # the directory's first entry: its name becomes its comment
    content[at + 28], content[at + 32] = 0, len("nobody")
    path.write_bytes(content)
    assert not archives.unpack(path, tmp_path / "unpacked")
    assert [file.name for file in (tmp_path / "unpacked").rglob("*") if file.is_file()] == ["a.json"]


def test_a_compressed_archive_that_ends_within_its_header_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.tar.gz"
    path.write_bytes(b"\x1f\x8b\x08\x08")  # says that a name follows
    with pytest.raises(archives.ArchiveError, match="breaks off, or is no archive"):
        archives.unpack(path, tmp_path / "unpacked")


LOG = "inference_results_v4.1/closed/Acme/results/acme/m/Offline/performance/run_1/mlperf_log_detail.txt"


def zipped(path: Path, *sizes: int) -> Path:
    """An archive whose members are logs of so many zero bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for number, size in enumerate(sizes):
            out.writestr(LOG.replace("acme", f"acme{number}"), bytes(size))
    return path


@pytest.mark.parametrize("sizes", [(3000,), (1000, 2000)])
def test_an_archive_that_unpacks_to_too_many_times_its_size_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...]
) -> None:
    path, folder = zipped(tmp_path / "x.zip", *(size * 1000 for size in sizes)), tmp_path / "unpacked"
    assert archives.unpack(path, folder) == []  # what is small may shrink to anything
    monkeypatch.setattr(archives, "FREE", 1000)
    with pytest.raises(archives.ArchiveError, match=r"more than 200 times its size.*--unpacked-times allows more"):
        archives.unpack(path, folder)
    assert not folder.exists()
    assert archives.unpack(path, folder, archives.Limit(times=5000)) == []


def test_all_archives_of_an_import_together_unpack_to_what_is_allowed(tmp_path: Path) -> None:
    limit, first, second = archives.Limit(5_000_000), zipped(tmp_path / "1.zip", 3_000_000), tmp_path / "second"
    assert archives.unpack(first, tmp_path / "first", limit) == [] and limit.unpacked == 3_000_000
    with pytest.raises(archives.ArchiveError, match=r"more than 0\.0 GB; --unpacked-gb allows more"):
        archives.unpack(zipped(tmp_path / "2.zip", 3_000_000), second, limit)
    assert not second.exists() and any((tmp_path / "first").rglob("*.txt"))


@pytest.mark.parametrize("name", ["out.txt", "nowhere/out.csv"])
def test_an_output_that_cannot_be_is_refused_first(tree: Any, bring: Callable, tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match="--out"):
        bring(tree.summary(), out=tmp_path / name)


@pytest.mark.parametrize("how", ["same", "link", "hard", "folder"])
def test_an_output_that_is_an_input_is_refused(
    tree: Any, bring: Callable, tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    source, out = tree.summary().rename(tmp_path / "in.csv"), tmp_path / "out.csv"
    if how == "same":
        out = source
    elif how == "link":
        out.symlink_to(source)
    elif how == "hard":
        out.hardlink_to(source)
    else:
        out.mkdir()
    before = source.read_bytes()
    with pytest.raises(OutputError, match=r"--out .*(which is to be read; name another|is a folder)"):
        bring(source, out=out)
    assert main.main(["import", str(source), "--out", str(out)]) == 2 and "--out" in capsys.readouterr().err
    assert source.read_bytes() == before


def test_an_import_that_fails_leaves_the_output_and_no_partial_file(
    tree: Any, bring: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from analysis._import.official import import_run, writer

    def interrupted(task: Any) -> Any:
        if "row 2" in task.place:
            assert [path.suffix for path in tmp_path.glob(".*")] == [".tmp"]  # the first row is being written aside
            raise KeyboardInterrupt
        return shaped(task)

    shaped, out = import_run.work, tmp_path / "out.parquet"
    out.write_bytes(b"as it was")
    monkeypatch.setattr(writer, "ROWS", 1)
    monkeypatch.setattr(import_run, "work", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bring(tree.summary({}, {"ID": "v4.1-0008", "Platform": "b"}), out=out)
    assert out.read_bytes() == b"as it was" and not list(tmp_path.glob(".*"))


def test_parquet_and_csv_hold_the_same(tree: Any, bring: Callable, tmp_path: Path) -> None:
    import pandas as pd

    tree.power(tree.run())
    bring(tree.root, out=tmp_path / "a.parquet")
    rows = bring(tree.root).table
    frame = pd.read_parquet(tmp_path / "a.parquet")
    assert list(frame) == list(rows[0]) and frame["low"][0] == float(rows[0]["low"]) and frame["nodes"][0] == 2
    assert frame["accuracy"].dtype == "str" and frame["power_measured"].dtype == "bool"
