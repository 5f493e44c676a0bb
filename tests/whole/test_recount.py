"""Findings of the reports, computed again from the shipped tables with pandas alone, as docs/method.md says.

Nothing of the package is imported, so that a wrong rule in it is not repeated here. Each report has a function that
takes the parameters of a built page and returns (low, high) by finding, and by `finding.value` for further values.
"""

import json
import re
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

DATA = Path(__file__).parents[2] / "data"
SAMPLES = ["samples/s", "queries/s"]
CLOSE = 1.05  # within 5% a figure is confirmed
NODE = 8  # accelerators of the usual system
RACK = {"GB200": 72, "GB300": 72}
OTHER = {"Offline": "Server", "Server": "Offline", "Interactive": "Offline"}  # scenario of the sensitivity section


@cache
def table(name):
    return pd.read_csv(DATA / f"{name}.csv")


def fact(name, key, column):
    return table(name).set_index(key)[column].to_dict()


def slug(name):
    return re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")


def age(round):
    return tuple(int(part) for part in round.removeprefix("v").split("."))


def in_time(rounds):
    return sorted(set(rounds), key=age)


def newest(rows):
    return rows[rows["round"].eq(in_time(rows["round"])[-1])] if len(rows) else rows


def one(value):
    return float(value), float(value)


def some(number):
    """A count that a page leaves out where it is zero."""
    return one(number) if number else (None, None)


def span(rows):
    return rows["low"].min(), rows["high"].max()


def middle(rows):
    return (rows["low"] * rows["high"]) ** 0.5


def where(rows, is_better):
    """The better rows where there are any, else all."""
    return rows[is_better] if is_better.any() else rows


def fastest(rows):
    return rows.loc[middle(rows).idxmax()]


def over(row, base):
    return row["low"] / base["high"], row["high"] / base["low"]


# Which results are comparable


COLUMNS = ["round", "benchmark", "scenario", "division", "suite", "metric", "availability", "submitter", "machine"]
COLUMNS += ["accelerator", "accelerator_count", "nodes", "accuracy_target", "precision", "duplicate_of", "evidence"]
COLUMNS += ["power_measured", "power_watts_low", "power_watts_high", "power_limit_watts", "recomputed", "tpot_p99_ms"]
COLUMNS += ["tpot_p50_ms", "system"]
COLUMNS += ["samples_per_second", "system_low", "system_high", "low", "high", "capped", "plain", "looser", "version"]
COLUMNS += ["targets_share_run", "latency_ms"]


@cache
def record():
    """Official results, corrected, with throughput per accelerator in the unit of their benchmark as low and high."""
    rows = pd.concat([pd.read_parquet(path) for path in sorted((DATA / "official").glob("*.parquet"))])
    rows = rows.rename(columns={"low": "result_low", "high": "result_high"}).set_index("id", drop=False)
    for fix in table("corrections").query("table == 'official'").fillna("").itertuples():
        rows.loc[fix.key, fix.column] = fix.corrected
    facts = ["benchmark", "compared_in", "server_unit", "offline_unit", "targets_share_run"]
    facts += ["tokens_per_sample_low", "tokens_per_sample_high"]
    rows = rows.reset_index(drop=True).merge(table("benchmarks")[facts], how="left")
    under_load = rows["server_unit"].where(rows["scenario"].ne("Offline"))
    in_tokens = rows["compared_in"].fillna(under_load).fillna(rows["offline_unit"]).eq("tokens/s")
    counted_in_tokens, in_samples = rows["unit"].eq("tokens/s"), rows["unit"].isin(SAMPLES)
    same = (counted_in_tokens & in_tokens) | (in_samples & ~in_tokens)
    least, most = (rows["tokens_per_sample"].fillna(rows[f"tokens_per_sample_{end}"]) for end in ("low", "high"))
    for end, up, down in (("low", least, most), ("high", most, least)):
        unit = np.select([same, in_samples, counted_in_tokens], [1.0, up, 1 / down], np.nan)
        rows[f"system_{end}"] = rows[f"result_{end}"] * unit
        rows[end] = rows[f"system_{end}"] / rows["accelerator_count"]
    limit = rows["accelerator"].map(fact("accelerators", "accelerator", "power_limit_w"))
    folder = rows["location"].str.lower().str.rsplit("/", n=2).str[0]
    rows = rows.assign(
        capped=rows["system"].str.contains("maxq|power.?cap", case=False) | rows["power_limit_watts"].lt(limit),
        virtual=rows["hypervisor"].ne(""),
        looser=looser(rows),
        latency_ms=rows["result_low"],
        submitter=rows["submitter"].str.casefold(),
        machine=rows["round"] + rows["result_id"].where(rows["result_id"].ne(""), folder),
        version=versions(rows),
    )
    rows["plain"] = ~rows["virtual"] & ~(rows["capped"] & ~rows["power_measured"])  # bare metal at its default power
    return rows[COLUMNS].astype({name: "object" for name in COLUMNS if rows[name].dtype == "str"})


def versions(rows):
    """The first round of the version of the benchmark that a result is of."""
    starts = table("compatibility").dropna(subset="benchmark").groupby("benchmark")["since"].agg(list)
    pairs = rows[["benchmark", "round"]].drop_duplicates().itertuples(index=False)
    found = {
        (benchmark, round): max((each for each in starts.get(benchmark, ["v0.5"]) if age(each) <= age(round)), key=age)
        for benchmark, round in pairs
    }
    return pd.Series([found[pair] for pair in zip(rows["benchmark"], rows["round"], strict=True)], rows.index)


def looser(rows):
    """Whether a result has one at a stricter target beside it: same round, accelerator, count, availability."""
    kind = ["benchmark", "scenario", "round", "division", "accelerator", "accelerator_count", "availability"]
    target = pd.to_numeric(rows["accuracy_target"].where(rows["duplicate_of"].eq("") & rows["metric"].eq("throughput")))
    return target.lt(target.groupby([rows[name] for name in [*kind, "power_measured"]]).transform("max"))


@cache
def throughputs():
    rows = record()
    return dict(iter(rows[rows["metric"].eq("throughput")].groupby(["benchmark", "scenario"])))


@cache
def comparable(
    benchmark,
    scenario,
    rounds=(),
    power=False,
    target="",
    mixed=False,
):
    rows = throughputs().get((benchmark, scenario), record().head(0))
    usual = rows.loc[rows["division"].eq("closed") & rows["accuracy_target"].ne(""), "accuracy_target"].mode()
    shared = rows["targets_share_run"].astype(bool) & (target == "")
    rows = rows[rows["round"].isin(rounds)] if rounds else rows
    shared = shared.loc[rows.index]
    return rows[
        rows["duplicate_of"].eq("")
        & rows["version"].isin(newest(rows)["version"])
        & rows["division"].eq("closed")
        & rows["suite"].str.contains("datacenter")
        & rows["power_measured"].eq(power)
        & ~(rows["capped"] & ~rows["power_measured"] & rows["power_limit_watts"].isna())
        & (shared & ~rows["looser"] | ~shared & rows["accuracy_target"].isin(["", target or "".join(usual)]))
        & rows["low"].notna()
        & (rows["accelerator"].ne("mixed") | mixed)
    ]


def every_benchmark(scenario, rounds=()):
    rows = {name: comparable(name, scenario, rounds) for name, each in throughputs() if each == scenario}
    return {name: each for name, each in rows.items() if len(each)}


def available(rows):
    return rows[rows["availability"].eq("available")]


def usual(rows):
    """Of one accelerator the systems of one range: available bare metal of eight, else of the most common size."""
    rows = where(rows, rows["availability"].eq("available") & rows["plain"])
    sizes = rows["accelerator_count"].value_counts()
    return rows[rows["accelerator_count"].eq(NODE if NODE in sizes else sizes.index[0])]


# Speedup


def alike(part, base):
    """The rows of both sides that are of the same kind."""
    part, base = (where(side, side["availability"].eq("available")) for side in (part, base))
    for column, rank in (
        ("plain", bool),
        ("accelerator_count", lambda size: (size == NODE, size)),
    ):
        if shared := set(part[column]) & set(base[column]):
            kind = max(shared, key=rank)
            part, base = part[part[column].eq(kind)], base[base[column].eq(kind)]
    return part, base


def direct(rows, baseline):
    """Each accelerator over the baseline in each round that has both."""
    found = []
    for round, here in rows.groupby("round"):
        base = here[here["accelerator"].eq(baseline)]
        for accelerator, part in here.groupby("accelerator"):
            if len(base) and accelerator != baseline:
                best, base_best = map(fastest, alike(part, base))
                low, high = over(best, base_best)
                found.append((round, accelerator, best["availability"], best["accelerator_count"], low, high))
    return pd.DataFrame(found, columns=["round", "accelerator", "availability", "accelerator_count", "low", "high"])


def ends_of(rows):
    """The fastest and the slowest system."""
    best = rows.loc[middle(rows).groupby(rows["machine"]).idxmax()]
    return [fastest(best), best.loc[middle(best).idxmin()]]


def estimated(rows, round, accelerator, baseline):
    """The cross-round estimate of an accelerator over a baseline that the round lacks."""
    here = rows[rows["round"].eq(round)]
    for other in reversed(in_time(rows["round"])):
        there = rows[rows["round"].eq(other)]
        links = set(here["accelerator"]) & set(there["accelerator"])
        if not links or baseline not in set(there["accelerator"]):
            continue
        part, _ = alike(here[here["accelerator"].eq(accelerator)], here[here["accelerator"].isin(links)])
        ways = []
        for link in links:
            near, far = (side[side["accelerator"].eq(link)] for side in (here, there))
            for submitter in ["", *set(near["submitter"]) & set(far["submitter"])]:
                near_rows, far_rows = (
                    side[side["submitter"].eq(submitter) | (submitter == "")] for side in (near, far)
                )
                far_rows, base = alike(far_rows, there[there["accelerator"].eq(baseline)])
                best, base_best = fastest(part), fastest(base)
                for link_here, link_there in product(ends_of(alike(part, near_rows)[1]), ends_of(far_rows)):
                    first, second = over(best, link_here), over(link_there, base_best)
                    sized = [row["accelerator_count"] for row in (best, link_here, link_there, base_best)]
                    apart = (sized[0] != sized[1]) + (sized[2] != sized[3])
                    ways.append((link, submitter != "", apart, first[0] * second[0], first[1] * second[1]))
        found = pd.DataFrame(ways, columns=["link", "of_one", "apart", "low", "high"])
        found = where(found, found["of_one"])
        least = found[found["apart"].eq(found["apart"].min())]
        return span(least if least["link"].nunique() > 1 else found)
    return None


def leader(found):
    """The answer: of the newest round with the baseline, the fastest of eight where one is faster than the baseline."""
    rows = newest(available(found))
    return rows.loc[[middle(where(rows, rows["accelerator_count"].eq(NODE) & middle(rows).gt(1))).idxmax()]]


def speedup(benchmark, scenario, rounds, accelerator, baseline):
    """An accelerator over the baseline in the newest round that has both, else the estimate for its newest round."""
    rows = comparable(benchmark, scenario, rounds)
    found = direct(rows[rows["accelerator"].isin([accelerator, baseline])], baseline)
    if len(found):
        return newest(found)
    part = newest(rows[rows["accelerator"].eq(accelerator)])
    ends = estimated(comparable(benchmark, scenario), part["round"].iloc[0], accelerator, baseline)
    return part.head(1).assign(low=ends[0], high=ends[1]) if ends else found


def largest_gain(rows):
    """The last over the first round of one accelerator and size, the fastest available bare-metal system of each."""
    rows, found = available(rows[rows["plain"]]), []
    for _, part in rows.groupby(["accelerator", "accelerator_count"]):
        first, last = (fastest(part[part["round"].eq(in_time(part["round"])[end])]) for end in (0, -1))
        found.append(over(last, first))
    return max(found)


def generational_speedup(asked):
    benchmark, scenario, baseline, rounds = (
        asked["benchmark"],
        asked["scenario"],
        asked["baseline"],
        tuple(asked["rounds"]),
    )
    rows, other = (comparable(benchmark, each, rounds) for each in (scenario, OTHER[scenario]))
    others = sorted(set(rows["accelerator"]) - {baseline})
    found = {each: speedup(benchmark, scenario, rounds, each, baseline) for each in others}
    answers = {f"speedup_{slug(each)}": span(row) for each, row in found.items() if len(row)}
    with_baseline = set(rows.loc[rows["accelerator"].eq(baseline), "round"])
    newer = pd.concat(
        [row for row in found.values() if len(row) and row["round"].iloc[0] not in with_baseline] or [rows.head(0)]
    )
    newer = newest(available(newer))
    if len(newer) and age(newer["round"].iloc[0]) > max(map(age, with_baseline)):
        answers["cross_round_estimate"] = fastest(newer)["low"], fastest(newer)["high"]
    for before, after in pairwise(asked["upgrade_path"]):
        step = newest(direct(comparable(benchmark, scenario, rounds), before).query("accelerator == @after"))
        answers |= {f"step_{slug(before)}_to_{slug(after)}": span(step)} if len(step) else {}
    return answers | {
        "over_rounds": largest_gain(rows),
        "fastest": span(leader(direct(rows, baseline))),
        "under_another_choice": span(leader(direct(other, baseline))),
        "rounds_without_baseline": one(len(set(rows["round"]) - with_baseline)),
    }


# Progress


def best_of_each(rows):
    """The best available result of each accelerator in each round."""
    return pd.DataFrame([fastest(usual(part)) for _, part in available(rows).groupby(["round", "accelerator"])])


def software_pairs(rows):
    """Gains of one submitter on one accelerator and count over the round before that has the benchmark."""
    rows = available(rows).assign(middle=middle).sort_values("middle", ascending=False)
    later = dict(pairwise(in_time(rows["round"])))
    rows = rows.assign(later=[later.get(each, "") for each in rows["round"]])
    rows = rows.drop_duplicates([*SAME, "round", "accuracy_target"])
    both = rows.merge(rows, left_on=[*SAME, "round"], right_on=[*SAME, "later"], suffixes=("", "_old"))
    both = both.assign(
        one_target=both["accuracy_target"].eq(both["accuracy_target_old"]),
        target=pd.to_numeric(both["accuracy_target"]).where(both["accuracy_target"].eq(both["accuracy_target_old"])),
        both=both["middle"] * both["middle_old"],
    )
    both = both.sort_values(["one_target", "target", "both"], ascending=False).drop_duplicates([*SAME, "round"])
    pairs = pd.DataFrame(
        {"later": both["round"], "low": both["low"] / both["high_old"], "high": both["high"] / both["low_old"]}
    )
    return pairs.assign(gain=middle(pairs))


SAME = ["accelerator", "submitter", "accelerator_count", "plain"]


def taken_apart(rows):
    """Each step between the best results of two rounds: total, software gain (NaN without pairs), and new hardware."""
    best, pairs = best_of_each(rows), software_pairs(rows)
    lead = {round: fastest(part) for round, part in best.groupby("round")}
    steps = []
    for earlier, later in pairwise(in_time(best["round"])):
        low, high = over(lead[later], lead[earlier])
        gain = pairs.loc[pairs["later"].eq(later), "gain"].median()
        is_new = lead[later]["accelerator"] not in set(best.loc[best["round"].eq(earlier), "accelerator"])
        total = (low * high) ** 0.5
        steps.append((later, total, gain, is_new and not np.isnan(gain), total / gain if gain > 0 else total))
    return pd.DataFrame(steps, columns=["later", "total", "software", "is_new", "rest"])


def progress(asked):
    benchmark, scenario, rounds = asked["benchmark"], asked["scenario"], tuple(asked["rounds"])
    steps, other, long = (
        taken_apart(comparable(name, each, rounds))
        for name, each in ((benchmark, scenario), (benchmark, OTHER[scenario]), (asked["history"], scenario))
    )
    every = every_benchmark(scenario, rounds).items()
    every = pd.concat([software_pairs(rows).assign(benchmark=name) for name, rows in every])
    by_step = every.groupby(["benchmark", "later"])["gain"].median()
    here = software_pairs(comparable(benchmark, scenario, rounds))
    best = best_of_each(comparable(benchmark, scenario, rounds))
    answers = {
        "software_alone.software": one(steps["software"].prod()),
        "software_alone.new accelerator": one(steps.loc[steps["is_new"], "rest"].prod()),
        "software_alone.mixed": one(steps.loc[~steps["is_new"], "rest"].prod()),
        "software_alone.total": one(steps["total"].prod()),
        "under_another_choice": one(other["software"].prod()),
        "longest_history": one(long["software"].prod()),
        "what_follows": one(here.loc[here["later"].eq(steps["later"].iloc[-1]), "gain"].median()),
        "best_by_round": span(fastest(newest(best)).to_frame().T),
        "largest_step": one(steps["total"].max()),
        "software_everywhere": one(by_step.max()),
        "software_everywhere.median of all pairs": one(every["gain"].median()),
    }
    answers["software_alone"] = answers["software_alone.software"]
    for later, part in every.groupby("later"):
        answers[f"software_{slug(later)}"] = one(part["gain"].median())
        answers[f"software_{slug(later)}.range"] = span(part)
    return answers


# Scaling


def of_submitters(rows, *by):
    """The fastest available bare-metal result by benchmark, submitter, round, accelerator, precision, and `by`."""
    rows = available(rows[rows["plain"]])
    rows = rows.assign(middle=middle).sort_values("middle")
    return rows.drop_duplicates([*MATCHED, "submitter", *by], keep="last")


MATCHED = ["benchmark", "round", "accelerator", "precision"]


def size_pairs(rows):
    """Each larger system over a smaller one of the same submitters: eight accelerators, else the next smaller size."""
    rows, size = of_submitters(rows, "accelerator_count"), [*MATCHED, "accelerator_count"]
    both = rows.merge(rows, on=[*MATCHED, "submitter"], suffixes=("", "_base"))
    both = both[both["accelerator_count"] > both["accelerator_count_base"]]
    rank = both["accelerator_count_base"].replace(NODE, np.inf)
    both = both[rank.eq(rank.groupby([both[name] for name in size]).transform("max"))].sort_values("middle")
    both = both.assign(
        low=both["low"] / both["high_base"], high=both["high"] / both["low_base"], many=both["nodes"] > 1
    )
    pairs = both.groupby(size).agg(low=("low", "min"), high=("high", "max"), beyond_node=("many", "last"))
    return pairs.reset_index()


def matched_systems(rows):
    """Vendor and slowest of the others over the median of the others, of systems of one size and precision."""
    rows, group = of_submitters(rows, "accelerator_count"), [*MATCHED, "accelerator_count"]
    vendor = rows["accelerator"].map(fact("accelerators", "accelerator", "vendor")).str.casefold()
    is_own = rows["submitter"].str.split("-").str[0].eq(vendor)
    others = rows[~is_own].groupby(group)["middle"].agg(["median", "min", "size"])
    own = rows[is_own].groupby(group)["middle"].agg(["min", "max"]).reindex(others.index)
    groups = pd.DataFrame({
        "others": others["size"], "slowest": others["min"] / others["median"],
        "low": own["min"] / others["median"], "high": own["max"] / others["median"],
    })  # fmt: skip
    return groups[groups["others"] > 1]


def scaling(asked):
    benchmark, scenario, rounds = asked["benchmark"], asked["scenario"], tuple(asked["rounds"])
    rows, other = (comparable(benchmark, each, rounds) for each in (scenario, OTHER[scenario]))
    every = pd.concat(every_benchmark(scenario, rounds))
    pairs, other_pairs = (where(found, found["beyond_node"]) for found in map(size_pairs, (rows, other)))
    groups, every_group = matched_systems(rows), matched_systems(every).dropna(subset="low")
    several = where(groups, groups["others"].ge(3))
    every_pair = size_pairs(every)
    largest = newest(available(rows[rows["plain"]]))
    largest = largest[largest["accelerator_count"].eq(largest["accelerator_count"].max())]
    return {
        "scaling_efficiency": span(pairs),
        "scaling_efficiency.vendor over others, median": one(middle(groups).median()),
        "what_follows": one(several["slowest"].min()),
        "vendor_over_others_everywhere": tuple(middle(every_group).quantile([0.1, 0.9])),
        "under_another_choice": span(other_pairs),
        "largest_system": span(fastest(largest).to_frame().T),
        "scaling_efficiency_of_benchmarks": span(every_pair[every_pair["beyond_node"]]),
        "vendor_over_others": span(groups.dropna(subset="low")),
    }


# Latency and interactivity


def runs_of(benchmark, rounds, percentile="median"):
    """Comparable results of the scenarios with their interactivity: by their log, else the limit of the scenario."""
    limits = table("benchmark_limits").query("quantity == 'tpot_p99_limit' and source_id == 'mlcommons-rules'")
    limit = {
        (row.benchmark, row.scenario, round): row.high
        for row in limits.itertuples()
        for round in str(row.rounds).split(";")
    }
    rows = pd.concat([comparable(benchmark, scenario, rounds) for scenario in ("Offline", "Server", "Interactive")])
    limited = [limit.get(key) for key in zip(rows["benchmark"], rows["scenario"], rows["round"], strict=True)]
    logged = rows[{"median": "tpot_p50_ms", "p99": "tpot_p99_ms"}[percentile]].where(rows["scenario"].ne("Offline"))
    limit_ms = pd.Series(limited, rows.index, "float64")
    return rows.assign(interactivity=1000 / logged.fillna(limit_ms), limit=1000 / limit_ms)


def at_interactivity(runs, speed):
    """Each accelerator at an interactivity: measured to upper bound, and the share of its own Offline throughput."""
    found = []
    for accelerator, part in available(runs).groupby("accelerator"):
        fast = part[part["interactivity"].ge(speed)]
        if len(fast):
            best = fast.loc[fast["low"].idxmax()]
            offline = part[part["scenario"].eq("Offline")]
            slower = part[part["interactivity"].lt(speed) & part["low"].gt(best["low"])]
            slower = slower[slower["interactivity"].eq(slower["interactivity"].max())] if len(slower) else offline
            own = offline[offline["machine"].eq(best["machine"])]
            share = best["low"] / own["high"].max(), best["high"] / own["low"].max()
            found.append((accelerator, best["low"], max([best["high"], *slower["high"]]), *share))
    frame = pd.DataFrame(found, columns=["accelerator", "low", "high", "share_low", "share_high"])
    return frame.sort_values("low", ascending=False)


def interactivity(asked):
    runs = runs_of(asked["benchmark"], tuple(asked["rounds"]), asked["percentile"])
    runs = runs[runs["accelerator"].isin(asked["accelerators"] or runs["accelerator"])]
    answers, lead = {}, pd.DataFrame()
    for speed in asked["speeds"]:  # the lead is at the highest that two accelerators reach
        found = at_interactivity(runs, speed)
        answers[f"most_at_{slug(f'{speed:g}')}"] = span(found.head(1)) if len(found) else (None, None)
        lead = found if len(found) >= min(2, len(lead) or 1) else lead
    for row in lead.dropna(subset="share_low").itertuples():
        answers[f"fastest_at_target.{slug(row.accelerator)}"] = row.share_low, row.share_high
    answers["fastest_at_target"] = answers[f"fastest_at_target.{slug(lead['accelerator'].iloc[0])}"]
    for row in lead.iloc[1:].itertuples():
        answers[f"ratios_at_target.{slug(row.accelerator)}"] = (
            lead["low"].iloc[0] / row.high,
            lead["high"].iloc[0] / row.low,
        )
    answers["record_ends"] = one(available(runs)["interactivity"].max())
    return answers


def system_shares(benchmark, scenario, rounds):
    """The share of its Offline throughput that each available bare-metal system retains, at one accuracy target."""
    limited, offline = (comparable(benchmark, each, rounds, mixed=True) for each in (scenario, "Offline"))
    limited = available(limited[limited["plain"]])
    on = ["machine", "accelerator", "accelerator_count"]
    columns = [*on, "accuracy_target", "precision", "system_low", "system_high"]
    both = limited.merge(offline[columns], on=on, suffixes=("", "_offline"))
    same = both["accuracy_target"].eq(both["accuracy_target_offline"])
    has_same = same.groupby([both["machine"], both["accuracy_target"]]).transform("any")
    both = both[same | ~has_same]
    both = both.assign(
        low=both["system_low"] / both["system_high_offline"],
        high=both["system_high"] / both["system_low_offline"],
        differs=both["precision"].ne("")
        & both["precision_offline"].ne("")
        & both["precision"].ne(both["precision_offline"]),
    )
    shares = both.groupby(["round", *on]).agg(low=("low", "min"), high=("high", "max"), differs=("differs", "any"))
    return shares[~shares["differs"]].reset_index()


def real_world_derating(asked):
    benchmark, scenario, rounds = asked["benchmark"], asked["scenario"], tuple(asked["rounds"])
    other = {"Server": "Interactive", "Interactive": "Server"}[scenario]
    here, there = (system_shares(benchmark, each, rounds) for each in (scenario, other))
    medians, other_medians = (middle(shares).groupby(shares["round"]).median() for shares in (here, there))
    return {
        "measured_derate": span(newest(here)),
        "measured_derate.under_2": span(newest(there)),
        "derate_over_rounds": (medians.min(), medians.max()),
        "derate_over_rounds.under_2": (other_medians.min(), other_medians.max()),
        **plan(asked),
    }


# Power


def metered(benchmark, scenario, rounds=()):
    """Power submissions with tokens, samples, or queries per joule as low and high."""
    rows = comparable(benchmark, scenario, rounds, power=True).dropna(subset="power_watts_low")
    per_joule = {
        "low": rows["system_low"] / rows["power_watts_high"],
        "high": rows["system_high"] / rows["power_watts_low"],
    }
    return rows.assign(**per_joule)


def most_efficient(rows):
    """The most efficient system of each accelerator in the newest round that metered one."""
    return pd.DataFrame([fastest(newest(usual(part))) for _, part in rows.groupby(["accelerator", "capped"])])


def over_baseline(rows, baseline):
    """The leader of the newest round over the baseline, of one size, of one kind of cap and one round if possible.

    Where the baseline leads, the best other accelerator of the newest round; the more efficient side comes first.
    """
    best, ratios = newest(most_efficient(rows)), {}
    kinds = ["round", "accelerator_count", "capped"]
    base = [(key, fastest(part)) for key, part in rows[rows["accelerator"].eq(baseline)].groupby(kinds)]
    for accelerator, part in rows[rows["accelerator"].ne(baseline)].groupby("accelerator"):
        pairs = [
            ((capped == base_capped, round == base_round, age(round), age(base_round)), over(fastest(own), base_best))
            for (round, size, capped), own in part.groupby(kinds)
            for (base_round, base_size, base_capped), base_best in base
            if size == base_size
        ]
        if pairs:
            ratios[accelerator] = max(pairs)
    lead = fastest(where(best, best["accelerator_count"].eq(NODE)))["accelerator"]
    last = max(rank[2] for rank, _ in ratios.values())
    found = [ends for name, (rank, ends) in ratios.items() if name == lead or (lead == baseline and rank[2] == last)]
    low, high = max(found)
    return (low, high) if low * high > 1 else (1 / high, 1 / low)


def capped_shares(scenario):
    """Power-capped power runs of the newest round over performance runs of the submitter, count, and target."""
    found = []
    for name in every_benchmark(scenario):
        capped = comparable(name, scenario, power=True).dropna(subset="power_watts_low").query("capped")
        free = comparable(name, scenario).query("not capped")
        on = ["benchmark", "round", "accelerator", "accelerator_count", "submitter", "accuracy_target"]
        found.append(capped.merge(free[[*on, "low", "high"]], on=on, suffixes=("", "_free")))
    pairs = newest(pd.concat(found))
    return (pairs["low"] / pairs["high_free"]).min(), (pairs["high"] / pairs["low_free"]).max()


def power_efficiency(asked):
    benchmark, scenario, rounds = asked["benchmark"], asked["scenario"], tuple(asked["rounds"])
    rows = metered(benchmark, scenario, rounds)
    best = most_efficient(rows)
    lead = newest(best)
    lead = fastest(where(lead, lead["accelerator_count"].eq(NODE)))
    kilowatt_hours = asked["usd_per_kilowatt_hour"] * asked["power_usage_effectiveness"] / 3.6
    of_size = best[best["accelerator_count"].eq(lead["accelerator_count"])]
    counted = record()
    counted = counted[counted["power_measured"] & counted["duplicate_of"].eq("") & counted["power_watts_low"].notna()]
    counted = counted[counted["division"].eq("closed") & counted["suite"].str.contains("datacenter")]
    return {
        "work_per_joule": over_baseline(rows, asked["baseline"]),
        "energy_price": (kilowatt_hours / lead["high"], kilowatt_hours / lead["low"]),
        "energy_price.per_megawatt": (lead["low"] * 1e6, lead["high"] * 1e6),
        "work_per_joule_in_the_other_scenario": over_baseline(
            metered(benchmark, OTHER[scenario], rounds), asked["baseline"]
        ),
        "newest_power": one(len(newest(counted))),
        "capped_share": capped_shares(scenario),
        "capped_share.other_scenario": capped_shares(OTHER[scenario]),
        "node_kilowatts": (of_size["power_watts_low"].min() / 1000, of_size["power_watts_high"].max() / 1000),
    }


# Price


def costs(benchmark, scenario, asked):
    """Dollars per million tokens of each accelerator with a price: its fastest system in its newest round."""
    prices = table("prices")
    prices = prices[prices["cost_model"].eq(asked["cost_model"]) & prices["duplicate_of"].isna()]
    share = np.sqrt(np.prod([*asked["derate"], *asked["utilization"]]))
    found = []
    for accelerator, part in comparable(benchmark, scenario, tuple(asked["rounds"])).groupby("accelerator"):
        part, price = fastest(newest(usual(part))), prices[prices["accelerator"].eq(accelerator)]
        hourly = price["usd_per_accelerator_hour_low"].min(), price["usd_per_accelerator_hour_high"].max()
        million = [1e6 * usd / 3600 / share for usd in hourly]
        found.append((accelerator, million[0] / part["high"], million[1] / part["low"]))
    found = pd.DataFrame(found, columns=["accelerator", "low", "high"]).dropna()
    return found.assign(middle=middle(found)).sort_values("middle")


def price_performance(asked):
    benchmark, scenario = asked["benchmark"], asked["scenario"]
    here, other = (costs(benchmark, each, asked) for each in (scenario, OTHER[scenario]))
    share = [least * most for least, most in zip(asked["derate"], asked["utilization"], strict=True)]
    typical = np.sqrt(share[0] * share[1])
    rounds = tuple(asked["rounds"])
    leads = [
        leader(direct(comparable(benchmark, each, rounds), asked["baseline"])) for each in (scenario, OTHER[scenario])
    ]
    return {
        "best_offer": span(here.head(1)),
        "break_even_multiple": span(leads[0]),
        "best_offer_in_the_other_scenario": span(other.head(1)),
        "break_even_in_the_other_scenario": span(leads[1]),
        "price_margin": one(here["middle"].iloc[1] / here["middle"].iloc[0]),
        "usd_per_million_as_assumed": (
            here["low"].iloc[0] * typical / share[1],
            here["high"].iloc[0] * typical / share[0],
        ),
    }


# Precision and accuracy targets


def at_both_targets(benchmark, scenario, rounds):
    """Throughput of each system at the 99.9 % target over its own at 99 %, where both were run."""
    strict, loose = (comparable(benchmark, scenario, rounds, target=target) for target in ("99.9", "99"))
    both = strict.merge(loose, on=["machine", "accelerator", "accelerator_count"], suffixes=("", "_loose"))
    both = both[both["accuracy_target"].eq("99.9") & both["accuracy_target_loose"].eq("99")]
    shares = pd.DataFrame({"low": both["low"] / both["high_loose"], "high": both["high"] / both["low_loose"]})
    return shares[shares["low"].ne(1)]


def retained(benchmark, scenario, rounds):
    shares = at_both_targets(benchmark, scenario, rounds)
    return (None, None) if shares.empty else span(shares)


def retained_median(benchmark, scenario, rounds):
    shares = at_both_targets(benchmark, scenario, rounds)
    return (None, None) if shares.empty else one(middle(shares).median())


def quantization_tradeoffs(asked):
    benchmark, scenario, rounds = asked["benchmark"], asked["scenario"], tuple(asked["rounds"])
    rows = comparable(benchmark, scenario, rounds)
    parameters = fact("benchmarks", "benchmark", "parameters_billion")[benchmark]
    memory = table("accelerators").set_index("accelerator")["memory_gb"].dropna() * (1 - asked["memory_headroom"])
    if np.isnan(parameters):
        return {"retained_at_stricter_target": retained(benchmark, scenario, rounds)}
    needed = [2 ** np.ceil(np.log2(max(1, parameters * size / memory[asked["baseline"]]))) for size in (2, 1, 0.5)]
    named = {"Offline", "Server", scenario}
    return {
        "retained_at_stricter_target": retained(benchmark, scenario, rounds),
        **{f"retained_at_stricter_target.in_{each}": retained(benchmark, each, rounds) for each in named},
        **{f"retained_at_stricter_target.median_in_{each}": retained_median(benchmark, each, rounds) for each in named},
        "accelerators_needed": (min(needed), max(needed)),
        "single_accelerators": one((memory >= parameters).sum()),
        "official_precisions": one(rows["precision"].ne("").sum()),
    }


# The record


def official_record(asked):
    rows, rounds = record(), tuple(asked["rounds"])
    rows = rows[rows["round"].isin(rounds)] if rounds else rows
    evidence = rows["evidence"].value_counts()
    submitters = rows["submitter"].value_counts()
    topic = available(comparable(asked["benchmark"], asked["scenario"], rounds))
    best = [fastest(part) for _, part in sorted(topic.groupby("round"), key=lambda each: age(each[0]))]
    closed = rows[
        rows["division"].eq("closed") & rows["suite"].str.contains("datacenter") & rows["metric"].eq("throughput")
    ]
    may = closed[closed["duplicate_of"].eq("") & ~closed["power_measured"]]
    may = may[~may["capped"] | may["power_limit_watts"].notna()]
    may = may[may["accelerator"].ne("mixed")]
    unique = rows[rows["division"].eq("closed") & rows["duplicate_of"].eq("")]
    edge = unique[unique["suite"].str.contains("edge") & ~unique["power_measured"]]
    classes = {
        "data-center throughput": len(may),
        "edge latency": edge["metric"].eq("latency").sum(),
        "edge throughput": (edge["metric"].eq("throughput") & edge["suite"].eq("edge")).sum(),
        "power": unique["power_measured"].sum(),
    }
    classes["other"] = len(unique) - sum(classes.values())
    return {
        **{f"comparable_results.{name}": one(number) for name, number in classes.items()},
        "edge_latency": edge_latency(edge),
        "rows_recomputed": one(rows["recomputed"].notna().sum()),
        "rows_without_own_log": one(rows["recomputed"].isna().sum()),
        **{f"rows_without_own_log.{name}": one(evidence.get(name, 0)) for name in ("summary", "table", "collection")},
        "share_of_the_largest_submitters": one(submitters.head(3).sum() / len(rows)),
        "comparable_results": one(len(may)),
        "rounds_missing": one(len(set(rounds or table("rounds")["round"]) - set(rows["round"]))),
        "best_over_first_round": over(best[-1], best[0]),
    }


def edge_latency(rows):
    """The lowest in the newest round, of the benchmark with most accelerators there; of two the first by name."""
    rows = rows[rows["scenario"].eq("SingleStream") & rows["metric"].eq("latency")]
    rows, usual = newest(available(rows)), []
    for _, part in rows.groupby("benchmark"):
        target = part["accuracy_target"].mode().max()
        usual.append(part[part["accuracy_target"].eq(target)])
    return one(max(usual, key=lambda part: part["accelerator"].nunique())["latency_ms"].min())


def explorer(asked):
    whole = official_record({"benchmark": asked["benchmark"], "scenario": asked["scenario"], "rounds": asked["rounds"]})
    classes = {name: ends for name, ends in whole.items() if name.startswith("comparable_results")}
    return {"results_in_the_explorer": one(len(record())), **classes}


def overview(asked):
    benchmark, rounds = asked["benchmark"], tuple(asked["rounds"])
    by_scenario = {}
    for scenario in ("Offline", "Server", "Interactive"):
        rows = available(comparable(benchmark, scenario, rounds))
        by_scenario[scenario] = pd.DataFrame([fastest(newest(usual(part))) for _, part in rows.groupby("accelerator")])
    leads = {scenario: fastest(best) for scenario, best in by_scenario.items() if len(best)}
    every = available(pd.concat(every_benchmark(asked["scenario"])))
    every = every[
        every["round"].isin(
            [each for each in set(every["round"]) if not rounds or age(each) <= age(max(rounds, key=age))]
        )
    ]
    now, before = newest(every), every.drop(newest(every).index)
    rose = 0
    for name, part in now.groupby("benchmark"):
        earlier = newest(before[before["benchmark"].eq(name)])
        rose += len(earlier) > 0 and part.loc[part["high"].idxmax(), "low"] > earlier["high"].max()
    lead = leads[asked["scenario"]]
    return {
        "fastest_available": span(lead.to_frame().T),
        "break_even_of_the_fastest": span(
            speedup(benchmark, asked["scenario"], rounds, lead["accelerator"], asked["baseline"])
        ),
        "rounds_with_results": one(record()["round"].nunique()),
        "new_accelerators": some(len(set(now["accelerator"]) - set(before["accelerator"]))),
        "new_benchmarks": some(len(set(now["benchmark"]) - set(before["benchmark"]))),
        "faster_than_before": one(rose),
        "fastest_in_other_scenarios": one(len({each["accelerator"] for each in leads.values()})),
    }


# Plans and runs of one's own


def hourly(accelerator, cost_model):
    prices = table("prices").query("cost_model == @cost_model and accelerator == @accelerator and duplicate_of.isna()")
    return prices["usd_per_accelerator_hour_low"].min(), prices["usd_per_accelerator_hour_high"].max()


def speeds_of(runs):
    """Limited runs with their interactivity at the median: of the log, else the limit times what logs exceed it by.

    Those of the accelerator where three of its runs have one, else all.
    """
    runs, logged = runs[runs["scenario"].ne("Offline")], 1000 / runs["tpot_p50_ms"]
    faster = logged / runs["limit"]
    own = faster.groupby([runs["scenario"], runs["accelerator"]])
    over = own.transform("median").where(own.transform("count") >= 3)
    over = over.fillna(faster.groupby(runs["scenario"]).transform("median")).fillna(1.0)
    return runs.assign(speed=logged.fillna(runs["limit"] * over), middle=middle(runs))


def kind_of_plans(rows):
    """Available bare metal, the usual size, the newest round, each where there is any."""
    rows = where(rows, rows["availability"].eq("available") & rows["plain"])
    sizes = rows["accelerator_count"].value_counts()
    size = NODE if NODE in sizes.index else max(sizes.index, key=lambda each: (sizes[each], each))
    return newest(rows[rows["accelerator_count"].eq(size)])


@cache
def off_by(benchmark, scenario):
    """P10 and P90 of actual over predicted, as ends of a uniform range: each system from the others like it."""
    found = []
    for name in (scenario, *({"Server", "Interactive"} - {scenario})):
        rows = comparable(benchmark, name, tuple(each for each in set(record()["round"]) if age(each) >= age("v4.1")))
        for _, part in rows[rows["accelerator"].ne("mixed")].groupby("accelerator"):
            for place, row in part.iterrows():
                again = part["submitter"].eq(row["submitter"]) & part["system"].eq(row["system"])
                again |= part["accelerator_count"].eq(row["accelerator_count"]) & np.isclose(
                    middle(part), middle(part)[place]
                )
                then = part["round"].map(lambda each, row=row: age(each) <= age(row["round"]))
                others = part[~again & then]
                if len(others):
                    found.append(middle(part)[place] / middle(kind_of_plans(others)).median())
        if len(found) > 9:
            break
    low, high = np.quantile(found, [0.1, 0.9], method="weibull")
    return low - (high - low) / 8, high + (high - low) / 8


def throughput_at(runs, accelerator, benchmark, speed):
    """Log-linear between the median systems of Server and Interactive; None beyond the faster, or hardly loaded."""
    own = speeds_of(runs)
    own = own[own["accelerator"].eq(accelerator)]
    points = [(kind["speed"].median(), kind["middle"].median(), off_by(benchmark, scenario))
              for scenario, part in own.groupby("scenario") if len(kind := kind_of_plans(part))]  # fmt: skip
    points = sorted(point for point in points if point[1] / point[0] >= 1.5)
    if not points or speed > points[-1][0]:
        return None
    slow = max((point for point in points if point[0] <= speed), default=points[0])
    fast = min((point for point in points if point[0] > speed), default=slow)
    fast = slow if speed < slow[0] else fast
    share = (speed - slow[0]) / (fast[0] - slow[0]) if fast is not slow else 0.0
    rate = slow[1] ** (1 - share) * fast[1] ** share
    return rate * min(slow[2][0], fast[2][0]), rate * max(slow[2][1], fast[2][1])


def needed(runs, accelerator, asked, derate):
    """Whole accelerators, P10 to P90 of draws: users x speed x peak over throughput x derate."""
    speed = asked["tokens_per_second_per_user"]
    rates = throughput_at(runs, accelerator, asked["benchmark"], speed)
    if rates is None:
        return None
    draw = np.random.default_rng(35).uniform
    rate, peak, kept = (draw(*ends, asked["draws"]) for ends in (rates, asked["peak_over_mean"], derate))
    return tuple(np.quantile(np.ceil(asked["users"] * speed * peak / rate / kept), [0.1, 0.9]))


def accelerator_choice(asked):
    """The answer where traffic decides: queueing and memory only add to other accelerators; racks are estimates."""
    runs, bills = runs_of(asked["benchmark"], tuple(asked["rounds"])), {}
    for accelerator in set(runs["accelerator"]) - set(RACK):
        usd, count = hourly(accelerator, asked["cost_model"]), needed(runs, accelerator, asked, asked["derate"])
        if count and usd[0] > 0:
            bills[accelerator] = tuple(price * each for price, each in zip(usd, count, strict=True))
    best = min(bills, key=lambda name: bills[name])
    return {"best_accelerator": bills[best], f"best_accelerator.{slug(best)}": bills[best]}


def plan(asked):
    """The plan of real_world_derating on its baseline, with and without the assumed derate."""
    runs, usd = runs_of(asked["benchmark"], tuple(asked["rounds"])), hourly(asked["baseline"], asked["cost_model"])
    answers = {}
    for name, derate in (("accelerators_needed", asked["derate"]), ("accelerators_needed_if_measured", (1.0, 1.0))):
        count = needed(runs, asked["baseline"], asked, derate)
        if name.endswith("measured") and count[0] < 2:
            continue  # queueing decides, which is not recounted
        bill = tuple(price * each for price, each in zip(usd, count, strict=True))
        answers |= {name: count, f"{name}.usd_per_hour": bill}
        answers[f"{name}.usd_per_user_hour"] = tuple(each / asked["users"] for each in bill)
    return answers


def my_deployment(asked):
    """The fastest run within the p99 limits of the scenario over the official results of its accelerator."""
    (file,) = asked["files"]
    runs = pd.DataFrame([json.loads(line) for line in (DATA / file).read_text("utf-8").splitlines()])
    limits = table("benchmark_limits").query("benchmark == 'llama2-70b' and scenario == @asked['scenario']")
    ttft, tpot = (limits.loc[limits["quantity"].eq(f"{name}_p99_limit"), "high"].max() for name in ("ttft", "tpot"))
    best = runs[runs["p99_ttft_ms"].le(ttft) & runs["p99_tpot_ms"].le(tpot)]
    best = best.loc[best["output_throughput"].idxmax()]
    count = int(best["accelerator_count"])
    rows = comparable("llama2-70b", asked["scenario"], tuple(asked["rounds"]))
    official = usual(rows[rows["accelerator"].eq(best["accelerator"])])
    share = [best["output_throughput"] / count / end for end in (official["high"].max(), official["low"].min())]
    spare = [count - np.ceil(count * each) for each in reversed(share)]
    usd = hourly(best["accelerator"], asked["cost_model"])
    million = [count * price / best["output_throughput"] / 3600 * 1e6 for price in usd]
    return {
        "share_of_official": tuple(share),
        "saved_at_official_throughput": (usd[0] * spare[0], usd[1] * spare[1]),
        "saved_at_official_throughput.usd_per_million": tuple(million),
    }


# Audit


def source_audit(asked):
    """The wrong figures of doc000: more than memory bandwidth allows at batch 1, or not what the record has."""
    facts = table("accelerators").set_index("accelerator")[["memory_gb", "memory_bandwidth_gb_per_s"]]
    printed = table("results").join(facts, on="accelerator").set_index("id")
    weights_gb = printed["benchmark"].map(fact("benchmarks", "benchmark", "parameters_billion"))
    weights_gb *= printed["precision"].map({"fp16": 2, "fp8": 1, "int8": 1, "int4": 0.5})
    roof = printed["memory_bandwidth_gb_per_s"] / weights_gb  # of one accelerator
    limit = roof * np.maximum(np.ceil(weights_gb / printed["memory_gb"]), printed["accelerator_count"].fillna(1))
    limit = limit.fillna(printed["duplicate_of"].map(limit))
    at_batch_1 = printed["batch_size"].eq(1) & printed["duplicate_of"].isna()
    above = at_batch_1 & printed["low"].gt(limit)
    stated = table("claims").set_index("id")
    per_dollar = (
        stated["result_row"].map(limit)
        * 3600
        / stated["price_row"].map(fact("prices", "id", "usd_per_accelerator_hour_low"))
    )
    dearer = stated["quantity"].eq("tokens_per_dollar") & stated["low"].gt(per_dollar)
    impossible = repeated(printed, above) + repeated(stated, dearer)
    of_document = printed["source_id"].eq("doc000") & printed["round"].notna() & printed["duplicate_of"].isna()
    missed = pd.Series(
        [each and not in_record(row) for each, (_, row) in zip(of_document, printed.iterrows(), strict=True)],
        printed.index,
    )
    ratios = stated["source_id"].eq("doc000") & stated["quantity"].eq("throughput_ratio") & stated["round"].notna()
    no_side = ratios & ~stated["baseline_accelerator"].isin(
        comparable("llama2-70b", "Offline", ("v4.1",))["accelerator"]
    )
    day = pd.to_numeric(stated["round"].map(fact("rounds", "round", "published")).str.replace("-", ""))
    late = stated["quantity"].eq("publication_date") & ~(stated["low"].le(day) & stated["high"].ge(day))
    wrong = (
        impossible
        + repeated(printed, missed)
        + repeated(stated, no_side)
        + repeated(stated, late & stated["source_id"].eq("doc000"))
    )
    times = printed["low"] / limit
    figures = sum(len(rows) for rows in (printed, stated, table("quantization")))
    return {
        "wrong_figures.figures": one(figures + table("prices")["cost_model"].eq("documents").sum()),
        "wrong_figures": one(len(set(wrong))),
        "figures_that_no_hardware_reaches": one(len(set(impossible))),
        "above_the_ceiling": (times[above].min(), times[above].max()),
        "roofs_at_batch_1": (roof[at_batch_1].min(), roof[at_batch_1].max()),
    }


def repeated(rows, is_wrong):
    """The ids of the wrong figures and of those that repeat them."""
    return rows.index[is_wrong | rows["duplicate_of"].isin(rows.index[is_wrong])].tolist()


def in_record(row):
    """Whether an official result per accelerator lies within what a document prints for eight, in samples."""
    rows = comparable(row["benchmark"], row["scenario"], (row["round"],))
    rows = rows[rows["accelerator"].str.startswith(row["accelerator"])]  # its variants too: which one is not said
    samples = rows["samples_per_second"] / rows["accelerator_count"]
    return bool(samples.between(row["low"] / NODE / CLOSE, row["high"] / NODE * CLOSE).any())


# The pages

REPORTS = {
    function.__name__: function
    for function in (
        accelerator_choice, explorer, generational_speedup, interactivity, my_deployment, official_record, overview,
        power_efficiency, price_performance, progress, quantization_tradeoffs, real_world_derating, scaling,
        source_audit,
    )
}  # fmt: skip
OTHERS = ["choice_llama", "derating_interactive", "overview_llama", "power_server", "price_llama", "price_server"]
OTHERS += ["progress_server", "scaling_racks"]  # see others.yml


def page(built, report):
    return json.loads((built[0].reports / f"{report}.json").read_text("utf-8"))


@pytest.mark.parametrize("report", [*REPORTS, *OTHERS])
def test_the_findings_of_a_page_are_those_of_the_recount(built, report):
    """Value, low, and high to nine digits, the answer of the report among them."""
    stated, found = page(built, report), {}
    for finding in stated["findings"]:
        found[finding["name"]] = finding["low"], finding["high"]
        found |= {f"{finding['name']}.{each['name']}": (each["low"], each["high"]) for each in finding["values"]}
    recounted = REPORTS[stated["notebook"]](stated["parameters"])
    assert stated["findings"][0]["name"] in recounted
    known = {name: ends for name, ends in recounted.items() if ends[0] is not None}
    expected = recounted | {name: pytest.approx(ends, rel=1e-8) for name, ends in known.items()}
    assert {name: found.get(name) for name in recounted} == expected


def test_each_shipped_report_with_an_answer_is_recounted(built):
    shipped = [
        path.stem for path in built[0].runs.glob("*.yml") if (built[0].notebooks / f"{path.stem}.ipynb").exists()
    ]
    answered = {name for name in shipped if page(built, name)["findings"][0]["low"]}
    assert answered == set(REPORTS)
