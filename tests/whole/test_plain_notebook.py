"""A plain notebook, written by someone who knows pandas and seaborn only: a page by each of three ways."""

import json
from concurrent.futures import ThreadPoolExecutor

import nbformat
import papermill
import pytest
from nbconvert.nbconvertapp import NbConvertApp
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from analysis._build.reports import build_reports
from analysis._build.runs import runfiles
from analysis._build.runs.folders import Places
from analysis._core import parameters
from analysis._core.paths import DATA, LOCK, ROOT

CHART = """import matplotlib.pyplot as plt
import seaborn as sns

best = rows.groupby("accelerator", as_index=False)["tokens_per_second_per_accelerator"].max()
sns.barplot(best, x="tokens_per_second_per_accelerator", y="accelerator")
plt.show()"""
LOAD = """from analysis import comparable, load_results

results = load_results()
rows = comparable(results, benchmark="llama2-70b", scenario=scenario, rounds=rounds)
rows[["accelerator", "submitter", "tokens_per_second_per_accelerator"]]"""


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A project with this package, these tables, and one notebook without a run file."""
    for name, there in (("data", DATA), ("src", ROOT / "src"), (LOCK.name, LOCK)):
        (tmp_path / name).symlink_to(there)
    (tmp_path / "notebooks" / "runs").mkdir(parents=True)
    cells = [
        new_markdown_cell("# Throughput by vendor\n\nWith $x = \\frac{a}{b}$, and no question."),
        new_code_cell('rounds = ["v5.1"]\nscenario = "Offline"', metadata={"tags": ["parameters"]}),
        new_code_cell(LOAD),
        new_markdown_cell("#### A heading that skips levels"),
        new_code_cell(CHART),
        new_code_cell("import warnings\n\nwarnings.warn('<b>careful</b>')\nprint('done')"),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(new_notebook(cells=cells, metadata=kernel), tmp_path / "notebooks" / "plain.ipynb")
    monkeypatch.setattr(parameters, "NOTEBOOKS", tmp_path / "notebooks")
    return Places.under(tmp_path)


def test_the_engine_makes_a_page_of_it(places):
    said = []
    assert build_reports(places=places, say=said.append).built == ["plain"], said
    page = (places.reports / "plain.html").read_text("utf-8")
    stated = json.loads((places.reports / "plain.json").read_text("utf-8"))
    assert "<h1>Throughput by vendor</h1>" in page and "<mfrac>" in page and "<h2 id=" in page
    assert '<table class="cells"><thead>' in page and 'download="table.csv"' in page
    assert 'alt="Figure: A heading that skips levels"' in page
    assert "done" in page and "&lt;b&gt;careful&lt;/b&gt;" in page
    assert stated["parameters"] == {"rounds": ["v5.1"], "scenario": "Offline"}
    assert {"results.csv", "official/v5.1.parquet"} <= set(stated["provenance"]["tables"])
    assert "src/analysis/results.py" in stated["inputs"]
    assert [line for line in said if line.startswith("hint")] == [
        "hint    plain: 1 of 1 figures have no alt text (report.figure writes one)",
        "hint    plain: a cell wrote to stderr: the page shows it",
    ]


def test_a_run_file_may_set_its_parameters_and_no_others(places):
    run = places.runs / "mine.yml"
    run.write_text("notebook: plain\nparameters: {rounds: [v6.0]}\n", "utf-8")
    assert sorted(build_reports(places=places, say=lambda _: None).built) == ["mine", "plain"]
    run.write_text("notebook: plain\nparameters: {round: [v6.0]}\n", "utf-8")
    said = []
    assert build_reports(places=places, say=said.append).status == 1
    assert "no parameter 'round': did you mean 'rounds'" in "\n".join(said)


def test_a_run_file_of_the_notebook_s_name_states_its_page(places):
    (places.runs / "plain.yml").write_text("notebook: plain\ntitle: As asked\n", "utf-8")
    assert [(name, path.suffix) for name, path in runfiles.run_files(places).items()] == [("plain", ".yml")]


def test_a_notebook_without_a_tagged_cell_says_how_to_take_parameters(places):
    notebook = nbformat.read(places.notebook("plain"), as_version=4)
    notebook.cells[1].metadata = {}
    nbformat.write(notebook, places.notebook("plain"))
    (places.runs / "mine.yml").write_text("notebook: plain\nparameters: {rounds: [v6.0]}\n", "utf-8")
    said = []
    assert build_reports(["mine"], places=places, say=said.append).status == 1
    assert "plain: no parameter 'rounds': the notebook has no cell tagged `parameters`" in "\n".join(said)
    assert "JupyterLab: gear at the top right, Common Tools, Cell Tags" in "\n".join(said)
    assert "Next: put right what is named above, then: make reports/mine.html" in "\n".join(said)


def test_papermill_alone_executes_it(places, tmp_path):
    out = tmp_path / "executed.ipynb"
    papermill.execute_notebook(
        str(places.notebook("plain")), str(out), {"rounds": ["v6.0"]}, progress_bar=False, log_output=False
    )
    assert "B300 SXM" in out.read_text("utf-8")


def test_nbconvert_alone_executes_it(places, tmp_path):
    asked = ["--execute", "--to", "html", "--output-dir", str(tmp_path), str(places.notebook("plain"))]
    with ThreadPoolExecutor(1) as thread:  # which has no event loop, as that of a browser's tests has
        thread.submit(NbConvertApp.launch_instance, asked).result()
    assert "B200 SXM" in (tmp_path / "plain.html").read_text("utf-8")
