"""Labels, dates, counts and names against the official record."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.audit import labels

Rows = Callable[..., pd.DataFrame]
SOURCES = pd.DataFrame({"id": ["mlcommons-v4.1"], "kind": ["official"], "published": ["2024-08-28"]})


@pytest.mark.parametrize(
    ("value", "found"), [(800.0, "conditional"), (800.0 * 290, "contradicts"), (500.0, "contradicts")]
)
def test_a_corrected_unit(
    rows: Rows, official: Callable, benchmarks: pd.DataFrame, parts: pd.DataFrame, value: float, found: str
) -> None:
    fixes = pd.DataFrame(
        {"table": ["results"], "key": ["r0"], "column": ["unit"], "printed": ["queries/s"], "corrected": ["tokens/s"]}
    )
    judged = labels.corrected(rows({"low": 800.0}, official(low=value)), fixes, benchmarks, parts)
    assert judged["verdict"].tolist() == [found]
    assert judged["check"].tolist() == ["label of unit"]


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [(20241101, 20241130, "contradicts"), (20240801, 20240831, "within_rounding"), (20240828, 20240828, "exact"),
     (20240801, 20240827, "contradicts")],
)  # fmt: skip
def test_a_date_of_publication(claims: Rows, low: int, high: int, found: str) -> None:
    said = {"quantity": "publication_date", "round": "v4.1", "low": low, "high": high, "printed_unit": "then"}
    judged = labels.dates(claims(said), SOURCES)
    assert judged["verdict"].tolist() == [found]
    assert "published on 2024-08-28" in judged["explanation"].iloc[0]


@pytest.mark.parametrize(
    ("day", "found"), [(20240828, "exact"), (20240901, "within_rounding"), (20240827, "contradicts")]
)
def test_a_round_is_retrieved_once_it_is_published(claims: Rows, day: int, found: str) -> None:
    said = {"quantity": "retrieval_date", "round": "v4.1", "low": day}
    assert labels.dates(claims(said), SOURCES)["verdict"].tolist() == [found]


@pytest.mark.parametrize(("stated", "found"), [(2, "exact"), (1, "contradicts"), (3, "unverifiable")])
def test_a_number_of_workloads(rows: Rows, official: Callable, claims: Rows, stated: int, found: str) -> None:
    frame = rows(
        official(low=1.0), official(low=1.0, benchmark="images"), official(low=1.0, round="v5.1", benchmark="x")
    )
    frame = frame.assign(model_run=frame["benchmark"])
    said = {"quantity": "workloads", "round": "v4.1", "low": stated, "condition": "data center"}
    assert labels.counts(claims(said), frame)["verdict"].tolist() == [found]


@pytest.mark.parametrize(
    ("stated", "found"), [(3, "exact"), (2, "conditional"), (1, "contradicts"), (4, "unverifiable")]
)
def test_a_number_of_results_may_be_counted_in_two_ways(
    rows: Rows, official: Callable, claims: Rows, stated: int, found: str
) -> None:
    server, images = official(low=1.0, scenario="Server"), official(low=1.0, benchmark="images")
    frame = rows(official(low=1.0), server, images, official(low=1.0, submitter="Other"))
    frame = frame.assign(model_run=frame["benchmark"])
    said = {"quantity": "results_submitted", "round": "v4.1", "low": stated, "condition": "submitter ACME"}
    assert labels.counts(claims(said), frame)["verdict"].tolist() == [found]


@pytest.mark.parametrize(("name", "found"), [("Big LLM", "exact"), ("llm", "exact"), ("RNN-T", "contradicts")])
def test_a_benchmark_that_is_named(
    rows: Rows, official: Callable, claims: Rows, benchmarks: pd.DataFrame, name: str, found: str
) -> None:
    said = {"quantity": "benchmark_named", "round": "v4.1", "subject": name}
    judged = labels.benchmarks_named(claims(said), rows(official(low=1.0)), benchmarks)
    assert judged["verdict"].tolist() == [found]
    gone = "RNN-T is not among the 1 benchmarks of v4.1 at hand, and the document has no figure for it."
    there = f"{name} has 1 official v4.1 results at hand, and the document has no figure for it."
    assert judged["explanation"].tolist() == [there if found == "exact" else gone]
    gone = labels.benchmarks_named(claims(said), rows(official(low=1.0, round="v5.1")), benchmarks)
    assert gone["verdict"].tolist() == ["contradicts"]
