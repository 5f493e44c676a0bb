"""Trade-offs, the Pareto front, weights in memory, stated and tabled gains, the price of accuracy, by hand."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from analysis.core.notes import NONE, Notes, note
from analysis.themes import quantization

Rows = Callable[..., pd.DataFrame]
CLOSE = {"rel": 1e-12}
TEXT = [
    "id",
    "source_id",
    "locator",
    "benchmark",
    "accelerator",
    "technique",
    "precision",
    "division",
    "result_row",
    "speedup_bound",
    "duplicate_of",
]
NUMBERS = [
    "weight_memory_gb_low",
    "weight_memory_gb_high",
    "speedup_low",
    "speedup_high",
    "quality_loss_percent_low",
    "quality_loss_percent_high",
]
PRECISE = {"technique": "fp16", "precision": "fp16", "result_row": "r0"}
PRECISE |= {"weight_memory_gb_low": 140.0, "weight_memory_gb_high": 140.0}
SMALL = {"technique": "fp8", "precision": "fp8", "result_row": "r1"}
SMALL |= {"weight_memory_gb_low": 56.0, "weight_memory_gb_high": 70.0}


def table(*rows: dict[str, Any]) -> pd.DataFrame:
    """Rows of quantization.csv, of one document and benchmark unless they say otherwise."""
    blank = dict.fromkeys(TEXT, "") | dict.fromkeys(NUMBERS, None)
    usual = {"source_id": "doc000", "benchmark": "llm", "accelerator": "H100 SXM"}
    full = [blank | usual | {"id": f"q{place}"} | row for place, row in enumerate(rows)]
    frame = pd.DataFrame(full, columns=[*TEXT, *NUMBERS])
    return frame.astype(dict.fromkeys(NUMBERS, "float64") | dict.fromkeys(TEXT, "str"))


DOUBTED = frozenset({note("contradicts_record")})


def trusted(rows: pd.DataFrame, *noted: Notes) -> pd.DataFrame:
    """Result rows as gate.trusted hands them on, with what is doubted about each."""
    return rows.assign(notes=list(noted))


@pytest.fixture
def rates(results: Rows) -> pd.DataFrame:
    """80 to 100 tokens/s on two accelerators, 150 to 160 on one, of which the audit doubts the second."""
    both = results(
        {"low": 80.0, "high": 100.0, "accelerator_count": 2}, {"low": 150.0, "high": 160.0, "accelerator_count": 1}
    )
    return trusted(both, NONE, DOUBTED)


@pytest.mark.parametrize(("origins", "rows"), [(["published", "official"], 1), (["official", "measured"], 0)])
def test_what_documents_describe_is_left_out_where_only_others_are_asked_for(origins: list[str], rows: int) -> None:
    assert len(quantization.described(table(PRECISE), origins)) == rows


def span(frame: pd.DataFrame, name: str, row: int = 0) -> tuple[float, float]:
    return frame[f"{name}_low"].iloc[row], frame[f"{name}_high"].iloc[row]


def test_ratios_of_a_system_and_of_an_accelerator(rates: pd.DataFrame) -> None:
    found = quantization.tradeoffs(table(PRECISE, SMALL), rates, "llm", "fp16")
    assert span(found, "speed", 1) == (1.5, 2.0)
    assert span(found, "speed_per_accelerator", 1) == (3.0, 4.0)
    assert span(found, "saving", 1) == (2.0, 2.5)
    assert span(found, "rate", 1) == (150.0, 160.0)
    assert found["devices"].tolist() == [2, 1]
    assert found["notes"].tolist() == [NONE, DOUBTED]


def test_reference_is_one_without_width(rates: pd.DataFrame) -> None:
    found = quantization.tradeoffs(table(PRECISE, SMALL), rates, "llm", "fp16")
    assert {span(found, name) for name in ("speed", "speed_per_accelerator", "saving")} == {(1.0, 1.0)}


def test_other_reference_turns_the_ratio_round(rates: pd.DataFrame) -> None:
    found = quantization.tradeoffs(table(PRECISE, SMALL), rates, "llm", "fp8")
    assert span(found, "speed") == pytest.approx((80 / 160, 100 / 150), **CLOSE)
    assert span(found, "speed", 1) == (1.0, 1.0)


@pytest.mark.parametrize(
    "other",
    [
        {"benchmark": "images"},
        {"result_row": ""},
        {"duplicate_of": "q0"},
        {"source_id": "doc001"},
    ],
)
def test_row_of_another_benchmark_document_or_without_rate_has_no_ratio(rates: pd.DataFrame, other: dict) -> None:
    found = quantization.tradeoffs(table(PRECISE, SMALL | other), rates, "llm", "fp16")
    assert found["technique"].tolist() == ["fp16"]


def test_document_without_the_reference_gives_no_rows(rates: pd.DataFrame) -> None:
    found = quantization.tradeoffs(table(SMALL), rates, "llm", "fp16")
    assert found.empty
    assert {"speed_low", "speed_per_accelerator_high", "saving_low", "rate_low", "notes"} <= set(found.columns)


def techniques(*rows: tuple[str, tuple, tuple, tuple]) -> pd.DataFrame:
    """Names with their ranges of rate, weight memory and quality loss."""
    columns = ["technique"] + [
        f"{name}_{end}" for name in ("rate", "weight_memory_gb", "quality_loss_percent") for end in ("low", "high")
    ]
    return pd.DataFrame([(name, *rate, *memory, *loss) for name, rate, memory, loss in rows], columns=columns)


def dominated(*rows: tuple[str, tuple, tuple, tuple]) -> list[str]:
    return quantization.pareto(techniques(*rows))["dominated_by"].tolist()


def test_technique_beaten_in_one_and_equal_in_the_rest_is_dominated() -> None:
    assert dominated(("a", (2, 2), (1, 1), (1, 1)), ("b", (1, 1), (1, 1), (1, 1))) == ["", "a"]
    assert dominated(("a", (1, 1), (1, 1), (1, 1)), ("b", (1, 1), (2, 2), (1, 1))) == ["", "a"]
    assert dominated(("a", (1, 1), (1, 1), (1, 1)), ("b", (1, 1), (1, 1), (2, 2))) == ["", "a"]


def test_equal_techniques_do_not_beat_each_other() -> None:
    assert dominated(("a", (1, 2), (1, 1), (1, 1)), ("b", (1, 2), (1, 1), (1, 1))) == ["", ""]


def test_better_in_one_and_worse_in_another_beats_nobody() -> None:
    assert dominated(("a", (2, 2), (2, 2), (1, 1)), ("b", (1, 1), (1, 1), (1, 1))) == ["", ""]


def test_overlapping_ranges_beat_only_where_both_ends_do() -> None:
    assert dominated(("a", (1, 4), (1, 1), (1, 1)), ("b", (2, 3), (1, 1), (1, 1))) == ["", ""]
    assert dominated(("a", (2, 4), (1, 1), (1, 1)), ("b", (1, 3), (1, 1), (1, 1))) == ["", "a"]


def test_unknown_quality_neither_beats_nor_is_beaten() -> None:
    nan = float("nan")
    assert dominated(("a", (9, 9), (1, 1), (nan, nan)), ("b", (1, 1), (2, 2), (1, 1))) == ["", ""]


def models(parameters: float | None) -> pd.DataFrame:
    return pd.DataFrame({"benchmark": ["llm"], "parameters_billion": pd.Series([parameters], dtype="float64")})


def cards(*sizes: float | None) -> pd.DataFrame:
    return pd.DataFrame({"accelerator": [f"x{size}" for size in sizes], "memory_gb": sizes})


def needed(parameters: float, memory: float, headroom: float) -> dict[str, int]:
    held = quantization.weights(models(parameters), "llm", cards(memory), headroom)
    return dict(zip(held["precision"], held["needed"], strict=True))


def test_weights_need_accelerators_by_precision() -> None:
    assert needed(70, 80, 0.0) == {"fp16": 2, "fp8": 1, "int8": 1, "int4": 1, "fp4": 1}
    assert needed(405, 80, 0.0) == {"fp16": 11, "fp8": 6, "int8": 6, "int4": 3, "fp4": 3}


def test_headroom_keeps_its_share_of_memory() -> None:
    assert needed(70, 80, 0.125)["fp8"] == 1
    assert needed(70, 80, 0.126)["fp8"] == 2


@pytest.mark.parametrize(("parameters", "memory", "headroom"), [(10, 100, 0.9), (70, 100, 0.3), (8, 80, 0.9)])
def test_weights_that_fill_the_memory_exactly_need_no_other(parameters: float, memory: float, headroom: float) -> None:
    assert needed(parameters, memory, headroom)["fp8"] == 1


def test_weight_sizes_are_bytes_times_parameters() -> None:
    held = quantization.weights(models(46.7), "llm", cards(80), 0.1)
    sizes = dict(zip(held["precision"], held["weight_gb"], strict=True))
    assert sizes == {"fp16": 93.4, "fp8": 46.7, "int8": 46.7, "int4": 23.35, "fp4": 23.35}


def test_unknown_memory_or_size_holds_nothing() -> None:
    assert quantization.weights(models(70), "llm", cards(None, 80.0), 0.0)["accelerator"].unique().tolist() == ["x80.0"]
    assert quantization.weights(models(None), "llm", cards(80), 0.0).empty


def test_gains_are_told_as_stated_and_by_the_table(rates: pd.DataFrame) -> None:
    rows = table(PRECISE, SMALL, SMALL | {"duplicate_of": "q1", "speedup_low": 1.75, "speedup_high": 1.85})
    found = quantization.gains(rows, quantization.tradeoffs(rows, rates, "llm", "fp16"))
    said = {row["statement"]: (row["gain_low"], row["gain_high"]) for row in found.to_dict("records")}
    assert len(found) == 3
    assert said == {
        "stated": (1.75, 1.85),
        "from the table": (1.5, 2.0),
        "from the table, per accelerator": (3.0, 4.0),
    }
    noted = dict(zip(found["statement"], found["notes"], strict=True))
    assert noted == {"stated": NONE, "from the table": DOUBTED, "from the table, per accelerator": DOUBTED}


def test_gain_that_may_be_none_is_told_and_the_reference_is_not(results: Rows) -> None:
    rows = table(PRECISE, SMALL)
    one = {"low": 100.0, "accelerator_count": 1}
    rates = trusted(results(one, one | {"high": 120.0}), NONE, NONE)
    found = quantization.gains(rows, quantization.tradeoffs(rows, rates, "llm", "fp16"))
    assert found["technique"].tolist() == ["fp8", "fp8"]
    assert span(found, "gain") == (1.0, 1.2)


def test_gain_of_the_open_division_is_no_gain_of_a_precision(rates: pd.DataFrame) -> None:
    rows = table(PRECISE, SMALL | {"division": "open", "speedup_low": 1.3, "speedup_high": 1.4})
    found = quantization.gains(rows, quantization.tradeoffs(rows, rates, "llm", "fp16"))
    assert "stated" not in set(found["statement"])


def test_routes_are_those_of_the_open_division_and_the_diffusion_recipe() -> None:
    gain = {"speedup_low": 1.3, "speedup_high": 1.4}
    rows = table(
        gain | {"technique": "sparsity-2:4", "division": "open"},
        gain | {"technique": "int8-unet", "division": "closed"},
        gain | {"technique": "fp8", "division": "closed"},
        gain | {"technique": "deepcache", "division": "open", "duplicate_of": "q0"},
        {"technique": "deepcache", "division": "open"},
    )
    found = quantization.routes(rows)
    assert found["technique"].tolist() == ["sparsity-2:4", "int8-unet"]
    assert span(found, "gain") == (1.3, 1.4)


STRICT = {"result_id": "4.1-0001", "accuracy_target": "99.9", "low": 700.0, "precision": "fp16"}
LOOSE = {"result_id": "4.1-0001", "accuracy_target": "99", "low": 1000.0, "precision": "int8"}


def test_accuracy_costs_what_the_same_system_loses(comparable_rows: Rows) -> None:
    found = quantization.price_of_accuracy(comparable_rows(STRICT), comparable_rows(LOOSE))
    (row,) = found.to_dict("records")
    assert (row["kept_low"], row["kept_high"], row["systems"]) == (0.7, 0.7, 1)
    assert row["precisions"] == "fp16 and int8"
    assert (row["source_ids"], row["notes"]) == (("mlcommons-v4.1",), NONE)


def test_accuracy_price_spreads_over_systems(comparable_rows: Rows) -> None:
    second = {"result_id": "4.1-0002"}
    strict, loose = comparable_rows(STRICT, STRICT | second | {"low": 900.0}), comparable_rows(LOOSE, LOOSE | second)
    (row,) = quantization.price_of_accuracy(strict, loose).to_dict("records")
    assert (row["kept_low"], row["kept_high"], row["systems"]) == (0.7, 0.9, 2)


def test_accuracy_price_carries_the_notes_of_both_runs_but_for_the_size_of_their_system(comparable_rows: Rows) -> None:
    size, preview, inferred = note("another_size", count=1, usual=8), note("preview"), note("inferred")
    second = {"result_id": "4.1-0002"}
    strict = comparable_rows(STRICT | {"notes": {size, preview}}, STRICT | second)
    loose = comparable_rows(LOOSE | {"notes": {size}}, LOOSE | second | {"notes": {inferred}})
    assert quantization.price_of_accuracy(strict, loose)["notes"].tolist() == [{preview, inferred}]


@pytest.mark.parametrize(
    "other",
    [{"result_id": "4.1-0009"}, {"accelerator": "L40S"}, {"accelerator_count": 4}, {"scenario": "Server"},
     {"power_measured": True}, {"low": 700.0}, {"source_id": "mlcommons-v5.1"}],
)  # fmt: skip
def test_other_system_or_one_measurement_filed_twice_has_no_price(comparable_rows: Rows, other: dict) -> None:
    assert quantization.price_of_accuracy(comparable_rows(STRICT), comparable_rows(LOOSE | other)).empty


def test_rows_without_result_id_have_the_price_of_their_own_system(comparable_rows: Rows) -> None:
    def rows(row: dict) -> pd.DataFrame:
        ids = [f"o-6.1-closed-acme-{name}-offline" for name in ("a", "b")]
        lows = [row["low"], row["low"] / 10]
        return comparable_rows(
            *(row | {"result_id": "", "id": id, "low": low} for id, low in zip(ids, lows, strict=True))
        )

    (row,) = quantization.price_of_accuracy(rows(STRICT), rows(LOOSE)).to_dict("records")
    assert (row["kept_low"], row["kept_high"], row["systems"]) == (0.7, 0.7, 2)
    other = {"result_id": "", "id": "o-6.1-closed-acme-c-offline"}
    assert quantization.price_of_accuracy(comparable_rows(STRICT | other), rows(LOOSE)).empty


def test_a_document_has_no_price_of_accuracy(comparable_rows: Rows) -> None:
    paper = {"origin": "published", "result_id": ""}
    strict, loose = (comparable_rows(row | paper) for row in (STRICT, LOOSE))
    assert quantization.price_of_accuracy(strict, loose).empty


def test_empty_rows_give_empty_frames(comparable_rows: Rows, rates: pd.DataFrame) -> None:
    nothing = comparable_rows()
    traded = quantization.tradeoffs(table(), rates, "llm", "fp16")
    frames = [traded, quantization.pareto(traded), quantization.gains(table(), traded), quantization.routes(table())]
    frames.append(quantization.price_of_accuracy(nothing, nothing))
    assert [len(frame) for frame in frames] == [0] * len(frames)
