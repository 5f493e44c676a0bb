"""Stated speedups, ranks and other claims against the official record."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.audit import claims as checks
from analysis.audit import ranks

Rows = Callable[..., pd.DataFrame]
OVER = {"subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM", "benchmark": "llm", "round": "v4.1"}
OVER |= {"baseline_round": "v4.1"}


@pytest.fixture
def judge(rows: Rows, official: Callable, claims: Rows, benchmarks: pd.DataFrame, parts: pd.DataFrame) -> Callable:
    """The verdict on a claim of H200 over H100, from official rates by part and scenario (of eight each)."""

    def verdict(claim: dict, rates: dict[tuple[str, str], float]) -> tuple[str, str]:
        given = [official(low=rate, accelerator=part, scenario=scenario) for (part, scenario), rate in rates.items()]
        found = checks.speedups(claims(OVER | claim), rows(*given), benchmarks, parts).iloc[0]
        return found["verdict"], found["explanation"]

    return verdict


BOTH = {("H100 SXM", "Offline"): 800.0, ("H200 SXM", "Offline"): 1000.0}


@pytest.mark.parametrize(
    ("stated", "found"),
    [(1.25, "exact"), (1.3, "within_5_percent"), (1.4, "contradicts"), (1.0, "contradicts")],
)
def test_a_stated_speedup(judge: Callable, stated: float, found: str) -> None:
    assert judge({"low": stated, "scenario": "Offline"}, BOTH)[0] == found


def test_it_holds_in_one_scenario_only(judge: Callable) -> None:
    rates = BOTH | {("H100 SXM", "Server"): 700.0, ("H200 SXM", "Server"): 1050.0}
    found, said = judge({"low": 1.5}, rates)
    assert (found, "Holds only in Server" in said) == ("conditional", True)
    assert judge({"low": 1.5, "scenario": "Server"}, rates)[0] == "exact"


def test_it_holds_for_the_part_of_another_power_limit_only(judge: Callable) -> None:
    found, said = judge({"low": 1.5}, BOTH | {("H200 SXM CTS", "Offline"): 1200.0})
    assert (found, "Holds only for the H200 SXM CTS, in Offline" in said) == ("conditional", True)


def test_it_holds_with_a_caveat_only(
    rows: Rows, official: Callable, claims: Rows, benchmarks: pd.DataFrame, parts: pd.DataFrame
) -> None:
    frame = rows(official(low=800.0), official(low=125.0, accelerator="H200 SXM", accelerator_count=1))
    found = checks.speedups(claims(OVER | {"low": 1.25}), frame, benchmarks, parts).iloc[0]
    assert found["verdict"] == "conditional"
    assert "systems of different size, 1x against 8x" in found["explanation"]


def test_up_to_is_held_against_the_highest(judge: Callable) -> None:
    rates = BOTH | {("H100 SXM", "Server"): 700.0, ("H200 SXM", "Server"): 1050.0}
    assert judge({"low": 1.5, "bound": "at_most"}, rates)[0] == "exact"
    assert judge({"low": 1.25, "bound": "at_most"}, rates)[0] == "contradicts"


def test_a_claim_over_benchmarks_is_held_against_their_mean(
    rows: Rows, official: Callable, claims: Rows, benchmarks: pd.DataFrame, parts: pd.DataFrame
) -> None:
    images = {"benchmark": "images", "unit": "samples/s"}
    new = {"accelerator": "H200 SXM"}
    frame = rows(official(low=800.0), official(low=1000.0, **new), official(low=8.0, **images))
    frame = pd.concat([frame, rows(official(low=14.0, **images, **new))], ignore_index=True)
    for stated, found in ((1.5, "conditional"), (1.75, "contradicts")):  # 1.25 and 1.75
        judged = checks.speedups(claims(OVER | {"benchmark": "", "low": stated}), frame, benchmarks, parts)
        assert judged["verdict"].tolist() == [found]


def test_what_is_not_at_hand(judge: Callable) -> None:
    assert judge({"low": 1.25}, {("H100 SXM", "Offline"): 800.0})[0] == "no_official_basis"
    found, said = judge({"low": 1.25, "round": "v4.0", "baseline_round": "v4.0"}, BOTH)
    assert (found, "No official v4.0 results" in said) == ("unverifiable", True)


def test_a_baseline_of_no_stated_round(judge: Callable) -> None:
    assert judge({"low": 1.25, "baseline_round": ""}, BOTH)[0] == "conditional"
    assert judge({"low": 1.5, "baseline_round": ""}, BOTH)[0] == "unverifiable"


@pytest.mark.parametrize(("stated", "found"), [(1.25, "exact"), (1.5, "contradicts")])
def test_one_part_in_two_rounds(
    rows: Rows, official: Callable, claims: Rows, benchmarks: pd.DataFrame, stated: float, found: str
) -> None:
    said = {"subject_accelerator": "H100 SXM", "baseline_accelerator": "H100 SXM", "benchmark": "llm", "round": "v5.1"}
    said |= {"baseline_round": "v4.1", "low": stated}
    frame = rows(official(low=800.0), official(low=1000.0, round="v5.1"))
    assert checks.over_time(claims(said), frame, benchmarks)["verdict"].tolist() == [found]
    alone = checks.over_time(claims(said), frame.head(1), benchmarks)
    assert alone["verdict"].tolist() == ["unverifiable"]


@pytest.mark.parametrize(("rate", "found"), [(800.0, "exact"), (700.0, "contradicts")])
def test_the_leader(
    rows: Rows, official: Callable, claims: Rows, benchmarks: pd.DataFrame, parts: pd.DataFrame, rate: float, found: str
) -> None:
    said = {"quantity": "rank", "subject_accelerator": "H100 SXM", "benchmark": "llm", "round": "v4.1"}
    said |= {"scenario": "Offline", "baseline": "all submissions without H200"}
    others = [
        official(low=750.0, accelerator="card 1 Slim", submitter="Other"),
        official(low=999.0, accelerator="H200 SXM"),
    ]
    judged = ranks.ranks(claims(said), rows(official(low=rate), *others), benchmarks, parts)
    assert judged["verdict"].tolist() == [found]


def test_the_leader_in_one_scenario_only(
    rows: Rows, official: Callable, claims: Rows, benchmarks: pd.DataFrame, parts: pd.DataFrame
) -> None:
    said = {"quantity": "rank", "subject": "ACME box", "baseline_accelerator": "H100 SXM", "benchmark": "llm"}
    said |= {"subject_accelerator": "H100 SXM", "round": "v4.1", "accelerator_count": 8}
    frame = rows(official(low=800.0), official(low=900.0, scenario="Server", submitter="Other"))
    assert ranks.ranks(claims(said), frame, benchmarks, parts)["verdict"].tolist() == ["conditional"]
    frame = rows(official(low=800.0), official(low=900.0, submitter="Other"))
    assert ranks.ranks(claims(said), frame, benchmarks, parts)["verdict"].tolist() == ["contradicts"]


@pytest.mark.parametrize(("many", "found"), [(1600.0, "exact"), (1500.0, "within_rounding"), (1200.0, "contradicts")])
def test_scaling_between_nodes(
    rows: Rows, official: Callable, claims: Rows, benchmarks: pd.DataFrame, parts: pd.DataFrame, many: float, found: str
) -> None:
    said = {"quantity": "scaling_ratio", "subject": "four nodes", "baseline": "two nodes", "locator": "ACME statement"}
    said |= {"benchmark": "llm", "round": "v4.1", "low": 1.85, "high": 2.15}
    frame = rows(official(low=800.0, nodes=2), official(low=many, nodes=4, accelerator_count=16))
    judged = ranks.scaling(claims(said), frame, benchmarks, parts)
    assert judged["verdict"].iloc[0] == ("within_rounding" if found == "exact" else found)
    assert ranks.scaling(claims(said), frame.head(1), benchmarks, parts)["verdict"].tolist() == ["unverifiable"]


def test_nothing_official_measures_production(
    rows: Rows, official: Callable, claims: Rows, benchmarks: pd.DataFrame
) -> None:
    said = claims({"quantity": "fraction_of_benchmark", "low": 0.6, "high": 0.8})
    frame = rows(official(low=800.0), official(low=600.0, scenario="Server"))
    judged = ranks.production(said, frame, benchmarks).iloc[0]
    assert (judged["verdict"], judged["expected_low"], judged["expected_high"]) == ("unverifiable", 0.75, 0.75)
