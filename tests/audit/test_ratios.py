"""Published ratios, ranks, counts, and names against official results, by hand."""

from __future__ import annotations

import pytest

from analysis.audit.judging import check_official
from analysis.recipes.documents import counts
from tests.audit.frames import figures, official, whole_rounds

RATIO = {
    "quantity": "throughput_ratio", "baseline": "H100", "baseline_accelerator": "H100", "baseline_round": "v6.1",
    "unit": "ratio", "accelerator_count": float("nan"), "low": 2.0, "high": 2.0, "range_basis": "exact",
}  # fmt: skip
H100 = {"accelerator": "H100", "rate": 40.0}


def ratio(claim: dict, *rows: dict):
    return check_official(figures({**RATIO, **claim}), official(*rows)).iloc[0]


@pytest.mark.parametrize("quantity", ["throughput_ratio", "break_even_throughput_ratio"])
def test_a_ratio_is_that_of_rates_per_accelerator_of_equal_size(quantity):
    """80 over 40 of eight each; the single B200 has no H100 of its size beside it."""
    found = ratio({"quantity": quantity}, {"rate": 80.0}, {"rate": 90.0, "accelerator_count": 1.0}, H100)
    assert (found["verdict"], found["expected_low"], found["expected_high"]) == ("confirmed", 2.0, 2.0)


def test_of_several_results_it_goes_from_slowest_over_fastest_to_fastest_over_slowest():
    rows = [{"rate": 80.0}, {"rate": 120.0}, H100, {**H100, "rate": 60.0}]
    found = ratio({"low": 2.5, "high": 2.5}, *rows)
    assert (found["expected_low"], found["expected_high"]) == pytest.approx((80 / 60, 3.0))
    assert found["verdict"] == "within rounding"


def test_scenarios_that_are_equally_near_have_their_range_together():
    server = [{"rate": rate, "scenario": "Server"} for rate in (70.0, 90.0)]
    found = ratio({"scenario": ""}, {"rate": 80.0}, H100, *server, {**H100, "scenario": "Server"})
    assert (found["expected_low"], found["expected_high"], found["verdict"]) == (1.75, 2.25, "confirmed")
    assert found["record"].startswith("1.75 to 2.25x (")


def test_up_to_is_the_fastest_over_the_fastest_in_the_best_scenario():
    rows = [{"rate": 80.0}, {"rate": 120.0}, H100, {**H100, "rate": 60.0}]
    server = [{"rate": 150.0, "scenario": "Server"}, {**H100, "scenario": "Server"}]
    found = ratio({"bound": "at_most", "scenario": ""}, *rows, *server)
    assert (found["expected_low"], found["expected_high"]) == (3.75, 3.75)


def test_one_that_holds_in_one_scenario_only_is_conditional():
    server = [{"rate": 160.0, "scenario": "Server"}, {**H100, "scenario": "Server"}]
    found = ratio({"scenario": ""}, {"rate": 80.0}, H100, *server)
    words = "Holds only in Offline: official 2.00x (v6.1 B200 over H100, Offline); elsewhere: 4.00x."
    assert (found["verdict"], found["reason"]) == ("conditional", words)
    assert ratio({}, {"rate": 80.0}, H100, *server)["verdict"] == "confirmed"  # of the scenario that it names


def test_benchmarks_and_their_targets_are_each_compared_by_themselves():
    bert = {"benchmark": "bert"}
    for named, other in (("bert", bert | {"accuracy_target": "99"}), ("", {"benchmark": "gptj"})):
        rows = [{"rate": 80.0} | bert, H100 | bert, {"rate": 60.0} | other, H100 | {"rate": 60.0} | other]
        assert ratio({"benchmark": named}, *rows)["expected_low"] == 2.0


def test_a_side_without_a_rate_has_no_ratio():
    for rows in (({"rate": float("nan")}, H100), ({}, H100 | {"rate": float("nan")})):
        assert ratio({}, *rows)["verdict"] == "no official result"


def test_systems_of_different_size_are_a_condition():
    found = ratio({}, {"rate": 10.0, "accelerator_count": 1.0}, H100)
    assert (found["verdict"], found["expected_low"]) == ("conditional", 2.0)
    server = [{"rate": 80.0, "scenario": "Server"}, {**H100, "scenario": "Server"}]
    one_size = ratio({"scenario": ""}, {"rate": 10.0, "accelerator_count": 1.0}, H100, *server)
    assert one_size["verdict"] == "confirmed"


def test_the_submitter_the_systems_and_the_size_that_a_ratio_names_are_compared():
    """Names of systems have parentheses. Of two sizes the one claimed counts, here 2x of eight, not 4x of four."""
    claim = {"system": "XE (8x", "baseline_system": "XE (", "submitter": "A", "accelerator_count": 8.0}
    rows = [side | {"system": system} for side in ({"rate": 80.0}, H100) for system in ("XE (8x)", "DGX")]
    rows[1]["rate"], rows[3]["rate"] = 160.0, 10.0
    small = [side | {"system": "XE (8x)", "accelerator_count": 4.0, "rate": rate}
             for side, rate in (({}, 80.0), (H100, 20.0))]  # fmt: skip
    found = ratio(claim, *rows, *small, rows[0] | {"submitter": "B", "rate": 120.0})
    assert (found["verdict"], found["expected_low"], found["expected_high"]) == ("confirmed", 2.0, 2.0)


def test_the_part_of_another_power_limit_is_a_condition():
    rows = [{"accelerator": "H200", "rate": 60.0}, {"accelerator": "H200 CTS", "rate": 80.0}, H100]
    found = ratio({"accelerator": "H200"}, *rows)
    assert found["verdict"] == "conditional"
    assert found["reason"].startswith("Holds only for H200 CTS")


def test_where_tokens_per_sample_are_unknown_samples_are_compared():
    """v6.0 counts queries: 0.5 samples/s of the H100 against 1.0, though its assumed tokens would give 3."""
    old = {**H100, "round": "v6.0", "rate": 26.7, "samples_per_second": 0.5, "unit": "queries/s"}
    found = ratio({"baseline_round": "v6.0"}, {"rate": 80.0, "samples_per_second": 1.0}, old)
    assert (found["expected_low"], found["record"]) == (2.0, "2.00x (v6.1 B200 over H100 of v6.0, Offline)")
    new = {"rate": 26.7, "samples_per_second": 0.5, "unit": "queries/s"}
    assert ratio({}, new, {**H100, "samples_per_second": 1.0})["expected_low"] == 0.5


@pytest.mark.parametrize("scenario", ["SingleStream", "MultiStream", "Offline"])
def test_a_latency_counts_the_other_way_round(scenario):
    edge = {"scenario": scenario, "suite": "datacenter,edge", "metric": "latency", "unit": "ms"}
    edge["accelerator_count"] = 1.0
    rows = [{**edge, "value": 5.0}, {**edge, **H100, "value": 10.0, "accelerator_count": 1.0}]
    assert ratio({"suite": "edge", "scenario": ""}, *rows)["expected_low"] == 2.0


def test_a_complete_round_without_one_side_contradicts(monkeypatch):
    whole_rounds(monkeypatch, {"v6.1": 1})
    assert ratio({}, {"rate": 80.0})["verdict"] == "contradicted"
    whole_rounds(monkeypatch, {"v6.1": 9})
    assert ratio({}, {"rate": 80.0})["verdict"] == "no official result"


def test_a_ratio_without_a_result_names_the_side_that_lacks_it():
    words = "The v6.1 results have no closed result of Llama 2 70B Offline on "
    assert ratio({}, {"rate": 80.0})["reason"] == words + "H100 to compare B200 with."
    assert ratio({}, H100)["reason"] == words + "B200 to compare H100 with."
    assert ratio({}, {**H100, "accelerator": "H200"})["reason"] == words + "B200 and H100."
    earlier = ratio({}, {"rate": 80.0}, {**H100, "round": "v6.0"})
    assert earlier["reason"] == words + "H100 to compare B200 with."


def test_a_gain_in_a_round_that_lacks_the_accelerator_is_contradicted_by_the_whole_round(monkeypatch):
    whole_rounds(monkeypatch, {"v6.0": 1, "v6.1": 1})
    gain = {"baseline_accelerator": "B200", "baseline_round": "v6.0"}
    found = ratio(gain, {"rate": 80.0, "round": "v6.0"}, H100)
    assert found["verdict"] == "contradicted"
    words = "complete v6.1 results have no closed result of Llama 2 70B Offline on B200"
    assert found["reason"] == f"The {words}."


def rank(claim: dict, *rows: dict):
    claim = {"quantity": "rank", "unit": "rank", "low": 1.0, "high": 1.0, "accelerator_count": float("nan"), **claim}
    return check_official(figures(claim), official(*rows)).iloc[0]


def test_a_rank_counts_faster_submitters_and_accelerators_once():
    rows = [{"rate": 10.0}, {"rate": 80.0}, {"rate": 999.0, "accelerator": "mixed"}]
    rows += [{"rate": 99.0, "accelerator": "B300"}, {"rate": 98.0, "accelerator": "B300"}]
    rows += [{"rate": 90.0, "accelerator": "H200"}, {"rate": 10.0, "accelerator": "H200"}]
    found = rank({}, *rows)
    assert (found["verdict"], found["expected_low"]) == ("contradicted", 3)
    assert rank({"excluded_accelerators": ["B300", "H200"]}, *rows)["verdict"] == "confirmed"


@pytest.mark.parametrize(("subject", "place"), [("NVIDIA", 2), ("Blackwell", 2), ("AMD", 1), ("Hopper", 3)])
def test_a_vendor_or_a_family_is_ranked_by_its_best_accelerator(subject, place):
    rows = [{"rate": 80.0}, {**H100}, {"accelerator": "MI355X", "vendor": "AMD", "rate": 90.0}]
    assert rank({"accelerator": "", "subject": subject}, *rows)["expected_low"] == place


def test_among_systems_of_one_accelerator_the_submitter_is_ranked():
    rows = [{"submitter": "A", "rate": 80.0}, {"submitter": "B", "rate": 90.0}]
    claim = {"baseline_accelerator": "B200", "accelerator_count": 8.0}
    assert rank({**claim, "submitter": "B"}, *rows)["verdict"] == "confirmed"
    assert rank({**claim, "submitter": "A"}, *rows)["expected_low"] == 2


def test_a_rank_at_the_edge_is_among_edge_systems():
    edge = {"suite": "edge", "scenario": "SingleStream", "metric": "latency", "unit": "ms", "value": 5.0}
    rows = [edge, {**edge, "accelerator": "H100", "value": 10.0}, {"rate": 99.0, "accelerator": "B300"}]
    found = rank({"suite": "edge", "scenario": ""}, *rows)
    assert (found["verdict"], found["reason"]) == (
        "confirmed",
        "By official throughput per accelerator: rank 1 in 1 benchmark scenarios; B200 leads.",
    )


def test_first_in_a_part_of_the_scenarios_is_conditional():
    server = [{"rate": 10.0, "scenario": "Server"}, {"rate": 20.0, "accelerator": "B300", "scenario": "Server"}]
    found = rank({"scenario": ""}, {"rate": 80.0}, *server)
    assert found[["verdict", "expected_low", "expected_high"]].tolist() == ["conditional", 1, 2]
    bert = [{"benchmark": "bert"}, {"benchmark": "bert", "accelerator": "B300"}]
    assert rank({"benchmark": ""}, {}, *bert)["reason"].endswith(": rank 1 in 2 benchmark scenarios.")  # no one leads


@pytest.mark.parametrize(("stated", "verdict"), [(3, "confirmed"), (2, "conditional"), (4, "contradicted")])
def test_results_are_counted_by_scenario_or_by_model(stated, verdict):
    ids = {"result_id": "6.1-1", "submitter": "A"}
    rows = [ids, {**ids, "scenario": "Server"}, {**ids, "benchmark": "gptj"}, {"submitter": "B", "result_id": "6.1-2"}]
    claim = {"quantity": "results_submitted", "submitter": "A", "accelerator": "", "benchmark": "", "low": stated}
    claim |= {"accelerator_count": float("nan"), "unit": "results"}
    assert counts.check_counts(figures(claim), official(*rows)).iloc[0]["verdict"] == verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ({"quantity": "benchmark_named", "subject": "Llama"}, "confirmed"),
        ({"quantity": "benchmark_named", "subject": "RNN-T", "benchmark": ""}, "contradicted"),
        ({"quantity": "result_cited", "subject": "6.1-1"}, "confirmed"),
        ({"quantity": "result_cited", "subject": "6.1-9"}, "contradicted"),
        ({"quantity": "system_accelerators", "submitter": "A", "system": "no", "low": 8.0}, "confirmed"),
        ({"quantity": "system_accelerators", "submitter": "A", "system": "no", "low": 4.0}, "contradicted"),
    ],
)
def test_what_a_document_names_is_in_the_results_of_the_round(claim, verdict):
    assert counts.check_names(figures(claim), official({"result_id": "6.1-1"})).iloc[0]["verdict"] == verdict


def test_a_round_without_ids_says_nothing_of_a_cited_id():
    claim = {"quantity": "result_cited", "subject": "6.1-9"}
    assert counts.check_names(figures(claim), official({})).empty


def test_a_rank_without_a_result_in_one_scenario_is_conditional_and_without_any_is_not_judged():
    server = {"rate": 10.0, "accelerator": "B300", "scenario": "Server"}
    assert rank({"scenario": ""}, {"rate": 80.0}, server)["verdict"] == "conditional"
    claim = {"quantity": "rank", "unit": "rank", "low": 1.0, "high": 1.0}
    assert check_official(figures(claim), official(server)).empty
