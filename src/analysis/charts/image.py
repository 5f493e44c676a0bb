"""Turn a figure into a self-contained SVG with title, subtitle, and source."""

from __future__ import annotations

import hashlib
import io
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Bbox

from analysis.charts import theme

if TYPE_CHECKING:
    from seaborn import FacetGrid

PAD = 0.14  # inches around an image
NARROWEST = 6.5  # minimum width of a title in inches, however small its figure
TEXTS = {  # of a composed figure: size in points, weight, color, inches from what is below it (source: above)
    "title": (15, "bold", theme.INK, 0.07),
    "subtitle": (10.5, "normal", theme.MUTED, 0.12),
    "source": (8, "normal", theme.MUTED, 0.1),
}
STILL = {  # settings while a figure is saved: no new layout, text as paths, fixed ids
    "figure.constrained_layout.use": False, "svg.fonttype": "path", "svg.hashsalt": "analysis",
}  # fmt: skip
ON_DARK = "_analysis_on_dark"  # attribute of a figure: maps its printed colors to those on a dark page
SETTLE = "_analysis_settle"  # attribute of a figure: functions that place labels once its limits are final


@theme.look()
def compose(figure: Figure | Axes, title: str, subtitle: str = "", source: str = "") -> Figure:
    """Return the figure with title and subtitle above it and its source below, as parts of the image.

    Works on any figure or axes of matplotlib or seaborn, whatever its size and layout: the canvas grows and the drawing
    keeps its position. Texts wrap at the width of the image. A second call replaces the texts of the first.
    """
    figure = lay_out(figure)
    with rc_context(STILL):
        figure.set_layout_engine(None)  # with "none" each file is drawn twice, once to nowhere
    for text in [text for text in figure.texts if text.get_gid() in TEXTS]:
        text.remove()
    drawn = figure.get_tightbbox()
    left, right = drawn.x0, max(drawn.x1, drawn.x0 + (NARROWEST if title else 0))
    bottom, top = drawn.y0, drawn.y1
    for name, words in (("source", source), ("subtitle", subtitle), ("title", title)):
        if words:
            size, weight, color, gap = TEXTS[name]
            height = bottom - gap if name == "source" else top + gap
            at = figure.transFigure.inverted().transform(figure.dpi_scale_trans.transform((left, height)))
            lines = wrap(words, right - left, size, weight)
            look = {"size": size, "weight": weight, "color": color, "linespacing": 1.3, "gid": name}
            text = figure.text(*at, lines, va="top" if name == "source" else "bottom", **look)
            text.set_in_layout(False)
            box = text.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
            bottom, top = min(bottom, box.y0), max(top, box.y1)
    figure._analysis_head = (top - drawn.y1) / (right - left + 2 * PAD)
    figure._analysis_canvas = Bbox.from_extents(left, bottom, right, top).padded(PAD)
    return figure


@theme.look()
def svg(figure: Figure | Axes) -> str:
    """Return the figure as SVG, byte for byte the same for the same data.

    Ink, muted text, grid, surface, and colors too dark for a dark page are CSS variables with the printed color as
    fallback, so a page sets them with `--ink`, `--muted`, `--grid`, `--surface`, and `--missing`. Its own
    `--head` is the height of title and subtitle over the width, for a page that shows them as text instead.
    """
    figure, buffer = figure.figure, io.StringIO()
    nothing = dict.fromkeys(["Date", "Creator", "Format", "Type"])
    canvas = getattr(figure, "_analysis_canvas", None) or lay_out(figure).get_tightbbox().padded(PAD)
    with rc_context(STILL):
        figure.savefig(buffer, format="svg", bbox_inches=canvas, metadata=nothing)
    drawn = buffer.getvalue()
    drawn = re.sub(r' id="((?:sub)?title)"', r' class="\1"', drawn[drawn.index("<svg") :])
    drawn = re.sub(r' id="(?!\w*[0-9a-f]{10}|DejaVu)[^"]*"', "", drawn)
    drawn = _with_own_ids(_with_variables(drawn, getattr(figure, ON_DARK, {})))
    head = f"--head: {getattr(figure, '_analysis_head', 0):.3f}; "
    return drawn.replace(' style="', f' style="{head}', 1)


def lay_out(figure: Figure | Axes) -> Figure:
    """Lay out the figure, place its direct labels by its present limits, and return it."""
    figure = figure.figure
    if engine := figure.get_layout_engine():
        engine.execute(figure)
    for place in getattr(figure, SETTLE, []):
        place()
    return figure


def wrap(text: object, width: float, size: float, weight: str = "normal") -> str:
    """Break a text into lines that are drawn at most `width` inches wide, words that are too wide at hyphens."""

    def fits(line: str) -> bool:
        return text_width(line.rstrip(), size, weight) <= width

    lines = []
    for paragraph in str(text).split("\n"):
        line = ""
        for word in re.findall(r"\S+\s*", paragraph):
            for part in [word] if fits(word) else re.findall("[^-]*-|[^-]+", word):
                if line and not fits(line + part):
                    lines.append(line)
                    line = ""
                line += part
        lines.append(line)
    return "\n".join(line.rstrip() for line in lines if line)


def wrap_titles(grid: FacetGrid) -> None:
    """Break the titles of seaborn's panels at " | " and at the width of a panel, and lay them out again."""
    for ax in grid.axes.flat:
        width = ax.get_position().width * grid.figure.get_figwidth()
        for place in ("left", "center"):
            title = ax.get_title(place).replace(" | ", "\n")
            ax.set_title(wrap(title, width, ax.title.get_fontsize(), ax.title.get_fontweight()), loc=place)
    grid.tight_layout()


@lru_cache(maxsize=5000)  # labels repeat, and the result depends on the arguments alone
def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of a line of text in inches."""
    font = FontProperties(size=size, weight=weight)
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72


def _with_own_ids(drawn: str) -> str:
    """Return the SVG with ids that are unique on a page, numbered in order.

    matplotlib's are digests of coordinates, whose last bit depends on where the layout's variables are in memory.
    """
    bare = re.sub(r'( id="|href="#|url\(#)[^")]+', r"\1", drawn)
    prefix = hashlib.sha256(bare.encode()).hexdigest()[:6]
    places = {name: str(place) for place, name in enumerate(re.findall(r' id="([^"]+)"', drawn))}
    return re.sub(
        r'( id="|href="#|url\(#)([^")]+)', lambda found: f"{found[1]}i{prefix}-{places.get(found[2], '')}", drawn
    )


def _with_variables(drawn: str, on_dark: dict[str, str]) -> str:
    """Return the SVG with colors as CSS variables; the plain color precedes each as a fallback.

    White text stays white, since it sits on a mark whose color is the same on a dark page. Of other colors those of
    accelerators and of the palette change, and those of `on_dark`.
    """
    marks = {hue: theme.on_dark(hue) for hue in {*theme.colors().values(), *theme.PALETTE}} | on_dark
    marks = {hue: other for hue, other in marks.items() if other != hue}
    names = theme.VARIABLES | {hue: f"on-{hue[1:]}" for hue in marks}

    def restyled(tag: re.Match[str]) -> str:
        def variable(rule: re.Match[str]) -> str:
            name = names.get(rule[2])
            white = tag[1] == "g" and rule[2] == theme.SURFACE
            return f"{rule[0]}; {rule[1]}: var(--{name}, {rule[2]})" if name and not white else rule[0]

        return re.sub(r"\b(fill|stroke): (#[0-9a-f]{6})", variable, tag[0])

    drawn = re.sub(r"(<defs>\s*<style.*?</defs>|<!--.*?-->)\s*", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"(?<!scale\(0)(\.\d{3})\d+", r"\1", drawn)  # a thousandth of a point is enough
    drawn = re.sub(r'(<rect [^>]*?)fill="(#[0-9a-f]{6})"', r'\1style="fill: \2"', drawn)  # the ground of hatches
    drawn = re.sub(r'<(\w+) [^<>]*?style="[^"]*"', restyled, drawn)
    rules = "".join(f"--on-{hue[1:]}:{marks[hue]};" for hue in sorted(marks) if f"--on-{hue[1:]}" in drawn)
    style = f"<style>@media screen and (prefers-color-scheme:dark){{svg{{{rules}}}}}</style>" if rules else ""
    # The image is no wider than its page in any viewer.
    ink = f"max-width: 100%; height: auto; stroke-linejoin: round; fill: {theme.INK}; fill: var(--ink, {theme.INK})"
    return re.sub(r"(<svg[^>]*)>", rf'\1 style="{ink}">{style}', drawn, count=1)
