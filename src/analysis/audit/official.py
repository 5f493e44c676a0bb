"""Compare published results with official ones of the same round, benchmark, scenario, and accelerator."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.audit.verdicts import FOUND, compare, difference, tell
from analysis.published import AGREES, HOLDS, range_text, rank

METRIC = {"throughput": "throughput", "latency": "latency", "power": "throughput", "throughput_per_watt": "throughput"}
SAME_PART = ["vendor", "family", "memory_gb", "memory_bandwidth_gb_per_s"]


def check_results(figures: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Return what official results give for each published throughput, latency, power, and throughput per watt.

    The system is compared where one of its size was submitted, else the rate per accelerator. Of several results the
    nearest counts, those of the submitter and system that the document names before others, and of equally near ones
    those that it cites. Where only the accelerator of another power limit agrees, the figure is conditional.
    """
    cited = figures.query("quantity == 'result_cited'")[["source_id", "subject"]]
    quoted = figures.assign(metric=figures["quantity"].map(METRIC)).dropna(subset="metric")
    pairs = _sized(_pairs(quoted, official))
    agrees = pairs["verdict"].isin(AGREES)
    runs = pd.MultiIndex.from_frame(pairs[["source_id", "result_id"]])
    names_system = [name != "" and name in full for name, full in pairs[["system", "system_official"]].to_numpy()]
    order = {  # of importance
        "submitter": pairs["submitter"].ne("") & pairs["submitter"].eq(pairs["submitter_official"]),
        "system": names_system,
        "place": rank(pairs["verdict"]).where(agrees, 0),
        "cited": agrees & runs.isin(pd.MultiIndex.from_frame(cited)),
    }
    nearness = pd.DataFrame(order, pairs.index).astype(int) @ [100, 50, 2, 1]
    pairs = pairs[nearness.eq(nearness.groupby([pairs["id"], pairs["other_part"]]).transform("max"))]
    return pd.concat([_found(pairs), _missing(quoted[~quoted["id"].isin(pairs["id"])], official)], ignore_index=True)


def name_variants() -> pd.DataFrame:
    """Return what each accelerator name may mean (accelerator, submitted, other_part).

    A name covers itself and its variants; `other_part` marks those that differ in nothing but the power limit.
    """
    pairs = tables.accelerators.merge(tables.accelerators, how="cross", suffixes=("", "_other"))
    covers = pairs.eval("label == label_other or variant_of_other == accelerator")
    alike = pairs.eval(" and ".join(f"{name} == {name}_other" for name in SAME_PART))
    pairs = pairs.assign(other_part=~covers)[covers | alike]
    return pairs[["label", "label_other", "other_part"]].set_axis(["accelerator", "submitted", "other_part"], axis=1)


def complete(official: pd.DataFrame) -> set[str]:
    """Return the rounds whose closed results are all in the data."""
    counts = official.loc[official["division"].eq("closed"), "round"].value_counts()
    published = tables.rounds.set_index("round")["closed_results"]
    return set(published.index[published.le(counts.reindex(published.index))])


def _pairs(quoted: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Return every figure beside every official result that it may be about, with `expected` in the figure's unit."""
    rows = official[official["duplicate_of"].eq("")].rename(columns={"accelerator": "submitted"})
    pairs = quoted.merge(name_variants(), how="left", on="accelerator")
    pairs["submitted"] = pairs["submitted"].fillna(pairs["accelerator"])  # of a name without a datasheet
    pairs["other_part"] = pairs["other_part"].eq(True)
    same = ["metric", "benchmark", "round", "submitted", "power_measured"]
    pairs = pairs.merge(rows, on=same, suffixes=("", "_official"))
    either = tables.benchmarks.query("targets_share_run")["benchmark"]
    pairs["accuracy_target"] = pairs["accuracy_target"].mask(pairs["benchmark"].isin(either), "")
    fits = pairs["division"].replace("", "closed").eq(pairs["division_official"])
    for name in ("scenario", "precision", "accuracy_target"):
        unstated = pairs[f"{name}_official"].eq("") & (name != "scenario")
        fits &= pairs[name].eq("") | unstated | pairs[name].eq(pairs[f"{name}_official"])
    rate = pairs["tokens_per_second"].where(pairs["unit"].str.startswith("tokens"), pairs["samples_per_second"])
    rate = rate.fillna(pairs["value"].where(pairs["unit"].eq(pairs["unit_official"])))
    rate = rate.mask(pairs["quantity"].eq("throughput_per_watt"), rate / pairs["power_watts"])
    rate = rate.mask(pairs["quantity"].eq("power"), pairs["power_watts"])
    return pairs.assign(expected=rate, size=pairs["accelerator_count_official"])[fits & rate.notna()]


def _sized(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of equal size; where a figure has none, all of them per accelerator. Each with its verdict."""
    same = pairs.eval("size == accelerator_count and per == 'system'")
    whole = (same & ~pairs["other_part"]).groupby(pairs["id"]).transform("any")
    divisible = pairs.eval("quantity == 'throughput' and accelerator_count > 0")
    pairs = pairs.assign(whole=whole)[(whole & same) | (~whole & divisible)]
    count = pairs["accelerator_count"].where(pairs["per"].eq("system") & ~pairs["whole"], 1)
    expected = pairs["expected"] / pairs["size"].mask(pairs["whole"], 1)
    pairs = pairs.assign(
        expected_low=expected,
        expected_high=expected,
        printed_low=pairs["low"] / count,
        printed_high=pairs["high"] / count,
        unit=pairs["unit"] + np.where(pairs["whole"], "", " per accelerator"),
    )
    return pairs.assign(verdict=compare(pairs))


def _found(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row per figure, compared with all its pairs together; conditional where only `other_part` agrees."""
    groups = pairs.groupby(["id", "other_part"], sort=False)
    found = groups.first().assign(
        expected_low=groups["expected_low"].min(),
        expected_high=groups["expected_high"].max(),
        ids=groups["result_id"].agg(lambda ids: names.listed(ids, 3)),
        parts=groups["submitted"].agg(lambda names: " and ".join(dict.fromkeys(names))),
        sizes=groups["size"].agg(lambda sizes: "/".join(f"{size:g}x" for size in sorted(set(sizes)))),
    )
    found = found.assign(verdict=compare(found), check="official").reset_index()
    found["check"] = found["check"].where(found["whole"], "official per accelerator")
    found["ids"] = found["ids"].where(found["ids"].ne(""), found["round"])
    found = found.assign(text=range_text(found["expected_low"], found["expected_high"], 5), off=difference(found))
    found["record"] = tell(found, "{text} {unit} ({sizes} {parts}, {ids})")
    found["reason"] = tell(found, "Official: {record}{off}.")
    named, other = (found[found["other_part"].eq(flag)].set_index("id") for flag in (False, True))
    contradicted = named.query("verdict == 'contradicted'")["record"].rename("named")
    other = other[other["verdict"].isin(HOLDS)].join(contradicted, how="inner")
    other["how"] = np.where(other["verdict"].isin(AGREES), "Holds", "Within 5%")
    other["reason"] = tell(other, "{how} only for {parts}: {record}; the accelerator named: {named}.")
    return pd.concat([named.drop(other.index), other.assign(verdict="conditional")]).reset_index()[FOUND]


def _missing(rows: pd.DataFrame, official: pd.DataFrame) -> pd.DataFrame:
    """Return the verdict on figures without an official result: contradicted where their round is complete."""
    elsewhere = rows.merge(official, on=["round", "benchmark", "scenario", "accelerator", "metric"])["id_x"]
    absent = rows["round"].isin(complete(official)) & ~rows["id"].isin(elsewhere)
    words = tell(rows, "The complete {round} results have no closed result of {model} {scenario} on {accelerator}.")
    return rows.assign(
        check="official",
        verdict=np.where(absent, "contradicted", "no official result"),
        printed_low=rows["low"],
        printed_high=rows["high"],
        record=np.where(absent, "no such result", ""),
        reason=words.where(absent, "Not an MLPerf result: it names no scenario and round."),
    ).reindex(columns=FOUND)
