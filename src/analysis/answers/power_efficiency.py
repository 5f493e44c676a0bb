"""The words of the power efficiency report, from frames of power.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.answers.words import counted, listed, plural, ranged, span
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.notes import apart, carried, note, of_rows, without
from analysis.core.vocabulary import TOKENS, round_age
from analysis.themes import power

CAPPED = {True: "power-capped", False: "without a cap"}


def energy(rows: pd.DataFrame, baseline: str, topic: str, work: str) -> Finding:
    """Joules and dollars of the most efficient system of the newest metered round, beside the baseline's.

    `rows` are those of power.energy, `work` what is counted (`token`, `sample`, `query`). A meter goes before printed
    figures. Where the baseline itself is the most efficient, the next accelerator stands beside it. No ratio is taken:
    each side says of which round it is, whether it was capped, and of how many accelerators where they differ.
    """
    unit = f"US dollars per million {plural(work)}, with the overhead of the building"
    if rows.empty:
        return nothing("energy_price", unit, f"No power submission of {topic} is comparable: its energy is not known.")
    best = power.most_efficient(power.newest(rows))
    own = rows["accelerator"].eq(baseline)
    second = rows[~own if best["accelerator"] == baseline else own]
    both = pd.DataFrame([best, *([power.most_efficient(power.newest(second))] if len(second) else [])])
    known = [_known_from(row, both, rows) for _, row in both.iterrows()]
    spent = f"{best['accelerator']} takes {ranged(best, 'joules')} joules per {work} at the wall"
    spent += known[0] if known[0] != known[-1] or len(both) == 1 else ""
    if len(both) > 1:
        spent += f", {both.iloc[1]['accelerator']} {ranged(both.iloc[1], 'joules')}{known[1]}"
    price = " against ".join(ranged(row, "usd_per_million") for _, row in both.iterrows())
    alone = len(both) == 1 and best["accelerator"] != baseline
    beside = f"; no power submission of {baseline} is there to set beside it" if alone else ""
    sentence = f"On {topic}, {spent}; a million {plural(work)} cost {price} US dollars of electricity{beside}."
    warned = of_rows(both) | apart([best["round"]], both["round"].iloc[1:])
    return Finding("energy_price", span(best, "usd_per_million"), unit, sentence, cited(both), warned)


def energy_in_other_scenario(rows: pd.DataFrame, baseline: str, topic: str, work: str) -> Finding:
    """The price of energy in the other scenario."""
    return replace(energy(rows, baseline, topic, work), name="energy_price_in_the_other_scenario")


def ratio(rows: pd.DataFrame, baseline: str, topic: str) -> Finding:
    """How much more work per joule an accelerator gives than the baseline, or the baseline than it, of like runs.

    `rows` are those of power.ratios: of one round, where any is, else of the newest, the one furthest from 1.
    """
    unit = "times the work per joule of another accelerator, in runs that are alike"
    if rows.empty:
        why = (
            f"No power submission on {topic} sets another accelerator beside a run of {baseline} that is like it: as "
            "many accelerators, both power-capped or neither."
        )
        return nothing("work_per_joule", unit, why)
    first = rows.iloc[0]
    nearest = rows[rows["round"].eq(first["round"]) & rows["round_base"].eq(first["round_base"])]
    best = nearest.loc[np.log(interval.of(nearest, "ratio").middle).abs().idxmax()]
    times = interval.of(best, "ratio")
    first, second, rounds = best["accelerator"], baseline, (best["round"], best["round_base"])
    of = best["systems"], best["systems_base"]
    if times.middle < 1:
        times, first, second = interval.Interval(1.0, 1.0) / times, baseline, best["accelerator"]
        rounds, of = rounds[::-1], of[::-1]
    when = f"official {rounds[0]}" if rounds[0] == rounds[1] else f"official {rounds[0]} against {rounds[1]}"
    sentence = (
        f"Like with like on {topic}, {first} does {times.text(2)} times the work per joule of {second}: "
        f"{best['accelerator_count']} of each, {CAPPED[bool(best['power_capped'])]} ({when}; best of "
        f"{counted(of[0], 'system')} and of {of[1]})."
    )
    value = interval.Interval(float(times.low), float(times.high))
    warned = without(best["notes"], "different_rounds") | apart([rounds[0]], [rounds[1]])
    return Finding("work_per_joule", value, unit, sentence, cited(best), warned)


def record(rounds: pd.DataFrame) -> Finding:
    """The newest round with power submissions, and the newer ones that have none; `rounds` are of power.by_round."""
    unit = "power submissions in the newest round that has any"
    held = rounds[rounds["results"].gt(0)]
    if held.empty:
        return nothing("newest_power", unit, "The record at hand holds no power submission.")
    newest = held.iloc[0]
    newer = [name for name in rounds["round"] if round_age(name) > round_age(newest["round"])]
    none = f"There is no power submission in {listed(newer)}; the" if newer else "The"
    sentence = (
        f"{none} newest are the {counted(newest['results'], 'result')} of {newest['round']}, and {len(held)} of "
        f"{counted(len(rounds), 'round')} at hand have some."
    )
    return Finding("newest_power", exactly(int(newest["results"])), unit, sentence)


def over_rounds(rows: pd.DataFrame, topic: str, work: str) -> Finding:
    """The least energy of each round, from the oldest to the newest; `rows` are those of power.history."""
    unit = f"joules per {work} at the wall, in the newest round"
    runs = rows[rows["power_capped"].astype(bool)]
    runs = runs if len(runs) else rows
    if runs.empty:
        return nothing("energy_over_rounds", unit, f"No round has a power submission of {topic} of a full system.")
    first, last, least = runs.iloc[-1], runs.iloc[0], runs.loc[interval.of(runs, "joules").middle.idxmin()]
    sentence = f"On {topic} the best {CAPPED[bool(last['power_capped'])]} system takes {_at(last, work)}"
    sentence += f", {_at(first)}" * (len(runs) > 1)
    sentence += f" and least, {_at(least)}" * (least["round"] not in (first["round"], last["round"]))
    own = pd.DataFrame([first, last, least]).drop_duplicates("round")
    warned = of_rows(own) | apart([last["round"]], [first["round"]])
    return Finding("energy_over_rounds", span(last, "joules"), unit, f"{sentence}.", cited(own), warned)


def implied(rows: pd.DataFrame) -> Finding:
    """Whether the printed throughput per watt holds the measured watts, and how wide its rounding leaves them."""
    unit = "printed efficiencies whose implied watts hold the measured watts"
    judged = rows[rows["holds"].notna()]
    if judged.empty:
        return nothing("implied_watts_hold", unit, "No printed efficiency can be set beside measured watts here.")
    holds = int(judged["holds"].sum())
    widest = judged.loc[(judged["implied_watts_high"] / judged["implied_watts_low"]).idxmax()]
    sentence = (
        f"Printed throughput per watt is rounded so far that the system's watts stay open: {_system(widest)} could "
        f"draw {ranged(widest, 'implied_watts')} W on {widest['benchmark']} {widest['scenario']}, and the measured "
        f"watts lie within what was printed in {holds} of {len(judged)} cases."
    )
    return Finding("implied_watts_hold", exactly(holds), unit, sentence, cited(judged), of_rows(judged))


def capped(rows: pd.DataFrame) -> Finding:
    """What power-capped runs of the newest round keep of the throughput of their submitter's own performance runs.

    `rows` are those of power.capped; where none of them was capped, what power runs keep.
    """
    unit = "throughput of power runs over that of performance runs of the same submitter and size"
    paired = rows.dropna(subset=["share_low"])
    if paired.empty:
        why = "No submitter has both a power and a performance submission of one size here."
        return nothing("capped_share", unit, why)
    capped = paired["power_capped"].astype(bool)
    own = power.of_newest_round(paired[capped] if capped.any() else paired)
    every = rows[rows["round"].eq(own["round"].iloc[0])]
    kind, every = ("Power-capped", every[every["power_capped"].astype(bool)]) if capped.any() else ("Power", every)
    least = own.loc[own["share_low"].idxmin()]
    share = span(own, "share")
    sentence = (
        f"{kind} runs of {least['round']} keep {share.text(2)} of the throughput of their submitter's own performance "
        f"runs ({own['system_key'].nunique()} of {counted(every['system_key'].nunique(), 'system')}, {len(own)} of "
        f"{counted(len(every), 'run')}), {least['benchmark']} on {least['accelerator']} least."
    )
    return Finding("capped_share", share, unit, sentence, cited(own), of_rows(own))


def limits(rows: pd.DataFrame, known: pd.DataFrame) -> Finding:
    """What whole systems of the newest round draw, and that over the limits of their accelerators where they are known.

    `rows` are metered rows with `rate_unit`, `known` those of power.beside_limits. Of language models, where there are
    any: they load a system most. Of the accelerator with most systems, of one size.
    """
    unit = "kilowatts at the wall of a whole system"
    metered = rows[rows["power_watts_low"].notna()]
    if metered.empty:
        return nothing("system_kilowatts", unit, "No measured watts are comparable: what a system draws is not known.")
    own = _leading(metered)
    kilowatts = span(own, "power_watts") / 1000
    first = own.iloc[0]
    what = "On language models systems" if own["rate_unit"].eq(TOKENS).all() else "Systems"
    beside = known[known["id"].isin(own["id"])]
    limit = ""
    if len(beside):
        scope = "" if len(beside) == len(own) else f" ({len(beside)} of {len(own)} results)"
        whose = listed(_LIMIT[basis] for basis in beside["limit_basis"])
        limit = f", {span(beside, 'of_limits').text(2)} times the {whose} of their accelerators{scope}"
    sentence = (
        f"{what} of {first['accelerator_count']} {first['accelerator']} draw {kilowatts.text()} kW at the wall "
        f"({first['basis']}, {counted(len(own), 'result')} of {counted(own['system_key'].nunique(), 'system')}){limit}."
    )
    warned = of_rows(own) | ({note("unofficial_ratio")} if limit else set())
    return Finding("system_kilowatts", kilowatts, unit, sentence, cited(own), warned)


def by_energy(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `from_print` and `cap` (in words), those of a meter first, the least energy first by its middle."""
    marked = rows.assign(
        from_print=rows["efficiency_basis"].ne(power.MEASURED),
        middle=interval.of(rows, "joules").middle,
        cap=["power-capped" if capped else "" for capped in rows["power_capped"]],
    )
    return marked.sort_values(["from_print", "middle"], kind="stable").drop(columns="middle")


def implied_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `what`, the words by which a figure names them."""
    words = [f"{row['benchmark']}, {_system(row)}" for row in rows.to_dict("records")]
    return rows.assign(what=pd.Series(words, index=rows.index, dtype="str"))


def capped_rows(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """The first of the rows that have a share, the greatest loss first; `told` is the round and of what it is a range.

    Capped runs alone, where there are any.
    """
    paired = rows.dropna(subset=["share_low"])
    own = paired[paired["power_capped"].astype(bool)]
    own = (own if len(own) else paired).sort_values("share_low", kind="stable").head(most)
    told = [f"{row['round']}, over {counted(row['systems'], 'system')}" for row in own.to_dict("records")]
    return own.assign(told=pd.Series(told, index=own.index, dtype="str"))


def limit_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per benchmark, accelerator, round and kind of limit, the highest ratio first, with its systems."""
    by = ["benchmark", "accelerator", "round", "limit_basis"]
    systems = rows.groupby(by, sort=False)["system_key"].nunique().rename("systems").reset_index()
    spread = interval.hull(rows, by, "of_limits").merge(systems, on=by).merge(carried(rows, by), on=by)
    told = [f"{round}, {basis}" for round, basis in zip(spread["round"], spread["limit_basis"], strict=True)]
    spread = spread.assign(told=pd.Series(told, index=spread.index, dtype="str"))
    return spread.sort_values("of_limits_high", ascending=False, kind="stable")


def history_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of power.history with `cap`, and `told`: the accelerator and of how many systems it is the best."""
    told = [
        f"{row['accelerator']}, best of {row['systems']}" + f" ({row['others']} of another size)" * (row["others"] > 0)
        for row in rows.to_dict("records")
    ]
    cap = [CAPPED[bool(capped)] for capped in rows["power_capped"]]
    return rows.assign(**pd.DataFrame({"cap": cap, "told": told}, index=rows.index, dtype="str"))


_LIMIT = {power.CAP: "caps in force", power.DATASHEET: "datasheet limits"}


def _leading(metered: pd.DataFrame) -> pd.DataFrame:
    """The rows of language models, of the newest basis, of the accelerator and size with most of them."""
    language = metered[metered["rate_unit"].eq(TOKENS)]
    rows = power.of_newest_round(language if len(language) else metered)
    kinds = list(zip(rows["accelerator"], rows["accelerator_count"], strict=True))
    most = max(kinds, key=kinds.count)
    return rows[[kind == most for kind in kinds]]


def _at(row: pd.Series, work: str = "") -> str:
    unit = f" joules per {work}" if work else ""
    return f"{ranged(row, 'joules')}{unit} in {row['round']} ({row['accelerator']}, best of {row['systems']})"


def _system(row: Mapping[str, Any]) -> str:
    return f"{row['accelerator_count']}x {row['accelerator']}"


def _known_from(row: pd.Series, both: pd.DataFrame, rows: pd.DataFrame) -> str:
    """Round, cap and scope of what was metered, or that no meter stands behind a figure."""
    if row["efficiency_basis"] != power.MEASURED:
        return " (from printed throughput per watt)"
    same = rows[rows["basis"].eq(row["basis"]) & rows["accelerator"].eq(row["accelerator"])]
    systems = same["system_key"].nunique()
    size = f"{row['accelerator_count']}x" if both["accelerator_count"].nunique() > 1 else ""
    capped = CAPPED[True] if row["power_capped"] else ""
    best = f"best of {systems} systems" if systems > 1 else ""
    return f" ({', '.join(filter(None, [row['basis'], size, capped, best]))})"
