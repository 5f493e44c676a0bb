"""Write a report from a notebook: its headline, findings, figures, and tables, shown here and on the page.

Each call displays its output at once and carries a machine-readable part (`MIME`) from which the build makes the page
and reports/<name>.json. Numbers in words: `number`, `percent`, `times`, `span`, and `ends`.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import display
from jinja2 import Environment
from matplotlib.ticker import LogFormatter

from analysis import charts, names, tables
from analysis.charts.image import wrap_titles
from analysis.charts.parts import ticks
from analysis.charts.phone import narrow
from analysis.charts.theme import look

__all__ = [
    "ends",
    "figure",
    "finding",
    "headline",
    "number",
    "percent",
    "published",
    "source_line",
    "span",
    "table",
    "times",
]
MIME = "application/vnd.mlperf.report+json"
NARROW = "application/vnd.mlperf.narrow+svg"  # the main figure again, for a phone
MOST_WORDS = 18  # most words of a headline; a name counts as one word
ROWS = 10  # rows of a table that are visible before the fold
# A notebook's own style sheet aligns texts right. The rows of a long table appear with their fold.
TABLE = Environment(autoescape=True).from_string("""\
<style>table.data :is(th, td){text-align:left} table.data .number{text-align:right}\
 details.rows:not([open])~table .rest{display:none}</style>
{%- if cells | length > rows %}\
<details class="rows"><summary>{{ "{:,}".format(cells | length - rows) }} more rows</summary></details>{% endif %}\
<table class="data {{ no_tex }}">{% if title %}<caption>{{ title }}</caption>{% endif %}<thead><tr>
{%- for label, number in heads %}<th scope="col"{% if number %} class="number"{% endif %}>{{ label }}</th>{% endfor %}\
</tr></thead>
<tbody>
{%- for row in cells %}{% if loop.index0 == rows %}</tbody>
<tbody class="rest">{% elif not loop.first %}
{% endif %}<tr>
{%- for cell in row %}<td{% if heads[loop.index0][1] %} class="number"{% endif %}>{{ cell }}</td>{% endfor %}</tr>
{%- endfor %}</tbody></table>{% if note %}<p class="note">{{ note }}</p>{% endif %}""")
SYSTEMS = 4  # most systems that a finding names
MISSING = "–"
NO_MATCH = "no results match these parameters"
PRINTED = {  # words of names of columns
    "usd per million tokens": "$ per million tokens", "usd per million": "$ per million tokens", "usd": "$", "kw": "kW",
}  # fmt: skip
NO_TEX = "mathjax_ignore"  # class with which JupyterLab leaves "$0.75 to $2.79" as it is
SUITE_WORDS = {"datacenter": "data center", "edge": "edge", "datacenter,edge": "data center"}
NOT_VERIFIED = "Per-accelerator rates and ratios are derived, not verified by MLCommons Association."


def headline(
    text: str, *, value: float | None = None, low: float | None = None, high: float | None = None, unit: str = "",
    rows: pd.DataFrame | None = None,
) -> None:  # fmt: skip
    """Show and record the answer of the report, once in a notebook.

    `value` is its number with its range, `low` to `high`, in `unit`; `rows` are the results it is based on:
    `report.headline(f"B200: {report.times(3.3)} an H100", value=3.3, low=3.0, high=3.6, unit="ratio", rows=best)`.
    Raises ValueError above 18 words; an accelerator or model name counts as one word.
    """
    labels = [*tables.accelerators["label"], *tables.benchmarks["label"]]
    named = re.sub("|".join(map(re.escape, sorted(labels, key=len, reverse=True))), "name", text)
    if (words := len(named.split())) > MOST_WORDS:
        raise ValueError(f"the headline has {words} words; the limit is {MOST_WORDS}: {text}")
    _say("headline", "answer", text, rows, unit=unit, value=value, low=low, high=high)


def finding(
    text: str, *, name: str, value: float | None = None, unit: str = "", rows: pd.DataFrame | None = None,
    empty: str = NO_MATCH,
) -> None:  # fmt: skip
    """Show and record one more sentence, such as a consequence, with its value and unit; `name` is unique on a page.

    If the value is unknown (NaN) and `rows` is empty, a one-line notice is shown instead, with the reason `empty`.
    """
    if value is not None and not math.isfinite(value) and rows is not None and rows.empty:
        return _nothing("finding", name, name.replace("_", " ").capitalize(), empty)
    _say("finding", name, text, rows, unit=unit, value=value)


def figure(
    drawn: Any, *, title: str, subtitle: str = "", source: str = "", rows: pd.DataFrame | None = None, name: str = "",
    alt: str = "", main: bool = False, empty: str = NO_MATCH,
) -> None:  # fmt: skip
    """Show a figure with its title, subtitle, and source in the image, so that it is self-contained on a slide.

    `drawn` is a matplotlib figure or axes, or a seaborn grid. The source is `source`, else the line of the MLPerf
    `rows`. `alt` is a sentence with the numbers for those who do not see the image. If `rows` is empty or
    nothing is drawn, a one-line notice says so, and `empty` why. With `main`, for the one figure of a page that
    answers its question, phones get a narrow version. Raises ValueError without a source.
    """
    if not source and rows is None:
        raise ValueError(
            f"figure {title!r} has no source: pass rows=, the MLPerf results that it shows, or source='Source: ...'"
        )
    drawing = getattr(drawn, "figure", drawn)
    name = name or slug(title)
    if not any(ax.has_data() for ax in drawing.axes) or (rows is not None and rows.empty):
        plt.close(drawing)
        return _nothing("figure", name, title, empty)
    source = source or source_line(rows)
    for ax in drawing.axes:
        for axis in (ax.xaxis, ax.yaxis):
            if isinstance(axis.get_major_formatter(), LogFormatter):  # in powers of ten
                ticks(axis)
    with look():
        if hasattr(drawn, "axes_dict"):  # a grid of seaborn, which few pages import: it takes long
            wrap_titles(drawn)
        images = {"image/svg+xml": charts.svg(charts.compose(drawing, title, subtitle, source))}
        if main:
            drawing = narrow(drawing)
            images[NARROW] = charts.svg(charts.compose(drawing, "", "", source))
    plt.close(drawing)
    alt = alt or ". ".join(filter(None, [title, subtitle]))
    record = {"kind": "figure", "name": name, "title": title, "alt": alt, **_evidence(rows), "subtitle": subtitle}
    display(images | {"text/plain": alt, MIME: record}, raw=True)


def table(
    frame: pd.DataFrame, *, title: str = "", columns: Mapping[str, str] | Iterable[str] = (),
    formats: Mapping[str, str] | None = None, note: str = "", name: str = "", rows: int = ROWS,
) -> None:  # fmt: skip
    """Show a table: `columns` selects, orders, and labels columns, `formats` maps columns to formats like "{:.2f}x".

    Columns given without labels are labeled by name, "usd_per_hour" as "$ per hour".

    Numbers have three significant digits by default; lists of caveat codes become their labels. The first `rows` are in
    view, the others behind a fold; a column without a value is left out. The CSV beside it has all rows and columns, at
    full precision. An empty frame shows a one-line notice. Raises ValueError for a column that the frame lacks.
    """
    if not isinstance(columns, Mapping):
        columns = {column: _label(str(column)) for column in list(columns) or frame}
    for column in columns:
        names.choose(str(column), map(str, frame.columns), "column of the table")
    name = name or slug(title) or "table"
    if frame.empty:
        return _nothing("table", name, title or "Table")
    shown = pd.DataFrame({column: _cells(frame[column], (formats or {}).get(column)) for column in columns})
    shown = shown.loc[:, ~shown.isin(["", MISSING]).all()]
    heads = [(columns[column], pd.api.types.is_numeric_dtype(frame[column].dtype)) for column in shown]
    cells = shown.to_numpy().tolist()
    markup = TABLE.render(heads=heads, cells=cells, rows=rows, title=title, note=note, no_tex=NO_TEX)
    csv = frame[list(columns)]
    csv = csv.assign(caveats=csv["caveats"].map(" ".join)) if "caveats" in csv else csv
    record = {"kind": "table", "name": name, "title": title, **_evidence(frame), "rows": len(frame)}
    plain = f"{title or 'Table'}: {len(frame)} rows"
    display({"text/html": markup, "text/csv": csv.to_csv(index=False), "text/plain": plain, MIME: record}, raw=True)


def published(topic: str, *, benchmark: str = "") -> None:
    """Show what the five documents say about the question of this page, with the record's value and the verdict.

    `topic` is one of those of `load_published()`; with `benchmark`, figures of other models are left out. What a
    document repeats is shown once, contradictions first. Raises ValueError for an unknown topic.
    """
    from analysis.published import load_published, rank

    figures = load_published()
    names.choose(topic, sorted(figures["topic"].unique()), "topic of published figures")
    about = figures[figures["topic"].eq(topic) & figures["duplicate_of"].eq("")]
    if benchmark:
        about = about[about["benchmark"].isin([names.benchmark(benchmark, about["benchmark"]), ""])]
    about = about.sort_values("verdict", key=rank, kind="stable")
    columns = {"source": "Document", "claim": "Claim", "printed": "Printed", "verdict": "Verdict", "record": "Record"}
    counts = ", ".join(f"{count} {verdict}" for verdict, count in about["verdict"].value_counts(sort=False).items())
    table(about, title="Published claims", columns=columns, note=f"{counts}.", name="published_claims")


def source_line(rows: pd.DataFrame) -> str:
    """Return where MLPerf results come from, for a figure: rounds, division, suite, and who publishes them."""
    rounds = rows["round"].sort_values().astype(str).unique()
    span = " to ".join(dict.fromkeys([rounds[0], rounds[-1]]))
    *others, last = sorted(rows["division"].unique())
    divisions = " and ".join(filter(None, [", ".join(others), last])) + " division" + "s" * bool(others)
    named = rows["suite"][rows["suite"].ne("")]  # v0.5 had no suites
    suites = " and ".join(dict.fromkeys(SUITE_WORDS.get(suite, suite) for suite in named))
    return f"Source: MLPerf Inference {span}, {divisions}, {suites} (MLCommons). {NOT_VERIFIED}"


def number(value: float, digits: int = 2) -> str:
    """Return a number with so many significant digits and thousands with commas: 15,227 becomes "15,000"."""
    if not math.isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits}g}")
    decimals = max(digits - 1 - math.floor(math.log10(abs(rounded))), 0)
    return f"{rounded:,.{decimals}f}"


def percent(share: float, digits: int = 2) -> str:
    """Return a share in percent: 0.774 becomes "77%"."""
    return f"{number(share * 100, digits)}%"


def times(ratio: float, digits: int = 2) -> str:
    """Return a ratio as text: 3.271 becomes "3.3x"; near 1 it has one more digit: 1.041 becomes "1.04x"."""
    return f"{number(ratio, digits + (1 <= ratio < 1.1))}x"


def ends(values: Iterable[float], form: Callable[[float], str] = number) -> str:
    """Return the lowest and the highest of values: "2.1 to 2.9", or "2.1" if both print alike."""
    known = pd.Series(values, dtype="float64")
    return " to ".join(dict.fromkeys([form(known.min()), form(known.max())]))


def span(low: float, high: float, form: Callable[[float], str] = times) -> str:
    """Return a range in parentheses, to follow its value: " (3.7x to 4.5x)"; "" if both ends print alike."""
    text = ends([low, high], form)
    return f" ({text})" if " to " in text else ""


def slug(text: str) -> str:
    """Return a name made from a text: small letters, digits, and underscores, at most 60 characters."""
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")[:60]


def _nothing(kind: str, name: str, title: str, why: str = NO_MATCH) -> None:
    """Say in one line that a figure, table, or finding has nothing to show, and why."""
    text = f"{title.rstrip(': ')}: nothing to show: {why}."
    record = {"kind": kind, "name": name, "title": title, "empty": True, "text": text}
    display({"text/html": f"<p>{html.escape(text)}</p>", "text/plain": text, MIME: record}, raw=True)


def _say(kind: str, name: str, text: str, rows: pd.DataFrame | None, unit: str, **values: float | None) -> None:
    known = {key: None if each is None or not math.isfinite(each) else float(each) for key, each in values.items()}
    record = {"kind": kind, "name": name, "text": text, **known, "unit": unit, **_evidence(rows)}
    tag = "h2" if kind == "headline" else "p"
    markup = f'<{tag} class="{kind} {NO_TEX}">{html.escape(text)}</{tag}>'
    display({"text/html": markup, "text/plain": text, MIME: record}, raw=True)


def _evidence(rows: pd.DataFrame | None) -> dict[str, list[str]]:
    """Return the systems behind rows, the first four and how many more, and the ids of their sources."""
    rows = pd.DataFrame() if rows is None else rows
    sources = set(rows["source_id"].dropna()) - {""} if "source_id" in rows else ()
    named = ["submitter", "system", "accelerator_count", "round", "result_id"]
    about = rows[named].drop_duplicates() if {*named} <= {*rows} else pd.DataFrame()
    systems = []
    for row in about.head(SYSTEMS).itertuples():
        scope = ", ".join(filter(None, [f"{row.accelerator_count:.0f}x", str(row.round), row.result_id]))
        systems.append(f"{row.submitter}: {row.system} ({scope})")
    more = [f"and {len(about) - SYSTEMS} more"] if len(about) > SYSTEMS else []
    return {"systems": systems + more, "sources": sorted(sources)}


def _label(column: str) -> str:
    """Return a column's name as a table prints it; "vLLM node" and "MLPerf" stay as they are."""
    text = re.sub(rf"\b(?:{'|'.join(PRINTED)})\b", lambda words: PRINTED[words[0]], column.replace("_", " "))
    return text[:1].upper() + text[1:] if text.split(" ")[0].islower() else text


def _cells(column: pd.Series, form: str | None) -> list[str]:
    """Return the cells of a column as a page prints them."""
    if column.name == "caveats":
        labels = tables.caveats.set_index("code")["label"]
        return [", ".join(labels.get(code, code) for code in codes) for codes in column]
    words: Callable[[Any], str] = str
    if form:
        words = form.format
    elif pd.api.types.is_bool_dtype(column.dtype):
        words = {True: "yes", False: "no"}.__getitem__
    elif pd.api.types.is_numeric_dtype(column.dtype):
        words = "{:,.0f}".format if column.dropna().mod(1).eq(0).all() else partial(number, digits=3)
    elif column.dtype.kind == "M":
        words = "{:%Y-%m-%d}".format
    return [MISSING if pd.isna(value) else words(value) for value in column.astype(object)]


def __dir__() -> list[str]:
    return __all__
