"""Which results are compared: each rule on a result that breaks it alone."""

from __future__ import annotations

import pytest

from analysis.compare import (
    SAME_RUN,
    STRICTER,
    NoData,
    comparable,
    fastest,
    in_racks,
    of_tokens,
    only,
    since,
    without_results,
)
from tests.frames import results

BROKEN = {
    "not a throughput": {"metric": "latency"},
    "not the division asked for": {"division": "open"},
    "not the suite asked for": {"suite": "edge"},
    "incompatible version of the benchmark": {"comparable_since": "v3.0", "round": "v4.0"},
    "not available: preview or research": {"availability": "preview"},
    "power submission, often power-capped": {"power_measured": True},
    "power-capped at a limit that is not stated": {"power_capped": True},
    "several accelerator types in one system": {"accelerator": "mixed"},
    "accelerator count not stated": {"accelerator_count": float("nan")},
    "unit cannot be converted": {"rate": float("nan")},
}


def asked(rows, **more):
    return comparable(rows, **{"benchmark": "llama2-70b", "excluded": True, **more})


@pytest.mark.parametrize(("reason", "broken"), BROKEN.items())
def test_a_result_that_breaks_one_rule_is_left_out_with_its_reason(reason, broken):
    kept, reasons = asked(results({}, broken))
    assert kept["id"].tolist() == ["r0"]
    assert reasons.values.tolist() == [[reason, 1, broken.get("accelerator", "B200")]]


def test_power_submissions_stand_alone():
    rows = results({}, {"power_measured": True})
    assert asked(rows, power=True)[0]["id"].tolist() == ["r1"]


def test_a_stated_power_limit_is_a_caveat_not_an_exclusion():
    rows = results({"power_capped": True, "power_limit_watts": 500.0})
    assert asked(rows)[0]["id"].tolist() == ["r0"]


def test_rounds_and_accelerators_that_are_asked_for():
    rows = results({}, {"round": "v6.0"}, {"accelerator": "MI355X", "vendor": "AMD"})
    assert asked(rows, rounds=["v6.0"])[0]["id"].tolist() == ["r1"]
    assert asked(rows, accelerators="AMD")[0]["id"].tolist() == ["r2"]
    assert asked(rows, accelerators=["B200 SXM"])[0]["id"].tolist() == ["r0", "r1"]


def test_a_run_under_two_targets_counts_once_at_the_stricter():
    kept, reasons = asked(results({}, {"accuracy_target": "99", "duplicate_of": "r0"}))
    assert kept["id"].tolist() == ["r0"]
    assert reasons["reason"].tolist() == [SAME_RUN]


def test_a_run_under_two_targets_survives_under_the_one_asked_for():
    rows = results({}, {"accuracy_target": "99", "duplicate_of": "r0"})
    assert asked(rows, accuracy_target="99")[0]["id"].tolist() == ["r1"]


def test_of_one_kind_of_system_the_stricter_target_counts():
    rows = results({}, {"accuracy_target": "99"}, {"accuracy_target": "99", "accelerator": "H200"})
    kept, reasons = asked(rows)
    assert kept["id"].tolist() == ["r0", "r2"]
    assert reasons["reason"].tolist() == [STRICTER]
    assert kept["caveats"].tolist() == [["single_submitter"], ["looser_target", "single_submitter"]]


@pytest.mark.parametrize(
    "apart", [{"accelerator_count": 4.0}, {"round": "v6.0"}, {"availability": "preview"}, {"accelerator": "H200"}]
)
def test_another_kind_of_system_counts_at_the_looser_target(apart):
    rows = results({}, {"accuracy_target": "99", **apart})
    assert asked(rows, available=False)[0]["id"].tolist() == ["r0", "r1"]


def test_a_part_of_a_rack_is_no_rack():
    """64 accelerators of one kind that shares links; a B200 has none to share, however many there are."""
    parts = [("GB200", 72), ("GB200", 64), ("GB200", 36), ("B200", 72)]
    rows = results(*({"accelerator": name, "accelerator_count": float(count)} for name, count in parts))
    assert in_racks(rows).tolist() == [True, True, False, False]


def test_what_counts_no_tokens_is_refused():
    with pytest.raises(NoData, match="Whisper counts samples/s, not tokens"):
        of_tokens(results({}, {"model": "Whisper", "rate_unit": "samples/s"}))
    assert len(of_tokens(results({}))) == 1


def test_bert_is_compared_at_the_target_of_most_results():
    rows = results({"accuracy_target": "99"}, {"accuracy_target": "99", "submitter": "B"}, {}).assign(benchmark="bert")
    kept, reasons = comparable(rows, benchmark="bert", excluded=True)
    assert kept["id"].tolist() == ["r0", "r1"]
    assert reasons["reason"].tolist() == ["another accuracy target"]
    tied = results({"accuracy_target": "99"}, {"accuracy_target": "99.9"}).assign(benchmark="bert")
    assert comparable(tied, benchmark="bert")["accuracy_target"].tolist() == ["99.9"]


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ({"benchmark": "llama-2-70"}, "did you mean 'Llama 2 70B'"),
        ({"scenario": "offline"}, "did you mean 'Offline'"),
        ({"division": "close"}, "closed"),
        ({"rounds": ["v7.0"]}, "no round 'v7.0'"),
        ({"accelerators": ["B20O"]}, "no accelerator 'B20O'"),
        ({"accuracy_target": "98"}, "99.9"),
    ],
)
def test_an_unknown_name_is_refused_with_the_valid_ones(wrong, hint):
    with pytest.raises(ValueError, match=hint):
        asked(results({}), **wrong)


def test_nothing_left_says_what_was_asked_and_why():
    with pytest.raises(NoData, match=r"Llama 2 70B Offline .*preview"):
        asked(results({"availability": "preview"}))
    with pytest.raises(NoData, match="scenarios with results: Offline"):
        asked(results({}), scenario="Interactive")


def test_fastest_prefers_eight_accelerators_on_bare_metal():
    rows = results(
        {"rate": 80.0}, {"rate": 96.0, "submitter": "B"}, {"rate": 800.0, "hypervisor": "KVM"},
        {"rate": 800.0, "availability": "preview"}, {"rate": 60.0, "accelerator_count": 4.0},
    )  # fmt: skip
    assert fastest(rows)["id"].tolist() == ["r1"]
    assert fastest(rows, per_size=True)["id"].tolist() == ["r4", "r1"]


def test_fastest_takes_another_size_where_there_is_no_system_of_eight():
    rows = results({"accelerator_count": 4.0, "rate": 40.0}, {"accelerator_count": 72.0, "rate": 1440.0})
    assert fastest(rows)["rate_per_accelerator"].tolist() == [20.0]


def test_rounds_may_be_a_text_or_a_generator():
    rows = results({}, {"round": "v6.0"})
    assert comparable(rows, benchmark="llama2-70b", rounds="v6.0")["id"].tolist() == ["r1"]
    assert comparable(rows, benchmark="llama2-70b", rounds=iter(["v6.0"]))["id"].tolist() == ["r1"]
    for rounds in ("v5.0", iter(["v5.0"])):
        with pytest.raises(NoData, match=r"\(v5\.0; closed division\)"):
            comparable(rows, benchmark="llama2-70b", rounds=rounds)


def test_an_empty_accelerator_stands_for_none():
    with pytest.raises(ValueError, match="no accelerator ''"):
        comparable(results({"vendor": ""}), benchmark="llama2-70b", accelerators=[""])


def test_a_benchmark_may_be_given_as_it_is_printed():
    rows = results({}, {"benchmark": "deepseek-r1"})
    assert comparable(rows, benchmark=["Llama 2 70B", "DeepSeek-R1"])["id"].tolist() == ["r0", "r1"]


def test_several_benchmarks_and_scenarios_are_each_compared_within_themselves():
    other = {"benchmark": "deepseek-r1", "scenario": "Interactive", "accuracy_target": "99"}
    rows = results(
        {"comparable_since": "v5.0"}, {"comparable_since": "v6.0", "round": "v6.0", "scenario": "Server"},
        {"comparable_since": "v5.0", "round": "v5.0", "scenario": "Server"},  # of an earlier version
        {"comparable_since": "v6.1", **other}, {"comparable_since": "v6.1", **other, "submitter": "B"},
    )  # fmt: skip
    asked = {"benchmark": ["llama2-70b", "deepseek-r1"], "scenario": ["Offline", "Server", "Interactive"]}
    together = comparable(rows, **asked)
    assert together["id"].tolist() == ["r0", "r1", "r3", "r4"]
    assert not any("looser_target" in codes for codes in together["caveats"])  # 99 is the target of that benchmark
    assert ["single_submitter" in codes for codes in together["caveats"]] == [True, True, False, False]
    with pytest.raises(NoData, match="DeepSeek-R1 Offline"):
        comparable(rows, benchmark=["deepseek-r1", "llama2-70b"], scenario=["Offline"], rounds=["v4.0"])


def test_rows_since_a_round():
    rows = results({}, {"round": "v5.0"})
    assert since(rows, "v6.0")["id"].tolist() == ["r0"]
    with pytest.raises(ValueError, match="no round 'v6'"):
        since(rows, "v6")


def test_a_virtualized_result_counts_only_for_an_accelerator_without_others():
    rows = results({"hypervisor": "KVM", "rate": 99.0}, {}, {"accelerator": "H200", "hypervisor": "KVM"})
    assert set(fastest(comparable(rows, benchmark="llama2-70b"))["id"]) == {"r1", "r2"}


def test_each_benchmark_has_the_target_that_is_usual_there():
    """BERT's two targets are runs of their own: 99.9 is the usual one here, as 99 is of DeepSeek-R1."""
    bert, other = {"benchmark": "bert"}, {"benchmark": "deepseek-r1", "accuracy_target": "99"}
    rows = results(bert, bert, {**bert, "accuracy_target": "99"}, other)
    assert comparable(rows, benchmark=["bert", "deepseek-r1"])["id"].tolist() == ["r0", "r1", "r3"]


def test_what_was_asked_for_and_is_not_there_is_named():
    rows = results({}, {"accelerator": "MI355X", "vendor": "AMD"})
    assert without_results(["B200", "amd"], rows) == without_results([], rows) == ""
    assert without_results(["H100", "B200", "Intel"], rows, "a price") == " Without a price: H100, Intel."
    with pytest.raises(NoData, match=r"no pair left to compare \(H100\); there are: B200, MI355X \(Offline\)"):
        only(rows, ["H100"], what="pair")
    with pytest.raises(NoData, match=r"no result left to compare \(H100\)"):
        only(rows, "H100")
