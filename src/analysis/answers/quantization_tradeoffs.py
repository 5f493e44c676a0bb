"""The words of the quantization report, from frames of quantization.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from analysis.answers.words import (
    counted,
    fitting,
    gained,
    listed,
    many_of,
    more_than,
    prose,
    ranged,
    with_article,
)
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval, span
from analysis.core.notes import of_rows
from analysis.core.plain import as_dicts
from analysis.themes.quantization import UNKNOWN

GAIN = "times the throughput per accelerator of the wider precision"
KEPT = "throughput at the stricter accuracy target over that at the looser"
DRAWN = 10  # rows of a figure that is read at a glance
PRECISIONS = {name: f"At {name.upper()}" for name in ("fp16", "fp8", "int8", "int4", "fp4")}
TABLE = {
    "name": "Accelerator",
    "basis": "Round",
    "ran": "Precision",
    "known_from": "Known from",
    "per_accelerator": "Fastest on sale, per accelerator",
    "results": "Results",
    "systems": "Systems",
}
CHANGED = {
    "benchmark": "Benchmark",
    "scenario": "Scenario",
    "name": "Accelerator",
    "ran": "Precisions",
    "gain": "Later over earlier round (ratio)",
    "notes": "Caveat",
}
ACCURACY = {
    "benchmark": "Benchmark",
    "name": "Accelerator",
    "kept": "What is left (ratio)",
    "precisions": "Precision at 99.9 and 99",
    "systems": "Systems",
}
Names = Callable[[str], str]  # of an accelerator or a benchmark: what people call it


def gain(pairs: pd.DataFrame, ran: pd.DataFrame, topic: str, name: Names) -> Finding:
    """What the lower of two precisions gives on one accelerator, of `pairs` (quantization.side_by_side) of the topic.

    `ran` are the topic's systems by precision, `name` calls accelerators. Without such a pair it says so.
    """
    groups = len(ran[["basis", "accelerator"]].drop_duplicates())
    if pairs.empty:
        if not groups:
            return nothing("official_gain", GAIN, f"No official result of {topic} is there to compare.")
        why = f"No accelerator has official results of {topic} at two precisions in one round"
        return nothing("official_gain", GAIN, f"{why} (0 of {counted(groups, 'case')}).")
    row = pairs.iloc[0]
    ratio = _gained(row)
    words = f"{row['lower'].upper()} gives {more_than(ratio, row['wider'].upper())}"
    where, accelerator = f"{topic}, {row['round']}", with_article(name(row["accelerator"]))
    sentence = fitting(
        f"On the same accelerator, {accelerator}, {words} ({where}).",
        f"{words} on {accelerator} ({where}).",
    )
    if not row["pairs"]:
        systems = f", {counted(row['systems'], 'system')}" if row["systems"] > 1 else ""
        sentence = fitting(
            f"On {accelerator}, {words}, but no submitter ran both alike ({where}{systems}).",
            f"On {accelerator}, {words}, by different submitters ({where}).",
        )
    return Finding("official_gain", ratio, GAIN, sentence, cited(pairs.head(1)), row["notes"])


def follows(price: pd.DataFrame, benchmark: str, otherwise: Finding, label: Names) -> Finding:
    """What accuracy costs on the benchmark, of price_of_accuracy by benchmark; `otherwise` where nothing tells it."""
    rows_of_benchmark = price[price["benchmark"].eq(benchmark)]
    if rows_of_benchmark.empty:
        return otherwise
    row = rows_of_benchmark.iloc[0]
    kept = _percent(row)
    sentence = f"On {label(benchmark)}, meeting 99.9 % accuracy in place of 99 % keeps {kept} of the throughput "
    sentence += f"({_runs(rows_of_benchmark)} at both)."
    return Finding("kept_here", span(row, "kept"), KEPT, sentence, cited(rows_of_benchmark), row["notes"])


def rests_on(pairs: pd.DataFrame, name: Names) -> list[str]:
    """What the trust line says beside its rows: the systems at both precisions, and the sizes."""
    if pairs.empty:
        return []
    row = pairs.iloc[0]
    sizes = row["accelerator_count"], row["baseline_count"]
    alike = f"{sizes[0]} accelerators each" if sizes[0] == sizes[1] else f"{sizes[0]} accelerators against {sizes[1]}"
    sides = f"{row['systems']} at {row['lower'].upper()} against {row['wider_systems']} at {row['wider'].upper()}"
    return [f"{name(row['accelerator'])}: {sides}", alike]


def behind(rows: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """The result rows behind the answer: of the first pair's accelerator, round, precisions and size, else all."""
    official = rows[rows["origin"].eq("official")]
    if pairs.empty:
        return official
    row = pairs.iloc[0]
    same = ["accelerator", "round", "availability"]
    is_of_pair = official[same].eq(row[same]).all(axis=1) & official["precision"].isin([row["lower"], row["wider"]])
    sizes = [row["accelerator_count"], row["baseline_count"]]
    return official[is_of_pair & official["accelerator_count"].isin(sizes)]


def official(ran: pd.DataFrame, topic: str) -> Finding:
    """Which precision ran on which accelerator in the official record, as far as it says so."""
    unit = "official results that say which precision ran"
    if ran.empty:
        return nothing("official_precisions", unit, f"No official result of {topic} is there to set side by side.")
    stated = ran[ran["precision"].ne(UNKNOWN)]
    count, of_all = int(stated["results"].sum()), int(ran["results"].sum())
    words = [
        f"{key.upper()} on {counted(rows_of_precision['accelerator'].nunique(), 'accelerator')}"
        for key, rows_of_precision in stated.groupby("precision")
    ]
    sentence = f"Of {counted(of_all, 'official result')} of {topic}, {count} {'says' if count == 1 else 'say'} which "
    sentence += "precision ran"
    sentence += f": {listed(words, len(words))}" if words else ""
    return Finding("official_precisions", exactly(count), unit, f"{sentence}.", cited(ran))


def ahead(drawn: pd.DataFrame, topic: str) -> str:
    """What the figure by precision shows: at which precision its fastest rows ran; of `by_accelerator`."""
    stated = drawn[drawn["precision"].ne(UNKNOWN)]
    if stated.empty:
        return f"No precision is known of {topic}."
    fastest = stated.iloc[0]
    others = stated[stated["precision"].ne(fastest["precision"])]
    if others.empty:
        return f"{counted(len(stated), 'accelerator')} of {topic} ran {fastest['precision'].upper()}."
    fastest_other = others.iloc[0]
    ratio = prose(span(fastest, "per_accelerator") / span(fastest_other, "per_accelerator"))
    sides = [f"{row['precision'].upper()}, {with_article(row['name'])}" for row in (fastest, fastest_other)]
    return f"The fastest at {sides[0]}, gives {ratio} times the fastest at {sides[1]}."


def by_accelerator(ran: pd.DataFrame, name: Names) -> pd.DataFrame:
    """The rows of each accelerator's newest round that a figure draws, DRAWN at most, the fastest accelerator first."""
    newest = ran.drop_duplicates("accelerator")[["accelerator", "basis"]]
    kept = ran.merge(newest, on=["accelerator", "basis"]).sort_values("per_accelerator_high", ascending=False)
    accelerators = list(dict.fromkeys(kept["accelerator"]))
    order = kept["accelerator"].map({accelerator: place for place, accelerator in enumerate(accelerators)})
    kept = kept.assign(order=order).sort_values("order", kind="stable").head(DRAWN)
    return in_words(kept.drop(columns="order"), name).reset_index(drop=True)


def in_words(ran: pd.DataFrame, name: Names) -> pd.DataFrame:
    """The rows with `name`, what people call the accelerator, and `ran`, the precision in capitals."""
    return ran.assign(name=ran["accelerator"].map(name), ran=ran["precision"].str.upper())


def everywhere(pairs: pd.DataFrame, label: Names, name: Names) -> Finding:
    """What the lower precision gives wherever the record has two; of quantization.side_by_side, all benchmarks."""
    if pairs.empty:
        why = "On no benchmark has an accelerator official results at two precisions in one round."
        return nothing("gain_everywhere", GAIN, why)
    best = pairs.loc[interval.of(pairs, "speedup").middle.idxmax()]
    sentence = (
        f"Where one accelerator ran two precisions in one round, the lower gave "
        f"{more_than(span(pairs, 'speedup'), 'the wider')}: "
        f"{counted(len(pairs), 'pair')} on {counted(pairs['benchmark'].nunique(), 'benchmark')}."
    )
    where_most = f"Most on {with_article(name(best['accelerator']))}, {label(best['benchmark'])} {best['scenario']}."
    return Finding("gain_everywhere", span(pairs, "speedup"), GAIN, sentence, cited(pairs), of_rows(pairs), where_most)


def pair_rows(pairs: pd.DataFrame, label: Names, name: Names) -> pd.DataFrame:
    """The pairs as a figure draws them, DRAWN at most, highest gain first: `what` names accelerator and benchmark."""
    order = interval.of(pairs, "speedup").middle.sort_values(ascending=False, kind="stable").index
    rows = pairs.loc[order].head(DRAWN)
    records = as_dicts(rows)
    return rows.assign(
        what=[f"{name(row['accelerator'])}\n{label(row['benchmark'])}" for row in records],
        over=[f"{row['lower'].upper()} over {row['wider'].upper()}" for row in records],
        run=[f"{row['scenario']}, {row['round']}" for row in records],
    )


def changed(rows: pd.DataFrame, name: Names) -> Finding:
    """What a submitter's change of precision from one round to the next went with; of quantization.changed."""
    unit = "times the throughput per accelerator of the round before"
    if rows.empty:
        why = "No submitter changed the precision of an accelerator from one round to the next."
        return nothing("precision_changed", unit, why)
    sentence = (
        f"In {counted(len(rows), 'case')} a submitter changed precision between two rounds and got "
        f"{ranged(rows, 'gain')} times as much, by software and precision together: "
        f"{listed(map(name, rows['accelerator']))}."
    )
    return Finding("precision_changed", span(rows, "gain"), unit, sentence, cited(rows), of_rows(rows))


def changed_rows(rows: pd.DataFrame, label: Names, name: Names) -> pd.DataFrame:
    """The rows of quantization.changed with the columns of CHANGED."""
    ran = [f"{row['before'].upper()} to {row['after'].upper()}" for row in as_dicts(rows)]
    called = rows["accelerator"].map(name)
    return rows.assign(benchmark=rows["benchmark"].map(label), name=called, ran=pd.Series(ran, rows.index, "str"))


def fit(held: pd.DataFrame, accelerator: str, label: str, name: Names) -> Finding:
    """How many accelerators the weights need at each precision."""
    unit = "accelerators that hold the weights alone, in a group of a power of two"
    rows = held[held["accelerator"].eq(accelerator)]
    if rows.empty:
        why = f"The parameters of {label} or the memory of {with_article(name(accelerator))} are not known."
        return nothing("accelerators_needed", unit, why)
    accelerator_name = name(accelerator)
    by_need = {
        need: listed(map(str.upper, rows_of_need["precision"]), most=9) for need, rows_of_need in rows.groupby("needed")
    }
    words = [
        f"{need} {accelerator_name if need == 1 else many_of(accelerator_name)} at {ran}"
        for need, ran in sorted(by_need.items())[::-1]
    ]
    sentence = f"The weights of {label} need {listed(words, most=9)}."
    ends = Interval(rows["needed"].min(), rows["needed"].max())
    return Finding("accelerators_needed", ends, unit, sentence, ["datasheets"])


def fit_everywhere(held: pd.DataFrame, label: str, name: Names) -> Finding:
    """Which accelerators hold the weights alone at half the bytes of fp16."""
    unit = "accelerators of which one holds the weights at fp8"
    if held.empty:
        return nothing("single_accelerators", unit, f"The number of parameters of {label} is not known.")
    at_fp8 = held[held["precision"].eq("fp8")]
    single = at_fp8[at_fp8["needed"].eq(1)].sort_values("memory_gb", kind="stable")
    sentence = f"At a byte a weight, {len(single)} of {len(at_fp8)} accelerators hold it alone"
    sentence += (
        f", from {single['memory_gb'].iloc[0]:g} GB ({name(single['accelerator'].iloc[0])}) up" if len(single) else ""
    )
    return Finding("single_accelerators", exactly(len(single)), unit, f"{sentence}.", ["datasheets"])


def accuracy(price: pd.DataFrame, label: Names) -> Finding:
    """What the stricter accuracy target costs in official results, of price_of_accuracy by benchmark."""
    if price.empty:
        return nothing("price_of_accuracy", KEPT, "No system has a result of its own for each accuracy target here.")
    rows = accuracy_rows(price, label)
    least_kept, most_kept = rows.iloc[0], rows.iloc[-1]
    sentence = f"At 99.9 % accuracy systems keep {_percent(least_kept)} of their throughput on {least_kept['name']}"
    sentence += f", and {_percent(most_kept)} on {most_kept['name']}" if len(rows) > 1 else ""
    return Finding(
        "price_of_accuracy", span(price, "kept"), KEPT, f"{sentence}.", cited(price), of_rows(price, "benchmark")
    )


def accuracy_rows(price: pd.DataFrame, label: Names) -> pd.DataFrame:
    """The benchmarks of price_of_accuracy with what is left least first, DRAWN at most, and how many runs it is of."""
    order = interval.of(price, "kept").middle.sort_values(kind="stable").index
    rows = price.loc[order].head(DRAWN)
    runs = [_runs(rows.loc[[index]]) for index in rows.index]
    return rows.assign(name=rows["benchmark"].map(label), runs=pd.Series(runs, rows.index, "str"))


def accuracy_table(price: pd.DataFrame, label: Names, name: Names) -> pd.DataFrame:
    """The rows of price_of_accuracy by accelerator with the columns of ACCURACY, what is left least first."""
    order = interval.of(price, "kept").middle.sort_values(kind="stable").index
    rows = price.loc[order]
    pairs = zip(rows["precision"], rows["precision_loose"], strict=True)
    ran = [" and ".join(precision.upper() or "not stated" for precision in pair) if any(pair) else "" for pair in pairs]
    return rows.assign(benchmark=rows["benchmark"].map(label), name=rows["accelerator"].map(name), precisions=ran)


def under_other_choice(pairs: pd.DataFrame, pairs_here: pd.DataFrame, topic: str, name: Names) -> Finding:
    """Whether the gain of the lower precision is another in the scenario of `topic`; of quantization.side_by_side.

    It is none where both are of the same precisions and their ranges share a value, or are the same in words.
    """
    if pairs.empty:
        return nothing("under_another_choice", GAIN, f"{topic} has no accelerator with two precisions in one round.")
    row = pairs.iloc[0]
    gain = _gained(row)
    words_on_gain = f"{row['lower'].upper()} gives {more_than(gain, row['wider'].upper())}"
    if pairs_here.empty:
        sentence = f"Yes: {words_on_gain} on {topic}."
    else:
        pair_here = pairs_here.iloc[0]
        gain_here = _gained(pair_here)
        same_precisions = all(row[key] == pair_here[key] for key in ("lower", "wider"))
        alike = gained(gain) == gained(gain_here)
        verdict = "No" if same_precisions and (alike or gain.overlaps(gain_here)) else "Yes"
        where = (
            topic
            if row["accelerator"] == pair_here["accelerator"]
            else f"{with_article(name(row['accelerator']))}, {topic}"
        )
        beside = " too" if same_precisions and alike else f", against {gained(gain_here)} above"
        sentence = f"{verdict}: {words_on_gain} on {where}{beside}."
    return Finding("under_another_choice", gain, GAIN, sentence, cited(pairs.head(1)), row["notes"])


def held_rows(held: pd.DataFrame, name: Names) -> pd.DataFrame:
    """One row per accelerator with a column per precision, the largest memory first."""
    wide = held.pivot(index=["accelerator", "memory_gb"], columns="precision", values="needed").reset_index()
    wide = wide.sort_values("memory_gb", ascending=False, kind="stable")
    return wide.assign(name=wide["accelerator"].map(name))


def _gained(row: pd.Series | Mapping) -> Interval:
    """By whom both precisions ran, at one size; where nobody did, of all systems over the fastest at the wider one."""
    return span(row, "pairs" if row["pairs"] else "spread")


def _runs(rows: pd.DataFrame) -> str:
    return counted(int(rows["systems"].sum()), "run")


def _percent(row: pd.Series | Mapping) -> str:
    """The share of throughput that is kept, in whole per cent."""
    ends = [f"{100 * row[f'kept_{end}']:.0f}" for end in ("low", "high")]
    return f"{' to '.join(dict.fromkeys(ends))} %"
