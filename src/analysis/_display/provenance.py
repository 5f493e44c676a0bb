"""Where a report's figures come from: tables, sources, result ids and parameters as the notebook's last output."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable
from dataclasses import asdict, is_dataclass
from typing import Any

import pandas as pd
from IPython.display import display
from pydantic import BaseModel

from analysis._core import mime
from analysis._core.citation import cited
from analysis._core.paths import OFFICIAL
from analysis._core.plain_values import as_dicts
from analysis._tables import row_digests
from analysis._tables.catalog import Catalog


class Provenance:
    """Where what a page shows comes from: `rows`, `sources`, `result_ids`, `parameters`, and the files read: `tables`.

    `rows` has, for each table, how many of its rows are behind the page and their digest; for each measured file, its
    digest alone. That and the rest is the output's data, which stored outputs are compared by, so that no edit of
    another row makes them stale. `tables` has the SHA-256 of whole files, which a build wants to know: it is the
    output's metadata, which is not stored.
    """

    def __init__(self, catalog: Catalog, shown: Iterable[pd.DataFrame], parameters: object = None) -> None:
        frames = [frame for frame in shown if len(frame)]
        self.sources = as_dicts(catalog.sources[catalog.sources["id"].isin(cited(*frames))])
        self.result_ids = sorted({i for frame in frames if "result_id" in frame for i in frame["result_id"]} - {""})
        self.parameters = _as_dict(parameters)
        self.tables = dict(sorted(catalog.used.items()))
        self.rows = _rows(catalog, frames)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> tuple[dict[str, Any], dict]:
        record = {name: getattr(self, name) for name in ("rows", "sources", "result_ids", "parameters")}
        lines = [*self._source_lines(), *(_line(path, rows) for path, rows in self.rows.items())]
        items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
        data = {
            mime.PROVENANCE: record,
            mime.HTML: f'<ul class="provenance">{items}</ul>',
            mime.PLAIN: "\n".join(lines),
        }
        return data, {mime.PROVENANCE: {"tables": self.tables}}

    def _source_lines(self) -> list[str]:
        return [
            ", ".join(filter(None, [source["title"], source["publisher"], source["published"], source["license"]]))
            for source in self.sources
        ]


def _rows(catalog: Catalog, frames: list[pd.DataFrame]) -> dict[str, dict[str, Any]]:
    """By file, how many rows of a table reach the page and their digest; of a measured file, that of all it holds.

    Official rows count as those of their folder, whichever of its files holds them.
    """
    tables = catalog.tables
    whole = set(catalog.used) - {table.path for table in tables.values()}
    measured = {path: {"sha256": catalog.used[path]} for path in whole if not path.startswith(f"{OFFICIAL.name}/")}
    behind = {
        tables[name].path: (name, is_shown) for name, is_shown in row_digests.rows_behind(catalog, frames).items()
    }
    if "results" in tables and (path := tables["results"].path) in behind:
        name, is_shown = behind.pop(path)
        official = catalog.served[name]["origin"].eq("official").to_numpy(bool)
        behind |= {path: (name, is_shown & ~official), f"{OFFICIAL.name}/": (name, is_shown & official)}
    counted = {
        path: {"count": int(is_shown.sum()), "sha256": row_digests.digest(catalog, name, is_shown)}
        for path, (name, is_shown) in behind.items() if is_shown.any()
    }  # fmt: skip
    return dict(sorted((counted | measured).items()))


def _line(path: str, rows: dict[str, Any]) -> str:
    count = {None: "", 1: "1 row, "}.get(rows.get("count"), f"{rows.get('count')} rows, ")
    return f"{path}: {count}sha256 {rows['sha256']}"


def show(catalog: Catalog, rows: Iterable[pd.DataFrame], parameters: object = None) -> None:
    """Display and record the provenance of the report; `parameters` are a mapping, a dataclass or a model."""
    display(Provenance(catalog, rows, parameters))
    _shown_by_itself.append(catalog)


_shown: list[pd.DataFrame] = []  # rows behind what this process has shown
_shown_by_itself: list[Catalog] = []  # of notebooks that show their provenance in a cell of their own


def remember(rows: pd.DataFrame) -> None:
    """Count result rows as shown by the notebook, for `show_read`."""
    if {"id", "source_id"} <= set(rows):
        _shown.append(rows)


def show_read() -> None:
    """Display the provenance of all that this process has read through the package and remembered as shown.

    Tables that were read before a kernel was forked from this process are not its own. A notebook that has shown its
    provenance is not asked again.
    """
    if _shown_by_itself:
        return
    read = {path: digest for process, used in Catalog.read if process == os.getpid() for path, digest in used.items()}
    if read:
        provenance = Provenance(Catalog(), _shown)
        provenance.tables = dict(sorted(read.items()))
        display(provenance)


def _as_dict(parameters: Any) -> dict[str, Any]:
    if parameters is None:
        return {}
    if isinstance(parameters, BaseModel):
        return parameters.model_dump()
    return asdict(parameters) if is_dataclass(parameters) else dict(parameters)


def source_line(catalog: Catalog, *frames: pd.DataFrame) -> str:
    """The source line of a figure, from the rows that it draws: each document or round once, by title."""
    titles = catalog.sources.loc[catalog.sources["id"].isin(cited(*frames)), "title"]
    return f"Sources: {'; '.join(titles)}." if len(titles) else "No sources: nothing is drawn."
