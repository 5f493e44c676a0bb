"""The explorer of a cell: a live page where scripts run, a table of results by round where they do not."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ipywidgets
import pandas as pd
from IPython.display import display

from analysis._core import mime, notes
from analysis._core.explorer_links import PAGE, VIEWS, address
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import DIVISIONS, EVIDENCE, PRECISIONS, round_age
from analysis._display import provenance, tables
from analysis._display.explorer import columns
from analysis._tables.catalog import Catalog
from analysis._tables.rounds import with_records
from analysis.charts import colors
from analysis.methods import coverage

HERE = Path(__file__).parent
# In this order: what is first is used by what is below it.
SCRIPTS = ("record.js", "choice.js", "gate.js", "drawing.js", "views.js", "table.js", "rows.js", "take.js", "main.js")
# What keeps rows apart by the gate's verdict: the column of its bits, the column that says what is mixed, the words.
MIXED = (
    ("apart_rounds", "round", "rounds"),
    ("apart_division", "division", "divisions"),
    ("apart_suite", "suite", "suites"),
    ("apart_accuracy_target", "accuracy_target", "accuracy targets"),
    ("apart_power", "power", "runs with and without measured power"),
    ("apart_precision", "precision", "precisions"),
)


class Explorer(ipywidgets.HTML):
    """The rows of `official_results.of`, to be filtered, drawn and compared; `start` is the first view's address.

    A notebook shows it in a frame of its own. A page takes its parts from the output's metadata, which is not stored:
    `html`, `style`, `script` and `data`, texts by the ids of the elements that hold them.
    """

    def __init__(self, catalog: Catalog, rows: pd.DataFrame, start: str) -> None:
        self.table = tables.table(counted(rows), "Official results by round", HEADS).unfolded()
        first_columns = [column for column in columns.COLUMNS if column.first]
        further_columns = [column for column in columns.COLUMNS if not column.first]
        about = json.dumps(_about(catalog, rows, start), ensure_ascii=False, separators=(",", ":"))
        self.data = {
            "record-about": about.replace("<", "\\u003c"),
            "record-first": columns.packed(rows, first_columns),
            "record-rest": columns.packed(rows, further_columns),
        }
        box = 'style="width:100%;height:56rem;border:0" title="MLPerf Inference results explorer"'
        super().__init__(f'<iframe {box} srcdoc="{html.escape(self.document)}"></iframe>')

    @property
    def parts(self) -> dict[str, Any]:
        """What a page holds of the explorer."""
        body = _read("body.html").replace("<!-- table -->", self.table.markup)
        return {"html": body, "style": _read("style.css"), "script": script(), "data": self.data}

    @property
    def document(self) -> str:
        """The explorer as an HTML document of its own, for a frame."""
        parts = self.parts
        held = "".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in self.data.items())
        style = _read("frame.css") + parts["style"]
        head = f'<meta charset="utf-8"><title>MLPerf Inference results explorer</title><style>{style}</style>'
        return f'<!doctype html><html lang="en"><head>{head}</head><body>{parts["html"]}{held}' + (
            f"<script>{parts['script']}</script></body></html>"
        )

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**options) or {}
        widget = {mime.WIDGET: bundle[mime.WIDGET]} if mime.WIDGET in bundle else {}
        return widget | self.table._repr_mimebundle_(), {mime.LIVE: self.parts}


HEADS = {"round": "Round"} | {name: name.capitalize() for name in DIVISIONS}
HEADS |= {"systems": "Systems (submitter and name)", "submitters": "Submitters", "accelerators": "Accelerators"}


def show(catalog: Catalog, rows: pd.DataFrame, chosen: Mapping[str, Sequence[Any]], view: str = "ranked") -> None:
    """Display the explorer of the rows, at first with these values of its facets chosen."""
    provenance.remember(rows)
    display(Explorer(catalog, rows, address(chosen, view)))


def script() -> str:
    """The page's script: the files of SCRIPTS as one."""
    return "\n".join(_read(name) for name in SCRIPTS)


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """How much there is of each round, the newest first: results by division, and coverage.distinct."""
    held, rows = [], rows[["round", "division", "system", "submitter", "accelerator"]]
    for name in sorted(rows["round"].unique(), key=round_age, reverse=True):
        results = rows[rows["round"].eq(name)]
        by_division = {division: int(results["division"].eq(division).sum()) for division in DIVISIONS}
        held.append({"round": name} | by_division | coverage.distinct(results))
    return pd.DataFrame(held)


def _about(catalog: Catalog, rows: pd.DataFrame, start: str) -> dict[str, Any]:
    """What the script knows beside the rows: columns, views, words of the gate, sources with their dates."""
    names = sorted(rows["round"].unique(), key=round_age)
    published = dict.fromkeys(names, "") | dict(zip(catalog.rounds["round"], catalog.rounds["published"], strict=True))
    # A round of a user's own import that data/rounds.csv lacks has no day, and the source that every round has.
    unlisted = [name for name in names if name not in set(catalog.rounds["round"])]
    sources = with_records(catalog.sources, pd.DataFrame({"round": unlisted, "published": "", "source_id": ""}))
    sources = sources[sources["id"].isin(rows["source_id"].unique())]
    labels = dict(zip(catalog.benchmarks["benchmark"], catalog.benchmarks["label"], strict=True))
    precisions = {name: name.upper() for name in PRECISIONS}
    excluded = {code: notes.kind(code).words for code in sorted(rows["excluded"].unique()) if code}
    unit = set(rows["rate_unit"].unique())
    meter = {name: f"{name} measured power" for name in ("with", "without")}
    words = {"benchmark": labels, "precision": precisions, "excluded": excluded, "power": meter, "evidence": EVIDENCE}
    words |= {"availability": {"rdi": "RDI"}, "accelerator": called(catalog.accelerators)}
    return {
        "page": PAGE,
        "start": start,
        "columns": columns.described(words),
        "views": VIEWS,
        "mixed": [dict(zip(("bits", "column", "words"), entry, strict=True)) for entry in MIXED],
        "inks": _inks(catalog.accelerators["accelerator"]),
        "excluded": {code: text.format(unit=", ".join(sorted(unit))) for code, text in excluded.items()},
        "published": {name: published[name] for name in names},
        "sources": {
            row["id"]: {name: row[name] for name in ("title", "publisher", "url", "accessed", "license")}
            for row in as_dicts(sources)
        },
        "retrieved": max(sources["accessed"], default=""),
    }


def called(accelerators: pd.DataFrame) -> dict[str, str]:
    """The short names that pages use, of the accelerators that they tell from all others."""
    names = accelerators["label"].where(accelerators["label"].ne(""), accelerators["accelerator"])
    own = ~names.duplicated(keep=False) & names.ne(accelerators["accelerator"])
    return dict(zip(accelerators.loc[own, "accelerator"], names[own], strict=True))


def _inks(accelerators: pd.Series) -> dict[str, str]:
    """The CSS of each accelerator's own color: that of the figures, or a hue by its place."""
    return {
        name: colors.as_style(colors.COLORS.get(name) or colors.by_place(place))
        for place, name in enumerate(accelerators)
    }


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
