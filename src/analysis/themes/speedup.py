"""Speedup of one accelerator over another, per accelerator, with its range.

All functions take comparable rows (see compare.gate). A speedup is taken within one basis (a document, or the
official record of a round), because figures of two bases were not made alike.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from analysis.core import interval, notes
from analysis.core.citation import several
from analysis.core.interval import Interval
from analysis.core.notes import NONE, Notes, note

SPECS = {
    "memory bandwidth": "memory_bandwidth_gb_per_s",
    "memory capacity": "memory_gb",
    "16-bit compute": "fp16_dense_tflops",
    "8-bit compute": "fp8_dense_tflops",
}
UNDER, OVER = 'under its "up to"', 'over its "at least"'
_RATIO = ["speedup_low", "speedup_high", "notes"]
_RATES = ["as_printed_low", "as_printed_high", "per_accelerator_low", "per_accelerator_high"]
_COUNTED = ["accelerator_count", "assumed", "unit", "source_id", "round", "origin", "notes", *_RATES]

Records = list[dict[str, Any]]  # of a handful of rows, plain numbers are quicker than a frame


def over_baseline(rows: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Speedup per accelerator over `baseline`, one row per benchmark, scenario, basis and accelerator.

    Columns: benchmark, scenario, basis, accelerator, speedup_low, speedup_high (a ratio), notes, results (how many rows
    are behind it), rounds (theirs, a tuple), source_ids (a tuple), origin. The range covers all submitters and systems,
    and the rounding of the printed figures. Systems of the baseline's size are used where there are any; otherwise a
    note says that sizes differ.
    """
    columns = ["benchmark", "scenario", "basis", "accelerator"]
    groups: dict[tuple, dict[str, Records]] = defaultdict(lambda: defaultdict(list))
    for row in rows.filter([*columns, *_COUNTED]).to_dict("records"):
        groups[row["benchmark"], row["scenario"], row["basis"]][row["accelerator"]].append(row)
    ratios = [
        (*key, name, *_against(part, parts[baseline], name == baseline))
        for key, parts in groups.items()
        if baseline in parts
        for name, part in parts.items()
    ]
    return pd.DataFrame(ratios, columns=[*columns, *_RATIO, "results", "rounds", "source_ids", "origin"])


def by_round(rows: pd.DataFrame, earlier: str, later: str) -> pd.DataFrame:
    """What a later round gives on the same accelerator: its per-accelerator rate over the earlier round's.

    Hardware is the same, so software, rules and submitters make the difference. Official rows only. Columns:
    accelerator, speedup_low, speedup_high, source_ids, notes. Empty where the two are one round: over itself it shows
    the spread between its submitters alone.
    """
    official = rows[rows["origin"].eq("official") & (earlier != later)]
    ratios = []
    for accelerator, part in official.groupby("accelerator", sort=False):
        old, new = (part[part["round"].eq(name)] for name in (earlier, later))
        if len(old) and len(new):
            new, old = _same_size(new.to_dict("records"), old.to_dict("records"))
            ratios.append((accelerator, *_ratio(new, old), _ids(new, old)))
    return pd.DataFrame(ratios, columns=["accelerator", *_RATIO, "source_ids"])


def steps(rows: pd.DataFrame, path: list[str]) -> pd.DataFrame:
    """The speedup of each accelerator of `path` over the one before it, from official rows of one round.

    H100 to H200 changes the memory, H200 to its 1000 W part the power limit. Columns: step, accelerator, speedup_low,
    speedup_high, source_ids, notes; a step with no comparable pair is left out.
    """
    official = rows[rows["origin"].eq("official")]
    ratios = []
    for before, after in pairwise(path):
        old, new = (official[official["accelerator"].eq(name)].to_dict("records") for name in (before, after))
        if old and new:
            new, old = _same_size(new, old)
            ratios.append((f"{before} to {after}", after, *_ratio(new, old), _ids(new, old)))
    return pd.DataFrame(ratios, columns=["step", "accelerator", *_RATIO, "source_ids"])


def beside_specs(speedups: pd.DataFrame, accelerators: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Each speedup beside the ratio of each datasheet fact: one row per speedup and fact that both parts state.

    Added columns: spec (a name of SPECS), spec_ratio_low, spec_ratio_high. The baseline itself is left out.
    """
    facts = accelerators.set_index("accelerator")[list(SPECS.values())]
    ratios = (facts / facts.loc[baseline]).rename(columns={column: name for name, column in SPECS.items()})
    long = ratios.rename_axis("accelerator").reset_index().melt("accelerator", var_name="spec", value_name="ratio")
    beside = speedups[speedups["accelerator"].ne(baseline)].merge(long.dropna(), on="accelerator")
    return interval.put(beside.drop(columns="ratio"), "spec_ratio", Interval(beside["ratio"], beside["ratio"]))


def explained_by(beside: pd.DataFrame) -> pd.DataFrame:
    """How far each datasheet ratio is off the speedups: `miss` is the mean factor between the two, 1 being exact.

    Only accelerators for which every fact is known count, so that the facts are judged on the same points. Columns:
    spec, miss, accelerators (how many); the best first.
    """
    complete = beside.groupby(["benchmark", "basis", "accelerator"])["spec"].transform("nunique").eq(len(SPECS))
    judged = beside[complete]
    factor = np.log(interval.of(judged, "speedup").middle / judged["spec_ratio_low"]).abs()
    misses = np.exp(factor.groupby(judged["spec"]).mean()).rename("miss")
    counts = judged.groupby("spec")["accelerator"].nunique().rename("accelerators")
    return pd.concat([misses, counts], axis=1).reset_index().sort_values("miss", ignore_index=True)


def pairs(rows: pd.DataFrame, baselines: list[str]) -> pd.DataFrame:
    """The speedups over each of several baselines, one below the other; column `baseline` says which."""
    frames = [over_baseline(rows, name).assign(baseline=name) for name in baselines if name]
    return pd.concat(frames, ignore_index=True) if frames else over_baseline(rows, "").assign(baseline="")


def claimed(claims: pd.DataFrame, speedup_pairs: pd.DataFrame) -> pd.DataFrame:
    """Stated speedups beside computed ones of their own round, where both accelerators and a benchmark are named.

    `speedup_pairs` are those of `pairs`. A claim is set beside the official record where that has the pair, else
    beside its own document's figures; one without a scenario, beside each scenario; one without a round, beside any
    round, one that bears it out first, and a note says so. One row per claim and scenario: the claim's columns
    (subject, stated_low/high, bound, condition ...), scenario, basis, speedup_low/high, verdict: `holds` where the two
    ranges meet, else `not reached` or `exceeded`; a claim of `up to` that lies higher is not wrong but `under its "up
    to"`, one of `at least` that lies lower `over its "at least"`.
    """
    names = {"subject_accelerator": "accelerator", "baseline_accelerator": "baseline"}
    stated = _stated(claims).drop(columns="baseline").rename(columns=names)
    stated = stated.rename(columns={"low": "stated_low", "high": "stated_high"})
    both = stated.merge(speedup_pairs, on=["benchmark", "accelerator", "baseline"], suffixes=("_stated", ""))
    both = both[both["scenario_stated"].eq("") | both["scenario_stated"].eq(both["scenario"])]
    one_round = both["baseline_round"].eq("") | both["baseline_round"].eq(both["round"])
    of_round = [rounds == (name,) for name, rounds in zip(both["round"], both["rounds"], strict=True)]
    both = both[both["round"].eq("") | (np.array(of_round, dtype="bool") & one_round)]
    both = both.assign(official=both["origin"].eq("official"))
    own = [ids == (name,) for name, ids in zip(both["source_id"], both["source_ids"], strict=True)]
    both = both[both["official"] | np.array(own, dtype="bool")]
    records = both.to_dict("records")
    both = both.assign(
        verdict=[_verdict(row) for row in records],
        notes=[row["notes"] | (NONE if row["round"] else {note("round_unnamed")}) for row in records],
    )
    both = both.assign(holds=both["verdict"].eq("holds"))
    ranked = both.sort_values(["official", "holds"], ascending=False, kind="stable")
    return ranked.drop_duplicates(["id", "scenario"]).sort_index().reset_index(drop=True)


def of_other_rounds(claims: pd.DataFrame, speedup_pairs: pd.DataFrame) -> pd.DataFrame:
    """The stated speedups that `claimed` cannot judge because no pair at hand is of their round."""
    stated = _stated(claims)
    return stated[~stated["round"].isin(["", *(rounds[0] for rounds in speedup_pairs["rounds"] if len(rounds) == 1)])]


def _stated(claims: pd.DataFrame) -> pd.DataFrame:
    """The claims, each once, of a speedup of one accelerator over another on a benchmark."""
    stated = claims[claims["quantity"].eq("throughput_ratio") & claims["duplicate_of"].eq("") & claims["low"].notna()]
    named = stated[["subject_accelerator", "baseline_accelerator", "benchmark"]].ne("").all(axis=1)
    return stated[named & stated["subject_accelerator"].ne(stated["baseline_accelerator"])]


def _against(part: Records, base: Records, alone: bool) -> tuple:
    """Speedup, notes, results, rounds, ids, origin of rows over the baseline's; `alone` if they are it."""
    origin = part[0]["origin"]
    if alone:
        return 1.0, 1.0, NONE, len(part), _rounds(part), _ids(part), origin
    part, base = _same_size(part, base)
    return *_ratio(part, base), len(part) + len(base), _rounds(part, base), _ids(part, base), origin


def _same_size(part: Records, base: Records) -> tuple[Records, Records]:
    """The rows of systems of a size that both have, or all of them where there is none."""
    common = {row["accelerator_count"] for row in part} & {row["accelerator_count"] for row in base}
    if not common:
        return part, base
    return tuple([row for row in rows if row["accelerator_count"] in common] for rows in (part, base))


def _ratio(part: Records, base: Records) -> tuple[float, float, Notes]:
    """Low and high of the ratio of rates, and its notes."""
    in_print = all(row["assumed"] for row in [*part, *base])
    name = "as_printed" if in_print else "per_accelerator"
    ratio = _spread(part, name) / _spread(base, name)
    # Of this pair's own sizes and unit more is known than of the rows'.
    known = ["another_size", *["tokens_assumed"] * in_print]
    own = notes.without(notes.union(row["notes"] for row in [*part, *base]), *known)
    own |= {note("printed_unit", unit=part[0]["unit"])} if in_print else NONE
    return ratio.low, ratio.high, own | _of_sizes(part, base) | notes.apart(_all_rounds(part), _all_rounds(base))


def _of_sizes(part: Records, base: Records) -> Notes:
    sizes = [sorted({row["accelerator_count"] for row in rows}) for rows in (part, base)]
    if sizes[0] == sizes[1]:
        return NONE
    words = ["/".join(f"{size}x" for size in side) for side in sizes]
    return frozenset({note("different_sizes", sizes=words[0], other_sizes=words[1])})


def _ids(*parts: Records) -> tuple[str, ...]:
    return several(row["source_id"] for part in parts for row in part)


def _rounds(*parts: Records) -> tuple[str, ...]:
    return tuple(sorted({name for part in parts for name in _all_rounds(part)} - {""}))


def _all_rounds(rows: Records) -> list[str]:
    return [row["round"] for row in rows]


def _spread(rows: Records, name: str) -> Interval:
    return Interval(min(row[f"{name}_low"] for row in rows), max(row[f"{name}_high"] for row in rows))


def _verdict(row: dict) -> str:
    stated, computed = (
        Interval(row["stated_low"], row["stated_high"]),
        Interval(row["speedup_low"], row["speedup_high"]),
    )
    if stated.overlaps(computed):
        return "holds"
    if computed.high < stated.low:
        return UNDER if row["bound"] == "at_most" else "not reached"
    return OVER if row["bound"] == "at_least" else "exceeded"
