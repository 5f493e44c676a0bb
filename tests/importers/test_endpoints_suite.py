"""MLPerf Endpoints as a suite of its own: both layouts, figures, and files that cannot be trusted."""

import pandas as pd
import pytest
import yaml

from analysis._import import endpoints_suite
from analysis._import.official.import_run import ImportFailed
from analysis._tables.catalog import Catalog
from analysis.cli import main

GPU = "NVIDIA B300-SXM-270GB"


@pytest.fixture
def root(tmp_path):
    return tmp_path / "endpoints_results_v1.0"


def only(root):
    """The one row of the point at concurrency 64."""
    rows, problems = endpoints_suite.read([root])
    assert problems == []
    return rows.set_index("concurrency").loc[64]


def test_a_submission_gives_a_row_per_point_with_percentiles_of_the_suite(made, root):
    made.submission(root, "Acme", GPU)
    rows, problems = endpoints_suite.read([root])
    assert problems == [] and rows["concurrency"].tolist() == [*made.CURVE]
    assert rows["tokens_per_second"].tolist() == [rate for rate, _ in made.CURVE.values()]
    paces = [1000 / tpot for _, tpot in made.CURVE.values()]
    assert rows["interactivity"].tolist() == pytest.approx(paces)
    wanted = {
        "curve": "v1.0/Acme/abc123/acme_8x/gpt-oss-120b", "version": "v1.0", "cohort": "2026-11-C1",
        "submitter": "Acme", "system": "Acme node", "division": "Standardized",
        "availability": "Available", "accelerator": "B300 SXM",
        "accelerator_count": 8, "nodes": 1, "model": "gpt-oss-120b", "dataset": "MMLU", "precision": "FP4",
        "ttft_p90_ms": 300.0, "ttft_p95_ms": 360.0, "tpot_p90_ms": 12.0, "duration_s": 1000.0, "samples": 5000,
        "steady_state": "windowable", "provisioned_power_kw": 12.74, "point_power_kw": 12.74,
        "power_basis": endpoints_suite.SOURCED, "interactivity_basis": endpoints_suite.PER_TPOT,
        "location": "endpoints_results_v1.0/Acme/abc123/results/acme_8x/gpt-oss-120b/r64",
    }  # fmt: skip
    assert rows.set_index("concurrency", drop=False).loc[64, [*wanted]].to_dict() == wanted
    assert rows.set_index("concurrency").loc[4, "accuracy"] == "exact_match=84.25"
    assert not [name for name in rows if "p99" in name]


@pytest.mark.parametrize("pareto", [False, True])
def test_both_layouts_of_the_first_version_are_read(made, tmp_path, pareto):
    made.old_submission(tmp_path, pareto)
    (row,) = endpoints_suite.read([tmp_path]).rows.to_dict("records")
    wanted = {
        "version": "v0.7", "curve": "v0.7/Acme/node8/llama3_1-8b", "division": "RDI", "availability": "RDI",
        "accelerator": "H200 SXM", "accelerator_count": 8, "tokens_per_second": 3072.0, "interactivity": 24.0,
        "interactivity_basis": endpoints_suite.PER_REQUEST, "ttft_p90_ms": 180.0, "ttft_p95_ms": 190.0,
        "samples": 9000, "accuracy": "38.7",
    }  # fmt: skip
    assert {name: row[name] for name in wanted} == wanted
    assert pd.isna(row["provisioned_power_kw"])


def test_a_preview_has_its_date_and_an_offline_run_no_interactivity(made, root):
    preview = {"system_availability_status": "preview", "target_availability_date": "2027-03-01"}
    made.submission(root, "Acme", GPU, described=preview, offline="dedicated")
    row = only(root)
    assert (row["availability"], row["available_from"], row["offline"]) == ("Preview", "2027-03-01", "dedicated")
    assert pd.isna(row["interactivity"]) and row["interactivity_basis"] == "" and row["id"].endswith("/64/offline")


def test_agentic_tokens_per_user_are_those_of_whole_turns(made, root):
    curve = made.submission(root, "Acme", GPU, runtime_settings={"load_pattern": "agentic_inference"})
    turns = {"e2e_turn_time_seconds_total": 100_000, "output_tokens_per_turn_total": 2_500_000}
    made.write(curve / "r64" / "result_summary.json", made.summary(4_800.0, 12.0) | turns)
    row = only(root)
    assert (row["interactivity"], row["interactivity_basis"]) == (25.0, endpoints_suite.END_TO_END)


def test_power_of_a_point_is_that_of_the_nodes_it_engages(made, root):
    used = [{"system_node_ensemble_id": 0, "nodes": 1}]
    made.submission(root, "Acme", GPU, rated=made.power(nodes=2), nodes_used=used)
    row = only(root)
    assert (row["provisioned_power_kw"], row["point_power_kw"]) == (25.48, 12.74)


def change(made, folder, name, **changes):
    path = folder / name
    made.write(path, yaml.safe_load(path.read_text()) | changes)


CUT = b'{"n_samples_issued": 5000, "tp'
DEEP = b"[" * 200_000
BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (at + 1, at + 1, b",".join([b"*%c" % at] * 9)) for at in range(97, 117)
)
FAULTS = {
    "cut summary": ("result_summary.json", CUT, "result_summary.json"),
    "deep summary": ("result_summary.json", DEEP, "result_summary.json"),
    "a list": ("result_summary.json", b"[]", "result_summary.json"),
    "cut point": ("point.yaml", b"concurrency: [64", "point.yaml"),
    "deep point": ("point.yaml", DEEP, "point.yaml"),
    "aliases": ("point.yaml", BOMB, "point.yaml"),
    "object": ("point.yaml", b"!!python/object/apply:os.system ['true']", "point.yaml"),
    "not text": ("system_desc.json", b"\xff\xfe\x00", "system_desc.json"),
    "division": ("point.yaml", {"division": "Open"}, "division"),
    "availability": ("system_desc.json", {"system_availability_status": "Soon"}, "availability"),
    "concurrency": ("point.yaml", {"concurrency": "many"}, "concurrency"),
    "negative": ("point.yaml", {"concurrency": -4}, "concurrency"),
    "samples": ("result_summary.json", {"n_samples_completed": 10}, "10 samples completed"),
    "true": ("result_summary.json", {"n_samples_completed": True}, "samples completed"),
    "no time": ("result_summary.json", {"duration_ns": 0}, "duration_ns"),
    "no tokens": ("result_summary.json", {"output_sequence_lengths": {}}, "output_sequence_lengths"),
    "no pace": ("result_summary.json", {"tpot": {}}, "percentile 90"),
    "other rate": ("result_summary.json", {"system_tps": 9_000.0}, "its parts give 4800"),
    "other pace": ("result_summary.json", {"tps_per_user": 9.0}, "its parts give 83.3"),
    "node set": ("point.yaml", {"nodes_used": [{"system_node_ensemble_id": 7, "nodes": 1}]}, "system_node_ensemble_id"),
}


@pytest.mark.parametrize(("name", "content", "said"), FAULTS.values(), ids=FAULTS)
def test_a_point_that_cannot_be_trusted_is_left_out_and_named(made, root, name, content, said):
    folder = made.submission(root, "Acme", GPU) / "r64"
    if isinstance(content, bytes):
        (folder / name).write_bytes(content)
    else:
        change(made, folder, name, **content)
    rows, problems = endpoints_suite.read([root])
    assert rows["concurrency"].tolist() == [4, 512, 1024]
    (problem,) = problems
    assert problem.place == str(folder) and said in problem.reason


@pytest.mark.parametrize("name", ["result_summary.json", "point.yaml", "system_desc.json"])
def test_a_point_without_one_of_its_files_is_left_out(made, root, name):
    folder = made.submission(root, "Acme", GPU) / "r64"
    (folder / name).unlink()
    (problem,) = endpoints_suite.read([root]).problems
    assert name in problem.reason


def test_wrong_power_leaves_out_its_curve_and_none_leaves_power_open(made, root):
    curve = made.submission(root, "Acme", GPU, rated=made.power("steam"))
    rows, problems = endpoints_suite.read([root])
    assert rows.empty and len(problems) == len(made.CURVE) and "expected one of liquid, air" in problems[0].reason
    (curve.parent / "system_power.json").unlink()
    assert endpoints_suite.read([root]).rows["provisioned_power_kw"].isna().all()


def test_links_are_not_followed_and_a_point_counts_once(made, root):
    curve = made.submission(root, "Acme", GPU)
    (curve / "r7").symlink_to(curve / "r64")
    rows, problems = endpoints_suite.read([root, root])
    assert len(rows) == len(made.CURVE)
    assert sum("symbolic link" in each.reason for each in problems) == 2
    assert sum("already read" in each.reason for each in problems) == len(made.CURVE)


def test_names_in_files_reach_the_table_as_text(made, root):
    made.submission(root, "Acme", GPU, described={"system_name": "=cmd()\x1b[31m\n" + "x" * 5000})
    name = endpoints_suite.read([root]).rows["system"].iloc[0]
    assert "\x1b" not in name and "\n" not in name


def test_other_trees_are_not_of_this_suite_and_both_together_are_an_error(made, root, tree):
    made.submission(root, "Acme", GPU)
    assert endpoints_suite.among([tree.root]) == []
    with pytest.raises(ImportFailed, match="a suite of its own, import it by itself"):
        endpoints_suite.among([root, tree.root])


def test_import_writes_a_table_and_says_what_is_left_out(made, root, tmp_path, capsys):
    folder = made.submission(root, "Acme", GPU) / "r64"
    out = tmp_path / "points.csv"
    assert main.main(["import", str(root), "--out", str(out)]) == 0
    assert "4 points of 1 MLPerf Endpoints results" in capsys.readouterr().out
    (folder / "point.yaml").write_text("concurrency: [64")
    assert main.main(["import", str(root), "--out", str(out)]) == 1
    said = capsys.readouterr().out
    assert "left out" in said and "r64" in said and "3 points" in said
    assert pd.read_csv(out)["concurrency"].tolist() == [4, 512, 1024]


def test_an_import_without_a_sound_point_leaves_the_table_alone(made, root, tmp_path, capsys):
    made.submission(root, "Acme", GPU, division="Open")
    out = tmp_path / "points.parquet"
    out.write_bytes(b"mine")
    assert main.main(["import", str(root), "--out", str(out)]) != 0
    assert out.read_bytes() == b"mine" and "no sound point of MLPerf Endpoints" in capsys.readouterr().err


def test_what_data_brings_is_in_the_catalog_and_in_no_result(made, root, tmp_path, documents_only, monkeypatch):
    made.submission(root, "Acme", GPU)
    data = documents_only(tmp_path / "data")
    monkeypatch.setenv("ANALYSIS_OFFICIAL", "all")
    before = len(Catalog(data).results)
    assert endpoints_suite.bring([root], folder=data / "endpoints", say=lambda _: None) == 0
    catalog = Catalog(data)
    assert len(catalog.endpoints) == len(made.CURVE) and set(catalog.endpoints["source_id"]) == {"mlperf-endpoints"}
    assert "endpoints/endpoints-results-v1.0.parquet" in catalog.used
    assert len(catalog.results) == before and not set(catalog.endpoints["id"]) & set(catalog.results["id"])
    monkeypatch.setenv("ANALYSIS_OFFICIAL", "shipped")
    assert Catalog(data).endpoints.empty
