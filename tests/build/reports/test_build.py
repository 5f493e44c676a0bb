"""Building: what is written, what is said when a notebook fails, and that nothing else suffers from it."""

import json
import sys

import pytest

from analysis._build.kernels.pool import KINDS
from analysis._build.reports import build_reports
from analysis._build.runs import runfiles
from analysis._core.table_text import UnusableTable


def test_a_build_writes_page_and_record(built):
    assert built.outcome.status == 0
    assert sorted(built.outcome.built) == ["apples", "apples_five"]
    record = built.record("apples_five")
    assert record["question"] == "How many apples?"
    assert record["answer"] == ["Ann has 10 apples."]
    assert record["parameters"] == {"apples": 5, "name": "Ann"}
    assert [(f["name"], f["low"], f["high"]) for f in record["findings"]] == [("apples", 10, 11)]
    assert {"data/apples.csv", "notebooks/apples.ipynb", "src/toy/sums.py", "requirements.lock"} <= set(
        record["inputs"]
    )


def test_nothing_of_this_machine_is_written(built):
    for name, content in built.tree().items():
        assert str(built.places.root).encode() not in content, name
        assert b"/home/" not in content and b"site-packages" not in content, name


@pytest.mark.parametrize("kernels", KINDS)
def test_two_builds_are_identical(built, project, kernels):
    assert project.build(force=True, kernels=kernels).status == 0
    assert project.tree() == built.tree()


def test_the_kernel_is_this_interpreter_in_the_notebooks_folder(project):
    here = (sys.executable, str(project.places.notebooks))
    checks = project.code(f"import os, sys\nassert (sys.executable, os.getcwd()) == {here!r}")
    project.made("where", project.cells(checks))


@pytest.mark.parametrize("kernels", KINDS)
def test_failures_are_told_in_words_and_others_are_built(project, kernels):
    before = project.page("apples")
    project.notebook("apples", project.cells(project.code("x = 1\nrows = {}\nrows['H100']", "hide-input")))
    project.notebook("dies", project.cells(project.code("import os\nos._exit(7)")))
    project.notebook("killed", project.cells(project.code("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")))
    project.notebook("leaves", project.cells(project.code("import sys\nsys.exit(0)")))
    project.notebook("good", project.cells())
    for name in ("dies", "killed", "leaves", "good"):
        project.run_file(name, name)
    outcome = project.build(kernels=kernels)
    assert outcome.status == 1
    assert outcome.built == ["good"]
    said = {failure.report: failure.text() for failure in outcome.failed}
    assert 'notebooks/apples.ipynb, cell 8 of 10, under "What is compared"' in said["apples"]
    assert "line 3: rows['H100']" in said["apples"]
    assert "KeyError: 'H100'" in said["apples"]
    assert "reports/.failed/apples.ipynb" in said["apples"]
    assert "Traceback" not in said["apples"]
    assert "ended itself with exit status 7" in said["dies"]
    assert "memory ran out" in said["killed"] and "cell 8 of 10" in said["killed"]
    assert "sys.exit" in said["leaves"]
    assert project.page("apples") == before
    index = (project.places.reports / "index.html").read_text()
    assert "Failed in the last build: 5" in index  # Both reports of the notebook `apples` are among them.
    assert "Not up to date" in index and "KeyError" in index
    assert not (project.places.reports / "dies.html").exists()
    executed = json.loads((project.places.failed / "apples.ipynb").read_text())
    assert executed["cells"][8]["outputs"][0]["ename"] == "KeyError"


@pytest.mark.parametrize("kernels", KINDS)
def test_a_cell_over_the_time_limit(project, kernels):
    project.report("slow", project.cells(project.code("import time\ntime.sleep(60)")))
    outcome = project.build("slow", timeout=1, kernels=kernels)
    assert "did not finish within the time limit of 1 s" in outcome.failed[0].text()
    assert "cell 8 of 10" in outcome.failed[0].text()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "for _ in range(2):\n    display(HTML('<table id=t></table>'))",
            "The id 't' stands in the page",
        ),
        ("display({'application/vnd.analysis.finding+json': finding | {'low': 1}}, raw=True)", "has another value"),
    ],
)
def test_what_cannot_be_shown_properly_fails(project, source, expected):
    project.report("bad", project.cells(project.code(source)))
    assert expected in project.build("bad").failed[0].text()


def test_invalid_parameters_are_refused_before_a_kernel_starts(project, monkeypatch):
    monkeypatch.setattr(
        "analysis._build.reports.build_plans", lambda *a, **k: pytest.fail("a kernel was about to start")
    )
    project.run_file("apples", "apples", pears=3)
    outcome = project.build()
    assert outcome.status == 1 and outcome.fresh == ["apples_five"]
    assert "no parameter 'pears': valid: apples, name" in outcome.failed[0].text()
    assert "notebooks/runs/apples.yml" in outcome.failed[0].text()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("notebok: apples\n", "key 'notebook' is missing"),
        ("notebook: aples\n", "no 'aples': did you mean 'apples'?"),
        ("notebook: apples\nparametres: {}\n", "unknown key 'parametres': did you mean 'parameters'?"),
        ("notebook: apples\nparameters: [1]\n", "key 'parameters': expected 'name: value' lines, found [1] (list)"),
        ("notebook: apples\nparameters:\n  apples: 1\n  apples: 2\n", "the key 'apples' stands there twice"),
        ("notebook: [\n", "not readable as YAML"),
        ("notebook: " + "[" * 3000, "not readable as YAML: maximum recursion depth exceeded"),
        (f"notebook: {'9' * 5000}\n", "not readable as YAML: Exceeds the limit"),
    ],
)
def test_run_file_errors_name_file_and_key(project, content, expected):
    path = project.places.runs / "wrong.yml"
    path.write_text(content)
    with pytest.raises(runfiles.RunFileError, match=r"notebooks/runs/wrong\.yml") as error:
        runfiles.read_run(path, project.places)
    assert expected in str(error.value)


def test_an_unknown_report_names_the_nearest(project):
    with pytest.raises(runfiles.UnknownReport, match="did you mean 'apples_five'"):
        project.build("aples_five")


def test_a_notebook_that_is_no_report_is_said_to_be_none_with_what_to_do(project):
    project.notebook("Untitled", project.cells())
    with pytest.raises(
        runfiles.UnknownReport, match=r"no report 'Untitled': Untitled.ipynb: no page, rename it: small"
    ):
        project.build("Untitled")


def test_a_full_disk_is_told_and_leaves_the_old_page(project, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("analysis._build.runs.output_files.write_whole", full)
    before = project.tree()
    outcome = project.build("apples", force=True)
    assert "No space left on device" in outcome.failed[0].text()
    assert str(project.places.root) not in outcome.failed[0].text()
    assert project.tree() == before


def test_the_report_that_took_longest_is_begun_first(project):
    both = sorted(path.stem for path in project.places.runs.glob("*.yml"))
    for last in (both, both[::-1]):
        project.places.pace.write_text(json.dumps({name: float(place) for place, name in enumerate(last)}))
        project.build(force=True, jobs=1)
        assert [line.split()[1] for line in project.lines if line.startswith("built")] == last[::-1]
    assert set(json.loads(project.places.pace.read_text())) == set(both)


def test_a_table_at_fault_is_to_be_put_right_and_no_run_file(project, monkeypatch):
    def of_a_broken_table(*given):
        raise UnusableTable("data/apples.csv, line 1: is UTF-16 text")

    monkeypatch.setattr("analysis._core.parameters.validate", of_a_broken_table)
    outcome = build_reports(places=project.places, say=project.lines.append)
    assert [str(failure.what) for failure in outcome.failed] == ["data/apples.csv, line 1: is UTF-16 text"] * 2
    assert "Next: put the table right" in project.said and "run file" not in project.said


def test_a_cell_that_meets_a_table_at_fault_says_so(project):
    project.report("bad", project.cells(project.code("class TableError(ValueError): ...\nraise TableError('x')")))
    project.build("bad")
    assert "TableError: x" in project.said and "put the table right, then: make reports/bad.html" in project.said


def test_the_page_of_a_run_file_that_is_gone_goes_too(project):
    reports = project.places.reports
    (reports / "mine.json").write_text("{}")
    (reports / "mine.html").write_text("mine")
    (project.places.runs / "apples_five.yml").unlink()
    assert project.build("apples").fresh == ["apples"]
    assert sorted(path.name for path in reports.iterdir() if path.is_file() and path != project.places.pace) == [
        "apples.html", "apples.json", "index.html", "mine.html", "mine.json"]  # fmt: skip
    assert [path.stem for path in project.places.pictures.iterdir()] == ["apples"]


@pytest.mark.parametrize("kernels", KINDS)
def test_no_kernel_of_a_build_reads_what_another_ran(project, kernels):
    code = """
import os, pathlib
assert not get_ipython().history_manager.enabled
assert not list(pathlib.Path(os.environ["IPYTHONDIR"]).rglob("*.sqlite"))
assert "rglob" in In[-1]  # Its own cells it has.
"""
    project.notebook("apples", project.cells(project.code(code, "hide-input")))
    assert project.build("apples", kernels=kernels).status == 0, project.said
