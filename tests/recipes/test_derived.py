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
        (data / name).write_text("changed in the meantime")
        return ROWS

    if name == "two.csv":
        monkeypatch.setitem(derived.TABLES, "two", (save, None))
    else:
        measured = descriptor._measured
        monkeypatch.setattr(descriptor, "_measured", lambda folder: (measured(folder), save())[0] | {"title": "new"})
    assert main.main(["data"]) == 1
    assert (data / name).read_text() == "changed in the meantime"
    assert f"{name}: was changed in the meantime and was not replaced" in capsys.readouterr().err
    assert not list(data.glob(".*"))


def test_the_tables_of_the_project_are_those_that_are_shipped():
    assert all((DATA / f"{name}.csv").is_file() and name in tables.descriptor() for name in derived.TABLES)


def test_burst_factors_are_of_each_pair_of_limits(monkeypatch):
    pair = lambda *limits: pd.DataFrame([limits], columns=["tpot_ms", "ttft_ms"])  # noqa: E731
    monkeypatch.setattr(derived.bursts, "simulated", pair)
    shipped = tables.load("burst_factors")[["tpot_ms", "ttft_ms"]].drop_duplicates()
    assert (derived.burst_factors().to_numpy() == shipped.to_numpy()).all()


def test_the_method_prints_the_errors_of_carrying():
    """The classes of data/carry_errors.csv, and the share of each benchmark's tests that its range holds."""
    text = " ".join((DATA.parent / "docs" / "method.md").read_text("utf-8").split())
    errors = pd.read_csv(DATA / "carry_errors.csv", keep_default_na=False).set_index(["benchmark", "latency_limit"])
    models = errors[errors["language_model"]].drop(columns="language_model")
    offline, limited = models.loc[("", False)], models.loc[("", True)]
    assert f"In {offline['tests'] + limited['tests']:.0f} tests on language models" in text
    assert f"Offline {offline['median']:.1%} and {offline['p90']:.1%}, under a latency limit" in text
    assert f"under a latency limit {limited['median']:.1%} and {limited['p90']:.1%}; in" in text
    labels = {"": "all language models", **tables.benchmarks.set_index("benchmark")["label"]}
    held = models["held"].unstack()
    missing = [
        name for name, row in held.iterrows() if f"{labels[name]} | {row[False]:.0%}, {row[True]:.0%} |" not in text
    ]
    assert missing == []
