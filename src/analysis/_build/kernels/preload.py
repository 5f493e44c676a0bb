"""What a fork server loads before it forks: libraries, and what every notebook imports of the package itself."""

import builtins
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace

from analysis._core.file_contents import file_version

KERNEL = (  # what ipykernel and IPython import when a kernel starts, and with its first cells
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "ipykernel.debugger",
    "ipykernel_launcher",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.logger",
    "IPython.core.oinspect",
    "IPython.core.pylabtools",
    "IPython.extensions.storemagic",
    "cProfile",
    "sqlite3",
    "tornado.platform.asyncio",
    "zmq.utils.garbage",
)
MODULES = (
    "numpy",
    "pandas",
    "pyarrow.csv",
    "pyarrow.pandas_compat",
    "pydantic.json_schema",
    "pydantic.main",
    "pydantic.types",
)
LATER = {  # what takes long, and is used by few notebooks or where a figure is not kept; what is loaded with each
    "matplotlib": (
        "matplotlib_inline.config",
        "matplotlib.pyplot",
        "matplotlib.backends.backend_svg",
        "matplotlib.backends.backend_agg",
    ),
    "seaborn": ("seaborn",),
}
PACKAGE = "analysis"
OWN = (
    "analysis.report",
    "analysis.charts.row_charts",
    "analysis._display.notebook",
    "analysis._display.provenance",
    "analysis._display.tables",
)
PATHS = "analysis._core.paths"
TABLES = "analysis._display.notebook"  # the module of OWN whose `load` holds what every notebook reads
Versions = dict[str, tuple[int, ...]]  # of files, by path; of one that is not there, nothing


def load_libraries() -> dict[str, str]:
    """Import the libraries that all notebooks use, as a kernel would, and use each once so that lazy parts are there.

    Returns the environment variables that libraries set while they are imported.
    """
    os.environ.pop("JPY_PARENT_PID", None)  # ipykernel reads it when it is imported.
    with _telling_what_is_set() as environment:
        with absent("debugpy"):  # A debugger, which takes half of what a kernel needs to start.
            _load(KERNEL)
        _load(MODULES)
        for use in (_tabulate, _validate):
            with contextlib.suppress(ImportError):
                use()
    return environment


def load_later(name: str) -> dict[str, str]:
    """Import one of LATER, which kernels that are forked before import by themselves where they need it.

    Returns the environment variables that it sets.
    """
    with _telling_what_is_set() as environment:
        _load(LATER[name])
        if name == "matplotlib":
            with contextlib.suppress(ImportError):
                _draw()
    return environment


def figures_are_kept() -> bool:
    """Whether the package that `load_own` has loaded keeps figures, and has some: then few are drawn."""
    paths = sys.modules.get(PATHS)
    return paths is not None and (folder := paths.cache("figures")) is not None and folder.exists()


@contextlib.contextmanager
def _telling_what_is_set() -> Iterator[dict[str, str]]:
    """A mapping that, once the block has ended, holds the environment variables that were set in it."""
    before, changed = dict(os.environ), {}
    yield changed
    changed |= {name: value for name, value in os.environ.items() if before.get(name) != value}


def _load(names: Iterable[str]) -> None:
    with _looks_like_a_kernel():
        for name in names:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def load_own() -> Versions:
    """Import OWN anew from where the kernels' path says; returns the versions of the files that it rests on.

    What every notebook reads of tables is held in memory too. Nothing is loaded where no package is first on that
    path, as of another project, or where it cannot be: each kernel then meets the error by itself.
    """
    forget_own()
    first = Path(os.environ.get("PYTHONPATH", "").partition(os.pathsep)[0]) / PACKAGE
    if not (first / "__init__.py").is_file():
        return {}
    try:
        with _looks_like_a_kernel():
            for name in OWN:
                importlib.import_module(name)
            with contextlib.suppress(Exception):  # A table that is wrong is reported by each notebook that reads it.
                sys.modules[TABLES].load()
    except Exception:
        forget_own()
        return {}
    modules = [module.__file__ for name, module in sys.modules.items() if _is_own(name) and module.__file__]
    return versions([*modules, *map(str, sys.modules[PATHS].DATA.glob("*.csv"))])


def versions(files: Iterable[str]) -> Versions:
    """What tells one version of each file from another."""
    return {path: file_version(Path(path)) for path in files}


def forget_own() -> None:
    """Let a kernel import the package anew, from where its own path says and as it is by then."""
    for name in [name for name in sys.modules if _is_own(name)]:
        del sys.modules[name]


def _is_own(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE


@contextlib.contextmanager
def absent(name: str) -> Iterator[None]:
    """Let a module look as if it weren't installed."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]


@contextlib.contextmanager
def _looks_like_a_kernel() -> Iterator[None]:
    """pandas asks `get_ipython` while it is imported, and outside a kernel it would fit tables to a terminal."""
    builtins.get_ipython = lambda: SimpleNamespace(kernel=True)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del builtins.get_ipython  # type: ignore[attr-defined]


def _draw() -> None:
    """One tiny figure, without pyplot: it would settle the backend, which is each kernel's own choice."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1), layout="constrained")
    FigureCanvasAgg(figure)
    figure.subplots().plot([0, 1], label="a")
    for kind in ("svg", "png"):
        figure.savefig(io.BytesIO(), format=kind)


def _tabulate() -> None:
    """One tiny table, by the ways of frames that pandas imports at their first use."""
    import pandas

    frame = pandas.DataFrame({"a": ["b", "c"], "d": [1.0, 2.0]})
    frame.to_csv(index=False)
    frame.to_dict("records")
    frame.pivot(columns="a", values="d")


def _validate() -> None:
    """One tiny model: at the first, pydantic looks through all that is installed for plugins."""
    import pydantic

    pydantic.create_model("Tiny", a=(int, 0))(a=1)
