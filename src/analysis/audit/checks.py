"""Run all checks, and summarize the verdicts by figure and by document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._tables.catalog import Catalog, kept_with
from analysis.audit import (
    against_record,
    arithmetic,
    claims,
    cross_document,
    labels,
    physics,
    ranks,
    ratios,
    sizes,
    submissions,
    verdict,
)
from analysis.audit.frames import FRAMES, TABLES, Check, Tables
from analysis.audit.verdict import Judgment, Verdict

HOLDS = tuple(outcome.value for outcome in verdict.HOLDS)
DEFINITE = (*HOLDS, "conditional")
WRONG = ("contradicted", "physically_impossible")
GROUPS = {  # of verdicts, as a figure shows them
    "confirmed": HOLDS,
    "conditional": ("conditional",),
    "contradicted": ("contradicted",),
    "physically impossible": ("physically_impossible",),
}
NO_FACTOR = (
    labels.DATE,
    submissions.FIRST,
    ranks.RANK,
    labels.NAMED,
    submissions.CITED,
)  # what is no quantity: twice a date means nothing

NO_QUANTITY = ("date", "rank", "benchmarks")  # units, also those of repeats, of which a factor would mean nothing
# The checks against official results.
AGAINST_OFFICIAL = (*against_record.CHECKS, sizes.OFFICIAL_SIZING, claims.CHECK, *NO_FACTOR)
AGAINST_OFFICIAL += (submissions.COUNT, submissions.SIZE)
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
    cross_document.datasheets,
)
OTHERS: tuple[Check, ...] = (
    against_record.results,
    against_record.power,
    physics.fit,
    physics.compute,
    arithmetic.deployment_price,
    arithmetic.dollars_at_ceiling,
    ratios.explained,
    sizes.official_sizing,
    sizes.accelerators_needed,
    sizes.model_limit,
    sizes.sparse_size,
    cross_document.throughputs,
    cross_document.claims,
    cross_document.prices,
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
    """Return one row per published figure and check, by document, table and row, with verdict.COLUMNS.

    Empty `sources` and `verdicts` mean all. `cache_gb` is the KV cache in gigabytes that a token at batch 1 reads
    beside the weights. A figure that no check covers is unverifiable, with what is missing as its explanation.
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
    """Return the rows of every check, by document, table and row."""
    judgments = [*physics.decode(tables, cache_gb), *_together(tables, (*OTHERS, *CHEAP))]
    judgments += ranks.unchecked(tables, judgments)
    judgments = list(_inherited(judgments))
    judgments.sort(key=lambda judgment: (judgment.figure["source_id"], TABLES.index(judgment.figure["table"])))
    return verdict.frame(judgments)


@kept_with(*FRAMES)
def wrong_without_record(data: Catalog | Tables) -> pd.DataFrame:
    """Return the wrong figures found by checks that need no official results."""
    judgments = _together(Tables.of(data), CHEAP)
    return verdict.frame(judgment for judgment in judgments if judgment.verdict in WRONG)


def ceilings(data: Catalog | Tables, cache_gb: float = 0.0) -> pd.DataFrame:
    """Return the rows of the batch-1 check alone, of every document, as `audit` has them."""
    return verdict.frame(physics.decode(Tables.of(data), cache_gb))


def overall(judged: pd.DataFrame) -> pd.DataFrame:
    """Return one row per figure (table, row_id, source_id) with its `verdict` and `official` (has an official result).

    A figure is contradicted where one check contradicts it; else the worst definite verdict counts, so that a figure
    without an official result is still confirmed where its arithmetic is.
    """
    grouped = judged.groupby(KEYS, sort=False)["verdict"]
    no_basis = judged["verdict"].eq("no_official_result")
    basis = ~judged.assign(none=no_basis).groupby(KEYS, sort=False)["none"].any()
    return grouped.agg(lambda words: _overall(list(words)).value).to_frame().assign(official=basis).reset_index()


def scorecard(judged: pd.DataFrame, labels_of: dict[str, str]) -> pd.DataFrame:
    """Return the number of figures with each verdict, one row per document, most wrong figures first.

    Columns: source_id, `source` (its label), `figures`, one per verdict of DEFINITE and WRONG, and `unchecked` (no
    check applies): these add up to figures. Further: `wrong` (sum of WRONG), `named` (confirmed counts of accelerators
    that the system's own name prints), `holds` (sum of HOLDS without these), and `without_official_result` (of any
    verdict). A repeat of a figure counts as a figure.
    """
    figures = overall(judged)
    checked = judged.groupby(KEYS, sort=False)["check"].agg(set).reindex(pd.MultiIndex.from_frame(figures[KEYS]))
    is_named = figures["verdict"].isin(HOLDS) & np.array([checks == {submissions.SIZE} for checks in checked], "bool")
    known = [*DEFINITE, *WRONG]
    counted = {name: figures["verdict"].eq(name) for name in known} | {
        "figures": figures["verdict"].notna(),
        "unchecked": ~figures["verdict"].isin(known),
        "without_official_result": ~figures["official"],
        "named": is_named,
        "holds": figures["verdict"].isin(HOLDS) & ~is_named,
        "wrong": figures["verdict"].isin(WRONG),
    }
    card = pd.DataFrame(counted).groupby(figures["source_id"]).sum().reset_index()
    card = card.assign(source=card["source_id"].map(labels_of))
    return card.sort_values("wrong", ascending=False, kind="stable", ignore_index=True)


def printed_over_expected(judged: pd.DataFrame) -> pd.DataFrame:
    """Return the quantities among the figures, each once, under the check that decides its verdict, largest gap first.

    Columns: those of verdict.COLUMNS, `group` (of GROUPS) and `off`: the printed over the expected range at their
    nearest ends, 1 where they overlap or the claim holds. Figures without a verdict of GROUPS have no row.
    """
    rows = judged.merge(overall(judged)[[*KEYS, "verdict"]], on=[*KEYS, "verdict"])
    below = rows["check"].isin([physics.COMPUTE, physics.FIT]) & ~rows["verdict"].isin(WRONG)  # of a limit, however far
    rows = rows[quantities(rows) & ~below & rows["expected_high"].gt(0) & rows["printed_low"].gt(0)]
    groups = {name: group for group, names in GROUPS.items() for name in names}
    apart = _factors(rows).mask(rows["verdict"].isin(verdict.AGREES), 1.0)
    off = apart.mask(rows["printed_high"].lt(rows["expected_low"]), 1 / apart)
    rows = rows.assign(group=rows["verdict"].map(groups), off=off).dropna(subset="group")
    ordered = rows.loc[apart[rows.index].sort_values(ascending=False, kind="stable").index]
    return ordered.drop_duplicates(["table", "row_id"]).reset_index(drop=True)


def expected_by_check(judged: pd.DataFrame, checks: Mapping[str, str]) -> pd.DataFrame:
    """Return what several checks expect of the same figure, one row per figure that one of `checks` judges.

    `checks` maps the name of a check to that of its columns. Columns: source_id, locator, printed_low/high, unit,
    verdict (over all checks), and <name>_low/high of each check, NaN where it does not apply.
    """
    rows = judged[judged["check"].isin(checks)]
    figures = rows.drop_duplicates(["table", "row_id"]).set_index(["table", "row_id"])
    expected = figures[["source_id", "locator", "printed_low", "printed_high", "unit"]]
    for check, name in checks.items():
        of_check = rows[rows["check"].eq(check)].set_index(["table", "row_id"])
        expected = interval.put(expected, name, interval.of(of_check, "expected"))
    verdicts = overall(judged).set_index(["table", "row_id"])["verdict"]
    return expected.assign(verdict=verdicts.reindex(expected.index))


def worst_first(judged: pd.DataFrame) -> pd.DataFrame:
    """Return the contradicted and impossible rows with `apart`, the factor between printed and expected, largest first.

    Impossible before contradicted at the same factor; each figure and check once. What is no quantity, and what the
    official results lack, has no factor (NaN) and comes last.
    """
    wrong = judged[judged["verdict"].isin(WRONG)]
    without = ~quantities(wrong) | wrong["expected_low"].isna()
    return wrong.assign(apart=_factors(wrong).mask(without)).sort_values(
        ["apart", "verdict"], ascending=False, kind="stable", ignore_index=True
    )


def quantities(judged: pd.DataFrame) -> pd.Series:
    """Return which rows are of a quantity, of which a factor between printed and expected means something."""
    return ~(judged["check"].isin(NO_FACTOR) | judged["unit"].isin(NO_QUANTITY))


def _inherited(judgments: Iterable[Judgment]) -> Iterator[Judgment]:
    """Yield the judgments; a figure that repeats another takes the verdict on that one, with what decided it.

    That two mentions agree confirms neither; a repeat that differs from the first keeps its own verdict.
    """
    of_figure = defaultdict(list)
    for judgment in judgments:
        of_figure[judgment.figure["table"], judgment.figure["id"]].append(judgment)
    for judgment in judgments:
        if judgment.check != arithmetic.REPEAT or judgment.verdict not in verdict.HOLDS:
            yield judgment
            continue
        of_repeated = of_figure[judgment.figure["table"], judgment.figure["duplicate_of"]]
        by_verdict = {earlier.verdict: earlier for earlier in reversed(of_repeated)}
        decisive = _overall([earlier.verdict for earlier in of_repeated])
        for outcome in dict.fromkeys([decisive, *({Verdict.NO_OFFICIAL_RESULT} & by_verdict.keys())]):
            words = f"Repeats {by_verdict[outcome].figure['locator']}: {by_verdict[outcome].explanation}"
            repeat = {"figure": judgment.figure, "check": judgment.check, "explanation": words}
            yield replace(by_verdict[outcome], **repeat, reference=judgment.reference)


def _factors(rows: pd.DataFrame) -> pd.Series:
    """By what factor the printed and the expected range of each row are apart at their nearest ends."""
    ends = rows[verdict.ENDS].itertuples(index=False)
    return pd.Series([verdict.factor(Interval(a, b), Interval(c, d)) for a, b, c, d in ends], rows.index, "float64")


def _together(tables: Tables, checks: Iterable[Check]) -> list[Judgment]:
    return [judgment for check in checks for judgment in tables.judgments(check)]


def _overall(verdicts: list[str]) -> Verdict:
    for wrong in (Verdict.PHYSICALLY_IMPOSSIBLE, Verdict.CONTRADICTED):
        if wrong in verdicts:
            return wrong
    definite = [word for word in verdicts if word in DEFINITE]
    return verdict.worst(definite or verdicts)
