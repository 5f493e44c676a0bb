"""Stated speedups, ranks and other claims against the official record."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from analysis._core.interval import Interval
from analysis._core.notes import note
from analysis.audit import claims as stated_claims
from analysis.audit import ranks

Rows = Callable[..., pd.DataFrame]
Official = Callable[..., dict[str, Any]]
OVER = {"subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM", "benchmark": "llm", "round": "v4.1"}
OVER |= {"baseline_round": "v4.1"}


@pytest.fixture
def judge(rows: Rows, official: Callable, claims: Rows, tables: Callable) -> Callable:
    """The verdict on a claim of H200 over H100, from official rates by part and scenario (of eight each)."""

    def judgment(claim: dict, rates: dict[tuple[str, str], float]) -> tuple[str, str]:
        given = [official(low=rate, accelerator=part, scenario=scenario) for (part, scenario), rate in rates.items()]
        (one,) = stated_claims.speedups(tables(claims=claims(OVER | claim), results=rows(*given)))
        return one.verdict, one.explanation

    return judgment


BOTH = {("H100 SXM", "Offline"): 800.0, ("H200 SXM", "Offline"): 1000.0}


@pytest.mark.parametrize(
    ("stated", "verdict"),
    [(1.25, "confirmed"), (1.3, "within_5_percent"), (1.4, "contradicted"), (1.0, "contradicted")],
)
def test_a_stated_speedup(judge: Callable, stated: float, verdict: str) -> None:
    assert judge({"low": stated, "scenario": "Offline"}, BOTH)[0] == verdict


def test_it_holds_in_one_scenario_only(judge: Callable) -> None:
    rates = BOTH | {("H100 SXM", "Server"): 700.0, ("H200 SXM", "Server"): 1050.0}
    verdict, explanation = judge({"low": 1.5}, rates)
    assert (verdict, "Holds only in Server" in explanation) == ("conditional", True)
    assert judge({"low": 1.5, "scenario": "Server"}, rates)[0] == "confirmed"


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
    assert judge({"low": 1.5, "bound": "at_most"}, rates)[0] == "confirmed"
    assert judge({"low": 1.25, "bound": "at_most"}, rates)[0] == "contradicted"


def test_a_claim_over_benchmarks_is_held_against_their_mean(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable
) -> None:
    images = {"benchmark": "images", "unit": "samples/s"}
    new = {"accelerator": "H200 SXM"}
    frame = rows(official(low=800.0), official(low=1000.0, **new), official(low=8.0, **images))
    frame = pd.concat([frame, rows(official(low=14.0, **images, **new))], ignore_index=True)
    for stated, verdict in ((1.5, "conditional"), (1.75, "contradicted")):  # 1.25 and 1.75
        claim = claims(OVER | {"benchmark": "", "low": stated})
        assert verdicts(stated_claims.speedups(tables(claims=claim, results=frame))) == [verdict]


def test_what_is_not_at_hand(judge: Callable) -> None:
    assert judge({"low": 1.25}, {("H100 SXM", "Offline"): 800.0})[0] == "no_official_result"
    verdict, explanation = judge({"low": 1.25, "round": "v4.0", "baseline_round": "v4.0"}, BOTH)
    assert (verdict, "No official v4.0 results" in explanation) == ("unverifiable", True)


@pytest.mark.parametrize(
    ("part", "benchmark", "verdict"),
    [
        ("H200 SXM", "llm", "no_official_result"),
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


@pytest.mark.parametrize(("stated", "verdict"), [(1.25, "confirmed"), (1.5, "contradicted")])
def test_one_part_in_two_rounds(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable, stated: float, verdict: str
) -> None:
    claim = {"subject_accelerator": "H100 SXM", "baseline_accelerator": "H100 SXM", "benchmark": "llm", "round": "v5.1"}
    claim |= {"baseline_round": "v4.1", "low": stated}
    frame = rows(official(low=800.0), official(low=1000.0, round="v5.1"))
    assert verdicts(stated_claims.speedups(tables(claims=claims(claim), results=frame))) == [verdict]
    alone = stated_claims.speedups(tables(claims=claims(claim), results=frame.head(1)))
    assert verdicts(alone) == ["unverifiable"]


@pytest.fixture
def held(rows: Rows, official: Official, claims: Rows, tables: Callable) -> Callable:
    """The judgment on a claim of H200 over H100 of v4.1, from whole official rows; `whole`: rounds in the data."""

    def judgment(claim: dict[str, Any], *given: dict[str, Any], **whole: Any) -> Any:
        (one,) = stated_claims.speedups(tables(claims=claims(OVER | claim), results=rows(*given), **whole))
        return one

    return judgment


NEW = {"accelerator": "H200 SXM"}


@pytest.mark.parametrize(("stated", "verdict"), [(1.25, "confirmed"), (1.5, "contradicted")])
def test_a_statement_of_one_submitter_is_held_against_its_own_results(
    held: Callable, official: Official, stated: float, verdict: str
) -> None:
    others = [official(low=2000.0, submitter="Other", **NEW), official(low=1000.0, submitter="Other")]
    own = official(low=1000.0, **NEW), official(low=800.0)
    assert held({"low": stated, "submitter": "ACME"}, *own, *others).verdict == verdict
    assert held({"low": stated}, *own, *others).expected == Interval(1.0, 2.5)


def test_two_parts_in_two_rounds_are_those_of_the_rounds_that_are_named(held: Callable, official: Official) -> None:
    given = official(low=1000.0, **NEW), official(low=800.0), official(low=500.0, round="v4.0")
    assert held({"low": 2.0, "baseline_round": "v4.0"}, *given).verdict == "confirmed"
    assert held({"low": 2.0}, *given).verdict == "contradicted"


def test_up_to_is_the_best_over_the_best_and_not_over_the_worst(held: Callable, official: Official) -> None:
    others = official(low=900.0, submitter="Other", **NEW), official(low=600.0, submitter="Other")
    given = official(low=1000.0, **NEW), official(low=800.0), *others
    one = held({"low": 1.25, "bound": "at_most"}, *given)
    assert (one.verdict, one.expected) == ("confirmed", Interval(1.25, 1.25))
    assert held({"low": 1.667, "bound": "at_most"}, *given).verdict == "contradicted"  # 1000 over 600


def test_sizes_that_both_sides_have_are_compared_each_with_its_own(held: Callable, official: Official) -> None:
    one = {"accelerator_count": 1}
    given = (
        official(low=1000.0, **NEW),
        official(low=800.0),
        official(low=160.0, **NEW | one),
        official(low=110.0, **one),
    )
    assert held({"low": 1.3}, *given).expected == Interval(1.25, 160 / 110)
    assert held({"low": 160 / 110, "accelerator_count": 1}, *given).verdict == "confirmed"


@pytest.mark.parametrize(("size", "verdict"), [(16, "within_rounding"), (8, "contradicted")])
def test_a_statement_of_two_systems_is_of_the_whole_systems(
    held: Callable, official: Official, size: int, verdict: str
) -> None:
    claim = {"low": 1.0, "bound": "at_least", "submitter": "ACME", "accelerator_count": size}
    claim |= {"system": "BIG", "baseline_system": "SMALL"}
    big = official(low=1200.0, accelerator_count=16, system="BIG (16x)", **NEW)
    half = official(low=600.0, accelerator_count=8, system="BIG (8x)", **NEW)
    other = official(low=9000.0, accelerator_count=size, system="HUGE", **NEW)
    one = held(claim, big, half, other, official(low=800.0, accelerator_count=4, system="SMALL (4x)"))
    assert (one.verdict, one.expected.high) == (verdict, 1.5 if size == 16 else 0.75)


def test_a_range_over_benchmarks_says_where_it_holds_and_where_not(held: Callable, official: Official) -> None:
    images = {"benchmark": "images", "unit": "samples/s"}
    given = (
        official(low=842.4, **NEW),
        official(low=810.0),
        official(low=15.0, **images | NEW),
        official(low=10.0, **images),
    )
    one = held({"benchmark": "", "low": 1.03, "high": 1.08, "range_basis": "range"}, *given)
    assert one.verdict == "conditional"
    assert "Holds only on llm Offline (1.04); not on images Offline (1.5)" in one.explanation
    assert held({"benchmark": "", "low": 1.1, "high": 1.2, "range_basis": "range"}, *given).verdict == "contradicted"


def test_queries_are_turned_into_the_samples_of_tokens(held: Callable, official: Official) -> None:
    server = {"scenario": "Server"}
    later = official(low=29_000.0, tokens_per_sample=290.0, **NEW | server)
    earlier = official(low=80.0, unit="queries/s", tokens_per_sample=None, round="v4.0", **server)
    assert held({"low": 1.25, "baseline_round": "v4.0"}, later, earlier).verdict == "confirmed"
    unknown = official(low=29_000.0, tokens_per_sample=None, **NEW | server)
    assert held({"low": 1.25, "baseline_round": "v4.0"}, unknown, earlier).verdict == "no_official_result"


def test_a_shorter_latency_is_faster(held: Callable, official: Official) -> None:
    stream = {"scenario": "SingleStream", "metric": "latency", "unit": "ms", "suite": "edge"}
    given = official(low=100.0, **NEW | stream), official(low=150.0, **stream)
    assert held({"low": 1.5, "suite": "edge"}, *given).verdict == "confirmed"
    offline = [row | {"scenario": "Offline", "metric": "throughput", "unit": "tokens/s"} for row in given]
    assert held({"low": 1.5}, *offline).verdict == "no_official_result"  # the data center has none


def test_a_preview_system_is_told_and_is_no_condition(held: Callable, official: Official) -> None:
    one = held({"low": 1.25}, official(low=1000.0, availability="preview", **NEW), official(low=800.0))
    assert (one.verdict, "preview system" in one.explanation) == ("confirmed", True)


@pytest.mark.parametrize(("closed", "verdict"), [(1, "contradicted"), (2, "no_official_result")])
def test_what_the_whole_record_lacks_contradicts(
    held: Callable, official: Official, rounds: Callable, closed: int, verdict: str
) -> None:
    one = held({"low": 1.25}, official(low=800.0), rounds=rounds(**{"v4.1": closed}))
    assert one.verdict == verdict


def test_a_benchmark_that_the_tables_lack_is_left_out(held: Callable, official: Official) -> None:
    lacking = {"benchmark": "neuralmagic_Llama-2-7b-chat-hf-FP8"}
    given = (
        official(low=1000.0, **NEW),
        official(low=800.0),
        official(low=9.0, **NEW | lacking),
        official(low=1.0, **lacking),
    )
    assert held({"benchmark": "", "low": 1.25, "bound": "at_most"}, *given).verdict == "confirmed"


@pytest.mark.parametrize(
    ("own", "verdict"),
    [(1100.0, "within_rounding"), (960.0, "within_rounding"), (900.0, "contradicted")],
)
def test_who_matches_the_leaders_is_held_against_the_best_of_the_others(
    held: Callable, official: Official, own: float, verdict: str
) -> None:
    claim = {"quantity": "share_of_best", "low": 0.95, "high": 1.05, "bound": "at_least", "submitter": "ACME"}
    others = [official(low=low, submitter="Other", **NEW) for low in (1000.0, 500.0)]
    one = held(claim | {"baseline_accelerator": "H200 SXM"}, official(low=own, **NEW), *others)
    assert (one.verdict, one.expected.low) == (verdict, own / 1000.0)


@pytest.mark.parametrize(("gain", "verdict"), [(1.33, "confirmed"), (1.5, "contradicted")])
def test_a_gain_of_the_open_division_over_the_closed_one(
    rows: Rows, official: Official, ways: Rows, tables: Callable, gain: float, verdict: str
) -> None:
    way = {"division": "open", "round": "v4.1", "scenario": "Offline", "speedup_low": gain, "speedup_high": gain}
    opened = official(low=1064.0, division="open"), official(low=2400.0, division="open", submitter="Other")
    closed = official(low=800.0), official(low=1600.0, submitter="Other")
    sources = pd.DataFrame({"id": ["docA"], "publisher": ["ACME"]})
    own = tables(quantization=ways(way), results=rows(*opened, *closed), sources=sources)
    (one,) = stated_claims.open_division(own)
    assert (one.verdict, one.expected) == (verdict, Interval(1.33, 1.33))


@pytest.mark.parametrize(("rate", "verdict"), [(800.0, "confirmed"), (700.0, "contradicted")])
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
    assert verdicts(ranks.ranks(tables(claims=claims(claim), results=frame))) == ["contradicted"]


@pytest.mark.parametrize(
    ("many", "verdict"), [(1600.0, "confirmed"), (1500.0, "within_rounding"), (1200.0, "contradicted")]
)
def test_scaling_between_nodes(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable, many: float, verdict: str
) -> None:
    claim = {"quantity": "scaling_ratio", "nodes": 4, "baseline_nodes": 2, "submitter": "ACME"}
    claim |= {"benchmark": "llm", "round": "v4.1", "baseline_round": "v4.1", "low": 1.85, "high": 2.15}
    claim |= {"subject_accelerator": "H100 SXM", "baseline_accelerator": "H100 SXM"}
    frame = rows(official(low=800.0, nodes=2), official(low=many, nodes=4, accelerator_count=16))
    assert verdicts(stated_claims.speedups(tables(claims=claims(claim), results=frame))) == [verdict]
    assert verdicts(stated_claims.speedups(tables(claims=claims(claim), results=frame.head(1)))) == [
        "no_official_result"
    ]


def test_nothing_official_measures_production(rows: Rows, official: Callable, claims: Rows, tables: Callable) -> None:
    claim = claims({"quantity": "fraction_of_benchmark", "low": 0.6, "high": 0.8})
    others = official(low=800.0, round="v4.0"), official(low=200.0, round="v4.0", scenario="Server")
    frame = rows({}, official(low=800.0), official(low=600.0, scenario="Server"), *others)
    (one,) = ranks.production(tables(claims=claim, results=frame))
    assert (one.verdict, one.expected) == ("unverifiable", Interval(0.75, 0.75))


@pytest.mark.parametrize(("stated", "verdict"), [(0.9, "within_rounding"), (1.0, "contradicted")])
def test_a_serving_layer(
    rows: Rows, official: Callable, claims: Rows, tables: Callable, verdicts: Callable, stated: float, verdict: str
) -> None:
    claim = OVER | {
        "subject_accelerator": "H100 SXM",
        "framework": "Triton",
        "low": stated - 0.01,
        "high": stated + 0.01,
    }
    frame = rows(official(low=800.0), official(low=720.0, serving_software="Triton"))
    assert verdicts(ranks.layers(tables(claims=claims(claim), results=frame))) == [verdict]


def test_what_no_check_reaches_says_what_is_missing(claims: Rows, prices: Rows, tables: Callable) -> None:
    own = tables(claims=claims({"quantity": "share_of_time"}), prices=prices({"id": "p"}))
    price = next(one for one in ranks.unchecked(own, []) if one.figure["table"] == "prices")
    assert (price.verdict, price.unit, price.printed) == ("unverifiable", "USD/hour", Interval(3.6, 3.6))
    (claim,) = ranks.unchecked(own, [price])
    assert claim.explanation == "The tables lack a profile of the run."


@pytest.mark.parametrize(
    ("subject", "verdict"),
    [("Hopper", "confirmed"), ("ACME", "confirmed"), ("Other", "contradicted"), ("card", "contradicted")],
)
def test_a_vendor_or_a_family_leads_with_any_of_its_parts(
    rows: Rows, official: Official, claims: Rows, tables: Callable, verdicts: Callable, subject: str, verdict: str
) -> None:
    claim = {"quantity": "rank", "subject": subject, "round": "v4.1"}
    images = {"benchmark": "images", "unit": "samples/s"}
    given = [official(low=800.0), official(low=900.0, **NEW), official(low=700.0, accelerator="card 1 Slim")]
    given += [official(low=9.0, **images), official(low=5.0, accelerator="card 1 Slim", **images)]
    assert verdicts(ranks.ranks(tables(claims=claims(claim), results=rows(*given)))) == [verdict]


def test_a_leader_in_some_benchmarks_only(rows: Rows, official: Official, claims: Rows, tables: Callable) -> None:
    claim = {"quantity": "rank", "subject": "Hopper", "round": "v4.1"}
    images = {"benchmark": "images", "unit": "samples/s"}
    given = official(low=800.0), official(low=9.0, **images), official(low=10.0, accelerator="card 1", **images)
    (one,) = ranks.ranks(tables(claims=claims(claim), results=rows(*given, official(low=1.0, benchmark="lacking"))))
    assert (one.verdict, one.expected) == ("conditional", Interval(1.0, 2.0))
    assert one.explanation.endswith("; left out, as the tables lack it: lacking.")
    assert "Holds in llm Offline only: official rates per accelerator give rank 1 in 1 of 2" in one.explanation


def test_production_leaves_out_what_the_tables_lack(
    rows: Rows, official: Official, claims: Rows, tables: Callable
) -> None:
    lacking = {"benchmark": "neuralmagic_Llama-2-7b-chat-hf-FP8"}
    given = official(low=800.0), official(low=600.0, scenario="Server")
    others = official(low=800.0, **lacking), official(low=80.0, scenario="Server", **lacking)
    claim = claims({"quantity": "fraction_of_benchmark", "low": 0.6, "high": 0.8})
    (one,) = ranks.production(tables(claims=claim, results=rows({}, *given, *others)))
    assert one.expected == Interval(0.75, 0.75)
    assert "left out, as the tables lack it: neuralmagic_Llama-2-7b-chat-hf-FP8" in one.explanation
