"""The colors of figures on white and on dark ground, each distinguished from its ground."""

from __future__ import annotations

from colorsys import hls_to_rgb

from analysis._core import table_text

LIGHT, DARK = "#ffffff", "#1b2128"  # the grounds: paper, and the dark pages' card
LEAST = 3.0  # contrast of a mark with its ground that WCAG 2.2 asks for (success criterion 1.4.11)
LEAST_OF_WORDS = 4.5  # and of words (1.4.3)
INK, QUIET, RULE, GRID, BAND = "#222222", "#595959", "#c8c8c8", "#e6e6e6", "#d9d9d9"
ON_DARK = {LIGHT: DARK, INK: "#e6eaee", QUIET: "#b3bcc6", RULE: "#515d69", GRID: "#303943", BAND: "#3f4a56"}
CELL_INK = "#262626"  # words in a heat map's cells, which keep their colors on dark ground


def contrast(color: str, ground: str) -> float:
    """The contrast of two colors (#rrggbb), 1 to 21, as WCAG 2.2 defines it."""
    dark, light = sorted((_luminance(color), _luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def readable(color: str, ground: str, least: float = LEAST) -> str:
    """The color, mixed with black or white by as little as gives it contrast `least` with its ground."""
    away = "#000000" if _luminance(ground) > 0.5 else "#ffffff"
    mixes = (_mix(color, away, step / 50) for step in range(51))
    return next(mix for mix in mixes if contrast(mix, ground) >= least)


def _mix(start: str, end: str, share: float) -> str:
    ends = zip(_channels(start), _channels(end), strict=True)
    return "#" + "".join(f"{round(255 * (a + share * (b - a))):02x}" for a, b in ends)


def _channels(color: str) -> list[float]:
    return [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def _luminance(color: str) -> float:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in _channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


POINT = "#0173b2"  # what is no accelerator: a blue that color-blind readers tell from the others
OTHER = "#5b5b5b"


def of_accelerators() -> dict[str, str]:
    """The color of each accelerator that data/accelerators.csv gives one, made dark enough for white ground.

    By its name and by what people call it.
    """
    colored = [row for row in table_text.rows("accelerators") if row["color"]]
    names = ((row[name], row["color"]) for row in colored for name in ("label", "accelerator"))
    return {name: readable(color, LIGHT) for name, color in names if name}


COLORS = of_accelerators()


def by_place(place: int) -> str:
    """A color for white ground for what has none of its own: hues of the places 0, 1, ... lie a golden angle apart."""
    red, green, blue = hls_to_rgb(place * (3 - 5**0.5) / 2 % 1, 0.45, 0.5)
    return readable(f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}", LIGHT)


def as_style(color: str) -> str:
    """CSS variables: the color for marks on light and on dark ground, and for words."""
    grounds = {"light": (LIGHT, LEAST), "dark": (DARK, 1.3 * LEAST)}
    marks = {f"--{name}": readable(color, ground, least) for name, (ground, least) in grounds.items()}
    words = {f"--{name}-words": readable(color, ground, LEAST_OF_WORDS) for name, (ground, _) in grounds.items()}
    return ";".join(f"{name}:{value}" for name, value in (marks | words).items())


# What the audit says of a figure, from what agrees to what cannot be.
_JUDGED = {
    "confirmed": "#9a9a9a",
    "conditional": "#c98a00",
    "contradicted": "#c0392b",
    "physically impossible": "#6c1d6e",
}
JUDGED = {verdict: readable(color, LIGHT) for verdict, color in _JUDGED.items()}

# What official results were read from, by vocabulary.EVIDENCE: white is the weakest.
EVIDENCE = {"log": POINT, "summary": JUDGED["confirmed"], "table": JUDGED["conditional"], "collection": LIGHT}


def dark_style(svg: str) -> str:
    """CSS rules that give a drawing the colors for dark ground where a reader asks for dark pages on a screen.

    Only colors that `svg` uses are named. White on dark cells (a heat map's words) keeps its color.
    """
    names = [*(c for c in ON_DARK if c != LIGHT), *dict.fromkeys([*COLORS.values(), *JUDGED.values(), POINT, OTHER])]
    swaps = {name: ON_DARK.get(name) or readable(name, DARK, 1.3 * LEAST) for name in names}
    rules = [_rule("", prop, *swap) for swap in swaps.items() for prop in ("fill", "stroke") if _used(svg, prop, *swap)]
    white = [_rule(element, "fill", LIGHT, DARK) for element in ("path", "use")] + [_rule("", "stroke", LIGHT, DARK)]
    return f"@media screen and (prefers-color-scheme:dark){{{''.join([*white, *rules])}}}"


def _used(svg: str, prop: str, color: str, instead: str) -> bool:
    return color != instead and f"{prop}: {color}" in svg


def _rule(element: str, prop: str, color: str, instead: str) -> str:
    return f'{element}[style*="{prop}: {color}"]{{{prop}:{instead}!important}}'
