"""What the overview says: from small matrices, also where nothing, one accelerator or one scenario is known."""

from typing import Any

import pandas as pd
import pytest

from analysis.answers import overview as answer
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.themes import standing

LABELS = {"llm": "LLM", "scan": "Scans", "talk": "Talk"}
SIZE, BRIDGED = note("another_size"), note("bridged", bridge="H200 SXM", submitter="ACME", rounds="v6.0 and v5.1")
NAN = float("nan")
FIRST = {"accelerator": "GB300", "accelerator_count": 72, "offline": 15650.0, "server": 12000.0, "interactive": 11000.0}
FIRST |= {"worth": (3.51, 4.21), "offline_notes": {SIZE}, "worth_notes": {BRIDGED}}
SECOND = {"accelerator": "B300 SXM", "offline": 14466.0, "server": 14313.0, "worth": (3.25, 3.77), "joules": 0.1}
BASE = {"accelerator": "H100 SXM", "offline": 3066.0, "server": 2962.0, "worth": 1.0}


def label(benchmark: str) -> str:
    return LABELS[benchmark]


def matrix(*rows: dict[str, Any]) -> pd.DataFrame:
    """Rows as themes.standing.matrix gives them: a number or two ends; what is not said is not known."""
    table = []
    for row in rows:
        ends: dict[str, Any] = {}
        for name in standing.MEASURES:
            given = row.get(name, NAN)
            low, high = given if isinstance(given, tuple) else (given, given)
            ends |= {f"{name}_low": low, f"{name}_high": high, f"{name}_round": "v6.0"}
            ends[f"{name}_notes"] = frozenset(row.get(f"{name}_notes", NONE))
        about = {"accelerator": row["accelerator"], "accelerator_count": row.get("accelerator_count", 8)}
        table.append(about | {"round": "v6.0", "framework": "vLLM", "source_ids": ("mlcommons-v6.0",)} | ends)
    columns = ["accelerator", "accelerator_count", "round", "framework", "source_ids"]
    columns += [f"{name}_{end}" for name in standing.MEASURES for end in ("low", "high", "round", "notes")]
    return pd.DataFrame(table, columns=columns)


def worths(*rows: tuple[str, str, float, float]) -> pd.DataFrame:
    """Rows as themes.standing.worths gives them: accelerator, base, worth, the base's rate."""
    frame = pd.DataFrame(rows, columns=["accelerator", "base", "worth_low", "over_low"])
    frame = frame.assign(worth_high=frame["worth_low"], over_high=frame["over_low"], round=frame["base"])
    return frame.assign(accelerator_count=8, notes=[frozenset({BRIDGED})] * len(frame))


IN_ROUNDS = worths(
    ("H100 SXM", "v5.1", 1.0, 3897.0), ("B300 SXM", "v5.1", 3.5, 3902.0), ("H200 SXM", "v5.1", 1.1, 3897.0),
    ("H200 SXM", "v4.1", 1.31, 3066.0), ("GB300", "v4.1", 4.5, 3066.0),
)  # fmt: skip


def changes(*rows: tuple[str, str, str, float, float]) -> pd.DataFrame:
    """Rows as themes.standing.changes gives them: benchmark, accelerator, before ("": new), gain low and high."""
    columns = ["benchmark", "accelerator", "before", "gain_low", "gain_high"]
    frame = pd.DataFrame(rows, columns=columns)
    about = {"round": "v6.0", "before_round": "v5.1", "framework": "vLLM", "basis": "official v6.0"}
    about["filed_again"] = frame["accelerator"].eq(frame["before"])
    return frame.assign(**about, source_ids=[("mlcommons-v6.0",)] * len(frame), notes=[frozenset({SIZE})] * len(frame))


GAINS = changes(
    ("llm", "B300 SXM", "B200 SXM", 1.8, 1.84), ("scan", "L4", "L4", 0.9, 0.9), ("talk", "L4", "", NAN, NAN)
)


def test_the_first_is_named_and_the_first_in_a_node_of_eight() -> None:
    finding = answer.most(matrix(FIRST, SECOND, BASE), "Offline", "LLM Offline", "tokens/s")
    assert finding.sentence == (
        "GB300 gives most on LLM Offline, 15,600 tokens/s each; in nodes of 8, B300 SXM leads with 14,500."
    )
    assert (finding.value, finding.about, finding.notes) == (Interval(15650.0, 15650.0), "GB300", {SIZE})


def test_a_first_in_a_node_of_eight_is_named_alone() -> None:
    finding = answer.most(matrix(SECOND, BASE), "Offline", "LLM Offline", "tokens/s")
    assert finding.sentence == "B300 SXM gives most on LLM Offline, 14,500 tokens/s each."
    assert answer.most(matrix(FIRST), "Server", "LLM Server", "tokens/s").sentence.endswith("12,000 tokens/s each.")


def test_the_ranking_is_that_of_the_scenario_asked_for() -> None:
    assert answer.most(matrix(FIRST, SECOND), "Server", "LLM Server", "tokens/s").about == "B300 SXM"
    nothing = answer.most(matrix(SECOND), "Interactive", "LLM Interactive", "tokens/s")
    assert nothing.value is None
    assert nothing.sentence == "No accelerator on sale has a comparable result of LLM Interactive."


def test_worth_is_a_multiple_of_the_baseline_s_price() -> None:
    finding = answer.worth(matrix(FIRST, SECOND, BASE), "Offline", "H100 SXM")
    assert finding.sentence == "GB300 breaks even at 3.5 to 4.2 times the price of H100 SXM, B300 SXM at 3.2 to 3.8."
    assert (finding.value, finding.notes) == (Interval(3.51, 4.21), {BRIDGED})


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            (SECOND | {"worth": NAN}, BASE | {"accelerator": "L4", "worth": 0.5}),
            "L4 breaks even at 0.5 times the price of H100 SXM; of B300 SXM it is not known.",
        ),
        ((FIRST, BASE), "GB300 breaks even at 3.5 to 4.2 times the price of H100 SXM."),
        ((FIRST | {"worth": NAN}, SECOND),
         "B300 SXM breaks even at 3.2 to 3.8 times the price of H100 SXM; of GB300 it is not known."),
        ((BASE,), "No accelerator on sale can be set beside H100 SXM: nobody can say what it is worth."),
        ((), "No accelerator on sale can be set beside H100 SXM: nobody can say what it is worth."),
    ],
)  # fmt: skip
def test_worth_that_is_not_known_is_said_so(rows: tuple[dict, ...], said: str) -> None:
    assert answer.worth(matrix(*rows), "Offline", "H100 SXM").sentence == said


def test_other_scenarios_may_have_another_leader() -> None:
    """Rates side by side have three digits: 8 % apart, two would read as 14 %."""
    finding = answer.elsewhere(matrix(FIRST, SECOND), "Offline", "tokens/s")
    assert finding.sentence == "Yes: B300 SXM leads on Server with 14,300 tokens/s, GB300 on Interactive with 11,000."
    assert finding.value == Interval(2, 2)
    same = answer.elsewhere(matrix(SECOND, BASE), "Offline", "tokens/s")
    assert same.sentence == "No: B300 SXM leads on Server with 14,300 tokens/s." and same.value == Interval(1, 1)


def test_without_another_scenario_there_is_no_choice() -> None:
    for rows in ((), ({"accelerator": "L4", "offline": 4.0},)):
        assert answer.elsewhere(matrix(*rows), "Offline", "tokens/s").value is None


def test_the_widest_step_is_a_claim() -> None:
    rows = matrix(FIRST, SECOND, BASE, BASE | {"accelerator": "L40S", "offline": 3000.0})
    assert answer.gap(rows, "Offline") == "The first 2 of 4 give 4.7 times what the next gives, or more"
    assert answer.gap(matrix(FIRST), "Offline") == "Fewer than two accelerators to rank"


def test_those_worth_more_than_twice_are_counted_without_the_baseline() -> None:
    rows = matrix(FIRST, SECOND, BASE, {"accelerator": "L4", "offline": 1.0, "worth": 2.0}, {"accelerator": "A30"})
    assert answer.worth_more(rows, "H100 SXM") == "2 of 3 are worth more than twice the price of H100 SXM"
    assert answer.worth_more(matrix(BASE), "H100 SXM") == "No accelerator can be priced against H100 SXM"


def test_the_record_is_told_by_its_rounds_rows_and_newest_day() -> None:
    days = {"round": ["v5.1", "v6.0"], "published": ["2025-09-09", "2026-04-01"], "closed": [1100, 400]}
    held = pd.DataFrame(days)
    said = "The record: MLPerf Inference v5.1 to v6.0, 2 rounds, 1,500 closed results; the newest of 1 April 2026."
    assert answer.record(held).sentence == said
    alone = answer.record(held.head(1).assign(published=""))
    assert alone.sentence == "The record: MLPerf Inference v5.1, 1,100 closed results."
    assert answer.record(held.head(0)).value is None


def test_how_many_ran_what_is_counted() -> None:
    finding = answer.known(matrix(FIRST, SECOND), "LLM")
    assert finding.sentence == (
        "LLM, of 2 accelerators the best system of the usual size, of the newest round with one: 2 ran Offline, 2 ran "
        "Server, 1 ran Interactive; power is metered for 1."
    )
    assert answer.known(matrix(), "LLM").value is None


def test_newcomers_are_named_by_their_rate() -> None:
    finding = answer.newcomers(("A2", "B300 SXM", "GB300"), matrix(FIRST, SECOND), "v6.0")
    assert finding.sentence == "3 new on sale in v6.0: GB300, B300 SXM and A2."
    assert answer.newcomers((), matrix(FIRST), "v6.0").sentence == "No accelerator is new on sale in v6.0."


def test_new_benchmarks_have_their_labels() -> None:
    assert answer.new_benchmarks(GAINS, "v6.0", label).sentence == "1 new data-center benchmark: Talk."
    none = answer.new_benchmarks(GAINS.head(2), "v6.0", label)
    assert (none.sentence, none.value) == ("No data-center benchmark is new in v6.0.", None)


def test_what_became_faster_is_counted() -> None:
    finding = answer.faster(GAINS, "v6.0")
    assert finding.sentence == (
        "The best result on sale rose on 1 of 2 benchmarks run before, 1.8 times; on 1 another accelerator leads, on 1 "
        "of these the one before was not filed again."
    )
    assert finding.value == Interval(1, 1)
    assert (
        answer.faster(GAINS.iloc[[1]], "v6.0").sentence
        == "The best result on sale rose on 0 of 1 benchmark run before."
    )
    assert answer.faster(GAINS.tail(1), "v6.0").value is None


def test_claims_of_changes_also_of_none() -> None:
    assert answer.gained_most(GAINS, label) == (
        "LLM gained most, 1.8 times, by another accelerator; with one leader in both rounds Scans, 0.9 times"
    )
    same = GAINS.assign(before=["B300 SXM", "L4", ""])
    assert answer.gained_most(same, label) == "LLM gained most, 1.8 times, with one leader in both rounds"
    assert answer.gained_most(GAINS.head(1), label).startswith("Another accelerator leads each benchmark")
    assert answer.gained_most(GAINS.tail(1), label) == "No benchmark was run in a round before"
    assert (answer.newest(GAINS), answer.newest(GAINS.head(0))) == ("v6.0", "the newest round")


def test_a_figure_has_ten_rows_of_one_rate_and_its_notes() -> None:
    many = [{"accelerator": f"A{place}", "offline": float(place)} for place in range(12)]
    shown = answer.drawn(matrix(*many, FIRST), "Offline")
    assert shown["accelerator"].tolist() == ["GB300", *(f"A{place}" for place in range(11, 2, -1))]
    assert shown["notes"].iloc[0] == {SIZE} and set(shown["software"]) == {"vLLM"}


def test_the_figure_of_worth_goes_base_by_base_and_leaves_out_the_baseline() -> None:
    """By the rate within a base, B300 before H200; the GB300 is the fastest and stands behind, over an older base."""
    h200 = {"accelerator": "H200 SXM", "offline": 4410.0, "worth": (1.1, 1.31)}
    shown = answer.drawn_worth(matrix(FIRST, SECOND, h200, BASE), IN_ROUNDS, "Offline", "H100 SXM")
    assert list(zip(shown["accelerator"], shown["over"], strict=True)) == [
        ("B300 SXM", "over H100 SXM of v5.1"), ("H200 SXM", "over H100 SXM of v5.1"),
        ("GB300", "over H100 SXM of v4.1"), ("H200 SXM", "over H100 SXM of v4.1"),
    ]  # fmt: skip
    assert answer.drawn_worth(matrix(BASE), IN_ROUNDS, "Offline", "H100 SXM").empty


def test_the_figure_of_changes_has_those_that_were_run_before() -> None:
    shown = answer.drawn_changes(GAINS, label)
    assert shown["what"].tolist() == ["LLM", "Scans"]
    assert shown["then"].tolist() == ["B300 SXM after B200 SXM, not filed again", "L4 after L4"]
    assert answer.drawn_changes(GAINS.tail(1), label).empty


def test_a_measure_that_none_has_is_no_column_and_each_base_has_one() -> None:
    """A worth of 1.1 over 3,900 and one of 1.31 over 3,070 stand in two columns."""
    heads = answer.headers(matrix(SECOND, BASE), IN_ROUNDS, "tokens/s", "token", "H100")
    columns = ["accelerator", "offline", "server", "joules", "worth_v5.1", "worth_v4.1", "accelerator_count", "round"]
    assert list(heads) == columns
    assert heads["joules"] == "Joules per token" and heads["offline"] == "Offline (tokens/s each)"
    assert heads["worth_v5.1"] == "Worth, times H100 of v5.1 (3,900 tokens/s)"
    alone = answer.headers(matrix(BASE), IN_ROUNDS.head(0), "tokens/s", "token", "H100")
    assert not [name for name in alone if name.startswith("worth")]
