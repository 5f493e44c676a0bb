"""The words of the quantization report, from small frames."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.answers import quantization_tradeoffs as answer
from analysis.core.findings import Finding, nothing
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.themes import quantization

Rows = Callable[..., pd.DataFrame]
NEW = {"accelerator": "B200 SXM", "round": "v6.0", "source_id": "mlcommons-v6.0"}
NAMES = {"H100 SXM": "H100", "B200 SXM": "B200"}
OTHERWISE = nothing("other", "times", "Otherwise.")


def name(part: str) -> str:
    return NAMES.get(part, part)


@pytest.fixture
def rows(comparable_rows: Rows) -> pd.DataFrame:
    """B200 at 150 at FP4 and 100 at FP8 in v6.0, H100 at 50 at FP8 and 40 at what nobody says in v4.1."""
    made = comparable_rows(
        NEW | {"precision": "fp4", "low": 1200.0, "notes": {note("inferred")}}, NEW | {"precision": "fp8"},
        {"precision": "fp8", "low": 400.0}, {"precision": "", "low": 320.0},
    )  # fmt: skip
    return made.assign(precision_basis="declared")


@pytest.fixture
def ran(rows: pd.DataFrame) -> pd.DataFrame:
    return quantization.by_precision(rows)


@pytest.fixture
def pairs(rows: pd.DataFrame) -> pd.DataFrame:
    return quantization.side_by_side(rows)


def test_the_answer_is_what_the_lower_precision_gives_on_one_accelerator(
    rows: pd.DataFrame, ran: pd.DataFrame, pairs: pd.DataFrame
) -> None:
    found = answer.gain(pairs, ran, "LLM Offline", name)
    assert found.headline == "On the same accelerator, a B200, FP4 gives 1.5 times FP8 (LLM Offline, v6.0)."
    assert (found.name, found.value, found.notes) == (
        "official_gain", Interval(1.5, 1.5), {note("inferred"), note("single", of="pair")}
    )  # fmt: skip
    assert found.sources == ["mlcommons-v6.0"]
    assert answer.rests_on(pairs, name) == ["B200: 1 at FP4 against 1 at FP8", "8 accelerators each"]
    sizes = answer.rests_on(pairs.assign(baseline_count=4), name)
    assert sizes[1] == "8 accelerators against 4"
    assert answer.behind(rows, pairs)["accelerator"].tolist() == ["B200 SXM", "B200 SXM"]
    other = rows.assign(precision=rows["precision"].replace({"fp8": "fp16"}))
    assert answer.behind(other, pairs)["precision"].tolist() == ["fp4"]
    assert len(answer.behind(rows, pairs.head(0))) == 4 and answer.rests_on(pairs.head(0), name) == []


def test_a_gain_over_another_submitter_says_so_and_is_of_all_its_systems(comparable_rows: Rows) -> None:
    """Two submitters at FP4, 110 and 102 each, beside one that ran FP8 alone, at 100."""
    made = comparable_rows(
        NEW | {"precision": "fp4", "low": 880.0, "submitter": "A", "system": "a"},
        NEW | {"precision": "fp4", "low": 816.0, "submitter": "B", "system": "b"},
        NEW | {"precision": "fp8", "low": 800.0, "submitter": "C", "system": "c"},
    )  # fmt: skip
    rows = made.assign(precision_basis="declared")
    pairs, ran = quantization.side_by_side(rows), quantization.by_precision(rows)
    found = answer.gain(pairs, ran, "LLM Offline", name)
    words = (
        "On a B200, FP4 gives 2 to 10 % more than FP8, but no submitter ran both alike (LLM Offline, v6.0, 2 systems)."
    )
    assert found.headline == words
    assert (found.value.low, found.value.high) == pytest.approx((1.02, 1.1))
    alone = answer.gain(quantization.side_by_side(rows.iloc[[0, 2]]), ran, "LLM Offline", name)
    assert alone.headline.endswith("10 % more than FP8, but no submitter ran both alike (LLM Offline, v6.0).")
    again = answer.under_other_choice(pairs, pairs, "LLM Server", name)
    assert again.headline == "No: FP4 gives 2 to 10 % more than FP8 on LLM Server too."


def test_without_two_precisions_the_answer_says_so(ran: pd.DataFrame, pairs: pd.DataFrame) -> None:
    none = answer.gain(pairs.head(0), ran.tail(2), "LLM Offline", name)
    assert (
        none.headline
        == "No accelerator has official results of LLM Offline at two precisions in one round (0 of 1 case)."
    )
    assert none.value is answer.gain(pairs.head(0), ran.head(0), "LLM", name).value is None


def price(*ends: tuple[str, float, float]) -> pd.DataFrame:
    """What is left at the stricter target, by benchmark, of two runs each."""
    frame = pd.DataFrame(ends, columns=["benchmark", "kept_low", "kept_high"])
    return frame.assign(systems=2, source_ids=[("s",)] * len(frame), notes=[NONE] * len(frame))


def test_what_accuracy_costs_here_follows(pairs: pd.DataFrame) -> None:
    rows = price(("llm", 0.984, 1.012), ("images", 0.5, 0.6))
    found = answer.follows(rows, "llm", OTHERWISE, str.upper)
    assert (
        found.headline
        == "On LLM, meeting 99.9 % accuracy in place of 99 % keeps 98 to 101 % of the throughput (2 runs at both)."
    )
    assert (found.value, found.sources) == (Interval(0.984, 1.012), ["s"])
    assert answer.follows(rows, "scan", OTHERWISE, str.upper) is OTHERWISE


def test_the_price_of_accuracy_is_told_from_the_dearest_to_the_cheapest() -> None:
    rows = price(("llm", 1.0, 1.0), ("images", 0.5, 0.6), ("scan", 0.9, 0.9))
    found = answer.accuracy(rows, str.upper)
    assert (
        found.headline == "At 99.9 % accuracy systems keep 50 to 60 % of their throughput on IMAGES, and 100 % on LLM."
    )
    assert found.value == Interval(0.5, 1.0)
    drawn = answer.accuracy_rows(rows, str.upper)
    assert (drawn["name"].tolist(), drawn["runs"].tolist()) == (["IMAGES", "SCAN", "LLM"], ["2 runs"] * 3)
    assert (
        answer.accuracy(rows.head(1), str).headline
        == "At 99.9 % accuracy systems keep 100 % of their throughput on llm."
    )
    ran = {"precision": ["fp8", "", "fp8"], "precision_loose": ["int8", "", "fp8"]}
    by_part = rows.assign(accelerator="B200 SXM", **ran)
    told = answer.accuracy_table(by_part, str.upper, name)
    assert told["precisions"].tolist() == ["", "FP8 and FP8", "FP8 and INT8"] and set(told["name"]) == {"B200"}
    half = answer.accuracy_table(by_part.assign(precision=""), str.upper, name)
    assert half["precisions"].tolist() == ["", "not stated and FP8", "not stated and INT8"]


def test_the_record_says_which_precision_ran_on_what(ran: pd.DataFrame) -> None:
    said = answer.official(ran, "LLM")
    words = "Of 4 official results of LLM, 3 say which precision ran: FP4 on 1 accelerator and FP8 on 2 accelerators."
    assert (said.headline, said.value) == (words, Interval(3, 3))
    unknown = answer.official(ran[ran["precision"].eq(quantization.UNKNOWN)], "LLM")
    assert unknown.headline == "Of 1 official result of LLM, 0 say which precision ran."
    assert answer.official(ran.head(0), "LLM").value is None


def test_the_figure_has_the_fastest_accelerators_in_their_newest_rounds(rows: pd.DataFrame, ran: pd.DataFrame) -> None:
    older = quantization.by_precision(rows.assign(round=["v5.1", "v6.0", "v4.1", "v4.1"], basis="other"))
    assert len(older) == 4
    drawn = answer.by_accelerator(ran, name)
    assert drawn[["name", "ran"]].to_numpy().tolist() == [
        ["B200", "FP4"], ["B200", "FP8"], ["H100", "FP8"], ["H100", "UNKNOWN"],
    ]  # fmt: skip
    later = pd.concat([ran, ran.head(1).assign(round="v5.1", basis="official v5.1", per_accelerator_high=900.0)])
    assert set(answer.by_accelerator(later, name)["round"]) == {"v6.0", "v4.1"}
    assert answer.ahead(drawn, "LLM") == "The fastest at FP4, a B200, gives 1.5 times the fastest at FP8, a B200."
    assert answer.ahead(drawn.iloc[[1, 2]], "LLM") == "2 accelerators of LLM ran FP8."
    assert answer.ahead(drawn.tail(1), "LLM") == "No precision is known of LLM."
    with pytest.MonkeyPatch.context() as fewer:
        fewer.setattr(answer, "DRAWN", 2)
        assert answer.by_accelerator(ran, name)["accelerator"].tolist() == ["B200 SXM", "B200 SXM"]


def test_pairs_on_all_benchmarks_are_counted_and_drawn_by_gain(pairs: pd.DataFrame) -> None:
    other = pairs.assign(benchmark="images", accelerator="H100 SXM", speedup_low=1.75, speedup_high=1.75)
    both = pd.concat([pairs, other], ignore_index=True)
    found = answer.everywhere(both, str.upper, name)
    assert found.sentence == (
        "Where one accelerator ran two precisions in one round, the lower gave 1.5 to 1.8 times the wider: 2 pairs "
        "on 2 benchmarks. Most on an H100, IMAGES Offline."
    )
    drawn = answer.pair_rows(both, str.upper, name)
    assert drawn["what"].tolist() == ["H100\nIMAGES", "B200\nLLM"]
    assert (drawn["over"].iloc[0], drawn["run"].iloc[0]) == ("FP4 over FP8", "Offline, v6.0")


def test_changes_of_precision_are_called_a_mix(rows: pd.DataFrame) -> None:
    both = rows.head(2).assign(round=["v6.0", "v5.1"], basis="official")
    moved = quantization.changed(both)
    found = answer.changed(moved, name)
    assert found.headline == (
        "In 1 case a submitter changed precision between two rounds and got 1.5 times as much, by software and "
        "precision together: B200."
    )
    told = answer.changed_rows(moved, str.upper, name).iloc[0]
    assert (told["benchmark"], told["name"], told["ran"]) == ("LLM", "B200", "FP8 to FP4")


def test_weights_are_told_by_number_of_accelerators() -> None:
    held = pd.DataFrame({"accelerator": "H100 SXM", "precision": ["fp16", "fp8", "int4"], "needed": [2, 1, 1]})
    found = answer.fit(held, "H100 SXM", "LLM", name)
    assert found.headline == "The weights of LLM need 2 H100s at FP16 and 1 H100 at FP8 and INT4."
    assert found.value == Interval(1, 2)


def test_accelerators_that_hold_the_weights_alone_are_told_of_how_many() -> None:
    held = pd.DataFrame({"accelerator": ["small", "large", "largest"], "memory_gb": [24.0, 80.0, 192.0]})
    held = held.assign(precision="fp8", needed=[3, 1, 1])
    found = answer.fit_everywhere(held, "LLM", name)
    assert found.headline == "At a byte a weight, 2 of 3 accelerators hold it alone, from 80 GB (large) up."
    assert answer.fit_everywhere(held.head(1), "LLM", name).headline.startswith(
        "At a byte a weight, 0 of 1 accelerators"
    )
    wide = answer.held_rows(held, name)
    assert (wide["name"].tolist(), wide["fp8"].tolist()) == (["largest", "large", "small"], [1, 1, 3])


def test_the_other_scenario_is_set_against_the_answer(pairs: pd.DataFrame) -> None:
    def under(there: pd.DataFrame, here: pd.DataFrame) -> Finding:
        return answer.under_other_choice(there, here, "LLM Server", name)

    assert under(pairs, pairs).headline == "No: FP4 gives 1.5 times FP8 on LLM Server too."
    faster = pairs.assign(pairs_low=2.0, pairs_high=2.0)
    assert under(faster, pairs).headline == "Yes: FP4 gives 2 times FP8 on LLM Server, against 1.5 times above."
    assert under(pairs, pairs.head(0)).headline == "Yes: FP4 gives 1.5 times FP8 on LLM Server."
    assert under(pairs.head(0), pairs).value is None


def test_gains_that_round_alike_are_told_as_they_are(pairs: pd.DataFrame) -> None:
    """Both are `1 to 1.1` in two digits: the answer stands, as the ranges meet, but the gain is not the same `too`."""
    here, there, more = (pairs.assign(pairs_low=low, pairs_high=high)
                         for low, high in ((1.024, 1.061), (1.0244, 1.0752), (1.062, 1.099)))  # fmt: skip
    own = answer.under_other_choice(there, here, "LLM Server", name).headline
    assert own == "No: FP4 gives 2.4 to 7.5 % more than FP8 on LLM Server, against 2.4 to 6.1 % above."
    apart = answer.under_other_choice(more, here, "LLM Server", name).headline
    assert apart == "Yes: FP4 gives 6.2 to 9.9 % more than FP8 on LLM Server, against 2.4 to 6.1 % above."
    moved = answer.under_other_choice(there.assign(accelerator="L40S"), here, "LLM Server", name).headline
    assert "more than FP8 on an L40S, LLM Server, against" in moved and len(moved.split()) <= 25


def test_nothing_to_say_is_said(comparable_rows: Rows) -> None:
    rows = comparable_rows()
    ran, pairs, moved = (
        made(rows) for made in (quantization.by_precision, quantization.side_by_side, quantization.changed)
    )
    left = quantization.price_of_accuracy(rows, rows, by=())
    held = pd.DataFrame({"accelerator": [], "memory_gb": [], "precision": [], "needed": []})
    found = [
        answer.gain(pairs, ran, "LLM", name),
        answer.everywhere(pairs, str, name),
        answer.official(ran, "LLM"),
        answer.changed(moved, name),
        answer.accuracy(left, str),
        answer.fit(held, "H100 SXM", "LLM", name),
        answer.fit_everywhere(held, "LLM", name),
        answer.under_other_choice(pairs, pairs, "LLM", name),
    ]
    assert {own.value for own in found} == {None} and len({own.name for own in found}) == 8
    empty = [
        answer.by_accelerator(ran, name),
        answer.pair_rows(pairs, str, name),
        answer.changed_rows(moved, str, name),
    ]
    empty += [answer.accuracy_rows(left, str), answer.held_rows(held, name), answer.in_words(ran, name)]
    assert [len(frame) for frame in empty] == [0] * len(empty)
