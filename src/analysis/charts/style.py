"""How every figure is laid out and shown: canvas, header, alt text, table, SVG."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial, wraps
from typing import TYPE_CHECKING, Any

from IPython.display import HTML, display

from analysis._core import mime, table_text
from analysis._core import notes as wording
from analysis._core.html_table import Table
from analysis._core.notes import NONE, Notes
from analysis._core.refusal import unexpected
from analysis.charts import figure_cache, theme
from analysis.charts.colors import COLORS, OTHER, QUIET, dark_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from analysis.charts.alt_text import Description

WIDTH = 6.2  # inches
NARROW = 3.8  # inches, of the drawing that a phone shows: eight-point words come out at eleven pixels of 366
_across: ContextVar[float] = ContextVar("inches across", default=WIDTH)
HOVER = "hover:"  # what the id of a mark begins with whose words are shown when it is pointed at
_HOVER = re.compile(rf'<g id="{HOVER}([^"]*)">')
MARKERS = {"official": "s", "published": "o", "measured": "^"}  # of each origin; a round of the record has its own
SHAPES = {"square": "s", "diamond": "D", "pentagon": "p", "hexagon": "h", "star": "*", "octagon": "8"}


Shown = dict[str, Any]  # a figure as a cell puts it out, see Drawing.shown


@cache
def round_markers() -> dict[str, str]:
    """The marker of each round of the record that has one of its own, from data/rounds.csv."""
    return {row["round"]: SHAPES[row["marker"]] for row in table_text.rows("rounds") if row["marker"]}


@dataclass(frozen=True)
class Drawing:
    """A finished figure, the sentence that tells its numbers to a reader who does not see it, their table, its notes.

    `figure` is None where the chosen rows leave nothing to draw; `alt` then says so and is shown in its place. `narrow`
    is the same figure drawn for a phone, without a header.
    """

    figure: Figure | None
    alt: str
    numbers: Table | None = None
    notes: Notes = NONE
    narrow: Figure | None = None

    def shown(self) -> Shown | None:
        """The drawing as it is put out, None where there is nothing to draw. Its figures are closed.

        `alt`, `svg` and `narrow` are texts, `header` has title and subtitle, `key` what explains the marks, `numbers`
        their table's forms by MIME type (none: no table), and `csv` the same as CSV.
        """
        if self.figure is None:
            return None
        from analysis.charts import mpl

        narrow = svg(self.narrow) if self.narrow is not None else None
        numbers, csv = _forms(self.numbers) if self.numbers is not None else ({}, "")
        shown = {"alt": self.alt, "svg": svg(self.figure), "narrow": narrow, "header": _header(self.figure)}
        mpl.close(self.figure, self.narrow)
        return shown | {"key": wording.key(self.notes), "numbers": numbers, "csv": csv}


class Twice:
    """A chart of given frames, drawn for a wide page and once more, laid out anew, for a narrow one.

    What was drawn of the same frames by the same code before is shown again as it was kept. Whoever asks for its
    figures may change them: they are drawn then, shown as they are by that time, and not kept.
    """

    def __init__(self, chart: Callable[..., Drawing], frames: tuple[Any, ...], options: dict[str, Any]) -> None:
        self._draw = partial(_wide_and_narrow, chart, *frames, **options)
        self._key = figure_cache.key(chart, frames, options, _look())
        self._kept = figure_cache.read(self._key) if self._key else None
        if self._kept is None:
            _ = self._drawing  # Here, where what is wrong with a frame is seen by whoever gave it.

    def shown(self) -> Shown | None:
        """The drawing as it is put out, None where there is nothing to draw. Its figures are closed."""
        if self._kept is not None:
            return self._kept
        shown = self._drawing.shown()
        if shown is not None and self._key:
            figure_cache.keep(self._key, shown)
        return shown

    @cached_property
    def _drawing(self) -> Drawing:
        return self._draw()

    @property
    def alt(self) -> str:
        """The sentence that tells its numbers, or that there are none."""
        return self._kept["alt"] if self._kept is not None else self._drawing.alt

    def __getattr__(self, name: str) -> Any:
        """What a Drawing has; of its figures, which whoever asks may change, nothing that was kept is shown."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ("figure", "narrow"):
            self._key, self._kept = "", None
        return getattr(self._drawing, name)


def chart(chart: Callable[..., Drawing]) -> Callable[..., Twice]:
    """A chart that is drawn for a wide page and once more, laid out anew, for a narrow one; of no rows, a sentence."""

    @wraps(chart)
    def twice(*frames: Any, **options: Any) -> Twice:
        theme.ensure()
        return Twice(chart, frames, options)

    return twice


def _wide_and_narrow(chart: Callable[..., Drawing], *frames: Any, **options: Any) -> Drawing:
    wide = nothing(options["title"]) if frames[0].empty else chart(*frames, **options)
    if wide.figure is None:
        return wide
    token = _across.set(NARROW)
    try:
        return replace(wide, narrow=chart(*frames, **options).figure)
    finally:
        _across.reset(token)


def _look() -> dict[str, Any]:
    """What a drawing's look depends on beside its code: settings of matplotlib that were changed, colors, markers."""
    return {"settings": theme.settings(), "colors": COLORS, "markers": round_markers()}


def is_narrow() -> bool:
    """Whether what is drawn now is for a narrow page."""
    return _across.get() < WIDTH


def wrapped(words: str, letters: int) -> str:
    """An axis' words on as many lines as a narrow drawing needs; unchanged in a wide one."""
    if not is_narrow():
        return words
    return "\n".join(line for paragraph in words.split("\n") for line in textwrap.wrap(paragraph, letters) or [""])


def canvas(title: str, subtitle: str, height: float, **subplots: Any) -> tuple[Figure, Any]:
    """A figure with its claim as title, what is drawn below it, and its axes.

    `height` is that of the axes, in inches. A narrow drawing has no header: the page that it is for sets it as text.
    """
    from analysis.charts import mpl

    if is_narrow():
        figure, axes = mpl.framed(NARROW, height, **subplots)
        figure.set_layout_engine("constrained", w_pad=0.02)
        return figure, axes
    head = [*textwrap.wrap(title.removesuffix("."), 66), ""] if title else []
    lines = textwrap.wrap(subtitle, 92)
    header = 0.21 * max(len(head) - 1, 0) + 0.17 * len(lines) + 0.16
    total = height + header
    figure, axes = mpl.framed(WIDTH, total, **subplots)
    figure.set_layout_engine("constrained", rect=(0, 0, 1, 1 - header / total))
    figure.text(0.01, 1 - 0.06 / total, "\n".join(head[:-1]), va="top", weight="bold", size=10.5, linespacing=1.25)
    below = 0.21 * max(len(head) - 1, 0) + 0.09
    figure.text(0.01, 1 - below / total, "\n".join(lines), va="top", size=8.5, color=QUIET, linespacing=1.25)
    return figure, axes


def color(accelerator: str) -> str:
    """The accelerator's own color, the same in every report; gray for one that has none."""
    return COLORS.get(accelerator, OTHER)


def nothing(title: str) -> Drawing:
    """The drawing of an empty frame: a sentence in place of a figure."""
    return Drawing(None, f"{title} No comparable row for these parameters: nothing to draw.")


def finished(figure: Figure, title: str, notes: Notes, description: Description) -> Drawing:
    """The drawing of a figure that shows what `description` says."""
    return Drawing(figure, description.alt(title), description.table(title), notes)


def figure(drawing: Drawing | Twice | Figure | Axes, source: str, table: Table | None = None, alt: str = "") -> None:
    """Display a chart as SVG with its alt text and source line, the table of its numbers below, and close it.

    A figure or axes of matplotlib or seaborn needs `alt`, a sentence with its numbers. `table` takes the place of the
    numbers that a chart of this package tells by itself, where a fuller one says the same. Raises ValueError
    where the alt text has no number or the source line is empty: such a figure tells nothing to some readers, or comes
    from nowhere; TypeError for what is no chart.
    """
    if not isinstance(drawing, Drawing | Twice):
        if not hasattr(drawing, "figure"):
            raise unexpected("drawing", "a chart of analysis.charts, or a figure of matplotlib or seaborn", drawing)
        drawing = Drawing(drawing.figure, alt)
    shown = drawing.shown()
    if shown is None:
        display(HTML(f'<p class="nothing">{html.escape(drawing.alt)}</p>'))
        return
    if not any(character.isdigit() for character in shown["alt"]):
        raise ValueError("a figure needs alt text, a sentence with its numbers: figure(axes, source, alt='...')")
    if not source.strip():
        raise ValueError("a figure needs a source line: report.source_line(report.catalog(), rows)")
    metadata: dict[str, Any] = {mime.SVG: {"alt": shown["alt"], "caption": source, **shown["header"]}}
    metadata[mime.KEY] = shown["key"]
    if shown["narrow"] is not None:
        metadata[mime.NARROW] = shown["narrow"]
    display({mime.SVG: shown["svg"], mime.PLAIN: shown["alt"]}, metadata=metadata, raw=True)
    numbers, csv = _forms(table) if table is not None else (shown["numbers"], shown["csv"])
    if numbers:
        display(numbers, metadata={mime.NUMBERS: True, mime.CSV: csv}, raw=True)


def _forms(numbers: Table) -> tuple[dict[str, str], str]:
    """A figure's table as it is put out below it, by MIME type, and as CSV."""
    return numbers.beside_figure()._repr_mimebundle_(), numbers.csv()


def _header(figure: Figure) -> dict[str, Any]:
    """Title and subtitle as text, and the share of the figure's height that they take: a page sets them itself."""
    if len(figure.texts) != 2 or figure.get_layout_engine() is None:
        return {}
    title, subtitle = (" ".join(text.get_text().split()) for text in figure.texts)
    return {"title": title, "subtitle": subtitle, "header": round(1 - figure.get_layout_engine().get()["rect"][3], 4)}


def svg(figure: Figure) -> str:
    """The figure as SVG text, the same bytes for the same data, with colors for light and for dark ground."""
    from analysis.charts import mpl

    drawn = _HOVER.sub(r"<g><title>\1</title>", mpl.written(figure))
    return drawn.replace("</style>", dark_style(drawn) + "</style>", 1)
