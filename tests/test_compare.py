"""Which results are compared: each rule on a result that breaks it alone."""

from __future__ import annotations

import pytest

from analysis.compare import (
    INCOMPARABLE,
    RULES,
    NoData,
    bare_metal,
    comparable,
    fastest,
    in_racks,
    of_tokens,
    only,
    since,
    without_results,
)  # fmt: skip
from tests.frames import results

NAN = float("nan")
BROKEN = {
    "not a throughput": {"metric": "latency"},
    "not the division asked for": {"division": "open"},
    "not the suite asked for": {"suite": "edge"},
    "not a round asked for": {"round": "v5.1"},
    "incompatible version of the benchmark": {"comparable_since": "v3.0", "round": "v6.0"},
    "not available: preview or research": {"availability": "preview"},
    "power submission, often power-capped": {"power_measured": True},
    "power-capped at a limit that is not stated": {"power_capped": True},
    "several accelerator types in one system": {"accelerator": "mixed"},
    "accelerator count not stated": {"accelerator_count": 0.0},
    "unit cannot be converted": {"rate": NAN},
}
LOOSER = {"accuracy_target": "99"}
RERUN = {**LOOSER, "duplicate_of": "r0"}
BERT, R1 = {"benchmark": "bert"}, {"benchmark": "deepseek-r1", **LOOSER}
AMD = {"accelerator": "MI355X", "vendor": "AMD"}


def kept(*rows, **asked):
    """Return the ids of the rows that are comparable."""
    return comparable(results(*rows), **{"benchmark": "llama2-70b"} | asked)["id"].tolist()


@pytest.mark.parametrize(("reason", "broken"), BROKEN.items())
def test_a_result_that_breaks_one_rule_is_left_out_and_alone_named_with_its_reason(reason, broken):
    rows = {}, {"accelerator": "H200", **broken}
    assert kept(*rows, rounds=["v6.0", "v6.1"]) == ["r0"]
    name = rows[1]["accelerator"]
    scope = rf"Llama 2 70B Offline \(v6.0, v6.1; {name}; closed division\)"
    with pytest.raises(NoData, match=f"^no .* {scope}: 1 results are excluded, most often because: {reason}$"):
        kept(*rows, {"accelerator": name, **BERT}, rounds=["v6.0", "v6.1"], accelerators=name)


def test_each_rule_has_a_result_that_breaks_it_alone():
    assert {*RULES, *INCOMPARABLE} - {*BROKEN} == {"no power measurement"}


def test_power_and_a_target_are_as_asked_for():
    assert kept({}, {"power_measured": True, "power_capped": True}, power=True) == ["r1"]
    assert kept(LOOSER, {}, accuracy_target="99.9") == ["r1"]
    with pytest.raises(NoData, match="no power measurement"):
        kept({}, power=True)


def test_a_stated_power_limit_and_a_mode_that_is_measured_are_no_exclusion():
    assert kept({"power_capped": True, "power_limit_watts": 500.0, "accelerator_count": 1.0}) == ["r0"]
    assert kept({}, {"availability": "preview"}, available=False) == ["r0", "r1"]


def test_rounds_and_accelerators_that_are_asked_for():
    rows = {}, {"round": "v6.0"}, AMD
    for rounds in ("v6.0", ["v6.0"], iter(["v6.0"])):
        assert kept(*rows, rounds=rounds) == ["r1"]
    assert kept(*rows, accelerators="AMD") == ["r2"]
    assert kept(*rows, accelerators=["B200 SXM"]) == ["r0", "r1"]


@pytest.mark.parametrize(
    "asked",
    [{"division": "open"}, {"division": "network"}, {"suite": "edge"}, {"scenario": "SingleStream"},
     {"scenario": "MultiStream"}],
)  # fmt: skip
def test_a_division_a_suite_and_a_scenario_may_be_asked_for(asked):
    assert kept({}, asked, **asked) == ["r1"]


def test_a_run_under_two_targets_counts_once_at_the_stricter_or_the_one_asked_for():
    assert kept({}, RERUN) == ["r0"] and kept({}, RERUN, accuracy_target="99") == ["r1"]
    bert = BERT | {"accuracy_target": ""}
    assert kept(bert | {"duplicate_of": "r1"}, bert, benchmark="bert") == ["r0"]


def test_of_one_kind_of_system_the_stricter_target_counts():
    assert kept(LOOSER, {"submitter": "B"}) == ["r1"] and kept(RERUN | {"id": "r1"}, {"id": "r0"}, LOOSER) == ["r0"]


def test_caveats_of_a_comparison_follow_those_of_a_result():
    rows = results({}, LOOSER | {"accelerator": "H200"}, {"submitter": "B"}).assign(caveats=[["inferred"], [], []])
    found = comparable(rows, benchmark="llama2-70b")["caveats"]
    assert found.tolist() == [["inferred"], ["looser_target", "single_submitter"], []]
    other = {"submitter": "B"}
    alone = results({}, *(other | apart for apart in ({"round": "v6.0"}, {"accelerator": "H200"}, R1)),
                    other | LOOSER | {"scenario": "Server"})  # fmt: skip
    asked = {"benchmark": ["llama2-70b", "deepseek-r1"], "scenario": ["Offline", "Server"]}
    assert comparable(alone, **asked)["caveats"].tolist() == [["single_submitter"]] * 5


@pytest.mark.parametrize(
    "apart",
    [{"accelerator_count": 4.0}, {"round": "v6.0"}, {"availability": "preview"}, {"accelerator": "H200"},
     {"scenario": "Server"}, {"benchmark": "gptj"}],
)  # fmt: skip
def test_another_kind_of_system_counts_at_the_looser_target(apart):
    asked = {"available": False, "benchmark": ["llama2-70b", "gptj"], "scenario": ["Offline", "Server"]}
    assert kept({}, LOOSER | apart, **asked) == ["r0", "r1"]
    assert kept({}, LOOSER, LOOSER | apart, **asked) == ["r0", "r2"]


def test_a_benchmark_of_two_runs_is_compared_at_the_target_of_most_results_and_of_two_the_stricter():
    """BERT's two targets are runs of their own."""
    bert, loose = BERT, BERT | LOOSER
    assert kept(loose, loose, bert, benchmark="bert") == ["r0", "r1"]
    assert kept(loose, bert, benchmark="bert") == ["r1"]
    assert kept(bert, bert, loose, R1, benchmark=["BERT", "DeepSeek-R1"]) == ["r0", "r1", "r3"]
    others = [loose | {"division": "open"}, loose | {"metric": "latency"}] * 2
    assert kept(bert, loose, *others, benchmark="bert") == ["r0"]


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ({"benchmark": "llama-2-70"}, "did you mean 'Llama 2 70B'"),
        ({"scenario": "offline"}, "no scenario 'offline': did you mean 'Offline'"),
        ({"division": "close"}, "no division 'close'"),
        ({"suite": "data center"}, "no suite 'data center'"),
        ({"rounds": ["v7.0"]}, "no round 'v7.0'"),
        ({"accelerators": ["B20O"]}, "no accelerator 'B20O'"),
        ({"accelerators": [""]}, "no accelerator ''"),
        ({"accuracy_target": "98"}, "no accuracy target of Llama 2 70B '98': valid: 99.9$"),
    ],
)
def test_an_unknown_name_is_refused_with_the_valid_ones(wrong, hint):
    with pytest.raises(ValueError, match=hint):
        kept({}, R1 | {"vendor": ""}, {"accuracy_target": "", "accelerator": "H100"}, **wrong)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"scenario": "Interactive"}, r"Interactive \(closed division\); scenarios with results: Offline$"),
        ({"benchmark": ["deepseek-r1", "llama2-70b"]}, r"DeepSeek-R1 Offline .*; scenarios with results: Server$"),
        ({"benchmark": "gptj"}, "GPT-J 6B Offline .*; scenarios with results: none$"),
        ({"accelerators": "H200"}, r"\(H200; closed division\); accelerators with results: B200$"),
        ({"benchmark": []}, r"no comparable result of"),
    ],
)
def test_nothing_left_says_what_there_is(asked, words):
    rows = (
        {"division": "open"},
        R1 | {"scenario": "Server", "division": "open"},
        {"metric": "latency", "scenario": "Server"},
    )
    with pytest.raises(NoData, match=words) as error:
        kept(*rows, **asked)
    assert error.value._render_traceback_() == [f"No data: {error.value}"]


def test_several_benchmarks_and_scenarios_are_each_compared_within_themselves():
    other = R1 | {"scenario": "Interactive", "comparable_since": "v6.1"}
    rows = [
        {"comparable_since": "v5.0"}, {"comparable_since": "v6.0", "round": "v6.0", "scenario": "Server"},
        {"comparable_since": "v5.0", "round": "v5.0", "scenario": "Server"},  # of an earlier version
        other, other | {"submitter": "B"},
    ]  # fmt: skip
    asked = {"benchmark": ["llama2-70b", "deepseek-r1"], "scenario": ["Offline", "Server", "Interactive"]}
    together = comparable(results(*rows), **asked)
    assert together["id"].tolist() == ["r0", "r1", "r3", "r4"]
    assert together["caveats"].tolist() == [["single_submitter"]] * 2 + [[]] * 2  # 99 is the target of DeepSeek-R1


def test_fastest_prefers_eight_accelerators_on_bare_metal():
    rows = results(
        {"rate": 80.0}, {"rate": 96.0, "submitter": "B"}, {"rate": 800.0, "hypervisor": "KVM"},
        {"rate": 800.0, "availability": "preview"}, {"rate": 60.0, "accelerator_count": 4.0},
    )  # fmt: skip
    assert fastest(rows)["id"].tolist() == ["r1"] and [*fastest(rows)] == [*rows]
    assert fastest(rows, ["accelerator", "accelerator_count"])["id"].tolist() == ["r4", "r1"]
    unknown = results({"rate": 80.0}, {"accelerator": "H200"}).assign(rate_per_accelerator=[10.0, None])
    assert fastest(unknown)["id"].tolist() == ["r0"]
    assert fastest(rows.iloc[::-1], "submitter")["id"].tolist() == ["r1", "r0"]
    others = results({"accelerator_count": 4.0, "rate": 40.0}, {"accelerator_count": 72.0, "rate": 1440.0})
    assert fastest(others)["rate_per_accelerator"].tolist() == [20.0]
    alike = results({}, {}, {})[::-1]  # of equally fast ones the last id, in any order
    assert fastest(alike)["id"].tolist() == fastest(alike[::-1])["id"].tolist() == ["r2"]


def test_a_virtualized_result_counts_only_for_an_accelerator_without_others():
    """In each benchmark and scenario by itself."""
    rows = results({"hypervisor": "KVM"}, {}, {"accelerator": "H200", "hypervisor": "KVM"}, {},
                   {"scenario": "Server", "hypervisor": "KVM"}, {"benchmark": "bert", "hypervisor": "KVM"})  # fmt: skip
    assert bare_metal(rows)["id"].tolist() == ["r1", "r2", "r3", "r4", "r5"]


def test_a_part_of_a_rack_is_no_rack():
    """64 accelerators of one kind that shares links; a B200 has none to share, however many there are."""
    parts = [("GB200", 72), ("GB200", 64), ("GB200", 36), ("B200", 72)]
    rows = results(*({"accelerator": name, "accelerator_count": float(count)} for name, count in parts))
    assert in_racks(rows).tolist() == [True, True, False, False]


def test_what_counts_no_tokens_is_refused():
    with pytest.raises(NoData, match="Whisper is measured in samples/s, not tokens"):
        of_tokens(results({}, {"model": "Whisper", "rate_unit": "samples/s"}))
    assert len(of_tokens(results({}))) == 1


def test_rows_since_a_round():
    rows = results({}, {"round": "v6.0"}, {"round": "v5.0"})
    assert since(rows, "v6.0")["id"].tolist() == ["r0", "r1"]
    with pytest.raises(ValueError, match="no round 'v6'"):
        since(rows, "v6")


def test_what_was_asked_for_and_is_not_there_is_named():
    rows = results({}, AMD, {"scenario": "Server"})
    assert without_results(["B200", "amd"], rows) == without_results([], rows) == ""
    assert without_results(["H100", "B200", "Intel"], rows, "a price") == " Without a price: H100, Intel."
    assert only(rows, "AMD")["id"].tolist() == ["r1"] and only(rows, [], "Server")["id"].tolist() == ["r2"]
    assert len(only(rows)) == 3
    words = r"no pair left to compare \(MI355X, Server\); choices: B200, MI355X \(Offline\); B200 \(Server\)$"
    with pytest.raises(NoData, match=words):
        only(rows, ["MI355X"], "Server", what="pair")
    with pytest.raises(NoData, match=r"no result left to compare; choices: none"):
        only(rows[:0])
