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
MODULES = ("numpy", "pandas", "pyarrow.csv", "pyarrow.pandas_compat", "pydantic.json_schema", "pydantic.types")
DRAWING = (  # but for matplotlib_inline, which sees to the figures of the kernel that imports it
    "matplotlib.pyplot",
    "matplotlib.backends.backend_svg",
    "matplotlib.backends.backend_agg",
    "seaborn",
)
PACKAGE = "analysis"
OWN = (
    "analysis.report",
    "analysis.charts.row_charts",
    "analysis._display.notebook",
    "analysis._display.provenance",
    "analysis._display.tables",
)
TABLES = "analysis._display.notebook"  # the module of OWN whose `load` holds what every notebook reads
Versions = dict[str, tuple[int, ...]]  # of files, by path; of one that is not there, nothing


def load(drawing: bool) -> Versions:
    """Import what all notebooks use, as a kernel would; returns the versions of the package's files that it rests on.

    Libraries that are not installed are left out.
    """
    os.environ.pop("JPY_PARENT_PID", None)  # ipykernel reads it when it is imported.
    with _looks_like_a_kernel():
        with absent("debugpy"):  # A debugger, which takes half of what a kernel needs to start.
            _import(KERNEL)
        _import(MODULES)
        if drawing:
            _import(DRAWING)
            with contextlib.suppress(ImportError):
                _draw()
        return _load_own()


def _import(names: Iterable[str]) -> None:
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _load_own() -> Versions:
    """Import OWN from where the kernels' path says, and hold in memory what every notebook reads of tables.

    Nothing is loaded where no package is first on that path, as of another project, or where it cannot be: each
    kernel then meets the error by itself.
    """
    forget_own()
    first = Path(os.environ.get("PYTHONPATH", "").partition(os.pathsep)[0]) / PACKAGE
    if not (first / "__init__.py").is_file():
        return {}
    try:
        for name in OWN:
            importlib.import_module(name)
        with contextlib.suppress(Exception):  # A table that is wrong is reported by each notebook that reads it.
            sys.modules[TABLES].load()
    except Exception:
        forget_own()
        return {}
    modules = [module.__file__ for name, module in sys.modules.items() if _is_own(name) and module.__file__]
    return versions([*modules, *map(str, sys.modules["analysis._core.paths"].DATA.glob("*.csv"))])


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
