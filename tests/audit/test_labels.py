"""Labels, dates and names against the official record."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.audit import labels

Rows = Callable[..., pd.DataFrame]
SOURCES = pd.DataFrame({"id": ["mlcommons-v4.1"], "kind": ["official"], "round": ["v4.1"], "published": ["2024-08-28"]})


@pytest.mark.parametrize(
    ("value", "verdict"), [(800.0, "conditional"), (800.0 * 290, "contradicted"), (500.0, "contradicted")]
)
def test_a_corrected_unit(rows: Rows, official: Callable, tables: Callable, value: float, verdict: str) -> None:
    fixes = pd.DataFrame(
        {"table": ["results"], "key": ["r0"], "column": ["unit"], "printed": ["queries/s"], "corrected": ["tokens/s"]}
    )
    (one,) = labels.corrected(tables(results=rows({"low": 800.0}, official(low=value)), corrections=fixes))
    assert (one.verdict, one.check) == (verdict, "label of unit")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(20241101, 20241130, "contradicted"), (20240801, 20240831, "within_rounding"), (20240828, 20240828, "confirmed"),
     (20240801, 20240827, "contradicted")],
)  # fmt: skip
def test_a_date_of_publication(claims: Rows, tables: Callable, low: int, high: int, verdict: str) -> None:
    claim = {"quantity": "publication_date", "round": "v4.1", "low": low, "high": high, "printed_unit": "then"}
    (one,) = labels.dates(tables(claims=claims(claim), sources=SOURCES))
    assert (one.verdict, one.expected.low, one.reference) == (verdict, 20240828.0, "mlcommons-v4.1")


@pytest.mark.parametrize(
    ("day", "verdict"), [(20240828, "confirmed"), (20240901, "within_rounding"), (20240827, "contradicted")]
)
def test_a_round_is_retrieved_once_it_is_published(
    claims: Rows, tables: Callable, verdicts: Callable, day: int, verdict: str
) -> None:
    claim = {"quantity": "retrieval_date", "round": "v4.1", "low": day}
    assert verdicts(labels.dates(tables(claims=claims(claim), sources=SOURCES))) == [verdict]


@pytest.mark.parametrize(
    ("name", "verdict", "words"),
    [("Big LLM", "confirmed", "Big LLM has 1 official v4.1 results in the data, and the document has no figure"),
     ("llm", "confirmed", ""), ("RNN-T", "contradicted", "")],
)  # fmt: skip
def test_a_benchmark_that_is_named(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, name: str, verdict: str, words: str
) -> None:
    claim = claims({"quantity": "benchmark_named", "round": "v4.1", "subject": name})
    (one,) = labels.benchmarks_named(tables(claims=claim, results=rows(official(low=1.0))))
    assert (one.verdict, one.explanation.startswith(words)) == (verdict, True)
    (other_round,) = labels.benchmarks_named(tables(claims=claim, results=rows(official(low=1.0, round="v5.1"))))
    assert other_round.verdict == "unverifiable"
    assert other_round.explanation == "No official v4.1 results are in the data, and the document has no figure for it."
