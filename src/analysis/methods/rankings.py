"""Available accelerators ranked: throughput by scenario, energy, break-even price; what the newest round changed.

All functions but `rounds_covered` take comparable official results (see comparability.selection).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis._core import interval, notes, round_order
from analysis._core.citation import several
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import DATACENTER, round_age
from analysis.methods import matched_systems, power, speedup
from analysis.methods.system_properties import AVAILABLE, LIMITED, USUAL_SIZE, kind, narrowed, of_usual_size

RATES = {
    scenario: scenario.lower() for scenario in DATACENTER
}  # the interval of each scenario's throughput per accelerator
MEASURES = (*RATES.values(), "joules", "kilowatts", "break_even")
_OF_THE_FASTEST = ["system", "submitter", "framework", "accelerator_count"]
# Results have scores of columns, all copied when rows are selected: groups are formed of these alone.
_READ = ["benchmark", "scenario", "round", "accelerator", "availability", "hypervisor", *LIMITED, *_OF_THE_FASTEST]
_READ += ["per_accelerator_low", "per_accelerator_high", "source_id", "notes"]
_READ += ["assumed", "as_printed_low", "as_printed_high"]


def available(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the official results of available systems."""
    return rows[rows["origin"].eq("official") & rows["availability"].eq(AVAILABLE)]


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
    systems = available(rows).filter(_READ)
    scenarios = list(dict.fromkeys(systems["scenario"]))
    metered, break_evens = _metered(efficient), _over_all_rounds(break_even(speedups))
    table = []
    for accelerator, of_accelerator in systems.groupby("accelerator", sort=False):
        best = _fastest(of_accelerator)
        first = next(best[name] for name in scenarios if name in best)
        row = {"accelerator": accelerator, "round": first["round"], **{name: first[name] for name in _OF_THE_FASTEST}}
        sources = [several(fastest["source_id"] for fastest in best.values())]
        for scenario, name in RATES.items():
            row |= _cell(name, best.get(scenario), "per_accelerator", first)
        run, own = metered.get(accelerator), break_evens.get(accelerator)
        node = run if run and run["accelerator_count"] == USUAL_SIZE else None
        row |= _cell("joules", run, "joules", first)
        row |= _cell("kilowatts", node, "kilowatts", first)
        row |= _cell("break_even", own, "break_even")
        sources += [(run["source_id"],)] if run else []
        sources += [own["source_ids"]] if own else []
        row["source_ids"] = several(name for ids in sources for name in ids)
        row["notes"] = notes.union(row[f"{name}_notes"] for name in MEASURES)
        table.append(row)
    ends = [f"{name}_{end}" for name in MEASURES for end in ("low", "high", "round", "notes")]
    columns = ["accelerator", "round", *_OF_THE_FASTEST, *ends, "source_ids", "notes"]
    numbers = {name: "float64" for name in ends if name.endswith(("_low", "_high"))}
    frame = pd.DataFrame(table, columns=columns).astype(numbers)
    leading = f"{RATES[scenarios[0]]}_high" if scenarios else "offline_high"
    return frame.sort_values(leading, ascending=False, kind="stable", ignore_index=True)


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
    wide = leaderboard
    for round, of_round in each.groupby("baseline_round", sort=False):
        own = of_round.set_index("accelerator").reindex(leaderboard["accelerator"])
        known = own["break_even_low"].notna().tolist()
        rows = zip(known, as_dicts(own), as_dicts(leaderboard), strict=True)
        caveats = [_another_run(run, row) | run["notes"] if is_known else NONE for is_known, run, row in rows]
        name = f"break_even_{round}"
        ends = {f"{name}_{end}": own[f"break_even_{end}"].to_numpy("float64") for end in ("low", "high")}
        wide = wide.assign(**ends, **{f"{name}_notes": pd.Series(caveats, leaderboard.index, "object")})
        wide["notes"] = [notes.union(both) for both in zip(wide["notes"], caveats, strict=True)]
    return wide


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
    best, changed = defaultdict(list), []
    in_newest = systems[systems["round"].eq(newest)]
    submitted = set(zip(in_newest["benchmark"], in_newest["accelerator"], strict=True))
    for row in as_dicts(
        systems.loc[systems.groupby(["benchmark", "round"], sort=False)["per_accelerator_high"].idxmax()]
    ):
        best[row["benchmark"]].append(row)
    for benchmark, leaders in best.items():
        latest, before = [*sorted(leaders, key=lambda row: round_age(row["round"]), reverse=True), None][:2]
        if latest["round"] == newest:
            resubmitted = before is not None and (benchmark, before["accelerator"]) in submitted
            changed.append({"benchmark": benchmark, "resubmitted": resubmitted} | _change(latest, before))
    columns = ["benchmark", "accelerator", "round", *_OF_THE_FASTEST, "before", "before_round", "resubmitted"]
    table = pd.DataFrame(changed, columns=[*columns, "gain_low", "gain_high", "source_ids", "notes"])
    table = table.assign(overtook=table["accelerator"].ne(table["before"]) & table["gain_low"].gt(1))
    return table.sort_values("gain_high", ascending=False, kind="stable", ignore_index=True)


def rounds_covered(results: pd.DataFrame, rounds: pd.DataFrame) -> pd.DataFrame:
    """Return the rounds of the official results, oldest first: round, published (a day, "" where unknown), closed.

    closed is the number of results of the closed division.
    """
    official = results[results["origin"].eq("official")]
    closed = official["division"].eq("closed").groupby(official["round"]).sum()
    days = rounds.set_index("round")["published"]
    names = sorted(closed.index, key=round_age)
    table = [{"round": name, "published": days.get(name, ""), "closed": int(closed[name])} for name in names]
    return pd.DataFrame(table, columns=["round", "published", "closed"])


def _of_usual_kind(rows: pd.DataFrame) -> pd.DataFrame:
    return of_usual_size(narrowed(rows, kind(rows).eq(AVAILABLE)))


def _fastest(rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return the fastest row of an accelerator by scenario, of the newest round that has it at its usual size there."""
    best = {}
    for scenario, part in rows.groupby("scenario", sort=False):
        newest = round_order.of_newest_round(_of_usual_kind(part))
        best[scenario] = newest.loc[newest["per_accelerator_high"].idxmax()].to_dict()
    return best


def _metered(efficient: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return the most efficient available system with measured power of each accelerator (power.nodes).

    Added: joules_low/high, kilowatts_low/high.
    """
    systems = available(efficient[efficient["efficiency_basis"].eq(power.MEASURED)])
    best = power.nodes(systems).drop_duplicates("accelerator")
    best = interval.put(best, "joules", interval.of(best, "efficiency").inverse)
    best = interval.put(best, "kilowatts", interval.of(best, "power_watts") / 1000)
    return {row["accelerator"]: row for row in as_dicts(best)}


def _over_all_rounds(each: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return the break-even price of each accelerator over all baseline rounds, lowest to highest, and its notes."""
    found = {}
    for name, part in each.groupby("accelerator", sort=False):
        ends = interval.span(part, "break_even")
        of_all = {"break_even_low": ends.low, "break_even_high": ends.high, "notes": notes.union(part["notes"])}
        sources = several(source for ids in part["source_ids"] for source in ids)
        found[name] = of_all | {"round": max(part["round"], key=round_age), "source_ids": sources}
    return found


def _another_run(run: dict[str, Any], row: dict[str, Any]) -> Notes:
    """Return the notes that a run differs from the row it is shown in: in system size or round."""
    sized = notes.sized_apart(run["accelerator_count"], row["accelerator_count"])
    return sized | notes.apart([run["round"]], [row["round"]])


def _cell(name: str, run: dict[str, Any] | None, measure: str, row: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return one measure with its round and notes, among them whether it is of another size or round than the `row`."""
    if run is None:
        missing = float("nan")
        return {f"{name}_low": missing, f"{name}_high": missing, f"{name}_round": "", f"{name}_notes": NONE}
    run_notes = run["notes"] | (_another_run(run, row) if row else NONE)
    ends = {f"{name}_{end}": run[f"{measure}_{end}"] for end in ("low", "high")}
    return ends | {f"{name}_round": run["round"], f"{name}_notes": run_notes}


def _change(latest: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    cells = {name: latest[name] for name in ("accelerator", "round", *_OF_THE_FASTEST)}
    compared = [latest, *([before] if before else [])]
    missing = float("nan")
    gain = matched_systems.ratio(latest, before) if before else Interval(missing, missing)
    return cells | {
        "before": before["accelerator"] if before else "",
        "before_round": before["round"] if before else "",
        "gain_low": gain.low,
        "gain_high": gain.high,
        "source_ids": several(row["source_id"] for row in compared),
        "notes": notes.union(row["notes"] for row in compared),
    }
