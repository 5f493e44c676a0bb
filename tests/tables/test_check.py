"""The check of a whole data folder: every fault of every table, and nothing changed; the dictionary made from it."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from analysis._core.paths import DATA
from analysis._tables import check, descriptor, dictionary


@pytest.fixture
def sound(package):
    """The package of apples with its hashes put right."""
    path = package / "datapackage.json"
    text = path.read_text("utf-8").replace('"type": ', '"unit": "none", "description": "A cell", "type": ')
    path.write_text(text, encoding="utf-8")
    dictionary.describe(package)
    return package


def faults(folder):
    return [str(fault) for fault in check.faults(folder)]


def append(folder, name, *rows):
    """Add rows to a table and put the hashes right."""
    path = folder / f"{name}.csv"
    path.write_text(path.read_text("utf-8") + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    dictionary.describe(folder)


def test_own_tables_have_no_faults():
    assert faults(DATA) == []


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A folder with a copy of the project's tables that was checked, data/, and what is kept of that, kept/."""
    root = tmp_path_factory.mktemp("once")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("analysis._core.paths.tables_cache", lambda data: root / "kept")
        assert faults(Path(shutil.copytree(DATA, root / "data"))) == []
    return root


@pytest.fixture
def checked(once, tmp_path, monkeypatch):
    """A copy of the project's tables that was checked once, with a place of its own for what is kept."""
    root = Path(shutil.copytree(once, tmp_path / "checked"))
    monkeypatch.setattr("analysis._core.paths.tables_cache", lambda data: root / "kept")
    return root / "data"


@pytest.mark.parametrize("reader", ["official_rows", "loading"])
def test_what_was_checked_is_not_read_again(checked, monkeypatch, reader):
    monkeypatch.setattr(f"analysis._tables.{reader}.load", lambda *_: pytest.fail("a file was read that was checked"))
    assert faults(checked) == []


def test_an_edited_file_of_the_record_is_told_whatever_was_kept(checked):
    shipped = checked / "official" / "v4.1.parquet"
    pd.read_parquet(shipped).iloc[1:].to_parquet(shipped)
    told = faults(checked)
    assert told and all(fault.startswith("official/v4.1.parquet: ") for fault in told)


def test_changed_table_is_told_by_its_hash(sound):
    path = sound / "apples.csv"
    path.write_text(path.read_text("utf-8").replace("sour", "ripe"), encoding="utf-8")
    (only,) = faults(sound)
    assert only.startswith("apples.csv: its sha256 is not the one in datapackage.json")
    assert "analysis describe" in only


def test_faults_of_every_table_are_told(sound):
    append(sound, "apples", "a3,granny,,,,lb,,,true,")
    append(sound, "sorts", "pippin,blue,")
    assert faults(sound) == [
        "sorts.csv, row 4, column color: 'blue' is not one of red, green",
        "apples.csv, row 4, column unit: 'lb' is not one of g, kg",
    ]


def test_correction_to_what_is_not_acceptable_is_told(sound):
    append(sound, "corrections", "apples,a1,unit,g,lb,why")
    (only,) = faults(sound)
    assert "'lb' is not one of g, kg" in only


def test_broken_descriptor_is_the_only_fault(sound):
    (sound / "datapackage.json").write_text("{", encoding="utf-8")
    (only,) = faults(sound)
    assert only.startswith("datapackage.json")


def test_check_changes_nothing(sound):
    (sound / "apples.csv").write_bytes(b"\xff")
    before = {path.name: path.read_bytes() for path in sound.iterdir()}
    assert faults(sound)
    assert {path.name: path.read_bytes() for path in sound.iterdir()} == before


def test_describe_sets_hash_and_size(sound):
    (sound / "sorts.csv").write_bytes(b"abc")
    dictionary.describe(sound)
    about = json.loads((sound / "datapackage.json").read_text("utf-8"))["resources"][0]
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert (about["bytes"], about["hash"]) == (3, f"sha256:{digest}")
    assert descriptor.read_tables(sound)["sorts"].hash == digest


def test_dictionary_has_a_row_per_column_and_escapes_the_bar(sound):
    path = sound / "datapackage.json"
    path.write_text(path.read_text("utf-8").replace('"A cell"', '"One | two"', 1), encoding="utf-8")
    text = dictionary.readme(sound)
    assert "| `sort` | string, required | none | One \\| two. |" in text
    assert "| `unit` | string, required | none | A cell. One of: `g`, `kg`. |" in text
    assert "| `note` | string | none | A cell. |" in text
    assert text.count("\n## ") == 3


def test_own_dictionary_is_up_to_date():
    assert (DATA / "README.md").read_text("utf-8") == dictionary.readme(), "run `make describe`"
