"""Factors that multiply to a total, drawn as a waterfall."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analysis.charts import parts, theme
from analysis.names import choose

LOOKS = {  # of each kind: color, and whether solid, hatched or dashed
    "measured": (theme.PALETTE[0], "solid"),
    "published": ("#4c9f9a", "solid"),
    "simulated": ("#b85c00", "hatched"),
    "modeled": ("#b85c00", "hatched"),
    "assumed": (theme.MUTED, "dashed"),
    "total": ("#aebdcc", "solid"),
}
PATCHES = {"solid": parts.solid_patch, "hatched": parts.hatched_patch, "dashed": parts.dashed_patch}
STEP = 1.0  # inches of a bar


def waterfall(
    frame: pd.DataFrame, label: str, factor: str, *, low: str | None = None, high: str | None = None,
    kind: str | None = None, note: str | None = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the running product of factors, one bar per row from left to right, its value above, range and note below.

    `kind` is a column of measured, published, simulated, modeled, assumed, or total. A total is a whole bar at the running
    product: its factor counts as 1 but in the first row, and its `low` and `high` are ends of the product. Products that
    end below 1 are drawn as percent from zero, others as multiples on a logarithmic scale from the 1x line.
    """
    frame = parts.check(frame, label, factor, low, high, kind, note)
    kinds = frame[kind].fillna("measured") if kind else pd.Series("measured", frame.index)
    for each in kinds.unique():
        choose(each, LOOKS, "kind of factor")
    total = kinds.eq("total")
    factors = frame[factor].where(~total | (frame.index == 0), 1.0).astype(float)
    after = factors.cumprod()
    before = after.shift(fill_value=1.0)
    share = after.iloc[-1] <= 1.0
    ax = parts.axes(ax, max(theme.WIDTH, STEP * len(frame) + 0.8), 4.6)
    scale, unit = (100, "%") if share else (1, "x")
    base = 0.0 if share else 1.0
    if not share:
        ax.set_yscale("log")
    for row in frame.index:
        color, form = LOOKS[kinds[row]]
        first, last = (base, after[row]) if total[row] else (before[row], after[row])
        look = {
            "solid": {"facecolor": color, "lw": 0},
            "hatched": {"hatch": parts.HATCH, "edgecolor": color, "lw": 1.2},
        }
        look |= {"dashed": {"edgecolor": color, "ls": (0, (3, 2)), "lw": 1.4}}
        bottom, height = scale * min(first, last), scale * abs(last - first)
        ax.bar(row, height, bottom=bottom, width=0.7, zorder=2, **{"facecolor": theme.SURFACE, **look[form]})
        if row:
            joint = scale * before[row]
            ax.plot([row - 0.65, row - 0.35], [joint, joint], color=theme.MUTED, lw=1, zorder=1.5)
        ends = [frame[column][row] for column in (low, high) if column]
        ranged = len(ends) == 2 and all(pd.notna(ends)) and ends[0] != ends[1]
        top = scale * max(first, last)
        if total[row]:
            if ranged:
                ax.plot([row, row], [scale * end for end in ends], color=theme.INK, lw=1.4, marker="_", ms=9, zorder=4)
                top = max(top, scale * ends[1])
            words = f"{100 * after[row]:.2g}%" if share else f"{after[row]:.2f}x"
            _write(ax, row, top, words.replace("1e+02", "100"), 5, "bottom", size=14, weight="bold")
            _write(ax, row, bottom, "\n".join(_notes(frame, row, note)), -6 if share else 5, "top" if share else "bottom",
                   size=8, color=theme.MUTED) if note and share else None  # fmt: skip
            continue
        _write(ax, row, top, f"\u00d7{frame[factor][row]:.2f}", 4, "bottom", size=12, weight="bold")
        below = [f"{ends[0]:.2f}\u2013{ends[1]:.2f}"] if ranged else []
        _write(ax, row, bottom, "\n".join([*below, *_notes(frame, row, note)]), -4, "top", size=8.5, color=theme.MUTED)
    ax.set_xticks(frame.index, [parts.fold(name, 13) for name in frame[label]], size=9.5)
    ax.grid(axis="x", visible=False)
    _scale(ax, share, after)
    parts.legend(
        ax, {each: PATCHES[LOOKS[each][1]](LOOKS[each][0]) for each in LOOKS if each in set(kinds) - {"total"}}
    )
    return ax


def _notes(frame: pd.DataFrame, row: int, note: str | None) -> list[str]:
    """Return the lines of a row's note, folded to the width of its bar."""
    text = frame[note][row] if note else ""
    return parts.fold(text, 14).split("\n") if isinstance(text, str) and text else []


def _write(ax: Axes, x: float, y: float, words: str, up: float, va: str, **look: object) -> None:
    ax.annotate(
        words, (x, y), (0, up), textcoords="offset points", ha="center", va=va, linespacing=1.25, zorder=5,
        bbox={"facecolor": theme.SURFACE, "edgecolor": "none", "pad": 0.8, "alpha": 0.8}, annotation_clip=False,
        parse_math=False, **look,
    )  # fmt: skip


def _scale(ax: Axes, share: bool, after: pd.Series) -> None:
    """Set the limits and ticks of the running product: percent from zero, or multiples around 1x."""
    ax.set_xlim(-0.6, len(after) - 0.4)
    if share:
        ax.set_ylim(0, 100 * max(after.max(), 1) * 1.12)
        ax.set_yticks(range(0, 101, 20))
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
        return
    least, most = min(after.min(), 1), after.max()
    ax.set_ylim(least / (most / least) ** 0.22, most * (most / least) ** 0.14)
    ax.yaxis.set_major_locator(
        parts.plt.FixedLocator([n for n in (0.1, 0.2, 0.5, 1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 50) if n])
    )
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}x")
    ax.minorticks_off()
    ax.axhline(1, color=theme.INK, lw=1, zorder=3)
    ax.spines["bottom"].set_visible(False)
