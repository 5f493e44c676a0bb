"""Speedup of one accelerator over another, per accelerator, between comparable systems.

Functions take comparable rows (see comparability.selection). A speedup is taken within one basis (a document, or the
official results of a round); where it crosses rounds, its notes say so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from analysis._core import interval, round_order
from analysis._core.citation import several
from analysis._core.interval import Interval
from analysis._core.notes import NONE
from analysis._core.plain_values import as_dicts, frame_of, grouped
from analysis._core.vocabulary import AVAILABILITIES, round_age
from analysis.comparability import selection
from analysis.methods import matched_systems, system_properties
from analysis.methods.cross_round import Sides, cross_round
from analysis.methods.matched_systems import MEASURES, Records, compared, sides
from analysis.methods.roofline import COMPUTE
from analysis.methods.system_properties import AVAILABLE, USUAL_SIZE, kind

SPECS = {"memory bandwidth": "memory_bandwidth_gb_per_s", "memory capacity": "memory_gb"}
RAN, EQUAL = "peak compute", "peak compute at one precision"
FACTS = (*SPECS, RAN, EQUAL)
ERRORS = 2.0  # standard errors by which two facts must differ to be distinguished
LINES = 8  # generations at most, those with the highest throughput
_KEYS = ["benchmark", "scenario", "basis", "accelerator"]
_EXPLAINED = ["same", "spec", "miss", "accelerators", "close"]
_POINT = ["accelerator", "basis", "round", "published", "per_accelerator_low", "per_accelerator_high"]
_POINT += ["accelerator_count", "precision", "system", "submitter", "software", "source_id", "notes"]


def over_baseline(rows: pd.DataFrame, baseline: str, record: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the speedup over `baseline` per accelerator, one row per benchmark, scenario, basis, and accelerator.

    Columns: benchmark, scenario, basis, accelerator, round (of its fastest system), those of matched_systems.MEASURES
    (see matched_systems.compared: the fastest comparable system over the baseline's fastest, the spread of comparable
    systems, pairs of one submitter), origin, `speedup_middle` (geometric), `available` (whether the fastest system is
    available; a document that does not say counts as available), `through` (the other round of a cross-round estimate,
    else "") and `links` (its accelerators of both rounds). The baseline itself has a speedup of 1 and no pairs.

    `record`, comparable official rows of other rounds too, adds cross-round estimates for the official rounds of `rows`
    without the baseline: their accelerators that no round compares with it directly, each in its newest round
    (cross_round.cross_round), on the basis "official <round> via <other round>".
    """
    ratios = [
        dict(zip(_KEYS, (*key, name), strict=True)) | _cells(part, parts[baseline]) | {"through": "", "links": ()}
        for key, parts in sides(rows, _KEYS[:-1]).items()
        if baseline in parts
        for name, part in parts.items()
    ]
    if record is not None:
        ratios += _cross_round(rows, record, baseline)
    frame = frame_of(ratios, [*_KEYS, "round", *MEASURES, "origin", "through", "links"])
    is_available = frame["availability"].isin(["", AVAILABILITIES[0]])
    return frame.assign(speedup_middle=interval.of(frame, "speedup").middle, available=is_available)


def in_each_round(speedups: pd.DataFrame) -> pd.DataFrame:
    """Return the speedup of each accelerator in each round that has the baseline: its newest one, then older rounds.

    Of `speedups` of over_baseline the rows of selection.official_first, and for an official one the other official ones
    of available systems. The column `base` names the side that each is over: the round of the baseline, else the basis.
    Ratios over two bases are not comparable; rows are grouped by them, of official rounds the newest first.
    """
    answers = selection.official_first(speedups)
    keys = ["benchmark", "scenario", "accelerator"]
    is_official = speedups["origin"].eq("official")
    every = pd.concat([answers, speedups[is_official & speedups["available"]]]).drop_duplicates([*keys, "basis"])
    base = every["baseline_round"].where(every["origin"].eq("official"), every["basis"])
    every = every.assign(base=base.astype("str"))
    age = [round_age(row["base"]) if row["origin"] == "official" else (-1, -1) for row in as_dicts(every)]
    return every.iloc[sorted(range(len(every)), key=age.__getitem__, reverse=True)].reset_index(drop=True)


def leader(speedups: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return the row of `speedups` (of one benchmark and scenario) that answers; no row where none is comparable.

    Official results before documents, direct ratios before cross-round estimates, available before preview, then the
    newest round; in it the fastest of the usual size where one is faster than the baseline, else the fastest of all.
    """
    others = speedups[speedups["accelerator"].ne(baseline)]
    ranks = pd.DataFrame({
        "official": others["origin"].eq("official"),
        "direct": others["through"].eq(""),
        "available": others["available"],
        "age": round_order.of(others["round"]),
        "usual_size": others["accelerator_count"].eq(USUAL_SIZE) & others["speedup_middle"].gt(1),
        "speedup": others["speedup_middle"],
    })  # fmt: skip
    first = ranks.sort_values(list(ranks), ascending=False, kind="stable").index[:1]
    return others.loc[first].reset_index(drop=True)


def newer_estimates(speedups: pd.DataFrame, lead: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return the cross-round estimates of available systems in rounds newer than `lead` (leader), newest round first.

    Within a round the fastest comes first. Without a lead there is none.
    """
    since = max(map(round_age, lead["round"]), default=(float("inf"),))
    is_newer = np.array([round_age(name) > since for name in speedups["round"]], "bool")
    newer = speedups[
        is_newer & speedups["available"] & speedups["through"].ne("") & speedups["accelerator"].ne(baseline)
    ]
    newer = newer.sort_values("speedup_middle", ascending=False, kind="stable")
    return round_order.newest_first(newer).reset_index(drop=True)


def previews(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the speedup of preview systems over the fastest available accelerator of their round and benchmark.

    Of `rows` the official ones of the newest round count. One row per benchmark, scenario, and accelerator without an
    available system; columns: those of over_baseline, and `over`, the accelerator that the speedup is over.
    """
    official = rows[rows["origin"].eq("official")]
    age = round_order.of(official["round"])
    found = [over_baseline(rows.head(0), "").assign(over="")]
    for _, part in official[age.eq(age.max())].groupby(["benchmark", "scenario"], sort=False):
        available = part[part["availability"].eq(AVAILABILITIES[0])]
        if len(available) < len(part) and len(available):
            fastest = available.loc[available["per_accelerator_high"].idxmax(), "accelerator"]
            found.append(over_baseline(part, fastest).assign(over=fastest))
    ratios = pd.concat(found)
    return ratios[ratios["availability"].eq("preview")].reset_index(drop=True)


def results_compared(rows: pd.DataFrame, lead: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return the results behind the speedup `lead` (leader): those of both accelerators in its rounds.

    Only available systems where the lead is one. Without a lead there is none.
    """
    if lead.empty:
        return rows.head(0)
    row = lead.iloc[0]
    part = rows[rows["accelerator"].isin([row["accelerator"], baseline]) & rows["origin"].eq(row["origin"])]
    of_basis = part["round"].isin(row["rounds"]) if row["origin"] == "official" else part["basis"].eq(row["basis"])
    return part[of_basis & (part["availability"].isin(["", AVAILABILITIES[0]]) | (not row["available"]))]


def by_generation(rows: pd.DataFrame, accelerators: pd.DataFrame, dates: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return the fastest official available system of each generation in each round.

    A generation (vendor and number, of `accelerators`) is represented by one accelerator: the baseline where it is one,
    else the one with most rounds, then of the usual size, then the fastest. Accelerators without a number are left out,
    but for the baseline; `dates` are the rounds with their day. Columns: _POINT, with `published` a date; the
    generation that ends highest first, each by date.
    """
    days = pd.to_datetime(dates.set_index("round")["published"], errors="coerce")
    systems = _available(rows).assign(published=lambda systems: systems["round"].map(days)).dropna(subset="published")
    systems = systems.assign(
        usual_size=systems["accelerator_count"].eq(USUAL_SIZE),
        rate=interval.of(systems, "per_accelerator").middle,
        software=system_properties.software(systems),
    )
    order = ["published", "usual_size", "accelerator_count", "rate"]
    frame = systems.sort_values(order, kind="stable").drop_duplicates(["accelerator", "round"], keep="last")
    numbered = accelerators[accelerators["generation"].notna()]
    labels = numbered["vendor"] + " " + numbered["generation"].astype(str)
    generations = dict(zip(numbered["accelerator"], labels, strict=True))
    frame = frame[frame["accelerator"].isin([*generations, baseline])]
    last = frame.drop_duplicates("accelerator", keep="last")
    last = last.assign(
        generation=last["accelerator"].replace(generations),
        is_baseline=last["accelerator"].eq(baseline),
        rounds=last["accelerator"].map(frame["accelerator"].value_counts()),
    )
    by_choice = last.sort_values(["is_baseline", "rounds", "usual_size", "per_accelerator_high", "accelerator"])
    chosen = by_choice.drop_duplicates("generation", keep="last")
    chosen = chosen.sort_values(["is_baseline", "per_accelerator_high"], ascending=False, kind="stable").head(LINES)
    order = chosen.sort_values("per_accelerator_high", ascending=False, kind="stable")["accelerator"].tolist()
    chosen_lines = frame.loc[frame["accelerator"].isin(order), _POINT]
    return chosen_lines.sort_values(
        "accelerator", key=lambda names: names.map(order.index), kind="stable", ignore_index=True
    )


def gains(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the throughput of each accelerator and system size in its last round over its first, highest gain first.

    Of official results of available systems, the fastest of each round; a size of one round has no row. Columns:
    accelerator, accelerator_count, gain_low/high (see matched_systems.ratio) and, of both ends, first and last
    (rounds), first_submitter, last_submitter; source_ids, notes.
    """
    found = []
    size = ["accelerator", "accelerator_count"]
    for key, part in grouped(matched_systems.records(_available(rows)), size).items():
        rounds = sorted({row["round"] for row in part}, key=round_age)
        if len(rounds) > 1:
            of_round = grouped(part, ["round"])
            old, new = (matched_systems.by_system(of_round[name,])[0] for name in (rounds[0], rounds[-1]))
            found.append(
                dict(zip(size, key, strict=True))
                | matched_systems.ratio(new, old).columns("gain")
                | {"first": old["round"], "last": new["round"]}
                | {"first_submitter": old["submitter"], "last_submitter": new["submitter"]}
                | {"source_ids": several([old["source_id"], new["source_id"]])}
                | {"notes": matched_systems.own_notes(new, old)}
            )
    columns = [*size, "gain_low", "gain_high", "first", "last", "first_submitter", "last_submitter"]
    frame = frame_of(found, [*columns, "source_ids", "notes"])
    return frame.sort_values("gain_high", ascending=False, kind="stable", ignore_index=True)


def same_accelerators(rows: pd.DataFrame, earlier: str, later: str) -> pd.DataFrame:
    """Return the ratio of two rounds for each accelerator in both: later over earlier throughput per accelerator.

    Comparable systems (matched_systems.compared); the pairs of one submitter come closest to the effect of software
    alone. Official rows only. Columns: accelerator, round, those of matched_systems.MEASURES. Empty where the two are
    one round.
    """
    official = rows[rows["origin"].eq("official")]
    by_round = sides(official, ["round"])
    old, new = (by_round.get((name,), {}) for name in (earlier, later))
    in_both = [name for name in new if name in old] if earlier != later else []
    ratios = [{"accelerator": name} | compared(new[name], old[name]) for name in in_both]
    return frame_of(ratios, ["accelerator", "round", *MEASURES])


def two_rounds(rows: pd.DataFrame, asked: Sequence[str], later: str) -> tuple[str, str]:
    """Return the two rounds whose software is compared: the first of `asked`, and `later`, else the newest of `asked`.

    Without `asked` the later one is the newest official round; without an asked round before it, the earlier one is the
    newest with an accelerator of the later one. "" for a round that does not exist.
    """
    official = rows[rows["origin"].eq("official")]
    newest = later or max(asked or official["round"], key=round_age, default="")
    if asked and round_age(asked[0]) < round_age(newest):
        return asked[0], newest
    names = set(official.loc[official["round"].eq(newest), "accelerator"])
    shared = set(official.loc[official["accelerator"].isin(names), "round"])
    return max((name for name in shared if round_age(name) < round_age(newest)), key=round_age, default=""), newest


def steps(rows: pd.DataFrame, path: list[str]) -> pd.DataFrame:
    """Return the speedup of each accelerator of `path` over the one before it, in the newest official round with both.

    H100 to H200 changes the memory, H200 to its 1000 W part the power limit. Comparable systems
    (matched_systems.compared). Columns: before and accelerator (the two), round, those of matched_systems.MEASURES. A
    step without a comparable pair is left out.
    """
    official = sides(rows[rows["origin"].eq("official")], ["round"])
    newest = sorted(official, key=lambda key: round_age(key[0]), reverse=True)
    ratios = []
    for before, after in pairwise(path):
        parts = next((official[key] for key in newest if {before, after} <= official[key].keys()), None)
        if parts:
            ratios.append({"before": before, "accelerator": after} | compared(parts[after], parts[before]))
    return frame_of(ratios, ["before", "accelerator", "round", *MEASURES])


def with_datasheet_ratios(speedups: pd.DataFrame, accelerators: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return each speedup with the ratio of each datasheet fact, one row per speedup and fact that both sides state.

    Added columns: spec (a name of FACTS), spec_ratio_low/high, same (whether both ran one precision). RAN is the dense
    compute at the precision that the accelerator ran over that at the precision that the baseline ran (FP4 over FP8);
    EQUAL both at the baseline's precision, where the two differ. The baseline itself, a speedup of unknown precision,
    and an accelerator without a datasheet have no row.
    """
    facts = accelerators.set_index("accelerator")[[*dict.fromkeys([*SPECS.values(), *COMPUTE.values()])]]
    others = speedups[speedups["accelerator"].ne(baseline)]
    others = others[others["precision"].ne("") & others["baseline_precision"].ne("")]
    others = others.assign(same=others["precision"].eq(others["baseline_precision"]))
    own, base = others["accelerator"], pd.Series(baseline, others.index)
    ratios = {name: _stated(facts[column], own) / _stated(facts[column], base) for name, column in SPECS.items()}
    peaks = facts.astype("float64").stack()
    at = {side: others[side].map(COMPUTE) for side in ("precision", "baseline_precision")}
    ran, of_base, equal = (
        _stated(peaks, pd.MultiIndex.from_arrays(pair))
        for pair in ((own, at["precision"]), (base, at["baseline_precision"]), (own, at["baseline_precision"]))
    )
    ratios |= {RAN: ran / of_base, EQUAL: np.where(others["same"], np.nan, equal / of_base)}
    by_spec = [others.assign(spec=name, spec_ratio_low=ratios[name], spec_ratio_high=ratios[name]) for name in FACTS]
    facts_of_each = pd.concat(by_spec).dropna(subset="spec_ratio_low")
    return facts_of_each.sort_index(kind="stable").reset_index(drop=True)


def _stated(facts: pd.Series, keys: Any) -> np.ndarray:
    """What a datasheet states for each of the keys; NaN where nothing."""
    return facts.reindex(keys).to_numpy("float64", na_value=np.nan)


def explained_by(with_facts: pd.DataFrame) -> pd.DataFrame:
    """Return how far each datasheet ratio is off the speedups: `miss` is the mean factor between the two, 1 if exact.

    Pairs at one precision are separate from those at two. Only accelerators with every fact count, so that all facts
    are judged on the same points. `close` marks a fact statistically tied with the best one: its misses (logarithms)
    exceed those of the best by less than ERRORS standard errors of the mean difference. Columns: same, spec, miss,
    accelerators (how many), close; pairs at one precision first, in each the best fact first.
    """
    judged = with_facts.assign(miss=np.log(with_facts["speedup_middle"] / with_facts["spec_ratio_low"]).abs())
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


def _available(rows: pd.DataFrame) -> pd.DataFrame:
    """The official results of available systems."""
    return rows[rows["origin"].eq("official") & kind(rows).eq(AVAILABLE)]


def _cells(part: Records, base: Records) -> dict[str, Any]:
    """The measures of one accelerator of a basis; the speedup of the baseline is 1."""
    cells = compared(part, base) | {"origin": part[0]["origin"]}
    cells["notes"] |= matched_systems.lone(*matched_systems.matched(part, base))
    if part is base:
        cells |= Interval(1.0, 1.0).columns("speedup") | interval.UNKNOWN.columns("pairs") | {"pairs": 0, "notes": NONE}
    return cells


def _cross_round(rows: pd.DataFrame, record: pd.DataFrame, baseline: str) -> Iterator[dict[str, Any]]:
    by = ["benchmark", "scenario", "round"]
    asked = sides(rows[rows["origin"].eq("official")], by)
    topics: dict[tuple, dict[str, Sides]] = defaultdict(dict)
    for (*topic, name), parts in sides(record, by).items():
        topics[tuple(topic)][name] = parts
    answered = {(*topic, name) for (*topic, _), parts in asked.items() if baseline in parts for name in parts}
    for *topic, round in sorted(asked, key=lambda key: round_age(key[2]), reverse=True):
        if baseline in asked[*topic, round]:
            continue
        for accelerator in asked[*topic, round]:
            cells = None
            if (*topic, accelerator) not in answered:
                cells = cross_round(topics[tuple(topic)], round, accelerator, baseline)
            if cells:
                answered.add((*topic, accelerator))
                basis = f"official {round} via {cells['through']}"
                yield dict(zip(_KEYS, (*topic, basis, accelerator), strict=True)) | cells | {"origin": "official"}
