"""What a report says of its sources: those of the rows shown, the tables used, the result ids, the parameters."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from pydantic import BaseModel

from analysis._core import mime
from analysis._display import provenance
from analysis._display.provenance import Provenance
from analysis._tables import row_digests
from analysis._tables.row_digests import SUBJECTS

EVIL = '<script>alert("1")</script><img src=x onerror=alert(1)>'
ROWS = pd.DataFrame({"source_id": ["s1", "s1"], "result_id": ["4.1-0002", ""]})
CLAIMS = pd.DataFrame({"source_id": ["s2"]})


class Asked(BaseModel):
    """One parameter."""

    apples: int = 3


@pytest.fixture
def catalog() -> Any:
    """Three sources, one of them hostile, and two tables used."""
    columns = ["id", "title", "publisher", "published", "license", "url"]
    sources = [
        ("s1", "Apples", "Us", "2024-08-28", "CC-BY", "https://example.org"),
        ("s2", EVIL, "", "", "free", ""),
        ("s3", "Not cited", "Us", "", "free", ""),
    ]
    table = pd.DataFrame(sources, columns=columns)
    described = SimpleNamespace(path="sources.csv", primary_key=["id"], foreign_keys=[])
    subjects = {name: SimpleNamespace(path="", primary_key=[name], foreign_keys=[]) for name in SUBJECTS}
    used = {"sources.csv": "22", "run.json": "11", "official/v5.1.parquet": "33"}
    return SimpleNamespace(
        sources=table, served={"sources": table}, tables={"sources": described} | subjects, used=used
    )


def bundle(catalog: Any, *rows: pd.DataFrame) -> dict[str, Any]:
    """The data of the output: what a stored one is compared by."""
    return Provenance(catalog, rows, Asked())._repr_mimebundle_()[0]


def test_only_sources_of_rows_shown_are_cited(catalog: Any) -> None:
    assert [source["id"] for source in bundle(catalog, ROWS)[mime.PROVENANCE]["sources"]] == ["s1"]
    assert [source["id"] for source in bundle(catalog, CLAIMS, ROWS)[mime.PROVENANCE]["sources"]] == ["s1", "s2"]


def test_rows_result_ids_and_parameters_are_recorded(catalog: Any) -> None:
    record = bundle(catalog, ROWS, ROWS.assign(result_id="4.1-0001"), CLAIMS)[mime.PROVENANCE]
    assert list(record) == ["rows", "sources", "result_ids", "parameters"]
    both = catalog.sources["id"].isin(["s1", "s2"]).to_numpy()
    assert record["rows"] == {
        "run.json": {"sha256": "11"},
        "sources.csv": {"count": 2, "sha256": row_digests.digest(catalog, "sources", both)},
    }
    assert record["result_ids"] == ["4.1-0001", "4.1-0002"]
    assert record["parameters"] == {"apples": 3}


def test_digests_of_whole_files_are_metadata(catalog: Any) -> None:
    """Stored outputs are compared by their data: an edit of a row that no page reaches must not show there."""
    data, metadata = Provenance(catalog, [ROWS], Asked())._repr_mimebundle_()
    assert metadata == {mime.PROVENANCE: {"tables": dict(sorted(catalog.used.items()))}}
    assert not any(digest in str(data[mime.PROVENANCE]) for digest in ("'22'", "'33'"))


def test_plain_text_names_source_rows_and_digest(catalog: Any) -> None:
    digest = row_digests.digest(catalog, "sources", catalog.sources["id"].eq("s1").to_numpy())
    assert bundle(catalog, ROWS)["text/plain"].splitlines() == [
        "Apples, Us, 2024-08-28, CC-BY",
        "run.json: sha256 11",
        f"sources.csv: 1 row, sha256 {digest}",
    ]


def test_markup_of_a_source_is_shown_not_run(catalog: Any) -> None:
    markup = bundle(catalog, CLAIMS)["text/html"]
    assert "<script" not in markup
    assert "<img" not in markup
    assert "&lt;script&gt;" in markup


def test_no_rows_cite_nothing(catalog: Any) -> None:
    assert bundle(catalog, ROWS.head(0), pd.DataFrame())[mime.PROVENANCE]["sources"] == []


def test_provenance_is_displayed(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Provenance] = []
    monkeypatch.setattr(provenance, "display", shown.append)
    provenance.show(catalog, [ROWS], Asked())
    assert [output.result_ids for output in shown] == [["4.1-0002"]]


def test_source_line_names_each_source_of_the_rows_once(catalog: Any) -> None:
    assert provenance.source_line(catalog, ROWS, ROWS) == "Sources: Apples."
    assert provenance.source_line(catalog, ROWS, pd.DataFrame()) == "Sources: Apples."


def test_source_line_of_nothing_says_so(catalog: Any) -> None:
    assert provenance.source_line(catalog, ROWS.head(0)) == "No sources: nothing is drawn."
    assert provenance.source_line(catalog) == "No sources: nothing is drawn."
