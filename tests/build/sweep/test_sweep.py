"""Sweeps: what a file expands to, what is refused, that the rest goes on, and that findings come out as a table."""

import csv

import pyarrow.parquet as pq
import pytest

from analysis._build.index.sweep_index import _columns
from analysis._build.runs import sweepfiles
from analysis._build.runs.folders import Places
from analysis._build.runs.runfiles import RunFileError

PICK = "notebook: apples\ntitle: Apples by basket\nmatrix:\n  apples: [1, 2]\n  name: [Ann, Bo]\n"


def test_a_sweep_is_a_report_for_each_combination(orchard):
    orchard.write(PICK)
    outcome = orchard.sweep()
    assert outcome.status == 0 and outcome.built and not outcome.fresh
    assert sorted(outcome.built) == ["1_ann", "1_bo", "2_ann", "2_bo"]
    assert orchard.record("2_bo")["parameters"] == {"apples": 2, "name": "Bo"}
    assert orchard.record("2_bo")["answer"] == ["Bo has 4 apples."]
    assert orchard.shown == [(done, 4) for done in range(5)]
    assert "Apples by basket</a>: 4 reports" in (orchard.places.reports / "index.html").read_text()


def test_its_findings_are_a_table_with_the_parameters(orchard):
    orchard.write(PICK)
    orchard.sweep()
    folder = orchard.places.reports / "pick"
    table = pq.read_table(folder / "findings.parquet")
    rows = table.to_pylist()
    keys = ("report", "apples", "name", "finding", "of", "low", "high", "unit", "about")
    assert [tuple(row[key] for key in keys) for row in rows if row["finding"] == "apples"] == [
        ("1_ann", 1, "Ann", "apples", "", 2.0, 3.0, "apples", "Boskoop"),
        ("1_bo", 1, "Bo", "apples", "", 2.0, 3.0, "apples", "Boskoop"),
        ("2_ann", 2, "Ann", "apples", "", 4.0, 5.0, "apples", "Boskoop"),
        ("2_bo", 2, "Bo", "apples", "", 4.0, 5.0, "apples", "Boskoop"),
    ]
    assert [tuple(row[key] for key in keys) for row in rows if row["finding"] != "apples"] == [
        (report, apples, name, "apples_price", "apples", float(apples), float(apples), "US dollars", "")
        for report, apples, name in (("1_ann", 1, "Ann"), ("1_bo", 1, "Bo"), ("2_ann", 2, "Ann"), ("2_bo", 2, "Bo"))
    ]
    assert str(table.schema.field("apples").type) == "int64" and str(table.schema.field("low").type) == "double"
    with (folder / "findings.csv").open(newline="") as file:
        assert [list(row.values()) for row in csv.DictReader(file)] == [
            ["" if value is None else str(value) for value in row.values()] for row in rows
        ]


def test_the_same_again_builds_nothing_and_writes_nothing(orchard):
    orchard.write(PICK)
    orchard.sweep()
    before = {path: path.stat().st_mtime_ns for path in (orchard.places.reports / "pick").iterdir()}
    outcome = orchard.sweep()
    assert len(outcome.fresh) == 4 and not outcome.built
    assert {path: path.stat().st_mtime_ns for path in (orchard.places.reports / "pick").iterdir()} == before


def test_a_grown_matrix_builds_the_new_points_alone(orchard):
    orchard.write(PICK)
    orchard.sweep()
    orchard.write(PICK.replace("[1, 2]", "[1, 2, 3]"))
    outcome = orchard.sweep()
    assert sorted(outcome.built) == ["3_ann", "3_bo"] and len(outcome.fresh) == 4
    grown = orchard.tree()
    assert orchard.sweep(force=True).status == 0
    assert orchard.tree() == grown


def test_points_that_are_gone_take_their_pages_with_them(orchard):
    orchard.write(PICK)
    orchard.sweep()
    theirs = orchard.places.reports / "pick" / "notes.json"
    theirs.write_text('{"report": "notes"}')
    orchard.write(PICK.replace("[1, 2]", "[2]"))
    orchard.sweep()
    named = {path.stem for path in (orchard.places.reports / "pick").iterdir() if path.is_file()}
    assert named == {"2_ann", "2_bo", "index", "findings", "notes"}
    assert "2 reports" in (orchard.places.reports / "index.html").read_text()
    rows = pq.read_table(orchard.places.reports / "pick" / "findings.parquet").to_pylist()
    assert {row["report"] for row in rows} == {"2_ann", "2_bo"}
    assert "1_ann" not in (orchard.places.reports / "pick" / "findings.csv").read_text()


def test_a_point_that_fails_is_listed_and_stops_no_other(orchard):
    orchard.write(PICK.replace("Bo", "Eve"))
    outcome = orchard.sweep()
    assert outcome.status == 1 and sorted(outcome.built) == ["1_ann", "2_ann"]
    assert "ValueError: no apples for Eve" in outcome.failed[0].text()
    assert "then: analysis sweep notebooks/sweeps/pick.yml" in outcome.failed[0].text()
    index = (orchard.places.reports / "pick" / "index.html").read_text()
    assert "Failed in the last build: 2" in index and "1, Eve (not built)" in index
    rows = pq.read_table(orchard.places.reports / "pick" / "findings.parquet").to_pylist()
    assert [row["name"] for row in rows if row["finding"] == "apples"] == ["Ann", "Ann"]
    assert sorted(orchard.sweep().fresh) == ["1_ann", "2_ann"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PICK.replace("[1, 2]", "[1, two]"), "2 of 4 points cannot be"),
        (PICK.replace("  name", "  nam"), "no parameter 'nam': did you mean 'name'?"),
        ("notebook: apples\n", "key 'matrix' is missing"),
        (PICK + "parameters: {apples: 1}\n", "'apples' stands in both 'parameters' and 'matrix'"),
        (PICK.replace("[Ann, Bo]", "[Ann, ann]"), "are both named '1_ann'"),
        (PICK + "matrx: {}\n", "unknown key 'matrx': did you mean 'matrix'"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(orchard, monkeypatch, text, expected):
    monkeypatch.setattr("analysis._build.sweep.build_plans", lambda *a, **k: pytest.fail("a kernel was to start"))
    orchard.write(text)
    with pytest.raises(RunFileError, match=r"notebooks/sweeps/pick\.yml") as error:
        orchard.sweep()
    assert expected in str(error.value)
    assert not orchard.places.reports.exists()


def test_a_long_name_ends_in_a_digest_and_stays_unique():
    first, second = (sweepfiles.point_name({"name": "x" * 200, "apples": apples}) for apples in (1, 2))
    assert first != second and len(first) == sweepfiles.LONGEST


def test_the_index_runs_its_own_script_and_no_other(orchard):
    orchard.write(PICK.replace("Bo", "'<script>alert(1)</script>'"))
    orchard.sweep()
    index = (orchard.places.reports / "pick" / "index.html").read_text()
    assert index.count("<script>") == 1
    assert "script-src 'sha256-" in index and "&lt;script&gt;alert(1)" in index


def test_the_index_has_no_column_for_a_finding_that_few_reports_have():
    rows = [{"built": True, "findings": {("", "all", "x"): {}, ("", "half", "x"): {}}} for _ in range(2)]
    rows += [{"built": True, "findings": {("", "all", "x"): {}}}, {"built": True, "findings": {("", "one", "x"): {}}}]
    rows += [{"built": False, "findings": {}}]
    assert _columns(rows) == [("", "all", "x"), ("", "half", "x")]


def test_the_projects_own_sweeps_are_valid(shipped_sweep):
    path = Places().sweeps / f"{shipped_sweep}.yml"
    assert len(sweepfiles.read_sweep(path, Places()).points) > 1
