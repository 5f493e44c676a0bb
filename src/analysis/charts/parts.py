"""The parts that charts are made of: marks, words beside them, axes, guides, legends."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analysis._core import notes as wording
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis.charts import style
from analysis.charts.colors import BAND

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

BOX = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # behind words, so that no line strikes them out
_GAP, _FRAME = 7, 24  # points between a mark and its words, and around the axes beside their labels
_THOUSAND = 1000  # from here on ticks have separators of thousands
_DECADE, _POWERS = 1.2, 3  # powers of ten below and above which an axis has more or fewer ticks
_BEHIND, _NAME = 22, 16  # letters on a line of a narrow drawing: of words behind a bar, of a name
_STEPS = (0, 10, -10, 20, -20, 30, -30, 40, -40)  # points that a name may be above or below its point
_FAR = 20  # points from which on a thin line leads from a name to its point
_SHAPES = ("v", "P", "X", "<", ">", "*", "p", "h", "d")


def notes_of(rows: pd.DataFrame, label: str) -> Notes:
    """Every note of the rows, about accelerators where the rows have them."""
    return wording.of_rows(rows, "accelerator" if "accelerator" in rows else label)


def middle(ends: Interval) -> Any:
    """The geometric middle of a range, the arithmetic one of a range from or below zero."""
    return ends.middle if ends.low > 0 else mean(ends)


def mean(ends: Interval) -> Any:
    """The arithmetic middle of a range."""
    return (ends.low + ends.high) / 2


def point(ax: Axes, x: float, y: float, ink: str, tooltip: str, marker: str = "o", face: str = "", **look: Any) -> None:
    """A marker that says `tooltip` when it is pointed at."""
    look = {"ms": 5.5, "zorder": 3, "clip_on": False} | look
    ax.plot(x, y, marker, color=ink, mfc=face or ink, gid=f"{style.HOVER}{tooltip}", **look)


def ranged(ax: Axes, x: Interval, y: Interval, ink: str, tooltip: str, width: float = 3.2, **look: Any) -> None:
    """A point with both its ranges as wide lines, which say `tooltip` too; nothing where a range is missing."""
    if not (x.known and y.known):
        return
    i, j = middle(x), middle(y)
    for across, up in (([x.low, x.high], [j, j]), ([i, i], [y.low, y.high])):
        line = {"color": ink, "lw": width, "alpha": 0.45, "solid_capstyle": "butt", "zorder": 2}
        if across[0] != across[1] or up[0] != up[1]:
            ax.plot(across, up, gid=f"{style.HOVER}{tooltip}", **line)
    point(ax, *look.pop("at", (i, j)), ink, tooltip, **look)


def hover(row: Mapping[str, Any], label: str, *numbers: str) -> str:
    """What is known of a row when its mark is pointed at: accelerator, system, submitter, round, software and numbers.

    Each as far as the row has it; without accelerator its label.
    """
    who = [row.get("accelerator") or row[label], *(row.get(name, "") for name in ("system", "submitter"))]
    where = [row.get("basis") or row.get("round", ""), row.get("software", "")]
    texts = (" ".join(str(text).split()) for text in (*who, *where, *numbers) if isinstance(text, str))
    return " \u00b7 ".join(dict.fromkeys(filter(None, texts)))


def face(row: Mapping[str, Any], ink: str, hollow: str = "") -> str:
    """The inside of a row's marker: white for what the column `hollow` says, and for what was in preview."""
    preview = any(note.kind.mark == wording.PREVIEW for note in wording.of_cell(row.get("notes", NONE)))
    return "white" if preview or (hollow and row[hollow]) else ink


def text_at(ax: Axes, x: float, y: float, words: str, aside: float = _GAP, **look: Any) -> Annotation:
    """Words at the right of a point, or at its left, on white so that no line strikes them out."""
    look = {"va": "center", "size": 7.5, "bbox": BOX, "zorder": 4, "annotation_clip": False} | look
    ha = "left" if aside > 0 else "right"
    return ax.annotate(words, (x, y), (aside, 0), textcoords="offset points", ha=ha, **look)


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


def rows_axis(ax: Axes, labels: pd.Series, places: np.ndarray, axis: str, log: bool = False) -> None:
    """The rows' labels at the left, the quantity below, on a logarithmic scale where `log`."""
    run = labels.ne(labels.shift()).cumsum().to_numpy()
    middles = pd.Series(places).groupby(run).mean()
    ax.set_yticks(list(middles), [style.wrapped(label, 18) for label in labels.groupby(run).first()])
    ax.yaxis.set_label_coords(0, 0)  # It has no words: without a place they would be moved beside the rows' each time.
    ax.set_ylim(places.min() - 0.8, 0.8)
    ax.grid(axis="y", visible=False)
    if log:
        ax.set_xscale("log")
    name_axes(ax, log_scale(axis) if log else axis)


def name_axes(ax: Axes, x: str = "", y: str = "") -> None:
    """The words of both axes, on as many lines as they need."""
    ax.set_xlabel(style.wrapped(x, 38))
    ax.set_ylabel(textwrap.fill(y, 26 if style.is_narrow() else 42))


def log_axes(ax: Axes, x: str, y: str) -> None:
    """Two logarithmic axes with their words."""
    ax.set(xscale="log", yscale="log")
    name_axes(ax, log_scale(x), log_scale(y))
    for axis in (ax.xaxis, ax.yaxis):
        log_ticks(axis)


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


def limits(ax: Axes, low: float, high: float, log: bool, from_zero: bool = True) -> None:
    """The axis to a little above `high`, from a little below 0, or below `low` where logarithmic or not `from_zero`."""
    if log:
        reach = max(np.log10(high / low), 0.3)
        ax.set_xlim(low / 10 ** (0.06 * reach), high * 10 ** (0.06 * reach))
        log_ticks(ax.xaxis)
    else:
        if high >= _THOUSAND:
            ax.xaxis.set_major_formatter(plain)
        start = min(low, 0) if from_zero or low < 0.4 * high else low
        reach = (high - start) or high
        ax.set_xlim(start - 0.06 * reach, high + 0.06 * reach)


def right_room(ax: Axes, texts: Sequence[Annotation]) -> None:
    """The axis as much further to the right as the words behind points need; their size does not change with it."""
    point = ax.figure.dpi / 72
    labels = max(label.get_window_extent().width for label in ax.get_yticklabels())
    labels += ax.yaxis.label.get_window_extent().width if ax.get_ylabel() else 0
    across, gap = ax.figure.bbox.width - labels - _FRAME * point, _GAP * point
    onto, back = ax.xaxis.get_transform().transform, ax.xaxis.get_transform().inverted().transform
    left, right = onto(ax.get_xlim())
    for text in texts:
        text.set_in_layout(False)  # or it would make the axes smaller
        free = across - text.get_window_extent().width - gap
        right = max(right, left + (onto(text.xy[0]) - left) * across / max(free, across / 3))
    ax.set_xlim(right=back(right))


def name_lines(ax: Axes, lines: Mapping[str, tuple[np.ndarray, str]], beside: Iterable[np.ndarray] = ()) -> None:
    """The name of each line in its color beside its last point, where it covers no point, line or other name.

    A name that is far from its point has a thin line to it.

    `lines` have places in the data and a color by name; the points `beside` them are not to be covered either.
    """
    downward = sorted(lines.items(), key=lambda line: -line[1][0][-1, 1])
    texts = [text_at(ax, *places[-1], style.wrapped(name, _NAME), color=ink) for name, (places, ink) in downward]
    right_room(ax, texts)
    ax.figure.draw_without_rendering()
    every = [*(places for places, _ in lines.values()), *(places for places in beside if len(places))]
    taken = np.concatenate([_along(ax.transData.transform(places)) for places in every])
    boxes: list[Bbox] = []
    asides = [(side * _GAP, up) for side in (1, -1) for up in _STEPS]
    for text in texts:
        faults = [_faults(_moved(text, aside), ax.bbox, taken, boxes) + abs(aside[1]) / 50 for aside in asides]
        place = asides[int(np.argmin(faults))]
        boxes.append(_moved(text, place))
        if abs(place[1]) >= _FAR:
            line = {"arrowstyle": "-", "lw": 0.6, "color": text.get_color(), "shrinkA": 0, "shrinkB": 2}
            ax.annotate("", text.xy, place, textcoords="offset points", arrowprops=line, zorder=2)


def _moved(text: Annotation, aside: tuple[int, int]) -> Bbox:
    """The place on paper of a name that is put so many points aside of its point."""
    text.set(ha="left" if aside[0] > 0 else "right", position=aside)
    return text.get_window_extent()


def _faults(box: Bbox, inside: Bbox, taken: np.ndarray, higher: Iterable[Bbox]) -> float:
    """How much a name at this place covers, how far it is out of the axes, and above how many of higher lines."""
    covered = ((taken > box.p0) & (taken < box.p1)).all(axis=1).sum()
    outside = max(inside.x0 - box.x0, 0) + max(box.x1 - inside.x1, 0) + max(inside.y0 - box.y0, 0)
    above = sum(box.x0 < other.x1 and other.x0 < box.x1 and other.y0 < box.y1 for other in higher)
    return float(covered + outside + 3 * above + 100 * sum(map(box.overlaps, higher)))


def _along(corners: np.ndarray) -> np.ndarray:
    """Points on the lines between corners, close together."""
    steps = np.linspace(0, 1, 60)[:, None]
    return np.concatenate([corners, *(start + steps * (end - start) for start, end in pairwise(corners))])


def guides(ax: Axes, reference: float | None, band: tuple[float, float] | None = None) -> None:
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

    A round of the record has one of its own in each figure (style.round_markers), as each origin has
    (style.MARKERS). Rows without an origin are taken for published ones.
    """
    spare = iter(_SHAPES)
    shapes: dict[str, str] = {}
    for row in as_dicts(rows.drop_duplicates(series)):
        usual = _marker(row)
        shapes[row[series]] = usual if usual not in shapes.values() else next(spare, "o")
    return shapes


def _marker(row: Mapping[str, Any]) -> str:
    origin = row.get("origin") or "published"
    rounds = [row["round"]] if "round" in row else row.get("rounds", ())
    marker_of_round = style.round_markers().get(rounds[0]) if origin == "official" and len(rounds) == 1 else None
    return marker_of_round or style.MARKERS[origin]


def sample(label: str, marker: str = "", **look: Any) -> Line2D:
    """A line, or a marker where there is one, as a legend shows it, in gray by default."""
    from matplotlib.lines import Line2D  # Loaded where something is drawn, as in `style`.

    usual = {"label": label, "marker": marker, "color": style.QUIET, "ms": 5.5, "lw": 0 if marker else 1.5}
    return Line2D([], [], **usual | look)


def band_sample(label: str) -> Line2D:
    """A band as a legend shows it."""
    return sample(label, lw=7, color=BAND, solid_capstyle="butt")


def legend(ax: Axes, entries: Sequence[Any], least: int = 2) -> None:
    """The entries below the axes, where there are as many as `least`."""
    if len(entries) >= least:
        letters = [len(entry.get_label()) + 6 for entry in entries]
        across = 56 if style.is_narrow() else 96
        columns = len(entries) if sum(letters) <= across else max(across // max(letters), 1)
        ax.figure.legend(handles=entries, loc="outside lower left", ncols=columns, handletextpad=0.5)
