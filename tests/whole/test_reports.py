"""The real reports, end to end: built under many parameters, twice the same, and following a change of the data."""

import json
import os
import re
import shutil

import pytest

from analysis._build.kernels.pool import Workers
from analysis._build.reports import build_reports
from analysis._build.runs.folders import Places

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


def record(places, report):
    return json.loads((places.reports / f"{report}.json").read_text("utf-8"))


def finding(places, report, name):
    return next(each for each in record(places, report)["findings"] if each["name"] == name)


def pages(places):
    return {path.name: path.read_bytes() for path in places.reports.iterdir() if path.is_file() and path != places.pace}


def test_the_project_that_is_built_is_what_is_shipped(project, shipped, others):
    """A run file or notebook of a user's own would be held to stored findings that it has not."""
    there = {project.key(path) for path in (*project.notebooks.glob("*.ipynb"), *project.runs.glob("*.yml"))}
    ours = {Places().key(path) for path in shipped if path.parent.name != "sweeps"}
    assert there == ours | {f"notebooks/runs/{name}.yml" for name in others}


def test_every_report_is_built_under_every_parameter_set(built):
    places, outcome, lines = built
    assert [(failure.report, str(failure)) for failure in outcome.failed] == []
    reports = {path.stem for path in places.runs.glob("*.yml")}
    assert set(outcome.built) == reports and set(OWN) < reports
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
    others = sorted({path.stem for path in built[0].runs.glob("*.yml")} - notebooks)
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


def test_a_question_to_the_official_record_is_answered_without_documents(built):
    """What documents claim may be held against the record further down; the answer does not rest on it."""
    stated = record(built[0], "speedup_every_round")
    answer = stated["findings"][:2]
    assert [each["headline"] for each in answer] == [re.sub(MARKS, "", each) for each in stated["answer"]]
    assert answer[0]["low"] is not None
    assert [each["name"] for each in answer if any(source.startswith("doc") for source in each["sources"])] == []


def kept(places):
    """The tables that reports have kept for each other."""
    return sorted((places.root / ".cache" / "tables").rglob("*.arrow"))


def test_a_page_is_the_same_on_the_other_kind_of_kernels_where_nothing_is_kept(copied, monkeypatch):
    """Tables and figures made anew, too.

    What the cells of each notebook put out in an ordinary kernel is compared with what they did in a warm one by nbval
    (`make test`, second part): here it is what a page has beside it, the metadata of figures, tables and sources.
    """
    before = pages(copied)
    assert kept(copied)
    shutil.rmtree(copied.root / ".cache")
    monkeypatch.setenv("ANALYSIS_CACHE", "off")
    ordinary = Workers(kernels="ordinary")
    outcome = build_reports(["power_efficiency"], places=copied, force=True, workers=ordinary, say=lambda line: None)
    assert outcome.built == ["power_efficiency"] and pages(copied) == before
    assert not (copied.root / ".cache").exists()


def test_without_the_record_the_reports_run_to_the_end(copied, monkeypatch):
    monkeypatch.setenv("ANALYSIS_OFFICIAL", "off")
    outcome = build_reports(OWN, places=copied, force=True, say=lambda line: None)
    assert sorted(outcome.built) == sorted(OWN) and not outcome.failed
    read = [table for report in OWN for table in record(copied, report)["provenance"]["tables"]]
    assert read and not any(table.startswith("official/") for table in read)


def test_nothing_is_built_again_without_a_change(copied):
    for path in copied.data.iterdir():
        os.utime(path)
    outcome = build_reports(places=copied, say=lambda line: None)
    assert outcome.built == [] and outcome.failed == []
