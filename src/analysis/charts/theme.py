"""The settings of matplotlib that all figures have in common, set and read without loading it before it is needed."""

from __future__ import annotations

import os
import sys
import warnings
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from analysis.charts.colors import GRID, INK, QUIET, RULE

# Light rules on white, no ticks, no box; sizes in points.
THEME = {
    "axes.axisbelow": True,
    "axes.edgecolor": RULE,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.linewidth": 1.25,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9,
    "figure.max_open_warning": 0,
    "font.size": 9,
    "grid.color": GRID,
    "grid.linewidth": 1,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.title_fontsize": 9,
    "lines.solid_capstyle": "round",
    "patch.edgecolor": "w",
    "patch.force_edgecolor": True,
    "svg.fonttype": "path",
    "svg.hashsalt": "analysis",
    "text.color": INK,
    "text.hinting": "no_hinting",  # or words would be laid out narrower than their paths in an SVG are
    "xtick.bottom": False,
    "xtick.color": QUIET,
    "xtick.labelsize": 8.5,
    "xtick.major.size": 6,
    "xtick.minor.size": 4,
    "ytick.color": INK,
    "ytick.labelsize": 8.5,
    "ytick.left": False,
    "ytick.major.size": 6,
    "ytick.minor.size": 4,
}
_OF_THE_SCREEN = {"backend", "backend_fallback", "interactive"}  # settings that no drawing as SVG depends on


_set: list[bool] = []  # empty until the theme was set in this process


def apply() -> None:
    """Set the theme, at the top of a notebook. SVG ids come from a fixed salt, so that builds are identical.

    Where nothing has loaded matplotlib it is set as soon as something does, be it a cell of the notebook itself.
    """
    _set.append(True)
    if matplotlib := sys.modules.get("matplotlib"):
        matplotlib.rcParams.update(THEME)
    elif _OnceLoaded not in sys.meta_path:
        sys.meta_path.insert(0, _OnceLoaded)


def ensure() -> None:
    """Set the theme unless the process has it already: a chart brings it to a notebook that did not ask for it."""
    if not _set:
        apply()


class _OnceLoaded:
    """Sets the theme behind the import of matplotlib: a finder of modules that finds this one, once."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != "matplotlib":
            return None
        sys.meta_path.remove(cls)
        if (spec := find_spec(name)) is not None:
            execute = spec.loader.exec_module

            def themed(module: ModuleType) -> None:
                execute(module)
                module.rcParams.update(THEME)

            spec.loader.exec_module = themed
        return spec


def settings() -> dict[str, str]:
    """The settings that a drawing depends on and that are neither matplotlib's own nor the theme's, by name.

    Where the theme waits for matplotlib to be loaded, nothing but a user's own file can have changed one.
    """
    if _OnceLoaded in sys.meta_path and not _users_own_file():
        return {}
    import matplotlib

    with warnings.catch_warnings():  # Some settings warn of their end when they are read.
        warnings.simplefilter("ignore", matplotlib.MatplotlibDeprecationWarning)
        usual = matplotlib.rcParamsDefault.copy()
        usual.update(THEME)
        changed = {name: value for name, value in matplotlib.rcParams.items() if value != usual.get(name)}
    return {name: str(value) for name, value in changed.items() if name not in _OF_THE_SCREEN}


def _users_own_file() -> bool:
    """Whether there is a file wherever matplotlib, on any system, looks for a user's own settings."""
    variable, home = os.environ.get, Path("~").expanduser()
    folders = [Path(), home / ".matplotlib", Path(variable("XDG_CONFIG_HOME") or home / ".config", "matplotlib")]
    folders += [Path(variable("LOCALAPPDATA") or home, "matplotlib"), Path(variable("MPLCONFIGDIR") or "")]
    return bool(variable("MATPLOTLIBRC")) or any((folder / "matplotlibrc").exists() for folder in folders)
