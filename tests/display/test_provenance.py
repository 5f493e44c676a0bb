"""What a report says of its sources: those of the rows shown, their result ids, and the tables that were read."""

import os
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis._core import mime
from analysis._display import provenance
from analysis._display.provenance import Provenance

ROWS = pd.DataFrame({"source_id": ["s1", "s1"], "result_id": ["4.1-0002", ""]})
RATIOS = pd.DataFrame({"source_ids": [("s1", "s2")]})
SOURCES = pd.DataFrame({"id": ["s1", "s2", "s3"], "title": ["Apples", "Pears", "Not cited"]})


def record(*rows):
    """The data of the output."""
    return Provenance(SOURCES, rows, {"results.csv": "22", "official/v5.1.parquet": "33"})._repr_mimebundle_()[
        mime.PROVENANCE
    ]


def test_only_sources_of_rows_shown_are_cited():
    assert [source["id"] for source in record(ROWS)["sources"]] == ["s1"]
    assert [source["id"] for source in record(ROWS, RATIOS)["sources"]] == ["s1", "s2"]
    assert record(ROWS.head(0), pd.DataFrame())["sources"] == []


def test_result_ids_and_tables_are_recorded_in_order():
    stated = record(ROWS, ROWS.assign(result_id="4.1-0001"), RATIOS)
    assert stated["result_ids"] == ["4.1-0001", "4.1-0002"]
    assert list(stated["tables"].items()) == [("official/v5.1.parquet", "33"), ("results.csv", "22")]


def test_what_this_process_read_and_showed_is_displayed(monkeypatch):
    """Tables that the process was forked with were read by another one."""
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    monkeypatch.setattr(provenance, "_shown", [])
    monkeypatch.setattr(provenance, "Catalog", type("Tables", (), {"sources": SOURCES, "read": []}))
    provenance.Catalog.read.append((os.getpid() + 1, {"inherited.csv": "1"}))
    provenance.show()
    assert shown == []
    provenance.Catalog.read.append((os.getpid(), {"own.csv": "2"}))
    provenance.remember(ROWS)
    provenance.show()
    assert [(output.result_ids, output.tables) for output in shown] == [(["4.1-0002"], {"own.csv": "2"})]


def test_source_line_names_each_source_once_and_counts_the_rows_as_shown(monkeypatch):
    monkeypatch.setattr(provenance, "_shown", [])
    catalog = SimpleNamespace(sources=SOURCES)
    assert provenance.source_line(catalog, ROWS, ROWS) == "Sources: Apples."
    assert provenance.source_line(catalog, RATIOS, pd.DataFrame()) == "Sources: Apples; Pears."
    assert provenance.source_line(catalog, ROWS.head(0)) == "No sources: nothing is drawn."
    assert provenance.source_line(catalog) == "No sources: nothing is drawn."
    with pytest.raises(ValueError, match="no column source_id; pass the rows as they were before grouping"):
        provenance.source_line(catalog, ROWS, ROWS.drop(columns="source_id"))
    assert record(*provenance._shown)["result_ids"] == ["4.1-0002"]
