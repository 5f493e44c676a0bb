"""`make bench`: our build against papermill and nbconvert, interleaved in one run, as ratios; reports/bench.json.

    a  `papermill`, then `nbconvert --to html`, for one notebook after another
    f  `analysis reports --force`, all notebooks
    e  one notebook edited, then `analysis reports NAME`, from a cold start
    n  `analysis reports` with nothing to do

No test: a slow or busy machine changes seconds, and ratios of one run far less.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "reports" / "bench.json"
COPIED = ("data", "notebooks", "src")


class Workspace:
    """A copy of the project in a folder of its own, so that a bench leaves the user's reports alone."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self.root, self.out, self.jobs = folder / "project", folder / "out", jobs
        for name in COPIED:
            shutil.copytree(
                ROOT / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
            )
        shutil.copy(ROOT / "requirements.lock", self.root)
        self.out.mkdir()
        own = {"PYTHONPATH": str(self.root / "src"), "ANALYSIS_RECORD": "shipped"}
        self.environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"} | own
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run([sys.executable, "-m", "compileall", "-q", self.root / "src"], check=True)
        self.notebooks = sorted(path.stem for path in (self.root / "notebooks").glob("[!_]*.ipynb"))

    def time(self, *commands: list[str]) -> dict[str, float]:
        """Run commands one after another; return seconds on the clock and of the processor, with all descendants."""
        before, started = _children(), time.perf_counter()
        for command in commands:
            subprocess.run(command, cwd=self.root / "notebooks", env=self.environment, capture_output=True, check=True)
        return {"wall": time.perf_counter() - started, "processor": _children() - before}

    def ours(self, *arguments: str) -> list[str]:
        """Return a command line of ours."""
        return [sys.executable, "-m", "analysis.cli.main", "reports", *arguments, "--jobs", str(self.jobs)]

    def papermill_then_nbconvert(self, name: str) -> dict[str, float]:
        """(a) The two commands for one notebook."""
        executed = str(self.out / f"{name}.ipynb")
        run = [sys.executable, "-m", "papermill", "-k", "python3", "--no-progress-bar", f"{name}.ipynb", executed]
        return self.time(run, [sys.executable, "-m", "nbconvert", "--to", "html", executed])

    def one_edited(self, name: str) -> dict[str, float]:
        """(e) One report after an edit of its notebook, with everything else as it was."""
        path = self.root / "notebooks" / f"{name}.ipynb"
        notebook = json.loads(path.read_text("utf-8"))
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"][-1]
        code["source"] = "".join(code["source"]) + "\n# edited"
        path.write_text(json.dumps(notebook), "utf-8")
        return self.time(self.ours(name))


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Measure, print medians and ratios, and write them down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of a and f, interleaved (default 3)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, metavar="N", help="notebooks at a time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="analysis-bench-") as folder:
        space = Workspace(Path(folder), arguments.jobs)
        costs: dict[str, list[dict[str, float]]] = {"a": [], "f": [], "n": [], "e": []}
        alone: dict[str, list[float]] = {name: [] for name in space.notebooks}
        for number in range(arguments.rounds):
            costs["f"].append(space.time(space.ours("--force")))
            each = {name: space.papermill_then_nbconvert(name) for name in space.notebooks}
            costs["a"].append({kind: sum(cost[kind] for cost in each.values()) for kind in ("wall", "processor")})
            for name, cost in each.items():
                alone[name].append(cost["wall"])
            _say(f"round {number + 1}: f {costs['f'][-1]['wall']:.1f} s, a {costs['a'][-1]['wall']:.1f} s")
        for _ in range(3):
            costs["n"].append(space.time(space.ours()))
        edited = {name: space.one_edited(name) for name in space.notebooks}
        costs["e"] = list(edited.values())
    ratios = {
        kind: [f[kind] / a[kind] for f, a in zip(costs["f"], costs["a"], strict=True)] for kind in ("wall", "processor")
    }
    for letter, words in {
        "a": "papermill and nbconvert",
        "f": "all reports",
        "e": "one edited, cold",
        "n": "nothing to do",
    }.items():
        wall, processor = (statistics.median(cost[kind] for cost in costs[letter]) for kind in ("wall", "processor"))
        _say(f"{letter}  {words:24} {wall:6.1f} s, {processor:6.1f} s of processor")
    shares = {name: edited[name]["wall"] / statistics.median(alone[name]) for name in space.notebooks}
    said = [f"{name} {edited[name]['wall']:.1f} s ({share:.2f})" for name, share in sorted(shares.items(), key=_second)]
    _say("one edited, and e/a of its notebook: " + ", ".join(said))
    for kind, values in ratios.items():
        _say(f"f/a, {kind:9}  {statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})")
    measured = {"notebooks": len(space.notebooks), "jobs": arguments.jobs, "processors": os.cpu_count()}
    measured |= {
        "python": platform.python_version(),
        "costs": costs,
        "one_edited": edited,
        "e_over_a": shares,
        "f_over_a": ratios,
    }
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(measured, indent=2) + "\n", "utf-8")
    return 0


def _second(pair: tuple[str, float]) -> float:
    return pair[1]


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
