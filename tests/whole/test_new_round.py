"""The recipe of docs/new_round.md on a made-up round: one new benchmark, one new accelerator, one new scenario."""

import csv
import io
import json
import os
import subprocess
import sys

import pytest
import yaml

from analysis._core.file_contents import sha256_of
from analysis._import.official.unknown_names import SCENARIOS_OF

ROUND, BENCHMARK, ACCELERATOR, SCENARIO = "v9.9", "story-13b", "Acme X1 512GB", "Agentic"
REPOSITORY = f"https://github.com/mlcommons/inference_results_{ROUND}"
RESULT = {
    "Submitter": "Acme", "Availability": "available", "Category": "closed", "Suite": "datacenter", "Platform": "acme",
    "Accuracy": "ROUGE1: 44.5  TOKENS_PER_SAMPLE: 300.0", "Nodes": 1, "Processor": "X", "host_processors_per_node": 2,
    "a#": 8, "Software": "TensorRT 10", "Notes": "", "version": ROUND, "inferred": 0, "has_power": False,
    "weight_data_types": "fp8", "Performance_Units": "Tokens/s",
    "Details": f"{REPOSITORY}/tree/main/closed/Acme/results/acme",
}  # fmt: skip
RATES = {"Offline": 40_000.5, "Server": 36_000.0, "Interactive": 20_000.0, SCENARIO: 16_000.0}
FACTORS = {"NVIDIA H200-SXM-141GB": 1, ACCELERATOR: 3}
COMPLETED = {  # what nobody but a reader of the rules and datasheets knows
    "data/rounds.csv": {"published": "2028-04-01"},
    "data/accelerators.csv": {"vendor": "Acme", "kind": "gpu", "memory_gb": "512", "power_limit_w": "1500"},
    "data/benchmarks.csv": {"label": "Story 13B", "task": "text generation", "parameters_billion": "13"},
}
# Reports about what is new, beside those that are shipped.
NEW = {"benchmark": BENCHMARK, "scenario": SCENARIO, "rounds": [ROUND]}
ABOUT_IT = ("explorer", "overview", "progress", "real_world_derating")


class Project:
    """A copy of the project that is worked on as a maintainer would: by commands, with its own modules."""

    def __init__(self, places, summary):
        self.places, self.summary = places, summary
        root = str(places.root)
        path = os.pathsep.join([str(places.root / "src"), *sys.path])
        self.environment = os.environ | {"PYTHONPATH": path, "ANALYSIS_ROOT": root, "ANALYSIS_OFFICIAL": "all"}

    def run(self, *arguments):
        """Exit status and lines of a command."""
        program = [sys.executable, "-m", "analysis.cli.main", *arguments]
        done = subprocess.run(
            program, cwd=self.places.root, env=self.environment, capture_output=True, text=True, check=False
        )
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def bring(self):
        """Import the round."""
        return self.run("import", str(self.summary), "--out", f"data/official/{ROUND}_own.parquet")

    def ship(self):
        """Describe the round as a part of the record, make it, and drop the import."""
        path = self.places.root / "data" / "datapackage.json"
        package = json.loads(path.read_text("utf-8"))
        (results,) = [table for table in package["resources"] if table["name"] == "results"]
        source = {"file": self.summary.name, "sha256": sha256_of(self.summary), "path": REPOSITORY, "commit": "0" * 40}
        part = {"round": ROUND, "path": f"official/{ROUND}.parquet", "rows": 0, "hash": "", "sources": [source]}
        results["parts"].append(part)
        path.write_text(json.dumps(package), "utf-8")
        made = self.run("record", str(self.summary))
        (self.places.root / "data" / "official" / f"{ROUND}_own.parquet").unlink()
        return made

    def paste(self, lines):
        """Put rows below the table that the line above them names, and complete them."""
        place = ""
        for line in lines:
            if line == SCENARIOS_OF or line.endswith(".csv"):
                place = line
            elif place == SCENARIOS_OF:
                self._paste_scenario(line.replace("Scenario(QUERIES)", "Scenario(QUERIES, limited=True)"))
            else:
                self._paste_row(place, line)

    def _paste_row(self, table, row):
        path = self.places.root / table
        text = path.read_text("utf-8")
        columns, cells = csv.reader([text.partition("\n")[0], row])
        completed = io.StringIO()
        own = dict(zip(columns, cells, strict=True)) | COMPLETED.get(table, {})
        csv.DictWriter(completed, columns, lineterminator="\n").writerow(own)
        path.write_text(text + completed.getvalue(), "utf-8")

    def _paste_scenario(self, entry):
        path = self.places.root / "src" / "analysis" / "_core" / "vocabulary.py"
        before, head, after = path.read_text("utf-8").partition("SCENARIOS = {\n")
        others, end, rest = after.partition("\n}\n")
        path.write_text(f"{before}{head}{others}\n{entry}{end}{rest}", "utf-8")


@pytest.fixture
def project(tmp_path, copy_of_shipped):
    results = [
        RESULT | {
            "ID": f"{ROUND}-000{place}", "System": f"Acme 8x {accelerator}", "Accelerator": accelerator,
            "UsedModel": model, "Model": model, "Scenario": scenario, "Performance_Result": rate * factor,
            "Location": f"closed/Acme/results/acme{place}/{model}/{scenario}",
        }
        for place, (accelerator, factor) in enumerate(FACTORS.items())
        for model in ("llama2-70b-99.9", BENCHMARK)
        for scenario, rate in RATES.items()
    ]  # fmt: skip
    summary = tmp_path / "summary_results.json"
    summary.write_text(json.dumps(results), "utf-8")
    return Project(copy_of_shipped(tmp_path / "project"), summary)


@pytest.mark.slow
def test_a_new_round_is_taken_up_as_the_recipe_says(project):
    """Sixteen results: two accelerators, two benchmarks, four scenarios. Four of them are of the new scenario."""
    status, lines = project.bring()
    unknown = [line.split(": ")[0] for line in lines if line.startswith("unknown")]
    assert status == 1 and lines[-1].endswith("12 rows in data/official/v9.9_own.parquet; 4 left out"), lines
    assert unknown == [
        f"unknown   round '{ROUND}' in 16 rows", f"unknown   accelerator '{ACCELERATOR}' in 8 rows",
        f"unknown   benchmark '{BENCHMARK}' in 8 rows", f"unknown   scenario '{SCENARIO}' in 4 rows",
    ]  # fmt: skip

    project.paste(lines[lines.index("To add, and to complete (docs/new_round.md):") + 1 : -1])
    assert project.run("describe") == (0, ["changed: datapackage.json, README.md, docs/api.md"])  # it has no docs/
    assert project.bring() == (0, ["16 rows in data/official/v9.9_own.parquet"])

    status, said = project.ship()
    assert status == 0 and said[-1] == "written   official/v9.9.parquet: 16 rows", said
    assert project.run("check") == (0, ["data/ is sound: every table is what its description says"])

    for notebook in ABOUT_IT:
        run = yaml.safe_dump({"notebook": notebook, "parameters": NEW})
        (project.places.runs / f"new_{notebook}.yml").write_text(run, "utf-8")
    status, said = project.run("reports", "official_record", *(f"new_{notebook}" for notebook in ABOUT_IT))
    assert status == 0 and not [line for line in said if line.startswith("FAILED")], "\n".join(said)
    for notebook, named in (("overview", ACCELERATOR), ("progress", ROUND), ("real_world_derating", SCENARIO)):
        found = json.loads((project.places.reports / f"new_{notebook}.json").read_text("utf-8"))
        assert named in json.dumps(found["findings"], ensure_ascii=False), notebook
