"""The findings of the reports: computed from their frames, and a headline also where there is nothing to say."""

from collections.abc import Callable
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
from analysis.themes import cost, derating, power, quantization, speedup
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
def speedups(comparable_rows: Rows) -> pd.DataFrame:
    """B200 at 2 to 2.5 times H100, L40S at a quarter of it."""
    part = {"low": 1600.0, "high": 2000.0, "notes": PREVIEW}
    return speedup.over_baseline(comparable_rows({}, NEW | part, {"accelerator": "L40S", "low": 200.0}), "H100 SXM")


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


def test_fastest_names_the_leader_and_its_range(speedups: pd.DataFrame) -> None:
    finding = generations.fastest(speedups, "H100 SXM", "LLM Offline")
    words = "On LLM Offline, B200 SXM leads at 2 to 2.5 times H100 SXM per accelerator (official v4.1)."
    assert (finding.headline, finding.said) == (words, f"{words} Caveat: {note('preview', round='v4.1').text}.")
    assert (finding.name, finding.value, finding.unit) == ("fastest", Interval(2.0, 2.5), generations.TIMES)
    assert (finding.sources, finding.notes) == (["mlcommons-v4.1"], PREVIEW)


def test_ladder_has_one_finding_per_other_accelerator(speedups: pd.DataFrame) -> None:
    found = generations.ladder(speedups, "H100 SXM", "LLM Offline")
    values = [(own.name, own.value) for own in found]
    assert values == [("speedup_b200_sxm", Interval(2.0, 2.5)), ("speedup_l40s", Interval(0.25, 0.25))]
    assert [own.notes for own in found] == [PREVIEW, NONE]
    assert all(part in found[0].headline for part in ("B200 SXM", "H100 SXM", "LLM Offline", "official v4.1"))


def test_across_benchmarks_takes_the_accelerator_measured_on_most(speedups: pd.DataFrame) -> None:
    second = speedups[speedups["accelerator"].ne("L40S")].assign(benchmark="images", speedup_low=1.0)
    grid = pd.concat([speedups, second], ignore_index=True)
    words = "over 2 benchmarks B200 SXM gives from 1 to 2.5 times H100 SXM on IMAGES up to 2 to 2.5 times on LLM."
    finding = generations.across(grid, "H100 SXM", str.upper)
    states(finding, 1.0, 2.5, words)
    assert finding.notes == PREVIEW
    some = generations.across(grid.assign(notes=[NONE, PREVIEW, NONE, NONE, NONE]), "H100 SXM", str.upper)
    assert some.notes == {note("preview", about=["LLM"], round="v4.1")}


def test_across_a_single_benchmark_nothing_is_said_to_depend_on_it(speedups: pd.DataFrame) -> None:
    finding = generations.across(speedups, "H100 SXM", str)
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


def test_leader_of_another_round_is_told_where_it_was_further_ahead(two_rounds: pd.DataFrame) -> None:
    leading = gate.official_first(two_rounds)
    states(generations.fastest(leading, "H100 SXM", "LLM"), 2.5, 2.6, "GB200", "(official v5.1)")
    (before,) = generations.ahead_elsewhere(two_rounds, leading, "H100 SXM")
    states(before, 4.0, 4.0, "In v4.1, B200 SXM was further ahead, at 4 times.")
    assert before.notes == PREVIEW
    less = two_rounds.assign(speedup_high=two_rounds["speedup_high"].clip(upper=2.6)).assign(speedup_low=2.0)
    assert generations.ahead_elsewhere(less, gate.official_first(less), "H100 SXM") == []


def test_a_document_is_no_other_round(two_rounds: pd.DataFrame) -> None:
    paper = two_rounds.assign(origin="published", basis="Paper")
    leading = gate.official_first(two_rounds).query("basis == 'official v5.1'")
    both = pd.concat([leading, paper], ignore_index=True)
    assert generations.ahead_elsewhere(both, leading, "H100 SXM") == []


def test_rows_of_the_figure_are_ranked_as_the_answer_ranks_them(two_rounds: pd.DataFrame) -> None:
    paper = two_rounds.tail(1).assign(basis="Paper", origin="published", speedup_low=9.0, speedup_high=9.0)
    every = pd.concat([paper, two_rounds], ignore_index=True)
    rows = generations.in_order(every, gate.official_first(every), "H100 SXM")
    assert [*zip(rows["accelerator"], rows["basis"], strict=True)] == [
        ("GB200", "official v5.1"), ("GB200", "Paper"), ("B200 SXM", "official v5.1"), ("B200 SXM", "official v4.1"),
    ]  # fmt: skip


def test_facts_that_explain_as_well_as_each_other_are_named_together() -> None:
    explained = pd.DataFrame({"spec": ["a", "b", "c"], "miss": [1.261, 1.263, 1.5], "accelerators": 6})
    words = (
        "On LLM, a and b explain the speedups best: over 6 accelerators the datasheet ratio is off by a factor of 1.26"
    )
    states(generations.explanation(explained, "LLM"), 1.261, 1.261, words, "that of c by 1.5.")
    states(generations.explanation(explained.iloc[1:], "LLM"), 1.263, 1.263, "b explains ")


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
    both = pd.DataFrame([claim | {"round": "v4.1"}, claim | {"round": ""}])
    rows = generations.claim_rows(both, {"doc": "Post"}, str.upper)
    where = "H200 over H100\nLLM Offline, Post"
    assert rows["claim"].tolist() == [where, f"{where}, no round"]


def test_another_choice_is_set_against_the_answer(speedups: pd.DataFrame) -> None:
    there = speedups.assign(speedup_low=[1.0, 3.0, 0.5], speedup_high=[1.0, 3.0, 0.5])
    words = "No: B200 SXM leads on LLM Server too, at 3 times H100 SXM, against 2 to 2.5 above (official v4.1)."
    finding = generations.leader_under_other_choice(speedups, there, "H100 SXM", "LLM Server")
    assert (finding.value, finding.headline, finding.notes) == (Interval(3.0, 3.0), words, PREVIEW)
    later = there.assign(basis="official v5.1")
    parts = "No: ", "H100 SXM (official v5.1), against", "above (official v4.1)."
    states(generations.leader_under_other_choice(speedups, later, "H100 SXM", "LLM Server"), 3.0, 3.0, *parts)


def test_another_leader_under_another_choice_is_named(speedups: pd.DataFrame) -> None:
    there = speedups.assign(speedup_low=[1.0, 3.0, 5.0], speedup_high=[1.0, 3.0, 5.0])
    finding = generations.leader_under_other_choice(speedups, there, "H100 SXM", "LLM Server")
    states(finding, 5.0, 5.0, "Yes: ", "LLM Server, L40S leads", "and B200 SXM gives 3 (official v4.1).")
    assert finding.notes == {note("preview", about=["B200 SXM"], round="v4.1")}
    there = there[there["accelerator"].ne("B200 SXM")]
    finding = generations.leader_under_other_choice(speedups, there, "H100 SXM", "LLM Server")
    states(finding, 5.0, 5.0, "Yes: ", "(official v4.1); B200 SXM has no comparable figure there.")
    assert finding.notes == NONE


def test_grid_has_the_fastest_on_top_and_benchmarks_in_the_order_of_the_table(speedups: pd.DataFrame) -> None:
    grid = pd.concat([speedups.assign(benchmark="images"), speedups])
    benchmarks = pd.DataFrame({"benchmark": ["llm", "images", "scan"], "label": ["LLM", "Images", "Scans"]})
    values, cells = generations.grid_frames(grid, benchmarks)
    assert list(values.columns) == list(cells.columns) == ["LLM", "Images"]
    assert list(values.index) == list(cells.index) == ["B200 SXM", "H100 SXM", "L40S"]
    assert cells["LLM"].tolist() == ["2–2.5", "1", "0.25"]
    assert values["LLM"].tolist() == pytest.approx([5**0.5, 1.0, 0.25], rel=1e-12)


def test_steps_and_software_are_findings(speedups: pd.DataFrame) -> None:
    software = speedups.head(1).assign(speedup_low=1.1, speedup_high=1.2)
    stepped = speedups.iloc[[1]].assign(step="H100 SXM to B200 SXM")
    found = generations.decomposition(stepped, software, "v4.1", "v5.1")
    assert [own.name for own in found] == ["step_h100_sxm_to_b200_sxm", "software"]
    states(found[0], 2.0, 2.5, "H100 SXM to B200 SXM gives 2 to 2.5 times (official v4.1).")
    states(found[1], 1.1, 1.2, "In v5.1 the same accelerators give 1.1 to 1.2 times as much as in v4.1: H100 SXM.")
    assert [own.notes for own in found] == [PREVIEW, NONE]


def test_of_software_nothing_is_said_within_one_round(speedups: pd.DataFrame) -> None:
    (finding,) = generations.decomposition(speedups.head(0), speedups.head(0), "v5.1", "v5.1")
    lacks(finding, "v5.1 is the only round here", "submitters lie apart")
    (other,) = generations.decomposition(speedups.head(0), speedups.head(0), "v4.1", "v5.1")
    lacks(other, "both v4.1 and v5.1")
    assert generations.software_heading("v5.1", "v5.1") == "The same accelerator in two rounds"
    assert generations.software_heading("v4.1", "v5.1") == "The same accelerator in v5.1 over v4.1"


def test_energy_of_the_most_efficient_system(comparable_rows: Rows) -> None:
    run = {"low": 16_000.0, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
    rows = comparable_rows(run, run | NEW | {"low": 32_000.0})
    spent = power.energy(power.efficiency(rows), 0.36, 1.0)
    finding = watts.energy(spent, "H100 SXM", "LLM Offline", "query")
    states(finding, 0.0125, 0.0125, "B200 SXM takes 0.125 joules per query at the wall, H100 SXM 0.25 (official v4.1);",
           "a million queries cost 0.0125 against 0.025 US dollars")  # fmt: skip
    assert (finding.name, "million queries" in finding.unit, finding.notes) == ("energy_price", True, NONE)
    states(watts.most_efficient(spent, "H100 SXM", "LLM"), 2.0, 2.0, "B200 SXM gives 2 times", "8 against 4")
    best = watts.energy(spent, "B200 SXM", "LLM Offline", "query")
    states(best, 0.0125, 0.0125, "B200 SXM takes 0.125 joules", ", H100 SXM 0.25 (official v4.1);")
    alone = watts.energy(spent[spent["accelerator"].eq("B200 SXM")], "H100 SXM", "LLM Offline", "query")
    states(alone, 0.0125, 0.0125, "no power submission of H100 SXM")


def test_efficiencies_of_two_rounds_are_noted_as_such(comparable_rows: Rows) -> None:
    run = {"low": 16_000.0, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
    rows = comparable_rows(run, run | NEW | {"low": 32_000.0, "round": "v5.1", "notes": PREVIEW})
    spent = power.energy(power.efficiency(rows), 0.36, 1.0)
    own = {note("preview", about=["B200 SXM"], round="v4.1")}
    own |= {note("different_rounds", rounds="v5.1", other_rounds="v4.1")}
    assert watts.energy(spent, "H100 SXM", "LLM", "token").notes == own
    assert watts.most_efficient(spent, "H100 SXM", "LLM").notes == own


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


def test_efficiency_is_compared_within_one_suite(comparable_rows: Rows) -> None:
    """Datacenter rows of 4 and 12 a watt, 3 times; the edge row of 16 a watt would be 4 times."""
    run = {"power_watts_low": 1000.0, "power_watts_high": 1000.0}
    rows = comparable_rows(
        run | {"low": 4000.0}, run | NEW | {"low": 12_000.0}, run | NEW | {"low": 16_000.0, "suite": "edge"}
    )
    finding = watts.most_efficient(power.efficiency(rows), "H100 SXM", "images")
    states(finding, 3.0, 3.0, "On images, B200 SXM gives 3 times", "H100 SXM in the datacenter suite", "12 against 4")
    edge = rows[rows["suite"].eq("edge") | rows["accelerator"].eq("H100 SXM")]
    lacks(watts.most_efficient(power.efficiency(edge), "H100 SXM", "images"), "in one suite")


def test_mixing_is_told_in_per_cent_of_either_side() -> None:
    rows = noted(pd.DataFrame({"benchmark": ["llm", "images"], "accelerator": "H100 SXM", "source_ids": [("s",)] * 2}))
    rows = rows.assign(share_low=[0.64, 1.25], share_high=[0.8, 1.25], overstated_low=[1.25, 0.8])
    rows = rows.assign(overstated_high=[1.5625, 0.8])
    finding = watts.capped(rows)
    states(finding, 0.8, 1.5625, "64 to 125 %", "llm on H100 SXM least", "20 % too little to 56 % too m")
    assert (finding.sources, finding.notes) == (["s"], NONE)
    states(watts.capped(rows.head(1)), 1.25, 1.5625, "reach 64 to 80 % of", "by 25 to 56 % too much.")


def test_implied_watts_that_hold_are_counted() -> None:
    rows = pd.DataFrame(
        {"benchmark": "llm", "scenario": "Offline", "source_id": "a", "implied_watts_low": [1.0, 100.0]}
    ).assign(accelerator="H100 SXM", accelerator_count=8)
    rows = rows.assign(implied_watts_high=[2.0, 150.0], holds=pd.array([True, False], dtype="boolean"))
    states(watts.implied(rows), 1, 1, "8x H100 SXM could draw 1 to 2 W on llm Offline", "1 of 2 cases")


def test_a_ratio_to_power_limits_is_noted_as_unofficial(comparable_rows: Rows) -> None:
    """5,600 and 8,400 W at the wall over 8 x 700 W."""
    runs = [{"power_watts_low": watts_, "power_watts_high": watts_, "low": 1.0} for watts_ in (5600.0, 8400.0)]
    limits = pd.DataFrame({"accelerator": ["H100 SXM"], "power_limit_w": [700.0]})
    finding = watts.limits(power.beside_limits(comparable_rows(runs[0], runs[1] | {"notes": PREVIEW}), limits))
    states(finding, 1.0, 1.5, "1 to 1.5 times", "(H100 SXM)")
    assert codes(finding.notes) == ["preview", "unofficial_ratio"]


def test_the_figure_of_limits_has_a_row_per_accelerator_and_round_with_its_notes() -> None:
    rows = pd.DataFrame({"benchmark": "llm", "accelerator": ["A", "A", "B"], "round": "v4.1"})
    rows = rows.assign(of_limits_low=[1.0, 1.2, 1.5], of_limits_high=[1.1, 1.3, 1.6], notes=[PREVIEW, NONE, NONE])
    spread = watts.limit_rows(rows)
    assert spread[["accelerator", "of_limits_low", "of_limits_high", "notes"]].to_numpy().tolist() == [
        ["B", 1.5, 1.6, NONE],
        ["A", 1.0, 1.3, PREVIEW],
    ]


def test_derate_and_band_are_told() -> None:
    frame = pd.DataFrame(
        {"accelerator": ["a", "b", "c"], "derate_low": [0.5, 0.65, 0.9], "derate_high": [0.55, 0.7, 1.0]}
    )
    frame = frame.assign(source_ids=[("s",), ("s", "t"), ()], notes=[PREVIEW, NONE, NONE])
    finding = plans.derate(frame, "LLM")
    states(finding, 0.5, 1.0, "On LLM, systems keep 0.5 to 1 of their Offline throughput, a least")
    assert (finding.sources, finding.notes) == (["s", "t"], {note("preview", about=["a"], round="v4.1")})
    assert "faster one" in plans.derate(frame.assign(derate_high=1.1), "LLM").headline
    band = plans.band(frame, Interval(0.6, 0.8))
    states(band, 1, 1, "Of 3 derates", "1 lie within", "0.6 to 0.8, 1 wholly above it, 1 wholly below and 0 across")
    assert band.notes == finding.notes


def test_counts_of_derates_add_up() -> None:
    """0.55 to 0.7 and 0.5 to 0.9 reach over an end of the band, 0.6 to 0.8 lies within."""
    frame = pd.DataFrame({"derate_low": [0.55, 0.5, 0.6, 0.9], "derate_high": [0.7, 0.9, 0.8, 1.0]})
    frame = frame.assign(accelerator="a", source_ids=[("s",)] * 4)
    states(plans.band(frame, Interval(0.6, 0.8)), 1, 1, "Of 4", "1 lie", "1 wholly above", "0 wholly below", "2 across")


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


def test_nothing_to_say_about_generations_is_said() -> None:
    none = EMPTY_SPEEDUPS
    beside = none.assign(spec=[], spec_ratio_low=[], spec_ratio_high=[])
    found = [
        generations.fastest(none, "H100 SXM", "LLM"),
        generations.across(none, "H100 SXM", str),
        generations.explanation(speedup.explained_by(beside), "LLM"),
        *generations.decomposition(none.assign(step=[]), none, "v4.1", "v5.1"),
        generations.claims(none.assign(verdict=[]), none.assign(round=[])),
        generations.leader_under_other_choice(none, none, "H100 SXM", "LLM"),
    ]
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
    limits = power.beside_limits(none, pd.DataFrame({"accelerator": [], "power_limit_w": []}))
    found = [
        watts.energy(spent, "H100 SXM", "LLM", "token"),
        watts.implied(power.implied_watts(none)),
        watts.capped(power.capped(none, none)),
        watts.limits(limits),
        watts.most_efficient(spent, "H100 SXM", "LLM"),
        watts.energy_in_other_scenario(spent, "H100 SXM", "LLM", "token"),
    ]
    assert {own.value for own in found} == {None}
    assert len({own.name for own in found}) == 6
    assert watts.by_energy(spent).empty
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
        precisions.accuracy(quantization.price_of_accuracy(comparable_rows(), comparable_rows())),
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
        plans.need_if_measured(planned, derating.overall(measured)),
    ]
    assert {own.value for own in found} == {None}
    assert len({own.name for own in found}) == 7


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
                       source_ids=[("s",), ("t",)])  # fmt: skip


def test_the_best_offer_has_the_notes_of_both_and_of_their_rounds(offers: pd.DataFrame) -> None:
    finding = prices.best_offer(offers, "LLM", "token")
    states(finding, 1e6, 1e6, "On LLM", "H100 SXM at Cloud: 1 million tokens, a million for 1 dollars", "L40S at Cloud")
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


def test_gains_by_precision_and_by_another_model_are_noted_as_what_they_are() -> None:
    rows = pd.DataFrame({"precision": ["fp8", "fp4"], "accelerator": "B200", "gain_low": [np.nan, 1.5]})
    rows = noted(
        rows.assign(gain_high=[np.nan, 1.6], basis="official v5.1", known_from="name", source_ids=[("s",)] * 2)
    )
    finding = precisions.official_gain(rows, "LLM")
    states(finding, 1.5, 1.6, "Of LLM", "fp4 on B200 gives 1.5 to 1.6 times", "official v5.1, name")
    assert codes(finding.notes) == ["mixed_within_row"]
    lacks(precisions.official_gain(rows.head(1), "LLM"), "No accelerator")
    route = pd.DataFrame({"technique": ["pruned"], "benchmark": "llm", "source_id": "a", "gain_low": 2.0})
    routes = precisions.routes(route.assign(gain_high=2.5))
    states(routes, 2.0, 2.5, "2 to 2.5 times", "pruned on llm")
    assert codes(routes.notes) == ["stated_by_submitter"]


def test_the_need_under_the_measured_derate_keeps_what_is_said_with_it() -> None:
    own = Finding("accelerators_needed", Interval(2, 3), plans.NEED, "Users need two.", ["s"], PREVIEW)
    other = plans.need_if_measured(own, Interval(0.5, 0.7))
    states(other, 2, 3, "With the measured derate of 0.5 to 0.7", "Users need two.")
    assert (other.name, other.sources, other.notes) == ("accelerators_needed_if_measured", ["s"], PREVIEW)
    assert plans.need_if_measured(Finding("a", None, "b", "None."), Interval(0.5, 0.7)).headline == "None."


def test_the_price_of_accuracy_stands_by_what_is_left() -> None:
    """Middles 0.6, 0.9 and 0.5: the benchmark of the least one first, its rows together."""
    rows = pd.DataFrame(
        {"benchmark": ["llm", "images", "llm"], "kept_low": [0.4, 0.9, 0.5], "kept_high": [0.9, 0.9, 0.5]}
    )
    assert precisions.accuracy_rows(rows)["kept_high"].tolist() == [0.5, 0.9, 0.9]
    assert precisions.accuracy_rows(rows)["benchmark"].tolist() == ["llm", "llm", "images"]
    assert precisions.accuracy_rows(rows.head(0)).empty
