"""Stated speedups, ranks and other claims against the official record."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.audit import claims as stated_claims
from analysis.audit import ranks
from analysis.core.interval import Interval
from analysis.core.notes import note

Rows = Callable[..., pd.DataFrame]
OVER = {"subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM", "benchmark": "llm", "round": "v4.1"}
OVER |= {"baseline_round": "v4.1"}


@pytest.fixture
def judge(rows: Rows, official: Callable, claims: Rows, tables: Callable) -> Callable:
    """The verdict on a claim of H200 over H100, from official rates by part and scenario (of eight each)."""

    def judgement(claim: dict, rates: dict[tuple[str, str], float]) -> tuple[str, str]:
        given = [official(low=rate, accelerator=part, scenario=scenario) for (part, scenario), rate in rates.items()]
        (one,) = stated_claims.speedups(tables(claims=claims(OVER | claim), results=rows(*given)))
        return one.verdict, one.explanation

    return judgement


BOTH = {("H100 SXM", "Offline"): 800.0, ("H200 SXM", "Offline"): 1000.0}


@pytest.mark.parametrize(
    ("stated", "verdict"),
    [(1.25, "exact"), (1.3, "within_5_percent"), (1.4, "contradicts"), (1.0, "contradicts")],
)
def test_a_stated_speedup(judge: Callable, stated: float, verdict: str) -> None:
    assert judge({"low": stated, "scenario": "Offline"}, BOTH)[0] == verdict


def test_it_holds_in_one_scenario_only(judge: Callable) -> None:
    rates = BOTH | {("H100 SXM", "Server"): 700.0, ("H200 SXM", "Server"): 1050.0}
    verdict, explanation = judge({"low": 1.5}, rates)
    assert (verdict, "Holds only in Server" in explanation) == ("conditional", True)
    assert judge({"low": 1.5, "scenario": "Server"}, rates)[0] == "exact"


def test_it_holds_for_the_part_of_another_power_limit_only(judge: Callable) -> None:
    verdict, explanation = judge({"low": 1.5}, BOTH | {("H200 SXM CTS", "Offline"): 1200.0})
    assert (verdict, "Holds only for the H200 SXM CTS, in Offline" in explanation) == ("conditional", True)


def test_it_holds_with_a_caveat_only(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable
) -> None:
    frame = rows(official(low=800.0), official(low=125.0, accelerator="H200 SXM", accelerator_count=1))
    (one,) = stated_claims.speedups(tables(claims=claims(OVER | {"low": 1.25}), results=frame))
    assert one.verdict == "conditional"
    assert note("different_sizes", sizes="1x", other_sizes="8x").text in one.explanation


def test_up_to_is_held_against_the_highest(judge: Callable) -> None:
    rates = BOTH | {("H100 SXM", "Server"): 700.0, ("H200 SXM", "Server"): 1050.0}
    assert judge({"low": 1.5, "bound": "at_most"}, rates)[0] == "exact"
    assert judge({"low": 1.25, "bound": "at_most"}, rates)[0] == "contradicts"


def test_a_claim_over_benchmarks_is_held_against_their_mean(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable
) -> None:
    images = {"benchmark": "images", "unit": "samples/s"}
    new = {"accelerator": "H200 SXM"}
    frame = rows(official(low=800.0), official(low=1000.0, **new), official(low=8.0, **images))
    frame = pd.concat([frame, rows(official(low=14.0, **images, **new))], ignore_index=True)
    for stated, verdict in ((1.5, "conditional"), (1.75, "contradicts")):  # 1.25 and 1.75
        claim = claims(OVER | {"benchmark": "", "low": stated})
        assert verdicts(stated_claims.speedups(tables(claims=claim, results=frame))) == [verdict]


def test_what_is_not_at_hand(judge: Callable) -> None:
    assert judge({"low": 1.25}, {("H100 SXM", "Offline"): 800.0})[0] == "no_official_basis"
    verdict, explanation = judge({"low": 1.25, "round": "v4.0", "baseline_round": "v4.0"}, BOTH)
    assert (verdict, "No official v4.0 results" in explanation) == ("unverifiable", True)


@pytest.mark.parametrize(
    ("part", "benchmark", "verdict"),
    [
        ("H200 SXM", "llm", "no_official_basis"),
        ("card 1", "llm", "unverifiable"),
        ("H200 SXM", "images", "unverifiable"),
    ],
)
def test_a_round_of_which_only_a_part_is_at_hand(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable,
    part: str, benchmark: str, verdict: str,
) -> None:  # fmt: skip
    frame = rows(official(low=800.0, round="v3.1", accelerator=part, benchmark=benchmark))
    claim = claims(OVER | {"round": "v3.1", "baseline_round": "v3.1"})
    assert verdicts(stated_claims.speedups(tables(claims=claim, results=frame))) == [verdict]


def test_a_baseline_of_no_stated_round(judge: Callable) -> None:
    assert judge({"low": 1.25, "baseline_round": ""}, BOTH)[0] == "conditional"
    assert judge({"low": 1.5, "baseline_round": ""}, BOTH)[0] == "unverifiable"


@pytest.mark.parametrize(("stated", "verdict"), [(1.25, "exact"), (1.5, "contradicts")])
def test_one_part_in_two_rounds(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable, stated: float, verdict: str
) -> None:
    claim = {"subject_accelerator": "H100 SXM", "baseline_accelerator": "H100 SXM", "benchmark": "llm", "round": "v5.1"}
    claim |= {"baseline_round": "v4.1", "low": stated}
    frame = rows(official(low=800.0), official(low=1000.0, round="v5.1"))
    assert verdicts(stated_claims.over_time(tables(claims=claims(claim), results=frame))) == [verdict]
    alone = stated_claims.over_time(tables(claims=claims(claim), results=frame.head(1)))
    assert verdicts(alone) == ["unverifiable"]


@pytest.mark.parametrize(("rate", "verdict"), [(800.0, "exact"), (700.0, "contradicts")])
def test_the_leader(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable, rate: float, verdict: str
) -> None:
    claim = {"quantity": "rank", "subject_accelerator": "H100 SXM", "benchmark": "llm", "round": "v4.1"}
    claim |= {"scenario": "Offline", "excluded_accelerators": "H200 SXM;H200 SXM CTS"}
    others = [
        official(low=750.0, accelerator="card 1 Slim", submitter="Other"),
        official(low=999.0, accelerator="H200 SXM"),
    ]
    frame = rows(official(low=rate), *others)
    assert verdicts(ranks.ranks(tables(claims=claims(claim), results=frame))) == [verdict]


def test_the_leader_in_one_scenario_only(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable
) -> None:
    claim = {"quantity": "rank", "submitter": "ACME", "baseline_accelerator": "H100 SXM", "benchmark": "llm"}
    claim |= {"subject_accelerator": "H100 SXM", "round": "v4.1", "accelerator_count": 8}
    frame = rows(official(low=800.0), official(low=900.0, scenario="Server", submitter="Other"))
    assert verdicts(ranks.ranks(tables(claims=claims(claim), results=frame))) == ["conditional"]
    frame = rows(official(low=800.0), official(low=900.0, submitter="Other"))
    assert verdicts(ranks.ranks(tables(claims=claims(claim), results=frame))) == ["contradicts"]


@pytest.mark.parametrize(
    ("many", "verdict"), [(1600.0, "within_rounding"), (1500.0, "within_rounding"), (1200.0, "contradicts")]
)
def test_scaling_between_nodes(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable, many: float, verdict: str
) -> None:
    claim = {"quantity": "scaling_ratio", "nodes": 4, "baseline_nodes": 2, "submitter": "ACME"}
    claim |= {"benchmark": "llm", "round": "v4.1", "low": 1.85, "high": 2.15}
    frame = rows(official(low=800.0, nodes=2), official(low=many, nodes=4, accelerator_count=16))
    assert verdicts(ranks.scaling(tables(claims=claims(claim), results=frame))) == [verdict]
    assert verdicts(ranks.scaling(tables(claims=claims(claim), results=frame.head(1)))) == ["unverifiable"]


def test_nothing_official_measures_production(rows: Rows, official: Callable, claims: Rows, tables: Callable) -> None:
    claim = claims({"quantity": "fraction_of_benchmark", "low": 0.6, "high": 0.8})
    frame = rows(official(low=800.0), official(low=600.0, scenario="Server"))
    (one,) = ranks.production(tables(claims=claim, results=frame))
    assert (one.verdict, one.expected) == ("unverifiable", Interval(0.75, 0.75))


@pytest.mark.parametrize(("stated", "verdict"), [(0.9, "within_rounding"), (1.0, "contradicts")])
def test_a_serving_layer(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable, stated: float, verdict: str
) -> None:
    claim = OVER | {
        "subject_accelerator": "H100 SXM",
        "framework": "Triton",
        "low": stated - 0.01,
        "high": stated + 0.01,
    }
    frame = rows(official(low=800.0), official(low=720.0, system="ACME box (8x), Triton"))
    assert verdicts(ranks.layers(tables(claims=claims(claim), results=frame))) == [verdict]


def test_what_no_check_reaches_says_what_is_missing(claims: Rows, prices: Rows, tables: Callable) -> None:
    own = tables(claims=claims({"quantity": "share_of_time"}), prices=prices({"id": "p"}))
    price = next(one for one in ranks.unchecked(own, []) if one.figure["table"] == "prices")
    assert (price.verdict, price.unit, price.printed) == ("unverifiable", "USD/hour", Interval(3.6, 3.6))
    (claim,) = ranks.unchecked(own, [price])
    assert claim.explanation == "The tables lack a profile of the run."
