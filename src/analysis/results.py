"""Load the official results of MLPerf Inference as one tidy frame, ready to compare."""

from __future__ import annotations

import os
import re
from functools import cache
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow.parquet import ParquetFile

from analysis import tables
from analysis.paths import DATA, SHIPPED_ONLY

TOKENS = "tokens/s"
GROUP = ["benchmark", "scenario"]  # within which results are compared
# How systems that run below their rated power are named: MaxQ by NVIDIA, EE (energy-efficient) by Qualcomm, or a cap in
# parentheses. Others state the limit.
CAPPED_NAME = r",? ?\b(?:MaxQ|EE)\b| ?\([^()]*(?i:power[ _]?cap)[^()]*\)"
NO_PRECISION_LABEL = "not stated"
SCORE = r"(?:(?P<metric>[A-Za-z]\w*):\s*)?(?P<score>\d+\.?\d*(?:e-?\d+)?)"  # in the text of an accuracy
NOT_LOADED = {  # columns of the files: how their authors print a figure, and where
    "origin", "locator", "accelerator_as_published", "batch_size", "printed", "range_basis", "per", "power_printed",
    "power_printed_unit", "per_watt_printed", "per_watt_printed_unit", "per_watt_low", "per_watt_high",
}  # fmt: skip


def load_results() -> pd.DataFrame:
    """Return every official result and the user's own imports, one row each, ready to compare.

    Numbers are single values; an unknown number is NaN, an unknown text "". `rate` is the throughput of the whole
    system in `rate_unit`, the unit in which its benchmark is compared; `rate_per_accelerator` divides it by
    `accelerator_count`. `accelerator` is the short name of data/accelerators.csv, `round` an ordered categorical.
    `caveats` lists codes of data/caveats.csv. docs/method.md describes the main columns, data/README.md those of the
    files.
    """
    tables.follow_edits()
    return _loaded().copy(deep=False)  # pandas copies on write


@cache  # the whole record; cleared by tables.forget
def _loaded() -> pd.DataFrame:
    described = tables.descriptor()["results"]
    read = [field["name"] for field in described["schema"]["fields"] if field["name"] not in NOT_LOADED]
    files = [DATA / part["path"] for part in described["parts"]]
    if os.environ.get(SHIPPED_ONLY) != "shipped":
        files += sorted({*(DATA / "official").glob("*.parquet")} - {*files})
    parts = []
    for path in files:
        try:
            if not path.is_file():  # a pipe would be read forever
                raise ValueError("is not a regular file")
            part = ParquetFile(path).read(columns=read).select(read)
            parts.append(part.cast(parts[0].schema) if parts else part)
        except (OSError, ValueError, KeyError) as error:
            why = str(error).replace("\n", "; ")[:200]
            raise ValueError(f"{path}: cannot be read as results; remove it or import it again: {why}") from None
    rows = pa.concat_tables(parts).combine_chunks().to_pandas(ignore_metadata=True)
    # A row of the user's own replaces the shipped one of the same id.
    rows = tables.corrected(rows.drop_duplicates("id", keep="last", ignore_index=True), "official", "id")
    rows = rows.assign(**_identity(rows))
    rows = rows.assign(**_rates(rows), accuracy_percent=accuracy_percent(rows))
    rows = rows.assign(caveats=_caveats(rows))
    return rows.drop(columns=["low", "high", "power_watts_low", "power_watts_high", "tokens_assumed"])


def _identity(rows: pd.DataFrame) -> dict[str, Any]:
    """Return names, round (ordered), precision in words, and whether the system ran below its rated power limit.

    The label of a model that is published in one format names its weights, whatever the accelerator computes in.
    """
    parts = tables.accelerators.set_index("accelerator")[["label", "vendor", "kind", "power_limit_w"]]
    parts = parts.reindex(rows["accelerator"]).set_axis(rows.index)
    facts = tables.benchmarks.set_index("benchmark")
    rounds = tables.rounds.set_index("round")["published"]
    order = sorted(
        {*rounds.index, *rows["round"].unique()},
        key=lambda name: [int(part) for part in name.removeprefix("v").split(".")],
    )
    spellings = rows["submitter"].groupby(rows["submitter"].str.casefold())
    precision = rows["precision"].str.upper() + " (" + rows["precision_basis"] + ")"
    precision = precision.str.replace(r" \((unknown)?\)$", "", regex=True)
    published_in = rows["benchmark"].map(facts["published_format"]).fillna("")
    precision = precision.mask(published_in.ne(""), published_in + " weights")
    machines = [
        re.sub(r"[\W_]+", "", system.replace(software, "").casefold()) if software else system
        for system, software in zip(rows["system"], rows["serving_software"], strict=True)
    ]
    systems = rows["system"].drop_duplicates()
    capped_by_name = rows["system"].isin(systems[systems.str.contains(CAPPED_NAME)])
    return {
        "round": pd.Categorical(rows["round"], order, ordered=True),
        "published": rows["round"].map(pd.to_datetime(rounds)),
        "submitter": spellings.transform(lambda names: names.mode().iloc[-1]),  # of two equally common the last by name
        "machine": machines,
        "vendor": parts["vendor"].fillna(""),
        "kind": parts["kind"].fillna(""),
        "rated_watts": parts["power_limit_w"],
        "power_capped": capped_by_name | rows["power_limit_watts"].lt(parts["power_limit_w"]),
        "accelerator": parts["label"].fillna(rows["accelerator"]),
        "model": rows["benchmark"].map(facts["label"]).fillna(rows["benchmark"]),
        "precision_label": precision.mask(rows["precision"].eq(""), NO_PRECISION_LABEL),
        "comparable_since": _comparable_since(rows),
        "stack": _stacks(rows),
    }


def _stacks(rows: pd.DataFrame) -> pd.Series:
    """Return the serving stack that each result of a language model states, "" where none, by data/serving_stacks.csv.

    A system description covers all models of a submission: the first stack named is used, unless one is known to serve
    this benchmark. In v5.0 the stack is part of the system name.
    """
    spellings = [
        (re.compile(rf"(?<![a-z]){re.escape(row.spelling)}(?![a-z])", re.IGNORECASE), row.benchmark, row.stack)
        for row in tables.serving_stacks.itertuples()
    ]

    def stated(benchmark: str, *texts: str) -> str:
        text = "; ".join(texts)
        found = [
            (not only, match.start(), stack)
            for spelling, only, stack in spellings
            if only in ("", benchmark) and (match := spelling.search(text))
        ]
        return min(found, default=[""])[-1]

    facts, described = tables.benchmarks, ["benchmark", "serving_software", "framework", "system"]
    language = facts.loc[facts["offline_unit"].eq(TOKENS) | facts["layers"].notna(), "benchmark"]
    kinds = rows.loc[rows["benchmark"].isin(language), described].drop_duplicates()
    kinds = kinds.assign(stack=pd.array([stated(*kind) for kind in kinds.itertuples(index=False)], dtype="str"))
    return rows[described].merge(kinds, how="left")["stack"].fillna("").set_axis(rows.index)


def _comparable_since(rows: pd.DataFrame) -> pd.Series:
    """Return the first round with which each result may be compared, by MLCommons' compatibility table."""
    order = {name: place for place, name in enumerate(tables.rounds["round"])}
    kinds = rows[[*GROUP, "round"]].drop_duplicates()
    spans = kinds.merge(tables.compatibility, how="cross", suffixes=("", "_valid"))
    first, last = spans["since"].map(order), spans["until"].map(order)
    applies = spans["round"].map(order).fillna(len(order)).between(first, last.fillna(len(order)))
    for name in GROUP:
        applies &= spans[f"{name}_valid"].eq(spans[name]) | spans[f"{name}_valid"].eq("")
    spans = spans.assign(first=first)[applies].sort_values("first", kind="stable")
    since = spans.drop_duplicates([*kinds], keep="last")[[*kinds, "since"]]  # where several apply, the latest
    return rows[[*kinds]].merge(since, how="left")["since"].fillna("").set_axis(rows.index)


def _rates(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return each rate in the unit in which its benchmark is compared, and the interactivity that it guarantees at p99.

    Rates are converted with the run's tokens per sample; where it does not state them, the middle of the benchmark's
    range is taken (`tokens_assumed`). Interactivity is that of the log, else that of the scenario's TPOT limit.
    """
    facts = tables.benchmarks.set_index("benchmark").reindex(rows["benchmark"]).set_axis(rows.index)
    is_rate, value = rows["metric"].eq("throughput"), (rows["low"] + rows["high"]) / 2
    compared, server, offline = (facts[name].fillna("") for name in ("compared_in", "server_unit", "offline_unit"))
    server = server.mask(rows["scenario"].eq("Offline"), "")
    unit = rows["unit"].case_when(
        [(~is_rate, rows["unit"]), *((given.ne(""), given) for given in (compared, server, offline))]
    )
    assumed_tokens = (facts["tokens_per_sample_low"] + facts["tokens_per_sample_high"]) / 2
    tokens = rows["tokens_per_sample"].fillna(assumed_tokens)
    to_tokens, from_tokens = unit.eq(TOKENS) & rows["unit"].ne(TOKENS), unit.ne(TOKENS) & rows["unit"].eq(TOKENS)
    rate = value.mask(to_tokens, value * tokens).mask(from_tokens, value / tokens).where(is_rate)
    one_type = rows["accelerator"].ne("mixed") & rows["accelerator_count"].gt(0)
    limit = rows[GROUP].join(rule_limits("tpot_p99_limit"), on=GROUP)
    limit = limit["tpot_p99_limit"].where(is_rate & unit.eq(TOKENS))
    logged = rows["tpot_p99_ms"].where(rows["scenario"].isin(["Server", "Interactive"]))
    # samples_per_second of language models is logged or empty, so this is the length of the answers of the run
    per_answer = rows["tokens_per_second"] / rows["samples_per_second"]
    return {
        "value": value,
        "rate": rate,
        "rate_unit": unit,
        "rate_per_accelerator": (rate / rows["accelerator_count"]).where(one_type),
        "tokens_assumed": is_rate & (to_tokens | from_tokens) & rows["tokens_per_sample"].isna(),
        "tokens_per_answer": per_answer.where(is_rate & rows["evidence"].eq("log")),
        "power_watts": (rows["power_watts_low"] + rows["power_watts_high"]) / 2,
        "tokens_per_second_per_user": 1000 / logged.fillna(limit),
        "interactivity_basis": np.select([logged.notna(), limit.notna()], ["log", "limit"], ""),
    }


def rule_limits(quantity: str) -> pd.Series:
    """Return the p99 limits (ms) of a quantity of data/benchmark_limits.csv by benchmark and scenario.

    Limits are those of the rules, not those that other documents print. The series has the name of the quantity, so
    that `rows.join(rule_limits(quantity), on=["benchmark", "scenario"])` adds the limit of each row.
    """
    limits = tables.benchmark_limits
    limits = limits[limits["quantity"].eq(quantity) & limits["source_id"].eq("mlcommons-rules")]
    return limits.drop_duplicates(GROUP).set_index(GROUP)["high"].rename(quantity)


@cache  # called for each model; cleared by tables.forget
def timed_benchmarks() -> tuple[str, ...]:
    """Return the benchmarks whose rules limit the time per output token, in the order of the table."""
    return tuple(rule_limits("tpot_p99_limit").index.unique("benchmark"))


def accuracy_percent(rows: pd.DataFrame) -> pd.Series:
    """Return the accuracy of each run in percent of its reference: the lowest over the benchmark's metrics.

    `rows` have round, benchmark, scenario, and the text `accuracy`, such as "ROUGE1: 44.5 ROUGE2: 22.1" or a bare
    number, which is the benchmark's first metric. The references are those of data/accuracy_targets.csv; one of the
    scenario counts before one of any scenario ("").
    """
    of = ["round", "benchmark", "metric"]
    references = tables.accuracy_targets.query("quantity == 'quality'").drop_duplicates([*of, "scenario"])
    first = references.groupby(of[:2])["metric"].transform("first")
    bare = references[references["metric"].eq(first)].assign(metric="")
    references = pd.concat([references, bare])[[*of, "scenario", "reference"]]
    runs = rows[["accuracy", *GROUP, "round"]].astype({"round": "str"})
    texts = runs.drop_duplicates(ignore_index=True)  # a fifth of the runs
    scores = texts["accuracy"].str.extractall(SCORE).fillna({"metric": ""}).reset_index(names=["text", "place"])
    scores = scores.join(texts, on="text").merge(references, on=of, suffixes=("", "_valid"))
    scores = scores[scores["scenario_valid"].eq(scores["scenario"]) | scores["scenario_valid"].eq("")]
    scores = scores.sort_values("scenario_valid").drop_duplicates(["text", "place"], keep="last")
    score, reference = scores["score"].astype(float), scores["reference"]
    # Fractions and percents of one score both occur: 0.8724 is 87.24%.
    scale = np.where((reference > 1.5) & (score <= 1), 100, 1)
    texts["percent"] = (score * scale / reference * 100).groupby(scores["text"]).min()
    return runs.merge(texts)["percent"].set_axis(rows.index)


def _caveats(rows: pd.DataFrame) -> pd.Series:
    """Return the caveat codes that apply to each row by itself; `comparable` adds those that arise in a comparison."""
    holds = {
        "preview": rows["availability"].eq("preview"),
        "power_capped": rows["power_capped"],
        "virtualized": rows["hypervisor"].ne(""),
        "inferred": rows["inferred"],
        "precision_unstated": rows["precision"].eq(""),
        "precision_declared": rows["precision"].ne("") & rows["precision_basis"].eq("declared"),
        "tokens_assumed": rows["tokens_assumed"],
        "count_by_name": (rows["accelerator_count"] % rows["nodes"]).gt(0) & rows["accelerator"].ne("mixed"),
        "corrected": rows["corrected"].ne(""),
    }
    return with_codes(pd.Series([[]] * len(rows), rows.index), holds)


def with_codes(caveats: pd.Series, holds: dict[str, pd.Series]) -> pd.Series:
    """Return `caveats` with each code of `holds` appended where its mask is true."""
    flags = zip(*holds.values(), strict=True)
    lists = [[*old, *compress(holds, held)] for old, held in zip(caveats, flags, strict=True)]
    return pd.Series(lists, caveats.index, dtype="object")
