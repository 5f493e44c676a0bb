"""The words of the progress report: what software and new accelerators added, and where there is nothing to say."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.answers import progress as answer
from analysis.core.findings import Finding
from analysis.core.interval import Interval
from analysis.core.notes import SINGLE, note
from analysis.themes import advances

Rows = Callable[..., pd.DataFrame]
OLD, NEW = ({"round": name, "source_id": f"mlcommons-{name}"} for name in ("v4.0", "v4.1"))
B200, OTHER = {"accelerator": "B200 SXM"}, {"submitter": "Other"}
ROUNDS = pd.DataFrame({"round": ["v4.0", "v4.1", "v5.0"], "published": ["2024-03-27", "2024-08-28", ""]})
CLAIM = {
    "source_id": "doc", "suite": "", "bound": "", "subject_accelerator": "H100 SXM", "round": "v4.1", "low": 1.15,
    "baseline_round": "v4.0", "benchmark": "llm", "scenario": "Offline", "submitter": "ACME", "high": 1.25,
}  # fmt: skip


def named(name: str) -> str:
    return {"H100 SXM": "H100", "B200 SXM": "B200", "llm": "LLM", "young": "Young"}.get(name, name)


def frames(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Parts, the best, and the pairs of these rows."""
    best, pairs = advances.best(rows), advances.pairs(advances.on_sale(rows))
    return advances.parts(best, pairs), best, pairs


def follows(parts: pd.DataFrame, pairs: pd.DataFrame, everywhere: pd.DataFrame | None = None) -> Finding:
    """What follows, where no other benchmark is known unless `everywhere` has its pairs."""
    known = pairs if everywhere is None else everywhere
    return answer.follows(parts, pairs, advances.gains(known, advances.STEP), named)


@pytest.fixture
def two_rounds(comparable_rows: Rows) -> pd.DataFrame:
    """H100 gained 1.25 by software; B200 leads with 3 times."""
    return comparable_rows(OLD, NEW | {"low": 1000.0}, NEW | B200 | {"low": 2400.0})


def test_the_answer_sets_software_beside_new_accelerators(two_rounds: pd.DataFrame) -> None:
    found = answer.answer(*frames(two_rounds), "LLM Offline")
    said = "Since v4.0, software alone made the same accelerator 1.2 times as fast on LLM Offline; new accelerators "
    assert found.headline == f"{said}gave another 2.4 times."
    assert found.value == Interval(1.25, 1.25)
    assert found.values["new accelerator"][0] == Interval(pytest.approx(2.4), pytest.approx(2.4))
    assert found.values["total"][0].low == pytest.approx(3.0)
    assert list(found.sources) == ["mlcommons-v4.0", "mlcommons-v4.1"]


def test_an_unstated_precision_is_no_matter_of_the_answer(comparable_rows: Rows) -> None:
    unstated = {"notes": frozenset({note("precision_unstated")})}
    rows = comparable_rows(OLD | unstated, NEW | unstated)
    assert answer.answer(*frames(rows), "LLM Offline").notes == frozenset()


@pytest.mark.parametrize(
    ("low", "said"),
    [
        (1600.0, "made the same accelerator 2.0 times as fast on LLM Offline; no new accelerator took the lead."),
        (840.0, "made the same accelerator 5.0 % faster on LLM Offline; no new accelerator took the lead."),
        (805.0, "made the same accelerator no faster on LLM Offline; no new accelerator took the lead."),
        (760.0, "made the same accelerator 5.3 % slower on LLM Offline; no new accelerator took the lead."),
    ],
)
def test_a_gain_is_told_in_times_in_per_cent_or_as_none(comparable_rows: Rows, low: float, said: str) -> None:
    found = answer.answer(*frames(comparable_rows(OLD, NEW | {"low": low})), "LLM Offline")
    assert found.headline.replace("2 times", "2.0 times").replace("5 %", "5.0 %").endswith(said)


def test_what_is_mixed_is_said_with_the_answer(comparable_rows: Rows) -> None:
    rows = comparable_rows(OLD, NEW | {"low": 1000.0}, NEW | OTHER | {"low": 1200.0})
    found = answer.answer(*frames(rows), "LLM Offline")
    assert found.headline.endswith("no new accelerator took the lead, 1.2 times is mixed.")
    long = answer.answer(*frames(rows), "Stable Diffusion XL of some longer name Offline")
    assert long.headline.endswith("name Offline, new accelerators nothing; 1.2 times is mixed.")
    assert len(long.headline.split()) <= 25


LAST = {"round": "v5.1", "source_id": "mlcommons-v5.1"}


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ({}, "on LLM Offline software gave 1.5 times (in 2 steps); no new accelerator took the lead."),
        (B200, "on LLM Offline software gave 1.5 times (in 2 steps, on changing accelerators); new accelerators gave"),
    ],
)
def test_steps_are_multiplied_and_the_answer_says_whether_any_accelerator_ran_them_all(
    comparable_rows: Rows, last: dict, said: str
) -> None:
    """H100 gains 1.25, then what ran next another 1.2: no accelerator became 1.5 times as fast unless it ran both."""
    second = [NEW | last | {"low": 1200.0}] * bool(last)
    rows = comparable_rows(OLD, NEW | {"low": 1000.0}, *second, LAST | last | {"low": 1440.0 if last else 1200.0})
    parts, best, pairs = frames(rows)
    found = answer.answer(parts, best, pairs, "LLM Offline")
    assert found.headline.startswith(f"Since v4.0, {said}")
    assert "same accelerator" not in found.headline and len(found.headline.split()) <= 25
    assert answer.history(parts, pairs, "LLM").headline.endswith("software in 2 steps gave 1.5 times.")
    long = answer.answer(parts, best, pairs, "Stable Diffusion XL of some much longer name Offline")
    assert ("in 2 steps, new accelerators" in long.headline) == bool(last) and len(long.headline.split()) <= 25


def test_pairs_that_changed_precision_are_counted(comparable_rows: Rows) -> None:
    other = {"accelerator": "L40S"}
    rows = comparable_rows(OLD | {"precision": "int8"}, NEW, OLD | other | {"precision": ""}, NEW | other)
    told = answer.rests_on(frames(rows)[2])
    assert told == ["2 pairs of one submitter and size", "1 of them changed precision"]


def test_without_pairs_software_is_not_told_apart(comparable_rows: Rows) -> None:
    rows = comparable_rows(OLD, NEW | B200 | OTHER | {"low": 1600.0})
    parts, best, pairs = frames(rows)
    found = answer.answer(parts, best, pairs, "LLM Offline")
    assert found.headline == (
        "Since v4.0 the best LLM Offline result became 2 times as fast; without pairs of one submitter, software "
        "cannot be told apart."
    )
    assert found.about == "mixed"
    assert follows(parts, pairs).headline.startswith("So compare within one round only")
    assert answer.rests_on(pairs) == ["no pair of one submitter"]
    assert "cannot be told apart" in answer.largest(parts, "LLM").headline
    assert "cannot be told apart" in answer.history(parts, pairs, "LLM").headline


def test_one_round_or_none_gets_one_sentence(comparable_rows: Rows) -> None:
    parts, best, pairs = frames(comparable_rows(OLD))
    assert answer.answer(parts, best, pairs, "LLM").headline.startswith("v4.0 alone has a result on sale for LLM")
    none = frames(comparable_rows())
    assert answer.answer(*none, "LLM").headline.startswith("No round has a result on sale for LLM")
    assert follows(parts, pairs).value is None
    assert answer.grown(none[1], "tokens/s", "LLM", named).headline == "The record has no result on sale for LLM."
    for found in (answer.largest(parts, "LLM"), answer.history(parts, pairs, "LLM")):
        assert found.headline.startswith("LLM has one round on sale or none")
    assert answer.everywhere(advances.gains(pairs, advances.STEP), pairs, named).value is None
    assert answer.under_other_choice(parts, parts, "LLM Server").value is None
    assert all(frame.empty for frame in answer.grid_frames(advances.gains(pairs, advances.STEP), named))


@pytest.mark.parametrize(
    ("low", "said"),
    [
        (800.0, "So buy for what an accelerator gives today: software of v4.1 added nothing on LLM (one pair)."),
        (840.0, "So buy for what an accelerator gives today: software of v4.1 added 5 % on LLM (one pair)."),
        (1200.0, "So judge by v4.1 alone: on LLM its software added 50 % (one pair)."),
    ],
)
def test_what_follows_depends_on_the_newest_gain(comparable_rows: Rows, low: float, said: str) -> None:
    parts, _, pairs = frames(comparable_rows(OLD, NEW | {"low": low}))
    assert follows(parts, pairs).headline == said


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            1360.0,
            "So judge by the model: software of v4.1 added nothing on LLM (one pair), but gave 1.7 times on Young",
        ),
        (
            840.0,
            "So buy for what an accelerator gives today: software of v4.1 added nothing on LLM (one pair), at most",
        ),
    ],
)
def test_what_follows_is_not_said_of_models_that_gained(comparable_rows: Rows, other: float, said: str) -> None:
    young = {"benchmark": "young"}
    rows = comparable_rows(OLD, NEW, OLD | young, NEW | young | {"low": other})
    parts, _, pairs = frames(rows[rows["benchmark"].eq("llm")])
    found = follows(parts, pairs, advances.pairs(rows))
    assert found.headline.startswith(said) and len(found.headline.split()) <= 25
    assert found.values["most elsewhere: Young"][0].low == pytest.approx(other / 800.0)


def test_titles_of_figures_say_what_they_show(two_rounds: pd.DataFrame) -> None:
    parts, best, pairs = frames(two_rounds)
    assert answer.grown(best, "tokens/s", "LLM", named).headline == (
        "LLM: B200 leads v4.1 with 300 tokens a second per accelerator; H100 led v4.0 with 100."
    )
    assert answer.largest(parts, "LLM").headline == "v4.0 to v4.1 added most: 3 times in all, 1.2 times by software."
    assert answer.history(parts, pairs, "LLM").headline == (
        "LLM over 2 rounds: 3 times in all; software gave 1.2 times."
    )
    gains = advances.gains(pairs, advances.STEP)
    assert answer.everywhere(gains, pairs, named).headline == (
        "In 0 of 1 steps software added at most 10 % in the median; most on LLM, 1.2 times by v4.1."
    )
    (step,) = answer.steps(gains)
    assert step.name == "software_v4_1"
    assert step.headline.startswith("From v4.0 to v4.1 software gave 1.2 times in the median of 1 pair, 1.2 between")


def test_another_scenario_changes_the_answer_where_the_greater_part_does(comparable_rows: Rows) -> None:
    hardware = frames(comparable_rows(OLD, NEW | {"low": 1000.0}, NEW | B200 | {"low": 2400.0}))[0]
    software = frames(comparable_rows(OLD, NEW | {"low": 2400.0}, NEW | B200 | {"low": 2880.0}))[0]
    same = answer.under_other_choice(hardware, hardware, "LLM Server").headline
    assert same == "No: on LLM Server software gave 1.2 times, new accelerators 2.4 times."
    assert answer.under_other_choice(hardware, software, "LLM Server").headline.startswith("Yes: on LLM Server")


def test_stated_gains_name_the_size_that_bears_them_out(comparable_rows: Rows) -> None:
    one = {"accelerator_count": 1}
    rows = comparable_rows(OLD, NEW | {"low": 880.0}, OLD | one | {"low": 100.0}, NEW | one | {"low": 120.0})
    judged = advances.claimed(pd.DataFrame([CLAIM]), advances.pairs(rows))
    found = answer.claims(judged, 3, named)
    assert found.value == Interval(1, 1)
    assert found.headline == (
        "The record bears out 1 of 1 stated software gains that it can judge, of 3; ACME's 1.2 times on LLM only for "
        "one accelerator: systems of 8 gained 1.1."
    )
    (row,) = answer.claim_rows(judged, named, named).to_dict("records")
    assert (row["said_of"], row["step"], row["borne"]) == ("H100 LLM Offline", "v4.0 to v4.1", "1x")
    assert answer.claims(judged.head(0), 3, named).value is None


def test_lines_have_leaders_first_and_days(comparable_rows: Rows) -> None:
    """Of those of the newest round the fastest stay, whether they led or not; a round without a day is left out."""
    many = [NEW | {"accelerator": f"A{place}", "low": 1000.0 + place} for place in range(12)]
    rows = comparable_rows(OLD, NEW, NEW | B200 | {"low": 9000.0}, {"round": "v5.0"} | B200, *many)
    lines = answer.lines(advances.best(rows.assign(framework="TensorRT")), ROUNDS, named)
    assert len(set(lines["accelerator"])) == answer.LINES
    assert {"H100", "B200", "A11", "A8"} <= set(lines["name"]) and "A0" not in set(lines["name"])
    assert answer.of_how_many(lines, advances.best(rows)) == "10 of 14 accelerators"
    assert answer.of_how_many(lines, lines) == "10 accelerators"
    assert lines["when"].unique().tolist() == ["v4.0\n2024", "v4.1\n2024"]


def test_rows_of_figures_and_tables_are_in_words(two_rounds: pd.DataFrame) -> None:
    parts, _, pairs = frames(two_rounds)
    told = answer.part_rows(parts, named)
    assert told[["step", "note"]].values.tolist() == [["v4.0 to v4.1", "1 pair"], ["v4.0 to v4.1", "H100 to B200"]]
    (row,) = answer.pair_rows(pairs, named, named).to_dict("records")
    assert [row[name] for name in ("benchmark", "step", "accelerator", "precisions")] == [
        "LLM", "v4.0 to v4.1", "H100", "FP8"
    ]  # fmt: skip
    gains = answer.gain_rows(advances.gains(pairs, advances.STEP), named)
    assert gains[["benchmark", "step"]].values.tolist() == [["LLM", "v4.0 to v4.1"]]


def test_the_grid_has_what_moved_most_then_the_newest_the_oldest_on_top() -> None:
    names = [f"b{place}" for place in range(12)]
    later = ["v2.1", "v4.0", *["v6.0"] * 10]
    gains = pd.DataFrame(
        {"benchmark": names, "later": later, "gain_median": [3.0, *[1.0] * 11], "pairs": [1, 9, *range(10)]}
    )
    values, words, cells = answer.grid_frames(gains, str.upper)
    assert (len(values), values.index[0], list(values.columns)) == (answer.GRID, "B0", ["v2.1", "v6.0"])
    assert "B1" not in values.index and "B2" not in values.index
    assert words.at["B0", "v2.1"] == f"3{SINGLE}" and words.at["B0", "v6.0"] == ""
    row = cells.set_index("label").loc["B0"]
    assert (row["later"], row["of"]) == ("v2.1", "1 pair") and {own.code for own in row["notes"]} == {"single"}
    assert words.at["B11", "v6.0"] == "1" and cells.set_index("label").at["B11", "of"] == "median of 9 pairs"
    assert len(cells) == words.ne("").sum(axis=None)
