"""Which results may stand side by side, in which unit, and what is said of those left out."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from analysis.compare import caveats, gate
from analysis.compare.gate import Comparison, Question
from analysis.core import parameters

ASK = Question("llm", "Offline", rounds=("v4.1",))
Select = Callable[..., Comparison]


@pytest.fixture(scope="session")
def select(results: Callable[..., pd.DataFrame], benchmarks: pd.DataFrame) -> Select:
    """The comparison of rows given as dicts; the first row is always a plain official one, `r0`."""

    def run(*rows: dict[str, Any], ask: Question = ASK, **asked: Any) -> Comparison:
        return gate.select(results({}, *rows), benchmarks, replace(ask, **asked))

    return run


def kept(chosen: Comparison) -> list[str]:
    return list(chosen.rows["id"])


def reasons(chosen: Comparison) -> dict[str, int]:
    return dict(zip(chosen.left_out["reason"], chosen.left_out["results"], strict=True))


def test_plain_row_is_kept_and_nothing_left_out(select: Select) -> None:
    chosen = select()
    assert kept(chosen) == ["r0"]
    assert chosen.left_out.empty
    assert chosen.unit == "tokens/s"


@pytest.mark.parametrize(
    "other",
    [{"benchmark": "images"}, {"scenario": "Server"}, {"metric": "latency"}, {"origin": "measured"}],
    ids=["benchmark", "scenario", "metric", "origin"],
)
def test_row_about_something_else_is_not_even_considered(select: Select, other: dict) -> None:
    chosen = select(other)
    assert kept(chosen) == ["r0"]
    assert chosen.left_out.empty


def test_only_accelerators_asked_for_are_considered(select: Select) -> None:
    chosen = select({"accelerator": "L40S"}, {"accelerator": "MI300X"}, accelerators=("L40S",))
    assert kept(chosen) == ["r1"]
    assert chosen.left_out.empty


LEFT_OUT = [
    ({"round": "v5.1"}, "another round"),
    ({"round": ""}, "another round"),
    ({"division": "open"}, "not of the closed division: another model or other rules"),
    ({"suite": "edge"}, "another suite"),
    ({"power_measured": True}, "power submission: measured under the power rules, often capped"),
    ({"duplicate_of": "r0"}, "duplicate of another row"),
    ({"accelerator": "mixed"}, "several accelerator types in one system"),
    ({"accelerator_count": None}, "number of accelerators not stated"),
    ({"scenario": ""}, "no MLPerf scenario: a rate at a stated batch size or on a framework"),
]


@pytest.mark.parametrize(("other", "reason"), LEFT_OUT, ids=[reason.split(":")[0] for _, reason in LEFT_OUT])
def test_row_is_left_out_for_its_reason(select: Select, other: dict, reason: str) -> None:
    chosen = select(other)
    assert kept(chosen) == ["r0"]
    assert reasons(chosen) == {reason: 1}


def test_left_out_counts_results_and_names_accelerators_once(select: Select) -> None:
    chosen = select(*({"round": "v5.1", "accelerator": name} for name in ("L40S", "B200 SXM", "L40S")))
    (line,) = chosen.left_out.to_dict("records")
    assert line == {"reason": "another round", "results": 3, "accelerators": "B200 SXM, L40S"}


def test_no_round_asked_for_means_every_round(select: Select) -> None:
    assert kept(select({"round": "v5.1"}, {"round": ""}, rounds=())) == ["r0", "r1", "r2"]


def test_row_that_does_not_state_division_or_suite_is_kept(select: Select) -> None:
    assert kept(select({"division": "", "suite": ""})) == ["r0", "r1"]


def test_no_suite_asked_for_means_every_suite(select: Select) -> None:
    assert kept(select({"suite": "edge"}, suite="")) == ["r0", "r1"]


def test_open_division_is_kept_when_asked_for_and_closed_left_out(select: Select) -> None:
    chosen = select({"division": "open"}, division="open")
    assert kept(chosen) == ["r1"]
    assert "open division" in chosen.rows["caveat"].iloc[0]
    assert reasons(chosen) == {"not of the open division: another model or other rules": 1}


def test_power_is_compared_with_power_only(select: Select) -> None:
    chosen = select({"power_measured": True}, power=True)
    assert kept(chosen) == ["r1"]
    assert reasons(chosen) == {"not a power submission": 1}


def test_energy_per_query_is_left_out_by_name_where_power_is_asked_for(
    results: Callable[..., pd.DataFrame], benchmarks: pd.DataFrame
) -> None:
    stream = {"scenario": "SingleStream", "metric": "latency", "unit": "ms", "accuracy_target": "99"}
    frame = results({"power_measured": True}, stream | {"power_measured": True}, stream)
    frame["energy_millijoules_per_query"] = [float("nan"), 900.0, float("nan")]
    asked = Question("llm", "Offline", power=True)
    assert reasons(gate.select(frame, benchmarks, asked)) == {
        "energy per query of a stream: a latency, no throughput per watt": 1
    }
    assert reasons(gate.select(frame, benchmarks, replace(asked, power=False))) == {
        "power submission: measured under the power rules, often capped": 1
    }


def test_first_broken_rule_is_the_reason(select: Select) -> None:
    assert reasons(select({"duplicate_of": "r0", "round": "v5.1", "accelerator": "mixed"})) == {
        "duplicate of another row": 1
    }


def test_accuracy_target_of_most_rows_is_compared(select: Select) -> None:
    chosen = select(*({"accuracy_target": target} for target in ("99", "99", "99.9")))
    assert kept(chosen) == ["r0", "r1", "r2"]
    assert reasons(chosen) == {"another accuracy target than 99 %": 1}


def test_accuracy_target_asked_for_is_compared(select: Select) -> None:
    rows = [{"accuracy_target": target} for target in ("99", "99", "99.9")]
    assert kept(select(*rows, accuracy_target="99.9")) == ["r0", "r3"]


def test_equal_votes_go_to_the_stricter_target(select: Select) -> None:
    assert kept(select({"accuracy_target": "99"}, {"accuracy_target": "99.9"})) == ["r0", "r2"]


def test_targets_of_the_other_division_have_no_vote(select: Select) -> None:
    rows = [{"accuracy_target": "99.9", "division": "open"}] * 2 + [{"accuracy_target": "99"}]
    assert kept(select(*rows)) == ["r0", "r3"]


def test_run_filed_under_both_targets_counts_under_either(select: Select) -> None:
    rows = [{"benchmark": "twice", "accuracy_target": target} for target in ("99", "99.9")]
    assert kept(select(*rows, benchmark="twice")) == ["r1", "r2"]
    assert kept(select(*rows, benchmark="twice", accuracy_target="99")) == ["r1"]


def test_rate_is_the_system_s_and_divided_by_its_accelerators(select: Select) -> None:
    row = select().rows.iloc[0]
    assert (row["rate_low"], row["rate_high"]) == (800.0, 800.0)
    assert (row["per_accelerator_low"], row["as_printed_low"]) == (100.0, 100.0)


def test_rate_printed_per_accelerator_is_multiplied_for_the_system(select: Select) -> None:
    row = select({"per": "accelerator", "low": 750.0, "high": 820.0}).rows.iloc[1]
    assert (row["rate_low"], row["rate_high"]) == (6000.0, 6560.0)
    assert (row["per_accelerator_low"], row["per_accelerator_high"]) == (750.0, 820.0)
    assert (row["as_printed_low"], row["as_printed_high"]) == (750.0, 820.0)


def test_samples_become_tokens_by_the_run_s_own_length(select: Select) -> None:
    row = select({"unit": "samples/s", "low": 80.0, "tokens_per_sample": 290.0}).rows.iloc[1]
    assert (row["rate_low"], row["rate_high"]) == (23_200.0, 23_200.0)
    assert (row["per_accelerator_low"], row["as_printed_low"]) == (2_900.0, 10.0)
    assert not row["assumed"]
    assert row["caveat"] == ""


def test_samples_become_tokens_by_the_benchmark_s_range_and_say_so(select: Select) -> None:
    row = select({"unit": "queries/s", "low": 80.0, "high": 88.0}).rows.iloc[1]
    assert (row["rate_low"], row["rate_high"]) == (20_000.0, 26_400.0)
    assert (row["per_accelerator_low"], row["per_accelerator_high"]) == (2_500.0, 3_300.0)
    assert (row["as_printed_low"], row["as_printed_high"]) == (10.0, 11.0)
    assert row["assumed"]
    assert row["caveat"] == "tokens per sample assumed"


def test_tokens_become_samples_where_samples_are_compared(
    results: Callable[..., pd.DataFrame], benchmarks: pd.DataFrame
) -> None:
    rows = results({"benchmark": "images", "unit": "tokens/s", "low": 800.0, "tokens_per_sample": 4.0})
    chosen = gate.select(rows, benchmarks, replace(ASK, benchmark="images"))
    assert (chosen.unit, chosen.rows["rate_low"].iloc[0], chosen.rows["rate_high"].iloc[0]) == (
        "samples/s",
        200.0,
        200.0,
    )


def test_unit_without_tokens_per_sample_cannot_be_turned(
    results: Callable[..., pd.DataFrame], benchmarks: pd.DataFrame
) -> None:
    rows = results({"benchmark": "images", "unit": "tokens/s"})
    chosen = gate.select(rows, benchmarks, replace(ASK, benchmark="images"))
    assert reasons(chosen) == {"unit cannot be turned into samples/s": 1}


@pytest.mark.parametrize(
    ("benchmark", "scenario", "unit", "work"),
    [
        ("llm", "Server", "tokens/s", "token"),
        ("images", "Offline", "samples/s", "sample"),
        ("images", "Server", "queries/s", "query"),
        ("scan", "Server", "samples/s", "sample"),
    ],
)
def test_unit_is_that_of_benchmark_and_scenario(
    select: Select, benchmark: str, scenario: str, unit: str, work: str
) -> None:
    chosen = select(benchmark=benchmark, scenario=scenario)
    assert (chosen.unit, chosen.work) == (unit, work)


def test_queries_and_samples_are_one_unit(select: Select) -> None:
    row = {"benchmark": "images", "scenario": "Server", "unit": "samples/s", "low": 16.0}
    chosen = select(row, benchmark="images", scenario="Server")
    assert chosen.rows["rate_low"].tolist() == [16.0]


SLOWER = "a slower precision of the same accelerator in the same document"
PAPER = {"origin": "published", "source_id": "doc000", "source": "Paper"}


def test_slower_precision_of_one_document_is_left_out(select: Select) -> None:
    chosen = select(PAPER | {"precision": "fp8", "low": 900.0}, PAPER | {"precision": "fp16", "low": 500.0})
    assert kept(chosen) == ["r0", "r1"]
    assert reasons(chosen) == {SLOWER: 1}


@pytest.mark.parametrize(
    "other",
    [
        {"precision": "fp8"},
        {"source_id": "doc001"},
        {"accelerator": "L40S"},
        {"accelerator_count": 4},
        {"origin": "official"},
    ],
    ids=["same precision", "another document", "another accelerator", "another count", "official"],
)
def test_slower_row_that_is_no_other_precision_of_the_same_is_kept(select: Select, other: dict) -> None:
    fast, slow = PAPER | {"precision": "fp8", "low": 900.0}, PAPER | {"precision": "fp16", "low": 500.0} | other
    assert kept(select(fast, slow)) == ["r0", "r1", "r2"]


@pytest.mark.parametrize(
    ("other", "caveat"),
    [
        ({"availability": "preview"}, "preview system, not yet on sale in v4.1"),
        ({"division": ""}, "division not stated"),
        ({"range_basis": "approximate"}, "marked approximate"),
        ({"inferred": True}, "inferred from another scenario"),
        ({"precision": ""}, "precision not stated"),
        ({"system": "NVIDIA H200 (8x H200, MaxQ, TensorRT)"}, "power-capped MaxQ system"),
        ({"accelerator": "L40S", "accelerator_count": 1}, "another size than most systems, 1x against 8x"),
        ({"accelerator_count": 1}, ""),
        ({"accelerator": "L40S", "accelerator_count": 1, "per": "accelerator"}, ""),
        ({"corrected": "wrong label"}, "label corrected"),
        ({"inferred": True, "corrected": "why"}, "inferred from another scenario; label corrected"),
    ],
)
def test_row_that_needs_care_has_a_caveat(select: Select, other: dict, caveat: str) -> None:
    assert select(other).rows["caveat"].tolist() == ["", caveat]


def test_size_is_a_caveat_only_of_what_has_no_system_of_the_usual_size(select: Select) -> None:
    one, eight = {"accelerator_count": 1}, {"accelerator": "L40S"}
    assert select(one, eight | one, eight).rows["caveat"].tolist() == [""] * 4
    document = select(PAPER | one, {}).rows
    assert document["caveat"].str.contains("another size than most systems, 1x against 8x").tolist() == [
        False,
        True,
        False,
    ]


def test_caveats_of_two_runs_on_one_system_leave_out_its_size() -> None:
    size = "another size than most systems, 1x against 8x"
    assert caveats.beside([f"preview; {size}", size], ["edge suite; preview", ""]) == ["preview; edge suite", ""]


def test_rows_spread_into_one_carry_all_their_caveats() -> None:
    rows = pd.DataFrame({"benchmark": ["llm", "llm", "scan"], "caveat": ["preview", "edge suite; preview", ""]})
    assert caveats.carried(rows, ["benchmark"]).to_numpy().tolist() == [["llm", "preview; edge suite"], ["scan", ""]]


def test_no_round_that_was_asked_for_is_marked(select: Select) -> None:
    for rounds in (("v4.1", "v5.1"), ("v5.1", "v4.1"), ()):
        assert select({}, {"round": "v5.1"}, rounds=rounds).rows["caveat"].tolist() == [""] * 3


def test_ratio_of_two_rounds_is_marked() -> None:
    assert caveats.apart(["v5.1"], ["v4.1"]) == ["different rounds, v5.1 against v4.1: software and rules differ"]
    assert caveats.apart(["v5.1", "v4.1"], ["v4.1"])[0].startswith("different rounds, v4.1/v5.1 against v4.1")
    assert caveats.apart(["v4.1", ""], ["v4.1"]) == caveats.apart(["v4.1"], [""]) == []


def test_preview_system_without_a_round_is_one_all_the_same(select: Select) -> None:
    chosen = select(PAPER | {"availability": "preview", "round": ""}, rounds=())
    assert chosen.rows["caveat"].str.startswith("preview system").tolist() == [False, True]
    assert "on sale" not in chosen.rows["caveat"].iloc[1]


def test_edge_row_is_marked_where_every_suite_is_asked_for(select: Select) -> None:
    assert select({"suite": "edge"}, suite="").rows["caveat"].tolist() == ["", "edge suite"]


def test_basis_is_the_document_or_the_official_round(select: Select) -> None:
    chosen = select(PAPER, {"round": "v5.1"}, rounds=())
    assert chosen.rows["basis"].tolist() == ["official v4.1", "Paper", "official v5.1"]


def test_caveats_of_documents_and_of_accelerators_are_told_in_one_line(select: Select) -> None:
    chosen = select({"availability": "preview", "accelerator": "B200 SXM"}, PAPER | {"division": ""})
    said = "Caveats: preview system, not yet on sale in v4.1 (B200 SXM); division not stated (Paper)."
    assert caveats.line(chosen.rows) == said
    assert caveats.line(select().rows) == ""


def test_subtitle_says_what_is_compared(select: Select) -> None:
    assert select().subtitle == "LLM Offline, v4.1, closed division."
    assert select(rounds=()).subtitle == "LLM Offline, all rounds, closed division."
    assert select(power=True).subtitle == "LLM Offline, v4.1, power submissions."


def test_caveat_line_names_four_accelerators_and_counts_more(select: Select) -> None:
    preview = [{"availability": "preview", "accelerator": name} for name in "ABCD"]
    assert caveats.line(select(*preview).rows).endswith("(A, B, C, D).")
    assert caveats.line(select(*preview, preview[0] | {"accelerator": "E"}).rows).endswith("(A, B, C and 2 more).")


def test_caveat_of_all_rows_stands_alone_and_that_of_some_names_them() -> None:
    rows = pd.DataFrame({"benchmark": ["llm", "images"], "caveat": ["edge suite; preview", "edge suite"]})
    assert caveats.line(rows, "benchmark") == "Caveats: edge suite; preview (llm)."
    assert caveats.line(rows.drop(columns="caveat"), "benchmark") == ""


def test_caveats_that_differ_in_sizes_only_are_told_as_one() -> None:
    rows = pd.DataFrame(
        {"accelerator": ["A", "B", "C"], "caveat": ["sizes, 1x against 8x", "sizes, 2x against 8x", ""]}
    )
    assert caveats.told(rows) == ["sizes (A, B)"]
    assert caveats.told(rows.head(1)) == ["sizes, 1x against 8x"]


def test_sources_are_those_of_the_rows_compared(select: Select) -> None:
    assert select(PAPER, PAPER | {"round": "v5.1", "source_id": "doc009"}).sources == ["doc000", "mlcommons-v4.1"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"benchmark": "lim"}, "no benchmark 'lim': did you mean 'llm'? valid: llm, twice, images, scan"),
        ({"benchmark": "zzzzzz"}, "no benchmark 'zzzzzz': valid: llm"),
        ({"scenario": "offline"}, "no scenario 'offline': did you mean 'Offline'? valid: Offline, Server"),
        ({"origins": ("offical",)}, "no origin 'offical': did you mean 'official'? valid: published"),
    ],
)
def test_unknown_choice_is_refused_with_the_near_match(select: Select, changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=r"no \w+ '") as error:
        select(**changes)
    assert str(error.value).startswith(message)


def test_nothing_comparable_is_an_empty_selection(select: Select) -> None:
    chosen = select(rounds=("v3.1",))
    assert chosen.rows.empty
    assert {"rate_low", "per_accelerator_high", "basis", "caveat", "assumed"} <= set(chosen.rows.columns)
    assert chosen.sources == []
    assert chosen.subtitle == "LLM Offline, v3.1, closed division."


def test_empty_table_is_an_empty_selection(results: Callable[..., pd.DataFrame], benchmarks: pd.DataFrame) -> None:
    chosen = gate.select(results(), benchmarks, ASK)
    assert chosen.rows.empty
    assert chosen.left_out.empty


def test_every_benchmark_comes_in_its_own_unit(results: Callable[..., pd.DataFrame], benchmarks: pd.DataFrame) -> None:
    rows = results({}, {"benchmark": "images", "unit": "samples/s"})
    found = gate.select_all(rows, benchmarks, ASK)
    assert list(zip(found["benchmark"], found["rate_unit"], strict=True)) == [
        ("llm", "tokens/s"),
        ("images", "samples/s"),
    ]
    assert list(gate.select_all(rows, benchmarks, ASK, ["images"])["benchmark"]) == ["images"]


def test_several_questions_come_one_below_the_other(
    results: Callable[..., pd.DataFrame], benchmarks: pd.DataFrame
) -> None:
    rows = results({}, {"scenario": "Server"})
    found = gate.select_each(rows, benchmarks, [ASK, replace(ASK, scenario="Server")])
    assert list(found["scenario"]) == ["Offline", "Server"]
    assert list(found.index) == [0, 1]


def test_official_row_comes_before_a_document_s(select: Select) -> None:
    rows = select(PAPER, PAPER | {"accelerator": "L40S"}).rows.iloc[::-1]
    first = gate.official_first(rows)
    assert sorted(zip(first["accelerator"], first["basis"], strict=True)) == [
        ("H100 SXM", "official v4.1"), ("L40S", "Paper")
    ]  # fmt: skip


def test_the_newest_round_of_the_record_comes_first() -> None:
    bases = ["Paper", "official v4.1", "official v10.0", "official v5.1", "official v5.10"]
    rows = pd.DataFrame({"benchmark": "b", "scenario": "Offline", "accelerator": "L40S", "basis": bases})
    assert list(gate.official_first(rows)["basis"]) == ["official v10.0"]
    assert list(gate.official_first(rows[rows["basis"].ne("official v10.0")])["basis"]) == ["official v5.10"]


def test_baseline_is_always_among_the_accelerators_asked_for() -> None:
    asked = parameters.GenerationalSpeedup(baseline="H100 SXM", accelerators=["L40S"])
    assert gate.ask(asked).accelerators == ("H100 SXM", "L40S")
    assert gate.ask(asked.model_copy(update={"accelerators": []})).accelerators == ()
    assert gate.ask(asked, power=True).power


def test_a_mixed_cluster_counts_only_where_whole_systems_are_asked_for_and_has_no_value_per_accelerator(
    results: Callable[..., pd.DataFrame], benchmarks: pd.DataFrame
) -> None:
    cluster = {"accelerator": "mixed", "low": 90.0, "high": 90.0, "accelerator_count": 24}
    rows = results(cluster, {"low": 8.0, "high": 8.0})
    alone = gate.select(rows, benchmarks, Question("llm", "Offline"))
    assert alone.left_out["reason"].tolist() == ["several accelerator types in one system"]
    both = gate.select(rows, benchmarks, Question("llm", "Offline", mixed=True)).rows.set_index("accelerator")
    assert both.at["mixed", "rate_low"] == 90.0 and pd.isna(both.at["mixed", "per_accelerator_low"])
    assert len(both) == 2 and both["per_accelerator_low"].notna().sum() == 1
