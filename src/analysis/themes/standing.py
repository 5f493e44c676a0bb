"""Where each accelerator on sale stands: rates of three scenarios, energy, worth; and what the newest round changed.

All functions but `held` take comparable rows of the official record (see compare.gate).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.core import ages, interval, notes
from analysis.core.citation import several
from analysis.core.interval import Interval
from analysis.core.notes import NONE, Notes
from analysis.core.plain import as_dicts
from analysis.core.vocabulary import DATACENTER, round_age
from analysis.themes import alike, power, speedup
from analysis.themes.of_a_kind import AVAILABLE, USUAL_SIZE, kind, narrowed, of_usual_size

RATES = {scenario: scenario.lower() for scenario in DATACENTER}  # the interval of each scenario's rate
MEASURES = (*RATES.values(), "joules", "kilowatts", "worth")
_OF_THE_FASTEST = ["system", "submitter", "framework", "accelerator_count"]
# Rows have scores of columns, each of which is copied when rows are chosen: only these are looked at group by group.
_READ = ["benchmark", "scenario", "round", "accelerator", "availability", "hypervisor", *_OF_THE_FASTEST]
_READ += ["per_accelerator_low", "per_accelerator_high", "source_id", "notes"]
_READ += ["assumed", "as_printed_low", "as_printed_high"]


def on_sale(rows: pd.DataFrame) -> pd.DataFrame:
    """The official rows of systems that can be bought."""
    return rows[rows["origin"].eq("official") & rows["availability"].eq(AVAILABLE)]


def matrix(rows: pd.DataFrame, efficient: pd.DataFrame, speedups: pd.DataFrame) -> pd.DataFrame:
    """One row per accelerator on sale, that of the highest rate in the first scenario of the rows first.

    `rows` are those of one benchmark and several scenarios, `efficient` those of power.efficiency, `speedups` those of
    speedup.over_baseline. Best of like with like: bare systems of the accelerator's usual size (of_a_kind), each
    scenario in the newest round that has it. Columns: accelerator; accelerator_count, system, submitter, framework and
    round of the fastest system of the first scenario that it ran; the intervals of RATES (units of work per second and
    accelerator), joules (per unit of work, metered), kilowatts (of the same run, where it is of the usual size),
    worth (its rate over the baseline's, which is the multiple of the baseline's price at which it breaks even: over all
    rounds that have both, see `worths`), NaN where the record has none; `<name>_round` and `<name>_notes` of each, ""
    and none where it is not known; source_ids, notes.
    """
    sold = on_sale(rows).filter(_READ)
    scenarios = list(dict.fromkeys(sold["scenario"]))
    metered, worth = _metered(efficient), _worth(worths(speedups))
    table = []
    for accelerator, of_accelerator in sold.groupby("accelerator", sort=False):
        best = _fastest(of_accelerator)
        first = next(best[name] for name in scenarios if name in best)
        row = {"accelerator": accelerator, "round": first["round"], **{name: first[name] for name in _OF_THE_FASTEST}}
        sources = [several(fastest["source_id"] for fastest in best.values())]
        for scenario, name in RATES.items():
            row |= _cell(name, best.get(scenario), "per_accelerator", first["round"])
        run, own_worth = metered.get(accelerator), worth.get(accelerator)
        node = run if run and run["accelerator_count"] == USUAL_SIZE else None
        row |= _cell("joules", run, "joules", first["round"])
        row |= _cell("kilowatts", node, "kilowatts", first["round"])
        row |= _cell("worth", own_worth, "worth")
        sources += [(run["source_id"],)] if run else []
        sources += [own_worth["source_ids"]] if own_worth else []
        row["source_ids"] = several(name for ids in sources for name in ids)
        row["notes"] = notes.union(row[f"{name}_notes"] for name in MEASURES)
        table.append(row)
    ends = [f"{name}_{end}" for name in MEASURES for end in ("low", "high", "round", "notes")]
    columns = ["accelerator", "round", *_OF_THE_FASTEST, *ends, "source_ids", "notes"]
    frame = pd.DataFrame(table, columns=columns)
    leading = f"{RATES[scenarios[0]]}_high" if scenarios else "offline_high"
    return frame.sort_values(leading, ascending=False, kind="stable", ignore_index=True)


def worths(speedups: pd.DataFrame) -> pd.DataFrame:
    """What each accelerator of speedup.over_baseline is worth over each base that stands beside it, the newest first.

    A base is the baseline of one official round (speedup.in_each_round): worths over two bases do not compare.
    Columns: accelerator, base (its round), worth_low/high, over_low/high (the base's rate per accelerator), round (the
    newest of the two sides), accelerator_count, system, submitter and software (of the accelerator's), source_ids,
    notes.
    """
    each = speedup.in_each_round(speedups[speedups["origin"].eq("official")])
    names = {f"speedup_{end}": f"worth_{end}" for end in ("low", "high")}
    names |= {f"baseline_rate_{end}": f"over_{end}" for end in ("low", "high")}
    rounds = [max(row_rounds, key=round_age) for row_rounds in each["rounds"]]
    each = each.rename(columns=names).assign(round=pd.Series(rounds, each.index, "str"))
    about = ["accelerator_count", "system", "submitter", "software", "source_ids", "notes"]
    return each[["accelerator", "base", *names.values(), "round", *about]]


def beside_bases(matrix: pd.DataFrame, each: pd.DataFrame) -> pd.DataFrame:
    """The matrix with an interval `worth_<base>` and its `worth_<base>_notes` for each base of `worths`.

    What is not known is NaN. These notes, and with them those of the row, also say where the worth is of another run
    than the row's: of another size or round.
    """
    wide = matrix
    for base, of_base in each.groupby("base", sort=False):
        own = of_base.set_index("accelerator").reindex(matrix["accelerator"])
        known = own["worth_low"].notna().tolist()
        rows = zip(known, as_dicts(own), as_dicts(matrix), strict=True)
        told = [_another_run(run, row) | run["notes"] if is_known else NONE for is_known, run, row in rows]
        ends = {f"worth_{base}_{end}": own[f"worth_{end}"].to_numpy("float64") for end in ("low", "high")}
        wide = wide.assign(**ends, **{f"worth_{base}_notes": pd.Series(told, matrix.index, "object")})
        wide["notes"] = [notes.union(row_notes) for row_notes in zip(wide["notes"], told, strict=True)]
    return wide


def behind(rows: pd.DataFrame) -> pd.DataFrame:
    """The result rows of whose fastest `matrix` makes its rates: on sale, bare, of the accelerator's usual size."""
    sold = on_sale(rows)
    groups = sold.filter(_READ).groupby("accelerator", sort=False)
    parts = [_of_usual_kind(of_accelerator) for _, of_accelerator in groups]
    return sold.loc[pd.concat(parts).index] if parts else sold


def until(rows: pd.DataFrame, rounds: Sequence[str]) -> pd.DataFrame:
    """The rows of the newest of these rounds and of those before it; all of them where no round is named."""
    newest = max(map(round_age, rounds), default=None)
    return rows if newest is None else rows[[round_age(name) <= newest for name in rows["round"]]]


def newcomers(rows: pd.DataFrame) -> tuple[str, ...]:
    """The accelerators on sale in the newest round of the rows and in none before it, by name."""
    sold = on_sale(rows)
    newest = ages.newest(sold["round"])
    fresh = sold["round"].eq(newest)
    return tuple(sorted(set(sold.loc[fresh, "accelerator"]) - set(sold.loc[~fresh, "accelerator"])))


def changes(rows: pd.DataFrame) -> pd.DataFrame:
    """The fastest accelerator on sale of each benchmark of the newest round, beside that of the last round before it.

    Per accelerator, of any size. Columns: benchmark, accelerator, accelerator_count, system, submitter, framework,
    round, before (the accelerator, "" for a benchmark that is new), before_round, filed_again (whether the accelerator
    of before is on sale in this round too, with a result of the benchmark), gain_low/high (its rate over that of
    before, see alike.ratio; NaN where there is none), source_ids, notes (of both; that the rounds differ is not among
    them: it is what is shown). The greatest gain first.
    """
    sold = on_sale(rows).filter(_READ)
    newest = ages.newest(sold["round"])
    best, changed = defaultdict(list), []
    in_newest = sold[sold["round"].eq(newest)]
    filed = set(zip(in_newest["benchmark"], in_newest["accelerator"], strict=True))
    for row in as_dicts(sold.loc[sold.groupby(["benchmark", "round"], sort=False)["per_accelerator_high"].idxmax()]):
        best[row["benchmark"]].append(row)
    for benchmark, leaders in best.items():
        latest, before = [*sorted(leaders, key=lambda row: round_age(row["round"]), reverse=True), None][:2]
        if latest["round"] == newest:
            again = before is not None and (benchmark, before["accelerator"]) in filed
            changed.append({"benchmark": benchmark, "filed_again": again} | _change(latest, before))
    columns = ["benchmark", "accelerator", "round", *_OF_THE_FASTEST, "before", "before_round", "filed_again"]
    table = pd.DataFrame(changed, columns=[*columns, "gain_low", "gain_high", "source_ids", "notes"])
    return table.sort_values("gain_high", ascending=False, kind="stable", ignore_index=True)


def held(results: pd.DataFrame, rounds: pd.DataFrame) -> pd.DataFrame:
    """The rounds of the official record, the oldest first: round, published (a day, "" where not known), closed.

    closed are the results of that division, which ran one model by one set of rules.
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
    """The fastest row of an accelerator by scenario, of the newest round that has it at the usual size."""
    best = {}
    for scenario, part in _of_usual_kind(rows).groupby("scenario", sort=False):
        newest = power.of_newest_round(part)
        best[scenario] = newest.loc[newest["per_accelerator_high"].idxmax()].to_dict()
    return best


def _metered(efficient: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """The most efficient metered system on sale of each accelerator (power.nodes).

    Added: joules_low/high, kilowatts_low/high.
    """
    sold = on_sale(efficient[efficient["efficiency_basis"].eq(power.MEASURED)])
    best = power.nodes(sold).drop_duplicates("accelerator")
    best = interval.put(best, "joules", Interval(1.0, 1.0) / interval.of(best, "efficiency"))
    best = interval.put(best, "kilowatts", interval.of(best, "power_watts") / 1000)
    return {row["accelerator"]: row for row in as_dicts(best)}


def _worth(each: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """The worth of each accelerator over all its bases, lowest to highest, of the newest round of `worths`."""
    found = {}
    for name, part in each.groupby("accelerator", sort=False):
        ends = interval.span(part, "worth")
        of_all = {"worth_low": ends.low, "worth_high": ends.high, "notes": notes.union(part["notes"])}
        sources = several(source for ids in part["source_ids"] for source in ids)
        found[name] = of_all | {"round": max(part["round"], key=round_age), "source_ids": sources}
    return found


def _another_run(worth: dict[str, Any], row: dict[str, Any]) -> Notes:
    """The notes that a worth is of another run than its row: of another size, or of another round."""
    sized = notes.sized_apart(worth["accelerator_count"], row["accelerator_count"])
    return sized | notes.apart([worth["round"]], [row["round"]])


def _cell(name: str, run: dict[str, Any] | None, measure: str, row_round: str = "") -> dict[str, Any]:
    """One measure of a row with its round and notes; one of these says that it is not of the round of the row."""
    if run is None:
        missing = float("nan")
        return {f"{name}_low": missing, f"{name}_high": missing, f"{name}_round": "", f"{name}_notes": NONE}
    run_notes = run["notes"] | notes.apart([run["round"]], [row_round])
    ends = {f"{name}_{end}": run[f"{measure}_{end}"] for end in ("low", "high")}
    return ends | {f"{name}_round": run["round"], f"{name}_notes": run_notes}


def _change(latest: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    cells = {name: latest[name] for name in ("accelerator", "round", *_OF_THE_FASTEST)}
    compared = [latest, *([before] if before else [])]
    missing = float("nan")
    gain = alike.ratio(latest, before) if before else Interval(missing, missing)
    return cells | {
        "before": before["accelerator"] if before else "",
        "before_round": before["round"] if before else "",
        "gain_low": gain.low,
        "gain_high": gain.high,
        "source_ids": several(row["source_id"] for row in compared),
        "notes": notes.union(row["notes"] for row in compared),
    }
