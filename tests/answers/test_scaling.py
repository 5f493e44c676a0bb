"""The words of the scaling report: what larger systems keep, what others reach, and where there is nothing to say."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.answers import scaling as answer
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.themes import system_sizes

Rows = Callable[..., pd.DataFrame]
TWO = {"accelerator_count": 16, "low": 1520.0}
OTHERS = [{"submitter": name, "low": low} for name, low in {"a": 640.0, "b": 800.0, "c": 820.0}.items()]
VENDORS = pd.DataFrame({"accelerator": ["H100 SXM"], "vendor": ["NVIDIA"]})


def named(name: str) -> str:
    return {"H100 SXM": "H100", "llm": "LLM"}.get(name, name)


def frames(rows: pd.DataFrame, nodes: list[int]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The rows compared, their steps in size and groups of like systems."""
    compared = system_sizes.compared(rows.assign(nodes=nodes, framework="TensorRT"))
    return compared, system_sizes.grown(compared), system_sizes.spread(compared, VENDORS)


@pytest.fixture
def whole(comparable_rows: Rows) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """NVIDIA's 16 keep 95 %; of three others the median is NVIDIA's own 100, the slowest has 80 % of it."""
    rows = comparable_rows({"submitter": "NVIDIA"}, {"submitter": "NVIDIA"} | TWO, *OTHERS)
    return frames(rows, [1, 2, 1, 1, 1])


def test_the_answer_says_what_is_kept_and_what_others_reach(whole: tuple) -> None:
    _, steps, groups = whole
    found = answer.answer(steps, groups, "LLM Offline")
    said = "On LLM Offline, systems of up to 16 keep 95 % per accelerator"
    assert found.headline == f"{said} (1 step); the median of others is 100 % of the vendor's."
    assert found.value == Interval(0.95, 0.95)
    assert found.values["vendor over others, median"][0] == Interval(1.0, 1.0)
    longer = answer.answer(steps, groups, "a name of some ten words that leave little room").headline
    said = "systems of up to 16 keep 95 % per accelerator (1 step)."
    assert longer == f"a name of some ten words that leave little room: {said}"


def test_what_follows_plans_larger_systems_and_names_the_slowest(whole: tuple) -> None:
    _, steps, groups = whole
    assert answer.follows(steps, groups, named).headline == (
        "So plan larger systems at 95 %, the least kept in 1 step of one submitter each on 1 benchmark, and ask a "
        "supplier for its own result: the slowest of 3 gave 80 % of the median H100 system."
    )


def test_two_that_lie_further_apart_than_the_answer_s_group_are_told(whole: tuple) -> None:
    _, steps, groups = whole
    assert answer.follows(steps, groups, named).more == ""
    pair = groups.head(1).assign(submitters=2, others_low=0.4, others_high=1.6, accelerator="L40S")
    found = answer.follows(steps, pd.concat([groups, pair], ignore_index=True), named)
    assert found.value == Interval(0.8, 0.8)
    assert found.more == "Of 2 with a like L40S one gave 25 % of the other."


def test_a_larger_system_is_planned_at_the_least_of_every_benchmark(whole: tuple) -> None:
    """Steps inside one box, and those of different submitters, do not count."""
    _, steps, groups = whole
    other = steps.assign(benchmark="images", kept_low=0.85)
    small = other.assign(kept_low=0.5, layout=system_sizes.BOX)
    nobody = other.assign(kept_low=0.6, submitters=0)
    found = answer.follows(steps, groups, named, pd.concat([steps, other, small, nobody]))
    assert found.headline.startswith(
        "So plan larger systems at 85 %, the least kept in 2 steps of one submitter each on 2 benchmarks, and ask"
    )


def test_close_suppliers_are_chosen_by_price(comparable_rows: Rows) -> None:
    _, steps, groups = frames(comparable_rows(*[row | {"low": 800.0} for row in OTHERS]), [1, 1, 1])
    assert answer.follows(steps, groups, named).headline == (
        "So choose a supplier by price: the slowest of 3 gave 100 % of the median H100 system."
    )


def test_boxes_alone_are_said_to_be_boxes(comparable_rows: Rows) -> None:
    _, steps, groups = frames(comparable_rows({}, {"accelerator_count": 4, "low": 320.0}), [1, 1])
    assert answer.answer(steps, groups, "LLM").headline == (
        "On LLM, larger boxes keep 125 % per accelerator, in 1 step by one submitter."
    )
    assert answer.follows(steps, groups, named).headline.startswith("So ask a supplier")
    assert answer.everywhere(steps).value is None


def test_steps_of_several_submitters_do_not_answer(comparable_rows: Rows) -> None:
    _, steps, groups = frames(comparable_rows({}, TWO | {"submitter": "Other"}), [1, 2])
    assert len(steps) == 1 and answer.beyond(steps).empty
    found = answer.answer(steps, groups, "LLM")
    assert found.value is None and "nobody filed a system like the vendor's" in found.headline


def test_without_sizes_the_vendor_is_still_set_beside_others(comparable_rows: Rows) -> None:
    _, steps, groups = frames(comparable_rows({"submitter": "NVIDIA", "low": 1000.0}, *OTHERS), [1] * 4)
    found = answer.answer(steps, groups, "LLM")
    assert found.headline == (
        "On LLM no submitter filed one accelerator in two sizes; others' median is 80 % of the vendor's."
    )


def test_nothing_gets_one_sentence_each(comparable_rows: Rows) -> None:
    rows, steps, groups = frames(comparable_rows(), [])
    found = [
        answer.answer(steps, groups, "LLM"), answer.follows(steps, groups, named), answer.everywhere(steps),
        answer.sizes(rows, steps, "tokens/s", named, "LLM"), answer.others(groups, "LLM"),
        answer.others_everywhere(groups), answer.under_other_choice(steps, steps, "LLM Server"),
    ]  # fmt: skip
    assert [each.value for each in found] == [None] * len(found)
    assert answer.grown_rows(steps, named, named).empty and answer.spread_rows(groups, named, named).empty


def test_titles_of_figures_say_what_they_show(whole: tuple) -> None:
    rows, steps, groups = whole
    drawn = answer.size_rows(system_sizes.by_size(rows), steps, named)
    assert answer.sizes(drawn, steps, "tokens/s", named, "LLM").headline == (
        "The largest that ran LLM in v4.1, 16 H100, gives 95 tokens a second each: 95 % of one among 8."
    )
    assert answer.everywhere(steps).headline == (
        "On 1 benchmark racks and clusters keep 95 % per accelerator, in 1 step by one submitter."
    )
    assert answer.others(groups, "LLM").headline == (
        "Vendors' own results lie from 0 % above to 0 % above the median of others, in 1 group."
    )
    assert answer.rests_on(steps, groups) == ["1 step in size", "1 group of like systems"]


def test_a_vendor_below_and_above_is_told_in_per_cent(whole: tuple) -> None:
    groups = pd.concat([whole[2].assign(own_low=0.979, own_high=0.979), whole[2].assign(own_low=1.52, own_high=1.52)])
    assert answer.others(groups, "LLM").headline == (
        "Vendors' own results lie from 2.1 % below to 52 % above the median of others, in 2 groups."
    )
    assert answer.others(groups.assign(own_low=None, own_high=None), "LLM").headline == (
        "No vendor filed these itself; submitters lie from 20 % below to 2.5 % above their median."
    )


@pytest.mark.parametrize(("low", "said"), [(1500.0, "No: on LLM Server"), (1200.0, "Yes: on LLM Server")])
def test_another_scenario_changes_the_answer_where_less_is_kept(
    comparable_rows: Rows, whole: tuple, low: float, said: str
) -> None:
    _, there, _ = frames(comparable_rows({}, TWO | {"low": low}), [1, 2])
    found = answer.under_other_choice(whole[1], there, "LLM Server").headline
    assert found.startswith(said)
    assert ("least from 8 to 16" in found) == said.startswith("Yes")


def test_the_size_that_is_drawn_is_no_note(comparable_rows: Rows) -> None:
    size, small = note("another_size", count=16, usual=8), note("preview")
    rows, steps, _ = frames(comparable_rows({}, TWO | {"notes": frozenset({size, small})}), [1, 2])
    assert answer.size_rows(system_sizes.by_size(rows), steps, named)["notes"].tolist() == [NONE, {small}]


def test_a_figure_has_ten_accelerators_those_of_several_sizes_first(comparable_rows: Rows) -> None:
    fast = [{"accelerator": f"A{place}", "low": 8000.0 + place} for place in range(12)]
    rows, steps, _ = frames(comparable_rows({}, TWO, *fast), [1, 2, *[1] * 12])
    drawn = answer.size_rows(system_sizes.by_size(rows), steps, named)
    assert set(drawn["name"]) == {"H100", *(f"A{place}" for place in range(3, 12))}


def test_rows_of_tables_are_in_words_the_largest_first(whole: tuple) -> None:
    _, steps, groups = whole
    drawn = answer.grown_rows(steps, named, named)
    assert answer.shown_of(drawn, drawn) == "" and answer.shown_of(drawn.head(0), drawn) == ", the newest 0 of 1"
    (row,) = drawn.to_dict("records")
    assert [row[name] for name in ("name", "at", "kept_low", "own", "beyond")] == [
        "H100, 8 to 16", "LLM, v4.1", pytest.approx(95.0), True, True
    ]  # fmt: skip
    (row,) = answer.spread_rows(groups, named, named).to_dict("records")
    assert [row[name] for name in ("name", "note", "others_median")] == ["H100 8x, v4.1", "3 others", 1.0]
