"""MLPerf Endpoints from files to page: a made-up cohort of three systems, and the page before there is one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from analysis._build.runs.folders import Places

COHORT = {"NVIDIA": ("NVIDIA B300-SXM-270GB", 1.3), "AMD": ("AMD Instinct MI355X 288GB HBM3e", 1.1),
          "Acme": ("NVIDIA H200-SXM-141GB", 2.0)}  # fmt: skip
PREVIEW = {"system_availability_status": "Preview", "target_availability_date": "2027-03-01"}


@pytest.fixture
def run(tmp_path: Path, copy_of_shipped: Callable[[Path], Places]) -> Callable[..., str]:
    """Runs a command in a copy of the project; returns what it said."""
    places = copy_of_shipped(tmp_path / "project")
    path = os.pathsep.join([str(places.root / "src"), *sys.path])
    environment = os.environ | {"PYTHONPATH": path, "ANALYSIS_ROOT": str(places.root), "ANALYSIS_OFFICIAL": "all"}

    def command(*arguments: str) -> str:
        program = [sys.executable, "-m", "analysis.cli.main", *arguments]
        done = subprocess.run(program, cwd=places.root, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return command


def test_a_made_up_cohort_goes_from_files_to_page(run: Callable[..., str], made: Any, tmp_path: Path) -> None:
    reports = tmp_path / "project" / "reports"
    run("reports", "endpoints")
    before = json.loads((reports / "endpoints.json").read_text("utf-8"))
    assert before["front"] == [] and before["findings"][0]["low"] is None
    assert before["findings"][0]["headline"] == (
        "No data: import a clone of mlcommons/endpoints_results_v* (analysis data PATH)"
    )

    clone = tmp_path / "endpoints_results_v1.0"
    for submitter, (accelerator, times) in COHORT.items():
        described = PREVIEW if submitter == "Acme" else {}
        rated = made.power("air" if submitter == "AMD" else "liquid")
        made.submission(clone, submitter, accelerator, times, described=described, rated=rated)
    assert "12 points of 3 MLPerf Endpoints results" in run("data", str(clone))
    run("check")
    run("reports", "endpoints")

    stated = json.loads((reports / "endpoints.json").read_text("utf-8"))
    assert stated["findings"][0]["headline"] == (
        "gpt-oss-120b at 100 tokens/s per user: B300 8x, NVIDIA leads with 65 tokens/s per accelerator (v1.0)"
    )
    values = {each["name"]: each["low"] for each in stated["findings"]}
    reached = 1.3 * made.CURVE[512][0]  # 33 tokens/s per user: what serves 25, where no point was measured
    assert values["per_accelerator_v1_0_gpt_oss_120b_mmlu_25"] == pytest.approx(reached / 8)
    assert values["per_kilowatt_v1_0_gpt_oss_120b_mmlu_25"] == pytest.approx(reached / 12.74)
    assert "endpoints/endpoints-results-v1.0.parquet" in stated["provenance"]["tables"]
    assert [source["id"] for source in stated["provenance"]["sources"]] == ["mlperf-endpoints"]
    text = BeautifulSoup((reports / "endpoints.html").read_text("utf-8"), "html.parser").get_text(" ")
    for words in ("H200 8x, Acme, Preview, available 2027-03-01", "target cohorts 2026-11-C1", "3 results"):
        assert words in text
