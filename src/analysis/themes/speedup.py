"""Speedup of one accelerator over another, per accelerator, like with like.

All functions take comparable rows (see compare.gate). A speedup is taken within one basis (a document, or the
official record of a round), because figures of two bases were not made alike; what crosses rounds says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from analysis.core import interval
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.core.vocabulary import AVAILABILITIES, round_age
from analysis.themes.alike import MEASURES, READ, Records, borne_out, compared
from analysis.themes.bridges import Sides, bridged

SPECS = {
    "memory bandwidth": "memory_bandwidth_gb_per_s",
    "memory capacity": "memory_gb",
    "16-bit compute": "fp16_dense_tflops",
    "8-bit compute": "fp8_dense_tflops",
}
RAN = "compute at the precisions that ran"
FACTS = (*SPECS, RAN)
_COMPUTE = {"fp4": "fp4_dense_tflops", "fp8": "fp8_dense_tflops", "int8": "int8_dense_tops"}
_COMPUTE |= dict.fromkeys(("fp16", "bf16"), "fp16_dense_tflops")
UNDER, OVER = 'under its "up to"', 'over its "at least"'
_KEYS = ["benchmark", "scenario", "basis", "accelerator"]


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


def leader(rows: pd.DataFrame) -> str:
    """The accelerator with the highest rate per accelerator of the newest official round, of those on sale if any.

    "" where no row is official.
    """
    official = rows[rows["origin"].eq("official")]
    if official.empty:
        return ""
    newest = official[official["round"].eq(max(official["round"], key=round_age))]
    on_sale = newest[newest["availability"].eq(AVAILABILITIES[0])]
    newest = newest if on_sale.empty else on_sale
    return str(newest.loc[interval.of(newest, "per_accelerator").middle.idxmax(), "accelerator"])


def rounds_covered(rows: pd.DataFrame, speedups: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """What of each official round of `rows` stands beside the baseline, oldest round first.

    `speedups` are those of `over_baseline`. Columns: round, baseline (whether the round has it), accelerators (how
    many it has), direct and bridged (how many of these have a ratio of this round), elsewhere (how many have none of
    this round but one of another), alone (those that have none at all, a tuple), others (the accelerators of the
    round, those of most systems first, a tuple).
    """
    official = rows[rows["origin"].eq("official")]
    beside = speedups[speedups["origin"].eq("official")]
    known = set(beside["accelerator"])
    covered = []
    for name in sorted(set(official["round"]), key=round_age):
        part = official[official["round"].eq(name)]
        systems = part.drop_duplicates("system_key")["accelerator"].value_counts(sort=False)
        names = list(systems.sort_values(ascending=False, kind="stable").index)
        both = zip(beside["rounds"], beside["through"], strict=True)
        own = [set(rounds) - {through} == {name} for rounds, through in both]
        own = beside[np.array(own, dtype="bool")]
        direct, bridged_own = (set(own.loc[own["through"].eq("") == whole, "accelerator"]) for whole in (True, False))
        covered.append(
            {
                "round": name,
                "baseline": baseline in names,
                "accelerators": len(names),
                "direct": len(direct & set(names)),
                "bridged": len(bridged_own & set(names)),
                "elsewhere": len((known - direct - bridged_own) & set(names)),
                "alone": tuple(own for own in names if own not in known),
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
    both = [name for name in new if name in old] if earlier != later else []
    ratios = [{"accelerator": name} | compared(new[name], old[name]) for name in both]
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
    step, accelerator, those of alike.MEASURES; a step with no comparable pair is left out.
    """
    official = _sides(rows[rows["origin"].eq("official")], ["round"])
    newest = sorted(official, key=lambda key: round_age(key[0]), reverse=True)
    ratios = []
    for before, after in pairwise(path):
        sides = next((official[key] for key in newest if {before, after} <= official[key].keys()), None)
        if sides:
            about = {"step": f"{before} to {after}", "accelerator": after}
            ratios.append(about | compared(sides[after], sides[before]))
    return pd.DataFrame(ratios, columns=["step", "accelerator", *MEASURES])


def beside_specs(speedups: pd.DataFrame, accelerators: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Each speedup beside the ratio of each datasheet fact: one row per speedup and fact that both parts state.

    Added columns: spec (a name of FACTS), spec_ratio_low, spec_ratio_high. RAN sets the dense compute of the precision
    that the accelerator ran against that of the one that the baseline ran: what FP4 against FP8 offers. The baseline
    itself is left out; nothing stands beside one that has no datasheet.
    """
    facts = accelerators.set_index("accelerator")
    others = speedups[speedups["accelerator"].ne(baseline)]
    base = facts.loc[baseline] if baseline in facts.index else pd.Series(dtype="float64").reindex(facts.columns)
    known = others.join(facts[[*dict.fromkeys([*SPECS.values(), *_COMPUTE.values()])]], on="accelerator")
    ratios = {name: known[column] / base[column] for name, column in SPECS.items()}
    ratios[RAN] = [
        row.get(_COMPUTE.get(row["precision"]), np.nan) / base.get(_COMPUTE.get(row["baseline_precision"]), np.nan)
        for row in known.to_dict("records")
    ]
    own = [others.assign(spec=name, ratio=pd.Series(ratios[name], others.index, "float64")) for name in FACTS]
    beside = pd.concat(own).dropna(subset="ratio").sort_index(kind="stable").reset_index(drop=True)
    return interval.put(beside.drop(columns="ratio"), "spec_ratio", Interval(beside["ratio"], beside["ratio"]))


def explained_by(beside: pd.DataFrame) -> pd.DataFrame:
    """How far each datasheet ratio is off the speedups: `miss` is the mean factor between the two, 1 being exact.

    Only accelerators for which every fact is known count, so that the facts are judged on the same points. Columns:
    spec, miss, accelerators (how many); the best first.
    """
    complete = beside.groupby(["benchmark", "basis", "accelerator"])["spec"].transform("nunique").eq(len(FACTS))
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
    (subject, stated_low/high, bound, condition ...), those of the pair, verdict: `holds` where the claim meets what
    alike systems of both give, the fastest or those of one submitter (alike.borne_out), else `not reached` or
    `exceeded`; a claim of `up to` that lies higher is not wrong but `under its "up to"`, one of `at least` that lies
    lower `over its "at least"`.
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


def _sides(rows: pd.DataFrame, by: list[str]) -> dict[tuple, Sides]:
    """The rows as records, by the values of the columns `by` and then by accelerator."""
    groups: dict[tuple, Sides] = defaultdict(lambda: defaultdict(list))
    for row in rows.filter([*dict.fromkeys([*by, *READ])]).to_dict("records"):
        groups[tuple(row[name] for name in by)][row["accelerator"]].append(row)
    return groups


def _cells(part: Records, base: Records) -> dict[str, Any]:
    """The measures of one accelerator of a basis; the baseline stands beside itself at 1."""
    cells = compared(part, base) | {"origin": part[0]["origin"]}
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
    done = {(*topic, name) for (*topic, _), sides in asked.items() if baseline in sides for name in sides}
    for *topic, round in sorted(asked, key=lambda key: round_age(key[2]), reverse=True):
        if baseline in asked[*topic, round]:
            continue
        for accelerator in asked[*topic, round]:
            cells = None
            if (*topic, accelerator) not in done:
                cells = bridged(topics[tuple(topic)], round, accelerator, baseline)
            if cells:
                done.add((*topic, accelerator))
                basis = f"official {round} through {cells['through']}"
                yield dict(zip(_KEYS, (*topic, basis, accelerator), strict=True)) | cells | {"origin": "official"}


def _verdict(row: dict) -> str:
    stated, computed = Interval(row["stated_low"], row["stated_high"]), borne_out(row)
    if stated.overlaps(computed):
        return "holds"
    if computed.high < stated.low:
        return UNDER if row["bound"] == "at_most" else "not reached"
    return OVER if row["bound"] == "at_least" else "exceeded"
