"""The words of the quantization report, from frames of quantization.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from analysis.answers.words import counted, finding_name, listed, ranged, span
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval
from analysis.core.notes import Notes, note, of_rows

GAIN = "times the throughput of the reference precision"
PRECISIONS = {name: f"At {name}" for name in ("fp16", "fp8", "int8", "int4", "fp4")}


def front(rows: pd.DataFrame, reference: str) -> Finding:
    """Which techniques are left to choose from, and which another makes needless: nowhere better, somewhere worse."""
    unit = "techniques that no other beats in speed, memory and quality at once"
    if rows.empty:
        why = f"No document that is asked for prints the throughput of {reference} and another precision here."
        return nothing("pareto_front", unit, why)
    best, out = rows[rows["dominated_by"].eq("")], rows[rows["dominated_by"].ne("")]
    pairs = list(zip(out["technique"], out["dominated_by"], strict=True))
    beaten = listed(
        f"{slower} {'is nowhere better ' * (place == 0)}than {better}" for place, (slower, better) in enumerate(pairs)
    )
    left = f"{listed(best['technique'])} {'is' if len(best) == 1 else 'are'} left to choose from"
    sentence = f"In speed, memory and quality {beaten}; {left}." if beaten else f"By speed, memory and quality {left}."
    return Finding("pareto_front", exactly(len(best)), unit, sentence, cited(rows), _warned(rows))


def doubling(gains: pd.DataFrame, technique: str, labels: Mapping[str, str]) -> Finding:
    """What a table gives for one technique against what is said of it; `labels` name the documents."""
    name, about = f"gain_{finding_name(technique)}", gains[gains["technique"].eq(technique)]
    table, stated = about[about["statement"].eq("from the table")], about[about["statement"].eq("stated")]
    if table.empty:
        return nothing(name, GAIN, f"No table has {technique} beside its reference precision.")
    row = table.iloc[0]
    per_accelerator = about[about["statement"].eq("from the table, per accelerator")].iloc[0]
    whose = labels[row["source_id"]]
    sentence = f"In the table of {whose} {technique} gives {ranged(row, 'gain')} times the reference's throughput"
    if len(stated):
        statements = [
            f"{labels[name]} says {listed(ranged(gain, 'gain') for _, gain in part.iterrows())}"
            for name, part in stated.groupby("source_id", sort=False)
        ]
        sentence += f", where in words {listed(statements)}"
    sentence += f"; per accelerator it is {ranged(per_accelerator, 'gain')} times."
    return Finding(name, span(row, "gain"), GAIN, sentence, cited(about), _warned(table))


def gains(rows: pd.DataFrame, labels: Mapping[str, str]) -> list[Finding]:
    """One finding per technique of a table, but for fp8, whose finding stands in the answer."""
    names = dict.fromkeys(rows.loc[rows["statement"].eq("from the table"), "technique"])
    return [doubling(rows, name, labels) for name in names if name not in ("fp16", "fp8")]


def fit(held: pd.DataFrame, accelerator: str, label: str) -> Finding:
    """How many accelerators the weights need at each precision."""
    unit = "accelerators that hold the weights alone"
    rows = held[held["accelerator"].eq(accelerator)]
    if rows.empty:
        why = f"The parameters of {label} or the memory of {accelerator} are not known: nothing can be fitted."
        return nothing("accelerators_needed", unit, why)
    by_need = {need: listed(part["precision"], most=9) for need, part in rows.groupby("needed", sort=False)}
    words = listed((f"{need} {accelerator} at {precisions}" for need, precisions in by_need.items()), most=9)
    sentence = f"The weights of {label} need {words}."
    return Finding(
        "accelerators_needed", Interval(rows["needed"].min(), rows["needed"].max()), unit, sentence, ["datasheets"]
    )


def fit_everywhere(held: pd.DataFrame, label: str) -> Finding:
    """Which accelerators hold the weights alone at half the bytes of fp16."""
    unit = "accelerators of which one holds the weights at fp8"
    if held.empty:
        return nothing("single_accelerators", unit, f"The number of parameters of {label} is not known here.")
    known = held[held["precision"].eq("fp8")]
    alone = known[known["needed"].eq(1)].sort_values("memory_gb", kind="stable")
    sentence = f"At FP8 {len(alone)} of {counted(len(known), 'accelerator')} hold the weights of {label} alone"
    if len(alone):
        sentence += f", from {alone['accelerator'].iloc[0]} up"
    sentence += "."
    return Finding("single_accelerators", exactly(len(alone)), unit, sentence, ["datasheets"])


def official(rows: pd.DataFrame, topic: str) -> Finding:
    """Which precision ran on which accelerator in the official record, as far as it says so."""
    unit = "official results that say which precision ran"
    if rows.empty:
        return nothing("official_precisions", unit, f"No official result of {topic} to set side by side by precision.")
    known = rows[rows["precision"].ne("unknown")]
    count = int(known["results"].sum())
    sentence = f"Of {rows['results'].sum()} official results of {topic}, {count} say which precision ran"
    words = [
        f"{name.upper()} on {counted(part['accelerator'].nunique(), 'accelerator')}"
        for name, part in known.groupby("precision")
    ]
    headline = ": ".join([sentence, listed(words, len(words))] if words else [sentence])
    return Finding("official_precisions", exactly(count), unit, f"{headline}.", cited(rows))


def official_gain(rows: pd.DataFrame, topic: str) -> Finding:
    """What another precision than FP8 gives on the same accelerator in the official record, best against best."""
    unit = "throughput per accelerator over FP8 results of the same accelerator and round"
    gains = rows[rows["gain_low"].notna()]
    both = len(gains[["basis", "accelerator"]].drop_duplicates())
    of_all = f"{len(rows[['basis', 'accelerator']].drop_duplicates())} pairs of accelerator and round"
    if gains.empty:
        why = f"Of {topic} no accelerator has official results at FP8 and at another precision in one round (0 of "
        return nothing("official_gain", unit, f"{why}{of_all}).")
    words = [
        f"{row['precision'].upper()} gives {interval.of(row, 'gain').text()} times the FP8 of {row['accelerator']} "
        f"({row['basis'].removeprefix('official ')})"
        for row in gains.to_dict("records")
    ]
    sentence = f"On {topic}, best against best, {listed(words)}; {both} of {of_all} ran both."
    return Finding("official_gain", span(gains, "gain"), unit, sentence, cited(gains), of_rows(gains))


def by_accelerator(rows: pd.DataFrame, most: int = 10) -> pd.DataFrame:
    """The rows of each accelerator's newest round, of those `most` accelerators that are fastest, for the figure."""
    newest = rows.drop_duplicates("accelerator")[["accelerator", "basis"]]
    kept = rows.merge(newest, on=["accelerator", "basis"]).sort_values("per_accelerator_high", ascending=False)
    first = list(dict.fromkeys(kept["accelerator"]))[:most]
    return kept[kept["accelerator"].isin(first)].reset_index(drop=True)


def accuracy(rows: pd.DataFrame, label: Callable[[str], str]) -> Finding:
    """What the stricter accuracy target costs in official results. `label` gives a benchmark's name in words."""
    unit = "throughput at the stricter accuracy target over that at the looser"
    if rows.empty:
        return nothing("price_of_accuracy", unit, "No system has a result of its own for each accuracy target here.")
    least = rows.loc[rows["kept_low"].idxmin()]
    systems = counted(int(rows["systems"].sum()), "run")
    sentence = (
        f"At the stricter accuracy target official systems keep {ranged(rows, 'kept')} of their throughput on "
        f"{listed(map(label, rows['benchmark']))} ({systems} at both), {label(least['benchmark'])} on "
        f"{least['accelerator']} least."
    )
    return Finding("price_of_accuracy", span(rows, "kept"), unit, sentence, cited(rows), of_rows(rows))


def routes(rows: pd.DataFrame) -> Finding:
    """The gains of the ways that change the model."""
    unit = "times the throughput of the model that each compares itself with"
    if rows.empty:
        return nothing("open_routes", unit, "No route of the open division is described here.")
    best = rows.loc[interval.of(rows, "gain").middle.idxmax()]
    sentence = (
        f"Changing the model itself is said to give {ranged(rows, 'gain')} times the throughput, most by "
        f"{best['technique']} on {best['benchmark']}."
    )
    return Finding(
        "open_routes", span(rows, "gain"), unit, sentence, cited(rows), frozenset({note("stated_by_submitter")})
    )


def front_under_other_reference(here: pd.DataFrame, there: pd.DataFrame, reference: str) -> Finding:
    """Whether the Pareto front changes with the reference precision."""
    unit = "techniques on both Pareto fronts"
    if here.empty or there.empty:
        return nothing("front_under_another_reference", unit, f"No table has {reference} as a reference to check with.")
    fronts = [set(rows.loc[rows["dominated_by"].eq(""), "technique"]) for rows in (here, there)]
    both = len(fronts[0] & fronts[1])
    verdict = "the same" if fronts[0] == fronts[1] else "another"
    sentence = f"With {reference} as the reference the Pareto front is {verdict}: {both} techniques stand on both."
    return Finding("front_under_another_reference", exactly(both), unit, sentence, cited(there))


def front_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `words` and `on_front`, for the figure."""
    weights = [ranged(row, "weight_memory_gb") for _, row in rows.iterrows()]
    words = [f"{name} ({size} GB)" for name, size in zip(rows["technique"], weights, strict=True)]
    return rows.assign(words=pd.Series(words, index=rows.index, dtype="str"), on_front=rows["dominated_by"].eq(""))


def accuracy_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with what is left least first, by the middle of its range, those of one benchmark together."""
    order = interval.of(rows, "kept").middle.sort_values(kind="stable").index
    place = {name: at for at, name in enumerate(dict.fromkeys(rows.loc[order, "benchmark"]))}
    return rows.loc[order].sort_values("benchmark", key=lambda names: names.map(place), kind="stable")


def held_rows(held: pd.DataFrame) -> pd.DataFrame:
    """One row per accelerator with a column per precision, the largest memory first."""
    wide = held.pivot(index=["accelerator", "memory_gb"], columns="precision", values="needed").reset_index()
    return wide.sort_values("memory_gb", ascending=False, kind="stable")


def _warned(rows: pd.DataFrame) -> Notes:
    """What to say with figures at batch 1, and what the audit doubts about them."""
    return of_rows(rows, "technique") | {note("batch_1_of_one_document")}
