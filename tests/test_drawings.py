"""Drawings of small frames, read mark by mark: what is drawn where, in which look, and in which words.

Expected are positions in data or rows (a row is 1 high, a bar 0.86, groups are 0.5 apart), offsets of words in points,
and names of colors. Limits that depend on the width of a text are not listed; they are tested by what they must hold.
"""

from io import StringIO

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgba

from analysis import charts
from analysis.charts import image, parts, phone, rows, theme

NAMES = {charts.color(name): name for name in ("B200", "H100")} | {
    theme.INK: "ink", theme.MUTED: "muted", theme.SURFACE: "white", theme.OTHER: "gray", theme.MISSING: "missing",
}  # fmt: skip


def read(text):
    return pd.read_csv(StringIO(text))


RATES = read("""\
gpu,x,low,high,bits,note,guess
B200,4,3,5,FP4,v5.0,False
B200,2,2,,FP8,,True
H100,-1,-2,-1,FP8,a note,
H100,3,3,6,FP4,,False
own,1,1,1,FP4,,False
""").set_index("gpu", drop=False)
REPEATED = read("""\
gpu,x,of,low,high,guess
B200,1,a,1,1,1
B200,2,a,1,2,0
B200,6,a,1,9,0
B200,3,b,1,8,0
B200,3,c,1,8,1
H100,4,b,1,8,0
H100,5,b,1,8,0
H100,7,a,1,8,0
""")
FACTORS = read("""\
step,factor,low,high,note,kind
a,1,1,1,,total
b,0.5,0.4,0.6,x,measured
c,0.5,0.5,0.5,,published
d,2,2,2,,simulated
e,1,1,1,,modeled
f,2,2,2,,assumed
g,9,0.3,1.2,y,total
""")
CURVES = read("""\
at,y,gpu
2,2,H100
1,1,H100
3,3,H100
2,2,B200
1,1,B200
3,4,B200
""")
STYLES = read("""\
at,y,gpu,of
0,0,B200,a
100,100,B200,a
0,0,B200,b
100,100,B200,b
0,0,B200,c
100,100,B200,c
0,0,B200,d
100,100,B200,d
0,0,B200,e
100,100,B200,e
""")
CLASSES = read("""\
at,y,gpu
v2,1,x
v1,2,x
,3,x
v2,4,H100
""")
POINTS = read("""\
at,y,gpu
1,1,B200
2,2,zz
3,4,H100
""")
DATES = CURVES.assign(at=pd.to_datetime(["1970-01-01", "1970-01-03", "1970-01-06"] * 2), y=[1, 2, 3, 3, 4, np.nan])
LONG = {"v1": "a\nlonger name of this class"}
LONGER = LONG | {"v2": "as long a name\nas that of the other"}
CROWDED = read("""\
at,y,name
0,0.5,a long name of a point
0.1,0.5,
0.9,0.5,
1,0.5,a long name of a point
0.5,0.25,near
0.54,0.273,
0.5,0.75,not near
0.54,0.8,
1,1,
""").fillna("")
SAME = pd.DataFrame({"at": [1.0] * 16 + [0, 2], "y": [1.0] * 16 + [0, 2], "name": [*"abcdefghijklmnop", "", ""]})
CELLS = pd.DataFrame(
    [[1, 2, 4, np.nan], [0.25, 0.5, 1, 8]], pd.MultiIndex.from_tuples([("NVIDIA", "B200"), ("AMD", "MI300X")]),
    pd.MultiIndex.from_tuples([("Offline", "Llama"), ("Server", "Llama"),
                               ("Server", "a name of three long words"), ("Offline", "Llama 2 70B")]),
)  # fmt: skip
NOTED = "{:.1f}x", "note"
RANGE = {"low": "low", "high": "high"}
FP4 = CELLS.map("{:g}\nfp4".format)
MANY = pd.DataFrame([[np.nan] * 17 + [1.0]], ["a"], list("abcdefghijklmnopqr"))
WIDE = pd.DataFrame([[1.0] + [np.nan] * 12], ["a"], [f"c{place}" for place in range(13)])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def bars(frame=RATES, **options):
    return charts.bars(frame, "gpu", "x", **options)


def two_panels():
    figure, axes = charts.panels(2, height=1.2)
    for ax in axes:
        bars(RATES.assign(note="b"), label=("{:.0f}", "note"), ax=ax)
    return figure


def short(*values):
    return " ".join(f"{value + 0:.3g}" for value in np.ravel(np.round(values, 6)))


def hue(color):
    name, alpha = NAMES.get(to_hex(color), to_hex(color)), to_rgba(color)[3]
    return name if alpha == 1 else f"{name}/{alpha:.2g}"


def look(mark):
    """Return the colors, dashes, hatches, and marker of a bar or line."""
    dashes = short(*mark._unscaled_dash_pattern[1] or [])
    if hasattr(mark, "get_hatch"):
        return f"{hue(mark.get_facecolor())} {hue(mark.get_edgecolor())} {dashes}{mark.get_hatch() or ''}".strip()
    color = hue(to_rgba(mark.get_color(), mark.get_alpha()))
    return f"{mark.get_marker()} {hue(mark.get_mfc())} {color} {dashes}".strip()


def seen(ax):
    """Return the marks, texts, and ticks of axes, one a line."""
    ax.figure.draw_without_rendering()
    texts = [text for text in ax.texts if text.get_text() and text.get_visible()]
    yield f"figure {short(ax.figure.get_size_inches())}"
    for name, axis, spine in (("x", ax.xaxis, "bottom"), ("y", ax.yaxis, "left")):
        low, high = sorted(axis.get_view_interval())
        limits = "as wide as words" if name == "x" and hasattr(ax, rows.FITTED) else short(low, high)
        labels = axis.get_ticklabels()
        turned = " turned" * (labels[0].get_rotation() == 90)
        words = [label.get_text().replace("\n", "/") for label in labels]
        places = [short(at) if low <= at <= high else "" for at in axis.get_ticklocs()]
        ticks = [word if word == at else f"{at} {word}" for at, word in zip(places, words, strict=True) if at]
        rules = " grid" * axis.get_gridlines()[0].get_visible() + " spine" * ax.spines[spine].get_visible()
        size = short(labels[0].get_size()) + turned
        yield f"{name} {limits}{rules} {axis.get_label_text()!r}: {', '.join(ticks)} ({size})"
    for bar in ax.patches:
        yield f"bar {short(*bar.get_bbox().intervalx)}, {short(*bar.get_bbox().intervaly)}: {look(bar)}"
    for line in ax.lines:
        points = ", ".join(short(*values) for values in line.get_data(orig=False))
        yield f"line {points}: {look(line)} {line.get_markevery() or ''}".rstrip() + " clipped" * line.get_clip_on()
    for spans in ax.collections:
        clip = " clipped" * spans.get_clip_on()
        for ends in spans.get_segments():
            yield f"span {short(*ends[:, 0])}, {short(*ends[:, 1])}: {hue(spans.get_color()[0])}{clip}"
    for text in texts:
        place = f"{short(*text.get_position())} {text.get_ha()} {text.get_va()}"
        if hasattr(text, "xy"):
            place = f"{short(*text.xy)} + {place}" + " clipped" * bool(text.get_annotation_clip())
        size = f"{hue(text.get_color())} {short(text.get_fontsize())}" + " wide" * text.get_in_layout()
        yield f"text {text.get_text()!r} {place} {size} {text.get_gid() or ''}".rstrip()
    for above in ax.child_axes:
        names = zip(above.get_xticks(), above.get_xticklabels(), strict=True)
        words = ", ".join(f"{short(at)} {name.get_text()} {name.get_ha()}" for at, name in names)
        spines = " spine" * any(spine.get_visible() for spine in above.spines.values())
        yield f"above {above.xaxis.get_tick_params()['pad']}{spines}: {words}"
    for legend in ax.figure.legends:
        for mark, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            yield f"key {text.get_text()}: {look(mark)}"


DRAWN = {
    "bars": (
        lambda: bars(hue="bits", **RANGE, hatched="guess", label=NOTED, reference=2.5),
        """\
figure 9 2.19
x as wide as words grid 'x': -2, -1, 0, 1, 2, 3, 4, 5, 6 (10)
y -5.75 0.75 '': -0.5 B200, -3 H100, -5 own (10.5)
bar 0 4, -0.43 0.43: B200 B200
bar 0 2, -1.43 -0.57: white H100 ////
bar 0 -1, -2.93 -2.07: H100 H100
bar 0 3, -3.93 -3.07: B200 B200
bar 0 1, -5.43 -4.57: B200 B200
line 0 0, 0 1: None muted muted clipped
line 2.5 2.5, 0 1: None ink ink 4 2 clipped
span 3 5, -0.27 -0.27: white
span -2 -1, -2.77 -2.77: white
span 3 6, -3.77 -3.77: white
span 3 5, -0.27 -0.27: ink
span -2 -1, -2.77 -2.77: ink
span 3 6, -3.77 -3.77: ink
text '4.0x' 4 0.17 + 5 0 left center ink 9.5
text 'v5.0' 1 0.5 + 5 0 left center muted 8
text '2.0x' 2 -1 + 5 0 left center ink 9.5
text '-1.0x' -1 -2.33 + -5 0 right center ink 9.5
text 'a note' 0 0.5 + -5 0 right center muted 8
text '3.0x' 3 -3.33 + 5 0 left center ink 9.5
text '1.0x' 1 -5 + 5 0 left center ink 9.5
key FP4: B200 B200
key FP8: H100 H100
key measured: gray gray
key guess: white gray ////
""",
    ),
    "hatched bars of accelerators": (
        lambda: bars(REPEATED[3:].assign(of=[*"abcde"]), hue="of", hatched="guess", label=""),
        """\
figure 9 2.07
x 0 7.14 grid 'x': 0, 1, 2, 3, 4, 5, 6, 7 (10)
y -5.25 0.75 '': -0.5 B200, -3.5 H100 (10.5)
bar 0 3, -0.43 0.43: B200 B200
bar 0 3, -1.43 -0.57: white/0.74 B200/0.74 ////
bar 0 4, -2.93 -2.07: H100/0.4 H100
bar 0 5, -3.93 -3.07: H100/0.25 H100
bar 0 7, -4.93 -4.07: H100 H100
line 0 0, 0 1: None muted muted clipped
key a: gray gray
key guess: white gray ////
key b: gray/0.6 gray
key c: gray/0.4 gray
key d: gray/0.25 gray
key e: gray gray
key measured: gray gray
""",
    ),
    "bars below zero": (
        lambda: bars(RATES[2:3].assign(gpu="1\n2\n3\n4"), label="", reference=(-0.5, -0.2)),
        """\
figure 9 1.6
x -1 1 grid 'x': -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1 (10)
y -0.75 0.75 '': 0 1/2/3/4 (10.5)
bar 0 -1, -0.43 0.43: H100 H100
bar -0.5 -0.2, 0 1: #ca8205/0.18 #ca8205/0.18
line 0 0, 0 1: None muted muted clipped
""",
    ),
    "bars of zero": (
        lambda: bars(RATES[:1].assign(x=0), label=("", "note")),
        """\
figure 9 1.6
x as wide as words grid 'x': 0, 0.2, 0.4, 0.6, 0.8, 1 (10)
y -0.75 0.75 '': 0 B200 (10.5)
bar 0 0, -0.43 0.43: B200 B200
line 0 0, 0 1: None muted muted clipped
text 'v5.0' 1 0.5 + 0 0 left center muted 8
""",
    ),
    "bars of three panels": (
        lambda: bars(label=("{:.0f}", "note"), ax=charts.panels(3)[1][0]),
        """\
figure 10.8 3.4
x as wide as words grid 'x': -2, 0, 2, 4 (10)
y -5.75 0.75 '': -0.5 B200, -3 H100, -5 own (10.5)
bar 0 4, -0.43 0.43: B200 B200
bar 0 2, -1.43 -0.57: B200 B200
bar 0 -1, -2.93 -2.07: H100 H100
bar 0 3, -3.93 -3.07: H100 H100
bar 0 1, -5.43 -4.57: gray gray
line 0 0, 0 1: None muted muted clipped
text '4' 4 0 + 5 0 left bottom ink 9.5
text 'v5.0' 0 0 + 0 0 left top muted 8 beside
text '2' 2 -1 + 5 0 left center ink 9.5
text '-1' -1 -2.5 + -5 0 right bottom ink 9.5
text 'a note' 1 0 + 0 0 right top muted 8 beside
text '3' 3 -3.5 + 5 0 left center ink 9.5
text '1' 1 -5 + 5 0 left center ink 9.5
""",
    ),
    "bars outside a grid": (
        lambda: bars(RATES[:1], label=("{:.0f}", "note"), ax=plt.figure(figsize=(5, 3)).add_axes((0.2, 0.2, 0.7, 0.7))),
        """\
figure 5 3
x as wide as words 'x': 0, 1, 2, 3, 4 (10)
y -0.75 0.75 spine '': 0 B200 (10)
bar 0 4, -0.43 0.43: B200 B200
line 0 0, 0 1: None muted muted clipped
text '4' 4 0 + 5 0 left center ink 9.5
text 'v5.0' 1 0.5 + 5 0 left center muted 8 beside
""",
    ),
    "bars of two panels": (
        lambda: bars(RATES[:1], label=("{:.0f}", "note"), ax=charts.panels(2)[1][0]),
        """\
figure 9 3.4
x as wide as words grid 'x': 0, 1, 2, 3, 4 (10)
y -0.75 0.75 '': 0 B200 (10.5)
bar 0 4, -0.43 0.43: B200 B200
line 0 0, 0 1: None muted muted clipped
text '4' 4 0 + 5 0 left center ink 9.5
text 'v5.0' 1 0.5 + 5 0 left center muted 8 beside
""",
    ),
    "bars with a long name": (
        lambda: bars(RATES[2:].assign(gpu=["1\n2\n3\n4", "a", "b"]), label=""),
        """\
figure 9 2.67
x -1 3.06 grid 'x': -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3 (10)
y -3.75 0.75 '': 0 1/2/3/4, -1.5 a, -3 b (10.5)
bar 0 -1, -0.43 0.43: H100 H100
bar 0 3, -1.93 -1.07: H100 H100
bar 0 1, -3.43 -2.57: H100 H100
line 0 0, 0 1: None muted muted clipped
""",
    ),
    "dots": (
        lambda: charts.dots(RATES, "gpu", "x", hue="bits", **RANGE, hollow="guess", label=NOTED, reference=(2.0, 3.0)),
        """\
figure 9 2.19
x as wide as words grid 'x': -2, -1, 0, 1, 2, 3, 4, 5, 6 (10)
y -5.75 0.75 '': -0.5 B200, -3 H100, -5 own (10.5)
bar 2 3, 0 1: #ca8205/0.18 #ca8205/0.18
line 4 3 1, 0 -3.5 -5: P B200 B200
line 2, -1: v white H100
line -1, -2.5: v H100 H100
span 3 5, 0 0: B200
span -2 -1, -2.5 -2.5: B200
span 3 6, -3.5 -3.5: B200
text '4.0x' 5 0 + 9 0 left center ink 9.5
text 'v5.0' 1 0.5 + 5 0 left center muted 8 beside
text '2.0x' 2 -1 + 9 0 left center ink 9.5
text '-1.0x' -1 -2.5 + 9 0 left center ink 9.5
text 'a note' 1 0.5 + 5 0 left center muted 8 beside
text '3.0x' 6 -3.5 + 9 0 left center ink 9.5
text '1.0x' 1 -5 + 9 0 left center ink 9.5
key FP4: P B200 B200
key FP8: v H100 H100
key measured: o gray gray
key guess: o white gray
""",
    ),
    "dots of one line": (
        lambda: charts.dots(REPEATED, "gpu", "x", hue="of", **RANGE),
        """\
figure 9 2.07
x as wide as words grid 'x': 2, 4, 6, 8, 10 (10)
y -5.25 0.75 '': -1 B200, -4 H100 (10.5)
line 3, -1: o #ca8205 #ca8205
line 3, -2: o #029e73 #029e73
line 7, -4.5: o H100 H100
line 1 2 6, -0.275 0.0649 -0.145: o H100 H100 clipped
line 4 5, -3.73 -3.39: o #ca8205 #ca8205 clipped
span 1 8, -1 -1: #ca8205
span 1 8, -2 -2: #ca8205
span 1 8, -4.5 -4.5: #ca8205
span 2 2, -0.42 0.42: ink clipped
span 4.5 4.5, -3.92 -3.08: ink clipped
text '2.00' 9 0 + 9 0 left center ink 9.5
text 'n = 3' 1 0.5 + 5 0 left center muted 8 beside
text '3.00' 8 -1 + 9 0 left center ink 9.5
text '3.00' 8 -2 + 9 0 left center ink 9.5
text '4.50' 8 -3.5 + 9 0 left center ink 9.5
text 'n = 2' 1 0.5 + 5 0 left center muted 8 beside
text '7.00' 8 -4.5 + 9 0 left center ink 9.5
key a: o H100 H100
key b: o #ca8205 #ca8205
key c: o #029e73 #029e73
""",
    ),
    "waterfall": (
        lambda: charts.waterfall(FACTORS, "step", "factor", kind="kind", **RANGE, note="note"),
        """\
figure 9 2.85
x as wide as words grid '': 0 0%, 50 50%, 100 100% (10)
y -9.75 0.75 '': 0 a, -1.5 b, -3 c, -4.5 d, -6 e, -7.5 f, -9 g (10.5)
bar 0 100, -0.43 0.43: #74828f #74828f
bar 100 50, -1.93 -1.07: H100 H100
bar 50 25, -3.43 -2.57: #4c9f9a #4c9f9a
bar 25 50, -4.93 -4.07: white #b85c00 ////
bar 50 50, -6.43 -5.57: white #b85c00 ////
bar 50 100, -7.93 -7.07: white muted 3 2
bar 0 100, -9.43 -8.57: #74828f #74828f
line 0 0, 0 1: None muted muted clipped
span 30 120, -9.27 -9.27: white
span 30 120, -9.27 -9.27: ink
span 100 100, -1.07 -0.43: muted clipped
span 50 50, -2.57 -1.93: muted clipped
span 25 25, -4.07 -3.43: muted clipped
span 50 50, -5.57 -4.93: muted clipped
span 50 50, -7.07 -6.43: muted clipped
span 100 100, -8.57 -7.93: muted clipped
text '100%' 100 0 + 5 0 left center ink 9.5
text '×0.500' 100 -1.5 + 5 0 left center ink 9.5
text '0.40–0.60  x' 1 0.5 + 5 0 left center muted 8
text '×0.500' 50 -3 + 5 0 left center ink 9.5
text '×2.000' 50 -4.5 + 5 0 left center ink 9.5
text '×1.000' 50 -6 + 5 0 left center ink 9.5
text '×2.000' 100 -7.5 + 5 0 left center ink 9.5
text '100%' 100 -8.83 + 5 0 left center ink 9.5
text 'y' 1 0.5 + 5 0 left center muted 8
key measured: H100 H100
key published: #4c9f9a #4c9f9a
key simulated: white #b85c00 ////
key modeled: white #b85c00 ////
key assumed: white muted 3 2
""",
    ),
    "waterfall above one": (
        lambda: charts.waterfall(FACTORS[3:5].assign(factor=[1, 1.5]), "step", "factor"),
        """\
figure 9 1.6
x as wide as words grid '': 1 1x, 1.5 1.5x (10)
y -2.25 0.75 '': 0 d, -1.5 e (10.5)
bar 1 1, -0.43 0.43: H100 H100
bar 1 1.5, -1.93 -1.07: H100 H100
line 1 1, 0 1: None muted muted clipped
span 1 1, -1.07 -0.43: muted clipped
text '×1.0000' 1 0 + 5 0 left center ink 9.5
text '×1.5000' 1.5 -1.5 + 5 0 left center ink 9.5
key measured: H100 H100
""",
    ),
    "no rows": (
        lambda: bars(RATES[:0]),
        """\
figure 9 1.6
x 0 1 grid spine '': 0 0.0, 0.2, 0.4, 0.6, 0.8, 1 1.0 (10)
y 0 1 grid '': 0 0.0, 0.2, 0.4, 0.6, 0.8, 1 1.0 (10.5)
text 'nothing to show' 0 0.5 left baseline muted 10.5 wide
""",
    ),
    "lines": (
        lambda: charts.lines(CURVES, "at", "y", "gpu"),
        """\
figure 9 4.6
x 0.9 3.1 grid spine 'at': 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3 (10)
y 0 4.15 grid 'y': 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4 (10.5)
line 1 2 3, 1 2 3: o H100 H100 clipped
line 1 2 3, 1 2 4: o B200 B200 clipped
line 0.955 1.02, 0.723 0.723: o H100 H100/0.6 [1]
line 0.955 1.02, 0.964 0.964: o B200 B200/0.6 [1]
text 'H100' 1 0.723 + 18 0 left center ink 10.5 wide
text 'B200' 1 0.964 + 18 0 left center ink 10.5 wide
""",
    ),
    "lines of styles": (
        lambda: charts.lines(STYLES, "at", "y", "gpu", style="of", reference=50),
        """\
figure 9 4.6
x -5 105 grid spine 'at': 0, 20, 40, 60, 80, 100 (10)
y 0 105 grid 'y': 0, 20, 40, 60, 80, 100 (10.5)
line 0 100, 0 100: o B200 B200 clipped
line 0 100, 0 100: o B200 B200 4 2 clipped
line 0 100, 0 100: o B200 B200 1 1.5 clipped
line 0 100, 0 100: o B200 B200 6 2 1 2 clipped
line 0 100, 0 100: o B200 B200 clipped
line 0 1, 50 50: None ink ink 4 2 clipped
line 0.955 1.02, 0.952 0.952: o B200 B200/0.6 [1]
text 'B200' 1 0.952 + 18 0 left center ink 10.5 wide
key a: None muted muted
key b: None muted muted 4 2
key c: None muted muted 1 1.5
key d: None muted muted 6 2 1 2
key e: None muted muted
""",
    ),
    "lines on a log axis": (
        lambda: charts.lines(CURVES, "at", "y", "gpu", log="y", reference=(2.0, 3.0)),
        """\
figure 9 4.6
x 0.9 3.1 grid spine 'at': 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3 (10)
y 0.933 4.29 grid 'y, log scale': 1, 1.5, 2, 3 (10.5)
bar 0 1, 2 3: #ca8205/0.18 #ca8205/0.18
line 1 2 3, 1 2 3: o H100 H100 clipped
line 1 2 3, 1 2 4: o B200 B200 clipped
line 0.955 1.02, 0.766 0.766: o H100 H100/0.6 [1]
line 0.955 1.02, 0.955 0.955: o B200 B200/0.6 [1]
text 'H100' 1 0.766 + 18 0 left center ink 10.5 wide
text 'B200' 1 0.955 + 18 0 left center ink 10.5 wide
""",
    ),
    "lines over dates": (
        lambda: charts.lines(DATES, "at", "y", "gpu"),
        """\
figure 9 4.6
x -0.25 5.25 grid spine 'at': 0 1970-01-01, 1 1970-01-02, 2 1970-01-03, 3 1970-01-04, 4 1970-01-05, 5 1970-01-06 (10)
y 0 4.15 grid 'y': 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4 (10.5)
line 0 2 5, 1 2 3: o H100 H100 clipped
line 0 2, 3 4: o B200 B200 clipped
line 0.955 1.02, 0.723 0.723: o H100 H100/0.6 [1]
line 0.409 1.02, 0.964 0.964: o B200 B200/0.6 [1]
text 'H100' 1 0.723 + 18 0 left center ink 10.5 wide
text 'B200' 1 0.964 + 18 0 left center ink 10.5 wide
""",
    ),
    "lines over classes": (
        lambda: charts.lines(CLASSES, "at", "y", "gpu"),
        """\
figure 9 4.6
x -0.05 1.05 grid spine 'at': 0 v2, 1 v1 (10)
y 0 4.15 grid 'y': 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4 (10.5)
line 0 1, 1 2: o gray gray clipped
line 0, 4: o H100 H100 clipped
line 0.955 1.02, 0.482 0.482: o gray gray/0.6 [1]
line 0.0455 1.02, 0.964 0.964: o H100 H100/0.6 [1]
text 'x' 1 0.482 + 18 0 left center ink 10.5 wide
text 'H100' 1 0.964 + 18 0 left center ink 10.5 wide
""",
    ),
    "points": (
        lambda: charts.scatter(POINTS, "at", "y", label="gpu"),
        """\
figure 9 4.6
x 0.76 3.24 grid spine 'at': 1, 1.5, 2, 2.5, 3 (10)
y 0 4.15 grid 'y': 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4 (10.5)
line 1, 1: o B200 B200
line 2, 2: o gray gray
line 3, 4: o H100 H100
text 'B200' 1 1 + 9 0 left center ink 9 wide
text 'zz' 2 2 + 9 0 left center ink 9 wide
text 'H100' 3 4 + 9 0 left center ink 9 wide
""",
    ),
    "points of hues": (
        lambda: charts.scatter(POINTS, "at", "y", hue="gpu"),
        """\
figure 9 4.6
x 0.9 3.1 grid spine 'at': 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3 (10)
y 0 4.15 grid 'y': 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4 (10.5)
line 1, 1: o B200 B200
line 2, 2: D gray gray
line 3, 4: s H100 H100
key B200: o B200 B200
key zz: D gray gray
key H100: s H100 H100
""",
    ),
    "crowded points": (
        lambda: charts.scatter(CROWDED, "at", "y", label="name", ax=plt.figure(figsize=(10, 5)).add_axes((0, 0, 1, 1))),
        """\
figure 10 5
x -0.12 1.12 spine 'at': 0, 0.2, 0.4, 0.6, 0.8, 1 (10)
y 0 1.04 spine 'y': 0, 0.2, 0.4, 0.6, 0.8, 1 (10)
line 0 0.1 0.9 1 0.5 0.54 0.5 0.54 1, 0.5 0.5 0.5 0.5 0.25 0.273 0.75 0.8 1: o H100 H100
text 'a long name of a point' 0 0.5 + 9 10 left center ink 9 wide
text 'a long name of a point' 1 0.5 + -9 10 right center ink 9 wide
text 'near' 0.5 0.25 + -9 0 right center ink 9 wide
text 'not near' 0.5 0.75 + 9 0 left center ink 9 wide
""",
    ),
    "points at one place": (
        lambda: charts.scatter(SAME, "at", "y", label="name"),
        """\
figure 9 4.6
x -0.24 2.24 grid spine 'at': 0, 0.5, 1, 1.5, 2 (10)
y 0 2.1 grid 'y': 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2 (10.5)
line 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 2, 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 2: o H100 H100
text 'a' 1 1 + 9 0 left center ink 9 wide
text 'b' 1 1 + -9 0 right center ink 9 wide
text 'c' 1 1 + 9 10 left center ink 9 wide
text 'd' 1 1 + -9 10 right center ink 9 wide
text 'e' 1 1 + 0 10 center center ink 9 wide
text 'f' 1 1 + 9 -10 left center ink 9 wide
text 'g' 1 1 + -9 -10 right center ink 9 wide
text 'h' 1 1 + 0 -10 center center ink 9 wide
text 'i' 1 1 + 9 20 left center ink 9 wide
text 'j' 1 1 + -9 20 right center ink 9 wide
text 'k' 1 1 + 0 20 center center ink 9 wide
text 'l' 1 1 + 9 -20 left center ink 9 wide
text 'm' 1 1 + -9 -20 right center ink 9 wide
text 'n' 1 1 + 0 -20 center center ink 9 wide
text 'o' 1 1 + 9 0 left center ink 9 wide
text 'p' 1 1 + -9 0 right center ink 9 wide
""",
    ),
    "cells": (
        lambda: charts.heatmap(CELLS, FP4, center=1),
        """\
figure 4.88 1.84
x -0.5 4.2 '': 0 Llama, 1.35 Llama, 2.35 a name of/three long/words, 3.7 Llama 2/70B (9)
y -1.85 0.5 '': 0 B200, -1.35 MI300X (10.5)
bar -0.48 0.48, -0.46 0.46: #f3f5f6 white
bar 0.87 1.83, -0.46 0.46: #8dbade white
bar 1.87 2.83, -0.46 0.46: #0b5394 white
bar 3.22 4.18, -0.46 0.46: missing white
bar -0.48 0.48, -1.81 -0.89: #c05a1c white
bar 0.87 1.83, -1.81 -0.89: #efb98c white
bar 1.87 2.83, -1.81 -0.89: #f3f5f6 white
bar 3.22 4.18, -1.81 -0.89: #0b5394 white
text '1' 0 0.17 center center #1f232a 9
text 'fp4' 0 -0.19 center center #1f232a 7 second line
text '2' 1.35 0.17 center center #1f232a 9
text 'fp4' 1.35 -0.19 center center #1f232a 7 second line
text '4' 2.35 0.17 center center #fefefd 9
text 'fp4' 2.35 -0.19 center center #fefefd 7 second line
text '0.25' 0 -1.18 center center #fefefd 9
text 'fp4' 0 -1.54 center center #fefefd 7 second line
text '0.5' 1.35 -1.18 center center #1f232a 9
text 'fp4' 1.35 -1.54 center center #1f232a 7 second line
text '1' 2.35 -1.18 center center #1f232a 9
text 'fp4' 2.35 -1.54 center center #1f232a 7 second line
text '8' 3.7 -1.18 center center #fefefd 9
text 'fp4' 3.7 -1.54 center center #fefefd 7 second line
above 42: -0.48 Offline left, 0.87 Server left
""",
    ),
    "cells without a center": (
        lambda: charts.heatmap(pd.DataFrame([[0.0, 5]]), pd.DataFrame([["a", "b"]])),
        """\
figure 4 1.3
x -0.5 1.5 '': 0, 1 (9)
y -0.5 0.5 '': 0 (10.5)
bar -0.48 0.48, -0.46 0.46: #edf3f9 white
bar 0.52 1.48, -0.46 0.46: #0b5394 white
text 'a' 0 0 center center #1f232a 9
text 'b' 1 0 center center #fefefd 9
""",
    ),
    "bars on a phone": (
        lambda: phone.narrow(bars(label=("{:.0f}", "note"))).axes[0],
        """\
figure 4.3 2.19
x as wide as words grid 'x': -1.5, 0, 1.5, 3 (10)
y -5.75 0.75 '': -0.5 B200, -3 H100, -5 own (10.5)
bar 0 4, -0.43 0.43: B200 B200
bar 0 2, -1.43 -0.57: B200 B200
bar 0 -1, -2.93 -2.07: H100 H100
bar 0 3, -3.93 -3.07: H100 H100
bar 0 1, -5.43 -4.57: gray gray
line 0 0, 0 1: None muted muted clipped
text '4' 4 0 + 5 0 left bottom ink 9.5
text 'v5.0' 0 0 + 0 0 left top muted 8 beside
text '2' 2 -1 + 5 0 left center ink 9.5
text '-1' -1 -2.5 + -5 0 right bottom ink 9.5
text 'a note' 1 0 + 0 0 right top muted 8 beside
text '3' 3 -3.5 + 5 0 left center ink 9.5
text '1' 1 -5 + 5 0 left center ink 9.5
""",
    ),
    "lines on a phone": (
        lambda: phone.narrow(charts.lines(CLASSES.replace(LONG), "at", "y", "gpu")).axes[0],
        """\
figure 4.3 4.6
x -0.05 1.05 grid spine 'at': 0 v2, 1 a/longer name of this class (10)
y 0 4.15 grid 'y': 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4 (10.5)
line 0 1, 1 2: o gray gray clipped
line 0, 4: o H100 H100 clipped
line 0.955 1.02, 0.482 0.482: o gray gray/0.6 [1]
line 0.0455 1.02, 0.964 0.964: o H100 H100/0.6 [1]
text 'x' 1 0.482 + 18 0 left center ink 10.5 wide
text 'H100' 1 0.964 + 18 0 left center ink 10.5 wide
""",
    ),
    "cells on a phone": (
        lambda: phone.narrow(charts.heatmap(CELLS, FP4, center=1)).axes[0],
        """\
figure 4.3 1.84
x -0.5 4.2 '': 0 Llama, 1.35 Llama, 2.35 a name of/three long/words, 3.7 Llama 2/70B (9)
y -1.85 0.5 '': 0 B200, -1.35 MI300X (10.5)
bar -0.48 0.48, -0.46 0.46: #f3f5f6 white
bar 0.87 1.83, -0.46 0.46: #8dbade white
bar 1.87 2.83, -0.46 0.46: #0b5394 white
bar 3.22 4.18, -0.46 0.46: missing white
bar -0.48 0.48, -1.81 -0.89: #c05a1c white
bar 0.87 1.83, -1.81 -0.89: #efb98c white
bar 1.87 2.83, -1.81 -0.89: #f3f5f6 white
bar 3.22 4.18, -1.81 -0.89: #0b5394 white
text '1' 0 0 center center #1f232a 7
text '2' 1.35 0 center center #1f232a 7
text '4' 2.35 0 center center #fefefd 7
text '0.25' 0 -1.35 center center #fefefd 7
text '0.5' 1.35 -1.35 center center #1f232a 7
text '1' 2.35 -1.35 center center #1f232a 7
text '8' 3.7 -1.35 center center #fefefd 7
above 42: -0.48 Offline left, 0.87 Server left
""",
    ),
    "wide cells on a phone": (
        lambda: phone.narrow(charts.heatmap(WIDE, WIDE.map("{:g}\nfp4".format))).axes[0],
        """\
figure 4.3 5.56
x -0.5 0.5 '': 0 a (8.5 turned)
y -12.5 0.5 '': 0 c0, -1 c1, -2 c2, -3 c3, -4 c4, -5 c5, -6 c6, -7 c7, -8 c8, -9 c9, -10 c10, -11 c11, -12 c12 (10.5)
bar -0.48 0.48, -0.46 0.46: #0b5394 white
bar -0.48 0.48, -1.46 -0.54: missing white
bar -0.48 0.48, -2.46 -1.54: missing white
bar -0.48 0.48, -3.46 -2.54: missing white
bar -0.48 0.48, -4.46 -3.54: missing white
bar -0.48 0.48, -5.46 -4.54: missing white
bar -0.48 0.48, -6.46 -5.54: missing white
bar -0.48 0.48, -7.46 -6.54: missing white
bar -0.48 0.48, -8.46 -7.54: missing white
bar -0.48 0.48, -9.46 -8.54: missing white
bar -0.48 0.48, -10.5 -9.54: missing white
bar -0.48 0.48, -11.5 -10.5: missing white
bar -0.48 0.48, -12.5 -11.5: missing white
text '1' 0 0.17 center center #fefefd 6.6
text 'fp4' 0 -0.19 center center #fefefd 5.5 second line
""",
    ),
    "as many cells as are not turned on a phone": (
        lambda: phone.narrow(charts.heatmap(WIDE.iloc[:, :12], WIDE.iloc[:, :12].map(str))).axes[0],
        """\
figure 4.3 1.3
x -0.5 11.5 '': 0 c0, 1 c1, 2 c2, 3 c3, 4 c4, 5 c5, 6 c6, 7 c7, 8 c8, 9 c9, 10 c10, 11 c11 (9)
y -0.5 0.5 '': 0 a (10.5)
bar -0.48 0.48, -0.46 0.46: #0b5394 white
bar 0.52 1.48, -0.46 0.46: missing white
bar 1.52 2.48, -0.46 0.46: missing white
bar 2.52 3.48, -0.46 0.46: missing white
bar 3.52 4.48, -0.46 0.46: missing white
bar 4.52 5.48, -0.46 0.46: missing white
bar 5.52 6.48, -0.46 0.46: missing white
bar 6.52 7.48, -0.46 0.46: missing white
bar 7.52 8.48, -0.46 0.46: missing white
bar 8.52 9.48, -0.46 0.46: missing white
bar 9.52 10.5, -0.46 0.46: missing white
bar 10.5 11.5, -0.46 0.46: missing white
text '1.0' 0 0 center center #fefefd 7
""",
    ),
    "names that are turned on a phone": (
        lambda: phone.narrow(charts.lines(CLASSES.replace(LONGER), "at", "y", "gpu")).axes[0],
        """\
figure 4.3 6.69
x -0.05 1.05 grid spine 'at': 0 as long a name as that of the other, 1 a longer name of this class (8.5 turned)
y 0 4.15 grid 'y': 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4 (10.5)
line 0 1, 1 2: o gray gray clipped
line 0, 4: o H100 H100 clipped
line 0.955 1.02, 0.482 0.482: o gray gray/0.6 [1]
line 0.0455 1.02, 0.964 0.964: o H100 H100/0.6 [1]
text 'x' 1 0.482 + 18 0 left center ink 10.5 wide
text 'H100' 1 0.964 + 18 0 left center ink 10.5 wide
""",
    ),
    "notes that need room on a phone": (
        lambda: phone.narrow(two_panels()).axes[0],
        """\
figure 4.3 5.58
x as wide as words grid 'x': 0, 2, 4 (10)
y -5.75 0.75 '': -0.5 B200, -3 H100, -5 own (10.5)
bar 0 4, -0.43 0.43: B200 B200
bar 0 2, -1.43 -0.57: B200 B200
bar 0 -1, -2.93 -2.07: H100 H100
bar 0 3, -3.93 -3.07: H100 H100
bar 0 1, -5.43 -4.57: gray gray
line 0 0, 0 1: None muted muted clipped
text '4' 4 0 + 5 0 left bottom ink 9.5
text 'b' 0 0 + 0 0 left top muted 8 beside
text '2' 2 -1 + 5 0 left bottom ink 9.5
text 'b' 0 0 + 0 0 left top muted 8 beside
text '-1' -1 -2.5 + -5 0 right bottom ink 9.5
text 'b' 1 0 + 0 0 right top muted 8 beside
text '3' 3 -3.5 + 5 0 left bottom ink 9.5
text 'b' 0 0 + 0 0 left top muted 8 beside
text '1' 1 -5 + 5 0 left bottom ink 9.5
text 'b' 0 0 + 0 0 left top muted 8 beside
""",
    ),
    "a log axis on a phone": (
        lambda: phone.narrow(charts.waterfall(FACTORS[3:5].assign(factor=[1, 30]), "step", "factor")).axes[0],
        """\
figure 4.3 1.6
x as wide as words grid '': 1 1x, 2 2x, 5 5x, 10 10x, 20 20x (10)
y -2.25 0.75 '': 0 d, -1.5 e (10.5)
bar 1 1, -0.43 0.43: H100 H100
bar 1 30, -1.93 -1.07: H100 H100
line 1 1, 0 1: None muted muted clipped
span 1 1, -1.07 -0.43: muted clipped
text '×1.0000' 1 0 + 5 0 left center ink 9.5
text '×30.0000' 30 -1.5 + 5 0 left center ink 9.5
key measured: H100 H100
""",
    ),
    "axes outside a grid on a phone": (
        lambda: phone.narrow(plt.figure(figsize=(9, 3)).add_axes((0.1, 0.1, 0.8, 0.8))).axes[0],
        """\
figure 4.3 3
x 0 1 spine '': 0 0.00, 0.25, 0.5 0.50, 0.75, 1 1.00 (10)
y 0 1 spine '': 0 0.0, 0.2, 0.4, 0.6, 0.8, 1 1.0 (10)
""",
    ),
    "many columns on a phone": (
        lambda: phone.narrow(charts.heatmap(MANY, MANY.map("{:g}\nfp4".format), ax=plt.subplots()[1])).axes[0],
        """\
figure 4.46 4.8
x -0.5 17.5 '': 0 a, 1 b, 2 c, 3 d, 4 e, 5 f, 6 g, 7 h, 8 i, 9 j, 10 k, 11 l, 12 m, 13 n, 14 o, 15 p, 16 q, 17 r (9)
y -0.5 0.5 '': 0 a (10)
bar -0.48 0.48, -0.46 0.46: missing white
bar 0.52 1.48, -0.46 0.46: missing white
bar 1.52 2.48, -0.46 0.46: missing white
bar 2.52 3.48, -0.46 0.46: missing white
bar 3.52 4.48, -0.46 0.46: missing white
bar 4.52 5.48, -0.46 0.46: missing white
bar 5.52 6.48, -0.46 0.46: missing white
bar 6.52 7.48, -0.46 0.46: missing white
bar 7.52 8.48, -0.46 0.46: missing white
bar 8.52 9.48, -0.46 0.46: missing white
bar 9.52 10.5, -0.46 0.46: missing white
bar 10.5 11.5, -0.46 0.46: missing white
bar 11.5 12.5, -0.46 0.46: missing white
bar 12.5 13.5, -0.46 0.46: missing white
bar 13.5 14.5, -0.46 0.46: missing white
bar 14.5 15.5, -0.46 0.46: missing white
bar 15.5 16.5, -0.46 0.46: missing white
bar 16.5 17.5, -0.46 0.46: #0b5394 white
text '1' 17 0 center center #fefefd 4.67
""",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_marks_and_words_are_where_and_as_they_should_be(name):
    draw, expected = DRAWN[name]
    assert [*seen(draw())] == expected.splitlines()


@pytest.mark.parametrize(
    ("room", "low", "high", "ticks"),
    [
        (2, 1, 10, "1 10"),
        (3, 1, 10, "1 3 10"),
        (4, 1, 10, "1 2 5 10"),
        (9, 1, 10, "1 1.5 2 3 5 7 10"),
        (3, 1, 1000, "1 1,000"),
        (4, 1, 1000, "1 10 100 1,000"),
        (6, 1, 100, "1 3 10 30 100"),
        (9, 1, 100, "1 2 5 10 20 50 100"),
        (2, 1, 2.1, "1 2"),
        (2, 1, 2, "1 2"),
        (3, 1, 2, "1 1.5 2"),
        (2, 3.5, 9, "4 6 8"),  # no power of ten, and no room for 5 and 7
        (2, 5, 50, "10"),
        (3, 20, 25, "20 22 24"),
        (6, 20, 25, "20 21 22 23 24 25"),
        (6, 300, 460, "300 350 400 450"),
        (4, 0.9, 0.97, "0.9 0.92 0.94 0.96"),
    ],
)
def test_a_log_axis_has_the_most_round_numbers_that_have_room(room, low, high, ticks):
    ax = plt.figure(figsize=(4, (room + 0.5) * 20 / 72)).add_axes((0, 0, 1, 1))
    ax.tick_params(labelsize=10)  # a label takes twice its height
    ax.set(yscale="log", ylim=(low, high))
    parts.ticks(ax.yaxis)
    ax.figure.draw_without_rendering()
    labels = zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)
    assert [label.get_text() for at, label in labels if low <= at <= high] == ticks.split()


@pytest.mark.parametrize(("high", "step"), [(4, 1), (9, 2), (12, 2.5), (20, 5), (45, 10)])
def test_narrow_panels_have_five_intervals_at_most(high, step):
    ax = charts.panels(3)[1][0]
    ax.set_xlim(0, high)
    parts.ticks(ax.xaxis)
    assert np.diff(ax.get_xticks()) == pytest.approx(step)


def edges(ax):
    """Return where the words of rows begin and end, in shares of the axes."""
    image.lay_out(ax)
    texts = [text for text in ax.texts if text.get_text()]
    boxes = [text.get_window_extent().transformed(ax.transAxes.inverted()) for text in texts]
    return min(box.x0 for box in boxes), max(box.x1 for box in boxes)


def test_rows_are_as_wide_as_their_words_whatever_the_width_of_the_figure():
    ax = bars(label=NOTED)
    assert edges(ax) == pytest.approx((0, 1), abs=0.01)
    wide = ax.get_xlim()
    assert wide[0] < -1 and wide[1] > 4
    ax.figure.set_figwidth(5)
    assert edges(ax) == pytest.approx((0, 1), abs=0.01) and ax.get_xlim()[1] > wide[1]
    ax.figure.set_figwidth(9)
    assert edges(ax) and ax.get_xlim() == pytest.approx(wide, rel=0.01)
    ax.set_xlim(-20, 40)
    assert edges(ax) and ax.get_xlim() == (-20, 40)
    ax = bars(RATES[3:], label=NOTED)
    assert edges(ax)[1] == pytest.approx(1, abs=0.01) and ax.get_xlim()[0] == 0
    ax = charts.waterfall(FACTORS[3:6], "step", "factor")
    assert ax.get_xscale() == "log" and edges(ax)[1] == pytest.approx(1, abs=0.01) and ax.get_xlim()[0] == 1
    ax = bars(RATES[:1], label="word " * 60 + "{:.0f}")
    assert edges(ax) and ax.get_xlim()[1] == pytest.approx(20)  # a fifth of the axes is left for the bar


@pytest.mark.parametrize(("letters", "columns"), [(4, 6), (8, 4), (16, 3), (20, 2), (90, 1)])
def test_a_legend_has_as_many_columns_as_fit_filled_row_by_row(letters, columns):
    figure, _ = plt.subplots(figsize=(9, 3))
    names = [f"{place}" + "m" * letters for place in range(6)]
    parts.legend(figure, {name: parts.bar_mark() for name in names})
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.legends[0].get_texts()]
    order = sorted(zip([-round(box.y0) for box in boxes], [box.x0 for box in boxes], range(6), strict=True))
    assert [figure.legends[0].get_texts()[place].get_text() for _, _, place in order] == names
    assert len({round(box.x0) for box in boxes}) == columns
    assert min(box.y0 for box in boxes) >= 300


def test_names_of_lines_that_end_together_are_a_line_of_text_apart():
    ax = charts.lines(pd.concat([CURVES[:3].assign(gpu=name) for name in "abc"]), "at", "y", "gpu")
    image.lay_out(ax)
    points = 72 / ax.figure.dpi
    heights = np.array([text.xy[1] for text in ax.texts])
    assert np.diff(heights) * ax.bbox.height * points == pytest.approx([14, 14], abs=0.1)
    assert heights[2] == 1 or heights.mean() == pytest.approx(3 / 3.15, abs=0.001)
    for lead in ax.lines[3:]:
        assert (lead.get_xdata()[1] - 1) * ax.bbox.width * points == pytest.approx(12)


def test_texts_of_an_image_are_above_and_below_the_drawing():
    figure = charts.compose(bars(RATES[3:], label=""), "T" * 10, "subtitle", "source " * 40)
    inches = figure.dpi_scale_trans.inverted()
    figure.draw_without_rendering()
    drawn = figure.get_tightbbox()
    texts = {text.get_gid(): (text, text.get_window_extent().transformed(inches)) for text in figure.texts}
    assert {name: (text.get_size(), text.get_weight(), hue(text.get_color())) for name, (text, _) in texts.items()} == {
        "title": (15, "bold", "ink"), "subtitle": (10.5, "normal", "muted"), "source": (8, "normal", "muted"),
    }  # fmt: skip
    boxes = {name: box for name, (_, box) in texts.items()}
    print(boxes, drawn, figure._analysis_canvas)
    assert boxes["subtitle"].y0 - drawn.y1 == pytest.approx(0.12, abs=0.03)
    assert boxes["title"].y0 - boxes["subtitle"].y1 == pytest.approx(0.07, abs=0.03)
    assert drawn.y0 - boxes["source"].y1 == pytest.approx(0.1, abs=0.03)
    assert [box.x0 for box in boxes.values()] == pytest.approx([drawn.x0] * 3, abs=0.03)
    canvas = figure._analysis_canvas
    assert figure._analysis_head == pytest.approx((canvas.y1 - 0.14 - drawn.y1) / canvas.width)
    assert canvas.extents == pytest.approx(
        [drawn.x0 - 0.14, boxes["source"].y0 - 0.14, drawn.x1 + 0.14, boxes["title"].y1 + 0.14], abs=0.01
    )


@pytest.mark.parametrize(
    ("color", "luminance", "contrast"),
    [("#ffffff", 1, 1), ("#000000", 0, 21), ("#ff0000", 0.2126, 3.998), ("#00ff00", 0.7152, 1.372),
     ("#0000ff", 0.0722, 8.592), ("#808080", 0.2159, 3.949), ("#0d0d0d", 0.00402, 19.44), ("#080808", 0.00243, 20.03)],
)  # fmt: skip
def test_luminance_and_contrast_are_those_of_wcag(color, luminance, contrast):
    assert theme.luminance(color) == pytest.approx(luminance, rel=0.005)
    assert theme.contrast(color, "#ffffff") == theme.contrast("#ffffff", color) == pytest.approx(contrast, rel=0.001)


@pytest.mark.parametrize(
    ("count", "options", "size", "apart"),
    [(1, {}, (9, 3.4), 0.06), (2, {}, (9, 3.4), 0.14), (3, {}, (10.8, 3.4), 0.14), (4, {}, (10.8, 6.8), 0.14),
     (4, {"columns": 2, "height": 1}, (9, 2), 0.14), (3, {"width": 5}, (5, 3.4), 0.14)],
)  # fmt: skip
def test_panels_are_three_in_a_row_unless_asked_otherwise(count, options, size, apart):
    figure, axes = charts.panels(count, **options)
    assert (len(axes), tuple(figure.get_size_inches())) == (count, pytest.approx(size))
    assert figure.get_layout_engine().get()["w_pad"] == apart


def test_each_panel_has_its_names_on_a_phone_and_a_turned_grid_its_size():
    figure = charts.panels(2, sharey=True)[0]
    assert [ax.yaxis.get_tick_params()["labelleft"] for ax in phone.narrow(figure).axes] == [True, True]
    grid = pd.DataFrame(np.nan, list("abcdefghijkl"), list("abcdefghijklm"))
    narrow = phone.narrow(charts.heatmap(grid, grid.map(str)))
    assert phone.narrow(bars(RATES[:1], label=NOTED)).get_figheight() == 1.6
    assert narrow.get_size_inches() == pytest.approx([1.4 + 12 * 0.29, 1.4 + 13 * 0.32])


def test_a_color_is_a_variable_of_the_page_but_white_words_stay_white():
    words, mark = '<g style="fill: #ffffff"/>', '<path style="fill: #ffffff; stroke: #123456"/>'
    found = image._with_variables(f"<svg>{words}{mark}{mark}</svg>", {"#123456": "#abcdef"})
    changed = "fill: #ffffff; fill: var(--surface, #ffffff); stroke: #123456; stroke: var(--on-123456, #123456)"
    assert found.count(changed) == 2 and words in found and "{svg{--on-123456:#abcdef;}}</style>" in found
    assert charts.svg(bars(RATES[:1], hatched="guess")).count("--head") == 1


@pytest.mark.parametrize("text", ["GB300", "$5 to $6", "a_b^c"])
def test_the_width_of_a_text_is_that_of_its_drawing(text):
    figure = plt.figure()
    drawn = figure.text(0, 0, text, size=10, parse_math=False).get_window_extent().width / figure.dpi
    assert image.text_width(text, 10) == pytest.approx(drawn, abs=0.02)
