"""The tables computed from others: made anew whole, and never over an edit that nobody said to replace."""

import json

import pandas as pd
import pytest

from analysis import tables
from analysis.cli import main
from analysis.paths import DATA
from analysis.recipes import derived, descriptor

ROWS = pd.DataFrame({"id": ["a"], "held": [True], "number": [0.123456]})


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A data folder of two derived tables, as described; the second one's function may be set."""
    fields = [{"name": name, "type": "string"} for name in ROWS]
    resources = [
        {
            "name": name,
            "path": f"{name}.csv",
            "title": "T",
            "description": "D",
            "hash": "",
            "schema": {"fields": fields},
        }
        for name in ("one", "two")
    ]
    (tmp_path / descriptor.FILE).write_text(json.dumps({"name": "data", "resources": resources}))
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("old")
    monkeypatch.setattr(derived, "TABLES", {"one": (lambda: ROWS, "%.2f"), "two": (lambda: ROWS, None)})
    monkeypatch.setattr(derived, "DATA", tmp_path)
    monkeypatch.setattr(descriptor.describe, "__defaults__", (tmp_path,))
    descriptor.describe()
    return tmp_path


def test_each_is_made_anew_and_described(data, capsys):
    assert main.main(["data"]) == 0
    assert (data / "one.csv").read_text() == "id,held,number\na,true,0.12\n" and "0.123456" in (
        data / "two.csv"
    ).read_text()
    assert capsys.readouterr().out.splitlines() == ["data/one.csv", "data/two.csv", "changed: datapackage.json"]
    (data / "two.csv").unlink()
    assert main.main(["data"]) == 0 and (data / "two.csv").exists()


def test_an_edit_is_replaced_only_where_it_is_told_to(data, capsys):
    (data / "two.csv").write_text("edited")
    assert main.main(["data"]) == 2
    assert "data/two.csv: edited since `analysis describe`; --force" in capsys.readouterr().err
    assert [(data / f"{name}.csv").read_text() for name in ("one", "two")] == ["old", "edited"]
    assert main.main(["data", "--force"]) == 0 and "edited" not in (data / "two.csv").read_text()


@pytest.mark.parametrize("name", ["two.csv", descriptor.FILE, "README.md"])
def test_what_is_saved_while_it_is_computed_is_kept(data, monkeypatch, capsys, name):
    def save():
        (data / name).write_text("saved meanwhile")
        return ROWS

    if name == "two.csv":
        monkeypatch.setitem(derived.TABLES, "two", (save, None))
    else:
        measured = descriptor._measured
        monkeypatch.setattr(descriptor, "_measured", lambda folder: (measured(folder), save())[0] | {"title": "new"})
    assert main.main(["data"]) == 1
    assert (data / name).read_text() == "saved meanwhile"
    assert f"{name}: was saved meanwhile; that is kept" in capsys.readouterr().err
    assert not list(data.glob(".*"))


def test_the_tables_of_the_project_are_those_that_are_shipped():
    assert all((DATA / f"{name}.csv").is_file() and name in tables.descriptor() for name in derived.TABLES)


def test_burst_factors_are_of_each_pair_of_limits(monkeypatch):
    pair = lambda *limits: pd.DataFrame([limits], columns=["tpot_ms", "ttft_ms"])  # noqa: E731
    monkeypatch.setattr(derived.bursts, "simulated", pair)
    shipped = tables.load("burst_factors")[["tpot_ms", "ttft_ms"]].drop_duplicates()
    assert (derived.burst_factors().to_numpy() == shipped.to_numpy()).all()
