"""What is kept of figures: shown as they were drawn, noticed when wrong, drawn again when anything differs."""

import os
import subprocess
import sys
from dataclasses import replace

import matplotlib
import numpy as np
import pandas as pd
import pytest

from analysis import charts
from analysis._build.runs.modules import reached
from analysis._core import html_table, mime, paths
from analysis._core.interval import Interval
from analysis._core.notes import note
from analysis._core.paths import ROOT
from analysis.charts import figure_cache, row_charts, style

matplotlib.use("agg")
NOTES = frozenset({note("preview", round="v4.1"), note("edge_suite")})
FRAME = pd.DataFrame(
    {
        "part": ["B200 SXM", "L40S"],
        "basis": ["official v4.1", "official v4.1"],
        "x_low": [2.0, 0.25],
        "x_high": [2.5, 0.25],
        "rounds": [("v4.1",), ("v4.0", "v4.1")],
        "day": pd.to_datetime(["2024-08-28", None]),
        "count": pd.array([8, None], dtype="Int64"),
    }
)
ASKED = {"label": "part", "series": "basis", "name": "x", "axis": "ratio", "title": "B200 leads.", "subtitle": "LLM."}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Where these tests keep their figures."""
    monkeypatch.setattr(paths, "CACHE", tmp_path)
    monkeypatch.delenv("ANALYSIS_CACHE", raising=False)
    charts.apply()
    return tmp_path / "figures"


@pytest.fixture
def drawn(monkeypatch):
    """The titles of what was drawn for a wide page, in order."""
    titles = []
    canvas = style.canvas

    def counted(title, *others, **named):
        titles.extend([] if style.is_narrow() else [title])
        return canvas(title, *others, **named)

    monkeypatch.setattr(style, "canvas", counted)
    return titles


@pytest.fixture(autouse=True)
def put(monkeypatch):
    """What was displayed, with its options."""
    shown = []
    monkeypatch.setattr(style, "display", lambda what, **options: shown.append((what, options)))
    return shown


def show(frame=FRAME, **changes):
    style.figure(row_charts.ranges(frame, **(ASKED | changes)), "Sources: a page.")


def files(place):
    return sorted(path for path in place.rglob("*") if path.is_file())


def key(*values):
    return figure_cache.key(row_charts.ranges, (), {"asked": values}, {})


def test_a_figure_is_drawn_once_and_shown_again_as_it_was(drawn, put, place):
    for _ in range(3):
        show()
    assert drawn == ["B200 leads."] and len(files(place)) == 1
    assert len(put) == 6 and put[:2] == put[2:4] == put[4:]
    assert put[0][1]["metadata"][mime.NARROW].startswith("<?xml")


@pytest.mark.parametrize("warm", [False, True])
def test_a_figure_that_somebody_changes_is_shown_so_and_not_kept(warm, put, place):
    if warm:
        show()
    before = files(place)
    for part in ("figure", "narrow"):
        own = row_charts.ranges(FRAME, **ASKED)
        getattr(own, part).axes[0].set_title("An analyst's own")
        style.figure(own, "Sources: a page.")
    assert files(place) == before
    show()
    (wide, _), (_, narrow), (plain, options) = put[-6], put[-4], put[-2]
    assert "An analyst's own" in wide["image/svg+xml"] and "An analyst's own" in narrow["metadata"][mime.NARROW]
    assert "An analyst's own" not in plain["image/svg+xml"] + options["metadata"][mime.NARROW]


def category(*names):
    return pd.DataFrame({"part": pd.Categorical(["b", "a"], names)})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FRAME, FRAME.assign(x_low=[2.0, np.nextafter(0.25, 0)])),
        (FRAME, FRAME.assign(notes=[NOTES, frozenset()])),
        (FRAME, FRAME.assign(count=pd.array([8, 0], dtype="Int64"))),
        (FRAME, FRAME.rename(columns={"count": "number"})),
        (category("a", "b"), category("b", "a")),
        (category("a", "b"), category("a", "b").astype("str")),
        (Interval(np.float64(1), np.int64(2)), Interval(1.0, 3)),
    ],
)
def test_what_differs_in_values_labels_names_or_categories_is_another_figure(one, other):
    """A legend takes a series' name, an axis the order of categories."""
    same = one.copy() if hasattr(one, "copy") else replace(one, low=1.0)
    assert key(one) == key(same) != key(other) and key(other)


def test_attributes_of_a_frame_tell_it_apart():
    said = FRAME.copy()
    said.attrs["unit"] = "tokens/s"
    assert "" != key(FRAME) != key(said) != ""
    said.attrs["unit"] = object()  # a value that has no digest
    assert key(said) == ""


def test_another_question_look_or_color_is_another_figure(drawn, monkeypatch):
    show()
    for change in ({"title": "B200 lags."}, {"log": True}, {"reference": 1}, {"reference": 1.0}, {"notes": NOTES}):
        show(**change)
    assert len(drawn) == 6
    with matplotlib.rc_context({"font.size": 14}):
        show()
    with matplotlib.rc_context({"interactive": True}):  # no matter
        show()
    assert len(drawn) == 7
    monkeypatch.setitem(style.COLORS, "L40S", "#123456")
    show()
    assert len(drawn) == 8


@pytest.mark.parametrize("loaded", ["another", "as it was before it was edited"])
def test_other_code_is_another_figure_and_edited_code_keeps_none(drawn, place, monkeypatch, loaded):
    show()
    monkeypatch.setattr(figure_cache, "_LOADED", loaded)
    monkeypatch.setattr(figure_cache, "code_digest", lambda: "another")
    for _ in range(2):
        show()
    assert (len(drawn), len(files(place))) == ((2, 2) if loaded == "another" else (3, 1))


def test_every_module_that_draws_decides_which_figure_it_is():
    """Of this package; a room that these modules come to import has to be named too."""
    modules = (ROOT / "src" / "analysis" / "charts").glob("*.py")
    own = reached((path.read_text("utf-8") for path in modules), ROOT / "src")
    rooms = {path.relative_to(ROOT / "src" / "analysis").parts[0] for path in own if path.stem != "__init__"}
    assert rooms == set(figure_cache.ROOMS)


@pytest.mark.parametrize("wrong", ["bit", "another's", "folder"])
def test_a_wrong_file_is_noticed_and_drawn_again(drawn, put, place, wrong):
    show()
    (file,) = files(place)
    content = file.read_bytes()
    if wrong == "folder":
        file.unlink()
        file.mkdir()
    elif wrong == "another's":
        show(FRAME.head(1))
        (other,) = set(files(place)) - {file}
        file.write_bytes(other.read_bytes())
        drawn.pop()
    else:
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        file.write_bytes(flipped)
    show()
    assert len(drawn) == 2 and put[-2:] == put[:2]
    assert wrong == "folder" or file.read_bytes() == content


def test_where_nothing_can_or_may_be_written_nothing_is_kept(drawn, put, place, monkeypatch):
    place.write_text("a file where the folder would be")
    for _ in range(2):
        show()
    place.unlink()
    monkeypatch.setenv("ANALYSIS_CACHE", "off")
    show()
    assert len(drawn) == 3 and put[:2] == put[2:4] == put[4:] and not place.exists()


def test_an_analyst_s_own_chart_and_nothing_to_draw_are_not_kept(drawn, put, place):
    """Nothing tells when the code of the first has changed."""

    @style.chart
    def own(frame):
        return replace(row_charts.ranges.__wrapped__(frame, **ASKED), numbers=html_table.empty("Apples"))

    for _ in range(2):
        style.figure(own(FRAME), "Sources: a page.")
    show(FRAME.head(0))
    assert len(drawn) == 2 and "nothing to draw" in put[-1][0].data and not place.exists()


def test_the_same_value_has_the_same_digest_in_every_process():
    """Sets come in another order where texts have other hashes."""
    code = (
        "from analysis._core.notes import note; from analysis._core.interval import Interval;"
        "from analysis.charts import figure_cache, row_charts; import pandas as pd;"
        "notes = frozenset(note(code) for code in ('edge_suite', 'power_capped', 'tokens_assumed'));"
        "frame = pd.DataFrame({'notes': [notes], 'x': [Interval(1, 2.5)]});"
        "print(figure_cache.key(row_charts.ranges, (frame,), {'set': {'b', 'a'}}, {}))"
    )
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    told = {
        subprocess.check_output([sys.executable, "-c", code], env=env | {"PYTHONHASHSEED": seed}, text=True).strip()
        for seed in ("1", "2")
    }
    assert [len(one) for one in told] == [64]


def test_only_the_figures_last_used_stay(drawn, place, monkeypatch):
    monkeypatch.setattr(figure_cache, "MOST", 4)
    for number in range(4):
        show(title=f"Figure {number}.")
        os.utime(max(files(place), key=lambda path: path.stat().st_mtime), (number + 1, number + 1))
    show(title="Figure 0.")  # used again
    left_aside = place / ".killed.json.z.1.999999999.tmp"
    left_aside.touch()
    show(title="Figure 4.")
    assert len(files(place)) == 3 and not left_aside.exists()
    for number in (0, 3, 4):
        show(title=f"Figure {number}.")
    assert drawn == [f"Figure {number}." for number in range(5)]
