"""A submission tree: which folders are runs, what lies beside their logs, and the rows that both give."""

import os
import tarfile
import time
from pathlib import Path

import pandas as pd
import pytest

from analysis.paths import DATA
from analysis.recipes.official.tree import described, find_runs

SHARED = Path(__file__).parents[4] / "shared" / "mlcommons"
RUN = "closed/Acme/results/acme/llama2-70b-99.9/Offline"


def beside(tree):
    """What lies beside the one run of a tree."""
    (run,), _ = find_runs(tree.root)
    return described(run)


@pytest.mark.parametrize("start", ["", "closed", "closed/Acme/results/acme", RUN, f"{RUN}/performance/run_1"])
def test_any_part_of_a_tree_gives_the_same_run(tree, start):
    """Ranging, further, and compliance runs are never reported, nor code that is laid out like a tree."""
    tree.run()
    for place in (f"{RUN}/performance/ranging", f"{RUN}/performance/run_2", f"{RUN}/TEST06/performance/run_1",
                  "closed/Acme/compliance/acme/llama2-70b-99.9/Offline/TEST06/performance/run_1",
                  "closed/Acme/code/closed/Acme/results/acme/gptj-99/Offline/performance/run_1"):  # fmt: skip
        tree.write(f"{place}/mlperf_log_detail.txt", "")
    (run,), passed = find_runs(tree.root / start)
    assert (run["location"], run["root"], run["folder"]) == (RUN, str(tree.root), str(tree.root / RUN))
    assert (run["submitter"], run["model_run"], run["scenario"], passed) == ("Acme", "llama2-70b-99.9", "Offline", [])


def test_folders_that_are_deep_wide_links_or_no_runs(tree):
    tree.run()
    tree.write("closed/Acme/performance/run_1/mlperf_log_detail.txt", "")
    folders = [tree.root / "/".join("d" * depth) for depth in range(1, 1001)]
    for folder in folders:
        folder.mkdir()
    (tree.root / "loop").symlink_to(tree.root)
    started = time.monotonic()
    runs, passed = find_runs(tree.root)
    assert len(runs) == 0 and time.monotonic() - started < 10
    for words in ("a symbolic link, not followed", "is nested deeper than", "is not a run of a submission tree"):
        assert any(words in line for line in passed)
    for folder in reversed(folders):  # shutil.rmtree, by which pytest cleans up, is recursive
        folder.rmdir()


def test_accuracy_is_the_last_line_that_says_it_and_weights_are_of_the_measurements(tree):
    tree.write(f"{tree.run()}/accuracy/accuracy.txt", "9 %\r50 %\raccuracy=76.1%, good=38\r\nmAP=0.4\n")
    found = beside(tree)
    assert (found["accuracy"], found["weights"], found["fault"]) == ("acc: 76.1  mAP: 0.4", "fp8", "")
    tree.write(f"{RUN}/measurements.json", '{"weight_data_types": "fp4"}')
    assert beside(tree)["weights"] == "fp4"


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "is missing"), ("{", "is not valid JSON"), ("[]", "is list; expected an object"), ("{}", "has no status")],
)
def test_a_system_that_is_not_described_is_named(tree, content, reason):
    tree.run()
    description = tree.root / "closed/Acme/systems/acme.json"
    description.unlink() if content is None else description.write_text(content)
    assert beside(tree)["fault"].startswith(f"systems/acme.json: {reason}")


def test_a_run_gives_its_row_from_its_own_files_alone(tree, bring):
    tree.run(spl=tree.spl_text())
    row = bring(tree.root).loc["o-9.9-closed-acme-acme-llama2-70b-99.9-offline"]
    cells = {"round": "v9.9", "origin": "official", "low": 24000.5, "accelerator": "H100 SXM", "accelerator_count": 8,
             "nodes": 2, "power_watts_low": 400.0, "precision": "fp8", "location": RUN, "evidence": "log",
             "serving_software": "vLLM", "hypervisor": "VMware vSphere"}  # fmt: skip
    assert row[list(cells)].to_dict() == cells


def test_published_and_recomputed_stand_side_by_side(tree, bring):
    """A summary may be given beside the tree that holds it; what differs is said; where its run lies decides."""
    tree.run(spl=tree.spl_text())
    power = {"Power_Result": 400.0, "Power_Units": "Watts", "has_power": True, "Location": f"./{RUN}/performance/run_1"}
    tree.summary(power)
    rows = bring(tree.root, tree.root / "summary_results.json")
    row = rows.loc["o-9.9-0007-llama2-70b-99.9-offline"]
    assert row[["recomputed_difference", "recomputed_power_difference", "serving_software"]].tolist() == [0, 0, "vLLM"]
    assert len(rows) == 1 and "differs" not in rows.attrs["said"] and rows.attrs["status"] == 0
    tree.summary(power | {"Performance_Result": 25000.0, "Power_Result": 401.0})
    said = bring(tree.root).attrs["said"]
    assert "published 25000, log 24000.5 tokens/s; published power 401, its samples 400" in said and "differs" in said


def test_a_published_row_without_a_log_is_kept_and_a_run_that_no_summary_lists_is_not(tree, bring):
    tree.write(f"{RUN}/accuracy/accuracy.txt", "")
    tree.run("gptj-99")
    tree.summary()
    rows = bring(tree.root)
    assert list(rows["benchmark"]) == ["llama2-70b"] and "no LoadGen log of it in the tree" in rows.iloc[0]["note"]
    assert "the summary of its round does not list it" in rows.attrs["said"] and rows.attrs["status"] == 1


def test_only_plain_files_of_the_tree_are_opened(tree, bring, tmp_path):
    log = tree.root / tree.run() / "performance/run_1/mlperf_log_detail.txt"
    log.rename(tmp_path / "outside.txt")
    log.symlink_to(tmp_path / "outside.txt")
    os.mkfifo(tree.root / tree.run("gptj-99", log="") / "performance/result_summary.json")
    (tree.root / "closed/Acme/results/acme/gptj-99/Offline/performance/run_1/mlperf_log_detail.txt").unlink()
    os.mkfifo(tmp_path / "pipe.json")
    rows = bring(tree.root, tmp_path / "pipe.json", Path("/dev/zero"))
    assert (
        rows.empty and rows.attrs["said"].count("regular file") == 2 and "and 1 more: mlperf_log" in rows.attrs["said"]
    )


def test_a_tree_that_names_no_round_needs_to_be_told_what_it_is(tree, bring):
    tree.run()
    plain = tree.root.rename(tree.root.with_name("mine"))
    assert "is not that of a round" in bring(plain).attrs["said"]
    row = bring(plain, round="v9.9", origin="measured").loc["m-9.9-closed-acme-acme-llama2-70b-99.9-offline"]
    assert row[["origin", "source_id", "round"]].tolist() == ["measured", "unofficial-submissions", "v9.9"]


PUBLISHED = ["low", "unit", "accelerator", "accelerator_count", "nodes", "benchmark", "scenario", "submitter", "system",
             "suite", "accuracy", "duplicate_of", "corrected", "availability", "inferred"]  # fmt: skip
LOGGED = ("recomputed", "ttft", "tpot", "power_watts", "energy", "tokens_", "samples_")


@pytest.mark.parametrize(
    ("round", "logs", "metered"), [("v4.1", 937, 31), ("v5.1", 900, 12), ("v6.0", 512, 0), ("v6.1", 0, 0)]
)
def test_the_public_files_of_a_round_give_its_shipped_rows(bring, tmp_path, round, logs, metered):
    archive = SHARED / f"trees/inference_results_{round}.tar.xz"
    if not (files := [*SHARED.glob(f"{round}_summary*.json")]):
        pytest.skip("the public files are not at hand")
    if archive.is_file():
        with tarfile.open(archive) as tree:
            tree.extractall(tmp_path, filter="data")
        files.append(tmp_path / archive.name.partition(".tar")[0])
    rows = bring(*files)
    shipped = pd.read_parquet(DATA / "official" / f"{round}.parquet").set_index("id")
    assert set(rows.index) == set(shipped.index)
    shipped = shipped.loc[rows.index]
    for name in PUBLISHED:
        assert rows[name].equals(shipped[name].astype(rows[name].dtype)), name
    again = rows["recomputed"].notna()
    assert (again.sum(), rows["recomputed_power"].notna().sum()) == (logs, metered)
    for name in shipped.columns[shipped.columns.str.startswith(LOGGED)]:
        if pd.api.types.is_numeric_dtype(shipped[name]):
            ours, theirs = (frame.loc[again, name].tolist() for frame in (rows, shipped))
            assert ours == pytest.approx(theirs, rel=1e-9, nan_ok=True), name
