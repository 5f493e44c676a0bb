"""Gains of each round: the best result of each accelerator, and software gains separated from new hardware.

Functions take comparable official rows (see comparability.selection); rounds are consecutive if both have the
benchmark. A software gain is the ratio of two results of one submitter in consecutive rounds, on the same accelerator
and system size: its best system of each round, at an accuracy target that both have.
"""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from analysis._core import interval, round_order
from analysis._core.citation import several
from analysis._core.interval import Interval
from analysis._core.plain_values import Row, as_dicts, frame_of, grouped
from analysis._core.vocabulary import filed_under, round_age
from analysis.methods import system_properties
from analysis.methods.matched_systems import Records, own_notes, rate, ratio, records

TOPIC = ["benchmark", "scenario"]
STEP = [*TOPIC, "earlier", "later"]
SOFTWARE, HARDWARE, MIXED = "software", "new accelerator", "mixed"
PARTS = (SOFTWARE, HARDWARE, MIXED)
PAIR = [*STEP, "accelerator", "submitter", "accelerator_count", "accuracy_target", "gain_low", "gain_high"]
PAIR += ["precision", "earlier_precision", "system", "earlier_system", "rounds", "source_ids", "notes"]
PART = [*STEP, "part", "factor_low", "factor_high", "factor_median", "accelerator", "earlier_accelerator", "pairs"]
PART += ["total", "source_ids"]
HOLDS, NOT_REACHED, EXCEEDED = "confirmed", "not reached", "exceeded"


def best(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the best available result of each accelerator in each round of a benchmark and scenario, oldest first.

    Of one size: eight accelerators where there is such a system, else the most frequent size; bare metal before
    virtualized, default power before a cap. The columns are those of `rows`; `leads` marks the highest throughput per
    accelerator of a round.
    """
    official = system_properties.available(rows)
    keys = [*TOPIC, "round", "accelerator"]
    rates = official.filter([*keys, *system_properties.READ, *system_properties.LIMITED])
    rates = rates.assign(middle=interval.of(official, "per_accelerator").middle)
    labels = [
        system_properties.alike(part)["middle"].idxmax() for _, part in rates.groupby(keys, sort=False, observed=True)
    ]
    best_rows, middle = official.loc[labels], rates.loc[labels, "middle"]
    highest = middle.groupby([best_rows[name] for name in (*TOPIC, "round")]).transform("max")
    age = round_order.of(best_rows["round"])
    order = sorted(range(len(best_rows)), key=lambda place: (age.iloc[place], -middle.iloc[place]))
    return best_rows.assign(leads=middle.eq(highest)).iloc[order].reset_index(drop=True)


def pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the results of one submitter on one accelerator and size in consecutive rounds, a row per pair, as PAIR.

    `gain` is the later throughput per accelerator over the earlier. Virtualized or power-capped systems pair with such
    ones. Of two accuracy targets that both rounds have, the higher. Pass `system_properties.available(rows)` for
    available systems alone.
    """
    of_same = ["accelerator", "submitter", "accelerator_count", "restricted"]
    pairs = []
    official = records(rows[rows["origin"].eq("official")], *TOPIC, "accuracy_target")
    for topic, results in grouped(official, TOPIC).items():
        by_round = {round: grouped(filed, of_same) for (round,), filed in grouped(results, ["round"]).items()}
        for old, new in pairwise(sorted(by_round, key=round_age)):
            both = [
                _of_one_target(by_round[new][key], filed)
                for key, filed in by_round[old].items()
                if key in by_round[new]
            ]
            pairs += [dict(zip(TOPIC, topic, strict=True)) | _pair(*pair) for pair in both]
    return frame_of(pairs, PAIR)


def gains(pairs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the lowest, highest, and median gain of `pairs` by some columns, in the order of rounds.

    Columns: `by`, gain_low/high, gain_median, pairs, accelerators (how many), source_ids.
    """
    middles = pairs.assign(middle=interval.of(pairs, "gain").middle).groupby(by, sort=False)
    found = middles.agg(
        gain_low=("gain_low", "min"), gain_high=("gain_high", "max"), gain_median=("middle", "median"),
        pairs=("middle", "size"), accelerators=("accelerator", "nunique"),
        source_ids=("source_ids", lambda ids: several(name for each in ids for name in each)),
    ).reset_index()  # fmt: skip
    return found.sort_values("later", key=round_order.of, kind="stable", ignore_index=True)


def parts(best: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the factors of each round's best result over that of the round before, a row per step and part, as PART.

    `best` and `pairs` are of one benchmark and scenario. `total` is best over best, the product of the `factor_median`
    of the step's parts. SOFTWARE is the median of the step's pairs, with their range. The rest is HARDWARE where an
    accelerator leads that was not available the round before, else MIXED: another submitter, size, or accelerator.
    Without pairs all of the step is MIXED.
    """
    leaders = as_dicts(best[best["leads"]].drop_duplicates("round"))
    accelerators = {name: set(part["accelerator"]) for name, part in best.groupby("round")}
    gain_of = {(gain.earlier, gain.later): gain for gain in gains(pairs, STEP).itertuples()}
    rows = []
    for old, new in pairwise(leaders):
        total = ratio(new, old).middle
        gain = gain_of.get((old["round"], new["round"]))
        shared = {
            "benchmark": new["benchmark"], "scenario": new["scenario"], "earlier": old["round"], "later": new["round"],
            "accelerator": new["accelerator"], "earlier_accelerator": old["accelerator"], "total": total,
            "pairs": gain.pairs if gain else 0, "source_ids": several([old["source_id"], new["source_id"]]),
        }  # fmt: skip
        if gain is None:
            factors = {MIXED: (total, total, total)}
        else:
            rest = HARDWARE if new["accelerator"] not in accelerators[old["round"]] else MIXED
            factors = {SOFTWARE: (gain.gain_low, gain.gain_high, gain.gain_median)}
            factors[rest] = total / gain.gain_high, total / gain.gain_low, total / gain.gain_median
        for part, (low, high, median) in factors.items():
            ends = {"factor_low": low, "factor_high": high, "factor_median": median}
            rows.append(shared | {"part": part} | ends)
    return frame_of(rows, PART).astype({"total": "float64", "pairs": "int64"})


def product(parts: pd.DataFrame) -> dict[str, float]:
    """Return the factor of each part over all steps: the product of its medians, 1 where a part does not occur."""
    return {part: float(parts.loc[parts["part"].eq(part), "factor_median"].prod()) for part in PARTS}


def claims(stated: pd.DataFrame) -> pd.DataFrame:
    """Return the stated gains of an accelerator over itself in an earlier round, without duplicates."""
    accelerator, round = stated["subject_accelerator"], stated["round"]
    of_itself = accelerator.ne("") & accelerator.eq(stated["baseline_accelerator"])
    across_rounds = round.ne("") & stated["baseline_round"].ne("") & round.ne(stated["baseline_round"])
    of_throughput = stated["quantity"].eq("throughput_ratio") & stated["duplicate_of"].eq("") & stated["low"].notna()
    return stated[of_itself & across_rounds & of_throughput]


def claimed(stated: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the claims with the gains of the same submitter, accelerator, and rounds, one row per testable claim.

    A claim that names a benchmark or scenario is of it alone. Added columns: `stated_low/high`, `gain_low/high` (all
    such pairs), `sizes` (of the pairs within the stated range) and `other_sizes`, `other_low/high` (the other pairs;
    NaN without), `pairs`, `source_ids`, `verdict`: HOLDS where a pair is within the stated range (the highest one for
    "up to"), else NOT_REACHED or EXCEEDED.
    """
    rows = []
    for claim in as_dicts(stated):
        matching = pairs[pairs["accelerator"].eq(claim["subject_accelerator"])]
        matching = matching[matching["earlier"].eq(claim["baseline_round"]) & matching["later"].eq(claim["round"])]
        for name in ("benchmark", "scenario", "submitter"):
            matching = matching[matching[name].eq(claim[name])] if claim[name] else matching
        if matching.empty or "edge" in filed_under(claim["suite"]):
            continue
        said = Interval(claim["low"], claim["high"])
        is_highest = matching["gain_high"].eq(matching["gain_high"].max())
        candidates = matching[is_highest] if claim["bound"] == "at_most" else matching
        within = candidates[interval.of(candidates, "gain").overlaps(said)]
        outside = matching[~matching.index.isin(within.index)]
        measured = interval.span(matching, "gain")
        missed = EXCEEDED if measured.high > said.high else NOT_REACHED
        ends = said.columns("stated") | measured.columns("gain") | interval.span(outside, "gain").columns("other")
        row = claim | ends | {
            "pairs": len(matching),
            "sizes": tuple(sorted(set(within["accelerator_count"]))),
            "other_sizes": tuple(sorted(set(matching["accelerator_count"]) - set(within["accelerator_count"]))),
            "source_ids": several([claim["source_id"], *(name for ids in matching["source_ids"] for name in ids)]),
            "verdict": HOLDS if len(within) else missed,
        }  # fmt: skip
        rows.append(row)
    added = ["stated_low", "stated_high", "gain_low", "gain_high", "other_low", "other_high", "pairs", "sizes"]
    added += ["other_sizes", "source_ids", "verdict"]
    return pd.DataFrame(rows, columns=[*stated, *added])


def _of_one_target(new: Records, old: Records) -> tuple[Row, Row]:
    """The fastest row of each, of the highest accuracy target that both have; of any where they share none."""
    shared = {row["accuracy_target"] for row in new} & {row["accuracy_target"] for row in old}
    target = max(shared, key=lambda name: float(name or 0), default=None)
    of_target = ([row for row in side if target in (None, row["accuracy_target"])] for side in (new, old))
    return tuple(max(side, key=rate) for side in of_target)


def _pair(new: Row, old: Row) -> Row:
    shared = {name: new[name] for name in ("accelerator", "submitter", "accelerator_count", "accuracy_target")}
    runs = {name: new[name] for name in ("precision", "system")}
    runs |= {f"earlier_{name}": old[name] for name in ("precision", "system")}
    return shared | runs | ratio(new, old).columns("gain") | {
        "earlier": old["round"], "later": new["round"], "rounds": (old["round"], new["round"]),
        "source_ids": several([old["source_id"], new["source_id"]]), "notes": own_notes(new, old),
    }  # fmt: skip
