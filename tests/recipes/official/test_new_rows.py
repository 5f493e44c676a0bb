"""A new round in a copy of data/: the rows that --new-rows adds, and the place of its file in the descriptor."""

import json
import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from analysis.paths import DATA, NAMED, SHIPPED_ONLY
from analysis.recipes.descriptor import sha256
from tests.recipes.official.conftest import V61

PARTS = {"Acme A1": 8, "NVIDIA R200": 72, "Nvidia GB300 288GB": 72}  # new, new with its vendor, another spelling


def ran(data, *arguments):
    own = {name: value for name, value in os.environ.items() if name != SHIPPED_ONLY} | {NAMED: str(data)}
    program = [sys.executable, "-m", "analysis.cli.main", *map(str, arguments)]
    done = subprocess.run(program, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def added(tmp_path_factory):
    """The folder, the summary, and what was printed."""
    folder = tmp_path_factory.mktemp("project")
    data, summary = folder / "data", folder / "inference_results_v7.0" / "summary.json"
    shutil.copytree(DATA, data, ignore=shutil.ignore_patterns("*-own.parquet"))
    summary.parent.mkdir()
    common = V61 | {
        "Scenario": "offline",
        "Model": "llama2-70b-99",
        "MlperfModel": "llama2-70b-99",
        "Units": "Tokens/s",
    }
    rows = [
        common | {"accelerator_model_name": name, "total_accelerators": count, "number_of_nodes": count // 8,
                  "accelerators_per_node": 8, "Result": 15000.0 * count, "SystemName": name, "Platform": name,
                  "Location": f"closed/Acme/results/{name}/llama2-70b-99/Offline"}
        for name, count in PARTS.items()
    ]  # fmt: skip
    summary.write_text(json.dumps(dict(enumerate(rows))))
    return data, summary, ran(data, "data", summary.parent, "--new-rows")


def table(data, name):
    return pd.read_csv(data / f"{name}.csv", dtype=str, keep_default_na=False)


def test_a_round_has_its_rows_and_no_count_that_nobody_announced(added):
    data, summary, said = added
    new = table(data, "rounds").iloc[-1]
    assert new[["round", "source_id", "closed_results"]].tolist() == ["v7.0", "mlcommons-v7.0", ""]
    assert f"sha256:{new['summary_sha256']}" == sha256(summary.read_bytes())
    source = table(data, "sources").iloc[-1]
    assert source[["id", "round", "kind"]].tolist() == ["mlcommons-v7.0", "v7.0", "official"]
    assert "added  'v7.0' to data/rounds.csv; to fill in: published, published_source" in said


def test_a_new_accelerator_has_a_row_and_another_spelling_an_alias_alone(added):
    data, _, said = added
    before = len(table(DATA, "accelerators"))
    assert table(data, "accelerators")[["accelerator", "label", "vendor"]].to_numpy().tolist()[before:] == [
        ["Acme A1", "Acme A1", ""],
        ["R200", "R200", "NVIDIA"],
    ]
    aliases = table(data, "accelerator_aliases").tail(2)[["as_published", "accelerator"]]
    assert aliases.to_numpy().tolist() == [["NVIDIA R200", "R200"], ["Nvidia GB300 288GB", "GB300"]]
    assert "unknown" not in said
    imported = pd.read_parquet(data / "official" / "v7.0-own.parquet")
    assert sorted(imported["accelerator"]) == ["Acme A1", "GB300", "R200"]


def test_the_tables_have_no_fault_a_second_import_adds_nothing_and_the_round_can_be_shipped(added):
    data, summary, _ = added
    ran(data, "describe")
    assert "no faults" in ran(data, "check")
    assert "added" not in ran(data, "data", summary.parent, "--new-rows")
    (data / "official" / "v7.0-own.parquet").rename(data / "official" / "v7.0.parquet")
    ran(data, "describe")
    package = json.loads((data / "datapackage.json").read_text())
    part = next(each for each in package["resources"] if each["name"] == "results")["parts"][-1]
    assert (part["round"], part["rows"], part["sources"][0]["sha256"]) == ("v7.0", 3, sha256(summary.read_bytes())[7:])
    assert "no faults" in ran(data, "check")
