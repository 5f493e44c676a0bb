"""The findings of the reports: computed from their frames, and a headline also where there is nothing to say."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analysis.answers import generational_speedup as generations
from analysis.answers import my_deployment as deployment
from analysis.answers import power_efficiency as watts
from analysis.answers import price_performance as prices
from analysis.answers import quantization_tradeoffs as precisions
from analysis.answers import real_world_derating as plans
from analysis.answers import words
from analysis.compare import gate
from analysis.compare.gate import Question
from analysis.core import parameters
from analysis.core.citation import cited, several
from analysis.core.findings import Finding
from analysis.core.interval import Interval
from analysis.core.notes import NONE, Notes, note
from analysis.data.catalog import Catalog
from analysis.themes import cost, derating, power, quantization, sizing, speedup
from analysis.themes.capacity import Planned
from analysis.themes.demand import Demand

Rows = Callable[..., pd.DataFrame]
PREVIEW = frozenset({note("preview", round="v4.1")})
NEW = {"accelerator": "B200 SXM"}
EMPTY_SPEEDUPS = speedup.over_baseline(pd.DataFrame(columns=["benchmark", "scenario", "basis", "accelerator"]), "")


@pytest.fixture
def nothing(results: Rows, tables: Callable[..., gate.Data]) -> gate.Comparison:
    """A comparison that no row answers."""
    return gate.select(tables(results()), Question("llm", "Server"))


@pytest.fixture
def rows(comparable_rows: Rows) -> pd.DataFrame:
    """B200 in preview at 2 to 2.5 times H100, L40S at a quarter of it."""
    part = {"low": 1600.0, "high": 2000.0, "notes": PREVIEW, "precision": "fp4", "availability": "preview"}
    return comparable_rows({}, NEW | part, {"accelerator": "L40S", "low": 200.0})


@pytest.fixture
def speedups(rows: pd.DataFrame) -> pd.DataFrame:
    """The speedups of these rows."""
    return speedup.over_baseline(rows, "H100 SXM")


def lead(rows: pd.DataFrame, baseline: str = "H100 SXM", first: str | None = None) -> Finding:
    """The answer on these rows, by the leader that they have."""
    speedups = speedup.over_baseline(rows, baseline, rows)
    covered = speedup.rounds_covered(rows, speedups, baseline)
    first = speedup.leader(rows) if first is None else first
    return generations.fastest(gate.official_first(speedups), first, baseline, "LLM Offline", covered)


def states(finding: Finding, low: float, high: float, *parts: str) -> None:
    """The finding has this range, and its sentence these parts."""
    assert finding.value == Interval(low, high)
    assert [part for part in parts if part not in finding.sentence] == [], finding.sentence


def lacks(finding: Finding, *parts: str) -> None:
    """The finding has no value, and its sentence these parts."""
    assert finding.value is None
    assert [part for part in parts if part not in finding.sentence] == [], finding.sentence


def codes(notes: Notes) -> list[str]:
    """The codes of notes, sorted."""
    return sorted(own.code for own in notes)


def noted(rows: pd.DataFrame, notes: Notes = NONE) -> pd.DataFrame:
    """The rows, each with these notes."""
    return rows.assign(notes=pd.Series([notes] * len(rows), index=rows.index, dtype="object"))


def test_fastest_says_how_much_work_the_leader_on_sale_does(comparable_rows: Rows) -> None:
    rows = comparable_rows({}, NEW | {"low": 2632.0, "precision": "fp4", "notes": {note("inferred")}})
    words = "On LLM Offline, one B200 SXM on sale does the work of 3.3 H100 SXM (v4.1; FP4 against FP8)."
    finding = lead(rows)
    assert (finding.headline, finding.said) == (words, f"{words} Caveat: {note('inferred').text}.")
    assert (finding.name, finding.value, finding.unit) == ("fastest", Interval(3.29, 3.29), generations.TIMES)
    assert (finding.sources, finding.notes) == (["mlcommons-v4.1"], {note("inferred")})


def test_what_is_faster_and_not_on_sale_is_said_behind_the_leader(comparable_rows: Rows) -> None:
    ahead = NEW | {"low": 3200.0, "notes": PREVIEW, "availability": "preview"}
    rows = comparable_rows({}, {"accelerator": "H200 SXM", "low": 1120.0}, ahead)
    states(lead(rows), 1.4, 1.4, "one H200 SXM on sale does", "Not on sale yet: B200 SXM at 4 times.")
    slower = rows.assign(per_accelerator_low=rows["per_accelerator_low"].clip(upper=125.0))
    slower = slower.assign(per_accelerator_high=slower["per_accelerator_low"])
    assert lead(slower).more == ""
    alone = lead(rows[rows["accelerator"].ne("H200 SXM")], first="B200 SXM")
    states(alone, 4.0, 4.0, "On LLM Offline, one B200 SXM does the work of 4 H100 SXM")


def test_the_newest_round_leads_and_no_document_does(comparable_rows: Rows) -> None:
    paper = {"origin": "published", "source": "Paper"}
    later = {"round": "v5.1"}
    rows = comparable_rows({}, NEW | {"low": 8000.0}, later, later | {"accelerator": "L40S", "low": 1600.0},
                           paper, paper | {"accelerator": "TPU", "low": 9000.0})  # fmt: skip
    states(lead(rows), 2.0, 2.0, "one L40S on sale does the work of 2 H100 SXM (v5.1; both FP8).")
    printed = rows[rows["origin"].eq("published")]
    states(lead(printed), 11.25, 11.25, "one TPU does the work of 11 H100 SXM (Paper; both FP8).")


def test_nothing_faster_than_the_baseline_is_said(rows: pd.DataFrame) -> None:
    found = lead(rows[rows["accelerator"].ne("B200 SXM")])
    words = "nothing on sale in v4.1 is faster than H100 SXM: one H100 SXM does the work of 4 L40S (v4.1; both FP8)."
    states(found, 0.25, 0.25, words)


def test_a_leader_over_a_bridge_stands_before_the_best_without_one(comparable_rows: Rows) -> None:
    old, later = {"round": "v5.1"}, {"round": "v6.0"}
    rows = comparable_rows(old, old | NEW | {"low": 2400.0}, later | NEW | {"low": 2400.0},
                           old | {"accelerator": "GB200", "low": 3200.0, "availability": "preview", "notes": PREVIEW},
                           later | {"accelerator": "B300 SXM", "low": 3000.0})  # fmt: skip
    words = "one B300 SXM on sale does the work of 3.8 H100 SXM (v6.0 through v5.1; both FP8)."
    finding = lead(rows)
    states(finding, 3.75, 3.75, words)
    assert codes(finding.notes) == ["bridged"]
    speedups = speedup.over_baseline(rows, "H100 SXM", rows)
    leading = gate.official_first(speedups)
    (direct,) = generations.without_a_bridge(speedups, leading, "B300 SXM", "H100 SXM")
    words = "In v5.1, the newest round with H100 SXM, one B200 SXM does the work of 3 H100 SXM (both FP8)."
    assert (direct.headline, direct.value) == (words, Interval(3.0, 3.0))
    assert generations.without_a_bridge(speedups, leading, "B200 SXM", "H100 SXM") == []


def test_a_leader_that_nothing_sets_beside_the_baseline_names_other_baselines(comparable_rows: Rows) -> None:
    later = {"round": "v6.0"}
    rows = comparable_rows({}, later | NEW, later | {"accelerator": "B300 SXM", "low": 3000.0})
    words = "On LLM Offline, B300 SXM leads v6.0, and nothing sets it beside H100 SXM."
    lacks(lead(rows), words, "Baselines to choose in v6.0: B200 SXM and B300 SXM.")


def test_rounds_without_the_baseline_are_told(comparable_rows: Rows) -> None:
    old, later, last = ({"round": name} for name in ("v5.1", "v6.0", "v6.1"))
    rows = comparable_rows(old, old | NEW, later | NEW, later | {"accelerator": "B300 SXM"}, later | {
        "accelerator": "MI300X"}, old | {"accelerator": "MI300X"}, last | {"accelerator": "L40S"})  # fmt: skip
    covered = speedup.rounds_covered(rows, speedup.over_baseline(rows, "H100 SXM", rows), "H100 SXM")
    (finding,) = generations.rounds(covered, ["v5.1", "v6.0", "v9.9"], "H100 SXM")
    states(finding, 3, 3, "v6.1 has no H100 SXM: of its 1 accelerator none stands beside it.")
    states(finding, 3, 3, "v6.0 has no H100 SXM: of its 3 accelerators 1 stands beside it through a bridge and 2 by")
    states(finding, 3, 3, "Of v9.9 no official result is there to compare.")
    assert generations.rounds(covered[covered["round"].eq("v5.1")], [], "H100 SXM") == []
    more = pd.concat([covered.iloc[1:].assign(round=["v4.0", "v4.1"]), covered])
    states(generations.rounds(more, [], "H100 SXM")[0], 4, 4, "It is lacking in v4.1 and v4.0 too.")


def test_ladder_has_one_finding_per_other_accelerator(speedups: pd.DataFrame) -> None:
    found = generations.ladder(speedups, "H100 SXM", "LLM Offline")
    values = [(own.name, own.value) for own in found]
    assert values == [("speedup_b200_sxm", Interval(2.0, 2.5)), ("speedup_l40s", Interval(0.25, 0.25))]
    assert [own.notes for own in found] == [PREVIEW, NONE]
    words = "On LLM Offline, one B200 SXM does the work of 2 to 2.5 H100 SXM (v4.1; FP4 against FP8)."
    assert found[0].headline == words
    assert found[1].headline == "On LLM Offline, one H100 SXM does the work of 4 L40S (v4.1; both FP8)."


def test_scope_spread_and_pairs_stand_behind_a_speedup(comparable_rows: Rows) -> None:
    fast = {"accelerator_count": 16, "submitter": "Other"}
    rows = comparable_rows({}, NEW | {"low": 3200.0}, NEW | {"low": 2400.0}, NEW | fast, {"accelerator": "L40S"} | fast)
    more = [own.more for own in generations.ladder(speedup.over_baseline(rows, "H100 SXM"), "H100 SXM", "LLM")]
    assert more == ["2 of 3 systems: 3 to 4. Of 1 submitter with both: 4.", ""]
    rows = comparable_rows({}, NEW | {"low": 200.0}, NEW | {"low": 100.0}, NEW | {"accelerator_count": 4})
    (found,) = generations.ladder(speedup.over_baseline(rows, "H100 SXM"), "H100 SXM", "LLM")
    assert found.more == "2 of 3 systems: 4 to 8. Of 1 submitter with both: 4."
    rows = comparable_rows({}, NEW | {"submitter": "B"}, NEW | {"accelerator_count": 4})
    (found,) = generations.ladder(speedup.over_baseline(rows, "H100 SXM"), "H100 SXM", "LLM")
    assert found.more == "1 of 2 systems."


@pytest.mark.parametrize(
    ("own", "base", "words"),
    [
        ("fp4", "fp8", "FP4 against FP8"),
        ("fp8", "fp8", "both FP8"),
        ("", "", "precisions not stated"),
        ("fp4", "", "FP4 against one not stated"),
        ("", "fp8", "a precision not stated against FP8"),
    ],
)
def test_precisions_of_both_sides_in_words(own: str, base: str, words: str) -> None:
    assert generations.precisions({"precision": own, "baseline_precision": base}) == words


def test_across_benchmarks_takes_the_leader_else_the_accelerator_measured_on_most(speedups: pd.DataFrame) -> None:
    second = speedups[speedups["accelerator"].ne("L40S")].assign(benchmark="images", speedup_low=1.0)
    grid = pd.concat([speedups, second], ignore_index=True)
    words = "On 2 of 2 benchmarks B200 SXM stands beside H100 SXM: it gives 1 to 2.5 times on IMAGES and up to "
    words += "2 to 2.5 times on LLM."
    for first in ("B200 SXM", "L40S", ""):
        finding = generations.across(grid, first, "H100 SXM", str.upper)
        states(finding, 1.0, 2.5, words)
        assert finding.notes == PREVIEW
    third = grid.tail(1).assign(benchmark="scan"), grid[grid["accelerator"].eq("L40S")].assign(benchmark="images")
    more = pd.concat([grid, *third], ignore_index=True)
    states(generations.across(more, "L40S", "H100 SXM", str.upper), 0.25, 0.25, "On 2 of 3 benchmarks L40S stands")
    some = generations.across(grid.assign(notes=[NONE, PREVIEW, NONE, NONE, NONE]), "", "H100 SXM", str.upper)
    assert some.notes == {note("preview", about=["LLM"], round="v4.1")}


def test_across_a_single_benchmark_nothing_is_said_to_depend_on_it(speedups: pd.DataFrame) -> None:
    finding = generations.across(speedups, "B200 SXM", "H100 SXM", str)
    states(finding, 2.0, 2.5, "B200 SXM", "H100 SXM", "llm, its only")


@pytest.fixture
def two_rounds(comparable_rows: Rows) -> pd.DataFrame:
    """In v4.1 B200 at 4 times H100, in v5.1 at 2 to 3, behind GB200 at 2.5 to 2.6."""
    later = {"round": "v5.1", "source_id": "mlcommons-v5.1"}
    rows = comparable_rows(
        {}, NEW | {"low": 3200.0, "notes": PREVIEW},
        later, later | NEW | {"low": 1600.0, "high": 2400.0},
        later | {"accelerator": "GB200", "low": 2000.0, "high": 2080.0},
    )  # fmt: skip
    return speedup.over_baseline(rows, "H100 SXM")


def test_rows_of_the_figure_are_ranked_as_the_answer_ranks_them(two_rounds: pd.DataFrame) -> None:
    paper = two_rounds.tail(1).assign(basis="Paper", origin="published", speedup_low=9.0, speedup_high=9.0)
    every = pd.concat([paper, two_rounds], ignore_index=True)
    rows = generations.in_words(every, gate.official_first(every), "H100 SXM")
    assert [*zip(rows["name"], rows["shown"], strict=True)] == [
        ("GB200\nv5.1", True), ("GB200\nPaper", False), ("B200 SXM\nv5.1", True), ("B200 SXM\nv4.1", False),
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as fewer:
        fewer.setattr(generations, "DRAWN", 1)
        drawn = generations.in_words(every, gate.official_first(every), "H100 SXM")
        assert drawn.loc[drawn["shown"], "name"].tolist() == ["GB200\nv5.1"] and len(drawn) == len(rows)
    assert set(generations.TABLE) - {"speedup", "spread"} <= set(rows)
    first = rows.iloc[0]
    assert (first["scope"], first["sizes"], first["precisions"]) == ("1 of 1 system", "8x over 8x", "both FP8")
    assert (first["paired"], rows.iloc[3]["paired"]) == ("2.5 to 2.6 (1)", "4 (1)")
    assert (
        generations.in_words(every.assign(pairs=0), gate.official_first(every), "H100 SXM")["paired"].tolist()
        == [""] * 4
    )


def test_facts_that_explain_as_well_as_each_other_are_named_together() -> None:
    explained = pd.DataFrame({"spec": ["a", "b", "c"], "miss": [1.261, 1.263, 1.5], "accelerators": 6})
    words = (
        "On LLM, a and b explain the speedups best: over 6 accelerators the datasheet ratio is off by a factor of 1.3"
    )
    states(generations.explanation(explained, "LLM"), 1.261, 1.261, words, "that of c by 1.5.")
    states(generations.explanation(explained.iloc[1:], "LLM"), 1.263, 1.263, "b explains ")
    lacks(generations.explanation(explained.assign(accelerators=2), "LLM"), "Fewer than 3 accelerators")


def test_claims_that_hold_are_counted() -> None:
    verdicts = ["holds", "exceeded", "holds", speedup.UNDER, speedup.UNDER, speedup.OVER, "not reached"]
    judged = pd.DataFrame({"verdict": verdicts, "source_id": "a", "accelerator": "part"})
    none = pd.DataFrame({"round": []})
    counts = (
        "In 7 comparisons of stated speedups with figures of their own round, 2 hold, 1 is not reached, 1 is exceeded"
    )
    counts += ", 2 are “up to” claims above what was measured and 1 is an “at least” claim below what was measured."
    finding = generations.claims(judged, none)
    assert (finding.value, finding.headline, finding.more) == (Interval(2, 2), counts, "")
    states(generations.claims(judged.tail(1), none), 0, 0, "In 1 comparison of", "0 hold and 1 is not reached.")


def test_notes_of_claims_are_about_the_parts_that_they_hold_for() -> None:
    unnamed, judged = note("round_unnamed"), pd.DataFrame({"accelerator": ["A", "B"], "source_id": "a"})
    judged = judged.assign(verdict="holds", notes=[frozenset({unnamed}), NONE])
    assert generations.claims(judged, judged.head(0)).notes == {note("round_unnamed", about=["A"])}
    assert generations.claims(noted(judged, frozenset({unnamed})), judged.head(0)).notes == {unnamed}


def test_claims_of_other_rounds_are_counted_apart() -> None:
    others = pd.DataFrame({"round": ["v4.1", "v4.0", "v4.1"]})
    words = "Not judged: 3 more, of v4.0 and v4.1: not compared here."
    finding = generations.claims(pd.DataFrame({"verdict": []}), others)
    lacks(finding, "No stated speedup")
    judged = pd.DataFrame({"verdict": ["holds"], "source_id": "a", "accelerator": "part"})
    assert finding.more == generations.claims(judged, others).more == words


def test_claims_of_one_subject_with_and_without_a_round_have_rows_of_their_own() -> None:
    claim = {"subject": "H200", "baseline": "H100", "benchmark": "llm", "scenario": "Offline", "source_id": "doc"}
    pairs = {"pairs": 2, "pairs_low": 1.5, "pairs_high": 2.0}
    both = pd.DataFrame([claim | {"round": "v4.1"} | pairs, claim | {"round": ""} | pairs | {"pairs": 0}])
    rows = generations.claim_rows(both, {"doc": "Post"}, str.upper)
    where = "H200 over H100\nLLM Offline, Post"
    assert rows["claim"].tolist() == [where, f"{where}, no round"]
    assert rows["paired"].tolist() == ["1.5 to 2 (2)", ""]


def under(here: pd.DataFrame, there: pd.DataFrame, *firsts: str) -> Finding:
    """The answer under another choice, by the leaders of both."""
    return generations.leader_under_other_choice(here, there, firsts, "H100 SXM", "LLM Server")


def test_another_choice_is_set_against_the_answer(speedups: pd.DataFrame) -> None:
    there = speedups.assign(speedup_low=[1.0, 3.0, 0.5], speedup_high=[1.0, 3.0, 0.5])
    words = "No: B200 SXM leads on LLM Server too, at 3 times H100 SXM (v4.1), against 2 to 2.5 above."
    finding = under(speedups, there, "B200 SXM", "B200 SXM")
    assert (finding.value, finding.headline, finding.notes) == (Interval(3.0, 3.0), words, PREVIEW)


def test_another_leader_under_another_choice_is_named(speedups: pd.DataFrame) -> None:
    there = speedups.assign(speedup_low=[1.0, 3.0, 5.0], speedup_high=[1.0, 3.0, 5.0])
    finding = under(speedups, there, "B200 SXM", "L40S")
    states(finding, 5.0, 5.0, "Yes: L40S leads on LLM Server, at 5 times H100 SXM (v4.1); B200 SXM gives 3 (v4.1).")
    assert finding.notes == {note("preview", about=["B200 SXM"], round="v4.1")}
    finding = under(speedups, there[there["accelerator"].ne("B200 SXM")], "B200 SXM", "L40S")
    states(finding, 5.0, 5.0, "(v4.1); B200 SXM has no comparable figure there.")
    assert finding.notes == NONE


def test_the_baseline_as_leader_of_a_choice_is_named(speedups: pd.DataFrame) -> None:
    slower = speedups[speedups["accelerator"].ne("B200 SXM")]
    states(
        under(speedups, slower, "B200 SXM", "H100 SXM"), 0.25, 0.25, "Yes: H100 SXM leads on LLM Server, ahead of L40S"
    )
    states(under(slower, speedups, "H100 SXM", "B200 SXM"), 2, 2.5, "Yes: B200 SXM leads on LLM Server, at 2 to 2.5")
    states(under(slower, slower, "H100 SXM", "H100 SXM"), 0.25, 0.25, "No: H100 SXM leads on LLM Server too, ahead of")


def test_grid_has_the_fastest_on_top_and_benchmarks_in_the_order_of_the_table(speedups: pd.DataFrame) -> None:
    grid = pd.concat([speedups.assign(benchmark="images"), speedups])
    benchmarks = pd.DataFrame({"benchmark": ["llm", "images", "scan"], "label": ["LLM", "Images", "Scans"]})
    values, cells = generations.grid_frames(grid, benchmarks)
    assert list(values.columns) == list(cells.columns) == ["LLM", "Images"]
    assert list(values.index) == list(cells.index) == ["B200 SXM", "H100 SXM", "L40S"]
    assert cells["LLM"].tolist() == ["2–2.5", "1", "0.25"]
    assert values["LLM"].tolist() == pytest.approx([5**0.5, 1.0, 0.25], rel=1e-12)


def test_steps_are_findings(speedups: pd.DataFrame) -> None:
    stepped = speedups.iloc[[1]].assign(step="H100 SXM to B200 SXM")
    found = generations.decomposition(stepped, speedups.head(0), "v4.1", "v5.1")
    assert [own.name for own in found] == ["step_h100_sxm_to_b200_sxm", "software"]
    states(found[0], 2.0, 2.5, "H100 SXM to B200 SXM gives 2 to 2.5 times (v4.1; FP4 against FP8).")
    assert [own.notes for own in found] == [PREVIEW, NONE]


def test_software_is_told_by_submitters_that_filed_both_rounds(comparable_rows: Rows) -> None:
    """ACME from 800 to 1000 of H100 and from 800 to 960 of B200; the L40S of both rounds is nobody's."""
    later, nobody = {"round": "v5.1"}, {"accelerator": "L40S", "submitter": ""}
    rows = comparable_rows({}, NEW, nobody, later | {"low": 1000.0}, later | NEW | {"low": 960.0}, later | nobody)
    (finding,) = generations.decomposition(rows.head(0), speedup.by_round(rows, "v4.1", "v5.1"), "v4.1", "v5.1")
    words = "Submitters that filed an accelerator in both rounds got 1.2 times as much of it in v5.1 as in v4.1: "
    states(finding, 1.2, 1.25, f"{words}H100 SXM and B200 SXM.", "2 pairs on 2 of 3 accelerators.")
    assert codes(finding.notes) == ["different_rounds"]
    software = speedup.by_round(rows[rows["accelerator"].eq("L40S")], "v4.1", "v5.1")
    (finding,) = generations.decomposition(rows.head(0), software, "v4.1", "v5.1")
    words = "The best systems of L40S give 1 times as much in v5.1 as in v4.1; no submitter filed one of them in both."
    states(finding, 1, 1, words)
    assert generations.software_rows(software)["scope"].tolist() == ["1 of 1 system"]


def test_of_software_nothing_is_said_without_two_rounds(speedups: pd.DataFrame) -> None:
    (finding,) = generations.decomposition(speedups.head(0), speedups.head(0), "", "v5.1")
    lacks(finding, "No accelerator of v5.1 has an earlier official row")
    (other,) = generations.decomposition(speedups.head(0), speedups.head(0), "v4.1", "v5.1")
    lacks(other, "both v4.1 and v5.1")
    lacks(generations.decomposition(speedups.head(0), speedups.head(0), "", "")[0], "No official row is there: of")
    assert generations.software_heading("", "v5.1") == "The same accelerator in two rounds"
    assert generations.software_heading("v4.1", "v5.1") == "The same accelerator in v5.1 over v4.1"


METERED = {"low": 16_000.0, "power_watts_low": 4000.0, "power_watts_high": 4000.0}


def test_energy_of_the_most_efficient_system(comparable_rows: Rows) -> None:
    rows = comparable_rows(METERED, METERED | NEW | {"low": 32_000.0})
    spent = power.energy(power.efficiency(rows), 0.36, 1.0)
    finding = watts.energy(spent, "H100 SXM", "LLM Offline", "query")
    states(finding, 0.0125, 0.0125, "B200 SXM takes 0.125 joules per query at the wall, H100 SXM 0.25 (official v4.1);",
           "a million queries cost 0.0125 against 0.025 US dollars")  # fmt: skip
    assert (finding.name, "million queries" in finding.unit, finding.notes) == ("energy_price", True, NONE)
    best = watts.energy(spent, "B200 SXM", "LLM Offline", "query")
    states(best, 0.0125, 0.0125, "B200 SXM takes 0.125 joules", ", H100 SXM 0.25 (official v4.1);")
    alone = watts.energy(spent[spent["accelerator"].eq("B200 SXM")], "H100 SXM", "LLM Offline", "query")
    states(alone, 0.0125, 0.0125, "no power submission of H100 SXM")


def test_the_newest_metered_round_leads_and_each_side_says_what_it_is(comparable_rows: Rows) -> None:
    """The round before took less; the other side is capped, of four, and the better of two systems."""
    cap = METERED | {"power_capped": True, "accelerator_count": 4}
    rows = comparable_rows(cap, cap | {"low": 8_000.0}, METERED | NEW | {"low": 64_000.0},
                           METERED | NEW | {"low": 32_000.0, "round": "v5.1"})  # fmt: skip
    finding = watts.energy(power.energy(power.efficiency(rows), 0.36, 1.0), "H100 SXM", "LLM", "query")
    states(finding, 0.0125, 0.0125, "B200 SXM takes 0.125 joules per query at the wall (official v5.1, 8x), ",
           "H100 SXM 0.25 (official v4.1, 4x, power-capped, best of 2 systems);")  # fmt: skip


def test_efficiencies_of_two_rounds_are_noted_as_such(comparable_rows: Rows) -> None:
    rows = comparable_rows(METERED, METERED | NEW | {"low": 32_000.0, "round": "v5.1", "notes": PREVIEW})
    spent = power.energy(power.efficiency(rows), 0.36, 1.0)
    crossed = note("different_rounds", rounds="v5.1", other_rounds="v4.1")
    own = {note("preview", about=["B200 SXM"], round="v4.1"), crossed}
    assert watts.energy(spent, "H100 SXM", "LLM", "token").notes == own
    finding = watts.ratio(power.ratios(spent, "H100 SXM"), "H100 SXM", "LLM")
    states(finding, 2.0, 2.0, "B200 SXM does 2 times the work per joule of H100 SXM: 8 of each, without a cap ",
           "(official v5.1 against v4.1; best of 1 system and of 1)")  # fmt: skip
    assert finding.notes == PREVIEW | {crossed}


def test_a_ratio_below_one_is_told_the_other_way_round(comparable_rows: Rows) -> None:
    rows = comparable_rows(METERED, METERED | NEW | {"low": 8_000.0, "round": "v5.1", "source_id": "mlcommons-v5.1"})
    finding = watts.ratio(power.ratios(power.efficiency(rows), "H100 SXM"), "H100 SXM", "LLM")
    states(finding, 2.0, 2.0, "H100 SXM does 2 times the work per joule of B200 SXM", "(official v4.1 against v5.1;")
    assert finding.notes == {note("different_rounds", rounds="v4.1", other_rounds="v5.1")}
    assert finding.sources == ["mlcommons-v4.1", "mlcommons-v5.1"]


def test_runs_that_are_not_alike_are_not_made_a_ratio(comparable_rows: Rows) -> None:
    rows = power.efficiency(comparable_rows(METERED, METERED | NEW | {"power_capped": True}))
    lacks(watts.ratio(power.ratios(rows, "H100 SXM"), "H100 SXM", "LLM"), "beside a run of H100 SXM that is like it")


def test_rounds_without_a_power_submission_are_named() -> None:
    rounds = pd.DataFrame({"round": ["v6.1", "v6.0", "v5.1", "v4.1"], "results": [0, 0, 24, 31]})
    states(watts.record(rounds), 24, 24, "There is no power submission in v6.1 and v6.0; the newest are the 24 results",
           "of v5.1, and 2 of 4 rounds at hand have some.")  # fmt: skip
    states(watts.record(rounds.tail(2)), 24, 24, "The newest are the 24 results of v5.1")
    lacks(watts.record(rounds.head(2)), "no power submission")


def test_energy_over_the_rounds_is_told_from_both_ends_and_of_the_least(comparable_rows: Rows) -> None:
    """0.25 J in v4.0, 0.125 in v4.1, 0.2 in v5.1; runs without a cap are no part of it."""
    cap, rounds = METERED | {"power_capped": True}, {"v4.0": 16_000.0, "v4.1": 32_000.0, "v5.1": 20_000.0}
    rows = comparable_rows(*(cap | {"round": name, "low": low} for name, low in rounds.items()), METERED)
    history = power.history(power.efficiency(rows))
    finding = watts.over_rounds(history, "LLM", "query")
    states(finding, 0.2, 0.2, "the best power-capped system takes 0.2 joules per query in v5.1 (H100 SXM, best of 1), ",
           "0.25 in v4.0 (H100 SXM, best of 1) and least, 0.125 in v4.1 (")  # fmt: skip
    assert finding.notes == {note("different_rounds", rounds="v5.1", other_rounds="v4.0")}
    told = watts.history_rows(history)[["cap", "told"]].to_numpy().tolist()
    assert told[2:] == [["without a cap", "H100 SXM, best of 1"], ["power-capped", "H100 SXM, best of 1"]]
    lacks(watts.over_rounds(history.head(0), "LLM", "query"), "No round has")


def test_a_meter_goes_before_a_printed_figure_that_is_lower(comparable_rows: Rows) -> None:
    """16,000 a second at 4,000 W: 0.25 joules by the meter; printed 3.5 to 6 a watt, in the middle 0.218 joules."""
    run = {"low": 16_000.0, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
    printed = {"origin": "published", "low": 16_000.0, "per_watt_low": 3.5, "per_watt_high": 6.0}
    spent = power.energy(power.efficiency(comparable_rows(printed, run, printed | NEW)), 0.36, 1.0)
    states(watts.energy(spent, "B200 SXM", "LLM", "query"), 0.025, 0.025, "H100 SXM takes 0.25 joules",
           "B200 SXM 0.167 to 0.286 (from printed throughput per watt)")  # fmt: skip
    assert watts.by_energy(spent)["from_print"].tolist() == [False, True, True]
    unmetered = spent[spent["efficiency_basis"].eq(power.PRINTED)]
    assert power.most_efficient(unmetered)["efficiency_high"] == 6.0


def test_what_capped_runs_keep_is_told_of_their_submitters_own_runs() -> None:
    """Two capped runs with a run of their submitter's, one without, and one that is not capped."""
    rows = noted(pd.DataFrame({"benchmark": ["llm", "images", "llm", "llm"], "accelerator": "H100 SXM"}))
    rows = rows.assign(
        round="v4.1", source_ids=[("s",)] * 4, power_capped=[True, True, True, False], system_key=["a", "a", "b", "c"]
    )
    rows = rows.assign(share_low=[0.64, 0.7, np.nan, 1.25], share_high=[0.8, 0.7, np.nan, 1.25])
    finding = watts.capped(rows)
    states(finding, 0.64, 0.8, "Power-capped runs of v4.1 keep 0.64 to 0.8 of", "llm on H100 SXM least",
           "own performance runs (1 of 2 systems, 2 of 3 runs)")  # fmt: skip
    assert (finding.sources, finding.notes) == (["s"], NONE)
    states(watts.capped(rows.tail(1)), 1.25, 1.25, "Power runs of v4.1 keep 1.2 of")
    newer = rows.assign(round=["v4.1", "v5.1", "v4.1", "v6.0"])
    states(watts.capped(newer), 0.7, 0.7, "runs of v5.1 keep 0.7 of", "(1 of 1 system, 1 of 1 run)")
    lacks(watts.capped(rows.iloc[[2]]), "No submitter has both")
    shown = watts.capped_rows(rows.assign(systems=[2, 1, 0, 1]), most=1)
    assert shown["told"].tolist() == ["v4.1, over 2 systems"] and shown["share_low"].tolist() == [0.64]


def test_implied_watts_that_hold_are_counted() -> None:
    rows = pd.DataFrame(
        {"benchmark": "llm", "scenario": "Offline", "source_id": "a", "implied_watts_low": [1.0, 100.0]}
    ).assign(accelerator="H100 SXM", accelerator_count=8)
    rows = rows.assign(implied_watts_high=[2.0, 150.0], holds=pd.array([True, False], dtype="boolean"))
    states(watts.implied(rows), 1, 1, "8x H100 SXM could draw 1 to 2 W on llm Offline", "1 of 2 cases")


LIMITS = pd.DataFrame({"accelerator": ["H100 SXM", "B200 SXM"], "power_limit_w": [700.0, 1000.0]})


def limits_of(rows: pd.DataFrame, units: list[str]) -> Finding:
    rows = rows.assign(rate_unit=units)
    return watts.limits(rows, power.beside_limits(rows, LIMITS))


def test_what_systems_draw_is_told_of_language_models_in_the_newest_round(comparable_rows: Rows) -> None:
    """8,000 and 9,000 W of eight B200 over 8 x 1,000 W; images and the round before are other ranges."""
    runs = [{"power_watts_low": drawn, "power_watts_high": drawn, "low": 1.0} for drawn in (8000.0, 9000.0, 4000.0)]
    later = NEW | {"round": "v5.1", "result_id": "5.1-1"}
    rows = comparable_rows(runs[2], runs[0] | later, runs[1] | later | {"notes": PREVIEW}, runs[2] | later)
    finding = limits_of(rows, ["tokens/s", "tokens/s", "tokens/s", "samples/s"])
    states(finding, 8.0, 9.0, "On language models systems of 8 B200 SXM draw 8 to 9 kW at the wall ",
           "(official v5.1, 2 results of 1 system), 1 to 1.1 times the datasheet limits")  # fmt: skip
    assert codes(finding.notes) == ["preview", "unofficial_ratio"]


def test_limits_are_those_in_force_and_unknown_ones_are_no_ratio(comparable_rows: Rows) -> None:
    """4,000 W over 8 x 400 W are 1.25; a capped system whose cap is not known has no ratio."""
    run = {"power_watts_low": 4000.0, "power_watts_high": 4000.0, "power_capped": True}
    known = limits_of(comparable_rows(run, run).assign(power_limit_watts=[400.0, np.nan]), ["samples/s"] * 2)
    states(known, 4.0, 4.0, "Systems of 8 H100 SXM draw 4 kW", "1.2 times the caps in force", "(1 of 2 results)")
    unknown = limits_of(comparable_rows(run), ["samples/s"])
    assert "times" not in unknown.headline and unknown.notes == NONE


def test_the_figure_of_limits_has_a_row_per_accelerator_round_and_limit_with_its_notes() -> None:
    rows = pd.DataFrame(
        {"benchmark": "llm", "accelerator": ["A", "A", "B"], "round": "v4.1", "limit_basis": "datasheet"}
    )
    rows = rows.assign(system_key=["a", "b", "c"], notes=[PREVIEW, NONE, NONE])
    rows = rows.assign(of_limits_low=[1.0, 1.2, 1.5], of_limits_high=[1.1, 1.3, 1.6])
    spread = watts.limit_rows(rows)
    assert spread[["accelerator", "of_limits_low", "of_limits_high", "systems", "notes"]].to_numpy().tolist() == [
        ["B", 1.5, 1.6, 1, NONE],
        ["A", 1.0, 1.3, 2, PREVIEW],
    ]


def derates(*kinds: str) -> pd.DataFrame:
    """Systems of v4.1 that keep 0.5 to 0.55, 0.65 to 0.7, 0.9 to 1, and one without an Offline run."""
    frame = pd.DataFrame({"derate_low": [0.5, 0.65, 0.9, np.nan], "derate_high": [0.55, 0.7, 1.0, np.nan]})
    frame = frame.assign(accelerator=list("abcd"), system_key=list("abcd"), benchmark="llm", round="v4.1")
    return frame.assign(kind=kinds or "available", source_ids=[("s",), ("s", "t"), (), ()],
                        notes=[PREVIEW, NONE, NONE, NONE])  # fmt: skip


def test_derate_says_of_how_many_systems_it_is() -> None:
    finding = plans.derate(derates(), "LLM")
    states(finding, 0.5, 1.0, "On LLM, systems of v4.1 keep 0.5 to 1 of their own Offline throughput",
           "half of them 0.67 or more (3 of 4 systems; 1 without an Offline run apart), a least")  # fmt: skip
    assert (finding.sources, finding.notes) == (["s", "t"], {note("preview", about=["a"], round="v4.1")})
    faster = derates().assign(derate_high=[0.55, 0.7, 1.1, np.nan])
    assert "faster one" in plans.derate(faster, "LLM").headline


def test_derates_of_other_kinds_are_counted_and_in_no_range() -> None:
    finding = plans.derate(derates("preview", "available", "virtualised", "available"), "LLM")
    states(finding, 0.65, 0.7, "(1 of 4 systems; 1 preview, 1 virtualised and 1 without an Offline run apart)")
    assert finding.notes == NONE


def test_the_newest_round_leads_and_all_rounds_stand_beside_it() -> None:
    frame = derates().assign(round=["v4.1", "v5.1", "v4.1", "v5.1"])
    states(plans.derate(frame, "LLM"), 0.65, 0.7, "systems of v5.1 keep 0.65 to 0.7", "(1 of 2 systems;")
    states(plans.derate_over_rounds(frame, "LLM"), 0.5, 1.0, "Over 2 rounds, v4.1 to v5.1, systems keep 0.5 to 1 (3")


def test_band_counts_systems_and_benchmarks() -> None:
    band = plans.band(derates(), Interval(0.6, 0.8))
    words = "1 lie within the assumed band of 0.6 to 0.8, 1 above it and 1 below."
    states(band, 1, 1, f"Of 3 derates measured, of 3 systems on 1 benchmark, {words}")
    assert band.notes == {note("preview", about=["a"], round="v4.1")}


def test_counts_of_derates_add_up() -> None:
    """0.55 to 0.7 and 0.5 to 0.9 reach over an end of the band, 0.6 to 0.8 lies within."""
    frame = derates().assign(derate_low=[0.55, 0.5, 0.6, 0.9], derate_high=[0.7, 0.9, 0.8, 1.0])
    states(
        plans.band(frame, Interval(0.6, 0.8)), 1, 1, "Of 4", "1 lie", "1 above it, 0 below and 2 across an end of it."
    )


def test_rows_of_derates_are_named_with_their_kind_median_and_systems() -> None:
    rows = pd.DataFrame({"accelerator": ["A", "B", "C"], "kind": ["available", "preview", "available"]})
    rows = rows.assign(systems=[3, 1, 1], derate_median=[0.84, 0.7, 0.5])
    shown = plans.derate_rows(rows, most=2)
    assert shown["part"].tolist() == ["A", "B, preview"]
    assert shown["told"].tolist() == ["3 systems, median 0.84", "1 system"]


def draws_of(counts: list[int], price: float | list[float] = 2.0) -> pd.DataFrame:
    return pd.DataFrame({"accelerators": counts, "price": price})


def ranking(**correlations: float) -> pd.DataFrame:
    return pd.DataFrame({"input": list(correlations), "correlation": list(correlations.values())})


def test_inputs_that_move_the_bill_about_equally_are_all_named() -> None:
    varied = draws_of([1, 2, 3])
    tie = ranking(derate=-0.2, context=0.46, peak=0.47, price=0.5)
    states(
        plans.dominant(tie, varied), 0.46, 0.5, "Price, peak and context move the bill about equally", "0.46 to 0.5."
    )
    one = plans.dominant(ranking(derate=-0.5, peak=0.44), varied)
    states(one, 0.5, 0.5, "bill most is the derate, with a rank correlation of -0.5.")
    mixed = plans.dominant(ranking(derate=-0.5, peak=0.49), draws_of([1, 2, 3], float("nan")))
    states(mixed, 0.49, 0.5, "Derate and peak move the number of accelerators", "in size")
    assert "number of accelerators" in mixed.unit and "bill" in one.unit


def test_nothing_moves_a_number_that_is_all_but_the_same() -> None:
    """Nineteen draws of twenty need 2: tenth and ninetieth percentile agree, whatever is ranked first."""
    ranked, counts = ranking(context=0.7), [2] * 19 + [3]
    states(plans.dominant(ranked, draws_of(counts)), 0.95, 0.95, "hardly anything changes", "2 in 95 % of the draws.")
    dearer = plans.dominant(ranked, draws_of(counts, [1.0] * 10 + [2.0] * 10))
    states(dearer, 0.95, 0.95, "2 in 95 %", "the price alone moves the bill")
    states(plans.dominant(ranked, draws_of([2] * 20)), 1, 1, "nothing changes", "2 in 100 %")


def test_bill_is_drawn_where_it_is_more_than_a_multiple_of_the_accelerators() -> None:
    draws = draws_of([1, 2]).assign(usd_per_hour=[2.0, 4.0])
    assert list(plans.panels(draws)) == ["accelerators"]
    assert list(plans.panels(draws.assign(price=[2.0, 3.0]))) == ["accelerators", "US dollars an hour"]


def test_causes_say_how_often_each_asks_for_more() -> None:
    shares = pd.DataFrame({"cause": ["traffic", "queue", "memory"], "share": [0.186, 0.038, 0.776]})
    states(plans.decisive(shares), 0.776, 0.776, "in 18.6 % of the draws", "in 3.8 % and memory in 77.6 %")


def test_speed_that_the_limit_guarantees_is_held_against_that_asked_for() -> None:
    asked = parameters.RealWorldDerating(tokens_per_second_per_user=30.0)
    states(plans.interactivity(5.0, asked), 5.0, 5.0, "5 tokens/s", ", less than the 30")
    states(plans.interactivity(30.0, asked), 30.0, 30.0, "no less than the 30")


def test_nothing_to_say_about_generations_is_said(comparable_rows: Rows) -> None:
    none = EMPTY_SPEEDUPS
    beside = none.assign(spec=[], spec_ratio_low=[], spec_ratio_high=[])
    rows = comparable_rows()
    covered = speedup.rounds_covered(rows, none, "H100 SXM")
    assert speedup.leader(rows) == ""
    found = [
        generations.fastest(none, "", "H100 SXM", "LLM", covered),
        generations.across(none, "", "H100 SXM", str),
        generations.explanation(speedup.explained_by(beside), "LLM"),
        *generations.decomposition(none.assign(step=[]), none, "v4.1", "v5.1"),
        generations.claims(none.assign(verdict=[]), none.assign(round=[])),
        generations.leader_under_other_choice(none, none, ("", ""), "H100 SXM", "LLM"),
    ]
    assert generations.rounds(covered, [], "H100 SXM") == []
    assert generations.without_a_bridge(none, none, "", "H100 SXM") == []
    assert generations.in_words(none, none, "H100 SXM").empty
    assert generations.ladder(none, "H100 SXM", "LLM") == []
    assert {own.value for own in found} == {None}
    assert len({own.name for own in found}) == 6
    assert [
        len(frame) for frame in generations.grid_frames(none, pd.DataFrame({"benchmark": ["llm"], "label": ["LLM"]}))
    ] == [0, 0]
    assert generations.spec_rows(beside).empty


def test_nothing_to_say_about_watts_is_said(comparable_rows: Rows) -> None:
    none = comparable_rows()
    spent = power.energy(power.efficiency(none), 0.1, 1.0)
    none = none.assign(rate_unit="")
    limits = power.beside_limits(none, pd.DataFrame({"accelerator": [], "power_limit_w": []}))
    found = [
        watts.energy(spent, "H100 SXM", "LLM", "token"),
        watts.implied(power.implied_watts(none)),
        watts.capped(power.capped(none, none)),
        watts.limits(none, limits),
        watts.ratio(power.ratios(spent, "H100 SXM"), "H100 SXM", "LLM"),
        watts.record(power.by_round(none)),
        watts.over_rounds(power.history(spent), "LLM", "token"),
        watts.energy_in_other_scenario(spent, "H100 SXM", "LLM", "token"),
    ]
    assert {own.value for own in found} == {None}
    assert len({own.name for own in found}) == 8
    assert watts.by_energy(spent).empty and watts.history_rows(power.history(spent)).empty
    assert watts.capped_rows(power.capped(none, none), most=9).empty
    assert watts.limit_rows(limits).empty
    assert watts.implied_rows(power.implied_watts(none)).empty


def test_nothing_to_say_about_precisions_is_said(data: Catalog, comparable_rows: Rows) -> None:
    traded = quantization.pareto(quantization.tradeoffs(data.quantization, gate.trusted(data, "all"), "rgat", "fp16"))
    gains = quantization.gains(data.quantization.head(0), traded)
    held = quantization.weights(data.benchmarks, "rgat", data.accelerators, 0.1)
    found = [
        precisions.front(traded, "fp16"),
        precisions.doubling(gains, "fp8", data.labels),
        precisions.fit(held, "H100 SXM", "R-GAT"),
        precisions.fit_everywhere(held, "R-GAT"),
        precisions.accuracy(quantization.price_of_accuracy(comparable_rows(), comparable_rows()), str),
        precisions.routes(quantization.routes(data.quantization.head(0))),
        precisions.front_under_other_reference(traded, traded, "fp8"),
    ]
    assert {own.value for own in found} == {None}
    assert precisions.gains(gains, data.labels) == []
    assert [frame.empty for frame in (precisions.front_rows(traded), precisions.held_rows(held))] == [True, True]


def test_nothing_to_say_about_plans_is_said(nothing: gate.Comparison, data: Catalog) -> None:
    measured = derating.measured(nothing.rows, nothing.rows)
    rate = cost.throughput(nothing.rows, "H100 SXM")
    drawn = derating.draw(Demand(100, 30.0), rate, Interval(0.6, 0.8), Interval(1.0, 2.0), 1000, 0)
    marks = derating.percentiles(drawn, list(plans.OUTPUTS))
    planned = plans.need(marks, Demand(100, 30.0), "H100 SXM", nothing)
    found = [
        plans.derate(measured, nothing.topic),
        plans.band(measured, Interval(0.6, 0.8)),
        planned,
        plans.dominant(derating.sensitivity(drawn), drawn),
        plans.example(derating.example(data.claims.head(0), rate, Interval(1.0, 2.0))),
        plans.interactivity(None, parameters.RealWorldDerating()),
        plans.need_if_measured(planned, measured),
        plans.derate_over_rounds(measured, nothing.topic),
    ]
    assert {own.value for own in found} == {None}
    assert len({own.name for own in found}) == 8
    assert plans.derate_rows(derating.by_accelerator(measured), most=9).empty


@pytest.mark.parametrize(
    ("text", "name"),
    [("H100 SXM", "h100_sxm"), ("Xeon Platinum 8592+", "xeon_platinum_8592"), ("sparsity-2:4", "sparsity_2_4")],
)
def test_slug_is_a_finding_s_name(text: str, name: str) -> None:
    assert words.finding_name(text) == name


def test_no_two_accelerators_share_a_slug(data: Catalog) -> None:
    names = data.accelerators["accelerator"]
    assert len({words.finding_name(name) for name in names}) == len(names)


def test_names_are_listed_and_the_rest_counted() -> None:
    assert [words.listed(names) for names in ("", "a", "ab", "abc", "abcda")] == [
        "",
        "a",
        "a and b",
        "a, b and c",
        "a, b, c and d",
    ]
    assert words.listed("abcdef") == "a, b, c, d and 2 more"


def test_sources_come_once_and_sorted_from_rows_of_either_column() -> None:
    several_of_each = pd.DataFrame({"source_ids": [("s2", "s1"), ("s2",), ()]})
    assert cited(several_of_each, pd.DataFrame({"source_id": ["s0", ""]})) == ["s0", "s1", "s2"]
    assert cited(pd.Series({"source_id": "s1"})) == ["s1"]
    assert cited(several_of_each.iloc[0], pd.Series({"source_ids": ("s3",)})) == ["s1", "s2", "s3"]
    assert cited() == cited(pd.DataFrame()) == []


def test_sources_of_rows_that_become_one_are_sorted_and_come_once() -> None:
    assert several(["s2", "", "s1", "s2"]) == ("s1", "s2")
    assert several([]) == several([""]) == ()


def test_the_span_of_rows_or_of_a_row_is_an_interval_of_plain_numbers() -> None:
    rows = pd.DataFrame({"x_low": [2, 1], "x_high": [3, 4]})
    assert (words.span(rows, "x"), words.span(rows.iloc[0], "x")) == (Interval(1.0, 4.0), Interval(2.0, 3.0))
    assert {type(end) for end in (words.span(rows, "x").low, words.span(rows.iloc[0], "x").high)} == {float}
    assert (words.ranged(rows, "x"), words.ranged(rows.iloc[0], "x")) == ("1 to 4", "2 to 3")


@pytest.mark.parametrize(("work", "many"), [("token", "tokens"), ("query", "queries")])
def test_plural(work: str, many: str) -> None:
    assert words.plural(work) == many


def test_weights_are_told_by_number_of_accelerators() -> None:
    precision = ["fp16", "fp8", "int4"]
    held = pd.DataFrame({"accelerator": "H100 SXM", "precision": precision, "needed": [2, 1, 1]})
    states(precisions.fit(held, "H100 SXM", "LLM"), 1, 2, "LLM need 2 H100 SXM at fp16 and 1 H100 SXM at fp8 and int4.")


def test_the_order_of_price_names_those_on_offer_with_their_own_notes_alone() -> None:
    rows = pd.DataFrame({"accelerator": ["MI300X", "H200 SXM"], "verdict": ["", "cheaper"]})
    rows = rows.assign(source_ids=[("a",), ("b",)], notes=[PREVIEW, NONE])
    rows = rows.assign(break_even_low=[3.0, 4.0], break_even_high=[5.0, 6.0])
    finding = prices.order(rows, "H100 SXM")
    states(finding, 4, 6, "H200 SXM is cheaper until its hour costs 4 to 6 dollars.")
    assert (finding.notes, finding.sources) == (NONE, ["b"])
    nobody = prices.order(rows.assign(verdict=""), "H100 SXM")
    states(nobody, 3, 5, "stays open", "MI300X is as good at 3 to 5 dollars an hour.")
    assert (nobody.notes, nobody.sources) == (PREVIEW, ["a"])


@pytest.fixture
def offers() -> pd.DataFrame:
    """H100 at a dollar and L40S at four for the same million tokens, official rates of two rounds."""
    rows = pd.DataFrame({"accelerator": ["H100 SXM", "L40S"], "provider": "Cloud", "source_id": "p"})
    for end in ("low", "high"):
        rows = rows.assign(**{f"per_dollar_{end}": [1e6, 25e4], f"usd_per_million_{end}": [1.0, 4.0]})
    return rows.assign(rounds=[("v5.1",), ("v4.1",)], quoted="2025-01-01", notes=[NONE, PREVIEW],
                       source_ids=[("s",), ("t",)], best_of=["6 of 7 systems", "1 of 1 systems"])  # fmt: skip


def test_the_best_offer_has_the_notes_of_both_and_of_their_rounds(offers: pd.DataFrame) -> None:
    finding = prices.best_offer(offers, "LLM", "token")
    states(finding, 1e6, 1e6, "On LLM", "H100 SXM at Cloud: 1 million tokens, a million for 1 dollars", "L40S at Cloud",
           "(rate of the best of 6 of 7 systems)", "(best of 1 of 1 systems)")  # fmt: skip
    assert "least" not in prices.best_offer(offers.head(1), "LLM", "token").headline
    assert finding.notes == PREVIEW | {note("different_rounds", rounds="v5.1", other_rounds="v4.1")}
    assert finding.sources == ["p", "s", "t"]
    undated = prices.best_offer(offers.assign(quoted=["2025-01-01", "not stated"], rounds=[("v4.1",)] * 2), "", "token")
    assert codes(undated.notes) == ["preview", "prices_undated"]


def test_what_an_hour_is_worth_is_told_of_the_widest_pair() -> None:
    """H200 at 6 to 7.5 times L40S, H100 at 5 times: the widest is the first over the last."""
    names = ["H200 SXM", "H100 SXM", "L40S"]
    low = pd.DataFrame([[1, 1.2, 6], [1 / 1.5, 1, 5], [1 / 7.5, 0.2, 1]], index=names, columns=names)
    high = pd.DataFrame([[1, 1.5, 7.5], [1 / 1.2, 1, 5], [1 / 6, 0.2, 1]], index=names, columns=names)
    finding = prices.worth(Interval(low, high))
    states(finding, 6.0, 7.5, "One hour of H200 SXM is worth 6 to 7.5 hours of L40S")
    assert finding.name == "hours_worth"
    alone = Interval(low.iloc[:1, :1], high.iloc[:1, :1])
    lacks(prices.worth(alone), "Fewer than two accelerators")


def test_the_front_of_runs_is_told_by_rate_and_speed() -> None:
    runs = pd.DataFrame({"best": [True, True, False], "interactivity_low": [10.0, 40.0, 5.0]})
    runs = runs.assign(interactivity_high=[12.0, 50.0, 5.0], per_accelerator_low=[900.0, 300.0, 1.0])
    runs = runs.assign(per_accelerator_high=[1000.0, 310.0, 1.0])
    own = frozenset({note("few_requests")})
    finding = deployment.front(SimpleNamespace(runs=runs, notes=own))
    states(finding, 2, 2, "2 of 3 runs", "300 to 1,000 tokens/s", "users see 10 to 50 tokens/s")
    assert (finding.name, finding.notes) == ("runs_on_the_front", own)
    lacks(deployment.front(SimpleNamespace(runs=runs.assign(best=False), notes=own)), "no front")


def test_techniques_are_left_to_choose_from_or_needless() -> None:
    names = {"technique": ["fp16", "fp8", "int8", "gptq"], "dominated_by": ["", "", "fp8", "awq"]}
    rows = noted(pd.DataFrame(names | {"source_id": "a"}))
    finding = precisions.front(rows, "fp16")
    words = "int8 is nowhere better than fp8 and gptq than awq; fp16 and fp8 are left to choose from."
    states(finding, 2, 2, f"In speed, memory and quality {words}")
    assert codes(finding.notes) == ["batch_1_of_one_document"]
    states(precisions.front(rows.head(1), "fp16"), 1, 1, "fp16 is left to choose from.")
    above = noted(rows.head(1), frozenset({note("above_hardware")}))
    doubted = precisions.front(pd.concat([above, rows.tail(1)]), "fp16").notes
    assert doubted == {note("above_hardware", about=["fp16"]), note("batch_1_of_one_document")}


def test_a_gain_names_the_documents_that_give_and_say_it() -> None:
    rows = pd.DataFrame({"technique": "fp8", "source_id": ["a", "a", "b", "b"], "gain_low": [1.8, 3.6, 1.5, 1.7]})
    rows = noted(rows.assign(gain_high=[1.8, 3.6, 2.5, 1.7]))
    rows = rows.assign(statement=["from the table", "from the table, per accelerator", "stated", "stated"])
    finding = precisions.doubling(rows, "fp8", {"a": "Index", "b": "Post"})
    words = "where in words Post says 1.5 to 2.5 and 1.7; per accelerator it is 3.6 times."
    states(finding, 1.8, 1.8, "In the table of Index fp8 gives 1.8 ", words)
    assert (finding.name, codes(finding.notes)) == ("gain_fp8", ["batch_1_of_one_document"])


def test_what_another_precision_gives_is_told_of_how_many() -> None:
    rows = pd.DataFrame({"precision": ["fp8", "fp4"], "accelerator": "B200", "gain_low": [np.nan, 1.5]})
    rows = noted(rows.assign(gain_high=[np.nan, 1.6], basis="official v5.1", source_ids=[("s",)] * 2))
    finding = precisions.official_gain(rows, "LLM")
    states(
        finding, 1.5, 1.6, "On LLM, best against best, FP4 gives 1.5 to 1.6 times the FP8 of B200 (v5.1); 1 of 1 pairs"
    )
    lacks(precisions.official_gain(rows.head(1), "LLM"), "no accelerator", "(0 of 1 pairs of accelerator and round)")


def test_accelerators_that_hold_the_weights_alone_are_told_of_how_many() -> None:
    held = pd.DataFrame({"accelerator": ["small", "large", "largest"], "memory_gb": [24.0, 80.0, 192.0]})
    held = held.assign(precision="fp8", needed=[3, 1, 1])
    states(
        precisions.fit_everywhere(held, "LLM"),
        2,
        2,
        "At FP8 2 of 3 accelerators hold the weights of LLM alone, from large",
    )
    states(
        precisions.fit_everywhere(held.head(1), "LLM"), 0, 0, "At FP8 0 of 1 accelerator hold the weights of LLM alone."
    )


def test_the_figure_by_precision_has_the_fastest_accelerators_in_their_newest_rounds() -> None:
    rows = pd.DataFrame({
        "accelerator": ["new", "new", "old", "new"], "precision": ["fp4", "fp8", "fp8", "fp8"],
        "basis": ["v6.0", "v6.0", "v5.1", "v5.1"], "per_accelerator_high": [1.0, 0.5, 3.0, 9.0],
    })  # fmt: skip
    drawn = precisions.by_accelerator(rows)
    assert drawn["accelerator"].tolist() == ["old", "new", "new"] and set(drawn["basis"]) == {"v6.0", "v5.1"}
    assert precisions.by_accelerator(rows, most=1)["accelerator"].tolist() == ["old"]


def test_gains_by_another_model_are_noted_as_what_they_are() -> None:
    route = pd.DataFrame({"technique": ["pruned"], "benchmark": "llm", "source_id": "a", "gain_low": 2.0})
    routes = precisions.routes(route.assign(gain_high=2.5))
    states(routes, 2.0, 2.5, "2 to 2.5 times", "pruned on llm")
    assert codes(routes.notes) == ["stated_by_submitter"]


def test_the_need_under_the_measured_derate_keeps_what_is_said_with_it() -> None:
    own = Finding("accelerators_needed", Interval(2, 3), plans.NEED, "Users need two.", ["s"], PREVIEW)
    other = plans.need_if_measured(own, derates().head(2))
    states(other, 2, 3, "With the measured derate of 0.5 to 0.7 (2 systems, a and b, v4.1)", "Users need two.")
    assert (other.name, other.sources, other.notes) == ("accelerators_needed_if_measured", ["s"], PREVIEW)
    assert plans.need_if_measured(Finding("a", None, "b", "None."), derates()).headline == "None."


def test_kilowatts_say_what_they_are_of() -> None:
    """By a meter those of as many as its run's throughput takes; without one at most the limits, with a note."""
    draws = pd.DataFrame({"accelerators": [2.0], "metered": [3.0], "kilowatts": [2.5]})
    draws = draws.reindex(columns=[*draws, *(name for name in sizing.OUTPUTS if name not in draws)])
    demand, most = Demand(100, 30.0), frozenset({note("no_meter", accelerator="L40S")})
    planned = Planned(draws, demand, "L40S", pd.DataFrame(), "of 1 system", True, NONE, NONE)
    metered = "3 L40S at the throughput that they had while power was metered draw 2.5 kW with"
    states(plans.kilowatts(planned), 2.5, 2.5, metered, "of the building, of 1 system.")
    bound = replace(planned, metered=False, power_notes=most, draws=draws.assign(metered=2.0))
    states(plans.kilowatts(bound), 2.5, 2.5, "2 L40S draw at most 2.5 kW")
    assert plans.kilowatts(bound).notes == most
    lacks(plans.kilowatts(replace(planned, draws=draws.assign(kilowatts=np.nan))), "not known")
    assert {"metered", "kilowatts"} <= set(plans.plan_rows(planned, "token")["output"])
    assert "metered" not in set(plans.plan_rows(bound, "token")["output"])


def test_the_price_of_accuracy_stands_by_what_is_left() -> None:
    """Middles 0.6, 0.9 and 0.5: the benchmark of the least one first, its rows together."""
    rows = pd.DataFrame(
        {"benchmark": ["llm", "images", "llm"], "kept_low": [0.4, 0.9, 0.5], "kept_high": [0.9, 0.9, 0.5]}
    )
    assert precisions.accuracy_rows(rows)["kept_high"].tolist() == [0.5, 0.9, 0.9]
    assert precisions.accuracy_rows(rows)["benchmark"].tolist() == ["llm", "llm", "images"]
    assert precisions.accuracy_rows(rows.head(0)).empty
