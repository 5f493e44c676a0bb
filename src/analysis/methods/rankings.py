"""Available accelerators ranked: throughput by scenario, energy, break-even price; what the newest round changed.

All functions but `rounds_covered` take comparable official results (see comparability.selection).
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis._core import interval, notes, round_order
from analysis._core.citation import several
from analysis._core.interval import UNKNOWN
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import Row, as_dicts, frame_of
from analysis._core.vocabulary import DATACENTER, round_age
from analysis.methods import matched_systems, power, speedup
from analysis.methods.system_properties import AVAILABLE, LIMITED, USUAL_SIZE, available, kind, narrowed, of_usual_size

# The interval of each scenario's throughput per accelerator.
RATES = {scenario: scenario.lower() for scenario in DATACENTER}
_OF_THE_FASTEST = ["system", "submitter", "framework", "accelerator_count"]
# Results have scores of columns, all copied when rows are selected: groups are formed of these alone.
_READ = ["benchmark", "scenario", "round", "accelerator", "availability", "hypervisor", *LIMITED, *_OF_THE_FASTEST]
_READ += ["per_accelerator_low", "per_accelerator_high", "source_id", "notes"]
_READ += ["assumed", "as_printed_low", "as_printed_high"]


def leaderboard(rows: pd.DataFrame, efficient: pd.DataFrame, speedups: pd.DataFrame) -> pd.DataFrame:
    """Return one row per available accelerator, highest throughput in the first scenario of the rows first.

    `rows` are of one benchmark and several scenarios, `efficient` from power.efficiency, `speedups` from
    speedup.over_baseline. Each scenario is that of the fastest comparable system (bare metal, the accelerator's usual
    size in that scenario, see system_properties) in the newest round that has it. Columns: accelerator;
    accelerator_count, system, submitter, framework and round of the fastest system of the first scenario that it ran;
    the intervals of RATES (units of work per second and accelerator), joules (per unit of work, measured), kilowatts
    (of the same run, where it is of the usual size), break_even (price relative to the baseline's at which both cost
    the same per unit of work: the ratio of throughput over all rounds that have both, see `break_even`), NaN where
    unknown; `<name>_round` and `<name>_notes` of each, "" and none where unknown; source_ids, notes.
    """
    systems = results_compared(rows)
    scenarios = list(dict.fromkeys(systems["scenario"]))
    age = round_order.of(systems["round"])
    newest = systems[age.eq(age.groupby([systems["accelerator"], systems["scenario"]]).transform("max"))]
    ranked = newest.sort_values("per_accelerator_high", ascending=False, kind="stable")
    fastest = ranked.drop_duplicates(["accelerator", "scenario"])
    fastest = fastest.sort_values("scenario", key=lambda names: names.map(scenarios.index), kind="stable")
    board = fastest.drop_duplicates("accelerator")[["accelerator", "round", *_OF_THE_FASTEST]]
    board = board.assign(source_ids=[()] * len(board), notes=[NONE] * len(board))
    for scenario, name in RATES.items():
        of_scenario = fastest[fastest["scenario"].eq(scenario)]
        board = _with(board, name, interval.put(of_scenario, name, interval.of(of_scenario, "per_accelerator")))
    metered = _metered(efficient)
    board = _with(board, "joules", metered)
    board = _with(board, "kilowatts", metered[metered["accelerator_count"].eq(USUAL_SIZE)])
    board = _with(board, "break_even", _over_all_rounds(break_even(speedups)), one_run=False)
    leading = f"{RATES[scenarios[0]]}_high" if scenarios else "offline_high"
    return board.sort_values(leading, ascending=False, kind="stable", ignore_index=True)


def break_even(speedups: pd.DataFrame) -> pd.DataFrame:
    """Return the break-even price of each accelerator relative to the baseline, by round of the baseline, newest first.

    Ratios to the baseline of two rounds do not compare (speedup.in_each_round). Columns: accelerator, baseline_round,
    break_even_low/high, baseline_rate_low/high (the baseline's throughput per accelerator), round (the newest of the
    two sides), accelerator_count, system, submitter and software (of the accelerator's), source_ids, notes.
    """
    each = speedup.in_each_round(speedups[speedups["origin"].eq("official")])
    newest = [max(both, key=round_age) for both in each["rounds"]]
    each = interval.put(each, "break_even", interval.of(each, "speedup"))
    ends = [f"{name}_{end}" for name in ("break_even", "baseline_rate") for end in ("low", "high")]
    about = ["round", "accelerator_count", "system", "submitter", "software", "source_ids", "notes"]
    each = each.assign(round=pd.Series(newest, each.index, "str"), baseline_round=each["base"])
    return each[["accelerator", "baseline_round", *ends, *about]]


def with_break_even(leaderboard: pd.DataFrame, each: pd.DataFrame) -> pd.DataFrame:
    """Return the leaderboard with break_even_<round>_low/high and _notes for each baseline round of `break_even`.

    Unknown ratios are NaN. These notes, and with them those of the row, say where a ratio is of another system size or
    round than the row.
    """
    for round, of_round in each.groupby("baseline_round", sort=False):
        name = f"break_even_{round}"
        leaderboard = _with(leaderboard, name, interval.put(of_round, name, interval.of(of_round, "break_even")))
    return leaderboard


def results_compared(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the results that `leaderboard` takes the fastest of: available, bare metal, of the usual size."""
    systems = available(rows)
    groups = systems.filter(_READ).groupby(["accelerator", "scenario"], sort=False)
    parts = [_of_usual_kind(part) for _, part in groups]
    return systems.loc[pd.concat(parts).index] if parts else systems


def up_to(rows: pd.DataFrame, rounds: Sequence[str]) -> pd.DataFrame:
    """Return the rows of the newest of these rounds and of earlier ones; all rows where no round is named."""
    newest = max(map(round_age, rounds), default=None)
    return rows if newest is None else rows[[round_age(name) <= newest for name in rows["round"]]]


def new_accelerators(rows: pd.DataFrame) -> tuple[str, ...]:
    """Return the accelerators that are available in the newest round of the rows and in none before, by name."""
    systems = available(rows)
    newest = round_order.newest(systems["round"])
    fresh = systems["round"].eq(newest)
    return tuple(sorted(set(systems.loc[fresh, "accelerator"]) - set(systems.loc[~fresh, "accelerator"])))


def round_changes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the fastest available accelerator of each benchmark of the newest round against the previous round's.

    Per accelerator, of any system size; the previous round is the last one that ran the benchmark. Columns: benchmark,
    accelerator, accelerator_count, system, submitter, framework, round, before (the accelerator, "" for a new
    benchmark), before_round, resubmitted (whether the accelerator of before has an available result in this round too),
    gain_low/high (throughput over that of before, see matched_systems.ratio; NaN where there is none), overtook
    (whether it is another accelerator than before, and faster), source_ids, notes (of both, without that the rounds
    differ). The largest gain first.
    """
    systems = available(rows).filter(_READ)
    newest = round_order.newest(systems["round"])
    changed = []
    in_newest = systems[systems["round"].eq(newest)]
    submitted = set(zip(in_newest["benchmark"], in_newest["accelerator"], strict=True))
    best = systems.loc[systems.groupby(["benchmark", "round"], sort=False)["per_accelerator_high"].idxmax()]
    for benchmark, leaders in round_order.newest_first(best).groupby("benchmark", sort=False):
        latest, before = [*as_dicts(leaders), None][:2]
        if latest["round"] == newest:
            resubmitted = before is not None and (benchmark, before["accelerator"]) in submitted
            changed.append({"benchmark": benchmark, "resubmitted": resubmitted} | _change(latest, before))
    columns = ["benchmark", "accelerator", "round", *_OF_THE_FASTEST, "before", "before_round", "resubmitted"]
    table = frame_of(changed, [*columns, "gain_low", "gain_high", "source_ids", "notes"])
    table = table.assign(overtook=table["accelerator"].ne(table["before"]) & table["gain_low"].gt(1))
    return table.sort_values("gain_high", ascending=False, kind="stable", ignore_index=True)


def rounds_covered(results: pd.DataFrame, rounds: pd.DataFrame) -> pd.DataFrame:
    """Return the rounds of the official results, oldest first: round, published (a day, "" where unknown), closed.

    closed is the number of results of the closed division.
    """
    official = results[results["origin"].eq("official")]
    closed = official["division"].eq("closed").groupby(official["round"]).sum()
    days = rounds.set_index("round")["published"]
    covered = closed.rename("closed").reset_index().sort_values("round", key=round_order.of, ignore_index=True)
    return covered.assign(published=covered["round"].map(days).fillna(""))


def _of_usual_kind(rows: pd.DataFrame) -> pd.DataFrame:
    return of_usual_size(narrowed(rows, kind(rows).eq(AVAILABLE)))


def _metered(efficient: pd.DataFrame) -> pd.DataFrame:
    """Return the most efficient available system with measured power of each accelerator (power.nodes).

    Added: joules_low/high, kilowatts_low/high.
    """
    systems = available(efficient[efficient["efficiency_basis"].eq(power.MEASURED)])
    best = power.nodes(systems).drop_duplicates("accelerator")
    best = interval.put(best, "joules", interval.of(best, "efficiency").inverse)
    return interval.put(best, "kilowatts", interval.of(best, "power_watts") / 1000)


def _over_all_rounds(each: pd.DataFrame) -> pd.DataFrame:
    """Return the break-even price of each accelerator over all baseline rounds, lowest to highest, and its notes."""
    return each.groupby("accelerator", sort=False).agg(
        break_even_low=("break_even_low", "min"), break_even_high=("break_even_high", "max"),
        round=("round", round_order.newest), notes=("notes", notes.union),
        source_ids=("source_ids", lambda ids: several(name for each in ids for name in each)),
    ).reset_index()  # fmt: skip


def _with(board: pd.DataFrame, name: str, runs: pd.DataFrame, *, one_run: bool = True) -> pd.DataFrame:
    """Return the board with the interval `name` of the runs, one per accelerator, its `<name>_round` and `_notes`.

    Sources and notes of a run become the row's too. Of `one_run` a note says where it is of another size or round than
    its row.
    """
    of_each = {run["accelerator"]: run for run in as_dicts(runs)}
    rows = []
    for row in as_dicts(board):
        run = of_each.get(row["accelerator"])
        caveats = notes.union([run["notes"], _another_run(run, row) if one_run else NONE]) if run else NONE
        sources = run.get("source_ids") or (run["source_id"],) if run else ()
        ends = (interval.of(run, name) if run else UNKNOWN).columns(name)
        told = {f"{name}_round": run["round"] if run else "", f"{name}_notes": caveats}
        both = {"source_ids": several([*row["source_ids"], *sources]), "notes": row["notes"] | caveats}
        rows.append(row | ends | told | both)
    return frame_of(rows, [*board, *UNKNOWN.columns(name), f"{name}_round", f"{name}_notes"])


def _another_run(run: Row, row: Row) -> Notes:
    """Return the notes that a run differs from the row it is shown in: in system size or round."""
    sized = notes.sized_apart(run["accelerator_count"], row["accelerator_count"])
    return sized | notes.apart([run["round"]], [row["round"]])


def _change(latest: Row, before: Row | None) -> Row:
    cells = {name: latest[name] for name in ("accelerator", "round", *_OF_THE_FASTEST)}
    compared = [latest, *([before] if before else [])]
    gain = matched_systems.ratio(latest, before) if before else UNKNOWN
    return (
        cells
        | gain.columns("gain")
        | {
            "before": before["accelerator"] if before else "",
            "before_round": before["round"] if before else "",
            "source_ids": several(row["source_id"] for row in compared),
            "notes": notes.union(row["notes"] for row in compared),
        }
    )
