"""The code in README.md and docs/notebooks.md: run in order, as the cells of a notebook, and held to what it says."""

import re

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest
import yaml

from analysis._build.runs import runfiles
from analysis._build.runs.folders import Places
from analysis._core import mime, parameters
from analysis._core.paths import NOTEBOOKS, ROOT

GUIDE, README = ROOT / "docs" / "notebooks.md", ROOT / "README.md"


def blocks(page, language):
    """The blocks of code of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def stored_value(notebook, name):
    """The value of a finding that the outputs of a shipped notebook hold."""
    cells = nbformat.read(NOTEBOOKS / f"{notebook}.ipynb", as_version=4).cells
    told = [output.get("data", {}).get(mime.FINDING) for cell in cells for output in cell.get("outputs", [])]
    (value,) = [finding["low"] for finding in told if finding and finding["name"] == name]
    return value


@pytest.fixture
def shown(monkeypatch):
    """What is displayed, where no figure is left open, as in a kernel behind each cell: seaborn would draw into it."""
    plt.close("all")
    displayed = []
    show = lambda value, *_, **__: displayed.append(value)  # noqa: E731
    monkeypatch.setattr("analysis.report.display", show)
    monkeypatch.setattr("analysis.charts.style.display", show)
    return displayed


def test_the_snippets_of_the_guide_run_in_order(tmp_path, monkeypatch, shown):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_prices.csv").write_text(*blocks(GUIDE, "csv"), "utf-8")
    names = {}
    for number, code in enumerate(blocks(GUIDE, "python"), start=1):
        exec(compile(code, f"snippet {number} of notebooks.md", "exec"), names)
    assert names["ratio"] == pytest.approx(stored_value("generational_speedup", "fastest"), rel=1e-8)
    assert "3.3x H100" in GUIDE.read_text("utf-8") and round(names["ratio"], 1) == 3.3
    lead = names["lead"]["per_accelerator_high"]
    assert lead == pytest.approx(stored_value("overview", "fastest_available"), rel=1e-8)
    assert set(names["both"]["vendor"]) == {"AMD", "NVIDIA"}
    assert names["priced"]["gpu"].tolist() == ["MI355X", "B300"]
    assert names["priced"]["usd_per_million_tokens"].between(0.01, 1).all()
    assert len(pd.read_parquet("rows.parquet")) == len(names["rows"]) > len(pd.read_csv("shown.csv")) > 3
    assert len(shown) == 3  # headline, finding, figure: the table is the value of its cell


def test_the_run_files_that_are_shown_are_valid(tmp_path):
    """Of a notebook `mine` with the parameter that the guide adds, beside those that are shipped."""
    folder = tmp_path / "notebooks"
    (folder / "runs").mkdir(parents=True)
    (declared,) = [code for code in blocks(GUIDE, "python") if code.startswith("users: int")]
    cell = nbformat.v4.new_code_cell(declared, metadata={"tags": ["parameters"]})
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / "mine.ipynb")
    for path in NOTEBOOKS.glob("*.ipynb"):
        (folder / path.name).symlink_to(path)
    places, asked = Places.under(tmp_path), {}
    for content in [*blocks(README, "yaml"), *blocks(GUIDE, "yaml")]:
        path = tmp_path / re.match(r"# (notebooks/runs/\w+\.yml)", content)[1]
        path.write_text(content, "utf-8")
        run = runfiles.read_run(path, places)
        assert run.parameters == yaml.safe_load(content)["parameters"]
        asked[run.report] = parameters.validate(run.notebook, run.parameters, folder)
    assert asked["mine_many_users"] == {"users": 1000}
    assert {"MI355X", "B300 SXM"} < set(asked["two_vendors"]["accelerators"])
    assert asked["price_2026"]["prices"][0] == "H100 SXM=2.5-3"


def test_the_quick_start_ranks_accelerators():
    names = {}
    *lines, last = blocks(README, "python")[0].strip().splitlines()
    exec("\n".join(lines), names)
    ranked = eval(last, names)
    assert ranked.is_monotonic_increasing and ranked.index[-1] in {"GB300", "B300 SXM", "MI355X"} and len(ranked) > 9


def test_the_guide_names_the_notebooks_that_take_no_accelerators(shipped):
    names = [path.stem for path in shipped if path.suffix == ".ipynb" and not path.stem.startswith("_")]
    without = [name for name in names if "accelerators" not in parameters.model_for(name).model_fields]
    (listed,) = re.findall(r"All but (.+?) take\s+`accelerators`", GUIDE.read_text("utf-8"), flags=re.DOTALL)
    assert re.findall(r"`(\w+)`", listed) == sorted(without)
