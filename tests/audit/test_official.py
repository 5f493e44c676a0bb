"""Published results against official ones, by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import tables
from analysis.audit.judging import check_official
from analysis.audit.official import meant
from analysis.recipes.documents import counts
from tests.audit.frames import NAN, figures, official, whole_rounds


def judged(figure: dict, *rows: dict):
    return check_official(figures(figure), official(*rows)).iloc[0]


def test_a_system_is_compared_with_systems_of_its_size():
    found = judged({"low": 79.0, "high": 81.0}, {"rate": 80.0}, {"rate": 4.0, "accelerator_count": 1.0})
    assert (found["verdict"], found["check"], found["expected_low"]) == ("confirmed", "official", 80.0)


def test_without_its_size_the_rate_per_accelerator_is_compared():
    """80 of eight is 10 each; the official 15 of one is 1.5 times that."""
    found = judged({}, {"rate": 15.0, "accelerator_count": 1.0})
    assert (found["check"], found["verdict"]) == ("official per accelerator", "contradicted")
    assert (found["printed_low"], found["printed_high"], found["expected_high"]) == (10.0, 10.0, 15.0)
    assert found["reason"].endswith("too low by 1.5x.")
    alone = judged({"accelerator_count": 1.0, "low": 10.0, "high": 10.0}, {"rate": 80.0})
    assert (alone["check"], alone["verdict"]) == ("official per accelerator", "confirmed")


def test_a_figure_per_accelerator_is_compared_with_every_size():
    figure = {"per": "accelerator", "accelerator_count": 1.0, "low": 10.0, "high": 10.0}
    found = judged(figure, {"rate": 72.0}, {"rate": 11.0, "accelerator_count": 1.0})
    assert (found["expected_low"], found["expected_high"], found["verdict"]) == (9.0, 11.0, "within rounding")


def test_samples_are_compared_with_the_samples_of_the_run():
    found = judged({"unit": "samples/s", "low": 0.8, "high": 0.8}, {"rate": 80.0})
    assert found["verdict"] == "confirmed"


def test_without_a_rate_in_the_claimed_unit_the_value_counts_if_it_is_in_that_unit():
    """Queries/s have no column of their own; a value in another unit is no rate to compare with."""
    figure, result = {"unit": "queries/s", "low": 7.0, "high": 7.0}, {"rate": NAN, "value": 7.0}
    assert judged(figure, {**result, "unit": "queries/s"})["verdict"] == "confirmed"
    assert judged(figure, {**result, "unit": "ms"})["verdict"] == "no official result"


def test_the_submitter_and_system_that_are_named_count_before_others():
    figure = {"submitter": "B", "system": "XE", "low": 50.0, "high": 50.0}
    rows = [{"rate": 50.0}, {"submitter": "B", "rate": 40.0}, {"submitter": "B", "system": "XE9680", "rate": 45.0}]
    found = judged(figure, *rows)
    assert (found["expected_low"], found["expected_high"], found["verdict"]) == (45.0, 45.0, "contradicted")
    assert judged(figure, *rows[:2], {"system": "XE", "rate": 50.0})["expected_low"] == 40.0  # the submitter first


def test_a_latency_is_compared_with_the_latency_of_a_run():
    run = {"scenario": "SingleStream", "accelerator_count": 1.0, "unit": "ms"}
    figure = {"quantity": "latency", "low": 5.0, "high": 5.0, **run}
    found = judged(figure, {**run, "metric": "latency", "rate": NAN, "value": 5.0}, {**run, "rate": NAN, "value": 6.0})
    assert (found["verdict"], found["expected_high"]) == ("confirmed", 5.0)


def test_of_several_results_the_nearest_counts():
    found = judged({"low": 80.0, "high": 80.0}, {"rate": 20.0}, {"rate": 80.0})
    assert (found["verdict"], found["expected_low"]) == ("confirmed", 80.0)
    reason = judged({}, {"rate": 200 / 3})["reason"]
    assert reason == "Official: 66.667 tokens/s (8x B200, v6.1), too high by 1.2x."


@pytest.mark.parametrize(
    "other",
    [{"scenario": "Server"}, {"benchmark": "gptj"}, {"round": "v6.0"}, {"accelerator": "H100"},
     {"power_measured": True}, {"duplicate_of": "r9"}, {"metric": "latency"}],
)  # fmt: skip
def test_what_differs_in_one_respect_is_not_compared(other, monkeypatch):
    whole_rounds(monkeypatch, {"v6.1": 99})
    assert judged({}, {"rate": 80.0, **other})["verdict"] == "no official result"


def test_a_rate_of_the_open_division_is_a_condition():
    found = judged({}, {"rate": 80.0, "division": "open"})
    assert found["verdict"] == "conditional"
    assert found["reason"].startswith("Holds only with results of the open division: official 80 tokens/s")


def test_a_stated_precision_excludes_another_but_not_an_unstated_one():
    figure = {"precision": "fp4", "low": 80.0, "high": 80.0}
    assert judged(figure, {"precision": "fp8"})["verdict"] == "no official result"
    assert judged(figure, {"precision": ""})["verdict"] == "confirmed"


def test_targets_that_share_a_run_are_one_and_others_are_not():
    assert judged({"accuracy_target": "99"}, {"rate": 80.0})["verdict"] == "confirmed"
    other = {"accuracy_target": "99", "benchmark": "bert", "unit": "samples/s", "low": 0.8, "high": 0.8}
    assert judged(other, {"benchmark": "bert"})["verdict"] == "no official result"


def test_a_complete_round_contradicts_what_it_lacks(monkeypatch):
    whole_rounds(monkeypatch, {"v6.1": 1})
    found = judged({"accelerator": "A100"}, {"rate": 80.0})
    assert (found["verdict"], found["record"]) == ("contradicted", "no such result")
    assert found["reason"] == "The complete v6.1 results have no closed result of Llama 2 70B Offline on A100."
    assert judged({"accelerator": "A100", "round": "v6.0"}, {"rate": 80.0})["verdict"] == "no official result"


def test_a_figure_that_only_the_accelerator_of_another_power_limit_reaches_is_conditional():
    figure = {"accelerator": "H200", "low": 90.0, "high": 90.0}
    rows = [{"accelerator": "H200", "rate": 80.0}, {"accelerator": "H200 CTS", "rate": 90.0}]
    found = judged(figure, *rows)
    assert (found["verdict"], found["expected_low"]) == ("conditional", 90.0)
    words = (
        "for H200 CTS: official 90 tokens/s (8x H200 CTS, v6.1); the accelerator named: 80 tokens/s (8x H200, v6.1)."
    )
    assert found["reason"] == f"Holds only {words}"
    near = judged({**figure, "low": 91.0, "high": 91.0}, *rows)
    assert (near["verdict"], near["reason"]) == ("conditional", f"Within 5% only {words}")
    assert judged(figure, rows[0], {**rows[1], "rate": 200.0})["verdict"] == "contradicted"


def test_power_and_throughput_per_watt_are_those_of_one_run():
    watts = {"quantity": "power", "unit": "W", "low": 40.0, "high": 40.0, "power_measured": True}
    per_watt = {**watts, "quantity": "throughput_per_watt", "unit": "tokens/s per W", "low": 2.0, "high": 2.0}
    found = check_official(
        figures(watts, per_watt), official({"rate": 80.0, "power_watts": 40.0, "power_measured": True})
    )
    assert found["verdict"].tolist() == ["confirmed", "confirmed"]
    run = {"rate": 80.0, "power_watts": 40.0, "power_measured": True, "accelerator_count": 4.0}
    assert judged(watts, run)["verdict"] == "no official result"  # the power of another size is none of this one


def test_an_accelerator_without_a_datasheet_is_compared_like_any_other():
    assert judged({"accelerator": "X900"}, {"accelerator": "X900", "rate": 80.0})["verdict"] == "confirmed"


def test_a_figure_that_holds_only_under_another_unit_is_conditional():
    found = check_official(figures({"unit": "tokens/s"}), official({"rate": 80.0})).assign(id="nv-server-gptj-h200")
    assert counts.check_labels(found)["verdict"].tolist() == ["conditional"]
    assert counts.check_labels(found.assign(id="nv-server-stable-diffusion-xl-h200")).empty
    assert counts.check_labels(found.assign(verdict="contradicted")).empty


def test_a_name_covers_its_variants_and_parts_of_another_power_limit_are_told_apart():
    full = tables.accelerators.set_index("label")["accelerator"]
    for variant in tables.accelerators.query("variant_of != ''").itertuples():
        named, others = meant(full.index[full.eq(variant.variant_of)][0])
        assert variant.label in named and variant.label not in others
    named, others = meant("H200")
    assert named == ["H200"] and "H200 CTS" in others and "H100" not in others


def test_parts_are_alike_that_share_vendor_family_memory_and_bandwidth(monkeypatch):
    part = {"vendor": "V", "family": "F", "memory_gb": 80.0, "memory_bandwidth_gb_per_s": 1.0, "variant_of": ""}
    differs = [{}, {}, {"vendor": "W"}, {"family": "G"}, {"memory_gb": 81.0}, {"memory_bandwidth_gb_per_s": 2.0}]
    parts = [part | other | {"label": name, "accelerator": name} for name, other in zip("abcdef", differs, strict=True)]
    monkeypatch.setattr(tables, "accelerators", pd.DataFrame(parts), raising=False)
    assert meant("a") == (["a"], ["b"])
