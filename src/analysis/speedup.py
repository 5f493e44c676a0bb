"""Explain speedups of `current`: their chain since a baseline's first result, answers, previews, and InferenceX."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from analysis import evidence, names
from analysis.compare import GROUP, USUAL_SIZE, fastest
from analysis.evidence import SPEED, THROUGHPUT
from analysis.results import TOKENS, rule_limits

SPEEDS = (10, 25, 40, 50)  # tokens/s per user at which InferenceX is read


def since_first(rows: pd.DataFrame, table: pd.DataFrame, baseline: str, accelerator: str) -> pd.DataFrame:
    """Return the factors from the first result of `baseline` to the present rate of `accelerator`.

    `rows` are comparable results of one benchmark and scenario, `table` is `current` of them. Columns: accelerator,
    round, value, kind, rate (per accelerator). The first row is the first result, of eight accelerators if there is
    one; then the baseline's gain to the newest round, unless its first result is of that round; `accelerator` over it;
    and the total. A factor is modeled where a rate is carried.
    """
    first = fastest(rows[rows["accelerator"].eq(baseline)], "round").sort_values("round")
    usual = first["accelerator_count"].eq(USUAL_SIZE)
    first = (first[usual] if usual.any() else first).iloc[0]
    ends = table.set_index("accelerator").loc[[baseline, accelerator]]
    begin, (base, end) = first["rate_per_accelerator"], ends["rate"]
    of_base, both = ends["measured"].iloc[0], ends["measured"].all()
    newest = rows["round"].max()
    steps = [
        (baseline, first["round"], 1.0, "total", begin),
        (baseline, newest, base / begin, "measured" if of_base else "modeled", base),
        (accelerator, newest, end / base, "measured" if both else "modeled", end),
        (accelerator, newest, end / begin, "total", end),
    ]
    if first["round"] == newest:
        del steps[1]
    return pd.DataFrame(steps, columns=["accelerator", "round", "value", "kind", "rate"])


def in_answers(table: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Add answers to a table of `over`: `tokens_per_answer`, `answers`, `in_answers`, and `change`.

    `rows` are the results that the table is of. `tokens_per_answer` is of the result behind a rate, without a log the
    median of its accelerator; NaN without any, and where the unit is not tokens/s. `answers` is the rate in answers/s
    per accelerator, `in_answers` the speedup in these, and `change` how far that is from the speedup in tokens/s.
    """
    by = [*GROUP, "accelerator"]
    logged = rows.drop_duplicates("id").set_index("id")["tokens_per_answer"]
    median = rows.groupby(by)["tokens_per_answer"].median()
    tokens = table["id"].map(logged).fillna(table.join(median.rename("median"), on=by)["median"])
    tokens = tokens.where(table["rate_unit"].eq(TOKENS))
    base = table[GROUP].assign(base=tokens)[table["accelerator"].eq(table["base"])].set_index(GROUP)
    change = table[GROUP].join(base, on=GROUP)["base"] / tokens - 1
    return table.assign(
        tokens_per_answer=tokens, answers=table["rate"] / tokens, in_answers=table["speedup"] * (1 + change),
        change=change,
    )  # fmt: skip


def latency_limits(benchmark: str) -> pd.DataFrame:
    """Return the p99 limits of a benchmark for each user: scenario, value, and unit, at least tokens/s or at most s.

    Seconds are of the whole query, limited where the time per output token is not. No rows where neither is known.
    """
    speed, wait = 1000 / rule_limits("tpot_p99_limit"), rule_limits("latency_p99_limit") / 1000
    limits = pd.concat({"tokens/s": speed, "s": wait}, names=["unit"]).rename("value").reset_index()
    return limits.loc[limits["benchmark"].eq(benchmark), ["scenario", "value", "unit"]]


def previews(rows: pd.DataFrame, table: pd.DataFrame, accelerators: Iterable[str] = ()) -> pd.DataFrame:
    """Return the preview systems of the newest round over the fastest accelerator of a table of `current`.

    `rows` are comparable results with `available=False`; the best of each accelerator and size counts. `accelerators`
    are names or vendors, by default all. Added columns: `over` (the fastest) and `speedup`.
    """
    named = names.accelerators(accelerators, rows)
    preview = rows["availability"].eq("preview") & rows["round"].eq(rows["round"].max())
    preview &= rows["accelerator"].isin(named) | (not named)
    best = rows[preview].sort_values("rate_per_accelerator", ascending=False)
    best = best.drop_duplicates([*GROUP, "accelerator", "accelerator_count"])
    first = table.sort_values("rate", ascending=False).drop_duplicates(GROUP)
    first = first[[*GROUP, "accelerator", "rate"]].rename(columns={"accelerator": "over", "rate": "base"})
    found = best.merge(first, on=GROUP)
    return found.assign(speedup=found["rate_per_accelerator"] / found.pop("base"))


def inferencex_speedups(model: str, baseline: str, prompt_tokens: int, answer_tokens: int) -> pd.DataFrame:
    """Return the speedup per GPU over `baseline` in InferenceX, a benchmark of its own, at each of SPEEDS.

    The run of each accelerator with the highest throughput among those at least so fast counts, disaggregated ones too.
    Columns: accelerator, interactivity (tokens/s per user), speedup. No rows for a model, lengths, or a baseline
    without runs.
    """
    runs = evidence.inferencex_runs()
    asked = {"model": model, "prompt_tokens": prompt_tokens, "answer_tokens": answer_tokens}
    runs = runs[runs[list(asked)].eq(pd.Series(asked)).all(axis=1)]
    rates = {speed: runs[runs[SPEED].ge(speed)].groupby("accelerator")[THROUGHPUT].max() for speed in SPEEDS}
    rates = pd.DataFrame(rates).rename_axis(index="accelerator", columns="interactivity")
    ratios = (rates / rates.reindex([baseline]).iloc[0]).drop(index=baseline, errors="ignore")
    return ratios.stack().dropna().rename("speedup").reset_index()
