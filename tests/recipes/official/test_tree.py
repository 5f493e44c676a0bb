"""A submission tree to rows: what its logs give, what is published beside them, and every kind of broken file."""

import json
import os
import tarfile
import time
from pathlib import Path

import pandas as pd
import pytest

from analysis.paths import DATA

SHARED = Path(__file__).parents[4] / "shared" / "mlcommons"


def told(row, expected):
    assert {name: row[name] for name in expected} == expected


def test_a_run_gives_its_row_from_the_log_alone(tree, bring):
    location = tree.run(spl=tree.spl_text())
    row = bring(tree.root).loc["o-9.9-closed-acme-acme-llama2-70b-99.9-offline"]
    told(row, {"round": "v9.9", "low": 24000.5, "unit": "tokens/s", "accelerator": "H100 SXM", "accelerator_count": 8,
               "nodes": 2, "power_watts_low": 400.0, "power_measured": True, "validity": "VALID",
               "samples_per_second": 80.0, "tokens_per_second": 24000.5, "tokens_per_sample": 300.006,
               "ttft_p99_ms": 450.0, "tpot_p99_ms": 150.0, "recomputed": 24000.5, "precision": "fp8",
               "recomputed_key": "result_tokens_per_second", "location": location, "evidence": "log",
               "serving_software": "vLLM", "hypervisor": "VMware vSphere"})  # fmt: skip
    assert pd.isna(row["recomputed_difference"])


def test_a_log_says_its_scheduled_rate_and_errors(tree, bring):
    tree.run(scenario="Server", log=tree.log_text(
        effective_scenario="Server", num_errors=2, result_scheduled_samples_per_sec=81.0))  # fmt: skip
    told(bring(tree.root).iloc[0], {"scheduled_samples_per_second": 81.0, "errors": 2, "samples_per_second": 80.0})


@pytest.mark.parametrize("part", ["closed", "closed/Acme/results/acme"])
def test_any_part_of_a_tree_gives_the_same_row(tree, bring, part):
    location = tree.run()
    whole = bring(tree.root)
    for start in (part, location, f"{location}/performance/run_1"):
        pd.testing.assert_frame_equal(bring(tree.root / start), whole)


def test_published_and_recomputed_stand_side_by_side(tree, bring):
    tree.run(spl=tree.spl_text())
    tree.summary({"Power_Result": 400.0, "Power_Units": "Watts", "has_power": True})
    rows = bring(tree.root, tree.root / "summary_results.json")
    told(rows.iloc[0], {"result_id": "9.9-0007", "recomputed_difference": 0.0, "recomputed_power": 400.0,
                        "recomputed_power_difference": 0.0, "serving_software": "vLLM"})  # fmt: skip
    assert len(rows) == 1 and "differs" not in rows.attrs["said"] and rows.attrs["status"] == 0


def test_a_difference_is_said(tree, bring):
    tree.run(spl=tree.spl_text())
    power = {"Power_Result": 401.0, "Power_Units": "Watts", "has_power": True}
    tree.summary({"Performance_Result": 25000.0} | power)
    rows = bring(tree.root)
    assert rows.iloc[0]["recomputed_difference"] == pytest.approx(24000.5 / 25000 - 1, abs=1e-12)
    assert "published 25000, log 24000.5 tokens/s" in rows.attrs["said"]
    assert "published power 401, its samples 400" in rows.attrs["said"]


def test_the_key_of_the_log_stands_above_a_label_that_no_table_knows(tree, bring):
    location = tree.run("new-llm")
    label = {"UsedModel": "new-llm", "Model": "new-llm", "Performance_Units": "Samples/s", "Accuracy": "acc: 70"}
    tree.summary(label | {"Location": f"./{location}/performance/run_1"})
    told(bring(tree.root).iloc[0],
         {"unit": "tokens/s", "corrected": "the figure is result_tokens_per_second of its log",
          "recomputed_difference": 0.0, "location": location})  # fmt: skip


def test_a_published_row_without_a_log_is_kept_and_a_run_that_no_summary_lists_is_not(tree, bring):
    tree.write("closed/Acme/results/acme/llama2-70b-99.9/Offline/accuracy/accuracy.txt", "")
    tree.run("gptj-99")
    tree.summary()
    rows = bring(tree.root)
    assert list(rows["benchmark"]) == ["llama2-70b"] and "no LoadGen log of it in the tree" in rows.iloc[0]["note"]
    assert "the summary of its round does not list it" in rows.attrs["said"] and rows.attrs["status"] == 1


def test_accuracy_is_the_last_line_that_says_it(tree, bring):
    tree.write(f"{tree.run()}/accuracy/accuracy.txt", "9 %\r50 %\raccuracy=76.1%, good=38\r\nmAP=0.4\n")
    assert bring(tree.root).iloc[0]["accuracy"] == "acc: 76.1 mAP: 0.4"


def test_ranging_further_and_compliance_runs_are_not_reported(tree, bring):
    location = tree.run()
    other = tree.log_text(result_tokens_per_second=1.0)
    for place in (f"{location}/performance/ranging", f"{location}/performance/run_2",
                  f"{location}/TEST06/performance/run_1",
                  "closed/Acme/compliance/acme/llama2-70b-99.9/Offline/TEST06/performance/run_1",
                  "closed/Acme/code/closed/Acme/results/acme/gptj-99/Offline/performance/run_1"):  # fmt: skip
        tree.write(f"{place}/mlperf_log_detail.txt", other)
    rows = bring(tree.root)
    assert list(rows["low"]) == [24000.5] and rows.attrs["status"] == 0


@pytest.mark.parametrize(
    ("scenario", "log", "value"),
    [
        ("Server", {}, (21000.0, "tokens/s")),
        ("interactive", {"effective_scenario": "Server"}, (21000.0, "tokens/s")),
    ],
)
def test_each_scenario_has_its_own_key(tree, bring, scenario, log, value):
    tree.run(scenario=scenario, log=tree.log_text(**{"effective_scenario": scenario} | log))
    row = bring(tree.root).iloc[0]
    assert (row["low"], row["unit"]) == value and row["scenario"] == scenario.capitalize()


def test_stream_scenarios_give_milliseconds_and_millijoules(tree, bring):
    log = tree.log_text(effective_scenario="SingleStream", early_stopping_latency_ss=120438, result_query_count=8)
    tree.run("resnet50", "singlestream", log, tree.spl_text())
    row = bring(tree.root).iloc[0]
    assert (row["low"], row["unit"], row["metric"]) == (0.120438, "ms", "latency")
    assert row["energy_millijoules_per_query"] == 400.0 * 3 * 1000 / 8 and pd.isna(row["power_watts_low"])


def test_an_inferred_result_is_taken_as_published(tree, bring):
    location = tree.run("resnet50", "multistream", tree.log_text(effective_scenario="SingleStream"))
    alone = bring(tree.root)
    assert alone.empty and "inferred from the log of another scenario" in alone.attrs["said"]
    stream = {"UsedModel": "resnet50", "Model": "resnet", "Scenario": "MultiStream", "Accuracy": "acc: 76",
              "Performance_Result": 1.5, "Performance_Units": "Latency (ms)", "Location": location}  # fmt: skip
    tree.summary(stream)
    row = bring(tree.root).iloc[0]
    assert row["inferred"] and row["low"] == 1.5 and pd.isna(row["recomputed"])
    tree.write(f"{location}/performance/run_1/spl.txt", tree.spl_text())
    assert pd.isna(bring(tree.root).iloc[0]["recomputed_power"])


BROKEN = {
    "effective_scenario is Server, from which no Offline": {"log": {"effective_scenario": "Server"}},
    "result_validity is missing": {"log": {"result_validity": None}},
    "is INVALID, not VALID": {"log": {"result_validity": "INVALID"}},
    "result_tokens_per_second is not logged": {"log": {"result_tokens_per_second": None}},
    "is 0, expected a number above zero": {"log": {"result_tokens_per_second": 0}},
    "which no system reaches": {"log": {"result_tokens_per_second": 1e17}},
    "result_tokens_per_second is 1e+23": {"log": {"result_tokens_per_second": 1e23}},
    "is 'nonsense', neither number nor text": {"text": b':::MLLOG {"key": "result_validity", "value": nonsense, '},
    "holds no line of a LoadGen log": {"text": b"\xe9\xff\x00 version https://git-lfs"},
    "ttft_p99_ms": {"log": {"result_first_token_99.00_percentile_latency_ns": 1e16}},
}


def test_a_broken_log_costs_its_own_row_only_and_is_named(tree, bring):
    tree.run("gptj-99", log=tree.log_text(result_inferred_tokens_per_second=5.5))
    whole = (tree.root / "closed/Acme/systems/acme.json").read_text()
    for number, case in enumerate(BROKEN.values()):
        tree.write(f"closed/Acme/systems/b{number}.json", whole)
        text = case.get("text") or tree.log_text(**case.get("log", {}))
        place = f"closed/Acme/results/b{number}/llama2-70b-99.9/Offline/performance/run_1"
        tree.write(f"{place}/mlperf_log_detail.txt", text)
    rows = bring(tree.root)
    assert rows["benchmark"].tolist() == ["gptj"] and rows["low"].tolist() == [5.5] and rows.attrs["status"] == 1
    for number, reason in enumerate(BROKEN):
        (line,) = [line for line in rows.attrs["said"].splitlines() if f"/b{number}/" in line]
        assert reason in line


SECONDS = [(f"10:{at // 60:02}:{at % 60:02}.000", 400.0) for at in range(1, 100)]
MINUTE = {"power_end": "07-24-2025 10:01:40.000"}
UNTRUSTED = {
    "no sample above zero watts between": ("", {}),
    "spl.txt: line 2: not a sample": ("\nTime,now,Watts,1\n", {}),
    "line 1: not a sample": ("Time,13-45-2025 10:00:01.000,Watts,1.0\n", {}),
    "is missing, though power was measured": (None, {}),
    "samples of the load without positive watts": ([("10:00:01.000", 300.0), ("10:00:01.500", -2.0)], {}),
    "51 of the 100 s of the load": (SECONDS[:49], MINUTE),
    "no power_begin before a power_end": (SECONDS, {"power_begin": None}),
}


def test_power_that_cannot_be_trusted_costs_itself_alone(tree, bring):
    whole = (tree.root / "closed/Acme/systems/acme.json").read_text()
    for number, (samples, log) in enumerate(UNTRUSTED.values()):
        tree.write(f"closed/Acme/systems/b{number}.json", whole)
        place = f"closed/Acme/results/b{number}/llama2-70b-99.9/Offline/performance"
        tree.write(f"{place}/run_1/mlperf_log_detail.txt", tree.log_text(**log))
        tree.write(f"{place}/power/client.json", "{}")
        if samples is not None:
            tree.write(f"{place}/run_1/spl.txt", samples if isinstance(samples, str) else tree.spl_text(samples))
    rows = bring(tree.root)
    rows.index = rows["location"].str.split("/").str[3]
    assert set(rows["low"]) == {24000.5} and rows["power_measured"].all() and rows["power_watts_low"].isna().all()
    for number, reason in enumerate(UNTRUSTED):
        assert "its power is left out: spl.txt" in rows["note"][f"b{number}"] and reason in rows["note"][f"b{number}"]


def test_power_of_a_whole_minute_is_its_mean(tree, bring):
    tree.run(log=tree.log_text(**MINUTE), spl=tree.spl_text(SECONDS))
    assert bring(tree.root).iloc[0]["power_watts_low"] == 400.0


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "is missing"), ("{", "is no JSON"), ("[]", "is list, expected an object"),
                            ("{}", "has no status")],
)  # fmt: skip
def test_a_system_that_is_not_described_is_named(tree, bring, content, reason):
    tree.run()
    description = tree.root / "closed/Acme/systems/acme.json"
    description.unlink() if content is None else description.write_text(content)
    rows = bring(tree.root)
    assert rows.empty and f"systems/acme.json: {reason}" in rows.attrs["said"]


ENDPOINTS = {
    "n_samples_completed": 801, "duration_ns": 205 * 10**9, "state": "complete", "complete": True, "qps": 4.0,
    "tps": 801.0, "ttft": {"percentiles": {"50.0": 2e8, "90.0": 4e8, "99.0": 9e8}}, "tpot": {}, "latency": {"avg": 1e9},
    "output_sequence_lengths": {"total": 160_200, "avg": 200.0}, "legacy_loadgen_window_duration_ns": 2 * 10**11,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "value", "samples"),
    [({}, 801, 4), ({"qps": None, "tps": None}, None, None), ({"complete": False}, None, None),
     ({"state": "interrupted"}, None, None)],
)  # fmt: skip
def test_a_summary_of_endpoints_gives_the_figure_of_a_run_without_a_log(tree, bring, changes, value, samples):
    folder = "closed/Acme/results/acme/llama2-70b-99.9/Server/performance"
    tree.write(f"{folder}/result_summary.json", json.dumps(ENDPOINTS | changes))
    rows = bring(tree.root)
    if value is None:
        assert rows.empty and "result_summary.json" in rows.attrs["said"]
        return
    told(rows.iloc[0], {"low": value, "unit": "tokens/s", "recomputed_key": "tps", "ttft_p99_ms": 900.0,
                        "samples_per_second": samples, "tokens_per_sample": 200.0, "validity": ""})  # fmt: skip
    assert "MLPerf Endpoints" in rows.iloc[0]["note"]


def test_the_rates_of_an_old_endpoints_harness_are_over_the_whole_run(tree, bring):
    old = {key: value for key, value in ENDPOINTS.items() if key not in ("qps", "tps")}
    folder = "closed/Acme/results/acme/llama2-70b-99.9/Offline/performance"
    tree.write(f"{folder}/run_1/results_summary.json", json.dumps(old))
    told(bring(tree.root).iloc[0], {"low": 160_200 / 205, "samples_per_second": pytest.approx(801 / 205)})


def test_folders_that_are_deep_wide_or_links(tree, bring, tmp_path):
    tree.run()
    folders = [tree.root / "/".join("d" * depth) for depth in range(1, 1001)]
    for folder in folders:
        folder.mkdir()
    (tree.root / "loop").symlink_to(tree.root)
    started = time.monotonic()
    rows = bring(tree.root)
    assert len(rows) == 1 and time.monotonic() - started < 10
    assert "a symbolic link, not followed" in rows.attrs["said"] and "lies deeper than" in rows.attrs["said"]
    for folder in reversed(folders):  # shutil.rmtree, by which pytest cleans up, is recursive
        folder.rmdir()


def test_only_plain_files_of_the_tree_are_opened(tree, bring, tmp_path):
    location = tree.run()
    log = tree.root / location / "performance/run_1/mlperf_log_detail.txt"
    outside = tmp_path / "outside.txt"
    log.rename(outside)
    log.symlink_to(outside)
    assert bring(tree.root).empty
    log.unlink()
    os.mkfifo(log)
    assert bring(tree.root).empty
    os.mkfifo(tmp_path / "pipe.json")
    assert "regular file" in bring(tmp_path / "pipe.json").attrs["said"]
    assert "regular file" in bring(Path("/dev/zero")).attrs["said"]


def test_a_tree_that_names_no_round_needs_to_be_told_what_it_is(tree, bring):
    tree.run()
    plain = tree.root.rename(tree.root.with_name("mine"))
    assert "is not that of a round" in bring(plain).attrs["said"]
    rows = bring(plain, round="v9.9", origin="measured")
    told(rows.iloc[0], {"origin": "measured", "source_id": "unofficial-submissions", "round": "v9.9"})
    assert rows.index[0] == "m-9.9-closed-acme-acme-llama2-70b-99.9-offline"


def test_real_logs_give_the_published_figures(bring):
    folder = SHARED / "inference_results_v4.1"
    if not folder.is_dir():
        pytest.skip("the tree of v4.1 is not at hand")
    rows = bring(folder)
    shipped = pd.read_parquet(DATA / "official" / "v4.1.parquet").set_index("id").loc[rows.index]
    assert len(rows) == 13
    assert rows["low"].tolist() == pytest.approx(shipped["low"].tolist(), rel=1e-6)
    for name in ("power_watts_low", "energy_millijoules_per_query", "ttft_p99_ms", "tpot_p99_ms", "tokens_per_sample"):
        assert rows[name].tolist() == pytest.approx(shipped[name].tolist(), rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("round", ["v4.1", "v5.1", "v6.0", "v6.1"])
def test_the_summaries_give_the_shipped_rows(bring, round):
    file = next(iter(SHARED.glob(f"{round}_summary*.json")), None)
    if file is None:
        pytest.skip("the summaries are not at hand")
    rows = bring(file)
    shipped = pd.read_parquet(DATA / "official" / f"{round}.parquet").set_index("id")
    assert set(rows.index) == set(shipped.index) and rows.attrs["status"] == 0
    shipped, rows = shipped.loc[rows.index], rows.fillna({"accelerator_count": 0})
    shipped = shipped.fillna({"accelerator_count": 0})
    for name in ("low", "unit", "accelerator", "accelerator_count", "nodes", "benchmark", "scenario", "submitter",
                 "system", "suite", "accuracy", "duplicate_of", "corrected", "availability"):  # fmt: skip
        assert rows[name].tolist() == shipped[name].tolist(), name


@pytest.mark.parametrize(("round", "logs", "metered"), [("v5.1", 900, 12), ("v6.0", 512, 0)])
def test_every_log_of_a_round_gives_the_shipped_figures(bring, tmp_path, round, logs, metered):
    archive, summary = SHARED / f"trees/inference_results_{round}.tar.xz", SHARED / f"{round}_summary_results.json"
    if not (archive.is_file() and summary.is_file()):
        pytest.skip("the trees are not at hand")
    with tarfile.open(archive) as tree:
        tree.extractall(tmp_path, filter="data")
    rows = bring(tmp_path / f"inference_results_{round}", summary)
    shipped = pd.read_parquet(DATA / "official" / f"{round}.parquet").set_index("id").loc[rows.index]
    again = rows["recomputed"].notna()
    assert len(rows) == len(shipped) and again.sum() == logs and rows["recomputed_power"].notna().sum() == metered
    names = [name for name in shipped if name.startswith(("ttft", "tpot", "power_watts", "tokens_", "samples_"))]
    for name in ("recomputed", "recomputed_power", *names):
        ours, theirs = (frame.loc[again, name].tolist() for frame in (rows, shipped))
        assert ours == pytest.approx(theirs, rel=1e-9, nan_ok=True), name
    assert rows["inferred"].tolist() == shipped["inferred"].tolist()
