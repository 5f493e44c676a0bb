"""Each check of the audit on small tables: the verdict follows the figure, on both sides of every border."""

import pandas as pd
import pytest

from analysis._core.interval import Interval
from analysis._core.notes import note
from analysis.audit import against_record, arithmetic, claims, cross_document, labels, physics, ranks, ratios, sizes
from analysis.audit import submissions as submitted
from analysis.audit.verdict import Verdict

(EXACT, ROUNDED, CLOSE, CONDITIONAL, UNVERIFIABLE, NO_RESULT, WRONG, IMPOSSIBLE) = Verdict
H200, OTHER, SERVER = {"accelerator": "H200 SXM"}, {"submitter": "Other"}, {"scenario": "Server"}
IMAGES = {"benchmark": "images", "unit": "samples/s"}
STREAM = {"scenario": "SingleStream", "metric": "latency", "unit": "ms", "suite": "edge"}
LACKING = {"benchmark": "a model that the tables lack"}
PARTS = {"subject_accelerator": "H200 SXM", "baseline_accelerator": "H100 SXM"}
OVER = PARTS | {"benchmark": "llm", "round": "v4.1", "baseline_round": "v4.1"}
PAIR = [{"low": 800.0}, {"low": 1000.0} | H200]  # official: H200 1.25 times H100
BY_SERVER = [*PAIR, {"low": 700.0} | SERVER, {"low": 1050.0} | SERVER | H200]  # and 1.5 times in Server
AT_ONE = {"batch_size": 1, "scenario": "", "round": "", "accelerator_count": 2, "precision": "fp16"}
METER = {"power_measured": True, "power_watts_low": 400.0, "power_watts_high": 400.0}
ONE = {"accelerator_count": 1}
DOC_B = {"source_id": "docB"}
RANK = {"quantity": "rank", "round": "v4.1"}
DATED = pd.DataFrame({"id": ["mlcommons-v4.1"], "kind": ["official"], "round": ["v4.1"], "published": ["2024-08-28"]})
PUBLISHERS = pd.DataFrame({"id": ["docA"], "publisher": ["ACME"]})
FIXES = pd.DataFrame(
    {"table": ["results"], "key": ["r0"], "column": ["unit"], "printed": ["queries/s"], "corrected": ["tokens/s"]}
)


def around(value, name="", by=0.5):
    """A range of columns around a value."""
    prefix = f"{name}_" if name else ""
    return {f"{prefix}low": value - by, f"{prefix}high": value + by}


def dollars(stated, **rate):
    """A rate of 100 tokens/s at 3.60 dollars an hour, said to be so many tokens per dollar: 100,000 are right."""
    claim = {"quantity": "tokens_per_dollar", "low": stated, "result_row": "rate", "price_row": "r0"}
    return {"claims": [claim], "results": [{"id": "rate", "low": 100.0} | rate], "prices": [{}]}


def example(stated):
    """A hundred users of 30 tokens/s each, said to need so many H100."""
    asked = {"benchmark": "llm", "subject_accelerator": "H100 SXM", "range_basis": "exact"}
    values = {"users": 100.0, "tokens_per_second_per_user": 30.0, "accelerators_needed": stated}
    return [asked | {"quantity": quantity, "low": value, "unit": quantity} for quantity, value in values.items()]


def count(**claim):
    return {"claims": [{"round": "v4.1"} | claim]}


DOCUMENT = {  # figures against others of their document and against datasheets
    "a repeat says the same": (
        arithmetic.repeats, lambda low: {"results": [around(800), {"duplicate_of": "r0", "low": low, "high": low + 1}]},
        {799.5: EXACT, 800.0: ROUNDED, 830.0: CLOSE, 900.0: WRONG},
    ),
    "tokens per dollar": (arithmetic.tokens_per_dollar, dollars, {1e5: EXACT, 1.04e5: CLOSE, 1.06e5: WRONG}),
    "the price of all accelerators that hold the weights": (
        arithmetic.deployment_price, lambda given: dollars(given[1], precision=given[0]),
        {("fp16", 1e5): WRONG, ("fp16", 5e4): EXACT, ("fp8", 1e5): EXACT},
    ),
    # Two H100 read 140 GB of weights at 3,350 GB/s each 47.9 times a second: 23,929 tokens for a dollar.
    "dollars of a rate that the hardware cannot reach": (
        arithmetic.dollars_at_ceiling, lambda given: dollars(given[1], **AT_ONE | dict(given[2:]), low=given[0]),
        {(60.0, 6e4): IMPOSSIBLE, (60.0, 2.4e4): CLOSE, (60.0, 2e4): ROUNDED, (40.0, 6e4): [],
         (120.0, 6e4, ("accelerator_count", 4)): IMPOSSIBLE},
    ),
    "watts that throughput per watt implies": (  # 178 to 229
        arithmetic.implied_watts, lambda watts: {
            "results": [{"per_watt_low": 3.5, "per_watt_high": 4.5, "power_measured": True}],
            "official": [METER | around(watts, "power_watts", 0) | {"low": 800.0}],
        },
        {220.0: ROUNDED, 300.0: WRONG},
    ),
    "a ratio of the document's own rates": (
        ratios.stated, lambda low: {
            "results": [{"low": 1000.0} | H200, {"low": 800.0}, {"low": 1.0} | DOC_B],
            "claims": [OVER | {"baseline_round": "", "scenario": "Offline", "low": low}],
        },
        {1.25: EXACT, 1.3: CLOSE, 1.32: WRONG, 1.0: WRONG},
    ),
    "ranges over each other, end by end": (  # 1.25 and 1.25; low over high to high over low 1.14 to 1.37
        ratios.stated, lambda printed: {
            "results": [{"low": 1000.0, "high": 1100.0, "range_basis": "range"} | H200,
                        {"low": 800.0, "high": 880.0, "range_basis": "range"}],
            "claims": [OVER | {"baseline_round": "", "scenario": "Offline", "range_basis": "range"}
                       | {"low": printed[0], "high": printed[1]}],
        },
        {(1.25, 1.25): ROUNDED, (1.2, 1.3): ROUNDED, (1.14, 1.25): CONDITIONAL, (1.1, 1.13): CLOSE, (1.0, 1.05): WRONG},
    ),
    "a ratio is held against what the document explains it by": (  # 2,000 over 3,350 GB/s is 0.597
        ratios.explained, lambda low: {"claims": [
            PARTS | {"quantity": "throughput_ratio_by_bandwidth", "low": low},
            {"quantity": "memory_bandwidth", "subject_accelerator": "H200 SXM", "low": 2000.0, "unit": "GB/s"},
            {"quantity": "memory_bandwidth", "subject_accelerator": "H100 SXM", "low": 3350.0, "unit": "GB/s"},
        ]},
        {0.6: CLOSE, 0.8: WRONG},
    ),
    "a ratio of MLPerf figures is not held against figures at batch 1": (
        ratios.stated, lambda round: {
            "results": [{"low": 155.0} | AT_ONE | ONE | H200, {"low": 110.0} | AT_ONE | ONE],
            "claims": [PARTS | {"benchmark": "llm", "low": 1.41, "round": round}],
        },
        {"": CLOSE, "v4.1": []},
    ),
    "a product of ratios": (
        ratios.products, lambda low: {"claims": [
            {"subject_accelerator": "H200 SXM CTS", "baseline_accelerator": "H100 SXM", "low": low},
            {"subject_accelerator": "H200 SXM CTS", "baseline_accelerator": "H200 SXM", "low": 1.25},
            PARTS | {"low": 1.2},
        ]},
        {1.5: EXACT, 1.55: CLOSE, 1.7: WRONG},
    ),
    "a gain from a part of the time": (  # 1 / (0.1 + 0.45) = 1.8182
        ratios.accelerated_part, lambda gain: {
            "claims": [{"benchmark": "llm", "technique": "deepcache", "quantity": "share_of_time", "low": 0.9},
                       {"benchmark": "llm", "technique": "deepcache", "quantity": "compute_ratio", "low": 0.5}],
            "quantization": [{"technique": "deepcache"} | around(gain, "speedup", 0.001)],
        },
        {1.818: ROUNDED, 1.9: CLOSE, 2.0: WRONG},
    ),
    "a sizing example": (  # 3.7 to 4 accelerators, rounded up
        sizes.sizing, lambda stated: {
            "claims": example(stated), "prices": [{}],
            "results": [ONE | {"low": 750.0, "high": 820.0, "per": "accelerator"}],
        },
        {4.0: EXACT, 5.0: WRONG},
    ),
    "memory of the weights": (
        sizes.weight_memory, lambda low: {"quantization": [around(low + 5, "weight_memory_gb", 5)]},
        {135.0: EXACT, 146.0: CLOSE, 150.0: WRONG},
    ),
    "accelerators that the weights need": (
        sizes.accelerators_needed, lambda needed: {"quantization": [{"accelerators_needed": needed}]},
        {2: EXACT, 1: IMPOSSIBLE, 3: ROUNDED},
    ),
    "the largest model that fits": (
        sizes.model_limit,
        lambda low: {"claims": [PARTS | {"quantity": "model_parameters", "bound": "at_most", "low": low}]},
        {70.0: ROUNDED, 141.0: CONDITIONAL, 282.0: CONDITIONAL, 283.0: IMPOSSIBLE},
    ),
    "the size of a sparse model": (
        sizes.sparse_size, lambda size: {
            "quantization": [{"technique": "sparsity-2:4"} | around(size, "size_ratio", 0)],
            "claims": [{"technique": "sparsity-2:4", "quantity": "model_size_ratio", "low": size}],
        },
        {0.625: [CONDITIONAL] * 2, 0.5625: [CONDITIONAL] * 2, 0.5: [WRONG] * 2},
    ),
    "a fact of a datasheet": (
        cross_document.datasheets,
        lambda given: {"claims": [{"quantity": given[0], "subject_accelerator": "H100 SXM", "low": given[1]}]},
        {("memory_capacity", 80.0): EXACT, ("memory_capacity", 94.0): WRONG, ("power_limit", 700.0): EXACT,
         ("memory_bandwidth", 3450.0): CLOSE},
    ),
    "throughput of two documents, tokens or samples": (  # 750 to 900 tokens/s at 250 to 300 a sample
        cross_document.throughputs,
        lambda low: {"results": [{"low": low}, {"low": 3.0, "unit": "samples/s"} | DOC_B]},
        {800.0: [ROUNDED] * 2, 1000.0: [WRONG] * 2},
    ),
    "another round, scenario or part is another quantity": (
        cross_document.throughputs, lambda other: {"results": [{"low": 800.0}, {"low": 400.0} | DOC_B | dict([other])]},
        {("round", "v4.0"): [], ("scenario", "Server"): [], ("accelerator", "H200 SXM"): [], ("source_id", "docA"): []},
    ),
    "a claim of two documents about one part": (
        cross_document.claims, lambda low: {"claims": [
            {"quantity": "memory_capacity", "subject_accelerator": "H100 SXM", "low": 80.0},
            {"quantity": "memory_capacity", "subject_accelerator": "H100 SXM", "low": low} | DOC_B,
        ]},
        {80.0: [EXACT] * 2, 83.0: [CLOSE] * 2, 94.0: [WRONG] * 2},
    ),
    "prices of one provider or of several": (
        cross_document.prices, lambda named: {"prices": [
            {}, DOC_B | around(4.0, "usd_per_accelerator_hour", 0)
            | dict(zip(("provider", "providers"), named, strict=True)),
        ]},
        {("Cloud", "one"): [WRONG] * 2, ("Another", "one"): [], ("most", "several"): [WRONG] * 2,
         ("not named", "unnamed"): []},
    ),
}  # fmt: skip
HARDWARE = {  # figures against what the hardware can do, each unknown in favor of the figure
    "decoding at batch 1": (  # 2 x 3350 / 140 = 47.86; size unknown: two accelerators, precision unknown: 4 bits
        physics.decode, lambda given: {"results": [AT_ONE | dict(zip(("low", "high", "precision", "accelerator_count"),
                                                                     given, strict=True))]},
        {(84.5, 85.5, "fp16", 2): IMPOSSIBLE, (50.0, 51.0, "fp16", 2): CLOSE, (47.0, 85.5, "fp16", 2): ROUNDED,
         (100.0, 101.0, "fp8", 2): CLOSE, (101.0, None, "fp8", 2): IMPOSSIBLE, (47.0, None, "fp16", None): ROUNDED,
         (60.0, None, "fp16", None): IMPOSSIBLE, (95.0, None, "", None): ROUNDED, (40.0, None, "fp16", 1): ROUNDED},
    ),
    "weights fit": (
        physics.fit, lambda given: {"results": [{"accelerator_count": given[0], "precision": given[1]}]},
        {(2, "fp16"): EXACT, (1, "fp16"): IMPOSSIBLE, (4, "fp16"): ROUNDED, (1, "fp8"): EXACT, (8, ""): [],
         (None, "fp16"): []},
    ),
    "a repeat takes its precision from the first": (
        physics.fit, lambda size: {"results": [
            AT_ONE, {"duplicate_of": "r0", "accelerator_count": size, "precision": ""},
        ]},
        {1: [EXACT, IMPOSSIBLE], 2: [EXACT, EXACT]},
    ),
    "dense compute": (  # 1979e12 / 140e9 = 14,136; 989e12 / 140e9 = 7,064; 12.9 of 47 billion: 76,705
        physics.compute, lambda given: {"results": [ONE | {"low": given[0]} | dict(given[1:])]},
        {(14_135.0,): ROUNDED, (14_800.0,): CLOSE, (14_900.0,): IMPOSSIBLE,
         (7_500.0, ("precision", "fp16")): IMPOSSIBLE, (76_000.0, ("benchmark", "experts")): ROUNDED,
         (14_900.0, ("per", "accelerator"), ("accelerator_count", 8)): IMPOSSIBLE},
    ),
}  # fmt: skip
RECORD = {  # claims against official results
    "a speedup": (
        claims.speedups, lambda low: {"claims": [OVER | {"low": low, "scenario": "Offline"}], "official": PAIR},
        {1.25: EXACT, 1.3: CLOSE, 1.4: WRONG, 1.0: WRONG},
    ),
    "a speedup that holds in one scenario": (
        claims.speedups,
        lambda scenario: {"claims": [OVER | {"low": 1.5, "scenario": scenario}], "official": BY_SERVER},
        {"": CONDITIONAL, "Server": EXACT, "Offline": WRONG},
    ),
    "up to is the best over the best, of the highest scenario": (
        claims.speedups, lambda low: {
            "claims": [OVER | {"low": low, "bound": "at_most"}],
            "official": [*BY_SERVER, {"low": 900.0} | OTHER | H200, {"low": 600.0} | OTHER],
        },
        {1.5: EXACT, 1.25: WRONG, 1.667: WRONG},
    ),
    "over benchmarks it is the mean, of 1.25 and 1.75": (
        claims.speedups, lambda low: {
            "claims": [OVER | {"benchmark": "", "low": low}],
            "official": [*PAIR, {"low": 8.0} | IMAGES, {"low": 14.0} | IMAGES | H200],
        },
        {1.5: CONDITIONAL, 1.75: WRONG},
    ),
    "without results of both sides": (
        claims.speedups, lambda round: {
            "claims": [OVER | {"low": 1.25, "round": round, "baseline_round": round}], "official": PAIR[:1],
        },
        {"v4.1": NO_RESULT, "v4.0": UNVERIFIABLE},
    ),
    "what the complete results lack": (
        claims.speedups,
        lambda closed: {"claims": [OVER | {"low": 1.25}], "official": PAIR[:1], "whole": {"v4.1": closed}},
        {1: WRONG, 2: NO_RESULT},
    ),
    "a baseline of no stated round": (
        claims.speedups, lambda low: {"claims": [OVER | {"low": low, "baseline_round": ""}], "official": PAIR},
        {1.25: CONDITIONAL, 1.5: UNVERIFIABLE},
    ),
    "two systems are compared as a whole": (
        claims.speedups, lambda size: {
            "claims": [OVER | {"low": 1.0, "bound": "at_least", "submitter": "ACME", "accelerator_count": size,
                               "system": "BIG", "baseline_system": "SMALL"}],
            "official": [{"low": 1200.0, "accelerator_count": 16, "system": "BIG (16x)"} | H200,
                         {"low": 600.0, "accelerator_count": 8, "system": "BIG (8x)"} | H200,
                         {"low": 9000.0, "accelerator_count": size, "system": "HUGE"} | H200,
                         {"low": 800.0, "accelerator_count": 4, "system": "SMALL (4x)"}],
        },
        {16: ROUNDED, 8: WRONG},
    ),
    "queries become samples by the tokens of the run": (
        claims.speedups, lambda tokens: {
            "claims": [OVER | {"low": 1.25, "baseline_round": "v4.0"}],
            "official": [SERVER | H200 | {"low": 29_000.0, "tokens_per_sample": tokens},
                         SERVER | {"low": 80.0, "unit": "queries/s", "tokens_per_sample": None, "round": "v4.0"}],
        },
        {290.0: EXACT, None: NO_RESULT},
    ),
    "a shorter latency is faster": (
        claims.speedups, lambda suite: {
            "claims": [OVER | {"low": 1.5, "suite": suite}],
            "official": [STREAM | H200 | {"low": 100.0}, STREAM | {"low": 150.0}],
        },
        {"edge": EXACT, "": NO_RESULT},  # the data center has no stream
    ),
    "a gain of the open division over the closed one": (
        claims.open_division, lambda gain: {
            "quantization": [{"division": "open", "round": "v4.1", "scenario": "Offline"} | around(gain, "speedup", 0)],
            "official": [{"low": 1064.0, "division": "open"}, {"low": 2400.0, "division": "open"} | OTHER,
                         {"low": 800.0}, {"low": 1600.0} | OTHER],
            "sources": PUBLISHERS,
        },
        {1.33: EXACT, 1.5: WRONG},
    ),
    "the leader of an accelerator, others excluded": (
        ranks.ranks, lambda rate: {
            "claims": [RANK | {"subject_accelerator": "H100 SXM", "benchmark": "llm", "scenario": "Offline",
                               "excluded_accelerators": "H200 SXM;H200 SXM CTS"}],
            "official": [{"low": rate}, {"low": 750.0, "accelerator": "card 1 Slim"} | OTHER, {"low": 999.0} | H200],
        },
        {800.0: EXACT, 700.0: WRONG},
    ),
    "the leader among the systems of an accelerator": (
        ranks.ranks, lambda scenario: {
            "claims": [RANK | {"submitter": "ACME", "baseline_accelerator": "H100 SXM", "benchmark": "llm",
                               "subject_accelerator": "H100 SXM", "accelerator_count": 8}],
            "official": [{"low": 800.0}, {"low": 900.0, "scenario": scenario} | OTHER],
        },
        {"Server": CONDITIONAL, "Offline": WRONG},
    ),
    "a vendor or a family leads with any of its parts": (
        ranks.ranks, lambda subject: {
            "claims": [RANK | {"subject": subject}],
            "official": [*PAIR, {"low": 700.0, "accelerator": "card 1 Slim"}, {"low": 9.0} | IMAGES,
                         {"low": 5.0, "accelerator": "card 1 Slim"} | IMAGES],
        },
        {"Hopper": EXACT, "ACME": EXACT, "Other": WRONG, "card": WRONG},
    ),
    "a serving layer": (
        ranks.layers, lambda low: {
            "claims": [OVER | {"subject_accelerator": "H100 SXM", "framework": "Triton"} | around(low, by=0.01)],
            "official": [{"low": 800.0}, {"low": 720.0, "serving_software": "Triton"}],
        },
        {0.9: ROUNDED, 1.0: WRONG},
    ),
    "a corrected unit": (
        labels.corrected,
        lambda low: {"results": [{"low": 800.0}], "official": [{"low": low}], "corrections": FIXES},
        {800.0: CONDITIONAL, 800.0 * 290: WRONG, 500.0: WRONG},
    ),
    "a date of publication": (
        labels.dates, lambda days: {"sources": DATED, **count(
            quantity="publication_date", low=days[0], high=days[1], printed_unit="then")},
        {(20241101, 20241130): WRONG, (20240801, 20240831): ROUNDED, (20240828, 20240828): EXACT,
         (20240801, 20240827): WRONG},
    ),
    "a round is retrieved once it is published": (
        labels.dates, lambda day: {"sources": DATED} | count(quantity="retrieval_date", low=day),
        {20240828: EXACT, 20240901: ROUNDED, 20240827: WRONG},
    ),
    "a number of workloads": (
        submitted.counts, lambda given: {
            "official": [{"low": 1.0}, {"low": 1.0} | IMAGES, {"low": 1.0, "round": "v5.1", "benchmark": "x"}],
            "whole": {"v4.1": given[1]},
        } | count(quantity="workloads", low=given[0], suite="datacenter"),
        {(2, None): EXACT, (1, None): WRONG, (3, None): UNVERIFIABLE, (3, 2): WRONG},
    ),
    "a number of results, counted in two ways": (
        submitted.counts, lambda low: {
            "official": [{"low": 1.0}, {"low": 1.0} | SERVER, {"low": 1.0} | IMAGES, {"low": 1.0} | OTHER],
        } | count(quantity="results_submitted", low=low, submitter="ACME"),
        {3: EXACT, 2: CONDITIONAL, 1: WRONG, 4: UNVERIFIABLE},
    ),
    "a system in two sizes is one server": (
        submitted.counts, lambda low: {
            "official": [{"low": 1.0, "system": "Box (8x)"},
                         {"low": 2.0, "system": "Box (16x)", "result_id": "4.1-0002"}],
        } | count(quantity="systems_submitted", low=low, submitter="ACME"),
        {2: EXACT, 1: CONDITIONAL},
    ),
    "the partners of a vendor are not itself": (  # ACME makes the H100 SXM
        submitted.counts, lambda given: {
            "official": [{"low": 1.0, "submitter": name} for name in ("ACME", "One", "Two")]
            + [{"low": 1.0, "submitter": "Three", "accelerator": "card 1"}],
        } | count(quantity="submitters", subject="ACME", low=given[0], bound=given[1]),
        {(1, "at_least"): UNVERIFIABLE, (2, ""): EXACT, (3, "at_least"): UNVERIFIABLE, (1, ""): CONDITIONAL},
    ),
    "workloads that a round adds": (
        submitted.workloads_added, lambda given: {
            "official": [{"low": 1.0}, {"low": 1.0} | IMAGES, {"low": 1.0, "round": "v4.0"}],
            "whole": {"v4.1": 2, "v4.0": given[1]},
        } | count(quantity="workloads_added", baseline_round="v4.0", low=given[0]),
        {(1, 1): EXACT, (2, 1): WRONG, (1, 2): []},
    ),
    "a cited result": (
        submitted.cited, lambda given: {
            "results": [{"low": given[0]}], "official": [{"low": 800.0, "result_id": given[1]}],
            "whole": {"v4.1": given[2]},
        } | count(quantity="result_cited", subject="4.1-0001"),
        {(800.0, "4.1-0001", None): EXACT, (700.0, "4.1-0001", None): CONDITIONAL, (800.0, "4.1-0002", 1): WRONG,
         (800.0, "4.1-0002", None): NO_RESULT, (800.0, "", 1): UNVERIFIABLE},
    ),
}  # fmt: skip
CASES = DOCUMENT | HARDWARE | RECORD


@pytest.mark.parametrize(("name", "given"), [(name, given) for name, case in CASES.items() for given in case[2]])
def test_the_verdict_follows_the_figure(judge, name, given):
    check, tables, verdicts = CASES[name]
    expected = verdicts[given]
    assert [one.verdict for one in judge(check, **tables(given))] == (
        expected if type(expected) is list else [expected]
    )


# Published results against official ones: two checks, by their names.


@pytest.fixture
def judged(judge):
    """The verdicts on a figure, by check, beside official results and other tables."""

    def of_figure(figure, *official, others=(), **tables):
        judgments = judge(against_record.results, results=[around(800) | figure, *others], official=official, **tables)
        return {one.check: one.verdict for one in judgments if one.figure["id"] == "r0"}

    return of_figure


@pytest.mark.parametrize(
    ("figure", "official", "verdict"),
    [
        ({}, [{"low": 800.0}], EXACT),
        ({}, [{"low": 800.4}], ROUNDED),
        ({}, [{"low": 830.0}], CLOSE),
        ({}, [{"low": 900.0}], WRONG),
        ({}, [], NO_RESULT),
        ({}, [{"low": 800.0, "round": "v4.0"}], NO_RESULT),
        ({}, [{"low": 800.0} | H200], NO_RESULT),
        ({}, [{"low": 800.0, "division": "open"}], NO_RESULT),
        # The nearest of several, else all of them.
        ({"low": 839.5, "high": 860.0}, [{"low": 900.0}, {"low": 800.0}], ROUNDED),
        # Samples by the tokens of the official run: 800 / 290 = 2.7586.
        ({"low": 2.75, "high": 2.76, "unit": "samples/s"}, [{"low": 800.0, "tokens_per_sample": 200.0}], WRONG),
        ({"low": 2.75, "high": 2.76, "unit": "samples/s"}, [{"low": 800.0, "tokens_per_sample": None}], UNVERIFIABLE),
        # Only the part of another power limit agrees.
        (H200, [{"low": 700.0} | H200, {"low": 800.0, "accelerator": "H200 SXM CTS"}], CONDITIONAL),
        # Others do not contradict a named system whose result is not in the data; its own results do.
        ({"system": "Other box"}, [{"low": 700.0}], UNVERIFIABLE),
        ({"submitter": "Other"}, [{"low": 700.0}], UNVERIFIABLE),
        ({"system": "ACME box"}, [{"low": 900.0}, {"low": 800.0, "system": "Other box"} | OTHER], WRONG),
        ({"accelerator": "card 1"}, [{"low": 800.0, "accelerator": "card 1 Slim"}], EXACT),
    ],
)
def test_a_result_against_official_ones(judged, figure, official, verdict):
    assert judged(figure, *official) == {"official": verdict}


def test_another_size_is_no_basis_but_is_compared_per_accelerator(judged):
    """What contradicts is not called without a basis too; a rate per accelerator is compared with every size."""
    one = ONE | {"low": 100.0}
    assert judged({}, one) == {"official": NO_RESULT, "official per accelerator": EXACT}
    assert judged({"low": 400.0, "high": 410.0}, one) == {"official per accelerator": WRONG}
    each = ONE | {"low": 750.0, "high": 820.0, "per": "accelerator", "range_basis": "range"}
    assert judged(each, {"low": 24_524.9}) == {"official per accelerator": WRONG}  # 3,065.6 each
    assert judged(each, {"low": 6400.0}) == {"official per accelerator": ROUNDED}


def test_what_complete_results_lack_or_contradict(judged):
    """A document that names no division may mean another one."""
    given, whole = [{"low": 800.0, "division": "open"}, {"low": 1.0} | H200], {"v4.1": 1}
    assert judged({}, *given, whole=whole) == {"official": NO_RESULT}
    assert judged({"division": "closed"}, *given, whole=whole) == {"official": WRONG}
    assert judged({"system": "Other box"}, {"low": 700.0}, whole=whole) == {"official": WRONG}


def test_a_slower_precision_is_not_held_against_the_record(judged):
    fast = {"low": 1600.0, "precision": "fp8"}
    assert judged({"precision": "fp16"}, {"low": 1600.0}, others=(fast,)) == {"official": NO_RESULT}
    assert judged({"precision": "fp16"}, {"low": 1600.0}) == {"official": WRONG}


def test_of_several_results_that_agree_it_is_the_one_that_the_document_cites(judge):
    """A citation alone accuses no figure."""
    results = [{"low": 800.1}, {"low": 800.2, "result_id": "4.1-0002"}, {"low": 900.0}]
    for source, reference in (("docA", "4.1-0002"), ("docB", "4.1-0001, 4.1-0002")):
        cited = count(quantity="result_cited", subject="4.1-0002", source_id=source)
        (one,) = judge(against_record.results, results=[around(800)], official=results, **cited)
        assert (one.verdict, one.reference) == (ROUNDED, reference)


def test_watts_and_throughput_per_watt(judge):
    printed = METER | around(800) | around(400, "power_watts")
    for per_watt, verdict in ((2.1, ROUNDED), (3.0, WRONG)):
        figure = printed | around(per_watt, "per_watt", 0.4)
        found = list(judge(against_record.power, results=[figure], official=[{"low": 800.0} | METER]))
        assert [one.verdict for one in found] == [EXACT, verdict]
        assert [one.expected.low for one in found] == [400.0, 2.0]


def test_what_the_record_confirms_is_not_accused_by_another_document(judge):
    results = [{"low": 800.0}, {"low": 400.0} | DOC_B]
    (one,) = judge(cross_document.throughputs, results=results, official=[{"low": 800.0}])
    assert (one.figure["id"], one.verdict) == ("r1", WRONG)


# What is said beside the verdict.


@pytest.mark.parametrize(
    ("claim", "official", "verdict", "words"),
    [
        ({"low": 1.5}, BY_SERVER, CONDITIONAL, "Confirmed only in Server"),
        ({"low": 1.5}, [*PAIR, {"low": 1200.0, "accelerator": "H200 SXM CTS"}], CONDITIONAL,
         "Confirmed only for the H200 SXM CTS, in Offline"),
        ({"low": 1.25}, [{"low": 800.0}, {"low": 125.0} | ONE | H200], CONDITIONAL,
         note("different_sizes", sizes="1x", other_sizes="8x").text),
        ({"benchmark": "", "low": 1.23, "high": 1.27, "range_basis": "range"},
         [*PAIR, {"low": 10.0} | IMAGES, {"low": 15.0} | IMAGES | H200], CONDITIONAL,
         "Confirmed only on llm Offline (1.25); not on images Offline (1.5)"),
    ],
)  # fmt: skip
def test_a_speedup_says_where_it_holds(judge, claim, official, verdict, words):
    (one,) = judge(claims.speedups, claims=[OVER | claim], official=official)
    assert one.verdict == verdict and words in one.explanation


def test_sizes_that_both_sides_have_are_compared_each_with_its_own(judge):
    given = [*PAIR, {"low": 160.0} | ONE | H200, {"low": 110.0} | ONE]
    (every,) = judge(claims.speedups, claims=[OVER | {"low": 1.3}], official=given)
    (small,) = judge(claims.speedups, claims=[OVER | {"low": 160 / 110, "accelerator_count": 1}], official=given)
    assert (every.expected, small.verdict) == (Interval(1.25, 160 / 110), EXACT)


def test_a_leader_in_some_benchmarks_only(judge):
    official = [PAIR[0], {"low": 9.0} | IMAGES, {"low": 10.0, "accelerator": "card 1"} | IMAGES, {"low": 1.0} | LACKING]
    (one,) = judge(ranks.ranks, claims=[RANK | {"subject": "Hopper"}], official=official)
    assert (one.verdict, one.expected) == (CONDITIONAL, Interval(1.0, 2.0))
    assert one.explanation.endswith(f"; left out, as the tables lack it: {LACKING['benchmark']}.")
    assert "Holds in llm Offline only: official rates per accelerator give rank 1 in 1 of 2" in one.explanation


def test_nothing_official_measures_production(judge):
    """Server over Offline of the document's round stands beside it."""
    official = [{"low": 800.0}, {"low": 600.0} | SERVER, {"low": 800.0, "round": "v4.0"}, {"low": 80.0} | LACKING]
    claim = {"quantity": "fraction_of_benchmark", "low": 0.6, "high": 0.8}
    (one,) = judge(ranks.production, claims=[claim], results=[{}], official=official)
    assert (one.verdict, one.expected) == (UNVERIFIABLE, Interval(0.75, 0.75))
    assert f"left out, as the tables lack it: {LACKING['benchmark']}" in one.explanation


def test_what_no_check_reaches_says_what_is_missing(judge):
    found = judge(lambda own: ranks.unchecked(own, []), claims=[{"quantity": "share_of_time"}], prices=[{}])
    price, claim = sorted(found, key=lambda one: one.figure["table"], reverse=True)
    assert (price.verdict, price.unit, price.printed) == (UNVERIFIABLE, "USD/hour", Interval(3.6, 3.6))
    assert claim.explanation == "The tables lack a profile of the run."


def test_a_gain_between_systems_of_different_size_is_conditional(judge):
    for gain, size, verdict in ((1.8, 1, CONDITIONAL), (1.8, 2, ROUNDED), (2.5, 1, WRONG)):
        way = {"id": "f", "technique": "fp8", "result_row": "r1"} | around(gain, "speedup", 0.05)
        results = [{"accelerator_count": 2, "low": 85.0}, {"accelerator_count": size, "low": 155.0}]
        (one,) = judge(ratios.quantization, quantization=[{"result_row": "r0"}, way], results=results)
        assert one.verdict == verdict
        assert ("per accelerator it is 3.65" in one.explanation) == (verdict == CONDITIONAL)


@pytest.mark.parametrize(("other", "verdict"), [(0.4, EXACT), (0.5, WRONG)])
def test_ratios_of_two_documents_exclude_each_other_whichever_part_is_named_first(judge, other, verdict):
    turned = {"subject_accelerator": "H100 SXM", "baseline_accelerator": "H200 SXM", "low": other, "round": "v4.1"}
    found = judge(cross_document.claims, claims=[PARTS | {"low": 2.5, "round": "v4.1"}, turned | DOC_B])
    assert [one.verdict for one in found] == [verdict] * 2
    assert found[0].expected.low == pytest.approx(1 / other) and "H100 SXM over H200 SXM" in found[0].explanation


def test_decoding_says_what_would_lift_its_limit_and_reads_the_cache_on_top(judge):
    results = [AT_ONE | {"low": 2 * 2 * 3350 / 140}]
    (one,) = judge(physics.decode, results=results)
    assert one.reference == "2 x 3350 GB/s / 140 GB" and one.expected.high == pytest.approx(47.857, rel=1e-4)
    assert "the figure is 2x that, unless speculative decoding" in one.explanation
    (one,) = judge(lambda own: physics.decode(own, cache_gb=27.5), results=[AT_ONE | {"low": 45.0}])  # 40
    assert one.verdict == IMPOSSIBLE


def test_a_cited_result_is_named_with_the_figures_that_it_confirms(judge):
    cited = count(quantity="result_cited", subject="4.1-0001")
    (one,) = judge(submitted.cited, results=[{"low": 800.0}], official=[{"low": 800.0}], **cited)
    assert one.explanation == "4.1-0001 is ACME, ACME box (8x): 1 figure of the document from it."
