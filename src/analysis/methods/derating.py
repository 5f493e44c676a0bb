"""The share of benchmark throughput retained under latency limits, measured on submitted pairs of scenarios."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis._core import interval, notes, round_order
from analysis._core.interval import Interval
from analysis.methods import benchmark_rules, system_properties
from analysis.methods.system_properties import AVAILABLE, kind, narrowed

RUN = ["basis", "benchmark", "scenario", "accelerator", "accelerator_count", "system_key"]
FILED = [
    "id",
    "evidence",
    "round",
    "division",
    "availability",
    "submitter",
    "system",
    "framework",
    "serving_software",
    "result_id",
    "origin",
]
FILED += ["per_accelerator_low", "per_accelerator_high"]  # of the run under the limit, as far as its rows have them
PAIRED = ["accuracy_target", "precision", "rate_low", "rate_high", "notes"]  # what two runs of a system are compared by
TWO_PRECISIONS = "of two precisions"


def like(measured: pd.DataFrame, limits: pd.DataFrame, benchmark: str) -> pd.DataFrame:
    """The rows of `measured` that say what a benchmark keeps: for a language model those of language models alone.

    For other work all of `measured`.

    `limits` is the table benchmark_limits (see benchmark_rules.language_models).
    """
    language = benchmark_rules.language_models(limits)
    return measured[measured["benchmark"].isin(language)] if benchmark in language else measured


def measured(offline: pd.DataFrame, limited: pd.DataFrame) -> pd.DataFrame:
    """What a latency limit leaves of the Offline throughput, one row per official system, benchmark and scenario.

    Both frames are comparable rows, `limited` of Server or Interactive. Runs pair within one system of one submitter
    and one round (see systems.py), on their accuracy target where it ran for both; what a document prints pairs with
    nothing, for it does not say of which system. Columns: RUN, FILED, kind (see system_properties.kind; TWO_PRECISIONS
    where the two runs state different ones), derate_low/high (a ratio; NaN of a system without an Offline run), rounds
    and source_ids (tuples), notes.
    """
    runs, offline_runs = (rows[rows["origin"].eq("official")] for rows in (limited, offline))
    runs = runs.assign(kind=kind(runs))
    keys = [*RUN, "source_id"]
    sides = (rows[[*keys, *PAIRED]] for rows in (runs, offline_runs))
    pairs = pd.merge(*sides, on=[name for name in keys if name != "scenario"], suffixes=("", "_offline"))
    pairs = system_properties.of_one_target(pairs, [*RUN, "accuracy_target"], "_offline")
    pairs = interval.put(pairs, "derate", interval.of(pairs, "rate") / interval.of(pairs, "rate", "_offline"))
    stated = pairs["precision"].ne("") & pairs["precision_offline"].ne("")
    differ = stated & pairs["precision"].ne(pairs["precision_offline"])
    pairs = pairs.assign(differ=differ, notes=notes.beside(pairs["notes"], pairs["notes_offline"]))
    kept = pairs.groupby(keys).agg(
        derate_low=("derate_low", "min"), derate_high=("derate_high", "max"), differ=("differ", "any"),
        notes=("notes", notes.union),
    )  # fmt: skip
    systems = runs[[name for name in (*keys, *FILED, "kind") if name in runs]].drop_duplicates(keys, ignore_index=True)
    systems = systems.join(kept, on=keys)
    of_two = systems["kind"].eq(AVAILABLE) & systems["differ"].eq(True)
    return systems.assign(
        kind=systems["kind"].mask(of_two, TWO_PRECISIONS),
        notes=[noted if noted == noted else notes.NONE for noted in systems["notes"]],
        rounds=[(name,) for name in systems["round"]],
        source_ids=[(name,) for name in systems["source_id"]],
    ).drop(columns=["source_id", "differ"])


def pooled(measured: pd.DataFrame) -> pd.DataFrame:
    """The systems whose derates make one range: available, bare, of one precision; any pair where none is."""
    paired = measured[measured["derate_low"].notna()]
    return narrowed(paired, paired["kind"].eq(AVAILABLE))


def newest(measured: pd.DataFrame) -> pd.DataFrame:
    """Of `pooled` the systems of the newest round."""
    return round_order.of_newest_round(pooled(measured))


def paired(measured: pd.DataFrame, *others: pd.DataFrame) -> pd.DataFrame:
    """One system of each accelerator with what it keeps under several limits: rows of `measured`, then of the `others`.

    It is of the newest round of `measured`, ran under most of the other limits, is of the usual size where one is,
    and is the fastest of those. Accelerators under most limits first, then the fastest.
    """
    keys = ["basis", "accelerator", "accelerator_count", "system_key"]
    rows, others = newest(measured), [other[other["derate_low"].notna()] for other in others]
    ran = sum((_in(rows[keys], other[keys]) for other in others), np.zeros(len(rows), "int64"))
    rows = rows.assign(_ran=ran, _usual=rows["accelerator_count"].eq(system_properties.USUAL_SIZE))
    by = ["_ran", "_usual", "per_accelerator_high"]
    rows = rows.sort_values(by, ascending=False, kind="stable").drop_duplicates("accelerator")
    rows = rows.sort_values(["_ran", "per_accelerator_high"], ascending=False, kind="stable")
    order = {name: place for place, name in enumerate(rows["accelerator"])}
    shown = pd.concat([rows[list(measured)], *(other.merge(rows[keys]) for other in others)])
    return shown.sort_values("accelerator", key=lambda names: names.map(order), kind="stable", ignore_index=True)


def by_benchmark(measured: pd.DataFrame) -> pd.DataFrame:
    """What the systems of the newest round of each benchmark and scenario keep: one row each, in the order met.

    Columns: benchmark, scenario, round, derate_low/high, derate_median (of the middles of the systems), systems,
    source_ids (a tuple).
    """
    topics = measured.groupby(["benchmark", "scenario"], sort=False)
    kept = pd.concat([measured.head(0), *(newest(part) for _, part in topics)])
    kept = kept.assign(middle=interval.of(kept, "derate").middle)
    return kept.groupby(["benchmark", "scenario", "round"], sort=False).agg(
        derate_low=("derate_low", "min"), derate_high=("derate_high", "max"), derate_median=("middle", "median"),
        systems=("middle", "size"), source_ids=("source_ids", "first"),
    ).reset_index()  # fmt: skip


def in_band(measured: pd.DataFrame, assumed: Interval) -> tuple[int, int, int]:
    """How many systems (once for each benchmark) keep more than the assumed band, a share that meets it, and less."""
    rows = interval.of(measured, "derate")
    above, below = int((rows.low > assumed.high).sum()), int((rows.high < assumed.low).sum())
    return above, len(measured) - above - below, below


def _in(rows: pd.DataFrame, others: pd.DataFrame) -> np.ndarray:
    """Which rows are among the others, all their columns the same."""
    return pd.MultiIndex.from_frame(rows).isin(pd.MultiIndex.from_frame(others))


def layered(rows: pd.DataFrame, layer: str) -> pd.DataFrame:
    """The rate of systems that ran a serving software over that of the same machine without any.

    `rows` are comparable rows, `layer` a name of vocabulary.SERVING_SOFTWARE. Columns: benchmark, scenario,
    accelerator, system_key, share_low/high (a ratio), source_ids.
    """
    keys = ["basis", "benchmark", "scenario", "accuracy_target", "accelerator", "accelerator_count"]
    keys += ["submitter", "machine", "source_id"]
    with_layer, bare = (rows[rows["serving_software"].eq(name)] for name in (layer, ""))
    pairs = with_layer.merge(bare, on=keys, suffixes=("", "_bare"))
    share = interval.of(pairs, "rate") / interval.of(pairs, "rate", "_bare")
    columns = ["benchmark", "scenario", "accelerator", "system_key", "share_low", "share_high", "source_ids"]
    return interval.put(pairs, "share", share).assign(source_ids=[(name,) for name in pairs["source_id"]])[columns]


def causes(under_latency: pd.DataFrame, with_layer: pd.DataFrame, layer: str) -> pd.DataFrame:
    """The four causes that documents name for derating, and what official data measure of each.

    `under_latency` are rows of `measured`, `with_layer` those of `layered`. Columns: cause, measured_by,
    share_low/high (the share, NaN where nothing measures it), systems and benchmarks (how many the range is of).
    """
    latency = (under_latency["derate_low"].min(), under_latency["derate_high"].max(), *_scope(under_latency))
    software = (with_layer["share_low"].min(), with_layer["share_high"].max(), *_scope(with_layer))
    nothing = (np.nan, np.nan, 0, 0)
    scenario = " and ".join(under_latency["scenario"].unique()) or "Server"
    rows = [
        ("batches kept small by latency limits", f"{scenario} over Offline, same system", *latency),
        (
            "requests that come in bursts",
            f"nothing: MLPerf Inference {scenario} arrivals are random but steady",
            *nothing,
        ),
        ("layers of serving software", f"with over without {layer}, same system", *software),
        ("memory shared with other tenants", "nothing: a submission has its system to itself", *nothing),
    ]
    columns = ["cause", "measured_by", "share_low", "share_high", "systems", "benchmarks"]
    return pd.DataFrame(rows, columns=columns)


def _scope(rows: pd.DataFrame) -> tuple[int, int]:
    """How many systems and benchmarks the rows are of."""
    return rows["system_key"].nunique(), rows["benchmark"].nunique()
