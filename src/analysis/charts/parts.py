"""The parts that row charts are made of: bars, numbers, axes, guides, legends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analysis._core import notes as wording
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis.charts import style
from analysis.charts.colors import BAND, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.lines import Line2D

BOX = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # behind words, so that no line strikes them out
_GAP, _FRAME = 7, 24  # points between a bar and its words, and around the axes beside their labels
_THOUSAND = 1000  # from here on ticks have separators of thousands
_DECADE, _POWERS = 1.2, 3  # powers of ten below and above which an axis has more or fewer ticks
# Letters that a label, an axis' words and what is behind a bar may have on a line of a narrow drawing.
_LETTERS, _LINE, _BEHIND = 18, 38, 22
_SHAPES = ("v", "P", "X", "<", ">", "*", "p", "h", "d")


def notes_of(rows: pd.DataFrame, label: str) -> Notes:
    """Every note of the rows, about accelerators where the rows have them."""
    return wording.of_rows(rows, "accelerator" if "accelerator" in rows else label)


def percentiles(ax: Axes, marks: Sequence[float], names: Sequence[str], texts: Sequence[str]) -> None:
    """A line at each percentile, named once where several fall together; the names step down, so none overlap."""
    place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "size": 7.5, "va": "top"}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    for step, (mark, text) in enumerate(dict(zip(marks, texts, strict=True)).items()):
        names_here = ", ".join(name for name, other_mark in zip(names, marks, strict=True) if other_mark == mark)
        ax.axvline(mark, color=INK, lw=1)
        ax.annotate(f"{names_here}: {text}", (mark, 0.98 - 0.2 * step), (4, 0), bbox=box, **place)


def bar(ax: Axes, row: dict, name: str, place: float, ink: str, marker: str, face: str, hover_text: str = "") -> None:
    """An interval as a wide line with a marker at its middle, or the row's own median; nothing where it is missing.

    `hover_text` is shown when one of them is pointed at.
    """
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if low != low:
        return
    middle = row.get(f"{name}_median", np.sqrt(low * high) if low > 0 else (low + high) / 2)
    gid = f"{style.HOVER}{hover_text}" if hover_text else None
    ax.plot([low, high], [place, place], color=ink, lw=3.2, alpha=0.45, solid_capstyle="butt", zorder=2, gid=gid)
    ax.plot(middle, place, marker, color=ink, mfc=face, ms=5.5, zorder=3, gid=gid)


def pointed_at(ax: Axes, corner: tuple[float, float], hover_text: str) -> None:
    """A square of one unit that says `hover_text` when it is pointed at: what fills it can be felt, but is not seen."""
    from matplotlib.patches import Rectangle  # Loaded where something is drawn, as in `style`.

    gid = f"{style.HOVER}{hover_text}"
    ax.add_patch(Rectangle(corner, 1, 1, facecolor=BAND, alpha=0.004, linewidth=0, zorder=4, gid=gid))


def hover(row: Mapping[str, Any], label: str, *numbers: str) -> str:
    """What is known of a row when its mark is pointed at: accelerator, system, submitter, round, software and numbers.

    Each as far as the row has it; without accelerator its label.
    """
    who = [row.get("accelerator") or row[label], *(row.get(name, "") for name in ("system", "submitter"))]
    where = [row.get("basis") or row.get("round", ""), row.get("software", "")]
    texts = (" ".join(str(text).split()) for text in (*who, *where, *numbers) if isinstance(text, str))
    return " \u00b7 ".join(dict.fromkeys(filter(None, texts)))


def face(row: Mapping[str, Any], ink: str, hollow: str) -> str:
    """The inside of a row's marker: white for what the column `hollow` says, and for what was in preview."""
    preview = any(note.kind.mark == wording.PREVIEW for note in row.get("notes", NONE))
    return "white" if preview or (hollow and row[hollow]) else ink


def number(ax: Axes, end: float, place: float, words: str) -> None:
    """A number behind its bar, on white so that a guide line does not strike it out."""
    ax.annotate(words, (end, place), (_GAP, 0), textcoords="offset points", va="center", size=7.5, bbox=BOX, zorder=4)


def column(ax: Axes, places: Sequence[float], words: Sequence[str]) -> None:
    """Numbers in a column at the right of the axes, where they cannot be taken for those of another mark."""
    for place, number in zip(places, words, strict=True):
        beside_axes = {"xy": (1, place), "xycoords": ("axes fraction", "data"), "xytext": (_GAP, 0)}
        ax.annotate(number, **beside_axes, textcoords="offset points", va="center", size=7.5, annotation_clip=False)


def words(number: str, row: dict, note: str = "", of_all: Notes = NONE) -> str:
    """What is behind a bar: its number, the words of a column if asked for, and the mark of the row's own notes.

    What holds for all rows (`of_all`) has no mark: a sign behind every number would say nothing.
    """
    marks = wording.marks(row.get("notes", NONE), of_all)
    text = " · ".join(filter(None, [number, row[note] if note else ""])) + (f" {marks}" if marks else "")
    return style.wrapped(text, _BEHIND)


def places(labels: pd.Series) -> np.ndarray:
    """Rows from the top, with a little air where the label changes."""
    changes = labels.ne(labels.shift()).cumsum().to_numpy() - 1
    return -(np.arange(len(labels)) + 0.35 * changes)


def axis(ax: Axes, labels: pd.Series, places: np.ndarray, axis: str, log: bool) -> None:
    """The rows' labels at the left, the quantity below, on a logarithmic scale where `log`."""
    run = labels.ne(labels.shift()).cumsum().to_numpy()
    middles = pd.Series(places).groupby(run).mean()
    wrapped = [style.wrapped(label, _LETTERS) for label in labels.groupby(run).first()]
    ax.set_yticks(list(middles), wrapped, size=8.5)
    ax.yaxis.set_label_coords(0, 0)  # It has no words: without a place they would be moved beside the rows' each time.
    ax.set_ylim(places.min() - 0.8, 0.8)
    ax.grid(axis="y", visible=False)
    if log:
        ax.set_xscale("log")
    ax.tick_params(axis="x", labelsize=8.5)
    ax.set_xlabel(style.wrapped(log_scale(axis) if log else axis, _LINE), size=9)


def log_scale(words: str) -> str:
    """The label of a logarithmic axis: `throughput (tokens/s, log scale)`."""
    return f"{words[:-1]}, log scale)" if words.endswith(")") else f"{words} (log scale)"


def log_ticks(axis: Axis) -> None:
    """Label a logarithmic axis in plain numbers, the more of each power of ten the fewer powers it spans."""
    low, high = axis.get_view_interval()
    spans = np.log10(high / low)
    wide, narrow = ((1, 1.5, 2, 3, 4, 6, 8), (1, 2, 3, 5)) if spans < _DECADE else ((1, 2, 5), (1, 3))
    steps = (1,) if spans > _POWERS else narrow if style.is_narrow() else wide
    axis.get_major_locator().set_params(subs=steps)
    axis.set_major_formatter(plain)
    axis.minorticks_off()


def plain(value: float, _: int) -> str:
    """A tick's number with separators of thousands."""
    return f"{value:,.10g}"


def limits(ax: Axes, low: float, high: float, log: bool) -> None:
    """The axis from a little below `low`, or 0 where that is near, to a little above `high`."""
    if log:
        reach = max(np.log10(high / low), 0.3)
        ax.set_xlim(low / 10 ** (0.06 * reach), high * 10 ** (0.06 * reach))
        log_ticks(ax.xaxis)
    else:
        if high >= _THOUSAND:
            ax.xaxis.set_major_formatter(plain)
        start = 0 if low < 0.4 * high else low
        reach = (high - start) or high
        ax.set_xlim(start - 0.06 * reach, high + 0.06 * reach)


def right_room(ax: Axes) -> None:
    """The axis as much further to the right as the words behind the bars need; their size does not change with it."""
    renderer = ax.figure.canvas.get_renderer()
    labels = max(label.get_window_extent(renderer).width for label in ax.get_yticklabels())
    across = ax.figure.bbox.width - labels - _FRAME * ax.figure.dpi / 72
    onto, back = ax.xaxis.get_transform().transform, ax.xaxis.get_transform().inverted().transform
    left, right = onto(ax.get_xlim())
    for text in ax.texts:
        free = across - text.get_window_extent(renderer).width - _GAP * ax.figure.dpi / 72
        right = max(right, left + (onto(text.xy[0]) - left) * across / max(free, across / 3))
    ax.set_xlim(right=back(right))


def guides(ax: Axes, reference: float | None, band: tuple[float, float] | None) -> None:
    """The reference as a dashed line, the band as a shaded range; the axis reaches both."""
    left, right = ax.get_xlim()
    if reference is not None:
        ax.axvline(reference, color=style.QUIET, lw=1, ls="--", zorder=1)
        left, right = min(left, reference * 0.97), max(right, reference * 1.03)
    if band:
        ax.axvspan(*band, color=BAND, alpha=0.55, lw=0, zorder=0)
        left, right = min(left, band[0] * 0.97), max(right, band[1] * 1.03)
    ax.set_xlim(left, right)


def markers(rows: pd.DataFrame, series: str) -> dict[str, str]:
    """A marker per name of the column `series`: that of its round or its origin, or a spare one where it is taken.

    A round of the official record has one of its own in each figure (style.round_markers), as each origin has
    (style.MARKERS). Rows without a column `origin` are taken for published ones.
    """
    spare = iter(_SHAPES)
    shapes: dict[str, str] = {}
    for row in as_dicts(rows.drop_duplicates(series)):
        usual = _marker(row)
        shapes[row[series]] = usual if usual not in shapes.values() else next(spare, "o")
    return shapes


def _marker(row: Mapping[str, Any]) -> str:
    origin = row.get("origin", "published")
    rounds = [row["round"]] if "round" in row else row.get("rounds", ())
    marker_of_round = style.round_markers().get(rounds[0]) if origin == "official" and len(rounds) == 1 else None
    return marker_of_round or style.MARKERS[origin]


def sample(**look: Any) -> Line2D:
    """A line or a marker as a legend shows it: with matplotlib's words for its look, and its `label`."""
    from matplotlib.lines import Line2D  # Loaded where something is drawn, as in `style`.

    return Line2D([], [], **look)


def legend(ax: Axes, markers: dict[str, str], band_label: str, hollow: Sequence[str] = ()) -> None:
    """Each marker with its name, below the axes, where there is more than one to tell apart."""
    gray = style.QUIET
    entries = [
        sample(ls="", marker=m, color=gray, mfc="white" if name in hollow else gray, ms=5.5, label=name)
        for name, m in markers.items()
    ]
    if band_label:
        entries.append(sample(lw=7, color=BAND, label=band_label, solid_capstyle="butt"))
    if len(entries) > 1:
        columns = (3 if max(len(entry.get_label()) for entry in entries) < 26 else 2) - style.is_narrow()
        place = {"loc": "outside lower left", "ncols": columns, "fontsize": 8, "handletextpad": 0.4}
        ax.figure.legend(handles=entries, **place)
