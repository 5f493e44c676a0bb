"""Speed and memory of the importer at 1, 2, 4 and 8 times the input, as rates and ratios; nothing is kept.

    python benchmarks/importers.py [FOLDER]

FOLDER holds `v5.1_summary_results.json` and `inference_results_v4.1/` (default: ../shared/mlcommons); the tree is made
larger by copying its runs under further platform names. Each measurement is a process of its own, so that peak memory
is its own; with several processes it is the largest of any one of them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FACTORS = (1, 2, 4, 8)
BASE = 12  # copies of the runs at factor 1, so that a start of processes does not drown the work
DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "mlcommons"


def main(folder: Path) -> int:
    """Measure and print; returns the exit status."""
    if not folder.is_dir():
        print(f"no official files at {folder}: name their folder", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        _table("summary", "rows/s", [_summary(folder, Path(scratch), factor) for factor in FACTORS])
        trees = [_tree(folder, Path(scratch), factor) for factor in FACTORS]
        _table("tree", "runs/s", trees)
        print(f"logs alone, one process: {_logs(Path(scratch)):.0f} MB/s of detail log")
    return 0


def _summary(folder: Path, scratch: Path, factor: int) -> dict[str, float]:
    rows = json.loads((folder / "v5.1_summary_results.json").read_text("utf-8"))
    copies = [row | {"ID": f"{copy}.1-{row['ID'][-4:]}"} for copy in range(factor) for row in rows]
    path = scratch / f"summary{factor}.json"
    path.write_text(json.dumps(copies), "utf-8")
    return _measured(path, len(copies), path.stat().st_size)


def _tree(folder: Path, scratch: Path, factor: int) -> dict[str, float]:
    """The runs of the tree copied under further platforms; the size is that of what an import reads."""
    source, root = folder / "inference_results_v4.1", scratch / f"{factor}" / "inference_results_v4.1"
    runs = [log.parents[2] for log in sorted(source.glob("*/*/results/*/*/*/performance/run_1/mlperf_log_detail.txt"))]
    size = 0
    for copy in range(BASE * factor):
        for run in runs:
            division, submitter, _, platform, model, scenario = run.relative_to(source).parts
            submitted, name = root / division / submitter, f"{platform}-{copy}"
            target = submitted / "results" / name / model / scenario / "performance" / "run_1"
            target.mkdir(parents=True, exist_ok=True)
            for log in ("mlperf_log_detail.txt", "spl.txt"):
                if (run / "performance" / "run_1" / log).is_file():
                    size += shutil.copyfile(run / "performance" / "run_1" / log, target / log).stat().st_size
            (submitted / "systems").mkdir(exist_ok=True)
            description = source / division / submitter / "systems" / f"{platform}.json"
            shutil.copyfile(description, submitted / "systems" / f"{name}.json")
    return _measured(root, BASE * factor * len(runs), size)


def _measured(path: Path, things: int, size: int) -> dict[str, float]:
    """Best of three runs: seconds of the work itself, and the largest process in megabytes."""
    code = (
        "import sys, time, resource; from pathlib import Path; from analysis.importers.run import import_results;"
        "import pyarrow.parquet; start = time.perf_counter();"
        "rows = import_results([Path(sys.argv[1])], Path(sys.argv[2]), say=lambda line: None).rows;"
        "peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN));"
        "print(time.perf_counter() - start, peak / 1024, rows)"
    )
    found = []
    for _ in range(3):
        command = [sys.executable, "-c", code, str(path), str(path.parent / "out.parquet")]
        seconds, peak, rows = map(float, subprocess.check_output(command, text=True).split())
        if rows != things:
            raise SystemExit(f"{path}: {rows:g} rows where {things} were made")
        found.append((seconds, peak))
    seconds, peak = min(found)
    return {"things": things, "seconds": seconds, "rate": things / seconds, "mb": size / 1e6 / seconds, "peak": peak}


def _logs(scratch: Path) -> float:
    from analysis.importers import loadgen

    logs = list((scratch / "8").rglob("run_1/mlperf_log_detail.txt"))
    start = time.perf_counter()
    for log in logs:
        loadgen.read(log)
    return sum(log.stat().st_size for log in logs) / 1e6 / (time.perf_counter() - start)


def _table(name: str, unit: str, rows: list[dict[str, float]]) -> None:
    print(
        f"{name} ({os.cpu_count()} processors)\n   input      count    seconds  {unit:>8}   MB/s   peak MB   time to 1x"
    )
    for factor, row in zip(FACTORS, rows, strict=True):
        print(f"   {factor}x  {row['things']:10,.0f} {row['seconds']:10.3f} {row['rate']:9,.0f} {row['mb']:6.0f}"
              f" {row['peak']:9.0f} {row['seconds'] / rows[0]['seconds']:11.2f}")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT))
