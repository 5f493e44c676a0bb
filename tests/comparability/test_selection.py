"""Which results may stand side by side, in which unit, and what is said of those left out."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from analysis._core import notes, parameters, vocabulary
from analysis._core.choices import not_among
from analysis._core.notes import NONE, note
from analysis.comparability import row_caveats, selection
from analysis.comparability.selection import Question

TWICE = {"benchmark": "twice"}  # of which one run may be filed under both accuracy targets
ASK = Question("llm", "Offline", rounds=("v4.1",))
LLAMA = Question("llama2-70b", "Offline")


@pytest.fixture(scope="session")
def select(results, tables):
    """The comparison of rows given as dicts; the first row is always a plain official one, `r0`."""

    def run(*rows, doubts=None, **asked):
        return selection.select(tables(results({}, *rows), doubts), replace(ASK, **asked))

    return run


def kept(chosen):
    return list(chosen.rows["id"])


def reasons(chosen):
    return dict(zip(chosen.excluded["reason"], chosen.excluded["results"], strict=True))


def out(code, **values):
    """What is left out where one result is, for this reason."""
    return {note(code, **values).text: 1}


@pytest.mark.parametrize(
    "other",
    [{"benchmark": "images"}, {"scenario": "Server"}, {"metric": "latency"}, {"origin": "measured"}],
    ids=["benchmark", "scenario", "metric", "origin"],
)
def test_row_about_something_else_is_not_even_considered(select, other):
    chosen = select(other)
    assert kept(chosen) == ["r0"]
    assert chosen.excluded.empty


LOOSE, STRICT = {"accuracy_target": "99"}, {"accuracy_target": "99.9"}
L40S = {"accelerator": "L40S"}
KEPT = {  # what is compared of rows behind a plain one
    "accelerators asked for": ([L40S, {"accelerator": "MI300X"}], {"accelerators": ("L40S",)}, ["r1"]),
    "every round where none is asked for": ([{"round": "v5.1"}, {"round": ""}], {"rounds": ()}, ["r0", "r1", "r2"]),
    "every suite where none is asked for": ([{"suite": "edge"}], {"suite": ""}, ["r0", "r1"]),
    "division and suite that are not stated": ([{"division": "", "suite": ""}], {}, ["r0", "r1"]),
    "the target asked for": ([LOOSE, LOOSE, STRICT], STRICT, ["r0", "r3"]),
    "the usual target": ([LOOSE, LOOSE, LOOSE, L40S | STRICT, L40S | LOOSE], {}, ["r0", "r1", "r2", "r3", "r5"]),
    "the usual target of all accelerators where some are asked for": (
        [LOOSE, LOOSE, LOOSE, L40S | STRICT, L40S | LOOSE], {"accelerators": ("L40S",)}, ["r5"]
    ),
    "their own target where none asked for has the usual one": (
        [LOOSE, LOOSE, L40S | STRICT], {"accelerators": ("L40S",)}, ["r3"]
    ),
    "of equal votes the stricter target": ([LOOSE, STRICT], {}, ["r0", "r2"]),
    "the target of the division": ([STRICT | {"division": "open"}] * 2 + [LOOSE], {}, ["r0", "r3"]),
}  # fmt: skip


LEFT_OUT = [  # in the order of the rules
    ({"scenario": ""}, note("no_scenario")),
    ({"duplicate_of": "r0"}, note("duplicate")),
    ({"round": "v3.0", "comparable_since": "v0.7"}, note("another_version")),
    ({"round": "v5.1"}, note("another_round")),
    ({"division": "open"}, note("another_division", division="closed")),
    ({"suite": "edge"}, note("another_suite")),
    ({"power_measured": True}, note("power_submission")),
    ({"power_capped": True}, note("capped_unmetered")),
    ({"accelerator": "mixed"}, note("several_types")),
    ({"accelerator_count": None}, note("count_unstated")),
]


@pytest.mark.parametrize(("rows", "asked", "ids"), KEPT.values(), ids=KEPT)
def test_of_several_rows_are_compared(select, rows, asked, ids):
    assert kept(select(*rows, **asked)) == ids


def test_row_that_breaks_several_rules_is_left_out_for_the_first(select):
    broken = {}
    for other, reason in reversed(LEFT_OUT):
        broken |= other
        chosen = select(broken)
        assert (kept(chosen), reasons(chosen)) == (["r0"], {reason.text: 1})


def test_of_many_accelerators_left_out_those_with_most_results_are_named(select):
    parts = ["A", "B", "C", "D", "E", "F", "G", "H"]
    told = select(*({"round": "v5.1", "accelerator": name} for name in [*reversed(parts), ""])).excluded
    assert told["accelerators"].tolist() == ["A, B, C, D, E, F, G, H"] and told["results"].tolist() == [9]
    more = select(*({"round": "v5.1", "accelerator": name} for name in [*parts, "I", "J", "J", "I"])).excluded
    assert more["accelerators"].tolist() == ["A, B, C, D, E, F, I, J and 2 more"]


def test_of_several_versions_of_a_benchmark_the_newest_round_decides(select):
    old = {"round": "v1.1", "comparable_since": "v0.7"}
    rows = [old, {"round": "v2.0", "comparable_since": "v2.0"}, {"round": "v3.0", "comparable_since": "v2.0"}]
    chosen = select({"round": ""}, old | {"accelerator": "L40S"}, *rows, rounds=())
    assert kept(chosen) == ["r0", "r1"]  # The run of v4.1 is of a version of its own, and a document names no round.
    assert reasons(chosen) == {note("another_version").text: 4}
    assert kept(select(*rows, rounds=("v1.1", "v2.0", "v3.0"))) == ["r2", "r3"]
    assert kept(select(*rows, rounds=("v1.1",))) == ["r1"]
    alone = select(old | {"accelerator": "L40S"}, *rows[1:], rounds=("v1.1", "v2.0"), accelerators=("L40S",))
    assert kept(alone) == [], "another accelerator's newer version counts, whatever is shown"


def test_streams_of_old_rounds_are_compared_with_nothing(results, tables):
    frame = results({}, {"scenario": "MultiStream", "metric": "streams", "unit": "streams", "round": "v1.0"})
    assert kept(selection.select(tables(frame), Question("llm", "MultiStream"))) == []
    assert selection.comparability_of_each(tables(frame))["excluded"].tolist() == ["", "stream_count"]


def test_open_division_is_kept_when_asked_for_and_closed_left_out(select):
    chosen = select({"division": "open"}, division="open")
    assert kept(chosen) == ["r1"]
    assert chosen.rows["notes"].tolist() == [{note("division_asked", division="open")}]
    assert reasons(chosen) == out("another_division", division="open")


def test_energy_per_query_is_left_out_by_name_where_power_is_asked_for(results, tables):
    stream = {"scenario": "SingleStream", "metric": "latency", "unit": "ms", "accuracy_target": "99"}
    frame = results({"power_measured": True}, stream | {"power_measured": True}, stream)
    frame["energy_millijoules_per_query"] = [float("nan"), 900.0, float("nan")]
    asked = Question("llm", "Offline", power=True)
    assert reasons(selection.select(tables(frame), asked)) == out("stream_energy")
    assert reasons(selection.select(tables(frame), replace(asked, power=False))) == out("power_submission")


def test_accuracy_target_of_most_rows_is_compared(select):
    chosen = select(*({"accuracy_target": target} for target in ("99", "99", "99.9")))
    assert kept(chosen) == ["r0", "r1", "r2"]
    assert reasons(chosen) == out("another_target", target="99")


def test_of_targets_that_one_run_may_meet_the_strictest_of_each_accelerator_and_size_is_compared(select):
    rows = [
        {"benchmark": "twice", "accuracy_target": target, "low": low} for target, low in (("99", 9e3), ("99.9", 8e3))
    ]
    others = [{"accelerator": "L40S"}, {"accelerator_count": 4}, {"round": "v5.1"}, {"availability": "preview"}]
    alone = [rows[0] | other for other in others]
    chosen = select(*rows, *alone, benchmark="twice", rounds=())
    assert kept(chosen) == ["r2", "r3", "r4", "r5", "r6"]
    assert reasons(chosen) == out("stricter_target")
    looser = note("looser_target", target="99", stricter="99.9")
    assert [looser in notes for notes in chosen.rows["notes"]] == [False, True, True, True, True]
    assert kept(select(*rows, benchmark="twice", accuracy_target="99")) == ["r1"]
    assert kept(select(rows[0], rows[1] | {"duplicate_of": "r1"}, benchmark="twice")) == ["r1"]


def test_a_result_at_a_stated_power_limit_is_compared_and_says_so(select):
    chosen = select({"power_capped": True, "power_limit_watts": 450.0}, {"power_capped": True})
    assert kept(chosen) == ["r0", "r1"]
    assert chosen.rows["notes"].tolist() == [NONE, {note("power_capped", watts=450.0)}]
    assert reasons(chosen) == out("capped_unmetered")


def test_rate_printed_per_accelerator_is_multiplied_for_the_system(select):
    row = select({"per": "accelerator", "low": 750.0, "high": 820.0}).rows.iloc[1]
    assert (row["rate_low"], row["rate_high"]) == (6000.0, 6560.0)
    assert (row["per_accelerator_low"], row["per_accelerator_high"]) == (750.0, 820.0)
    assert (row["as_printed_low"], row["as_printed_high"]) == (750.0, 820.0)


def test_samples_become_tokens_by_the_run_s_own_length(select):
    row = select({"unit": "samples/s", "low": 80.0, "tokens_per_sample": 290.0}).rows.iloc[1]
    assert (row["rate_low"], row["rate_high"]) == (23_200.0, 23_200.0)
    assert (row["per_accelerator_low"], row["as_printed_low"]) == (2_900.0, 10.0)
    assert not row["assumed"]
    assert row["notes"] == NONE


def test_samples_become_tokens_by_the_benchmark_s_range_and_say_so(select):
    row = select({"unit": "queries/s", "low": 80.0, "high": 88.0}).rows.iloc[1]
    assert (row["rate_low"], row["rate_high"]) == (20_000.0, 26_400.0)
    assert (row["per_accelerator_low"], row["per_accelerator_high"]) == (2_500.0, 3_300.0)
    assert (row["as_printed_low"], row["as_printed_high"]) == (10.0, 11.0)
    assert row["assumed"]
    assert row["notes"] == {note("tokens_assumed")}


def test_tokens_become_samples_where_samples_are_compared(results, tables):
    rows = results({"benchmark": "images", "unit": "tokens/s", "low": 800.0, "tokens_per_sample": 4.0})
    chosen = selection.select(tables(rows), replace(ASK, benchmark="images"))
    assert (chosen.unit, chosen.rows["rate_low"].iloc[0], chosen.rows["rate_high"].iloc[0]) == (
        "samples/s",
        200.0,
        200.0,
    )


def test_unit_without_tokens_per_sample_cannot_be_turned(results, tables):
    rows = results({"benchmark": "images", "unit": "tokens/s"})
    chosen = selection.select(tables(rows), replace(ASK, benchmark="images"))
    assert reasons(chosen) == out("other_unit", unit="samples/s")


@pytest.mark.parametrize(
    ("benchmark", "scenario", "unit", "work"),
    [
        ("llm", "Server", "tokens/s", "token"),
        ("images", "Offline", "samples/s", "sample"),
        ("images", "Server", "queries/s", "query"),
        ("scan", "Server", "samples/s", "sample"),
    ],
)
def test_unit_is_that_of_benchmark_and_scenario(select, benchmark, scenario, unit, work):
    chosen = select(benchmark=benchmark, scenario=scenario)
    assert (chosen.unit, chosen.work) == (unit, work)


PAPER = {"origin": "published", "source_id": "doc000", "source": "Paper"}


def test_slower_precision_of_one_document_is_left_out(select):
    chosen = select(PAPER | {"precision": "fp8", "low": 900.0}, PAPER | {"precision": "fp16", "low": 500.0})
    assert kept(chosen) == ["r0", "r1"]
    assert reasons(chosen) == out("slower_precision")


@pytest.mark.parametrize(
    "other",
    [
        {"precision": "fp8"},
        {"source_id": "doc001"},
        {"accelerator_count": 4},
        {"origin": "official"},
    ],
    ids=["same precision", "another document", "another count", "official"],
)
def test_slower_row_that_is_no_other_precision_of_the_same_is_kept(select, other):
    fast, slow = PAPER | {"precision": "fp8", "low": 900.0}, PAPER | {"precision": "fp16", "low": 500.0} | other
    assert kept(select(fast, slow)) == ["r0", "r1", "r2"]


SMALL = note("another_size", count=1, usual=8)


@pytest.mark.parametrize(
    ("other", "noted"),
    [
        ({"availability": "preview"}, {note("preview", round="v4.1")}),
        ({"division": ""}, {note("division_unstated")}),
        ({"range_basis": "approximate"}, {note("approximate")}),
        ({"inferred": True}, {note("inferred")}),
        ({"precision": ""}, {note("precision_unstated")}),
        ({"accelerator_count": 1}, NONE),
        ({"corrected": "wrong label"}, {note("label_corrected")}),
    ],
)
def test_row_that_needs_care_has_a_note(select, other, noted):
    assert select(other).rows["notes"].tolist() == [NONE, noted]


def test_a_cap_is_a_note_of_what_was_metered(select):
    metered = {"power_measured": True}
    chosen = select(metered, metered | {"power_capped": True}, {"power_capped": True}, power=True)
    assert chosen.rows["notes"].tolist() == [NONE, {note("power_capped")}]


def test_size_is_a_note_only_of_what_has_no_system_of_the_usual_size(select):
    """The usual size is that of most systems, the least of two that are as frequent."""
    one, eight = {"accelerator_count": 1}, {"accelerator": "L40S"}
    assert select({}, eight | one).rows["notes"].tolist() == [NONE, NONE, {SMALL}]
    assert select(eight | one).rows["notes"].tolist() == [{note("another_size", count=8, usual=1)}, NONE]
    assert select(one, eight | one, eight).rows["notes"].tolist() == [NONE] * 4
    assert select(PAPER | one, {}).rows["notes"].tolist() == [NONE, {SMALL}, NONE]


def test_preview_system_without_a_round_is_one_all_the_same(select):
    chosen = select(PAPER | {"availability": "preview", "round": ""}, rounds=())
    assert chosen.rows["notes"].tolist() == [NONE, {note("preview")}]


def test_notes_of_documents_and_of_accelerators_are_told_together(select):
    chosen = select({"availability": "preview", "accelerator": "B200 SXM"}, PAPER | {"division": ""})
    told = {note("preview", ["B200 SXM"], round="v4.1"), note("division_unstated", ["Paper"])}
    assert notes.of_rows(chosen.rows) == told
    assert notes.of_rows(select().rows) == NONE


@pytest.mark.parametrize(
    ("changes", "what", "name"),
    [
        ({"benchmark": "lim"}, "benchmark", "lim"),
        ({"scenario": "offline"}, "scenario", "offline"),
        ({"origins": ("offical",)}, "origin", "offical"),
        ({"division": "close"}, "division", "close"),
        ({"suite": "datacentre"}, "suite", "datacentre"),
        ({"accuracy_target": "98"}, "accuracy target", "98"),
        ({"trust": "check"}, "trust", "check"),
    ],
)
def test_unknown_choice_is_refused_with_those_there_are(select, benchmarks, changes, what, name):
    valid = {"benchmark": benchmarks["benchmark"], "scenario": vocabulary.SCENARIOS, "origin": vocabulary.ORIGINS}
    valid |= {"division": vocabulary.DIVISIONS, "suite": vocabulary.SUITES}
    valid |= {"accuracy target": vocabulary.ACCURACY_TARGETS, "trust": selection.TRUST}
    with pytest.raises(ValueError, match=re.escape(f"no {what} {not_among(name, valid[what])}")):
        select(**changes)


def test_nothing_comparable_is_an_empty_selection(select):
    chosen = select(rounds=("v3.1",))
    assert chosen.rows.empty
    assert {"rate_low", "per_accelerator_high", "basis", "notes", "assumed"} <= set(chosen.rows.columns)
    assert chosen.sources == []


def test_benchmarks_asked_for_together_are_what_each_gives_alone(data):
    for question in (Question("", "Server"), Question("", "Offline", rounds=("v4.1", "v5.1"), suite="", power=True)):
        alone = [selection.select(data, replace(question, benchmark=name)) for name in data.benchmarks["benchmark"]]
        parts = [chosen.rows.assign(rate_unit=chosen.unit) for chosen in alone if len(chosen.rows)]
        together = selection.select_all(data, question)
        assert together["benchmark"].nunique() == len(parts) > 3
        pd.testing.assert_frame_equal(together, pd.concat(parts, ignore_index=True))


@pytest.mark.parametrize(
    ("count", "nodes", "told"),
    [(87, 11, {note("counted_by_name", count=87, total=88)}), (88, 11, NONE), (87, None, NONE)],
)
def test_a_count_by_name_says_the_published_total(results, count, nodes, told):
    rows = results({"accelerator_count": count}).assign(nodes=pd.Series([nodes], dtype="Int64"))
    rows = rows.assign(basis="official v4.1", doubt="", assumed=False)
    (notes_of_row,) = row_caveats.of_each(rows, "datacenter", "closed")
    assert notes.without(notes_of_row, "another_size") == told


def test_the_newest_round_of_the_record_comes_first():
    rounds = [("v6.0",), ("v4.1",), ("v10.0",), ("v5.1",), ("v5.10", "v4.1"), ()]
    rows = pd.DataFrame({"benchmark": "b", "scenario": "Offline", "accelerator": "L40S", "rounds": rounds})
    rows["origin"] = ["published", *["official"] * 4, "measured"]
    assert selection.official_first(rows)["rounds"].tolist() == [("v10.0",)]
    assert selection.official_first(rows.drop(2))["rounds"].tolist() == [("v5.10", "v4.1")]
    assert selection.official_first(rows.iloc[[5, 0]])["rounds"].tolist() == [()]


def test_baseline_is_always_among_the_accelerators_asked_for():
    asked = parameters.RealWorldDerating(baseline="H100 SXM", accelerators=["L40S"])
    assert selection.ask(asked).accelerators == ("H100 SXM", "L40S")
    assert selection.ask(asked.model_copy(update={"accelerators": []})).accelerators == ()
    assert selection.ask(asked, power=True).power


def test_a_mixed_cluster_counts_only_where_whole_systems_are_asked_for_and_has_no_value_per_accelerator(
    results, tables
):
    cluster = {"accelerator": "mixed", "low": 90.0, "high": 90.0, "accelerator_count": 24}
    given = tables(results(cluster, {"low": 8.0, "high": 8.0}))
    assert reasons(selection.select(given, Question("llm", "Offline"))) == out("several_types")
    both = selection.select(given, Question("llm", "Offline", mixed=True)).rows.set_index("accelerator")
    assert both.at["mixed", "rate_low"] == 90.0 and pd.isna(both.at["mixed", "per_accelerator_low"])
    assert len(both) == 2 and both["per_accelerator_low"].notna().sum() == 1


DOUBTED = {"r1": "contradicts_record", "r2": "other_power_limit"}


def test_doubt_of_the_audit_is_a_note_of_its_row_beside_its_own(select):
    chosen = select({"inferred": True}, {}, doubts=DOUBTED)
    noted = [NONE, {note("inferred"), note("contradicts_record")}, {note("other_power_limit")}]
    assert chosen.rows["notes"].tolist() == noted
    assert chosen.excluded.empty


def test_only_checked_results_are_compared_where_those_are_asked_for(select):
    chosen = select({}, {}, doubts=DOUBTED, trust="checked")
    assert kept(chosen) == ["r0", "r2"]
    (reason,) = reasons(chosen)
    assert reason == note("not_checked", doubt=note("contradicts_record")).text
    assert reason.startswith("not checked: ")


@pytest.mark.parametrize("trust", ["all", "checked"])
def test_result_of_which_no_doubts_are_known_is_an_error_and_not_trusted(results, tables, trust):
    given = tables(results({}, {"id": "lost"}))
    unknown = given._replace(doubts=given.doubts.drop("lost"))
    with pytest.raises(ValueError, match=r"no doubts are known of result 'lost' \(1 of 2 results\): .* judged"):
        selection.select(unknown, replace(ASK, trust=trust))


def test_what_the_audit_doubts_in_the_project_s_own_tables_is_left_out_where_asked(data):
    doubted = set(data.doubts.index[~data.doubts["checked"]])
    everything, checked = (
        set(selection.select(data, replace(LLAMA, trust=trust)).rows["id"]) for trust in selection.TRUST
    )
    assert everything & doubted and checked == everything - doubted


def test_record_is_compared_undoubted_and_documents_are_no_part_of_it(results, benchmarks):
    record = selection.record(results({}, PAPER, {"origin": "measured"}, {}), benchmarks)
    chosen = selection.select(record, replace(ASK, origins=selection.ORIGINS, trust="checked"))
    assert kept(chosen) == ["r0", "r3"]
    assert chosen.rows["notes"].tolist() == [NONE] * 2 and chosen.excluded.empty
    assert selection.select(selection.record(results(PAPER), benchmarks), ASK).rows.empty


def test_a_benchmark_whose_software_counts_tokens_differently_compares_in_samples(tables, results, benchmarks):
    rows = results({"low": 800.0, "tokens_per_sample": 64.0}, {"low": 800.0, "tokens_per_sample": 80.0})
    heard = benchmarks.assign(compared_in=["samples/s", "", "", ""])
    chosen = selection.select(tables(rows, of=heard), ASK)
    assert chosen.unit == "samples/s" and chosen.rows["rate_low"].tolist() == [12.5, 10.0]


def together(flags, aspect):
    """Whether some question of an aspect takes in every row."""
    common = -1
    for bits in flags[f"apart_{aspect}"]:
        common &= bits
    return common != 0


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ({}, {"round": "v5.1"}, "rounds"),
        ({}, {"division": "open"}, "division"),
        ({}, {"suite": "edge"}, "suite"),
        (TWICE | {"accuracy_target": "99"}, TWICE | {"accuracy_target": "99.9"}, "accuracy_target"),
        ({}, {"power_measured": True}, "power"),
    ],
)
def test_comparability_of_each_tell_what_keeps_two_results_apart(results, tables, one, other, apart):
    data = tables(results(one, other))
    flags = selection.comparability_of_each(data)
    assert {aspect for aspect in selection.ASPECTS if not together(flags, aspect)} == {apart}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {}),
        ({}, {"suite": "datacenter,edge"}),
        ({"accuracy_target": "99"}, {}),
        (TWICE | {"accuracy_target": "99"}, TWICE | {"accuracy_target": "99.9", "accelerator_count": 4}),
    ],
)
def test_comparability_of_each_keep_together_what_one_question_takes_in(results, tables, one, other):
    """One filed under both suites, one without a target, and targets that share a run."""
    flags = selection.comparability_of_each(tables(results(one, other)))
    assert [aspect for aspect in selection.ASPECTS if not together(flags, aspect)] == []


def test_comparability_of_each_have_the_rates_of_a_comparison(results, tables):
    data = tables(results({"low": 1600.0}, {"low": 3.0, "unit": "samples/s", "tokens_per_sample": 100.0}))
    chosen = selection.select(data, selection.Question("llm", "Offline"))
    names = ["rate_low", "rate_high", "per_accelerator_low", "per_accelerator_high"]
    pd.testing.assert_frame_equal(selection.comparability_of_each(data)[names], chosen.rows[names])
    assert set(selection.comparability_of_each(data)["rate_unit"]) == {chosen.unit}


def test_more_questions_than_bits_are_refused(results, tables):
    rows = results(*({"round": f"v{number}.0"} for number in range(selection.BITS + 1)))
    with pytest.raises(ValueError, match="rounds has 32 questions"):
        selection.comparability_of_each(tables(rows))
