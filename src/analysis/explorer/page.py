"""The page of the explorer: its own HTML, style, and script, and the rows as text that it carries."""

from __future__ import annotations

import gzip
import html
import json
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import ipywidgets
import numpy as np
import pandas as pd
from IPython.display import display

from analysis import names, tables
from analysis.charts import theme
from analysis.report import MIME

PAGE, FILES = "explorer.html", Path(__file__).with_name("page")
# In this order: what is first is used by what is below it.
SCRIPTS = (
    "record.js",
    "present.js",
    "choice.js",
    "mixed.js",
    "drawing.js",
    "views.js",
    "curves.js",
    "table.js",
    "rows.js",
    "take.js",
    "main.js",
)
DIGITS = 9  # of computed numbers
LEVEL = 6  # of compression: hardly larger than by 9, packed in half the time


@cache  # a file of the package, asked for by each part of the page
def layout() -> dict[str, Any]:
    """Return page/layout.json: columns with their heads, views with what each selects, and what keeps results apart.

    A column marked `first` is read by views and filters, `table` is shown in the table, and `facet` is a filter;
    `words` are printed for its values. Of a view, `frees` are the filters that its tab clears, and `start` is its
    default selection.
    """
    return json.loads((FILES / "layout.json").read_text(encoding="utf-8"))


@cache  # files of the package
def parts() -> dict[str, str]:
    """Return what a page holds of the explorer: html, style, and script."""
    body, style = ((FILES / name).read_text(encoding="utf-8") for name in ("body.html", "style.css"))
    script = "\n".join((FILES / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return {"html": body, "style": style, "script": script}


def link(view: str = "ranked", **chosen: str | Iterable[str]) -> str:
    """Return the address of a view on the explorer's page, with the values of its filters that are chosen.

    Raises ValueError for an unknown view or filter, with the valid ones.
    """
    pairs = [("view", names.choose(view, layout()["views"], "view"))]
    filters = [column["name"] for column in layout()["columns"] if column.get("facet")]
    for name, values in chosen.items():
        names.choose(name, filters, "filter")
        pairs += [(name, value) for value in ([values] if isinstance(values, str) else values)]
    return f"{PAGE}#{urlencode(pairs, quote_via=quote)}"


def show(rows: pd.DataFrame, curves: pd.DataFrame, now: pd.DataFrame, start: str = "") -> None:
    """Display the explorer of `explorer.rows()` and `explorer.curves()`; `start` is a `link` to its first view.

    `now` is a table of `current`, from which all ratios and ranks of accelerators come. A notebook shows it in a frame;
    a page without scripts shows how many results there are of each round.
    """
    data = {"record-about": json.dumps(_about(rows, start.partition("#")[2]), separators=(",", ":"))}
    for name, is_first in (("first", True), ("rest", False)):
        columns = [column["name"] for column in layout()["columns"] if column.get("first", False) == is_first]
        data[f"record-{name}"] = packed(rows[columns], short=is_first)
    places = pd.Series(range(len(rows)), rows["id"])
    steps = curves.assign(row=curves["id"].map(places)).drop(columns="id").dropna(subset="row")
    data["record-curves"] = packed(steps, short=True)
    ends = {name: now[name] / now["rate"] for name in ("low", "high")}
    present = now.assign(row=now["id"].map(places), **ends)[["row", "measured", "gain", *ends]]
    data["record-present"] = packed(present.dropna(subset="row"), short=True)
    style = "width:100%;height:56rem;border:0"
    frame = f'<iframe style="{style}" title="Explorer" srcdoc="{html.escape(document(data))}"></iframe>'
    counts = pd.crosstab(rows["round"], rows["division"]).iloc[::-1].to_html(border=0)
    widget = ipywidgets.HTML(frame)._repr_mimebundle_() or {}
    plain = {"text/html": counts, "text/plain": f"Explorer of {len(rows):,} results", MIME: {"kind": "explorer"}}
    display({**widget, **plain}, metadata={"analysis": {"data": data}}, raw=True)


def document(data: dict[str, str]) -> str:
    """Return the explorer as an HTML document of its own."""
    held = "".join(f'<script type="text/plain" id="{name}">{_safe(text)}</script>' for name, text in data.items())
    frame = (FILES / "frame.css").read_text(encoding="utf-8")
    head = f'<meta charset="utf-8"><title>MLPerf Inference explorer</title><style>{frame}{parts()["style"]}</style>'
    body = f"<main>{parts()['html']}</main>{held}<script>{parts()['script']}</script>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'


def packed(rows: pd.DataFrame, short: bool) -> str:
    """Return columns as text: JSON, zipped, in base64; the same text for the same rows.

    Numbers are a list with null for what is not known, with `short` of nine digits. Texts are `{"values": [...],
    "places": [...]}`: the distinct values and each row's index into them; with `short`, values are in display order.
    """
    content = json.dumps({name: _cells(rows[name], short) for name in rows}, separators=(",", ":"), allow_nan=False)
    return b64encode(gzip.compress(content.encode(), LEVEL, mtime=0)).decode()


def _cells(cells: pd.Series, short: bool) -> Any:
    if pd.api.types.is_bool_dtype(cells):
        cells = cells.map({True: "yes", False: ""})
    if pd.api.types.is_numeric_dtype(cells):
        numbers = cells.to_numpy("float64", na_value=np.nan)
        if short:
            size = 10.0 ** (DIGITS - np.ceil(np.log10(np.abs(np.where(numbers == 0, 1, numbers)))))
            numbers = np.round(numbers * size) / size
        return np.where(np.isnan(numbers), None, numbers).tolist()
    if not isinstance(cells.dtype, pd.CategoricalDtype):  # which rounds are, oldest first
        values = cells.astype("str").unique()
        cells = pd.Series(pd.Categorical(cells.astype("str"), sorted(values, key=str.casefold) if short else values))
    cells = cells.cat.remove_unused_categories()
    return {"values": list(cells.cat.categories), "places": cells.cat.codes.tolist()}


def _about(rows: pd.DataFrame, start: str) -> dict[str, Any]:
    """Return what the script needs besides the rows: the layout, words for values, colors, sources with their dates."""
    sources = tables.sources[tables.sources["id"].isin(rows["source_id"].unique())].set_index("id")
    words = {
        "benchmark": rows.drop_duplicates("benchmark").set_index("benchmark")["model"].to_dict(),
        "precision": {name: name.upper() or "not stated" for name in rows["precision"].unique()},
    }
    inks = {name: f"--light:{color};--dark:{theme.on_dark(color)}" for name, color in theme.colors().items()}
    published = rows.drop_duplicates("round").set_index("round")["published"].dt.strftime("%Y-%m-%d")
    columns = [{"words": words.get(column["name"], {})} | column for column in layout()["columns"]]
    told = sources[["title", "publisher", "url", "accessed", "license"]].fillna("").to_dict("index")
    facts = {"columns": columns, "start": start or link().partition("#")[2], "inks": inks, "sources": told}
    return layout() | facts | {"published": published.to_dict(), "retrieved": sources["accessed"].max()}


def _safe(text: str) -> str:
    return text.replace("<", "\\u003c")
