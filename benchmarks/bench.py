"""`make bench`: every way from notebooks to pages side by side, interleaved over rounds, as ratios with spread.

Then the importer, at growing input (importers.py).

No test: a slow or busy machine changes times, and ratios of one run far less. Writes reports/bench.json.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import commands
import edits
import explorer
import importers
import memory
import plans
import sliders
import sweeping
from ways import WAYS
from workspace import ROOT, Cost, Workspace

from analysis._core.file_contents import write_whole

OUT = ROOT / "reports" / "bench.json"
AIMS = {("f", "a"): 0.1, ("f", "b"): 0.4, ("f", "g"): 1.3, ("sweep", "commands"): 0.07}
SECONDS = {"analysis check": 1.0, "analysis plan": 0.8, "import": 0.3, "Catalog().results": 0.1}  # aims of commands
SWEEP = "energy_price"


def main() -> int:
    """Run what was asked for and write it down."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="analysis-bench-") as folder:
        space = Workspace(Path(folder), arguments.jobs)
        measured: dict[str, Any] = {"reports": len(space.runs()), "jobs": arguments.jobs, "rounds": arguments.rounds}
        measured |= {"python": platform.python_version(), "processors": os.cpu_count()}
        measured |= {"tried_again": space.tried_again, "ways": {}}
        _say(f"{arguments.rounds} rounds of {len(arguments.ways)} ways, {measured['reports']} reports each; a round "
             f"takes {_expected(arguments.ways)}; what is measured stands in {OUT.name} at once")  # fmt: skip
        _side_by_side(space, arguments.ways, arguments.rounds, measured)
        others: dict[str, Callable[[], Any]] = {
            "memory": lambda: {kind: memory.peak(space, kind) for kind in ("ordinary", "warm")},
            "explorer": lambda: explorer.measured(space.root / "reports" / "explorer.html"),
            "slider_milliseconds": lambda: sliders.milliseconds(space.root),
            "plan_milliseconds": plans.milliseconds,
        }
        others["commands_seconds"] = lambda: commands.seconds(space)
        others["one_edited_cold"] = lambda: [vars(cost) for cost in edits.cold(space)]
        others["one_edited_in_a_preview"] = lambda: edits.previewed(space)
        if "f" in arguments.ways:
            others["nothing_to_do"] = lambda: [vars(sweeping.nothing_to_do(space)) for _ in range(3)]
        if arguments.sweep:
            others["sweep"] = lambda: _sweeps(space, arguments.sweep_rounds)
        if arguments.importer:
            others["importer"] = importers.measured
        for name, measure in others.items():
            _say(f"{name.replace('_', ' ')} ...")
            measured[name] = measure()
            _write(measured)
    measured["ratios"] = _ratios(measured)
    _write(measured)
    _print(measured)
    return 0


def _expected(letters: str) -> str:
    """How long a round takes, in words: as long as in the bench before, where that has these ways."""
    try:
        ways = json.loads(OUT.read_text("utf-8"))["ways"]
        seconds = sum(statistics.median(cost["wall"] for cost in ways[letter]["costs"]) for letter in letters)
    except (OSError, ValueError, KeyError):  # StatisticsError is a ValueError.
        return "some minutes, which the first one tells"
    return f"{seconds / 60:.1f} minutes, by the bench before"


def _write(measured: dict[str, Any]) -> None:
    """What has been measured so far, so that nothing of it is lost where the rest fails."""
    write_whole(OUT, json.dumps(measured, indent=2) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="of the ways, interleaved (default 5)")
    parser.add_argument("--sweep-rounds", type=int, default=2, metavar="N", help="of the sweep (default 2)")
    parser.add_argument("--jobs", type=int, default=3, metavar="N", help="notebooks at a time, for ours (default 3)")
    parser.add_argument("--ways", default="abcdefgh", help="letters of the ways to run (default all)")
    parser.add_argument("--no-sweep", dest="sweep", action="store_false", help="leave out the sweep")
    parser.add_argument("--no-import", dest="importer", action="store_false", help="leave out the importer")
    return parser.parse_args()


def _side_by_side(space: Workspace, letters: str, rounds: int, measured: dict[str, Any]) -> None:
    """The costs of each way per round, or why there are none, into `measured`; written after each.

    A way that fails twice is left out from then on, and says so; the others go on.
    All find what a build before them has kept, as they would where one builds a second time; (h) alone does not.
    """
    _say("a build that is not timed, so that each way finds tables and figures kept")
    WAYS["f"][1](space)
    ways = measured["ways"] = {letter: {"name": WAYS[letter][0], "costs": []} for letter in letters}
    for number in range(rounds):
        started = time.monotonic()
        for letter in [letter for letter in letters if "left_out" not in ways[letter]]:
            try:
                cost = WAYS[letter][1](space)
            except subprocess.CalledProcessError as error:
                cost = f"failed twice in round {number + 1}, with exit status {error.returncode}"
            if isinstance(cost, Cost):
                ways[letter]["costs"].append(vars(cost))
                _say(f"round {number + 1}: {letter}  {cost.wall:6.1f} s, {cost.processor:6.1f} s of processor")
            else:
                ways[letter]["left_out"] = cost
                _say(f"round {number + 1}: {letter}  {cost}")
            _write(measured)
        if number == 0 and rounds > 1:
            minutes = (time.monotonic() - started) / 60
            _say(f"a round takes {minutes:.1f} minutes: {minutes * (rounds - 1):.0f} more for the ways")


def _sweeps(space: Workspace, rounds: int) -> dict[str, Any]:
    import yaml

    content = yaml.safe_load((space.root / "notebooks" / "sweeps" / f"{SWEEP}.yml").read_text("utf-8"))
    points = 1
    for values in content["matrix"].values():
        points *= len(values)
    costs: dict[str, Any] = {"points": points, "commands": [], "local": []}
    for number in range(rounds):
        costs["commands"].append(vars(sweeping.commands_once(space, content["notebook"])))
        costs["local"].append(vars(sweeping.sweep(space, SWEEP)))
        _say(f"sweep round {number + 1}: {costs['local'][-1]['wall']:.1f} s")
    return costs


def _ratios(measured: dict[str, Any]) -> list[dict[str, Any]]:
    """Each way to (a), and what has an aim: median, least and most over rounds, on the clock and of the processor."""
    ways = {letter: way["costs"] for letter, way in measured["ways"].items() if way["costs"]}
    pairs = [(letter, "a") for letter in ways if "a" in ways and letter != "a"]
    pairs += [pair for pair in AIMS if pair not in pairs and set(pair) <= set(ways)]
    ratios = [_ratio(top, bottom, ways[top], ways[bottom]) for top, bottom in pairs]
    if sweep := measured.get("sweep"):
        per_point = [{key: value / sweep["points"] for key, value in cost.items()} for cost in sweep["local"]]
        ratios.append(_ratio("sweep", "commands", per_point, sweep["commands"]))
    return ratios


def _ratio(top: str, bottom: str, tops: list[dict[str, float]], bottoms: list[dict[str, float]]) -> dict[str, Any]:
    ratio: dict[str, Any] = {"of": top, "to": bottom, "aim": AIMS.get((top, bottom))}
    for kind in ("wall", "processor"):
        # Rounds that both have: a way that fails twice has no later ones.
        quotients = [one[kind] / other[kind] for one, other in zip(tops, bottoms, strict=False)]
        spread = {"least": min(quotients), "most": max(quotients)}
        ratio[kind] = {"median": statistics.median(quotients)} | spread
    return ratio


def _print(measured: dict[str, Any]) -> None:
    for letter, way in measured["ways"].items():
        walls = [cost["wall"] for cost in way["costs"]]
        spread = way.get("left_out", "")
        if walls:
            used = statistics.median(cost["processor"] for cost in way["costs"]) / measured["reports"]
            spread = f"{statistics.median(walls):6.1f} s ({min(walls):.1f} to {max(walls):.1f}), "
            spread += f"{used:.2f} s of processor a report"
        print(f"({letter}) {way['name']:<48} {spread}")
    for ratio in measured["ratios"]:
        wall, processor = ratio["wall"], ratio["processor"]
        aim = f", aim {ratio['aim']}" if ratio["aim"] else ""
        used = f"; of the processor {processor['median']:.3f}"
        spread = f"{wall['median']:.3f} ({wall['least']:.3f} to {wall['most']:.3f}){aim}"
        print(f"{ratio['of']:>6} / {ratio['to']:<8} {spread}{used}")
    for words in measured["tried_again"]:
        print(f"tried again: {words}")
    for name, taken in measured["commands_seconds"].items():
        print(f"{name:<20} {_spread(taken)}" + (f", aim {SECONDS[name]}" if name in SECONDS else ""))
    print(f"{edits.REPORT}, a cell edited, from a cold start: "
          f"{_spread([cost['wall'] for cost in measured['one_edited_cold']])}, aim 1.5")  # fmt: skip
    print(f"the same in a preview that runs: {_spread(measured['one_edited_in_a_preview'])}, aim 1")
    if measured.get("nothing_to_do"):
        print(
            f"nothing to do: {statistics.median(cost['wall'] for cost in measured['nothing_to_do']):.2f} s, aim below 1"
        )
    moves = measured["slider_milliseconds"]
    print(
        f"a move of a slider: {statistics.median(moves):.0f} ms ({min(moves):.0f} to {max(moves):.0f}), aim below 100"
    )
    taken = measured["plan_milliseconds"]
    print(f"a plan of {plans.DRAWS:,} draws: {statistics.median(taken):.0f} ms ({min(taken):.0f} to {max(taken):.0f}), "
          "aim below 300")  # fmt: skip
    page = measured["explorer"]
    print(f"the explorer: {page['bytes'] / 1e6:.2f} MB, first view in {page[explorer.FIRST]} ms (aim below 1000), "
          f"a redraw in {page[explorer.REDRAW]} ms (aim below 100)")  # fmt: skip
    for kind, sizes in measured["memory"].items():
        print(f"memory, {kind}: {sizes['all_megabytes']:.0f} MB together, "
              f"{sizes['largest_child_megabytes']:.0f} MB the largest kernel")  # fmt: skip
    if "importer" in measured:
        importers.show(measured["importer"])


def _spread(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
