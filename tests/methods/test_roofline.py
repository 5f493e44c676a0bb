"""Ceilings by hand: bandwidth at batch 1, memory that holds the weights, dense compute."""

import math

import pandas as pd
import pytest

from analysis._tables.catalog import Catalog
from analysis.methods import roofline

H100 = pd.Series({"fp16_dense_tflops": 989.0, "fp8_dense_tflops": 1979.0, "int8_dense_tops": 1979.0})
H100["fp4_dense_tflops"] = math.nan


@pytest.mark.parametrize(
    ("precision", "gigabytes"),
    [("fp16", 140.0), ("fp8", 70.0), ("int4", 35.0), ("bf16", 140.0), ("gptq", 35.0), ("", 35.0)],
)
def test_weights_of_70_billion(precision, gigabytes):
    assert roofline.weight_gb(70.0, precision) == gigabytes


def test_decode_is_bandwidth_over_bytes_read():
    assert roofline.decode(3350.0, 140.0, 2) == pytest.approx(47.857142857, rel=1e-9)
    assert roofline.decode(3350.0, 140.0, 2, cache_gb=27.5) == pytest.approx(40.0, rel=1e-12)


def test_a_batch_shares_the_weights_and_reads_its_own_cache():
    """64 sequences of 0.1 GB: 64 x 3,350 / (140 + 6.4) tokens a second."""
    assert roofline.decode(3350.0, 140.0, cache_gb=6.4, batch=64) == pytest.approx(64 * 3350 / 146.4, rel=1e-12)


@pytest.mark.parametrize("batch", [1, 2, 64, 1000])
def test_dense_weights_are_read_whole_at_any_batch(batch):
    assert roofline.read_gb(70.0, 70.0, "fp8", batch) == 70.0


def test_weights_of_a_mixture_of_experts_are_read_as_far_as_the_batch_needs_them():
    """Half of the weights active: a half at batch 1, three quarters at 2, seven eighths at 3, soon all."""
    assert [roofline.read_gb(40.0, 20.0, "fp16", n) for n in (1, 2, 3)] == [40.0, 60.0, 70.0]
    assert roofline.read_gb(46.7, 12.9, "fp8") == pytest.approx(12.9, rel=1e-12)
    assert roofline.read_gb(46.7, 12.9, "fp8", 64) == pytest.approx(46.7, rel=1e-8)


def test_reading_a_prompt_by_hand():
    """1,000 tokens x 2 x 70e9 operations over 2 x 1,979e12 x 0.5 a second; a quarter of the share takes four times."""
    assert roofline.prefill_s(1000, 1979.0, 70.0, 2, 0.5) == pytest.approx(1.4e14 / 1.979e15, rel=1e-12)
    assert roofline.prefill_s(1000, 1979.0, 70.0, 2, 0.125) == pytest.approx(4 * 1.4e14 / 1.979e15, rel=1e-12)


def facts():
    return pd.concat([H100, pd.Series({"memory_bandwidth_gb_per_s": 3350.0})])


def test_serving_ceilings_of_a_mixture_of_experts_by_hand():
    """A large batch reads all 46.7 GB, and computes with 12.9 billion: bf16 has the rate and the bytes of fp16."""
    mixtral = pd.Series({"parameters_billion": 46.7, "active_parameters_billion": 12.9})
    memory, compute = roofline.serving(facts(), mixtral, "fp8", 256, 100.0, 200.0, 200 * 1e-4)
    assert memory == pytest.approx(256 * 3350 / (46.7 + 256 * 200 * 1e-4), rel=1e-9)
    assert compute == pytest.approx(1979e12 / (2 * 12.9e9 * 1.5), rel=1e-12)
    assert roofline.serving(facts(), mixtral, "bf16", 8, 1, 1, 0) == roofline.serving(
        facts(), mixtral, "fp16", 8, 1, 1, 0
    )
    assert all(math.isnan(each) for each in roofline.serving(facts(), mixtral, "", 8, 1, 1, 0))


def test_the_rate_of_the_precision_else_that_of_the_next_wider_format():
    """H100 has no FP4 and computes it in FP8; A100 has no FP8 and computes it in 16 bits, not in INT8."""
    a100 = pd.Series({"fp16_dense_tflops": 312.0, "int8_dense_tops": 624.0})
    a100 = a100.reindex(roofline.COMPUTE.values()).groupby(level=0).first()
    assert roofline.fastest(H100, "fp16") == (989.0, "fp16")
    assert roofline.fastest(H100, "fp4") == (1979.0, "fp8") and roofline.fastest(H100)[0] == 1979.0
    found = {name: roofline.fastest(a100, name) for name in ("fp8", "fp4", "fp16", "bf16", "int8", "int4", "")}
    assert {name for name, rate in found.items() if rate == (312.0, "fp16")} == {"fp8", "fp4", "fp16", "bf16"}
    assert {name for name, rate in found.items() if rate == (624.0, "int8")} == {"int8", "int4", ""}
    assert math.isnan(roofline.fastest(H100 * math.nan)[0])


def test_a_mixture_of_experts_works_with_a_part_of_its_weights():
    assert roofline.active(pd.Series({"parameters_billion": 46.7, "active_parameters_billion": 12.9})) == 12.9
    assert roofline.active(pd.Series({"parameters_billion": 70.0, "active_parameters_billion": math.nan})) == 70.0
    assert roofline.active(pd.Series({"parameters_billion": 70.0})) == 70.0


def test_no_official_result_is_above_its_compute_ceiling():
    data = Catalog()
    facts, known = data.accelerators.set_index("accelerator"), data.benchmarks.set_index("benchmark")
    rows = data.results[data.results["origin"].eq("official") & data.results["unit"].eq("tokens/s")]
    sized = rows["benchmark"].isin(known.index[known["parameters_billion"].notna()])
    rows = rows[sized & rows["accelerator"].ne("mixed") & rows["division"].eq("closed")]
    above = []
    for row in rows.to_dict("records"):
        tera, _ = roofline.fastest(facts.loc[row["accelerator"]])
        ceiling = roofline.compute(tera, roofline.active(known.loc[row["benchmark"]]), float(row["accelerator_count"]))
        above += [row["id"]] if row["low"] > ceiling else []
    assert len(rows) > 50
    assert above == []
