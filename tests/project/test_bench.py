"""`make bench` takes minutes and is no test; what it asks of the package is there, and its own parts give figures."""

import json
import subprocess
import sys

from analysis._core.paths import ROOT

BENCHMARKS = ROOT / "benchmarks"
# The whole bench is imported with its ways; what needs no build and no browser is asked for figures.
PARTS = """
import json, sys
from pathlib import Path
import bench, plans, sliders
plans.PLANS = sliders.MOVES = 2
taken = {"plan": plans.milliseconds(1000), "slider": sliders.milliseconds(Path(sys.argv[1]))}
print(json.dumps({"ways": sorted(bench.WAYS), "taken": taken}))
"""
LIBRARY = "import commands; exec(commands.LIBRARY)"


def ran(*command, cwd=BENCHMARKS):
    """What a Python process in some folder prints."""
    done = subprocess.run([sys.executable, *command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_parts_without_a_build():
    measured = json.loads(ran("-c", PARTS, str(ROOT)))
    assert set("abcdefgh") == set(measured["ways"])
    for name, taken in measured["taken"].items():
        assert len(taken) > 1, name
        assert min(taken) > 0, name


def test_the_package_as_a_library():
    imported, loaded = map(float, ran("-c", LIBRARY).split())
    assert imported > 0
    assert loaded > 0
