"""Load the official results of MLPerf Inference as one tidy frame, ready to compare."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.paths import official_files

TOKENS = "tokens/s"
# How systems that run below their rated power are named: MaxQ by NVIDIA, EE (energy-efficient) by Qualcomm, or a cap in
# parentheses. Others state the limit.
CAPPED_NAME = r",? ?\b(?:MaxQ|EE)\b| ?\([^()]*(?i:power[ _]?cap)[^()]*\)"
NO_PRECISION_LABEL = "not stated"
READ = [
    "id", "round", "source_id", "result_id", "location", "division", "availability", "suite", "submitter", "system",
    "accelerator", "accelerator_count", "nodes", "benchmark", "model_run", "accuracy_target", "scenario", "metric",
    "low", "high", "unit", "tokens_per_sample", "samples_per_second", "tokens_per_second", "precision",
    "precision_basis", "framework", "serving_software", "hypervisor", "power_measured", "power_watts_low",
    "power_watts_high", "power_limit_watts", "energy_millijoules_per_query", "accuracy", "inferred", "duplicate_of",
    "note", "corrected", "ttft_p50_ms", "ttft_p90_ms", "ttft_p99_ms", "tpot_p50_ms", "tpot_p90_ms", "tpot_p99_ms",
    "validity", "recomputed", "recomputed_key", "recomputed_difference", "recomputed_power",
    "recomputed_power_difference", "evidence", "printed_unit",
]  # fmt: skip


def load_results() -> pd.DataFrame:
    """Return every official result and the user's own imports, one row each, ready to compare.

    Single numbers: NaN where unknown, "" for an unknown text. `rate` is the throughput of the whole system in
    `rate_unit`, the unit in which its benchmark is compared; `rate_per_accelerator` divides it by `accelerator_count`.
    `accelerator` is the short name of data/accelerators.csv, `round` an ordered categorical. `caveats` lists codes of
    data/caveats.csv. docs/method.md describes each column.
    """
    return _loaded().copy()


@lru_cache(maxsize=1)
def _loaded() -> pd.DataFrame:
    rows = _record()
    rows = rows.assign(**_identity(rows))
    rows = rows.assign(**_rates(rows))
    rows = rows.assign(**_service(rows), accuracy_percent=accuracy_percent(rows), **_conditions(rows))
    rows = rows.assign(precision_label=_precision_labels(rows), caveats=_caveats(rows))
    return rows.drop(columns=["low", "high", "power_watts_low", "power_watts_high", "tokens_assumed"])


def _record() -> pd.DataFrame:
    """Return the corrected rows of the record; a row of the user's own replaces the shipped one of the same id."""
    shipped = [part["path"] for part in tables.descriptor()["results"]["parts"]]
    frames = [pd.read_parquet(path, columns=READ) for path in official_files(shipped)]
    rows = pd.concat(frames, ignore_index=True).drop_duplicates("id", keep="last", ignore_index=True)
    return tables.corrected(rows, "official", "id")


def _identity(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return short names, vendor, machine, rated watts, and the round, ordered, with its publication date."""
    parts = tables.accelerators.set_index("accelerator")
    benchmarks, rounds = tables.benchmarks.set_index("benchmark"), tables.rounds.set_index("round")
    order = sorted(
        {*rounds.index, *rows["round"]}, key=lambda name: [int(n) for n in name.removeprefix("v").split(".")]
    )
    spelling = rows["submitter"].groupby(rows["submitter"].str.casefold()).agg(lambda names: names.mode().iloc[-1])
    machine = [
        "".join(filter(str.isalnum, system.replace(software, "").casefold())) if software else system
        for system, software in zip(rows["system"], rows["serving_software"], strict=True)
    ]
    return {
        "round": pd.Categorical(rows["round"], order, ordered=True),
        "published": pd.to_datetime(rows["round"].map(rounds["published"]), errors="coerce"),
        "submitter": rows["submitter"].str.casefold().map(spelling),
        "machine": pd.Series(machine, rows.index, dtype="str"),
        "vendor": rows["accelerator"].map(parts["vendor"]).fillna(""),
        "kind": rows["accelerator"].map(parts["kind"]).fillna(""),
        "rated_watts": rows["accelerator"].map(parts["power_limit_w"]),
        "accelerator": names.short(rows["accelerator"]),
        "model": rows["benchmark"].map(benchmarks["label"]).fillna(rows["benchmark"]),
        "comparable_since": _comparable_since(rows),
    }


def _comparable_since(rows: pd.DataFrame) -> pd.Series:
    """Return the first round with which each result may be compared, by MLCommons' compatibility table."""
    order = {name: place for place, name in enumerate(tables.rounds["round"])}
    newest = max(order.values()) + 1
    kinds = rows[["benchmark", "scenario", "round"]].drop_duplicates()
    since = pd.Series("", kinds.index, dtype="str")
    place = kinds["round"].map(order).fillna(newest)
    for span in tables.compatibility.sort_values("since", key=lambda names: names.map(order)).itertuples():
        applies = place.ge(order[span.since]) & place.le(order.get(span.until, newest))
        applies &= kinds["benchmark"].eq(span.benchmark) | (span.benchmark == "")
        applies &= kinds["scenario"].eq(span.scenario) | (span.scenario == "")
        since[applies] = span.since
    kinds = kinds.assign(since=since)
    return rows.merge(kinds, how="left", on=["benchmark", "scenario", "round"])["since"].set_axis(rows.index)


def _rates(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return each rate in the unit in which its benchmark is compared, converted with the run's tokens per sample.

    Where the run does not state them, the middle of the benchmark's range is taken (`tokens_assumed`).
    """
    facts = tables.benchmarks.set_index("benchmark").reindex(rows["benchmark"]).set_axis(rows.index)
    server = facts["server_unit"].where(rows["scenario"].ne("Offline"), "")
    unit = facts["compared_in"].fillna("").mask(lambda names: names.eq(""), server)
    unit = unit.mask(lambda names: names.fillna("").eq(""), facts["offline_unit"]).fillna("").astype("str")
    is_rate, value = rows["metric"].eq("throughput"), (rows["low"] + rows["high"]) / 2
    unit = unit.mask(unit.eq("") | ~is_rate, rows["unit"])
    assumed_tokens = (facts["tokens_per_sample_low"] + facts["tokens_per_sample_high"]) / 2
    tokens = rows["tokens_per_sample"].fillna(assumed_tokens)
    to_tokens, from_tokens = unit.eq(TOKENS) & rows["unit"].ne(TOKENS), unit.ne(TOKENS) & rows["unit"].eq(TOKENS)
    rate = value.mask(to_tokens, value * tokens).mask(from_tokens, value / tokens).where(is_rate)
    one_type = rows["accelerator"].ne("mixed") & rows["accelerator_count"].gt(0)
    return {
        "value": value,
        "rate": rate,
        "rate_unit": unit,
        "rate_per_accelerator": (rate / rows["accelerator_count"]).where(one_type),
        "tokens_assumed": is_rate & (to_tokens | from_tokens) & rows["tokens_per_sample"].isna(),
        "power_watts": (rows["power_watts_low"] + rows["power_watts_high"]) / 2,
    }


def _service(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the interactivity that each run guarantees at p99: of its log, else of the scenario's TPOT limit."""
    limit = tpot_limits(rows)
    limit = limit.where(rows["metric"].eq("throughput") & rows["rate_unit"].eq(TOKENS))
    logged = rows["tpot_p99_ms"].where(rows["scenario"].isin(["Server", "Interactive"]))
    basis = np.select([logged.notna(), limit.notna()], ["log", "limit"], "")
    return {"tokens_per_second_per_user": 1000 / logged.fillna(limit), "interactivity_basis": basis}


def rule_limits(quantity: str) -> pd.Series:
    """Return the p99 limits of a quantity of data/benchmark_limits.csv by benchmark and scenario.

    The rules' own rows count, not what documents print of them.
    """
    rows = tables.benchmark_limits
    rows = rows[rows["quantity"].eq(quantity) & rows["source_id"].eq("mlcommons-rules")]
    return rows.drop_duplicates(["benchmark", "scenario"]).set_index(["benchmark", "scenario"])["high"]


def tpot_limits(rows: pd.DataFrame, quantity: str = "tpot_p99_limit") -> pd.Series:
    """Return the p99 limit (ms) of the scenario of each row, NaN where it has none."""
    return rule_limits(quantity).reindex(pd.MultiIndex.from_frame(rows[["benchmark", "scenario"]])).set_axis(rows.index)


def timed_benchmarks() -> list[str]:
    """Return the benchmarks whose rules limit the time per output token, in the order of the table."""
    return rule_limits("tpot_p99_limit").index.unique("benchmark").tolist()


def accuracy_percent(rows: pd.DataFrame) -> pd.Series:
    """Return the accuracy of each run in percent of its reference: the lowest over the benchmark's metrics.

    `rows` have round, benchmark, model_run, and the text `accuracy`, such as "ROUGE1: 44.5 ROUGE2: 22.1" or a bare
    number, which is the benchmark's first metric. The references are those of data/accuracy_targets.csv.
    """
    targets = tables.accuracy_targets
    targets = targets[targets["quantity"].eq("quality")]
    kinds = rows.loc[rows["accuracy"].ne(""), ["round", "benchmark", "model_run", "scenario", "accuracy"]]
    kinds = kinds.astype({"round": "str"}).drop_duplicates()
    found = kinds["accuracy"].str.extractall(r"(?:(?P<metric>[A-Za-z]\w*):\s*)?(?P<score>\d+\.?\d*(?:e-?\d+)?)")
    scores = kinds.join(found.droplevel("match")).assign(kind=lambda frame: frame.index)
    first = targets.drop_duplicates(["round", "benchmark"]).set_index(["round", "benchmark"])["metric"]
    named = first.reindex(pd.MultiIndex.from_frame(scores[["round", "benchmark"]])).set_axis(scores.index)
    scores = scores.assign(metric=scores["metric"].fillna(named), score=scores["score"].astype(float))
    references = targets.drop_duplicates(["round", "benchmark", "metric", "scenario"])
    by_scenario = references[references["scenario"].ne("")][["round", "benchmark", "metric", "scenario", "reference"]]
    anywhere = references[references["scenario"].eq("")][["round", "benchmark", "metric", "reference"]]
    scores = scores.merge(by_scenario, how="left", on=["round", "benchmark", "metric", "scenario"])
    scores = scores.merge(anywhere, how="left", on=["round", "benchmark", "metric"], suffixes=("", "_any"))
    reference = scores["reference"].fillna(scores["reference_any"])
    # Fractions and percents of one score both occur: 0.8724 is 87.24%.
    scale = np.where((reference > 1.5) & (scores["score"] <= 1), 100, 1)
    lowest = (scores["score"] * scale / reference * 100).groupby(scores["kind"]).min()
    kinds = kinds.assign(percent=lowest.reindex(kinds.index))
    on = ["round", "benchmark", "model_run", "scenario", "accuracy"]
    return rows[on].astype({"round": "str"}).merge(kinds, how="left", on=on)["percent"].set_axis(rows.index)


def _conditions(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return whether the system ran below its rated power limit: by its name, or by the limit that it states."""
    capped = rows["system"].str.contains(CAPPED_NAME, regex=True)
    return {"power_capped": capped | rows["power_limit_watts"].lt(rows["rated_watts"])}


def _precision_labels(rows: pd.DataFrame) -> pd.Series:
    """Return the precision as a page may print it, with what it is known from: "FP8 (declared)".

    GPT-OSS is published with MXFP4 weights, whatever the accelerator computes in.
    """
    basis = rows["precision_basis"].where(rows["precision_basis"].ne("unknown"), "")
    label = rows["precision"].str.upper() + (" (" + basis + ")").where(basis.ne(""), "")
    mxfp4 = rows["benchmark"].eq("gpt-oss-120b") & rows["precision"].eq("fp4")
    return label.mask(rows["precision"].eq(""), NO_PRECISION_LABEL).mask(mxfp4, "MXFP4 weights")


def _caveats(rows: pd.DataFrame) -> pd.Series:
    """Return the codes of data/caveats.csv that hold for each row alone; `comparable` adds those of a comparison."""
    count, nodes = rows["accelerator_count"], rows["nodes"].where(rows["nodes"].gt(0))
    holds = {
        "preview": rows["availability"].eq("preview"),
        "power_capped": rows["power_capped"],
        "virtualized": rows["hypervisor"].ne(""),
        "inferred": rows["inferred"],
        "precision_unstated": rows["precision"].eq(""),
        "precision_declared": rows["precision"].ne("") & rows["precision_basis"].eq("declared"),
        "tokens_assumed": rows["tokens_assumed"],
        "count_by_name": (count % nodes).gt(0) & rows["accelerator"].ne("mixed"),
        "corrected": rows["corrected"].ne(""),
    }
    return with_codes(pd.Series([[]] * len(rows), rows.index), holds)


def with_codes(caveats: pd.Series, holds: dict[str, pd.Series]) -> pd.Series:
    """Return lists of codes, each with the further codes whose mask holds for its row."""
    masks = np.column_stack([mask.to_numpy(dtype=bool) for mask in holds.values()])
    codes = np.array(list(holds))
    combinations, place = np.unique(masks, axis=0, return_inverse=True)
    added = [codes[combination].tolist() for combination in combinations]
    lists = [[*old, *added[number]] for old, number in zip(caveats, place.ravel(), strict=True)]
    return pd.Series(lists, caveats.index, dtype="object")
