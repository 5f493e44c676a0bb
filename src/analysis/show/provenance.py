"""Where a report's figures come from: tables, sources, result ids and parameters as the notebook's last output."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

import pandas as pd
from IPython.display import display
from pydantic import BaseModel

from analysis.core.citation import cited
from analysis.data.catalog import Catalog

MIME = "application/vnd.analysis.provenance+json"


class Provenance:
    """The tables used with their hashes, the sources and official result ids of the rows shown, the parameters."""

    def __init__(self, catalog: Catalog, rows: Iterable[pd.DataFrame], parameters: BaseModel) -> None:
        frames = [frame for frame in rows if len(frame)]
        sources = catalog.sources[catalog.sources["id"].isin(cited(*frames))]
        self.sources = sources.to_dict("records")
        self.result_ids = sorted({i for frame in frames if "result_id" in frame for i in frame["result_id"]} - {""})
        self.tables = dict(sorted(catalog.used.items()))
        self.parameters = parameters.model_dump()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        record = {name: getattr(self, name) for name in ("tables", "sources", "result_ids", "parameters")}
        lines = [*self._source_lines(), *(f"{path}: sha256 {digest}" for path, digest in self.tables.items())]
        items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
        return {MIME: record, "text/html": f'<ul class="provenance">{items}</ul>', "text/plain": "\n".join(lines)}

    def _source_lines(self) -> list[str]:
        return [
            ", ".join(filter(None, [source["title"], source["publisher"], source["published"], source["licence"]]))
            for source in self.sources
        ]


def show(catalog: Catalog, rows: Iterable[pd.DataFrame], parameters: BaseModel) -> None:
    """Display and record the provenance of the report."""
    display(Provenance(catalog, rows, parameters))


def source_line(catalog: Catalog, *frames: pd.DataFrame) -> str:
    """The source line of a figure, from the rows that it draws: each document or round once, by title."""
    titles = catalog.sources.loc[catalog.sources["id"].isin(cited(*frames)), "title"]
    return f"Sources: {'; '.join(titles)}." if len(titles) else "No sources: nothing is drawn."
