"""The sentences of the reports: computed from their frames, and a sentence also where there is nothing to say."""

from collections.abc import Callable

import pandas as pd
import pytest

from analysis import comparable, cost, derating, parameters, power, quantization, speedup
from analysis.answers import generational_speedup as generations
from analysis.answers import power_efficiency as watts
from analysis.answers import price_performance as prices
from analysis.answers import quantization_tradeoffs as precisions
from analysis.answers import real_world_derating as plans
from analysis.answers import words
from analysis.catalog import Catalog
from analysis.comparable import Question
from analysis.derating import Demand
from analysis.findings import Finding
from analysis.interval import Interval
from analysis.sources import cited

Rows = Callable[..., pd.DataFrame]
NEW = {"accelerator": "B200 SXM"}
EMPTY_SPEEDUPS = speedup.over_baseline(pd.DataFrame(columns=["benchmark", "scenario", "basis", "accelerator"]), "")


@pytest.fixture
def nothing(results: Rows, benchmarks: pd.DataFrame) -> comparable.Comparison:
    """A comparison that no row answers."""
    return comparable.select(results(), benchmarks, Question("llm", "Server"))


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
    said(
        generations.across(grid, "H100 SXM"),
        1.0,
        2.5,
        "over 2 benchmarks B200 SXM gives 1 times H100 SXM on images and up to 2.5 times on llm",
    )


def test_claims_that_hold_are_counted() -> None:
    judged = pd.DataFrame(
        {"verdict": ["holds", "exceeded", "holds"], "source_id": ["a", "a", "b"], "accelerator": "part"}
    )
    said(generations.claims(judged), 2, 2, "Of 3 stated speedups", "2 hold")


def test_another_choice_is_set_against_the_answer(speedups: pd.DataFrame) -> None:
    there = speedups.assign(speedup_low=[1.0, 3.0, 0.5], speedup_high=[1.0, 3.0, 0.5])
    said(
        generations.other_choice(speedups, there, "H100 SXM", "LLM Server"), 3.0, 3.0, "LLM Server", "1.2 to 1.5 times"
    )


def test_grid_has_the_fastest_on_top_and_benchmarks_in_the_order_of_the_table(speedups: pd.DataFrame) -> None:
    grid = pd.concat([speedups.assign(benchmark="images"), speedups])
    values, cells = generations.grid_frames(grid, pd.DataFrame({"benchmark": ["llm", "images", "scan"]}))
    assert list(values.columns) == list(cells.columns) == ["llm", "images"]
    assert list(values.index) == list(cells.index) == ["B200 SXM", "H100 SXM", "L40S"]
    assert cells["llm"].tolist() == ["2.00–2.50", "1.00", "0.25"]
    assert values["llm"].tolist() == pytest.approx([5**0.5, 1.0, 0.25], rel=1e-12)


def test_steps_and_software_are_findings(speedups: pd.DataFrame) -> None:
    software = speedups.head(1).assign(speedup_low=1.1, speedup_high=1.2)
    stepped = speedups.iloc[[1]].assign(step="H100 SXM to B200 SXM")
    found = generations.decomposition(stepped, software, "v5.1")
    assert [each.name for each in found] == ["step_h100_sxm_to_b200_sxm", "software"]
    said(found[1], 1.1, 1.2, "In v5.1 the same accelerators give 1.1 to 1.2 times as much", "H100 SXM", "another round")


def test_energy_of_the_most_efficient_system(comparable_rows: Rows) -> None:
    run = {"low": 16_000.0, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
    rows = comparable_rows(run, run | NEW | {"low": 32_000.0})
    spent = power.energy(power.efficiency(rows), 0.36, 1.0)
    finding = watts.energy(spent, "H100 SXM", "LLM Offline", "query")
    said(finding, 0.0125, 0.0125, "B200 SXM takes 0.125 joules per query at the wall, H100 SXM 0.25;",
         "a million queries cost 0.0125 against 0.025 US dollars")  # fmt: skip
    said(watts.most_efficient(spent, "H100 SXM", "LLM"), 2.0, 2.0, "B200 SXM gives 2 times", "8 against 4")
    best = watts.energy(spent, "B200 SXM", "LLM Offline", "query")
    said(best, 0.0125, 0.0125, "B200 SXM takes 0.125 joules per query at the wall, H100 SXM 0.25;")


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
    said(plans.band(found, Interval(0.6, 0.8)), 1, 1, "Of 3", "1 lie within", "1 wholly above", "1 wholly below")


def test_speed_that_the_limit_guarantees_is_held_against_that_asked_for() -> None:
    asked = parameters.RealWorldDerating(tokens_per_second_per_user=30.0)
    said(plans.interactivity(5.0, asked), 5.0, 5.0, "5 tokens/s", "less than the 30")
    said(plans.interactivity(30.0, asked), 30.0, 30.0, "no less than the 30")


def test_nothing_to_say_about_generations_is_said() -> None:
    none = EMPTY_SPEEDUPS
    beside = none.assign(spec=[], spec_ratio_low=[], spec_ratio_high=[])
    found = [
        generations.fastest(none, "H100 SXM", "LLM"),
        generations.across(none, "H100 SXM"),
        generations.explanation(speedup.explained_by(beside), "LLM"),
        *generations.decomposition(none.assign(step=[]), none, "v5.1"),
        generations.claims(none.assign(verdict=[])),
        generations.other_choice(none, none, "H100 SXM", "LLM"),
    ]
    assert generations.ladder(none, "H100 SXM", "LLM") == []
    assert {(each.low, each.high) for each in found} == {(None, None)}
    assert len({each.name for each in found}) == 6
    assert [len(frame) for frame in generations.grid_frames(none, pd.DataFrame({"benchmark": ["llm"]}))] == [0, 0]
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


def test_nothing_to_say_about_plans_is_said(nothing: comparable.Comparison, data: Catalog) -> None:
    measured = derating.measured(nothing.rows, nothing.rows)
    rate = cost.throughput(nothing.rows, "H100 SXM")
    drawn = derating.draw(Demand(100, 30.0), rate, Interval(0.6, 0.8), Interval(1.0, 2.0), 1000, 0)
    marks = derating.percentiles(drawn, list(plans.OUTPUTS))
    planned = plans.need(marks, Demand(100, 30.0), "H100 SXM", nothing)
    found = [
        plans.derate(measured, nothing.topic),
        plans.band(measured, Interval(0.6, 0.8)),
        planned,
        plans.dominant(derating.sensitivity(drawn)),
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
