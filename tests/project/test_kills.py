"""What `make kills` takes for a fault: it finds each kind where it is, and none where there is none."""

import importlib.util
from types import ModuleType

import pytest

from analysis._core.paths import ROOT

WANTED = {"a.html": b"A</html>", "a.json": b"{}", "b.html": b"B</html>", "b.json": b"{}", "index.html": b"I</html>"}


@pytest.fixture(scope="module")
def kills() -> ModuleType:
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("kills", ROOT / "benchmarks" / "kills.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("there", "fresh", "found"),
    [
        (WANTED, {"a", "b"}, []),
        ({"a.html": b"A</html>"}, set(), []),  # its record is still to come
        ({"index.html": b"earlier</html>"}, set(), []),
        (WANTED | {"a.html": b"A</h"}, set(), ["a.html: not the one of an undisturbed build"]),
        (WANTED | {"c.html": b"C</html>"}, set(), ["c.html: of no report"]),
        (WANTED | {"index.html": b"I</"}, set(), ["index.html: half a page"]),
        ({"a.json": b"{}"}, {"a"}, ["a.html: a passes for fresh without it"]),
    ],
)
def test_faults(kills, there, fresh, found):
    assert kills.faults(there, WANTED, fresh) == found
