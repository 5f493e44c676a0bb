"""What the report of the official record says: from small counts, also of one round, of none, and where rows differ."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from analysis.answers import official_record as answer
from analysis.core.findings import Finding
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.show import tables
from analysis.show.figures import charts, colours, style
from analysis.themes import holdings
from analysis.themes.holdings import ALL

Rows = Callable[..., pd.DataFrame]
LABELS = {"llm": "LLM", "scan": "Scans"}
OLD = {"round": "v2.1", "source_id": "mlcommons-v2.1", "result_id": ""}
ROUNDS = pd.DataFrame(
    {
        "round": ["v2.0", "v2.1", "v4.1", "v5.0"],
        "published": ["2022-04-06", "2022-09-08", "2024-08-28", ""],
        "confidence": ["low", "low", "high", ""],
        "note": ["", "two collections are not to be had", "its address names a branch", "no file"],
    }
)

YES, NO = "Where logs exist, yes:", "Where logs exist, no:"
AGAIN = "computed again from their logs, and "


def called(accelerator: str) -> str:
    return accelerator.removesuffix(" SXM")


def label(benchmark: str) -> str:
    return LABELS[benchmark]


@pytest.fixture
def record(results: Rows) -> Rows:
    """Rows of the record from dicts of what differs from a run whose log says what was published."""

    def make(*rows: dict[str, Any]) -> pd.DataFrame:
        known = [{"recomputed": 8.0, "recomputed_difference": 0.0, "result_id": "4.1-0001"} | row for row in rows]
        frame = results(*({name: row[name] for name in row if name in NAMES} for row in known))
        more = {name: [row.get(name, default) for row in known] for name, default in MORE.items()}
        return holdings.official(frame.assign(**more))

    return make


MORE = dict.fromkeys(
    ["recomputed", "recomputed_difference", "recomputed_power_difference", "energy_millijoules_per_query"], float("nan")
)
MORE |= {"power_limit_watts": float("nan"), "printed_unit": ""}
NAMES = {"round", "source_id", "result_id", "benchmark", "division", "submitter", "corrected", "accelerator", "suite"}
NAMES |= {"inferred", "power_measured", "power_watts_low", "power_watts_high", "power_capped"}
BARE = {"recomputed": float("nan"), "recomputed_difference": float("nan")}
METERED = {"power_measured": True, "power_watts_low": 4000.0, "recomputed_power_difference": 0.0}


def states(finding: Finding, value: float, headline: str, more: str = "") -> None:
    """The finding has this value, headline of at most 25 words, and further words."""
    assert (finding.headline, finding.more, finding.value) == (headline, more, Interval(value, value))
    assert len(headline.split()) <= 25


def again(rows: pd.DataFrame) -> Finding:
    return answer.computed_again(holdings.counts(rows))


def test_a_result_that_is_inferred_from_another_scenario_s_log_is_told_in_the_answer(record: Rows) -> None:
    rows = record({}, {"inferred": True}, BARE | {"benchmark": "scan", "inferred": True})
    words = "2 of 3 results of v4.1 were computed again, 1 from another scenario's log, and none differs."
    states(again(rows), 2, f"{YES} {words}")


def test_the_answer_counts_what_was_computed_again(record: Rows) -> None:
    rows = record({}, {}, BARE | {"benchmark": "scan"}, BARE | OLD)
    states(again(rows), 2, f"{YES} 2 of 3 results of v4.1 were {AGAIN}none differs.")
    assert again(rows).sources == ["mlcommons-v4.1"]
    lacking = answer.without_log(holdings.counts(rows), holdings.exceptions(rows), label)
    states(lacking, 1, "1 result of Scans has no log.")
    clean = record({})
    none = answer.without_log(holdings.counts(clean), holdings.exceptions(clean), label)
    states(none, 0, "No single log is missing.")
    few = record({}, *(BARE | {"result_id": f"4.1-{number:04}"} for number in range(2, 51)))
    said = answer.without_log(holdings.counts(few), holdings.exceptions(few), label)
    single = "Of v4.1, 1 of 50 results was computed again, from logs that were read one by one."
    assert said.sentence == f"No single log is missing. {single}"
    newer = {"round": "v5.1", "source_id": "mlcommons-v5.1"}
    words = f"{YES} 2 of 2 results of v4.1 and v5.1 were {AGAIN}none differs."
    states(again(record({}, newer)), 2, words)
    states(again(clean), 1, f"{YES} 1 of 1 result of v4.1 was {AGAIN}none differs.")


def test_an_answer_of_many_rounds_counts_them(record: Rows) -> None:
    rounds = ("v4.0", "v4.1", "v5.1", "v6.0")
    rows = record(*({"round": name, "source_id": f"mlcommons-{name}"} for name in rounds))
    states(again(rows), 4, f"{YES} 4 of 4 results of 4 rounds were {AGAIN}none differs.")


@pytest.mark.parametrize(("wrong", "words"), [(1, "1 differs."), (2, "2 differ.")])
def test_the_answer_counts_what_differs(record: Rows, wrong: int, words: str) -> None:
    rows = record({}, {}, *[{"recomputed_difference": -0.01}] * wrong)
    total = 2 + wrong
    headline = f"{NO} {total} of {total} results of v4.1 were {AGAIN}{words}"
    states(again(rows), total, headline)
    assert answer.strip(holdings.counts(rows))[list(answer.PARTS)].to_numpy().tolist() == [[2, wrong, 0]]


def test_rounds_without_logs_are_to_be_quoted_as_published(record: Rows) -> None:
    rows = record({}, BARE | OLD, BARE | OLD | {"round": "v2.0", "source_id": "mlcommons-v2.0"})
    counts = holdings.counts(rows)
    found = answer.to_do(counts)
    states(found, 2, "Quote v4.1 as checked; 2 results of 2 other rounds stand as published, without logs.")
    assert found.sources == ["mlcommons-v2.0", "mlcommons-v2.1"]
    assert answer.rests_on(counts).text == "MLPerf v2.0 to v4.1, closed, 3 results, logs of 1 of 3 rounds"
    assert answer.rounds_title(counts) == "Logs exist here for 1 of 3 rounds: 33 % of the results."
    alone = holdings.counts(record({}))
    assert answer.rests_on(alone).text == "MLPerf v4.1, closed, 1 result, its logs"
    assert answer.rounds_title(alone) == "100 % of the results of v4.1 have a log here."
    one = holdings.counts(record({}, BARE | OLD))
    states(answer.to_do(one), 1, "Quote v4.1 as checked; 1 result of 1 other round stands as published, without logs.")
    states(answer.to_do(holdings.counts(record({}))), 0, "Quote its results as checked against their logs.")
    lacking = answer.to_do(holdings.counts(record({}, {}, BARE)))
    states(lacking, 0, "Quote its results as checked against their logs but for 1 result.")
    bare = record(BARE | OLD)
    states(answer.to_do(holdings.counts(bare)), 1, "Quote 1 result as published: nothing here checks it.")
    nothing = again(bare)
    assert (nothing.value, nothing.headline) == (None, "Unknown: none of 1 result has a log in the record.")


def test_power_is_counted_by_its_own_figures(record: Rows) -> None:
    rows = record(METERED, METERED | {"recomputed_power_difference": float("nan")}, METERED | OLD, {})
    counts = holdings.counts(rows.assign(recomputed_power_difference=[0.0, float("nan"), float("nan"), float("nan")]))
    headline = "1 of 2 power figures of v4.1 were computed again from the meter's samples, and none differs."
    states(answer.power_computed_again(counts), 1, headline)
    assert answer.power_computed_again(holdings.counts(record({}))).value is None


def test_a_power_figure_left_out_for_its_samples_is_one_that_was_metered(record: Rows) -> None:
    lost = METERED | {"power_watts_low": float("nan"), "recomputed_power_difference": float("nan")}
    counts = holdings.counts(record(METERED, lost, lost))
    headline = "1 of 3 power figures of v4.1 were computed again from the meter's samples, and none differs"
    states(answer.power_computed_again(counts), 1, f"{headline}; 2 have untrusted samples.")


def test_wrong_units_are_told_by_benchmark(record: Rows) -> None:
    wrong = {"corrected": "why", "printed_unit": "Samples/s"}
    rows = record({}, wrong, wrong | {"benchmark": "scan"}, wrong)
    counts, exceptions = holdings.counts(rows), holdings.exceptions(rows)
    found = answer.put_right(counts, exceptions, label)
    states(found, 3, "3 results of LLM and Scans were published with a wrong unit: the values are tokens/s.")
    listed = answer.listed_exceptions(exceptions, label)
    assert listed.to_dict("records")[0] == {
        "what": "LLM: labelled Samples/s, counts tokens/s", "rounds": "v4.1", "rows": 2, "examples": "4.1-0001"
    }  # fmt: skip
    clean = record({})
    sound = answer.put_right(holdings.counts(clean), holdings.exceptions(clean), label)
    states(sound, 0, "No result of these rounds was published with a wrong unit.")


def test_every_reason_of_an_exception_has_words(record: Rows) -> None:
    rows = record(
        {"recomputed_difference": 1.0},
        BARE,
        METERED | {"recomputed_power_difference": 1.0},
        METERED | {"recomputed_power_difference": float("nan")},
        {"power_measured": True},
        {"corrected": "why"},
        BARE | OLD,
    )
    exceptions = holdings.exceptions(rows)
    assert set(exceptions["why"]) == set(answer.WHY)
    assert not answer.listed_exceptions(exceptions, label)["what"].str.contains("[{}]").any()


def test_ten_ids_are_examples_and_the_others_a_count(record: Rows) -> None:
    rows = record({}, *(BARE | {"result_id": f"4.1-{number:04}"} for number in range(1, 14)), BARE | OLD)
    listed = answer.listed_exceptions(holdings.exceptions(rows), label)
    assert listed["rows"].tolist() == [13, 1]
    assert listed["examples"].tolist() == [", ".join(f"4.1-{n:04}" for n in range(1, 11)) + " and 3 more",
                                           "filed without ids"]  # fmt: skip


def test_rounds_that_are_missing_are_named_and_what_is_known_of_those_without_logs(record: Rows) -> None:
    counts = holdings.counts(record({}, BARE | OLD))
    known = "Of v2.1, two collections are not to be had."
    states(answer.gaps(counts, ROUNDS, []), 2, "The record lacks 2 of 4 rounds: v2.0 and v5.0.", known)
    states(answer.gaps(counts, ROUNDS, ["v4.1"]), 0, "The record has each round asked for: v2.1 and v4.1.")
    only = holdings.counts(record({}))
    states(answer.gaps(only, ROUNDS, ["v4.1", "v5.0"]), 1, "The record lacks 1 of 2 rounds: v5.0.")


def test_what_may_be_compared_stands_beside_all_rows_and_the_closed_ones(record: Rows) -> None:
    rows = record({}, {"suite": "edge"}, {"division": "open"})
    found = answer.comparable(holdings.set_aside(rows), holdings.counts(rows))
    words = "may be compared: data-center rates, filed once, without power."
    states(found, 1, f"1 of 3 results (50 % of the closed ones) {words}")
    opened = record({"division": "open"})
    found = answer.comparable(holdings.set_aside(opened), holdings.counts(opened))
    states(found, 0, f"0 of 1 result {words}")


def test_the_largest_submitters_are_named_as_people_write_them(record: Rows) -> None:
    filed = [{"submitter": name, "division": "open"} for name in ("Krai", "Krai", "A_B", "A_B", "C", "D")]
    rows = record(*filed, {"submitter": "D"})
    finding = answer.filed_by(holdings.submitters(rows), holdings.counts(rows))
    assert finding.value == Interval(6 / 7, 6 / 7)
    assert finding.headline == "3 of 4 submitters filed 86 % of the results: A B, D and Krai."
    assert finding.more == "Of 1 closed result D filed most: 1."
    assert answer.largest(holdings.submitters(rows))["submitter"].tolist() == ["A B", "D", "Krai", "C"]


@pytest.fixture
def best(comparable_rows: Rows) -> pd.DataFrame:
    """H100 at 100 an accelerator in v2.1, B200 at 250 in v4.1, submitted by two."""
    old = {"round": "v2.1", "source": "official v2.1", "submitter": "A_B"}
    new = {"low": 2000.0, "accelerator": "B200 SXM", "notes": frozenset({note("power_capped")})}
    return holdings.best(comparable_rows(new, old))


def test_progress_stands_over_the_first_round(best: pd.DataFrame) -> None:
    found = answer.progress(best, "LLM Offline", called)
    words = "the fastest on sale gives 2.5 times as much in v4.1 (B200) as in v2.1 (H100)."
    states(found, 2.5, f"On LLM Offline, {words}")
    assert found.notes == {note("power_capped", about=["B200 SXM"])}
    alone = "On LLM Offline, H100 was the fastest on sale in v2.1, the only round here."
    states(answer.progress(best.head(1), "LLM Offline", called), 1.0, alone)
    assert answer.progress(best.head(0), "LLM Offline", called).value is None


def test_days_from_memory_are_marked(best: pd.DataFrame) -> None:
    dated = answer.dated(best, ROUNDS, called)
    assert dated["when"].tolist() == ["v2.1, ~2022-09", "v4.1, 2024-08"]
    assert dated["who"].tolist() == ["8 H100, A B", "8 B200, ACME"]
    undated = answer.dated(best, ROUNDS.assign(published=""), called)
    assert undated["when"].tolist() == ["v2.1", "v4.1"]
    assert "; ~: day from memory" in answer.drawn_as(dated)
    none = answer.dated(best.head(0), ROUNDS, called)
    assert none.empty
    for without in (undated, dated.tail(1), none):
        assert "~" not in answer.drawn_as(without)


def test_a_narrower_tolerance_is_told_with_what_it_changes(record: Rows) -> None:
    rows = record({}, {"recomputed_difference": 1e-8})
    wide, narrow = holdings.counts(rows), holdings.counts(rows, agrees=1e-9)
    within = "within a tolerance 1,000 times narrower"
    states(answer.under_a_narrower_tolerance(wide, wide), 0, f"No: {within} none of 2 results differs.")
    states(answer.under_a_narrower_tolerance(wide, narrow), 1, f"Yes: {within} 1 of 2 results differs.")


def test_without_a_record_each_finding_says_so(record: Rows) -> None:
    rows = record({}).head(0)
    counts, exceptions, aside = holdings.counts(rows), holdings.exceptions(rows), holdings.set_aside(rows)
    filed = holdings.submitters(rows)
    said = [answer.computed_again(counts), answer.to_do(counts), answer.without_log(counts, exceptions, label)]
    said += [answer.put_right(counts, exceptions, label), answer.comparable(aside, counts)]
    said += [answer.filed_by(filed, counts)]
    assert [found.headline.startswith("The record holds none of these rounds") for found in said] == [True] * len(said)
    said += [answer.power_computed_again(counts), answer.under_a_narrower_tolerance(counts, counts)]
    assert [found.value for found in said] == [None] * len(said)
    states(answer.gaps(counts, ROUNDS, ["v5.0"]), 1, "The record lacks 1 of 1 round: v5.0.")
    frames = [answer.across(counts, answer.MEASURES), answer.across(aside, answer.REASONS), answer.strip(counts)]
    assert [len(each) for each in (*frames, answer.listed_exceptions(exceptions, label), answer.largest(filed))] == [
        0
    ] * 5


def test_counts_lie_on_their_side_with_all_rounds_behind_several(record: Rows) -> None:
    counts = holdings.counts(record({}, BARE | OLD))
    table = answer.across(counts, answer.MEASURES)
    assert answer.headed(table, "What") == {"what": "What", "v2.1": "v2.1", "v4.1": "v4.1", ALL: ALL}
    shown = tables.show(table, "Record", answer.headed(table, "What")).cells
    assert shown["What"].tolist() == list(answer.MEASURES.values())
    assert shown.iloc[0].tolist() == ["Rows", "1", "1", "2"]
    assert list(answer.across(holdings.counts(record({})), answer.MEASURES)) == ["what", "v4.1"]


def test_every_count_and_every_reason_has_words(record: Rows) -> None:
    rows = record({})
    assert [*answer.MEASURES, "source_ids"] == list(holdings.counts(rows))
    assert list(answer.REASONS) == list(holdings.set_aside(rows)) == [*holdings.REASONS, "compared"]


def test_the_figure_has_a_colour_for_each_part(record: Rows) -> None:
    style.apply()
    strip = answer.strip(holdings.counts(record({}, {}, BARE | OLD)))
    assert strip["label"].tolist() == ["v2.1: 0 of 1", "v4.1: 2 of 2"]
    words = {"axis": "rows", "title": "All.", "subtitle": "Here."}
    drawing = charts.shares(strip, label="label", counts=answer.PARTS, inks=colours.PROVEN, **words)
    assert "v4.1: 2 of 2: 2 as published, 0 differs, 0 not computed again" in drawing.alt
    assert drawing.notes == NONE
