"""How every figure looks and is shown: theme, header, alt text, table, SVG."""

from __future__ import annotations

import html
import io
import re
import textwrap
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, lru_cache, partial, wraps
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from IPython.display import HTML, display
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from analysis.core import facts
from analysis.core import notes as wording
from analysis.core.notes import NONE, Notes
from analysis.show.cells import BESIDE, CSV, Table
from analysis.show.figures import kept_figures
from analysis.show.figures.colours import COLOURS, GRID, INK, OTHER, QUIET, RULE, dark_style

WIDTH = 6.2  # inches
NARROW = 3.8  # inches, of the drawing that a phone shows: eight-point words come out at eleven pixels of 366
_across: ContextVar[float] = ContextVar("inches across", default=WIDTH)
SMALL = "analysis/narrow"  # the metadata of a figure's output that holds its drawing for a narrow page
KEY = "analysis/key"  # the metadata that explains its marks
HOVER = "hover:"  # what the id of a mark begins with whose words are shown when it is pointed at
_HOVER = re.compile(rf'<g id="{HOVER}([^"]*)">')
MARKERS = {"official": "s", "published": "o", "measured": "^"}  # of each origin; a round of the record has its own
_OF_THE_SCREEN = {"backend", "backend_fallback", "interactive"}  # settings that no drawing as SVG depends on
SHAPES = {"square": "s", "diamond": "D", "pentagon": "p", "hexagon": "h", "star": "*", "octagon": "8"}


# Light rules on white, no ticks, no box; sizes in points.
THEME = {
    "axes.axisbelow": True,
    "axes.edgecolor": RULE,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 10.8,
    "axes.linewidth": 1.25,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10.8,
    "figure.max_open_warning": 0,
    "font.size": 10.8,
    "grid.color": GRID,
    "grid.linewidth": 1,
    "legend.fontsize": 9.9,
    "legend.frameon": False,
    "legend.title_fontsize": 10.8,
    "lines.solid_capstyle": "round",
    "patch.edgecolor": "w",
    "patch.force_edgecolor": True,
    "svg.fonttype": "path",
    "svg.hashsalt": "analysis",
    "text.color": INK,
    "xtick.bottom": False,
    "xtick.color": QUIET,
    "xtick.labelsize": 9.9,
    "xtick.major.size": 6,
    "xtick.minor.size": 4,
    "ytick.color": INK,
    "ytick.labelsize": 9.9,
    "ytick.left": False,
    "ytick.major.size": 6,
    "ytick.minor.size": 4,
}


@cache
def round_markers() -> dict[str, str]:
    """The marker of each round of the record that has one of its own, from data/rounds.csv."""
    return {row["round"]: SHAPES[row["marker"]] for row in facts.rows("rounds") if row["marker"]}


@dataclass(frozen=True)
class Shown:
    """A figure as a cell puts it out, all of it text: drawn for a wide page and, where it was, for a `narrow` one.

    `header` has title and subtitle, `key` what explains the marks, `numbers` their table's forms by MIME type (none: no
    table) and `csv` the same as CSV.
    """

    alt: str
    svg: str
    narrow: str | None
    header: dict[str, Any]
    key: list[dict[str, str]]
    numbers: dict[str, str]
    csv: str


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
        """The drawing as it is put out, None where there is nothing to draw. Its figures are closed."""
        if self.figure is None:
            return None
        narrow = svg(self.narrow) if self.narrow is not None else None
        forms = _forms(self.numbers) if self.numbers is not None else ({}, "")
        shown = Shown(self.alt, svg(self.figure), narrow, _header(self.figure), wording.key(self.notes), *forms)
        for figure in filter(None, (self.figure, self.narrow)):
            plt.close(figure)
        return shown


class Twice:
    """A chart of given frames, drawn for a wide page and once more, laid out anew, for a narrow one.

    What was drawn of the same frames by the same code before is shown again as it was kept. Whoever asks for its
    figures may change them: they are drawn then, shown as they are by that time, and not kept.
    """

    def __init__(self, chart: Callable[..., Drawing], frames: tuple[Any, ...], named: dict[str, Any]) -> None:
        self._draw = partial(_wide_and_narrow, chart, *frames, **named)
        self._key = kept_figures.key(chart, frames, named, _look())
        self._kept = kept_figures.read(self._key) if self._key else None
        if self._kept is None:
            _ = self._drawing  # Here, where what is wrong with a frame is seen by whoever gave it.

    def shown(self) -> Shown | None:
        """The drawing as it is put out, None where there is nothing to draw. Its figures are closed."""
        if self._kept is not None:
            return Shown(**self._kept)
        shown = self._drawing.shown()
        if shown is not None and self._key:
            kept_figures.keep(self._key, asdict(shown))
        return shown

    @cached_property
    def _drawing(self) -> Drawing:
        return self._draw()

    def _given_away(self) -> Drawing:
        self._key, self._kept = "", None
        return self._drawing

    @property
    def figure(self) -> Figure | None:
        """The figure for a wide page, None where there is nothing to draw."""
        return self._given_away().figure

    @property
    def narrow(self) -> Figure | None:
        """The figure for a narrow page."""
        return self._given_away().narrow

    @property
    def alt(self) -> str:
        """The sentence that tells its numbers, or that there are none."""
        return self._kept["alt"] if self._kept is not None else self._drawing.alt

    @property
    def numbers(self) -> Table | None:
        """The table of its numbers."""
        return self._drawing.numbers

    @property
    def notes(self) -> Notes:
        """The notes of what is drawn."""
        return self._drawing.notes


def apply() -> None:
    """Set the theme; called once by each notebook. SVG ids come from a fixed salt, so that builds are identical."""
    matplotlib.rcParams.update(THEME)


def drawn_twice(chart: Callable[..., Drawing]) -> Callable[..., Twice]:
    """A chart that is drawn for a wide page and once more, laid out anew, for a narrow one."""

    @wraps(chart)
    def both(*frames: Any, **named: Any) -> Twice:
        return Twice(chart, frames, named)

    return both


def _wide_and_narrow(chart: Callable[..., Drawing], *frames: Any, **named: Any) -> Drawing:
    wide = chart(*frames, **named)
    if wide.figure is None:
        return wide
    token = _across.set(NARROW)
    try:
        return replace(wide, narrow=chart(*frames, **named).figure)
    finally:
        _across.reset(token)


def _look() -> dict[str, Any]:
    """What a drawing's look depends on beside its code: settings of matplotlib that were changed, colours, markers."""
    usual = matplotlib.rcParamsDefault
    with warnings.catch_warnings():  # Some settings warn of their end when they are read.
        warnings.simplefilter("ignore", matplotlib.MatplotlibDeprecationWarning)
        own = {name: value for name, value in matplotlib.rcParams.items() if value != usual.get(name)}
    settings = {name: str(value) for name, value in own.items() if name not in _OF_THE_SCREEN}
    return {"settings": settings, "colours": COLOURS, "markers": round_markers()}


def is_narrow() -> bool:
    """Whether what is drawn now is for a narrow page."""
    return _across.get() < WIDTH


def wrapped(words: str, letters: int) -> str:
    """An axis' words on as many lines as a narrow drawing needs; unchanged in a wide one."""
    if not is_narrow():
        return words
    return "\n".join(line for part in words.split("\n") for line in textwrap.wrap(part, letters) or [""])


def canvas(title: str, subtitle: str, height: float, **subplots: Any) -> tuple[Figure, Any]:
    """A figure with its claim as title, what is drawn below it, and its axes.

    `height` is that of the axes, in inches. A narrow drawing has no header: the page that it is for sets it as text.
    """
    if is_narrow():
        figure, axes = _framed(NARROW, height, **subplots)
        figure.set_layout_engine("constrained", w_pad=0.02)
        return figure, axes
    head = [*textwrap.wrap(title.removesuffix("."), 66), ""] if title else []
    lines = textwrap.wrap(subtitle, 92)
    header = 0.21 * max(len(head) - 1, 0) + 0.17 * len(lines) + 0.16
    total = height + header
    figure, axes = _framed(WIDTH, total, **subplots)
    figure.set_layout_engine("constrained", rect=(0, 0, 1, 1 - header / total))
    figure.text(0.01, 1 - 0.06 / total, "\n".join(head[:-1]), va="top", weight="bold", size=10.5, linespacing=1.25)
    below = 0.21 * max(len(head) - 1, 0) + 0.09
    figure.text(0.01, 1 - below / total, "\n".join(lines), va="top", size=8.5, color=QUIET, linespacing=1.25)
    return figure, axes


def _framed(width: float, height: float, **subplots: Any) -> tuple[Figure, Any]:
    """A figure with its axes, whose spines are no matter of the layout: they stand where the axes end.

    To find what a spine takes up, ticks would be placed anew each time.
    """
    figure, axes = plt.subplots(figsize=(width, height), **subplots)
    for ax in figure.axes:
        for spine in ax.spines.values():
            spine.set_in_layout(False)
    return figure, axes


def colour(accelerator: str) -> str:
    """The accelerator's own colour, the same in every report; grey for one that has none."""
    return COLOURS.get(accelerator, OTHER)


def nothing(title: str) -> Drawing:
    """The drawing of an empty frame: a sentence in place of a figure."""
    return Drawing(None, f"{title} No comparable row for these parameters: nothing to draw.")


def show(drawing: Drawing | Twice, source: str, table: Table | None = None) -> None:
    """Display the drawing as SVG with its alt text and source line, the table of its numbers below, and close it.

    `table` takes the place of the numbers that the chart tells by itself, where a fuller one says the same.
    Raises ValueError where the alt text has no number or the source line is empty: such a figure tells nothing to
    some readers, or comes from nowhere.
    """
    shown = drawing.shown()
    if shown is None:
        display(HTML(f'<p class="nothing">{html.escape(drawing.alt)}</p>'))
        return
    if not any(character.isdigit() for character in shown.alt):
        raise ValueError("a figure needs alt text: a sentence with its numbers")
    if not source.strip():
        raise ValueError("a figure needs a source line: use provenance.source_line(catalog, rows)")
    metadata: dict[str, Any] = {"image/svg+xml": {"alt": shown.alt, "caption": source, **shown.header}}
    metadata[KEY] = shown.key
    if shown.narrow is not None:
        metadata[SMALL] = shown.narrow
    display({"image/svg+xml": shown.svg, "text/plain": shown.alt}, metadata=metadata, raw=True)
    numbers, csv = _forms(table) if table is not None else (shown.numbers, shown.csv)
    if numbers:
        display(numbers, metadata={BESIDE: True, CSV: csv}, raw=True)


def _forms(numbers: Table) -> tuple[dict[str, str], str]:
    """A figure's table as it is put out below it, by MIME type, and as CSV."""
    return numbers.beside_figure()._repr_mimebundle_(), numbers.csv()


def _header(figure: Figure) -> dict[str, Any]:
    """Title and subtitle as text, and the share of the figure's height that they take: a page sets them itself."""
    if len(figure.texts) != 2:
        return {}
    title, subtitle = (" ".join(text.get_text().split()) for text in figure.texts)
    return {"title": title, "subtitle": subtitle, "header": round(1 - figure.get_layout_engine().get()["rect"][3], 4)}


def svg(figure: Figure) -> str:
    """The figure as SVG text, the same bytes for the same data, with colours for light and for dark ground."""
    buffer = io.StringIO()
    _Canvas(figure).write(buffer)
    drawn = _HOVER.sub(r"<g><title>\1</title>", buffer.getvalue())
    return drawn.replace("</style>", dark_style(drawn) + "</style>", 1)


class _Canvas(FigureCanvasSVG):
    """matplotlib's, which `savefig` lays out and draws twice, with one renderer for the layout and for the drawing.

    So a text is measured once, whichever drawing it stands in: `print_svg` would make a second renderer for the layout
    alone, and each has a cache of sizes of its own.
    """

    def write(self, buffer: io.StringIO) -> None:
        """Write the drawing, as `print_svg` does."""
        dpi, self.figure.dpi = self.figure.dpi, self.fixed_dpi
        width, height = self.figure.get_size_inches()
        points = width * self.fixed_dpi, height * self.fixed_dpi
        drawn = _Renderer(*points, buffer, image_dpi=dpi, metadata={"Date": None, "Creator": None})
        self._renderer = MixedModeRenderer(self.figure, width, height, dpi, drawn)
        self.figure.draw(self._renderer)
        self._renderer.finalize()

    def get_renderer(self) -> MixedModeRenderer:
        """What a figure asks its canvas for when it is laid out."""
        return self._renderer


class _Renderer(RendererSVG):
    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> tuple[float, float, float]:
        return _extent(s, prop.copy(), ismath)


@lru_cache(maxsize=4096)
def _extent(text: str, font: FontProperties, ismath: Any) -> tuple[float, float, float]:
    """Width, height and descent of a text in points."""
    return text_to_path.get_text_width_height_descent(text, font, ismath)
