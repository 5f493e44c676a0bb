"""Where a report's figures come from: sources and result ids of the rows that it shows, and the tables that it read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pandas as pd

from analysis._core import mime
from analysis._core.citation import cited
from analysis._core.plain_values import as_dicts
from analysis._tables.catalog import Catalog

_shown: list[pd.DataFrame] = []  # rows behind what this process has shown


class Provenance:
    """`sources` and `result_ids` of rows, and `tables`: the files read, with their SHA-256."""

    def __init__(self, sources: pd.DataFrame, shown: Iterable[pd.DataFrame], tables: dict[str, str]) -> None:
        frames = [frame for frame in shown if len(frame)]
        self.sources = as_dicts(sources[sources["id"].isin(cited(*frames))])
        ids = (frame["result_id"].unique() for frame in frames if "result_id" in frame)
        self.result_ids = sorted(set().union(*ids) - {""})
        self.tables = dict(sorted(tables.items()))

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return {mime.PROVENANCE: vars(self), mime.PLAIN: f"{len(self.sources)} sources, {len(self.tables)} tables"}


def remember(*frames: pd.DataFrame) -> None:
    """Count rows as shown by the notebook: their sources and result ids are those of its page."""
    _shown.extend(frames)


def show() -> None:
    """Display the provenance of all that this process has read through the package and shown; the build asks for it.

    Tables that were read before a kernel was forked from this process are not its own.
    """
    read = {path: digest for process, used in Catalog.read if process == os.getpid() for path, digest in used.items()}
    if read:
        from IPython.display import display  # a tenth of the start of a command, none of which displays anything

        display(Provenance(Catalog().sources, _shown, read))


def source_line(catalog: Catalog, *frames: pd.DataFrame) -> str:
    """Return the source line of a figure, from the rows that it draws: each document or round once, by title.

    Raises ValueError for rows that say nothing of their sources, as a frame that was grouped.
    """
    for frame in frames:
        if len(frame) and not {"source_id", "source_ids"} & set(frame):
            raise ValueError("source_line: a frame has no column source_id; pass the rows as they were before grouping")
    remember(*frames)
    titles = catalog.sources.loc[catalog.sources["id"].isin(cited(*frames)), "title"]
    return f"Sources: {'; '.join(titles)}." if len(titles) else "No sources: nothing is drawn."
