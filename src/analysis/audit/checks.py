"""All checks together, the cheap ones alone, and what a figure's verdicts come to; no check is defined here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

import pandas as pd

from analysis.audit import across, against_record, arithmetic, claims, labels, physics, ranks, ratios, sizes, verdict

TABLES = ("results", "claims", "prices", "quantization")
DEFINITE = ("exact", "within_rounding", "within_5_percent", "conditional")
WRONG = ("contradicts", "impossible")


class Tables(Protocol):
    """What the checks read: the catalog, or anything that holds the same frames."""

    results: pd.DataFrame
    claims: pd.DataFrame
    prices: pd.DataFrame
    quantization: pd.DataFrame
    benchmarks: pd.DataFrame
    accelerators: pd.DataFrame
    corrections: pd.DataFrame
    sources: pd.DataFrame


Check = Callable[[Tables], pd.DataFrame]

# What follows from the documents' own figures: quick, and wrong mostly where a row was typed wrongly.
CHEAP: tuple[Check, ...] = (
    lambda t: arithmetic.repeats({name: getattr(t, name) for name in TABLES}),
    lambda t: arithmetic.tokens_per_dollar(t.claims, t.results, t.prices),
    lambda t: arithmetic.implied_watts(t.results),
    lambda t: ratios.stated(t.claims, t.results, t.prices),
    lambda t: ratios.quantization(t.quantization, t.results),
    lambda t: ratios.products(t.claims),
    lambda t: ratios.accelerated_part(t.claims, t.quantization),
    lambda t: sizes.sizing(t.claims, t.results, t.prices),
    lambda t: sizes.weight_memory(t.quantization, t.benchmarks),
    lambda t: sizes.together(t.claims, t.accelerators),
    lambda t: across.datasheets(t.claims, t.accelerators, t.benchmarks),
)
OTHERS: tuple[Check, ...] = (
    lambda t: against_record.results(t.results, t.benchmarks, t.accelerators),
    lambda t: against_record.power(t.results, t.benchmarks, t.accelerators),
    lambda t: physics.fit(t.results, t.benchmarks, t.accelerators),
    lambda t: physics.compute(t.results, t.benchmarks, t.accelerators),
    lambda t: arithmetic.deployment_price(t.claims, t.results, t.prices, t.benchmarks, t.accelerators),
    lambda t: sizes.official_sizing(t.claims, t.results, t.prices, t.benchmarks, t.accelerators),
    lambda t: sizes.accelerators_needed(t.quantization, t.benchmarks, t.accelerators),
    lambda t: sizes.model_limit(t.claims, t.accelerators),
    lambda t: sizes.sparse_size(t.quantization, t.claims),
    lambda t: across.throughputs(
        t.results, t.benchmarks, against_record.results(t.results, t.benchmarks, t.accelerators)
    ),
    lambda t: across.claims(t.claims),
    lambda t: across.prices(t.prices),
    lambda t: labels.corrected(t.results, t.corrections, t.benchmarks, t.accelerators),
    lambda t: labels.dates(t.claims, t.sources),
    lambda t: labels.counts(t.claims, t.results),
    lambda t: labels.benchmarks_named(t.claims, t.results, t.benchmarks),
    lambda t: claims.speedups(t.claims, t.results, t.benchmarks, t.accelerators),
    lambda t: claims.over_time(t.claims, t.results, t.benchmarks),
    lambda t: ranks.ranks(t.claims, t.results, t.benchmarks, t.accelerators),
    lambda t: ranks.scaling(t.claims, t.results, t.benchmarks, t.accelerators),
    lambda t: ranks.layers(t.claims, t.results, t.benchmarks),
    lambda t: ranks.production(t.claims, t.results, t.benchmarks),
)  # fmt: skip


def audit(
    tables: Tables, sources: Collection[str] = (), verdicts: Collection[str] = (), cache_gb: float = 0.0
) -> pd.DataFrame:
    """One row per figure and check, by document, table and row; of some sources or verdicts only where asked.

    `cache_gb` is the KV cache that a token at batch 1 reads beside the weights, in gigabytes.

    Columns of verdict.COLUMNS. Every published figure has at least one row: what no check reaches is unverifiable, and
    says what is missing.
    """
    decode = physics.decode(tables.results, tables.benchmarks, tables.accelerators, cache_gb)
    judged = pd.concat([decode, _together(tables, (*OTHERS, *CHEAP))], ignore_index=True)
    rest = ranks.unchecked({name: getattr(tables, name) for name in TABLES}, judged)
    judged = pd.concat([judged, rest], ignore_index=True)
    order = judged["table"].map({name: place for place, name in enumerate(TABLES)})
    judged = judged.assign(order=order).sort_values(["source_id", "order"], kind="stable").drop(columns="order")
    kept = judged["source_id"].isin(sources or set(judged["source_id"]))
    kept &= judged["verdict"].isin(verdicts or verdict.VERDICTS)
    return judged[kept].reset_index(drop=True)


def cheap(tables: Tables) -> pd.DataFrame:
    """The rows of the checks that need no official record, where they find something wrong."""
    judged = _together(tables, CHEAP)
    return judged[judged["verdict"].isin(WRONG)].reset_index(drop=True)


def overall(judged: pd.DataFrame) -> pd.DataFrame:
    """One row per figure (table, row_id, source_id): its `verdict` over all checks, and `official` (has a basis).

    What one check contradicts is contradicted. Else the worst of the checks that could say something counts, so that a
    figure without an official result is not worse for it where its arithmetic was checked.
    """
    keys = ["source_id", "table", "row_id"]
    grouped = judged.groupby(keys, sort=False)["verdict"]
    no_basis = judged["verdict"].eq("no_official_basis")
    basis = ~judged.assign(none=no_basis).groupby(keys, sort=False)["none"].any()
    return grouped.agg(lambda each: _overall(list(each))).to_frame().assign(official=basis).reset_index()


def scorecard(judged: pd.DataFrame, labels_of: dict[str, str]) -> pd.DataFrame:
    """One row per document: how many figures it has, and how many of them came to each verdict.

    Columns: source_id, source, figures, one per verdict of DEFINITE and WRONG, and unchecked (no check could say
    anything): these add up to figures. Beside that without_basis: figures of any verdict without an official result at
    hand. A repeat of a figure counts as a figure.
    """
    each = overall(judged)
    judged_as = [*DEFINITE, *WRONG]
    counts = pd.crosstab(each["source_id"], each["verdict"]).reindex(columns=judged_as, fill_value=0)
    found = counts.assign(
        figures=each.groupby("source_id").size(),
        unchecked=(~each["verdict"].isin(judged_as)).groupby(each["source_id"]).sum(),
        without_basis=(~each["official"]).groupby(each["source_id"]).sum(),
    )
    found = found.reset_index().rename_axis(columns=None)
    return found.assign(source=found["source_id"].map(labels_of))


def worst_first(judged: pd.DataFrame) -> pd.DataFrame:
    """The rows that contradict or are impossible, with `apart`: by what factor, the largest first.

    Impossible before contradicting at the same factor; each figure and check once. What is no quantity
    (verdict.NO_FACTOR) has no factor, NaN, and stands last.
    """
    wrong = judged[judged["verdict"].isin(WRONG)]
    ends = wrong[["printed_low", "printed_high", "expected_low", "expected_high"]].to_numpy()
    apart = [verdict.factor(verdict.Interval(a, b), verdict.Interval(c, d)) for a, b, c, d in ends]
    factors = pd.Series(apart, index=wrong.index, dtype="float64").mask(wrong["check"].isin(verdict.NO_FACTOR))
    return wrong.assign(apart=factors).sort_values(
        ["apart", "verdict"], ascending=False, kind="stable", ignore_index=True
    )


def _together(tables: Tables, checks: tuple[Check, ...]) -> pd.DataFrame:
    found = [check(tables) for check in checks]
    filled = [each for each in found if len(each)]
    return pd.concat(filled, ignore_index=True) if filled else verdict.frame([])


def _overall(verdicts: list[str]) -> str:
    for name in ("impossible", "contradicts"):
        if name in verdicts:
            return name
    definite = [each for each in verdicts if each in DEFINITE]
    return verdict.worst(definite or verdicts)
