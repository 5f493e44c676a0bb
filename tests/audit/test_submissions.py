"""What documents count, cite and say of who submitted what, against small records."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from analysis.audit import submissions

Rows = Callable[..., pd.DataFrame]
Official = Callable[..., dict[str, Any]]


@pytest.fixture
def own(rows: Rows, claims: Rows, tables: Callable, rounds: Callable) -> Callable:
    """The tables of one claim of v4.1 and some results; `whole`: as many closed results as the round has."""

    def make(claim: dict[str, Any], *given: dict[str, Any], whole: int | None = None) -> Any:
        frame = rows(*given)
        frame = frame.assign(model_run=frame["benchmark"])
        return tables(claims=claims({"round": "v4.1"} | claim), results=frame, rounds=rounds(**{"v4.1": whole}))

    return make


@pytest.mark.parametrize(
    ("stated", "whole", "verdict"),
    [(2, None, "confirmed"), (1, None, "contradicted"), (3, None, "unverifiable"), (3, 2, "contradicted")],
)
def test_a_number_of_workloads(
    own: Callable, official: Official, verdicts: Callable, stated: int, whole: int | None, verdict: str
) -> None:
    given = official(low=1.0), official(low=1.0, benchmark="images"), official(low=1.0, round="v5.1", benchmark="x")
    claim = {"quantity": "workloads", "low": stated, "suite": "datacenter"}
    assert verdicts(submissions.counts(own(claim, *given, whole=whole))) == [verdict]


@pytest.mark.parametrize(
    ("stated", "verdict"), [(3, "confirmed"), (2, "conditional"), (1, "contradicted"), (4, "unverifiable")]
)
def test_a_number_of_results_may_be_counted_in_two_ways(
    own: Callable, official: Official, verdicts: Callable, stated: int, verdict: str
) -> None:
    server, images = official(low=1.0, scenario="Server"), official(low=1.0, benchmark="images")
    claim = {"quantity": "results_submitted", "low": stated, "submitter": "ACME"}
    given = official(low=1.0), server, images, official(low=1.0, submitter="Other")
    assert verdicts(submissions.counts(own(claim, *given))) == [verdict]


def test_where_nothing_is_at_hand_nothing_can_be_counted(own: Callable, verdicts: Callable) -> None:
    claim = {"quantity": "workloads", "low": 2, "suite": "datacenter"}
    assert verdicts(submissions.counts(own(claim))) == ["unverifiable"]


def test_results_of_one_accelerator_alone_are_counted_where_it_is_named(
    own: Callable, official: Official, verdicts: Callable
) -> None:
    claim = {"quantity": "results_submitted", "low": 1, "submitter": "ACME", "subject_accelerator": "H200 SXM"}
    given = official(low=1.0), official(low=1.0, accelerator="H200 SXM")
    assert verdicts(submissions.counts(own(claim, *given))) == ["confirmed"]


@pytest.mark.parametrize(("stated", "verdict"), [(2, "confirmed"), (1, "conditional")])
def test_a_system_in_two_sizes_is_one_server(
    own: Callable, official: Official, verdicts: Callable, stated: int, verdict: str
) -> None:
    claim = {"quantity": "systems_submitted", "low": stated, "submitter": "ACME"}
    given = official(low=1.0, system="Box (8x)"), official(low=2.0, system="Box (16x)", result_id="4.1-0002")
    assert verdicts(submissions.counts(own(claim, *given))) == [verdict]


@pytest.mark.parametrize(
    ("stated", "bound", "verdict"),
    [(1, "at_least", "within_rounding"), (2, "", "confirmed"), (3, "at_least", "unverifiable"), (1, "", "conditional")],
)
def test_submitters_on_the_parts_of_a_vendor_are_its_partners_and_not_itself(
    own: Callable, official: Official, verdicts: Callable, stated: int, bound: str, verdict: str
) -> None:
    claim = {"quantity": "submitters", "subject": "ACME", "low": stated, "bound": bound}  # ACME makes the H100 SXM
    given = [official(low=1.0, submitter=name) for name in ("ACME", "One", "Two")]
    given.append(official(low=1.0, submitter="Three", accelerator="card 1"))
    assert verdicts(submissions.counts(own(claim, *given))) == [verdict]


@pytest.mark.parametrize(("stated", "verdict"), [(1, "confirmed"), (2, "contradicted")])
def test_workloads_that_a_round_adds(
    rows: Rows, official: Official, claims: Rows, tables: Callable, rounds: Callable, verdicts: Callable,
    stated: int, verdict: str,
) -> None:  # fmt: skip
    frame = rows(official(low=1.0), official(low=1.0, benchmark="images"), official(low=1.0, round="v4.0"))
    claim = claims({"quantity": "workloads_added", "round": "v4.1", "baseline_round": "v4.0", "low": stated})
    whole = tables(claims=claim, results=frame, rounds=rounds(**{"v4.1": 2, "v4.0": 1}))
    assert verdicts(submissions.workloads_added(whole)) == [verdict]
    part = tables(claims=claim, results=frame, rounds=rounds(**{"v4.1": 2, "v4.0": 2}))
    assert verdicts(submissions.workloads_added(part)) == []


@pytest.mark.parametrize(
    ("rounds_of_it", "stated", "verdict"),
    [(("v4.0", "v4.1"), 2, "confirmed"), (("v4.0", "v4.1"), 10, "unverifiable"), (("v4.1",), 10, "contradicted")],
)
def test_rounds_in_which_a_submitter_took_part(
    rows: Rows, official: Official, claims: Rows, tables: Callable, rounds: Callable, verdicts: Callable,
    rounds_of_it: tuple[str, ...], stated: int, verdict: str,
) -> None:  # fmt: skip
    given = [official(low=1.0, submitter="One", round=name) for name in rounds_of_it]
    others = [official(low=1.0, round=name) for name in ("v4.0", "v4.1", "v5.1")]
    claim = claims({"quantity": "rounds_taken_part", "submitter": "One", "round": "v4.1", "low": stated})
    own = tables(claims=claim, results=rows(*given, *others), rounds=rounds(**{"v4.0": 1, "v4.1": 1}))
    assert verdicts(submissions.rounds_taken_part(own)) == [verdict]


def test_a_cited_result_is_looked_up_with_the_figures_that_it_bears_out(own: Callable, official: Official) -> None:
    claim = {"quantity": "result_cited", "subject": "4.1-0001"}
    (one,) = submissions.cited(own(claim, {"low": 800.0}, official(low=800.0)))
    assert (one.verdict, one.explanation) == (
        "confirmed",
        "4.1-0001 is ACME, ACME box (8x): 1 figure of the document from it.",
    )
    (idle,) = submissions.cited(own(claim, official(low=800.0)))
    assert idle.verdict == "conditional"


def test_a_figure_that_many_results_bear_out_counts_for_each_of_them(own: Callable, official: Official) -> None:
    """Of many results the words of a verdict name three; a document may cite any of them."""
    claim = {"quantity": "result_cited", "subject": "4.1-0005"}
    five = [official(low=820.0, result_id=f"4.1-000{place}") for place in range(1, 6)]
    (one,) = submissions.cited(own(claim, {"low": 800.0}, *five))
    assert one.verdict == "confirmed"


@pytest.mark.parametrize(
    ("result_id", "whole", "verdict"),
    [("4.1-0002", 1, "contradicted"), ("4.1-0002", None, "no_official_result"), ("", 1, "unverifiable")],
)
def test_a_cited_result_that_is_not_there(
    own: Callable, official: Official, verdicts: Callable, result_id: str, whole: int | None, verdict: str
) -> None:
    claim = {"quantity": "result_cited", "subject": "4.1-0001"}
    tables = own(claim, official(low=800.0, result_id=result_id), whole=whole)
    assert verdicts(submissions.cited(tables)) == [verdict]


@pytest.mark.parametrize(("year", "verdict"), [(2024, "within_rounding"), (2023, "contradicted")])
def test_the_year_of_the_first_result_on_a_part(
    rows: Rows, official: Official, claims: Rows, tables: Callable, rounds: Callable, verdicts: Callable,
    year: int, verdict: str,
) -> None:  # fmt: skip
    given = official(low=1.0), official(low=1.0, round="v5.1"), official(low=1.0, round="v3.1", accelerator="H200 SXM")
    claim = {"quantity": "first_result_date", "subject_accelerator": "H100 SXM", "low": year * 1e4 + 101}
    dated = rounds(**{"v3.1": None, "v4.1": None}).assign(published=["2023-09-11", "2024-08-28"])
    own = tables(claims=claims(claim | {"high": year * 1e4 + 1231}), results=rows(*given), rounds=dated)
    assert verdicts(submissions.first_results(own)) == [verdict]


@pytest.mark.parametrize(
    ("system", "size", "whole", "verdict"),
    [("box", 8, None, "confirmed"), ("box", 4, None, "unverifiable"), ("box", 4, 2, "contradicted"),
     ("rack", 8, None, "unverifiable"), ("rack", 8, 2, "contradicted")],
)  # fmt: skip
def test_how_many_accelerators_a_submitted_system_has(
    own: Callable, official: Official, verdicts: Callable, system: str, size: int, whole: int | None, verdict: str
) -> None:
    claim = {"quantity": "system_accelerators", "submitter": "ACME", "system": system, "low": size}
    claim |= {"subject_accelerator": "H100 SXM"}
    given = official(low=1.0), official(low=1.0, system="Other rack", submitter="Other")
    assert verdicts(submissions.sizes_of_systems(own(claim, *given, whole=whole))) == [verdict]
