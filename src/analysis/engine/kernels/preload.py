"""What a fork server loads before it forks: third-party libraries only, for the user's own code would go stale."""

import builtins
import contextlib
import importlib
import io
import os
from collections.abc import Iterator
from types import SimpleNamespace

MODULES = (
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "numpy",
    "pandas",
    "matplotlib.pyplot",
    "matplotlib.backends.backend_svg",
    "matplotlib.backends.backend_agg",
    "seaborn",
    "pyarrow.csv",
    "pyarrow.pandas_compat",
    "pydantic.json_schema",
    "pydantic.main",
    "pydantic.types",
)


def load_libraries() -> dict[str, str]:
    """Import the libraries that notebooks use, as a kernel would, and draw once so that lazy parts are there.

    Returns the environment variables that libraries set while they are imported.
    """
    os.environ.pop("JPY_PARENT_PID", None)  # ipykernel reads it when it is imported.
    before = dict(os.environ)
    with _looks_like_a_kernel():
        for name in MODULES:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    with contextlib.suppress(ImportError):
        _draw()
    with contextlib.suppress(ImportError):
        _tabulate()
    return {name: value for name, value in os.environ.items() if before.get(name) != value}


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
