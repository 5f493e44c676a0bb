"""Load the official results of MLPerf Inference as one tidy frame, ready to compare."""

from __future__ import annotations

import os
import re
from functools import cache
from itertools import compress

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow.parquet import ParquetFile

from analysis import tables
from analysis.paths import DATA, SHIPPED_ONLY

TOKENS = "tokens/s"
# How systems that run below their rated power are named: MaxQ by NVIDIA, EE (energy-efficient) by Qualcomm, or a cap in
# parentheses. Others state the limit.
CAPPED_NAME = r",? ?\b(?:MaxQ|EE)\b| ?\([^()]*(?i:power[ _]?cap)[^()]*\)"
NO_PRECISION_LABEL = "not stated"
SCORE = r"(?:([A-Za-z]\w*):\s*)?(\d+\.?\d*(?:e-?\d+)?)"  # in a text on accuracy: the metric, where named, and number
READ = [
    "id", "round", "source_id", "result_id", "location", "division", "availability", "suite", "submitter", "system",
    "accelerator", "accelerator_count", "nodes", "benchmark", "model_run", "accuracy_target", "scenario", "metric",
    "low", "high", "unit", "tokens_per_sample", "samples_per_second", "tokens_per_second", "precision",
    "precision_basis", "framework", "serving_software", "hypervisor", "power_measured", "power_watts_low",
    "power_watts_high", "power_limit_watts", "energy_millijoules_per_query", "accuracy", "inferred", "duplicate_of",
    "note", "corrected", "ttft_p50_ms", "ttft_p90_ms", "ttft_p99_ms", "tpot_p50_ms", "tpot_p90_ms", "tpot_p99_ms",
    "validity", "recomputed", "recomputed_key", "recomputed_difference", "recomputed_power",
    "recomputed_power_difference", "evidence", "printed_unit", "scheduled_samples_per_second", "errors",
]  # fmt: skip


def load_results() -> pd.DataFrame:
    """Return every official result and the user's own imports, one row each, ready to compare.

    Numbers are single values; an unknown number is NaN, an unknown text "". `rate` is the throughput of the whole
    system in `rate_unit`, the unit in which its benchmark is compared; `rate_per_accelerator` divides it by
    `accelerator_count`. `accelerator` is the short name of data/accelerators.csv, `round` an ordered categorical.
    `caveats` lists codes of data/caveats.csv. docs/method.md describes the main columns, data/README.md those of the
    files.
    """
    tables.follow_edits()
    return _loaded().copy(deep=False)  # pandas copies what is written to


@cache  # the whole record; tables.forget clears it
def _loaded() -> pd.DataFrame:
    files = [DATA / part["path"] for part in tables.descriptor()["results"]["parts"]]
    if os.environ.get(SHIPPED_ONLY) != "shipped":
        files += sorted({*(DATA / "official").glob("*.parquet")} - {*files})
    parts = []
    for path in files:
        try:
            if not path.is_file():  # a pipe would be read forever
                raise ValueError("is not a regular file")
            part = ParquetFile(path).read(columns=READ).select(READ)
            parts.append(part.cast(parts[0].schema) if parts else part)
        except (OSError, ValueError, KeyError) as error:
            why = str(error).replace("\n", "; ")[:200]
            raise ValueError(f"{path}: cannot be read as results; remove it or import it again: {why}") from None
    rows = pa.concat_tables(parts).combine_chunks().to_pandas(ignore_metadata=True)
    # A row of the user's own replaces the shipped one of the same id.
    rows = tables.corrected(rows.drop_duplicates("id", keep="last", ignore_index=True), "official", "id")
    rows = rows.assign(**_identity(rows), stack=_stacks(rows))
    rows = rows.assign(**_rates(rows), accuracy_percent=accuracy_percent(rows))
    rows = rows.assign(caveats=_caveats(rows))
    return rows.drop(columns=["low", "high", "power_watts_low", "power_watts_high", "tokens_assumed"])


def _identity(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return names, round (ordered), precision in words, and whether the system ran below its rated power limit.

    A model that is published in one format has its weights in it, whatever the accelerator computes in.
    """
    parts = tables.accelerators.set_index("accelerator")[["label", "vendor", "kind", "power_limit_w"]]
    part = parts.reindex(rows["accelerator"]).set_axis(rows.index)
    order = sorted(
        {*tables.rounds["round"], *rows["round"].unique()},
        key=lambda name: [int(n) for n in name.removeprefix("v").split(".")],
    )
    published = pd.to_datetime(tables.rounds.set_index("round")["published"])
    submitters = rows["submitter"].value_counts().sort_index().sort_values(kind="stable").index
    spelling = {name.casefold(): name for name in submitters}  # the most common one comes last
    basis = rows["precision_basis"].where(rows["precision_basis"].ne("unknown"), "")
    precision = rows["precision"].str.upper() + (" (" + basis + ")").where(basis.ne(""), "")
    facts = tables.benchmarks.set_index("benchmark")
    published_in = rows["benchmark"].map(facts["published_format"]).fillna("")
    precision = precision.mask(published_in.ne(""), published_in + " weights")
    capped = {name for name in rows["system"].unique() if re.search(CAPPED_NAME, name)}
    served = rows.loc[rows["serving_software"].ne(""), ["system", "serving_software"]]
    machine = rows["system"].copy()
    machine[served.index] = [
        re.sub(r"[\W_]+", "", system.replace(software, "").casefold())
        for system, software in zip(served["system"], served["serving_software"], strict=True)
    ]
    return {
        "round": pd.Categorical(rows["round"], order, ordered=True),
        "published": rows["round"].map(published),
        "submitter": rows["submitter"].map({name: spelling[name.casefold()] for name in submitters}),
        "machine": machine,
        "vendor": part["vendor"].fillna(""),
        "kind": part["kind"].fillna(""),
        "rated_watts": part["power_limit_w"],
        "power_capped": rows["system"].isin(capped) | rows["power_limit_watts"].lt(part["power_limit_w"]),
        "accelerator": part["label"].fillna(rows["accelerator"]),
        "model": rows["benchmark"].map(facts["label"]).fillna(rows["benchmark"]),
        "precision_label": precision.mask(rows["precision"].eq(""), NO_PRECISION_LABEL),
        "comparable_since": _comparable_since(rows),
    }


def _stacks(rows: pd.DataFrame) -> pd.Series:
    """Return the serving stack that each result of a language model states, "" where none, by data/serving_stacks.csv.

    A system description covers all models of a submission: the first stack named is used, unless one is known to serve
    this benchmark. In v5.0 the stack is part of the system name.
    """
    spelled = {
        (re.compile(rf"(?<![a-z]){re.escape(row.spelling)}(?![a-z])", re.IGNORECASE), row.benchmark): row.stack
        for row in tables.serving_stacks.itertuples()
    }

    def stated(benchmark: str, *texts: str) -> str:
        text = "; ".join(texts)
        found = [
            (not only, match.start(), stack)
            for (spelling, only), stack in spelled.items()
            if only in ("", benchmark) and (match := spelling.search(text))
        ]
        return min(found, default=(True, 0, ""))[-1]

    facts = tables.benchmarks
    language = facts.loc[facts["offline_unit"].eq(TOKENS) | facts["layers"].notna(), "benchmark"]
    texts = rows.loc[rows["benchmark"].isin(language), ["benchmark", "serving_software", "framework", "system"]]
    kinds = texts.drop_duplicates()
    stacks = pd.Series([stated(*kind) for kind in kinds.itertuples(index=False)], pd.MultiIndex.from_frame(kinds))
    found = pd.Series("", rows.index, dtype="str")
    found[texts.index] = stacks.reindex(pd.MultiIndex.from_frame(texts)).to_numpy()
    return found


def _comparable_since(rows: pd.DataFrame) -> pd.Series:
    """Return the first round with which each result may be compared, by MLCommons' compatibility table."""
    order = {name: place for place, name in enumerate(tables.rounds["round"])}
    on = ["benchmark", "scenario", "round"]
    kinds = rows[on].drop_duplicates().assign(since="")
    place = kinds["round"].map(order).fillna(len(order))
    spans = tables.compatibility.sort_values("since", key=lambda names: names.map(order), kind="stable")
    for span in spans.itertuples():  # a later one holds where two apply
        applies = place.between(order[span.since], order.get(span.until, len(order)))
        for name, valid in (("benchmark", span.benchmark), ("scenario", span.scenario)):
            applies &= kinds[name].eq(valid) | (valid == "")
        kinds.loc[applies, "since"] = span.since
    return rows[on].merge(kinds, how="left", on=on)["since"].set_axis(rows.index)


def _rates(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return each rate in the unit in which its benchmark is compared, and the interactivity that it guarantees at p99.

    Rates are converted with the run's tokens per sample; where it does not state them, the middle of the benchmark's
    range is taken (`tokens_assumed`). Interactivity is that of the log, else that of the scenario's TPOT limit.
    """
    facts = tables.benchmarks.set_index("benchmark")
    facts = facts.assign(offline=facts["compared_in"].mask(facts["compared_in"].eq(""), facts["offline_unit"]))
    facts["server"] = facts["server_unit"].where(
        facts["compared_in"].eq("") & facts["server_unit"].ne(""), facts["offline"]
    )
    facts = facts[["offline", "server", "tokens_per_sample_low", "tokens_per_sample_high"]]
    facts = facts.reindex(rows["benchmark"]).set_axis(rows.index)
    unit = facts["offline"].where(rows["scenario"].eq("Offline"), facts["server"]).fillna("")
    is_rate, value = rows["metric"].eq("throughput"), (rows["low"] + rows["high"]) / 2
    unit = unit.mask(unit.eq("") | ~is_rate, rows["unit"])
    assumed_tokens = (facts["tokens_per_sample_low"] + facts["tokens_per_sample_high"]) / 2
    tokens = rows["tokens_per_sample"].fillna(assumed_tokens)
    to_tokens, from_tokens = unit.eq(TOKENS) & rows["unit"].ne(TOKENS), unit.ne(TOKENS) & rows["unit"].eq(TOKENS)
    rate = value.mask(to_tokens, value * tokens).mask(from_tokens, value / tokens).where(is_rate)
    one_type = rows["accelerator"].ne("mixed") & rows["accelerator_count"].gt(0)
    limit = rule_limits("tpot_p99_limit", rows).where(is_rate & unit.eq(TOKENS))
    logged = rows["tpot_p99_ms"].where(rows["scenario"].isin(["Server", "Interactive"]))
    return {
        "value": value,
        "rate": rate,
        "rate_unit": unit,
        "rate_per_accelerator": (rate / rows["accelerator_count"]).where(one_type),
        "tokens_assumed": is_rate & (to_tokens | from_tokens) & rows["tokens_per_sample"].isna(),
        # samples_per_second of language models is logged or empty, so this is the length of the answers of the run
        "tokens_per_answer": (rows["tokens_per_second"] / rows["samples_per_second"]).where(
            is_rate & rows["evidence"].eq("log")
        ),
        "power_watts": (rows["power_watts_low"] + rows["power_watts_high"]) / 2,
        "tokens_per_second_per_user": 1000 / logged.fillna(limit),
        "interactivity_basis": np.select([logged.notna(), limit.notna()], ["log", "limit"], ""),
    }


def rule_limits(quantity: str, rows: pd.DataFrame | None = None) -> pd.Series:
    """Return the p99 limits (ms) of a quantity of data/benchmark_limits.csv by benchmark and scenario.

    With `rows`, return the limit of each row, NaN where it has none. The rules' own figures count, not what documents
    print of them.
    """
    limits = tables.benchmark_limits
    limits = limits[limits["quantity"].eq(quantity) & limits["source_id"].eq("mlcommons-rules")]
    limits = limits.drop_duplicates(["benchmark", "scenario"]).set_index(["benchmark", "scenario"])["high"]
    if rows is None:
        return limits
    return limits.reindex(pd.MultiIndex.from_frame(rows[["benchmark", "scenario"]])).set_axis(rows.index)


@cache  # asked for each model; tables.forget clears it
def timed_benchmarks() -> tuple[str, ...]:
    """Return the benchmarks whose rules limit the time per output token, in the order of the table."""
    return tuple(rule_limits("tpot_p99_limit").index.unique("benchmark"))


def accuracy_percent(rows: pd.DataFrame) -> pd.Series:
    """Return the accuracy of each run in percent of its reference: the lowest over the benchmark's metrics.

    `rows` have round, benchmark, scenario, and the text `accuracy`, such as "ROUGE1: 44.5 ROUGE2: 22.1" or a bare
    number, which is the benchmark's first metric. The references are those of data/accuracy_targets.csv.
    """
    targets = tables.accuracy_targets
    targets = targets[targets["quantity"].eq("quality")]
    kinds = rows[["round", "benchmark", "scenario", "accuracy"]].astype({"round": "str"})
    kind = kinds.groupby(list(kinds), sort=False).ngroup()
    kinds = kinds.assign(kind=kind).drop_duplicates("kind")
    scores = kinds.assign(score=kinds["accuracy"].str.findall(SCORE)).explode("score").dropna(subset="score")
    scores[["metric", "score"]] = pd.DataFrame(scores["score"].tolist(), scores.index, dtype="str")
    on = ["round", "benchmark", "metric", "scenario"]
    references = targets.drop_duplicates(on)[[*on, "reference"]]
    first = references.groupby(on[:2])["metric"].transform("first")
    references = pd.concat([references, references[references["metric"].eq(first)].assign(metric="")])
    scores = scores.merge(references, how="left", on=on)
    anywhere = references[references["scenario"].eq("")].drop(columns="scenario")
    scores = scores.merge(anywhere, how="left", on=on[:3], suffixes=("", "_any"))
    reference, score = scores["reference"].fillna(scores["reference_any"]), scores["score"].astype(float)
    # Fractions and percents of one score both occur: 0.8724 is 87.24%.
    scale = np.where((reference > 1.5) & (score <= 1), 100, 1)
    return kind.map((score * scale / reference * 100).groupby(scores["kind"]).min())


def _caveats(rows: pd.DataFrame) -> pd.Series:
    """Return the caveat codes that apply to each row by itself; `comparable` adds those that arise in a comparison."""
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
    """Return `caveats` with each code of `holds` appended where its mask is true."""
    flags = zip(*holds.values(), strict=True)
    lists = [[*old, *compress(holds, held)] for old, held in zip(caveats, flags, strict=True)]
    return pd.Series(lists, caveats.index, dtype="object")
