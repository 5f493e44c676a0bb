"""Rates per watt, implied watts, joules and dollars by hand; like runs beside each other; caps, limits, rounds."""

import pandas as pd
import pytest

from analysis._core.notes import note
from analysis.methods import power

MEASURED = {"power_measured": True, "low": 16_000.0, "power_watts_low": 4_000.0, "power_watts_high": 4_000.0}
PRINTED = {"origin": "published", "source": "Page", "source_id": "doc001", "power_measured": True}
PRINTED |= {"low": 25_261.5, "high": 25_262.5, "per_watt_low": 3.5, "per_watt_high": 4.5}
CLOSE = {"rel": 1e-12}


def row(frame):
    (only,) = frame.to_dict("records")
    return only


def span(frame, name):
    return row(frame)[f"{name}_low"], row(frame)[f"{name}_high"]


def test_efficiency_without_watts_is_that_printed(comparable_rows):
    found = power.efficiency(comparable_rows(PRINTED))
    assert span(found, "efficiency") == (3.5, 4.5)
    assert row(found)["efficiency_basis"] == "printed per watt"


def test_printed_efficiency_is_converted_as_the_rate_was(comparable_rows):
    rows = comparable_rows(PRINTED | {"low": 100.0, "high": 100.0}).assign(rate_low=6_900.0, rate_high=6_900.0)
    assert span(power.efficiency(rows), "efficiency") == pytest.approx((241.5, 310.5), **CLOSE)


def test_implied_watts_are_as_wide_as_the_rounding(comparable_rows):
    found = power.implied_watts(comparable_rows(PRINTED))
    assert span(found, "implied_watts") == pytest.approx((25_261.5 / 4.5, 25_262.5 / 3.5), **CLOSE)
    assert pd.isna(row(found)["holds"])


@pytest.mark.parametrize(("watts", "holds"), [(5_700.0, True), (5_600.0, False), (7_300.0, False)])
def test_implied_watts_are_held_against_measured_ones(comparable_rows, watts, holds):
    rows = comparable_rows(PRINTED, MEASURED | {"power_watts_low": watts, "power_watts_high": watts})
    found = power.implied_watts(rows)
    assert bool(row(found)["holds"]) is holds
    assert span(found, "measured_watts") == (watts, watts)


OWN = {"result_id": "4.1-0002"}  # the submitter's performance run, of another system than the power run's
OTHER = {"result_id": "4.1-0003", "submitter": "Else"}


def test_capped_run_keeps_a_share_of_its_submitter_s_own_runs(comparable_rows):
    """16,000 of its submitter's 20,000 and 25,000, and of another's 32,000; mixed, 20,000 over the watts flatters."""
    free = comparable_rows(OWN | {"low": 20_000.0}, {"result_id": "4.1-0004", "low": 25_000.0}, OTHER | {"low": 32e3})
    found = power.capped(comparable_rows(MEASURED | {"power_capped": True}), free)
    assert span(found, "share") == (0.64, 0.8) and span(found, "across") == (0.5, 0.5)
    assert (row(found)["systems"], row(found)["others"]) == (2, 1)
    assert span(found, "watts") == (4_000.0, 4_000.0)
    assert span(found, "overstated") == (1.25, 1.5625)
    assert (row(found)["submitter"], row(found)["power_capped"]) == ("ACME", True)
    assert row(found)["source_ids"] == ("mlcommons-v4.1",)


def test_a_stated_limit_is_beside_the_default_of_the_same_submitter_size_and_target(comparable_rows):
    """16,000 at 350 of 700 W over 20,000: a share of 0.8 at half the limit; a metered run and another's are no pair."""
    limit = {"result_id": "4.1-0009", "power_capped": True, "power_limit_watts": 350.0, "low": 16_000.0}
    rows = comparable_rows(
        limit, limit | {"power_measured": True}, limit | {"power_limit_watts": None}, OWN | {"low": 20_000.0},
        OWN | {"low": 9e4, "accelerator_count": 4}, OWN | {"low": 9e4, "accuracy_target": "99"}, OTHER | {"low": 9e4},
    )  # fmt: skip
    sheet = pd.DataFrame({"accelerator": ["H100 SXM"], "power_limit_w": [700.0]})
    found = power.stated_limits(rows, sheet)
    assert span(found, "share") == (0.8, 0.8) and (row(found)["limit_share"], row(found)["default_w"]) == (0.5, 700.0)
    assert power.stated_limits(rows.iloc[1:], sheet).empty


def test_capped_run_without_a_run_of_its_submitter_has_no_share_and_is_kept(comparable_rows):
    found = power.capped(comparable_rows(MEASURED), comparable_rows(OTHER | {"low": 32_000.0}))
    assert pd.isna(row(found)["share_low"]) and pd.isna(row(found)["overstated_high"])
    assert (row(found)["systems"], row(found)["others"], row(found)["across_low"]) == (0, 1, 0.5)


def test_capped_run_carries_the_notes_of_both_runs_but_for_the_size_of_their_system(comparable_rows):
    size, cap, preview, inferred = (
        note("another_size", count=8, usual=4), note("power_capped"), note("preview"), note("inferred")
    )  # fmt: skip
    free = comparable_rows({"notes": {size, preview}}, OTHER | {"notes": {inferred}})
    found = power.capped(comparable_rows(MEASURED | {"notes": {size, cap}}), free)
    assert row(found)["notes"] == {cap, preview}


def test_share_of_rates_in_one_unit_needs_no_tokens_per_sample(comparable_rows):
    """Both print samples: 80 of 100, whatever range of tokens per sample was assumed to compare others."""
    power_row, free = comparable_rows(MEASURED | {"low": 80.0}), comparable_rows(OWN | {"low": 100.0})
    wide = [rows.assign(per_accelerator_low=1.0, per_accelerator_high=9.0) for rows in (power_row, free)]
    assert span(power.capped(*wide), "share") == (0.8, 0.8)
    wide[1] = wide[1].assign(unit="queries/s")
    assert span(power.capped(*wide), "share") == (1 / 9, 9.0)


NEW = {"accelerator": "B200 SXM", "result_id": "4.1-0009"}
LATER = {"round": "v5.1", "source_id": "mlcommons-v5.1"}
EARLIER = {"round": "v4.0", "source_id": "mlcommons-v4.0"}


def ratios(rows):
    return row(power.ratios(power.efficiency(rows), "H100 SXM"))


def test_ratio_is_of_the_best_systems_of_one_round(comparable_rows):
    """8 a watt, the better of two, over 4: 2 times; 3 times of the round before says nothing new, 9 is of two rounds.

    A system that stands twice is one.
    """
    rows = comparable_rows(
        MEASURED, MEASURED | NEW | {"low": 24_000.0}, MEASURED | NEW | {"result_id": "4.1-0010", "low": 32_000.0},
        MEASURED | NEW | {"low": 20_000.0}, MEASURED | NEW | LATER | {"low": 144_000.0},
        MEASURED | EARLIER | {"low": 10_000.0}, MEASURED | NEW | EARLIER | {"low": 30_000.0},
    )  # fmt: skip
    found = ratios(rows)
    assert (found["ratio_low"], found["ratio_high"], found["systems"], found["systems_base"]) == (2.0, 2.0, 2, 1)
    assert (found["accelerator"], found["round"], found["round_base"]) == ("B200 SXM", "v4.1", "v4.1")
    assert (found["accelerator_count"], found["power_capped"], found["notes"]) == (8, False, frozenset())


def test_ratio_of_two_rounds_is_taken_only_where_none_has_both_and_says_so(comparable_rows):
    rows = comparable_rows(MEASURED | EARLIER | {"low": 8_000.0}, MEASURED, MEASURED | NEW | LATER | {"low": 48_000.0})
    found = ratios(rows)
    assert (found["ratio_low"], found["round"], found["round_base"]) == (3.0, "v5.1", "v4.1")
    assert found["notes"] == {note("different_rounds", rounds="v5.1", other_rounds="v4.1")}
    assert found["source_ids"] == ("mlcommons-v4.1", "mlcommons-v5.1")


def test_a_capped_run_is_set_against_one_without_a_cap_only_where_none_are_alike_and_says_so(comparable_rows):
    """8 a watt over the capped 6 of its own round; with an uncapped run of an earlier round that one, 8 over 2."""
    capped = MEASURED | {"power_capped": True, "low": 24_000.0}
    rows = comparable_rows(capped, MEASURED | NEW | {"low": 32_000.0})
    found = ratios(rows)
    assert (found["ratio_low"], found["power_capped"], found["power_capped_base"]) == (
        pytest.approx(8 / 6),
        False,
        True,
    )
    assert found["ids"] == ("r1", "r0") and found["accelerator_base"] == "H100 SXM"
    alike = comparable_rows(capped, MEASURED | NEW | {"low": 32_000.0}, MEASURED | EARLIER | {"low": 8_000.0})
    assert (ratios(alike)["ratio_low"], ratios(alike)["power_capped_base"]) == (4.0, False)


def test_nodes_are_the_best_of_eight_on_sale_in_the_newest_round_capped_and_not(comparable_rows):
    """Four accelerators, a preview, an older round and a printed figure do more, and are none of them."""
    rows = comparable_rows(
        MEASURED, MEASURED | {"result_id": "4.1-0002", "low": 20_000.0},
        MEASURED | {"low": 64_000.0, "accelerator_count": 4}, MEASURED | {"low": 64_000.0, "availability": "preview"},
        MEASURED | EARLIER | {"low": 64_000.0}, MEASURED | {"low": 12_000.0, "power_capped": True},
        PRINTED | {"low": 9e6, "high": 9e6, "per_watt_low": 900.0, "per_watt_high": 900.0},
        MEASURED | NEW | {"low": 18_000.0},
    )  # fmt: skip
    found = power.nodes(power.efficiency(rows))
    assert found[["id", "efficiency_low", "systems"]].to_numpy().tolist() == [
        ["r1", 5.0, 2],
        ["r7", 4.5, 1],
        ["r5", 3.0, 1],
    ]
    printed = power.nodes(power.efficiency(rows.iloc[[6, 7]]))
    assert printed["id"].tolist() == ["r6", "r7"]


def test_history_has_the_least_energy_of_eight_in_each_round(comparable_rows):
    """0.25 J before 0.5; four accelerators and a preview take less and are counted alone, capped ones are apart."""
    rows = comparable_rows(
        MEASURED, MEASURED | {"result_id": "4.1-0002", "low": 8_000.0},
        MEASURED | {"result_id": "4.1-0003", "low": 64_000.0, "accelerator_count": 4},
        MEASURED | {"result_id": "4.1-0004", "low": 64_000.0, "availability": "preview"},
        MEASURED | {"result_id": "4.1-0005", "low": 32_000.0, "power_capped": True}, MEASURED | LATER | {"low": 4e4},
    )  # fmt: skip
    found = power.history(power.efficiency(rows))
    told = found[["round", "power_capped", "joules_low", "systems", "others"]].to_numpy().tolist()
    assert told == [["v5.1", False, 0.1, 1, 0], ["v4.1", True, 0.125, 1, 0], ["v4.1", False, 0.25, 2, 2]]


def limits():
    return pd.DataFrame({"accelerator": ["H100 SXM", "unknown"], "power_limit_w": [700.0, None]})


@pytest.mark.parametrize("capped", [True, False])
def test_the_cap_in_force_goes_before_the_datasheet(comparable_rows, capped):
    """4,000 W over 8 x 400 W are 1.25."""
    rows = comparable_rows(MEASURED | {"power_capped": capped}).assign(power_limit_watts=400.0)
    found = power.beside_limits(rows, limits())
    assert (row(found)["limit_w"], row(found)["limit_basis"]) == (400.0, power.CAP)
    assert span(found, "of_limits") == (1.25, 1.25)


def test_a_capped_run_whose_cap_is_not_known_has_no_limit(comparable_rows):
    rows = comparable_rows(MEASURED | {"power_capped": True})
    for unknown in (rows, rows.assign(power_limit_watts=float("nan"))):
        assert power.beside_limits(unknown, limits()).empty
        assert row(power.limits(unknown, limits()))["limit_basis"] == ""
    assert row(power.limits(comparable_rows(MEASURED), limits()))["limit_basis"] == power.DATASHEET


@pytest.mark.parametrize(
    "other", [{"accelerator": "unknown"}, {"accelerator": "not listed"}, {"power_watts_low": None}]
)
def test_unknown_limit_or_watts_are_left_out(comparable_rows, other):
    assert power.beside_limits(comparable_rows(MEASURED | other), limits()).empty


def test_every_power_submission_is_listed_with_the_energy_of_its_unit_of_work(results):
    """4,000 W over 16,000 a second are 0.25 joules; a stream's 29.2 millijoules per query stand as published."""
    metered = {"power_measured": True, "power_watts_low": 4000.0, "power_watts_high": 4000.0}
    stream = {"power_measured": True, "metric": "latency", "unit": "ms", "scenario": "SingleStream", "suite": "edge"}
    rows = results(
        {"low": 16000.0, "high": 16000.0, "unit": "tokens/s", **metered},
        {"low": 0.12, "high": 0.12, **stream},
        {"low": 16000.0, "high": 16000.0, "duplicate_of": "r0", **metered},
        {"low": 16000.0, "high": 16000.0, "round": "v5.1", **metered},
        {"low": 16000.0, "high": 16000.0},
    ).assign(energy_millijoules_per_query=[float("nan"), 29.2, *[float("nan")] * 3])
    found = power.submissions(rows, ["official"], [rows["round"].iloc[0]])
    assert found["id"].tolist() == ["r0", "r1"] and found["work"].tolist() == ["token", "query"]
    assert power.submissions(rows, ["official"], [])["round"].tolist() == ["v5.1", "v4.1", "v4.1"]
    other = power.submissions(rows.assign(benchmark=["llm", "images", "llm", "llm", "llm"]), ["official"], [], "images")
    assert other["id"].tolist() == ["r1"]
    assert found["joules_low"].tolist() == pytest.approx([0.25, 0.0292], rel=1e-12)
    assert len(power.submissions(rows, ["official"], [])) == 3 and power.submissions(rows, ["measured"], []).empty


LATER = {"accelerator": "B200 SXM", "result_id": "5.1-1", "round": "v5.1", "source_id": "mlcommons-v5.1"}


@pytest.mark.parametrize("baseline", ["H100 SXM", "B200 SXM"])
@pytest.mark.parametrize(
    ("newer", "sides"), [(32_000.0, ("B200 SXM", "H100 SXM")), (8_000.0, ("H100 SXM", "B200 SXM"))]
)
def test_the_lead_names_the_more_efficient_side_first(comparable_rows, baseline, newer, sides):
    """16,000 at 4,000 W are 4 a joule; 32,000 are 8 and 8,000 are 2: twice either way."""
    rated = power.efficiency(comparable_rows(MEASURED, MEASURED | LATER | {"low": newer}))
    lead = power.lead(power.nodes(rated), power.ratios(rated, baseline), baseline)
    assert span(lead, "ratio") == (2.0, 2.0)
    assert (row(lead)["accelerator"], row(lead)["accelerator_base"]) == sides
    assert (row(lead)["round"], row(lead)["round_base"]) == tuple(
        {"B200 SXM": "v5.1", "H100 SXM": "v4.1"}[s] for s in sides
    )


@pytest.mark.parametrize(("newer", "told"), [(32_000.0, (250, 300, "2.4")), (8_000.0, (300, 250, "1.7"))])
def test_the_lead_at_another_precision_says_what_its_ratio_is_in_samples(comparable_rows, newer, told):
    """Twice the tokens per joule at 250 instead of 300 tokens per sample are 2.4 times the samples, or 1.7."""
    fp4 = LATER | {"low": newer, "precision": "fp4", "tokens_per_sample": 250.0}
    rows = comparable_rows(MEASURED | {"precision": "fp8", "tokens_per_sample": 300.0}, MEASURED | fp4)
    rated = power.efficiency(rows)
    lead = row(power.lead(power.nodes(rated), power.ratios(rated, "H100 SXM"), "H100 SXM"))
    assert {lead["precision"], lead["precision_base"]} == {"fp4", "fp8"}
    tokens, other_tokens, times = told
    assert note("tokens_differ", tokens=tokens, other_tokens=other_tokens, times=times) in lead["notes"]


def test_most_metered_is_of_the_newest_round_and_of_language_models(comparable_rows):
    rows = comparable_rows(
        MEASURED, MEASURED, MEASURED | LATER, MEASURED | LATER | {"accelerator_count": 4}, MEASURED | LATER,
        MEASURED | LATER | {"benchmark": "images", "accelerator_count": 4},
        MEASURED | LATER | {"benchmark": "images", "accelerator_count": 4},
    )  # fmt: skip
    assert power.most_metered(rows, ["llm"])["id"].tolist() == ["r2", "r4"]
    assert set(power.most_metered(rows, [])["accelerator_count"]) == {4}
    assert power.most_metered(rows.head(0), ["llm"]).empty
