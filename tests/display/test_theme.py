"""The theme: set whoever loads matplotlib, told without loading it, and no figure that is kept loads it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

from analysis._core.paths import ROOT
from analysis.charts import theme

SHOWN = """
import json, sys
import pandas as pd
from analysis._core import paths
from analysis import charts
from analysis.charts import style
paths.CACHE = paths.Path(sys.argv[1])
put = []
style.display = lambda what, **options: put[-1].append((what, options))
charts.apply()
frame = pd.DataFrame({"part": ["B200 SXM"], "basis": ["a"], "x_low": [1.0], "x_high": [2.0]})
asked = {"label": "part", "series": "basis", "name": "x", "axis": "ratio", "title": "B200 leads.", "subtitle": "LLM."}
for _ in range(2):
    put.append([])
    style.figure(charts.ranges(frame, **asked), "Sources: a page.")
print(json.dumps([put, "matplotlib" in sys.modules]))
"""


@pytest.fixture(scope="module", autouse=True)
def fonts(tmp_path_factory):
    """The list of fonts where each process finds it, whatever its home is: to make it takes seconds."""
    known = tmp_path_factory.mktemp("known")
    with_fonts(known / "matplotlib")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(known))
        yield


def with_fonts(folder):
    """A folder for matplotlib's own files, with its list of fonts."""
    folder.mkdir(parents=True)
    for known in Path(matplotlib.get_cachedir()).glob("fontlist-*.json"):
        shutil.copy(known, folder)


def run(code, *arguments, cwd=ROOT, **environment):
    """What a process without matplotlib, and without settings of a user's own, prints as JSON."""
    outside = ("ANALYSIS_CACHE", "MATPLOTLIBRC", "MPLCONFIGDIR", "XDG_CONFIG_HOME", "MPLBACKEND")
    env = {name: value for name, value in os.environ.items() if name not in outside}
    env |= {"PYTHONPATH": str(ROOT / "src"), "HOME": "/nowhere", "MPLBACKEND": "agg"} | environment
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=env, cwd=cwd, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A figure drawn and shown again by a process without settings of a user's own, and the folder it is kept in."""
    cache = tmp_path_factory.mktemp("kept")
    drawn, loaded = run(SHOWN, str(cache))
    assert loaded and drawn[0] == drawn[1] and "<svg" in drawn[0][0][0]["image/svg+xml"]
    return drawn, cache


def test_a_kept_figure_is_shown_as_it_was_drawn_without_matplotlib(kept):
    assert run(SHOWN, str(kept[1])) == [kept[0], False]


@pytest.mark.parametrize("place", ["folder", "MATPLOTLIBRC"])
def test_a_user_s_own_file_of_settings_makes_another_figure(kept, tmp_path, place):
    """It is kept too, beside what was drawn without the file, which stays as it is."""
    plain, cache = kept
    file = tmp_path / "own" / "matplotlibrc"
    with_fonts(file.parent)
    file.write_text("font.weight: bold\n")
    how = {"cwd": tmp_path / "own"} if place == "folder" else {place: str(tmp_path / "own")}
    before = files(cache)
    (first, second), loaded = run(SHOWN, str(cache), **how)
    assert loaded and first == second not in plain and "<svg" in first[0][0]["image/svg+xml"]
    assert before and before.items() <= files(cache).items()


def files(folder):
    """Every file below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_theme_is_set_whoever_loads_matplotlib():
    code = """
import json, sys
from analysis import charts
from analysis.charts import theme
for _ in range(2):
    charts.apply()
assert "matplotlib" not in sys.modules and theme.settings() == {}
import matplotlib
import matplotlib.pyplot as plt
told = [theme.settings(), plt.rcParams["axes.grid"], sys.meta_path.count(theme._OnceLoaded)]
plt.rcParams["font.size"] = 14
told.append(theme.settings())
charts.apply()
print(json.dumps([*told, theme.settings()]))
"""
    assert run(code) == [{}, True, 0, {"font.size": "14.0"}, {}]


def test_what_is_not_the_theme_s_is_told_where_it_was_never_set():
    told = run("import json\nfrom analysis.charts import theme\nprint(json.dumps(theme.settings()))")
    assert told["axes.grid"] == "False" and set(told) == {
        name for name, value in theme.THEME.items() if matplotlib.rcParamsDefault[name] != validated(name, value)
    }


def validated(name, value):
    """A setting as matplotlib holds it."""
    own = matplotlib.rcParamsDefault.copy()
    own[name] = value
    return own[name]


def test_a_notebook_that_never_asks_for_the_theme_draws_the_same_svg(kept, tmp_path):
    """SVG ids without the theme's salt are random, and stored outputs would differ at each run."""
    unasked = SHOWN.replace("charts.apply()\n", "")
    assert unasked != SHOWN
    assert run(unasked, str(tmp_path))[0][0] == kept[0][0]
