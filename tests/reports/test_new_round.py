"""One imported round with accelerators, processors, and systems that data/ does not know yet stops no report."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import product

import pandas as pd
import pytest

from analysis import results
from analysis.paths import DATA, ROOT, SHIPPED_ONLY
from analysis.planner import capacity, prediction
from tests.reports.grid import steps
from tests.reports.plain import shipped

NEW = {
    "Acme X1": {}, "Acme X2": {"availability": "preview"}, "mixed": {}, "NVIDIA H100 + Acme X1 (x8)": {},
    "Acme CPU 9000": {"accelerator_count": 2.0},
}  # fmt: skip


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """The record with results of each of NEW in two rounds: those of NVIDIA's newest, 30% faster."""
    newest = DATA / "official" / "v6.1.parquet"
    rows = pd.read_parquet(newest)
    own = rows[rows["accelerator"].eq("B300 SXM") & rows["submitter"].eq("NVIDIA") & rows["division"].eq("closed")]
    added = []
    for (place, (name, changes)), round in product(enumerate(NEW.items()), ("v6.1", "v7.0")):
        told = {"accelerator": name, "accelerator_as_published": name, "round": round, "submitter": "Acme"}
        told |= {"id": f"o-{round}-{place}-" + own["id"], "low": 1.3 * own["low"], "high": 1.3 * own["high"]}
        added.append(own.assign(**told, duplicate_of="", location="", result_id="", **changes))
    folder = tmp_path_factory.mktemp("data")
    shutil.copytree(DATA / "official", folder / "official")
    pd.concat(added).to_parquet(folder / "official" / "acme.parquet", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "DATA", folder)
        patch.delenv(SHIPPED_ONLY, raising=False)
        return results._loaded.__wrapped__()


@pytest.mark.slow
@pytest.mark.parametrize("notebook", shipped())
def test_what_a_new_round_brings_stops_no_report(record, notebook, monkeypatch):
    monkeypatch.setattr(results, "_loaded", lambda: record)
    said: dict = {}
    for cached in (capacity._throughput, prediction._results, prediction.cases):
        cached.cache_clear()
    assert list(steps(notebook, {}, {}, said))
    for cached in (capacity._throughput, prediction._results, prediction.cases):
        cached.cache_clear()
    assert "answer" in said or notebook == "explorer"


# What docs/new_round.md asks for: a row of each table, like one that is there, with what is new.
TABLES = {
    "sources": ("mlcommons-v6.1", [{"id": "mlcommons-v7.0", "label": "official v7.0", "round": "v7.0"}]),
    "rounds": ("v6.1", [{"round": "v7.0", "published": "2027-04-01", "source_id": "mlcommons-v7.0"}]),
    "accelerators": ("GB300", [
        {"accelerator": "Acme A1", "label": "Acme A1", "vendor": "AMD", "rack_accelerators": "", "color": ""},
        {"accelerator": "Zeta Z9", "label": "Zeta Z9", "rack_accelerators": "144", "color": ""},
    ]),
    "prices": ("inferencex-2026-08-gb300-neocloud", [
        {"id": "new-a1", "accelerator": "Acme A1", "offering": "A1"}, {"id": "new-z9", "accelerator": "Zeta Z9"},
    ]),
    "benchmarks": ("gpt-oss-120b", [
        {"benchmark": "qwen4-200b", "label": "Qwen4 200B", "parameters_billion": "200", "aliases": ""},
    ]),
}  # fmt: skip
SYSTEMS = {"B300": ("NVIDIA", 8, 1.0), "GB300": ("NVIDIA", 72, 1.1), "Acme A1": ("Acme", 8, 1.3),
           "Zeta Z9": ("Zeta", 144, 1.5)}  # fmt: skip
RATES = {"Offline": 15000, "Server": 13000, "Interactive": 9000}
PAGES_OF_ALL = ["accelerator_choice", "budget", "generational_speedup", "interactivity", "official_record", "overview",
                "price_performance", "real_world_derating"]  # fmt: skip
OF_A_MODEL = ["accelerator_choice", "budget", "interactivity", "power_efficiency"]
SHOW = """import json, os, sys
sys.path.insert(0, os.getcwd())
from analysis.pages.processes import side_by_side
from tests.reports import grid
grid.load_results()
tasks = {json.dumps(task): task for task in json.loads(sys.argv[1])}
print(json.dumps({task[0]: found if isinstance(found, dict) else {"error": str(found)}
                  for key, found in side_by_side(grid.run, tasks, 2, 120) for task in [tasks[key]]}))"""


def add(path, rows, like=""):
    """Append rows to a table, like the one with that id but for what is given."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    base = table[table.iloc[:, 0].eq(like)].iloc[0]
    pd.concat([table, pd.DataFrame([{**base, **row} for row in rows])]).to_csv(path, index=False)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with a round v7.0 added by the guide: two accelerators, one in racks, and a model."""
    folder = tmp_path_factory.mktemp("project")
    for part in ("data", "src", "notebooks", "tests", "docs"):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name, (like, rows) in TABLES.items():
        add(folder / "data" / f"{name}.csv", rows, like)
    limits = pd.read_csv(folder / "data" / "benchmark_limits.csv", dtype=str, keep_default_na=False)
    rules = limits[limits["id"].str.startswith("rules-gpt-oss-120b")]
    changed = {"benchmark": "qwen4-200b", "rounds": "v7.0", "id": rules["id"].str.replace("gpt-oss-120b", "qwen4-200b")}
    pd.concat([limits, rules.assign(**changed)]).to_csv(folder / "data" / "benchmark_limits.csv", index=False)
    rows = [
        {"Organization": by, "compliance": "closed", "Availability": "available", "SystemType": "datacenter",
         "SystemName": name, "Platform": name, "MlperfModel": model, "Model": model, "Scenario": scenario.lower(),
         "Result": rate * times * count, "Units": "Tokens/s", "accelerator_model_name": name,
         "total_accelerators": count, "number_of_nodes": count // 8, "framework": "vLLM", "weight_data_types": "fp4",
         "Location": f"closed/{by}/results/{name}/{model}/{scenario}"}
        for model in ("llama2-70b-99", "gpt-oss-120b", "qwen4-200b")
        for name, (by, count, times) in SYSTEMS.items() for scenario, rate in RATES.items()
    ]  # fmt: skip
    clone = folder / "inference_results_v7.0"
    clone.mkdir()
    (clone / "summary.json").write_text(json.dumps(dict(enumerate(rows))))
    for asked in (["describe"], ["check"], ["data", clone.name]):
        ran(folder, "-m", "analysis.cli.main", *asked)
    return folder


def ran(folder, *arguments):
    """Return what a Python of the copy prints."""
    own = {name: value for name, value in os.environ.items() if name != SHIPPED_ONLY}
    own |= {"PYTHONPATH": str(folder / "src"), "MPLBACKEND": "agg"}
    program = [sys.executable, *arguments]
    done = subprocess.run(program, cwd=folder, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pages", "parameters", "words"),
    [
        (PAGES_OF_ALL, {}, ["Acme A1", "Zeta Z9", "v7.0"]),
        (["overview", "official_record"], {}, ["Qwen4 200B"]),
        (OF_A_MODEL, {"benchmark": "Qwen4 200B"}, ["Qwen4 200B", "v7.0"]),
    ],
)
def test_a_round_that_is_added_by_the_guide_is_on_the_pages_without_an_edit_of_the_code(
    project, pages, parameters, words
):
    found = json.loads(ran(project, "-c", SHOW, json.dumps([[page, parameters] for page in pages])).splitlines()[-1])
    lacking = {page: [word for word in words if word not in json.dumps(found[page].get("said"))] for page in pages}
    assert {page: each or found[page]["error"] for page, each in lacking.items() if each or found[page]["error"]} == {}
