"""What a report says of its sources: those of the rows shown, the tables used, the result ids, the parameters."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from pydantic import BaseModel

from analysis.show import provenance
from analysis.show.provenance import MIME, Provenance

EVIL = '<script>alert("1")</script><img src=x onerror=alert(1)>'
ROWS = pd.DataFrame({"source_id": ["s1", "s1"], "result_id": ["4.1-0002", ""]})
CLAIMS = pd.DataFrame({"source_id": ["s2"]})


class Asked(BaseModel):
    """One parameter."""

    apples: int = 3


@pytest.fixture
def catalog() -> Any:
    """Three sources, one of them hostile, and two tables used."""
    columns = ["id", "title", "publisher", "published", "licence", "url"]
    sources = [
        ("s1", "Apples", "Us", "2024-08-28", "CC-BY", "https://example.org"),
        ("s2", EVIL, "", "", "free", ""),
        ("s3", "Not cited", "Us", "", "free", ""),
    ]
    return SimpleNamespace(sources=pd.DataFrame(sources, columns=columns), used={"b.csv": "22", "a.csv": "11"})


def bundle(catalog: Any, *rows: pd.DataFrame) -> dict[str, Any]:
    return Provenance(catalog, rows, Asked())._repr_mimebundle_()


def test_only_sources_of_rows_shown_are_cited(catalog: Any) -> None:
    assert [source["id"] for source in bundle(catalog, ROWS)[MIME]["sources"]] == ["s1"]
    assert [source["id"] for source in bundle(catalog, CLAIMS, ROWS)[MIME]["sources"]] == ["s1", "s2"]


def test_tables_result_ids_and_parameters_are_recorded(catalog: Any) -> None:
    record = bundle(catalog, ROWS, ROWS.assign(result_id="4.1-0001"), CLAIMS)[MIME]
    assert record["tables"] == {"a.csv": "11", "b.csv": "22"}
    assert list(record["tables"]) == ["a.csv", "b.csv"]
    assert record["result_ids"] == ["4.1-0001", "4.1-0002"]
    assert record["parameters"] == {"apples": 3}


def test_plain_text_names_source_and_hash(catalog: Any) -> None:
    assert bundle(catalog, ROWS)["text/plain"].splitlines() == [
        "Apples, Us, 2024-08-28, CC-BY",
        "a.csv: sha256 11",
        "b.csv: sha256 22",
    ]


def test_markup_of_a_source_is_shown_not_run(catalog: Any) -> None:
    markup = bundle(catalog, CLAIMS)["text/html"]
    assert "<script" not in markup
    assert "<img" not in markup
    assert "&lt;script&gt;" in markup


def test_no_rows_cite_nothing(catalog: Any) -> None:
    assert bundle(catalog, ROWS.head(0), pd.DataFrame())[MIME]["sources"] == []


def test_provenance_is_displayed(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Provenance] = []
    monkeypatch.setattr(provenance, "display", shown.append)
    provenance.show(catalog, [ROWS], Asked())
    assert [each.tables for each in shown] == [{"a.csv": "11", "b.csv": "22"}]


def test_source_line_names_each_source_of_the_rows_once(catalog: Any) -> None:
    assert provenance.source_line(catalog, ROWS, ROWS) == "Sources: Apples."
    assert provenance.source_line(catalog, ROWS, pd.DataFrame()) == "Sources: Apples."


def test_source_line_of_nothing_says_so(catalog: Any) -> None:
    assert provenance.source_line(catalog, ROWS.head(0)) == "No sources: nothing is drawn."
    assert provenance.source_line(catalog) == "No sources: nothing is drawn."
