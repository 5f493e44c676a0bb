"""What cells say in one line: parameters from the names of a notebook, in place and injected."""

import os
from hashlib import sha256

import nbformat
import papermill
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from analysis._core import parameters
from analysis._core.parameters import ParameterError
from analysis._core.paths import DATA, NOTEBOOKS
from analysis._display import notebook
from analysis._tables.catalog import Catalog

SPEEDUP, DERATING = "generational_speedup", "real_world_derating"


def cell_of(name):
    """The source of a notebook's parameters cell."""
    stored = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    return next(cell.source for cell in stored.cells if "parameters" in cell.metadata.get("tags", []))


def globals_of(name, **changed):
    """The globals of a notebook whose parameters cell ran, with values changed in place and names of its own."""
    names = {"pd": object(), "data": object()}
    exec(cell_of(name), names)
    return names | changed


def test_short_names_and_vendors_become_accelerators_for_the_cells_below():
    names = globals_of(SPEEDUP, baseline="H200", accelerators=["Apple"], rounds=[])
    asked = notebook.parameters_of(SPEEDUP, names)
    assert names["baseline"] == asked.baseline == "H200 SXM"
    assert names["accelerators"] == asked.accelerators == ["M1 Pro", "M1", "MacBookPro18,1"]


def test_a_later_change_of_a_list_in_the_notebook_does_not_reach_what_was_asked():
    names = globals_of(SPEEDUP)
    asked = notebook.parameters_of(SPEEDUP, names)
    names["rounds"].append("v9")
    assert asked.rounds == []


REFUSED = [
    (SPEEDUP, {"benchmark": "lama2-70b"}, "did you mean 'llama2-70b'"),
    (DERATING, {"derate": [0.8, 0.6]}, "derate: must be two numbers, low then high"),
]


@pytest.mark.parametrize(("name", "changed", "words"), REFUSED)
def test_what_the_model_refuses_is_refused_in_its_words(name, changed, words):
    with pytest.raises(ParameterError) as ours:
        notebook.parameters_of(name, globals_of(name, **changed))
    values = notebook.parameters_of(name, globals_of(name)).model_dump() | changed
    with pytest.raises(ParameterError) as models:
        parameters.validate(name, values)
    assert str(ours.value) == str(models.value)
    assert words in str(ours.value)


def test_parameters_without_a_value_are_named():
    names = globals_of(SPEEDUP)
    del names["baseline"], names["trust"]
    with pytest.raises(NameError, match="generational_speedup: no value for baseline, trust; each stands in the para"):
        notebook.parameters_of(SPEEDUP, names)


def test_a_notebook_may_ask_for_another_one_s_parameters():
    names = globals_of("explore")
    asked = notebook.parameters_of("explore", names)
    same = parameters.RealWorldDerating(**asked.model_dump(exclude={"usd_per_kilowatt_hour"}))
    assert notebook.parameters_of(DERATING, names) == same


def test_a_file_of_one_s_own_counts_as_read(tmp_path, monkeypatch):
    monkeypatch.setattr(Catalog, "read", [])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices.csv").write_text("accelerator;usd\nB200 SXM;2.5\n")
    assert notebook.read_csv("prices.csv", sep=";")["usd"].tolist() == [2.5]
    ((process, read),) = Catalog.read
    (path,) = read
    assert process == os.getpid() and (DATA / path).resolve() == tmp_path / "prices.csv"
    assert read[path] == sha256((tmp_path / "prices.csv").read_bytes()).hexdigest()


def test_injected_parameters_count(tmp_path):
    """In a real kernel, as papermill runs it: the injected cell stands behind the parameters cell."""
    cells = [
        new_code_cell(cell_of(SPEEDUP), metadata={"tags": ["parameters"]}),
        new_code_cell(
            "from analysis._display import notebook\n"
            f'asked = notebook.parameters_of("{SPEEDUP}", globals())\n'
            "print(asked.scenario, asked.accelerators, asked.baseline)"
        ),
    ]
    kernel = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}
    nbformat.write(new_notebook(cells=cells, metadata=kernel), tmp_path / "in.ipynb")
    given = {"scenario": "Server", "accelerators": ["L40S"]}
    ran = papermill.execute_notebook(tmp_path / "in.ipynb", None, given, progress_bar=False)
    assert ran.cells[-1].outputs[0].text == "Server ['L40S'] H100 SXM\n"
