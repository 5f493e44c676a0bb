"""The sentences of the reports: computed from their frames, and a sentence also where there is nothing to say."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.answers import generational_speedup as generations
from analysis.answers import power_efficiency as watts
from analysis.answers import price_performance as prices
from analysis.answers import quantization_tradeoffs as precisions
from analysis.answers import real_world_derating as plans
from analysis.answers import words
from analysis.compare import gate
from analysis.compare.gate import Question
from analysis.core import parameters
from analysis.core.citation import cited
from analysis.core.findings import Finding
from analysis.core.interval import Interval
from analysis.data.catalog import Catalog
from analysis.themes import cost, derating, power, quantization, speedup
from analysis.themes.derating import Demand

Rows = Callable[..., pd.DataFrame]
NEW = {"accelerator": "B200 SXM"}
EMPTY_SPEEDUPS = speedup.over_baseline(pd.DataFrame(columns=["benchmark", "scenario", "basis", "accelerator"]), "")


@pytest.fixture
def nothing(results: Rows, benchmarks: pd.DataFrame) -> gate.Comparison:
    """A comparison that no row answers."""
    return gate.select(results(), benchmarks, Question("llm", "Server"))


@pytest.fixture
def speedups(comparable_rows: Rows) -> pd.DataFrame:
    """B200 at 2 to 2.5 times H100, L40S at a quarter of it."""
    part = {"low": 1600.0, "high": 2000.0, "caveat": "preview"}
    return speedup.over_baseline(comparable_rows({}, NEW | part, {"accelerator": "L40S", "low": 200.0}), "H100 SXM")


def said(finding: Finding, low: float | None, high: float | None, *parts: str) -> None:
    """The finding has this range, and its sentence these parts."""
    assert (finding.low, finding.high) == (low, high)
    assert [part for part in parts if part not in finding.said] == [], finding.said


def test_fastest_names_the_leader_and_its_range(speedups: pd.DataFrame) -> None:
    finding = generations.fastest(speedups, "H100 SXM", "LLM Offline")
    said(finding, 2.0, 2.5, "On LLM Offline, B200 SXM leads at 2 to 2.5 times H100 SXM", "Caveat: preview.")
    assert finding.sources == ["mlcommons-v4.1"]


def test_ladder_has_one_finding_per_other_accelerator(speedups: pd.DataFrame) -> None:
    found = generations.ladder(speedups, "H100 SXM", "LLM Offline")
    assert [(each.name, each.low) for each in found] == [("speedup_b200_sxm", 2.0), ("speedup_l40s", 0.25)]


def test_across_benchmarks_takes_the_accelerator_measured_on_most(speedups: pd.DataFrame) -> None:
    second = speedups[speedups["accelerator"].ne("L40S")].assign(benchmark="images", speedup_low=1.0)
    grid = pd.concat([speedups, second], ignore_index=True)
    words = "over 2 benchmarks B200 SXM gives from 1 to 2.5 times H100 SXM on IMAGES up to 2 to 2.5 times on LLM."
    said(generations.across(grid, "H100 SXM", str.upper), 1.0, 2.5, words)


def test_across_a_single_benchmark_nothing_is_said_to_depend_on_it(speedups: pd.DataFrame) -> None:
    said(
        generations.across(speedups, "H100 SXM", str),
        2.0,
        2.5,
        "B200 SXM gives 2 to 2.5 times H100 SXM on llm, its only",
    )


@pytest.fixture
def two_rounds(comparable_rows: Rows) -> pd.DataFrame:
    """In v4.1 B200 at 4 times H100, in v5.1 at 2 to 3, behind GB200 at 2.5 to 2.6."""
    later = {"round": "v5.1", "source_id": "mlcommons-v5.1"}
    rows = comparable_rows(
        {}, NEW | {"low": 3200.0, "caveat": "preview"},
        later, later | NEW | {"low": 1600.0, "high": 2400.0},
        later | {"accelerator": "GB200", "low": 2000.0, "high": 2080.0},
    )  # fmt: skip
    return speedup.over_baseline(rows, "H100 SXM")


def test_leader_of_another_round_is_told_where_it_was_further_ahead(two_rounds: pd.DataFrame) -> None:
    leading = gate.official_first(two_rounds)
    said(generations.fastest(leading, "H100 SXM", "LLM"), 2.5, 2.6, "GB200 leads at 2.5 to 2.6", "(official v5.1)")
    (before,) = generations.ahead_elsewhere(two_rounds, leading, "H100 SXM")
    said(before, 4.0, 4.0, "In v4.1, B200 SXM was further ahead, at 4 times.", "Caveat: preview.")
    less = two_rounds.assign(speedup_high=two_rounds["speedup_high"].clip(upper=2.6)).assign(speedup_low=2.0)
    assert generations.ahead_elsewhere(less, gate.official_first(less), "H100 SXM") == []


def test_rows_of_the_figure_are_ranked_as_the_answer_ranks_them(two_rounds: pd.DataFrame) -> None:
    paper = two_rounds.tail(1).assign(basis="Paper", speedup_low=9.0, speedup_high=9.0)
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
    said(generations.explanation(explained, "LLM"), 1.261, 1.261, words, "that of c by 1.5.")
    said(generations.explanation(explained.iloc[1:], "LLM"), 1.263, 1.263, "On LLM, b explains the speedups best")


def test_claims_that_hold_are_counted() -> None:
    verdicts = ["holds", "exceeded", "holds", speedup.UNDER, speedup.UNDER, speedup.OVER, "not reached"]
    judged = pd.DataFrame({"verdict": verdicts, "source_id": "a", "accelerator": "part"})
    none = pd.DataFrame({"round": []})
    counts = (
        "In 7 comparisons of stated speedups with figures of their own round, 2 hold, 1 is not reached, 1 is exceeded"
    )
    counts += ", 2 are “up to” claims above what was measured and 1 is an “at least” claim below what was measured."
    said(generations.claims(judged, none), 2, 2, counts)
    assert generations.claims(judged, none).sentence == counts == generations.claims_title(judged)
    said(generations.claims(judged.tail(1), none), 0, 0, "In 1 comparison of", "0 hold and 1 is not reached.")


def test_claims_of_other_rounds_are_counted_apart() -> None:
    others = pd.DataFrame({"round": ["v4.1", "v4.0", "v4.1"]})
    words = "Not judged: 3 more, of v4.0 and v4.1: not compared here."
    said(generations.claims(pd.DataFrame({"verdict": []}), others), None, None, "No stated speedup", words)


def test_claims_of_one_subject_with_and_without_a_round_have_rows_of_their_own() -> None:
    claim = {"subject": "H200", "baseline": "H100", "benchmark": "llm", "scenario": "Offline", "source_id": "doc"}
    both = pd.DataFrame([claim | {"round": "v4.1"}, claim | {"round": ""}])
    rows = generations.claim_rows(both, {"doc": "Post"}, str.upper)
    where = "H200 over H100\nLLM Offline, Post"
    assert rows["claim"].tolist() == [where, f"{where}, no round"]


def test_another_choice_is_set_against_the_answer(speedups: pd.DataFrame) -> None:
    there = speedups.assign(speedup_low=[1.0, 3.0, 0.5], speedup_high=[1.0, 3.0, 0.5])
    words = "No: B200 SXM leads on LLM Server too, at 3 times H100 SXM, against 2 to 2.5 above (official v4.1)."
    said(generations.other_choice(speedups, there, "H100 SXM", "LLM Server"), 3.0, 3.0, words)
    words = "at 3 times H100 SXM (official v5.1), against 2 to 2.5 above (official v4.1)."
    later = there.assign(basis="official v5.1")
    said(generations.other_choice(speedups, later, "H100 SXM", "LLM Server"), 3.0, 3.0, words)


def test_another_leader_under_another_choice_is_named(speedups: pd.DataFrame) -> None:
    there = speedups.assign(speedup_low=[1.0, 3.0, 5.0], speedup_high=[1.0, 3.0, 5.0])
    words = "Yes: on LLM Server, L40S leads at 5 times H100 SXM, and B200 SXM gives 3 (official v4.1)."
    said(generations.other_choice(speedups, there, "H100 SXM", "LLM Server"), 5.0, 5.0, words)
    words = "L40S leads at 5 times H100 SXM (official v4.1); B200 SXM has no comparable figure there."
    there = there[there["accelerator"].ne("B200 SXM")]
    said(generations.other_choice(speedups, there, "H100 SXM", "LLM Server"), 5.0, 5.0, words)


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
    assert [each.name for each in found] == ["step_h100_sxm_to_b200_sxm", "software"]
    said(found[0], 2.0, 2.5, "H100 SXM to B200 SXM gives 2 to 2.5 times (official v4.1).")
    said(found[1], 1.1, 1.2, "In v5.1 the same accelerators give 1.1 to 1.2 times as much as in v4.1: H100 SXM.")


def test_of_software_nothing_is_said_within_one_round(speedups: pd.DataFrame) -> None:
    (finding,) = generations.decomposition(speedups.head(0), speedups.head(0), "v5.1", "v5.1")
    said(finding, None, None, "Of software nothing is said: v5.1 is the only round here", "submitters lie apart")
    assert generations.software_heading("v5.1", "v5.1") == "The same accelerator in two rounds"
    assert generations.software_heading("v4.1", "v5.1") == "The same accelerator in v5.1 over v4.1"


def test_energy_of_the_most_efficient_system(comparable_rows: Rows) -> None:
    run = {"low": 16_000.0, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
    rows = comparable_rows(run, run | NEW | {"low": 32_000.0})
    spent = power.energy(power.efficiency(rows), 0.36, 1.0)
    finding = watts.energy(spent, "H100 SXM", "LLM Offline", "query")
    said(finding, 0.0125, 0.0125, "B200 SXM takes 0.125 joules per query at the wall, H100 SXM 0.25 (official v4.1);",
         "a million queries cost 0.0125 against 0.025 US dollars")  # fmt: skip
    said(watts.most_efficient(spent, "H100 SXM", "LLM"), 2.0, 2.0, "B200 SXM gives 2 times", "8 against 4")
    best = watts.energy(spent, "B200 SXM", "LLM Offline", "query")
    said(best, 0.0125, 0.0125, "B200 SXM takes 0.125 joules per query at the wall, H100 SXM 0.25 (official v4.1);")


def test_a_meter_goes_before_a_printed_figure_that_is_lower(comparable_rows: Rows) -> None:
    """16,000 a second at 4,000 W: 0.25 joules by the meter; printed 3.5 to 6 a watt, in the middle 0.218 joules."""
    run = {"low": 16_000.0, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
    printed = {"origin": "published", "low": 16_000.0, "per_watt_low": 3.5, "per_watt_high": 6.0}
    spent = power.energy(power.efficiency(comparable_rows(printed, run, printed | NEW)), 0.36, 1.0)
    said(watts.energy(spent, "B200 SXM", "LLM", "query"), 0.025, 0.025, "H100 SXM takes 0.25 joules per query at the",
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
    said(watts.most_efficient(power.efficiency(rows), "H100 SXM", "images"), 3.0, 3.0, "12 against 4")
    edge = rows[rows["suite"].eq("edge") | rows["accelerator"].eq("H100 SXM")]
    said(watts.most_efficient(power.efficiency(edge), "H100 SXM", "images"), None, None, "in one suite")


def test_mixing_is_told_in_per_cent_of_either_side() -> None:
    rows = pd.DataFrame({"benchmark": ["llm", "images"], "accelerator": "H100 SXM", "source_ids": "s", "caveat": ""})
    rows = rows.assign(share_low=[0.64, 1.25], share_high=[0.8, 1.25], overstated_low=[1.25, 0.8])
    rows = rows.assign(overstated_high=[1.5625, 0.8])
    said(
        watts.capped(rows),
        0.8,
        1.5625,
        "reach 64 to 125 % of",
        "llm on H100 SXM least",
        "20 % too little to 56 % too m",
    )
    said(watts.capped(rows.head(1)), 1.25, 1.5625, "reach 64 to 80 % of", "by 25 to 56 % too much.")


def test_implied_watts_that_hold_are_counted() -> None:
    rows = pd.DataFrame(
        {"benchmark": "llm", "scenario": "Offline", "source_id": "a", "implied_watts_low": [1.0, 100.0]}
    ).assign(accelerator="H100 SXM", accelerator_count=8)
    rows = rows.assign(implied_watts_high=[2.0, 150.0], holds=pd.array([True, False], dtype="boolean"))
    said(watts.implied(rows), 1, 1, "8x H100 SXM could draw 1 to 2 W on llm Offline", "1 of 2 cases")


def test_derate_and_band_are_told() -> None:
    found = pd.DataFrame(
        {"accelerator": ["a", "b", "c"], "derate_low": [0.5, 0.65, 0.9], "derate_high": [0.55, 0.7, 1.0]}
    )
    found = found.assign(source_ids="s", caveat="")
    said(plans.derate(found, "LLM"), 0.5, 1.0, "keep 0.5 to 1 of their Offline throughput, a least")
    said(
        plans.band(found, Interval(0.6, 0.8)),
        1,
        1,
        "Of 3",
        "1 lie within",
        "1 wholly above",
        "1 wholly below and 0 across",
    )


def test_counts_of_derates_add_up() -> None:
    """0.55 to 0.7 and 0.5 to 0.9 reach over an end of the band, 0.6 to 0.8 lies within."""
    found = pd.DataFrame({"derate_low": [0.55, 0.5, 0.6, 0.9], "derate_high": [0.7, 0.9, 0.8, 1.0], "source_ids": "s"})
    said(plans.band(found, Interval(0.6, 0.8)), 1, 1, "Of 4", "1 lie", "1 wholly above it, 0 wholly below and 2 across")


def draws_of(counts: list[int], price: float | list[float] = 2.0) -> pd.DataFrame:
    return pd.DataFrame({"accelerators": counts, "price": price})


def ranking(**correlations: float) -> pd.DataFrame:
    return pd.DataFrame({"input": list(correlations), "correlation": list(correlations.values())})


def test_inputs_that_move_the_bill_about_equally_are_all_named() -> None:
    varied = draws_of([1, 2, 3])
    tie = ranking(derate=-0.2, context=0.46, peak=0.47, price=0.5)
    said(plans.dominant(tie, varied), 0.46, 0.5, "Price, peak and context move the bill about equally", "0.46 to 0.5.")
    one = ranking(derate=-0.5, peak=0.44)
    said(
        plans.dominant(one, varied),
        0.5,
        0.5,
        "What moves the bill most is the derate, with a rank correlation of -0.5.",
    )
    mixed = plans.dominant(ranking(derate=-0.5, peak=0.49), draws_of([1, 2, 3], float("nan")))
    said(mixed, 0.49, 0.5, "Derate and peak move the number of accelerators about equally", "in size")


def test_nothing_moves_a_number_that_is_all_but_the_same() -> None:
    """Nineteen draws of twenty need 2: tenth and ninetieth percentile agree, whatever is ranked first."""
    ranked, counts = ranking(context=0.7), [2] * 19 + [3]
    said(plans.dominant(ranked, draws_of(counts)), 0.95, 0.95, "hardly anything changes", "2 in 95 % of the draws.")
    dearer = plans.dominant(ranked, draws_of(counts, [1.0] * 10 + [2.0] * 10))
    said(dearer, 0.95, 0.95, "2 in 95 % of the draws, so that the price alone moves the bill")
    said(plans.dominant(ranked, draws_of([2] * 20)), 1, 1, "nothing changes the number of accelerators: 2 in 100 %")


def test_bill_is_drawn_where_it_is_more_than_a_multiple_of_the_accelerators() -> None:
    draws = draws_of([1, 2]).assign(usd_per_hour=[2.0, 4.0])
    assert list(plans.panels(draws)) == ["accelerators"]
    assert list(plans.panels(draws.assign(price=[2.0, 3.0]))) == ["accelerators", "US dollars an hour"]


def test_causes_say_how_often_each_asks_for_more() -> None:
    shares = pd.DataFrame({"cause": ["traffic", "queue", "memory"], "share": [0.186, 0.038, 0.776]})
    said(plans.decisive(shares), 0.776, 0.776, "in 18.6 % of the draws", "in 3.8 % and memory in 77.6 %")


def test_speed_that_the_limit_guarantees_is_held_against_that_asked_for() -> None:
    asked = parameters.RealWorldDerating(tokens_per_second_per_user=30.0)
    said(plans.interactivity(5.0, asked), 5.0, 5.0, "5 tokens/s", "less than the 30")
    said(plans.interactivity(30.0, asked), 30.0, 30.0, "no less than the 30")


def test_nothing_to_say_about_generations_is_said() -> None:
    none = EMPTY_SPEEDUPS
    beside = none.assign(spec=[], spec_ratio_low=[], spec_ratio_high=[])
    found = [
        generations.fastest(none, "H100 SXM", "LLM"),
        generations.across(none, "H100 SXM", str),
        generations.explanation(speedup.explained_by(beside), "LLM"),
        *generations.decomposition(none.assign(step=[]), none, "v4.1", "v5.1"),
        generations.claims(none.assign(verdict=[]), none.assign(round=[])),
        generations.other_choice(none, none, "H100 SXM", "LLM"),
    ]
    assert generations.ladder(none, "H100 SXM", "LLM") == []
    assert {(each.low, each.high) for each in found} == {(None, None)}
    assert len({each.name for each in found}) == 6
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
        watts.other_choice(spent, "H100 SXM", "LLM", "token"),
    ]
    assert {(each.low, each.high) for each in found} == {(None, None)}
    assert len({each.name for each in found}) == 6
    assert watts.by_energy(spent).empty
    assert watts.limit_rows(limits).empty
    assert watts.implied_rows(power.implied_watts(none)).empty


def test_nothing_to_say_about_precisions_is_said(data: Catalog, comparable_rows: Rows) -> None:
    traded = quantization.pareto(quantization.tradeoffs(data.quantization, data.results, "rgat", "fp16"))
    gains = quantization.gains(data.quantization.head(0), traded)
    held = quantization.weights(data.benchmarks, "rgat", data.accelerators, 0.1)
    found = [
        precisions.front(traded, "fp16"),
        precisions.doubling(gains, "fp8", data.labels),
        precisions.fit(held, "H100 SXM", "R-GAT"),
        precisions.fit_everywhere(held, "R-GAT"),
        precisions.accuracy(quantization.price_of_accuracy(comparable_rows(), comparable_rows())),
        precisions.routes(quantization.routes(data.quantization.head(0))),
        precisions.other_choice(traded, traded, "fp8"),
    ]
    assert {(each.low, each.high) for each in found} == {(None, None)}
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
        plans.other_choice(planned, derating.overall(measured)),
    ]
    assert {(each.low, each.high) for each in found} == {(None, None)}
    assert len({each.name for each in found}) == 7


@pytest.mark.parametrize(
    ("text", "name"),
    [("H100 SXM", "h100_sxm"), ("Xeon Platinum 8592+", "xeon_platinum_8592"), ("sparsity-2:4", "sparsity_2_4")],
)
def test_slug_is_a_finding_s_name(text: str, name: str) -> None:
    assert words.slug(text) == name


def test_no_two_accelerators_share_a_slug(data: Catalog) -> None:
    names = data.accelerators["accelerator"]
    assert len({words.slug(name) for name in names}) == len(names)


def test_names_are_listed_and_the_rest_counted() -> None:
    assert [words.listed(names) for names in ("", "a", "ab", "abc", "abcda")] == [
        "",
        "a",
        "a and b",
        "a, b and c",
        "a, b, c and d",
    ]
    assert words.listed("abcdef") == "a, b, c, d and 2 more"


def test_caveats_come_once_and_in_order() -> None:
    assert words.caveats("b; a", "", "a") == ["b", "a"]


def test_sources_come_once_and_sorted_from_rows_of_either_column() -> None:
    assert cited(pd.DataFrame({"source_ids": ["s2, s1", "s2"]}), pd.DataFrame({"source_id": ["s0"]})) == [
        "s0",
        "s1",
        "s2",
    ]
    assert cited(pd.Series({"source_id": "s1"})) == ["s1"]
    assert cited() == cited(pd.DataFrame()) == []


@pytest.mark.parametrize(("work", "many"), [("token", "tokens"), ("query", "queries")])
def test_plural(work: str, many: str) -> None:
    assert words.plural(work) == many


def test_weights_are_told_by_number_of_accelerators() -> None:
    precision = ["fp16", "fp8", "int4"]
    held = pd.DataFrame({"accelerator": "H100 SXM", "precision": precision, "needed": [2, 1, 1]})
    said(precisions.fit(held, "H100 SXM", "LLM"), 1, 2, "LLM need 2 H100 SXM at fp16 and 1 H100 SXM at fp8 and int4.")


def test_the_order_of_price_names_those_on_offer_with_their_own_caveats_alone() -> None:
    rows = pd.DataFrame({"accelerator": ["MI300X", "H200 SXM"], "verdict": ["", "cheaper"], "source_ids": ["a", "b"]})
    rows = rows.assign(break_even_low=[3.0, 4.0], break_even_high=[5.0, 6.0], caveat=["preview", ""])
    found = prices.order(rows, "H100 SXM")
    said(found, 4, 6, "H200 SXM is cheaper until its hour costs 4 to 6 dollars.")
    assert (list(found.caveats), list(found.sources)) == ([], ["b"])
    nobody = prices.order(rows.assign(verdict=""), "H100 SXM")
    said(nobody, 3, 5, "stays open at the prices on offer; MI300X is as good at 3 to 5 dollars an hour.", "preview")


def test_techniques_are_left_to_choose_from_or_needless() -> None:
    names = {"technique": ["fp16", "fp8", "int8", "gptq"], "dominated_by": ["", "", "fp8", "awq"]}
    rows = pd.DataFrame(names | {"source_id": "a"})
    words = "int8 is nowhere better than fp8 and gptq than awq; fp16 and fp8 are left to choose from."
    said(precisions.front(rows, "fp16"), 2, 2, f"In speed, memory and quality {words}")
    said(precisions.front(rows.head(1), "fp16"), 1, 1, "By speed, memory and quality fp16 is left to choose from.")


def test_a_gain_names_the_documents_that_give_and_say_it() -> None:
    rows = pd.DataFrame({"technique": "fp8", "source_id": ["a", "a", "b", "b"], "gain_low": [1.8, 3.6, 1.5, 1.7]})
    rows = rows.assign(gain_high=[1.8, 3.6, 2.5, 1.7], caveat="")
    rows = rows.assign(statement=["from the table", "from the table, per accelerator", "stated", "stated"])
    finding = precisions.doubling(rows, "fp8", {"a": "Index", "b": "Post"})
    words = "where in words Post says 1.5 to 2.5 and 1.7; per accelerator it is 3.6 times."
    said(finding, 1.8, 1.8, "In the table of Index fp8 gives 1.8 ", words)


def test_the_price_of_accuracy_stands_by_what_is_left() -> None:
    """Middles 0.6, 0.9 and 0.5: the benchmark of the least one first, its rows together."""
    rows = pd.DataFrame(
        {"benchmark": ["llm", "images", "llm"], "kept_low": [0.4, 0.9, 0.5], "kept_high": [0.9, 0.9, 0.5]}
    )
    assert precisions.accuracy_rows(rows)["kept_high"].tolist() == [0.5, 0.9, 0.9]
    assert precisions.accuracy_rows(rows)["benchmark"].tolist() == ["llm", "llm", "images"]
    assert precisions.accuracy_rows(rows.head(0)).empty
