"""The words of the generational speedup report, from small frames."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.answers import generational_speedup as answer
from analysis.answers import words
from analysis.compare import gate
from analysis.core.findings import MOST_WORDS, Finding
from analysis.core.interval import Interval
from analysis.core.notes import NONE, SIGN, SINGLE, note
from analysis.themes import speedup

LONE = frozenset({note("single", of="system"), note("single_base", accelerator="H100 SXM", round="v4.1")})

Rows = Callable[..., pd.DataFrame]
BASE = "H100 SXM"
NEW = {"accelerator": "B200 SXM"}
PREVIEW = frozenset({note("preview", round="v4.1")})
OLD, LATER = {"round": "v5.1", "source_id": "mlcommons-v5.1"}, {"round": "v6.0", "source_id": "mlcommons-v6.0"}
LABELS = pd.DataFrame({"accelerator": [BASE, "B200 SXM", "B300 SXM"], "label": ["H100", "B200", "B300"]})
NAME = words.called(LABELS)
EMPTY = speedup.over_baseline(pd.DataFrame(columns=["benchmark", "scenario", "basis", "accelerator"]), "")


@pytest.fixture
def speedups(comparable_rows: Rows) -> pd.DataFrame:
    """B200 at FP4 at 2 to 2.5 times H100, L40S at a quarter of it."""
    fast = NEW | {"low": 1600.0, "high": 2000.0, "precision": "fp4", "notes": {note("inferred")}}
    return speedup.over_baseline(comparable_rows({}, fast, {"accelerator": "L40S", "low": 200.0}), BASE)


@pytest.mark.parametrize(
    ("name", "one", "many"),
    [("H100", "an H100", "H100s"), ("B200", "a B200", "B200s"), ("L40S", "an L40S", "L40S"),
     ("Arc Pro B70", "an Arc Pro B70", "Arc Pro B70s"), ("Gaudi2", "a Gaudi2", "Gaudi2s"), ("TPU v5e", "a TPU v5e",
     "TPU v5es"), ("MI300X", "an MI300X", "MI300Xs"), ("Xeon 6980P", "a Xeon 6980P", "Xeon 6980Ps")],
)  # fmt: skip
def test_accelerators_are_spoken_of_one_and_many(name: str, one: str, many: str) -> None:
    assert (words.with_article(name), words.many_of(name)) == (one, many)
    assert words.opening(one) == f"A{one[1:]}"


def test_people_s_names_are_labels_where_there_are_any() -> None:
    unnamed = words.called(LABELS.assign(label=["H100", "", "B300"]))
    assert [unnamed(part) for part in (BASE, "B200 SXM", "XPU")] == ["H100", "B200 SXM", "XPU"]


def test_the_first_sentence_that_fits_is_said_else_the_last() -> None:
    long, short = "a " * (MOST_WORDS + 1), "a " * MOST_WORDS
    assert (words.fitting(long, short, "b"), words.fitting(short, "b"), words.fitting(long)) == (short, short, long)


def answered(rows: pd.DataFrame) -> tuple[Finding, Finding]:
    """The answer and what follows from it."""
    speedups = speedup.over_baseline(rows, BASE, rows)
    lead = speedup.leader(speedups, BASE)
    covered = speedup.rounds_covered(rows, speedups, BASE)
    follows = answer.follows(lead, speedup.later(speedups, lead, BASE), speedups, BASE, covered, NAME)
    return answer.fastest(lead, BASE, "LLM Offline", NAME), follows


def test_the_answer_says_how_much_work_the_leader_does(comparable_rows: Rows) -> None:
    rows = comparable_rows({}, NEW | {"low": 2632.0, "precision": "fp4", "notes": {note("inferred")}})
    found, follows = answered(rows)
    assert found.headline == "A B200 on sale does the work of 3.3 H100s on LLM Offline (v4.1; FP4 against FP8)."
    assert (found.name, found.value, found.unit) == ("fastest", Interval(3.29, 3.29), answer.TIMES)
    assert (found.sources, found.notes) == (["mlcommons-v4.1"], {note("inferred"), *LONE})
    assert follows.headline == "No other accelerator on sale stands beside an H100 in v4.1."
    lead = speedup.leader(speedup.over_baseline(rows, BASE), BASE)
    assert answer.rests_on(lead, BASE, NAME) == ["B200 FP4 against H100 FP8", "8 accelerators each"]
    other = lead.to_dict() | {"precision": "", "baseline_count": 32}
    assert answer.rests_on(other, BASE, NAME) == ["8 accelerators against 32"]
    assert answer.rests_on(None, BASE, NAME) == []
    over = other | {"through": "v5.1"}
    assert answer.rests_on(over, BASE, NAME) == ["8 accelerators against 32", "over a bridge through v5.1"]


def test_a_newer_round_over_a_bridge_follows(comparable_rows: Rows) -> None:
    rows = comparable_rows(
        OLD, OLD | NEW | {"low": 2400.0}, LATER | NEW | {"low": 2400.0},
        LATER | {"accelerator": "B300 SXM", "low": 3000.0},
    )  # fmt: skip
    found, follows = answered(rows)
    assert found.headline == "A B200 on sale does the work of 3 H100s on LLM Offline (v5.1; both FP8)."
    assert follows.headline == "v6.0 has no H100; by accelerators that ran in both rounds, a B300 does the work of 3.8."
    assert (follows.name, follows.value) == ("through_a_bridge", Interval(3.75, 3.75))


def test_those_beside_the_leader_follow_and_previews_do_not(comparable_rows: Rows) -> None:
    ahead = {"accelerator": "GB200", "low": 9000.0, "availability": "preview", "notes": PREVIEW}
    rows = comparable_rows({}, NEW | {"low": 2400.0}, {"accelerator": "MI355X", "low": 1600.0}, ahead)
    assert answered(rows)[1].headline == "Beside it stands an MI355X at 2 times."


def test_nothing_faster_than_the_baseline_is_said(comparable_rows: Rows) -> None:
    found, _ = answered(comparable_rows({}, {"accelerator": "L40S", "low": 200.0}))
    said = "No accelerator on sale beats an H100 on LLM Offline: it does the work of 4 L40S (v4.1; both FP8)."
    assert (found.headline, found.value) == (said, Interval(0.25, 0.25))


def test_a_document_answers_without_a_record_and_says_whose_it_is(comparable_rows: Rows) -> None:
    paper = {"origin": "published", "source": "Paper", "availability": ""}
    found, _ = answered(comparable_rows(paper, paper | NEW | {"low": 9000.0}))
    assert found.headline == "A B200 does the work of 11 H100s on LLM Offline (Paper; both FP8)."


def test_a_long_answer_goes_without_its_precisions(speedups: pd.DataFrame) -> None:
    lead = speedup.leader(speedups, BASE)
    found = answer.fastest(lead, BASE, "A Benchmark That Is Named In Nine Words Offline", NAME)
    assert len(found.headline.split()) <= MOST_WORDS and found.headline.endswith("Offline (v4.1).")


def test_where_nothing_stands_beside_it_other_baselines_are_named(comparable_rows: Rows) -> None:
    found, follows = answered(comparable_rows({}, LATER | NEW, LATER | {"accelerator": "B300 SXM"}))
    assert found.headline == "No comparable figure sets another accelerator beside an H100 on LLM Offline."
    assert follows.headline == "Baselines to choose in v6.0: B200 and B300."
    assert (found.value, follows.value) == (None, None)


def test_rounds_without_the_baseline_are_told(comparable_rows: Rows) -> None:
    last = {"round": "v6.1", "accelerator": "L40S"}
    rows = comparable_rows(OLD, OLD | NEW, LATER | NEW, LATER | {"accelerator": "B300 SXM"}, last)
    covered = speedup.rounds_covered(rows, speedup.over_baseline(rows, BASE, rows), BASE)
    (found,) = answer.rounds(covered, ["v5.1", "v6.0", "v9.9"], BASE, NAME)
    assert found.value == Interval(3, 3)
    assert found.sentence == (
        "v6.1 has no H100: of its 1 accelerator none stands beside it. v6.0 has no H100: of its 2 accelerators 1 "
        "stands beside it through a bridge and 1 by another round. Of v9.9 no official result is there to compare."
    )
    assert answer.rounds(covered[covered["round"].eq("v5.1")], [], BASE, NAME) == []
    more = pd.concat([covered.iloc[1:].assign(round=["v4.0", "v4.1"]), covered])
    assert answer.rounds(more, [], BASE, NAME)[0].sentence.endswith("It is lacking in v4.1 and v4.0 too.")


def test_the_figure_has_those_of_the_leaders_round_or_newer_before_others(comparable_rows: Rows) -> None:
    """Fastest first: an old one at 8, a preview at 6, B200 at 3, a document's at 2.5, L40S at a quarter."""
    paper = {"origin": "published", "source": "Paper"}
    rows = comparable_rows(
        {}, {"accelerator": "Old", "low": 6400.0}, OLD, OLD | NEW | {"low": 2400.0},
        OLD | {"accelerator": "L40S", "low": 200.0},
        OLD | {"accelerator": "Next", "low": 4800.0, "availability": "preview"},
        paper, paper | {"accelerator": "TPU", "low": 2000.0},
    )  # fmt: skip
    speedups = speedup.over_baseline(rows, BASE)
    leading, lead = gate.official_first(speedups), speedup.leader(speedups, BASE)
    assert answer.drawn(leading, lead, BASE) == ["Old", "Next", "B200 SXM", "TPU", "L40S"]
    with pytest.MonkeyPatch.context() as fewer:
        for most, left in (
            (2, ["B200 SXM", "L40S"]),
            (3, ["Old", "B200 SXM", "L40S"]),
            (4, ["Old", "Next", "B200 SXM", "L40S"]),
        ):
            fewer.setattr(answer, "DRAWN", most)
            assert answer.drawn(leading, lead, BASE) == left
    shown = answer.in_words(speedups, leading, BASE, NAME)
    assert shown["name"].tolist() == ["Old", "Next", "B200", "TPU", "L40S"]
    assert set(answer.TABLE) - {"speedup", "spread"} <= set(shown)
    first = answer.figure_rows(shown, ["B200 SXM"]).iloc[0]
    assert (first["scope"], first["sizes"], first["precisions"], first["ran"]) == (
        "1 of 1 system",
        "8x over 8x",
        "both FP8",
        "FP8",
    )
    assert first["paired"] == "3 (1)"


def test_what_an_older_round_says_stands_in_the_table_alone(comparable_rows: Rows) -> None:
    rows = comparable_rows({}, NEW | {"low": 3200.0}, OLD, OLD | NEW | {"low": 1600.0})
    speedups = speedup.over_baseline(rows, BASE)
    shown = answer.in_words(speedups, gate.official_first(speedups), BASE, NAME)
    assert shown["where"].tolist() == ["v5.1", "v4.1"]
    assert answer.figure_rows(shown, ["B200 SXM"])["where"].tolist() == ["v5.1"]


def test_the_figure_s_claim_is_the_fastest_at_the_baselines_own_precision(speedups: pd.DataFrame) -> None:
    shown = answer.in_words(speedups, speedups, BASE, NAME)
    assert answer.beside(shown, BASE, NAME) == "1 of 2 does the work of two H100s or more."
    same = answer.beside(shown.assign(precision="fp8"), BASE, NAME)
    assert same == "1 of 2 does the work of two H100s or more."
    assert answer.beside(shown.head(0), BASE, NAME) == "Nothing stands beside an H100."


def test_ladder_has_one_finding_per_other_accelerator(speedups: pd.DataFrame) -> None:
    found = answer.ladder(speedups, BASE, "LLM Offline", NAME)
    values = [(own.name, own.value) for own in found]
    assert values == [("speedup_b200_sxm", Interval(2.0, 2.5)), ("speedup_l40s", Interval(0.25, 0.25))]
    assert [own.notes for own in found] == [{note("inferred"), *LONE}, LONE]
    assert found[0].headline == "On LLM Offline, a B200 does the work of 2 to 2.5 H100s (v4.1; FP4 against FP8)."
    assert found[1].headline == "On LLM Offline, an H100 does the work of 4 L40S (v4.1; both FP8)."


def test_scope_spread_and_pairs_stand_behind_a_speedup(comparable_rows: Rows) -> None:
    fast = {"accelerator_count": 16, "submitter": "Other"}
    rows = comparable_rows({}, NEW | {"low": 3200.0}, NEW | {"low": 2400.0}, NEW | fast, {"accelerator": "L40S"} | fast)
    more = [own.more for own in answer.ladder(speedup.over_baseline(rows, BASE), BASE, "LLM", NAME)]
    assert more == ["2 of 3 systems: 3 to 4. Of 1 submitter with both: 4.", ""]
    rows = comparable_rows({}, NEW | {"submitter": "B"}, NEW | {"accelerator_count": 4})
    (found,) = answer.ladder(speedup.over_baseline(rows, BASE), BASE, "LLM", NAME)
    assert found.more == "1 of 2 systems."


@pytest.mark.parametrize(
    ("own", "base", "said"),
    [("fp4", "fp8", "FP4 against FP8"), ("fp8", "fp8", "both FP8"), ("", "fp8", ""), ("fp4", "", "")],
)
def test_precisions_are_said_where_both_are_known(own: str, base: str, said: str) -> None:
    assert answer.precisions({"precision": own, "baseline_precision": base}) == said


def test_the_most_that_an_accelerator_gained_over_its_rounds_is_told() -> None:
    grown = pd.DataFrame({"accelerator": [BASE, "B200 SXM"], "first": "v4.0", "last": ["v5.1", "v6.0"]})
    grown = grown.assign(
        grown_low=[1.4, 1.02], grown_high=[1.4, 1.02], source_ids=[("a",), ("b",)], notes=[PREVIEW, NONE],
        one_size=[False, False], one_submitter=[False, True],
    )  # fmt: skip
    found = answer.over_rounds(grown, NAME)
    told = "Over its rounds the same accelerator gained at most 1.4 times: H100, v4.0 to v5.1, by another submitter."
    assert (found.headline, found.value) == (told, Interval(1.4, 1.4))
    assert (found.sources, found.notes) == (["a"], PREVIEW)
    sized = answer.over_rounds(grown.assign(one_size=[False, True]), NAME)
    told = "Over its rounds the same accelerator at one size gained at most 1.0 times: B200, v4.0 to v6.0."
    assert (sized.headline, sized.value) == (told, Interval(1.02, 1.02))
    assert answer.over_rounds(grown.head(0), NAME).value is None


def test_points_over_time_are_named_by_round_and_month() -> None:
    lines = pd.DataFrame({"accelerator": [BASE], "round": ["v5.1"], "published": [pd.Timestamp("2025-09-09")]})
    told = answer.dated(lines, NAME).iloc[0]
    assert (told["name"], told["when"]) == ("H100", "v5.1\nSep 2025")


def test_across_benchmarks_takes_the_leader_else_the_accelerator_measured_on_most(speedups: pd.DataFrame) -> None:
    second = speedups[speedups["accelerator"].ne("L40S")].assign(benchmark="images", speedup_low=1.0)
    grid = pd.concat([speedups, second], ignore_index=True)
    said = "A B200 gives 1 to 2.5 times an H100 on IMAGES and 2 to 2.5 on LLM (2 of 2 benchmarks)."
    for lead in (speedup.leader(speedups, BASE), speedups.iloc[2], None):
        found = answer.across(grid, lead, BASE, str.upper, NAME)
        assert (found.headline, found.value) == (said, Interval(1.0, 2.5))
    only = answer.across(speedups, speedups.iloc[1], BASE, str, NAME)
    assert only.headline == "A B200 gives 2 to 2.5 times an H100 on llm, its only benchmark here."


def test_what_datasheets_offer_stands_beside_what_is_delivered(speedups: pd.DataFrame) -> None:
    sheets = pd.DataFrame(
        {"accelerator": [BASE, "B200 SXM"], "memory_bandwidth_gb_per_s": [2.0, 5.0], "memory_gb": 1.0}
    )
    sheets = sheets.assign(
        fp16_dense_tflops=1.0, fp8_dense_tflops=[2.0, 2.0], fp4_dense_tflops=[None, 9.0], int8_dense_tops=1.0
    )
    lead = speedup.leader(speedups, BASE)
    spec = answer.spec_rows(speedup.beside_specs(speedups, sheets, BASE), ["B200 SXM", "L40S"], NAME)
    assert spec["name"].tolist() == ["B200"]
    found = answer.offered(spec, lead, BASE, NAME)
    assert found.headline == (
        "Against an H100, a B200 offers 4.5 times the compute (FP4 against FP8) and 2.5 times the memory bandwidth, "
        "and delivers 2 to 2.5 times."
    )
    assert found.values["memory_bandwidth"][0] == Interval(2.5, 2.5)
    level = spec.assign(**{f"{speedup.RAN}_{end}": 1.0 for end in ("low", "high")})
    assert "offers the same compute (FP4 against FP8) and" in answer.offered(level, lead, BASE, NAME).headline
    assert answer.offered(spec, None, BASE, NAME).value is answer.offered(spec.head(0), lead, BASE, NAME).value is None


def test_causes_are_told_or_too_close_to_call() -> None:
    facts = pd.DataFrame({"spec": [speedup.RAN, "memory bandwidth", "memory capacity"], "miss": [1.26, 1.34, 1.7]})
    same = facts.assign(same=True, accelerators=6, close=[True, True, False])
    found = answer.explanation(same)
    assert found.headline == (
        "What explains it is too close to call: over 6 accelerators at one precision compute and memory bandwidth fit "
        "equally well."
    )
    assert found.value == Interval(1.26, 1.26)
    alone = answer.explanation(same.assign(close=[True, False, False]))
    assert (
        alone.headline
        == "Over 6 accelerators at one precision, compute explains the speedup best: off by 1.3 times on average."
    )
    changed = facts.iloc[::-1].assign(same=False, accelerators=5, close=[True, True, False])
    assert answer.explanation(pd.concat([same, changed])).headline == found.headline
    assert answer.explanation(changed).headline.startswith(
        "What explains it is too close to call: over 5 accelerators "
    )
    few = answer.explanation(same.assign(accelerators=2))
    assert few.value is None and few.headline.startswith("Fewer than 3 accelerators")
    assert answer.facts(both_kinds := pd.concat([same, changed]))["pairs"].nunique() == 2 and len(both_kinds) == 6


def under(here: pd.Series | None, there: pd.Series | None) -> Finding:
    return answer.leader_under_other_choice(here, there, BASE, "LLM Server", NAME)


def test_another_choice_is_set_against_the_answer(speedups: pd.DataFrame) -> None:
    lead, slower = speedups.iloc[1], speedups.iloc[2]
    three = pd.Series(lead.to_dict() | {"speedup_low": 3.0, "speedup_high": 3.0})
    near = pd.Series(three.to_dict() | {"speedup_low": 2.7, "speedup_high": 2.7})
    assert under(lead, near).headline == "No: on LLM Server a B200 does the work of 2.7 H100s too (v4.1)."
    assert under(lead, three).headline == "Yes: on LLM Server a B200 does the work of 3 H100s (v4.1)."
    assert under(slower, lead).headline == "Yes: on LLM Server a B200 does the work of 2 to 2.5 H100s (v4.1)."
    assert under(lead, slower).headline == "Yes: none beats an H100 on LLM Server."
    assert under(slower, slower).headline == "No: none beats an H100 on LLM Server."
    assert under(None, lead).headline.startswith("Yes: on LLM Server a B200")
    assert under(lead, None).value is None


def test_the_grid_has_the_fastest_on_top_and_benchmarks_in_the_order_of_the_table(speedups: pd.DataFrame) -> None:
    newer = speedups.assign(benchmark="images", rounds=[("v5.1",)] * len(speedups))
    paper = speedups.assign(benchmark="scan", origin="published")
    benchmarks = pd.DataFrame({"benchmark": ["llm", "images", "scan"], "label": ["LLM", "Images", "Scans"]})
    grid = pd.concat([newer, speedups, paper])
    values, cells, rows = answer.grid_frames(grid, benchmarks, speedups.iloc[1], BASE, NAME)
    assert list(values.columns) == list(cells.columns) == ["LLM", "Images"]
    assert list(values.index) == list(cells.index) == ["B200", "L40S"] and len(rows) == 4
    assert cells["LLM"].tolist() == [f"2\u20132.5{SINGLE}", f"0.25{SINGLE}"]
    assert values["LLM"].tolist() == pytest.approx([5**0.5, 0.25], rel=1e-12)
    assert list(rows["notes"]) == [{note("inferred"), *LONE}, LONE] * 2
    virtual = frozenset({note("virtualised", accelerator=BASE, hypervisor="a hypervisor")})
    marked = answer.grid_frames(grid.assign(notes=[virtual] * len(grid)), benchmarks, speedups.iloc[1], BASE, NAME)[1]
    assert marked["LLM"].tolist() == [f"2\u20132.5{SIGN}", f"0.25{SIGN}"]  # a cell bears what the key explains
    with pytest.MonkeyPatch.context() as fewer:
        fewer.setattr(answer, "CELLS", 1)
        values, _, _ = answer.grid_frames(grid, benchmarks, speedups.iloc[2], BASE, NAME)
        assert (list(values.columns), list(values.index)) == (["Images"], ["L40S"])


def test_steps_are_findings(speedups: pd.DataFrame) -> None:
    found = answer.decomposition(
        speedups.iloc[[1]].assign(before=BASE, accelerator="B200 SXM"), EMPTY, "v4.1", "v5.1", NAME
    )
    assert [own.name for own in found] == ["step_h100_sxm_to_b200_sxm", "software"]
    assert found[0].headline == "H100 to B200 gives 2 to 2.5 times (v4.1; FP4 against FP8)."
    assert found[0].notes == {note("inferred"), *LONE}


def test_software_is_told_by_submitters_that_filed_both_rounds(comparable_rows: Rows) -> None:
    """ACME from 800 to 1000 of H100 and from 800 to 960 of B200; the L40S of both rounds is nobody's."""
    later, nobody = {"round": "v5.1"}, {"accelerator": "L40S", "submitter": ""}
    rows = comparable_rows({}, NEW, nobody, later | {"low": 1000.0}, later | NEW | {"low": 960.0}, later | nobody)
    (found,) = answer.decomposition(rows.head(0), speedup.by_round(rows, "v4.1", "v5.1"), "v4.1", "v5.1", NAME)
    said = (
        "Submitters that filed an accelerator in both rounds got 1.2 times as much of it in v5.1 as in v4.1: H100 and "
    )
    assert found.sentence == f"{said}B200. 2 pairs on 2 of 3 accelerators."
    assert found.value == Interval(1.2, 1.25)
    software = speedup.by_round(rows[rows["accelerator"].eq("L40S")], "v4.1", "v5.1")
    (found,) = answer.decomposition(rows.head(0), software, "v4.1", "v5.1", NAME)
    said = "The best systems of L40S give 1 times as much in v5.1 as in v4.1; no submitter filed one of them in both."
    assert found.headline == said
    assert answer.software_rows(software, NAME)["scope"].tolist() == ["1 of 1 system"]


@pytest.mark.parametrize(
    ("earlier", "later", "said"),
    [("", "v5.1", "No accelerator of v5.1 has an earlier official row"), ("v4.1", "v5.1", "both v4.1 and v5.1"),
     ("", "", "No official row is there")],
)  # fmt: skip
def test_of_software_nothing_is_said_without_two_rounds(earlier: str, later: str, said: str) -> None:
    (found,) = answer.decomposition(EMPTY, EMPTY, earlier, later, NAME)
    assert found.value is None and said in found.headline
    both = "The same accelerator in v5.1 over v4.1"
    assert answer.software_heading(earlier, later) == (both if earlier else "The same accelerator in two rounds")


def test_nothing_to_say_is_said(comparable_rows: Rows) -> None:
    rows = comparable_rows()
    beside = speedup.beside_specs(EMPTY, LABELS.assign(**dict.fromkeys(speedup.SPECS.values(), 1.0)).reindex(
        columns=["accelerator", *speedup.SPECS.values(), "fp16_dense_tflops", "fp8_dense_tflops", "fp4_dense_tflops",
                 "int8_dense_tops"]), BASE)  # fmt: skip
    covered = speedup.rounds_covered(rows, EMPTY, BASE)
    found = [
        answer.fastest(None, BASE, "LLM", NAME),
        answer.follows(None, EMPTY, EMPTY, BASE, covered, NAME),
        answer.across(EMPTY, None, BASE, str, NAME),
        answer.explanation(speedup.explained_by(beside)),
        under(None, None),
    ]
    assert {own.value for own in found} == {None} and len({own.name for own in found}) == 5
    assert answer.rounds(covered, [], BASE, NAME) == answer.ladder(EMPTY, BASE, "LLM", NAME) == []
    assert answer.drawn(EMPTY, None, BASE) == []
    assert answer.in_words(EMPTY, EMPTY, BASE, NAME).empty
    benchmarks = pd.DataFrame({"benchmark": ["llm"], "label": ["LLM"]})
    assert [len(frame) for frame in answer.grid_frames(EMPTY, benchmarks, None, BASE, NAME)] == [0, 0, 0]
    assert answer.spec_rows(beside, [], NAME).empty
