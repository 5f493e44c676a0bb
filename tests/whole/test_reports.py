"""The real reports, end to end: built under many parameters, twice the same, and following a change of the data."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from analysis._build.kernels.pool import Workers
from analysis._build.reports import build_reports
from analysis._build.runs.folders import Places
from analysis._tables import dictionary

MARKS = r"[\u25cb\u2020\u2021\u00a7\u00b6\u26a0*]+$"  # of notes, behind a sentence
OWN = [
    "accelerator_choice",
    "generational_speedup",
    "interactivity",
    "my_deployment",
    "official_record",
    "power_efficiency",
    "price_performance",
    "progress",
    "quantization_tradeoffs",
    "real_world_derating",
    "scaling",
]

AGAIN = ["my_deployment", "power_efficiency"]


def record(places: Places, report: str) -> dict:
    return json.loads((places.reports / f"{report}.json").read_text("utf-8"))


def finding(places: Places, report: str, name: str) -> dict:
    return next(each for each in record(places, report)["findings"] if each["name"] == name)


def pages(places: Places) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in places.reports.iterdir() if path.is_file() and path != places.pace}


def test_the_project_that_is_built_is_what_is_shipped(project, shipped, others):
    """A run file or notebook of a user's own would be held to stored findings that it has not."""
    there = {project.key(path) for path in (*project.notebooks.glob("*.ipynb"), *project.runs.glob("*.yml"))}
    ours = {Places().key(path) for path in shipped if path.parent.name != "sweeps"}
    assert there == ours | {f"notebooks/runs/{name}.yml" for name in others}


def test_every_report_is_built_under_every_parameter_set(built):
    places, outcome, lines = built
    assert [(failure.report, str(failure)) for failure in outcome.failed] == []
    reports = {path.stem for path in places.runs.glob("*.yml")} - set(outcome.skipped)
    assert set(outcome.built) == reports and set(OWN) < reports
    assert all(reason.endswith("make data") for reason in outcome.skipped.values())
    assert all((places.reports / f"{name}.{ending}").is_file() for name in reports for ending in ("html", "json"))
    assert (places.reports / "index.html").is_file()
    assert lines[-1].startswith(f"{len(reports)} built")


@pytest.mark.parametrize("report", OWN)
def test_findings_are_named_values_with_range_unit_sentence_and_sources(built, report):
    stated = record(built[0], report)
    sources = {source["id"] for source in stated["provenance"]["sources"]} | {"datasheets", "mlcommons-rules"}
    assert len(stated["findings"]) >= 5
    for each in stated["findings"]:
        assert set(each) == {"name", "low", "high", "unit", "headline", "sentence", "sources", "caveats", "notes",
                             "about", "systems", "values"}  # fmt: skip
        assert each["unit"] and each["headline"] and each["sentence"].startswith(each["headline"])
        assert each["low"] is None or each["low"] <= each["high"]
        assert set(each["sources"]) <= sources, each["name"]


def test_findings_under_other_parameters_are_the_stored_ones(built, data_regression):
    """Values to six digits: a change of data or of a rule shows here, by report and finding.

    Reports under their notebooks' defaults are not among them: their stored outputs are compared as they are.
    """
    notebooks = {path.stem for path in built[0].notebooks.glob("*.ipynb")}
    others = sorted({path.stem for path in built[0].runs.glob("*.yml")} - notebooks - set(built[1].skipped))
    found = {
        report: {
            each["name"]: [end and float(f"{end:.6g}") for end in (each["low"], each["high"])]
            for each in record(built[0], report)["findings"]
        }
        for report in others
    }
    data_regression.check(found)


@pytest.mark.parametrize(
    "report",
    [
        "speedup_nothing",
        "quantization_nothing",
        "power_nothing",
        "derating_nothing",
        "choice_nothing",
        "price_nothing",
        "record_nothing",
        "interactivity_images",
    ],
)
def test_a_choice_without_comparable_rows_says_so(built, report):
    stated = record(built[0], report)
    assert any(each["low"] is None for each in stated["findings"])
    page = (built[0].reports / f"{report}.html").read_text("utf-8")
    assert "nothing to draw" in page and "nothing to show" in page


@pytest.mark.parametrize("report", ["speedup_every_round", "quantization_official"])
def test_a_question_to_the_official_record_is_answered_without_documents(built, report):
    """What documents claim may be held against the record further down; the answer does not rest on it."""
    stated = record(built[0], report)
    answer = stated["findings"][:2]
    assert [each["headline"] for each in answer] == [re.sub(MARKS, "", each) for each in stated["answer"]]
    assert answer[0]["low"] is not None
    assert [each["name"] for each in answer if any(source.startswith("doc") for source in each["sources"])] == []


def test_known_answers_of_the_official_record(built):
    """Hand-computed from the cited results: B200 over H100 SXM in v5.1; 0.12 x 1.3 x watts / rate / 3.6."""
    places = built[0]
    b200 = finding(places, "generational_speedup", "fastest")
    assert b200["low"] == pytest.approx((102131 / 8) / (124879 / 32), rel=1e-8)  # both at 99.9%
    energy = finding(places, "power_efficiency", "energy_price")
    assert energy["low"] == pytest.approx(10400.9988793425 / 102909.0 / 3.6 * 0.12 * 1.3, rel=1e-8)
    # 100 users x 25 tokens/s x 1.5 / 0.6 = 6,250 tokens/s, less than one B200 gives at that speed.
    assert finding(places, "real_world_derating", "accelerators_needed")["high"] == 1


def kept(places: Places) -> list[Path]:
    """The tables that reports have kept for each other."""
    return sorted((places.root / ".cache" / "tables").rglob("*.arrow"))


def test_building_again_on_the_other_kind_of_kernels_gives_the_same_bytes(copied):
    """With the tables as they were kept, and each figure drawn anew; the next test does without both.

    What the cells of each notebook put out in an ordinary kernel is compared with what they did in a warm one by nbval
    (`make test`, second part): here it is what a page has beside it, the metadata of figures, tables and sources.
    """
    before = pages(copied)
    assert kept(copied)
    shutil.rmtree(copied.root / ".cache" / "figures")
    outcome = build_reports(
        AGAIN, places=copied, force=True, workers=Workers(kernels="ordinary"), say=lambda line: None
    )
    assert sorted(outcome.built) == sorted(AGAIN) and pages(copied) == before


def test_a_page_is_the_same_where_nothing_is_kept(copied, monkeypatch):
    before = pages(copied)
    shutil.rmtree(copied.root / ".cache")
    monkeypatch.setenv("ANALYSIS_CACHE", "off")
    outcome = build_reports(["price_performance", "power_efficiency"], places=copied, force=True, say=lambda line: None)
    assert len(outcome.built) == 2 and pages(copied) == before
    assert not (copied.root / ".cache").exists()


def test_a_page_is_the_same_where_its_figures_were_drawn_before(copied):
    before = pages(copied)
    assert list((copied.root / ".cache" / "figures").iterdir())
    outcome = build_reports(["power_efficiency"], places=copied, force=True, say=lambda line: None)
    assert outcome.built == ["power_efficiency"] and pages(copied) == before


def test_without_the_record_the_reports_run_to_the_end(copied, monkeypatch):
    monkeypatch.setenv("ANALYSIS_OFFICIAL", "off")
    outcome = build_reports(OWN, places=copied, force=True, say=lambda line: None)
    assert sorted(outcome.built) == sorted(OWN) and not outcome.failed and not outcome.skipped
    read = [table for report in OWN for table in record(copied, report)["provenance"]["tables"]]
    assert read and not any(table.startswith("official/") for table in read)


def test_nothing_is_built_again_without_a_change(copied):
    for path in copied.data.iterdir():
        os.utime(path)
    outcome = build_reports(places=copied, say=lambda line: None)
    assert outcome.built == [] and outcome.failed == []


def test_a_parameter_edit_rebuilds_its_report_alone(copied):
    (copied.runs / "power_server.yml").write_text(
        "notebook: power_efficiency\nparameters: {benchmark: bert, usd_per_kilowatt_hour: 0.3}\n", "utf-8"
    )
    assert build_reports(places=copied, say=lambda line: None).built == ["power_server"]


def test_a_wrong_parameter_is_refused_by_name_and_the_rest_is_built(copied):
    (copied.runs / "power_server.yml").write_text(
        "notebook: power_efficiency\nparameters: {benchmark: llama-2-70b, usd_per_kwh: 0.3}\n", "utf-8"
    )
    lines: list[str] = []
    outcome = build_reports(places=copied, say=lines.append)
    said = "\n".join(lines)
    assert outcome.status == 1 and [failure.report for failure in outcome.failed] == ["power_server"]
    assert "did you mean 'llama2-70b'" in said and "usd_per_kilowatt_hour" in said
    assert outcome.built == []


def test_a_changed_cell_changes_finding_page_and_stored_outputs(copied):
    """The lowest price halved: the finding follows, its page too, and nbval no longer accepts the notebook."""
    before, notebook = pages(copied), copied.notebook("price_performance")
    first = finding(copied, "price_performance", "usd_per_million_as_assumed")["low"]
    table = copied.data / "prices.csv"
    prices = pd.read_csv(table, dtype="str", keep_default_na=False)
    (row,) = prices.index[prices["id"].eq("inferencex-2026-04-mi355x-neocloud")]
    ends = [name for name in prices if name.endswith(("_low", "_high"))]
    prices.loc[row, ends] = [f"{float(prices.at[row, name]) / 2:g}" for name in ends]
    prices.to_csv(table, index=False)
    dictionary.describe(copied.data)
    build_reports(["price_performance"], places=copied, say=lambda line: None)
    after = finding(copied, "price_performance", "usd_per_million_as_assumed")["low"]
    assert ends and after == pytest.approx(first / 2, rel=1e-3)  # the price is written to six digits
    assert pages(copied)["price_performance.html"] != before["price_performance.html"]
    command = [sys.executable, "-m", "pytest", "-qx", "--nbval", "--nbval-current-env", "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTHONPATH": str(copied.source)}
    checked = subprocess.run(
        [*command, str(notebook)], env=environment, cwd=copied.root, capture_output=True, text=True
    )
    assert checked.returncode == 1 and "failed" in checked.stdout
