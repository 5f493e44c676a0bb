"""Throughput per watt, energy and what it costs, from power submissions.

Power submissions are separate runs, often power-capped: their watts belong to their own throughput alone. Watts are
wall power of the whole system within the load window. All functions take comparable rows (see comparability.selection).

Runs are alike where as many accelerators ran, in a suite in common, all power-capped or none: a ratio is of those where
there are any, and says so where there are none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis._core import interval, notes, round_order
from analysis._core.citation import several
from analysis._core.interval import Interval
from analysis._core.round_order import newest_first, of_newest_round
from analysis._core.vocabulary import QUERIES, TOKENS, WORK, same_suite
from analysis.methods import system_properties
from analysis.methods.system_properties import AVAILABLE, USUAL_SIZE, kind

JOULES_PER_KILOWATT_HOUR = 3.6e6
MEASURED, PRINTED = "measured watts", "printed per watt"
CAP, DATASHEET = "cap in force", "datasheet"  # what a limit of power is known from
PAIR = ["benchmark", "scenario", "round", "accelerator", "accelerator_count"]
RUN = [*PAIR, "submitter", "system_key", "power_capped"]
OF_SIDES = ["precision", "tokens_per_sample", "unit"]  # what a ratio says of both sides
PAIRED = [*RUN, "system", "accuracy_target", "unit", "as_printed_low", "as_printed_high", "per_accelerator_low"]
PAIRED += ["per_accelerator_high", "power_watts_low", "power_watts_high", "source_id", "notes"]


def efficiency(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `efficiency_low/high` (their rate unit per watt), from measured watts, else as printed per watt.

    `efficiency_basis` says which, MEASURED or PRINTED. Rows with neither are left out.
    """
    watts = interval.of(rows, "rate") / interval.of(rows, "power_watts")
    printed = interval.of(rows, "per_watt") * (rows["rate_low"] / rows["low"])  # scaled as the printed rate was
    measured = rows["power_watts_low"].notna()
    basis = measured.map({True: MEASURED, False: PRINTED})
    rated = interval.put(rows, "efficiency", interval.where(measured, watts, printed)).assign(efficiency_basis=basis)
    return rated[rated["efficiency_low"].notna()]


def nodes(rows: pd.DataFrame) -> pd.DataFrame:
    """The most efficient system of each accelerator, with a power cap and without one: most work per watt first.

    `rows` are those of `efficiency`. An accelerator that the record metered has no printed figures here. A system is
    the best of its kind (system_properties.alike): available, of the usual size where there is one, of the newest round
    that metered one. Added column: `systems`, how many it is the best of.
    """
    by, recorded = ["accelerator", "power_capped"], _of_record(rows)
    rows = rows[recorded | ~recorded.groupby(rows["accelerator"]).transform("any").astype(bool)]
    # Rows have scores of columns, each of which is copied where rows are chosen.
    facts = rows.filter(dict.fromkeys([*by, *system_properties.READ, *system_properties.LIMITED]))
    comparable = [system_properties.alike(part).index for _, part in facts.groupby(by, sort=False)]
    return _best(rows.loc[[label for labels in comparable for label in labels]], by).reset_index(drop=True)


def leader(best: pd.DataFrame) -> pd.Series:
    """Of `nodes`, of which there must be one, the most efficient of the newest round that the record metered.

    Of those of the usual size where the round has any, of printed figures where nothing was metered.
    """
    newest = of_newest_round(system_properties.narrowed(best, _of_record(best)))
    return system_properties.narrowed(newest, newest["accelerator_count"].eq(USUAL_SIZE)).iloc[0]


def lead(best: pd.DataFrame, ratios: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return the row of `ratios` that compares the leader of `nodes` with the baseline, or no row without one.

    Where the baseline itself leads, the best other accelerator of the newest round. The more efficient side comes
    first, so that the ratio is 1 or more; columns as of `ratios`. Of two precisions a note says what the ratio of
    tokens is in samples.
    """
    if best.empty or ratios.empty:
        return ratios.head(0)
    leading = leader(best)["accelerator"]
    pairs = ratios[ratios["accelerator"].eq(leading)] if leading != baseline else of_newest_round(ratios)
    pair = pairs.loc[interval.of(pairs, "ratio").middle.nlargest(1).index]
    if interval.of(pair, "ratio").middle.lt(1).any():
        sides = {name: f"{name}_base" for name in ("accelerator", "round", "power_capped", "systems", *OF_SIDES)}
        pair = pair.rename(columns=sides | {base: name for name, base in sides.items()})
        pair = interval.put(pair, "ratio", interval.of(pair, "ratio").inverse)
    return pair.assign(notes=[notes.union([row["notes"], _in_samples(row)]) for row in pair.to_dict("records")])


def most_metered(rows: pd.DataFrame, language: Collection[str]) -> pd.DataFrame:
    """Return the rows with measured watts of the accelerator and size that the newest round metered most often.

    Of the benchmarks `language` (language models, see benchmark_rules) where any is there: they load a system most.
    """
    metered = rows[rows["power_watts_low"].notna()]
    metered = of_newest_round(system_properties.narrowed(metered, metered["benchmark"].isin(language)))
    systems = metered.groupby(["accelerator", "accelerator_count"], sort=False)["power_watts_low"].transform("size")
    commonest = metered[systems.eq(systems.max())].head(1)
    return metered.merge(commonest[["accelerator", "accelerator_count"]])


def system_kilowatts(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what systems draw by benchmark, accelerator and round: the newest round and the most kilowatts first.

    `rows` are those of `limits`, of one system size. Columns: benchmark, accelerator, round, kilowatts_low/high,
    of_limits (the highest ratio to the summed power limits; NaN where no limit is known), software, system, submitter,
    basis and source_id of the first system, notes.
    """
    by, facts = ["benchmark", "accelerator", "round"], ["software", "system", "submitter", "basis", "source_id"]
    rows = interval.put(rows, "kilowatts", interval.of(rows, "power_watts") / 1000)
    groups = rows.assign(software=system_properties.software(rows)).groupby(by, sort=False)
    spread = groups.agg(
        kilowatts_low=("kilowatts_low", "min"),
        kilowatts_high=("kilowatts_high", "max"),
        of_limits=("of_limits_high", "max"),
        **{name: (name, "first") for name in facts},
        notes=("notes", notes.union),
    )
    return newest_first(spread.reset_index().sort_values("kilowatts_high", ascending=False, kind="stable"))


def ratios(rows: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """The work per joule of each accelerator over that of `baseline`, in runs of the official record.

    The best system of each side, of rows of `efficiency`, both of as many accelerators and of a suite in common. Both
    power-capped or neither, where there are two such runs: of one round, the newest that has both, else of two, the
    newest of either. Only where none are alike is a capped run set against one without a cap, which the columns
    power_capped and power_capped_base say. Those of one round first, then the newest. Further columns: accelerator,
    accelerator_count, round and round_base, ratio_low/high, systems and systems_base (how many of that kind the best
    is the best of), ids (of both rows), source_ids, notes, and OF_SIDES of both sides. No row for an accelerator
    without a run as large as one of the baseline's.
    """
    best = _best(rows[_of_record(rows)], ["round", "accelerator", "suite", "accelerator_count", "power_capped"])
    of_baseline = best["accelerator"].eq(baseline)
    pairs = best[~of_baseline].merge(best[of_baseline], on="accelerator_count", suffixes=("", "_base"))
    suites = zip(pairs["suite"], pairs["suite_base"], strict=True)
    pairs = pairs[np.array([same_suite(*pair) for pair in suites], "bool")]
    closeness = pd.DataFrame({
        "one_cap": pairs["power_capped"].eq(pairs["power_capped_base"]),
        "one_round": pairs["round"].eq(pairs["round_base"]),
        "age": round_order.of(pairs["round"]),
        "age_base": round_order.of(pairs["round_base"]),
    })  # fmt: skip
    closest = closeness.sort_values(list(closeness), ascending=False, kind="stable").index
    pairs = pairs.loc[closest].drop_duplicates("accelerator").reset_index(drop=True)
    pairs = interval.put(pairs, "ratio", interval.of(pairs, "efficiency") / interval.of(pairs, "efficiency", "_base"))
    rounds, sources, ids = (
        zip(pairs[name], pairs[f"{name}_base"], strict=True) for name in ("round", "source_id", "id")
    )
    crossed = [notes.apart([round], [base_round]) for round, base_round in rounds]
    pairs = pairs.assign(
        accelerator_base=baseline,
        ids=list(ids),
        source_ids=list(map(several, sources)),
        notes=notes.beside(pairs["notes"], pairs["notes_base"], crossed),
    )
    columns = ["accelerator", "accelerator_base", "accelerator_count", "power_capped", "power_capped_base", "round"]
    columns += ["round_base", "ratio_low", "ratio_high", "systems", "systems_base", "ids", "source_ids", "notes"]
    return pairs[[*columns, *OF_SIDES, *(f"{name}_base" for name in OF_SIDES)]]


def history(rows: pd.DataFrame) -> pd.DataFrame:
    """The least energy of each round, power-capped and not, newest round first: available systems of the usual size.

    `rows` are those of `efficiency`, of one benchmark and all its rounds. Columns: round, power_capped, accelerator,
    joules_low/high (per unit of work), systems (how many the best is the best of), others (metered systems of the round
    that are capped alike and of another size, or not available), source_ids, notes.
    """
    by, recorded = ["round", "power_capped"], rows[_of_record(rows)]
    is_shown = recorded["accelerator_count"].eq(USUAL_SIZE) & kind(recorded).eq(AVAILABLE)
    metered = recorded.groupby(by)["system_key"].nunique().rename("metered")
    best = _best(recorded[is_shown], by).join(metered, on=by)
    best = interval.put(best, "joules", interval.of(best, "efficiency").inverse)
    best = best.assign(others=best["metered"] - best["systems"], source_ids=[(name,) for name in best["source_id"]])
    columns = ["round", "power_capped", "accelerator", "joules_low", "joules_high", "systems", "others"]
    best = newest_first(best.sort_values("power_capped", ascending=False, kind="stable"))
    return best[[*columns, "source_ids", "notes"]].reset_index(drop=True)


def submissions(
    results: pd.DataFrame, origins: Sequence[str], rounds: Sequence[str], benchmark: str = ""
) -> pd.DataFrame:
    """Every power submission of these origins, rounds and benchmark (empty: all), of whatever scenario and division.

    Result rows, each once, the newest round first, with `joules_low/high` per unit of `work` (query, sample or token,
    in the row's own unit): watts over the rate or, where a stream has a latency and no rate, the energy per query that
    was published.
    """
    asked = results["power_measured"] & results["duplicate_of"].eq("") & results["origin"].isin(origins)
    asked &= results["benchmark"].eq(benchmark) | (benchmark == "")
    rows = results[asked & (results["round"].isin(rounds) | (not rounds))]
    stream = rows["energy_millijoules_per_query"] / 1000
    joules = interval.of(rows, "power_watts") / interval.of(rows)
    metered = rows["power_watts_low"].notna() & rows["metric"].eq("throughput")
    joules = interval.where(metered, joules, Interval(stream, stream))
    work = rows["unit"].map(WORK).fillna(WORK[QUERIES])
    return newest_first(interval.put(rows, "joules", joules).assign(work=work))


def by_round(results: pd.DataFrame) -> pd.DataFrame:
    """How many power submissions a comparison could take from each round of the record, newest first: round, results.

    They are data-center results of the closed division whose watts are known.
    """
    record = results["origin"].eq("official") & results["duplicate_of"].eq("")
    usable = results["power_measured"] & results["power_watts_low"].notna() & results["division"].eq("closed")
    usable &= results["suite"].str.contains("datacenter")
    counts = usable[record].groupby(results["round"]).sum().astype("int64").rename("results")
    return newest_first(counts.reset_index()).reset_index(drop=True)


def implied_watts(rows: pd.DataFrame) -> pd.DataFrame:
    """The system watts that a printed throughput and throughput per watt imply, for the rows that print both.

    Added columns: implied_watts_low/high (watts), measured_watts_low/high (watts of the official row of the same
    benchmark, scenario, accelerator and count; NaN where there is none), holds (the measured watts lie within).
    """
    printed = rows[rows["per_watt_low"].notna()]
    printed = interval.put(printed, "implied_watts", interval.of(printed, "") / interval.of(printed, "per_watt"))
    official = rows[rows["origin"].eq("official") & rows["power_watts_low"].notna()]
    measured = interval.hull(official, PAIR, "power_watts").drop(columns="count")
    names = {"power_watts_low": "measured_watts_low", "power_watts_high": "measured_watts_high"}
    beside = printed.merge(measured.rename(columns=names), on=PAIR, how="left")
    holds = interval.of(beside, "implied_watts").overlaps(interval.of(beside, "measured_watts"))
    return beside.assign(holds=holds.mask(beside["measured_watts_low"].isna()).astype("boolean"))


def energy(rows: pd.DataFrame, usd_per_kilowatt_hour: float, power_usage_effectiveness: float) -> pd.DataFrame:
    """Energy, its price and what a megawatt does, for rows of `efficiency`.

    Added columns: joules_low/high (per token, sample or query: the inverse of the rate per watt, at the wall),
    usd_per_million_low/high: joules x 1e6 / 3.6e6 x price x PUE (US dollars per million of that unit),
    per_megawatt_low/high (the rate that a megawatt of machines reaches: rate per watt x 1e6) and
    per_building_megawatt_low/high (that of a megawatt of the building: over the PUE).
    """
    efficient = interval.of(rows, "efficiency")
    joules = efficient.inverse
    price = 1e6 / JOULES_PER_KILOWATT_HOUR * usd_per_kilowatt_hour * power_usage_effectiveness
    spent = interval.put(interval.put(rows, "joules", joules), "usd_per_million", joules * price)
    spent = interval.put(spent, "per_megawatt", efficient * 1e6)
    return interval.put(spent, "per_building_megawatt", efficient * 1e6 / power_usage_effectiveness)


def capped(power_rows: pd.DataFrame, performance_rows: pd.DataFrame) -> pd.DataFrame:
    """The power submissions of the record beside performance submissions of the same submitter and size.

    One row per metered system, benchmark and scenario, newest round first: columns of RUN, system, watts_low/high,
    share_low/high (its throughput over that of the submitter's own performance runs in that round, of the same
    accelerators, as many of them; NaN without one), systems (how many those are), across_low/high and others (the same
    over other submitters' systems), overstated_low/high (the factor by which the performance rate over the power run's
    watts, the mistake, flatters), source_ids, notes.
    """
    metered = power_rows.loc[power_rows["power_watts_low"].notna() & power_rows["origin"].eq("official"), PAIRED]
    unlimited = performance_rows["origin"].eq("official") & ~performance_rows["power_capped"].astype(bool)
    pairs = metered.merge(performance_rows.loc[unlimited, PAIRED], on=PAIR, suffixes=("", "_free"))
    pairs = system_properties.of_one_target(pairs, [*RUN, "system_key_free"], "_free")
    pairs = interval.put(pairs, "share", _over_free(pairs))
    runs = metered.groupby(RUN, sort=False).agg(
        system=("system", "first"), watts_low=("power_watts_low", "min"), watts_high=("power_watts_high", "max"),
        source_ids=("source_id", several), notes=("notes", notes.union),
    )  # fmt: skip
    same_submitter = pairs["submitter"].eq(pairs["submitter_free"])
    for name, others, beside in (
        ("share", "systems", pairs[same_submitter]),
        ("across", "others", pairs[~same_submitter]),
    ):
        of_run = beside.groupby(RUN, sort=False)
        ends = {f"{name}_{end}": of_run[f"share_{end}"].agg(pick) for end, pick in (("low", "min"), ("high", "max"))}
        counted = of_run["system_key_free"].nunique().reindex(runs.index, fill_value=0)
        runs = runs.join(pd.DataFrame(ends)).assign(**{others: counted})
    free = pairs[same_submitter].groupby(RUN)["notes_free"].agg(notes.union).reindex(runs.index)
    runs["notes"] = notes.beside(runs["notes"], [kept if kept == kept else notes.NONE for kept in free])
    runs = interval.put(runs, "overstated", interval.of(runs, "share").inverse)
    return newest_first(runs.reset_index())


def stated_limits(rows: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """Return official results at a stated power limit below the default, without measured power, beside the default.

    One row per such result and run of the same submitter, accelerator, count, round, scenario, and accuracy target at
    the default limit, the newest round first: the columns of the limited result, share_low/high (its throughput over
    that of the other), limit_share (its limit over the default of the datasheet), default_w, system_free.
    """
    unmetered = rows[rows["origin"].eq("official") & ~rows["power_measured"].astype(bool)]
    is_capped = unmetered["power_capped"].astype(bool)
    limited = unmetered[is_capped & unmetered["power_limit_watts"].notna()]
    names = ["system", "per_accelerator_low", "per_accelerator_high"]
    free = unmetered.loc[~is_capped, [*PAIR, "submitter", "accuracy_target", *names]]
    pairs = limited.merge(free, on=[*PAIR, "submitter", "accuracy_target"], suffixes=("", "_free"))
    default = pairs["accelerator"].map(accelerators.set_index("accelerator")["power_limit_w"]).astype("float64")
    share = interval.of(pairs, "per_accelerator") / interval.of(pairs, "per_accelerator", "_free")
    pairs = interval.put(pairs, "share", share)
    return newest_first(pairs.assign(default_w=default, limit_share=pairs["power_limit_watts"] / default))


def limits(rows: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """The metered rows with the limit of power of each of their accelerators: limit_w (watts), limit_basis.

    of_limits_low/high are the measured wall watts of the system over the summed limits of its accelerators (a ratio,
    unofficial: the wall also feeds processors, memory, fans and power supplies).

    The cap in force (CAP) where the row states it (`power_limit_watts`), else what the datasheet says (DATASHEET). Of a
    power-capped row whose cap is not known there is no limit: NaN, and "" for what it is known from.
    """
    metered = rows[rows["power_watts_low"].notna()]
    stated = metered.get("power_limit_watts", pd.Series(np.nan, index=metered.index)).astype("float64")
    datasheet = metered["accelerator"].map(accelerators.set_index("accelerator")["power_limit_w"]).astype("float64")
    limit = stated.fillna(datasheet.mask(metered["power_capped"].astype(bool)))
    known_from = np.select([stated.notna(), limit.notna()], [CAP, DATASHEET], "")
    of_limits = interval.of(metered, "power_watts") / (limit * metered["accelerator_count"].astype("float64"))
    basis = pd.Series(known_from, index=metered.index, dtype="str")
    return interval.put(metered, "of_limits", of_limits).assign(limit_w=limit, limit_basis=basis)


def beside_limits(rows: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """The rows of `limits` whose limit is known, the newest round first."""
    return newest_first(limits(rows, accelerators).dropna(subset="limit_w"))


def _of_record(rows: pd.DataFrame) -> pd.Series:
    """Whether the official record metered the row."""
    return rows["origin"].eq("official") & rows["efficiency_basis"].eq(MEASURED)


def _best(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """The most efficient row of each group of `by`, the best first, with `systems`: of how many it is the best."""
    systems = rows.groupby(by)["system_key"].transform("nunique").astype("int64")
    order = interval.of(rows, "efficiency").middle.sort_values(ascending=False, kind="stable").index
    return rows.assign(systems=systems).loc[order].drop_duplicates(by)


def _in_samples(pair: dict[str, Any]) -> notes.Notes:
    """The note of a pair of two precisions whose runs differ in tokens per sample."""
    base = {name: pair[f"{name}_base"] for name in OF_SIDES}
    if not pair["unit"] == base["unit"] == TOKENS:
        return notes.NONE
    return notes.tokens_apart(pair, base, interval.of(pair, "ratio").middle)


def _over_free(pairs: pd.DataFrame) -> Interval:
    """The rate of the power run over the performance run's: as printed where both print one unit, nothing assumed."""
    sides = ("as_printed", "per_accelerator")
    printed, converted = (interval.of(pairs, name) / interval.of(pairs, name, "_free") for name in sides)
    return interval.where(pairs["unit"].eq(pairs["unit_free"]), printed, converted)
