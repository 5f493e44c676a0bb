"""A submission tree to rows: what its logs give, what is published beside them, and every kind of broken file."""

import io
import os
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from analysis._import.official.import_run import ImportFailed
from analysis._import.official.writer import OutputError
from analysis.cli import main


def test_a_run_gives_its_row_from_the_log_alone(tree, bring):
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
    ["closed", "closed/Acme/results/acme"],
)
def test_any_part_of_a_tree_gives_the_same_row(tree, bring, part):
    location = tree.run()
    assert bring(tree.root / part).table == bring(tree.root).table == bring(tree.root / location).table


def test_published_and_recomputed_stand_side_by_side(tree, bring):
    tree.power(tree.run())
    published = tree.summary({"Power_Result": 400.0, "Power_Units": "Watts", "has_power": True})
    outcome = bring(published, tree.root)
    row = outcome.table[0]
    assert (outcome.rows, row["result_id"], row["recomputed_difference"]) == (1, "4.1-0007", "0.0")
    assert (row["recomputed_power"], row["recomputed_power_difference"]) == ("400.0", "0.0")
    assert outcome.recomputed == 1 and outcome.differing == []


def test_a_difference_is_said(tree, bring):
    tree.run()
    outcome = bring(tree.summary({"Performance_Result": 25000.0}), tree.root)
    assert float(outcome.table[0]["recomputed_difference"]) == pytest.approx(24000.5 / 25000 - 1, abs=1e-12)
    assert any(line.startswith("differs") and "published 25000, log 24000.5" in line for line in outcome.lines)


def test_a_figure_of_another_key_has_that_keys_unit(tree, bring):
    """80 is the log's samples per second, whatever its label says."""
    tree.run()
    row = bring(tree.summary({"Performance_Result": 80.0, "Performance_Units": "Tokens/s"}), tree.root).table[0]
    assert (row["unit"], row["corrected"]) == ("samples/s", "the figure is result_samples_per_second of its log")


def test_the_key_of_the_log_stands_above_a_label_that_no_table_knows(tree, bring):
    """The figure agrees, its label does not: tokens, so fp16 is also no more than the type of the starting weights."""
    location = tree.run("new-llm")
    label = {"UsedModel": "new-llm", "Model": "new-llm", "Performance_Units": "Samples/s", "Accuracy": "acc: 70"}
    row = bring(tree.summary(label | {"Location": location}), tree.root).table[0]
    told = {"low": "24000.5", "unit": "tokens/s", "corrected": "the figure is result_tokens_per_second of its log",
            "samples_per_second": "80.0", "tokens_per_second": "24000.5", "precision": "", "precision_basis": "unknown",
            "recomputed_difference": "0.0"}  # fmt: skip
    assert {name: row[name] for name in told} == told and "starting weights" in row["note"]


def test_a_published_row_whose_log_is_absent_is_kept(tree, bring):
    tree.write("closed/Acme/results/acme/llama2-70b-99.9/Offline/accuracy/accuracy.txt", "")
    outcome = bring(tree.summary(), tree.root)
    assert outcome.status == 0 and "its log is not in the tree" in outcome.table[0]["note"]


def test_a_line_of_accuracy_that_was_written_over_another_counts(tree, bring):
    tree.write(f"{tree.run()}/accuracy/accuracy.txt", "9 %\r50 %\raccuracy=76.1%, good=38\r\n")
    assert bring(tree.root).table[0]["accuracy"] == "acc: 76.1"


def test_ranging_further_and_compliance_runs_are_not_reported(tree, bring):
    location = tree.run()
    other = tree.log_text(result_tokens_per_second=1.0)
    tree.write(f"{location}/performance/ranging/mlperf_log_detail.txt", other)
    tree.write(f"{location}/performance/run_2/mlperf_log_detail.txt", other)
    tree.write(
        "closed/Acme/compliance/acme/llama2-70b-99.9/Offline/TEST06/performance/run_1/mlperf_log_detail.txt", other
    )
    assert [row["low"] for row in bring(tree.root).table] == ["24000.5"]


@pytest.mark.parametrize(
    ("published", "said"),
    [(401.0, "published power 401, its samples 400 W"), (400.0, "")],
)
def test_power_that_the_samples_do_not_give_is_said_with_both_numbers(tree, bring, published, said):
    tree.power(tree.run())
    outcome = bring(tree.summary({"Power_Result": published, "Power_Units": "Watts", "has_power": True}), tree.root)
    assert said in outcome.table[0]["note"] and bool(outcome.table[0]["note"].count("power")) == bool(said)
    assert any(line.startswith("differs") and said in line for line in outcome.lines) == bool(said)


@pytest.mark.parametrize("watts", [0.0, -1.0])
def test_samples_without_positive_watts_cost_the_power_alone(tree, bring, watts):
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
        (range(1, 50), 1),
        ([*range(40), *range(60, 99)], 1),
    ],
)
def test_power_whose_samples_do_not_cover_the_load_is_refused(tree, bring, seconds, status):
    tree.run("bert-99", log=tree.log_text(result_samples_per_second=5.5))
    location = tree.run(log=tree.log_text(power_end="07-24-2024 10:01:40.000"))
    times = [f"10:{at // 60:02}:{at % 60:02}.000" for at in seconds]
    tree.power(location, tree.spl_text([(at, 400.0) for at in times]))
    outcome = bring(tree.root)
    assert (outcome.rows, outcome.status, len(outcome.problems)) == (2, status, status)
    assert all("s of the load" in each.reason and "100 s" in each.reason for each in outcome.problems)
    power = next(row["power_watts_low"] for row in outcome.table if row["benchmark"] == "llama2-70b")
    assert power == ("" if status else "400.0")


def test_published_power_without_samples_in_the_tree_is_said(tree, bring):
    tree.run()
    outcome = bring(tree.summary({"Power_Result": 400.0, "Power_Units": "Watts", "has_power": True}), tree.root)
    assert outcome.status == 0 and "power not recomputed: performance/run_1/spl.txt" in outcome.table[0]["note"]


def test_stream_scenarios_give_milliseconds_and_millijoules(tree, bring):
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
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_file_costs_its_own_row_only_and_is_named(tree, bring, reason):
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


def test_power_without_samples_is_named(tree, bring):
    location = tree.run()
    tree.write(f"{location}/performance/power/client.json", "{}")
    outcome = bring(tree.root)
    assert (outcome.rows, outcome.table[0]["power_measured"], outcome.table[0]["power_watts_low"]) == (1, "true", "")
    assert "spl.txt: is missing, though power was measured" in outcome.problems[0].reason


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "cannot be read"), ("{", "is no JSON"), ("[]", "is list, expected an object")]
)
def test_a_system_that_is_not_described_is_named(tree, bring, content, reason):
    tree.run()
    description = tree.root / "closed/Acme/systems/acme.json"
    description.unlink() if content is None else description.write_text(content)
    with pytest.raises(ImportFailed, match=f"systems/acme.json: {reason}"):
        bring(tree.root)


def test_a_folder_that_is_no_run_of_a_tree_is_named(tmp_path, bring):
    (tmp_path / "x" / "performance").mkdir(parents=True)
    with pytest.raises(ImportFailed, match="is no run of a submission tree"):
        bring(tmp_path / "x")


def test_links_are_named_not_followed(tree, bring):
    location = tree.run()
    (tree.root / "closed" / "loop").symlink_to(tree.root)
    (tree.root / location).parent.joinpath("Server").symlink_to("Offline")
    outcome = bring(tree.root)
    assert [row["location"] for row in outcome.table] == [location] and outcome.status == 1
    assert {Path(problem.place).name for problem in outcome.problems} == {"loop", "Server"}
    assert {problem.reason for problem in outcome.problems} == {"a symbolic link, not followed"}


@pytest.mark.parametrize(
    "name",
    [
        "results/acme/llama2-70b-99.9/Offline/performance/run_1/mlperf_log_detail.txt",
        "systems/acme.json",
    ],
)
def test_no_file_behind_a_link_out_of_the_tree_is_opened(tree, bring, tmp_path, name):
    tree.run("resnet50", log=tree.log_text(result_tokens_per_second=None))
    tree.write(f"{tree.run()}/accuracy/accuracy.txt", "")
    linked = tree.root / "closed/Acme" / name
    linked.rename(tmp_path / "elsewhere")
    linked.symlink_to(tmp_path / "elsewhere")
    with suppress(ImportFailed):
        assert "llama2-70b" not in {row["benchmark"] for row in bring(tree.root).table}
    with pytest.raises(ImportFailed, match="out of the tree, not followed"):
        bring(tree.root / "closed/Acme/results/acme/llama2-70b-99.9")


def test_a_folder_whose_name_is_no_utf_8_is_what_latin_1_says(tree, bring, tmp_path):
    tree.run()
    (tree.root / "closed/Acme").rename(tree.root / "closed" / os.fsdecode(b"Acm\xe9"))
    outcome = bring(tree.root, out=tmp_path / "out.parquet")
    assert (outcome.rows, outcome.status) == (1, 0)
    assert bring(tree.root).table[0]["submitter"] == "Acmé"


def archive(tree, kind, names):
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
        with tarfile.open(path, "w:gz" if kind == "tar.gz" else "w") as out:
            for name, content in (files | names).items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                out.addfile(info, io.BytesIO(content))
    return path


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_is_a_tree(tree, bring, kind):
    tree.run()
    outcome = bring(archive(tree, kind, {"closed/Acme/code/systems.txt": b"x"}))
    assert outcome.rows == 1 and outcome.status == 0


def test_nothing_lands_outside_of_the_folder_of_an_archive(tree, bring, tmp_path):
    tree.run()
    hostile = {"../escaped/systems/x.json": b"{}", "/absolute/systems/x.json": b"{}"}
    with pytest.raises(ImportFailed, match="outside the destination"):
        bring(archive(tree, "tar.gz", hostile))
    assert bring(archive(tree, "zip", hostile)).rows == 1
    assert not list(tmp_path.rglob("escaped")) and not Path("/absolute").exists()


@pytest.mark.parametrize(("kind", "share"), [("zip", 0.5), ("tar.gz", 0.5), ("tar", 0.2), ("tar", 0.0)])
def test_an_archive_that_breaks_off_is_named(tree, bring, kind, share):
    tree.run(log=os.urandom(5000))
    path = archive(tree, kind, {})
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with pytest.raises(ImportFailed, match="is damaged, or no archive"):
        bring(path)


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_unpacks_to_what_is_allowed(tree, bring, kind):
    tree.run(log=b" " * 3_000_000)
    with pytest.raises(ImportFailed, match=r"more than 0\.002 GB; --unpacked-gb allows more"):
        bring(archive(tree, kind, {}), unpacked_gb=0.002)


@pytest.mark.parametrize("name", ["out.txt", "nowhere/out.csv"])
def test_an_output_that_cannot_be_is_refused_first(tree, bring, tmp_path, name):
    with pytest.raises(OutputError, match="--out"):
        bring(tree.summary(), out=tmp_path / name)


@pytest.mark.parametrize("how", ["link", "hard", "folder"])
def test_an_output_that_is_an_input_is_refused(tree, bring, tmp_path, capsys, how):
    source, out = tree.summary().rename(tmp_path / "in.csv"), tmp_path / "out.csv"
    if how == "link":
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


def test_parquet_and_csv_hold_the_same(tree, bring, tmp_path):
    import pandas as pd

    tree.power(tree.run())
    bring(tree.root, out=tmp_path / "a.parquet")
    rows = bring(tree.root).table
    frame = pd.read_parquet(tmp_path / "a.parquet")
    assert list(frame) == list(rows[0]) and frame["low"][0] == float(rows[0]["low"]) and frame["nodes"][0] == 2
    assert frame["accuracy"].dtype == "str" and frame["power_measured"].dtype == "bool"
