"""The check of data/ against its one description: file, row, and column of each fault; the dictionary made from it."""

import copy
import json
import os
import shutil

import pandas as pd
import pytest

from analysis import tables
from analysis.paths import DATA
from analysis.recipes import check, descriptor
from analysis.recipes.descriptor import describe, readme

PACKAGE = {
    "name": "orchard",
    "resources": [
        {
            "name": "apples", "path": "apples.csv", "title": "Apples", "description": "One row each.", "hash": "",
            "traps": ["Sour ones are green."], "sources": [{"title": "a garden"}],
            "schema": {
                "primaryKey": ["id"], "intervals": [["low", "high"]],
                "foreignKeys": [{"fields": ["sort"], "reference": {"resource": "sorts", "fields": ["sort"]}},
                                {"fields": ["like"], "reference": {"resource": "", "fields": ["id"]}}],
                "fields": [
                    {"name": "id", "type": "string", "unit": "none", "description": "The key.",
                     "constraints": {"required": True, "unique": True, "pattern": "^a\\d+$"}},
                    {"name": "sort", "type": "string", "description": "One | two", "constraints": {"required": True}},
                    {"name": "like", "type": "string", "description": "Another apple."},
                    {"name": "low", "type": "number", "constraints": {"minimum": 0, "maximum": 500}},
                    {"name": "high", "type": "number", "constraints": {"exclusiveMinimum": 0}},
                    {"name": "seeds", "type": "integer", "constraints": {"notAbove": "most"}},
                    {"name": "most", "type": "integer"},
                    {"name": "ripe", "type": "boolean", "constraints": {"required": True}},
                    {"name": "picked", "type": "date"},
                ],
            },
        },
        {
            "name": "sorts", "path": "sorts.csv", "title": "Sorts", "description": "One row each.", "hash": "",
            "schema": {"primaryKey": ["sort"], "fields": [
                {"name": "sort", "type": "string"},
                {"name": "color", "type": "string", "constraints": {"enum": ["red", "green"]}}]},
        },
        {
            "name": "corrections", "path": "corrections.csv", "title": "Corrections", "description": "One row each.",
            "hash": "", "schema": {"primaryKey": ["key"], "fields": [
                {"name": name, "type": "string"} for name in ("table", "key", "column", "corrected", "reason")]},
        },
    ],
}  # fmt: skip
APPLES = "id,sort,like,low,high,seeds,most,ripe,picked\na1,pippin,,1,2,3,5,true,2026-09-01\na2,granny,a1,,,,,false,\n"
OTHER = {"sorts": "sort,color\npippin,red\ngranny,green\n",
         "corrections": "table,key,column,corrected,reason\napples,a1,low,1.5,a typo\n"}  # fmt: skip


@pytest.fixture
def orchard(tmp_path):
    """A data folder without a fault."""
    (tmp_path / descriptor.FILE).write_text(json.dumps(PACKAGE))
    for name, text in {"apples": APPLES, **OTHER}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    describe(tmp_path)
    return tmp_path


def test_a_sound_folder_has_none(orchard):
    assert check.faults(orchard) == []


FAULTS = {  # a row of apples.csv -> what is said of it
    "b3,pippin,,1,2,,,true,": "column id: 'b3' does not match ^a\\d+$",
    "a1,pippin,,1,2,,,true,": "column id: the key is duplicated",
    ",pippin,,1,2,,,true,": "column id: is missing",
    "a3,,,1,2,,,true,": "column sort: is missing",
    "a3,cox,,1,2,,,true,": "column sort: 'cox' is not in sorts",
    "a3,pippin,a3,1,2,,,true,": "column like: refers to its own row",
    "a3,pippin,,one,2,,,true,": "column low: 'one' is not of type number",
    "a3,pippin,,-1,2,,,true,": "column low: '-1.0' is below 0",
    "a3,pippin,,501,502,,,true,": "column low: '501.0' is above 500",
    "a3,pippin,,,0,,,true,": "column high: '0.0' is not above 0",
    "a3,pippin,,1e999,,,,true,": "column low: '1e999' is not of type number",
    "a3,pippin,,3,2,,,true,": "column low: is above high",
    "a3,pippin,,1,2,1.5,,true,": "column seeds: '1.5' is not of type integer",
    "a3,pippin,,1,2,6,5,true,": "column seeds: is above most",
    "a3,pippin,,1,2,,,yes,": "column ripe: 'yes' is not of type boolean",
    "a3,pippin,,1,2,,,true,1.9.2026": "column picked: '1.9.2026' is not of type date",
    "a3,=1+1,,1,2,,,true,": "column sort: '=1+1' starts like a spreadsheet formula",
    "a3,pip\x1bpin,,1,2,,,true,": "contains a control character",
}


def test_each_fault_is_named_with_file_row_and_column(orchard):
    rows = [row.replace("a3", f"a{place}") for place, row in enumerate(FAULTS, 4)]
    (orchard / "apples.csv").write_text(APPLES + "\n".join(rows) + "\n")
    describe(orchard)
    said = check.faults(orchard)
    for place, words in enumerate(FAULTS.values(), 4):
        lines = [line for line in said if line.startswith(f"apples.csv, row {place}, ")]
        assert any(words in line for line in lines), (place, said)
    assert not any(line.startswith(("apples.csv, row 2, ", "apples.csv, row 3, ")) for line in said)


def test_a_value_that_must_be_unique_is_found_twice(orchard):
    package = copy.deepcopy(PACKAGE)
    package["resources"][1]["schema"]["fields"][1]["constraints"]["unique"] = True
    (orchard / descriptor.FILE).write_text(json.dumps(package))
    (orchard / "sorts.csv").write_text(OTHER["sorts"] + "cox,red\n")
    describe(orchard)
    assert check.faults(orchard) == ["sorts.csv, row 4, column color: the key is duplicated"]


def test_other_files_and_references_are_checked_too(orchard):
    (orchard / "sorts.csv").write_text("sort,color\npippin,blue\n")
    describe(orchard)
    assert set(check.faults(orchard)) == {
        "apples.csv, row 3, column sort: 'granny' is not in sorts",
        "sorts.csv, row 2, column color: 'blue' is not one of red, green",
    }


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"sort\n", "has no column 'color'"),
        (b"color,sort\n", "has its columns in a different order"),
        (b"sort,color,shape\n", "has a column 'shape' that is not described"),
        (b'sort,color\n"a', "cannot be read"),
        (None, "cannot be read"),
        ("pipe", "is not a regular file"),
    ],
)
def test_a_file_that_is_no_such_table_is_named(orchard, content, words):
    path = orchard / "sorts.csv"
    path.unlink()
    os.mkfifo(path) if content == "pipe" else path.write_bytes(content) if content is not None else None
    said = check.faults(orchard)
    assert any(line.startswith("sorts.csv: ") and words in line for line in said), said


def test_an_edit_is_told_by_its_digest_and_nothing_is_written(orchard):
    path = orchard / "apples.csv"
    path.write_text(path.read_text().replace("pippin", "granny"))
    before = {file.name: file.read_bytes() for file in orchard.iterdir()}
    (only,) = check.faults(orchard)
    assert only.startswith("apples.csv: its sha256 does not match datapackage.json") and "analysis describe" in only
    assert {file.name: file.read_bytes() for file in orchard.iterdir()} == before


def test_a_correction_without_its_row_is_named(orchard):
    (orchard / "corrections.csv").write_text(OTHER["corrections"] + "apples,a9,low,2,why\n")
    describe(orchard)
    assert check.faults(orchard) == ["corrections.csv, row 3: apples has no row 'a9' with a column 'low'"]


def places(content, path=()):
    """Every place of a JSON content."""
    yield path
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def test_no_edit_of_the_descriptor_ends_in_a_traceback(orchard):
    """Each key taken away, and given each kind of value: the descriptor is fine with it, or the fault names a key."""
    edits = named = 0
    for path in places(PACKAGE):
        for value in (None, 5, True, "x", [], {}, [[]], ["x"], "(", "delete"):
            changed = copy.deepcopy(PACKAGE)
            holder = changed
            for step in path[:-1]:
                holder = holder[step]
            if not path:
                changed = value
            elif value == "delete":
                del holder[path[-1]]
            else:
                holder[path[-1]] = value
            (orchard / descriptor.FILE).write_text(json.dumps(changed))
            edits += 1
            try:
                descriptor.read_descriptor(orchard)
            except descriptor.DescriptorError as error:
                named += 1
                assert all(line.startswith("datapackage.json: ") for line in str(error).splitlines())
    assert edits > 1000 and named > 0.6 * edits


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("resources", 0, "schema", "fields", 3, "type"), "text", "key resources.apples.schema.fields.low.type: "),
        (("resources", 1, "path"), None, "key resources.sorts.path: "),
        (("resources", 0, "schema", "primaryKey"), ["name"], "names 'name', which is not a column"),
        (("resources", 0, "schema", "foreignKeys", 0, "reference", "resource"), "pears", "which does not exist"),
        (("resources", 0, "schema", "fields", 0, "constraints", "pattern"), "(", "is not a valid regular expression"),
        (("resources", 0, "schema", "fields", 0, "constraints", "max"), 5, "constraints.max: Extra inputs"),
    ],
)
def test_a_wrong_key_is_named_by_resource_and_column(orchard, path, value, words):
    changed = copy.deepcopy(PACKAGE)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    (orchard / descriptor.FILE).write_text(json.dumps(changed))
    assert any(words in line for line in check.faults(orchard))
    (orchard / descriptor.FILE).write_text("{")
    assert len(check.faults(orchard)) == 1
    (orchard / descriptor.FILE).write_text(json.dumps(PACKAGE)[:-1] + ', "name": "b"}')
    assert check.faults(orchard) == ["datapackage.json: cannot be read: the key 'name' is duplicated; expected once"]


def test_the_dictionary_has_a_row_per_column(orchard):
    text = readme(orchard)
    assert "| `sort` | string, required | none | One \\| two. |" in text and "- Sour ones are green." in text
    assert "| `seeds` | integer | none | . No more than `most`. |" in text
    assert "| `color` | string | none | . One of: `red`, `green`. |" in text and text.count("\n## ") == 3


def test_describe_changes_what_changed_alone(orchard):
    assert describe(orchard) == []
    (orchard / "sorts.csv").write_text(OTHER["sorts"] + "cox,red\n")
    assert describe(orchard) == [descriptor.FILE]
    (resource,) = [
        each for each in json.loads((orchard / descriptor.FILE).read_text())["resources"] if each["name"] == "sorts"
    ]
    assert resource["bytes"] == len(OTHER["sorts"]) + 8 and resource["hash"].startswith("sha256:")


def test_describe_replaces_an_edited_page_only_where_it_is_told_to(orchard):
    page, file = orchard / "README.md", orchard / descriptor.FILE
    made = page.read_text()
    file.write_text(file.read_text().replace("Sour ones are green", "Sweet ones are red"))
    assert describe(orchard) == [descriptor.FILE, "README.md"] and "Sweet ones are red" in page.read_text()
    page.write_text(made + "By hand.\n")
    (orchard / "sorts.csv").write_text(OTHER["sorts"] + "cox,red\n")
    before = file.read_bytes()
    with pytest.raises(ValueError, match=r"README.md: edited since `analysis describe`; .* --force replaces it"):
        describe(orchard)
    assert (page.read_text(), file.read_bytes()) == (made + "By hand.\n", before)
    assert describe(orchard, force=True) == [descriptor.FILE, "README.md"] and "By hand" not in page.read_text()
    assert describe(orchard) == []


def test_an_own_file_of_results_is_checked_row_by_row(tmp_path):
    record = tables.descriptor()["results"]
    rows = pd.read_parquet(DATA / "official" / "v6.1.parquet").head(3)
    rows.loc[1, "unit"], rows.loc[2, "low"] = "apples/s", 1e23
    found = check.cell_faults(rows, record)
    assert found.index.tolist() == [1, 2] and found[1].startswith("unit: 'apples/s' is not one of tokens/s")
    assert "low: '1e+23' is above" in found[2]


def test_an_own_file_that_contradicts_the_record_is_named(tmp_path):
    folder = shutil.copytree(DATA, tmp_path / "data", ignore=shutil.ignore_patterns("examples", "*-own.parquet"))
    rows = pd.read_parquet(folder / "official" / "v6.1.parquet").head(5)
    rows.loc[1, "submitter"], rows.loc[2, "low"], rows.loc[3, "origin"] = "Example Lab", 1.0, "measured"
    rows.loc[2, "high"], rows.loc[4, "id"] = 1.0, "o-new"
    rows.loc[4, ["location", "system"]] = ["closed/New/results/a/b/Offline", "a new system"]
    rows.to_parquet(folder / "official" / "v6.1-own.parquet")
    pd.read_parquet(folder / "official" / "v5.0.parquet").head(9).to_parquet(folder / "official" / "v5.0.parquet")
    first, *said = check.faults(folder)
    assert first.startswith("official/v5.0.parquet: its sha256 does not match") and "git checkout data/" in first
    assert len(said) == 3 and said[0].startswith("official/v6.1-own.parquet, row 2: Example Lab, ")
    assert f"but the record's {rows.at[1, 'id']} is" in said[0] and "row 3: " in said[1]
    assert said[2] == "official/v6.1-own.parquet, row 4: is not official"


def test_a_table_that_a_caller_changes_is_as_it_was_for_the_next():
    mine = tables.load("prices")
    mine["own"] = 1
    mine.loc[0, "provider"] = "changed"
    assert "own" not in tables.prices and tables.prices.loc[0, "provider"] != "changed"
