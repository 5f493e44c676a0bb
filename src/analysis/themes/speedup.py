"""Speedup of one accelerator over another, per accelerator, like with like.

All functions take comparable rows (see compare.gate). A speedup is taken within one basis (a document, or the
official record of a round), because figures of two bases were not made alike; what crosses rounds says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.compare import gate
from analysis.core import interval
from analysis.core.citation import several
from analysis.core.interval import Interval
from analysis.core.notes import NONE
from analysis.core.plain import as_dicts
from analysis.core.vocabulary import AVAILABILITIES, round_age
from analysis.themes import alike
from analysis.themes.alike import MEASURES, READ, Records, compared
from analysis.themes.bridges import Sides, bridged
from analysis.themes.of_a_kind import AVAILABLE, USUAL_SIZE, kind

SPECS = {"memory bandwidth": "memory_bandwidth_gb_per_s", "memory capacity": "memory_gb"}
RAN, EQUAL = "compute as it ran", "compute at one precision"
FACTS = (*SPECS, RAN, EQUAL)
_COMPUTE = {"fp4": "fp4_dense_tflops", "fp8": "fp8_dense_tflops", "int8": "int8_dense_tops"}
_COMPUTE |= dict.fromkeys(("fp16", "bf16"), "fp16_dense_tflops")
ERRORS = 2.0  # standard errors by which two facts must differ to be told apart
LINES = 8  # generations of a figure over rounds
_KEYS = ["benchmark", "scenario", "basis", "accelerator"]
_EXPLAINED = ["same", "spec", "miss", "accelerators", "close"]
_POINT = ["accelerator", "basis", "round", "published", "per_accelerator_low", "per_accelerator_high"]
_POINT += ["accelerator_count", "precision", "system", "submitter", "software", "source_ids", "notes"]
RATIO = ["assumed", "unit", "as_printed_low", "as_printed_high"]  # what a ratio of two points takes beside their rates


class _Line(NamedTuple):
    """What decides whether an accelerator is drawn for its generation: the greatest of its generation is."""

    of_baseline: bool
    rounds: int
    usual_size: bool  # in its last round
    last_rate: float
    accelerator: str


def over_baseline(rows: pd.DataFrame, baseline: str, record: pd.DataFrame | None = None) -> pd.DataFrame:
    """Speedup per accelerator over `baseline`, one row per benchmark, scenario, basis and accelerator.

    Columns: benchmark, scenario, basis, accelerator, those of alike.MEASURES (see alike.compared: the fastest like
    system over the baseline's fastest, the spread of like systems, pairs of one submitter), origin, through and bridges
    ("" and empty where the basis has the baseline). Of the baseline itself the speedup is 1 and there are no pairs.

    `record`, comparable official rows of other rounds too, adds the official rounds of `rows` that lack the baseline:
    their accelerators that no basis of the record sets beside it, each in its newest round through a bridge
    (bridges.bridged), on the basis "official <round> through <other round>".
    """
    groups = _sides(rows, ["benchmark", "scenario", "basis"])
    ratios = [
        dict(zip(_KEYS, (*key, name), strict=True)) | _cells(part, sides[baseline]) | {"through": "", "bridges": ()}
        for key, sides in groups.items()
        if baseline in sides
        for name, part in sides.items()
    ]
    if record is not None:
        ratios += _through_bridges(rows, record, baseline)
    return pd.DataFrame(ratios, columns=[*_KEYS, *MEASURES, "origin", "through", "bridges"])


def in_each_round(speedups: pd.DataFrame) -> pd.DataFrame:
    """What each accelerator is worth in each round that sets it beside the baseline: its answer, then older rounds.

    Of `speedups` of over_baseline the rows of gate.official_first, and beside an official one the other official ones
    on sale. The column `base` names the side that each is over: the round of the baseline, else the basis. Ratios of
    two bases were not made alike; rows are grouped by them, of official rounds the newest first.
    """
    answers = gate.official_first(speedups)
    keys = ["benchmark", "scenario", "accelerator"]
    is_sold = np.array([row["origin"] == "official" and on_sale(row) for row in as_dicts(speedups)], dtype="bool")
    every = pd.concat([answers, speedups[is_sold]]).drop_duplicates([*keys, "basis"])
    base = every["baseline_round"].where(every["origin"].eq("official"), every["basis"])
    every = every.assign(base=base.astype("str"))
    ages = [round_age(row["base"]) if row["origin"] == "official" else (-1, -1) for row in as_dicts(every)]
    return every.iloc[sorted(range(len(every)), key=ages.__getitem__, reverse=True)].reset_index(drop=True)


def leader(speedups: pd.DataFrame, baseline: str) -> pd.Series | None:
    """The row of `speedups` (of one benchmark and scenario) that answers; None where nothing stands beside `baseline`.

    Of the official record before documents, beside the baseline itself before over a bridge, on sale before preview,
    then of the newest round; there the fastest of the usual size where one is faster than the baseline, else of all.
    """
    others = speedups[speedups["accelerator"].ne(baseline)].reset_index(drop=True)
    if others.empty:
        return None
    middles = interval.of(others, "speedup").middle
    ranks = [
        (
            row["origin"] == "official",
            row["through"] == "",
            on_sale(row),
            newest(row),
            row["accelerator_count"] == USUAL_SIZE and middle > 1,
            middle,
        )
        for row, middle in zip(as_dicts(others), middles, strict=True)
    ]
    return others.iloc[max(range(len(ranks)), key=ranks.__getitem__)]


def on_sale(row: Mapping[str, Any]) -> bool:
    """Whether the fastest system of a speedup could be bought; a document that does not say is taken for it."""
    return row["availability"] in ("", AVAILABILITIES[0])


def newest(row: Mapping[str, Any]) -> tuple[int, int]:
    """The age of the newest round of a speedup; below that of any round where it names none."""
    return max(map(round_age, row["rounds"]), default=(-1, -1))


def later(speedups: pd.DataFrame, lead: pd.Series | None, baseline: str) -> pd.DataFrame:
    """The speedups on sale over a bridge that are of a newer round than `lead`, the fastest of the newest first."""
    if lead is None:
        return speedups.head(0)
    others = speedups[speedups["accelerator"].ne(baseline) & speedups["through"].ne("")]
    kept = [on_sale(row) and newest(row) > newest(lead) for row in as_dicts(others)]
    others = others[np.array(kept, dtype="bool")]
    ages = [newest(row) for row in as_dicts(others)]
    middles = interval.of(others, "speedup").middle.tolist()
    order = sorted(range(len(others)), key=lambda place: (ages[place], middles[place]), reverse=True)
    return others.iloc[order].reset_index(drop=True)


def behind(rows: pd.DataFrame, lead: pd.Series | None, baseline: str) -> pd.DataFrame:
    """The result rows behind one speedup: those of both accelerators in its rounds, on sale where it is."""
    if lead is None:
        return rows.head(0)
    part = rows[rows["accelerator"].isin([lead["accelerator"], baseline]) & rows["origin"].eq(lead["origin"])]
    of_basis = part["round"].isin(lead["rounds"]) if lead["origin"] == "official" else part["basis"].eq(lead["basis"])
    is_sold = part["availability"].isin(["", AVAILABILITIES[0]])
    return part[of_basis & (is_sold | (not on_sale(lead)))]


def over_rounds(rows: pd.DataFrame, accelerators: pd.DataFrame, dates: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """The fastest official system on sale of each generation in each round: what a generation gave as it aged.

    A generation (vendor and number, of `accelerators`) is drawn by one accelerator, so that its line compares like with
    like: the baseline where it is one, else the one with most rounds, of the usual size, the fastest. Accelerators
    without a number are left out, but for the baseline; `dates` are the rounds with their day. Columns: accelerator,
    basis, round, published (a date), per_accelerator_low/high, accelerator_count, precision, system, submitter,
    software, source_ids, notes, those of RATIO; the generation that ends highest first, each by date.
    """
    sold = rows[rows["origin"].eq("official") & kind(rows).eq(AVAILABLE)]
    days = dates[dates["published"].ne("")].set_index("round")["published"]
    points = [
        _point(part, name, round, str(days[round]))
        for (name, round), part in _records(sold[sold["round"].isin(days.index)], ["accelerator", "round"])
    ]
    frame = pd.DataFrame(points, columns=[*_POINT, *RATIO])
    numbered = accelerators[accelerators["generation"].notna()]
    labels = numbered["vendor"] + " " + numbered["generation"].astype(str)
    generations = dict(zip(numbered["accelerator"], labels, strict=True))
    frame = frame[frame["accelerator"].isin([*generations, baseline])].sort_values("published", kind="stable")
    candidates: dict[str, list[_Line]] = defaultdict(list)
    for name, part in frame.groupby("accelerator", sort=False):
        last = part.iloc[-1]
        usual_size = bool(last["accelerator_count"] == USUAL_SIZE)
        line = _Line(name == baseline, len(part), usual_size, last["per_accelerator_high"], name)
        candidates[generations.get(str(name), str(name))].append(line)
    best = [max(of_generation) for of_generation in candidates.values()]
    drawn = sorted(best, key=lambda line: (line.of_baseline, line.last_rate), reverse=True)[:LINES]
    order = [line.accelerator for line in sorted(drawn, key=lambda line: line.last_rate, reverse=True)]
    kept = frame[frame["accelerator"].isin(order)]
    return kept.sort_values("accelerator", key=lambda names: names.map(order.index), kind="stable", ignore_index=True)


def grown(lines: pd.DataFrame) -> pd.DataFrame:
    """What each accelerator of `over_rounds` gave in its last round over its first; no row where it has one round.

    Columns: accelerator, first, last (rounds), grown_low/high (see alike.ratio), one_size and one_submitter (whether
    the two systems are of one), source_ids, notes (also of the two sizes).
    """
    rows = []
    for name, part in lines.groupby("accelerator", sort=False):
        first, last = part.iloc[0], part.iloc[-1]
        if len(part) > 1:
            ratio = alike.ratio(dict(last), dict(first))
            ids = several([*first["source_ids"], *last["source_ids"]])
            notes = alike.own_notes(dict(last), dict(first))
            alike_in = [bool(first[name] == last[name]) for name in ("accelerator_count", "submitter")]
            ends = float(ratio.low), float(ratio.high)
            rows.append((name, first["round"], last["round"], *ends, *alike_in, ids, notes))
    columns = ["accelerator", "first", "last", "grown_low", "grown_high", "one_size", "one_submitter", "source_ids"]
    columns += ["notes"]
    return pd.DataFrame(rows, columns=columns)


def rounds_covered(rows: pd.DataFrame, speedups: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """What of each official round of `rows` stands beside the baseline, oldest round first.

    `speedups` are those of `over_baseline`. Columns: round, baseline (whether the round has it), accelerators (how
    many it has), direct and bridged (how many of these have a ratio of this round), elsewhere (how many have none of
    this round but one of another), alone (those that have none at all, a tuple), others (the accelerators of the
    round, those of most systems first, a tuple).
    """
    official = rows[rows["origin"].eq("official")]
    beside = speedups[speedups["origin"].eq("official")]
    beside_any = set(beside["accelerator"])
    covered = []
    for name in sorted(set(official["round"]), key=round_age):
        part = official[official["round"].eq(name)]
        systems = part.drop_duplicates("system_key")["accelerator"].value_counts(sort=False)
        names = list(systems.sort_values(ascending=False, kind="stable").index)
        bases = zip(beside["rounds"], beside["through"], strict=True)
        is_of_round = [set(rounds) - {through} == {name} for rounds, through in bases]
        of_round = beside[np.array(is_of_round, dtype="bool")]
        direct, over_bridge = (
            set(of_round.loc[of_round["through"].eq("") == is_direct, "accelerator"]) for is_direct in (True, False)
        )
        covered.append(
            {
                "round": name,
                "baseline": baseline in names,
                "accelerators": len(names),
                "direct": len(direct & set(names)),
                "bridged": len(over_bridge & set(names)),
                "elsewhere": len((beside_any - direct - over_bridge) & set(names)),
                "alone": tuple(accelerator for accelerator in names if accelerator not in beside_any),
                "others": tuple(names),
            }
        )
    columns = ["round", "baseline", "accelerators", "direct", "bridged", "elsewhere", "alone", "others"]
    return pd.DataFrame(covered, columns=columns)


def by_round(rows: pd.DataFrame, earlier: str, later: str) -> pd.DataFrame:
    """What a later round gives on the same accelerator: its per-accelerator rate over the earlier round's.

    Like systems (alike.compared): the pairs are of one submitter that filed both rounds, the nearest to what software
    alone did. Official rows only. Columns: accelerator and those of alike.MEASURES. Empty where the two are one round:
    over itself it shows the spread between its submitters alone.
    """
    official = rows[rows["origin"].eq("official")]
    old, new = (_sides(official[official["round"].eq(name)], []).get((), {}) for name in (earlier, later))
    in_both = [name for name in new if name in old] if earlier != later else []
    ratios = [{"accelerator": name} | compared(new[name], old[name]) for name in in_both]
    return pd.DataFrame(ratios, columns=["accelerator", *MEASURES])


def two_rounds(rows: pd.DataFrame, asked: Sequence[str], later: str) -> tuple[str, str]:
    """The rounds in which software is compared: the first of those asked for, and `later`, else the newest of them.

    Where none is asked for, the newest official round; where none before the later one is asked for, the newest that
    has one of its accelerators. "" for a round that is not there.
    """
    official = rows[rows["origin"].eq("official")]
    newest = later or max(asked or official["round"], key=round_age, default="")
    if asked and round_age(asked[0]) < round_age(newest):
        return asked[0], newest
    names = set(official.loc[official["round"].eq(newest), "accelerator"])
    shared = set(official.loc[official["accelerator"].isin(names), "round"])
    return max((name for name in shared if round_age(name) < round_age(newest)), key=round_age, default=""), newest


def steps(rows: pd.DataFrame, path: list[str]) -> pd.DataFrame:
    """The speedup of each accelerator of `path` over the one before it, in the newest official round that has both.

    H100 to H200 changes the memory, H200 to its 1000 W part the power limit. Like systems (alike.compared). Columns:
    before and accelerator (the two), those of alike.MEASURES; a step with no comparable pair is left out.
    """
    official = _sides(rows[rows["origin"].eq("official")], ["round"])
    newest = sorted(official, key=lambda key: round_age(key[0]), reverse=True)
    ratios = []
    for before, after in pairwise(path):
        sides = next((official[key] for key in newest if {before, after} <= official[key].keys()), None)
        if sides:
            step = {"before": before, "accelerator": after}
            ratios.append(step | compared(sides[after], sides[before]))
    return pd.DataFrame(ratios, columns=["before", "accelerator", *MEASURES])


def beside_specs(speedups: pd.DataFrame, accelerators: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Each speedup beside the ratio of each datasheet fact: one row per speedup and fact that both parts state.

    Added columns: spec (a name of FACTS), spec_ratio_low, spec_ratio_high, same (whether both ran one precision). RAN
    sets the dense compute at the precision that the accelerator ran against that at the one that the baseline ran: what
    FP4 against FP8 offers; EQUAL both at the baseline's, where the two differ. The baseline itself is left out, and a
    speedup that does not say its precisions; nothing stands beside one that has no datasheet.
    """
    facts = accelerators.set_index("accelerator")
    others = speedups[speedups["accelerator"].ne(baseline)]
    others = others[others["precision"].ne("") & others["baseline_precision"].ne("")]
    others = others.assign(same=others["precision"].eq(others["baseline_precision"]))
    base = facts.loc[baseline] if baseline in facts.index else pd.Series(dtype="float64").reindex(facts.columns)
    with_facts = others.join(facts[[*dict.fromkeys([*SPECS.values(), *_COMPUTE.values()])]], on="accelerator")
    ratios = {name: with_facts[column] / base[column] for name, column in SPECS.items()}
    ran = [(row, row["precision"], row["baseline_precision"]) for row in as_dicts(with_facts)]
    ratios[RAN] = [_compute(row, precision) / _compute(base, base_precision) for row, precision, base_precision in ran]
    equal = [_compute(row, base_precision) / _compute(base, base_precision) for row, _, base_precision in ran]
    ratios[EQUAL] = pd.Series(equal, with_facts.index, "float64").mask(with_facts["same"])
    by_spec = [others.assign(spec=name, ratio=pd.Series(ratios[name], others.index, "float64")) for name in FACTS]
    beside = pd.concat(by_spec).dropna(subset="ratio").sort_index(kind="stable").reset_index(drop=True)
    return interval.put(beside.drop(columns="ratio"), "spec_ratio", Interval(beside["ratio"], beside["ratio"]))


def explained_by(beside: pd.DataFrame) -> pd.DataFrame:
    """How far each datasheet ratio is off the speedups: `miss` is the mean factor between the two, 1 being exact.

    Pairs that ran one precision are judged apart from those that changed it. Only accelerators for which every fact is
    known count, so that the facts are judged on the same points. `close` says that the points cannot tell a fact from
    the best one: what its misses (logarithms) are larger by is, on average, within ERRORS standard errors of that
    average, by leaving out one accelerator at a time, which for an average is its usual standard error. Columns: same,
    spec, miss, accelerators (how many), close; pairs of one precision first, in each the best fact first.
    """
    judged = beside.assign(miss=np.log(interval.of(beside, "speedup").middle / beside["spec_ratio_low"]).abs())
    parts = [_judged(same, part) for same, part in judged.groupby("same", sort=False)]
    frame = pd.concat(parts) if parts else pd.DataFrame(columns=_EXPLAINED)
    return frame.sort_values(["same", "miss"], ascending=[False, True], kind="stable", ignore_index=True)


def _judged(same: Any, part: pd.DataFrame) -> pd.DataFrame:
    misses = part.pivot(index=["benchmark", "basis", "accelerator"], columns="spec", values="miss")
    misses = misses.reindex(columns=[name for name in FACTS if not (same and name == EQUAL)]).dropna()
    behind_best = misses.sub(misses[misses.mean().idxmin()], axis=0) if len(misses) else misses
    error = behind_best.std(ddof=1) / np.sqrt(len(misses)) if len(misses) > 1 else behind_best.mean() * np.inf
    rows = {"same": bool(same), "spec": list(misses), "miss": np.exp(misses.mean()).to_numpy()}
    counted = {"accelerators": len(misses), "close": (behind_best.mean() <= ERRORS * error.fillna(np.inf)).to_numpy()}
    return pd.DataFrame(rows | counted, columns=_EXPLAINED).dropna(subset="miss")


def _compute(facts: Mapping[str, Any] | pd.Series, precision: str) -> float:
    return facts.get(_COMPUTE.get(precision, ""), np.nan)


def _sides(rows: pd.DataFrame, by: list[str]) -> dict[tuple, Sides]:
    """The rows as records, by the values of the columns `by` and then by accelerator."""
    groups: dict[tuple, Sides] = defaultdict(lambda: defaultdict(list))
    for row in as_dicts(rows.filter([*dict.fromkeys([*by, *READ])])):
        groups[tuple(row[name] for name in by)][row["accelerator"]].append(row)
    return groups


def _records(rows: pd.DataFrame, by: list[str]) -> Iterator[tuple[tuple, Records]]:
    """The rows as records, by the values of the columns `by`."""
    groups: dict[tuple, Records] = defaultdict(list)
    for row in as_dicts(rows.filter([*dict.fromkeys([*by, *READ])])):
        groups[tuple(row[name] for name in by)].append(row)
    yield from groups.items()


def _point(part: Records, accelerator: str, round: str, published: str) -> tuple:
    """The fastest of the like systems of one accelerator in one round, in the order of _POINT and RATIO."""
    best = alike.by_system(alike.alike(part, part)[0])[0]
    return (
        accelerator,
        f"official {round}",
        round,
        pd.Timestamp(published),
        best["per_accelerator_low"],
        best["per_accelerator_high"],
        *(best[name] for name in ("accelerator_count", "precision", "system", "submitter")),
        alike.software(best),
        several([best["source_id"]]),
        best["notes"],
        *(best[name] for name in RATIO),
    )


def _cells(part: Records, base: Records) -> dict[str, Any]:
    """The measures of one accelerator of a basis; the baseline stands beside itself at 1."""
    cells = compared(part, base) | {"origin": part[0]["origin"]}
    systems, base_systems = (alike.by_system(side) for side in alike.alike(part, base))
    cells["notes"] |= alike.lone(systems, base_systems)
    if part is base:
        missing = float("nan")
        cells |= {"speedup_low": 1.0, "speedup_high": 1.0, "pairs_low": missing, "pairs_high": missing, "pairs": 0}
        cells |= {"notes": NONE}
    return cells


def _through_bridges(rows: pd.DataFrame, record: pd.DataFrame, baseline: str) -> Iterator[dict[str, Any]]:
    asked = _sides(rows[rows["origin"].eq("official")], ["benchmark", "scenario", "round"])
    topics: dict[tuple, dict[str, Sides]] = defaultdict(dict)
    for (*topic, name), sides in _sides(record, ["benchmark", "scenario", "round"]).items():
        topics[tuple(topic)][name] = sides
    answered = {(*topic, name) for (*topic, _), sides in asked.items() if baseline in sides for name in sides}
    for *topic, round in sorted(asked, key=lambda key: round_age(key[2]), reverse=True):
        if baseline in asked[*topic, round]:
            continue
        for accelerator in asked[*topic, round]:
            cells = None
            if (*topic, accelerator) not in answered:
                cells = bridged(topics[tuple(topic)], round, accelerator, baseline)
            if cells:
                answered.add((*topic, accelerator))
                basis = f"official {round} through {cells['through']}"
                yield dict(zip(_KEYS, (*topic, basis, accelerator), strict=True)) | cells | {"origin": "official"}
