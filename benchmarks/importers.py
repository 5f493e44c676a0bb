"""Speed and memory of the importer at 1, 2, 4 and 8 times the input, as rates and ratios; a part of `make bench`.

    python benchmarks/importers.py [FOLDER [TREE ...]]

Each TREE is the clone of a round: its import, with the start of the process, is set beside reading every file of its
results with `find` and `cat`, interleaved, files in memory already. FOLDER holds `v5.1_summary_results.json` and
`inference_results_v4.1/` (default: ../shared/mlcommons). Its tree is made larger by copying its runs, with all their
files, under further platform names: at 8 times it has about the 31,500 files and 2,240 runs of the whole v4.1 tree. The
logs at hand are shorter than those of that tree, so one more tree has logs as long on average, by copying the longest
more often. Each measurement is a process of its own, so that peak memory is its own; with several processes it is the
largest of any one of them.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FACTORS = (1, 2, 4, 8)
COPIES = 22  # of each run at factor 1
ROUNDS = 3
LOG = 515e6 / 2240  # bytes of a run's detail log in the whole v4.1 tree, on average
READ = ("mlperf_log_detail.txt", "spl.txt", "accuracy.txt")  # what an import reads of a run
DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "mlcommons"
# MLCommons' own checker takes 14.8 s for the 2,240 runs of v4.1, on two cores; a fifth of that is the aim.
AIM = {"runs_per_second": 2240 / (14.8 / 5), "log_megabytes_per_second": 200}


def main(folder: Path = DEFAULT, *trees: Path) -> int:
    """Measure and print; returns the exit status."""
    measurements = measured(folder, trees)
    show(measurements)
    return 1 if "left_out" in measurements else 0


def measured(folder: Path = DEFAULT, whole: Sequence[Path] = ()) -> dict[str, Any]:
    """The measurements by factor of `summary` and `tree`, of logs alone and of `whole_trees`.

    Or why there are none, as `left_out`.
    """
    if not folder.is_dir():
        return {"left_out": f"no official files at {folder}"}
    with tempfile.TemporaryDirectory(prefix="analysis-bench-import-") as scratch:
        summaries = [_summary(folder, Path(scratch), factor) for factor in FACTORS]
        trees = [_tree(folder, Path(scratch), factor) for factor in FACTORS]
        measurements = {"summary": _grown(summaries), "tree": _grown(trees), "aim": AIM}
        measurements |= {"logs_alone_megabytes_per_second": _logs(Path(scratch))}
        measurements |= {"tree_with_long_logs": _long_tree(folder, Path(scratch) / "long")}
        return measurements | {"whole_trees": [_beside_cat(tree, Path(scratch)) for tree in whole]}


def show(measurements: dict[str, Any]) -> None:
    """Print what `measured` returned."""
    if "left_out" in measurements:
        print(f"importer: left out, {measurements['left_out']}")
        return
    for name, unit in (("summary", "rows"), ("tree", "runs")):
        print(f"importer, {name} ({os.cpu_count()} processors)")
        print(f"   input {unit:>10}    seconds   {unit}/s   MB/s   peak MB   time to 1x")
        for factor, row in zip(FACTORS, measurements[name], strict=True):
            rates = f"{row[f'{unit}_per_second']:8,.0f} {row['log_megabytes_per_second']:6.0f}"
            memory = f"{row['peak_megabytes']:9.0f} {row['time_to_1x']:12.2f}"
            print(f"   {factor}x  {row[unit]:12,.0f} {row['seconds']:10.3f} {rates} {memory}")
    row = measurements["tree_with_long_logs"]
    rates = f"{row['runs_per_second']:,.0f} runs/s, {row['log_megabytes_per_second']:.0f} MB/s"
    print(f"   {row['runs']:,} runs with logs of {LOG / 1e3:.0f} kB, as long as those of v4.1: {rates}")
    for row in measurements["whole_trees"]:
        times = ", ".join(f"{name} {row[name]['least']:.2f} to {row[name]['most']:.2f} s" for name in ("import", "cat"))
        print(f"   {row['tree']}, {row['files']:,} files of results: {times}; {row['ratio']:.2f} times cat (median)")
    aim = f"{AIM['runs_per_second']:,.0f} runs/s, {AIM['log_megabytes_per_second']} MB/s of detail log"
    print(
        f"   aim of a tree: {aim}; logs alone, one process: {measurements['logs_alone_megabytes_per_second']:,.0f} MB/s"
    )


def _grown(rows: list[dict[str, float]]) -> list[dict[str, float]]:
    return [row | {"time_to_1x": row["seconds"] / rows[0]["seconds"]} for row in rows]


def _summary(folder: Path, scratch: Path, factor: int) -> dict[str, float]:
    rows = json.loads((folder / "v5.1_summary_results.json").read_text("utf-8"))
    copies = [row | {"ID": f"{copy}.1-{row['ID'][-4:]}"} for copy in range(factor) for row in rows]
    path = scratch / f"summary{factor}.json"
    path.write_text(json.dumps(copies), "utf-8")
    return _timed(path, "rows", len(copies), path.stat().st_size)


def _tree(folder: Path, scratch: Path, factor: int) -> dict[str, float]:
    """The tree of the factor before, grown; the size is that of the detail logs of its runs."""
    source, root = folder / "inference_results_v4.1", scratch / "inference_results_v4.1"
    logs = _logs_of(source)
    for copy in range(COPIES * factor // 2 if factor > 1 else 0, COPIES * factor):
        for log in logs:
            _copy(log.parents[2], source, root, copy)
    size = sum(log.stat().st_size for log in logs) * COPIES * factor
    return _timed(root, "runs", COPIES * factor * len(logs), size)


def _long_tree(folder: Path, scratch: Path) -> dict[str, float]:
    """As many runs as the largest tree, with logs of LOG bytes on average: the longest copied more often."""
    source, root = folder / "inference_results_v4.1", scratch / "inference_results_v4.1"
    logs = sorted(_logs_of(source), key=lambda log: log.stat().st_size)
    short, longest = logs[:-1], logs[-1]
    mean, most = sum(log.stat().st_size for log in short) / len(short), longest.stat().st_size
    runs = COPIES * FACTORS[-1] * len(logs)
    often = round(runs * (LOG - mean) / (most - mean))
    chosen = [short[place % len(short)] for place in range(runs - often)] + [longest] * often
    for place, log in enumerate(chosen):
        _copy(log.parents[2], source, root, place)
    return _timed(root, "runs", runs, sum(log.stat().st_size for log in chosen))


def _beside_cat(tree: Path, scratch: Path) -> dict[str, Any]:
    """Seconds of the import of a whole tree and of reading its results with `cat`, and the median of their ratios."""
    chosen = ["find", str(tree), "-path", "*/results/*", "-type", "f"]
    files = subprocess.check_output([*chosen, "-printf", "x"])
    out = str(scratch / "whole.parquet")
    ways = {
        "cat": [*chosen, "-exec", "cat", "{}", "+"],
        "import": [sys.executable, "-m", "analysis.cli.main", "import", str(tree), "--out", out],
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(1 + 2 * ROUNDS):
        for name, command in ways.items():
            start = time.perf_counter()
            done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
            if name == "import" and not Path(out).exists():
                raise SystemExit(f"{tree}: its import ended with {done.returncode} and wrote nothing")
            if turn:  # The first one brings the files into memory.
                seconds[name].append(time.perf_counter() - start)
    ratios = [imported / read for imported, read in zip(seconds["import"], seconds["cat"], strict=True)]
    spans = {name: {"least": min(each), "most": max(each)} for name, each in seconds.items()}
    return {"tree": tree.name, "files": len(files), **spans, "ratio": statistics.median(ratios)}


def _logs_of(source: Path) -> list[Path]:
    return sorted(source.glob("*/*/results/*/*/*/performance/run_1/mlperf_log_detail.txt"))


def _copy(run: Path, source: Path, root: Path, copy: int) -> None:
    """One run under a further platform name: with its measurements and the description of its system."""
    division, submitter, _, platform, model, scenario = run.relative_to(source).parts
    submitted, name = root / division / submitter, f"{platform}-{copy}"
    shutil.copytree(run, submitted / "results" / name / model / scenario, copy_function=_copied)
    declared = source / division / submitter / "measurements" / platform / model / scenario
    if declared.is_dir():
        shutil.copytree(declared, submitted / "measurements" / name / model / scenario, copy_function=shutil.copyfile)
    (submitted / "systems").mkdir(exist_ok=True)
    description = source / division / submitter / "systems" / f"{platform}.json"
    shutil.copyfile(description, submitted / "systems" / f"{name}.json")


def _copied(file: str, target: str) -> None:
    """A copy of what is read, so that no cache holds one for all; of the rest only its name and size matter."""
    if Path(file).name in READ:
        shutil.copyfile(file, target)
    else:
        with Path(target).open("wb") as out:
            out.truncate(Path(file).stat().st_size)


def _timed(path: Path, unit: str, count: int, size: int) -> dict[str, float]:
    """Best of the rounds: seconds of the work itself, and the largest process in megabytes."""
    code = (
        "import sys, time, resource; from pathlib import Path;"
        "from analysis._import.official.import_run import import_results;"
        "import pyarrow.parquet; start = time.perf_counter();"
        "rows = import_results([Path(sys.argv[1])], Path(sys.argv[2]), say=lambda line: None).rows;"
        "peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN));"
        "print(time.perf_counter() - start, peak / 1024, rows)"
    )
    costs = []
    for _ in range(ROUNDS):
        command = [sys.executable, "-c", code, str(path), str(path.parent / "out.parquet")]
        seconds, peak, rows = map(float, subprocess.check_output(command, text=True).split())
        if rows != count:
            raise SystemExit(f"{path}: {rows:g} rows where {count} were made")
        costs.append((seconds, peak))
    seconds, peak = min(costs)
    return {
        unit: count,
        "seconds": seconds,
        f"{unit}_per_second": count / seconds,
        "log_megabytes_per_second": size / 1e6 / seconds,
        "peak_megabytes": peak,
    }


def _logs(scratch: Path) -> float:
    from analysis._import.official import loadgen

    logs = list(scratch.rglob("run_1/mlperf_log_detail.txt"))
    start = time.perf_counter()
    for log in logs:
        loadgen.read_log(log)
    return sum(log.stat().st_size for log in logs) / 1e6 / (time.perf_counter() - start)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
