"""The rows behind a page: which edits of the real tables change their digests, and which do not."""

import hashlib
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analysis._core.paths import DATA
from analysis._tables import row_digests
from analysis._tables.catalog import Catalog

SHOWN = "llama2-70b"


@pytest.fixture(autouse=True)
def without_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANALYSIS_OFFICIAL", "off")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The tables, to be edited."""
    for file in (*DATA.glob("*.csv"), DATA / "datapackage.json"):
        shutil.copy(file, tmp_path)
    return tmp_path


def digests(folder: Path) -> dict[str, str]:
    """The digests behind a page that shows the results of one benchmark on one accelerator, and reads five tables."""
    data = Catalog(folder)
    rows = data.results[data.results["benchmark"].eq(SHOWN) & data.results["accelerator"].eq("H200 SXM")]
    assert len(data.prices) and len(data.sources) and len(data.accelerators) and len(data.benchmarks)
    behind = row_digests.rows_behind(data, [rows, pd.DataFrame()])
    assert data.results["id"][behind["results"]].tolist() == rows["id"].tolist()
    return {name: row_digests.digest(data, name, held) for name, held in behind.items()}


def edit(folder: Path, table: str, key: str, column: str, value: str) -> None:
    """Write another value into one cell; `key` is that of the first column."""
    rows = pd.read_csv(folder / f"{table}.csv", dtype="str", keep_default_na=False)
    at = rows.index[rows.iloc[:, 0].eq(key)]
    assert len(at) == 1 and rows.at[at[0], column] != value
    rows.at[at[0], column] = value
    rows.to_csv(folder / f"{table}.csv", index=False)


def keys(folder: Path, table: str, **where: str) -> list[str]:
    """What the first column holds in the rows where other columns are so."""
    rows = pd.read_csv(folder / f"{table}.csv", dtype="str", keep_default_na=False)
    return rows[(rows[list(where)] == pd.Series(where)).all(axis=1)].iloc[:, 0].tolist()


def test_the_tables_that_were_read_are_there_and_no_others(folder: Path) -> None:
    assert set(digests(folder)) == {"results", "prices", "sources", "accelerators", "benchmarks", "compatibility"}


def test_an_edit_of_a_row_that_the_page_does_not_reach_changes_no_digest(folder: Path) -> None:
    before = digests(folder)
    edit(folder, "results", keys(folder, "results", benchmark="retinanet")[0], "note", "seen again")
    edit(folder, "prices", keys(folder, "prices", accelerator="L40S")[0], "note", "seen again")
    edit(folder, "accelerators", "L40S", "note", "seen again")
    edit(folder, "benchmarks", "retinanet", "note", "seen again")
    edit(folder, "claims", keys(folder, "claims")[0], "note", "seen again")
    assert digests(folder) == before


@pytest.mark.parametrize(
    ("table", "where"),
    [
        ("results", {"benchmark": SHOWN, "accelerator": "H200 SXM"}),
        ("prices", {"accelerator": "H200 SXM"}),
        ("accelerators", {"accelerator": "H200 SXM"}),
        ("benchmarks", {"benchmark": SHOWN}),
    ],
)
def test_an_edit_of_a_row_that_the_page_reaches_changes_the_digest_of_its_table(
    folder: Path, table: str, where: dict[str, str]
) -> None:
    before = digests(folder)
    edit(folder, table, keys(folder, table, **where)[0], "note", "seen again")
    after = digests(folder)
    assert [name for name in after if after[name] != before[name]] == [table]


def test_a_new_row_that_the_page_shows_changes_the_digest(folder: Path) -> None:
    before = digests(folder)
    rows = pd.read_csv(folder / "results.csv", dtype="str", keep_default_na=False)
    copied = rows[rows["id"].isin(keys(folder, "results", benchmark=SHOWN, accelerator="H200 SXM", origin="published"))]
    new = copied.head(1).assign(id="new-row", locator="another place")
    pd.concat([rows, new]).to_csv(folder / "results.csv", index=False)
    after = digests(folder)
    assert [name for name in after if after[name] != before[name]] == ["results"]


def digest(rows: pd.DataFrame, *held: int) -> str:
    """The digest of the rows at these places, or of all, as a catalog that serves them has it."""
    served = SimpleNamespace(served={"rows": rows})
    return row_digests.digest(served, "rows", np.isin(np.arange(len(rows)), held or np.arange(len(rows))))


def test_the_order_of_rows_and_columns_does_not_count_and_every_value_does() -> None:
    rows = pd.DataFrame({"id": ["a", "b"], "low": [0.1 + 0.2, float("nan")], "note": ["x", "y\nz"]})
    assert digest(rows.iloc[::-1, ::-1]) == digest(rows)
    assert digest(rows.assign(low=[0.3, float("nan")])) != digest(rows)
    assert digest(rows.rename(columns={"low": "high"})) != digest(rows)
    assert digest(rows.head(1)) != digest(rows)


def test_a_row_counts_the_same_whichever_others_stand_beside_it() -> None:
    rows = pd.DataFrame({"id": list("dacb"), "low": [4.0, 1.0, float("nan"), 2.0]})
    assert digest(rows, 1, 3) == digest(rows.iloc[[3, 1]].reset_index(drop=True))
    assert len({digest(rows, *held) for held in [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]}) == 7


def test_cells_that_run_together_are_told_apart() -> None:
    one, other = (pd.DataFrame({"a": [a], "b": [b]}) for a, b in [("x", "yz"), ("xy", "z")])
    assert digest(one) != digest(other)


def test_digest_of_a_row_is_that_of_its_cells_as_text_behind_the_names_of_the_columns() -> None:
    rows = pd.DataFrame({"low": [0.5, float("nan")], "id": ["b", "a"], "ours": [True, False]})
    lines = ["b\x1f0.5\x1ftrue", "a\x1f\x1ffalse"]
    told = sorted(hashlib.sha256(f"id\x1flow\x1fours\n{line}".encode()).hexdigest() for line in lines)
    assert row_digests.row_digests(rows)["sha256"].tolist() == told
    assert digest(rows) == hashlib.sha256("".join(told).encode()).hexdigest()


def test_rows_of_a_table_without_any_have_no_digest() -> None:
    rows = pd.DataFrame({"id": pd.array([], dtype="str"), "low": pd.array([], dtype="float64")})
    assert row_digests.row_digests(rows).columns.tolist() == ["place", "sha256"]
    assert len(row_digests.row_digests(rows)) == 0
