"""Freshness: digests decide, timestamps never do."""

import json
import os
import subprocess
import sys
from contextlib import nullcontext

import pytest

from analysis._build.reports import build_reports
from analysis._build.runs import freshness, modules
from analysis._core.file_contents import sha256


def reasons(project):
    """Why each report is stale, None where it is fresh, without building anything."""
    from analysis._build.reports import Outcome, plan_reports
    from analysis._build.runs.runfiles import run_files

    plans = plan_reports(run_files(project.places), project.places, Outcome())
    return {plan.run.report: plan.reason for plan in plans}


def test_the_same_again_is_fresh(project):
    for path in project.places.root.rglob("*"):
        os.utime(path, (1, 1))
    before = project.tree()
    outcome = project.build()
    assert sorted(outcome.fresh) == ["apples", "apples_five"] and not outcome.built
    assert project.tree() == before


def test_a_parameter_edit_rebuilds_that_report_only(project):
    project.run_file("apples_five", "apples", apples=6)
    outcome = project.build()
    assert outcome.fresh == ["apples"] and outcome.built == ["apples_five"]
    assert "parameter apples changed" in project.said
    assert "Ann has 12 apples." in project.page("apples_five")


def test_stored_outputs_do_not_count(project):
    path = project.places.notebook("apples")
    content = json.loads(path.read_text())
    for cell in content["cells"]:
        cell["metadata"]["anything"] = 1
        if cell["cell_type"] == "code":
            cell |= {"execution_count": 9, "outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}]}
    path.write_text(json.dumps(content))
    assert set(reasons(project).values()) == {None}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("data/apples.csv", "basket,apples\n1,4\n", "data/apples.csv changed"),
        ("src/toy/sums.py", "def double(x):\n    return x + x\n", "src/toy/sums.py changed"),
        ("requirements.lock", "# another\n", "requirements.lock changed"),
        ("reports/apples.html", "<p>edited</p>", "apples.html changed"),
        ("reports/apples.json", "{}", "its JSON changed"),
    ],
)
def test_an_edit_is_noticed(project, name, content, reason):
    (project.places.root / name).write_text(content)
    assert reasons(project)["apples"] == reason


@pytest.mark.parametrize("name", ["reports/apples.html", "src/toy/sums.py"])
def test_a_missing_file_is_noticed(project, name):
    (project.places.root / name).unlink()
    assert reasons(project)["apples"] == f"{name.removeprefix('reports/')} is gone"


def test_an_edit_of_a_file_outside_the_data_is_noticed(project, tmp_path):
    """A file that a parameter names by its whole path is an input of the page, as those of data/ are."""
    file = tmp_path / "requests.csv"
    for content in ("1", "2"):
        file.write_text(content)
        assert freshness.current([f"data/{file}"], project.places) == {f"data/{file}": sha256(content)}


def test_a_file_of_one_s_own_goes_by_its_name_in_the_project(project):
    """The notebook states its path from data/, as report.read_csv does."""
    (project.places.notebooks / "mine.csv").write_text("1")
    (project.places.root.parent / "else.csv").write_text("0")
    tables = {"../notebooks/mine.csv": sha256("1"), "../../else.csv": sha256("0")}
    shown = {"tables": tables, "sources": [], "result_ids": []}
    stated = f"display({{'application/vnd.analysis.provenance+json': {shown!r}}}, raw=True)"
    project.notebook("apples", [*project.cells(), project.code(stated)])
    project.build("apples")
    record = project.record("apples")
    assert record["inputs"]["notebooks/mine.csv"] == record["provenance"]["tables"]["notebooks/mine.csv"] == sha256("1")
    assert "data/../../else.csv" in record["inputs"] and "<li>notebooks/mine.csv <code>" in project.page("apples")
    (project.places.notebooks / "mine.csv").write_text("2")
    assert reasons(project)["apples"] == "notebooks/mine.csv changed"


def test_an_edited_notebook_and_another_python_are_noticed(project, monkeypatch):
    monkeypatch.setattr(freshness, "PYTHON", "3.99")
    assert reasons(project)["apples"] == f"Python {sys.version_info.major}.{sys.version_info.minor} then, 3.99 now"
    monkeypatch.undo()
    project.notebook("apples", project.cells(project.code("1 + 1")))
    assert reasons(project)["apples"] == "notebooks/apples.ipynb changed"


def test_a_finding_edited_by_hand_is_noticed(project):
    path = project.places.reports / "apples.json"
    path.write_text(path.read_text().replace('"low": 6', '"low": 60'))
    assert reasons(project)["apples"] == "its JSON changed"


@pytest.mark.parametrize("wrong", ["NaN", "[" * 100_000 + "]" * 100_000])
def test_a_record_that_no_build_writes_is_noticed(project, wrong):
    path = project.places.reports / "apples.json"
    path.write_text(path.read_text().replace('"low": 6', f'"low": {wrong}'))
    assert reasons(project)["apples"] == "its JSON changed"


@pytest.mark.parametrize("half", ['{"cells": [{"cell_type": "code", "source": ""}]}', '{"cells": [1]}'])
def test_a_notebook_that_is_saved_by_halves_has_no_digest(tmp_path, half):
    (tmp_path / "own.ipynb").write_text(half)
    assert freshness.notebook_sha256(tmp_path / "own.ipynb") is None


INSIDE = ("function", "klass", "tried", "failed", "otherwise", "lastly", "held", "looped", "chosen", "matched")
IN_BLOCKS = """
def outer():
    def inner():
        import a.inside.function
class Some:
    from a.inside import klass
try:
    import a.inside.tried
except ImportError:
    import a.inside.failed
else:
    import a.inside.otherwise
finally:
    import a.inside.lastly
with x:
    import a.inside.held
for y in x:
    while y:
        import a.inside.looped
if y:
    pass
elif x:
    import a.inside.chosen
match y:
    case 1:
        import a.inside.matched
"""


def test_modules_are_reached_through_every_kind_of_import(tmp_path):
    files = {
        "a/__init__.py": "from a import b",
        "a/b.py": "from . import c\nfrom .d.e import x",
        "a/c.py": "import json",
        "a/d/__init__.py": "",
        "a/d/e.py": "import a.f as g",
        "a/f.py": IN_BLOCKS,
        **{f"a/inside/{name}.py": "" for name in INSIDE},
        "a/d/page.js": "",
        "a/d/page.txt": "",
        "a/unused.py": "",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    reached = modules.reached(["def broken(", "import a.b"], tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in reached] == sorted(
        set(files) - {"a/unused.py", "a/d/page.txt"}
    )


def test_a_run_without_work_imports_nothing_heavy(project):
    program = f"""
import psutil, sys
from pathlib import Path
from analysis._build.runs.folders import Places
from analysis._build.reports import build_reports
outcome = build_reports(places=Places.under(Path({str(project.places.root)!r})), say=lambda line: None)
assert len(outcome.fresh) == 2, outcome
heavy = {{"papermill", "nbconvert", "nbformat", "nbclient", "pandas", "matplotlib", "IPython"}} & set(sys.modules)
assert not heavy, heavy
assert not psutil.Process().children()
"""
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ | {"PYTHONPATH": ":".join(sys.path)})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kernels are forked on Linux only")
@pytest.mark.parametrize("edited", [True, False])
def test_libraries_load_while_parameters_are_validated_where_a_build_is_certain(project, monkeypatch, edited):
    if edited:
        (project.places.reports / "apples.json").unlink()
    started, seen = [], []
    monkeypatch.setattr("analysis._build.reports.Kernels", lambda *given: nullcontext(started.append(given)))

    def validate(*given):
        seen.append(bool(started))
        raise ValueError("none will do")

    monkeypatch.setattr("analysis._core.parameters.validate", validate)
    build_reports(places=project.places, say=lambda line: None)
    assert seen == [edited] * 2


def test_a_build_loads_nothing_of_jupyter_s_that_it_does_not_use():
    program = """
import sys
from analysis._build.make import light_import
light_import.import_jupyter()
from analysis._build.make import build
from analysis._build.page import export
export.load()
heavy = {"rfc3987_syntax", "pyarrow", "pandas"} & set(sys.modules)
assert not heavy, heavy
import pyarrow.parquet, rfc3987_syntax  # and both can be had by whoever wants them
"""
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ | {"PYTHONPATH": ":".join(sys.path)})
