"""Compute the speedup of accelerators over a baseline, within a round and across rounds through common accelerators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis import compare, evidence, names
from analysis.compare import GROUP, USUAL_SIZE, NoData, comparable, fastest, latest
from analysis.progress import software_chain

EQUAL_SOFTWARE = [("H200 FP8", "H100 FP8"), ("B200 FP8", "H100 FP8"), ("B200 FP4", "B200 FP8")]  # InferenceX
NOTABLE = 0.05  # relative difference that a figure mentions
PAIR = [  # columns of `within_rounds` that make a ratio
    "round", "accelerator", "accelerator_count", "rate_per_accelerator", "accelerator_count_base",
    "rate_per_accelerator_base", "speedup", "submitter",
]  # fmt: skip
FACTS = ["round", "accelerator", "accelerator_count", "rate_per_accelerator", "submitter", "precision_label"]
READ = [*FACTS, *GROUP, "id", "availability", "hypervisor"]  # what ratios need of 67 columns


def within_rounds(rows: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return the speedup of each accelerator over `baseline` in every round that has both.

    Systems of one size are compared where both have one (`same_size`): eight accelerators, else the largest; otherwise
    the fastest of each. `low` and `high` are the speedups of the slowest and the fastest of the `submitters` of that
    accelerator, round, and size. Columns of the baseline end in `_base`. Raises NoData where `baseline` has no result.
    """
    best = fastest(rows, ["round", "accelerator"], per_size=True)
    base = best[best["accelerator"].eq(baseline)]
    if base.empty:
        raise NoData(f"no comparable result of the baseline {baseline}; there are: {_accelerators(best)}")
    others = best[best["accelerator"].ne(baseline)]
    pairs = others.merge(base[FACTS], on="round", suffixes=("", "_base"))
    count, count_base = pairs["accelerator_count"], pairs["accelerator_count_base"]
    same_size = count.eq(count_base)
    pairs = pairs.assign(
        speedup=pairs["rate_per_accelerator"] / pairs["rate_per_accelerator_base"], same_size=same_size,
        usual=count.eq(USUAL_SIZE), usual_base=count_base.eq(USUAL_SIZE), larger=count.where(same_size, 0),
    )  # fmt: skip
    order = ["same_size", "usual", "usual_base", "larger", "rate_per_accelerator", "rate_per_accelerator_base"]
    pairs = pairs.sort_values(order).drop_duplicates(["round", "accelerator"], keep="last")
    by = ["round", "accelerator", "accelerator_count", "hypervisor"]
    sold = rows.loc[rows["availability"].eq("available"), [*by, "submitter", "rate_per_accelerator"]]
    rates = sold.groupby([*by, "submitter"], observed=True)["rate_per_accelerator"].max()
    pairs = pairs.merge(rates.groupby(by, observed=True).agg(low="min", high="max", submitters="size"), on=by)
    pairs[["low", "high"]] = pairs[["low", "high"]].div(pairs["rate_per_accelerator_base"], axis=0)
    return pairs.drop(columns=["usual", "usual_base", "larger"]).sort_values(["round", "speedup"], ignore_index=True)


def links(rows: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return estimates of accelerators over `baseline` through a link, a third accelerator that ran in two rounds.

    An estimate of X is X / link in `round`, times link / baseline in `round_then`. `round` is the baseline's last or a
    later one, `round_then` the same or an earlier one. `matched` says that both ratios are of systems of one size;
    others count from X's newest round to the baseline's last alone. Columns: accelerator, link, round, round_then, the
    rates per accelerator (`rate` over `link_rate`, `link_rate_then` over `base_rate`), `sizes` and `sizes_then`
    (accelerators of both, such as "8 / 8"), speedup_now, speedup_then, speedup, matched.
    """
    best = fastest(rows[READ], ["round", "accelerator"], per_size=True).rename(columns={"rate_per_accelerator": "rate"})
    count = best["accelerator_count"]
    best = best[["round", "accelerator", "rate"]].assign(
        size=count.map("{:.0f}".format), usual=count.eq(USUAL_SIZE).astype(int)
    )
    last = best.loc[best["accelerator"].eq(baseline), "round"].max()
    ratio = best.merge(best, on="round", suffixes=("", "_base"))
    ratio = ratio[ratio["accelerator"].ne(ratio["accelerator_base"])]
    ratio = ratio.assign(
        speedup=ratio["rate"] / ratio["rate_base"], matched=ratio["size"].eq(ratio["size_base"]),
        usual=ratio["usual"] + ratio["usual_base"], sizes=ratio["size"] + " / " + ratio["size_base"],
    )  # fmt: skip
    ratio = ratio.sort_values(["matched", "usual", "speedup"])
    ratio = ratio.drop_duplicates(["round", "accelerator", "accelerator_base", "matched"], keep="last")
    now = ratio[ratio["round"].ge(last) & ratio["accelerator"].ne(baseline) & ratio["accelerator_base"].ne(baseline)]
    now = now.rename(columns={"accelerator_base": "link", "rate_base": "link_rate"})
    then = ratio[ratio["accelerator_base"].eq(baseline)]
    then = then[["accelerator", "round", "rate", "rate_base", "sizes", "speedup", "matched"]]
    then.columns = ["link", "round", "link_rate_then", "base_rate", "sizes_then", "speedup", "matched"]
    pairs = now.merge(then, on="link", suffixes=("_now", "_then"))
    matched = pairs["matched_now"] & pairs["matched_then"]
    pairs = pairs.assign(speedup=pairs["speedup_now"] * pairs["speedup_then"], matched=matched)
    newest = pairs.groupby("accelerator")["round_now"].transform("max")
    counts = matched | (pairs["round_now"].eq(newest) & pairs["round_then"].eq(last))
    pairs = pairs[counts & pairs["round_then"].le(pairs["round_now"])]
    columns = ["accelerator", "link", "round_now", "round_then", "rate", "link_rate", "link_rate_then", "base_rate"]
    columns += ["sizes", "sizes_then", "speedup_now", "speedup_then", "speedup", "matched"]
    return pairs[columns].sort_values(columns[:4], ignore_index=True).rename(columns={"round_now": "round"})


def ladder(rows: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return one speedup over `baseline` of each accelerator, fastest first, with the range that it rests on.

    `basis` says what it is: "same round" where one round has both at one size, the newest round with eight of each
    first (`low` and `high` are its slowest and fastest submitter), "links" for the median over links across rounds at
    matched sizes (the range covers links of other sizes and `plain`), "plain" where there is no such link. `plain` is
    the ratio of the newest results of each, whose software is of different dates. Further columns are those of the
    accelerator's newest result, `round` and `accelerator_count` among them, `compared_in` (round), and
    `evidence_count` (submitters or links).
    """
    newest = latest(rows).set_index("accelerator")
    pairs = within_rounds(rows[READ], baseline)
    same = pairs[pairs["same_size"]].assign(usual=pairs["accelerator_count"].eq(USUAL_SIZE))
    same = same.sort_values(["usual", "round"]).drop_duplicates("accelerator", keep="last")
    same = same.set_index("accelerator").reindex(newest.index)
    of_links = links(rows, baseline)
    spread = of_links.groupby("accelerator")["speedup"].agg(["min", "max"]).reindex(newest.index)
    matched = of_links[of_links["matched"]].groupby("accelerator")["speedup"]
    middle = matched.agg(["median", "size"]).reindex(newest.index)
    plain = newest["rate_per_accelerator"] / newest.at[baseline, "rate_per_accelerator"]
    in_round, linked = same["speedup"].notna(), middle["median"].notna()
    basis = np.select([in_round, linked], ["same round", "links"], "plain")
    estimate = middle["median"].fillna(plain)
    found = newest.assign(
        basis=basis,
        speedup=same["speedup"].fillna(estimate),
        low=same["low"].fillna(np.fmin(spread["min"], plain)),
        high=same["high"].fillna(np.fmax(spread["max"], plain)),
        plain=plain,
        evidence_count=same["submitters"].fillna(middle["size"]).fillna(0),
        compared_in=same["round"].astype(object).where(in_round, newest["round"].astype(object)),
    )
    found = found[found.index != baseline]
    return found.sort_values("speedup", ascending=False).reset_index()


def ladders(
    results: pd.DataFrame, baselines: Mapping[str, str], since: str, shown: Iterable[str] = (), **asked: Any
) -> pd.DataFrame:
    """Return the ladder of each benchmark over its own baseline (`base`), accelerators with a result since a round.

    `baselines` maps benchmarks to accelerators; `asked` goes to `comparable`. `shown` are names or vendors, all by
    default; links go through the others too, so that what is shown changes no ratio. A benchmark after the first
    without a result of its baseline is left out. `estimate` marks what no round measured, `note` holds the plain ratio
    where it differs notably, `panel` the model and its baseline in words, with who submitted it where only one did.
    Raises NoData where the first has no baseline or no other accelerator.
    """
    parts, named = [], names.accelerators(shown, results)
    for benchmark, base in baselines.items():
        try:
            rows = comparable(results, benchmark=benchmark, **asked)
            steps = ladder(rows, base).assign(base=base)
        except NoData:
            if not parts:
                raise
        else:
            of_base = rows[rows["accelerator"].eq(base)]
            about = [f"{of_base['submitter'].iloc[0]} alone"] if of_base["submitter"].nunique() == 1 else []
            about += ["virtualized"] if of_base["hypervisor"].ne("").all() else []
            steps["panel"] = steps["model"] + f", {base} = 1" + (f"\n({', '.join(about)})" if about else "")
            current = steps["round"].ge(names.choose(since, steps["round"].cat.categories, "round"))
            parts.append(steps[current & (steps["accelerator"].isin(named) | (not named))])
            if parts[0].empty:
                raise NoData(f"no accelerator beside the baseline {base} has a result of {benchmark} since {since}")
    steps = pd.concat(parts, ignore_index=True)
    apart = (steps["plain"] / steps["speedup"] - 1).abs().gt(NOTABLE)
    plain = "newest " + steps["plain"].map("{:.2f}x".format)
    return steps.assign(estimate=steps["basis"].ne("same round"), note=plain.where(apart, ""))


def basis_in_words(step: pd.Series, links: pd.DataFrame) -> str:
    """Return what the speedup of a row of `ladder` rests on, with the number of matched links and the range of all."""
    if step["basis"] == "same round":
        count = int(step["evidence_count"])
        return f"{step['accelerator']}: both in {step['compared_in']}, {count} submitter{'s' * (count > 1)}"
    own = links[links["accelerator"].eq(step["accelerator"])]
    through = own.loc[own["matched"], "link"]
    if through.empty:
        return f"{step['accelerator']}: newest ratio, no matched link"
    words = f"{len(through)} matched link{'s' * (len(through) > 1)} ({', '.join(through.unique())})"
    speedups = own["speedup"]
    return f"{step['accelerator']}: {words}; all {len(own)}: {speedups.min():.1f}x to {speedups.max():.1f}x"


def without_results(benchmark: str, asked: Iterable[str], found: Iterable[str]) -> str:
    """Return a note that lists the benchmarks without a result to show, "" if each has one."""
    gone = sorted({*asked} - {*found, benchmark})
    return f" None of these accelerators beside the baseline has a result of {', '.join(gone)}." if gone else ""


def by_benchmark(
    results: pd.DataFrame, baseline: str, instead: str, since: str, scenarios: Iterable[str]
) -> pd.DataFrame:
    """Return the speedup of each accelerator over `baseline` by benchmark and scenario, newest results of each.

    `instead` is the baseline where `baseline` has no result. A system of eight accelerators comes first, then the
    newest round from `since` on, so rounds and sizes differ. Columns: those of the results, `base` (accelerator),
    `speedup`, and `cell`: the ratio, precision, round, and size unless it is eight. Raises NoData where there is no
    base.
    """
    rows = comparable(results, benchmark=results["benchmark"].unique(), scenario=scenarios)
    best = latest(compare.since(rows, since), [*GROUP, "accelerator"])
    base = best[best["accelerator"].isin([baseline, instead])]
    base = base.sort_values("accelerator", key=lambda names: names.ne(baseline)).drop_duplicates(GROUP)
    if base.empty:
        raise NoData(f"no benchmark has a comparable result of {baseline} or {instead} since {since}")
    base = base[[*GROUP, "accelerator", "rate_per_accelerator"]].rename(columns={"accelerator": "base"})
    grid = best.merge(base, on=GROUP, suffixes=("", "_base"))
    grid = grid.assign(speedup=grid["rate_per_accelerator"] / grid.pop("rate_per_accelerator_base"))
    size = ("@" + grid["accelerator_count"].map("{:.0f}".format)).where(grid["accelerator_count"].ne(USUAL_SIZE), "")
    short = grid["precision_label"].str.replace(r" \(.*| weights", "", regex=True).replace("not stated", "?")
    words = short + " " + grid["round"].astype("str").str.removeprefix("v") + size
    return grid.assign(cell=grid["speedup"].map("{:.2f}".format) + "\n" + words)


def matrix(
    results: pd.DataFrame, since: str, scenario: str | Iterable[str] = "Offline", least: int = 3
) -> pd.DataFrame:
    """Return the throughput per accelerator of each model and accelerator since a round, over the row's best.

    `scenario` is one or several; each model and scenario is a row of its own.

    Each result is that of `latest`; models with fewer than `least` accelerators are left out. Columns: those of the
    results, `share` (of the model's best), `cell` (in words), `other_size` and `other_gain`: the number of accelerators
    of the fastest other system of that round, and by which share it is faster per accelerator (NaN where none is), and
    `other_by`: its submitter and software. Raises NoData where no model has so many.
    """
    results = compare.since(results, since)
    rows = comparable(results, benchmark=results["benchmark"].unique(), scenario=scenario)
    best = latest(rows, [*GROUP, "accelerator"])
    best = best[best.groupby(GROUP)["accelerator"].transform("size").ge(least)]
    if best.empty:
        scenarios = [scenario] if isinstance(scenario, str) else scenario
        words = f"comparable {' or '.join(scenarios)} results of {least} accelerators (`least`) since {since}"
        raise NoData(f"no model has {words}")
    by, other = [*GROUP, "accelerator", "round"], ["accelerator_count", "rate_per_accelerator", "other_by"]
    others = fastest(rows, [*by, "accelerator_count"]).drop_duplicates(by)  # the fastest comes first
    others["other_by"] = others["submitter"] + " " + others["framework"].str.split(",").str[0]
    table = best.merge(others[[*by, *other]], on=by, suffixes=("", "_other"))
    rate, other_size = table["rate_per_accelerator"], table.pop("accelerator_count_other")
    gain = table.pop("rate_per_accelerator_other") / rate - 1
    table = table.assign(
        share=rate / rate.groupby([table[name] for name in GROUP]).transform("max"),
        other_size=other_size.where(gain.gt(0)), other_gain=gain.where(gain.gt(0)),
    )  # fmt: skip
    size = (" @" + table["accelerator_count"].map("{:.0f}".format)).where(table["accelerator_count"].ne(USUAL_SIZE), "")
    words = table["round"].astype("str") + size
    return table.assign(cell=table["share"].map("{:.0%}".format) + "\n" + words)


def grid_in_words(grid: pd.DataFrame) -> str:
    """Return a title for `by_benchmark`: the best rack over the best smaller system in Interactive (median)."""
    fast = grid[grid["scenario"].eq("Interactive")]
    best = fast.groupby(["model", compare.in_racks(fast)])["speedup"].max().unstack().reindex(columns=[True, False])
    over = (best[True] / best[False]).dropna()
    if over.empty:
        return "Throughput per GPU by model and scenario"
    of = f"{len(over)} models" if len(over) > 1 else "one model"
    return f"In Interactive the best rack reaches {over.median():.1f}x the best smaller system (median of {of})"


def as_grid(grid: pd.DataFrame, order: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return speedups and cells of `by_benchmark` as a grid: accelerators by vendor, by their speedup on model `order`.

    Columns are scenario and model, Offline first.
    """
    wide = grid.pivot(index=["vendor", "accelerator"], columns=["scenario", "model"], values=["speedup", "cell"])
    wide = wide.sort_index(axis=1, level=1, ascending=False)
    first = ("speedup", "Offline", order)
    if first in wide:
        wide = wide.sort_values(first, ascending=False)
    wide = wide.sort_index(level="vendor", ascending=False, sort_remaining=False)
    return wide["speedup"].astype(float), wide["cell"]


def previews(results: pd.DataFrame, benchmarks: Iterable[str], shown: Iterable[str] = ()) -> pd.DataFrame:
    """Return the preview systems of the newest round over its fastest available accelerator, best of each size.

    `shown` are names or vendors, all by default; each is compared with the fastest of all. Columns: those of the
    results, `over` (that accelerator) and `ratio` of throughput per accelerator.
    """
    rows = results[results["round"].eq(results["round"].max())]
    if not rows["availability"].eq("preview").any():
        return rows.iloc[:0].assign(over="", ratio=np.nan)
    rows = comparable(rows, benchmark=benchmarks, scenario=rows["scenario"].unique(), available=False)
    new = rows[rows["availability"].eq("preview")].sort_values(GROUP, kind="stable")
    sold = rows[rows["availability"].eq("available") & rows["hypervisor"].eq("")]
    best = sold.sort_values("rate_per_accelerator").drop_duplicates(GROUP, keep="last")
    best = best[[*GROUP, "accelerator", "rate_per_accelerator"]].rename(columns={"accelerator": "over"})
    named = names.accelerators(shown, results)
    new = new[new["accelerator"].isin(named)] if named else new
    found = new.merge(best, on=GROUP, suffixes=("", "_over"))
    return found.assign(ratio=found["rate_per_accelerator"] / found.pop("rate_per_accelerator_over"))


def per_dollar_and_kilowatt(steps: pd.DataFrame, prices: pd.DataFrame) -> pd.DataFrame:
    """Return `steps` with the plain ratio per dollar and per all-in kilowatt of `base`, NaN without a price.

    `prices` are those of `cost.prices()`. Prices and kilowatts are constants: the ratios are modeled.
    """
    constants = prices.set_index("accelerator")[["usd_per_hour", "kilowatts"]]
    ours, base = (constants.reindex(steps[name]).set_axis(steps.index) for name in ("accelerator", "base"))
    ratio = ours / base
    return steps.assign(
        per_dollar=steps["plain"] / ratio["usd_per_hour"], per_kilowatt=steps["plain"] / ratio["kilowatts"]
    )


def at_equal_software(model: str, engine: str, speeds: Iterable[float]) -> pd.DataFrame:
    """Return InferenceX' ratios of throughput per GPU at one engine, model, lengths, and interactivity.

    The pairs are those of EQUAL_SOFTWARE; `speeds` are tokens/s per user.
    Columns: pair, interactivity, at (in words), ratio (median over lengths), low, high, lengths (how many). No MLPerf
    results.
    """
    runs = evidence.inferencex(disaggregated=False)
    runs = runs[runs["model"].eq(model) & runs["engine"].eq(engine) & runs["gpus"].le(USUAL_SIZE)]
    runs = runs.assign(part=runs["accelerator"] + " " + runs["precision"].str.upper())
    by, found = ["prompt_tokens", "answer_tokens"], []
    for speed in speeds:
        rate = evidence.value_at(runs, speed, [*by, "part"]).unstack("part")
        for over, under in EQUAL_SOFTWARE:
            ratio = (rate[over] / rate[under]).dropna()
            found.append((f"{over} / {under}", speed, ratio.median(), ratio.min(), ratio.max(), len(ratio)))
    equal = pd.DataFrame(found, columns=["pair", "interactivity", "ratio", "low", "high", "lengths"])
    return equal.assign(at=equal["interactivity"].map("{} tokens/s per user".format))


def equal_in_words(equal: pd.DataFrame) -> str:
    """Return the ratios of `at_equal_software` at its first interactivity, but the first pair's, in words."""
    first = equal[equal["at"].eq(equal["at"].iloc[0])].iloc[1:]
    ratios = first["pair"].str.replace(" / ", " over ") + " " + first["ratio"].map("{:.1f}x".format)
    return f"At equal software and {first['at'].iloc[0]}: {', '.join(ratios)}"


def waterfalls(
    rows: pd.DataFrame, chains: Mapping[str, Sequence[str]], baseline: str, new: Sequence[str]
) -> pd.DataFrame:
    """Return the `waterfall` of each chain to one of the accelerators `new`, with the number of pairs as `note`.

    `chains` maps accelerators to those of their software chain. Accelerators without a row are passed over, a chain
    without its first one is left out; where none is left, the chain goes from `baseline` to the first of `new`.
    """
    there = {*rows["accelerator"]}
    asked = {name: path for name, path in chains.items() if name in {*new} and {name, path[0]} <= there}
    kept = {name: [*filter(there.__contains__, path)] for name, path in asked.items()}
    kept = kept or {new[0]: [baseline, new[0]]}
    factors = pd.concat(waterfall(rows, path, name).assign(new=name) for name, path in kept.items())
    note = "n = " + factors["pairs"].astype(str)
    return factors.assign(note=note.where(factors["kind"].eq("measured"), ""))


def factors_in_words(factors: pd.DataFrame) -> str:
    """Return what software, and what precision and hardware gave to the first accelerator of `waterfalls`, in words.

    Without a pair of one accelerator, size, and submitter in two rounds, they cannot be told apart.
    """
    names, values = factors["factor"].head(4), factors["value"].head(4).map("{:.1f}x".format)
    rose = f"From {names.iloc[0]} to {names.iloc[3]} throughput rose {values.iloc[3]}"
    if not factors["pairs"].iloc[1]:
        return f"{rose}; no pair tells software from precision and hardware"
    return f"{rose}: software gave {values.iloc[1]}, precision and hardware {values.iloc[2]}"


def waterfall(rows: pd.DataFrame, accelerators: Sequence[str], new: str, first_round: str = "") -> pd.DataFrame:
    """Return the factors between the first of `accelerators` and `new`, in `first_round` and the newest round of `new`.

    `first_round` is by default the first round of the former. "Software" is the product of the software chain over
    `accelerators`; "Precision and hardware" is the rest, including memory and interactions. Columns: factor,
    value, low, high, pairs, kind; the first row is the start and the last the total, both with the throughput per
    accelerator in `rate`. Raises NoData where an end is missing.
    """
    old, best = accelerators[0], fastest(rows, ["round", "accelerator"])
    start = best[best["accelerator"].eq(old)].sort_values("round")
    start = start[start["round"].eq(first_round)] if first_round else start.head(1)
    end = best[best["accelerator"].eq(new)].sort_values("round").tail(1)
    if start.empty or end.empty:
        asked = f"{old} in {first_round}" if first_round else old
        raise NoData(f"no comparable result of {asked} or of {new}; there are: {_accelerators(best)}")
    first_round = str(start["round"].iloc[0])
    first, last = start["rate_per_accelerator"].iloc[0], end["rate_per_accelerator"].iloc[0]
    steps, total = software_chain(rows, accelerators, first_round), last / first
    software = steps[["gain", "low", "high"]].prod()
    return pd.DataFrame(
        {
            "factor": [f"{old} {first_round}", "Software", "Precision and hardware", f"{new} {end['round'].iloc[0]}"],
            "value": [1.0, software["gain"], total / software["gain"], total],
            "low": [1.0, software["low"], total / software["high"], total],
            "high": [1.0, software["high"], total / software["low"], total],
            "pairs": [0, steps["pairs"].sum(), steps["pairs"].sum(), 0],
            "rate": [first, np.nan, np.nan, last],
            "kind": ["total", "measured", "modeled", "total"],
        }
    )


def _accelerators(best: pd.DataFrame) -> str:
    return ", ".join(best["accelerator"].value_counts().index[:12])
