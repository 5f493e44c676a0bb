"""All checks together, the cheap ones alone, and what a figure's verdicts come to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import pandas as pd

from analysis.audit import (
    across,
    against_record,
    arithmetic,
    claims,
    labels,
    physics,
    ranks,
    ratios,
    sizes,
    submissions,
    verdict,
)
from analysis.audit.frames import FRAMES, TABLES, Check, Tables
from analysis.audit.verdict import Judgement, Verdict
from analysis.core.interval import Interval
from analysis.data.catalog import Catalog, kept_with

DEFINITE = ("exact", "within_rounding", "within_5_percent", "conditional")
WRONG = ("contradicts", "impossible")
NO_FACTOR = (
    labels.DATE,
    submissions.FIRST,
    ranks.RANK,
    labels.NAMED,
    submissions.CITED,
)  # what is no quantity: twice a date means nothing

NO_QUANTITY = ("date", "rank", "benchmarks")  # units, also those of repeats, of which a factor would mean nothing
KEYS = ["source_id", "table", "row_id"]  # of a figure

# What follows from the documents' own figures: quick, and wrong mostly where a row was typed wrongly.
CHEAP: tuple[Check, ...] = (
    arithmetic.repeats,
    arithmetic.tokens_per_dollar,
    arithmetic.implied_watts,
    ratios.stated,
    ratios.quantization,
    ratios.products,
    ratios.accelerated_part,
    sizes.sizing,
    sizes.weight_memory,
    sizes.together,
    across.datasheets,
)
OTHERS: tuple[Check, ...] = (
    against_record.results,
    against_record.power,
    physics.fit,
    physics.compute,
    arithmetic.deployment_price,
    arithmetic.dollars_at_ceiling,
    sizes.official_sizing,
    sizes.sizing_at_official_rate,
    sizes.accelerators_needed,
    sizes.model_limit,
    sizes.sparse_size,
    across.throughputs,
    across.claims,
    across.prices,
    labels.corrected,
    labels.dates,
    labels.benchmarks_named,
    submissions.counts,
    submissions.workloads_added,
    submissions.rounds_taken_part,
    submissions.cited,
    submissions.first_results,
    submissions.sizes_of_systems,
    claims.speedups,
    claims.open_division,
    ranks.ranks,
    ranks.layers,
    ranks.production,
)


def audit(
    data: Catalog | Tables, sources: Collection[str] = (), verdicts: Collection[str] = (), cache_gb: float = 0.0
) -> pd.DataFrame:
    """One row per figure and check, by document, table and row; of some sources or verdicts only where asked.

    `cache_gb` is the KV cache that a token at batch 1 reads beside the weights, in gigabytes.

    Columns of verdict.COLUMNS. Every published figure has at least one row: what no check reaches is unverifiable, and
    says what is missing.
    """
    judged = _all(Tables.of(data), cache_gb) if cache_gb else _all_of_weights_alone(data)
    asked = judged["source_id"].isin(sources) if sources else pd.Series(True, index=judged.index)
    if verdicts:
        asked &= judged["verdict"].isin(verdicts)
    return judged[asked].reset_index(drop=True)


@kept_with(*FRAMES)
def _all_of_weights_alone(data: Catalog | Tables) -> pd.DataFrame:
    return _all(Tables.of(data), 0.0)


def _all(tables: Tables, cache_gb: float) -> pd.DataFrame:
    """The rows of every check, by document, table and row."""
    judgements = [*physics.decode(tables, cache_gb), *_together(tables, (*OTHERS, *CHEAP))]
    judgements += ranks.unchecked(tables, judgements)
    judgements = list(_inherited(judgements))
    judgements.sort(key=lambda judgement: (judgement.figure["source_id"], TABLES.index(judgement.figure["table"])))
    return verdict.frame(judgements)


@kept_with(*FRAMES)
def wrong_without_record(data: Catalog | Tables) -> pd.DataFrame:
    """The rows of the checks that need no official record, where they find something wrong."""
    judgements = _together(Tables.of(data), CHEAP)
    return verdict.frame(judgement for judgement in judgements if judgement.verdict in WRONG)


def ceilings(data: Catalog | Tables, cache_gb: float = 0.0) -> pd.DataFrame:
    """The rows of the check at batch 1 alone, of every document, as `audit` has them."""
    return verdict.frame(physics.decode(Tables.of(data), cache_gb))


def overall(judged: pd.DataFrame) -> pd.DataFrame:
    """One row per figure (table, row_id, source_id): its `verdict` over all checks, and `official` (has a basis).

    What one check contradicts is contradicted. Else the worst of the checks that could say something counts, so that a
    figure without an official result is not worse for it where its arithmetic was checked.
    """
    grouped = judged.groupby(KEYS, sort=False)["verdict"]
    no_basis = judged["verdict"].eq("no_official_basis")
    basis = ~judged.assign(none=no_basis).groupby(KEYS, sort=False)["none"].any()
    return grouped.agg(lambda words: _overall(list(words)).value).to_frame().assign(official=basis).reset_index()


def scorecard(judged: pd.DataFrame, labels_of: dict[str, str]) -> pd.DataFrame:
    """One row per document: how many figures it has, and how many of them came to each verdict.

    Columns: source_id, source, figures, one per verdict of DEFINITE and WRONG, and unchecked (no check could say
    anything): these add up to figures. Beside that without_basis: figures of any verdict without an official result at
    hand. A repeat of a figure counts as a figure.
    """
    figures = overall(judged)
    columns = [*DEFINITE, *WRONG]
    counts = pd.crosstab(figures["source_id"], figures["verdict"]).reindex(columns=columns, fill_value=0)
    card = counts.assign(
        figures=figures.groupby("source_id").size(),
        unchecked=(~figures["verdict"].isin(columns)).groupby(figures["source_id"]).sum(),
        without_basis=(~figures["official"]).groupby(figures["source_id"]).sum(),
    )
    card = card.reset_index().rename_axis(columns=None)
    return card.assign(source=card["source_id"].map(labels_of))


def worst_first(judged: pd.DataFrame) -> pd.DataFrame:
    """The rows that contradict or are impossible, with `apart`: by what factor, the largest first.

    Impossible before contradicting at the same factor; each figure and check once. What is no quantity and what is
    contradicted by nothing being there has no factor, NaN, and stands last.
    """
    wrong = judged[judged["verdict"].isin(WRONG)]
    ends = wrong[verdict.ENDS].to_numpy()
    apart = [verdict.factor(Interval(a, b), Interval(c, d)) for a, b, c, d in ends]
    without = ~quantities(wrong) | wrong["expected_low"].isna()
    factors = pd.Series(apart, index=wrong.index, dtype="float64").mask(without)
    return wrong.assign(apart=factors).sort_values(
        ["apart", "verdict"], ascending=False, kind="stable", ignore_index=True
    )


def quantities(judged: pd.DataFrame) -> pd.Series:
    """Which rows are of a quantity, so that a factor between the printed and the expected range means something."""
    return ~(judged["check"].isin(NO_FACTOR) | judged["unit"].isin(NO_QUANTITY))


def _inherited(judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """The judgements, where a figure that repeats another takes the verdict on that one, with what decided it.

    That two mentions agree says nothing about either; one that says something else than the first stands for itself.
    """
    of_figure = defaultdict(list)
    for judgement in judgements:
        of_figure[judgement.figure["table"], judgement.figure["id"]].append(judgement)
    for judgement in judgements:
        if judgement.check != arithmetic.REPEAT or judgement.verdict not in verdict.BORNE_OUT:
            yield judgement
            continue
        of_repeated = of_figure[judgement.figure["table"], judgement.figure["duplicate_of"]]
        by_verdict = {earlier.verdict: earlier for earlier in reversed(of_repeated)}
        decisive = _overall([earlier.verdict for earlier in of_repeated])
        for outcome in dict.fromkeys([decisive, *({Verdict.NO_OFFICIAL_BASIS} & by_verdict.keys())]):
            words = f"Repeats {by_verdict[outcome].figure['locator']}: {by_verdict[outcome].explanation}"
            repeat = {"figure": judgement.figure, "check": judgement.check, "explanation": words}
            yield replace(by_verdict[outcome], **repeat, reference=judgement.reference)


def _together(tables: Tables, checks: Iterable[Check]) -> list[Judgement]:
    return [judgement for check in checks for judgement in tables.judgements(check)]


def _overall(verdicts: list[str]) -> Verdict:
    for wrong in (Verdict.IMPOSSIBLE, Verdict.CONTRADICTS):
        if wrong in verdicts:
            return wrong
    definite = [word for word in verdicts if word in DEFINITE]
    return verdict.worst(definite or verdicts)
