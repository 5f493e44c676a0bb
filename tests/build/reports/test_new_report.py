"""Starting a report: notebook and run file that are whole at once."""

import json
import shutil

import pytest
import yaml

from analysis._build import new_report
from analysis._build.runs.folders import Places
from analysis._core import paths
from analysis.cli import main


@pytest.fixture
def places(tmp_path):
    """A project with nothing but the template."""
    places = Places.under(tmp_path)
    places.runs.mkdir(parents=True)
    shutil.copy(paths.NOTEBOOKS / "_template.ipynb", places.notebooks)
    return places


def test_a_new_report_is_a_notebook_and_a_run_file(places):
    written = new_report.start("price_per_token", "What does a token cost?", places)
    assert written == ["notebooks/price_per_token.ipynb", "notebooks/runs/price_per_token.yml"]
    run = yaml.safe_load((places.root / written[1]).read_text("utf-8"))
    assert run == {"notebook": "price_per_token", "title": "Price per token", "parameters": {}}
    cells = json.loads((places.root / written[0]).read_text("utf-8"))["cells"]
    assert cells[0]["source"][0] == "# What does a token cost?\n"
    assert "_template" not in "".join("".join(cell["source"]) for cell in cells)


def test_it_differs_from_the_template_in_nothing_else(places):
    new_report.start("fastest", places=places)
    texts = [places.notebook(name).read_text("utf-8") for name in ("_template", "fastest")]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("name", "question", "said"),
    [
        ("index", "", "is no report's name"),
        ("a__b", "", "is no report's name"),
        ("_template", "", "is no report's name"),
        ("price", "What does it cost", "is no question"),
    ],
)
def test_what_cannot_be_a_report_is_refused(places, name, question, said):
    with pytest.raises(new_report.NotNew, match=said):
        new_report.start(name, question, places)
    assert [path.name for path in places.root.rglob("*.*") if path.is_file()] == ["_template.ipynb"]


def test_what_is_there_already_is_left_alone(places):
    (places.runs / "price.yml").write_text("mine")
    with pytest.raises(new_report.NotNew, match=r"notebooks/runs/price\.yml is there already"):
        new_report.start("price", places=places)
    assert not places.notebook("price").exists()


def test_the_command_says_what_is_wrong(capsys):
    assert main.main(["new-report", "power_efficiency"]) == 2
    assert "notebooks/power_efficiency.ipynb is there already" in capsys.readouterr().err
