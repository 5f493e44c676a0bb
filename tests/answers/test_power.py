"""What the power report says: which node leads, what a megawatt does, what caps cost, what nodes draw."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from analysis.answers import power_efficiency as watts
from analysis.answers import words
from analysis.core.findings import Finding
from analysis.core.interval import Interval
from analysis.core.notes import NONE, note
from analysis.themes import power

Rows = Callable[..., pd.DataFrame]
States = Callable[..., None]
RUN = {"low": 16_000.0, "power_watts_low": 4000.0, "power_watts_high": 4000.0, "power_measured": True}
NEW = {"accelerator": "B200 SXM", "result_id": "5.1-1", "round": "v5.1", "source_id": "mlcommons-v5.1"}
CAP = {"power_capped": True, "notes": frozenset({note("power_capped")})}
LIMITS = pd.DataFrame({"accelerator": ["H100 SXM", "B200 SXM"], "power_limit_w": [700.0, 1000.0]})


def spent(rows: pd.DataFrame) -> pd.DataFrame:
    return power.energy(power.efficiency(rows), 0.36, 1.25)


def lead(rows: pd.DataFrame, baseline: str = "H100 SXM") -> Finding:
    own = spent(rows)
    return watts.lead(power.nodes(own), power.ratios(own, baseline), baseline, "LLM Offline", "token")


def test_the_leading_node_is_told_over_the_baseline_with_caps_rounds_and_kilowatts(
    comparable_rows: Rows, states: States
) -> None:
    """32,000 at 4,000 W are 8 a joule, over 4 of a capped run two rounds before."""
    rows = comparable_rows(RUN | CAP, RUN | NEW | {"low": 32_000.0})
    told = "Eight B200 SXM make 2 times the tokens per joule of power-capped H100 SXM of v4.1, and draw 4 kW."
    for baseline in ("H100 SXM", "B200 SXM"):
        finding = lead(rows, baseline)
        states(finding, (2.0, 2.0))
        assert (finding.headline, finding.about) == (told, "B200 SXM over H100 SXM")
        assert sorted(own.code for own in finding.notes) == ["different_rounds", "power_capped"]
        assert finding.sources == ["mlcommons-v4.1", "mlcommons-v5.1"]
        own = spent(rows)
        assert set(watts.behind(power.nodes(own), power.ratios(own, baseline), baseline)) == {"r0", "r1"}
    assert len(told.split()) <= 25


def test_a_leading_node_that_does_less_is_told_the_other_way_round(comparable_rows: Rows, states: States) -> None:
    rows = comparable_rows(RUN, RUN | NEW | {"round": "v5.0", "low": 8_000.0})
    states(lead(rows), (2.0, 2.0), "Eight H100 SXM make 2 times the tokens per joule of B200 SXM of v5.0.")
    same = comparable_rows(RUN, RUN | NEW | {"round": "v4.1", "low": 16_200.0})
    states(lead(same), (1.0125, 1.0125), "make about as many tokens per joule as H100 SXM, and draw 4 kW.")


def test_without_a_run_like_it_the_leading_node_stands_alone(comparable_rows: Rows, states: States) -> None:
    rows = comparable_rows(RUN | {"accelerator_count": 1})
    states(
        lead(rows, "MI300X"), None, "One H100 SXM makes 4 tokens per joule, and draws 4 kW; nothing like it was metered"
    )
    states(lead(rows), None, "One H100 SXM makes 4 tokens per joule, and draws 4 kW.")
    own = spent(rows)
    assert watts.behind(power.nodes(own), power.ratios(own, "MI300X"), "MI300X") == ["r0"]


def test_long_names_leave_the_kilowatts_out(comparable_rows: Rows) -> None:
    name, other = {"accelerator": "RTX PRO 6000 Blackwell SE"}, {"accelerator": "Arc Pro B60 Dual"}
    rows = comparable_rows(RUN | CAP | other, RUN | CAP | NEW | name | {"low": 32_000.0})
    finding = lead(rows, "Arc Pro B60 Dual")
    assert finding.headline.endswith("of v4.1.") and len(finding.headline.split()) <= 25


def test_a_megawatt_and_its_building_are_told_with_the_price_of_electricity(
    comparable_rows: Rows, states: States
) -> None:
    """4 a joule are 4 million a second for each megawatt, 3.2 at a PUE of 1.25; 0.25 x 1.25 x 0.36 / 3.6 dollars."""
    finding = watts.energy(power.nodes(spent(comparable_rows(RUN))), "LLM", "token")
    states(finding, (0.03125, 0.03125), "makes 4 million tokens/s, 3.2 million with", "take 3.1 cents of electricity")
    assert finding.name == "energy_price"
    assert finding.values["per_building_megawatt"][0] == Interval(3.2e6, 3.2e6)
    dear = power.energy(power.efficiency(comparable_rows(RUN | {"low": 40.0})), 0.36, 1.25)
    states(watts.energy(power.nodes(dear), "LLM", "token"), (12.5, 12.5), "10,000 tokens/s", "take $12 of")


def test_what_nodes_draw_stands_over_the_first_figure(comparable_rows: Rows, states: States) -> None:
    more = NEW | {"power_watts_low": 9000.0, "power_watts_high": 9000.0, "low": 90_000.0}
    less, small = RUN | more | {"low": 18_000.0}, RUN | NEW | {"accelerator_count": 4}
    cases = [RUN, RUN | more], [RUN, less], [RUN | CAP], [RUN, small]
    drawn = [watts.drawn(power.nodes(spent(comparable_rows(*rows)))) for rows in cases]
    states(drawn[0], (4.0, 9.0), "The node that draws most, 9 kW with B200 SXM, also does most work per joule.")
    states(drawn[1], (4.0, 9.0), "Nodes of eight draw 4 to 9 kW, and H100 SXM does most work per joule.")
    states(drawn[2], (4.0, 4.0), "A node of eight power-capped H100 SXM draws 4 kW.")
    states(drawn[3], (4.0, 4.0), "A node of four B200 SXM draws 4 kW.")


def test_the_rows_of_the_first_figure_say_kilowatts_round_and_cap(comparable_rows: Rows) -> None:
    printed = {"origin": "published", "accelerator": "L40S", "per_watt_low": 9.0, "per_watt_high": 9.0}
    found = watts.node_rows(power.nodes(spent(comparable_rows(printed, RUN | CAP, RUN | NEW | {"low": 8_000.0}))))
    assert found["accelerator"].tolist() == ["H100 SXM", "B200 SXM", "L40S"]
    assert found["told"].tolist() == ["4 kW, v4.1", "4 kW, v5.1", "v4.1"]
    assert found["capping"].tolist() == ["power-capped", "without a cap", "without a cap"]
    assert found["from_print"].tolist() == [False, False, True]
    many = comparable_rows(*(RUN | {"accelerator": f"A{place}"} for place in range(12)))
    assert len(watts.node_rows(power.nodes(spent(many)))) == watts.MOST


def test_the_first_figure_shows_all_that_its_marks_tell_and_is_one_for_all_prices(comparable_rows: Rows) -> None:
    efficient = power.efficiency(comparable_rows(RUN | CAP, RUN | NEW | {"low": 8_000.0}))
    best = [words.renamed(power.nodes(power.energy(efficient, price, 1.25)), str.lower) for price in (0.06, 0.4)]
    one, other = map(watts.node_rows, best)
    pd.testing.assert_frame_equal(one, other)
    told = ["accelerator", "part", "origin", "round", "system", "submitter", "basis", "source_id", "notes"]
    told += ["efficiency_low", "efficiency_high"]
    assert one[told].to_dict("list") == best[0][told].to_dict("list") and len(one) == 2


def test_the_other_scenario_changes_the_answer_where_another_pair_leads(comparable_rows: Rows, states: States) -> None:
    here = lead(comparable_rows(RUN, RUN | NEW | {"low": 32_000.0}))
    there = lead(comparable_rows(RUN, RUN | NEW | {"low": 48_000.0}))
    states(watts.in_other_scenario(here, there, "Server"), (3.0, 3.0), "No: on Server, eight B200 SXM make 3 times")
    other = lead(comparable_rows(RUN, RUN | NEW | {"low": 8_000.0}))
    states(watts.in_other_scenario(here, other, "Server"), (2.0, 2.0), "Yes: on Server, eight H100 SXM make 2 times")
    nobody = lead(comparable_rows())
    states(watts.in_other_scenario(here, nobody, "Server"), None, "On Server, nobody metered LLM Offline")


def test_the_trust_line_says_how_large_the_metered_systems_are(comparable_rows: Rows) -> None:
    rows = comparable_rows(RUN, RUN | NEW)
    assert watts.basis(rows) == ["power submissions", "8 accelerators each"]
    assert watts.basis(comparable_rows(RUN, RUN | NEW | {"accelerator_count": 4})) == ["power submissions"]
    assert watts.basis(rows.head(0)) == []


def test_rounds_without_a_power_submission_are_named(states: States) -> None:
    rounds = pd.DataFrame({"round": ["v6.1", "v6.0", "v5.1", "v4.1"], "results": [0, 0, 24, 31]})
    told = (
        "v6.1 and v6.0 have none; the newest closed data-center power figures are the 24 of v5.1, and 2 of 4 rounds "
        "have some."
    )
    states(watts.record(rounds), (24, 24), told)
    states(watts.record(rounds.tail(2)), (24, 24), "The newest closed data-center power figures are the 24 of v5.1")
    states(watts.record(rounds.head(2)), None, "no closed power submission")


def test_energy_over_the_rounds_is_told_from_both_ends_and_of_the_least(comparable_rows: Rows, states: States) -> None:
    """0.25 J in v4.0, 0.125 in v4.1, 0.2 in v5.1; runs without a cap are no part of it."""
    cap, rounds = RUN | {"power_capped": True}, {"v4.0": 16_000.0, "v4.1": 32_000.0, "v5.1": 20_000.0}
    rows = comparable_rows(*(cap | {"round": name, "low": low} for name, low in rounds.items()), RUN)
    history = power.history(power.efficiency(rows))
    finding = watts.over_rounds(history, "LLM", "query")
    told = "the best power-capped system takes 0.2 joules per query in v5.1 (H100 SXM, best of 1), 0.25 in v4.0 (H100"
    states(finding, (0.2, 0.2), f"{told} SXM, best of 1) and least, 0.12 in v4.1 (")
    assert finding.notes == {note("different_rounds", rounds="v5.1", other_rounds="v4.0")}
    told = watts.history_rows(history)[["cap", "told"]].to_numpy().tolist()
    assert told[2:] == [["without a cap", "H100 SXM, best of 1"], ["power-capped", "H100 SXM, best of 1"]]
    states(watts.over_rounds(history.head(0), "LLM", "query"), None, "No round has")


@pytest.fixture
def shares() -> pd.DataFrame:
    """Two capped runs with a run of their submitter's, one without, and one that is not capped."""
    rows = pd.DataFrame({"benchmark": ["llm", "images", "llm", "llm"], "accelerator": "H100 SXM"})
    rows = rows.assign(round="v4.1", source_ids=[("s",)] * 4, power_capped=[True, True, True, False], notes=[NONE] * 4)
    return rows.assign(share_low=[0.64, 0.7, np.nan, 1.25], share_high=[0.8, 0.7, np.nan, 1.25])


def test_what_capped_runs_give_up_is_told_of_their_submitters_own_runs(shares: pd.DataFrame, states: States) -> None:
    finding = watts.capped(shares)
    states(finding, (0.64, 0.8), "Power-capped H100 SXM runs give up 20 to 36 % of their throughput.")
    assert finding.sources == ["s"]
    states(
        watts.capped(shares.tail(1)), (1.25, 1.25), "Metered H100 SXM runs reach 120 % of the throughput of unmetered"
    )
    newer = shares.assign(round=["v4.1", "v5.1", "v4.1", "v6.0"])
    states(watts.capped(newer), (0.7, 0.7), "give up 30 %")
    states(watts.capped(shares.iloc[[2]]), None, "No submitter has both")


def test_the_figure_of_caps_has_the_newest_round_by_names_of_benchmarks(shares: pd.DataFrame) -> None:
    shown = watts.capped_rows(shares, {"llm": "Large", "images": "Images"}.__getitem__)
    assert shown["benchmark"].tolist() == ["Large", "Images"]
    assert shown["given_up_high"].tolist() == pytest.approx([36, 30]) and shown["told"].tolist() == ["v4.1", "v4.1"]
    newer = watts.capped_rows(shares.assign(round=["v4.1", "v5.1", "v4.1", "v6.0"]), str.upper)
    assert newer["benchmark"].tolist() == ["IMAGES"]


def limits_of(rows: pd.DataFrame, benchmarks: list[str]) -> Finding:
    rows = rows.assign(benchmark=benchmarks)
    return watts.limits(rows, power.beside_limits(rows, LIMITS), ["llm", "other llm"])


def test_what_systems_draw_is_told_of_language_models_in_the_newest_round(
    comparable_rows: Rows, states: States
) -> None:
    """8,000 and 9,000 W of eight B200 over 8 x 1,000 W; images and the round before are other ranges."""
    runs = [{"power_watts_low": drawn, "power_watts_high": drawn, "low": 1.0} for drawn in (8000.0, 9000.0, 4000.0)]
    rows = comparable_rows(runs[2], runs[0] | NEW, runs[1] | NEW, runs[2] | NEW)
    finding = limits_of(rows, ["llm", "llm", "other llm", "images"])
    told = (
        "On language models Offline, a server of eight B200 SXM draws 8 to 9 kW, up to 1.1 times "
        "its accelerators' limits (no official metric)."
    )
    states(finding, (8.0, 9.0), told)
    assert [own.code for own in finding.notes] == ["unofficial_ratio"]


def test_limits_are_those_in_force_and_unknown_ones_are_no_ratio(comparable_rows: Rows, states: States) -> None:
    """4,000 W over 8 x 400 W are 1.25; a capped system whose cap is not known has no ratio."""
    run = RUN | {"power_capped": True}
    known = limits_of(comparable_rows(run, run).assign(power_limit_watts=[400.0, np.nan]), ["images"] * 2)
    states(
        known,
        (4.0, 4.0),
        "A server of eight power-capped H100 SXM draws 4 kW, up to 1.2 times "
        "its accelerators' caps (no official metric).",
    )
    unknown = limits_of(comparable_rows(run), ["images"])
    assert "times" not in unknown.headline and unknown.notes == NONE


def test_the_figure_of_nodes_has_kilowatts_by_benchmark_of_one_size_with_their_notes(comparable_rows: Rows) -> None:
    """5 and 6 kW of two systems are one row; four accelerators are none; 6,000 W over 5,600 are 1.07."""
    more = RUN | {"result_id": "4.1-2", "power_watts_low": 5000.0, "power_watts_high": 6000.0} | CAP
    rows = comparable_rows(RUN, more, RUN | NEW, RUN | {"accelerator_count": 4}, RUN | {"benchmark": "other"})
    rows = rows.assign(part=rows["accelerator"])
    known = power.beside_limits(rows.assign(power_limit_watts=700.0), LIMITS)
    found = watts.limit_rows(rows, known, ["llm"], str.upper)
    ends = found[["benchmark", "accelerator", "kilowatts_low", "kilowatts_high", "told"]].to_numpy().tolist()
    assert ends == [
        ["LLM", "B200 SXM", 4.0, 4.0, "v5.1, 0.71 x limits"],
        ["LLM", "H100 SXM", 4.0, 6.0, "v4.1, 1.1 x limits"],
        ["OTHER", "H100 SXM", 4.0, 4.0, "v4.1, 0.71 x limits"],
    ]
    assert found["notes"].tolist() == [NONE, CAP["notes"], NONE]
    assert watts.limit_rows(rows, known.head(0), ["llm"], str.upper)["told"].tolist() == ["v5.1", "v4.1", "v4.1"]


def test_a_meter_goes_before_a_printed_figure_in_the_table(comparable_rows: Rows) -> None:
    printed = {"origin": "published", "low": 16_000.0, "per_watt_low": 9.0, "per_watt_high": 9.0}
    found = watts.by_energy(spent(comparable_rows(printed, RUN)))
    assert found["id"].tolist() == ["r1", "r0"] and found["from_print"].tolist() == [False, True]


def test_nothing_to_say_about_watts_is_said(comparable_rows: Rows) -> None:
    none = comparable_rows().assign(rate_unit="", part="")
    own = spent(none)
    best, ratios, limits = power.nodes(own), power.ratios(own, "H100 SXM"), power.beside_limits(none, LIMITS)
    found = [
        watts.lead(best, ratios, "H100 SXM", "LLM", "token"),
        watts.energy(best, "LLM", "token"),
        watts.drawn(best),
        watts.capped(power.capped(none, none)),
        watts.limits(none, limits, ["llm"]),
        watts.record(power.by_round(none)),
        watts.over_rounds(power.history(own), "LLM", "token"),
    ]
    found += [watts.in_other_scenario(found[0], found[0], "Server")]
    assert {own.value for own in found} == {None}
    assert len({own.name for own in found}) == 8
    assert watts.behind(best, ratios, "H100 SXM") == []
    assert watts.by_energy(own).empty and watts.history_rows(power.history(own)).empty
    assert watts.node_rows(best).empty and watts.limit_rows(none, limits, ["llm"], str.upper).empty
    assert watts.capped_rows(power.capped(none, none), str.upper).empty
