"""Speedup of one accelerator over another, per accelerator, with its range; plotting and loading do not belong here.

All functions take comparable rows (see comparable.py). A speedup is taken within one basis (a document, or the
official record of a round), because figures of two bases were not made alike.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from analysis import caveats, interval
from analysis.caveats import ASSUMED
from analysis.interval import Interval

SPECS = {
    "memory bandwidth": "memory_bandwidth_gb_per_s",
    "memory capacity": "memory_gb",
    "16-bit compute": "fp16_dense_tflops",
    "8-bit compute": "fp8_dense_tflops",
}
BOTH_COUNTS = "systems of different size"
_RATES = ["as_printed_low", "as_printed_high", "per_accelerator_low", "per_accelerator_high"]
_COUNTED = ["accelerator_count", "assumed", "unit", "source_id", "caveat", *_RATES]


def over_baseline(rows: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Speedup per accelerator over `baseline`, one row per benchmark, scenario, basis and accelerator.

    Columns: benchmark, scenario, basis, accelerator, speedup_low, speedup_high (a ratio), results (how many rows are
    behind it), source_ids, caveat. The range covers all submitters and systems, and the rounding of the printed
    figures. Systems of the baseline's size are used where there are any; otherwise the caveat says that sizes differ.
    """
    columns = ["benchmark", "scenario", "basis", "accelerator"]
    # Each of the many small frames below costs by its columns, so they have those that count alone.
    found = [
        _against(group, part, baseline)
        for _, group in rows.filter([*columns, *_COUNTED]).groupby(columns[:3], sort=False)
        if group["accelerator"].eq(baseline).any()
        for _, part in group.groupby("accelerator", sort=False)
    ]
    empty = pd.DataFrame(columns=[*columns, "speedup_low", "speedup_high", "results", "source_ids", "caveat"])
    return pd.DataFrame(found) if found else empty


def by_round(rows: pd.DataFrame, earlier: str, later: str) -> pd.DataFrame:
    """What a later round gives on the same accelerator: its per-accelerator rate over the earlier round's.

    Hardware is the same, so software, rules and submitters make the difference. Official rows only. Columns:
    accelerator, speedup_low, speedup_high, source_ids, caveat.
    """
    official = rows[rows["origin"].eq("official")]
    found = []
    for accelerator, part in official.groupby("accelerator", sort=False):
        old, new = (part[part["round"].eq(name)] for name in (earlier, later))
        if len(old) and len(new):
            new, old = _same_size(new, old)
            found.append({"accelerator": accelerator, **_ratio(new, old), "source_ids": _ids(new, old)})
    return pd.DataFrame(found, columns=["accelerator", "speedup_low", "speedup_high", "source_ids", "caveat"])


def steps(rows: pd.DataFrame, path: list[str]) -> pd.DataFrame:
    """The speedup of each accelerator of `path` over the one before it, from official rows of one round.

    H100 to H200 changes the memory, H200 to its 1000 W part the power limit. Columns: step, accelerator, speedup_low,
    speedup_high, source_ids, caveat; a step with no comparable pair is left out.
    """
    official = rows[rows["origin"].eq("official")]
    found = []
    for before, after in pairwise(path):
        old, new = (official[official["accelerator"].eq(name)] for name in (before, after))
        if len(old) and len(new):
            found.append(
                {
                    "step": f"{before} to {after}",
                    "accelerator": after,
                    **_ratio(*_same_size(new, old)),
                    "source_ids": _ids(new, old),
                }
            )
    return pd.DataFrame(found, columns=["step", "accelerator", "speedup_low", "speedup_high", "source_ids", "caveat"])


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
    each = [over_baseline(rows, name).assign(baseline=name) for name in baselines if name]
    return pd.concat(each, ignore_index=True) if each else over_baseline(rows, "").assign(baseline="")


def claimed(claims: pd.DataFrame, speedup_pairs: pd.DataFrame) -> pd.DataFrame:
    """Stated speedups beside computed ones, for claims that name both accelerators and a benchmark with such a pair.

    `speedup_pairs` are those of `pairs`. A claim is set beside the official record where that has the pair, else
    beside its own document's figures; one without a scenario, beside each scenario. One row per claim and scenario:
    the claim's columns (subject, stated_low/high, bound, condition ...), scenario, basis, speedup_low/high, verdict:
    `holds` where the two ranges meet, else `not reached` or `exceeded`; a claim of `up to` that lies higher is not
    wrong but `below its bound`, one of `at least` that lies lower `above its bound`.
    """
    stated = claims[claims["quantity"].eq("throughput_ratio") & claims["duplicate_of"].eq("") & claims["low"].notna()]
    stated = stated[stated["subject_accelerator"].ne(stated["baseline_accelerator"])].drop(columns="baseline")
    names = {"subject_accelerator": "accelerator", "baseline_accelerator": "baseline"}
    stated = stated.rename(columns={**names, "low": "stated_low", "high": "stated_high"})
    both = stated.merge(speedup_pairs, on=["benchmark", "accelerator", "baseline"], suffixes=("_stated", ""))
    both = both[both["scenario_stated"].eq("") | both["scenario_stated"].eq(both["scenario"])]
    both = both.assign(official=both["basis"].str.startswith("official").astype(bool))
    both = both[both["official"] | both["source_ids"].eq(both["source_id"])]
    both = both.sort_values("official", ascending=False, kind="stable").drop_duplicates(["id", "scenario"]).sort_index()
    return both.assign(verdict=[_verdict(row) for row in both.to_dict("records")]).reset_index(drop=True)


def _against(group: pd.DataFrame, part: pd.DataFrame, baseline: str) -> dict:
    base = group[group["accelerator"].eq(baseline)]
    first = part.iloc[0]
    key = {name: first[name] for name in ("benchmark", "scenario", "basis", "accelerator")}
    if first["accelerator"] == baseline:
        return {
            **key,
            "speedup_low": 1.0,
            "speedup_high": 1.0,
            "results": len(part),
            "source_ids": _ids(part),
            "caveat": "",
        }
    part, base = _same_size(part, base)
    return {**key, **_ratio(part, base), "results": len(part) + len(base), "source_ids": _ids(part, base)}


def _same_size(part: pd.DataFrame, base: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of systems of a size that both have, or all of them where there is none."""
    common = set(part["accelerator_count"]) & set(base["accelerator_count"])
    if not common:
        return part, base
    return part[part["accelerator_count"].isin(common)], base[base["accelerator_count"].isin(common)]


def _ratio(part: pd.DataFrame, base: pd.DataFrame) -> dict:
    in_print = part["assumed"].all() and base["assumed"].all()
    name = "as_printed" if in_print else "per_accelerator"
    ratio = _spread(part, name) / _spread(base, name)
    said = caveats.joined([*part["caveat"], *base["caveat"]]).split("; ")
    # Of this pair's own sizes and unit more is known than of the rows'.
    warned = [each for each in said if each and not caveats.of_size(each)]
    if in_print:
        warned = [each for each in warned if each != ASSUMED] + [f"in {part['unit'].iloc[0]}, as printed"]
    sizes = [sorted(set(rows["accelerator_count"])) for rows in (part, base)]
    if sizes[0] != sizes[1]:
        words = ["/".join(f"{size}x" for size in each) for each in sizes]
        warned.append(f"{BOTH_COUNTS}, {words[0]} against {words[1]}")
    return {"speedup_low": ratio.low, "speedup_high": ratio.high, "caveat": "; ".join(warned)}


def _ids(*parts: pd.DataFrame) -> str:
    return ", ".join(sorted({source for part in parts for source in part["source_id"]}))


def _spread(rows: pd.DataFrame, name: str) -> Interval:
    return Interval(rows[f"{name}_low"].min(), rows[f"{name}_high"].max())


def _verdict(row: dict) -> str:
    stated, computed = (
        Interval(row["stated_low"], row["stated_high"]),
        Interval(row["speedup_low"], row["speedup_high"]),
    )
    if stated.overlaps(computed):
        return "holds"
    if computed.high < stated.low:
        return "below its bound" if row["bound"] == "at_most" else "not reached"
    return "above its bound" if row["bound"] == "at_least" else "exceeded"
